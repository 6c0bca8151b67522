#include "core/run/device_checks.h"

#include "core/protocol/element_code.h"
#include "core/run/devices.h"
#include "tests/runner/fixture.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QFileInfo>
#include <QTest>

#include <cstring>

using namespace blobscope;
using namespace blobscope::test;
using run::CheckKernel;
using run::DeviceCheck;

/// The built-in kernels on every device of this machine: lavapipe, PoCL, and a CUDA driver that is compiled here.
class TestDeviceChecks : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void expectedValues();
  void differencesAreFound_data();
  void differencesAreFound();
  void storedSpirvIsTheAssembledText_data();
  void storedSpirvIsTheAssembledText();
  void ptxCompiles_data();
  void ptxCompiles();
  void kernelsRun_data() { kinds(); }
  void kernelsRun();
  void wrongKernelsFail_data() { kinds(); }
  void wrongKernelsFail();
  void brokenCodeFailsAlone_data() { kinds(); }
  void brokenCodeFailsAlone();
  void kernelThatHangsIsStopped();
  void halfIsSkipped_data();
  void halfIsSkipped();
  void cudaKernelsRun();
  void cudaFaultsAreReported();
  void cancelledChecksLeaveNoFile();

private:
  static void kinds() {
    QTest::addColumn<QString>("kind");
    QTest::newRow("vulkan") << QStringLiteral("vulkan");
    QTest::newRow("opencl") << QStringLiteral("opencl");
  }
  /// The first device of a kind, or nothing.
  std::optional<protocol::DeviceFound> device(const QString& kind) const {
    for (const protocol::DeviceFound& one : m_list.devices)
      if (QString::fromStdString(one.kind) == kind) return one;
    return std::nullopt;
  }
  /// Why there is no device of a kind.
  QByteArray missing(const QString& kind) const {
    for (const run::DeviceList::Missing& one : m_list.missing)
      if (QString::fromStdString(one.what).startsWith(kind, Qt::CaseInsensitive))
        return "no " + kind.toUtf8() + " device: " + QByteArray::fromStdString(one.reason);
    return "no " + kind.toUtf8() + " device";
  }
  static run::RunOptions options() {
    run::RunOptions out;
    out.runner = BLOBSCOPE_TEST_RUNNER;
    return out;
  }
  std::vector<DeviceCheck> check(const protocol::DeviceFound& device, const run::CheckCode& code,
                                 const run::RunOptions& how = options()) {
    const auto checks = run::checkDevices({device}, code, how, m_monitor);
    if (!checks) qWarning("%s", checks.error().message().c_str());
    return checks ? *checks : std::vector<DeviceCheck>();
  }
  /// Compiles the CUDA driver and kernels of the test; returns what is wrong.
  QString useStubDriver(const QStringList& defines);

  NullMonitor m_monitor;
  run::DeviceList m_list;
  QTemporaryDir m_folder;
};

namespace {

constexpr std::size_t kCopy = 0, kMatmul = 1, kReduce = 2, kAtomics = 3, kKernels = 4;

std::string sourceFile(const std::string& file) { return readFile(std::filesystem::path(BLOBSCOPE_SOURCE_DIR) / file); }

/// One line per check.
QByteArray textOf(const std::vector<DeviceCheck>& checks) {
  std::string out;
  for (const DeviceCheck& one : checks) out += one.name + ": " + one.text() + "\n";
  return QByteArray::fromStdString(out);
}

/// Replaces the only occurrence of `from`; false when there is not exactly one.
bool replaceOnly(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) return false;
  text.replace(at, from.size(), to);
  return true;
}

std::string words(std::initializer_list<uint32_t> values) {
  std::string out(values.size() * 4, '\0');
  std::memcpy(out.data(), std::data(values), out.size());
  return out;
}

} // namespace

void TestDeviceChecks::initTestCase() {
  const auto list = run::computeDevices(BLOBSCOPE_TEST_RUNNER, m_monitor);
  QVERIFY2(list, list ? "" : list.error().message().c_str());
  m_list = *list;
}

/// Some values that were computed outside of the program.
void TestDeviceChecks::expectedValues() {
  const std::vector<CheckKernel> kernels = run::checkKernels();
  QCOMPARE(kernels.size(), kKernels);
  const auto text = [&](std::size_t kernel, uint64_t index) {
    const auto code = protocol::ElementCode::of(kernels[kernel].tensors[kernels[kernel].output].type);
    return code->text(code->load(reinterpret_cast<const std::byte*>(kernels[kernel].expected.data()), index));
  };
  QCOMPARE(kernels[kCopy].expected.size(), std::size_t{4000});
  QCOMPARE(text(kCopy, 0), std::string("-1000000000"));
  QCOMPARE(text(kCopy, 999), std::string("998002997"));
  QCOMPARE(kernels[kMatmul].expected.size(), std::size_t{1024});
  QCOMPARE(text(kMatmul, 0), std::string("0.125"));
  QCOMPARE(text(kMatmul, 3), std::string("-1.625"));
  QCOMPARE(text(kMatmul, 3 * 32 + 5), std::string("0.75"));
  QCOMPARE(text(kMatmul, 511), std::string("0.125"));
  const char* const sums[] = {"-39.5", "14.0", "17.0", "-30.5", "23.0", "26.0", "-21.5", "-18.5"};
  for (std::size_t i = 0; i < std::size(sums); ++i) QCOMPARE(std::stod(text(kReduce, i)), std::stod(sums[i]));
  const char* const counts[] = {"733",  "393",  "493",  "593",  "692",  "793",  "600",  "847",
                                "1092", "1484", "1000", "1392", "1346", "1300", "1692", "1646"};
  for (std::size_t i = 0; i < std::size(counts); ++i) QCOMPARE(text(kAtomics, i), std::string(counts[i]));
  for (const CheckKernel& kernel : kernels)
    for (const run::CheckTensor& tensor : kernel.tensors)
      QCOMPARE(tensor.bytes.empty(), tensor.role == protocol::Role::Out);
}

void TestDeviceChecks::differencesAreFound_data() {
  QTest::addColumn<int>("kernel");
  QTest::addColumn<QList<int>>("changed");
  QTest::addColumn<QString>("sentence");
  QTest::newRow("nothing") << 0 << QList<int>{} << QString();
  QTest::newRow("copy") << 0 << QList<int>{68, 999}
                        << "2 of 1,000 elements of 'out' differ; the first is [17]: -965999950, expected -965999949";
  QTest::newRow("last") << 0 << QList<int>{3996}
                        << "1 of 1,000 elements of 'out' differ; the first is [999]: 998002996, expected 998002997";
  QTest::newRow("two axes") << 1 << QList<int>{2 * (3 * 32 + 5) + 1}
                            << "1 of 512 elements of 'c' differ; the first is [3, 5]: 1.5, expected 0.75";
  QTest::newRow("all") << 3 << QList<int>{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60}
                       << "16 of 16 elements of 'counts' differ; the first is [0]: 732, expected 733";
}

void TestDeviceChecks::differencesAreFound() {
  QFETCH(int, kernel);
  QFETCH(QList<int>, changed);
  QFETCH(QString, sentence);
  const std::vector<CheckKernel> kernels = run::checkKernels();
  const CheckKernel& one = kernels[static_cast<std::size_t>(kernel)];
  std::string actual = one.expected;
  for (const int at : changed)
    actual[static_cast<std::size_t>(at)] =
        static_cast<char>(actual[static_cast<std::size_t>(at)] ^ (kernel == 1 ? 4 : 1));
  const auto found = run::findDifference(one, bytes(actual));
  QCOMPARE(found.has_value(), !changed.isEmpty());
  if (found) QCOMPARE(QString::fromStdString(found->sentence()), sentence);
}

void TestDeviceChecks::storedSpirvIsTheAssembledText_data() {
  QTest::addColumn<QString>("name");
  for (const CheckKernel& kernel : run::checkKernels())
    QTest::newRow(kernel.function.c_str()) << QString::fromStdString(kernel.function);
}

void TestDeviceChecks::storedSpirvIsTheAssembledText() {
  QFETCH(QString, name);
  const QString assembler = QStandardPaths::findExecutable(QStringLiteral("spirv-as"));
  if (assembler.isEmpty()) QSKIP("spirv-as is not installed (Debian: spirv-tools)");
  const QString made = m_folder.filePath(name);
  QCOMPARE(
      QProcess::execute(assembler, {"--target-env", "spv1.3",
                                    BLOBSCOPE_SOURCE_DIR "/resources/device-check/" + name + ".spvasm", "-o", made}),
      0);
  std::string assembled = readFile(std::filesystem::path(made.toStdString()));
  std::string stored = run::builtInCheckCode().at(name.toStdString() + ".spv");
  QVERIFY(stored.size() > 20);
  // The third word is the version of the assembler.
  for (std::string* one : {&assembled, &stored}) one->replace(8, 4, 4, '\0');
  QVERIFY2(assembled == stored, "assemble it again as resources/device-check/PROVENANCE.md describes");
}

void TestDeviceChecks::ptxCompiles_data() {
  QTest::addColumn<QString>("target");
  // Every toolkit from 11.8 to 13.0 supports these.
  for (const char* const target : {"sm_75", "sm_80", "sm_90"}) QTest::newRow(target) << QString::fromLatin1(target);
}

void TestDeviceChecks::ptxCompiles() {
  QFETCH(QString, target);
  const QString ptxas = QStandardPaths::findExecutable(QStringLiteral("ptxas"));
  if (ptxas.isEmpty()) QSKIP("ptxas is not installed (it is part of the CUDA toolkit)");
  const QString text = m_folder.filePath(QStringLiteral("check.ptx"));
  writeFile(std::filesystem::path(text.toStdString()), run::builtInCheckCode().at("check.ptx"));
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(ptxas, {"-arch=" + target, text, "-o", m_folder.filePath(QStringLiteral("check.cubin"))});
  QVERIFY(process.waitForFinished(60'000));
  const QByteArray output = process.readAll();
  if (output.contains("is not defined for option 'gpu-name'"))
    QSKIP(qPrintable(QStringLiteral("the installed ptxas does not support ") + target));
  QVERIFY2(process.exitCode() == 0, output);
}

void TestDeviceChecks::kernelsRun() {
  QFETCH(QString, kind);
  const auto found = device(kind);
  if (!found) QSKIP(missing(kind));
  const std::vector<DeviceCheck> checks = check(*found, run::builtInCheckCode());
  QCOMPARE(checks.size(), kKernels);
  for (std::size_t i = 0; i < kKernels; ++i) {
    QCOMPARE(QString::fromStdString(checks[i].kind), kind);
    QCOMPARE(checks[i].index, found->index);
    const bool skipped = checks[i].status == DeviceCheck::Status::Skipped;
    QVERIFY2(checks[i].status == DeviceCheck::Status::Ok || (skipped && i == kMatmul), textOf(checks));
    if (skipped) QVERIFY2(checks[i].message.starts_with("the device does not support "), textOf(checks));
    QVERIFY(checks[i].code.empty() && !checks[i].difference && checks[i].message.empty() != skipped);
  }
}

/// Each kernel with an error that changes only some elements.
void TestDeviceChecks::wrongKernelsFail() {
  QFETCH(QString, kind);
  const auto found = device(kind);
  if (!found) QSKIP(missing(kind));
  run::CheckCode code = run::builtInCheckCode();
  if (kind == "opencl") {
    std::string& text = code.at("check.cl");
    QVERIFY(replaceOnly(text, "if (i < n) out[i] = in[i];", "if (i < n) out[i] = i == 17 ? 5 : in[i];"));
    QVERIFY(replaceOnly(text, "k < 24;", "k < 23;"));
    QVERIFY(replaceOnly(text, "int stride = 64", "int stride = 32"));
    QVERIFY(replaceOnly(text, "get_global_id(0)] & 15", "get_global_id(0)] & 7"));
  } else {
    // OpConstant has the number 43 and 4 words: type, result, value.
    const auto change = [&](const char* file, uint32_t from, uint32_t to) {
      std::string& module = code.at(file);
      for (std::size_t at = 20; at + 16 <= module.size(); at += 4)
        if (module.compare(at, 4, words({4U << 16 | 43})) == 0 && module.compare(at + 12, 4, words({from})) == 0)
          return module.replace(at + 12, 4, words({to})), true;
      return false;
    };
    QVERIFY(change("check_copy.spv", 64, 65));
    QVERIFY(change("check_matmul_float16.spv", 24, 23));
    QVERIFY(change("check_reduce.spv", 64, 32));
    QVERIFY(change("check_atomics.spv", 15, 7));
  }
  const std::vector<DeviceCheck> checks = check(*found, code);
  QCOMPARE(checks.size(), kKernels);
  for (std::size_t i = 0; i < kKernels; ++i) {
    if (checks[i].status == DeviceCheck::Status::Skipped) continue;
    QVERIFY2(checks[i].status == DeviceCheck::Status::Failed && checks[i].code == "RUN-DIFFERS", textOf(checks));
    QVERIFY2(checks[i].difference && checks[i].difference->count > 0, textOf(checks));
    QVERIFY2(checks[i].difference->expected != checks[i].difference->actual, textOf(checks));
  }
  QCOMPARE(run::countOf(checks, DeviceCheck::Status::Ok), std::size_t{0});
  if (kind == "opencl")
    QCOMPARE(checks[kCopy].message, std::string("'check_copy' gives different results: 1 of 1,000 elements of 'out' "
                                                "differ; the first is [17]: 5, expected -965999949"));
  QCOMPARE(checks[kAtomics].difference->tensor, std::string("counts"));
}

/// One kernel that cannot be built; the others are checked.
void TestDeviceChecks::brokenCodeFailsAlone() {
  QFETCH(QString, kind);
  const auto found = device(kind);
  if (!found) QSKIP(missing(kind));
  run::CheckCode code = run::builtInCheckCode();
  if (kind == "opencl")
    QVERIFY(replaceOnly(code.at("check.cl"), "part[item] = in[group * 128 + item];", "part[item] = nothing;"));
  else
    code.at("check_reduce.spv").resize(402); // not whole words
  const std::vector<DeviceCheck> checks = check(*found, code);
  QCOMPARE(checks.size(), kKernels);
  QVERIFY2(checks[kReduce].code == (kind == "opencl" ? "RUN-BUILD" : "RUN-IMAGE"), textOf(checks));
  QVERIFY2(run::countOf(checks, DeviceCheck::Status::Failed) == 1, textOf(checks));
  QVERIFY2(checks[kAtomics].status == DeviceCheck::Status::Ok, textOf(checks));
}

void TestDeviceChecks::kernelThatHangsIsStopped() {
  const auto found = device("opencl");
  if (!found) QSKIP(missing("opencl"));
  run::CheckCode code = run::builtInCheckCode();
  QVERIFY(replaceOnly(code.at("check.cl"), "if (i < n) out[i] = in[i];",
                      "volatile __global int* wait = out; while (*wait != 5) {}"));
  run::RunOptions how = options();
  how.limits.runMs = 5'000; // PoCL compiles the other kernels when they are launched
  const std::vector<DeviceCheck> checks = check(*found, code, how);
  QCOMPARE(checks.size(), kKernels);
  QVERIFY2(checks[kCopy].code == "RUN-TIME", textOf(checks));
  QVERIFY2(checks[kReduce].status == DeviceCheck::Status::Ok, textOf(checks));
  QVERIFY2(checks[kAtomics].status == DeviceCheck::Status::Ok, textOf(checks));
}

void TestDeviceChecks::halfIsSkipped_data() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("fact");
  QTest::addColumn<QString>("value");
  QTest::addColumn<QString>("message");
  QTest::newRow("opencl") << "opencl" << "fp16" << "no" << "the device does not support cl_khr_fp16";
  QTest::newRow("vulkan") << "vulkan" << "features" << "shaderInt64, storageBuffer16BitAccess"
                          << "the device does not support shaderFloat16";
  QTest::newRow("vulkan, no storage") << "vulkan" << "features" << "shaderFloat16"
                                      << "the device does not support storageBuffer16BitAccess";
  QTest::newRow("vulkan, neither") << "vulkan" << "features" << "uniformAndStorageBuffer16BitAccess"
                                   << "the device does not support shaderFloat16 or storageBuffer16BitAccess";
}

/// A device that does not list float16 is not asked to compute in it.
void TestDeviceChecks::halfIsSkipped() {
  QFETCH(QString, kind);
  QFETCH(QString, fact);
  QFETCH(QString, value);
  QFETCH(QString, message);
  protocol::DeviceFound one;
  one.kind = kind.toStdString();
  one.facts = {{fact.toStdString(), value.toStdString()}};
  run::RunOptions how = options();
  how.driverPath = m_folder.filePath(QStringLiteral("nothing.so")).toStdString(); // the other checks fail
  const std::vector<DeviceCheck> checks = check(one, run::builtInCheckCode(), how);
  QCOMPARE(checks.size(), kKernels);
  QVERIFY2(checks[kMatmul].status == DeviceCheck::Status::Skipped, textOf(checks));
  QCOMPARE(QString::fromStdString(checks[kMatmul].message), message);
  QCOMPARE(run::countOf(checks, DeviceCheck::Status::Failed), std::size_t{3});
  QVERIFY2(checks[kCopy].code == "RUN-NO-DRIVER" && checks[kAtomics].code == "RUN-NO-DRIVER", textOf(checks));
}

QString TestDeviceChecks::useStubDriver(const QStringList& defines) {
  const auto path = [&](const char* name) {
    return std::filesystem::path(m_folder.filePath(QString::fromLatin1(name)).toStdString());
  };
  for (const auto& [target, source] : {std::pair("libstub.so", "tests/runner/stub_driver.c"),
                                       std::pair("kernels.so", "tests/runner/stub_check_kernels.c")})
    if (const QString said = compileLibrary(path(target), sourceFile(source).c_str(), defines); !said.isEmpty())
      return said;
  qputenv("STUB_KERNELS", QByteArray::fromStdString(path("kernels.so").native()));
  return {};
}

/// Everything except the execution of PTX, which needs a GPU: the kernels are C here.
void TestDeviceChecks::cudaKernelsRun() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  protocol::DeviceFound one;
  one.kind = "cuda";
  run::RunOptions how = options();
  how.driverPath = m_folder.filePath(QStringLiteral("libstub.so")).toStdString();
  QCOMPARE(useStubDriver({}), QString());
  std::vector<DeviceCheck> checks = check(one, run::builtInCheckCode(), how);
  QCOMPARE(checks.size(), kKernels);
  QVERIFY2(run::countOf(checks, DeviceCheck::Status::Ok) == kKernels, textOf(checks));

  QCOMPARE(useStubDriver({"WRONG"}), QString());
  checks = check(one, run::builtInCheckCode(), how);
  QVERIFY2(run::countOf(checks, DeviceCheck::Status::Ok) == kKernels - 1, textOf(checks));
  QCOMPARE(QString::fromStdString(checks[kCopy].text()),
           QStringLiteral("failed: RUN-DIFFERS: 'check_copy' gives different results: 1 of 1,000 elements of 'out' "
                          "differ; the first is [17]: 5, expected -965999949"));
  QCOMPARE(checks[kCopy].difference->at, std::vector<uint64_t>{17});

  // A device for which PTX of sm_50 is too new.
  qputenv("STUB_SM", "35");
  checks = check(one, run::builtInCheckCode(), how);
  qunsetenv("STUB_SM");
  for (const DeviceCheck& each : checks) QVERIFY2(each.code == "RUN-IMAGE", textOf(checks));
}

void TestDeviceChecks::cudaFaultsAreReported() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  QCOMPARE(useStubDriver({}), QString());
  protocol::DeviceFound one;
  one.kind = "cuda";
  run::RunOptions how = options();
  how.driverPath = m_folder.filePath(QStringLiteral("libstub.so")).toStdString();
  how.limits.runMs = 500;
  for (const auto& [fault, code] :
       {std::pair("no-device", "RUN-NO-DEVICE"), std::pair("no-image", "RUN-IMAGE"), std::pair("bad-ptx", "RUN-BUILD"),
        std::pair("illegal-address", "RUN-FAULT"), std::pair("hang", "RUN-TIME")}) {
    qputenv("STUB_FAULT", fault);
    const std::vector<DeviceCheck> checks = check(one, run::builtInCheckCode(), how);
    qunsetenv("STUB_FAULT");
    QCOMPARE(checks.size(), kKernels);
    for (const DeviceCheck& each : checks) {
      QVERIFY2(each.status == DeviceCheck::Status::Failed, textOf(checks));
      QVERIFY2(each.code == code, fault + QByteArray(": ") + textOf(checks));
    }
  }
}

void TestDeviceChecks::cancelledChecksLeaveNoFile() {
  const QByteArray before = qgetenv("TMPDIR");
  QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("tmp")));
  const QDir folder(m_folder.filePath(QStringLiteral("tmp")));
  qputenv("TMPDIR", folder.path().toUtf8());
  protocol::DeviceFound one;
  one.kind = m_list.devices.empty() ? "opencl" : m_list.devices.front().kind;
  for (const int looks : {0, 1, 6, 12}) {
    StopAfter monitor(looks);
    const auto checks = run::checkDevices({one}, run::builtInCheckCode(), options(), monitor);
    QVERIFY2(!checks && checks.error().id() == DiagnosticId::Cancelled, QByteArray::number(looks));
    QTRY_VERIFY_WITH_TIMEOUT(folder.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty(),
                             20'000);
  }
  before.isEmpty() ? (void)qunsetenv("TMPDIR") : (void)qputenv("TMPDIR", before);
}

BLOBSCOPE_TEST(TestDeviceChecks);

#include "test_device_checks.moc"
