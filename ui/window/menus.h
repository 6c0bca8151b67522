#pragma once

class QMenu;

namespace blobscope::ui {

class MainWindow;

/// Fills the menu with the files that were opened last when it opens. Missing files are listed as such.
void connectRecentMenu(QMenu& menu, MainWindow& window);

/// Lists the windows of the program after the actions of the menu when it opens.
void connectWindowMenu(QMenu& menu, MainWindow& window);

} // namespace blobscope::ui
