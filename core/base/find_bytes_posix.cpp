#include "core/base/text.h"

#include <cstring>

namespace blobscope {

std::size_t findBytes(std::string_view text, std::string_view pattern, std::size_t from) {
  if (pattern.empty()) return from <= text.size() ? from : std::string_view::npos;
  if (from >= text.size()) return std::string_view::npos;
  const void* const at = memmem(text.data() + from, text.size() - from, pattern.data(), pattern.size());
  return at ? static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) : std::string_view::npos;
}

} // namespace blobscope
