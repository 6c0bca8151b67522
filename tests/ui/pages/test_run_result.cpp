#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/run_result.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/time_histogram.h"

#include <QSignalSpy>
#include <QTableWidget>

#include <numeric>

using namespace blobscope;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

/// A kernel with one output, which was run on a device; every time of the new build is `factor` times the old one.
run::FunctionResult kernelResult(double factor, protocol::Verdict verdict) {
  run::FunctionResult out;
  out.function = "mean_kernel";
  protocol::LaunchEvent launch;
  launch.kernel = "mean_kernel";
  out.launches = {launch};
  run::Output output;
  output.name = "mean";
  output.type = {2, 32, 1}; // float32
  output.shape = {1, 4};
  out.outputs = {output};
  run::RunComparison comparison;
  run::RunComparison::Pair pair;
  pair.name = "mean";
  pair.result.verdict = verdict;
  pair.result.count = 4;
  if (verdict == protocol::Verdict::Differs) {
    pair.result.mismatches = 1;
    pair.result.maxAbsolute = 0.5;
    protocol::ValuePair worst;
    worst.at = {0, 2};
    pair.result.worst = {worst};
    comparison.equal = false;
    out.status = run::Status::Differs;
  }
  comparison.outputs = {pair};
  std::vector<double> old(100), now(100);
  std::iota(old.begin(), old.end(), 1000.0);
  for (std::size_t i = 0; i < old.size(); ++i) now[i] = old[i] * factor;
  comparison.launches = {{0, protocol::compareTimes(now, old), now, old}};
  out.comparison = comparison;
  return out;
}

RunEntryPtr entryOf(run::FunctionResult result) {
  RunEntry entry;
  entry.request.against = RunRequest::Against::Opened;
  run::RunReport report;
  report.device = "a GPU";
  report.functions.push_back(std::move(result));
  entry.report = std::make_shared<const run::RunReport>(std::move(report));
  return std::make_shared<const RunEntry>(std::move(entry));
}

} // namespace

/// Sentences, outputs and times of a run of old and new.
class TestRunResult : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void timesAreCompared_data();
  void timesAreCompared();
  void differencesComeFirst();
  void missingResultsAreExplained();
  void escapeCloses();

private:
  test::Application m_application;
};

void TestRunResult::timesAreCompared_data() {
  QTest::addColumn<double>("factor");
  QTest::addColumn<QString>("sentence");
  QTest::addColumn<int>("kind");
  QTest::newRow("faster") << 0.5 << u"New is 2.00 × faster."_s << static_cast<int>(Banner::Kind::Ok);
  QTest::newRow("slower") << 2.0 << u"New is 2.00 × slower."_s << static_cast<int>(Banner::Kind::Warning);
  QTest::newRow("equal") << 1.0 << u"No clear difference in time."_s << static_cast<int>(Banner::Kind::Ok);
}

void TestRunResult::timesAreCompared() {
  QFETCH(double, factor);
  QFETCH(QString, sentence);
  QFETCH(int, kind);
  RunResult result;
  result.showRun(entryOf(kernelResult(factor, protocol::Verdict::Identical)), "mean_kernel");
  QCOMPARE(result.banner().text(), sentence + u" The results are the same, bit for bit."_s);
  QCOMPARE(static_cast<int>(result.banner().kind()), kind);
  for (const bool below : {false, true}) {
    const QVector<int>& bins = result.times().bins(below);
    QCOMPARE(std::accumulate(bins.begin(), bins.end(), 0), 100);
  }
  QVERIFY(result.times().range().first < 1000 * std::min(1.0, factor));
}

void TestRunResult::differencesComeFirst() {
  RunResult result;
  result.showRun(entryOf(kernelResult(0.5, protocol::Verdict::Differs)), "mean_kernel");
  QCOMPARE(result.banner().kind(), Banner::Kind::Error);
  QVERIFY2(result.banner().text().startsWith(u"The results differ. mean: "_s), qPrintable(result.banner().text()));
  QVERIFY(result.banner().text().endsWith(u"New is 2.00 × faster."_s));
  QStringList cells;
  for (int column = 0; column < result.outputs().columnCount(); ++column)
    cells << result.outputs().item(0, column)->text();
  QCOMPARE(cells, (QStringList{u"mean"_s, u"float32 [1, 4]"_s, u"0.5"_s, u"[0, 2]"_s, u"differs"_s}));
}

void TestRunResult::missingResultsAreExplained() {
  RunResult result;
  run::FunctionResult crashed;
  crashed.function = "mean_kernel";
  crashed.status = run::Status::Crashed;
  crashed.message = "the kernel crashed";
  result.showRun(entryOf(crashed), "mean_kernel");
  QCOMPARE(result.banner().text(), u"Old and new were not compared. the kernel crashed"_s);
  QVERIFY(result.outputs().isHidden() && result.times().isHidden());
  RunEntry failed;
  failed.message = u"there is no runner"_s;
  result.showRun(std::make_shared<const RunEntry>(failed), {});
  QCOMPARE(result.banner().text(), u"Old and new were not compared. there is no runner"_s);
}

void TestRunResult::escapeCloses() {
  RunResult result;
  result.showRun(entryOf(kernelResult(1, protocol::Verdict::WithinTolerance)), {});
  const QSignalSpy closed(&result, &RunResult::closed), reverted(&result, &RunResult::revertRequested);
  QTest::keyClick(&result, Qt::Key_Escape);
  QCOMPARE(closed.size(), qsizetype{1});
  QCOMPARE(reverted.size(), qsizetype{0});
  QVERIFY(result.isHidden());
}

BLOBSCOPE_TEST(TestRunResult);
#include "test_run_result.moc"
