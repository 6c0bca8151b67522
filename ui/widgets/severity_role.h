#pragma once

#include "core/base/diagnostic.h"
#include "ui/theme/theme.h"

namespace blobscope::ui {

/// Returns the colour of a severity's icon and text.
inline Role severityRole(Severity severity) {
  return severity == Severity::Error ? Role::Error : severity == Severity::Warning ? Role::Warning : Role::Note;
}

} // namespace blobscope::ui
