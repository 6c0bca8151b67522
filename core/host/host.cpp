#include "core/host/host.h"

#include "core/container/carrier.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace blobscope::host {
namespace {

using container::Binding;
using container::Image;
using container::Symbol;
using container::SymbolType;

constexpr std::string_view kFfiPrefix = "__tvm_ffi_";
constexpr std::string_view kMetadataPrefix = "__tvm_ffi__metadata_";
constexpr std::string_view kDocPrefix = "__tvm_ffi__doc_";
constexpr std::string_view kCubinPrefix = "__tvm_ffi__cubin_";

// apache/tvm v0.2 – v0.27 and apache/tvm-ffi: pointers that the loader fills.
constexpr std::array<std::string_view, 13> kSlots = {"__TVMFuncCall",
                                                     "__TVMAPISetLastError",
                                                     "__TVMBackendGetFuncFromEnv",
                                                     "__TVMBackendAllocWorkspace",
                                                     "__TVMBackendFreeWorkspace",
                                                     "__TVMBackendParallelLaunch",
                                                     "__TVMBackendParallelBarrier",
                                                     "__TVMFFIFunctionCall",
                                                     "__TVMFFIErrorSetRaisedFromCStr",
                                                     "__TVMFFIEnvModLookupFromImports",
                                                     "__TVMFFIHandleInitOnce",
                                                     "__TVMBackendSetDevice",
                                                     "__TVMBackendGetDeviceIndex"};
constexpr std::array<std::string_view, 3> kContexts = {"__tvm_module_ctx", "__tvm_ffi_library_ctx",
                                                       "__tvm_ffi__library_ctx"};
constexpr std::array<std::string_view, 4> kMetadata = {"_lookup_linked_param", "get_c_metadata", "__tvm_module_startup",
                                                       "__tvm_dev_mblob_nbytes"};
// Written by the linker or the C start files into every shared object, never by TVM.
constexpr std::array<std::string_view, 6> kToolchain = {"_init", "_fini", "_start", "_edata", "_end", "main"};

template <std::size_t N> bool isOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool isRuntimeName(std::string_view name) { return name.starts_with("TVM"); }

/// Whether a name without prefix can be a host function: not the linker's, not one of the compiler's helpers
/// (`__truncsfhf2`), not C++. A Relax function compiled to machine code is `__vmtir__NAME`.
bool isPlainFunction(std::string_view name) {
  if (name.empty() || isOneOf(name, kToolchain) || name.starts_with("_Z") || isRuntimeName(name)) return false;
  return !name.starts_with("__") || name.starts_with("__vmtir__");
}

/// The group of every symbol that is not a function; the meaning of functions depends on the ABI.
Group groupOf(const Symbol& symbol) {
  const std::string_view name = symbol.name;
  if (!symbol.defined) return isRuntimeName(name) ? Group::Runtime : Group::Other;
  if (isOneOf(name, kSlots)) return Group::Slot;
  if (isOneOf(name, kContexts)) return Group::Context;
  if (container::matchCarrier(name) && !container::isFunctionName(symbol.type, name)) return Group::Carrier;
  if (name == "__tvm_main__" || name == "__tvm_ffi_main__") return Group::Entry;
  if (isOneOf(name, kMetadata) || name.starts_with(kMetadataPrefix) || name.starts_with(kDocPrefix))
    return Group::Metadata;
  if (name.starts_with("__tvm_param__")) return Group::Parameter;
  if (name.starts_with(kCubinPrefix) || (name.starts_with("_binary_embedded_") && name.ends_with("_cubin_size")))
    return Group::Image;
  return Group::Other;
}

/// The tests of core/formats/host-abi.md 1.1 in their order; the first one that succeeds decides.
class AbiDetector {
public:
  void add(const Symbol& symbol) {
    const std::string_view name = symbol.name;
    if (name.size() < 8) return;
    if (!symbol.defined) {
      m_ffi5 |= name == "TVMBackendSetDevice";
      m_ffi4 |= name == "TVMFFIEnvModLookupFromImports";
      m_errorParts |= name == "TVMFFIErrorSetRaisedFromCStrParts";
      m_classic |= name == "TVMFuncCall" || name == "TVMBackendGetFuncFromEnv";
      return;
    }
    // A carrier with a prefix has this ending but another beginning. A function may be called `library_bin`.
    const bool isFunction = container::isFunctionName(symbol.type, name);
    m_ffi1 |= name.ends_with("__tvm_ffi_library_bin") && !isFunction;
    m_ffiFunction |= name.ends_with("__tvm_ffi__library_bin");
    m_classic |= name.ends_with("__tvm_dev_mblob");
    if (!name.starts_with("__")) return;
    m_ffi5 |= name == "__TVMBackendSetDevice";
    m_ffi4 |= name == "__TVMFFIEnvModLookupFromImports";
    m_context |= name == "__tvm_ffi__library_ctx";
    m_ffi1 |= name == "__tvm_ffi_library_ctx" || name == "__TVMFFIFunctionCall";
    m_ffiFunction |= isFunction || (name.starts_with(kFfiPrefix) && name != "__tvm_ffi_library_ctx" &&
                                    !name.ends_with("__tvm_ffi_library_bin"));
    // Libraries of v0.2 – v0.6 without device code have only some slots and the entry name (two real files; the format
    // text does not list them). The ffi tests come first, so later libraries with the same slots are already
    // recognised.
    m_classic |= name == "__tvm_module_ctx" || name == "__tvm_main__" || isOneOf(name, kSlots);
  }
  std::optional<Abi> abi() const {
    if (m_ffi5) return Abi::Ffi5;
    if (m_ffi4) return Abi::Ffi4;
    // A library without device calls has no context (seen, v0.27), so a function alone is sufficient.
    const bool ffi = m_context || m_ffiFunction;
    if (ffi) return m_errorParts ? Abi::Ffi3 : Abi::Ffi2;
    if (m_ffi1) return Abi::Ffi1;
    if (m_classic) return Abi::Classic;
    return std::nullopt;
  }

private:
  bool m_ffi5 = false, m_ffi4 = false, m_errorParts = false, m_context = false, m_ffiFunction = false, m_ffi1 = false,
       m_classic = false;
};

bool isCallable(const Symbol& symbol) {
  return symbol.defined && symbol.type == SymbolType::Function &&
         (symbol.binding == Binding::Global || symbol.binding == Binding::Weak);
}

/// The symbol with its plain name, without the prefix that the format adds.
Symbol plainSymbol(const Image& image, const Symbol& stored) {
  Symbol symbol = stored;
  symbol.name = image.plainName(stored);
  return symbol;
}

} // namespace

std::string_view abiName(Abi abi) {
  constexpr std::array<std::string_view, 6> kNames = {"classic", "ffi1", "ffi2", "ffi3", "ffi4", "ffi5"};
  return kNames[static_cast<std::size_t>(abi)];
}

std::string_view abiReleases(Abi abi) {
  // A library without assertions or device calls lacks the signs of the newer ABIs. Source: core/formats/host-abi.md
  // 1.1.
  constexpr std::array<std::string_view, 6> kNames = {"TVM v0.2 – v0.20",    "TVM v0.21",
                                                      "TVM v0.22 and later", "TVM v0.24 and later",
                                                      "TVM v0.26 and later", "apache-tvm-tirx 0.1"};
  return kNames[static_cast<std::size_t>(abi)];
}

std::string_view groupName(Group group) {
  constexpr std::array<std::string_view, 10> kNames = {"function", "entry",     "slot",  "context", "carrier",
                                                       "metadata", "parameter", "image", "runtime", "other"};
  return kNames[static_cast<std::size_t>(group)];
}

Result<HostSymbols> readHost(const Image& image, Monitor& monitor) {
  HostSymbols host;
  uint64_t looks = 0;
  const auto stopped = [&] {
    if (looks++ % 4'096 != 0) return false;
    monitor.progress("sorting symbols", host.groups.size(), image.symbols.size());
    return monitor.stopRequested();
  };
  host.groups.reserve(image.symbols.size());
  const bool hasDynamic =
      std::any_of(image.symbols.begin(), image.symbols.end(), [](const Symbol& symbol) { return symbol.dynamic; });
  const auto counts = [&](const Symbol& symbol) { return symbol.dynamic || !hasDynamic; };

  // --- 1. The group of each symbol by its own name, and the ABI that follows from all of them. ---
  AbiDetector detector;
  for (const Symbol& stored : image.symbols) {
    if (stopped()) return Error(DiagnosticId::Cancelled, {});
    const Symbol symbol = plainSymbol(image, stored);
    if (counts(symbol)) detector.add(symbol);
    host.groups.push_back(groupOf(symbol));
  }
  host.abi = detector.abi();
  if (!host.abi) return host;

  // --- 2. Functions: by prefix from ffi2 on, by plain name before. ---
  const bool prefixed = *host.abi >= Abi::Ffi2;
  std::vector<uint32_t> getters;
  const auto addFunction = [&](std::string_view name, uint32_t index) {
    host.groups[index] = Group::Function;
    if (counts(image.symbols[index])) host.functions.push_back({name, index});
  };
  for (uint32_t index = 0; index < image.symbols.size(); ++index) {
    if (stopped()) return Error(DiagnosticId::Cancelled, {});
    const Symbol symbol = plainSymbol(image, image.symbols[index]);
    if (!isCallable(symbol)) continue;
    if (host.groups[index] == Group::Metadata && symbol.name.starts_with(kFfiPrefix)) getters.push_back(index);
    if (host.groups[index] != Group::Other) continue;
    if (prefixed) {
      if (symbol.name.starts_with(kFfiPrefix)) addFunction(symbol.name.substr(kFfiPrefix.size()), index);
    } else if (isPlainFunction(symbol.name)) {
      addFunction(symbol.name, index);
    }
  }
  // The symbol of a function `_doc_x` looks like the documentation getter of `x`; it is a getter only when there is an
  // `x`.
  if (getters.empty()) return host;
  std::unordered_set<std::string_view> names; // created only when needed: hashing half a million names takes 150 ms
  for (const Function& function : host.functions) {
    if (stopped()) return Error(DiagnosticId::Cancelled, {});
    names.insert(function.name);
  }
  for (const uint32_t index : getters) {
    const std::string_view name = image.plainName(image.symbols[index]);
    const std::string_view prefix = name.starts_with(kDocPrefix) ? kDocPrefix : kMetadataPrefix;
    if (!names.contains(name.substr(prefix.size()))) addFunction(name.substr(kFfiPrefix.size()), index);
  }
  return host;
}

} // namespace blobscope::host
