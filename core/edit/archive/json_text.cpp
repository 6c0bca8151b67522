#include "core/edit/archive/json_text.h"

#include "core/base/text.h"
#include "core/edit/module_draft.h"

#include <algorithm>
#include <unordered_map>

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

/// Marks of the size of a value that an edit wrote: it is not parsed yet.
constexpr uint64_t kWritten = uint64_t{1} << 63, kContainer = uint64_t{1} << 62, kLength = kContainer - 1;
/// The offset of a value that an edit added: nothing says where it is.
constexpr uint64_t kAdded = UINT64_MAX;

bool isWritten(const json::Value& value) { return (value.extent.size & kWritten) != 0; }

json::Value written(uint64_t offset, const json::Value& value, std::size_t length) {
  json::Value out;
  const uint64_t container = value.isObject() || value.isArray() ? kContainer : 0;
  out.extent = {offset, kWritten | container | length};
  return out;
}

} // namespace

/// The text as it is now, with the values as they were parsed, whose places are computed.
class JsonDraft::Parsed {
public:
  explicit Parsed(std::string_view text) : m_text(text) {}

  const std::string& text() const { return m_text; }
  uint64_t parses() const { return m_parses; }

  Result<Done> set(const Ref& member, std::string_view pointer, const std::optional<json::Value>& value) {
    const Target target{member, pointer};
    if (!m_isParsed) BLOBSCOPE_CHECK(parse(member));
    const auto steps = pointerSteps(pointer);
    if (!steps)
      return target.refuse("it is not a JSON pointer, which begins with '/' and has '~0' and '~1' for '~' and '/'");
    BLOBSCOPE_TRY(applied, apply(target, *steps, value));
    if (applied) return Done{};
    // It concerns a value that an earlier edit wrote.
    BLOBSCOPE_CHECK(parse(member));
    BLOBSCOPE_TRY(again, apply(target, *steps, value));
    if (!again) return target.refuse("the value cannot be found again");
    return Done{};
  }

private:
  /// What messages name.
  struct Target {
    const Ref& member;
    std::string_view pointer;
    Error refuse(const std::string& reason) const {
      return cannotEdit(member, "at '" + escapedWithin(pointer, kShownPointer) + "': " + reason);
    }
  };

  Result<Done> parse(const Ref& member) {
    ++m_parses;
    auto root = json::parse(Bytes::copyOf(m_text));
    if (!root) return root.takeError().within(member.shown());
    m_root = std::move(*root);
    m_shifts.clear();
    m_blanks.clear();
    m_isParsed = true;
    return Done{};
  }

  /// False when the values that it needs have to be parsed first.
  Result<bool> apply(const Target& target, const std::vector<std::string>& steps,
                     const std::optional<json::Value>& value) {
    m_style = styleOf(m_text);
    if (steps.empty()) {
      if (!value) return target.refuse("the whole document cannot be removed");
      replace(m_root, m_root, *value);
      return true;
    }
    json::Value* around = &m_root;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      if (isWritten(*around)) return false;
      BLOBSCOPE_TRY(next, child(target, *around, steps[i]));
      if (!next) return target.refuse(missing(*around, steps[i]));
      around = next;
    }
    if (isWritten(*around)) return false;
    const std::string& last = steps.back();
    BLOBSCOPE_TRY(found, child(target, *around, last));
    if (found) {
      if (found->extent.offset == kAdded) return false;
      value ? replace(*found, *around, *value) : remove(*around, *found);
      return true;
    }
    if (value && around->isObject()) {
      insert(*around, last, *value);
      return true;
    }
    if (value && around->isArray() && (last == "-" || last == std::to_string(around->items().size()))) {
      insert(*around, {}, *value);
      return true;
    }
    return target.refuse(missing(*around, last));
  }

  static std::string missing(const json::Value& around, const std::string& step) {
    const std::string name = "'" + escapedWithin(step, kShownPointer) + "'";
    if (around.isObject()) return "the object has no member " + name;
    if (!around.isArray()) return "only objects and arrays contain values, so there is no " + name;
    return "the array has " + countText(around.items().size(), "item") + ", and " + name + " is none of them";
  }

  /// Null when the value has no such child.
  static Result<json::Value*> child(const Target& target, json::Value& around, const std::string& step) {
    if (auto* const members = std::get_if<json::Value::Object>(&around.data)) {
      const auto named = [&](const auto& one) { return one.first == step; };
      const auto first = std::find_if(members->begin(), members->end(), named);
      if (first == members->end()) return nullptr;
      if (std::find_if(first + 1, members->end(), named) != members->end())
        return target.refuse("the object has several members '" + escapedWithin(step, kShownPointer) + "'");
      return &first->second;
    }
    auto* const items = std::get_if<json::Value::Array>(&around.data);
    const auto number = items ? parseIndex(step) : std::nullopt;
    return number && *number < items->size() ? &(*items)[*number] : nullptr;
  }
  static std::optional<std::size_t> parseIndex(std::string_view step) {
    const bool digits = !step.empty() && step.find_first_not_of("0123456789") == std::string_view::npos;
    if (!digits || (step.size() > 1 && step[0] == '0')) return std::nullopt;
    return parseNumber(step);
  }

  // --- places ---

  /// The place now of an offset in the text as it was parsed.
  uint64_t now(uint64_t offset) const {
    const auto after = std::ranges::upper_bound(m_shifts, offset, {}, &Shift::from);
    return offset + (after == m_shifts.begin() ? 0 : std::prev(after)->sum);
  }
  uint64_t beginOf(const json::Value& value) const { return now(value.extent.offset); }
  uint64_t endOf(const json::Value& value) const {
    if (isWritten(value)) return beginOf(value) + (value.extent.size & kLength);
    return now(value.extent.end() - 1) + 1;
  }
  std::string_view textOf(const json::Value& value) const {
    return std::string_view(m_text).substr(beginOf(value), endOf(value) - beginOf(value));
  }

  /// Replaces bytes of the text. `from`: the first offset, as parsed, of what moves.
  void splice(uint64_t begin, uint64_t end, const std::string& text, uint64_t from) {
    m_text.replace(begin, end - begin, text);
    const uint64_t moved = text.size() - (end - begin); // may be negative: offsets wrap
    auto at = std::ranges::lower_bound(m_shifts, from, {}, &Shift::from);
    if (at == m_shifts.end() || at->from != from)
      at = m_shifts.insert(at, {from, at == m_shifts.begin() ? 0 : std::prev(at)->sum});
    for (; at != m_shifts.end(); ++at) at->sum += moved;
  }

  /// Returns the blanks at the start of the line that contains `at`.
  std::string indentAt(std::size_t at) const {
    const std::size_t line = at == 0 ? 0 : m_text.rfind('\n', at - 1) + 1; // npos + 1 is 0
    const std::size_t end = std::min(m_text.find_first_not_of(" \t", line), m_text.size());
    return m_text.substr(line, end - line);
  }
  static bool hasLines(std::string_view text) { return text.find('\n') != std::string_view::npos; }

  // --- changes ---

  void replace(json::Value& old, const json::Value& around, const json::Value& value) {
    const bool container = old.isObject() || old.isArray() || (isWritten(old) && (old.extent.size & kContainer) != 0);
    const bool lines = hasLines(textOf(container ? old : around));
    const std::string text = ValueText(m_style, lines).write(value, indentAt(beginOf(old)));
    splice(beginOf(old), endOf(old), text, old.extent.offset + 1);
    old = written(old.extent.offset, value, text.size());
  }

  static std::size_t countOf(const json::Value& around) { return around.members().size() + around.items().size(); }
  static const json::Value& childAt(const json::Value& around, std::size_t index) {
    return around.isObject() ? around.members()[index].second : around.items()[index];
  }

  void remove(json::Value& around, const json::Value& old) {
    std::size_t index = 0;
    while (&childAt(around, index) != &old) ++index;
    const uint64_t open = beginOf(around) + 1, moves = old.extent.offset + 1;
    if (countOf(around) == 1) {
      splice(open, endOf(around) - 1, {}, moves);
    } else if (index > 0) {
      splice(endOf(childAt(around, index - 1)), endOf(old), {}, moves);
    } else {
      // The first one: what stands before it now stands before the second one.
      const std::size_t from = m_text.find_first_not_of(kBlank, open);
      const std::size_t comma = m_text.find(',', endOf(old));
      splice(from, m_text.find_first_not_of(kBlank, comma + 1), {}, moves);
    }
    if (auto* const members = std::get_if<json::Value::Object>(&around.data))
      members->erase(members->begin() + static_cast<std::ptrdiff_t>(index));
    else if (auto* const items = std::get_if<json::Value::Array>(&around.data))
      items->erase(items->begin() + static_cast<std::ptrdiff_t>(index));
  }

  /// Adds a last value; `name` is used for objects.
  void insert(json::Value& around, const std::string& name, const json::Value& value) {
    const std::size_t count = countOf(around);
    const uint64_t open = beginOf(around) + 1, close = endOf(around) - 1;
    // --- 1. What stands before the new name or value. ---
    const bool lines = hasLines(count == 0 ? std::string_view(m_text) : textOf(around));
    std::string before, after;
    std::string indent = indentAt(open - 1);
    uint64_t from = open, to = close;
    std::string& blanks = m_blanks[around.extent.offset]; // before the last value
    if (count == 0) {
      blanks = lines ? "\n" + indent + m_style.unit : std::string();
      before = blanks;
      if (lines) after = "\n" + indent;
      indent += m_style.unit;
    } else {
      from = to = m_text.find_last_not_of(kBlank, close - 1) + 1;
      if (childAt(around, count - 1).extent.offset != kAdded) {
        const std::size_t last = count == 1 ? open : m_text.find(',', endOf(childAt(around, count - 2))) + 1;
        const std::size_t begin = m_text.find_first_not_of(kBlank, last);
        blanks = m_text.substr(last, begin - last);
      }
      if (count == 1 && blanks.empty()) blanks = m_style.comma.substr(1);
      before = "," + blanks;
      if (const std::size_t line = blanks.rfind('\n'); line != std::string::npos) indent = blanks.substr(line + 1);
    }
    // --- 2. The new text. ---
    if (around.isObject())
      before += ValueText(m_style, false).write(json::Value{name}, {}) + std::string(m_style.colon);
    const std::string text = ValueText(m_style, lines).write(value, indent);
    splice(from, to, before + text + after, around.extent.end() - 1);
    json::Value added = written(kAdded, value, text.size());
    if (auto* const members = std::get_if<json::Value::Object>(&around.data))
      members->emplace_back(name, std::move(added));
    else if (auto* const items = std::get_if<json::Value::Array>(&around.data))
      items->push_back(std::move(added));
  }

  /// By how much the text moved from an offset on, as parsed.
  struct Shift {
    uint64_t from = 0, sum = 0;
  };

  std::string m_text;
  json::Value m_root;
  bool m_isParsed = false;
  std::vector<Shift> m_shifts;                        ///< ascending
  std::unordered_map<uint64_t, std::string> m_blanks; ///< by the offset of an object or array that got a value
  JsonStyle m_style;
  uint64_t m_parses = 0;
};

JsonDraft::JsonDraft(const Bytes& text) : m_parsed(std::make_unique<Parsed>(text.view())) {}
JsonDraft::JsonDraft(JsonDraft&&) noexcept = default;
JsonDraft& JsonDraft::operator=(JsonDraft&&) noexcept = default;
JsonDraft::~JsonDraft() = default;

Result<Done> JsonDraft::set(const Ref& member, std::string_view pointer, const std::optional<json::Value>& value) {
  return m_parsed->set(member, pointer, value);
}
Bytes JsonDraft::text() const { return Bytes::copyOf(m_parsed->text()); }
uint64_t JsonDraft::parses() const { return m_parsed->parses(); }

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
  JsonDraft draft(text);
  BLOBSCOPE_CHECK(draft.set(member, pointer, value));
  return draft.text();
}

} // namespace blobscope::edit
