#include "ui/widgets/find/find_bar.h"

#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/find/finder.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/text/text_view.h"

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

BLOBSCOPE_TEST(TestFindBar);

#include "test_find_bar.moc"
