#pragma once

#include "core/base/diagnostic.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace blobscope {

/// The reason why a request failed. `id` names the row of diagnostics.inc that the message is made from; code() is for
/// reacting, message() for reading.
class Error {
public:
  Error(DiagnosticId id, std::vector<Argument> arguments, Ref place = {})
      : m_diagnostic{id, std::move(place), std::move(arguments)} {}

  DiagnosticId id() const { return m_diagnostic.id; }
  ErrorCode code() const { return row(m_diagnostic.id).code; }
  const Ref& place() const { return m_diagnostic.place; }
  const Diagnostic& diagnostic() const { return m_diagnostic; }
  /// The sentence, preceded by its trail, outermost first: "module 3 'cuda': code length …".
  std::string message() const;
  /// Adds what was being done when the error occurred; call it from the inside out.
  Error&& within(std::string what) && {
    m_trail.push_back(std::move(what));
    return std::move(*this);
  }
  const std::vector<std::string>& trail() const { return m_trail; }

private:
  Diagnostic m_diagnostic;
  std::vector<std::string> m_trail;
};

/// A value, or the Error that says why there is none. It has the interface of std::expected, which g++ 12 lacks in
/// C++20.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : m_state(std::in_place_index<1>, std::make_unique<Error>(std::move(error))) {}

  explicit operator bool() const { return m_state.index() == 0; }
  bool hasValue() const { return m_state.index() == 0; }
  T& value() { return std::get<0>(m_state); }
  const T& value() const { return std::get<0>(m_state); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return *std::get<1>(m_state); }
  Error takeError() { return std::move(*std::get<1>(m_state)); }

private:
  std::variant<T, std::unique_ptr<Error>> m_state;
};

/// Success without a value.
struct Done {};

} // namespace blobscope

// NOLINTBEGIN(bugprone-macro-parentheses): `name` is declared, and a declared name takes no parentheses.
/// `BLOBSCOPE_TRY(name, expression)`: declares `name` as the value of a Result, or returns its error.
#define BLOBSCOPE_TRY(name, expression)                                                                                \
  auto name##Result = (expression);                                                                                    \
  if (!name##Result) return name##Result.takeError();                                                                  \
  auto name = std::move(*name##Result)
// NOLINTEND(bugprone-macro-parentheses)

/// `BLOBSCOPE_CHECK(expression)`: returns the error of a Result<Done>, if it has one.
#define BLOBSCOPE_CHECK(expression)                                                                                    \
  if (auto checkedResult = (expression); !checkedResult) return checkedResult.takeError()
