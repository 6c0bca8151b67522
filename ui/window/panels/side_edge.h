#pragma once

#include <QAbstractButton>

namespace blobscope::ui {

/// The edge that is left of a panel at the side of the window: its name, from top to bottom. A click opens the panel.
class SideEdge : public QAbstractButton {
  Q_OBJECT
public:
  SideEdge(const QString& name, QWidget* parent);
  QSize sizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;
};

} // namespace blobscope::ui
