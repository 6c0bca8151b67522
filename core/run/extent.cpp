#include "core/run/extent.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace blobscope::run {
namespace {

constexpr int kDepth = 64;
/// More variables than any function seen has; after them the values repeat.
constexpr std::array<int64_t, 16> kPrimes = {7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67};

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Rounds towards minus infinity, as Python and TVM's floordiv do.
std::optional<int64_t> floorDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)) return std::nullopt;
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

class Parser {
public:
  Parser(std::string_view text, const Variables& variables) : m_text(text), m_variables(variables) {}

  Result<int64_t> parse() {
    const std::optional<int64_t> value = sum();
    skip();
    if (value && m_at == m_text.size()) return *value;
    if (m_why.empty()) m_why = "unexpected character at " + std::to_string(std::min(m_at, m_text.size()) + 1);
    return Error(DiagnosticId::Usage,
                 {{"what", "the size '" + escapedWithin(m_text, 200) + "' cannot be computed: " + m_why}});
  }

private:
  std::optional<int64_t> fail(std::string why) {
    if (m_why.empty()) m_why = std::move(why);
    return std::nullopt;
  }
  void skip() {
    while (m_at < m_text.size() && m_text[m_at] == ' ') ++m_at;
  }
  bool take(std::string_view word) {
    skip();
    if (m_text.substr(m_at, word.size()) != word) return false;
    m_at += word.size();
    return true;
  }

  std::optional<int64_t> sum() {
    std::optional<int64_t> value = product();
    while (value) {
      int64_t out = 0;
      if (take("+")) {
        const auto right = product();
        if (!right) return right;
        if (__builtin_add_overflow(*value, *right, &out)) return fail("the value does not fit in 64 bits");
      } else if (take("-")) {
        const auto right = product();
        if (!right) return right;
        if (__builtin_sub_overflow(*value, *right, &out)) return fail("the value does not fit in 64 bits");
      } else {
        break;
      }
      value = out;
    }
    return value;
  }

  std::optional<int64_t> product() {
    std::optional<int64_t> value = factor();
    while (value) {
      const bool divides = take("//"), rest = !divides && take("%");
      if (divides || rest) {
        const auto right = factor();
        if (!right) return right;
        const auto quotient = floorDivide(*value, *right);
        if (!quotient) return fail("division by zero");
        value = divides ? *quotient : *value - *quotient * *right;
      } else if (take("*")) {
        const auto right = factor();
        if (!right) return right;
        int64_t out = 0;
        if (__builtin_mul_overflow(*value, *right, &out)) return fail("the value does not fit in 64 bits");
        value = out;
      } else {
        break;
      }
    }
    return value;
  }

  std::optional<int64_t> factor() {
    if (++m_depth > kDepth) return fail("it is nested too deeply");
    const auto value = [&]() -> std::optional<int64_t> {
      skip();
      if (m_at >= m_text.size()) return fail("unexpected end");
      if (take("-")) {
        const auto right = factor();
        return right && *right != std::numeric_limits<int64_t>::min() ? std::optional(-*right)
                                                                      : fail("the value does not fit in 64 bits");
      }
      if (take("(")) {
        const auto inner = sum();
        return inner && !take(")") ? fail("missing ')'") : inner;
      }
      if (isDigit(m_text[m_at])) return number();
      if (isNameStart(m_text[m_at])) return nameOrCall();
      return std::nullopt;
    }();
    --m_depth;
    return value;
  }

  std::optional<int64_t> number() {
    const std::size_t from = m_at;
    while (m_at < m_text.size() && isDigit(m_text[m_at])) ++m_at;
    const auto value = parseNumber(m_text.substr(from, m_at - from));
    if (!value || *value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return fail("the value does not fit in 64 bits");
    return static_cast<int64_t>(*value);
  }

  std::optional<int64_t> nameOrCall() {
    const std::size_t from = m_at;
    while (m_at < m_text.size() && (isNameStart(m_text[m_at]) || isDigit(m_text[m_at]) || m_text[m_at] == '.')) ++m_at;
    const std::string_view name = m_text.substr(from, m_at - from);
    if (!take("(")) {
      const auto found = m_variables.find(name);
      return found != m_variables.end() ? std::optional(found->second)
                                        : fail("'" + std::string(name) + "' has no value");
    }
    std::array<int64_t, 2> values{};
    std::size_t count = 0;
    do {
      if (take("\"")) { // the type of T.Cast("int32", n)
        m_at = m_text.find('"', m_at);
        if (m_at == std::string_view::npos) {
          m_at = m_text.size();
          return fail("missing quote");
        }
        ++m_at;
        continue;
      }
      const auto value = sum();
      if (!value) return value;
      if (count == values.size()) return fail("'" + std::string(name) + "' has too many arguments");
      values[count++] = *value;
    } while (take(","));
    if (!take(")")) return fail("missing ')'");
    return call(name.substr(name.rfind('.') + 1), values, count);
  }

  std::optional<int64_t> call(std::string_view name, const std::array<int64_t, 2>& values, std::size_t count) {
    const auto [a, b] = values;
    if (count == 1 && (name == "int64" || name == "int32" || name == "Cast" || name == "cast" || name == "uint64" ||
                       name == "uint32"))
      return a;
    if (count != 2) return fail("unknown function '" + std::string(name) + "'");
    if (name == "max") return std::max(a, b);
    if (name == "min") return std::min(a, b);
    if (name == "floordiv" || name == "truncdiv" || name == "Div" || name == "div") {
      const auto quotient = floorDivide(a, b);
      return quotient ? quotient : fail("division by zero");
    }
    if (name == "floormod" || name == "truncmod") {
      const auto quotient = floorDivide(a, b);
      return quotient ? std::optional(a - *quotient * b) : fail("division by zero");
    }
    if (name == "shift_right" || name == "shift_left") {
      if (b < 0 || b > 62) return fail("the shift count " + std::to_string(b) + " is not between 0 and 62");
      if (name == "shift_right") return a >> b;
      if (a < 0) return fail("a negative number is shifted left");
      if (a > (std::numeric_limits<int64_t>::max() >> b)) return fail("the value does not fit in 64 bits");
      return a << b;
    }
    if (name == "bitwise_and") return a & b;
    if (name == "bitwise_or") return a | b;
    return fail("unknown function '" + std::string(name) + "'");
  }

  std::string_view m_text;
  const Variables& m_variables;
  std::size_t m_at = 0;
  int m_depth = 0;
  std::string m_why;
};

/// The variables that occur in parameters of this kind, and in no others.
std::vector<std::string> variablesOnlyIn(const host::Signature& signature, host::Parameter::Kind kind) {
  host::Signature with, without;
  for (const host::Parameter& parameter : signature.parameters)
    (parameter.kind == kind ? with : without).parameters.push_back(parameter);
  with.collectVariables();
  without.collectVariables();
  std::erase_if(with.variables, [&](const std::string& name) {
    return std::ranges::find(without.variables, name) != without.variables.end();
  });
  return with.variables;
}

} // namespace

Result<int64_t> evaluate(std::string_view expression, const Variables& variables) {
  return Parser(expression, variables).parse();
}

Variables chooseVariables(const host::Signature& signature, const Variables& given) {
  const std::vector<std::string> ofShapes = variablesOnlyIn(signature, host::Parameter::Kind::Shape);
  const auto isOfShapes = [&](const std::string& name) { return std::ranges::find(ofShapes, name) != ofShapes.end(); };
  Variables out;
  std::size_t next = 0;
  std::optional<int64_t> first;
  for (const std::string& name : signature.variables) {
    if (isOfShapes(name)) continue;
    const auto found = given.find(name);
    const auto [chosen, isNew] = out.try_emplace(name, found != given.end() ? found->second : 0);
    if (isNew && found == given.end()) chosen->second = kPrimes[next++ % kPrimes.size()];
    if (!first) first = chosen->second;
  }
  for (const std::string& name : ofShapes) {
    const auto found = given.find(name);
    out[name] = found != given.end() ? found->second : first.value_or(1);
  }
  return out;
}

} // namespace blobscope::run
