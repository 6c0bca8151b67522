#pragma once

#include <QVector>
#include <QWidget>

namespace blobscope::ui {

/// Widgets in one line, each as wide as it wants to be. From the first that does not fit on, none is shown.
class CutRow : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;
  /// `space`: pixels behind it. `joined`: is shown only together with the next one.
  void add(QWidget* widget, int space, bool joined = false);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  struct Item {
    QWidget* widget;
    int space;
    bool joined;
  };
  void arrange();

  QVector<Item> m_items;
};

} // namespace blobscope::ui
