#include "core/describe/write_plan.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QTest>

using namespace blobscope;
using describe::StepText;

namespace {

class TestWritePlan : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void strategiesAreDescribed();
  void stepsEndWithTheVerification();
};

void TestWritePlan::strategiesAreDescribed() {
  using write::Strategy;
  write::Plan plan;
  QCOMPARE(QString::fromStdString(describe::strategyText(plan)), QStringLiteral("nothing changes"));
  plan.strategies = {Strategy::InPlace, Strategy::AppendPhdr, Strategy::InPlace};
  QCOMPARE(QString::fromStdString(describe::strategyText(plan)),
           QStringLiteral("in place; then append, program headers move to the end"));
  plan.strategies = {Strategy::AppendSlide};
  QCOMPARE(QString::fromStdString(describe::strategyText(plan)),
           QStringLiteral("append; the sections after the program headers move to make room for one more header"));
}

void TestWritePlan::stepsEndWithTheVerification() {
  write::Plan plan;
  QVERIFY(describe::stepsOf(plan).empty());
  plan.steps = {{"Write the new blob", 0x1000, 12'345, "fits"}, {"Set the size", {}, {}, "it is another"}};
  const std::vector<StepText> steps = describe::stepsOf(plan);
  QCOMPARE(steps.size(), std::size_t{3});
  QCOMPARE(steps[0].offset, std::string("0x1000"));
  QCOMPARE(steps[0].size, std::string("12,345"));
  QCOMPARE(steps[1].offset, std::string());
  QCOMPARE(steps[2].what, std::string("Read back, compare, rename"));
}

} // namespace

BLOBSCOPE_TEST(TestWritePlan);
#include "test_write_plan.moc"
