#include "core/mlf/metadata_place.h"

#include "core/base/text.h"
#include "core/mlf/graph.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

constexpr std::size_t kShownText = 80;

/// Returns a step of a pointer without its escapes.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '~' && i + 1 < text.size();
    out += escape ? (text[++i] == '0' ? '~' : '/') : text[i];
  }
  return out;
}

} // namespace

Place metadataPlace(std::string_view pointer) {
  Place place;
  place.member = "metadata.json";
  place.pointer = pointer;
  return place;
}

std::string whereText(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1); // "/"
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string step = unescaped(pointer.substr(0, end));
    const bool number = !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
    if (number)
      out += '[' + step + ']';
    else
      out += (out.empty() ? "" : ".") + escapedWithin(step, kShownText);
    pointer.remove_prefix(end);
  }
  return out.empty() ? "the root" : out;
}

std::string lastStep(std::string_view pointer) { return unescaped(pointer.substr(pointer.rfind('/') + 1)); }

void checkKnownKeys(const json::Value& object, std::string_view pointer, std::initializer_list<std::string_view> known,
                    Findings& findings) {
  for (const auto& [key, value] : object.members())
    if (std::find(known.begin(), known.end(), key) == known.end())
      findings.add(Rule::MlfKeyUnknown, metadataPlace(json::pointerStep(pointer, key)),
                   {{"key", escapedWithin(key, kShownText)}, {"where", whereText(pointer)}});
}

std::string valueText(const json::Value& value) {
  switch (value.type()) {
  case json::Value::Type::Unsigned: return std::to_string(value.number());
  case json::Value::Type::Negative: return std::to_string(std::get<int64_t>(value.data));
  case json::Value::Type::String: return "'" + escapedWithin(value.text(), kShownText) + "'";
  default: return std::string(typeWords(value));
  }
}

} // namespace blobscope::mlf
