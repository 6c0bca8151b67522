#include "core/program/graph.h"

#include "core/program/parameters.h"
#include "core/protocol/element_code.h"
#include "tests/support/counting_monitor.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using program::Model;
using program::Parameters;

namespace {

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string out;
  for (const int64_t extent : shape) out += (out.empty() ? "" : ",") + std::to_string(extent);
  return "[" + out + "]";
}

std::string constantText(const protocol::ProgramConstant& constant) {
  using Kind = protocol::ProgramConstant::Kind;
  switch (constant.kind) {
  case Kind::Shape: return shapeText(constant.shape);
  case Kind::Type: return protocol::typeText(constant.type);
  case Kind::Tensor:
    return protocol::typeText(constant.type) + shapeText(constant.shape) + "@" + std::to_string(constant.offset) +
           (constant.onHost ? " host" : "");
  default: return "?";
  }
}

std::string operandText(const Model& model, const protocol::ProgramOperand& operand) {
  using Kind = protocol::ProgramOperand::Kind;
  switch (operand.kind) {
  case Kind::Register: return "%" + std::to_string(operand.value);
  case Kind::Integer: return std::to_string(operand.value);
  case Kind::Constant: return constantText(model.program.constants.at(static_cast<std::size_t>(operand.value)));
  default: return "?";
  }
}

/// One line per step: "%2 = host(%0, %1 -> %3) 'node'".
std::string listing(const Model& model) {
  const protocol::ProgramFunction& function = model.program.functions.at(0);
  std::string out = model.entries.at(0).signature.text() + "\n";
  for (const protocol::ProgramStep& step : function.steps) {
    if (step.op == protocol::ProgramStep::Op::Return) {
      out += "ret %" + std::to_string(step.target) + "\n";
      continue;
    }
    if (step.target >= 0) out += "%" + std::to_string(step.target) + " = ";
    out += model.program.callees.at(step.callee).name + "(";
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      const bool firstOutput = step.outputs > 0 && i == step.arguments.size() - step.outputs;
      out += (firstOutput ? " -> " : i > 0 ? ", " : "") + operandText(model, step.arguments[i]);
    }
    out += ")" + (step.node.empty() ? "" : " '" + step.node + "'") + "\n";
  }
  return out;
}

library::Package packageWith(std::initializer_list<std::string_view> functions) {
  library::Package out;
  for (const std::string_view name : functions) out.host.functions.push_back({name, 0});
  return out;
}

Parameters::Item item(std::string name, protocol::DataType type, std::vector<int64_t> shape) {
  const auto size = protocol::dataBytes(type, shape);
  return {std::move(name), type, std::move(shape), bytes(std::string(size.value_or(0), 'x'))};
}

constexpr protocol::DataType kFloat = {2, 32, 1};

Result<Model> translated(const std::string& graph, const Parameters& params, const library::Package& package = {}) {
  NullMonitor monitor;
  return program::graphModel(package, bytes(graph), params, monitor);
}

std::string reasonOf(const Result<Model>& model) { return model ? "no error" : model.error().message(); }

/// `text` with the first `from` replaced, which must be in it.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return {};
  return text.replace(at, from.size(), to);
}

/// A reshape, a function with two outputs, one storage for three entries, a copy to the processor.
const std::string kGraph = R"({"nodes": [
 {"op": "null", "name": "x", "inputs": []},
 {"op": "null", "name": "p0", "inputs": []},
 {"op": "tvm_op", "name": "dense", "inputs": [[0, 0, 0], [1, 0, 0]],
  "attrs": {"func_name": "f_dense", "num_inputs": "2", "num_outputs": "1", "flatten_data": "0"}},
 {"op": "tvm_op", "name": "reshape_nop", "inputs": [[2, 0, 0]],
  "attrs": {"func_name": "__nop", "num_inputs": "1", "num_outputs": "1", "flatten_data": "0"}},
 {"op": "tvm_op", "name": "split", "inputs": [[3, 0, 0]],
  "attrs": {"func_name": "f_split", "num_inputs": "1", "num_outputs": "2", "flatten_data": "1"}},
 {"op": "tvm_op", "name": "__copy_1", "inputs": [[4, 1, 0]],
  "attrs": {"func_name": "__copy", "num_inputs": "1", "num_outputs": "1", "flatten_data": "0"}},
 {"op": "tvm_op", "name": "again", "inputs": [[4, 0, 0]],
  "attrs": {"func_name": "f_again", "num_inputs": "1", "num_outputs": "1", "flatten_data": "0"}}],
 "arg_nodes": [0, 1], "heads": [[5, 0, 0], [4, 1, 0], [6, 0, 0]], "node_row_ptr": [0, 1, 2, 3, 4, 6, 7, 8],
 "attrs": {
  "dltype": ["list_str", ["float32", "float32", "float32", "float32", "bool", "int8", "int8", "float16"]],
  "storage_id": ["list_int", [0, 1, 2, 2, 3, 4, 5, 2]],
  "shape": ["list_shape", [[1, 4], [4, 2], [1, 2], [2, 1], [2, 3], [2], [2], [5]]],
  "device_index": ["list_int", [2, 2, 2, 2, 2, 2, 1, 2]]}})";

Parameters oneParameter() {
  Parameters out;
  out.items.push_back(item("p0", kFloat, {4, 2}));
  out.items.push_back(item("not in the graph", kFloat, {1}));
  return out;
}

} // namespace

/// Graphs of the graph executor, the AOT executor and files of parameters as programs.
class TestGraph : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void graphsBecomePrograms();
  void graphsWithoutDevicesAreOnTheMainDevice();
  void inputsAndParametersCanBeResults();
  void parametersOfTheModuleAreReplaced();
  void damagedGraphsAreRefused_data();
  void damagedGraphsAreRefused();
  void truncatedGraphsAreRefused();
  void functionsMustExist();
  void translationCanBeStopped();
  void mainFunctionsOfAotBecomePrograms();
  void unusableMainFunctionsAreRefused_data();
  void unusableMainFunctionsAreRefused();
  void parameterFilesAreRead();
  void parameterFoldersAreRead();
};

void TestGraph::graphsBecomePrograms() {
  const auto model = translated(kGraph, oneParameter());
  QVERIFY2(model.hasValue(), reasonOf(model).c_str());
  QCOMPARE(QString::fromStdString(listing(*model)), QString::fromUtf8(R"(graph(x: Tensor([1, 4], float32))
%1 = storage.make(10, 0)
%2 = storage.make(6, 0)
%3 = storage.make(2, 0)
%4 = tensor.make(%1, 0, [1,2], float32)
%5 = tensor.make(%2, 0, [2,3], bool)
%6 = tensor.make(%3, 0, [2], int8)
%7 = tensor.make(%1, 0, [5], float16)
f_dense(%0, float32[4,2]@0 -> %4) 'dense'
%8 = tensor.reshape(%4, [2,1]) 'reshape_nop'
%9 = tensor.reshape(%8, [2])
%10 = tensor.reshape(%5, [6])
f_split(%9 -> %10, %6) 'split'
%11 = tensor.copy(%6, 1) '__copy_1'
f_again(%5 -> %7) 'again'
%12 = tuple.make(0, %11, %6, %7)
ret %12
)"));
  QCOMPARE(model->kind, std::string("graph executor"));
  QCOMPARE(model->entries[0].name, std::string("graph"));
  QCOMPARE(model->entries[0].results, (std::vector<std::string>{"__copy_1", "split:1", "again"}));
  QCOMPARE(model->entries[0].signature.parameters[0].deviceType, std::optional<int>(2));
  QVERIFY(model->entries[0].signature.source == host::Signature::Source::Graph);
  QCOMPARE(model->program.functions[0].registers, 13u);
  QCOMPARE(model->program.functions[0].parameters, 1u);
  QCOMPARE(model->tensors.size(), std::size_t(1));
  QCOMPARE(model->tensors[0].second.size(), uint64_t(32));
  const auto read = protocol::readProgram(bytes(protocol::writeProgram(model->program)));
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
  QVERIFY(*read == model->program);
}

void TestGraph::graphsWithoutDevicesAreOnTheMainDevice() {
  Parameters params;
  params.items.push_back(item("p0", kFloat, {4, 2}));
  const std::string graph = with(executorGraph(), R"(, "device_index": ["list_int", [1, 1, 1]])", "");
  const auto model = translated(graph, params);
  QVERIFY2(model.hasValue(), reasonOf(model).c_str());
  QCOMPARE(QString::fromStdString(listing(*model)), QString::fromUtf8(R"(graph(x: Tensor([1, 4], float32))
%1 = storage.make(4, 0)
%2 = tensor.make(%1, 0, [1,2], float16)
fused_dense(%0, float32[4,2]@0 -> %2) 'dense'
ret %2
)"));
  const auto onHost = translated(executorGraph(), params);
  QVERIFY2(onHost.hasValue(), reasonOf(onHost).c_str());
  QVERIFY(onHost->program.constants[0].onHost);
}

void TestGraph::inputsAndParametersCanBeResults() {
  Parameters params;
  params.items.push_back(item("p0", kFloat, {4, 2}));
  const auto parameter =
      translated(with(executorGraph(), R"("heads": [[2, 0, 0]])", R"("heads": [[1, 0, 0]])"), params);
  QVERIFY2(parameter.hasValue(), reasonOf(parameter).c_str());
  QVERIFY(QString::fromStdString(listing(*parameter)).endsWith("%3 = move(float32[4,2]@0 host)\nret %3\n"));
  const auto input = translated(with(executorGraph(), R"("heads": [[2, 0, 0]])", R"("heads": [[0, 0, 0]])"), {});
  QVERIFY2(input.hasValue(), reasonOf(input).c_str());
  QVERIFY(QString::fromStdString(listing(*input)).endsWith("\nret %0\n"));
  QCOMPARE(input->entries[0].signature.parameters.size(), std::size_t(2));
}

void TestGraph::parametersOfTheModuleAreReplaced() {
  const std::string stored(32, 's');
  const std::string payload =
      ByteBuilder().str(executorGraph()).raw(aotFactory({"p0"}, {{kFloat32, {4, 2}, stored}}, "default")).take();
  const std::string blob = classicBlob({{"GraphExecutorFactory", payload}, {"_lib", ""}}, {{{1}, {}}});
  const auto package = openBytes(ElfBuilder().function("fused_dense").data("__tvm_dev_mblob", blob).build());
  QVERIFY(package.hasValue());
  NullMonitor monitor;
  const library::Module& module = *(*package)->blobs.at(0)->modules.at(0);
  const auto own = program::graphModel(**package, module, nullptr, monitor);
  QVERIFY2(own.hasValue(), reasonOf(own).c_str());
  QCOMPARE(std::string(own->tensors.at(0).second.view()), stored);
  Parameters params;
  params.items.push_back(item("p0", kFloat, {4, 2}));
  const auto given = program::graphModel(**package, module, &params, monitor);
  QVERIFY2(given.hasValue(), reasonOf(given).c_str());
  QCOMPARE(std::string(given->tensors.at(0).second.view()), std::string(32, 'x'));
  const auto none = program::graphModel(**package, *(*package)->blobs.at(0)->modules.at(1), nullptr, monitor);
  QCOMPARE(reasonOf(none), std::string("the model cannot be run: module 1 has no graph"));
}

void TestGraph::damagedGraphsAreRefused_data() {
  QTest::addColumn<QByteArray>("from");
  QTest::addColumn<QByteArray>("to");
  QTest::addColumn<QByteArray>("reason");
  const auto row = [](const char* name, const char* from, const char* to, const char* reason) {
    QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(reason);
  };
  row("not JSON", "{\"nodes\"", "nodes", "graph: ");
  row("no heads", "\"heads\"", "\"tails\"", "graph: ");
  row("input that does not exist", "[[0, 0, 0], [1, 0, 0]]", "[[0, 0, 0], [9, 0, 0]]", "refers to node 9");
  row("input that comes later", "[[0, 0, 0], [1, 0, 0]]", "[[0, 0, 0], [5, 0, 0]]", "refers to node 5");
  row("output that does not exist", "[[4, 1, 0]]", "[[4, 2, 0]]", "refers to output 2");
  row("head that does not exist", "[5, 0, 0], [4", "[77, 0, 0], [4", "refers to node 77");
  row("no function", "f_dense", "", "node 'dense' has no 'func_name'");
  row("four billion outputs", "\"num_outputs\": \"2\"", "\"num_outputs\": \"4294967295\"", "");
  row("argument that is not an input", "\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 2]",
      "'arg_nodes' lists node 2, which is not an input");
  row("argument that does not exist", "\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 18446744073709551615]",
      "'arg_nodes' lists node 18446744073709551615, which is not an input");
  row("argument twice", "\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 0]", "'arg_nodes' lists node 0 twice");
  row("argument missing", "\"arg_nodes\": [0, 1]", "\"arg_nodes\": [1]", "'arg_nodes' does not list the input 'x'");
  row("type that TVM does not have", "[\"float32\", \"float32\"", "[\"float31\", \"float32\"", "'float31'");
  row("type without numbers", "[\"float32\", \"float32\"", "[\"handle\", \"float32\"",
      "node 'x' has a type that test runs do not support");
  row("packed type", "\"bool\"", "\"int4\"", "node 'split' has a type that test runs do not support");
  row("negative dimension", "[5]]", "[-5]]", "shape '[-5]'");
  row("dimension above 63 bits", "[5]]", "[9223372036854775808]]", "node 'again' has the shape [9223372036854775808]");
  row("size above 63 bits", "[5]]", "[4294967296, 4294967296]]",
      "node 'again' has the shape [4294967296, 4294967296], which is too large");
  row("storages above 63 bits", "[2, 3], [2]", "[9000000000000000000], [9000000000000000000]", "too large");
  row("storage on two devices", "[2, 2, 2, 2, 2, 2, 1, 2]", "[2, 2, 2, 2, 2, 2, 1, 1]", "storage 2 is on two devices");
  row("two kinds of devices", "[2, 2, 2, 2, 2, 2, 1, 2]", "[2, 2, 2, 2, 4, 2, 1, 2]",
      "it uses two devices besides the processor, of the types 2 and 4");
  row("texture", "\"device_index\"",
      R"("storage_scope": ["list_str", ["", "", "global.texture", "", "", "", "", ""]], "device_index")",
      "node 'dense' is in memory of the scope 'global.texture', which test runs do not support");
  row("nop of another size", "[2, 1]", "[2, 2]", "node 'reshape_nop' makes float32 [2, 2] of float32 [1, 2]");
  row("nop of another type", "\"float32\", \"bool\"", "\"int32\", \"bool\"",
      "node 'reshape_nop' makes int32 [2, 1] of float32 [1, 2]");
  row("nop with another storage", "[0, 1, 2, 2, 3", "[0, 1, 2, 6, 3", "node 'reshape_nop' has another storage");
  row("nop with two inputs", R"("name": "reshape_nop", "inputs": [[2, 0, 0]])",
      R"("name": "reshape_nop", "inputs": [[2, 0, 0], [1, 0, 0]])",
      "node 'reshape_nop' calls __nop with 2 inputs and 1 output");
  row("copy of nothing", "[[4, 1, 0]]", "[]", "node '__copy_1' calls __copy with 0 inputs and 1 output");
  row("parameter of another size", "[4, 2]", "[4, 3]",
      "parameter 'p0' is float32 [4, 2] with 32 bytes, but the model needs float32 [4, 3] with 48 bytes");
  row("parameter of another type", "[\"float32\", \"float32\"", "[\"float32\", \"int32\"",
      "parameter 'p0' is float32 [4, 2] with 32 bytes, but the model needs int32 [4, 2] with 32 bytes");
}

void TestGraph::damagedGraphsAreRefused() {
  QFETCH(QByteArray, from);
  QFETCH(QByteArray, to);
  QFETCH(QByteArray, reason);
  const std::string graph = with(kGraph, from.toStdString(), to.toStdString());
  QVERIFY(!graph.empty());
  const auto model = translated(graph, oneParameter());
  QVERIFY(!model.hasValue());
  QVERIFY(model.error().id() == DiagnosticId::RunProgram);
  QVERIFY2(reasonOf(model).find(reason.toStdString()) != std::string::npos, reasonOf(model).c_str());
}

void TestGraph::truncatedGraphsAreRefused() {
  for (std::size_t size = 0; size + 1 < kGraph.size(); ++size)
    QVERIFY(!translated(kGraph.substr(0, size), oneParameter()).hasValue());
}

void TestGraph::functionsMustExist() {
  const auto whole = translated(kGraph, oneParameter(), packageWith({"f_dense", "f_split", "f_again"}));
  QVERIFY2(whole.hasValue(), reasonOf(whole).c_str());
  const auto lacking = translated(kGraph, oneParameter(), packageWith({"f_dense", "f_again"}));
  QCOMPARE(reasonOf(lacking), std::string("the model cannot be run: the host code has no function 'f_split', which "
                                          "node 'split' calls"));
}

void TestGraph::translationCanBeStopped() {
  CountingMonitor counting;
  QVERIFY(program::graphModel({}, bytes(kGraph), oneParameter(), counting).hasValue());
  QVERIFY(counting.looks() > 0);
  for (uint64_t at = 0; at < counting.looks(); ++at) {
    CountingMonitor monitor(at);
    const auto model = program::graphModel({}, bytes(kGraph), oneParameter(), monitor);
    QVERIFY(!model.hasValue());
    QVERIFY(model.error().code() == ErrorCode::Cancelled);
  }
}

namespace {

host::Parameter argument(std::string name, std::string dtype, std::vector<int64_t> shape) {
  host::Parameter out;
  out.name = std::move(name);
  out.kind = host::Parameter::Kind::Tensor;
  out.dtype = std::move(dtype);
  out.rankKnown = true;
  for (const int64_t extent : shape) out.shape.push_back({extent, std::to_string(extent)});
  return out;
}

xref::Functions functionsWith(std::string symbol, std::vector<host::Parameter> parameters) {
  xref::Functions out;
  xref::HostFunction& function = out.hosts.emplace_back();
  function.symbol = symbol;
  function.signature.function = std::move(symbol);
  function.signature.source = host::Signature::Source::Assertions;
  function.signature.parameters = std::move(parameters);
  return out;
}

Result<Model> aotModel(const xref::Functions& functions) {
  const std::string payload = aotFactory({"w"}, {{kFloat32, {2}, floats({1, 2})}}, "net");
  const std::string blob = classicBlob({{"AotExecutorFactory", payload}, {"_lib", ""}}, {{{1}, {}}});
  NullMonitor monitor;
  BLOBSCOPE_TRY(package, openBytes(elfWith("__tvm_dev_mblob", blob)));
  return program::aotModel(package, *package->blobs.at(0)->modules.at(0), functions, monitor);
}

} // namespace

void TestGraph::mainFunctionsOfAotBecomePrograms() {
  const auto model = aotModel(
      functionsWith("tvmgen_net___tvm_main__", {argument("x", "float32", {1, 8}), argument("w", "float32", {2}),
                                                argument("output0", "float16", {3}), argument("output1", "", {2, 2})}));
  QVERIFY2(model.hasValue(), reasonOf(model).c_str());
  QCOMPARE(QString::fromStdString(listing(*model)), QString::fromUtf8(R"(main(x: Tensor([1, 8], float32))
%1 = storage.make(6, 1)
%2 = tensor.make(%1, 0, [3], float16)
%3 = storage.make(4, 1)
%4 = tensor.make(%3, 0, [2,2], bool)
tvmgen_net___tvm_main__(%0, float32[2]@0 host -> %2, %4)
%5 = tuple.make(0, %2, %4)
ret %5
)"));
  QCOMPARE(model->kind, std::string("AOT executor"));
  QCOMPARE(model->entries[0].name, std::string("main"));
  QCOMPARE(model->entries[0].results, (std::vector<std::string>{"output0", "output1"}));
  const auto read = protocol::readProgram(bytes(protocol::writeProgram(model->program)));
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());

  const auto other = aotModel(functionsWith("tvmgen_default___tvm_main__", {argument("output", "int8", {})}));
  QVERIFY2(other.hasValue(), reasonOf(other).c_str());
  QCOMPARE(QString::fromStdString(listing(*other)), QString::fromUtf8(R"(main()
%0 = storage.make(1, 1)
%1 = tensor.make(%0, 0, [], int8)
tvmgen_default___tvm_main__( -> %1)
ret %1
)"));
}

void TestGraph::unusableMainFunctionsAreRefused_data() {
  QTest::addColumn<QString>("change");
  QTest::addColumn<QByteArray>("reason");
  for (const auto& [change, reason] : std::initializer_list<std::pair<const char*, const char*>>{
           {"no function", "the host code has no function 'tvmgen_net___tvm_main__'"},
           {"no arguments", "the arguments of 'tvmgen_net___tvm_main__' are not known"},
           {"named output", "have names that do not show which of them are outputs"},
           {"no shape", "argument 'x' of 'tvmgen_net___tvm_main__' has no known shape"},
           {"variable", "argument 'x' of 'tvmgen_net___tvm_main__' has no known shape"},
           {"no kind", "argument 'x' of 'tvmgen_net___tvm_main__' has no known type"},
           {"pool", "argument 'x' of 'tvmgen_net___tvm_main__' is not a tensor, but a memory pool"},
           {"unknown type", "argument 'x' of 'tvmgen_net___tvm_main__' has no known type"},
           {"too large", "which is too large"},
           {"parameter of another size", "parameter 'w' is float32 [2] with 8 bytes"}})
    QTest::newRow(change) << QString(change) << QByteArray(reason);
}

void TestGraph::unusableMainFunctionsAreRefused() {
  QFETCH(QString, change);
  QFETCH(QByteArray, reason);
  xref::Functions functions =
      functionsWith("tvmgen_net___tvm_main__",
                    {argument("x", "float32", {1}), argument("w", "float32", {2}), argument("output", "float32", {1})});
  std::vector<host::Parameter>& parameters = functions.hosts[0].signature.parameters;
  if (change == "no function") functions.hosts[0].symbol = "tvmgen_net_fused_add";
  if (change == "no arguments") parameters.clear();
  if (change == "named output") parameters[2].name = "Identity";
  if (change == "no shape") parameters[0].rankKnown = false;
  if (change == "variable") parameters[0].shape[0] = {{}, "n"};
  if (change == "no kind") parameters[0].kind = host::Parameter::Kind::Unknown;
  if (change == "pool") parameters[0].kind = host::Parameter::Kind::Pointer;
  if (change == "unknown type") parameters[0].dtype = "quaternion32";
  if (change == "too large") parameters[0] = argument("x", "float32", {int64_t{1} << 40, int64_t{1} << 40});
  if (change == "parameter of another size") parameters[1] = argument("w", "float32", {3});
  const auto model = aotModel(functions);
  QVERIFY(!model.hasValue());
  QVERIFY(model.error().id() == DiagnosticId::RunProgram);
  QVERIFY2(reasonOf(model).find(reason.toStdString()) != std::string::npos, reasonOf(model).c_str());
}

void TestGraph::parameterFilesAreRead() {
  NullMonitor monitor;
  const std::string file =
      paramsFile({"p0", "p1"}, {{kFloat32, {2}, floats({1, 2})}, {kInt8, {}, std::string(1, '\x07')}});
  const auto params = program::readParameters(bytes(file), monitor);
  QVERIFY(params.hasValue());
  QCOMPARE(params->items.size(), std::size_t(2));
  QCOMPARE(params->items[0].name, std::string("p0"));
  QVERIFY(params->items[0].type == kFloat);
  QCOMPARE(params->items[0].shape, std::vector<int64_t>{2});
  QCOMPARE(std::string(params->items[0].data.view()), floats({1, 2}));
  QVERIFY(params->items[1].shape.empty());
  for (std::size_t size = 0; size < file.size(); ++size)
    QVERIFY(!program::readParameters(bytes(file.substr(0, size)), monitor).hasValue());
  const auto negative = program::readParameters(bytes(paramsFile({"p"}, {{kInt8, {-1}, ""}})), monitor);
  QVERIFY(!negative.hasValue());
  QCOMPARE(negative.error().message(), std::string("the weights cannot be read: parameter 'p' has the shape [-1]"));
}

void TestGraph::parameterFoldersAreRead() {
  const QTemporaryDir folder;
  QVERIFY(folder.isValid());
  NullMonitor monitor;
  const std::filesystem::path path = folder.path().toStdString();
  const auto empty = program::readParameterFolder(path, monitor);
  QVERIFY(!empty.hasValue());
  QVERIFY(empty.error().id() == DiagnosticId::RunParams);

  const auto write = [&](const char* name, std::string_view descr, std::string_view data) {
    const std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (2,), }\n";
    QFile file(folder.filePath(name));
    return file.open(QIODevice::WriteOnly) &&
           file.write(QByteArray::fromStdString(ByteBuilder()
                                                    .raw(std::string("\x93NUMPY\x01\x00", 8))
                                                    .u16(static_cast<uint16_t>(header.size()))
                                                    .raw(header)
                                                    .raw(data)
                                                    .take())) > 0;
  };
  QVERIFY(write("001-p1.npy", "|i1", "ab"));
  QVERIFY(write("000-p0.npy", "<f4", "abcdefgh"));
  QVERIFY(QFile(folder.filePath("readme.txt")).open(QIODevice::WriteOnly));
  QVERIFY(QDir(folder.path()).mkdir("folder.npy"));
  const auto numbered = program::readParameterFolder(path, monitor);
  QVERIFY2(numbered.hasValue(), numbered ? "" : numbered.error().message().c_str());
  QCOMPARE(numbered->items.size(), std::size_t(2));
  QCOMPARE(numbered->items[0].name, std::string("p0"));
  QVERIFY(numbered->items[0].type == kFloat);
  QCOMPARE(numbered->items[1].name, std::string("p1"));
  QCOMPARE(std::string(numbered->items[1].data.view()), std::string("ab"));

  QVERIFY(write("bias.npy", "<u2", "abcd"));
  const auto plain = program::readParameterFolder(path, monitor);
  QVERIFY(plain.hasValue());
  QCOMPARE(plain->items[0].name, std::string("000-p0"));
  QCOMPARE(plain->items[2].name, std::string("bias"));

  QVERIFY(write("short.npy", "<f4", "abcd"));
  QVERIFY(!program::readParameterFolder(path, monitor).hasValue());
  QVERIFY(!program::readParameterFolder(path / "not there", monitor).hasValue());
}

BLOBSCOPE_TEST(TestGraph);
#include "test_graph.moc"
