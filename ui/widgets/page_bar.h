#pragma once

#include <QPointer>
#include <QStringList>
#include <QWidget>

class QButtonGroup;
class QToolButton;

namespace blobscope::ui {

/// The pages of a tab as words, the current one on selection colour, and the page's own tools at the right end. What
/// does not fit goes into a menu.
class PageBar : public QWidget {
  Q_OBJECT
public:
  explicit PageBar(QWidget* parent = nullptr);
  void setPages(const QStringList& names);
  void setCurrent(int index);
  int current() const;
  /// Shows `tools` at the right end; it stays the caller's.
  void setTools(QWidget* tools);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

Q_SIGNALS:
  void chosen(int index);

protected:
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void arrange();

  QButtonGroup* m_group;
  QList<QToolButton*> m_buttons;
  QToolButton* m_more;
  QPointer<QWidget> m_tools;
};

} // namespace blobscope::ui
