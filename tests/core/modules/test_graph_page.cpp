#include "core/modules/common/operator_name.h"
#include "core/modules/vm_executable/relax_graph.h"
#include "core/modules/vm_executable/vm_executable.h"

#include "core/modules/common/json_graph.h"
#include "core/modules/registry.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace modules;
using view::GraphPage;

namespace {

/// "conv [1×4] operator 16 bytes <- 0, 1", one line per node.
QString nodesText(const GraphPage& page) {
  QStringList lines;
  for (std::size_t i = 0; i < page.nodes.size(); ++i) {
    const GraphPage::Node& node = page.nodes[i];
    QStringList from;
    for (const GraphPage::Edge& edge : page.edges)
      if (edge.to == i) from << QString::number(edge.from);
    lines << QStringLiteral("%1 [%2] %3 %4 <- %5")
                 .arg(QString::fromStdString(node.title), QString::fromStdString(node.note),
                      QString::fromStdString(std::string(GraphPage::kindName(node.kind))),
                      node.bytes ? QString::number(*node.bytes) : QStringLiteral("-"), from.join(QLatin1Char(',')));
  }
  return lines.join(QLatin1Char('\n'));
}

/// The body of a classic stream; null when no layout fits.
BodyPtr decodedRelax(const std::string& payload) {
  for (const Layout& layout : findCodec("relax.Executable")->layouts) {
    Reader reader(bytes(payload));
    if (BodyPtr body = layout.decode(reader, {false, false}); body && reader.left() == 0) return body;
  }
  return nullptr;
}

Result<view::Page> graphPageOf(std::string_view text, GraphForm form, std::vector<std::string> parameters = {}) {
  view::PageList list;
  addGraphPage(list, bytes(text), form, std::move(parameters));
  NullMonitor monitor;
  return view::resolvePage(list.front(), monitor);
}

} // namespace

class TestGraphPage : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void operatorNames_data() {
    QTest::addColumn<std::string>("function");
    QTest::addColumn<std::string>("title");
    QTest::addColumn<std::string>("group");
    const auto row = [](const char* function, const char* title, const char* group) {
      QTest::newRow(function) << std::string(function) << std::string(title) << std::string(group);
    };
    row("tvmgen_default_fused_nn_contrib_conv2d_NCHWc_add_nn_leaky_relu_7", "conv, add, leaky relu", "Convolution");
    row("tvmgen_default_fused_nn_contrib_depthwise_conv2d_NCHWc_add", "depthwise, add", "Depthwise convolution");
    row("fused_concatenate_nn_relu_1", "join, relu", "Add, multiply, other elementwise");
    row("fused_layout_transform_transpose_reshape_layout_transform_concatenate", "layout, transpose, reshape + 2",
        "Layout, resize, reshape");
    row("fused_NT_matmul3_add", "matmul, add", "Matrix product");
    row("vm.builtin.reshape", "reshape", "Layout, resize, reshape");
    row("softmax", "softmax", "Pooling, sum, softmax");
    row("addition", "addition", "Other operators");
    row("fused_nn_7", "fused_nn_7", "Other operators");
    row("", "", "Other operators");
  }
  void operatorNames() {
    QFETCH(std::string, function);
    QFETCH(std::string, title);
    QFETCH(std::string, group);
    const OperatorName name = operatorName(function);
    QCOMPARE(name.title, title);
    QCOMPARE(std::string(name.group), group);
  }
  /// Any bytes; a name of a megabyte is read only at its beginning.
  void strangeNames() {
    for (const std::string& name :
         {std::string(1 << 20, '_'), std::string(1 << 20, 'a'), std::string("\x01\xff_\0b", 6)})
      QVERIFY(operatorName(name).title.size() < 2000);
  }

  void shapes() {
    QCOMPARE(shapeTitle("[1, 3, 224]"), std::string("1×3×224"));
    QCOMPARE(shapeTitle("[]"), std::string("scalar"));
    QCOMPARE(shapeTitle("what"), std::string("what"));
  }

  void executorGraph() {
    const auto page = graphPageOf(test::executorGraph(), GraphForm::Executor);
    QVERIFY(page);
    QCOMPARE(nodesText(std::get<GraphPage>(page->content)), QStringLiteral("x [1×4] input 16 <- \n"
                                                                           "p0 [4×2] constant 32 <- \n"
                                                                           "dense [1×2] operator 4 <- 0,1\n"
                                                                           "output 0 [1×2] input 4 <- 2"));
    QCOMPARE(std::get<GraphPage>(page->content).nodes[2].calls, std::string("fused_dense"));
    // With the names of the stored parameters, the others are inputs.
    const auto named = graphPageOf(test::executorGraph(), GraphForm::Executor, {"x"});
    QVERIFY(named);
    QCOMPARE(std::get<GraphPage>(named->content).nodes[1].kind, GraphPage::Kind::Input);
    QCOMPARE(std::get<GraphPage>(named->content).nodes[0].part, (Ref::Part{PartKind::Param, "x"}));
  }

  void runtimeGraph() {
    for (const bool plain : {false, true}) {
      const auto page = graphPageOf(test::runtimeGraph(plain), GraphForm::Runtime);
      QVERIFY(page);
      const QString text = nodesText(std::get<GraphPage>(page->content));
      QVERIFY2(text.contains(QStringLiteral("w [4×5] constant 80 <-")), qPrintable(text));
      QVERIFY2(text.contains(QStringLiteral("dense [1×5] operator 10 <- 0,1")), qPrintable(text));
    }
  }

  void damagedGraphs() {
    for (const char* const text : {"", "{", R"({"nodes":[{"inputs":[[7,0],["x"],3]},3]})",
                                   R"({"nodes":[{"inputs":[[0,0,0]]}],"heads":[[0,0,0],[9]]})"}) {
      const auto page = graphPageOf(text, GraphForm::Executor);
      QVERIFY(page);
      if (const auto* const graph = std::get_if<GraphPage>(&page->content))
        for (const GraphPage::Edge& edge : graph->edges)
          QVERIFY(edge.from < graph->nodes.size() && edge.to < graph->nodes.size());
    }
  }

  void relaxFunction();
};

/// x and an item of the parameter w go into two operators; the memory of the first output is allocated before.
void TestGraphPage::relaxFunction() {
  RelaxBuilder builder(kTagsClassic);
  const auto constant = RelaxBuilder::constant;
  constexpr int64_t kVoid = RelaxBuilder::kVoid, kVm = RelaxBuilder::kVm;
  builder.functions = {
      {0, "vm.builtin.alloc_storage", 0, 0, -2, 0, {}}, {0, "vm.builtin.alloc_tensor", 0, 0, -2, 0, {}},
      {0, "vm.builtin.tuple_getitem", 0, 0, -2, 0, {}}, {0, "fused_matmul1_add", 0, 0, -2, 0, {}},
      {0, "vm.builtin.reshape", 0, 0, -2, 0, {}},       {1, "main", 0, 8, 2, 8, {"x", "w"}}};
  builder.code = {{1, 2, 0, 2, kVm, constant(5)},
                  {1, 3, 1, 4, 2, RelaxBuilder::immediate(0), constant(5), constant(4)},
                  {1, 4, 2, 2, 1, RelaxBuilder::immediate(3)},
                  {1, 5, 2, 2, 1, RelaxBuilder::immediate(4)}, // not read
                  {1, kVoid, 3, 4, 0, 4, constant(3), 3},
                  {1, 6, 4, 2, 3, constant(5)},
                  {1, kVoid, 3, 2, 6, 99}, // a register that nothing wrote to
                  {2, 6}};
  NullMonitor monitor;
  const BodyPtr body = decodedRelax(builder.sized());
  QVERIFY(body);
  const relax::Executable* const vm = relaxExecutableOf(*body);
  QVERIFY(vm);
  const auto page = relax::dataFlowOf(*vm, vm->functions[5], monitor);
  QVERIFY(page);
  QCOMPARE(nodesText(*page), QStringLiteral("x [] input - <- \n"
                                            "w[3] [] constant - <- \n"
                                            "constant 3 [2×3] constant 24 <- \n"
                                            "matmul, add [2×3] operator 24 <- 0,1,2\n"
                                            "reshape [] operator - <- 3\n"
                                            "matmul, add [] operator - <- 4\n"
                                            "result [] input - <- 4"));
  QCOMPARE(page->nodes[2].part, (Ref::Part{PartKind::Const, "3"}));
  QCOMPARE(page->nodes[3].calls, std::string("fused_matmul1_add"));

  StopAfter stop(0);
  const auto stopped = relax::dataFlowOf(*vm, vm->functions[5], stop);
  QVERIFY(!stopped);
  QCOMPARE(stopped.error().id(), DiagnosticId::Cancelled);
}

BLOBSCOPE_TEST(TestGraphPage);
#include "test_graph_page.moc"
