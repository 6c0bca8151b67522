#pragma once

#include "app/runner/host_abi.h"
#include "app/runner/shim/shim_table.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
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
  void pointer(void* address) { add(kClassicHandle, kFfiPointer, {.pointer = address}); }
  void nullPointer() { pointer(nullptr); }
  void clear() { m_count = 0; }
  int count() const { return static_cast<int>(m_count); }
  /// Sets the entries after the last argument: host code of some releases reads arguments before it checks their
  /// number.
  void padWith(DlTensor* tensor) { m_padding = tensor; }

private:
  friend class HostLibrary;
  void add(int code, int32_t type, TvmValue value);
  /// Sets the entries after the last argument.
  void pad();
  /// Host code of some releases reads this number of entries whatever the number of arguments is.
  static constexpr std::size_t kPadding = 64;
  std::size_t m_count = 0;
  std::size_t m_used = 0; ///< the entries from here on are padding
  std::vector<TvmValue> m_values;
  std::vector<int> m_codes;
  std::vector<FfiAny> m_any;
  DlTensor* m_padding = nullptr;
};

/// Makes the shim's symbols visible to every library that is loaded later. Error: RUN-LOAD.
Result<Done> loadShim(const BlobscopeShimTable& table);
/// Adds the symbols that only metadata getters need. Call it after loadShim(). Error: RUN-LOAD.
Result<Done> loadMetadataShim();

/// A loaded library. It is never unloaded.
class HostLibrary {
public:
  /// Runs the library's constructors and sets its context pointers. `abi`: as host::abiName. Libraries "stub-0.so" …
  /// next to it are loaded first; their functions stop the call that reaches them. Errors: RUN-LOAD, RUN-ABI-UNKNOWN.
  static Result<HostLibrary> load(const std::string& path, std::string_view abi, bool lazy);

  bool isClassic() const { return m_classic; }
  /// Returns a host function by TVM's name, without prefix; null if there is none.
  void* find(const std::string& name) const;
  /// Calls a host function and returns its result code; -1 if it was stopped at a missing function. `result`: receives
  /// the returned value; only in the FFI convention.
  int call(void* function, PackedArguments& arguments, FfiAny* result = nullptr) const;
  /// Runs code of a library that returns a result code; -1 if it was stopped at a missing function.
  static int guarded(const std::function<int()>& code);
  void* handle() const { return m_handle; }
  const std::string& prefix() const { return m_prefix; } ///< of the symbols of host functions
  /// Returns the missing function at which the last call of this thread was stopped, and resets it; empty if it was not
  /// stopped.
  static std::string takeMissing();

private:
  void* m_handle = nullptr;
  bool m_classic = false;
  std::string m_prefix; ///< "__tvm_ffi_" or empty
};

} // namespace blobscope::runner
