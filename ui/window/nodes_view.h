#pragma once

#include "core/base/output_file.h"
#include "core/base/ref.h"
#include "core/diff/tensors.h"
#include "ui/models/nodes_model.h"
#include "ui/session/jobs.h"
#include "ui/session/test_run.h"

#include <QWidget>

#include <functional>
#include <optional>

class QComboBox;
class QLineEdit;
class QSplitter;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace blobscope::ui {

class Banner;
class CutRow;
class DetailsPanel;
class DifferencePlot;
class NodeSide;
class ThemeLabel;

/// The nodes of a whole model that was run: a table with the times and outputs of each node and details of the selected
/// one. When two builds were compared, also where their outputs differ first, and a plot of the differences; plot and
/// table share the selection. A is the other build, B the one that was run.
class NodesView : public QWidget {
  Q_OBJECT
public:
  /// `entry` has the report of a whole model, with a function `function`. `opened`: path of the file that was run,
  /// which no output overwrites.
  NodesView(Jobs& jobs, RunEntryPtr entry, std::size_t function, QString opened, QWidget* parent = nullptr);
  ~NodesView() override;

  QString title() const;
  const RunEntryPtr& entry() const { return m_entry; }
  /// Returns the sentence at the top: where the builds differ first, or how long the nodes took.
  QString sentence() const;
  const NodesModel& model() const { return m_model; }
  QTableView& table() const { return *m_table; }
  QLineEdit& filter() const { return *m_filter; }
  DifferencePlot& plot() const { return *m_plot; }
  QComboBox& order() const { return *m_order; }
  QLineEdit& tolerance() const { return *m_tolerance; }
  const NodeSide& side() const { return *m_side; }
  const DetailsPanel& details() const;
  const Banner& banner() const { return *m_banner; }
  /// Selects a node in the table, the plot and the details.
  void select(int node);
  /// Returns the selected node; -1 for none.
  int selected() const { return m_selected; }
  /// Selects the next or previous node that differs; returns false when there is none.
  bool goToNextDifference(bool backwards);
  /// Writes the outputs of the selected node; those after the first one get a number, those of the other build "-a".
  void saveOutputs(const QString& path);
  /// Writes the times of all nodes for chrome://tracing.
  void saveTrace(const QString& path);
  /// Compares the kept outputs again with this tolerance, "ABS" or "ABS, REL"; an empty text means that of the types.
  /// compared() follows.
  void setTolerance(const QString& text);
  /// Compares the outputs of the selected node value by value; tensorsCompared() follows.
  void compareTensors();
  /// Writes the inputs of the selected node, as far as they were kept; aloneRequested() follows.
  void runAlone();
  /// What does not fit is hidden, so that a narrow window stays narrow.
  QSize minimumSizeHint() const override { return {320, 240}; }

Q_SIGNALS:
  /// The code of a node must be shown; for a comparison, that of both builds where they are open.
  void codeChosen(const Ref& ref);
  /// The code of a node must be compared with that of the other build, which is opened.
  void compareRequested(const Ref& ref);
  /// The outputs were compared with another tolerance.
  void compared();
  /// The tensors of A and B must be shown.
  void tensorsCompared(const QString& title, const diff::TensorDiff& numbers);
  /// The function of a node must be run alone.
  void aloneRequested(const RunRequest& request);
  void selectionText(const QString& text);
  void message(const QString& text);
  /// A file was written.
  void saved(const QString& path);

protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QWidget* makeHead();
  QWidget* makeTools();
  QWidget* makeTable();
  void makeSide();
  void addChips();
  void addOrders();
  void orderBy(int index);
  void showReport();
  void showTolerance();
  void fillPlot();
  void fitColumns();
  void showNode(int node);
  void updateFooter();
  void updateTools();
  void openCode(int node);
  std::optional<Ref> codeOf(int node) const;
  const xref::HostFunction* functionOf(int node) const;
  /// The number of the output that can be compared value by value.
  std::optional<std::size_t> comparableOutput() const;
  RunRequest aloneRequest(const run::NodeResult& node, const host::Signature& signature) const;
  /// Shows an error until it is closed.
  void showProblem(const QString& title, const Error& error);
  void askForOutputs();
  void askForTrace();
  void save(const QString& tag, const QString& path, std::function<Result<Done>(Monitor&)> write);
  Inputs protectedFiles() const;

  Jobs& m_jobs;
  const RunEntryPtr m_entry;
  const QString m_opened, m_tag;
  run::RunReportPtr m_report; ///< that of the entry, or the same compared with another tolerance
  const std::size_t m_function;
  NodesModel m_model;
  NodesFilter m_rows{m_model};
  int m_selected = -1;
  Banner* m_banner;
  ThemeLabel *m_sentence = nullptr, *m_footer = nullptr, *m_position = nullptr;
  CutRow* m_chips = nullptr;
  DifferencePlot* m_plot = nullptr;
  QLineEdit* m_filter = nullptr;
  QComboBox *m_which = nullptr, *m_order = nullptr;
  QLineEdit* m_tolerance = nullptr;
  ThemeLabel* m_toleranceLabel = nullptr;
  QVBoxLayout* m_headLayout = nullptr;
  QString m_toleranceText; ///< the text that the comparison is for
  QToolButton *m_previous = nullptr, *m_next = nullptr, *m_save = nullptr, *m_trace = nullptr;
  QTableView* m_table = nullptr;
  NodeSide* m_side = nullptr;
};

} // namespace blobscope::ui
