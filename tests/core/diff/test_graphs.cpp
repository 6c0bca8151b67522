#include "core/diff/graphs.h"

#include "tests/core/graph/example_graphs.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;
using Mark = view::GraphPage::Mark;

namespace {

GraphDiff merged(const view::GraphPage& a, const view::GraphPage& b) {
  NullMonitor monitor;
  auto out = compareGraphs(a, b, monitor);
  if (!out) qFatal("not compared");
  return std::move(*out);
}

/// "conv +add -relu ~dense; 0-1 +1-2": nodes and edges with their marks.
QString textOf(const GraphDiff& graphs) {
  const auto sign = [](Mark mark) { return QString(QStringLiteral(" +-~")[static_cast<int>(mark)]).trimmed(); };
  QStringList nodes, edges;
  for (const auto& node : graphs.merged->nodes) nodes << sign(node.mark) + QString::fromStdString(node.title);
  for (const auto& edge : graphs.merged->edges)
    edges << sign(edge.mark) + QStringLiteral("%1-%2").arg(edge.from).arg(edge.to);
  return nodes.join(QLatin1Char(' ')) + QStringLiteral("; ") + edges.join(QLatin1Char(' '));
}

} // namespace

/// Two graphs as one.
class TestGraphs : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void equalGraphs() {
    const view::GraphPage page = chainOf({"conv", "relu", "dense"});
    const GraphDiff graphs = merged(page, page);
    QVERIFY(graphs.same());
    QCOMPARE(graphs.equal, uint64_t{3});
    QCOMPARE(textOf(graphs), QStringLiteral("conv relu dense; 0-1 1-2"));
  }

  void addedAndRemoved() {
    const GraphDiff graphs = merged(chainOf({"conv", "relu", "dense"}), chainOf({"conv", "dense", "softmax"}));
    QCOMPARE(textOf(graphs), QStringLiteral("conv -relu dense +softmax; +0-2 +2-3 -0-1 -1-2"));
    QCOMPARE(graphs.equal, uint64_t{2});
    QCOMPARE(graphs.removed, uint64_t{1});
    QCOMPARE(graphs.added, uint64_t{1});
    QCOMPARE(graphs.addedEdges, uint64_t{2});
    QCOMPARE(graphs.removedEdges, uint64_t{2});
    QVERIFY(!graphs.same());
  }

  /// Names that the compiler numbers do not count; shapes and sizes do.
  void changed() {
    view::GraphPage a = chainOf({"conv", "relu"}), b = a;
    a.nodes[0].name = "fused_conv_1";
    b.nodes[0].name = "fused_conv_7";
    QVERIFY(merged(a, b).same());
    a.nodes[1].note = "1×4";
    b.nodes[1].note = "1×8";
    b.edges[0].label = "2 ×";
    const GraphDiff graphs = merged(a, b);
    QCOMPARE(textOf(graphs), QStringLiteral("conv ~relu; ~0-1"));
    QCOMPARE(graphs.merged->nodes[1].note, std::string("1×4 → 1×8"));
    QCOMPARE(graphs.merged->edges[0].label, std::string("– → 2 ×"));
  }

  /// Functions and modules are matched by name in any order; a name that occurs twice as often as on the other side.
  void byName() {
    view::GraphPage a = pageOf({"main", "add", "mul", "add"}, "0-1 0-2"), b = pageOf({"mul", "main", "add"}, "1-0 1-2");
    a.named = b.named = true;
    const GraphDiff graphs = merged(a, b);
    QCOMPARE(textOf(graphs), QStringLiteral("mul main add -add; 1-0 1-2"));
    QCOMPARE(graphs.removed, uint64_t{1});
  }

  void removedNodesOpenNothing() {
    view::GraphPage a = chainOf({"conv"}), b = chainOf({"relu"});
    a.nodes[0].ref = b.nodes[0].ref = Ref::named(Ref::Kind::Host, "f");
    const GraphDiff graphs = merged(a, b);
    QVERIFY(!graphs.merged->nodes[0].ref);
    QVERIFY(graphs.merged->nodes[1].ref == b.nodes[0].ref);
  }

  void emptyGraphs() {
    QVERIFY(merged({}, {}).same());
    QCOMPARE(merged({}, chainOf({"a", "b"})).added, uint64_t{2});
  }

  void cancelled() {
    StopAfter monitor(0);
    const auto out = compareGraphs(chainOf({"a"}), chainOf({"b"}), monitor);
    QVERIFY(!out);
    QCOMPARE(out.error().id(), DiagnosticId::Cancelled);
  }
};

BLOBSCOPE_TEST(TestGraphs);
#include "test_graphs.moc"
