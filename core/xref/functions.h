#pragma once

#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/host/signature.h"
#include "core/library/package.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Who calls whom in a library: VM function or graph → packed function → host function → kernel → bytes, both ways.
///
/// How certain a link is. A VM function or graph calls a packed function by name; its code states that. The link from
/// this name to the host function with that name in the same file is made by name: the runtime searches the library
/// first and its registry afterwards, so a name that the library defines refers to the library (apache/tvm v0.16.0
/// src/runtime/relax_vm/vm.cc, VirtualMachineImpl::InitFuncPool; src/runtime/module.cc, Module::GetFunction). The link
/// from a host function to a kernel is Basis::Code when the code computes the address of the kernel's name, which it
/// passes to the runtime; else Basis::Name, since TVM names kernels `HOST_kernel`, `HOST_kernel0`, `HOST_kernel_1` (all
/// libraries seen). Nothing is executed.
namespace blobscope::xref {

/// The evidence for a link.
enum class Basis : uint8_t { Code, Name };
/// "found in its code", "by name".
std::string_view basisText(Basis basis);

struct Link {
  uint32_t index = 0; ///< index in the list that the comment of the member names
  Basis basis = Basis::Name;
};

/// A kernel of a device module.
struct Kernel {
  Ref ref;
  std::string name;
  std::string moduleKey;         ///< "cuda"
  std::string arguments, launch; ///< "handle, int32", "blockIdx.x, threadIdx.x"
  std::string resources;         ///< "registers 27, shared 80", as the format of the code records it; may be empty
  std::optional<Ref> bytes;      ///< of its separate code; nothing when it shares an image or was unpacked
  std::vector<Link> launchedBy;  ///< indexes in Functions::hosts
};

/// A function of the host code.
struct HostFunction {
  Ref ref;            ///< the file's ref when the function has no symbol
  std::string symbol; ///< its name in the symbol table; empty for a function that only texts mention
  host::Signature signature;
  std::optional<Ref> bytes;       ///< of its code
  std::vector<Link> launches;     ///< indexes in Functions::kernels
  std::vector<uint32_t> calledBy; ///< indexes in Functions::callers
};

/// A function of a virtual machine, or a graph.
struct Caller {
  struct Call {
    std::string name;
    uint64_t times = 0;
    std::optional<uint32_t> host;   ///< index in Functions::hosts; nothing for functions of the runtime or of other
                                    ///< libraries
    std::optional<uint32_t> caller; ///< index in Functions::callers, for a function of the same virtual machine
  };
  Ref ref;               ///< for a graph, the ref of its module
  std::string name;      ///< "graph" for a graph
  std::string_view kind; ///< "VM", "VM-TIR", "Relay VM", "graph"; a literal
  host::Signature signature;
  std::string result; ///< as the texts state it; may be empty
  std::vector<Call> calls;
  std::vector<uint32_t> calledBy;     ///< indexes in Functions::callers
  std::optional<uint32_t> compiledAs; ///< index in Functions::hosts: the code of a VM-TIR function
};

struct Functions {
  std::vector<HostFunction> hosts; ///< of all members, in symbol table order
  std::vector<Kernel> kernels;     ///< of all blobs and modules, in stored order
  std::vector<Caller> callers;     ///< of all blobs and modules, in stored order

  /// Return the index of the function that a ref names; nothing for other nodes. `symbol:` works like `host:`.
  std::optional<uint32_t> findHost(const Ref& ref) const;
  std::optional<uint32_t> findKernel(const Ref& ref) const;
  std::optional<uint32_t> findCaller(const Ref& ref) const;
};

/// Reads texts, bytecode and, where this program has a disassembler, the host code of the file and all its members.
/// `package` is the outermost one. Error: only Cancelled.
Result<Functions> computeFunctions(const library::PackagePtr& package, Monitor& monitor);

} // namespace blobscope::xref
