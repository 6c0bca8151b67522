#pragma once

#include "core/base/result.h"

#include <new>
#include <stdexcept>
#include <type_traits>

namespace blobscope {

/// FILE-LIMIT for work that needs more memory than is available; names the limit of this process if it has one.
Error memoryError();

/// The Result of `work`. When it runs out of memory (std::bad_alloc), or requests more than any memory can hold
/// (std::length_error), everything that it made is freed and the result is memoryError(). For whole pieces of work: a
/// job, a verb.
template <class F> std::invoke_result_t<F> withinMemory(F&& work) {
  try {
    return std::forward<F>(work)();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {}
  return memoryError(); // here, where all memory of the work is free again
}

} // namespace blobscope
