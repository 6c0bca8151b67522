#include "core/host/signature.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <utility>

namespace blobscope::host {
namespace {

/// Longest text of one dimension. The longest real one seen has 23 bytes.
constexpr std::size_t kDimensionBytes = 1'024;
/// Maximum nesting of brackets in it.
constexpr int kDepth = 64;

bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordPart(char c) { return isWordStart(c) || isDigit(c); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The bracket that closes the one at `open`, npos when it is not closed.
std::size_t closingOf(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

// apache/tvm v0.13 – v0.27 python/tvm/script (TVMScript): constants of other types than int32, and conversions.
constexpr std::array<std::string_view, 6> kWrappers = {"T.int64(",           "T.int32(",           "T.uint64(",
                                                       "T.Cast(\"int32\", ", "T.Cast(\"int64\", ", "T.uint32("};

/// The expression without wrappers; an argument keeps its brackets unless it is a word or a call.
std::string unwrapped(std::string_view text, int depth) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto wrapper = std::find_if(kWrappers.begin(), kWrappers.end(),
                                      [&](std::string_view word) { return text.substr(i).starts_with(word); });
    const bool inWord = i > 0 && (isWordPart(text[i - 1]) || text[i - 1] == '.');
    const std::size_t close = wrapper == kWrappers.end() || inWord || depth == kDepth
                                  ? std::string_view::npos
                                  : closingOf(text, i + wrapper->find('('));
    if (close == std::string_view::npos) {
      out += text[i++];
      continue;
    }
    const std::size_t from = i + wrapper->size();
    const std::string inner =
        unwrapped(trimmed(text.substr(std::min(from, close), close - std::min(from, close))), depth + 1);
    const bool whole = i == 0 && close + 1 == text.size();
    const bool operators = inner.find(' ') != std::string::npos;
    out += operators && !whole ? "(" + inner + ")" : inner;
    i = close + 1;
  }
  return out;
}

} // namespace

bool Dimension::isVariable() const {
  return !text.empty() && isWordStart(text[0]) && std::all_of(text.begin(), text.end(), isWordPart);
}

Dimension dimensionOf(std::string_view text) {
  Dimension out;
  text = trimmed(text);
  if (text.size() > kDimensionBytes) return out;
  out.text = unwrapped(text, 0);
  int64_t value = 0;
  const char* const end = out.text.data() + out.text.size();
  const auto [stop, failure] = std::from_chars(out.text.data(), end, value);
  if (failure == std::errc{} && stop == end && value >= 0) out.value = value;
  return out;
}

std::vector<std::string_view> variablesIn(std::string_view expression) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < expression.size();) {
    const char c = expression[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = expression.find(c, i + 1);
      i = end == std::string_view::npos ? expression.size() : end + 1;
      continue;
    }
    if (!isWordPart(c)) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < expression.size() && isWordPart(expression[end])) ++end;
    const std::string_view word = expression.substr(i, end - i);
    const char before = i > 0 ? expression[i - 1] : ' ', after = end < expression.size() ? expression[end] : ' ';
    i = end;
    if (!isWordStart(word[0]) || before == '.' || after == '.' || after == '(') continue;
    if (word == "and" || word == "or" || word == "not" || word == "if" || word == "else") continue;
    if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
  }
  return out;
}

bool Parameter::complete() const {
  if (kind == Kind::Tensor) return rankKnown && !dtype.empty();
  if (kind == Kind::Tuple) return std::ranges::all_of(items, [](const Parameter& item) { return item.complete(); });
  return kind != Kind::Unknown;
}

std::string Parameter::text() const {
  switch (kind) {
  case Kind::Tensor: {
    std::string out = "Tensor(";
    if (rankKnown) {
      out += '[';
      for (std::size_t i = 0; i < shape.size(); ++i)
        out += (i > 0 ? ", " : "") + (shape[i].text.empty() ? "?" : shape[i].text);
      out += ']';
    } else {
      out += '?';
    }
    return out + ", " + (dtype.empty() ? "?" : dtype) + ")";
  }
  case Kind::Integer: return dtype.empty() ? "int" : dtype;
  case Kind::Float: return dtype.empty() ? "float" : dtype;
  case Kind::Boolean: return "bool";
  case Kind::Pointer: return dtype.empty() ? "handle" : "handle(" + dtype + ")";
  case Kind::Shape: {
    std::string out = "R.Shape([";
    for (std::size_t i = 0; i < shape.size(); ++i)
      out += (i > 0 ? ", " : "") + (shape[i].text.empty() ? "?" : shape[i].text);
    return out + "])";
  }
  case Kind::Tuple: // its type as the text states it
  case Kind::Unknown: break;
  }
  return dtype.empty() ? "?" : dtype;
}

bool Signature::complete() const {
  return source != Source::None && std::all_of(parameters.begin(), parameters.end(),
                                               [](const Parameter& parameter) { return parameter.complete(); });
}

bool Signature::hasUnnamedDimension() const {
  for (const Parameter& parameter : parameters)
    for (const Dimension& dimension : parameter.shape)
      if (dimension.text.empty()) return true;
  return false;
}

std::string Signature::text() const {
  std::string out = function + "(";
  if (source == Source::None) return out + "?)";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) out += ", ";
    if (!parameters[i].name.empty()) out += parameters[i].name + ": ";
    out += parameters[i].text();
  }
  return out + ")";
}

void Signature::collectVariables() {
  variables.clear();
  std::unordered_set<std::string_view> seen;
  const auto collect = [&](const auto& self, const std::vector<Parameter>& list) -> void {
    for (const Parameter& parameter : list) {
      for (const Dimension& dimension : parameter.shape) {
        if (dimension.value) continue;
        for (const std::string_view variable : variablesIn(dimension.text))
          if (seen.insert(variable).second) variables.emplace_back(variable);
      }
      self(self, parameter.items);
    }
  };
  collect(collect, parameters);
}

std::string_view sourceName(Signature::Source source) {
  constexpr std::array<std::string_view, 6> kNames = {"–", "text", "checks", "graph", "bytecode", "probe"};
  return kNames[static_cast<std::size_t>(source)];
}

std::string deviceTypeName(int type) {
  constexpr std::array<std::pair<int, std::string_view>, 14> kNames = {{{1, "cpu"},
                                                                        {2, "cuda"},
                                                                        {3, "cuda_host"},
                                                                        {4, "opencl"},
                                                                        {7, "vulkan"},
                                                                        {8, "metal"},
                                                                        {9, "vpi"},
                                                                        {10, "rocm"},
                                                                        {11, "rocm_host"},
                                                                        {12, "ext_dev"},
                                                                        {13, "cuda_managed"},
                                                                        {14, "oneapi"},
                                                                        {15, "webgpu"},
                                                                        {16, "hexagon"}}};
  for (const auto& [number, name] : kNames)
    if (number == type) return std::string(name);
  return "device " + std::to_string(type);
}

} // namespace blobscope::host
