#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/grid_controls.h"
#include "ui/pages/grid_page.h"
#include "ui/widgets/charts/plot_view.h"
#include "ui/widgets/grid/heat_map_view.h"
#include "ui/widgets/grid/value_grid.h"

#include <QComboBox>
#include <QPointer>
#include <QSpinBox>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

/// m1: `w`, 0 to 23 as float32 [2, 3, 4]; `half`, four float16; `rgb`, an image of uint8 [8, 8, 3].
std::string tensorLibrary() {
  std::vector<float> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  std::string colors(8 * 8 * 3, '\0');
  for (std::size_t i = 0; i < colors.size(); ++i) colors[i] = static_cast<char>(i);
  const std::string payload = constants({"w", "half", "rgb"},
                                        {{kFloat32, {2, 3, 4}, floats(values)},
                                         {kFloat16, {4}, std::string(8, '\0')},
                                         {uint32_t{1 | 8 << 8 | 1 << 16}, {8, 8, 3}, colors}},
                                        {"f"}, {{}});
  return someHost()
      .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"const_loader", payload}}, {{1}, {}}))
      .build();
}

/// Goes to a tensor and waits until its pictures are complete.
GridPage* tensor(MainWindow& window, const char* ref) {
  if (!go(window, ref)) return nullptr;
  auto* const page = pageOf<GridPage>(window);
  return page && QTest::qWaitFor([&] { return page->isReady(); }, kWaitMs) ? page : nullptr;
}

QString current(const GridPage& page) { return const_cast<GridPage&>(page).values().currentText(); }

} // namespace

/// The page of a tensor: pictures, numbers, and changes of values.
class TestTensors : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void picturesAndNumbersShareTheSelection();
  void slicesAreChosen();
  void valueIsEditedByKeyboard();
  void refusedValueStaysInTheEditor();
  void valuesArePasted();
  void imagesAreShown();
  void placesAreFoundByIndex();

private:
  WindowApplication m_application;
  Files m_files;
};

void TestTensors::init() { WindowApplication::reset(); }

void TestTensors::picturesAndNumbersShareTheSelection() {
  MainWindow window;
  QVERIFY(showActive(window, {1150, 800}));
  QVERIFY(open(window, m_files.write(u"t.so"_s, tensorLibrary())));
  GridPage* const page = tensor(window, "m1/param:w");
  QVERIFY(page);
  auto* const plot = page->findChild<PlotView*>();
  QVERIFY(plot && !plot->plot().series.empty());
  QCOMPARE(current(*page), u"[0, 0, 0]  0"_s);
  page->heatMap().setFocus();
  QTest::keyClick(&page->heatMap(), Qt::Key_Down);
  QTest::keyClick(&page->heatMap(), Qt::Key_Right);
  QCOMPARE(current(*page), u"[1, 0, 1]  13"_s);
  QCOMPARE(page->heatMap().currentText(), current(*page));
  page->values().setFocus();
  QTest::keyClick(&page->values(), Qt::Key_End);
  QCOMPARE(page->heatMap().currentText(), u"[1, 2, 3]  23"_s);
  QTest::keyClick(&page->values(), Qt::Key_Left, Qt::ShiftModifier);
  page->values().copy();
  QCOMPARE(QGuiApplication::clipboard()->text(), u"22\t23"_s);
  // Zooming in shows a part, Home shows all again.
  const auto all = page->heatMap().visible();
  page->heatMap().zoom(6);
  QVERIFY(page->heatMap().visible().columns < all.columns);
  QVERIFY(page->heatMap().magnification() > 1);
  page->heatMap().setFocus();
  QTest::keyClick(&page->heatMap(), Qt::Key_Home);
  QVERIFY(page->heatMap().visible() == all);
}

void TestTensors::slicesAreChosen() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"t.so"_s, tensorLibrary())));
  GridPage* const page = tensor(window, "m1/param:w");
  QVERIFY(page);
  auto* const controls = page->findChild<GridControls*>();
  const QList<QComboBox*> boxes = controls->findChildren<QComboBox*>();
  QComboBox* const columns = boxes[1];
  const int last = columns->findText(u"axis 2 (4)"_s);
  QVERIFY(last >= 0);
  columns->setCurrentIndex(last);
  Q_EMIT columns->activated(last);
  QCOMPARE(page->values().visible().columns, uint64_t{4});
  QSpinBox* at = nullptr;
  const auto find = [&] {
    for (QSpinBox* const box : controls->findChildren<QSpinBox*>())
      if (box->isVisible()) at = box;
    return at != nullptr;
  };
  QTRY_VERIFY_WITH_TIMEOUT(find(), kWaitMs); // layouts show new widgets later
  at->setValue(2);
  QCOMPARE(current(*page), u"[0, 2, 0]  8"_s);
}

void TestTensors::valueIsEditedByKeyboard() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"t.so"_s, tensorLibrary())));
  GridPage* page = tensor(window, "m1/param:w");
  QVERIFY(page);
  page->values().setFocus();
  QTest::keyClick(&page->values(), Qt::Key_Right);
  QTest::keyClicks(&page->values(), u"-2.5"_s.left(1));
  auto* const edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  QVERIFY(edit);
  QTest::keyClicks(edit, u"2.5"_s);
  const auto before = window.document().state();
  QPointer<GridPage> shown = page; // a new page can have the address of the one before
  QTest::keyClick(edit, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
  QCOMPARE(window.document().state()->edits.size(), std::size_t{1});
  QCOMPARE(window.document().state()->changes[0].what, std::string("Value [0, 0, 1] of tensor 'w' set"));
  QCOMPARE(window.document().state()->changes[0].before, std::string("1"));
  QCOMPARE(window.document().state()->changes[0].after, std::string("-2.5"));
  // The page is a new one, below the changed value, which it marks.
  QTRY_VERIFY_WITH_TIMEOUT(!shown && pageOf<GridPage>(window), kWaitMs);
  shown = page = pageOf<GridPage>(window);
  QTRY_VERIFY_WITH_TIMEOUT(page->isReady(), kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(page->values().hasFocus(), kWaitMs);
  QCOMPARE(current(*page), u"[1, 0, 1]  13"_s);
  QTest::keyClick(&page->values(), Qt::Key_Up);
  QCOMPARE(current(*page), u"[0, 0, 1]  -2.5, before 1"_s);
  window.document().undo();
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state()->edits.empty(), kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(!shown && pageOf<GridPage>(window), kWaitMs);
  QTRY_COMPARE_WITH_TIMEOUT(current(*pageOf<GridPage>(window)), u"[0, 0, 1]  1"_s, kWaitMs);
}

void TestTensors::refusedValueStaysInTheEditor() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"t.so"_s, tensorLibrary())));
  GridPage* const page = tensor(window, "m1/param:half");
  QVERIFY(page);
  page->values().setFocus();
  QVERIFY(page->values().startEditing(u"70000"_s));
  auto* const edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  QVERIFY(edit);
  QTest::keyClick(edit, Qt::Key_Return);
  QVERIFY(page->values().isEditing());
  QVERIFY(!window.document().isEditing());
  QTest::keyClick(edit, Qt::Key_Escape);
  QVERIFY(!page->values().isEditing());
  QCOMPARE(current(*page), u"[0]  0"_s);
  QVERIFY(window.document().state()->edits.empty());
}

void TestTensors::valuesArePasted() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"t.so"_s, tensorLibrary())));
  GridPage* const page = tensor(window, "m1/param:half");
  QVERIFY(page);
  const QPointer<GridPage> shown = page;
  QGuiApplication::clipboard()->setText(u"1\t2\t0.5\n"_s);
  page->values().setFocus();
  QTest::keyClick(&page->values(), Qt::Key_Right);
  page->values().paste();
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{3}, kWaitMs);
  QCOMPARE(window.document().undoStack().count(), 1);
  // One more than fits changes nothing.
  QTRY_VERIFY_WITH_TIMEOUT(!shown && pageOf<GridPage>(window), kWaitMs);
  QGuiApplication::clipboard()->setText(u"1\t2\t3\t4\t5"_s);
  pageOf<GridPage>(window)->values().paste();
  QVERIFY(!window.document().isEditing());
}

void TestTensors::imagesAreShown() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"t.so"_s, tensorLibrary())));
  GridPage* const page = tensor(window, "m1/param:rgb");
  QVERIFY(page);
  auto* const controls = page->findChild<GridControls*>();
  QComboBox* const look = controls->findChildren<QComboBox*>()[2];
  const int image = look->findText(u"Image"_s);
  QVERIFY(image >= 0);
  look->setCurrentIndex(image);
  Q_EMIT look->activated(image);
  QTRY_VERIFY_WITH_TIMEOUT(page->heatMap().showsImage(), kWaitMs);
  QCOMPARE(page->heatMap().visible().rows, uint64_t{8});
  QCOMPARE(page->heatMap().visible().columns, uint64_t{8});
  look->setCurrentIndex(1);
  Q_EMIT look->activated(1);
  QVERIFY(!page->heatMap().showsImage());
}

void TestTensors::placesAreFoundByIndex() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(u"t.so"_s, tensorLibrary())));
  GridPage* const page = tensor(window, "m1/param:w");
  QVERIFY(page);
  page->openGoTo();
  auto* const edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  QVERIFY(edit);
  QTest::keyClicks(edit, u"1, 2, 0"_s);
  QTest::keyClick(edit, Qt::Key_Return);
  QCOMPARE(current(*page), u"[1, 2, 0]  20"_s);
  QVERIFY(page->goToPlace({0, 0, 3}));
  QVERIFY(!page->goToPlace({0, 0, 4}));
  QCOMPARE(current(*page), u"[0, 0, 3]  3"_s);
}

BLOBSCOPE_TEST(TestTensors);

#include "test_tensors.moc"
