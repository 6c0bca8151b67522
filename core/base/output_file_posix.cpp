#include "core/base/output_file.h"

#include "core/base/thread_rule.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace blobscope {
namespace {

Error writeError(const std::filesystem::path& path, std::string reason) {
  return Error(DiagnosticId::FileWrite, {arg("path", path.native()), {"reason", std::move(reason)}});
}

Error systemError(const std::filesystem::path& path) { return writeError(path, std::strerror(errno)); }

} // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& target, const std::filesystem::path& input) {
  std::error_code failure;
  // A link is followed: the file it names is replaced, not the link.
  std::filesystem::path path = std::filesystem::weakly_canonical(target, failure);
  if (failure || path.empty()) path = target;
  // That stops at a link to nothing, which would then be replaced itself.
  for (int links = 0; links < 40 && std::filesystem::is_symlink(std::filesystem::symlink_status(path, failure)); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, failure);
    if (failure) break;
    path = path.parent_path() / next;
  }
  const auto status = std::filesystem::status(path, failure);
  if (std::filesystem::exists(status)) {
    if (std::filesystem::is_directory(status)) return writeError(target, "it is a folder");
    if (!std::filesystem::is_regular_file(status))
      return writeError(target, "it is a device or pipe; use -o - for standard output");
    if (std::filesystem::equivalent(path, input, failure)) return Error(DiagnosticId::FileSame, {arg("path", target.native())});
  }
  // Not made of the target's name, which may be as long as a name can be.
  std::string name = (path.parent_path() / ".blobscope-XXXXXX").native();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) return systemError(target);
  // mkstemp makes private files; the result gets the rights of any new file, or those of the file it replaces.
  const mode_t mask = umask(0);
  umask(mask);
  struct stat old = {};
  const mode_t mode = stat(path.c_str(), &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask;
  if (fchmod(descriptor, mode) != 0) {
    close(descriptor);
    unlink(name.c_str());
    return systemError(target);
  }
  return OutputFile(target, std::move(path), name, descriptor);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : m_asked(std::move(other.m_asked)), m_target(std::move(other.m_target)), m_temporary(std::move(other.m_temporary)),
      m_descriptor(std::exchange(other.m_descriptor, -1)) {}

OutputFile::~OutputFile() {
  if (m_descriptor < 0) return;
  close(m_descriptor);
  unlink(m_temporary.c_str());
}

Result<Done> OutputFile::write(const Bytes& bytes, Monitor& monitor) {
  longWork("OutputFile::write");
  constexpr uint64_t kStep = 1 << 20;
  for (uint64_t at = 0; at < bytes.size();) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("writing", at, bytes.size());
    const Bytes part = bytes.slice(at, kStep);
    const ssize_t written = ::write(m_descriptor, part.data(), part.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return systemError(m_asked);
    at += static_cast<uint64_t>(written);
  }
  return Done{};
}

Result<Done> OutputFile::commit() {
  longWork("OutputFile::commit");
  if (fsync(m_descriptor) != 0) return systemError(m_asked);
  if (rename(m_temporary.c_str(), m_target.c_str()) != 0) return systemError(m_asked);
  close(std::exchange(m_descriptor, -1));
  return Done{};
}

} // namespace blobscope
