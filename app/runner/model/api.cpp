#include "app/runner/model/api.h"

#include "app/runner/backends/loader.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::runner {
namespace {

/// Longest text of the runtime that is passed on.
constexpr std::size_t kReason = 2'000;
constexpr int32_t kAlignment = 64;

/// Returns whether the library may be missing: libtvm_runtime_extra and the runtimes of devices. Required ones come
/// before them.
bool isOptional(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libtvm_runtime_");
}

enum class Family : uint8_t { None, Classic, Ffi1, Ffi2 };

/// Source: core/formats/host-abi.md 5.1.
Family familyOf() {
  const auto has = [](const char* name) { return loader::findGlobalSymbol(name) != nullptr; };
  if (has("TVMFFIFunctionCall") && has("TVMFFIObjectDecRef") && has("TVMFFIGetVersion")) return Family::Ffi2;
  if (has("TVMFFIFunctionCall") && has("TVMFFIObjectFree")) return Family::Ffi1;
  if (has("TVMFuncCall") && has("TVMModLoadFromFile")) return Family::Classic;
  return Family::None;
}

std::string_view familyText(Family family) {
  switch (family) {
  case Family::Classic: return "classic";
  case Family::Ffi1: return "ffi1";
  case Family::Ffi2: return "ffi2 or later";
  case Family::None: break;
  }
  return "unknown";
}

/// Releases by the library's host ABI. Source: core/formats/host-abi.md 1.1.
std::string_view releasesOf(std::string_view abi) {
  if (abi == "classic") return "TVM v0.2 – v0.20";
  if (abi == "ffi1") return "TVM v0.21";
  return "TVM v0.22 and later";
}

} // namespace

FfiValue::~FfiValue() {
  if (isObject()) m_runtime->release(m_value.value.pointer);
}

std::optional<std::string_view> FfiValue::text() const {
  if (m_value.type == kFfiSmallText) {
    const auto* const characters = reinterpret_cast<const char*>(&m_value.value);
    return std::string_view(characters, std::min<std::size_t>(m_value.zeroPad, sizeof(m_value.value)));
  }
  if (m_value.type != kFfiText || !isObject()) return std::nullopt;
  const auto* const bytes = static_cast<const FfiBytes*>(body());
  return std::string_view(bytes->data, bytes->size);
}

Result<FfiRuntime> FfiRuntime::load(const std::vector<std::string>& libraries, std::string_view abi,
                                    std::vector<std::string>& notes) {
  for (const std::string& path : libraries) {
    std::string reason;
    if (loader::load(path, loader::Scope::Global, false, reason)) continue;
    reason = escapedWithin(reason, 500);
    if (!isOptional(path))
      return Error(DiagnosticId::RunLoad, {{"reason", "the TVM runtime '" + escaped(path) + "': " + reason}});
    notes.push_back("not loaded: '" + escaped(path) + "': " + reason);
  }
  const Family family = familyOf();
  const Family wanted = abi == "classic" ? Family::Classic : abi == "ffi1" ? Family::Ffi1 : Family::Ffi2;
  if (family != wanted)
    return Error(DiagnosticId::RunAbiRuntime,
                 {arg("library", abi), arg("runtime", familyText(family)), arg("releases", releasesOf(abi))});
  if (family != Family::Ffi2)
    return Error(DiagnosticId::RunAbiRuntime,
                 {arg("library", abi), arg("runtime", std::string(familyText(family)) + ", which is not supported yet"),
                  arg("releases", "TVM v0.22 and later, after exporting the library with one of these")});

  FfiRuntime runtime;
  std::string missing;
  const auto find = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(loader::findGlobalSymbol(name));
    if (!function && missing.empty()) missing = name;
  };
  find(runtime.m_call, "TVMFFIFunctionCall");
  find(runtime.m_getGlobal, "TVMFFIFunctionGetGlobal");
  find(runtime.m_takeError, "TVMFFIErrorMoveFromRaised");
  find(runtime.m_decRef, "TVMFFIObjectDecRef");
  void (*getVersion)(uint32_t*) = nullptr;
  find(getVersion, "TVMFFIGetVersion");
  if (!missing.empty())
    return Error(DiagnosticId::RunLoad, {{"reason", "the TVM runtime has no function " + missing +
                                                        ", which all runtimes of its host ABI have"}});
  // Earlier releases take the tensor's header instead.
  runtime.m_fromDlpack =
      reinterpret_cast<decltype(runtime.m_fromDlpack)>(loader::findGlobalSymbol("TVMFFITensorFromDLPackVersioned"));
  std::array<uint32_t, 3> numbers{};
  getVersion(numbers.data());
  for (const uint32_t number : numbers)
    runtime.m_version += (runtime.m_version.empty() ? "" : ".") + std::to_string(number);
  runtime.m_facts.emplace_back("tvm-ffi", runtime.m_version);
  for (const std::string& path : libraries) runtime.m_facts.emplace_back("runtime library", escapedWithin(path, 400));
  return runtime;
}

FfiValue FfiRuntime::global(std::string_view name) const {
  const FfiBytes bytes{name.data(), name.size()};
  void* function = nullptr;
  if (m_getGlobal(&bytes, &function) != 0)
    (void)takeRaised();
  else if (function)
    return {*this, FfiAny{kFfiFunction, 0, {.pointer = function}}};
  return {*this, FfiAny{}};
}

std::optional<FfiValue> FfiRuntime::call(const FfiValue& function, std::span<const FfiAny> arguments,
                                         std::string& reason) const {
  FfiAny result;
  if (m_call(function.any().value.pointer, arguments.data(), static_cast<int32_t>(arguments.size()), &result) == 0)
    return FfiValue(*this, result);
  reason = takeRaised();
  return std::nullopt;
}

std::optional<FfiValue> FfiRuntime::tensor(ManagedTensor& managed, std::string& reason) const {
  void* object = nullptr;
  if (!m_fromDlpack) {
    reason = "this runtime does not accept tensors from other code";
    return std::nullopt;
  }
  if (m_fromDlpack(&managed, kAlignment, 1, &object) == 0 && object)
    return FfiValue(*this, FfiAny{kFfiTensorObject, 0, {.pointer = object}});
  reason = takeRaised();
  return std::nullopt;
}

std::string FfiRuntime::takeRaised() const {
  void* raised = nullptr;
  m_takeError(&raised);
  if (!raised) return "no reason given";
  const FfiValue error(*this, FfiAny{kFfiError, 0, {.pointer = raised}});
  const auto* const texts = static_cast<const FfiBytes*>(error.body());
  const auto lineOf = [](const FfiBytes& bytes) {
    std::string_view text = bytes.data ? std::string_view(bytes.data, bytes.size) : std::string_view();
    while (text.starts_with('\n')) text.remove_prefix(1);
    return escapedWithin(text.substr(0, text.find('\n')), kReason);
  };
  const std::string kind = lineOf(texts[0]);
  return (kind.empty() ? "" : kind + ": ") + lineOf(texts[1]);
}

} // namespace blobscope::runner
