#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Loads shared libraries, on each system.
namespace blobscope::runner::loader {

/// Which libraries see the symbols of a library: only itself, or all that are loaded later.
enum class Scope : uint8_t { Local, Global };

/// Loads a shared library; a path without a folder is searched by the system's loader. `lazy`: functions are bound when
/// they are first called, where the system can do that. Null with the loader's reason.
void* load(const std::string& path, Scope scope, bool lazy, std::string& reason);
/// A library that is already loaded; null if it is not.
void* loadedLibrary(const std::string& path);
/// A symbol of a library; null if there is none.
void* findSymbol(void* library, const char* name);
/// A symbol that all libraries see; null if there is none.
void* findGlobalSymbol(const char* name);

/// The file name of a shared library that belongs to the runner: "libNAME.so", "NAME.dll".
std::string libraryFileName(std::string_view name);
/// The name under which the system's loader finds the driver of a back end: "cuda", "vulkan", "opencl".
std::string driverName(std::string_view backend);
/// What to do on this system if a back end has no driver: a clause that begins with a verb.
std::string_view driverHelp(std::string_view backend);

} // namespace blobscope::runner::loader
