#pragma once

#include "core/view/table_extras.h"
#include "ui/models/table_model.h"
#include "ui/pages/page_widget.h"

#include <QLineEdit>
#include <QTableView>
#include <QTimer>

#include <filesystem>
#include <memory>

class QVBoxLayout;

namespace blobscope::ui {

class CellDelegate;
class FitPanel;
class TableHead;
class TablePlots;
class ThemeLabel;

/// A table with a filter; sorting, filtering and measuring run in the background, for any number of rows. The first
/// column gets its width first; in the other text columns, words wrap (in tables of up to a few thousand rows), and
/// columns that still do not fit are hidden, the last one first. The line below names the hidden columns. A column with
/// matches of the filter stays visible. With view::TableExtras, rows can be grouped, plots are below the table, and the
/// choice above it changes the numbers.
class TablePage : public PageWidget {
  Q_OBJECT
public:
  TablePage(const view::TablePage& page, const PageContext& context, QWidget* parent);
  ~TablePage() override;
  bool showPart(const Ref::Part& part) override;
  std::optional<Ref::Part> selectedPart() const override;
  QWidget* tools() override { return m_tools; }
  void openFind() override;
  bool hasPicture() const override { return m_plots != nullptr; }
  view::Page picture() const override;

  TableModel& model() { return *m_model; }
  QTableView& view() { return *m_view; }
  QLineEdit& filter() { return *m_filter; }
  /// Null without extras.
  TableHead* head() { return m_head; }
  TablePlots* plots() { return m_plots; }
  /// Null unless the extras have bars with limits.
  FitPanel* fit() { return m_fit; }
  /// Writes the rows that are shown to a CSV file; saved() or message() follows.
  void exportTo(const QString& path);

Q_SIGNALS:
  /// A row of the source was activated (double click, Enter).
  void rowActivated(quint64 sourceRow);
  /// The rows are in the requested order.
  void ordered();
  /// The column widths fit all rows.
  void measured();
  /// The numbers are those of another choice, or it was refused.
  void choiceShown();
  /// exportTo() has written the file.
  void saved(const QString& path);

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fillTools();
  void setUpView(const view::TableSource& source);
  /// Returns the width in pixels of a cell with this text, including margins, icon and bar.
  int cellWidth(int column, const QString& text) const;
  void measureColumns();
  void measureAllRows();
  void chooseSort(int column);
  void connectView();
  void requestOrder();
  void fitColumns();
  void fitRows();
  bool wraps() const;
  void copySelection();
  void updateSummary();
  void selectSourceRow(uint64_t row);
  void addExtras(QVBoxLayout& layout);
  void showExtras();
  void addGrouping(TableOrder& order) const;
  /// `isKept`: the choice of another file, which is forgotten if it is refused.
  void makeChoice(const QString& value, bool isKept = false);
  void restoreChoice();
  void showRowPlots();
  void selectNode(const Ref& node);
  /// Selects the row again without scrolling to it.
  void selectQuietly(uint64_t row);
  bool foldsGroup(const QKeyEvent& event);
  void askForExport();

  Jobs& m_jobs;
  Ref m_node;
  QString m_tag;
  TableModel* m_model;
  CellDelegate* m_delegate;
  QTableView* m_view;
  QWidget* m_tools;
  QLineEdit* m_filter;
  ThemeLabel* m_summary;
  std::shared_ptr<const view::TableExtras> m_extras; ///< null for most tables
  std::filesystem::path m_file;                      ///< must not be overwritten; may be empty
  TableHead* m_head = nullptr;
  TablePlots* m_plots = nullptr;
  FitPanel* m_fit = nullptr;
  QTimer m_filterDelay;
  QVector<int> m_neededWidths; ///< widths that the rows need, one per column
  QFont m_measuredFont;        ///< font of these widths
  QVector<bool> m_matched;     ///< columns with matches of the filter
  QVector<bool> m_hidden;      ///< hidden columns
  int m_sortColumn = -1;
  Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace blobscope::ui
