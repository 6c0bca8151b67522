#include "core/library/files.h"

#include "core/base/path_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <system_error>

namespace blobscope::library {

namespace fs = std::filesystem;

namespace {

template <std::size_t N> bool endsWithOneOf(std::string_view path, const std::array<std::string_view, N>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
    return path.size() > ending.size() && equalsIgnoringCase(path.substr(path.size() - ending.size()), ending);
  });
}

} // namespace

bool hasLibraryName(std::string_view path) {
  constexpr std::array<std::string_view, 15> kEndings = {".so",  ".dll", ".dylib",  ".pyd",  ".o",
                                                         ".obj", ".a",   ".lib",    ".tar",  ".tgz",
                                                         ".gz",  ".zip", ".params", ".wasm", ".apk"};
  // "lib.so.1.2": the version follows.
  const std::size_t so = path.rfind(".so.");
  const bool versioned =
      so != std::string_view::npos && path.find_first_not_of("0123456789.", so + 4) == std::string_view::npos;
  return versioned || endsWithOneOf(path, kEndings);
}

bool hasSourceName(std::string_view path) {
  constexpr std::array<std::string_view, 15> kEndings = {".c",  ".cc",  ".cpp", ".cxx", ".h",  ".hh",    ".hpp", ".hxx",
                                                         ".cu", ".cuh", ".hip", ".m",   ".mm", ".metal", ".inl"};
  return endsWithOneOf(path, kEndings);
}

Result<std::vector<ListedFile>> listFiles(const std::vector<fs::path>& paths, Monitor& monitor) {
  std::vector<ListedFile> out;
  for (const fs::path& path : paths) {
    std::error_code failure;
    if (!fs::is_directory(path, failure)) {
      out.push_back({path, pathText(path), false});
      continue;
    }
    fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, failure), end;
    if (failure)
      return Error(DiagnosticId::FileNotReadable, {arg("path", pathText(path)), {"reason", failure.message()}});
    for (; at != end; at.increment(failure)) {
      if (failure || monitor.stopRequested()) break;
      std::error_code ignored;
      if (at->is_symlink(ignored) || !at->is_regular_file(ignored)) continue;
      if (out.size() >= kFolderFiles)
        return Error(DiagnosticId::FileLimit,
                     {{"count", "more files"}, {"what", "in the folder"}, arg("limit", kFolderFiles)});
      out.push_back({at->path(), pathText(at->path().lexically_relative(path)), true});
      if (out.size() % 1024 == 0) monitor.progress("listing files", out.size(), 0);
    }
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (failure)
      return Error(DiagnosticId::FileNotReadable, {arg("path", pathText(path)), {"reason", failure.message()}});
  }
  std::ranges::stable_sort(out, {}, &ListedFile::shown);
  return out;
}

} // namespace blobscope::library
