#include "core/mlf/check.h"

#include "core/base/text.h"
#include "core/library/files.h"
#include "core/library/linking.h"
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
  Locator(const Model& model, const FileFacts& facts) : m_model(model) {
    for (const ModuleFacts& module : facts.modules)
      if (module.graph && module.graph->document)
        m_parsed.try_emplace(module.graph->file, &module.graph->document->root);
  }

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
    std::optional<json::LocatedDocument> document; ///< of a file that was not read before
    std::vector<uint64_t> lineStarts;
  };

  const Text& textOf(const File& file) {
    const auto [found, isNew] = m_texts.try_emplace(&file);
    Text& text = found->second;
    if (!isNew) return text;
    if (file.path == "metadata.json") {
      if (m_model.metadata) text.root = &m_model.metadata->root;
    } else if (const auto known = m_parsed.find(&file); known != m_parsed.end()) {
      text.root = known->second;
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
      } else if (last && pointer.empty()) {
        for (const auto& [name, member] : value->members())
          if (name == step) next = &member;
      } else {
        next = value->find(step);
      }
      if (!next) return value;
      value = next;
    }
    return value;
  }

  const Model& m_model;
  std::unordered_map<const File*, const Value*> m_parsed; ///< graphs that were read before
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
  std::map<std::pair<std::string_view, std::string>, std::size_t> ofPlaces; // rule and place → its first sentence
  for (const check::Issue& issue : issues) {
    if (monitor.stopRequested()) return;
    if (isFixOfPlace(issue.rule)) {
      const auto [first, added] = ofPlaces.try_emplace({issue.rule, issue.place.text()}, sentences.size());
      if (!added) {
        sentences.push_back(sentences[first->second]);
        continue;
      }
    }
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
  checkMemory(model, facts, findings, monitor);
  checkLayout(model, findings, monitor);
  checkParameters(model, findings, monitor);
  checkGraphs(model, facts, findings, monitor);
  checkAcrossFiles(facts, findings, monitor);
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});

  BLOBSCOPE_TRY(package, opened(findings));
  check::Report report;
  report.format = "mlf";
  if (model.version > 0) report.version = model.version;
  Locator locator(model, facts);
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

// --- Files that are linked into one program ---

using library::LinkConflict;

/// "7 names", and the first of them.
std::string namesText(const LinkConflict& conflict) {
  constexpr std::size_t kShown = 10, kLength = 200;
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, conflict.names.size()); ++i)
    out += (i > 0 ? ", " : "") + escaped(conflict.names[i], kLength);
  if (conflict.count > kShown) out += " and " + groupedText(conflict.count - kShown) + " more";
  return out;
}

/// Makes findings of conflicts. `titles`: of the files.
class ConflictWriter {
public:
  explicit ConflictWriter(std::vector<std::string> titles) : m_titles(std::move(titles)) {}

  check::Issue issueOf(const LinkConflict& conflict) const {
    check::Finding finding{ruleOf(conflict), {}, argumentsOf(conflict)};
    check::Issue issue = check::issueOf(finding);
    if (isOfOneFile(conflict)) {
      const LinkConflict::Place& last = conflict.places[1];
      for (const std::string& member : last.ref.members)
        issue.place.member += (issue.place.member.empty() ? "" : "!") + member;
      issue.ref = last.ref;
    }
    if (conflict.kind != LinkConflict::Kind::Machine) issue.names = conflict.names;
    return issue;
  }

private:
  using Kind = LinkConflict::Kind;

  static bool isOfOneFile(const LinkConflict& conflict) {
    return std::ranges::all_of(conflict.places,
                               [&](const auto& place) { return place.file == conflict.places.front().file; });
  }

  static Rule ruleOf(const LinkConflict& conflict) {
    switch (conflict.kind) {
    case Kind::Duplicate:
    case Kind::Unused: return Rule::LinkDuplicate;
    case Kind::IfTaken: return conflict.registers || isOfOneFile(conflict) ? Rule::LinkDuplicate : Rule::LinkShadowed;
    case Kind::Shadowed: return Rule::LinkShadowed;
    case Kind::Prefix: return Rule::LinkPrefix;
    case Kind::Machine: break;
    }
    return Rule::LinkMachine;
  }

  std::string titleOf(const LinkConflict& conflict, std::size_t number) const {
    const LinkConflict::Place& place = conflict.places[number];
    return escaped(place.ref.members.empty() ? m_titles[place.file] : place.ref.members.back(), 200);
  }

  /// "a.o and b.o both", "a.o, b.o and c.o all".
  std::string whoText(const LinkConflict& conflict) const {
    constexpr std::size_t kShown = 5;
    const std::size_t shown = std::min(kShown, conflict.places.size());
    const bool rest = conflict.placeCount > shown;
    std::string out;
    for (std::size_t i = 0; i < shown; ++i)
      out += (i == 0 ? "" : i + 1 == shown && !rest ? " and " : ", ") + titleOf(conflict, i);
    if (rest) out += " and " + groupedText(conflict.placeCount - shown) + " more";
    return out + (conflict.placeCount == 2 ? " both" : " all");
  }

  std::vector<Argument> argumentsOf(const LinkConflict& conflict) const {
    if (conflict.kind == Kind::Machine)
      return {{"a", titleOf(conflict, 0)},
              {"first", conflict.names[0]},
              {"b", titleOf(conflict, 1)},
              {"second", conflict.names[1]}};
    if (conflict.kind == Kind::Prefix) {
      const std::string prefix = escaped(conflict.names.front(), 200);
      return {{"who", whoText(conflict)},
              {"library", prefix.empty() ? "a system library without a prefix" : "the system library '" + prefix + "'"},
              {"what", prefix.empty() ? "system_lib() finds only one of them"
                                      : "system_lib(\"" + prefix + "\") finds only one of them"}};
    }
    return {{"who", whoText(conflict)},
            {"count", countText(conflict.count, "name")},
            {"names", namesText(conflict)},
            {"what", whatText(conflict)}};
  }

  std::string whatText(const LinkConflict& conflict) const {
    const std::string duplicate =
        conflict.count == 1 ? "reports a duplicate symbol" : "reports each of them as a duplicate symbol";
    constexpr std::string_view kWhole = "whole archives (--whole-archive, -all_load, /WHOLEARCHIVE)";
    switch (conflict.kind) {
    case Kind::Duplicate: return "a linker " + duplicate;
    case Kind::Unused:
      return "a linker that takes " + std::string(kWhole) + " " + duplicate + "; any other uses only " +
             titleOf(conflict, 0);
    case Kind::IfTaken:
      if (conflict.registers)
        return "a linker that takes " + std::string(kWhole) + ", as system libraries need, " + duplicate;
      return "a linker " + duplicate + " when it needs members of both, or takes " + std::string(kWhole);
    case Kind::Shadowed: return "the program uses only those of " + titleOf(conflict, 0);
    case Kind::Prefix:
    case Kind::Machine: break;
    }
    return {};
  }

  std::vector<std::string> m_titles;
};

/// The names of the files alone, if no two are equal.
std::vector<std::string> withoutFolders(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::string name = path.substr(path.find_last_of("/\\") + 1); // 0 without a folder
    if (!seen.insert(name).second) return paths;
    out.push_back(std::move(name));
  }
  return out;
}

/// The findings about the members of one file.
Result<Done> addConflicts(const library::PackagePtr& package, check::Report& report, Monitor& monitor) {
  if (package->members.empty()) return Done{};
  BLOBSCOPE_TRY(conflicts, library::computeLinkConflicts({&package, 1}, monitor));
  const ConflictWriter writer({package->path});
  for (const LinkConflict& conflict : conflicts) report.issues.push_back(writer.issueOf(conflict));
  return Done{};
}

/// The findings about several files that are linked together, without those about the members of one.
Result<std::vector<check::Issue>> conflictsOf(const std::vector<library::PackagePtr>& files,
                                              const std::vector<std::string>& titles, bool folder, Monitor& monitor) {
  std::vector<check::Issue> out;
  BLOBSCOPE_TRY(conflicts, library::computeLinkConflicts(files, monitor));
  const ConflictWriter writer(folder ? titles : withoutFolders(titles));
  for (const LinkConflict& conflict : conflicts) {
    const bool one =
        std::ranges::all_of(conflict.places, [&](const auto& place) { return place.file == conflict.places[0].file; });
    // Files in a folder may be for several machines, and shared libraries of it are loaded one at a time.
    const bool usual = conflict.kind == LinkConflict::Kind::Machine || conflict.kind == LinkConflict::Kind::Shadowed;
    if (!one && !(folder && usual)) out.push_back(writer.issueOf(conflict));
  }
  return out;
}

/// Whether the file or a member of it is an object, so that it can be linked.
bool isLinkable(const library::PackagePtr& package) {
  bool found = false;
  library::forEachPackage(
      package, [&](const library::PackagePtr& one) { found = found || one->image.kind == container::Kind::Object; });
  return found;
}

/// Checks the file at `path`, which is not a folder of other files.
Result<check::Report> checkOne(const std::filesystem::path& path, Monitor& monitor,
                               std::optional<uint64_t> memoryBytes);

/// Each file of a folder, and what keeps its objects and archives from being linked into one program. Nothing when no
/// file is in a format that is opened.
Result<std::optional<check::Report>> checkFolder(const std::filesystem::path& path, Monitor& monitor,
                                                 std::optional<uint64_t> memoryBytes) {
  check::Report report;
  report.format = "folder";
  uint64_t opened = 0;
  BLOBSCOPE_TRY(found, library::listFiles({path}, monitor));
  std::vector<library::PackagePtr> linked;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < found.size(); ++i) {
    monitor.progress("checking files", i, found.size());
    auto package = library::open(found[i].path, monitor, {{}, memoryBytes, {}});
    if (!package) {
      if (package.error().code() == ErrorCode::Cancelled) return package.takeError();
      continue; // in no format that is opened
    }
    ++opened;
    BLOBSCOPE_TRY(one, check(*package, monitor));
    for (check::Issue& issue : one.issues) {
      issue.place.member = found[i].shown + (issue.place.member.empty() ? "" : "!" + issue.place.member);
      issue.ref.reset(); // refs name places in one opened file
      report.issues.push_back(std::move(issue));
    }
    if (!isLinkable(*package)) continue;
    linked.push_back(*package);
    titles.push_back(found[i].shown);
  }
  if (opened == 0) return std::optional<check::Report>();
  BLOBSCOPE_TRY(conflicts, conflictsOf(linked, titles, true, monitor));
  report.add(conflicts);
  return std::optional(std::move(report));
}

/// What keeps `path` and the files of `with` from being linked into one program.
Result<std::vector<check::Issue>> linkedWith(const std::filesystem::path& path,
                                             const std::vector<std::filesystem::path>& with, Monitor& monitor,
                                             std::optional<uint64_t> memoryBytes) {
  std::vector<std::filesystem::path> all = {path};
  all.insert(all.end(), with.begin(), with.end());
  std::vector<library::PackagePtr> files;
  std::vector<std::string> titles;
  for (const std::filesystem::path& one : all) {
    BLOBSCOPE_TRY(found, library::listFiles({one}, monitor));
    for (const library::ListedFile& file : found) {
      std::error_code failure;
      if (&one != &all.front() && std::filesystem::equivalent(file.path, path, failure)) continue;
      auto package = library::open(file.path, monitor, {{}, memoryBytes, {}});
      if (!package) {
        if (package.error().code() == ErrorCode::Cancelled || !file.inFolder) return package.takeError();
        continue;
      }
      if (file.inFolder && !isLinkable(*package)) continue;
      files.push_back(*package);
      titles.push_back(file.shown);
    }
  }
  return conflictsOf(files, titles, false, monitor);
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
  BLOBSCOPE_CHECK(addConflicts(package, report, monitor));
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
                                std::optional<uint64_t> memoryBytes, const std::vector<std::filesystem::path>& with) {
  auto report = checkOne(path, monitor, memoryBytes);
  std::error_code failure;
  if (!report && report.error().id() == DiagnosticId::FileNotRegular && std::filesystem::is_directory(path, failure)) {
    BLOBSCOPE_TRY(files, checkFolder(path, monitor, memoryBytes));
    if (files) report = std::move(*files);
  }
  if (!report || with.empty()) return report;
  BLOBSCOPE_TRY(conflicts, linkedWith(path, with, monitor, memoryBytes));
  report->add(conflicts);
  return report;
}

namespace {

Result<check::Report> checkOne(const std::filesystem::path& path, Monitor& monitor,
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

} // namespace

} // namespace blobscope::mlf
