#pragma once

#include <QHash>
#include <QVector>
#include <QWidget>

class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace blobscope::ui {

/// A strip of 30 pixels with the names of its panels; a click opens the panel above the strip, a second click closes
/// it.
class BottomPanel : public QWidget {
  Q_OBJECT
public:
  explicit BottomPanel(QWidget* parent = nullptr);
  /// Adds a panel, which then belongs to this widget, and its name to the strip.
  void addPanel(const QString& name, QWidget* panel);
  /// A number with an icon after the name, such as "2" errors. An empty list removes them.
  struct Badge {
    QString icon;
    int role;
    QString text;
  };
  void setBadges(QWidget* panel, const QVector<Badge>& badges);
  void openPanel(QWidget* panel);
  void closePanel();
  bool isOpen() const;
  /// Returns the open panel, or the one that was open last.
  QWidget* current() const;

Q_SIGNALS:
  /// The panel was opened or closed, so the required height has changed.
  void toggled(bool open);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  class Tab;
  QHash<QWidget*, Tab*> m_tabs; ///< by panel
  QHBoxLayout* m_strip;
  QToolButton* m_close;
  QStackedWidget* m_stack;
};

} // namespace blobscope::ui
