#include "core/base/path_text.h"
#include "core/targets/runtime.h"

namespace blobscope::targets {

Result<RuntimePtr> readRuntime(const FactsPtr&, const std::filesystem::path& path, Monitor&) {
  return Error(DiagnosticId::PreRuntime, {arg("name", pathText(path)), {"why", "runtimes on disk cannot be read yet"}});
}

} // namespace blobscope::targets
