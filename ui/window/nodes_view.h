#pragma once

#include "core/base/output_file.h"
#include "core/base/ref.h"
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

namespace blobscope::ui {

class Banner;
class CutRow;
class DetailsPanel;
class DifferencePlot;
class LinkButton;
class ThemeLabel;
class ValueHistogram;

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
  const DetailsPanel& details() const { return *m_details; }
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
  /// What does not fit is hidden, so that a narrow window stays narrow.
  QSize minimumSizeHint() const override { return {320, 240}; }

Q_SIGNALS:
  /// The code of a node must be shown; for a comparison, that of both builds where they are open.
  void codeChosen(const Ref& ref);
  /// The code of a node must be compared with that of the other build, which is opened.
  void compareRequested(const Ref& ref);
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
  QWidget* makeSide();
  void addChips();
  void fillPlot();
  void fitColumns();
  void showNode(int node);
  void showHistogram(int node);
  void updateFooter();
  void updateTools();
  void openCode(int node);
  std::optional<Ref> codeOf(int node) const;
  void askForOutputs();
  void askForTrace();
  void save(const QString& tag, const QString& path, std::function<Result<Done>(Monitor&)> write);
  Inputs protectedFiles() const;

  Jobs& m_jobs;
  const RunEntryPtr m_entry;
  const QString m_opened, m_tag;
  NodesModel m_model;
  NodesFilter m_rows{m_model};
  int m_selected = -1;
  Banner* m_banner;
  ThemeLabel *m_sentence = nullptr, *m_footer = nullptr, *m_position = nullptr;
  CutRow* m_chips = nullptr;
  DifferencePlot* m_plot = nullptr;
  QLineEdit* m_filter = nullptr;
  QComboBox* m_which = nullptr;
  QToolButton *m_previous = nullptr, *m_next = nullptr, *m_save = nullptr, *m_trace = nullptr;
  QTableView* m_table = nullptr;
  QWidget* m_side = nullptr;
  DetailsPanel* m_details = nullptr;
  ValueHistogram* m_histogram = nullptr;
  LinkButton* m_compare = nullptr;
};

} // namespace blobscope::ui
