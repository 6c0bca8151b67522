#include "ui/window/panels/problems_panel.h"

#include "core/base/text.h"
#include "ui/models/contents_model.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/text/severity_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/item_menu.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/list_table.h"
#include "ui/widgets/severity_role.h"
#include "ui/widgets/tool_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QStackedLayout>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// Room for the sign that expands a folded finding.
constexpr int kBranch = 16, kProblemsMargin = 8;

class ProblemDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    paintRow(painter, option);
    QRect rect = option.rect.adjusted(kProblemsMargin, 0, -kProblemsMargin, 0);
    if (index.column() == ProblemsModel::Problem) {
      if (index.data(ProblemCauseRole).toBool()) {
        QStyleOption branch;
        branch.rect = placed(option, QRect(rect.left(), rect.top(), kBranch, rect.height()));
        branch.direction = option.direction;
        branch.state = QStyle::State_Children;
        branch.state.setFlag(QStyle::State_Open, index.data(ProblemOpenRole).toBool());
        option.widget->style()->drawPrimitive(QStyle::PE_IndicatorBranch, &branch, painter, option.widget);
      }
      if (static_cast<const ProblemsModel*>(index.model())->folds())
        rect.setLeft(rect.left() + (index.data(ProblemFollowsRole).toBool() ? 2 : 1) * kBranch);
      const auto severity = static_cast<Severity>(index.data(ProblemSeverityRole).toInt());
      paintRowIcon(painter, option, rect,
                   iconPixmap(severityIcon(severity), severityRole(severity), metrics::kIcon,
                              painter->device()->devicePixelRatioF()));
      rect.setLeft(rect.left() + metrics::kIcon + 6);
    }
    const bool code = index.column() == ProblemsModel::Rule || index.column() == ProblemsModel::Byte;
    const QFont font = code ? textFont(TextRole::Code) : option.font;
    painter->setFont(font);
    painter->setPen(theme().color(index.column() == ProblemsModel::Byte   ? Role::Accent
                                  : index.column() == ProblemsModel::Rule ? Role::Secondary
                                                                          : Role::Text));
    painter->drawText(placed(option, rect), Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, rect.width()));
    painter->restore();
  }
};

} // namespace

ProblemsPanel::ProblemsPanel(QWidget* parent)
    : QWidget(parent), m_model(new ProblemsModel(this)), m_view(new QTableView(this)), m_filter(new QLineEdit(this)),
      m_fix(new QToolButton(this)), m_summary(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)),
      m_empty(new ThemeLabel({}, TextRole::Body, Role::Secondary, this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const bar = new QHBoxLayout;
  bar->setContentsMargins(8, 6, 8, 6);
  bar->setSpacing(4);
  for (std::size_t i = 0; i < m_toggles.size(); ++i) {
    auto* const toggle = new QToolButton(this);
    toggle->setCheckable(true);
    toggle->setChecked(true);
    toggle->setAutoRaise(true);
    toggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    toggle->setIcon(icon(severityIcon(static_cast<Severity>(i)), severityRole(static_cast<Severity>(i))));
    connect(toggle, &QToolButton::toggled, this, &ProblemsPanel::applyFilter);
    bar->addWidget(toggle);
    m_toggles[i] = toggle;
  }
  m_filter->setPlaceholderText(tr("Filter"));
  m_filter->setAccessibleName(tr("Filter findings"));
  addFindIcon(*m_filter);
  m_filter->setClearButtonEnabled(true);
  m_filter->setMaximumWidth(200);
  connect(m_filter, &QLineEdit::textChanged, this, &ProblemsPanel::applyFilter);
  addFilterKeys(*m_filter, *m_view);
  onItemMenu(*m_view, [this](const QModelIndex& index, QPoint place) {
    Q_EMIT menuRequested(m_model->issue(index.row()), index.data().toString(), place);
  });
  bar->addSpacing(8);
  bar->addWidget(m_filter);
  bar->addStretch();
  bar->addWidget(m_summary);
  m_fix->setText(tr("Fix…"));
  m_fix->setAutoRaise(true);
  m_fix->setToolTip(plainTip(tr("Shows what quick fixes would change, and applies them")));
  connect(m_fix, &QToolButton::clicked, this, &ProblemsPanel::fixRequested);
  bar->addWidget(m_fix);
  bar->addWidget(toolButton(QStringLiteral("copy"), tr("Copy the findings"), this, [this] { copy(); }));
  layout->addLayout(bar);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_view->setModel(m_model);
  m_view->setItemDelegate(new ProblemDelegate(m_view));
  setUpList(*m_view);
  m_view->setAccessibleName(tr("Problems"));
  m_view->setWordWrap(false);
  m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_view->horizontalHeader()->setSectionResizeMode(ProblemsModel::Problem, QHeaderView::Stretch);
  m_view->setColumnWidth(ProblemsModel::Rule, 180);
  m_view->setColumnWidth(ProblemsModel::Where, 200);
  m_view->setColumnWidth(ProblemsModel::Byte, 110);
  layout->addWidget(m_view, 1);
  m_empty->setAlignment(Qt::AlignCenter);
  layout->addWidget(m_empty, 1);
  // F1 explains the rule of the row under the mouse, or of the current one.
  const auto setTopic = [this](const QModelIndex& index) {
    m_view->setProperty("helpTopic", index.isValid() ? toQt(m_model->issue(index.row()).rule) : QVariant());
  };
  m_view->setMouseTracking(true);
  connect(m_view, &QTableView::entered, this, setTopic);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, setTopic);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (index.isValid()) Q_EMIT selected(m_model->issue(index.row()));
  });
  connect(m_view, &QTableView::activated, this,
          [this](const QModelIndex& index) { Q_EMIT activated(m_model->issue(index.row())); });
  m_view->installEventFilter(this);
  m_view->viewport()->installEventFilter(this);
  connect(m_view, &QTableView::clicked, this, [this](const QModelIndex& index) {
    if (index.column() == ProblemsModel::Byte && !index.data().toString().isEmpty())
      Q_EMIT activated(m_model->issue(index.row()));
  });
  setReport(nullptr);
}

void ProblemsPanel::setReport(const std::shared_ptr<const check::Report>& report) {
  m_model->setReport(report);
  const auto count = [this](Severity severity) { return m_model->count(severity); };
  m_toggles[0]->setText(tr("%n error(s)", nullptr, count(Severity::Error)));
  m_toggles[1]->setText(tr("%n warning(s)", nullptr, count(Severity::Warning)));
  m_toggles[2]->setText(tr("%n note(s)", nullptr, count(Severity::Note)));
  m_fix->setVisible(report &&
                    std::ranges::any_of(report->issues, [](const check::Issue& one) { return !one.quickFix.empty(); }));
  applyFilter();
}

void ProblemsPanel::applyFilter() {
  std::array<bool, 3> severities = {};
  for (std::size_t i = 0; i < severities.size(); ++i) severities[i] = m_toggles[i]->isChecked();
  m_model->setFilter(severities, m_filter->text());
  const int shown = m_model->matching(), total = m_model->total();
  m_summary->setText(
      total == 0 ? QString()
      : shown == total
          ? tr("%n finding(s), errors first", nullptr, total)
          : tr("%1 of %n finding(s)", nullptr, total).arg(toQt(groupedText(static_cast<uint64_t>(shown)))));
  m_empty->setText(total == 0 ? tr("There are no findings.") : tr("No finding matches the filter."));
  m_empty->setVisible(shown == 0);
  m_view->setVisible(shown > 0);
}

/// Left, Right and a click on the sign collapse and expand, as in a tree.
bool ProblemsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view->viewport() && event->type() == QEvent::MouseButtonPress) {
    const QPoint place = static_cast<QMouseEvent*>(event)->pos();
    const QModelIndex index = m_view->indexAt(place);
    const bool onSign = index.isValid() && index.column() == ProblemsModel::Problem &&
                        index.data(ProblemCauseRole).toBool() &&
                        place.x() < m_view->visualRect(index).left() + kProblemsMargin + kBranch;
    if (onSign) m_model->setOpen(index.row(), !index.data(ProblemOpenRole).toBool());
    return onSign;
  }
  const QModelIndex current = m_view->currentIndex();
  if (watched != m_view || event->type() != QEvent::KeyPress || !current.isValid())
    return QWidget::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key != Qt::Key_Left && key != Qt::Key_Right) return false;
  int row = current.row();
  if (key == Qt::Key_Left)
    while (m_model->index(row, 0).data(ProblemFollowsRole).toBool()) --row;
  if (row != current.row())
    m_view->setCurrentIndex(m_model->index(row, 0));
  else
    m_model->setOpen(row, key == Qt::Key_Right);
  return true;
}

void ProblemsPanel::step(bool backwards) {
  const int count = m_model->rowCount();
  if (count == 0) return;
  const int current = m_view->currentIndex().isValid() ? m_view->currentIndex().row() : backwards ? 0 : -1;
  const int next = (current + (backwards ? count - 1 : 1)) % count;
  m_view->setCurrentIndex(m_model->index(next, 0));
  Q_EMIT activated(m_model->issue(next));
}

void ProblemsPanel::copy() { QGuiApplication::clipboard()->setText(m_model->asText()); }

} // namespace blobscope::ui
