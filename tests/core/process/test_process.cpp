#include "core/process/process.h"

#include "tests/core/process/alive.h"
#include "tests/core/process/made_tool.h"
#include "tests/support/stop_when_there.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace blobscope;
using namespace blobscope::process;
using namespace blobscope::test;

class TestProcess : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void outputAndMessagesAreRead();
  void argumentsAreNotShellText();
  void folderAndEnvironmentAreSet();
  void openFilesAreNotInherited();
  void inputIsEmpty();
  void exitCodeIsReported();
  void signalIsReported();
  void failureToStartIsExplained_data();
  void failureToStartIsExplained();
  void timeoutEndsTheProcessGroup();
  void cancellingEndsTheProcessGroup();
  void remainingChildrenAreEnded();
  void outputIsCut();
  void messagesAreCut();
  void muchOutputIsRead();
  void ignoredSignalsAreNotInherited();
  void temporaryFolderIsRemoved();
  void abandonedFoldersAreRemoved();

private:
  ProcessResult runScript(std::string_view commands) {
    m_options.program = writeScript(in(*m_folder, "made"), commands);
    auto result = run(m_options, m_monitor);
    return result ? *result : ProcessResult();
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  ProcessOptions m_options;
  NullMonitor m_monitor;
};

void TestProcess::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_options = {};
}

void TestProcess::outputAndMessagesAreRead() {
  const ProcessResult result = runScript("printf 'a\\nb'; printf 'c' >&2");
  QVERIFY(result.fine());
  QCOMPARE(result.output, std::string("a\nb"));
  QCOMPARE(result.messages, std::string("c"));
  QVERIFY(!result.signal && !result.notStarted && !result.timedOut);
}

void TestProcess::argumentsAreNotShellText() {
  m_options.arguments = {"a b", "$HOME", "`id`; *", ""};
  QCOMPARE(runScript("for a in \"$@\"; do printf '<%s>' \"$a\"; done").output, std::string("<a b><$HOME><`id`; *><>"));
}

void TestProcess::folderAndEnvironmentAreSet() {
  std::filesystem::create_directory(in(*m_folder, "inner"));
  m_options.folder = in(*m_folder, "inner");
  m_options.environment = {"MADE=yes"};
  QCOMPARE(runScript("echo ${PWD##*/} $MADE $HOME").output, std::string("inner yes\n"));
}

void TestProcess::openFilesAreNotInherited() {
  // A descriptor that a careless library has left open.
  const int open = ::open("/dev/null", O_RDONLY);
  const int high = fcntl(open, F_DUPFD, 40);
  QVERIFY(open >= 0 && high >= 40);
  const ProcessResult result = runScript("for n in 3 4 5 6 7 8 40; do [ -e /dev/fd/$n ] && echo $n; done; true");
  ::close(open);
  ::close(high);
  QCOMPARE(result.output, std::string());
}

void TestProcess::inputIsEmpty() { QCOMPARE(runScript("cat; echo end").output, std::string("end\n")); }

void TestProcess::exitCodeIsReported() {
  const ProcessResult result = runScript("echo '  it   is no  ELF ' >&2; echo more >&2; exit 7");
  QCOMPARE(result.exitCode.value_or(0), 7);
  QVERIFY(!result.fine());
  QCOMPARE(describe(result, m_options), std::string("ended with exit code 7: it is no ELF"));
}

void TestProcess::signalIsReported() {
  const ProcessResult result = runScript("kill -SEGV $$");
  QCOMPARE(result.signal.value_or(0), SIGSEGV);
  QVERIFY(!result.exitCode && !result.timedOut);
  QCOMPARE(describe(result, m_options), std::string("was ended by signal 11"));
}

void TestProcess::failureToStartIsExplained_data() {
  QTest::addColumn<QString>("what");
  QTest::addColumn<QString>("reason");
  QTest::newRow("missing") << "missing" << "No such file or directory";
  QTest::newRow("not executable") << "text" << "Permission denied";
  QTest::newRow("no program") << "garbage" << "Exec format error";
  QTest::newRow("a folder") << "." << "Permission denied";
  QTest::newRow("missing folder") << "made" << "No such file or directory";
}

void TestProcess::failureToStartIsExplained() {
  QFETCH(QString, what);
  QFETCH(QString, reason);
  writeFile(in(*m_folder, "text"), "text");
  writeFile(in(*m_folder, "garbage"), "\x7f"
                                      "ELF of no machine");
  std::filesystem::permissions(in(*m_folder, "garbage"), std::filesystem::perms::owner_all);
  writeScript(in(*m_folder, "made"), "true");
  m_options.program = in(*m_folder, what.toStdString());
  if (what == "made") m_options.folder = in(*m_folder, "nowhere");
  const auto result = run(m_options, m_monitor);
  QVERIFY(result.hasValue());
  QCOMPARE(QString::fromStdString(result->notStarted.value_or("")), reason);
  QVERIFY(!result->exitCode && !result->signal && !result->fine());
  QCOMPARE(QString::fromStdString(describe(*result, m_options)), "could not be started: " + reason);
}

void TestProcess::timeoutEndsTheProcessGroup() {
  const Alive alive(in(*m_folder, "alive"));
  m_options.folder = m_folder->path().toStdString();
  m_options.timeoutMs = 300;
  // The program and its child ignore the polite signals.
  const ProcessResult result = runScript("exec 5>alive; trap '' TERM HUP INT; printf first; sleep 600 & sleep 600");
  QVERIFY(result.timedOut && !result.fine());
  QCOMPARE(result.signal.value_or(0), SIGKILL);
  QCOMPARE(result.output, std::string("first"));
  QCOMPARE(describe(result, m_options), std::string("did not end within 300 ms and was stopped"));
  QVERIFY(alive.ends());
}

void TestProcess::cancellingEndsTheProcessGroup() {
  const Alive alive(in(*m_folder, "alive"));
  m_options.folder = m_folder->path().toStdString();
  m_options.program = writeScript(in(*m_folder, "made"), "exec 5>alive; sleep 600 & : >started; yes >&2");
  StopWhenThere monitor(in(*m_folder, "started"));
  const auto result = run(m_options, monitor);
  QVERIFY(!result.hasValue());
  QVERIFY(result.error().code() == ErrorCode::Cancelled);
  QVERIFY(alive.ends());
}

void TestProcess::remainingChildrenAreEnded() {
  const Alive alive(in(*m_folder, "alive"));
  m_options.folder = m_folder->path().toStdString();
  // Its child keeps standard output open; the caller does not wait for it.
  const ProcessResult result = runScript("exec 5>alive; sleep 600 & echo done");
  QVERIFY(result.fine());
  QCOMPARE(result.output, std::string("done\n"));
  QVERIFY(alive.ends());
}

void TestProcess::outputIsCut() {
  m_options.outputBytes = 1000;
  const ProcessResult result = runScript("yes");
  QVERIFY(result.outputCut && !result.fine());
  QCOMPARE(result.output.size(), std::size_t{1000});
  QCOMPARE(describe(result, m_options), std::string("was stopped after it had printed 1,000 bytes"));
}

void TestProcess::messagesAreCut() {
  m_options.messageBytes = 10;
  const ProcessResult result = runScript("echo 01234567890123456789 >&2; echo fine");
  QVERIFY(result.fine() && result.messagesCut);
  QCOMPARE(result.messages, std::string("0123456789"));
  QCOMPARE(result.output, std::string("fine\n"));
}

void TestProcess::muchOutputIsRead() {
  const ProcessResult result = runScript("head -c 5000000 /dev/zero; head -c 300000 /dev/zero >&2");
  QVERIFY(result.fine());
  QCOMPARE(result.output.size(), std::size_t{5'000'000});
  QCOMPARE(result.messages.size(), std::size_t{300'000});
}

void TestProcess::ignoredSignalsAreNotInherited() {
  // A program that ignores SIGPIPE, as this one may, must not pass that on.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const ProcessResult result = runScript("kill -PIPE $$; echo survived");
  std::signal(SIGPIPE, before);
  QCOMPARE(result.signal.value_or(0), SIGPIPE);
}

void TestProcess::temporaryFolderIsRemoved() {
  std::filesystem::path path;
  {
    auto folder = TemporaryFolder::create();
    QVERIFY(folder.hasValue());
    const TemporaryFolder moved = std::move(*folder);
    path = moved.path();
    QVERIFY(std::filesystem::is_directory(path));
    QCOMPARE(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    std::filesystem::create_directory(path / "inner");
    writeFile(path / "inner" / "file", "x");
  }
  QVERIFY(!std::filesystem::exists(path));
}

/// Only folders with the mark, of this user, not new, whose owner is gone.
void TestProcess::abandonedFoldersAreRemoved() {
  const QByteArray before = qgetenv("TMPDIR");
  qputenv("TMPDIR", m_folder->path().toUtf8());
  const auto entries = [&] { return QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot); };
  // Their owner is killed.
  const pid_t owner = ::fork();
  if (owner == 0) {
    for (int i = 0; i < 3; ++i) {
      auto folder = TemporaryFolder::create();
      if (!folder) ::_exit(1);
      std::filesystem::create_directory(folder->path() / "inner");
      std::filesystem::create_symlink("/etc", folder->path() / "link");
      new TemporaryFolder(std::move(*folder));
    }
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(owner, nullptr, 0);
  QStringList left = entries();
  QCOMPARE(left.size(), 3);
  {
    const auto living = TemporaryFolder::create();
    QVERIFY(living.hasValue());
    const std::filesystem::path whole = living->path().parent_path();
    std::filesystem::create_directory(in(*m_folder, "blobscope-abcdef")); // without the mark
    std::filesystem::create_directory(in(*m_folder, "blobscope-older"));
    const auto ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    for (const QString& name : entries())
      if (name != left[0]) std::filesystem::last_write_time(in(*m_folder, name.toStdString()), ago);
    removeAbandonedFolders(m_folder->path().toStdString());
    QStringList expected = {left[0], QString::fromStdString(whole.filename().string()), "blobscope-abcdef",
                            "blobscope-older"};
    expected.sort();
    QStringList found = entries();
    found.sort();
    QCOMPARE(found, expected);
    QVERIFY(std::filesystem::is_directory(living->path()));
    QVERIFY(std::filesystem::exists("/etc/passwd"));
  }
  if (before.isNull())
    qunsetenv("TMPDIR");
  else
    qputenv("TMPDIR", before);
}

BLOBSCOPE_TEST(TestProcess);
#include "test_process.moc"
