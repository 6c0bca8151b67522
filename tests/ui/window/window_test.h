#pragma once

#include "tests/support/builders.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/node_view.h"
#include "ui/session/recent_files.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/progress_strip.h"
#include "ui/window/actions.h"
#include "ui/window/checking.h"
#include "ui/window/comparing.h"
#include "ui/window/editing.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"
#include "ui/window/node_tabs.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/changes_panel.h"
#include "ui/window/panels/contents_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/panels/search_panel.h"
#include "ui/window/running.h"
#include "ui/window/saving.h"
#include "ui/window/start_page.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QFile>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTreeView>

#include <algorithm>
#include <memory>
#include <string>

/// The whole window off screen. Its thread may not do slow work of core, so inputs come only from builders and samples.
namespace blobscope::test {

/// An application like that of app/gui, whose settings are in a separate folder and are removed afterwards.
class WindowApplication {
public:
  WindowApplication() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    QApplication::setOrganizationName(QStringLiteral("BlobscopeTests"));
    QApplication::setApplicationName(QStringLiteral("test_ui_window"));
    QApplication::setStyle(new ui::Style);
    reset();
  }
  /// As when the program is started for the first time.
  static void reset() {
    QSettings().clear();
    ui::setTheme(ui::Theme::light());
  }

private:
  QTemporaryDir m_settings;
  Application m_application;
};

/// Files in a folder that is removed afterwards.
class Files {
public:
  QString path(const QString& name) const { return m_folder.filePath(name); }
  QString write(const QString& name, const std::string& bytes) const {
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) ||
        file.write(bytes.data(), static_cast<qint64>(bytes.size())) != static_cast<qint64>(bytes.size()))
      qFatal("%s cannot be written", qPrintable(file.fileName()));
    return file.fileName();
  }

private:
  QTemporaryDir m_folder;
};

inline QString sample(const char* name) {
  return QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/") + QLatin1String(name);
}

/// A host of v0.26 and later with two functions, without a blob.
inline ElfBuilder someHost() {
  ElfBuilder elf;
  elf.function("__tvm_ffi_add").function("__tvm_ffi_mul");
  elf.data("__tvm_ffi__library_ctx", std::string(8, '\0'));
  elf.undefined("TVMFFIErrorSetRaisedFromCStrParts");
  return elf;
}

/// A library of three modules, _lib → cuda, opencl with the same kernels.
inline std::string someLibrary(const std::vector<Function>& kernels = {{"add_kernel"}, {"mul_kernel"}}) {
  const Record cuda = {"cuda", code3("ptx", kernels, ptxText(kernels), Info::Four)};
  const Record opencl = {"opencl", code3("cl", kernels, openclText(kernels), Info::Four)};
  return someHost().data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda, opencl}, {{1, 2}, {}, {}})).build();
}

/// A library whose cuda module contains `size` bytes of code that is not text.
inline std::string libraryWithCode(std::size_t size) {
  const std::string code = code3("cubin", {{"add_kernel"}}, std::string(size, '\x90'), Info::Four);
  return someHost().data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", code}}, {{1}, {}})).build();
}

inline std::string libraryWithSymbols(int symbols) {
  ElfBuilder elf = someHost();
  for (int i = 0; i < symbols; ++i) elf.function("__tvm_ffi_fused_operator_" + std::to_string((i * 7'919LL) % symbols));
  return elf.data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}}, {{}})).build();
}

/// A part of the window that exists once: a panel, or the object of a group of actions.
template <class T> T& part(const ui::MainWindow& window) { return *window.findChild<T*>(); }

inline ui::DetailsPanel& detailsOf(const ui::MainWindow& window) {
  return *qobject_cast<ui::DetailsPanel*>(window.findChild<QDockWidget*>(QStringLiteral("details"))->widget());
}

inline ui::ProgressStrip& progressOf(const ui::MainWindow& window) {
  return *window.findChild<ui::ProgressStrip*>(QStringLiteral("progress"));
}

inline QTreeView& contentsTree(const ui::MainWindow& window) { return part<ui::ContentsPanel>(window).tree(); }

/// The help window; null until help was requested.
inline ui::HelpWindow* helpOf(const ui::MainWindow& window) { return window.findChild<ui::HelpWindow*>(); }

/// The node's view in front; null when there is none.
inline ui::NodeView* currentView(const ui::MainWindow& window) { return part<ui::NodeTabs>(window).current(); }

inline QAction* action(const ui::MainWindow& window, ui::ActionId id) {
  for (QAction* const candidate : window.findChildren<QAction*>(Qt::FindDirectChildrenOnly))
    if (candidate->data() == static_cast<int>(id)) return candidate;
  return nullptr;
}

/// The target of the actions, as "Copy reference" writes it.
inline Ref chosen(const ui::MainWindow& window) {
  action(window, ui::ActionId::CopyReference)->trigger();
  return Ref::parse(QGuiApplication::clipboard()->text().toStdString()).value_or(Ref());
}

/// Whether the window has finished opening and shows a page.
inline bool isSettled(ui::MainWindow& window) {
  return QTest::qWaitFor([&] { return !window.document().isOpening(); }, kWaitMs) && window.document().state() &&
         QTest::qWaitFor([&] { return currentView(window) && currentView(window)->isReady(); }, kWaitMs);
}

inline bool open(ui::MainWindow& window, const QString& path) {
  window.openFile(path);
  return isSettled(window) && window.document().path() == path;
}

/// Shown and with the keyboard focus.
inline bool showActive(ui::MainWindow& window, QSize size = {1440, 900}) {
  window.resize(size);
  window.show();
  window.activateWindow();
  return QTest::qWaitForWindowActive(&window, kWaitMs);
}

/// Goes there and waits for the page.
inline bool go(ui::MainWindow& window, const char* text, const QString& page = {},
               ui::TabKind kind = ui::TabKind::Preview) {
  const auto ref = Ref::parse(text);
  if (!ref) return false;
  window.navigate(*ref, page, kind);
  return QTest::qWaitFor(
      [&] {
        const ui::NodeView& view = *currentView(window);
        return view.isReady() && (view.pageNames().isEmpty() || view.current());
      },
      kWaitMs);
}

/// Goes to the part and triggers an action that opens a dialog; null if no dialog opens.
inline QWidget* openDialog(ui::MainWindow& window, ui::ActionId id, const QString& ref) {
  QAction* const trigger = action(window, id);
  if (!go(window, ref.toLatin1()) || !QTest::qWaitFor([&] { return trigger->isEnabled(); }, kWaitMs)) return nullptr;
  trigger->trigger();
  (void)QTest::qWaitFor([] { return QApplication::activeModalWidget() != nullptr; }, kWaitMs);
  return QApplication::activeModalWidget();
}

template <class T> T* pageOf(const ui::MainWindow& window) {
  return currentView(window) ? qobject_cast<T*>(currentView(window)->current()) : nullptr;
}

inline QTabBar& tabs(ui::MainWindow& window) { return *window.centralWidget()->findChild<QTabBar*>(); }

/// Requests the context menu of a row, like a click with the right button.
inline void askMenu(QAbstractItemView& view, const QModelIndex& index) {
  const QPoint place = view.visualRect(index).center();
  QContextMenuEvent event(QContextMenuEvent::Mouse, place, view.viewport()->mapToGlobal(place));
  QApplication::sendEvent(view.viewport(), &event);
}

/// The titles of the open menu, without separators; the menu is closed afterwards.
inline QStringList takeMenu() {
  QMenu* menu = nullptr;
  if (!QTest::qWaitFor([&] { return (menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) != nullptr; }))
    return {};
  QStringList out;
  for (const QAction* const action : menu->actions())
    if (!action->isSeparator()) out << action->text().remove(QLatin1Char('&'));
  menu->close();
  return out;
}

/// Row of the contents tree with that name, at any depth.
inline QModelIndex rowNamed(const QTreeView& tree, const QString& name, const QModelIndex& below = {}) {
  for (int row = 0; row < tree.model()->rowCount(below); ++row) {
    const QModelIndex index = tree.model()->index(row, 0, below);
    if (index.data().toString() == name || index.data(ui::ChainRole).toStringList().contains(name)) return index;
    if (const QModelIndex inner = rowNamed(tree, name, index); inner.isValid()) return inner;
  }
  return {};
}

/// A button by its text or, for icons, its accessible name.
inline QAbstractButton* button(const QWidget& inside, const QString& text) {
  for (auto* const candidate : inside.findChildren<QAbstractButton*>())
    if (candidate->text() == text || candidate->accessibleName() == text) return candidate;
  return nullptr;
}

} // namespace blobscope::test
