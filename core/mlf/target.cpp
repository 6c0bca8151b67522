#include "core/mlf/target.h"

#include "core/base/text.h"

#include <algorithm>
#include <iterator>

namespace blobscope::mlf {
namespace {

struct Kind {
  std::string_view name;
  unsigned device; ///< DLPack's number
};
/// Kinds that some release registered. Source: apache/tvm v0.8.0 to v0.18.0, src/target/target_kind.cc and
/// TVM_REGISTER_TARGET_KIND in src/relay/backend/contrib.
constexpr Kind kKinds[] = {{"llvm", 1},
                           {"c", 1},
                           {"cuda", 2},
                           {"nvptx", 2},
                           {"rocm", 10},
                           {"opencl", 4},
                           {"metal", 8},
                           {"vulkan", 7},
                           {"webgpu", 15},
                           {"sdaccel", 4},
                           {"aocl", 5},
                           {"aocl_sw_emu", 5},
                           {"hexagon", 14},
                           {"stackvm", 1},
                           {"ext_dev", 12},
                           {"hybrid", 1},
                           {"composite", 1},
                           {"test", 1},
                           {"opengl", 11},
                           {"micro_dev", 13},
                           {"ccompiler", 1},
                           {"cmsis-nn", 1},
                           {"ethos-u", 1},
                           {"ethos-n", 1},
                           {"tensorrt", 2},
                           {"cutlass", 2},
                           {"clml", 4},
                           {"mrvl", 1},
                           {"ultra_trail", 1},
                           {"rb_npu", 1},
                           {"example_target_hook", 1},
                           {"vanilla_accelerator", 1}};

/// Returns the words of the text; `closed` is false if a quote is not closed.
std::vector<std::string> wordsOf(std::string_view text, bool& closed) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  bool begun = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' && quote == '\0') {
      if (begun) words.push_back(std::move(word));
      word.clear();
      begun = false;
      continue;
    }
    begun = true;
    if (c == '\\' && i + 1 < text.size())
      word += text[++i];
    else if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (quote != '\0' && c == quote)
      quote = '\0';
    else
      word += c;
  }
  if (begun) words.push_back(std::move(word));
  closed = quote == '\0';
  return words;
}

} // namespace

const std::string* Target::find(std::string_view name) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& one) { return one.name == name; });
  return found != attributes.end() ? &found->value : nullptr;
}

Target parseTarget(std::string_view text) {
  Target target;
  bool closed = true;
  const std::vector<std::string> words = wordsOf(text, closed);
  if (!closed) {
    target.why = "a quote is not closed";
    return target;
  }
  if (words.empty() || words.front().empty() || words.front().front() == '-') {
    target.why = "it does not begin with a kind";
    return target;
  }
  target.kind = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string shown = "'" + escapedWithin(word, 80) + "'";
    if (!word.starts_with('-')) {
      target.why = shown + " is not an attribute";
      return target;
    }
    const std::size_t name = std::min(word.find_first_not_of('-'), word.size());
    const std::size_t equals = word.find('=', name);
    Target::Attribute attribute;
    attribute.name = word.substr(name, equals == std::string::npos ? equals : equals - name);
    const bool alone = equals == std::string::npos;
    if (!alone) attribute.value = word.substr(equals + 1);
    if (attribute.name.empty() || (!alone && attribute.value.empty())) {
      target.why = shown + " has no " + (attribute.name.empty() ? "name" : "value");
      return target;
    }
    // TVM also accepts "-key value", and "-key" instead of "-key=1".
    if (alone) attribute.value = i + 1 < words.size() && !words[i + 1].starts_with('-') ? words[++i] : "1";
    target.attributes.push_back(std::move(attribute));
  }
  return target;
}

unsigned deviceOfKind(std::string_view kind) {
  const auto found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& one) { return one.name == kind; });
  return found != std::end(kKinds) ? found->device : 0;
}

bool isDeviceType(uint64_t device) { return device >= 1 && device <= 18; }

} // namespace blobscope::mlf
