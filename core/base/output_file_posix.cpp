#include "core/base/output_file.h"

#include "core/base/private_file.h"
#include "core/base/source.h"
#include "core/base/temporary_name.h"
#include "core/base/thread_rule.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace blobscope {
namespace {

Error writeError(const std::filesystem::path& path, std::string reason) {
  return Error(DiagnosticId::FileWrite, {arg("path", path.native()), {"reason", std::move(reason)}});
}

Error systemError(const std::filesystem::path& path) { return writeError(path, writeReason(errno)); }

constexpr std::string_view kBackup = "-bak"; // suffix of a temporary name, for the second name in backUp()

bool isSame(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// Removes files that killed writers of this user left. A living writer also holds a lock on its file, which counts
/// where its process is not visible: in another container, on another machine.
void removeStale(const Place& place) {
  std::error_code failure;
  const std::filesystem::path folder = place.path.parent_path();
  std::vector<std::string> found;
  for (auto entry = std::filesystem::directory_iterator(folder, failure);
       !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    const std::string name = entry->path().filename().native();
    const std::size_t end = name.ends_with(kBackup) ? name.size() - kBackup.size() : name.size();
    const auto made = TemporaryName::parse(std::string_view(name).substr(0, end));
    if (made && !made->isInUse()) found.push_back(name);
  }
  // A backup's second name is not locked. It is sorted after its writer's file: while that file exists, the name is in
  // use.
  std::sort(found.begin(), found.end());
  const auto statusOf = [&](const std::string& name, struct stat& status) {
    return fstatat(place.folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  };
  for (const std::string& name : found) {
    struct stat opened = {}, there = {};
    if (name.ends_with(kBackup) && statusOf(name.substr(0, name.size() - kBackup.size()), there)) continue;
    const Descriptor file(openat(place.folder.number(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.number() < 0 || fstat(file.number(), &opened) != 0 || !S_ISREG(opened.st_mode) ||
        opened.st_uid != geteuid())
      continue;
    if (flock(file.number(), LOCK_EX | LOCK_NB) == 0 && statusOf(name, there) && isSame(opened, there))
      unlinkat(place.folder.number(), name.c_str(), 0);
  }
}

/// Whether a file that exists is one of those in a folder.
bool isInFolder(const std::filesystem::path& path, const struct stat& file, const std::filesystem::path& folder) {
  std::error_code failure;
  const std::filesystem::path whole = std::filesystem::canonical(folder, failure);
  if (failure) return false;
  const auto [inFolder, inPath] = std::mismatch(whole.begin(), whole.end(), path.begin(), path.end());
  if (inFolder == whole.end()) return true;
  if (file.st_nlink < 2) return false;
  // One of its other names may be in the folder.
  for (auto entry = std::filesystem::recursive_directory_iterator(whole, failure);
       !failure && entry != std::filesystem::recursive_directory_iterator(); entry.increment(failure)) {
    struct stat other = {};
    if (lstat(entry->path().c_str(), &other) == 0 && isSame(file, other)) return true;
  }
  return false;
}

/// Whether writing to `path`, which has no links, would replace `input`.
bool isInput(const std::filesystem::path& path, const std::filesystem::path& input) {
  if (input.empty()) return false;
  struct stat file = {}, other = {};
  const bool exists = lstat(path.c_str(), &file) == 0;
  if (!exists || stat(input.c_str(), &other) != 0) {
    std::error_code failure;
    return std::filesystem::weakly_canonical(input, failure) == path && !failure;
  }
  return isSame(file, other) || (S_ISDIR(other.st_mode) && isInFolder(path, file, input));
}

bool isAnyInput(const std::filesystem::path& path, const Inputs& inputs) {
  return isInput(path, inputs.replaceable) ||
         std::any_of(inputs.files.begin(), inputs.files.end(), [&](const auto& file) { return isInput(path, file); });
}

Error sameError(const std::filesystem::path& path) {
  return Error(DiagnosticId::FileSame, {arg("path", path.native())});
}

/// The file that a writer replaces, locked until this object is destroyed.
struct LockedTarget {
  Descriptor file;     ///< none: there is no target, or it cannot be opened
  bool isBusy = false; ///< another program keeps the lock
};

/// Locks the target: of all that write to it, only one renames its file at a time. The target itself is the lock, so no
/// file is left when a writer is killed. Where locks are not supported, the target is only opened.
LockedTarget lockTarget(const Place& place) {
  constexpr int kTries = 100;
  constexpr std::chrono::milliseconds kWait{10}; // writers hold the lock only while they rename
  for (int tries = 0; tries < kTries; ++tries) {
    Descriptor file(openat(place.folder.number(), place.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.number() < 0) return {};
    const bool locked = flock(file.number(), LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno != EWOULDBLOCK && errno != EINTR) return {std::move(file)};
    struct stat opened = {}, there = {};
    // Another writer may have replaced it before it was locked.
    if (locked && fstat(file.number(), &opened) == 0 &&
        fstatat(place.folder.number(), place.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 && isSame(opened, there))
      return {std::move(file)};
    if (!locked) std::this_thread::sleep_for(kWait);
  }
  return {{}, true};
}

/// Renames a file to a name that does not exist. False with errno: EEXIST when it does.
bool renameToNew(int folder, const std::string& from, const std::string& to) {
  if (linkat(folder, from.c_str(), folder, to.c_str(), 0) == 0) {
    unlinkat(folder, from.c_str(), 0);
    return true;
  }
  if (errno == EEXIST) return false;
  // This file system has no second names.
  struct stat there = {};
  if (fstatat(folder, to.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return renameat(folder, from.c_str(), folder, to.c_str()) == 0;
}

/// Creates a private file in the folder of the place and locks it.
Result<std::pair<std::string, Descriptor>> createTemporary(const Place& place, const std::filesystem::path& requested) {
  // The name does not contain the target's name, which may already have the maximum length.
  for (int tries = 0; tries < 8; ++tries) {
    const std::string name = TemporaryName::make().text();
    Descriptor file(
        openat(place.folder.number(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.number() < 0 && errno == EEXIST) continue;
    if (file.number() < 0) return systemError(requested);
    flock(file.number(), LOCK_EX); // where locks are not supported, removeStale() removes nothing either
    // Another writer may have removed it as stale before it was locked.
    struct stat made = {};
    if (fstat(file.number(), &made) != 0 || made.st_nlink > 0) return std::pair(name, std::move(file));
  }
  errno = EEXIST;
  return systemError(requested);
}

/// The name of a new file is on disk only when its folder is flushed. Where the folder cannot be flushed, the file
/// exists all the same.
void flushFolder(const Place& place) {
  const Descriptor folder(openat(place.folder.number(), ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (folder.number() >= 0) (void)fsync(folder.number());
}

} // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& target, const Inputs& inputs) {
  struct stat old = {};
  // Checked first: the path of a device or pipe may have no folder that findPlace() can open.
  if (stat(target.c_str(), &old) == 0 && !S_ISREG(old.st_mode))
    return writeError(target,
                      S_ISDIR(old.st_mode) ? "it is a folder" : "it is a device or pipe; use -o - for standard output");
  BLOBSCOPE_TRY(place, findPlace(target));
  const bool exists = fstatat(place.folder.number(), place.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (place.name.empty() || (exists && S_ISDIR(old.st_mode))) return writeError(target, "it is a folder");
  if (exists && !S_ISREG(old.st_mode))
    return writeError(target, "it is a device or pipe; use -o - for standard output");
  for (const std::filesystem::path& input : inputs.files)
    if (isInput(place.path, input)) return sameError(target);
  removeStale(place);
  BLOBSCOPE_TRY(made, createTemporary(place, target));
  OutputFile out(target, std::move(place), std::move(made.first), std::move(made.second), inputs);
  out.m_replacesInput = isInput(out.m_place.path, inputs.replaceable);
  // The temporary file is private; the result gets the rights of any new file, or those of the file that it replaces.
  // It does not get set-user-ID and set-group-ID, because these were granted to other content.
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(out.m_file.number(), exists ? old.st_mode & 0777 : 0666 & ~mask) != 0) return systemError(target);
  return out;
}

OutputFile::OutputFile(std::filesystem::path requested, Place place, std::string temporary, Descriptor file,
                       Inputs inputs)
    : m_requested(std::move(requested)), m_place(std::move(place)), m_name(std::move(temporary)),
      m_temporary(m_place.path.parent_path() / m_name), m_file(std::move(file)), m_inputs(std::move(inputs)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept = default;

OutputFile::~OutputFile() {
  if (m_file.number() >= 0) unlinkat(m_place.folder.number(), m_name.c_str(), 0);
}

Result<Done> OutputFile::write(const Bytes& bytes, Monitor& monitor) {
  longWork("OutputFile::write");
  constexpr uint64_t kStep = 1 << 20;
#if defined(__linux__)
  constexpr uint64_t kCopyStep = 16 << 20;
  const ByteSource* const source = bytes.owner().get();
  int from = source ? source->descriptor() : -1;
  const uint64_t first = from >= 0 ? static_cast<uint64_t>(bytes.data() - source->view().data()) : 0;
#endif
  for (uint64_t at = 0; at < bytes.size();) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("writing", at, bytes.size());
#if defined(__linux__)
    if (from >= 0 && bytes.size() - at >= kStep) {
      off_t position = static_cast<off_t>(first + at);
      const ssize_t copied =
          copy_file_range(from, &position, m_file.number(), nullptr, std::min(kCopyStep, bytes.size() - at), 0);
      if (copied < 0 && errno == EINTR) continue;
      if (copied > 0) {
        at += static_cast<uint64_t>(copied);
        continue;
      }
      if (copied < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) return systemError(m_requested);
      from = -1; // these file systems cannot copy between each other, or the file has become shorter
    }
#endif
    const Bytes part = bytes.slice(at, kStep);
    ssize_t written = ::write(m_file.number(), part.data(), part.size());
    if (written < 0 && errno == EFAULT) {
      // The mapped file has become shorter. When it is read here, the lost bytes become zeros; the owner of the file
      // reports the change.
      const Buffer copy(part.span().begin(), part.span().end());
      written = ::write(m_file.number(), copy.data(), copy.size());
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return systemError(m_requested);
    at += static_cast<uint64_t>(written);
  }
  return Done{};
}

Result<Done> OutputFile::writeZeros(uint64_t count) {
  const off_t end = lseek(m_file.number(), static_cast<off_t>(count), SEEK_CUR);
  if (end < 0 || ftruncate(m_file.number(), end) != 0) return systemError(m_requested);
  return Done{};
}

Result<Done> OutputFile::sync() {
  longWork("OutputFile::sync");
#if defined(__APPLE__)
  // fsync() leaves the bytes in the cache of the disk. Some file systems do not know the other call.
  if (fcntl(m_file.number(), F_FULLFSYNC) == 0) return Done{};
#endif
  if (fsync(m_file.number()) != 0) return systemError(m_requested);
  return Done{};
}

Result<Done> OutputFile::backUp() {
  const std::string backup = m_place.name + ".bak", link = m_name + std::string(kBackup);
  const std::filesystem::path path = m_place.path.parent_path() / backup;
  const int folder = m_place.folder.number();
  // The old backup is removed, and it may be an input. When it is another name of the target, it stays.
  struct stat target = {}, old = {};
  const bool isTarget = fstatat(folder, m_place.name.c_str(), &target, AT_SYMLINK_NOFOLLOW) == 0 &&
                        fstatat(folder, backup.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 && isSame(target, old);
  if (!isTarget && isAnyInput(path, m_inputs)) return sameError(path);
  unlinkat(folder, link.c_str(), 0);
  if (linkat(folder, m_place.name.c_str(), folder, link.c_str(), 0) != 0)
    return errno == ENOENT ? Result<Done>(Done{}) : Result<Done>(systemError(path));
  if (renameat(folder, link.c_str(), folder, backup.c_str()) == 0) {
    unlinkat(folder, link.c_str(), 0); // renaming does nothing when both names belong to the same file
    return Done{};
  }
  const Error error = systemError(path);
  unlinkat(folder, link.c_str(), 0);
  return error;
}

Result<Done> OutputFile::commit() {
  BLOBSCOPE_CHECK(sync());
  BLOBSCOPE_CHECK(rename());
  flushFolder(m_place);
  return Done{};
}

Result<OutputFile::Outcome> OutputFile::commitOver(const FileIdentity& opened, bool backup) {
  BLOBSCOPE_CHECK(sync());
  const LockedTarget target = lockTarget(m_place);
  if (target.isBusy) return Outcome::TargetLocked;
  struct stat there = {};
  if (target.file.number() < 0 &&
      fstatat(m_place.folder.number(), m_place.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) {
    if (!renameToNew(m_place.folder.number(), m_name, m_place.name))
      return errno == EEXIST ? Result<Outcome>(Outcome::TargetChanged) : Result<Outcome>(systemError(m_requested));
    m_file = {};
    flushFolder(m_place);
    return Outcome::Written;
  }
  const auto isOpened = [&](bool hasNewName) {
    const auto now = identityOf(target.file);
    FileIdentity expected = opened;
    if (now && hasNewName) expected.statusNs = now->statusNs;
    // The locked file may have lost its name to one that another program, without a lock, put there.
    return now == expected &&
           fstatat(m_place.folder.number(), m_place.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           static_cast<uint64_t>(there.st_dev) == now->device && static_cast<uint64_t>(there.st_ino) == now->number;
  };
  if (!isOpened(false)) return Outcome::TargetChanged;
  if (backup) {
    BLOBSCOPE_CHECK(backUp());
    if (!isOpened(true)) return Outcome::TargetChanged;
  }
  BLOBSCOPE_CHECK(renameLocked());
  flushFolder(m_place);
  return Outcome::Written;
}

Result<Done> OutputFile::rename() {
  const LockedTarget target = lockTarget(m_place); // renames also when another program keeps the lock
  return renameLocked();
}

Result<Done> OutputFile::renameLocked() {
  if (renameat(m_place.folder.number(), m_name.c_str(), m_place.folder.number(), m_place.name.c_str()) != 0)
    return systemError(m_requested);
  m_file = {};
  return Done{};
}

std::filesystem::path OutputFile::keep() {
  m_file = {};
  constexpr int kNames = 1000;
  for (int number = 1; number <= kNames; ++number) {
    const std::string kept = m_place.name + ".rejected" + (number == 1 ? "" : "." + std::to_string(number));
    if (renameToNew(m_place.folder.number(), m_name, kept)) return m_place.path.parent_path() / kept;
    if (errno != EEXIST) break;
  }
  return m_temporary;
}

} // namespace blobscope
