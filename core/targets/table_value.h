#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace blobscope::targets {

/// A value of a table, which knows its file and its place there for messages. It refers to the value and to the one
/// that contains it.
class TableValue {
public:
  TableValue(const std::string& path, const json::Value& root) : m_path(&path), m_value(&root) {}
  /// PRE-FACTS with the place of this value.
  Error fail(std::string_view why) const {
    const std::string at = pointer();
    return {DiagnosticId::PreFacts,
            {arg("path", *m_path), {"why", (at.empty() ? "" : "at '" + escaped(at, 200) + "': ") + std::string(why)}}};
  }
  bool has(std::string_view name) const { return m_value->find(name) != nullptr; }
  Result<TableValue> member(std::string_view name) const {
    const json::Value* const found = m_value->find(name);
    if (!found) return fail("the member '" + std::string(name) + "' is missing");
    return TableValue(*this, name, 0, *found);
  }
  Result<std::string> text() const {
    if (!m_value->isString()) return fail("it is not a text");
    return m_value->text();
  }
  Result<std::string> text(std::string_view name) const {
    BLOBSCOPE_TRY(value, member(name));
    return value.text();
  }
  Result<uint64_t> number() const {
    if (m_value->type() != json::Value::Type::Unsigned) return fail("it is not a whole number");
    return m_value->number();
  }
  Result<uint64_t> number(std::string_view name) const {
    BLOBSCOPE_TRY(value, member(name));
    return value.number();
  }
  Result<std::optional<uint64_t>> optionalNumber(std::string_view name) const {
    if (!has(name)) return std::optional<uint64_t>();
    BLOBSCOPE_TRY(value, number(name));
    return std::optional<uint64_t>(value);
  }
  /// At most six digits.
  Result<uint32_t> smallNumber() const {
    BLOBSCOPE_TRY(value, number());
    if (value > 999'999) return fail("it is too large");
    return static_cast<uint32_t>(value);
  }
  Result<uint32_t> smallNumber(std::string_view name) const {
    BLOBSCOPE_TRY(value, member(name));
    return value.smallNumber();
  }
  /// "0xd225de2f4214151d".
  Result<uint64_t> hexNumber() const {
    BLOBSCOPE_TRY(digits, text());
    uint64_t out = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = digits.starts_with("0x") ? std::from_chars(digits.data() + 2, end, out, 16)
                                               : std::from_chars_result{nullptr, std::errc::invalid_argument};
    if (read.ec != std::errc() || read.ptr != end) return fail("it is not a number such as 0x1f");
    return out;
  }
  /// `use(name, value)` for each member, until one returns an error.
  template <class Use> Result<Done> forMembers(const Use& use) const {
    const json::Value::Object* const object = m_value->object();
    if (!object) return fail("it is not an object");
    for (const auto& [name, value] : *object)
      BLOBSCOPE_CHECK(use(std::string_view(name), TableValue(*this, name, 0, value)));
    return Done{};
  }
  /// `use(value)` for each item.
  template <class Use> Result<Done> forItems(const Use& use) const {
    const json::Value::Array* const array = m_value->array();
    if (!array) return fail("it is not an array");
    for (std::size_t i = 0; i < array->size(); ++i) BLOBSCOPE_CHECK(use(TableValue(*this, {}, i, (*array)[i])));
    return Done{};
  }

private:
  TableValue(const TableValue& parent, std::string_view name, std::size_t index, const json::Value& value)
      : m_path(parent.m_path), m_value(&value), m_parent(&parent), m_name(name), m_index(index) {}
  std::string pointer() const {
    if (!m_parent) return {};
    return m_name.data() ? json::pointerStep(m_parent->pointer(), m_name)
                         : json::pointerStep(m_parent->pointer(), m_index);
  }

  const std::string* m_path;
  const json::Value* m_value;
  const TableValue* m_parent = nullptr;
  std::string_view m_name;
  std::size_t m_index = 0;
};

} // namespace blobscope::targets
