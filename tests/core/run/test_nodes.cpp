#include "core/run/nodes.h"

#include "core/protocol/program.h"
#include "core/run/execute.h"
#include "core/run/node_inputs.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace blobscope;
using namespace blobscope::test;
using By = run::NodeResult::Comparison::By;
using Verdict = protocol::Verdict;

namespace {

constexpr protocol::DataType kFloat = {2, 32, 1};

std::string bytesOf(const std::vector<float>& values) {
  std::string out(values.size() * sizeof(float), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

protocol::ProgramOperand reg(int64_t number) { return {protocol::ProgramOperand::Kind::Register, number}; }
protocol::ProgramOperand constant(int64_t number) { return {protocol::ProgramOperand::Kind::Constant, number}; }

} // namespace

/// The nodes of two builds: which belong together, what they read, and where they differ first.
class TestNodes : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() { QVERIFY(m_folder.isValid()); }

  void equalNamesAreCompared() {
    run::FunctionResult mine = resultOf({{"conv", {1, 2}}, {"dense", {3, 4}}, {"softmax", {5, 7}}});
    const run::FunctionResult theirs = resultOf({{"conv", {1, 2}}, {"dense", {3, 4.5}}, {"softmax", {5, 6}}});
    QVERIFY(run::compareNodes(mine, theirs.nodes, {}, m_monitor));
    QCOMPARE(mine.firstDifference, std::optional<std::size_t>(1));
    QCOMPARE(mine.nodes[0].comparison->outputs[0].verdict, Verdict::Identical);
    QCOMPARE(mine.nodes[1].comparison->largest, 0.5);
    QVERIFY(mine.nodes[1].comparison->by == By::Name);
    // The second value of the output.
    QCOMPARE(mine.nodes[1].comparison->outputs[0].box, (std::vector<std::pair<uint64_t, uint64_t>>{{1, 1}}));

    // With a larger tolerance, the next one is the first.
    QVERIFY(run::compareNodes(mine, theirs.nodes, {0.6, 0.0, {}}, m_monitor));
    QCOMPARE(mine.firstDifference, std::optional<std::size_t>(2));
    QCOMPARE(mine.nodes[1].comparison->outputs[0].verdict, Verdict::WithinTolerance);
    QVERIFY(run::compareNodes(mine, theirs.nodes, {2.0, 0.0, {}}, m_monitor));
    QVERIFY(!mine.firstDifference);
  }

  void reportsAreComparedAgain() {
    run::RunReport report;
    report.functions.push_back(resultOf({{"a", {1, 2}}}));
    report.functions[0].referenceNodes = resultOf({{"a", {1, 2.5}}}).nodes;
    const auto strict = run::compareAgain(report, {}, m_monitor);
    QVERIFY(strict && (*strict)->functions[0].firstDifference);
    const auto loose = run::compareAgain(**strict, {1.0, {}, {}}, m_monitor);
    QVERIFY(loose && !(*loose)->functions[0].firstDifference);
    QVERIFY((*strict)->functions[0].firstDifference); // as it was
    run::RunReport gone = **strict;
    gone.functions[0].nodes[0].outputs[0].file = m_folder.filePath(QStringLiteral("gone")).toStdString();
    QVERIFY(!run::compareAgain(gone, {1.0, {}, {}}, m_monitor));
  }

  /// A: conv, add, relu, dense; B: conv with add, relu, dense.
  void equalOutputsAreCompared() {
    run::FunctionResult mine = resultOf({{"conv_add", {1, 2}}, {"relu_1", {3, 4}}, {"dense", {5, 6}}});
    const run::FunctionResult theirs =
        resultOf({{"conv", {9, 9}}, {"add", {1, 2}}, {"relu", {3, 4.000001f}}, {"dense", {5, 6}}});
    QVERIFY(run::compareNodes(mine, theirs.nodes, {}, m_monitor));
    QVERIFY(!mine.firstDifference);
    QCOMPARE(mine.nodes[0].comparison->reference, std::size_t{1});
    QVERIFY(mine.nodes[0].comparison->by == By::Values);
    QCOMPARE(mine.nodes[1].comparison->reference, std::size_t{2});
    QCOMPARE(mine.nodes[1].comparison->outputs[0].verdict, Verdict::WithinTolerance);
    QVERIFY(mine.nodes[2].comparison->by == By::Name);
  }

  /// The values of the first node exist only in one build; those of the last one before the next common node differ.
  void lastOfTheSameShapeIsCompared() {
    run::FunctionResult mine = resultOf({{"x", {7, 7}}, {"x_relu", {1, 2}}, {"dense", {5, 6}}});
    const run::FunctionResult theirs = resultOf({{"y", {8, 8}}, {"z", {1, 3}}, {"other", {4}}, {"dense", {5, 9}}});
    QVERIFY(run::compareNodes(mine, theirs.nodes, {}, m_monitor));
    QVERIFY(!mine.nodes[0].comparison);
    QCOMPARE(mine.nodes[1].comparison->reference, std::size_t{1});
    QVERIFY(mine.nodes[1].comparison->by == By::Shape);
    QCOMPARE(mine.firstDifference, std::optional<std::size_t>(1));
    QCOMPARE(mine.nodes[2].comparison->reference, std::size_t{3});
  }

  void inputsAreFound() {
    using Callee = protocol::ProgramCallee;
    auto program = std::make_shared<protocol::Program>();
    program->callees = {
        {Callee::Kind::Builtin, "vm.builtin.alloc_tensor", 0}, {Callee::Kind::Host, "conv", 0},
        {Callee::Kind::Builtin, "vm.builtin.reshape", 0},      {Callee::Kind::Host, "matmul", 0},
        {Callee::Kind::Builtin, "vm.builtin.make_tuple", 0},   {Callee::Kind::Builtin, "vm.builtin.tuple_getitem", 0}};
    protocol::ProgramConstant weight;
    weight.kind = protocol::ProgramConstant::Kind::Tensor;
    weight.type = kFloat;
    weight.shape = {2, 2};
    weight.offset = 64;
    program->constants = {weight};
    program->data = "constants";
    protocol::ProgramFunction& main = program->functions.emplace_back();
    main.name = "main";
    main.registers = 6;
    main.parameters = 1;
    const auto call = [&](uint32_t callee, int64_t target, std::vector<protocol::ProgramOperand> arguments) {
      protocol::ProgramStep& step = main.steps.emplace_back();
      step.op = protocol::ProgramStep::Op::Call;
      step.callee = callee;
      step.target = target;
      step.arguments = std::move(arguments);
    };
    call(0, 1, {});                                                     // 0: r1 = new tensor
    call(1, -1, {reg(0), reg(1)});                                      // 1: conv(x, r1)
    call(2, 2, {reg(1)});                                               // 2: r2 = reshape(r1)
    call(0, 3, {});                                                     // 3: r3 = new tensor
    call(4, 4, {reg(2)});                                               // 4: r4 = (r2)
    call(5, 5, {reg(4), {protocol::ProgramOperand::Kind::Integer, 0}}); // 5: r5 = r4[0]
    call(3, -1, {reg(5), constant(0), reg(3)});                         // 6: matmul(r5, w, r3)
    run::PlannedRun planned;
    planned.program = program;
    protocol::JobArgument& x = planned.job.calls.emplace_back().arguments.emplace_back();
    planned.job.calls[0].function = "main";
    x.kind = protocol::JobArgument::Kind::Tensor;
    x.tensor.type = kFloat;
    x.tensor.shape = {4};
    x.tensor.input = "in.0";
    planned.calls.emplace_back().call = 0;
    run::RunReport report;
    report.functions.push_back(resultOf({{"conv", {1, 2}}, {"matmul", {3, 4}}}));
    std::vector<run::NodeResult>& nodes = report.functions[0].nodes;
    nodes[0].step = 1;
    nodes[1].step = 6;
    for (run::NodeResult& node : nodes) node.outputs[0].shape = {1, 2};
    xref::Functions functions;
    host::Signature& signature = functions.hosts.emplace_back().signature;
    signature.function = "matmul";
    for (const char* const name : {"A", "B", "C"}) signature.parameters.emplace_back().name = name;
    const std::filesystem::path folder = "/run";
    run::findInputs(report, planned, functions, folder);

    QCOMPARE(nodes[0].inputs.size(), std::size_t{1});
    QVERIFY(nodes[0].inputs[0].source == run::NodeInput::Source::Argument);
    QCOMPARE(nodes[0].inputs[0].file, folder / "in.0");
    QCOMPARE(nodes[0].inputs[0].name, std::string("arg0"));
    QCOMPARE(nodes[1].inputs.size(), std::size_t{2});
    QVERIFY(nodes[1].inputs[0].source == run::NodeInput::Source::Node);
    QCOMPARE(nodes[1].inputs[0].number, std::size_t{0});
    QCOMPARE(nodes[1].inputs[0].name, std::string("A"));
    QCOMPARE(nodes[1].inputs[0].file, nodes[0].outputs[0].file);
    QVERIFY(nodes[1].inputs[1].source == run::NodeInput::Source::Constant);
    QCOMPARE(nodes[1].inputs[1].offset, uint64_t{64});
    QCOMPARE(nodes[1].flop, std::optional<double>(8)); // 2 × 1 × 2 × 2

    // What a function with branches reads depends on them.
    auto branched = std::make_shared<protocol::Program>(*program);
    branched->functions[0].steps.emplace_back().op = protocol::ProgramStep::Op::Jump;
    planned.program = branched;
    for (run::NodeResult& node : nodes) node.inputs.clear();
    run::findInputs(report, planned, functions, folder);
    QVERIFY(nodes[0].inputs.empty() && nodes[1].inputs.empty());
  }

  void equalInputsAreCounted() {
    const std::filesystem::path weights = write(bytesOf({1, 2, 3, 4})), others = write(bytesOf({1, 2, 3, 5}));
    run::FunctionResult mine = resultOf({{"a", {1, 2}}, {"dense", {3, 4}}}),
                        theirs = resultOf({{"a", {1, 2}}, {"dense", {3, 9}}});
    for (run::FunctionResult* const result : {&mine, &theirs}) {
      run::NodeInput input;
      input.type = kFloat;
      input.shape = {2};
      input.file = result->nodes[0].outputs[0].file;
      run::NodeInput constant = input;
      constant.source = run::NodeInput::Source::Constant;
      constant.file = result == &mine ? weights : others;
      run::NodeInput second = constant;
      second.offset = 8;
      result->nodes[1].inputs = {input, constant, second};
    }
    QVERIFY(run::compareNodes(mine, theirs.nodes, {}, m_monitor));
    const run::NodeResult::Comparison& found = *mine.nodes[1].comparison;
    QCOMPARE(found.values, std::size_t{1});
    QCOMPARE(found.sameValues, std::size_t{1});
    QCOMPARE(found.constants, std::size_t{2});
    QCOMPARE(found.sameConstants, std::size_t{1});
    // Inputs that were not kept are not counted.
    mine.nodes[1].inputs[0].file.clear();
    mine.nodes[1].inputs[1].offset = 1'000;
    QVERIFY(run::compareNodes(mine, theirs.nodes, {}, m_monitor));
    QCOMPARE(mine.nodes[1].comparison->values, std::size_t{0});
    QCOMPARE(mine.nodes[1].comparison->constants, std::size_t{1});
  }

private:
  std::filesystem::path write(const std::string& content) {
    const auto path = std::filesystem::path(m_folder.path().toStdString()) / std::to_string(m_files++);
    writeFile(path, content);
    return path;
  }

  /// Nodes by function, with the values of their output.
  run::FunctionResult resultOf(const std::vector<std::pair<std::string, std::vector<float>>>& nodes) {
    run::FunctionResult out;
    for (const auto& [name, values] : nodes) {
      run::NodeResult& node = out.nodes.emplace_back();
      node.name = node.function = name;
      node.within = "main";
      run::Output& output = node.outputs.emplace_back();
      output.type = kFloat;
      output.shape = {static_cast<int64_t>(values.size())};
      output.file = write(bytesOf(values));
    }
    return out;
  }

  QTemporaryDir m_folder;
  NullMonitor m_monitor;
  int m_files = 0;
};

BLOBSCOPE_TEST(TestNodes);

#include "test_nodes.moc"
