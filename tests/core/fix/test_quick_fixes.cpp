#include "core/check/rule.h"
#include "core/mlf/fixes/fix.h"
#include "tests/core/fix/mending.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <QSet>
#include <QTest>

using namespace blobscope;
using namespace blobscope::test;

namespace {

const std::string kGraph7 = "./executor-config/graph/default.graph", kGraph5 = "./executor-config/graph/graph.json",
                  kParameters = "./parameters/default.params", kHeader = "./codegen/host/include/tvmgen_default.h",
                  kMetadata = "./metadata.json";

std::string with(Mlf mlf, const MlfMember& member) {
  mlf.members.push_back(member);
  return mlf.tar();
}
MlfMember linkMember(std::string path, std::string target) {
  MlfMember member{std::move(path), {}, '2'};
  member.link = std::move(target);
  return member;
}
Mlf inGraph() { return graph(7).in(kGraph7); }

/// The parameter file of a graph archive with some bytes replaced. The list has 24 bytes before the name and 10 for it;
/// the tensor begins at 42.
Mlf parameters(std::size_t at, const std::string& bytes) {
  Mlf mlf = graph(7);
  mlf.at(kParameters).replace(at, bytes.size(), bytes);
  return mlf;
}

/// Two storages of which the first one uses the size of another entry, as TVM writes it.
Mlf exporterSizes() {
  return graph(5)
      .meta(R"({"storage_id": 1, "size_bytes": 16, "input_binding": "p0"},
      {"storage_id": 2, "size_bytes": 16})",
            R"({"storage_id": 2, "size_bytes": 32, "input_binding": "p0"},
      {"storage_id": 1, "size_bytes": 32})")
      .in(kGraph5)
      .set("storage_id", R"(["list_int", [0, 2, 1]])")
      .set("shape", R"(["list_shape", [[1, 4], [1, 4], [1, 8]]])");
}

} // namespace

class TestQuickFixes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void eachRuleIsMended_data();
  void eachRuleIsMended();
  void everyRuleWithFixesHasARow();
  void everyRuleSaysWhatToDo();
  void nothingIsGuessed_data();
  void nothingIsGuessed();
};

namespace {
/// An archive with a finding of one rule, what mends it, and the files that differ then.
struct Row {
  const char* title; ///< begins with the number of the rule
  std::string tar;
  QString sentence, changes;
};
using Rows = std::vector<Row>;

void addRow(Rows& rows, const char* title, const std::string& tar, const char* sentence, const char* changes) {
  rows.push_back({title, tar, QString::fromUtf8(sentence), QString::fromUtf8(changes)});
}
void addRow(Rows& rows, const char* title, const Mlf& archive, const char* sentence,
            const char* changes = "changed ./metadata.json") {
  addRow(rows, title, archive.tar(), sentence, changes);
}

void addContainerRows(Rows& rows) {
  const std::string tar = graph(7).tar();
  addRow(rows, "002", gzipOf(tar), "Store the archive without compression", "");
  addRow(rows, "004", graph(7).body(), "Write the end marker, and nothing after it", "");
  addRow(rows, "004 data", tar + "x", "Write the end marker, and nothing after it", "");
  addRow(rows, "006", with(aot(7), linkMember("./runtime/copy.txt", "CMakeLists.txt")),
         "Replace the link './runtime/copy.txt' with a copy of 'runtime/CMakeLists.txt'", "added ./runtime/copy.txt");
  addRow(rows, "007", with(graph(7), {"./src/x", {}, '6'}), "Remove the fifo './src/x'", "");
  addRow(rows, "008", with(graph(7), {"./src/default.relay", "new\n"}),
         "Remove the earlier copies of members; unpacking keeps the last one", "");
  addRow(rows, "008 folder", with(graph(7), {"./src/", {}, '5'}), "Remove the last copy of the folder './src/'", "");
  addRow(
      rows, "012",
      [] {
        Mlf mlf = graph(7);
        mlf.find("./src/default.relay")->mode = 04644;
        return mlf;
      }(),
      "Set the modes of members to 0644 for files and 0755 for folders", "");
  addRow(
      rows, "013",
      [] {
        Mlf mlf = graph(7);
        mlf.find("./src/default.relay")->uid = 1000, mlf.find("./src/default.relay")->owner = "builder";
        return mlf;
      }(),
      "Set the owner of all members to root with the number 0", "");
  addRow(rows, "014", graph(7).rename(kMetadata, "metadata.json"), "Rename metadata.json to ./metadata.json",
         "removed metadata.json, added ./metadata.json");
  Mlf wrapped = graph(7);
  for (MlfMember& member : wrapped.members) member.path = "model" + member.path.substr(1);
  addRow(rows, "020", wrapped, "Move all files out of the folder 'model'", "*");
}

void addMetadataRows(Rows& rows) {
  addRow(rows, "102", graph(5).insertBefore("style", R"("model_name": "default")"),
         "Remove the last of the members 'model_name'; all have the same value");
  addRow(rows, "104", graph(5).set("version", R"("5")"), "Set version to 5");
  addRow(rows, "104 missing", graph(3).drop("version"), "Set version to 3, the only one that keys and files fit");
  addRow(rows, "105", aot(6).set("version", "9"), "Set version to 6, the only one that keys and files fit");
  Mlf flat = graph(7);
  flat.metadata() = mlfModule(7, MlfStyle::Graph, "default", false, true);
  addRow(rows, "106", flat, "Move the description of the model to modules['default']");
  Mlf nested = graph(5);
  nested.metadata() =
      R"({"version": 5, "modules": {"default": )" + mlfModule(5, MlfStyle::Graph, "default", false, false) + "}}";
  addRow(rows, "106 back", nested, "Move the description of the model out of 'modules'");
  addRow(rows, "107", graph(4).drop("model_name"), "Set model_name to \"default\"");
  addRow(rows, "107 style", op(7).drop("style"), "Set style to \"operator\"");
  addRow(rows, "107 target", graph(5).drop("target"), R"(Set target to {"1":"c -keys=cpu "})");
  addRow(rows, "107 date", graph(1).drop("export_datetime"), "Set export_datetime to \"2022-08-01 12:00:00Z\"");
  addRow(rows, "107 executors", aot(5).drop("executors"), "Set executors to [\"aot\"]");
  addRow(rows, "108", graph(7).set("executors", R"("graph")"), "Set modules.default.executors to [\"graph\"]");
  Mlf listed = graph(7);
  listed.metadata() = R"({"version": 7, "modules": [)" + mlfModule(7, MlfStyle::Graph, "default", false, false) + "]}";
  addRow(rows, "108 modules", listed, "Turn 'modules' into an object by the models' names");
  addRow(rows, "109", graph(5).insertBefore("style", R"("stile": 1)"), "Remove the key 'stile' from the root");
  addRow(rows, "110", graph(5).renameKey("executors", "runtimes"), "Rename the key 'runtimes' to 'executors'");
  addRow(rows, "111", aot(5).set("executors", R"(["vm"])"), "Set executors to [\"aot\"]");
  addRow(rows, "112", graph(5).set("executors", R"(["graph", "aot"])"), "Set executors to [\"graph\"]");
  addRow(rows, "113", graph(5).set("style", R"("model")"), "Set style to \"full-model\"");
  addRow(rows, "115", graph(7).set("model_name", R"("other")"), "Set modules.default.model_name to \"default\"");
  addRow(rows, "115 key", graph(7).renameKey("modules/default", "other"),
         "Rename modules.other to 'default', as the files are named");
  addRow(rows, "116", graph(5).meta("2022-08-01 12", "2022-08-01T12"),
         "Set export_datetime to \"2022-08-01 12:00:00Z\"");
  addRow(rows, "116 stamp", graph(5).meta("2022-08-01 12", "2022-08-32 12"),
         "Set export_datetime to \"2022-08-01 12:00:00Z\", the time stamp of metadata.json");
  addRow(rows, "117", graph(5).meta("2022-08-01 12", "2022-08-01 05"),
         "Set export_datetime to \"2022-08-01 12:00:00Z\", the time stamp of metadata.json");
  addRow(rows, "120", graph(5).set("target", R"(["c -keys=cpu "])"),
         "Turn target into an object from device type to string");
  addRow(rows, "120 list", graph(6).set("target", R"({"1": "c -keys=cpu "})"), "Turn target into a list of strings");
  addRow(rows, "124", graph(5).renameKey("target/1", "2"),
         "Rename the key '2' to '1', the device type of the target and of its memory");
  addRow(rows, "125", aot(7).drop("url"), "Set modules.default.external_dependencies[0].url to './runtime'");
  addRow(rows, "126", aot(7).set("url", R"("./crt")"),
         "Set modules.default.external_dependencies[0].url to './runtime', where the C runtime is");
  addRow(rows, "127", aot(7).set("url_type", R"("url")"),
         "Set modules.default.external_dependencies[0].url_type to 'mlf_path', since './runtime' is in the archive");
  addRow(rows, "128", graph(7).add("./runtime/include/tvm/runtime/c_runtime_api.h", "#define TVM_VERSION \"0.12.0\"\n"),
         "List the C runtime of TVM 0.12.0 in modules.default.external_dependencies");
}

void addMemoryRows(Rows& rows) {
  addRow(rows, "201", aot(1).set("memory", "{}"), "Set memory to [], as for all AOT models");
  addRow(rows, "201 sids", graph(5).set("sids", "{}"), "Write memory.sids from the storages of the graph");
  addRow(rows, "202",
         aot(5).set("main",
                    R"({"device": 1, "workspace_size_bytes": 64, "constants_size_bytes": 0, "io_size_bytes": 32})"),
         "Turn memory.functions.main into a list with one entry");
  addRow(rows, "203", aot(2).set("constants_size_bytes", R"("0")"),
         "Set memory.functions.main[0].constants_size_bytes to 0");
  addRow(rows, "203 io", graph(2).drop("io_size_bytes"), "Set memory.functions.main[0].io_size_bytes to 32");
  addRow(
      rows, "204",
      aot(5).set("operator_functions", R"({"tvmgen_default_fused_add": [{"device": 1, "workspace_size_bytes": 32}]})"),
      "Turn the map 'operator_functions' into a list");
  addRow(rows, "204 number", aot(5).set("workspace", R"([{"device": 1, "workspace_size_bytes": "32"}])"),
         "Write the numbers of memory.functions.operator_functions[0].workspace[0] as numbers");
  addRow(
      rows, "205",
      aot(5).insertFirst(
          "operator_functions",
          R"({"function_name": "tvmgen_default_fused_add", "workspace": [{"device": 1, "workspace_size_bytes": 32}]})"),
      "Remove memory.functions.operator_functions[1], which repeats an earlier entry");
  addRow(rows, "206", aot(5).insertFirst("workspace", R"({"device": 1, "workspace_size_bytes": 32})"),
         "Remove memory.functions.operator_functions[0].workspace[1], which repeats an earlier entry");
  addRow(rows, "208", aot(5).set("workspace/workspace_size_bytes", "65"),
         "Raise memory.functions.main[0].workspace_size_bytes to 65, the largest workspace of a function",
         "changed ./codegen/host/include/tvmgen_default.h, changed ./metadata.json");
  addRow(rows, "209", aot(7).set("io_size_bytes", "31"),
         "Set modules.default.memory.functions.main[0].io_size_bytes to 32, the size of inputs and outputs");
  addRow(rows, "210", graph(5).set("constants_size_bytes", "20"),
         "Set memory.functions.main[0].constants_size_bytes to 16, the size of the parameters");
  addRow(rows, "211", graph(5).drop("sids"), "Write memory.sids from the storages of the graph");
  addRow(rows, "212", aot(5).insertBefore("functions", R"("sids": [])"),
         "Remove memory.sids; the AOT executor has no storages");
  addRow(rows, "213", graph(7).meta(R"("storage_id": 2)", R"("storage_id": 1)"),
         "Write modules.default.memory.sids from the storages of the graph");
  addRow(rows, "214", graph(7).drop("inputs/x/size"),
         "Set modules.default.memory.functions.main[0].inputs.x to 16 bytes of float32, as in the graph");
  addRow(rows, "214 output", graph(7).set("outputs/output/dtype", "1"),
         "Set modules.default.memory.functions.main[0].outputs.output to 16 bytes of float32, as in the graph");
  addRow(rows, "215", graph(7).set("inputs/x/size", "15"),
         "Set modules.default.memory.functions.main[0].inputs.x to 16 bytes of float32, as in the graph");
  addRow(rows, "216", op(7).set("size_bytes", "20"), "Set memory.add_op[0].size_bytes to 16, as shape and type say");
}

void addLayoutRows(Rows& rows) {
  addRow(rows, "302", graph(3).rename("./codegen/host/src/default_lib1.c", "./codegen/host/src/lib1.c"),
         "Move 'codegen/host/src/lib1.c' to 'codegen/host/src/default_lib1.c'",
         "removed ./codegen/host/src/lib1.c, added ./codegen/host/src/default_lib1.c");
  addRow(rows, "306", aot(5).remove(kParameters),
         "Add 'parameters/default.params' without parameters; the metadata says that there are none",
         "added ./parameters/default.params");
  addRow(rows, "307", graph(7).rename("./src/default.relay", "./src/relay.txt"),
         "Move 'src/relay.txt' to 'src/default.relay'", "removed ./src/relay.txt, added ./src/default.relay");
  addRow(rows, "308", graph(5).rename(kGraph5, "./runtime-config/graph/graph.json"),
         "Move 'runtime-config/graph/graph.json' to 'executor-config/graph/graph.json'",
         "removed ./runtime-config/graph/graph.json, added ./executor-config/graph/graph.json");
  addRow(rows, "310", graph(7).add("./relay.txt", graph(7).at("./src/default.relay")),
         "Remove 'relay.txt', which repeats 'src/default.relay'", "removed ./relay.txt");
}

void addParameterRows(Rows& rows) {
  const char* const changed = "changed ./parameters/default.params";
  addRow(rows, "401", parameters(0, "X"), "Write the magic number of a parameter list at 0x0", changed);
  addRow(rows, "404", parameters(42, "X"), "Write the magic number of a tensor at 0x2a", changed);
  addRow(rows, "405", parameters(90, littleEndian(15, 8)), "Set the data bytes of tensor 'p0' to 16", changed);
  addRow(rows, "406", parameters(58, littleEndian(2, 4)), "Set the device of tensor 'p0' to CPU 0", changed);
  addRow(rows, "409", graph(7).add(kParameters, mlfParameters({"p0", "p0"})).set("constants_size_bytes", "32"),
         "Remove the parameter 'p0' where it repeats an earlier one",
         "changed ./metadata.json, changed ./parameters/default.params");
  addRow(rows, "411", graph(7).add(kParameters, mlfParameters({"p0"}) + "abc"),
         "Remove 3 bytes from the end of parameters/default.params", changed);
  addRow(rows, "412", parameters(8, littleEndian(5, 8)), "Set the reserved word of the list to zero", changed);
  addRow(rows, "610", graph(7).add(kParameters, mlfParameters({"p0", "p9"})).set("constants_size_bytes", "32"),
         "Remove the parameter 'p9', which is not an input of the graph",
         "changed ./metadata.json, changed ./parameters/default.params");
}

void addGraphRows(Rows& rows) {
  const auto row = [&rows](const char* title, const Mlf& archive, const char* sentence) {
    addRow(rows, title, archive, sentence, "changed ./executor-config/graph/default.graph");
  };
  row("502", inGraph().insertBefore("node_row_ptr", R"("metadata": {})"),
      "Move 'metadata' to the end, after 'node_row_ptr'");
  row("502 missing", inGraph().drop("arg_nodes"), "Write 'arg_nodes' from the nodes of the graph");
  row("502 type", inGraph().set("node_row_ptr", "4"), "Write 'node_row_ptr' from the nodes of the graph");
  row("503", inGraph().insertBefore("heads", R"("more": 1)"), "Remove 'more' from executor-config/graph/default.graph");
  row("504", inGraph().set("node_row_ptr", R"([0, 1, 2, 3], "metadata": 0, "more": 1)"),
      "Remove 'more' from executor-config/graph/default.graph");
  row("505", inGraph().insertBefore("inputs", R"("kind": 1)"), "Remove 'kind' in node 0");
  row("505 inputs", inGraph().replace(kGraph7, R"(, "name": "x", "inputs": [])", R"(, "name": "x")"),
      "Set 'inputs' to an empty list in node 0");
  row("506", inGraph().replace(kGraph7, "tvm_op", "tvm_up"), "Set the operation of node 2 to 'tvm_op'");
  row("507", inGraph().replace(kGraph7, R"("name": "p0", "inputs": [])", R"("name": "p0", "inputs": [[0, 0, 0]])"),
      "Remove the inputs of node 1, which is an input itself");
  row("508", inGraph().set("num_inputs", "2"), "Set 'num_inputs' to '2' in the attributes of node 2");
  row("508 outputs", inGraph().drop("num_outputs"), "Set 'num_outputs' to '1' in the attributes of node 2");
  row("509", inGraph().set("num_inputs", R"("3")"), "Set num_inputs of node 2 to '2'");
  row("511", inGraph().set("arg_nodes", "[1, 0]"), "Write 'arg_nodes' from the nodes of the graph");
  row("513", inGraph().set("node_row_ptr", "[0, 1, 3, 4]"), "Write 'node_row_ptr' from the nodes of the graph");
  row("514", inGraph().set("shape", R"(["list_int", [[1, 4], [1, 4], [1, 4]]])"),
      "Set the tag of 'shape' to 'list_shape'");
  row("516", inGraph().insertBefore("dltype", R"("more": ["list_str", []])"),
      "Remove 'more' from executor-config/graph/default.graph");
  row("517", inGraph().set("dltype", R"(["list_str", ["float32", "flaot32", "float32"]])"),
      "Set the type of entry 1 to 'float32', as in the parameter file");
  row("518", inGraph().set("shape", R"(["list_shape", [[1, 4], [1, -4], [1, 4]]])"),
      "Set the shape of entry 1 to [1,4], as in the parameter file");
  row("519", inGraph().set("device_index", R"(["list_int", [1, "cpu", 1]])"),
      "Set the device of entry 1 to 1, the only one with memory");
  addRow(rows, "531",
         graph(5)
             .meta(R"({"storage_id": 2, "size_bytes": 16})", R"({"storage_id": 3, "size_bytes": 16})")
             .in(kGraph5)
             .set("storage_id", R"(["list_int", [0, 1, 3]])"),
         "Number the storages of the graph and of the metadata from 0 without gaps",
         "changed ./executor-config/graph/graph.json, changed ./metadata.json");
}

void addFileRows(Rows& rows) {
  const std::string extra = R"({"function_name": "tvmgen_default_fused_sub", "workspace": []})";
  addRow(rows, "602", graph(7).insertFirst("operator_functions", extra),
         "Remove 'tvmgen_default_fused_sub' from operator_functions");
  addRow(rows, "607", aot(7).replace(kHeader, "WORKSPACE_SIZE 64", "WORKSPACE_SIZE 65"),
         "Set TVMGEN_DEFAULT_WORKSPACE_SIZE in the header to 64, as in the metadata",
         "changed ./codegen/host/include/tvmgen_default.h");
  addRow(rows, "608", aot(7).replace(kHeader, "X_SIZE 16", "X_SIZE -1582571184"),
         "Set TVMGEN_DEFAULT_X_SIZE in the header to 16, as in the metadata",
         "changed ./codegen/host/include/tvmgen_default.h");
  addRow(rows, "612", graph(7).set("inputs/x/dtype", R"("int32")"),
         "Set modules.default.memory.functions.main[0].inputs.x to 16 bytes of float32, as in the graph");
  addRow(rows, "612 missing", graph(7).set("inputs", "{}"), "Add 'x' to the inputs, as in the graph");
  addRow(rows, "612 more", graph(7).insertFirst("inputs", R"("p0": {"size": 0, "dtype": "float32"})"),
         "Remove 'p0' from the inputs");
  addRow(rows, "613", graph(7).set("outputs/output/size", "12"),
         "Set modules.default.memory.functions.main[0].outputs.output to 16 bytes of float32, as in the graph");
  addRow(rows, "614", graph(7).meta(R"("storage_id": 2)", R"("storage_id": 3)"),
         "Write modules.default.memory.sids from the storages of the graph");
  addRow(rows, "615", graph(1).meta(R"("storage_id": 2, "size_bytes": 16)", R"("storage_id": 2, "size_bytes": 17)"),
         "Set memory[2].size_bytes to 16, which the graph needs");
  addRow(rows, "616", exporterSizes(), "Set memory.sids[1].size_bytes to 16, which the graph needs");
  addRow(rows, "617", graph(7).meta(R"("input_binding": "p0")", R"("input_binding": "p1")"),
         "Set modules.default.memory.sids[1].input_binding to 'p0'");
  addRow(rows, "617 none", graph(7).meta(R"("storage_id": 2)", R"("storage_id": 2, "input_binding": "x")"),
         "Remove modules.default.memory.sids[2].input_binding");
}

Rows allRows() {
  Rows rows;
  addContainerRows(rows);
  addMetadataRows(rows);
  addMemoryRows(rows);
  addLayoutRows(rows);
  addParameterRows(rows);
  addGraphRows(rows);
  addFileRows(rows);
  return rows;
}
} // namespace

void TestQuickFixes::eachRuleIsMended_data() {
  QTest::addColumn<std::string>("tar");
  QTest::addColumn<QString>("sentence");
  QTest::addColumn<QString>("changes");
  for (const Row& row : allRows()) QTest::newRow(row.title) << row.tar << row.sentence << row.changes;
}

/// The finding has gone, no other one has appeared, and no other file was changed.
void TestQuickFixes::eachRuleIsMended() {
  QFETCH(std::string, tar);
  QFETCH(QString, sentence);
  QFETCH(QString, changes);
  NullMonitor monitor;
  const std::string rule = "MLF-" + std::string(QTest::currentDataTag()).substr(0, 3);
  const library::PackagePtr package = openArchive(tar);
  QVERIFY(package);
  const auto plan = fix::planFixes(package, {}, {.rules = {rule}}, {}, monitor);
  QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
  QVERIFY(!plan->mended.empty());
  QCOMPARE(QString::fromStdString(plan->mended.front().sentence), sentence);
  QCOMPARE(QString::fromStdString(plan->mended.front().issue.quickFix), sentence);
  const QStringList before = linesOf(plan->before), after = linesOf(plan->after);
  for (const QString& line : before)
    if (line.startsWith(QString::fromStdString(rule.substr(4)))) QVERIFY2(!after.contains(line), qPrintable(line));
  for (const QString& line : after) QVERIFY2(before.contains(line), qPrintable(line));
  if (changes != QLatin1String("*")) QCOMPARE(changesOf(tar, plan->result->bytes.view()), changes);
  // The edits alone, applied to the archive as opened, give the same bytes.
  const auto again = fix::withEdits(package, plan->edits, {}, monitor);
  QVERIFY(again);
  QVERIFY(again->package->bytes.view() == plan->result->bytes.view());
}

void TestQuickFixes::everyRuleWithFixesHasARow() {
  QSet<QString> rules;
  for (const Row& row : allRows()) rules.insert(QStringLiteral("MLF-") + QString::fromLatin1(row.title).left(3));
  for (const check::RuleRow& row : check::rules())
    if (mlf::hasFixes(row.id)) QVERIFY2(rules.contains(QString::fromStdString(std::string(row.id))), row.id.data());
}

/// Every finding says what to do, also where Blobscope cannot do it.
void TestQuickFixes::everyRuleSaysWhatToDo() {
  int rules = 0, withFixes = 0;
  for (const check::RuleRow& row : check::rules()) {
    if (!row.id.starts_with("MLF-")) continue;
    ++rules;
    withFixes += mlf::hasFixes(row.id);
    QVERIFY2(!row.fix.empty(), std::string(row.id).c_str());
  }
  QCOMPARE(rules, 147);
  QCOMPARE(withFixes, 82);
}

void TestQuickFixes::nothingIsGuessed_data() {
  QTest::addColumn<std::string>("tar");
  const auto row = [](const char* title, const Mlf& archive) { QTest::newRow(title) << archive.tar(); };
  QTest::newRow("006 target outside of the archive") << with(graph(7), linkMember("./src/x", "/etc/passwd"));
  QTest::newRow("007 sparse files have content") << with(graph(7), MlfMember{"./src/x", {}, 'S'});
  row("102 values differ", graph(5).insertBefore("style", R"("model_name": "other")"));
  row("104 two versions fit", op(7).drop("version"));
  row("107 workspace", graph(5).drop("memory"));
  row("109 may be a misspelling", graph(5).renameKey("style", "stile"));
  row("204 no functions", aot(5).set("operator_functions", "{}"));
  row("205 entries differ",
      aot(5).insertFirst("operator_functions", R"({"function_name": "tvmgen_default_fused_add", "workspace": []})"));
  row("206 sizes differ", aot(5).insertFirst("workspace", R"({"device": 1, "workspace_size_bytes": 0})"));
  row("208 code has the size", aot(5)
                                   .set("workspace/workspace_size_bytes", "65")
                                   .replace("./codegen/host/src/default_lib0.c", "#include <tvmgen",
                                            "static uint8_t global_workspace[64];\n#include <tvmgen"));
  row("302 of two models", cleanMlfOfTwo().add("./codegen/host/src/other_lib0.c", ";\n"));
  row("306 parameters were lost", aot(5).set("constants_size_bytes", "16").remove(kParameters));
  row("310 another text", graph(7).add("./relay.txt"));
  Mlf twice = graph(7).add(kParameters, mlfParameters({"p0", "p0"})).set("constants_size_bytes", "32");
  twice.at(kParameters).back() = 'x';
  row("409 tensors differ", twice);
  row("513 counts may be wrong", inGraph().set("num_outputs", R"("2")"));
  row("602 the graph calls it",
      inGraph().set("func_name", R"("nobody")").in(kMetadata).set("function_name", R"("nobody")"));
  row("610 storages name it", graph(7)
                                  .add(kParameters, mlfParameters({"p0", "p9"}))
                                  .meta(R"("input_binding": "p0")", R"("input_binding": "p9")"));
  row("613 names are not in the graph", graph(7).insertFirst("outputs", R"("more": {"size": 0, "dtype": "float32"})"));
}

void TestQuickFixes::nothingIsGuessed() {
  QFETCH(std::string, tar);
  NullMonitor monitor;
  const std::string rule = "MLF-" + std::string(QTest::currentDataTag()).substr(0, 3);
  const auto report = mlf::checkArchive(bytes(tar), monitor);
  QVERIFY(report);
  bool found = false;
  for (const check::Issue& issue : report->issues) {
    if (issue.rule != rule) continue;
    found = true;
    QVERIFY2(issue.quickFix.empty(), issue.quickFix.c_str());
    QVERIFY(!issue.fix.empty());
  }
  QVERIFY(found);
}

BLOBSCOPE_TEST(TestQuickFixes);

#include "test_quick_fixes.moc"
