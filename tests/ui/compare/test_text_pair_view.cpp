#include "ui/compare/text_pair_view.h"

#include "tests/support/test_main.h"
#include "tests/ui/compare/compare_test.h"
#include "tests/ui/ui_test.h"
#include "ui/compare/diff_look.h"

#include <QAccessible>
#include <QClipboard>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Letters are smoothed: their colours are near that of the role.
constexpr int kInk = 40;

struct ShownPair {
  ShownPair(std::string_view a, std::string_view b, QSize size = {900, 400}, std::string_view language = "cuda") {
    view.resize(size);
    view.show();
    view.setText(textPair(a, b, language));
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&view, key, modifiers); }
  /// A position in the row: of A, or of B.
  QPoint place(uint64_t row, bool sideB, int x = 60) {
    const QRect rect = view.rowRect(row);
    return {(sideB ? view.viewport()->width() / 2 + 7 : 0) + x, rect.top() + 8};
  }
  TextPairView view;
};

} // namespace

class TestTextPairView : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void viewStartsAtTheFirstChange();
  void keyboardMovesTheCursor();
  void keyboardMovesThroughChanges();
  void bothSidesScrollTogether();
  void foldingKeepsTheCurrentLine();
  void clickAndEnterUnfold();
  void longLinesCanBeWrapped();
  void wrappedRowsAreLimited();
  void selectionIsCopied();
  void mouseSelectsText();
  void narrowViewIsInline();
  void rulerScrollsToItsPlace();
  void textIsAccessible();
  void changesArePainted_data();
  void changesArePainted();
  void hugeTextIsShownWithoutDelay();
  void unrelatedTextsAreShown();
  void viewWithoutTextIsEmpty();

private:
  Application m_application;
};

void TestTextPairView::viewStartsAtTheFirstChange() {
  ShownPair shown(manyLines(500), manyLines(500, 300));
  QCOMPARE(shown.view.changeCount(), 1);
  QCOMPARE(shown.view.currentChange(), 0);
  QCOMPARE(shown.view.currentRow(), shown.view.lines().changeRow(0));
  QVERIFY(!shown.view.rowRect(shown.view.currentRow()).isEmpty());
}

void TestTextPairView::keyboardMovesTheCursor() {
  ShownPair shown(manyLines(200), manyLines(200, 100));
  shown.view.setFolding(false);
  shown.key(Qt::Key_Home);
  QCOMPARE(shown.view.currentRow(), 0U);
  QCOMPARE(shown.view.topRow(), 0U);
  shown.key(Qt::Key_Down);
  QCOMPARE(shown.view.currentRow(), 1U);
  shown.key(Qt::Key_Up);
  shown.key(Qt::Key_Up);
  QCOMPARE(shown.view.currentRow(), 0U);
  shown.key(Qt::Key_PageDown);
  QVERIFY(shown.view.currentRow() > 15);
  QVERIFY(shown.view.topRow() > 15);
  shown.key(Qt::Key_PageUp);
  QCOMPARE(shown.view.topRow(), 0U);
  shown.key(Qt::Key_End);
  QCOMPARE(shown.view.currentRow(), 199U);
  QVERIFY(!shown.view.rowRect(199).isEmpty());
  QVERIFY(shown.view.rowRect(199).bottom() < shown.view.viewport()->height());
  shown.key(Qt::Key_Left);
  QCOMPARE(shown.view.currentSide(), Side::A);
  shown.key(Qt::Key_Right);
  QCOMPARE(shown.view.currentSide(), Side::B);
}

void TestTextPairView::keyboardMovesThroughChanges() {
  std::string b = manyLines(300, 50);
  b.replace(b.find("line 250"), 8, "else 250");
  ShownPair shown(manyLines(300), b);
  QSignalSpy moved(&shown.view, &TextPairView::changeMoved);
  QCOMPARE(shown.view.changeCount(), 2);
  shown.key(Qt::Key_F7);
  QCOMPARE(shown.view.currentChange(), 1);
  QCOMPARE(moved.last(), (QVariantList{1, 2}));
  QVERIFY(!shown.view.goToNextChange(false));
  shown.key(Qt::Key_F7, Qt::ShiftModifier);
  QCOMPARE(shown.view.currentChange(), 0);
  QVERIFY(!shown.view.goToNextChange(true));
  shown.key(Qt::Key_Home);
  QCOMPARE(shown.view.currentChange(), -1);
}

void TestTextPairView::bothSidesScrollTogether() {
  // B has 40 more lines: equal lines share a row, wherever the view is.
  std::string b = manyLines(300);
  const std::size_t place = b.find("line 100\n");
  b.insert(place, manyLines(40).append("\n"));
  ShownPair shown(manyLines(300), b);
  shown.view.setFolding(false);
  for (const uint64_t row : {0U, 50U, 120U, 250U, 340U}) {
    shown.view.goToRow(row);
    for (uint64_t at = shown.view.topRow(); at < shown.view.rowAt(399); ++at) {
      const PairLines::Row here = shown.view.lines().row(at);
      if (here.kind == diff::HunkKind::Equal) QCOMPARE(here.b, here.a < 99 ? here.a : here.a + 41);
    }
  }
  // The scroll bar moves both, too.
  shown.view.verticalScrollBar()->setValue(150);
  QCOMPARE(shown.view.topRow(), 150U);
  shown.view.verticalScrollBar()->setValue(shown.view.verticalScrollBar()->maximum());
  QVERIFY(!shown.view.rowRect(340).isEmpty());
}

void TestTextPairView::foldingKeepsTheCurrentLine() {
  ShownPair shown(manyLines(100), manyLines(100, 50));
  QCOMPARE(shown.view.lines().rowCount(), 13U);
  const uint64_t line = shown.view.lines().row(shown.view.currentRow()).b;
  shown.view.setFolding(false);
  QCOMPARE(shown.view.lines().rowCount(), 100U);
  QCOMPARE(shown.view.lines().row(shown.view.currentRow()).b, line); // stays in place
  shown.view.setFolding(true);
  QCOMPARE(shown.view.lines().row(shown.view.currentRow()).b, line);
}

void TestTextPairView::clickAndEnterUnfold() {
  ShownPair shown(manyLines(100), manyLines(100, 50));
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, shown.place(0, false, 20));
  QCOMPARE(shown.view.lines().rowCount(), 57U);
  QCOMPARE(shown.view.currentRow(), 0U);
  shown.key(Qt::Key_Return);
  QCOMPARE(shown.view.lines().rowCount(), 13U);
  shown.key(Qt::Key_End);
  shown.key(Qt::Key_Return);
  QCOMPARE(shown.view.lines().rowCount(), 13U + 45);
}

void TestTextPairView::longLinesCanBeWrapped() {
  const std::string text =
      "int first = 1;\n" +
      std::string("call(argument, argument, argument, argument, argument, argument, argument, argument, argument);\n") +
      "end\n";
  std::string b = text;
  b.replace(b.find("end"), 3, "eof");
  ShownPair shown(text, b, {700, 400});
  QVERIFY(shown.view.rowRect(1).height() > shown.view.rowRect(0).height());
  QCOMPARE(shown.view.horizontalScrollBar()->maximum(), 0);
  shown.view.setWrapping(false);
  QCOMPARE(shown.view.rowRect(1).height(), shown.view.rowRect(0).height());
  QVERIFY(shown.view.horizontalScrollBar()->maximum() > 0);
  shown.key(Qt::Key_Right, Qt::ControlModifier);
  QVERIFY(shown.view.horizontalScrollBar()->value() > 0);
}

void TestTextPairView::wrappedRowsAreLimited() {
  const std::string longText = "x = " + std::string(5'000, 'a') + ";\n";
  ShownPair shown(longText + "end\n", "x = " + std::string(5'000, 'b') + ";\nend\n");
  const int line = shown.view.rowRect(1).height();
  QCOMPARE(shown.view.rowRect(0).height(), line * static_cast<int>(TextPairView::kLineRows + 1));
  shown.key(Qt::Key_Home);
  shown.key(Qt::Key_Return);
  const int all = shown.view.rowRect(0).height();
  QVERIFY(all > line * 40);
  // The rows of a long line can be scrolled one by one.
  shown.key(Qt::Key_Down, Qt::ControlModifier);
  QCOMPARE(shown.view.topLine(), std::size_t{1});
  shown.key(Qt::Key_Home);
  shown.key(Qt::Key_Return);
  QCOMPARE(shown.view.rowRect(0).height(), line * static_cast<int>(TextPairView::kLineRows + 1));
}

void TestTextPairView::selectionIsCopied() {
  ShownPair shown("same\nold text\n", "same\nnew text\n");
  QApplication::clipboard()->clear();
  shown.key(Qt::Key_Left);
  QTest::keySequence(&shown.view, QKeySequence::Copy);
  QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("old text"));
  shown.key(Qt::Key_Right);
  shown.key(Qt::Key_Home);
  shown.key(Qt::Key_Down, Qt::ShiftModifier);
  QVERIFY(shown.view.copy());
  QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("same\nnew text\n"));
  QTest::keySequence(&shown.view, QKeySequence::SelectAll);
  QCOMPARE(shown.view.selectedText(), QStringLiteral("same\nnew text\n"));
  shown.view.select(Side::A, 5, 3);
  QCOMPARE(shown.view.selectedText(), QStringLiteral("old"));
}

void TestTextPairView::mouseSelectsText() {
  ShownPair shown("alpha beta\nold\n", "alpha beta\nnew\n");
  QTest::mousePress(shown.view.viewport(), Qt::LeftButton, {}, shown.place(0, true, 42));
  QTest::mouseMove(shown.view.viewport(), shown.place(0, true, 400));
  QTest::mouseRelease(shown.view.viewport(), Qt::LeftButton, {}, shown.place(0, true, 400));
  QCOMPARE(shown.view.currentSide(), Side::B);
  QCOMPARE(shown.view.selectedText(), QStringLiteral("alpha beta"));
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, shown.place(1, false));
  QCOMPARE(shown.view.currentSide(), Side::A);
  QCOMPARE(shown.view.currentRow(), 1U);
  QCOMPARE(shown.view.selection().size, 0U);
}

void TestTextPairView::narrowViewIsInline() {
  ShownPair shown("same\nold\n", "same\nnew\n");
  QVERIFY(!shown.view.isInline());
  const int line = shown.view.rowRect(0).height();
  shown.view.resize(500, 300);
  QVERIFY(shown.view.isInline());
  // The changed line takes two rows: that of A above that of B.
  QCOMPARE(shown.view.rowRect(0).height(), line);
  QCOMPARE(shown.view.rowRect(1).height(), 2 * line);
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, {100, shown.view.rowRect(1).top() + line + 5});
  QCOMPARE(shown.view.currentSide(), Side::B);
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, {100, shown.view.rowRect(1).top() + 5});
  QCOMPARE(shown.view.currentSide(), Side::A);
}

void TestTextPairView::rulerScrollsToItsPlace() {
  ShownPair shown(manyLines(2'000), manyLines(2'000, 1'500));
  shown.view.setFolding(false);
  const int middle = shown.view.viewport()->width() / 2;
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, {middle, 200});
  QVERIFY(shown.view.topRow() > 900 && shown.view.topRow() < 1'100);
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, {middle, 399});
  QVERIFY(!shown.view.rowRect(1'999).isEmpty());
}

void TestTextPairView::textIsAccessible() {
  ShownPair shown("same\nold\n" + manyLines(60), "same\nnew\n" + manyLines(60));
  QAccessibleInterface* const self = QAccessible::queryAccessibleInterface(&shown.view);
  QVERIFY(self && self->textInterface());
  QVERIFY(!self->text(QAccessible::Name).isEmpty());
  QCOMPARE(self->text(QAccessible::Description), QStringLiteral("change 1 of 1"));
  QCOMPARE(self->text(QAccessible::Value), QStringLiteral("line 2 changed, A: old; line 2 of B: new"));
  QAccessibleTextInterface* const text = self->textInterface();
  const QString all = text->text(0, text->characterCount());
  QVERIFY(all.startsWith(QStringLiteral("same\n- old\n+ new\nline 1\n")));
  QVERIFY(all.contains(QStringLiteral("equal lines, folded")));
  QCOMPARE(text->cursorPosition(), 5);
  text->setCursorPosition(0);
  QCOMPARE(shown.view.currentRow(), 0U);
  QVERIFY(!text->characterRect(6).isEmpty());
  QVERIFY(self->state().readOnly);
}

void TestTextPairView::changesArePainted_data() {
  QTest::addColumn<bool>("dark");
  QTest::addColumn<double>("ratio");
  for (const bool dark : {false, true})
    for (const double ratio : {1.0, 1.5}) QTest::addRow("%s, %.1f", dark ? "dark" : "light", ratio) << dark << ratio;
}

void TestTextPairView::changesArePainted() {
  QFETCH(bool, dark);
  QFETCH(double, ratio);
  setTheme(dark ? Theme::dark() : Theme::light());
  ShownPair shown("int a = 1;\nold word here\nonly\n" + manyLines(60), "int a = 1;\nnew word here\n" + manyLines(60));
  const QImage image = drawn(*shown.view.viewport(), ratio);
  for (const Role role : {Role::RemovedLine, Role::AddedLine, Role::RemovedWord, Role::AddedWord, Role::Removed,
                          Role::Added, Role::Alternate, Role::Changed, Role::Base})
    QVERIFY2(countPixels(image, theme().color(role)) > 20, qPrintable(QString::number(static_cast<int>(role))));
  QVERIFY(countPixels(image, theme().color(Role::CodeType), kInk) +
              countPixels(image, theme().color(Role::CodeKeyword), kInk) >
          0);
  QCOMPARE(countPixels(image, Qt::magenta), 0);
  setTheme(Theme::light());
}

void TestTextPairView::hugeTextIsShownWithoutDelay() {
  // A million lines, every tenth changed: showing and jumping cost only the visible lines.
  std::string a, b;
  auto made = std::make_shared<TextPair>();
  for (uint64_t line = 0; line < 1'000'000; ++line) {
    a += "value " + std::to_string(line) + "\n";
    b += (line % 10 == 0 ? "other " : "value ") + std::to_string(line) + "\n";
    if (line % 10 < 2)
      made->runs.push_back(
          {line % 10 == 0 ? diff::HunkKind::Changed : diff::HunkKind::Equal, line, line, line % 10 == 0 ? 1U : 9U});
  }
  QElapsedTimer clock;
  clock.start();
  NullMonitor monitor;
  made->a = Bytes::copyOf(a);
  made->b = Bytes::copyOf(b);
  made->indexA = *syntax::LineIndex::compute(made->a, monitor);
  made->indexB = *syntax::LineIndex::compute(made->b, monitor);
  const qint64 yardstick = clock.elapsed() + 1;
  const TextPairPtr pair = made;
  TextPairView view;
  view.resize(900, 800);
  view.show();
  clock.restart();
  view.setText(pair);
  const QImage first = drawn(*view.viewport(), 1);
  const qint64 shown = clock.restart();
  view.setFolding(false);
  qint64 slowest = 0;
  for (const uint64_t row : {999'999U, 0U, 500'000U, 123'456U}) {
    clock.restart();
    view.goToRow(row);
    const QImage picture = drawn(*view.viewport(), 1);
    slowest = std::max(slowest, clock.elapsed());
    QVERIFY(!view.rowRect(row).isEmpty());
  }
  qInfo("a million lines: shown in %lld ms, slowest jump %lld ms", shown, slowest);
  QCOMPARE(view.changeCount(), 100'000);
  // Laying out all lines would take a hundred times as long as counting them.
  QVERIFY2(shown < 50 * yardstick && slowest < 25 * yardstick, "painting looks at more than what is visible");
}

void TestTextPairView::unrelatedTextsAreShown() {
  std::string a, b;
  for (int line = 0; line < 20'000; ++line) {
    a += "a" + std::to_string(line * 7919 % 20'011) + "\n";
    b += "b" + std::to_string(line * 104729 % 20'011) + "\n";
  }
  ShownPair shown(a, b);
  QCOMPARE(shown.view.changeCount(), 1);
  shown.key(Qt::Key_End);
  QVERIFY(shown.view.currentRow() >= 19'999);
}

void TestTextPairView::viewWithoutTextIsEmpty() {
  TextPairView view;
  view.resize(800, 300);
  view.show();
  for (const int key : {Qt::Key_Down, Qt::Key_End, Qt::Key_PageDown, Qt::Key_Return, Qt::Key_F7})
    QTest::keyClick(&view, static_cast<Qt::Key>(key));
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, {100, 100});
  QVERIFY(!view.copy());
  QCOMPARE(countPixels(drawn(*view.viewport(), 1), Qt::magenta), 0);
  view.setText(textPair("", ""));
  QCOMPARE(view.lines().rowCount(), 1U);
}

BLOBSCOPE_TEST(TestTextPairView);
#include "test_text_pair_view.moc"
