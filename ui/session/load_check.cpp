#include "ui/session/load_check.h"

#include "ui/text/plain_text.h"

#include <QPointer>

#include <utility>

namespace blobscope::ui {

void LoadCheck::start(const library::PackagePtr& package) {
  m_jobs.cancel(tag());
  m_jobs.cancel(hereTag());
  m_summary.reset();
  m_here.clear();
  if (!describe::hasPreflight(*package)) return;
  m_jobs.start<describe::PreflightSummary>(
      tag(), [package](Monitor& monitor) { return describe::summarizePreflight(package, monitor); },
      [guard = QPointer<LoadCheck>(this)](Result<describe::PreflightSummary> summary) {
        // The page "Will it load?" reports a damaged table of the user.
        if (!guard || !summary) return;
        guard->m_summary = std::make_shared<const describe::PreflightSummary>(std::move(*summary));
        Q_EMIT guard->ready();
        guard->startHere();
      });
}

void LoadCheck::startHere() {
  m_jobs.start<std::string>(
      hereTag(), [summary = m_summary](Monitor& monitor) { return describe::summarizeHere(*summary, monitor); },
      [guard = QPointer<LoadCheck>(this)](Result<std::string> text) {
        if (!guard || !text || text->empty()) return;
        guard->m_here = toQt(*text);
        Q_EMIT guard->hereReady();
      });
}

} // namespace blobscope::ui
