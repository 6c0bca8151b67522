#pragma once

#include <QVector>
#include <QWidget>

class QDockWidget;

namespace blobscope::ui {

/// The title bar of a dock: its name at the left, tools and Close at the right.
class DockTitle : public QWidget {
  Q_OBJECT
public:
  explicit DockTitle(QDockWidget& dock, const QVector<QWidget*>& tools = {});
};

} // namespace blobscope::ui
