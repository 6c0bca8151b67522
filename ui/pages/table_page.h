#pragma once

#include "ui/models/table_model.h"
#include "ui/pages/page_factory.h"

#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTimer>

namespace blobscope::ui {

/// A table with a filter; sorting and filtering run in the background, whatever the number of rows.
class TablePage : public PageWidget {
  Q_OBJECT
public:
  TablePage(const view::TablePage& page, Jobs& jobs, QWidget* parent);
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
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void requestOrder();
  void copySelection();
  void updateSummary();

  Jobs& m_jobs;
  QString m_tag;
  TableModel* m_model;
  QTableView* m_view;
  QLineEdit* m_filter;
  QLabel* m_summary;
  QTimer m_filterDelay;
  int m_sortColumn = -1;
  Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace blobscope::ui
