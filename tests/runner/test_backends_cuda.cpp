#include "app/runner/backends/cuda/nvrtc.h"
#include "tests/runner/backends_support.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/wait.h"

#include <QFile>
#include <QFileInfo>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace blobscope;
using namespace blobscope::runner;
using namespace blobscope::test;

/// The CUDA back end with a driver that is compiled here.
class TestBackendCuda : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init();
  void deviceFactsAreRead();
  void missingDriverIsExplained();
  void stubOfTheToolkitIsRefused();
  void faultsOnOpeningAreExplained_data();
  void faultsOnOpeningAreExplained();
  void missingDriverFunctionIsExplained();
  void kernelRuns();
  void writesOutsideABufferAreFound();
  void unusableImagesAreRefused_data();
  void unusableImagesAreRefused();
  void faultsOfALaunchAreReported_data();
  void faultsOfALaunchAreReported();
  void launchesAboveTheLimitsAreRefused_data();
  void launchesAboveTheLimitsAreRefused();
  void parameterTableMustAgreeWithTheKernel_data();
  void parameterTableMustAgreeWithTheKernel();
  void launchAttributesAreSet();
  void oldDriverLaunchesWithoutAttributes();
  void dynamicSharedMemoryIsRequested();
  void tensorMapsArePassed();
  void globalBarrierIsInitialised();
  void exhaustedDeviceMemoryIsReported();
  void kernelThatHangsEndsWithItsProcess();
  void cudaSourceIsCompiled();

private:
  QString in(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
  QString compile(const char* source, const char* output, const QStringList& more = {}) const;
  Result<std::unique_ptr<Backend>> open(const QString& driver = {}) const {
    return openCuda({.driverPath = (driver.isEmpty() ? in("libstub.so") : driver).toStdString(), .device = 0});
  }
  static KernelSource source(const char* name, std::vector<KernelParameter> parameters) {
    return {.name = name,
            .format = "ptx",
            .image = bytes(".version 7.0\n.target sm_75\n"),
            .parameters = std::move(parameters)};
  }
  static KernelSource vadd() { return source("vadd", {pointer(), pointer(), pointer(), float32(), int32()}); }
  QString log() const {
    QFile file(in("log"));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }

  QTemporaryDir m_folder;
  std::vector<std::unique_ptr<Environment>> m_environment;
};

QString TestBackendCuda::compile(const char* file, const char* output, const QStringList& more) const {
  const QString path = QStringLiteral(BLOBSCOPE_SOURCE_DIR "/tests/runner/") + QString::fromLatin1(file);
  const QByteArray failure =
      runTool("cc", QStringList{"-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", in(output), path} + more);
  return QString::fromUtf8(failure);
}

void TestBackendCuda::initTestCase() {
  if (QStandardPaths::findExecutable("cc").isEmpty()) QSKIP("no C compiler (cc) to build the driver of this test with");
  QCOMPARE(compile("stub_driver.c", "libstub.so", {"-ldl"}), QString());
  QCOMPARE(compile("stub_kernels.c", "kernels.so"), QString());
}

void TestBackendCuda::init() {
  QFile::remove(in("log"));
  m_environment.clear();
  const auto set = [&](const char* name, const QString& value) {
    m_environment.push_back(std::make_unique<Environment>(name, value.toUtf8()));
  };
  set("STUB_LOG", in("log"));
  set("STUB_KERNELS", in("kernels.so"));
  set("STUB_FAULT", "");
  set("STUB_SM", "89");
}

void TestBackendCuda::deviceFactsAreRead() {
  const auto backend = open();
  QVERIFY2(backend, messageOf(backend).c_str());
  const DeviceInfo info = (*backend)->info();
  QCOMPARE(info.kind, std::string("cuda"));
  QCOMPARE(info.name, std::string("Stub"));
  QCOMPARE(info.driver, std::string("CUDA 12.2"));
  QCOMPARE(info.memoryBytes, uint64_t{1} << 30);
  QVERIFY(!info.isCpu);
  QCOMPARE((*backend)->deviceType(), 2);
  QVERIFY(info.facts.at(0) == std::pair(std::string("compute capability"), std::string("8.9")));
  const auto listed = listCuda({.driverPath = in("libstub.so").toStdString(), .device = 0});
  QVERIFY2(listed, messageOf(listed).c_str());
  QCOMPARE(listed->size(), std::size_t{1});
  QCOMPARE(messageOf(openCuda({.driverPath = in("libstub.so").toStdString(), .device = 3})),
           std::string("RUN-NO-DEVICE: no CUDA device found: device 3 was requested (counted from 0), but the number "
                       "of devices is 1"));
}

void TestBackendCuda::missingDriverIsExplained() {
  const std::string message = messageOf(open("/nonexistent/libcuda.so.1"));
  QVERIFY2(message.starts_with("RUN-NO-DRIVER: no CUDA driver found: /nonexistent/libcuda.so.1: "), message.c_str());
  QVERIFY2(message.ends_with("; it is part of NVIDIA's graphics driver; a dry run does not need it"), message.c_str());
}

void TestBackendCuda::stubOfTheToolkitIsRefused() {
  const QString path = "/usr/local/cuda/lib64/stubs/libcuda.so";
  if (!QFileInfo::exists(path)) QSKIP("no CUDA toolkit in /usr/local/cuda, whose stub driver is tried");
  const std::string message = messageOf(open(path));
  QVERIFY2(message.starts_with(
               "RUN-NO-DRIVER: no CUDA driver found: '/usr/local/cuda/lib64/stubs/libcuda.so' is the toolkit's stub"),
           message.c_str());
}

void TestBackendCuda::faultsOnOpeningAreExplained_data() {
  QTest::addColumn<QString>("fault");
  QTest::addColumn<QString>("start");
  QTest::newRow("no device") << "no-device"
                             << "RUN-NO-DEVICE: no CUDA device found: CUDA_ERROR_NO_DEVICE: says the stub";
  QTest::newRow("stub") << "stub"
                        << "RUN-NO-DRIVER: no CUDA driver found: 'DIR/libstub.so' is the toolkit's stub, which is only "
                           "for linking (error 34)";
}

void TestBackendCuda::faultsOnOpeningAreExplained() {
  QFETCH(QString, fault);
  QFETCH(QString, start);
  const Environment environment("STUB_FAULT", fault.toUtf8());
  const QString message = QString::fromStdString(messageOf(open())).replace(m_folder.path(), "DIR");
  QVERIFY2(message.startsWith(start), qPrintable(message));
}

void TestBackendCuda::missingDriverFunctionIsExplained() {
  QCOMPARE(compile("stub_driver.c", "libwithout.so", {"-DSTUB_WITHOUT_LAUNCH", "-ldl"}), QString());
  const QString message = QString::fromStdString(messageOf(open(in("libwithout.so")))).replace(m_folder.path(), "DIR");
  QCOMPARE(message, QString("RUN-DRIVER-SYMBOL: the CUDA driver 'DIR/libwithout.so' has no function 'cuLaunchKernel'; "
                            "install a newer driver"));
}

void TestBackendCuda::kernelRuns() {
  const auto opened = open();
  QVERIFY2(opened, messageOf(opened).c_str());
  Backend& backend = **opened;
  const auto kernel = backend.load(vadd());
  QVERIFY2(kernel, messageOf(kernel).c_str());
  std::vector<float> a(1000), b(1000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i), b[i] = 2;
  const runner::Buffer first = tensor(backend, a, "A"), second = tensor(backend, b, "B"),
                       out = tensor(backend, std::vector<float>(1000), "C");
  Launch launch;
  launch.grid = {4, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {first.data, second.data, out.data, floatBits(0.5F), 1000};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto index = backend.launch(**kernel, launch, true);
    QVERIFY2(index, messageOf(index).c_str());
    QCOMPARE(*index, i);
  }
  QCOMPARE(messageOf(backend.synchronise()), std::string("fine"));
  const auto times = backend.times();
  QVERIFY2(times, messageOf(times).c_str());
  QCOMPARE(times->size(), std::size_t{3});
  for (const double time : *times) QVERIFY(time > 0);
  QVERIFY(backend.times()->empty());
  const std::vector<float> result = valuesOf<float>(backend, out);
  for (std::size_t i = 0; i < result.size(); ++i) QCOMPARE(result[i], static_cast<float>(i) + 1);
  for (const runner::Buffer& buffer : {first, second, out}) {
    QVERIFY(*backend.overrun(buffer) == (std::pair<uint64_t, uint64_t>(0, 0)));
    QCOMPARE(messageOf(backend.release(buffer)), std::string("fine"));
  }
  // A second kernel of the module loads nothing.
  const auto again = backend.load(vadd());
  QVERIFY(again);
  QVERIFY2(log().startsWith("load .ver\nlaunch 4 1 1, 256 1 1, 0\n"), qPrintable(log()));
  const auto facts = (*kernel)->facts();
  QVERIFY(std::find(facts.begin(), facts.end(), std::pair(std::string("registers"), std::string("32"))) != facts.end());
  QVERIFY(std::find(facts.begin(), facts.end(),
                    std::pair(std::string("compile log"), std::string("stub: read the image"))) != facts.end());
}

void TestBackendCuda::writesOutsideABufferAreFound() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(source("outside", {pointer(), int32()}));
  QVERIFY2(kernel, messageOf(kernel).c_str());
  const runner::Buffer buffer = tensor(**opened, std::vector<float>(10), "T"),
                       other = tensor(**opened, std::vector<float>(1), "U");
  Launch launch;
  launch.arguments = {buffer.data, 10};
  QVERIFY((*opened)->launch(**kernel, launch, false));
  QVERIFY(*(*opened)->overrun(buffer) == (std::pair<uint64_t, uint64_t>(4, 8)));
  QVERIFY(*(*opened)->overrun(other) == (std::pair<uint64_t, uint64_t>(0, 0)));
}

void TestBackendCuda::unusableImagesAreRefused_data() {
  QTest::addColumn<QString>("fault");
  QTest::addColumn<QString>("image");
  QTest::addColumn<QString>("kernel");
  QTest::addColumn<QString>("message");
  const QString ptx = ".version 7.0\n.target sm_75\n";
  QTest::newRow("image for another GPU")
      << ""
      << ".version 7.0\n.target sm_90\n"
      << "vadd"
      << "RUN-IMAGE: 'vadd' contains no code for Stub (sm_89): it contains PTX 7.0 for sm_90; compile it for sm_89";
  QTest::newRow("no binary") << "no-image" << ptx << "vadd"
                             << "RUN-IMAGE: 'vadd' contains no code for Stub (sm_89): it contains an image that the "
                                "driver rejects (CUDA_ERROR_NO_BINARY_FOR_GPU: says the stub); compile it for sm_89";
  QTest::newRow("bad PTX")
      << "bad-ptx" << ptx << "vadd"
      << "RUN-BUILD: the driver's PTX compiler rejected 'vadd': CUDA_ERROR_INVALID_PTX: says the stub; line 7; error : "
         "unknown opcode | ptxas fatal";
  QTest::newRow("no such kernel") << "" << ptx << "nothing"
                                  << "RUN-IMAGE: 'nothing' contains no code for Stub (sm_89): it contains no kernel "
                                     "with that name; compile it for sm_89 with that kernel";
}

void TestBackendCuda::unusableImagesAreRefused() {
  QFETCH(QString, fault);
  QFETCH(QString, image);
  QFETCH(QString, kernel);
  QFETCH(QString, message);
  const Environment environment("STUB_FAULT", fault.toUtf8());
  const auto opened = open();
  QVERIFY(opened);
  KernelSource wanted = vadd();
  wanted.name = kernel.toStdString();
  wanted.image = bytes(image.toStdString());
  QCOMPARE(QString::fromStdString(messageOf((*opened)->load(wanted))), message);
}

void TestBackendCuda::faultsOfALaunchAreReported_data() {
  QTest::addColumn<QString>("fault");
  QTest::addColumn<QString>("message");
  QTest::newRow("illegal address")
      << "illegal-address"
      << "RUN-FAULT: kernel 'vadd' caused a device fault (CUDA_ERROR_ILLEGAL_ADDRESS: says the stub, reported by "
         "cuStreamSynchronize); the helper process was ended, and the next run starts a new one";
  QTest::newRow("out of resources")
      << "launch"
      << "RUN-CALL: cuLaunchKernel of CUDA returned 701: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: says the stub; grid 1 x 1 "
         "x 1, block 32 x 1 x 1, 0 bytes of dynamic shared memory; the device has 1,024 threads a block and "
         "99.0 KiB (101,376 bytes)";
}

void TestBackendCuda::faultsOfALaunchAreReported() {
  QFETCH(QString, fault);
  QFETCH(QString, message);
  const Environment environment("STUB_FAULT", fault.toUtf8());
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(vadd());
  QVERIFY2(kernel, messageOf(kernel).c_str());
  Launch launch;
  launch.block = {32, 1, 1};
  launch.arguments = {0, 0, 0, 0, 0};
  const auto launched = (*opened)->launch(**kernel, launch, false);
  const auto waited = (*opened)->synchronise();
  QCOMPARE(QString::fromStdString(launched ? messageOf(waited) : messageOf(launched)), message);
  if (fault != "illegal-address") return;
  // After that the driver is not called any more.
  QVERIFY(!(*opened)->synchronise());
}

void TestBackendCuda::launchesAboveTheLimitsAreRefused_data() {
  QTest::addColumn<QString>("what");
  QTest::addColumn<QString>("start");
  QTest::newRow("grid") << "grid" << "RUN-LIMIT: grid.y is 65,536, but Stub (sm_89) supports at most 65,535";
  QTest::newRow("block") << "block" << "RUN-LIMIT: block.z is 65, but Stub (sm_89) supports at most 64";
  QTest::newRow("threads")
      << "threads"
      << "RUN-LIMIT: the block of 'vadd' is 2,048 threads, but Stub (sm_89) supports at most 1,024";
  QTest::newRow("compiled for")
      << "compiled"
      << "RUN-LIMIT: the block of 'vadd' is 512 threads, but its compiled code supports at most 256";
  QTest::newRow("shared") << "shared"
                          << "RUN-LIMIT: the shared memory of 'vadd' is 99.0 KiB (101,376 bytes) in addition to 1.0 "
                             "KiB (1,024 bytes), but Stub";
  QTest::newRow("cluster") << "cluster"
                           << "RUN-FEATURE: Stub (sm_89) does not support what 'vadd' needs: clusters of blocks";
  QTest::newRow("arguments")
      << "arguments"
      << "RUN-ARGUMENT: argument 4 of 'vadd' cannot be passed: the launch passes 4 arguments, but the table has 5";
  QTest::newRow("huge")
      << "huge" << "RUN-LIMIT: grid.x is 18,446,744,073,709,551,615, but Stub (sm_89) supports at most 2,147,483,647";
}

void TestBackendCuda::launchesAboveTheLimitsAreRefused() {
  QFETCH(QString, what);
  QFETCH(QString, start);
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(vadd());
  QVERIFY(kernel);
  Launch launch;
  launch.arguments.resize(what == "arguments" ? 4 : 5);
  if (what == "grid") launch.grid[1] = 65'536;
  if (what == "block") launch.block[2] = 65;
  if (what == "threads") launch.block = {1024, 2, 1};
  if (what == "compiled") launch.block = {512, 1, 1};
  if (what == "shared") launch.dynamicShared = 101'376;
  if (what == "cluster") launch.cluster[0] = 2;
  if (what == "huge") launch.grid[0] = UINT64_MAX;
  const QString message = QString::fromStdString(messageOf((*opened)->launch(**kernel, launch, false)));
  QVERIFY2(message.startsWith(start), qPrintable(message));
  QVERIFY2(!log().contains("launch"), qPrintable(log()));
}

void TestBackendCuda::parameterTableMustAgreeWithTheKernel_data() {
  QTest::addColumn<QString>("sizes");
  QTest::addColumn<QString>("message");
  QTest::newRow("agree") << "8,8,8,4,4" << "fine";
  QTest::newRow("fewer in the kernel")
      << "8,8,8,4"
      << "RUN-ARGUMENT: argument 4 of 'vadd' cannot be passed: the table contains it, but the kernel does not have it";
  QTest::newRow("more in the kernel")
      << "8,8,8,4,4,8"
      << "RUN-ARGUMENT: argument 5 of 'vadd' cannot be passed: the kernel has it, but the table does not contain it";
  QTest::newRow("another size") << "8,8,8,8,4"
                                << "RUN-ARGUMENT: argument 3 of 'vadd' cannot be passed: the kernel takes 8 bytes, but "
                                   "the table has another size";
}

void TestBackendCuda::parameterTableMustAgreeWithTheKernel() {
  QFETCH(QString, sizes);
  QFETCH(QString, message);
  const Environment environment("STUB_PARAMETERS", sizes.toUtf8());
  const auto opened = open();
  QVERIFY(opened);
  QCOMPARE(QString::fromStdString(messageOf((*opened)->load(vadd()))), message);
}

void TestBackendCuda::launchAttributesAreSet() {
  const Environment environment("STUB_SM", "90");
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(vadd());
  QVERIFY(kernel);
  Launch launch;
  launch.grid = {4, 1, 1};
  launch.cluster = {2, 1, 1};
  launch.programmatic = launch.cooperative = true;
  launch.arguments.resize(5);
  const auto launched = (*opened)->launch(**kernel, launch, false);
  QVERIFY2(launched, messageOf(launched).c_str());
  QCOMPARE(log(), QString("load .ver\ncluster 2 1 1\nflag 6 = 1\nflag 2 = 1\nlaunch with attributes\n"));
}

void TestBackendCuda::oldDriverLaunchesWithoutAttributes() {
  QCOMPARE(compile("stub_driver.c", "libold.so", {"-DSTUB_OLD", "-ldl"}), QString());
  const auto opened = open(in("libold.so"));
  QVERIFY2(opened, messageOf(opened).c_str());
  const auto kernel = (*opened)->load(vadd());
  QVERIFY(kernel);
  Launch launch;
  launch.arguments.resize(5);
  launch.cooperative = true;
  QVERIFY((*opened)->launch(**kernel, launch, false));
  QVERIFY2(log().endsWith("cooperative launch\n"), qPrintable(log()));
  launch.cooperative = false;
  launch.programmatic = true;
  const QString message =
      QString::fromStdString(messageOf((*opened)->launch(**kernel, launch, false))).replace(m_folder.path(), "DIR");
  QCOMPARE(message, QString("RUN-DRIVER-SYMBOL: the CUDA driver 'DIR/libold.so' has no function 'cuLaunchKernelEx'; "
                            "install a newer driver"));
}

void TestBackendCuda::dynamicSharedMemoryIsRequested() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(vadd());
  QVERIFY(kernel);
  Launch launch;
  launch.arguments.resize(5);
  for (const uint64_t bytes : {uint64_t{49'151}, uint64_t{49'152}, uint64_t{73'728}, uint64_t{73'728}}) {
    launch.dynamicShared = bytes;
    QVERIFY((*opened)->launch(**kernel, launch, false));
  }
  QCOMPARE(log(), QString("load .ver\nlaunch 1 1 1, 1 1 1, 49151\nattribute 8 = 49152\nlaunch 1 1 1, 1 1 1, 49152\n"
                          "attribute 8 = 73728\nlaunch 1 1 1, 1 1 1, 73728\nlaunch 1 1 1, 1 1 1, 73728\n"));
}

void TestBackendCuda::tensorMapsArePassed() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(source("mapped", {{.isTensorMap = true}, pointer()}));
  QVERIFY2(kernel, messageOf(kernel).c_str());
  struct alignas(64) Descriptor {
    float words[32] = {2.5F};
  } descriptor;
  const runner::Buffer out = tensor(**opened, std::vector<float>(1), "T");
  Launch launch;
  launch.arguments = {reinterpret_cast<uintptr_t>(&descriptor), out.data};
  QVERIFY((*opened)->launch(**kernel, launch, false));
  QCOMPARE(valuesOf<float>(**opened, out).at(0), 2.5F);
  for (const uint64_t place : {uint64_t{0}, launch.arguments[0] + 16}) {
    launch.arguments[0] = place;
    const std::string message = messageOf((*opened)->launch(**kernel, launch, false));
    QVERIFY2(message.starts_with("RUN-ARGUMENT: argument 0 of 'mapped' cannot be passed: it is a tensor map at 0x"),
             message.c_str());
  }
}

void TestBackendCuda::globalBarrierIsInitialised() {
  const Environment environment("STUB_BARRIER", "1");
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(vadd());
  QVERIFY(kernel);
  Launch launch;
  launch.arguments.resize(5);
  QVERIFY((*opened)->launch(**kernel, launch, false));
  QCOMPARE(log(), QString("load .ver\nfill 1 words with 0\nlaunch 1 1 1, 1 1 1, 0\n"));
}

void TestBackendCuda::exhaustedDeviceMemoryIsReported() {
  const Environment environment("STUB_FAULT", "out-of-memory");
  const auto opened = open();
  QVERIFY(opened);
  QCOMPARE(messageOf((*opened)->allocate(4'000'000, "A")),
           std::string("RUN-MEMORY: the tensors need 3.8 MiB (4,000,000 bytes), but the limit is 1.0 MiB (1,048,576 "
                       "bytes); choose smaller sizes"));
  QVERIFY(messageOf((*opened)->allocate(UINT64_MAX, "A")).starts_with("RUN-MEMORY: "));
}

/// A kernel that never ends is ended with its process; nothing inside the process can end it.
void TestBackendCuda::kernelThatHangsEndsWithItsProcess() {
  const Environment environment("STUB_FAULT", "hang");
  const pid_t child = fork();
  QVERIFY(child >= 0);
  if (child == 0) {
    const auto opened = open();
    const auto kernel = opened ? (*opened)->load(vadd()) : Result<std::unique_ptr<Kernel>>(std::unique_ptr<Kernel>());
    Launch launch;
    launch.arguments.resize(5);
    if (kernel && *kernel) (void)(*opened)->launch(**kernel, launch, false);
    _exit(0);
  }
  const bool hangs = QTest::qWaitFor([&] { return log().contains("hangs"); }, kWaitMs);
  kill(child, SIGKILL);
  int status = 0;
  QCOMPARE(waitpid(child, &status, 0), child);
  QVERIFY(hangs);
  QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

void TestBackendCuda::cudaSourceIsCompiled() {
  const auto nvrtc = runner::cuda::Nvrtc::open(runner::cuda::NvrtcSearch::fromEnvironment());
  if (!nvrtc) QSKIP("no NVRTC: libnvrtc.so not found");
  const auto opened = open();
  QVERIFY(opened);
  KernelSource wanted = vadd();
  wanted.format = "cuda";
  wanted.image = bytes("#include <cuda_fp16.h>\n"
                       "extern \"C\" __global__ void vadd(float* a, float* b, float* c, float s, int n) {\n"
                       "  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) c[i] = a[i] + s * b[i];\n}\n");
  const auto kernel = (*opened)->load(wanted);
  QVERIFY2(kernel, messageOf(kernel).c_str());
  // The driver received machine code.
  QVERIFY2(log().startsWith("load \x7f"
                            "ELF"),
           qPrintable(log()));
  wanted.image = bytes("extern \"C\" __global__ void vadd(float* a) { wrong; }\n");
  const std::string message = messageOf((*opened)->load(wanted));
  QVERIFY2(message.starts_with(
               "RUN-BUILD: the CUDA compiler rejected 'vadd': module.cu(1): error: identifier \"wrong\" is undefined"),
           message.c_str());
  // An unknown device gets PTX of the newest known one below it.
  const auto later = nvrtc->compile("extern \"C\" __global__ void k() {}", "k", 9'999);
  QVERIFY2(later, messageOf(later).c_str());
  QVERIFY(later->image.view().find(".target sm_") != std::string_view::npos);
  QVERIFY(messageOf(nvrtc->compile("extern \"C\" __global__ void k() {}", "k", 20)).starts_with("RUN-BUILD: "));
}

BLOBSCOPE_TEST(TestBackendCuda);
#include "test_backends_cuda.moc"
