#include "ui/text/severity_text.h"

#include "ui/text/core_text.h"

namespace blobscope::ui {

QString severityIcon(Severity severity) {
  return severity == Severity::Error     ? QStringLiteral("error")
         : severity == Severity::Warning ? QStringLiteral("warning")
                                         : QStringLiteral("note");
}

QString severityWord(Severity severity) { return coreText(severityName(severity)); }

} // namespace blobscope::ui
