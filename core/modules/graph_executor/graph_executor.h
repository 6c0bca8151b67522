#pragma once

#include "core/modules/codec.h"

namespace blobscope::modules {

/// `GraphRuntimeFactory` (v0.7), `GraphExecutorFactory` (v0.8 – v0.19): a graph in JSON and its parameters.
extern const ModuleCodec kGraphFactoryCodec;
/// `AotExecutorFactory` (v0.9 – v0.19): parameters; the graph is compiled into host code.
extern const ModuleCodec kAotFactoryCodec;

/// Returns the graph in JSON of a body of kGraphFactoryCodec; nothing for other bodies.
std::optional<Bytes> graphJsonOf(const Body& body);

} // namespace blobscope::modules
