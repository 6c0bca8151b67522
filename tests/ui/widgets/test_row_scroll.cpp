#include "ui/widgets/row_scroll.h"

#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"

using namespace blobscope::ui;
using namespace blobscope::test;

class TestRowScroll : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void fewRowsScrollOneByOne();
  void manyRowsScrollProportionally();
  void revealScrollsAsLittleAsNeeded_data();
  void revealScrollsAsLittleAsNeeded();
  void fewerRowsClampThePosition();

private:
  Application m_application;
};

void TestRowScroll::fewRowsScrollOneByOne() {
  QScrollBar bar;
  int moves = 0;
  RowScroll scroll(&bar, [&] { ++moves; });
  scroll.setRange(100, 10);
  QCOMPARE(bar.maximum(), 90);
  QCOMPARE(bar.pageStep(), 10);
  bar.setValue(17);
  QCOMPARE(scroll.top(), uint64_t{17});
  scroll.moveBy(-20);
  QCOMPARE(scroll.top(), uint64_t{0});
  scroll.setTop(1'000);
  QCOMPARE(scroll.top(), uint64_t{90});
  QCOMPARE(bar.value(), 90);
  QCOMPARE(moves, 3);
  scroll.setTop(90);
  QCOMPARE(moves, 3);
}

void TestRowScroll::manyRowsScrollProportionally() {
  // 2^52 bytes in rows of 16.
  constexpr uint64_t kRows = uint64_t{1} << 48;
  QScrollBar bar;
  RowScroll scroll(&bar, [] {});
  scroll.setRange(kRows, 40);
  QVERIFY(bar.maximum() > 1'000'000);
  scroll.setTop(kRows);
  QCOMPARE(scroll.top(), kRows - 40);
  QCOMPARE(bar.value(), bar.maximum());
  scroll.moveBy(-1);
  QCOMPARE(scroll.top(), kRows - 41);
  // Steps of the bar are exact; dragging is proportional.
  bar.triggerAction(QAbstractSlider::SliderSingleStepAdd);
  QCOMPARE(scroll.top(), kRows - 40);
  bar.triggerAction(QAbstractSlider::SliderPageStepSub);
  QCOMPARE(scroll.top(), kRows - 80);
  bar.setValue(0);
  QCOMPARE(scroll.top(), uint64_t{0});
  bar.setValue(bar.maximum() / 2);
  QVERIFY(scroll.top() > kRows / 2 - kRows / 1'000 && scroll.top() < kRows / 2 + kRows / 1'000);
  bar.setValue(bar.maximum());
  QCOMPARE(scroll.top(), kRows - 40);
}

void TestRowScroll::revealScrollsAsLittleAsNeeded_data() {
  QTest::addColumn<int>("top");
  QTest::addColumn<int>("row");
  QTest::addColumn<int>("after");
  QTest::newRow("seen") << 50 << 55 << 50;
  QTest::newRow("first") << 50 << 50 << 50;
  QTest::newRow("just above") << 50 << 48 << 48;
  QTest::newRow("just below") << 50 << 61 << 52;
  QTest::newRow("far below") << 0 << 80 << 75;
  QTest::newRow("far above") << 90 << 30 << 25;
  QTest::newRow("start") << 90 << 1 << 0;
  QTest::newRow("end") << 0 << 99 << 90;
}

void TestRowScroll::revealScrollsAsLittleAsNeeded() {
  QFETCH(int, top);
  QFETCH(int, row);
  QFETCH(int, after);
  QScrollBar bar;
  RowScroll scroll(&bar, [] {});
  scroll.setRange(100, 10);
  scroll.setTop(static_cast<uint64_t>(top));
  scroll.reveal(static_cast<uint64_t>(row));
  QCOMPARE(scroll.top(), static_cast<uint64_t>(after));
}

void TestRowScroll::fewerRowsClampThePosition() {
  QScrollBar bar;
  int moves = 0;
  RowScroll scroll(&bar, [&] { ++moves; });
  scroll.setRange(100, 10);
  scroll.setTop(80);
  scroll.setRange(50, 10);
  QCOMPARE(scroll.top(), uint64_t{40});
  QCOMPARE(moves, 2);
  scroll.setRange(5, 10);
  QCOMPARE(scroll.top(), uint64_t{0});
  QCOMPARE(bar.maximum(), 0);
}

BLOBSCOPE_TEST(TestRowScroll);

#include "test_row_scroll.moc"
