#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/modules/codec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Which functions the code of a module calls by name, without naming its kind: virtual machines and graphs.
namespace blobscope::modules {

/// A function that is called, with the name by which it is looked up.
struct Call {
  std::string name; ///< of compiled functions the name in the executable, without `__vmtir__`
  enum class To : uint8_t { Packed, Bytecode, Compiled } to = To::Packed;
  uint64_t times = 0; ///< instructions or nodes that call it
};

/// What the code itself checks of a parameter of a function, and what texts say of it. Source:
/// core/formats/host-abi.md 2.6.
struct CalledParameter {
  std::string name;
  std::string annotation; ///< "R.Tensor((n, 8), dtype=\"float32\")" of an ErrorContext text; empty when there is none
  std::optional<int64_t> rank; ///< `vm.builtin.check_tensor_info`
  std::string dtype;           ///< the same; empty when it is not checked
  std::vector<std::string>
      shape; ///< `vm.builtin.match_shape`: "8", or "s0" for what is stored in or held against heap slot 0
};

/// A function of a module, or its graph.
struct Caller {
  std::string name;      ///< as in its ref `function:NAME`; empty for a graph
  std::string_view kind; ///< "VM", "VM-TIR", "Relay VM", "graph"; a literal
  std::vector<CalledParameter> parameters;
  std::string result;      ///< annotation; empty when no text tells it
  std::vector<Call> calls; ///< in order of the first one, each function once
};

/// What a graph says of the arguments of a function that it calls: its inputs, then its outputs.
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
  std::vector<GraphArguments> arguments; ///< one per called function, of the first node that calls it
};

/// A name that a loader asks other modules for when the module is loaded or set up, without running it.
struct Lookup {
  enum class Kind : uint8_t {
    Compiled, ///< the code of a function of the executable; only modules are asked
    Required, ///< a packed function; only modules are asked
    Optional  ///< a packed function; the runtime's own functions are asked as well
  };
  Kind kind = Kind::Optional;
  std::string name;        ///< as it is asked for: "__vmtir__main"
  std::string caller;      ///< the function that it stands for or that calls it; empty for the whole module
  std::string_view format; ///< "Relax VM", "Relay VM", "graph executor"; a literal
};
/// Each name once, in stored order. Reads no instructions. Of a graph the names are read, its text is not parsed.
/// Sources: apache/tvm v0.16.0 src/runtime/relax_vm/vm.cc, VirtualMachineImpl::InitFuncPool and GetClosureInternal;
/// v0.18.0 src/runtime/vm/vm.cc, VirtualMachine::LoadExecutable ("Cannot find function in module") and
/// src/runtime/graph_executor/graph_executor.cc, GraphExecutor::CreateTVMOp ("no such function in module").
std::vector<Lookup> lookupsOf(const Body& body);

/// Whether the body is the executable of a virtual machine: its functions are called through it, not by other modules.
bool isExecutable(const Body& body);
/// Whether the body holds a graph, whose nodes call functions.
bool hasGraph(const Body& body);
/// Empty for bodies that call nothing. Reads each instruction once. Cancelled.
Result<Calls> computeCalls(const Body& body, Monitor& monitor);

} // namespace blobscope::modules
