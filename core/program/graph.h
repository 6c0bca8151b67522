#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/program/model.h"
#include "core/xref/functions.h"

/// Models of TVM's graph executor and AOT executor as programs for the runner's interpreter. The programs use the
/// built-in functions storage.make, tensor.make, tensor.reshape, tensor.copy, tuple.make and move. Device 0 is the main
/// device, 1 the processor.
///
/// All errors about the model are RUN-PROGRAM with the reason. Program::data stays empty: the caller writes the
/// elements of Model::tensors to a file.
namespace blobscope::program {

/// Translates the graph of a `GraphRuntimeFactory` or `GraphExecutorFactory` into a program with the function "graph".
///
/// Its parameters are the inputs of the graph, in the order of `arg_nodes`, without those that have a value; its result
/// is the tuple of the heads, or the only head. `params`: values for inputs in addition to those in the module, which
/// they replace; may be null. Values without an input of that name are ignored, as the executor does it. `package`: the
/// file that contains the module; its host functions must include those of the nodes.
///
/// The function makes each storage, then the tensor of each entry in it, then calls the function of each node in order;
/// ProgramStep::node is the name of the node. A storage has the size of its largest entry. Entries that are inputs,
/// parameters or outputs of `__copy` have no storage, and an output of `__nop` is its input with another shape.
///
/// Source: core/formats/module-kinds.md 5.1, core/formats/model-library-format.md 8; apache/tvm 065f3d5
/// src/runtime/graph_executor/graph_executor.cc: SetupStorage (sizes and devices of storages), SetupOpExecs (inputs of
/// a node, then its outputs), CreateTVMOp (`flatten_data`, `__nop`, `__copy`), LoadParams.
///
/// Errors: RUN-PROGRAM for a module without a graph, for a graph that the executors cannot read, with the first finding
/// of mlf::readGraph(), and for what the interpreter lacks: elements other than whole numbers and floats of whole bytes
/// and bool, textures, devices of two kinds besides the processor; Cancelled.
Result<Model> graphModel(const library::Package& package, const library::Module& module, const Parameters* params,
                         Monitor& monitor);

/// The same for a graph in a separate file (`deploy.json`) whose functions `package` has.
Result<Model> graphModel(const library::Package& package, const Bytes& graph, const Parameters& params,
                         Monitor& monitor);

/// Translates the entry function of an `AotExecutorFactory` into a program with the function "main", which makes the
/// outputs and calls the entry function with inputs and outputs. Parameters in the module are the values of the inputs
/// with their names. Everything is in the memory of the processor, the only device of that executor besides Hexagon.
/// `package`: the file that contains the module; `functions`: of the outermost file.
///
/// The entry function is `tvmgen_NAME___tvm_main__`, NAME being the name in the module. Its signature states types and
/// shapes. Outputs are the last arguments; TVM calls them "output", or "output" and a number if there are several,
/// unless the importer of the model named them (`output_tensor_names`, TFLite), and then this returns an error: the
/// counts are only in the code of `get_c_metadata`.
///
/// Source: apache/tvm 0daf37d src/runtime/aot_executor/aot_executor.cc, AotExecutor::AotExecutor (devices, memory
/// pools) and Run (the arguments); 24f793d src/runtime/aot_executor/aot_executor_factory.cc, ExecutorCreate
/// (parameters); src/runtime/meta_data.h, get_name_mangled; src/relay/backend/aot_executor_codegen.cc, CreateIOVar and
/// GetUniqueIOVarName, which numbers from "output0", in other releases "output", "output2". Seen in one real file.
///
/// Errors: RUN-PROGRAM when there is no entry function, an argument has no known type or shape, no argument is an
/// output, or the function needs memory pools; Cancelled.
Result<Model> aotModel(const library::PackagePtr& package, const library::Module& module,
                       const xref::Functions& functions, Monitor& monitor);

} // namespace blobscope::program
