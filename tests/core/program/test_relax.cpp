#include "core/program/relax.h"

#include "tests/core/program/program_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::test;

class TestRelaxProgram : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() {
    m_vm = std::make_unique<RelaxBuilder>(kTags2025b);
    m_hosts = {};
  }

  void instructionsBecomeSteps() {
    const auto model = translate();
    QVERIFY2(model.hasValue(), model ? "" : model.error().message().c_str());
    const protocol::Program& program = model->program;
    QCOMPARE(program.functions.size(), std::size_t{2});
    QCOMPARE(functionText(program, program.functions[0]),
             std::string("main 2/3: $2 = vm.builtin.alloc_storage(none, c4); branch $2 2; jump 2; return $0; "
                         "@1tir_main(-5, callee 0); return $2;"));
    // A function that the compiler translated to machine code has no steps.
    QCOMPARE(program.functions[1].compiled, std::string("__vmtir__tir_main"));
    QVERIFY(program.functions[1].steps.empty());
    using Kind = protocol::ProgramCallee::Kind;
    QVERIFY(program.callees[0].kind == Kind::Builtin && program.callees[1].kind == Kind::Function &&
            program.callees[2].kind == Kind::Function && program.callees[2].function == 1);
    QCOMPARE(model->entries.front().name, std::string("main"));
    QVERIFY(protocol::readProgram(Bytes::copyOf(protocol::writeProgram(program))).hasValue());
  }

  void functionsOfTheLibraryAreCalled() {
    m_vm->functions[0].name = "add";
    m_hosts.hosts.emplace_back().signature.function = "add";
    const auto model = translate();
    QVERIFY(model.hasValue());
    QVERIFY(model->program.callees[0].kind == protocol::ProgramCallee::Kind::Host);
  }

  void constantsKeepTheirNumbers() {
    const auto model = translate();
    QVERIFY(model.hasValue());
    const auto& constants = model->program.constants;
    QCOMPARE(constants.size(), std::size_t{8});
    using Kind = protocol::ProgramConstant::Kind;
    QVERIFY(constants[2].kind == Kind::Text && constants[3].kind == Kind::Tensor && constants[4].kind == Kind::Type &&
            constants[5].kind == Kind::Shape && constants[6].kind == Kind::Integer && constants[7].kind == Kind::Float);
    QCOMPARE(constants[5].shape, (std::vector<int64_t>{2, 3}));
    QCOMPARE(constants[6].integer, int64_t{-7});
    QCOMPARE(model->tensors.size(), std::size_t{1});
    QCOMPARE(model->tensors[0].first, 3U);
    QCOMPARE(std::string(model->tensors[0].second.view()), std::string(24, '\1'));
  }

  void wrongNumbersAreRefused_data() {
    QTest::addColumn<int>("change");
    QTest::addColumn<QByteArray>("reason");
    int number = 0;
    const auto row = [&](const char* reason) { QTest::newRow(reason) << number++ << QByteArray(reason); };
    row("there is no function 9");
    row("there is no register 3");
    row("an argument names nothing");
    row("it jumps out of its function");
    row("its instructions are outside of the bytecode");
    row("its number of registers or arguments is wrong");
    row("it has no end");
    row("there is no register -1");
    QTest::newRow("two billion registers") << number++ << QByteArray("its number of registers or arguments is wrong");
    QTest::newRow("two billion arguments") << number++ << QByteArray("its number of registers or arguments is wrong");
  }
  void wrongNumbersAreRefused() {
    QFETCH(int, change);
    QFETCH(QByteArray, reason);
    const std::function<void()> changes[] = {
        [&] { m_vm->code[4][2] = 9; },
        [&] { m_vm->code[3][1] = 3; },
        [&] { m_vm->code[0][5] = RelaxBuilder::constant(8); },
        [&] { m_vm->code[2][1] = 4; },
        [&] { m_vm->functions[1].end = 7; },
        [&] { m_vm->functions[1].registers = 1; },
        [&] { m_vm->functions[1].end = 5; },
        [&] { m_vm->code[3][1] = -1; },
        [&] { m_vm->functions[1].registers = 0x7fff'ffff; },
        [&] { m_vm->functions[2].arguments = 0x7fff'ffff; },
    };
    changes[change]();
    const auto model = translate();
    QVERIFY(!model.hasValue());
    const QByteArray message = QByteArray::fromStdString(model.error().message());
    QVERIFY2(message.contains(reason), message.constData());
  }

  /// Registers that no instruction names cost nothing in a call.
  void unusedRegistersAreLeftOut() {
    m_vm->functions[1].registers = 1'000'000;
    m_vm->code[0][1] = 900'000;
    m_vm->code[1][1] = 900'000;
    const auto model = translate();
    QVERIFY2(model.hasValue(), model ? "" : model.error().message().c_str());
    const protocol::Program& program = model->program;
    QCOMPARE(functionText(program, program.functions[0]),
             std::string("main 2/4: $3 = vm.builtin.alloc_storage(none, c4); branch $3 2; jump 2; return $0; "
                         "@1tir_main(-5, callee 0); return $2;"));
  }

  /// Functions that share instructions would multiply them.
  void sharedInstructionsAreRefused() {
    const RelaxFunction main = m_vm->functions[1];
    for (int i = 0; i < 5'000; ++i) {
      m_vm->functions.push_back(main);
      m_vm->functions.back().name = "f" + std::to_string(i);
    }
    const auto model = translate();
    QVERIFY(!model.hasValue());
    QVERIFY(model.error().message().ends_with("its functions share too many instructions"));
  }

private:
  Result<program::Model> translate() {
    auto package = openBytes(
        elfWith("__tvm_ffi__library_bin", ffiBlob({{"relax.VMExecutable", m_vm->build()}, {"_lib", ""}}, {{1}, {}})));
    if (!package || (*package)->blobs.empty()) qFatal("the library of this test cannot be opened");
    m_package = std::move(*package);
    return program::relaxModel(*m_package->blobs[0]->modules[0], m_hosts, m_monitor);
  }

  std::unique_ptr<RelaxBuilder> m_vm;
  library::PackagePtr m_package;
  xref::Functions m_hosts;
  NullMonitor m_monitor;
};

BLOBSCOPE_TEST(TestRelaxProgram);
#include "test_relax.moc"
