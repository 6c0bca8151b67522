#pragma once

#include "core/base/diagnostic.h"

#include <QString>

namespace blobscope::ui {

/// The icon and the word of a severity: "error", "warning" or "note".
QString severityIcon(Severity severity);
QString severityWord(Severity severity);

} // namespace blobscope::ui
