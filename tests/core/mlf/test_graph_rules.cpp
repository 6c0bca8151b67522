#include "core/mlf/graph.h"
#include "tests/core/mlf/findings.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace blobscope;
using namespace blobscope::test;

namespace {

const std::string kGraphPath = "./executor-config/graph/default.graph";

/// A node of a graph in text.
struct Node {
  std::string name;
  std::string function; ///< empty: an input
  std::vector<std::pair<int, int>> inputs = {};
  int outputs = 1;
};

/// A graph with every list as an option; empty lists get defaults: one storage per entry, float32[1,4], head: the last
/// entry.
struct GraphText {
  std::vector<Node> nodes;
  std::vector<uint64_t> storage = {}, devices = {};
  std::vector<std::string> shapes = {};
  std::vector<std::pair<int, int>> heads = {};

  static std::string numbers(const std::vector<uint64_t>& values) {
    std::string out;
    for (const uint64_t value : values) out += (out.empty() ? "" : ", ") + std::to_string(value);
    return "[" + out + "]";
  }
  static std::string references(const std::vector<std::pair<int, int>>& values) {
    std::string out;
    for (const auto& [node, output] : values)
      out += (out.empty() ? "[" : ", [") + std::to_string(node) + ", " + std::to_string(output) + ", 0]";
    return "[" + out + "]";
  }
  std::string text() const {
    std::string list, types, shapeList;
    std::vector<uint64_t> arguments, rows = {0}, ids;
    for (const Node& node : nodes) {
      if (node.function.empty()) arguments.push_back(rows.size() - 1);
      list += (list.empty() ? "" : ",\n") +
              expanded(R"({"op": "${op}", "name": "${name}", "inputs": ${inputs}${attributes}})",
                       {{"op", node.function.empty() ? "null" : "tvm_op"},
                        {"name", node.name},
                        {"inputs", references(node.inputs)},
                        {"attributes", attributes(node)}});
      rows.push_back(rows.back() + static_cast<uint64_t>(node.outputs));
    }
    for (uint64_t i = 0; i < rows.back(); ++i) {
      types += i ? R"(, "float32")" : R"("float32")";
      shapeList += (i ? ", " : "") + (i < shapes.size() ? shapes[i] : "[1, 4]");
      ids.push_back(i < storage.size() ? storage[i] : i);
    }
    const auto last = heads.empty() ? std::vector<std::pair<int, int>>{{static_cast<int>(nodes.size()) - 1, 0}} : heads;
    return expanded(
        R"({"nodes": [${nodes}],
"arg_nodes": ${arguments}, "heads": ${heads}, "node_row_ptr": ${rows},
"attrs": {"dltype": ["list_str", [${types}]], "storage_id": ["list_int", ${storage}], )"
        R"("shape": ["list_shape", [${shapes}]]${devices}}})",
        {{"nodes", list},
         {"arguments", numbers(arguments)},
         {"heads", references(last)},
         {"rows", numbers(rows)},
         {"types", types},
         {"storage", numbers(ids)},
         {"shapes", shapeList},
         {"devices", devices.empty() ? "" : R"(, "device_index": ["list_int", )" + numbers(devices) + "]"}});
  }

private:
  static std::string attributes(const Node& node) {
    if (node.function.empty()) return {};
    return expanded(R"(, "attrs": {"func_name": "${function}", "num_inputs": "${inputs}", "num_outputs": "${outputs}")"
                    R"(, "flatten_data": "0"})",
                    {{"function", node.function},
                     {"inputs", std::to_string(node.inputs.size())},
                     {"outputs", std::to_string(node.outputs)}});
  }
};

/// A clean archive; set(), drop() … change its graph.
Mlf graphArchive() { return cleanMlf(7, MlfStyle::Graph).in(kGraphPath); }
Mlf archiveWith(const GraphText& graph) { return graphArchive().add(kGraphPath, graph.text()); }

QStringList judged(const Mlf& archive) { return findingsOf(archive, {mlf::checkGraphs}); }

const Node kX{"x", ""}, kY{"y", ""};

/// A node that calls `f` with the first outputs of other nodes.
Node call(const std::string& name, const std::vector<int>& nodes) {
  Node node{name, "f"};
  for (const int one : nodes) node.inputs.push_back({one, 0});
  return node;
}

} // namespace

class TestGraphRules : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void cleanArchivesHaveNoFindings();
  void eachDefectIsReported_data();
  void eachDefectIsReported();
  void eachMemoryPlanDefectIsReported_data();
  void eachMemoryPlanDefectIsReported();
  void limitsOfTheCRuntimeApplyOnlyThere();
  void elementTypesAreParsed();
  void sizesAreComputedWithoutOverflow();
  void graphValuesAreRead();
  void everyTruncationIsReported();
  void changedBytesAreSafeUnderSanitizers();
  void hugeCountsAreRefused();
  void checksCanBeCancelled();
};

void TestGraphRules::cleanArchivesHaveNoFindings() {
  for (const MlfVariant& variant : mlfVariants())
    QCOMPARE(judged(cleanMlf(variant.version, variant.style)), QStringList());
  QCOMPARE(judged(cleanMlfOfTwo()), QStringList());
  // Storages are reused when nothing reads them any more, and an output may be listed twice.
  const GraphText reuse{.nodes = {kX, call("a", {0}), call("b", {1}), call("c", {2})},
                        .storage = {0, 1, 2, 1},
                        .heads = {{3, 0}, {3, 0}}};
  QCOMPARE(judged(archiveWith(reuse)), QStringList());
  // "metadata" at the end, references of two numbers, "attr" instead of "attrs", unknown lists that the executors skip
  const Mlf spelt = graphArchive()
                        .set("heads", "[[2, 0]]")
                        .renameKey("attrs", "attr") // of node 2
                        .insertBefore("dltype", R"("more": ["list_int", [1]], "size": ["size_t", 4])")
                        .set("node_row_ptr", R"([0, 1, 2, 3], "metadata": {})");
  QCOMPARE(judged(spelt), QStringList());
}

void TestGraphRules::eachDefectIsReported_data() {
  QTest::addColumn<QByteArray>("tar");
  QTest::addColumn<QStringList>("expected");
  /// The text after the first three digits follows the file's name.
  const auto row = [](const char* title, const Mlf& archive, const QStringList& expected) {
    QStringList whole;
    for (const QString& one : expected) whole += one.left(4) + "executor-config/graph/default.graph: " + one.mid(4);
    QTest::newRow(title) << QByteArray::fromStdString(archive.tar()) << whole;
  };
  const auto graph = graphArchive;
  const auto replaced = [](std::string_view from, std::string_view to) {
    return graphArchive().replace(kGraphPath, from, to);
  };
  const std::string whole = graphArchive().at(kGraphPath);
  const std::string tail = whole.substr(whole.find(R"("arg_nodes")"));

  // --- the root ---
  row("root", replaced(whole, "[]"), {"501 the root is an array, expected an object"});
  row("no heads", graph().drop("heads"), {"502 lacks 'heads'"});
  row("wrong type", graph().set("arg_nodes", "2"), {"502 'arg_nodes' is a number, expected an array"});
  row("attrs of the wrong type",
      replaced(tail, R"("arg_nodes": [0, 1], "heads": [[2, 0, 0]], "attrs": [], "node_row_ptr": [0, 1, 2, 3]})"),
      {"502 'attrs' is an array, expected an object"});
  row("after metadata", graph().insertBefore("node_row_ptr", R"("metadata": {})"),
      {"502 'node_row_ptr' comes after 'metadata', where the executors stop reading"});
  row("unknown key", graph().insertBefore("heads", R"("more": 1)"), {"503 unknown key 'more'"});
  row("unknown key after metadata", graph().set("node_row_ptr", R"([0, 1, 2, 3], "metadata": 0, "more": 1)"),
      {"504 key 'more' after 'metadata' is never read"});

  // --- nodes: 0 "x", 1 "p0", 2 the kernel ---
  row("node that is not an object", replaced(R"({"op": "null", "name": "x", "inputs": []})", "7"),
      {"505 node 0: is a number, expected an object"});
  row("node without name", graph().drop("name"), {"505 node 0: lacks 'name'"});
  row("node with an unknown key", graph().insertBefore("inputs", R"("kind": 1)"), {"505 node 0: unknown key 'kind'"});
  row("name of the wrong type", graph().set("name", R"(["x"])"), {"505 node 0: 'name' is an array, expected a string"});
  row("attrs of a node", replaced(R"("op": "tvm_op")", R"("attr": 0, "op": "tvm_op")"),
      {"505 node 2: 'attr' is a number, expected an object"});
  row("op", replaced("tvm_op", "tvm_up"), {"506 node 2 has op 'tvm_up'"});
  row("input with inputs", replaced(R"("name": "p0", "inputs": [])", R"("name": "p0", "inputs": [[0, 0, 0]])"),
      {"507 input node 1 has inputs"});
  row("no func_name", graph().drop("func_name"), {"508 node 2: attrs lack 'func_name'"});
  row("no num_outputs", graph().drop("num_outputs"), {"508 node 2: attrs lack 'num_outputs'"});
  row("count as a number", graph().set("num_inputs", "2"), {"508 node 2: 'num_inputs' is a number, expected a string"});
  row("count in words", graph().set("num_inputs", R"("two")"),
      {"508 node 2: num_inputs is 'two', expected a decimal number"});
  row("no outputs", graph().set("num_outputs", R"("0")"), {"508 node 2: num_outputs is '0', expected at least 1"});
  row("num_inputs", graph().set("num_inputs", R"("3")"), {"509 node 2: num_inputs is 3, but it lists 2 inputs"});
  row("malformed reference", graph().set("attrs/inputs", "[[0, 0, 0], [1]]"),
      {"510 node 2: input 1 is '[1]', expected [node, output, version]"});
  row("negative reference", graph().set("attrs/inputs", "[[0, 0, 0], [-1, 0, 0]]"),
      {"510 node 2: input 1 is '[-1,0,0]', expected [node, output, version]"});
  row("itself", graph().set("attrs/inputs", "[[0, 0, 0], [2, 0, 0]]"),
      {"510 node 2: input 1 refers to the node itself"});
  row("later node", graph().set("attrs/inputs", "[[0, 0, 0], [9, 0, 0]]"),
      {"510 node 2: input 1 refers to node 9, which comes later or does not exist"});
  row("output that does not exist", graph().set("attrs/inputs", "[[0, 0, 0], [1, 4, 0]]"),
      {"510 node 2: input 1 refers to output 4 of node 1, which has 1"});

  // --- lists of the graph ---
  row("arg_nodes", graph().set("arg_nodes", "[1, 0]"), {"511 arg_nodes: lists [1, 0], but the input nodes are [0, 1]"});
  row("arg_nodes with text", graph().set("arg_nodes", R"([0, "1"])"),
      {R"(511 arg_nodes: element 1 is '"1"', expected a node number)"});
  row("no outputs of the graph", graph().set("heads", "[]"), {"512 heads: empty, expected at least one output"});
  row("head that does not exist", graph().set("heads", "[[3, 0, 0]]"), {"512 heads: output 0 refers to node 3 of 3"});
  row("output of a head", graph().set("heads", "[[2, 1, 0]]"),
      {"512 heads: output 0 refers to output 1 of node 2, which has 1"});
  row("row pointers too short", graph().set("node_row_ptr", "[0, 1, 2]"),
      {"513 node_row_ptr: has 3 elements, 3 nodes need 4"});
  row("row pointers", graph().set("node_row_ptr", "[0, 1, 3, 4]"),
      {"513 node_row_ptr: element 2 is '3', the output counts give 2"});

  // --- attrs of the graph ---
  row("no shape", graph().drop("shape"), {"514 attrs.shape: missing"});
  row("tag", graph().set("shape", R"(["list_int", [[1, 4], [1, 4], [1, 4]]])"),
      {"514 attrs.shape: the tag is 'list_int', expected 'list_shape'"});
  row("not a pair", graph().set("dltype", R"(["list_str"])"),
      {"514 attrs.dltype: has 1 elements, expected [tag, list]"});
  row("too short", graph().set("storage_id", R"(["list_int", [0, 1]])"),
      {"515 attrs.storage_id has 2 elements, but the graph has 3 entries"});
  row("unknown tag", graph().insertBefore("dltype", R"("more": ["list_str", []])"),
      {"516 attrs.more has tag 'list_str'"});
  row("type", graph().set("dltype", R"(["list_str", ["flaot32", "float32", "float32"]])"),
      {"517 entry 0 has type 'flaot32'"});
  row("odd width", graph().set("dltype", R"(["list_str", ["int3", "float32", "float32"]])"),
      {"517 entry 0 has type 'int3'"});
  row("type as number", graph().set("dltype", R"(["list_str", [32, "float32", "float32"]])"),
      {"517 entry 0 has type '32'"});
  row("negative dimension", graph().set("shape", R"(["list_shape", [[1, 4], [1, -4], [1, 4]]])"),
      {"518 entry 1 has shape '[1,-4]'"});
  row("negative storage id", graph().set("storage_id", R"(["list_int", [0, -1, 2]])"),
      {"519 entry 1 has storage id '-1'"});
  row("device as text", graph().set("device_index", R"(["list_int", [1, "cpu", 1]])"),
      {R"(519 entry 1 has device index '"cpu"')"});
  row("storage of an input", graph().set("storage_id", R"(["list_int", [0, 1, 1]])"),
      {"523 node 2 overwrites the storage of input 'p0'"});
  row("input name", replaced(R"("p0")", R"("x")"), {"521 input name 'x' occurs twice"});
}

void TestGraphRules::eachDefectIsReported() {
  QFETCH(QByteArray, tar);
  QFETCH(QStringList, expected);
  QCOMPARE(findingsOf(std::string_view(tar.data(), static_cast<std::size_t>(tar.size())), {mlf::checkGraphs}),
           expected);
}

void TestGraphRules::eachMemoryPlanDefectIsReported_data() {
  QTest::addColumn<QByteArray>("tar");
  QTest::addColumn<QStringList>("expected");
  const auto row = [](const char* title, const GraphText& graph, const QStringList& expected) {
    QStringList whole;
    for (const QString& one : expected) whole += one.left(4) + "executor-config/graph/default.graph: " + one.mid(4);
    QTest::newRow(title) << QByteArray::fromStdString(archiveWith(graph).tar()) << whole;
  };
  const Node a = call("a", {0}), nop{"reshape_nop", "__nop", {{1, 0}}};
  const QString noNop = "525 the C runtime does not support __nop";
  row("two devices",
      {.nodes = {kX, a, call("b", {1}), call("c", {2})}, .storage = {0, 1, 2, 1}, .devices = {1, 1, 1, 2}},
      {"520 storage 1 is on devices 1 and 2"});
  row("nop in the same storage", {.nodes = {kX, a, nop}, .storage = {0, 1, 1}, .shapes = {"[1, 4]", "[1, 4]", "[4]"}},
      {noNop});
  row("nop of an input", {.nodes = {kX, {"n", "__nop", {{0, 0}}}, call("b", {1})}, .storage = {0, 0, 1}}, {noNop});
  row("nop elsewhere", {.nodes = {kX, a, nop}},
      {"522 node 2: __nop writes to storage 2, but its input is in storage 1", noNop});
  row("nop that grows", {.nodes = {kX, a, nop}, .storage = {0, 1, 1}, .shapes = {"[1, 4]", "[1, 4]", "[5]"}},
      {"522 node 2: __nop makes 20 bytes of 16", noNop});
  row("content that is still read", {.nodes = {kX, a, call("b", {0}), call("c", {1, 2})}, .storage = {0, 1, 1, 2}},
      {"524 node 2 overwrites storage 1, which node 3 still reads"});
  row("its own input", {.nodes = {kX, a, call("b", {1})}, .storage = {0, 1, 1}},
      {"524 node 2 overwrites storage 1, which node 2 still reads"});
  row("an output of the graph", {.nodes = {kX, a, call("b", {0})}, .storage = {0, 1, 1}, .heads = {{1, 0}, {2, 0}}},
      {"524 node 2 overwrites storage 1, which node (output of the graph) still reads"});
  row("after a nop", {.nodes = {kX, a, nop, call("b", {0}), call("c", {2, 3})}, .storage = {0, 1, 1, 1, 2}},
      {"524 node 3 overwrites storage 1, which node 4 still reads", noNop});
  row("an input's storage", {.nodes = {kX, kY, call("b", {0, 1}), call("c", {2})}, .storage = {0, 1, 2, 0}},
      {"523 node 3 overwrites the storage of input 'x'"});
  row("gap", {.nodes = {kX, a, call("b", {1}), call("c", {2})}, .storage = {0, 1, 3, 1}},
      {"531 storage ids 2 are not used"});
  row("wide gaps", {.nodes = {kX, a, call("b", {1}), call("c", {2})}, .storage = {1, 3, 100, 3}},
      {"531 storage ids 0, 2, 4–99 are not used", "530 storage id 100 with 4 nodes overflows the C runtime's table"});
  row("copy", {.nodes = {kX, {"copy", "__copy", {{0, 0}}}}}, {"525 the C runtime does not support __copy"});
  row("long name", {.nodes = {{std::string(119, 'n'), ""}, a}},
      {"526 name of node 0 has 119 characters, but the C runtime accepts at most 118"});
  row("long function", {.nodes = {kX, {"a", std::string(119, 'f'), {{0, 0}}}}},
      {"526 attribute 'func_name' of node 1 has 119 characters, but the C runtime accepts at most 118"});
  row("name that just fits", {.nodes = {{std::string(118, 'n'), ""}, {"a", std::string(118, 'f'), {{0, 0}}}}}, {});
  row("ten arguments", {.nodes = {kX, call("a", std::vector<int>(9, 0))}},
      {"527 node 1 has 10 arguments, but the C runtime accepts at most 9"});
  row("nine arguments", {.nodes = {kX, call("a", std::vector<int>(8, 0))}}, {});
  row("seven dimensions", {.nodes = {kX, a}, .shapes = {"[1, 1, 1, 1, 1, 1, 4]"}},
      {"528 entry 0 has 7 dimensions, but the C runtime accepts at most 6"});
  row("parameter in front", {.nodes = {{"p0", ""}, a}},
      {"529 parameter 'p0' is input 0 of the graph, which the loader of the C runtime rejects"});
  row("more storages than nodes", {.nodes = {kX, {"split", "f", {{0, 0}}, 3}}},
      {"530 storage id 2 with 2 nodes overflows the C runtime's table",
       "530 storage id 3 with 2 nodes overflows the C runtime's table"});
}

void TestGraphRules::eachMemoryPlanDefectIsReported() { eachDefectIsReported(); }

/// The same graphs are valid for the C++ executor.
void TestGraphRules::limitsOfTheCRuntimeApplyOnlyThere() {
  GraphText graph{.nodes = {{"p0", ""}, {"split", std::string(200, 'f'), {{0, 0}}, 12}, {"n", "__nop", {{1, 0}}}},
                  .shapes = {"[1, 1, 1, 1, 1, 1, 4]"}};
  graph.storage = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1};
  Mlf archive = archiveWith(graph);
  QVERIFY(judged(archive).size() > 5);
  archive.add("./codegen/host/src/default_lib0.c", "\n"); // the registry, which shows the use of the C runtime
  QCOMPARE(judged(archive), QStringList());
  const Mlf more = graphArchive()
                       .replace(kGraphPath, R"("op": "tvm_op")", R"("op": "tvm_op", "control_deps": [0])")
                       .insertBefore("dltype", R"("storage_scope": ["list_str", ["global", "global", "local"]])");
  QCOMPARE(judged(more),
           QStringList({"525 executor-config/graph/default.graph: the C runtime does not support storage_scope",
                        "525 executor-config/graph/default.graph: the C runtime does not support control_deps"}));
}

void TestGraphRules::elementTypesAreParsed() {
  using mlf::ElementType;
  const auto parse = [](std::string_view text) { return mlf::parseElementType(text); };
  QCOMPARE(parse("float32"), (ElementType{2, 32, 1}));
  QCOMPARE(parse("float"), (ElementType{2, 32, 1}));
  QCOMPARE(parse("bool"), (ElementType{1, 1, 1}));
  QCOMPARE(parse("uint1"), (ElementType{1, 1, 1}));
  QCOMPARE(parse("int8x4"), (ElementType{0, 8, 4}));
  QCOMPARE(parse("handle"), (ElementType{3, 64, 1}));
  QCOMPARE(parse("bfloat16"), (ElementType{4, 16, 1}));
  QCOMPARE(parse("e4m3_float8"), (ElementType{6, 8, 1}));
  QCOMPARE(parse("custom[posit]16"), (ElementType{129, 16, 1}));
  for (const char* text :
       {"", "32", "float32x", "float32 ", "int256", "int8x70000", "custom[x", "double", "Float32", "int-8"})
    QVERIFY2(!parse(text), text);
}

void TestGraphRules::sizesAreComputedWithoutOverflow() {
  const mlf::ElementType int4{0, 4, 1}, wide{0, 64, 1};
  const std::vector<uint64_t> five = {5}, scalar, none = {UINT64_MAX, 0, UINT64_MAX}, huge = {uint64_t{1} << 60, 2};
  QCOMPARE(mlf::packedBytes(five, int4), std::optional<uint64_t>(3));
  QCOMPARE(mlf::bytesInMemory(five, int4), std::optional<uint64_t>(5));
  QCOMPARE(mlf::bytesInMemory(scalar, wide), std::optional<uint64_t>(8));
  QCOMPARE(mlf::bytesInMemory(none, wide), std::optional<uint64_t>(0));
  QVERIFY(!mlf::bytesInMemory(huge, wide) && !mlf::packedBytes(huge, wide));
  QCOMPARE(mlf::listText(none), std::string("[18446744073709551615, 0, 18446744073709551615]"));
}

void TestGraphRules::graphValuesAreRead() {
  NullMonitor monitor;
  mlf::Findings findings;
  const GraphText text{.nodes = {kX, {"split", "f", {{0, 0}}, 2}, {"b", "g", {{1, 1}}}}, .devices = {1, 1, 1, 1}};
  const mlf::File file{"g.graph", "./g.graph", bytes(text.text())};
  const mlf::Graph graph = mlf::readGraph(file, findings, monitor);
  QVERIFY(findings.all().empty());
  QVERIFY(graph.nodesSound && graph.entriesSound && graph.headsSound && graph.argNodesSound && graph.hasDevices &&
          !graph.hasStorageScope);
  QCOMPARE(graph.nodes.size(), std::size_t{3});
  QCOMPARE(graph.nodes[2].firstEntry, uint64_t{3});
  QCOMPARE(graph.entryOf(graph.nodes[2].inputs[0]), uint64_t{2});
  QCOMPARE(graph.entries[2].node, uint64_t{1});
  QCOMPARE(graph.entries[2].memoryBytes(), std::optional<uint64_t>(16));
  QVERIFY(graph.findInput("x") == &graph.nodes[0] && !graph.findInput("b"));
}

void TestGraphRules::everyTruncationIsReported() {
  const std::string good = graphArchive().at(kGraphPath);
  for (std::size_t size = 0; size < good.size(); ++size) {
    const QStringList found = judged(graphArchive().add(kGraphPath, good.substr(0, size)));
    QCOMPARE(found.size(), 1);
    QVERIFY2(found[0].startsWith("501 "), qPrintable(found[0]));
  }
}

/// The only expectation is that the check ends.
void TestGraphRules::changedBytesAreSafeUnderSanitizers() {
  const std::string good =
      GraphText{.nodes = {kX, {"split", "f", {{0, 0}}, 2}, {"n", "__nop", {{1, 1}}}, {"b", "g", {{2, 0}}}},
                .storage = {0, 1, 2, 2, 3}}
          .text();
  NullMonitor monitor;
  mlf::Findings heads;
  const Result<mlf::Model> model = mlf::readModel(bytes(graphArchive().tar()), heads, monitor);
  QVERIFY(model.hasValue());
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const char* value : {"9", "-", "[", "]", "\"", "{", "}", ",", " ", "99999999999999999999", "\xff", "1e9"}) {
      std::string bad = good;
      bad.replace(i, 1, value);
      const mlf::File file{"g.graph", "./g.graph", bytes(bad)};
      mlf::Model other;
      other.version = 7;
      other.usesCRuntime = true;
      mlf::ModelModule module = model->modules[0];
      module.graph = &file;
      other.modules.push_back(module);
      mlf::Findings findings;
      mlf::checkGraphs(other, findings, monitor);
      mlf::checkAcrossFiles(other, findings, monitor);
    }
}

void TestGraphRules::hugeCountsAreRefused() {
  const auto found = [](const std::string& text) {
    const QStringList list = judged(graphArchive().add(kGraphPath, text));
    return list.isEmpty() ? QString() : list[0].left(3);
  };
  // Counts that would not fit anywhere are compared, never allocated.
  const auto outputs = [](const std::string& count) {
    return graphArchive().set("num_outputs", "\"" + count + "\"").at(kGraphPath);
  };
  QCOMPARE(judged(graphArchive().add(kGraphPath, outputs("18446744073709551615"))),
           QStringList({"508 executor-config/graph/default.graph: node 2: num_outputs is '18446744073709551615', "
                        "expected a decimal number of 32 bits"}));
  QCOMPARE(found(outputs("4294967295")), QString("513"));
  QCOMPARE(found(std::string(100'000, '[')), QString("501"));
  QCOMPARE(found(R"({"nodes": )" + std::string(100'000, '[') + "}"), QString("501"));
  std::string deep = R"({"nodes":)";
  for (int i = 0; i < 100'000; ++i) deep += R"({"a":)";
  QCOMPARE(found(deep), QString("501"));
  // A long chain on two storages
  GraphText chain{.nodes = {kX}};
  chain.storage = {0};
  for (int i = 1; i < 20'000; ++i) {
    chain.nodes.push_back({"n" + std::to_string(i), "f", {{i - 1, 0}}});
    chain.storage.push_back(1 + static_cast<uint64_t>(i) % 2);
  }
  QCOMPARE(judged(archiveWith(chain)), QStringList());
}

void TestGraphRules::checksCanBeCancelled() {
  mlf::Findings findings;
  StopAfter monitor(0);
  const mlf::File file{"g.graph", "./g.graph", bytes(graphArchive().at(kGraphPath))};
  const mlf::Graph graph = mlf::readGraph(file, findings, monitor);
  QVERIFY(!graph.nodesSound && !graph.entriesSound && findings.all().empty());
}

BLOBSCOPE_TEST(TestGraphRules);
#include "test_graph_rules.moc"
