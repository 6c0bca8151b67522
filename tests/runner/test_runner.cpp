#include "core/protocol/runner_process.h"

#include "tests/runner/fixture.h"
#include "tests/runner/fixture_library.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"

#include <cstring>
#include <map>

using namespace blobscope;
using namespace blobscope::test;

namespace {

struct HostAbi {
  const char* name;
  const char* abi;
  QStringList defines;
};

const std::vector<HostAbi>& hostAbis() {
  static const std::vector<HostAbi> all = {{"classic, cells", "classic", {"ABI=0"}},
                                           {"classic, imports", "classic", {"ABI=0", "DIRECT"}},
                                           {"ffi1", "ffi1", {"ABI=1"}},
                                           {"ffi2", "ffi2", {"ABI=2"}},
                                           {"ffi3", "ffi3", {"ABI=3"}},
                                           {"ffi4", "ffi4", {"ABI=4"}},
                                           {"ffi4, imports", "ffi4", {"ABI=4", "DIRECT"}},
                                           {"ffi5", "ffi5", {"ABI=5"}},
                                           {"ffi5, imports", "ffi5", {"ABI=5", "DIRECT"}}};
  return all;
}

std::string floats(std::initializer_list<float> values) {
  std::string out(values.size() * sizeof(float), '\0');
  std::memcpy(out.data(), std::data(values), out.size());
  return out;
}

} // namespace

class TestRunner : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init();
  void launchesAreRecorded_data() { rows(); }
  void launchesAreRecorded();
  void parallelLaunchRunsEveryTask_data() { rows(); }
  void parallelLaunchRunsEveryTask();
  void resultsAreWritten_data() { rows(); }
  void resultsAreWritten();
  void refusedCallsAreReported_data() { rows(); }
  void refusedCallsAreReported();
  void probingFindsTheSignature_data() { rows(); }
  void probingFindsTheSignature();
  void onceInitialisationRunsOnce();
  void writesOutsideATensorAreFound();
  void timesAreMeasured();
  void accessToDeviceMemoryIsReported();
  void unknownFunctionsAreIgnored();
  void inputOfWrongSizeIsRefused();
  void memoryLimitIsChecked();
  void missingSymbolsAreReported();
  void fileThatIsNotALibraryIsReported();
  void devicesAreListed();
  void wrongUsageIsRefused();

private:
  static void rows() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < hostAbis().size(); ++i) QTest::newRow(hostAbis()[i].name) << static_cast<int>(i);
  }
  /// The library for a row, compiled once.
  void use(int row) {
    const HostAbi& abi = hostAbis()[static_cast<std::size_t>(row)];
    const std::filesystem::path made = in(*m_made, "lib" + std::to_string(row) + ".so");
    if (!std::filesystem::exists(made)) {
      const QString said = compileLibrary(made, kHostLibrary, abi.defines);
      QVERIFY2(said.isEmpty(), qPrintable(said));
    }
    std::filesystem::copy_file(made, in(*m_folder, "lib.so"), std::filesystem::copy_options::overwrite_existing);
    m_job.library = "lib.so";
    m_job.abi = abi.abi;
  }
  void call(const std::string& function, std::vector<protocol::JobArgument> arguments) {
    m_job.calls.push_back({function, std::move(arguments), {}});
  }
  RunRecord go() { return runJob(m_job, m_options, m_monitor); }

  std::unique_ptr<QTemporaryDir> m_made, m_folder;
  protocol::Job m_job;
  protocol::RunnerOptions m_options;
  NullMonitor m_monitor;
};

void TestRunner::initTestCase() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  m_made = std::make_unique<QTemporaryDir>();
}

void TestRunner::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_options = {};
  m_options.runner = BLOBSCOPE_TEST_RUNNER;
  m_options.folder = m_folder->path().toStdString();
  m_options.timeoutMs = 60'000;
  m_job = {};
  protocol::JobKernel kernel;
  kernel.name = "scale_kernel";
  kernel.arguments = {{3, 64, 1}, {3, 64, 1}, {2, 32, 1}, {0, 32, 1}};
  kernel.tags = {"blockIdx.x", "threadIdx.x", "tir.use_dyn_shared_memory"};
  m_job.modules = {{"cuda", "ptx", "", {kernel}}};
}

void TestRunner::launchesAreRecorded() {
  QFETCH(int, row);
  use(row);
  call("scale", {tensorArgument("A", {130}, 2), tensorArgument("B", {130}, 2), floatArgument(0.5)});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  const auto launches = received.all<protocol::LaunchEvent>();
  QCOMPARE(launches.size(), std::size_t{1});
  const protocol::LaunchEvent& launch = launches[0];
  QCOMPARE(launch.kernel, std::string("scale_kernel"));
  QVERIFY((launch.extents == protocol::Extents{{3, 1, 1}, {64, 1, 1}, {1, 1, 1}, 256}));
  QCOMPARE(launch.arguments.size(), std::size_t{4});
  QCOMPARE(launch.arguments[0].tensor.value_or("?"), std::string("B"));
  QCOMPARE(launch.arguments[0].value, uint64_t{4});
  QCOMPARE(launch.arguments[1].tensor.value_or("?"), std::string("A"));
  QCOMPARE(launch.arguments[1].value, uint64_t{0});
  QVERIFY(!launch.arguments[2].tensor);
  QCOMPARE(launch.arguments[2].value, uint64_t{0x3f00'0000});
  QCOMPARE(launch.arguments[3].value, uint64_t{130});
  const auto ended = received.all<protocol::CallEnded>();
  QCOMPARE(ended.size(), std::size_t{1});
  QCOMPARE(ended[0].launches, uint64_t{1});
  QCOMPARE(received.all<protocol::Hello>().size(), std::size_t{1});
}

void TestRunner::parallelLaunchRunsEveryTask() {
  QFETCH(int, row);
  use(row);
  call("fill", {tensorArgument("C", {9}, 1, {}, "out0")});
  call("nested", {tensorArgument("C", {9}, 1, {}, "out1")});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  const std::string expected = floats({16, 14, 12, 10, 8, 6, 4, 2, 0});
  QVERIFY(readFile(in(*m_folder, "out0")) == expected);
  QVERIFY(readFile(in(*m_folder, "out1")) == expected);
}

void TestRunner::resultsAreWritten() {
  QFETCH(int, row);
  use(row);
  m_job.mode = protocol::Mode::Function;
  writeFile(in(*m_folder, "a"), floats({1, 2, 3}));
  call("add", {tensorArgument("A", {3}, 1, "a"), tensorArgument("B", {3}, 1, {}, "b")});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  QVERIFY(readFile(in(*m_folder, "b")) == floats({2, 3, 4}));
  const auto written = received.all<protocol::TensorWritten>();
  QCOMPARE(written.size(), std::size_t{1});
  QCOMPARE(written[0].file, std::string("b"));
  QCOMPARE(written[0].bytes, uint64_t{12});
  QCOMPARE(written[0].argument, uint64_t{1});
}

void TestRunner::refusedCallsAreReported() {
  QFETCH(int, row);
  use(row);
  call("scale", {tensorArgument("A", {130}, 2)});
  call("scale", {tensorArgument("A", {1, 130}, 2), tensorArgument("B", {130}, 2), floatArgument(1)});
  call("needs", {});
  call("mismatch", {});
  call("silent", {});
  call("missing", {});
  call("scale", {tensorArgument("A", {1}, 2), tensorArgument("B", {1}, 2), floatArgument(1)});
  const RunRecord received = go();
  const QStringList said = received.text().split('\n');
  QCOMPARE(said.size(), 7);
  const bool ffi = m_job.abi != "classic", parts = ffi && m_job.abi >= "ffi3";
  QCOMPARE(said[0], QString("RUN-REJECTED@0: 'scale' rejected its arguments: %1scale: num_args should be 3%2")
                        .arg(ffi ? "ValueError: " : "", parts ? "!" : ""));
  QVERIFY(said[1].contains("scale.A.ndim is expected to equal 1"));
  QVERIFY2(said[2].startsWith("RUN-UNRESOLVED@2: the code needs the global function 'runtime.other'"),
           qPrintable(said[2]));
  QVERIFY(said[3].startsWith("RUN-LAUNCH@3: kernel 'scale_kernel' is launched with 1 value, but its table declares 7"));
  QCOMPARE(said[4], QString("RUN-FAILED@4: 'silent' returned 3: no reason given"));
  QVERIFY(said[5].startsWith("RUN-NO-ENTRY@5: the library has no function 'missing'"));
  QCOMPARE(said[6], QString("done 5"));
  QCOMPARE(received.all<protocol::LaunchEvent>().size(), std::size_t{1});
}

void TestRunner::probingFindsTheSignature() {
  QFETCH(int, row);
  use(row);
  m_job.mode = protocol::Mode::Probe;
  call("scale", {});
  const RunRecord received = go();
  const auto learnt = received.all<protocol::ProbedSignature>();
  QCOMPARE(learnt.size(), std::size_t{1});
  QCOMPARE(learnt[0].arguments.size(), std::size_t{3});
  QCOMPARE(learnt[0].arguments[0].kind, std::string("tensor"));
  QCOMPARE(learnt[0].arguments[0].name, std::string("A"));
  QVERIFY(learnt[0].arguments[0].rankKnown);
  QCOMPARE(learnt[0].arguments[0].deviceType.value_or(0), uint64_t{2});
  QVERIFY2(learnt[0].accepted, qPrintable(received.text()));
  QVERIFY(learnt[0].tries < 20);
}

void TestRunner::onceInitialisationRunsOnce() {
  use(5);
  call("once", {});
  QCOMPARE(go().text(), QString("done 0"));
}

void TestRunner::writesOutsideATensorAreFound() {
  use(0);
  m_job.mode = protocol::Mode::Function;
  call("beyond", {tensorArgument("C", {3}, 1)});
  const RunRecord received = go();
  // 1.0F has two bytes that differ from the pattern of the zone, and its two zeros differ as well.
  QCOMPARE(received.text(),
           QString("RUN-OVERRUN@0: 'beyond' wrote out of bounds: 4 bytes before tensor 'C'\nRUN-OVERRUN@0: 'beyond' "
                   "wrote out of bounds: 8 bytes after tensor 'C'\ndone 0"));
  const auto written = received.all<protocol::TensorWritten>();
  QCOMPARE(written.size(), std::size_t{1});
  QCOMPARE(written[0].overrunBefore, uint64_t{4});
  QCOMPARE(written[0].overrunAfter, uint64_t{8});
}

void TestRunner::timesAreMeasured() {
  use(0);
  m_job.mode = protocol::Mode::Function;
  m_job.timed = true;
  m_job.repeat = 12;
  m_job.warmup = 2;
  call("add", {tensorArgument("A", {3}, 1), tensorArgument("B", {3}, 1)});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  const auto times = received.all<protocol::TimesMeasured>();
  QCOMPARE(times.size(), std::size_t{1});
  QCOMPARE(times[0].name, std::string("add"));
  QVERIFY(!times[0].kernel);
  QCOMPARE(times[0].microseconds.size(), std::size_t{12});

  m_job.repeat.reset();
  m_job.warmup.reset();
  const auto open = go().all<protocol::TimesMeasured>();
  QCOMPARE(open.size(), std::size_t{1});
  QVERIFY(open[0].microseconds.size() >= 10 && open[0].microseconds.size() <= 1000);
}

void TestRunner::accessToDeviceMemoryIsReported() {
  use(0);
  call("add", {tensorArgument("A", {3}, 1), tensorArgument("B", {3}, 1)});
  call("touches", {tensorArgument("A", {3}, 2)});
  const RunRecord received = go();
  QVERIFY2(received.text().startsWith("the code ended the helper process with SIGSEGV in stage 'host-call', at 0x"),
           qPrintable(received.text()));
  QCOMPARE((**received.result).call.value_or(99), uint64_t{1});
}

void TestRunner::unknownFunctionsAreIgnored() {
  use(0);
  m_job.options.continueUnknown = true;
  call("needs", {});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  QVERIFY(received.all<protocol::LogLine>()[0].text.find("runtime.other") != std::string::npos);
}

void TestRunner::inputOfWrongSizeIsRefused() {
  use(0);
  writeFile(in(*m_folder, "a"), floats({1, 2}));
  call("add", {tensorArgument("A", {3}, 1, "a"), tensorArgument("B", {3}, 1)});
  call("add", {tensorArgument("A", {3}, 1, "nothing"), tensorArgument("B", {3}, 1)});
  const QStringList said = go().text().split('\n');
  QCOMPARE(said[0], QString("RUN-INPUT@0: invalid input 'A': its file has 8 bytes, but the tensor has 12 bytes"));
  QVERIFY(said[1].startsWith("RUN-INPUT@1: invalid input 'A': "));
}

void TestRunner::memoryLimitIsChecked() {
  use(0);
  m_job.limits.memoryBytes = 1 << 20;
  call("add", {tensorArgument("A", {1 << 20}, 1), tensorArgument("B", {1}, 1)});
  call("scale",
       {tensorArgument("A", {int64_t{1} << 30}, 2), tensorArgument("B", {int64_t{1} << 30}, 2), floatArgument(1)});
  call("scale", {tensorArgument("A", {int64_t{1} << 50}, 2), tensorArgument("B", {1}, 2), floatArgument(1)});
  const QStringList said = go().text().split('\n');
  QCOMPARE(said.size(), 3);
  QVERIFY(said[0].startsWith("RUN-MEMORY@0"));
  QVERIFY(said[1].startsWith("RUN-MEMORY@2"));
}

void TestRunner::missingSymbolsAreReported() {
  const QString made =
      compileLibrary(in(*m_folder, "lib.so"), "extern int nobodyHas(void);\nint f(void) { return nobodyHas(); }\n", {});
  QVERIFY2(made.isEmpty(), qPrintable(made));
  m_job.library = "lib.so";
  m_job.abi = "classic";
  QVERIFY2(go().text().contains(
               "RUN-LOAD@-: the dynamic loader cannot load the library: undefined symbol: nobodyHas\ndone 2"),
           qPrintable(go().text()));
  m_job.abi = "ffi9";
  QVERIFY(go().text().startsWith("RUN-ABI-UNKNOWN"));
}

void TestRunner::fileThatIsNotALibraryIsReported() {
  writeFile(in(*m_folder, "lib.so"), "text");
  m_job.library = "lib.so";
  m_job.abi = "ffi2";
  const RunRecord received = go();
  QVERIFY(received.text().startsWith("RUN-LOAD"));
  QCOMPARE((**received.result).finished.value_or(0), int64_t{2});
}

void TestRunner::devicesAreListed() {
  m_job.mode = protocol::Mode::Devices;
  m_job.driverPath = "/nowhere/lib.so";
  const RunRecord received = go();
  QCOMPARE(received.all<protocol::DeviceFound>().size(), std::size_t{0});
  QCOMPARE(received.all<protocol::ErrorReported>().size(), std::size_t{3});
  for (const auto& error : received.all<protocol::ErrorReported>()) QCOMPARE(error.id, std::string("RUN-NO-DRIVER"));
  QCOMPARE((**received.result).finished.value_or(0), int64_t{3});
}

void TestRunner::wrongUsageIsRefused() {
  QProcess runner;
  runner.start(BLOBSCOPE_TEST_RUNNER, QStringList());
  QVERIFY(runner.waitForFinished(kWaitMs));
  QCOMPARE(runner.exitCode(), 2);
  QCOMPARE(runner.readAllStandardError().count('\n'), 1);
  m_options.runner = in(*m_folder, "nothing");
  QVERIFY(go().text().startsWith("the helper process cannot be started: "));
  m_options.runner = "/bin/true";
  QCOMPARE(go().text(), QString("the helper process cannot be started: it ended with exit code 0"));
}

BLOBSCOPE_TEST(TestRunner);
#include "test_runner.moc"
