#include "core/graph/layout.h"

#include "tests/core/graph/example_graphs.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QElapsedTimer>

using namespace blobscope;
using namespace blobscope::test;
using namespace graph;

namespace {

Layout laidOut(const PlainGraph& graph, const LayoutOptions& options = {}) {
  NullMonitor monitor;
  auto layout = computeLayout(graph.boxes, graph.edges, options, monitor);
  return layout ? std::move(*layout) : Layout{};
}

PlainGraph graphOf(uint32_t boxes, std::vector<Edge> edges) { return {std::vector<Box>(boxes), std::move(edges)}; }

/// Why a layout breaks a promise; empty when it keeps all of them.
QString whyBroken(const PlainGraph& graph, const Layout& layout, bool acyclic) {
  if (layout.boxes.size() != graph.boxes.size()) return QStringLiteral("not one place per box");
  if (layout.order.size() != graph.boxes.size()) return QStringLiteral("not every box has a place in the order");
  for (uint32_t layer = 0; layer < layout.layerCount(); ++layer)
    for (uint32_t i = layout.layerStarts[layer]; i < layout.layerStarts[layer + 1]; ++i) {
      const uint32_t box = layout.order[i];
      if (layout.layers[box] != layer) return QStringLiteral("box %1 is in another layer").arg(box);
      const Rect& place = layout.boxes[box];
      if (place.x < -1e-6 || place.x + place.width > layout.width + 1e-6) return QStringLiteral("box outside");
      if (place.y < -1e-6 || place.y + place.height > layout.height + 1e-6) return QStringLiteral("box below");
      if (i == layout.layerStarts[layer]) continue;
      const Rect& before = layout.boxes[layout.order[i - 1]];
      if (before.x + before.width > place.x + 1e-6) return QStringLiteral("box %1 overlaps").arg(box);
    }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const auto [from, to] = graph.edges[i];
    if (acyclic && from != to && layout.layers[from] >= layout.layers[to])
      return QStringLiteral("edge %1 does not lead to a later layer").arg(i);
    const auto route = layout.route(i);
    if (from == to ? !route.empty() : route.size() < 2) return QStringLiteral("edge %1 has no route").arg(i);
  }
  return {};
}

} // namespace

class TestLayout : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void layers() {
    // 0 → 1 → 2 → 3 and 0 → 3; 4 → 3 lies just before 3.
    const PlainGraph graph = graphOf(5, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {4, 3}});
    const Layout layout = laidOut(graph);
    QCOMPARE(layout.layers, (std::vector<uint32_t>{0, 1, 2, 3, 2}));
    QCOMPARE(whyBroken(graph, layout, true), QString());
    // The long edge keeps room in both layers that it passes.
    QCOMPARE(layout.route(3).size(), std::size_t{6});
    const auto route = layout.route(0);
    QCOMPARE(route.front().y, layout.boxes[0].y + layout.boxes[0].height);
    QCOMPARE(route.back().y, layout.boxes[1].y);
  }

  void straightChain() {
    const PlainGraph graph = graphOf(4, {{0, 1}, {1, 2}, {2, 3}});
    const Layout layout = laidOut(graph);
    for (std::size_t i = 1; i < 4; ++i) QVERIFY(std::abs(layout.boxes[i].x - layout.boxes[0].x) < 1e-6);
  }

  void fewCrossings() {
    // Two chains whose second boxes are stored in the opposite order.
    const PlainGraph graph = graphOf(4, {{0, 3}, {1, 2}});
    const Layout layout = laidOut(graph);
    QCOMPARE(layout.boxes[0].x < layout.boxes[1].x, layout.boxes[3].x < layout.boxes[2].x);
  }

  void cycles() {
    const PlainGraph graph = graphOf(3, {{0, 1}, {1, 2}, {2, 0}, {1, 1}});
    const Layout layout = laidOut(graph);
    QCOMPARE(whyBroken(graph, layout, false), QString());
    QCOMPARE(layout.layers, (std::vector<uint32_t>{0, 1, 2}));
    // The edge back leads upwards.
    QVERIFY(layout.route(2).front().y > layout.route(2).back().y);
  }

  void sideways() {
    const PlainGraph graph = graphOf(3, {{0, 1}, {0, 2}});
    LayoutOptions options;
    options.sideways = true;
    const Layout layout = laidOut(graph, options);
    QCOMPARE(layout.boxes[1].x, layout.boxes[2].x);
    QVERIFY(layout.boxes[1].x >= layout.boxes[0].x + layout.boxes[0].width);
    QVERIFY(layout.boxes[1].y != layout.boxes[2].y);
  }

  void empty() {
    const Layout none = laidOut({});
    QCOMPARE(none.layerCount(), 0u);
    QCOMPARE(none.width, 0.0);
    const PlainGraph single = graphOf(1, {});
    QCOMPARE(whyBroken(single, laidOut(single), true), QString());
  }

  /// A layer of thousands of leaves, as in a call graph, is spread over several.
  void manyLeaves() {
    PlainGraph graph = graphOf(2001, {});
    for (uint32_t i = 1; i <= 1000; ++i) graph.edges.push_back({0, i});
    const Layout layout = laidOut(graph);
    QCOMPARE(whyBroken(graph, layout, true), QString());
    for (uint32_t layer = 0; layer < layout.layerCount(); ++layer)
      QVERIFY(layout.layerStarts[layer + 1] - layout.layerStarts[layer] <= 12 + 2 * 45);
  }

  void largeIsSoundAndDeterministic() {
    for (const uint32_t seed : {1u, 2u, 3u}) {
      const PlainGraph graph = networkGraph(3000, seed);
      const Layout layout = laidOut(graph), again = laidOut(graph);
      QCOMPARE(whyBroken(graph, layout, true), QString());
      QVERIFY(layout.order == again.order);
      for (std::size_t i = 0; i < layout.boxes.size(); ++i) QCOMPARE(layout.boxes[i].x, again.boxes[i].x);
    }
  }

  /// Edges across thousands of layers must not take room in each of them.
  void longEdgesAreBounded() {
    constexpr uint32_t kCount = 4000;
    PlainGraph graph = graphOf(kCount, {});
    for (uint32_t i = 1; i < kCount; ++i) graph.edges.push_back({i - 1, i});
    for (uint32_t i = 0; i + 1 < kCount; ++i) graph.edges.push_back({i, kCount - 1});
    const Layout layout = laidOut(graph);
    QCOMPARE(whyBroken(graph, layout, true), QString());
    QVERIFY(layout.points.size() < 16 * graph.edges.size());
  }

  /// Twice the graph takes about twice the time, not four times. A ratio of the same run.
  void isLinear() {
    const auto timeOf = [](uint32_t count) {
      const PlainGraph graph = networkGraph(count);
      qint64 best = INT64_MAX;
      for (int i = 0; i < 3; ++i) {
        QElapsedTimer clock;
        clock.start();
        const Layout layout = laidOut(graph);
        best = std::min(best, clock.nsecsElapsed());
      }
      return best;
    };
    const qint64 small = timeOf(4000), large = timeOf(16000);
    qInfo("4,000 boxes: %.1f ms, 16,000: %.1f ms", small / 1e6, large / 1e6);
    QVERIFY2(large < 10 * small, qPrintable(QStringLiteral("%1 and %2").arg(small).arg(large)));
  }

  void cancelled() {
    const PlainGraph graph = networkGraph(1000);
    StopAfter monitor(0);
    const auto layout = computeLayout(graph.boxes, graph.edges, {}, monitor);
    QVERIFY(!layout);
    QCOMPARE(layout.error().id(), DiagnosticId::Cancelled);
  }
};

BLOBSCOPE_TEST(TestLayout);
#include "test_layout.moc"
