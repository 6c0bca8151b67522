#include "core/program/relay.h"

#include "tests/core/base/compare.h"
#include "tests/core/program/program_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <QDir>

#include <filesystem>

using namespace blobscope;
using namespace blobscope::test;

namespace {

using Code = std::vector<std::vector<uint64_t>>;

std::vector<uint64_t> op(uint64_t opcode, const std::vector<int64_t>& fields) {
  return relayInstruction(opcode, {fields.begin(), fields.end()});
}
std::vector<uint64_t> move(int64_t from, int64_t to) { return op(0, {from, to}); }
std::vector<uint64_t> ret(int64_t reg) { return op(1, {reg}); }
std::vector<uint64_t> branch(int64_t test, int64_t target, int64_t yes, int64_t no) {
  return op(10, {test, target, yes, no});
}
std::vector<uint64_t> jump(int64_t offset) { return op(12, {offset}); }
std::vector<uint64_t> loadInteger(int64_t value, int64_t to) { return op(14, {value, to}); }
const std::vector<uint64_t> kFatal = op(15, {});

struct VmFunction {
  std::string name;
  std::vector<std::string> parameters;
  std::string registers;
  Code code;
};

/// An executable of several functions; every part can be changed before sized().
struct Vm {
  int generation = 4;
  /// Type and memory scope; generations 3 and 4.
  std::vector<std::pair<uint32_t, std::string>> devices = {{1, ""}};
  std::vector<VmFunction> functions = {};
  std::vector<std::string> globals = {}; ///< empty: the names of the functions
  std::vector<TensorText> constants = {};
  std::string lateConstant = {}; ///< the name of one more constant
  std::vector<std::string> primitives = {};
  uint64_t device = 0; ///< of constants and parameters

  std::string sized() const {
    ByteBuilder out;
    out.u64(kVmMagic1).str("0.17.0");
    if (generation >= 3) {
      out.u64(devices.size());
      for (const auto& [type, scope] : devices) {
        out.u32(type).u32(0);
        if (generation >= 4) out.str(scope);
      }
      out.u32(0);
    }
    std::vector<std::string> names = globals;
    if (names.empty())
      for (const VmFunction& function : functions) names.push_back(function.name);
    out.raw(nameList(names));
    out.u64(constants.size() + (lateConstant.empty() ? 0 : 1));
    for (const TensorText& tensor : constants) {
      if (generation >= 3) out.u32(0);
      out.raw(tensorBytes(tensor));
    }
    if (!lateConstant.empty()) out.u32(1).str(lateConstant);
    out.words(std::vector<uint64_t>(constants.size() + (lateConstant.empty() ? 0 : 1), device));
    out.raw(nameList(primitives));
    if (generation >= 2) out.u64(0); // attributes
    out.u64(functions.size());
    for (const VmFunction& function : functions) {
      out.u64(3).str(function.name).str(function.registers).str(std::to_string(function.code.size()));
      out.raw(nameList(function.parameters));
      out.words(std::vector<uint64_t>(function.parameters.size(), device));
      for (const auto& instruction : function.code) out.words(instruction);
    }
    return ByteBuilder().str(out.take()).take();
  }
};
/// An executable with only main, which has one parameter and four registers.
Vm mainOf(Code code, int generation = 4) {
  Vm vm;
  vm.generation = generation;
  if (generation == 2) vm.device = 1;
  vm.functions = {{"main", {"x"}, "4", std::move(code)}};
  vm.constants = {{0x00014000, {}, std::string(8, '\1')}, {kFloat32, {2, 3}, std::string(24, '\2')}};
  vm.primitives = {"add", "external"};
  return vm;
}

Result<program::Model> translated(std::string_view key, const std::string& payload, const xref::Functions& functions,
                                  Monitor& monitor, const program::Parameters* params = nullptr) {
  const auto package = openBytes(elfWith("__tvm_dev_mblob", classicBlob({{std::string(key), payload}, {"_lib", ""}},
                                                                        std::vector<std::vector<uint64_t>>{{1}, {}})));
  if (!package || (*package)->blobs.empty()) qFatal("the library of this test cannot be opened");
  return program::relayModel(*package, *(*package)->blobs[0]->modules[0], functions, params, monitor);
}
Result<program::Model> translated(const Vm& vm, const xref::Functions& functions = {},
                                  const program::Parameters* params = nullptr) {
  NullMonitor monitor;
  return translated("VMExecutable", vm.sized(), functions, monitor, params);
}

/// "tensor 2.32.1 [2,3] +64 host" per constant.
std::string constantsText(const protocol::Program& program) {
  std::string out;
  for (const protocol::ProgramConstant& constant : program.constants) {
    using Kind = protocol::ProgramConstant::Kind;
    out += out.empty() ? "" : "; ";
    out += constant.kind == Kind::Tensor ? "tensor" : constant.kind == Kind::Shape ? "shape" : "type";
    if (constant.kind != Kind::Shape)
      out += " " + std::to_string(constant.type.code) + "." + std::to_string(constant.type.bits) + "." +
             std::to_string(constant.type.lanes);
    if (constant.kind != Kind::Type) {
      out += " [";
      for (const int64_t extent : constant.shape) out += (out.back() == '[' ? "" : ",") + std::to_string(extent);
      out += "]";
    }
    if (constant.kind == Kind::Tensor) out += " +" + std::to_string(constant.offset);
    out += constant.onHost ? " host" : "";
  }
  return out;
}

host::Parameter tensor(const char* dtype, const std::vector<const char*>& shape) {
  host::Parameter out;
  out.kind = host::Parameter::Kind::Tensor;
  out.dtype = dtype;
  out.rankKnown = *dtype != '\0';
  for (const char* extent : shape) out.shape.push_back(host::dimensionOf(extent));
  return out;
}
xref::Functions hosts(const std::vector<std::pair<const char*, std::vector<host::Parameter>>>& functions) {
  xref::Functions out;
  for (const auto& [name, parameters] : functions) {
    xref::HostFunction& function = out.hosts.emplace_back();
    function.signature.function = function.symbol = name;
    function.signature.source = host::Signature::Source::Assertions;
    function.signature.parameters = parameters;
  }
  return out;
}

} // namespace

/// Bytecode of the Relay VM as a program.
class TestRelayProgram : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void instructionsBecomeSteps_data() {
    QTest::addColumn<int>("generation");
    QTest::addColumn<Code>("code");
    QTest::addColumn<std::string>("steps");
    const auto row = [](const char* name, Code code, const char* steps, int generation = 4) {
      QTest::newRow(name) << generation << std::move(code) << std::string(steps);
    };
    row("move", {move(0, 1), ret(1)}, "main 1/4: $1 = move($0); return $1;");
    row("constant", {op(11, {1, 0, 2}), ret(2)}, "main 1/4: $2 = move(c1); return $2;");
    row("constant, generation 3", {op(11, {1, 2}), ret(2)}, "main 1/4: $2 = move(c1); return $2;", 3);
    row("constant, generation 2", {op(11, {1, 2}), ret(2)}, "main 1/4: $2 = move(c1); return $2;", 2);
    row("integer", {loadInteger(-7, 1), ret(1)}, "main 1/4: $1 = move(-7); return $1;");
    row("storage of a size", {op(16, {1, 64, 2, 32, 1, 0, 0, 3}), ret(3)},
        "main 1/4: $3 = storage.make($1, 1); return $3;");
    row("storage of a shape; its size register is not set", {op(16, {-99, 64, 2, 32, 1, 0, 2, 3, 2, 5}), ret(3)},
        "main 1/4: $3 = storage.make(40, 1); return $3;");
    row("storage, generation 3", {op(16, {1, 64, 2, 32, 1, 0, 3}), ret(3)},
        "main 1/4: $3 = storage.make($1, 1); return $3;", 3);
    row("storage on the host, generation 2", {op(16, {1, 64, 2, 32, 1, 1, 3}), ret(3)},
        "main 1/4: $3 = storage.make($1, 1); return $3;", 2);
    row("storage on a GPU, generation 2", {op(16, {1, 64, 2, 32, 1, 2, 3}), ret(3)},
        "main 1/4: $3 = storage.make($1, 0); return $3;", 2);
    row("tensors; equal shapes and types are one constant",
        {op(5, {1, 2, 2, 32, 1, 2, 3, 4, 5}), op(5, {1, 2, 2, 32, 1, 2, 2, 4, 5}), ret(3)},
        "main 1/4: $3 = tensor.make($1, $2, c2, c3); $2 = tensor.make($1, $2, c2, c3); return $3;");
    row("a tensor whose shape is in a register", {op(6, {0, 1, 2, 2, 32, 1, 3}), ret(3)},
        "main 1/4: $3 = tensor.make($0, $1, $2, c2); return $3;");
    row("host functions", {op(4, {0, 3, 1, 0, 1, 2}), op(4, {1, 2, 2, 0, 1}), ret(2)},
        "main 1/4: host add($0, $1, $2) outputs 1; host external($0, $1) outputs 2; return $2;");
    row("shapes", {op(17, {0, 1}), op(18, {0, 1, 2}), ret(2)},
        "main 1/4: $1 = tensor.shape($0); $2 = tensor.reshape($0, $1); return $2;");
    row("copy to the host", {op(19, {0, 2, 1, 3}), ret(3)}, "main 1/4: $3 = tensor.copy($0, 1); return $3;", 2);
    row("copy to a GPU", {op(19, {0, 1, 2, 3}), ret(3)}, "main 1/4: $3 = tensor.copy($0, 0); return $3;", 2);
    row("kill", {op(20, {0}), ret(1)}, "main 1/4: $0 = move(none); return $1;");
    row("tuples", {op(7, {3, 2, 1, 0, 0}), op(13, {1, 2}), op(9, {1, 1, 3}), ret(3)},
        "main 1/4: $1 = tuple.make(3, $0, $0); $2 = tuple.tag($1); $3 = tuple.get($1, 1); return $3;");
    row("the end is fatal", {kFatal}, "main 1/5: fatal(); return $4;");
    row("branch to the next instruction", {branch(0, 1, 1, 2), ret(2), ret(3)},
        "main 1/5: $4 = equal($0, $1); branch $4 2; return $2; return $3;");
    row("branch to two other instructions", {branch(0, 1, 2, 1), ret(2), ret(3)},
        "main 1/5: $4 = equal($0, $1); branch $4 2; jump 2; return $2; return $3;");
    row("jumps over branches", {jump(3), branch(0, 1, 1, 2), ret(2), branch(2, 3, -2, 2), jump(-1), jump(-5)},
        "main 1/5: jump 4; $4 = equal($0, $1); branch $4 2; return $2; $4 = equal($2, $3); branch $4 3; jump -5; "
        "jump -3; jump -8;");
  }
  void instructionsBecomeSteps() {
    QFETCH(int, generation);
    QFETCH(Code, code);
    QFETCH(std::string, steps);
    const auto model = translated(mainOf(code, generation));
    QCOMPARE(programText(model), steps);
    QCOMPARE(model->kind, std::string("Relay VM"));
  }

  void constantsKeepTheirNumbers() {
    Vm vm = mainOf({op(5, {1, 2, 2, 16, 1, 2, 3, 4, 5}), ret(3)});
    vm.devices = {{1, ""}, {2, "global"}};
    const auto onHost = translated(vm);
    QCOMPARE(constantsText(onHost->program), std::string("tensor 0.64.1 [] +0 host; tensor 2.32.1 [2,3] +64 host; "
                                                         "shape [4,5]; type 2.16.1"));
    QCOMPARE(onHost->tensors.size(), std::size_t{2});
    QCOMPARE(onHost->tensors[1].first, uint32_t{1});
    QCOMPARE(std::string(onHost->tensors[1].second.view()), std::string(24, '\2'));
    vm.device = 1;
    const auto onDevice = translated(vm);
    QVERIFY(!onDevice->program.constants[0].onHost && !onDevice->program.constants[1].onHost);
    QCOMPARE(onDevice->entries[0].signature.parameters[0].deviceType.value_or(0), 2);
  }

  void lateConstantsComeFromParameters() {
    Vm vm = mainOf({ret(0)});
    vm.lateConstant = "weight";
    program::Parameters params;
    params.items.push_back({"weight", {2, 16, 1}, {4}, Bytes::copyOf("12345678")});
    const auto model = translated(vm, {}, &params);
    QVERIFY2(model.hasValue(), model ? "" : model.error().message().c_str());
    QCOMPARE(constantsText(model->program), std::string("tensor 0.64.1 [] +0 host; tensor 2.32.1 [2,3] +64 host; "
                                                        "tensor 2.16.1 [4] +128 host"));
    QCOMPARE(std::string(model->tensors[2].second.view()), std::string("12345678"));
    QCOMPARE(model->values, std::vector<std::string>{"weight"});
    params.items[0].name = "other";
    QCOMPARE(
        programText(translated(vm, {}, &params)),
        std::string("the library does not contain constant 2, 'weight': it is loaded from a separate file, and the "
                    "file of parameters has no tensor of that name"));
  }

  void functionsCallEachOther() {
    Vm vm;
    vm.functions = {{"lifted", {"captured", "y"}, "2", {ret(1)}},
                    {"helper", {"f"}, "3", {op(3, {0, 1, 2, 1}), ret(2)}},
                    {"main", {"x"}, "4", {op(8, {1, 1, 1, 0}), op(2, {0, 1, 2, 1}), ret(2)}}};
    // Instructions name functions by their number in the list of globals.
    vm.globals = {"helper", "lifted", "main"};
    const auto model = translated(vm);
    QCOMPARE(programText(model), std::string("lifted 2/2: return $1;\n"
                                             "helper 1/3: $2 = closure.call($0, $1); return $2;\n"
                                             "main 1/4: $1 = closure.make(@0, $0); $2 = @1($1); return $2;"));
    // The function of the closure cannot be called by a user.
    QCOMPARE(model->entries.size(), std::size_t{2});
    QCOMPARE(model->entries[0].name, std::string("main"));
    QCOMPARE(model->entries[0].function, uint32_t{2});
    QCOMPARE(model->entries[1].name, std::string("helper"));
    QCOMPARE(model->entries[0].signature.text(), std::string("main(x: ?)"));
  }

  void parameterTypesComeFromHostFunctions_data() {
    QTest::addColumn<Code>("code");
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, Code code, const char* text) {
      QTest::newRow(name) << std::move(code) << std::string(text);
    };
    const char* const kNone = "main(x: ?, y: ?)";
    const auto add = [](int64_t a, int64_t b) { return op(4, {0, 3, 1, a, b, 5}); };
    row("passed directly", {add(0, 1), ret(5)}, "main(x: Tensor([2, n], float32), y: Tensor([3], int64))");
    row("moved", {move(1, 2), add(4, 2), ret(5)}, "main(x: ?, y: Tensor([3], int64))");
    row("moved to a register with two writes", {move(1, 2), move(0, 2), add(4, 2), ret(5)}, kNone);
    row("overwritten", {loadInteger(1, 0), add(0, 4), ret(5)}, kNone);
    row("moved after it was overwritten", {loadInteger(1, 0), move(0, 2), add(2, 4), ret(5)}, kNone);
    row("in a tuple", {op(7, {0, 2, 2, 0, 1}), op(4, {0, 2, 1, 2, 5}), ret(5)},
        "main(x: Tensor([2, n], float32), y: Tensor([3], int64))");
    row("after a tuple of another size", {op(7, {0, 2, 2, 4, 4}), op(4, {0, 3, 1, 2, 0, 5}), ret(5)}, kNone);
    row("an expression of variables", {op(4, {1, 2, 1, 0, 5}), ret(5)}, kNone);
    row("two functions with a variable of the same name", {add(0, 4), op(4, {2, 2, 1, 1, 5}), ret(5)},
        "main(x: Tensor([2, n], float32), y: Tensor([n_1], float16))");
    row("two calls with a variable of the same name",
        {op(4, {2, 2, 1, 0, 5}), op(4, {2, 2, 1, 1, 5}), op(4, {2, 2, 1, 0, 5}), ret(5)},
        "main(x: Tensor([n], float16), y: Tensor([n_1], float16))");
    row("only the kind, and then the type", {op(4, {3, 2, 1, 1, 5}), op(4, {2, 2, 1, 1, 5}), ret(5)},
        "main(x: ?, y: Tensor([n], float16))");
    row("only the kind", {op(4, {2, 2, 1, 1, 5}), op(4, {3, 2, 1, 0, 5}), ret(5)},
        "main(x: Tensor(?, ?), y: Tensor([n], float16))");
    row("not in the library", {op(4, {4, 2, 1, 0, 5}), ret(5)}, kNone);
  }
  void parameterTypesComeFromHostFunctions() {
    QFETCH(Code, code);
    QFETCH(std::string, text);
    Vm vm;
    vm.functions = {{"main", {"x", "y"}, "6", code}};
    vm.primitives = {"add", "scale", "half", "kind", "external"};
    const host::Parameter output = tensor("float32", {"2"});
    const auto model = translated(vm, hosts({{"add", {tensor("float32", {"2", "n"}), tensor("int64", {"3"}), output}},
                                             {"scale", {tensor("float32", {"n * 2"}), output}},
                                             {"half", {tensor("float16", {"n"}), output}},
                                             {"kind", {tensor("", {}), tensor("", {})}}}));
    QVERIFY(model);
    QCOMPARE(model->entries[0].signature.text(), text);
  }

  void damagedExecutablesAreRejected_data() {
    QTest::addColumn<std::string>("payload");
    QTest::addColumn<std::string>("reason");
    const auto row = [](const char* name, const Vm& vm, const char* reason) {
      QTest::newRow(name) << vm.sized() << std::string(reason);
    };
    const auto code = [&](const char* name, std::vector<uint64_t> first, const char* reason) {
      row(name, mainOf({std::move(first), ret(0)}), ("function 'main', instruction 0: " + std::string(reason)).c_str());
    };
    code("register after the last one", move(4, 0), "register 4 does not exist");
    code("register for the steps of If", branch(0, 4, 1, 1), "register 4 does not exist");
    code("negative register", move(0, -1), "register -1 does not exist");
    code("constant", op(11, {2, 0, 1}), "constant 2 does not exist");
    code("function", op(2, {1, 0, 1}), "function 1 does not exist");
    code("function of a closure", op(8, {-1, 0, 1}), "function -1 does not exist");
    code("number of arguments", op(2, {0, 0, 1}), "it passes 0 arguments to 'main', which has 1 parameter");
    code("number of captured values", op(8, {0, 2, 1, 0, 0}),
         "the closure of 'main' captures 2 values, but the function has 1 parameter");
    code("primitive", op(4, {2, 1, 1, 0}), "primitive 2 does not exist");
    code("outputs", op(4, {0, 1, 2, 0}), "the number of its outputs is 2, but it has 1 argument");
    code("negative outputs", op(4, {0, 1, -1, 0}), "the number of its outputs is -1, but it has 1 argument");
    code("item of a tuple", op(9, {0, -1, 1}), "item -1 of a tuple does not exist");
    code("jump to the end", jump(2), "it jumps by 2, out of the function");
    code("jump before the start", jump(-1), "it jumps by -1, out of the function");
    code("jump far away", jump(INT64_MIN), "it jumps by -9223372036854775808, out of the function");
    code("jump to itself", jump(0), "it jumps to itself");
    code("branch to itself", branch(0, 0, 1, 0), "it jumps to itself");
    code("branch out of the function", branch(0, 0, 9, 1), "it jumps by 9, out of the function");
    code("device", op(16, {0, 64, 2, 32, 1, 1, 0, 3}), "device 1 does not exist");
    code("source device", op(19, {0, -1, 0, 1}), "device -1 does not exist");
    code("type", op(16, {0, 64, 2, 300, 1, 0, 0, 3}), "a data type has the numbers 2, 300, 1, which are not valid");
    code("shape of memory", op(16, {0, 64, 2, 32, 1, 0, 2, 3, -1, 4}), "the shape of the memory is not valid");
    code("shape of a tensor", op(5, {0, 1, 2, 32, 1, 2, 3, INT64_MAX, 4}), "the shape of the tensor is not valid");

    row("no return", mainOf({ret(0), move(0, 1)}), "function 'main' does not end with a return");
    row("branch to the end", mainOf({branch(0, 0, 1, -1)}),
        "function 'main', instruction 0: it jumps by -1, out of the function");
    row("no instructions", mainOf({}), "function 'main' has no instructions");
    row("no functions", Vm{}, "it has no function that can be called");
    row("generation 1", mainOf({ret(0)}, 1),
        "its bytecode is from TVM v0.6 or v0.7; only that of v0.8 and later is supported");
    Vm vm = mainOf({ret(0)});
    vm.functions[0].registers = "0";
    row("fewer registers than parameters", vm, "function 'main' has 1 parameter, but only 0 registers");
    vm.functions[0].registers = "4000000000";
    row("too many registers", vm, "function 'main' has 4,000,000,000 registers; the limit is 1,048,576");
    vm = mainOf({ret(0)});
    vm.globals = {"other"};
    row("a function without a number", vm, "function 'main' is not in the list of functions");
    vm.globals = {"main", "main"};
    row("two numbers", vm, "two functions have the name 'main'");
    vm.globals = {"main"};
    vm.functions.push_back(vm.functions[0]);
    row("two functions", vm, "two functions have the name 'main'");
    vm = mainOf({ret(0)});
    vm.lateConstant = "weight";
    row("late constant", vm,
        "the library does not contain constant 2, 'weight': it is loaded from a separate file; name that file as the "
        "parameters of the model");
    vm = mainOf({ret(0)});
    vm.constants[1].shape = {2, 4};
    row("size of a constant", vm, "constant 1: it has 24 bytes, which does not fit its type float32[2, 4]");
    vm = mainOf({ret(0)});
    vm.device = 7;
    row("device of a constant", vm, "constant 0: device 7 does not exist");
    vm = mainOf({ret(0)});
    vm.devices = {{1, "global.texture"}};
    row("memory scope", vm, "constant 0: it uses memory of scope 'global.texture'; only 'global' is supported");
    vm = mainOf({op(16, {0, 64, 2, 32, 1, 1, 0, 3}), ret(3)});
    vm.devices = {{2, ""}, {4, ""}};
    row("two devices", vm,
        "function 'main', instruction 0: it uses devices of two types, cuda and opencl; only one besides the host is "
        "supported");
    vm.devices = {{0, ""}};
    row("device type", vm, "constant 0: a device has the type 0, which does not exist");
  }
  void damagedExecutablesAreRejected() {
    QFETCH(std::string, payload);
    QFETCH(std::string, reason);
    NullMonitor monitor;
    const auto model = translated("VMExecutable", payload, {}, monitor);
    QVERIFY(!model);
    QCOMPARE(model.error().id(), DiagnosticId::RunProgram);
    QCOMPARE(programText(model), reason);
  }

  void otherModulesAreRejected() {
    NullMonitor monitor;
    const auto model = translated("relax.Executable", RelaxBuilder(kTagsClassic).sized(), {}, monitor);
    QVERIFY(!model);
    QCOMPARE(programText(model), std::string("the module has no bytecode of the Relay VM"));
  }

  void stopEndsTheTranslation() {
    // Enough instructions for several looks at the monitor, in steps and in types of parameters.
    Code code(5'000, move(0, 1));
    code.push_back(ret(1));
    const std::string payload = mainOf(std::move(code)).sized();
    int looks = 0;
    for (; looks < 100; ++looks) {
      StopAfter stop(looks);
      const auto model = translated("VMExecutable", payload, {}, stop);
      if (model) break;
      QCOMPARE(model.error().code(), ErrorCode::Cancelled);
    }
    QVERIFY(looks >= 4 && looks < 100);
  }

  void corpusIsTranslated() {
    const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
    const QDir folder((set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
                      QStringLiteral("/libraries"));
    if (!folder.exists()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + folder.path()));
    NullMonitor monitor;
    const auto modelOf = [&](const char* file) -> Result<program::Model> {
      BLOBSCOPE_TRY(package,
                    library::open(std::filesystem::path(folder.filePath(QLatin1String(file)).toStdString()), monitor));
      BLOBSCOPE_TRY(functions, xref::computeFunctions(package, monitor));
      return program::relayModel(package, *package->blobs.at(0)->modules.at(0), functions, nullptr, monitor);
    };
    const auto plain = modelOf("tvm-0.17-relay-vm.so");
    QCOMPARE(programText(plain),
             std::string("main 1/8: $1 = move(c0); $2 = storage.make(16, 1); $3 = move(c1); "
                         "$4 = tensor.make($2, $3, c5, c6); $2 = move(none); $5 = move(c2); $6 = move(c3); "
                         "$7 = move(c4); host vm_mod_fused_nn_dense_nn_bias_add_nn_relu_add_exp($0, $5, $6, $7, $4) "
                         "outputs 1; $0 = move(none); return $4;"));
    QCOMPARE(plain->entries[0].signature.text(), std::string("main(x: Tensor([1, 8], float32))"));
    const auto dynamic = modelOf("tvm-0.11-relay-vm-dynamic.so");
    const std::string text = programText(dynamic);
    QVERIFY2(text.find("$45 = equal($26, $27); branch $45 32; $28 = tensor.shape($18);") != std::string::npos,
             text.c_str());
    QCOMPARE(dynamic->program.functions[0].steps.size(), std::size_t{83});
    // Library code of v0.11 only names the parameters of its host functions.
    QCOMPARE(dynamic->entries[0].signature.text(), std::string("main(x: Tensor(?, ?))"));
    QVERIFY(std::ranges::find(dynamic->entries[0].uses[0].unclear, "vm_mod_fused_nn_dense") !=
            dynamic->entries[0].uses[0].unclear.end());
  }
};

BLOBSCOPE_TEST(TestRelayProgram);

#include "test_relay.moc"
