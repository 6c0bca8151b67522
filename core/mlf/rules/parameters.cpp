#include "core/mlf/parameters.h"
#include "core/mlf/rules/checks.h"

#include <unordered_set>

namespace blobscope::mlf {

void checkParameters(const Model& model, Findings& findings, Monitor& monitor) {
  std::unordered_set<const File*> read; // several modules may have the same name
  for (const ModelModule& module : model.modules) {
    if (monitor.stopRequested()) return;
    if (module.parameters && read.insert(module.parameters).second)
      readParameters(*module.parameters, {model.usesCRuntime}, findings, monitor);
  }
}

} // namespace blobscope::mlf
