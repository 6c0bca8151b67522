#pragma once

#include "core/mlf/check.h"

#include <QAbstractTableModel>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <vector>

namespace blobscope::ui {

enum ProblemsRole {
  ProblemSeverityRole = Qt::UserRole, ///< as a number
  ProblemFollowsRole,                 ///< whether the row follows from the one above
  ProblemCauseRole,                   ///< whether other rows follow from this one
  ProblemOpenRole                     ///< whether those rows are shown
};

/// The findings of a file, worst first: finding, rule, where, offset. Findings that only follow from another finding
/// are folded under it. The filter can hide severities and require words; a finding that contains the words is shown
/// even if it is folded.
class ProblemsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Problem, Rule, Where, Byte, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void setReport(std::shared_ptr<const check::Report> report);
  const std::shared_ptr<const check::Report>& report() const { return m_report; }
  /// Shows rows of these severities (indexed by Severity) that contain the words, in any case.
  void setFilter(const std::array<bool, 3>& severities, const QString& words);
  /// Shows or hides the findings that follow from the finding of the row; does nothing if there are none.
  void setOpen(int row, bool open);
  /// Number of findings that pass the filter, including folded ones.
  int matching() const { return static_cast<int>(m_all.size()); }
  /// Whether any finding has others that follow from it.
  bool folds() const {
    return std::ranges::any_of(m_all, [](const Row& row) { return row.followers > 0; });
  }
  int count(Severity severity) const { return m_counts[static_cast<std::size_t>(severity)]; }
  int total() const { return m_counts[0] + m_counts[1] + m_counts[2]; }
  const check::Issue& issue(int row) const { return m_report->issues[m_rows[static_cast<std::size_t>(row)].issue]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// Returns the findings that pass the filter as lines with tab-separated columns.
  QString asText() const;

private:
  /// A finding; `followers`: the number of findings that follow from it and pass the filter.
  struct Row {
    std::size_t issue;
    bool follows = false;
    int followers = 0;
  };

  void fill();
  bool matches(const check::Issue& issue) const;
  QString cellText(const Row& row, int column, bool accessible) const;
  const check::Issue& issueOf(const Row& row) const { return m_report->issues[row.issue]; }

  std::shared_ptr<const check::Report> m_report;
  std::array<int, 3> m_counts = {};
  std::array<bool, 3> m_severities = {true, true, true};
  QString m_words;
  std::vector<Row> m_all, m_rows; ///< all that pass the filter; those of them that are not folded
  std::set<std::size_t> m_open;   ///< findings whose followers are shown
};

} // namespace blobscope::ui
