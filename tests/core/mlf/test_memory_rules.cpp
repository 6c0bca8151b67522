#include "tests/core/mlf/reported.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

Mlf graph(unsigned version) { return cleanMlf(version, MlfStyle::Graph); }
Mlf aot(unsigned version) { return cleanMlf(version, MlfStyle::Aot); }
Mlf op(unsigned version) { return cleanMlf(version, MlfStyle::Operator); }

/// The text of a member with the range from `from` to the end of `to` replaced.
Mlf cutMeta(Mlf mlf, std::string_view from, std::string_view to, std::string_view by) {
  std::string& text = mlf.metadata();
  const std::size_t begin = text.find(from), end = text.find(to, begin);
  if (begin == std::string::npos || end == std::string::npos)
    text = "the builder has no '" + std::string(from) + "'";
  else
    text.replace(begin, end + to.size() - begin, by);
  return mlf;
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
  const std::string mainEntry =
      "{\"device\": 1, \"workspace_size_bytes\": 64, \"constants_size_bytes\": 0, \"io_size_bytes\": 32";
  const std::string kernel = "{\"function_name\": \"tvmgen_default_fused_add\", \"workspace\": [{\"device\": 1, "
                             "\"workspace_size_bytes\": 32}]}";

  // --- shape ---
  broken("201 object in 1", aot(1).meta("\"memory\": []", "\"memory\": {}"),
         {"201 metadata.json: memory is an object, expected a list of storage entries"});
  broken("201 list in 5", cutMeta(aot(5), "\"memory\": {", "]\n    }\n  }", "\"memory\": []"),
         {"201 metadata.json: memory is an array, expected an object with 'functions'"});
  broken("201 no functions", cutMeta(aot(5), "\"memory\": {", "]\n    }\n  }", "\"memory\": {}"),
         {"201 metadata.json: memory is an object without 'functions', expected an object with 'functions'"});
  broken("201 functions", cutMeta(aot(5), "\"functions\": {", "]\n    }", "\"functions\": []"),
         {"201 metadata.json: memory.functions is an array, expected an object"});
  broken("201 operator list", cutMeta(op(7), "\"memory\": {", "]}", "\"memory\": []"),
         {"201 metadata.json: memory is an array, expected an object from function to a list of buffers"});
  broken("201 operator empty", cutMeta(op(7), "\"memory\": {", "]}", "\"memory\": {}"),
         {"201 metadata.json: memory is an empty object, expected an object from function to a list of buffers"});
  broken("201 operator buffers", cutMeta(op(4), "\"add_op\": [", "]}", "\"add_op\": {}}"),
         {"201 metadata.json: memory.add_op is an object, expected a list of buffers"});
  broken("201 buffer", op(4).meta("\"shape\": [1, 4]", "\"shape\": 4"),
         {"201 metadata.json: memory.add_op[0] is a buffer without a list 'shape', expected an object with size_bytes, "
          "shape, dtype and input_binding"});
  broken("109 operator", op(4).meta("\"shape\"", "\"x\": 1, \"shape\""),
         {"109 metadata.json: unknown key 'x' in memory.add_op[0]"});

  // --- main ---
  broken("202 missing", cutMeta(aot(5), "\"main\": [", "],", ""),
         {"202 metadata.json: memory.functions: lacks 'main'"});
  broken("202 map", cutMeta(aot(5), "\"main\": [", "],", "\"main\": {},"),
         {"202 metadata.json: memory.functions.main: is an object, expected a list"});
  broken("202 empty", cutMeta(aot(5), "\"main\": [", "],", "\"main\": [],"),
         {"202 metadata.json: memory.functions.main: is empty"});
  broken("203 missing", aot(2).meta(", \"io_size_bytes\": 32", ""),
         {"203 metadata.json: memory.functions.main[0]: lacks 'io_size_bytes'"});
  broken("203 negative", aot(2).meta("\"constants_size_bytes\": 0", "\"constants_size_bytes\": -1"),
         {"203 metadata.json: memory.functions.main[0]: constants_size_bytes is -1"});
  broken("203 text", aot(2).meta("\"constants_size_bytes\": 0", "\"constants_size_bytes\": \"0\""),
         {"203 metadata.json: memory.functions.main[0]: constants_size_bytes is '0'"});
  broken("203 entry", cutMeta(aot(2), "\"main\": [", "],", "\"main\": [1],"),
         {"203 metadata.json: memory.functions.main[0]: is a number"});
  broken("206 main", aot(5).meta("\"main\": [", "\"main\": [" + mainEntry + "}, "),
         {"206 metadata.json: device 1 occurs twice in memory.functions.main"});
  broken("209", aot(7).meta("\"io_size_bytes\": 32", "\"io_size_bytes\": 31"),
         {"209 metadata.json: io_size_bytes is 31, but inputs and outputs need 32"});
  broken("209 more is normal", aot(7).meta("\"io_size_bytes\": 32", "\"io_size_bytes\": 64"), {});
  broken("214 one of two", cutMeta(aot(7), ", \"outputs\": {\"output\"", "}}", ""),
         {"214 metadata.json: modules.default.memory.functions.main[0]: has 'inputs' without 'outputs'"});
  broken("214 no size", aot(7).meta("\"x\": {\"size\": 16, ", "\"x\": {"),
         {"214 metadata.json: modules.default.memory.functions.main[0].inputs.x: lacks 'size'"});
  broken("214 dtype", aot(7).meta("\"dtype\": \"float32\"", "\"dtype\": 1"),
         {"214 metadata.json: modules.default.memory.functions.main[0].inputs.x: dtype is 1"});
  broken("214 unknown dtype", aot(7).meta("\"dtype\": \"float32\"", "\"dtype\": \"real\""),
         {"214 metadata.json: modules.default.memory.functions.main[0].inputs.x: dtype is 'real'"});
  broken(
      "215",
      aot(7)
          .meta("\"x\": {\"size\": 16", "\"x\": {\"size\": 15")
          .replace("./codegen/host/include/tvmgen_default.h", "_X_SIZE 16", "_X_SIZE 15"),
      {"215 metadata.json: modules.default.memory.functions.main[0].inputs.x: size 15 does not match dtype float32"});
  broken("215 packed",
         aot(7)
             .meta("\"x\": {\"size\": 16, \"dtype\": \"float32\"", "\"x\": {\"size\": 3, \"dtype\": \"int4\"")
             .replace("./codegen/host/include/tvmgen_default.h", "_X_SIZE 16", "_X_SIZE 3"),
         {});
  broken("218",
         aot(5).meta("\"main\": [", "\"main\": [{\"device\": 99, \"workspace_size_bytes\": 64, "
                                    "\"constants_size_bytes\": 0, \"io_size_bytes\": 0}, "),
         {"218 metadata.json: unknown device type 99"});

  // --- operator functions ---
  broken("204 missing", cutMeta(aot(5), ",\n      \"operator_functions\"", "}]}]", ""),
         {"204 metadata.json: memory.functions: lacks 'operator_functions'"});
  broken("204 map", cutMeta(aot(5), "\"operator_functions\": [", "}]}]", "\"operator_functions\": {}"),
         {"204 metadata.json: memory.functions.operator_functions: is an object, expected a list"});
  broken("204 name", aot(5).meta("\"function_name\": \"tvmgen_default_fused_add\", ", ""),
         {"204 metadata.json: memory.functions.operator_functions[0]: lacks 'function_name'",
          "603 function 'tvmgen_default_fused_add' is not in operator_functions"});
  broken("204 workspace",
         aot(5).meta("\"workspace\": [{\"device\": 1, \"workspace_size_bytes\": 32}]", "\"workspace\": {}"),
         {"204 metadata.json: memory.functions.operator_functions[0]: workspace is an object"});
  broken(
      "204 size",
      aot(5).meta("\"workspace\": [{\"device\": 1, \"workspace_size_bytes\": 32}]", "\"workspace\": [{\"device\": 1}]"),
      {"204 metadata.json: memory.functions.operator_functions[0].workspace[0]: lacks 'workspace_size_bytes'"});
  broken("204 external functions have no workspace",
         aot(5).meta("\"workspace\": [{\"device\": 1, \"workspace_size_bytes\": 32}]", "\"workspace\": []"), {});
  broken("205", aot(5).meta("\"operator_functions\": [", "\"operator_functions\": [" + kernel + ", "),
         {"205 metadata.json: operator function 'tvmgen_default_fused_add' is listed twice"});
  broken("206 workspace",
         aot(5).meta("\"workspace\": [", "\"workspace\": [{\"device\": 1, \"workspace_size_bytes\": 0}, "),
         {"206 metadata.json: device 1 occurs twice in memory.functions.operator_functions[0].workspace"});
  broken("207", aot(5).meta("\"workspace\": [", "\"workspace\": [{\"device\": 2, \"workspace_size_bytes\": 0}, "),
         {"207 metadata.json: 'tvmgen_default_fused_add' uses device 2, which is not in main"});
  broken("208", aot(5).meta("\"workspace_size_bytes\": 32", "\"workspace_size_bytes\": 65"),
         {"208 metadata.json: main workspace on device 1 is 64, but 'tvmgen_default_fused_add' needs 65"});
  broken("210", graph(5).meta("\"constants_size_bytes\": 16", "\"constants_size_bytes\": 20"),
         {"210 constants_size_bytes is 20, but the parameter file contains 16 bytes"});
  broken("210 not for AOT", aot(5).meta("\"constants_size_bytes\": 0", "\"constants_size_bytes\": 20"), {});

  // --- storage ---
  broken("211", cutMeta(graph(5), "\"sids\": [", "],", ""), {"211 metadata.json: memory has no sids"});
  broken("212", aot(5).meta("\"functions\"", "\"sids\": [], \"functions\""),
         {"212 metadata.json: memory has sids but no graph executor"});
  broken("213 not an object", graph(1).meta("{\"storage_id\": 2, \"size_bytes\": 16}", "2"),
         {"213 metadata.json: memory[2]: is a number"});
  broken("213 no size", graph(2).meta("{\"storage_id\": 2, \"size_bytes\": 16}", "{\"storage_id\": 2}"),
         {"213 metadata.json: memory.sids[2]: lacks 'size_bytes'"});
  broken("213 twice", graph(7).meta("{\"storage_id\": 2, ", "{\"storage_id\": 1, "),
         {"213 metadata.json: modules.default.memory.sids[2]: storage_id 1 occurs twice"});
  broken("213 binding", graph(7).meta("\"input_binding\": \"x\"", "\"input_binding\": 0"),
         {"213 metadata.json: modules.default.memory.sids[0]: input_binding is a number"});

  // --- operators ---
  broken("216", op(7).meta("\"size_bytes\": 16", "\"size_bytes\": 20"),
         {"216 metadata.json: memory.add_op[0]: size_bytes is 20, but shape and dtype give 16"});
  broken("216 packed",
         op(7).meta("\"size_bytes\": 16, \"shape\": [1, 4], \"dtype\": \"float32\"",
                    "\"size_bytes\": 3, \"shape\": [5], \"dtype\": \"int4\""),
         {});
  broken("217", op(7).meta("\"A_1\"", "null"), {"217 metadata.json: memory.add_op[0]: input_binding is null"});
}

BLOBSCOPE_TEST(TestMemoryRules);

#include "test_memory_rules.moc"
