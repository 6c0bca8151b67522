#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace blobscope::xref {

/// Whether the end of a function's code can be found fast enough: for a symbol without a size, library::findHostCode()
/// reads all symbols, which is too slow for `functions` such symbols.
bool canFindCode(const container::Image& image, uint32_t symbol, std::size_t functions);

/// Calls `visit` for each text up to NUL whose address the code of a function computes, in the order of the code.
/// `symbols` are indexes into Image::symbols; `visit` gets the index in `symbols`. Reads only texts in data that the
/// loader maps, at most 1,024 bytes of each. Functions that only one host function calls directly, up to two steps
/// away, count as its code, such as the function that runs after the checks. Finds nothing on machines that
/// syntax::AddressLoad does not name, in object files, whose addresses are not known before linking, in programs
/// without a disassembler, and after the first 32 MiB of code. Error: only Cancelled.
Result<Done> forEachNameLoad(const container::Image& image, const std::vector<uint32_t>& symbols,
                             const std::function<void(std::size_t function, std::string_view name)>& visit,
                             Monitor& monitor);

/// Calls `visit` for each wanted text whose address the code of a function computes next to a number that it compares:
/// the text of a failed check. The number is the last argument of the call that prints both, or the one in the
/// comparison in front of the text. `symbols` are indexes into Image::symbols. Finds nothing where forEachNameLoad
/// finds nothing. Source: machine code that gcc 12, clang 19 and aarch64 gcc 12 made of C source of tilelang 0.1.15,
/// without and with optimisation. Error: only Cancelled.
Result<Done> forEachCheckedNumber(const container::Image& image, const std::vector<uint32_t>& symbols,
                                  const std::function<bool(std::string_view text)>& isWanted,
                                  const std::function<void(std::string_view text, uint64_t number)>& visit,
                                  Monitor& monitor);

} // namespace blobscope::xref
