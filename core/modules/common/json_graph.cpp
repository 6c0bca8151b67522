#include "core/modules/common/json_graph.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/payloads/pages.h"

#include <charconv>

namespace blobscope::modules {
namespace {

using json::Value;

/// A parsed text takes about 20 times its size in memory. The largest real graph seen has 60 KB.
constexpr uint64_t kGraphBytes = 64u << 20;
/// Bytes of one cell.
constexpr std::size_t kCellBytes = 240;
/// The number of outputs of one node that are shown.
constexpr uint64_t kShownOutputs = 16;

/// Returns a number, which may be stored as a string: "2".
std::optional<uint64_t> numberOf(const Value* value) {
  if (!value) return std::nullopt;
  if (const auto* number = std::get_if<uint64_t>(&value->data)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value->data))
    return *number >= 0 ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
  return value->string() ? parseNumber(*value->string()) : std::nullopt;
}

/// Appends the value on one line; may omit text after kCellBytes. limits::kJsonDepth bounds the nesting.
void appendText(const Value& value, std::string& out) {
  if (out.size() > kCellBytes) return;
  if (const auto* text = value.string()) {
    out += *text;
  } else if (const auto* array = value.array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size() && out.size() <= kCellBytes; ++i) {
      if (i > 0) out += ", ";
      appendText((*array)[i], out);
    }
    out += ']';
  } else if (const auto* object = value.object()) {
    out += '{';
    for (std::size_t i = 0; i < object->size() && out.size() <= kCellBytes; ++i) {
      out += (i > 0 ? ", " : "") + (*object)[i].first + ": ";
      appendText((*object)[i].second, out);
    }
    out += '}';
  } else if (const auto* truth = std::get_if<bool>(&value.data)) {
    out += *truth ? "true" : "false";
  } else if (const auto* number = std::get_if<uint64_t>(&value.data)) {
    out += std::to_string(*number);
  } else if (const auto* negative = std::get_if<int64_t>(&value.data)) {
    out += std::to_string(*negative);
  } else if (const auto* real = std::get_if<double>(&value.data)) {
    char digits[40];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, *real).ptr);
  } else {
    out += "null";
  }
}

std::string textOf(const Value* value) {
  std::string out;
  if (value) appendText(*value, out);
  return escapedWithin(out, kCellBytes);
}

/// Returns the items of ["list_int", [...]] or of a plain list.
const Value::Array* listOf(const Value* value) {
  const auto* const outer = value ? value->array() : nullptr;
  if (outer && outer->size() == 2 && (*outer)[0].string() && (*outer)[1].array()) return (*outer)[1].array();
  return outer;
}

const Value* itemOf(const Value::Array* list, uint64_t index) {
  return list && index < list->size() ? &(*list)[index] : nullptr;
}

/// Returns the only item of a list if that item is a list: v0.23 and earlier wrap every attribute in one more list.
const Value* unwrapped(const Value* value) {
  const auto* const outer = value ? value->array() : nullptr;
  return outer && outer->size() == 1 && (*outer)[0].array() ? &(*outer)[0] : value;
}

std::string joinedItems(const Value* value) {
  const auto* const items = value ? value->array() : nullptr;
  if (!items) return textOf(value);
  std::string out;
  for (std::size_t i = 0; i < items->size() && i < kShownOutputs; ++i)
    out += (i > 0 ? "; " : "") + textOf(&(*items)[i]);
  return escapedWithin(out, kCellBytes);
}

class GraphReader {
public:
  GraphReader(const Value& root, GraphForm form) : m_form(form) {
    m_nodes = root.find("nodes") ? root.find("nodes")->array() : nullptr;
    m_rowPointers = listOf(root.find("node_row_ptr"));
    m_heads = root.find("heads");
    const Value* const attributes = root.find("attrs");
    if (form != GraphForm::Executor || !attributes) return;
    m_shapes = listOf(attributes->find("shape"));
    m_types = listOf(attributes->find("dltype"));
    m_storage = listOf(attributes->find("storage_id"));
  }
  bool hasNodes() const { return m_nodes != nullptr; }
  uint64_t size() const { return m_nodes->size(); }
  std::string op(uint64_t index) const { return textOf((*m_nodes)[index].find("op")); }
  GraphNode node(uint64_t index) const {
    const Value& value = (*m_nodes)[index];
    GraphNode out;
    out.name = textOf(value.find("name"));
    out.op = textOf(value.find("op"));
    out.inputs = inputs(value.find("inputs"));
    const Value* attributes = value.find("attrs");
    if (!attributes) attributes = value.find("attr");
    if (m_form == GraphForm::Executor) {
      out.function = attributes ? textOf(attributes->find("func_name")) : "";
      const auto [first, count] = outputs(attributes, index);
      out.shape = outputTexts(m_shapes, first, count);
      out.dtype = outputTexts(m_types, first, count);
      out.storage = outputTexts(m_storage, first, count);
    } else if (attributes && attributes->object()) {
      runtimeAttributes(*attributes, out);
    }
    return out;
  }

  std::vector<uint64_t> inputsOf(uint64_t index) const { return nodesIn((*m_nodes)[index].find("inputs")); }
  std::vector<uint64_t> heads() const { return nodesIn(m_heads); }

private:
  /// The first numbers of [[2, 0, 0], [5, 0, 0]] that name nodes.
  std::vector<uint64_t> nodesIn(const Value* value) const {
    constexpr std::size_t kMost = 65'536;
    std::vector<uint64_t> out;
    const auto* const list = value ? value->array() : nullptr;
    for (std::size_t i = 0; list && i < list->size() && out.size() < kMost; ++i)
      if (const auto node = numberOf(itemOf((*list)[i].array(), 0)); node && *node < m_nodes->size())
        out.push_back(*node);
    return out;
  }
  std::string inputs(const Value* value) const {
    const auto* const list = value ? value->array() : nullptr;
    if (!list) return {};
    std::string out;
    for (const Value& input : *list) {
      if (out.size() > kCellBytes) break;
      out += out.empty() ? "" : ", ";
      const auto* const place = input.array();
      const auto node = numberOf(itemOf(place, 0)), output = numberOf(itemOf(place, 1));
      if (!node || *node >= m_nodes->size()) {
        out += textOf(&input) + " (no such node)";
        continue;
      }
      out += textOf((*m_nodes)[*node].find("name"));
      if (output && *output > 0) out += ":" + std::to_string(*output);
    }
    return escapedWithin(out, kCellBytes);
  }

  /// Returns the index of a node's first output in the lists of all outputs, and the number of its outputs.
  std::pair<uint64_t, uint64_t> outputs(const Value* attributes, uint64_t index) const {
    const auto first = numberOf(itemOf(m_rowPointers, index)), next = numberOf(itemOf(m_rowPointers, index + 1));
    if (first && next && *next >= *first) return {*first, *next - *first};
    return {first.value_or(index), numberOf(attributes ? attributes->find("num_outputs") : nullptr).value_or(1)};
  }
  static std::string outputTexts(const Value::Array* list, uint64_t first, uint64_t count) {
    std::string out;
    for (uint64_t i = 0; i < count && i < kShownOutputs; ++i) {
      const Value* const item = first <= UINT64_MAX - i ? itemOf(list, first + i) : nullptr;
      if (!item) break;
      out += (i > 0 ? "; " : "") + textOf(item);
    }
    return escapedWithin(out, kCellBytes);
  }

  static void runtimeAttributes(const Value& attributes, GraphNode& out) {
    const Value* const outputs = attributes.find("num_outputs");
    const bool nested = outputs && outputs->string();
    for (const auto& [name, value] : *attributes.object()) {
      if (name == "num_inputs" || name == "num_outputs") continue;
      // Nested attributes have one more list around them: [["float32"]], [[[1, 4]]].
      const Value* const plain = nested ? unwrapped(&value) : &value;
      if (name == "shape") {
        out.shape = joinedItems(plain);
      } else if (name == "dtype") {
        out.dtype = joinedItems(plain);
      } else if (out.attributes.size() <= kCellBytes) {
        const auto* const items = plain->array();
        const Value* const single = nested && items && items->size() == 1 ? &(*items)[0] : plain;
        out.attributes += (out.attributes.empty() ? "" : ", ") + escapedWithin(name, kCellBytes) + "=" + textOf(single);
      }
    }
    out.attributes = shortened(out.attributes, kCellBytes);
  }

  GraphForm m_form;
  const Value::Array* m_nodes = nullptr;
  const Value* m_heads = nullptr;
  const Value::Array* m_rowPointers = nullptr;
  const Value::Array* m_shapes = nullptr;
  const Value::Array* m_types = nullptr;
  const Value::Array* m_storage = nullptr;
};

} // namespace

struct LazyGraph::Content {
  Content(Value parsed, GraphForm form) : root(std::move(parsed)), reader(root, form) {}
  Value root;
  GraphReader reader; ///< points into `root`
};

LazyGraph::LazyGraph(const Bytes& text, GraphForm form) {
  if (text.size() > kGraphBytes) {
    m_problem = "a text of " + sizeText(text.size()) + " is above the limit of " + sizeText(kGraphBytes);
    return;
  }
  auto root = json::parse(text);
  if (!root) {
    m_problem = root.error().message();
    return;
  }
  auto content = std::make_unique<Content>(std::move(*root), form);
  if (content->reader.hasNodes())
    m_content = std::move(content);
  else
    m_problem = "the JSON text has no list 'nodes'";
}

LazyGraph::~LazyGraph() = default;

uint64_t LazyGraph::size() const { return m_content ? m_content->reader.size() : 0; }

GraphNode LazyGraph::node(uint64_t index) const { return m_content->reader.node(index); }

std::vector<uint64_t> LazyGraph::inputsOf(uint64_t index) const { return m_content->reader.inputsOf(index); }

std::vector<uint64_t> LazyGraph::heads() const { return m_content->reader.heads(); }

uint64_t LazyGraph::countConstants() const {
  uint64_t count = 0;
  for (uint64_t i = 0; i < size(); ++i) count += m_content->reader.op(i) == "const";
  return count;
}

void addGraphNodesPage(view::PageList& list, const Bytes& text, GraphForm form) {
  const auto make = [text, form](Monitor&) -> Result<view::Page> {
    const auto graph = std::make_shared<const LazyGraph>(text, form);
    if (!graph->problem().empty())
      return view::Page{"Graph nodes", view::NoticePage{"The graph's nodes cannot be shown: " + graph->problem()}};
    const bool executor = form == GraphForm::Executor;
    std::vector<view::Column> columns = {{"number", true}, {"name"}, {"op"}};
    std::vector<std::string GraphNode::*> cells = {&GraphNode::name, &GraphNode::op};
    if (executor) {
      columns.push_back({"function"});
      cells.push_back(&GraphNode::function);
    }
    columns.insert(columns.end(), {{"inputs"}, {"shape"}, {"type"}, {executor ? "storage id" : "attributes"}});
    cells.insert(cells.end(), {&GraphNode::inputs, &GraphNode::shape, &GraphNode::dtype,
                               executor ? &GraphNode::storage : &GraphNode::attributes});
    const auto cell = [graph, cells](uint64_t row, std::size_t column) {
      return column == 0 ? std::to_string(row) : graph->node(row).*cells[column - 1];
    };
    return payloads::lazyPage("Graph nodes", std::move(columns), graph->size(), cell);
  };
  list.push_back({"Graph nodes", view::DeferredPage{"table", make}});
}

} // namespace blobscope::modules
