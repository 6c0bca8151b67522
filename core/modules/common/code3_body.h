#pragma once

#include "core/modules/common/code3.h"
#include "core/modules/common/device_pages.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {

/// A device module whose kernels share one image.
class Code3ImageBody : public WireBody<Code3> {
public:
  std::string_view layout() const final { return "code3"; }
  std::vector<Kernel> kernels() const final {
    return kernelsOf(value.functions, *this, [](const Bytes&) { return std::nullopt; });
  }
  std::optional<Bytes> format() const final { return value.format; }
  std::vector<std::string> content() const final {
    std::string word = contentOf(value.data);
    return word.empty() ? std::vector<std::string>() : std::vector<std::string>{std::move(word)};
  }
  void pages(view::PageList& list) const final {
    addFunctionsPage(list, value.functions);
    addSourcePage(list, value.data, language());
  }

protected:
  /// What the image is, by its bytes; empty when nothing is known of them.
  virtual std::string contentOf(const Bytes& image) const { return std::string(payloads::sniff(image)); }
  /// Of an image that is text.
  virtual std::string_view language() const { return {}; }
};

} // namespace blobscope::modules
