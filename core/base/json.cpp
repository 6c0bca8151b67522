#include "core/base/json.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <type_traits>

namespace blobscope::json {
namespace {

/// Input for nlohmann's lexer that records how far it has read.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** reached) : m_at(at), m_reached(reached) {}
  reference operator*() const { return *m_at; }
  CountingIterator& operator++() {
    *m_reached = ++m_at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return m_at == other.m_at; }
  bool operator!=(const CountingIterator& other) const { return m_at != other.m_at; }

private:
  const char* m_at;
  const char** m_reached;
};

/// Builds a Value from nlohmann's events, without recursion: open containers are in a list. In text, the lexer has read
/// exactly the token when an event arrives. After a number it has read one more character, so the end of a number is
/// searched in the text.
class Builder {
public:
  /// `text`: empty when the events do not come from text; all extents are empty then. `duplicates`: collects the
  /// members whose names repeat, null when they are not needed.
  Builder(uint64_t depth, uint64_t values, std::string_view text = {}, std::vector<Duplicate>* duplicates = nullptr)
      : m_depth(depth), m_values(values), m_text(text), m_reached(text.data()), m_duplicates(duplicates) {
    if (text.starts_with("\xef\xbb\xbf")) m_end = 3; // the library skips a byte order mark
  }
  CountingIterator begin() { return {m_text.data(), &m_reached}; }
  CountingIterator end() { return {m_text.data() + m_text.size(), &m_reached}; }

  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return add(nullptr); }
  bool boolean(bool flag) { return add(flag); }
  // NOLINTBEGIN(readability-identifier-naming): the names that nlohmann's SAX interface calls.
  bool number_integer(number_integer_t number) { return add(int64_t{number}); }
  bool number_unsigned(number_unsigned_t number) { return add(uint64_t{number}); }
  bool number_float(number_float_t number, const string_t&) { return add(number); }
  bool string(string_t& text) { return add(std::move(text)); }
  bool binary(binary_t& bytes) { return add(std::string(bytes.begin(), bytes.end())); }
  bool start_object(std::size_t) { return open(Value::Object{}); }
  bool start_array(std::size_t) { return open(Value::Array{}); }
  bool key(string_t& name) {
    m_open.back().key = std::move(name);
    m_end = reached();
    return true;
  }
  bool end_object() {
    if (m_duplicates) findDuplicates();
    return close();
  }
  bool end_array() { return close(); }
  template <class E> bool parse_error(std::size_t position, const std::string&, const E&) {
    m_errorAt = position;
    return false;
  }
  // NOLINTEND(readability-identifier-naming)

  Value take() { return std::move(m_root); }
  bool tooDeep() const { return m_tooDeep; }
  bool tooMany() const { return m_count > m_values; }
  std::size_t errorAt() const { return m_errorAt; }

private:
  struct Open {
    Value value;
    std::string key;
  };
  std::size_t reached() const { return static_cast<std::size_t>(m_reached - m_text.data()); }
  /// Offset of the next value: after the last token and the separators that follow it.
  std::size_t start() const { return std::min(m_text.find_first_not_of(" \t\r\n,:", m_end), m_text.size()); }

  template <class T> bool add(T content) {
    constexpr bool kNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
    const std::size_t begin = start();
    m_end = kNumber ? std::min(m_text.find_first_not_of("+-.0123456789Ee", begin), m_text.size()) : reached();
    return place({std::move(content), {begin, m_end - begin}});
  }
  bool place(Value value) {
    if (++m_count > m_values) return false;
    if (m_open.empty())
      m_root = std::move(value);
    else if (auto* object = std::get_if<Value::Object>(&m_open.back().value.data))
      object->emplace_back(std::move(m_open.back().key), std::move(value));
    else
      std::get<Value::Array>(m_open.back().value.data).push_back(std::move(value));
    return true;
  }
  template <class T> bool open(T container) {
    if (m_open.size() >= m_depth) {
      m_tooDeep = true;
      return false;
    }
    m_open.push_back({{std::move(container), {start(), 0}}, {}});
    m_end = reached();
    return true;
  }
  bool close() {
    m_end = reached();
    Value value = std::move(m_open.back().value);
    m_open.pop_back();
    value.extent.size = m_end - value.extent.offset;
    return place(std::move(value));
  }
  /// Collects the duplicates of the object that ends.
  void findDuplicates() {
    const auto& members = m_open.back().value.members();
    std::vector<uint32_t> order(members.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return members[a].first < members[b].first; });
    for (std::size_t i = 1; i < order.size() && m_duplicates->size() < kDuplicates; ++i) {
      const auto& [name, value] = members[order[i]];
      if (name != members[order[i - 1]].first) continue;
      std::string pointer;
      for (std::size_t level = 0; level + 1 < m_open.size(); ++level) {
        const auto& [around, key] = m_open[level];
        pointer = around.isObject() ? pointerStep(pointer, key) : pointerStep(pointer, around.items().size());
      }
      m_duplicates->push_back({pointerStep(pointer, name), value.extent});
    }
  }

  uint64_t m_depth, m_values;
  std::string_view m_text;
  const char* m_reached;
  std::vector<Duplicate>* m_duplicates;
  std::size_t m_end = 0; ///< of the last token
  std::vector<Open> m_open;
  Value m_root;
  uint64_t m_count = 0;
  bool m_tooDeep = false;
  std::size_t m_errorAt = 0;
};

/// The value of the whole text, which may have `most` values. An error names the offset at which the text is not JSON.
Result<Value> readText(const Bytes& text, uint64_t most, std::vector<Duplicate>* duplicates) {
  const auto error = [&](uint64_t position) {
    const uint64_t at = text.offset().value_or(0) + position;
    return Error(DiagnosticId::JsonText, {hexArg("at", at)}, Ref::bytesAt(at));
  };
  Builder builder(limits::kJsonDepth, most, text.view(), duplicates);
  try {
    if (nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder)) {
      // The library treats a NUL as the end and would ignore everything after it.
      const std::size_t nul = text.view().find('\0');
      if (nul == std::string_view::npos) return builder.take();
      return error(nul);
    }
  } catch (const std::exception&) {
    // The library throws only when it is misused; for a byte that it cannot read it sends an event.
  }
  if (builder.tooMany())
    return Error(DiagnosticId::FileLimit, {arg("count", most + 1), arg("what", "JSON values"), arg("limit", most)});
  if (builder.tooDeep()) return Error(DiagnosticId::JsonDepth, {arg("limit", limits::kJsonDepth)});
  return error(builder.errorAt() > 0 ? builder.errorAt() - 1 : 0);
}

} // namespace

const Value* Value::find(std::string_view name) const {
  for (const auto& [key, value] : members())
    if (key == name) return &value;
  return nullptr;
}

Result<Value> parse(const Bytes& text) { return readText(text, limits::kJsonValues, nullptr); }

Result<LocatedDocument> parseLocated(const Bytes& text) {
  std::vector<Duplicate> duplicates;
  BLOBSCOPE_TRY(root, readText(text, kLocatedValues, &duplicates));
  std::sort(duplicates.begin(), duplicates.end(),
            [](const Duplicate& a, const Duplicate& b) { return a.extent.offset < b.extent.offset; });
  return LocatedDocument{std::move(root), std::move(duplicates)};
}

std::optional<Value> parseMessagePack(const Bytes& bytes, uint64_t depth, uint64_t values) {
  Builder builder(depth, values);
  const std::string_view view = bytes.view();
  constexpr bool kWholeInput = false;
  try {
    if (nlohmann::json::sax_parse(view.begin(), view.end(), &builder, nlohmann::json::input_format_t::msgpack,
                                  kWholeInput))
      return builder.take();
  } catch (const nlohmann::json::exception&) {
    // The library throws only when it is misused; for bytes that it cannot read it sends an event.
  }
  return std::nullopt;
}

std::string pointerStep(std::string_view pointer, std::string_view name) {
  std::string out(pointer);
  out += '/';
  for (const char c : name) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string pointerStep(std::string_view pointer, std::size_t index) {
  return std::string(pointer) + '/' + std::to_string(index);
}

namespace {

/// A character that controls a terminal or the order of the text around it.
struct Control {
  unsigned code;
  std::size_t size; ///< in UTF-8
};

/// The C1 control, line or paragraph separator, or bidirectional control at the start of a UTF-8 text. Source: Unicode
/// 17.0, PropList.txt, Bidi_Control.
std::optional<Control> controlAt(std::string_view text) {
  const auto next = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = next(0), second = next(1), third = next(2);
  if (first == 0xc2 && second >= 0x80 && second <= 0x9f) return Control{second, 2};
  if (first == 0xd8 && second == 0x9c) return Control{0x61c, 2};
  if (first != 0xe2 || (second != 0x80 && second != 0x81) || third < 0x80 || third > 0xbf) return std::nullopt;
  const unsigned code = 0x2000 + (second - 0x80) * 64 + (third - 0x80);
  const bool isControl =
      code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return isControl ? std::optional(Control{code, 3}) : std::nullopt;
}

} // namespace

void Writer::newLine() {
  if (m_layout == Layout::OneLine) return;
  m_text += '\n';
  m_text.append(2 * m_filled.size(), ' ');
}

void Writer::separate() {
  if (m_afterKey) {
    m_afterKey = false;
    return;
  }
  if (m_filled.empty()) return;
  if (m_filled.back()) m_text += ',';
  newLine();
  m_filled.back() = true;
  if (m_text.size() > 64 * 1024) flush();
}

Writer& Writer::begin(char bracket) {
  raw({&bracket, 1});
  m_filled.push_back(false);
  return *this;
}

Writer& Writer::end(char bracket) {
  const bool filled = m_filled.back();
  m_filled.pop_back();
  if (filled) newLine();
  m_text += bracket;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  separate();
  quoted(name);
  m_text += m_layout == Layout::OneLine ? ":" : ": ";
  m_afterKey = true;
  return *this;
}

Writer& Writer::value(std::string_view bytes) {
  separate();
  if (isUtf8(bytes)) {
    quoted(bytes);
  } else {
    m_text += m_layout == Layout::OneLine ? "{\"hex\":\"" : "{\"hex\": \"";
    m_text += hexDigits(bytes);
    m_text += "\"}";
  }
  return *this;
}

Writer& Writer::value(const Value& parsed) {
  struct Visitor {
    Writer& writer;
    void operator()(std::nullptr_t) { writer.null(); }
    void operator()(bool truth) { writer.value(truth); }
    void operator()(int64_t number) { writer.value(number); }
    void operator()(uint64_t number) { writer.value(number); }
    void operator()(double number) { writer.raw(nlohmann::json(number).dump()); }
    void operator()(const std::string& text) { writer.value(std::string_view(text)); }
    void operator()(const Value::Array& items) {
      writer.beginArray();
      for (const Value& item : items) writer.value(item);
      writer.endArray();
    }
    void operator()(const Value::Object& members) {
      writer.beginObject();
      for (const auto& [name, item] : members) writer.member(name, item);
      writer.endObject();
    }
  };
  std::visit(Visitor{*this}, parsed.data); // parse() limits the nesting
  return *this;
}

Writer& Writer::raw(std::string_view text) {
  separate();
  m_text += text;
  return *this;
}

void Writer::quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto isPlain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  m_text += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t begin = i;
    while (i < text.size() && isPlain(text[i])) ++i;
    m_text += text.substr(begin, i - begin);
    if (i == text.size()) break;
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (const auto control = byte >= 0x80 ? controlAt(text.substr(i)) : std::nullopt) {
      m_text += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) m_text += kDigits[(control->code >> shift) & 15];
      i += control->size - 1;
      continue;
    }
    if (c == '"' || c == '\\') {
      m_text += {'\\', c};
    } else if (c == '\n') {
      m_text += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      m_text += {'\\', 'u', '0', '0', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      m_text += c;
    }
  }
  m_text += '"';
}

void Writer::finish() {
  m_text += '\n';
  flush();
}

void Writer::flush() {
  if (!m_text.empty()) m_sink(m_text);
  m_text.clear();
}

} // namespace blobscope::json
