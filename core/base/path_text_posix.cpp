#include "core/base/path_text.h"

#include "core/base/text.h"

#include <cstdlib>

namespace blobscope {

const std::string_view kProgramSuffix = "";
const char kPathSeparator = ':';

std::string pathText(const std::filesystem::path& path) { return path.native(); }

std::filesystem::path pathFrom(std::string_view text) { return text; }

std::string shownPath(std::string_view path) { return escaped(path, kMessageBytes); }

std::string portableText(const std::filesystem::path& path) { return path.native(); }

std::string environmentText(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> programArguments(int argc, char** argv) { return {argv, argv + argc}; }

} // namespace blobscope
