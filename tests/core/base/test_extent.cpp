#include "core/base/extent.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

using namespace blobscope;

namespace {
constexpr uint64_t kMost = UINT64_MAX;
}

class TestExtent : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void endNeverOverflows_data();
  void endNeverOverflows();
  void containsPositionsInside_data();
  void containsPositionsInside();
  void containsExtentsInside_data();
  void containsExtentsInside();
  void checkedArithmeticDetectsOverflow_data();
  void checkedArithmeticDetectsOverflow();
};

void TestExtent::endNeverOverflows_data() {
  QTest::addColumn<uint64_t>("offset");
  QTest::addColumn<uint64_t>("size");
  QTest::addColumn<uint64_t>("end");
  const auto row = [](const char* name, uint64_t offset, uint64_t size, uint64_t end) {
    QTest::newRow(name) << offset << size << end;
  };
  row("empty", 0, 0, 0);
  row("some", 16, 4, 20);
  row("up to the largest", kMost - 4, 4, kMost);
  row("one too many stays at the largest", kMost - 4, 5, kMost);
  row("all of it twice", kMost, kMost, kMost);
}

void TestExtent::endNeverOverflows() {
  QFETCH(uint64_t, offset);
  QFETCH(uint64_t, size);
  QFETCH(uint64_t, end);
  QCOMPARE((Extent{offset, size}.end()), end);
}

void TestExtent::containsPositionsInside_data() {
  QTest::addColumn<uint64_t>("offset");
  QTest::addColumn<uint64_t>("size");
  QTest::addColumn<uint64_t>("position");
  QTest::addColumn<bool>("holds");
  const auto row = [](const char* name, Extent extent, uint64_t position, bool holds) {
    QTest::newRow(name) << extent.offset << extent.size << position << holds;
  };
  row("before", {16, 4}, 15, false);
  row("first", {16, 4}, 16, true);
  row("last", {16, 4}, 19, true);
  row("after", {16, 4}, 20, false);
  row("empty holds nothing", {16, 0}, 16, false);
  row("size that wraps holds the largest", {kMost - 1, kMost}, kMost, true);
  row("size that wraps does not hold zero", {kMost - 1, kMost}, 0, false);
}

void TestExtent::containsPositionsInside() {
  QFETCH(uint64_t, offset);
  QFETCH(uint64_t, size);
  QFETCH(uint64_t, position);
  QFETCH(bool, holds);
  QCOMPARE((Extent{offset, size}.contains(position)), holds);
}

void TestExtent::containsExtentsInside_data() {
  QTest::addColumn<uint64_t>("offset");
  QTest::addColumn<uint64_t>("size");
  QTest::addColumn<bool>("holds");
  // Which of these extents are in [16, 20)?
  const auto row = [](const char* name, Extent inner, bool holds) {
    QTest::newRow(name) << inner.offset << inner.size << holds;
  };
  row("itself", {16, 4}, true);
  row("part", {17, 2}, true);
  row("empty at the start", {16, 0}, true);
  row("empty at the end", {20, 0}, true);
  row("empty after the end", {21, 0}, false);
  row("begins before it", {15, 2}, false);
  row("ends after it", {17, 4}, false);
  row("size that wraps", {17, kMost}, false);
  row("offset and size that wrap into it", {kMost, 18}, false);
}

void TestExtent::containsExtentsInside() {
  QFETCH(uint64_t, offset);
  QFETCH(uint64_t, size);
  QFETCH(bool, holds);
  QCOMPARE((Extent{16, 4}.contains(Extent{offset, size})), holds);
  // The same near the largest offset, where ends no longer differ.
  const uint64_t up = kMost - 18;
  if (offset <= 18 && offset >= 16) QCOMPARE((Extent{16 + up, 4}.contains(Extent{offset + up, size})), holds);
}

void TestExtent::checkedArithmeticDetectsOverflow_data() {
  QTest::addColumn<uint64_t>("a");
  QTest::addColumn<uint64_t>("b");
  QTest::addColumn<std::optional<uint64_t>>("sum");
  QTest::addColumn<std::optional<uint64_t>>("product");
  const auto row = [](const char* name, uint64_t a, uint64_t b, std::optional<uint64_t> sum,
                      std::optional<uint64_t> product) { QTest::newRow(name) << a << b << sum << product; };
  row("zeros", 0, 0, 0, 0);
  row("small", 3, 4, 7, 12);
  row("largest and zero", kMost, 0, kMost, 0);
  row("zero and largest", 0, kMost, kMost, 0);
  row("largest and one", kMost, 1, std::nullopt, kMost);
  row("one and largest", 1, kMost, std::nullopt, kMost);
  row("half twice", 1ull << 63, 2, (1ull << 63) + 2, std::nullopt);
  row("two halves", 1ull << 63, 1ull << 63, std::nullopt, std::nullopt);
  row("2^32 squared", 1ull << 32, 1ull << 32, 1ull << 33, std::nullopt);
  row("largest product", 0xffffffff, 0x100000001, 0x200000000, kMost);
}

void TestExtent::checkedArithmeticDetectsOverflow() {
  QFETCH(uint64_t, a);
  QFETCH(uint64_t, b);
  QFETCH(std::optional<uint64_t>, sum);
  QFETCH(std::optional<uint64_t>, product);
  QCOMPARE(checkedAdd(a, b), sum);
  QCOMPARE(checkedMultiply(a, b), product);
}

BLOBSCOPE_TEST(TestExtent);
#include "test_extent.moc"
