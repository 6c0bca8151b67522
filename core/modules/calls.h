#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/modules/codec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The functions that the code of a module calls by name, the same for virtual machines and graphs.
namespace blobscope::modules {

/// A function that is called, with the name by which it is looked up.
struct Call {
  std::string name; ///< of compiled functions: as in the executable, without `__vmtir__`
  enum class To : uint8_t { Packed, Bytecode, Compiled } to = To::Packed;
  uint64_t times = 0; ///< number of instructions or nodes that call it
};

/// What the code checks about a parameter of a function, and what texts say about it. Source: core/formats/host-abi.md
/// 2.6.
struct CalledParameter {
  std::string name;
  std::string annotation; ///< "R.Tensor((n, 8), dtype=\"float32\")" from an ErrorContext text; empty when there is none
  std::optional<int64_t> rank; ///< from `vm.builtin.check_tensor_info`
  std::string dtype;           ///< from the same check; empty when it is not checked
  std::vector<std::string>
      shape; ///< from `vm.builtin.match_shape`: "8", or "s0" for a dimension stored in or compared with heap slot 0
};

/// A function of a module, or its graph.
struct Caller {
  std::string name;      ///< as in its ref `function:NAME`; empty for a graph
  std::string_view kind; ///< "VM", "VM-TIR", "Relay VM", "graph"; a literal
  std::vector<CalledParameter> parameters;
  std::string result;      ///< annotation; empty when no text states it
  std::vector<Call> calls; ///< each function once, in order of its first call
};

/// The arguments of a called function as a graph describes them: inputs first, then outputs.
struct GraphArguments {
  struct Tensor {
    std::string name, dtype;
    std::optional<std::vector<int64_t>> shape;
  };
  std::string function;
  std::vector<Tensor> arguments;
};

struct Calls {
  std::vector<Caller> callers;
  std::vector<GraphArguments> arguments; ///< one per called function, from the first node that calls it
};

/// A name that a loader looks up in other modules while it loads or sets up the module, before anything runs.
struct Lookup {
  enum class Kind : uint8_t {
    Compiled, ///< compiled code of a function of the executable; searched in modules only
    Required, ///< a packed function; searched in modules only
    Optional  ///< a packed function; also searched in the runtime's own functions
  };
  Kind kind = Kind::Optional;
  std::string name;        ///< as it is looked up: "__vmtir__main"
  std::string caller;      ///< the function that has this code or that calls it; empty for the whole module
  std::string_view format; ///< "Relax VM", "Relay VM", "graph executor"; a literal
};
/// Returns each name once, in stored order. Reads no instructions and searches the text of a graph without parsing it.
/// Sources: apache/tvm v0.16.0 src/runtime/relax_vm/vm.cc, VirtualMachineImpl::InitFuncPool and GetClosureInternal;
/// v0.18.0 src/runtime/vm/vm.cc, VirtualMachine::LoadExecutable ("Cannot find function in module") and
/// src/runtime/graph_executor/graph_executor.cc, GraphExecutor::CreateTVMOp ("no such function in module").
std::vector<Lookup> lookupsOf(const Body& body);

/// Whether the body is the executable of a virtual machine. Other modules do not call its functions directly.
bool isExecutable(const Body& body);
/// Whether the body contains a graph, whose nodes call functions.
bool hasGraph(const Body& body);
/// Returns what the body calls; empty for bodies that call nothing. Reads each instruction once. Error: only Cancelled.
Result<Calls> computeCalls(const Body& body, Monitor& monitor);

} // namespace blobscope::modules
