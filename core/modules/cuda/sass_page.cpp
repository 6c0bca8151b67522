#include "core/modules/cuda/sass_page.h"

#include "core/base/text.h"
#include "core/syntax/disassembler.h"
#include "core/syntax/instruction_mix.h"
#include "core/view/page_id.h"

#include <cstdio>
#include <utility>

namespace blobscope::modules {
namespace {

using view::page_id::kInstructionMix;

Result<view::Page> mixPage(std::string_view text, std::string_view language, Monitor& monitor) {
  BLOBSCOPE_TRY(mix, syntax::computeInstructionMix(text, language, monitor));
  const uint64_t all = mix.total();
  std::vector<std::vector<std::string>> rows{{"instructions", groupedText(all)}};
  for (std::size_t i = 0; i < syntax::kInstructionClasses; ++i) {
    if (mix.counts[i] == 0) continue;
    char share[32];
    std::snprintf(share, sizeof share, " (%.1f %%)",
                  100 * static_cast<double>(mix.counts[i]) / static_cast<double>(all));
    rows.push_back({std::string(syntax::instructionClassName(static_cast<syntax::InstructionClass>(i))),
                    groupedText(mix.counts[i]) + share});
  }
  rows.push_back({"read from", language == "ptx" ? "PTX" : "SASS"});
  return view::factsPage(kInstructionMix, std::move(rows));
}

} // namespace

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

view::Page sassMixPage(Bytes cubin, std::string kernel) {
  const auto make = [page = sassPage(std::move(cubin), std::move(kernel))](Monitor& monitor) -> Result<view::Page> {
    BLOBSCOPE_TRY(made, view::resolvePage(page, monitor));
    if (const auto* const listing = std::get_if<view::TextPage>(&made.content))
      return mixPage(listing->text.view(), "sass", monitor);
    made.name = kInstructionMix;
    return made;
  };
  return {kInstructionMix, view::DeferredPage{"table", make}};
}

view::Page ptxMixPage(Bytes text) {
  const auto make = [text = std::move(text)](Monitor& monitor) { return mixPage(text.view(), "ptx", monitor); };
  return {kInstructionMix, view::DeferredPage{"table", make}};
}

} // namespace blobscope::modules
