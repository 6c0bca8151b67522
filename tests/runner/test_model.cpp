#include "core/base/digest.h"
#include "core/library/node.h"
#include "core/library/open.h"
#include "core/protocol/inputs.h"
#include "core/run/execute.h"
#include "core/run/model.h"

#include "tests/runner/fixture.h"
#include "tests/support/test_main.h"

#include <QFile>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>

using namespace blobscope;
using namespace blobscope::test;

namespace {

namespace fs = std::filesystem;

std::string floats(const std::vector<float>& values) {
  std::string out(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

std::string contentOf(const fs::path& path) {
  QFile file(QString::fromStdString(path.native()));
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string("no file");
}

/// The numbers of a NumPy file of float32, whatever its shape.
std::vector<float> numpyFloats(std::string_view file) {
  if (file.size() < 10) return {};
  const std::size_t header = 10 + static_cast<unsigned char>(file[8]) + 256 * static_cast<unsigned char>(file[9]);
  std::vector<float> out((file.size() - std::min(header, file.size())) / sizeof(float));
  std::memcpy(out.data(), file.data() + header, out.size() * sizeof(float));
  return out;
}

} // namespace

/// Whole models, with a runtime made for the test and, where BLOBSCOPE_TVM_RUNTIME names one, with TVM's own.
class TestModelRun : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init();
  void resultsAreWritten();
  void resultsAreWrittenWithoutDlpack();
  void tuplesAreSeveralOutputs();
  void otherValuesAreReported();
  void stridedTensorIsWrittenInRowOrder();
  void invalidResultsAreRefused_data();
  void invalidResultsAreRefused();
  void everyObjectIsReleased();
  void errorsOfTheRuntimeAreShown();
  void wrongNumberOfArgumentsIsReported();
  void crashIsReported();
  void timesAreMeasured();
  void runtimeMustFitTheLibrary_data();
  void runtimeMustFitTheLibrary();
  void unfilledRuntimeSlotsAreReported();
  void runtimeIsFound();
  void unsuitableRequestsAreRefused();
  void sampleEqualsItsReference();
  void shapeErrorOfTvmIsShown();

private:
  /// The runtime with these defines, compiled once.
  fs::path runtime(const QStringList& defines) {
    const fs::path made = in(*m_made, "runtime-" + defines.join('-').toStdString() + ".so");
    if (!fs::exists(made)) {
      const std::string source = contentOf(BLOBSCOPE_SOURCE_DIR "/tests/runner/fake_runtime.c");
      const QString said = compileLibrary(made, source.c_str(), defines);
      if (!said.isEmpty()) qWarning("%s", qPrintable(said));
    }
    return made;
  }
  void library(const char* source) {
    const QString said = compileLibrary(in(*m_folder, "lib.so"), source);
    QVERIFY2(said.isEmpty(), qPrintable(said));
  }
  void call(const std::string& function, std::vector<protocol::JobArgument> arguments) {
    m_job.calls.push_back({function, std::move(arguments), {}, "out." + std::to_string(m_job.calls.size())});
  }
  protocol::JobArgument input(std::vector<int64_t> shape, const std::vector<float>& values) {
    const std::string name = "in." + std::to_string(m_inputs++);
    writeFile(in(*m_folder, name), floats(values));
    return tensorArgument("x", std::move(shape), 1, name);
  }
  std::string output(const std::string& name) { return contentOf(in(*m_folder, name)); }
  RunRecord go() { return runJob(m_job, m_options, m_monitor); }

  std::unique_ptr<QTemporaryDir> m_made, m_folder;
  protocol::Job m_job;
  protocol::RunnerOptions m_options;
  NullMonitor m_monitor;
  int m_inputs = 0;
};

void TestModelRun::initTestCase() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  m_made = std::make_unique<QTemporaryDir>();
}

void TestModelRun::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_options = {};
  m_options.runner = BLOBSCOPE_TEST_RUNNER;
  m_options.folder = m_folder->path().toStdString();
  m_options.timeoutMs = 60'000;
  m_job = {};
  m_job.mode = protocol::Mode::Model;
  m_job.abi = "ffi3";
  m_job.library = "lib.so";
  m_job.runtime = {runtime({"FAMILY=2"}).native()};
  library("int __tvm_ffi_f(void) { return 0; }");
}

void TestModelRun::resultsAreWritten() {
  call("twice", {input({2, 3}, {1, 2, 3, 4, 5, 6})});
  call("twice", {input({}, {-1.5F})});
  call("twice", {input({0, 4}, {})});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  const auto written = received.all<protocol::TensorWritten>();
  QCOMPARE(written.size(), std::size_t{3});
  QCOMPARE(written[0].name, std::string("output"));
  QVERIFY((written[0].type == protocol::DataType{2, 32, 1}));
  QVERIFY((written[0].shape == std::vector<int64_t>{2, 3}));
  QVERIFY(written[1].shape.empty());
  QVERIFY((written[2].shape == std::vector<int64_t>{0, 4}));
  QCOMPARE(output("out.0.0"), floats({2, 4, 6, 8, 10, 12}));
  QCOMPARE(output("out.1.0"), floats({-3}));
  QCOMPARE(output("out.2.0"), std::string());
  const auto device = received.all<protocol::DeviceFound>();
  QCOMPARE(device.size(), std::size_t{1});
  QCOMPARE(device[0].driver, std::string("tvm-ffi 9.8.7"));
}

void TestModelRun::resultsAreWrittenWithoutDlpack() {
  m_job.runtime = {runtime({"FAMILY=2", "WITHOUT_DLPACK"}).native()};
  call("twice", {input({2}, {1, 2})});
  QCOMPARE(go().text(), QString("done 0"));
  QCOMPARE(output("out.0.0"), floats({2, 4}));
}

void TestModelRun::tuplesAreSeveralOutputs() {
  call("tuple", {input({2}, {1, 2})});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  const auto written = received.all<protocol::TensorWritten>();
  QCOMPARE(written.size(), std::size_t{3});
  QCOMPARE(written[0].name, std::string("output.0"));
  QCOMPARE(written[1].name, std::string("output.1.0"));
  QCOMPARE(written[2].name, std::string("output.1.1"));
  QCOMPARE(output("out.0.1"), std::string("\7\0\0\0\0\0\0\0", 8));
  QCOMPARE(output("out.0.2"), floats({2, 4}));
}

void TestModelRun::otherValuesAreReported() {
  protocol::JobArgument truth;
  truth.kind = protocol::JobArgument::Kind::Boolean;
  truth.integer = 1;
  call("number", {integerArgument(40), floatArgument(0.5), truth});
  call("nothing", {});
  call("small", {});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  QCOMPARE(received.all<protocol::TensorWritten>().size(), std::size_t{1});
  QCOMPARE(output("out.0.0"), std::string("\52\0\0\0\0\0\0\0", 8));
  const auto log = received.all<protocol::LogLine>();
  QVERIFY(!log.empty());
  QCOMPARE(log.back().text, std::string("'small' returned for output the text \"abc\""));
}

void TestModelRun::stridedTensorIsWrittenInRowOrder() {
  call("turned", {input({2, 3}, {1, 2, 3, 4, 5, 6})});
  QCOMPARE(go().text(), QString("done 0"));
  QCOMPARE(output("out.0.0"), floats({2, 8, 4, 10, 6, 12}));
}

void TestModelRun::invalidResultsAreRefused_data() {
  QTest::addColumn<QString>("function");
  QTest::addColumn<QString>("expected");
  const QString begin = "RUN-FAILED@0: '%1' returned 0: its result cannot be read: a tensor ";
  QTest::newRow("rank") << "ranks" << begin.arg("ranks") + "of 1000 dimensions\ndone 5";
  QTest::newRow("negative") << "negative" << begin.arg("negative") + "whose shape does not fit\ndone 5";
  QTest::newRow("device") << "away" << begin.arg("away") + "on a device with DLPack type 2\ndone 5";
  QTest::newRow("large")
      << "large" << "RUN-MEMORY@0: the tensors need 16 TiB, but the limit is 4 GiB; choose smaller sizes\ndone 5";
}

void TestModelRun::invalidResultsAreRefused() {
  QFETCH(QString, function);
  QFETCH(QString, expected);
  call(function.toStdString(), {input({2, 2}, {1, 2, 3, 4})});
  const QString said = go().text();
  if (function == "large")
    QVERIFY2(said.startsWith("RUN-MEMORY@0"), qPrintable(said));
  else
    QCOMPARE(said, expected);
  // A tuple that contains itself ends at the depth limit.
  m_job.calls.clear();
  call("endless", {input({2, 2}, {1, 2, 3, 4})});
  QCOMPARE(go().text(), QString("done 0"));
}

void TestModelRun::everyObjectIsReleased() {
  call("alive", {});
  for (int i = 0; i < 3; ++i) call("tuple", {input({2}, {1, 2})});
  call("fails", {});
  call("alive", {});
  QCOMPARE(go().text(), QString("RUN-FAILED@4: 'fails' returned -1: RuntimeError: Check failed: it is so\ndone 5"));
  const std::string before = output("out.0.0"), after = output("out.5.0");
  QCOMPARE(before.size(), std::size_t{8});
  QCOMPARE(after, before);
}

void TestModelRun::errorsOfTheRuntimeAreShown() {
  call("unknown", {});
  call("fails", {});
  QCOMPARE(
      go().text(),
      QString("RUN-NO-ENTRY@0: the library has no function 'unknown'; available functions: the names in its bytecode\n"
              "RUN-FAILED@1: 'fails' returned -1: RuntimeError: Check failed: it is so\ndone 5"));
}

void TestModelRun::wrongNumberOfArgumentsIsReported() {
  call("twice", {});
  QCOMPARE(go().text(),
           QString("RUN-REJECTED@0: 'twice' rejected its arguments: it takes 1 arguments (x), but got 0\ndone 5"));
}

void TestModelRun::crashIsReported() {
  call("crash", {});
  const QString said = go().text();
  QVERIFY2(said.contains("SIGSEGV in stage 'host-call'"), qPrintable(said));
}

void TestModelRun::timesAreMeasured() {
  m_job.timed = true;
  m_job.repeat = 7;
  call("twice", {input({2}, {1, 2})});
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  const auto times = received.all<protocol::TimesMeasured>();
  QCOMPARE(times.size(), std::size_t{1});
  QCOMPARE(times[0].microseconds.size(), std::size_t{7});
}

void TestModelRun::runtimeMustFitTheLibrary_data() {
  QTest::addColumn<QStringList>("defines");
  QTest::addColumn<QString>("abi");
  QTest::addColumn<QString>("expected");
  const QString other = "RUN-ABI-RUNTIME@-: the host ABI of the library is %1, but that of the runtime is %2; use a "
                        "runtime of TVM %3\ndone 2";
  QTest::newRow("classic runtime") << QStringList{"FAMILY=0"} << "ffi4"
                                   << other.arg("ffi4", "classic", "v0.22 and later");
  QTest::newRow("ffi1 runtime") << QStringList{"FAMILY=1"} << "ffi2" << other.arg("ffi2", "ffi1", "v0.22 and later");
  QTest::newRow("classic library") << QStringList{"FAMILY=2"} << "classic"
                                   << other.arg("classic", "ffi2 or later", "v0.2 – v0.20");
  QTest::newRow("ffi1 library") << QStringList{"FAMILY=2"} << "ffi1" << other.arg("ffi1", "ffi2 or later", "v0.21");
  const QString load = "RUN-LOAD@-: the dynamic loader cannot load the library: ";
  QTest::newRow("no machine") << QStringList{"FAMILY=2", "WITHOUT_MACHINE"} << "ffi2"
                              << load + "it has no virtual machine: its root module is of kind 'library'\ndone 2";
  QTest::newRow("no loader") << QStringList{"FAMILY=2", "WITHOUT_LOADER"} << "ffi2"
                             << load + "this runtime cannot load cuda: RuntimeError: Library binary was "
                                       "created using {cuda} but a loader of that name is not registered.\ndone 2";
  QTest::newRow("no function")
      << QStringList{"FAMILY=2", "WITHOUT_PACKED"} << "ffi2"
      << load + "it needs the global function 'own.packed', which neither it nor this runtime has: InternalError: "
                "Error: Cannot find ffi::Function own.packed in either Relax VM kernel library, or in\ndone 2";
}

void TestModelRun::runtimeMustFitTheLibrary() {
  QFETCH(QStringList, defines);
  QFETCH(QString, abi);
  QFETCH(QString, expected);
  m_job.runtime = {runtime(defines).native()};
  m_job.abi = abi.toStdString();
  call("twice", {input({2}, {1, 2})});
  QCOMPARE(go().text(), expected);
}

void TestModelRun::unfilledRuntimeSlotsAreReported() {
  library("void *__TVMBackendGetFuncFromEnv; int __tvm_ffi_f(void) { return 0; }");
  call("twice", {input({2}, {1, 2})});
  QCOMPARE(
      go().text(),
      QString("RUN-ABI-RUNTIME@-: the host ABI of the library is ffi3, but that of the runtime is one without "
              "TVMBackendGetFuncFromEnv (tvm-ffi 9.8.7); use a runtime of the release that made the library\ndone 2"));
  m_job.runtime = {in(*m_folder, "libtvm_runtime.so").native()};
  QVERIFY(go().text().startsWith("RUN-LOAD@-: the dynamic loader cannot load the library: the TVM runtime '"));
  // Files beside the runtime may be broken.
  library("int __tvm_ffi_f(void) { return 0; }");
  m_job.runtime = {runtime({"FAMILY=2"}).native(), in(*m_folder, "libtvm_runtime_extra.so").native()};
  const RunRecord received = go();
  QCOMPARE(received.text(), QString("done 0"));
  const auto log = received.all<protocol::LogLine>();
  QVERIFY(!log.empty() && log.front().text.starts_with("not loaded: "));
}

void TestModelRun::runtimeIsFound() {
  const fs::path root = in(*m_folder, "env"), site = root / "lib" / "python3.12" / "site-packages";
  fs::create_directories(site / "tvm" / "lib");
  fs::create_directories(site / "tvm_ffi" / "lib");
  const fs::path runtime = site / "tvm/lib/libtvm_runtime.so", extra = site / "tvm/lib/libtvm_runtime_extra.so",
                 cuda = site / "tvm/lib/libtvm_runtime_cuda.so", ffi = site / "tvm_ffi/lib/libtvm_ffi.so";
  for (const fs::path& path : {runtime, extra, cuda, ffi}) writeFile(path, "x");
  const std::vector<fs::path> whole = {ffi, runtime, extra};
  for (const fs::path& place :
       {root, site, site / "tvm", site / "tvm/lib", site / "tvm_ffi", site / "tvm_ffi/lib", runtime, extra, ffi}) {
    const auto found = run::findRuntime(place, {"opencl"});
    QVERIFY2(found.hasValue(), place.c_str());
    QVERIFY2(*found == whole, place.c_str());
  }
  const auto withCuda = run::findRuntime(root, {"cuda"});
  QVERIFY(withCuda.hasValue() && withCuda->size() == 4 && withCuda->back() == cuda);
  for (const fs::path& place : {site / "nowhere", root / "lib"}) QVERIFY(!run::findRuntime(place, {}).hasValue());
  // A file with another name is used as it is.
  const fs::path own = in(*m_folder, "libmine.so");
  writeFile(own, "x");
  const auto alone = run::findRuntime(own, {});
  QVERIFY(alone.hasValue() && *alone == std::vector<fs::path>{own});
}

void TestModelRun::unsuitableRequestsAreRefused() {
  const auto package = library::open(fs::path(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so"), m_monitor);
  QVERIFY(package.hasValue());
  const auto functions = xref::computeFunctions(*package, m_monitor);
  QVERIFY(functions.hasValue());
  const auto idOf = [&](const std::function<void(run::RunOptions&)>& change) {
    run::RunOptions options;
    options.runner = BLOBSCOPE_TEST_RUNNER;
    options.runtime = m_job.runtime.front();
    change(options);
    const auto planned = run::planModel(*package, *functions, options, in(*m_folder, "."), m_monitor);
    return planned ? QString("planned") : QString::fromUtf8(planned.error().diagnostic().idText());
  };
  using Options = run::RunOptions;
  QCOMPARE(idOf([](Options&) {}), QString("planned"));
  QCOMPARE(idOf([](Options& options) { options.device = "cuda"; }), QString("RUN-NO-DEVICE"));
  QCOMPARE(idOf([](Options& options) { options.dry = true; }), QString("USAGE"));
  QCOMPARE(idOf([](Options& options) { options.functions = {"conv2d"}; }), QString("RUN-NO-ENTRY"));
  QCOMPARE(idOf([](Options& options) { options.inputs = {{"y", "ones"}}; }), QString("RUN-INPUT"));
  QCOMPARE(idOf([](Options& options) { options.runtime = "/nowhere"; }), QString("USAGE"));
}

/// The sample's model in float64: convolution 3 x 3 with a border of zeros, relu, mean, dense layer, softmax. Source:
/// resources/sample/make_samples.py.
void TestModelRun::sampleEqualsItsReference() {
  const QByteArray place = qgetenv("BLOBSCOPE_TVM_RUNTIME");
  if (place.isEmpty()) QSKIP("BLOBSCOPE_TVM_RUNTIME names no TVM runtime");
  const auto package = library::open(fs::path(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so"), m_monitor);
  QVERIFY(package.hasValue());
  std::map<std::size_t, std::vector<float>> weights;
  for (int i = 0; i < 64; ++i) {
    const auto ref = Ref::parse("m0/const:" + std::to_string(i));
    const auto node =
        ref ? library::findNode(**package, *ref) : Result<library::Node>(Error(DiagnosticId::Cancelled, {}));
    if (!node) continue;
    const auto npy = library::toNpy(*node);
    if (!npy) continue;
    const std::span<const std::byte> bytes = npy->bytes.span();
    const std::vector<float> values = numpyFloats({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    weights.emplace(values.size(), values);
  }
  const std::vector<float>&filters = weights[108], &dense = weights[20], &bias = weights[5];
  QVERIFY(filters.size() == 108 && dense.size() == 20 && bias.size() == 5);

  auto functions = xref::computeFunctions(*package, m_monitor);
  QVERIFY(functions.hasValue());
  run::RunOptions options;
  options.runner = BLOBSCOPE_TEST_RUNNER;
  options.runtime = place.toStdString();
  options.outputs = in(*m_folder, "kept");
  options.inputs = {{"x", "uniform:-1:1"}};
  options.seed = 5;
  const auto sha256 = computeSha256((*package)->bytes, m_monitor);
  QVERIFY(sha256.hasValue());
  options.agreed = options.agreedReference = {*sha256, (*package)->path};
  const auto report = run::runLibrary(*package, *functions, options, m_monitor);
  QVERIFY2(report.hasValue(), report ? "" : report.error().message().c_str());
  QCOMPARE(report->functions.size(), std::size_t{1});
  QCOMPARE(report->functions[0].message, std::string());
  QCOMPARE(report->functions[0].outputs.size(), std::size_t{1});
  QVERIFY((report->functions[0].outputs[0].shape == std::vector<int64_t>{1, 5}));
  const auto compared = run::compareRuns(*package, *package, options, m_monitor);
  QVERIFY2(compared.hasValue(), compared ? "" : compared.error().message().c_str());
  QVERIFY(compared->allOk() && compared->functions[0].comparison &&
          compared->functions[0].comparison->outputs.size() == 1);
  QVERIFY(compared->functions[0].comparison->outputs[0].result.verdict == protocol::Verdict::Identical);
  const std::vector<float> got = numpyFloats(contentOf(in(*m_folder, "kept") / "main.output.npy"));
  QCOMPARE(got.size(), std::size_t{5});

  const auto fill = protocol::parseFill("x", "uniform:-1:1");
  const auto made = protocol::makeInput({"x", {2, 32, 1}, {1, 3, 8, 8}}, *fill, 5, m_monitor);
  QVERIFY(made.hasValue());
  std::array<float, 192> x{};
  std::memcpy(x.data(), made->data(), sizeof(x));
  std::array<double, 4> mean{};
  for (int f = 0; f < 4; ++f)
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        double sum = 0;
        for (int c = 0; c < 3; ++c)
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              const int y = row + i - 1, z = column + j - 1;
              if (y < 0 || y >= 8 || z < 0 || z >= 8) continue;
              const auto weight = static_cast<std::size_t>(((f * 3 + c) * 3 + i) * 3 + j);
              sum += double{x[static_cast<std::size_t>((c * 8 + y) * 8 + z)]} * double{filters[weight]};
            }
        mean[static_cast<std::size_t>(f)] += std::max(sum, 0.0) / 64;
      }
  std::array<double, 5> scores{};
  double total = 0;
  for (std::size_t o = 0; o < 5; ++o) {
    scores[o] = double{bias[o]};
    for (std::size_t f = 0; f < 4; ++f) scores[o] += double{dense[o * 4 + f]} * mean[f];
    total += std::exp(scores[o]);
  }
  double worst = 0;
  for (std::size_t o = 0; o < 5; ++o) worst = std::max(worst, std::abs(std::exp(scores[o]) / total - double{got[o]}));
  qInfo("largest difference to the reference: %g", worst);
  QVERIFY2(worst < 1e-6, qPrintable(QString::number(worst)));
}

/// The error of TVM for a tensor of another shape is passed on.
void TestModelRun::shapeErrorOfTvmIsShown() {
  const QByteArray place = qgetenv("BLOBSCOPE_TVM_RUNTIME");
  if (place.isEmpty()) QSKIP("BLOBSCOPE_TVM_RUNTIME names no TVM runtime");
  const auto libraries = run::findRuntime(place.toStdString(), {});
  QVERIFY(libraries.hasValue());
  m_job.runtime.clear();
  for (const fs::path& library : *libraries) m_job.runtime.push_back(library.native());
  fs::copy_file(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so", in(*m_folder, "lib.so"),
                fs::copy_options::overwrite_existing);
  call("main", {tensorArgument("x", {2, 3, 8, 8}, 1)});
  const QString said = go().text();
  QVERIFY2(said.startsWith("RUN-FAILED@0: 'main' returned -1: RuntimeError: Check failed:"), qPrintable(said));
  QVERIFY2(said.contains("loc=param[0], param=x"), qPrintable(said));
}

BLOBSCOPE_TEST(TestModelRun);
#include "test_model.moc"
