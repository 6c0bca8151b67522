#include "ui/window/panels/run_panel.h"

#include "core/describe/run_report.h"
#include "ui/pages/kind_look.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/widgets/charts/sample_plot.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/list_table.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/tool_button.h"
#include "ui/window/panels/details_panel.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QListView>
#include <QLocale>
#include <QPainter>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kBarWidth = 32, kIconsOnly = 1'100;

struct StatusLook {
  const char* icon;
  Role role;
};
StatusLook lookOf(run::Status status) {
  switch (status) {
  case run::Status::Ok: return {"ok", Role::Ok};
  case run::Status::Refused: return {"note", Role::Note};
  case run::Status::Differs: return {"warning", Role::Warning};
  default: return {"error", Role::Error};
  }
}

void drawIcon(QPainter* painter, const QStyleOptionViewItem& option, const QRect& rect, const char* name, Role role) {
  paintRowIcon(painter, option, rect,
               iconPixmap(QLatin1String(name), role, metrics::kIcon, painter->device()->devicePixelRatioF()));
}

/// Paints what was run, how, when, and how it ended.
class HistoryDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {180, metrics::rowHeight()}; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    paintRow(painter, option);
    QRect rect = option.rect.adjusted(8, 0, -8, 0);
    const StatusLook look = lookOf(static_cast<run::Status>(index.data(RunStatusRole).toInt()));
    drawIcon(painter, option, rect, look.icon, look.role);
    rect.setLeft(rect.left() + metrics::kIcon + 6);
    const QFontMetrics metrics(option.font);
    const QString time = index.data(RunTimeRole).toString();
    painter->setFont(option.font);
    painter->setPen(theme().color(Role::Secondary));
    painter->drawText(placed(option, rect), Qt::AlignRight | Qt::AlignVCenter, time);
    rect.setRight(rect.right() - metrics.horizontalAdvance(time) - 8);
    const QString name = metrics.elidedText(index.data().toString(), Qt::ElideRight, rect.width());
    painter->setPen(theme().color(Role::Text));
    painter->drawText(placed(option, rect), nameFlags(*painter, Qt::AlignLeft | Qt::AlignVCenter), name);
    rect.setLeft(rect.left() + metrics.horizontalAdvance(name) + 8);
    if (const auto* const model = qobject_cast<const RunHistoryModel*>(index.model()); model && rect.width() > 20) {
      painter->setPen(theme().color(Role::Secondary));
      painter->drawText(
          placed(option, rect), Qt::AlignLeft | Qt::AlignVCenter,
          metrics.elidedText(RunHistoryModel::manner(*model->entry(index.row())), Qt::ElideRight, rect.width()));
    }
    painter->restore();
  }
};

class RowDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const auto* const model = qobject_cast<const RunRowsModel*>(index.model());
    if (!model) return;
    painter->save();
    paintRow(painter, option);
    QRect rect = option.rect.adjusted(8, 0, -8, 0);
    const bool launch = model->launchOf(index.row()) != nullptr, last = index.column() == model->columnCount() - 1;
    if (index.column() == 0) {
      const KindLook look = kindLook(launch ? library::RowKind::Kernel : library::RowKind::HostFunction, {});
      drawIcon(painter, option, rect, look.icon.toLatin1().constData(), look.role);
      rect.setLeft(rect.left() + metrics::kIcon + 6);
    } else if (last) {
      const StatusLook look = lookOf(static_cast<run::Status>(index.data(RunStatusRole).toInt()));
      drawIcon(painter, option, rect, look.icon, look.role);
      rect.setLeft(rect.left() + metrics::kIcon + 6);
    } else if (index.column() == model->medianColumn()) {
      const double share = index.data(RunShareRole).toDouble();
      if (share > 0) {
        const QRectF bar = placed(option, QRect(rect.left(), rect.center().y() - 2, kBarWidth, 5));
        painter->fillRect(bar, theme().color(Role::Header));
        painter->fillRect(QRectF(bar.left(), bar.top(), std::max(1.0, bar.width() * share), bar.height()),
                          theme().color(Role::Accent));
      }
      rect.setLeft(rect.left() + kBarWidth + 4);
    }
    const bool code = model->showsLaunches() && index.column() == RunRowsModel::Arguments;
    const QFont font = code ? textFont(TextRole::Code) : option.font;
    painter->setFont(font);
    painter->setPen(theme().color(code ? Role::Secondary : Role::Text));
    const auto alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
    painter->drawText(placed(option, rect), nameFlags(*painter, alignment),
                      QFontMetrics(font).elidedText(index.data().toString(),
                                                    index.column() == 0 ? Qt::ElideMiddle : Qt::ElideRight,
                                                    rect.width()));
    painter->restore();
  }
};

} // namespace

// --- 1. Widgets

RunPanel::RunPanel(TestRun& runs, QWidget* parent)
    : QWidget(parent), m_runs(runs), m_model(new RunHistoryModel(this)), m_rows(new RunRowsModel(this)),
      m_progress(new ProgressStrip(this)), m_empty(new ThemeLabel({}, TextRole::Body, Role::Secondary, this)) {
  setProperty("helpTopic", QStringLiteral("test-run"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_progress);
  auto* const split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(1);
  split->setChildrenCollapsible(false);
  split->addWidget(makeHistory());
  split->addWidget(makeMiddle());
  // A direct child, so that the middle takes the room of a hidden plot.
  m_plot = new SamplePlot(split);
  m_details = new DetailsPanel(split);
  m_details->setAccessibleName(tr("Results of the run"));
  split->addWidget(m_plot);
  split->addWidget(m_details);
  split->setStretchFactor(1, 1);
  split->setSizes({200, 660, 320, 260});
  m_body = split;
  layout->addWidget(split, 1);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  layout->addWidget(m_empty, 1);

  connect(m_progress, &ProgressStrip::cancelled, &runs, &TestRun::cancel);
  connect(&runs, &TestRun::started, this, [this] {
    m_progress->begin(tr("Running"));
    updateState();
  });
  connect(&runs, &TestRun::progressed, m_progress, &ProgressStrip::showProgress);
  connect(&runs, &TestRun::ended, this, [this] {
    m_progress->end();
    updateState();
  });
  connect(&runs, &TestRun::added, this, [this] {
    m_model->setHistory(m_runs.history());
    showEntry(0);
  });
  m_model->setHistory(runs.history());
  showEntry(0);
}

QWidget* RunPanel::makeHistory() {
  m_history = new QListView(this);
  m_history->setModel(m_model);
  m_history->setItemDelegate(new HistoryDelegate(m_history));
  m_history->setFrameShape(QFrame::NoFrame);
  m_history->setUniformItemSizes(true);
  m_history->setMouseTracking(true);
  m_history->setAccessibleName(tr("Runs"));
  m_history->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_history->setMinimumWidth(160);
  connect(m_history->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RunPanel::showRows);
  return m_history;
}

QWidget* RunPanel::makeMiddle() {
  auto* const middle = new QWidget(this);
  auto* const layout = new QVBoxLayout(middle);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->setSpacing(4);
  m_again = wordButton(QStringLiteral("run"), tr("Run again"), middle);
  m_again->setToolTip(tr("Repeats the last run with the current file"));
  m_options = wordButton(QStringLiteral("settings"), tr("Options…"), middle);
  m_options->setToolTip(tr("Opens the Run dialog with the options of this run"));
  m_export = wordButton(QStringLiteral("export"), tr("Export…"), middle);
  m_export->setToolTip(tr("Saves the results of this run as JSON"));
  connect(m_again, &QToolButton::clicked, this, &RunPanel::againRequested);
  connect(m_options, &QToolButton::clicked, this, &RunPanel::optionsRequested);
  connect(m_export, &QToolButton::clicked, this, &RunPanel::exportRequested);
  m_all = new LinkButton(tr("All functions"), middle);
  connect(m_all, &LinkButton::clicked, this, [this] {
    m_rows->setFunction(std::nullopt);
    setColumns();
    if (m_rows->rowCount() > 0) m_view->setCurrentIndex(m_rows->index(0, 0));
    m_view->setFocus();
    updateState();
  });
  m_nodes = new LinkButton(tr("Nodes"), middle);
  m_nodes->setToolTip(plainTip(tr("Shows the nodes of the model in a tab")));
  connect(m_nodes, &LinkButton::clicked, this, &RunPanel::nodesRequested);
  m_title = new ThemeLabel({}, TextRole::Heading, Role::Text, middle);
  m_title->setElided();
  bar->addWidget(m_again);
  bar->addWidget(m_options);
  bar->addWidget(m_export);
  bar->addSpacing(8);
  bar->addWidget(m_all);
  bar->addWidget(m_nodes);
  bar->addWidget(m_title, 1);
  layout->addLayout(bar);
  layout->addWidget(new Rule(Qt::Horizontal, middle));

  m_view = new QTableView(middle);
  m_view->setModel(m_rows);
  m_view->setItemDelegate(new RowDelegate(m_view));
  setUpList(*m_view);
  m_view->setFrameShape(QFrame::NoFrame);
  m_view->setAccessibleName(tr("Launches and functions"));
  m_view->setWordWrap(false);
  m_view->installEventFilter(this);
  connect(m_view, &QTableView::doubleClicked, this, [this](const QModelIndex& index) { activate(index.row()); });
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RunPanel::showRow);
  layout->addWidget(m_view, 1);
  m_failure = new ThemeLabel({}, TextRole::Body, Role::Error, middle);
  m_failure->setWordWrap(true);
  m_failure->setContentsMargins(16, 12, 16, 12);
  m_failure->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  layout->addWidget(m_failure, 1);
  layout->addWidget(new Rule(Qt::Horizontal, middle));
  m_summary = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, middle);
  m_summary->setContentsMargins(12, 4, 8, 4);
  m_summary->setElided();
  layout->addWidget(m_summary);
  middle->setMinimumWidth(280);
  return middle;
}

// --- 2. Display

void RunPanel::setCanRun(bool can) {
  m_canRun = can;
  updateState();
}

void RunPanel::showEntry(int row) {
  if (row < m_model->rowCount()) {
    m_history->setCurrentIndex({});
    m_history->setCurrentIndex(m_model->index(row, 0));
  }
  showRows();
}

void RunPanel::showRows() {
  const QModelIndex current = m_history->currentIndex();
  m_entry = current.isValid() ? m_model->entry(current.row()) : nullptr;
  m_rows->setEntry(m_entry);
  setColumns();
  if (m_rows->rowCount() > 0) m_view->setCurrentIndex(m_rows->index(0, 0));
  showRow();
  updateState();
}

void RunPanel::setColumns() {
  QHeaderView& header = *m_view->horizontalHeader();
  for (int i = 0; i < m_rows->columnCount(); ++i) header.setSectionResizeMode(i, QHeaderView::Interactive);
  header.setMinimumSectionSize(48);
  if (m_rows->columnCount() == 0) return;
  for (int i = 0; i < m_rows->columnCount(); ++i) m_view->setColumnHidden(i, m_rows->isUnused(i));
  header.setSectionResizeMode(m_rows->showsLaunches() ? static_cast<int>(RunRowsModel::Arguments)
                                                      : static_cast<int>(RunRowsModel::Function),
                              QHeaderView::Stretch);
  if (m_rows->showsLaunches()) {
    const int widths[] = {200, 96, 108, 76, 0, 100, 112};
    for (int i = 0; i < RunRowsModel::LaunchColumns; ++i)
      if (i != RunRowsModel::Arguments) m_view->setColumnWidth(i, widths[i]);
  } else {
    const int widths[] = {0, 84, 76, 116, 140};
    for (int i = 1; i < m_rows->columnCount(); ++i) m_view->setColumnWidth(i, widths[i]);
  }
}

void RunPanel::showRow() {
  const int at = m_view->currentIndex().isValid() ? m_view->currentIndex().row() : -1;
  const run::FunctionResult* const result = m_entry ? m_rows->functionOf(at) : nullptr;
  const protocol::LaunchEvent* const launch = m_entry ? m_rows->launchOf(at) : nullptr;
  const std::vector<double>& times = m_rows->times(at);
  std::optional<SamplePlot::Level> level, reference;
  const auto levelOf = [](const QString& name, const protocol::TimeSummary& summary) {
    return SamplePlot::Level{name, summary.median, summary.lowerQuartile, summary.upperQuartile};
  };
  if (result && !times.empty()) {
    const bool compared = result->comparison && result->comparison->times && !launch;
    const bool opened = m_entry->request.against == RunRequest::Against::Opened;
    level = levelOf(!compared ? tr("median")
                    : opened  ? tr("edited")
                              : tr("this file"),
                    protocol::summarizeTimes(times));
    if (compared) reference = levelOf(opened ? tr("original") : tr("reference"), result->comparison->times->reference);
  }
  m_plot->setEmptyText(!m_entry || !m_entry->report ? QString()
                       : m_entry->report->dry
                           ? tr("A dry run measures no times. It records launches and uses no device.")
                       : launch ? tr("The times of this launch were not measured.")
                                : tr("No times were measured. Choose a number of measured runs in the options."));
  m_plot->setSamples(launch   ? nameToQt(launch->kernel)
                     : result ? nameToQt(result->function)
                              : QString(),
                     QVector<double>(times.begin(), times.end()), level, reference);
  m_plot->setVisible(!m_plot->samples().isEmpty());
  m_details->show(m_entry ? describe::detailsOf(m_entry->report.get(), m_entry->request.options, result, launch)
                          : view::Details());
  updateState();
}

void RunPanel::activate(int row) {
  if (!m_entry || !m_entry->report) return;
  const run::FunctionResult* const result = m_rows->functionOf(row);
  if (!result) return;
  if (!m_rows->showsLaunches() && !result->launches.empty()) {
    m_rows->setFunction(m_rows->functionIndex(row));
    setColumns();
    m_view->setCurrentIndex(m_rows->index(0, 0));
    updateState();
    return;
  }
  if (!m_entry->functions) return;
  const xref::Functions& functions = *m_entry->functions;
  if (const protocol::LaunchEvent* const launch = m_rows->launchOf(row)) {
    const auto found = std::find_if(functions.kernels.begin(), functions.kernels.end(),
                                    [&](const xref::Kernel& one) { return one.name == launch->kernel; });
    if (found != functions.kernels.end()) Q_EMIT nodeChosen(found->ref);
    return;
  }
  const auto found = std::find_if(functions.hosts.begin(), functions.hosts.end(), [&](const xref::HostFunction& one) {
    return one.signature.function == result->function;
  });
  if (found != functions.hosts.end()) Q_EMIT nodeChosen(found->ref);
}

void RunPanel::updateState() {
  const bool any = m_model->rowCount() > 0, failed = m_entry && !m_entry->report;
  m_body->setVisible(any);
  m_empty->setVisible(!any);
  m_empty->setText(
      m_runs.isRunning() ? tr("The results of the run will appear here.")
      : m_canRun
          ? tr("There are no runs yet. Run… (F5) executes functions of the file in a helper process after you agree.")
          : tr("There are no runs. The file has no function that can be called."));
  m_again->setEnabled(m_canRun && m_entry && !m_runs.isRunning());
  m_options->setEnabled(m_canRun && m_entry && !m_runs.isRunning());
  m_export->setEnabled(m_entry && m_entry->report);
  m_view->setVisible(!failed);
  m_failure->setVisible(failed);
  m_failure->setText(failed ? tr("%1: %2").arg(m_entry->code, m_entry->message) : QString());
  m_all->setVisible(m_rows->showsLaunches() && m_entry && m_entry->report && m_entry->report->functions.size() > 1);
  m_nodes->setVisible(m_entry && nodesOf(*m_entry));
  QStringList title, summary;
  if (m_entry) {
    const run::FunctionResult* const shown = m_rows->showsLaunches() ? m_rows->functionOf(0) : nullptr;
    title << (shown ? nameToQt(shown->function) : RunHistoryModel::subject(*m_entry));
    if (const QString how = RunHistoryModel::manner(*m_entry); !how.isEmpty()) title << how;
    if (m_entry->report) {
      if (!m_entry->report->dry) title << toQt(m_entry->report->device);
      for (const std::string& part : shown ? describe::summaryOf(*shown) : describe::summaryOf(*m_entry->report))
        summary << coreText(part);
    }
  }
  m_title->setText(title.join(QStringLiteral(" · ")));
  m_title->setToolTip(plainTip(m_title->text()));
  m_summary->setText(summary.join(QStringLiteral(" · ")));
  m_summary->setToolTip(plainTip(m_summary->text()));
}

void RunPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  for (QToolButton* const button : {m_again, m_options, m_export}) {
    button->setToolButtonStyle(width() < kIconsOnly ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    if (button->toolTip().isEmpty()) button->setToolTip(plainTip(button->accessibleName()));
  }
}

bool RunPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      if (m_view->currentIndex().isValid()) activate(m_view->currentIndex().row());
      return true;
    }
    if (key == Qt::Key_Backspace && m_all->isVisible()) {
      m_all->click();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
