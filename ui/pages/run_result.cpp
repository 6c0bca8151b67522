#include "ui/pages/run_result.h"

#include "core/base/text.h"
#include "core/describe/run_report.h"
#include "core/protocol/element_code.h"
#include "ui/models/run_model.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/sample_plot.h"
#include "ui/widgets/charts/time_histogram.h"
#include "ui/widgets/list_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

using protocol::TimeComparison;
using run::RunComparison;

enum : int { kOutput, kType, kDifference, kAt, kVerdict, kColumns };
constexpr int kRowsShown = 4;

/// What was measured in both builds.
struct Times {
  const TimeComparison* compared = nullptr; ///< null: nothing
  const std::vector<double>*candidate = nullptr, *reference = nullptr;
  bool onDevice = false;
};

Times timesOf(const run::FunctionResult& result, const std::string& kernel) {
  const RunComparison& comparison = *result.comparison;
  const RunComparison::Launch* chosen = nullptr;
  for (const RunComparison::Launch& one : comparison.launches)
    if (result.launches[one.launch].kernel == kernel && !chosen) chosen = &one;
  if (!chosen && comparison.launches.size() == 1) chosen = &comparison.launches.front();
  if (chosen) return {&chosen->times, &chosen->candidate, &chosen->reference, true};
  if (!comparison.times) return {};
  return {&*comparison.times, &result.callTimes, &comparison.referenceTimes, false};
}

QString factorText(double factor) { return QLocale(QLocale::English).toString(factor, 'f', factor < 10 ? 2 : 0); }

QString timeSentence(const Times& times) {
  if (!times.compared || times.compared->verdict == TimeComparison::Verdict::TooFew)
    return RunResult::tr("Times were not measured.");
  const double ratio = times.compared->ratio;
  if (times.compared->verdict == TimeComparison::Verdict::NoClearDifference || ratio <= 0)
    return RunResult::tr("No clear difference in time.");
  return times.compared->verdict == TimeComparison::Verdict::Faster
             ? RunResult::tr("New is %1 × faster.").arg(factorText(1 / ratio))
             : RunResult::tr("New is %1 × slower.").arg(factorText(ratio));
}

QString resultSentence(const RunComparison& comparison) {
  const auto is = [](protocol::Verdict verdict) {
    return [verdict](const RunComparison::Pair& pair) { return pair.result.verdict == verdict; };
  };
  if (comparison.outputs.empty()) return RunResult::tr("There are no outputs to compare.");
  const auto differing = std::ranges::find_if(comparison.outputs, [](const RunComparison::Pair& pair) {
    return pair.result.verdict == protocol::Verdict::Differs || pair.result.verdict == protocol::Verdict::NotComparable;
  });
  if (differing != comparison.outputs.end())
    return QStringLiteral("%1: %2.").arg(nameToQt(differing->name), toQt(differing->result.sentence()));
  if (std::ranges::all_of(comparison.outputs, is(protocol::Verdict::Identical)))
    return RunResult::tr("The results are the same, bit for bit.");
  const auto within = std::ranges::find_if(comparison.outputs, is(protocol::Verdict::WithinTolerance));
  return RunResult::tr("The results are equal within %1.").arg(toQt(protocol::toleranceText(within->result.tolerance)));
}

QString numberText(double value) { return QLocale(QLocale::English).toString(value, 'g', 3); }

} // namespace

RunResult::RunResult(QWidget* parent)
    : Panel(Role::Base, std::nullopt, parent), m_banner(new Banner(this)),
      m_outputs(new QTableWidget(0, kColumns, this)), m_times(new TimeHistogram(this)),
      m_title(new ThemeLabel({}, TextRole::Heading, Role::Text, this)),
      m_foot(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 8);
  layout->setSpacing(4);
  layout->addWidget(m_banner);
  m_outputs->setHorizontalHeaderLabels({tr("Output"), tr("Type"), tr("Max difference"), tr("At"), tr("Result")});
  m_outputs->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_outputs->horizontalHeaderItem(kDifference)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_outputs->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_outputs->setFrameShape(QFrame::NoFrame);
  m_outputs->setWordWrap(false);
  m_outputs->setAccessibleName(tr("Outputs of old and new"));
  setUpList(*m_outputs);
  layout->addWidget(m_outputs, 1);
  for (ThemeLabel* const label : {m_title, m_foot}) label->setContentsMargins(12, 0, 12, 0);
  m_foot->setElided();
  layout->addWidget(m_title);
  layout->addWidget(m_times);
  layout->addWidget(m_foot);
  setFocusPolicy(Qt::StrongFocus);
  hide();
}

void RunResult::close() {
  hide();
  Q_EMIT closed();
}

void RunResult::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    close();
  else
    Panel::keyPressEvent(event);
}

void RunResult::showRun(const RunEntryPtr& entry, const std::string& kernel) {
  const QVector<Banner::Action> actions = {{tr("Revert"),
                                            [this] {
                                              Q_EMIT revertRequested();
                                              close();
                                            }},
                                           {tr("Keep"), [this] { close(); }}};
  const run::FunctionResult* shown = nullptr;
  if (entry->report)
    for (const run::FunctionResult& result : entry->report->functions)
      if (!shown || (result.status != run::Status::Ok && shown->status == run::Status::Ok)) shown = &result;
  const RunComparison* const comparison = shown && shown->comparison ? &*shown->comparison : nullptr;
  for (QWidget* const part : std::initializer_list<QWidget*>{m_outputs, m_title, m_times, m_foot})
    part->setVisible(comparison != nullptr);
  if (!comparison) {
    m_banner->showMessage(Banner::Kind::Error, tr("Old and new were not compared."),
                          shown ? toQt(shown->message) : entry->message, actions);
    show();
    return;
  }
  const Times times = timesOf(*shown, kernel);
  const bool slower = times.compared && times.compared->verdict == TimeComparison::Verdict::Slower;
  if (comparison->equal)
    m_banner->showMessage(slower ? Banner::Kind::Warning : Banner::Kind::Ok, timeSentence(times),
                          resultSentence(*comparison), actions);
  else
    m_banner->showMessage(Banner::Kind::Error, tr("The results differ."),
                          resultSentence(*comparison) + QLatin1Char(' ') + timeSentence(times), actions);
  showOutputs(*comparison, *shown);
  const bool measured = times.compared && !times.candidate->empty() && !times.reference->empty();
  for (QWidget* const part : std::initializer_list<QWidget*>{m_title, m_times, m_foot}) part->setVisible(measured);
  if (measured) {
    const protocol::TimeSummary &old = times.compared->reference, &now = times.compared->candidate;
    const auto samples = [](const std::vector<double>& all) { return QVector<double>(all.begin(), all.end()); };
    m_times->setRows({tr("old"), samples(*times.reference), old.median},
                     {tr("new"), samples(*times.candidate), now.median});
    const QString device = toQt(entry->report->device),
                  count = QLocale(QLocale::English).toString(static_cast<qulonglong>(now.count));
    m_title->setText(times.onDevice ? tr("Times of the kernel on %1, %2 runs each").arg(device, count)
                                    : tr("Times of the whole call on %1, %2 runs each").arg(device, count));
    const auto text = [](double time) { return SamplePlot::timeText(time); };
    m_foot->setText(tr("Median %1 → %2 · quartiles %3 – %4 → %5 – %6")
                        .arg(text(old.median), text(now.median), text(old.lowerQuartile), text(old.upperQuartile),
                             text(now.lowerQuartile), text(now.upperQuartile)));
  }
  show();
}

void RunResult::showOutputs(const RunComparison& comparison, const run::FunctionResult& result) {
  m_outputs->setRowCount(static_cast<int>(comparison.outputs.size()));
  for (int row = 0; row < m_outputs->rowCount(); ++row) {
    const RunComparison::Pair& pair = comparison.outputs[static_cast<std::size_t>(row)];
    const auto set = [&](int column, const QString& text) {
      auto* const item = new QTableWidgetItem(text);
      item->setToolTip(plainTip(text));
      if (column == kDifference) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      m_outputs->setItem(row, column, item);
      return item;
    };
    set(kOutput, nameToQt(pair.name));
    const auto output = std::ranges::find(result.outputs, pair.name, &run::Output::name);
    QStringList extents;
    if (output != result.outputs.end())
      for (const int64_t extent : output->shape) extents << QString::number(extent);
    set(kType, output == result.outputs.end() ? QString()
                                              : QStringLiteral("%1 [%2]").arg(toQt(protocol::typeText(output->type)),
                                                                              extents.join(QStringLiteral(", "))));
    set(kDifference, numberText(pair.result.maxAbsolute));
    QStringList at;
    if (!pair.result.worst.empty())
      for (const uint64_t index : pair.result.worst.front().at) at << QString::number(index);
    set(kAt, at.isEmpty() ? QStringLiteral("–") : QStringLiteral("[%1]").arg(at.join(QStringLiteral(", "))));
    const bool same = pair.result.verdict == protocol::Verdict::Identical,
               fine = same || pair.result.verdict == protocol::Verdict::WithinTolerance;
    auto* const verdict = set(kVerdict, same   ? tr("same bits")
                                        : fine ? tr("equal")
                                               : coreText(protocol::verdictName(pair.result.verdict)));
    verdict->setIcon(icon(fine ? QStringLiteral("ok") : QStringLiteral("error"), fine ? Role::Ok : Role::Error));
    verdict->setToolTip(plainTip(toQt(pair.result.sentence())));
  }
  QHeaderView& header = *m_outputs->horizontalHeader();
  header.setSectionResizeMode(kOutput, QHeaderView::Stretch);
  for (const int column : {kType, kDifference, kAt, kVerdict}) {
    m_outputs->resizeColumnToContents(column);
    const int title = header.fontMetrics().horizontalAdvance(m_outputs->horizontalHeaderItem(column)->text());
    m_outputs->setColumnWidth(column, std::max(m_outputs->columnWidth(column), title) + 16);
  }
  const int rows = std::clamp(m_outputs->rowCount(), 1, kRowsShown);
  m_outputs->setMinimumHeight(header.sizeHint().height() + rows * m_outputs->verticalHeader()->defaultSectionSize() +
                              2);
  m_outputs->setMaximumHeight(m_outputs->minimumHeight());
  if (m_outputs->rowCount() > 0) m_outputs->selectRow(0);
}

} // namespace blobscope::ui
