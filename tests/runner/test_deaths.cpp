#include "core/protocol/runner_process.h"

#include "tests/core/process/made_tool.h"
#include "tests/runner/dying_library.h"
#include "tests/runner/fixture.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"

#include <QElapsedTimer>
#include <QRegularExpression>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// Requests a stop when set.
class Stop final : public Monitor {
public:
  bool stopRequested() const override { return now; }
  void progress(std::string_view, uint64_t, uint64_t) override {}
  bool now = false;
};

} // namespace

class TestRunnerCrashes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init();
  void everyEndOfACallIsReported_data();
  void everyEndOfACallIsReported();
  void crashWhileLoadingIsReported();
  void exitWhileLoadingIsReported();
  void printsOfTheLibraryAreKept();
  void hugeAllocationIsReported();
  void cancelledRunnerEnds();
  void runnerEndsWithItsParent();
  void programThatIsNotARunnerIsReported_data();
  void programThatIsNotARunnerIsReported();

private:
  std::unique_ptr<QTemporaryDir> m_made, m_folder;
  protocol::Job m_job;
  protocol::RunnerOptions m_options;
  NullMonitor m_monitor;
};

void TestRunnerCrashes::initTestCase() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  m_made = std::make_unique<QTemporaryDir>();
  const QString said = compileLibrary(in(*m_made, "lib.so"), kDying);
  QVERIFY2(said.isEmpty(), qPrintable(said));
}

void TestRunnerCrashes::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  std::filesystem::copy_file(in(*m_made, "lib.so"), in(*m_folder, "lib.so"));
  m_options = {};
  m_options.runner = BLOBSCOPE_TEST_RUNNER;
  m_options.folder = m_folder->path().toStdString();
  m_options.timeoutMs = 60'000;
  m_job = {};
  m_job.library = "lib.so";
  m_job.abi = "classic";
  m_job.limits.runMs = 1'000;
}

void TestRunnerCrashes::everyEndOfACallIsReported_data() {
  QTest::addColumn<QString>("function");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* function, const char* says) { QTest::newRow(function) << function << says; };
  row("segfault", "the code ended the helper process with SIGSEGV in stage 'host-call', at 0x*, touching 0x10");
  row("aborts", "the code ended the helper process with SIGABRT in stage 'host-call', at 0x*");
  row("traps", "the code ended the helper process with SIGFPE in stage 'host-call', at 0x*");
  row("overflows", "the code ended the helper process with SIGSEGV in stage 'host-call', at 0x*");
  row("thread", "the code ended the helper process with SIGSEGV in stage 'host-call', at 0x*, touching 0x18");
  row("killed",
      "the code ended the helper process with SIGKILL in stage 'host-call': the system may have run out of memory");
  row("exits", "the library ended the helper process with exit code 0 in stage 'host-call'");
  row("exits7", "the library ended the helper process with exit code 7 in stage 'host-call'");
  row("loops",
      "stopped at the time limit of 1 s in stage 'host-call'; the Run dialog of the window can set a longer limit");
  row("leaves", "done 0");
  row("garbage", "the helper process sent an invalid message: 'garbage'");
  row("lies", "done 0");
  row("otherCall", "the helper process sent an invalid message: it refers to call 77 of 2");
  row("endless", "the helper process sent an invalid message: more than 1,000 lines");
  row("longLine", "the helper process sent an invalid message: a line of more than 64.0 KiB (65,536 bytes)");
}

void TestRunnerCrashes::everyEndOfACallIsReported() {
  QFETCH(QString, function);
  QFETCH(QString, says);
  m_options.lines = 1'000;
  m_job.calls = {{"fine", {}, {}}, {function.toStdString(), {}, {}}};
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  const auto expected = QRegularExpression(QRegularExpression::wildcardToRegularExpression(says));
  QVERIFY2(expected.match(received.text()).hasMatch(), qPrintable(received.text()));
  QCOMPARE(received.all<protocol::CallEnded>().at(0).function, std::string("fine"));
  const protocol::RunnerEnd& end = **received.result;
  if (end.problem) QCOMPARE(end.call.value_or(99), uint64_t{1});
}

void TestRunnerCrashes::crashWhileLoadingIsReported() {
  const QString said = compileLibrary(in(*m_folder, "lib.so"), kDying, {"CONSTRUCTOR"});
  QVERIFY2(said.isEmpty(), qPrintable(said));
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  QVERIFY2(received.text().startsWith("the code ended the helper process with SIGSEGV in stage 'dlopen', at 0x"),
           qPrintable(received.text()));
  QVERIFY(!(**received.result).call);
}

void TestRunnerCrashes::exitWhileLoadingIsReported() {
  const QString said = compileLibrary(in(*m_folder, "lib.so"), kDying, {"EXITING"});
  QVERIFY2(said.isEmpty(), qPrintable(said));
  QCOMPARE(runJob(m_job, m_options, m_monitor).text(),
           QString("the library ended the helper process with exit code 0 in stage 'dlopen'"));
}

void TestRunnerCrashes::printsOfTheLibraryAreKept() {
  m_options.messageBytes = 10'000;
  m_job.calls = {{"prints", {}, {}}};
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  QCOMPARE(received.text(), QString("done 0"));
  QCOMPARE((**received.result).messages.size(), std::size_t{10'000});
  QVERIFY((**received.result).messagesCut);
}

void TestRunnerCrashes::hugeAllocationIsReported() {
  // Its address space is limited, except in a build with AddressSanitizer, where only the limit of the system would end
  // it.
#if !defined(__SANITIZE_ADDRESS__) && !(defined(__clang__) && __has_feature(address_sanitizer))
  m_job.limits.addressBytes = uint64_t{1} << 30;
  m_job.calls = {{"allocates", {}, {}}};
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  QVERIFY2(received.text().startsWith("the code ended the helper process with SIGABRT in stage 'host-call'"),
           qPrintable(received.text()));
  // No memory is left for the runner itself.
  m_job.calls = {{"fine", {}, {}}, {"hoards", {}, {}}, {"fine", {}, {}}};
  const QString said = runJob(m_job, m_options, m_monitor).text();
  QCOMPARE(said, QString("RUN-MEMORY@1: the tensors need more memory than is available, but the limit is 1.0 GiB "
                         "(1,073,741,824 bytes); choose smaller sizes\ndone 5"));
#endif
}

void TestRunnerCrashes::cancelledRunnerEnds() {
  Stop stop;
  m_job.limits.runMs = 60'000;
  m_job.calls = {{"deaf", {}, {}}};
  std::optional<uint64_t> pid;
  QElapsedTimer timer;
  const auto result = protocol::runRunner(
      m_job, m_options,
      [&](const protocol::Event& event) {
        if (const auto* const hello = std::get_if<protocol::Hello>(&event)) pid = hello->pid;
        if (std::holds_alternative<protocol::LogLine>(event)) {
          stop.now = true;
          timer.start();
        }
      },
      stop);
  QVERIFY(!result.hasValue());
  QVERIFY(result.error().code() == ErrorCode::Cancelled);
  // Far less than ending a process that ignores everything but the last signal takes.
  QVERIFY(timer.elapsed() < 2'000);
  QVERIFY(pid.has_value());
  QTRY_VERIFY_WITH_TIMEOUT(::kill(static_cast<pid_t>(*pid), 0) != 0, kWaitMs);
}

void TestRunnerCrashes::runnerEndsWithItsParent() {
  // Its standard input ends: the parent is gone.
  writeFile(in(*m_folder, "job.json"), protocol::writeJob([&] {
              m_job.calls = {{"deaf", {}, {}}};
              m_job.limits.runMs = 0;
              return m_job;
            }()));
  QProcess runner;
  // The library writes to every descriptor that it finds, and must not find that of this program.
  runner.setChildProcessModifier([] {
    for (int descriptor = 3; descriptor < 64; ++descriptor) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  });
  runner.start(BLOBSCOPE_TEST_RUNNER, {"--job", QString::fromStdString(in(*m_folder, "job.json").native())});
  while (!runner.peek(1 << 20).contains("ready")) QVERIFY(runner.waitForReadyRead(kWaitMs));
  runner.closeWriteChannel();
  QVERIFY(runner.waitForFinished(kWaitMs));
  QCOMPARE(runner.exitCode(), 125);
}

void TestRunnerCrashes::programThatIsNotARunnerIsReported_data() {
  QTest::addColumn<QString>("script");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, const char* script, const char* says) {
    QTest::newRow(name) << script << says;
  };
  row("silent", "exit 3", "the helper process cannot be started: it ended with exit code 3");
  row("with a reason", "echo no licence >&2; exit 1",
      "the helper process cannot be started: it ended with exit code 1: no licence");
  row("no greeting", "echo '{\"ev\":\"done\",\"code\":0}'",
      "the helper process sent an invalid message: its first message is not a greeting");
  row("other protocol", "echo '{\"ev\":\"hello\",\"proto\":2,\"pid\":1,\"version\":\"9\"}'",
      "the helper process sent an invalid message: it uses protocol 2 and this program 1");
  row("half a line", "printf '{\"ev\":\"hello\",\"proto\":1,\"pid\":1,\"version\":\"9\"}\\n{\"ev\":\"lo'",
      "the helper process sent an invalid message: '{\"ev\":\"lo'");
  row("deaf and silent", "trap '' TERM; sleep 600",
      "stopped at the time limit of 500 ms in stage 'preflight'; the Run dialog of the window can set a longer limit");
  row("zeros without end", "cat /dev/zero",
      "the helper process sent an invalid message: a line of more than 64.0 KiB (65,536 bytes)");
  row("lines without end", "yes ''", "the helper process sent an invalid message: more than 1,000,000 lines");
}

void TestRunnerCrashes::programThatIsNotARunnerIsReported() {
  QFETCH(QString, script);
  QFETCH(QString, says);
  m_options.runner = writeScript(in(*m_folder, "runner"), script.toStdString());
  if (script.contains("sleep")) m_options.timeoutMs = 500;
  QCOMPARE(runJob(m_job, m_options, m_monitor).text(), says);
}

BLOBSCOPE_TEST(TestRunnerCrashes);
#include "test_deaths.moc"
