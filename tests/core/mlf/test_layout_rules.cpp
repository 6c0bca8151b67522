#include "tests/core/mlf/clean_archives.h"
#include "tests/core/mlf/reported.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

class TestLayoutRules : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void eachDefectIsReported_data();
  void eachDefectIsReported() { BLOBSCOPE_COMPARE_FINDINGS(); }
};

void TestLayoutRules::eachDefectIsReported_data() {
  addBrokenColumns();
  using test::broken;
  broken("301 operator", op(7).remove("./codegen/host/src/lib0.c"), {"301 no generated code for 'default'"});
  broken("302", graph(5).rename("./codegen/host/src/default_lib1.c", "./codegen/host/src/kernels.c"),
         {"302 generated file 'codegen/host/src/kernels.c' does not match 'default_lib<n>.c'"});
  broken("302 name of 2 in 3", graph(3).rename("./codegen/host/src/default_lib1.c", "./codegen/host/src/lib1.c"),
         {"302 generated file 'codegen/host/src/lib1.c' does not match 'default_lib<n>.c'"});
  broken("302 name of 3 in 2", graph(2).rename("./codegen/host/src/lib1.c", "./codegen/host/src/default_lib1.c"),
         {"302 generated file 'codegen/host/src/default_lib1.c' does not match 'lib<n>.c'"});
  broken("302 operator", op(7).rename("./codegen/host/src/lib0.c", "./codegen/host/src/default_lib0.c"),
         {"302 generated file 'codegen/host/src/default_lib0.c' does not match 'lib<n>.c'"});
  broken("302 of two", cleanMlfOfTwo().add("./codegen/host/src/other_lib0.c", ";\n"),
         {"302 generated file 'codegen/host/src/other_lib0.c' does not match '<model>_lib<n>.c'"});
  broken("303", graph(5).rename("./codegen/host/src/default_lib1.c", "./codegen/host/src/default_lib2.c"),
         {"303 generated files in 'codegen/host/src' skip number 1"});
  broken("303 of two",
         cleanMlfOfTwo().rename("./codegen/host/src/net_lib0_lib0.c", "./codegen/host/src/net_lib0_lib2.c"),
         {"303 generated files in 'codegen/host/src' skip number 0"});
  broken("303 cc counts as well",
         graph(5).rename("./codegen/host/src/default_lib0.c", "./codegen/host/src/default_lib0.cc"), {});
  broken("304 src", graph(5).add("./codegen/host/src/default_lib2.S"),
         {"304 file 'codegen/host/src/default_lib2.S' has the wrong extension for its folder"});
  broken("304 lib", graph(5).add("./codegen/host/lib/default_lib0.c", ";\n"),
         {"304 file 'codegen/host/lib/default_lib0.c' has the wrong extension for its folder"});
  broken("305", graph(5).add("./codegen/gpu/src/a.cu").add("./codegen/gpu/src/b.cu"),
         {"305 unexpected codegen target folder 'codegen/gpu'"});
  broken("306", aot(5).remove("./parameters/default.params"), {"306 missing 'parameters/default.params'"});
  broken("307 in 3", graph(3).remove("./relay.txt"), {"307 missing 'relay.txt'"});
  broken("307 in 5", graph(5).remove("./src/relay.txt"), {"307 missing 'src/relay.txt'"});
  broken("307 in 7", graph(7).remove("./src/default.relay"), {"307 missing 'src/default.relay'"});
  broken("307 operator", op(7).remove("./src/tir-1.txt"), {"307 missing 'src/tir-1.txt'"});
  broken("308 in 4", graph(4).remove("./runtime-config/graph/graph.json"),
         {"308 missing 'runtime-config/graph/graph.json'"});
  broken("308 in 5", graph(5).remove("./executor-config/graph/graph.json"),
         {"308 missing 'executor-config/graph/graph.json'"});
  broken("308 in 7", graph(7).remove("./executor-config/graph/default.graph"),
         {"308 missing 'executor-config/graph/default.graph'"});
  broken("309", aot(5).add("./executor-config/graph/graph.json", "{}"),
         {"309 'executor-config/graph/graph.json' is present, but no model uses the graph executor"});
  broken("309 operator", op(5).add("./executor-config/graph/graph.json", "{}"),
         {"309 'executor-config/graph/graph.json' is present, but no model uses the graph executor"});
  broken("310 listing", graph(7).add("./relay.txt"), {"310 'relay.txt' belongs to the layout of another version"});
  broken("310 listing of 4 in 3", graph(3).add("./src/relay.txt"),
         {"310 'src/relay.txt' belongs to the layout of another version"});
  broken("310 graph", graph(7).add("./executor-config/graph/graph.json", "{}"),
         {"310 'executor-config/graph/graph.json' belongs to the layout of another version"});
  broken("310 graph of 4 in 5", graph(5).add("./runtime-config/graph/graph.json", "{}"),
         {"310 'runtime-config/graph/graph.json' belongs to the layout of another version"});
  broken("308 with 310", graph(5).rename("./executor-config/graph/graph.json", "./runtime-config/graph/graph.json"),
         {"308 missing 'executor-config/graph/graph.json'",
          "310 'runtime-config/graph/graph.json' belongs to the layout of another version"});
  broken("311 parameters", graph(7).add("./parameters/other.params", mlfParameters({})),
         {"311 'parameters/other.params' does not belong to any model"});
  broken("311 graph", graph(7).add("./executor-config/graph/other.graph", "{}"),
         {"311 'executor-config/graph/other.graph' does not belong to any model"});
  broken("311 listing", graph(7).add("./src/other.relay"), {"311 'src/other.relay' does not belong to any model"});
  broken("017 instead of 311 in 5", graph(5).add("./parameters/other.params", mlfParameters({})),
         {"017 stray file 'parameters/other.params'"});
  broken("017 parameters of an operator", op(5).add("./parameters/default.params", mlfParameters({})),
         {"017 stray file 'parameters/default.params'"});
  broken("017 TIR of a model", graph(5).add("./src/tir-1.txt"), {"017 stray file 'src/tir-1.txt'"});
  broken("nothing is stray below runtime and templates",
         aot(7).add("./runtime/template/__pycache__/a.pyc").add("./templates/x"), {});
}

BLOBSCOPE_TEST(TestLayoutRules);

#include "test_layout_rules.moc"
