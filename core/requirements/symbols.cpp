#include "core/requirements/parts.h"

#include <algorithm>
#include <array>
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
  if (std::binary_search(kCNames.begin(), kCNames.end(), name)) return Provider::CLibrary;
  const bool cxx = name.starts_with("_ZNSt") || name.starts_with("_ZNKSt") || name.starts_with("_ZSt") ||
                   name.starts_with("_ZTVN10__cxxabiv1") || name.starts_with("_ZTISt") || name.starts_with("_ZTVSt") ||
                   name.starts_with("__cxa_") || name.starts_with("__gxx_personality") ||
                   name.starts_with("_Unwind_") || name.starts_with("_Znw") || name.starts_with("_Zna") ||
                   name.starts_with("_Zdl") || name.starts_with("_Zda");
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
    const bool elf = package.image.format == Format::Elf;
    merge(elf ? facts.elf.needed : facts.imports.libraries, m_out.libraries);
    merge(elf ? facts.elf.runPaths : facts.imports.runPaths, m_out.runPaths);
    m_out.bindsAtOnce = m_out.bindsAtOnce || facts.elf.bindsAtOnce || facts.imports.bindsAtOnce;
    if (m_out.newestGlibc.empty()) m_out.newestGlibc = facts.elf.newestGlibc;
    setDamage(package, elf ? facts.elf.damage : facts.imports.damage);
    return addSymbols(package, facts.elf, facts.imports);
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
      if (i < elf.versions.size()) needed.version = elf.versions[i];
      needed.data = elf.bindsAtOnce || imports.bindsAtOnce || (i < elf.data.size() && elf.data[i]);
      needed.provider = providerOf(name, needed.version, nameOf(symbol.name), imports);
      needed.ref = package.ref(Ref::named(Ref::Kind::Symbol, symbol.name));
      m_out.symbols.push_back(std::move(needed));
    }
    return Done{};
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
  for (std::size_t i = 0; i < packages.size(); ++i)
    if (isLibrary(packages[i]->image)) BLOBSCOPE_CHECK(adder.add(*packages[i], facts[i]));
  return Done{};
}

} // namespace blobscope::requirements
