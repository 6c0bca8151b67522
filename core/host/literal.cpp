#include "core/host/literal.h"

#include <algorithm>
#include <array>

namespace blobscope::host {
namespace {

/// Maximum nesting of brackets; real texts have a few levels.
constexpr std::size_t kDepth = 64;

bool isNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}
bool isName(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), isNamePart); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The items of a list, split at commas outside brackets and quotes. Nothing when brackets do not match, or there are
/// more than `limit` items.
std::optional<std::vector<std::string_view>> itemsOf(std::string_view text, std::size_t limit) {
  std::vector<std::string_view> items;
  if (trimmed(text).empty()) return items;
  std::array<char, kDepth> open{};
  std::size_t depth = 0, from = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
      continue;
    }
    switch (c) {
    case '"':
    case '\'': quote = c; break;
    case '(':
    case '[':
    case '{':
      if (depth == kDepth) return std::nullopt;
      open[depth++] = c == '(' ? ')' : static_cast<char>(c + 2);
      break;
    case ')':
    case ']':
    case '}':
      if (depth == 0 || open[depth - 1] != c) return std::nullopt;
      --depth;
      break;
    case ',':
      if (depth > 0) break;
      if (items.size() + 1 == limit) return std::nullopt;
      items.push_back(trimmed(text.substr(from, i - from)));
      from = i + 1;
      break;
    default: break;
    }
  }
  if (depth > 0 || quote) return std::nullopt;
  items.push_back(trimmed(text.substr(from)));
  return items;
}

/// "float32x4", "float8_e4m3fn", "custom[x]32".
bool isType(std::string_view text) {
  constexpr std::array<std::string_view, 6> kStarts = {"int", "uint", "float", "bfloat", "bool", "custom["};
  return std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) { return text.starts_with(start); }) &&
         std::all_of(text.begin(), text.end(), [](char c) { return isNamePart(c) || c == '[' || c == ']'; });
}

bool readTensor(std::string_view inner, Parameter& out) {
  const auto items = itemsOf(inner, kRank);
  if (!items || items->size() < 2) return false;
  const std::string_view shape = (*items)[0];
  if (!shape.starts_with('[') || !shape.ends_with(']') || !isType((*items)[1])) return false;
  const auto dimensions = itemsOf(shape.substr(1, shape.size() - 2), kRank + 1);
  if (!dimensions) return false;
  out.kind = Parameter::Kind::Tensor;
  out.rankKnown = true;
  out.dtype = (*items)[1];
  for (const std::string_view dimension : *dimensions) {
    if (dimension.empty()) return false;
    out.shape.push_back(dimensionOf(dimension));
  }
  return true;
}

bool readType(std::string_view text, Parameter& out, bool strict) {
  using Kind = Parameter::Kind;
  if (text.starts_with("T.")) text.remove_prefix(2);
  const std::size_t bracket = text.find('(');
  if (bracket != std::string_view::npos && text.ends_with(')')) {
    const std::string_view inner = text.substr(bracket + 1, text.size() - bracket - 2), word = text.substr(0, bracket);
    if (word == "Tensor" || word == "Buffer") return readTensor(inner, out);
    if (word == "handle") {
      const auto items = itemsOf(inner, kRank);
      if (!items) return false;
      out.kind = Kind::Pointer;
      if (!items->empty() && (*items)[0].size() > 2 && (*items)[0].front() == '"' && (*items)[0].back() == '"')
        out.dtype = (*items)[0].substr(1, (*items)[0].size() - 2);
      return true;
    }
  } else if (text == "handle") {
    out.kind = Kind::Pointer;
    return true;
  } else if (isType(text)) {
    out.dtype = text;
    out.kind = text.starts_with("bool")                              ? Kind::Boolean
               : text.starts_with("int") || text.starts_with("uint") ? Kind::Integer
                                                                     : Kind::Float;
    return true;
  }
  if (strict) return false;
  out.dtype = text;
  return true;
}

} // namespace

std::size_t valuesOf(const Signature& signature) {
  std::size_t values = signature.parameters.size();
  for (const Parameter& parameter : signature.parameters) values += parameter.shape.size();
  return values;
}

std::optional<Signature> parseLiteral(std::string_view text, bool strict, std::optional<std::size_t> function) {
  const std::size_t bracket = text.find('(', function.value_or(0));
  if (bracket == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  Signature out;
  out.function = text.substr(0, bracket);
  out.source = Signature::Source::Literal;
  if (!function && !isName(out.function)) return std::nullopt;
  const auto items = itemsOf(text.substr(bracket + 1, text.size() - bracket - 2), kParameters + 1);
  if (!items) return std::nullopt;
  for (const std::string_view item : *items) {
    const std::size_t colon = item.find(": ");
    if (colon == std::string_view::npos || !isName(item.substr(0, colon))) return std::nullopt;
    Parameter parameter;
    parameter.name = item.substr(0, colon);
    if (!readType(trimmed(item.substr(colon + 2)), parameter, strict)) return std::nullopt;
    out.parameters.push_back(std::move(parameter));
  }
  out.collectVariables();
  return out;
}

} // namespace blobscope::host
