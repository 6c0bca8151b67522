#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>

namespace blobscope::ui {

/// What a colour is for. Every colour of the program is one of these; no other file holds a colour.
enum class Role {
  Window,
  Base,
  Alternate,
  Raised,
  Header,
  Rule,
  ControlBorder,
  Text,
  Secondary,
  Faint,
  Accent,
  OnAccent,
  Selection,
  InactiveSelection,
  Hover,
  Error,
  ErrorBackground,
  Warning,
  WarningBackground,
  Note,
  NoteBackground,
  Ok,
  OkBackground,
  Added,
  AddedLine,
  AddedWord,
  Removed,
  RemovedLine,
  RemovedWord,
  Changed,
  ChangedLine,
  ChangedWord,
  Moved,
  MovedLine,
  MovedWord,
  Found,
  FoundCurrent,
  KindContainer,
  KindHost,
  KindDevice,
  KindVm,
  KindData,
  KindUnknown,
  CodeKeyword,
  CodeType,
  CodeNumber,
  CodeString,
  CodeComment,
  CodeRegister,
  CodeLabel,
  FieldLength,
  FieldText,
  FieldTypeKey,
  FieldNumber,
  FieldOffset,
  FieldTypeCode,
  FieldPadding,
  FieldPayload,
  Count
};

/// Text sizes relative to the system font.
enum class TextRole { FileName, Heading, Body, Secondary, Chip, Code };

/// All colours and sizes of one look. A value; read at paint time, so that a switch needs only update().
class Theme {
public:
  static Theme light();
  static Theme dark();

  QColor color(Role role) const { return m_colors[static_cast<std::size_t>(role)]; }
  /// Strength of a hex field's tint: of the role's colour over the base.
  double fieldTint(bool selected) const { return selected ? 0.34 : m_dark ? 0.20 : 0.14; }
  bool isDark() const { return m_dark; }
  QPalette palette() const;

private:
  Theme(bool dark, const std::array<const char*, static_cast<std::size_t>(Role::Count)>& colors);
  std::array<QColor, static_cast<std::size_t>(Role::Count)> m_colors;
  bool m_dark;
};

/// The theme that windows are painted with. GUI thread only.
const Theme& theme();
/// Makes `next` the theme: sets the application palette and repaints every widget, also those that are not shown.
void setTheme(const Theme& next);
/// Whether the system asks for light text on dark, whatever theme is set.
bool systemIsDark();

/// The system font at the role's size and weight; Code is the first of the preferred monospaced families that is there.
QFont textFont(TextRole role);

/// Heights and gaps in device-independent pixels. Rows grow with the font.
namespace metrics {
constexpr int kGap = 4;
constexpr int kToolBar = 42, kStatusBar = 26, kTabs = 34, kPageBar = 38, kDockTitle = 32, kBanner = 38, kStrip = 30;
constexpr int kIcon = 16, kTextLine = 18, kHexLine = 21, kFieldRow = 22, kIndent = 12;
constexpr int kDialogMargin = 20; ///< at the sides of a dialog
/// 24 or more, for trees and tables.
int rowHeight();
} // namespace metrics

} // namespace blobscope::ui
