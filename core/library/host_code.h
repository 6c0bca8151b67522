#pragma once

#include "core/container/image.h"
#include "core/view/page.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace blobscope::library {

/// The bytes of a function's code and where they lie in memory (in an object file: in their section).
struct HostCode {
  Bytes bytes;
  uint64_t address = 0;
  std::string arch; ///< of the image; "thumb" for such a function of an ARM file
};

/// The code of the function that `symbol` (an index into Image::symbols) names: as long as the symbol says, else up to
/// the next function, else to the end of its section. Nothing when it is not defined or lies where the file has no
/// bytes.
std::optional<HostCode> findHostCode(const container::Image& image, uint32_t symbol);

/// "Disassembly": the function's instructions as lines `address  bytes  text  ; <symbol+offset>`, made when it is
/// looked at. A notice when this program has no disassembler, or none for the architecture, or there are no bytes.
/// `image` is kept alive: hand in an alias of the package.
view::Page hostCodePage(std::shared_ptr<const container::Image> image, uint32_t symbol);

} // namespace blobscope::library
