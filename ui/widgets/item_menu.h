#pragma once

#include <QModelIndex>
#include <QPoint>

#include <functional>

class QAbstractItemView;

namespace blobscope::ui {

/// Calls `open` when the user requests the context menu of a row, with the mouse or the keyboard. `place` is the screen
/// position of the menu.
void onItemMenu(QAbstractItemView& view, std::function<void(const QModelIndex& index, QPoint place)> open);

} // namespace blobscope::ui
