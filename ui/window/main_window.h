#pragma once

#include "core/base/ref.h"
#include "ui/session/document.h"
#include "ui/widgets/banner.h"
#include "ui/window/actions.h"
#include "ui/window/drop_area.h"
#include "ui/window/node_menu.h"
#include "ui/window/node_tabs.h"

#include <QMainWindow>
#include <QStackedWidget>
#include <QTabBar>
#include <QTreeView>

#include <memory>

namespace blobscope::ui {

class BottomPanel;
class ChangesPanel;
class Checking;
class Comparing;
class ContentsPanel;
class DetailsPanel;
class Editing;
class FindField;
class HelpWindow;
class NodeView;
class PageWidget;
class ProblemsPanel;
class ProgressStrip;
class Running;
class SearchPanel;
class Saving;
class StartPage;
class StatusLine;

/// One window, one document: contents at the left, tabs of nodes in the middle, details at the right, problems and
/// search results below.
class MainWindow : public QMainWindow {
  Q_OBJECT
public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens the file here when nothing is open or an untouched sample, else in a new window.
  void openFile(const QString& path);
  /// Opens the first here, as above, the others in windows of their own.
  void openFiles(const QStringList& paths);
  /// What to go to when the file is open: a REF as on the command line.
  void openAt(const Ref& ref) { m_openAt = ref; }
  Document& document() { return m_document; }
  /// Shows a node (a part of one, or bytes: a ref with "@") in its tab; remembered for back and forward.
  void navigate(const Ref& ref, const QString& page = {}, TabKind kind = TabKind::Preview);
  Banner& banner() { return *m_banner; }
  Comparing& comparing() { return *m_comparing; }

protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

private:
  /// A dock at a side, which is hidden while the window is narrow or a comparison is in front.
  struct SideDock {
    ActionId action;        ///< shows and hides it
    int width, narrow;      ///< pixels: of the dock at first; of windows below which it is hidden
    QDockWidget* dock = {}; ///< filled in by makeDocks()
    bool shownBefore = {};  ///< the comparison
  };

  void makeCentre();
  void makeTabs();
  QDockWidget* makeDock(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area);
  void makeContents();
  void makeDetails();
  void makeBottom();
  void connectBottom();
  void makeToolBar();
  void makeParts();
  template <class Function> void on(ActionId id, Function run);
  void connectFileActions();
  void connectViewActions();
  void connectFindActions();
  void connectHelpActions();
  void connectShortcuts();
  void connectDocument();
  std::array<SideDock*, 2> sideDocks() { return {&m_contentsDock, &m_detailsDock}; }

  void showOpened();
  void showEdited(const Document::State& before);
  /// Problems and pending changes of the present state.
  void showFindings();
  void showBadges();
  /// A comparison takes the whole width.
  void makeRoom(bool wide);
  void showFailure(const QString& path, const QString& message);
  bool isUntouchedSample() const;
  MainWindow* makeOther();
  void openElsewhere(const QString& path);
  /// What can be done with files that are dragged over the window.
  QVector<DropArea::Choice> dropChoices(const QStringList& paths);
  void showDocks();
  void updateProgress(const QString& tag);
  void cancelWork();

  NodeView* currentView() const;
  PageWidget* currentPage() const;
  /// The part that was chosen, else what was gone to.
  Ref place() const;
  /// What actions are about: the node that is shown, or what is selected in it.
  const Ref& selection() const { return m_chosen; }
  void nodeChosen(const Ref& ref, bool open);
  void choose(const Ref& ref);
  void connectMenus();

  void chooseFile();
  void chooseFolder();
  void openPalette();
  void openHelp(const QString& topic);
  void switchTheme();
  void updateThemeAction();
  /// Where the window was when the program ended, or 1440 × 900, as far as the screens of now allow.
  void placeAtStart();
  /// Below and right of the other window, inside its screen.
  void placeBeside(const MainWindow& other);
  /// Moves a window that placeAtStart() or placeBeside() placed, now that its frame is known.
  void fitFrame();
  void copy();
  void stepPanel(int by);
  QVector<QWidget*> panels() const;
  void updateState();
  void updateCompactness();

  Document m_document;
  std::optional<Ref> m_openAt;
  std::optional<check::Issue> m_leadingProblem; ///< whose bytes are being gone to
  Ref m_chosen;                                 ///< what is shown, or selected in Contents or on the page in front
  bool m_picked = false;                        ///< the latter
  bool m_touched = false;                       ///< the user went somewhere in this file
  bool m_wide = false;                          ///< the docks are hidden while a comparison is in front
  Actions m_actions;

  Saving* m_saving = nullptr;
  Editing* m_editing = nullptr;
  Checking* m_checking = nullptr;
  Comparing* m_comparing = nullptr;
  Running* m_running = nullptr;
  ContentsPanel* m_contents = nullptr;
  DetailsPanel* m_details = nullptr;
  ProblemsPanel* m_problems = nullptr;
  SearchPanel* m_search = nullptr;
  BottomPanel* m_bottom = nullptr;
  ChangesPanel* m_changes = nullptr;
  SideDock m_contentsDock = {ActionId::ShowContents, 300, 960};
  SideDock m_detailsDock = {ActionId::ShowDetails, 308, 1180};
  QDockWidget* m_bottomDock = nullptr;

  QStackedWidget* m_centre = nullptr;
  StartPage* m_start = nullptr;
  DropArea* m_drop = nullptr;
  std::unique_ptr<NodeMenu> m_menus;
  NodeTabs* m_tabs = nullptr;
  QWidget* m_bannerBox = nullptr;
  Banner* m_banner = nullptr;
  ProgressStrip* m_progress = nullptr;
  QString m_progressTag; ///< of the work that the strip shows
  QToolBar* m_toolBar = nullptr;
  StatusLine* m_status = nullptr;
  Document::StatePtr m_statusState; ///< that the status line shows
  HelpWindow* m_help = nullptr;
  QRect m_ownPlace; ///< without the frame
};

} // namespace blobscope::ui
