#pragma once

#include "app/runner/host_abi.h"
#include "core/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The C interface of an installed TVM runtime, opened at run time. core/formats/host-abi.md 5.1, 5.3; the structures
/// are those of apache/tvm-ffi 0.1 include/tvm/ffi/c_api.h and dmlc/dlpack v1.1 include/dlpack/dlpack.h.
namespace blobscope::runner {

/// Further type indices, as they are since ffi2.
enum FfiObjectType : int32_t {
  kFfiRawText = 8,
  kFfiSmallText = 11,
  kFfiObject = 64,
  kFfiText = 65,
  kFfiError = 67,
  kFfiShape = 69,
  kFfiTensorObject = 70,
  kFfiArray = 71,
  kFfiModule = 73,
};

/// Size in bytes of the header of every object.
constexpr std::size_t kFfiHeader = 24;

/// TVMFFIByteArray; strings and shapes have the same layout after the header.
struct FfiBytes {
  const char* data = nullptr;
  std::size_t size = 0;
};

/// DLManagedTensorVersioned.
struct ManagedTensor {
  uint32_t major = 1, minor = 1;
  void* context = nullptr;
  void (*deleter)(ManagedTensor* self) = nullptr;
  uint64_t flags = 0;
  DlTensor tensor;
};
static_assert(sizeof(ManagedTensor) == 80 && offsetof(ManagedTensor, tensor) == 32);

class FfiRuntime;

/// A value from the runtime; an object in it is released with it.
class FfiValue {
public:
  FfiValue(const FfiRuntime& runtime, FfiAny value) : m_runtime(&runtime), m_value(value) {}
  FfiValue(FfiValue&& other) noexcept : m_runtime(other.m_runtime), m_value(std::exchange(other.m_value, {})) {}
  FfiValue& operator=(FfiValue&& other) noexcept {
    std::swap(m_runtime, other.m_runtime);
    std::swap(m_value, other.m_value);
    return *this;
  }
  ~FfiValue();

  int32_t type() const { return m_value.type; }
  bool isFunction() const { return m_value.type == kFfiFunction && m_value.value.pointer; }
  bool isObject() const { return m_value.type >= kFfiObject && m_value.value.pointer; }
  /// Returns the value as an argument; borrowed.
  const FfiAny& any() const { return m_value; }
  /// Returns the part of an object after its header. Only if isObject().
  const void* body() const { return static_cast<const std::byte*>(m_value.value.pointer) + kFfiHeader; }
  /// Returns the text; both kinds of strings are supported.
  std::optional<std::string_view> text() const;
  int64_t integer() const { return m_value.value.integer; }
  double real() const { return m_value.value.real; }

private:
  const FfiRuntime* m_runtime;
  FfiAny m_value;
};

/// A runtime of tvm-ffi 0.1 or later. Never unloaded.
class FfiRuntime {
public:
  /// Loads the libraries in that order and checks their exports. Libraries after the runtime itself may fail, which is
  /// reported in `notes`. `abi`: the library's, as host::abiName. Errors: RUN-LOAD; RUN-ABI-RUNTIME if the runtime
  /// belongs to another family of host ABIs than the library; RUN-DRIVER-SYMBOL.
  static Result<FfiRuntime> load(const std::vector<std::string>& libraries, std::string_view abi,
                                 std::vector<std::string>& notes);

  /// "0.1.15".
  const std::string& version() const { return m_version; }
  /// Returns names and values to be shown.
  const std::vector<std::pair<std::string, std::string>>& facts() const { return m_facts; }

  /// Returns a global function; None if there is none.
  FfiValue global(std::string_view name) const;
  /// Calls the function; returns nothing, with "KIND: first line" in `reason`, if it fails.
  std::optional<FfiValue> call(const FfiValue& function, std::span<const FfiAny> arguments, std::string& reason) const;
  /// Passes the tensor to the runtime, which calls its deleter at the end. Returns nothing, and the tensor stays ours,
  /// if the runtime does not accept it.
  std::optional<FfiValue> tensor(ManagedTensor& managed, std::string& reason) const;
  void release(void* object) const { m_decRef(object); }

private:
  /// Returns the error that was raised last and clears it.
  std::string takeRaised() const;

  int (*m_call)(void* function, const FfiAny* arguments, int32_t count, FfiAny* result) = nullptr;
  int (*m_getGlobal)(const FfiBytes* name, void** function) = nullptr;
  void (*m_takeError)(void** error) = nullptr;
  int (*m_decRef)(void* object) = nullptr;
  int (*m_fromDlpack)(ManagedTensor* from, int32_t alignment, int32_t contiguous, void** out) = nullptr;
  std::string m_version;
  std::vector<std::pair<std::string, std::string>> m_facts;
};

inline FfiAny ffiInteger(int64_t value) { return {kFfiInt, 0, {.integer = value}}; }
inline FfiAny ffiBoolean(bool value) { return {kFfiBool, 0, {.integer = value ? 1 : 0}}; }
inline FfiAny ffiReal(double value) { return {kFfiFloat, 0, {.real = value}}; }
/// `text` must outlive the value.
inline FfiAny ffiText(const char* text) { return {kFfiRawText, 0, {.pointer = const_cast<char*>(text)}}; }

} // namespace blobscope::runner
