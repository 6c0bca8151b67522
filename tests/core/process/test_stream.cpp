#include "core/process/stream.h"

#include "tests/core/base/compare.h"
#include "tests/core/process/alive.h"
#include "tests/core/process/made_tool.h"
#include "tests/support/stop_when_there.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <csignal>

using namespace blobscope;
using namespace blobscope::process;
using namespace blobscope::test;
using Cause = StreamResult::Cause;

/// Programs that are shell scripts, in a folder of their own.
class TestStream : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void linesArePassedOn_data();
  void linesArePassedOn();
  void linesArriveWhileTheProgramRuns();
  void endIsReported_data();
  void endIsReported();
  void limitsEndTheProgram_data();
  void limitsEndTheProgram();
  void messagesAreCut();
  void inputStaysOpen();
  void refusalEndsTheProcessGroup();
  void timeoutEndsTheProcessGroup();
  void remainingChildrenAreEnded();
  void supervisorMayEndItsChildren();
  void cancelledProgramIsAskedToStop();
  void thenItIsTerminated();
  void thenItIsKilled();
  void failureToStartIsExplained_data();
  void failureToStartIsExplained();

private:
  /// Each line with "|" behind it goes to m_lines.
  Result<StreamResult> streamed(std::string_view commands, Monitor& monitor) {
    m_options.process.program = writeScript(in(*m_folder, "made"), commands);
    m_options.process.folder = m_folder->path().toStdString();
    m_lines.clear();
    return stream(
        m_options,
        [&](std::string_view line) {
          m_lines += std::string(line) + "|";
          return line != "refuse";
        },
        monitor);
  }
  StreamResult streamed(std::string_view commands) {
    NullMonitor monitor;
    auto result = streamed(commands, monitor);
    if (!result) qFatal("nobody has asked to stop");
    return std::move(*result);
  }
  /// That a file comes into being: what a program does after it was cancelled.
  bool appears(const char* name) const {
    return QTest::qWaitFor([&] { return std::filesystem::exists(in(*m_folder, name)); }, 30'000);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  StreamOptions m_options;
  std::string m_lines;
};

void TestStream::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_options = {};
}

void TestStream::linesArePassedOn_data() {
  QTest::addColumn<std::string>("commands");
  QTest::addColumn<std::string>("expected");
  QTest::newRow("none") << std::string("true") << std::string();
  QTest::newRow("one") << std::string("echo one") << std::string("one|");
  QTest::newRow("several") << std::string("printf 'a\\nb\\nc\\n'") << std::string("a|b|c|");
  QTest::newRow("empty ones") << std::string("printf '\\n\\na\\n\\n'") << std::string("||a||");
  QTest::newRow("a last one without newline") << std::string("printf 'a\\nb'") << std::string("a|b|");
  QTest::newRow("in pieces") << std::string("printf a; sleep 0.05; printf b; sleep 0.05; printf 'c\\nd'")
                             << std::string("abc|d|");
  QTest::newRow("carriage returns stay") << std::string("printf 'a\\r\\n'") << std::string("a\r|");
  QTest::newRow("messages are not among them") << std::string("echo a; echo b >&2; echo c") << std::string("a|c|");
}

void TestStream::linesArePassedOn() {
  QFETCH(std::string, commands);
  QFETCH(std::string, expected);
  const StreamResult result = streamed(commands);
  QCOMPARE(result.exitCode.value_or(-1), 0);
  QVERIFY(result.cause == Cause::Itself);
  QCOMPARE(m_lines, expected);
}

/// The script waits for a file that only somebody makes who has seen its line.
void TestStream::linesArriveWhileTheProgramRuns() {
  m_options.process.program =
      writeScript(in(*m_folder, "made"), "echo first; until [ -e seen ]; do sleep 0.01; done; echo second");
  m_options.process.folder = m_folder->path().toStdString();
  NullMonitor monitor;
  std::string lines;
  const auto result = stream(
      m_options,
      [&](std::string_view line) {
        lines += std::string(line) + "|";
        writeFile(in(*m_folder, "seen"), "");
        return true;
      },
      monitor);
  QVERIFY(result);
  QCOMPARE(lines, std::string("first|second|"));
}

void TestStream::endIsReported_data() {
  QTest::addColumn<std::string>("commands");
  QTest::addColumn<int>("exitCode"); ///< -1: none
  QTest::addColumn<int>("signal");   ///< 0: none
  QTest::newRow("as it should") << std::string("exit 0") << 0 << 0;
  QTest::newRow("with an exit code") << std::string("exit 124") << 124 << 0;
  QTest::newRow("by a signal") << std::string("kill -SEGV $$") << -1 << SIGSEGV;
  QTest::newRow("without its output") << std::string("exec >&- 2>&-; exit 3") << 3 << 0;
}

void TestStream::endIsReported() {
  QFETCH(std::string, commands);
  QFETCH(int, exitCode);
  QFETCH(int, signal);
  const StreamResult result = streamed(commands);
  QCOMPARE(result.exitCode.value_or(-1), exitCode);
  QCOMPARE(result.signal.value_or(0), signal);
  QVERIFY(result.cause == Cause::Itself && !result.notStarted && !result.stuck);
}

void TestStream::limitsEndTheProgram_data() {
  QTest::addColumn<std::string>("commands");
  QTest::addColumn<int>("cause");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, const char* commands, Cause cause, const char* lines) {
    QTest::newRow(name) << std::string(commands) << static_cast<int>(cause) << std::string(lines);
  };
  // 8 bytes a line, 3 lines, 20 bytes in all.
  row("a line of 8 bytes", "echo 12345678", Cause::Itself, "12345678|");
  row("a line of 9 bytes", "echo a; echo 123456789", Cause::LineTooLong, "a|");
  row("a line that never ends", "printf 1234567890", Cause::LineTooLong, "");
  row("3 lines", "printf 'a\\nb\\nc\\n'", Cause::Itself, "a|b|c|");
  row("4 lines", "printf 'a\\nb\\nc\\nd\\n'", Cause::TooManyLines, "a|b|c|");
  row("a fourth without newline", "printf 'a\\nb\\nc\\nd'", Cause::TooManyLines, "a|b|c|");
  row("20 bytes", "printf '1234567\\n1234567\\n1234'", Cause::Itself, "1234567|1234567|1234|");
  row("21 bytes", "printf '1234567\\n1234567\\n12345'", Cause::TooMuch, "");
  row("a refused line", "printf 'a\\nrefuse\\nb\\n'", Cause::Refused, "a|refuse|");
  row("a refused last line", "printf 'a\\nrefuse'", Cause::Refused, "a|refuse|");
}

void TestStream::limitsEndTheProgram() {
  QFETCH(std::string, commands);
  QFETCH(int, cause);
  QFETCH(std::string, expected);
  m_options.lineBytes = 8;
  m_options.lines = 3;
  m_options.process.outputBytes = 20;
  const StreamResult result = streamed(commands);
  QCOMPARE(static_cast<int>(result.cause), cause);
  QCOMPARE(m_lines, expected);
}

void TestStream::messagesAreCut() {
  m_options.process.messageBytes = 10;
  StreamResult result = streamed("printf 0123456789 >&2");
  QCOMPARE(result.messages, std::string("0123456789"));
  QVERIFY(!result.messagesCut);
  result = streamed("printf 0123456789a >&2; echo fine");
  QCOMPARE(result.messages, std::string("0123456789"));
  QVERIFY(result.messagesCut);
  QCOMPARE(m_lines, std::string("fine|"));
}

/// A program that reads ends only when it is asked to stop.
void TestStream::inputStaysOpen() {
  m_options.process.timeoutMs = 300;
  const StreamResult result = streamed("cat; echo ended");
  QVERIFY(result.cause == Cause::Time);
  QCOMPARE(m_lines, std::string());
}

void TestStream::refusalEndsTheProcessGroup() {
  const Alive alive(in(*m_folder, "alive"));
  const StreamResult result = streamed("exec 5>alive; trap '' TERM; sleep 600 & echo refuse; sleep 600");
  QVERIFY(result.cause == Cause::Refused);
  QCOMPARE(result.signal.value_or(0), SIGKILL);
  QVERIFY(alive.ends());
}

void TestStream::timeoutEndsTheProcessGroup() {
  const Alive alive(in(*m_folder, "alive"));
  m_options.process.timeoutMs = 300;
  const StreamResult result = streamed("exec 5>alive; trap '' TERM HUP INT; echo first; sleep 600 & sleep 600");
  QVERIFY(result.cause == Cause::Time);
  QCOMPARE(result.signal.value_or(0), SIGKILL);
  QCOMPARE(m_lines, std::string("first|"));
  QVERIFY(alive.ends());
}

void TestStream::remainingChildrenAreEnded() {
  const Alive alive(in(*m_folder, "alive"));
  // Its child holds standard output; nobody waits for that.
  const StreamResult result = streamed("exec 5>alive; sleep 600 & echo done");
  QCOMPARE(result.exitCode.value_or(-1), 0);
  QCOMPARE(m_lines, std::string("done|"));
  QVERIFY(alive.ends());
}

void TestStream::supervisorMayEndItsChildren() {
  m_options.supervises = true;
  m_options.terminateMs = 30'000;
  const std::string_view commands = "trap ': >tidied; exit 7' TERM; echo refuse; while :; do sleep 0.01; done";
  StreamResult result = streamed(commands);
  QVERIFY(result.cause == Cause::Refused);
  QCOMPARE(result.exitCode.value_or(-1), 7);
  QVERIFY(std::filesystem::exists(in(*m_folder, "tidied")));
  // Others are killed at once.
  m_options.supervises = false;
  result = streamed(commands);
  QCOMPARE(result.signal.value_or(0), SIGKILL);
}

void TestStream::cancelledProgramIsAskedToStop() {
  m_options.stopLine = "please stop";
  m_options.graceMs = 30'000;
  StopWhenThere monitor(in(*m_folder, "started"));
  const auto result = streamed("trap ': >terminated' TERM; : >started; read line; echo \"$line\" >asked.part; "
                               "mv asked.part asked",
                               monitor);
  QVERIFY(!result);
  QCOMPARE(result.error().code(), ErrorCode::Cancelled);
  QVERIFY(appears("asked"));
  QFile asked(m_folder->filePath("asked"));
  QVERIFY(asked.open(QIODevice::ReadOnly));
  QCOMPARE(asked.readAll(), QByteArray("please stop\n"));
  QVERIFY(!std::filesystem::exists(in(*m_folder, "terminated")));
}

void TestStream::thenItIsTerminated() {
  m_options.stopLine = "please stop";
  m_options.graceMs = 1;
  m_options.terminateMs = 30'000;
  StopWhenThere monitor(in(*m_folder, "started"));
  // Nobody reads its messages any more, and the shell has one for each child that a signal ends.
  QVERIFY(!streamed("exec 2>/dev/null; trap ': >terminated; exit' TERM; : >started; while :; do sleep 0.01; done",
                    monitor));
  QVERIFY(appears("terminated"));
}

void TestStream::thenItIsKilled() {
  const Alive alive(in(*m_folder, "alive"));
  m_options.graceMs = m_options.terminateMs = 1;
  StopWhenThere monitor(in(*m_folder, "started"));
  QVERIFY(!streamed("exec 5>alive; trap '' TERM; sleep 600 & : >started; sleep 600", monitor));
  QVERIFY(alive.ends());
}

void TestStream::failureToStartIsExplained_data() {
  QTest::addColumn<std::string>("program");
  QTest::addColumn<std::string>("reason");
  QTest::newRow("missing") << std::string("missing") << std::string("No such file or directory");
  QTest::newRow("a folder") << std::string(".") << std::string("Permission denied");
}

void TestStream::failureToStartIsExplained() {
  QFETCH(std::string, program);
  QFETCH(std::string, reason);
  m_options.process.program = in(*m_folder, program);
  NullMonitor monitor;
  const auto result = stream(m_options, [](std::string_view) { return true; }, monitor);
  QVERIFY(result);
  QCOMPARE(result->notStarted.value_or(""), reason);
  QVERIFY(!result->exitCode && !result->signal && !result->stuck);
}

BLOBSCOPE_TEST(TestStream);
#include "test_stream.moc"
