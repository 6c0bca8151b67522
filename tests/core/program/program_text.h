#pragma once

#include "core/program/model.h"

#include <QStringList>

#include <string>

/// Programs and weights as text, for comparisons in tests.
namespace blobscope::test {

inline std::string operandText(const protocol::ProgramOperand& operand) {
  using Kind = protocol::ProgramOperand::Kind;
  const std::string value = std::to_string(operand.value);
  switch (operand.kind) {
  case Kind::Register: return "$" + value;
  case Kind::Integer: return value;
  case Kind::Constant: return "c" + value;
  case Kind::Function: return "@" + value;
  case Kind::Callee: return "callee " + value;
  case Kind::None: break;
  }
  return "none";
}
inline std::string stepText(const protocol::Program& program, const protocol::ProgramStep& step) {
  using Op = protocol::ProgramStep::Op;
  const std::string target = step.target < 0 ? "" : "$" + std::to_string(step.target);
  if (step.op == Op::Return) return "return " + target;
  if (step.op == Op::Jump) return "jump " + std::to_string(step.offset);
  if (step.op == Op::Branch) return "branch " + target + " " + std::to_string(step.offset);
  const protocol::ProgramCallee& callee = program.callees[step.callee];
  std::string out = target.empty() ? "" : target + " = ";
  if (callee.kind == protocol::ProgramCallee::Kind::Function) out += "@" + std::to_string(callee.function);
  if (callee.kind == protocol::ProgramCallee::Kind::Host) out += "host ";
  out += callee.name + "(";
  for (std::size_t i = 0; i < step.arguments.size(); ++i) out += (i == 0 ? "" : ", ") + operandText(step.arguments[i]);
  out += ")";
  return step.outputs ? out + " outputs " + std::to_string(step.outputs) : out;
}
inline std::string functionText(const protocol::Program& program, const protocol::ProgramFunction& function) {
  std::string out =
      function.name + " " + std::to_string(function.parameters) + "/" + std::to_string(function.registers) + ":";
  for (const protocol::ProgramStep& step : function.steps) out += " " + stepText(program, step) + ";";
  return out;
}
/// All functions, one line each; the problem when there is no program, or when the runner would not read it.
inline std::string programText(const Result<program::Model>& model) {
  if (!model) return model.error().diagnostic().arguments.empty() ? "" : model.error().diagnostic().arguments[0].value;
  const auto again = protocol::readProgram(Bytes::copyOf(protocol::writeProgram(model->program)));
  if (!again) return again.error().message();
  if (*again != model->program) return "the program changes when it is written";
  std::string out;
  for (const protocol::ProgramFunction& function : model->program.functions)
    out += (out.empty() ? "" : "\n") + functionText(model->program, function);
  return out;
}

/// The tensors as "name float32[2,3] hex", or the message.
inline QString weightsText(const Result<program::Parameters>& read) {
  if (!read) return QString::fromStdString(read.error().message());
  QStringList out;
  for (const program::Parameters::Item& item : read->items) {
    QStringList shape;
    for (const int64_t extent : item.shape) shape += QString::number(extent);
    out +=
        QString("%1 %2[%3] %4")
            .arg(QString::fromStdString(item.name), QString::fromStdString(protocol::typeText(item.type)),
                 shape.join(','),
                 QString(QByteArray(reinterpret_cast<const char*>(item.data.span().data()), qsizetype(item.data.size()))
                             .toHex()));
  }
  return out.join('\n');
}

} // namespace blobscope::test
