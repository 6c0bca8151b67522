#pragma once

#include "core/base/text.h"
#include "ui/theme/content_text.h"
#include "ui/window/theme_choice.h"

#include <QString>
#include <QVector>

#include <cstdint>
#include <optional>

namespace blobscope::ui {

/// What the user chose in the Preferences dialog. A value; stored in the settings, where anything may have changed it,
/// so load() ignores what is not valid.
struct Preferences {
  ThemeChoice theme = ThemeChoice::System;
  QString codeFamily; ///< empty: chosen by the program
  double points = 0;  ///< size of the pages' text; 0: the size of the system font
  SizeUnits units = SizeUnits::Binary;
  QString memory;             ///< memory for unpacking a file, as for --memory; empty: depends on the file
  QString cudaTools;          ///< folder that is searched first for nvdisasm and NVRTC
  QString tvmRuntime;         ///< suggested for runs of whole models
  QString language;           ///< of the interface, for example "de"; empty: that of the system
  bool reopenFiles = false;   ///< at the next start without a file
  bool reuseInstance = false; ///< a second start opens its files in the running program

  static Preferences load();
  void store() const;
  /// Returns `memory` in bytes; nullopt if it is empty or invalid.
  std::optional<uint64_t> memoryBytes() const;
  friend bool operator==(const Preferences&, const Preferences&) = default;
};

/// A language that the interface can have.
struct Language {
  QString code; ///< "de"
  QString name; ///< in that language: "Deutsch"
};
/// Returns the languages of the installed translations, and English, sorted by name. Translations are the resources
/// `:/i18n/blobscope_CODE.qm`.
QVector<Language> availableLanguages();

/// Applies the preferences at startup, before there are windows and threads; the language is that of
/// installTranslation().
void applyPreferencesAtStart(const Preferences& preferences);
/// Applies changed preferences to all windows. The language, the units and the folder of the CUDA tools apply to the
/// next start.
void applyPreferences(const Preferences& before, const Preferences& now);

/// Stores the zoom of the pages and applies it to all windows.
void chooseZoom(int percent);

} // namespace blobscope::ui
