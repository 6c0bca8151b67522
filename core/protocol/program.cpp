#include "core/protocol/program.h"

#include "core/protocol/protocol_json.h"

#include <span>

namespace blobscope::protocol {
namespace {

/// Limits that only keep mistakes cheap.
constexpr std::size_t kProgramItems = 4'000'000, kMostAxes = 64;

constexpr std::string_view kConstants[] = {"tensor", "shape", "text", "type", "int", "float"};
constexpr std::string_view kOperands[] = {"reg", "int", "const", "func", "none", "callee"};
constexpr std::string_view kCallees[] = {"host", "function", "builtin"};
constexpr std::string_view kOps[] = {"call", "ret", "jump", "branch"};

template <class E> E wordOf(MemberReader& reader, std::string_view member, std::span<const std::string_view> words) {
  const std::string text = reader.text(member);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == text) return static_cast<E>(i);
  reader.fail("'" + std::string(member) + "' is '" + escapedWithin(text, 40) + "'");
  return E{};
}

void writeConstant(json::Writer& out, const ProgramConstant& constant) {
  out.beginObject().member("kind", kConstants[static_cast<std::size_t>(constant.kind)]);
  out.listMember("type", std::array<unsigned, 3>{constant.type.code, constant.type.bits, constant.type.lanes});
  out.listMember("shape", constant.shape).member("offset", constant.offset).member("host", constant.onHost);
  out.member("text", utf8Text(constant.text)).member("int", constant.integer).endObject();
}

ProgramConstant constantOf(MemberReader& outer, const json::Value& value) {
  MemberReader reader(value);
  ProgramConstant out;
  out.kind = wordOf<ProgramConstant::Kind>(reader, "kind", kConstants);
  const std::vector<uint64_t> type = reader.numbers<uint64_t>("type", 3);
  if (reader.fine() && (type.size() != 3 || type[0] > 255 || type[1] > 255 || type[2] > 65'535))
    reader.fail("a data type does not fit");
  if (reader.fine())
    out.type = {static_cast<uint8_t>(type[0]), static_cast<uint8_t>(type[1]), static_cast<uint16_t>(type[2])};
  out.shape = reader.numbers<int64_t>("shape", kProgramItems);
  out.offset = reader.number<uint64_t>("offset");
  out.onHost = reader.truth("host");
  out.text = reader.text("text");
  out.integer = reader.number<int64_t>("int");
  reader.end();
  if (reader.fine() && out.kind == ProgramConstant::Kind::Tensor &&
      (out.shape.size() > kMostAxes || !dataBytes(out.type, out.shape)))
    reader.fail("a shape does not fit");
  outer.within("constants", reader);
  return out;
}

void writeStep(json::Writer& out, const ProgramStep& step) {
  out.beginObject().member("op", kOps[static_cast<std::size_t>(step.op)]).member("target", step.target);
  if (step.op == ProgramStep::Op::Call) {
    out.member("callee", step.callee).key("arguments").beginArray();
    for (const ProgramOperand& operand : step.arguments) {
      out.beginObject().member("kind", kOperands[static_cast<std::size_t>(operand.kind)]);
      out.member("value", operand.value).endObject();
    }
    out.endArray().member("outputs", step.outputs).member("node", utf8Text(step.node));
  } else {
    out.member("offset", step.offset);
  }
  out.endObject();
}

ProgramStep stepOf(MemberReader& outer, const json::Value& value) {
  MemberReader reader(value);
  ProgramStep out;
  out.op = wordOf<ProgramStep::Op>(reader, "op", kOps);
  out.target = reader.number<int64_t>("target");
  if (out.op == ProgramStep::Op::Call) {
    out.callee = reader.number<uint32_t>("callee");
    reader.list("arguments", kProgramItems, [&](const json::Value& item) {
      MemberReader inner(item);
      ProgramOperand operand;
      operand.kind = wordOf<ProgramOperand::Kind>(inner, "kind", kOperands);
      operand.value = inner.number<int64_t>("value");
      inner.end();
      reader.within("arguments", inner);
      out.arguments.push_back(operand);
    });
    out.outputs = reader.number<uint32_t>("outputs");
    out.node = reader.text("node");
  } else {
    out.offset = reader.number<int64_t>("offset");
  }
  reader.end();
  outer.within("steps", reader);
  return out;
}

bool inRange(int64_t value, std::size_t count) { return value >= 0 && static_cast<uint64_t>(value) < count; }

/// Whether every number of the step names something. `at`: its number in the function.
bool isSound(const Program& program, const ProgramFunction& function, const ProgramStep& step, std::size_t at) {
  using Op = ProgramStep::Op;
  const bool mayLackTarget = step.op == Op::Call || step.op == Op::Jump;
  if (!inRange(step.target, function.registers) && !(mayLackTarget && step.target == ProgramStep::kNoRegister))
    return false;
  if (step.op == Op::Jump || step.op == Op::Branch) {
    int64_t to = 0;
    return !__builtin_add_overflow(static_cast<int64_t>(at), step.offset, &to) && inRange(to, function.steps.size());
  }
  if (step.op == Op::Return) return true;
  if (step.callee >= program.callees.size() || step.outputs > step.arguments.size()) return false;
  for (const ProgramOperand& operand : step.arguments) {
    using Kind = ProgramOperand::Kind;
    if (operand.kind == Kind::Register && !inRange(operand.value, function.registers)) return false;
    if (operand.kind == Kind::Constant && !inRange(operand.value, program.constants.size())) return false;
    if (operand.kind == Kind::Function && !inRange(operand.value, program.functions.size())) return false;
    if (operand.kind == Kind::Callee && !inRange(operand.value, program.callees.size())) return false;
  }
  return true;
}

std::string problemOf(const Program& program) {
  for (const ProgramCallee& callee : program.callees)
    if (callee.kind == ProgramCallee::Kind::Function && callee.function >= program.functions.size())
      return "a callee is no function";
  for (const ProgramFunction& function : program.functions) {
    if (function.parameters > function.registers) return "a function has fewer registers than parameters";
    for (std::size_t i = 0; i < function.steps.size(); ++i)
      if (!isSound(program, function, function.steps[i], i))
        return "step " + std::to_string(i) + " of '" + escapedWithin(function.name, 60) +
               "' names something that is not there";
    // So that no step is followed by nothing.
    if (!function.steps.empty() && function.steps.back().op != ProgramStep::Op::Return &&
        function.steps.back().op != ProgramStep::Op::Jump)
      return "'" + escapedWithin(function.name, 60) + "' has no end";
  }
  return {};
}

} // namespace

std::string writeProgram(const Program& program) {
  return oneLine([&](json::Writer& out) {
    out.beginObject().member("data", utf8Text(program.data)).key("constants").beginArray();
    for (const ProgramConstant& constant : program.constants) writeConstant(out, constant);
    out.endArray().key("callees").beginArray();
    for (const ProgramCallee& callee : program.callees) {
      out.beginObject().member("kind", kCallees[static_cast<std::size_t>(callee.kind)]);
      out.member("name", utf8Text(callee.name)).member("function", callee.function).endObject();
    }
    out.endArray().key("functions").beginArray();
    for (const ProgramFunction& function : program.functions) {
      out.beginObject().member("name", utf8Text(function.name)).member("registers", function.registers);
      out.member("parameters", function.parameters).member("compiled", utf8Text(function.compiled));
      out.key("steps").beginArray();
      for (const ProgramStep& step : function.steps) writeStep(out, step);
      out.endArray().endObject();
    }
    out.endArray().endObject();
  });
}

Result<Program> readProgram(const Bytes& text) {
  BLOBSCOPE_TRY(value, json::parse(text));
  MemberReader reader(value);
  Program out;
  out.data = reader.text("data");
  reader.list("constants", kProgramItems,
              [&](const json::Value& item) { out.constants.push_back(constantOf(reader, item)); });
  reader.list("callees", kProgramItems, [&](const json::Value& item) {
    MemberReader inner(item);
    ProgramCallee callee;
    callee.kind = wordOf<ProgramCallee::Kind>(inner, "kind", kCallees);
    callee.name = inner.text("name");
    callee.function = inner.number<uint32_t>("function");
    inner.end();
    reader.within("callees", inner);
    out.callees.push_back(std::move(callee));
  });
  reader.list("functions", kProgramItems, [&](const json::Value& item) {
    MemberReader inner(item);
    ProgramFunction function;
    function.name = inner.text("name");
    function.registers = inner.number<uint32_t>("registers");
    function.parameters = inner.number<uint32_t>("parameters");
    function.compiled = inner.text("compiled");
    inner.list("steps", kProgramItems, [&](const json::Value& step) { function.steps.push_back(stepOf(inner, step)); });
    inner.end();
    reader.within("functions", inner);
    out.functions.push_back(std::move(function));
  });
  reader.end();
  if (reader.fine())
    if (std::string problem = problemOf(out); !problem.empty()) reader.fail(std::move(problem));
  if (!reader.fine()) return Error(DiagnosticId::RunProtocol, {{"reason", "program: " + reader.problem()}});
  return out;
}

} // namespace blobscope::protocol
