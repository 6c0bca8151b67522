#include "core/base/text.h"
#include "core/container/elf/file.h"
#include "core/container/macho/file.h"
#include "core/requirements/parts.h"
#include "core/requirements/start_up.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::requirements {
namespace {

using container::Format;
using container::Image;
using Provider = NeededSymbol::Provider;

/// Functions of the C library that machine code of TVM and of C compilers calls. Files that state a version or a
/// library per symbol do not need this list. Sorted.
constexpr std::array kCNames = {
    "__assert_fail",
    "__cxa_atexit",
    "__cxa_finalize",
    "__errno_location",
    "__memcpy_chk",
    "__memset_chk",
    "__stack_chk_fail",
    "abort",
    "acos",
    "acosf",
    "acosh",
    "acoshf",
    "asin",
    "asinf",
    "asinh",
    "asinhf",
    "atan",
    "atan2",
    "atan2f",
    "atanf",
    "atanh",
    "atanhf",
    "bzero",
    "calloc",
    "ceil",
    "ceilf",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "dladdr",
    "dlclose",
    "dlerror",
    "dlopen",
    "dlsym",
    "erf",
    "erff",
    "exit",
    "exp",
    "exp10",
    "exp10f",
    "exp2",
    "exp2f",
    "expf",
    "expm1",
    "expm1f",
    "fabs",
    "fabsf",
    "floor",
    "floorf",
    "fma",
    "fmaf",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "fmod",
    "fmodf",
    "fprintf",
    "fputs",
    "free",
    "fwrite",
    "getenv",
    "hypot",
    "hypotf",
    "ldexp",
    "ldexpf",
    "log",
    "log10",
    "log10f",
    "log1p",
    "log1pf",
    "log2",
    "log2f",
    "logf",
    "malloc",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "nearbyint",
    "nearbyintf",
    "nextafter",
    "nextafterf",
    "posix_memalign",
    "pow",
    "powf",
    "printf",
    "putchar",
    "puts",
    "realloc",
    "rint",
    "rintf",
    "round",
    "roundf",
    "sin",
    "sincos",
    "sincosf",
    "sinf",
    "sinh",
    "sinhf",
    "snprintf",
    "sqrt",
    "sqrtf",
    "stderr",
    "stdout",
    "strcmp",
    "strcpy",
    "strlen",
    "strncmp",
    "strncpy",
    "tan",
    "tanf",
    "tanh",
    "tanhf",
    "tgamma",
    "tgammaf",
    "trunc",
    "truncf",
    "vfprintf",
    "vsnprintf",
};

bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
/// Whether the name is `prefix` and a capital letter: "cuModuleLoadData".
bool isFunctionOf(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) && isUpper(name[prefix.size()]);
}

/// "_ZTIi", "_ZTIPKc": the description of a built-in type, or of a pointer to one. Source: Itanium C++ ABI 5.1.5.3.
bool isBasicType(std::string_view name) {
  if (!name.starts_with("_ZTI") && !name.starts_with("_ZTS")) return false;
  name.remove_prefix(4);
  if (name.starts_with('P')) name.remove_prefix(1);
  if (name.starts_with('K')) name.remove_prefix(1);
  return name.size() == 1 && name[0] >= 'a' && name[0] <= 'z';
}

std::optional<Provider> providerByName(std::string_view name) {
  if (name.starts_with("TVMFFI")) return Provider::TvmFfi;
  if (name.starts_with("TVM")) return Provider::TvmRuntime;
  // Mangled names of C++: namespaces tvm::ffi and tvm.
  for (const std::string_view prefix : {"_ZN", "_ZNK", "_ZTIN", "_ZTVN", "_ZTSN", "_ZGVN"}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    if (rest.starts_with("3tvm3ffi")) return Provider::TvmFfi;
    if (rest.starts_with("3tvm")) return Provider::TvmRuntime;
  }
  if (name.starts_with("CuteDSLRT_") || isFunctionOf(name, "_cuda") || isFunctionOf(name, "_cu"))
    return Provider::CuteDsl;
  if (isFunctionOf(name, "cu") || isFunctionOf(name, "cuda") || name.starts_with("__cuda") ||
      isFunctionOf(name, "nvrtc") || isFunctionOf(name, "cublas") || isFunctionOf(name, "cudnn"))
    return Provider::Cuda;
  if (isFunctionOf(name, "hip") || isFunctionOf(name, "__hip") || name.starts_with("hsa_")) return Provider::Rocm;
  if (std::binary_search(kCNames.begin(), kCNames.end(), name)) return Provider::CLibrary;
  const bool cxx = name.starts_with("_ZNSt") || name.starts_with("_ZNKSt") || name.starts_with("_ZSt") ||
                   name.starts_with("_ZTVN10__cxxabiv1") || name.starts_with("_ZTISt") || name.starts_with("_ZTVSt") ||
                   name.starts_with("_ZN10__cxxabiv1") || name.starts_with("_ZN9__gnu_cxx") ||
                   name.starts_with("_ZNK9__gnu_cxx") || name.starts_with("_ZTSSt") || name.starts_with("_ZTTNSt") ||
                   name.starts_with("_ZTINSt") || name.starts_with("_ZTVNSt") || name.starts_with("_ZNVSt") ||
                   name.starts_with("_ZTTSt") || name.starts_with("_ZGVNSt") || name.starts_with("__cxa_") ||
                   name.starts_with("__gxx_personality") || name.starts_with("_Unwind_") || name.starts_with("_Znw") ||
                   name.starts_with("_Zna") || name.starts_with("_Zdl") || name.starts_with("_Zda") ||
                   isBasicType(name);
  return cxx ? std::optional(Provider::CxxLibrary) : std::nullopt;
}

std::optional<Provider> providerByVersion(std::string_view version) {
  if (version.starts_with("GLIBCXX_") || version.starts_with("CXXABI_") || version.starts_with("GCC_"))
    return Provider::CxxLibrary;
  if (version.starts_with("GLIBC_") || version.starts_with("LIBC")) return Provider::CLibrary;
  return std::nullopt;
}

/// By the name of the library that the file states for a symbol. Names of Windows are not case-sensitive.
std::optional<Provider> providerByLibrary(std::string library) {
  std::transform(library.begin(), library.end(), library.begin(),
                 [](char c) { return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string_view name = std::string_view(library).substr(library.find_last_of('/') + 1);
  const auto begins = [&](std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view one) { return name.starts_with(one); });
  };
  if (begins({"libtvm_ffi", "tvm_ffi"})) return Provider::TvmFfi;
  if (begins({"libtvm", "tvm"})) return Provider::TvmRuntime;
  if (begins({"msvcp", "libc++", "libstdc++"})) return Provider::CxxLibrary;
  if (begins({"nvcuda", "cudart", "libcuda", "nvrtc", "cublas", "cudnn"})) return Provider::Cuda;
  if (begins({"libamdhip64", "amdhip64", "libhsa-runtime64"})) return Provider::Rocm;
  if (begins({"vcruntime", "ucrtbase", "msvcrt", "api-ms-win-", "kernel32", "ntdll", "libsystem", "wasi_"}))
    return Provider::CLibrary;
  return std::nullopt;
}

/// Names that the linker itself provides when it links an object.
bool isOfLinker(std::string_view name) {
  return name.empty() || name == "_GLOBAL_OFFSET_TABLE_" || name == "__dso_handle" || name == "dyld_stub_binder" ||
         name == "__stack_pointer" || name == "__memory_base" || name == "__table_base";
}

bool isLibrary(const Image& image) {
  return image.format == Format::Elf || image.format == Format::Pe || image.format == Format::Coff ||
         image.format == Format::MachO || image.format == Format::Wasm;
}

/// Symbols of an object to which something else than calls refers. A link turns calls into words that are bound at the
/// first call, and the others into words that are bound when the file is loaded. Sources: the processor supplements of
/// the System V ABI.
Result<std::vector<bool>> dataSymbolsOf(const Image& image, Monitor& monitor) {
  namespace elf = container::elf;
  std::vector<bool> out(image.symbols.size());
  auto file = elf::File::readHeader(image.file);
  if (!file || image.kind != container::Kind::Object) return out;
  file->readTables();
  const auto isCall = [&](uint64_t type) {
    if (file->machine == elf::EM_X86_64) return type == 4 || type == 2;      // PLT32; PC32 of older assemblers
    if (file->machine == elf::EM_AARCH64) return type == 282 || type == 283; // JUMP26, CALL26
    return true;
  };
  uint64_t done = 0;
  for (const elf::SectionHeader& section : file->sections) {
    const bool addend = section.type == elf::SHT_RELA;
    if ((!addend && section.type != elf::SHT_REL) || section.info >= file->sections.size()) continue;
    if (!file->sections[section.info].allocated()) continue; // debug information
    const uint64_t word = file->wordSize(), size = (addend ? 3 : 2) * word;
    const Bytes table = image.file.slice(section.offset, section.size);
    for (uint64_t at = 0; at + size <= table.size(); at += size) {
      if (done++ % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const uint64_t info = file->number(section.offset + at + word, static_cast<unsigned>(word));
      const uint64_t symbol = file->is64 ? info >> 32 : info >> 8, type = info & (file->is64 ? UINT32_MAX : 0xff);
      if (symbol > 0 && symbol <= out.size() && !isCall(type)) out[symbol - 1] = true;
    }
  }
  return out;
}

/// "linux" of files that only such a system loads; empty when the file does not tell.
std::string systemOf(const Image& image, const ElfFacts& elf) {
  namespace macho = container::macho;
  constexpr uint8_t kFreeBsd = 9; // ELFOSABI_FREEBSD
  switch (image.format) {
  case Format::Pe:
  case Format::Coff: return "windows";
  case Format::MachO: {
    const auto file = macho::File::readHeader(image.file);
    if (!file) return {};
    macho::File whole = *file;
    (void)whole.readCommands(); // what cannot be read is in the diagnostics of the image
    constexpr uint32_t kBuildVersion = 0x32, kVersionIphone = 0x25;
    for (const macho::Command& command : whole.commands) {
      const uint32_t platform = whole.u32(command.place.offset + 8); // mach-o/loader.h, PLATFORM_…
      if ((command.id == kBuildVersion && platform != 1) || command.id == kVersionIphone) return "ios";
    }
    return "macos";
  }
  case Format::Elf: break;
  default: return {};
  }
  if (elf.android) return "android";
  if (const auto header = container::elf::File::readHeader(image.file); header && header->osAbi == kFreeBsd)
    return "freebsd";
  const auto needs = [&](std::string_view library) {
    return std::find(elf.needed.begin(), elf.needed.end(), library) != elf.needed.end();
  };
  const bool bionic = std::any_of(elf.versionNeeds.begin(), elf.versionNeeds.end(),
                                  [](const ElfFacts::Version& one) { return one.name == "LIBC"; });
  if (bionic || needs("liblog.so") || needs("libandroid.so")) return "android";
  return image.arch == "hexagon" ? std::string() : "linux";
}

class Adder {
public:
  Adder(Requirements& out, Monitor& monitor) : m_out(out), m_monitor(monitor) {}

  /// Names that one of the files defines: members of an archive are linked together.
  Result<Done> collect(const Image& image) {
    for (const container::Symbol& symbol : image.symbols) {
      if (m_done++ % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (symbol.defined && symbol.binding != container::Binding::Local) m_defined.insert(symbol.name);
    }
    return Done{};
  }

  Result<Done> add(const library::Package& package, const LoaderFacts& facts) {
    const Image& image = package.image;
    const bool elf = image.format == Format::Elf;
    if (m_out.binary.empty() && !image.arch.empty()) {
      m_out.binary = container::formatName(image.format);
      m_out.bits = image.bits;
      m_out.system = systemOf(image, facts.elf);
      m_out.inheritsRunPaths = facts.elf.inheritsRunPaths;
    }
    merge(elf ? facts.elf.needed : facts.imports.libraries, m_out.libraries);
    merge(elf ? facts.elf.runPaths : facts.imports.runPaths, m_out.runPaths);
    m_out.bindsAtOnce = m_out.bindsAtOnce || facts.elf.bindsAtOnce || facts.imports.bindsAtOnce;
    merge(facts.imports.features, m_out.wasmFeatures);
    if (m_out.newestGlibc.empty()) m_out.newestGlibc = facts.elf.newestGlibc;
    if (m_out.cpu.empty()) m_out.cpu = facts.elf.cpu;
    if (elf && m_out.damage.empty()) {
      m_out.damagePrinted = facts.elf.printed;
      m_out.damageCrashes = facts.elf.crashes;
    }
    setDamage(package, elf ? facts.elf.damage : facts.imports.damage);
    BLOBSCOPE_CHECK(addSymbols(package, facts.elf, facts.imports));
    if (!elf) return Done{};
    addVersions(package.image, facts.elf);
    return addStartUp(package, facts.elf);
  }

  /// A C source: the headers of TVM that it includes.
  Result<Done> addSource(const library::Package& package) {
    constexpr std::string_view kInclude = "#include", kSpace = " \t";
    constexpr std::string_view kFolders[] = {"tvm/", "dlpack/", "dmlc/"};
    const std::string_view text = package.image.file.view();
    uint64_t line = 0;
    for (std::size_t at = 0; at < text.size() && m_out.sources.size() < kEntries;) {
      if (line++ % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view rest = text.substr(at, end - at);
      at = end + 1;
      rest = rest.substr(std::min(rest.find_first_not_of(kSpace), rest.size()));
      if (!rest.starts_with(kInclude)) continue;
      rest = trimmed(rest.substr(kInclude.size()));
      if (rest.size() < 2 || (rest[0] != '<' && rest[0] != '"')) continue;
      const std::string_view header = rest.substr(1, rest.find_first_of(">\"", 1) - 1);
      if (std::none_of(std::begin(kFolders), std::end(kFolders),
                       [&](std::string_view folder) { return header.starts_with(folder); }))
        continue;
      m_out.sources.push_back(
          {package.memberPath.empty() ? std::string() : nameOf(package.memberPath.back()), nameOf(header), line});
      break; // a compiler stops at the first one
    }
    return Done{};
  }

private:
  static void merge(const std::vector<std::string>& from, std::vector<std::string>& to) {
    for (const std::string& one : from)
      if (std::find(to.begin(), to.end(), one) == to.end() && to.size() < kEntries) to.push_back(one);
  }
  void setDamage(const library::Package& package, const std::string& damage) {
    if (damage.empty() || !m_out.damage.empty()) return;
    m_out.damage = package.memberPath.empty() ? damage : nameOf(package.memberPath.back()) + ": " + damage;
  }

  Result<Done> addSymbols(const library::Package& package, const ElfFacts& elf, const ImportFacts& imports) {
    const Image& image = package.image;
    const bool hasDynamic = !image.symbols.empty() && image.symbols.front().dynamic;
    std::vector<bool> ofObject;
    if (image.format == Format::Elf && image.kind == container::Kind::Object) {
      BLOBSCOPE_TRY(data, dataSymbolsOf(image, m_monitor));
      ofObject = std::move(data);
    }
    for (std::size_t i = 0; i < image.symbols.size() && m_out.symbols.size() < kEntries; ++i) {
      if (m_done++ % 4'096 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading needed symbols", i, image.symbols.size());
      }
      const container::Symbol& symbol = image.symbols[i];
      if (symbol.defined || (hasDynamic && !symbol.dynamic) || symbol.binding == container::Binding::Local) continue;
      const std::string_view name = image.plainName(symbol);
      if (isOfLinker(name) || m_defined.contains(symbol.name) || !m_seen.insert(symbol.name).second) continue;
      NeededSymbol needed;
      needed.name = nameOf(name);
      needed.weak = symbol.binding == container::Binding::Weak;
      if (i < elf.versions.size()) {
        needed.version = elf.versions[i];
        needed.versionLibrary = elf.versionLibraries[i];
        needed.used = elf.used[i];
        needed.order = elf.order[i];
      }
      needed.data = elf.bindsAtOnce || imports.bindsAtOnce || (i < elf.data.size() && elf.data[i]) ||
                    (i < ofObject.size() && ofObject[i]);
      needed.provider = providerOf(name, needed.version, nameOf(symbol.name), imports);
      needed.ref = package.ref(Ref::named(Ref::Kind::Symbol, symbol.name));
      if (image.format == Format::Wasm) setImport(needed, nameOf(symbol.name), imports);
      m_out.symbols.push_back(std::move(needed));
    }
    return Done{};
  }

  void addVersions(const Image& image, const ElfFacts& elf) {
    std::unordered_map<std::string_view, std::size_t> first; // version and library → symbol
    for (std::size_t i = 0; i < elf.versions.size(); ++i)
      if (!elf.versions[i].empty()) first.try_emplace(elf.versions[i], i);
    for (const ElfFacts::Version& one : elf.versionNeeds) {
      if (one.weak || m_out.versions.size() >= kEntries) continue;
      const auto symbol = first.find(one.name);
      m_out.versions.push_back({nameOf(one.library), nameOf(one.name),
                                symbol == first.end() ? std::string() : nameOf(image.symbols[symbol->second].name)});
    }
  }

  Result<Done> addStartUp(const library::Package& package, const ElfFacts& elf) {
    using Kind = LoaderEntry::Kind;
    const Image& image = package.image;
    std::size_t constructors = 0;
    bool resolvers = false;
    for (const LoaderEntry& entry : elf.entries) {
      std::string& bad = entry.kind == Kind::End ? m_out.badEnd : m_out.badStart;
      if (entry.bad && bad.empty())
        bad = entry.slot + " is " + hexText(entry.address) + ", which is not in executable code";
      constructors += entry.kind == Kind::Start && entry.slot != "DT_INIT" ? 1 : 0;
      resolvers = resolvers || entry.kind == Kind::Resolver;
    }
    // Nothing of interest when all functions come from the C library.
    const bool calls = std::any_of(m_out.symbols.begin(), m_out.symbols.end(), [&](const NeededSymbol& one) {
      return !one.weak && one.used && one.provider != Provider::CLibrary && one.provider != Provider::CxxLibrary;
    });
    const bool early = std::any_of(elf.entries.begin(), elf.entries.end(), [](const auto& one) { return one.early; });
    if (image.kind != container::Kind::Shared || elf.entries.empty() || (!calls && !early)) return Done{};
    if (!canReadStartUp(image)) {
      // Compilers add one constructor, which calls nothing of other libraries.
      if (constructors > 1 || resolvers)
        m_out.startUpUnknown =
            "its start-up code cannot be read" + (image.arch.empty() ? std::string() : ": it is for " + image.arch);
      return Done{};
    }
    m_monitor.progress("reading start-up code", 0, 0);
    BLOBSCOPE_TRY(found, readStartUp(image, elf, m_monitor));
    if (!found.complete) m_out.startUpUnknown = "its start-up code is too long, or not all of it could be followed";
    std::unordered_map<uint64_t, std::string_view> names;
    for (const container::Symbol& symbol : image.symbols)
      if (symbol.defined && symbol.type == container::SymbolType::Function)
        names.try_emplace(symbol.value, symbol.name);
    for (const StartUpUse& use : found.uses) {
      const container::Symbol& symbol = image.symbols[use.symbol];
      const LoaderEntry& entry = elf.entries[use.entry];
      if (symbol.binding == container::Binding::Weak || m_out.startUp.size() >= kEntries) continue;
      const auto name = names.find(entry.address);
      StartUpCall call;
      call.symbol = nameOf(symbol.name);
      call.function = name == names.end() ? entry.slot : nameOf(name->second);
      call.when = entry.kind == Kind::Resolver ? StartUpCall::When::Relocating
                  : entry.kind == Kind::Start  ? StartUpCall::When::Starting
                                               : StartUpCall::When::Ending;
      call.certain = use.certain;
      call.early = entry.early && use.late;
      m_out.startUp.push_back(std::move(call));
    }
    return Done{};
  }

  static void setImport(NeededSymbol& needed, const std::string& stored, const ImportFacts& imports) {
    if (const auto library = imports.libraryOf.find(stored); library != imports.libraryOf.end())
      needed.importModule = imports.libraries[library->second];
    if (const auto number = imports.importNumbers.find(stored); number != imports.importNumbers.end())
      needed.importNumber = number->second;
  }

  static Provider providerOf(std::string_view name, std::string_view version, const std::string& stored,
                             const ImportFacts& imports) {
    if (const auto provider = providerByVersion(version)) return *provider;
    if (const auto provider = providerByName(name)) return *provider;
    const auto found = imports.libraryOf.find(stored);
    if (found == imports.libraryOf.end()) return Provider::Other;
    return providerByLibrary(imports.libraries[found->second]).value_or(Provider::Other);
  }

  Requirements& m_out;
  Monitor& m_monitor;
  uint64_t m_done = 0;
  std::unordered_set<std::string_view> m_defined, m_seen;
};

} // namespace

NeededSymbol::Provider providerOfName(std::string_view name) { return providerByName(name).value_or(Provider::Other); }

Result<std::vector<LoaderFacts>> readLoaderFacts(const Packages& packages, Monitor& monitor) {
  std::vector<LoaderFacts> out(packages.size());
  for (std::size_t i = 0; i < packages.size(); ++i) {
    const Image& image = packages[i]->image;
    if (!isLibrary(image)) continue;
    if (image.format == Format::Elf) {
      BLOBSCOPE_TRY(elf, readElfFacts(image, monitor));
      out[i].elf = std::move(elf);
    } else {
      BLOBSCOPE_TRY(imports, readImportFacts(image, monitor));
      out[i].imports = std::move(imports);
    }
  }
  return out;
}

Result<Done> addSymbols(const Packages& packages, const std::vector<LoaderFacts>& facts, Requirements& out,
                        Monitor& monitor) {
  Adder adder(out, monitor);
  for (const library::PackagePtr& package : packages)
    if (isLibrary(package->image)) BLOBSCOPE_CHECK(adder.collect(package->image));
  for (std::size_t i = 0; i < packages.size(); ++i) {
    if (isLibrary(packages[i]->image)) BLOBSCOPE_CHECK(adder.add(*packages[i], facts[i]));
    if (packages[i]->image.format == Format::CSource) BLOBSCOPE_CHECK(adder.addSource(*packages[i]));
  }
  std::unordered_map<std::string, std::size_t> numbers; // by prefix
  for (const library::PackagePtr& package : packages) {
    BLOBSCOPE_TRY(found, library::computeSystemLibraries(*package, monitor));
    for (library::SystemLibrary& one : found) {
      if (out.systemLibraries.size() >= kEntries) break;
      const auto [known, isNew] = numbers.try_emplace(one.prefix, out.systemLibraries.size());
      if (isNew) {
        out.systemLibraries.push_back(std::move(one));
        continue;
      }
      out.systemLibraries[known->second].hasBlob |= one.hasBlob;
      out.systemLibraries[known->second].registers |= one.registers;
    }
  }
  return Done{};
}

Result<std::vector<std::string>> findBadEntries(const container::Image& image, Monitor& monitor) {
  std::vector<std::string> out;
  if (image.format != Format::Elf || image.kind != container::Kind::Shared) return out;
  BLOBSCOPE_TRY(facts, readElfFacts(image, monitor));
  for (const LoaderEntry& entry : facts.entries)
    if (entry.bad)
      out.push_back(entry.slot + " is " + hexText(entry.address) + ", which is not in executable code: " +
                    (entry.kind == LoaderEntry::Kind::End ? "the process crashes when the library is closed"
                                                          : "the process crashes when the library is loaded"));
  return out;
}

} // namespace blobscope::requirements
