#include "core/describe/run_report.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QLocale>
#include <QTest>

using namespace blobscope;

namespace {

std::string textOf(const run::RunReport& report) {
  std::string text;
  describe::writeText(report, {[&](std::string_view part) { text += part; },
                               [](Severity severity, std::string_view word) {
                                 return std::string(severityName(severity)) + "(" + std::string(word) + ")";
                               }});
  return text;
}

run::FunctionResult vadd() {
  run::FunctionResult result;
  result.function = result.signature.function = "vadd";
  result.variables = {{"n", 7}};
  protocol::LaunchEvent launch;
  launch.kernel = "vadd_kernel";
  launch.extents.grid = {4, 1, 1};
  launch.extents.block = {64, 2, 1};
  launch.extents.dynamicShared = 4'096;
  result.launches = {launch};
  result.launchCount = 3;
  return result;
}

run::FunctionResult crash() {
  run::FunctionResult result;
  result.function = result.signature.function = "bad";
  result.status = run::Status::Crashed;
  result.code = "RUN-CRASH";
  result.message = "SIGSEGV in 'bad'";
  return result;
}

run::RunReport report() {
  run::RunReport out;
  out.device = "dry run";
  out.dry = true;
  out.functions = {vadd(), crash()};
  out.log = {"hello"};
  out.milliseconds = 1'234;
  return out;
}

class TestRunReport : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void textReportShowsLaunchesAndCrashes();
  void commonReasonIsPrintedOnce();
  void resultsAreSummarised();
  void detailsGroupResults();
  void detailsOfNodesSayTheCause();
  void patternsAreNamed();
  void numbersUseTheEnglishLocale_data();
  void numbersUseTheEnglishLocale();
};

void TestRunReport::textReportShowsLaunchesAndCrashes() {
  const run::FunctionResult one = vadd(), two = crash();
  QCOMPARE(QString::fromStdString(textOf(report())),
           QString::fromStdString("device: dry run\nok " + one.signature.text() +
                                  "  with n = 7\n"
                                  "  launch vadd_kernel: grid 4 × 1 × 1, block 64 × 2 × 1, shared 4,096 bytes, "
                                  "arguments none\n"
                                  "  and 2 more launches\n"
                                  "error(crashed) " +
                                  two.signature.text() +
                                  "\n  RUN-CRASH: SIGSEGV in 'bad'\n"
                                  "2 functions: 1 ok, 1 crashed\nlog: hello\n"));
}

void TestRunReport::commonReasonIsPrintedOnce() {
  run::RunReport report;
  report.device = "cpu";
  report.asked = "vulkan";
  for (const char* const name : {"add", "mul"}) {
    run::FunctionResult& one = report.functions.emplace_back();
    one.signature.function = name;
    one.status = run::Status::Refused;
    one.code = "RUN-IMAGE";
    one.message = std::string("'") + name + "' contains no code for vulkan";
  }
  const std::string add = report.functions[0].signature.text(), mul = report.functions[1].signature.text();
  QCOMPARE(QString::fromStdString(textOf(report)),
           QString::fromStdString("device: vulkan\nRUN-IMAGE: each function contains no code for vulkan\n"
                                  "warning(refused) " +
                                  add + "\nwarning(refused) " + mul + "\n2 functions: 2 refused\n"));
  // A different reason belongs to its function.
  report.functions[1].message = "'mul' needs float16";
  QVERIFY(QString::fromStdString(textOf(report)).contains(QLatin1String("\n  RUN-IMAGE: 'mul' needs float16\n")));
  QVERIFY(!QString::fromStdString(textOf(report)).contains(QLatin1String("each function")));
}

void TestRunReport::resultsAreSummarised() {
  QCOMPARE(describe::summaryOf(report()), (std::vector<std::string>{"1 of 2 functions ok", "1 crashed"}));
  QCOMPARE(describe::summaryOf(vadd()), (std::vector<std::string>{"3 launches", "1 of them shown"}));
  QCOMPARE(describe::summaryOf(crash()), (std::vector<std::string>{"0 launches", "RUN-CRASH: SIGSEGV in 'bad'"}));
  QCOMPARE(describe::resultText(crash()), std::string("crashed"));
  run::FunctionResult refused = crash();
  refused.status = run::Status::Refused;
  QCOMPARE(describe::resultText(refused), std::string("not run"));
  // One function that ran, but whose reference did not.
  run::FunctionResult alone = vadd();
  alone.status = run::Status::Refused;
  alone.callTimes = {12.5};
  QCOMPARE(describe::resultText(alone), std::string("not compared"));
  run::RunReport both = report();
  both.functions = {alone, refused};
  QCOMPARE(describe::summaryOf(both), (std::vector<std::string>{"0 of 2 functions ok", "1 not run", "1 not compared"}));
  const std::string text = textOf(both);
  QVERIFY2(text.find("warning(not compared) ") != std::string::npos, text.c_str());
  QVERIFY2(text.find("2 functions: 1 refused, 1 not compared\n") != std::string::npos, text.c_str());
  run::FunctionResult compared = vadd();
  compared.comparison.emplace();
  QCOMPARE(describe::resultText(compared), std::string("nothing to compare"));
  compared.comparison->outputs.emplace_back().result.verdict = protocol::Verdict::Identical;
  QCOMPARE(describe::resultText(compared), std::string("equal"));
}

void TestRunReport::detailsGroupResults() {
  const run::RunReport made = report();
  const run::FunctionResult& good = made.functions[0];
  const auto titles = [](const view::Details& groups) {
    std::string out;
    for (const view::DetailGroup& group : groups) out += group.title + ";";
    return out;
  };
  QCOMPARE(titles(describe::detailsOf(nullptr, {}, nullptr, nullptr)), std::string("Run;"));
  QCOMPARE(titles(describe::detailsOf(&made, {}, nullptr, nullptr)), std::string("Run;"));
  QCOMPARE(titles(describe::detailsOf(&made, {}, &good, nullptr)), std::string("Run;Sizes;Printed text;"));
  QCOMPARE(titles(describe::detailsOf(&made, {}, &good, &good.launches[0])), std::string("vadd_kernel;Run;"));
  const view::Details failed = describe::detailsOf(&made, {}, &made.functions[1], nullptr);
  QCOMPARE(titles(failed), std::string("crashed;Run;Printed text;"));
  QCOMPARE(failed[0].note, std::string("SIGSEGV in 'bad'"));
  QCOMPARE(failed[1].rows.back().value, std::string("1,234 ms"));
}

void TestRunReport::detailsOfNodesSayTheCause() {
  run::FunctionResult result;
  run::NodeResult& node = result.nodes.emplace_back();
  node.name = node.function = "dense";
  node.times = {2, 2};
  node.flop = 4'000;
  node.launches = 3;
  node.outputs.emplace_back().shape = {64, 8};
  node.outputs[0].statistics.emplace().values.count = 512;
  node.inputs.resize(3);
  for (const char* const name : {"gemm", "gemm", "bias"}) result.launches.emplace_back().kernel = name;
  result.referenceNodes = result.nodes;
  result.referenceNodes[0].outputs[0].statistics->values.zeros = 7;
  result.firstDifference = 0;
  run::NodeResult::Comparison& comparison = node.comparison.emplace(run::NodeResult::Comparison());
  comparison.equal = false;
  protocol::OutputComparison& output = comparison.outputs.emplace_back();
  output.verdict = protocol::Verdict::Differs;
  output.count = output.measured = 512;
  output.mismatches = 16;
  output.box = {{62, 63}, {0, 7}};
  output.worst = {{500, {62, 4}, 0, "1.25", "1.5", 0.25, {}, true}};
  const auto valueOf = [](const view::DetailGroup& group, std::string_view label) {
    for (const view::DetailRow& row : group.rows)
      if (row.label == label) return row.value + (row.other ? " | " + *row.other : "");
    return std::string("none");
  };
  const auto shown = [&] { return describe::nodeDetails(result, 0, std::nullopt); };
  comparison.values = comparison.sameValues = 1;
  comparison.constants = comparison.sameConstants = 2;
  view::Details groups = shown();
  QCOMPARE(groups.size(), std::size_t{5});
  QCOMPARE(valueOf(groups[0], "Inputs"), std::string("3 of 3 same bits"));
  QCOMPARE(valueOf(groups[4], "GFLOP/s"), std::string("2"));
  QCOMPARE(valueOf(groups[4], "Kernel"), std::string("gemm"));
  QCOMPARE(groups[0].note,
           std::string("Its inputs are equal, so the cause is in the code of this node. Its weights are equal."));
  QCOMPARE(groups[1].title, std::string("Output in both builds"));
  QCOMPARE(valueOf(groups[1], "NaN"), std::string("0 | 0"));
  QCOMPARE(valueOf(groups[2], "Pattern"), std::string("rows 62 and 63 only"));
  QCOMPARE(valueOf(groups[2], "[62, 4]"), std::string("1.5 | 1.25")); // A, the reference, first
  comparison.sameConstants = 1;
  groups = shown();
  QCOMPARE(valueOf(groups[0], "Inputs"), std::string("2 of 3 same bits"));
  QVERIFY(groups[0].note.starts_with("Its inputs are equal, but its weights differ"));
  comparison.values = comparison.sameValues = 0;
  QVERIFY(shown()[0].note.starts_with("This is the first difference")); // one input was not compared
  result.nodes[0].inputs.resize(2);
  QVERIFY(shown()[0].note.starts_with("Its weights differ, so"));
  result.nodes[0].inputs.resize(3);
  comparison.values = 1;
  comparison.sameConstants = 2;
  comparison.sameValues = 0;
  QVERIFY(shown()[0].note.starts_with("Its inputs differ, but within the tolerance"));
  comparison.values = comparison.sameValues = 0;
  groups = shown();
  QCOMPARE(valueOf(groups[0], "Inputs"), std::string("2 of 2 same bits, 1 not compared"));
  QVERIFY(groups[0].note.starts_with("This is the first difference"));
  comparison.by = run::NodeResult::Comparison::By::Shape;
  groups = shown();
  QCOMPARE(valueOf(groups[0], "Compared with"), std::string("node 0 of A, dense"));
  QVERIFY(groups[0].note.starts_with("The builds fused operators differently before this node"));
}

void TestRunReport::patternsAreNamed() {
  protocol::OutputComparison comparison;
  comparison.count = 24;
  const auto pattern = [&](uint64_t mismatches, std::vector<std::pair<uint64_t, uint64_t>> box,
                           const std::vector<int64_t>& shape) {
    comparison.mismatches = mismatches;
    comparison.box = std::move(box);
    return describe::patternOf(comparison, shape);
  };
  QCOMPARE(pattern(0, {}, {4, 6}), std::string());
  QCOMPARE(pattern(24, {{0, 3}, {0, 5}}, {4, 6}), std::string("all elements"));
  QCOMPARE(pattern(5, {{0, 3}, {0, 5}}, {4, 6}), std::string());
  QCOMPARE(pattern(1, {{2, 2}, {5, 5}}, {4, 6}), std::string("row 2, column 5 only"));
  QCOMPARE(pattern(4, {{0, 3}, {2, 4}}, {4, 6}), std::string("columns 2 to 4 only"));
  QCOMPARE(pattern(2, {{20, 21}}, {24}), std::string("elements 20 and 21 only"));
  QCOMPARE(pattern(4, {{0, 1}, {2, 2}, {0, 3}}, {2, 3, 4}), std::string("index 2 of axis 1 only"));
  comparison.nanMismatches = 4;
  QCOMPARE(pattern(4, {{0, 3}, {2, 4}}, {4, 6}), std::string("columns 2 to 4 only, only NaN"));
  QCOMPARE(pattern(4, {{0, 3}, {0, 5}}, {4, 6}), std::string("only NaN"));
}

void TestRunReport::numbersUseTheEnglishLocale_data() {
  QTest::addColumn<double>("value");
  for (const double value : {0.0, -0.5, 1.5, 999.0, -999.25, 1'000.0, -1'234.5, 123'456.0, 999'999.5, 1e6, -2.5e10,
                             1e-4, 1e-5, 3.14159265, 1e300, 5e-324, qInf(), -qInf(), qQNaN()})
    QTest::addRow("%.17g", value) << value;
}

/// Numbers are formatted as in the English locale.
void TestRunReport::numbersUseTheEnglishLocale() {
  QFETCH(double, value);
  run::RunReport made = report();
  protocol::OutputStatistics statistics;
  statistics.values.count = 1;
  statistics.values.mean = value;
  statistics.sum = value;
  made.functions[0].outputs.emplace_back().statistics = statistics;
  const view::Details groups = describe::detailsOf(&made, {}, &made.functions[0], nullptr);
  QCOMPARE(groups[1].rows[2].label, std::string("Mean"));
  QCOMPARE(QString::fromStdString(groups[1].rows[2].value), QLocale(QLocale::English).toString(value, 'g', 6));
}

} // namespace

BLOBSCOPE_TEST(TestRunReport);
#include "test_run_report.moc"
