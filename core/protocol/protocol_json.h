#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Writes JSON on one line, and reads objects that have exactly the expected members. Only for core/protocol.
namespace blobscope::protocol {

/// The document that `write` writes, on one line with a newline at its end.
template <class F> std::string oneLine(F&& write) {
  std::string text;
  json::Writer out([&](std::string_view piece) { text += piece; }, json::Layout::OneLine);
  write(out);
  out.finish();
  return text;
}

/// Text as the protocol carries it: text that is not UTF-8 is escaped like in core/base/text.h.
inline std::string utf8Text(std::string_view bytes) { return isUtf8(bytes) ? std::string(bytes) : escapedWhole(bytes); }

/// Reads the members of an object in the order in which they were written; keeps the first problem.
class MemberReader {
public:
  explicit MemberReader(const json::Value& value) : m_members(value.object()) {
    if (!m_members) fail("not an object");
  }

  const std::string& problem() const { return m_problem; }
  bool fine() const { return m_problem.empty(); }
  void fail(std::string what) {
    if (m_problem.empty()) m_problem = what.empty() ? "?" : std::move(what);
  }
  bool isNext(std::string_view name) const {
    return fine() && m_next < m_members->size() && (*m_members)[m_next].first == name;
  }
  /// The next member, which must have that name; null after a problem.
  const json::Value* take(std::string_view name) {
    if (!fine()) return nullptr;
    if (!isNext(name)) {
      fail("'" + std::string(name) + "' is missing");
      return nullptr;
    }
    return &(*m_members)[m_next++].second;
  }
  void end() {
    if (fine() && m_next != m_members->size())
      fail("'" + escapedWithin((*m_members)[m_next].first, 40) + "' is unknown");
  }
  /// Adopts the problem of an inner object.
  void within(std::string_view name, const MemberReader& inner) {
    if (!inner.fine()) fail(std::string(name) + ": " + inner.problem());
  }

  std::string text(std::string_view name) {
    const json::Value* const value = take(name);
    if (!value) return {};
    if (const std::string* const found = value->string()) return *found;
    fail("'" + std::string(name) + "' is not a string");
    return {};
  }
  bool truth(std::string_view name) {
    const json::Value* const value = take(name);
    if (!value) return false;
    if (const bool* const found = std::get_if<bool>(&value->data)) return *found;
    fail("'" + std::string(name) + "' is neither true nor false");
    return false;
  }
  template <std::integral T> T number(std::string_view name) {
    const json::Value* const value = take(name);
    return value ? wholeOf<T>(*value, name) : T{};
  }
  template <std::integral T> std::optional<T> numberIfNext(std::string_view name) {
    if (!isNext(name)) return std::nullopt;
    return number<T>(name);
  }
  template <class F> void list(std::string_view name, std::size_t most, F&& each) {
    const json::Value* const value = take(name);
    if (!value) return;
    const json::Value::Array* const items = std::get_if<json::Value::Array>(&value->data);
    if (!items) return fail("'" + std::string(name) + "' is not a list");
    if (items->size() > most)
      return fail("'" + std::string(name) + "' has " + std::to_string(items->size()) + " entries");
    for (const json::Value& item : *items) {
      if (!fine()) return;
      each(item);
    }
  }
  std::vector<std::string> texts(std::string_view name, std::size_t most) {
    std::vector<std::string> out;
    list(name, most, [&](const json::Value& item) {
      if (const std::string* const found = item.string())
        out.push_back(*found);
      else
        fail("'" + std::string(name) + "' has an entry that is not a string");
    });
    return out;
  }
  template <std::integral T> std::vector<T> numbers(std::string_view name, std::size_t most) {
    std::vector<T> out;
    list(name, most, [&](const json::Value& item) { out.push_back(wholeOf<T>(item, name)); });
    return out;
  }
  std::array<uint64_t, 3> three(std::string_view name) {
    const std::vector<uint64_t> found = numbers<uint64_t>(name, 3);
    if (fine() && found.size() != 3) fail("'" + std::string(name) + "' does not have three numbers");
    return found.size() == 3 ? std::array<uint64_t, 3>{found[0], found[1], found[2]} : std::array<uint64_t, 3>{};
  }

private:
  template <std::integral T> T wholeOf(const json::Value& value, std::string_view name) {
    if (const auto* const found = std::get_if<uint64_t>(&value.data)) {
      if (std::in_range<T>(*found)) return static_cast<T>(*found);
    } else if (const auto* const negative = std::get_if<int64_t>(&value.data)) {
      if (std::in_range<T>(*negative)) return static_cast<T>(*negative);
    }
    fail("'" + std::string(name) + "' is not an integer that fits");
    return {};
  }

  const json::Value::Object* m_members;
  std::size_t m_next = 0;
  std::string m_problem;
};

} // namespace blobscope::protocol
