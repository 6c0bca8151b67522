#pragma once

namespace blobscope::ui {

/// Which colours the user wants. Stored in the settings; System unless something else was chosen.
enum class ThemeChoice { System, Light, Dark };

ThemeChoice themeChoice();
/// Stores the choice and shows it in all windows.
void chooseTheme(ThemeChoice choice);
/// Shows the stored choice: at the start, and when the system's colours are others.
void applyThemeChoice();

} // namespace blobscope::ui
