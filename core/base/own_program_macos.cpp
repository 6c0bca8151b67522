#include "core/base/path_text.h"

#include <cstdint>
#include <mach-o/dyld.h>
#include <string>
#include <system_error>

namespace blobscope {

std::filesystem::path ownProgram() {
  uint32_t size = 0;
  (void)_NSGetExecutablePath(nullptr, &size);
  std::string text(size, '\0');
  if (_NSGetExecutablePath(text.data(), &size) != 0) return {};
  std::error_code failure;
  return std::filesystem::canonical(text.c_str(), failure);
}

} // namespace blobscope
