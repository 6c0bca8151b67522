#include "core/base/output_file.h"

#include "core/base/source.h"
#include "core/base/thread_rule.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace blobscope {
namespace {

Error writeError(const std::filesystem::path& path, std::string reason) {
  return Error(DiagnosticId::FileWrite, {arg("path", path.native()), {"reason", std::move(reason)}});
}

Error systemError(const std::filesystem::path& path) { return writeError(path, std::strerror(errno)); }

constexpr std::string_view kTemporary = ".blobscope-XXXXXX"; // mkstemp() fills the end
constexpr std::string_view kBackup = "-bak";                 // behind that: a second name while backUp() works

/// Removes files of writers that were killed. A living writer holds a lock on its own.
void removeStale(const std::filesystem::path& folder) {
  std::error_code failure;
  std::vector<std::filesystem::path> found;
  for (auto entry = std::filesystem::directory_iterator(folder.empty() ? "." : folder, failure); !failure && entry != std::filesystem::directory_iterator();
       entry.increment(failure)) {
    const std::string name = entry->path().filename().native();
    const bool sized = name.size() == kTemporary.size() || (name.size() == kTemporary.size() + kBackup.size() && name.ends_with(kBackup));
    std::error_code ignored;
    if (sized && name.starts_with(kTemporary.substr(0, kTemporary.size() - 6)) && std::filesystem::is_regular_file(entry->symlink_status(ignored)))
      found.push_back(entry->path());
  }
  // A backup's second name, which nobody locks, comes behind its writer's file: while that is there it is in use.
  std::sort(found.begin(), found.end());
  for (const std::filesystem::path& path : found) {
    const std::string& name = path.native();
    std::error_code ignored;
    if (name.ends_with(kBackup) && std::filesystem::exists(name.substr(0, name.size() - kBackup.size()), ignored)) continue;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
    close(descriptor);
  }
}

} // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& target, const std::filesystem::path& input, Same same) {
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
    if (same == Same::Refuse && std::filesystem::equivalent(path, input, failure)) return Error(DiagnosticId::FileSame, {arg("path", target.native())});
  }
  removeStale(path.parent_path());
  // Not made of the target's name, which may be as long as a name can be.
  std::string name;
  int descriptor = -1;
  struct stat made = {};
  for (int tries = 0; tries < 8 && made.st_nlink == 0; ++tries) {
    if (descriptor >= 0) close(descriptor);
    name = (path.parent_path() / kTemporary).native();
    descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) return systemError(target);
    flock(descriptor, LOCK_EX); // where locks are not supported nothing is taken for stale either
    // Before it was locked another writer may have taken it for stale.
    if (fstat(descriptor, &made) != 0) break;
  }
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
  constexpr uint64_t kStep = 1 << 20, kCopyStep = 16 << 20;
  const ByteSource* const source = bytes.owner().get();
  int from = source ? source->descriptor() : -1;
  const uint64_t first = from >= 0 ? static_cast<uint64_t>(bytes.data() - source->view().data()) : 0;
  for (uint64_t at = 0; at < bytes.size();) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("writing", at, bytes.size());
#if defined(__linux__)
    if (from >= 0 && bytes.size() - at >= kStep) {
      off_t position = static_cast<off_t>(first + at);
      const ssize_t copied = copy_file_range(from, &position, m_descriptor, nullptr, std::min(kCopyStep, bytes.size() - at), 0);
      if (copied < 0 && errno == EINTR) continue;
      if (copied > 0) {
        at += static_cast<uint64_t>(copied);
        continue;
      }
      if (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) return systemError(m_asked);
      from = -1; // this pair of file systems cannot, or the file has become shorter
    }
#endif
    const Bytes part = bytes.slice(at, kStep);
    ssize_t written = ::write(m_descriptor, part.data(), part.size());
    if (written < 0 && errno == EFAULT) {
      // The mapped file has become shorter. Read here, what it lost turns to zeros; who knows the file tells that it changed.
      const Buffer copy(part.span().begin(), part.span().end());
      written = ::write(m_descriptor, copy.data(), copy.size());
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return systemError(m_asked);
    at += static_cast<uint64_t>(written);
  }
  return Done{};
}

Result<Done> OutputFile::writeZeros(uint64_t count) {
  const off_t end = lseek(m_descriptor, static_cast<off_t>(count), SEEK_CUR);
  if (end < 0 || ftruncate(m_descriptor, end) != 0) return systemError(m_asked);
  return Done{};
}

Result<Done> OutputFile::sync() {
  longWork("OutputFile::sync");
  if (fsync(m_descriptor) != 0) return systemError(m_asked);
  return Done{};
}

Result<Done> OutputFile::backUp() {
  std::filesystem::path backup = m_target;
  backup += ".bak";
  const std::filesystem::path link = m_temporary.native() + std::string(kBackup);
  unlink(link.c_str());
  if (::link(m_target.c_str(), link.c_str()) != 0) return errno == ENOENT ? Result<Done>(Done{}) : Result<Done>(systemError(backup));
  if (rename(link.c_str(), backup.c_str()) == 0) {
    unlink(link.c_str()); // two names of one file stay both
    return Done{};
  }
  const Error error = systemError(backup);
  unlink(link.c_str());
  return error;
}

Result<Done> OutputFile::commit() {
  BLOBSCOPE_CHECK(sync());
  BLOBSCOPE_CHECK(hand());
  // The name is on disk only when its folder is; where that cannot be asked for the file is there all the same.
  const std::filesystem::path folder = m_target.parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (descriptor >= 0) {
    (void)fsync(descriptor);
    close(descriptor);
  }
  return Done{};
}

Result<Done> OutputFile::hand() {
  if (rename(m_temporary.c_str(), m_target.c_str()) != 0) return systemError(m_asked);
  close(std::exchange(m_descriptor, -1));
  return Done{};
}

std::filesystem::path OutputFile::keep() {
  std::filesystem::path kept = m_target;
  kept += ".rejected";
  if (rename(m_temporary.c_str(), kept.c_str()) != 0) kept = m_temporary;
  if (m_descriptor >= 0) close(std::exchange(m_descriptor, -1));
  return kept;
}

Result<Done> handFile(const std::filesystem::path& target, const Bytes& bytes, Monitor& monitor) {
  BLOBSCOPE_TRY(file, OutputFile::create(target, {}));
  BLOBSCOPE_CHECK(file.write(bytes, monitor));
  return file.hand();
}

} // namespace blobscope
