#include "core/targets/device.h"
#include "tests/core/targets/facts.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using targets::CudaFit;

namespace {

targets::Device deviceOf(const targets::FactsPtr& facts, const char* text) {
  auto device = targets::parseDevice(facts, text);
  if (!device) qFatal("%s", device.error().message().c_str());
  return *device;
}

/// "cubin sm_90a", "ptx sm_90 84".
targets::CudaImage imageOf(const QString& text) {
  const QStringList words = text.split(' ');
  return {words[0] == "ptx", words.value(1).toStdString(), words.value(2).toUInt()};
}

} // namespace

/// Devices as users write them, and which images of CUDA they run.
class TestDevice : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void namesAreRead_data();
  void namesAreRead();
  void limitsComeFromTheTable();
  void wrongNamesAreRefused_data();
  void wrongNamesAreRefused();
  void imagesFitTheirGpus_data();
  void imagesFitTheirGpus();
  void minimumDriverIsTheFirstBranch_data();
  void minimumDriverIsTheFirstBranch();
};

void TestDevice::namesAreRead_data() {
  QTest::addColumn<QString>("expected");
  QTest::newRow("sm_90") << "sm_90 · NVIDIA H100";
  QTest::newRow("sm_90,driver=580") << "sm_90 · NVIDIA H100 · driver 580";
  QTest::newRow("sm_90,driver=580.65.06") << "sm_90 · NVIDIA H100 · driver 580";
  QTest::newRow("sm_90,cuda=12.4") << "sm_90 · NVIDIA H100 · driver 550";
  QTest::newRow("sm_101") << "sm_110 · Jetson T5000";
  QTest::newRow("sm_88") << "sm_88";
  QTest::newRow("sm_107,driver=615") << "sm_107 · driver 615";
  QTest::newRow("gfx90a") << "gfx90a · AMD GPU";
  QTest::newRow("gfx90a:sramecc+:xnack-") << "gfx90a · AMD GPU · sramecc+ · xnack-";
  QTest::newRow("vulkan") << "Vulkan";
  QTest::newRow("vulkan:1.3") << "Vulkan 1.3";
  QTest::newRow("vulkan:1.3,shaderFloat16") << "Vulkan 1.3 · shaderFloat16";
  QTest::newRow("opencl,cl_khr_fp16") << "OpenCL · cl_khr_fp16";
  QTest::newRow("metal") << "Metal";
  QTest::newRow("webgpu,shader-f16") << "WebGPU · shader-f16";
}

void TestDevice::namesAreRead() {
  QFETCH(QString, expected);
  const auto device = deviceOf(builtInFacts(), QTest::currentDataTag());
  QCOMPARE(QString::fromStdString(device.title), expected);
  QCOMPARE(device.name, std::string(QTest::currentDataTag()));
}

void TestDevice::limitsComeFromTheTable() {
  const auto facts = builtInFacts();
  const auto gpu = deviceOf(facts, "sm_86,cuda=12.4");
  QVERIFY(gpu.kind == targets::Device::Kind::Cuda && gpu.gpu);
  QCOMPARE(gpu.sharedBytes.value_or(0), 101376u);
  QCOMPARE(gpu.threads.value_or(0), 1024u);
  QCOMPARE(gpu.ptx.value_or(0), 84u);
  QVERIFY(!deviceOf(facts, "sm_107").sharedBytes); // no source states it
  QCOMPARE(deviceOf(facts, "sm_86,driver=576").ptx.value_or(0), 88u);
  QVERIFY(!deviceOf(facts, "sm_86").ptx);
  QCOMPARE(deviceOf(facts, "vulkan:1.0").spirv.value_or(0), 0x00010000u);
  QCOMPARE(deviceOf(facts, "vulkan:1.3").spirv.value_or(0), 0x00010500u);
  QCOMPARE(deviceOf(facts, "gfx1100").gfx, std::string("gfx1100"));
  QCOMPARE(deviceOf(facts, "opencl,cl_khr_fp16").features, std::vector<std::string>{"cl_khr_fp16"});
}

void TestDevice::wrongNamesAreRefused_data() {
  QTest::addColumn<QString>("expected");
  QTest::newRow("sm_99") << "'sm_99' is not a device: devices are sm_50, sm_52";
  QTest::newRow("h100") << "webgpu";
  QTest::newRow("sm_90,driver=new") << "'new' is not a version of the driver";
  QTest::newRow("sm_90,driver=") << "'' is not a version of the driver";
  QTest::newRow("sm_90,driver=1") << "the oldest driver in the tables is 367";
  QTest::newRow("sm_90,cuda=12.10") << "'12.10' is not a version of CUDA";
  QTest::newRow("sm_90,fast") << "'fast' is not an option of this device";
  QTest::newRow("sm_90,") << "an option after ',' is empty";
  QTest::newRow("opencl,driver=580") << "only NVIDIA GPUs have the option 'driver'";
  QTest::newRow("vulkan,speed=1") << "'speed' is not an option";
  QTest::newRow("vulkan:2.0") << "the versions of Vulkan are 1.0 to 1.4";
  QTest::newRow("gfx") << "names of AMD GPUs look like gfx90a";
  QTest::newRow("gfx90a:fast+") << "the settings of AMD GPUs are xnack+";
  QTest::newRow("gfx90a:") << "the settings of AMD GPUs are xnack+";
  QTest::newRow("metal:4") << "is not a device";
  QTest::newRow(",") << "is not a device";
}

void TestDevice::wrongNamesAreRefused() {
  QFETCH(QString, expected);
  const auto device = targets::parseDevice(builtInFacts(), QTest::currentDataTag());
  QVERIFY(!device);
  const QString message = QString::fromStdString(device.error().message());
  QVERIFY2(message.contains(expected), qPrintable(message));
  QCOMPARE(device.error().id(), DiagnosticId::PreDevice);
}

void TestDevice::imagesFitTheirGpus_data() {
  QTest::addColumn<QString>("image");
  QTest::addColumn<QString>("device");
  QTest::addColumn<int>("fit");
  const auto row = [](const char* image, const char* device, CudaFit fit) {
    QTest::addRow("%s on %s", image, device) << QString(image) << QString(device) << static_cast<int>(fit);
  };
  row("cubin sm_80", "sm_80", CudaFit::Native);
  row("cubin sm_80", "sm_86", CudaFit::Native);
  row("cubin sm_86", "sm_80", CudaFit::No);
  row("cubin sm_80", "sm_90", CudaFit::No);
  row("cubin sm_80", "sm_87", CudaFit::No); // desktop and Tegra
  row("cubin sm_87", "sm_89", CudaFit::No);
  row("cubin sm_87", "sm_87", CudaFit::Native);
  row("cubin sm_87", "sm_88", CudaFit::No);
  row("cubin sm_86", "sm_88", CudaFit::No);
  row("cubin sm_88", "sm_89", CudaFit::No);
  row("cubin sm_88", "sm_88", CudaFit::Native);
  row("cubin sm_100f", "sm_107", CudaFit::Native);
  row("cubin sm_107f", "sm_107", CudaFit::Native);
  row("cubin sm_107f", "sm_103", CudaFit::No);
  row("cubin sm_107a", "sm_107,driver=610", CudaFit::DriverTooOld);
  row("ptx sm_107f 0", "sm_107,driver=615", CudaFit::Compiled);
  row("cubin sm_90a", "sm_90", CudaFit::Native);
  row("cubin sm_100a", "sm_103", CudaFit::No);
  row("cubin sm_100f", "sm_103", CudaFit::Native);
  row("cubin sm_103f", "sm_100", CudaFit::No);
  row("cubin sm_120f", "sm_121", CudaFit::Native);
  row("cubin sm_101a", "sm_110", CudaFit::Native);
  row("cubin sm_90f", "sm_90", CudaFit::No); // there is no such family
  row("cubin sm_90", "sm_90,driver=510", CudaFit::DriverTooOld);
  row("ptx sm_50 70", "sm_121", CudaFit::Compiled);
  row("ptx sm_90 84", "sm_80", CudaFit::No);
  row("ptx sm_80 84", "sm_80,driver=550", CudaFit::Compiled);
  row("ptx sm_80 84", "sm_80,driver=545", CudaFit::DriverTooOld);
  row("ptx sm_80 84", "sm_80,cuda=12.3", CudaFit::DriverTooOld);
  row("ptx sm_90a 84", "sm_100", CudaFit::No);
  row("ptx sm_120f 88", "sm_120", CudaFit::Compiled);
  row("ptx sm_120f 88", "sm_110", CudaFit::No);
  row("ptx sm_100 0", "sm_100,driver=570", CudaFit::Compiled); // its version is at least 8.6
  row("ptx sm_80 99", "sm_80,driver=900", CudaFit::Compiled);  // newer than the tables
  row("ptx sm_80 99", "sm_80", CudaFit::Compiled);
  row("cubin sm_", "sm_80", CudaFit::No);
  row("cubin 80", "sm_80", CudaFit::No);
  row("ptx sm_99999999999 80", "sm_80", CudaFit::No);
  row("cubin", "sm_80", CudaFit::No);
}

void TestDevice::imagesFitTheirGpus() {
  QFETCH(QString, image);
  QFETCH(QString, device);
  QFETCH(int, fit);
  const auto target = deviceOf(builtInFacts(), device.toUtf8().constData());
  QCOMPARE(static_cast<int>(targets::cudaFit(imageOf(image), target)), fit);
}

void TestDevice::minimumDriverIsTheFirstBranch_data() {
  QTest::addColumn<QString>("gpu");
  QTest::addColumn<int>("driver"); // -1: none
  const auto row = [](const char* image, const char* gpu, int driver) {
    QTest::newRow(image) << QString(gpu) << driver;
  };
  row("cubin sm_80", "sm_86", 455);
  row("cubin sm_90", "sm_80", -1);
  row("ptx sm_80 70", "sm_80", 450);
  row("ptx sm_80 74", "sm_90", 520);
  row("ptx sm_80 85", "sm_80", 555);
  row("ptx sm_80 84", "sm_89", 550);
  row("ptx sm_90a 0", "sm_90", 525);
  row("ptx sm_50 998", "sm_90", -1);
  row("cubin sm_50", "sm_52", 367); // the oldest one of the tables
  row("cubin sm_88", "sm_88", 580);
  row("cubin sm_107", "sm_107", 615);
}

void TestDevice::minimumDriverIsTheFirstBranch() {
  QFETCH(QString, gpu);
  QFETCH(int, driver);
  const auto facts = builtInFacts();
  const auto found =
      targets::minimumDriver(imageOf(QTest::currentDataTag()), *facts->findGpu(gpu.toStdString()), *facts);
  QCOMPARE(found ? static_cast<int>(*found) : -1, driver);
}

BLOBSCOPE_TEST(TestDevice);
#include "test_device.moc"
