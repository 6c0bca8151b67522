#include "core/base/windows_win32.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <io.h>
#include <system_error>

namespace blobscope::windows {

std::wstring wide(std::string_view text) {
  const auto size = static_cast<int>(text.size());
  std::wstring out(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), size, out.data(), static_cast<int>(out.size()));
  return out;
}

std::string narrow(std::wstring_view text) {
  const auto size = static_cast<int>(text.size());
  std::string out(
      static_cast<std::size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr)), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), size, out.data(), static_cast<int>(out.size()), nullptr, nullptr);
  return out;
}

std::string errorText(uint32_t number) {
  std::array<wchar_t, 512> buffer{};
  // English where the system has it, as all other texts; else the language of the system.
  constexpr DWORD kFlags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  DWORD size = 0;
  for (const DWORD language : {DWORD{MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US)}, DWORD{0}}) {
    size = FormatMessageW(kFlags, nullptr, number, language, buffer.data(), static_cast<DWORD>(buffer.size()), nullptr);
    if (size > 0) break;
  }
  std::wstring_view text(buffer.data(), size);
  while (!text.empty() && (text.back() <= L' ' || text.back() == L'.')) text.remove_suffix(1);
  return text.empty() ? "error " + std::to_string(number) + " of Windows" : narrow(text);
}

std::string lastErrorText() { return errorText(GetLastError()); }

std::wstring longPath(const std::filesystem::path& path) {
  // CreateDirectoryW() accepts 12 characters less than MAX_PATH.
  constexpr std::size_t kShort = MAX_PATH - 13;
  const std::wstring& text = path.native();
  if (text.starts_with(L"\\\\?\\") || text.starts_with(L"\\\\.\\")) return text;
  std::error_code failure;
  std::filesystem::path whole = std::filesystem::absolute(path, failure).lexically_normal();
  if (failure || whole.native().size() < kShort) return text;
  whole.make_preferred();
  if (whole.native().starts_with(L"\\\\")) return L"\\\\?\\UNC" + whole.native().substr(1);
  return L"\\\\?\\" + whole.native();
}

HANDLE handleOf(int descriptor) {
  if (descriptor < 0) return nullptr;
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
  return handle == INVALID_HANDLE_VALUE ? nullptr : handle;
}

int descriptorFor(Handle handle) {
  const int descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(handle.get()), _O_BINARY | _O_NOINHERIT);
  if (descriptor >= 0) handle.release(); // the descriptor owns it now
  return descriptor;
}

} // namespace blobscope::windows
