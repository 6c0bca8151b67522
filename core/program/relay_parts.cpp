#include "core/program/relay_parts.h"

#include "core/base/extent.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace blobscope::program::relay {
namespace {

using modules::relay::Executable;
using modules::relay::Function;

/// Finds the types of a function's parameters: those of the host functions that they are passed to. Only for functions
/// whose registers were checked.
class ParameterTypes {
public:
  ParameterTypes(const Executable& vm, const Function& function, const std::vector<const host::Signature*>& primitives,
                 Poll& poll)
      : m_vm(vm), m_function(function), m_primitives(primitives), m_poll(poll) {}

  Result<std::vector<host::Parameter>> find() {
    m_found.resize(m_function.parameters.size());
    BLOBSCOPE_CHECK(countWrites());
    for (std::size_t i = 0; i < m_found.size(); ++i) m_values[static_cast<int64_t>(i)].parameter = i;
    for (const Bytes& words : m_function.instructions) {
      BLOBSCOPE_CHECK(m_poll.step(1));
      const Instruction instruction(words);
      const auto result = instruction.result(m_vm.generation);
      // A register with several writes can have another value on another path.
      if (result && m_writes[*result] == 1) {
        if (instruction.opcode() == kMove) {
          if (const Value* const source = valueOf(instruction.field(0))) {
            const Value value = *source; // the next line may move it
            m_values[*result] = value;
          }
        }
        if (instruction.opcode() == kAllocADT) m_values[*result].tuple = &words;
      }
      if (instruction.opcode() == kInvokePacked) BLOBSCOPE_CHECK(addCall(instruction));
    }
    return std::move(m_found);
  }

private:
  /// What is known about the value of a register.
  struct Value {
    std::optional<std::size_t> parameter; ///< it is this parameter
    const Bytes* tuple = nullptr;         ///< the AllocADT that made it
  };

  Result<Done> countWrites() {
    for (std::size_t i = 0; i < m_found.size(); ++i) m_writes[static_cast<int64_t>(i)] = 1;
    for (const Bytes& words : m_function.instructions) {
      BLOBSCOPE_CHECK(m_poll.step(1));
      if (const auto result = Instruction(words).result(m_vm.generation)) ++m_writes[*result];
    }
    return Done{};
  }

  /// The value of a register that is written once, or of a parameter that is never overwritten; null for others.
  const Value* valueOf(int64_t reg) const {
    const auto writes = m_writes.find(reg);
    const auto value = m_values.find(reg);
    return writes == m_writes.end() || writes->second != 1 || value == m_values.end() ? nullptr : &value->second;
  }

  Result<Done> addCall(const Instruction& call) {
    const host::Signature* const signature = m_primitives[static_cast<std::size_t>(call.field(0))];
    if (!signature) return Done{};
    const std::vector<int64_t> arguments = call.fieldsFrom(3);
    BLOBSCOPE_CHECK(m_poll.step(arguments.size()));
    // The machine passes tuples item by item, so a tuple of unknown size makes the positions unknown.
    uint64_t count = 0;
    for (const int64_t reg : arguments) {
      const Value* const value = valueOf(reg);
      // Before the items are hash, opcode, tag, count and result.
      count = addSaturated(count, value && value->tuple ? Instruction(*value->tuple).size() - 5 : 1);
      if (count > signature->parameters.size()) return Done{};
    }
    if (count != signature->parameters.size()) return Done{};
    BLOBSCOPE_CHECK(m_poll.step(count));
    m_variables.clear();
    std::size_t position = 0;
    for (const int64_t reg : arguments) {
      const Value* const value = valueOf(reg);
      if (value && value->tuple)
        for (const int64_t item : Instruction(*value->tuple).fieldsFrom(3)) addArgument(item, *signature, position++);
      else
        addArgument(reg, *signature, position++);
    }
    return Done{};
  }

  void addArgument(int64_t reg, const host::Signature& signature, std::size_t position) {
    const Value* const value = valueOf(reg);
    if (!value || !value->parameter) return;
    host::Parameter& known = m_found[*value->parameter];
    const host::Parameter& argument = signature.parameters[position];
    if (known.complete() || argument.kind != host::Parameter::Kind::Tensor) return;
    if (known.kind == host::Parameter::Kind::Tensor && !argument.complete()) return;
    host::Parameter made = argument;
    for (host::Dimension& dimension : made.shape) {
      if (dimension.value || dimension.text.empty()) continue;
      if (!dimension.isVariable()) return;
      dimension.text = variable(dimension.text);
    }
    known = std::move(made);
  }

  /// A name for a variable of the host function in this call. Variables with the same name in two calls need not be
  /// equal.
  std::string variable(const std::string& name) {
    const auto known = m_variables.find(name);
    if (known != m_variables.end()) return known->second;
    std::string out = name;
    // Goes on after the last number, so that many calls do not take quadratic time.
    for (uint64_t& last = m_lastNumber[name]; !m_names.insert(out).second;) out = name + "_" + std::to_string(++last);
    m_variables[name] = out;
    return out;
  }

  const Executable& m_vm;
  const Function& m_function;
  const std::vector<const host::Signature*>& m_primitives;
  Poll& m_poll;
  std::unordered_map<int64_t, uint64_t> m_writes;
  std::unordered_map<int64_t, Value> m_values;
  std::vector<host::Parameter> m_found;
  std::unordered_map<std::string, std::string> m_variables; ///< of the current call, and their names here
  std::unordered_set<std::string> m_names;
  std::unordered_map<std::string, uint64_t> m_lastNumber;
};

} // namespace

Result<std::vector<host::Parameter>> parameterTypes(const Executable& vm, const Function& function,
                                                    const std::vector<const host::Signature*>& primitives, Poll& poll) {
  return ParameterTypes(vm, function, primitives, poll).find();
}

} // namespace blobscope::program::relay
