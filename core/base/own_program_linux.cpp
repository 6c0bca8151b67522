#include "core/base/path_text.h"

#include <system_error>

namespace blobscope {

std::filesystem::path ownProgram() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure);
}

} // namespace blobscope
