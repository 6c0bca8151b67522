#pragma once

class QTableView;

namespace blobscope::ui {

/// Makes a table a list of rows: whole rows are selected, one at a time, all of them as high as a row of a tree.
/// Tab leaves it.
void setUpList(QTableView& view);

} // namespace blobscope::ui
