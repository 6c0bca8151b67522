#include "core/mlf/graph.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::mlf {
namespace {

using json::Value;

/// Maximum length of a value or a list in a message.
constexpr std::size_t kShownText = 80;

constexpr std::array<std::string_view, 5> kRequired = {"nodes", "arg_nodes", "heads", "attrs", "node_row_ptr"};
constexpr std::array<std::string_view, 6> kNodeKeys = {"op", "name", "inputs", "attr", "attrs", "control_deps"};

/// The attributes that the executors read, and the tag that each must have.
struct Attribute {
  std::string_view key, tag;
  bool required;
};
constexpr std::array<Attribute, 5> kAttributes = {{{"dltype", "list_str", true},
                                                   {"storage_id", "list_int", true},
                                                   {"shape", "list_shape", true},
                                                   {"device_index", "list_int", false},
                                                   {"storage_scope", "list_str", false}}};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<uint64_t> unsignedOf(const Value& value) {
  return value.type() == Value::Type::Unsigned ? std::optional(value.number()) : std::nullopt;
}

std::optional<uint64_t> decimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> elementsOf(std::span<const uint64_t> shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  uint64_t elements = 1;
  for (const uint64_t extent : shape) {
    const std::optional<uint64_t> product = checkedMultiply(elements, extent);
    if (!product) return std::nullopt;
    elements = *product;
  }
  return elements;
}

class GraphReader {
public:
  GraphReader(const File& file, Findings& findings, Monitor& monitor)
      : m_file(file), m_findings(findings), m_monitor(monitor) {
    m_graph.file = &file;
  }

  Graph read() {
    if (const Value* const root = parse()) {
      if (!stop(0)) readTop(*root);
      if (m_nodes && !m_stopped) readNodes(*m_nodes);
      if (m_argNodes && !m_stopped) readArgNodes(*m_argNodes);
      if (m_heads && !m_stopped) readHeads(*m_heads);
      if (m_rowPointers && !m_stopped) readRowPointers(*m_rowPointers);
      if (m_attributes && !m_stopped) readAttributes(*m_attributes);
    }
    if (m_stopped) m_graph.nodesSound = m_graph.headsSound = m_graph.argNodesSound = m_graph.entriesSound = false;
    if (!m_graph.entriesSound) m_graph.entries.clear();
    return std::move(m_graph);
  }

private:
  void add(Rule rule, std::string pointer, const Value* where, std::vector<Argument> arguments) {
    arguments.insert(arguments.begin(), arg("file", m_file.path));
    m_findings.add(rule,
                   {m_file.path, std::move(pointer), {}, where ? std::optional(where->extent.offset) : std::nullopt},
                   std::move(arguments));
  }
  bool stop(uint64_t done) {
    if (done % 4096 == 0 && m_monitor.stopRequested()) m_stopped = true;
    return m_stopped;
  }
  /// Returns the value as written, without white space, truncated if it is long.
  std::string written(const Value& value) const {
    std::string out;
    const Bytes text = m_file.bytes.slice(value.extent.offset, value.extent.size);
    for (const char c : text.view().substr(0, 4 * kShownText))
      if (!std::isspace(static_cast<unsigned char>(c))) out += c;
    return shortened(out, kShownText);
  }
  std::string plain(const Value& value) const {
    return value.isString() ? shortened(value.text(), kShownText) : written(value);
  }

  const Value* parse();
  void readTop(const Value& root);
  void readNodes(const Value& list);
  void readNode(const Value& value, uint64_t index);
  /// The lists of a node; null for those that are missing.
  struct NodeLists {
    const Value* attributes = nullptr;
    const Value* inputs = nullptr;
  };
  NodeLists readNodeMembers(const Value& value, GraphNode& node, uint64_t index);
  void addBrokenNode(uint64_t index, const Value& where, const std::string& why);
  void readNodeAttributes(const Value& value, GraphNode& node, uint64_t index);
  void readInputs(const Value& list, GraphNode& node, uint64_t index, std::optional<uint64_t> stated);
  std::optional<GraphReference> readReference(const Value& value, std::string& why) const;
  void readArgNodes(const Value& list);
  void readHeads(const Value& list);
  void readRowPointers(const Value& list);
  void readAttributes(const Value& object);
  const Value* readAttribute(const Value& pair, const std::string& key, const Attribute* known);
  void readEntries();
  void readEntry(uint64_t index);

  const File& m_file;
  Findings& m_findings;
  Monitor& m_monitor;
  Graph m_graph;
  const Value *m_nodes = nullptr, *m_argNodes = nullptr, *m_heads = nullptr, *m_attributes = nullptr,
              *m_rowPointers = nullptr;
  bool m_opsKnown = true;     ///< every node is an input or an operator
  bool m_outputsKnown = true; ///< the number of outputs of every node is known
  uint64_t m_entryCount = 0;  ///< valid if m_outputsKnown
  bool m_attributesSound = true;
  std::array<const Value*, 5> m_lists = {}; ///< by kAttributes
  bool m_stopped = false;
};

/// Returns the root; null if there is no usable graph.
const Value* GraphReader::parse() {
  Result<json::LocatedDocument> document = json::parseLocated(m_file.bytes);
  if (!document) {
    add(Rule::MlfGraphJson, {}, nullptr, {arg("why", document.error().message())});
    return nullptr;
  }
  m_graph.document = std::make_shared<const json::LocatedDocument>(std::move(*document));
  const Value& root = m_graph.document->root;
  if (root.isObject()) return &root;
  add(Rule::MlfGraphJson, {}, &root,
      {arg("why", "the root is " + std::string(typeWords(root)) + ", expected an object")});
  return nullptr;
}

void GraphReader::readTop(const Value& root) {
  bool ended = false; // "metadata" was reached
  std::array<const Value*, kRequired.size()> found = {};
  std::array<bool, kRequired.size()> late = {};
  uint64_t done = 0;
  for (const auto& [key, value] : root.members()) {
    if (stop(++done)) return;
    const auto required = std::find(kRequired.begin(), kRequired.end(), key);
    if (required != kRequired.end()) {
      const auto at = static_cast<std::size_t>(required - kRequired.begin());
      if (ended)
        late[at] = true;
      else if (!found[at])
        found[at] = &value;
    } else if (key == "metadata") {
      ended = true;
    } else {
      add(ended ? Rule::MlfGraphKeyUnread : Rule::MlfGraphKeyUnknown, json::pointerStep("", key), &value,
          {arg("key", shortened(key, kShownText))});
    }
  }
  for (std::size_t i = 0; i < kRequired.size(); ++i) {
    const std::string key(kRequired[i]);
    const bool object = kRequired[i] == "attrs";
    if (!found[i]) {
      add(Rule::MlfGraphKeys, late[i] ? "/" + key : "", nullptr,
          {arg("why", late[i] ? "'" + key + "' comes after 'metadata', where the executors stop reading"
                              : "lacks '" + key + "'")});
    } else if (object ? !found[i]->isObject() : !found[i]->isArray()) {
      add(Rule::MlfGraphKeys, "/" + key, found[i],
          {arg("why", "'" + key + "' is " + std::string(typeWords(*found[i])) + ", expected " +
                          (object ? "an object" : "an array"))});
      found[i] = nullptr;
    }
  }
  m_nodes = found[0];
  m_argNodes = found[1];
  m_heads = found[2];
  m_attributes = found[3];
  m_rowPointers = found[4];
}

void GraphReader::readNodes(const Value& list) {
  m_graph.nodesSound = true;
  for (const Value& value : list.items()) {
    const uint64_t index = m_graph.nodes.size();
    if (stop(index)) return;
    m_graph.nodes.emplace_back();
    m_graph.nodes.back().firstEntry = m_entryCount;
    readNode(value, index);
    const std::optional<uint64_t> sum = checkedAdd(m_entryCount, m_graph.nodes.back().outputs);
    if (!sum) m_outputsKnown = m_graph.nodesSound = false;
    m_entryCount = sum.value_or(m_entryCount);
  }
}

void GraphReader::addBrokenNode(uint64_t index, const Value& where, const std::string& why) {
  add(Rule::MlfNodeForm, json::pointerStep("/nodes", index), &where, {arg("node", index), arg("why", why)});
  m_graph.nodesSound = false;
}

/// Reads op and name into the node.
GraphReader::NodeLists GraphReader::readNodeMembers(const Value& value, GraphNode& node, uint64_t index) {
  NodeLists lists;
  for (const auto& [key, member] : value.members()) {
    if (!contains(kNodeKeys, key)) {
      addBrokenNode(index, member, "unknown key '" + shortened(key, kShownText) + "'");
      continue;
    }
    const bool text = key == "op" || key == "name", object = key == "attr" || key == "attrs";
    if (text ? !member.isString() : object ? !member.isObject() : !member.isArray()) {
      addBrokenNode(index, member,
                    "'" + key + "' is " + std::string(typeWords(member)) + ", expected " +
                        (text     ? "a string"
                         : object ? "an object"
                                  : "an array"));
      if (key == "op") m_opsKnown = m_outputsKnown = false;
      if (object) m_outputsKnown = false;
      continue;
    }
    if (key == "op") node.op = member.text();
    if (key == "name") node.name = member.text();
    if (key == "inputs") lists.inputs = &member;
    if (key == "control_deps") m_graph.hasControlDeps = true;
    if (object) lists.attributes = &member;
  }
  for (const std::string_view key : {"op", "name", "inputs"})
    if (!value.find(key)) {
      addBrokenNode(index, value, "lacks '" + std::string(key) + "'");
      if (key == "op") m_opsKnown = m_outputsKnown = false;
    }
  return lists;
}

void GraphReader::readNode(const Value& value, uint64_t index) {
  GraphNode& node = m_graph.nodes.back();
  if (!value.isObject()) {
    addBrokenNode(index, value, "is " + std::string(typeWords(value)) + ", expected an object");
    m_opsKnown = m_outputsKnown = false;
    return;
  }
  const std::string pointer = json::pointerStep("/nodes", index);
  const auto [attributes, inputs] = readNodeMembers(value, node, index);
  node.isInput = node.op == "null";
  node.isOperator = node.op == "tvm_op";
  const Value* const op = value.find("op");
  if (op && op->isString() && !node.isInput && !node.isOperator) {
    add(Rule::MlfNodeOperation, pointer + "/op", op, {arg("node", index), arg("op", shortened(node.op, kShownText))});
    m_graph.nodesSound = m_opsKnown = m_outputsKnown = false;
  }

  std::optional<uint64_t> stated;
  if (node.isOperator) {
    if (attributes) {
      readNodeAttributes(*attributes, node, index);
      if (const Value* const count = attributes->find("num_inputs"); count && count->isString())
        stated = decimal(count->text());
    } else if (!value.find("attrs") && !value.find("attr")) {
      add(Rule::MlfNodeAttributes, pointer, &value, {arg("node", index), arg("why", "has no attrs")});
      m_graph.nodesSound = m_outputsKnown = false;
    }
  }
  if (inputs && node.isInput && !inputs->items().empty())
    add(Rule::MlfInputHasInputs, pointer + "/inputs", inputs, {arg("node", index)});
  else if (inputs)
    readInputs(*inputs, node, index, stated);
}

void GraphReader::readNodeAttributes(const Value& value, GraphNode& node, uint64_t index) {
  const std::string pointer = json::pointerStep("/nodes", index) + "/attrs";
  const auto broken = [&](const Value& where, const std::string& why) {
    add(Rule::MlfNodeAttributes, pointer, &where, {arg("node", index), arg("why", why)});
    m_graph.nodesSound = false;
  };
  uint64_t done = 0;
  for (const auto& [key, member] : value.members()) {
    if (stop(++done)) return;
    if (!member.isString())
      broken(member,
             "'" + shortened(key, kShownText) + "' is " + std::string(typeWords(member)) + ", expected a string");
  }
  for (const std::string_view key : {"func_name", "num_inputs", "num_outputs", "flatten_data"})
    if (!value.find(key)) {
      broken(value, "attrs lack '" + std::string(key) + "'");
      if (key == "num_outputs") m_outputsKnown = false;
    }
  if (const Value* const function = value.find("func_name"); function && function->isString())
    node.function = function->text();
  for (const std::string_view key : {"num_inputs", "num_outputs"}) {
    const Value* const count = value.find(key);
    if (!count) continue;
    const std::optional<uint64_t> number = count->isString() ? decimal(count->text()) : std::nullopt;
    const bool outputs = key == "num_outputs";
    const bool fits = number && *number <= UINT32_MAX; // the range of the executors
    if (outputs && (!fits || *number == 0)) m_outputsKnown = false;
    if (!count->isString()) continue;
    if (!fits)
      broken(*count, std::string(key) + " is '" + shortened(count->text(), kShownText) +
                         "', expected a decimal number" + (number ? " of 32 bits" : ""));
    else if (outputs && *number == 0)
      broken(*count, "num_outputs is '0', expected at least 1");
    else if (outputs)
      node.outputs = *number;
  }
}

std::optional<GraphReference> GraphReader::readReference(const Value& value, std::string& why) const {
  const bool sized = value.isArray() && (value.items().size() == 2 || value.items().size() == 3);
  if (!sized || !std::all_of(value.items().begin(), value.items().end(),
                             [](const Value& item) { return unsignedOf(item).has_value(); })) {
    why = "is '" + written(value) + "', expected [node, output, version]";
    return std::nullopt;
  }
  return GraphReference{value.items()[0].number(), value.items()[1].number()};
}

void GraphReader::readInputs(const Value& list, GraphNode& node, uint64_t index, std::optional<uint64_t> stated) {
  const std::string pointer = json::pointerStep("/nodes", index) + "/inputs";
  if (stated && *stated != list.items().size())
    add(Rule::MlfNodeInputCount, pointer, &list,
        {arg("node", index), arg("attr", *stated), arg("actual", list.items().size())});
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    if (stop(i + 1)) return;
    std::string why;
    const std::optional<GraphReference> reference = readReference(list.items()[i], why);
    if (reference && reference->node == index)
      why = "refers to the node itself";
    else if (reference && reference->node > index)
      why = "refers to node " + std::to_string(reference->node) + ", which comes later or does not exist";
    else if (reference && m_outputsKnown && reference->output >= m_graph.nodes[reference->node].outputs)
      why = "refers to output " + std::to_string(reference->output) + " of node " + std::to_string(reference->node) +
            ", which has " + std::to_string(m_graph.nodes[reference->node].outputs);
    if (why.empty()) {
      node.inputs.push_back(*reference);
      continue;
    }
    add(Rule::MlfNodeReference, json::pointerStep(pointer, i), &list.items()[i],
        {arg("node", index), arg("why", "input " + std::to_string(i) + " " + why)});
    m_graph.nodesSound = false;
  }
}

void GraphReader::readArgNodes(const Value& list) {
  std::vector<uint64_t> want;
  for (std::size_t i = 0; i < m_graph.nodes.size(); ++i)
    if (m_graph.nodes[i].isInput) want.push_back(i);
  m_graph.argNodesSound = true;
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    if (stop(i + 1)) return;
    const std::optional<uint64_t> number = unsignedOf(list.items()[i]);
    if (number) {
      m_graph.argNodes.push_back(*number);
      continue;
    }
    add(Rule::MlfArgNodes, json::pointerStep("/arg_nodes", i), &list.items()[i],
        {arg("why",
             "element " + std::to_string(i) + " is '" + written(list.items()[i]) + "', expected a node number")});
    m_graph.argNodesSound = false;
  }
  if (!m_graph.argNodesSound || !m_nodes || !m_opsKnown || m_graph.argNodes == want) return;
  add(Rule::MlfArgNodes, "/arg_nodes", &list,
      {arg("why", "lists " + listText(m_graph.argNodes) + ", but the input nodes are " + listText(want))});
}

void GraphReader::readHeads(const Value& list) {
  m_graph.headsSound = !list.items().empty();
  if (list.items().empty()) add(Rule::MlfHeads, "/heads", &list, {arg("why", "empty, expected at least one output")});
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    if (stop(i + 1)) return;
    std::string why;
    const std::optional<GraphReference> reference = readReference(list.items()[i], why);
    if (reference && m_nodes && reference->node >= m_graph.nodes.size())
      why = "refers to node " + std::to_string(reference->node) + " of " + std::to_string(m_graph.nodes.size());
    else if (reference && m_nodes && m_outputsKnown && reference->output >= m_graph.nodes[reference->node].outputs)
      why = "refers to output " + std::to_string(reference->output) + " of node " + std::to_string(reference->node) +
            ", which has " + std::to_string(m_graph.nodes[reference->node].outputs);
    if (why.empty()) {
      m_graph.heads.push_back(*reference);
      continue;
    }
    add(Rule::MlfHeads, json::pointerStep("/heads", i), &list.items()[i],
        {arg("why", "output " + std::to_string(i) + " " + why)});
    m_graph.headsSound = false;
  }
  if (!m_nodes || !m_outputsKnown) m_graph.headsSound = false;
}

void GraphReader::readRowPointers(const Value& list) {
  if (!m_nodes || !m_outputsKnown) return;
  const std::size_t count = m_graph.nodes.size() + 1;
  if (list.items().size() != count) {
    add(Rule::MlfNodeRowPtr, "/node_row_ptr", &list,
        {arg("why", "has " + std::to_string(list.items().size()) + " elements, " +
                        std::to_string(m_graph.nodes.size()) + " nodes need " + std::to_string(count))});
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (stop(i + 1)) return;
    const uint64_t want = i < m_graph.nodes.size() ? m_graph.nodes[i].firstEntry : m_entryCount;
    if (unsignedOf(list.items()[i]) == want) continue;
    add(Rule::MlfNodeRowPtr, json::pointerStep("/node_row_ptr", i), &list.items()[i],
        {arg("why", "element " + std::to_string(i) + " is '" + written(list.items()[i]) + "', the output counts give " +
                        std::to_string(want))});
    return; // one wrong count shifts all offsets after it
  }
}

void GraphReader::readAttributes(const Value& object) {
  uint64_t done = 0;
  for (const auto& [key, value] : object.members()) {
    if (stop(++done)) return;
    const auto known =
        std::find_if(kAttributes.begin(), kAttributes.end(), [&](const Attribute& a) { return a.key == key; });
    const bool isKnown = known != kAttributes.end();
    const Value* const list = readAttribute(value, key, isKnown ? &*known : nullptr);
    if (!isKnown) continue;
    if (list) m_lists[static_cast<std::size_t>(known - kAttributes.begin())] = list;
    if (key == "storage_scope") m_graph.hasStorageScope = true;
    if (key == "device_index") m_graph.hasDevices = true;
  }
  for (std::size_t i = 0; i < kAttributes.size(); ++i) {
    const Attribute& attribute = kAttributes[i];
    if (attribute.required && !object.find(attribute.key)) {
      add(Rule::MlfAttributeForm, "/attrs", &object, {arg("key", attribute.key), arg("why", "missing")});
      m_attributesSound = false;
    }
    if (!m_lists[i] || !m_nodes || !m_outputsKnown || m_lists[i]->items().size() == m_entryCount) continue;
    add(Rule::MlfAttributeCount, json::pointerStep("/attrs", attribute.key), m_lists[i],
        {arg("key", attribute.key), arg("found", m_lists[i]->items().size()), arg("want", m_entryCount)});
    m_attributesSound = false;
  }
  readEntries();
}

/// Returns the list of a known attribute; null if it is unknown or invalid.
const Value* GraphReader::readAttribute(const Value& pair, const std::string& key, const Attribute* known) {
  const std::string pointer = json::pointerStep("/attrs", key);
  const auto broken = [&](const std::string& why) -> const Value* {
    add(Rule::MlfAttributeForm, pointer, &pair, {arg("key", shortened(key, kShownText)), arg("why", why)});
    m_attributesSound = false;
    return nullptr;
  };
  if (!pair.isArray()) return broken("is " + std::string(typeWords(pair)) + ", expected [tag, list]");
  if (pair.items().size() != 2)
    return broken("has " + std::to_string(pair.items().size()) + " elements, expected [tag, list]");
  const Value& tag = pair.items()[0];
  if (!tag.isString()) return broken("the tag is " + std::string(typeWords(tag)) + ", expected a string");
  if (!known) {
    if (tag.text() != "list_int" && tag.text() != "size_t")
      add(Rule::MlfAttributeTag, pointer, &tag,
          {arg("key", shortened(key, kShownText)), arg("tag", shortened(tag.text(), kShownText))});
    return nullptr;
  }
  if (tag.text() != known->tag)
    return broken("the tag is '" + shortened(tag.text(), kShownText) + "', expected '" + std::string(known->tag) + "'");
  if (!pair.items()[1].isArray())
    return broken("the list is " + std::string(typeWords(pair.items()[1])) + ", expected an array");
  return &pair.items()[1];
}

/// Elements are checked even if their number is wrong.
void GraphReader::readEntries() {
  std::size_t longest = 0;
  for (const Value* const list : m_lists)
    if (list) longest = std::max(longest, list->items().size());
  m_graph.entriesSound = m_graph.nodesSound && m_outputsKnown && m_attributesSound && longest == m_entryCount;
  m_graph.entries.resize(longest);
  for (std::size_t i = 0; i < longest; ++i) {
    if (stop(i + 1)) return;
    readEntry(i);
  }
  if (!m_graph.entriesSound) return;
  uint64_t entry = 0;
  for (std::size_t node = 0; node < m_graph.nodes.size(); ++node)
    for (uint64_t output = 0; output < m_graph.nodes[node].outputs; ++output) m_graph.entries[entry++].node = node;
}

void GraphReader::readEntry(uint64_t index) {
  GraphEntry& entry = m_graph.entries[index];
  const auto element = [&](std::size_t list) {
    return m_lists[list] && index < m_lists[list]->items().size() ? &m_lists[list]->items()[index] : nullptr;
  };
  const auto broken = [&](Rule rule, std::size_t list, std::vector<Argument> arguments) {
    arguments.insert(arguments.begin(), arg("entry", index));
    add(rule, json::pointerStep(json::pointerStep("/attrs", kAttributes[list].key) + "/1", index), element(list),
        std::move(arguments));
    m_graph.entriesSound = false;
  };
  if (const Value* const type = element(0)) {
    entry.typeName = type->text();
    if (type->isString()) entry.type = parseElementType(type->text());
    const uint64_t bits = entry.type ? entry.type->bits * entry.type->lanes : 0;
    if (bits == 0 || (bits % 8 != 0 && bits != 1 && bits != 4)) {
      broken(Rule::MlfEntryType, 0, {arg("dtype", plain(*type))});
      entry.type.reset();
    }
  }
  if (const Value* const shape = element(2)) {
    if (shape->isArray() && std::all_of(shape->items().begin(), shape->items().end(),
                                        [](const Value& item) { return unsignedOf(item).has_value(); })) {
      entry.shape.emplace();
      for (const Value& extent : shape->items()) entry.shape->push_back(extent.number());
    } else {
      broken(Rule::MlfEntryShape, 2, {arg("shape", written(*shape))});
    }
  }
  for (const std::size_t list : {std::size_t{1}, std::size_t{3}}) {
    const Value* const number = element(list);
    if (!number) continue;
    (list == 1 ? entry.storage : entry.device) = unsignedOf(*number);
    if (!unsignedOf(*number))
      broken(Rule::MlfEntryNumber, list,
             {arg("what", list == 1 ? "storage id" : "device index"), arg("value", written(*number))});
  }
}

} // namespace

std::optional<ElementType> parseElementType(std::string_view text) {
  struct Name {
    std::string_view name;
    uint8_t code;
    uint64_t bits;
  };
  constexpr Name kNames[] = {{"int", 0, 32},    {"uint", 1, 32},      {"float", 2, 32},    {"handle", 3, 64},
                             {"bfloat", 4, 16}, {"e4m3_float", 6, 8}, {"e5m2_float", 7, 8}};
  if (text == "bool") return ElementType{1, 1, 1};
  ElementType type;
  const auto named =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& n) { return text.starts_with(n.name); });
  if (named != std::end(kNames)) {
    type = {named->code, named->bits, 1};
    text.remove_prefix(named->name.size());
  } else if (text.starts_with("custom[")) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    type = {129, 32, 1};
    text.remove_prefix(close + 1);
  } else {
    return std::nullopt;
  }
  const auto number = [&](uint64_t limit) -> std::optional<uint64_t> {
    uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || value > limit) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  if (!text.empty() && text[0] != 'x') {
    const std::optional<uint64_t> bits = number(UINT8_MAX); // one byte in DLPack
    if (!bits) return std::nullopt;
    type.bits = *bits;
  }
  if (text.empty()) return type;
  if (text[0] != 'x') return std::nullopt;
  text.remove_prefix(1);
  const std::optional<uint64_t> lanes = number(UINT16_MAX);
  if (!lanes || !text.empty()) return std::nullopt;
  type.lanes = *lanes;
  return type;
}

std::optional<uint64_t> bytesInMemory(std::span<const uint64_t> shape, const ElementType& type) {
  const std::optional<uint64_t> elements = elementsOf(shape);
  return elements ? checkedMultiply(*elements, (type.bits * type.lanes + 7) / 8) : std::nullopt;
}

std::optional<uint64_t> packedBytes(std::span<const uint64_t> shape, const ElementType& type) {
  const std::optional<uint64_t> elements = elementsOf(shape);
  const std::optional<uint64_t> bits = elements ? checkedMultiply(*elements, type.bits * type.lanes) : std::nullopt;
  return bits ? std::optional(*bits / 8 + (*bits % 8 != 0)) : std::nullopt;
}

std::string listText(std::span<const uint64_t> values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (out.size() > kShownText) return out + ", …]";
    out += (i ? ", " : "") + std::to_string(values[i]);
  }
  return out + "]";
}

std::string_view typeWords(const Value& value) {
  switch (value.type()) {
  case Value::Type::Null: return "null";
  case Value::Type::Bool: return std::get<bool>(value.data) ? "true" : "false";
  case Value::Type::Negative:
  case Value::Type::Unsigned:
  case Value::Type::Real: return "a number";
  case Value::Type::String: return "a string";
  case Value::Type::Array: return "an array";
  case Value::Type::Object: return "an object";
  }
  return "a value";
}

const GraphNode* Graph::findInput(std::string_view name) const {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const GraphNode& n) { return n.isInput && n.name == name; });
  return found == nodes.end() ? nullptr : &*found;
}

std::vector<StorageUse> storageUses(const Graph& graph, Monitor& monitor) {
  std::vector<StorageUse> uses;
  std::unordered_map<uint64_t, std::size_t> places; // id → in `uses`
  for (uint64_t i = 0; i < graph.entries.size(); ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) break;
    const GraphEntry& entry = graph.entries[i];
    const std::optional<uint64_t> bytes = entry.memoryBytes();
    const auto [place, isNew] = places.try_emplace(*entry.storage, uses.size());
    if (isNew) {
      uses.push_back({*entry.storage, i, bytes, {}});
      continue;
    }
    StorageUse& use = uses[place->second];
    use.bytes = bytes && use.bytes ? std::optional(std::max(*bytes, *use.bytes)) : std::nullopt;
  }
  if (!graph.argNodesSound) return uses;
  // The exporter treats the number of the entry as the number of a node; section 6.3.
  const std::unordered_set<uint64_t> inputs(graph.argNodes.begin(), graph.argNodes.end());
  for (StorageUse& use : uses)
    if (inputs.contains(use.firstEntry) && use.firstEntry < graph.nodes.size())
      use.binding = graph.nodes[use.firstEntry].name;
  return uses;
}

Graph readGraph(const File& file, Findings& findings, Monitor& monitor) {
  return GraphReader(file, findings, monitor).read();
}

} // namespace blobscope::mlf
