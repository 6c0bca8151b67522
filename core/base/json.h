#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace blobscope::json {

/// A parsed JSON value. Objects keep the order of their members, and every member is kept even when a name repeats.
struct Value {
  using Array = std::vector<Value>;
  using Object = std::vector<std::pair<std::string, Value>>;
  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> data = nullptr;

  bool isNull() const { return std::holds_alternative<std::nullptr_t>(data); }
  const Object* object() const { return std::get_if<Object>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
  const std::string* string() const { return std::get_if<std::string>(&data); }
  /// First member of that name; null when this is no object or has none.
  const Value* find(std::string_view name) const;
};

/// JSON-TEXT with the byte offset for text that is not JSON, JSON-DEPTH above limits::kJsonDepth levels, FILE-LIMIT
/// above limits::kJsonValues values.
Result<Value> parse(const Bytes& text);

/// The value in MessagePack at the start of the bytes, with bytes and extensions as strings; what follows it is not
/// read. Nothing when the bytes end inside it, begin no value, have a map with a key that is not a string, are nested
/// deeper than `depth` or hold more than `values` values. Source: msgpack/msgpack spec.md, "Formats".
std::optional<Value> parseMessagePack(const Bytes& bytes, uint64_t depth, uint64_t values);

/// How a Writer separates members and items.
enum class Layout {
  Indented, ///< each on its own line, two spaces per level
  OneLine   ///< no white space at all
};

/// Writes one JSON document as it goes, so that millions of rows need no memory: members in the order they are given.
/// Byte strings that are not UTF-8 become {"hex": "…"}.
class Writer {
public:
  /// `sink` receives the text in pieces.
  explicit Writer(std::function<void(std::string_view)> sink, Layout layout = Layout::Indented)
      : m_sink(std::move(sink)), m_layout(layout) {}
  /// A document that was not finished loses what was not handed on yet.
  ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& beginObject() { return begin('{'); }
  Writer& endObject() { return end('}'); }
  Writer& beginArray() { return begin('['); }
  Writer& endArray() { return end(']'); }
  /// Name of the next member.
  Writer& key(std::string_view name);
  Writer& value(std::string_view bytes);
  Writer& value(const char* text) { return value(std::string_view(text)); }
  /// Whole numbers in decimal; bool as true or false.
  template <std::integral T> Writer& value(T number) {
    if constexpr (std::same_as<T, bool>)
      return raw(number ? "true" : "false");
    else
      return raw(std::to_string(number));
  }
  Writer& null() { return raw("null"); }
  /// A parsed value, with all that is in it.
  Writer& value(const Value& parsed);
  /// Text that already is a JSON value.
  Writer& raw(std::string_view text);
  template <class T> Writer& member(std::string_view name, const T& content) { return key(name).value(content); }
  Writer& member(std::string_view name, const std::optional<uint64_t>& content) {
    return content ? key(name).value(*content) : nullMember(name);
  }
  Writer& nullMember(std::string_view name) { return key(name).null(); }
  /// A member that is an array of the values of `list`.
  template <class List> Writer& listMember(std::string_view name, const List& list) {
    key(name).beginArray();
    for (const auto& item : list) value(item);
    return endArray();
  }
  /// Ends the document with its one newline and passes the rest to the sink.
  void finish();

private:
  void separate();
  Writer& begin(char bracket);
  Writer& end(char bracket);
  void newLine();
  void quoted(std::string_view text);
  void flush();

  std::function<void(std::string_view)> m_sink;
  Layout m_layout;
  std::string m_text;
  std::vector<bool> m_filled; ///< of each open object and array: whether something is in it
  bool m_afterKey = false;
};

} // namespace blobscope::json
