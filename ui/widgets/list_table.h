#pragma once

class QTableView;

namespace blobscope::ui {

/// Makes a table behave like a list: whole rows are selected, one at a time, and rows are as high as those of a tree.
/// Tab leaves the table.
void setUpList(QTableView& view);

} // namespace blobscope::ui
