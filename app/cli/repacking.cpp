#include "app/cli/repacking.h"

#include "core/base/digest.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace blobscope::cli {
namespace {

/// The changes and the new blob's own bytes, ascending.
std::vector<write::Change> withBlob(const write::Plan& plan) {
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

} // namespace

void RepackingCommand::declareWriting(CLI::App& app) {
  app.add_option("-o,--output", m_output, "The file to write; it may be the library itself");
  app.add_flag("--dry-run", m_dryRun, "Only tell what would be written");
  app.add_option("--verify", m_verify, "How the written file is read back")
      ->check(CLI::IsMember({"full", "sampled"}))
      ->capture_default_str();
  app.add_flag("--scrub", m_scrub, "Fill the place of the old blob with zeros when it moves");
  app.add_flag("--backup", m_backup, "Keep what the output file was as OUT.bak");
  app.add_option("--signature", m_signature, "What becomes of a signature that no longer fits")
      ->check(CLI::IsMember({"adhoc", "remove"}));
  app.add_flag("--force", m_force, "Go on where a refusal can be overridden");
}

Result<Exit> RepackingCommand::repack(const library::PackagePtr& package, std::span<const edit::Edit> edits,
                                      edit::ApplyOptions options, std::vector<std::filesystem::path> inputs,
                                      Session& session) {
  if (m_output.empty() && !m_dryRun)
    return Error(DiagnosticId::Usage, {{"what", "name the file to write with -o, or ask for --dry-run"}});
  using Signature = write::PlanOptions::Signature;
  options.force = m_force;
  write::PlanOptions planOptions;
  planOptions.scrub = m_scrub;
  planOptions.force = m_force;
  planOptions.signature = m_signature == "adhoc"    ? Signature::AdHoc
                          : m_signature == "remove" ? Signature::Remove
                                                    : Signature::Keep;
  BLOBSCOPE_TRY(planned, write::planRepack(package, edits, options, planOptions, session.monitor()));
  // Before writing: the output may take the place of what is read here.
  std::string before;
  if (json) {
    BLOBSCOPE_TRY(digest, computeSha256(package->bytes, session.monitor()));
    before = std::move(digest);
  }
  if (!m_dryRun) {
    write::WriteOptions writeOptions;
    writeOptions.backup = m_backup;
    writeOptions.inputs = std::move(inputs);
    writeOptions.verify = m_verify == "full" ? write::WriteOptions::Verify::Full : write::WriteOptions::Verify::Sampled;
    BLOBSCOPE_CHECK(write::writeRepack(planned, m_output, writeOptions, session.monitor()));
    releaseFiles();
  }
  if (json) return printJson(planned, before, session);
  printText(planned, session);
  return kFine;
}

Result<Exit> RepackingCommand::printJson(const write::Repack& repack, const std::string& before,
                                         Session& session) const {
  const write::Plan& plan = repack.plan;
  std::string after = before;
  if (!m_dryRun && !plan.isIdentity()) {
    BLOBSCOPE_TRY(source, ByteSource::openFile(m_output));
    BLOBSCOPE_TRY(digest, computeSha256(ByteSource::all(source), session.monitor()));
    after = std::move(digest);
  }
  const auto writer = beginDocument(session);
  writer->member("strategy", write::strategyName(plan));
  writer->member("container", container::formatName(repack.package->image.format));
  writer->key("before").beginObject();
  writer->member("size", repack.package->bytes.size());
  writer->member("sha256", before);
  writer->endObject();
  writer->key("after").beginObject();
  writer->member("size", plan.size());
  if (m_dryRun && !plan.isIdentity())
    writer->nullMember("sha256");
  else
    writer->member("sha256", after);
  writer->endObject();
  writer->key("changed").beginArray();
  for (const write::Change& change : withBlob(plan)) {
    writer->beginObject();
    writer->member("offset", change.offset);
    writer->member("size", change.size);
    writer->member("why", change.why);
    writer->endObject();
  }
  writer->endArray();
  writer->key("steps").beginArray();
  for (const write::Step& step : plan.steps) {
    writer->beginObject();
    writer->member("what", step.what);
    writer->member("offset", step.offset);
    writer->member("size", step.size);
    writer->member("why", step.why);
    writer->endObject();
  }
  writer->endArray();
  writer->key("consequences").beginArray();
  for (const Diagnostic& one : plan.consequences) {
    writer->beginObject();
    writer->member("id", one.idText());
    writer->member("severity", severityName(one.severity()));
    writer->member("message", one.message());
    writer->endObject();
  }
  writer->endArray();
  writer->member("verified", !m_dryRun);
  if (m_dryRun)
    writer->nullMember("output");
  else
    writer->member("output", m_output);
  writer->endObject();
  writer->finish();
  return kFine;
}

void RepackingCommand::printText(const write::Repack& repack, Session& session) const {
  const write::Plan& plan = repack.plan;
  session.print("strategy  " + write::strategyName(plan) + "\n");
  session.print("size      " + groupedText(repack.package->bytes.size()) + " → " + groupedText(plan.size()) +
                " bytes\n\n");
  std::size_t widest = 0;
  for (const write::Step& step : plan.steps) widest = std::max(widest, step.what.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const write::Step& step = plan.steps[i];
    std::string line = "  " + std::to_string(i + 1) + "  " + step.what + std::string(widest - step.what.size(), ' ');
    const std::string at = step.offset ? hexText(*step.offset) : "", size = step.size ? groupedText(*step.size) : "";
    line += "  " + at + std::string(at.size() < 12 ? 12 - at.size() : 0, ' ') +
            std::string(size.size() < 14 ? 14 - size.size() : 0, ' ') + size + "  " + step.why;
    session.print(line + "\n");
  }
  if (!plan.consequences.empty()) session.print("\n");
  for (const Diagnostic& one : plan.consequences)
    session.print(session.coloured(one.severity(), severityName(one.severity())) + " " + std::string(one.idText()) +
                  ": " + one.message() + "\n");
  session.print(m_dryRun ? "\nnothing was written\n"
                         : "\nwritten to '" + escaped(m_output, kMessageBytes) + "' and verified\n");
}

} // namespace blobscope::cli
