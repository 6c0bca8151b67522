#include "core/process/confine.h"

#include "core/process/process.h"
#include "core/process/supervise.h"
#include "tests/core/base/files.h"
#include "tests/core/process/alive.h"
#include "tests/support/stop_when_there.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wait.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace blobscope;
using namespace blobscope::process;
using namespace blobscope::test;

/// A test program that attempts forbidden actions, confined like a tool.
class TestConfinement : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void everySupportedLayerIsApplied();
  void newPrivilegesAreBlocked();
  void socketsAreBlocked();
  void localSocketsCanBeAllowed();
  void onlySocketsOfTheListAreReached();
  void datagramsAreBlocked();
  void dangerousSystemCallsAreBlocked();
  void attributesOfFilesAreKept();
  void nothingIsLeftInMemory();
  void onlyOwnThreadsAreRanked();
  void rootKeepsNoCapabilities();
  void newProcessesAreBlockedAndThreadsAllowed();
  void numberOfProcessesIsLimited();
  void numberOfThreadsIsLimited();
  void processesThatLeaveAreEnded_data();
  void processesThatLeaveAreEnded();
  void environmentIsNotInherited();
  void ownFolderIsWritable();
  void otherFilesAreBlocked();
  void readingEverythingCanBeAllowed();
  void onlyTheNullDeviceIsUsable();
  void memoryIsLimited_data();
  void memoryIsLimited();
  void fileSizeIsLimited();
  void processorTimeIsLimited();
  void abortEndsWithItsSignal();
  void openFilesAreNotInherited();
  void failureToStartIsExplained();
  void installationIsNoPrivateFolder_data();
  void installationIsNoPrivateFolder();
  void layersAreSummarised_data();
  void layersAreSummarised();

private:
  bool has(Layers::Bit layer) const { return supportedLayers().has(layer); }
  ProcessResult tool(std::vector<std::string> words) {
    m_options.arguments = std::move(words);
    auto result = run(m_options, m_monitor);
    return result ? *result : ProcessResult();
  }
  /// Its output: a name and a number on each line.
  QStringList lines(std::vector<std::string> words) {
    return QString::fromStdString(tool(std::move(words)).output).split('\n', Qt::SkipEmptyParts);
  }
  Confinement& confinement() { return *m_options.confinement; }

  std::unique_ptr<QTemporaryDir> m_folder, m_outside;
  ProcessOptions m_options;
  NullMonitor m_monitor;
};

void TestConfinement::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_outside = std::make_unique<QTemporaryDir>();
  m_options = {};
  m_options.program = BLOBSCOPE_TEST_TOOL;
  m_options.folder = m_folder->path().toStdString();
  m_options.environment = toolEnvironment(m_options.folder);
  m_options.confinement = toolConfinement(m_options.program, m_options.folder);
}

void TestConfinement::everySupportedLayerIsApplied() {
  const ProcessResult result = tool({"privileges"});
  QCOMPARE(int{result.confined.bits}, int{supportedLayers().bits});
  // A layer that is not requested does not count.
  confinement().tasks = 0;
  QVERIFY(!tool({"privileges"}).confined.has(Layers::Tasks));
  confinement().confinesFiles = false;
  QVERIFY(!tool({"privileges"}).confined.has(Layers::Files));
}

void TestConfinement::newPrivilegesAreBlocked() {
  if (!has(Layers::Privileges)) QSKIP("programs are not confined on this system");
  QCOMPARE(lines({"privileges"}), QStringList{"1"});
}

void TestConfinement::socketsAreBlocked() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  QCOMPARE(lines({"sockets"}), QStringList({"inet 1", "inet6 1", "unix 1", "netlink 1", "packet 1"}));
}

void TestConfinement::localSocketsCanBeAllowed() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  confinement().localSockets = true;
  QCOMPARE(lines({"sockets"}), QStringList({"inet 1", "inet6 1", "unix 0", "netlink 0", "packet 1"}));
}

/// The supervisor makes the connection, with an address that only it can change.
void TestConfinement::onlySocketsOfTheListAreReached() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  const auto listenAt = [](const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
    const int end = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(end, 4) != 0)
      return -1;
    return end;
  };
  QTemporaryDir allowed;
  const int inside = listenAt(in(allowed, "there")), outside = listenAt(in(*m_outside, "there"));
  QVERIFY(inside >= 0 && outside >= 0);
  std::filesystem::create_symlink(in(*m_outside, "there"), in(allowed, "link"));
  std::filesystem::create_directory(in(allowed, "below"));
  confinement().localSockets = true;
  confinement().sockets = {allowed.path().toStdString()};
  const auto connected = [&] {
    return lines({"connects", in(allowed, "there").native(), in(*m_outside, "there").native(),
                  in(allowed, "link").native(), in(allowed, "missing").native(),
                  allowed.path().toStdString() + "/below/../there", "@abstract"});
  };
  QStringList expected = {"connect 0", "write 0", "connect 1", "connect 1", "connect 1", "connect 1", "connect 1"};
  // The supervisor can be asked by Linux 5.19 and later; before, there are no connections.
  if (!tool({"privileges"}).confined.has(Layers::Tasks)) expected = QStringList(6, "connect 1");
  QCOMPARE(connected(), expected);
  confinement().sockets.clear();
  QCOMPARE(connected(), QStringList(6, "connect 1"));
  ::close(inside);
  ::close(outside);
}

/// Those of a pair can be sent to any socket, too.
void TestConfinement::datagramsAreBlocked() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  for (const bool local : {false, true}) {
    confinement().localSockets = local;
    QCOMPARE(lines({"datagrams"}),
             QStringList({"unix datagram 1", "pair of datagrams 1", "pair of raw ones 1", "pair of streams 0"}));
  }
}

void TestConfinement::attributesOfFilesAreKept() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  const std::filesystem::path file = in(*m_outside, "there");
  writeFile(file, "text");
  struct stat before{}, after{};
  QCOMPARE(::stat(file.c_str(), &before), 0);
  confinement().readsEverything = true;
  const QStringList said = lines({"attributes", file.native()});
  QCOMPARE(said.size(), 14);
  for (const QString& line : said) QVERIFY2(line.endsWith(" " + QString::number(EPERM)), qPrintable(line));
  QCOMPARE(::stat(file.c_str(), &after), 0);
  QVERIFY(before.st_mode == after.st_mode && before.st_uid == after.st_uid && before.st_gid == after.st_gid);
  QVERIFY(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
}

void TestConfinement::nothingIsLeftInMemory() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  for (const QString& line : lines({"left"})) QVERIFY2(line.endsWith(" " + QString::number(EPERM)), qPrintable(line));
}

/// Not the supervisor, which is the parent.
void TestConfinement::onlyOwnThreadsAreRanked() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  const auto all = [](int code) {
    QStringList out;
    for (const char* const call : {"sched_setaffinity", "sched_setscheduler", "setpriority", "ioprio_set"})
      out << QString("%1 %2").arg(call).arg(code);
    return out;
  };
  // Without a supervisor that can be asked, a thread only changes itself.
  const bool asks = tool({"privileges"}).confined.has(Layers::Tasks);
  QCOMPARE(lines({"ranks"}), all(EPERM) + all(0) + all(asks ? 0 : EPERM) +
                                 QStringList({"setpriority of a group 1", "setpriority of the user 1"}));
}

/// It could raise its limits with them.
void TestConfinement::rootKeepsNoCapabilities() {
  if (!has(Layers::Privileges)) QSKIP("programs are not confined on this system");
  QCOMPARE(lines({"capabilities"}), QStringList({"effective 0 0", "raise 1"}));
}

void TestConfinement::dangerousSystemCallsAreBlocked() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  for (const bool processes : {false, true}) {
    confinement().startsProcesses = processes;
    const QStringList said = lines({"calls"});
    QVERIFY(said.size() >= 20);
    for (const QString& line : said) QVERIFY2(line.endsWith(" " + QString::number(EPERM)), qPrintable(line));
  }
}

void TestConfinement::newProcessesAreBlockedAndThreadsAllowed() {
  if (!has(Layers::SystemCalls)) QSKIP("this kernel has no seccomp filters");
  QCOMPARE(lines({"processes"}), QStringList({"forked 0", "vfork 1", "thread 0"}));
}

/// Whoever the user is: the supervisor is asked before each.
void TestConfinement::numberOfProcessesIsLimited() {
  if (!has(Layers::Tasks)) { // then the layer is not claimed, and the reason is given
    QCOMPARE(getuid(), uid_t{0});
    QVERIFY(QString::fromStdString(missingReason(Layers::Tasks)).contains(QStringLiteral("root")));
    QVERIFY(!tool({"privileges"}).confined.has(Layers::Tasks));
    return;
  }
  confinement().startsProcesses = true;
  const ProcessResult result = tool({"processes"});
  QVERIFY(result.tooMany && result.signal);
  QCOMPARE(describe(result, m_options), std::string("was stopped because it started too many processes"));
  // Fewer than that are refused, not ended.
  confinement().tasks = 20;
  QCOMPARE(lines({"processes"}), QStringList({"forked 19", "vfork 11", "thread 11"}));
}

void TestConfinement::numberOfThreadsIsLimited() {
  if (!has(Layers::Tasks)) QSKIP(missingReason(Layers::Tasks).c_str());
  confinement().tasks = 20;
  QCOMPARE(lines({"threads"}), QStringList{"threads 19"});
}

void TestConfinement::processesThatLeaveAreEnded_data() {
  QTest::addColumn<QString>("end");
  for (const char* const end : {"returns", "time", "cancelled", "killed"}) QTest::newRow(end) << QString(end);
}

/// However the program ends, and when this one is killed.
void TestConfinement::processesThatLeaveAreEnded() {
  QFETCH(QString, end);
  if (!hasSupervisor()) QSKIP("no supervisor on this system");
  const std::filesystem::path pipe = in(*m_folder, "alive"), file = in(*m_folder, "left");
  const Alive alive(pipe);
  confinement().startsProcesses = true;
  confinement().tasks = 0;
  m_options.timeoutMs = end == "time" ? 500 : 60'000;
  const std::string command = end == "returns" ? "leaves" : "leaves-and-stays";
  StopWhenThere stop(file);
  if (end == "killed") {
    m_options.arguments = {command, pipe, file};
    const pid_t other = ::fork();
    if (other == 0) {
      (void)run(m_options, m_monitor);
      ::_exit(0);
    }
    QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(file), kWaitMs);
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
  } else if (end == "cancelled") {
    m_options.arguments = {command, pipe, file};
    const auto result = run(m_options, stop);
    QVERIFY(!result && result.error().code() == ErrorCode::Cancelled);
  } else {
    const ProcessResult result = tool({command, pipe, file});
    QCOMPARE(result.timedOut, end == "time");
  }
  QVERIFY(std::filesystem::exists(file));
  QVERIFY(alive.ends());
}

void TestConfinement::environmentIsNotInherited() {
  qputenv("BLOBSCOPE_TEST_SECRET", "yes");
  const QStringList said = lines({"environment"});
  qunsetenv("BLOBSCOPE_TEST_SECRET");
  QCOMPARE(said, QStringList({"PATH=/usr/bin:/bin", "LANG=C", "TMPDIR=" + m_folder->path()}));
}

void TestConfinement::ownFolderIsWritable() {
  writeFile(in(*m_folder, "there"), "text");
  QCOMPARE(lines({"files", in(*m_folder, "there").native(), "there"}),
           QStringList({"read 0", "write 0", "read 0", "write 0"}));
  QCOMPARE(lines({"change", m_options.folder.native()}),
           QStringList({"make 0", "mkdir 0", "truncate 0", "rename 0", "unlink 2"}));
  QCOMPARE(std::filesystem::file_size(in(*m_folder, "folder/moved")), std::uintmax_t{1});
}

void TestConfinement::otherFilesAreBlocked() {
  if (!has(Layers::Files)) QSKIP("this kernel has no Landlock");
  writeFile(in(*m_outside, "there"), "text");
  QCOMPARE(lines({"files", in(*m_outside, "there").native(), "/etc/passwd", "/proc/self/environ"}),
           QStringList({"read 13", "write 13", "read 13", "write 13", "read 13", "write 13"}));
  // Truncating needs the third version of Landlock, which came with Linux 6.2.
  QStringList said = lines({"change", m_outside->path().toStdString()});
  said.removeIf([](const QString& line) { return line.startsWith("truncate"); });
  QCOMPARE(said, QStringList({"make 13", "mkdir 13", "rename 2", "unlink 13"}));
  QVERIFY(std::filesystem::exists(in(*m_outside, "there")));
}

void TestConfinement::readingEverythingCanBeAllowed() {
  if (!has(Layers::Files)) QSKIP("this kernel has no Landlock");
  writeFile(in(*m_outside, "there"), "text");
  confinement().readsEverything = true;
  QCOMPARE(lines({"files", in(*m_outside, "there").native()}), QStringList({"read 0", "write 13"}));
}

/// A compiler that includes one of the others never ends.
void TestConfinement::onlyTheNullDeviceIsUsable() {
  QStringList expected = {"read 0", "write 0"};
  if (has(Layers::Files)) expected << QStringList{"read 13", "write 13"} << QStringList{"read 13", "write 13"};
  QStringList said = lines({"files", "/dev/null", "/dev/zero", "/dev/urandom"});
  QCOMPARE(said.mid(0, expected.size()), expected);
}

void TestConfinement::memoryIsLimited_data() {
  QTest::addColumn<bool>("reservedToo");
  QTest::newRow("all addresses") << true;
  QTest::newRow("writable memory") << false;
}

void TestConfinement::memoryIsLimited() {
  if (!has(Layers::Limits)) QSKIP("programs are not confined on this system");
  QFETCH(bool, reservedToo);
  (reservedToo ? confinement().addressBytes : confinement().dataBytes) = uint64_t{1} << 30;
  const QStringList said = lines({reservedToo ? "memory" : "writable-memory"});
  QCOMPARE(said.size(), 1);
  const int mebibytes = said[0].section(' ', 0, 0).toInt();
  QVERIFY2(mebibytes >= 512 && mebibytes <= 1024, qPrintable(said[0]));
  // Addresses that are only reserved count for one of the limits.
  if (!reservedToo) QCOMPARE(lines({"memory"}), QStringList{"1048576 MiB"});
}

void TestConfinement::fileSizeIsLimited() {
  if (!has(Layers::Limits)) QSKIP("programs are not confined on this system");
  confinement().fileBytes = 1'000'000;
  QCOMPARE(lines({"huge", "file"}), QStringList{"1000000 bytes, then " + QString::number(EFBIG)});
}

void TestConfinement::processorTimeIsLimited() {
  if (!has(Layers::Limits)) QSKIP("programs are not confined on this system");
  confinement().cpuSeconds = 1;
  const ProcessResult result = tool({"loop"});
  QCOMPARE(result.signal.value_or(0), SIGXCPU);
  QCOMPARE(describe(result, m_options), std::string("was stopped because it computed for more than 1 s"));
}

void TestConfinement::abortEndsWithItsSignal() { QCOMPARE(tool({"abort"}).signal.value_or(0), SIGABRT); }

void TestConfinement::openFilesAreNotInherited() {
  // A descriptor that a careless library has left open. The descriptors used for starting the tool are closed as well.
  const int open = ::open("/dev/null", O_RDONLY);
  const int high = fcntl(open, F_DUPFD, 40);
  QVERIFY(open >= 0 && high >= 40);
  m_options.program = "/bin/sh";
  const ProcessResult result =
      tool({"-c", "for n in 3 4 5 6 7 8 9 40; do [ -e /proc/self/fd/$n ] && echo $n; done; [ -t 0 ] || echo end"});
  ::close(open);
  ::close(high);
  QCOMPARE(result.output, std::string("end\n"));
}

void TestConfinement::failureToStartIsExplained() {
  m_options.program = in(*m_folder, "missing");
  QCOMPARE(tool({}).notStarted.value_or(""), std::string("No such file or directory"));
  m_options.program = BLOBSCOPE_TEST_TOOL;
  m_options.folder = in(*m_folder, "nowhere");
  QCOMPARE(tool({}).notStarted.value_or(""), std::string("No such file or directory"));
  if (!has(Layers::Files)) QSKIP("this kernel has no Landlock");
  m_options.folder = m_folder->path().toStdString();
  confinement().readable.clear();
  QCOMPARE(tool({}).notStarted.value_or(""), std::string("Permission denied"));
}

void TestConfinement::installationIsNoPrivateFolder_data() {
  QTest::addColumn<QString>("program");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* program, const char* expected) { QTest::newRow(program) << program << expected; };
  row("/usr/bin/no-such-cc", "/usr");
  row("/opt/made/bin/no-such-cc", "/opt/made");
  row("/opt/made/no-such-cc", "/opt/made");
  row("/bin/no-such-cc", "/bin/no-such-cc");
  row("/no-such-cc", "/no-such-cc");
  row("/home/other/bin/no-such-cc", "/home/other/bin/no-such-cc");
  row("/home/other/made/bin/no-such-cc", "/home/other/made");
  row("/home/no-such-cc", "/home/no-such-cc");
  row("/tmp/bin/no-such-cc", "/tmp/bin/no-such-cc");
  row("/var/bin/no-such-cc", "/var/bin/no-such-cc");
  row("/srv/me/bin/no-such-cc", "/srv/me/bin/no-such-cc");
  row("/srv/bin/no-such-cc", "/srv/bin/no-such-cc");
  row("/srv/me/made/bin/no-such-cc", "/srv/me/made");
  row("/srv/me/made/../bin/no-such-cc", "/srv/me/bin/no-such-cc");
}

void TestConfinement::installationIsNoPrivateFolder() {
  QFETCH(QString, program);
  QFETCH(QString, expected);
  const QByteArray home = qgetenv("HOME");
  qputenv("HOME", "/srv/me");
  const auto folders = installationOf(program.toStdString());
  qputenv("HOME", home);
  QCOMPARE(folders.size(), std::size_t{1});
  QCOMPARE(QString::fromStdString(folders.front().string()), expected);
}

void TestConfinement::layersAreSummarised_data() {
  QTest::addColumn<int>("bits");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, int bits, const QString& says) { QTest::newRow(name) << bits << says; };
  constexpr int kAll = Layers::Limits | Layers::Privileges | Layers::SystemCalls | Layers::Files;
  const auto why = [](Layers::Bit layer) { return " (" + QString::fromStdString(missingReason(layer)) + ")"; };
  row("all", kAll, "run confined");
  row("no Landlock", kAll & ~Layers::Files,
      "run confined, except that it may read and write your files" + why(Layers::Files));
  row("no filter", kAll & ~Layers::SystemCalls,
      "run confined, except that it may use the network and start processes" + why(Layers::SystemCalls));
  row("limits only", Layers::Limits | Layers::Privileges,
      "run confined, except that it may use the network and start processes" + why(Layers::SystemCalls) +
          "; it may read and write your files" + why(Layers::Files));
  row("nothing", 0, "run not confined: " + QString::fromStdString(missingReason(Layers::Limits)));
}

void TestConfinement::layersAreSummarised() {
  QFETCH(int, bits);
  QFETCH(QString, says);
  Layers layers;
  layers.bits = static_cast<uint8_t>(bits);
  QCOMPARE(QString::fromStdString(confinedText(layers)), says);
}

BLOBSCOPE_TEST(TestConfinement);
#include "test_confine.moc"
