#include "core/plan/metadata.h"

#include "core/base/json.h"
#include "core/plan/types.h"

#include <vector>

namespace blobscope::plan {
namespace {

/// Longer texts are not the description of a model; the largest one seen has 60 KB.
constexpr std::size_t kLongestText = 16 << 20;

std::optional<uint64_t> bytesOfWeight(const json::Value& weight) {
  const json::Value *const shape = weight.find("shape"), *const name = weight.find("dtype");
  const auto type = name ? typeNamed(name->text()) : std::nullopt;
  if (!shape || !shape->isArray() || !type) return std::nullopt;
  std::vector<int64_t> extents;
  for (const json::Value& extent : shape->items()) {
    if (extent.type() != json::Value::Type::Unsigned || extent.number() > INT64_MAX) return std::nullopt;
    extents.push_back(static_cast<int64_t>(extent.number()));
  }
  return protocol::dataBytes(*type, extents);
}

} // namespace

std::optional<Metadata> metadataOf(const protocol::Program& program) {
  std::optional<Metadata> out;
  for (const protocol::ProgramConstant& constant : program.constants) {
    if (constant.kind != protocol::ProgramConstant::Kind::Text || !constant.text.starts_with('{') ||
        constant.text.size() > kLongestText)
      continue;
    const auto parsed = json::parse(Bytes::copyOf(constant.text));
    if (!parsed || !parsed->isObject()) continue;
    const json::Value *const weights = parsed->find("params"), *const memory = parsed->find("memory_usage");
    if (!weights && !memory) continue;
    Metadata& found = out ? *out : out.emplace();
    if (weights && weights->isArray() && !weights->items().empty()) {
      found.weights = weights->items().size();
      uint64_t sum = 0;
      bool all = true;
      for (const json::Value& weight : weights->items()) {
        const auto bytes = bytesOfWeight(weight);
        all = all && bytes && !__builtin_add_overflow(sum, *bytes, &sum);
      }
      if (all) found.weightBytes = sum;
    }
    const auto tokens = [&](const char* name, std::optional<int64_t>& value) {
      const json::Value* const number = parsed->find(name);
      if (number && number->type() == json::Value::Type::Unsigned && number->number() > 0 &&
          number->number() <= INT32_MAX)
        value = static_cast<int64_t>(number->number());
    };
    tokens("max_window_size", found.context);
    tokens("context_window_size", found.context);
    tokens("prefill_chunk_size", found.prefill);
    if (memory)
      for (const auto& [function, bytes] : memory->members())
        if (bytes.type() == json::Value::Type::Unsigned) found.temporary[function] = bytes.number();
  }
  return out;
}

} // namespace blobscope::plan
