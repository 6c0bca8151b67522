#include "core/modules/vm_executable/model_facts.h"

#include "core/base/json.h"
#include "core/base/text.h"

#include <array>
#include <charconv>
#include <map>

namespace blobscope::modules {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Longer texts are not the description of a model; the largest one seen has 60 KB.
constexpr uint64_t kLongestText = 16 << 20;

struct Label {
  std::string_view name, label;
};
/// Names as they are stored, and labels for them.
constexpr std::array kLabels = {
    Label{"model_type", "model"},
    Label{"model_name", "model"},
    Label{"quantization", "quantisation"},
    Label{"context_window_size", "context window, tokens"},
    Label{"max_window_size", "context window, tokens"},
    Label{"prefill_chunk_size", "prefill chunk, tokens"},
    Label{"sliding_window_size", "sliding window, tokens"},
    Label{"attention_sink_size", "attention sink, tokens"},
    Label{"tensor_parallel_shards", "tensor parallel shards"},
    Label{"pipeline_parallel_stages", "pipeline parallel stages"},
    Label{"max_batch_size", "largest batch"},
    Label{"kv_cache_bytes", "KV cache"},
    Label{"stop_tokens", "stop tokens"},
};

std::string numberText(const json::Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value.data)) return std::to_string(*number);
  if (const auto* number = std::get_if<uint64_t>(&value.data)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value.data)) {
    std::array<char, 40> digits;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), *number).ptr};
  }
  return {};
}

std::string wordOf(const json::Value& value) {
  if (const auto* text = value.string()) return escapedWithin(*text, 200);
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "yes" : "no";
  if (value.isNull()) return "none";
  if (const auto* items = value.array()) {
    std::string out = "[";
    for (const json::Value& item : *items) {
      if (out.size() > 200) return out + ", …]";
      out += (out.size() > 1 ? ", " : "") + wordOf(item);
    }
    return out + "]";
  }
  return numberText(value);
}

std::optional<uint64_t> count(const json::Value& value) {
  if (const auto* number = std::get_if<uint64_t>(&value.data)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value.data); number && *number >= 0)
    return static_cast<uint64_t>(*number);
  return std::nullopt;
}

std::string bytesWord(const json::Value& value) {
  const auto bytes = count(value);
  return bytes ? sizeText(*bytes) : wordOf(value);
}

std::string labelOf(std::string_view name) {
  for (const Label& label : kLabels)
    if (label.name == name) return std::string(label.label);
  std::string words = escaped(name);
  for (char& letter : words)
    if (letter == '_') letter = ' ';
  return words;
}

/// Returns the size in bytes of one element of a TVM type; nothing for names without a width.
std::optional<double> elementBytes(std::string_view type) {
  const std::size_t digit = type.find_first_of("0123456789");
  if (type == "bool") return 1;
  if (digit == std::string_view::npos) return std::nullopt;
  unsigned bits = 0;
  const auto [end, failure] = std::from_chars(type.data() + digit, type.data() + type.size(), bits);
  if (failure != std::errc{} || bits == 0 || bits > 64) return std::nullopt;
  return bits / 8.0;
}

struct Weights {
  Rows rows;
  double bytes = 0;
  std::map<std::string, uint64_t> types; ///< number of tensors of each type
  bool whole = true;                     ///< whether every tensor could be counted
};

Weights readWeights(const json::Value::Array& params) {
  Weights weights;
  for (const json::Value& param : params) {
    const json::Value *const name = param.find("name"), *const shape = param.find("shape"),
                             *const type = param.find("dtype");
    const std::string typeName = type && type->string() ? *type->string() : "";
    double elements = 1;
    bool known = shape && shape->array();
    if (known)
      for (const json::Value& extent : *shape->array()) {
        const auto number = count(extent);
        known = known && number;
        elements *= number ? static_cast<double>(*number) : 0;
      }
    const auto size = elementBytes(typeName);
    known = known && size;
    const double bytes = known ? elements * *size : 0;
    weights.whole = weights.whole && known;
    weights.bytes += bytes;
    ++weights.types[typeName];
    weights.rows.push_back({name ? wordOf(*name) : "", shape ? wordOf(*shape) : "", escaped(typeName),
                            known && bytes < 1e18 ? std::to_string(static_cast<uint64_t>(bytes)) : "–"});
  }
  return weights;
}

bool describesModel(const json::Value& value) {
  for (const char* name : {"model_type", "quantization", "model_name", "context_window_size", "params"})
    if (value.find(name)) return true;
  return false;
}

} // namespace

void addModelPages(const std::vector<Bytes>& texts, view::PageList& list) {
  Rows facts;
  Weights weights;
  for (const Bytes& text : texts) {
    if (!text.view().starts_with('{') || text.size() > kLongestText) continue;
    const auto parsed = json::parse(text);
    if (!parsed || !parsed->object() || !describesModel(*parsed)) continue;
    for (const auto& [name, value] : *parsed->object()) {
      if (name == "params" && value.array()) {
        weights = readWeights(*value.array());
        facts.push_back({"weights", countText(weights.rows.size(), "tensor")});
        if (weights.bytes < 1e18)
          facts.push_back({"weights in memory",
                           (weights.whole ? "" : "at least ") + sizeText(static_cast<uint64_t>(weights.bytes))});
        std::string types;
        for (const auto& [type, number] : weights.types)
          types += (types.empty() ? "" : ", ") + escaped(type) + " (" + groupedText(number) + ")";
        if (!types.empty()) facts.push_back({"weight types", types});
      } else if (const auto* const inner = value.object()) {
        for (const auto& [innerName, innerValue] : *inner)
          facts.push_back({name == "memory_usage" ? "temporary memory of " + escaped(innerName)
                                                  : labelOf(name) + ": " + labelOf(innerName),
                           name == "memory_usage" ? bytesWord(innerValue) : wordOf(innerValue)});
      } else {
        const bool unset = wordOf(value) == "-1"; // the compiler writes -1 for "not used"
        facts.push_back({labelOf(name), unset                      ? "not used (-1)"
                                        : name.ends_with("_bytes") ? bytesWord(value)
                                                                   : wordOf(value)});
      }
    }
  }
  if (facts.empty()) return;
  list.push_back(view::factsPage("Model", std::move(facts)));
  if (!weights.rows.empty())
    list.push_back(
        view::tablePage("Weights", {{"name"}, {"shape"}, {"dtype"}, {"bytes", true, true}}, std::move(weights.rows)));
}

} // namespace blobscope::modules
