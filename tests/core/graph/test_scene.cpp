#include "core/graph/node_text.h"
#include "core/graph/scene.h"
#include "core/graph/svg.h"

#include "tests/core/graph/example_graphs.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QXmlStreamReader>

using namespace blobscope;
using namespace blobscope::graph;
using namespace blobscope::test;

namespace {

std::shared_ptr<const Scene> sceneOf(const view::GraphPage& page, const PictureOptions& options = {}) {
  NullMonitor monitor;
  const auto stacks = findStacks(page, monitor);
  if (!stacks) qFatal("no stacks");
  const auto scene = makeScene(page, *stacks, options, estimatedWidths(), monitor);
  if (!scene) qFatal("no scene");
  return *scene;
}

std::string svgOf(const view::GraphPage& page) {
  NullMonitor monitor;
  std::string out;
  const auto done =
      writeSvg(page, {}, Colouring::Operator, "a <b>", [&](std::string_view text) { out += text; }, monitor);
  if (!done) qFatal("no picture");
  return out;
}

} // namespace

/// Scenes, colours, texts about nodes, and pictures in files.
class TestScene : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// A box has room for its title, and no other box lies on its note.
  void textsHaveRoom() {
    view::GraphPage page = pageOf({"a", "a long title of an operator", "b", "c"}, "0-1 0-2 0-3");
    for (auto& node : page.nodes) node.note = "1×1024×1024";
    const auto scene = sceneOf(page);
    const TextWidths widths = estimatedWidths();
    for (std::size_t i = 0; i < 4; ++i) {
      const Rect& box = scene->layout.boxes[i];
      QVERIFY(box.width > widths.title(page.nodes[i].title));
      const double end = box.x + box.width + kNoteGap + widths.note(page.nodes[i].note);
      for (std::size_t k = 0; k < 4; ++k) {
        const Rect& other = scene->layout.boxes[k];
        QVERIFY(other.y != box.y || other.x <= box.x || other.x >= end);
      }
    }
  }

  /// The most frequent group has the first hue, values are grey; a stack counts as its nodes.
  void coloursByOperator() {
    view::GraphPage page = chainOf({"x", "conv", "relu", "conv", "relu", "add"});
    page.nodes[0].kind = view::GraphPage::Kind::Input;
    page.nodes[0].group = "Input, output";
    for (const std::size_t i : {1U, 2U, 3U, 4U}) page.nodes[i].group = "Convolution";
    page.nodes[5].group = "Elementwise";
    const auto scene = sceneOf(page);
    QCOMPARE(scene->picture.boxes.size(), std::size_t{3});
    const Colours colours = coloursOf(page, scene->picture, Colouring::Operator);
    QCOMPARE(colours.rows.size(), std::size_t{3});
    QCOMPARE(colours.rows[0].name, std::string("Convolution"));
    QCOMPARE(colours.rows[0].nodes, uint64_t{4});
    QCOMPARE(int{colours.rows[0].hue}, 0);
    QCOMPARE(int{colours.rows[1].hue}, 1);
    QCOMPARE(int{colours.rows[2].hue}, int{LegendRow::kGrey});
    QCOMPARE(colours.rowOf, (std::vector<uint32_t>{2, 0, 1}));
  }

  void coloursByBytes() {
    view::GraphPage page = chainOf({"a", "b", "c", "d"});
    page.nodes[0].bytes = 4096;
    page.nodes[1].bytes = 1024;
    page.nodes[2].bytes = 1;
    const auto scene = sceneOf(page);
    const Colours colours = coloursOf(page, scene->picture, Colouring::Bytes);
    QCOMPARE(colours.rowOf, (std::vector<uint32_t>{4, 3, 0, 5}));
    for (std::size_t i = 1; i < 5; ++i) QVERIFY(colours.rows[i - 1].strength < colours.rows[i].strength);
  }

  void coloursByDevice() {
    view::GraphPage page = chainOf({"a", "b", "c"});
    page.nodes[0].device = "cuda";
    page.nodes[2].device = "cuda";
    const auto scene = sceneOf(page);
    const Colours colours = coloursOf(page, scene->picture, Colouring::Device);
    QCOMPARE(colours.rows[0].name, std::string("cuda"));
    QCOMPARE(colours.rowOf, (std::vector<uint32_t>{0, 1, 0}));
  }

  /// Marks keep blocks apart, and colours show them.
  void coloursByMark() {
    view::GraphPage page = chainOf({"conv", "conv", "conv"});
    QCOMPARE(sceneOf(page)->picture.boxes.size(), std::size_t{1});
    page.nodes[2].mark = view::GraphPage::Mark::Added;
    const auto scene = sceneOf(page);
    QCOMPARE(scene->picture.boxes.size(), std::size_t{2});
    const Colours colours = coloursOf(page, scene->picture, Colouring::Mark);
    QCOMPARE(int{colours.rows[colours.rowOf[1]].hue}, int{LegendRow::kAdded});
    QCOMPARE(colours.rows[colours.rowOf[0]].nodes, uint64_t{2});
  }

  void curvesEndAtTheirPoints() {
    const std::vector<Point> route = {{0, 0}, {10, 20}, {30, 40}};
    const std::vector<Point> curve = curveOf(route, false);
    QCOMPARE(curve.size(), std::size_t{7});
    QCOMPARE(curve[3].x, 10.0);
    QCOMPARE(curve[6].y, 40.0);
    QCOMPARE(curve[1].x, 0.0); // it leaves the box downwards
    QCOMPARE(curveOf(route, true)[1].y, 0.0);
    QVERIFY(curveOf({}, false).empty());
  }

  void detailsNameTheNeighbours() {
    view::GraphPage page = pageOf({"a", "b", "c"}, "0-1 1-2");
    page.nodes[2].note = "1×4";
    page.nodes[0].ref = Ref::named(Ref::Kind::Host, "a");
    const view::Details details = nodeDetails(page, 1);
    QCOMPARE(details.size(), std::size_t{3});
    QCOMPARE(details[0].title, std::string("Node 1"));
    QCOMPARE(details[1].rows[0].label, std::string("0"));
    QCOMPARE(details[1].rows[0].link, page.nodes[0].ref);
    QCOMPARE(details[2].rows[0].value, std::string("c, 1×4"));
    // Many neighbours are counted.
    for (uint32_t i = 0; i < 40; ++i) page.edges.push_back({0, 1, {}});
    QCOMPARE(nodeDetails(page, 1)[1].rows.size(), std::size_t{16});
    QCOMPARE(nodeDetails(page, 1)[1].note, std::string("25 more"));
  }

  void sentences() {
    view::GraphPage page = chainOf({"conv", "conv", "add"});
    page.nodes[1].bytes = 1234;
    const auto scene = sceneOf(page);
    QCOMPARE(boxText(page, scene->picture, 0), std::string("conv × 2, 1,234 bytes, 0 in, 1 out"));
    QCOMPARE(summaryText(page, scene->picture, scene->layout.layerCount()),
             std::string("3 operators drawn as 2 boxes, 2 of them folded into 1 stack · 2 layers"));
  }

  /// Names cannot become elements, and everything is drawn.
  void svgIsWellFormed() {
    view::GraphPage page = pageOf({"<script>", "b & \"c\"", std::string("\x01\xff", 2)}, "0-1 1-2");
    page.edges[0].label = "2 ×";
    page.edges[1].mark = view::GraphPage::Mark::Removed;
    const std::string svg = svgOf(page);
    QXmlStreamReader xml{QByteArray::fromStdString(svg)};
    int paths = 0, titles = 0;
    while (!xml.atEnd()) {
      xml.readNext();
      if (!xml.isStartElement()) continue;
      QVERIFY(xml.name() != QStringLiteral("script"));
      paths += xml.name() == QStringLiteral("path") &&
               xml.attributes().value(QStringLiteral("class")).startsWith(QStringLiteral("edge"));
      titles += xml.name() == QStringLiteral("title");
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QCOMPARE(paths, 2);
    QCOMPARE(titles, 4);
  }

  void canBeCancelled() {
    const view::GraphPage page = chainOf({"a", "b", "c"});
    StopAfter monitor(0);
    const auto scene = makeScene(page, {}, {}, estimatedWidths(), monitor);
    QVERIFY(!scene);
    QVERIFY(scene.error().id() == DiagnosticId::Cancelled);
  }
};

BLOBSCOPE_TEST(TestScene);
#include "test_scene.moc"
