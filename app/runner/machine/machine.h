#pragma once

#include "app/runner/calls.h"
#include "app/runner/machine/compiled.h"
#include "app/runner/machine/pool.h"
#include "app/runner/machine/value.h"
#include "app/runner/system.h"
#include "core/base/bytes.h"
#include "core/protocol/program.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace blobscope::runner::machine {

/// A call of a host function that has ended.
struct NodeCall {
  const protocol::ProgramFunction& within;
  std::size_t step = 0;        ///< in a compiled function: its calls so far
  const std::string& function; ///< the host function
  const std::string& name;     ///< of the node
  std::vector<TensorPtr> inputs, outputs;
  double microseconds = 0; ///< of the call with a wait for the device, if nodes are timed
};

/// Runs a program: registers hold values, host functions are called through the library, device code through the
/// runtime's back end. One thread.
class Machine {
public:
  Machine(const JobContext& context, const protocol::Program& program, const HostLibrary& library, Runtime& runtime)
      : m_context(context), m_program(program), m_library(library), m_runtime(runtime),
        m_pool(context.job.limits, runtime.backend()), m_compiled(*this) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Finds the functions that are called and loads the constants. Errors: RUN-PROGRAM, RUN-NO-ENTRY, RUN-MEMORY, FILE-…
  Result<Done> prepare();
  /// Called after each call of a host function, also of those of compiled functions if they can be seen; may be empty.
  using Observer = std::function<Result<Done>(const NodeCall&)>;
  void observe(Observer observer) { m_observer = std::move(observer); }

  /// Whether NodeCall::microseconds are measured.
  void timeNodes(bool on) { m_timesNodes = on; }

  /// Calls a function of the program. Errors: RUN-PROGRAM with the step and its arguments; those of the called code;
  /// Cancelled.
  Result<Value> run(uint32_t function, std::vector<Value> arguments);

  // --- for built-in functions
  Pool& pool() { return m_pool; }
  const protocol::Program& program() const { return m_program; }
  /// Calls a callee; the last arguments that nothing was written to are the outputs of a host function.
  Result<Value> call(uint32_t callee, std::span<const Value> arguments);
  Result<Value> callClosure(const Closure& closure, std::span<const Value> arguments);

  // --- for compiled functions
  const std::vector<Value>& constants() const { return m_constants; }
  Result<Value> callBuiltin(const struct Builtin& builtin, std::span<const Value> arguments);
  /// Calls code of the library. Errors: RUN-IMPORTS, RUN-FAILED, the first problem in an answer of the runtime.
  Result<Done> callLibrary(void* function, PackedArguments& arguments, const std::string& name,
                           FfiAny* result = nullptr);

private:
  struct Place {
    const protocol::ProgramFunction* function = nullptr;
    std::size_t step = 0;
  };
  /// Arguments of the call that a function is making, kept for the next call.
  struct Scratch {
    std::vector<Value> values;
    std::vector<const Value*> given, flat; ///< of a host function; flat: with the items of tuples
    PackedArguments packed;
  };
  /// Of the innermost function.
  Scratch& scratch();
  /// An operand that is in no register and is no constant.
  static Value immediateOf(const protocol::ProgramOperand& operand);
  /// The value of a register or constant; null for other operands.
  const Value* placeOf(const protocol::ProgramOperand& operand, const std::vector<Value>& registers) const;
  /// Calls a host function with Scratch::given.
  Result<Value> callHost(uint32_t callee, uint32_t outputs);
  Result<Done> pack(Scratch& scratch) const;
  /// Makes a call of a compiled function to a host function, and reports it.
  int callOwn(const struct OwnCall& call);
  bool isObserved() const { return m_observer && (m_stack.back().function->compiled.empty() || m_seesOwnCalls); }
  Result<Done> step(const protocol::ProgramStep& step, std::vector<Value>& registers);
  /// The error with the place in the program.
  Error placed(Error error, std::span<const Value* const> arguments, std::string_view callee) const;

  const JobContext& m_context;
  const protocol::Program& m_program;
  const HostLibrary& m_library;
  Runtime& m_runtime;
  Pool m_pool;
  std::vector<void*> m_functions; ///< by callee; null for others than host functions
  std::vector<const struct Builtin*> m_builtins;
  std::vector<void*> m_code; ///< by function; null for others than compiled functions
  std::vector<Value> m_constants;
  Observer m_observer;
  bool m_timesNodes = false;
  bool m_seesOwnCalls = false; ///< callOwn() sees the calls of compiled functions
  std::vector<Place> m_stack;
  std::deque<Scratch> m_scratch;                               ///< by depth in the stack
  const std::thread::id m_thread = std::this_thread::get_id(); ///< that runs the program
  const char* m_stackBase = nullptr;                           ///< of the outermost call, on the stack of this thread
  const uint64_t m_stackBytes = system::stackBytes();
  Compiled m_compiled;
};

/// Whether a value counts as true: a number, or a tensor of one number in any memory. Error: RUN-PROGRAM.
Result<bool> truthOf(const Value& value, const Pool& pool);
/// The integer that a value is, or that a tensor of one number contains. Error: RUN-PROGRAM.
Result<int64_t> integerOf(const Value& value, const Pool& pool);

} // namespace blobscope::runner::machine
