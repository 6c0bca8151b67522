#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/compare/compare_view.h"
#include "ui/compare/pair_page.h"
#include "ui/compare/pair_view.h"
#include "ui/compare/text_pair_view.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/find/find_bar.h"
#include "ui/window/comparing.h"
#include "ui/window/drop_area.h"
#include "ui/window/node_tabs.h"
#include "ui/window/panels/contents_panel.h"

#include <QDockWidget>
#include <QDropEvent>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QTabBar>
#include <QTreeView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Comparisons as tabs of the window.
class TestComparing : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void fileIsComparedWithAnother();
  void twoFilesOpenAsComparison();
  void droppedFilesCanBeOpenedOrCompared();
  void editedFileIsComparedWithTheOpenedOne();
  void changeIsCopiedAndUndone();
  void searchFindsInBothTexts();
  void unreadableFileIsNotCompared();
  void comparisonCanBeCancelled();
  void comparisonFollowsAReload();

private:
  WindowApplication m_application;
  Files m_files;
};

namespace {
CompareView* compared(MainWindow& window) {
  if (!QTest::qWaitFor([&] { return window.findChild<CompareView*>() != nullptr; }, kWaitMs)) return nullptr;
  auto* const view = window.findChild<CompareView*>();
  return QTest::qWaitFor([&] { return !view->isRunning(); }, kWaitMs) ? view : nullptr;
}
/// With another name and other code for a kernel.
std::string changedLibrary() { return someLibrary({{"add_kernel"}, {"mul_kernel2"}}); }
} // namespace

void TestComparing::fileIsComparedWithAnother() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), someLibrary())));
  const auto docks = window.findChildren<QDockWidget*>();
  QVERIFY(!part<ContentsPanel>(window).isHidden() && part<ContentsPanel>(window).isVisible());
  window.comparing().compareWith(m_files.write(QStringLiteral("b.so"), changedLibrary()));
  CompareView* const view = compared(window);
  QVERIFY(view);
  QCOMPARE(part<NodeTabs>(window).otherPage(), view);
  QVERIFY(!currentView(window));
  QVERIFY(view->isVisible());
  QVERIFY(!part<ContentsPanel>(window).isVisible()); // it takes the whole width
  QVERIFY(!view->sentence().isEmpty());
  QVERIFY(view->model().rowCount() > 0);
  QVERIFY(tabs(window).tabText(1).contains(QStringLiteral("↔")));
  // Back to the node; the panels are unchanged.
  tabs(window).setCurrentIndex(0);
  QVERIFY(currentView(window));
  QVERIFY(part<ContentsPanel>(window).isVisible());
  // Keys and panels work while a comparison is in front.
  tabs(window).setCurrentIndex(1);
  for (int i = 0; i < 4; ++i) action(window, ActionId::NextPanel)->trigger();
  action(window, ActionId::FindHere)->trigger();
  action(window, ActionId::CloseTab)->trigger();
  QVERIFY(QTest::qWaitFor([&] { return window.findChild<CompareView*>() == nullptr; }, kWaitMs));
  QVERIFY(currentView(window));
  QVERIFY(part<ContentsPanel>(window).isVisible());
  // The last node stays.
  window.comparing().compareWith(m_files.path(QStringLiteral("b.so")));
  QVERIFY(compared(window));
  tabs(window).setCurrentIndex(0);
  action(window, ActionId::CloseTab)->trigger();
  QVERIFY(currentView(window));
}

void TestComparing::twoFilesOpenAsComparison() {
  MainWindow window;
  QVERIFY(showActive(window));
  window.comparing().compareFiles(m_files.write(QStringLiteral("a.so"), someLibrary()),
                                  m_files.write(QStringLiteral("b.so"), changedLibrary()));
  CompareView* const view = compared(window);
  QVERIFY(view);
  QCOMPARE(view->comparison().title(Side::A), QStringLiteral("a.so"));
  QCOMPARE(view->comparison().title(Side::B), QStringLiteral("b.so"));
  QCOMPARE(QFileInfo(window.document().path()).fileName(), QStringLiteral("a.so"));
}

/// While files are dragged over the window there is an area for each possible action.
void TestComparing::droppedFilesCanBeOpenedOrCompared() {
  const QString a = m_files.write(QStringLiteral("a.so"), someLibrary()),
                b = m_files.write(QStringLiteral("b.so"), changedLibrary()),
                c = m_files.write(QStringLiteral("c.so"), someLibrary());
  const auto send = [](MainWindow& window, const QStringList& paths, QPoint at, bool drops) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
    data.setUrls(urls);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &move);
    const bool shown = part<DropArea>(window).isVisible();
    drawn(window, 1);
    if (drops) {
      QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(&window, &drop);
    } else {
      QDragLeaveEvent leave;
      QApplication::sendEvent(&window, &leave);
    }
    return shown && !part<DropArea>(window).isVisible();
  };
  const auto compared = [](MainWindow& window, const QString& old, const QString& other) {
    return QTest::qWaitFor([&] { return window.findChild<CompareView*>() != nullptr; }, kWaitMs) &&
           window.document().path() == old &&
           window.findChild<CompareView*>()->comparison().title(Side::B).contains(QFileInfo(other).fileName());
  };
  MainWindow window;
  QVERIFY(showActive(window));
  const QPoint left(100, 300), right(window.width() - 100, 300);
  QVERIFY(send(window, {a, b}, left, false));
  QVERIFY(!window.document().isOpening());
  QVERIFY(send(window, {a, b}, left, true));
  QVERIFY(compared(window, a, b));
  QVERIFY(part<NodeTabs>(window).otherPage());
  // One more file, compared with the open one.
  part<NodeTabs>(window).closeCurrent();
  QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<CompareView*>(), kWaitMs);
  const auto others = [&] {
    QVector<MainWindow*> out;
    for (QWidget* const top : QApplication::topLevelWidgets())
      if (auto* const other = qobject_cast<MainWindow*>(top); other && other != &window) out << other;
    return out;
  };
  QVERIFY(send(window, {c}, right, true));
  QVERIFY(compared(window, a, c));
  QVERIFY(others().isEmpty());
  QVERIFY(send(window, {c}, left, true));
  QCOMPARE(others().size(), 1);
  QPointer<MainWindow> other = others().first();
  QTRY_COMPARE_WITH_TIMEOUT(other->document().path(), c, kWaitMs);
  other->close();
  QTRY_VERIFY_WITH_TIMEOUT(!other, kWaitMs);
  QVERIFY(send(window, {b, c}, left, true));
  QCOMPARE(others().size(), 1);
  other = others().first();
  QVERIFY(compared(*other, b, c));
  other->close();
  QTRY_VERIFY_WITH_TIMEOUT(!other, kWaitMs);
}

void TestComparing::editedFileIsComparedWithTheOpenedOne() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), someLibrary())));
  QVERIFY(!action(window, ActionId::CompareChanges)->isEnabled());
  window.document().edit(edit::Rename{{*Ref::parse("m1/kernel:mul_kernel"), {}}, "product"});
  QVERIFY(QTest::qWaitFor([&] { return !window.document().state()->edits.empty(); }, kWaitMs));
  QVERIFY(action(window, ActionId::CompareChanges)->isEnabled());
  action(window, ActionId::CompareChanges)->trigger();
  CompareView* const view = compared(window);
  QVERIFY(view);
  QVERIFY(!view->comparison().result()->tree.equal());
  // After an undo both are equal again.
  window.document().undo();
  QVERIFY(QTest::qWaitFor(
      [&] {
        return window.document().state()->edits.empty() && !view->isRunning() &&
               view->comparison().result()->tree.equal();
      },
      kWaitMs));
}

void TestComparing::changeIsCopiedAndUndone() {
  MainWindow window;
  QVERIFY(showActive(window));
  const std::string other =
      someHost()
          .data("__tvm_ffi__library_bin",
                ffiBlob({{"_lib", ""},
                         {"cuda",
                          code3("ptx", {{"add_kernel"}}, "// another text\n" + ptxText({{"add_kernel"}}), Info::Four)}},
                        {{1}, {}}))
          .build();
  const std::string mine =
      someHost()
          .data("__tvm_ffi__library_bin",
                ffiBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"add_kernel"}}, ptxText({{"add_kernel"}}), Info::Four)}},
                        {{1}, {}}))
          .build();
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), mine)));
  window.comparing().compareWith(m_files.write(QStringLiteral("b.so"), other));
  CompareView* const view = compared(window);
  QVERIFY(view);
  QCOMPARE(view->documentSide(), std::optional(Side::A));
  Q_EMIT view->copyRequested(*Ref::parse("m1"), *Ref::parse("m1"));
  QVERIFY(QTest::qWaitFor([&] { return window.document().state()->edits.size() == 1 && !view->isRunning(); }, kWaitMs));
  const auto payload = [](const library::PackagePtr& package) {
    return std::string(package->blobs[0]->modules[1]->payload.view());
  };
  QCOMPARE(payload(window.document().state()->package), payload(view->comparison().package(Side::B)));
  // The comparison shows the current document; undo works as for any edit.
  QVERIFY(QTest::qWaitFor([&] { return view->comparison().package(Side::A) == window.document().state()->package; },
                          kWaitMs));
  window.document().undo();
  QVERIFY(QTest::qWaitFor([&] { return window.document().state()->edits.empty(); }, kWaitMs));
}

void TestComparing::searchFindsInBothTexts() {
  MainWindow window;
  QVERIFY(showActive(window));
  const auto library = [](const std::string& text) {
    return someHost()
        .data("__tvm_ffi__library_bin",
              ffiBlob({{"_lib", ""},
                       {"cuda", code3("ptx", {{"add_kernel"}}, text + ptxText({{"add_kernel"}}), Info::Four)}},
                      {{1}, {}}))
        .build();
  };
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), library("// first text\n"))));
  // Twice in B, far below the folded lines.
  std::string many = "// another text\n";
  for (int i = 0; i < 200; ++i) many += "// line\n";
  window.comparing().compareWith(
      m_files.write(QStringLiteral("b.so"), library(many + "// needle one\n// needle two\n")));
  CompareView* const view = compared(window);
  QVERIFY(view);
  QVERIFY(view->showNode(Ref::parse("m1"), Ref::parse("m1")));
  QVERIFY(QTest::qWaitFor(
      [&] {
        return !view->comparison().isPairing() && view->pair().page() && view->pair().page()->findChild<FindBar*>();
      },
      kWaitMs));
  action(window, ActionId::FindHere)->trigger();
  FindBar* const bar = view->pair().page()->findChild<FindBar*>();
  QVERIFY(bar->isVisible());
  QTest::keyClicks(bar->findChild<QLineEdit*>(), QStringLiteral("needle"));
  QVERIFY(QTest::qWaitFor([&] { return !bar->isSearching() && bar->hitCount() == 2; }, kWaitMs));
  auto* const text = view->pair().page()->findChild<TextPairView*>();
  QVERIFY(QTest::qWaitFor([&] { return text->selectedText() == QStringLiteral("needle"); }, kWaitMs));
  const uint64_t first = text->currentRow();
  action(window, ActionId::FindNext)->trigger();
  QCOMPARE(text->currentRow(), first + 1);
  QVERIFY(text->rowRect(text->currentRow()).isValid());
}

void TestComparing::unreadableFileIsNotCompared() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), someLibrary())));
  window.comparing().compareWith(m_files.write(QStringLiteral("text.txt"), "no library\n"));
  QVERIFY(QTest::qWaitFor([&] { return window.banner().isVisible(); }, kWaitMs));
  QCOMPARE(window.banner().kind(), Banner::Kind::Error);
  QVERIFY(!window.findChild<CompareView*>());
  // A first file that cannot be opened leaves no comparison for later.
  MainWindow other;
  QVERIFY(showActive(other));
  other.comparing().compareFiles(m_files.path(QStringLiteral("missing.so")), m_files.path(QStringLiteral("a.so")));
  QVERIFY(QTest::qWaitFor([&] { return other.banner().isVisible(); }, kWaitMs));
  QVERIFY(open(other, m_files.path(QStringLiteral("a.so"))));
  finishJobs(other.document().jobs());
  QVERIFY(!other.findChild<CompareView*>());
}

void TestComparing::comparisonCanBeCancelled() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("a.so"), someLibrary())));
  {
    const BusyWorkers busy(window.document().jobs());
    window.comparing().compareWith(m_files.write(QStringLiteral("b.so"), changedLibrary()));
    QVERIFY(window.document().jobs().isRunning(Comparing::tag()));
    window.document().jobs().cancel(Comparing::tag());
  }
  finishJobs(window.document().jobs());
  QVERIFY(!window.findChild<CompareView*>());
  QVERIFY(currentView(window));
}

void TestComparing::comparisonFollowsAReload() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = m_files.write(QStringLiteral("a.so"), someLibrary());
  QVERIFY(open(window, path));
  window.comparing().compareWith(m_files.write(QStringLiteral("b.so"), changedLibrary()));
  CompareView* const view = compared(window);
  QVERIFY(view);
  m_files.write(QStringLiteral("a.so"), changedLibrary());
  window.document().reload();
  QVERIFY(QTest::qWaitFor(
      [&] {
        return !window.document().isOpening() && !view->isRunning() &&
               view->comparison().package(Side::A) == window.document().state()->package;
      },
      kWaitMs));
  QVERIFY(QTest::qWaitFor([&] { return view->comparison().result()->tree.equal(); }, kWaitMs));
}

BLOBSCOPE_TEST(TestComparing);

#include "test_comparing.moc"
