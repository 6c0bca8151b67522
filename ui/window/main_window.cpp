#include "ui/window/main_window.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/view/page_id.h"
#include "ui/pages/kind_look.h"
#include "ui/pages/node_view.h"
#include "ui/session/recent_files.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/boxes.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/tool_button.h"
#include "ui/window/checking.h"
#include "ui/window/comparing.h"
#include "ui/window/dialogs/command_palette.h"
#include "ui/window/editing.h"
#include "ui/window/help_window.h"
#include "ui/window/node_tabs.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/changes_panel.h"
#include "ui/window/panels/contents_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/dock_title.h"
#include "ui/window/panels/find_field.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/panels/run_panel.h"
#include "ui/window/panels/search_panel.h"
#include "ui/window/running.h"
#include "ui/window/saving.h"
#include "ui/window/start_page.h"
#include "ui/window/status_line.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

constexpr int kContents = 300, kDetails = 308, kBottom = 300;
constexpr int kNarrowDetails = 1180, kNarrowContents = 960, kIconsOnly = 760;

std::string_view partOf(const Ref& ref) {
  return ref.parts.empty() ? std::string_view() : std::string_view(ref.parts.back().kind);
}

} // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), m_actions(this, menuBar()) {
  forbidLongWork();
  setAcceptDrops(true);
  setMinimumSize(640, 420);
  setDockOptions(QMainWindow::AllowTabbedDocks);
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  setContextMenuPolicy(Qt::NoContextMenu);
  setProperty("helpTopic", QStringLiteral("window"));
  makeDocks();
  makeCentre();
  makeToolBar();
  m_status = new StatusLine(this);
  statusBar()->setSizeGripEnabled(false);
  statusBar()->setFixedHeight(metrics::kStatusBar);
  statusBar()->addWidget(m_status, 1);
  connectActions();
  connectDocument();

  const QSettings settings;
  if (!restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray())) resize(1440, 900);
  if (const QScreen* const place = screen()) resize(size().boundedTo(place->availableSize()));
  m_start->setRecent(recent::load());
  updateState();
}

MainWindow::~MainWindow() {
  // Views tell the jobs of the document that they go; the document is a member and would be gone before them. What the
  // jobs say to that would reach parts of the window that are gone already.
  m_document.disconnect(this);
  m_document.jobs().disconnect(this);
  delete takeCentralWidget();
}

// --- 1. Building
// ------------------------------------------------------------------------------------------------------

void MainWindow::makeCentre() {
  auto* const column = new QWidget(this);
  auto* const layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_progress = new ProgressStrip(column);
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
    m_start->setRecent({});
  });
  m_centre->addWidget(m_start);

  m_tabs = new NodeTabs(m_document, *m_contents, m_centre);
  connect(m_tabs, &NodeTabs::pageShown, this, [this] { makeRoom(true); });
  connect(m_tabs, &NodeTabs::shown, this, [this](const Ref& node, const QString& page, bool bytes) {
    makeRoom(false);
    m_chosen = node;
    m_picked = false;
    if (!bytes) m_details->showNode(m_document, node);
    m_contents->select(node, page);
    updateState();
  });
  connect(m_tabs, &NodeTabs::partChosen, this, &MainWindow::choose);
  connect(m_tabs, &NodeTabs::fieldEdited, this,
          [this](const Ref& field, const json::Value& value) { m_editing->setField(field, value); });
  connect(m_tabs, &NodeTabs::changed, this, &MainWindow::updateState);
  connect(m_tabs, &NodeTabs::activated, this, [this](const Ref& ref, const QString& page) {
    m_touched = true;
    navigate(ref, page);
  });
  connect(m_tabs, &NodeTabs::nodeChosen, this, &MainWindow::nodeChosen);
  connect(m_tabs, &NodeTabs::detailsChanged, this, [this](view::Details details) {
    // The bytes that a problem led to stand below what the problem is.
    if (m_leadingProblem) {
      view::Details problem = mlf::issueDetails(*std::exchange(m_leadingProblem, std::nullopt));
      details.insert(details.begin(), problem.begin(), problem.end());
    }
    m_details->show(std::move(details));
  });
  connect(m_tabs, &NodeTabs::selectionText, this, [this](const QString& text) { m_status->setSelection(text); });
  connect(m_tabs, &NodeTabs::message, this,
          [this](const QString& text) { m_banner->tell(Banner::Kind::Note, text, {}, {{tr("Close"), [] {}}}); });
  m_centre->addWidget(m_tabs);
  layout->addWidget(m_centre, 1);
  setCentralWidget(column);
}

void MainWindow::makeDocks() {
  const auto dock = [this](const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area) {
    auto* const made = new QDockWidget(title, this);
    made->setObjectName(name);
    made->setWidget(content);
    made->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
    addDockWidget(area, made);
    made->hide();
    return made;
  };
  m_contentsDock =
      dock(QStringLiteral("contents"), tr("Contents"), m_contents = new ContentsPanel(this), Qt::LeftDockWidgetArea);
  connect(m_contents, &ContentsPanel::chosen, this, [this](const Ref& ref, const QString& page) {
    m_touched = true;
    navigate(ref, page);
  });
  connect(m_contents, &ContentsPanel::selected, this, &MainWindow::choose);
  connect(m_contents, &ContentsPanel::moduleDropped, this, [this](const Ref& module, const Ref& onto, const Ref& from) {
    m_editing->hang(module, onto, from == Ref::file() ? std::nullopt : std::optional(from));
  });
  connect(m_contents, &ContentsPanel::menuRequested, this, &MainWindow::openContentsMenu);
  m_contentsDock->setTitleBarWidget(new DockTitle(*m_contentsDock));

  m_details = new DetailsPanel(this);
  connect(m_details, &DetailsPanel::linked, this, [this](const Ref& ref) { navigate(ref); });
  m_detailsDock = dock(QStringLiteral("details"), tr("Details"), m_details, Qt::RightDockWidgetArea);
  auto* const copyDetails = toolButton(QStringLiteral("copy"), tr("Copy the details"), m_detailsDock,
                                       [this] { m_actions[ActionId::CopyDetails]->trigger(); });
  m_detailsDock->setTitleBarWidget(new DockTitle(*m_detailsDock, {copyDetails}));

  m_bottom = new BottomPanel(this);
  m_problems = new ProblemsPanel(m_bottom);
  m_problems->setProperty("helpTopic", QStringLiteral("problems"));
  m_search = new SearchPanel(m_document, m_bottom);
  m_problemsTab = m_bottom->addPanel(tr("Problems"), m_problems);
  m_searchTab = m_bottom->addPanel(tr("Search results"), m_search);
  m_changes = new ChangesPanel(m_bottom);
  m_changes->setProperty("helpTopic", QStringLiteral("editing"));
  m_changesTab = m_bottom->addPanel(tr("Changes"), m_changes);
  connect(m_changes, &ChangesPanel::activated, this, [this](int row) { navigate(m_document.placeOf(row)); });
  connect(m_changes, &ChangesPanel::revertRequested, &m_document, &Document::revert);
  connect(m_changes, &ChangesPanel::repackRequested, this, [this] { m_actions[ActionId::Repack]->trigger(); });
  m_bottomDock = dock(QStringLiteral("bottom"), tr("Problems and results"), m_bottom, Qt::BottomDockWidgetArea);
  m_bottomDock->setFeatures(QDockWidget::NoDockWidgetFeatures);
  m_bottomDock->setTitleBarWidget(new QWidget(m_bottomDock));
  const auto toggled = [this](bool open) {
    m_bottom->setMinimumHeight(open ? 140 : metrics::kStrip + 1);
    m_bottom->setMaximumHeight(open ? QWIDGETSIZE_MAX : metrics::kStrip + 1);
    if (open) resizeDocks({m_bottomDock}, {kBottom}, Qt::Vertical);
  };
  connect(m_bottom, &BottomPanel::toggled, this, toggled);
  toggled(false);
  connect(m_problems, &ProblemsPanel::selected, this,
          [this](const mlf::Issue& issue) { m_details->show(mlf::issueDetails(issue)); });
  connect(m_problems, &ProblemsPanel::activated, this, [this](const mlf::Issue& issue) {
    if (!issue.ref) return;
    if (issue.ref->at) m_leadingProblem = issue;
    navigate(*issue.ref);
  });
  connect(m_search, &SearchPanel::activated, this, [this](const Ref& ref) { navigate(ref); });
  connect(m_search, &SearchPanel::countChanged, this, [this](int count) {
    m_bottom->setBadges(m_searchTab, count == 0 ? QVector<BottomPanel::Badge>()
                                                : QVector<BottomPanel::Badge>{{QStringLiteral("find"),
                                                                               static_cast<int>(Role::Secondary),
                                                                               QString::number(count)}});
  });
}

void MainWindow::makeToolBar() {
  m_toolBar = addToolBar(tr("Tools"));
  m_toolBar->setObjectName(QStringLiteral("tools"));
  m_toolBar->setMovable(false);
  m_toolBar->setFixedHeight(metrics::kToolBar);
  m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
  m_toolBar->addAction(m_actions[ActionId::Back]);
  m_toolBar->addAction(m_actions[ActionId::Forward]);
  m_toolBar->addSeparator();
  m_toolBar->addAction(m_actions[ActionId::Open]);
  m_toolBar->addAction(m_actions[ActionId::Compare]);
  m_toolBar->addAction(m_actions[ActionId::Check]);
  m_toolBar->addAction(m_actions[ActionId::Run]);
  m_toolBar->addAction(m_actions[ActionId::Repack]);
  auto* const spacer = new QWidget(m_toolBar);
  spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  m_toolBar->addWidget(spacer);
  auto* const find = new FindField(
      tr("Find or go to…"), m_actions[ActionId::Palette]->shortcut().toString(QKeySequence::NativeText), m_toolBar);
  connect(find, &QAbstractButton::clicked, m_actions[ActionId::Palette], &QAction::trigger);
  m_toolBar->addWidget(find);
  m_toolBar->addAction(m_actions[ActionId::SwitchTheme]);
  for (const ActionId id : {ActionId::Back, ActionId::Forward, ActionId::Open, ActionId::Compare, ActionId::Check,
                            ActionId::Run, ActionId::Repack, ActionId::SwitchTheme}) {
    QWidget* const button = m_toolBar->widgetForAction(m_actions[id]);
    button->setAccessibleName(plainLine(m_actions[id]->text().remove(QLatin1Char('&'))));
    button->setFocusPolicy(Qt::TabFocus);
  }
  updateCompactness();
}

void MainWindow::updateCompactness() {
  if (!m_toolBar) return;
  for (const auto& [id, text] : {std::pair(ActionId::Open, tr("Open…")), std::pair(ActionId::Compare, tr("Compare…")),
                                 std::pair(ActionId::Check, tr("Check")), std::pair(ActionId::Run, tr("Run…")),
                                 std::pair(ActionId::Repack, tr("Repack…"))})
    if (auto* const button = qobject_cast<QToolButton*>(m_toolBar->widgetForAction(m_actions[id]))) {
      button->setToolButtonStyle(width() < kIconsOnly ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
      m_actions[id]->setIconText(QStringLiteral(" ") + text); // the style puts no room between icon and word
    }
}

void MainWindow::connectActions() {
  m_saving = new Saving(m_document, *m_banner, this);
  m_editing = new Editing(m_document, *m_banner, m_actions, [this] { return selection(); }, this);
  connect(m_editing, &Editing::openRequested, this, &MainWindow::openElsewhere);
  m_comparing = new Comparing(m_document, *m_banner, *m_tabs, m_actions, this);
  connect(m_comparing, &Comparing::nodeChosen, this, [this](const Ref& ref) { navigate(ref); });
  connect(m_comparing, &Comparing::selectionText, this, [this](const QString& text) { m_status->setSelection(text); });
  m_running = new Running(m_document, *m_banner, *m_bottom, m_actions, [this] { return selection(); }, this);
  connect(m_running, &Running::nodeChosen, this, [this](const Ref& ref) { navigate(ref); });
  m_checking = new Checking(m_document, *m_banner, *m_problems, m_actions, this);
  connect(m_checking, &Checking::checked, this, [this] {
    showBadges();
    m_bottom->openPanel(m_problemsTab);
  });
  using enum ActionId;
  const auto on = [this](ActionId id, auto run) { connect(m_actions[id], &QAction::triggered, this, run); };
  const auto page = [this]() -> PageWidget* { return currentView() ? currentView()->current() : nullptr; };
  on(Open, [this] { chooseFile(); });
  on(OpenFolder, [this] { chooseFolder(); });
  on(Reload, [this] { m_document.reload(); });
  const auto here = [this] { return m_picked ? m_chosen : m_tabs->place(); };
  on(SaveBytes, [this, here] { m_saving->askForBytes(here()); });
  on(SaveTensor, [this, here] { m_saving->askForTensor(here()); });
  on(ExportFolder, [this] { m_saving->askForFolder(); });
  on(Rename, [this, page] {
    // On the page of fields the key is for the value.
    if (!(page() && partOf(selection()) == "field" && page()->editSelection())) m_editing->askForName(selection());
  });
  on(CloseTab, [this] { m_tabs->closeCurrent(); });
  on(Quit, [] { QApplication::closeAllWindows(); });
  on(Copy, [this] { copy(); });
  on(CopyReference, [here] { QGuiApplication::clipboard()->setText(wholeToQt(here().toString())); });
  on(CopyDetails, [this] { QGuiApplication::clipboard()->setText(m_details->text()); });
  on(FindHere, [this, page] { page() ? page()->openFind() : m_comparing->openFind(); });
  on(FindNext, [this, page] { page() ? page()->findNext(false) : m_comparing->findNext(false); });
  on(FindPrevious, [this, page] { page() ? page()->findNext(true) : m_comparing->findNext(true); });
  on(FindEverywhere, [this] {
    m_bottom->openPanel(m_searchTab);
    m_search->open();
  });
  on(ShowContents, [this] { m_contentsDock->setVisible(m_contentsDock->isHidden()); });
  on(ShowDetails, [this] { m_detailsDock->setVisible(m_detailsDock->isHidden()); });
  on(ShowBottom, [this] { m_bottom->isOpen() ? m_bottom->closePanel() : m_bottom->openPanel(m_bottom->current()); });
  on(ShowChanges, [this] {
    m_bottom->openPanel(m_changesTab);
    m_changes->view().setFocus();
  });
  on(SwitchTheme, [this] { switchTheme(); });
  on(Back, [this] { m_tabs->step(-1); });
  on(Forward, [this] { m_tabs->step(1); });
  on(Palette, [this] { openPalette(); });
  on(GoTo, [page] {
    if (page()) page()->openGoTo();
  });
  on(NextTab, [this] { m_tabs->stepTab(1); });
  on(PreviousTab, [this] { m_tabs->stepTab(-1); });
  const auto stepProblem = [this](bool backwards) {
    m_bottom->openPanel(m_problemsTab);
    m_problems->step(backwards);
  };
  on(NextProblem, [stepProblem] { stepProblem(false); });
  on(PreviousProblem, [stepProblem] { stepProblem(true); });
  on(NextPanel, [this] { stepPanel(1); });
  on(PreviousPanel, [this] { stepPanel(-1); });
  on(ToPage, [page] {
    if (page()) page()->setFocus();
  });
  on(Help, [this] {
    // The keyboard's place tells when the mouse is elsewhere.
    QWidget* const under = QApplication::widgetAt(QCursor::pos());
    openHelp(HelpWindow::topicOf(under && under->window() == this ? under : QApplication::focusWidget()));
  });
  on(HelpIndex, [this] { openHelp(QStringLiteral("index")); });
  on(About, [this] {
    showAbout(tr("About Blobscope"),
              tr("<b>Blobscope %1</b><p>Looks into the libraries that Apache TVM exports, without executing "
                 "them.<p>Apache-2.0")
                  .arg(QApplication::applicationVersion()),
              this);
  });
  // Elsewhere the key deletes something else.
  m_actions[Remove]->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  m_contents->tree().addAction(m_actions[Remove]);
  // Ctrl+9 is Details.
  for (int number = 1; number <= 8; ++number) {
    auto* const shortcut = new QAction(this);
    shortcut->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number)));
    connect(shortcut, &QAction::triggered, this, [this, number] {
      if (NodeView* const view = currentView()) view->showPage(number - 1);
    });
    addAction(shortcut);
  }
  for (QDockWidget* dock : {m_contentsDock, m_detailsDock}) {
    QAction* const shown = m_actions[dock == m_contentsDock ? ShowContents : ShowDetails];
    shown->setCheckable(true);
    connect(dock, &QDockWidget::visibilityChanged, this, [dock, shown] { shown->setChecked(!dock->isHidden()); });
  }
}

void MainWindow::connectDocument() {
  connect(&m_document, &Document::opened, this, &MainWindow::showOpened);
  connect(&m_document, &Document::edited, this, [this](const Document::StatePtr& before) { showEdited(*before); });
  connect(&m_document, &Document::modifiedChanged, this, &MainWindow::updateState);
  connect(&m_document, &Document::failed, this, &MainWindow::showFailure);
  connect(&m_document, &Document::cancelled, this, [this](const QString& path) {
    m_banner->tell(Banner::Kind::Note, tr("Cancelled."),
                   tr("%1 was not opened; what was shown before is unchanged.").arg(QFileInfo(path).fileName()),
                   {{tr("Open again"), [this, path] { m_document.open(path); }}, {tr("Close"), [] {}}});
  });
  Jobs& jobs = m_document.jobs();
  connect(&jobs, &Jobs::started, this, &MainWindow::tellJob);
  connect(&jobs, &Jobs::progressed, this, [this](const QString& tag, const QString& what, quint64 done, quint64 total) {
    if (tag == m_progressTag) m_progress->tell(what, done, total);
  });
  connect(&jobs, &Jobs::finished, this, [this](const QString& tag) {
    if (tag != m_progressTag) return;
    m_progressTag.clear();
    m_progress->end();
  });
}

// --- 2. Opening
// -------------------------------------------------------------------------------------------------------

bool MainWindow::isUntouchedSample() const {
  return m_document.state() && !m_touched && m_document.state()->edits.empty() && !m_document.isEditing() &&
         !sampleFolder().isEmpty() && m_document.path().startsWith(sampleFolder() + QLatin1Char('/'));
}

void MainWindow::openElsewhere(const QString& path) {
  auto* const other = new MainWindow;
  other->setAttribute(Qt::WA_DeleteOnClose);
  other->move(pos() + QPoint(32, 32));
  other->document().setMemoryLimit(m_document.memoryLimit());
  other->show();
  other->openFile(path);
}

void MainWindow::openFile(const QString& path) {
  if (m_document.state() && !isUntouchedSample()) {
    openElsewhere(path);
    return;
  }
  m_banner->hide();
  m_document.open(QFileInfo(path).absoluteFilePath());
}

void MainWindow::openFiles(const QStringList& paths) {
  // One window, one document: the first stays here, the others would only end its opening.
  for (const QString& path : paths) path == paths.first() ? openFile(path) : openElsewhere(path);
}

void MainWindow::chooseFile() {
  const QString folder = m_document.path().isEmpty() ? QString() : QFileInfo(m_document.path()).path();
  const QStringList paths =
      QFileDialog::getOpenFileNames(this, tr("Open a library"), folder,
                                    tr("Libraries and archives (*.so *.so.* *.dll *.dylib *.wasm *.o *.obj *.a *.lib "
                                       "*.tar *.tar.gz *.tgz *.tar.zst *.zip *.c);;All files (*)"));
  openFiles(paths);
}

void MainWindow::makeRoom(bool wide) {
  if (m_wide == wide) return;
  m_wide = wide;
  const std::array<QDockWidget*, 2> docks = {m_contentsDock, m_detailsDock};
  for (std::size_t i = 0; i < docks.size(); ++i) {
    if (wide) m_docksBefore[i] = !docks[i]->isHidden();
    docks[i]->setVisible(!wide && m_docksBefore[i]);
  }
}

void MainWindow::chooseFolder() {
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Open an unpacked archive"),
                                        m_document.path().isEmpty() ? QString() : QFileInfo(m_document.path()).path());
  if (!folder.isEmpty()) openFile(folder);
}

void MainWindow::tellJob(const QString& tag) {
  // The details of a selection and the pages of a tab are there before anybody could read the words.
  if (!m_progressTag.isEmpty() || tag == QLatin1String("details") || tag == SearchPanel::tag() ||
      tag.startsWith(Journal::tag()) || tag.startsWith(QLatin1String("compare/")))
    return;
  m_progressTag = tag;
  m_progress->begin(tag == Document::openTag()   ? tr("Opening %1").arg(QFileInfo(m_document.openingPath()).fileName())
                    : tag == Document::editTag() ? tr("Changing")
                    : tag == Checking::tag()     ? tr("Checking")
                    : tag == Comparing::tag()    ? tr("Opening the other file")
                                                 : tr("Working"));
}

void MainWindow::cancelWork() {
  if (m_progressTag == Document::openTag()) {
    m_document.cancelOpening();
    return;
  }
  m_progressTag == Document::editTag() ? m_document.cancelEditing() : m_document.jobs().cancel(m_progressTag);
  m_banner->tell(Banner::Kind::Note, tr("Cancelled."), tr("What was shown before is unchanged."),
                 {{tr("Close"), [] {}}});
}

void MainWindow::showDocks() {
  const QSettings settings;
  const bool kept = restoreState(settings.value(QStringLiteral("docks")).toByteArray());
  if (!kept) {
    resizeDocks({m_contentsDock, m_detailsDock}, {kContents, kDetails}, Qt::Horizontal);
    m_contentsDock->show();
    m_detailsDock->show();
  }
  m_toolBar->show();
  m_bottomDock->show();
  if (width() < kNarrowDetails) m_detailsDock->hide();
  if (width() < kNarrowContents) m_contentsDock->hide();
}

void MainWindow::showOpened() {
  const Document::State& state = *m_document.state();
  const bool reloaded = m_tabs->count() > 0 && m_document.isReloaded();
  m_banner->hide();
  recent::add(describeRecent(m_document.path(), state));
  m_start->setRecent(recent::load());

  if (!reloaded) m_tabs->clear();
  m_contents->setRows(state.contents, reloaded
                                          ? ContentsPanel::Follow([](const Ref& ref) { return std::optional(ref); })
                                          : ContentsPanel::Follow());
  m_search->reset();
  showFindings();
  m_centre->setCurrentIndex(1);
  if (reloaded) {
    m_tabs->refresh();
    m_comparing->follow();
    if (currentView()) m_details->showNode(m_document, currentView()->ref());
  } else {
    m_touched = false;
    m_chosen = Ref::file();
    showDocks();
    navigate(Ref::file());
    m_contents->tree().setFocus();
  }
  if (m_openAt) navigate(*std::exchange(m_openAt, std::nullopt));
  updateState();
}

void MainWindow::showFindings() {
  const Document::State& state = *m_document.state();
  m_problems->setReport(state.report);
  showBadges();
}

void MainWindow::showBadges() {
  const Document::State& state = *m_document.state();
  QVector<BottomPanel::Badge> badges;
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    if (const int count = m_problems->model().count(severity); count > 0)
      badges.append({severityIcon(severity), static_cast<int>(severityRole(severity)), QString::number(count)});
  if (badges.isEmpty()) badges.append({QStringLiteral("ok"), static_cast<int>(Role::Ok), QStringLiteral("0")});
  m_bottom->setBadges(m_problemsTab, badges);
  m_changes->setChanges(state.changes);
  m_bottom->setBadges(m_changesTab,
                      state.changes.empty()
                          ? QVector<BottomPanel::Badge>()
                          : QVector<BottomPanel::Badge>{{QStringLiteral("repack"), static_cast<int>(Role::Changed),
                                                         QString::number(state.changes.size())}});
}

void MainWindow::showEdited(const Document::State& before) {
  m_touched = true;
  const auto follow = [&](const Ref& ref) { return m_document.follow(before, ref); };
  const Ref chosen = follow(m_chosen).value_or(Ref::file());
  m_contents->setRows(m_document.state()->contents, follow);
  showFindings();
  m_tabs->refresh(follow);
  m_comparing->follow();
  m_picked = m_picked && chosen != Ref::file();
  m_chosen = chosen == Ref::file() && currentView() ? currentView()->ref() : chosen;
  m_details->showNode(m_document, m_chosen);
  updateState();
}

void MainWindow::showFailure(const QString& path, const QString& message) {
  m_banner->tell(Banner::Kind::Error, tr("%1 cannot be opened.").arg(QFileInfo(path).fileName()), message,
                 {{tr("Open another…"), [this] { chooseFile(); }}, {tr("Close"), [] {}}});
}

// --- 3. Going about
// ---------------------------------------------------------------------------------------------------

QTreeView& MainWindow::tree() { return m_contents->tree(); }

NodeView* MainWindow::currentView() const { return m_tabs->current(); }

void MainWindow::navigate(const Ref& ref, const QString& page) {
  if (!m_document.state()) return;
  if (ref == Ref::file() && page == QLatin1String(view::page_id::kProblems)) {
    m_bottom->openPanel(m_problemsTab);
    return;
  }
  m_tabs->show(ref, page);
}

void MainWindow::nodeChosen(const Ref& ref, bool open) {
  m_touched = true;
  if (open) {
    navigate(ref);
    return;
  }
  choose(ref);
  m_details->showNode(m_document, ref);
}

void MainWindow::choose(const Ref& ref) {
  m_chosen = ref;
  m_picked = true;
  m_editing->updateActions();
}

void MainWindow::openContentsMenu(const Ref& ref, const QPoint& place) {
  choose(ref);
  auto* const menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addActions(m_editing->fitting(ref));
  if (!menu->isEmpty()) menu->addSeparator();
  menu->addAction(m_actions[ActionId::SaveBytes]);
  menu->addAction(m_actions[ActionId::CopyReference]);
  menu->popup(place);
}

// --- 4. Actions
// -------------------------------------------------------------------------------------------------------

void MainWindow::openPalette() {
  QVector<CommandPalette::Entry> entries;
  if (const Document::StatePtr state = m_document.state())
    for (std::size_t i = 0; i < state->contents.size(); ++i) {
      const library::ContentsRow& row = state->contents[i];
      const KindLook look = kindLook(row.kind, toQt(row.moduleKey));
      QString detail = toQt(row.ref.shown());
      if (!row.page.empty()) detail = toQt(row.page);
      entries.append({toQt(row.name), detail, icon(look.icon, look.role),
                      [this, state, i] { navigate(state->contents[i].ref, toQt(state->contents[i].page)); }});
    }
  for (QAction* action : m_actions.all())
    if (action->isEnabled())
      entries.append({action->text().remove(QLatin1Char('&')), action->shortcut().toString(QKeySequence::NativeText),
                      action->icon(), [action] { action->trigger(); }});
  auto* const palette = new CommandPalette(std::move(entries), this);
  palette->setAttribute(Qt::WA_DeleteOnClose);
  palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, m_toolBar->geometry().bottom() + 8)));
  palette->open();
}

void MainWindow::openHelp(const QString& topic) {
  if (!m_help) m_help = new HelpWindow(this);
  m_help->showTopic(topic);
}

void MainWindow::copy() {
  // What has the keyboard knows what is selected in it.
  if (QWidget* const focus = QApplication::focusWidget()) {
    QKeyEvent press(QEvent::KeyPress, Qt::Key_C, Qt::ControlModifier);
    QApplication::sendEvent(focus, &press);
  }
}

void MainWindow::switchTheme() {
  setTheme(theme().isDark() ? Theme::light() : Theme::dark());
  QSettings().setValue(QStringLiteral("theme"), theme().isDark() ? QStringLiteral("dark") : QStringLiteral("light"));
}

void MainWindow::stepPanel(int by) {
  QVector<QWidget*> panels;
  if (!m_document.state()) {
    m_start->setFocus();
    return;
  }
  if (!m_contentsDock->isHidden()) panels << &m_contents->tree();
  if (PageWidget* const page = currentView() ? currentView()->current() : nullptr)
    panels << page;
  else if (m_tabs->otherPage())
    panels << m_tabs->otherPage();
  if (!m_detailsDock->isHidden()) panels << m_details;
  if (m_bottom->isOpen())
    panels << std::array<QWidget*, 4>{m_problems, m_search, m_changes,
                                      &m_running->panel()}[static_cast<std::size_t>(m_bottom->current())];
  const QWidget* const focus = QApplication::focusWidget();
  int at = 0;
  for (int i = 0; i < panels.size(); ++i)
    if (focus && (panels[i] == focus || panels[i]->isAncestorOf(focus))) at = i;
  QWidget* const next = panels[(at + by + static_cast<int>(panels.size())) % static_cast<int>(panels.size())];
  // The first child that takes the keyboard, unless the panel takes it itself.
  QWidget* target = next->focusProxy() ? next->focusProxy() : next;
  if (target->focusPolicy() == Qt::NoFocus)
    for (QWidget* child : next->findChildren<QWidget*>())
      if (child->isVisible() && child->isEnabled() && (child->focusPolicy() & Qt::TabFocus)) {
        target = child;
        break;
      }
  target->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::updateState() {
  using enum ActionId;
  const bool open = m_document.state() != nullptr;
  m_actions[Back]->setEnabled(m_tabs->canStep(-1));
  m_actions[Forward]->setEnabled(m_tabs->canStep(1));
  for (const ActionId id :
       {Reload,          Compare,     Check,         SaveFindings, SaveBytes,    SaveTensor,     ExportFolder,
        CopyReference,   CopyDetails, FindHere,      FindNext,     FindPrevious, FindEverywhere, ShowContents,
        ShowDetails,     ShowBottom,  ShowChanges,   GoTo,         NextTab,      PreviousTab,    NextProblem,
        PreviousProblem, NextPanel,   PreviousPanel, ToPage,       Copy})
    m_actions[id]->setEnabled(open);
  m_actions[CloseTab]->setEnabled(m_tabs->count() > 1);
  m_actions[CompareChanges]->setEnabled(open && !m_document.state()->edits.empty());
  m_editing->updateActions();
  // In a title "[*]" is the mark of a modified file; a name that holds it is doubled.
  const QString name = QFileInfo(m_document.path()).fileName().replace(QLatin1String("[*]"), QLatin1String("[*][*]"));
  setWindowTitle(plainLine(open ? tr("%1[*] – Blobscope").arg(plainLine(name)) : QStringLiteral("Blobscope")));
  setWindowModified(m_document.isModified());
  if (m_statusState != m_document.state() || !open) m_status->setState(m_document.state());
  m_statusState = m_document.state();
}

// --- 5. The window itself
// ---------------------------------------------------------------------------------------------

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  // Two files are two builds, for the most part.
  if (paths.size() == 2 && (!m_document.state() || isUntouchedSample()))
    m_comparing->offer(paths, [this, paths] { openFiles(paths); });
  else
    openFiles(paths);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!m_editing->mayClose()) {
    event->ignore();
    return;
  }
  QSettings settings;
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  // Docks that closed because the window is narrow are not the user's wish.
  if (m_document.state() && width() >= kNarrowDetails) settings.setValue(QStringLiteral("docks"), saveState());
  QMainWindow::closeEvent(event);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) {
    QMainWindow::keyPressEvent(event);
    return;
  }
  if (m_progress->isVisible())
    cancelWork();
  else
    m_actions[ActionId::ToPage]->trigger();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  updateCompactness();
  if (!m_document.state() || event->oldSize().width() < 0) return;
  const auto narrowed = [&](int border) {
    return event->oldSize().width() >= border && event->size().width() < border;
  };
  const auto widened = [&](int border) { return event->oldSize().width() < border && event->size().width() >= border; };
  if (narrowed(kNarrowDetails)) m_detailsDock->hide();
  if (narrowed(kNarrowContents)) m_contentsDock->hide();
  if (widened(kNarrowDetails)) m_detailsDock->show();
  if (widened(kNarrowContents)) m_contentsDock->show();
}

} // namespace blobscope::ui
