#include "ui/window/menus.h"

#include "ui/session/recent_files.h"
#include "ui/text/plain_text.h"
#include "ui/window/main_window.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QPointer>

namespace blobscope::ui {
namespace {

/// Marks the actions that a menu gets when it opens.
constexpr char kListed[] = "listed";

void removeListed(QMenu& menu) {
  for (QAction* const action : menu.actions())
    if (action->property(kListed).toBool()) delete action;
}

/// Returns the entry of the `number`-th thing: the first nine can be chosen by their digits.
QAction* addEntry(QMenu& menu, int number, const QString& name) {
  const QString text = plainAction(name);
  QAction* const action = new QAction(number <= 9 ? QStringLiteral("&%1  %2").arg(number).arg(text) : text, &menu);
  action->setProperty(kListed, true);
  menu.addAction(action);
  return action;
}

/// Returns the file name, and the folder if another file of the list has the same name.
QString nameIn(const QString& path, const QStringList& paths) {
  const QString name = QFileInfo(path).fileName();
  for (const QString& other : paths)
    if (other != path && QFileInfo(other).fileName() == name)
      return QCoreApplication::translate("menus", "%1 in %2")
          .arg(name, QDir::toNativeSeparators(QFileInfo(path).path()));
  return name;
}

void fillRecent(QMenu& menu, MainWindow& window) {
  removeListed(menu);
  QStringList paths;
  for (const RecentFile& file : recent::load()) paths << file.path;
  int number = 0;
  for (const QString& path : std::as_const(paths)) {
    const bool exists = QFileInfo::exists(path);
    const QString name = nameIn(path, paths);
    QAction* const action =
        addEntry(menu, ++number, exists ? name : QCoreApplication::translate("menus", "%1 (not found)").arg(name));
    action->setEnabled(exists);
    action->setToolTip(plainTip(plainLine(QDir::toNativeSeparators(path))));
    QObject::connect(action, &QAction::triggered, &window, [&window, path] { window.openFile(path); });
  }
  if (paths.isEmpty()) {
    QAction* const none = addEntry(menu, 10, QCoreApplication::translate("menus", "No files were opened yet"));
    none->setEnabled(false);
    return;
  }
  menu.addSeparator()->setProperty(kListed, true);
  QAction* const clear = addEntry(menu, 10, QString());
  clear->setText(QCoreApplication::translate("menus", "&Clear list"));
  QObject::connect(clear, &QAction::triggered, &window, [&window] {
    recent::clear();
    window.updateRecentEverywhere();
  });
}

void fillWindows(QMenu& menu, MainWindow& window) {
  removeListed(menu);
  menu.addSeparator()->setProperty(kListed, true);
  const QVector<MainWindow*> windows = MainWindow::all();
  QStringList paths;
  for (MainWindow* const one : windows) paths << one->document().path();
  int number = 0;
  for (MainWindow* const one : windows) {
    const QString& path = paths[number];
    QAction* const action = addEntry(
        menu, number + 1, path.isEmpty() ? QCoreApplication::translate("menus", "Start page") : nameIn(path, paths));
    ++number;
    action->setCheckable(true);
    action->setChecked(one == &window);
    QObject::connect(action, &QAction::triggered, one, [one] { one->bringToFront(); });
  }
}

} // namespace

void connectRecentMenu(QMenu& menu, MainWindow& window) {
  menu.setToolTipsVisible(true);
  QObject::connect(&menu, &QMenu::aboutToShow, &window, [&menu, &window] { fillRecent(menu, window); });
  fillRecent(menu, window); // some systems do not open an empty menu
}

void connectWindowMenu(QMenu& menu, MainWindow& window) {
  QObject::connect(&menu, &QMenu::aboutToShow, &window, [&menu, &window] { fillWindows(menu, window); });
}

} // namespace blobscope::ui
