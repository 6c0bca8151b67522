#include "ui/widgets/find/find_bar.h"

#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/find/finder.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/text/edit_view.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>
#include <QVBoxLayout>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// A view with its bar in a window.
template <class View> struct Page {
  Page() : view(new View), bar(new FindBar(view)) {
    auto* layout = new QVBoxLayout(&window);
    layout->addWidget(view, 1);
    layout->addWidget(bar);
    window.resize(600, 300);
    window.show();
  }
  void type(const QString& text) { QTest::keyClicks(bar->findChild<QLineEdit*>(), text); }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(bar->findChild<QLineEdit*>(), key, modifiers);
  }
  QToolButton* button(const QString& name) {
    for (QToolButton* button : bar->findChildren<QToolButton*>())
      if (button->accessibleName() == name) return button;
    return nullptr;
  }
  QWidget window;
  View* view;
  FindBar* bar;
};

} // namespace

class TestFindBar : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void searchWrapsAround();
  void searchStartsAtTheCursor();
  void matchFollowsTheTyping();
  void optionsChangeTheMatches();
  void invalidPatternIsExplained();
  void closingRemovesTheMarks();
  void escapeCancelsTheSearch();
  void numberOfMatchesIsLimited();
  void bytesAreSearchedAsTextOrHex();
  void onlyTheLastSearchIsReported();
  void searchEndsWithItsOwner();
  void matchIsReplaced();
  void allMatchesAreReplaced();
  void replacementUsesGroups_data();
  void replacementUsesGroups();
  void invalidReplacementIsExplained();
  void replacementNeedsAnEditableText();
  void editedTextIsSearchedInPlace();

private:
  Application m_application;
};

void TestFindBar::searchWrapsAround() {
  Page<TextView> page;
  page.view->setText(Bytes::copyOf("ab\nx ab\nab"));
  page.bar->open();
  page.type(QStringLiteral("ab"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 3"));
  QCOMPARE(page.view->selection(), (Extent{0, 2}));
  page.press(Qt::Key_Return);
  QCOMPARE(page.bar->status(), QStringLiteral("2 of 3"));
  QCOMPARE(page.view->selection(), (Extent{5, 2}));
  QCOMPARE(page.view->currentLine(), quint64{2});
  page.bar->findNext();
  page.bar->findNext();
  QCOMPARE(page.bar->status(), QStringLiteral("1 of 3"));
  page.press(Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(page.bar->status(), QStringLiteral("3 of 3"));
  page.button(QStringLiteral("Previous"))->click();
  QCOMPARE(page.bar->status(), QStringLiteral("2 of 3"));
  page.button(QStringLiteral("Next"))->click();
  QCOMPARE(page.bar->status(), QStringLiteral("3 of 3"));
}

void TestFindBar::searchStartsAtTheCursor() {
  Page<TextView> page;
  page.view->setText(Bytes::copyOf("ab\nab\nab\nx"));
  page.view->goToLine(3);
  page.bar->open(QStringLiteral("ab"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("3 of 3"));
  // After the last match comes the first.
  page.bar->closeBar();
  page.view->goToLine(4);
  page.bar->open(QStringLiteral("ab"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 3"));
}

void TestFindBar::matchFollowsTheTyping() {
  Page<TextView> page;
  page.view->setText(Bytes::copyOf("ld ld.global ld.param"));
  page.view->goToOffset(2);
  page.bar->open();
  page.type(QStringLiteral("ld"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("2 of 3"));
  page.type(QStringLiteral(".g"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 1"));
  QCOMPARE(page.view->selectedText(), QStringLiteral("ld.g"));
  page.type(QStringLiteral("x"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("No matches"));
}

void TestFindBar::optionsChangeTheMatches() {
  Page<TextView> page;
  page.view->setText(Bytes::copyOf("ab AB abc a.c"));
  page.bar->open(QStringLiteral("ab"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 3"));
  page.button(QStringLiteral("Match case"))->click();
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 2"));
  page.button(QStringLiteral("Whole word"))->click();
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 1"));
  page.button(QStringLiteral("Whole word"))->click();
  page.button(QStringLiteral("Regular expression"))->click();
  page.bar->open(QStringLiteral("a.c"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 2"));
  QCOMPARE(page.bar->query().kind, FindQuery::Kind::Regex);
  FindQuery query;
  query.pattern = QStringLiteral("a.c");
  page.bar->setQuery(query);
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 1"));
  QVERIFY(!page.button(QStringLiteral("Regular expression"))->isChecked());
}

void TestFindBar::invalidPatternIsExplained() {
  Page<TextView> page;
  page.view->setText(Bytes::copyOf("ab"));
  FindQuery query;
  query.pattern = QStringLiteral("a[");
  query.kind = FindQuery::Kind::Regex;
  page.bar->setQuery(query);
  QCOMPARE(page.bar->status(), QStringLiteral("Character 3: missing terminating ] for character class."));
  QVERIFY(!page.bar->isSearching());
  page.bar->findNext();
  QVERIFY(!page.window.grab().isNull());
}

void TestFindBar::closingRemovesTheMarks() {
  Page<TextView> page;
  QSignalSpy closed(page.bar, &FindBar::closed);
  page.view->setText(Bytes::copyOf("ab"));
  page.bar->open(QStringLiteral("ab"));
  QTRY_VERIFY(!page.bar->isSearching());
  QTRY_COMPARE(page.bar->hitCount(), std::size_t{1});
  page.press(Qt::Key_Escape);
  QCOMPARE(closed.count(), 1);
  QVERIFY(!page.bar->isVisible());
  QCOMPARE(countPixels(drawn(*page.view, 1), theme().color(Role::FoundCurrent)), 0);
  // After reopening it searches again.
  page.bar->open();
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 1"));
}

void TestFindBar::escapeCancelsTheSearch() {
  Page<HexView> page;
  page.view->setBytes(Bytes::copyOf(std::string(300'000'000, 'x')));
  page.bar->open();
  FindQuery query;
  query.pattern = QStringLiteral("y");
  page.bar->setQuery(query);
  QVERIFY(page.bar->isSearching());
  page.press(Qt::Key_Escape);
  QVERIFY(!page.bar->isSearching());
  QVERIFY(page.bar->isVisible());
  page.press(Qt::Key_Escape);
  QVERIFY(!page.bar->isVisible());
}

void TestFindBar::numberOfMatchesIsLimited() {
  Page<TextView> page;
  QSignalSpy limited(page.bar, &FindBar::limited);
  page.view->setText(Bytes::copyOf(std::string(200'000, 'a')));
  page.bar->open(QStringLiteral("a"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of the first 100,000"));
  QCOMPARE(limited.count(), 1);
  QCOMPARE(limited.first().first().toString(),
           QStringLiteral("Only the first 100,000 matches are shown. Use a longer pattern to find fewer."));
  // Another pattern removes the old result.
  page.bar->open(QStringLiteral("b"));
  QCOMPARE(limited.count(), 2);
  QVERIFY(limited.last().first().toString().isEmpty());
}

void TestFindBar::bytesAreSearchedAsTextOrHex() {
  Page<HexView> page;
  page.view->setBytes(placedBytes(std::string_view("\0\x03\x40\x01\0cuda\x03\x40", 11), 0x100));
  QVERIFY(!page.button(QStringLiteral("Regular expression")));
  page.bar->open(QStringLiteral("CUDA"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 1"));
  QCOMPARE(page.view->selection(), (Extent{5, 4}));
  page.button(QStringLiteral("Bytes in hex"))->click();
  QCOMPARE(page.bar->status(), QStringLiteral("Enter two hexadecimal digits for each byte."));
  page.bar->open(QStringLiteral("03 40"));
  QTRY_COMPARE(page.bar->hitCount(), std::size_t{2});
  QTRY_COMPARE(page.bar->status(), QStringLiteral("2 of 2"));
  QCOMPARE(page.view->selection(), (Extent{9, 2}));
}

void TestFindBar::onlyTheLastSearchIsReported() {
  Finder finder;
  FindHits hits;
  int ends = 0;
  connect(&finder, &Finder::found, this,
          [&](const FindHits& more) { hits.insert(hits.end(), more.begin(), more.end()); });
  connect(&finder, &Finder::finished, this, [&] { ++ends; });
  const Bytes content = Bytes::copyOf(std::string(5'000'000, 'a') + "b");
  FindQuery query;
  query.lines = false;
  query.pattern = QStringLiteral("a");
  for (int i = 0; i < 20; ++i) finder.start(content, query);
  query.pattern = QStringLiteral("b");
  finder.start(content, query);
  QTRY_COMPARE(ends, 1);
  QCOMPARE(hits, (FindHits{{5'000'000, 1, 0}}));
  QVERIFY(!finder.isRunning());
}

void TestFindBar::searchEndsWithItsOwner() {
  // Closed during a search: no result reaches the deleted object.
  const Bytes content = Bytes::copyOf(std::string(100'000'000, 'a'));
  for (int i = 0; i < 5; ++i) {
    Page<TextView> page;
    page.view->setText(content);
    page.bar->open(QStringLiteral("a+b"));
    QVERIFY(page.bar->isSearching());
    QCoreApplication::processEvents();
  }
}

namespace {

/// A text that can be edited, with the bar open to replace.
struct EditedPage : Page<EditView> {
  explicit EditedPage(std::string_view text) {
    view->setOriginal(Bytes::copyOf(text), "ptx");
    view->setEditable(true);
    QObject::connect(view, &EditView::edited, bar, &FindBar::refresh);
  }
  void find(const QString& pattern, FindQuery::Kind kind = FindQuery::Kind::Text) {
    bar->openReplace();
    FindQuery query;
    query.pattern = pattern;
    query.kind = kind;
    bar->setQuery(query);
  }
  std::string text() const { return std::string(view->text().view()); }
};

} // namespace

void TestFindBar::matchIsReplaced() {
  EditedPage page("ab cd ab\nab");
  page.find(QStringLiteral("ab"));
  page.bar->setReplacement(QStringLiteral("abab"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 3"));
  QVERIFY(page.button(QStringLiteral("Replace this match and go to the next one"))->isVisible());
  page.button(QStringLiteral("Replace this match and go to the next one"))->click();
  QCOMPARE(page.text(), "abab cd ab\nab");
  // What was inserted is not the next match.
  QTRY_COMPARE(page.bar->status(), QStringLiteral("3 of 4"));
  QCOMPARE(page.view->selection(), (Extent{8, 2}));
  page.view->undo();
  QCOMPARE(page.text(), "ab cd ab\nab");
}

void TestFindBar::allMatchesAreReplaced() {
  EditedPage page("\xff%r1 %r2\n%r1\r\n%r1");
  page.find(QStringLiteral("%r1"));
  page.bar->setReplacement(QStringLiteral("%\u00e4"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 3"));
  QTRY_VERIFY(page.button(QStringLiteral("Replace all matches"))->isEnabled());
  page.button(QStringLiteral("Replace all matches"))->click();
  QTRY_COMPARE(page.text(), "\xff%\xc3\xa4 %r2\n%\xc3\xa4\r\n%\xc3\xa4");
  QTRY_COMPARE(page.bar->status(), QStringLiteral("No matches"));
  page.view->undo(); // one step
  QCOMPARE(page.text(), "\xff%r1 %r2\n%r1\r\n%r1");
  QVERIFY(!page.view->canUndo());
}

void TestFindBar::replacementUsesGroups_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<QString>("with");
  QTest::addColumn<QByteArray>("after");
  QTest::newRow("groups") << QByteArray("mov %r1, %r2;\nmov %r3, %r4;") << QStringLiteral("(%r\\d), (%r\\d)")
                          << QStringLiteral("\\2, \\1") << QByteArray("mov %r2, %r1;\nmov %r4, %r3;");
  QTest::newRow("whole match") << QByteArray("a1 b2") << QStringLiteral("[a-z]\\d") << QStringLiteral("<\\0>")
                               << QByteArray("<a1> <b2>");
  QTest::newRow("escapes") << QByteArray("a;b") << QStringLiteral(";") << QStringLiteral("\\n\\t\\\\")
                           << QByteArray("a\n\t\\b");
  QTest::newRow("bytes that are not UTF-8") << QByteArray("x\xff\xc3\xa4y") << QStringLiteral("x(..)")
                                            << QStringLiteral("\\1") << QByteArray("\xff\xc3\xa4y");
  QTest::newRow("start of a line") << QByteArray("ab\nab") << QStringLiteral("^a") << QStringLiteral("")
                                   << QByteArray("b\nb");
  QTest::newRow("group that did not match")
      << QByteArray("ac") << QStringLiteral("a(b)?c") << QStringLiteral("[\\1]") << QByteArray("[]");
}

void TestFindBar::replacementUsesGroups() {
  QFETCH(QByteArray, text);
  QFETCH(QString, pattern);
  QFETCH(QString, with);
  QFETCH(QByteArray, after);
  EditedPage page(text.toStdString());
  page.find(pattern, FindQuery::Kind::Regex);
  page.bar->setReplacement(with);
  QTRY_VERIFY(!page.bar->isSearching() && page.bar->hitCount() > 0);
  page.bar->replaceAll();
  QTRY_COMPARE(page.text(), after.toStdString());
}

void TestFindBar::invalidReplacementIsExplained() {
  EditedPage page("ab");
  page.find(QStringLiteral("(a)"), FindQuery::Kind::Regex);
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 1"));
  page.bar->setReplacement(QStringLiteral("\\2"));
  page.bar->replaceCurrent();
  QCOMPARE(page.bar->status(), QStringLiteral("The pattern has no group \\2."));
  page.bar->setReplacement(QStringLiteral("\\q"));
  page.bar->replaceAll();
  QVERIFY2(page.bar->status().startsWith(QStringLiteral("Unknown escape sequence \\q")),
           qPrintable(page.bar->status()));
  QCOMPARE(page.text(), "ab");
  page.bar->setReplacement(QStringLiteral("\\1"));
  QCOMPARE(page.bar->status(), QStringLiteral("1 of 1"));
}

void TestFindBar::replacementNeedsAnEditableText() {
  EditedPage page("ab");
  page.view->setEditable(false);
  page.find(QStringLiteral("a"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 1"));
  QVERIFY(!page.bar->isReplacing());
  page.bar->replaceCurrent();
  page.bar->replaceAll();
  QCOMPARE(page.text(), "ab");
  // A narrow bar needs two rows.
  page.view->setEditable(true);
  const int height = page.bar->height();
  page.bar->openReplace();
  QVERIFY(page.bar->isReplacing() && page.bar->height() > height);
  page.window.resize(1'000, 300);
  QTRY_COMPARE(page.bar->height(), height);
}

void TestFindBar::editedTextIsSearchedInPlace() {
  EditedPage page("ab\nab\n");
  page.find(QStringLiteral("ab"));
  QTRY_COMPARE(page.bar->status(), QStringLiteral("1 of 2"));
  page.view->goToOffset(2);
  page.view->insert("abab");
  QTRY_COMPARE(page.bar->hitCount(), std::size_t{4});
  QTRY_VERIFY(!page.bar->isSearching());
  QCOMPARE(page.view->selection(), (Extent{6, 0}));
}

BLOBSCOPE_TEST(TestFindBar);

#include "test_find_bar.moc"
