#include "ui/widgets/list_table.h"

#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QTableView>

namespace blobscope::ui {

void setUpList(QTableView& view) {
  view.setShowGrid(false);
  view.setSelectionBehavior(QAbstractItemView::SelectRows);
  view.setSelectionMode(QAbstractItemView::SingleSelection);
  view.setTabKeyNavigation(false);
  view.setMouseTracking(true);
  view.verticalHeader()->hide();
  view.verticalHeader()->setDefaultSectionSize(metrics::rowHeight());
  view.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  view.horizontalHeader()->setHighlightSections(false);
  view.horizontalHeader()->setFixedHeight(28);
}

} // namespace blobscope::ui
