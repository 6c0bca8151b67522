#pragma once

#include "core/base/ref.h"
#include "ui/session/document.h"
#include "ui/session/saved_session.h"
#include "ui/widgets/banner.h"
#include "ui/window/actions.h"
#include "ui/window/drop_area.h"
#include "ui/window/node_menu.h"
#include "ui/window/node_tabs.h"

#include <QMainWindow>
#include <QPointer>
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
class FilesChecking;
class FindField;
class HelpWindow;
struct OpenRequest;
class NodeView;
class PageWidget;
class PartFiles;
class Fixing;
class ProblemsPanel;
class ProgressStrip;
class Running;
class SearchPanel;
class Saving;
class StartPage;
class StatusLine;

/// One window, one document: contents at the left, tabs of nodes in the middle, details at the right, problems and
/// search results at the bottom.
class MainWindow : public QMainWindow {
  Q_OBJECT
public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens the file in this window if nothing or an untouched sample is open, else in a new window.
  void openFile(const QString& path);
  /// Opens the first file as openFile() does, the others in separate windows.
  void openFiles(const QStringList& paths);
  /// Sets what to show when the file is open: a REF as on the command line.
  void openAt(const Ref& ref) { m_openAt = ref; }
  Document& document() { return m_document; }
  /// Shows a node (a part of one, or bytes: a ref with "@") in its tab and adds it to the history.
  void navigate(const Ref& ref, const QString& page = {}, TabKind kind = TabKind::Preview);
  Banner& banner() { return *m_banner; }
  /// Returns the windows of the program in the order in which they were made, without those that are closed.
  static QVector<MainWindow*> all();
  /// Returns another window, shown beside this one.
  MainWindow* makeOther();
  /// Returns the opened file, its tabs and the place of the window; nullopt without a file.
  std::optional<SavedWindow> savedState() const;
  /// Does what another start of the program asks for, in the window that fits.
  static void handle(const OpenRequest& request);
  /// Places the window as it was and opens its file with the same tabs.
  void restore(const SavedWindow& saved);
  /// Shows the current recent files on the start pages of all windows.
  void updateRecentEverywhere();
  /// Shows the window and gives it the keyboard focus.
  void bringToFront();
  /// The theme may have changed.
  void updateThemeAction();
  Comparing& comparing() { return *m_comparing; }
  FilesChecking& filesChecking() { return *m_filesChecking; }

protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void changeEvent(QEvent* event) override;

private:
  /// A dock at a side, which is hidden while the window is narrow or a comparison is in front.
  struct SideDock {
    ActionId action;        ///< action that shows and hides it
    int width, narrow;      ///< pixels: initial width of the dock; window width below which it is hidden
    QDockWidget* dock = {}; ///< filled in by makeDocks()
    bool shownBefore = {};  ///< whether it was shown before the comparison
  };

  /// A step to the next or previous finding, with what the mouse and the keyboard pointed at then.
  struct Step {
    QString rule;
    QPoint mouse;
    QPointer<QWidget> focus;
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
  void connectWindowActions();
  void connectFindActions();
  void connectHelpActions();
  void connectShortcuts();
  void connectDocument();
  std::array<SideDock*, 2> sideDocks() { return {&m_contentsDock, &m_detailsDock}; }

  void showOpened();
  void showEdited(const Document::State& before);
  /// Shows the findings and pending changes of the current state.
  void showFindings();
  void showBadges();
  /// Hides the side docks, so that a comparison has the whole width.
  void makeRoom(bool wide);
  /// Closes Details to an edge while a page is shown that needs the width, unless the user opened it there.
  void fitDetails();
  void openDetails();
  void showFailure(const QString& path, const QString& message);
  /// Opens a file of a folder, here or in another window: at a place in it, or on the page about loading.
  void openListed(const QString& path, const Ref& ref);
  bool isUntouchedSample() const;
  void openElsewhere(const QString& path);
  /// Returns what can be done with files that are dragged over the window.
  QVector<DropArea::Choice> dropChoices(const QStringList& paths);
  void showDocks();
  /// What a job does that the user has asked for; empty for others.
  QString workTitle(const QString& tag) const;
  void updateProgress(const QString& tag);
  void cancelWork();

  NodeView* currentView() const;
  PageWidget* currentPage() const;
  /// Returns the selected part, else the last target of the navigation.
  Ref place() const;
  /// Returns what actions apply to: the displayed node, or what is selected in it.
  const Ref& selection() const { return m_chosen; }
  /// Returns the selection, nullopt if it is a list of parts, which only has actions of its own.
  std::optional<Ref> editTarget() const { return m_listChosen ? std::nullopt : std::optional(m_chosen); }
  /// Goes to the text of the part and starts to edit it.
  void editText(const Ref& ref);
  void nodeChosen(const Ref& ref, bool open);
  void rowChosen(const Ref& ref, const QString& page);
  void choose(const Ref& ref);
  void connectMenus();

  void chooseFile();
  void chooseFolder();
  void openPalette();
  void openHelp(const QString& topic);
  void switchTheme();
  void openPreferences();
  void toggleFullScreen();
  void stepWindow(int by);
  void restoreTabs();
  void updateRecent();
  /// Restores a stored position, or uses 1440 × 900, limited to the current screens.
  void placeAtStart(const QByteArray& geometry);
  /// Places the window below and to the right of the other one, inside its screen.
  void placeBeside(const MainWindow& other);
  /// Moves a window that placeAtStart() or placeBeside() placed, when its frame is known.
  void fitFrame();
  void copy();
  void stepPanel(int by);
  QVector<QWidget*> panels() const;
  void updateState();
  void updateCompactness();

  Document m_document;
  int m_number = 0; ///< of the windows made so far
  int m_wheel = 0;  ///< turned since the last step of the zoom
  std::optional<Ref> m_openAt;
  QString m_openPage;                           ///< of m_openAt; may be empty
  std::optional<SavedWindow> m_restoring;       ///< whose tabs are shown when the file is open
  std::optional<check::Issue> m_leadingProblem; ///< whose bytes are being shown
  std::optional<Step> m_step;                   ///< the last one, until the user goes elsewhere
  Ref m_chosen;                ///< the displayed node, or what is selected in Contents or on the current page
  bool m_hasSelection = false; ///< m_chosen is a selection
  bool m_listChosen = false;   ///< the selection is a list of parts of m_chosen, such as "Kernels"
  bool m_touched = false;      ///< the user has navigated in this file
  bool m_wide = false;         ///< the docks are hidden while a comparison is in front
  Actions m_actions;

  Saving* m_saving = nullptr;
  PartFiles* m_files = nullptr;
  Editing* m_editing = nullptr;
  Checking* m_checking = nullptr;
  Fixing* m_fixing = nullptr;
  Comparing* m_comparing = nullptr;
  FilesChecking* m_filesChecking = nullptr;
  Running* m_running = nullptr;
  ContentsPanel* m_contents = nullptr;
  DetailsPanel* m_details = nullptr;
  ProblemsPanel* m_problems = nullptr;
  SearchPanel* m_search = nullptr;
  BottomPanel* m_bottom = nullptr;
  ChangesPanel* m_changes = nullptr;
  SideDock m_contentsDock = {ActionId::ShowContents, 300, 960};
  SideDock m_detailsDock = {ActionId::ShowDetails, 308, 1180};
  QToolBar* m_detailsEdge = nullptr;
  bool m_isDetailsEdge = false; ///< Details is closed to its edge
  bool m_keepDetails = false;   ///< the user opened Details on a page that needs the width
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
  Document::StatePtr m_statusState; ///< shown by the status line
  HelpWindow* m_help = nullptr;
  QRect m_ownPlace; ///< without the frame
};

} // namespace blobscope::ui
