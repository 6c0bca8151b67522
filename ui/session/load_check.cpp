#include "ui/session/load_check.h"

#include <QPointer>

#include <utility>

namespace blobscope::ui {

void LoadCheck::start(const library::PackagePtr& package) {
  m_jobs.cancel(tag());
  m_summary.reset();
  if (!describe::hasPreflight(*package)) return;
  m_jobs.start<describe::PreflightSummary>(
      tag(), [package](Monitor& monitor) { return describe::summarizePreflight(package, monitor); },
      [guard = QPointer<LoadCheck>(this)](Result<describe::PreflightSummary> summary) {
        // The page "Will it load?" reports a damaged table of the user.
        if (!guard || !summary) return;
        guard->m_summary = std::make_shared<const describe::PreflightSummary>(std::move(*summary));
        Q_EMIT guard->ready();
      });
}

} // namespace blobscope::ui
