#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/hex/hex_view.h"

#include <QClipboard>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Sixteen letters; byte 4 cannot be overwritten.
struct Editable {
  Editable() {
    view.resize(600, 300);
    view.setBytes(placedBytes("abcdefghijklmnop", 0x1000));
    view.setWhyNot([](quint64 offset) { return offset == 4 ? QStringLiteral("It is a length.") : QString(); });
    view.show();
  }
  void type(const char* keys) { QTest::keyClicks(&view, QString::fromLatin1(keys)); }
  std::string shown() const {
    std::string out;
    for (uint64_t i = 0; i < view.bytes().size(); ++i) out += static_cast<char>(view.byteAt(i));
    return out;
  }
  HexView view;
};

} // namespace

/// What is typed into a hex view, and what is marked in it.
class TestHexEditing : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void typedBytesCanBeUndone();
  void runsLeaveOutEqualBytes();
  void digitsOverwriteBytes();
  void charactersOverwriteBytes();
  void bytesThatCannotBeOverwrittenAreRefused();
  void viewsWithoutEditingIgnoreDigits();
  void keysEndTheTyping();
  void hexIsPasted_data();
  void hexIsPasted();
  void changedBytesAreDescribed();
  void marksAreDescribedAndPainted();
  void copiesHaveWhatIsShown();

private:
  Application m_application;
};

void TestHexEditing::typedBytesCanBeUndone() {
  TypedBytes typed;
  QVERIFY(typed.empty() && !typed.canUndo(false) && !typed.undo(false));
  typed.put(3, 0x70);
  typed.put(3, 0x79, true); // the second digit
  typed.put(4, 0x01);
  QCOMPARE(typed.count(), std::size_t{2});
  QCOMPARE(typed.undo(false), std::optional<uint64_t>(4));
  QVERIFY(!typed.at(4));
  QCOMPARE(typed.at(3), std::optional<uint8_t>(0x79));
  QCOMPARE(typed.undo(false), std::optional<uint64_t>(3));
  QVERIFY(typed.empty() && !typed.canUndo(false) && typed.canUndo(true));
  QCOMPARE(typed.undo(true), std::optional<uint64_t>(3));
  QCOMPARE(typed.at(3), std::optional<uint8_t>(0x79));
  typed.put(9, 1); // ends what could be redone
  QVERIFY(!typed.canUndo(true));
  typed.clear();
  QVERIFY(typed.empty() && !typed.canUndo(false));
}

void TestHexEditing::runsLeaveOutEqualBytes() {
  TypedBytes typed;
  for (const uint64_t offset : {7, 3, 4, 9, 5}) typed.put(offset, static_cast<uint8_t>(offset));
  const auto runs = typed.runs([](uint64_t offset) { return offset == 9 ? uint8_t{9} : uint8_t{0}; });
  QCOMPARE(runs.size(), std::size_t{2});
  QVERIFY(runs[0].offset == 3 && runs[0].bytes == "\3\4\5");
  QVERIFY(runs[1].offset == 7 && runs[1].bytes == "\7");
}

void TestHexEditing::digitsOverwriteBytes() {
  Editable made;
  QSignalSpy typed(&made.view, &HexView::typedChanged);
  made.view.goTo(1);
  made.type("4");
  QCOMPARE(made.shown(), std::string("aBcdefghijklmnop")); // 62 became 42
  QCOMPARE(made.view.cursor(), quint64{1});
  made.type("15");
  QCOMPARE(made.shown(), std::string("aASdefghijklmnop")); // the lower digit, then the upper one of the next byte
  QCOMPARE(typed.count(), 3);
  // Another place begins with the upper digit again.
  made.view.goTo(8);
  made.type("7A");
  QCOMPARE(made.shown().substr(8, 2), std::string("zj"));
  QCOMPARE(made.view.cursor(), quint64{9});
  QCOMPARE(made.view.typedRuns().size(), std::size_t{2});
  made.view.undoTyped(false);
  QCOMPARE(made.view.cursor(), quint64{8});
  QCOMPARE(made.shown().substr(8, 2), std::string("ij"));
  QTest::keyClick(&made.view, Qt::Key_Backspace);
  QCOMPARE(made.shown(), std::string("aAcdefghijklmnop"));
  // The last byte: the cursor stays on it.
  made.view.goTo(15);
  made.type("7878");
  QCOMPARE(made.shown().back(), 'x');
  // Of several selected bytes, the first is overwritten.
  made.view.select(10, 4);
  made.type("78");
  QCOMPARE(made.shown().substr(10, 4), std::string("xlmn"));
}

/// After a click on the characters, keys are characters; after one on the digits, digits.
void TestHexEditing::charactersOverwriteBytes() {
  Editable made;
  QSignalSpy refused(&made.view, &HexView::refused);
  const auto click = [&](int x) {
    made.view.select(5, 1);
    QTest::mouseClick(made.view.viewport(), Qt::LeftButton, {}, QPoint(x, 40));
    return made.view.selection().offset;
  };
  const QImage before = drawn(made.view, 1);
  int last = made.view.viewport()->width() - 1;
  while (last > 0 && click(last) != 15) --last; // the last character is at the right
  QVERIFY(last > 0);
  made.view.select(0, 1);
  made.type("Z f");
  QCOMPARE(made.shown(), std::string("Z fdefghijklmnop"));
  QCOMPARE(made.view.selection().offset, uint64_t{3});
  QVERIFY(drawn(made.view, 1) != before);
  QTest::keyClick(&made.view, Qt::Key_Backspace);
  QCOMPARE(made.shown(), std::string("Z cdefghijklmnop"));
  QKeyEvent other(QEvent::KeyPress, Qt::Key_unknown, {}, QString(QChar(0xe9)));
  QCoreApplication::sendEvent(&made.view, &other);
  QVERIFY(!refused.last()[0].toString().isEmpty());
  QCOMPARE(made.shown(), std::string("Z cdefghijklmnop"));
  int first = 0;
  while (first < last && click(first) != 0) ++first; // the first byte is at the left
  QVERIFY(first < last);
  made.view.select(15, 1);
  made.type("7a");
  QCOMPARE(made.shown(), std::string("Z cdefghijklmnoz"));
}

void TestHexEditing::bytesThatCannotBeOverwrittenAreRefused() {
  Editable made;
  QSignalSpy refused(&made.view, &HexView::refused);
  made.view.goTo(4);
  made.type("7");
  QCOMPARE(refused.count(), 1);
  QCOMPARE(refused.takeFirst().front().toString(), QStringLiteral("It is a length."));
  QVERIFY(made.view.typed().empty());
  // A byte that can be overwritten ends the message.
  made.view.goTo(5);
  made.type("7");
  QCOMPARE(refused.takeLast().front().toString(), QString());
}

void TestHexEditing::viewsWithoutEditingIgnoreDigits() {
  HexView view;
  view.setBytes(placedBytes("abcd", 0));
  QTest::keyClicks(&view, QStringLiteral("41"));
  QVERIFY(view.typed().empty());
}

void TestHexEditing::keysEndTheTyping() {
  Editable made;
  QSignalSpy ended(&made.view, &HexView::typingEnded);
  QTest::keyClick(&made.view, Qt::Key_Return); // nothing was typed
  QCOMPARE(ended.count(), 0);
  made.type("41");
  QTest::keyClick(&made.view, Qt::Key_Return);
  QTest::keyClick(&made.view, Qt::Key_Escape);
  QCOMPARE(ended.count(), 2);
  QCOMPARE(ended[0].front().toBool(), true);
  QCOMPARE(ended[1].front().toBool(), false);
  // Shortcuts with digits and letters are left alone.
  QTest::keyClick(&made.view, Qt::Key_1, Qt::ControlModifier);
  QTest::keyClick(&made.view, Qt::Key_D, Qt::AltModifier);
  QCOMPARE(made.view.typed().count(), std::size_t{1});
}

void TestHexEditing::hexIsPasted_data() {
  QTest::addColumn<QString>("clipboard");
  QTest::addColumn<int>("from");
  QTest::addColumn<QString>("expected"); // empty: refused
  QTest::newRow("digits") << "41 42\n43" << 0 << "ABCdefghijklmnop";
  QTest::newRow("C array") << "0x41, 0x42," << 5 << "abcdeABhijklmnop";
  QTest::newRow("Python bytes") << "\\x41\\x42" << 5 << "abcdeABhijklmnop";
  QTest::newRow("other text") << "hello" << 0 << "";
  QTest::newRow("half a byte") << "414" << 0 << "";
  QTest::newRow("nothing") << "" << 0 << "";
  QTest::newRow("past the end") << "41 42" << 15 << "";
  QTest::newRow("over a byte that cannot be overwritten") << "41 42" << 3 << "";
  QTest::newRow("too many") << QString(10'000, QLatin1Char('0')) << 0 << "";
}

void TestHexEditing::hexIsPasted() {
  QFETCH(QString, clipboard);
  QFETCH(int, from);
  QFETCH(QString, expected);
  Editable made;
  QSignalSpy refused(&made.view, &HexView::refused);
  QApplication::clipboard()->setText(clipboard);
  made.view.goTo(static_cast<quint64>(from));
  QTest::keyClick(&made.view, Qt::Key_V, Qt::ControlModifier);
  QCOMPARE(made.view.typed().empty(), expected.isEmpty());
  QCOMPARE(refused.isEmpty(), !expected.isEmpty());
  if (!expected.isEmpty()) QCOMPARE(QString::fromStdString(made.shown()), expected);
}

void TestHexEditing::changedBytesAreDescribed() {
  Editable made;
  made.view.goTo(1);
  made.type("41");
  QCOMPARE(made.view.openedByte(1), std::optional<uint8_t>('b'));
  QVERIFY(!made.view.openedByte(0));
  QCOMPARE(made.view.describe(1), QStringLiteral("0x1001, 41, changed, was 62"));

  // Bytes of an edited document are in memory; their place is that of the file.
  HexView edited;
  edited.setBytes(Bytes::copyOf("aXcd"));
  edited.setOpened(placedBytes("abcd", 0x2004));
  QVERIFY(edited.openedPlace());
  QCOMPARE(edited.describe(1), QStringLiteral("0x2005, 58, changed, was 62"));
  QCOMPARE(edited.describe(2), QStringLiteral("0x2006, 63"));
  // Of another size, they are not compared.
  edited.setBytes(Bytes::copyOf("abXcd"));
  edited.setOpened(placedBytes("abcd", 0x2004));
  QVERIFY(!edited.openedPlace() && !edited.openedByte(2));
}

void TestHexEditing::marksAreDescribedAndPainted() {
  Editable made;
  const QImage before = made.view.grab().toImage();
  made.view.setMarks({{{2, 1}, 1, false, QStringLiteral("start")}, {{8, 2}, 0, true, QStringLiteral("look here")}});
  QCOMPARE(made.view.describe(2), QStringLiteral("0x1002, 63, bookmark start"));
  QCOMPARE(made.view.describe(9), QStringLiteral("0x1009, 6a, note: look here"));
  QVERIFY(made.view.grab().toImage() != before);
  const QImage marked = made.view.grab().toImage();
  made.view.goTo(0);
  made.view.setTyped({});
  made.type("41");
  QVERIFY(made.view.grab().toImage() != marked);
}

void TestHexEditing::copiesHaveWhatIsShown() {
  Editable made;
  made.type("58");
  made.view.select(0, 3);
  QVERIFY(made.view.copy(HexView::CopyForm::Characters));
  QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("Xbc"));
}

BLOBSCOPE_TEST(TestHexEditing);

#include "test_hex_editing.moc"
