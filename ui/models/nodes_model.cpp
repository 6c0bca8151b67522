#include "ui/models/nodes_model.h"

#include "core/base/text.h"
#include "core/describe/run_report.h"
#include "core/protocol/element_code.h"
#include "core/protocol/times.h"
#include "ui/models/run_model.h"
#include "ui/text/plain_text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace blobscope::ui {
namespace {

double medianTime(const std::vector<double>& times) {
  const protocol::TimeSummary summary = protocol::summarizeTimes(times);
  return summary.count == 0 ? -1 : summary.median;
}

/// "float32 [1, 16]"
QString outputTypeText(const run::Output& output) {
  QStringList extents;
  for (const int64_t extent : output.shape) extents << QString::number(extent);
  return QStringLiteral("%1 [%2]").arg(toQt(protocol::typeText(output.type)), extents.join(QLatin1Char(',')));
}

QString percentText(double share) { return QLocale(QLocale::English).toString(100 * share, 'f', 1); }

/// Five significant digits, for the columns.
QString meanText(double value) { return QLocale(QLocale::English).toString(value, 'g', 5); }

/// The exact value if it is short.
QString valueText(const std::string& exact, double value) {
  constexpr std::size_t kShort = 9;
  return exact.size() <= kShort ? toQt(exact) : meanText(value);
}

} // namespace

QString nodeStatusText(NodeStatus status) {
  switch (status) {
  case NodeStatus::Same: return NodesModel::tr("same bits");
  case NodeStatus::Within: return NodesModel::tr("within tolerance");
  case NodeStatus::Differs: return NodesModel::tr("differs");
  case NodeStatus::First: return NodesModel::tr("first difference");
  case NodeStatus::OnlyHere: return NodesModel::tr("only in B");
  case NodeStatus::NotCompared: break;
  }
  return NodesModel::tr("not compared");
}

bool isDifference(NodeStatus status) { return status == NodeStatus::Differs || status == NodeStatus::First; }

QString differenceText(double difference) {
  if (difference < 0 || std::isnan(difference)) return {};
  if (difference == 0) return QStringLiteral("0");
  if (std::isinf(difference)) return QStringLiteral("inf");
  // Two digits, rounded first: 9.99e-3 is 0.01.
  const QString text = QString::number(difference, 'e', 1);
  const double rounded = text.toDouble();
  if (rounded >= 0.01 && rounded < 10'000) return QLocale(QLocale::English).toString(difference, 'g', 3);
  const qsizetype at = text.indexOf(QLatin1Char('e'));
  const QString digits = text.left(at);
  return QStringLiteral("%1e%2")
      .arg(digits.endsWith(QLatin1String(".0")) ? digits.chopped(2) : digits)
      .arg(text.mid(at + 1).toInt());
}

void NodesModel::setResult(run::RunReportPtr report, std::size_t function) {
  beginResetModel();
  m_report = std::move(report);
  m_function = function;
  m_rows.clear();
  m_total = m_longest = 0;
  m_otherNames = m_comparison = false;
  if (!m_report) {
    endResetModel();
    return;
  }
  const run::FunctionResult& shown = *result();
  m_comparison = !shown.referenceNodes.empty();
  for (std::size_t i = 0; i < shown.nodes.size(); ++i) {
    const run::NodeResult& node = shown.nodes[i];
    Row& row = m_rows.emplace_back();
    row.time = medianTime(node.times);
    row.rate = describe::gigaflopsOf(node).value_or(-1);
    m_total += std::max(0.0, row.time);
    m_longest = std::max(m_longest, row.time);
    m_otherNames = m_otherNames || node.name != node.function;
    const bool kept =
        std::ranges::any_of(node.outputs, [](const run::Output& one) { return one.statistics.has_value(); });
    if (!node.comparison) {
      if (m_comparison && kept) row.status = NodeStatus::OnlyHere;
      continue;
    }
    if (node.comparison->reference < shown.referenceNodes.size())
      row.referenceTime = medianTime(shown.referenceNodes[node.comparison->reference].times);
    uint64_t values = 0, other = 0;
    bool same = true;
    for (const protocol::OutputComparison& one : node.comparison->outputs) {
      values += one.count;
      other += one.count - std::min(one.count, one.sameBits);
      same = same && one.verdict == protocol::Verdict::Identical;
    }
    row.elements = values > 0 ? static_cast<double>(other) / static_cast<double>(values) : 0;
    row.status = !node.comparison->equal ? (shown.firstDifference == i ? NodeStatus::First : NodeStatus::Differs)
                 : same                  ? NodeStatus::Same
                                         : NodeStatus::Within;
  }
  endResetModel();
}

const run::NodeResult* NodesModel::reference(int row) const {
  const auto& comparison = node(row).comparison;
  return comparison && comparison->reference < result()->referenceNodes.size()
             ? &result()->referenceNodes[comparison->reference]
             : nullptr;
}

int NodesModel::count(NodeStatus status) const {
  return static_cast<int>(std::ranges::count(m_rows, status, &Row::status));
}

double NodesModel::largest(int row) const {
  const auto& comparison = node(row).comparison;
  return comparison ? comparison->largest : -1;
}

std::optional<double> NodesModel::tolerance() const {
  std::optional<double> out;
  for (int i = 0; i < rowCount(); ++i) {
    if (!node(i).comparison) continue;
    for (const protocol::OutputComparison& one : node(i).comparison->outputs) {
      if (one.tolerance.absolute <= 0) continue;
      if (out && *out != one.tolerance.absolute) return std::nullopt;
      out = one.tolerance.absolute;
    }
  }
  return out;
}

const run::Output* NodesModel::output(int row) const {
  const run::NodeResult& shown = node(row);
  return shown.outputs.empty() ? nullptr : &shown.outputs.front();
}

bool NodesModel::isUsed(int column) const {
  if (!result()) return true;
  const auto any = [&](const auto& has) { return std::ranges::any_of(m_rows, has); };
  switch (column) {
  case Status:
  case Largest:
  case Elements: return m_comparison;
  case Function: return m_otherNames && !m_comparison;
  case Minimum:
  case Maximum:
  case Mean:
    return !m_comparison && std::ranges::any_of(result()->nodes, [](const run::NodeResult& one) {
      return !one.outputs.empty() && one.outputs.front().statistics;
    });
  case ReferenceTime: return m_comparison && any([](const Row& row) { return row.referenceTime >= 0; });
  case Time: return m_longest > 0;
  case Share: return m_longest > 0 && !m_comparison;
  case Rate: return !m_comparison && any([](const Row& row) { return row.rate >= 0; });
  case Written: return !m_comparison;
  case Launches:
    return !m_comparison &&
           std::ranges::any_of(result()->nodes, [](const run::NodeResult& one) { return one.launches > 0; });
  default: return true;
  }
}

QString NodesModel::rowText(int row) const {
  QStringList words = {tr("Node %1").arg(row), nameToQt(node(row).name)};
  if (m_comparison) {
    words << nodeStatusText(status(row));
    if (largest(row) > 0) words << tr("largest difference %1").arg(differenceText(largest(row)));
  }
  if (time(row) >= 0) words << tr("%1 µs").arg(microsecondsText(time(row)));
  return plainLine(words.join(QStringLiteral(", ")));
}

int NodesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int NodesModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString NodesModel::text(int row, int column) const {
  const run::NodeResult& shown = node(row);
  const Row& facts = m_rows[static_cast<std::size_t>(row)];
  const run::Output* const first = output(row);
  const payloads::TensorStatistics* const values = first && first->statistics ? &first->statistics->values : nullptr;
  const bool numbers = values && values->finite() > 0;
  switch (column) {
  case Number: return toQt(groupedText(static_cast<uint64_t>(row)));
  case Node: return nameToQt(shown.name);
  case Function: return nameToQt(shown.function);
  case OutputType:
    if (!first) return {};
    return shown.outputs.size() == 1 ? outputTypeText(*first)
                                     : tr("%1 and %2 more").arg(outputTypeText(*first)).arg(shown.outputs.size() - 1);
  case Status: return nodeStatusText(facts.status);
  case Largest: return differenceText(largest(row));
  case Elements: return shown.comparison ? percentText(facts.elements) : QString();
  case Minimum: return numbers ? valueText(values->minimumText, values->minimum) : QString();
  case Maximum: return numbers ? valueText(values->maximumText, values->maximum) : QString();
  case Mean: return numbers ? meanText(values->mean) : QString();
  case ReferenceTime: return microsecondsText(facts.referenceTime);
  case Time: return microsecondsText(facts.time);
  case Share: return facts.time >= 0 && m_total > 0 ? percentText(facts.time / m_total) : QString();
  case Rate: return facts.rate >= 0 ? meanText(facts.rate) : QStringLiteral("—");
  case Written: return toQt(groupedText(shown.bytesWritten));
  case Launches: return toQt(groupedText(shown.launches));
  default: return {};
  }
}

QVariant NodesModel::sortValue(int row, int column) const {
  const Row& facts = m_rows[static_cast<std::size_t>(row)];
  const run::Output* const first = output(row);
  const auto value = [&](double payloads::TensorStatistics::* member) -> QVariant {
    return first && first->statistics && first->statistics->values.finite() > 0 ? first->statistics->values.*member
                                                                                : std::nan("");
  };
  switch (column) {
  case Number: return row;
  case Status: return static_cast<int>(facts.status);
  case Largest: return largest(row);
  case Elements: return node(row).comparison ? facts.elements : -1;
  case Minimum: return value(&payloads::TensorStatistics::minimum);
  case Maximum: return value(&payloads::TensorStatistics::maximum);
  case Mean: return value(&payloads::TensorStatistics::mean);
  case ReferenceTime: return facts.referenceTime;
  case Time:
  case Share: return facts.time;
  case Rate: return facts.rate;
  case Written: return static_cast<qulonglong>(node(row).bytesWritten);
  case Launches: return static_cast<qulonglong>(node(row).launches);
  default: return text(row, column);
  }
}

QVariant NodesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const int row = index.row(), column = index.column();
  switch (role) {
  case Qt::DisplayRole: return text(row, column);
  case Qt::ToolTipRole:
    if (column == Time && time(row) >= 0) return plainTip(toQt(protocol::summarizeTimes(node(row).times).text()));
    if (column == Largest && node(row).comparison && !node(row).comparison->outputs.empty())
      return plainTip(toQt(node(row).comparison->outputs.front().sentence()));
    return plainTip(text(row, column));
  case Qt::AccessibleTextRole: return column == Node ? rowText(row) : text(row, column);
  case Qt::TextAlignmentRole: {
    const bool words = column == Node || column == Function || column == OutputType || column == Status;
    return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  case NodeStatusRole: return static_cast<int>(status(row));
  case NodeShareRole:
    if (column == Share) return m_longest > 0 ? std::max(0.0, time(row)) / m_longest : 0.0;
    if (column == Largest && largest(row) > 0)
      return std::clamp((std::log10(largest(row)) - kLowestDecade) / (kHighestDecade - kLowestDecade), 0.02, 1.0);
    return 0.0;
  case NodeSortRole: return sortValue(row, column);
  default: return {};
  }
}

QVariant NodesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    const bool words = section == Node || section == Function || section == OutputType || section == Status;
    return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  if (role == Qt::InitialSortOrderRole) {
    const bool first = section <= Status && section != Status;
    return static_cast<int>(first ? Qt::AscendingOrder : Qt::DescendingOrder);
  }
  if (role == Qt::ToolTipRole) {
    if (section == Elements) return tr("Share of the output's values with other bits, in percent");
    if (section == Share) return tr("Share of the time of all nodes, in percent");
    if (section == Rate)
      return tr("Estimated operations of matrix products and convolutions, in 10^9 per second; they are found by the "
                "names of the functions and the shapes");
    if (section == Written) return tr("Bytes of the outputs");
    if (section == Largest) return tr("Largest absolute difference between the outputs of A and B");
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
  case Number: return tr("#");
  case Node: return tr("Node");
  case Function: return tr("Function");
  case OutputType: return tr("Output");
  case Status: return tr("Status");
  case Largest: return tr("Max difference");
  case Elements: return tr("Elements %");
  case Minimum: return tr("Min");
  case Maximum: return tr("Max");
  case Mean: return tr("Mean");
  case ReferenceTime: return tr("A µs");
  case Time: return m_comparison ? tr("B µs") : tr("Time µs");
  case Share: return tr("Share %");
  case Rate: return tr("GFLOP/s");
  case Written: return tr("Bytes");
  case Launches: return tr("Launches");
  default: return {};
  }
}

NodesFilter::NodesFilter(NodesModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) {
  setSourceModel(&model);
  setSortRole(NodeSortRole);
}

void NodesFilter::setWords(const QString& words) {
  m_words = words.trimmed();
  invalidateFilter();
}

void NodesFilter::setOnlyDifferences(bool only) {
  m_onlyDifferences = only;
  invalidateFilter();
}

bool NodesFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  if (m_onlyDifferences && !isDifference(m_model.status(row))) return false;
  if (m_words.isEmpty()) return true;
  const run::NodeResult& node = m_model.node(row);
  return nameToQt(node.name).contains(m_words, Qt::CaseInsensitive) ||
         nameToQt(node.function).contains(m_words, Qt::CaseInsensitive);
}

} // namespace blobscope::ui
