#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/targets/name_finder.h"
#include "core/targets/release_runtime.h"
#include "core/targets/runtime_files.h"

#include <algorithm>
#include <array>
#include <limits>

namespace blobscope::targets {
namespace {

using State = Availability::State;
using Names = std::set<std::string, std::less<>>;

/// What one library of a runtime contains.
struct Library {
  std::string name; ///< "libtvm_runtime"
  std::string file; ///< "libtvm_runtime.so"
  FoundNames names; ///< of the tables, and with prefixes that only functions have
  Names exports;    ///< TVM… and TVMFFI…
  std::string cuda; ///< version of the CUDA runtime that it is linked with: "13.0"; empty when there is none
  std::string architecture;
};

/// How many names of a release a runtime has.
struct Fit {
  std::size_t release = 0;
  uint64_t present = 0, expected = 0, foreign = 0;
  int64_t score() const { return static_cast<int64_t>(2 * present) - static_cast<int64_t>(expected + foreign); }
};

/// "13.0" when the library needs libcudart.so.13: the CUDA runtime works with the drivers of its major version. Source:
/// NVIDIA, CUDA Compatibility, "Minor Version Compatibility".
std::string cudaVersionOf(std::string_view bytes) {
  constexpr std::string_view kName = "libcudart.so.";
  for (std::size_t at = bytes.find(kName); at != std::string_view::npos; at = bytes.find(kName, at + 1)) {
    const std::string_view rest = bytes.substr(at + kName.size(), 5); // "13", "11.0"
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 && digits < 4) return std::string(rest.substr(0, digits)) + ".0";
  }
  return {};
}

bool isCompiler(std::string_view library) {
  return library == "libtvm_compiler" || library.starts_with("libtvm_tirx_");
}

class DiskRuntime final : public ReleaseRuntime {
public:
  DiskRuntime(FactsPtr facts, std::string path) : ReleaseRuntime(std::move(facts), std::nullopt, {}, {}) {
    m_name = std::move(path);
  }
  /// Reads the libraries. PRE-RUNTIME when they contain no runtime; Cancelled.
  Result<Done> read(RuntimeFiles files, Monitor& monitor);

  bool onDisk() const override { return true; }
  std::vector<std::string> evidence() const override { return m_evidence; }
  Availability function(std::string_view name) const override;
  std::vector<std::string> carriers() const override;
  Availability slot(std::string_view name) const override;
  Availability symbol(std::string_view name) const override;
  Availability library(std::string_view name) const override;
  std::optional<WrongFfi> wrongFfi() const override { return m_wrongFfi; }
  std::vector<std::string> architectures() const override { return m_architectures; }
  std::optional<uint32_t> oldestDriver() const override;

private:
  Result<Done> readLibrary(const RuntimeFile& file, const NameFinder& finder, Monitor& monitor);
  NameFinder makeFinder() const;
  bool isRuntime(const Library& library) const;
  Fit fitOf(std::size_t release) const;
  void findRelease(const std::vector<PythonPackage>& packages);
  void compareFfi(const std::vector<PythonPackage>& packages);
  void addEvidence(const Fit& fit);
  bool has(std::string_view library) const;
  const Library* findName(std::string_view name) const;
  bool mayRegister(const Library& library, uint32_t group) const;
  const Library* findRegistered(std::string_view name, const Registration& one) const;
  void findGroups();
  const Library* findExport(std::string_view name) const;

  std::vector<Library> m_libraries;
  std::vector<std::string> m_architectures, m_evidence;
  std::optional<WrongFfi> m_wrongFfi;
  bool m_python = false;
};

NameFinder DiskRuntime::makeFinder() const {
  NameFinder finder;
  for (const auto& [name, registrations] : tables().functions) finder.add(name);
  for (const auto& [name, releases] : tables().slots) finder.add(name);
  for (const RangedText& carrier : tables().carriers) finder.add(carrier.text);
  for (const RangedText& loader : tables().loaders) finder.addPrefix(loader.text);
  finder.addPrefix("device_api.");
  finder.addPrefix("vm.builtin.");
  return finder;
}

Result<Done> DiskRuntime::readLibrary(const RuntimeFile& file, const NameFinder& finder, Monitor& monitor) {
  auto image = container::readImage(file.bytes, monitor);
  if (!image) {
    if (image.error().code() == ErrorCode::Cancelled) return image.takeError();
    return Done{}; // not a library; when no other is one, the runtime is not found
  }
  Library library;
  library.name = libraryName(file.name);
  library.file = file.name;
  library.architecture = image->arch;
  BLOBSCOPE_TRY(names, finder.find(*image, monitor));
  library.names = std::move(names);
  if (library.names.known.contains("device_api.cuda")) library.cuda = cudaVersionOf(file.bytes.view());
  uint64_t count = 0;
  for (const container::Symbol& symbol : image->symbols) {
    if (++count % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::string_view name = image->plainName(symbol);
    const bool exported = symbol.defined && symbol.binding != container::Binding::Local &&
                          (symbol.dynamic || image->format == container::Format::Wasm);
    if (exported && name.starts_with("TVM") && name.size() < 200) library.exports.emplace(name);
  }
  m_libraries.push_back(std::move(library));
  return Done{};
}

bool DiskRuntime::has(std::string_view library) const {
  return std::ranges::any_of(m_libraries, [&](const Library& one) { return one.name == library; });
}

const Library* DiskRuntime::findName(std::string_view name) const {
  const auto found =
      std::ranges::find_if(m_libraries, [&](const Library& library) { return library.names.known.contains(name); });
  return found == m_libraries.end() ? nullptr : &*found;
}

const Library* DiskRuntime::findExport(std::string_view name) const {
  const auto found =
      std::ranges::find_if(m_libraries, [&](const Library& library) { return library.exports.contains(name); });
  return found == m_libraries.end() ? nullptr : &*found;
}

/// Whether functions of the group are registered in that library. Others have their names, too, to call them.
bool DiskRuntime::mayRegister(const Library& library, uint32_t group) const {
  const std::string& name = tables().groups[group];
  if (name == "python") return false;
  const bool compiler = isCompiler(library.name);
  if (compiler || name == "compiler") return name == "compiler" && (compiler || !library.name.starts_with("libtvm_"));
  if (!library.name.starts_with("libtvm_")) return true; // all in one, or an app
  const std::string own = libraryOf(group);
  return own.empty() ? !library.name.starts_with("libtvm_runtime_") : own == library.name;
}

const Library* DiskRuntime::findRegistered(std::string_view name, const Registration& one) const {
  const std::string& group = tables().groups[one.group];
  if ((group.starts_with("USE_") || group == "WASM") && !m_groups.contains(one.group)) return nullptr;
  const auto found = std::ranges::find_if(m_libraries, [&](const Library& library) {
    return library.names.known.contains(name) && mayRegister(library, one.group);
  });
  return found == m_libraries.end() ? nullptr : &*found;
}

/// Finds the flags of the build. Code that calls functions of a flag has a few of their names; the runtime with the
/// flag has most of them.
void DiskRuntime::findGroups() {
  // The only function of its flag, and the random numbers of all builds ask for it. Source: apache/tvm v0.9.0 –
  // v0.26.0, src/runtime/contrib/random/random.cc.
  constexpr std::string_view kCalled = "runtime.contrib.curand.RandomFill";
  const std::size_t releases = m_facts->releases().size();
  std::vector<std::vector<uint64_t>> all(tables().groups.size(), std::vector<uint64_t>(releases)), found = all;
  for (const auto& [name, registrations] : tables().functions)
    for (const Registration& one : registrations) {
      const bool here = name != kCalled && std::ranges::any_of(m_libraries, [&](const Library& library) {
                          return library.names.known.contains(name) && mayRegister(library, one.group);
                        });
      for (const Range& range : one.releases)
        for (std::size_t i = range.first; i <= range.last; ++i) {
          ++all[one.group][i];
          if (here) ++found[one.group][i];
        }
    }
  for (uint32_t group = 0; group < tables().groups.size(); ++group) {
    std::size_t release = m_release.value_or(m_facts->newestRelease());
    while (release > 0 && all[group][release] == 0) --release;
    if (found[group][release] * 2 > all[group][release]) m_groups.insert(group);
  }
}

/// A runtime registers the processor as a device in every release; libtvm_ffi registers at least its containers.
bool DiskRuntime::isRuntime(const Library& library) const {
  if (library.names.known.contains("device_api.cpu")) return true;
  const auto ofFfi =
      std::ranges::count_if(library.names.known, [](const std::string& name) { return name.starts_with("ffi."); });
  return ofFfi >= 10;
}

Fit DiskRuntime::fitOf(std::size_t release) const {
  Fit fit{release};
  const auto count = [&](bool found, bool inRelease, bool always) {
    if (found && inRelease) ++fit.present;
    if (found && !inRelease) ++fit.foreign;
    if (inRelease && (always || found)) ++fit.expected;
  };
  const bool ffi =
      std::ranges::any_of(m_libraries, [](const Library& one) { return one.names.known.contains("ffi.Array"); });
  const bool core = findName("device_api.cpu") != nullptr;
  for (const auto& [name, registrations] : tables().functions) {
    const bool found = findName(name) != nullptr;
    bool inRelease = false, always = false;
    for (const Registration& one : registrations) {
      if (!contains(one.releases, release)) continue;
      inRelease = true;
      const std::string& group = tables().groups[one.group];
      always |= (group == "always" && core) || (group == "tvm-ffi" && ffi);
    }
    if (found || inRelease) count(found, inRelease, always);
  }
  for (const auto& [name, symbol] : tables().symbols) {
    const bool mine = symbol.library == "libtvm_ffi" ? ffi : core;
    count(findExport(name) != nullptr, contains(symbol.releases, release), mine);
  }
  for (const auto& [name, releases] : tables().slots) {
    const bool found = findName(name) != nullptr;
    count(found, contains(releases, release), core && ffi);
  }
  return fit;
}

void DiskRuntime::findRelease(const std::vector<PythonPackage>& packages) {
  Fit best;
  int64_t score = std::numeric_limits<int64_t>::min();
  for (std::size_t i = 0; i < m_facts->releases().size(); ++i) {
    const Fit fit = fitOf(i);
    // Of equal ones the newest, as its loaders are known.
    if (fit.score() >= score) {
      score = fit.score();
      best = fit;
    }
  }
  for (const PythonPackage& package : packages) {
    const auto stated =
        m_facts->findRelease(package.name == "apache-tvm-tirx" ? "tirx-" + package.version : package.version);
    if ((package.name != "apache-tvm" && package.name != "apache-tvm-tirx") || !stated) continue;
    // The package knows it. With a libtvm_ffi of another release, the names may fit that one better.
    const Fit fit = fitOf(*stated);
    if (fit.present * 2 >= fit.expected) best = fit;
  }
  // Half of its names is what a build without devices has in common with neighbouring releases.
  if (best.present * 2 >= best.expected) m_release = best.release;
  addEvidence(best);
  for (const PythonPackage& package : packages)
    m_evidence.push_back(package.name + " " + escaped(package.version) + " is installed");
  if (m_release) compareFfi(packages);
}

void DiskRuntime::addEvidence(const Fit& fit) {
  m_evidence.push_back("The files have " + groupedText(fit.present) + " of " + countText(fit.expected, "name") +
                       " of " + m_facts->releases()[fit.release].label +
                       (fit.foreign > 0 ? ", and " + groupedText(fit.foreign) + " that it does not have" : ""));
  for (const Library& library : m_libraries) {
    if (library.exports.empty()) continue;
    std::vector<std::size_t> same;
    for (std::size_t i = 0; i < m_facts->releases().size(); ++i) {
      bool equal = true, any = false;
      for (const auto& [name, symbol] : tables().symbols) {
        const bool exported = library.exports.contains(name);
        any |= exported;
        const bool there = contains(symbol.releases, i), maybe = contains(symbol.maybe, i);
        if (exported ? !there && !maybe : there && symbol.library == library.name) equal = false;
      }
      if (equal && any) same.push_back(i);
    }
    if (!same.empty())
      m_evidence.push_back(escaped(library.file) + " exports the symbols of " + m_facts->rangesText(same));
  }
  std::string names;
  for (const Library& library : m_libraries) names += (names.empty() ? "" : ", ") + escaped(library.file);
  m_evidence.push_back("It was read from " + names);
}

void DiskRuntime::compareFfi(const std::vector<PythonPackage>& packages) {
  const auto installed = std::ranges::find(packages, "apache-tvm-ffi", &PythonPackage::name);
  const auto& fits = m_facts->ffiFits();
  const auto fit = std::ranges::find(fits, *m_release, &FfiFit::release);
  if (installed == packages.end() || fit == fits.end()) return;
  const auto& known = m_facts->ffiReleases();
  const auto number = [&](const std::string& version) { return std::ranges::find(known, version) - known.begin(); };
  const auto found = number(installed->version);
  const std::string& first = fit->first.empty() ? fit->declared : fit->first;
  // A newer one than the tables know may fit.
  if (found == static_cast<std::ptrdiff_t>(known.size())) return;
  const bool fitsIt = found >= number(first) && (fit->last.empty() || found <= number(fit->last));
  if (fitsIt) return;
  std::string expected = first;
  if (fit->last.empty()) expected += " or later";
  if (!fit->last.empty() && fit->last != first) expected += " to " + fit->last;
  m_wrongFfi = {installed->version, std::move(expected)};
}

Result<Done> DiskRuntime::read(RuntimeFiles files, Monitor& monitor) {
  const NameFinder finder = makeFinder();
  uint64_t done = 0;
  for (const RuntimeFile& file : files.files) {
    monitor.progress("reading the runtime", ++done, files.files.size());
    BLOBSCOPE_CHECK(readLibrary(file, finder, monitor));
  }
  if (!std::ranges::any_of(m_libraries, [&](const Library& library) { return isRuntime(library); }))
    return Error(
        DiagnosticId::PreRuntime,
        {arg("name", m_name), {"why", "none of the functions that a runtime of TVM registers was found in it"}});
  // Libraries of an app that have nothing to do with TVM.
  std::erase_if(m_libraries, [&](const Library& library) {
    return !isRuntime(library) && !library.name.starts_with("libtvm") && library.exports.empty();
  });
  m_python = files.python;
  for (const Library& library : m_libraries)
    if (!library.architecture.empty() &&
        std::ranges::find(m_architectures, library.architecture) == m_architectures.end())
      m_architectures.push_back(library.architecture);
  findRelease(files.packages);
  findGroups();
  return Done{};
}

Availability DiskRuntime::function(std::string_view name) const {
  const auto present = [](const Library& library) {
    return Availability{State::Present, {}, library.name == "libtvm_runtime" ? std::string() : library.name};
  };
  const auto known = tables().functions.find(name);
  if (known == tables().functions.end()) {
    if (const Library* const library = findName(name)) return present(*library);
    if (isListedKind(name)) return {State::Absent};
    // Names that the tables do not have: a function of an app, or of a library for it.
    for (const Library& library : m_libraries)
      if (!isCompiler(library.name) && library.names.containsText(name)) return present(library);
    return {};
  }
  Availability out{State::Absent};
  for (const Registration& one : known->second) {
    if (const Library* const library = findRegistered(name, one)) return present(*library);
    if (!m_release || !contains(one.releases, *m_release)) continue;
    const std::string& group = tables().groups[one.group];
    if (group == "python" && m_python) return {State::Present, {}, "TVM's Python package"};
    // libtvm_ffi is a file of its own, which may be elsewhere.
    if (group == "tvm-ffi" && !has("libtvm_ffi") && libraryOf(one.group) == "libtvm_ffi")
      return {State::Present, {}, "libtvm_ffi"};
    out = {State::NeedsFlag, flagText(group), libraryOf(one.group)};
    if (group == "always") out.flag = "libtvm_runtime";
  }
  return out;
}

std::vector<std::string> DiskRuntime::carriers() const {
  std::vector<std::string> out;
  for (const RangedText& carrier : tables().carriers)
    if (findName(carrier.text)) out.push_back(carrier.text);
  return out.empty() ? ReleaseRuntime::carriers() : out;
}

Availability DiskRuntime::slot(std::string_view name) const {
  return findName(name) ? Availability{State::Present} : ReleaseRuntime::slot(name);
}

std::optional<uint32_t> DiskRuntime::oldestDriver() const {
  std::optional<uint32_t> out = ReleaseRuntime::oldestDriver();
  for (const Library& library : m_libraries)
    if (const auto driver = m_facts->driverOf(library.cuda)) out = std::max(out.value_or(0), *driver);
  return out;
}

Availability DiskRuntime::symbol(std::string_view name) const {
  if (const Library* const library = findExport(name)) return {State::Present, {}, library->name};
  const auto known = tables().symbols.find(name);
  if (known == tables().symbols.end()) return {};
  const bool fileIsHere = has(known->second.library);
  return fileIsHere ? Availability{State::Absent} : ReleaseRuntime::symbol(name);
}

Availability DiskRuntime::library(std::string_view name) const {
  const std::string wanted = libraryName(name);
  if (has(wanted)) return {State::Present};
  // Which libraries an app links into its own one is not known.
  return has("libtvm_runtime") ? ReleaseRuntime::library(name) : Availability{};
}

} // namespace

Result<RuntimePtr> readRuntime(const FactsPtr& facts, const std::filesystem::path& path, Monitor& monitor) {
  BLOBSCOPE_TRY(files, findRuntimeFiles(path, monitor));
  auto runtime = std::make_shared<DiskRuntime>(facts, pathText(path));
  BLOBSCOPE_CHECK(runtime->read(std::move(files), monitor));
  return RuntimePtr(std::move(runtime));
}

} // namespace blobscope::targets
