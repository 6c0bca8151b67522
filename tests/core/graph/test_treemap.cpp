#include "core/graph/treemap.h"

#include "core/graph/squarify.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QXmlStreamReader>

#include <cmath>

using namespace blobscope;
using namespace blobscope::test;
using graph::Rect;
using graph::TreemapCell;

namespace {

using Map = view::TreemapPage;

/// root: a (a1 30, a2 10), b 40, and 20 small ones of 1.
Map example() {
  Map map;
  const auto add = [&](std::string name, uint64_t bytes, uint32_t parent, Map::Kind kind) {
    map.items.push_back({std::move(name), {}, kind, bytes, parent, 0, 0, 0, std::nullopt});
  };
  add("root", 100, 0, Map::Kind::Container);
  add("a", 40, 0, Map::Kind::Kernel);
  add("b", 40, 0, Map::Kind::Vm);
  for (int i = 0; i < 20; ++i) add("small " + std::to_string(i), 1, 0, Map::Kind::Unnamed);
  map.items[0].first = 1;
  map.items[0].count = 22;
  map.items[1].first = static_cast<uint32_t>(map.items.size());
  map.items[1].count = 2;
  add("a1", 30, 1, Map::Kind::Kernel);
  add("a2", 10, 1, Map::Kind::Kernel);
  map.sentence = "b takes most.";
  return map;
}

double areaOf(const Rect& rect) { return rect.width * rect.height; }
bool isInside(const Rect& outer, const Rect& inner) {
  return inner.x >= outer.x - 1e-6 && inner.y >= outer.y - 1e-6 &&
         inner.x + inner.width <= outer.x + outer.width + 1e-6 &&
         inner.y + inner.height <= outer.y + outer.height + 1e-6;
}
bool isApart(const Rect& a, const Rect& b) {
  return a.x + a.width <= b.x + 1e-6 || b.x + b.width <= a.x + 1e-6 || a.y + a.height <= b.y + 1e-6 ||
         b.y + b.height <= a.y + 1e-6;
}

const TreemapCell* cellOf(const std::vector<TreemapCell>& cells, uint32_t item) {
  for (const TreemapCell& cell : cells)
    if (cell.item == item && cell.merged == 0) return &cell;
  return nullptr;
}

} // namespace

class TestTreemap : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void areasAreSizes_data() {
    QTest::addColumn<std::vector<uint64_t>>("sizes");
    QTest::newRow("the example of the paper") << std::vector<uint64_t>{6, 6, 4, 3, 2, 2, 1};
    QTest::newRow("one") << std::vector<uint64_t>{7};
    QTest::newRow("equal") << std::vector<uint64_t>(50, 3);
    QTest::newRow("some empty") << std::vector<uint64_t>{9, 1, 0, 0};
    QTest::newRow("very different") << std::vector<uint64_t>{1'000'000'000, 1, 1};
  }
  void areasAreSizes() {
    QFETCH(std::vector<uint64_t>, sizes);
    const Rect whole{10, 20, 600, 400};
    const std::vector<Rect> places = graph::squarify(sizes, whole);
    QCOMPARE(places.size(), sizes.size());
    double total = 0;
    for (const uint64_t size : sizes) total += static_cast<double>(size);
    for (std::size_t i = 0; i < places.size(); ++i) {
      QVERIFY(isInside(whole, places[i]));
      QVERIFY(std::abs(areaOf(places[i]) - static_cast<double>(sizes[i]) / total * areaOf(whole)) < 0.01);
      for (std::size_t k = 0; k < i; ++k) QVERIFY(isApart(places[i], places[k]));
    }
  }
  void rectanglesAreNearlySquare() {
    for (const Rect& place : graph::squarify(std::vector<uint64_t>{6, 6, 4, 3, 2, 2, 1}, {0, 0, 600, 400}))
      QVERIFY(std::max(place.width / place.height, place.height / place.width) < 3);
  }
  void nothingToDivide() {
    QVERIFY(graph::squarify({}, {0, 0, 10, 10}).empty());
    QCOMPARE(areaOf(graph::squarify(std::vector<uint64_t>{0, 0}, {0, 0, 10, 10})[0]), 0.0);
    QCOMPARE(areaOf(graph::squarify(std::vector<uint64_t>{1}, {0, 0, 0, 10})[0]), 0.0);
  }

  void framesContainTheirParts() {
    const std::vector<TreemapCell> cells = graph::layoutTreemap(example(), {0, 0, 600, 400}, {});
    QCOMPARE(cells.size(), std::size_t{24});
    const TreemapCell* const a = cellOf(cells, 1);
    QVERIFY(a && a->isFrame && a->header == 20);
    for (const uint32_t part : {23U, 24U}) {
      const TreemapCell* const cell = cellOf(cells, part);
      QVERIFY(cell && cell->depth == 1 && isInside(a->place, cell->place));
      QVERIFY(cell->place.y >= a->place.y + a->header);
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        QVERIFY(cells[i].isFrame || cells[k].isFrame || isApart(cells[i].place, cells[k].place));
  }
  void smallOnesBecomeOne() {
    const std::vector<TreemapCell> cells = graph::layoutTreemap(example(), {0, 0, 25, 25}, {});
    const auto merged = std::ranges::find_if(cells, [](const TreemapCell& cell) { return cell.merged > 0; });
    QVERIFY(merged != cells.end());
    QCOMPARE(merged->merged, 20U);
    QCOMPARE(merged->item, 3U);
    QVERIFY(std::abs(areaOf(merged->place) - 125) < 0.01);
    QVERIFY(!cellOf(cells, 3));
  }
  void levelFillsThePicture() {
    graph::TreemapOptions options;
    options.level = 1;
    const std::vector<TreemapCell> cells = graph::layoutTreemap(example(), {0, 0, 600, 400}, options);
    QCOMPARE(cells.size(), std::size_t{2});
    QVERIFY(std::abs(areaOf(cells[0].place) + areaOf(cells[1].place) - 240'000) < 0.01);
    options.level = 2; // has no parts
    QCOMPARE(graph::layoutTreemap(example(), {0, 0, 600, 400}, options).size(), std::size_t{1});
    options = {};
    options.levels = 1;
    QCOMPARE(graph::layoutTreemap(example(), {0, 0, 600, 400}, options).size(), std::size_t{22});
    QVERIFY(graph::layoutTreemap({}, {0, 0, 600, 400}, {}).empty());
  }
  void arrowsLeadToNeighbours() {
    // Left a column of two, right one cell; then a frame.
    const std::vector<TreemapCell> cells = {{1, 0, {0, 0, 50, 50}, 0, false, 0},
                                            {2, 0, {0, 50, 50, 50}, 0, false, 0},
                                            {3, 0, {50, 0, 50, 100}, 0, false, 0},
                                            {4, 0, {0, 0, 100, 100}, 0, true, 0}};
    QCOMPARE(graph::neighbourOf(cells, 0, 0, 1), std::size_t{1});
    QCOMPARE(graph::neighbourOf(cells, 1, 1, 0), std::size_t{2});
    QCOMPARE(graph::neighbourOf(cells, 1, 0, -1), std::size_t{0});
    QCOMPARE(graph::neighbourOf(cells, 2, 1, 0), std::size_t{2}); // none
    const std::size_t left = graph::neighbourOf(cells, 2, -1, 0);
    QVERIFY(left == 0 || left == 1);
  }

  void svgHasEachCell() {
    NullMonitor monitor;
    const auto svg = graph::treemapSvg(example(), "lib <1>.so", monitor);
    QVERIFY(svg);
    QXmlStreamReader reader(QString::fromStdString(*svg));
    int cells = 0, hatched = 0;
    QString title;
    while (!reader.atEnd()) {
      if (reader.readNext() != QXmlStreamReader::StartElement) continue;
      const QString style = reader.attributes().value(QLatin1String("class")).toString();
      if (reader.name() == QLatin1String("rect")) cells += style.startsWith(QLatin1Char('k'));
      hatched += style == QLatin1String("k6");
      if (reader.name() == QLatin1String("title") && title.isEmpty()) title = reader.readElementText();
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QCOMPARE(cells, 24 + 3); // and the legend
    QCOMPARE(hatched, 20 + 1);
    QCOMPARE(title, QStringLiteral("lib <1>.so"));
    StopAfter stopped(0);
    QVERIFY(!graph::treemapSvg(example(), "x", stopped));
  }
};

BLOBSCOPE_TEST(TestTreemap);
#include "test_treemap.moc"
