#include "core/edit/archive/json_text.h"

#include "core/base/text.h"
#include "core/edit/module_draft.h"

#include <algorithm>

namespace blobscope::edit {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::size_t kShownPointer = 200;

/// How a text separates its values.
struct JsonStyle {
  std::string unit = "  ";      ///< indent of one level
  std::string_view colon = ":"; ///< between name and value
  std::string_view comma = ","; ///< between two values on one line
};

JsonStyle styleOf(std::string_view text) {
  JsonStyle style;
  const std::size_t quote = text.find("\":");
  if (quote != std::string_view::npos && text.substr(quote + 2, 1) == " ") style.colon = ": ", style.comma = ", ";
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return style;
  const std::size_t end = text.find_first_not_of(" \t", line + 1);
  if (end != std::string_view::npos && end > line + 1) style.unit = text.substr(line + 1, end - line - 1);
  return style;
}

/// Writes a value in a style.
class ValueText {
public:
  ValueText(const JsonStyle& style, bool lines) : m_style(style), m_lines(lines) {}

  std::string write(const json::Value& value, const std::string& indent) {
    add(value, indent);
    return std::move(m_out);
  }

private:
  void add(const json::Value& value, const std::string& indent) { // the nesting of edits is limited by json::parse
    const auto list = [&](char open, char close, const auto& items, const auto& addItem) {
      m_out += open;
      const std::string inner = indent + m_style.unit;
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) m_out += m_lines ? "," : m_style.comma;
        if (m_lines) m_out += "\n" + inner;
        addItem(items[i], inner);
      }
      if (m_lines && !items.empty()) m_out += "\n" + indent;
      m_out += close;
    };
    if (const auto* const items = value.array()) {
      list('[', ']', *items, [&](const json::Value& item, const std::string& inner) { add(item, inner); });
    } else if (const auto* const members = value.object()) {
      list('{', '}', *members, [&](const auto& member, const std::string& inner) {
        addPlain(json::Value{member.first});
        m_out += m_style.colon;
        add(member.second, inner);
      });
    } else {
      addPlain(value);
    }
  }
  void addPlain(const json::Value& value) {
    json::Writer writer([&](std::string_view text) { m_out += text; }, json::Layout::OneLine);
    writer.value(value);
    writer.finish();
    m_out.pop_back(); // the line end of the document
  }

  const JsonStyle& m_style;
  bool m_lines;
  std::string m_out;
};

/// Changes one value of a parsed text.
class JsonSplicer {
public:
  JsonSplicer(std::string_view text, const Ref& member, std::string_view pointer)
      : m_text(text), m_member(member), m_pointer(pointer), m_style(styleOf(text)) {}

  Result<Bytes> run(const json::Value& root, const std::optional<json::Value>& value) {
    const auto steps = pointerSteps(m_pointer);
    if (!steps) return refuse("it is not a JSON pointer, which begins with '/' and has '~0' and '~1' for '~' and '/'");
    if (steps->empty())
      return value ? replace(root, root, *value) : Result<Bytes>(refuse("the whole document cannot be removed"));
    const json::Value* around = &root;
    for (std::size_t i = 0; i + 1 < steps->size(); ++i) {
      BLOBSCOPE_TRY(next, child(*around, (*steps)[i]));
      if (!next) return refuse(missing(*around, (*steps)[i]));
      around = next;
    }
    const std::string& last = steps->back();
    BLOBSCOPE_TRY(found, child(*around, last));
    if (found) return value ? replace(*found, *around, *value) : remove(*around, *found);
    if (value && around->isObject()) return insert(*around, last, *value);
    if (value && around->isArray() && (last == "-" || last == std::to_string(around->items().size())))
      return insert(*around, {}, *value);
    return refuse(missing(*around, last));
  }

private:
  Error refuse(const std::string& reason) const {
    return cannotEdit(m_member, "at '" + escapedWithin(m_pointer, kShownPointer) + "': " + reason);
  }
  static std::string missing(const json::Value& around, const std::string& step) {
    const std::string name = "'" + escapedWithin(step, kShownPointer) + "'";
    if (around.isObject()) return "the object has no member " + name;
    if (!around.isArray()) return "only objects and arrays contain values, so there is no " + name;
    return "the array has " + countText(around.items().size(), "item") + ", and " + name + " is none of them";
  }

  /// Null when the value has no such child.
  Result<const json::Value*> child(const json::Value& around, const std::string& step) const {
    if (const auto* const members = around.object()) {
      const auto named = [&](const auto& one) { return one.first == step; };
      const auto first = std::find_if(members->begin(), members->end(), named);
      if (first == members->end()) return nullptr;
      if (std::find_if(first + 1, members->end(), named) != members->end())
        return refuse("the object has several members '" + escapedWithin(step, kShownPointer) + "'");
      return &first->second;
    }
    const auto* const items = around.array();
    const auto number = items ? parseIndex(step) : std::nullopt;
    return number && *number < items->size() ? &(*items)[*number] : nullptr;
  }
  static std::optional<std::size_t> parseIndex(std::string_view step) {
    const bool digits = !step.empty() && step.find_first_not_of("0123456789") == std::string_view::npos;
    if (!digits || (step.size() > 1 && step[0] == '0')) return std::nullopt;
    return parseNumber(step);
  }

  std::string_view textOf(const json::Value& value) const {
    return m_text.substr(value.extent.offset, value.extent.size);
  }
  /// Returns the blanks at the start of the line that contains `at`.
  std::string indentAt(std::size_t at) const {
    const std::size_t line = at == 0 ? 0 : m_text.rfind('\n', at - 1) + 1; // npos + 1 is 0
    const std::size_t end = std::min(m_text.find_first_not_of(" \t", line), m_text.size());
    return std::string(m_text.substr(line, end - line));
  }
  Bytes spliced(Extent old, const std::string& text) const {
    return Bytes::copyOf(std::string(m_text.substr(0, old.offset)) + text + std::string(m_text.substr(old.end())));
  }

  Bytes replace(const json::Value& old, const json::Value& around, const json::Value& value) const {
    const bool container = old.isObject() || old.isArray();
    const json::Value& like = container ? old : around;
    const bool lines = textOf(like).find('\n') != std::string_view::npos;
    return spliced(old.extent, ValueText(m_style, lines).write(value, indentAt(old.extent.offset)));
  }

  /// Returns the values in an object or array.
  static std::vector<const json::Value*> childrenOf(const json::Value& around) {
    std::vector<const json::Value*> out;
    for (const auto& [name, value] : around.members()) out.push_back(&value);
    for (const json::Value& value : around.items()) out.push_back(&value);
    return out;
  }

  Bytes remove(const json::Value& around, const json::Value& old) const {
    const auto children = childrenOf(around);
    const std::size_t index =
        static_cast<std::size_t>(std::find(children.begin(), children.end(), &old) - children.begin());
    const std::size_t open = around.extent.offset + 1;
    if (children.size() == 1) return spliced({open, around.extent.end() - 1 - open}, {});
    if (index > 0) {
      const uint64_t from = children[index - 1]->extent.end();
      return spliced({from, old.extent.end() - from}, {});
    }
    // The first one: what stands before it now stands before the second one.
    const std::size_t from = m_text.find_first_not_of(kBlank, open);
    const std::size_t comma = m_text.find(',', old.extent.end());
    const std::size_t next = m_text.find_first_not_of(kBlank, comma + 1);
    return spliced({from, next - from}, {});
  }

  /// Adds a last value; `name` is used for objects.
  Bytes insert(const json::Value& around, const std::string& name, const json::Value& value) const {
    const auto children = childrenOf(around);
    const std::size_t open = around.extent.offset + 1;
    // --- 1. What stands before the new name or value. ---
    const bool lines = (children.empty() ? m_text : textOf(around)).find('\n') != std::string_view::npos;
    std::string before, after;
    std::string indent = indentAt(around.extent.offset);
    uint64_t from = open, to = around.extent.end() - 1;
    if (children.empty()) {
      if (lines) before = "\n" + indent + m_style.unit, after = "\n" + indent;
      indent += m_style.unit;
    } else {
      from = to = children.back()->extent.end();
      const std::size_t last =
          children.size() == 1 ? open : m_text.find(',', children[children.size() - 2]->extent.end()) + 1;
      const std::size_t begin = m_text.find_first_not_of(kBlank, last);
      const std::string_view blanks = m_text.substr(last, begin - last);
      before =
          "," + (children.size() == 1 && blanks.empty() ? std::string(m_style.comma.substr(1)) : std::string(blanks));
      if (blanks.find('\n') != std::string_view::npos) indent = indentAt(begin);
    }
    // --- 2. The new text. ---
    if (around.isObject())
      before += ValueText(m_style, false).write(json::Value{name}, {}) + std::string(m_style.colon);
    return spliced({from, to - from}, before + ValueText(m_style, lines).write(value, indent) + after);
  }

  std::string_view m_text;
  const Ref& m_member;
  std::string_view m_pointer;
  JsonStyle m_style;
};

} // namespace

std::optional<std::vector<std::string>> pointerSteps(std::string_view pointer) {
  std::vector<std::string> steps;
  if (pointer.empty()) return steps;
  if (pointer.front() != '/') return std::nullopt;
  for (const char c : pointer) {
    if (c == '/') {
      steps.emplace_back();
      continue;
    }
    steps.back() += c;
  }
  for (std::string& step : steps) {
    std::string decoded;
    for (std::size_t i = 0; i < step.size(); ++i) {
      if (step[i] != '~') {
        decoded += step[i];
        continue;
      }
      const char next = ++i < step.size() ? step[i] : '\0';
      if (next != '0' && next != '1') return std::nullopt;
      decoded += next == '0' ? '~' : '/';
    }
    step = std::move(decoded);
  }
  return steps;
}

const json::Value* valueAt(const json::Value& root, std::string_view pointer) {
  const auto steps = pointerSteps(pointer);
  if (!steps) return nullptr;
  const json::Value* value = &root;
  for (const std::string& step : *steps) {
    const auto number = value->isArray() ? parseNumber(step) : std::nullopt;
    if (value->isObject())
      value = value->find(step);
    else
      value = number && *number < value->items().size() ? &value->items()[*number] : nullptr;
    if (!value) return nullptr;
  }
  return value;
}

Result<Bytes> setJson(const Bytes& text, const Ref& member, std::string_view pointer,
                      const std::optional<json::Value>& value) {
  auto root = json::parse(text);
  if (!root) return root.takeError().within(member.shown());
  return JsonSplicer(text.view(), member, pointer).run(*root, value);
}

} // namespace blobscope::edit
