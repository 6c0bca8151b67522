#pragma once

#include "core/base/bytes.h"
#include "core/modules/codec.h"
#include "core/payloads/tensor/tensor_table.h"

#include <optional>
#include <vector>

namespace blobscope::modules {

/// The content of a module that creates an executor: `GraphRuntimeFactory`, `GraphExecutorFactory`,
/// `AotExecutorFactory`. Source: core/formats/module-kinds.md 5.1.
struct ExecutorFactory {
  std::optional<Bytes> graphJson;                ///< nothing for AOT, where the graph is host code
  std::vector<payloads::NamedTensor> parameters; ///< in stored order; empty when they are not in the module
  Bytes moduleName;                              ///< usually "default"
};
/// Returns nothing for other modules.
std::optional<ExecutorFactory> executorFactoryOf(const Body& body);

} // namespace blobscope::modules
