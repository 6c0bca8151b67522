#pragma once

#include "core/base/result.h"

#include <new>
#include <stdexcept>
#include <type_traits>

namespace blobscope {

/// FILE-LIMIT, for work that needs more memory than there is; with the limit of this process where it has one.
Error memoryError();

/// The Result of `work`. When memory runs out in it (std::bad_alloc), or it asks for more than any memory holds
/// (std::length_error), what it made is gone and the result is memoryError(). For whole pieces of work: a job, a verb.
template <class F> std::invoke_result_t<F> withinMemory(F&& work) {
  try {
    return std::forward<F>(work)();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {}
  return memoryError(); // here, where all that the work had is free again
}

} // namespace blobscope
