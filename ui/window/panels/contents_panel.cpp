#include "ui/window/panels/contents_panel.h"

#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/item_menu.h"
#include "ui/window/panels/tree_delegate.h"

#include <QDrag>
#include <QDragMoveEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPointer>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTimer>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

/// Matches name, detail or type key.
class ContentsFilter : public QSortFilterProxyModel {
public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    const QString words = index.data(Qt::DisplayRole).toString() + QLatin1Char(' ') +
                          index.data(DetailRole).toString() + QLatin1Char(' ') + index.data(ModuleKeyRole).toString();
    return words.contains(filterRegularExpression());
  }
};

library::RowKind kindOf(const QModelIndex& index) {
  return static_cast<library::RowKind>(index.data(KindRole).toInt());
}

/// A tree that leaves to the panel what is dragged.
class ContentsTree : public QTreeView {
public:
  explicit ContentsTree(ContentsPanel& panel) : QTreeView(&panel), m_panel(panel) {}

protected:
  void startDrag(Qt::DropActions) override {
    std::unique_ptr<QMimeData> dragged = m_panel.makeDragData();
    if (!dragged) return;
    // A module that is dragged onto another one leaves its place; a file is always a copy.
    const bool isModule = model()->flags(currentIndex()).testFlag(Qt::ItemIsDropEnabled);
    const QPointer<ContentsPanel> panel(&m_panel);
    const KindLook look = kindLook(kindOf(currentIndex()), currentIndex().data(ModuleKeyRole).toString());
    const QPointer<QDrag> drag(new QDrag(this));
    drag->setMimeData(dragged.release());
    drag->setPixmap(icon(look.icon, look.role).pixmap(24));
    drag->exec(isModule ? Qt::CopyAction | Qt::MoveAction : Qt::CopyAction, isModule ? Qt::MoveAction : Qt::CopyAction);
    if (panel && drag) Q_EMIT panel->dragged(*drag->mimeData());
  }

private:
  ContentsPanel& m_panel;
};

} // namespace

ContentsPanel::ContentsPanel(QWidget* parent)
    : QWidget(parent), m_model(new ContentsModel(this)), m_filtered(new ContentsFilter(this)),
      m_delegate(new TreeDelegate(this)), m_tree(new ContentsTree(*this)), m_filter(new QLineEdit(this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Window);
  setMinimumWidth(220);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  m_filter->setPlaceholderText(tr("Filter by name or kind"));
  m_filter->setAccessibleName(tr("Filter contents by name or kind"));
  m_filter->setClearButtonEnabled(true);
  addFindIcon(*m_filter);
  auto* const filterBox = new QHBoxLayout;
  filterBox->setContentsMargins(8, 0, 8, 0);
  filterBox->addWidget(m_filter);
  layout->addLayout(filterBox);
  m_filtered->setSourceModel(m_model);
  m_filtered->setRecursiveFilteringEnabled(true);
  m_tree->setModel(m_filtered);
  m_tree->setHeaderHidden(true);
  m_tree->setUniformRowHeights(true);
  m_tree->setItemDelegate(m_delegate);
  m_tree->installEventFilter(this);
  m_tree->viewport()->installEventFilter(this);
  m_tree->setAccessibleName(tr("Contents"));
  m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_tree->setMouseTracking(true);
  m_tree->setExpandsOnDoubleClick(false); // a double click opens the node in a tab that stays
  m_tree->setDragDropMode(QAbstractItemView::DragDrop);
  m_tree->setDefaultDropAction(Qt::MoveAction);
  m_tree->setDragDropOverwriteMode(true); // onto rows, never between them
  connect(m_model, &ContentsModel::moduleDropped, this, &ContentsPanel::moduleDropped);
  layout->addWidget(m_tree, 1);
  setFocusProxy(m_tree);

  auto* const delay = new QTimer(this); // filters a long tree once per pause, not per key
  delay->setSingleShot(true);
  delay->setInterval(120);
  addFilterKeys(*m_filter, *m_tree);
  connect(m_filter, &QLineEdit::textChanged, delay, qOverload<>(&QTimer::start));
  connect(delay, &QTimer::timeout, this, [this] {
    const QString text = m_filter->text().trimmed();
    m_delegate->setFilter(text);
    m_filtered->setFilterRegularExpression(
        QRegularExpression(QRegularExpression::escape(text), QRegularExpression::CaseInsensitiveOption));
    if (!text.isEmpty()) m_tree->expandAll();
  });
  connectTree();
}

void ContentsPanel::setRows(std::vector<library::ContentsRow> rows, const Follow& follow) {
  // Nodes are identified by their refs, not by their rows.
  struct Known {
    Ref ref;
    std::string page;
  };
  const auto known = [this](const QModelIndex& index) {
    const library::ContentsRow& row = m_model->row(m_filtered->mapToSource(index));
    return Known{row.ref, row.page};
  };
  std::vector<Known> unfolded;
  std::optional<Known> chosen, list;
  for (QModelIndex index = m_filtered->index(0, 0); follow && index.isValid(); index = m_tree->indexBelow(index))
    if (m_tree->isExpanded(index)) unfolded.push_back(known(index));
  if (follow && m_tree->currentIndex().isValid()) {
    chosen = known(m_tree->currentIndex());
    if (m_tree->currentIndex().parent().isValid()) list = known(m_tree->currentIndex().parent());
  }
  const int top = m_tree->verticalScrollBar()->value();
  const QScopedValueRollback quiet(m_quiet, true);
  m_model->setRows(std::move(rows));
  if (!follow) {
    unfoldModules();
    return;
  }
  const auto now = [&](const Known& before) {
    const auto ref = follow(before.ref);
    return ref ? m_filtered->mapFromSource(m_model->find(*ref, before.page)) : QModelIndex();
  };
  for (const Known& before : unfolded) m_tree->expand(now(before));
  if (!chosen) return;
  m_model->choose(follow(chosen->ref).value_or(chosen->ref));
  QModelIndex index = now(*chosen);
  // If the node was removed, the list that contained it, so that a second Del removes nothing; else the nearest
  // remaining ancestor.
  if (!index.isValid() && list && !list->page.empty()) index = now(*list);
  for (Ref above = chosen->ref; !index.isValid() && !above.parts.empty();) {
    above.parts.clear();
    index = now({above, {}});
  }
  if (!index.isValid()) return;
  m_tree->setCurrentIndex(index);
  m_tree->verticalScrollBar()->setValue(top);
}

void ContentsPanel::setChanged(const std::vector<Ref>& places) {
  m_model->setChanged(places);
  m_tree->viewport()->update();
}

void ContentsPanel::connectTree() {
  // F1 explains the row under the mouse, or the current one.
  const auto setTopic = [this](const QModelIndex& index) {
    m_tree->setProperty("helpTopic",
                        index.isValid() ? kindTopic(kindOf(index), index.data(ModuleKeyRole).toString()) : QVariant());
  };
  connect(m_tree, &QTreeView::entered, this, setTopic);
  connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, setTopic);
  connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
    if (index.isValid() && !m_quiet && m_tree->hasFocus()) selectCurrent();
  });
  const auto open = [this](const QModelIndex& index, bool keep) {
    if (!index.isValid()) return;
    const library::ContentsRow row = m_model->row(m_filtered->mapToSource(index));
    Q_EMIT chosen(row.ref, toQt(row.page), keep);
  };
  connect(m_tree, &QTreeView::clicked, this, [open](const QModelIndex& index) { open(index, false); });
  connect(m_tree, &QTreeView::activated, this, [open](const QModelIndex& index) { open(index, true); });
  onItemMenu(*m_tree, [this](const QModelIndex& index, QPoint place) {
    const library::ContentsRow row = m_model->row(m_filtered->mapToSource(index));
    Q_EMIT menuRequested(row.ref, toQt(row.page), contentsName(row), place);
  });
}

void ContentsPanel::unfoldModules() {
  constexpr int kExpandedRows = 64;
  std::vector<QModelIndex> open = {m_filtered->index(0, 0)};
  while (!open.empty()) {
    const QModelIndex index = open.back();
    open.pop_back();
    const library::RowKind kind = kindOf(index);
    using enum library::RowKind;
    if (kind != Library && kind != Blob && kind != Module && kind != Member) continue;
    m_tree->expand(index);
    for (int row = 0; row < qMin(m_filtered->rowCount(index), kExpandedRows); ++row)
      open.push_back(m_filtered->index(row, 0, index));
  }
}

std::unique_ptr<QMimeData> ContentsPanel::makeDragData() const {
  const QModelIndex index = m_filtered->mapToSource(m_tree->currentIndex());
  if (!index.isValid() || !(m_model->flags(index) & Qt::ItemIsDragEnabled)) return nullptr;
  std::unique_ptr<QMimeData> module(m_model->mimeData({index}));
  if (!m_model->isPart(index) || !m_makeDrag) return module;
  const library::ContentsRow& row = m_model->row(index);
  std::unique_ptr<QMimeData> file = m_makeDrag(row.ref, *row.size);
  if (!file || !module) return file ? std::move(file) : std::move(module);
  for (const QString& format : module->formats()) file->setData(format, module->data(format));
  return file;
}

const library::ContentsRow* ContentsPanel::find(const Ref& ref) const { return m_model->rowOf(ref); }

void ContentsPanel::select(const Ref& ref, const QString& page) {
  QModelIndex index = m_model->find(ref, fromQt(page));
  if (!index.isValid()) index = m_model->find(ref);
  Ref module = ref.node();
  module.parts.clear();
  if (!index.isValid()) index = m_model->find(module);
  const QModelIndex shown = m_filtered->mapFromSource(index);
  if (!shown.isValid()) return;
  const QModelIndex now = m_filtered->mapToSource(m_tree->currentIndex());
  m_model->choose(module);
  if (now.isValid() && now.internalId() == index.internalId()) return;
  // The node's own row counts for all its pages, and its list of kernels for the page that shows them.
  if (now.isValid() && m_model->row(now).ref == ref &&
      (m_model->row(now).page.empty() || m_model->row(now).page == fromQt(page)))
    return;
  const QScopedValueRollback quiet(m_quiet, true);
  m_tree->setCurrentIndex(shown);
  m_tree->scrollTo(shown);
}

bool ContentsPanel::listsPartsOf(const Ref& ref) const {
  const QModelIndex now = m_filtered->mapToSource(m_tree->currentIndex());
  return now.isValid() && m_model->row(now).ref == ref && !m_model->row(now).page.empty();
}

void ContentsPanel::selectCurrent() {
  const library::ContentsRow row = m_model->row(m_filtered->mapToSource(m_tree->currentIndex()));
  Q_EMIT selected(row.ref, toQt(row.page));
}

/// In a row with several modules, Ctrl+Left and Ctrl+Right select one, and a dragged module is dropped on the one under
/// the mouse.
bool ContentsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_tree->viewport() && event->type() == QEvent::DragMove) {
    const QPoint place = static_cast<QDragMoveEvent*>(event)->position().toPoint();
    const QModelIndex index = m_tree->indexAt(place);
    QStyleOptionViewItem option;
    option.initFrom(m_tree);
    option.rect = m_tree->visualRect(index);
    if (const int part = index.isValid() ? TreeDelegate::partAt(option, index, place) : -1; part >= 0)
      m_filtered->setData(index, part, PartRole);
    return false;
  }
  const QModelIndex current = m_tree->currentIndex();
  // Del and F2 apply to the row of the tree if it has the focus, whatever was selected elsewhere before.
  if (watched == m_tree && event->type() == QEvent::ShortcutOverride && current.isValid()) {
    const int pressed = static_cast<QKeyEvent*>(event)->key();
    if (pressed == Qt::Key_Delete || pressed == Qt::Key_F2) selectCurrent();
  }
  if (watched != m_tree || event->type() != QEvent::KeyPress || !current.data(ChainRole).isValid()) return false;
  const auto* const key = static_cast<QKeyEvent*>(event);
  const int right = key->key() == Qt::Key_Right ? 1 : key->key() == Qt::Key_Left ? -1 : 0;
  const int step = isRightToLeft() ? -right : right;
  if (step == 0 || key->modifiers() != Qt::ControlModifier) return false;
  if (m_filtered->setData(current, current.data(PartRole).toInt() + step, PartRole)) selectCurrent();
  return true;
}

void ContentsPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) m_tree->doItemsLayout();
}

} // namespace blobscope::ui
