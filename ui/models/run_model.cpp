#include "ui/models/run_model.h"

#include "core/describe/run_report.h"
#include "core/protocol/inputs.h"
#include "core/protocol/times.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

#include <QLocale>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kArgumentsShown = 32;

QString numberText(quint64 number) { return QLocale(QLocale::English).toString(number); }
QString toWords(std::string_view text) { return nameToQt(text); }

double medianOf(const std::vector<double>& times) {
  const protocol::TimeSummary summary = protocol::summarizeTimes(times);
  return summary.count == 0 ? -1 : summary.median;
}

const std::vector<double> kNoTimes;

} // namespace

run::Status worstStatus(const RunEntry& entry) {
  if (!entry.report) return run::Status::Failed;
  for (const run::Status status :
       {run::Status::Crashed, run::Status::Timeout, run::Status::Failed, run::Status::Differs, run::Status::Refused})
    if (entry.report->count(status) > 0) return status;
  return run::Status::Ok;
}

std::optional<std::size_t> nodesOf(const RunEntry& entry) {
  for (std::size_t i = 0; entry.report && i < entry.report->functions.size(); ++i)
    if (!entry.report->functions[i].nodes.empty()) return i;
  return std::nullopt;
}

QString microsecondsText(double microseconds) {
  if (!(microseconds >= 0)) return {};
  const int decimals = microseconds >= 1'000 ? 0 : microseconds >= 100 ? 1 : microseconds >= 1 ? 2 : 3;
  return QLocale(QLocale::English).toString(microseconds, 'f', decimals);
}

// --- history

void RunHistoryModel::setHistory(std::vector<RunEntryPtr> history) {
  beginResetModel();
  m_history = std::move(history);
  endResetModel();
}

QString RunHistoryModel::subject(const RunEntry& entry) {
  const run::RunOptions& options = entry.request.options;
  if (entry.report && entry.report->functions.size() == 1) return toWords(entry.report->functions.front().function);
  if (entry.report) return RunHistoryModel::tr("%n function(s)", nullptr, pluralCount(entry.report->functions.size()));
  if (options.kernel && !options.kernel->kernel.parts.empty()) return toWords(options.kernel->kernel.parts.back().name);
  if (options.all || options.functions.empty()) return RunHistoryModel::tr("all functions");
  return options.functions.size() == 1
             ? toWords(options.functions.front())
             : RunHistoryModel::tr("%n function(s)", nullptr, pluralCount(options.functions.size()));
}

QString RunHistoryModel::manner(const RunEntry& entry) {
  QStringList words;
  const bool against = entry.request.against != RunRequest::Against::Nothing;
  if (entry.request.options.dry) words << RunHistoryModel::tr("dry run");
  if (entry.request.options.model) words << RunHistoryModel::tr("whole model");
  if (entry.request.against == RunRequest::Against::Opened)
    words << RunHistoryModel::tr("changed file compared with the original");
  if (entry.request.against == RunRequest::Against::Other)
    words << RunHistoryModel::tr("compared with %1").arg(plainLine(entry.request.other.section(QLatin1Char('/'), -1)));
  if (entry.edited && (!against || entry.request.against == RunRequest::Against::Other))
    words << RunHistoryModel::tr("with changes");
  return words.join(QStringLiteral(", "));
}

int RunHistoryModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_history.size());
}

QVariant RunHistoryModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const RunEntry& run = *entry(index.row());
  switch (role) {
  case Qt::DisplayRole: return subject(run);
  case RunStatusRole: return static_cast<int>(worstStatus(run));
  case RunTimeRole: return run.started.time().toString(QStringLiteral("HH:mm"));
  case Qt::ToolTipRole:
  case Qt::AccessibleTextRole: {
    QStringList words = {subject(run)};
    if (const QString how = manner(run); !how.isEmpty()) words << how;
    words << plainLine(run.file) << coreText(describe::statusText(worstStatus(run)))
          << run.started.time().toString(QStringLiteral("HH:mm"));
    return shownAs(role, words.join(QStringLiteral(", ")));
  }
  default: return {};
  }
}

// --- rows

void RunRowsModel::setEntry(RunEntryPtr entry) {
  beginResetModel();
  m_entry = std::move(entry);
  m_function.reset();
  if (m_entry && m_entry->report && m_entry->report->functions.size() == 1 &&
      !m_entry->report->functions.front().launches.empty())
    m_function = 0;
  fill();
  endResetModel();
}

void RunRowsModel::setFunction(std::optional<std::size_t> function) {
  beginResetModel();
  const bool known = function && m_entry && m_entry->report && *function < m_entry->report->functions.size();
  m_function = known ? function : std::nullopt;
  fill();
  endResetModel();
}

void RunRowsModel::fill() {
  m_times.clear();
  m_medians.clear();
  m_longest = 0;
  if (!m_entry || !m_entry->report) return;
  const auto& functions = m_entry->report->functions;
  if (m_function) {
    const run::FunctionResult& result = functions[*m_function];
    m_times.push_back(&result.callTimes);
    for (std::size_t i = 0; i < result.launches.size(); ++i) m_times.push_back(&result.launchTimes(i));
  } else {
    for (const run::FunctionResult& result : functions) m_times.push_back(&result.callTimes);
  }
  for (std::size_t i = 0; i < m_times.size(); ++i) {
    m_medians.push_back(medianOf(*m_times[i]));
    // The whole call takes longer than its launches and would hide their proportions.
    if (!m_function || i > 0) m_longest = std::max(m_longest, m_medians.back());
  }
}

const run::FunctionResult* RunRowsModel::functionOf(int row) const {
  if (!m_entry || !m_entry->report || row < 0 || row >= rowCount()) return nullptr;
  return &m_entry->report->functions[functionIndex(row)];
}

const protocol::LaunchEvent* RunRowsModel::launchOf(int row) const {
  if (!m_function || row < 1 || row >= rowCount()) return nullptr;
  return &m_entry->report->functions[*m_function].launches[static_cast<std::size_t>(row) - 1];
}

bool RunRowsModel::isUnused(int column) const {
  if (!m_entry || !m_entry->report || !m_entry->report->dry) return false;
  if (column == medianColumn()) return std::ranges::all_of(m_medians, [](double median) { return median < 0; });
  return !showsLaunches() && column == Outputs &&
         std::ranges::all_of(m_entry->report->functions,
                             [](const run::FunctionResult& one) { return one.outputs.empty(); });
}

const std::vector<double>& RunRowsModel::times(int row) const {
  return row >= 0 && row < rowCount() ? *m_times[static_cast<std::size_t>(row)] : kNoTimes;
}

int RunRowsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_times.size());
}

int RunRowsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : showsLaunches() ? static_cast<int>(LaunchColumns) : static_cast<int>(FunctionColumns);
}

QString RunRowsModel::resultText(int row) const {
  const run::FunctionResult& result = *functionOf(row);
  if (launchOf(row)) return m_entry->report->dry ? tr("recorded") : tr("run");
  return coreText(describe::resultText(result));
}

QString RunRowsModel::functionText(const run::FunctionResult& result, int column) const {
  switch (column) {
  case Function: return nameToQt(result.function);
  case Launches: return numberText(result.launchCount);
  case Outputs: return numberText(result.outputs.size());
  default: return {};
  }
}

QString RunRowsModel::launchText(int row, int column) const {
  const protocol::LaunchEvent* const launch = launchOf(row);
  if (!launch) return column == Kernel ? tr("%1 (whole call)").arg(nameToQt(functionOf(row)->function)) : QString();
  switch (column) {
  case Kernel: return nameToQt(launch->kernel);
  case Grid: return toQt(describe::extentText(launch->extents.grid));
  case Block: return toQt(describe::extentText(launch->extents.block));
  case Shared: return numberText(launch->extents.dynamicShared);
  case Arguments: {
    QStringList words;
    for (const protocol::LaunchArgument& argument : launch->arguments) {
      if (words.size() == kArgumentsShown) {
        words << QStringLiteral("…");
        break;
      }
      words << toQt(describe::argumentText(argument));
    }
    return words.join(QStringLiteral(", "));
  }
  default: return {};
  }
}

QVariant RunRowsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const int row = index.row(), column = index.column();
  const run::FunctionResult& result = *functionOf(row);
  const bool isResult = column == columnCount() - 1, isMedian = column == medianColumn();
  const double median = m_medians[static_cast<std::size_t>(row)];
  switch (role) {
  case Qt::DisplayRole:
  case Qt::AccessibleTextRole:
    if (isResult) return resultText(row);
    if (isMedian) return microsecondsText(median);
    return showsLaunches() ? launchText(row, column) : functionText(result, column);
  case Qt::ToolTipRole:
    if (isMedian && median >= 0) return plainTip(toQt(protocol::summarizeTimes(times(row)).text()));
    if (isResult && !launchOf(row) && !result.message.empty())
      return plainTip(QStringLiteral("%1: %2").arg(toQt(result.code), toQt(result.message)));
    if (column <= Launches && !showsLaunches() && result.launchCount > 0)
      return plainTip(toQt(result.signature.text()) + QLatin1Char('\n') +
                      tr("Double-click the row to see its launches."));
    if (column == 0 && !launchOf(row)) return plainTip(toQt(result.signature.text()));
    return plainTip(data(index, Qt::DisplayRole).toString());
  case Qt::TextAlignmentRole: {
    const bool number =
        isMedian || (showsLaunches() ? column >= Grid && column <= Shared : column == Launches || column == Outputs);
    return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  case RunStatusRole: return static_cast<int>(launchOf(row) ? run::Status::Ok : result.status);
  case RunShareRole: return m_longest > 0 && median >= 0 && (!m_function || row > 0) ? median / m_longest : 0.0;
  default: return {};
  }
}

QVariant RunRowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole) {
    const bool number = section == medianColumn() || (showsLaunches() ? section >= Grid && section <= Shared
                                                                      : section == Launches || section == Outputs);
    return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  if (section == medianColumn()) return tr("Median (µs)");
  if (section == columnCount() - 1) return tr("Result");
  if (showsLaunches()) {
    switch (section) {
    case Kernel: return tr("Kernel");
    case Grid: return tr("Grid");
    case Block: return tr("Block");
    case Shared: return tr("Shared (bytes)");
    default: return tr("Arguments");
    }
  }
  return section == Function ? tr("Function") : section == Launches ? tr("Launches") : tr("Outputs");
}

// --- inputs

bool RunInputsModel::isBuffer(const RunInput& input) { return !input.asked || input.type == QLatin1String("handle"); }

void RunInputsModel::setInputs(std::vector<RunInput> inputs) {
  beginResetModel();
  m_inputs = std::move(inputs);
  endResetModel();
}

void RunInputsModel::setShapes(const QStringList& shapes) {
  if (m_inputs.empty() || shapes.size() != static_cast<qsizetype>(m_inputs.size())) return;
  for (std::size_t i = 0; i < m_inputs.size(); ++i) m_inputs[i].shape = shapes[static_cast<qsizetype>(i)];
  Q_EMIT dataChanged(index(0, Shape), index(rowCount() - 1, Shape));
}

QString RunInputsModel::problem() const {
  for (const RunInput& input : m_inputs) {
    if (input.fill.endsWith(QLatin1String(".npy"))) continue;
    if (const auto fill = protocol::parseFill(input.name, fromQt(input.fill)); !fill)
      return toQt(fill.error().message());
  }
  return {};
}

QStringList RunInputsModel::words() {
  QStringList words;
  for (const char* word : {"default", "random", "zeros", "ones", "ramp", "identity", "special", "uniform:-1:1",
                           "normal:0:1", "integers:0:8"})
    words << QLatin1String(word);
  return words;
}

int RunInputsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_inputs.size());
}
int RunInputsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RunInputsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const RunInput& input = m_inputs[static_cast<std::size_t>(index.row())];
  if (role == Qt::EditRole && index.column() == Filled) return input.fill;
  if (role == Qt::EditRole && index.column() == Shape) return input.shape;
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
  case Name: return shownAs(role, nameToQt(input.name));
  case Type: return shownAs(role, plainLine(input.type));
  case Shape:
    return shownAs(role, input.asked && input.shape.isEmpty() ? tr("from a dry run") : plainLine(input.shape));
  default:
    if (!isBuffer(input)) return {};
    if (input.output && input.fill == QLatin1String("default")) return tr("(output)");
    return shownAs(role, plainLine(role == Qt::DisplayRole && input.fill.endsWith(QLatin1String(".npy"))
                                       ? input.fill.section(QLatin1Char('/'), -1)
                                       : input.fill));
  }
}

bool RunInputsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::EditRole || index.row() >= rowCount() || !(flags(index) & Qt::ItemIsEditable))
    return false;
  if (index.column() == Shape) {
    m_inputs[static_cast<std::size_t>(index.row())].shape = value.toString().trimmed();
    Q_EMIT dataChanged(index, index);
    return true;
  }
  const QString fill = value.toString().trimmed();
  m_inputs[static_cast<std::size_t>(index.row())].fill = fill.isEmpty() ? QStringLiteral("default") : fill;
  Q_EMIT dataChanged(index, index);
  return true;
}

Qt::ItemFlags RunInputsModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
  if (!index.isValid() || index.row() >= rowCount()) return usual;
  const RunInput& input = m_inputs[static_cast<std::size_t>(index.row())];
  const bool editable = (index.column() == Filled && isBuffer(input)) || (index.column() == Shape && input.asked);
  return editable ? usual | Qt::ItemIsEditable : usual;
}

QVariant RunInputsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const bool kernel = !m_inputs.empty() && m_inputs.front().asked;
  switch (section) {
  case Name: return kernel ? tr("Argument") : tr("Tensor");
  case Type: return tr("Type");
  case Shape: return kernel ? tr("Type and shape, or value") : tr("Shape");
  case Filled: return tr("Filled with");
  default: return {};
  }
}

} // namespace blobscope::ui
