#include "core/mlf/machines.h"
#include "tests/core/mlf/clean_archives.h"
#include "tests/core/mlf/findings.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace blobscope;
using namespace blobscope::test;

namespace {

const std::string kSource0 = "./codegen/host/src/default_lib0.c", kSource1 = "./codegen/host/src/default_lib1.c",
                  kHeader = "./codegen/host/include/tvmgen_default.h", kGraph = "./executor-config/graph/default.graph",
                  kObject0 = "./codegen/host/lib/default_lib0.o", kObject1 = "./codegen/host/lib/default_lib1.o";
const std::string kKernel = "tvmgen_default_fused_add";

std::string object(const std::vector<std::string>& functions, uint16_t machine = 62, bool is64 = true,
                   bool big = false) {
  ElfBuilder elf;
  elf.type = 1;
  elf.machine = machine;
  elf.is64 = is64;
  elf.bigEndian = big;
  for (const std::string& function : functions) elf.function(function);
  return elf.build();
}

/// A graph archive for `llvm`, with its kernel in an object.
Mlf llvm(const std::string& target, const std::string& object1) {
  return graph()
      .remove(kSource0)
      .remove(kSource1)
      .set("target", R"([")" + target + R"("])")
      .add(kObject0, object({"TVMSystemLibEntryPoint"}))
      .add(kObject1, object1);
}

} // namespace

class TestFileRules : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void cleanArchivesHaveNoFindings();
  void eachDefectIsReported_data();
  void eachDefectIsReported();
  void sizesByTheExportersFormulaAreRecognised();
  void subByteTypesNeedAByteEachAtRunTime();
  void longestModuleNameOwnsTheFile();
  void duplicateFunctionsAreReported();
  void linkedParametersAreChecked();
  void targetDecidesTheMachines_data();
  void targetDecidesTheMachines();
  void unreadableObjectsCauseNoFindings();
  void namesOfEachEraAreAccepted();
  void damagedGraphsAreNotCompared();
  void checksCanBeCancelled();
};

void TestFileRules::cleanArchivesHaveNoFindings() {
  for (const MlfVariant& variant : mlfVariants())
    QCOMPARE(findingsOf(cleanMlf(variant.version, variant.style)), QStringList());
  QCOMPARE(findingsOf(cleanMlfOfTwo()), QStringList());
  QCOMPARE(findingsOf(cleanMlf(7, MlfStyle::Graph, "my_net")), QStringList());
  QCOMPARE(findingsOf(llvm("llvm -keys=cpu -mtriple=x86_64-linux-gnu", object({kKernel}))), QStringList());
}

void TestFileRules::eachDefectIsReported_data() {
  QTest::addColumn<QByteArray>("tar");
  QTest::addColumn<QStringList>("expected");
  const auto row = [](const char* title, const Mlf& archive, const QStringList& expected) {
    QTest::newRow(title) << QByteArray::fromStdString(archive.tar()) << expected;
  };
  const QString src0 = "codegen/host/src/default_lib0.c", src1 = "codegen/host/src/default_lib1.c",
                header = "codegen/host/include/tvmgen_default.h", file = "executor-config/graph/default.graph",
                params = "parameters/default.params";
  const QString kernel = QString::fromStdString(kKernel);

  // A name that is not a C identifier: the resulting C names are not judged, except for those that the graph calls.
  row("name with a dash", cleanMlf(7, MlfStyle::Graph, "my-model"),
      {"601 executor-config/graph/my-model.graph: node 2 calls 'tvmgen_my-model_fused_add', which is not defined in "
       "any generated file (follows from 119)"});
  row("name with a dash, AOT", cleanMlf(7, MlfStyle::Aot, "my-model"), {});

  // 601 – 604
  row("function that is not defined", graph().in(kGraph).set("func_name", R"("nobody")").add(kSource0, "\n"),
      {"601 " + file + ": node 2 calls 'nobody', which is not defined in any generated file"});
  row("listed function that is not defined",
      graph().insertFirst("operator_functions", R"({"function_name": "tvmgen_default_fused_sub", "workspace": []})"),
      {"602 operator function 'tvmgen_default_fused_sub' is not defined in any generated file"});
  row("kernel not listed", graph().add("./codegen/host/src/default_lib2.c", mlfKernel("tvmgen_default_fused_sub")),
      {"603 function 'tvmgen_default_fused_sub' is not in operator_functions"});
  row("called, but not listed",
      graph()
          .set("function_name", R"("__tvm_main__")")
          .replace(kSource1, "// tvm target", "int __tvm_main__(void) {}\n// tvm target"),
      {"603 function '" + kernel + "' is not in operator_functions"});
  row("no AOT main",
      aot().replace(kSource1, "TVM_DLL int32_t tvmgen_default___tvm_main__",
                    "static int32_t tvmgen_default___tvm_main__"),
      {"604 no AOT main function for 'default'"});
  row("AOT main of another era",
      aot(4).replace(kSource1, "TVM_DLL int32_t tvmgen_default_run_model", "int32_t tvmgen_default___tvm_main__"),
      {"604 no AOT main function for 'default'"});
  row("operator that is not defined", cleanMlf(7, MlfStyle::Operator).renameKey("add_op", "sub_op"),
      {"627 operator function 'sub_op' is not defined in any generated file"});

  // 605 – 609, 622, 626
  row("run is not defined",
      aot().replace(kSource0, "int32_t tvmgen_default_run(", "static int32_t tvmgen_default_run("),
      {"605 " + header + ": 'tvmgen_default_run' is declared, but not defined in any generated file"});
  row("run is not declared", aot().replace(kHeader, "int32_t tvmgen_default_run(", "// int32_t tvmgen_default_run("),
      {"606 " + header + " does not declare 'tvmgen_default_run'"});
  row("workspace macro", aot().replace(kHeader, "WORKSPACE_SIZE 64", "WORKSPACE_SIZE 65"),
      {"607 " + header + ": TVMGEN_DEFAULT_WORKSPACE_SIZE is 65, but the metadata says 64"});
  row("size macro", aot().replace(kHeader, "X_SIZE 16", "X_SIZE -1582571184"),
      {"608 " + header + ": TVMGEN_DEFAULT_X_SIZE is -1582571184, but the metadata says 16"});
  row("macro without a number", aot().replace(kHeader, "OUTPUT_SIZE 16", "OUTPUT_SIZE X"),
      {"608 " + header + ": TVMGEN_DEFAULT_OUTPUT_SIZE is 'X', but the metadata says 16"});
  row("fields", aot().replace(kHeader, "void* output;", "void* output0;"),
      {"609 " + header + ": struct tvmgen_default_outputs has output0, but the metadata has output"});
  row("no fields", aot().replace(kHeader, "void* x;", ""),
      {"609 " + header + ": struct tvmgen_default_inputs has no fields, but the metadata has x"});
  row("header is missing", aot().remove(kHeader),
      {"622 " + src0 + " includes 'tvmgen_default.h', which is not in the archive"});
  row("header under another case", aot().replace(kSource0, "<tvmgen_default.h>", R"("tvmgen_Default.h")"),
      {"622 " + src0 + " includes 'tvmgen_Default.h', which is not in the archive"});
  row("workspace array",
      aot().replace(kSource0, "#include <tvmgen", "static uint8_t global_workspace[60];\n#include <tvmgen"),
      {"626 " + src0 + ": workspace array has 60 bytes, but the metadata says 64"});
  row("workspace array that fits",
      aot().replace(kSource0, "#include <tvmgen", "static uint8_t global_workspace[64];\n#include <tvmgen"), {});

  // 610 – 617, 628
  row("parameter that is not an input", graph().add("./parameters/default.params", mlfParameters({"p0", "p9"})),
      {"610 " + params + ": parameter 'p9' is not an input of the graph"});
  row("shape of a parameter", graph().in(kGraph).set("shape", R"(["list_shape", [[1, 4], [2, 2], [1, 4]]])"),
      {"611 " + params + ": parameter 'p0' is [1, 4] float32, but the graph says [2, 2] float32"});
  row("type of a parameter", graph().in(kGraph).set("dltype", R"(["list_str", ["float32", "int32", "float32"]])"),
      {"611 " + params + ": parameter 'p0' is [1, 4] float32, but the graph says [1, 4] int32"});
  row("size of an input", graph().set("inputs/x/size", "20"),
      {"612 metadata.json: inputs: 'x' has 20 bytes of float32, but the graph says 16 bytes of float32"});
  row("type of an input", graph().set("inputs/x/dtype", R"("int32")"),
      {"612 metadata.json: inputs: 'x' has 16 bytes of int32, but the graph says 16 bytes of float32"});
  row("input that the graph lacks", graph().insertFirst("inputs", R"("y": {"size": 16, "dtype": "float32"})"),
      {"612 metadata.json: inputs: 'y' is no input of the graph"});
  row("input that the metadata lacks", graph().set("inputs", "{}"),
      {"612 metadata.json: inputs: lack 'x', an input of the graph"});
  row("parameter as input", graph().insertFirst("inputs", R"("p0": {"size": 16, "dtype": "float32"})"),
      {"612 metadata.json: inputs: 'p0' is a parameter"});
  row("size of an output", graph().set("outputs/output/size", "12"),
      {"613 metadata.json: outputs: one has 12 bytes of float32, but the graph has 16 bytes of float32"});
  row("number of outputs", graph().insertFirst("outputs", R"("more": {"size": 16, "dtype": "float32"})"),
      {"613 metadata.json: outputs: 2 listed, but the graph has 1"});
  row("order of storages", graph().meta(R"("storage_id": 2)", R"("storage_id": 3)"),
      {"614 metadata.json: storage ids are [0, 1, 3], but the graph uses [0, 1, 2]"});
  row("storages of version 1",
      cleanMlf(1, MlfStyle::Graph).meta(R"("storage_id": 2, "size_bytes": 16)", R"("storage_id": 2, "size_bytes": 17)"),
      {"615 metadata.json: storage 2 has size_bytes 17, but TVM writes 16 and the graph needs 16"});
  row("binding", graph().meta(R"("input_binding": "p0")", R"("input_binding": "p1")"),
      {"617 metadata.json: storage 1 has input_binding 'p1', expected 'p0'"});
  row("no binding", graph().meta(R"(, "input_binding": "p0")", ""),
      {"617 metadata.json: storage 1 has input_binding '(none)', expected 'p0'"});
  row("binding of an operator", graph().meta(R"("storage_id": 2)", R"("storage_id": 2, "input_binding": "x")"),
      {"617 metadata.json: storage 2 has input_binding 'x', expected '(none)'"});
  row("device", graph().in(kGraph).set("device_index", R"(["list_int", [1, 1, 2]])"),
      {"628 " + file + ": entry 2 is on device 2, which is not in main"});

  // 618 – 621, 623, 624
  const std::string x86 = "llvm -keys=cpu -mtriple=x86_64-linux-gnu", plain = "llvm -keys=cpu";
  row("machine", llvm("llvm -keys=cpu -mtriple=aarch64-linux-gnu", object({kKernel})),
      {"618 codegen/host/lib/default_lib0.o: object is ELF for x86_64, 64 bit, little endian, but the target is "
       "aarch64",
       "618 codegen/host/lib/default_lib1.o: object is ELF for x86_64, 64 bit, little endian, but the target is "
       "aarch64"});
  row("two machines", llvm(plain, object({kKernel}, 183)),
      {"619 codegen/host/lib/default_lib0.o is ELF for x86_64, 64 bit, little endian, but "
       "codegen/host/lib/default_lib1.o is ELF for aarch64, 64 bit, little endian"});
  row("empty object", llvm(x86, ""), {"620 codegen/host/lib/default_lib1.o is not a relocatable object: empty"});
  row("bitcode", llvm(x86, "BC\xc0\xde"),
      {"620 codegen/host/lib/default_lib1.o is not a relocatable object: LLVM bitcode"});
  row("twice in sources",
      graph()
          .add("./codegen/host/src/default_lib2.c", "int helper(void) {}\n")
          .add("./codegen/host/src/default_lib3.c", "int helper(void) {}\n"),
      {"621 'helper' is defined in codegen/host/src/default_lib2.c and in codegen/host/src/default_lib3.c"});
  row("twice in source and object", graph().add("./codegen/host/lib/default_lib0.o", object({kKernel})),
      {"621 '" + kernel + "' is defined in codegen/host/lib/default_lib0.o and in " + src1});
  row("count of the registry", graph().replace(kSource0, R"(\001\000)", R"(\002\000)"),
      {"623 " + src0 + ": function registry: the count is 2, 1 names follow"});
  row("one byte", graph().replace(kSource0, R"(\001\000)", R"(\001)"),
      {"623 " + src0 + ": function registry: the count has 1 byte, version 7 needs 2"});
  row("two bytes", graph(4).replace(kSource0, R"(\001)", R"(\001\000)"),
      {"623 " + src0 + ": function registry: the count has 2 bytes, version 4 needs 1"});
  row("either width in version 5", graph(5).replace(kSource0, R"(\001)", R"(\001\000)"), {});
  row("not in the registry", graph().replace(kSource0, R"(\001\000)" + kKernel, R"(\001\000other)"),
      {"623 " + src0 + ": function registry: lacks '" + kernel + "', which the graph calls"});
  row("registry without its last NUL",
      graph().replace(kSource0, R"(\001\000)" + kKernel + R"(\000)", R"(\001\000)" + kKernel),
      {"623 " + src0 + ": function registry: not a count and names that end with a NUL"});
  row("fewer functions", graph().replace(kSource0, "    (TVMBackendPackedCFunc)" + kKernel + ",\n", ""),
      {"623 " + src0 + ": function registry: 1 names but 0 functions"});
  row("target", graph().replace(kSource1, "// tvm target: c -keys=cpu ", "// tvm target: c -keys=arm_cpu,cpu"),
      {"624 " + src1 + " was generated for 'c -keys=arm_cpu,cpu'"});
  row("target without its space",
      graph().replace(kSource1, "// tvm target: c -keys=cpu ", "// tvm target: c -keys=cpu"), {});
}

void TestFileRules::eachDefectIsReported() {
  QFETCH(QByteArray, tar);
  QFETCH(QStringList, expected);
  const std::string_view text(tar.data(), static_cast<std::size_t>(tar.size()));
  QCOMPARE(findingsOf(text, {mlf::checkParameters, mlf::checkGraphs, mlf::checkAcrossFiles}), expected);
}

/// Section 6.3: the exporter looks up shape and type by the storage id instead of the entry, and the binding by the
/// entry instead of the node.
void TestFileRules::sizesByTheExportersFormulaAreRecognised() {
  // x (entry 0), split into three (1 – 3), p (4), join (5). Shapes 12, 4, 4, 4, 8, 20 floats; p has storage 4.
  const std::string text = expanded(R"({
  "nodes": [
    {"op": "null", "name": "x", "inputs": []},
    {"op": "tvm_op", "name": "s", "attrs": {${kernel}, "num_inputs": "1", "num_outputs": "3"}, "inputs": [[0, 0, 0]]},
    {"op": "null", "name": "p0", "inputs": []},
    {"op": "tvm_op", "name": "j", "attrs": {${kernel}, "num_inputs": "4", "num_outputs": "1"}, "inputs": ${inputs}},
    {"op": "tvm_op", "name": "k", "attrs": {${kernel}, "num_inputs": "1", "num_outputs": "1"}, "inputs": [[3, 0, 0]]}
  ],
  "arg_nodes": [0, 2],
  "heads": [[4, 0, 0]],
  "node_row_ptr": [0, 1, 4, 5, 6, 7],
  "attrs": {
    "dltype": ["list_str", ["float32", "float32", "float32", "float32", "float32", "float32", "float32"]],
    "storage_id": ["list_int", [0, 1, 2, 3, 4, 5, 1]],
    "shape": ["list_shape", [[12], [4], [4], [4], [1, 4], [20], [6]]]
  }
})",
                                    {{"kernel", R"("func_name": "tvmgen_default_fused_add", "flatten_data": "0")"},
                                     {"inputs", "[[1, 0, 0], [1, 1, 0], [1, 2, 0], [2, 0, 0]]"}});
  /// The elements of memory.sids, in the order of their storage ids.
  struct Storage {
    int sizeBytes;
    std::string binding = {};
  };
  const auto findings = [&](const std::vector<Storage>& storages) {
    std::string sids;
    for (std::size_t id = 0; id < storages.size(); ++id)
      sids +=
          (id == 0 ? "" : ",") +
          expanded(R"({"storage_id": ${id}, "size_bytes": ${size}${binding}})",
                   {{"id", std::to_string(id)},
                    {"size", std::to_string(storages[id].sizeBytes)},
                    {"binding",
                     storages[id].binding.empty() ? "" : R"(, "input_binding": ")" + storages[id].binding + R"(")"}});
    return findingsOf(
        graph(5).add("./executor-config/graph/graph.json", text).add(kSource0, "\n").set("sids", "[" + sids + "]"));
  };
  // As exported: storage 1 by shape[1], although entry 6 with 24 bytes also uses it; entry 2 takes "p0" as the name of
  // node 2, and entry 4, where p0 is, has no binding.
  QCOMPARE(findings({{48, "x"}, {16}, {16, "p0"}, {16}, {16}, {80}}),
           QStringList({"616 metadata.json: storage 1 has 16 bytes, but the graph needs 24"}));
  // Right sizes and bindings
  QCOMPARE(findings({{48, "x"}, {24}, {16}, {16}, {16, "p0"}, {80}}),
           QStringList({"617 metadata.json: storage 2 has input_binding '(none)', expected 'p0'",
                        "617 metadata.json: storage 4 has input_binding 'p0', expected '(none)'"}));
  // A size that is neither
  QCOMPARE(findings({{48, "x"}, {20}, {16, "p0"}, {16}, {16}, {80}}),
           QStringList({"615 metadata.json: storage 1 has size_bytes 20, but TVM writes 16 and the graph needs 24"}));
}

/// The exporter packs elements narrower than a byte, in storages and in inputs; at run time each takes one byte.
void TestFileRules::subByteTypesNeedAByteEachAtRunTime() {
  const Mlf made = graph()
                       .in(kGraph)
                       .set("dltype", R"(["list_str", ["int4", "float32", "float32"]])")
                       .set("shape", R"(["list_shape", [[1, 5], [1, 4], [1, 4]]])")
                       .in("./metadata.json")
                       .set("inputs/x/size", "3")
                       .set("inputs/x/dtype", R"("int4")")
                       .set("sids/size_bytes", "3");
  QCOMPARE(findingsOf(made), QStringList({"616 metadata.json: storage 0 has 3 bytes, but the graph needs 5"}));
}

/// Files and kernels belong to the longest module name that fits: 'net_lib0_lib0.c' does not belong to 'net'.
void TestFileRules::longestModuleNameOwnsTheFile() {
  Mlf two = cleanMlfOfTwo();
  two.replace("./codegen/host/src/net_lib0_lib1.c", "// tvm target: c -keys=cpu ", "// tvm target: llvm");
  QCOMPARE(findingsOf(two), QStringList({"624 codegen/host/src/net_lib0_lib1.c was generated for 'llvm'"}));
  Mlf prefixes = cleanMlfOfTwo("a", "a_fused");
  QCOMPARE(findingsOf(prefixes), QStringList());
}

/// Weak and static functions may be in several files; two graphs with a system library may not.
void TestFileRules::duplicateFunctionsAreReported() {
  ElfBuilder weak;
  weak.type = 1;
  weak.function("f").symbol("__truncsfhf2", 0, 4, 0x22, 1);
  ElfBuilder other;
  other.type = 1;
  other.function(kKernel).symbol("__truncsfhf2", 0, 4, 0x22, 1);
  QCOMPARE(findingsOf(llvm("llvm -keys=cpu", other.build()).add(kObject0, weak.build())), QStringList());
  Mlf two = cleanMlfOfTwo();
  two.replace(
      "./codegen/host/src/net_lib0_lib1.c", "// tvm target",
      "const TVMModule* TVMSystemLibEntryPoint(void) { return 0; }\nstatic int _helper(void) {}\n// tvm target");
  QCOMPARE(findingsOf(two), QStringList({"621 'TVMSystemLibEntryPoint' is defined in codegen/host/src/net_lib0.c and "
                                         "in codegen/host/src/net_lib0_lib1.c"}));
}

void TestFileRules::linkedParametersAreChecked() {
  const std::string target = "// tvm target: c -keys=cpu \n";
  const std::string parameter = "static const float __tvm_param__p0[4] = {0};\n";
  const std::string lookup = "TVM_DLL int32_t _lookup_linked_param(void* args) { return 0; }\n";
  QCOMPARE(findingsOf(graph(5).replace(kSource1, target, parameter + lookup + target)),
           QStringList(
               "625 parameters/default.params: 1 parameter(s) are also linked into the code; do not load this file"));
  // In the code only, or without the function that finds them
  QCOMPARE(findingsOf(graph(5).replace(kSource1, target, parameter + target)), QStringList());
  QCOMPARE(findingsOf(graph(7).replace(kSource1, target, parameter + lookup + target)), QStringList());
}

void TestFileRules::targetDecidesTheMachines_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("machines");
  const auto row = [](const char* target, const char* machines) { QTest::newRow(target) << target << machines; };
  row("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=cortex-m4", "x86_64");
  row("llvm -mtriple=armv7l-linux-gnueabihf", "arm");
  row("llvm -mtriple=thumbv7em-none-eabi", "arm");
  row("llvm -mtriple=arm64-apple-ios", "aarch64");
  row("llvm -mtriple=i686-pc-windows-msvc", "i386");
  row("llvm -mtriple=mips64el-linux-gnu", "mips64el mipsel");
  row("llvm -mtriple=powerpc64le-linux-gnu", "powerpc64le");
  row("llvm -mtriple=armeb-none-eabi", "armeb");
  row("llvm -mtriple=vax-dec", "");
  row("llvm -keys=cpu -mcpu=cortex-m55", "arm");
  row("llvm -mcpu=cortex-a53", "aarch64 arm");
  row("llvm -mcpu=cortex-a7", "arm");
  row("llvm -mcpu=skylake-avx512", "x86_64 i386");
  row("llvm -mcpu=generic-rv32", "riscv32");
  row("llvm -mcpu=generic -march=armv7e-m", "arm");
  row("llvm -march=rv64gc", "riscv64");
  row("llvm -march=armv8-a", "aarch64 arm");
  row("llvm -march=armv8.1-m.main", "arm");
  row("llvm -keys=cpu", "");
}

void TestFileRules::targetDecidesTheMachines() {
  QFETCH(QString, target);
  QFETCH(QString, machines);
  QStringList found;
  for (const std::string& machine : mlf::machinesOf(mlf::parseTarget(target.toStdString())))
    found += QString::fromStdString(machine);
  QCOMPARE(found.join(' '), machines);
}

/// An unreadable object may define anything.
void TestFileRules::unreadableObjectsCauseNoFindings() {
  const Mlf unknown = llvm("llvm -keys=cpu", std::string("\x01\x02\x00\x03", 4));
  QCOMPARE(findingsOf(unknown), QStringList());
  QCOMPARE(findingsOf(graph().remove(kSource0).remove(kSource1)), QStringList()); // rule 301 says that there is no code
}

/// Names of each era: headers in the model's case (0.8) and in lower case (0.9), two ways to call the AOT main in
/// version 5.
void TestFileRules::namesOfEachEraAreAccepted() {
  QCOMPARE(findingsOf(aot(5).replace(kSource1, "TVM_DLL int32_t tvmgen_default_run_model",
                                     "TVM_DLL int32_t tvmgen_default___tvm_main__")),
           QStringList());
  Mlf mixed = cleanMlf(7, MlfStyle::Aot, "MyNet");
  QCOMPARE(findingsOf(mixed).size(), 0);
  mixed.rename("./codegen/host/include/tvmgen_MyNet.h", "./codegen/host/include/tvmgen_mynet.h")
      .replace("./codegen/host/include/tvmgen_mynet.h", "int32_t tvmgen_MyNet_run", "int32_t tvmgen_mynet_run");
  QCOMPARE(findingsOf(mixed),
           QStringList({"605 codegen/host/include/tvmgen_mynet.h: 'tvmgen_mynet_run' is declared, but not defined in "
                        "any generated file",
                        "622 codegen/host/src/MyNet_lib0.c includes 'tvmgen_MyNet.h', which is not in the archive"}));
}

/// A graph with errors is not compared with other files.
void TestFileRules::damagedGraphsAreNotCompared() {
  for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{
           {"[1, 0, 0]]}", "[7, 0, 0]]}"}, {"[0, 1, 2]]", "[0, 1]]"}, {R"("float32")", R"("flaot")"}}) {
    const Mlf archive = graph().replace(kGraph, from, to);
    QCOMPARE(findingsOf(archive, {mlf::checkAcrossFiles}), QStringList());
  }
  Mlf parameters = graph();
  parameters.at("./parameters/default.params").resize(60);
  QCOMPARE(findingsOf(parameters, {mlf::checkAcrossFiles}), QStringList());
}

void TestFileRules::checksCanBeCancelled() {
  NullMonitor none;
  mlf::Findings findings;
  const Result<mlf::Model> model = mlf::readModel(bytes(graph().set("size_bytes", "17").tar()), findings, none);
  for (int looks = 0; looks < 8; ++looks) {
    StopAfter monitor(looks);
    mlf::checkAcrossFiles(*model, findings, monitor);
  }
  QVERIFY(findings.all().size() <= 8);
}

BLOBSCOPE_TEST(TestFileRules);
#include "test_file_rules.moc"
