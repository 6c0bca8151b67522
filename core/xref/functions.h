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
/// What is fact and what is not. That a VM function or graph calls a packed function of some name is fact: its code
/// says so. That the name means the host function of that name in the same file is by name: the runtime asks the
/// library first and its registry then, so a name that the library has is the library's (apache/tvm v0.16.0
/// src/runtime/relax_vm/vm.cc, VirtualMachineImpl::InitFuncPool; src/runtime/module.cc, Module::GetFunction). That a
/// host function starts a kernel is Basis::Code when its code makes the address of the kernel's name, which it hands to
/// the runtime; else Basis::Name: TVM calls kernels `HOST_kernel`, `HOST_kernel0`, `HOST_kernel_1` (all libraries
/// seen). Nothing is executed.
namespace blobscope::xref {

/// How a link is known.
enum class Basis : uint8_t { Code, Name };
/// "by its code", "by name".
std::string_view basisText(Basis basis);

struct Link {
  uint32_t index = 0; ///< in the list that the member's comment names
  Basis basis = Basis::Name;
};

/// A kernel of a device module.
struct Kernel {
  Ref ref;
  std::string name;
  std::string moduleKey;         ///< "cuda"
  std::string arguments, launch; ///< "handle, int32", "blockIdx.x, threadIdx.x"
  std::string resources;         ///< "registers 27, shared 80": what the code's format records; may be empty
  std::optional<Ref> bytes;      ///< of its own code; nothing when it shares an image or was unpacked
  std::vector<Link> launchedBy;  ///< Functions::hosts
};

/// A function of the host code.
struct HostFunction {
  Ref ref;            ///< of the file for one that has no symbol
  std::string symbol; ///< its name in the symbol table; empty for one that only texts tell of
  host::Signature signature;
  std::optional<Ref> bytes;       ///< of its code
  std::vector<Link> launches;     ///< Functions::kernels
  std::vector<uint32_t> calledBy; ///< Functions::callers
};

/// A function of a virtual machine, or a graph.
struct Caller {
  struct Call {
    std::string name;
    uint64_t times = 0;
    std::optional<uint32_t> host;   ///< Functions::hosts; nothing for functions of the runtime or of other libraries
    std::optional<uint32_t> caller; ///< Functions::callers, for a function of the same virtual machine
  };
  Ref ref;               ///< of a graph that of its module
  std::string name;      ///< "graph" for a graph
  std::string_view kind; ///< "VM", "VM-TIR", "Relay VM", "graph"; a literal
  host::Signature signature;
  std::string result; ///< as the texts write it; may be empty
  std::vector<Call> calls;
  std::vector<uint32_t> calledBy;     ///< Functions::callers
  std::optional<uint32_t> compiledAs; ///< Functions::hosts: where the code of a VM-TIR function is
};

struct Functions {
  std::vector<HostFunction> hosts; ///< of all members, in symbol table order
  std::vector<Kernel> kernels;     ///< of all blobs and modules, in stored order
  std::vector<Caller> callers;     ///< the same

  /// Indexes of what a ref names; nothing for other nodes. `symbol:` works like `host:`.
  std::optional<uint32_t> findHost(const Ref& ref) const;
  std::optional<uint32_t> findKernel(const Ref& ref) const;
  std::optional<uint32_t> findCaller(const Ref& ref) const;
};

/// Reads texts, bytecode and, where this program has a disassembler, the host code of the file and all its members.
/// `package` is the outermost one. Cancelled.
Result<Functions> computeFunctions(const library::PackagePtr& package, Monitor& monitor);

} // namespace blobscope::xref
