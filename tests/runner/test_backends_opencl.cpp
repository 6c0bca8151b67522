#include "tests/runner/backends_support.h"

using namespace blobscope;
using namespace blobscope::runner;
using namespace blobscope::test;

/// The OpenCL back end with any available device: without a graphics card, PoCL.
class TestBackendOpenCl : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void missingDriverIsExplained();
  void deviceFactsAreRead();
  void kernelRuns();
  void sourceIsCompiledWithOrWithoutMarkers();
  void writesOutsideABufferAreFound();
  void partsOfBuffersArePassed();
  void threeDimensionsAreLaunched();
  void compileErrorsAreShown();
  void imageArgumentsAreRefused();
  void foreignBinaryIsRefused();
  void limitsAreChecked();
  void parameterTableMustAgreeWithTheKernel();
  void halfKernelIsWidenedWithoutFp16();
  void writesOutsideAWidenedBufferAreFound();
  void kernelsThatCannotBeWidenedAreRefused();

private:
  Result<std::unique_ptr<Backend>> open() const { return openOpenCl({}); }

  QTemporaryDir m_folder;
};

namespace {

/// As TVM writes modules since 0.8: a block for each kernel, and declarations of all kernels first.
const char* const kModule =
    R"(// Function: vadd_kernel
__kernel void vadd_kernel(__global float* restrict A, __global float* restrict B, )"
    R"(__global float* restrict C, float scale, int n);
__kernel void wrong_kernel(__global float* restrict A);
__kernel void vadd_kernel(__global float* restrict A, __global float* restrict B, )"
    R"(__global float* restrict C, float scale, int n) {
  if ((((convert_int(get_group_id(0))) * 64) + (convert_int(get_local_id(0)))) < n) {
    C[(((convert_int(get_group_id(0))) * 64) + (convert_int(get_local_id(0))))] = )"
    R"((A[(((convert_int(get_group_id(0))) * 64) + (convert_int(get_local_id(0))))] + (scale * )"
    R"(B[(((convert_int(get_group_id(0))) * 64) + (convert_int(get_local_id(0))))]));
  }
}

// Function: wrong_kernel
__kernel void wrong_kernel(__global float* restrict A) {
  A[0] = undeclared;
}

// Function: outside_kernel
__kernel void outside_kernel(__global float* restrict A, int n) {
  A[-2] = 1.5f;
  A[n] = 1.5f;
}

// Function: image_kernel
__kernel void image_kernel(__global float* restrict A, __read_only image2d_t x) {}

// Function: place_kernel
__kernel void place_kernel(__global int* restrict A) {
  A[get_global_id(0) + 4 * (get_global_id(1) + 6 * get_global_id(2))] = get_local_id(0) + 10 * )"
    R"(get_local_id(1) + 100 * get_local_id(2);
}
)";

/// As TVM writes kernels with fp16, including its guard.
const char* const kHalfModule = R"(// Function: scaled_kernel
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#elif defined(cl_amd_fp16)
#pragma OPENCL EXTENSION cl_amd_fp16 : enable
#else
#error "Half precision floating point not supported by OpenCL implementation on your device."
#endif

__kernel void scaled_kernel(__global half* restrict A, __global half* restrict C, __global float* restrict D, int n) {
  int i = get_global_id(0);
  if (i < n) {
    half4 x = vload4(i, A) * ((half4)((half)2.0f)) + convert_half4((int4)(1, 2, 3, 4));
    vstore4(x, i, C);
    D[i] = convert_float(A[i * 4]);
  }
}

// Function: beyond_kernel
__kernel void beyond_kernel(__global half* restrict A, int n) { A[n] = (half)1.0f; A[n + 1] = (half)1.0f; }

// Function: both_kernel
__kernel void both_kernel(__global half* restrict A, __global uint* restrict B) { A[0] = (half)B[0]; }
)";

KernelSource source(const char* name, std::vector<KernelParameter> parameters, const char* text = kModule) {
  return {.name = name, .format = "cl", .image = bytes(text), .parameters = std::move(parameters)};
}
KernelSource vadd(const char* text = kModule) {
  return source("vadd_kernel", {pointer(), pointer(), pointer(), float32(), int32()}, text);
}
KernelSource wide(const char* name, std::vector<KernelParameter> parameters) {
  KernelSource made = source(name, std::move(parameters), kHalfModule);
  made.widenHalf = true;
  return made;
}

bool hasHalf(const Backend& backend) {
  for (const auto& [label, value] : backend.info().facts)
    if (label == "fp16") return value == "yes";
  return false;
}

} // namespace

void TestBackendOpenCl::initTestCase() {
  // The cache of PoCL belongs to the test; otherwise a cached kernel would not be compiled.
  qputenv("POCL_CACHE_DIR", m_folder.path().toUtf8());
  const auto opened = open();
  if (!opened) QSKIP(("no OpenCL platform: " + messageOf(opened)).c_str());
}

void TestBackendOpenCl::missingDriverIsExplained() {
  const std::string message = messageOf(openOpenCl({.driverPath = "/nonexistent/libOpenCL.so.1", .device = 0}));
  QVERIFY2(message.starts_with("RUN-NO-DRIVER: no OpenCL driver found: /nonexistent/libOpenCL.so.1: "),
           message.c_str());
  QVERIFY(messageOf(openOpenCl({.driverPath = {}, .device = 1000}))
              .starts_with("RUN-NO-DEVICE: no OpenCL device found: device 1000 was requested (counted from 0), but the "
                           "number of devices is "));
}

void TestBackendOpenCl::deviceFactsAreRead() {
  const auto opened = open();
  QVERIFY(opened);
  const DeviceInfo info = (*opened)->info();
  QCOMPARE(info.kind, std::string("opencl"));
  QVERIFY(!info.name.empty() && !info.driver.empty() && info.memoryBytes > 0);
  QCOMPARE((*opened)->deviceType(), 4);
  if (info.name.starts_with("pthread")) QVERIFY(info.isCpu);
  const auto listed = listOpenCl({});
  QVERIFY(listed);
  QCOMPARE(listed->at(0).name, info.name);
}

void TestBackendOpenCl::kernelRuns() {
  const auto opened = open();
  QVERIFY(opened);
  Backend& backend = **opened;
  const auto kernel = backend.load(vadd());
  QVERIFY2(kernel, messageOf(kernel).c_str());
  std::vector<float> a(1000), b(1000, 2);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  const runner::Buffer first = tensor(backend, a, "A"), second = tensor(backend, b, "B"),
                       out = tensor(backend, std::vector<float>(1000), "C");
  Launch launch;
  launch.grid = {16, 1, 1};
  launch.block = {64, 1, 1};
  launch.arguments = {first.data, second.data, out.data, floatBits(0.5F), 1000 | uint64_t{0xdead} << 32};
  for (std::size_t i = 0; i < 3; ++i) QCOMPARE(*backend.launch(**kernel, launch, true), i);
  QVERIFY(backend.launch(**kernel, launch, false));
  QCOMPARE(messageOf(backend.synchronise()), std::string("fine"));
  const auto times = backend.times();
  QVERIFY2(times, messageOf(times).c_str());
  QCOMPARE(times->size(), std::size_t{3});
  for (const double time : *times) QVERIFY(time > 0);
  QVERIFY(backend.times()->empty());
  const std::vector<float> result = valuesOf<float>(backend, out);
  for (std::size_t i = 0; i < result.size(); ++i) QCOMPARE(result[i], static_cast<float>(i) + 1);
  for (const runner::Buffer& buffer : {first, second, out})
    QVERIFY(*backend.overrun(buffer) == (std::pair<uint64_t, uint64_t>(0, 0)));
  QCOMPARE(messageOf(backend.release(out)), std::string("fine"));
  QVERIFY(messageOf(backend.launch(**kernel, launch, false))
              .starts_with("RUN-ARGUMENT: argument 2 of 'vadd_kernel' cannot be passed: 0x"));
}

void TestBackendOpenCl::sourceIsCompiledWithOrWithoutMarkers() {
  const auto opened = open();
  QVERIFY(opened);
  const std::string text = std::string(kModule).substr(0, std::string(kModule).find("// Function: wrong"));
  const std::string old = text.substr(text.find('\n') + 1);
  const auto kernel = (*opened)->load(vadd(old.c_str()));
  QVERIFY2(kernel, messageOf(kernel).c_str());
}

void TestBackendOpenCl::writesOutsideABufferAreFound() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(source("outside_kernel", {pointer(), int32()}));
  QVERIFY2(kernel, messageOf(kernel).c_str());
  const runner::Buffer buffer = tensor(**opened, std::vector<float>(10), "T");
  Launch launch;
  launch.arguments = {buffer.data, 10};
  QVERIFY((*opened)->launch(**kernel, launch, false));
  QVERIFY(*(*opened)->overrun(buffer) == (std::pair<uint64_t, uint64_t>(4, 4)));
}

void TestBackendOpenCl::partsOfBuffersArePassed() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(vadd());
  QVERIFY(kernel);
  const runner::Buffer a = tensor(**opened, std::vector<float>(256, 1), "A"),
                       c = tensor(**opened, std::vector<float>(256, 7), "C");
  Launch launch;
  launch.block = {64, 1, 1};
  launch.arguments = {a.data + 256, a.data, c.data + 512, floatBits(2), 64};
  const auto launched = (*opened)->launch(**kernel, launch, false);
  QVERIFY2(launched, messageOf(launched).c_str());
  const std::vector<float> result = valuesOf<float>(**opened, c);
  for (std::size_t i = 0; i < result.size(); ++i) QCOMPARE(result[i], i >= 128 && i < 192 ? 3.0F : 7.0F);
  launch.arguments[0] = a.data + 1;
  QVERIFY(messageOf((*opened)->launch(**kernel, launch, false))
              .starts_with("RUN-ARGUMENT: argument 0 of 'vadd_kernel' cannot be passed: it begins 1 bytes into"));
}

void TestBackendOpenCl::threeDimensionsAreLaunched() {
  const auto opened = open();
  QVERIFY(opened);
  const auto kernel = (*opened)->load(source("place_kernel", {pointer()}));
  QVERIFY2(kernel, messageOf(kernel).c_str());
  const runner::Buffer out = tensor(**opened, std::vector<int32_t>(4 * 6 * 2, -1), "A");
  Launch launch;
  launch.grid = {2, 2, 1};
  launch.block = {2, 3, 2};
  launch.arguments = {out.data};
  QVERIFY((*opened)->launch(**kernel, launch, false));
  const std::vector<int32_t> result = valuesOf<int32_t>(**opened, out);
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 6; ++y)
      for (int z = 0; z < 2; ++z)
        QCOMPARE(result[static_cast<std::size_t>(x + 4 * (y + 6 * z))], x % 2 + 10 * (y % 3) + 100 * z);
}

void TestBackendOpenCl::compileErrorsAreShown() {
  const auto opened = open();
  QVERIFY(opened);
  const std::string message = messageOf((*opened)->load(source("wrong_kernel", {pointer()})));
  QVERIFY2(message.starts_with("RUN-BUILD: the OpenCL compiler rejected 'wrong_kernel': "), message.c_str());
  QVERIFY2(message.find("undeclared") != std::string::npos, message.c_str());
  QVERIFY2(message.find('\n') == std::string::npos, message.c_str());
  QVERIFY(messageOf((*opened)->load(source("absent_kernel", {})))
              .starts_with("RUN-IMAGE: 'absent_kernel' contains no code for "));
  QVERIFY(
      messageOf((*opened)->load(source("absent_kernel", {}, "__kernel void other() {}"))).starts_with("RUN-IMAGE: "));
}

void TestBackendOpenCl::imageArgumentsAreRefused() {
  const auto opened = open();
  QVERIFY(opened);
  QCOMPARE(messageOf((*opened)->load(source("image_kernel", {pointer(), pointer()}))),
           std::string("RUN-ARGUMENT: argument 1 of 'image_kernel' cannot be passed: it is an image (image2d_t), and "
                       "test runs only support buffers"));
}

void TestBackendOpenCl::foreignBinaryIsRefused() {
  const auto opened = open();
  QVERIFY(opened);
  KernelSource wanted = source("k", {pointer()}, "no binary of any device");
  wanted.format = "aocx";
  const std::string message = messageOf((*opened)->load(wanted));
  QVERIFY2(message.starts_with("RUN-IMAGE: 'k' contains no code for ") || message.starts_with("RUN-BUILD: ") ||
               message.starts_with("RUN-CALL: "),
           message.c_str());
}

void TestBackendOpenCl::limitsAreChecked() {
  const auto opened = open();
  QVERIFY(opened);
  QVERIFY(messageOf((*opened)->allocate(uint64_t{1} << 50, "A")).starts_with("RUN-MEMORY: the tensors need "));
  QVERIFY(messageOf((*opened)->allocate(UINT64_MAX, "A")).starts_with("RUN-MEMORY: the tensors need "));
  const auto kernel = (*opened)->load(vadd());
  QVERIFY(kernel);
  Launch launch;
  launch.arguments.resize(5);
  launch.block[0] = uint64_t{1} << 40;
  QVERIFY(messageOf((*opened)->launch(**kernel, launch, false))
              .starts_with("RUN-LIMIT: block.x is 1,099,511,627,776, but "));
  launch.block = {1, 1, 1};
  launch.arguments.resize(4);
  QCOMPARE(messageOf((*opened)->launch(**kernel, launch, false)),
           std::string("RUN-ARGUMENT: argument 4 of 'vadd_kernel' cannot be passed: the launch passes 4 arguments, but "
                       "the table has 5"));
  launch.arguments = {1, 2, 3, 0, 0};
  QCOMPARE(
      messageOf((*opened)->launch(**kernel, launch, false)),
      std::string("RUN-ARGUMENT: argument 0 of 'vadd_kernel' cannot be passed: 0x1 is not in a tensor of this device"));
}

void TestBackendOpenCl::parameterTableMustAgreeWithTheKernel() {
  const auto opened = open();
  QVERIFY(opened);
  QCOMPARE(messageOf((*opened)->load(source("vadd_kernel", {pointer(), pointer()}))),
           std::string("RUN-ARGUMENT: argument 2 of 'vadd_kernel' cannot be passed: the kernel has 5 parameters, but "
                       "the table has 2"));
  // A scalar of the wrong size is detected when it is passed.
  const auto kernel = (*opened)->load(source("outside_kernel", {pointer(), int64()}));
  QVERIFY(kernel);
  const runner::Buffer buffer = tensor(**opened, std::vector<float>(10), "T");
  Launch launch;
  launch.arguments = {buffer.data, 10};
  QCOMPARE(messageOf((*opened)->launch(**kernel, launch, false)),
           std::string("RUN-ARGUMENT: argument 1 of 'outside_kernel' cannot be passed: CL_INVALID_ARG_SIZE: the kernel "
                       "and its table disagree about it"));
}

void TestBackendOpenCl::halfKernelIsWidenedWithoutFp16() {
  const auto opened = open();
  QVERIFY(opened);
  const std::vector<KernelParameter> parameters = {pointer(), pointer(), pointer(), int32()};
  const auto asItIs = (*opened)->load(source("scaled_kernel", parameters, kHalfModule));
  if ((*opened)->info().name.starts_with("pthread")) {
    // PoCL on a processor: its compiler shows the message of the guard.
    const std::string message = messageOf(asItIs);
    QVERIFY2(message.starts_with("RUN-BUILD: the OpenCL compiler rejected 'scaled_kernel': "), message.c_str());
    QVERIFY2(message.find("Half precision floating point not supported") != std::string::npos, message.c_str());
  }
  const auto kernel = (*opened)->load(wide("scaled_kernel", parameters));
  QVERIFY2(kernel, messageOf(kernel).c_str());
  // A device with fp16 computes in fp16, whatever was requested.
  QCOMPARE((*kernel)->facts().at(0) ==
               std::pair(std::string("precision"), std::string("computed in float32, not the device's fp16")),
           !hasHalf(**opened));
  std::vector<uint16_t> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = halfBits(static_cast<float>(i) / 4);
  const runner::Buffer a = tensor(**opened, values, "A"), c = tensor(**opened, std::vector<uint16_t>(256, 0xa5a5), "C"),
                       d = tensor(**opened, std::vector<float>(64), "D");
  Launch launch;
  launch.grid = {4, 1, 1};
  launch.block = {16, 1, 1};
  launch.arguments = {a.data, c.data, d.data, 60};
  QVERIFY((*opened)->launch(**kernel, launch, true));
  QCOMPARE((*opened)->times()->size(), std::size_t{1});
  // A kernel without fp16 is built unchanged and not labelled.
  KernelSource plain = vadd();
  plain.widenHalf = true;
  const auto unchanged = (*opened)->load(plain);
  QVERIFY2(unchanged, messageOf(unchanged).c_str());
  QVERIFY((*unchanged)->facts().at(0).first != "precision");
  // Tensors contain fp16 before and after; unwritten elements stay unchanged.
  const std::vector<uint16_t> result = valuesOf<uint16_t>(**opened, c);
  for (std::size_t i = 0; i < result.size(); ++i)
    QCOMPARE(result[i],
             i < 240 ? halfBits(static_cast<float>(i) / 2 + static_cast<float>(i % 4 + 1)) : uint16_t{0xa5a5});
  QCOMPARE(valuesOf<uint16_t>(**opened, a), values);
  QCOMPARE(valuesOf<float>(**opened, d).at(59), 59.0F);
  for (const runner::Buffer& buffer : {a, c, d})
    QVERIFY(*(*opened)->overrun(buffer) == (std::pair<uint64_t, uint64_t>(0, 0)));
}

void TestBackendOpenCl::writesOutsideAWidenedBufferAreFound() {
  const auto opened = open();
  QVERIFY(opened);
  if (hasHalf(**opened)) QSKIP("the OpenCL device has fp16, so nothing is widened");
  const auto kernel = (*opened)->load(wide("beyond_kernel", {pointer(), int32()}));
  QVERIFY2(kernel, messageOf(kernel).c_str());
  const runner::Buffer a = tensor(**opened, std::vector<uint16_t>(100), "A");
  Launch launch;
  launch.arguments = {a.data, 100};
  QVERIFY((*opened)->launch(**kernel, launch, false));
  QVERIFY(*(*opened)->overrun(a) == (std::pair<uint64_t, uint64_t>(0, 4)));
}

void TestBackendOpenCl::kernelsThatCannotBeWidenedAreRefused() {
  const auto opened = open();
  QVERIFY(opened);
  if (hasHalf(**opened)) QSKIP("the OpenCL device has fp16, so nothing is widened");
  const auto kernel = (*opened)->load(wide("both_kernel", {pointer(), pointer()}));
  QVERIFY2(kernel, messageOf(kernel).c_str());
  const runner::Buffer a = tensor(**opened, std::vector<uint16_t>(100), "A");
  Launch launch;
  launch.arguments = {a.data, a.data};
  QCOMPARE(messageOf((*opened)->launch(**kernel, launch, false)),
           std::string("RUN-ARGUMENT: argument 1 of 'both_kernel' cannot be passed: it is the tensor of argument 0 "
                       "with another type, which "
                       "widening to float32 cannot keep apart"));
  KernelSource loads =
      source("k", {pointer()}, "__kernel void k(__global half* A) { vstore_half(vload_half(0, A), 1, A); }");
  loads.widenHalf = true;
  QVERIFY(messageOf((*opened)->load(loads))
              .starts_with("RUN-BUILD: the OpenCL compiler rejected 'k': it calls vstore_half, "));
}

BLOBSCOPE_TEST(TestBackendOpenCl);
#include "test_backends_opencl.moc"
