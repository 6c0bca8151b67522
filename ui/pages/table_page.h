#pragma once

#include "ui/models/table_model.h"
#include "ui/pages/page_widget.h"

#include <QLineEdit>
#include <QTableView>
#include <QTimer>

namespace blobscope::ui {

class ThemeLabel;

/// A table with a filter; sorting and filtering run in the background, whatever the number of rows.
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

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fillTools();
  void setUpView(const view::TableSource& source);
  void measureColumns();
  void connectView();
  void requestOrder();
  void fitColumns();
  void copySelection();
  void updateSummary();

  Jobs& m_jobs;
  Ref m_node;
  QString m_tag;
  TableModel* m_model;
  QTableView* m_view;
  QWidget* m_tools;
  QLineEdit* m_filter;
  ThemeLabel* m_summary;
  QTimer m_filterDelay;
  QVector<int> m_wishes; ///< widths that the first rows would like
  int m_sortColumn = -1;
  Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace blobscope::ui
