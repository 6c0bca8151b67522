#include "app/runner/backends/dynamic_library.h"

#include "app/runner/backends/loader.h"
#include "core/base/text.h"

namespace blobscope::runner {

std::optional<DynamicLibrary> DynamicLibrary::open(const std::string& path, std::string& reason) {
  if (void* const handle = loader::load(path, loader::Scope::Local, false, reason)) return DynamicLibrary(handle, path);
  reason = escapedWithin(reason, 500);
  return std::nullopt;
}

void* DynamicLibrary::find(const char* name) const { return loader::findSymbol(m_handle, name); }

} // namespace blobscope::runner
