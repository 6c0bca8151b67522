#include "ui/models/preflight_model.h"

#include "core/base/text.h"
#include "core/describe/preflight.h"
#include "ui/text/plain_text.h"
#include "ui/text/state_text.h"

#include <QFileInfo>

#include <algorithm>

namespace blobscope::ui {
namespace {

using State = view::ChecklistPage::State;

/// The worst is the smallest.
int badness(State state) {
  switch (state) {
  case State::Crashes: return 0;
  case State::Fails: return 1;
  case State::Empty: return 2;
  case State::Later: return 3;
  case State::Unknown: return 4;
  case State::Good: return 5;
  case State::NotNeeded: break;
  }
  return 6;
}

unsigned failingStep(const preflight::Outcome& outcome) {
  return outcome.step ? static_cast<unsigned>(*outcome.step) : 0;
}

} // namespace

void PreflightModel::setCheck(FilesCheckPtr check) {
  beginResetModel();
  m_check = std::move(check);
  endResetModel();
}

const preflight::Outcome* PreflightModel::outcome(const QModelIndex& index) const {
  const auto target = targetOf(index.column());
  if (!index.isValid() || !target) return nullptr;
  const preflight::FileOutcomes& row = file(index.row());
  return row.ofTvm && *target < row.outcomes.size() ? &row.outcomes[*target] : nullptr;
}

int PreflightModel::fitting(int column) const {
  int count = 0;
  for (int row = 0; row < rowCount(); ++row)
    if (const preflight::Outcome* const found = outcome(index(row, column)))
      count += describe::stateOf(*found) == State::Good ? 1 : 0;
  return count;
}

int PreflightModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_check ? 0 : static_cast<int>(m_check->report.files.size());
}

int PreflightModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_check ? 0 : FirstTarget + static_cast<int>(m_check->report.targets.size());
}

QString PreflightModel::targetName(std::size_t target) const { return toQt(m_check->report.targets[target]); }

QString PreflightModel::text(const QModelIndex& index) const {
  const preflight::FileOutcomes& row = file(index.row());
  switch (index.column()) {
  case Library: return nameToQt(row.path);
  case Era:
    if (!row.error.empty()) return tr("not readable");
    return row.ofTvm ? toQt(row.era) : row.what.empty() ? tr("not a TVM library") : toQt(row.what);
  case Size: return row.error.empty() ? toQt(shortSizeText(row.size)) : QString();
  default: break;
  }
  const preflight::Outcome* const found = outcome(index);
  return found ? stateText(describe::stateOf(*found), failingStep(*found)) : QString();
}

QString PreflightModel::tip(const QModelIndex& index) const {
  const preflight::FileOutcomes& row = file(index.row());
  if (const preflight::Outcome* const found = outcome(index)) {
    const preflight::Missing* const first = found->first();
    return first ? tr("%1: %2").arg(text(index), toQt(first->sentence)) : text(index);
  }
  return row.error.empty() ? text(index) : toQt(row.error);
}

QVariant PreflightModel::sortValue(const QModelIndex& index) const {
  const preflight::FileOutcomes& row = file(index.row());
  if (index.column() == Size) return QVariant::fromValue<qulonglong>(row.size);
  if (index.column() < FirstTarget) return text(index).toLower();
  const preflight::Outcome* const found = outcome(index);
  return found ? badness(describe::stateOf(*found)) * 16 + static_cast<int>(failingStep(*found)) : 1'000;
}

QVariant PreflightModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const preflight::Outcome* const found = outcome(index);
  switch (role) {
  case Qt::DisplayRole: return text(index);
  case Qt::ToolTipRole: return tip(index).isEmpty() ? QVariant() : plainTip(tip(index));
  case Qt::AccessibleTextRole:
    if (!found) return text(index);
    return plainLine(
        tr("%1 on %2: %3").arg(nameToQt(file(index.row()).path), targetName(*targetOf(index.column())), text(index)));
  case Qt::TextAlignmentRole:
    return static_cast<int>((index.column() == Size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  case TargetStateRole: return found ? QVariant(static_cast<int>(describe::stateOf(*found))) : QVariant();
  case TargetStepRole: return found ? failingStep(*found) : 0;
  case NotCountedRole: return !file(index.row()).ofTvm;
  case DeviceKeyRole: return toQt(file(index.row()).moduleKey);
  case PreflightSortRole: return sortValue(index);
  default: return {};
  }
}

QVariant PreflightModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const auto target = targetOf(section);
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((target            ? Qt::AlignHCenter
                             : section == Size ? Qt::AlignRight
                                               : Qt::AlignLeft) |
                            Qt::AlignVCenter);
  if (role == Qt::InitialSortOrderRole)
    return static_cast<int>(section == Size ? Qt::DescendingOrder : Qt::AscendingOrder);
  if (role == Qt::ToolTipRole && target) return plainTip(targetName(*target));
  if (role != Qt::DisplayRole) return {};
  switch (section) {
  case Library: return tr("Library");
  case Era: return tr("Era");
  case Size: return tr("Size");
  default: break;
  }
  // The file name is enough of a path; the device is in a second line.
  const QString title = targetName(*target);
  const qsizetype at = title.lastIndexOf(QLatin1String(" on "));
  const QString runtime = at < 0 ? title : title.left(at);
  const QString name = runtime.contains(QLatin1Char('/')) ? QFileInfo(runtime).fileName() : runtime;
  return QStringLiteral("%1\n%2").arg(name, at < 0 ? tr("no device") : title.mid(at + 4));
}

PreflightFilter::PreflightFilter(PreflightModel& model, QObject* parent)
    : QSortFilterProxyModel(parent), m_model(model) {
  setSourceModel(&model);
  setSortRole(PreflightSortRole);
}

void PreflightFilter::setWords(const QString& words) {
  m_words = words.trimmed();
  invalidateFilter();
}

void PreflightFilter::setState(std::optional<State> state) {
  m_state = state;
  invalidateFilter();
}

bool PreflightFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  if (!m_words.isEmpty() &&
      !m_model.index(row, PreflightModel::Library, parent).data().toString().contains(m_words, Qt::CaseInsensitive))
    return false;
  if (!m_state) return true;
  for (int column = PreflightModel::FirstTarget; column < m_model.columnCount(); ++column)
    if (const preflight::Outcome* const found = m_model.outcome(m_model.index(row, column)))
      if (describe::stateOf(*found) == *m_state) return true;
  return false;
}

preflight::FilesReport PreflightFilter::shown() const {
  preflight::FilesReport report;
  if (!m_model.check()) return report;
  report.title = m_model.check()->report.title;
  report.targets = m_model.check()->report.targets;
  for (int row = 0; row < rowCount(); ++row) report.files.push_back(m_model.file(mapToSource(index(row, 0)).row()));
  return report;
}

} // namespace blobscope::ui
