#pragma once

#include "core/program/model.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Programs as the Relax VM has them, made step by step.
namespace blobscope::test {

class ModelMaker {
public:
  using Operand = protocol::ProgramOperand;

  static Operand reg(int64_t number) { return {Operand::Kind::Register, number}; }
  static Operand number(int64_t value) { return {Operand::Kind::Integer, value}; }
  static Operand none() { return {Operand::Kind::None, 0}; }
  Operand shape(std::vector<int64_t> extents) {
    auto& one = constant(protocol::ProgramConstant::Kind::Shape);
    one.shape = std::move(extents);
    return last();
  }
  Operand type(protocol::DataType type) {
    constant(protocol::ProgramConstant::Kind::Type).type = type;
    return last();
  }
  Operand tensor(protocol::DataType type, std::vector<int64_t> extents) {
    auto& one = constant(protocol::ProgramConstant::Kind::Tensor);
    one.type = type;
    one.shape = std::move(extents);
    return last();
  }
  void text(std::string content) { constant(protocol::ProgramConstant::Kind::Text).text = std::move(content); }

  /// Begins a function with these parameters; returns its number.
  uint32_t function(std::string name, std::vector<host::Parameter> parameters, uint32_t registers) {
    const auto index = static_cast<uint32_t>(model.program.functions.size());
    auto& made = model.program.functions.emplace_back();
    made.name = name;
    made.parameters = static_cast<uint32_t>(parameters.size());
    made.registers = registers;
    program::Entry& entry = model.entries.emplace_back();
    entry.name = std::move(name);
    entry.function = index;
    entry.signature.parameters = std::move(parameters);
    return index;
  }
  void call(int64_t target, std::string_view name, std::vector<Operand> arguments) {
    const bool builtin = name.starts_with("vm.") || name.find('.') != std::string_view::npos;
    step(target, callee(builtin ? protocol::ProgramCallee::Kind::Builtin : protocol::ProgramCallee::Kind::Host, name),
         std::move(arguments));
  }
  void callFunction(int64_t target, uint32_t function, std::vector<Operand> arguments) {
    const uint32_t number = callee(protocol::ProgramCallee::Kind::Function, model.program.functions[function].name);
    model.program.callees[number].function = function;
    step(target, number, std::move(arguments));
  }
  void jump(protocol::ProgramStep::Op op, int64_t offset, int64_t condition = 0) {
    auto& made = model.program.functions.back().steps.emplace_back();
    made.op = op;
    made.target = condition;
    made.offset = offset;
  }
  void ret(int64_t from) {
    auto& made = model.program.functions.back().steps.emplace_back();
    made.op = protocol::ProgramStep::Op::Return;
    made.target = from;
  }
  uint32_t callee(protocol::ProgramCallee::Kind kind, std::string_view name) {
    auto& callees = model.program.callees;
    for (uint32_t i = 0; i < callees.size(); ++i)
      if (callees[i].kind == kind && callees[i].name == name) return i;
    callees.push_back({kind, std::string(name), 0});
    return static_cast<uint32_t>(callees.size() - 1);
  }

  static host::Parameter tensorParameter(std::string name, std::vector<std::string> shape, std::string type) {
    host::Parameter out;
    out.name = std::move(name);
    out.kind = host::Parameter::Kind::Tensor;
    out.dtype = std::move(type);
    out.rankKnown = true;
    for (const std::string& extent : shape) out.shape.push_back(host::dimensionOf(extent));
    return out;
  }

  program::Model model;

private:
  protocol::ProgramConstant& constant(protocol::ProgramConstant::Kind kind) {
    auto& out = model.program.constants.emplace_back();
    out.kind = kind;
    return out;
  }
  Operand last() const { return {Operand::Kind::Constant, static_cast<int64_t>(model.program.constants.size() - 1)}; }
  void step(int64_t target, uint32_t callee, std::vector<Operand> arguments) {
    auto& made = model.program.functions.back().steps.emplace_back();
    made.op = protocol::ProgramStep::Op::Call;
    made.target = target;
    made.callee = callee;
    made.arguments = std::move(arguments);
  }
};

} // namespace blobscope::test
