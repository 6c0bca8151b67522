#include "core/base/source.h"

#include "core/base/memory.h"
#include "core/base/place.h"
#include "core/base/thread_rule.h"
#include "core/base/windows_win32.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <utility>

namespace blobscope {
namespace {

constexpr uint64_t kNoDamage = UINT64_MAX;

/// One live mapping, as the exception handler sees it. `begin` is 0 while the slot is free; it is published last and
/// withdrawn first.
struct Slot {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<uint64_t> damagedAt{kNoDamage};
  std::atomic<bool> isReplaced{false}; ///< the view is gone, and zeros are in its place
};

// The only table that cannot be passed as a value: an exception handler has no arguments of ours.
constexpr std::size_t kSlots = 1024;
std::array<Slot, kSlots> g_slots;
std::atomic_flag g_replacing = ATOMIC_FLAG_INIT;

/// Windows cannot replace a single page of a view. So all of it is replaced by zeros, and all bytes count as lost.
/// Returns false when the memory for that is missing.
bool replaceView(Slot& slot, uintptr_t begin, uintptr_t end) {
  while (g_replacing.test_and_set(std::memory_order_acquire)) SwitchToThread();
  bool replaced = slot.isReplaced.load();
  if (!replaced) {
    UnmapViewOfFile(reinterpret_cast<void*>(begin));
    replaced =
        VirtualAlloc(reinterpret_cast<void*>(begin), end - begin, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY) != nullptr;
    slot.isReplaced.store(replaced);
    slot.damagedAt.store(0);
  }
  g_replacing.clear(std::memory_order_release);
  return replaced;
}

/// Puts zeros in the place of a view whose file can no longer be read, for example on a disk that was removed, and
/// lets the faulting load run again. While one thread does that, others may find the view missing.
LONG CALLBACK handleFault(EXCEPTION_POINTERS* information) {
  const EXCEPTION_RECORD& record = *information->ExceptionRecord;
  const bool lost = record.ExceptionCode == EXCEPTION_IN_PAGE_ERROR;
  if ((!lost && record.ExceptionCode != EXCEPTION_ACCESS_VIOLATION) || record.NumberParameters < 2)
    return EXCEPTION_CONTINUE_SEARCH;
  constexpr ULONG_PTR kRead = 0;
  const uintptr_t address = record.ExceptionInformation[1];
  if (record.ExceptionInformation[0] != kRead) return EXCEPTION_CONTINUE_SEARCH;
  for (Slot& slot : g_slots) {
    const uintptr_t begin = slot.begin.load(std::memory_order_acquire), end = slot.end.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= end) continue;
    return replaceView(slot, begin, end) ? EXCEPTION_CONTINUE_EXECUTION : EXCEPTION_CONTINUE_SEARCH;
  }
  return EXCEPTION_CONTINUE_SEARCH;
}

uint64_t pageSize() {
  SYSTEM_INFO system = {};
  GetSystemInfo(&system);
  return system.dwPageSize;
}

void installGuard() {
  static std::once_flag once;
  std::call_once(once, [] { AddVectoredExceptionHandler(1, handleFault); });
}

/// Claims a free slot to guard `[begin, end)`; returns null when all are taken.
Slot* claimSlot(uintptr_t begin, uintptr_t end) {
  static std::mutex claiming;
  const std::scoped_lock lock(claiming);
  for (Slot& slot : g_slots) {
    if (slot.begin.load() != 0) continue;
    slot.damagedAt.store(kNoDamage);
    slot.isReplaced.store(false);
    slot.end.store(end);
    slot.begin.store(begin, std::memory_order_release);
    return &slot;
  }
  return nullptr;
}

/// What Windows says about an open file.
struct Status {
  FileIdentity identity;
  bool isRemoved = false; ///< it has no name any more
};

std::optional<Status> statusOf(HANDLE file) {
  FILE_BASIC_INFO times = {};
  FILE_STANDARD_INFO facts = {};
  BY_HANDLE_FILE_INFORMATION numbers = {};
  if (!GetFileInformationByHandleEx(file, FileBasicInfo, &times, sizeof times) ||
      !GetFileInformationByHandleEx(file, FileStandardInfo, &facts, sizeof facts) ||
      !GetFileInformationByHandle(file, &numbers))
    return std::nullopt;
  constexpr int64_t kTickNs = 100;
  return Status{{static_cast<uint64_t>(facts.EndOfFile.QuadPart), times.LastWriteTime.QuadPart * kTickNs,
                 times.ChangeTime.QuadPart * kTickNs, numbers.dwVolumeSerialNumber,
                 uint64_t{numbers.nFileIndexHigh} << 32 | numbers.nFileIndexLow},
                facts.DeletePending || facts.NumberOfLinks == 0};
}

/// The offset from which two states of a file certainly differ; nothing when size and time of change are the same.
std::optional<uint64_t> findDifference(const FileIdentity& before, const FileIdentity& now) {
  if (now.size == before.size && now.changedNs == before.changedNs) return std::nullopt;
  return now.size < before.size ? now.size : 0;
}

class MappedFile final : public ByteSource {
public:
  MappedFile(Descriptor file, FileIdentity identity, void* address, Slot* slot)
      : m_file(std::move(file)), m_identity(identity), m_address(address), m_slot(slot) {}
  ~MappedFile() override {
    m_slot->begin.store(0, std::memory_order_release);
    if (m_slot->isReplaced.load())
      VirtualFree(m_address, 0, MEM_RELEASE);
    else
      UnmapViewOfFile(m_address);
  }
  std::span<const std::byte> view() const override {
    return {static_cast<const std::byte*>(m_address), m_identity.size};
  }
  bool isFile() const override { return true; }
  int descriptor() const override { return m_file.number(); }
  FileIdentity identity() const override { return m_identity; }
  std::optional<uint64_t> damage() const override {
    const uint64_t at = m_slot->damagedAt.load();
    return at == kNoDamage ? std::nullopt : std::optional(at);
  }
  std::optional<uint64_t> findChange() const override {
    if (const auto lost = damage()) return lost;
    const auto now = statusOf(windows::handleOf(m_file.number()));
    if (!now) return std::nullopt;
    if (const auto at = findDifference(m_identity, now->identity)) return at;
    // A program that writes to a file can reset the time of its last change, but not that of its status. When a file
    // loses its last name, its status changes for that reason.
    if (now->identity.statusNs != m_identity.statusNs && !now->isRemoved) return 0;
    return std::nullopt;
  }

private:
  Descriptor m_file;
  FileIdentity m_identity;
  void* m_address;
  Slot* m_slot;
};

/// A file as it was when it was read. It stays open only for findDiskChange().
class PrivateFile final : public ByteSource {
public:
  PrivateFile(Descriptor file, FileIdentity identity, std::unique_ptr<std::byte[]> bytes)
      : m_file(std::move(file)), m_identity(identity), m_bytes(std::move(bytes)) {}
  std::span<const std::byte> view() const override { return {m_bytes.get(), m_identity.size}; }
  bool isFile() const override { return true; }
  FileIdentity identity() const override { return m_identity; }
  std::optional<uint64_t> findDiskChange() const override {
    const auto now = statusOf(windows::handleOf(m_file.number()));
    return now ? findDifference(m_identity, now->identity) : std::nullopt;
  }

private:
  Descriptor m_file;
  FileIdentity m_identity;
  std::unique_ptr<std::byte[]> m_bytes;
};

Error systemError(DiagnosticId id, const std::filesystem::path& path, DWORD number) {
  return Error(id, {{"path", shownPath(pathText(path))}, arg("reason", windows::errorText(number))});
}

Error notRegular(const std::filesystem::path& path, std::string_view what) {
  return Error(DiagnosticId::FileNotRegular, {{"path", shownPath(pathText(path))}, arg("what", what)});
}

/// An open regular file.
struct OpenFile {
  Descriptor file;
  FileIdentity identity;
  HANDLE handle() const { return windows::handleOf(file.number()); }
};

Result<OpenFile> regularFile(Descriptor descriptor, const std::filesystem::path& path) {
  const HANDLE handle = windows::handleOf(descriptor.number());
  const DWORD type = GetFileType(handle);
  if (type != FILE_TYPE_DISK) return notRegular(path, type == FILE_TYPE_PIPE ? "named pipe" : "device or socket");
  const auto status = statusOf(handle);
  if (!status) return systemError(DiagnosticId::FileNotReadable, path, GetLastError());
  OpenFile file{std::move(descriptor), status->identity};
  if (file.identity.size == 0) return Error(DiagnosticId::FileEmpty, {{"path", shownPath(pathText(path))}});
  if (file.identity.size > SIZE_MAX) return systemError(DiagnosticId::FileNotReadable, path, ERROR_FILE_TOO_LARGE);
  return file;
}

Result<OpenFile> openRegular(const std::filesystem::path& path) {
  const std::wstring name = windows::longPath(path);
  // Other programs may do anything with the file meanwhile, as on other systems.
  windows::Handle handle(CreateFileW(name.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                     nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!handle) {
    const DWORD number = GetLastError();
    const DWORD attributes = GetFileAttributesW(name.c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY))
      return notRegular(path, "folder");
    const bool missing = number == ERROR_FILE_NOT_FOUND || number == ERROR_PATH_NOT_FOUND ||
                         number == ERROR_INVALID_NAME || number == ERROR_BAD_PATHNAME || number == ERROR_INVALID_DRIVE;
    return systemError(missing ? DiagnosticId::FileNotFound : DiagnosticId::FileNotReadable, path, number);
  }
  Descriptor descriptor(windows::descriptorFor(std::move(handle)));
  if (descriptor.number() < 0) return systemError(DiagnosticId::FileNotReadable, path, ERROR_TOO_MANY_OPEN_FILES);
  return regularFile(std::move(descriptor), path);
}

Result<std::shared_ptr<const ByteSource>> mapFile(OpenFile file, const std::filesystem::path& path) {
  installGuard();
  const FileIdentity identity = file.identity;
  const windows::Handle mapping(CreateFileMappingW(file.handle(), nullptr, PAGE_READONLY, 0, 0, nullptr));
  void* const address =
      mapping ? MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, static_cast<SIZE_T>(identity.size)) : nullptr;
  if (!address) {
    const DWORD number = GetLastError();
    if (number == ERROR_NOT_ENOUGH_MEMORY || number == ERROR_COMMITMENT_LIMIT) return memoryError();
    return systemError(DiagnosticId::FileNotReadable, path, number);
  }
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uint64_t page = pageSize();
  Slot* const slot = claimSlot(begin, begin + (identity.size + page - 1) / page * page);
  if (!slot) {
    UnmapViewOfFile(address);
    return systemError(DiagnosticId::FileNotReadable, path, ERROR_TOO_MANY_OPEN_FILES);
  }
  return std::shared_ptr<const ByteSource>(std::make_shared<MappedFile>(std::move(file.file), identity, address, slot));
}

/// Fills `bytes` from the start of the file. False when the file is shorter; FILE-NOT-READABLE.
Result<bool> readWhole(const OpenFile& file, std::span<std::byte> bytes, const std::filesystem::path& path) {
  constexpr std::size_t kStep = std::size_t{64} << 20;
  for (std::size_t at = 0; at < bytes.size();) {
    OVERLAPPED place = {};
    place.Offset = static_cast<DWORD>(at);
    place.OffsetHigh = static_cast<DWORD>(uint64_t{at} >> 32);
    DWORD got = 0;
    if (!ReadFile(file.handle(), bytes.data() + at, static_cast<DWORD>(std::min(bytes.size() - at, kStep)), &got,
                  &place) &&
        GetLastError() != ERROR_HANDLE_EOF)
      return systemError(DiagnosticId::FileNotReadable, path, GetLastError());
    if (got == 0) return false;
    at += got;
  }
  return true;
}

} // namespace

std::optional<FileIdentity> identityOf(const Descriptor& file) {
  const auto status = statusOf(windows::handleOf(file.number()));
  return status ? std::optional(status->identity) : std::nullopt;
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
    const auto now = statusOf(file.handle());
    if (!now) return systemError(DiagnosticId::FileNotReadable, path, GetLastError());
    if (!whole || now->identity != before) continue;
    return std::shared_ptr<const ByteSource>(
        std::make_shared<PrivateFile>(std::move(file.file), before, std::move(bytes)));
  }
  return Error(DiagnosticId::FileChanged, {hexArg("at", 0)}, Ref::bytesAt(0));
}

} // namespace blobscope
