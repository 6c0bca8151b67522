#include "core/base/text.h"

namespace blobscope {

std::size_t findBytes(std::string_view text, std::string_view pattern, std::size_t from) {
  if (pattern.empty()) return from <= text.size() ? from : std::string_view::npos;
  if (from >= text.size()) return std::string_view::npos;
  return text.find(pattern, from);
}

} // namespace blobscope
