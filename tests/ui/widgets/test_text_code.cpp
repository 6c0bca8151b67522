#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/text/edit_view.h"

#include <QAccessible>
#include <QAction>
#include <QElapsedTimer>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Two kernels: lines 1 to 12 and 13 to 18.
const std::string kCode = ".visible .entry add()\n"        // 1
                          "{\n"                            // 2
                          "\t.reg .b32 %r<3>;\n"           // 3
                          "\tmov.u32 %r1, %tid.x;\n"       // 4
                          "$L__BB0_1:\n"                   // 5
                          "\tadd.s32 %r2, %r1, 1;\n"       // 6
                          "\t@%p1 bra $L__BB0_1;\n"        // 7
                          "\tcall mul;\n"                  // 8
                          "\t// %r1 is in a comment\n"     // 9
                          "\tst.global.u32 [%rd1], %r1;\n" // 10
                          "\tret;\n"                       // 11
                          "}\n"                            // 12
                          ".visible .entry mul()\n"        // 13
                          "{\n"                            // 14
                          "$L__BB0_1:\n"                   // 15
                          "\tbra $L__BB0_1;\n"             // 16
                          "\tret;\n"                       // 17
                          "}\n";                           // 18

std::shared_ptr<const syntax::CodeStructure> structureOfCode(const std::string& text, std::string_view language) {
  NullMonitor monitor;
  auto structure = syntax::computeStructure(Bytes::copyOf(text), syntax::language(language), monitor);
  return structure ? *structure : nullptr;
}

struct ShownCode {
  explicit ShownCode(const std::string& text = kCode, std::string_view language = "ptx", QSize size = {500, 400}) {
    view.resize(size);
    view.setText(Bytes::copyOf(text), language);
    view.setStructure(structureOfCode(text, language));
    view.show();
  }
  /// Puts the cursor before the n-th occurrence of the words, from 0.
  void goTo(const char* words, int n = 0) {
    std::size_t at = view.text().view().find(words);
    for (; n > 0; --n) at = view.text().view().find(words, at + 1);
    view.goToOffset(at);
  }
  QAccessibleInterface* accessible() { return QAccessible::queryAccessibleInterface(&view); }
  /// The middle of the character at the cursor, in the viewport.
  QPoint cursorPlace() {
    QAccessibleTextInterface* const text = accessible()->textInterface();
    return view.viewport()->mapFromGlobal(text->characterRect(text->cursorPosition()).center());
  }
  QAction* action(QMenu& menu, const char* name) {
    for (QAction* const one : menu.actions())
      if (one->text() == QString::fromUtf8(name)) return one;
    return nullptr;
  }
  EditView view;
};

} // namespace

class TestTextCode : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void definitionsAreReachedByKey_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("occurrence");
    QTest::addColumn<int>("line");
    QTest::newRow("label") << "$L__BB0_1" << 1 << 5;
    QTest::newRow("label of the other function") << "$L__BB0_1" << 3 << 15;
    QTest::newRow("function") << "mul" << 0 << 13;
    QTest::newRow("register") << "%r1" << 3 << 4;
    QTest::newRow("first use of a register") << "%r1" << 0 << 4;
    QTest::newRow("no name") << "," << 0 << 4;
  }
  void definitionsAreReachedByKey() {
    QFETCH(QString, words);
    QFETCH(int, occurrence);
    QFETCH(int, line);
    ShownCode shown;
    shown.goTo(words.toUtf8().constData(), occurrence);
    const quint64 from = shown.view.currentLine();
    QTest::keyClick(&shown.view, Qt::Key_F12);
    QCOMPARE(shown.view.currentLine(), static_cast<quint64>(line));
    // And back.
    QTest::keyClick(&shown.view, Qt::Key_F12, Qt::ShiftModifier);
    QCOMPARE(shown.view.currentLine(), from);
  }

  void controlClickFollowsANameOrALink() {
    ShownCode shown;
    shown.goTo("$L__BB0_1", 1);
    QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, Qt::ControlModifier, shown.cursorPlace());
    QCOMPARE(shown.view.currentLine(), quint64{5});
    // A name that only the library knows.
    shown.view.setLinks([](std::string_view name) { return name == "ret"; });
    QSignalSpy followed(&shown.view, &TextView::linkActivated);
    shown.goTo("ret");
    QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, Qt::ControlModifier, shown.cursorPlace());
    QCOMPARE(followed.size(), 1);
  }

  void pointerShowsWhatCanBeFollowed() {
    ShownCode shown;
    shown.goTo("mul");
    const QPoint name = shown.cursorPlace();
    const auto shapeAt = [&](QPoint place, Qt::KeyboardModifiers modifiers) {
      QMouseEvent move(QEvent::MouseMove, place, shown.view.viewport()->mapToGlobal(place), Qt::NoButton, {},
                       modifiers);
      QCoreApplication::sendEvent(shown.view.viewport(), &move);
      return shown.view.viewport()->cursor().shape();
    };
    QCOMPARE(shapeAt(name, Qt::ControlModifier), Qt::PointingHandCursor);
    QCOMPARE(shapeAt(name, Qt::NoModifier), Qt::IBeamCursor);
    QCOMPARE(shapeAt(QPoint(450, name.y()), Qt::ControlModifier), Qt::IBeamCursor); // behind the line
    QCOMPARE(shapeAt(QPoint(5, name.y()), Qt::NoModifier), Qt::ArrowCursor);        // beside it
  }

  void namesAreHighlightedTogether() {
    ShownCode shown;
    shown.goTo("%r1");
    QCOMPARE(shown.view.highlightedName(), std::string("%r1"));
    // The background behind the other uses, not behind the comment.
    const QColor marked = theme().color(Role::InactiveSelection);
    const QImage image = shown.view.viewport()->grab().toImage();
    const auto isMarked = [&](const char* words, int n) {
      const quint64 before = shown.view.selection().offset;
      shown.goTo(words, n);
      const QPoint place = shown.cursorPlace();
      shown.view.goToOffset(before);
      int pixels = 0;
      for (int x = -4; x <= 4; ++x)
        for (int y = -7; y <= 7; ++y) pixels += image.pixelColor(place + QPoint(x, y)) == marked;
      return pixels > 20;
    };
    QVERIFY(isMarked("%r1", 1));
    QVERIFY(isMarked("%r1", 3));
    QVERIFY(!isMarked("%r1", 2)); // in a comment
    QVERIFY(!isMarked("%r2", 0));
    shown.goTo("mov");
    QCOMPARE(shown.view.highlightedName(), std::string()); // an instruction
    shown.goTo("$L__BB0_1");
    QCOMPARE(shown.view.highlightedName(), std::string("$L__BB0_1"));
    shown.view.selectAll();
    QCOMPARE(shown.view.highlightedName(), std::string());
  }

  void partsOfRegistersAreOneName() {
    ShownCode shown("f:\n1000  89 c3  mov ebx, eax\n1002  48 01 c8  add rax, rcx\n", "asm");
    shown.goTo("eax");
    QCOMPARE(shown.view.highlightedName(), std::string("rax"));
  }

  void functionsFold() {
    ShownCode shown;
    QVERIFY(shown.view.canFold(1) && !shown.view.canFold(3));
    shown.goTo("ret");
    QTest::keyClick(&shown.view, Qt::Key_Minus, Qt::AltModifier);
    QVERIFY(shown.view.isFolded(1));
    QCOMPARE(shown.view.currentLine(), quint64{1}); // its line is hidden
    QCOMPARE(shown.view.hiddenLines(1), quint64{11});
    QTest::keyClick(&shown.view, Qt::Key_Down);
    QCOMPARE(shown.view.currentLine(), quint64{13});
    QTest::keyClick(&shown.view, Qt::Key_Up);
    QTest::keyClick(&shown.view, Qt::Key_End);
    QTest::keyClick(&shown.view, Qt::Key_Right);
    QCOMPARE(shown.view.currentLine(), quint64{13});
    QTest::keyClick(&shown.view, Qt::Key_Left);
    QCOMPARE(shown.view.currentLine(), quint64{1});
    QTest::keyClick(&shown.view, Qt::Key_Plus, Qt::AltModifier | Qt::ShiftModifier);
    QVERIFY(!shown.view.isFolded(1));
    // All functions, by the menu.
    shown.view.foldFunctions(true);
    QVERIFY(shown.view.isFolded(1) && shown.view.isFolded(13));
    shown.view.foldFunctions(false);
    QVERIFY(!shown.view.isFolded(1) && !shown.view.isFolded(13));
  }

  void clickBesideALineFoldsIt() {
    ShownCode shown;
    shown.view.goToLine(13);
    const QPoint place = shown.cursorPlace();
    // The sign is between the numbers and the text; its width is not known here.
    bool folded = false;
    for (int left = place.x() - 60; left < place.x() && !folded; left += 2) {
      QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, QPoint(left, place.y()));
      folded = shown.view.isFolded(13);
    }
    QVERIFY(folded);
  }

  void goingToAHiddenLineShowsIt() {
    ShownCode shown;
    shown.view.foldFunctions(true);
    shown.view.goToLine(6);
    QVERIFY(!shown.view.isFolded(1) && shown.view.isFolded(13));
    QCOMPARE(shown.view.currentLine(), quint64{6});
    shown.view.foldFunctions(true);
    const auto at = static_cast<quint64>(kCode.find("ret;"));
    shown.view.select(at, 3);
    QCOMPARE(shown.view.selectedText(), QStringLiteral("ret"));
    QVERIFY(!shown.view.isFolded(1));
  }

  void typingShowsEverything() {
    ShownCode shown;
    shown.view.setOriginal(Bytes::copyOf(kCode), "ptx");
    shown.view.setStructure(structureOfCode(kCode, "ptx"));
    shown.view.setEditable(true);
    shown.view.foldFunctions(true);
    shown.view.goToLine(13);
    QTest::keyClicks(&shown.view, QStringLiteral("x"));
    QVERIFY(!shown.view.isFolded(1));
    QVERIFY(!shown.view.structure());
    QVERIFY(shown.view.isChanged());
  }

  void screenReadersKnowFoldsAndFunctions() {
    ShownCode shown;
    shown.view.goToLine(6);
    QVERIFY2(shown.accessible()->text(QAccessible::Description).endsWith(QLatin1String("in add")),
             qPrintable(shown.accessible()->text(QAccessible::Description)));
    shown.view.setFolded(1, true);
    QVERIFY2(shown.accessible()->text(QAccessible::Value).contains(QLatin1String("11 lines hidden below")),
             qPrintable(shown.accessible()->text(QAccessible::Value)));
    QVERIFY(!shown.accessible()->textInterface()->text(0, 10'000).contains(QLatin1String("mov.u32")));
    QVERIFY(shown.accessible()->textInterface()->text(0, 10'000).contains(QLatin1String("entry mul")));
  }

  void longLinesWrap() {
    const std::string text = "short\n" + std::string(1'000, 'a') + "\nend\n";
    ShownCode shown(text, "c");
    QSignalSpy changed(&shown.view, &TextView::wrappingChanged);
    QTest::keyClick(&shown.view, Qt::Key_Z, Qt::AltModifier);
    QVERIFY(shown.view.isWrapping());
    QCOMPARE(changed.size(), 1);
    QCOMPARE(shown.view.horizontalScrollBar()->maximum(), 0);
    // Down goes to the next row of the same line.
    QTest::keyClick(&shown.view, Qt::Key_Down);
    QTest::keyClick(&shown.view, Qt::Key_Down);
    QCOMPARE(shown.view.currentLine(), quint64{2});
    const quint64 columns = shown.view.currentColumn() - 1;
    QVERIFY(columns > 20 && columns < 200);
    const QPoint second = shown.cursorPlace();
    QTest::keyClick(&shown.view, Qt::Key_Up);
    QCOMPARE(shown.view.currentColumn(), quint64{1});
    QCOMPARE(shown.cursorPlace(), second - QPoint(0, shown.view.lineHeight()));
    // A click reaches the same place.
    QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, second - QPoint(3, 0));
    QCOMPARE(shown.view.currentColumn(), columns + 1);
    // The line after it is below all of its rows.
    shown.view.goToLine(3);
    QVERIFY(shown.cursorPlace().y() > second.y() + shown.view.lineHeight());
    // Narrower: more rows; the same line stays at the top.
    const int rows = shown.view.verticalScrollBar()->maximum();
    shown.view.resize(300, 100);
    QTRY_VERIFY(shown.view.verticalScrollBar()->maximum() > rows);
    QTest::keyClick(&shown.view, Qt::Key_Z, Qt::AltModifier);
    QVERIFY(!shown.view.isWrapping());
    QVERIFY(shown.view.horizontalScrollBar()->maximum() > 0);
  }

  void everyRowOfAWrappedTextIsReached() {
    std::string text;
    for (int i = 0; i < 200; ++i)
      text += std::string(static_cast<std::size_t>(i * 7 % 300), static_cast<char>('a' + i % 26)) + "\n";
    ShownCode shown(text, "c", {400, 200});
    shown.view.setWrapping(true);
    for (int i = 0; i < 5'000 && shown.view.currentLine() < shown.view.lineCount(); ++i) {
      const quint64 before = shown.view.selection().offset;
      QTest::keyClick(&shown.view, Qt::Key_Down);
      QVERIFY(shown.view.selection().offset > before);
    }
    QCOMPARE(shown.view.currentLine(), quint64{200});
    QTest::keyClick(&shown.view, Qt::Key_Home, Qt::ControlModifier);
    QCOMPARE(shown.view.topLine(), quint64{1});
  }

  void functionStaysAtTheTop() {
    std::string text = ".entry long()\n{\n";
    for (int i = 0; i < 200; ++i) text += "\tmov.u32 %r1, " + std::to_string(i) + ";\n";
    text += "}\n// end\n";
    ShownCode shown(text);
    QVERIFY(!shown.view.stickyFunction());
    shown.view.goToLine(100);
    QVERIFY(shown.view.stickyFunction());
    QCOMPARE(shown.view.stickyFunction()->name, std::string("long"));
    // The cursor is never below it.
    for (int i = 0; i < 60; ++i) {
      QTest::keyClick(&shown.view, Qt::Key_Up);
      QVERIFY(shown.cursorPlace().y() > shown.view.lineHeight());
    }
    QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, QPoint(120, 8));
    QCOMPARE(shown.view.currentLine(), quint64{1});
    QVERIFY(!shown.view.stickyFunction());
  }

  void jumpsAreDrawn() {
    ShownCode shown;
    const auto picture = [&] { return shown.view.viewport()->grab().toImage(); };
    shown.view.goToLine(18);
    const QImage with = picture();
    auto without = std::make_shared<syntax::CodeStructure>(*shown.view.structure());
    const std::vector<syntax::CodeJump> jumps = without->jumps;
    QCOMPARE(jumps.size(), std::size_t{2});
    // A jump whose lane is full is not drawn; the width stays that of the other one.
    without->jumps.front().lane = syntax::CodeJump::kLanes;
    shown.view.setStructure(without);
    QVERIFY(with != picture());
    // The arrows of the current line have the accent colour.
    const auto accents = [&] {
      const QImage image = picture();
      int count = 0;
      for (int x = 0; x < 100; ++x)
        for (int y = 0; y < image.height(); ++y) count += image.pixelColor(x, y) == theme().color(Role::Accent);
      return count;
    };
    shown.view.goToLine(17);
    const int none = accents();
    shown.view.goToLine(16);
    QVERIFY(accents() > none + 4);
  }

  void menuOffersWhatIsPossible() {
    ShownCode shown;
    shown.goTo("$L__BB0_1", 1);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(100, 100), QPoint(100, 100));
    QCoreApplication::sendEvent(shown.view.viewport(), &event);
    auto* const menu = shown.view.findChild<QMenu*>();
    QVERIFY(menu);
    for (const char* const name : {"Go to definition", "Fold", "Fold all functions", "Wrap long lines"}) {
      QVERIFY2(shown.action(*menu, name), name);
      QVERIFY2(shown.action(*menu, name)->isEnabled(), name);
    }
    QVERIFY(!shown.action(*menu, "Unfold all")->isEnabled());
    shown.action(*menu, "Go to definition")->trigger();
    QCOMPARE(shown.view.currentLine(), quint64{5});
    menu->close();
  }

  /// Folding and wrapping half a million lines do not take longer than a few passes over the text.
  void largeTextsStayFast() {
    std::string text;
    for (int function = 0; function < 500; ++function) {
      text += ".entry k" + std::to_string(function) + "()\n{\n";
      for (int i = 0; i < 1'000; ++i) text += "\tadd.s32 %r" + std::to_string(i) + ", %r1, 2;\n";
      text += "}\n";
    }
    QElapsedTimer clock;
    clock.start();
    const auto structure = structureOfCode(text, "ptx");
    const qint64 pass = clock.nsecsElapsed(); // reads every line once
    QCOMPARE(structure->functions.size(), std::size_t{500});
    EditView view;
    view.resize(600, 400);
    view.setText(Bytes::copyOf(text), "ptx");
    view.show();
    QTRY_VERIFY(view.isIndexed());
    view.setStructure(structure);
    clock.restart();
    view.foldFunctions(true);
    view.viewport()->grab();
    view.goToLine(250'000);
    view.viewport()->grab();
    view.setWrapping(true);
    view.viewport()->grab();
    view.goToLine(500'000);
    view.viewport()->grab();
    QVERIFY2(clock.nsecsElapsed() < pass,
             qPrintable(QStringLiteral("%1 ms, %2 ms").arg(clock.elapsed()).arg(pass / 1'000'000)));
    QCOMPARE(view.currentLine(), quint64{500'000});
  }

private:
  Application m_application;
};

BLOBSCOPE_TEST(TestTextCode);

#include "test_text_code.moc"
