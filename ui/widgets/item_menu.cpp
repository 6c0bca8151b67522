#include "ui/widgets/item_menu.h"

#include <QAbstractItemView>
#include <QContextMenuEvent>

#include <utility>

namespace blobscope::ui {
namespace {

class ItemMenu : public QObject {
public:
  ItemMenu(QAbstractItemView& view, std::function<void(const QModelIndex&, QPoint)> open)
      : QObject(&view), m_view(view), m_open(std::move(open)) {
    view.setContextMenuPolicy(Qt::DefaultContextMenu);
    view.viewport()->installEventFilter(this);
    view.installEventFilter(this);
  }

protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::ContextMenu) return false;
    const auto* const request = static_cast<QContextMenuEvent*>(event);
    const bool keyboard = request->reason() == QContextMenuEvent::Keyboard;
    // A mouse event goes to the viewport first, a keyboard event to the view.
    if (!keyboard && watched != m_view.viewport()) return false;
    const QModelIndex index = keyboard ? m_view.currentIndex() : m_view.indexAt(request->pos());
    if (!index.isValid()) return true;
    m_open(index,
           keyboard ? m_view.viewport()->mapToGlobal(m_view.visualRect(index).bottomLeft()) : request->globalPos());
    return true;
  }

private:
  QAbstractItemView& m_view;
  std::function<void(const QModelIndex&, QPoint)> m_open;
};

} // namespace

void onItemMenu(QAbstractItemView& view, std::function<void(const QModelIndex& index, QPoint place)> open) {
  new ItemMenu(view, std::move(open));
}

} // namespace blobscope::ui
