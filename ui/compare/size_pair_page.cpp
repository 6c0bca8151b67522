#include "ui/compare/size_pair_page.h"

#include "ui/models/size_changes_model.h"
#include "ui/text/plain_text.h"
#include "ui/theme/content_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/list_table.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kSignedBar = 132, kSignedBarHigh = 8, kBarMargin = 12;

/// Draws the difference with a bar from the middle: to the right where B is larger.
class SignedBarDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, option.palette.highlight());
    const double share = index.data(SizeChangesModel::ShareRole).toDouble();
    const int middle = option.rect.left() + kBarMargin + kSignedBar / 2;
    const int top = option.rect.center().y() - kSignedBarHigh / 2;
    painter->fillRect(QRect(option.rect.left() + kBarMargin, top, kSignedBar, kSignedBarHigh),
                      theme().color(Role::Header));
    const int length = std::max(1, static_cast<int>(std::abs(share) * kSignedBar / 2));
    painter->fillRect(QRect(share > 0 ? middle : middle - length, top, length, kSignedBarHigh),
                      theme().color(share > 0 ? Role::Warning : Role::Ok));
    painter->fillRect(QRect(middle, top - 2, 1, kSignedBarHigh + 4), theme().color(Role::Secondary));
    painter->setPen(theme().color(Role::Text));
    painter->setFont(option.font);
    painter->drawText(option.rect.adjusted(kBarMargin + kSignedBar, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter,
                      index.data().toString());
  }
};

} // namespace

SizePairPage::SizePairPage(const sizes::SizeComparison& sizes, QWidget* parent)
    : PairPage(parent), m_model(new SizeChangesModel(sizes, this)), m_view(new QTableView(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_view->setModel(m_model);
  setUpList(*m_view);
  m_view->setItemDelegateForColumn(SizeChangesModel::Difference, new SignedBarDelegate(m_view));
  m_view->setShowGrid(false);
  m_view->setWordWrap(false);
  m_view->setTextElideMode(Qt::ElideMiddle);
  m_view->setAccessibleName(tr("Sizes that differ"));
  m_view->verticalHeader()->hide();
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->horizontalHeader()->setFixedHeight(28);
  m_view->horizontalHeader()->setSectionResizeMode(SizeChangesModel::Name, QHeaderView::Stretch);
  followContentText(*m_view);
  layout->addWidget(m_view, 1);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  auto* const summary = new ThemeLabel(toQt(sizes.sentence()), TextRole::Secondary, Role::Secondary, this);
  summary->setContentsMargins(12, 0, 12, 0);
  summary->setFixedHeight(28);
  summary->setElided();
  layout->addWidget(summary);
  setFocusProxy(m_view);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    Q_EMIT changeMoved(currentChange(), changeCount());
    if (!index.isValid()) return;
    Q_EMIT selectionText(index.siblingAtColumn(SizeChangesModel::Name).data().toString() + QStringLiteral(", ") +
                         index.siblingAtColumn(SizeChangesModel::Difference).data().toString());
  });
}

int SizePairPage::changeCount() const { return m_model->rowCount(); }
int SizePairPage::currentChange() const { return m_view->currentIndex().isValid() ? m_view->currentIndex().row() : -1; }

void SizePairPage::select(int row) {
  m_view->setCurrentIndex(m_model->index(row, 0));
  m_view->scrollTo(m_view->currentIndex());
}

bool SizePairPage::goToNextChange(bool backwards) {
  const int next = currentChange() + (backwards ? -1 : 1);
  if (next < 0 || next >= changeCount()) return false;
  select(next);
  return true;
}

void SizePairPage::goToEnd(bool last) {
  if (changeCount() > 0) select(last ? changeCount() - 1 : 0);
}

void SizePairPage::resizeEvent(QResizeEvent* event) {
  PairPage::resizeEvent(event);
  constexpr int kInFrom = 720, kNumbersFrom = 520;
  m_view->setColumnHidden(SizeChangesModel::In, width() < kInFrom);
  for (const int column : {SizeChangesModel::Before, SizeChangesModel::After}) {
    m_view->setColumnHidden(column, width() < kNumbersFrom);
    m_view->setColumnWidth(column, 104);
  }
  m_view->setColumnWidth(SizeChangesModel::In, width() / 4);
  m_view->setColumnWidth(SizeChangesModel::Difference, kSignedBar + kBarMargin + 104);
}

} // namespace blobscope::ui
