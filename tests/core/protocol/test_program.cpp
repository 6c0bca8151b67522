#include "core/protocol/program.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::protocol;
using namespace blobscope::test;

namespace {

using Step = ProgramStep;
using Operand = ProgramOperand;

/// A function that calls every kind of callee with every kind of operand, and one that is compiled.
Program fullProgram() {
  Program out;
  out.data = "constants";
  for (const auto kind : {ProgramConstant::Kind::Tensor, ProgramConstant::Kind::Shape, ProgramConstant::Kind::Text,
                          ProgramConstant::Kind::Type, ProgramConstant::Kind::Integer, ProgramConstant::Kind::Float}) {
    ProgramConstant constant;
    constant.kind = kind;
    constant.type = {2, 32, 1};
    constant.shape = {2, 3};
    constant.offset = 64;
    constant.onHost = kind == ProgramConstant::Kind::Tensor;
    constant.text = "a \"text\"";
    constant.integer = -5;
    out.constants.push_back(constant);
  }
  out.callees = {{ProgramCallee::Kind::Host, "add", 0},
                 {ProgramCallee::Kind::Function, "main", 0},
                 {ProgramCallee::Kind::Builtin, "move", 0}};
  Step call{Step::Op::Call, 1, 0, {}, 0, 1, "conv0"};
  for (const auto kind : {Operand::Kind::Register, Operand::Kind::Integer, Operand::Kind::Constant,
                          Operand::Kind::Function, Operand::Kind::None, Operand::Kind::Callee})
    call.arguments.push_back({kind, 1});
  out.functions = {{"main",
                    2,
                    1,
                    "",
                    {call,
                     {Step::Op::Branch, 1, 0, {}, 2, 0, ""},
                     {Step::Op::Jump, -1, 0, {}, 1, 0, ""},
                     {Step::Op::Return, 0, 0, {}, 0, 0, ""}}},
                   {"other", 3, 2, "__vmtir__other", {}}};
  return out;
}

} // namespace

class TestProgram : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void programsAreReadAsWritten() {
    const Program program = fullProgram();
    const auto read = readProgram(Bytes::copyOf(writeProgram(program)));
    QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
    QVERIFY(*read == program);
    QVERIFY(*readProgram(Bytes::copyOf(writeProgram(Program()))) == Program());
  }

  /// The runner relies on every number.
  void numbersThatNameNothingAreRefused_data() {
    QTest::addColumn<int>("change");
    int number = 0;
    for (const char* const name : {"register of an argument", "constant", "function", "callee as a value", "callee",
                                   "target", "result", "jump", "branch", "more outputs than arguments",
                                   "more parameters than registers", "called function", "no end", "negative target"})
      QTest::newRow(name) << number++;
  }
  void numbersThatNameNothingAreRefused() {
    QFETCH(int, change);
    Program program = fullProgram();
    ProgramFunction& main = program.functions[0];
    const std::function<void()> changes[] = {
        [&] { main.steps[0].arguments[0].value = 2; },
        [&] { main.steps[0].arguments[2].value = 6; },
        [&] { main.steps[0].arguments[3].value = 2; },
        [&] { main.steps[0].arguments[5].value = -1; },
        [&] { main.steps[0].callee = 4; },
        [&] { main.steps[0].target = 2; },
        [&] { main.steps[3].target = -1; },
        [&] { main.steps[2].offset = 2; },
        [&] { main.steps[1].offset = INT64_MIN; },
        [&] { main.steps[0].outputs = 7; },
        [&] { main.parameters = 3; },
        [&] { program.callees[1].function = 2; },
        [&] { main.steps.pop_back(), main.steps.pop_back(), main.steps.pop_back(); },
        [&] { main.steps[0].target = -2; },
    };
    changes[change]();
    const auto read = readProgram(Bytes::copyOf(writeProgram(program)));
    QVERIFY(!read.hasValue());
    QVERIFY2(read.error().id() == DiagnosticId::RunProtocol, read.error().message().c_str());
  }

  void otherTextsAreRefused() {
    for (const char* const text : {"", "{}", "[]", "{\"data\":1}"}) QVERIFY2(!readProgram(Bytes::copyOf(text)), text);
  }
};

BLOBSCOPE_TEST(TestProgram);
#include "test_program.moc"
