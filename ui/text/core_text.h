#pragma once

#include <QString>

#include <array>
#include <span>
#include <string_view>

namespace blobscope::ui {

/// Returns text that core made for people, as toQt() does, but in the language of the window if it is one of core's
/// fixed texts (coreWords()): the name of a page, the title of a column, a label, a note, a step. Not for names and
/// values, which come from files: a kernel may have the name of a column. The first letter may be a capital, and
/// numbers may differ from those in the list: "Argument 3" is found as "Argument %1".
QString coreText(std::string_view text);

/// The fixed texts of core that the window shows, in English, with %1, %2 … for numbers. They are translated in the
/// context "core". Findings, sentences about a file and values are not among them: they are the same in every language,
/// in the window and on the command line.
std::array<std::span<const char* const>, 2> coreWords();
/// Whether coreText() finds the text in coreWords().
bool isCoreWord(std::string_view text);

} // namespace blobscope::ui
