#pragma once

#include <QModelIndex>
#include <QPoint>

#include <functional>

class QAbstractItemView;

namespace blobscope::ui {

/// Calls `open` when the user asks for the context menu of a row, with the mouse or the keyboard. `place` is where the
/// menu belongs, on the screen.
void onItemMenu(QAbstractItemView& view, std::function<void(const QModelIndex& index, QPoint place)> open);

} // namespace blobscope::ui
