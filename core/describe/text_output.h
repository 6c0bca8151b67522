#pragma once

#include "core/base/diagnostic.h"

#include <functional>
#include <string>
#include <string_view>

namespace blobscope::describe {

/// Receives a description as lines of text.
struct TextOutput {
  std::function<void(std::string_view)> write;
  /// Returns the word in the colour of the severity; unchanged where there are no colours.
  std::function<std::string(Severity, std::string_view)> coloured;
};

} // namespace blobscope::describe
