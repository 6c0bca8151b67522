#pragma once

#include <QPointer>
#include <QStringList>
#include <QWidget>

class QButtonGroup;
class QToolButton;

namespace blobscope::ui {

/// The pages of a tab as buttons, the current one in the selection colour, and the tools of the page at the right end.
/// Pages that do not fit are in a menu.
class PageBar : public QWidget {
  Q_OBJECT
public:
  explicit PageBar(QWidget* parent = nullptr);
  void setPages(const QStringList& names);
  void setCurrent(int index);
  int current() const;
  /// Shows `tools` at the right end; the caller keeps the ownership.
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
