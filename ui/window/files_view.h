#pragma once

#include "core/base/ref.h"
#include "core/view/page_pointers.h"
#include "ui/models/preflight_model.h"
#include "ui/session/jobs.h"

#include <QStringList>
#include <QWidget>

class QComboBox;
class QLineEdit;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace blobscope::ui {

class Banner;
class ColumnFooter;
class DetailsPanel;
class FitBars;
class PlainLabel;
class Segments;
class SizePage;
class ThemeLabel;

/// Whether many files load: a table of files and targets, how many fit which release, and the details of the selected
/// cell. The files are read in the background.
class FilesView : public QWidget {
  Q_OBJECT
public:
  /// `paths`: one folder, or files.
  FilesView(Jobs& jobs, QStringList paths, QWidget* parent = nullptr);
  ~FilesView() override;
  /// "models: will they load?"
  QString title() const;
  const QStringList& paths() const { return m_paths; }
  /// Reads the files and compares them with these targets.
  void start(TargetChoice choice);
  /// Shows what takes how many bytes in the folder, or whether the files load. The sizes are read when they are first
  /// shown.
  void showSizes(bool sizes);
  /// Null until the sizes are read.
  SizePage* sizes() const { return m_sizes; }
  void showCheck(FilesCheckPtr check);
  QTableView& table() const { return *m_table; }
  QLineEdit& filter() const { return *m_filter; }
  PreflightModel& model() { return m_model; }
  /// Returns the path of a file of the results.
  QString absolutePath(const preflight::FileOutcomes& file) const;
  /// Writes the rows that are shown, as CSV or, with the extension .sarif or .json, as SARIF.
  void exportTo(const QString& path);
  static QString tagPrefix() { return QStringLiteral("files/"); }

Q_SIGNALS:
  /// The user wants to open a file, at a place in it, or on the page about loading if `ref` is the file.
  void fileRequested(const QString& path, const Ref& ref);
  /// The id of a rule was clicked.
  void ruleRequested(const QString& id);
  void selectionText(const QString& text);
  /// The results, or why there are none, are shown.
  void finished();
  void exported(const QString& path);

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QWidget* makeHead();
  QWidget* makeModes();
  QWidget* makeLoad();
  QWidget* makeSizes();
  QWidget* makeTools();
  QWidget* makeTable();
  void showHead();
  /// Gives the names the room that the other columns leave; size and era are hidden where it is too small.
  void fitColumns();
  /// Width in pixels of a target's column.
  int targetWidth(int column) const;
  void showNotice(const QString& text);
  void showSelection();
  void updateFooter();
  void open(const QModelIndex& row);
  void askForTargets();
  void askForExport(bool sarif);
  QString sizeTag() const;
  void readSizes();
  void addSizes(const view::TreemapPagePtr& page);

  Jobs& m_jobs;
  QString m_tag;
  QStringList m_paths;
  TargetChoice m_choice;
  PreflightModel m_model;
  PreflightFilter m_rows{m_model};
  Banner* m_banner = nullptr;
  ThemeLabel *m_name = nullptr, *m_facts = nullptr, *m_common = nullptr;
  FitBars* m_bars = nullptr;
  QLineEdit* m_filter = nullptr;
  QComboBox* m_states = nullptr;
  QToolButton *m_targets = nullptr, *m_csv = nullptr, *m_sarif = nullptr;
  QWidget* m_legend = nullptr;
  QTableView* m_table = nullptr;
  ColumnFooter* m_footer = nullptr;
  DetailsPanel* m_details = nullptr;
  QWidget *m_load = nullptr, *m_sizeBox = nullptr;
  Segments* m_modes = nullptr; ///< null unless the view is about a folder
  PlainLabel* m_sizeNotice = nullptr;
  SizePage* m_sizes = nullptr;
  QStackedWidget* m_stack = nullptr;
  PlainLabel* m_notice = nullptr;
};

} // namespace blobscope::ui
