#include "app/runner/backends/dynamic_library.h"

#include "core/base/text.h"

#include <dlfcn.h>
#include <utility>

namespace blobscope::runner {

std::optional<DynamicLibrary> DynamicLibrary::open(const std::string& path, std::string& reason) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle) return DynamicLibrary(handle, path);
  const char* const text = dlerror();
  reason = escapedWithin(text ? text : "the system's loader gives no reason", 500);
  return std::nullopt;
}

void* DynamicLibrary::find(const char* name) const { return dlsym(m_handle, name); }

} // namespace blobscope::runner
