#include "core/diff/json_items.h"

#include "core/base/json.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::diff {
namespace {

using json::Value;

/// Longest text that is parsed; a parsed value takes 56 bytes, a member 88.
constexpr uint64_t kTextBytes = uint64_t{4} << 20;
/// Maximum number of values of a text that are compared one by one.
constexpr std::size_t kValues = 100'000;
/// Longest member name in a pointer.
constexpr std::size_t kNameBytes = 200;
/// Maximum size of all pointers together.
constexpr uint64_t kPointerBytes = uint64_t{32} << 20;
/// Length of the shown text of a node's inputs.
constexpr std::size_t kInputsShown = 400;
/// Number of bytes that are enough for it. A crafted graph can name one node with a long name many times.
constexpr std::size_t kInputsBytes = 4 * kInputsShown + 4;

class Reader {
public:
  Reader(const Bytes& text, Masks masks, Monitor& monitor) : m_text(text), m_masks(masks), m_monitor(monitor) {}

  Result<JsonItems> read(const Value& root) {
    const Value* const nodes = root.find("nodes");
    m_items.graph =
        nodes && nodes->isArray() &&
        std::all_of(nodes->items().begin(), nodes->items().end(), [](const Value& node) { return node.isObject(); });
    if (m_items.graph) {
      for (const Value& node : nodes->items()) {
        const Value* const name = node.find("name");
        m_names.push_back(name && name->isString() ? name->text() : std::string());
      }
      for (std::size_t i = 0; i < nodes->items().size(); ++i) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        addNode(nodes->items()[i], i);
      }
    }
    for (const auto& [name, value] : root.members())
      if (!m_items.graph || &value != nodes)
        addValues(value, json::pointerStep({}, std::string_view(name).substr(0, kNameBytes)));
    if (root.isArray()) addValues(root, {});
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return std::move(m_items);
  }

private:
  std::string_view textOf(const Value& value) const {
    return m_text.slice(value.extent.offset, value.extent.size).view();
  }

  /// Returns `[3, 0, 0]` or `[[3, 0], …]`, numbers of nodes, as their names; of a long text the beginning.
  std::string inputsText(const Value& list) const {
    std::string out;
    for (const Value& input : list.items()) {
      if (out.size() > kInputsBytes) break;
      const Value& number = input.isArray() && !input.items().empty() ? input.items().front() : input;
      out += out.empty() ? "" : ", ";
      if (number.type() == Value::Type::Unsigned && number.number() < m_names.size())
        out += std::string_view(m_names[static_cast<std::size_t>(number.number())]).substr(0, kInputsBytes + 1);
      else
        out += textOf(number).substr(0, kInputsBytes + 1);
      if (input.isArray() && input.items().size() > 1 && input.items()[1].type() == Value::Type::Unsigned &&
          input.items()[1].number() > 0)
        out += ":" + std::to_string(input.items()[1].number());
    }
    return out;
  }

  void addNode(const Value& node, std::size_t index) {
    Item item;
    item.name = m_names[index].empty() ? "nodes[" + std::to_string(index) + "]" : m_names[index];
    item.index = static_cast<uint32_t>(index);
    for (const auto& [name, value] : node.members()) {
      if (name == "name") continue;
      if (name == "inputs" && value.isArray()) {
        item.facts.emplace_back("inputs", escapedWithin(inputsText(value), kInputsShown));
        continue;
      }
      addFacts(name, value, 0, item.facts);
    }
    m_items.nodes.push_back(std::move(item));
  }

  /// Attributes are one level deeper.
  void addFacts(const std::string& label, const Value& value, int depth, Item::Facts& facts) const {
    if (value.isObject() && depth < 2 && value.members().size() < 200) {
      for (const auto& [name, inner] : value.members()) addFacts(name, inner, depth + 1, facts);
      return;
    }
    facts.emplace_back(escapedWithin(label, 100), shortText(value));
  }

  /// Returns the text of a value; for a long value its beginning and a hash of the rest.
  std::string shortText(const Value& value) const {
    const std::string_view text = textOf(value);
    if (text.size() <= 400) return escapedWhole(text);
    return escapedWithin(text, 100) + " #" + hexText(std::hash<std::string_view>{}(text)).substr(2, 8);
  }

  std::string masked(std::string_view text) const {
    if (m_masks.empty()) return std::string(text);
    std::string out;
    std::vector<MaskedSpan> spans;
    maskLine(m_masks, text, out, spans);
    return out;
  }

  void addValues(const Value& root, std::string rootPath) {
    std::vector<std::pair<const Value*, std::string>> open = {{&root, std::move(rootPath)}};
    while (!open.empty() && m_items.values.size() < kValues && m_pointerBytes < kPointerBytes) {
      const auto [value, path] = std::move(open.back());
      open.pop_back();
      m_pointerBytes += path.size() * (1 + value->members().size() + value->items().size());
      if (m_pointerBytes >= kPointerBytes) break;
      if (value->isObject() && !value->members().empty()) {
        for (auto member = value->members().rbegin(); member != value->members().rend(); ++member)
          open.emplace_back(&member->second,
                            json::pointerStep(path, std::string_view(member->first).substr(0, kNameBytes)));
      } else if (value->isArray() && std::any_of(value->items().begin(), value->items().end(),
                                                 [](const Value& item) { return item.isObject() || item.isArray(); })) {
        for (std::size_t i = value->items().size(); i-- > 0;)
          open.emplace_back(&value->items()[i], json::pointerStep(path, i));
      } else {
        Item item;
        item.name = path;
        item.index = static_cast<uint32_t>(m_items.values.size());
        item.shown = shortText(*value);
        item.content = Bytes::copyOf(masked(textOf(*value)));
        m_items.values.push_back(std::move(item));
      }
    }
  }

  const Bytes& m_text;
  Masks m_masks;
  Monitor& m_monitor;
  std::vector<std::string> m_names;
  uint64_t m_pointerBytes = 0;
  JsonItems m_items;
};

} // namespace

Result<std::optional<JsonItems>> readJsonItems(const Bytes& text, Masks masks, Monitor& monitor) {
  const std::size_t first = text.view().find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text.view()[first] != '{' && text.view()[first] != '[') ||
      text.size() > kTextBytes)
    return std::optional<JsonItems>();
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  const auto document = json::parseLocated(text);
  if (!document) return std::optional<JsonItems>();
  BLOBSCOPE_TRY(items, Reader(text, masks, monitor).read(document->root));
  return std::optional<JsonItems>(std::move(items));
}

} // namespace blobscope::diff
