#pragma once

#include "core/sizes/compare.h"
#include "ui/compare/pair_page.h"

class QTableView;

namespace blobscope::ui {

class SizeChangesModel;

/// The sizes that differ in both files, as signed bars: to the right for what is larger in B.
class SizePairPage : public PairPage {
  Q_OBJECT
public:
  SizePairPage(const sizes::SizeComparison& sizes, QWidget* parent);
  int changeCount() const override;
  int currentChange() const override;
  bool goToNextChange(bool backwards) override;
  void goToEnd(bool last) override;

  SizeChangesModel& model() { return *m_model; }
  QTableView& view() { return *m_view; }

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void select(int row);

  SizeChangesModel* m_model;
  QTableView* m_view;
};

} // namespace blobscope::ui
