#include "core/base/output_file.h"

#include "core/base/source.h"
#include "core/base/temporary_name.h"
#include "core/base/thread_rule.h"
#include "core/base/windows_win32.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <vector>

namespace blobscope {
namespace {

namespace fs = std::filesystem;

Error writeError(const fs::path& path, std::string reason) {
  return Error(DiagnosticId::FileWrite, {{"path", shownPath(pathText(path))}, {"reason", std::move(reason)}});
}

Error systemError(const fs::path& path) { return writeError(path, windows::lastErrorText()); }

/// Suffix of a temporary name, for the second name in backUp() and the replaced file in replace().
constexpr std::string_view kBackup = "-bak";
constexpr std::string_view kDevice = "it is a device or pipe; use -o - for standard output";

/// What distinguishes a file from all others, whatever its names are.
struct FileId {
  DWORD volume = 0;
  uint64_t index = 0;
  bool isFolder = false;
  DWORD links = 0;
  bool isSameAs(const FileId& other) const { return volume == other.volume && index == other.index; }
};

/// Nothing when there is no such file.
std::optional<FileId> idOf(const fs::path& path) {
  const windows::Handle file(CreateFileW(windows::longPath(path).c_str(), FILE_READ_ATTRIBUTES,
                                         FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                                         FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  BY_HANDLE_FILE_INFORMATION facts = {};
  if (!file || !GetFileInformationByHandle(file.get(), &facts)) return std::nullopt;
  return FileId{facts.dwVolumeSerialNumber, uint64_t{facts.nFileIndexHigh} << 32 | facts.nFileIndexLow,
                (facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0, facts.nNumberOfLinks};
}

/// Whether two paths are the same, as Windows compares them.
bool isSamePath(const fs::path& a, const fs::path& b) {
  return CompareStringOrdinal(a.c_str(), -1, b.c_str(), -1, TRUE) == CSTR_EQUAL;
}

/// Removes files that killed writers left. A living writer has its file open, which counts where its process is not
/// visible: on another machine.
void removeStale(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> found;
  for (auto entry = fs::directory_iterator(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    const std::string name = pathText(entry->path().filename());
    const std::size_t end = name.ends_with(kBackup) ? name.size() - kBackup.size() : name.size();
    const auto made = TemporaryName::parse(std::string_view(name).substr(0, end));
    if (made && !made->isInUse()) found.push_back(entry->path());
  }
  for (const fs::path& path : found) {
    // Opened without sharing, which fails while any program has the file open.
    const windows::Handle file(CreateFileW(windows::longPath(path).c_str(), GENERIC_READ | DELETE, 0, nullptr,
                                           OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
    FILE_DISPOSITION_INFO removal = {TRUE};
    if (file) SetFileInformationByHandle(file.get(), FileDispositionInfo, &removal, sizeof removal);
  }
}

/// Whether a file that exists is one of those in a folder.
bool isInFolder(const FileId& file, const fs::path& folder) {
  std::error_code failure;
  for (auto entry = fs::recursive_directory_iterator(folder, failure);
       !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    const auto other = idOf(entry->path());
    if (other && file.isSameAs(*other)) return true;
  }
  return false;
}

/// Whether writing to `path`, which has no links, would replace `input`.
bool isInput(const fs::path& path, const fs::path& input) {
  if (input.empty()) return false;
  const auto file = idOf(path), other = idOf(input);
  if (!file || !other) {
    std::error_code failure;
    return isSamePath(fs::absolute(input, failure).lexically_normal(), path);
  }
  return file->isSameAs(*other) || (other->isFolder && isInFolder(*file, input));
}

bool isAnyInput(const fs::path& path, const Inputs& inputs) {
  return isInput(path, inputs.replaceable) ||
         std::any_of(inputs.files.begin(), inputs.files.end(), [&](const auto& file) { return isInput(path, file); });
}

Error sameError(const fs::path& path) { return Error(DiagnosticId::FileSame, {{"path", shownPath(pathText(path))}}); }

/// Creates a file in the folder of the place. Others may read it, so that it can be checked before it is renamed.
Result<std::pair<std::string, Descriptor>> createTemporary(const Place& place, const fs::path& requested) {
  // The name does not contain the target's name, which may already have the maximum length.
  for (int tries = 0; tries < 8; ++tries) {
    std::string name = TemporaryName::make().text();
    windows::Handle file(CreateFileW(windows::longPath(place.path.parent_path() / name).c_str(),
                                     GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                     CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!file && GetLastError() == ERROR_FILE_EXISTS) continue;
    if (!file) return systemError(requested);
    Descriptor descriptor(windows::descriptorFor(std::move(file)));
    if (descriptor.number() < 0) return writeError(requested, windows::errorText(ERROR_TOO_MANY_OPEN_FILES));
    return std::pair(std::move(name), std::move(descriptor));
  }
  return writeError(requested, windows::errorText(ERROR_FILE_EXISTS));
}

/// Copies the list of who may do what with a file. File systems without such lists need nothing.
bool copyRights(const fs::path& from, const fs::path& to) {
  const std::wstring source = windows::longPath(from);
  DWORD size = 0;
  GetFileSecurityW(source.c_str(), DACL_SECURITY_INFORMATION, nullptr, 0, &size);
  if (size == 0) return GetLastError() == ERROR_NOT_SUPPORTED || GetLastError() == ERROR_INVALID_FUNCTION;
  std::vector<std::byte> rights(size);
  return GetFileSecurityW(source.c_str(), DACL_SECURITY_INFORMATION, rights.data(), size, &size) &&
         SetFileSecurityW(windows::longPath(to).c_str(), DACL_SECURITY_INFORMATION, rights.data());
}

/// Renames a file, also over another one. A file that is mapped, as the input of a repack, cannot be replaced but
/// renamed: it then gets the name `aside`, and its old name back when the rest does not succeed. False with the last
/// error.
bool replace(const fs::path& from, const fs::path& to, const fs::path& aside) {
  const std::wstring source = windows::longPath(from), target = windows::longPath(to), spare = windows::longPath(aside);
  if (MoveFileExW(source.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return true;
  const DWORD number = GetLastError();
  const bool isInUse = number == ERROR_ACCESS_DENIED || number == ERROR_SHARING_VIOLATION ||
                       number == ERROR_USER_MAPPED_FILE || number == ERROR_LOCK_VIOLATION;
  const DWORD attributes = GetFileAttributesW(target.c_str());
  if (!isInUse || attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_DIRECTORY) ||
      !MoveFileExW(target.c_str(), spare.c_str(), MOVEFILE_WRITE_THROUGH)) {
    SetLastError(number);
    return false;
  }
  if (!MoveFileExW(source.c_str(), target.c_str(), MOVEFILE_WRITE_THROUGH)) {
    const DWORD second = GetLastError();
    MoveFileExW(spare.c_str(), target.c_str(), 0);
    SetLastError(second);
    return false;
  }
  SetFileAttributesW(spare.c_str(), FILE_ATTRIBUTE_NORMAL);
  DeleteFileW(spare.c_str()); // while it is mapped it stays; the next program that writes here removes it
  return true;
}

} // namespace

Result<OutputFile> OutputFile::create(const fs::path& target, const Inputs& inputs) {
  std::error_code failure;
  if (fs::absolute(target, failure).native().starts_with(LR"(\\.\)")) return writeError(target, std::string(kDevice));
  BLOBSCOPE_TRY(place, findPlace(target));
  const DWORD attributes = GetFileAttributesW(windows::longPath(place.path).c_str());
  const bool exists = attributes != INVALID_FILE_ATTRIBUTES;
  if (place.name.empty() || (exists && (attributes & FILE_ATTRIBUTE_DIRECTORY)))
    return writeError(target, "it is a folder");
  for (const fs::path& input : inputs.files)
    if (isInput(place.path, input)) return sameError(target);
  removeStale(place.path.parent_path());
  BLOBSCOPE_TRY(made, createTemporary(place, target));
  OutputFile out(target, std::move(place), std::move(made.first), std::move(made.second), inputs);
  out.m_replacesInput = isInput(out.m_place.path, inputs.replaceable);
  if (exists && !copyRights(out.m_place.path, out.m_temporary)) return systemError(target);
  return out;
}

OutputFile::OutputFile(fs::path requested, Place place, std::string temporary, Descriptor file, Inputs inputs)
    : m_requested(std::move(requested)), m_place(std::move(place)), m_name(std::move(temporary)),
      m_temporary(m_place.path.parent_path() / m_name), m_file(std::move(file)), m_inputs(std::move(inputs)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept = default;

OutputFile::~OutputFile() {
  if (m_file.number() < 0) return;
  m_file.reset();
  DeleteFileW(windows::longPath(m_temporary).c_str());
}

Result<Done> OutputFile::write(const Bytes& bytes, Monitor& monitor) {
  longWork("OutputFile::write");
  constexpr uint64_t kStep = 1 << 20;
  const HANDLE file = windows::handleOf(m_file.number());
  for (uint64_t at = 0; at < bytes.size();) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("writing", at, bytes.size());
    const Bytes part = bytes.slice(at, kStep);
    DWORD written = 0;
    bool done = WriteFile(file, part.data(), static_cast<DWORD>(part.size()), &written, nullptr);
    if (!done && (GetLastError() == ERROR_NOACCESS || GetLastError() == ERROR_INVALID_USER_BUFFER)) {
      // The mapped file cannot be read any more. When it is read here, the lost bytes become zeros; the owner of the
      // file reports the change.
      const Buffer copy(part.span().begin(), part.span().end());
      done = WriteFile(file, copy.data(), static_cast<DWORD>(copy.size()), &written, nullptr);
    }
    if (!done) return systemError(m_requested);
    at += written;
  }
  return Done{};
}

Result<Done> OutputFile::writeZeros(uint64_t count) {
  const HANDLE file = windows::handleOf(m_file.number());
  LARGE_INTEGER distance = {};
  distance.QuadPart = static_cast<LONGLONG>(count);
  if (!SetFilePointerEx(file, distance, nullptr, FILE_CURRENT) || !SetEndOfFile(file)) return systemError(m_requested);
  return Done{};
}

Result<Done> OutputFile::sync() {
  longWork("OutputFile::sync");
  if (!FlushFileBuffers(windows::handleOf(m_file.number()))) return systemError(m_requested);
  return Done{};
}

Result<Done> OutputFile::backUp() {
  const fs::path folder = m_place.path.parent_path();
  const fs::path path = folder / pathFrom(m_place.name + ".bak"), link = folder / (m_name + std::string(kBackup));
  // The old backup is removed, and it may be an input. When it is another name of the target, it stays.
  const auto target = idOf(m_place.path), old = idOf(path);
  if (!target) return Done{};
  if (old && target->isSameAs(*old)) return Done{};
  if (isAnyInput(path, m_inputs)) return sameError(path);
  const std::wstring linkName = windows::longPath(link), targetName = windows::longPath(m_place.path);
  DeleteFileW(linkName.c_str());
  // Some file systems have no second names.
  if (!CreateHardLinkW(linkName.c_str(), targetName.c_str(), nullptr) &&
      !CopyFileW(targetName.c_str(), linkName.c_str(), TRUE))
    return systemError(path);
  if (MoveFileExW(linkName.c_str(), windows::longPath(path).c_str(), MOVEFILE_REPLACE_EXISTING)) return Done{};
  const Error error = systemError(path);
  DeleteFileW(linkName.c_str());
  return error;
}

Result<Done> OutputFile::commit() {
  BLOBSCOPE_CHECK(sync());
  return rename();
}

Result<OutputFile::Outcome> OutputFile::commitOver(const FileIdentity& opened, bool backup) {
  BLOBSCOPE_CHECK(sync());
  const auto isOpened = [&](bool hasNewName) {
    windows::Handle file(CreateFileW(windows::longPath(m_place.path).c_str(), FILE_READ_ATTRIBUTES,
                                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0,
                                     nullptr));
    if (!file) return GetLastError() == ERROR_FILE_NOT_FOUND;
    const auto now = identityOf(Descriptor(windows::descriptorFor(std::move(file))));
    FileIdentity expected = opened;
    if (now && hasNewName) expected.statusNs = now->statusNs;
    return now == expected;
  };
  if (!isOpened(false)) return Outcome::TargetChanged;
  if (backup) {
    BLOBSCOPE_CHECK(backUp());
    if (!isOpened(true)) return Outcome::TargetChanged;
  }
  BLOBSCOPE_CHECK(renameLocked());
  return Outcome::Written;
}

Result<Done> OutputFile::rename() { return renameLocked(); }

Result<Done> OutputFile::renameLocked() {
  const fs::path aside = m_place.path.parent_path() / (m_name + std::string(kBackup));
  if (!replace(m_temporary, m_place.path, aside)) return systemError(m_requested);
  m_file.reset();
  return Done{};
}

fs::path OutputFile::keep() {
  m_file.reset();
  constexpr int kNames = 1000;
  for (int number = 1; number <= kNames; ++number) {
    const std::string kept = m_place.name + ".rejected" + (number == 1 ? "" : "." + std::to_string(number));
    const fs::path path = m_place.path.parent_path() / pathFrom(kept);
    if (MoveFileExW(windows::longPath(m_temporary).c_str(), windows::longPath(path).c_str(), 0)) return path;
    if (GetLastError() != ERROR_ALREADY_EXISTS && GetLastError() != ERROR_FILE_EXISTS) break;
  }
  return m_temporary;
}

} // namespace blobscope
