#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace blobscope::runner::cuda {

/// Returns the result of a pair of a compiler's functions, one for the size and one for the bytes; nothing if one of
/// them fails, or if the size is larger than 256 MiB.
template <class Size, class Get, class Handle> std::optional<std::string> fetched(Size size, Get get, Handle handle) {
  constexpr std::size_t kOutputBytes = std::size_t{256} << 20;
  std::size_t bytes = 0;
  if (!size || !get || size(handle, &bytes) != 0 || bytes > kOutputBytes) return std::nullopt;
  std::string out(bytes, '\0');
  if (bytes > 0 && get(handle, out.data()) != 0) return std::nullopt;
  return out;
}

} // namespace blobscope::runner::cuda
