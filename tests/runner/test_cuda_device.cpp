#include "app/runner/backends/cuda/nvrtc.h"
#include "tests/runner/backends_support.h"

#include <dlfcn.h>

using namespace blobscope;
using namespace blobscope::runner;
using namespace blobscope::test;

namespace {

/// Kernels that need what only a device has: clusters, cooperative launches, tensor maps, large shared memory.
constexpr const char kKernels[] = R"(
struct alignas(64) TensorMap { unsigned long long words[16]; };
__device__ unsigned __tvm_global_barrier_state;

extern "C" __global__ void vadd(const float* a, const float* b, float* c, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + s * b[i];
}
extern "C" __global__ void clusters(int* out) {
  int size, rank;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  out[blockIdx.x] = size * 100 + rank;
}
// Each block waits for all others, which ends only if all of them run at the same time.
extern "C" __global__ void together(int* arrived, int* out) {
  atomicAdd(arrived, 1);
  while (*(volatile int*)arrived < (int)gridDim.x) {}
  out[blockIdx.x] = *(volatile int*)arrived;
}
extern "C" __global__ void barrier(int* out) { out[0] = atomicAdd(&__tvm_global_barrier_state, 5); }
extern "C" __global__ void shared_memory(int* out, int last) {
  extern __shared__ int memory[];
  for (int i = threadIdx.x; i <= last; i += blockDim.x) memory[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = memory[last] + memory[0];
}
extern "C" __global__ void after_end(int* out, int n) {
  if (threadIdx.x < 3) out[n + threadIdx.x] = 7;
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void tile(const __grid_constant__ TensorMap map, float* out) {
  __shared__ alignas(128) float buffer[32];
  __shared__ alignas(8) unsigned long long ready;
  unsigned to = (unsigned)__cvta_generic_to_shared(buffer), at = (unsigned)__cvta_generic_to_shared(&ready);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(128) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(&map), "r"(8), "r"(2), "r"(at) : "memory");
  }
  __syncthreads();
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at) : "memory");
  out[threadIdx.x] = buffer[threadIdx.x];
}
#endif
)";

} // namespace

/// The CUDA back end on a real device.
class TestCudaDevice : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void cleanupTestCase() { m_backend.reset(); }
  void kernelComputes();
  void clustersAreLaunched();
  void cooperativeBlocksRunTogether();
  void dependentLaunchesKeepTheirOrder();
  void globalBarrierStartsAtZero();
  void sharedMemoryAboveTheDefault_data();
  void sharedMemoryAboveTheDefault();
  void tensorMapIsRead();
  void writesAfterTheEndAreCounted();
  void tableMustAgreeWithTheKernel();
  void tooMuchMemoryIsRefused();

private:
  std::unique_ptr<Kernel> load(const char* name, std::vector<KernelParameter> parameters) {
    auto kernel = m_backend->load(
        {.name = name, .format = "cuda", .image = bytes(std::string(kKernels)), .parameters = std::move(parameters)});
    if (kernel) return std::move(*kernel);
    qWarning("%s", messageOf(kernel).c_str());
    return nullptr;
  }
  /// Launches and waits; returns the message.
  std::string run(Kernel& kernel, const Launch& launch) {
    const auto launched = m_backend->launch(kernel, launch, false);
    return launched ? messageOf(m_backend->synchronise()) : messageOf(launched);
  }
  /// Whether the device's compute capability is at least 9.0.
  bool hasClusters() const {
    for (const auto& [label, value] : m_backend->info().facts)
      if (label == "clusters") return value == "yes";
    return false;
  }

  std::unique_ptr<Backend> m_backend;
};

void TestCudaDevice::initTestCase() {
  auto opened = openCuda({});
  if (!opened) QSKIP(("no GPU for CUDA: " + messageOf(opened)).c_str());
  if (!runner::cuda::Nvrtc::open(runner::cuda::NvrtcSearch::fromEnvironment()))
    QSKIP("no NVRTC: libnvrtc.so not found");
  m_backend = std::move(*opened);
}

void TestCudaDevice::kernelComputes() {
  const auto kernel = load("vadd", {pointer(), pointer(), pointer(), float32(), int32()});
  QVERIFY(kernel);
  const std::size_t count = 1'000'003;
  std::vector<float> a(count), b(count);
  for (std::size_t i = 0; i < count; ++i) a[i] = static_cast<float>(i % 1024), b[i] = static_cast<float>(i % 7);
  const runner::Buffer first = tensor(*m_backend, a, "A"), second = tensor(*m_backend, b, "B"),
                       out = tensor(*m_backend, std::vector<float>(count), "C");
  Launch launch;
  launch.grid = {(count + 255) / 256, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {first.data, second.data, out.data, floatBits(0.5F), count};
  for (int i = 0; i < 3; ++i) QVERIFY(m_backend->launch(*kernel, launch, true));
  QCOMPARE(messageOf(m_backend->synchronise()), std::string("fine"));
  const auto times = m_backend->times();
  QVERIFY2(times, messageOf(times).c_str());
  QCOMPARE(times->size(), std::size_t{3});
  for (const double time : *times) QVERIFY(time > 0);
  const std::vector<float> result = valuesOf<float>(*m_backend, out);
  for (std::size_t i = 0; i < count; ++i) QCOMPARE(result[i], a[i] + b[i] / 2);
  for (const runner::Buffer& buffer : {first, second, out}) {
    QVERIFY(*m_backend->overrun(buffer) == (std::pair<uint64_t, uint64_t>(0, 0)));
    QCOMPARE(messageOf(m_backend->release(buffer)), std::string("fine"));
  }
}

void TestCudaDevice::clustersAreLaunched() {
  if (!hasClusters()) QSKIP("no GPU with clusters (compute capability 9.0)");
  const auto kernel = load("clusters", {pointer()});
  QVERIFY(kernel);
  const runner::Buffer out = tensor(*m_backend, std::vector<int>(8), "out");
  Launch launch;
  launch.grid = {8, 1, 1};
  launch.cluster = {4, 1, 1};
  launch.arguments = {out.data};
  QCOMPARE(run(*kernel, launch), std::string("fine"));
  QCOMPARE(valuesOf<int>(*m_backend, out), (std::vector<int>{400, 401, 402, 403, 400, 401, 402, 403}));
  // The driver refuses a grid that is no multiple of the cluster.
  launch.grid = {6, 1, 1};
  const std::string message = run(*kernel, launch);
  QVERIFY2(message.starts_with("RUN-CALL: cuLaunchKernelEx of CUDA returned "), message.c_str());
}

void TestCudaDevice::cooperativeBlocksRunTogether() {
  const auto kernel = load("together", {pointer(), pointer()});
  QVERIFY(kernel);
  const runner::Buffer arrived = tensor(*m_backend, std::vector<int>(1), "arrived"),
                       out = tensor(*m_backend, std::vector<int>(16), "out");
  Launch launch;
  launch.grid = {16, 1, 1};
  launch.cooperative = true;
  launch.arguments = {arrived.data, out.data};
  QCOMPARE(run(*kernel, launch), std::string("fine"));
  QCOMPARE(valuesOf<int>(*m_backend, out), std::vector<int>(16, 16));
  // More blocks than fit on the device cannot run at the same time.
  launch.grid = {1'000'000, 1, 1};
  const std::string message = run(*kernel, launch);
  QVERIFY2(message.starts_with("RUN-CALL: ") && message.find("COOPERATIVE_LAUNCH_TOO_LARGE") != std::string::npos,
           message.c_str());
}

void TestCudaDevice::dependentLaunchesKeepTheirOrder() {
  if (!hasClusters()) QSKIP("no GPU with programmatic dependent launches (compute capability 9.0)");
  const auto kernel = load("vadd", {pointer(), pointer(), pointer(), float32(), int32()});
  QVERIFY(kernel);
  const runner::Buffer a = tensor(*m_backend, std::vector<float>(64, 1), "A"),
                       b = tensor(*m_backend, std::vector<float>(64), "B"),
                       c = tensor(*m_backend, std::vector<float>(64), "C");
  Launch launch;
  launch.block = {64, 1, 1};
  launch.programmatic = true;
  launch.arguments = {a.data, a.data, b.data, floatBits(1), 64};
  QVERIFY(m_backend->launch(*kernel, launch, false));
  launch.arguments = {b.data, b.data, c.data, floatBits(1), 64};
  QCOMPARE(run(*kernel, launch), std::string("fine"));
  QCOMPARE(valuesOf<float>(*m_backend, c), std::vector<float>(64, 4));
}

void TestCudaDevice::globalBarrierStartsAtZero() {
  const auto kernel = load("barrier", {pointer()});
  QVERIFY(kernel);
  const runner::Buffer out = tensor(*m_backend, std::vector<int>(1, 99), "out");
  Launch launch;
  launch.arguments = {out.data};
  for (int i = 0; i < 2; ++i) {
    QCOMPARE(run(*kernel, launch), std::string("fine"));
    QCOMPARE(valuesOf<int>(*m_backend, out), std::vector<int>{0});
  }
}

void TestCudaDevice::sharedMemoryAboveTheDefault_data() {
  QTest::addColumn<int>("bytes");
  QTest::newRow("default") << 48 * 1024;
  QTest::newRow("on request") << 64 * 1024;
  QTest::newRow("less again") << 1024;
}

void TestCudaDevice::sharedMemoryAboveTheDefault() {
  QFETCH(int, bytes);
  const auto kernel = load("shared_memory", {pointer(), int32()});
  QVERIFY(kernel);
  const runner::Buffer out = tensor(*m_backend, std::vector<int>(1), "out");
  Launch launch;
  launch.block = {128, 1, 1};
  launch.dynamicShared = static_cast<uint64_t>(bytes);
  launch.arguments = {out.data, static_cast<uint64_t>(bytes / 4 - 1)};
  QCOMPARE(run(*kernel, launch), std::string("fine"));
  QCOMPARE(valuesOf<int>(*m_backend, out), std::vector<int>{bytes / 4 - 1});
}

void TestCudaDevice::tensorMapIsRead() {
  if (!hasClusters()) QSKIP("no GPU with tensor maps (compute capability 9.0)");
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  QVERIFY(driver);
  using Encode = int (*)(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*, const uint32_t*,
                         const uint32_t*, int, int, int, int);
  const auto encode = reinterpret_cast<Encode>(dlsym(driver, "cuTensorMapEncodeTiled"));
  QVERIFY(encode);
  std::vector<float> values(64 * 16); // 16 rows of 64
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const runner::Buffer in = tensor(*m_backend, values, "in"), out = tensor(*m_backend, std::vector<float>(32), "out");
  struct alignas(64) TensorMap {
    uint64_t words[16] = {};
  } map;
  const uint64_t extents[] = {64, 16}, strides[] = {64 * sizeof(float)};
  const uint32_t box[] = {8, 4}, steps[] = {1, 1};
  // 7: CU_TENSOR_MAP_DATA_TYPE_FLOAT32.
  QCOMPARE(encode(&map, 7, 2, reinterpret_cast<void*>(in.data), extents, strides, box, steps, 0, 0, 0, 0), 0);
  const auto kernel = load("tile", {{.isTensorMap = true}, pointer()});
  QVERIFY(kernel);
  Launch launch;
  launch.block = {32, 1, 1};
  launch.arguments = {reinterpret_cast<uintptr_t>(&map), out.data};
  QCOMPARE(run(*kernel, launch), std::string("fine"));
  // The box starts at column 8 of row 2.
  const std::vector<float> result = valuesOf<float>(*m_backend, out);
  for (std::size_t i = 0; i < 32; ++i) QCOMPARE(result[i], static_cast<float>((2 + i / 8) * 64 + 8 + i % 8));
}

void TestCudaDevice::writesAfterTheEndAreCounted() {
  const auto kernel = load("after_end", {pointer(), int32()});
  QVERIFY(kernel);
  const runner::Buffer out = tensor(*m_backend, std::vector<int>(10), "out"),
                       other = tensor(*m_backend, std::vector<int>(10), "other");
  Launch launch;
  launch.block = {32, 1, 1};
  launch.arguments = {out.data, 10};
  QCOMPARE(run(*kernel, launch), std::string("fine"));
  QVERIFY(*m_backend->overrun(out) == (std::pair<uint64_t, uint64_t>(0, 12)));
  QVERIFY(*m_backend->overrun(other) == (std::pair<uint64_t, uint64_t>(0, 0)));
}

void TestCudaDevice::tableMustAgreeWithTheKernel() {
  const auto message = [&](std::vector<KernelParameter> parameters) {
    return messageOf(m_backend->load({.name = "after_end",
                                      .format = "cuda",
                                      .image = bytes(std::string(kKernels)),
                                      .parameters = std::move(parameters)}));
  };
  QCOMPARE(message({pointer()}), std::string("RUN-ARGUMENT: argument 1 of 'after_end' cannot be passed: the kernel has "
                                             "it, but the table does not contain it"));
  QCOMPARE(message({pointer(), int64()}),
           std::string("RUN-ARGUMENT: argument 1 of 'after_end' cannot be passed: the kernel takes 4 bytes, but the "
                       "table has another size"));
  QCOMPARE(
      message({pointer(), int32(), int32()}),
      std::string("RUN-ARGUMENT: argument 2 of 'after_end' cannot be passed: the table contains it, but the kernel "
                  "does not have it"));
}

void TestCudaDevice::tooMuchMemoryIsRefused() {
  const std::string message = messageOf(m_backend->allocate(uint64_t{1} << 42, "huge"));
  QVERIFY2(message.starts_with("RUN-MEMORY: the tensors need 4.0 TiB"), message.c_str());
}

BLOBSCOPE_TEST(TestCudaDevice);
#include "test_cuda_device.moc"
