#include "ui/widgets/text/text_view.h"

#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/mark_scroll_bar.h"

#include <QAccessible>
#include <QAction>
#include <QClipboard>
#include <QMenu>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

constexpr std::string_view kText = "int a;\n"                  // 0
                                   "\tld.param.u64 %rd4, x;\n" // 7
                                   "\n"                        // 30
                                   "\xc3\xa4\xff z\n"          // 31
                                   "end";                      // 37, to 40

/// Letters are smoothed: their colours are near that of the role.
constexpr int kInk = 40;

/// A view of 400 by 300 with a text.
struct ShownText {
  explicit ShownText(std::string_view text = kText, std::string_view language = "ptx") {
    view.resize(400, 300);
    view.setText(Bytes::copyOf(text), language);
    view.show();
  }
  QAccessibleInterface* accessible() { return QAccessible::queryAccessibleInterface(&view); }
  /// The middle of the left edge of the character that begins at the offset, in the viewport.
  QPoint place(quint64 offset) {
    const Extent before = view.selection();
    view.goToOffset(offset);
    QAccessibleTextInterface* text = accessible()->textInterface();
    const QRect rect = text->characterRect(text->cursorPosition());
    view.select(before.offset, before.size);
    return view.viewport()->mapFromGlobal(QPoint(rect.left() + 1, rect.center().y()));
  }
  TextView view;
};

} // namespace

class TestTextView : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void keyboardMovesTheCursor_data();
  void keyboardMovesTheCursor();
  void cursorReturnsToItsColumn();
  void pageKeysMoveByAPage();
  void viewGoesToLinesAndOffsets();
  void mouseSelectsText();
  void namesAreLinks();
  void selectionIsCopied();
  void hugeSelectionIsNotCopied();
  void contextMenuCopies();
  void eachMoveSignalsOnce();
  void matchesAreMarked();
  void longLineIsShownWithoutDelay();
  void viewScrollsSideways();
  void hugeTextIsIndexedInTheBackground();
  void commentFromAboveIsColoured();
  void textIsAccessible();
  void tokensArePainted_data();
  void tokensArePainted();
  void emptyTextIsSafe();
  void newTextResetsTheView();

private:
  Application m_application;
};

void TestTextView::keyboardMovesTheCursor_data() {
  QTest::addColumn<int>("from");
  QTest::addColumn<int>("key");
  QTest::addColumn<int>("modifiers");
  QTest::addColumn<int>("anchor");
  QTest::addColumn<int>("cursor");
  const int none = Qt::NoModifier, shift = Qt::ShiftModifier, control = Qt::ControlModifier;
  const auto row = [](const char* name, int from, int key, int modifiers, int anchor, int cursor) {
    QTest::newRow(name) << from << key << modifiers << anchor << cursor;
  };
  row("right", 0, Qt::Key_Right, none, 1, 1);
  row("right over the line end", 6, Qt::Key_Right, none, 7, 7);
  row("right over two bytes", 31, Qt::Key_Right, none, 33, 33);
  row("right at the end", 40, Qt::Key_Right, none, 40, 40);
  row("left", 33, Qt::Key_Left, none, 31, 31);
  row("left over the line end", 7, Qt::Key_Left, none, 6, 6);
  row("left at the start", 0, Qt::Key_Left, none, 0, 0);
  row("select right", 3, Qt::Key_Right, shift, 3, 4);
  row("select left", 3, Qt::Key_Left, shift, 3, 2);
  row("down into a tab", 3, Qt::Key_Down, none, 7, 7);
  row("down", 37, Qt::Key_Down, none, 40, 40);
  row("up", 37, Qt::Key_Up, none, 31, 31);
  row("up at the top", 3, Qt::Key_Up, none, 0, 0);
  row("select down", 0, Qt::Key_Down, shift, 0, 7);
  row("home", 12, Qt::Key_Home, none, 7, 7);
  row("end", 12, Qt::Key_End, none, 29, 29);
  row("select to the end", 12, Qt::Key_End, shift, 12, 29);
  row("start of all", 12, Qt::Key_Home, control, 0, 0);
  row("end of all", 12, Qt::Key_End, control, 40, 40);
  row("select to the start of all", 12, Qt::Key_Home, control | shift, 12, 0);
  row("select to the end of all", 12, Qt::Key_End, control | shift, 12, 40);
  row("everything", 12, Qt::Key_A, control, 0, 40);
  row("word right", 0, Qt::Key_Right, control, 4, 4);
  row("word right over blanks", 7, Qt::Key_Right, control, 8, 8);
  row("word right to the dot", 8, Qt::Key_Right, control, 10, 10);
  row("word left", 21, Qt::Key_Left, control, 17, 17);
  row("select word left", 21, Qt::Key_Left, control | shift, 21, 17);
  row("page down", 3, Qt::Key_PageDown, none, 40, 40);
  row("page up", 39, Qt::Key_PageUp, none, 2, 2);
}

void TestTextView::keyboardMovesTheCursor() {
  QFETCH(int, from);
  QFETCH(int, key);
  QFETCH(int, modifiers);
  QFETCH(int, anchor);
  QFETCH(int, cursor);
  ShownText shown;
  shown.view.goToOffset(static_cast<quint64>(from));
  QCOMPARE(shown.view.selection(), (Extent{static_cast<uint64_t>(from), 0}));
  QTest::keyClick(&shown.view, static_cast<Qt::Key>(key), Qt::KeyboardModifiers(modifiers));
  const auto first = static_cast<uint64_t>(std::min(anchor, cursor));
  const auto last = static_cast<uint64_t>(std::max(anchor, cursor));
  QCOMPARE(shown.view.selection(), (Extent{first, last - first}));
  // The line shows on which side the cursor is.
  const auto line = 1 + std::count(kText.begin(), kText.begin() + cursor, '\n');
  QCOMPARE(shown.view.currentLine(), static_cast<quint64>(line));
}

void TestTextView::cursorReturnsToItsColumn() {
  ShownText shown("long line\nab\nlonger line");
  shown.view.goToOffset(7);
  QTest::keyClick(&shown.view, Qt::Key_Down);
  QCOMPARE(shown.view.currentColumn(), quint64{3});
  QTest::keyClick(&shown.view, Qt::Key_Down);
  QCOMPARE(shown.view.currentColumn(), quint64{8});
  QTest::keyClick(&shown.view, Qt::Key_Up);
  QTest::keyClick(&shown.view, Qt::Key_Left);
  QTest::keyClick(&shown.view, Qt::Key_Down);
  QCOMPARE(shown.view.currentColumn(), quint64{2});
}

void TestTextView::pageKeysMoveByAPage() {
  std::string text;
  for (int line = 1; line <= 500; ++line) text += "line " + std::to_string(line) + "\n";
  ShownText shown(text);
  const quint64 page = shown.view.visibleLines();
  QVERIFY(page > 5 && page < 30);
  QTest::keyClick(&shown.view, Qt::Key_PageDown);
  QCOMPARE(shown.view.currentLine(), page + 1);
  QCOMPARE(shown.view.topLine(), page + 1);
  QTest::keyClick(&shown.view, Qt::Key_PageDown);
  QTest::keyClick(&shown.view, Qt::Key_PageUp);
  QCOMPARE(shown.view.topLine(), page + 1);
  QTest::keyClick(&shown.view, Qt::Key_End, Qt::ControlModifier);
  QCOMPARE(shown.view.currentLine(), quint64{500});
  QCOMPARE(shown.view.topLine(), 500 - page + 1);
  QTest::keyClick(&shown.view, Qt::Key_PageUp, Qt::ShiftModifier);
  QCOMPARE(shown.view.currentLine(), 500 - page);
  QVERIFY(shown.view.selection().size > page * 8);
}

void TestTextView::viewGoesToLinesAndOffsets() {
  ShownText shown;
  shown.view.goToLine(4);
  QCOMPARE(shown.view.currentLine(), quint64{4});
  QCOMPARE(shown.view.selection().offset, uint64_t{31});
  shown.view.goToLine(0);
  QCOMPARE(shown.view.currentLine(), quint64{1});
  shown.view.goToLine(99);
  QCOMPARE(shown.view.currentLine(), quint64{5});
  shown.view.goToOffset(32); // inside a character
  QCOMPARE(shown.view.selection().offset, uint64_t{31});
  shown.view.goToOffset(6); // the line end
  QCOMPARE(shown.view.currentColumn(), quint64{7});
  shown.view.goToOffset(5'000);
  QCOMPARE(shown.view.selection().offset, uint64_t{40});
}

void TestTextView::mouseSelectsText() {
  ShownText shown;
  QWidget* const port = shown.view.viewport();
  QTest::mouseClick(port, Qt::LeftButton, {}, shown.place(11));
  QCOMPARE(shown.view.selection(), (Extent{11, 0}));
  QTest::mouseClick(port, Qt::LeftButton, Qt::ShiftModifier, shown.place(3));
  QCOMPARE(shown.view.selection(), (Extent{3, 8}));
  QTest::mousePress(port, Qt::LeftButton, {}, shown.place(8));
  QMouseEvent move(QEvent::MouseMove, shown.place(16), port->mapToGlobal(shown.place(16)), Qt::LeftButton,
                   Qt::LeftButton, {});
  QApplication::sendEvent(port, &move);
  QTest::mouseRelease(port, Qt::LeftButton, {}, shown.place(16));
  QCOMPARE(shown.view.selection(), (Extent{8, 8}));
  QCOMPARE(shown.view.selectedText(), QStringLiteral("ld.param"));
  QTest::mouseDClick(port, Qt::LeftButton, {}, shown.place(13));
  QCOMPARE(shown.view.selectedText(), QStringLiteral("param"));
  QTest::mouseDClick(port, Qt::LeftButton, {}, shown.place(22));
  QCOMPARE(shown.view.selectedText(), QStringLiteral("%rd4"));
  QTest::mouseClick(port, Qt::LeftButton, {}, QPoint(10, shown.place(8).y()));
  QCOMPARE(shown.view.selectedText(), QStringLiteral("\tld.param.u64 %rd4, x;\n"));
}

/// Names with a target are links, but not in comments and literals, and not while dragging over them.
void TestTextView::namesAreLinks() {
  ShownText shown("call mean(x)  // mean\n\"mean\" mean.x mean\n", "vm");
  const QSignalSpy spy(&shown.view, &TextView::linkActivated);
  QWidget* const port = shown.view.viewport();
  QTest::mouseClick(port, Qt::LeftButton, {}, shown.place(6));
  QCOMPARE(spy.size(), 0); // before there are any
  shown.view.setLinks([](std::string_view name) { return name == "mean"; });
  drawn(shown.view, 1);
  const auto clicked = [&](quint64 offset) {
    const auto before = spy.size();
    QTest::mouseClick(port, Qt::LeftButton, {}, shown.place(offset));
    return spy.size() > before ? spy.last().first().toString() : QString();
  };
  QCOMPARE(clicked(6), QStringLiteral("mean"));
  QCOMPARE(clicked(1), QString());  // call
  QCOMPARE(clicked(18), QString()); // the comment
  QCOMPARE(clicked(24), QString()); // the literal
  QCOMPARE(clicked(30), QString()); // mean.x
  QCOMPARE(clicked(37), QStringLiteral("mean"));
  QTest::mousePress(port, Qt::LeftButton, {}, shown.place(5));
  QTest::mouseMove(port, shown.place(8));
  QTest::mouseRelease(port, Qt::LeftButton, {}, shown.place(8));
  QCOMPARE(spy.size(), 2);
  QCOMPARE(shown.view.selection().size, uint64_t{3});
}

void TestTextView::selectionIsCopied() {
  ShownText shown;
  QClipboard* const clipboard = QApplication::clipboard();
  clipboard->setText(QStringLiteral("before"));
  QVERIFY(!shown.view.copy());
  QCOMPARE(clipboard->text(), QStringLiteral("before"));
  shown.view.select(4, 11);
  QTest::keyClick(&shown.view, Qt::Key_C, Qt::ControlModifier);
  QCOMPARE(clipboard->text(), QStringLiteral("a;\n\tld.para"));
  shown.view.select(31, 5);
  QVERIFY(shown.view.copy());
  QCOMPARE(clipboard->text(), QStringLiteral("ä\uFFFD z"));
}

void TestTextView::hugeSelectionIsNotCopied() {
  ShownText shown(std::string((64U << 20) + 1, '\n'), "");
  QSignalSpy refused(&shown.view, &TextView::refused);
  QApplication::clipboard()->setText(QStringLiteral("before"));
  QTRY_VERIFY_WITH_TIMEOUT(shown.view.isIndexed(), kWaitMs);
  shown.view.selectAll();
  QTest::keyClick(&shown.view, Qt::Key_C, Qt::ControlModifier);
  QCOMPARE(refused.count(), 1);
  QCOMPARE(refused.first().first().toString(),
           QStringLiteral("The selection is 64.0 MiB (67,108,865 bytes), but at most 64 MiB can be copied at once. "
                          "Select less, or save it to a file."));
  QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("before"));
}

void TestTextView::contextMenuCopies() {
  ShownText shown;
  const auto open = [&] {
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(1, 1), QPoint(1, 1));
    QApplication::sendEvent(shown.view.viewport(), &event);
    return shown.view.findChild<QMenu*>();
  };
  QMenu* opened = open();
  QVERIFY(opened);
  QCOMPARE(opened->actions().size(), 4); // Copy, Select all, Wrap long lines
  QVERIFY(!opened->actions().first()->isEnabled());
  opened->actions().at(1)->trigger();
  QCOMPARE(shown.view.selection().size, kText.size());
  opened->close();
  QTRY_VERIFY(!shown.view.findChild<QMenu*>());
  opened = open();
  QVERIFY(opened->actions().first()->isEnabled());
  opened->close();
}

void TestTextView::eachMoveSignalsOnce() {
  ShownText shown;
  QSignalSpy moved(&shown.view, &TextView::cursorMoved), selected(&shown.view, &TextView::selectionChanged);
  shown.view.goToOffset(9);
  QCOMPARE(moved.count(), 1);
  QCOMPARE(moved.first(), (QVariantList{quint64{2}, quint64{10}}));
  shown.view.goToOffset(9);
  QCOMPARE(moved.count(), 1);
  selected.clear();
  QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ShiftModifier);
  QCOMPARE(selected.count(), 1);
  QCOMPARE(selected.first(), (QVariantList{quint64{9}, quint64{1}}));
}

void TestTextView::matchesAreMarked() {
  setTheme(Theme::light());
  ShownText shown;
  const auto hits = std::make_shared<FindHits>(FindHits{{0, 3, 0}, {8, 8, 1}, {37, 3, 4}});
  shown.view.showHits(hits, 1);
  const auto* bar = shown.view.findChild<MarkScrollBar*>();
  QVERIFY(bar);
  QCOMPARE(bar->marks().size(), std::size_t{4});
  QCOMPARE(bar->marks()[2].place, 0.8);
  QImage image = drawn(shown.view, 1);
  QVERIFY(countPixels(image, theme().color(Role::Found)) > 100);
  QVERIFY(countPixels(image, theme().color(Role::FoundCurrent)) > 200);
  shown.view.showHits(nullptr, std::nullopt);
  image = drawn(shown.view, 1);
  QCOMPARE(countPixels(image, theme().color(Role::Found)), 0);
  QVERIFY(bar->marks().empty());
}

void TestTextView::longLineIsShownWithoutDelay() {
  // A line of 50 million characters: text far to the right is shown at once.
  std::string text(50'000'000, 'x');
  text.replace(text.size() - 6, 6, "needle");
  ShownText shown("first\n" + text + "\nlast", "json");
  QTRY_VERIFY(shown.view.isIndexed());
  QElapsedTimer timer;
  timer.start();
  shown.view.goToOffset(6 + text.size() - 6);
  drawn(shown.view, 1);
  qInfo("end of a line of 50,000,000 characters shown in %.1f ms", static_cast<double>(timer.nsecsElapsed()) / 1e6);
  QCOMPARE(shown.view.currentColumn(), quint64{text.size() - 6 + 1});
  QVERIFY(shown.view.horizontalScrollBar()->value() > 49'000'000);
  QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ShiftModifier | Qt::ControlModifier);
  QVERIFY(shown.view.selectedText() == QStringLiteral("needle"));
}

void TestTextView::viewScrollsSideways() {
  ShownText shown(std::string(300, 'a') + "\n\t\t\tb");
  QScrollBar* const bar = shown.view.horizontalScrollBar();
  QVERIFY(bar->maximum() > 200 && bar->maximum() < 300);
  QTest::keyClick(&shown.view, Qt::Key_End);
  QVERIFY(bar->value() > 200);
  QTest::keyClick(&shown.view, Qt::Key_Home);
  QCOMPARE(bar->value(), 0);
}

void TestTextView::hugeTextIsIndexedInTheBackground() {
  std::string text;
  while (text.size() < 200'000'000) text += "\tmov.u32 \t%r30, %tid.x; // some comment to make it longer\n";
  text += "the last line";
  const Bytes bytes = Bytes::copyOf(text);
  const auto lines = static_cast<quint64>(std::count(text.begin(), text.end(), '\n')) + 1;
  TextView view;
  view.resize(400, 300);
  QSignalSpy indexed(&view, &TextView::indexed);
  view.setText(bytes, "ptx");
  view.show();
  QVERIFY(!view.isIndexed());
  QVERIFY(view.lineCount() > 1);
  QCOMPARE(view.lineText(1), QStringLiteral("\tmov.u32 \t%r30, %tid.x; // some comment to make it longer"));
  view.goToLine(lines); // once it is known
  QCOMPARE(view.currentLine(), quint64{1});
  QTRY_COMPARE_WITH_TIMEOUT(indexed.count(), 1, kWaitMs);
  QCOMPARE(indexed.first().first().toULongLong(), lines);
  QCOMPARE(view.currentLine(), lines);
  QCOMPARE(view.lineText(view.currentLine()), QStringLiteral("the last line"));

  // The same to an offset, to a selection, and to the end by key.
  view.setText(bytes, "ptx");
  view.goToOffset(text.size() - 4);
  QTRY_VERIFY_WITH_TIMEOUT(view.isIndexed(), kWaitMs);
  QCOMPARE(view.currentLine(), lines);
  QCOMPARE(view.currentColumn(), quint64{10});
  view.setText(bytes, "ptx");
  view.select(text.size() - 4, 4);
  QTRY_VERIFY_WITH_TIMEOUT(view.isIndexed(), kWaitMs);
  QCOMPARE(view.selectedText(), QStringLiteral("line"));
  view.setText(bytes, "ptx");
  QTest::keyClick(&view, Qt::Key_End, Qt::ControlModifier);
  QTRY_COMPARE_WITH_TIMEOUT(view.currentLine(), lines, kWaitMs);
  // Moving away cancels the pending jump.
  view.setText(bytes, "ptx");
  view.goToLine(lines);
  QTest::keyClick(&view, Qt::Key_Down);
  QTRY_VERIFY_WITH_TIMEOUT(view.isIndexed(), kWaitMs);
  QCOMPARE(view.currentLine(), quint64{2});
}

void TestTextView::commentFromAboveIsColoured() {
  // A comment over all lines: at the end it is coloured once the lines above have been lexed.
  setTheme(Theme::light());
  std::string text = "/*\n";
  for (int line = 0; line < 200'000; ++line) text += "int xxxxxxxxxxxxxxxxxxxxxxxxxxxx\n";
  ShownText shown(text, "cuda");
  QTRY_VERIFY(shown.view.isIndexed());
  QScrollBar* const bar = shown.view.verticalScrollBar();
  bar->setValue(bar->maximum()); // the current line stays above: the colour of its frame is near that of types
  const auto ink = [&](Role role) {
    // Beside the gutter, which has similar colours.
    return countPixels(drawn(shown.view, 1).copy(60, 0, 300, 300), theme().color(role), kInk);
  };
  QVERIFY(ink(Role::CodeType) > 20);
  QTRY_COMPARE(ink(Role::CodeType), 0);
  QVERIFY(ink(Role::CodeComment) > 100);
}

void TestTextView::textIsAccessible() {
  ShownText shown;
  QAccessibleInterface* const accessible = shown.accessible();
  QVERIFY(accessible);
  QCOMPARE(accessible->role(), QAccessible::EditableText);
  QVERIFY(accessible->state().readOnly);
  QCOMPARE(accessible->text(QAccessible::Name), QStringLiteral("Text"));
  shown.view.setAccessibleName(QStringLiteral("Source"));
  QCOMPARE(accessible->text(QAccessible::Name), QStringLiteral("Source"));
  shown.view.goToOffset(9);
  QCOMPARE(accessible->text(QAccessible::Value), QStringLiteral("\tld.param.u64 %rd4, x;"));
  QCOMPARE(accessible->text(QAccessible::Description), QStringLiteral("line 2 of 5, column 10"));

  QAccessibleTextInterface* const text = accessible->textInterface();
  QVERIFY(text);
  const QString all = QStringLiteral("int a;\n\tld.param.u64 %rd4, x;\n\nä\uFFFD z\nend");
  QCOMPARE(text->characterCount(), static_cast<int>(all.size()));
  QCOMPARE(text->text(0, -1), all);
  QCOMPARE(text->text(4, 6), QStringLiteral("a;"));
  QCOMPARE(text->cursorPosition(), 9);
  int start = 0, end = 0;
  QCOMPARE(text->textAtOffset(9, QAccessible::LineBoundary, &start, &end), QStringLiteral("\tld.param.u64 %rd4, x;\n"));
  text->setCursorPosition(32);
  QCOMPARE(shown.view.selection(), (Extent{33, 0}));
  QCOMPARE(text->cursorPosition(), 32);
  QCOMPARE(text->selectionCount(), 0);
  text->setSelection(0, 30, static_cast<int>(all.size()));
  QCOMPARE(shown.view.selection(), (Extent{30, 10}));
  QCOMPARE(text->selectionCount(), 1);
  text->selection(0, &start, &end);
  QCOMPARE(start, 30);
  QCOMPARE(end, static_cast<int>(all.size()));
  const QRect rect = text->characterRect(2);
  QCOMPARE(text->offsetAtPoint(rect.center() - QPoint(1, 0)), 2);
}

void TestTextView::tokensArePainted_data() {
  QTest::addColumn<bool>("dark");
  QTest::addColumn<double>("ratio");
  QTest::newRow("light") << false << 1.0;
  QTest::newRow("light, 1.5") << false << 1.5;
  QTest::newRow("dark") << true << 1.0;
  QTest::newRow("dark, 1.5") << true << 1.5;
}

void TestTextView::tokensArePainted() {
  QFETCH(bool, dark);
  QFETCH(double, ratio);
  setTheme(dark ? Theme::dark() : Theme::light());
  ShownText shown;
  shown.view.goToOffset(9);
  const QImage image = drawn(shown.view, ratio);
  QCOMPARE(image.size(), (QSizeF(400, 300) * ratio).toSize());
  QCOMPARE(countPixels(image, Qt::magenta), 0);
  QVERIFY(countPixels(image, theme().color(Role::Base)) > 10'000);
  QVERIFY(countPixels(image, theme().color(Role::Alternate)) > 5'000);
  QVERIFY(countPixels(image, theme().color(Role::Hover)) > 1'000);
  QVERIFY(countPixels(image, theme().color(Role::CodeType), kInk) > 10);
  QVERIFY(countPixels(image, theme().color(Role::CodeRegister), kInk) > 5);
  QVERIFY(!shown.view.grab().isNull());
  setTheme(Theme::light());
}

void TestTextView::emptyTextIsSafe() {
  ShownText shown("");
  drawn(shown.view, 1);
  QCOMPARE(shown.view.lineCount(), quint64{1});
  for (const int key : {Qt::Key_Down, Qt::Key_Up, Qt::Key_Left, Qt::Key_Right, Qt::Key_PageDown, Qt::Key_End})
    QTest::keyClick(&shown.view, static_cast<Qt::Key>(key), Qt::ControlModifier);
  QTest::mouseDClick(shown.view.viewport(), Qt::LeftButton, {}, QPoint(100, 10));
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, QPoint(10, 10));
  shown.view.selectAll();
  QVERIFY(!shown.view.copy());
  QCOMPARE(shown.view.currentLine(), quint64{1});
  QCOMPARE(shown.accessible()->textInterface()->characterCount(), 0);
}

void TestTextView::newTextResetsTheView() {
  ShownText shown;
  shown.view.selectAll();
  shown.view.showHits(std::make_shared<FindHits>(FindHits{{37, 3, 4}}), 0);
  shown.view.setText(Bytes::copyOf("x"));
  drawn(shown.view, 1);
  QCOMPARE(shown.view.selection(), (Extent{0, 0}));
  QVERIFY(shown.view.isIndexed());
}

BLOBSCOPE_TEST(TestTextView);

#include "test_text_view.moc"
