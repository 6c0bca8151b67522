#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace blobscope::xref {

/// Whether the end of a function's code can be found in time: a symbol without a size makes library::findHostCode()
/// look at all symbols, which is too slow when `functions` of them are asked for.
bool canFindCode(const container::Image& image, uint32_t symbol, std::size_t functions);

/// Calls `visit` for each text up to NUL whose address the code of a function makes, in the order of the code.
/// `symbols` are indexes into Image::symbols; `visit` gets the place in that list. Only texts in data that the loader
/// maps are read, at most 1,024 bytes of each. Functions that only one host function calls directly, up to two steps
/// away, count as its code: what runs behind the checks is one. Nothing on machines that syntax::AddressLoad does not
/// name, in object files, whose addresses the linker has yet to fill in, in programs without a disassembler, and behind
/// the first 32 MiB of code. Cancelled.
Result<Done> forEachNameLoad(const container::Image& image, const std::vector<uint32_t>& symbols,
                             const std::function<void(std::size_t function, std::string_view name)>& visit,
                             Monitor& monitor);

} // namespace blobscope::xref
