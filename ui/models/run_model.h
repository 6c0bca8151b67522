#pragma once

#include "core/run/report.h"
#include "ui/session/test_run.h"

#include <QAbstractListModel>
#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace blobscope::ui {

/// Roles of the first column: a run::Status as a number; Status::Failed for runs that could not be started.
enum RunRole { RunStatusRole = Qt::UserRole, RunTimeRole, RunShareRole };

/// Returns the worst status in a run.
run::Status worstStatus(const RunEntry& entry);
/// Returns the first function of a whole model whose nodes are known; nullopt if there is none.
std::optional<std::size_t> nodesOf(const RunEntry& entry);
/// Formats microseconds for a table: "4.1", "0.0235", "12,300".
QString microsecondsText(double microseconds);

/// The runs of a window, newest first: what was run, how, and when.
class RunHistoryModel : public QAbstractListModel {
  Q_OBJECT
public:
  using QAbstractListModel::QAbstractListModel;
  void setHistory(std::vector<RunEntryPtr> history);
  const RunEntryPtr& entry(int row) const { return m_history[static_cast<std::size_t>(row)]; }
  /// "main", "4 functions".
  static QString subject(const RunEntry& entry);
  /// "dry run, edited".
  static QString manner(const RunEntry& entry);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

private:
  std::vector<RunEntryPtr> m_history;
};

/// The results of one run: its functions or, for one function, the whole call and then its launches.
class RunRowsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum FunctionColumn { Function, Launches, Outputs, FunctionMedian, FunctionResult, FunctionColumns };
  enum LaunchColumn { Kernel, Grid, Block, Shared, Arguments, LaunchMedian, LaunchResult, LaunchColumns };
  using QAbstractTableModel::QAbstractTableModel;

  /// A report of one function shows its launches, if it has any. Null shows nothing.
  void setEntry(RunEntryPtr entry);
  /// Shows the launches of this function of the report; nullopt shows all functions.
  void setFunction(std::optional<std::size_t> function);
  bool showsLaunches() const { return m_function.has_value(); }
  std::optional<std::size_t> function() const { return m_function; }
  int medianColumn() const {
    return showsLaunches() ? static_cast<int>(LaunchMedian) : static_cast<int>(FunctionMedian);
  }

  /// Whether a dry run leaves the column empty: it measures no times and copies no outputs.
  bool isUnused(int column) const;

  /// Returns the function of the row; for a launch, the function that made it.
  const run::FunctionResult* functionOf(int row) const;
  std::size_t functionIndex(int row) const { return m_function ? *m_function : static_cast<std::size_t>(row); }
  /// Returns the launch of the row; null for rows of functions.
  const protocol::LaunchEvent* launchOf(int row) const;
  /// Returns the measured times of the row in microseconds; may be empty.
  const std::vector<double>& times(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  void fill();
  QString functionText(const run::FunctionResult& result, int column) const;
  QString launchText(int row, int column) const;
  QString resultText(int row) const;

  RunEntryPtr m_entry;
  std::optional<std::size_t> m_function;
  std::vector<const std::vector<double>*> m_times; ///< one per row, never null
  std::vector<double> m_medians;                   ///< negative without measured times
  double m_longest = 0;
};

/// A tensor whose content the user can choose.
struct RunInput {
  std::string name;
  QString type, shape;
  QString fill;        ///< as in RunOptions::inputs
  bool output = false; ///< gets no content unless requested
  bool asked = false;  ///< of a single kernel: `shape` is what the user entered, as run::KernelRun expects it
};

/// The tensors of a function, or all arguments of a kernel, and what they are filled with. The last column can be
/// edited; for kernels the shape, too.
class RunInputsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Name, Type, Shape, Filled, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void setInputs(std::vector<RunInput> inputs);
  /// Changes shapes only; the entered values stay.
  void setShapes(const QStringList& shapes);
  const std::vector<RunInput>& inputs() const { return m_inputs; }
  /// Whether the argument is memory that can be filled; scalars of kernels are not.
  static bool isBuffer(const RunInput& input);
  /// Returns why an entered value cannot be used; empty when all can.
  QString problem() const;
  /// Returns the words that select a content.
  static QStringList words();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  std::vector<RunInput> m_inputs;
};

} // namespace blobscope::ui
