#include "core/base/private_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace blobscope {
namespace {

/// Size of the pieces in which files are written.
constexpr std::size_t kPiece = std::size_t{16} << 20;

} // namespace

Result<Done> writePrivateFile(const std::filesystem::path& path, std::span<const std::byte> content) {
  const auto failed = [&] {
    return Error(DiagnosticId::FileWrite, {arg("path", path.native()), {"reason", std::strerror(errno)}});
  };
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed();
  while (!content.empty()) {
    const ssize_t count = write(file, content.data(), std::min(content.size(), kPiece));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      Error error = failed();
      close(file);
      return error;
    }
    content = content.subspan(static_cast<std::size_t>(count));
  }
  if (close(file) != 0) return failed();
  return Done{};
}

} // namespace blobscope
