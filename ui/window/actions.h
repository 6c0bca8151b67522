#pragma once

#include <QAction>
#include <QVector>

#include <array>

class QMenu;
class QMenuBar;

namespace blobscope::ui {

/// All actions of the window. Menus, shortcuts and the command palette are built from the one table in actions.cpp.
enum class ActionId {
  Open,
  OpenFolder,
  OpenRecent,
  Reload,
  Compare,
  CompareChanges,
  Check,
  CheckCode,
  CheckFolder,
  FixFindings,
  SaveFindings,
  Save,
  Repack,
  SaveBytes,
  SaveTensor,
  SavePicture,
  ExportFolder,
  CloseTab,
  CloseOtherTabs,
  KeepTab,
  Quit,
  Undo,
  Redo,
  RevertAll,
  EditText,
  ReplaceFile,
  Rename,
  Imports,
  AddModule,
  AddMember,
  Thin,
  Grow,
  Remove,
  Copy,
  CopyReference,
  CopyDetails,
  FindHere,
  ReplaceHere,
  FindNext,
  FindPrevious,
  FindEverywhere,
  OpenPreferences,
  ShowContents,
  ShowDetails,
  ShowBottom,
  ShowChanges,
  ZoomIn,
  ZoomOut,
  ZoomReset,
  SwitchTheme,
  FollowSystem,
  FullScreen,
  Back,
  Forward,
  Palette,
  GoTo,
  NextTab,
  PreviousTab,
  ListTabs,
  NextProblem,
  PreviousProblem,
  NextPanel,
  PreviousPanel,
  ToPage,
  Run,
  RunModel,
  BuildArchive,
  RunAgain,
  ReadSignatures,
  Devices,
  Minimize,
  NextWindow,
  PreviousWindow,
  Help,
  HelpIndex,
  About,
  Count
};

class Actions {
public:
  /// Creates all actions, as children of `window`, and its menus.
  Actions(QWidget* window, QMenuBar* menus);
  QAction* operator[](ActionId id) const { return m_actions[static_cast<std::size_t>(id)]; }
  /// Returns the actions in the order of the table.
  const std::array<QAction*, static_cast<std::size_t>(ActionId::Count)>& all() const { return m_actions; }
  /// Returns the Window menu, which lists the windows after its actions.
  QMenu& windowMenu() const { return *m_windowMenu; }

private:
  QMenu* m_windowMenu = nullptr;
  std::array<QAction*, static_cast<std::size_t>(ActionId::Count)> m_actions = {};
};

} // namespace blobscope::ui
