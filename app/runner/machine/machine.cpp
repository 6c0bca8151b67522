#include "app/runner/machine/machine.h"

#include "app/runner/channel.h"
#include "app/runner/machine/builtins.h"
#include "app/runner/machine/own_calls.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

namespace blobscope::runner::machine {
namespace {

using protocol::ProgramCallee, protocol::ProgramConstant, protocol::ProgramFunction, protocol::ProgramOperand,
    protocol::ProgramStep;

constexpr std::size_t kCallDepth = 1'000;        ///< of calls
constexpr uint64_t kMostSteps = 100'000'000'000; ///< of a run; the time limit ends it earlier
constexpr std::size_t kShapeBytes = 300;         ///< of a value in a message
constexpr std::size_t kMostArguments = 100'000;  ///< of a call
constexpr uint32_t kNesting = 1'000;             ///< of values

Error stopped(std::string reason) { return {DiagnosticId::RunProgram, {{"reason", std::move(reason)}}}; }

/// Adds the items of tuples one by one. A few tuples that contain each other can have any number of items.
Result<Done> flatten(const Value& value, std::vector<const Value*>& out) {
  const auto* const tuple = std::get_if<std::shared_ptr<Tuple>>(&value);
  if (tuple) {
    for (const Value& item : (*tuple)->items) BLOBSCOPE_CHECK(flatten(item, out));
  } else {
    out.push_back(&value);
  }
  if (out.size() > kMostArguments)
    return stopped("a host function gets more than " + groupedText(kMostArguments) + " arguments");
  return Done{};
}

/// The nesting of a tuple or closure with these items.
Result<uint32_t> nestingOf(std::span<const Value> items) {
  uint32_t nesting = 1;
  for (const Value& item : items) {
    if (const auto* const tuple = std::get_if<std::shared_ptr<Tuple>>(&item))
      nesting = std::max(nesting, (*tuple)->nesting + 1);
    if (const auto* const closure = std::get_if<std::shared_ptr<Closure>>(&item))
      nesting = std::max(nesting, (*closure)->nesting + 1);
  }
  if (nesting > kNesting) return stopped("values are nested deeper than " + groupedText(kNesting) + " levels");
  return nesting;
}

std::vector<const Value*> pointersTo(std::span<const Value> values) {
  std::vector<const Value*> out;
  for (const Value& value : values) out.push_back(&value);
  return out;
}

} // namespace

Result<Value> tupleOf(int64_t tag, std::span<const Value> items) {
  BLOBSCOPE_TRY(nesting, nestingOf(items));
  return Value(std::make_shared<Tuple>(Tuple{tag, {items.begin(), items.end()}, nesting}));
}

Result<Value> closureOf(const Closure& function, std::span<const Value> captured) {
  BLOBSCOPE_TRY(nesting, nestingOf(captured));
  auto out = std::make_shared<Closure>(function);
  out->captured.insert(out->captured.end(), captured.begin(), captured.end());
  out->nesting = std::max(out->nesting, nesting);
  return Value(std::move(out));
}

std::string shapeText(std::span<const int64_t> shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size() && out.size() < kShapeBytes; ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

std::string tensorText(const Tensor& tensor) {
  return "Tensor(" + shapeText(tensor.shape()) + ", " + typeText(tensor.type) + ")";
}

std::string valueText(const Value& value) {
  struct Text {
    std::string operator()(None) const { return "none"; }
    std::string operator()(int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return std::to_string(number); }
    std::string operator()(protocol::DataType type) const { return typeText(type); }
    std::string operator()(const TensorPtr& tensor) const { return tensorText(*tensor); }
    std::string operator()(const StoragePtr& storage) const { return "storage of " + sizeText(storage->bytes); }
    std::string operator()(const ShapePtr& shape) const { return "shape " + shapeText(*shape); }
    std::string operator()(const TextPtr& text) const { return '"' + escapedWithin(*text, 100) + '"'; }
    std::string operator()(const std::shared_ptr<Tuple>& tuple) const {
      return "tuple of " + std::to_string(tuple->items.size());
    }
    std::string operator()(const std::shared_ptr<Closure>&) const { return "closure"; }
    std::string operator()(const std::shared_ptr<Cache>& cache) const {
      return "cache of " + std::to_string(cache->filled) + " rows";
    }
    std::string operator()(CalleeValue) const { return "function"; }
  };
  return std::visit(Text(), value);
}

Result<int64_t> integerOf(const Value& value, const Pool& pool) {
  if (const auto* const number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* const tensor = std::get_if<TensorPtr>(&value)) {
    BLOBSCOPE_TRY(numbers, integersOf(**tensor, pool));
    if (numbers.size() == 1) return numbers.front();
  }
  return stopped("an integer is needed, not " + valueText(value));
}

Result<bool> truthOf(const Value& value, const Pool& pool) {
  BLOBSCOPE_TRY(number, integerOf(value, pool));
  return number != 0;
}

Result<Done> Machine::prepare() {
  // --- 1. The functions. ---
  m_functions.assign(m_program.callees.size(), nullptr);
  m_builtins.assign(m_program.callees.size(), nullptr);
  for (std::size_t i = 0; i < m_program.callees.size(); ++i) {
    const ProgramCallee& callee = m_program.callees[i];
    if (callee.kind == ProgramCallee::Kind::Builtin) m_builtins[i] = findBuiltin(callee.name);
    if (callee.kind != ProgramCallee::Kind::Host) continue;
    BLOBSCOPE_TRY(function, findFunction(m_library, m_runtime, callee.name));
    m_functions[i] = function;
  }
  m_code.assign(m_program.functions.size(), nullptr);
  for (std::size_t i = 0; i < m_program.functions.size(); ++i) {
    const std::string& name = m_program.functions[i].compiled;
    if (name.empty()) continue;
    BLOBSCOPE_TRY(function, findFunction(m_library, m_runtime, name));
    m_code[i] = function;
    m_runtime.useProgram(m_compiled);
  }
  if (std::ranges::any_of(m_code, [](const void* code) { return code != nullptr; }))
    m_seesOwnCalls = redirectOwnCalls(m_library, [this](const OwnCall& call) { return callOwn(call); }) > 0;

  // --- 2. The constants. ---
  Bytes data;
  // A file without bytes cannot be opened, and tensors without elements need none.
  const bool hasElements = std::ranges::any_of(m_program.constants, [](const ProgramConstant& constant) {
    return constant.kind == ProgramConstant::Kind::Tensor &&
           protocol::dataBytes(constant.type, constant.shape) != uint64_t{0};
  });
  if (!m_program.data.empty() && hasElements) {
    BLOBSCOPE_TRY(file, ByteSource::openFile(m_context.folder / m_program.data));
    data = ByteSource::all(file);
  }
  m_constants.reserve(m_program.constants.size());
  for (const ProgramConstant& constant : m_program.constants) {
    using Kind = ProgramConstant::Kind;
    switch (constant.kind) {
    case Kind::Tensor: {
      BLOBSCOPE_TRY(tensor, m_pool.tensor(constant.type, constant.shape, constant.onHost));
      if (tensor->bytes > 0 && (constant.offset > data.size() || tensor->bytes > data.size() - constant.offset))
        return stopped("the file of its constants is too short");
      BLOBSCOPE_CHECK(m_pool.write(*tensor, data.slice(constant.offset, tensor->bytes).span()));
      tensor->written = true;
      m_constants.emplace_back(std::move(tensor));
      break;
    }
    case Kind::Shape: m_constants.emplace_back(std::make_shared<const std::vector<int64_t>>(constant.shape)); break;
    case Kind::Text: m_constants.emplace_back(std::make_shared<const std::string>(constant.text)); break;
    case Kind::Type: m_constants.emplace_back(constant.type); break;
    case Kind::Integer: m_constants.emplace_back(constant.integer); break;
    case Kind::Float: m_constants.emplace_back(std::bit_cast<double>(constant.integer)); break;
    }
  }
  return Done{};
}

Value Machine::immediateOf(const ProgramOperand& operand) {
  using Kind = ProgramOperand::Kind;
  switch (operand.kind) {
  case Kind::Integer: return operand.value;
  case Kind::Function: return std::make_shared<Closure>(Closure{static_cast<uint32_t>(operand.value), {}, 1});
  case Kind::Callee: return CalleeValue{static_cast<uint32_t>(operand.value)};
  case Kind::Register:
  case Kind::Constant:
  case Kind::None: break;
  }
  return None{};
}

const Value* Machine::placeOf(const ProgramOperand& operand, const std::vector<Value>& registers) const {
  if (operand.kind == ProgramOperand::Kind::Register) return &registers[static_cast<std::size_t>(operand.value)];
  if (operand.kind == ProgramOperand::Kind::Constant) return &m_constants[static_cast<std::size_t>(operand.value)];
  return nullptr;
}

Machine::Scratch& Machine::scratch() {
  while (m_scratch.size() < m_stack.size()) m_scratch.emplace_back();
  return m_scratch[m_stack.size() - 1];
}

Result<Value> Machine::run(uint32_t number, std::vector<Value> arguments) {
  const ProgramFunction& function = m_program.functions[number];
  if (arguments.size() != function.parameters)
    return stopped("'" + function.name + "' takes " + countText(function.parameters, "argument") + ", and gets " +
                   std::to_string(arguments.size()));
  const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
  if (m_stack.empty()) m_stackBase = here;
  // Machine code takes as much of the stack as it likes; a quarter is left for what is called last.
  const auto used = static_cast<uint64_t>(m_stackBase > here ? m_stackBase - here : here - m_stackBase);
  if (m_stack.size() >= kCallDepth || used > m_stackBytes / 4 * 3)
    return stopped("calls are nested deeper than " + std::to_string(m_stack.size()) + " levels");
  m_stack.push_back({&function, 0});
  const struct Leave {
    std::vector<Place>& stack;
    ~Leave() { stack.pop_back(); }
  } leave{m_stack};
  if (m_code[number]) return m_compiled.run(function, m_code[number], std::move(arguments));
  std::vector<Value> registers = std::move(arguments);
  registers.resize(std::max<std::size_t>(function.registers, registers.size()));
  uint64_t steps = 0;
  for (std::size_t at = 0; at < function.steps.size();) {
    if (cancelled()) return Error(DiagnosticId::Cancelled, {});
    if (++steps > kMostSteps) return stopped("'" + function.name + "' does not end");
    m_stack.back().step = at;
    const ProgramStep& step = function.steps[at];
    switch (step.op) {
    case ProgramStep::Op::Return: return std::move(registers[static_cast<std::size_t>(step.target)]);
    case ProgramStep::Op::Jump: at = static_cast<std::size_t>(static_cast<int64_t>(at) + step.offset); continue;
    case ProgramStep::Op::Branch: {
      BLOBSCOPE_TRY(truth, truthOf(registers[static_cast<std::size_t>(step.target)], m_pool));
      at = truth ? at + 1 : static_cast<std::size_t>(static_cast<int64_t>(at) + step.offset);
      continue;
    }
    case ProgramStep::Op::Call: BLOBSCOPE_CHECK(this->step(step, registers)); break;
    }
    ++at;
  }
  return stopped("'" + function.name + "' ends without a result");
}

Result<Done> Machine::step(const ProgramStep& step, std::vector<Value>& registers) {
  Scratch& scratch = this->scratch();
  scratch.values.clear();
  scratch.values.reserve(step.arguments.size());
  const bool isHost = m_program.callees[step.callee].kind == ProgramCallee::Kind::Host;
  if (isHost) scratch.given.clear();
  for (const ProgramOperand& operand : step.arguments) {
    const Value* place = placeOf(operand, registers);
    if (!place || !isHost) place = &scratch.values.emplace_back(place ? *place : immediateOf(operand));
    if (isHost) scratch.given.push_back(place);
  }
  auto result = isHost ? callHost(step.callee, step.outputs) : call(step.callee, scratch.values);
  if (!result) return result.takeError();
  if (step.target != ProgramStep::kNoRegister) registers[static_cast<std::size_t>(step.target)] = std::move(*result);
  scratch.values.clear(); // a register that is overwritten frees its memory
  return Done{};
}

Error Machine::placed(Error error, std::span<const Value* const> arguments, std::string_view callee) const {
  if (error.id() != DiagnosticId::RunProgram || !error.trail().empty() || m_stack.empty()) return error;
  std::string texts;
  for (const Value* const value : arguments) {
    if (texts.size() > 1'000) {
      texts += ", …";
      break;
    }
    texts += (texts.empty() ? "" : ", ") + valueText(*value);
  }
  const ProgramFunction& function = *m_stack.back().function;
  const std::string step =
      function.compiled.empty() ? "step " + std::to_string(m_stack.back().step) : std::string("machine code");
  return std::move(error).within(step + " of '" + escapedWithin(function.name, 100) + "', " +
                                 escapedWithin(callee, 200) + "(" + texts + ")");
}

Result<Value> Machine::call(uint32_t number, std::span<const Value> arguments) {
  const ProgramCallee& callee = m_program.callees[number];
  switch (callee.kind) {
  case ProgramCallee::Kind::Function: return run(callee.function, {arguments.begin(), arguments.end()});
  case ProgramCallee::Kind::Host: {
    std::vector<const Value*>& given = scratch().given;
    given.clear();
    for (const Value& argument : arguments) given.push_back(&argument);
    return callHost(number, 0);
  }
  case ProgramCallee::Kind::Builtin: break;
  }
  if (const Builtin* const builtin = m_builtins[number]) return callBuiltin(*builtin, arguments);
  return placed(stopped("this built-in function of TVM is not supported; it is neither in the library nor in "
                        "Blobscope"),
                pointersTo(arguments), callee.name);
}

Result<Value> Machine::callBuiltin(const Builtin& builtin, std::span<const Value> arguments) {
  auto result = builtin.run(*this, arguments);
  if (!result) return placed(result.takeError(), pointersTo(arguments), builtin.name);
  return result;
}

Result<Value> Machine::callClosure(const Closure& closure, std::span<const Value> arguments) {
  std::vector<Value> all = closure.captured;
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(closure.function, std::move(all));
}

Result<Done> Machine::pack(Scratch& scratch) const {
  PackedArguments& packed = scratch.packed;
  packed.clear();
  for (const Value* const value : scratch.flat) {
    if (const auto* const tensor = std::get_if<TensorPtr>(value))
      packed.tensor(&(*tensor)->head);
    else if (const auto* const number = std::get_if<int64_t>(value))
      packed.integer(*number);
    else if (const auto* const real = std::get_if<double>(value))
      packed.real(*real);
    else if (const auto* const shape = std::get_if<ShapePtr>(value))
      for (const int64_t extent : **shape) packed.integer(extent);
    else if (std::holds_alternative<None>(*value))
      packed.nullPointer();
    else
      return stopped("a host function cannot take " + valueText(*value));
  }
  return Done{};
}

Result<Value> Machine::callHost(uint32_t number, uint32_t outputs) {
  const ProgramCallee& callee = m_program.callees[number];
  Scratch& scratch = this->scratch();
  const auto isTensor = [](const Value* value) { return std::holds_alternative<TensorPtr>(*value); };
  const auto tensorOf = [](const Value* value) -> const TensorPtr& { return std::get<TensorPtr>(*value); };

  // --- 1. The arguments; the outputs are the last ones, or those that nothing was written to. ---
  scratch.flat.clear();
  std::size_t firstOutput = 0; // in `flat`, when the number of outputs is known
  for (std::size_t i = 0; i < scratch.given.size(); ++i) {
    if (i + outputs == scratch.given.size()) firstOutput = scratch.flat.size();
    if (auto added = flatten(*scratch.given[i], scratch.flat); !added)
      return placed(added.takeError(), scratch.given, callee.name);
  }
  auto packed = pack(scratch);
  if (!packed) return placed(packed.takeError(), scratch.given, callee.name);
  const std::span<const Value* const> written = std::span(scratch.flat).subspan(outputs > 0 ? firstOutput : 0);
  // As the Relay VM does: host code may divide by the size. Source: apache/tvm v0.8 – v0.18 src/runtime/vm/vm.cc,
  // VirtualMachine::InvokePacked.
  if (outputs == 1 && written.size() == 1 && isTensor(written[0]) && tensorOf(written[0])->bytes == 0) {
    tensorOf(written[0])->written = true;
    return Value(None{});
  }
  // Machine code calls most host functions itself; without those, a list of the other calls would be misleading.
  const Place place = m_stack.back();
  std::optional<NodeCall> node;
  if (isObserved()) {
    static const std::string kNone;
    const bool isCompiled = !place.function->compiled.empty();
    const std::string& name = isCompiled ? kNone : place.function->steps[place.step].node;
    if (isCompiled) ++m_stack.back().step;
    node.emplace(NodeCall{*place.function, place.step, callee.name, name.empty() ? callee.name : name, {}, {}});
    for (std::size_t i = 0; i < scratch.flat.size(); ++i) {
      if (!isTensor(scratch.flat[i])) continue;
      const TensorPtr& tensor = tensorOf(scratch.flat[i]);
      const bool isOutput = outputs > 0 ? i >= firstOutput : !tensor->written;
      (isOutput ? node->outputs : node->inputs).push_back(tensor);
    }
  }

  // --- 2. The call. ---
  FfiAny result;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = m_timesNodes ? Clock::now() : Clock::time_point();
  if (auto called = callLibrary(m_functions[number], scratch.packed, callee.name, &result); !called)
    return placed(called.takeError(), scratch.given, callee.name);
  if (node && m_timesNodes) {
    if (m_runtime.backend()) BLOBSCOPE_CHECK(m_runtime.backend()->synchronise());
    node->microseconds = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }
  for (const Value* const value : written)
    if (isTensor(value)) tensorOf(value)->written = true;
  if (node) BLOBSCOPE_CHECK(m_observer(*node));
  if (result.type == kFfiInt || result.type == kFfiBool) return Value(result.value.integer);
  if (result.type == kFfiFloat) return Value(result.value.real);
  return Value(None{});
}

int Machine::callOwn(const OwnCall& call) {
  // Threads of the library are not looked at.
  if (m_stack.empty() || !isObserved() || std::this_thread::get_id() != m_thread) return call.run();
  Place& place = m_stack.back();
  NodeCall node{*place.function, place.step++, call.name, call.name, {}, {}};
  for (const DlTensor* const head : call.tensors)
    if (const TensorPtr tensor = m_compiled.tensorOf(head))
      (tensor->written ? node.inputs : node.outputs).push_back(tensor);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const int code = call.run();
  if (code != 0 || m_runtime.hasTrouble()) return code;
  const auto report = [&]() -> Result<Done> {
    if (m_timesNodes && m_runtime.backend()) BLOBSCOPE_CHECK(m_runtime.backend()->synchronise());
    node.microseconds = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    for (const TensorPtr& tensor : node.outputs) tensor->written = true;
    return m_observer(node);
  };
  auto reported = report();
  return reported ? 0 : m_runtime.refuse(reported.takeError());
}

Result<Done> Machine::callLibrary(void* function, PackedArguments& arguments, const std::string& name, FfiAny* result) {
  const int code = m_library.call(function, arguments, result);
  if (const std::string missing = HostLibrary::takeMissing(); !missing.empty())
    return Error(DiagnosticId::RunImports, {arg("names", missing)});
  if (code == 0 && !m_runtime.hasTrouble()) return Done{};
  auto problem = m_runtime.takeProblem();
  const std::string raised = m_runtime.takeRaised();
  if (problem) return std::move(*problem);
  if (code == 0) return Done{};
  return Error(
      DiagnosticId::RunFailed,
      {arg("name", name), {"code", std::to_string(code)}, {"reason", raised.empty() ? "no reason given" : raised}});
}

} // namespace blobscope::runner::machine
