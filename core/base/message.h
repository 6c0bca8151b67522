#pragma once

#include "core/base/diagnostic.h"

#include <span>
#include <string>
#include <string_view>

namespace blobscope {

/// The text with its placeholders filled; a placeholder without an argument stays visible as "{name}". "{value:#x}"
/// uses the argument "value"; the caller formats it. "{left:bytes}" is "1 byte" or "12 bytes", and
/// so is any other noun whose plural ends in s; "{left:are}" is "1 is" or "12 are", "{ref:part}" is the ref in quotes,
/// or "the file" if it is empty. Placeholders in values are not filled.
std::string fillPlaceholders(std::string_view text, std::span<const Argument> arguments);

} // namespace blobscope
