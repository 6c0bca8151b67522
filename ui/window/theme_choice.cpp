#include "ui/window/theme_choice.h"

#include "ui/theme/theme.h"

#include <QSettings>
#include <QString>

namespace blobscope::ui {
namespace {

const QString kKey = QStringLiteral("theme"), kLight = QStringLiteral("light"), kDark = QStringLiteral("dark"),
              kSystem = QStringLiteral("system");

} // namespace

ThemeChoice themeChoice() {
  const QString stored = QSettings().value(kKey).toString();
  return stored == kLight ? ThemeChoice::Light : stored == kDark ? ThemeChoice::Dark : ThemeChoice::System;
}

void storeTheme(ThemeChoice choice) {
  QSettings().setValue(kKey, choice == ThemeChoice::Light ? kLight : choice == ThemeChoice::Dark ? kDark : kSystem);
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
