#include "ui/session/jobs.h"

#include "tests/support/test_main.h"
#include "tests/support/wait.h"

#include <QCoreApplication>
#include <QSignalSpy>

#include <stdexcept>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Work that exhausts the memory.
class TestJobs : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void exhaustedMemoryEndsOnlyItsJob_data() {
    QTest::addColumn<bool>("length");
    QTest::newRow("std::bad_alloc") << false;
    QTest::newRow("std::length_error") << true;
  }
  void exhaustedMemoryEndsOnlyItsJob() {
    QFETCH(bool, length);
    int count = 1;
    char name[] = "test";
    char* arguments[] = {name, nullptr};
    const QCoreApplication application(count, arguments);
    Jobs jobs;
    QSignalSpy finished(&jobs, &Jobs::finished);
    std::optional<Result<int>> result;
    jobs.start<int>(
        QStringLiteral("job"),
        [length](Monitor& monitor) -> Result<int> {
          monitor.progress("working", 1, 2);
          const std::string freed(1'000, 'x');
          if (length) throw std::length_error("vector::reserve");
          throw std::bad_alloc();
        },
        [&](Result<int> done) { result.emplace(std::move(done)); });
    QTRY_VERIFY_WITH_TIMEOUT(result, kWaitMs);
    QVERIFY(!*result);
    QCOMPARE(result->error().id(), DiagnosticId::FileLimit);
    QCOMPARE(finished.size(), 1);
    QVERIFY(!jobs.isRunning(QStringLiteral("job")));
    // The next job works normally.
    std::optional<Result<int>> next;
    jobs.start<int>(
        QStringLiteral("job"), [](Monitor&) -> Result<int> { return 5; },
        [&](Result<int> done) { next.emplace(std::move(done)); });
    QTRY_VERIFY_WITH_TIMEOUT(next, kWaitMs);
    QVERIFY(*next);
    QCOMPARE(**next, 5);
  }
};

BLOBSCOPE_TEST(TestJobs);
#include "test_jobs.moc"
