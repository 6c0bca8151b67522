#include "ui/window/main_window.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/run/archive.h"
#include "core/view/page_id.h"
#include "ui/pages/checklist_page.h"
#include "ui/pages/hex_page.h"
#include "ui/pages/kind_look.h"
#include "ui/pages/node_view.h"
#include "ui/pages/text_compiling.h"
#include "ui/session/recent_files.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/text/severity_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/boxes.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/severity_role.h"
#include "ui/widgets/tool_button.h"
#include "ui/window/checking.h"
#include "ui/window/comparing.h"
#include "ui/window/dialogs/fix_dialog.h"
#include "ui/window/dialogs/palette_entries.h"
#include "ui/window/editing.h"
#include "ui/window/files_checking.h"
#include "ui/window/files_view.h"
#include "ui/window/fixing.h"
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
#include "ui/window/part_files.h"
#include "ui/window/preferences.h"
#include "ui/window/running.h"
#include "ui/window/saving.h"
#include "ui/window/session_keeper.h"
#include "ui/window/start_page.h"
#include "ui/window/status_line.h"
#include "ui/window/theme_choice.h"
#include "ui/window/window_place.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

/// A property of the application: the number of windows made so far.
constexpr char kWindowCount[] = "windowCount";

/// From this width on, pages that need the width have room beside Details.
constexpr int kWideEnough = 1'600;

/// The state of the docks is that of one direction of the layout.
QString docksKey() {
  return QGuiApplication::isRightToLeft() ? QStringLiteral("docksMirrored") : QStringLiteral("docks");
}

} // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), m_actions(this, menuBar()) {
  forbidLongWork();
  setAcceptDrops(true);
  m_drop = new DropArea([this](const QStringList& paths) { return dropChoices(paths); }, this);
  setMinimumSize(640, 420);
  setDockOptions(QMainWindow::AllowTabbedDocks);
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  setContextMenuPolicy(Qt::NoContextMenu);
  setProperty("helpTopic", QStringLiteral("window"));
  makeContents();
  makeDetails();
  makeBottom();
  makeCentre();
  makeToolBar();
  m_status = new StatusLine(this);
  statusBar()->setSizeGripEnabled(false);
  statusBar()->setFixedHeight(metrics::kStatusBar);
  statusBar()->addWidget(m_status, 1);
  makeParts();
  connectMenus();
  connectFileActions();
  connectViewActions();
  connectWindowActions();
  connectFindActions();
  connectHelpActions();
  connectShortcuts();
  connectDocument();

  const int made = qApp->property(kWindowCount).toInt();
  m_number = made + 1;
  qApp->setProperty(kWindowCount, m_number);
  m_document.setMemoryLimit(Preferences::load().memoryBytes());
  placeAtStart(QSettings().value(QStringLiteral("geometry")).toByteArray());
  updateRecent();
  updateState();
}

MainWindow::~MainWindow() {
  // The views disconnect from the jobs of the document in their destructors; the document is a member and would be
  // destroyed before them. Signals of the jobs would reach parts of the window that no longer exist.
  m_document.disconnect(this);
  m_document.jobs().disconnect(this);
  delete m_fixing->dialog();
  delete takeCentralWidget();
}

// --- 1. Opening

bool MainWindow::isUntouchedSample() const {
  return m_document.state() && !m_touched && m_document.state()->edits.empty() && !m_document.isEditing() &&
         !sampleFolder().isEmpty() && m_document.path().startsWith(sampleFolder() + QLatin1Char('/'));
}

MainWindow* MainWindow::makeOther() {
  auto* const other = new MainWindow;
  other->setAttribute(Qt::WA_DeleteOnClose);
  other->placeBeside(*this);
  other->document().setMemoryLimit(m_document.memoryLimit());
  other->show();
  return other;
}

void MainWindow::openElsewhere(const QString& path) { makeOther()->openFile(path); }

void MainWindow::openFile(const QString& path) {
  if (m_document.state() && !isUntouchedSample()) {
    openElsewhere(path);
    return;
  }
  m_banner->hide();
  m_document.open(QFileInfo(path).absoluteFilePath());
}

void MainWindow::openListed(const QString& path, const Ref& ref) {
  const QString page = ref == Ref::file() ? QLatin1String(view::page_id::kPreflight) : QString();
  const QString whole = QFileInfo(path).absoluteFilePath();
  for (MainWindow* const window : all())
    if (window->m_document.state() && window->m_document.path() == whole) {
      window->bringToFront();
      window->navigate(ref, page);
      return;
    }
  MainWindow* const window = m_document.state() && !isUntouchedSample() ? makeOther() : this;
  window->m_openAt = ref;
  window->m_openPage = page;
  window->openFile(path);
}

void MainWindow::openFiles(const QStringList& paths) {
  // One window, one document: the first file opens here; opening others here would only cancel it.
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
  openDetails();
  m_wide = wide;
  for (SideDock* const side : sideDocks()) {
    if (wide) side->shownBefore = !side->dock->isHidden();
    side->dock->setVisible(!wide && side->shownBefore);
  }
}

void MainWindow::openDetails() {
  if (!std::exchange(m_isDetailsEdge, false)) return;
  m_detailsEdge->hide();
  m_detailsDock.dock->show();
}

void MainWindow::fitDetails() {
  const bool room = m_document.state() && !m_wide && width() >= m_detailsDock.narrow;
  const bool wide = room && width() < kWideEnough && !m_keepDetails && currentView() && currentView()->isWide();
  if (wide && !m_detailsDock.dock->isHidden()) {
    m_detailsDock.dock->hide();
    m_isDetailsEdge = true;
  } else if (!wide && std::exchange(m_isDetailsEdge, false) && room) {
    m_detailsDock.dock->show();
  }
  m_detailsEdge->setVisible(m_isDetailsEdge);
}

void MainWindow::chooseFolder() {
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Open the folder of an unpacked archive"),
                                        m_document.path().isEmpty() ? QString() : QFileInfo(m_document.path()).path());
  if (!folder.isEmpty()) openFile(folder);
}

QString MainWindow::workTitle(const QString& tag) const {
  if (tag == Document::openTag()) return tr("Opening %1").arg(QFileInfo(m_document.openingPath()).fileName());
  if (tag == Document::editTag()) return tr("Applying the change");
  if (tag == Checking::tag()) return tr("Checking the file");
  if (tag == Comparing::tag()) return tr("Opening the other file");
  if (tag.startsWith(ChecklistPage::tagPrefix())) return tr("Checking the target");
  if (tag.startsWith(FilesView::tagPrefix())) return tr("Checking the libraries");
  if (tag.startsWith(TextCompiling::tagPrefix())) return tr("Compiling");
  if (tag == PartFiles::tag()) return tr("Writing the file to drag");
  return {};
}

void MainWindow::updateProgress(const QString& tag) {
  // Details and pages of a tab are ready before anyone could read the text.
  if (tag == QLatin1String("details") || tag == SearchPanel::tag() || tag.startsWith(LoadCheck::tag()) ||
      tag.startsWith(Journal::tag()) || tag == ByteNotes::tag() || tag.startsWith(HexPage::tagPrefix()) ||
      tag.startsWith(QLatin1String("compare/")))
    return;
  // What the user has asked for comes before other work, so that Cancel ends it.
  const QString title = workTitle(tag);
  if (!m_progressTag.isEmpty() && (title.isEmpty() || !workTitle(m_progressTag).isEmpty())) return;
  m_progressTag = tag;
  m_progress->begin(title.isEmpty() ? tr("Working") : title);
}

void MainWindow::cancelWork() {
  if (m_progressTag == Document::openTag()) {
    m_document.cancelOpening();
    return;
  }
  m_progressTag == Document::editTag() ? m_document.cancelEditing() : m_document.jobs().cancel(m_progressTag);
  m_banner->showMessage(Banner::Kind::Note, tr("Cancelled."), tr("The content of the window has not changed."),
                        {{tr("Close"), [] {}}}, Banner::Lasts::UntilMoved);
}

void MainWindow::showDocks() {
  const QSettings settings;
  const bool kept = restoreState(settings.value(docksKey()).toByteArray());
  if (!kept) {
    resizeDocks({m_contentsDock.dock, m_detailsDock.dock}, {m_contentsDock.width, m_detailsDock.width}, Qt::Horizontal);
    for (const SideDock* const side : sideDocks()) side->dock->show();
  }
  m_toolBar->show();
  m_isDetailsEdge = false;
  m_detailsEdge->hide();
  m_bottomDock->show();
  for (const SideDock* const side : sideDocks())
    if (width() < side->narrow) side->dock->hide();
}

void MainWindow::showOpened() {
  const Document::State& state = *m_document.state();
  const bool reloaded = m_tabs->count() > 0 && m_document.isReloaded();
  m_banner->hide();
  recent::add(describeRecent(m_document.path(), state));
  updateRecentEverywhere();

  if (!reloaded) m_tabs->clear();
  m_contents->setRows(state.contents, reloaded
                                          ? ContentsPanel::Follow([](const Ref& ref) { return std::optional(ref); })
                                          : ContentsPanel::Follow());
  m_contents->setChanged(m_document.changedPlaces());
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
  if (m_restoring && !reloaded) restoreTabs();
  if (m_openAt) {
    navigate(*std::exchange(m_openAt, std::nullopt), std::exchange(m_openPage, {}));
    if (currentView()) currentView()->takeFocus();
  }
  updateState();
  if (SessionKeeper* const keeper = SessionKeeper::ofApplication()) keeper->changed();
}

void MainWindow::showFindings() {
  std::shared_ptr<const check::Report> report = m_document.state()->report;
  if (const LoadCheck::SummaryPtr& summary = m_document.loadCheck().summary(); summary && !summary->issues.empty()) {
    auto all = std::make_shared<check::Report>(*report);
    all->add(summary->issues);
    report = std::move(all);
  }
  m_problems->setReport(report);
  showBadges();
}

void MainWindow::showBadges() {
  const Document::State& state = *m_document.state();
  QVector<BottomPanel::Badge> badges;
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    if (const int count = m_problems->model().count(severity); count > 0)
      badges.append({severityIcon(severity), static_cast<int>(severityRole(severity)), QString::number(count)});
  if (badges.isEmpty()) badges.append({QStringLiteral("ok"), static_cast<int>(Role::Ok), QStringLiteral("0")});
  m_bottom->setBadges(m_problems, badges);
  m_changes->setChanges(state.changes);
  m_bottom->setBadges(m_changes, state.changes.empty() ? QVector<BottomPanel::Badge>()
                                                       : QVector<BottomPanel::Badge>{
                                                             {QStringLiteral("repack"), static_cast<int>(Role::Changed),
                                                              QString::number(state.changes.size())}});
}

void MainWindow::showEdited(const Document::State& before) {
  m_banner->endEdited();
  m_touched = true;
  const auto follow = [&](const Ref& ref) { return m_document.follow(before, ref); };
  const Ref chosen = follow(m_chosen).value_or(Ref::file());
  const bool isRemoved = !follow(m_chosen);
  const bool isList = m_listChosen;
  m_contents->setRows(m_document.state()->contents, follow);
  m_contents->setChanged(m_document.changedPlaces());
  showFindings();
  m_tabs->refresh(follow);
  m_tabs->keepPreview(); // an edited node must stay visible
  m_comparing->follow();
  m_hasSelection = m_hasSelection && chosen != Ref::file();
  m_chosen = chosen == Ref::file() && currentView() ? currentView()->ref() : chosen;
  m_listChosen = (isList || isRemoved) && m_contents->listsPartsOf(m_chosen);
  m_details->showNode(m_document, m_chosen);
  updateState();
}

void MainWindow::showFailure(const QString& path, const QString& message) {
  const Banner::Action another = {tr("Open another…"), [this] { chooseFile(); }};
  const Banner::Action checkAll = {tr("Check the libraries in it"), [this, path] { m_filesChecking->check({path}); }};
  m_banner->showMessage(Banner::Kind::Error, tr("%1 cannot be opened.").arg(QFileInfo(path).fileName()), message,
                        {QFileInfo(path).isDir() ? checkAll : another, {tr("Close"), [] {}}});
}

// --- 2. Navigation

NodeView* MainWindow::currentView() const { return m_tabs->current(); }

PageWidget* MainWindow::currentPage() const { return currentView() ? currentView()->current() : nullptr; }

Ref MainWindow::place() const { return m_hasSelection ? m_chosen : m_tabs->place(); }

void MainWindow::navigate(const Ref& ref, const QString& page, TabKind kind) {
  if (!m_document.state()) return;
  if (ref == Ref::file() && page == QLatin1String(view::page_id::kProblems)) {
    m_bottom->openPanel(m_problems);
    return;
  }
  m_tabs->show(ref, page, kind);
}

void MainWindow::editText(const Ref& ref) {
  navigate(ref, {}, TabKind::Kept);
  std::optional<Ref::Part> part;
  if (!ref.parts.empty()) part = ref.parts.back();
  if (currentView()) currentView()->editText(part);
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

/// A row of Contents: a node, or with a page a list of its parts.
void MainWindow::rowChosen(const Ref& ref, const QString& page) {
  if (m_chosen == ref && m_listChosen != page.isEmpty()) return;
  m_step.reset();
  nodeChosen(ref, false);
  m_listChosen = !page.isEmpty();
  m_editing->updateActions();
}

void MainWindow::choose(const Ref& ref) {
  m_chosen = ref;
  m_hasSelection = true;
  m_listChosen = false;
  m_editing->updateActions();
}

// --- 3. Actions

void MainWindow::openPalette() {
  const Document::StatePtr state = m_document.state();
  const PaletteGo go = [this](const Ref& ref, const QString& page) { navigate(ref, page); };
  QVector<CommandPalette::Entry> entries = state ? paletteEntries(state, go) : QVector<CommandPalette::Entry>();
  for (QWidget* const page : m_tabs->pages())
    if (const auto* const view = qobject_cast<NodeView*>(page); view && state)
      entries += pageEntries(QFileInfo(m_document.path()).fileName(), view->ref(), view->pageNames(), go);
  for (QAction* action : m_actions.all()) {
    if (action->menu()) continue;
    const QString text = action->text().remove(QLatin1Char('&'));
    if (action->isEnabled())
      entries.append({text, tr("action"), action->shortcut().toString(QKeySequence::NativeText), action->icon(),
                      [action] { action->trigger(); }});
    else
      entries.append({text,
                      tr("action"),
                      state ? m_editing->why(static_cast<ActionId>(action->data().toInt()), editTarget())
                            : tr("Open a file first."),
                      action->icon(),
                      {}});
  }
  const auto placeOf = [state, go](const QString& typed) {
    return state ? paletteEntryOf(*state->package, typed, go) : std::nullopt;
  };
  auto* const palette = new CommandPalette(std::move(entries), placeOf, this);
  palette->setAttribute(Qt::WA_DeleteOnClose);
  palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, m_toolBar->geometry().bottom() + 8)));
  palette->open();
}

void MainWindow::openHelp(const QString& topic) {
  if (!m_help) m_help = new HelpWindow(this);
  m_help->showTopic(topic);
}

void MainWindow::copy() {
  // The widget with the keyboard focus knows its selection.
  if (QWidget* const focus = QApplication::focusWidget()) {
    QKeyEvent press(QEvent::KeyPress, Qt::Key_C, Qt::ControlModifier);
    QApplication::sendEvent(focus, &press);
  }
}

void MainWindow::switchTheme() {
  chooseTheme(theme().isDark() ? ThemeChoice::Light : ThemeChoice::Dark);
  updateThemeAction();
}

void MainWindow::updateThemeAction() {
  m_actions[ActionId::FollowSystem]->setChecked(themeChoice() == ThemeChoice::System);
}

QVector<QWidget*> MainWindow::panels() const {
  QVector<QWidget*> out;
  if (!m_contentsDock.dock->isHidden()) out << &m_contents->tree();
  if (PageWidget* const page = currentPage())
    out << page;
  else if (m_tabs->otherPage())
    out << m_tabs->otherPage();
  if (!m_detailsDock.dock->isHidden()) out << m_details;
  if (m_bottom->isOpen()) out << m_bottom->current();
  return out;
}

void MainWindow::stepPanel(int by) {
  if (!m_document.state() && m_tabs->count() == 0) {
    m_start->setFocus();
    return;
  }
  const QVector<QWidget*> panels = this->panels();
  const QWidget* const focus = QApplication::focusWidget();
  int at = 0;
  for (int i = 0; i < panels.size(); ++i)
    if (focus && (panels[i] == focus || panels[i]->isAncestorOf(focus))) at = i;
  QWidget* const next = panels[(at + by + static_cast<int>(panels.size())) % static_cast<int>(panels.size())];
  // The first child that accepts the keyboard focus, unless the panel accepts it itself.
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
  // A folder can have a tab without an opened file.
  if (!open) m_centre->setCurrentIndex(m_tabs->count() > 0 ? 1 : 0);
  m_actions[Back]->setEnabled(m_tabs->canStep(-1));
  m_actions[Forward]->setEnabled(m_tabs->canStep(1));
  for (const ActionId id :
       {Reload,        Compare,         Check,      SaveFindings,  SaveBytes, SaveTensor,   ExportFolder,
        CopyReference, CopyDetails,     FindHere,   ReplaceHere,   FindNext,  FindPrevious, FindEverywhere,
        ShowContents,  ShowDetails,     ShowBottom, ShowChanges,   GoTo,      NextTab,      PreviousTab,
        NextProblem,   PreviousProblem, NextPanel,  PreviousPanel, ToPage,    Copy})
    m_actions[id]->setEnabled(open);
  m_actions[CloseTab]->setEnabled(m_tabs->canCloseCurrent());
  m_actions[CloseOtherTabs]->setEnabled(m_tabs->count() > 2 || (m_tabs->count() > 1 && !m_tabs->canCloseCurrent()));
  m_actions[KeepTab]->setEnabled(m_tabs->hasPreview());
  m_actions[ListTabs]->setEnabled(m_tabs->count() > 1);
  m_actions[CompareChanges]->setEnabled(open && !m_document.state()->edits.empty());
  const bool isArchive = open && run::isArchive(*m_document.state()->package);
  m_actions[CheckCode]->setEnabled(isArchive);
  m_actions[BuildArchive]->setEnabled(isArchive);
  m_actions[SavePicture]->setEnabled(open && currentPage() && currentPage()->hasPicture());
  m_editing->updateActions();
  // In a window title, "[*]" marks a modified file; in a name it is doubled.
  const QString name = QFileInfo(m_document.path()).fileName().replace(QLatin1String("[*]"), QLatin1String("[*][*]"));
  setWindowTitle(plainLine(open ? tr("%1[*] – Blobscope").arg(plainLine(name)) : QStringLiteral("Blobscope")));
  setWindowModified(m_document.isModified() || m_tabs->isTyping());
  fitDetails();
  if (m_statusState != m_document.state() || !open) m_status->setState(m_document.state());
  m_statusState = m_document.state();
}

// --- 4. The window itself

QVector<DropArea::Choice> MainWindow::dropChoices(const QStringList& paths) {
  const auto name = [](const QString& path) { return plainLine(QFileInfo(path).fileName()); };
  const bool empty = !m_document.state() || isUntouchedSample();
  const QString elsewhere = tr("in a new window");
  if (paths.size() == 1) {
    QVector<DropArea::Choice> choices = {
        {tr("Open %1").arg(name(paths[0])), empty ? QString() : elsewhere, [this, paths] { openFile(paths[0]); }}};
    if (QFileInfo(paths[0]).isDir())
      choices.append({tr("Check"), tr("which libraries in %1 load").arg(name(paths[0])),
                      [this, paths] { m_filesChecking->check(paths); }});
    else if (!empty)
      choices.append({tr("Compare"), tr("%1 with %2").arg(name(m_document.path()), name(paths[0])),
                      [this, paths] { m_comparing->compareWith(paths[0]); }});
    return choices;
  }
  // Two files are usually two builds.
  if (paths.size() == 2)
    return {{tr("Compare"), tr("%1 with %2").arg(name(paths[0]), name(paths[1])),
             [this, paths, empty] {
               MainWindow& window = empty ? *this : *makeOther();
               window.m_comparing->compareFiles(paths[0], paths[1]);
             }},
            {tr("Open both"), tr("each in a separate window"), [this, paths] { openFiles(paths); }}};
  return {{tr("Open %n file(s)", nullptr, pluralCount(static_cast<std::uint64_t>(paths.size()))),
           tr("each in a separate window"), [this, paths] { openFiles(paths); }},
          {tr("Check"), tr("which of them load"), [this, paths] { m_filesChecking->check(paths); }}};
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) { m_drop->enter(*event); }
void MainWindow::dragMoveEvent(QDragMoveEvent* event) { m_drop->move(*event); }
void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { m_drop->leave(); }
void MainWindow::dropEvent(QDropEvent* event) { m_drop->drop(*event); }

void MainWindow::closeEvent(QCloseEvent* event) {
  m_tabs->applyTyping();
  if (!m_editing->mayClose([this] { return m_tabs->isRefused(); })) {
    event->ignore();
    return;
  }
  if (SessionKeeper* const keeper = SessionKeeper::ofApplication()) keeper->closing();
  QSettings settings;
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  openDetails();
  // The narrow window may have hidden docks; that state is not stored.
  if (m_document.state() && width() >= m_detailsDock.narrow) settings.setValue(docksKey(), saveState());
  QMainWindow::closeEvent(event);
}

void MainWindow::placeAtStart(const QByteArray& geometry) {
  const bool stored = restoreGeometry(geometry);
  if (!stored) resize(1440, 900);
  if (isMaximized() || isFullScreen()) return;
  const QMargins frame = frameMargins(*this);
  const QVector<QRect> screens = availableScreens();
  // The system places the first window; its size must fit anywhere on the screen.
  const QPoint at = stored || screens.isEmpty() ? this->geometry().topLeft() : screens.first().topLeft();
  const QRect inside = placeInside(QRect(at, size()).marginsAdded(frame), screens).marginsRemoved(frame);
  if (stored)
    setGeometry(inside);
  else
    resize(inside.size());
  m_ownPlace = this->geometry();
}

void MainWindow::placeBeside(const MainWindow& other) {
  if (isMaximized() || isFullScreen()) return;
  const QMargins frame = frameMargins(other);
  const QRect wanted(other.geometry().topLeft() + QPoint(32, 32), size());
  setGeometry(placeInside(wanted.marginsAdded(frame), availableScreens()).marginsRemoved(frame));
  m_ownPlace = geometry();
}

void MainWindow::fitFrame() {
  // A size set by the user or the system stays.
  if (isMaximized() || isFullScreen() || size() != m_ownPlace.size()) return;
  const QMargins frame = frameMargins(*this);
  const QRect before = geometry().marginsAdded(frame), inside = placeInside(before, availableScreens());
  if (inside == before) return;
  setGeometry(inside.marginsRemoved(frame));
  m_ownPlace = geometry();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (event->spontaneous()) return;
  // Window managers report the size of the frame some time after the window is shown.
  constexpr int kFrameKnownMs = 300;
  QTimer::singleShot(0, this, &MainWindow::fitFrame);
  auto* const timer = new QTimer(this);
  timer->setObjectName(QStringLiteral("frame"));
  timer->setSingleShot(true);
  connect(timer, &QTimer::timeout, this, [this, timer] {
    fitFrame();
    timer->deleteLater();
  });
  timer->start(kFrameKnownMs);
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::ThemeChange && themeChoice() == ThemeChoice::System) applyThemeChoice();
  // Another window may have changed the choice.
  if (event->type() == QEvent::ActivationChange) updateThemeAction();
  if (event->type() == QEvent::WindowStateChange) m_actions[ActionId::FullScreen]->setChecked(isFullScreen());
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) {
    QMainWindow::keyPressEvent(event);
    return;
  }
  if (m_progress->isVisible()) {
    cancelWork();
    return;
  }
  if (const QWidget* const focus = QApplication::focusWidget();
      focus && m_bottom->isOpen() && m_bottom->isAncestorOf(focus))
    m_bottom->closePanel();
  m_actions[ActionId::ToPage]->trigger();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  updateCompactness();
  if (!m_document.state() || event->oldSize().width() < 0) return;
  for (const SideDock* const side : sideDocks()) {
    const bool before = event->oldSize().width() >= side->narrow, now = event->size().width() >= side->narrow;
    if (before != now) side->dock->setVisible(now);
  }
  fitDetails();
}

} // namespace blobscope::ui
