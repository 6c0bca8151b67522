#pragma once

#include "core/base/ref.h"
#include "ui/models/run_model.h"
#include "ui/session/test_run.h"

#include <QWidget>

class QListView;
class QTableView;
class QToolButton;

namespace blobscope::ui {

class Banner;
class DetailsPanel;
class LinkButton;
class ProgressStrip;
class SamplePlot;
class ThemeLabel;

/// The runs of a window: at the left the list of runs, in the middle the results of the selected one, at the right
/// times and details of the selected row.
class RunPanel : public QWidget {
  Q_OBJECT
public:
  explicit RunPanel(TestRun& runs, QWidget* parent = nullptr);
  /// Enables the buttons; a file without host functions and kernels cannot be run.
  void setCanRun(bool can);
  /// Null when nothing is shown.
  const RunEntryPtr& entry() const { return m_entry; }
  void showEntry(int row);

  QListView& history() { return *m_history; }
  QTableView& view() { return *m_view; }
  const RunRowsModel& rows() const { return *m_rows; }
  const RunHistoryModel& runs() const { return *m_model; }
  const SamplePlot& plot() const { return *m_plot; }
  const DetailsPanel& details() const { return *m_details; }
  ProgressStrip& progress() { return *m_progress; }

Q_SIGNALS:
  void runRequested();
  void againRequested();
  void optionsRequested();
  void exportRequested();
  /// The nodes of the displayed whole model must be shown.
  void nodesRequested();
  /// A function or kernel of the file must be shown.
  void nodeChosen(const Ref& ref);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeHistory();
  QWidget* makeMiddle();
  void showRows();
  void showRow();
  void activate(int row);
  void updateState();
  void setColumns();

  TestRun& m_runs;
  RunEntryPtr m_entry;
  bool m_canRun = false;
  RunHistoryModel* m_model;
  RunRowsModel* m_rows;
  QListView* m_history;
  QTableView* m_view;
  SamplePlot* m_plot;
  DetailsPanel* m_details;
  ProgressStrip* m_progress;
  QWidget* m_body;
  QToolButton *m_again, *m_options, *m_export;
  LinkButton *m_all, *m_nodes;
  ThemeLabel *m_title, *m_summary, *m_empty, *m_failure;
};

} // namespace blobscope::ui
