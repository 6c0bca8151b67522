#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

namespace blobscope::ui {

/// One line of text that can shrink: what does not fit is omitted in the middle, and the tool tip shows the whole text.
class ElidedLabel : public QWidget {
  Q_OBJECT
public:
  ElidedLabel(TextRole size, Role color, bool bold, QWidget* parent = nullptr);
  void setText(const QString& text);
  const QString& text() const { return m_text; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QFont labelFont() const;

  TextRole m_size;
  Role m_color;
  bool m_bold;
  QString m_text;
};

} // namespace blobscope::ui
