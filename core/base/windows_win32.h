#pragma once

#include "core/base/path_text.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

/// Helpers for the sources that call Windows; only for files with names that end in _win32.
namespace blobscope::windows {

/// UTF-8 as UTF-16 and back. Invalid parts become U+FFFD.
std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

/// What Windows says about an error number, without a full stop and a newline at its end: "Access is denied".
std::string errorText(uint32_t number);
/// The same for the last error of this thread.
std::string lastErrorText();

/// The path in the form that has no limit of 260 characters, for the calls of Windows: absolute, with the prefix \\?\.
/// Short paths stay as they are, since some file systems do not know that form.
std::wstring longPath(const std::filesystem::path& path);

/// A handle that is closed when this object is destroyed.
class Handle {
public:
  Handle() = default;
  explicit Handle(HANDLE handle) : m_handle(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  Handle(Handle&& other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(m_handle, other.m_handle);
    return *this;
  }
  ~Handle() {
    if (m_handle) CloseHandle(m_handle);
  }

  /// Null: none.
  HANDLE get() const { return m_handle; }
  explicit operator bool() const { return m_handle != nullptr; }
  /// Keeps it open; the caller closes it from now on.
  HANDLE release() { return std::exchange(m_handle, nullptr); }
  void reset() { *this = Handle(); }

private:
  HANDLE m_handle = nullptr;
};

/// The handle of a descriptor of the C library; null when there is none.
HANDLE handleOf(int descriptor);
/// A descriptor that owns the handle; -1 when the C library has none left, and the handle is then closed.
int descriptorFor(Handle handle);

} // namespace blobscope::windows
