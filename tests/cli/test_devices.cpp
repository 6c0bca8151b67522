#include "tests/cli/cli.h"
#include "tests/runner/fixture.h"
#include "tests/support/json_schema.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcessEnvironment>
#include <QTemporaryFile>

#include <csignal>

namespace blobscope::test {

/// `devices --check`: exit codes, output and Ctrl+C. The only device is that of a CUDA driver that is compiled here,
/// whose kernels are C functions.
class TestDevicesCommand : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase();
  void init();
  void withoutDeviceNothingIsChecked();
  void workingDeviceGivesExitCode0();
  void wrongDeviceGivesExitCode1();
  void faultIsReported();
  void checksFollowTheSchema();
  void interruptLeavesNothing();
  void archiveForAGpuMachineRuns();

private:
  QString in(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
  /// Compiles the driver and its kernels to the folder `name`; returns what is wrong.
  QString compileDriver(const char* name, const QStringList& defines) const;
  /// From now on, the program finds this driver and no other.
  void use(const char* name);
  /// Starts `devices --check`.
  void start(QProcess& process, const QStringList& more = {}) const;
  Outcome check(const QStringList& more = {}) const {
    QProcess process;
    start(process, more);
    return finish(process);
  }
  /// The lines about checks.
  static QByteArray checksIn(const Outcome& outcome) {
    QByteArray out;
    for (const QByteArray& line : outcome.out.split('\n'))
      if (line.startsWith("check") || line.startsWith("no device to check")) out += line + '\n';
    return out;
  }
  QStringList temporaryFiles() const {
    return QDir(in("tmp")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
  }
  /// Processes whose command line contains the temporary folder.
  QByteArrayList processes() const {
    QByteArrayList found;
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
      QFile file(QStringLiteral("/proc/%1/cmdline").arg(name));
      if (!file.open(QIODevice::ReadOnly)) continue;
      const QByteArray line = file.readAll().replace('\0', ' ');
      if (line.contains(in("tmp").toUtf8())) found << line;
    }
    return found;
  }

  QTemporaryDir m_folder;
  QProcessEnvironment m_environment;
};

QString TestDevicesCommand::compileDriver(const char* name, const QStringList& defines) const {
  QDir(m_folder.path()).mkdir(QString::fromLatin1(name));
  const auto compile = [&](const char* target, const char* source) {
    const std::string text = readFile(std::filesystem::path(BLOBSCOPE_SOURCE_DIR "/tests/runner") / source);
    return compileLibrary((in(name) + QLatin1Char('/') + QString::fromLatin1(target)).toStdString(), text.c_str(),
                          defines);
  };
  const QString said = compile("libcuda.so.1", "stub_driver.c");
  return said.isEmpty() ? compile("kernels.so", "stub_check_kernels.c") : said;
}

void TestDevicesCommand::initTestCase() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  QCOMPARE(compileDriver("right", {}), QString());
  QCOMPARE(compileDriver("wrong", {QStringLiteral("WRONG")}), QString());
  QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("tmp")) && QDir(m_folder.path()).mkdir(QStringLiteral("empty")));
}

void TestDevicesCommand::init() {
  m_environment = cliEnvironment();
  m_environment.insert(QStringLiteral("TMPDIR"), in("tmp"));
  // No driver of this machine: neither Vulkan's nor OpenCL's loader finds one in an empty folder.
  m_environment.insert(QStringLiteral("VK_DRIVER_FILES"), in("empty/none.json"));
  m_environment.insert(QStringLiteral("VK_ICD_FILENAMES"), in("empty/none.json"));
  m_environment.insert(QStringLiteral("OCL_ICD_VENDORS"), in("empty/"));
}

void TestDevicesCommand::use(const char* name) {
  m_environment.insert(QStringLiteral("LD_LIBRARY_PATH"), in(name));
  m_environment.insert(QStringLiteral("STUB_KERNELS"), in(name) + QStringLiteral("/kernels.so"));
}

void TestDevicesCommand::start(QProcess& process, const QStringList& more) const {
  prepare(process, m_folder.path(), QStringList{"devices", "--check"} + more);
  process.setProcessEnvironment(m_environment);
  process.start();
  process.closeWriteChannel();
}

void TestDevicesCommand::withoutDeviceNothingIsChecked() {
  if (QFile::exists(QStringLiteral("/proc/driver/nvidia/version"))) QSKIP("this machine has an NVIDIA driver");
  const Outcome outcome = check();
  QVERIFY2(outcome.ending() == "exit 0" && outcome.err.isEmpty(), outcome.text());
  QCOMPARE(checksIn(outcome), QByteArray("check: cpu: not checked; it runs host functions, not kernels\n"
                                         "no device to check; each line 'missing' names a driver that is needed for "
                                         "one\n"));
  QVERIFY2(outcome.out.count("missing: ") == 3, outcome.text());
}

void TestDevicesCommand::workingDeviceGivesExitCode0() {
  use("right");
  const Outcome outcome = check();
  QVERIFY2(outcome.ending() == "exit 0" && outcome.err.isEmpty(), outcome.text());
  QCOMPARE(checksIn(outcome), QByteArray("check: cuda:0 copy: ok\n"
                                         "check: cuda:0 float16 matrix multiplication: ok\n"
                                         "check: cuda:0 reduction in shared memory: ok\n"
                                         "check: cuda:0 atomic additions: ok\n"
                                         "check: cpu: not checked; it runs host functions, not kernels\n"
                                         "checks: 4 ok, 0 failed, 0 skipped\n"));
  QVERIFY(temporaryFiles().isEmpty());
}

void TestDevicesCommand::wrongDeviceGivesExitCode1() {
  use("wrong");
  const Outcome outcome = check();
  QVERIFY2(outcome.ending() == "exit 1" && outcome.err.isEmpty(), outcome.text());
  QVERIFY2(checksIn(outcome).startsWith("check: cuda:0 copy: failed: RUN-DIFFERS: 'check_copy' gives different "
                                        "results: 1 of 1,000 elements of 'out' differ; the first is [17]: 5, expected "
                                        "-965999949\ncheck: cuda:0 float16 matrix multiplication: ok\n"),
           outcome.text());
  QVERIFY2(outcome.out.endsWith("checks: 3 ok, 1 failed, 0 skipped\n"), outcome.text());
}

void TestDevicesCommand::faultIsReported() {
  use("right");
  m_environment.insert(QStringLiteral("STUB_FAULT"), QStringLiteral("illegal-address"));
  const Outcome outcome = check();
  QVERIFY2(outcome.ending() == "exit 1", outcome.text());
  QVERIFY2(outcome.out.contains("check: cuda:0 atomic additions: failed: RUN-FAULT: kernel 'check_atomics' caused a "
                                "device fault (CUDA_ERROR_ILLEGAL_ADDRESS"),
           outcome.text());
  QVERIFY2(outcome.out.endsWith("checks: 0 ok, 4 failed, 0 skipped\n"), outcome.text());
}

void TestDevicesCommand::checksFollowTheSchema() {
  const auto schema = parseJson(runCli(m_folder.path(), {"schema", "devices"}).out);
  QVERIFY(schema);
  for (const char* const name : {"right", "wrong"}) {
    use(name);
    const Outcome outcome = check({"--json"});
    const auto document = parseJson(outcome.out);
    QVERIFY2(document, outcome.text());
    QVERIFY2(whyInvalid(*document, *schema).empty(), whyInvalid(*document, *schema).c_str());
    QCOMPARE(listAt(*document, {"checks"}).size(), std::size_t{4});
    QCOMPARE(stringAt(*document, {"checks", "1", "status"}), std::string("ok"));
    QVERIFY(at(*document, {"checks", "1", "difference"})->isNull());
  }
  const Outcome outcome = check({"--json"});
  QCOMPARE(outcome.ending(), QByteArray("exit 1"));
  const auto document = parseJson(outcome.out);
  QCOMPARE(stringAt(*document, {"checks", "0", "status"}), std::string("failed"));
  QCOMPARE(stringAt(*document, {"checks", "0", "code"}), std::string("RUN-DIFFERS"));
  QCOMPARE(numberAt(*document, {"checks", "0", "difference", "index", "0"}), int64_t{17});
  QCOMPARE(stringAt(*document, {"checks", "0", "difference", "actual"}), std::string("5"));
  QCOMPARE(stringAt(*document, {"checks", "0", "difference", "expected"}), std::string("-965999949"));
}

/// Ctrl+C while a kernel hangs: no file and no process remains.
void TestDevicesCommand::interruptLeavesNothing() {
  use("right");
  m_environment.insert(QStringLiteral("STUB_FAULT"), QStringLiteral("hang"));
  // A driver may write here; the folder of the test is out of its reach.
  QTemporaryFile log(QStringLiteral("/dev/shm/blobscope-test-XXXXXX"));
  QVERIFY(log.open());
  m_environment.insert(QStringLiteral("STUB_LOG"), log.fileName());
  QProcess process;
  start(process);
  const auto hangs = [&] { return log.seek(0) && log.readAll().contains("hangs"); };
  QVERIFY(QTest::qWaitFor(hangs, kWaitMs));
  QVERIFY(!processes().isEmpty() && !temporaryFiles().isEmpty());
  QVERIFY(sendSignal(process, SIGINT));
  const Outcome outcome = finish(process);
  QVERIFY2(outcome.ending() == "exit 2", outcome.text());
  QCOMPARE(outcome.err, QByteArray("blobscope-cli: cancelled\n"));
  QTRY_VERIFY_WITH_TIMEOUT(processes().isEmpty(), kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(temporaryFiles().isEmpty(), kWaitMs);
}

/// packaging/gpu_check.sh: the archive is unpacked and its checks are run, first without a GPU, then with one that is
/// wrong and lacks the kernels of the samples.
void TestDevicesCommand::archiveForAGpuMachineRuns() {
#if !defined(__linux__) || !defined(__x86_64__)
  QSKIP("the samples are made for x86-64 Linux");
#endif
  const QString archive = in("check.tar.gz"), top = in("blobscope-gpu-check"), report = in("report.md");
  const auto run = [&](const QString& program, const QStringList& arguments) {
    QProcess process;
    process.setWorkingDirectory(m_folder.path());
    QProcessEnvironment environment = m_environment;
#ifdef BLOBSCOPE_CLI_IS_SANITIZED
    environment.insert(QStringLiteral("BLOBSCOPE_ARCHIVE_BYTES"), QString::number(256 << 20));
#endif
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    process.closeWriteChannel();
    return finish(process);
  };
  const auto check = [&] { return run("bash", {top + "/gpu_check.sh", "run", top, report}); };
  Outcome outcome = run("bash", {BLOBSCOPE_SOURCE_DIR "/packaging/gpu_check.sh", "archive", archive,
                                 QFileInfo(QStringLiteral(BLOBSCOPE_CLI_BUILT)).path() + "/.."});
  QVERIFY2(outcome.ending() == "exit 0", outcome.text());
#ifndef BLOBSCOPE_CLI_IS_SANITIZED
  QVERIFY(QFileInfo(archive).size() < 64 << 20);
#endif
  outcome = run("tar", {"xzf", archive});
  QVERIFY2(outcome.ending() == "exit 0", outcome.text());

  if (!QFile::exists(QStringLiteral("/proc/driver/nvidia/version"))) {
    outcome = check();
    const std::string text = readFile(std::filesystem::path(report.toStdString()));
    QVERIFY2(outcome.ending() == "exit 0", (outcome.text() + QByteArray::fromStdString(text)).constData());
    for (const char* const part : {"This machine has no CUDA device", "## What failed\n\nNothing failed.",
                                   "### sample-cuda-b.so: dry run\n\nResult: ok. Exit code 0"})
      QVERIFY2(text.find(part) != std::string::npos, part);
  }

  use("wrong");
  outcome = check();
  const std::string text = readFile(std::filesystem::path(report.toStdString()));
  QVERIFY2(outcome.ending() == "exit 1", (outcome.text() + QByteArray::fromStdString(text)).constData());
  for (const char* const part :
       {"cuda:0  Stub, driver CUDA 12.2", "- **Devices, checked with built-in kernels** (exit code 1, failed)",
        "check: cuda:0 copy: failed: RUN-DIFFERS",
        "- **sample-cuda-a.so: all functions on the GPU** (exit code 1, failed)",
        "### sample-cuda-a.so: the repacked library is intact\n\nResult: ok"})
    QVERIFY2(text.find(part) != std::string::npos, part);
  QVERIFY2(text.find("has no CUDA device") == std::string::npos, "a device was found");
}

BLOBSCOPE_TEST(TestDevicesCommand);

} // namespace blobscope::test

#include "test_devices.moc"
