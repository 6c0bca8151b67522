#include "core/plan/simulation.h"

#include "core/base/text.h"
#include "core/plan/simulation_values.h"
#include "core/plan/types.h"
#include "core/program/flop.h"

#include <algorithm>

namespace blobscope::plan {
namespace {

using protocol::ProgramCallee;
using protocol::ProgramConstant;
using protocol::ProgramOperand;
using protocol::ProgramStep;

/// Bounds of what a small file costs. Real functions have some thousand steps and make some hundred tensors.
constexpr uint64_t kMostSteps = 1'000'000, kMostTensors = 500'000, kMostSnapshots = 20'000'000;
constexpr uint64_t kMostHeap = 1'000'000;
constexpr unsigned kDepth = 16;
constexpr int kNesting = 16;
constexpr uint64_t kRegistersPerStep = 16;
constexpr std::size_t kSymbols = 256, kNameBytes = 80;
/// Extents of a value; more than the interpreter allows for tensors.
constexpr std::size_t kMostExtents = 256;

Error refusedPlan(std::string reason) { return {DiagnosticId::RunProgram, {{"reason", std::move(reason)}}}; }

Number plain(int64_t value) { return {value, true, 0}; }

bool isTensorConstant(const ProgramConstant& constant) { return constant.kind == ProgramConstant::Kind::Tensor; }

} // namespace

Simulation::Simulation(const program::Model& model, const Sizes& sizes, const std::map<std::size_t, uint64_t>& derived,
                       Monitor& monitor)
    : m_model(model), m_sizes(sizes), m_derived(derived), m_monitor(monitor) {}

Simulation::~Simulation() = default;

Result<MemoryPlan> Simulation::run(uint32_t function, const program::Entry* entry) {
  if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  const protocol::ProgramFunction& planned = m_model.program.functions[function];
  m_plan.function = planned.name;
  m_plan.instructions = planned.steps.size();
  if (planned.steps.empty())
    return refusedPlan("'" + escapedWithin(planned.name, kNameBytes) + "' was compiled to machine code");
  Values arguments(planned.parameters);
  m_plan.arguments.resize(planned.parameters);
  for (uint32_t i = 0; i < planned.parameters; ++i) {
    host::Parameter parameter;
    if (entry && i < entry->signature.parameters.size()) parameter = entry->signature.parameters[i];
    if (parameter.name.empty()) parameter.name = "arg" + std::to_string(i);
    if (parameter.name.size() > 4 * kNameBytes) parameter.name.resize(4 * kNameBytes); // it is copied for each extent
    m_plan.arguments[i].name = parameter.name;
    arguments[i] = parameterValue(parameter, i);
  }
  BLOBSCOPE_TRY(result, call(function, std::move(arguments), 0));
  m_now = m_plan.instructions;
  result = {};
  m_most = m_reserved;
  noteReserved();
  addUses();
  return std::move(m_plan);
}

// --- arguments and symbols

Number Simulation::symbolNamed(const std::string& name, const std::string& from) {
  const std::string shown = escapedWithin(name, kNameBytes);
  const auto [at, added] = m_symbols.try_emplace(shown, static_cast<uint32_t>(m_plan.symbols.size() + 1));
  if (added) {
    if (m_plan.symbols.size() >= kSymbols) {
      m_symbols.erase(at);
      return {};
    }
    Symbol& symbol = m_plan.symbols.emplace_back();
    symbol.name = shown;
    symbol.from = escapedWithin(from, kNameBytes);
    if (const auto given = m_sizes.find(shown); given != m_sizes.end()) symbol.value = given->second;
  }
  const Symbol& symbol = m_plan.symbols[at->second - 1];
  return {symbol.value.value_or(0), symbol.value.has_value(), at->second};
}

Number Simulation::dimension(const host::Dimension& dimension, const std::string& name, const std::string& from) {
  if (dimension.value) return plain(*dimension.value);
  return symbolNamed(dimension.isVariable() ? dimension.text : name, from);
}

Simulation::ShapePtr Simulation::shapeOf(const host::Parameter& parameter, const std::string& name) {
  auto shape = std::make_shared<Shape>();
  if (parameter.shape.size() > kMostExtents) return nullptr;
  for (std::size_t i = 0; i < parameter.shape.size(); ++i)
    shape->push_back(
        dimension(parameter.shape[i], name + "." + std::to_string(i), "extent " + std::to_string(i) + " of " + name));
  return shape;
}

/// An item of a tuple that is an argument.
Simulation::Value Simulation::itemValue(const host::Parameter& item, const host::Parameter& tuple, std::size_t index,
                                        uint32_t argument) {
  const std::string name = tuple.name + "[" + std::to_string(index) + "]";
  if (item.kind != host::Parameter::Kind::Tensor || !item.rankKnown)
    return std::make_shared<const Given>(Given{argument, name});
  auto tensor = std::make_shared<Tensor>();
  tensor->argument = argument;
  tensor->name = name;
  tensor->shape = shapeOf(item, name);
  if (const auto type = typeNamed(item.dtype)) tensor->type = *type;
  return tensor;
}

Simulation::Value Simulation::parameterValue(const host::Parameter& parameter, uint32_t argument) {
  using Kind = host::Parameter::Kind;
  ArgumentUse& use = m_plan.arguments[argument];
  if (parameter.kind == Kind::Tensor && parameter.rankKnown) {
    auto tensor = std::make_shared<Tensor>();
    tensor->argument = argument;
    tensor->name = parameter.name;
    tensor->shape = shapeOf(parameter, parameter.name);
    if (const auto type = typeNamed(parameter.dtype)) {
      tensor->type = *type;
      if (tensor->shape) use.bytes = bytesOf(*tensor->shape, *type);
    }
    return tensor;
  }
  if (parameter.kind == Kind::Shape && parameter.rankKnown) return shapeOf(parameter, parameter.name);
  if (parameter.kind == Kind::Integer) return symbolNamed(parameter.name, "argument " + std::to_string(argument));
  if (parameter.kind != Kind::Tuple || parameter.items.empty())
    return std::make_shared<const Given>(Given{argument, parameter.name});
  use.items = parameter.items.size();
  uint64_t sum = 0;
  bool all = true;
  Values items;
  for (const host::Parameter& item : parameter.items) {
    Value value = itemValue(item, parameter, items.size(), argument);
    const auto* const tensor = std::get_if<TensorPtr>(&value);
    const auto bytes = tensor && (*tensor)->shape && (*tensor)->type.bits > 0
                           ? bytesOf(*(*tensor)->shape, (*tensor)->type)
                           : std::nullopt;
    all = all && bytes && !__builtin_add_overflow(sum, *bytes, &sum);
    items.push_back(std::move(value));
  }
  if (all) use.bytes = sum;
  return tupleOf(std::move(items));
}

// --- calls

Result<Simulation::Value> Simulation::call(uint32_t function, Values arguments, unsigned depth) {
  const protocol::ProgramFunction& called = m_model.program.functions[function];
  if (called.steps.empty() || depth > kDepth || std::ranges::find(m_calling, function) != m_calling.end()) {
    m_plan.isPartial = true;
    return Value();
  }
  BLOBSCOPE_CHECK(takeRegisters(called.registers, "its functions call each other too often for a plan"));
  m_calling.push_back(function);
  Values registers = std::move(arguments);
  registers.resize(called.registers);
  States waiting; // by the instruction that is jumped to
  bool reached = true;
  Value result;
  for (uint64_t at = 0; at < called.steps.size(); ++at) {
    charge(1 + called.steps[at].arguments.size());
    BLOBSCOPE_CHECK(poll());
    if (m_steps > kMostSteps) return refusedPlan("its functions call each other too often for a plan");
    if (depth == 0) m_now = at;
    if (auto state = waiting.find(at); state != waiting.end()) {
      if (!reached) {
        registers = std::move(state->second);
      } else {
        for (std::size_t i = 0; i < registers.size(); ++i)
          if (std::holds_alternative<std::monostate>(registers[i])) registers[i] = std::move(state->second[i]);
      }
      waiting.erase(state);
      reached = true;
    }
    if (!reached) continue;
    const ProgramStep& step = called.steps[at];
    if (step.op == ProgramStep::Op::Jump || step.op == ProgramStep::Op::Branch) {
      if (step.op == ProgramStep::Op::Branch) m_plan.hasBranches = true;
      const auto target = static_cast<uint64_t>(static_cast<int64_t>(at) + step.offset);
      if (step.offset <= 0) {
        m_plan.isPartial = true; // a loop: its body was counted once
      } else if (!waiting.contains(target)) {
        BLOBSCOPE_CHECK(takeRegisters(registers.size(), "it has too many branches for a plan"));
        waiting.emplace(target, registers);
      }
      reached = step.op == ProgramStep::Op::Branch;
      continue;
    }
    BLOBSCOPE_CHECK(this->step(called, at, registers, depth, result));
    if (depth == 0) noteReserved();
    if (step.op == ProgramStep::Op::Return) reached = false;
  }
  m_calling.pop_back();
  return result;
}

/// Work in units of about one argument of a call. The bound is checked at the next instruction.
void Simulation::charge(uint64_t units) {
  m_steps += units;
  m_unpolled += units;
}

Result<Done> Simulation::poll() {
  constexpr uint64_t kUnits = 4'096;
  if (m_unpolled < kUnits) return Done{};
  m_unpolled = 0;
  return m_monitor.stopRequested() ? Result<Done>(Error(DiagnosticId::Cancelled, {})) : Done{};
}

/// Registers of a call, or their copies at a branch.
Result<Done> Simulation::takeRegisters(uint64_t count, const char* tooMany) {
  m_snapshots += count;
  if (m_snapshots > kMostSnapshots) return refusedPlan(tooMany);
  m_unpolled += count / kRegistersPerStep;
  return poll();
}

uint64_t Simulation::followed() const { return m_steps + m_snapshots / kRegistersPerStep; }

Result<Done> Simulation::step(const protocol::ProgramFunction& function, uint64_t at, Values& registers, unsigned depth,
                              Value& result) {
  const ProgramStep& step = function.steps[at];
  const auto target = static_cast<std::size_t>(std::max<int64_t>(step.target, 0));
  if (step.op == ProgramStep::Op::Return) {
    if (step.target >= 0) result = registers[target];
    return Done{};
  }
  Values arguments;
  arguments.reserve(step.arguments.size());
  for (const ProgramOperand& operand : step.arguments) arguments.push_back(valueOf(operand, registers));
  const ProgramCallee& callee = m_model.program.callees[step.callee];
  Value value;
  switch (callee.kind) {
  case ProgramCallee::Kind::Function: {
    BLOBSCOPE_TRY(returned, call(callee.function, std::move(arguments), depth + 1));
    value = std::move(returned);
    break;
  }
  case ProgramCallee::Kind::Builtin: value = builtin(callee.name, arguments); break;
  case ProgramCallee::Kind::Host:
    addWork(step.callee, arguments);
    for (const Value& argument : arguments) {
      used(argument, callee.name);
      // Compiled code that computes sizes gets the heap and writes to it.
      if (const auto* const heap = std::get_if<HeapPtr>(&argument); heap && *heap)
        (*heap)->writer = std::string_view(callee.name).substr(0, 4 * kNameBytes);
    }
    break;
  }
  if (m_plan.storages.size() > kMostTensors) return refusedPlan("it makes too many storages for a plan");
  arguments.clear();
  if (step.target >= 0) registers[target] = std::move(value);
  return Done{};
}

/// Adds the estimated operations of a call, whose last tensor is its output.
void Simulation::addWork(uint32_t callee, const Values& arguments) {
  constexpr std::size_t kShapes = 16;
  std::vector<std::vector<int64_t>> shapes;
  for (const Value& argument : arguments) {
    const auto* const tensor = std::get_if<TensorPtr>(&argument);
    if (!tensor || !*tensor) continue;
    std::vector<int64_t> extents;
    bool known = (*tensor)->shape != nullptr;
    if (known) charge((*tensor)->shape->size() / 8);
    for (std::size_t i = 0; known && i < (*tensor)->shape->size(); ++i) {
      known = (*(*tensor)->shape)[i].known;
      extents.push_back((*(*tensor)->shape)[i].value);
    }
    if (!known) return;
    if (shapes.size() > kShapes) shapes.erase(shapes.end() - 2); // the inputs that count come first
    shapes.push_back(std::move(extents));
  }
  if (shapes.empty()) return;
  const std::vector<int64_t> output = std::move(shapes.back());
  shapes.pop_back();
  double elements = 1;
  for (const int64_t extent : output) elements *= static_cast<double>(std::max<int64_t>(extent, 0));
  const auto flop = program::flopOf(m_model.program.callees[callee].name, shapes, output);
  m_plan.work[{m_calling, callee}] += flop.value_or(elements);
}

Simulation::Value Simulation::valueOf(const ProgramOperand& operand, const Values& registers) {
  using Kind = ProgramOperand::Kind;
  switch (operand.kind) {
  case Kind::Register: return registers[static_cast<std::size_t>(operand.value)];
  case Kind::Integer: return plain(operand.value);
  case Kind::Callee: return Callee{static_cast<uint32_t>(operand.value)};
  case Kind::None:
  case Kind::Function: return {};
  case Kind::Constant: break;
  }
  const ProgramConstant& constant = m_model.program.constants[static_cast<std::size_t>(operand.value)];
  switch (constant.kind) {
  case ProgramConstant::Kind::Integer: return plain(constant.integer);
  case ProgramConstant::Kind::Type: return constant.type;
  case ProgramConstant::Kind::Shape:
  case ProgramConstant::Kind::Tensor: {
    const auto [known, added] = m_constants.try_emplace(operand.value);
    if (!added) return known->second;
    std::shared_ptr<Shape> shape;
    if (constant.shape.size() <= kMostExtents) {
      shape = std::make_shared<Shape>();
      for (const int64_t extent : constant.shape) shape->push_back(plain(extent));
    }
    if (!isTensorConstant(constant)) return known->second = ShapePtr(std::move(shape));
    m_plan.constants.insert(operand.value);
    auto tensor = std::make_shared<Tensor>();
    tensor->shape = std::move(shape);
    tensor->type = constant.type;
    return known->second = TensorPtr(std::move(tensor));
  }
  case ProgramConstant::Kind::Text:
  case ProgramConstant::Kind::Float: break;
  }
  return {};
}

Simulation::Value Simulation::tupleOf(Values items) {
  int depth = 1;
  for (const Value& item : items)
    if (const auto* const inner = std::get_if<TuplePtr>(&item); inner && *inner)
      depth = std::max(depth, (*inner)->depth + 1);
  if (depth > kNesting) return {};
  return std::make_shared<Tuple>(Tuple{std::move(items), depth});
}

Simulation::Value Simulation::itemOf(const Value& tuple, int64_t index) {
  if (const auto* const given = std::get_if<GivenPtr>(&tuple)) return *given;
  const auto* const known = std::get_if<TuplePtr>(&tuple);
  if (!known || index < 0 || static_cast<uint64_t>(index) >= (*known)->items.size()) return {};
  return (*known)->items[static_cast<std::size_t>(index)];
}

// --- built-in functions; app/runner/machine/builtins*.cpp states their arguments

Simulation::Value Simulation::builtin(std::string_view name, const Values& arguments) {
  constexpr std::string_view kPrefix = "vm.builtin.";
  const auto argument = [&](std::size_t index) { return index < arguments.size() ? arguments[index] : Value(); };
  const auto number = [&](std::size_t index) {
    const Value value = argument(index);
    const auto* const one = std::get_if<Number>(&value);
    return one ? *one : Number();
  };
  const auto shape = [&](std::size_t index) {
    const Value value = argument(index);
    const auto* const one = std::get_if<ShapePtr>(&value);
    return one ? *one : ShapePtr();
  };
  const auto type = [&](std::size_t index) {
    const Value value = argument(index);
    const auto* const one = std::get_if<protocol::DataType>(&value);
    return one ? *one : protocol::DataType();
  };
  const std::string_view own = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  if (own == "alloc_shape_heap") {
    auto heap = std::make_shared<Heap>();
    const Number size = number(1);
    if (size.known && size.value >= 0 && static_cast<uint64_t>(size.value) <= kMostHeap)
      heap->entries.resize(static_cast<std::size_t>(size.value));
    charge(heap->entries.size() / 4);
    m_plan.heap += heap->entries.size() * sizeof(int64_t);
    return heap;
  }
  if (own == "match_shape") return match(argument(0), arguments), Value();
  if (own == "match_prim_value") return matchNumber(argument(0), arguments), Value();
  if (own == "make_shape") return madeShape(arguments, 0);
  if (own == "make_prim_value") {
    const Value heap = argument(0);
    const auto* const held = std::get_if<HeapPtr>(&heap);
    return loaded(held ? *held : nullptr, number(1), number(2));
  }
  if (own == "alloc_storage") {
    const ShapePtr size = shape(1);
    const protocol::DataType element = type(3);
    const auto bytes = size ? bytesOf(*size, element) : std::nullopt;
    const bool isFixed = bytes && std::ranges::all_of(*size, [](const Number& one) { return one.symbol == 0; });
    return makeStorage(bytes, size ? textOf(*size, element) : "not known", number(2).value != 0, false, isFixed);
  }
  if (own == "storage.make") {
    const Number bytes = number(0);
    return makeStorage(bytes.known ? std::optional(static_cast<uint64_t>(bytes.value)) : std::nullopt, textOf(bytes),
                       number(1).value != 0, false);
  }
  if (own == "alloc_tensor" || own == "tensor.make") {
    const Value storage = argument(0);
    const auto* const made = std::get_if<StoragePtr>(&storage);
    return makeTensor(made ? *made : nullptr, shape(2), type(3));
  }
  if (own == "reshape" || own == "tensor.reshape" || own == "attention_kv_cache_view") {
    const Value from = argument(0);
    used(from, {});
    if (const auto* const given = std::get_if<GivenPtr>(&from); given && *given) mark((*given)->argument, own);
    const auto* const tensor = std::get_if<TensorPtr>(&from);
    auto out = tensor && *tensor ? std::make_shared<Tensor>(**tensor) : std::make_shared<Tensor>();
    out->shape = shape(1);
    return out;
  }
  if (own == "copy" || own == "move" || own == "ensure_zero_offset") return argument(0);
  if (own == "shape_of" || own == "tensor.shape") {
    const Value from = argument(0);
    const auto* const tensor = std::get_if<TensorPtr>(&from);
    return tensor && *tensor && (*tensor)->shape ? Value((*tensor)->shape) : Value();
  }
  if (own == "make_tuple") return tupleOf(arguments);
  if (own == "tuple.make")
    return tupleOf({arguments.begin() + std::min<std::ptrdiff_t>(1, std::ssize(arguments)), arguments.end()});
  if (own == "tuple_getitem" || own == "tuple.get") return itemOf(argument(0), number(1).value);
  if (own == "tuple_reset_item") {
    const Value tuple = argument(0);
    const Number index = number(1);
    if (const auto* const known = std::get_if<TuplePtr>(&tuple);
        known && index.known && index.value >= 0 && static_cast<uint64_t>(index.value) < (*known)->items.size())
      (*known)->items[static_cast<std::size_t>(index.value)] = {};
    return {};
  }
  if (own == "check_tuple_info") {
    const Value tuple = argument(0);
    if (const auto* const given = std::get_if<GivenPtr>(&tuple); given && *given && number(1).known)
      m_plan.arguments[(*given)->argument].items = static_cast<uint64_t>(std::max<int64_t>(number(1).value, 0));
    return {};
  }
  if (own == "call_tir_dyn") {
    const Value function = argument(0);
    const auto* const callee = std::get_if<Callee>(&function);
    if (callee) addWork(callee->number, arguments);
    for (const Value& one : arguments)
      used(one, callee ? std::string_view(m_model.program.callees[callee->number].name) : own);
    return {};
  }
  if (own.find("kv_cache_create") != std::string_view::npos) return cacheCreated(own, arguments);
  if (own == "invoke_closure" || own == "closure.call") m_plan.isPartial = true;
  if (own.starts_with("check_") || own == "null_value") return {};
  for (const Value& one : arguments) {
    used(one, own);
    if (const auto* const given = std::get_if<GivenPtr>(&one); given && *given) mark((*given)->argument, own);
  }
  // Functions that change a cache return it.
  if (own.find("kv_cache") != std::string_view::npos) return argument(0);
  return {};
}

void Simulation::mark(uint32_t argument, std::string_view builtin) {
  if (builtin.find("kv_cache") == std::string_view::npos && builtin.find("kv_state") == std::string_view::npos) return;
  m_plan.arguments[argument].isCache = true;
  m_plan.usesCache = true;
}

// --- the shape heap

void Simulation::store(const HeapPtr& heap, const Number& entry, const Number& value, const Value& from,
                       std::size_t extent) {
  if (!heap || !entry.known || entry.value < 0 || static_cast<uint64_t>(entry.value) >= heap->entries.size()) return;
  Number stored = value;
  if (!stored.known && stored.symbol == 0) {
    // Nothing states this extent: it is a size of its own.
    std::string name = "shape[" + std::to_string(entry.value) + "]";
    std::string origin = "extent " + std::to_string(extent) + " of a value that is not known";
    if (const auto* const given = std::get_if<GivenPtr>(&from); given && *given) {
      name = (*given)->name + "." + std::to_string(extent);
      origin = "extent " + std::to_string(extent) + " of " + (*given)->name;
    } else if (const auto* const tensor = std::get_if<TensorPtr>(&from); tensor && *tensor && (*tensor)->argument) {
      name = (*tensor)->name + "." + std::to_string(extent);
      origin = "extent " + std::to_string(extent) + " of " + (*tensor)->name;
    }
    stored = symbolNamed(name, origin);
  }
  heap->entries[static_cast<std::size_t>(entry.value)] = stored;
}

/// value, heap, rank, (code, number) per extent: code 1 stores the extent.
void Simulation::match(const Value& value, const Values& arguments) {
  if (arguments.size() < 3) return;
  const auto* const heap = std::get_if<HeapPtr>(&arguments[1]);
  if (!heap) return;
  const auto* const tensor = std::get_if<TensorPtr>(&value);
  const auto* const shape = std::get_if<ShapePtr>(&value);
  const ShapePtr known = tensor && *tensor ? (*tensor)->shape : shape ? *shape : nullptr;
  for (std::size_t i = 3; i + 1 < arguments.size(); i += 2) {
    const auto* const code = std::get_if<Number>(&arguments[i]);
    const auto* const entry = std::get_if<Number>(&arguments[i + 1]);
    if (!code || !entry) break; // the context
    const std::size_t extent = (i - 3) / 2;
    if (code->value == 1)
      store(*heap, *entry, known && extent < known->size() ? (*known)[extent] : Number(), value, extent);
  }
}

/// value, heap, code, number
void Simulation::matchNumber(const Value& value, const Values& arguments) {
  if (arguments.size() < 4) return;
  const auto* const heap = std::get_if<HeapPtr>(&arguments[1]);
  const auto* const code = std::get_if<Number>(&arguments[2]);
  const auto* const entry = std::get_if<Number>(&arguments[3]);
  const auto* const known = std::get_if<Number>(&value);
  if (heap && code && entry && code->value == 1) store(*heap, *entry, known ? *known : Number(), value, 0);
}

Number Simulation::loaded(const HeapPtr& heap, const Number& code, const Number& entry) {
  if (code.known && code.value == 0) return entry;
  if (!heap || !entry.known || entry.value < 0 || static_cast<uint64_t>(entry.value) >= heap->entries.size()) return {};
  std::optional<Number>& stored = heap->entries[static_cast<std::size_t>(entry.value)];
  if (!stored)
    stored = symbolNamed("shape[" + std::to_string(entry.value) + "]",
                         heap->writer.empty() ? "not set by the bytecode" : "computed by " + heap->writer);
  return *stored;
}

/// heap, rank, (code, number) per extent
Simulation::ShapePtr Simulation::madeShape(const Values& arguments, std::size_t heapAt) {
  const auto* const heap = heapAt < arguments.size() ? std::get_if<HeapPtr>(&arguments[heapAt]) : nullptr;
  if (arguments.size() > heapAt + 2 + 2 * kMostExtents) return nullptr;
  auto out = std::make_shared<Shape>();
  for (std::size_t i = heapAt + 2; i + 1 < arguments.size(); i += 2) {
    const auto* const code = std::get_if<Number>(&arguments[i]);
    const auto* const entry = std::get_if<Number>(&arguments[i + 1]);
    out->push_back(code && entry ? loaded(heap ? *heap : nullptr, *code, *entry) : Number());
  }
  return out;
}

} // namespace blobscope::plan
