#include "core/library/producer.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/host/text_runs.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace blobscope::library {
namespace {

using container::Image;
using container::Kind;
using container::Symbol;
using container::SymbolType;
using host::Group;

/// Fewest functions of TVM's C interface that a runtime exports. The fewest seen are 6 (libtvm_runtime.so of
/// apache-tvm-tirx), the most of a library that is no runtime is 1.
constexpr uint64_t kRuntimeFunctions = 5;
/// Longest part of a name that is shown.
constexpr std::size_t kShownName = 120;

/// What the symbols and sections of an image show. Views are names of symbols, empty without such a symbol.
struct Signs {
  uint64_t runtimeFunctions = 0;     ///< exported functions of TVM's C interface
  std::string_view runtimeCode;      ///< a C++ symbol of TVM other than tvm::ffi
  std::string_view cute, flashInfer; ///< symbols that only these write
  std::string_view embeddedCubin;    ///< `__tvm_ffi__cubin_NAME`
  std::string_view ffiCode;          ///< a C++ symbol of tvm::ffi
  std::string_view registers;        ///< a function that registers functions or classes
  std::string_view safeCall;         ///< an import that only the C++ headers of tvm-ffi use
  std::string_view slot;             ///< a slot or context pointer, or a carrier
  std::string_view errors;           ///< the import with which host code of TVM reports failed checks
  std::string_view nvcc, hip;        ///< registration of device code
  std::string_view nvSection, hipSection;
  std::string_view python;       ///< `PyInit_NAME`
  std::string_view tileLangText; ///< the text of a check, or the first line of C source
  std::string_view tvmText;      ///< the first line of C source
  bool ffiFunctions = false;     ///< exports functions `__tvm_ffi_NAME`
  bool hostCode = false;         ///< has an ABI of TVM
};

/// The C++ namespace in which a mangled name is: "tvm::ffi", "tvm::runtime"; only of names in a namespace.
/// Source: Itanium C++ ABI 5.1.
struct CppName {
  std::string_view first, second, third;
};
std::optional<CppName> cppNameOf(std::string_view name) {
  if (!name.starts_with("_Z")) return std::nullopt;
  name.remove_prefix(2);
  // Functions, virtual tables and types, guards and the names in functions.
  constexpr std::array<std::string_view, 10> kStarts = {"NK",  "N",   "TVN",  "TIN", "TSN",
                                                        "TTN", "GVN", "GVZN", "ZN",  "ZNK"};
  std::string_view rest;
  for (const std::string_view start : kStarts)
    if (name.starts_with(start) && name.size() > start.size() && name[start.size()] >= '1' && name[start.size()] <= '9')
      rest = name.substr(start.size());
  CppName out;
  for (std::string_view* const part : {&out.first, &out.second, &out.third}) {
    std::size_t digits = 0, length = 0;
    while (digits < rest.size() && digits < 4 && rest[digits] >= '0' && rest[digits] <= '9')
      length = length * 10 + static_cast<std::size_t>(rest[digits++] - '0');
    if (digits == 0 || length == 0 || digits + length > rest.size()) break;
    *part = rest.substr(digits, length);
    rest.remove_prefix(digits + length);
  }
  if (out.first.empty()) return std::nullopt;
  return out;
}

/// Whether a C++ name of TVM shows that the image is a part of it: everything but tvm::ffi, and what libraries use that
/// register functions with a runtime of v0.4 – v0.21.
bool isOfRuntime(const CppName& name) {
  if (name.first != "tvm" || name.second.empty() || name.second == "ffi") return false;
  constexpr std::array<std::string_view, 6> kUsed = {"Registry", "NDArray", "PackedFunc", "detail", "Module", "Object"};
  return name.second != "runtime" || std::find(kUsed.begin(), kUsed.end(), name.third) == kUsed.end();
}

class SignReader {
public:
  SignReader(const Image& image, const host::HostSymbols& host) : m_image(image), m_host(host) {}

  Result<Signs> read(Monitor& monitor) {
    m_signs.hostCode = m_host.abi.has_value();
    m_signs.ffiFunctions = m_host.abi && *m_host.abi >= host::Abi::Ffi2 && !m_host.functions.empty();
    std::unordered_set<std::string_view> exported; // in both symbol tables
    for (std::size_t i = 0; i < m_image.symbols.size(); ++i) {
      if (i % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const Symbol& symbol = m_image.symbols[i];
      const std::string_view name = m_image.plainName(symbol);
      if (name.size() < 4) continue;
      if (i < m_host.groups.size()) addGroup(m_host.groups[i], name);
      if (name[0] == 'T' && symbol.defined && isExported(symbol) && isInterface(name) && exported.insert(name).second)
        ++m_signs.runtimeFunctions;
      addName(name, symbol);
    }
    for (const container::Section& section : m_image.sections) {
      if (section.name == ".nvFatBinSegment" || section.name == ".nv_fatbin") m_signs.nvSection = section.name;
      if (section.name == ".hip_fatbin") m_signs.hipSection = section.name;
    }
    if (m_image.format == container::Format::CSource) addHead();
    if (m_signs.ffiFunctions && m_image.format != container::Format::CSource && m_signs.ffiCode.empty() &&
        m_signs.cute.empty())
      BLOBSCOPE_CHECK(addTexts(monitor));
    return m_signs;
  }

private:
  static void keep(std::string_view& sign, std::string_view name) {
    if (sign.empty()) sign = name;
  }
  static bool isExported(const Symbol& symbol) {
    return symbol.type == SymbolType::Function &&
           (symbol.binding == container::Binding::Global || symbol.binding == container::Binding::Weak);
  }
  /// "TVMFuncCall", "TVMFFIFunctionCall", but not the names of test functions.
  static bool isInterface(std::string_view name) {
    return name.starts_with("TVM") && name[3] >= 'A' && name[3] <= 'Z' && !name.starts_with("TVMFFITesting");
  }

  void addGroup(Group group, std::string_view name) {
    if (group == Group::Slot || group == Group::Context || group == Group::Carrier) keep(m_signs.slot, name);
    if (group == Group::Image && name.starts_with("__tvm_ffi__cubin_")) keep(m_signs.embeddedCubin, name);
  }

  void addName(std::string_view name, const Symbol& symbol) {
    switch (name[0]) {
    case '_':
      if (name.starts_with("_Z")) {
        const auto cpp = cppNameOf(name);
        if (!cpp) break;
        if (cpp->first == "flashinfer") keep(m_signs.flashInfer, name);
        if (cpp->first == "tvm" && cpp->second == "ffi") keep(m_signs.ffiCode, name);
        if (isOfRuntime(*cpp) && (symbol.dynamic || !symbol.defined)) keep(m_signs.runtimeCode, name);
      } else if (name.starts_with("__cute_internal_")) {
        keep(m_signs.cute, name);
      } else if (name.starts_with("__cudaRegister") || name.starts_with("__sti____cudaRegisterAll")) {
        keep(m_signs.nvcc, name);
      } else if (name.starts_with("__hipRegister")) {
        keep(m_signs.hip, name);
      }
      break;
    case 'C':
      if (name.starts_with("CuteDSLRT_")) keep(m_signs.cute, name);
      break;
    case 'c':
      if (name == "cuda_dialect_init_library_once") keep(m_signs.cute, name);
      break;
    case 'P':
      if (name.starts_with("PyInit_") && symbol.defined) keep(m_signs.python, name);
      break;
    case 'T':
      if (symbol.defined) break;
      // apache/tvm-ffi v0.1.0 – v0.1.15 include/tvm/ffi/c_api.h; apache/tvm to v0.20
      // include/tvm/runtime/c_runtime_api.h.
      if (name.starts_with("TVMFFIFunctionSetGlobal") || name.starts_with("TVMFFITypeRegister") ||
          name == "TVMFFITypeGetOrAllocIndex" || name == "TVMFuncRegisterGlobal")
        keep(m_signs.registers, name);
      if (name == "TVMFFIErrorMoveFromRaised" || name == "TVMFFIErrorCreate" || name == "TVMFFIGetTypeInfo")
        keep(m_signs.safeCall, name);
      if (name == "TVMFFIErrorSetRaisedFromCStrParts" || name == "TVMFFIErrorSetRaisedFromCStr")
        keep(m_signs.errors, name);
      break;
    default: break;
    }
  }

  /// Lines of a generator at the beginning of C source.
  void addHead() {
    constexpr std::size_t kHead = 4'096;
    constexpr std::string_view kTileLang = "// tilelang target:", kTvm = "// tvm target:";
    const std::string_view head = m_image.file.view().substr(0, kHead);
    for (const auto& [line, sign] : {std::pair(kTileLang, &m_signs.tileLangText), std::pair(kTvm, &m_signs.tvmText)})
      if (const std::size_t at = head.find(line); at != std::string_view::npos && (at == 0 || head[at - 1] == '\n'))
        *sign = line;
  }

  /// A text of TileLang's checks: core/host/tilelang_checks.h.
  Result<Done> addTexts(Monitor& monitor) {
    constexpr std::size_t kLeast = 24;
    return host::forEachText(
        m_image, host::TextPlaces::ReadOnly, kLeast,
        [&](std::string_view text, bool) {
          constexpr std::string_view kKernel = "kernel ";
          if (!m_signs.tileLangText.empty()) return;
          const std::size_t at = text.find(kKernel);
          if (at > 8) return;
          const std::string_view rest = text.substr(at);
          const bool input = rest.find(" input ") != std::string_view::npos &&
                             containsAny(rest, {" expected pointer or tensor handle", " ndim mismatch, expected "});
          const bool scalar = rest.find(" scalar ") != std::string_view::npos &&
                              (rest.ends_with(" expected integer") || rest.ends_with(" expected float") ||
                               rest.ends_with(" expected boolean"));
          if (input || scalar) m_signs.tileLangText = rest;
        },
        monitor);
  }

  const Image& m_image;
  const host::HostSymbols& m_host;
  Signs m_signs;
};

std::string quoted(std::string_view name) { return "'" + escapedWithin(demangled(name), kShownName) + "'"; }
std::string symbolSign(std::string_view name) { return "it has symbols such as " + quoted(name); }

/// One producer. `sign` returns what shows it; empty: the image was not made by it.
struct Row {
  std::string_view id, title;
  std::string (*sign)(const Signs& signs);
};

/// The first row whose sign is there is the producer: what is special comes before what it is built on.
constexpr Row kRows[] = {
    {"runtime", "TVM runtime",
     [](const Signs& signs) -> std::string {
       if (signs.runtimeFunctions < kRuntimeFunctions) return {};
       return "it exports " + groupedText(signs.runtimeFunctions) + " functions of TVM's C interface";
     }},
    {"runtime", "part of a TVM runtime",
     [](const Signs& signs) -> std::string {
       if (signs.runtimeCode.empty() || signs.ffiFunctions || !signs.slot.empty() || !signs.python.empty()) return {};
       return "it has C++ code of TVM such as " + quoted(signs.runtimeCode) + ", and no function for a runtime to call";
     }},
    {"tilelang", "TileLang",
     [](const Signs& signs) -> std::string {
       if (signs.tileLangText.empty()) return {};
       return "it has the text '" + escapedWithin(signs.tileLangText, kShownName) + "'";
     }},
    {"cute-dsl", "CuTe DSL",
     [](const Signs& signs) { return signs.cute.empty() ? std::string() : symbolSign(signs.cute); }},
    {"flashinfer", "FlashInfer",
     [](const Signs& signs) { return signs.flashInfer.empty() ? std::string() : symbolSign(signs.flashInfer); }},
    {"tvm", "TVM",
     [](const Signs& signs) -> std::string {
       if (!signs.tvmText.empty()) return "it begins with '" + std::string(signs.tvmText) + "'";
       return signs.slot.empty() ? std::string() : "it has the symbol " + quoted(signs.slot);
     }},
    {"tvm-ffi", "tvm-ffi",
     [](const Signs& signs) -> std::string {
       if (!signs.embeddedCubin.empty()) return "it has the symbol " + quoted(signs.embeddedCubin);
       if (signs.ffiFunctions && !signs.ffiCode.empty())
         return "it has C++ code of tvm-ffi such as " + quoted(signs.ffiCode);
       if (signs.ffiFunctions && !signs.safeCall.empty()) return "it imports " + quoted(signs.safeCall);
       return {};
     }},
    {"tvm-ffi", "tvm-ffi, with functions and classes that it registers itself",
     [](const Signs& signs) -> std::string {
       if (signs.registers.empty() || signs.ffiFunctions || !signs.python.empty()) return {};
       return "its start-up code registers them with " + quoted(signs.registers) +
              ", and it exports no function '__tvm_ffi_…'";
     }},
    {"hipcc", "hipcc",
     [](const Signs& signs) -> std::string {
       if (!signs.hipSection.empty()) return "it has the section '" + std::string(signs.hipSection) + "'";
       return signs.hip.empty() ? std::string() : "it has the symbol " + quoted(signs.hip);
     }},
    {"nvcc", "nvcc",
     [](const Signs& signs) -> std::string {
       if (!signs.nvSection.empty()) return "it has the section '" + std::string(signs.nvSection) + "'";
       return signs.nvcc.empty() ? std::string() : "it has the symbol " + quoted(signs.nvcc);
     }},
    {"tvm", "TVM",
     [](const Signs& signs) -> std::string {
       if (!signs.hostCode) return {};
       return signs.errors.empty() ? "it exports functions as TVM does" : "its checks call " + quoted(signs.errors);
     }},
};

bool isNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether the text may be the name of a global function or class: "xgrammar.testing.f". Names of constants, files and
/// what tvm-ffi registers itself are not.
bool looksRegistered(std::string_view text) {
  constexpr std::size_t kLeast = 6, kMost = 256;
  if (text.size() < kLeast || text.size() > kMost || text.starts_with("ffi.")) return false;
  std::size_t parts = 0;
  bool lower = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    if (part.empty() || (part[0] >= '0' && part[0] <= '9') || !std::all_of(part.begin(), part.end(), isNamePart))
      return false;
    lower = std::any_of(part.begin(), part.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (++parts == 1 && part.size() < 3) return false;
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (rest.empty() && text.ends_with('.')) return false;
  }
  constexpr std::array<std::string_view, 12> kEndings = {".cc",  ".cpp", ".cxx", ".cu",  ".cuh",  ".h",
                                                         ".hpp", ".py",  ".so",  ".txt", ".json", ".dll"};
  return parts >= 2 && lower &&
         std::none_of(kEndings.begin(), kEndings.end(), [&](std::string_view end) { return text.ends_with(end); });
}

} // namespace

std::string Producer::sentence() const {
  return (id == "runtime" ? std::string() : "made by ") + std::string(title) + ": " + sign;
}

std::string_view fileKindName(FileKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"library", "runtime", "python-extension", "source", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string fileKindCount(FileKind kind, uint64_t count) {
  constexpr std::array<std::string_view, 5> kWords = {"library", "runtime", "Python extension", "source file",
                                                      "other file"};
  if (kind == FileKind::Library && count != 1) return groupedText(count) + " libraries";
  return countText(count, kWords[static_cast<std::size_t>(kind)]);
}

Result<std::optional<Producer>> findProducer(const Image& image, const host::HostSymbols& host, bool hasBlobs,
                                             Monitor& monitor) {
  if (image.kind == Kind::Archive || image.format == container::Format::Raw) return std::optional<Producer>();
  BLOBSCOPE_TRY(signs, SignReader(image, host).read(monitor));
  // Objects of a runtime are linked into something else; programs with models have a runtime inside.
  if (hasBlobs || image.kind == Kind::Object || image.kind == Kind::Text) {
    signs.runtimeFunctions = 0;
    signs.runtimeCode = {};
  }
  for (const Row& row : kRows) {
    std::string sign = row.sign(signs);
    if (sign.empty()) continue;
    // CuTe DSL, nvcc and hipcc also make libraries without any function for a runtime.
    const bool ofTvm = hasBlobs || signs.hostCode || !signs.registers.empty();
    return std::optional(Producer{row.id, row.title, std::move(sign), ofTvm});
  }
  return std::optional<Producer>();
}

FileKind fileKindOf(const Image& image, const host::HostSymbols& host, bool hasBlobs,
                    const std::optional<Producer>& producer) {
  if (image.kind == Kind::Archive || image.kind == Kind::Object || image.format == container::Format::Raw || hasBlobs)
    return FileKind::Library;
  if (image.kind == Kind::Text) return host.functions.empty() ? FileKind::Source : FileKind::Library;
  if (producer && producer->id == "runtime") return FileKind::Runtime;
  if (!host.functions.empty() && host.abi && *host.abi >= host::Abi::Ffi2) return FileKind::Library;
  const bool python = std::any_of(image.symbols.begin(), image.symbols.end(), [&](const Symbol& symbol) {
    return symbol.defined && image.plainName(symbol).starts_with("PyInit_");
  });
  if (python) return FileKind::PythonExtension;
  return producer || host.abi ? FileKind::Library : FileKind::Other;
}

Result<std::vector<std::string_view>> computeRegisteredNames(const Image& image, Monitor& monitor) {
  longWork("library::computeRegisteredNames");
  constexpr std::size_t kNames = 10'000, kLeast = 6;
  std::vector<std::string_view> names;
  std::unordered_set<std::string_view> known;
  const std::string_view file = image.file.view();
  const auto visit = [&](std::string_view text, bool ended) {
    const bool begins = text.data() == file.data() || text.data()[-1] == '\0';
    if (!ended || !begins || names.size() >= kNames || !looksRegistered(text)) return;
    if (known.insert(text).second) names.push_back(text);
  };
  BLOBSCOPE_CHECK(host::forEachText(image, host::TextPlaces::ReadOnly, kLeast, visit, monitor));
  return names;
}

} // namespace blobscope::library
