#pragma once

#include <QString>
#include <QStringList>

namespace blobscope::ui {

/// Help texts, in resources/help: one page per topic. Line 1 is the title, the first paragraph one sentence that is
/// also the tool tip of the word, so that both say the same.
namespace help {

/// "# Era\n\n…" as Markdown; the index for a topic that has no page.
QString page(const QString& topic);
bool exists(const QString& topic);
/// "Era".
QString title(const QString& topic);
/// The sentence below the title, empty for a topic that has no page.
QString sentence(const QString& topic);
/// All topics, sorted.
QStringList topics();

} // namespace help
} // namespace blobscope::ui
