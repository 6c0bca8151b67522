#include "core/protocol/runner_process.h"

#include "core/process/signals.h"
#include "tests/core/base/compare.h"
#include "tests/core/process/made_tool.h"
#include "tests/support/stop_when_there.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <csignal>

using namespace blobscope;
using namespace blobscope::protocol;
using namespace blobscope::test;

namespace {

/// A script that prints these events, each in a line.
std::string says(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += "echo '" + line + "'\n";
  return out;
}

const std::string kHello = R"({"ev":"hello","proto":1,"pid":1,"version":"0"})", kDone = R"({"ev":"done","code":0})",
                  kLaunchStage = R"({"ev":"stage","stage":"launch","call":1})";

} // namespace

/// Runners are shell scripts that say what they should, or something else.
class TestRunnerProcess : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void eventsArePassedOn();
  void runnerReadsItsJob();
  void failureToWriteTheJobIsReported();
  void breachOfTheProtocolEndsTheRunner_data();
  void breachOfTheProtocolEndsTheRunner();
  void endIsExplained_data();
  void endIsExplained();
  void watchdogNamesTheLimitOfTheStage_data();
  void watchdogNamesTheLimitOfTheStage();
  void tooMuchOutputEndsTheRunner_data();
  void tooMuchOutputEndsTheRunner();
  void eventsAfterTheEndAreIgnored();
  void eventOfTheWatchdogIsNotPassedOn();
  void messagesAreCut();
  void timeoutOfTheJobIsReported();
  void runCanBeCancelled();
  void runnerIsFound();
  void signalsHaveNames_data();
  void signalsHaveNames();

private:
  std::filesystem::path job() const { return in(*m_folder, "job.json"); }
  Result<RunnerEnd> runWith(const std::string& commands, Monitor& monitor) {
    m_options.runner = writeScript(in(*m_folder, "runner"), commands);
    m_options.folder = m_folder->path().toStdString();
    m_events.clear();
    return runRunner(m_job, m_options, [&](const Event& event) { m_events.push_back(event); }, monitor);
  }
  RunnerEnd runWith(const std::string& commands) {
    NullMonitor monitor;
    auto end = runWith(commands, monitor);
    if (!end) qFatal("the script could not be started");
    return std::move(*end);
  }
  static std::string idOf(const RunnerEnd& end) {
    return end.problem ? std::string(end.problem->diagnostic().idText()) : std::string();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  Job m_job;
  RunnerOptions m_options;
  std::vector<Event> m_events;
};

void TestRunnerProcess::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_options = {};
  m_options.timeoutMs = 30'000; // scripts that are not ended sleep for longer
  m_job = {};
  m_job.calls.resize(2);
}

void TestRunnerProcess::eventsArePassedOn() {
  const RunnerEnd end = runWith(says({kHello, kLaunchStage, R"({"ev":"log","text":"a"})", kDone}));
  QVERIFY(!end.problem);
  QCOMPARE(end.finished.value_or(-1), int64_t{0});
  QVERIFY(end.stage == Stage::Launch);
  QCOMPARE(end.call.value_or(9), uint64_t{1});
  QCOMPARE(m_events.size(), std::size_t{4});
  QVERIFY(std::holds_alternative<Hello>(m_events[0]));
  QVERIFY(std::holds_alternative<Finished>(m_events[3]));
}

void TestRunnerProcess::runnerReadsItsJob() {
  m_job.library = "lib.so";
  const RunnerEnd end = runWith("cp \"$2\" \"$2.seen\"; echo \"$#$1\" >&2\n" + says({kHello, kDone}));
  QVERIFY(!end.problem);
  QCOMPARE(end.messages, std::string("2--job\n"));
  QFile seen(QString::fromStdString(job().native() + ".seen"));
  QVERIFY(seen.open(QIODevice::ReadOnly));
  const auto read = readJob(bytes(seen.readAll().toStdString()));
  QVERIFY(read);
  QVERIFY(*read == m_job);
  QCOMPARE(seen.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
}

void TestRunnerProcess::failureToWriteTheJobIsReported() {
  NullMonitor monitor;
  m_options.runner = "/bin/true";
  m_options.folder = in(*m_folder, "nowhere");
  const EventSink sink = [](const Event&) {};
  const auto missing = runRunner(m_job, m_options, sink, monitor);
  QVERIFY(!missing);
  QCOMPARE(missing.error().diagnostic().idText(), std::string_view("FILE-WRITE"));
  // A link that somebody else has put there is not followed.
  m_options.folder = m_folder->path().toStdString();
  std::filesystem::create_symlink(in(*m_folder, "elsewhere"), job());
  const auto link = runRunner(m_job, m_options, sink, monitor);
  QVERIFY(!link);
  QCOMPARE(link.error().diagnostic().idText(), std::string_view("FILE-WRITE"));
  QVERIFY(!std::filesystem::exists(in(*m_folder, "elsewhere")));
}

void TestRunnerProcess::breachOfTheProtocolEndsTheRunner_data() {
  QTest::addColumn<std::string>("commands");
  QTest::addColumn<int>("events"); ///< that are passed on before
  const auto row = [](const char* name, const std::vector<std::string>& lines, int events) {
    QTest::newRow(name) << says(lines) << events;
  };
  row("no JSON", {"hello"}, 0);
  row("no greeting", {kDone}, 0);
  row("a log in front of the greeting", {R"({"ev":"log","text":"a"})", kHello}, 0);
  row("another protocol", {R"({"ev":"hello","proto":2,"pid":1,"version":"0"})", kDone}, 0);
  row("two greetings", {kHello, kHello}, 1);
  row("an unknown event", {kHello, R"({"ev":"dance"})"}, 1);
  row("a call that the job does not have", {kHello, R"({"ev":"stage","stage":"launch","call":2})"}, 1);
  row("the result of one", {kHello, R"({"ev":"call","call":2,"function":"f","code":0,"launches":0})"}, 1);
  row("a line cut off", {kHello, kLaunchStage, R"({"ev":"do)"}, 2);
}

void TestRunnerProcess::breachOfTheProtocolEndsTheRunner() {
  QFETCH(std::string, commands);
  QFETCH(int, events);
  // It would live on, so it is ended; what it says then counts no longer.
  const RunnerEnd end = runWith(commands + "sleep 600 &\nwait\n" + says({kDone}));
  QCOMPARE(idOf(end), std::string("RUN-PROTOCOL"));
  QCOMPARE(static_cast<int>(m_events.size()), events);
  QVERIFY(!end.finished);
}

void TestRunnerProcess::endIsExplained_data() {
  QTest::addColumn<std::string>("commands");
  QTest::addColumn<std::string>("id"); ///< empty: as it should
  QTest::addColumn<std::string>("words");
  const auto row = [](const char* name, const std::vector<std::string>& lines, const std::string& last, std::string id,
                      std::string words) {
    QTest::newRow(name) << says(lines) + last << std::move(id) << std::move(words);
  };
  row("a call failed, which is not the runner's fault", {kHello, R"({"ev":"done","code":5})"}, "exit 5", "", "");
  row("empty lines are not events", {kHello, "", kDone}, "", "", "");
  row("the exit code after the end does not count", {kHello, kDone}, "exit 9", "", "");
  row("without a greeting", {}, "echo 'no such device' >&2; echo more >&2; exit 3", "RUN-RUNNER", "no such device");
  row("without a word", {}, "", "RUN-RUNNER", "exit code 0");
  row("with an exit code of its own", {kHello, kLaunchStage}, "exit 3", "RUN-EXIT", "launch");
  row("with exit code 0 and no end", {kHello}, "exit 0", "RUN-EXIT", "preflight");
  row("by a signal", {kHello, kLaunchStage}, "kill -SEGV $$", "RUN-CRASH", "SIGSEGV");
  row("by a signal before the greeting", {}, "kill -ABRT $$", "RUN-CRASH", "SIGABRT");
  row("killed by the system", {kHello}, "kill -KILL $$", "RUN-CRASH", "memory");
  row("for a file that is too large", {kHello, kLaunchStage}, "kill -XFSZ $$", "RUN-FILE-SIZE", "more than 4.0 GiB");
  row("for its processor time", {kHello}, "kill -XCPU $$", "RUN-CRASH", "processor time");
  row("by its supervisor", {kHello, kLaunchStage}, "exit 126", "RUN-PROCESSES", "more than 512 processes");
  row("a crash that it tells itself",
      {kHello, R"({"ev":"crash","signal":11,"addr":16,"library_offset":4660,"stage":"sync","call":0})"}, "exit 1",
      "RUN-CRASH", "0x1234");
  row("a crash without a place", {kHello, R"({"ev":"crash","signal":6,"addr":0,"stage":"dlopen"})"}, "exit 1",
      "RUN-CRASH", "SIGABRT");
}

void TestRunnerProcess::endIsExplained() {
  QFETCH(std::string, commands);
  QFETCH(std::string, id);
  QFETCH(std::string, words);
  const RunnerEnd end = runWith(commands);
  QCOMPARE(idOf(end), id);
  if (!end.problem) return;
  const std::string message = end.problem->message();
  QVERIFY2(message.find(words) != std::string::npos, message.c_str());
}

void TestRunnerProcess::watchdogNamesTheLimitOfTheStage_data() {
  QTest::addColumn<std::string>("stage");
  QTest::addColumn<std::string>("limit");
  for (const char* stage : {"preflight", "limits", "dlopen", "init", "driver"})
    QTest::newRow(stage) << std::string(stage) << std::string("1 s");
  QTest::newRow("module") << std::string("module") << std::string("2500 ms");
  for (const char* stage : {"alloc", "host-call", "launch", "sync", "readback"})
    QTest::newRow(stage) << std::string(stage) << std::string("3 s");
}

/// 124 is the exit code of the runner's watchdog.
void TestRunnerProcess::watchdogNamesTheLimitOfTheStage() {
  QFETCH(std::string, stage);
  QFETCH(std::string, limit);
  m_job.limits.loadMs = 1'000;
  m_job.limits.buildMs = 2'500;
  m_job.limits.runMs = 3'000;
  const RunnerEnd end = runWith(says({kHello, R"({"ev":"stage","stage":")" + stage + "\"}"}) + "exit 124");
  QCOMPARE(idOf(end), std::string("RUN-TIME"));
  const std::string message = end.problem->message();
  QVERIFY2(message.find(limit) != std::string::npos, message.c_str());
}

void TestRunnerProcess::tooMuchOutputEndsTheRunner_data() {
  QTest::addColumn<std::string>("commands");
  QTest::newRow("lines") << says({kHello, "", "", ""}) + "sleep 600";
  QTest::newRow("bytes") << says({kHello}) + "head -c 2000 /dev/zero; sleep 600";
  QTest::newRow("one line") << std::string("head -c 70000 /dev/zero; sleep 600");
}

void TestRunnerProcess::tooMuchOutputEndsTheRunner() {
  QFETCH(std::string, commands);
  m_options.lines = 3;
  m_options.outputBytes = QLatin1String(QTest::currentDataTag()) == QLatin1String("one line") ? 1 << 20 : 1'000;
  QCOMPARE(idOf(runWith(commands)), std::string("RUN-PROTOCOL"));
}

void TestRunnerProcess::eventsAfterTheEndAreIgnored() {
  const RunnerEnd end = runWith(says({kHello, kDone, R"({"ev":"log","text":"more"})", "nonsense"}) + "sleep 600");
  QVERIFY(!end.problem);
  QCOMPARE(end.finished.value_or(-1), int64_t{0});
  QCOMPARE(m_events.size(), std::size_t{2});
}

void TestRunnerProcess::eventOfTheWatchdogIsNotPassedOn() {
  const RunnerEnd end = runWith(says({kHello, R"({"ev":"error","id":"RUN-TIME","message":"late"})",
                                      R"({"ev":"error","id":"RUN-LAUNCH","message":"no"})", kDone}));
  QCOMPARE(m_events.size(), std::size_t{3});
  const auto* const error = std::get_if<ErrorReported>(&m_events[1]);
  QVERIFY(error);
  QCOMPARE(error->id, std::string("RUN-LAUNCH"));
  QVERIFY(!end.problem);
}

void TestRunnerProcess::messagesAreCut() {
  m_options.messageBytes = 4;
  const RunnerEnd end = runWith("printf 12345 >&2\n" + says({kHello, kDone}));
  QCOMPARE(end.messages, std::string("1234"));
  QVERIFY(end.messagesCut);
}

void TestRunnerProcess::timeoutOfTheJobIsReported() {
  m_options.timeoutMs = 300;
  const RunnerEnd end = runWith(says({kHello, kLaunchStage}) + "sleep 600 &\nwait");
  QCOMPARE(idOf(end), std::string("RUN-TIME"));
  const std::string message = end.problem->message();
  QVERIFY2(message.find("300 ms") != std::string::npos, message.c_str());
}

void TestRunnerProcess::runCanBeCancelled() {
  StopWhenThere monitor(in(*m_folder, "started"));
  const auto end = runWith(says({kHello}) + ": >\"${0%/*}/started\"\nread line", monitor);
  QVERIFY(!end);
  QCOMPARE(end.error().code(), ErrorCode::Cancelled);
}

void TestRunnerProcess::runnerIsFound() {
  const QByteArray before = qgetenv("BLOBSCOPE_RUNNER");
  qputenv("BLOBSCOPE_RUNNER", "/named/by/the/environment");
  const auto named = findRunner();
  qunsetenv("BLOBSCOPE_RUNNER");
  const auto beside = findRunner();
  if (!before.isEmpty()) qputenv("BLOBSCOPE_RUNNER", before);
  QVERIFY(named);
  QCOMPARE(named->native(), std::string("/named/by/the/environment"));
  // Whether one lies beside this program is up to the build.
  if (beside)
    QCOMPARE(beside->filename().native(), std::string("blobscope-runner"));
  else
    QCOMPARE(beside.error().diagnostic().idText(), std::string_view("RUN-RUNNER"));
}

void TestRunnerProcess::signalsHaveNames_data() {
  QTest::addColumn<int>("number");
  QTest::addColumn<std::string>("name");
  const std::pair<int, const char*> kRows[] = {
      {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"}, {SIGABRT, "SIGABRT"},
      {SIGKILL, "SIGKILL"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {42, "signal 42"},  {0, "signal 0"}};
  for (const auto& [number, name] : kRows) QTest::newRow(name) << number << std::string(name);
}

void TestRunnerProcess::signalsHaveNames() {
  QFETCH(int, number);
  QFETCH(std::string, name);
  QCOMPARE(process::signalName(number), name);
}

BLOBSCOPE_TEST(TestRunnerProcess);
#include "test_runner_process.moc"
