#pragma once

class QAbstractItemView;
class QLineEdit;

namespace blobscope::ui {

/// Keys of a field that filters `view`. Escape clears the field; in an empty one it is left to the window. Down goes to
/// the view, Enter opens the first row that holds the text.
void addFilterKeys(QLineEdit& field, QAbstractItemView& view);
/// Only Escape, for a field that does something else with the other keys.
void clearOnEscape(QLineEdit& field);

} // namespace blobscope::ui
