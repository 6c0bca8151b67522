#pragma once

#include <QStringList>
#include <QVector>
#include <QWidget>

#include <functional>

class QDropEvent;
class QMimeData;

namespace blobscope::ui {

/// Lies over a window while files are dragged over it: one area per thing that can be done with them, side by side.
class DropArea : public QWidget {
  Q_OBJECT
public:
  struct Choice {
    QString title, detail; ///< plain text
    std::function<void()> act;
  };
  /// What can be done with files; asked when they are dragged in.
  using Choices = std::function<QVector<Choice>(const QStringList& paths)>;

  DropArea(Choices choices, QWidget* window);
  /// Events of the window. Only files of this machine are accepted.
  void enter(QDropEvent& event);
  void move(QDropEvent& event);
  void leave() { hide(); }
  void drop(QDropEvent& event);
  /// The area under a point of the window; the nearest one beside them.
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
