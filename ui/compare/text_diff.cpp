#include "ui/compare/text_diff.h"

#include "core/diff/lines.h"
#include "ui/compare/text_pair_view.h"
#include "ui/session/jobs.h"
#include "ui/session/text_pair.h"

#include <QPointer>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

/// The view of both states; cancels the comparison when it is deleted.
class TextDiff : public QWidget {
public:
  TextDiff(Jobs& jobs, const view::TextPage& before, const view::TextPage& after, QWidget* parent)
      : QWidget(parent), m_jobs(jobs), m_tag(QStringLiteral("text-diff/%1").arg(reinterpret_cast<quintptr>(this))),
        m_view(new TextPairView(this)) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    setFocusProxy(m_view);
    m_jobs.start<TextPairPtr>(
        m_tag,
        [before, after](Monitor& monitor) -> Result<TextPairPtr> {
          BLOBSCOPE_TRY(lines, diff::compareLines(before.text, after.text, {}, monitor));
          return makeTextPair(before, after, lines, {}, monitor);
        },
        [guard = QPointer<TextDiff>(this)](Result<TextPairPtr> pair) {
          if (guard && pair) guard->m_view->setText(std::move(*pair));
        });
  }
  ~TextDiff() override { m_jobs.cancel(m_tag); }

private:
  Jobs& m_jobs;
  QString m_tag;
  TextPairView* m_view;
};

} // namespace

QWidget* makeTextDiff(Jobs& jobs, const view::TextPage& before, const view::TextPage& after, QWidget* parent) {
  return new TextDiff(jobs, before, after, parent);
}

} // namespace blobscope::ui
