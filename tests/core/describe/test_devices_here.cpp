#include "core/describe/devices_here.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace std::string_literals;

class TestDevicesHere : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void nameOfAFoundDevice_data() {
    QTest::addColumn<protocol::DeviceFound>("found");
    QTest::addColumn<QString>("name");
    const auto row = [](const char* label, std::string kind, std::string driver,
                        std::vector<std::pair<std::string, std::string>> facts, const char* name) {
      protocol::DeviceFound found;
      found.kind = std::move(kind);
      found.driver = std::move(driver);
      found.facts = std::move(facts);
      QTest::newRow(label) << found << QString(name);
    };
    row("cuda", "cuda", "CUDA 13.0", {{"compute capability", "9.0"}}, "sm_90,cuda=13.0");
    row("cuda with two digits", "cuda", "CUDA 12.8", {{"compute capability", "12.0"}}, "sm_120,cuda=12.8");
    row("cuda without a capability", "cuda", "CUDA 12.8", {}, "");
    row("vulkan", "vulkan", "Mesa",
        {{"Vulkan", "1.3.230"}, {"features", "shaderFloat16, variablePointers, storageBuffer16BitAccess"}},
        "vulkan:1.3,shaderFloat16,storageBuffer16BitAccess");
    row("vulkan with a matrix extension", "vulkan", "NVIDIA",
        {{"Vulkan", "1.3.230"}, {"features", "cooperativeMatrix (NV), subgroup basic"}},
        "vulkan:1.3,VK_NV_cooperative_matrix");
    row("vulkan without a version", "vulkan", "Mesa", {}, "");
    row("opencl", "opencl", "PoCL", {{"extensions", "cl_khr_fp64  cl_khr_spir cl_khr_fp16"}},
        "opencl,cl_khr_fp64,cl_khr_fp16");
    row("processor", "cpu", "", {}, "");
  }
  void nameOfAFoundDevice() {
    QFETCH(protocol::DeviceFound, found);
    QFETCH(QString, name);
    const std::string made = describe::targetName(found);
    QCOMPARE(QString::fromStdString(made), name);
    if (made.empty()) return;
    const auto facts = targets::Facts::load();
    QVERIFY(facts);
    QVERIFY2(targets::parseDevice(*facts, made).hasValue(), made.c_str());
  }
};

BLOBSCOPE_TEST(TestDevicesHere);
#include "test_devices_here.moc"
