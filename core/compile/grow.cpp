#include "core/compile/grow.h"

#include "core/base/text.h"
#include "core/compile/compilers.h"
#include "core/library/node.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace blobscope::compile {
namespace {

/// 90 of "compute_90", "sm_90a"; 0 for other words.
unsigned numberOf(std::string_view architecture) {
  const std::size_t at = architecture.find('_');
  unsigned out = 0;
  if (at != std::string_view::npos)
    std::from_chars(architecture.data() + at + 1, architecture.data() + architecture.size(), out);
  return out;
}

const edit::Image* newestPtx(const edit::FatBinary& binary, unsigned architecture) {
  const edit::Image* best = nullptr;
  for (const edit::Image& image : binary.images) {
    const unsigned target = numberOf(image.name);
    // PTX for compute_90a works on that architecture only.
    const bool general = image.name.find_first_not_of("0123456789", image.name.find('_') + 1) == std::string::npos;
    if (image.kind == "ptx" && target <= architecture && (general || target == architecture) &&
        (!best || target > numberOf(best->name)))
      best = &image;
  }
  return best;
}

} // namespace

bool canGrow(const edit::FatBinary& binary, std::string_view architecture) {
  return std::ranges::find(binary.images, architecture, &edit::Image::name) == binary.images.end() &&
         newestPtx(binary, numberOf(architecture)) != nullptr;
}

Result<std::vector<edit::Edit>> growFatBinary(const library::PackagePtr& package, const edit::FatBinary& binary,
                                              const std::vector<std::string>& architectures, const Request& request,
                                              Monitor& monitor) {
  std::vector<edit::Edit> out;
  const TimeLimit limit(request.timeoutMs);
  for (std::size_t i = 0; i < architectures.size(); ++i) {
    const std::string& architecture = architectures[i];
    const auto badOption = [&](std::string what) {
      return Error(DiagnosticId::CompOption, {{"what", std::move(what)}}, binary.module);
    };
    const auto noPlace = [&](std::string reason) {
      return Error(DiagnosticId::CompPlace, {arg("ref", binary.module.toString()), {"reason", std::move(reason)}},
                   binary.module);
    };
    if (!architecture.starts_with("sm_") || numberOf(architecture) == 0)
      return badOption("'" + escaped(architecture) + "' is not an architecture for machine code; an example is sm_90");
    const auto same = std::ranges::find(binary.images, architecture, &edit::Image::name);
    if (same != binary.images.end() ||
        std::find(architectures.begin(), architectures.begin() + static_cast<std::ptrdiff_t>(i), architecture) !=
            architectures.begin() + static_cast<std::ptrdiff_t>(i))
      return badOption("there already is an image for " + architecture);
    const edit::Image* const ptx = newestPtx(binary, numberOf(architecture));
    if (!ptx) return noPlace("it contains no PTX that can be compiled for " + architecture);
    BLOBSCOPE_TRY(node, library::findNode(*package, ptx->ref, monitor));
    if (!node.bytes) return noPlace(node.whyNoBytes);
    Request one = request;
    one.language = Language::Ptx;
    std::string_view text = node.bytes->view(); // padded with zeros
    text = text.substr(0, text.find_last_not_of('\0') + 1);
    one.source = node.bytes->slice(0, text.size());
    one.architectures = {architecture};
    BLOBSCOPE_TRY(compiled, compileWithin(one, limit, monitor));
    if (!compiled.ok || !compiled.code)
      return badOption("its PTX does not compile for " + architecture + ": " +
                       (compiled.messages.empty() ? std::string("no message") : compiled.messages.front().text));
    const Ref added = binary.module.part(PartKind::Entry, std::to_string(binary.images.size() + i));
    out.push_back(edit::AddFunction{{added, {}}, edit::Content{{}, *compiled.code}, {}});
  }
  return out;
}

} // namespace blobscope::compile
