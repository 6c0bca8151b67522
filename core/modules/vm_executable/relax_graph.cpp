#include "core/modules/vm_executable/relax_graph.h"

#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/modules/common/operator_name.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

namespace blobscope::modules::relax {
namespace {

using view::GraphPage;
using Node = GraphPage::Node;
using Kind = Argument::Kind;

constexpr int64_t kGraphStep = 4096; // instructions between two checks of the monitor
/// The sources of one value, such as a tuple; the others are left out.
constexpr std::size_t kMostSources = 256;
constexpr std::string_view kBuiltin = "vm.builtin.";

/// What a register holds.
struct Value {
  std::vector<uint32_t> sources; ///< nodes that made it; empty for memory that nothing was written to
  std::string shape;             ///< "1×4096"; empty when it is not known
  std::optional<uint64_t> bytes;
  bool isMemory = false; ///< a tensor in new memory
  /// Of a parameter, or an item of one: its node is made when something reads it.
  std::string name = {};
  bool isItem = false;
};

/// What a built-in function does to the data flow.
enum class Effect : uint8_t { Operator, None, Alias, Tensor, Shape, Item, Tuple, DynamicCall };

struct Builtin {
  std::string_view name;
  Effect effect;
};
/// Source: core/formats/vm-executables.md 4. Functions that are not listed compute something.
constexpr std::array<Builtin, 22> kBuiltins = {
    {{"alloc_shape_heap", Effect::None},  {"match_shape", Effect::None},
     {"match_prim_value", Effect::None},  {"make_prim_value", Effect::None},
     {"check_tensor_info", Effect::None}, {"check_shape_info", Effect::None},
     {"check_tuple_info", Effect::None},  {"check_prim_value_info", Effect::None},
     {"check_func_info", Effect::None},   {"alloc_storage", Effect::None},
     {"null_value", Effect::None},        {"kill_object", Effect::None},
     {"shape_of", Effect::None},          {"tensor_to_shape", Effect::None},
     {"read_if_cond", Effect::None},      {"copy", Effect::Alias},
     {"to_device", Effect::Alias},        {"make_shape", Effect::Shape},
     {"alloc_tensor", Effect::Tensor},    {"tuple_getitem", Effect::Item},
     {"make_tuple", Effect::Tuple},       {"call_tir_dyn", Effect::DynamicCall}}};

Effect effectOf(std::string_view name) {
  if (!name.starts_with(kBuiltin)) return Effect::Operator;
  name.remove_prefix(kBuiltin.size());
  const auto* const found = std::ranges::find(kBuiltins, name, &Builtin::name);
  return found == kBuiltins.end() ? Effect::Operator : found->effect;
}

class FunctionGraph {
public:
  FunctionGraph(const Executable& vm, const Function& function, Monitor& monitor)
      : m_vm(vm), m_function(function), m_monitor(monitor) {
    m_page.unit = "nodes";
    m_page.bytesOf = "output";
  }

  Result<GraphPage> make() {
    addParameters();
    const auto count = static_cast<int64_t>(m_vm.instructionCount());
    const bool ranged = m_function.start >= 0 && m_function.end <= count && m_function.start <= m_function.end;
    for (int64_t at = m_function.start; ranged && at < m_function.end; ++at) {
      if (at % kGraphStep == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading instructions", static_cast<uint64_t>(at - m_function.start),
                           static_cast<uint64_t>(m_function.end - m_function.start));
      }
      const Instruction instruction = instructionAt(m_vm, static_cast<uint64_t>(at));
      if (instruction.op == Instruction::Op::Call) call(instruction);
      if (instruction.op == Instruction::Op::Ret) result(instruction.result);
    }
    return std::move(m_page);
  }

private:
  Argument argument(const Instruction& instruction, uint64_t index) const {
    int64_t word = 0;
    if (8 * index + 8 <= instruction.arguments.size())
      std::memcpy(&word, instruction.arguments.data() + 8 * index, sizeof word);
    return argumentOf(word);
  }
  uint64_t count(const Instruction& instruction) const { return instruction.arguments.size() / 8; }
  const Function* functionAt(int64_t number) const {
    const bool exists = number >= 0 && static_cast<uint64_t>(number) < m_vm.functions.size();
    return exists ? &m_vm.functions[static_cast<std::size_t>(number)] : nullptr;
  }
  const Constant* constantAt(int64_t number) const {
    const bool exists = number >= 0 && static_cast<uint64_t>(number) < m_vm.constants.size();
    return exists ? &m_vm.constants[static_cast<std::size_t>(number)] : nullptr;
  }

  /// Nothing above the limit.
  std::optional<uint32_t> add(Node node) {
    if (m_page.nodes.size() >= GraphPage::kNodes) {
      ++m_page.omitted;
      return std::nullopt;
    }
    m_page.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(m_page.nodes.size() - 1);
  }
  void connect(const std::vector<uint32_t>& sources, uint32_t to) {
    for (const uint32_t from : sources)
      if (from != to && m_page.edges.size() < GraphPage::kEdges) m_page.edges.push_back({from, to, {}});
  }
  static Node valueNode(std::string title, GraphPage::Kind kind) {
    Node node;
    node.title = node.name = std::move(title);
    node.kind = kind;
    node.group = kind == GraphPage::Kind::Constant ? "Parameters" : "Input, output";
    return node;
  }

  void addParameters() {
    for (std::size_t i = 0; i < m_function.parameters.size(); ++i)
      m_registers[static_cast<int64_t>(i)].name = escaped(m_function.parameters[i].view());
  }
  std::vector<uint32_t> sourcesOf(int64_t number) {
    const auto at = m_registers.find(number);
    if (at == m_registers.end()) return {};
    Value& value = at->second;
    if (value.sources.empty() && !value.name.empty())
      if (const auto node =
              add(valueNode(value.name, value.isItem ? GraphPage::Kind::Constant : GraphPage::Kind::Input)))
        value.sources = {*node};
    return value.sources;
  }
  std::vector<uint32_t> constantNode(int64_t number) {
    const Constant* const constant = constantAt(number);
    if (!constant || constant->kind != ConstantKind::Tensor) return {};
    const auto [at, isNew] = m_constants.try_emplace(number, 0);
    if (isNew) {
      Node node = valueNode("constant " + std::to_string(number), GraphPage::Kind::Constant);
      node.note = shapeTitle(constant->tensor->shapeText());
      node.bytes = constant->tensor->data.size();
      node.part = Ref::Part{PartKind::Const, std::to_string(number)};
      const auto made = add(std::move(node));
      if (!made) {
        m_constants.erase(at);
        return {};
      }
      at->second = *made;
    }
    return {at->second};
  }

  /// The shape of an argument as text, and its elements where all extents are known.
  void readShape(const Argument& argument, Value& value) const {
    if (argument.kind == Kind::Register) {
      const auto at = m_registers.find(argument.value);
      if (at != m_registers.end()) value.shape = at->second.shape;
      return;
    }
    const Constant* const constant = argument.kind == Kind::Constant ? constantAt(argument.value) : nullptr;
    if (!constant || constant->kind != ConstantKind::Shape) return;
    value.shape = shapeTitle(constant->valueText());
    std::optional<uint64_t> elements = 1;
    for (uint64_t i = 0; i < constant->content.size() / 8 && elements; ++i) {
      int64_t extent = 0;
      std::memcpy(&extent, constant->content.data() + 8 * i, sizeof extent);
      elements = extent >= 0 ? checkedMultiply(*elements, static_cast<uint64_t>(extent)) : std::nullopt;
    }
    value.bytes = elements;
  }
  Value tensorIn(const Instruction& instruction) const {
    Value value;
    value.isMemory = true;
    readShape(argument(instruction, 2), value);
    const Argument type = argument(instruction, 3);
    const Constant* const constant = type.kind == Kind::Constant ? constantAt(type.value) : nullptr;
    if (!constant || constant->kind != ConstantKind::DataType) {
      value.bytes.reset();
      return value;
    }
    // DLPack's type: code, bits, lanes.
    const uint64_t bits = uint64_t{constant->dtype >> 8 & 0xff} * (constant->dtype >> 16);
    if (value.bytes) value.bytes = checkedMultiply(*value.bytes, (bits + 7) / 8);
    return value;
  }
  Value shapeValue(const Instruction& instruction) const {
    Value value;
    const uint64_t rank = (count(instruction) - std::min<uint64_t>(count(instruction), 2)) / 2;
    for (uint64_t i = 0; i < std::min<uint64_t>(rank, 16); ++i) {
      const Argument code = argument(instruction, 2 + 2 * i), number = argument(instruction, 3 + 2 * i);
      // Code 1 is an entry of the heap, which has no name in the bytecode.
      value.shape += (i > 0 ? "×" : "") + (code.value == 0 ? std::to_string(number.value) : std::string("?"));
    }
    return value;
  }

  void call(const Instruction& instruction) {
    const Function* function = functionAt(instruction.function);
    const std::string_view name = function ? function->name.view() : std::string_view("unknown function");
    switch (effectOf(name)) {
    case Effect::None: return set(instruction.result, {});
    case Effect::Alias: {
      const Argument from = argument(instruction, 0);
      if (from.kind == Kind::Constant) {
        Value value;
        value.sources = constantNode(from.value);
        return set(instruction.result, std::move(value));
      }
      sourcesOf(from.value);
      const auto at = m_registers.find(from.value);
      return set(instruction.result, at == m_registers.end() ? Value{} : at->second);
    }
    case Effect::Tensor: return set(instruction.result, tensorIn(instruction));
    case Effect::Shape: return set(instruction.result, shapeValue(instruction));
    case Effect::Item: return item(instruction);
    case Effect::Tuple: {
      Value value;
      for (uint64_t i = 0; i < count(instruction) && value.sources.size() < kMostSources; ++i)
        addSources(argument(instruction, i), value.sources);
      return set(instruction.result, std::move(value));
    }
    case Effect::DynamicCall: {
      const Argument callee = argument(instruction, 0);
      const Function* const called = callee.kind == Kind::Function ? functionAt(callee.value) : nullptr;
      return operation(instruction, called ? called : function, 1);
    }
    case Effect::Operator: return operation(instruction, function, 0);
    }
  }

  /// An item of a tuple: of a parameter, where models keep their weights, it is a value of its own.
  void item(const Instruction& instruction) {
    const Argument tuple = argument(instruction, 0), index = argument(instruction, 1);
    const auto at = m_registers.find(tuple.value);
    if (tuple.kind == Kind::Register && at != m_registers.end() && !at->second.name.empty() && !at->second.isItem) {
      Value value;
      value.name = at->second.name + "[" + std::to_string(index.value) + "]";
      value.isItem = true;
      return set(instruction.result, std::move(value));
    }
    Value value;
    addSources(tuple, value.sources);
    set(instruction.result, std::move(value));
  }

  void addSources(const Argument& argument, std::vector<uint32_t>& out) {
    const std::vector<uint32_t> sources = argument.kind == Kind::Register   ? sourcesOf(argument.value)
                                          : argument.kind == Kind::Constant ? constantNode(argument.value)
                                                                            : std::vector<uint32_t>();
    for (const uint32_t source : sources)
      if (out.size() < kMostSources && std::ranges::find(out, source) == out.end()) out.push_back(source);
  }

  /// A call that computes something. Its outputs are the tensors in new memory, and what it returns.
  void operation(const Instruction& instruction, const Function* function, uint64_t first) {
    Node node;
    node.name = function ? escaped(function->name.view()) : "unknown function";
    const OperatorName name = operatorName(node.name);
    node.title = name.title;
    node.group = name.group;
    if (function && function->kind != Function::kPacked) {
      node.kind = GraphPage::Kind::Function;
      node.group = "Functions";
      node.part = Ref::Part{PartKind::Function, std::string(function->name.view())};
    } else if (function && !function->name.view().starts_with(kBuiltin)) {
      node.calls = function->name.view();
    }
    std::vector<uint32_t> sources;
    std::vector<int64_t> outputs;
    for (uint64_t i = first; i < count(instruction); ++i) {
      const Argument one = argument(instruction, i);
      const auto at = one.kind == Kind::Register ? m_registers.find(one.value) : m_registers.end();
      if (at != m_registers.end() && at->second.isMemory && at->second.sources.empty())
        outputs.push_back(one.value);
      else
        addSources(one, sources);
    }
    if (!outputs.empty()) {
      const Value& value = m_registers[outputs.back()];
      node.note = value.shape;
      node.bytes = value.bytes;
    }
    const auto made = add(std::move(node));
    if (!made) return;
    connect(sources, *made);
    for (const int64_t output : outputs) m_registers[output].sources = {*made};
    Value value;
    value.sources = {*made};
    set(instruction.result, std::move(value));
  }

  void result(int64_t number) {
    const std::vector<uint32_t> sources = sourcesOf(number);
    if (sources.empty()) return;
    if (const auto made = add(valueNode("result", GraphPage::Kind::Input))) connect(sources, *made);
  }

  void set(int64_t number, Value value) {
    if (number != kVoidRegister && number != kVmRegister) m_registers[number] = std::move(value);
  }

  const Executable& m_vm;
  const Function& m_function;
  Monitor& m_monitor;
  GraphPage m_page;
  std::unordered_map<int64_t, Value> m_registers;
  std::unordered_map<int64_t, uint32_t> m_constants; ///< nodes of constants
};

} // namespace

Result<GraphPage> dataFlowOf(const Executable& executable, const Function& function, Monitor& monitor) {
  return FunctionGraph(executable, function, monitor).make();
}

} // namespace blobscope::modules::relax
