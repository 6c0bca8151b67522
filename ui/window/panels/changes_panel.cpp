#include "ui/window/panels/changes_panel.h"

#include "ui/pages/kind_look.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/list_table.h"
#include "ui/widgets/tool_button.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

class ChangeDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    paintRow(painter, option);
    QRect rect = option.rect.adjusted(8, 0, -8, 0);
    if (index.column() == EditsModel::Change) {
      const KindLook look = kindLook(library::RowKind::Module, index.data(EditSubjectRole).toString());
      paintRowIcon(painter, option, rect,
                   iconPixmap(look.icon, look.role, metrics::kIcon, painter->device()->devicePixelRatioF()));
      rect.setLeft(rect.left() + metrics::kIcon + 6);
    }
    const QFont font = index.column() == EditsModel::Where ? textFont(TextRole::Code) : option.font;
    painter->setFont(font);
    painter->setPen(theme().color(
        index.column() == EditsModel::Change || index.column() == EditsModel::After ? Role::Text : Role::Secondary));
    painter->drawText(placed(option, rect), Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideMiddle, rect.width()));
    painter->restore();
  }
};

} // namespace

ChangesPanel::ChangesPanel(QWidget* parent)
    : QWidget(parent), m_model(new EditsModel(this)), m_view(new QTableView(this)),
      m_summary(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)),
      m_empty(new ThemeLabel(tr("There are no changes. This panel lists your changes until you save them."),
                             TextRole::Body, Role::Secondary, this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const bar = new QHBoxLayout;
  bar->setContentsMargins(8, 6, 8, 6);
  bar->setSpacing(4);
  m_revert = wordButton(QStringLiteral("undo"), tr("Revert"), this);
  m_revert->setToolTip(tr("Reverts the selected change and keeps the later ones (Del)"));
  m_repack = wordButton(QStringLiteral("repack"), tr("Repack…"), this);
  m_repack->setToolTip(tr("Opens the Repack dialog to preview and write a file with your changes"));
  bar->addWidget(m_repack);
  bar->addWidget(m_revert);
  bar->addStretch();
  bar->addWidget(m_summary);
  layout->addLayout(bar);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_view->setModel(m_model);
  m_view->setItemDelegate(new ChangeDelegate(m_view));
  setUpList(*m_view);
  m_view->setAccessibleName(tr("Changes"));
  m_view->setWordWrap(false);
  m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_view->horizontalHeader()->setSectionResizeMode(EditsModel::Change, QHeaderView::Stretch);
  m_view->setColumnWidth(EditsModel::Before, 210);
  m_view->setColumnWidth(EditsModel::After, 210);
  m_view->setColumnWidth(EditsModel::Where, 260);
  m_view->installEventFilter(this);
  layout->addWidget(m_view, 1);
  m_empty->setAlignment(Qt::AlignCenter);
  layout->addWidget(m_empty, 1);
  connect(m_view, &QTableView::activated, this, [this](const QModelIndex& index) { Q_EMIT activated(index.row()); });
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ChangesPanel::updateState);
  connect(m_revert, &QAbstractButton::clicked, this, &ChangesPanel::revertSelected);
  connect(m_repack, &QAbstractButton::clicked, this, &ChangesPanel::repackRequested);
  setChanges({});
}

void ChangesPanel::setChanges(const std::vector<edit::Description>& changes) {
  m_model->setChanges(changes);
  const int count = m_model->rowCount();
  m_summary->setText(count == 0 ? QString() : tr("%n unsaved change(s)", nullptr, count));
  m_empty->setVisible(count == 0);
  m_view->setVisible(count > 0);
  updateState();
}

void ChangesPanel::updateState() {
  m_revert->setEnabled(m_view->currentIndex().isValid() && m_model->rowCount() > 0);
  m_repack->setEnabled(m_model->rowCount() > 0);
}

void ChangesPanel::revertSelected() {
  if (m_view->currentIndex().isValid()) Q_EMIT revertRequested(m_view->currentIndex().row());
}

bool ChangesPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Delete)) {
    revertSelected();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
