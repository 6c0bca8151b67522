#include "core/base/place.h"

#include "core/base/windows_win32.h"

#include <io.h>
#include <optional>
#include <system_error>

namespace blobscope {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// The path of an open file or folder, with all links resolved.
std::optional<std::filesystem::path> pathOf(HANDLE handle) {
  std::wstring text(GetFinalPathNameByHandleW(handle, nullptr, 0, FILE_NAME_NORMALIZED), L'\0');
  if (text.empty()) return std::nullopt;
  text.resize(GetFinalPathNameByHandleW(handle, text.data(), static_cast<DWORD>(text.size()), FILE_NAME_NORMALIZED));
  if (text.empty()) return std::nullopt;
  if (text.starts_with(LR"(\\?\UNC\)")) return std::filesystem::path(L"\\\\" + text.substr(8));
  if (text.starts_with(LR"(\\?\)")) return std::filesystem::path(text.substr(4));
  return std::filesystem::path(text);
}

/// Opens a folder so that nobody can rename or remove it while it is open.
windows::Handle openFolder(const std::filesystem::path& folder) {
  return windows::Handle(CreateFileW(windows::longPath(folder).c_str(), FILE_LIST_DIRECTORY,
                                     FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING,
                                     FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

} // namespace

Descriptor::~Descriptor() {
  if (m_number >= 0) _close(m_number);
}

Result<Place> findPlace(const std::filesystem::path& target) {
  const auto refuse = [&](std::string reason) {
    return Error(DiagnosticId::FileWrite, {{"path", shownPath(pathText(target))}, {"reason", std::move(reason)}});
  };
  std::error_code failure;
  std::filesystem::path whole = std::filesystem::absolute(target, failure).lexically_normal();
  if (failure || target.empty()) return refuse(windows::errorText(ERROR_PATH_NOT_FOUND));
  whole.make_preferred();
  const bool wantsFolder = !whole.has_filename(); // "x\"
  // A link in the place of the target is followed; the reading handle is closed before anything is written.
  if (!wantsFolder) {
    const windows::Handle there(CreateFileW(windows::longPath(whole).c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr,
                                            OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
    if (there)
      if (const auto resolved = pathOf(there.get())) whole = *resolved;
  }
  const std::filesystem::path above = wantsFolder ? whole : whole.parent_path();
  windows::Handle folder = openFolder(above);
  if (!folder) {
    const DWORD number = GetLastError();
    if (number == ERROR_FILE_NOT_FOUND || number == ERROR_PATH_NOT_FOUND)
      return refuse("the folder '" + shownPath(pathText(above)) + "' does not exist");
    return refuse(windows::errorText(number));
  }
  // Where the system cannot say it (wine, for long paths), the path keeps its links.
  const std::filesystem::path path = pathOf(folder.get()).value_or(above);
  Descriptor held(windows::descriptorFor(std::move(folder)));
  if (held.number() < 0) return refuse(windows::errorText(ERROR_TOO_MANY_OPEN_FILES));
  FILE_BASIC_INFO facts = {};
  if (GetFileInformationByHandleEx(windows::handleOf(held.number()), FileBasicInfo, &facts, sizeof facts) &&
      !(facts.FileAttributes & FILE_ATTRIBUTE_DIRECTORY))
    return refuse("'" + pathText(above) + "' is not a folder");
  Place place;
  place.folder = std::move(held);
  place.name = wantsFolder ? std::string() : pathText(whole.filename());
  place.path = wantsFolder ? path : path / whole.filename();
  return place;
}

Result<Descriptor> openBeneath(const std::filesystem::path& folder, const std::filesystem::path& inside) {
  const std::filesystem::path whole = folder / inside;
  const auto notReadable = [&](std::string reason) {
    return Error(DiagnosticId::FileNotReadable, {{"path", shownPath(pathText(whole))}, {"reason", std::move(reason)}});
  };
  for (const std::filesystem::path& part : inside)
    if (part == ".." || part.is_absolute() || part.has_root_path()) return notReadable("it is not in that folder");
  // The user named the folder itself, so links to it are followed. Links in `inside` are opened as links, and refused.
  std::filesystem::path path = folder.empty() ? std::filesystem::path(".") : folder;
  windows::Handle handle;
  for (const std::filesystem::path& part : inside) {
    if (part.empty() || part == ".") continue;
    path /= part;
    handle =
        windows::Handle(CreateFileW(windows::longPath(path).c_str(), GENERIC_READ, kShareAll, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
    if (!handle) {
      const DWORD number = GetLastError();
      if (number == ERROR_FILE_NOT_FOUND || number == ERROR_PATH_NOT_FOUND)
        return Error(DiagnosticId::FileNotFound, {{"path", shownPath(pathText(whole))}});
      return notReadable(windows::errorText(number));
    }
    FILE_ATTRIBUTE_TAG_INFO facts = {};
    if (!GetFileInformationByHandleEx(handle.get(), FileAttributeTagInfo, &facts, sizeof facts))
      return notReadable(windows::lastErrorText());
    if (facts.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
      return notReadable("'" + pathText(part) + "' is a link, which is not followed; put the file itself there");
  }
  BY_HANDLE_FILE_INFORMATION facts = {};
  if (!handle || !GetFileInformationByHandle(handle.get(), &facts)) return notReadable(windows::lastErrorText());
  if ((facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) || GetFileType(handle.get()) != FILE_TYPE_DISK)
    return Error(DiagnosticId::FileNotRegular,
                 {{"path", shownPath(pathText(whole))},
                  arg("what", facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? "folder" : "device or socket")});
  Descriptor file(windows::descriptorFor(std::move(handle)));
  if (file.number() < 0) return notReadable(windows::errorText(ERROR_TOO_MANY_OPEN_FILES));
  return file;
}

} // namespace blobscope
