#include "core/library/open.h"

#include "core/base/limits.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/container/archive/archive.h"
#include "core/container/carrier.h"
#include "core/container/container.h"
#include "core/library/files.h"
#include "core/library/native.h"
#include "core/library/unresolved.h"
#include "core/payloads/params/params.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::library {
namespace {

/// Returns one text per carrier that makes its refs unique: empty for the only blob, else the prefix, or the whole
/// symbol name when two carriers share a prefix (libraries made by hand for two generations of loaders).
std::vector<std::string> refPrefixes(const std::vector<container::Carrier>& carriers) {
  std::vector<std::string> prefixes;
  for (const container::Carrier& carrier : carriers) {
    const auto sharing = std::count_if(carriers.begin(), carriers.end(),
                                       [&](const auto& other) { return other.prefix == carrier.prefix; });
    if (carriers.size() == 1)
      prefixes.emplace_back();
    else
      prefixes.push_back(sharing == 1 ? carrier.prefix : carrier.symbol);
  }
  return prefixes;
}

void append(std::vector<Diagnostic>& to, const std::vector<Diagnostic>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Whether nothing in the blob is damaged and it ends where its header says.
bool isWholeBlob(const Bytes& bytes, Budget& budget, Monitor& monitor) {
  container::Carrier carrier;
  carrier.name = container::CarrierName::FfiLibraryBin2;
  carrier.available = bytes;
  auto blob = openBlob(carrier, {}, budget, monitor);
  if (!blob || blob->bytes.size() != bytes.size() || !blob->cut.complete) return false;
  return std::none_of(blob->diagnostics.begin(), blob->diagnostics.end(),
                      [](const Diagnostic& diagnostic) { return diagnostic.severity() == Severity::Error; });
}

/// Returns the role of a member: by its path in a Model Library Format archive, else by its content.
std::string_view roleOf(const container::Member& stored, const Package* package, ArchiveKind around) {
  using Type = container::Member::Type;
  switch (stored.type) {
  case Type::Folder: return "folder";
  case Type::Link: return "link";
  case Type::AppleDouble: return "apple-double";
  case Type::Slice: return "slice";
  case Type::Other: return "other";
  case Type::File: break;
  }
  if (around == ArchiveKind::Mlf || around == ArchiveKind::WrappedMlf || around == ArchiveKind::DamagedMlf) {
    const std::string path = normalisedPath(stored.path);
    const std::string_view role = roleInMlf(
        around == ArchiveKind::WrappedMlf ? std::string_view(path).substr(path.find('/') + 1) : std::string_view(path));
    if (!role.empty()) return role;
  }
  if (!package) return "other";
  switch (package->image.kind) {
  case container::Kind::Object: return "object";
  case container::Kind::Archive: return "archive";
  case container::Kind::Text: return "source";
  case container::Kind::Other: return package->image.format == container::Format::Raw ? package->kind() : "other";
  default: return "library";
  }
}

class Opener {
public:
  Opener(BudgetPtr budget, Monitor& monitor, const MemberFilter& wanted)
      : m_budget(std::move(budget)), m_monitor(monitor), m_wanted(wanted) {}

  Result<std::shared_ptr<Package>> open(const Bytes& bytes, std::string path, std::vector<std::string> memberPath) {
    auto package = std::make_shared<Package>();
    package->path = std::move(path);
    package->bytes = bytes;
    package->memberPath = std::move(memberPath);
    package->budget = m_budget;
    package->charge = std::make_shared<Charge>(m_budget);

    // --- 1. Container: sections, segments, symbols, members. ---
    BLOBSCOPE_TRY(image, container::readImage(package->bytes, m_budget, m_monitor));
    package->image = std::move(image);
    append(package->diagnostics, package->image.diagnostics);

    // --- 2. Carriers and their blobs. ---
    const container::IsBlob isBlob = [this](const Bytes& blob) { return isWholeBlob(blob, *m_budget, m_monitor); };
    BLOBSCOPE_TRY(carriers, container::carriersOf(package->image, isBlob, m_budget, package->diagnostics, m_monitor));
    const std::vector<std::string> prefixes = refPrefixes(carriers);
    for (std::size_t i = 0; i < carriers.size(); ++i) {
      BLOBSCOPE_TRY(blob, openBlob(carriers[i], prefixes[i], *m_budget, m_monitor, package->memberPath));
      append(package->diagnostics, blob.diagnostics);
      m_leftOut += blob.moreDiagnostics;
      package->blobs.push_back(std::make_shared<const Blob>(std::move(blob)));
    }

    if (package->kind() == "params")
      if (const auto params = payloads::readParams(package->bytes); !params)
        package->diagnostics.push_back(params.error().diagnostic());

    // --- 3. Host code. ---
    BLOBSCOPE_TRY(host, host::readHost(package->image, m_monitor));
    package->host = std::move(host);
    const bool hasBlobs = !package->blobs.empty();
    BLOBSCOPE_TRY(producer, findProducer(package->image, package->host, hasBlobs, m_monitor));
    package->producer = std::move(producer);
    package->file = fileKindOf(package->image, package->host, hasBlobs, package->producer);
    limitDiagnostics(*package);
    for (Diagnostic& diagnostic : package->diagnostics) diagnostic.place.members = package->memberPath;
    m_anyTvm = m_anyTvm || !package->blobs.empty() || package->host.abi || package->kind() == "params" ||
               package->file == FileKind::Runtime || !registrationWords(*package).empty();
    m_anyFunction = m_anyFunction || !package->host.functions.empty() || !registrationWords(*package).empty();

    // --- 4. Members. ---
    if (package->image.kind == container::Kind::Archive && package->image.format != container::Format::Universal) {
      std::vector<std::string> paths;
      for (const container::Member& member : package->image.members)
        if (member.type == container::Member::Type::File) paths.push_back(normalisedPath(member.path));
      package->archive = recogniseArchive(paths);
      m_anyTvm = m_anyTvm || isOfTvm(package->archive);
    }
    BLOBSCOPE_CHECK(openMembers(*package));
    // Objects and slices of one library have one producer; a wheel or an application may have libraries of many.
    if (package->image.kind == container::Kind::Archive && package->image.format != container::Format::Zip)
      for (const PackageMember& member : package->members)
        if (!package->producer && member.package && member.package->producer &&
            member.package->file == FileKind::Library)
          package->producer = member.package->producer;
    return package;
  }
  bool sawTvm() const { return m_anyTvm; }
  /// Whether a runtime could call a function of the file or its members.
  bool sawFunction() const { return m_anyFunction; }
  /// The number of findings that were omitted from the diagnostics.
  uint64_t leftOut() const { return m_leftOut; }

private:
  /// Keeps only the first findings when the names of the members around them, which each finding stores, need too much
  /// memory.
  void limitDiagnostics(Package& package) {
    constexpr std::size_t kKept = 8;
    std::vector<Diagnostic>& found = package.diagnostics;
    uint64_t names = 0;
    for (const std::string& around : package.memberPath) names += around.size();
    if (found.size() <= kKept || package.charge->add(names * found.size() * (package.memberPath.size() + 1))) return;
    m_leftOut += found.size() - kKept;
    found.erase(found.begin() + kKept, found.end());
  }

  Result<Done> openMembers(Package& package) {
    std::unordered_map<std::string, unsigned> used;
    uint64_t done = 0;
    for (const container::Member& stored : package.image.members) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_monitor.progress("opening members", done++, package.image.members.size());
      // The member, its package and its refs store the name, together with the names of the members around it.
      uint64_t cost = limits::kMemberCost + 6 * stored.path.size();
      for (const std::string& around : package.memberPath) cost += around.size();
      if (!package.charge->add(cost)) {
        package.diagnostics.push_back(m_budget->memoryExceeded("of members to open", cost, package.ref(Ref::file())));
        break;
      }
      PackageMember member;
      member.stored = &stored;
      const unsigned before = used[stored.path]++;
      member.name = before == 0 ? stored.path : stored.path + "-" + std::to_string(before + 1);
      const bool readable =
          stored.type == container::Member::Type::File || stored.type == container::Member::Type::Slice;
      if (readable && !stored.bytes.empty() && (!m_wanted || m_wanted(normalisedPath(stored.path)))) {
        std::vector<std::string> path = package.memberPath;
        path.push_back(member.name);
        const Ref place = [&] {
          Ref ref;
          ref.members = path;
          return ref;
        }();
        if (path.size() > limits::kNesting) {
          package.diagnostics.push_back({DiagnosticId::FileNesting,
                                         place,
                                         {arg("member", member.name), arg("limit", uint64_t{limits::kNesting})}});
        } else {
          auto opened = open(stored.bytes, stored.path, std::move(path));
          if (opened) {
            append(package.diagnostics, (*opened)->diagnostics);
            member.package = std::move(*opened);
          } else if (opened.error().code() == ErrorCode::Cancelled) {
            return opened.takeError();
          } else if (opened.error().id() == DiagnosticId::FileLeftover && package.image.members.size() == 1 &&
                     package.image.format == container::Format::Raw) {
            return opened.takeError(); // compressed: what is unpacked is the file
          } else if (opened.error().id() != DiagnosticId::FileKind &&
                     (opened.error().id() != DiagnosticId::FileLeftover || hasLibraryName(stored.path))) {
            package.diagnostics.push_back(
                {DiagnosticId::FileMember, place, {arg("member", member.name), {"reason", opened.error().message()}}});
          }
        }
      }
      member.role = roleOf(stored, member.package.get(), package.archive);
      package.members.push_back(std::move(member));
      if (package.diagnostics.size() > 2 * limits::kDiagnostics) {
        m_leftOut += package.diagnostics.size() - 2 * limits::kDiagnostics;
        package.diagnostics.erase(package.diagnostics.begin() + 2 * limits::kDiagnostics, package.diagnostics.end());
      }
    }
    return Done{};
  }

  BudgetPtr m_budget;
  Monitor& m_monitor;
  const MemberFilter& m_wanted;
  bool m_anyTvm = false, m_anyFunction = false;
  uint64_t m_leftOut = 0;
};

} // namespace

std::string_view Package::kind() const {
  if (image.format == container::Format::Raw && image.kind != container::Kind::Archive)
    return blobs.empty() ? "params" : "blob";
  if (file == FileKind::Runtime) return "runtime";
  // Host code as C source is what a linked library has; an array with a blob is an object.
  if (image.kind == container::Kind::Text) return blobs.empty() && !host.functions.empty() ? "library" : "objects";
  if (image.kind == container::Kind::Object) return "objects";
  if (image.kind != container::Kind::Archive || image.format == container::Format::Universal) return "library";
  switch (archive) {
  case ArchiveKind::Mlf:
  case ArchiveKind::WrappedMlf:
  case ArchiveKind::DamagedMlf: return "mlf";
  case ArchiveKind::ClassicTvmc:
  case ArchiveKind::VmTvmc: return "tvmc";
  case ArchiveKind::TvmcModel: return "tvmc-model";
  case ArchiveKind::MicroTvmProject: return "microtvm";
  default: break;
  }
  return "objects";
}

Result<const Package*> memberIn(const Package& package, const Ref& ref) {
  const Package* inner = &package;
  for (const std::string& name : ref.members) {
    const PackageMember* const found = inner->findMember(name);
    if (found && found->package) {
      inner = found->package.get();
      continue;
    }
    const std::string reason =
        found ? "member '" + escaped(name) + "' is not a container; its bytes are member:" + escaped(name)
        : inner->members.empty() ? "the file is not an archive and has no members"
                                 : "no member is called '" + escaped(name) + "'";
    return Error(DiagnosticId::RefNotFound, {arg("ref", ref.toString()), {"reason", reason}}, ref);
  }
  return inner;
}

Result<PackagePtr> memberOf(const PackagePtr& package, const Ref& ref) {
  BLOBSCOPE_TRY(inner, memberIn(*package, ref));
  return PackagePtr(package, inner); // the outer package keeps the inner one
}

const PackageMember* Package::findMember(std::string_view name) const {
  for (const PackageMember& member : members)
    if (member.name == name) return &member;
  const std::string plain = normalisedPath(name);
  for (const PackageMember& member : members)
    if (member.name.starts_with("./") && normalisedPath(member.name) == plain) return &member;
  return nullptr;
}

void forEachPackage(const PackagePtr& package, const std::function<void(const PackagePtr&)>& visit) {
  visit(package);
  for (const PackageMember& member : package->members)
    if (member.package) forEachPackage(member.package, visit);
}

std::optional<Severity> Package::worst() const {
  std::optional<Severity> worst;
  for (const Diagnostic& diagnostic : diagnostics)
    if (!worst || diagnostic.severity() < *worst) worst = diagnostic.severity();
  return worst;
}

Result<PackagePtr> open(const std::filesystem::path& path, Monitor& monitor, const OpenOptions& options) {
  longWork("library::open");
  monitor.progress("opening the file", 0, 0);
  std::error_code unreadable;
  if (std::filesystem::is_directory(path, unreadable)) {
    const Error other(DiagnosticId::FileNotRegular,
                      {{"path", shownPath(pathText(path))}, arg("what", "folder without an unpacked archive in it")});
    // The names decide before anything is read, since a folder can be large.
    BLOBSCOPE_TRY(files, container::listFolder(path, monitor));
    if (recogniseArchive(files) == ArchiveKind::Unknown) return other;
    BLOBSCOPE_TRY(packed, container::packFolder(path, limits::kFolderBytes, monitor));
    BLOBSCOPE_TRY(package, open(ByteSource::fromBuffer(std::move(packed)), pathText(path), monitor, options));
    if (package->archive == ArchiveKind::Unknown) return other;
    return package;
  }
  BLOBSCOPE_TRY(source, ByteSource::openFile(path));
  return open(source, pathText(path), monitor, options);
}

Result<PackagePtr> openPrivate(const std::filesystem::path& path, Monitor& monitor, const OpenOptions& options) {
  std::error_code unreadable;
  if (std::filesystem::is_directory(path, unreadable)) return open(path, monitor, options);
  monitor.progress("opening the file", 0, 0);
  BLOBSCOPE_TRY(source, ByteSource::openPrivate(path, limits::kPrivateBytes));
  return open(source, pathText(path), monitor, options);
}

Result<Done> checkUnchanged(const Package& package) {
  const ByteSource* const source = package.bytes.owner().get();
  const auto changed = source ? source->findChange() : std::nullopt;
  if (changed) return Error(DiagnosticId::FileChanged, {hexArg("at", *changed)}, Ref::bytesAt(*changed));
  return Done{};
}

Result<PackagePtr> open(const std::shared_ptr<const ByteSource>& source, std::string name, Monitor& monitor,
                        const OpenOptions& options) {
  longWork("library::open");
  const BudgetPtr budget =
      options.budget ? options.budget : Budget::forFile(source->view().size(), options.memoryBytes);
  Opener opener(budget, monitor, options.wanted);
  auto opened = opener.open(ByteSource::all(source), std::move(name), {});
  if (!opened) {
    if (const auto changed = source->findChange())
      return Error(DiagnosticId::FileChanged, {hexArg("at", *changed)}, Ref::bytesAt(*changed));
    return opened.takeError();
  }
  const std::shared_ptr<Package>& package = *opened;
  if (!opener.sawTvm())
    package->diagnostics.push_back({DiagnosticId::FileNotTvm, Ref::file(), {}});
  else if (package->kind() == "library" && package->blobs.empty() && package->image.members.empty() &&
           !opener.sawFunction())
    package->diagnostics.push_back({DiagnosticId::FileHostOnly, Ref::file(), {}});

  BLOBSCOPE_TRY(calls, callDiagnostics(package, monitor));
  append(package->diagnostics, calls);

  // Checks that the file was not replaced or changed.
  if (const auto changed = source->findChange())
    package->diagnostics.insert(package->diagnostics.begin(),
                                {DiagnosticId::FileChanged, Ref::bytesAt(*changed), {hexArg("at", *changed)}});
  uint64_t left = opener.leftOut();
  if (package->diagnostics.size() > limits::kDiagnostics) {
    left += package->diagnostics.size() - limits::kDiagnostics;
    package->diagnostics.erase(package->diagnostics.begin() + limits::kDiagnostics, package->diagnostics.end());
  }
  if (left > 0) package->diagnostics.push_back({DiagnosticId::FileMoreDiagnostics, Ref::file(), {arg("count", left)}});
  return PackagePtr(package);
}

} // namespace blobscope::library
