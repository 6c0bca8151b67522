#include "app/runner/probe_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <limits>

namespace blobscope::runner {
namespace {

constexpr unsigned kDepth = 64;

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Parses sums and products of integers, with names, casts, max and min, as TVM prints them.
class Expression {
public:
  Expression(std::string_view text, int64_t free) : m_text(text), m_free(free) {}
  std::optional<int64_t> value() {
    const auto found = sum();
    skip();
    return m_fine && m_at == m_text.size() ? std::optional(found) : std::nullopt;
  }

private:
  void skip() {
    while (m_at < m_text.size() && m_text[m_at] == ' ') ++m_at;
  }
  bool take(std::string_view what) {
    skip();
    if (!m_text.substr(m_at).starts_with(what)) return false;
    m_at += what.size();
    return true;
  }
  int64_t fail() {
    m_fine = false;
    return 0;
  }
  int64_t sum() {
    int64_t left = product();
    while (m_fine) {
      if (take("+"))
        left = __builtin_add_overflow(left, product(), &left) ? fail() : left;
      else if (take("-"))
        left = __builtin_sub_overflow(left, product(), &left) ? fail() : left;
      else
        break;
    }
    return left;
  }
  int64_t product() {
    int64_t left = one();
    while (m_fine) {
      const bool whole = take("//");
      if (whole || take("/"))
        left = divided(left, one(), false);
      else if (take("%"))
        left = divided(left, one(), true);
      else if (take("*"))
        left = __builtin_mul_overflow(left, one(), &left) ? fail() : left;
      else
        break;
    }
    return left;
  }
  /// Rounded down, as Python does.
  int64_t divided(int64_t a, int64_t b, bool rest) {
    if (!m_fine || b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return fail();
    const int64_t down = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    return rest ? a - down * b : down;
  }
  int64_t one() {
    skip();
    if (m_at >= m_text.size() || ++m_depth > kDepth) return fail();
    const int64_t value = oneInside();
    --m_depth;
    return value;
  }
  int64_t oneInside() {
    if (take("-")) {
      const int64_t value = one();
      return value == std::numeric_limits<int64_t>::min() ? fail() : -value;
    }
    if (take("(")) {
      // "(int64)n": a cast of old releases.
      const std::size_t before = m_at;
      const std::string_view type = name();
      if ((type.starts_with("int") || type.starts_with("uint")) && take(")")) return one();
      m_at = before;
      const int64_t value = sum();
      return take(")") ? value : fail();
    }
    const std::string_view word = name();
    if (word.empty()) return fail();
    if (isDigit(word[0])) {
      const auto number = parseNumber(word);
      return number && *number <= uint64_t{std::numeric_limits<int64_t>::max()} ? static_cast<int64_t>(*number)
                                                                                : fail();
    }
    if (!take("(")) return m_free;
    return called(word);
  }
  int64_t called(std::string_view word) {
    const auto ends = [&](std::string_view what) { return word.ends_with(what); };
    if (ends("Cast")) {
      skip();
      if (!take("\"")) return fail();
      while (m_at < m_text.size() && m_text[m_at] != '"') ++m_at;
      if (!take("\"") || !take(",")) return fail();
    }
    const int64_t first = sum();
    if (ends("max") || ends("min") || ends("floordiv") || ends("floormod") || ends("truncdiv")) {
      if (!take(",")) return fail();
      const int64_t second = sum();
      if (!take(")")) return fail();
      if (ends("max")) return std::max(first, second);
      if (ends("min")) return std::min(first, second);
      return divided(first, second, ends("mod"));
    }
    const bool cast = word.find("int") != std::string_view::npos || ends("Cast");
    return cast && take(")") ? first : fail();
  }
  std::string_view name() {
    skip();
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && isNameCharacter(m_text[m_at])) ++m_at;
    return m_text.substr(begin, m_at - begin);
  }

  std::string_view m_text;
  int64_t m_free;
  std::size_t m_at = 0;
  unsigned m_depth = 0;
  bool m_fine = true;
};

/// Returns the name that ends at `end`.
std::string_view nameBefore(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && isNameCharacter(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

std::string underscored(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

std::optional<int64_t> numberAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && isDigit(text[end])) ++end;
  const auto number = parseNumber(text.substr(at, end - at));
  return number && *number <= uint64_t{std::numeric_limits<int64_t>::max()}
             ? std::optional(static_cast<int64_t>(*number))
             : std::nullopt;
}

/// Returns the side of the equation that is not about the argument itself. Old releases only state it before the
/// sentence.
std::string_view wanted(std::string_view message, std::string_view about) {
  constexpr std::string_view kMark = "constraint: ";
  std::string_view equation;
  if (const std::size_t at = message.find(kMark); at != std::string_view::npos) {
    equation = message.substr(at + kMark.size());
  } else {
    constexpr std::string_view kBefore = "Assert fail: ";
    const std::size_t begin = message.find(kBefore), end = message.find(", Argument ");
    if (begin == std::string_view::npos || end == std::string_view::npos || begin + kBefore.size() > end) return {};
    equation = message.substr(begin + kBefore.size(), end - begin - kBefore.size());
  }
  equation = equation.substr(0, equation.find('\n'));
  // "((n + 1) == int32(arg0.shape[0]))", with or without outer parentheses.
  if (equation.starts_with('(') && equation.ends_with(')')) {
    int depth = 0;
    bool around = true;
    for (std::size_t i = 0; i + 1 < equation.size(); ++i) {
      depth += equation[i] == '(' ? 1 : equation[i] == ')' ? -1 : 0;
      if (depth == 0) around = false;
    }
    if (around) equation = equation.substr(1, equation.size() - 2);
  }
  const std::size_t middle = equation.find(" == ");
  if (middle == std::string_view::npos) return {};
  const std::string_view left = equation.substr(0, middle), right = equation.substr(middle + 4);
  return left.find(about) != std::string_view::npos ? right : left;
}

/// Returns the offset after `mark`; npos if the text does not contain it.
std::size_t positionAfter(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? at : at + mark.size();
}

/// Returns the name that begins at `at`.
std::string_view nameAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && isNameCharacter(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Interprets "Expect arg[0] to be pointer": the text after "arg[".
ProbeFact argumentFact(std::string_view message, std::size_t index) {
  ProbeFact fact;
  const auto number = numberAt(message, index);
  const std::size_t kind = message.find("to be ", index);
  if (!number || kind == std::string_view::npos) return fact;
  fact.kind = ProbeFact::Kind::ArgumentKind;
  fact.index = static_cast<std::size_t>(*number);
  fact.text = nameAt(message, kind + 6);
  for (const std::string_view mark : {"_type_index ", "_code ", ".code "})
    if (const std::size_t mention = message.find(mark); mention != std::string_view::npos) {
      fact.name = underscored(nameBefore(message, mention));
      break;
    }
  return fact;
}

/// Interprets "Argument PATH has an unsatisfied constraint: …": what the argument, its device or a dimension has to be.
ProbeFact constraintFact(std::string_view message, std::string_view path, int64_t free) {
  using Kind = ProbeFact::Kind;
  ProbeFact fact;
  if (const std::size_t shape = path.find(".shape["); shape != std::string_view::npos) {
    const auto number = numberAt(path, shape + 7);
    const std::string_view text = wanted(message, "shape[");
    const auto value = probeValue(text, free);
    if (!number || !value) return fact;
    fact.kind = Kind::Extent;
    fact.index = static_cast<std::size_t>(*number);
    fact.number = *value;
    fact.text = text;
    fact.name = underscored(path.substr(0, shape));
  } else if (path.ends_with(".device_type")) {
    const std::string_view text = wanted(message, "struct_get");
    const auto value = probeValue(text, free);
    if (!value) return fact;
    fact.kind = Kind::DeviceType;
    fact.number = *value;
    fact.name = underscored(path.substr(0, path.size() - 12));
  } else if (path.find('.') == std::string_view::npos || !path.ends_with("offset")) {
    const std::size_t dot = path.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? path : path.substr(dot + 1);
    const auto value = probeValue(wanted(message, last), free);
    if (!value) return fact;
    fact.kind = Kind::Scalar;
    fact.number = *value;
    fact.name = underscored(path);
  }
  return fact;
}

} // namespace

std::optional<int64_t> probeValue(std::string_view expression, int64_t free) {
  return Expression(expression, free).value();
}

bool probeNames(std::string_view path, std::string_view name) {
  if (name.empty() || !path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '_';
}

ProbeFact probeFact(std::string_view message, int64_t free) {
  using Kind = ProbeFact::Kind;
  constexpr auto npos = std::string_view::npos;
  ProbeFact fact;
  const auto numbered = [&](Kind kind, std::size_t at) {
    const auto number = numberAt(message, at);
    if (!number) return false;
    fact.kind = kind;
    fact.number = *number;
    return true;
  };
  const auto before = [&](std::string_view mark) { return underscored(nameBefore(message, message.find(mark))); };

  // TVM 0.24 and later: the message contains the whole signature.
  if (const std::size_t at = positionAfter(message, "when calling:\n  `"); at != npos) {
    if (const std::size_t end = message.find('`', at); end != npos) {
      fact.kind = Kind::Literal;
      fact.text = message.substr(at, end - at);
      return fact;
    }
  }
  if (const std::size_t at = positionAfter(message, "num_args should be "); at != npos) {
    numbered(Kind::Count, at);
  } else if (const std::size_t index = positionAfter(message, "Expect arg["); index != npos) {
    return argumentFact(message, index);
  } else if (const std::size_t rank = positionAfter(message, ".ndim is expected to equal "); rank != npos) {
    if (numbered(Kind::Rank, rank)) fact.name = before(".ndim is expected");
  } else if (const std::size_t type = positionAfter(message, ".dtype is expected to be "); type != npos) {
    fact.kind = Kind::Dtype;
    fact.text = nameAt(message, type);
    fact.name = before(".dtype is expected");
  } else if (const std::size_t every = positionAfter(message, "device_type need to be "); every != npos) {
    numbered(Kind::EveryDeviceType, every);
  } else if (const std::size_t unmet = message.find(" has an unsatisfied constraint"); unmet != npos) {
    const std::size_t argument = message.rfind("Argument ", unmet);
    if (argument == npos) return fact;
    const std::size_t begin = argument + 9;
    return constraintFact(message, message.substr(begin, unmet - begin), free);
  }
  return fact;
}

} // namespace blobscope::runner
