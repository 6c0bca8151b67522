#include "core/protocol/program.h"
#include "core/protocol/runner_process.h"

#include "tests/runner/compiled_library.h"
#include "tests/runner/fixture.h"
#include "tests/support/test_main.h"

#include <cstring>

namespace blobscope::test {
namespace {

constexpr const char* kNames[] = {"main",    "same",    "mismatch", "nested", "endless",
                                  "raising", "outside", "foreign",  "unknown"};

/// Functions "match CODE NUMBER" store the extent of their argument as entry 0 of a heap, then match it with the code.
void addMatches(protocol::Program& out) {
  using Operand = protocol::ProgramOperand;
  using Kind = Operand::Kind;
  const auto callee = [&](const char* name) {
    out.callees.push_back({protocol::ProgramCallee::Kind::Builtin, name, 0});
    return static_cast<uint32_t>(out.callees.size() - 1);
  };
  const uint32_t heap = callee("vm.builtin.alloc_shape_heap"), match = callee("vm.builtin.match_shape");
  for (int64_t code = 0; code <= 4; ++code)
    for (const int64_t number : {0, 3}) {
      protocol::ProgramFunction& function = out.functions.emplace_back();
      function.name = "match " + std::to_string(code) + " " + std::to_string(number);
      function.registers = 2;
      function.parameters = 1;
      const auto call = [&](uint32_t to, int64_t target, std::vector<Operand> arguments) {
        function.steps.push_back({protocol::ProgramStep::Op::Call, target, to, std::move(arguments), 0, 0, {}});
      };
      const auto matched = [&](int64_t how, int64_t what) {
        call(match, -1,
             {{Kind::Register, 0},
              {Kind::Register, 1},
              {Kind::Integer, 1},
              {Kind::Integer, how},
              {Kind::Integer, what},
              {Kind::Constant, 0}});
      };
      call(heap, 1, {{Kind::None, 0}, {Kind::Integer, 1}});
      matched(1, 0);
      matched(code, number);
      function.steps.push_back({protocol::ProgramStep::Op::Return, 0, 0, {}, 0, 0, {}});
    }
}

/// Functions that the interpreter runs step by step: values that are nested without end, tuples that contain each
/// other, and types of tensors that nothing can have.
void addMistakes(protocol::Program& out) {
  using Operand = protocol::ProgramOperand;
  using Kind = Operand::Kind;
  using Op = protocol::ProgramStep::Op;
  using Callee = protocol::ProgramCallee;
  const auto callee = [&](Callee::Kind kind, const char* name) {
    out.callees.push_back({kind, name, 0});
    return static_cast<uint32_t>(out.callees.size() - 1);
  };
  const auto function = [&](const char* name) -> protocol::ProgramFunction& {
    protocol::ProgramFunction& made = out.functions.emplace_back();
    made.name = name;
    made.registers = 2;
    made.parameters = 1;
    return made;
  };
  const auto call = [](protocol::ProgramFunction& caller, uint32_t to, int64_t target, std::vector<Operand> arguments) {
    caller.steps.push_back({Op::Call, target, to, std::move(arguments), 0, 0, {}});
  };
  const uint32_t tuple = callee(Callee::Kind::Builtin, "vm.builtin.make_tuple"),
                 closure = callee(Callee::Kind::Builtin, "vm.builtin.make_closure"),
                 storage = callee(Callee::Kind::Builtin, "storage.make"),
                 tensor = callee(Callee::Kind::Builtin, "tensor.make"), host = callee(Callee::Kind::Host, "twice");
  protocol::ProgramFunction& wrapped = function("wrapped");
  call(wrapped, tuple, 0, {{Kind::Register, 0}});
  wrapped.steps.push_back({Op::Jump, 0, 0, {}, -1, 0, {}});
  protocol::ProgramFunction& captured = function("captured");
  call(captured, closure, 0, {{Kind::None, 0}, {Kind::Function, 0}, {Kind::Register, 0}});
  captured.steps.push_back({Op::Jump, 0, 0, {}, -1, 0, {}});
  protocol::ProgramFunction& shared = function("shared");
  for (int i = 0; i < 60; ++i) call(shared, tuple, 0, {{Kind::Register, 0}, {Kind::Register, 0}});
  call(shared, host, -1, {{Kind::Register, 0}});
  shared.steps.push_back({Op::Return, 0, 0, {}, 0, 0, {}});
  for (const auto& [name, type] :
       {std::pair("no values", protocol::DataType{0, 0, 1}), std::pair("no size", protocol::DataType{2, 32, 65'535})}) {
    protocol::ProgramConstant& constant = out.constants.emplace_back();
    constant.kind = protocol::ProgramConstant::Kind::Type;
    constant.type = type;
    const auto number = static_cast<int64_t>(out.constants.size() - 1);
    protocol::ProgramFunction& made = function(name);
    call(made, storage, 1, {{Kind::Integer, 64}, {Kind::Integer, 1}});
    call(made, tensor, 1, {{Kind::Register, 1}, {Kind::Integer, 0}, {Kind::Constant, 1}, {Kind::Constant, number}});
    made.steps.push_back({Op::Return, 1, 0, {}, 0, 0, {}});
  }
}

protocol::Program program() {
  using Constant = protocol::ProgramConstant;
  protocol::Program out;
  out.constants.resize(4);
  out.constants[0].kind = Constant::Kind::Text;
  out.constants[0].text = "context";
  out.constants[1].kind = Constant::Kind::Shape;
  out.constants[1].shape = {3};
  out.constants[2].kind = Constant::Kind::Type;
  out.constants[2].type = {2, 32, 1};
  out.constants[3].kind = Constant::Kind::Text;
  out.constants[3].text = "global";
  for (const char* const name : kNames) {
    out.callees.push_back({protocol::ProgramCallee::Kind::Function, name, static_cast<uint32_t>(out.functions.size())});
    out.functions.push_back({name, 5, 1, std::string("__vmtir__") + name, {}});
  }
  addMatches(out);
  addMistakes(out);
  return out;
}

} // namespace

/// Functions of the Relax VM that are machine code: they call back for everything but host functions.
class TestCompiled : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    if (!canCompile()) QSKIP("no C compiler: cc");
    m_folder = std::make_unique<QTemporaryDir>();
    for (const char* const abi : {"0", "4"}) {
      const QString said =
          compileLibrary(in(*m_folder, std::string("lib") + abi + ".so"), kCompiledLibrary, {QString("ABI=") + abi});
      QVERIFY2(said.isEmpty(), qPrintable(said));
    }
    writeFile(in(*m_folder, "program.json"), protocol::writeProgram(program()));
    const float numbers[] = {1, 2, 3};
    writeFile(in(*m_folder, "x"), std::string(reinterpret_cast<const char*>(numbers), sizeof numbers));
  }

  void resultsAreThoseOfTheLibrary_data() { abis(); }
  void resultsAreThoseOfTheLibrary() {
    QFETCH(bool, classic);
    const RunRecord received = run("main", classic);
    QCOMPARE(received.text(), QString("done 0"));
    const auto results = received.all<protocol::TensorWritten>();
    QCOMPARE(results.size(), std::size_t{2});
    QCOMPARE(results[0].name, std::string("output.0"));
    float numbers[3] = {};
    const std::string content = readFile(in(*m_folder, results[0].file));
    QCOMPARE(content.size(), sizeof numbers);
    std::memcpy(numbers, content.data(), sizeof numbers);
    QCOMPARE(numbers[0], 2.0F);
    QCOMPARE(numbers[2], 6.0F);
    QCOMPARE(readFile(in(*m_folder, results[1].file)), std::string("\7\0\0\0\0\0\0\0", 8));
    // The library calls host functions itself; with the names of the classic convention, that is not seen.
    const auto nodes = received.all<protocol::NodeRan>();
    QCOMPARE(nodes.size(), std::size_t(classic ? 0 : 1));
    if (classic) return;
    QCOMPARE(nodes[0].function, std::string("twice"));
    QCOMPARE(nodes[0].within, std::string("main"));
    QCOMPARE(nodes[0].bytesRead, uint64_t{12});
    QCOMPARE(nodes[0].outputs.size(), std::size_t{1});
    QCOMPARE(nodes[0].outputs[0].bytes, uint64_t{12});
  }

  void errorsComeOutOfNestedCalls_data() {
    QTest::addColumn<bool>("classic");
    QTest::addColumn<QString>("function");
    QTest::addColumn<QString>("message");
    const QString check = "machine code of 'mismatch', vm.builtin.check_tensor_info(Tensor([3], float32), 3, float32, "
                          "\"context\"): the model cannot be run: Tensor([3], float32) should have 3 axes (context)";
    for (const bool classic : {true, false}) {
      const auto row = [&](const char* function, const QString& message) {
        QTest::addRow("%s, %s", function, classic ? "classic" : "ffi") << classic << QString(function) << message;
      };
      row("mismatch", "RUN-PROGRAM@0: " + check);
      row("nested", "RUN-PROGRAM@0: " + check);
      row("raising",
          QString("RUN-FAILED@0: 'raising' returned -1: %1two tensors are needed").arg(classic ? "" : "ValueError: "));
      row("outside", "RUN-PROGRAM@0: machine code of 'outside': the model cannot be run: the machine code uses entry "
                     "99 of a list, which does not "
                     "exist");
      row("foreign", "RUN-PROGRAM@0: machine code of 'foreign': the model cannot be run: the machine code passes a "
                     "value of type 4 that it did "
                     "not get from the virtual machine");
      row("unknown", "RUN-PROGRAM@0: machine code of 'unknown': the model cannot be run: the function 'own.packed', "
                     "which it calls, is neither in "
                     "the library nor in Blobscope");
    }
  }
  void errorsComeOutOfNestedCalls() {
    QFETCH(bool, classic);
    QFETCH(QString, function);
    QFETCH(QString, message);
    QCOMPARE(run(function.toStdString(), classic).text(), message + "\ndone 5");
  }

  void shapesAreMatched_data() {
    QTest::addColumn<QString>("function");
    QTest::addColumn<QString>("message");
    QTest::newRow("equal number") << "match 0 3" << "";
    QTest::newRow("other number") << "match 0 0" << "extent 0 is 3, and should be 0 (context)";
    QTest::newRow("store") << "match 1 0" << "";
    QTest::newRow("store outside") << "match 1 3" << "code 1 with entry 3 of the shape heap is unknown";
    QTest::newRow("nothing") << "match 2 0" << "";
    QTest::newRow("equal entry") << "match 3 0" << "";
    QTest::newRow("entry outside") << "match 3 3" << "code 3 with entry 3 of the shape heap is unknown";
    QTest::newRow("unknown code") << "match 4 0" << "code 4 with entry 0 of the shape heap is unknown";
  }
  void shapesAreMatched() {
    QFETCH(QString, function);
    QFETCH(QString, message);
    const QString text = run(function.toStdString(), false).text();
    if (message.isEmpty())
      QCOMPARE(text, QString("done 0"));
    else
      QVERIFY2(text.contains(message) && text.endsWith("\ndone 5"), qPrintable(text));
  }

  void endlessRecursionEnds_data() { abis(); }
  void endlessRecursionEnds() {
    QFETCH(bool, classic);
    const QString text = run("endless", classic).text();
    QVERIFY2(text.contains("calls are nested deeper than ") && text.endsWith("\ndone 5"), qPrintable(text));
  }

  /// The file of the constants has no bytes.
  void constantsWithoutElementsAreRead() {
    protocol::Program model;
    protocol::ProgramConstant& constant = model.constants.emplace_back();
    constant.kind = protocol::ProgramConstant::Kind::Tensor;
    constant.type = {2, 32, 1};
    constant.shape = {0, 3};
    model.data = "nothing";
    model.callees = {{protocol::ProgramCallee::Kind::Builtin, "move", 0}};
    protocol::ProgramFunction& function = model.functions.emplace_back();
    function.name = "empty";
    function.registers = 2;
    function.parameters = 1;
    function.steps = {
        {protocol::ProgramStep::Op::Call, 1, 0, {{protocol::ProgramOperand::Kind::Constant, 0}}, 0, 0, {}},
        {protocol::ProgramStep::Op::Return, 1, 0, {}, 0, 0, {}}};
    writeFile(in(*m_folder, "nothing"), "");
    writeFile(in(*m_folder, "empty.json"), protocol::writeProgram(model));
    const RunRecord received = run("empty", false, "empty.json");
    QCOMPARE(received.text(), QString("done 0"));
    const auto results = received.all<protocol::TensorWritten>();
    QCOMPARE(results.size(), std::size_t{1});
    QCOMPARE(results[0].shape, (std::vector<int64_t>{0, 3}));
  }

  /// The helper process does not end for them, and the message is about the model.
  void mistakesOfTheModelAreNamed_data() {
    QTest::addColumn<QString>("message");
    QTest::newRow("wrapped") << "values are nested deeper than 1,000 levels";
    QTest::newRow("captured") << "values are nested deeper than 1,000 levels";
    QTest::newRow("shared") << "a host function gets more than 100,000 arguments";
    QTest::newRow("no values") << "a tensor has the type 'int0', which has no values";
    QTest::newRow("no size") << "a tensor has the type 'float32x65535', which has no fixed size";
  }
  void mistakesOfTheModelAreNamed() {
    QFETCH(QString, message);
    const QString text = run(QTest::currentDataTag(), false).text();
    QVERIFY2(text.contains("the model cannot be run: " + message) && text.endsWith("\ndone 5"), qPrintable(text));
  }

private:
  static void abis() {
    QTest::addColumn<bool>("classic");
    QTest::newRow("classic") << true;
    QTest::newRow("ffi") << false;
  }
  RunRecord run(const std::string& function, bool classic, const std::string& program = "program.json") const {
    protocol::Job job;
    job.mode = protocol::Mode::Program;
    job.library = classic ? "lib0.so" : "lib4.so";
    job.abi = classic ? "classic" : "ffi4";
    job.program = program;
    protocol::JobCall call;
    call.function = function;
    call.arguments = {tensorArgument("x", {3}, 1, "x")};
    call.results = "result";
    job.calls = {call};
    protocol::RunnerOptions options;
    options.runner = BLOBSCOPE_TEST_RUNNER;
    options.folder = m_folder->path().toStdString();
    options.timeoutMs = 60'000;
    NullMonitor monitor;
    return runJob(job, options, monitor);
  }
  std::unique_ptr<QTemporaryDir> m_folder;
};

} // namespace blobscope::test

using blobscope::test::TestCompiled;
BLOBSCOPE_TEST(TestCompiled);
#include "test_compiled.moc"
