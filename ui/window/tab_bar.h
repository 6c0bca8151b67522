#pragma once

#include <QTabBar>

namespace blobscope::ui {

/// The tabs above the pages. The title of the preview tab is italic; at least twelve characters of a title are shown,
/// and tabs that do not fit can be scrolled to. A click with the middle mouse button requests to close a tab.
class TabBar : public QTabBar {
  Q_OBJECT
public:
  explicit TabBar(QWidget* parent = nullptr);

  /// Sets the tab whose title is italic; -1 for none. The index is not updated when tabs are inserted or removed.
  void setPreview(int index);
  int preview() const { return m_preview; }
  /// Removes the close button of a tab that stays open.
  void setPermanent(int index);

protected:
  QSize tabSizeHint(int index) const override;
  QSize minimumTabSizeHint(int index) const override;
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

private:
  /// Returns the width in pixels of a tab that shows `characters` of its title.
  int widthFor(int index, int characters) const;

  int m_preview = -1;
};

} // namespace blobscope::ui
