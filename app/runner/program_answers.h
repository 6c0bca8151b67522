#pragma once

#include "app/runner/host_abi.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace blobscope::runner {

/// A packed value and the address at which the library keeps it.
struct PlacedValue {
  const void* place = nullptr;
  FfiAny value; ///< in the FFI convention, whatever the library uses
};

/// What compiled functions of a virtual machine ask for while they run: built-in functions of the machine, and its
/// lists of registers, constants and functions. Source: core/formats/vm-executables.md 5; apache/tvm v0.16 – v0.27
/// include/tvm/runtime/c_backend_api.h, TVMBackendAnyList….
class ProgramAnswers {
public:
  ProgramAnswers() = default;
  ProgramAnswers(const ProgramAnswers&) = delete;
  ProgramAnswers& operator=(const ProgramAnswers&) = delete;

  /// Returns what call() takes as `function`; null if there is none of that name.
  virtual const void* findBuiltin(std::string_view name) const = 0;
  /// `result`: where the library keeps the returned value.
  virtual Result<FfiAny> call(const void* function, std::span<const PlacedValue> arguments, const void* result) = 0;
  /// Returns the entry of a list, which the library keeps at `place`.
  virtual Result<FfiAny> get(const void* list, int32_t index, const void* place) = 0;
  /// Sets the entry of a list to a returned value.
  virtual Result<Done> set(const void* list, int32_t index, const PlacedValue& value) = 0;
  virtual Result<Done> reset(const void* list, int32_t index) = 0;

protected:
  ~ProgramAnswers() = default;
};

} // namespace blobscope::runner
