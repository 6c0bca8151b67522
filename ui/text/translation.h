#pragma once

#include <QString>
#include <QStringList>

namespace blobscope::ui {

/// Key of the setting with the language of the window: a code such as "de"; empty or absent for that of the system.
inline constexpr char kLanguageKey[] = "language";

/// Returns the codes of the languages of the window: "en", and those whose translation is built into the program.
QStringList languages();
/// Returns the language of `wanted` (codes such as "de" or "pt-BR", best first) in which the window is shown: the first
/// one that `available` contains, else "en".
QString chooseLanguage(const QStringList& wanted, const QStringList& available);
/// Shows windows that are made from now on in the language of `setting` (see kLanguageKey), with the texts of Qt's own
/// dialogs if Qt's translation is installed. Dates follow the language, numbers do not: they have the separators that
/// core writes. For a program's start, before it makes widgets. Returns the chosen language.
QString installTranslation(const QString& setting);

} // namespace blobscope::ui
