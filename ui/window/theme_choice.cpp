#include "ui/window/theme_choice.h"

#include "ui/theme/theme.h"

#include <QSettings>
#include <QString>

namespace blobscope::ui {
namespace {

const QString kThemeKey = QStringLiteral("theme"), kLightWord = QStringLiteral("light"),
              kDarkWord = QStringLiteral("dark"), kSystem = QStringLiteral("system");

} // namespace

ThemeChoice themeChoice() {
  const QString stored = QSettings().value(kThemeKey).toString();
  return stored == kLightWord ? ThemeChoice::Light : stored == kDarkWord ? ThemeChoice::Dark : ThemeChoice::System;
}

void storeTheme(ThemeChoice choice) {
  QSettings().setValue(kThemeKey, choice == ThemeChoice::Light  ? kLightWord
                                  : choice == ThemeChoice::Dark ? kDarkWord
                                                                : kSystem);
}

void chooseTheme(ThemeChoice choice) {
  storeTheme(choice);
  applyThemeChoice();
}

void applyThemeChoice() {
  const ThemeChoice choice = themeChoice();
  const bool dark = choice == ThemeChoice::System ? systemIsDark() : choice == ThemeChoice::Dark;
  setTheme(dark ? Theme::dark() : Theme::light());
}

} // namespace blobscope::ui
