#include "core/program/graph.h"

#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/mlf/graph.h"
#include "core/modules/executor_factory.h"
#include "core/payloads/tensor/tensor.h"
#include "core/program/parameters.h"
#include "core/protocol/element_code.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::program {
namespace {

using protocol::DataType;
using protocol::ProgramCallee;
using protocol::ProgramConstant;
using protocol::ProgramOperand;
using protocol::ProgramStep;

/// A parsed text takes about 20 times its size in memory. The largest real graph seen has 60 KB.
constexpr uint64_t kGraphBytes = 64u << 20;
/// Dimensions of a tensor, as in the interpreter.
constexpr std::size_t kRank = 64;
/// Elements of tensors begin at a multiple of this; see Model::tensors.
constexpr uint64_t kAlignment = 64;
/// DLPack's number of the processor.
constexpr uint64_t kCpu = 1;
constexpr std::size_t kName = 120;

Error refused(std::string reason) { return Error(DiagnosticId::RunProgram, {{"reason", std::move(reason)}}); }
Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }
std::string nameText(std::string_view name) { return "'" + escapedWithin(name, kName) + "'"; }

/// Places in which the interpreter can make a tensor; the numbers that its functions take.
enum class Place : uint8_t { Main = 0, Host = 1 };

struct TensorInfo {
  DataType type;
  std::vector<int64_t> shape;
  uint64_t bytes = 0; ///< with whole bytes for each element; at most INT64_MAX
  Place place = Place::Main;

  bool isSame(const TensorInfo& other) const { return type == other.type && bytes == other.bytes; }
};

/// What the interpreter can hold: TVM's types without codes whose numbering changed (core/formats/blob.md 5.1).
Result<DataType> dataTypeOf(const mlf::ElementType& type, std::string_view where) {
  const uint64_t bits = type.bits * type.lanes;
  const bool truth = type.code == 1 && type.bits == 1 && type.lanes == 1;
  const bool number = type.code <= 2 || type.code == 4;
  if (!number || bits == 0 || (bits % 8 != 0 && !truth))
    return refused(std::string(where) + " has a type that test runs do not support");
  return DataType{type.code, static_cast<uint8_t>(type.bits), static_cast<uint16_t>(type.lanes)};
}

Result<TensorInfo> tensorInfo(const mlf::ElementType& type, std::span<const uint64_t> shape, std::string_view where) {
  TensorInfo out;
  BLOBSCOPE_TRY(dataType, dataTypeOf(type, where));
  out.type = dataType;
  if (shape.size() > kRank)
    return refused(std::string(where) + " has " + std::to_string(shape.size()) + " dimensions, more than " +
                   std::to_string(kRank));
  for (const uint64_t extent : shape) {
    if (extent > INT64_MAX) return refused(std::string(where) + " has the shape " + mlf::listText(shape));
    out.shape.push_back(static_cast<int64_t>(extent));
  }
  // For these types the executor counts the same, and the interpreter counts like this.
  const auto bytes = protocol::dataBytes(out.type, out.shape);
  if (!bytes) return refused(std::string(where) + " has the shape " + mlf::listText(shape) + ", which is too large");
  out.bytes = *bytes;
  return out;
}

host::Parameter parameterOf(std::string_view name, const TensorInfo& tensor) {
  host::Parameter out;
  out.name = name;
  out.kind = host::Parameter::Kind::Tensor;
  out.dtype = protocol::typeText(tensor.type);
  out.rankKnown = true;
  for (const int64_t extent : tensor.shape) out.shape.push_back({extent, std::to_string(extent)});
  return out;
}

/// Makes a model with one function. Each constant and callee occurs once.
class ModelBuilder {
public:
  ModelBuilder(std::string kind, std::string function) {
    m_model.kind = std::move(kind);
    m_model.program.functions.emplace_back().name = function;
    Entry& entry = m_model.entries.emplace_back();
    entry.name = function;
    entry.signature.function = std::move(function);
  }

  Entry& entry() { return m_model.entries.front(); }
  /// An input that has a value.
  void addValue(std::string_view name) { m_model.values.emplace_back(name); }
  static ProgramOperand integer(uint64_t value) { return {ProgramOperand::Kind::Integer, static_cast<int64_t>(value)}; }
  static ProgramOperand place(Place place) { return integer(static_cast<uint64_t>(place)); }
  ProgramOperand shape(const std::vector<int64_t>& shape) {
    const auto [at, added] = m_shapes.try_emplace(shape, m_model.program.constants.size());
    if (added) constant(ProgramConstant::Kind::Shape).shape = shape;
    return {ProgramOperand::Kind::Constant, static_cast<int64_t>(at->second)};
  }
  ProgramOperand type(DataType type) {
    const uint32_t key = type.code | uint32_t{type.bits} << 8 | uint32_t{type.lanes} << 16;
    const auto [at, added] = m_types.try_emplace(key, m_model.program.constants.size());
    if (added) constant(ProgramConstant::Kind::Type).type = type;
    return {ProgramOperand::Kind::Constant, static_cast<int64_t>(at->second)};
  }
  /// `data` must have the bytes of the tensor. Error: all tensors together are too large.
  Result<ProgramOperand> tensor(const TensorInfo& tensor, Bytes data) {
    const std::size_t number = m_model.program.constants.size();
    ProgramConstant& made = constant(ProgramConstant::Kind::Tensor);
    made.type = tensor.type;
    made.shape = tensor.shape;
    made.onHost = tensor.place == Place::Host;
    made.offset = m_dataEnd;
    const auto end = checkedAdd(m_dataEnd, data.size());
    const auto rounded = end ? checkedAdd(*end, kAlignment - 1) : std::nullopt;
    if (!rounded || *rounded > INT64_MAX) return refused("its parameters are too large");
    m_dataEnd = *rounded / kAlignment * kAlignment;
    m_model.tensors.emplace_back(static_cast<uint32_t>(number), std::move(data));
    return ProgramOperand{ProgramOperand::Kind::Constant, static_cast<int64_t>(number)};
  }

  /// The next parameter; all of them come before everything else.
  ProgramOperand parameter() {
    ++function().parameters;
    return {ProgramOperand::Kind::Register, function().registers++};
  }
  /// Returns the register with the result.
  ProgramOperand builtin(std::string_view name, std::vector<ProgramOperand> arguments, std::string_view node = {}) {
    ProgramStep& made = call(ProgramCallee::Kind::Builtin, name, std::move(arguments), node);
    made.target = function().registers++;
    return {ProgramOperand::Kind::Register, made.target};
  }
  void host(std::string_view name, std::vector<ProgramOperand> arguments, uint32_t outputs, std::string_view node) {
    call(ProgramCallee::Kind::Host, name, std::move(arguments), node).outputs = outputs;
  }
  ProgramOperand storage(uint64_t bytes, Place at) { return builtin("storage.make", {integer(bytes), place(at)}); }
  ProgramOperand tensorIn(const ProgramOperand& storage, const TensorInfo& tensor) {
    return builtin("tensor.make", {storage, integer(0), shape(tensor.shape), type(tensor.type)});
  }
  /// Ends the function with a tuple of the values, or the only one.
  void finish(const std::vector<ProgramOperand>& values) {
    ProgramOperand result;
    if (values.size() == 1) {
      // A constant needs a register, since a step returns a register.
      result = values[0].kind == ProgramOperand::Kind::Register ? values[0] : builtin("move", {values[0]});
    } else {
      std::vector<ProgramOperand> arguments = {integer(0)};
      arguments.insert(arguments.end(), values.begin(), values.end());
      result = builtin("tuple.make", std::move(arguments));
    }
    ProgramStep& step = function().steps.emplace_back();
    step.op = ProgramStep::Op::Return;
    step.target = result.value;
  }
  Model take() { return std::move(m_model); }

private:
  protocol::ProgramFunction& function() { return m_model.program.functions.front(); }
  ProgramConstant& constant(ProgramConstant::Kind kind) {
    ProgramConstant& out = m_model.program.constants.emplace_back();
    out.kind = kind;
    return out;
  }
  ProgramStep& call(ProgramCallee::Kind kind, std::string_view name, std::vector<ProgramOperand> arguments,
                    std::string_view node) {
    auto& callees = m_model.program.callees;
    const auto [at, added] = m_callees.try_emplace({kind, std::string(name)}, static_cast<uint32_t>(callees.size()));
    if (added) callees.push_back({kind, std::string(name), 0});
    ProgramStep& out = function().steps.emplace_back();
    out.op = ProgramStep::Op::Call;
    out.callee = at->second;
    out.arguments = std::move(arguments);
    out.node = node;
    return out;
  }

  Model m_model;
  std::map<std::vector<int64_t>, std::size_t> m_shapes;
  std::map<uint32_t, std::size_t> m_types;
  std::map<std::pair<ProgramCallee::Kind, std::string>, uint32_t> m_callees;
  uint64_t m_dataEnd = 0;
};

/// Whether a file that cannot name the type stores such elements: NumPy has no bfloat16 and no 8-bit floats, and
/// payloads::npyHeader() writes unsigned integers for them.
bool isStoredAs(DataType stored, DataType type) {
  if (stored == type) return true;
  return stored.code == 1 && type.code == 4 && stored.bits == type.bits && stored.lanes == 1 && type.lanes == 1;
}

std::string typeAndShape(DataType type, const std::vector<int64_t>& shape) {
  payloads::Tensor text;
  text.shape = shape;
  return protocol::typeText(type) + " " + escapedWithin(text.shapeText(), 200);
}

/// Checks that a value has the type and the number of bytes of the tensor; the executors compare the bytes only.
Result<Done> checkValue(const Parameters::Item& item, const TensorInfo& tensor) {
  if (isStoredAs(item.type, tensor.type) && item.data.size() == tensor.bytes) return Done{};
  return refused("parameter " + nameText(item.name) + " is " + typeAndShape(item.type, item.shape) + " with " +
                 sizeText(item.data.size()) + ", but the model needs " + typeAndShape(tensor.type, tensor.shape) +
                 " with " + sizeText(tensor.bytes));
}

using Values = std::unordered_map<std::string_view, const Parameters::Item*>;

class GraphTranslator {
public:
  GraphTranslator(const library::Package& package, const mlf::Graph& graph, const Values& values, Monitor& monitor)
      : m_graph(graph), m_values(values), m_monitor(monitor), m_builder("graph executor", "graph") {
    for (const host::Function& function : package.host.functions) m_hostNames.insert(function.name);
    for (const auto& blob : package.blobs)
      if (!blob->carrier.prefix.empty()) m_prefixes.insert(blob->carrier.prefix);
    const json::Value& root = graph.document->root;
    if (const auto* const list = root.find("nodes")) m_nodeTexts = list->array();
  }

  Result<Model> translate() {
    BLOBSCOPE_CHECK(readEntries());
    BLOBSCOPE_CHECK(addInputs());
    BLOBSCOPE_CHECK(addStorages());
    BLOBSCOPE_CHECK(addNodes());
    BLOBSCOPE_CHECK(addResults());
    return m_builder.take();
  }

private:
  /// An output of a node.
  struct Slot : TensorInfo {
    std::optional<ProgramOperand> value; ///< nothing before the node that makes it
    std::optional<ProgramOperand> flat;  ///< the same with one dimension
  };

  bool stop(uint64_t done) const { return done % 4096 == 0 && m_monitor.stopRequested(); }
  std::string entryText(uint64_t entry) const {
    return "node " + nameText(m_graph.nodes[m_graph.entries[entry].node].name);
  }
  Slot& slotOf(const mlf::GraphReference& reference) { return m_slots[m_graph.entryOf(reference)]; }
  /// Whether the outputs of the node are in storages.
  static bool needsStorage(const mlf::GraphNode& node) {
    return node.isOperator && !node.isNop() && node.function != "__copy";
  }

  Result<Done> readEntries();
  Result<Done> addInputs();
  Result<Done> addStorages();
  Result<Done> addNodes();
  Result<Done> addView(const mlf::GraphNode& node);
  Result<Done> addCall(const mlf::GraphNode& node, bool flatten);
  Result<Done> addResults();
  Result<Done> checkFunction(const mlf::GraphNode& node) const;
  bool isFlattened(std::size_t node) const;
  Result<ProgramOperand> flattened(Slot& slot);

  const mlf::Graph& m_graph;
  const Values& m_values;
  Monitor& m_monitor;
  ModelBuilder m_builder;
  std::unordered_set<std::string_view> m_hostNames;
  std::set<std::string, std::less<>> m_prefixes; ///< of system libraries
  const json::Value::Array* m_nodeTexts = nullptr;
  std::vector<Slot> m_slots; ///< by entry
};

/// Types, shapes and devices of all entries.
Result<Done> GraphTranslator::readEntries() {
  const json::Value* const attributes = m_graph.document->root.find("attrs");
  const json::Value* const scopes = attributes ? attributes->find("storage_scope") : nullptr;
  const json::Value::Array* const scopeList =
      scopes && scopes->items().size() == 2 ? scopes->items()[1].array() : nullptr;
  std::optional<uint64_t> device; // the only one besides the processor
  m_slots.reserve(m_graph.entries.size());
  for (std::size_t i = 0; i < m_graph.entries.size(); ++i) {
    if (stop(i)) return cancelled();
    const mlf::GraphEntry& entry = m_graph.entries[i];
    if (!entry.type || !entry.shape) return refused(entryText(i) + " has no type or shape");
    BLOBSCOPE_TRY(info, tensorInfo(*entry.type, *entry.shape, entryText(i)));
    Slot& slot = m_slots.emplace_back();
    static_cast<TensorInfo&>(slot) = std::move(info);
    if (entry.device == kCpu) {
      slot.place = Place::Host;
    } else if (entry.device) {
      if (device && *device != *entry.device)
        return refused("it uses two devices besides the processor, of the types " + std::to_string(*device) + " and " +
                       std::to_string(*entry.device));
      device = entry.device;
    }
    // Textures have another size and layout: apache/tvm src/runtime/texture.h, IsTextureStorage.
    const std::string_view scope =
        scopeList && i < scopeList->size() ? std::string_view((*scopeList)[i].text()) : std::string_view();
    if (!scope.empty() && scope != "global")
      return refused(entryText(i) + " is in memory of the scope " + nameText(scope) +
                     ", which test runs do not support");
  }
  return Done{};
}

/// Inputs become parameters of the function, those with a value become constants.
Result<Done> GraphTranslator::addInputs() {
  Entry& entry = m_builder.entry();
  entry.signature.source = host::Signature::Source::Graph;
  for (std::size_t i = 0; i < m_graph.argNodes.size(); ++i) {
    if (stop(i)) return cancelled();
    const uint64_t number = m_graph.argNodes[i];
    if (number >= m_graph.nodes.size() || !m_graph.nodes[number].isInput)
      return refused("'arg_nodes' lists node " + std::to_string(number) + ", which is not an input");
    const mlf::GraphNode& node = m_graph.nodes[number];
    Slot& slot = m_slots[node.firstEntry];
    if (slot.value) return refused("'arg_nodes' lists node " + std::to_string(number) + " twice");
    if (const auto value = m_values.find(node.name); value != m_values.end()) {
      BLOBSCOPE_CHECK(checkValue(*value->second, slot));
      m_builder.addValue(node.name);
      BLOBSCOPE_TRY(constant, m_builder.tensor(slot, value->second->data));
      slot.value = constant;
      continue;
    }
    slot.value = m_builder.parameter();
    host::Parameter& parameter = entry.signature.parameters.emplace_back(parameterOf(node.name, slot));
    if (const auto device = m_graph.entries[node.firstEntry].device; device && *device <= INT32_MAX)
      parameter.deviceType = static_cast<int>(*device);
  }
  for (const mlf::GraphNode& node : m_graph.nodes)
    if (node.isInput && !m_slots[node.firstEntry].value)
      return refused("'arg_nodes' does not list the input " + nameText(node.name));
  return Done{};
}

/// Storages by their number, then the tensors in them.
Result<Done> GraphTranslator::addStorages() {
  struct Storage {
    uint64_t bytes = 0;
    Place place = Place::Main;
    ProgramOperand value = {};
  };
  std::map<uint64_t, Storage> storages;
  for (std::size_t i = 0; i < m_slots.size(); ++i) {
    if (stop(i)) return cancelled();
    const mlf::GraphEntry& entry = m_graph.entries[i];
    if (!needsStorage(m_graph.nodes[entry.node])) continue;
    if (!entry.storage) return refused(entryText(i) + " has no storage");
    const auto [at, added] = storages.try_emplace(*entry.storage);
    if (added) at->second.place = m_slots[i].place;
    if (at->second.place != m_slots[i].place)
      return refused("storage " + std::to_string(*entry.storage) + " is on two devices");
    at->second.bytes = std::max(at->second.bytes, m_slots[i].bytes);
  }
  uint64_t total = 0;
  for (auto& [number, storage] : storages) {
    const auto sum = checkedAdd(total, storage.bytes);
    if (!sum || *sum > INT64_MAX) return refused("its storages are too large");
    total = *sum;
    storage.value = m_builder.storage(storage.bytes, storage.place);
  }
  for (std::size_t i = 0; i < m_slots.size(); ++i) {
    if (stop(i)) return cancelled();
    const mlf::GraphEntry& entry = m_graph.entries[i];
    if (needsStorage(m_graph.nodes[entry.node]))
      m_slots[i].value = m_builder.tensorIn(storages[*entry.storage].value, m_slots[i]);
  }
  return Done{};
}

Result<Done> GraphTranslator::addNodes() {
  for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
    if (stop(i)) return cancelled();
    const mlf::GraphNode& node = m_graph.nodes[i];
    if (node.isInput) continue;
    BLOBSCOPE_CHECK(needsStorage(node) ? addCall(node, isFlattened(i)) : addView(node));
  }
  return Done{};
}

/// `__nop`: the output is the memory of the input. `__copy`: the output is a copy on its device.
Result<Done> GraphTranslator::addView(const mlf::GraphNode& node) {
  const std::string where = "node " + nameText(node.name);
  if (node.inputs.size() != 1 || node.outputs != 1)
    return refused(where + " calls " + std::string(node.function) + " with " + countText(node.inputs.size(), "input") +
                   " and " + countText(node.outputs, "output"));
  const Slot& from = slotOf(node.inputs[0]);
  Slot& to = m_slots[node.firstEntry];
  if (!to.isSame(from))
    return refused(where + " makes " + typeAndShape(to.type, to.shape) + " of " + typeAndShape(from.type, from.shape));
  if (node.isNop()) {
    const mlf::GraphEntry& source = m_graph.entries[m_graph.entryOf(node.inputs[0])];
    // The executor does nothing, so that the node has a value only if both are in the same storage.
    if (source.storage != m_graph.entries[node.firstEntry].storage || to.place != from.place)
      return refused(where + " has another storage than its input");
    to.value = m_builder.builtin("tensor.reshape", {*from.value, m_builder.shape(to.shape)}, node.name);
    return Done{};
  }
  to.value = m_builder.builtin("tensor.copy", {*from.value, ModelBuilder::place(to.place)}, node.name);
  if (to.shape != from.shape)
    to.value = m_builder.builtin("tensor.reshape", {*to.value, m_builder.shape(to.shape)}, node.name);
  return Done{};
}

Result<Done> GraphTranslator::addCall(const mlf::GraphNode& node, bool flatten) {
  BLOBSCOPE_CHECK(checkFunction(node));
  std::vector<ProgramOperand> arguments;
  const auto add = [&](Slot& slot) -> Result<Done> {
    if (!flatten) {
      arguments.push_back(*slot.value);
      return Done{};
    }
    BLOBSCOPE_TRY(flat, flattened(slot));
    arguments.push_back(flat);
    return Done{};
  };
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (stop(i + 1)) return cancelled();
    BLOBSCOPE_CHECK(add(slotOf(node.inputs[i])));
  }
  for (uint64_t i = 0; i < node.outputs; ++i) {
    if (stop(i + 1)) return cancelled();
    BLOBSCOPE_CHECK(add(m_slots[node.firstEntry + i]));
  }
  m_builder.host(node.function, std::move(arguments), static_cast<uint32_t>(node.outputs), node.name);
  return Done{};
}

Result<Done> GraphTranslator::addResults() {
  std::vector<ProgramOperand> values;
  for (std::size_t i = 0; i < m_graph.heads.size(); ++i) {
    if (stop(i)) return cancelled();
    const mlf::GraphReference& head = m_graph.heads[i];
    values.push_back(*slotOf(head).value);
    std::string name(m_graph.nodes[head.node].name);
    if (head.output > 0) name += ":" + std::to_string(head.output);
    m_builder.entry().results.push_back(std::move(name));
  }
  m_builder.finish(values);
  return Done{};
}

/// Checks that the library has the function. Files without any host function are archives whose members have them.
Result<Done> GraphTranslator::checkFunction(const mlf::GraphNode& node) const {
  if (node.function.empty()) return refused("node " + nameText(node.name) + " has no 'func_name'");
  if (m_hostNames.empty() || m_hostNames.contains(node.function)) return Done{};
  for (const std::string& prefix : m_prefixes)
    if (m_hostNames.contains(prefix + std::string(node.function))) return Done{};
  return refused("the host code has no function " + nameText(node.function) + ", which node " + nameText(node.name) +
                 " calls");
}

/// Source: apache/tvm v0.12.0 src/runtime/graph_executor/graph_executor.h, LoadAttr: the text is read with strtoul.
bool GraphTranslator::isFlattened(std::size_t node) const {
  const json::Value& value = (*m_nodeTexts)[node];
  const json::Value* attributes = value.find("attrs");
  if (!attributes) attributes = value.find("attr");
  const json::Value* const flag = attributes ? attributes->find("flatten_data") : nullptr;
  return flag && std::strtoul(flag->text().c_str(), nullptr, 10) != 0;
}

Result<ProgramOperand> GraphTranslator::flattened(Slot& slot) {
  if (slot.shape.size() == 1) return *slot.value;
  if (slot.flat) return *slot.flat;
  uint64_t count = 1;
  for (const int64_t extent : slot.shape) {
    const auto product = checkedMultiply(count, static_cast<uint64_t>(extent));
    if (!product || *product > INT64_MAX) return refused("a shape is too large");
    count = *product;
  }
  slot.flat = m_builder.builtin("tensor.reshape", {*slot.value, m_builder.shape({static_cast<int64_t>(count)})});
  return *slot.flat;
}

void addValues(const Parameters& params, Values& values) {
  for (const Parameters::Item& item : params.items) values.insert_or_assign(item.name, &item);
}

/// `values` refers to names and data that live as long as the call.
Result<Model> translated(const library::Package& package, const Bytes& text, const Values& values, Monitor& monitor) {
  if (text.size() > kGraphBytes)
    return refused("the text of its graph has " + sizeText(text.size()) + ", more than the limit of " +
                   sizeText(kGraphBytes));
  const mlf::File file = {"graph", "graph", text};
  mlf::Findings findings;
  const mlf::Graph graph = mlf::readGraph(file, findings, monitor);
  if (monitor.stopRequested()) return cancelled();
  if (!graph.document || !graph.nodesSound || !graph.headsSound || !graph.argNodesSound || !graph.entriesSound)
    return refused(findings.all().empty() ? std::string("its graph cannot be read") : findings.all()[0].message());
  return GraphTranslator(package, graph, values, monitor).translate();
}

// --- AOT

constexpr std::string_view kMain = "___tvm_main__";

/// Whether CreateIOVar made the name for an output that the importer did not name.
bool isOutputName(std::string_view name) {
  constexpr std::string_view kOutput = "output";
  return name.starts_with(kOutput) && name.find_first_not_of("0123456789", kOutput.size()) == std::string_view::npos;
}

/// Returns the function with that name; without it the only one that is a main function. Null when there is none.
const xref::HostFunction* findMain(const library::Package& package, const xref::Functions& functions,
                                   std::string_view name) {
  const std::string wanted = "tvmgen_" + std::string(name) + std::string(kMain), plain = wanted.substr(7);
  const xref::HostFunction* only = nullptr;
  std::size_t count = 0;
  for (const xref::HostFunction& function : functions.hosts) {
    if (function.symbol.empty() || function.ref.members != package.memberPath) continue;
    if (function.symbol == wanted || function.symbol == plain) return &function;
    if (!function.symbol.ends_with(kMain)) continue;
    only = &function;
    ++count;
  }
  return count == 1 ? only : nullptr;
}

/// Type and shape of an argument, both of which must be known.
Result<TensorInfo> argumentOf(const host::Parameter& parameter, const std::string& where) {
  const auto unknown = [&](std::string_view what) {
    return refused(where + " has no known " + std::string(what) + ": the texts in the host code do not state it");
  };
  if (parameter.kind != host::Parameter::Kind::Tensor)
    return parameter.kind == host::Parameter::Kind::Unknown ? unknown("type")
                                                            : refused(where + " is not a tensor, but a memory pool");
  if (!parameter.rankKnown) return unknown("shape");
  std::vector<uint64_t> shape;
  for (const host::Dimension& dimension : parameter.shape) {
    if (!dimension.value || *dimension.value < 0) return unknown("shape");
    shape.push_back(static_cast<uint64_t>(*dimension.value));
  }
  // Types of one bit have no text before v0.24. Source: core/formats/host-abi.md 2.2.
  const auto type = mlf::parseElementType(parameter.dtype.empty() ? "bool" : parameter.dtype);
  if (!type) return unknown("type");
  BLOBSCOPE_TRY(out, tensorInfo(*type, shape, where));
  out.place = Place::Host;
  return out;
}

} // namespace

Result<Model> graphModel(const library::Package& package, const library::Module& module, const Parameters* params,
                         Monitor& monitor) {
  longWork("program::graphModel");
  const auto factory = modules::executorFactoryOf(*module.body);
  if (!factory || !factory->graphJson) return refused("module " + std::to_string(module.index) + " has no graph");
  BLOBSCOPE_TRY(stored, parametersOf(factory->parameters, monitor));
  Values values;
  addValues(stored, values);
  if (params) addValues(*params, values);
  return translated(package, *factory->graphJson, values, monitor);
}

Result<Model> graphModel(const library::Package& package, const Bytes& graph, const Parameters& params,
                         Monitor& monitor) {
  longWork("program::graphModel");
  Values values;
  addValues(params, values);
  return translated(package, graph, values, monitor);
}

Result<Model> aotModel(const library::PackagePtr& package, const library::Module& module,
                       const xref::Functions& functions, Monitor& monitor) {
  longWork("program::aotModel");
  const auto factory = modules::executorFactoryOf(*module.body);
  if (!factory || factory->graphJson)
    return refused("module " + std::to_string(module.index) + " is not of the AOT executor");
  const xref::HostFunction* const main = findMain(*package, functions, factory->moduleName.view());
  if (!main)
    return refused("the host code has no function " +
                   nameText("tvmgen_" + std::string(factory->moduleName.view()) + std::string(kMain)));
  BLOBSCOPE_TRY(stored, parametersOf(factory->parameters, monitor));
  Values values;
  addValues(stored, values);

  // 1. The outputs are the last arguments.
  const std::vector<host::Parameter>& parameters = main->signature.parameters;
  const std::string name = nameText(main->symbol);
  if (parameters.empty()) return refused("the arguments of " + name + " are not known");
  std::size_t inputs = parameters.size();
  while (inputs > 0 && isOutputName(parameters[inputs - 1].name)) --inputs;
  if (inputs == parameters.size())
    return refused("the arguments of " + name + " have names that do not show which of them are outputs: " +
                   escapedWithin(main->signature.text(), 400));

  // 2. Inputs, then outputs in memory of their own.
  ModelBuilder builder("AOT executor", "main");
  builder.entry().signature.source = main->signature.source;
  std::vector<ProgramOperand> arguments, results;
  std::vector<TensorInfo> made;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) return cancelled();
    const host::Parameter& parameter = parameters[i];
    BLOBSCOPE_TRY(tensor, argumentOf(parameter, "argument " + nameText(parameter.name) + " of " + name));
    if (i >= inputs) {
      made.push_back(std::move(tensor));
      builder.entry().results.push_back(parameter.name);
    } else if (const auto value = values.find(parameter.name); value != values.end()) {
      BLOBSCOPE_CHECK(checkValue(*value->second, tensor));
      builder.addValue(parameter.name);
      BLOBSCOPE_TRY(constant, builder.tensor(tensor, value->second->data));
      arguments.push_back(constant);
    } else {
      arguments.push_back(builder.parameter());
      host::Parameter& input = builder.entry().signature.parameters.emplace_back(parameterOf(parameter.name, tensor));
      input.deviceType = static_cast<int>(kCpu);
    }
  }
  for (const TensorInfo& tensor : made)
    results.push_back(builder.tensorIn(builder.storage(tensor.bytes, tensor.place), tensor));
  arguments.insert(arguments.end(), results.begin(), results.end());

  // 3. The call.
  builder.host(main->symbol, std::move(arguments), static_cast<uint32_t>(results.size()), {});
  builder.finish(results);
  return builder.take();
}

} // namespace blobscope::program
