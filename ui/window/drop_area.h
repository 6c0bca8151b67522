#pragma once

#include <QStringList>
#include <QVector>
#include <QWidget>

#include <functional>

class QDropEvent;
class QMimeData;

namespace blobscope::ui {

/// Covers a window while files are dragged over it: one area for each possible action, side by side.
class DropArea : public QWidget {
  Q_OBJECT
public:
  struct Choice {
    QString title, detail; ///< plain text
    std::function<void()> act;
  };
  /// Returns what can be done with files; called when they are dragged in.
  using Choices = std::function<QVector<Choice>(const QStringList& paths)>;

  DropArea(Choices choices, QWidget* window);
  /// Handle events of the window. Only local files are accepted.
  void enter(QDropEvent& event);
  void move(QDropEvent& event);
  void leave() { hide(); }
  void drop(QDropEvent& event);
  /// Returns the area at a point of the window, or the nearest one.
  int choiceAt(QPoint point) const;

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  static QStringList pathsOf(const QMimeData& data);
  QRect rectOf(int choice) const;

  Choices m_make;
  QVector<Choice> m_choices;
  int m_active = 0;
};

} // namespace blobscope::ui
