#include "core/modules/common/function_info.h"

#include "core/base/text.h"

namespace blobscope::modules {
namespace {

void appendWord(std::string& out, std::string_view word) {
  if (!out.empty()) out += ", ";
  out += escaped(word);
}

} // namespace

std::string FunctionInfo::argumentText() const {
  std::string out;
  for (std::size_t i = 0; i < argTypes.size(); ++i) {
    const bool tensorMap = i < argExtraTags.size() && argExtraTags[i] == 1;
    appendWord(out, tensorMap ? "tensormap" : dataTypeName(argTypes[i], dlpack));
  }
  return out;
}

std::string FunctionInfo::launchText() const {
  std::string out;
  for (const Bytes& tag : launchParamTags.empty() ? launchFields : launchParamTags) appendWord(out, tag.view());
  return out;
}

FunctionInfo::Form formOf(const FieldTree& tree, const WireContext& context) {
  using Form = FunctionInfo::Form;
  if (!tree.find("fmap[0].info")) return context.extraTags ? Form::Four : Form::Three;
  if (tree.find("fmap[0].info.marker")) return Form::Second;
  return tree.find("fmap[0].info.arg_extra_tags") ? Form::Four : Form::Three;
}

} // namespace blobscope::modules
