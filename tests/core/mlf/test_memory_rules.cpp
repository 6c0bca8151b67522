#include "tests/core/mlf/clean_archives.h"
#include "tests/core/mlf/reported.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// An element of memory.functions.main.
std::string mainEntry(int device, int workspace, int inputsAndOutputs) {
  return expanded(R"({"device": ${device}, "workspace_size_bytes": ${workspace}, )"
                  R"("constants_size_bytes": 0, "io_size_bytes": ${io}})",
                  {{"device", std::to_string(device)},
                   {"workspace", std::to_string(workspace)},
                   {"io", std::to_string(inputsAndOutputs)}});
}

} // namespace

class TestMemoryRules : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void eachDefectIsReported_data();
  void eachDefectIsReported() { BLOBSCOPE_COMPARE_FINDINGS(); }
};

void TestMemoryRules::eachDefectIsReported_data() {
  addBrokenColumns();
  using test::broken;
  const std::string kernel =
      R"({"function_name": "tvmgen_default_fused_add", "workspace": [{"device": 1, "workspace_size_bytes": 32}]})";
  const std::string hostHeader = "./codegen/host/include/tvmgen_default.h";

  // --- shape ---
  broken("201 object in 1", aot(1).set("memory", "{}"),
         {"201 metadata.json: memory is an object, expected a list of storage entries"});
  broken("201 list in 5", aot(5).set("memory", "[]"),
         {"201 metadata.json: memory is an array, expected an object with 'functions'"});
  broken("201 no functions", aot(5).set("memory", "{}"),
         {"201 metadata.json: memory is an object without 'functions', expected an object with 'functions'"});
  broken("201 functions", aot(5).set("functions", "[]"),
         {"201 metadata.json: memory.functions is an array, expected an object"});
  broken("201 operator list", op(7).set("memory", "[]"),
         {"201 metadata.json: memory is an array, expected an object from function to a list of buffers"});
  broken("201 operator empty", op(7).set("memory", "{}"),
         {"201 metadata.json: memory is an empty object, expected an object from function to a list of buffers"});
  broken("201 operator buffers", op(4).set("add_op", "{}"),
         {"201 metadata.json: memory.add_op is an object, expected a list of buffers"});
  broken("201 buffer", op(4).set("shape", "4"),
         {"201 metadata.json: memory.add_op[0] is a buffer without a list 'shape', expected an object with size_bytes, "
          "shape, dtype and input_binding"});
  broken("109 operator", op(4).insertBefore("shape", R"("x": 1)"),
         {"109 metadata.json: unknown key 'x' in memory.add_op[0]"});

  // --- main ---
  broken("202 missing", aot(5).drop("main"), {"202 metadata.json: memory.functions: lacks 'main'"});
  broken("202 map", aot(5).set("main", "{}"),
         {"202 metadata.json: memory.functions.main: is an object, expected a list"});
  broken("202 empty", aot(5).set("main", "[]"), {"202 metadata.json: memory.functions.main: is empty"});
  broken("203 missing", aot(2).drop("io_size_bytes"),
         {"203 metadata.json: memory.functions.main[0]: lacks 'io_size_bytes'"});
  broken("203 negative", aot(2).set("constants_size_bytes", "-1"),
         {"203 metadata.json: memory.functions.main[0]: constants_size_bytes is -1"});
  broken("203 text", aot(2).set("constants_size_bytes", R"("0")"),
         {"203 metadata.json: memory.functions.main[0]: constants_size_bytes is '0'"});
  broken("203 entry", aot(2).set("main", "[1]"), {"203 metadata.json: memory.functions.main[0]: is a number"});
  broken("206 main", aot(5).insertFirst("main", mainEntry(1, 64, 32)),
         {"206 metadata.json: device 1 occurs twice in memory.functions.main"});
  broken("209", aot(7).set("io_size_bytes", "31"),
         {"209 metadata.json: io_size_bytes is 31, but inputs and outputs need 32"});
  broken("209 more is normal", aot(7).set("io_size_bytes", "64"), {});
  broken("214 one of two", aot(7).drop("outputs"),
         {"214 metadata.json: modules.default.memory.functions.main[0]: has 'inputs' without 'outputs'"});
  broken("214 no size", aot(7).drop("inputs/x/size"),
         {"214 metadata.json: modules.default.memory.functions.main[0].inputs.x: lacks 'size'"});
  broken("214 dtype", aot(7).set("inputs/x/dtype", "1"),
         {"214 metadata.json: modules.default.memory.functions.main[0].inputs.x: dtype is 1"});
  broken("214 unknown dtype", aot(7).set("inputs/x/dtype", R"("real")"),
         {"214 metadata.json: modules.default.memory.functions.main[0].inputs.x: dtype is 'real'"});
  broken(
      "215", aot(7).set("inputs/x/size", "15").replace(hostHeader, "_X_SIZE 16", "_X_SIZE 15"),
      {"215 metadata.json: modules.default.memory.functions.main[0].inputs.x: size 15 does not match dtype float32"});
  broken("215 packed",
         aot(7)
             .set("inputs/x/size", "3")
             .set("inputs/x/dtype", R"("int4")")
             .replace(hostHeader, "_X_SIZE 16", "_X_SIZE 3"),
         {});
  broken("218", aot(5).insertFirst("main", mainEntry(99, 64, 0)), {"218 metadata.json: unknown device type 99"});

  // --- operator functions ---
  broken("204 missing", aot(5).drop("operator_functions"),
         {"204 metadata.json: memory.functions: lacks 'operator_functions'"});
  broken("204 map", aot(5).set("operator_functions", "{}"),
         {"204 metadata.json: memory.functions.operator_functions: is an object, expected a list"});
  broken("204 name", aot(5).drop("function_name"),
         {"204 metadata.json: memory.functions.operator_functions[0]: lacks 'function_name'",
          "603 function 'tvmgen_default_fused_add' is not in operator_functions"});
  broken("204 workspace", aot(5).set("workspace", "{}"),
         {"204 metadata.json: memory.functions.operator_functions[0]: workspace is an object"});
  broken("204 size", aot(5).set("workspace", R"([{"device": 1}])"),
         {"204 metadata.json: memory.functions.operator_functions[0].workspace[0]: lacks 'workspace_size_bytes'"});
  broken("204 external functions have no workspace", aot(5).set("workspace", "[]"), {});
  broken("205", aot(5).insertFirst("operator_functions", kernel),
         {"205 metadata.json: operator function 'tvmgen_default_fused_add' is listed twice"});
  broken("206 workspace", aot(5).insertFirst("workspace", R"({"device": 1, "workspace_size_bytes": 0})"),
         {"206 metadata.json: device 1 occurs twice in memory.functions.operator_functions[0].workspace"});
  broken("207", aot(5).insertFirst("workspace", R"({"device": 2, "workspace_size_bytes": 0})"),
         {"207 metadata.json: 'tvmgen_default_fused_add' uses device 2, which is not in main"});
  broken("208", aot(5).set("workspace/workspace_size_bytes", "65"),
         {"208 metadata.json: main workspace on device 1 is 64, but 'tvmgen_default_fused_add' needs 65"});
  broken("210", graph(5).set("constants_size_bytes", "20"),
         {"210 constants_size_bytes is 20, but the parameter file contains 16 bytes"});
  broken("210 not for AOT", aot(5).set("constants_size_bytes", "20"), {});

  // --- storage ---
  broken("211", graph(5).drop("sids"), {"211 metadata.json: memory has no sids"});
  broken("212", aot(5).insertBefore("functions", R"("sids": [])"),
         {"212 metadata.json: memory has sids but no graph executor"});
  broken("213 not an object", graph(1).meta(R"({"storage_id": 2, "size_bytes": 16})", "2"),
         {"213 metadata.json: memory[2]: is a number"});
  broken("213 no size", graph(2).meta(R"({"storage_id": 2, "size_bytes": 16})", R"({"storage_id": 2})"),
         {"213 metadata.json: memory.sids[2]: lacks 'size_bytes'"});
  broken("213 twice", graph(7).meta(R"("storage_id": 2)", R"("storage_id": 1)"),
         {"213 metadata.json: modules.default.memory.sids[2]: storage_id 1 occurs twice"});
  broken("213 binding", graph(7).set("input_binding", "0"),
         {"213 metadata.json: modules.default.memory.sids[0]: input_binding is a number"});

  // --- operators ---
  broken("216", op(7).set("size_bytes", "20"),
         {"216 metadata.json: memory.add_op[0]: size_bytes is 20, but shape and dtype give 16"});
  broken("216 packed", op(7).set("size_bytes", "3").set("shape", "[5]").set("dtype", R"("int4")"), {});
  broken("217", op(7).set("input_binding", "null"), {"217 metadata.json: memory.add_op[0]: input_binding is null"});
}

BLOBSCOPE_TEST(TestMemoryRules);

#include "test_memory_rules.moc"
