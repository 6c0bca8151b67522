#include "core/modules/cuda/sass_page.h"

#include "core/syntax/disassembler.h"

#include <utility>

namespace blobscope::modules {

view::Page sassPage(Bytes cubin, std::string kernelOrEmpty) {
  const auto make = [cubin = std::move(cubin),
                     kernel = std::move(kernelOrEmpty)](Monitor& monitor) -> Result<view::Page> {
    const syntax::SassDisassembler disassemble = syntax::sassDisassembler();
    if (!disassemble) return view::Page{"SASS", view::NoticePage{"this program has no disassembler for SASS"}};
    auto listing = disassemble(cubin, kernel, monitor);
    if (listing) return view::Page{"SASS", view::TextPage{Bytes::copyOf(*listing), "sass"}};
    if (listing.error().code() == ErrorCode::Cancelled) return listing.takeError();
    return view::Page{"SASS", view::NoticePage{listing.error().message()}};
  };
  return {"SASS", view::DeferredPage{"text", make}};
}

} // namespace blobscope::modules
