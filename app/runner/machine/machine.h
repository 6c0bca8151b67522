#pragma once

#include "app/runner/calls.h"
#include "app/runner/machine/compiled.h"
#include "app/runner/machine/pool.h"
#include "app/runner/machine/value.h"
#include "core/base/bytes.h"
#include "core/protocol/program.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace blobscope::runner::machine {

/// A call of a host function that has ended.
struct NodeCall {
  const protocol::ProgramFunction& within;
  std::size_t step = 0;
  const protocol::ProgramCallee& callee;
  const std::string& name; ///< of the node
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
  /// Called after each call of a host function, except by compiled functions; may be empty.
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
  /// Calls a callee; `outputs` as in ProgramStep.
  Result<Value> call(uint32_t callee, std::vector<Value> arguments, uint32_t outputs = 0);
  Result<Value> callClosure(const Closure& closure, std::span<const Value> arguments);

  // --- for compiled functions
  const std::vector<Value>& constants() const { return m_constants; }
  Result<Value> callBuiltin(const struct Builtin& builtin, const std::vector<Value>& arguments);
  /// Calls code of the library. Errors: RUN-IMPORTS, RUN-FAILED, the first problem in an answer of the runtime.
  Result<Done> callLibrary(void* function, PackedArguments& arguments, const std::string& name,
                           FfiAny* result = nullptr);

private:
  struct Place {
    const protocol::ProgramFunction* function = nullptr;
    std::size_t step = 0;
  };
  Result<Value> valueOf(const protocol::ProgramOperand& operand, const std::vector<Value>& registers) const;
  Result<Value> callHost(const protocol::ProgramCallee& callee, void* function, const std::vector<Value>& arguments,
                         uint32_t outputs);
  Result<Done> step(const protocol::ProgramStep& step, std::vector<Value>& registers);
  /// The error with the place in the program.
  Error placed(Error error, const std::vector<Value>& arguments, std::string_view callee) const;

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
  std::vector<Place> m_stack;
  const char* m_stackBase = nullptr; ///< of the outermost call, on the stack of this thread
  Compiled m_compiled;
};

/// Whether a value counts as true: a number, or a tensor of one number in any memory. Error: RUN-PROGRAM.
Result<bool> truthOf(const Value& value, const Pool& pool);
/// The integer that a value is, or that a tensor of one number contains. Error: RUN-PROGRAM.
Result<int64_t> integerOf(const Value& value, const Pool& pool);

} // namespace blobscope::runner::machine
