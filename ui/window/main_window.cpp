#include "ui/window/main_window.h"

#include "core/base/text.h"
#include "core/library/locator.h"
#include "ui/pages/node_view.h"
#include "ui/session/strings.h"
#include "ui/pages/kind_look.h"
#include "ui/theme/icons.h"
#include "ui/window/command_palette.h"
#include "ui/window/start_page.h"
#include "ui/window/tree_delegate.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

constexpr int kRecentFiles = 12;
constexpr int kNarrowDetails = 1180, kNarrowContents = 960;

QString recentKey() { return QStringLiteral("recent"); }

} // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), m_contents(new ContentsModel(this)), m_filteredContents(new QSortFilterProxyModel(this)) {
  setAcceptDrops(true);
  setMinimumSize(640, 420);
  setDockOptions(QMainWindow::AllowTabbedDocks);
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  makeCentre();
  makeDocks();
  makeActions();
  makeStatusBar();

  connect(&m_document, &Document::opening, this, [this] {
    // Work below 150 ms shows nothing.
    m_progressDelay.start(150);
  });
  connect(&m_progressDelay, &QTimer::timeout, this, [this] { m_progress->setVisible(m_document.isOpening()); });
  m_progressDelay.setSingleShot(true);
  connect(&m_document.jobs(), &Jobs::progressed, this, [this](const QString& tag, const QString& what, quint64 done, quint64 total) {
    if (tag != Document::openTag()) return;
    m_progressText->setText(total > 0 ? tr("Opening: %1, %2 %").arg(what).arg(done * 100 / total) : tr("Opening: %1").arg(what));
    m_progressBar->setRange(0, total > 0 ? 1000 : 0);
    if (total > 0) m_progressBar->setValue(static_cast<int>(done * 1000 / total));
  });
  connect(&m_document.jobs(), &Jobs::finished, this, [this](const QString& tag) {
    if (tag == Document::openTag()) m_progress->hide();
  });
  connect(&m_document, &Document::opened, this, &MainWindow::showOpened);
  connect(&m_document, &Document::failed, this, &MainWindow::showFailure);
  connect(&m_document, &Document::cancelled, this, [this](const QString& path) {
    showBanner(QStringLiteral("note"), tr("Opening %1 was cancelled.").arg(QFileInfo(path).fileName()),
               {{tr("Open again"), [this, path] { m_document.open(path); }}});
  });
  connect(&m_document, &Document::changedOnDisk, this, [this] {
    showBanner(QStringLiteral("warning"), tr("%1 changed on disk.").arg(QFileInfo(m_document.path()).fileName()),
               {{tr("Reload"), [this] { m_document.reload(); }}, {tr("Ignore"), [] {}}});
  });

  const QSettings settings;
  if (!restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray())) resize(1280, 820);
  m_start->setRecent(settings.value(recentKey()).toStringList());
  updateTitle();
  updateStatus();
}

MainWindow::~MainWindow() = default;

// --- 1. Building ------------------------------------------------------------------------------------------------------

void MainWindow::makeCentre() {
  m_centre = new QStackedWidget(this);
  m_start = new StartPage(m_centre);
  connect(m_start, &StartPage::openRequested, this, &MainWindow::chooseFile);
  connect(m_start, &StartPage::fileChosen, this, &MainWindow::openFile);
  connect(m_start, &StartPage::clearRecentRequested, this, [this] {
    QSettings().remove(recentKey());
    m_start->setRecent({});
  });
  m_centre->addWidget(m_start);

  auto* const work = new QWidget(m_centre);
  auto* const workLayout = new QVBoxLayout(work);
  workLayout->setContentsMargins(0, 0, 0, 0);
  workLayout->setSpacing(0);
  m_tabs = new QTabBar(work);
  m_tabs->setTabsClosable(true);
  m_tabs->setDocumentMode(true);
  m_tabs->setElideMode(Qt::ElideMiddle);
  m_tabs->setExpanding(false);
  m_tabs->setMovable(false);
  m_tabs->setUsesScrollButtons(true);
  m_tabs->setDrawBase(false);
  m_tabs->setAccessibleName(tr("Open nodes"));
  m_views = new QStackedWidget(work);
  workLayout->addWidget(m_tabs);
  workLayout->addWidget(m_views, 1);
  connect(m_tabs, &QTabBar::currentChanged, this, &MainWindow::activateTab);
  connect(m_tabs, &QTabBar::tabCloseRequested, this, &MainWindow::closeTab);
  m_centre->addWidget(work);

  // Banner and progress stand above whatever is shown, so that the earlier view stays usable.
  auto* const column = new QWidget(this);
  auto* const layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_progress = new QWidget(column);
  auto* const progressLayout = new QHBoxLayout(m_progress);
  progressLayout->setContentsMargins(12, 4, 12, 4);
  m_progressText = new QLabel(m_progress);
  m_progressBar = new QProgressBar(m_progress);
  m_progressBar->setTextVisible(false);
  m_progressBar->setFixedHeight(3);
  auto* const cancel = new QToolButton(m_progress);
  cancel->setText(tr("Cancel"));
  cancel->setShortcut(Qt::Key_Escape);
  connect(cancel, &QToolButton::clicked, &m_document, &Document::cancelOpening);
  progressLayout->addWidget(m_progressText);
  progressLayout->addWidget(m_progressBar, 1);
  progressLayout->addWidget(cancel);
  m_progress->hide();
  m_banner = new QWidget(column);
  m_banner->hide();
  layout->addWidget(m_progress);
  layout->addWidget(m_banner);
  layout->addWidget(m_centre, 1);
  setCentralWidget(column);
}

QWidget* MainWindow::dockTitle(const QString& text, QDockWidget* dock) {
  auto* const title = new QWidget(dock);
  title->setFixedHeight(metrics::kDockTitle);
  auto* const layout = new QHBoxLayout(title);
  layout->setContentsMargins(12, 0, 8, 0);
  auto* const label = new QLabel(text, title);
  QFont font = label->font();
  font.setWeight(QFont::DemiBold);
  label->setFont(font);
  layout->addWidget(label);
  layout->addStretch();
  auto* const close = new QToolButton(title);
  close->setIcon(icon(QStringLiteral("cancel")));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close %1").arg(text));
  close->setToolTip(tr("Close %1").arg(text));
  connect(close, &QToolButton::clicked, dock, &QDockWidget::hide);
  layout->addWidget(close);
  return title;
}

void MainWindow::makeDocks() {
  const auto dock = [this](const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area) {
    auto* const made = new QDockWidget(title, this);
    made->setObjectName(name);
    made->setWidget(content);
    made->setTitleBarWidget(dockTitle(title, made));
    addDockWidget(area, made);
    return made;
  };
  auto* const contents = new QWidget(this);
  auto* const layout = new QVBoxLayout(contents);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(4);
  m_treeFilter = new QLineEdit(contents);
  m_treeFilter->setPlaceholderText(tr("Filter by name or kind"));
  m_treeFilter->setClearButtonEnabled(true);
  m_treeFilter->addAction(icon(QStringLiteral("find")), QLineEdit::LeadingPosition);
  auto* const filterBox = new QHBoxLayout;
  filterBox->setContentsMargins(8, 0, 8, 0);
  filterBox->addWidget(m_treeFilter);
  layout->addLayout(filterBox);
  m_tree = new QTreeView(contents);
  m_filteredContents->setSourceModel(m_contents);
  m_filteredContents->setRecursiveFilteringEnabled(true);
  m_filteredContents->setFilterCaseSensitivity(Qt::CaseInsensitive);
  m_tree->setModel(m_filteredContents);
  m_tree->setHeaderHidden(true);
  m_tree->setUniformRowHeights(true);
  m_tree->setItemDelegate(new TreeDelegate(m_tree));
  m_tree->setAccessibleName(tr("Contents"));
  m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_tree->setMouseTracking(true);
  layout->addWidget(m_tree, 1);
  connect(m_treeFilter, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_filteredContents->setFilterFixedString(text);
    if (!text.isEmpty()) m_tree->expandAll();
  });
  const auto open = [this](const QModelIndex& index) {
    if (!index.isValid() || m_stepping) return;
    const library::ContentsRow& row = m_contents->row(m_filteredContents->mapToSource(index));
    navigate(row.ref, toQt(row.page));
  };
  connect(m_tree, &QTreeView::clicked, this, open);
  connect(m_tree, &QTreeView::activated, this, open);

  m_details = new DetailsPanel(this);
  auto* const detailsScroll = new QScrollArea(this);
  detailsScroll->setWidget(m_details);
  detailsScroll->setWidgetResizable(true);
  detailsScroll->setFrameShape(QFrame::NoFrame);
  m_problems = new ProblemsPanel(m_document.jobs(), this);
  connect(m_problems, &ProblemsPanel::activated, this, [this](const Ref& ref) { navigate(ref); });

  m_contentsDock = dock(QStringLiteral("contents"), tr("Contents"), contents, Qt::LeftDockWidgetArea);
  m_detailsDock = dock(QStringLiteral("details"), tr("Details"), detailsScroll, Qt::RightDockWidgetArea);
  m_problemsDock = dock(QStringLiteral("problems"), tr("Problems"), m_problems, Qt::BottomDockWidgetArea);
  resizeDocks({m_contentsDock, m_detailsDock}, {300, 308}, Qt::Horizontal);
  resizeDocks({m_problemsDock}, {240}, Qt::Vertical);
  for (QDockWidget* made : {m_contentsDock, m_detailsDock, m_problemsDock}) made->hide();
}

void MainWindow::makeActions() {
  const auto action = [this](QMenu* menu, const QString& text, const QKeySequence& shortcut, const QString& iconName, auto run) {
    auto* const made = new QAction(text, this);
    made->setShortcut(shortcut);
    if (!iconName.isEmpty()) made->setIcon(icon(iconName));
    connect(made, &QAction::triggered, this, run);
    menu->addAction(made);
    m_actions.append(made);
    return made;
  };
  QMenu* const file = menuBar()->addMenu(tr("&File"));
  auto* const open = action(file, tr("&Open…"), QKeySequence::Open, QStringLiteral("open"), [this] { chooseFile(); });
  action(file, tr("&Reload"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, {}, [this] { if (m_document.state()) m_document.reload(); });
  file->addSeparator();
  m_closeTab = action(file, tr("&Close tab"), Qt::CTRL | Qt::Key_W, {}, [this] { closeTab(m_tabs->currentIndex()); });
  action(file, tr("&Quit"), QKeySequence::Quit, {}, [] { QApplication::closeAllWindows(); });

  QMenu* const edit = menuBar()->addMenu(tr("&Edit"));
  m_find = action(edit, tr("&Find here…"), QKeySequence::Find, QStringLiteral("find"), [this] { if (NodeView* view = currentView(); view && view->current()) view->current()->openFind(); });
  m_copyRef = action(edit, tr("Copy &reference"), {}, QStringLiteral("copy"), [this] { copyReference(); });

  QMenu* const view = menuBar()->addMenu(tr("&View"));
  const auto toggle = [&](QDockWidget* dock, const QString& text, const QKeySequence& shortcut) {
    QAction* const made = dock->toggleViewAction();
    made->setText(text);
    made->setShortcut(shortcut);
    view->addAction(made);
    m_actions.append(made);
  };
  toggle(m_contentsDock, tr("&Contents"), Qt::CTRL | Qt::Key_0);
  toggle(m_detailsDock, tr("&Details"), Qt::CTRL | Qt::Key_9);
  toggle(m_problemsDock, tr("&Problems"), Qt::CTRL | Qt::Key_J);
  view->addSeparator();
  auto* const themeAction = action(view, tr("Switch between &light and dark"), {}, QStringLiteral("theme"), [this] { toggleTheme(); });

  QMenu* const go = menuBar()->addMenu(tr("&Go"));
  m_back = action(go, tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left), QStringLiteral("back"), [this] { step(-1); });
  m_forward = action(go, tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right), QStringLiteral("forward"), [this] { step(1); });
  auto* const palette = action(go, tr("Find or go &to…"), Qt::CTRL | Qt::Key_K, QStringLiteral("find"), [this] { openPalette(); });
  m_goTo = action(go, tr("Go to &offset or line…"), Qt::CTRL | Qt::Key_G, {}, [this] { if (NodeView* node = currentView(); node && node->current()) node->current()->openGoTo(); });
  m_nextProblem = action(go, tr("&Next problem"), Qt::Key_F8, {}, [this] { m_problems->step(false); });
  m_previousProblem = action(go, tr("&Previous problem"), Qt::SHIFT | Qt::Key_F8, {}, [this] { m_problems->step(true); });
  action(go, tr("Next &tab"), Qt::CTRL | Qt::Key_Tab, {}, [this] { if (m_tabs->count() > 0) m_tabs->setCurrentIndex((m_tabs->currentIndex() + 1) % m_tabs->count()); });
  for (int page = 1; page <= 9; ++page) {
    auto* const shortcut = new QAction(this);
    shortcut->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + page)));
    if (page == 9) continue; // Ctrl+9 is Details
    connect(shortcut, &QAction::triggered, this, [this, page] {
      if (NodeView* node = currentView()) node->showPage(node->pageNames().value(page - 1));
    });
    addAction(shortcut);
  }
  QMenu* const help = menuBar()->addMenu(tr("&Help"));
  action(help, tr("&About Blobscope"), {}, {}, [this] {
    QMessageBox::about(this, tr("About Blobscope"),
                       tr("<b>Blobscope %1</b><p>Looks into the libraries that Apache TVM exports, without executing them.<p>Apache-2.0")
                           .arg(QApplication::applicationVersion()));
  });

  auto* const bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  bar->setFixedHeight(metrics::kToolBar);
  bar->addAction(m_back);
  bar->addAction(m_forward);
  bar->addSeparator();
  bar->addAction(open);
  if (auto* const button = qobject_cast<QToolButton*>(bar->widgetForAction(open))) button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  auto* const spacer = new QWidget(bar);
  spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(spacer);
  bar->addAction(palette);
  if (auto* const button = qobject_cast<QToolButton*>(bar->widgetForAction(palette))) {
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setText(tr("Find or go to…   Ctrl+K"));
  }
  bar->addAction(themeAction);
  if (auto* const button = bar->widgetForAction(themeAction)) button->setAccessibleName(tr("Switch theme"));
}

void MainWindow::makeStatusBar() {
  statusBar()->setSizeGripEnabled(false);
  statusBar()->setFixedHeight(metrics::kStatusBar);
  m_statusFile = new QLabel(this);
  m_statusSelection = new QLabel(this);
  m_statusCoverage = new QLabel(this);
  m_statusProblems = new QToolButton(this);
  m_statusProblems->setAutoRaise(true);
  m_statusProblems->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  connect(m_statusProblems, &QToolButton::clicked, this, [this] { m_problemsDock->setVisible(!m_problemsDock->isVisible()); });
  statusBar()->addWidget(m_statusProblems);
  statusBar()->addWidget(m_statusFile, 1);
  statusBar()->addPermanentWidget(m_statusSelection);
  statusBar()->addPermanentWidget(m_statusCoverage);
}

// --- 2. Opening -------------------------------------------------------------------------------------------------------

void MainWindow::openFile(const QString& path) {
  if (m_document.state()) {
    auto* const other = new MainWindow;
    other->setAttribute(Qt::WA_DeleteOnClose);
    other->show();
    other->openFile(path);
    return;
  }
  hideBanner();
  m_document.open(QFileInfo(path).absoluteFilePath());
}

void MainWindow::chooseFile() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a library"), QFileInfo(m_document.path()).path(),
                                                    tr("Libraries and objects (*.so *.so.* *.o);;All files (*)"));
  if (!path.isEmpty()) openFile(path);
}

void MainWindow::showOpened() {
  const Document::State& state = *m_document.state();
  hideBanner();
  addRecent(m_document.path());
  m_contents->setRows(state.contents);
  m_tree->expandToDepth(2);
  m_problems->setPackage(state.package);
  m_centre->setCurrentIndex(1);
  const bool first = m_tabs->count() == 0;
  for (int i = 0; i < m_tabs->count(); ++i) static_cast<NodeView*>(m_views->widget(i))->refresh();
  if (first) {
    m_contentsDock->setVisible(width() >= kNarrowContents);
    m_detailsDock->setVisible(width() >= kNarrowDetails);
    if (m_problems->count(Severity::Error) > 0) m_problemsDock->show();
    navigate(Ref::file());
  }
  if (m_openAt) navigate(*std::exchange(m_openAt, std::nullopt));
  updateTitle();
  updateStatus();
}

void MainWindow::showFailure(const QString& path, const QString& message) {
  showBanner(QStringLiteral("error"), tr("%1: %2").arg(QFileInfo(path).fileName(), message),
             {{tr("Open another…"), [this] { chooseFile(); }}, {tr("Close"), [] {}}});
}

void MainWindow::showBanner(const QString& iconName, const QString& text, const QVector<QPair<QString, std::function<void()>>>& actions) {
  delete m_banner->layout();
  qDeleteAll(m_banner->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
  const Role role = iconName == QLatin1String("error") ? Role::Error : iconName == QLatin1String("warning") ? Role::Warning : Role::Note;
  auto* const layout = new QHBoxLayout(m_banner);
  layout->setContentsMargins(12, 6, 12, 6);
  auto* const picture = new QLabel(m_banner);
  picture->setPixmap(iconPixmap(iconName, role, metrics::kIcon, devicePixelRatioF()));
  layout->addWidget(picture);
  auto* const label = new QLabel(text, m_banner);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(label, 1);
  for (const auto& [name, run] : actions) {
    auto* const button = new QPushButton(name, m_banner);
    connect(button, &QPushButton::clicked, this, [this, run = run] {
      // The banner's own widgets go with it, so it goes after the click is over.
      QMetaObject::invokeMethod(this, [this, run] { hideBanner(); run(); }, Qt::QueuedConnection);
    });
    layout->addWidget(button);
  }
  m_banner->setAccessibleName(text);
  m_banner->show();
}

void MainWindow::hideBanner() { m_banner->hide(); }

void MainWindow::addRecent(const QString& path) {
  QSettings settings;
  QStringList recent = settings.value(recentKey()).toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  recent = recent.mid(0, kRecentFiles);
  settings.setValue(recentKey(), recent);
  m_start->setRecent(recent);
}

// --- 3. Going about ---------------------------------------------------------------------------------------------------

NodeView* MainWindow::currentView() const { return qobject_cast<NodeView*>(m_views->currentWidget()); }

NodeView* MainWindow::viewFor(const Ref& ref) {
  for (int i = 0; i < m_views->count(); ++i) {
    auto* const view = static_cast<NodeView*>(m_views->widget(i));
    if (!(view->ref() == ref)) continue;
    m_tabs->setCurrentIndex(i);
    return view;
  }
  auto* const view = new NodeView(m_document, ref, m_views);
  connect(view, &NodeView::activated, this, &MainWindow::navigate);
  connect(view, &NodeView::selectionText, this, [this, view](const QString& text) { if (view == currentView()) m_statusSelection->setText(text); });
  connect(view, &NodeView::message, this, [this](const QString& text) { showBanner(QStringLiteral("note"), text, {{tr("Close"), [] {}}}); });
  connect(view, &NodeView::pageChanged, this, [this, view] { if (view == currentView()) remember(); });
  m_views->addWidget(view);
  const QModelIndex index = m_contents->find(ref);
  QString name = toQt(ref.toString());
  KindLook look{QStringLiteral("kind-section"), Role::KindContainer};
  if (index.isValid()) {
    const library::ContentsRow& row = m_contents->row(index);
    name = toQt(row.name);
    look = kindLook(row.kind, toQt(row.moduleKey));
  }
  const int tab = m_tabs->addTab(icon(look.icon, look.role), name);
  m_tabs->setTabToolTip(tab, name);
  m_tabs->setCurrentIndex(tab);
  return view;
}

void MainWindow::navigate(const Ref& ref, const QString& page) {
  if (!m_document.state()) return;
  Ref node = ref;
  node.at.reset();
  node.size.reset();
  // Bytes without a node belong to the innermost one that holds them.
  if (ref.at && node == Ref::file()) {
    node = library::Locator(*m_document.state()->package).at(*ref.at);
    if (!m_contents->find(node).isValid() && node.parts.empty() && node.kind != Ref::Kind::Module) node = Ref::file();
  }
  NodeView* const view = viewFor(node);
  if (ref.at)
    view->goToOffset(*ref.at, ref.size);
  else
    view->showPage(page);
  activateTab(m_tabs->currentIndex());
}

void MainWindow::activateTab(int index) {
  if (index < 0 || index >= m_views->count()) return;
  m_views->setCurrentIndex(index);
  NodeView* const view = currentView();
  if (m_document.state()) m_details->show(m_document, view->ref());
  selectInContents(view->ref(), view->currentPage());
  remember();
}

void MainWindow::closeTab(int index) {
  if (index < 0 || m_views->count() <= 1) return; // the last tab stays: an empty middle says nothing
  QWidget* const view = m_views->widget(index);
  m_views->removeWidget(view);
  view->deleteLater();
  m_tabs->removeTab(index);
  activateTab(m_tabs->currentIndex());
}

void MainWindow::selectInContents(const Ref& ref, const QString& page) {
  QModelIndex index = m_contents->find(ref, fromQt(page));
  if (!index.isValid()) index = m_contents->find(ref);
  const QModelIndex shown = m_filteredContents->mapFromSource(index);
  if (shown.isValid() && m_filteredContents->mapToSource(m_tree->currentIndex()).internalId() != index.internalId()) {
    m_tree->setCurrentIndex(shown);
    m_tree->scrollTo(shown);
  }
}

void MainWindow::remember() {
  const NodeView* const view = currentView();
  if (!view || m_stepping) return;
  const Place place{view->ref(), view->currentPage()};
  if (m_historyAt >= 0 && m_history[m_historyAt] == place) return;
  m_history.resize(m_historyAt + 1);
  m_history.append(place);
  m_historyAt = static_cast<int>(m_history.size()) - 1;
  updateStatus();
}

void MainWindow::step(int by) {
  if (m_historyAt + by < 0 || m_historyAt + by >= m_history.size()) return;
  m_historyAt += by;
  const Place place = m_history[m_historyAt];
  m_stepping = true;
  navigate(place.ref, place.page);
  m_stepping = false;
  updateStatus();
}

void MainWindow::openPalette() {
  QVector<CommandPalette::Entry> entries;
  for (QAction* action : std::as_const(m_actions))
    entries.append({action->text().remove(QLatin1Char('&')), action->shortcut().toString(QKeySequence::NativeText), [action] { action->trigger(); }});
  if (m_document.state())
    for (const library::ContentsRow& row : m_document.state()->contents)
      entries.append({toQt(row.name), toQt(row.detail.empty() ? row.ref.toString() : row.detail), [this, row] { navigate(row.ref, toQt(row.page)); }});
  auto* const palette = new CommandPalette(std::move(entries), this);
  palette->setAttribute(Qt::WA_DeleteOnClose);
  const QPoint middle = mapToGlobal(QPoint(width() / 2 - palette->width() / 2, 60));
  palette->move(middle);
  palette->open();
}

void MainWindow::copyReference() {
  if (const NodeView* view = currentView()) QGuiApplication::clipboard()->setText(toQt(view->ref().toString()));
}

void MainWindow::toggleTheme() {
  setTheme(theme().isDark() ? Theme::light() : Theme::dark());
  QSettings().setValue(QStringLiteral("theme"), theme().isDark() ? QStringLiteral("dark") : QStringLiteral("light"));
  updateStatus();
}

void MainWindow::updateTitle() {
  setWindowTitle(m_document.path().isEmpty() ? QStringLiteral("Blobscope")
                                             : tr("%1 – Blobscope").arg(QFileInfo(m_document.path()).fileName()));
}

void MainWindow::updateStatus() {
  m_back->setEnabled(m_historyAt > 0);
  m_forward->setEnabled(m_historyAt + 1 < m_history.size());
  const bool open = m_document.state() != nullptr;
  for (QAction* action : {m_find, m_goTo, m_nextProblem, m_previousProblem, m_closeTab, m_copyRef}) action->setEnabled(open);
  m_statusProblems->setVisible(open);
  if (!open) {
    m_statusFile->setText(tr("No file open"));
    m_statusCoverage->clear();
    return;
  }
  const Document::State& state = *m_document.state();
  const int errors = m_problems->count(Severity::Error), warnings = m_problems->count(Severity::Warning);
  const Role role = errors > 0 ? Role::Error : warnings > 0 ? Role::Warning : Role::Ok;
  m_statusProblems->setIcon(icon(errors > 0 ? QStringLiteral("error") : warnings > 0 ? QStringLiteral("warning") : QStringLiteral("ok"), role));
  m_statusProblems->setText(tr("Problems %1").arg(errors + warnings + m_problems->count(Severity::Note)));
  QStringList words;
  for (const library::Overview::Fact& fact : state.overview.facts)
    if (fact.label == "Container" || fact.label == "Host machine" || fact.label == "Generation") words << toQt(fact.value);
  if (state.package->host.abi) words << tr("Host ABI %1").arg(toQt(host::abiName(*state.package->host.abi)));
  if (state.overview.blobBytes > 0) words << tr("Blob %1 bytes").arg(toQt(groupedText(state.overview.blobBytes)));
  m_statusFile->setText(words.join(QStringLiteral("   |   ")));
  if (state.overview.blobBytes > 0)
    m_statusCoverage->setText(tr("Coverage %1 %").arg(100.0 * static_cast<double>(state.overview.owned) / static_cast<double>(state.overview.blobBytes), 0, 'f', 1));
}

// --- 4. The window itself ---------------------------------------------------------------------------------------------

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) openFile(url.toLocalFile());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings().setValue(QStringLiteral("geometry"), saveGeometry());
  QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::FontChange) m_tree->doItemsLayout();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (!m_document.state() || event->oldSize().width() < 0) return;
  const auto crossed = [&](int border) { return event->oldSize().width() >= border && event->size().width() < border; };
  if (crossed(kNarrowDetails)) m_detailsDock->hide();
  if (crossed(kNarrowContents)) m_contentsDock->hide();
}

} // namespace blobscope::ui
