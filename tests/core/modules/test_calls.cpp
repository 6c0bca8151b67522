#include "core/modules/calls.h"

#include "core/modules/registry.h"
#include "tests/core/base/compare.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

using namespace blobscope;
using namespace blobscope::test;
using modules::Call;
using modules::Calls;
using modules::Lookup;

namespace {

/// The first layout that uses all bytes.
modules::BodyPtr bodyOf(std::string_view key, const std::string& payload) {
  for (const modules::Layout& layout : modules::findCodec(key)->layouts) {
    Reader reader(bytes(payload));
    if (modules::BodyPtr body = layout.decode(reader, {false, false}); body && reader.left() == 0) return body;
  }
  qFatal("the module of this test cannot be read");
  return nullptr;
}
modules::BodyPtr graphBody(std::string_view json) {
  return bodyOf("GraphExecutorFactory", ByteBuilder().str(std::string(json)).raw(aotFactory({}, {}, "m")).take());
}
modules::BodyPtr relaxBody(const RelaxBuilder& relax) { return bodyOf("relax.Executable", relax.sized()); }
modules::BodyPtr relayBody(const RelayBuilder& relay) { return bodyOf("VMExecutable", relay.sized()); }

Calls callsOf(const modules::Body& body) {
  NullMonitor monitor;
  auto calls = modules::computeCalls(body, monitor);
  if (!calls) qFatal("reading was cancelled");
  return std::move(*calls);
}

/// "NAME KIND(PARAMETER, …) -> RESULT: CALL×TIMES to, …" per caller, separated by "; ".
std::string callersText(const Calls& calls) {
  std::string out;
  for (const modules::Caller& caller : calls.callers) {
    out += (out.empty() ? "" : "; ") + caller.name + " " + std::string(caller.kind) + "(";
    for (const modules::CalledParameter& one : caller.parameters) {
      out += (&one == &caller.parameters.front() ? "" : ", ") + one.name;
      if (!one.annotation.empty()) out += " as " + one.annotation;
      if (one.rank) out += " rank " + std::to_string(*one.rank);
      if (!one.dtype.empty()) out += " " + one.dtype;
      if (!one.shape.empty()) out += " [";
      for (const std::string& dimension : one.shape) out += (&dimension == &one.shape.front() ? "" : ",") + dimension;
      if (!one.shape.empty()) out += "]";
    }
    out += ")" + (caller.result.empty() ? "" : " -> " + caller.result) + ":";
    for (const Call& call : caller.calls)
      out += (&call == &caller.calls.front() ? " " : ", ") + call.name + "×" + std::to_string(call.times) +
             (call.to == Call::To::Packed     ? " packed"
              : call.to == Call::To::Bytecode ? " bytecode"
                                              : " compiled");
  }
  return out;
}

/// "FUNCTION(NAME TYPE [SHAPE], …)", separated by "; ".
std::string argumentsText(const Calls& calls) {
  std::string out;
  for (const modules::GraphArguments& one : calls.arguments) {
    out += (out.empty() ? "" : "; ") + one.function + "(";
    for (const auto& tensor : one.arguments) {
      out += (&tensor == &one.arguments.front() ? "" : ", ") + tensor.name + " " + tensor.dtype + " ";
      out += tensor.shape ? "[" : "?";
      for (std::size_t i = 0; tensor.shape && i < tensor.shape->size(); ++i)
        out += (i > 0 ? "," : "") + std::to_string((*tensor.shape)[i]);
      out += tensor.shape ? "]" : "";
    }
    out += ")";
  }
  return out;
}

std::string lookupsText(const modules::Body& body) {
  std::string out;
  for (const Lookup& lookup : modules::lookupsOf(body))
    out += (out.empty() ? "" : "; ") + lookup.name +
           (lookup.kind == Lookup::Kind::Compiled   ? " compiled"
            : lookup.kind == Lookup::Kind::Required ? " required"
                                                    : " optional") +
           (lookup.caller.empty() ? "" : " for " + lookup.caller) + " by " + std::string(lookup.format);
  return out;
}

/// An executable with `main`, which has `count` parameters and runs `code`; functions 0 and 1 are packed ones.
RelaxBuilder relaxWith(const char* packed, std::vector<std::vector<int64_t>> code) {
  RelaxBuilder relax(kTagsClassic);
  relax.code = std::move(code);
  relax.functions = {{0, packed, 0, 0, -2, 0, {}},
                     {1, "main", 0, static_cast<int64_t>(relax.code.size()), 2, 3, {"x", "w"}},
                     {2, "tir_main", 0, 0, 1, 0, {"p"}}};
  relax.constants.erase(relax.constants.begin(), relax.constants.begin() + 2); // the texts about types
  return relax;
}
constexpr int64_t imm(int64_t value) { return RelaxBuilder::immediate(value); }
constexpr int64_t kVoid = RelaxBuilder::kVoid;

} // namespace

class TestCalls : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void relaxFunctionsCall_data() {
    QTest::addColumn<std::string>("payload");
    QTest::addColumn<std::string>("callers");
    const auto row = [](const char* name, const RelaxBuilder& relax, const std::string& callers) {
      QTest::newRow(name) << relax.sized() << callers;
    };
    const std::string tir = "; tir_main VM-TIR(p):";
    RelaxBuilder relax(kTagsClassic);
    row("texts state the types", relax,
        "main VM(x as R.Tensor((2, 3), dtype=\"float32\"), w) -> R.Tensor((2, 3), dtype=\"float32\"): "
        "vm.builtin.alloc_storage×2 packed, tir_main×1 compiled" +
            tir);
    row("no instruction", relaxWith("f", {}), "main VM(x, w):" + tir);
    row("only a return", relaxWith("f", {{2, 0}}), "main VM(x, w):" + tir);
    row("a function is called twice", relaxWith("f", {{1, kVoid, 2, 0}, {1, kVoid, 0, 0}, {1, kVoid, 2, 0}, {2, 0}}),
        "main VM(x, w): tir_main×2 compiled, f×1 packed" + tir);
    row("it calls itself", relaxWith("f", {{1, kVoid, 1, 0}, {2, 0}}), "main VM(x, w): main×1 bytecode" + tir);
    row("a function is an argument", relaxWith("f", {{1, kVoid, 0, 2, RelaxBuilder::function(2), imm(1)}, {2, 0}}),
        "main VM(x, w): f×1 packed, tir_main×1 compiled" + tir);
    row("functions that do not exist",
        relaxWith("f",
                  {{1, kVoid, 99, 1, RelaxBuilder::function(3)}, {1, kVoid, 0, 1, RelaxBuilder::function(99)}, {2, 0}}),
        "main VM(x, w): f×1 packed" + tir);
    const auto ranged = [](int64_t start, int64_t end) {
      RelaxBuilder out = relaxWith("f", {{1, kVoid, 0, 0}, {2, 0}});
      out.functions[1].start = start;
      out.functions[1].end = end;
      return out;
    };
    row("the end is after the last instruction", ranged(0, 3), "main VM(x, w):" + tir);
    row("the start is negative", ranged(-1, 2), "main VM(x, w):" + tir);
    row("the end is before the start", ranged(1, 0), "main VM(x, w):" + tir);
    row("the largest numbers", ranged(INT64_MIN, INT64_MAX), "main VM(x, w):" + tir);
    row("one instruction of two", ranged(1, 2), "main VM(x, w):" + tir);
    row("up to the first instruction", ranged(0, 1), "main VM(x, w): f×1 packed" + tir);
  }
  void relaxFunctionsCall() {
    QFETCH(std::string, payload);
    QFETCH(std::string, callers);
    const auto body = bodyOf("relax.Executable", payload);
    QVERIFY(modules::isExecutable(*body) && !modules::hasGraph(*body));
    const Calls calls = callsOf(*body);
    QCOMPARE(callersText(calls), callers);
    QCOMPARE(callersText(callsOf(*body)), callers); // the same each time
    QVERIFY(calls.arguments.empty());
  }

  void checksOfParametersAreRead_data() {
    QTest::addColumn<std::string>("payload");
    QTest::addColumn<std::string>("parameters");
    // Constant 2 is the data type of the builder without its two texts.
    const auto row = [](const char* name, const char* check, std::vector<int64_t> arguments, const char* parameters) {
      arguments.insert(arguments.begin(), {1, kVoid, 0, static_cast<int64_t>(arguments.size())});
      QTest::newRow(name) << relaxWith(check, {arguments, {2, 0}}).sized() << std::string(parameters);
    };
    const auto constant = [](int64_t number) { return RelaxBuilder::constant(number); };
    const char* const tensor = "vm.builtin.check_tensor_info";
    row("a rank", tensor, {0, imm(4)}, "x rank 4, w");
    row("of the second parameter", tensor, {1, imm(4)}, "x, w rank 4");
    row("of a register that is no parameter", tensor, {2, imm(4)}, "x, w");
    row("of a number", tensor, {imm(0), imm(4)}, "x, w");
    row("the largest rank", tensor, {0, imm(64)}, "x rank 64, w");
    row("a rank that is too large", tensor, {0, imm(65)}, "x, w");
    row("a negative rank", tensor, {0, imm(-1)}, "x, w");
    row("a type", tensor, {0, imm(2), constant(2)}, "x rank 2 float32, w");
    row("a constant that is no type", tensor, {0, imm(2), constant(1)}, "x rank 2, w");
    row("a constant that does not exist", tensor, {0, imm(2), constant(99)}, "x rank 2, w");
    row("no argument", tensor, {}, "x, w");
    const char* const shape = "vm.builtin.match_shape";
    row("a shape", shape, {0, 0, imm(2), imm(0), imm(8), imm(1), imm(5)}, "x [8,s5], w");
    row("a dimension that is not checked and one that is compared", shape,
        {0, 0, imm(2), imm(2), imm(0), imm(3), imm(1)}, "x [,s1], w");
    row("no dimension", shape, {0, 0, imm(0)}, "x, w");
    row("more dimensions than arguments", shape, {0, 0, imm(2), imm(0), imm(8), imm(0)}, "x, w");
    row("a negative number of dimensions", shape, {0, 0, imm(-1), imm(0), imm(8)}, "x, w");
    row("an absurd number of dimensions", shape, {0, 0, imm(int64_t{1} << 54), imm(0), imm(8)}, "x, w");
    row("a number of dimensions that is a register", shape, {0, 0, 1, imm(0), imm(8)}, "x, w");
    row("a shape without arguments", shape, {}, "x, w");
    row("another function checks nothing", "vm.builtin.match", {0, 0, imm(1), imm(0), imm(8)}, "x, w");
  }
  void checksOfParametersAreRead() {
    QFETCH(std::string, payload);
    QFETCH(std::string, parameters);
    const std::string text = callersText(callsOf(*bodyOf("relax.Executable", payload)));
    QCOMPARE(text.substr(0, text.find("):")), "main VM(" + parameters);
  }

  void theFirstShapeCounts() {
    const std::vector<int64_t> first = {1, kVoid, 0, 5, 0, 0, imm(1), imm(0), imm(8)};
    std::vector<int64_t> second = first;
    second.back() = imm(9);
    const std::string text =
        callersText(callsOf(*relaxBody(relaxWith("vm.builtin.match_shape", {first, second, {2, 0}}))));
    QVERIFY(text.starts_with("main VM(x [8], w): vm.builtin.match_shape×2 packed"));
  }

  void relayFunctionsCall_data() {
    QTest::addColumn<std::string>("payload");
    QTest::addColumn<std::string>("calls");
    const auto row = [](const char* name, std::vector<std::vector<uint64_t>> code, const char* calls) {
      RelayBuilder relay(4);
      if (!code.empty()) relay.code = std::move(code);
      QTest::newRow(name) << relay.sized() << std::string(calls);
    };
    row("a packed function and itself", {}, " fused_add×1 packed, main×1 bytecode");
    row("a closure", {relayInstruction(8, {0, 0, 1})}, " main×1 bytecode");
    row("only a return", {relayInstruction(1, {5})}, "");
    row("a packed function twice", {relayInstruction(4, {0, 3, 1, 0, 1, 4}), relayInstruction(4, {0, 3, 1, 0, 1, 4})},
        " fused_add×2 packed");
    row("functions that do not exist", {relayInstruction(4, {1, 3, 1, 0, 1, 4}), relayInstruction(2, {7, 1, 5, 4})},
        "");
    row("negative numbers",
        {relayInstruction(4, {UINT64_MAX, 3, 1, 0, 1, 4}), relayInstruction(2, {1ULL << 63, 1, 5, 4})}, "");
  }
  void relayFunctionsCall() {
    QFETCH(std::string, payload);
    QFETCH(std::string, calls);
    const auto body = bodyOf("VMExecutable", payload);
    QVERIFY(modules::isExecutable(*body));
    QCOMPARE(callersText(callsOf(*body)), "main Relay VM(x, y):" + calls);
  }

  void graphsCall_data() {
    QTest::addColumn<std::string>("json");
    QTest::addColumn<std::string>("callers");
    QTest::addColumn<std::string>("arguments");
    const auto row = [](const char* name, const std::string& json, const char* callers, const char* arguments) {
      QTest::newRow(name) << json << std::string(callers) << std::string(arguments);
    };
    row("a graph", executorGraph(), " graph(): fused_dense×1 packed",
        "fused_dense(x float32 [1,4], p0 float32 [4,2], dense float16 [1,2])");
    row("nothing", "", "", "");
    row("no JSON", "{\"nodes\": [", "", "");
    row("a list", "[]", "", "");
    row("no nodes", "{}", "", "");
    row("nodes that are no list", R"({"nodes": {}})", "", "");
    row("an empty list", R"({"nodes": []})", " graph():", "");
    row("nodes that are no objects", R"({"nodes": [1, null, "x", []]})", " graph():", "");
    row("a name that is a number", R"({"nodes": [{"attrs": {"func_name": 1}}]})", " graph():", "");
    row("no shapes", R"({"nodes": [{"name": "a", "attrs": {"func_name": "f"}}]})", " graph(): f×1 packed", "f()");
    row("the older key", R"({"nodes": [{"name": "a", "attr": {"func_name": "f"}}]})", " graph(): f×1 packed", "f()");
    const auto graph = [](const char* nodes, const char* attributes, const char* rows = "null") {
      return std::string(R"({"nodes": [)") + nodes + R"(], "attrs": {)" + attributes + R"(}, "node_row_ptr": )" + rows +
             "}";
    };
    const char* const types = R"("shape": [[1], [2], [3]], "dltype": ["a", "b", "c"])";
    row("the first node of a function counts",
        graph(R"({"name": "x", "attrs": {"func_name": "f"}}, {"name": "y", "attrs": {"func_name": "f"}})", types),
        " graph(): f×2 packed", "f(x a [1])");
    row("two outputs", graph(R"({"name": "x", "attrs": {"func_name": "f", "num_outputs": "2"}})", types),
        " graph(): f×1 packed", "f(x:0 a [1], x:1 b [2])");
    row("more outputs than shapes", graph(R"({"name": "x", "attrs": {"func_name": "f", "num_outputs": 9}})", types),
        " graph(): f×1 packed", "f(x:0 a [1], x:1 b [2], x:2 c [3])");
    row("an absurd number of outputs",
        graph(R"({"name": "x", "attrs": {"func_name": "f", "num_outputs": 18446744073709551615}})", types),
        " graph(): f×1 packed", "f(x:0 a [1], x:1 b [2], x:2 c [3])");
    row("the second output is an input",
        graph(R"({"name": "x"}, {"name": "y", "inputs": [[0, 1, 0]], "attrs": {"func_name": "f"}})", types, "[0, 2]"),
        " graph(): f×1 packed", "f(x b [2], y c [3])");
    row("an input that does not exist",
        graph(R"({"name": "y", "inputs": [[1, 0, 0]], "attrs": {"func_name": "f"}})", types), " graph(): f×1 packed",
        "f()");
    row("an output number that is too large",
        graph(R"({"name": "y", "inputs": [[0, 18446744073709551615, 0]], "attrs": {"func_name": "f"}})", types, "[1]"),
        " graph(): f×1 packed", "f(y b [2], y b [2])");
    row("an input that is no list", graph(R"({"name": "y", "inputs": [0], "attrs": {"func_name": "f"}})", types),
        " graph(): f×1 packed", "f()");
    row("a start beyond the shapes",
        graph(R"({"name": "y", "attrs": {"func_name": "f"}})", types, "[18446744073709551615]"), " graph(): f×1 packed",
        "f()");
    const auto shape = [&](const char* value) {
      return graph(R"({"name": "y", "attrs": {"func_name": "f"}})",
                   (R"("shape": [)" + std::string(value) + "]").c_str());
    };
    row("a shape without dimensions", shape("[]"), " graph(): f×1 packed", "f(y  [])");
    row("a negative dimension", shape("[1, -1]"), " graph(): f×1 packed", "f(y  ?)");
    row("a dimension in quotes", shape(R"([1, "2"])"), " graph(): f×1 packed", "f(y  [1,2])");
    row("a dimension that is a word", shape(R"([1, "n"])"), " graph(): f×1 packed", "f(y  ?)");
    row("the largest dimension", shape("[9223372036854775807]"), " graph(): f×1 packed", "f(y  [9223372036854775807])");
    row("a dimension that is too large", shape("[9223372036854775808]"), " graph(): f×1 packed", "f(y  ?)");
    row("a shape that is a number", shape("3"), " graph(): f×1 packed", "f(y  ?)");
  }
  void graphsCall() {
    QFETCH(std::string, json);
    QFETCH(std::string, callers);
    QFETCH(std::string, arguments);
    const auto body = graphBody(json);
    QVERIFY(!modules::isExecutable(*body) && modules::hasGraph(*body));
    const Calls calls = callsOf(*body);
    QCOMPARE(callersText(calls), callers);
    QCOMPARE(argumentsText(calls), arguments);
  }

  void executablesLookNamesUp() {
    QCOMPARE(lookupsText(*relaxBody(RelaxBuilder(kTagsClassic))),
             std::string(
                 "vm.builtin.alloc_storage optional by Relax VM; __vmtir__tir_main compiled for tir_main by Relax VM"));
    RelaxBuilder twice = relaxWith("f", {});
    twice.functions[2] = {0, "f", 0, 0, 0, 0, {}};
    QCOMPARE(lookupsText(*relaxBody(twice)), std::string("f optional by Relax VM"));
    QCOMPARE(lookupsText(*relaxBody(relaxWith("", {}))),
             std::string("__vmtir__tir_main compiled for tir_main by Relax VM"));
    QCOMPARE(lookupsText(*relayBody(RelayBuilder(4))), std::string("fused_add required by Relay VM"));
  }

  void graphsLookNamesUp_data() {
    QTest::addColumn<std::string>("json");
    QTest::addColumn<std::string>("names"); // each followed by a blank
    const auto row = [](const char* name, const char* json, const char* names) {
      QTest::newRow(name) << std::string(json) << std::string(names);
    };
    row("nothing", "", "");
    row("a name", R"({"func_name": "f"})", "f ");
    row("spaces", "{\"func_name\"\t:\r\n \"f\"}", "f ");
    row("each name once, in stored order", R"("func_name":"b" "func_name":"a" "func_name":"b")", "b a ");
    row("functions that are built in", R"("func_name": "__nop", "func_name": "__copy", "func_name": "__other")",
        "__other ");
    row("an empty name", R"("func_name": "")", "");
    row("a name with an escape sequence", R"("func_name": "a\u0062", "func_name": "c")", "c ");
    row("a name that is a number", R"("func_name": 1, "func_name": "f")", "f ");
    row("JSON in JSON", "\"a\": \"{\\\"func_name\\\": \\\"f\\\"}\"", "");
    row("a value of that text", R"(["func_name", "x"])", "");
    row("another member that ends the same", R"("my_func_name": "f")", "");
    row("the text ends in the name", "\"func_name\": \"f", "");
    row("the text ends before the name", R"("func_name":)", "");
    row("the text ends before the colon", R"("func_name")", "");
  }
  void graphsLookNamesUp() {
    QFETCH(std::string, json);
    QFETCH(std::string, names);
    std::string found;
    for (const Lookup& lookup : modules::lookupsOf(*graphBody(json))) {
      found += lookup.name + " ";
      QVERIFY(lookup.kind == Lookup::Kind::Required && lookup.caller.empty() && lookup.format == "graph executor");
    }
    QCOMPARE(found, names);
  }

  void otherModulesCallNothing() {
    const auto body = bodyOf("AotExecutorFactory", aotFactory({}, {}, "default"));
    QVERIFY(!modules::isExecutable(*body) && !modules::hasGraph(*body));
    QVERIFY(modules::lookupsOf(*body).empty());
    const Calls calls = callsOf(*body);
    QVERIFY(calls.callers.empty() && calls.arguments.empty());
  }

  void stopEndsTheReading() {
    StopAfter stop(0), again(0);
    for (const auto& result : {modules::computeCalls(*relaxBody(RelaxBuilder(kTagsClassic)), stop),
                               modules::computeCalls(*relayBody(RelayBuilder(4)), again)}) {
      QVERIFY(!result);
      QCOMPARE(result.error().code(), ErrorCode::Cancelled);
    }
  }
};

BLOBSCOPE_TEST(TestCalls);

#include "test_calls.moc"
