#pragma once

#include "core/base/diagnostic.h"

#include <span>
#include <string>
#include <string_view>

namespace blobscope {

/// The text with its placeholders filled; one without an argument stays visible as "{name}". "{value:#x}" takes the
/// argument "value"; the caller formats it. Values are not filled again.
std::string fillPlaceholders(std::string_view text, std::span<const Argument> arguments);

} // namespace blobscope
