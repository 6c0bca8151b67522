#include "ui/models/problems_model.h"

#include "core/base/text.h"
#include "ui/models/contents_model.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/text/severity_text.h"

#include <optional>

namespace blobscope::ui {

void ProblemsModel::setReport(std::shared_ptr<const check::Report> report) {
  beginResetModel();
  m_report = std::move(report);
  m_open.clear();
  m_counts = {};
  if (m_report)
    for (const check::Issue& issue : m_report->issues) ++m_counts[static_cast<std::size_t>(issue.severity)];
  fill();
  endResetModel();
}

void ProblemsModel::setFilter(const std::array<bool, 3>& severities, const QString& words) {
  beginResetModel();
  m_severities = severities;
  m_words = words;
  fill();
  endResetModel();
}

bool ProblemsModel::matches(const check::Issue& issue) const {
  if (!m_severities[static_cast<std::size_t>(issue.severity)]) return false;
  const auto has = [&](std::string_view text) { return toQt(text).contains(m_words, Qt::CaseInsensitive); };
  return m_words.isEmpty() || has(issue.message) || has(issue.rule) || has(issue.placeText());
}

void ProblemsModel::fill() {
  m_all.clear();
  m_rows.clear();
  if (!m_report) return;
  std::optional<std::size_t> cause; // of the following rows, index in m_all
  for (const check::Report::Row& row : m_report->rows()) {
    if (!row.follows) cause.reset();
    if (!matches(m_report->issues[row.issue])) continue;
    m_all.push_back({row.issue, row.follows && cause});
    if (!row.follows)
      cause = m_all.size() - 1;
    else if (cause)
      ++m_all[*cause].followers;
  }
  bool open = true;
  for (const Row& row : m_all) {
    if (!row.follows) open = !m_words.isEmpty() || m_open.contains(row.issue);
    if (open || !row.follows) m_rows.push_back(row);
  }
}

void ProblemsModel::setOpen(int row, bool open) {
  const Row& cause = m_rows[static_cast<std::size_t>(row)];
  if (cause.followers == 0 || m_open.contains(cause.issue) == open || !m_words.isEmpty()) return;
  const auto at = static_cast<std::size_t>(std::ranges::find(m_all, cause.issue, &Row::issue) - m_all.begin()) + 1;
  const auto place = m_rows.begin() + row + 1;
  if (open) {
    beginInsertRows({}, row + 1, row + cause.followers);
    m_open.insert(cause.issue);
    m_rows.insert(place, m_all.begin() + static_cast<std::ptrdiff_t>(at),
                  m_all.begin() + static_cast<std::ptrdiff_t>(at) + cause.followers);
    endInsertRows();
  } else {
    beginRemoveRows({}, row + 1, row + cause.followers);
    m_open.erase(cause.issue);
    m_rows.erase(place, place + cause.followers);
    endRemoveRows();
  }
  Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ProblemsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = m_rows[static_cast<std::size_t>(index.row())];
  const check::Issue& found = issueOf(row);
  switch (role) {
  case ProblemSeverityRole: return static_cast<int>(found.severity);
  case ProblemFollowsRole: return row.follows;
  case ProblemCauseRole: return row.followers > 0;
  case ProblemOpenRole: return !m_words.isEmpty() || m_open.contains(row.issue);
  case Qt::ToolTipRole:
    if (index.column() == Problem) {
      const QString message = toQt(found.message);
      return plainTip(!found.quickFix.empty() ? tr("%1\nQuick fix: %2").arg(message, toQt(found.quickFix))
                      : found.fix.empty()     ? message
                                              : tr("%1\nWhat to do: %2").arg(message, toQt(found.fix)));
    }
    return index.column() == Where ? plainTip(toQt(found.placeText())) : QVariant();
  case Qt::DisplayRole: return cellText(row, index.column(), false);
  case Qt::AccessibleTextRole: return cellText(row, index.column(), true);
  default: return {};
  }
}

QString ProblemsModel::cellText(const Row& row, int column, bool accessible) const {
  const check::Issue& found = issueOf(row);
  switch (column) {
  case Problem: {
    QString text = toQt(found.message);
    if (accessible) text = severityWord(found.severity) + QStringLiteral(": ") + text;
    if (accessible && row.follows) return tr("%1 (follows from %2)").arg(text, toQt(found.because));
    return row.followers > 0
               ? tr("%1 · %n other finding(s) (follows|follow) from it", nullptr, pluralCount(row.followers)).arg(text)
               : text;
  }
  case Rule: return toQt(found.rule);
  case Where: {
    // For an archive, the member; the line or pointer is in the tool tip.
    const std::string where = found.rule.starts_with("MLF-") ? escaped(found.place.member)
                              : found.ref                    ? found.ref->node().shown()
                                                             : std::string();
    return where.empty() ? tr("file")
                         : toQt(where) + (found.place.line ? QStringLiteral(":%1").arg(*found.place.line) : QString());
  }
  default: return found.ref && found.ref->at ? toQt(hexText(*found.ref->at)) : QString();
  }
}

QString ProblemsModel::asText() const {
  QString text;
  for (const Row& row : m_all) {
    for (int column = 0; column < ColumnCount; ++column)
      text += (column > 0 ? QStringLiteral("\t") : QString()) + cellText(row, column, column == Problem);
    text += QLatin1Char('\n');
  }
  return text;
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
  case Problem: return tr("Finding");
  case Rule: return tr("Rule");
  case Where: return tr("Where");
  default: return tr("Offset");
  }
}

} // namespace blobscope::ui
