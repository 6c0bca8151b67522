#include "core/base/json.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <nlohmann/json.hpp>

namespace blobscope::json {
namespace {

/// Builds a Value from nlohmann's events. Recursion never happens: open containers stand in a list.
class Builder {
public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return add(nullptr); }
  bool boolean(bool flag) { return add(flag); }
  bool number_integer(number_integer_t number) { return add(int64_t{number}); }
  bool number_unsigned(number_unsigned_t number) { return add(uint64_t{number}); }
  bool number_float(number_float_t number, const string_t&) { return add(number); }
  bool string(string_t& text) { return add(std::move(text)); }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Value::Object{}); }
  bool start_array(std::size_t) { return open(Value::Array{}); }
  bool key(string_t& name) {
    m_open.back().key = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  template <class E> bool parse_error(std::size_t position, const std::string&, const E&) {
    m_errorAt = position;
    return false;
  }

  Value take() { return std::move(m_root); }
  bool tooDeep() const { return m_tooDeep; }
  std::size_t errorAt() const { return m_errorAt; }

private:
  struct Open {
    Value value;
    std::string key;
  };
  template <class T> bool add(T&& content) {
    Value value;
    value.data = std::forward<T>(content);
    return place(std::move(value));
  }
  bool place(Value value) {
    if (m_open.empty())
      m_root = std::move(value);
    else if (auto* object = std::get_if<Value::Object>(&m_open.back().value.data))
      object->emplace_back(std::move(m_open.back().key), std::move(value));
    else
      std::get<Value::Array>(m_open.back().value.data).push_back(std::move(value));
    return true;
  }
  template <class T> bool open(T container) {
    if (m_open.size() >= limits::kJsonDepth) {
      m_tooDeep = true;
      return false;
    }
    Value value;
    value.data = std::move(container);
    m_open.push_back({std::move(value), {}});
    return true;
  }
  bool close() {
    Value value = std::move(m_open.back().value);
    m_open.pop_back();
    return place(std::move(value));
  }

  std::vector<Open> m_open;
  Value m_root;
  bool m_tooDeep = false;
  std::size_t m_errorAt = 0;
};

} // namespace

const Value* Value::find(std::string_view name) const {
  const Object* const members = object();
  if (!members) return nullptr;
  for (const auto& [key, value] : *members)
    if (key == name) return &value;
  return nullptr;
}

Result<Value> parse(const Bytes& text) {
  Builder builder;
  const std::string_view view = text.view();
  try {
    if (nlohmann::json::sax_parse(view.begin(), view.end(), &builder)) {
      // The library takes a NUL for the end and would not see what follows.
      const std::size_t nul = view.find('\0');
      if (nul == std::string_view::npos) return builder.take();
      const uint64_t at = text.offset().value_or(0) + nul;
      return Error(DiagnosticId::JsonText, {hexArg("at", at)}, Ref::bytesAt(at));
    }
  } catch (const std::exception&) {
    // The library throws only for its own misuse; a byte that cannot be read is an event.
  }
  if (builder.tooDeep()) return Error(DiagnosticId::JsonDepth, {arg("limit", limits::kJsonDepth)});
  const uint64_t at = text.offset().value_or(0) + (builder.errorAt() > 0 ? builder.errorAt() - 1 : 0);
  return Error(DiagnosticId::JsonText, {hexArg("at", at)}, Ref::bytesAt(at));
}

void Writer::separate() {
  if (m_afterKey) {
    m_afterKey = false;
    return;
  }
  if (m_levels.empty()) return;
  m_text += m_levels.back().empty ? "\n" : ",\n";
  m_text.append(2 * m_levels.size(), ' ');
  m_levels.back().empty = false;
  if (m_text.size() > 64 * 1024) flush();
}

void Writer::end(char bracket) {
  const bool empty = m_levels.back().empty;
  m_levels.pop_back();
  if (!empty) {
    m_text += '\n';
    m_text.append(2 * m_levels.size(), ' ');
  }
  m_text += bracket;
}

void Writer::beginObject() {
  separate();
  m_text += '{';
  m_levels.push_back({false, true});
}
void Writer::endObject() { end('}'); }
void Writer::beginArray() {
  separate();
  m_text += '[';
  m_levels.push_back({true, true});
}
void Writer::endArray() { end(']'); }

Writer& Writer::key(std::string_view name) {
  separate();
  quoted(name);
  m_text += ": ";
  m_afterKey = true;
  return *this;
}

void Writer::value(std::string_view bytes) {
  separate();
  if (isUtf8(bytes)) {
    quoted(bytes);
  } else {
    m_text += "{\"hex\": \"";
    m_text += hexDigits(bytes);
    m_text += "\"}";
  }
}
void Writer::value(const Value& parsed) {
  struct Visitor {
    Writer& writer;
    void operator()(std::nullptr_t) { writer.null(); }
    void operator()(bool truth) { writer.value(truth); }
    void operator()(int64_t number) { writer.plain(std::to_string(number)); }
    void operator()(uint64_t number) { writer.value(number); }
    void operator()(double number) { writer.plain(nlohmann::json(number).dump()); }
    void operator()(const std::string& text) { writer.value(std::string_view(text)); }
    void operator()(const Value::Array& items) {
      writer.beginArray();
      for (const Value& item : items) writer.value(item);
      writer.endArray();
    }
    void operator()(const Value::Object& members) {
      writer.beginObject();
      for (const auto& [name, item] : members) writer.key(name).value(item);
      writer.endObject();
    }
  };
  std::visit(Visitor{*this}, parsed.data); // parse() bounds the nesting
}

void Writer::plain(std::string_view text) {
  separate();
  m_text += text;
}

void Writer::quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  m_text += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
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
