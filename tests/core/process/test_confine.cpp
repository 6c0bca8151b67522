#include "core/process/confine.h"

#include "core/process/process.h"
#include "tests/core/base/files.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
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
  void dangerousSystemCallsAreBlocked();
  void newProcessesAreBlockedAndThreadsAllowed();
  void numberOfProcessesIsLimited();
  void environmentIsNotInherited();
  void ownFolderIsWritable();
  void otherFilesAreBlocked();
  void readingEverythingCanBeAllowed();
  void nullAndZeroDevicesAreUsable();
  void memoryIsLimited_data();
  void memoryIsLimited();
  void fileSizeIsLimited();
  void processorTimeIsLimited();
  void abortEndsWithItsSignal();
  void openFilesAreNotInherited();
  void failureToStartIsExplained();
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

/// The system stops endless forking.
void TestConfinement::numberOfProcessesIsLimited() {
  if (!has(Layers::Tasks)) { // the limit does not apply to root: then the layer is not claimed, and the reason is given
    QCOMPARE(getuid(), uid_t{0});
    QVERIFY(QString::fromStdString(missingReason(Layers::Tasks)).contains(QStringLiteral("root")));
    QVERIFY(!tool({"privileges"}).confined.has(Layers::Tasks));
    return;
  }
  confinement().startsProcesses = true;
  confinement().tasks = 50;
  const QStringList said = lines({"processes"});
  QVERIFY(!said.isEmpty());
  const int forked = said[0].section(' ', 1).toInt();
  QVERIFY2(forked > 0 && forked < 2000, qPrintable(said[0]));
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

void TestConfinement::nullAndZeroDevicesAreUsable() {
  QCOMPARE(lines({"files", "/dev/null", "/dev/zero"}), QStringList({"read 0", "write 0", "read 0", "write 0"}));
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
  QCOMPARE(tool({"loop"}).signal.value_or(0), SIGXCPU);
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
