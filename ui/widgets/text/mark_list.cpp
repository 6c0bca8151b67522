#include "ui/widgets/text/mark_list.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/text/severity_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/severity_role.h"

namespace blobscope::ui {
namespace {

constexpr int kMarkRows = 5;

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
    const QString place = mark.source.isEmpty() ? tr("line %1").arg(toQt(groupedText(mark.line)))
                                                : tr("%1, line %2").arg(mark.source, toQt(groupedText(mark.line)));
    auto* const item =
        new QListWidgetItem(icon(severityIcon(mark.severity), severityRole(mark.severity)), plainLine(mark.text), this);
    item->setText(plainLine(tr("%1 · %2").arg(mark.text, place)));
    item->setToolTip(plainTip(mark.text));
    item->setSizeHint({10, metrics::rowHeight()});
  }
  setCurrentRow(m_view->currentMark());
  setFixedHeight(std::min(kMarkRows, std::max(count(), 1)) * metrics::rowHeight() + 2);
  setVisible(count() > 0);
}

} // namespace blobscope::ui
