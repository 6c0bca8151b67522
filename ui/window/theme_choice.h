#pragma once

namespace blobscope::ui {

/// The colours that the user selected. Stored in the settings; System by default.
enum class ThemeChoice { System, Light, Dark };

ThemeChoice themeChoice();
/// Stores the choice without applying it.
void storeTheme(ThemeChoice choice);
/// Stores the choice and applies it to all windows.
void chooseTheme(ThemeChoice choice);
/// Applies the stored choice: at startup, and when the system's colours have changed.
void applyThemeChoice();

} // namespace blobscope::ui
