#pragma once

#include "core/base/ref.h"
#include "ui/models/contents_model.h"
#include "ui/session/document.h"
#include "ui/window/panels.h"

#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QProgressBar>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

namespace blobscope::ui {

class NodeView;
class StartPage;

/// One window, one document: contents at the left, tabs of nodes in the middle, details at the right, problems below.
class MainWindow : public QMainWindow {
  Q_OBJECT
public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens the file here, or in a new window when something is open already.
  void openFile(const QString& path);
  /// What to go to when the file is open: a REF as on the command line.
  void openAt(const Ref& ref) { m_openAt = ref; }
  Document& document() { return m_document; }
  /// Shows a node (or bytes: a ref with "@") in a tab of its own; remembered for back and forward.
  void navigate(const Ref& ref, const QString& page = {});
  NodeView* currentView() const;

protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  struct Place {
    Ref ref;
    QString page;
    friend bool operator==(const Place& a, const Place& b) { return a.ref == b.ref && a.page == b.page; }
  };

  void makeActions();
  void makeDocks();
  void makeCentre();
  void makeStatusBar();
  QWidget* dockTitle(const QString& text, QDockWidget* dock);

  void showOpened();
  void showFailure(const QString& path, const QString& message);
  void showBanner(const QString& iconName, const QString& text, const QVector<QPair<QString, std::function<void()>>>& actions);
  void hideBanner();
  NodeView* viewFor(const Ref& ref);
  void activateTab(int index);
  void closeTab(int index);
  void remember();
  void step(int by);
  void selectInContents(const Ref& ref, const QString& page);
  void chooseFile();
  void openPalette();
  void toggleTheme();
  void addRecent(const QString& path);
  void copyReference();
  void updateTitle();
  void updateStatus();

  Document m_document;
  std::optional<Ref> m_openAt;
  QVector<QAction*> m_actions; ///< all that the palette lists
  QAction *m_back, *m_forward, *m_find, *m_goTo, *m_nextProblem, *m_previousProblem, *m_closeTab, *m_copyRef;

  ContentsModel* m_contents;
  QSortFilterProxyModel* m_filteredContents;
  QTreeView* m_tree;
  QLineEdit* m_treeFilter;
  DetailsPanel* m_details;
  ProblemsPanel* m_problems;
  QDockWidget *m_contentsDock, *m_detailsDock, *m_problemsDock;

  QStackedWidget* m_centre;
  StartPage* m_start;
  QTabBar* m_tabs;
  QStackedWidget* m_views;
  QWidget* m_banner;
  QWidget* m_progress;
  QLabel* m_progressText;
  QProgressBar* m_progressBar;
  QTimer m_progressDelay;

  QLabel *m_statusFile, *m_statusSelection, *m_statusCoverage;
  QToolButton* m_statusProblems;

  QVector<Place> m_history;
  int m_historyAt = -1;
  bool m_stepping = false;
};

} // namespace blobscope::ui
