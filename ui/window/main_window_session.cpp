#include "ui/session/recent_files.h"
#include "ui/text/plain_text.h"
#include "ui/theme/content_text.h"
#include "ui/window/comparing.h"
#include "ui/window/dialogs/preferences_dialog.h"
#include "ui/window/instance.h"
#include "ui/window/main_window.h"
#include "ui/window/start_page.h"

#include <QApplication>
#include <QWheelEvent>

#include <algorithm>

// The windows of the program beside one another: their list, what a session stores of a window, zoom and preferences.
namespace blobscope::ui {

QVector<MainWindow*> MainWindow::all() {
  QVector<MainWindow*> windows;
  for (QWidget* const widget : QApplication::topLevelWidgets())
    if (auto* const window = qobject_cast<MainWindow*>(widget);
        window && (!window->isHidden() || window->isMinimized()))
      windows.append(window);
  std::sort(windows.begin(), windows.end(),
            [](const MainWindow* a, const MainWindow* b) { return a->m_number < b->m_number; });
  return windows;
}

void MainWindow::bringToFront() {
  if (isMinimized()) setWindowState(windowState() & ~Qt::WindowMinimized);
  show();
  raise();
  activateWindow();
}

void MainWindow::stepWindow(int by) {
  const QVector<MainWindow*> windows = all();
  const auto count = windows.size(), at = windows.indexOf(this);
  if (at >= 0) windows[(at + by + count) % count]->bringToFront();
}

void MainWindow::updateRecentEverywhere() {
  updateRecent();
  for (MainWindow* const window : all())
    if (window != this) window->updateRecent();
}

void MainWindow::updateRecent() { m_start->setRecent(recent::load()); }

std::optional<SavedWindow> MainWindow::savedState() const {
  if (!m_document.state()) return std::nullopt;
  SavedWindow out;
  out.path = m_document.path();
  out.geometry = saveGeometry();
  for (const NodeTabs::Tab& tab : m_tabs->nodes()) {
    if (tab.current) out.current = static_cast<int>(out.tabs.size());
    out.tabs.append({wholeToQt(tab.ref.toString()), tab.page, tab.preview});
  }
  out.place = wholeToQt(place().toString());
  out.comparedWith = m_comparing->otherFiles().mid(0, saved::kComparisons);
  out.comparisonInFront = m_comparing->otherFileInFront();
  return out;
}

void MainWindow::handle(const OpenRequest& request) {
  const QVector<MainWindow*> windows = all();
  auto* front = qobject_cast<MainWindow*>(QApplication::activeWindow());
  if (!front && !windows.isEmpty()) front = windows.last();
  if (!front) {
    front = new MainWindow;
    front->setAttribute(Qt::WA_DeleteOnClose);
  }
  const auto ref = request.at.isEmpty() ? std::nullopt : Ref::parse(fromQt(request.at));
  if (request.files.size() == 1)
    for (MainWindow* const window : windows)
      if (window->document().state() && window->document().path() == request.files.first()) {
        if (ref) window->navigate(*ref);
        window->bringToFront();
        return;
      }
  const bool isFree = (!front->document().state() || front->isUntouchedSample()) && !front->document().isOpening();
  if (!request.files.isEmpty() && !isFree) front = front->makeOther();
  if (ref) front->openAt(*ref);
  if (request.files.size() == 2)
    front->comparing().compareFiles(request.files[0], request.files[1]);
  else if (!request.files.isEmpty())
    front->openFile(request.files.first());
  front->bringToFront();
}

void MainWindow::restore(const SavedWindow& saved) {
  placeAtStart(saved.geometry);
  m_restoring = saved;
  openFile(saved.path);
}

void MainWindow::restoreTabs() {
  const SavedWindow saved = *std::exchange(m_restoring, std::nullopt);
  if (saved.path != m_document.path()) return;
  for (const SavedTab& tab : saved.tabs)
    if (const auto ref = Ref::parse(fromQt(tab.ref)))
      navigate(*ref, tab.page, tab.preview ? TabKind::Preview : TabKind::Kept);
  const SavedTab front = saved.tabs.value(saved.current);
  const auto node = Ref::parse(fromQt(front.ref)), place = Ref::parse(fromQt(saved.place));
  if (node) navigate(*node, front.page);
  if (place && node && *place != *node) navigate(*place);
  m_tabs->forgetHistory();
  m_comparing->reopen(saved.comparedWith, saved.comparisonInFront);
}

void MainWindow::openPreferences() {
  auto* const dialog = new PreferencesDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void MainWindow::toggleFullScreen() { setWindowState(windowState() ^ Qt::WindowFullScreen); }

void MainWindow::wheelEvent(QWheelEvent* event) {
  // Pages leave the wheel with Ctrl to the window.
  if (!event->modifiers().testFlag(Qt::ControlModifier) || event->angleDelta().y() == 0) {
    QMainWindow::wheelEvent(event);
    return;
  }
  m_wheel += event->angleDelta().y();
  for (; std::abs(m_wheel) >= QWheelEvent::DefaultDeltasPerStep;
       m_wheel += m_wheel > 0 ? -QWheelEvent::DefaultDeltasPerStep : QWheelEvent::DefaultDeltasPerStep)
    chooseZoom(nextZoom(contentText().zoom, m_wheel > 0));
  event->accept();
}

} // namespace blobscope::ui
