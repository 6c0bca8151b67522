#include "core/process/confine.h"
#include "core/protocol/runner_process.h"

#include "tests/runner/escaping_library.h"
#include "tests/runner/fixture.h"
#include "tests/support/stop_when_there.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"

#include <QRegularExpression>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace blobscope;
using namespace blobscope::test;
using process::Layers;

/// The actions that code in the runner cannot do, and the processes that remain after a run: none.
class TestConfinedRunner : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init();
  void forbiddenActionsFail_data();
  void forbiddenActionsFail();
  void dryRunStartsNoProcess();
  void resultThatBecameAPipeIsRefused();
  void childProcessesAreEnded_data();
  void childProcessesAreEnded();
  void childProcessesAreEndedOnCancel();
  void childProcessesAreEndedWhenTheClientDies();
  void endlessForkingIsEnded();

private:
  /// The output of the processes that left the run.
  std::vector<pid_t> left() const {
    std::vector<pid_t> out;
    QFile file(m_folder->path() + "/left");
    if (file.open(QIODevice::ReadOnly))
      for (const QByteArray& line : file.readAll().split('\n'))
        if (!line.isEmpty()) out.push_back(line.toInt());
    return out;
  }
  bool anyIsThere() const {
    const std::vector<pid_t> all = left();
    return std::any_of(all.begin(), all.end(), [](pid_t process) { return ::kill(process, 0) == 0; });
  }

  std::unique_ptr<QTemporaryDir> m_made, m_folder, m_outside;
  protocol::Job m_job;
  protocol::RunnerOptions m_options;
  NullMonitor m_monitor;
};

void TestConfinedRunner::initTestCase() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  m_made = std::make_unique<QTemporaryDir>();
  const QString said = compileLibrary(in(*m_made, "lib.so"), kEscaping);
  QVERIFY2(said.isEmpty(), qPrintable(said));
}

void TestConfinedRunner::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_outside = std::make_unique<QTemporaryDir>();
  std::filesystem::copy_file(in(*m_made, "lib.so"), in(*m_folder, "lib.so"));
  qputenv("BLOBSCOPE_TEST_OUTSIDE", m_outside->path().toUtf8());
  m_options = {};
  m_options.runner = BLOBSCOPE_TEST_RUNNER;
  m_options.folder = m_folder->path().toStdString();
  m_options.timeoutMs = 60'000;
  m_job = {};
  m_job.mode = protocol::Mode::Function;
  m_job.library = "lib.so";
  m_job.abi = "classic";
  m_job.limits.runMs = 30'000;
}

void TestConfinedRunner::forbiddenActionsFail_data() {
  QTest::addColumn<int>("layer");
  QTest::addColumn<int>("code");
  const auto row = [](const char* function, Layers::Bit layer, int code) {
    QTest::newRow(function) << int{layer} << code;
  };
  row("internet", Layers::SystemCalls, EPERM);
  row("internet6", Layers::SystemCalls, EPERM);
  row("packets", Layers::SystemCalls, EPERM);
  row("local", Layers::SystemCalls, EPERM);
  row("traces", Layers::SystemCalls, EPERM);
  row("killsParent", Layers::SystemCalls, EPERM);
  row("killsGroup", Layers::SystemCalls, EPERM);
  row("outside", Layers::Files, EACCES);
  row("memoryOfParent", Layers::Files, EACCES);
  row("inside", Layers::Limits, 0);
  // Only drivers of NVIDIA need it.
  row("shared", Layers::Files, EACCES);
  row("leavesMemory", Layers::SystemCalls, EPERM);
  row("changesModes", Layers::SystemCalls, EPERM);
  row("changesTimes", Layers::SystemCalls, EPERM);
  row("sendsDatagrams", Layers::SystemCalls, EPERM);
  row("movesParent", Layers::SystemCalls, EPERM);
  row("movesItself", Layers::Limits, 0);
  row("raisesLimits", Layers::Privileges, EPERM);
  row("privileges", Layers::Privileges, 1);
  row("unlimited", Layers::Limits, 0);
  row("forks", Layers::Limits, 0);
}

void TestConfinedRunner::forbiddenActionsFail() {
  QFETCH(int, layer);
  QFETCH(int, code);
  const auto asked = static_cast<Layers::Bit>(layer);
  if (!process::supportedLayers().has(asked)) QSKIP(process::missingReason(asked).c_str());
  writeFile(in(*m_outside, "there"), "text");
  m_job.calls = {{QTest::currentDataTag(), {}, {}}};
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  const auto ended = received.all<protocol::CallEnded>();
  QVERIFY2(ended.size() == 1, qPrintable(received.text()));
  QCOMPARE(ended[0].code, int64_t{code});
  QVERIFY(!std::filesystem::exists(in(*m_outside, "made")));
  QVERIFY((std::filesystem::status(in(*m_outside, "there")).permissions() & std::filesystem::perms::others_write) ==
          std::filesystem::perms::none);
}

void TestConfinedRunner::dryRunStartsNoProcess() {
  if (!process::supportedLayers().has(Layers::SystemCalls)) QSKIP(process::missingReason(Layers::SystemCalls).c_str());
  m_job.mode = protocol::Mode::Dry;
  m_job.calls = {{"forks", {}, {}}};
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  const auto ended = received.all<protocol::CallEnded>();
  QVERIFY2(ended.size() == 1, qPrintable(received.text()));
  QCOMPARE(ended[0].code, int64_t{EPERM});
}

/// At once, not when the time is up.
void TestConfinedRunner::resultThatBecameAPipeIsRefused() {
  m_job.calls = {{"replacesResult", {tensorArgument("out", {4}, 1, {}, "result")}, {}}};
  m_job.calls[0].arguments[0].tensor.role = protocol::Role::Out;
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  const auto errors = received.all<protocol::ErrorReported>();
  QVERIFY2(errors.size() == 1, qPrintable(received.text()));
  QCOMPARE(errors[0].id, std::string("FILE-WRITE"));
  QVERIFY2(errors[0].message.ends_with("a named pipe or device is in its place"), errors[0].message.c_str());
  QVERIFY2((*received.result)->finished.has_value(), qPrintable(received.text()));
}

void TestConfinedRunner::childProcessesAreEnded_data() {
  QTest::addColumn<QString>("says");
  QTest::newRow("leaves") << "done 0";
  QTest::newRow("leavesAndDies") << "the code ended the helper process with SIGABRT in stage 'host-call'*";
  QTest::newRow("leavesAndLoops")
      << "stopped at the time limit of 1 s in stage 'host-call'; the Run dialog of the window can set a longer limit";
}

void TestConfinedRunner::childProcessesAreEnded() {
  QFETCH(QString, says);
  m_job.limits.runMs = 1'000;
  m_job.calls = {{QTest::currentDataTag(), {}, {}}};
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  QVERIFY2(QRegularExpression(QRegularExpression::wildcardToRegularExpression(says)).match(received.text()).hasMatch(),
           qPrintable(received.text()));
  QCOMPARE(left().size(), std::size_t{2});
  QVERIFY(!anyIsThere());
}

void TestConfinedRunner::childProcessesAreEndedOnCancel() {
  m_job.calls = {{"leavesAndLoops", {}, {}}};
  StopWhenThere stop(in(*m_folder, "left"));
  const auto result = protocol::runRunner(m_job, m_options, [](const protocol::Event&) {}, stop);
  QVERIFY(!result.hasValue());
  QVERIFY(result.error().code() == ErrorCode::Cancelled);
  QTRY_VERIFY_WITH_TIMEOUT(!left().empty() && !anyIsThere(), kWaitMs);
}

void TestConfinedRunner::childProcessesAreEndedWhenTheClientDies() {
  m_job.calls = {{"leavesAndLoops", {}, {}}};
  writeFile(in(*m_folder, "job.json"), protocol::writeJob(m_job));
  // A client that dies while the standard input of the runner stays open: the other end of the pipe is in the runner
  // itself.
  QCOMPARE(::mkfifo(in(*m_folder, "input").c_str(), 0600), 0);
  QProcess client;
  client.setWorkingDirectory(m_folder->path());
  client.start("/bin/sh", {"-c", "exec 3<>input; \"$0\" --job job.json <&3 & wait", BLOBSCOPE_TEST_RUNNER});
  QTRY_COMPARE_WITH_TIMEOUT(left().size(), std::size_t{2}, kWaitMs);
  QVERIFY(anyIsThere());
  client.kill();
  QVERIFY(client.waitForFinished(kWaitMs));
  QTRY_VERIFY_WITH_TIMEOUT(!anyIsThere(), kWaitMs);
}

/// The supervisor ends it, which allows each process, or counts them; the time limit at the latest.
void TestConfinedRunner::endlessForkingIsEnded() {
  QCOMPARE(::mkfifo(in(*m_folder, "alive").c_str(), 0600), 0);
  const int alive = ::open(in(*m_folder, "alive").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  QVERIFY(alive >= 0);
  m_job.calls = {{"forksWithoutEnd", {}, {}}};
  const RunRecord received = runJob(m_job, m_options, m_monitor);
  pollfd watched{alive, POLLIN, 0};
  // All are killed by now; thousands of them take time to end.
  const int ready = ::poll(&watched, 1, kWaitMs);
  ::close(alive);
  const protocol::RunnerEnd& end = **received.result;
  QVERIFY2(end.problem.has_value(), qPrintable(received.text()));
  QVERIFY(received.all<protocol::CallEnded>().empty());
  QCOMPARE(QString::fromStdString(end.problem->message()),
           QStringLiteral("the code had more than 512 processes in stage 'host-call', and all of them were ended"));
  QCOMPARE(QString::fromStdString(end.messages), QStringLiteral("the run had more than 512 processes and was ended\n"));
  // Those that were allowed at the same time as the last one are under way; a count per second would allow thousands.
  if (process::supportedLayers().has(Layers::Tasks)) {
    QFile file(m_folder->path() + "/counted");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const qint64 made = file.size();
    QVERIFY2(made >= 500 && made <= 1'024, qPrintable(QString::number(made)));
  }
  QVERIFY(ready == 1 && (watched.revents & POLLHUP) != 0);
}

BLOBSCOPE_TEST(TestConfinedRunner);
#include "test_confined.moc"
