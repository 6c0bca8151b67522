#include "app/runner/backends/loader.h"

#include "core/base/windows_win32.h"

#include <mutex>
#include <vector>

namespace blobscope::runner::loader {
namespace {

/// Windows has no symbols that all libraries see, so these are the libraries with such symbols.
struct Globals {
  std::mutex lock;
  std::vector<HMODULE> libraries;
};

Globals& globals() {
  static Globals& made = *new Globals;
  return made;
}

} // namespace

void* load(const std::string& path, Scope scope, bool, std::string& reason) {
  // The libraries that it needs are found next to it first.
  const bool hasFolder = path.find_first_of("/\\") != std::string::npos;
  const std::wstring name = hasFolder ? windows::longPath(pathFrom(path).make_preferred()) : windows::wide(path);
  const HMODULE library =
      LoadLibraryExW(name.c_str(), nullptr, hasFolder ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (!library) {
    reason = windows::lastErrorText();
    return nullptr;
  }
  if (scope == Scope::Global) {
    const std::scoped_lock lock(globals().lock);
    globals().libraries.push_back(library);
  }
  return library;
}

void* loadedLibrary(const std::string& path) { return GetModuleHandleW(pathFrom(path).make_preferred().c_str()); }

void* findSymbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

void* findGlobalSymbol(const char* name) {
  const std::scoped_lock lock(globals().lock);
  for (const HMODULE library : globals().libraries)
    if (void* const found = findSymbol(library, name)) return found;
  return nullptr;
}

std::string libraryFileName(std::string_view name) { return std::string(name) + ".dll"; }

std::string driverName(std::string_view backend) {
  return backend == "cuda" ? "nvcuda.dll" : backend == "vulkan" ? "vulkan-1.dll" : "OpenCL.dll";
}

std::string_view driverHelp(std::string_view backend) {
  return backend == "vulkan" ? "install the driver of the graphics card, which contains the Vulkan loader"
                             : "install the driver of the graphics card, which contains OpenCL.dll";
}

} // namespace blobscope::runner::loader
