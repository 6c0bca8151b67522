#include "tests/runner/backends_support.h"

#include <QFile>
#include <QRegularExpression>

using namespace blobscope;
using namespace blobscope::runner;
using namespace blobscope::test;

/// Memory that drivers keep until the process ends is not a leak of ours; stack frames show it.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libvulkan\nleak:libOpenCL\nleak:libpocl\nleak:libLLVM\n";
}

/// The Vulkan back end with any available device: without a graphics card, Mesa's lavapipe.
class TestBackendVulkan : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void missingDriverIsExplained();
  void deviceFactsAreRead();
  void kernelRuns_data();
  void kernelRuns();
  void halfKernelRuns();
  void scalarsArePassedInEveryLayout();
  void partsOfBuffersArePassed();
  void writesOutsideABufferAreFound_data();
  void writesOutsideABufferAreFound();
  void manyLaunchesAreOrdered();
  void unsuitableModulesAreRefused_data();
  void unsuitableModulesAreRefused();
  void limitsAreChecked();
  void missingFeaturesAreListed();
  void damagedModulesAreRefused();

private:
  /// The module that spirv-as makes from a text; empty after a warning on failure.
  Bytes assemble(const QString& text);
  Result<std::unique_ptr<Backend>> open() const { return openVulkan({}); }

  QTemporaryDir m_folder;
  int m_modules = 0;
};

namespace {

/// A kernel as TVM writes it: storage buffers in binding order, scalars as one block, a one-dimensional block of 64.
/// `element` of the buffers, `scalars` declared and decorated by the caller, `body` between the index %i and the end.
QString kernelText(const QString& capabilities, const QString& declarations, const QString& body,
                   const QString& block = "64 1 1") {
  return QStringLiteral(R"(
OpCapability Shader
%1
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "k" %local %group
OpExecutionMode %main LocalSize %4
OpDecorate %local BuiltIn LocalInvocationId
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %A DescriptorSet 0
OpDecorate %A Binding 0
OpDecorate %B DescriptorSet 0
OpDecorate %B Binding 1
OpDecorate %C DescriptorSet 0
OpDecorate %C Binding 2
OpDecorate %buffer BufferBlock
OpMemberDecorate %buffer 0 Offset 0
%2
%buffer = OpTypeStruct %array
%pbuffer = OpTypePointer Uniform %buffer
%pelement = OpTypePointer Uniform %element
%A = OpVariable %pbuffer Uniform
%B = OpVariable %pbuffer Uniform
%C = OpVariable %pbuffer Uniform
%v3 = OpTypeVector %uint 3
%pinput = OpTypePointer Input %v3
%local = OpVariable %pinput Input
%group = OpVariable %pinput Input
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%zero = OpConstant %uint 0
%c64 = OpConstant %uint 64
%main = OpFunction %void None %fn
%entry = OpLabel
%l3 = OpLoad %v3 %local
%g3 = OpLoad %v3 %group
%l = OpCompositeExtract %uint %l3 0
%g = OpCompositeExtract %uint %g3 0
%g64 = OpIMul %uint %g %c64
%i = OpIAdd %uint %g64 %l
%3
OpReturn
OpFunctionEnd
)")
      .arg(capabilities, declarations, body, block);
}

const QString kFloats = "OpDecorate %array ArrayStride 4\n%uint = OpTypeInt 32 0\n%element = OpTypeFloat 32\n%array = "
                        "OpTypeRuntimeArray %element\n";
const QString kHalves = "OpDecorate %array ArrayStride 2\n%uint = OpTypeInt 32 0\n%element = OpTypeFloat 16\n%array = "
                        "OpTypeRuntimeArray %element\n";

/// C[i] = A[i] + B[i] without a bounds check.
const QString kAdd = "%pa = OpAccessChain %pelement %A %zero %i\n%pb = OpAccessChain %pelement %B %zero %i\n%pc = "
                     "OpAccessChain %pelement %C %zero %i\n"
                     "%a = OpLoad %element %pa\n%b = OpLoad %element %pb\n%c = OpFAdd %element %a %b\nOpStore %pc %c\n";

/// C[i] = A[i] + scale * B[i] for i < n, with scale and n in a block of the storage class and offset given.
QString scaledText(const QString& storage, int secondOffset, const QString& decorations) {
  QString declarations =
      "OpDecorate %scalars Block\nOpMemberDecorate %scalars 0 Offset 0\nOpMemberDecorate %scalars 1 Offset " +
      QString::number(secondOffset) + "\n" + decorations + kFloats +
      "%scalars = OpTypeStruct %element %uint\n%pscalars = OpTypePointer STORAGE %scalars\n%S = OpVariable %pscalars "
      "STORAGE\n"
      "%pfloat = OpTypePointer STORAGE %element\n%puint = OpTypePointer STORAGE %uint\n%one = OpConstant %uint 1\n";
  const QString body =
      "%pscale = OpAccessChain PFLOAT %S %zero\n%pn = OpAccessChain PUINT %S %one\n%scale = OpLoad %element %pscale\n"
      "%n = OpLoad %uint %pn\n%in = OpULessThan %bool %i %n\nOpSelectionMerge %end None\n"
      "OpBranchConditional %in %then %end\n%then = OpLabel\n"
      "%pa = OpAccessChain %pelement %A %zero %i\n%pb = OpAccessChain %pelement %B %zero %i\n"
      "%pc = OpAccessChain %pelement %C %zero %i\n%a = OpLoad %element %pa\n%b = OpLoad %element %pb\n"
      "%m = OpFMul %element %scale %b\n%c = OpFAdd %element %a %m\nOpStore %pc %c\nOpBranch %end\n%end = OpLabel\n";
  QString text = body;
  if (storage == "Uniform") {
    // Types are declared only once: this one is that of the elements of the buffers.
    declarations.replace("%pfloat = OpTypePointer STORAGE %element\n", "");
    text.replace("PFLOAT", "%pelement");
  }
  text.replace("PFLOAT", "%pfloat").replace("PUINT", "%puint");
  return kernelText("", declarations.replace("STORAGE", storage), text);
}

/// With the block size of kernelText().
Launch launchOfBlock() {
  Launch launch;
  launch.block = {64, 1, 1};
  return launch;
}

KernelSource source(const Bytes& image, std::vector<KernelParameter> parameters, bool uniform = false) {
  return {
      .name = "k", .format = "spirv", .image = image, .uniformScalars = uniform, .parameters = std::move(parameters)};
}

std::vector<KernelParameter> buffers(std::size_t count, std::initializer_list<KernelParameter> more = {}) {
  std::vector<KernelParameter> out(count, pointer());
  out.insert(out.end(), more);
  return out;
}

std::vector<float> ramp(std::size_t count, float step) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(i) * step;
  return out;
}

} // namespace

Bytes TestBackendVulkan::assemble(const QString& text) {
  const QString name = m_folder.filePath(QString::number(m_modules++));
  QFile file(name);
  // Decorations come before types.
  QStringList head, rest;
  for (const QString& line : text.split('\n', Qt::SkipEmptyParts)) {
    static const QRegularExpression kHead(
        "^Op(Capability|Extension|MemoryModel|EntryPoint|ExecutionMode|Decorate|MemberDecorate)\\b");
    (kHead.match(line).hasMatch() ? head : rest) << line;
  }
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write((head + rest).join('\n').toUtf8());
  file.close();
  const QByteArray failure = runTool("spirv-as", {"--target-env", "vulkan1.0", "-o", name + ".spv", name});
  if (!failure.isEmpty()) qWarning("spirv-as: %s", failure.constData());
  QFile made(name + ".spv");
  return made.open(QIODevice::ReadOnly) ? Bytes::copyOf(made.readAll().toStdString()) : Bytes();
}

void TestBackendVulkan::initTestCase() {
  // The shader cache of the driver belongs to the test.
  qputenv("MESA_SHADER_CACHE_DIR", m_folder.path().toUtf8());
  // One instance stays open to the end: the loader unloads drivers with the last instance, and then leaked memory can
  // no longer be attributed to them.
  static const auto* const kept = new auto(open());
  const auto& opened = *kept;
  if (!opened) QSKIP(("no Vulkan device (ICD): " + messageOf(opened)).c_str());
  if (QStandardPaths::findExecutable("spirv-as").isEmpty())
    QSKIP("no spirv-as to assemble the kernels of this test with");
}

void TestBackendVulkan::missingDriverIsExplained() {
  const std::string message = messageOf(openVulkan({.driverPath = "/nonexistent/libvulkan.so.1", .device = 0}));
  QVERIFY2(message.starts_with("RUN-NO-DRIVER: no Vulkan driver found: /nonexistent/libvulkan.so.1: "),
           message.c_str());
  QVERIFY(messageOf(openVulkan({.driverPath = {}, .device = 1000}))
              .starts_with("RUN-NO-DEVICE: no Vulkan device found: device 1000 was requested (counted from 0), but the "
                           "number of devices is "));
  QVERIFY(messageOf(openVulkan({.driverPath = {}, .device = -1})).starts_with("RUN-NO-DEVICE: "));
}

void TestBackendVulkan::deviceFactsAreRead() {
  const auto opened = open();
  QVERIFY(opened);
  const DeviceInfo info = (*opened)->info();
  QCOMPARE(info.kind, std::string("vulkan"));
  QVERIFY(!info.name.empty() && !info.driver.empty() && info.memoryBytes > 0);
  QCOMPARE((*opened)->deviceType(), 7);
  if (info.name.starts_with("llvmpipe")) QVERIFY(info.isCpu);
  const auto listed = listVulkan({});
  QVERIFY(listed);
  QCOMPARE(listed->at(0).name, info.name);
}

void TestBackendVulkan::kernelRuns_data() {
  QTest::addColumn<bool>("staging");
  QTest::newRow("memory shared by host and device") << false;
  QTest::newRow("memory of the device") << true;
}

void TestBackendVulkan::kernelRuns() {
  QFETCH(bool, staging);
  std::unique_ptr<Environment> environment;
  if (staging) environment = std::make_unique<Environment>("BLOBSCOPE_VULKAN_STAGING", "1");
  const auto opened = open();
  QVERIFY(opened);
  Backend& backend = **opened;
  const auto kernel = backend.load(source(assemble(kernelText("", kFloats, kAdd)), buffers(3)));
  QVERIFY2(kernel, messageOf(kernel).c_str());
  const auto facts = (*kernel)->facts();
  QVERIFY(facts.at(0) == std::pair(std::string("block"), std::string("64 x 1 x 1")));
  // Larger than the staging buffer.
  const std::size_t count = staging ? std::size_t{5} << 20 : 6400;
  const runner::Buffer a = tensor(backend, ramp(count, 1), "A"), b = tensor(backend, ramp(count, 0.5F), "B"),
                       c = tensor(backend, std::vector<float>(count), "C");
  Launch launch = launchOfBlock();
  launch.grid = {count / 64, 1, 1};
  launch.arguments = {a.data, b.data, c.data};
  if (launch.grid[0] > 65'535) launch.grid[0] = 65'535;
  for (std::size_t i = 0; i < 2; ++i) QCOMPARE(*backend.launch(**kernel, launch, true), i);
  QCOMPARE(messageOf(backend.synchronise()), std::string("fine"));
  const auto times = backend.times();
  QVERIFY2(times, messageOf(times).c_str());
  QCOMPARE(times->size(), std::size_t{2});
  for (const double time : *times) QVERIFY(time > 0);
  const std::vector<float> result = valuesOf<float>(backend, c);
  for (std::size_t i = 0; i < launch.grid[0] * 64; ++i)
    if (result[i] != static_cast<float>(i) + static_cast<float>(i) * 0.5F) QFAIL(qPrintable(QString::number(i)));
  for (const runner::Buffer& buffer : {a, b, c})
    QVERIFY(*backend.overrun(buffer) == (std::pair<uint64_t, uint64_t>(0, 0)));
  QCOMPARE(messageOf(backend.release(c)), std::string("fine"));
  QVERIFY(messageOf(backend.launch(**kernel, launch, false))
              .starts_with("RUN-ARGUMENT: argument 2 of 'k' cannot be passed: 0x"));
  launch.block = {32, 2, 1};
  QCOMPARE(
      messageOf(backend.launch(**kernel, launch, false)),
      std::string("RUN-BLOCK: kernel 'k' is launched with blocks of 32 x 2 x 1, but its code was compiled for 64 x 1 x "
                  "1; the code and the launch are from different builds"));
}

void TestBackendVulkan::halfKernelRuns() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(source(
      assemble(kernelText(
          "OpCapability Float16\nOpCapability StorageUniformBufferBlock16\nOpExtension \"SPV_KHR_16bit_storage\"",
          kHalves, kAdd)),
      buffers(3)));
  if (!kernel && kernel.error().id() == DiagnosticId::RunFeature) QSKIP("the Vulkan device has no fp16");
  QVERIFY2(kernel, messageOf(kernel).c_str());
  std::vector<uint16_t> first(640), second(640);
  for (std::size_t i = 0; i < first.size(); ++i)
    first[i] = halfBits(static_cast<float>(i)), second[i] = halfBits(-0.5F);
  const runner::Buffer a = tensor(**opened, first, "A"), b = tensor(**opened, second, "B"),
                       c = tensor(**opened, second, "C");
  Launch launch = launchOfBlock();
  launch.grid = {10, 1, 1};
  launch.arguments = {a.data, b.data, c.data};
  QVERIFY((*opened)->launch(**kernel, launch, false));
  const std::vector<uint16_t> result = valuesOf<uint16_t>(**opened, c);
  for (std::size_t i = 0; i < result.size(); ++i) QCOMPARE(result[i], halfBits(static_cast<float>(i) - 0.5F));
}

void TestBackendVulkan::scalarsArePassedInEveryLayout() {
  const auto opened = open();
  QVERIFY(opened);
  struct Way {
    const char* name;
    QString text;
    bool uniform;
  };
  const Way ways[] = {
      {"push constants in slots of 8 bytes", scaledText("PushConstant", 8, ""), false},
      {"push constants in slots of 4 bytes", scaledText("PushConstant", 4, ""), false},
      {"a uniform buffer", scaledText("Uniform", 8, "OpDecorate %S DescriptorSet 0\nOpDecorate %S Binding 3\n"), true}};
  for (const Way& way : ways) {
    const auto kernel = (*opened)->load(source(assemble(way.text), buffers(3, {float32(), int32()}), way.uniform));
    QVERIFY2(kernel, (std::string(way.name) + ": " + messageOf(kernel)).c_str());
    const runner::Buffer a = tensor(**opened, ramp(100, 1), "A"), b = tensor(**opened, ramp(100, 1), "B"),
                         c = tensor(**opened, std::vector<float>(100, 7), "C");
    Launch launch = launchOfBlock();
    launch.grid = {2, 1, 1};
    // Two consecutive launches: each has its own scalars. The upper 32 bits do not matter.
    for (const uint64_t n : {uint64_t{90}, uint64_t{50}}) {
      launch.arguments = {a.data, b.data, c.data, floatBits(n == 90 ? 0.25F : 2), n | uint64_t{0xdead} << 32};
      QVERIFY((*opened)->launch(**kernel, launch, false));
    }
    const std::vector<float> result = valuesOf<float>(**opened, c);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto x = static_cast<float>(i);
      QVERIFY2(result[i] == (i < 50 ? 3 * x : i < 90 ? 1.25F * x : 7), way.name);
    }
    QVERIFY(*(*opened)->overrun(c) == (std::pair<uint64_t, uint64_t>(0, 0)));
  }
}

void TestBackendVulkan::partsOfBuffersArePassed() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(source(assemble(kernelText("", kFloats, kAdd)), buffers(3)));
  QVERIFY(kernel);
  const runner::Buffer a = tensor(**opened, ramp(256, 1), "A"), c = tensor(**opened, std::vector<float>(256, 7), "C");
  Launch launch = launchOfBlock();
  launch.arguments = {a.data + 256, a.data + 512, c.data + 256};
  QVERIFY((*opened)->launch(**kernel, launch, false));
  const std::vector<float> result = valuesOf<float>(**opened, c);
  for (std::size_t i = 0; i < result.size(); ++i)
    QCOMPARE(result[i], i >= 64 && i < 128 ? static_cast<float>(i) + static_cast<float>(i + 64) : 7);
  launch.arguments[1] = a.data + 1;
  QVERIFY(messageOf((*opened)->launch(**kernel, launch, false))
              .starts_with("RUN-ARGUMENT: argument 1 of 'k' cannot be passed: it begins 1 bytes into its tensor"));
  launch.arguments[1] = 0;
  QCOMPARE(messageOf((*opened)->launch(**kernel, launch, false)),
           std::string("RUN-ARGUMENT: argument 1 of 'k' cannot be passed: 0x0 is not in a tensor of this device"));
}

void TestBackendVulkan::writesOutsideABufferAreFound_data() { kernelRuns_data(); }

void TestBackendVulkan::writesOutsideABufferAreFound() {
  QFETCH(bool, staging);
  std::unique_ptr<Environment> environment;
  if (staging) environment = std::make_unique<Environment>("BLOBSCOPE_VULKAN_STAGING", "1");
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(source(assemble(kernelText("", kFloats, kAdd)), buffers(3)));
  QVERIFY(kernel);
  const runner::Buffer a = tensor(**opened, ramp(64, 0), "A"), c = tensor(**opened, std::vector<float>(60), "C");
  Launch launch = launchOfBlock();
  launch.arguments = {a.data, a.data, c.data};
  QVERIFY((*opened)->launch(**kernel, launch, false));
  // Four elements that are 0 and were 0xcbcbcbcb.
  QVERIFY(*(*opened)->overrun(c) == (std::pair<uint64_t, uint64_t>(0, 16)));
  QVERIFY(*(*opened)->overrun(a) == (std::pair<uint64_t, uint64_t>(0, 0)));
}

void TestBackendVulkan::manyLaunchesAreOrdered() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(source(assemble(kernelText("", kFloats, kAdd)), buffers(3)));
  QVERIFY(kernel);
  const runner::Buffer a = tensor(**opened, std::vector<float>(64, 1), "A"),
                       c = tensor(**opened, std::vector<float>(64), "C");
  Launch launch = launchOfBlock();
  launch.arguments = {a.data, c.data, c.data};
  // Each launch adds to the result of the one before; more than the device gets at a time.
  constexpr std::size_t kCount = 600;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto index = (*opened)->launch(**kernel, launch, i % 2 == 0);
    QVERIFY2(index, messageOf(index).c_str());
    if (i % 2 == 0) QCOMPARE(*index, i / 2);
  }
  QVERIFY((*opened)->synchronise());
  QCOMPARE((*opened)->times()->size(), kCount / 2);
  QCOMPARE(valuesOf<float>(**opened, c), std::vector<float>(64, kCount));
}

void TestBackendVulkan::unsuitableModulesAreRefused_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("name");
  QTest::addColumn<int>("buffers");
  QTest::addColumn<int>("scalars");
  QTest::addColumn<QString>("message");
  const QString add = kernelText("", kFloats, kAdd);
  QTest::newRow("another name") << add << "other" << 3 << 0
                                << "RUN-IMAGE: 'other' contains no code for DEVICE: it contains the entry points k; "
                                   "compile it for Vulkan with an entry point with that name";
  QTest::newRow("fewer buffers") << add << "k" << 2 << 0
                                 << "RUN-ARGUMENT: argument 2 of 'k' cannot be passed: the shader has a buffer at "
                                    "binding 2, but the table has 2 buffers";
  QTest::newRow("no scalars in the table") << scaledText("PushConstant", 8, "") << "k" << 3 << 0
                                           << "RUN-ARGUMENT: argument 3 of 'k' cannot be passed: the shader has push "
                                              "constants that the table does not contain";
  QTest::newRow("too many scalars") << add << "k" << 3 << 4000
                                    << "RUN-LIMIT: the size of the scalars of 'k' is 31.2 KiB (32,000 bytes), but ";
  QTest::newRow("a block too large") << kernelText("", kFloats, kAdd, "64 64 64") << "k" << 3 << 0 << "RUN-LIMIT: ";
  QTest::newRow("another set")
      << QString(add).replace("%C DescriptorSet 0", "%C DescriptorSet 1") << "k" << 3 << 0
      << "RUN-IMAGE: 'k' contains no code for DEVICE: it contains a shader with more than one descriptor set;";
  QTest::newRow("an unknown feature")
      << kernelText("OpCapability Geometry", kFloats, kAdd) << "k" << 3 << 0
      << "RUN-FEATURE: DEVICE does not support what 'k' needs: capability Geometry, which no known feature provides";
}

void TestBackendVulkan::unsuitableModulesAreRefused() {
  QFETCH(QString, text);
  QFETCH(QString, name);
  QFETCH(int, buffers);
  QFETCH(int, scalars);
  QFETCH(QString, message);
  const auto opened = open();
  QVERIFY(opened);
  KernelSource wanted = source(assemble(text), ::buffers(static_cast<std::size_t>(buffers)));
  wanted.parameters.resize(wanted.parameters.size() + static_cast<std::size_t>(scalars), int32());
  wanted.name = name.toStdString();
  const QString got = QString::fromStdString(messageOf((*opened)->load(wanted)));
  QVERIFY2(got.startsWith(message.replace("DEVICE", QString::fromStdString((*opened)->info().name))), qPrintable(got));
}

void TestBackendVulkan::limitsAreChecked() {
  const auto opened = open();
  QVERIFY(opened);
  QVERIFY(messageOf((*opened)->allocate(uint64_t{1} << 40, "A")).starts_with("RUN-LIMIT: tensor 'A' is 1"));
  const auto kernel = (*opened)->load(source(assemble(kernelText("", kFloats, kAdd)), buffers(3)));
  QVERIFY(kernel);
  Launch launch = launchOfBlock();
  launch.arguments.resize(3);
  launch.grid[1] = uint64_t{1} << 33;
  QVERIFY(
      messageOf((*opened)->launch(**kernel, launch, false)).starts_with("RUN-LIMIT: grid.y is 8,589,934,592, but "));
  launch.arguments.resize(2);
  QVERIFY(messageOf((*opened)->launch(**kernel, launch, false)).starts_with("RUN-ARGUMENT: argument 2 of 'k'"));
  // Scalars come after the buffers.
  const auto mixed =
      (*opened)->load(source(assemble(kernelText("", kFloats, kAdd)), {pointer(), int32(), pointer(), pointer()}));
  QCOMPARE(messageOf(mixed),
           std::string("RUN-ARGUMENT: argument 2 of 'k' cannot be passed: it is a buffer after a scalar"));
}

void TestBackendVulkan::missingFeaturesAreListed() {
  const auto opened = open();
  QVERIFY(opened);
  if (!(*opened)->info().name.starts_with("llvmpipe")) QSKIP("not Mesa's llvmpipe, whose lacks are known");
  const auto kernel =
      (*opened)->load(source(assemble(kernelText("OpCapability CooperativeMatrixNV\nOpCapability "
                                                 "StorageInputOutput16\nOpExtension \"SPV_NV_cooperative_matrix\"",
                                                 kFloats, kAdd)),
                             buffers(3)));
  const std::string message = messageOf(kernel);
  QVERIFY2(message.starts_with("RUN-FEATURE: llvmpipe"), message.c_str());
  QVERIFY2(message.ends_with("does not support what 'k' needs: cooperativeMatrix (NV) (capability "
                             "CooperativeMatrixNV), storageInputOutput16 "
                             "(capability StorageInputOutput16) and VK_NV_cooperative_matrix"),
           message.c_str());
}

void TestBackendVulkan::damagedModulesAreRefused() {
  const auto opened = open();
  QVERIFY(opened);
  const Bytes whole = assemble(kernelText("", kFloats, kAdd));
  QVERIFY(!whole.empty());
  for (const uint64_t size : {uint64_t{0}, uint64_t{3}, uint64_t{20}, uint64_t{21}, uint64_t{102}, whole.size() - 3}) {
    const std::string message = messageOf((*opened)->load(source(whole.slice(0, size), buffers(3))));
    QVERIFY2(message.starts_with("RUN-IMAGE: 'k' contains no code for "), message.c_str());
  }
}

BLOBSCOPE_TEST(TestBackendVulkan);
#include "test_backends_vulkan.moc"
