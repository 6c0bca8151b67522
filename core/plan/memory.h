#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/program/model.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

/// What a model needs and calls, told from its program without running it.
namespace blobscope::plan {

/// Values of symbolic sizes by name.
using Sizes = std::map<std::string, int64_t, std::less<>>;

/// A size that a function of the model takes from its arguments, or that the library computes.
struct Symbol {
  std::string name;             ///< "seq_len", as the signature names it; else "arg0.1", "shape[3]"
  std::string from;             ///< "extent 1 of inputs", "computed by shape_func"
  std::optional<int64_t> value; ///< that the plan was made for; nothing: not known
  /// The largest value for which all tensors fit in storages of a fixed size; nothing when none depends on it alone.
  std::optional<int64_t> largest;
};

struct TensorUse {
  uint64_t first = 0, last = 0;  ///< instructions that read or write it
  std::optional<uint64_t> bytes; ///< nothing: not known
  std::string size;              ///< "n × 4096 × 2"
  std::string writer;            ///< the first function that gets it; may be empty
};

struct StorageUse {
  std::optional<uint64_t> bytes; ///< as requested; nothing: not known
  std::string size;              ///< "180355072", "n × 4096 × 2"; for a cache its shape
  bool isDerived = false;        ///< the size is that of its largest tensor, since the library computes it
  bool isCache = false;          ///< a KV cache
  bool isOnHost = false;
  uint64_t first = 0, last = 0; ///< the instruction that makes it, and the one that drops the last reference
  std::vector<TensorUse> uses;  ///< its tensors, in the order in which they are made
};

/// Amounts from an instruction on. `reserved` is the most during that instruction.
struct MemoryStep {
  uint64_t instruction = 0, reserved = 0, inUse = 0;
};

/// A parameter of the function.
struct ArgumentUse {
  std::string name;
  std::optional<uint64_t> bytes; ///< of a tensor or a tuple of tensors; nothing: not known
  std::optional<uint64_t> items; ///< of a tuple
  bool isCache = false;          ///< the function passes it, or an item of it, to a function of KV caches
  bool isRead = false;
};

/// The work of the calls of a host function in one function, whether that one is called by others or not.
struct CallWork {
  std::vector<uint32_t> path; ///< numbers of functions from the planned one to the one that calls
  uint32_t callee = 0;        ///< in Program::callees
  auto operator<=>(const CallWork&) const = default;
};

struct MemoryPlan {
  std::string function;
  uint64_t instructions = 0;
  std::vector<Symbol> symbols;      ///< in the order in which the function gets them
  std::vector<StorageUse> storages; ///< in the order in which they are made
  std::vector<ArgumentUse> arguments;
  std::vector<MemoryStep> steps; ///< ascending; only where an amount changes
  std::set<int64_t> constants;   ///< numbers of the tensor constants that it uses
  uint64_t peak = 0, peakAt = 0; ///< of all storages; the first instruction with it
  uint64_t mostInUse = 0, mostInUseAt = 0;
  uint64_t total = 0;      ///< of all storages, whether or not they exist at the same time
  uint64_t fixedTotal = 0; ///< of the storages whose size depends on no symbol
  uint64_t cacheBytes = 0; ///< of the KV caches that it makes; they are not in the amounts above
  uint64_t heap = 0;       ///< bytes of shape heaps, which the processor's memory holds
  uint64_t unknown = 0;    ///< storages whose size is not known
  /// Estimated operations: program::flopOf(), else one for each element of the last tensor. Loops count once. Nothing
  /// is stored for calls whose shapes are not known.
  std::map<CallWork, double> work;
  bool usesCache = false;
  bool hasBranches = false; ///< both sides of branches are counted
  bool isPartial = false;   ///< loops, closures and too deep calls: more memory may be needed
};

/// Plans the memory of one function of a model: which storages it makes, how large they are, and when.
///
/// The program is followed instruction by instruction, with shapes but without values of tensors. The storages are
/// those that the bytecode asks for (vm.builtin.alloc_storage, and storage.make of graphs), and KV caches; what host
/// functions allocate by themselves is not counted. A storage exists from its instruction until no register, tuple or
/// tensor refers to it. A tensor is in use from the first to the last instruction that gets it, as itself or reshaped.
///
/// Sizes come from the shape heap, whose entries match_shape fills from arguments. Those that are not in `sizes` get
/// defaults: the largest one that the storages are planned for, else 1 for a batch and 128 for others. An entry that
/// compiled code writes (shape_func) is a symbol without a default; a storage of such a size is as large as its largest
/// tensor, which is how TVM plans it (apache/tvm v0.16.0 src/relax/transform/static_plan_block_memory.cc).
///
/// Errors: RUN-PROGRAM for a function that is machine code, and for programs that need too many steps; Cancelled.
Result<MemoryPlan> planMemory(const program::Model& model, uint32_t function, const Sizes& sizes, Monitor& monitor);

/// planMemory() for many functions of one model, which must outlive it: finds the signature of each without a search.
class Planner {
public:
  explicit Planner(const program::Model& model);
  /// `followed`: becomes larger by the work of this plan, whether there is one or not: arguments of calls, and
  /// registers of functions, 16 as one argument.
  Result<MemoryPlan> plan(uint32_t function, const Sizes& sizes, Monitor& monitor, uint64_t& followed) const;

private:
  const program::Model& m_model;
  std::unordered_map<uint32_t, const program::Entry*> m_entries; ///< by function
};

} // namespace blobscope::plan
