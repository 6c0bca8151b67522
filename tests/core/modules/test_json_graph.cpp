#include "core/modules/common/json_graph.h"

#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using modules::GraphForm;
using modules::GraphNode;
using modules::LazyGraph;

/// Graphs in JSON: the nodes that are shown, and texts that are not graphs.
class TestJsonGraph : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void executorGraphIsRead();
  void runtimeGraphIsRead_data();
  void runtimeGraphIsRead();
  void unreadableGraphsAreExplained_data();
  void unreadableGraphsAreExplained();
  void unusualNodesAreShown_data();
  void unusualNodesAreShown();
};

namespace {

QString line(const GraphNode& node) {
  QStringList words;
  for (const std::string* const word :
       {&node.name, &node.op, &node.function, &node.inputs, &node.shape, &node.dtype, &node.storage, &node.attributes})
    words << QString::fromStdString(*word);
  return words.join(QLatin1String(" | "));
}

} // namespace

void TestJsonGraph::executorGraphIsRead() {
  const LazyGraph graph(bytes(executorGraph()), GraphForm::Executor);
  QCOMPARE(QString::fromStdString(graph.problem()), QString());
  QCOMPARE(graph.size(), uint64_t{3});
  QCOMPARE(line(graph.node(0)), QStringLiteral("x | null |  |  | [1, 4] | float32 | 0 | "));
  QCOMPARE(line(graph.node(2)), QStringLiteral("dense | tvm_op | fused_dense | x, p0 | [1, 2] | float16 | 2 | "));
}

void TestJsonGraph::runtimeGraphIsRead_data() {
  QTest::addColumn<bool>("plain");
  QTest::newRow("until v0.23") << false;
  QTest::newRow("from v0.24") << true;
}

void TestJsonGraph::runtimeGraphIsRead() {
  QFETCH(bool, plain);
  const LazyGraph graph(bytes(runtimeGraph(plain)), GraphForm::Runtime);
  QCOMPARE(graph.countConstants(), uint64_t{1});
  QCOMPARE(graph.size(), uint64_t{3});
  QCOMPARE(line(graph.node(1)), QStringLiteral("w | const |  |  | [4, 5] | float32 |  | "));
  QCOMPARE(line(graph.node(2)),
           plain ? QStringLiteral("nn.dense | kernel |  | x, w | [1, 5] | float16 |  | strides=[1, 2], bias=true")
                 : QStringLiteral("nn.dense | kernel |  | x, w | [1, 5] | float16 |  | strides=[1, 2], bias=1"));
}

void TestJsonGraph::unreadableGraphsAreExplained_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("problem");
  const auto row = [](const char* name, const QByteArray& text, const QString& problem) {
    QTest::newRow(name) << text << problem;
  };
  row("empty", "", "invalid JSON: unexpected content at 0x0");
  row("cut", R"({"nodes": [)", "invalid JSON: unexpected content at 0xb");
  row("no nodes", "{}", "the JSON text has no list 'nodes'");
  row("nodes are not a list", R"({"nodes": 3})", "the JSON text has no list 'nodes'");
  row("a list", "[]", "the JSON text has no list 'nodes'");
  row("too deep", QByteArray(300, '['), "JSON is nested deeper than 256 levels");
}

void TestJsonGraph::unreadableGraphsAreExplained() {
  QFETCH(QByteArray, text);
  QFETCH(QString, problem);
  for (const GraphForm form : {GraphForm::Executor, GraphForm::Runtime}) {
    const Bytes stored = bytes(text.toStdString());
    const LazyGraph graph(stored, form);
    QCOMPARE(graph.size(), uint64_t{0});
    QCOMPARE(QString::fromStdString(graph.problem()), problem);
    view::PageList list;
    modules::addGraphNodesPage(list, stored, form);
    NullMonitor monitor;
    const auto page = view::resolvePage(list.at(0), monitor);
    QVERIFY(page.hasValue());
    QCOMPARE(QString::fromStdString(std::get<view::NoticePage>(page->content).text),
             QStringLiteral("The graph's nodes cannot be shown: ") + problem);
  }
}

void TestJsonGraph::unusualNodesAreShown_data() {
  QTest::addColumn<QByteArray>("node");
  QTest::addColumn<QString>("shown");
  /// `shown`: name | op | function | inputs | shape | dtype | storage | attributes.
  const auto row = [](const char* name, const QByteArray& node, const QString& shown) {
    QTest::newRow(name) << node << shown;
  };
  row("not an object", "3", " |  |  |  |  |  |  | ");
  row("no such input", R"({"name": "a", "inputs": [[7, 0, 0], 3]})",
      "a |  |  | [7, 0, 0] (no such node), 3 (no such node) |  |  |  | ");
  row("second output", R"({"name": "a", "inputs": [["0", "1", "0"]]})", "a |  |  | a:1 |  |  |  | ");
  row("odd attributes", R"({"name": "a\n", "attrs": {"shape": 3, "dtype": [], "x": null, "y": [[]]}})",
      R"(a\n |  |  |  | 3 |  |  | x=null, y=[[]])");
  row("other name of attributes", R"({"attr": {"num_outputs": "1", "shape": [[[2], [3, 4]]], "axis": [["1"]]}})",
      " |  |  |  | [2]; [3, 4] |  |  | axis=1");
  row("huge input number", R"({"inputs": [[18446744073709551615, 18446744073709551615]]})",
      " |  |  | [18446744073709551615, 18446744073709551615] (no such node) |  |  |  | ");
}

void TestJsonGraph::unusualNodesAreShown() {
  QFETCH(QByteArray, node);
  QFETCH(QString, shown);
  const std::string start = R"({"nodes": [)" + node.toStdString() + "], ";
  const LazyGraph graph(bytes(start + R"("node_row_ptr": [18446744073709551615, 18446744073709551615]})"),
                        GraphForm::Runtime);
  QCOMPARE(graph.size(), uint64_t{1});
  QCOMPARE(line(graph.node(0)), shown);
  const LazyGraph odd(bytes(start + R"("node_row_ptr": [0, 18446744073709551615], "attrs": {"shape": [[1]]}})"),
                      GraphForm::Executor);
  QCOMPARE(odd.size(), uint64_t{1});
  (void)odd.node(0);
}

BLOBSCOPE_TEST(TestJsonGraph);
#include "test_json_graph.moc"
