#include "ui/window/main_window.h"

#include "ui/pages/fields_page.h"
#include "ui/pages/graph_page.h"
#include "ui/pages/node_view.h"
#include "ui/pages/page_widget.h"
#include "ui/session/recent_files.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/boxes.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/tool_button.h"
#include "ui/window/checking.h"
#include "ui/window/comparing.h"
#include "ui/window/editing.h"
#include "ui/window/files_checking.h"
#include "ui/window/fixing.h"
#include "ui/window/help_window.h"
#include "ui/window/menus.h"
#include "ui/window/node_tabs.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/changes_panel.h"
#include "ui/window/panels/contents_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/dock_title.h"
#include "ui/window/panels/find_field.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/panels/search_panel.h"
#include "ui/window/panels/side_edge.h"
#include "ui/window/part_files.h"
#include "ui/window/preferences.h"
#include "ui/window/running.h"
#include "ui/window/saving.h"
#include "ui/window/session_keeper.h"
#include "ui/window/start_page.h"
#include "ui/window/status_line.h"
#include "ui/window/theme_choice.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QTableView>
#include <QToolBar>
#include <QVBoxLayout>

// The parts of the window, and the handlers of its actions.
namespace blobscope::ui {
namespace {

constexpr int kBottom = 300, kIconsOnly = 760;

/// The tool bar actions that have a text, in order.
struct ToolBarRow {
  ActionId id;
  const char* text; ///< next to the icon if there is room
};
constexpr std::array kToolBarTools = std::to_array<ToolBarRow>({
    {ActionId::Open, QT_TRANSLATE_NOOP("blobscope::ui::MainWindow", "Open…")},
    {ActionId::Compare, QT_TRANSLATE_NOOP("blobscope::ui::MainWindow", "Compare…")},
    {ActionId::Check, QT_TRANSLATE_NOOP("blobscope::ui::MainWindow", "Check")},
    {ActionId::Run, QT_TRANSLATE_NOOP("blobscope::ui::MainWindow", "Run…")},
    {ActionId::Repack, QT_TRANSLATE_NOOP("blobscope::ui::MainWindow", "Repack…")},
});

} // namespace

// --- 1. The middle and the docks

void MainWindow::makeCentre() {
  auto* const column = new QWidget(this);
  auto* const layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_progress = new ProgressStrip(column);
  m_progress->setObjectName(QStringLiteral("progress"));
  connect(m_progress, &ProgressStrip::cancelled, this, &MainWindow::cancelWork);
  layout->addWidget(m_progress);
  m_bannerBox = new QWidget(column);
  auto* const bannerLayout = new QVBoxLayout(m_bannerBox);
  bannerLayout->setContentsMargins(0, 0, 0, 0);
  m_banner = new Banner(m_bannerBox);
  m_banner->hide();
  bannerLayout->addWidget(m_banner);
  layout->addWidget(m_bannerBox);

  m_centre = new QStackedWidget(column);
  m_start = new StartPage(m_centre);
  connect(m_start, &StartPage::openRequested, this, &MainWindow::chooseFile);
  connect(m_start, &StartPage::fileChosen, this, &MainWindow::openFile);
  connect(m_start, &StartPage::clearRecentRequested, this, [this] {
    recent::clear();
    updateRecentEverywhere();
  });
  m_centre->addWidget(m_start);

  makeTabs();
  m_centre->addWidget(m_tabs);
  layout->addWidget(m_centre, 1);
  setCentralWidget(column);
}

void MainWindow::makeTabs() {
  m_tabs = new NodeTabs(m_document, *m_contents, m_centre);
  connect(m_tabs, &NodeTabs::pageShown, this, [this] {
    m_banner->endMoved();
    if (m_document.state()) makeRoom(true); // without a file there are no docks
  });
  connect(m_tabs, &NodeTabs::shown, this, [this](const Ref& node, const QString& page, bool bytes) {
    m_banner->endMoved();
    makeRoom(false);
    m_chosen = node;
    m_hasSelection = false;
    if (!bytes) m_details->showNode(m_document, node);
    m_contents->select(node, page);
    m_listChosen = m_contents->listsPartsOf(node);
    updateState();
  });
  connect(m_tabs, &NodeTabs::partChosen, this, &MainWindow::choose);
  connect(m_tabs, &NodeTabs::fieldEdited, this,
          [this](const Ref& field, const json::Value& value) { m_editing->setField(field, value); });
  connect(m_tabs, &NodeTabs::textEdited, this,
          [this](const Ref& target, const Bytes& bytes) { m_editing->setBytes(target, bytes); });
  connect(m_tabs, &NodeTabs::bytesOverwritten, this,
          [this](const Ref& module, const auto& runs) { m_editing->overwrite(module, runs); });
  connect(m_tabs, &NodeTabs::valuesEdited, this,
          [this](const std::vector<edit::SetValue>& values) { m_editing->setValues(values); });
  connect(m_tabs, &NodeTabs::typingChanged, this, &MainWindow::updateState);
  connect(m_tabs, &NodeTabs::changed, this, &MainWindow::updateState);
  connect(m_tabs, &NodeTabs::activated, this, [this](const Ref& ref, const QString& page) {
    m_touched = true;
    navigate(ref, page);
  });
  connect(m_tabs, &NodeTabs::nodeChosen, this, &MainWindow::nodeChosen);
  connect(m_tabs, &NodeTabs::detailsChanged, this, [this](view::Details details) {
    // The details of the bytes that a finding refers to are shown below those of the finding.
    if (m_leadingProblem) {
      view::Details problem = mlf::issueDetails(*std::exchange(m_leadingProblem, std::nullopt));
      details.insert(details.begin(), problem.begin(), problem.end());
    }
    m_details->show(std::move(details));
  });
  connect(m_tabs, &NodeTabs::selectionText, this, [this](const QString& text) { m_status->setSelection(text); });
  connect(m_tabs, &NodeTabs::message, this, [this](const QString& text) { m_banner->showNote(text); });
}

QDockWidget* MainWindow::makeDock(const QString& name, const QString& title, QWidget* content,
                                  Qt::DockWidgetArea area) {
  auto* const dock = new QDockWidget(title, this);
  dock->setObjectName(name);
  dock->setWidget(content);
  dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
  // Qt mirrors layouts, but not the areas of docks.
  if (isRightToLeft() && area != Qt::BottomDockWidgetArea)
    area = area == Qt::LeftDockWidgetArea ? Qt::RightDockWidgetArea : Qt::LeftDockWidgetArea;
  addDockWidget(area, dock);
  dock->hide();
  return dock;
}

void MainWindow::makeContents() {
  m_contents = new ContentsPanel(this);
  m_contentsDock.dock = makeDock(QStringLiteral("contents"), tr("Contents"), m_contents, Qt::LeftDockWidgetArea);
  m_contentsDock.dock->setTitleBarWidget(new DockTitle(*m_contentsDock.dock));
  connect(m_contents, &ContentsPanel::chosen, this, [this](const Ref& ref, const QString& page, bool keep) {
    m_touched = true;
    m_step.reset();
    navigate(ref, page, keep ? TabKind::Kept : TabKind::Preview);
  });
  connect(m_contents, &ContentsPanel::selected, this, &MainWindow::rowChosen);
  connect(m_contents, &ContentsPanel::moduleDropped, this, [this](const Ref& module, const Ref& onto, const Ref& from) {
    m_editing->reparent(module, onto, from == Ref::file() ? std::nullopt : std::optional(from));
  });
}

void MainWindow::makeDetails() {
  m_details = new DetailsPanel(this);
  connect(m_details, &DetailsPanel::linked, this, [this](const Ref& ref) { navigate(ref); });
  connect(m_details, &DetailsPanel::ruleRequested, this, &MainWindow::openHelp);
  QDockWidget* const dock = makeDock(QStringLiteral("details"), tr("Details"), m_details, Qt::RightDockWidgetArea);
  auto* const copyDetails = toolButton(QStringLiteral("copy"), tr("Copy the details"), dock,
                                       [this] { m_actions[ActionId::CopyDetails]->trigger(); });
  dock->setTitleBarWidget(new DockTitle(*dock, {copyDetails}));
  m_detailsDock.dock = dock;
  m_detailsEdge = new QToolBar(tr("Edge of Details"), this);
  m_detailsEdge->setObjectName(QStringLiteral("detailsEdge"));
  m_detailsEdge->setMovable(false);
  m_detailsEdge->setContextMenuPolicy(Qt::PreventContextMenu);
  m_detailsEdge->toggleViewAction()->setVisible(false);
  auto* const edge = new SideEdge(tr("Details"), m_detailsEdge);
  connect(edge, &QAbstractButton::clicked, m_actions[ActionId::ShowDetails], &QAction::trigger);
  m_detailsEdge->addWidget(edge);
  m_detailsEdge->layout()->setContentsMargins(0, 0, 0, 0);
  m_detailsEdge->setFixedWidth(edge->sizeHint().width());
  addToolBar(isRightToLeft() ? Qt::LeftToolBarArea : Qt::RightToolBarArea, m_detailsEdge);
  m_detailsEdge->hide();
}

void MainWindow::makeBottom() {
  m_bottom = new BottomPanel(this);
  m_problems = new ProblemsPanel(m_bottom);
  m_problems->setProperty("helpTopic", QStringLiteral("problems"));
  m_search = new SearchPanel(m_document, m_bottom);
  m_bottom->addPanel(tr("Problems"), m_problems);
  m_bottom->addPanel(tr("Search results"), m_search);
  m_changes = new ChangesPanel(m_bottom);
  m_changes->setProperty("helpTopic", QStringLiteral("editing"));
  m_bottom->addPanel(tr("Changes"), m_changes);
  m_bottomDock = makeDock(QStringLiteral("bottom"), tr("Problems and results"), m_bottom, Qt::BottomDockWidgetArea);
  m_bottomDock->setFeatures(QDockWidget::NoDockWidgetFeatures);
  m_bottomDock->setTitleBarWidget(new QWidget(m_bottomDock));
  const auto toggled = [this](bool open) {
    m_bottom->setMinimumHeight(open ? 140 : metrics::kStrip + 1);
    m_bottom->setMaximumHeight(open ? QWIDGETSIZE_MAX : metrics::kStrip + 1);
    if (open) resizeDocks({m_bottomDock}, {std::min(kBottom, height() / 3)}, Qt::Vertical);
  };
  connect(m_bottom, &BottomPanel::toggled, this, toggled);
  toggled(false);
  connectBottom();
}

void MainWindow::connectBottom() {
  connect(m_changes, &ChangesPanel::activated, this, [this](int row) { navigate(m_document.placeOf(row)); });
  connect(m_changes, &ChangesPanel::revertRequested, &m_document, &Document::revert);
  connect(m_changes, &ChangesPanel::repackRequested, this, [this] { m_actions[ActionId::Repack]->trigger(); });
  connect(m_problems, &ProblemsPanel::selected, this, [this](const check::Issue& issue) {
    m_fixing->setFinding(issue);
    m_details->show(mlf::issueDetails(issue));
  });
  connect(m_problems, &ProblemsPanel::activated, this, [this](const check::Issue& issue) {
    if (!issue.ref) return;
    if (issue.ref->at) m_leadingProblem = issue;
    navigate(*issue.ref);
  });
  connect(m_search, &SearchPanel::activated, this, [this](const Ref& ref, const Extent* hit) {
    navigate(ref);
    if (hit && currentView()) currentView()->showHit(*hit, m_search->hitsBeside(ref));
  });
  connect(m_search, &SearchPanel::countChanged, this, [this](int count) {
    m_bottom->setBadges(
        m_search, count == 0 ? QVector<BottomPanel::Badge>()
                             : QVector<BottomPanel::Badge>{{QStringLiteral("find"), static_cast<int>(Role::Secondary),
                                                            QString::number(count)}});
  });
}

// --- 2. The tool bar

void MainWindow::makeToolBar() {
  m_toolBar = addToolBar(tr("Tools"));
  m_toolBar->setObjectName(QStringLiteral("tools"));
  m_toolBar->setMovable(false);
  m_toolBar->setFixedHeight(metrics::kToolBar);
  m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
  const auto add = [this](ActionId id) {
    m_toolBar->addAction(m_actions[id]);
    QWidget* const button = m_toolBar->widgetForAction(m_actions[id]);
    button->setAccessibleName(plainLine(m_actions[id]->text().remove(QLatin1Char('&'))));
    button->setFocusPolicy(Qt::TabFocus);
  };
  add(ActionId::Back);
  add(ActionId::Forward);
  m_toolBar->addSeparator();
  for (const ToolBarRow& row : kToolBarTools) add(row.id);
  auto* const spacer = new QWidget(m_toolBar);
  spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  m_toolBar->addWidget(spacer);
  auto* const find = new FindField(
      tr("Find or go to…"), m_actions[ActionId::Palette]->shortcut().toString(QKeySequence::NativeText), m_toolBar);
  connect(find, &QAbstractButton::clicked, m_actions[ActionId::Palette], &QAction::trigger);
  m_toolBar->addWidget(find);
  add(ActionId::SwitchTheme);
  updateCompactness();
}

void MainWindow::updateCompactness() {
  if (!m_toolBar) return;
  for (const ToolBarRow& row : kToolBarTools)
    if (auto* const button = qobject_cast<QToolButton*>(m_toolBar->widgetForAction(m_actions[row.id]))) {
      button->setToolButtonStyle(width() < kIconsOnly ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
      // The style leaves no space between icon and text.
      m_actions[row.id]->setIconText(QStringLiteral(" ") + tr(row.text));
    }
}

// --- 3. Handlers of the actions

void MainWindow::makeParts() {
  // These use the current state of the document. Connected first, so that the typed text is part of it.
  using enum ActionId;
  for (const ActionId id : {Save,           Repack,    SaveBytes, SaveTensor, ExportFolder, Reload,        Compare,
                            CompareChanges, Check,     Rename,    Remove,     ReplaceFile,  Imports,       AddModule,
                            AddMember,      RevertAll, Run,       RunModel,   RunAgain,     ReadSignatures})
    connect(m_actions[id], &QAction::triggered, m_tabs, &NodeTabs::applyTyping);
  m_saving = new Saving(m_document, *m_banner, this);
  m_files = new PartFiles(m_document, *m_banner, this);
  m_contents->setDragSource([this](const Ref& part, uint64_t size) { return m_files->dragOf(part, size); });
  connect(m_contents, &ContentsPanel::dragged, m_files, &PartFiles::showFailure);
  m_editing = new Editing(
      m_document, *m_banner, m_actions, [this] { return editTarget(); }, [this] { return currentPage(); }, this);
  connect(m_editing, &Editing::textRequested, this, [this](const Ref& ref) { editText(ref); });
  connect(m_editing, &Editing::openRequested, this, &MainWindow::openElsewhere);
  m_comparing = new Comparing(m_document, *m_banner, *m_tabs, m_actions, this);
  connect(m_comparing, &Comparing::nodeChosen, this, [this](const Ref& ref) { navigate(ref); });
  connect(m_comparing, &Comparing::selectionText, this, [this](const QString& text) { m_status->setSelection(text); });
  m_filesChecking = new FilesChecking(m_document, *m_tabs, m_actions, this);
  connect(m_filesChecking, &FilesChecking::fileRequested, this, &MainWindow::openListed);
  connect(m_filesChecking, &FilesChecking::ruleRequested, this, &MainWindow::openHelp);
  connect(m_filesChecking, &FilesChecking::selectionText, this,
          [this](const QString& text) { m_status->setSelection(text); });
  m_running = new Running(m_document, *m_banner, *m_bottom, *m_tabs, m_actions, [this] { return selection(); }, this);
  connect(m_tabs, &NodeTabs::oldAndNewRequested, m_running, &Running::askOldAndNew);
  connect(m_tabs, &NodeTabs::revertRequested, m_editing, &Editing::revertAt);
  connect(m_tabs, &NodeTabs::codeCompiled, m_editing, &Editing::storeCode);
  m_running->setShownOnPage([this](const RunEntryPtr& entry) {
    NodeView* const view = m_tabs->current();
    return view && view->showRun(entry);
  });
  connect(m_running, &Running::nodeChosen, this, [this](const Ref& ref) { navigate(ref); });
  connect(m_running, &Running::codeChosen, this, [this](const Ref& ref, const QString& other, bool open) {
    if (!m_comparing->showCode(ref, other, open)) navigate(ref);
  });
  connect(m_running, &Running::selectionText, this, [this](const QString& text) { m_status->setSelection(text); });
  m_checking = new Checking(m_document, *m_banner, *m_problems, m_actions, this);
  m_fixing = new Fixing(m_document, m_actions, this);
  connect(m_problems, &ProblemsPanel::fixRequested, this, [this] { m_actions[ActionId::FixFindings]->trigger(); });
  connect(m_details, &DetailsPanel::fixRequested, this, [this] { m_actions[ActionId::FixFindings]->trigger(); });
  connect(m_checking, &Checking::checked, this, [this] {
    showBadges();
    m_bottom->openPanel(m_problems);
  });
}

void MainWindow::connectMenus() {
  m_menus = std::make_unique<NodeMenu>(
      m_document, m_actions, *m_editing,
      [this](const Ref& node, const QString& page, TabKind kind) { navigate(node, page, kind); },
      [this](const Ref& node) { choose(node); });
  connect(m_contents, &ContentsPanel::menuRequested, this,
          [this](const Ref& node, const QString& page, const QString& name, const QPoint& place) {
            m_menus->popUp(this, {node, page.isEmpty() ? QString() : name, page}, place);
          });
  const auto popUp = [this](const std::optional<Ref>& node, const QString& value, const QPoint& place) {
    m_menus->popUp(this, {node, value}, place);
  };
  connect(m_tabs, &NodeTabs::menuRequested, this, popUp);
  connect(m_details, &DetailsPanel::menuRequested, this, popUp);
  connect(m_problems, &ProblemsPanel::menuRequested, this,
          [this](const check::Issue& issue, const QString& text, const QPoint& place) {
            m_fixing->setFinding(issue);
            m_menus->popUp(this,
                           {issue.ref, text, {}, issue.quickFix.empty() ? nullptr : m_actions[ActionId::FixFindings]},
                           place);
          });
  connect(m_search, &SearchPanel::menuRequested, this, popUp);
  connect(m_tabs, &NodeTabs::menuOpening, this, [this](QMenu& menu, const std::optional<Ref>& node) {
    if (node) m_menus->fill(menu, {node});
  });
}

template <class Function> void MainWindow::on(ActionId id, Function run) {
  connect(m_actions[id], &QAction::triggered, this, std::move(run));
}

void MainWindow::connectFileActions() {
  using enum ActionId;
  on(Open, [this] { chooseFile(); });
  on(OpenFolder, [this] { chooseFolder(); });
  on(Reload, [this] { m_document.reload(); });
  on(SaveBytes, [this] { m_saving->askForBytes(place()); });
  on(SaveTensor, [this] { m_saving->askForTensor(place()); });
  on(SavePicture, [this] {
    if (auto* const graph = qobject_cast<GraphPage*>(currentPage()))
      graph->askForSvg();
    else if (currentPage() && currentPage()->hasPicture())
      m_saving->askForPicture(currentView()->ref(), currentPage()->picture());
  });
  on(ExportFolder, [this] { m_saving->askForFolder(); });
  on(BuildArchive, [this] { m_saving->askForLibrary(); });
  connect(m_saving, &Saving::libraryBuilt, this, &MainWindow::openElsewhere);
  on(Rename, [this] {
    // On the Fields page, the key edits the value.
    const bool inJson = qobject_cast<FieldsPage*>(currentPage()) && selection().kind == Ref::Kind::Member &&
                        currentPage()->isAncestorOf(QApplication::focusWidget());
    const bool inFields = currentPage() && (selection().partKind() == PartKind::Field || inJson);
    if (!(inFields && currentPage()->editSelection())) m_editing->askForName(selection());
  });
  on(CloseTab, [this] { m_tabs->closeCurrent(); });
  on(CloseOtherTabs, [this] { m_tabs->closeOthers(); });
  on(KeepTab, [this] { m_tabs->keepPreview(); });
  on(Quit, [] {
    if (SessionKeeper* const keeper = SessionKeeper::ofApplication())
      keeper->quit();
    else
      QApplication::closeAllWindows();
  });
  on(OpenPreferences, [this] { openPreferences(); });
  on(Copy, [this] { copy(); });
  on(CopyReference, [this] { QGuiApplication::clipboard()->setText(wholeToQt(place().toString())); });
  on(CopyDetails, [this] { QGuiApplication::clipboard()->setText(m_details->text()); });
}

void MainWindow::connectViewActions() {
  using enum ActionId;
  for (const SideDock* const side : sideDocks()) {
    QDockWidget* const dock = side->dock;
    QAction* const shown = m_actions[side->action];
    on(side->action, [this, side, dock] {
      if (side == &m_detailsDock && m_isDetailsEdge) {
        m_keepDetails = true;
        openDetails();
        return;
      }
      dock->setVisible(dock->isHidden());
    });
    shown->setCheckable(true);
    connect(dock, &QDockWidget::visibilityChanged, this, [dock, shown] { shown->setChecked(!dock->isHidden()); });
  }
  on(ShowBottom, [this] { m_bottom->isOpen() ? m_bottom->closePanel() : m_bottom->openPanel(m_bottom->current()); });
  on(ShowChanges, [this] {
    m_bottom->openPanel(m_changes);
    m_changes->view().setFocus();
  });
  on(SwitchTheme, [this] { switchTheme(); });
  m_actions[FollowSystem]->setCheckable(true);
  on(FollowSystem, [this](bool follow) {
    chooseTheme(follow ? ThemeChoice::System : theme().isDark() ? ThemeChoice::Dark : ThemeChoice::Light);
    updateThemeAction();
  });
  updateThemeAction();
  on(Back, [this] { m_tabs->step(-1); });
  on(Forward, [this] { m_tabs->step(1); });
  on(Palette, [this] { openPalette(); });
  on(GoTo, [this] {
    if (currentPage()) currentPage()->openGoTo();
  });
  on(NextTab, [this] { m_tabs->stepTab(1); });
  on(PreviousTab, [this] { m_tabs->stepTab(-1); });
  on(ListTabs, [this] { m_tabs->openList(); });
  on(NextPanel, [this] { stepPanel(1); });
  on(PreviousPanel, [this] { stepPanel(-1); });
  on(ToPage, [this] {
    if (currentPage()) currentPage()->setFocus();
  });
}

void MainWindow::connectWindowActions() {
  using enum ActionId;
  on(ZoomIn, [] { chooseZoom(nextZoom(contentText().zoom, true)); });
  on(ZoomOut, [] { chooseZoom(nextZoom(contentText().zoom, false)); });
  on(ZoomReset, [] { chooseZoom(100); });
  m_actions[FullScreen]->setCheckable(true);
  on(FullScreen, [this] { toggleFullScreen(); });
  on(Minimize, [this] { showMinimized(); });
  on(NextWindow, [this] { stepWindow(1); });
  on(PreviousWindow, [this] { stepWindow(-1); });
  connectRecentMenu(*m_actions[OpenRecent]->menu(), *this);
  connectWindowMenu(m_actions.windowMenu(), *this);
}

void MainWindow::connectFindActions() {
  using enum ActionId;
  on(FindHere, [this] { currentPage() ? currentPage()->openFind() : m_comparing->openFind(); });
  on(ReplaceHere, [this] {
    if (currentPage()) currentPage()->openReplace();
  });
  on(FindNext, [this] { currentPage() ? currentPage()->findNext(false) : m_comparing->findNext(false); });
  on(FindPrevious, [this] { currentPage() ? currentPage()->findNext(true) : m_comparing->findNext(true); });
  on(FindEverywhere, [this] {
    m_bottom->openPanel(m_search);
    m_search->open(place());
  });
  const auto stepProblem = [this](bool backwards) {
    m_bottom->openPanel(m_problems);
    m_problems->step(backwards);
    const QString rule = m_problems->view().property("helpTopic").toString();
    m_step.reset();
    if (!rule.isEmpty()) m_step = Step{rule, QCursor::pos(), QApplication::focusWidget()};
  };
  on(NextProblem, [stepProblem] { stepProblem(false); });
  on(PreviousProblem, [stepProblem] { stepProblem(true); });
}

void MainWindow::connectHelpActions() {
  using enum ActionId;
  on(Help, [this] {
    // If the mouse is elsewhere, the widget with the keyboard focus is used.
    const QWidget* widget = QApplication::widgetAt(QCursor::pos());
    if (!widget || widget->window() != this) widget = QApplication::focusWidget();
    // After a step to a finding, while the mouse rests, the user asks about the finding.
    if (m_step && m_step->mouse == QCursor::pos() && m_step->focus == QApplication::focusWidget()) {
      openHelp(m_step->rule);
      return;
    }
    // The details are those of a finding, or of the part in the current tab.
    if (widget && currentView() && (widget == m_details || m_details->isAncestorOf(widget)) &&
        !m_details->property("helpTopic").isValid())
      widget = currentView();
    openHelp(HelpWindow::topicOf(widget));
  });
  on(HelpIndex, [this] { openHelp(QStringLiteral("index")); });
  on(About, [this] {
    showAbout(tr("About Blobscope"),
              tr("<b>Blobscope %1</b><p>Shows the content of libraries that Apache TVM exports, without executing "
                 "them.<p>Licence: Apache-2.0")
                  .arg(QApplication::applicationVersion()),
              this);
  });
}

void MainWindow::connectShortcuts() {
  // In other places, the key deletes something else.
  m_actions[ActionId::Remove]->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  m_contents->tree().addAction(m_actions[ActionId::Remove]);
  // Ctrl+9 shows or hides Details.
  for (int number = 1; number <= 8; ++number) {
    auto* const shortcut = new QAction(this);
    shortcut->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number)));
    connect(shortcut, &QAction::triggered, this, [this, number] {
      if (NodeView* const view = currentView()) view->choosePage(number - 1);
    });
    addAction(shortcut);
  }
}

void MainWindow::connectDocument() {
  connect(&m_document, &Document::opened, this, &MainWindow::showOpened);
  connect(&m_document, &Document::edited, this, [this](const Document::StatePtr& before) { showEdited(*before); });
  connect(&m_document.loadCheck(), &LoadCheck::ready, this, [this] {
    if (!m_checking->isShown()) showFindings(); // a check has these findings, too
  });
  connect(&m_document, &Document::modifiedChanged, this, &MainWindow::updateState);
  connect(&m_document, &Document::failed, this, &MainWindow::showFailure);
  connect(&m_document, &Document::cancelled, this, [this](const QString& path) {
    m_banner->showMessage(Banner::Kind::Note, tr("Cancelled."),
                          tr("%1 was not opened.").arg(QFileInfo(path).fileName()),
                          {{tr("Try again"), [this, path] { m_document.open(path); }}, {tr("Close"), [] {}}});
  });
  Jobs& jobs = m_document.jobs();
  connect(&jobs, &Jobs::started, this, &MainWindow::updateProgress);
  connect(&jobs, &Jobs::progressed, this, [this](const QString& tag, const QString& what, quint64 done, quint64 total) {
    if (tag == m_progressTag) m_progress->showProgress(what, done, total);
  });
  connect(&jobs, &Jobs::finished, this, [this](const QString& tag) {
    if (tag != m_progressTag) return;
    m_progressTag.clear();
    m_progress->end();
    for (const QString& other : m_document.jobs().running()) updateProgress(other);
  });
}

} // namespace blobscope::ui
