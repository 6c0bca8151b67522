#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
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

/// A parsed JSON value. Objects keep the order of their members, and every member is kept, even when a name repeats.
struct Value {
  using Array = std::vector<Value>;
  using Object = std::vector<std::pair<std::string, Value>>;
  /// In the order of the alternatives of `data`. Negative: a whole number below 0.
  enum class Type { Null, Bool, Negative, Unsigned, Real, String, Array, Object };

  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> data = nullptr;
  Extent extent = {}; ///< of the value in the parsed text, from its first byte; empty for other values

  Type type() const { return static_cast<Type>(data.index()); }
  bool isNull() const { return type() == Type::Null; }
  bool isString() const { return type() == Type::String; }
  bool isArray() const { return type() == Type::Array; }
  bool isObject() const { return type() == Type::Object; }
  /// A number without a fraction.
  bool isWhole() const { return type() == Type::Negative || type() == Type::Unsigned; }
  const Object* object() const { return std::get_if<Object>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
  const std::string* string() const { return std::get_if<std::string>(&data); }
  /// The content; empty or 0 when the value is of another type.
  const Object& members() const { return contentOr<Object>(); }
  const Array& items() const { return contentOr<Array>(); }
  const std::string& text() const { return contentOr<std::string>(); }
  uint64_t number() const { return contentOr<uint64_t>(); }
  /// The first member with that name; null when there is none or this is not an object.
  const Value* find(std::string_view name) const;

private:
  template <class T> const T& contentOr() const {
    static const T kNone{};
    const T* const content = std::get_if<T>(&data);
    return content ? *content : kNone;
  }
};

/// Parses a text. JSON-TEXT with the byte offset for text that is not JSON, JSON-DEPTH above limits::kJsonDepth levels,
/// FILE-LIMIT above limits::kJsonValues values.
Result<Value> parse(const Bytes& text);

/// A member whose name already occurred in its object.
struct Duplicate {
  std::string pointer; ///< JSON pointer (RFC 6901) of the member
  Extent extent;       ///< of its value
};

/// At most this many duplicates of one text are kept.
constexpr std::size_t kDuplicates = 200;
/// Maximum number of values in a text that is parsed with its duplicates; see limits::kJsonValues. The largest graph
/// seen has some ten thousand.
constexpr std::size_t kLocatedValues = 1'048'576;

struct LocatedDocument {
  Value root;
  std::vector<Duplicate> duplicates; ///< in the order of the text
};

/// Accepts the same texts as parse() and also returns the members whose names repeat. JSON-TEXT with the byte offset;
/// JSON-DEPTH; FILE-LIMIT above kLocatedValues.
Result<LocatedDocument> parseLocated(const Bytes& text);

/// `pointer` with one more step, escaped as RFC 6901 requires ("~0", "~1").
std::string pointerStep(std::string_view pointer, std::string_view name);
std::string pointerStep(std::string_view pointer, std::size_t index);

/// The MessagePack value at the start of the bytes, with byte strings and extensions as strings; what follows it is not
/// read. Nothing when the bytes end inside the value, do not begin a value, have a map with a key that is not a string,
/// are nested deeper than `depth` or have more than `values` values. Source: msgpack/msgpack spec.md, "Formats".
std::optional<Value> parseMessagePack(const Bytes& bytes, uint64_t depth, uint64_t values);

/// How a Writer separates members and items.
enum class Layout {
  Indented, ///< each on its own line, two spaces per level
  OneLine   ///< no white space at all
};

/// Writes one JSON document piece by piece, so that millions of rows need no memory. Members are written in the order
/// of the calls. Byte strings that are not UTF-8 become {"hex": "…"}. Control characters are escaped, also C1 controls,
/// line separators and bidirectional controls, so that names from a file cannot act on a terminal.
class Writer {
public:
  /// `sink` receives the text in pieces.
  explicit Writer(std::function<void(std::string_view)> sink, Layout layout = Layout::Indented)
      : m_sink(std::move(sink)), m_layout(layout) {}
  /// An unfinished document loses the text that was not passed to the sink yet.
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
  /// A parsed value with everything in it.
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
