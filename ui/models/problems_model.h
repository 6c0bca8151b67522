#pragma once

#include "core/mlf/check.h"

#include <QAbstractTableModel>

#include <array>
#include <memory>
#include <vector>

namespace blobscope::ui {

/// Severity of the row, as a number.
enum ProblemsRole { ProblemSeverityRole = Qt::UserRole };

/// The findings of a file, worst first, behind each what follows from it: problem, rule, where, byte. Some severities
/// and words can be left out.
class ProblemsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Problem, Rule, Where, Byte, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void setReport(std::shared_ptr<const check::Report> report);
  const std::shared_ptr<const check::Report>& report() const { return m_report; }
  /// Shows rows of these severities (by Severity) that contain the words, whatever their case.
  void setFilter(const std::array<bool, 3>& severities, const QString& words);
  int count(Severity severity) const { return m_counts[static_cast<std::size_t>(severity)]; }
  int total() const { return m_counts[0] + m_counts[1] + m_counts[2]; }
  const check::Issue& issue(int row) const { return m_report->issues[m_rows[static_cast<std::size_t>(row)].issue]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  void fill();
  bool follows(int row) const { return m_rows[static_cast<std::size_t>(row)].follows; }

  std::shared_ptr<const check::Report> m_report;
  std::array<int, 3> m_counts = {};
  std::array<bool, 3> m_severities = {true, true, true};
  QString m_words;
  std::vector<check::Report::Row> m_rows;
};

} // namespace blobscope::ui
