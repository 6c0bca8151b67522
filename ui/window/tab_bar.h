#pragma once

#include <QTabBar>

namespace blobscope::ui {

/// The tabs above the pages. The title of the preview tab is italic; at least twelve characters of a title are shown,
/// and what does not fit is scrolled to. The middle mouse button asks to close a tab.
class TabBar : public QTabBar {
  Q_OBJECT
public:
  explicit TabBar(QWidget* parent = nullptr);

  /// The tab whose title is italic; -1 for none. It is not followed when tabs are inserted or removed.
  void setPreview(int index);
  int preview() const { return m_preview; }
  /// Takes the close button off a tab that stays.
  void setStays(int index);

protected:
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override;
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

private:
  /// Width of a tab that shows `characters` of its title, in pixels.
  int widthFor(int index, int characters) const;

  int m_preview = -1;
};

} // namespace blobscope::ui
