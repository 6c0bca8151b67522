#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/targets/release_runtime.h"
#include "core/targets/runtime_files.h"
#include "core/targets/runtime_library.h"

#include <algorithm>
#include <array>
#include <limits>

namespace blobscope::targets {
namespace {

using State = Availability::State;
using Library = RuntimeLibrary;

/// How many names of a release a runtime has.
struct Fit {
  std::size_t release = 0;
  uint64_t present = 0, expected = 0, foreign = 0;
  int64_t score() const { return static_cast<int64_t>(2 * present) - static_cast<int64_t>(expected + foreign); }
  /// Half of its names is what a build without devices has in common with neighbouring releases.
  bool isClose() const { return present * 2 >= expected; }
};

/// "13.0" when the library needs libcudart.so.13: the CUDA runtime works with the drivers of its major version. Wheels
/// may have a copy, whose name has a digest: "libcudart-24af1308.so.12.1.55". Source: NVIDIA, CUDA Compatibility,
/// "Minor Version Compatibility".
std::string cudaVersionOf(const Library& library) {
  for (const std::string_view name : library.needed) {
    const std::size_t at = name.find(".so.");
    if (at == std::string_view::npos || !(name.starts_with("libcudart.") || name.starts_with("libcudart-"))) continue;
    const std::string_view rest = name.substr(at + 4); // "13", "11.0"
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 && digits < 4) return std::string(rest.substr(0, digits)) + ".0";
  }
  return {};
}

/// Compilers, and libraries that are loaded only with one.
bool isCompiler(std::string_view library) {
  return library == "libtvm_compiler" || library.starts_with("libtvm_tirx_") || library == "libtilelang_module" ||
         library.starts_with("libtvm_ffi_");
}

/// Whether a symbol is one of TVM or tvm-ffi, which no other library defines.
bool isOfTvm(std::string_view symbol) { return symbol.starts_with("TVM") || symbol.find("N3tvm") < symbol.size(); }

/// The constants that the checks of executables name. Source: apache/tvm v0.6.1 – v0.26.0, src/runtime/vm/executable.cc
/// and src/runtime/relax_vm/executable.cc.
constexpr uint64_t kMagic = 0xD225DE2F4214151D;
constexpr std::array<std::pair<std::string_view, uint64_t>, 2> kMagics = {
    {{"kTVMVMBytecodeMagic", kMagic}, {"kTVMVMBytecodeMagicV2", kMagic + 1}}};
/// The version of executables of Relax in all releases; those of Relay name their release.
constexpr std::string_view kRelaxVersion = "0.14";

class DiskRuntime final : public ReleaseRuntime {
public:
  DiskRuntime(FactsPtr facts, std::string path) : ReleaseRuntime(std::move(facts), std::nullopt, {}, {}) {
    m_name = std::move(path);
  }
  /// Reads the libraries. PRE-RUNTIME when they contain no runtime; Cancelled.
  Result<Done> read(RuntimeFiles files, Monitor& monitor);

  bool onDisk() const override { return true; }
  std::optional<std::size_t> release() const override { return m_isClose ? m_release : std::nullopt; }
  std::vector<std::string> evidence() const override { return m_evidence; }
  Availability function(std::string_view name) const override;
  std::string loaderName(std::string_view key) const override;
  std::vector<std::string> carriers() const override;
  Availability slot(std::string_view name) const override;
  Availability symbol(std::string_view name) const override;
  Availability library(std::string_view name) const override;
  bool needsLibrary(std::string_view beginning) const override;
  std::vector<ArgumentCount> argumentCounts(std::string_view function) const override;
  std::optional<MachineFormat> relax() const override;
  std::optional<MachineFormat> relay() const override;
  bool readsLayout(std::string_view key, std::string_view layout) const override;
  Availability launchTag(std::string_view tag) const override;
  std::optional<WrongFfi> wrongFfi() const override { return m_wrongFfi; }
  std::optional<Broken> broken() const override;
  std::vector<std::string> architectures() const override { return m_architectures; }
  std::optional<uint32_t> oldestDriver() const override;
  bool linksObjects() const override { return !core() || core()->name != "libtvm_ffi"; }
  std::vector<std::string> packageConflicts() const override { return m_conflicts; }

private:
  NameFinder makeFinder() const;
  bool isRuntime(const Library& library) const;
  Fit fitOf(std::size_t release) const;
  void findRelease(const std::vector<PythonPackage>& packages);
  void compareFfi(const std::vector<PythonPackage>& packages);
  void addEvidence(const Fit& fit);
  void addPackages(const RuntimeFiles& files);
  void findMachines();
  const Library* find(std::string_view library) const;
  const Library* core() const;
  const Library* findName(std::string_view name) const;
  bool mayRegister(const Library& library, uint32_t group) const;
  const Library* findRegistered(std::string_view name, const Registration& one) const;
  void findGroups();
  const Library* findExport(std::string_view name) const;
  bool isVisible(const Library& library) const;
  Availability presentIn(const Library& library) const;
  std::optional<MachineFormat> machine(bool relay) const;

  NameFinder m_finder; ///< of the names of compilers, which are read later
  std::vector<Library> m_libraries;
  std::vector<Library> m_dependencies; ///< that were found beside the libraries
  std::vector<std::string> m_architectures, m_evidence, m_conflicts;
  std::optional<WrongFfi> m_wrongFfi;
  std::string m_loader; ///< what precedes the key in the names of its loaders
  MachineFormat m_relax, m_relay;
  bool m_python = false;
  bool m_isClose = false; ///< m_release fits it
  bool m_isExact = false; ///< and is its release: the package says so, or it has all names and no others
};

NameFinder DiskRuntime::makeFinder() const {
  NameFinder finder;
  for (const auto& [name, registrations] : tables().functions) finder.add(name);
  for (const auto& [name, releases] : tables().slots) finder.add(name);
  for (const RangedText& carrier : tables().carriers) finder.add(carrier.text);
  for (const RangedText& loader : tables().loaders) finder.addPrefix(loader.text);
  finder.addPrefix("device_api.");
  finder.addPrefix("vm.builtin.");
  finder.addPrefix("__TVM");
  return finder;
}

const Library* DiskRuntime::find(std::string_view library) const {
  const auto found = std::ranges::find(m_libraries, library, &Library::name);
  return found == m_libraries.end() ? nullptr : &*found;
}

/// The library that the system loads first: in environments with the compiler in one library, that one.
const Library* DiskRuntime::core() const {
  if (const Library* const whole = find("libtvm"); whole && m_python) return whole;
  for (const char* const name : {"libtvm_runtime", "libtvm"})
    if (const Library* const library = find(name)) return library;
  const auto found =
      std::ranges::find_if(m_libraries, [&](const Library& one) { return !one.isCompiler && isRuntime(one); });
  return found == m_libraries.end() ? nullptr : &*found;
}

const Library* DiskRuntime::findName(std::string_view name) const {
  const auto found = std::ranges::find_if(
      m_libraries, [&](const Library& library) { return !library.isCompiler && library.names().known.contains(name); });
  return found == m_libraries.end() ? nullptr : &*found;
}

/// Whether other libraries of the process see its symbols. Python loads the runtime and libtvm_ffi that way, and the
/// compiler and the side libraries not. Source: apache/tvm v0.25.0 python/tvm/base.py, backend/_autoload_backends.py.
bool DiskRuntime::isVisible(const Library& library) const {
  if (!m_python) return !isCompiler(library.name);
  return library.name == "libtvm_ffi" || &library == core() || library.name == "libtvm_runtime";
}

const Library* DiskRuntime::findExport(std::string_view name) const {
  const auto found = std::ranges::find_if(
      m_libraries, [&](const Library& library) { return isVisible(library) && library.has(name); });
  if (found != m_libraries.end()) return &*found;
  // What the runtime needs is in the process, too.
  const auto beside = std::ranges::find_if(m_dependencies, [&](const Library& library) { return library.has(name); });
  return beside == m_dependencies.end() ? nullptr : &*beside;
}

Availability DiskRuntime::presentIn(const Library& library) const {
  Availability out{State::Present, {}, library.name == "libtvm_runtime" ? std::string() : library.name};
  // Nothing of the runtime can be used then, which broken() says.
  if (library.state == Library::State::Loads || &library == core()) return out;
  out.needs = library.missing;
  out.missingHere = library.missingHere;
  out.state = library.state == Library::State::NeedsLibrary ? State::NeedsLibrary : State::Absent;
  if (out.state == State::Absent)
    out.why = escaped(library.file) + " has it, and cannot be loaded: undefined symbol: " + escaped(library.missing);
  return out;
}

/// Whether functions of the group are registered in that library. Others have their names, too, to call them.
bool DiskRuntime::mayRegister(const Library& library, uint32_t group) const {
  const std::string& name = tables().groups[group];
  if (name == "python") return false;
  const bool compiler = isCompiler(library.name) || (library.isCompiler && library.name == "libtvm");
  if (compiler || name == "compiler") return name == "compiler" && (compiler || !library.name.starts_with("libtvm_"));
  if (!library.name.starts_with("libtvm_")) return true; // all in one, or an app
  if (library.name == "libtvm_ffi") return name == "tvm-ffi";
  const std::string own = libraryOf(group);
  // A runtime that has no side libraries has their functions itself.
  return own.empty() || !find(own) ? !library.name.starts_with("libtvm_runtime_") : own == library.name;
}

const Library* DiskRuntime::findRegistered(std::string_view name, const Registration& one) const {
  const std::string& group = tables().groups[one.group];
  if ((group.starts_with("USE_") || group == "WASM") && !m_groups.contains(one.group)) return nullptr;
  const auto found = std::ranges::find_if(m_libraries, [&](const Library& library) {
    return mayRegister(library, one.group) && library.names().known.contains(name);
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
                          return library.names().known.contains(name) && mayRegister(library, one.group);
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
/// Libraries of vendors export TVM's functions to load modules and to call what was loaded.
bool DiskRuntime::isRuntime(const Library& library) const {
  if (library.isCompiler) return false;
  if (library.names().known.contains("device_api.cpu")) return true;
  if (library.has("TVMFuncCall") && library.has("TVMModLoadFromFile")) return true;
  const auto ofFfi =
      std::ranges::count_if(library.names().known, [](const std::string& name) { return name.starts_with("ffi."); });
  return ofFfi >= 10 || (library.has("TVMFFIFunctionCall") && library.has("TVMFFIFunctionSetGlobal"));
}

Fit DiskRuntime::fitOf(std::size_t release) const {
  Fit fit{release};
  const auto count = [&](bool found, bool inRelease, bool always) {
    if (found && inRelease) ++fit.present;
    if (found && !inRelease) ++fit.foreign;
    if (inRelease && (always || found)) ++fit.expected;
  };
  const bool ffi =
      std::ranges::any_of(m_libraries, [](const Library& one) { return one.names().known.contains("ffi.Array"); });
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
  m_isExact = best.present == best.expected && best.foreign == 0;
  for (const PythonPackage& package : packages) {
    const auto stated =
        m_facts->findRelease(package.name == "apache-tvm-tirx" ? "tirx-" + package.version : package.version);
    if ((package.name != "apache-tvm" && package.name != "apache-tvm-tirx") || !stated) continue;
    // The package knows it. With a libtvm_ffi of another release, the names may fit that one better.
    const Fit fit = fitOf(*stated);
    if (!fit.isClose()) continue;
    best = fit;
    m_isExact = true;
  }
  m_release = best.release;
  std::ptrdiff_t most = 0;
  for (const RangedText& loader : tables().loaders) {
    std::ptrdiff_t count = 0;
    for (const Library& library : m_libraries)
      if (!library.isCompiler)
        count += std::ranges::count_if(library.names().known,
                                       [&](const std::string& name) { return name.starts_with(loader.text); });
    if (count > most) m_loader = loader.text;
    most = std::max(most, count);
  }
  m_isClose = best.isClose() && core() && core()->name != "libtvm_ffi";
  addEvidence(best);
}

void DiskRuntime::addEvidence(const Fit& fit) {
  const std::string& label = m_facts->releases()[fit.release].label;
  const std::string names = groupedText(fit.present) + " of " + countText(fit.expected, "name") + " of " + label +
                            (fit.foreign > 0 ? ", and " + groupedText(fit.foreign) + " that it does not have" : "");
  if (core() && core()->name == "libtvm_ffi")
    m_evidence.push_back("It is libtvm_ffi without TVM: it opens libraries with functions for tvm-ffi, and has no "
                         "virtual machine and no loader for the modules of devices");
  else if (m_isExact)
    m_evidence.push_back("The files have " + names);
  else
    m_evidence.push_back("The nearest release is " + label + ": the files have " + names);
  for (const Library& library : m_libraries) {
    if (!library.exportsTvm() || library.isCompiler) continue;
    std::vector<std::size_t> same;
    for (std::size_t i = 0; i < m_facts->releases().size(); ++i) {
      bool equal = true, any = false;
      for (const auto& [name, symbol] : tables().symbols) {
        const bool exported = library.has(name);
        any |= exported;
        const bool there = contains(symbol.releases, i), maybe = contains(symbol.maybe, i);
        if (exported ? !there && !maybe : there && symbol.library == library.name) equal = false;
      }
      if (equal && any) same.push_back(i);
    }
    if (!same.empty())
      m_evidence.push_back(escaped(library.file) + " exports the symbols of " + m_facts->rangesText(same));
  }
  std::string files;
  for (const Library& library : m_libraries) files += (files.empty() ? "" : ", ") + escaped(library.file);
  m_evidence.push_back("It was read from " + files);
  for (const Library& library : m_libraries) {
    if (library.state == Library::State::Loads) continue;
    const std::string by = library.missingIn == library.file ? "" : " of " + escaped(library.missingIn);
    m_evidence.push_back(
        library.state == Library::State::UndefinedSymbol
            ? escaped(library.file) + " cannot be loaded: no library defines the symbol '" +
                  escaped(demangled(library.missing)) + "'" + by
            : escaped(library.file) + " can only be loaded where " + escaped(library.missing) + by + " is installed" +
                  (library.missingHere ? ", which was found neither with the runtime nor on this machine"
                                       : "; it is on this machine"));
  }
}

void DiskRuntime::addPackages(const RuntimeFiles& files) {
  for (const PythonPackage& package : files.packages)
    if (package.name.starts_with("apache-tvm") || package.name == "tilelang" || package.name == "bitblas" ||
        package.name.starts_with("mlc-") || package.name == "tvm")
      m_evidence.push_back(escaped(package.name + " " + package.version) + " is installed");
  for (const std::string& other : files.others)
    m_evidence.push_back("The package '" + escaped(other) +
                         "' has a runtime of its own, which is not used here: ask for its folder instead");
  for (const PackageConflict& conflict : findConflicts(files.packages))
    if (conflict.requirement.name.starts_with("apache-tvm") || conflict.package.name.starts_with("apache-tvm"))
      m_conflicts.push_back(conflict.sentence());
  m_evidence.insert(m_evidence.end(), m_conflicts.begin(), m_conflicts.end());
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

/// What the virtual machines accept, by the checks in the libraries, else by the release.
void DiskRuntime::findMachines() {
  const std::vector<std::string> wanted = carriers();
  m_relax.version = kRelaxVersion;
  for (std::size_t i = 0; i < m_facts->releases().size() && m_relax.pool.empty(); ++i)
    for (const Machine& one : tables().machines)
      if (!one.relay && contains(one.releases, i) &&
          std::ranges::any_of(tables().carriers, [&](const RangedText& carrier) {
            return contains(carrier.releases, i) && std::ranges::find(wanted, carrier.text) != wanted.end();
          }))
        m_relax.pool = one.format.pool;
  const Library* owner = nullptr;
  std::set<std::string, std::less<>> magics;
  std::vector<std::string> versions;
  for (const Library& library : m_libraries) {
    if (library.isCompiler) continue;
    for (const std::string& name : library.names().magics)
      if (name.starts_with("kTVMVM")) {
        magics.insert(name);
        owner = &library;
      }
    versions.insert(versions.end(), library.names().versions.begin(), library.names().versions.end());
  }
  const auto addMagics = [&](MachineFormat& format, std::string_view only) {
    bool unknown = magics.empty();
    for (const std::string& name : magics) {
      const auto known = std::ranges::find(kMagics, name, &std::pair<std::string_view, uint64_t>::first);
      if (known == kMagics.end())
        unknown = true;
      else if (only.empty() || name == only)
        format.magics.push_back(known->second);
    }
    // A check that this program does not know: the constants are in the code.
    if (unknown)
      for (const Library& library : m_libraries)
        if (!library.isCompiler && (owner == &library || !owner))
          for (const uint64_t found : library.findConstants(kMagic))
            if (std::ranges::find(format.magics, found) == format.magics.end()) format.magics.push_back(found);
    std::ranges::sort(format.magics);
  };
  addMagics(m_relax, {});
  addMagics(m_relay, kMagics[0].first);
  for (const std::string& version : versions)
    if (version != kRelaxVersion) m_relay.version = version;
}

Result<Done> DiskRuntime::read(RuntimeFiles files, Monitor& monitor) {
  m_finder = makeFinder();
  m_python = files.python;
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(files.files, [&](const RuntimeFile& file) { return libraryName(file.name) == name; });
  };
  uint64_t done = 0;
  for (const RuntimeFile& file : files.files) {
    monitor.progress("reading the runtime", ++done, files.files.size());
    const std::string name = libraryName(file.name);
    // A library with the runtime and the compiler has the names of the runtime beside it.
    const bool compiler = isCompiler(name) || (name == "libtvm" && has("libtvm_runtime"));
    BLOBSCOPE_TRY(library, readRuntimeLibrary(file, m_finder, compiler, monitor));
    if (library) m_libraries.push_back(std::move(*library));
  }
  if (!std::ranges::any_of(m_libraries, [&](const Library& library) { return isRuntime(library); }))
    return Error(
        DiagnosticId::PreRuntime,
        {arg("name", m_name), {"why", "none of the functions that a runtime of TVM registers was found in it"}});
  // Libraries of an app that have nothing to do with TVM.
  std::vector<Library> others;
  for (auto at = m_libraries.begin(); at != m_libraries.end();)
    if (!isRuntime(*at) && !at->name.starts_with("libtvm") && !at->name.starts_with("libtilelang") &&
        !at->exportsTvm()) {
      others.push_back(std::move(*at));
      at = m_libraries.erase(at);
    } else {
      ++at;
    }
  for (const Library& library : m_libraries)
    if (!library.architecture.empty() &&
        std::ranges::find(m_architectures, library.architecture) == m_architectures.end())
      m_architectures.push_back(library.architecture);
  BLOBSCOPE_TRY(dependencies, loadLibraries(m_libraries, std::move(others), files, m_finder, monitor));
  m_dependencies = std::move(dependencies);
  findRelease(files.packages);
  addPackages(files);
  compareFfi(files.packages);
  findGroups();
  findMachines();
  return Done{};
}

Availability DiskRuntime::function(std::string_view name) const {
  const auto known = tables().functions.find(name);
  if (known == tables().functions.end()) {
    if (const Library* const library = findName(name)) return presentIn(*library);
    if (isListedKind(name)) return {State::Absent};
    // Names that the tables do not have: a function of an app, or of a library for it.
    for (const Library& library : m_libraries)
      if (!library.isCompiler && library.names().containsText(name)) return presentIn(library);
    return {};
  }
  Availability out{State::Absent};
  for (const Registration& one : known->second) {
    if (const Library* const library = findRegistered(name, one)) {
      out = presentIn(*library);
      if (out.state != State::Absent) return out;
      continue;
    }
    if (!m_release || !contains(one.releases, *m_release) || !out.why.empty()) continue;
    const std::string& group = tables().groups[one.group];
    if (group == "python" && m_python) return {State::Present, {}, "TVM's Python package"};
    // libtvm_ffi is a file of its own, which may be elsewhere.
    if (group == "tvm-ffi" && !find("libtvm_ffi") && libraryOf(one.group) == "libtvm_ffi")
      return {State::Present, {}, "libtvm_ffi"};
    out = {State::NeedsFlag, flagText(group), libraryOf(one.group)};
    if (group == "always") out.flag = "libtvm_runtime";
  }
  return out;
}

std::string DiskRuntime::loaderName(std::string_view key) const {
  return m_loader.empty() ? ReleaseRuntime::loaderName(key) : m_loader + std::string(key);
}

std::vector<std::string> DiskRuntime::carriers() const {
  std::vector<std::string> out;
  for (const RangedText& carrier : tables().carriers)
    if (findName(carrier.text)) out.push_back(carrier.text);
  // In libtvm_ffi, compilers store the name as numbers. Source: apache/tvm-ffi v0.1.0 – v0.1.15,
  // src/ffi/extra/library_module.cc.
  if (out.empty() && find("libtvm_ffi") && find("libtvm_ffi")->has("TVMFFIEnvModRegisterContextSymbol"))
    return {"__tvm_ffi__library_bin"};
  return out.empty() ? ReleaseRuntime::carriers() : out;
}

Availability DiskRuntime::slot(std::string_view name) const {
  if (findName(name)) return {State::Present};
  // The runtime has the names as texts, with which it registers the pointers; libtvm_ffi alone fills none. Source:
  // apache/tvm v0.6.1 – v0.26.0, src/runtime/library_module.cc and src/runtime/module.cc.
  const auto hasSlots = [](const Library& library) {
    const auto first = library.isCompiler ? library.names().known.end() : library.names().known.lower_bound("__TVM");
    return first != library.names().known.end() && first->starts_with("__TVM");
  };
  const bool known = std::ranges::any_of(
      m_libraries, [&](const Library& library) { return !library.isCompiler && hasSlots(library); });
  if (known || (core() && core()->name == "libtvm_ffi")) return {State::Absent};
  return ReleaseRuntime::slot(name);
}

std::optional<uint32_t> DiskRuntime::oldestDriver() const {
  std::optional<uint32_t> out = ReleaseRuntime::oldestDriver();
  for (const Library& library : m_libraries)
    if (!library.isCompiler && library.names().known.contains("device_api.cuda"))
      if (const auto driver = m_facts->driverOf(cudaVersionOf(library))) out = std::max(out.value_or(0), *driver);
  return out;
}

Availability DiskRuntime::symbol(std::string_view name) const {
  if (const Library* const library = findExport(name)) return {State::Present, {}, library->name};
  // The files have all symbols of TVM. Only libtvm_ffi, a package of its own, may be elsewhere.
  const bool elsewhere =
      !find("libtvm_ffi") && core() && core()->name == "libtvm_runtime" && !core()->has("TVMFuncCall");
  const auto known = tables().symbols.find(name);
  if (known == tables().symbols.end()) return {isOfTvm(name) && !elsewhere ? State::Absent : State::Unknown};
  return elsewhere && known->second.library == "libtvm_ffi" ? ReleaseRuntime::symbol(name)
                                                            : Availability{State::Absent};
}

Availability DiskRuntime::library(std::string_view name) const {
  const std::string wanted = libraryName(name);
  const auto isIt = [&](const Library& one) { return one.name == wanted || one.soName == name || one.file == name; };
  for (const std::vector<Library>* const list : {&m_libraries, &m_dependencies})
    if (const auto found = std::ranges::find_if(*list, isIt); found != list->end()) return presentIn(*found);
  if (wanted == "libtvm_ffi" && core() && core()->name == "libtvm_runtime" && !core()->needed.empty())
    return std::ranges::find(core()->needed, std::string("libtvm_ffi.so")) != core()->needed.end()
               ? Availability{State::Present} // elsewhere
               : Availability{State::Absent};
  // Which libraries an app links into its own one is not known.
  return find("libtvm_runtime") ? ReleaseRuntime::library(name) : Availability{};
}

bool DiskRuntime::needsLibrary(std::string_view beginning) const {
  const Library* const own = core();
  return !own || own->needed.empty() || // linked into the library of an app
         std::ranges::any_of(own->needed, [&](const std::string& name) { return name.starts_with(beginning); });
}

std::vector<ArgumentCount> DiskRuntime::argumentCounts(std::string_view function) const {
  std::vector<ArgumentCount> out = ReleaseRuntime::argumentCounts(function);
  if (m_isExact) return out;
  // Of another runtime, only its own checks are known.
  const auto has = [&](std::string_view check) {
    return !check.empty() && std::ranges::any_of(m_libraries, [&](const Library& library) {
      return !library.isCompiler && library.names().containsCheck(check);
    });
  };
  for (ArgumentCount& count : out) count.certain = count.by == ArgumentCount::By::Check && has(count.check);
  return out;
}

std::optional<MachineFormat> DiskRuntime::machine(bool relay) const {
  const auto hasLoader = [&](std::string_view key) {
    return std::ranges::any_of(tables().loaders, [&](const RangedText& loader) {
      return findName(loader.text + std::string(key)) != nullptr;
    });
  };
  if (relay ? !hasLoader("VMExecutable") : !hasLoader("relax.VMExecutable") && !hasLoader("relax.Executable"))
    return std::nullopt;
  MachineFormat out = relay ? m_relay : m_relax;
  const auto nearest = relay ? ReleaseRuntime::relay() : ReleaseRuntime::relax();
  if (out.magics.empty()) out.magics = nearest ? nearest->magics : std::vector<uint64_t>{kMagic};
  if (out.version.empty() && nearest) out.version = nearest->version;
  return out;
}

std::optional<MachineFormat> DiskRuntime::relax() const { return machine(false); }

std::optional<MachineFormat> DiskRuntime::relay() const { return machine(true); }

bool DiskRuntime::readsLayout(std::string_view key, std::string_view layout) const {
  // Source: apache/tvm 4a5e6edd54, src/runtime/metadata.h.
  if (key == "FunctionInfo" && layout == "second")
    return std::ranges::any_of(m_libraries, [](const Library& library) {
      return !library.isCompiler && library.names().containsText("__tvm_function_info_v2__");
    });
  return ReleaseRuntime::readsLayout(key, layout);
}

/// The tags are texts that the parser of launch parameters compares with; of some it only has the beginning:
/// "blockIdx.".
Availability DiskRuntime::launchTag(std::string_view tag) const {
  const std::string_view beginning = tag.substr(0, tag.rfind('.') + 1);
  for (const Library& library : m_libraries) {
    if (library.isCompiler || library.name == "libtvm_ffi") continue;
    if (library.names().containsText(tag) ||
        (!beginning.empty() && beginning.size() + 1 == tag.size() && library.names().containsText(beginning)))
      return {State::Present};
  }
  const Availability nearest = ReleaseRuntime::launchTag(tag);
  // Short texts may be stored as numbers.
  if (nearest.present()) return tag.starts_with("tir") ? Availability{} : nearest;
  return nearest;
}

std::optional<Runtime::Broken> DiskRuntime::broken() const {
  for (const Library* const library : {find("libtvm_ffi"), core()}) {
    if (!library || library->state == Library::State::Loads) continue;
    Broken out;
    out.library = library->file;
    const std::string in = escaped(library->missingIn), what = escaped(library->missing);
    if (library->state == Library::State::UndefinedSymbol) {
      const std::string path = library->path.empty()
                                   ? library->missingIn
                                   : pathText(library->path.parent_path() / pathFrom(library->missingIn));
      out.why = in + " needs '" + escaped(demangled(library->missing)) + "', which no library of the runtime exports";
      out.printed = path + ": undefined symbol: " + library->missing;
      if (m_wrongFfi)
        out.fix = "install apache-tvm-ffi " + m_wrongFfi->expected + "; " + m_wrongFfi->found + " is installed";
    } else {
      out.why = in + " needs " + what +
                (library->missingHere ? ", which was found neither with the runtime nor on this machine"
                                      : ", which is not with the runtime");
      out.printed = library->missing + ": cannot open shared object file: No such file or directory";
      out.needs = library->missing;
      out.missingHere = library->missingHere;
      out.fix = "install " + what + " where the library is loaded";
    }
    return out;
  }
  return std::nullopt;
}

} // namespace

Result<RuntimePtr> readRuntime(const FactsPtr& facts, const std::filesystem::path& path, Monitor& monitor) {
  BLOBSCOPE_TRY(files, findRuntimeFiles(path, monitor));
  if (files.files.size() == 1) {
    BLOBSCOPE_TRY(bundle, readWebBundle(facts, pathText(path), files.files.front().bytes, monitor));
    if (bundle) return bundle;
  }
  auto runtime = std::make_shared<DiskRuntime>(facts, pathText(path));
  BLOBSCOPE_CHECK(runtime->read(std::move(files), monitor));
  return RuntimePtr(std::move(runtime));
}

} // namespace blobscope::targets
