#pragma once

#include "app/runner/host_abi.h"
#include "app/runner/shim/shim_table.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::runner {

/// Arguments of a host function in both conventions.
class PackedArguments {
public:
  void tensor(DlTensor* tensor) { add(kClassicTensor, kFfiTensor, {.pointer = tensor}); }
  void integer(int64_t value) { add(kClassicInt, kFfiInt, {.integer = value}); }
  void boolean(bool value) { add(kClassicInt, kFfiBool, {.integer = value ? 1 : 0}); }
  void real(double value) { add(kClassicFloat, kFfiFloat, {.real = value}); }
  void nullPointer() { add(kClassicHandle, kFfiPointer, {.pointer = nullptr}); }
  int count() const { return static_cast<int>(m_codes.size()); }
  /// What stands behind the last one: host code of some releases reads arguments before it counts them.
  void padWith(DlTensor* tensor) { m_padding = tensor; }

private:
  friend class HostLibrary;
  void add(int code, int32_t type, TvmValue value) {
    m_values.push_back(value);
    m_codes.push_back(code);
    m_any.push_back({type, 0, value});
  }
  std::vector<TvmValue> m_values;
  std::vector<int> m_codes;
  std::vector<FfiAny> m_any;
  DlTensor* m_padding = nullptr;
};

/// Makes the shim's names visible to every library that is loaded later. RUN-LOAD.
Result<Done> loadShim(const BlobscopeShimTable& table);
/// Adds the names that only getters of metadata need. After loadShim(). RUN-LOAD.
Result<Done> loadMetadataShim();

/// A loaded library. It is never unloaded.
class HostLibrary {
public:
  /// Runs the library's constructors and fills its context cells. `abi` as host::abiName. RUN-LOAD, RUN-ABI-UNKNOWN.
  /// Libraries "stub-0.so" … beside it are loaded first; their functions stop the call they are called in.
  static Result<HostLibrary> load(const std::string& path, std::string_view abi, bool lazy);

  bool isClassic() const { return m_classic; }
  /// A host function by TVM's name, without prefix; null when there is none.
  void* find(const std::string& name) const;
  /// Calls a host function; what it returns, -1 when it was stopped at a missing function.
  /// `result`: takes what it gives back; only of the FFI convention.
  int call(void* function, PackedArguments& arguments, FfiAny* result = nullptr) const;
  /// The missing function that the last call of this thread was stopped at, empty when it was not; forgets it.
  static std::string takeMissing();

private:
  void* m_handle = nullptr;
  bool m_classic = false;
  std::string m_prefix; ///< "__tvm_ffi_" or nothing
};

} // namespace blobscope::runner
