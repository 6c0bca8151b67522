#pragma once

#include <QString>

#include <string>
#include <string_view>

/// All text that may come from a file passes these functions before the window shows it. They never return text that Qt
/// would treat as rich text, that reorders or hides the text around it, or that is long, so the work for a label, a row
/// or a tool tip does not depend on the file. The rules are those of core (core/base/text.h).
namespace blobscope::ui {

/// Limits in characters for a line, a text of several lines and a tool tip, without the note about omitted text; and in
/// lines for a block.
constexpr qsizetype kLineCharacters = 1'000, kTextCharacters = 4'000, kTipCharacters = 2'000, kBlockLines = 30;

/// Converts text that core made for people (names in it are already escaped and shortened) to one line: cells,
/// sentences, numbers.
QString toQt(std::string_view text);
/// Does the same for text of several lines.
QString linesToQt(std::string_view text);
/// Converts a name as it is stored in the file: escaped and cut to a few hundred characters.
QString nameToQt(std::string_view name);
/// Converts every byte unchanged; bytes that are not UTF-8 become U+FFFD. Not for labels: for the clipboard, editors,
/// paths and comparisons.
QString wholeToQt(std::string_view text);
inline std::string fromQt(const QString& text) { return text.toStdString(); }

/// Returns one line for labels, tabs, titles and accessible names. Leaves what toQt() returned unchanged.
QString plainLine(const QString& text);
/// Returns several lines, for labels that wrap and for message boxes.
QString plainLines(const QString& text);
/// Returns several lines that are short enough for a box or a tool tip, at most kBlockLines.
QString plainBlock(const QString& text);
/// For setToolTip, QToolTip and Qt::ToolTipRole: line feeds stay, long lines are broken, and what Qt would treat as
/// rich text is escaped, because tool tips have no text format setting. Must not be applied to its own result.
QString plainTip(const QString& text);
/// Returns what a model returns for `role`, which must be a text role: plainTip() for the tool tip, else `text`.
QString shownAs(int role, const QString& text);
/// For actions, menus, buttons and tabs, where an ampersand marks the next letter as the shortcut.
QString plainAction(const QString& text);

/// Returns a name for a file on any system: never a folder, a path, a hidden file or a name that a system reserves,
/// at most 100 characters. The extension stays.
QString safeFileName(const QString& text);

} // namespace blobscope::ui
