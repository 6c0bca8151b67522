#include "core/mlf/parameters.h"
#include "core/mlf/rules/checks.h"

namespace blobscope::mlf {

void checkParameters(const Model& model, Findings& findings, Monitor& monitor) {
  for (const ModelModule& module : model.modules) {
    if (monitor.stopRequested()) return;
    if (module.parameters) readParameters(*module.parameters, {model.usesCRuntime}, findings, monitor);
  }
}

} // namespace blobscope::mlf
