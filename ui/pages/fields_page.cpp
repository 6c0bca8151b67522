#include "ui/pages/fields_page.h"

#include "core/base/text.h"
#include "ui/session/strings.h"
#include "ui/theme/delegates.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QVBoxLayout>

namespace blobscope::ui {

FieldsPage::FieldsPage(const view::FieldsPage& page, QWidget* parent)
    : PageWidget(parent), m_tree(page.tree), m_model(new FieldsModel(page.tree, this)), m_view(new QTreeView(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_view);
  m_view->setModel(m_model);
  m_view->setUniformRowHeights(true);
  m_view->setItemDelegate(new CellDelegate(m_view, {1, 2}));
  m_view->setAccessibleName(tr("Fields"));
  m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_view->header()->setStretchLastSection(false);
  m_view->header()->setSectionResizeMode(1, QHeaderView::Stretch);
  m_view->setColumnWidth(0, 260);
  m_view->setColumnWidth(2, 110);
  m_view->setColumnWidth(3, 90);
  m_view->expandToDepth(0);
  m_view->installEventFilter(this);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
    if (!index.isValid()) return;
    const uint32_t row = FieldsModel::row(index);
    const Field& field = m_tree->rows[row];
    Q_EMIT selectionText(tr("%1   %2 + %3").arg(toQt(m_tree->path(row)), toQt(hexText(m_tree->bytes.offset().value_or(0) + field.offset))).arg(field.size));
    Q_EMIT rowChosen(row);
  });
}

void FieldsPage::select(uint32_t row) {
  const QModelIndex index = m_model->indexOf(row);
  if (m_view->currentIndex().isValid() && FieldsModel::row(m_view->currentIndex()) == row) return;
  for (QModelIndex above = index.parent(); above.isValid(); above = above.parent()) m_view->expand(above);
  m_view->setCurrentIndex(index);
  m_view->scrollTo(index);
}

bool FieldsPage::goToOffset(uint64_t offset, std::optional<uint64_t>) {
  const uint64_t base = m_tree->bytes.offset().value_or(0);
  if (offset < base) return false;
  const auto row = m_tree->rowAt(offset - base);
  if (row) select(*row);
  return row.has_value();
}

bool FieldsPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    QString text;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows()) {
      const uint32_t row = FieldsModel::row(index);
      text += toQt(m_tree->path(row)) + QStringLiteral(": ") + toQt(m_tree->value(row, 4096)) + QLatin1Char('\n');
    }
    QGuiApplication::clipboard()->setText(text);
    return true;
  }
  return PageWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
