#pragma once

#include "core/container/image.h"
#include "core/view/page.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace blobscope::library {

/// The bytes of a function's code and their address in memory (in an object file: in their section).
struct HostCode {
  Bytes bytes;
  uint64_t address = 0;
  std::string arch; ///< of the image; "thumb" for a Thumb function of an ARM file
};

/// Returns the code of the function that `symbol` (an index into Image::symbols) names: with the size that the symbol
/// states, else up to the next function, else to the end of its section. Nothing when the symbol is undefined or the
/// file has no bytes for it.
std::optional<HostCode> findHostCode(const container::Image& image, uint32_t symbol);

/// Returns the page "Disassembly" with the function's instructions as lines `address  bytes  text  ; <symbol+offset>`,
/// created when it is shown. It is a notice when this program has no disassembler, or none for the architecture, or
/// there are no bytes. The page keeps `image` alive: pass an alias of the package.
view::Page hostCodePage(std::shared_ptr<const container::Image> image, uint32_t symbol);

} // namespace blobscope::library
