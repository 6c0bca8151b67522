// Step 1: what the loader of the system does with the file and the libraries that it needs.
#include "core/base/text.h"
#include "core/preflight/judge.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace blobscope::preflight {
namespace {

using check::Rule;
using requirements::NeededSymbol;

/// Names in lower case, since Windows ignores case.
std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

template <std::size_t N> bool beginsWith(const std::string& name, const std::array<std::string_view, N>& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Libraries that every system of a kind has, or that are in the process of the runtime in any case.
bool isUsual(std::string_view library, std::string_view os) {
  constexpr std::array<std::string_view, 16> kLinux = {
      "libc.so.6",      "libm.so.6", "libdl.so.2",  "libpthread.so.0", "librt.so.1",   "libgcc_s.so.",
      "libstdc++.so.6", "ld-linux",  "ld64.so",     "linux-vdso",      "libutil.so.1", "libc.so",
      "libm.so",        "libdl.so",  "libpthread.", "libc.musl-"};
  constexpr std::array<std::string_view, 7> kAndroid = {"libc.so",       "libm.so", "libdl.so",      "liblog.so",
                                                        "libandroid.so", "libz.so", "libc++_shared."};
  constexpr std::array<std::string_view, 5> kApple = {"libsystem", "/usr/lib/", "/system/", "libdl.dylib",
                                                      "libm.dylib"};
  constexpr std::array<std::string_view, 8> kWindows = {"kernel32.dll", "msvcrt.dll",  "ucrtbase.dll", "vcruntime",
                                                        "msvcp",        "api-ms-win-", "ntdll.dll",    "user32.dll"};
  const std::string name = lower(library);
  if (os == "windows") return beginsWith(name, kWindows);
  if (os == "macos" || os == "ios") return beginsWith(name, kApple);
  if (os == "android") return name.find(".so.") == std::string::npos && beginsWith(name, kAndroid);
  return beginsWith(name, kLinux);
}

/// "GCC 12" of the version of symbols 3.4.30; the version itself when the table does not have it.
std::string gccText(const targets::FactsPtr& facts, const std::string& version, std::string targets::GccRow::* column,
                    std::string_view prefix) {
  if (facts)
    for (const targets::GccRow& row : facts->gccReleases())
      if (targets::compareVersions(row.*column, version) >= 0) return "GCC " + row.version;
  return std::string(prefix) + version;
}

/// The version after a prefix: "2.38" of "GLIBC_2.38"; empty for others, such as GLIBC_PRIVATE.
std::string numberAfter(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  const bool number = !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos;
  return number ? std::string(name) : std::string();
}

std::string osTitle(std::string_view os) {
  return os == "windows"   ? "Windows"
         : os == "macos"   ? "macOS"
         : os == "ios"     ? "iOS"
         : os == "android" ? "Android"
                           : "Linux";
}

/// "this machine", "Debian 12, x86_64".
std::string systemText(const targets::System& system) { return system.here ? "this machine" : escaped(system.title); }

/// Libraries of another C library than the system's.
bool isForeign(std::string_view library, const targets::System& system) {
  using CLibrary = targets::System::CLibrary;
  switch (system.library) {
  // musl takes the names of the parts of a C library for its own (ldso/dynlink.c, load_library).
  case CLibrary::Musl: return library.starts_with("ld-linux") || library.starts_with("ld64.so");
  case CLibrary::Bionic: return library.find(".so.") != std::string_view::npos || library.starts_with("ld-linux");
  case CLibrary::Glibc:
    return library == "libc.so" || library == "libm.so" || library == "libdl.so" || library.starts_with("libc.musl-");
  default: return false;
  }
}

/// ", uses simd128, atomics": the features that some browsers do not have. Those that all browsers have since 2022 are
/// left out; compilers turn them on by default. Source: WebAssembly, "Feature status".
std::string wasmFeatureText(const std::vector<std::string>& features) {
  constexpr std::array<std::string_view, 8> kUsual = {
      "mutable-globals", "sign-ext",   "nontrapping-fptoint", "bulk-memory",
      "bulk-memory-opt", "multivalue", "reference-types",     "call-indirect-overlong"};
  constexpr std::size_t kShown = 10;
  std::vector<std::string> shown;
  for (const std::string& feature : features)
    if (std::ranges::find(kUsual, feature) == kUsual.end() && shown.size() < kShown) shown.push_back(escaped(feature));
  return shown.empty() ? std::string() : ", uses " + listText(shown);
}

} // namespace

/// The words of the system's loader, as the runtime prints them.
void Judge::refuse(Missing& item, const std::string& reason) const {
  item.printed = printed(targets::Message::FileNotReadable, {{"path", m_needs.path}, {"reason", reason}});
  if (item.printed.empty()) item.printed = escapedWhole(reason);
}

bool Judge::fitsMachine() {
  // --- 1. The format and the operating system. ---
  const std::string& binary = m_needs.binary.empty() ? m_needs.format : m_needs.binary;
  const bool elf = binary == "elf";
  const bool unpacked = m_needs.kind == "shared";
  if (m_system && !m_system->os.empty() && !binary.empty()) {
    const std::string& os = m_system->os;
    const bool windows = binary == "pe" || binary == "coff", apple = binary == "macho";
    const bool same = windows ? os == "windows"
                      : apple ? os == "macos" || os == "ios"
                              : os == "linux" || os == "android";
    const bool known = windows || apple || elf;
    if (known && (!same || (apple && !m_needs.system.empty() && m_needs.system != os))) {
      const std::string file = windows                   ? "Windows"
                               : !apple                  ? (m_needs.system == "android" ? "Android" : "Linux")
                               : m_needs.system == "ios" ? "iOS"
                                                         : "macOS";
      Missing& item = add(Rule::PreSystem, "system", file, Step::File,
                          {{"found", file}, {"system", systemText(*m_system)}, {"expected", osTitle(os)}});
      item.sentence = "the file is for " + file + ", and " +
                      (m_system->here ? "this machine runs " : "the system is ") + osTitle(os);
      if (unpacked && os == "linux") refuse(item, m_needs.path + ": invalid ELF header");
      return false;
    }
  }
  // --- 2. The processor. ---
  std::vector<std::string> built = m_runtime.architectures();
  std::string whose = m_runtime.title();
  if (m_system && !m_system->cpu.empty()) {
    built = {m_system->cpu};
    whose = m_system->here ? "this machine" : "the system";
  }
  if (!built.empty() && !m_needs.architecture.empty() &&
      std::ranges::find(built, m_needs.architecture) == built.end()) {
    Missing& item = add(Rule::PreArchitecture, "file", m_needs.architecture, Step::File,
                        {{"found", m_needs.architecture}, {"expected", listText(built)}});
    item.sentence =
        "the file is for " + escaped(m_needs.architecture) + ", and " + escaped(whose) + " is " + listText(built);
    const unsigned bits = built.front().find("64") != std::string::npos ? 64 : 32;
    if (elf && unpacked)
      refuse(item, m_needs.path + (m_needs.bits != 0 && m_needs.bits != bits
                                       ? ": wrong ELF class: ELFCLASS" + std::to_string(m_needs.bits)
                                       : ": cannot open shared object file: No such file or directory"));
    if (!unpacked && m_needs.extension == "tar" && elf) item.printed = "error adding symbols: file in wrong format";
    return false;
  }
  return true;
}

bool Judge::checkSources() {
  if (m_needs.sources.empty() || m_needs.extension != "tar") return true;
  const requirements::Requirements::SourceFile& first = m_needs.sources.front();
  Missing& item = add(Rule::PreCompile, "compiler", first.header, Step::File,
                      {arg("member", first.member), arg("header", first.header)});
  // TVM runs the C++ compiler, which stops at the first header that it does not find.
  item.printed = escapedWhole("Compilation error: " + first.member + ":" + std::to_string(first.line) +
                              ": fatal error: " + first.header + ": No such file or directory");
  return false;
}

void Judge::checkFile() {
  const std::string kind = m_needs.kind.empty() || m_needs.kind == "shared" ? "" : ", " + m_needs.kind;
  StepResult& step = at(Step::File);
  step.summary = (m_needs.formatTitle.empty() ? m_needs.format : m_needs.formatTitle) +
                 (m_needs.architecture.empty() ? "" : ", " + m_needs.architecture) + kind +
                 (m_needs.newestGlibc.empty() ? "" : ", glibc " + m_needs.newestGlibc + " or later") +
                 wasmFeatureText(m_needs.wasmFeatures);
  m_stops = true;
  if (!m_needs.damage.empty()) {
    Missing& item = add(Rule::PreFile, "file", m_needs.path, Step::File, {{"why", m_needs.damage}});
    item.crashes = m_needs.damageCrashes;
    if (!item.crashes)
      refuse(item,
             m_needs.damagePrinted.empty() ? "cannot read file data" : m_needs.path + ": " + m_needs.damagePrinted);
    return;
  }
  if (!fitsMachine()) return;
  if (const auto broken = m_runtime.broken()) {
    if (broken->needs.empty() || broken->missingHere || (m_system && !isHere())) {
      Missing& item = add(Rule::PreBroken, "runtime", broken->library, Step::File, {{"why", broken->why}});
      item.printed = broken->printed;
      item.certain = broken->needs.empty() || isHere();
      if (!broken->fix.empty()) item.fix = broken->fix;
      if (item.certain) return;
    }
  }
  if (!checkSources()) return;
  m_stops = false;
  met(Step::File);
  if (const auto wrong = m_runtime.wrongFfi()) {
    Missing& item = add(Rule::PreFfi, "ffi", "libtvm_ffi", Step::File,
                        {arg("found", wrong->found), arg("expected", wrong->expected)});
    item.certain = false; // some pairs fail only in some calls
    item.later = true;
  }
  if (m_needs.format == "wasm") return; // checkImports()
  findLibraries();
  checkVersions();
  checkLibraries();
  checkStart();
}

/// The libraries that the file needs, and those that these need, in the order in which the loader looks for them.
void Judge::findLibraries() {
  struct Wanted {
    std::string name;
    targets::SharedLibraries::Search search;
    std::vector<std::string> inherited; ///< DT_RPATH of the libraries that led here
    bool direct;
  };
  constexpr std::size_t kLibraries = 1'024;
  const std::string os = !m_needs.system.empty() ? m_needs.system : m_system ? m_system->os : std::string();
  std::vector<Wanted> work;
  std::set<std::string> seen;
  const auto push = [&](const std::vector<std::string>& names, const std::string& path,
                        std::vector<std::string> runPaths, bool inherits, std::vector<std::string> inherited,
                        bool direct) {
    if (inherits) inherited.insert(inherited.begin(), runPaths.begin(), runPaths.end());
    // With DT_RUNPATH of its own, the paths of others do not count.
    const bool own = !runPaths.empty() && !inherits;
    for (const std::string& name : names)
      if (work.size() < kLibraries && seen.insert(name).second)
        work.push_back({name, {path, own ? runPaths : inherited, m_needs.architecture}, inherited, direct});
  };
  push(m_needs.libraries, m_needs.path, m_needs.runPaths, m_needs.inheritsRunPaths, {}, true);
  const targets::SharedLibraries none;
  const targets::SharedLibraries& libraries = m_target.libraries ? *m_target.libraries : none;
  // The libraries of this machine tell something when the file could be loaded on it.
  const targets::System* const here =
      m_system ? (m_system->here ? m_system : nullptr)
      : m_target.here && m_target.here->os == os && m_target.here->cpu == m_needs.architecture ? m_target.here.get()
                                                                                               : nullptr;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const Wanted wanted = work[i];
    targets::SharedLibraryPtr found = libraries.findGiven(wanted.name);
    if (!found) found = libraries.findBeside(wanted.name, wanted.search);
    const Availability ofRuntime = m_runtime.library(wanted.name);
    if (!found && has(ofRuntime)) {
      if (wanted.direct) met(Step::File);
      continue;
    }
    const bool usual = isUsual(wanted.name, os);
    const bool foreign = usual && m_system && isForeign(wanted.name, *m_system);
    if (!found && here && (!usual || m_system) && os == here->os) {
      found = libraries.findHere(wanted.name, wanted.search);
      if (found && !usual && wanted.direct && !m_system) m_foundHere.push_back(found->path);
    }
    if (found) {
      if (wanted.direct) met(Step::File);
      if (m_libraries.size() < kLibraries) m_libraries.push_back(found);
      push(found->needed, found->path, found->runPaths, found->inheritsRunPaths, wanted.inherited, false);
      continue;
    }
    if (usual && !foreign && !(m_system && m_system->here && os == "linux")) {
      if (wanted.direct) met(Step::File);
      continue;
    }
    const bool certain = foreign || (m_system && m_system->here && m_system->os == "linux") ||
                         ofRuntime.state == Availability::State::Absent;
    m_unknownLibraries.push_back(wanted.name);
    Missing& item = add(Rule::PreLibrary, "library", wanted.name, Step::File, {arg("name", wanted.name)});
    item.certain = certain;
    if (ofRuntime.state == Availability::State::Absent) {
      item.sentence = "the file needs '" + escaped(wanted.name) + "', and " + m_runtime.title() + " comes without it";
      item.fix = "use a release that has it";
    } else if (foreign || (certain && m_system)) {
      item.sentence =
          "the file needs '" + escaped(wanted.name) + "', which " + systemText(*m_system) + " does not have";
    } else {
      item.sentence = "whether the system has '" + escaped(wanted.name) + "' is not known";
      item.fix = os == "linux"
                     ? "run ldconfig -p | grep " + escaped(wanted.name) + " there, or pass the library with --with"
                     : "pass the library with --with";
    }
    if (os == "linux" && m_needs.kind == "shared") refuse(item, missingLibraryText(wanted.name));
  }
  if (!m_foundHere.empty()) at(Step::File).summary += "; on this machine: " + escaped(listText(m_foundHere), 200);
}

/// What the loader prints for a library that it does not find.
std::string Judge::missingLibraryText(const std::string& name) const {
  if (m_system && m_system->library == targets::System::CLibrary::Musl)
    return "Error loading shared library " + name + ": No such file or directory (needed by " + m_needs.path + ")";
  return name + ": cannot open shared object file: No such file or directory";
}

/// Versions of symbols that the libraries of the system, or those that are known, do not have.
void Judge::checkVersions() {
  using CLibrary = targets::System::CLibrary;
  const targets::FactsPtr facts = m_runtime.facts();
  const auto symbolText = [](const requirements::NeededVersion& version) {
    return version.symbol.empty() ? std::string() : " (for " + escaped(version.symbol) + ")";
  };
  const auto notFound = [&](const std::string& library, const requirements::NeededVersion& version) {
    return library + ": version `" + version.name + "' not found (required by " + m_needs.path + ")";
  };
  // --- 1. The system, as it was stated or read. musl and Android ignore versions of glibc. ---
  struct Compared {
    Rule rule;
    std::string_view prefix;
    std::string found;
    const requirements::NeededVersion* first = nullptr; ///< that the loader refuses
    const requirements::NeededVersion* newest = nullptr;
    std::string number = {};
  };
  std::vector<Compared> lists;
  if (m_system && m_system->library == CLibrary::Glibc && !m_system->version.empty())
    lists.push_back({Rule::PreCLibrary, "GLIBC_", m_system->version});
  if (m_system && !m_system->glibcxx.empty()) lists.push_back({Rule::PreCxxLibrary, "GLIBCXX_", m_system->glibcxx});
  if (m_system && !m_system->cxxabi.empty()) lists.push_back({Rule::PreCxxLibrary, "CXXABI_", m_system->cxxabi});
  std::set<std::string, std::less<>>& refused = m_refused;
  for (Compared& list : lists) {
    for (const requirements::NeededVersion& version : m_needs.versions) {
      // The table of relative relocations came with glibc 2.36.
      const std::string number = version.name == "GLIBC_ABI_DT_RELR" && list.prefix == "GLIBC_"
                                     ? "2.36"
                                     : numberAfter(version.name, list.prefix);
      if (number.empty() || targets::compareVersions(number, list.found) <= 0) continue;
      if (!list.first) list.first = &version;
      if (list.number.empty() || targets::compareVersions(number, list.number) > 0) {
        list.number = number;
        list.newest = &version;
      }
      refused.insert(version.library);
    }
    if (!list.first) continue;
    const bool c = list.rule == Rule::PreCLibrary;
    const auto column = list.prefix == "CXXABI_" ? &targets::GccRow::cxxabi : &targets::GccRow::glibcxx;
    const std::string needed = c ? list.number : gccText(facts, list.number, column, list.prefix),
                      found = c ? list.found : gccText(facts, list.found, column, list.prefix);
    if (!c &&
        std::ranges::any_of(m_outcome.missing, [](const Missing& one) { return one.rule == Rule::PreCxxLibrary; }))
      continue; // both kinds of versions of libstdc++ say the same
    Missing& item = add(list.rule, "library", std::string(list.prefix) + list.number, Step::File,
                        {{"needed", needed},
                         {"symbol", symbolText(*list.newest)},
                         {"system", systemText(*m_system)},
                         {"found", found}});
    refuse(item, notFound(list.first->library, *list.first));
  }
  // --- 2. Libraries whose files are known. ---
  for (const requirements::NeededVersion& version : m_needs.versions) {
    if (refused.contains(version.library)) continue;
    const auto library = std::ranges::find_if(m_libraries, [&](const targets::SharedLibraryPtr& one) {
      return one->name == version.library || one->file == version.library;
    });
    // A library without any version satisfies all (glibc elf/dl-version.c, match_symbol).
    if (library == m_libraries.end() || (*library)->versions.empty() || (*library)->versions.contains(version.name))
      continue;
    refused.insert(version.library);
    Missing& item = add(Rule::PreVersion, "library", version.library, Step::File,
                        {arg("version", version.name), arg("name", version.library), arg("path", (*library)->path)});
    refuse(item, notFound((*library)->path, version));
  }
  // --- 3. Another C library. ---
  if (m_system && m_system->library == CLibrary::Musl && !m_needs.newestGlibc.empty()) {
    Missing& item = add(Rule::PreCLibrary, "library", "glibc", Step::File);
    item.sentence = "the file is linked with glibc, and " + systemText(*m_system) +
                    " has musl: whether all that it calls works there is not known";
    item.fix = "build the library on such a system, or load it there to find out";
    item.certain = false;
  }
  // --- 4. The processor. ---
  if (m_system && m_system->cpuLevel > 0 && m_needs.cpu.starts_with("x86-64-v")) {
    const unsigned needed = static_cast<unsigned>(m_needs.cpu.back() - '0');
    if (needed > m_system->cpuLevel) {
      Missing& item = add(Rule::PreCpu, "file", m_needs.cpu, Step::File,
                          {{"needed", m_needs.cpu},
                           {"system", systemText(*m_system)},
                           {"found", "x86-64-v" + std::to_string(m_system->cpuLevel)}});
      refuse(item, m_needs.path + ": CPU ISA level is lower than required");
    }
  }
}

/// Whether load_module links .o and .tar: the packages apache-tvm-tirx and apache-tvm-ffi only load libraries (seen).
bool Judge::linksObjects() const {
  const targets::FactsPtr facts = m_runtime.facts();
  const bool tirx = facts && m_runtime.release() && *m_runtime.release() > facts->newestRelease();
  return m_runtime.linksObjects() && !tirx;
}

/// How TVM loads the file, by its name. Sources: core/formats/load-requirements.md 2; runs of TVM 0.27.
void Judge::checkExtension() {
  // A browser loads WebAssembly by itself, and a damaged file is not loaded in any way.
  if (m_needs.path.empty() || m_needs.format == "wasm" || !m_needs.damage.empty()) return;
  const bool shared = m_needs.kind == "shared" || m_needs.kind == "executable" || m_needs.format == "universal";
  const bool object = m_needs.kind == "object", tar = m_needs.format == "tar";
  const std::string found = shared                         ? "the file is a shared library"
                            : object                       ? "the file is an object"
                            : tar                          ? "the file is a tar archive"
                            : m_needs.format == "ar"       ? "the file is a static library"
                            : m_needs.format == "c-source" ? "the file is C source"
                                                           : "the file is of the format " + m_needs.formatTitle;
  const std::string right = shared ? "so" : object ? "o" : tar ? "tar" : "";
  const std::string& extension = m_needs.extension;
  const auto refuse = [&](Step step) -> Missing& {
    const std::string shown = extension.empty() ? "no extension" : "." + escaped(extension, 40);
    Missing& item = add(Rule::PreExtension, "file", extension, step,
                        {{"found", found}, {"extension", shown}, {"expected", "." + right}});
    if (right.empty())
      item.fix = m_needs.format == "c-source" ? "compile it to a shared library" : "link it to a shared library";
    return item;
  };
  constexpr std::array<std::string_view, 4> kOpened = {"so", "dll", "dylib", "dso"};
  if (std::ranges::find(kOpened, extension) != kOpened.end()) {
    if (shared) return;
    const std::string why =
        object && m_needs.format == "elf" ? "only ET_DYN and ET_EXEC can be loaded" : "invalid ELF header";
    refuse(Step::File).printed =
        printed(targets::Message::FileNotReadable, {{"path", m_needs.path}, {"reason", m_needs.path + ": " + why}});
  } else if ((extension == "o" || extension == "tar") && !linksObjects()) {
    Missing& item = refuse(Step::File);
    item.sentence = m_runtime.title() + " only opens shared libraries, and the name ends with ." + extension;
    item.printed = printed(targets::Message::NoFileLoader, {{"extension", extension}});
    item.fix = "link it to a shared library, or load it with TVM's Python package, which links it";
  } else if (extension == "o") {
    // A linker puts a library or the members of an archive into the result only where something needs them.
    if (!object) {
      Missing& item = refuse(tar ? Step::File : Step::Carrier);
      item.sentence +=
          tar ? "; the linker does not read it" : ": TVM links it to a new library, which gets none of its functions";
      if (!tar && !m_needs.definedFunctions.empty())
        item.printed = printed(targets::Message::NoFunction, {{"name", m_needs.definedFunctions.front()}});
    }
  } else if (extension == "tar") {
    if (!tar) refuse(Step::File).sentence += ", which TVM unpacks";
  } else if (extension.empty()) {
    Missing& item = refuse(Step::File);
    item.sentence = found + ", and its name has no extension, by which TVM chooses how to load it";
    item.printed = printed(targets::Message::NoFileFormat, {{"path", m_needs.path}});
  } else {
    Missing& item = refuse(Step::File);
    item.sentence = found + ", and TVM has no loader for names that end in ." + escaped(extension, 40);
    item.printed = printed(targets::Message::NoFileLoader, {{"extension", extension}});
  }
}

/// Data that the libraries need which the file needs: it is bound when these are loaded.
void Judge::checkLibraries() {
  const targets::FactsPtr facts = m_runtime.facts();
  if (!facts || !m_unknownLibraries.empty() || m_needs.binary != "elf") return;
  for (const targets::SharedLibraryPtr& library : m_libraries)
    for (const std::string& name : library->boundAtOnce) {
      NeededSymbol symbol;
      symbol.name = name;
      symbol.provider = requirements::providerOfName(name);
      if (library->exports.contains(name) || findSymbol(symbol) != Has::No) continue;
      Missing& item = add(Rule::PreSymbol, "symbol", name, Step::Symbols, {arg("name", name)});
      item.sentence = "nothing that is known provides '" + escaped(name) + "', which " + escaped(library->path) +
                      " needs when it is loaded";
      item.fix = "link the library that defines it, or load that one first with global scope";
      refuse(item, library->path + ": undefined symbol: " + name);
      return; // the loader stops there
    }
}

/// Functions that the loader calls.
void Judge::checkStart() {
  if (!m_needs.badStart.empty()) {
    Missing& item = add(Rule::PreStart, "file", m_needs.badStart, Step::File,
                        {{"what", m_needs.badStart + ": the process crashes when the library is loaded"}});
    item.crashes = true;
  }
  if (!m_needs.badEnd.empty()) {
    Missing& item = add(Rule::PreStart, "file", m_needs.badEnd, Step::File,
                        {{"what", m_needs.badEnd + ": the process crashes when the library is closed"}});
    item.crashes = true;
    item.later = true;
  }
  using When = requirements::StartUpCall::When;
  for (const requirements::StartUpCall& call : m_needs.startUp) {
    const auto [known, isNew] = m_startUp.try_emplace(call.symbol, &call);
    const auto better = [](const requirements::StartUpCall& one) {
      return (one.when == When::Ending ? 0 : 2) + (one.certain ? 1 : 0);
    };
    if (!isNew && better(call) > better(*known->second)) known->second = &call;
    if (!call.early || !m_needs.badStart.empty()) continue;
    Missing& item =
        add(Rule::PreStart, "file", call.symbol, Step::Symbols,
            {{"what", "the resolver '" + escaped(call.function) + "' " + (call.certain ? "calls" : "may call") + " '" +
                          escaped(call.symbol) + "' before the loader has relocated such calls: the process crashes"}});
    item.fix = "call no function of another library in the resolver of an IFUNC";
    item.crashes = true;
    item.certain = call.certain;
    return;
  }
}

} // namespace blobscope::preflight
