#pragma once

#include "core/modules/common/code3.h"
#include "core/modules/common/device_pages.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {

/// A device module whose kernels share one image, told by its content.
class Code3ImageBody final : public WireBody<Code3> {
public:
  std::string_view layout() const override { return "code3"; }
  std::vector<Kernel> kernels() const override {
    return kernelsOf(value.functions, *this, [](const Bytes&) { return std::nullopt; });
  }
  std::optional<Bytes> format() const override { return value.format; }
  std::vector<std::string> content() const override {
    const std::string_view name = payloads::sniff(value.data);
    return name.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(name)};
  }
  void pages(view::PageList& list) const override {
    addFunctionsPage(list, value.functions);
    addSourcePage(list, value.data, {});
  }
};

} // namespace blobscope::modules
