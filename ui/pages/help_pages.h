#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

namespace blobscope::ui {

/// Help texts, in resources/help: one page per topic. Line 1 is the title, the first paragraph one sentence. For a term
/// of the glossary, that sentence is only in glossary.md; the page shows it where it has the line "<!-- glossary -->".
namespace help {

/// Returns the page as Markdown: "# Era\n\n…"; the index for a topic that has no page.
QString page(const QString& topic);
bool exists(const QString& topic);
/// Returns "Era".
QString title(const QString& topic);
/// Returns the sentence of the topic, which is also its tool tip: from the glossary, or else the one below the title.
/// Empty for a topic that has no page.
QString sentence(const QString& topic);

/// Returns the topic whose page describes the rule with this id, for example "mlf-rules"; empty for no rule.
QString topicOfRule(const QString& id);

/// A row of the glossary.
struct Term {
  QString name;     ///< for example "Import tree"
  QString topic;    ///< of its page; empty when it has none
  QString sentence; ///< without Markdown
};
/// Returns the terms in the order of the glossary.
QVector<Term> glossary();
/// Returns all topics, sorted.
QStringList topics();

} // namespace help
} // namespace blobscope::ui
