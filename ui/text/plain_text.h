#pragma once

#include <QString>

#include <string>
#include <string_view>

/// The one way from text that may come from a file to what the window shows. Nothing here returns text that Qt takes
/// for rich text, that reorders or hides what is around it, or that is long: the work of a label, a row or a tool tip
/// does not depend on the file. The rules are core's (core/base/text.h).
namespace blobscope::ui {

/// Characters of a line, of a text of several lines and of a tool tip, besides the note of what is left out.
constexpr qsizetype kLineCharacters = 1'000, kTextCharacters = 4'000, kTipCharacters = 2'000, kBlockLines = 30;

/// Text that core made for people (names in it are escaped and cut already), on one line: cells, sentences, numbers.
QString toQt(std::string_view text);
/// The same for text of several lines.
QString linesToQt(std::string_view text);
/// A name as it lies in the file, escaped and cut to a few hundred characters.
QString nameToQt(std::string_view name);
/// Every byte, as it is; bytes that are not UTF-8 become U+FFFD. Not for labels: for the clipboard, for editors, for
/// paths and for what is compared.
QString wholeToQt(std::string_view text);
inline std::string fromQt(const QString& text) { return text.toStdString(); }

/// One line for labels, tabs, titles and accessible names. What toQt() returned stays as it is.
QString plainLine(const QString& text);
/// Several lines, for labels that wrap and for message boxes.
QString plainLines(const QString& text);
/// The same in lines short enough for a box or a tool tip, at most kBlockLines.
QString plainBlock(const QString& text);
/// For setToolTip, QToolTip and Qt::ToolTipRole: line feeds stay, long lines are broken, and what Qt would take for
/// rich text is escaped, because tool tips have no format of their own. Not to be called on what it returned.
QString plainTip(const QString& text);
/// What a model returns for `role`, which is of those that are text: plainTip() for the tool tip, else `text`.
QString shownAs(int role, const QString& text);
/// For actions, menus, buttons and tabs, where an ampersand marks the next letter.
QString plainAction(const QString& text);

} // namespace blobscope::ui
