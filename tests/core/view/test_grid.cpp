#include "core/view/grid.h"

#include "core/view/details.h"
#include "core/view/html.h"
#include "tests/core/view/render_pages.h"
#include "tests/support/test_main.h"

#include <QXmlStreamReader>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::view;
using namespace std::string_literals;

namespace {

class Stopped final : public Monitor {
public:
  bool stopRequested() const override { return true; }
  void progress(std::string_view, uint64_t, uint64_t) override {}
};

/// The elements of a slice, row by row: "0 1 2 / 3 4 5"; "-" for none.
std::string elements(const GridMap& map) {
  std::string out;
  for (uint64_t row = 0; row < map.rows(); ++row) {
    out += row > 0 ? " /" : "";
    for (uint64_t column = 0; column < map.columns(); ++column) {
      const uint64_t index = map.index(row, column);
      out += (out.empty() ? "" : " ") + (index == GridMap::kNone ? "-" : std::to_string(index));
    }
  }
  return out;
}

HeatMap heatOf(const GridSource& source, const GridMap& map, GridRegion region, uint32_t rows, uint32_t columns,
               bool exact = false) {
  NullMonitor monitor;
  return *computeHeatMap(source, map, region, rows, columns, exact, monitor);
}

} // namespace

/// Slices of arrays, heat maps and images.
class TestGrid : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void slicesNameElements_data();
  void slicesNameElements();
  void slicesThatDoNotFit();
  void usefulSlicesComeFirst_data();
  void usefulSlicesComeFirst();
  void slicesAreParsed_data();
  void slicesAreParsed();
  void heatMapsAreMeans();
  void heatMapsMarkWhatIsNoNumber();
  void largeRegionsAreSampled();
  void heatMapsCanBeCancelled();
  void picturesAreWellFormed();
  void imagesAreFound_data();
  void imagesAreFound();
  void imagesAreMade();
  void limitsOfColors();
  void detailsOfAValue();
};

void TestGrid::slicesNameElements_data() {
  QTest::addColumn<QList<qulonglong>>("shape");
  QTest::addColumn<GridSlice>("slice");
  QTest::addColumn<std::string>("wanted");
  const auto row = [](const char* name, QList<qulonglong> shape, GridSlice slice, std::string wanted) {
    QTest::newRow(name) << std::move(shape) << std::move(slice) << std::move(wanted);
  };
  row("matrix", {2, 3}, {{0}, {1}, {}}, "0 1 2 / 3 4 5");
  row("transposed", {2, 3}, {{1}, {0}, {}}, "0 3 / 1 4 / 2 5");
  row("last two axes at an index", {2, 2, 3}, {{1}, {2}, {1, 0, 0}}, "6 7 8 / 9 10 11");
  row("first and last axis", {2, 2, 3}, {{0}, {2}, {0, 1, 0}}, "3 4 5 / 9 10 11");
  row("product of axes", {2, 2, 2}, {{0}, {1, 2}, {}}, "0 1 2 3 / 4 5 6 7");
  row("product in another order", {2, 1, 2}, {{1}, {2, 0}, {}}, "0 2 1 3");
  row("folded vector", {5}, {{}, {0}, {}, 3}, "0 1 2 / 3 4 -");
  row("vector", {3}, {{}, {0}, {}}, "0 1 2");
  row("scalar", {}, {{}, {}, {}}, "0");
  row("nothing", {0, 3}, {{0}, {1}, {}}, "");
}

void TestGrid::slicesNameElements() {
  QFETCH(QList<qulonglong>, shape);
  QFETCH(GridSlice, slice);
  QFETCH(std::string, wanted);
  const std::vector<uint64_t> extents(shape.begin(), shape.end());
  QVERIFY(GridMap::fits(extents, slice));
  const GridMap map(extents, slice);
  QCOMPARE(elements(map), wanted);
  // Every place leads back to its row and column.
  for (uint64_t row = 0; row < map.rows(); ++row)
    for (uint64_t column = 0; column < map.columns(); ++column) {
      const uint64_t index = map.index(row, column);
      if (index == GridMap::kNone) continue;
      QCOMPARE(elementOf(map.place(row, column), extents), std::optional(index));
      QVERIFY(map.find(map.place(row, column)) == std::optional(std::pair(row, column)));
    }
}

void TestGrid::slicesThatDoNotFit() {
  const std::vector<uint64_t> shape = {2, 3, 4};
  QVERIFY(GridMap::fits(shape, {{0}, {1}, {0, 0, 3}}));
  QVERIFY(!GridMap::fits(shape, {{0}, {1}, {0, 0, 4}}));
  QVERIFY(!GridMap::fits(shape, {{0}, {3}, {}}));
  QVERIFY(!GridMap::fits(shape, {{0}, {1, 0}, {}}));
  QVERIFY(!GridMap::fits(shape, {{0}, {1}, {0, 0, 0, 0}}));
  const GridMap map(shape, {{0}, {1}, {0, 0, 2}});
  QVERIFY(!map.find(std::vector<uint64_t>{0, 0, 1}));
  QVERIFY(!map.find(std::vector<uint64_t>{0, 3, 2}));
  QVERIFY(!elementOf(std::vector<uint64_t>{0, 0}, shape));
}

void TestGrid::usefulSlicesComeFirst_data() {
  QTest::addColumn<QList<qulonglong>>("shape");
  QTest::addColumn<qulonglong>("rows");
  QTest::addColumn<qulonglong>("columns");
  QTest::newRow("scalar") << QList<qulonglong>{} << 1ull << 1ull;
  QTest::newRow("short vector") << QList<qulonglong>{32} << 1ull << 32ull;
  QTest::newRow("long vector") << QList<qulonglong>{1000} << 32ull << 32ull;
  QTest::newRow("matrix") << QList<qulonglong>{7, 9} << 7ull << 9ull;
  QTest::newRow("matrix with ones") << QList<qulonglong>{1, 7, 1, 9} << 7ull << 9ull;
  QTest::newRow("convolution") << QList<qulonglong>{64, 3, 7, 7} << 64ull << 147ull;
  QTest::newRow("image") << QList<qulonglong>{1, 3, 224, 224} << 224ull << 224ull;
  QTest::newRow("blocked convolution") << QList<qulonglong>{16, 8, 3, 3, 4, 2} << 32ull << 32ull;
}

void TestGrid::usefulSlicesComeFirst() {
  QFETCH(QList<qulonglong>, shape);
  QFETCH(qulonglong, rows);
  QFETCH(qulonglong, columns);
  const std::vector<uint64_t> extents(shape.begin(), shape.end());
  for (const GridSlice& slice : slicesOf(extents)) QVERIFY(GridMap::fits(extents, slice));
  const GridMap map(extents, slicesOf(extents).front());
  QCOMPARE(map.rows(), uint64_t{rows});
  QCOMPARE(map.columns(), uint64_t{columns});
}

void TestGrid::slicesAreParsed_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("wanted"); ///< empty: refused
  QTest::newRow("row and column") << ":, 1, :" << "[:, 1, :]";
  QTest::newRow("brackets") << "[0,:,2]" << "[0, :, 2]";
  QTest::newRow("three") << ":,:,:" << "";
  QTest::newRow("none") << "0,0,0" << "";
  QTest::newRow("too few") << ":,:" << "";
  QTest::newRow("too many") << ":,:,0,0" << "";
  QTest::newRow("outside") << ":,:,4" << "";
  QTest::newRow("not a number") << ":,:,x" << "";
  QTest::newRow("empty") << "" << "";
}

void TestGrid::slicesAreParsed() {
  QFETCH(QString, text);
  QFETCH(QString, wanted);
  const auto slice = parseSlice(text.toStdString(), std::vector<uint64_t>{2, 3, 4});
  QCOMPARE(slice ? QString::fromStdString(sliceText(*slice)) : QString(), wanted);
}

void TestGrid::heatMapsAreMeans() {
  const CountingGrid source(24);
  const GridMap map({4, 6}, {{0}, {1}, {}});
  const HeatMap whole = heatOf(source, map, {0, 0, 4, 6}, 100, 100);
  QCOMPARE(whole.rows, 4u);
  QCOMPARE(whole.columns, 6u);
  QCOMPARE(whole.at(3, 5).mean, 23.0f);
  QVERIFY(!whole.isSampled());
  const HeatMap reduced = heatOf(source, map, {0, 0, 4, 6}, 2, 3);
  QCOMPARE(reduced.rows, 2u);
  QCOMPARE(reduced.columns, 3u);
  QCOMPARE(reduced.at(0, 0).mean, 3.5f); // 0, 1, 6, 7
  QCOMPARE(reduced.at(0, 0).least, 0.0f);
  QCOMPARE(reduced.at(1, 2).greatest, 23.0f);
  QCOMPARE(reduced.read, uint64_t{24});
  const HeatMap part = heatOf(source, map, {1, 2, 9, 9}, 8, 8);
  QVERIFY((part.region == GridRegion{1, 2, 3, 4}));
  QCOMPARE(part.at(0, 0).mean, 8.0f);
  QCOMPARE(heatOf(source, map, {4, 0, 4, 6}, 8, 8).rows, 0u);
}

void TestGrid::heatMapsMarkWhatIsNoNumber() {
  const CountingGrid source(5, {1});
  const HeatMap heat = heatOf(source, GridMap({2, 3}, {{0}, {1}, {}}), {0, 0, 2, 3}, 2, 3);
  QVERIFY(!heat.at(0, 0).odd && !heat.at(0, 0).empty);
  QVERIFY(heat.at(0, 1).odd && heat.at(0, 1).empty);
  QVERIFY(heat.at(1, 2).empty); // not stored
  const HeatMap one = heatOf(source, GridMap({2, 3}, {{0}, {1}, {}}), {0, 0, 1, 3}, 1, 1);
  QVERIFY(one.at(0, 0).odd && !one.at(0, 0).empty);
  QCOMPARE(one.at(0, 0).mean, 1.0f); // of 0 and 2
}

void TestGrid::largeRegionsAreSampled() {
  constexpr uint64_t kSide = 8192;
  const CountingGrid source(kSide * kSide);
  const GridMap map({kSide, kSide}, {{0}, {1}, {}});
  const GridRegion all{0, 0, kSide, kSide};
  const HeatMap sampled = heatOf(source, map, all, 600, 600);
  QVERIFY(sampled.isSampled());
  QCOMPARE(sampled.rows, 256u);
  QCOMPARE(sampled.read, uint64_t{256 * 256 * 16});
  // Each cell has values of its own rows.
  for (uint32_t row = 0; row < sampled.rows; ++row) {
    QVERIFY(sampled.at(row, 0).mean >= static_cast<float>(row * 32 * kSide));
    QVERIFY(sampled.at(row, 255).mean <= static_cast<float>((row + 1) * 32 * kSide));
  }
  QVERIFY(!heatOf(source, map, {0, 0, kSide, kSide / 8}, 64, 64).isSampled());
}

/// A cell for each value, and the colours of 48 steps below.
void TestGrid::picturesAreWellFormed() {
  NullMonitor monitor;
  const auto picture = gridSvg(std::get<GridPage>(gridPage().content), "a <b>", monitor);
  QVERIFY(picture && !picture->empty());
  QXmlStreamReader reader(QByteArray::fromStdString(svgDocument(*picture)));
  int cells = 0;
  QStringList texts;
  while (!reader.atEnd()) {
    if (reader.readNext() != QXmlStreamReader::StartElement) continue;
    cells += reader.name() == QLatin1String("rect") ? 1 : 0;
    if (reader.name() == QLatin1String("text")) texts << reader.readElementText();
  }
  QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
  QCOMPARE(cells, 6 + 48);
  QCOMPARE(texts.first(), QStringLiteral("a <b>"));
  QCOMPARE(texts.size(), 5); // title, slice, and three numbers of the scale
}

void TestGrid::heatMapsCanBeCancelled() {
  const CountingGrid source(1 << 20);
  const GridMap map({1024, 1024}, {{0}, {1}, {}});
  Stopped monitor;
  const auto heat = computeHeatMap(source, map, {0, 0, 1024, 1024}, 64, 64, false, monitor);
  QVERIFY(!heat);
  QVERIFY(heat.error().code() == ErrorCode::Cancelled);
  QVERIFY(!computeImage(source, {512, 512, 4}, {0, 1, 2}, {}, 64, monitor));
}

void TestGrid::imagesAreFound_data() {
  QTest::addColumn<QList<qulonglong>>("shape");
  QTest::addColumn<QString>("axes"); ///< rows, columns, channels
  QTest::newRow("height width colours") << QList<qulonglong>{20, 30, 3} << "0 1 2";
  QTest::newRow("colours height width") << QList<qulonglong>{4, 20, 30} << "1 2 0";
  QTest::newRow("batch") << QList<qulonglong>{8, 3, 20, 30} << "2 3 1";
  QTest::newRow("batch, colours last") << QList<qulonglong>{8, 20, 30, 3} << "1 2 3";
  QTest::newRow("one channel") << QList<qulonglong>{1, 20, 30} << "";
  QTest::newRow("matrix") << QList<qulonglong>{20, 3} << "";
  QTest::newRow("kernels of 3 by 3") << QList<qulonglong>{64, 3, 3, 3} << "";
}

void TestGrid::imagesAreFound() {
  QFETCH(QList<qulonglong>, shape);
  QFETCH(QString, axes);
  const auto found = imageAxesOf(std::vector<uint64_t>(shape.begin(), shape.end()));
  QCOMPARE(found ? QStringLiteral("%1 %2 %3").arg(found->rows).arg(found->columns).arg(found->channels) : QString(),
           axes);
}

void TestGrid::imagesAreMade() {
  NullMonitor monitor;
  const CountingGrid source(4 * 4 * 3 * 2, {1});
  // The second of two images with the colours last.
  const auto image = *computeImage(source, {2, 4, 4, 3}, {1, 2, 3}, {1, 0, 0, 0}, 100, monitor);
  QCOMPARE(image.width, 4u);
  QCOMPARE(image.height, 4u);
  QCOMPARE(image.high, 255.0);
  QCOMPARE(image.low, 0.0);
  QVERIFY(!image.reduced);
  QCOMPARE(std::vector<int>(image.pixels.begin(), image.pixels.begin() + 8),
           (std::vector<int>{48, 49, 50, 255, 51, 52, 53, 255}));
  // Colours first: channels are 16 elements apart.
  const auto planes = *computeImage(source, {2, 3, 4, 4}, {2, 3, 1}, {0, 0, 0, 0}, 2, monitor);
  QCOMPARE(planes.width, 2u);
  QVERIFY(planes.reduced);
  QCOMPARE(std::vector<int>(planes.pixels.begin(), planes.pixels.begin() + 8),
           (std::vector<int>{0, 16, 32, 255, 2, 18, 34, 255}));
}

void TestGrid::limitsOfColors() {
  GridSummary summary;
  summary.low = -1;
  summary.high = 3;
  QVERIFY(summary.isSigned());
  QVERIFY(summary.limits() == std::pair(-3.0, 3.0));
  summary.low = 1;
  QVERIFY(!summary.isSigned());
  QVERIFY(summary.limits() == std::pair(1.0, 3.0));
  summary.low = summary.high = 0;
  QVERIFY(summary.limits() == std::pair(-1.0, 1.0));
  summary.low = summary.high = 8;
  QVERIFY(summary.limits() == std::pair(4.0, 12.0));
}

void TestGrid::detailsOfAValue() {
  const Page made = gridPage();
  const auto& page = std::get<GridPage>(made.content);
  const Details plain = gridDetails(page, 4, std::nullopt);
  QCOMPARE(plain.front().rows[0].value, "[1, 1]"s);
  QCOMPARE(plain.front().rows[1].label, "Value"s);
  QCOMPARE(plain.front().rows[1].value, "4"s);
  const Details changed = gridDetails(page, 4, "9");
  QCOMPARE(changed.front().rows[1].label, "Now"s);
  QCOMPARE(changed.front().rows[2].value, "9"s);
  QCOMPARE(changed.front().rows.back().value, "changed, not saved"s);
  QCOMPARE(gridDetails(page, 7, std::nullopt).front().rows[1].value, "not stored"s);
}

BLOBSCOPE_TEST(TestGrid);

#include "test_grid.moc"
