#include "ui/widgets/text/mark_list.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"

namespace blobscope::ui {
namespace {

constexpr int kMarkRows = 5;

struct MarkLook {
  QString icon;
  Role role;
};
MarkLook markLook(Severity severity) {
  switch (severity) {
  case Severity::Error: return {QStringLiteral("error"), Role::Error};
  case Severity::Warning: return {QStringLiteral("warning"), Role::Warning};
  case Severity::Note: break;
  }
  return {QStringLiteral("note"), Role::Note};
}

} // namespace

MarkList::MarkList(EditView* view, QWidget* parent) : QListWidget(parent), m_view(view) {
  setAccessibleName(tr("Messages"));
  setUniformItemSizes(true);
  setFrameShape(QFrame::NoFrame);
  setIconSize({metrics::kIcon, metrics::kIcon});
  connect(view, &EditView::marksChanged, this, &MarkList::fill);
  connect(this, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    m_view->goToMark(row(item));
    m_view->setFocus();
  });
  connect(this, &QListWidget::itemClicked, this, [this](const QListWidgetItem* item) { m_view->goToMark(row(item)); });
  fill();
}

void MarkList::fill() {
  clear();
  for (const TextMark& mark : m_view->marks()) {
    const MarkLook look = markLook(mark.severity);
    const QString place = mark.source.isEmpty() ? tr("line %1").arg(toQt(groupedText(mark.line)))
                                                : tr("%1, line %2").arg(mark.source, toQt(groupedText(mark.line)));
    auto* const item = new QListWidgetItem(icon(look.icon, look.role), plainLine(mark.text), this);
    item->setText(plainLine(tr("%1 · %2").arg(mark.text, place)));
    item->setToolTip(plainTip(mark.text));
    item->setSizeHint({10, metrics::rowHeight()});
  }
  setCurrentRow(m_view->currentMark());
  setFixedHeight(std::min(kMarkRows, std::max(count(), 1)) * metrics::rowHeight() + 2);
  setVisible(count() > 0);
}

} // namespace blobscope::ui
