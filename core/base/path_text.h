#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope {

/// The path as text in the encoding that all texts of this program have: on Windows UTF-8, elsewhere the bytes of the
/// path. Use it instead of native(), whose type depends on the system. Parts of a name that are not valid UTF-16 become
/// U+FFFD.
std::string pathText(const std::filesystem::path& path);

/// The same with '/' between the parts on every system, as names in archives have it.
std::string portableText(const std::filesystem::path& path);

/// The path that such a text names. Use it instead of the constructors of std::filesystem::path, which take the bytes
/// of a text for Latin-1 on Windows; for texts in ASCII they do the same.
std::filesystem::path pathFrom(std::string_view text);

/// A path as pathText() returns it, as messages show it: escaped and shortened as in other messages, but on Windows
/// each backslash stays one.
std::string shownPath(std::string_view path);

/// The end of the file names of programs: ".exe" on Windows, else nothing.
extern const std::string_view kProgramSuffix;
/// The character between the folders of PATH: ';' on Windows, else ':'.
extern const char kPathSeparator;

/// The path of the program that runs, with links resolved; empty when the system does not know it.
std::filesystem::path ownProgram();

/// The value of an environment variable, encoded as pathText() does it; empty when it is not set.
std::string environmentText(const char* name);

/// The arguments of this process with its own name, encoded as pathText() does it. `argc`, `argv`: those of main().
std::vector<std::string> programArguments(int argc, char** argv);

} // namespace blobscope
