#pragma once

class QAbstractItemView;
class QLineEdit;

namespace blobscope::ui {

/// Adds keys to a field that filters `view`. Escape clears the field; if it is empty, the window handles the key. Down
/// moves the focus to the view, Enter opens the first row that contains the text.
void addFilterKeys(QLineEdit& field, QAbstractItemView& view);
/// Adds only Escape, for a field that uses the other keys differently.
void clearOnEscape(QLineEdit& field);
/// Adds a magnifying glass at the start of a field; clicking it moves the focus into the field.
void addFindIcon(QLineEdit& field);

} // namespace blobscope::ui
