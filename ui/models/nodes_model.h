#pragma once

#include "core/run/report.h"
#include "ui/session/test_run.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <optional>
#include <vector>

namespace blobscope::ui {

/// What the comparison with the other build says about a node.
enum class NodeStatus { NotCompared, Same, Within, Differs, First, OnlyHere };
QString nodeStatusText(NodeStatus status);
bool isDifference(NodeStatus status);
/// Formats a difference for a table: "0", "4.1e-3", "0.35".
QString differenceText(double difference);

enum NodeRole {
  NodeStatusRole = Qt::UserRole, ///< a NodeStatus as a number
  NodeShareRole,                 ///< of the time or of the decades of a difference, for the bar; 0 for none
  NodeSortRole                   ///< what rows are sorted by
};

/// The nodes of a whole model, in the order in which they ran. A is the other build, B the one that was run.
class NodesModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column {
    Number,
    Node,
    Function,
    OutputType,
    Status,
    Largest,
    Elements,
    Minimum,
    Maximum,
    Mean,
    ReferenceTime,
    Time,
    Share,
    Rate,
    Written,
    Launches,
    ColumnCount
  };
  /// Lowest and highest power of ten of the axis of differences.
  static constexpr int kLowestDecade = -12, kHighestDecade = 4;
  using QAbstractTableModel::QAbstractTableModel;

  /// Shows the nodes of this function of the report; null shows nothing.
  void setResult(run::RunReportPtr report, std::size_t function);
  const run::FunctionResult* result() const { return m_report ? &m_report->functions[m_function] : nullptr; }
  const run::NodeResult& node(int row) const { return result()->nodes[static_cast<std::size_t>(row)]; }
  /// The node of the other build; null if there is none.
  const run::NodeResult* reference(int row) const;
  NodeStatus status(int row) const { return m_rows[static_cast<std::size_t>(row)].status; }
  int count(NodeStatus status) const;
  /// Largest difference of the outputs; negative if it is not known.
  double largest(int row) const;
  /// Median in microseconds; negative if it was not measured.
  double time(int row) const { return m_rows[static_cast<std::size_t>(row)].time; }
  double totalTime() const { return m_total; }
  /// 10^9 operations per second; negative if they are not known.
  double rate(int row) const { return m_rows[static_cast<std::size_t>(row)].rate; }
  /// The absolute tolerance of all compared outputs that have one; nothing if there are several or none.
  std::optional<double> tolerance() const;
  /// Whether the outputs were compared with those of another build.
  bool isComparison() const { return m_comparison; }
  /// Whether the column has something to show.
  bool isUsed(int column) const;
  /// Returns the row and its most important values as a sentence.
  QString rowText(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  struct Row {
    NodeStatus status = NodeStatus::NotCompared;
    double time = -1, referenceTime = -1, rate = -1;
    double elements = 0; ///< share of the values with other bits
  };
  const run::Output* output(int row) const;
  QString text(int row, int column) const;
  QVariant sortValue(int row, int column) const;

  run::RunReportPtr m_report;
  std::size_t m_function = 0;
  std::vector<Row> m_rows;
  double m_total = 0, m_longest = 0;
  bool m_comparison = false, m_otherNames = false;
};

/// Nodes whose name or function contains some words, and that differ, sorted.
class NodesFilter : public QSortFilterProxyModel {
  Q_OBJECT
public:
  explicit NodesFilter(NodesModel& model, QObject* parent = nullptr);
  void setWords(const QString& words);
  void setOnlyDifferences(bool only);

protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
  NodesModel& m_model;
  QString m_words;
  bool m_onlyDifferences = false;
};

} // namespace blobscope::ui
