#pragma once

#include "ui/models/table_model.h"
#include "ui/pages/page_widget.h"

#include <QLineEdit>
#include <QTableView>
#include <QTimer>

namespace blobscope::ui {

class CellDelegate;
class ThemeLabel;

/// A table with a filter; sorting, filtering and measuring run in the background, whatever the number of rows. The
/// first column has room first; of the others the words wrap (in tables of up to a few thousand rows), and what still
/// has no room leaves, the last column first. The line below names what left. A column in which the filter found
/// something stays.
class TablePage : public PageWidget {
  Q_OBJECT
public:
  TablePage(const view::TablePage& page, const PageContext& context, QWidget* parent);
  ~TablePage() override;
  bool showPart(const Ref::Part& part) override;
  std::optional<Ref::Part> selectedPart() const override;
  QWidget* tools() override { return m_tools; }
  void openFind() override;

  TableModel& model() { return *m_model; }
  QTableView& view() { return *m_view; }
  QLineEdit& filter() { return *m_filter; }

Q_SIGNALS:
  /// A row of the source was activated (double click, Enter).
  void rowActivated(quint64 sourceRow);
  /// The order asked for last is shown.
  void ordered();
  /// The columns have the widths that all rows need.
  void measured();

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fillTools();
  void setUpView(const view::TableSource& source);
  /// Pixels that a cell of that text takes, with its margins, icon and bar.
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

  Jobs& m_jobs;
  Ref m_node;
  QString m_tag;
  TableModel* m_model;
  CellDelegate* m_delegate;
  QTableView* m_view;
  QWidget* m_tools;
  QLineEdit* m_filter;
  ThemeLabel* m_summary;
  QTimer m_filterDelay;
  QVector<int> m_wishes;   ///< widths that the rows would like, one per column
  QVector<bool> m_matched; ///< columns that hold the matches of the filter
  QVector<bool> m_left;    ///< columns that have no room
  int m_sortColumn = -1;
  Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace blobscope::ui
