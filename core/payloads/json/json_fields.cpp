#include "core/payloads/json/json_fields.h"

#include "core/base/json.h"
#include "core/base/limits.h"

namespace blobscope::payloads {
namespace {

using json::Value;

/// The text between the quotes of the key before a value.
std::string_view keyBefore(std::string_view text, uint64_t value) {
  const std::size_t colon = text.rfind(':', value);
  const std::size_t end = colon == std::string_view::npos ? colon : text.rfind('"', colon);
  if (end == std::string_view::npos || end == 0) return {};
  for (std::size_t begin = text.rfind('"', end - 1); begin != std::string_view::npos;
       begin = begin == 0 ? begin - 1 : text.rfind('"', begin - 1)) {
    std::size_t slashes = 0;
    while (slashes < begin && text[begin - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return text.substr(begin + 1, end - begin - 1);
  }
  return {};
}

FieldRole roleOf(const Value& value) {
  switch (value.type()) {
  case Value::Type::String: return FieldRole::Text;
  case Value::Type::Array:
  case Value::Type::Object: return FieldRole::Structure;
  default: return FieldRole::Number;
  }
}

class Describer {
public:
  explicit Describer(const Bytes& text) : m_text(text.view()) { m_tree.bytes = text; }

  // The recursion is as deep as the parser allows, at most limits::kJsonDepth.
  void add(const Value& value, std::string_view name, uint32_t index, uint16_t depth) {
    if (m_tree.rows.size() >= limits::kFieldRows) return;
    const std::size_t row = m_tree.rows.size();
    Field field;
    field.name = name;
    field.index = index;
    field.type = value.isObject() ? FieldType::Group : value.isArray() ? FieldType::Items : FieldType::Literal;
    field.role = roleOf(value);
    field.offset = value.extent.offset;
    field.size = value.extent.size;
    field.number = value.isArray() ? value.items().size() : 0;
    field.depth = depth;
    m_tree.rows.push_back(field);
    children(value, static_cast<uint16_t>(depth + 1));
    m_tree.rows[row].after = static_cast<uint32_t>(m_tree.rows.size());
  }
  /// The members of the outermost value have depth 0.
  FieldTree take(const Value& root) {
    if (root.isObject() || root.isArray())
      children(root, 0);
    else
      add(root, "value", Field::kNoIndex, 0);
    return std::move(m_tree);
  }

private:
  void children(const Value& value, uint16_t depth) {
    for (const auto& [name, member] : value.members())
      add(member, keyBefore(m_text, member.extent.offset), Field::kNoIndex, depth);
    for (std::size_t i = 0; i < value.items().size(); ++i) add(value.items()[i], {}, static_cast<uint32_t>(i), depth);
  }

  std::string_view m_text;
  FieldTree m_tree;
};

} // namespace

Result<FieldTree> describeJson(const Bytes& text) {
  BLOBSCOPE_TRY(document, json::parseLocated(text));
  return Describer(text).take(document.root);
}

std::string jsonPointer(const FieldTree& tree, uint32_t row) {
  const std::string_view text = tree.bytes.view();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return {};
  std::string pointer;
  for (uint32_t at = 0; at <= row && at < tree.rows.size();) {
    const Field& field = tree.rows[at];
    if (field.after <= row) {
      at = field.after; // next to the row, or next to a row around it
      continue;
    }
    if (field.index != Field::kNoIndex) {
      pointer = json::pointerStep(pointer, field.index);
    } else {
      const auto name = json::parse(Bytes::copyOf("\"" + std::string(field.name) + "\""));
      pointer = json::pointerStep(pointer, name && name->isString() ? name->text() : std::string(field.name));
    }
    ++at;
  }
  return pointer;
}

view::Page jsonFieldsPage(const std::string& name, const Bytes& text) {
  return {name, view::DeferredPage{"fields", [name, text](Monitor&) -> Result<view::Page> {
                                     auto tree = describeJson(text);
                                     if (!tree) return view::Page{name, view::NoticePage{tree.error().message()}};
                                     return view::Page{
                                         name, view::FieldsPage{std::make_shared<const FieldTree>(std::move(*tree))}};
                                   }}};
}

} // namespace blobscope::payloads
