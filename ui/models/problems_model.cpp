#include "ui/models/problems_model.h"

#include "core/base/text.h"
#include "ui/models/contents_model.h"
#include "ui/text/plain_text.h"

namespace blobscope::ui {

void ProblemsModel::setReport(std::shared_ptr<const check::Report> report) {
  beginResetModel();
  m_report = std::move(report);
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

void ProblemsModel::fill() {
  m_rows.clear();
  if (!m_report) return;
  bool causeShown = false; // of the rows that follow
  for (const check::Report::Row& row : m_report->rows()) {
    const check::Issue& issue = m_report->issues[row.issue];
    if (!row.follows) causeShown = false;
    if (!m_severities[static_cast<std::size_t>(issue.severity)]) continue;
    const auto has = [&](std::string_view text) { return toQt(text).contains(m_words, Qt::CaseInsensitive); };
    if (m_words.isEmpty() || has(issue.message) || has(issue.rule) || has(issue.placeText())) {
      m_rows.push_back({row.issue, row.follows && causeShown});
      causeShown = causeShown || !row.follows;
    }
  }
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ProblemsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const check::Issue& found = issue(index.row());
  if (role == ProblemSeverityRole) return static_cast<int>(found.severity);
  const QString message = toQt(found.message);
  if (role == Qt::ToolTipRole && index.column() == Problem)
    return plainTip(found.fix.empty() ? message : tr("%1\nWhat to do: %2").arg(message, toQt(found.fix)));
  if (role == Qt::ToolTipRole && index.column() == Where) return plainTip(toQt(found.placeText()));
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
  case Problem:
    if (role == Qt::AccessibleTextRole) {
      const QString text = severityWord(found.severity) + QStringLiteral(": ") + message;
      return follows(index.row()) ? tr("%1 (follows from %2)").arg(text, toQt(found.because)) : text;
    }
    return follows(index.row()) ? tr("↳ %1").arg(message) : message;
  case Rule: return toQt(found.rule);
  case Where: {
    // Of an archive the member; its line or pointer is in the tool tip.
    const std::string where = found.rule.starts_with("MLF-") ? escaped(found.place.member)
                              : found.ref                    ? found.ref->node().shown()
                                                             : std::string();
    return where.empty() ? tr("file")
                         : toQt(where) + (found.place.line ? QStringLiteral(":%1").arg(*found.place.line) : QString());
  }
  default: return found.ref && found.ref->at ? toQt(hexText(*found.ref->at)) : QString();
  }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
  case Problem: return tr("Problem");
  case Rule: return tr("Rule");
  case Where: return tr("Where");
  default: return tr("Byte");
  }
}

} // namespace blobscope::ui
