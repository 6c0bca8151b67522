#pragma once

#include "ui/compare/pair_page.h"
#include "ui/models/diff_rows_model.h"

class QTableView;

namespace blobscope::ui {

class ThemeLabel;

/// A table, facts or fields of both sides in merged rows.
class RowsPairPage : public PairPage {
  Q_OBJECT
public:
  RowsPairPage(const ComparedPagePtr& page, QWidget* parent);
  int changeCount() const override { return m_model->changeCount(); }
  int currentChange() const override;
  bool goToNextChange(bool backwards) override;
  void goToEnd(bool last) override;
  bool canFold() const override { return m_model->hasEqualRows(); }
  void setFolding(bool folding) override;

  DiffRowsModel& model() { return *m_model; }
  QTableView& view() { return *m_view; }

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  int currentRow() const;
  void select(int row);
  void copySelection();
  void measureColumns();
  void fitColumns();
  QString summary(const ComparedPage& page) const;

  DiffRowsModel* m_model;
  QTableView* m_view;
  ThemeLabel* m_summary;
  QVector<int> m_neededWidths;
};

} // namespace blobscope::ui
