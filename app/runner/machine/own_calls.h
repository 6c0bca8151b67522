#pragma once

#include "app/runner/library.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace blobscope::runner::machine {

/// A call of a library to one of its own host functions.
struct OwnCall {
  const std::string& name;                  ///< without `__tvm_ffi_`
  std::span<const DlTensor* const> tensors; ///< among the arguments, in order
  const std::function<int()>& run;          ///< makes the call, and returns its code
};

/// Redirects the calls that a library makes to its own host functions: machine code of a model calls kernels through
/// the procedure linkage table. `seen` makes the call, and returns its code; it is called on any thread of the library.
/// Returns how many functions it sees: 0 in the classic convention, on systems without such a table, and for code that
/// calls directly. Call it once.
std::size_t redirectOwnCalls(const HostLibrary& library, std::function<int(const OwnCall&)> seen);

} // namespace blobscope::runner::machine
