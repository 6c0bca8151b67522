#pragma once

#include <QProxyStyle>

class QStyleOptionComboBox;
class QStyleOptionSpinBox;

namespace blobscope::ui {

/// The Fusion style with custom panels: flat line edits and buttons, thin scroll bars, one-pixel rules, an accent focus
/// ring. Colours come from the theme at paint time.
class Style : public QProxyStyle {
  Q_OBJECT
public:
  Style();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* returnData) const override;
  QIcon standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const override;
  QPixmap standardPixmap(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget) const override;
  void polish(QWidget* widget) override;
  using QProxyStyle::polish;

private:
  void drawSpinBox(const QStyleOptionSpinBox& option, QPainter* painter, const QWidget* widget) const;
  void drawEditableBox(const QStyleOptionComboBox& option, QPainter* painter, const QWidget* widget) const;
};

} // namespace blobscope::ui
