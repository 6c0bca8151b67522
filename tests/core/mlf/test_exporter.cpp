#include "core/mlf/exporter.h"

#include "core/mlf/reader.h"
#include "tests/core/base/compare.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// "RELEASE (SIGN)", or "unknown".
std::string exporterText(const std::string& tar) {
  NullMonitor monitor;
  mlf::Findings findings;
  auto model = mlf::readModel(bytes(tar), findings, monitor);
  if (!model) return model.error().message();
  mlf::Archive archive;
  archive.model = std::move(*model);
  archive.facts = mlf::readFileFacts(archive.model, monitor);
  const mlf::Exporter found = mlf::exporterOf(archive);
  return found.release.empty() && found.sign.empty() ? "unknown" : found.release + " (" + found.sign + ")";
}

void addColumns() {
  QTest::addColumn<std::string>("tar");
  QTest::addColumn<std::string>("exporter");
}
void row(const char* name, const Mlf& archive, const char* exporter) {
  QTest::newRow(name) << archive.tar() << std::string(exporter);
}
void compareRow() {
  QFETCH(std::string, tar);
  QFETCH(std::string, exporter);
  QCOMPARE(exporterText(tar), exporter);
  QCOMPARE(exporterText(tar), exporter); // the same each time
}

} // namespace

class TestExporter : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void versionsBefore5HaveOneExporter_data() {
    addColumns();
    row("version 1", cleanMlf(1, MlfStyle::Graph), "development of 0.8, March 2021 (format version 1)");
    row("version 2", cleanMlf(2, MlfStyle::Aot), "development of 0.8, May 2021 (format version 2)");
    row("version 3", cleanMlf(3, MlfStyle::Graph), "development of 0.8, June 2021 (format version 3)");
    row("version 4", cleanMlf(4, MlfStyle::Operator), "development of 0.8, July 2021 (format version 4)");
    row("version 6", cleanMlf(6, MlfStyle::Graph), "development of 0.9, May 2022 (format version 6)");
    row("signs of later versions count for nothing",
        cleanMlf(3, MlfStyle::Graph).add("./templates/a").add("./runtime/Makefile"),
        "development of 0.8, June 2021 (format version 3)");
  }
  void versionsBefore5HaveOneExporter() { compareRow(); }

  void version5IsNarrowedBySigns_data() {
    addColumns();
    const Mlf graph = cleanMlf(5, MlfStyle::Graph);
    row("no sign", graph, "0.8 or development of 0.9, early 2022 (format version 5)");
    row("an operator", cleanMlf(5, MlfStyle::Operator), "0.8 or development of 0.9, early 2022 (format version 5)");
    row("the header has the size of the workspace", cleanMlf(5, MlfStyle::Aot),
        "development of 0.9, early 2022 (format version 5, WORKSPACE_SIZE in the header)");
    row("the header has other macros only",
        cleanMlf(5, MlfStyle::Aot)
            .replace("./codegen/host/include/tvmgen_default.h", "_WORKSPACE_SIZE 64", "_OTHER 64"),
        "0.8 or development of 0.9, early 2022 (format version 5)");
    row("the count of the registry has two bytes",
        Mlf(graph).replace("./codegen/host/src/default_lib0.c", R"("\001)", R"("\001\000)"),
        "development of 0.9, early 2022 (format version 5, two bytes of count in the registry)");
    const auto registry = [&](const char* text) {
      return Mlf(graph)
          .replace("./codegen/host/src/default_lib0.c", R"(\001tvmgen_default_fused_add\000)", text)
          .add("./codegen/host/src/default_lib2.c", mlfKernel("_lookup_linked_param"));
    };
    row("the registry has no text", registry(""), "0.8 (format version 5, _lookup_linked_param)");
    row("the count is one byte", registry(R"(\001)"), "0.8 (format version 5, _lookup_linked_param)");
    row("the count is two bytes of zero", registry(R"(\000\000)"), "0.8 (format version 5, _lookup_linked_param)");
    row("the count is two bytes", registry(R"(\377\000)"),
        "development of 0.9, early 2022 (format version 5, two bytes of count in the registry)");
    row("it contains a runtime", Mlf(graph).add("./runtime/a.h"),
        "development of 0.9, early 2022 (format version 5, runtime/)");
    row("a file has the name of the runtime folder", Mlf(graph).add("./runtime"),
        "0.8 or development of 0.9, early 2022 (format version 5)");
    row("a function is __tvm_main__",
        Mlf(graph).add("./codegen/host/src/default_lib2.c", mlfKernel("tvmgen_default___tvm_main__")),
        "development of 0.9, early 2022 (format version 5, __tvm_main__)");
    row("one byte of count and linked parameters",
        Mlf(graph).add("./codegen/host/src/default_lib2.c", mlfKernel("_lookup_linked_param")),
        "0.8 (format version 5, _lookup_linked_param)");
    row("linked parameters without a registry",
        cleanMlf(5, MlfStyle::Operator).add("./codegen/host/src/lib1.c", mlfKernel("_lookup_linked_param")),
        "0.8 or development of 0.9, early 2022 (format version 5)");
    row("signs against each other: the first one decides",
        Mlf(graph).add("./runtime/a.h").add("./codegen/host/src/default_lib2.c", mlfKernel("_lookup_linked_param")),
        "development of 0.9, early 2022 (format version 5, runtime/)");
    row("several signs of one release: the first one is named", cleanMlf(5, MlfStyle::Aot).add("./runtime/a.h"),
        "development of 0.9, early 2022 (format version 5, WORKSPACE_SIZE in the header)");
  }
  void version5IsNarrowedBySigns() { compareRow(); }

  void version7IsNarrowedBySigns_data() {
    addColumns();
    const Mlf graph = cleanMlf(7, MlfStyle::Graph), op = cleanMlf(7, MlfStyle::Operator);
    Mlf plain = graph;
    plain.drop("main/inputs").drop("main/outputs");
    row("an operator", op, "0.9 to 0.18 (format version 7)");
    row("main lists no inputs", plain, "0.9 to 0.10 (format version 7, no inputs listed in the memory)");
    row("main lists its inputs", graph, "0.11 to 0.18 (format version 7, inputs listed in the memory)");
    row("inputs that are no object", Mlf(graph).set("main/inputs", "[]"),
        "0.9 to 0.10 (format version 7, no inputs listed in the memory)");
    row("an output has a name", Mlf(graph).renameKey("outputs/output", "softmax"),
        "0.12 to 0.18 (format version 7, inputs listed in the memory, outputs with names)");
    row("the outputs have numbers", Mlf(graph).renameKey("outputs/output", "output12"),
        "0.11 to 0.18 (format version 7, inputs listed in the memory)");
    row("a name that begins like a number", Mlf(graph).renameKey("outputs/output", "output_of_x"),
        "0.12 to 0.18 (format version 7, inputs listed in the memory, outputs with names)");
    row("the graph has storage scopes",
        Mlf(plain)
            .in("./executor-config/graph/default.graph")
            .insertBefore("dltype", R"("storage_scope": ["list_str", ["", "", ""]])"),
        "0.10 (format version 7, storage_scope in the graph, no inputs listed in the memory)");
    row("templates", Mlf(op).add("./templates/a"), "0.12 to 0.18 (format version 7, templates/)");
    row("a file named templates", Mlf(op).add("./templates"), "0.9 to 0.18 (format version 7)");
    row("a runtime with CMake", Mlf(op).add("./runtime/CMakeLists.txt"),
        "0.12 to 0.18 (format version 7, runtime/CMakeLists.txt)");
    row("a runtime with make", Mlf(op).add("./runtime/Makefile"), "0.9 to 0.11 (format version 7, runtime/Makefile)");
    row("inputs and make", Mlf(graph).add("./runtime/Makefile"),
        "0.11 (format version 7, inputs listed in the memory, runtime/Makefile)");
    row("signs against each other: the earlier ones decide", Mlf(op).add("./templates/a").add("./runtime/Makefile"),
        "0.12 (format version 7, templates/, runtime/Makefile)");
  }
  void version7IsNarrowedBySigns() { compareRow(); }

  void versionOfTheRuntimeDecides_data() {
    addColumns();
    const Mlf aot = cleanMlf(7, MlfStyle::Aot);
    row("its version", aot, "0.12.0 (external_dependencies in metadata.json)");
    row("a development version", Mlf(aot).meta("0.12.0", "0.14.dev0"),
        "0.14.dev0 (external_dependencies in metadata.json)");
    row("unprintable characters", Mlf(aot).meta("0.12.0", R"(0.1\n2)"),
        R"(0.1\n2 (external_dependencies in metadata.json))");
    row("the first of two modules", cleanMlfOfTwo(), "0.12.0 (external_dependencies in metadata.json)");
    const char* const signs = "0.12 to 0.18 (format version 7, inputs listed in the memory, templates/)";
    row("an empty version", Mlf(aot).set("version_spec", R"("")"), signs);
    row("a version that is a number", Mlf(aot).set("version_spec", "12"), signs);
    row("no version", Mlf(aot).drop("version_spec"), signs);
    row("no dependencies", Mlf(aot).drop("external_dependencies"), signs);
    row("dependencies that are no list", Mlf(aot).set("external_dependencies", R"({"version_spec": "0.12.0"})"), signs);
    row("dependencies that are no objects", Mlf(aot).set("external_dependencies", R"(["version_spec", 1, null])"),
        signs);
    row("the first one that has a version",
        Mlf(aot).insertFirst("external_dependencies", R"({"version_spec": 1}, {"version_spec": "0.13.0"})"),
        "0.13.0 (external_dependencies in metadata.json)");
  }
  void versionOfTheRuntimeDecides() { compareRow(); }

  void damagedArchivesHaveNoExporter_data() {
    addColumns();
    const Mlf op = cleanMlf(7, MlfStyle::Operator);
    row("no metadata", Mlf(op).remove("./metadata.json"), "unknown");
    row("metadata that is no JSON", Mlf(op).meta("{", ""), "unknown");
    row("no version", Mlf(op).drop("version"), "unknown");
    row("a version that is a text", Mlf(op).set("version", R"("7")"), "unknown");
    row("a negative version", Mlf(op).set("version", "-7"), "unknown");
    row("version 0", Mlf(op).set("version", "0"), "unknown");
    row("no modules", cleanMlf(7, MlfStyle::Graph).set("modules", "{}"), "0.9 to 0.18 (format version 7)");
    row("a memory that is a list", cleanMlf(7, MlfStyle::Graph).set("memory", "[]"),
        "0.9 to 0.10 (format version 7, no inputs listed in the memory)");
    QTest::newRow("an empty file") << std::string() << std::string("unknown");
    QTest::newRow("a tar that ends early") << op.tar().substr(0, 700) << std::string("unknown");
  }
  void damagedArchivesHaveNoExporter() { compareRow(); }
};

BLOBSCOPE_TEST(TestExporter);
#include "test_exporter.moc"
