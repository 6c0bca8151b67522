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

} // namespace blobscope::modules
