#include "core/graph/picture.h"

#include "tests/core/graph/example_graphs.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace graph;

namespace {

/// "2×(1,2) 3×(5)": blocks and the nodes of the first block.
QString stacksOf(const view::GraphPage& page) {
  NullMonitor monitor;
  const auto stacks = findStacks(page, monitor);
  if (!stacks) return QStringLiteral("error");
  QStringList out;
  for (const Stack& stack : *stacks) {
    QStringList nodes;
    for (uint32_t i = 0; i < stack.period(); ++i) nodes << QString::number(stack.nodes[i]);
    out << QStringLiteral("%1×(%2)").arg(stack.blocks).arg(nodes.join(QLatin1Char(',')));
  }
  return out.join(QLatin1Char(' '));
}

Picture drawn(const view::GraphPage& page, const PictureOptions& options = {}) {
  NullMonitor monitor;
  const auto stacks = findStacks(page, monitor);
  return stacks ? pictureOf(page, *stacks, options) : Picture{};
}

} // namespace

class TestPicture : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void chains() {
    QCOMPARE(stacksOf(chainOf({"in", "a", "b", "a", "b", "a", "b", "out"})), QStringLiteral("3×(1,2)"));
    QCOMPARE(stacksOf(chainOf({"a", "a", "a", "b"})), QStringLiteral("3×(0)"));
    QCOMPARE(stacksOf(chainOf({"a", "b", "c"})), QString());
  }

  /// Branches side by side are equal, but none continues another.
  void branchesAreNoStack() {
    QCOMPARE(stacksOf(pageOf({"in", "a", "a", "a", "join"}, "0-1 0-2 0-3 1-4 2-4 3-4")), QString());
  }

  /// Layers with a residual edge inside each block.
  void residualBlocks() {
    const view::GraphPage page = pageOf({"in", "norm", "mm", "add", "norm", "mm", "add", "norm", "mm", "add", "out"},
                                        "0-1 1-2 0-3 2-3 3-4 4-5 3-6 5-6 6-7 7-8 6-9 8-9 9-10");
    QCOMPARE(stacksOf(page), QStringLiteral("3×(1,2,3)"));
  }

  /// A block whose result is also used further away ends the stack.
  void exitsEndStacks() {
    QCOMPARE(stacksOf(pageOf({"a", "a", "a", "a", "a", "out", "out2"}, "0-1 1-2 2-3 3-4 2-6 4-5 5-6")),
             QStringLiteral("3×(0) 2×(3)"));
    // One that every block has does not.
    QCOMPARE(stacksOf(pageOf({"a", "b", "a", "b", "a", "b", "out"}, "0-1 1-2 2-3 3-4 4-5 5-6 0-6 2-6 4-6")),
             QStringLiteral("3×(0,1)"));
  }

  void otherEdgesAreNoStack() {
    // The edge inside the second block is another.
    QCOMPARE(stacksOf(pageOf({"x", "a", "b", "a", "b"}, "0-1 1-2 2-3 1-4")), QString());
    // The third block reads only one value of the block before it.
    QCOMPARE(stacksOf(pageOf({"x", "a", "b", "a", "b", "a", "b"}, "0-1 1-2 1-3 2-3 3-4 4-5 5-6")),
             QStringLiteral("2×(1,2)"));
  }

  void folds() {
    view::GraphPage page = chainOf({"in", "a", "b", "a", "b", "out"});
    page.nodes[0].kind = view::GraphPage::Kind::Input;
    for (std::size_t i = 1; i < 5; ++i) page.nodes[i].bytes = 10 * i;
    page.nodes[4].note = "8×8";
    const Picture picture = drawn(page);
    QCOMPARE(picture.boxes.size(), std::size_t{3});
    QCOMPARE(picture.boxes[1].title, std::string("a, b"));
    QCOMPARE(picture.boxes[1].blocks, 2u);
    QCOMPARE(picture.boxes[1].bytes, std::optional<uint64_t>(100));
    QCOMPARE(picture.boxes[1].note, std::string("8×8"));
    QCOMPARE(picture.edges.size(), std::size_t{2});
    QCOMPARE(picture.foldedNodes, uint64_t{4});
    QCOMPARE(picture.boxOf[3], 1u);

    PictureOptions options;
    options.unfolded = {0};
    QCOMPARE(drawn(page, options).boxes.size(), std::size_t{6});
    options = {};
    options.foldRepeats = false;
    QCOMPARE(drawn(page, options).edges.size(), std::size_t{5});
  }

  void hidesConstants() {
    view::GraphPage page = pageOf({"in", "weight", "mm"}, "0-2 1-2 1-2");
    page.nodes[0].kind = view::GraphPage::Kind::Input;
    page.nodes[1].kind = view::GraphPage::Kind::Constant;
    const Picture picture = drawn(page);
    QCOMPARE(picture.boxes.size(), std::size_t{2});
    QCOMPARE(picture.hiddenValues, uint64_t{1});
    QCOMPARE(picture.boxOf[1], Picture::kNone);
    PictureOptions options;
    options.showValues = true;
    const Picture all = drawn(page, options);
    QCOMPARE(all.boxes.size(), std::size_t{3});
    QCOMPARE(all.edges.size(), std::size_t{2});
    QCOMPARE(all.edges[1].count, 2u);
  }

  /// Whatever is folded, the boxes have no cycle when the nodes have none.
  void foldingMakesNoCycles() {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
      const PlainGraph plain = networkGraph(400, seed);
      view::GraphPage page;
      for (uint32_t i = 0; i < 400; ++i) page.nodes.push_back({i % 2 ? "a" : "b", "", "", ""});
      for (const Edge& edge : plain.edges) page.edges.push_back({edge.from, edge.to, {}});
      for (uint32_t i = 1; i < 400; ++i) page.edges.push_back({i - 1, i, {}});
      const Picture picture = drawn(page);
      for (const Picture::Edge& edge : picture.edges) QVERIFY(edge.from < edge.to);
    }
  }

  /// Pages whose titles are all equal are the worst case of the search.
  void equalTitles() {
    std::vector<std::string> titles(20'000, "a");
    const view::GraphPage page = chainOf(titles);
    QCOMPARE(drawn(page).boxes.size(), std::size_t{1});
    view::GraphPage alone = page;
    alone.edges.clear();
    QCOMPARE(drawn(alone).boxes.size(), titles.size());
  }

  void cancelled() {
    StopAfter monitor(0);
    QVERIFY(!findStacks(chainOf({"a", "a"}), monitor));
  }
};

BLOBSCOPE_TEST(TestPicture);
#include "test_picture.moc"
