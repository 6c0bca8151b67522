#pragma once

#include <QVector>
#include <QWidget>

namespace blobscope::ui {

/// Widgets in one line, each at its preferred width. The first one that does not fit and all later ones are hidden.
class CutRow : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;
  /// `space`: pixels after it. `joined`: it is shown only together with the next one.
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
