#include "core/base/output_folder.h"

#include "core/base/place.h"
#include "core/base/temporary_name.h"
#include "core/base/thread_rule.h"
#include "core/base/windows_win32.h"

#include <system_error>
#include <utility>

namespace blobscope {
namespace {

Error writeError(const std::filesystem::path& path, std::string reason) {
  return Error(DiagnosticId::FileWrite, {{"path", shownPath(pathText(path))}, {"reason", std::move(reason)}});
}

} // namespace

Result<OutputFolder> OutputFolder::create(const std::filesystem::path& target) {
  BLOBSCOPE_TRY(place, findPlace(target.has_filename() ? target : target.parent_path())); // "folder/"
  std::filesystem::path path = std::move(place.path);
  std::error_code failure;
  if (std::filesystem::exists(path, failure)) {
    if (!std::filesystem::is_directory(path, failure)) return writeError(target, "it exists and is not a folder");
    if (!std::filesystem::is_empty(path, failure) || failure) return writeError(target, "the folder is not empty");
  }
  std::filesystem::path temporary = path.parent_path() / TemporaryName::make().text();
  if (!CreateDirectoryW(windows::longPath(temporary).c_str(), nullptr))
    return writeError(target, windows::lastErrorText());
  return OutputFolder(std::move(path), std::move(temporary));
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : m_target(std::move(other.m_target)), m_temporary(std::exchange(other.m_temporary, {})) {}

OutputFolder::~OutputFolder() {
  std::error_code failure;
  if (!m_temporary.empty()) std::filesystem::remove_all(windows::longPath(m_temporary), failure);
}

Result<Done> OutputFolder::write(const std::filesystem::path& path, const Bytes& bytes, Monitor& monitor) {
  longWork("OutputFolder::write");
  std::error_code failure;
  const std::filesystem::path full = windows::longPath(m_temporary / path);
  std::filesystem::create_directories(full.parent_path(), failure);
  if (failure) return writeError(m_target / path, failure.message());
  const windows::Handle file(
      CreateFileW(full.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file) return writeError(m_target / path, windows::lastErrorText());
  constexpr uint64_t kStep = 1 << 20;
  for (uint64_t at = 0; at < bytes.size();) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const Bytes part = bytes.slice(at, kStep);
    DWORD written = 0;
    if (!WriteFile(file.get(), part.data(), static_cast<DWORD>(part.size()), &written, nullptr))
      return writeError(m_target / path, windows::lastErrorText());
    at += written;
  }
  return Done{};
}

Result<Done> OutputFolder::commit() {
  longWork("OutputFolder::commit");
  const std::wstring target = windows::longPath(m_target);
  // Windows replaces no folder, not even an empty one; only an empty one can be removed.
  if (GetFileAttributesW(target.c_str()) != INVALID_FILE_ATTRIBUTES && !RemoveDirectoryW(target.c_str()))
    return writeError(m_target, windows::lastErrorText());
  if (!MoveFileExW(windows::longPath(m_temporary).c_str(), target.c_str(), MOVEFILE_WRITE_THROUGH))
    return writeError(m_target, windows::lastErrorText());
  m_temporary.clear();
  return Done{};
}

} // namespace blobscope
