#include "core/describe/write_plan.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/library/damage.h"
#include "core/library/open.h"
#include "core/mlf/archive.h"

#include <algorithm>
#include <string_view>

namespace blobscope::describe {
namespace {

std::string_view wordsOf(write::Strategy strategy) {
  using write::Strategy;
  switch (strategy) {
  case Strategy::InPlace: return "in place";
  case Strategy::Resize: return "resize; the bytes after it move";
  case Strategy::AppendNull: return "append, using an empty program header";
  case Strategy::AppendSpare: return "append, program headers grow into free bytes";
  case Strategy::AppendSlide:
    return "append; the sections after the program headers move to make room for one more header";
  case Strategy::AppendNote: return "append, reusing the program header of the build id";
  case Strategy::AppendPhdr: return "append, program headers move to the end";
  case Strategy::AppendSection: return "append, in a new section";
  case Strategy::AppendSegment: return "append, in a new segment";
  case Strategy::AppendMemory: return "append after the used memory";
  case Strategy::Members: return "write the changed members; all others stay byte for byte";
  case Strategy::Values: break;
  }
  return "write the values of tensors in place";
}

/// Returns the changes and the bytes of the new blob, ascending.
std::vector<write::Change> changesOf(const write::Plan& plan) {
  std::vector<write::Change> changes = plan.changes;
  uint64_t at = 0;
  std::optional<write::Change> blob;
  for (const write::Part& part : plan.parts) {
    if (part.from == write::Part::From::Blob) {
      if (!blob) blob = write::Change{at, 0, "new blob"};
      blob->size += part.size();
    }
    at += part.size();
  }
  if (blob) changes.push_back(*blob);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const write::Change& a, const write::Change& b) { return a.offset < b.offset; });
  return changes;
}

StepText textOf(const write::Step& step) {
  return {step.what, step.offset ? hexText(*step.offset) : "", step.size ? groupedText(*step.size) : "", step.why};
}

/// Returns `text` with blanks at the left up to that width; unchanged if it is wider.
std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}
std::string left(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

/// Writes how many findings the rules have for the result, and the errors.
void writeFindingLines(const check::Report& report, const TextOutput& out) {
  constexpr std::size_t kListed = 20;
  std::string counts;
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    if (const std::size_t count = report.count(severity); count > 0)
      counts += (counts.empty() ? "" : ", ") + countText(count, severityName(severity));
  out.write("\ncheck of the result: " + (counts.empty() ? "no findings" : counts) + "\n");
  std::size_t listed = 0;
  for (const check::Issue& issue : report.issues) {
    if (issue.severity != Severity::Error || ++listed > kListed) continue;
    out.write(out.coloured(issue.severity, severityName(issue.severity)) + " " + issue.rule + " " + issue.placeText() +
              ": " + issue.message + "\n");
  }
  if (listed > kListed) out.write(countText(listed - kListed, "further error") + " not listed; see the verb check\n");
}

} // namespace

std::string strategyText(const write::Plan& plan) {
  if (plan.isIdentity()) return "nothing changes";
  std::vector<write::Strategy> seen;
  std::string out;
  for (const write::Strategy strategy : plan.strategies) {
    if (std::find(seen.begin(), seen.end(), strategy) != seen.end()) continue;
    seen.push_back(strategy);
    out += (out.empty() ? "" : "; then ") + std::string(wordsOf(strategy));
  }
  return out;
}

std::vector<StepText> stepsOf(const write::Plan& plan) {
  std::vector<StepText> out;
  for (const write::Step& step : plan.steps) out.push_back(textOf(step));
  if (!out.empty()) out.push_back({"Read back, compare, rename", "", "", "until then the target is untouched"});
  return out;
}

Result<std::optional<check::Report>> checkResult(const write::Repack& repack, Monitor& monitor) {
  library::PackagePtr package = repack.package;
  if (package->archive == library::ArchiveKind::NotTar) return std::optional<check::Report>();
  if (!repack.plan.isIdentity()) {
    BLOBSCOPE_TRY(bytes, write::assemble(repack.plan, package->bytes, monitor));
    BLOBSCOPE_TRY(opened,
                  library::open(bytes.owner(), package->path, monitor, {{}, package->budget->memoryLimit(), {}}));
    package = std::move(opened);
  }
  BLOBSCOPE_TRY(archive, mlf::readArchive(package, monitor));
  return archive ? std::optional(archive->report) : std::nullopt;
}

void writePlan(json::Writer& writer, const write::Repack& repack, const WrittenFile& written) {
  const write::Plan& plan = repack.plan;
  const auto textOrNull = [&](const char* key, const std::optional<std::string>& value) {
    value ? writer.member(key, *value) : writer.nullMember(key);
  };
  writer.member("strategy", write::strategyName(plan));
  writer.member("container", container::formatName(repack.package->image.format));
  writer.key("before").beginObject();
  writer.member("size", repack.package->bytes.size());
  writer.member("sha256", written.sha256Before);
  writer.endObject();
  writer.key("after").beginObject();
  writer.member("size", plan.size());
  textOrNull("sha256", written.sha256After);
  writer.endObject();
  writer.key("changed").beginArray();
  for (const write::Change& change : changesOf(plan)) {
    writer.beginObject();
    writer.member("offset", change.offset);
    writer.member("size", change.size);
    writer.member("why", change.why);
    writer.endObject();
  }
  writer.endArray();
  writer.key("steps").beginArray();
  for (const write::Step& step : plan.steps) {
    writer.beginObject();
    writer.member("what", step.what);
    writer.member("offset", step.offset);
    writer.member("size", step.size);
    writer.member("why", step.why);
    writer.endObject();
  }
  writer.endArray();
  writer.key("consequences").beginArray();
  for (const Diagnostic& one : plan.consequences) {
    writer.beginObject();
    writer.member("id", one.idText());
    writer.member("severity", severityName(one.severity()));
    writer.member("message", one.message());
    writer.endObject();
  }
  writer.endArray();
  if (written.images) {
    writer.key("images");
    writeImageChange(writer, *written.images);
  } else {
    writer.nullMember("images");
  }
  writer.key("fixed").beginArray();
  for (const MendedFinding& one : written.mended)
    writer.beginObject().member("rule", one.rule).member("message", one.message).member("fix", one.fix).endObject();
  writer.endArray();
  if (written.findings) {
    check::writeFindings(*written.findings, writer);
  } else {
    writer.nullMember("findings");
    writer.nullMember("counts");
  }
  writer.member("verified", written.path.has_value());
  textOrNull("output", written.path);
}

void writeText(const write::Repack& repack, const WrittenFile& written, const TextOutput& out) {
  const write::Plan& plan = repack.plan;
  if (const std::string damage = library::damageText(*repack.package); !damage.empty())
    out.write(out.coloured(Severity::Error, "damaged") + "   the input has " + damage + "\n");
  out.write("strategy  " + strategyText(plan) + "\n");
  out.write("size      " + groupedText(repack.package->bytes.size()) + " → " + groupedText(plan.size()) + " bytes\n");
  if (written.images) out.write(imageLines(*written.images));
  out.write("\n");
  std::size_t widest = 0;
  for (const write::Step& step : plan.steps) widest = std::max(widest, step.what.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepText step = textOf(plan.steps[i]);
    out.write("  " + std::to_string(i + 1) + "  " + left(step.what, widest) + "  " + left(step.offset, 12) +
              right(step.size, 14) + "  " + step.why + "\n");
  }
  if (!written.mended.empty()) out.write("\n");
  for (const MendedFinding& one : written.mended) out.write("fixed " + one.rule + ": " + one.fix + "\n");
  if (!plan.consequences.empty()) out.write("\n");
  for (const Diagnostic& one : plan.consequences)
    out.write(out.coloured(one.severity(), severityName(one.severity())) + " " + std::string(one.idText()) + ": " +
              one.message() + "\n");
  if (written.findings) writeFindingLines(*written.findings, out);
  out.write(written.path ? "\nwritten to '" + shownPath(*written.path) + "' and verified\n"
                         : "\nnothing was written\n");
}

} // namespace blobscope::describe
