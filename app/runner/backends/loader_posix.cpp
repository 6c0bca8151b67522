#include "app/runner/backends/loader.h"

#include <dlfcn.h>

namespace blobscope::runner::loader {

void* load(const std::string& path, Scope scope, bool lazy, std::string& reason) {
  void* const library =
      dlopen(path.c_str(), (lazy ? RTLD_LAZY : RTLD_NOW) | (scope == Scope::Global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library) return library;
  const char* const message = dlerror();
  reason = message ? message : "no reason given";
  return nullptr;
}

void* loadedLibrary(const std::string& path) { return dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD); }

void* findSymbol(void* library, const char* name) { return dlsym(library, name); }

void* findGlobalSymbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

} // namespace blobscope::runner::loader
