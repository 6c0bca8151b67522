#include "core/mlf/check.h"

#include "core/base/text.h"
#include "core/library/node.h"
#include "core/library/open.h"
#include "core/library/verify.h"
#include "core/mlf/archive.h"
#include "core/mlf/fixes/fix.h"
#include "core/mlf/reader.h"
#include "core/mlf/rules/checks.h"
#include "core/requirements/requirements.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

namespace blobscope::mlf {
namespace {

using json::Value;

/// Finds lines and offsets of JSON pointers. Each text is parsed once.
class Locator {
public:
  explicit Locator(const Model& model) : m_model(model) {}

  void locate(Rule rule, Place& place) {
    if (place.pointer.empty() && place.offset) return;
    const File* const file = place.member.empty() ? nullptr : m_model.find(place.member);
    if (!file || (place.line && place.offset)) return;
    if (place.line && place.pointer.empty()) {
      const std::vector<uint64_t>& starts = textOf(*file).lineStarts;
      if (*place.line > 0 && *place.line <= starts.size()) place.offset = starts[*place.line - 1];
      return;
    }
    const bool isJson = file->path.ends_with(".json") || file->path.ends_with(".graph");
    if (!isJson || (place.pointer.empty() && !place.line)) return;
    const Text& text = textOf(*file);
    if (!text.root) return;
    const Value* const value = find(*text.root, place.pointer, rule == Rule::MlfDuplicateKey);
    place.offset = value->extent.offset;
    place.line =
        static_cast<uint64_t>(std::upper_bound(text.lineStarts.begin(), text.lineStarts.end(), value->extent.offset) -
                              text.lineStarts.begin());
  }

private:
  struct Text {
    const Value* root = nullptr;
    std::optional<json::LocatedDocument> document; ///< for files other than metadata.json
    std::vector<uint64_t> lineStarts;
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
    text.lineStarts = lineStarts(file.bytes.view());
    return text;
  }

  /// Returns what the pointer names, or the innermost existing value around it. `last`: the last of members with the
  /// same name.
  static const Value* find(const Value& root, std::string_view pointer, bool last) {
    const Value* value = &root;
    while (!pointer.empty()) {
      pointer.remove_prefix(1); // "/"
      const std::size_t end = std::min(pointer.find('/'), pointer.size());
      std::string step;
      for (std::size_t i = 0; i < end; ++i) {
        const bool escape = pointer[i] == '~' && i + 1 < end;
        step += escape ? (pointer[++i] == '0' ? '~' : '/') : pointer[i];
      }
      pointer.remove_prefix(end);
      const Value* next = nullptr;
      if (value->isArray()) {
        const auto index = parseNumber(step);
        if (index && *index < value->items().size()) next = &value->items()[*index];
      } else {
        for (const auto& [name, member] : value->members())
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

template <class F> const library::PackageMember* lastMember(const library::Package& package, F fits) {
  const auto found =
      std::find_if(package.members.rbegin(), package.members.rend(), [&](const library::PackageMember& member) {
        return member.stored->type == container::Member::Type::File && fits(member.stored->path);
      });
  return found == package.members.rend() ? nullptr : &*found;
}

/// Returns the archive with the members of the model; null if it is not in the package. `inner`: Container::inner.
const library::Package* innerPackage(const library::Package& package, std::string_view inner) {
  const library::Package* around = &package;
  while (!inner.empty()) {
    const std::string_view step = inner.substr(0, inner.find('!'));
    inner.remove_prefix(std::min(step.size() + 1, inner.size()));
    const auto* const member =
        lastMember(*around, [&](const std::string& path) { return library::normalisedPath(path) == step; });
    if (!member || !member->package) return nullptr;
    around = member->package.get();
  }
  return around;
}

/// Returns a reference to a place in a member of the archive, or in the archive itself if `member` is null.
Ref refIn(const library::Package& around, const library::PackageMember* member, std::optional<uint64_t> offset) {
  Ref ref = around.ref(Ref::file());
  if (!member) {
    if (around.image.compression.empty()) ref.at = offset;
    return ref;
  }
  if (member->package) {
    ref = member->package->ref(Ref::file());
    ref.at = offset;
    return ref;
  }
  ref = around.ref(Ref::named(Ref::Kind::Member, member->name));
  if (const auto place = library::placeIn(around, member->stored->bytes); place && offset) ref.at = *place + *offset;
  return ref;
}

/// refOf() for many findings of one archive: the members are read once, since an archive can have many of both.
class RefFinder {
public:
  RefFinder(const library::Package* package, std::string_view inner)
      : m_around(package ? innerPackage(*package, inner) : nullptr) {
    if (!m_around) return;
    for (const library::PackageMember& member : m_around->members)
      if (member.stored->type == container::Member::Type::File)
        m_members.insert_or_assign(member.stored->path, &member); // the last copy counts
  }
  std::optional<Ref> find(const File* file, std::optional<uint64_t> offset) const {
    if (!m_around) return std::nullopt;
    if (!file) return refIn(*m_around, nullptr, offset);
    const auto member = m_members.find(file->stored);
    return member == m_members.end() ? std::nullopt : std::optional(refIn(*m_around, member->second, offset));
  }

private:
  const library::Package* m_around; ///< null if the archive is not known
  std::unordered_map<std::string_view, const library::PackageMember*> m_members;
};

/// Returns the opened file, for the refs of findings; null if it cannot be opened.
using Opened = std::function<Result<library::PackagePtr>(const Findings& findings)>;

void addQuickFixes(const Model& model, const FileFacts& facts, std::vector<check::Issue>& issues, Monitor& monitor) {
  const FixContext context(model, facts, issues, monitor);
  std::vector<std::string> sentences;
  for (const check::Issue& issue : issues) {
    if (monitor.stopRequested()) return;
    const auto fix = fixOf(context, issue);
    sentences.push_back(fix ? fix->sentence : std::string());
  }
  for (std::size_t i = 0; i < issues.size(); ++i) issues[i].quickFix = std::move(sentences[i]);
}

/// Checks all rules for an archive that was read.
Result<check::Report> reportOf(const Model& model, const FileFacts& facts, Findings& findings, const Opened& opened,
                               Monitor& monitor) {
  monitor.progress("checking the archive", 0, 0);
  checkContainer(model, findings, monitor);
  checkMetadata(model, findings, monitor);
  checkMemory(model, findings, monitor);
  checkLayout(model, findings, monitor);
  checkParameters(model, findings, monitor);
  checkGraphs(model, findings, monitor);
  checkAcrossFiles(facts, findings, monitor);
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});

  BLOBSCOPE_TRY(package, opened(findings));
  check::Report report;
  report.format = "mlf";
  if (model.version > 0) report.version = model.version;
  Locator locator(model);
  const std::string& inner = model.container.inner;
  const RefFinder refs(package.get(), inner);
  for (const check::Finding& finding : findings.all()) {
    check::Issue issue = check::issueOf(finding);
    locator.locate(finding.rule, issue.place);
    issue.ref = refs.find(issue.place.member.empty() ? nullptr : model.find(issue.place.member), issue.place.offset);
    report.issues.push_back(std::move(issue));
  }
  std::ranges::stable_sort(report.issues, {}, &check::Issue::rule);
  report.sortWorstFirst();
  addQuickFixes(model, facts, report.issues, monitor);
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  for (check::Issue& issue : report.issues)
    if (!inner.empty()) issue.place.member = inner + (issue.place.member.empty() ? "" : "!" + issue.place.member);
  return report;
}

/// An archive that is cut off may have defined anything else.
FileFacts factsOf(const Model& model, Monitor& monitor) {
  if (model.modules.empty() || model.container.damage || !model.container.exceeded.empty()) return {};
  return readFileFacts(model, monitor);
}

Result<check::Report> reportOf(const Model& model, Findings& findings, Monitor& monitor) {
  return reportOf(
      model, factsOf(model, monitor), findings, [](const Findings&) { return library::PackagePtr(); }, monitor);
}

/// Opens the file at `path` with only those members opened that contain findings; opening all of them takes longer than
/// the rules.
Result<library::PackagePtr> openNamed(const std::filesystem::path& path, const Model& model, const Findings& findings,
                                      const BudgetPtr& budget, Monitor& monitor) {
  std::set<std::string> names;
  for (const check::Finding& finding : findings.all())
    if (const File* const file = finding.place.member.empty() ? nullptr : model.find(finding.place.member))
      names.insert(file->path);
  if (findings.all().empty()) return library::PackagePtr();
  const std::string& inner = model.container.inner;
  for (std::size_t at = 0; at < inner.size();) {
    const std::size_t end = std::min(inner.find('!', at), inner.size());
    names.insert(inner.substr(at, end - at));
    at = end + 1;
  }
  auto package =
      library::open(path, monitor, {[&](const std::string& member) { return names.contains(member); }, {}, budget});
  if (!package && package.error().code() != ErrorCode::Cancelled) return library::PackagePtr();
  return package;
}

/// Returns whether the names in the archive show that the rules apply to it.
bool isForRules(ArchiveKind kind) {
  return kind == ArchiveKind::Mlf || kind == ArchiveKind::WrappedMlf || kind == ArchiveKind::DamagedMlf ||
         kind == ArchiveKind::MicroTvmProject;
}

/// Returns whether the rules apply to this archive, unlike to a kind that is opened as a library.
bool isForRules(const Model& model, const library::Package& package) {
  if (isForRules(model.container.kind) || model.container.kind == ArchiveKind::NotTar) return true;
  if (model.container.kind != ArchiveKind::Unknown) return false;
  if (!model.container.exceeded.empty() && isForRules(package.archive))
    return true; // opening was able to read all of it
  const bool foreign = std::any_of(package.diagnostics.begin(), package.diagnostics.end(),
                                   [](const Diagnostic& one) { return one.id == DiagnosticId::FileNotTvm; });
  return foreign || (model.container.damage && model.hasFolder("codegen/host"));
}
} // namespace

const library::PackageMember* findMember(const library::Package& package, std::string_view stored) {
  return lastMember(package, [&](const std::string& path) { return path == stored; });
}

std::optional<Ref> refOf(const library::Package& package, std::string_view inner, const File* file,
                         std::optional<uint64_t> offset) {
  const library::Package* const around = innerPackage(package, inner);
  if (!around) return std::nullopt;
  const library::PackageMember* const member = file ? findMember(*around, file->stored) : nullptr;
  return file && !member ? std::nullopt : std::optional(refIn(*around, member, offset));
}

Result<ArchivePtr> readArchive(const library::PackagePtr& package, Monitor& monitor) {
  if (package->image.format != container::Format::Tar) return ArchivePtr();
  Findings findings;
  BLOBSCOPE_TRY(model, readModel(package->bytes, findings, package->budget, monitor));
  if (!isForRules(model, *package)) return ArchivePtr();
  auto archive = std::make_shared<Archive>();
  archive->model = std::move(model);
  archive->facts = factsOf(archive->model, monitor);
  BLOBSCOPE_TRY(report,
                reportOf(archive->model, archive->facts, findings, [&](const Findings&) { return package; }, monitor));
  archive->report = std::move(report);
  return ArchivePtr(archive);
}

Result<check::Report> check(const library::PackagePtr& package, Monitor& monitor) {
  // --- 1. Archives to which the rules apply. ---
  BLOBSCOPE_TRY(archive, readArchive(package, monitor));
  if (archive) return archive->report;

  // --- 2. Everything else: the diagnostics of opening, and whether each blob can be encoded again. ---
  check::Report report = foundWhileOpening(*package);
  std::optional<Error> stopped;
  library::forEachPackage(package, [&](const library::PackagePtr& one) {
    for (const auto& blob : one->blobs) {
      if (stopped) return;
      const auto result = library::computeVerification(*blob, monitor);
      if (!result)
        stopped = result.error();
      else if (!result->identical)
        report.issues.push_back(
            check::issueOf({DiagnosticId::BlobNotIdentical, blob->ref(), {hexArg("at", *result->differsAt)}}));
    }
  });
  if (stopped) return std::move(*stopped);

  // --- 3. Functions that the system's loader calls. ---
  std::vector<library::PackagePtr> packages;
  library::forEachPackage(package, [&](const library::PackagePtr& one) { packages.push_back(one); });
  for (const library::PackagePtr& one : packages) {
    BLOBSCOPE_TRY(bad, requirements::findBadEntries(one->image, monitor));
    for (const std::string& sentence : bad)
      report.issues.push_back(check::issueOf({DiagnosticId::FileEntry, one->ref(Ref::file()), {{"what", sentence}}}));
  }
  report.sortWorstFirst();
  return report;
}

check::Report foundWhileOpening(const library::Package& package) {
  check::Report report;
  report.format = package.kind();
  for (const Diagnostic& diagnostic : package.diagnostics) report.issues.push_back(check::issueOf(diagnostic));
  report.sortWorstFirst();
  return report;
}

view::Details issueDetails(const check::Issue& issue) {
  view::DetailGroup group{"Finding", {}, {}, {}};
  const auto add = [&](std::string label, std::string value, bool code) {
    if (!value.empty()) group.rows.push_back({std::move(label), std::move(value), code, {}, {}});
  };
  add("Rule", issue.rule, true);
  group.rows.push_back({"Severity", std::string(severityName(issue.severity)), false, {}, issue.severity});
  add("Follows from", issue.because, true);
  add("Member", escaped(issue.place.member), false);
  add("JSON pointer", escaped(issue.place.pointer), true);
  if (issue.place.line) add("Line", std::to_string(*issue.place.line), false);
  if (issue.ref && issue.ref->at) {
    add("Byte", hexText(*issue.ref->at), true);
    group.rows.back().link = *issue.ref;
  }
  group.note = issue.message;
  view::Details out = {std::move(group)};
  if (!issue.quickFix.empty()) {
    out.push_back({"Quick fix", {}, {}, issue.quickFix});
    out.back().startsFix = true;
  } else if (!issue.fix.empty()) {
    out.push_back({"What to do", {}, {}, issue.fix});
  }
  return out;
}

Result<check::Report> checkArchive(const Bytes& file, Monitor& monitor) {
  Findings findings;
  BLOBSCOPE_TRY(model, readModel(file, findings, Budget::forFile(file.size()), monitor));
  return reportOf(model, findings, monitor);
}

Result<check::Report> checkFile(const std::filesystem::path& path, Monitor& monitor,
                                std::optional<uint64_t> memoryBytes) {
  // --- 1. Archives to which the rules apply: read, but not opened like libraries. ---
  const auto source = ByteSource::openFile(path);
  const Bytes bytes = source ? ByteSource::all(*source) : Bytes();
  const BudgetPtr budget = Budget::forFile(bytes.size(), memoryBytes);
  if (source) {
    Findings findings;
    BLOBSCOPE_TRY(model, readModel(bytes, findings, budget, monitor));
    if (isForRules(model.container.kind)) {
      const Opened named = [&](const Findings& all) { return openNamed(path, model, all, budget, monitor); };
      BLOBSCOPE_TRY(report, reportOf(model, factsOf(model, monitor), findings, named, monitor));
      if (const auto changed = (*source)->findChange())
        return Error(DiagnosticId::FileChanged, {hexArg("at", *changed)}, Ref::bytesAt(*changed));
      return report;
    }
  }

  // --- 2. Everything else. ---
  auto package = library::open(path, monitor, {{}, memoryBytes, {}});
  if (package) return check(*package, monitor);
  const ErrorCode code = package.error().code();
  if (code == ErrorCode::Io || code == ErrorCode::Cancelled) return package.takeError();

  // --- 3. A file that cannot be opened may still be an archive, or be intended as one. ---
  const bool meant = path.extension() == ".tar" || path.stem().extension() == ".tar" || path.extension() == ".tgz";
  if (!source && !(meant && source.error().id() == DiagnosticId::FileEmpty)) return package.takeError();
  Findings findings;
  BLOBSCOPE_TRY(model, readModel(bytes, findings, budget, monitor));
  const bool nothingRead = model.container.kind == ArchiveKind::NotTar || model.container.entries.empty();
  if (nothingRead && !meant) return package.takeError();
  return reportOf(model, findings, monitor);
}

} // namespace blobscope::mlf
