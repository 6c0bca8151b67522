#pragma once

#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QFrame>
#include <QLabel>

#include <optional>

namespace blobscope::ui {

/// A label that shows text as it is: never as rich text, and cut. What is wider than the label ends with "…", and no
/// text makes a window wider than the screen.
class PlainLabel : public QLabel {
  Q_OBJECT
public:
  explicit PlainLabel(const QString& text, QWidget* parent = nullptr);
  explicit PlainLabel(QWidget* parent = nullptr) : PlainLabel({}, parent) {}
  void setText(const QString& text);
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;
};

/// A label in a text size and colour of the theme; its words can be selected and copied.
class ThemeLabel : public PlainLabel {
  Q_OBJECT
public:
  ThemeLabel(const QString& text, TextRole size, Role color, QWidget* parent = nullptr);
  void setRole(Role color);
  /// Takes any width, however long its text is.
  void setElided();

protected:
  bool event(QEvent* event) override;

private:
  void updateColor();
  Role m_color;
};

/// A label with a dotted line below: a word with an explanation. The tool tip says it in one sentence, F1 opens the
/// page `topic`.
class TermLabel : public ThemeLabel {
  Q_OBJECT
public:
  TermLabel(const QString& text, const QString& topic, const QString& sentence, QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent* event) override;
};

/// An icon in a colour of the theme.
class IconLabel : public QWidget {
  Q_OBJECT
public:
  IconLabel(QString name, Role role, int size, QWidget* parent = nullptr);
  void setIcon(const QString& name, Role role);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QString m_name;
  Role m_role;
  int m_size;
};

/// Words that are a button: accent colour, underlined under the mouse, a frame with the keyboard focus.
class LinkButton : public QAbstractButton {
  Q_OBJECT
public:
  explicit LinkButton(const QString& text, QWidget* parent = nullptr);
  /// In the code font, as offsets are.
  void setCode(bool code);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  TextRole m_size = TextRole::Body;
};

/// A box in a background colour, round, or with a bar of 3 pixels at its left.
class Panel : public QFrame {
  Q_OBJECT
public:
  Panel(Role background, std::optional<Role> bar, QWidget* parent = nullptr);
  void setRoles(Role background, std::optional<Role> bar);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  Role m_background;
  std::optional<Role> m_bar;
};

/// A rule of one pixel.
class Rule : public QWidget {
  Q_OBJECT
public:
  explicit Rule(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent* event) override;
};

} // namespace blobscope::ui
