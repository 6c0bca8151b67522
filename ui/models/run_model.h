#pragma once

#include "core/run/report.h"
#include "ui/session/test_run.h"

#include <QAbstractListModel>
#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace blobscope::ui {

/// Of the first column: a run::Status as a number, Status::Failed for runs that could not be done.
enum RunRole { RunStatusRole = Qt::UserRole, RunTimeRole, RunShareRole };

/// The worst that a run met.
run::Status worstStatus(const RunEntry& entry);
/// "4.1", "0.0235", "12,300": microseconds in a table.
QString microsecondsText(double microseconds);

/// The runs of a window, newest first: what, how it was run, when.
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

/// What one run met: its functions, or of one function the whole call and then its launches.
class RunRowsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum FunctionColumn { Function, Launches, Outputs, FunctionMedian, FunctionResult, FunctionColumns };
  enum LaunchColumn { Kernel, Grid, Block, Shared, Arguments, LaunchMedian, LaunchResult, LaunchColumns };
  using QAbstractTableModel::QAbstractTableModel;

  /// A report of one function shows its launches, when it has any. Null: nothing.
  void setEntry(RunEntryPtr entry);
  /// The launches of that function of the report; nothing: all functions.
  void setFunction(std::optional<std::size_t> function);
  bool showsLaunches() const { return m_function.has_value(); }
  std::optional<std::size_t> function() const { return m_function; }
  int medianColumn() const {
    return showsLaunches() ? static_cast<int>(LaunchMedian) : static_cast<int>(FunctionMedian);
  }

  /// The function that the row is, or is of.
  const run::FunctionResult* functionOf(int row) const;
  std::size_t functionIndex(int row) const { return m_function ? *m_function : static_cast<std::size_t>(row); }
  /// The launch that the row is; null for rows of functions.
  const protocol::LaunchEvent* launchOf(int row) const;
  /// Measured times of the row, in microseconds; may be empty.
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
  std::vector<double> m_medians;                   ///< negative without times
  double m_longest = 0;
};

/// A tensor that the user can say the content of.
struct RunInput {
  std::string name;
  QString type, shape;
  QString fill;        ///< as RunOptions::inputs takes it
  bool output = false; ///< is given nothing unless asked to
  bool asked = false;  ///< of a kernel by itself: `shape` is the user's answer, as run::KernelRun takes it
};

/// The tensors of a function, or all arguments of a kernel, and what they are filled with; the last column can be
/// edited, of kernels the shape, too.
class RunInputsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Name, Type, Shape, Filled, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void setInputs(std::vector<RunInput> inputs);
  /// Another size of a dimension changes no answer.
  void setShapes(const QStringList& shapes);
  const std::vector<RunInput>& inputs() const { return m_inputs; }
  /// Whether it is memory that can be filled; scalars of kernels are not.
  static bool isBuffer(const RunInput& input);
  /// Why an answer cannot be used; empty when all can.
  QString problem() const;
  /// What can be asked for by a word.
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
