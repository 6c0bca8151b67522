#include "ui/widgets/text/edit_view.h"

#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/text/mark_list.h"

#include <QAction>
#include <QClipboard>
#include <QInputMethodEvent>
#include <QLineEdit>
#include <QSignalSpy>
#include <QVBoxLayout>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

/// A view of 500 by 300 with a text that can be edited.
struct EditedText {
  explicit EditedText(std::string_view text, std::string_view language = "ptx") {
    window.resize(500, 300);
    auto* const layout = new QVBoxLayout(&window);
    layout->addWidget(&view);
    layout->addWidget(&other);
    view.setOriginal(Bytes::copyOf(text), language);
    view.setEditable(true);
    shown = focus(view);
  }
  ~EditedText() { view.setParent(nullptr), other.setParent(nullptr); }
  std::string text() const { return std::string(view.text().view()); }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(&view, key, modifiers); }
  void type(const QString& text) { QTest::keyClicks(&view, text); }

  QWidget window;
  EditView view;
  QLineEdit other;
  bool shown = false;
};

} // namespace

class TestEditView : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void typingChangesTheText();
  void keysDelete_data();
  void keysDelete();
  void enterKeepsIndentationAndLineEnds();
  void lastLineEndBeginsALine();
  void tabIndentsWhileEditing();
  void otherBytesStay();
  void clipboardIsUsed();
  void readOnlyTextStays();
  void undoGoesWordByWord();
  void undoRestoresTheSelection();
  void shortcutsBelongToTheView();
  void inputMethodEntersText();
  void bracketsAreFramed();
  void marksFollowTheirLines();
  void marksAreShown();
  void nextMarkIsReachedByKey();
  void hitsAreReplaced();
  void stateIsRestored();
  void commentsStayColoured();
  void hugeTextIsEditedWithoutDelay();

private:
  Application m_application;
};

void TestEditView::typingChangesTheText() {
  EditedText edit("ab\ncd\n");
  QVERIFY(edit.shown);
  QSignalSpy edited(&edit.view, &EditView::edited), began(&edit.view, &EditView::editingBegan);
  edit.view.goToOffset(3);
  edit.type(u"x"_s);
  QCOMPARE(edit.text(), "ab\nxcd\n");
  QCOMPARE(edit.view.currentLine(), quint64{2});
  QCOMPARE(edit.view.currentColumn(), quint64{2});
  edit.view.select(0, 4);
  QKeyEvent key(QEvent::KeyPress, Qt::Key_Adiaeresis, Qt::NoModifier, u"\u00e4"_s);
  QApplication::sendEvent(&edit.view, &key);
  QCOMPARE(edit.text(), "\xc3\xa4"
                        "cd\n");
  QCOMPARE(edited.count(), 2);
  QCOMPARE(began.count(), 1);
  QVERIFY(edit.view.isChanged());
  QCOMPARE(std::string(edit.view.original().view()), "ab\ncd\n");
  edit.view.undo();
  edit.view.undo();
  QCOMPARE(edit.text(), "ab\ncd\n");
  QVERIFY(!edit.view.isChanged());
}

void TestEditView::keysDelete_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<int>("at");
  QTest::addColumn<int>("key");
  QTest::addColumn<int>("modifiers");
  QTest::addColumn<QByteArray>("after");
  const auto row = [](const char* name, const char* text, int at, Qt::Key key, Qt::KeyboardModifiers modifiers,
                      const char* after) {
    QTest::newRow(name) << QByteArray(text) << at << static_cast<int>(key) << static_cast<int>(modifiers.toInt())
                        << QByteArray(after);
  };
  row("backspace", "abc", 2, Qt::Key_Backspace, Qt::NoModifier, "ac");
  row("backspace at the start", "abc", 0, Qt::Key_Backspace, Qt::NoModifier, "abc");
  row("backspace joins lines", "a\r\nb", 3, Qt::Key_Backspace, Qt::NoModifier, "ab");
  row("backspace deletes a character", "a\xc3\xa4", 3, Qt::Key_Backspace, Qt::NoModifier, "a");
  row("backspace deletes one invalid byte", "a\xff\xfe", 3, Qt::Key_Backspace, Qt::NoModifier, "a\xff");
  row("delete", "abc", 1, Qt::Key_Delete, Qt::NoModifier, "ac");
  row("delete at the end", "abc", 3, Qt::Key_Delete, Qt::NoModifier, "abc");
  row("delete joins lines", "a\r\nb", 1, Qt::Key_Delete, Qt::NoModifier, "ab");
  row("word before", "add.s32 %r1", 11, Qt::Key_Backspace, Qt::ControlModifier, "add.s32 ");
  row("word after", "add.s32 %r1", 0, Qt::Key_Delete, Qt::ControlModifier, ".s32 %r1");
}

void TestEditView::keysDelete() {
  QFETCH(QByteArray, text);
  QFETCH(int, at);
  QFETCH(int, key);
  QFETCH(int, modifiers);
  QFETCH(QByteArray, after);
  EditedText edit({text.constData(), static_cast<std::size_t>(text.size())});
  edit.view.select(static_cast<quint64>(at), 0);
  edit.press(static_cast<Qt::Key>(key), Qt::KeyboardModifiers::fromInt(static_cast<unsigned>(modifiers)));
  QCOMPARE(edit.text(), after.toStdString());
  if (edit.view.canUndo()) edit.view.undo();
  QCOMPARE(edit.text(), text.toStdString());
}

void TestEditView::enterKeepsIndentationAndLineEnds() {
  EditedText unixEnds("\t ld\nx");
  unixEnds.view.goToOffset(4);
  unixEnds.press(Qt::Key_Return);
  unixEnds.type(u"a"_s);
  QCOMPARE(unixEnds.text(), "\t ld\n\t a\nx");
  EditedText dosEnds("  ld\r\nx\r\n");
  dosEnds.view.goToOffset(7);
  dosEnds.press(Qt::Key_Return);
  dosEnds.view.goToOffset(4);
  dosEnds.press(Qt::Key_Enter, Qt::KeypadModifier);
  QCOMPARE(dosEnds.text(), "  ld\r\n  \r\nx\r\n\r\n");
}

void TestEditView::lastLineEndBeginsALine() {
  EditedText edit("ab\n");
  QCOMPARE(edit.view.lineCount(), quint64{1});
  edit.view.beginEditing();
  QCOMPARE(edit.view.lineCount(), quint64{2});
  QCOMPARE(edit.view.storedLineCount(), quint64{1});
  edit.press(Qt::Key_End, Qt::ControlModifier);
  QCOMPARE(edit.view.currentLine(), quint64{2});
  edit.type(u"c"_s);
  QCOMPARE(edit.text(), "ab\nc");
  EditedText empty("");
  empty.press(Qt::Key_Return);
  empty.type(u"x"_s);
  QCOMPARE(empty.text(), "\nx");
}

void TestEditView::tabIndentsWhileEditing() {
  EditedText edit("\ta\n\tb\nc\n");
  // A text that is only read does not hold the keyboard focus.
  edit.press(Qt::Key_Tab);
  QCOMPARE(edit.text(), "\ta\n\tb\nc\n");
  QVERIFY(edit.other.hasFocus());
  edit.view.setFocus();
  edit.press(Qt::Key_F2);
  QVERIFY(edit.view.isEditing());
  edit.press(Qt::Key_Tab);
  QVERIFY(edit.view.hasFocus());
  QCOMPARE(edit.text(), "\t\ta\n\tb\nc\n");
  edit.view.select(0, 7); // the first two lines and the start of the third
  edit.press(Qt::Key_Tab);
  QCOMPARE(edit.text(), "\t\t\ta\n\t\tb\nc\n");
  edit.press(Qt::Key_Backtab, Qt::ShiftModifier);
  edit.press(Qt::Key_Backtab, Qt::ShiftModifier);
  QCOMPARE(edit.text(), "\ta\nb\nc\n");
  edit.view.undo();
  QCOMPARE(edit.text(), "\t\ta\n\tb\nc\n");
  // Escape returns the key to the keyboard focus.
  edit.press(Qt::Key_Escape);
  edit.press(Qt::Key_Tab);
  QVERIFY(edit.other.hasFocus());
  EditedText spaces("  a {\nb");
  spaces.view.goToOffset(5);
  spaces.view.beginEditing();
  spaces.press(Qt::Key_Tab);
  QCOMPARE(spaces.text(), "  a {  \nb");
}

void TestEditView::otherBytesStay() {
  const std::string text("a\xff\xc3(\r\nb\n\0c\xe2\x80\xa8", 14);
  EditedText edit(text);
  edit.view.goToOffset(0);
  edit.type(u"x"_s);
  QCOMPARE(edit.text(), "x" + text);
  edit.press(Qt::Key_Backspace);
  QCOMPARE(edit.text(), text);
}

void TestEditView::clipboardIsUsed() {
  EditedText edit("one two\r\n");
  edit.view.select(0, 4);
  edit.press(Qt::Key_X, Qt::ControlModifier);
  QCOMPARE(edit.text(), "two\r\n");
  QCOMPARE(QApplication::clipboard()->text(), u"one "_s);
  QApplication::clipboard()->setText(u"a\nb\u00e4"_s);
  edit.view.select(0, 3);
  edit.press(Qt::Key_V, Qt::ControlModifier);
  QCOMPARE(edit.text(), "a\r\nb\xc3\xa4\r\n"); // with the line ends of the text
  edit.view.undo();
  QCOMPARE(edit.text(), "two\r\n");
}

void TestEditView::readOnlyTextStays() {
  EditedText edit("abc");
  edit.view.setEditable(false);
  edit.type(u"x"_s);
  edit.press(Qt::Key_Delete);
  edit.press(Qt::Key_Return);
  QApplication::clipboard()->setText(u"no"_s);
  edit.press(Qt::Key_V, Qt::ControlModifier);
  edit.view.insert("no");
  QCOMPARE(edit.text(), "abc");
  QVERIFY(!edit.view.isEditing());
}

void TestEditView::undoGoesWordByWord() {
  EditedText edit("");
  edit.type(u"one two"_s);
  edit.press(Qt::Key_Return);
  edit.type(u"x"_s);
  QCOMPARE(edit.text(), "one two\nx");
  for (const char* const before : {"one two\n", "one two", "one ", ""}) {
    edit.press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(edit.text(), before);
  }
  QVERIFY(!edit.view.canUndo());
  edit.press(Qt::Key_Y, Qt::ControlModifier);
  edit.press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  QCOMPARE(edit.text(), "one two");
  // Another change drops what was undone.
  edit.press(Qt::Key_Backspace);
  edit.press(Qt::Key_Backspace);
  QVERIFY(!edit.view.canRedo());
  edit.view.undo();
  QCOMPARE(edit.text(), "one two");
  // Moving the cursor starts another step.
  edit.press(Qt::Key_Home);
  edit.type(u"a"_s);
  edit.press(Qt::Key_End);
  edit.type(u"b"_s);
  edit.view.undo();
  QCOMPARE(edit.text(), "aone two");
}

void TestEditView::undoRestoresTheSelection() {
  EditedText edit("one two");
  edit.view.select(4, 3);
  edit.press(Qt::Key_Delete);
  QCOMPARE(edit.text(), "one ");
  edit.view.undo();
  QCOMPARE(edit.view.selection(), (Extent{4, 3}));
  edit.view.redo();
  QCOMPARE(edit.text(), "one ");
}

/// The window has actions with the same keys.
void TestEditView::shortcutsBelongToTheView() {
  EditedText edit("abc");
  int triggered = 0;
  for (const QKeySequence& key : {QKeySequence(u"Ctrl+Z"_s), QKeySequence(u"Del"_s), QKeySequence(u"Ctrl+V"_s)}) {
    auto* const action = new QAction(&edit.window);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, [&triggered] { ++triggered; });
    edit.window.addAction(action);
  }
  edit.press(Qt::Key_Z, Qt::ControlModifier); // nothing was typed: the action of the window
  QCOMPARE(triggered, 1);
  edit.view.goToOffset(0);
  edit.press(Qt::Key_Delete);
  QCOMPARE(edit.text(), "bc");
  edit.press(Qt::Key_Z, Qt::ControlModifier);
  QCOMPARE(edit.text(), "abc");
  QCOMPARE(triggered, 1);
  edit.view.setEditable(false);
  edit.press(Qt::Key_Delete);
  QCOMPARE(triggered, 2);
}

void TestEditView::inputMethodEntersText() {
  EditedText edit("ab");
  edit.view.goToOffset(1);
  QInputMethodEvent compose(u"ni"_s, {});
  QApplication::sendEvent(&edit.view, &compose);
  QCOMPARE(edit.text(), "ab");
  QInputMethodEvent commit;
  commit.setCommitString(u"\u4f60"_s);
  QApplication::sendEvent(&edit.view, &commit);
  QCOMPARE(edit.text(), "a\xe4\xbd\xa0"
                        "b");
  QVERIFY(edit.view.inputMethodQuery(Qt::ImEnabled).toBool());
  QCOMPARE(edit.view.inputMethodQuery(Qt::ImSurroundingText).toString(), u"a\u4f60b"_s);
  QCOMPARE(edit.view.inputMethodQuery(Qt::ImCursorPosition).toInt(), 2);
}

void TestEditView::bracketsAreFramed() {
  EditedText edit("f(a[1], (b))\n// x");
  const auto framed = [&](quint64 at) {
    edit.view.goToLine(2);
    const QImage before = drawn(edit.view, 1);
    edit.view.goToOffset(at);
    edit.other.setFocus(); // no caret, no frame of the line
    const int accent = countPixels(drawn(edit.view, 1), theme().color(Role::Accent));
    edit.view.setFocus();
    return accent;
  };
  const int none = framed(7);
  QVERIFY(framed(1) > none + 20);
  QVERIFY(framed(12) > none + 20); // after the last bracket
  EditedText alone("f(a");
  alone.view.goToOffset(1);
  alone.other.setFocus();
  const int accent = countPixels(drawn(alone.view, 1), theme().color(Role::Accent));
  alone.view.goToOffset(0);
  QCOMPARE(countPixels(drawn(alone.view, 1), theme().color(Role::Accent)), accent);
}

void TestEditView::marksFollowTheirLines() {
  EditedText edit("a\nb\nc\nd\n");
  edit.view.setMarks({{4, 1, Severity::Error, u"d"_s, {}}, {2, 1, Severity::Warning, u"b"_s, {}}});
  const auto lines = [&] {
    QVector<int> out;
    for (const TextMark& mark : edit.view.marks()) out << static_cast<int>(mark.line);
    return out;
  };
  QCOMPARE(lines(), QVector<int>({2, 4}));
  edit.view.goToOffset(1);
  edit.press(Qt::Key_Return);
  edit.type(u"x"_s);
  QCOMPARE(lines(), QVector<int>({3, 5}));
  edit.view.undo();
  edit.view.undo();
  QCOMPARE(lines(), QVector<int>({2, 4}));
  // A line that changes loses its mark; a removed one as well.
  edit.view.goToOffset(3);
  edit.type(u"y"_s);
  QCOMPARE(lines(), QVector<int>{4});
  edit.view.goToLine(3);
  edit.press(Qt::Key_Down, Qt::ShiftModifier);
  edit.press(Qt::Key_Down, Qt::ShiftModifier);
  edit.press(Qt::Key_Delete);
  QCOMPARE(lines(), QVector<int>());
}

void TestEditView::marksAreShown() {
  EditedText edit("ld.param %rd4, x;\nadd.s32 %r1;\n");
  MarkList list(&edit.view);
  QVERIFY(list.isHidden());
  const int none = countPixels(drawn(edit.view, 1), theme().color(Role::Error));
  edit.view.setMarks(
      {{2, 9, Severity::Error, u"Unknown <b>symbol</b>"_s, u"ptxas"_s}, {1, 0, Severity::Note, u"n"_s, {}}});
  QCOMPARE(list.count(), 2);
  QVERIFY(!list.isHidden());
  QCOMPARE(list.item(1)->text(), u"Unknown <b>symbol</b> · ptxas, line 2"_s);
  QVERIFY(countPixels(drawn(edit.view, 1), theme().color(Role::Error)) > none);
  Q_EMIT list.itemClicked(list.item(1));
  QCOMPARE(edit.view.currentLine(), quint64{2});
  QCOMPARE(edit.view.currentColumn(), quint64{9});
  edit.view.setMarks({});
  QVERIFY(list.isHidden());
  QCOMPARE(countPixels(drawn(edit.view, 1), theme().color(Role::Error)), none);
}

void TestEditView::nextMarkIsReachedByKey() {
  EditedText edit("a\nb\nc\nd\n");
  edit.view.setMarks({{2, 1, Severity::Error, u"b"_s, {}}, {4, 1, Severity::Error, u"d"_s, {}}});
  for (const quint64 line : {2, 4, 2}) {
    edit.press(Qt::Key_F8);
    QCOMPARE(edit.view.currentLine(), line);
  }
  edit.press(Qt::Key_F8, Qt::ShiftModifier);
  QCOMPARE(edit.view.currentLine(), quint64{4});
  // From the cursor after it was moved.
  edit.press(Qt::Key_Home, Qt::ControlModifier);
  edit.press(Qt::Key_Down);
  edit.press(Qt::Key_Down);
  edit.press(Qt::Key_F8);
  QCOMPARE(edit.view.currentLine(), quint64{4});
}

void TestEditView::hitsAreReplaced() {
  EditedText edit("aa b aa c");
  edit.view.goToOffset(8);
  edit.view.replaceHits({{0, 2, 1}, {5, 2, 1}}, {"x", "long"});
  QCOMPARE(edit.text(), "x b long c");
  QCOMPARE(edit.view.currentColumn(), quint64{10});
  edit.view.undo();
  QCOMPARE(edit.text(), "aa b aa c");
  QVERIFY(!edit.view.canUndo());
}

void TestEditView::stateIsRestored() {
  EditedText edit("one\ntwo\n");
  edit.view.goToOffset(4);
  edit.type(u"x"_s);
  const EditView::State state = edit.view.state();
  EditedText other("one\ntwo\n");
  other.view.restore(state);
  QCOMPARE(other.text(), "one\nxtwo\n");
  QVERIFY(other.view.isChanged());
  QCOMPARE(other.view.currentLine(), quint64{2});
  other.view.undo();
  QCOMPARE(other.text(), "one\ntwo\n");
  // An unchanged text restores only the place.
  EditedText third("other\nlines\n");
  edit.view.undo();
  third.view.restore(edit.view.state());
  QCOMPARE(third.text(), "other\nlines\n");
  QVERIFY(!third.view.isChanged());
}

void TestEditView::commentsStayColoured() {
  EditedText edit("int a;\nint b;\nint c;\n", "c");
  const auto comments = [&] { return countPixels(drawn(edit.view, 1), theme().color(Role::CodeComment), 40); };
  edit.view.beginEditing();
  const int before = comments();
  edit.view.goToOffset(0);
  edit.type(u"/*"_s);
  edit.view.goToOffset(0);
  QVERIFY(comments() > before + 20);
  edit.view.undo();
  QVERIFY(comments() <= before + 5);
}

/// The limit is the time of copying the text and counting its lines, in the same run.
void TestEditView::hugeTextIsEditedWithoutDelay() {
  std::string text;
  constexpr int kLines = 300'000;
  for (int i = 0; i < kLines; ++i) text += "\tmad.lo.s32 \t%r38, %r37, 18, %r361;\n";
  EditedText edit(text);
  edit.view.goToLine(kLines / 2);
  edit.view.beginEditing();
  QElapsedTimer clock;
  clock.start();
  std::size_t lines = 0;
  for (int i = 0; i < 10; ++i) {
    const std::string copy = text + static_cast<char>('a' + i);
    lines += static_cast<std::size_t>(std::count(copy.begin(), copy.end(), '\n'));
  }
  QCOMPARE(lines, std::size_t{10} * kLines);
  const qint64 yardstick = clock.nsecsElapsed() / 10;
  constexpr int kKeys = 20;
  clock.restart();
  for (int i = 0; i < kKeys; ++i) {
    edit.type(u"x"_s);
    edit.view.viewport()->repaint();
  }
  const qint64 key = clock.nsecsElapsed() / kKeys;
  qInfo("%.1f ms a key, yardstick %.1f ms", static_cast<double>(key) / 1e6, static_cast<double>(yardstick) / 1e6);
  QVERIFY2(key < yardstick, "a key takes too long");
  QCOMPARE(edit.text().size(), text.size() + kKeys);
}

BLOBSCOPE_TEST(TestEditView);

#include "test_edit_view.moc"
