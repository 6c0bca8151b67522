#pragma once

#include "core/modules/common/code3.h"
#include "core/modules/common/code_object.h"
#include "core/modules/common/device_pages.h"
#include "core/payloads/payload.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {

/// A device module whose kernels share one image.
class Code3ImageBody : public WireBody<Code3> {
public:
  std::string_view layout() const final { return "code3"; }
  std::vector<Kernel> kernels() const final {
    return kernelsOf(value.functions, *this, [](const Bytes&) { return std::nullopt; });
  }
  std::optional<KernelTable> kernelTable() const final { return functionTable(value.functions); }
  std::vector<KernelImage> kernelImages(Monitor&) const final {
    return imagesOfCodeObject(value.functions, value.data);
  }
  std::optional<Bytes> format() const final { return value.format; }
  std::vector<std::string> content() const final {
    std::string word = contentOf(value.data);
    return word.empty() ? payloads::contentWords(value.data) : std::vector<std::string>{std::move(word)};
  }
  void pages(view::PageList& list) const override {
    addFunctionsPage(list, *this);
    payloads::addPayloadPages(value.data, language(), list);
  }

protected:
  /// What the image is according to the module kind, when its bytes do not show it; else empty.
  virtual std::string contentOf(const Bytes&) const { return {}; }
};

} // namespace blobscope::modules
