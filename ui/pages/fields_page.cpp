#include "ui/pages/fields_page.h"

#include "core/base/text.h"
#include "core/edit/rules.h"
#include "core/payloads/json/json_fields.h"
#include "ui/models/field_text.h"
#include "ui/pages/cell_delegate.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/content_text.h"
#include "ui/widgets/item_menu.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QTimer>
#include <QVBoxLayout>

#include <set>
#include <utility>

namespace blobscope::ui {

FieldsPage::FieldsPage(const view::FieldsPage& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_node(context.node), m_tree(page.tree), m_blobOffset(context.blobOffset),
      m_tools(new QWidget(this)), m_model(new FieldsModel(page.tree, this)), m_view(new QTreeView(this)) {
  auto* const toolRow = new QHBoxLayout(m_tools);
  toolRow->setContentsMargins(0, 0, 0, 0);
  toolRow->addWidget(new ThemeLabel(tr("%n field(s)", nullptr, pluralCount(m_tree->rows.size())), TextRole::Secondary,
                                    Role::Secondary, m_tools));
  toolRow->addWidget(
      toolButton(QStringLiteral("copy"), tr("Copy the selected fields"), m_tools, [this] { copySelection(); }));
  m_tools->hide();
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_view);
  m_view->setModel(m_model);
  m_view->setUniformRowHeights(true);
  auto* const delegate = new CellDelegate(m_view, {1, 2});
  delegate->setKind(CellDelegate::Kind::Fields);
  delegate->setRowHeight(metrics::kFieldRow);
  m_view->setItemDelegate(delegate);
  m_view->setMouseTracking(true);
  m_view->setAccessibleName(tr("Fields"));
  followContentText(*m_view);
  m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_view->header()->setStretchLastSection(false);
  m_view->header()->setSectionResizeMode(1, QHeaderView::Stretch);
  m_view->setColumnWidth(0, 260);
  m_view->setColumnWidth(2, 110);
  m_view->setColumnWidth(3, 90);
  expandFirst();
  std::set<uint32_t> changed;
  for (const Ref& place : context.changed) {
    Ref node = place.node();
    if (node.partKind() != PartKind::Field) continue;
    const auto row = m_tree->find(node.parts.back().name);
    node.parts.pop_back();
    if (row && node == m_node) changed.insert(*row);
  }
  m_model->setChanged(std::move(changed));
  const bool isModule = m_node.kind == Ref::Kind::Module && m_node.parts.empty();
  m_isJson = m_node.kind == Ref::Kind::Member && context.package && !m_tree->rows.empty() &&
             !edit::canEdit(*context.package, m_node, edit::Operation::SetJson);
  m_model->setEditable(isModule || m_isJson);
  connect(m_model, &FieldsModel::valueEntered, this, [this](quint32 row, const QString& text) {
    if (m_isJson) {
      enterJson(row, text);
      return;
    }
    Q_EMIT fieldEdited(m_node.part(PartKind::Field, m_tree->shownPath(row)), fieldtext::valueOf(*m_tree, row, text));
  });
  connect(m_view, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
    // In other cells, a double click expands or collapses the row.
    if (m_model->flags(index.siblingAtColumn(1)) & Qt::ItemIsEditable &&
        (index.column() == 1 || m_model->rowCount(index.siblingAtColumn(0)) == 0))
      editRow(index);
  });
  m_view->installEventFilter(this);
  setFocusProxy(m_view);
  onItemMenu(*m_view, [this](const QModelIndex& index, QPoint place) {
    const uint32_t row = FieldsModel::row(index);
    std::optional<Ref> field;
    if (m_node.kind == Ref::Kind::Module && m_node.parts.empty())
      field = m_node.part(PartKind::Field, m_tree->shownPath(row));
    Q_EMIT menuRequested(field, wholeToQt(m_tree->value(row)), place);
  });
  connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
    if (!index.isValid()) return;
    Q_EMIT message({});
    const uint32_t row = FieldsModel::row(index);
    const Field& field = m_tree->rows[row];
    Q_EMIT selectionText(tr("%1: %2 at %3")
                             .arg(toQt(m_tree->shownPath(row)), toQt(sizeText(field.size)),
                                  toQt(view::offsetText(m_tree->bytes, field.offset))));
    Q_EMIT detailsChanged(view::fieldDetails(*m_tree, row, m_blobOffset));
    if (m_node.kind == Ref::Kind::Module && m_node.parts.empty())
      Q_EMIT partChosen(m_node.part(PartKind::Field, m_tree->shownPath(row)));
    Q_EMIT rowChosen(row);
  });
}

void FieldsPage::enterJson(uint32_t row, const QString& text) {
  const auto value = fieldtext::jsonValueOf(*m_tree, row, text);
  if (value)
    Q_EMIT fieldEdited(m_node.part(PartKind::Field, payloads::jsonPointer(*m_tree, row)), *value);
  else
    Q_EMIT message(
        tr("%1 needs a value of its type, such as %2.").arg(toQt(m_tree->shownPath(row)), toQt(m_tree->value(row))));
}

void FieldsPage::expandFirst() {
  // Expands what gives a first overview: the first item of each list.
  m_view->expandToDepth(0);
  for (int root = 0; root < qMin(m_model->rowCount(), 16); ++root)
    for (QModelIndex first = m_model->index(0, 0, m_model->index(root, 0)); first.isValid();) {
      m_view->expand(first);
      // The list with more details follows the first leaf.
      QModelIndex next;
      for (int row = 0; row < qMin(m_model->rowCount(first), 8); ++row)
        if (const QModelIndex child = m_model->index(row, 0, first); m_model->rowCount(child) > 0) {
          m_view->expand(child);
          next = child;
        }
      first = next;
    }
}

void FieldsPage::select(uint32_t row) {
  const QModelIndex index = m_model->indexOf(row);
  if (m_view->currentIndex().isValid() && FieldsModel::row(m_view->currentIndex()) == row) return;
  for (QModelIndex above = index.parent(); above.isValid(); above = above.parent()) m_view->expand(above);
  m_view->setCurrentIndex(index);
  if (m_view->isVisible()) {
    m_view->scrollTo(index);
    return;
  }
  // Before the page has a layout, the row cannot be centred.
  QTimer::singleShot(0, m_view,
                     [this, row] { m_view->scrollTo(m_model->indexOf(row), QAbstractItemView::PositionAtCenter); });
}

bool FieldsPage::goToOffset(uint64_t offset, std::optional<uint64_t>) {
  const uint64_t base = m_tree->bytes.offset().value_or(0);
  if (offset < base) return false;
  const auto row = m_tree->rowAt(offset - base);
  if (row) select(*row);
  return row.has_value();
}

bool FieldsPage::showPart(const Ref::Part& part) {
  if (part.kind != PartKind::Field) return false;
  const auto row = m_tree->find(part.name);
  if (row) select(*row);
  return row.has_value();
}

std::optional<Ref::Part> FieldsPage::selectedPart() const {
  if (!m_view->currentIndex().isValid()) return std::nullopt;
  return Ref::Part{PartKind::Field, m_tree->path(FieldsModel::row(m_view->currentIndex()))};
}

bool FieldsPage::editSelection() {
  if (!m_view->currentIndex().isValid()) return false;
  editRow(m_view->currentIndex());
  return true;
}

void FieldsPage::editRow(const QModelIndex& index) {
  if (m_view->viewport()->isAncestorOf(QApplication::focusWidget())) return; // the cell is being edited
  const QModelIndex value = index.siblingAtColumn(1);
  if (m_model->flags(value) & Qt::ItemIsEditable) {
    m_view->setCurrentIndex(value);
    m_view->edit(value);
    return;
  }
  const uint32_t row = FieldsModel::row(index);
  if (!m_isJson && (m_node.kind != Ref::Kind::Module || !m_node.parts.empty()))
    Q_EMIT message(tr("Edit fields on the Fields page of their module."));
  else if (m_tree->rows[row].after > row + 1)
    Q_EMIT message(tr("%1 is a group of fields. Edit the fields in it.").arg(toQt(m_tree->shownPath(row))));
  else
    Q_EMIT message(
        tr("%1 is too long to edit here. Use Edit text or Replace with file.").arg(toQt(m_tree->shownPath(row))));
}

void FieldsPage::copySelection() {
  QString text;
  for (const QModelIndex& index : m_view->selectionModel()->selectedRows()) {
    const uint32_t row = FieldsModel::row(index);
    text +=
        wholeToQt(m_tree->path(row)) + QStringLiteral(": ") + wholeToQt(m_tree->value(row, 4096)) + QLatin1Char('\n');
  }
  if (text.isEmpty())
    Q_EMIT message(tr("Select at least one field."));
  else
    QGuiApplication::clipboard()->setText(text);
}

bool FieldsPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    copySelection();
    return true;
  }
  if (watched == m_view && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && editSelection()) return true;
  }
  return PageWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
