#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <string>
#include <vector>

/// Whole models for the runner's interpreter: graphs and the bytecode of both virtual machines, as one kind of program.
/// core/program makes them; app/runner/machine runs them.
namespace blobscope::protocol {

/// A constant of a program.
struct ProgramConstant {
  enum class Kind : uint8_t { Tensor, Shape, Text, Type, Integer, Float };
  Kind kind = Kind::Integer;
  DataType type;              ///< Tensor, Type
  std::vector<int64_t> shape; ///< Tensor, Shape; outermost first
  uint64_t offset = 0;        ///< Tensor: of its elements in Program::data
  bool onHost = false;        ///< Tensor: in the memory of the processor; otherwise on the device
  std::string text;           ///< Text
  int64_t integer = 0;        ///< Integer; Float: the bits of a double
  friend bool operator==(const ProgramConstant&, const ProgramConstant&) = default;
};

/// An argument of a call.
struct ProgramOperand {
  /// None is a value of its own: "no object". Function: one of the program, as a closure without captured values.
  /// Callee: what a call can call, as a value.
  enum class Kind : uint8_t { Register, Integer, Constant, Function, None, Callee };
  Kind kind = Kind::Register;
  int64_t value = 0; ///< number of the register, constant, function or callee; the integer
  friend bool operator==(const ProgramOperand&, const ProgramOperand&) = default;
};

/// What a call calls.
struct ProgramCallee {
  enum class Kind : uint8_t {
    Host,     ///< a host function of the library; tuples among the arguments are passed item by item
    Function, ///< a function of the program
    Builtin   ///< a function of the interpreter, app/runner/machine/builtins.h
  };
  Kind kind = Kind::Host;
  std::string name;      ///< Host: the symbol without `__tvm_ffi_`; Builtin
  uint32_t function = 0; ///< Function
  friend bool operator==(const ProgramCallee&, const ProgramCallee&) = default;
};

struct ProgramStep {
  enum class Op : uint8_t {
    Call,   ///< target = callee(arguments)
    Return, ///< target
    Jump,   ///< by `offset`
    Branch  ///< by `offset` if `target` is zero: a number, or a tensor of one number; to the next step otherwise
  };
  static constexpr int64_t kNoRegister = -1;
  Op op = Op::Return;
  int64_t target = kNoRegister; ///< register
  uint32_t callee = 0;
  std::vector<ProgramOperand> arguments;
  int64_t offset = 0; ///< in steps, relative to this one
  /// Call of a host function: how many of the last arguments are its outputs; 0 when that is not known. The outputs are
  /// then the tensors that nothing was written to before.
  uint32_t outputs = 0;
  std::string node; ///< the name of the node for people, "conv0"; empty: the name of the callee
  friend bool operator==(const ProgramStep&, const ProgramStep&) = default;
};

struct ProgramFunction {
  std::string name;
  uint32_t registers = 0;
  uint32_t parameters = 0; ///< the first registers
  std::string compiled;    ///< for a function of kind VM-TIR: the host function that works on its registers; no steps
  std::vector<ProgramStep> steps;
  friend bool operator==(const ProgramFunction&, const ProgramFunction&) = default;
};

struct Program {
  std::vector<ProgramFunction> functions;
  std::vector<ProgramCallee> callees;
  std::vector<ProgramConstant> constants;
  std::string data; ///< file with the elements of all tensor constants, in the job's folder; empty without any
  friend bool operator==(const Program&, const Program&) = default;
};

/// JSON text of a program.
std::string writeProgram(const Program& program);
/// Reads a program, and checks that every number in it names something. RUN-PROTOCOL when the text is not one.
Result<Program> readProgram(const Bytes& text);

} // namespace blobscope::protocol
