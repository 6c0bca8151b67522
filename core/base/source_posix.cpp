#include "core/base/source.h"

#include "core/base/memory.h"
#include "core/base/place.h"
#include "core/base/thread_rule.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace blobscope {
namespace {

constexpr uint64_t kNoDamage = UINT64_MAX;

/// One live mapping, as the signal handler sees it. `begin` is 0 while the slot is free; it is published last and
/// withdrawn first.
struct Slot {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<uint64_t> damagedAt{kNoDamage};
};

// The only table that cannot be passed as a value: a signal handler has no arguments of ours.
constexpr std::size_t kSlots = 1024;
std::array<Slot, kSlots> g_slots;
struct sigaction g_previous = {};
uintptr_t g_pageSize = 4096;

/// Replaces the lost page and lets the faulting load run again. Uses only system calls and lock-free atomics.
void handleFault(int signal, siginfo_t* info, void* context) {
  const int savedErrno = errno;
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (Slot& slot : g_slots) {
    const uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= slot.end.load(std::memory_order_acquire)) continue;
    const uintptr_t page = address & ~(g_pageSize - 1);
    void* const zeros =
        mmap(reinterpret_cast<void*>(page), g_pageSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    const uint64_t offset = page - begin;
    uint64_t known = slot.damagedAt.load(std::memory_order_relaxed);
    while (offset < known && !slot.damagedAt.compare_exchange_weak(known, offset)) {}
    errno = savedErrno;
    return;
  }
  // The fault is not in one of our mappings: the previous handler decides, only once if it was installed that way.
  const struct sigaction previous = g_previous;
  if (previous.sa_flags & SA_RESETHAND) {
    g_previous.sa_flags = 0;
    g_previous.sa_handler = SIG_DFL;
  }
  if ((previous.sa_flags & SA_SIGINFO) && previous.sa_sigaction) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGBUS, &standard, nullptr);
    raise(SIGBUS);
  }
  errno = savedErrno;
}

void installGuard() {
  static std::once_flag once;
  std::call_once(once, [] {
    g_pageSize = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = handleFault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &g_previous);
  });
}

/// Claims a free slot to guard `[begin, end)`; returns null when all are taken.
Slot* claimSlot(uintptr_t begin, uintptr_t end) {
  static std::mutex claiming;
  const std::scoped_lock lock(claiming);
  for (Slot& slot : g_slots) {
    if (slot.begin.load() != 0) continue;
    slot.damagedAt.store(kNoDamage);
    slot.end.store(end);
    slot.begin.store(begin, std::memory_order_release);
    return &slot;
  }
  return nullptr;
}

FileIdentity identityOf(const struct stat& status) {
#if defined(__APPLE__)
  const timespec changed = status.st_mtimespec, any = status.st_ctimespec;
#else
  const timespec changed = status.st_mtim, any = status.st_ctim;
#endif
  const auto nanoseconds = [](const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
  return {static_cast<uint64_t>(status.st_size), nanoseconds(changed), nanoseconds(any),
          static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino)};
}

/// The offset from which two states of a file certainly differ; nothing when size and time of change are the same.
std::optional<uint64_t> findDifference(const FileIdentity& before, const FileIdentity& now) {
  if (now.size == before.size && now.changedNs == before.changedNs) return std::nullopt;
  return now.size < before.size ? now.size : 0;
}

class MappedFile final : public ByteSource {
public:
  MappedFile(int descriptor, FileIdentity identity, void* address, Slot* slot)
      : m_descriptor(descriptor), m_identity(identity), m_address(address), m_slot(slot) {}
  ~MappedFile() override {
    if (m_slot) m_slot->begin.store(0, std::memory_order_release);
    munmap(m_address, m_identity.size);
    close(m_descriptor);
  }
  std::span<const std::byte> view() const override {
    return {static_cast<const std::byte*>(m_address), m_identity.size};
  }
  bool isFile() const override { return true; }
  int descriptor() const override { return m_descriptor; }
  FileIdentity identity() const override { return m_identity; }
  std::optional<uint64_t> damage() const override {
    const uint64_t at = m_slot->damagedAt.load();
    return at == kNoDamage ? std::nullopt : std::optional(at);
  }
  std::optional<uint64_t> findChange() const override {
    if (const auto lost = damage()) return lost;
    struct stat status = {};
    if (fstat(m_descriptor, &status) != 0) return std::nullopt;
    const FileIdentity now = identityOf(status);
    if (const auto at = findDifference(m_identity, now)) return at;
    // A program that writes to a file can reset the time of its last change, but not that of its status. When a file
    // loses its last name, its status changes for that reason: it was removed, or another file took its place.
    if (now.statusNs != m_identity.statusNs && status.st_nlink > 0) return 0;
    return std::nullopt;
  }
  void release(Extent bytes) const override {
    // Nothing was written to the mapping, so the system reads the pages again when they are touched. A page that takes
    // the place of a lost one is all zeros and stays so.
    const uint64_t begin = (bytes.offset + g_pageSize - 1) / g_pageSize * g_pageSize,
                   end = std::min(bytes.end(), m_identity.size) / g_pageSize * g_pageSize;
    if (begin < end) madvise(static_cast<std::byte*>(m_address) + begin, end - begin, MADV_DONTNEED);
  }

private:
  int m_descriptor;
  FileIdentity m_identity;
  void* m_address;
  Slot* m_slot;
};

/// A file as it was when it was read. It stays open only for findDiskChange().
class PrivateFile final : public ByteSource {
public:
  PrivateFile(int descriptor, FileIdentity identity, std::unique_ptr<std::byte[]> bytes)
      : m_descriptor(descriptor), m_identity(identity), m_bytes(std::move(bytes)) {}
  ~PrivateFile() override { close(m_descriptor); }
  std::span<const std::byte> view() const override { return {m_bytes.get(), m_identity.size}; }
  bool isFile() const override { return true; }
  FileIdentity identity() const override { return m_identity; }
  std::optional<uint64_t> findDiskChange() const override {
    struct stat status = {};
    if (fstat(m_descriptor, &status) != 0) return std::nullopt;
    return findDifference(m_identity, identityOf(status));
  }

private:
  int m_descriptor;
  FileIdentity m_identity;
  std::unique_ptr<std::byte[]> m_bytes;
};

Error systemError(DiagnosticId id, const std::filesystem::path& path, int number) {
  return Error(id, {arg("path", path.native()), arg("reason", std::strerror(number))});
}

/// An open regular file.
struct OpenFile {
  Descriptor descriptor;
  FileIdentity identity;
};

Result<OpenFile> regularFile(Descriptor descriptor, const std::filesystem::path& path) {
  struct stat status = {};
  if (fstat(descriptor.number(), &status) != 0) return systemError(DiagnosticId::FileNotReadable, path, errno);
  if (!S_ISREG(status.st_mode)) {
    const char* const what = S_ISDIR(status.st_mode)    ? "folder"
                             : S_ISFIFO(status.st_mode) ? "named pipe"
                                                        : "device or socket";
    return Error(DiagnosticId::FileNotRegular, {arg("path", path.native()), arg("what", what)});
  }
  OpenFile file{std::move(descriptor), identityOf(status)};
  if (file.identity.size == 0) return Error(DiagnosticId::FileEmpty, {arg("path", path.native())});
  if (file.identity.size > SIZE_MAX) return systemError(DiagnosticId::FileNotReadable, path, EFBIG);
  return file;
}

Result<OpenFile> openRegular(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer; it is refused by regularFile().
  Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.number() < 0) {
    const int number = errno;
    const bool missing = number == ENOENT || number == ENOTDIR;
    return systemError(missing ? DiagnosticId::FileNotFound : DiagnosticId::FileNotReadable, path, number);
  }
  return regularFile(std::move(descriptor), path);
}

Result<std::shared_ptr<const ByteSource>> mapFile(OpenFile file, const std::filesystem::path& path) {
  installGuard();
  const FileIdentity identity = file.identity;
  void* const address = mmap(nullptr, identity.size, PROT_READ, MAP_PRIVATE, file.descriptor.number(), 0);
  if (address == MAP_FAILED && errno == ENOMEM) return memoryError(); // not enough address space
  if (address == MAP_FAILED) return systemError(DiagnosticId::FileNotReadable, path, errno);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + (identity.size + g_pageSize - 1) / g_pageSize * g_pageSize;
  Slot* const slot = claimSlot(begin, end);
  if (!slot) {
    munmap(address, identity.size);
    return systemError(DiagnosticId::FileNotReadable, path, EMFILE);
  }
  auto made = std::make_shared<MappedFile>(file.descriptor.number(), identity, address, slot);
  file.descriptor.release(); // the source owns it now
  return std::shared_ptr<const ByteSource>(std::move(made));
}

/// Fills `bytes` from the start of the file. False when the file is shorter; FILE-NOT-READABLE.
Result<bool> readWhole(const OpenFile& file, std::span<std::byte> bytes, const std::filesystem::path& path) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = pread(file.descriptor.number(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return systemError(DiagnosticId::FileNotReadable, path, errno);
    if (got == 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

} // namespace

std::optional<FileIdentity> identityOf(const Descriptor& file) {
  struct stat status = {};
  if (fstat(file.number(), &status) != 0) return std::nullopt;
  return identityOf(status);
}

Result<std::shared_ptr<const ByteSource>> ByteSource::openFile(const std::filesystem::path& path) {
  BLOBSCOPE_TRY(file, openRegular(path));
  return mapFile(std::move(file), path);
}

Result<std::shared_ptr<const ByteSource>> ByteSource::openFile(Descriptor descriptor,
                                                               const std::filesystem::path& path) {
  BLOBSCOPE_TRY(file, regularFile(std::move(descriptor), path));
  return mapFile(std::move(file), path);
}

Result<std::shared_ptr<const ByteSource>> ByteSource::openPrivate(const std::filesystem::path& path, uint64_t most) {
  longWork("ByteSource::openPrivate");
  // A file that is still being written by a build is read again. A file that keeps changing is refused, so that old and
  // new parts are never mixed.
  constexpr int kTries = 4;
  for (int tries = 0; tries < kTries; ++tries) {
    BLOBSCOPE_TRY(file, openRegular(path));
    const FileIdentity before = file.identity;
    std::unique_ptr<std::byte[]> bytes;
    if (before.size <= most) bytes.reset(new (std::nothrow) std::byte[before.size]);
    if (!bytes) return mapFile(std::move(file), path);
    BLOBSCOPE_TRY(whole, readWhole(file, {bytes.get(), static_cast<std::size_t>(before.size)}, path));
    struct stat status = {};
    if (fstat(file.descriptor.number(), &status) != 0) return systemError(DiagnosticId::FileNotReadable, path, errno);
    if (!whole || identityOf(status) != before) continue;
    auto made = std::make_shared<PrivateFile>(file.descriptor.number(), before, std::move(bytes));
    file.descriptor.release(); // the source owns it now
    return std::shared_ptr<const ByteSource>(std::move(made));
  }
  return Error(DiagnosticId::FileChanged, {hexArg("at", 0)}, Ref::bytesAt(0));
}

} // namespace blobscope
