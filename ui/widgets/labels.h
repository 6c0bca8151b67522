#pragma once

#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QFrame>
#include <QLabel>

#include <optional>

namespace blobscope::ui {

/// A label that shows text as plain text and shortened. Text wider than the label ends with "…", and no text makes a
/// window wider than the screen.
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

/// A label in a text size and colour of the theme; its text can be selected and copied.
class ThemeLabel : public PlainLabel {
  Q_OBJECT
public:
  ThemeLabel(const QString& text, TextRole size, Role color, QWidget* parent = nullptr);
  void setRole(Role color);
  /// Lets the label have any width, however long its text is.
  void setElided();

protected:
  bool event(QEvent* event) override;

private:
  void updateColor();
  Role m_color;
};

/// A label with a dotted underline: a term with an explanation. The tool tip explains it in one sentence, F1 opens the
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

/// A button that looks like a link: accent colour, underlined under the mouse, a frame when it has the keyboard focus.
class LinkButton : public QAbstractButton {
  Q_OBJECT
public:
  explicit LinkButton(const QString& text, QWidget* parent = nullptr);
  /// Uses the code font, as for offsets.
  void setCode(bool code);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  TextRole m_size = TextRole::Body;
};

/// A box with a background colour and round corners, or with a bar of 3 pixels at its left.
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

/// Fills a bar above a page and draws the line at its lower edge.
void paintBar(QWidget& bar, Role background);

/// A line of one pixel.
class Rule : public QWidget {
  Q_OBJECT
public:
  explicit Rule(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent* event) override;
};

} // namespace blobscope::ui
