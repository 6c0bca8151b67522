#include "ui/widgets/hex/hex_view.h"

#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"

#include <QAccessible>
#include <QAction>
#include <QClipboard>
#include <QMenu>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

constexpr uint64_t kPlace = 0x203456;

/// key "cuda", a list of two data types, four bytes without owner: 0, 12, 20, 24, 28 to 32.
std::string sampleBytes() { return ByteBuilder().str("cuda").u64(2).u32(0x00014003).u32(0x00012000).u32(0).take(); }

std::shared_ptr<const FieldTree> sampleTree(const Bytes& bytes) {
  FieldTreeBuilder builder;
  builder.leaf("key", FieldType::String, FieldRole::TypeKey, 12, 4);
  builder.open("arg_types", FieldType::List, FieldRole::Structure, 8, 2);
  builder.nextIndex(0);
  builder.leaf("", FieldType::DataType, FieldRole::TypeCode, 4, 0x00014003);
  builder.nextIndex(1);
  builder.leaf("", FieldType::DataType, FieldRole::TypeCode, 4, 0x00012000);
  builder.close();
  return std::make_shared<FieldTree>(builder.take(bytes));
}

struct Shown {
  explicit Shown(std::string_view content = sampleBytes(), uint64_t place = kPlace) {
    view.resize(600, 300);
    view.setBytes(placedBytes(content, place));
    view.show();
  }
  QAccessibleInterface* accessible() { return QAccessible::queryAccessibleInterface(&view); }
  /// The middle of the byte, in the viewport.
  QPoint place(quint64 offset) {
    const auto lead = static_cast<int>(view.fileOffset(0) % 16);
    QAccessibleInterface* const cell = accessible()->child(static_cast<int>(offset) + lead);
    return view.viewport()->mapFromGlobal(cell->rect().center());
  }
  HexView view;
};

} // namespace

class TestHexView : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void keyboardMovesTheSelection_data();
  void keyboardMovesTheSelection();
  void keyboardMovesBetweenFields();
  void mouseSelectsFields();
  void mouseSelectsBytes();
  void viewGoesToOffsetsAndFields();
  void bytesAreDescribed();
  void bytesAreAnAccessibleTable();
  void everyFormIsCopied_data();
  void everyFormIsCopied();
  void hugeSelectionIsNotCopied();
  void contextMenuCopies();
  void fieldsOfBigTreesAreLoadedInTheBackground();
  void visibleBytesFollowTheScrolling();
  void toolTipFindsItsField();
  void fieldsArePainted_data();
  void fieldsArePainted();
  void damagedAndUnknownBytesAreMarked();
  void emptyViewIsSafe();

private:
  Application m_application;
};

void TestHexView::keyboardMovesTheSelection_data() {
  QTest::addColumn<int>("from");
  QTest::addColumn<int>("key");
  QTest::addColumn<int>("modifiers");
  QTest::addColumn<int>("offset");
  QTest::addColumn<int>("size");
  const int none = Qt::NoModifier, shift = Qt::ShiftModifier, control = Qt::ControlModifier;
  const auto row = [](const char* name, int from, int key, int modifiers, int offset, int size) {
    QTest::newRow(name) << from << key << modifiers << offset << size;
  };
  // Rows begin at 0x203450, so the first byte is in column 6 and the second row begins at 10.
  row("right", 3, Qt::Key_Right, none, 4, 1);
  row("right at the end", 999, Qt::Key_Right, none, 999, 1);
  row("left", 3, Qt::Key_Left, none, 2, 1);
  row("left at the start", 0, Qt::Key_Left, none, 0, 1);
  row("down", 3, Qt::Key_Down, none, 19, 1);
  row("down at the end", 990, Qt::Key_Down, none, 990, 1);
  row("up", 30, Qt::Key_Up, none, 14, 1);
  row("up at the top", 3, Qt::Key_Up, none, 3, 1);
  row("home", 14, Qt::Key_Home, none, 10, 1);
  row("home in the first row", 3, Qt::Key_Home, none, 0, 1);
  row("end", 14, Qt::Key_End, none, 25, 1);
  row("first", 500, Qt::Key_Home, control, 0, 1);
  row("last", 500, Qt::Key_End, control, 999, 1);
  row("select right", 3, Qt::Key_Right, shift, 3, 2);
  row("select left", 3, Qt::Key_Left, shift, 2, 2);
  row("select down", 3, Qt::Key_Down, shift, 3, 17);
  row("select to the last", 990, Qt::Key_End, control | shift, 990, 10);
  row("everything", 3, Qt::Key_A, control, 0, 1000);
}

void TestHexView::keyboardMovesTheSelection() {
  QFETCH(int, from);
  QFETCH(int, key);
  QFETCH(int, modifiers);
  QFETCH(int, offset);
  QFETCH(int, size);
  Shown shown(std::string(1000, 'x'));
  shown.view.goTo(static_cast<quint64>(from));
  QTest::keyClick(&shown.view, static_cast<Qt::Key>(key), Qt::KeyboardModifiers(modifiers));
  QCOMPARE(shown.view.selection(), (Extent{static_cast<uint64_t>(offset), static_cast<uint64_t>(size)}));
}

void TestHexView::keyboardMovesBetweenFields() {
  Shown shown;
  shown.view.setFields(sampleTree(shown.view.bytes()));
  QSignalSpy activated(&shown.view, &HexView::fieldActivated);
  QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ControlModifier);
  QCOMPARE(shown.view.selectedField(), std::optional<uint32_t>(1));
  QCOMPARE(shown.view.selection(), (Extent{12, 16}));
  QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ControlModifier);
  QCOMPARE(shown.view.selection(), (Extent{20, 4}));
  QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ControlModifier);
  QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ControlModifier); // none after it
  QCOMPARE(shown.view.selection(), (Extent{24, 4}));
  QTest::keyClick(&shown.view, Qt::Key_Left, Qt::ControlModifier);
  QCOMPARE(shown.view.selection(), (Extent{20, 4}));
  QCOMPARE(activated.count(), 4);

  // Bytes, then the field that contains them.
  QTest::keyClick(&shown.view, Qt::Key_Right);
  QCOMPARE(shown.view.selectedField(), std::nullopt);
  QTest::keyClick(&shown.view, Qt::Key_Return);
  QCOMPARE(shown.view.selectedField(), std::optional<uint32_t>(2));
  QCOMPARE(activated.last().first().toUInt(), 2U);
}

void TestHexView::mouseSelectsFields() {
  Shown shown;
  shown.view.setFields(sampleTree(shown.view.bytes()));
  QSignalSpy activated(&shown.view, &HexView::fieldActivated), selected(&shown.view, &HexView::selectionChanged);
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, shown.place(25));
  QCOMPARE(shown.view.selection(), (Extent{24, 4}));
  QCOMPARE(activated.count(), 1);
  QCOMPARE(activated.first().first().toUInt(), 3U);
  QCOMPARE(selected.last(), (QVariantList{quint64{24}, quint64{4}}));
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, shown.place(9)); // text of the key
  QCOMPARE(shown.view.selection(), (Extent{0, 12}));
  QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, shown.place(30)); // without owner
  QCOMPARE(shown.view.selection(), (Extent{30, 1}));
  QCOMPARE(activated.count(), 2);
  shown.view.selectField(1);
  QCOMPARE(shown.view.selection(), (Extent{12, 16}));
  QCOMPARE(activated.count(), 2);
  shown.view.selectField(99);
  QCOMPARE(shown.view.selectedField(), std::optional<uint32_t>(1));
}

void TestHexView::mouseSelectsBytes() {
  Shown shown;
  shown.view.setFields(sampleTree(shown.view.bytes()));
  QWidget* const port = shown.view.viewport();
  QTest::mousePress(port, Qt::LeftButton, {}, shown.place(3));
  QMouseEvent move(QEvent::MouseMove, shown.place(17), port->mapToGlobal(shown.place(17)), Qt::LeftButton,
                   Qt::LeftButton, {});
  QApplication::sendEvent(port, &move);
  QTest::mouseRelease(port, Qt::LeftButton, {}, shown.place(17));
  QCOMPARE(shown.view.selection(), (Extent{3, 15}));
  QCOMPARE(shown.view.selectedField(), std::nullopt);
  QTest::mouseClick(port, Qt::LeftButton, Qt::ShiftModifier, shown.place(1));
  QCOMPARE(shown.view.selection(), (Extent{1, 3}));
  QTest::mouseClick(port, Qt::LeftButton, {}, QPoint(shown.place(3).x(), 5)); // header
  QCOMPARE(shown.view.selection(), (Extent{1, 3}));
}

void TestHexView::viewGoesToOffsetsAndFields() {
  Shown shown(std::string(100'000, 'x'));
  shown.view.goTo(50'000);
  QVERIFY(shown.view.visibleBytes().contains(50'000));
  shown.view.select(70'000, 100);
  QCOMPARE(shown.view.selection(), (Extent{70'000, 100}));
  QVERIFY(shown.view.visibleBytes().contains(70'000));
  shown.view.goTo(UINT64_MAX);
  QCOMPARE(shown.view.selection(), (Extent{99'999, 1}));
  QVERIFY(shown.view.visibleBytes().contains(99'999));
  shown.view.select(99'990, UINT64_MAX);
  QCOMPARE(shown.view.selection(), (Extent{99'990, 10}));
  QSignalSpy selected(&shown.view, &HexView::selectionChanged);
  shown.view.select(99'990, 10);
  QCOMPARE(selected.count(), 0);
}

void TestHexView::bytesAreDescribed() {
  Shown shown;
  QCOMPARE(shown.view.describe(20), QStringLiteral("0x20346a, 03"));
  shown.view.setFields(sampleTree(shown.view.bytes()));
  QCOMPARE(shown.view.describe(20), QStringLiteral("0x20346a, 03, field arg_types[0], type code"));
  QCOMPARE(shown.view.describe(0), QStringLiteral("0x203456, 04, field key, length or count"));
  QCOMPARE(shown.view.describe(8), QStringLiteral("0x20345e, 63, field key, type key"));
  QCOMPARE(shown.view.describe(30), QStringLiteral("0x203474, 00, no field"));
  shown.view.setDamage(Extent{12, 8});
  QCOMPARE(shown.view.describe(12), QStringLiteral("0x203462, 02, field arg_types, length or count, damaged"));
  QCOMPARE(shown.view.describe(999), QStringLiteral("no bytes"));
}

void TestHexView::bytesAreAnAccessibleTable() {
  Shown shown;
  shown.view.setFields(sampleTree(shown.view.bytes()));
  QAccessibleInterface* const accessible = shown.accessible();
  QVERIFY(accessible);
  QCOMPARE(accessible->role(), QAccessible::Table);
  QCOMPARE(accessible->text(QAccessible::Name), QStringLiteral("Bytes"));
  QAccessibleTableInterface* const table = accessible->tableInterface();
  QVERIFY(table);
  QCOMPARE(table->rowCount(), 3);
  QCOMPARE(table->columnCount(), 16);
  QCOMPARE(table->rowDescription(1), QStringLiteral("0x203460"));
  QCOMPARE(table->columnDescription(11), QStringLiteral("b"));
  QVERIFY(!table->cellAt(0, 5)->isValid()); // before the first byte
  QVERIFY(!table->cellAt(2, 6)->isValid());
  QCOMPARE(table->cellAt(3, 0), nullptr);
  QAccessibleInterface* const cell = table->cellAt(1, 10);
  QVERIFY(cell->isValid());
  QCOMPARE(cell->role(), QAccessible::Cell);
  QCOMPARE(cell->text(QAccessible::Name), QStringLiteral("0x20346a, 03, field arg_types[0], type code"));
  QCOMPARE(cell->parent(), accessible);
  QCOMPARE(accessible->indexOfChild(cell), 26);
  QCOMPARE(accessible->child(26), cell);
  const QPoint center = cell->rect().center();
  QCOMPARE(accessible->childAt(center.x(), center.y()), cell);

  shown.view.selectField(2);
  QCOMPARE(accessible->focusChild(), cell);
  QCOMPARE(accessible->text(QAccessible::Value), cell->text(QAccessible::Name));
  QCOMPARE(accessible->text(QAccessible::Description), QStringLiteral("4 bytes selected at 0x20346a"));
  QCOMPARE(table->selectedCellCount(), 4);
  QVERIFY(cell->tableCellInterface()->isSelected());
  QVERIFY(cell->state().selected);

  // The same position shows another byte when the view scrolls.
  shown.view.resize(600, 30 + 21);
  QCOMPARE(table->rowCount(), 1);
  shown.view.goTo(31);
  QCOMPARE(accessible->focusChild()->text(QAccessible::Name), QStringLiteral("0x203475, 00, no field"));
}

void TestHexView::everyFormIsCopied_data() {
  QTest::addColumn<int>("form");
  QTest::addColumn<int>("offset");
  QTest::addColumn<int>("size");
  QTest::addColumn<QString>("text");
  const int hex = static_cast<int>(HexView::CopyForm::Hex);
  const int characters = static_cast<int>(HexView::CopyForm::Characters);
  const int array = static_cast<int>(HexView::CopyForm::CArray);
  const int python = static_cast<int>(HexView::CopyForm::Python);
  QTest::newRow("Python") << python << 20 << 4 << "data = (\n    b\"\\x03\\x40\\x01\\x00\"\n)\n";
  QTest::newRow("Python lines") << python << 0 << 18
                                << "data = (\n    b\"\\x04\\x00\\x00\\x00\\x00\\x00\\x00\\x00"
                                   "\\x63\\x75\\x64\\x61\\x02\\x00\\x00\\x00\"\n    b\"\\x00\\x00\"\n)\n";
  QTest::newRow("hex") << hex << 20 << 4 << "03 40 01 00";
  QTest::newRow("hex lines") << hex << 0 << 18 << "04 00 00 00 00 00 00 00 63 75 64 61 02 00 00 00\n00 00";
  QTest::newRow("characters") << characters << 8 << 4 << "cuda";
  QTest::newRow("array") << array << 20 << 4
                         << "static const unsigned char bytes[4] = {\n    0x03, 0x40, 0x01, 0x00};\n";
  QTest::newRow("array lines") << array << 0 << 17
                               << "static const unsigned char bytes[17] = {\n"
                                  "    0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, "
                                  "0x63, 0x75, 0x64, 0x61, 0x02, 0x00, 0x00, 0x00,\n    0x00};\n";
}

void TestHexView::everyFormIsCopied() {
  QFETCH(int, form);
  QFETCH(int, offset);
  QFETCH(int, size);
  QFETCH(QString, text);
  Shown shown;
  shown.view.select(static_cast<quint64>(offset), static_cast<quint64>(size));
  QVERIFY(shown.view.copy(static_cast<HexView::CopyForm>(form)));
  QCOMPARE(QApplication::clipboard()->text(), text);
}

void TestHexView::hugeSelectionIsNotCopied() {
  Shown shown(std::string((64U << 20) + 1, 'x'));
  QSignalSpy refused(&shown.view, &HexView::refused);
  QApplication::clipboard()->setText(QStringLiteral("before"));
  QTest::keyClick(&shown.view, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClick(&shown.view, Qt::Key_C, Qt::ControlModifier);
  QVERIFY(!shown.view.copy(HexView::CopyForm::Characters));
  QVERIFY(!shown.view.copy(HexView::CopyForm::CArray));
  QCOMPARE(refused.count(), 3);
  QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("before"));
  QVERIFY(refused[1].first().toString().startsWith(QStringLiteral("The selection is 64.0 MiB")));
}

void TestHexView::contextMenuCopies() {
  Shown shown;
  shown.view.select(8, 4);
  QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(1, 1), QPoint(1, 1));
  QApplication::sendEvent(shown.view.viewport(), &event);
  auto* const menu = shown.view.findChild<QMenu*>();
  QVERIFY(menu);
  menu->actions()[1]->trigger();
  QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("cuda"));
  menu->close();
}

void TestHexView::fieldsOfBigTreesAreLoadedInTheBackground() {
  // Loaded in the background; until then there are no tints and no field names.
  constexpr uint32_t kRows = 1'000'000;
  const Bytes content = Bytes::copyOf(std::string(4 * kRows, 'x'));
  FieldTreeBuilder builder;
  for (uint32_t i = 0; i < kRows; ++i) {
    builder.nextIndex(i);
    builder.leaf("", FieldType::U32, FieldRole::Number, 4, i);
  }
  const auto tree = std::make_shared<FieldTree>(builder.take(content));
  HexView view;
  view.resize(600, 300);
  view.setBytes(content);
  view.setFields(tree);
  view.setFields(nullptr); // dropped while it is made
  view.setFields(tree);
  QVERIFY(!view.fieldAt(4'000));
  QTRY_COMPARE(view.fieldAt(4'000), std::optional<uint32_t>(1'000));
  view.goTo(3'999'999);
  QElapsedTimer timer;
  timer.start();
  drawn(view, 1);
  qInfo("1,000,000 fields: painted at the end in %.1f ms", static_cast<double>(timer.nsecsElapsed()) / 1e6);
  { // deleted while it is made
    HexView gone;
    gone.setBytes(content);
    gone.setFields(tree);
  }
}

void TestHexView::visibleBytesFollowTheScrolling() {
  Shown shown(std::string(1'000, 'x'));
  QSignalSpy visible(&shown.view, &HexView::visibleBytesChanged);
  const Extent first = shown.view.visibleBytes();
  QCOMPARE(first.offset, uint64_t{0});
  QCOMPARE((first.size + 6) % 16, uint64_t{0});
  shown.view.verticalScrollBar()->setValue(3);
  QCOMPARE(visible.last(), (QVariantList{quint64{42}, quint64{first.size + 6}}));
  shown.view.goTo(999);
  QCOMPARE(shown.view.visibleBytes().end(), uint64_t{1'000});
}

void TestHexView::toolTipFindsItsField() {
  Shown shown;
  shown.view.setFields(sampleTree(shown.view.bytes()));
  // Tool tips have no picture off screen, but the event must find its field or none.
  for (const quint64 offset : {0, 20, 30}) {
    QHelpEvent event(QEvent::ToolTip, shown.place(offset), shown.view.viewport()->mapToGlobal(shown.place(offset)));
    QVERIFY(QApplication::sendEvent(shown.view.viewport(), &event));
  }
}

void TestHexView::fieldsArePainted_data() {
  QTest::addColumn<bool>("dark");
  QTest::addColumn<double>("ratio");
  QTest::newRow("light") << false << 1.0;
  QTest::newRow("light, 1.5") << false << 1.5;
  QTest::newRow("dark") << true << 1.0;
  QTest::newRow("dark, 1.5") << true << 1.5;
}

void TestHexView::fieldsArePainted() {
  QFETCH(bool, dark);
  QFETCH(double, ratio);
  setTheme(dark ? Theme::dark() : Theme::light());
  Shown shown;
  shown.view.setFields(sampleTree(shown.view.bytes()));
  shown.view.selectField(2);
  const QImage image = drawn(shown.view, ratio);
  QCOMPARE(image.size(), (QSizeF(600, 300) * ratio).toSize());
  QCOMPARE(countPixels(image, Qt::magenta), 0);
  QVERIFY(countPixels(image, theme().color(Role::Base)) > 10'000);
  QVERIFY(countPixels(image, theme().color(Role::Rule)) >= 500);
  // The lines below fields and at their first bytes: two rows of characters, bytes and frames.
  QVERIFY(countPixels(image, theme().color(Role::FieldLength)) > 200);
  QVERIFY(countPixels(image, theme().color(Role::FieldTypeKey)) > 50);
  QVERIFY(countPixels(image, theme().color(Role::FieldTypeCode)) > 50);
  QVERIFY(countPixels(image, theme().color(Role::Text)) > 200);
  setTheme(Theme::light());
}

void TestHexView::damagedAndUnknownBytesAreMarked() {
  const Bytes content = placedBytes(std::string(64, '\0'), 0x100);
  FieldTreeBuilder builder;
  builder.leaf("length", FieldType::U64, FieldRole::Length, 8, 0);
  builder.leaf("rest", FieldType::Unknown, FieldRole::Unknown, 56, 0);
  HexView view;
  view.resize(600, 300);
  view.setBytes(content);
  view.setFields(std::make_shared<FieldTree>(builder.take(content)));
  const QColor error = theme().color(Role::Error);
  const QImage before = drawn(view, 1);
  QCOMPARE(countPixels(before, error), 0); // hatched lightly, without a line
  view.setDamage(Extent{0, 8});
  QVERIFY(countPixels(drawn(view, 1), error) > 100);
  const auto hits = std::make_shared<FindHits>(FindHits{{20, 30, 0}});
  view.showHits(hits, std::nullopt);
  QVERIFY(countPixels(drawn(view, 1), theme().color(Role::Found)) > 1'000);
}

void TestHexView::emptyViewIsSafe() {
  Shown shown(std::string_view{});
  shown.view.setFields(std::make_shared<FieldTree>());
  drawn(shown.view, 1);
  for (const int key : {Qt::Key_Down, Qt::Key_Left, Qt::Key_End, Qt::Key_PageDown, Qt::Key_Return})
    QTest::keyClick(&shown.view, static_cast<Qt::Key>(key));
  QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ControlModifier);
  shown.view.goTo(3);
  shown.view.selectAll();
  QVERIFY(!shown.view.copy());
  QCOMPARE(shown.view.selection(), (Extent{0, 0}));
  QCOMPARE(shown.accessible()->childCount(), 0);
  QCOMPARE(shown.accessible()->text(QAccessible::Value), QStringLiteral("no bytes"));
}

BLOBSCOPE_TEST(TestHexView);

#include "test_hex_view.moc"
