#include "ui/window/session_keeper.h"

#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/window/main_window.h"
#include "ui/window/preferences.h"

#include <QApplication>
#include <QFileInfo>
#include <QPointer>
#include <QTimer>

namespace blobscope::ui {
namespace {

QString namesOf(const QVector<SavedWindow>& windows) {
  QStringList names;
  for (const SavedWindow& window : windows) names << plainLine(QFileInfo(window.path).fileName());
  return names.join(QStringLiteral(", "));
}

} // namespace

SessionKeeper::SessionKeeper(QObject* parent) : QObject(parent) {}

SessionKeeper::~SessionKeeper() {
  if (!m_opening.isEmpty()) saved::end(); // the program ends in an orderly way
}

SessionKeeper* SessionKeeper::ofApplication() {
  return qApp->findChild<SessionKeeper*>(QString(), Qt::FindDirectChildrenOnly);
}

QVector<SavedWindow> SessionKeeper::current() {
  QVector<SavedWindow> windows;
  for (const MainWindow* const window : MainWindow::all())
    if (const auto one = window->savedState()) windows.append(*one);
  return windows;
}

void SessionKeeper::start(MainWindow& first) {
  const QVector<SavedWindow> windows = saved::load();
  const bool interrupted = saved::wasInterrupted();
  if (!Preferences::load().reopenFiles) {
    saved::store({});
    saved::end();
  } else if (!windows.isEmpty()) {
    interrupted ? offer(first, windows) : open(first, windows);
  }
}

void SessionKeeper::offer(MainWindow& first, const QVector<SavedWindow>& windows) {
  saved::end();
  first.banner().showMessage(Banner::Kind::Warning,
                             tr("Blobscope ended while it opened the files of the last session."), namesOf(windows),
                             {{tr("Open them"),
                               [this, window = QPointer<MainWindow>(&first), windows] {
                                 if (window) open(*window, windows);
                               }},
                              {tr("Close"), [] {}}});
}

void SessionKeeper::open(MainWindow& first, const QVector<SavedWindow>& windows) {
  QVector<SavedWindow> present, missing;
  for (const SavedWindow& window : windows) (QFileInfo::exists(window.path) ? present : missing).append(window);
  if (!present.isEmpty()) saved::begin();
  for (qsizetype i = 0; i < present.size(); ++i) {
    MainWindow& window = i == 0 ? first : *first.makeOther();
    watch(window);
    window.restore(present[i]);
  }
  if (missing.isEmpty()) return;
  const auto show = [&first, missing] {
    first.banner().showMessage(Banner::Kind::Note,
                               tr("%n file(s) of the last session (was|were) not found.", nullptr,
                                  pluralCount(static_cast<std::uint64_t>(missing.size()))),
                               namesOf(missing), {{tr("Close"), [] {}}});
  };
  if (present.isEmpty()) {
    show();
    return;
  }
  // Opening a file hides the banner.
  auto* const once = new QObject(&first);
  connect(&first.document(), &Document::opened, once, [show, once] {
    once->deleteLater();
    show();
  });
}

void SessionKeeper::watch(MainWindow& window) {
  m_opening.insert(&window);
  const Document& document = window.document();
  const QObject* const key = &window;
  connect(&document, &Document::opened, this, [this, key] { settled(key); });
  connect(&document, &Document::failed, this, [this, key] { settled(key); });
  connect(&document, &Document::cancelled, this, [this, key] { settled(key); });
  connect(&window, &QObject::destroyed, this, [this, key] { settled(key); });
}

void SessionKeeper::settled(const QObject* window) {
  if (m_opening.remove(window) && m_opening.isEmpty()) saved::end();
}

void SessionKeeper::changed() {
  if (!m_isClosing && Preferences::load().reopenFiles) saved::store(current());
}

void SessionKeeper::closing() {
  if (m_isClosing) return;
  m_isClosing = true;
  if (Preferences::load().reopenFiles) saved::store(current());
  // Windows that are closed one after the other by hand are not a session; the ones that stay open are.
  QTimer::singleShot(0, this, [this] {
    m_isClosing = false;
    if (!MainWindow::all().isEmpty()) changed();
  });
}

void SessionKeeper::quit() {
  m_isClosing = true;
  const QVector<SavedWindow> windows = current();
  QApplication::closeAllWindows();
  m_isClosing = false;
  if (!Preferences::load().reopenFiles) return;
  // A window with unsaved changes may have refused to close.
  saved::store(MainWindow::all().isEmpty() ? windows : current());
}

} // namespace blobscope::ui
