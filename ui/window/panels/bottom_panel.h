#pragma once

#include <QHash>
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
  /// Adds a panel, which then belongs to this widget, with its name in the strip.
  void addPanel(const QString& name, QWidget* panel);
  /// A number with an icon behind the name, such as "2" errors. An empty list takes them away.
  struct Badge {
    QString icon;
    int role;
    QString text;
  };
  void setBadges(QWidget* panel, const QVector<Badge>& badges);
  void openPanel(QWidget* panel);
  void closePanel();
  bool isOpen() const;
  /// The panel that is open, or that was open last.
  QWidget* current() const;

Q_SIGNALS:
  /// The height it needs has changed.
  void toggled(bool open);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  class Tab;
  QHash<QWidget*, Tab*> m_tabs; ///< of the panels
  QHBoxLayout* m_strip;
  QToolButton* m_close;
  QStackedWidget* m_stack;
};

} // namespace blobscope::ui
