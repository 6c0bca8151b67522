#include "core/requirements/source_needs.h"

#include "core/base/extent.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::requirements {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kNames = 256; ///< maximum of extensions of one text

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Removes white space and the name after it from `rest` and returns the name.
std::string_view nextName(std::string_view& rest) {
  rest = rest.substr(std::min(rest.find_first_not_of(kSpace), rest.size()));
  const auto end = std::find_if_not(rest.begin(), rest.end(), isNameByte);
  const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(name.size());
  return name;
}

void addOnce(std::vector<std::string>& list, std::string_view name) {
  constexpr std::size_t kLength = 256;
  if (name.empty() || name.size() > kLength || list.size() >= kNames) return;
  if (std::find(list.begin(), list.end(), name) == list.end()) list.emplace_back(name);
}

/// Calls `visit` with the text after each occurrence of `word` that is not a part of a longer word.
template <class Visit> void forEachAfter(std::string_view text, std::string_view word, Visit&& visit) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::string_view rest = text.substr(at + word.size());
    if (at > 0 && isNameByte(text[at - 1])) continue;
    if (isNameByte(word.back()) && !rest.empty() && isNameByte(rest[0])) continue;
    visit(rest);
  }
}

/// The bytes of a WGSL type that TVM uses: "f32", "vec4<f16>", "array<f32, 256>". Source: WGSL, "Alignment and Size".
std::optional<uint64_t> wgslBytes(std::string_view type, int depth = 0) {
  constexpr int kDepth = 4;
  type = trimmed(type);
  if (type == "f32" || type == "i32" || type == "u32" || type == "bool") return 4;
  if (type == "f16") return 2;
  const std::size_t open = type.find('<');
  if (depth == kDepth || open == std::string_view::npos || !type.ends_with('>')) return std::nullopt;
  const std::string_view outer = type.substr(0, open), inner = type.substr(open + 1, type.size() - open - 2);
  if (outer == "vec2" || outer == "vec3" || outer == "vec4") {
    const auto element = wgslBytes(inner, depth + 1);
    return element ? checkedMultiply(*element, static_cast<uint64_t>(outer[3] - '0')) : std::nullopt;
  }
  const std::size_t comma = inner.rfind(',');
  if (outer != "array" || comma == std::string_view::npos) return std::nullopt;
  const auto element = wgslBytes(inner.substr(0, comma), depth + 1);
  const auto count = parseNumber(trimmed(inner.substr(comma + 1)));
  return element && count ? checkedMultiply(*element, *count) : std::nullopt;
}

} // namespace

std::vector<std::string> openClExtensions(std::string_view text) {
  std::vector<std::string> out;
  bool alternative = false; // after #elif: the code asks for another extension first
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    std::string_view rest = text.substr(at + 1);
    rest = rest.substr(0, rest.find('\n'));
    const std::string_view word = nextName(rest);
    if (word == "elif" || word == "else") alternative = true;
    if (word == "if" || word == "ifdef" || word == "ifndef" || word == "endif") alternative = false;
    if (word != "pragma" || alternative || nextName(rest) != "OPENCL" || nextName(rest) != "EXTENSION") continue;
    const std::string_view name = nextName(rest);
    rest = trimmed(rest);
    if (!rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    if (trimmed(rest) == "enable") addOnce(out, name);
  }
  return out;
}

WgslNeeds wgslNeeds(std::string_view text) {
  WgslNeeds out;
  forEachAfter(text, "enable", [&](std::string_view rest) {
    const std::string_view statement = rest.substr(0, rest.find(';'));
    if (statement.size() == rest.size() || statement.empty() || statement[0] != ' ') return;
    for (std::string_view names = statement; !names.empty();) {
      addOnce(out.features, nextName(names));
      names = trimmed(names);
      if (!names.starts_with(',')) break;
      names.remove_prefix(1);
    }
  });
  forEachAfter(text, "var<storage", [&](std::string_view) { ++out.storageBuffers; });
  forEachAfter(text, "@workgroup_size(", [&](std::string_view rest) {
    uint64_t threads = 1;
    const std::size_t end = rest.find(')');
    if (end == std::string_view::npos) return;
    for (std::string_view numbers = rest.substr(0, end); !trimmed(numbers).empty();) {
      const std::size_t comma = std::min(numbers.find(','), numbers.size());
      const auto number = parseNumber(trimmed(numbers.substr(0, comma)));
      const auto next = number ? checkedMultiply(threads, *number) : std::nullopt;
      if (!next) return;
      threads = *next;
      numbers.remove_prefix(std::min(comma + 1, numbers.size()));
    }
    out.threads = std::max(out.threads.value_or(0), threads);
  });
  out.sharedBytes = 0;
  forEachAfter(text, "var<workgroup>", [&](std::string_view rest) {
    const std::string_view statement = rest.substr(0, rest.find(';'));
    const std::size_t colon = statement.find(':');
    const auto bytes = colon == std::string_view::npos ? std::nullopt : wgslBytes(statement.substr(colon + 1));
    out.sharedBytes = bytes && out.sharedBytes ? checkedAdd(*out.sharedBytes, *bytes) : std::nullopt;
  });
  return out;
}

} // namespace blobscope::requirements
