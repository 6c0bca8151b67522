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

/// Writes one JSON document as it goes, so that millions of rows need no memory: two spaces per level, members in the
/// order they are given. Byte strings that are not UTF-8 become {"hex": "…"}.
class Writer {
public:
  /// `sink` receives the text in pieces.
  explicit Writer(std::function<void(std::string_view)> sink) : m_sink(std::move(sink)) {}
  /// A document that was not finished loses what was not handed on yet.
  ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void beginObject();
  void endObject();
  void beginArray();
  void endArray();
  /// Name of the next member.
  Writer& key(std::string_view name);
  void value(std::string_view bytes);
  void value(const char* text) { value(std::string_view(text)); }
  /// Unsigned numbers in decimal; bool as true or false.
  template <std::unsigned_integral T> void value(T number) {
    if constexpr (std::same_as<T, bool>)
      plain(number ? "true" : "false");
    else
      plain(std::to_string(number));
  }
  void null() { plain("null"); }
  /// A parsed value, with all that is in it.
  void value(const Value& parsed);
  template <class T> void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  void member(std::string_view name, const std::optional<uint64_t>& content) {
    key(name);
    content ? value(*content) : null();
  }
  void nullMember(std::string_view name) {
    key(name);
    null();
  }
  /// Ends the document with its one newline and hands the rest to the sink.
  void finish();

private:
  struct Level {
    bool array;
    bool empty;
  };
  void separate();
  void end(char bracket);
  void plain(std::string_view text);
  void quoted(std::string_view text);
  void flush();

  std::function<void(std::string_view)> m_sink;
  std::string m_text;
  std::vector<Level> m_levels;
  bool m_afterKey = false;
};

} // namespace blobscope::json
