#pragma once

#include <QVector>
#include <QWidget>

class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace blobscope::ui {

/// A strip of 30 pixels with the names of its panels; a click opens the panel above the status bar, another closes it.
class BottomPanel : public QWidget {
  Q_OBJECT
public:
  explicit BottomPanel(QWidget* parent = nullptr);
  /// The panel's name in the strip; returns its number.
  int addPanel(const QString& name, QWidget* panel);
  /// A number with an icon behind the name, such as "2" errors. An empty list takes them away.
  struct Badge {
    QString icon;
    int role;
    QString text;
  };
  void setBadges(int panel, const QVector<Badge>& badges);
  void openPanel(int panel);
  void closePanel();
  bool isOpen() const;
  int current() const;

Q_SIGNALS:
  /// The height it needs has changed.
  void toggled(bool open);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  class Tab;
  QVector<Tab*> m_tabs;
  QHBoxLayout* m_strip;
  QToolButton* m_close;
  QStackedWidget* m_stack;
};

} // namespace blobscope::ui
