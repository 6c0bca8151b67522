#pragma once

#include "core/base/diagnostic.h"

#include <span>
#include <string>
#include <string_view>

namespace blobscope {

/// The text with its placeholders filled; a placeholder without an argument stays visible as "{name}". "{value:#x}"
/// uses the argument "value"; the caller formats it. Placeholders in values are not filled.
std::string fillPlaceholders(std::string_view text, std::span<const Argument> arguments);

} // namespace blobscope
