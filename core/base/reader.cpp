#include "core/base/reader.h"

#include "core/base/source.h"
#include "core/base/text.h"

namespace blobscope {

Bytes Reader::string(const char* field) {
  const uint64_t position = m_position;
  const auto length = number<uint64_t>(field);
  if (!ok()) return {};
  if (length > left()) {
    fail(Kind::Length, field, position, length);
    return {};
  }
  return raw(field, length);
}

uint64_t Reader::count(const char* field, uint64_t minimumSize) {
  const uint64_t position = m_position;
  const auto count = number<uint64_t>(field);
  if (!ok()) return 0;
  if (count > left() / minimumSize) {
    fail(Kind::Count, field, position, count);
    return 0;
  }
  if (count > limits::kListItems) {
    fail(Kind::Limit, field, position, count, "", limits::kListItems);
    return 0;
  }
  return count;
}

Bytes Reader::array(const char* field, uint64_t elementSize, uint64_t limit) {
  const uint64_t position = m_position;
  const auto count = number<uint64_t>(field);
  if (!ok()) return {};
  if (count > left() / elementSize) {
    fail(Kind::Count, field, position, count);
    return {};
  }
  if (count > limit) {
    fail(Kind::Limit, field, position, count, "", limit);
    return {};
  }
  return raw(field, count * elementSize);
}

void Reader::failValue(const char* field, uint64_t position, uint64_t value, const char* expected) {
  if (ok()) fail(Kind::Value, field, position, value, expected);
}

void Reader::failLeftOver(const char* field) {
  if (ok()) fail(Kind::LeftOver, field, m_position, left());
}

void Reader::fail(Kind kind, const char* field, uint64_t position, uint64_t wanted, const char* expected,
                  uint64_t limit) {
  const uint64_t afterWord = position + 8 <= m_bytes.size() ? m_bytes.size() - position - 8 : 0;
  const bool word = kind == Kind::Length || kind == Kind::Count || kind == Kind::Limit;
  m_failure =
      Failure{kind, m_scopes, field, position, wanted, word ? afterWord : m_bytes.size() - position, expected, limit};
}

uint64_t Reader::failedAt() const {
  if (!m_failure) return m_bytes.offset().value_or(0) + m_position;
  return m_bytes.offset().value_or(0) + m_failure->position;
}

Error Reader::error() const {
  if (m_bytes.owner())
    if (const auto lost = m_bytes.owner()->damage())
      return Error(DiagnosticId::FileChanged, {hexArg("at", *lost)}, Ref::bytesAt(*lost));
  if (!m_failure) return Error(DiagnosticId::Internal, {arg("what", "a reader without a failure was asked for it")});

  std::string path;
  for (const Scope& scope : m_failure->scopes) {
    if (scope.name && !*scope.name) continue; // the structure of a list item
    if (scope.name)
      path += (path.empty() ? "" : ".") + std::string(scope.name);
    else
      path += "[" + std::to_string(scope.index) + "]";
  }
  if (*m_failure->field) path += (path.empty() ? "" : ".") + std::string(m_failure->field);
  const uint64_t at = failedAt();
  const auto make = [&](DiagnosticId id) {
    return Error(id,
                 {arg("field", path), hexArg("at", at), arg("wanted", m_failure->wanted), arg("left", m_failure->left),
                  arg("limit", m_failure->limit), hexArg("value", m_failure->wanted),
                  arg("expected", m_failure->expected)},
                 m_bytes.offset() ? Ref::bytesAt(at) : Ref::file());
  };
  switch (m_failure->kind) {
  case Kind::Truncated: return make(DiagnosticId::FieldTruncated);
  case Kind::Length: return make(DiagnosticId::FieldLength);
  case Kind::Count: return make(DiagnosticId::FieldCount);
  case Kind::Limit: return make(DiagnosticId::FieldLimit);
  case Kind::Value: return make(DiagnosticId::FieldValue);
  case Kind::LeftOver: break;
  }
  return make(DiagnosticId::FieldLeftOver);
}

} // namespace blobscope
