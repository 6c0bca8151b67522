#include "core/base/private_file.h"

#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace blobscope {
namespace {

/// Size of the pieces in which files are written.
constexpr std::size_t kPiece = std::size_t{16} << 20;

} // namespace

std::string writeReason(int number) {
  if (number != EFBIG) return std::strerror(number);
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "the file would be larger than its file system allows";
  return "the file would be larger than the limit of this process, " + sizeText(limit.rlim_cur) +
         "; 'ulimit -f' shows and changes it";
}

void surviveFileLimit() { std::signal(SIGXFSZ, SIG_IGN); }

Result<Done> writePrivateFile(const std::filesystem::path& path, std::span<const std::byte> content) {
  const auto failed = [&] {
    return Error(DiagnosticId::FileWrite, {arg("path", path.native()), {"reason", writeReason(errno)}});
  };
  // O_NONBLOCK: a named pipe must not wait for a reader.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat facts{};
  const bool isPipe = file < 0 && errno == ENXIO;
  if (isPipe || (file >= 0 && fstat(file, &facts) == 0 && !S_ISREG(facts.st_mode))) {
    if (file >= 0) close(file);
    return Error(DiagnosticId::FileWrite,
                 {arg("path", path.native()), {"reason", "a named pipe or device is in its place"}});
  }
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
