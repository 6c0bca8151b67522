#include "core/base/source.h"

#include "core/base/memory.h"
#include "core/base/place.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

// The one table that cannot be a value passed along: a signal handler has no arguments of ours.
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
    void* const zeros = mmap(reinterpret_cast<void*>(page), g_pageSize, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    const uint64_t offset = page - begin;
    uint64_t known = slot.damagedAt.load(std::memory_order_relaxed);
    while (offset < known && !slot.damagedAt.compare_exchange_weak(known, offset)) {
    }
    errno = savedErrno;
    return;
  }
  // Not ours: whoever was there before decides, once if that is what it asked for.
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

/// A free slot made to guard `[begin, end)`, or null when all are taken.
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
  const timespec changed = status.st_mtimespec;
#else
  const timespec changed = status.st_mtim;
#endif
  return {static_cast<uint64_t>(status.st_size), int64_t{changed.tv_sec} * 1'000'000'000 + changed.tv_nsec};
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
    if (now == m_identity) return std::nullopt;
    return now.size < m_identity.size ? now.size : 0;
  }

private:
  int m_descriptor;
  FileIdentity m_identity;
  void* m_address;
  Slot* m_slot;
};

Error systemError(DiagnosticId id, const std::filesystem::path& path, int number) {
  return Error(id, {arg("path", path.native()), arg("reason", std::strerror(number))});
}

} // namespace

Result<std::shared_ptr<const ByteSource>> ByteSource::openFile(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer; it is refused right below.
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    const int number = errno;
    const bool missing = number == ENOENT || number == ENOTDIR;
    return systemError(missing ? DiagnosticId::FileNotFound : DiagnosticId::FileNotReadable, path, number);
  }
  return openFile(std::move(file), path);
}

Result<std::shared_ptr<const ByteSource>> ByteSource::openFile(Descriptor file, const std::filesystem::path& path) {
  const int descriptor = file.number();
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return systemError(DiagnosticId::FileNotReadable, path, errno);
  if (!S_ISREG(status.st_mode)) {
    const char* const what = S_ISDIR(status.st_mode)   ? "folder"
                             : S_ISFIFO(status.st_mode) ? "named pipe"
                                                        : "device or socket";
    return Error(DiagnosticId::FileNotRegular, {arg("path", path.native()), arg("what", what)});
  }
  const FileIdentity identity = identityOf(status);
  if (identity.size == 0) return Error(DiagnosticId::FileEmpty, {arg("path", path.native())});
  if (identity.size > SIZE_MAX) return systemError(DiagnosticId::FileNotReadable, path, EFBIG);

  installGuard();
  void* const address = mmap(nullptr, identity.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED && errno == ENOMEM) return memoryError(); // no addresses left for it
  if (address == MAP_FAILED) return systemError(DiagnosticId::FileNotReadable, path, errno);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = begin + (identity.size + g_pageSize - 1) / g_pageSize * g_pageSize;
  Slot* const slot = claimSlot(begin, end);
  if (!slot) {
    munmap(address, identity.size);
    return systemError(DiagnosticId::FileNotReadable, path, EMFILE);
  }
  auto made = std::make_shared<MappedFile>(descriptor, identity, address, slot);
  file.release(); // it is the source's now
  return std::shared_ptr<const ByteSource>(std::move(made));
}

} // namespace blobscope
