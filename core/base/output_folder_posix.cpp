#include "core/base/output_folder.h"

#include "core/base/place.h"
#include "core/base/private_file.h"
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

} // namespace

Result<OutputFolder> OutputFolder::create(const std::filesystem::path& target) {
  BLOBSCOPE_TRY(place, findPlace(target.has_filename() ? target : target.parent_path())); // "folder/"
  std::filesystem::path path = std::move(place.path);
  std::error_code failure;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, failure))) {
    if (!std::filesystem::is_directory(path, failure)) return writeError(target, "it exists and is not a folder");
    if (!std::filesystem::is_empty(path, failure) || failure) return writeError(target, "the folder is not empty");
  }
  std::string name = (path.parent_path() / ".blobscope-XXXXXX").native();
  if (!mkdtemp(name.data())) return writeError(target, std::strerror(errno));
  // mkdtemp creates private folders; the result gets the rights of any new folder.
  const mode_t mask = umask(0);
  umask(mask);
  if (chmod(name.c_str(), 0777 & ~mask) != 0) {
    rmdir(name.c_str());
    return writeError(target, std::strerror(errno));
  }
  return OutputFolder(std::move(path), name);
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : m_target(std::move(other.m_target)), m_temporary(std::exchange(other.m_temporary, {})) {}

OutputFolder::~OutputFolder() {
  std::error_code failure;
  if (!m_temporary.empty()) std::filesystem::remove_all(m_temporary, failure);
}

Result<Done> OutputFolder::write(const std::filesystem::path& path, const Bytes& bytes, Monitor& monitor) {
  longWork("OutputFolder::write");
  std::error_code failure;
  const std::filesystem::path full = m_temporary / path;
  std::filesystem::create_directories(full.parent_path(), failure);
  if (failure) return writeError(m_target / path, failure.message());
  const int descriptor = open(full.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return writeError(m_target / path, writeReason(errno));
  constexpr uint64_t kStep = 1 << 20;
  Result<Done> result = Done{};
  for (uint64_t at = 0; at < bytes.size() && result;) {
    if (monitor.stopRequested()) {
      result = Error(DiagnosticId::Cancelled, {});
      break;
    }
    const Bytes part = bytes.slice(at, kStep);
    const ssize_t written = ::write(descriptor, part.data(), part.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) result = writeError(m_target / path, writeReason(errno));
    at += written > 0 ? static_cast<uint64_t>(written) : 0;
  }
  if (close(descriptor) != 0 && result) result = writeError(m_target / path, writeReason(errno));
  return result;
}

Result<Done> OutputFolder::commit() {
  longWork("OutputFolder::commit");
  // An empty folder is replaced; rename() replaces nothing else.
  if (rename(m_temporary.c_str(), m_target.c_str()) != 0) return writeError(m_target, std::strerror(errno));
  m_temporary.clear();
  return Done{};
}

} // namespace blobscope
