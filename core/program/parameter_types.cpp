#include "core/program/parameter_types.h"

#include "core/base/text.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace blobscope::program {
namespace {

using host::Dimension;
using host::Parameter;
using protocol::Program;
using protocol::ProgramCallee;
using protocol::ProgramConstant;
using protocol::ProgramFunction;
using protocol::ProgramOperand;
using protocol::ProgramStep;

using Shape = std::vector<Dimension>;

/// Dimensions of a tensor, as in the interpreter.
constexpr std::size_t kRank = 64;
/// Calls of functions of the model inside each other that are followed.
constexpr int kDepth = 64;
/// Tuples inside each other.
constexpr int kTupleDepth = 8;
/// Items of the tuples of one function whose size is not stated: this many, and a number for each step. The largest
/// real tuple seen has 1,200.
constexpr uint64_t kItems = 256, kItemsPerStep = 16;
constexpr std::size_t kNotes = 20, kUnclear = 16;

/// Looks at the monitor every 4,096 items.
class Poll {
public:
  explicit Poll(Monitor& monitor) : m_monitor(monitor) {}

  /// `items`: how many were done since the last call. Error: only Cancelled.
  Result<Done> step(uint64_t items) {
    m_items += items;
    if (m_items < 4'096) return Done{};
    m_items = 0;
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return Done{};
  }

private:
  Monitor& m_monitor;
  uint64_t m_items = 0;
};

Dimension numberDimension(int64_t value) { return value >= 0 ? Dimension{value, std::to_string(value)} : Dimension{}; }

/// What is known about the parameters of one function of the model.
struct FunctionTypes {
  enum class State : uint8_t { New, Open, Done };
  State state = State::New;
  std::vector<Parameter> parameters;
  std::vector<ParameterUse> uses;
  std::vector<std::string> notes;
};

/// Follows the values of one function.
class FunctionReader {
public:
  /// Reads another function of the model; null when that is not possible.
  using Callee = std::function<Result<const FunctionTypes*>(uint32_t function)>;

  FunctionReader(const Program& program, const ProgramFunction& function,
                 const std::vector<const host::Signature*>& hosts, const Callee& callee, Poll& poll)
      : m_program(program), m_function(function), m_hosts(hosts), m_callee(callee), m_poll(poll) {}

  /// `stated`: what is known of the parameters before.
  Result<FunctionTypes> read(const std::vector<Parameter>& stated) {
    for (uint32_t i = 0; i < m_function.parameters; ++i) {
      Parameter known = i < stated.size() ? stated[i] : Parameter();
      std::string title =
          known.name.empty() ? "parameter " + std::to_string(i) : "parameter '" + nameText(known.name) + "'";
      m_roots.push_back(addSlot(std::move(known), std::move(title), 0));
      m_writes[i] = 1;
      m_values[i].kind = Value::Kind::Slot;
      m_values[i].slot = m_roots.back();
    }
    m_itemsLeft = kItems + kItemsPerStep * m_function.steps.size();
    BLOBSCOPE_CHECK(countWrites());
    for (const ProgramStep& step : m_function.steps) {
      BLOBSCOPE_CHECK(m_poll.step(1 + step.arguments.size()));
      if (step.op != ProgramStep::Op::Call) continue;
      BLOBSCOPE_TRY(value, valueOfCall(step));
      if (step.target != ProgramStep::kNoRegister && writesOf(step.target) == 1 && value.kind != Value::Kind::None)
        m_values[step.target] = std::move(value);
    }
    FunctionTypes out;
    out.state = FunctionTypes::State::Done;
    out.notes = std::move(m_notes);
    for (const uint32_t slot : m_roots) {
      out.parameters.push_back(parameterOf(slot));
      out.uses.push_back(useOf(slot));
    }
    return out;
  }

private:
  /// A parameter, or an item of a tuple that is one.
  struct Slot {
    Parameter known; ///< without items
    ParameterUse use;
    std::string title;                                 ///< "parameter 'x'", "item 0 of parameter 'x'"
    int depth = 0;                                     ///< tuples around it
    bool grows = false;                                ///< a tuple whose number of items is not stated
    std::unordered_map<int64_t, uint32_t> itemNumbers; ///< item → its slot
    std::vector<std::pair<int64_t, uint32_t>> items;   ///< the same in order of appearance
    int64_t itemCount = 0;                             ///< the largest number of an item + 1
    bool differs = false;                              ///< a note about it was made
  };
  struct Value {
    enum class Kind : uint8_t { None, Slot, Tuple, Shape, Tensor, Heap };
    Kind kind = Kind::None;
    uint32_t slot = 0;
    std::optional<program::Shape> shape; ///< Shape, Tensor; Slot: with another shape than the parameter has
    const ProgramStep* tuple = nullptr;  ///< the call that made it
  };

  // --- Registers. ---

  static bool isRelease(std::string_view callee, const ProgramStep& step) {
    return callee == "vm.builtin.null_value" ||
           (callee == "move" && step.arguments.size() == 1 && step.arguments[0].kind == ProgramOperand::Kind::None);
  }
  const ProgramCallee& calleeOf(const ProgramStep& step) const { return m_program.callees[step.callee]; }
  bool isCallOf(const ProgramStep& step, ProgramCallee::Kind kind) const { return calleeOf(step).kind == kind; }

  /// Counts the writes of each register, and marks the parameters that are read.
  Result<Done> countWrites() {
    const auto markRead = [&](int64_t number) {
      if (number >= 0 && static_cast<uint64_t>(number) < m_roots.size())
        m_slots[m_roots[static_cast<std::size_t>(number)]].use.used = true;
    };
    for (const ProgramStep& step : m_function.steps) {
      BLOBSCOPE_CHECK(m_poll.step(1 + step.arguments.size()));
      if (step.op == ProgramStep::Op::Return || step.op == ProgramStep::Op::Branch) markRead(step.target);
      if (step.op != ProgramStep::Op::Call) continue;
      const bool isBuiltin = isCallOf(step, ProgramCallee::Kind::Builtin);
      const std::string_view name = isBuiltin ? std::string_view(calleeOf(step).name) : std::string_view();
      if (step.target != ProgramStep::kNoRegister && !isRelease(name, step)) ++m_writes[step.target];
      if (name.starts_with("vm.builtin.check_")) continue;
      for (const ProgramOperand& operand : step.arguments)
        if (operand.kind == ProgramOperand::Kind::Register) markRead(operand.value);
    }
    return Done{};
  }
  uint64_t writesOf(int64_t number) const {
    const auto found = m_writes.find(number);
    return found == m_writes.end() ? 0 : found->second;
  }

  Value valueOf(const ProgramOperand& operand) const {
    if (operand.kind == ProgramOperand::Kind::Register) {
      const auto found = m_values.find(operand.value);
      return found == m_values.end() || writesOf(operand.value) != 1 ? Value() : found->second;
    }
    if (operand.kind != ProgramOperand::Kind::Constant) return {};
    const ProgramConstant& constant = m_program.constants[static_cast<std::size_t>(operand.value)];
    const bool isTensor = constant.kind == ProgramConstant::Kind::Tensor;
    if ((!isTensor && constant.kind != ProgramConstant::Kind::Shape) || constant.shape.size() > kRank) return {};
    Value out;
    out.kind = isTensor ? Value::Kind::Tensor : Value::Kind::Shape;
    out.shape.emplace();
    for (const int64_t extent : constant.shape) out.shape->push_back(numberDimension(extent));
    return out;
  }
  Value valueAt(const ProgramStep& step, std::size_t index) const {
    return index < step.arguments.size() ? valueOf(step.arguments[index]) : Value();
  }
  static std::optional<int64_t> integerAt(const ProgramStep& step, std::size_t index) {
    if (index >= step.arguments.size() || step.arguments[index].kind != ProgramOperand::Kind::Integer)
      return std::nullopt;
    return step.arguments[index].value;
  }
  std::optional<Shape> shapeAt(const ProgramStep& step, std::size_t index) const {
    const Value value = valueAt(step, index);
    return value.kind == Value::Kind::Shape ? value.shape : std::nullopt;
  }
  /// The shape of a tensor, as far as it is known.
  std::optional<Shape> shapeOf(const Value& value) const {
    if (value.shape || value.kind != Value::Kind::Slot) return value.shape;
    const Parameter& known = m_slots[value.slot].known;
    return known.kind == Parameter::Kind::Tensor && known.rankKnown ? std::optional(known.shape) : std::nullopt;
  }

  // --- Parameters. ---

  uint32_t addSlot(Parameter known, std::string title, int depth) {
    const auto number = static_cast<uint32_t>(m_slots.size());
    for (const Dimension& dimension : known.shape)
      if (dimension.isVariable()) m_names.insert(dimension.text);
    std::vector<Parameter> items = std::move(known.items);
    known.items.clear();
    Slot& slot = m_slots.emplace_back();
    slot.title = std::move(title);
    slot.depth = depth;
    slot.known = std::move(known);
    for (std::size_t i = 0; i < items.size(); ++i) addItem(number, static_cast<int64_t>(i), std::move(items[i]));
    return number;
  }
  uint32_t addItem(uint32_t tuple, int64_t index, Parameter known) {
    const std::string title = "item " + std::to_string(index) + " of " + m_slots[tuple].title;
    const uint32_t item = addSlot(std::move(known), title, m_slots[tuple].depth + 1);
    Slot& owner = m_slots[tuple];
    owner.itemNumbers[index] = item;
    owner.items.emplace_back(index, item);
    owner.itemCount = std::max(owner.itemCount, index + 1);
    return item;
  }

  /// The slot of an item; nothing for a parameter that is not a tuple.
  std::optional<uint32_t> itemOf(uint32_t tuple, int64_t index) {
    Slot& owner = m_slots[tuple];
    if (const auto found = owner.itemNumbers.find(index); found != owner.itemNumbers.end()) return found->second;
    if (owner.known.kind == Parameter::Kind::Unknown) {
      owner.grows = true;
      owner.known.kind = Parameter::Kind::Tuple;
    }
    if (!owner.grows || index < 0 || owner.depth >= kTupleDepth) return std::nullopt;
    const auto more = static_cast<uint64_t>(std::max<int64_t>(index - owner.itemCount, 0)) + 1;
    if (more > m_itemsLeft) return std::nullopt;
    m_itemsLeft -= more;
    return addItem(tuple, index, {});
  }

  Parameter parameterOf(uint32_t number) const {
    constexpr std::size_t kText = 120;
    const Slot& slot = m_slots[number];
    Parameter out = slot.known;
    out.items.resize(static_cast<std::size_t>(slot.itemCount));
    for (const auto& [index, item] : slot.items) out.items[static_cast<std::size_t>(index)] = parameterOf(item);
    if (!slot.grows) return out;
    // As texts state it.
    out.dtype = "R.Tuple(";
    for (std::size_t i = 0; i < out.items.size() && out.dtype.size() <= kText; ++i)
      out.dtype += (i > 0 ? ", " : "") + out.items[i].text();
    out.dtype = shortened(out.dtype + ")", kText);
    return out;
  }
  /// Of a tuple, what is known about its first item whose type comes from a function.
  ParameterUse useOf(uint32_t number) const {
    ParameterUse out = m_slots[number].use;
    out.open = m_slots[number].grows;
    for (const auto& [index, item] : m_slots[number].items) {
      if (out.statedBy.empty()) out.statedBy = m_slots[item].use.statedBy;
      for (const std::string& function : m_slots[item].use.unclear) addUnclear(out, function);
    }
    return out;
  }
  static void addUnclear(ParameterUse& use, const std::string& function) {
    if (use.unclear.size() < kUnclear && std::ranges::find(use.unclear, function) == use.unclear.end())
      use.unclear.push_back(function);
  }

  /// What a function says about its parameter becomes known of a value that is passed to it. `shape`: with names of
  /// this function; nothing: not known.
  void give(const Value& value, const Parameter& parameter, std::optional<Shape> shape, const std::string& function) {
    if (value.kind != Value::Kind::Slot || parameter.kind != Parameter::Kind::Tensor) return;
    Slot& slot = m_slots[value.slot];
    Parameter& known = slot.known;
    if (known.complete()) return compare(slot, value, parameter, shape, function);
    if (known.kind == Parameter::Kind::Tuple) return;
    const bool isComplete = parameter.complete();
    if (!isComplete) addUnclear(slot.use, function);
    if (isComplete && !shape) return; // an expression of variables
    if (!isComplete && known.kind == Parameter::Kind::Tensor) return;
    if (value.shape && (!isComplete || !isKnown(*value.shape))) return;
    Parameter made = parameter;
    made.name = known.name;
    made.items.clear();
    made.shape = value.shape ? *value.shape : shape.value_or(Shape());
    if (known.deviceType) made.deviceType = known.deviceType;
    if (known.kind == Parameter::Kind::Tensor && !known.dtype.empty()) made.dtype = known.dtype;
    if (!value.shape && known.rankKnown && known.shape.size() == made.shape.size())
      for (std::size_t i = 0; i < made.shape.size(); ++i)
        if (!known.shape[i].text.empty()) made.shape[i] = known.shape[i];
    known = std::move(made);
    slot.use.reshaped = value.shape.has_value();
    slot.use.statedBy = function;
  }

  static bool isKnown(const Shape& shape) {
    return std::ranges::none_of(shape, [](const Dimension& dimension) { return dimension.text.empty(); });
  }

  /// Notes when a function takes another type than what is known.
  void compare(Slot& slot, const Value& value, const Parameter& parameter, const std::optional<Shape>& shape,
               const std::string& function) {
    const Parameter& known = slot.known;
    if (slot.differs || known.kind != Parameter::Kind::Tensor || slot.use.reshaped || value.shape) return;
    bool differs = !parameter.dtype.empty() && parameter.dtype != known.dtype;
    if (shape) {
      differs = differs || shape->size() != known.shape.size();
      for (std::size_t i = 0; !differs && i < shape->size(); ++i)
        differs = (*shape)[i].value && known.shape[i].value && *(*shape)[i].value != *known.shape[i].value;
    }
    if (!differs) return;
    slot.differs = true;
    if (m_notes.size() >= kNotes) return;
    Parameter other = parameter;
    if (shape) other.shape = *shape;
    m_notes.push_back(slot.title + ": " +
                      (slot.use.statedBy.empty() ? "the model states" : "'" + nameText(slot.use.statedBy) + "' takes") +
                      " " + escapedWithin(known.text(), 200) + ", but '" + nameText(function) + "' takes " +
                      escapedWithin(other.text(), 200) + "; the first is used");
  }
  static std::string nameText(std::string_view name) { return escapedWithin(name, 100); }

  // --- Calls. ---

  Result<Value> valueOfCall(const ProgramStep& step) {
    const ProgramCallee& callee = calleeOf(step);
    switch (callee.kind) {
    case ProgramCallee::Kind::Host:
      BLOBSCOPE_CHECK(passToHost(m_hosts[step.callee], callee.name, step.arguments, {}));
      return Value();
    case ProgramCallee::Kind::Function:
      BLOBSCOPE_CHECK(passToFunction(callee.function, step.arguments));
      return Value();
    case ProgramCallee::Kind::Builtin: break;
    }
    return valueOfBuiltin(callee.name, step);
  }

  Result<Value> valueOfBuiltin(std::string_view name, const ProgramStep& step) {
    const std::span<const ProgramOperand> arguments = step.arguments;
    if (name == "move" || name == "tensor.copy" || name == "vm.builtin.copy" || name == "vm.builtin.to_device" ||
        name == "vm.builtin.ensure_zero_offset")
      return valueAt(step, 0);
    if (name == "tuple.make" || name == "vm.builtin.make_tuple") {
      Value out;
      out.kind = Value::Kind::Tuple;
      out.tuple = &step;
      return out;
    }
    if (name == "tuple.get" || name == "vm.builtin.tuple_getitem") return item(valueAt(step, 0), integerAt(step, 1));
    if (name == "tensor.reshape" || name == "vm.builtin.reshape") {
      Value value = valueAt(step, 0);
      value.shape = shapeAt(step, 1);
      if (value.kind == Value::Kind::Slot && value.shape) return value;
      return tensorOf(value.shape);
    }
    if (name == "tensor.make" || name == "vm.builtin.alloc_tensor") return tensorOf(shapeAt(step, 2));
    if (name == "vm.builtin.alloc_shape_heap") {
      // The compiler makes one heap per function.
      m_heapKnown = !std::exchange(m_hasHeap, true);
      Value out;
      out.kind = Value::Kind::Heap;
      return out;
    }
    if (name == "vm.builtin.match_shape") matchShape(step);
    if (name == "vm.builtin.make_shape") return madeShape(step);
    if (name == "vm.builtin.shape_of") {
      Value out;
      out.shape = shapeOf(valueAt(step, 0));
      if (out.shape) out.kind = Value::Kind::Shape;
      return out;
    }
    if (name == "vm.builtin.call_tir_dyn" && arguments.size() >= 2) {
      const ProgramOperand& called = arguments.front();
      if (called.kind != ProgramOperand::Kind::Callee) return Value();
      const auto number = static_cast<std::size_t>(called.value);
      const ProgramCallee& callee = m_program.callees[number];
      if (callee.kind == ProgramCallee::Kind::Host)
        BLOBSCOPE_CHECK(passToHost(m_hosts[number], callee.name, arguments.subspan(1, arguments.size() - 2),
                                   shapeAt(step, arguments.size() - 1)));
    }
    if (name == "vm.builtin.invoke_closure" && arguments.size() >= 2 &&
        arguments[1].kind == ProgramOperand::Kind::Function)
      BLOBSCOPE_CHECK(passToFunction(static_cast<uint32_t>(arguments[1].value), arguments.subspan(2)));
    return Value();
  }

  static Value tensorOf(std::optional<Shape> shape) {
    Value out;
    if (!shape) return out;
    out.kind = Value::Kind::Tensor;
    out.shape = std::move(shape);
    return out;
  }

  Value item(const Value& tuple, std::optional<int64_t> index) {
    if (!index) return {};
    if (tuple.kind == Value::Kind::Slot && !tuple.shape) {
      Value out;
      if (const auto slot = itemOf(tuple.slot, *index)) {
        out.kind = Value::Kind::Slot;
        out.slot = *slot;
      }
      return out;
    }
    const auto items = itemsOf(tuple);
    return *index >= 0 && static_cast<uint64_t>(*index) < items.size()
               ? valueOf(items[static_cast<std::size_t>(*index)])
               : Value();
  }
  /// The items of a tuple that the function made; "tuple.make" has the tag before them.
  std::span<const ProgramOperand> itemsOf(const Value& value) const {
    if (value.kind != Value::Kind::Tuple) return {};
    const std::span<const ProgramOperand> all = value.tuple->arguments;
    return calleeOf(*value.tuple).name == "tuple.make" && !all.empty() ? all.subspan(1) : all;
  }

  // --- The heap of extents: core/formats/vm-executables.md 4. ---

  void matchShape(const ProgramStep& step) {
    const auto rank = integerAt(step, 2);
    const std::optional<Shape> shape = shapeOf(valueAt(step, 0));
    if (valueAt(step, 1).kind != Value::Kind::Heap || !shape || rank != static_cast<int64_t>(shape->size())) return;
    for (std::size_t i = 0; i < shape->size(); ++i) {
      const auto code = integerAt(step, 3 + 2 * i), number = integerAt(step, 4 + 2 * i);
      if (code == 1 && number && !(*shape)[i].text.empty()) m_heap.try_emplace(*number, (*shape)[i]);
    }
  }
  Value madeShape(const ProgramStep& step) const {
    const auto rank = integerAt(step, 1);
    Value out;
    if (!m_heapKnown || !rank || *rank < 0 || *rank > static_cast<int64_t>(kRank)) return out;
    out.kind = Value::Kind::Shape;
    out.shape.emplace();
    for (std::size_t i = 0; i < static_cast<std::size_t>(*rank); ++i) {
      const auto code = integerAt(step, 2 + 2 * i), number = integerAt(step, 3 + 2 * i);
      Dimension extent;
      if (code == 0 && number) extent = numberDimension(*number);
      if (code == 1 && number)
        if (const auto found = m_heap.find(*number); found != m_heap.end()) extent = found->second;
      out.shape->push_back(std::move(extent));
    }
    return out;
  }

  // --- Passing. ---

  bool isTupleSlot(const Value& value) const {
    return value.kind == Value::Kind::Slot && m_slots[value.slot].known.kind == Parameter::Kind::Tuple;
  }

  /// `extents`: integers that are passed after the arguments.
  Result<Done> passToHost(const host::Signature* signature, const std::string& name,
                          std::span<const ProgramOperand> arguments, const std::optional<Shape>& extents) {
    if (!signature) return Done{};
    const std::size_t wanted = signature->parameters.size(), last = extents ? extents->size() : 0;
    // The machine passes tuples item by item, so a tuple of unknown size makes the positions unknown.
    std::size_t count = last;
    for (const ProgramOperand& argument : arguments) {
      const Value value = valueOf(argument);
      if (value.kind == Value::Kind::Slot && m_slots[value.slot].grows) return Done{};
      count += isTupleSlot(value)                 ? m_slots[value.slot].items.size()
               : value.kind == Value::Kind::Tuple ? itemsOf(value).size()
                                                  : 1;
      if (count > wanted) return Done{};
    }
    if (count != wanted) return Done{};
    BLOBSCOPE_CHECK(m_poll.step(count));
    std::vector<Value> values;
    for (const ProgramOperand& argument : arguments) {
      Value value = valueOf(argument);
      if (value.kind == Value::Kind::Tuple)
        for (const ProgramOperand& one : itemsOf(value)) values.push_back(valueOf(one));
      else if (isTupleSlot(value))
        for (std::size_t i = 0; i < m_slots[value.slot].items.size(); ++i)
          values.push_back(item(value, static_cast<int64_t>(i)));
      else
        values.push_back(std::move(value));
    }
    Names names;
    for (std::size_t i = 0; i < last; ++i)
      if (const Parameter& parameter = signature->parameters[values.size() + i];
          parameter.kind == Parameter::Kind::Integer && !(*extents)[i].text.empty())
        names.try_emplace(parameter.name, (*extents)[i]);
    pass(values, signature->parameters, names, name);
    return Done{};
  }

  Result<Done> passToFunction(uint32_t function, std::span<const ProgramOperand> arguments) {
    if (function >= m_program.functions.size() || m_program.functions[function].parameters != arguments.size())
      return Done{};
    BLOBSCOPE_TRY(types, m_callee(function));
    if (!types) return Done{};
    std::vector<Value> values;
    std::vector<Parameter> parameters;
    const auto add = [&](const auto& self, const Value& value, const Parameter& parameter) -> Result<Done> {
      if (parameter.kind != Parameter::Kind::Tuple) {
        values.push_back(value);
        parameters.push_back(parameter);
        return Done{};
      }
      BLOBSCOPE_CHECK(m_poll.step(parameter.items.size()));
      for (std::size_t i = 0; i < parameter.items.size(); ++i)
        BLOBSCOPE_CHECK(self(self, item(value, static_cast<int64_t>(i)), parameter.items[i]));
      return Done{};
    };
    for (std::size_t i = 0; i < arguments.size(); ++i)
      BLOBSCOPE_CHECK(add(add, valueOf(arguments[i]), types->parameters[i]));
    Names names;
    const std::string& name = m_program.functions[function].name;
    pass(values, parameters, names, name);
    return Done{};
  }

  using Names = std::unordered_map<std::string, Dimension>; ///< variables of the callee → dimensions of this function

  void pass(const std::vector<Value>& values, const std::vector<Parameter>& parameters, Names& names,
            const std::string& function) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Parameter& parameter = parameters[i];
      if (parameter.kind != Parameter::Kind::Tensor || !parameter.rankKnown) continue;
      const std::optional<Shape> shape = shapeOf(values[i]);
      if (!shape || shape->size() != parameter.shape.size()) continue;
      for (std::size_t d = 0; d < shape->size(); ++d)
        if (parameter.shape[d].isVariable() && !(*shape)[d].text.empty())
          names.try_emplace(parameter.shape[d].text, (*shape)[d]);
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].kind == Value::Kind::Slot) give(values[i], parameters[i], renamed(parameters[i], names), function);
  }

  /// The shape with names of this function; nothing when it has an expression.
  std::optional<Shape> renamed(const Parameter& parameter, Names& names) {
    Shape out;
    for (const Dimension& dimension : parameter.shape) {
      if (dimension.value || dimension.text.empty()) {
        out.push_back(dimension);
        continue;
      }
      if (!dimension.isVariable()) return std::nullopt;
      auto found = names.find(dimension.text);
      if (found == names.end()) found = names.try_emplace(dimension.text, Dimension{{}, newName(dimension.text)}).first;
      out.push_back(found->second);
    }
    return out;
  }

  /// Variables with the same name in two calls need not be equal.
  std::string newName(const std::string& name) {
    std::string out = name;
    // Goes on after the last number, so that many calls do not take quadratic time.
    for (uint64_t& last = m_lastNumber[name]; !m_names.insert(out).second;) out = name + "_" + std::to_string(++last);
    return out;
  }

  const Program& m_program;
  const ProgramFunction& m_function;
  const std::vector<const host::Signature*>& m_hosts;
  const Callee& m_callee;
  Poll& m_poll;
  std::vector<Slot> m_slots;
  std::vector<uint32_t> m_roots; ///< by parameter
  std::unordered_map<int64_t, uint64_t> m_writes;
  std::unordered_map<int64_t, Value> m_values;
  std::unordered_map<int64_t, Dimension> m_heap;
  bool m_hasHeap = false, m_heapKnown = false;
  uint64_t m_itemsLeft = 0;
  std::unordered_set<std::string> m_names; ///< of dimensions
  std::unordered_map<std::string, uint64_t> m_lastNumber;
  std::vector<std::string> m_notes;
};

class Completer {
public:
  Completer(Model& model, const std::vector<const host::Signature*>& hosts, Monitor& monitor)
      : m_model(model), m_hosts(hosts), m_poll(monitor), m_types(model.program.functions.size()) {}

  Result<Done> run() {
    for (const Entry& entry : m_model.entries) m_stated.try_emplace(entry.function, &entry.signature);
    for (Entry& entry : m_model.entries) {
      BLOBSCOPE_TRY(types, typesOf(entry.function));
      if (types) apply(*types, entry);
    }
    return Done{};
  }

private:
  /// Null for a function that calls itself, and below too many calls.
  Result<const FunctionTypes*> typesOf(uint32_t number) {
    FunctionTypes& known = m_types[number];
    if (known.state == FunctionTypes::State::Done) return &known;
    if (known.state == FunctionTypes::State::Open || m_depth == kDepth) return nullptr;
    known.state = FunctionTypes::State::Open;
    ++m_depth;
    const FunctionReader::Callee callee = [this](uint32_t function) { return typesOf(function); };
    FunctionReader reader(m_model.program, m_model.program.functions[number], m_hosts, callee, m_poll);
    const auto stated = m_stated.find(number);
    BLOBSCOPE_TRY(types, reader.read(stated == m_stated.end() ? std::vector<Parameter>() : stated->second->parameters));
    --m_depth;
    m_types[number] = std::move(types);
    return &m_types[number];
  }

  void apply(const FunctionTypes& types, Entry& entry) const {
    host::Signature& signature = entry.signature;
    entry.notes = types.notes;
    entry.uses = types.uses;
    // The registers of a compiled function are read by machine code.
    if (!m_model.program.functions[entry.function].compiled.empty())
      for (ParameterUse& use : entry.uses) use.used = true;
    for (std::size_t i = 0; i < signature.parameters.size() && i < types.parameters.size(); ++i) {
      host::Parameter& parameter = signature.parameters[i];
      if (parameter.complete()) continue;
      const std::string name = parameter.name;
      parameter = types.parameters[i];
      parameter.name = name;
      if (signature.source == host::Signature::Source::None && parameter.kind != Parameter::Kind::Unknown)
        signature.source = host::Signature::Source::Bytecode;
    }
    signature.collectVariables();
  }

  Model& m_model;
  const std::vector<const host::Signature*>& m_hosts;
  Poll m_poll;
  std::vector<FunctionTypes> m_types;                            ///< by function; never resized
  std::unordered_map<uint32_t, const host::Signature*> m_stated; ///< by function
  int m_depth = 0;
};

} // namespace

Result<Done> completeSignatures(Model& model, const std::vector<const host::Signature*>& hosts, Monitor& monitor) {
  return Completer(model, hosts, monitor).run();
}

} // namespace blobscope::program
