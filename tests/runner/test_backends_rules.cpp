#include "app/runner/backends/cuda/image.h"
#include "app/runner/backends/cuda/nvrtc.h"
#include "app/runner/backends/host/memory.h"
#include "app/runner/backends/opencl/source.h"
#include "app/runner/backends/vulkan/shader.h"
#include "core/process/toolkit_library.h"
#include "tests/runner/backends_support.h"
#include "tests/support/cuda_builders.h"

#include <QDir>
#include <QFile>

using namespace blobscope;
using namespace blobscope::runner;
using namespace blobscope::test;
using namespace std::string_literals;

/// Decisions of back ends before a driver is called.
class TestBackendRules : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void cudaCompatibilityFollowsTheRules_data();
  void cudaCompatibilityFollowsTheRules();
  void unusableCudaImagesAreExplained_data();
  void unusableCudaImagesAreExplained();
  void cudaSourceIsRecognised();
  void nvrtcIsSearchedInOrder();
  void shaderLayoutIsRead();
  void missingShaderFeaturesAreListed();
  void damagedShadersAreSafe();
  void sourceOfAKernelIsFound();
  void kernelParametersAreRead_data();
  void kernelParametersAreRead();
  void halfSourceIsWidened();
  void handlesAreDistinct();
  void listsAndRedZonesAreSummarised();
};

void TestBackendRules::cudaCompatibilityFollowsTheRules_data() {
  QTest::addColumn<QString>("architecture");
  QTest::addColumn<QString>("ptx"); // empty: machine code
  QTest::addColumn<int>("sm");
  QTest::addColumn<int>("driver");
  QTest::addColumn<bool>("runs");
  QTest::newRow("same") << "sm_89" << "" << 89 << 12020 << true;
  QTest::newRow("later of the same major") << "sm_86" << "" << 89 << 12020 << true;
  QTest::newRow("earlier of the same major") << "sm_89" << "" << 86 << 12020 << false;
  QTest::newRow("other major") << "sm_89" << "" << 90 << 12020 << false;
  QTest::newRow("three digits") << "sm_100" << "" << 103 << 13000 << true;
  QTest::newRow("12.0 is not 10.0") << "sm_100" << "" << 120 << 13000 << false;
  QTest::newRow("specific, exactly") << "sm_90a" << "" << 90 << 12020 << true;
  QTest::newRow("specific, later") << "sm_100a" << "" << 103 << 13000 << false;
  QTest::newRow("family, later") << "sm_100f" << "" << 103 << 13000 << true;
  QTest::newRow("family, other") << "sm_100f" << "" << 120 << 13000 << false;
  QTest::newRow("no number") << "sm_" << "" << 89 << 12020 << false;
  QTest::newRow("number too large") << "sm_99999999999" << "" << 89 << 12020 << false;
  QTest::newRow("other suffix") << "sm_89x" << "" << 89 << 12020 << false;
  QTest::newRow("PTX of an earlier one") << "sm_75" << "7.8" << 90 << 12020 << true;
  QTest::newRow("PTX of a later one") << "sm_90" << "7.8" << 89 << 12020 << false;
  QTest::newRow("PTX, specific, exactly") << "sm_90a" << "8.0" << 90 << 12020 << true;
  QTest::newRow("PTX, specific, later") << "sm_90a" << "8.0" << 100 << 13000 << false;
  QTest::newRow("PTX, family") << "sm_100f" << "8.8" << 103 << 13000 << true;
  QTest::newRow("PTX newer than the driver") << "sm_80" << "9.0" << 90 << 12020 << false;
  QTest::newRow("PTX as new as the driver") << "sm_80" << "8.2" << 90 << 12020 << true;
  QTest::newRow("PTX of 12.6 is 8.5") << "sm_80" << "8.5" << 90 << 12060 << true;
  QTest::newRow("a driver of the future") << "sm_80" << "9.9" << 90 << 14000 << true;
  QTest::newRow("PTX without a version") << "sm_80" << "x" << 90 << 12020 << false;
}

void TestBackendRules::cudaCompatibilityFollowsTheRules() {
  QFETCH(QString, architecture);
  QFETCH(QString, ptx);
  QFETCH(int, sm);
  QFETCH(int, driver);
  QFETCH(bool, runs);
  const runner::cuda::Target target{static_cast<uint32_t>(sm), driver, "Card"};
  const std::string name = architecture.toStdString();
  QCOMPARE(ptx.isEmpty() ? runner::cuda::cubinRuns(name, target)
                         : runner::cuda::ptxRuns(name, ptx.toStdString(), target),
           runs);
}

void TestBackendRules::unusableCudaImagesAreExplained_data() {
  QTest::addColumn<QByteArray>("image");
  QTest::addColumn<QString>("message");
  const auto row = [](const char* name, const std::string& image, const char* message) {
    QTest::newRow(name) << QByteArray(image.data(), static_cast<qsizetype>(image.size())) << message;
  };
  test::cuda::CubinFile cubin;
  cubin.kernels.push_back({.name = "k"});
  const std::string of89 = cubin.build();
  cubin.type = 1;
  const std::string relocatable = cubin.build();
  cubin.type = 2;
  cubin.sm = 90;
  const std::string of90 = cubin.build();
  const std::string ptx = "// by hand\n.version 7.8\n.target sm_80\n.address_size 64\n";
  const char* const start = "RUN-IMAGE: 'k' contains no code for Card (sm_89): it contains ";
  const auto refusal = [&](const char* held) { return start + std::string(held) + "; compile it for sm_89"; };
  row("cubin", of89, "fine");
  row("other cubin", of90, refusal("cubin sm_90").c_str());
  row("relocatable", relocatable, refusal("relocatable cubin sm_89").c_str());
  row("PTX", ptx, "fine");
  row("later PTX", ".version 7.8\n.target sm_90\n", refusal("PTX 7.8 for sm_90").c_str());
  const std::string tooNew =
      start + std::string("PTX 9.9 for sm_80, but the driver supports PTX up to 8.2; compile it for sm_89 with PTX 8.2 "
                          "or older");
  row("PTX newer than the driver", ".version 9.9\n.target sm_80\n", tooNew.c_str());
  row("fat binary with PTX newer than the driver",
      test::cuda::fatbin({{.kind = 1, .sm = 80, .payload = ptx, .major = 9, .minor = 9}}), tooNew.c_str());
  row("fat binary", test::cuda::fatbin({{.sm = 90, .payload = of90}, {.sm = 89, .payload = of89}}), "fine");
  row("fat binary with PTX",
      test::cuda::fatbin({{.sm = 90, .payload = of90}, {.kind = 1, .sm = 80, .payload = ptx, .major = 7, .minor = 8}}),
      "fine");
  row("fat binary of others",
      test::cuda::fatbin({{.sm = 90, .payload = of90},
                          {.kind = 1, .sm = 90, .payload = ptx, .major = 7, .minor = 8},
                          {.kind = 8, .sm = 89}}),
      refusal("cubin sm_90, PTX 7.8 for sm_90 and lto-ir sm_89").c_str());
  row("empty fat binary", test::cuda::fatbin({}), refusal("a fat binary without images").c_str());
  row("nothing", "", refusal("nothing").c_str());
  row("noise", "\x01\x02\x03\x04", refusal("bytes that are not CUDA device code").c_str());
}

void TestBackendRules::unusableCudaImagesAreExplained() {
  QFETCH(QByteArray, image);
  QFETCH(QString, message);
  const runner::cuda::Target target{89, 12020, "Card"};
  const std::string data = image.toStdString();
  QCOMPARE(QString::fromStdString(messageOf(runner::cuda::checkImage(bytes(data), "k", target))), message);
  // Truncated anywhere, it is judged all the same.
  for (std::size_t size = 0; size < data.size(); size += data.size() > 500 ? 13 : 1)
    (void)runner::cuda::checkImage(bytes(data.substr(0, size)), "k", target);
}

void TestBackendRules::cudaSourceIsRecognised() {
  QVERIFY(runner::cuda::isCudaSource(bytes("extern \"C\" __global__ void k() {}"), "cuda"));
  QVERIFY(runner::cuda::isCudaSource(bytes("extern \"C\" __global__ void k() {}"), "ptx"));
  QVERIFY(runner::cuda::isCudaSource(bytes("int wrong;"), "cuda"));
  QVERIFY(!runner::cuda::isCudaSource(bytes(".version 7.8\n.target sm_80\n"), "cuda"));
  QVERIFY(!runner::cuda::isCudaSource(bytes("\x50\xed\x55\xba"), "cuda"));
}

void TestBackendRules::nvrtcIsSearchedInOrder() {
  QTemporaryDir folder;
  const QDir root(folder.path());
  const auto make = [&](const char* path) {
    const QString file = root.filePath(QString::fromLatin1(path));
    QVERIFY(QDir().mkpath(QFileInfo(file).path()));
    QFile made(file);
    QVERIFY(made.open(QIODevice::WriteOnly));
  };
  make("tools/lib64/libnvrtc.so.12");
  make("tools/lib64/libnvrtc.so.13");
  make("wheels/nvidia/cu13/lib/libnvrtc.so.13");
  make("wheels/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  make("root/usr/local/cuda/lib64/libnvrtc.so");
  const auto places = [&](runner::cuda::NvrtcSearch search) {
    search.root = root.filePath("root").toStdString();
    std::string out;
    for (const std::string& file : process::toolkitLibraryFiles("nvrtc", search)) out += file + '\n';
    return QString::fromStdString(out).replace(folder.path(), "DIR");
  };
  const QString system =
      "libnvrtc.so.13\nlibnvrtc.so.12\nlibnvrtc.so.11.2\nlibnvrtc.so\nDIR/root/usr/local/cuda/lib64/libnvrtc.so\n";
  QCOMPARE(places({}), system);
  const QString toolkit = "DIR/tools/lib64/libnvrtc.so.13\nDIR/tools/lib64/libnvrtc.so.12\n";
  QCOMPARE(places({.named = root.filePath("tools").toStdString()}), toolkit + system);
  QCOMPARE(places({.named = root.filePath("tools/bin").toStdString()}), toolkit + system);
  QCOMPARE(places({.cudaHome = root.filePath("tools").toStdString()}), toolkit + system);
  QCOMPARE(places({.named = root.filePath("wheels").toStdString()}),
           "DIR/wheels/nvidia/cuda_nvrtc/lib/libnvrtc.so.12\nDIR/wheels/nvidia/cu13/lib/libnvrtc.so.13\n" + system);
}

namespace {

/// A SPIR-V module from lists of words; the first word of each has opcode and length.
std::string spirv(const std::vector<std::vector<uint32_t>>& instructions) {
  std::vector<uint32_t> words = {0x07230203, 0x00010000, 0, 100, 0};
  for (const std::vector<uint32_t>& instruction : instructions) {
    words.push_back(instruction[0] | static_cast<uint32_t>(instruction.size()) << 16);
    words.insert(words.end(), instruction.begin() + 1, instruction.end());
  }
  return {reinterpret_cast<const char*>(words.data()), words.size() * 4};
}

constexpr uint32_t kMain = 0x6e69616d; // "main"

/// A shader with a storage buffer, push constants at 0 and 4 as before release 0.8, and 1,024 + 4 bytes of shared
/// memory.
const std::vector<std::vector<uint32_t>> kOldShader = {{17, 1},               // OpCapability Shader
                                                       {15, 5, 20, kMain, 0}, // OpEntryPoint GLCompute %20 "main"
                                                       {16, 20, 17, 8, 4, 1}, // OpExecutionMode %20 LocalSize 8 4 1
                                                       {71, 5, 3},            // OpDecorate %5 BufferBlock
                                                       {71, 10, 34, 0},
                                                       {71, 10, 33, 0}, // OpDecorate %10 DescriptorSet 0, Binding 0
                                                       {72, 6, 0, 35, 0},
                                                       {72, 6, 1, 35, 4}, // OpMemberDecorate %6 0 Offset 0; 1 Offset 4
                                                       {21, 1, 32, 1},
                                                       {22, 2, 32},     // int32, float32
                                                       {43, 1, 3, 256}, // constant 256
                                                       {29, 4, 2},
                                                       {30, 5, 4},    // float[], block of it
                                                       {30, 6, 1, 1}, // block of two scalars
                                                       {32, 7, 2, 5},
                                                       {32, 8, 9, 6}, // pointers: Uniform, PushConstant
                                                       {28, 9, 2, 3},
                                                       {32, 11, 4, 9}, // float[256], pointer to Workgroup
                                                       {32, 13, 4, 1}, // int32 in Workgroup
                                                       {59, 7, 10, 2},
                                                       {59, 8, 12, 9},
                                                       {59, 11, 14, 4},
                                                       {59, 13, 15, 4}};

} // namespace

void TestBackendRules::shaderLayoutIsRead() {
  const Shader shader = readShader(bytes(spirv(kOldShader)), "main");
  QCOMPARE(shader.damage, ""s);
  QVERIFY(shader.found);
  QVERIFY(shader.localSize == (std::array<uint32_t, 3>{8, 4, 1}));
  QCOMPARE(shader.sharedBytes, 1028u);
  QVERIFY(shader.bindings == (std::map<uint32_t, bool>{{0, false}}));
  QVERIFY(shader.pushOffsets == (std::vector<uint64_t>{0, 4}));
  QVERIFY(!shader.uniformOffsets);
  // As declared, and slots of eight bytes where the shader declares none or a different number.
  ScalarLayout layout = scalarLayout(shader, false, {32, 32});
  QVERIFY(layout.offsets == (std::vector<uint64_t>{0, 4}));
  QCOMPARE(layout.bytes, 8u);
  layout = scalarLayout(shader, true, {32, 64});
  QVERIFY(layout.offsets == (std::vector<uint64_t>{0, 8}));
  QCOMPARE(layout.bytes, 16u);
  layout = scalarLayout(shader, false, {32, 32, 32});
  QVERIFY(layout.offsets == (std::vector<uint64_t>{0, 8, 16}));
  QVERIFY(!readShader(bytes(spirv(kOldShader)), "other").found);
}

void TestBackendRules::missingShaderFeaturesAreListed() {
  const auto lacking = [](const std::vector<std::vector<uint32_t>>& instructions, const ShaderSupport& support) {
    return listText(lackingFeatures(readShader(bytes(spirv(instructions)), "main"), support));
  };
  const std::vector<std::vector<uint32_t>> needs = {{17, 1}, {17, 9}, {17, 39}, {17, 4433}, {17, 63}, {17, 6}};
  QCOMPARE(lacking(needs, {.features = {"shaderFloat16", "storageBuffer16BitAccess"}, .vulkan = 1}),
           "shaderInt8 (capability Int8), subgroup arithmetic (capability GroupNonUniformArithmetic) and capability "
           "Kernel, which no known feature provides"s);
  QCOMPARE(lacking({{17, 1}, {17, 9}}, {.features = {"shaderFloat16"}}), ""s);
  const auto extension = [&](const char* name, const ShaderSupport& support) {
    std::vector<uint32_t> words(1 + std::strlen(name) / 4 + 1);
    words[0] = 10;
    std::memcpy(words.data() + 1, name, std::strlen(name));
    return lacking({{17, 1}, words}, support);
  };
  QCOMPARE(extension("SPV_KHR_16bit_storage", {.vulkan = 1}), ""s);
  QCOMPARE(extension("SPV_KHR_8bit_storage", {.vulkan = 1}), "VK_KHR_8bit_storage"s);
  QCOMPARE(extension("SPV_KHR_8bit_storage", {.extensions = {"VK_KHR_8bit_storage"}, .vulkan = 1}), ""s);
  QCOMPARE(extension("SPV_MADE_up", {.vulkan = 3}), "extension SPV_MADE_up, which is unknown here"s);
  Shader newer;
  newer.version = 0x10600;
  QCOMPARE(listText(lackingFeatures(newer, {.vulkan = 2})), "SPIR-V 1.6"s);
}

void TestBackendRules::damagedShadersAreSafe() {
  const std::string whole = spirv(kOldShader);
  for (std::size_t size = 0; size < whole.size(); ++size) (void)readShader(bytes(whole.substr(0, size)), "main");
  std::string changed = whole;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\x00', '\x7f', '\xff'}) {
      changed[at] = value;
      const Shader shader = readShader(bytes(changed), "main");
      (void)scalarLayout(shader, false, {32, 32});
      changed[at] = whole[at];
    }
  // A type of 2^32 times 2^32 bytes, and a struct that contains itself.
  const Shader huge = readShader(bytes(spirv({{21, 1, 32, 0},
                                              {43, 1, 2, 0xffffffff},
                                              {28, 3, 1, 2},
                                              {28, 4, 3, 2},
                                              {28, 5, 4, 2},
                                              {30, 6, 6, 5},
                                              {32, 7, 4, 6},
                                              {59, 7, 8, 4}})),
                                 "main");
  QCOMPARE(huge.sharedBytes, UINT64_MAX);
  QVERIFY(!huge.damage.empty() || !huge.found);
}

void TestBackendRules::sourceOfAKernelIsFound() {
  const std::string marked = "// Function: a\n__kernel void a() {}\n// Function: b\r\n__kernel void b() {}\n";
  QCOMPARE(std::string(kernelSource(marked, "a").value_or("")), "// Function: a\n__kernel void a() {}\n"s);
  QCOMPARE(std::string(kernelSource(marked, "b").value_or("")), "// Function: b\r\n__kernel void b() {}\n"s);
  QVERIFY(!kernelSource(marked, "c"));
  // Before 0.8 there are no such lines.
  QCOMPARE(std::string(kernelSource("__kernel void a() {}\n"s, "c").value_or("")), "__kernel void a() {}\n"s);
  QCOMPARE(std::string(kernelSource("__kernel\0rest"s, "c").value_or("")), "__kernel"s);
}

void TestBackendRules::kernelParametersAreRead_data() {
  QTest::addColumn<QString>("source");
  QTest::addColumn<QString>("expected"); // "pointer half image", a word each
  QTest::newRow("buffers and scalars")
      << "__kernel void k(__global float* restrict A, __global half4 *B, int n, float s) {}"
      << "p;ph;;";
  QTest::newRow("none") << "__kernel void k() {}" << "";
  QTest::newRow("void") << "kernel void k(void) {}" << "";
  QTest::newRow("image") << "__kernel void k(__read_only image2d_t x, __global float* y);" << "image2d_t;p";
  QTest::newRow("comments")
      << "/* __kernel void k(half x) */ // __kernel void k(half x)\n__kernel void k(/* , */ int a, // b, \n int b)"
      << ";";
  QTest::newRow("preprocessor") << "#define K __kernel void k(half x \\\n, half y)\n__kernel void k(int a)" << "";
  QTest::newRow("attribute")
      << "__kernel __attribute__((reqd_work_group_size(8,1,1))) void k(__global int* a, __global int* b) {}"
      << "p;p";
  QTest::newRow("others first") << "__kernel void other(half a); void k(half x); __kernel void k(int a, int b)" << ";";
  QTest::newRow("absent") << "__kernel void other(half a) { k(1); }" << "absent";
  QTest::newRow("cut") << "__kernel void k(int a, " << "absent";
  QTest::newRow("brackets") << "__kernel void k(__global int* a __attribute__((aligned(4, 8))), int b) {}" << "p;";
}

void TestBackendRules::kernelParametersAreRead() {
  QFETCH(QString, source);
  QFETCH(QString, expected);
  const auto found = sourceParameters(source.toStdString(), "k");
  QString text;
  if (found)
    for (std::size_t i = 0; i < found->size(); ++i)
      text += (i > 0 ? ";" : "") + QString((*found)[i].isPointer ? "p" : "") + ((*found)[i].isHalf ? "h" : "") +
              QString::fromStdString((*found)[i].image);
  QCOMPARE(found ? text : QString("absent"), expected);
}

void TestBackendRules::halfSourceIsWidened() {
  std::string reason;
  const auto made =
      widenedSource("// Function: k\n"
                    "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#elif defined(cl_amd_fp16)\n"
                    "#pragma OPENCL EXTENSION cl_amd_fp16 : enable\n#else\n#if 1\n#endif\n#error \"no\"\n#endif\n"
                    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#ifdef X\n#endif\nhalf4 y = convert_half4(x);\n",
                    reason);
  QVERIFY2(made, reason.c_str());
  QVERIFY(made->find("#define half4 float4\n#define convert_half4 convert_float4\n#define as_half4 as_float4\n") !=
          std::string::npos);
  QVERIFY(made->find("#error") == std::string::npos);
  QVERIFY(made->find("EXTENSION") == std::string::npos);
  // Every line of the text keeps its place after the definitions.
  const std::size_t begin = made->find("// Function: k\n");
  QVERIFY(begin != std::string::npos);
  QCOMPARE(made->substr(begin), "// Function: k\n\n\n\n\n\n\n\n\n\n\n#ifdef X\n#endif\nhalf4 y = convert_half4(x);\n"s);
  QVERIFY(usesHalf("__global half4* p") && !usesHalf("// half\n#define half float\nvload_half(0, halfway)"));
  QVERIFY(!widenedSource("x = vload_half(0, p);", reason));
  QVERIFY(reason.starts_with("it calls vload_half, "));
  QVERIFY(widenedSource("// vload_half\n", reason));
}

void TestBackendRules::handlesAreDistinct() {
  HandleSpace space;
  const uint64_t first = space.take(1000).value_or(0), second = space.take(1).value_or(0);
  QVERIFY(first % 256 == 0 && second % 256 == 0 && second >= first + 1000);
  QVERIFY(!space.take(UINT64_MAX));
  QVERIFY(!space.take(uint64_t{1} << 46));
  struct Record {
    uint64_t bytes;
  };
  Records<Record> records;
  records.add(first, {1000});
  records.add(second, {0});
  QCOMPARE(records.holding(first + 999).second, 999u);
  QVERIFY(records.holding(first).first == records.at(first));
  QVERIFY(!records.holding(first + 1000).first);
  QVERIFY(!records.holding(first - 1).first);
  QVERIFY(records.holding(second).first);
  QVERIFY(!records.holding(second + 1).first);
  records.remove(first);
  QVERIFY(!records.holding(first).first);
}

void TestBackendRules::listsAndRedZonesAreSummarised() {
  QCOMPARE(listText({}), ""s);
  QCOMPARE(listText({"a", "b", "a"}), "a and b"s);
  QCOMPARE(listText({"a", "b", "c"}), "a, b and c"s);
  std::vector<std::string> many;
  for (int i = 0; i < 15; ++i) many.push_back(std::to_string(i));
  QCOMPARE(listText(many), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more"s);
  QCOMPARE(logLine("a\r\n\nb \x01\n\0c"s), "a | b \\x01"s);
  QCOMPARE(logLine("m.cu(1): warning #1: w\n  int a;\nm.cu(2): error: e\n  b\n"s), "m.cu(2): error: e |   b"s);
  QCOMPARE(logLine("warning: w\nptxas fatal   : f\n"s), "ptxas fatal   : f"s);
  QCOMPARE(logText("a\n\nb\n"), "a\nb"s);
  QVERIFY(logLine(std::string(100'000, 'x')).size() <= 2000);
  QCOMPARE(productOf({1ULL << 40, 1ULL << 40, 1}), UINT64_MAX);
  const std::vector<std::byte> zone = {std::byte{0xCB}, std::byte{0}, std::byte{0xCB}};
  QCOMPARE(overwritten(zone), 1u);
}

BLOBSCOPE_TEST(TestBackendRules);
#include "test_backends_rules.moc"
