#pragma once

#include <QLayout>
#include <QList>

namespace blobscope::ui {

/// Places widgets side by side in the direction of the layout; what does not fit goes to the next line. Lines are
/// centred vertically.
class FlowLayout : public QLayout {
  Q_OBJECT
public:
  /// `gap` and `lineGap`: pixels between widgets and between lines.
  FlowLayout(int gap, int lineGap, QWidget* parent = nullptr);
  ~FlowLayout() override;
  void addItem(QLayoutItem* item) override { m_items.append(item); }
  int count() const override { return static_cast<int>(m_items.size()); }
  QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
  QLayoutItem* takeAt(int index) override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), false); }
  QSize sizeHint() const override;
  QSize minimumSize() const override;
  Qt::Orientations expandingDirections() const override { return {}; }
  void setGeometry(const QRect& rect) override;

private:
  /// Returns the height.
  int place(const QRect& rect, bool apply) const;

  QList<QLayoutItem*> m_items;
  int m_gap, m_lineGap;
};

} // namespace blobscope::ui
