#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>

namespace blobscope::ui {

/// The purpose of a colour. Every colour of the program has one of these roles; no other file contains a colour.
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

/// All colours and sizes of one theme. A value; read at paint time, so that a switch needs only update().
class Theme {
public:
  static Theme light();
  static Theme dark();

  QColor color(Role role) const { return m_colors[static_cast<std::size_t>(role)]; }
  /// Returns the opacity of a hex field's tint: the role's colour over the base.
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
/// Makes `next` the theme: sets the application palette and repaints every widget, including hidden ones.
void setTheme(const Theme& next);
/// Whether the system requests light text on dark, whichever theme is set.
bool systemIsDark();

/// Returns the system font at the role's size and weight; for Code, the family that the user chose or the first of the
/// preferred monospaced families that is installed.
QFont textFont(TextRole role);

/// Heights and spacing in device-independent pixels. Rows grow with the font.
namespace metrics {
constexpr int kGap = 4;
constexpr int kToolBar = 42, kStatusBar = 26, kTabs = 34, kPageBar = 38, kDockTitle = 32, kBanner = 38, kStrip = 30;
constexpr int kIcon = 16, kTextLine = 18, kHexLine = 21, kFieldRow = 22, kIndent = 12;
constexpr int kDialogMargin = 20; ///< at the sides of a dialog
/// At least 24, for trees and tables.
int rowHeight();
} // namespace metrics

} // namespace blobscope::ui
