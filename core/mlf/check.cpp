#include "core/mlf/check.h"

#include "core/base/text.h"
#include "core/library/open.h"
#include "core/library/verify.h"
#include "core/mlf/checks.h"
#include "core/mlf/reader.h"

#include <algorithm>
#include <functional>
#include <map>

namespace blobscope::mlf {
namespace {

using json::Located;

/// Finds lines and offsets of JSON pointers. Each text is parsed once.
class Locator {
public:
  explicit Locator(const Model& model) : m_model(model) {}

  void locate(const Rule& rule, Place& place) {
    if (place.pointer.empty() && place.offset) return;
    const File* const file = place.member.empty() ? nullptr : m_model.find(place.member);
    if (!file || (place.line && place.offset)) return;
    const bool isJson = file->path.ends_with(".json") || file->path.ends_with(".graph");
    if (!isJson || (place.pointer.empty() && !place.line)) return;
    const Text& text = textOf(*file);
    if (!text.root) return;
    const Located* const value = find(*text.root, place.pointer, rule.number == 102);
    place.offset = value->extent.offset;
    place.line = static_cast<uint64_t>(std::lower_bound(text.lineEnds.begin(), text.lineEnds.end(), value->extent.offset) - text.lineEnds.begin()) + 1;
  }

private:
  struct Text {
    const Located* root = nullptr;
    std::optional<json::LocatedDocument> document; ///< of other files than metadata.json
    std::vector<uint64_t> lineEnds;
  };

  const Text& textOf(const File& file) {
    const auto [found, isNew] = m_texts.try_emplace(&file);
    Text& text = found->second;
    if (!isNew) return text;
    if (file.path == "metadata.json") {
      if (m_model.metadata) text.root = &m_model.metadata->root;
    } else if (auto parsed = json::parseLocated(file.bytes)) {
      text.document = std::move(*parsed);
      text.root = &text.document->root;
    }
    const std::string_view bytes = file.bytes.view();
    if (text.root)
      for (std::size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) text.lineEnds.push_back(at);
    return text;
  }

  /// What the pointer names, or the innermost value around it that is there. `last`: of members that share a name.
  static const Located* find(const Located& root, std::string_view pointer, bool last) {
    const Located* value = &root;
    while (!pointer.empty()) {
      pointer.remove_prefix(1); // "/"
      const std::size_t end = std::min(pointer.find('/'), pointer.size());
      std::string step;
      for (std::size_t i = 0; i < end; ++i) {
        const bool escape = pointer[i] == '~' && i + 1 < end;
        step += escape ? (pointer[++i] == '0' ? '~' : '/') : pointer[i];
      }
      pointer.remove_prefix(end);
      const Located* next = nullptr;
      if (value->isArray()) {
        const auto index = parseNumber(step);
        if (index && *index < value->items.size()) next = &value->items[*index];
      } else {
        for (const auto& [name, member] : value->members)
          if (name == step && (!next || (last && pointer.empty()))) next = &member;
      }
      if (!next) return value;
      value = next;
    }
    return value;
  }

  const Model& m_model;
  std::map<const File*, Text> m_texts;
};

void sortWorstFirst(std::vector<Issue>& issues) {
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) { return a.severity < b.severity; });
}

/// What other verbs call a place in a member of the opened file. Offsets in refs count from the start of the file, so a
/// place in a compressed archive has none.
std::string refOf(const Place& place, const File& file, const Bytes& opened) {
  Ref ref = Ref::named(Ref::Kind::Member, file.stored);
  const std::byte *const begin = opened.data(), *const at = file.bytes.data();
  const bool stored = !std::less<>()(at, begin) && std::less<>()(at, begin + opened.size());
  if (stored && place.offset) ref.at = static_cast<uint64_t>(at - begin) + *place.offset;
  return ref.toString();
}

/// All rules over a read archive. `opened`: the file, when other verbs can name its members.
Result<Report> reportOf(const Model& model, Findings& findings, const Bytes* opened, Monitor& monitor) {
  monitor.progress("checking the archive", 0, 0);
  checkContainer(model, findings, monitor);
  checkMetadata(model, findings, monitor);
  checkMemory(model, findings, monitor);
  checkLayout(model, findings, monitor);
  checkParameters(model, findings, monitor);
  checkGraphs(model, findings, monitor);
  // Of an archive that is cut off nobody knows what else it defined.
  if (!model.container.damage && model.container.exceeded.empty()) checkAcrossFiles(model, findings, monitor);
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});

  Report report;
  report.format = "mlf";
  if (model.version > 0) report.version = model.version;
  Locator locator(model);
  for (const Finding& finding : findings.all()) {
    Issue issue{std::string(finding.rule->id), finding.rule->severity, finding.message(), finding.place, {}, std::string(finding.rule->fix)};
    locator.locate(*finding.rule, issue.place);
    const std::string& inner = model.container.inner;
    if (const File* const file = model.find(issue.place.member); file && opened && inner.empty()) issue.ref = refOf(issue.place, *file, *opened);
    if (!inner.empty()) issue.place.member = inner + (issue.place.member.empty() ? "" : "!" + issue.place.member);
    report.issues.push_back(std::move(issue));
  }
  std::stable_sort(report.issues.begin(), report.issues.end(), [](const Issue& a, const Issue& b) { return a.rule < b.rule; });
  sortWorstFirst(report.issues);
  return report;
}

/// Whether the rules are for this archive, and not for a kind that is looked at as a library.
bool isForRules(const Model& model, const library::Package& package) {
  switch (model.container.kind) {
  case ArchiveKind::NotTar:
  case ArchiveKind::Mlf:
  case ArchiveKind::WrappedMlf:
  case ArchiveKind::DamagedMlf:
  case ArchiveKind::MicroTvmProject: return true;
  case ArchiveKind::Unknown: break;
  default: return false;
  }
  const bool foreign = std::any_of(package.diagnostics.begin(), package.diagnostics.end(), [](const Diagnostic& one) { return one.id == DiagnosticId::FileNotTvm; });
  return foreign || (model.container.damage && model.hasFolder("codegen/host"));
}

Issue issueOf(const Diagnostic& diagnostic) {
  Issue issue;
  issue.rule = diagnostic.idText();
  issue.severity = diagnostic.severity();
  issue.message = diagnostic.message();
  for (const std::string& member : diagnostic.place.members) issue.place.member += (issue.place.member.empty() ? "" : "!") + member;
  issue.place.offset = diagnostic.place.at;
  issue.ref = diagnostic.place.toString();
  return issue;
}

} // namespace

std::size_t Report::count(Severity severity) const {
  return static_cast<std::size_t>(std::count_if(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.severity == severity; }));
}

Result<Report> check(const library::PackagePtr& package, Monitor& monitor) {
  // --- 1. Archives that have rules. ---
  if (package->image.format == container::Format::Tar) {
    Findings findings;
    BLOBSCOPE_TRY(model, readModel(package->bytes, findings, monitor));
    if (isForRules(model, *package)) return reportOf(model, findings, &package->bytes, monitor);
  }

  // --- 2. Everything else: what opening found, and whether each blob can be encoded again. ---
  Report report;
  report.format = package->kind();
  for (const Diagnostic& diagnostic : package->diagnostics) report.issues.push_back(issueOf(diagnostic));
  std::optional<Error> stopped;
  library::forEachPackage(package, [&](const library::PackagePtr& one) {
    for (const auto& blob : one->blobs) {
      if (stopped) return;
      const auto result = library::computeVerification(*blob, monitor);
      if (!result)
        stopped = result.error();
      else if (!result->identical)
        report.issues.push_back(issueOf({DiagnosticId::BlobNotIdentical, blob->ref(), {hexArg("at", *result->differsAt)}}));
    }
  });
  if (stopped) return std::move(*stopped);
  sortWorstFirst(report.issues);
  return report;
}

Result<Report> checkArchive(const Bytes& file, Monitor& monitor) {
  Findings findings;
  BLOBSCOPE_TRY(model, readModel(file, findings, monitor));
  return reportOf(model, findings, nullptr, monitor);
}

Result<Report> checkFile(const std::filesystem::path& path, Monitor& monitor) {
  auto package = library::open(path, monitor);
  if (package) return check(*package, monitor);
  const ErrorCode code = package.error().code();
  if (code == ErrorCode::Io || code == ErrorCode::Cancelled) return package.takeError();

  // What cannot be opened may still be an archive, or have been meant as one.
  const bool meant = path.extension() == ".tar";
  const auto source = ByteSource::openFile(path);
  if (!source && !(meant && source.error().id() == DiagnosticId::FileEmpty)) return package.takeError();
  const Bytes bytes = source ? ByteSource::all(*source) : Bytes();
  Findings findings;
  BLOBSCOPE_TRY(model, readModel(bytes, findings, monitor));
  if (model.container.kind == ArchiveKind::NotTar && !meant) return package.takeError();
  return reportOf(model, findings, nullptr, monitor);
}

} // namespace blobscope::mlf
