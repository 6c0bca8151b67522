#include "core/base/path_text.h"

#include "core/base/text.h"
#include "core/base/windows_win32.h"

#include <shellapi.h>

namespace blobscope {

const std::string_view kProgramSuffix = ".exe";
const char kPathSeparator = ';';

std::string pathText(const std::filesystem::path& path) { return windows::narrow(path.native()); }

std::filesystem::path pathFrom(std::string_view text) { return windows::wide(text); }

// Names cannot contain the characters that only escaped() escapes.
std::string shownPath(std::string_view path) { return plainText(path, kMessageBytes); }

std::string portableText(const std::filesystem::path& path) {
  std::string text = pathText(path);
  for (char& c : text)
    if (c == '\\') c = '/';
  return text;
}

std::filesystem::path ownProgram() {
  // Longer paths than this do not exist.
  constexpr std::size_t kLongest = 32'768;
  std::wstring text(kLongest, L'\0');
  text.resize(GetModuleFileNameW(nullptr, text.data(), static_cast<DWORD>(text.size())));
  return text;
}

std::string environmentText(const char* name) {
  const std::wstring wideName = windows::wide(name);
  std::wstring text(GetEnvironmentVariableW(wideName.c_str(), nullptr, 0), L'\0');
  text.resize(GetEnvironmentVariableW(wideName.c_str(), text.data(), static_cast<DWORD>(text.size())));
  return windows::narrow(text);
}

std::vector<std::string> programArguments(int, char**) {
  std::vector<std::string> out;
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  for (int i = 0; words && i < count; ++i) out.push_back(windows::narrow(words[i]));
  LocalFree(words);
  return out;
}

} // namespace blobscope
