#pragma once

#include "ui/theme/theme.h"

#include <QEvent>
#include <QFont>
#include <QString>

class QAbstractItemView;

namespace blobscope::ui {

/// The text of the pages, that is of code, bytes and tables, as the user chose it. All other text has the size of the
/// system font.
struct ContentText {
  QString family;    ///< of code and bytes; empty: the first of the preferred families that is installed
  double points = 0; ///< size of tables, code is a little smaller; 0: the size of the system font
  int zoom = 100;    ///< percent

  static constexpr double kMinimumPoints = 5, kMaximumPoints = 40;
  static constexpr int kMinimumZoom = 50, kMaximumZoom = 300;
  friend bool operator==(const ContentText&, const ContentText&) = default;
};

/// The text that pages are painted with. GUI thread only.
const ContentText& contentText();
/// Sets it and lays out all pages again; values outside the limits are limited.
void setContentText(const ContentText& next);
/// Returns the next zoom in percent, above or below `zoom`.
int nextZoom(int zoom, bool larger);

/// Returns textFont() in the size of the pages.
QFont contentFont(TextRole role);
/// Returns the font of code beside text in the font `text`.
QFont codeFontBeside(const QFont& text);
/// Returns the height of a row of a table in this font, at least 24.
int rowHeightFor(const QFont& font);

/// The event that every widget gets when contentText() has changed.
QEvent::Type contentTextEvent();
/// Keeps the view in the font of the pages, with rows of the right height. Ctrl and the wheel change the zoom: the view
/// leaves these events to the window.
void followContentText(QAbstractItemView& view);

} // namespace blobscope::ui
