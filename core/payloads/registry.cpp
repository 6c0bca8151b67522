#include "core/payloads/payload.h"

#include "core/payloads/bitcode/bitcode.h"
#include "core/payloads/bundle/bundle.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/elf/elf.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/hsaco/hsaco.h"
#include "core/payloads/metallib/metallib.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"
#include "core/payloads/spirv/spirv.h"

#include <array>

namespace blobscope::payloads {
namespace {

constexpr PayloadFormat kFatbin = {"fatbin", addFatbinPages, fatbinWords};
constexpr PayloadFormat kCubin = {"cubin", addCubinPages, cubinWords};
constexpr PayloadFormat kPtx = {"ptx", addPtxPages};

constexpr std::array kFormats = {&kFatbin, &kCubin,      &kPtx, &kSpirv,   &kMetallib,
                                 &kHsaco,  &kHexagonElf, &kElf, &kBitcode, &kBundle};

const PayloadFormat* findFormat(std::string_view content) {
  for (const PayloadFormat* format : kFormats)
    if (format->content == content) return format;
  return nullptr;
}

} // namespace

std::span<const PayloadFormat* const> payloadFormats() { return kFormats; }

void addPayloadPages(const Bytes& bytes, std::string_view language, view::PageList& list) {
  const std::string_view content = sniff(bytes);
  if (isText(content)) {
    const bool code = content == "ptx" || !language.empty();
    list.push_back({code ? "Source" : "Text",
                    view::TextPage{bytes, content == "text" ? std::string(language) : std::string(content)}});
  }
  if (const PayloadFormat* const format = findFormat(content)) format->pages(bytes, list);
}

std::vector<std::string> contentWords(const Bytes& bytes) {
  const std::string_view content = sniff(bytes);
  if (content.empty()) return {};
  const PayloadFormat* const format = findFormat(content);
  if (format && format->words) return format->words(bytes);
  return {std::string(content)};
}

} // namespace blobscope::payloads
