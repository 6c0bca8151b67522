#include "core/library/node.h"
#include "core/write/repack.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/byte_bar.h"
#include "ui/pages/hex_marks.h"
#include "ui/pages/hex_page.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/charts/coverage_bar.h"
#include "ui/widgets/hex/hex_view.h"

#include <QDir>
#include <QInputDialog>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSignalSpy>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// The Hex page: bytes are overwritten and marked.
class TestHexPage : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void typedBytesBecomeOneChange();
  void changedBytesShowWhatTheyWere();
  void neighboursStayOneChange();
  void lengthsAndOtherPartsAreRefused();
  void refusedBytesStayTyped();
  void typedBytesAreAppliedWhenThePageIsLeft();
  void undoGoesThroughTypedBytesFirst();
  void placeIsKeptWhenTheFileChanges();
  void savedBytesAreWritten();
  void bookmarksAreSetByKeys();
  void notesAreKeptForTheContent();
  void entropyIsShownBelowTheParts();
  void byteOrderIsChosenInDetails();
  void stringsLeadToTheirBytes();
  void paletteGoesToTheByte();

private:
  QString write(const char* name = "made.so") { return m_files.write(QLatin1String(name), someLibrary()); }
  static bool settle(MainWindow& window) {
    return QTest::qWaitFor([&] { return !window.document().isEditing() && !window.document().isOpening(); }, kWaitMs) &&
           QTest::qWaitFor([&] { return currentView(window) && currentView(window)->isReady(); }, kWaitMs);
  }
  /// Opens a file and shows the bytes of its cuda module.
  static ui::HexPage* hex(MainWindow& window, const QString& path, const char* ref = "m1") {
    if (window.document().path() != path && !open(window, path)) return nullptr;
    if (!go(window, ref, QStringLiteral("Hex"))) return nullptr;
    auto* const page = pageOf<ui::HexPage>(window);
    if (page) page->view().setFocus();
    return page;
  }
  /// Waits for the page that replaces `page` after a change.
  static ui::HexPage* next(MainWindow& window, ui::HexPage* page) {
    const QPointer<ui::HexPage> before(page);
    const bool there = QTest::qWaitFor([&] { return !before && pageOf<ui::HexPage>(window); }, kWaitMs);
    return there && settle(window) ? pageOf<ui::HexPage>(window) : nullptr;
  }
  static std::string payload(MainWindow& window) {
    return std::string(window.document().state()->package->blobs[0]->modules[1]->payload.view());
  }
  static std::size_t edits(MainWindow& window) { return window.document().state()->edits.size(); }
  /// Where the text of the kernels begins.
  static uint64_t codeAt(MainWindow& window) { return payload(window).find(".version"); }
  static void type(HexView& view, uint64_t offset, const char* digits) {
    view.goTo(offset);
    QTest::keyClicks(&view, QString::fromLatin1(digits));
  }

  WindowApplication m_application;
  Files m_files;
};

void TestHexPage::init() {
  WindowApplication::reset();
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)).removeRecursively();
}

void TestHexPage::typedBytesBecomeOneChange() {
  MainWindow window;
  QVERIFY(showActive(window));
  auto* page = hex(window, write());
  QVERIFY(page);
  const uint64_t at = codeAt(window);
  const uint64_t place = page->view().fileOffset(at);
  QCOMPARE(page->byteBar().state(), ByteBar::State::Hidden);
  type(page->view(), at, "2d2d");
  QCOMPARE(page->byteBar().state(), ByteBar::State::Typed);
  QVERIFY(page->isTyping());
  QCOMPARE(edits(window), std::size_t{0});
  QTest::keyClick(&page->view(), Qt::Key_Return);
  page = next(window, page);
  QVERIFY(page);
  QCOMPARE(edits(window), std::size_t{1});
  QCOMPARE(payload(window).substr(at, 8), std::string("--ersion"));
  const edit::Description& change = window.document().state()->changes.front();
  QCOMPARE(QString::fromStdString(change.before), QStringLiteral("2e 76"));
  QCOMPARE(QString::fromStdString(change.after), QStringLiteral("2d 2d"));
  // The offsets stay those of the file, and the keyboard focus stays in the bytes.
  QCOMPARE(page->view().fileOffset(at), place);
  QTRY_VERIFY_WITH_TIMEOUT(page->view().hasFocus(), kWaitMs);
  QVERIFY(!page->isTyping());
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
  QVERIFY(next(window, page));
  QCOMPARE(payload(window).substr(at, 8), std::string(".version"));
  QCOMPARE(edits(window), std::size_t{0});
}

void TestHexPage::changedBytesShowWhatTheyWere() {
  MainWindow window;
  QVERIFY(showActive(window));
  auto* page = hex(window, write());
  QVERIFY(page);
  const uint64_t at = codeAt(window);
  type(page->view(), at, "2d");
  QTest::keyClick(&page->view(), Qt::Key_Return);
  page = next(window, page);
  QVERIFY(page);
  page->view().goTo(at);
  QCOMPARE(page->byteBar().state(), ByteBar::State::Changed);
  QVERIFY2(page->byteBar().text().contains(QStringLiteral("was 2e “.”")), qPrintable(page->byteBar().text()));
  QVERIFY(page->view().describe(at).contains(QStringLiteral("changed, was 2e")));
  QVERIFY2(detailsOf(window).text().contains(QStringLiteral("2d, 2e")), qPrintable(detailsOf(window).text()));
  QCOMPARE(page->marks().rowCount(), 1);
  page->view().goTo(at + 1);
  QCOMPARE(page->byteBar().state(), ByteBar::State::Hidden);
  page->view().goTo(at);
  button(page->byteBar(), QStringLiteral("Revert"))->click();
  page = next(window, page);
  QVERIFY(page);
  QCOMPARE(edits(window), std::size_t{0});
  QCOMPARE(page->marks().rowCount(), 0);
}

void TestHexPage::neighboursStayOneChange() {
  MainWindow window;
  QVERIFY(showActive(window));
  auto* page = hex(window, write());
  QVERIFY(page);
  const uint64_t at = codeAt(window);
  for (int i = 0; i < 3; ++i) {
    type(page->view(), at + static_cast<uint64_t>(i), "2d");
    QTest::keyClick(&page->view(), Qt::Key_Return);
    page = next(window, page);
    QVERIFY(page);
    QCOMPARE(edits(window), std::size_t{1});
  }
  QCOMPARE(payload(window).substr(at, 8), std::string("---rsion"));
  type(page->view(), at + 20, "2d");
  QTest::keyClick(&page->view(), Qt::Key_Return);
  page = next(window, page);
  QCOMPARE(edits(window), std::size_t{2});
  // The old bytes again are no change.
  type(page->view(), at, "2e7665");
  QTest::keyClick(&page->view(), Qt::Key_Return);
  QVERIFY(next(window, page));
  QCOMPARE(edits(window), std::size_t{1});
}

void TestHexPage::lengthsAndOtherPartsAreRefused() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = write();
  auto* page = hex(window, path);
  QVERIFY(page);
  QSignalSpy messages(page, &PageWidget::message);
  type(page->view(), codeAt(window) - 1, "0"); // in a comment of the text, or not: the length is before it
  page->view().setTyped({});
  messages.clear();
  type(page->view(), 0, "0");
  QVERIFY(!messages.isEmpty());
  QVERIFY(messages.last().front().toString().contains(QStringLiteral("length or a count")));
  QVERIFY(page->view().typed().empty());
  // On the tab of the file, the module is named.
  const uint64_t inModule = page->view().fileOffset(codeAt(window));
  page = hex(window, path, "@0");
  QVERIFY(page);
  QSignalSpy others(page, &PageWidget::message);
  type(page->view(), inModule, "0");
  QVERIFY(others.last().front().toString().contains(QStringLiteral("cuda")));
  type(page->view(), 0, "0");
  QVERIFY(others.last().front().toString().contains(QStringLiteral("Only bytes of modules")));
  QVERIFY(page->view().typed().empty());
}

void TestHexPage::refusedBytesStayTyped() {
  MainWindow window;
  QVERIFY(showActive(window));
  auto* const page = hex(window, write());
  QVERIFY(page);
  // A type code that no release of TVM accepts.
  const uint64_t code = payload(window).find(std::string("\x03\x40\x01\x00", 4));
  QVERIFY(code != std::string::npos);
  QSignalSpy failed(&window.document(), &Document::editFailed);
  type(page->view(), code, "7f");
  QTest::keyClick(&page->view(), Qt::Key_Return);
  QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kWaitMs);
  QCOMPARE(pageOf<ui::HexPage>(window), page);
  QVERIFY(page->isRefused());
  QCOMPARE(page->byteBar().state(), ByteBar::State::Typed);
  QVERIFY(page->byteBar().text().contains(QStringLiteral("refused")));
  QTest::keyClick(&page->view(), Qt::Key_Escape);
  QVERIFY(!page->isTyping() && !page->isRefused());
  QCOMPARE(page->byteBar().state(), ByteBar::State::Hidden);
}

void TestHexPage::typedBytesAreAppliedWhenThePageIsLeft() {
  MainWindow window;
  QVERIFY(showActive(window));
  auto* const page = hex(window, write());
  QVERIFY(page);
  const uint64_t at = codeAt(window);
  type(page->view(), at, "2d");
  contentsTree(window).setFocus();
  QVERIFY(next(window, page));
  QCOMPARE(payload(window).substr(at, 8), std::string("-version"));
}

void TestHexPage::undoGoesThroughTypedBytesFirst() {
  MainWindow window;
  QVERIFY(showActive(window));
  auto* const page = hex(window, write());
  QVERIFY(page);
  const uint64_t at = codeAt(window);
  type(page->view(), at, "2d2d");
  action(window, ActionId::Undo)->trigger();
  QCOMPARE(page->view().typed().count(), std::size_t{1});
  action(window, ActionId::Undo)->trigger();
  QVERIFY(page->view().typed().empty());
  action(window, ActionId::Redo)->trigger();
  QCOMPARE(page->view().typed().count(), std::size_t{1});
  QCOMPARE(edits(window), std::size_t{0});
}

void TestHexPage::placeIsKeptWhenTheFileChanges() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, m_files.write(QStringLiteral("big.so"), libraryWithCode(50'000))));
  auto* page = hex(window, window.document().path());
  QVERIFY(page);
  page->view().goTo(40'000);
  const quint64 top = page->view().topRow();
  QVERIFY(top > 0);
  QTest::keyClicks(&page->view(), QStringLiteral("41"));
  QTest::keyClick(&page->view(), Qt::Key_Return);
  page = next(window, page);
  QVERIFY(page);
  QCOMPARE(page->view().topRow(), top);
  QCOMPARE(page->view().cursor(), quint64{40'001});
}

void TestHexPage::savedBytesAreWritten() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = write();
  auto* page = hex(window, path);
  QVERIFY(page);
  const uint64_t at = codeAt(window), place = page->view().fileOffset(at);
  page->toggleBookmark(1);
  type(page->view(), at, "2d");
  QTest::keyClick(&page->view(), Qt::Key_Return);
  QVERIFY(next(window, page));
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  QByteArray content = file.readAll();
  file.close();
  content[static_cast<qsizetype>(place)] = '-';
  // The file is written as the dialog does it.
  bool written = false;
  window.document().jobs().start<Done>(
      QStringLiteral("write"),
      [state = window.document().state(), target = path.toStdString()](Monitor& monitor) -> Result<Done> {
        BLOBSCOPE_TRY(planned, write::planRepack(state->opened, state->edits, {}, {}, monitor));
        return write::writeRepack(planned, target, {}, monitor);
      },
      [&](const Result<Done>& done) { written = static_cast<bool>(done); });
  QTRY_VERIFY_WITH_TIMEOUT(written, kWaitMs);
  window.document().markSaved(path);
  QVERIFY(settle(window));
  QVERIFY(file.open(QIODevice::ReadOnly));
  QCOMPARE(file.readAll(), content);
  // The bookmarks are those of the saved content as well.
  QTRY_VERIFY_WITH_TIMEOUT(!window.document().jobs().isRunning(ByteNotes::tag()), kWaitMs);
  QCOMPARE(window.document().notes().all().size(), std::size_t{1});
  QCOMPARE(QDir(ByteNotes::folder()).entryList(QDir::Files).size(), 2);
}

void TestHexPage::bookmarksAreSetByKeys() {
  MainWindow window;
  QVERIFY(showActive(window));
  const QString path = write();
  auto* page = hex(window, path);
  QVERIFY(page);
  QTRY_VERIFY_WITH_TIMEOUT(!window.document().jobs().isRunning(ByteNotes::tag()), kWaitMs);
  const uint64_t at = codeAt(window);
  page->view().goTo(at);
  QTest::keyClick(&page->view(), Qt::Key_3, Qt::ControlModifier | Qt::ShiftModifier);
  QCOMPARE(page->marks().rowCount(), 1);
  QVERIFY(page->view().describe(at).contains(QStringLiteral("bookmark data")));
  page->view().goTo(0);
  QTest::keyClick(&page->view(), Qt::Key_3, Qt::AltModifier);
  QCOMPARE(page->view().cursor(), quint64{at});
  QSignalSpy messages(page, &PageWidget::message);
  QTest::keyClick(&page->view(), Qt::Key_4, Qt::AltModifier);
  QVERIFY(messages.last().front().toString().contains(QStringLiteral("no bookmark 4")));
  // The button uses the next free key, and removes the bookmark again.
  page->view().goTo(at + 5);
  page->toggleBookmark(0);
  QCOMPARE(window.document().notes().all().back().digit, 1);
  QCOMPARE(page->marks().rowCount(), 2);
  page->toggleBookmark(0);
  QCOMPARE(page->marks().rowCount(), 1);
  // The list: a click goes there, F2 renames, Del removes.
  QTreeWidgetItem* const row = page->marks().topLevelItem(0)->child(0);
  page->view().goTo(0);
  page->marks().setCurrentItem(row);
  QTest::keyClick(&page->marks(), Qt::Key_Return);
  QCOMPARE(page->view().cursor(), quint64{at});
  QTest::keyClick(&page->marks(), Qt::Key_F2);
  auto* const dialog = window.findChild<QInputDialog*>();
  QVERIFY(dialog);
  dialog->setTextValue(QStringLiteral("start of the code"));
  dialog->accept();
  QVERIFY2(page->view().describe(at).contains(QStringLiteral("bookmark start of the code")),
           qPrintable(page->view().describe(at)));
  // The file's own page has it as well.
  page = hex(window, path, "@0");
  QVERIFY(page);
  QCOMPARE(page->marks().rowCount(), 1);
  page->marks().setCurrentItem(page->marks().topLevelItem(0)->child(0));
  QTest::keyClick(&page->marks(), Qt::Key_Delete);
  QCOMPARE(page->marks().rowCount(), 0);
}

void TestHexPage::notesAreKeptForTheContent() {
  uint64_t place = 0;
  {
    MainWindow window;
    QVERIFY(showActive(window));
    auto* const page = hex(window, write("first.so"));
    QVERIFY(page);
    page->view().select(codeAt(window), 8);
    place = page->view().fileOffset(codeAt(window));
    page->askForNote();
    auto* const dialog = window.findChild<QInputDialog*>();
    QVERIFY(dialog && dialog->findChild<QPlainTextEdit*>());
    dialog->setTextValue(QStringLiteral("the version\nof PTX"));
    dialog->accept();
    QCOMPARE(page->marks().rowCount(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(!window.document().jobs().isRunning(ByteNotes::tag()), kWaitMs);
  }
  // A copy with another name.
  MainWindow window;
  QVERIFY(showActive(window));
  auto* const page = hex(window, write("renamed.so"));
  QVERIFY(page);
  QTRY_COMPARE_WITH_TIMEOUT(page->marks().rowCount(), 1, kWaitMs);
  const ByteNote& note = window.document().notes().all().front();
  QCOMPARE(note.text, QStringLiteral("the version\nof PTX"));
  QCOMPARE(note.bytes, (Extent{place, 8}));
}

void TestHexPage::entropyIsShownBelowTheParts() {
  MainWindow window;
  QVERIFY(showActive(window));
  auto* const page = hex(window, write());
  QVERIFY(page);
  QTRY_VERIFY_WITH_TIMEOUT(page->coverage().hasEntropy(), kWaitMs);
  QVERIFY(page->coverage().accessibleDescription().contains(QStringLiteral("bits per byte")));
}

void TestHexPage::byteOrderIsChosenInDetails() {
  MainWindow window;
  QVERIFY(showActive(window));
  auto* const page = hex(window, m_files.write(QStringLiteral("code.so"), libraryWithCode(4096)));
  QVERIFY(page);
  page->view().select(0, 2); // the length of the format's name: 5
  QTRY_VERIFY_WITH_TIMEOUT(detailsOf(window).text().contains(QStringLiteral("u16, i16: 5, 5")), kWaitMs);
  QAbstractButton* const big = button(detailsOf(window), QStringLiteral("big-endian"));
  QVERIFY(big);
  big->setFocus();
  QTest::keyClick(big, Qt::Key_Space);
  QTRY_VERIFY_WITH_TIMEOUT(detailsOf(window).text().contains(QStringLiteral("u16, i16: 1,280, 1,280")), kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(button(detailsOf(window), QStringLiteral("big-endian"))->hasFocus(), kWaitMs);
  // The choice stays for other bytes.
  page->view().select(1, 2);
  QVERIFY(button(detailsOf(window), QStringLiteral("big-endian"))->isChecked());
}

void TestHexPage::stringsLeadToTheirBytes() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  QVERIFY(go(window, "m1", QStringLiteral("Strings")));
  QTRY_VERIFY_WITH_TIMEOUT(pageOf<ui::TablePage>(window), kWaitMs);
  QVERIFY(currentView(window)->pageNames().contains(QStringLiteral("Entropy")));
}

void TestHexPage::paletteGoesToTheByte() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, write()));
  action(window, ActionId::Palette)->trigger();
  auto* const edit = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  QVERIFY(edit);
  QTest::keyClicks(edit, QStringLiteral("0x123"));
  QTest::keyClick(edit, Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(pageOf<ui::HexPage>(window), kWaitMs);
  auto* const page = pageOf<ui::HexPage>(window);
  QTRY_COMPARE_WITH_TIMEOUT(page->view().fileOffset(page->view().cursor()), uint64_t{0x123}, kWaitMs);
}

BLOBSCOPE_TEST(TestHexPage);

#include "test_hex_page.moc"
