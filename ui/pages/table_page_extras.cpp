#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/view/csv.h"
#include "ui/pages/cell_delegate.h"
#include "ui/pages/fit_panel.h"
#include "ui/pages/table_head.h"
#include "ui/pages/table_page.h"
#include "ui/pages/table_plots.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPointer>
#include <QSettings>
#include <QSplitter>

namespace blobscope::ui {
namespace {

/// The height of the plots at first, and the least one.
constexpr int kPlotsHeight = 250, kLeastPlots = 180;
/// The height of the bars with limits at first, and the least one; they scroll if they are higher.
constexpr int kFitHeight = 190, kLeastFit = 96;

QString keptChoice(const view::TableExtras& extras) {
  return extras.setting.empty() ? QString() : QStringLiteral("choice/") + toQt(extras.setting);
}

} // namespace

void TablePage::addExtras(QVBoxLayout& layout) {
  m_head = new TableHead(m_filter, this);
  layout.addWidget(m_head);
  auto* const splitter = new QSplitter(Qt::Vertical, this);
  splitter->setAccessibleName(tr("Height of the table"));
  auto* const top = new QWidget(splitter);
  auto* const rows = new QVBoxLayout(top);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(m_view);
  rows->addWidget(new Rule(Qt::Horizontal, top));
  auto* const foot = new QWidget(top);
  auto* const line = new QHBoxLayout(foot);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(m_summary, 1);
  rows->addWidget(foot);
  if (m_extras->fit) {
    setProperty("helpTopic", QStringLiteral("boards"));
    m_fit = new FitPanel(splitter);
    m_fit->setMinimumHeight(kLeastFit);
    splitter->insertWidget(0, m_fit);
  }
  m_plots = new TablePlots(splitter);
  m_plots->setMinimumHeight(kLeastPlots);
  splitter->addWidget(top);
  splitter->addWidget(m_plots);
  splitter->setStretchFactor(splitter->indexOf(top), 1);
  for (QWidget* const fixed : {static_cast<QWidget*>(m_fit), static_cast<QWidget*>(m_plots)})
    if (fixed) splitter->setStretchFactor(splitter->indexOf(fixed), 0);
  splitter->setSizes(m_fit ? QList<int>{kFitHeight, 2 * kPlotsHeight, kPlotsHeight}
                           : QList<int>{2 * kPlotsHeight, kPlotsHeight});
  layout.addWidget(splitter, 1);
  m_delegate->setIndented(!m_extras->groupings.empty());
  m_model->setGroupWords(m_extras->thing, m_extras->sum);
  if (m_extras->sorted) {
    m_sortColumn = static_cast<int>(*m_extras->sorted);
    m_sortOrder = Qt::DescendingOrder;
    m_view->horizontalHeader()->setSortIndicator(m_sortColumn, m_sortOrder);
  }
  connect(m_head, &TableHead::groupingChosen, this, &TablePage::requestOrder);
  connect(m_head, &TableHead::choiceMade, this, [this](const QString& value) { makeChoice(value); });
  connect(m_plots, &TablePlots::chosen, this, [this](const Ref& node, bool open) {
    if (open)
      Q_EMIT nodeChosen(node, true);
    else
      selectNode(node);
  });
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &TablePage::showRowPlots);
  connect(m_view, &QTableView::clicked, this, [this](const QModelIndex& index) {
    if (m_model->isGroup(index.row())) m_model->toggleGroup(index.row());
  });
}

/// Shows what a choice changes, and requests the order again, which may depend on the numbers.
void TablePage::showExtras() {
  m_head->setExtras(*m_extras);
  if (m_fit && m_extras->fit) m_fit->showFit(*m_extras->fit);
  m_plots->setAll(m_extras->plots);
  showRowPlots();
  m_plots->setVisible(!m_plots->isEmpty());
  m_summary->setToolTip(plainTip(toQt(m_extras->summaryNote)));
  requestOrder();
  updateSummary();
}

void TablePage::addGrouping(TableOrder& order) const {
  const int grouping = m_head->grouping();
  if (grouping < 0) return;
  order.groupOf = m_extras->groupings[static_cast<std::size_t>(grouping)].groupOf;
  order.sum = m_extras->sum;
}

void TablePage::restoreChoice() {
  const QString key = keptChoice(*m_extras);
  const QString value = key.isEmpty() ? QString() : QSettings().value(key).toString();
  if (!value.isEmpty() && value != toQt(m_extras->choice)) makeChoice(value, true);
}

void TablePage::makeChoice(const QString& value, bool isKept) {
  if (!m_extras->choose) return;
  m_jobs.start<view::TablePage>(
      m_tag + QLatin1String("/choice"),
      [choose = m_extras->choose, value = fromQt(value)](Monitor& monitor) { return choose(value, monitor); },
      [guard = QPointer<TablePage>(this), isKept](Result<view::TablePage> made) {
        if (!guard) return;
        const QString key = keptChoice(*guard->m_extras);
        if (made && made->extras) {
          guard->m_extras = made->extras;
          if (!key.isEmpty()) QSettings().setValue(key, toQt(made->extras->choice));
          guard->m_model->setSource(made->source);
          Q_EMIT guard->message({});
        } else if (!made && isKept) {
          QSettings().remove(key);
        } else if (!made) {
          Q_EMIT guard->message(toQt(made.error().message()));
        }
        guard->showExtras();
        Q_EMIT guard->choiceShown();
      });
}

void TablePage::showRowPlots() {
  const QModelIndex index = m_view->currentIndex();
  if (!index.isValid() || m_model->isGroup(index.row()) || !m_extras->plotsOf) {
    m_plots->setRow({}, std::nullopt);
    return;
  }
  const uint64_t row = m_model->sourceRow(index.row());
  m_plots->setRow(m_extras->plotsOf(row), m_extras->pointOf ? m_extras->pointOf(row) : std::nullopt);
}

void TablePage::selectNode(const Ref& node) {
  for (uint64_t row = 0; row < m_model->source()->rowCount(); ++row)
    if (m_model->source()->target(row, m_node) == node) {
      selectSourceRow(row);
      return;
    }
}

void TablePage::selectQuietly(uint64_t row) {
  for (int shown = 0; shown < m_model->rowCount(); ++shown)
    if (!m_model->isGroup(shown) && m_model->sourceRow(shown) == row) {
      const QSignalBlocker quiet(m_view->selectionModel());
      m_view->selectRow(shown);
      m_view->viewport()->update();
      return;
    }
}

/// Left folds the group of the current row's heading, Right unfolds it, Space and Enter do either.
bool TablePage::foldsGroup(const QKeyEvent& event) {
  const QModelIndex index = m_view->currentIndex();
  if (!index.isValid() || !m_model->isGroup(index.row())) return false;
  const bool folded = index.data(FoldedRole).toBool();
  const bool toggles = event.key() == Qt::Key_Space || event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter ||
                       (event.key() == Qt::Key_Left && !folded) || (event.key() == Qt::Key_Right && folded);
  if (toggles) m_model->toggleGroup(index.row());
  return toggles;
}

void TablePage::askForExport() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Save the table"), QStringLiteral("table.csv"), tr("CSV files (*.csv)"));
  if (!path.isEmpty()) exportTo(path);
}

void TablePage::exportTo(const QString& path) {
  Inputs inputs;
  if (!m_file.empty()) inputs.files.push_back(m_file);
  m_jobs.start<Done>(
      m_tag + QLatin1String("/export"),
      [source = m_model->source(), rows = m_model->order(), inputs,
       target = pathFrom(QFile::encodeName(path).toStdString())](Monitor& monitor) -> Result<Done> {
        std::string text;
        BLOBSCOPE_CHECK(view::writeCsv(*source, rows, [&](std::string_view piece) { text += piece; }, monitor));
        return writeFile(target, inputs, Bytes::copyOf(text), monitor);
      },
      [guard = QPointer<TablePage>(this), path](Result<Done> done) {
        if (!guard) return;
        Q_EMIT guard->message(done ? tr("Saved %1.").arg(plainLine(QFileInfo(path).fileName()))
                                   : toQt(done.error().message()));
        if (done) Q_EMIT guard->saved(path);
      });
}

view::Page TablePage::picture() const { return {"Plots", m_extras->plots}; }

} // namespace blobscope::ui
