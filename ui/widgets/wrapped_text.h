#pragma once

#include "ui/theme/theme.h"

#include <QStringList>
#include <QWidget>

class QToolButton;

namespace blobscope::ui {

/// Breaks a text at its line feeds and at `width` pixels; between words if possible; at most `limit`
/// lines, the last of which ends with "…" if there are more.
QStringList wrappedLines(const QString& text, const QFont& font, int width, int limit);

/// The words of a program in the code font, in a box with a bar at its start and a button that copies them. Long lines
/// are wrapped, also inside words; a long text ends with "…", and is copied whole.
class CodeBox : public QWidget {
  Q_OBJECT
public:
  /// `whole`: what is copied.
  CodeBox(const QString& text, QString whole, Role background, Role bar, QWidget* parent = nullptr);
  QString text() const { return m_text; }
  QToolButton& copyButton() const { return *m_copy; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return {400, heightForWidth(400)}; }
  QSize minimumSizeHint() const override { return {200, heightForWidth(1'000)}; }

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  QStringList linesAt(int width) const;

  QString m_text;
  Role m_background, m_bar;
  QToolButton* m_copy;
};

} // namespace blobscope::ui
