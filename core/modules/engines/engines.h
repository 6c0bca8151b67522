#pragma once

#include "core/modules/codec.h"

/// Modules that pass a model to another program. All layouts come from sources and are tested with round trips of
/// invented values; no file with one of them was seen.
namespace blobscope::modules {

/// `coreml` (v0.7 on): a function and a packed `.mlmodelc` folder.
extern const ModuleCodec kCoremlCodec;
/// `torch` (v0.9 – v0.19): a function and a TorchScript archive.
extern const ModuleCodec kTorchCodec;
/// `VitisAIRuntime` (v0.8 – v0.19): a model for a Xilinx DPU.
extern const ModuleCodec kVitisCodec;
/// `mrvl_sim` (v0.16 – v0.23): nodes in JSON, and a binary from v0.17 on.
extern const ModuleCodec kMrvlSimCodec;
/// `mrvl_hw` (v0.19 – v0.23): nodes in JSON, a binary and three numbers.
extern const ModuleCodec kMrvlHwCodec;
/// `examplejson` (v0.6): the graph text of a tutorial.
extern const ModuleCodec kExampleJsonCodec;
/// `ethos-n` (v0.7 – v0.18): networks of an Arm Ethos-N compiler.
extern const ModuleCodec kEthosnCodec;

} // namespace blobscope::modules
