#include "core/base/private_file.h"

#include "core/base/windows_win32.h"

#include <algorithm>

namespace blobscope {

void surviveFileLimit() {} // Windows has no such limit

Result<Done> writePrivateFile(const std::filesystem::path& path, std::span<const std::byte> content) {
  // Size of the pieces in which files are written.
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  const auto failed = [&] {
    return Error(DiagnosticId::FileWrite, {{"path", shownPath(pathText(path))}, {"reason", windows::lastErrorText()}});
  };
  const windows::Handle file(CreateFileW(windows::longPath(path).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS,
                                         FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file) return failed();
  while (!content.empty()) {
    DWORD written = 0;
    if (!WriteFile(file.get(), content.data(), static_cast<DWORD>(std::min(content.size(), kPiece)), &written, nullptr))
      return failed();
    content = content.subspan(written);
  }
  return Done{};
}

} // namespace blobscope
