#include "core/run/check_kernels.h"

#include "core/base/text.h"
#include "core/protocol/element_code.h"
#include "core/run/check_resources.h"

namespace blobscope::run {
namespace {

constexpr protocol::DataType kInt32 = {0, 32, 1}, kFloat32 = {2, 32, 1}, kFloat16 = {2, 16, 1};

/// The numbers in the layout of a tensor. They must be numbers of the type.
std::string bytesOf(protocol::DataType type, const std::vector<double>& numbers) {
  const auto code = protocol::ElementCode::of(type);
  std::string bytes(numbers.size() * type.bits / 8, '\0');
  for (std::size_t i = 0; code && i < numbers.size(); ++i) {
    const uint64_t bits = code->isFloat() ? code->encode(numbers[i])
                                          : static_cast<uint64_t>(static_cast<int64_t>(numbers[i])) & code->mask();
    code->store(reinterpret_cast<std::byte*>(bytes.data()), i, bits);
  }
  return bytes;
}

CheckTensor input(const char* name, protocol::DataType type, std::vector<int64_t> shape,
                  const std::vector<double>& numbers) {
  return {name, type, std::move(shape), protocol::Role::In, bytesOf(type, numbers)};
}
CheckTensor output(const char* name, protocol::DataType type, std::vector<int64_t> shape) {
  return {name, type, std::move(shape), protocol::Role::Out, {}};
}

/// The last block is not full, so that the scalar argument decides which threads write.
CheckKernel makeCopy() {
  constexpr int kCount = 1000;
  std::vector<double> numbers;
  for (int i = 0; i < kCount; ++i) numbers.push_back(i * 2'000'003 - 1'000'000'000);
  CheckKernel kernel;
  kernel.name = "copy";
  kernel.function = "check_copy";
  kernel.tensors = {input("in", kInt32, {kCount}, numbers), output("out", kInt32, {kCount})};
  kernel.count = kCount;
  kernel.extents.grid = {16, 1, 1};
  kernel.extents.block = {64, 1, 1};
  kernel.output = 1;
  kernel.expected = bytesOf(kInt32, numbers);
  return kernel;
}

/// Products are multiples of 1/8, and no sum of them exceeds 18: float16 represents all of them.
CheckKernel makeMatmul() {
  constexpr int kRows = 16, kColumns = 32, kDepth = 24;
  std::vector<double> a, b, c;
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < kDepth; ++k) a.push_back(((3 * i + 5 * k) % 7 - 3) / 2.0);
  for (int k = 0; k < kDepth; ++k)
    for (int j = 0; j < kColumns; ++j) b.push_back(((2 * k + 3 * j) % 5 - 2) / 4.0);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int k = 0; k < kDepth; ++k)
        sum += a[static_cast<std::size_t>(i * kDepth + k)] * b[static_cast<std::size_t>(k * kColumns + j)];
      c.push_back(sum);
    }
  CheckKernel kernel;
  kernel.name = "float16 matrix multiplication";
  kernel.function = "check_matmul_float16";
  kernel.tensors = {input("a", kFloat16, {kRows, kDepth}, a), input("b", kFloat16, {kDepth, kColumns}, b),
                    output("c", kFloat16, {kRows, kColumns})};
  kernel.extents.grid = {kColumns / 8, kRows / 8, 1};
  kernel.extents.block = {8, 8, 1};
  kernel.output = 2;
  kernel.expected = bytesOf(kFloat16, c);
  kernel.usesHalf = true;
  return kernel;
}

CheckKernel makeReduction() {
  constexpr int kBlocks = 8, kBlock = 128;
  std::vector<double> numbers, sums;
  for (int block = 0; block < kBlocks; ++block) {
    double sum = 0;
    for (int i = block * kBlock; i < (block + 1) * kBlock; ++i) {
      numbers.push_back((i * 37 % 101 - 50) / 2.0);
      sum += numbers.back();
    }
    sums.push_back(sum);
  }
  CheckKernel kernel;
  kernel.name = "reduction in shared memory";
  kernel.function = "check_reduce";
  kernel.tensors = {input("in", kFloat32, {kBlocks * kBlock}, numbers), output("out", kFloat32, {kBlocks})};
  kernel.extents.grid = {kBlocks, 1, 1};
  kernel.extents.block = {kBlock, 1, 1};
  kernel.output = 1;
  kernel.expected = bytesOf(kFloat32, sums);
  return kernel;
}

/// The counters do not begin with zero, so that a kernel that does not read them is detected.
CheckKernel makeAtomics() {
  constexpr int kThreads = 4096, kCounters = 16;
  std::vector<double> numbers, counts;
  for (int i = 0; i < kCounters; ++i) counts.push_back(100 * i);
  const std::vector<double> before = counts;
  for (int i = 0; i < kThreads; ++i) {
    const int number = i * i / 7;
    numbers.push_back(number);
    counts[static_cast<std::size_t>(number % kCounters)] += 1;
  }
  CheckKernel kernel;
  kernel.name = "atomic additions";
  kernel.function = "check_atomics";
  kernel.tensors = {input("in", kInt32, {kThreads}, numbers), input("counts", kInt32, {kCounters}, before)};
  kernel.tensors[1].role = protocol::Role::InOut;
  kernel.extents.grid = {kThreads / 64, 1, 1};
  kernel.extents.block = {64, 1, 1};
  kernel.output = 1;
  kernel.expected = bytesOf(kInt32, counts);
  return kernel;
}

} // namespace

CheckCode builtInCheckCode() {
  CheckCode code;
  for (const CheckResource& resource : checkResources())
    code.emplace(resource.file, std::string(resource.bytes.begin(), resource.bytes.end()));
  return code;
}

std::vector<CheckKernel> checkKernels() { return {makeCopy(), makeMatmul(), makeReduction(), makeAtomics()}; }

std::string CheckDifference::sentence() const {
  std::string place;
  for (const uint64_t index : at) place += (place.empty() ? "" : ", ") + std::to_string(index);
  return groupedText(count) + " of " + groupedText(total) + " elements of '" + tensor + "' differ; the first is [" +
         place + "]: " + actual + ", expected " + expected;
}

std::optional<CheckDifference> findDifference(const CheckKernel& kernel, const Bytes& actual) {
  const CheckTensor& tensor = kernel.tensors[kernel.output];
  const auto code = protocol::ElementCode::of(tensor.type);
  if (!code || actual.view() == kernel.expected) return std::nullopt;
  const auto* const wanted = reinterpret_cast<const std::byte*>(kernel.expected.data());
  const auto* const found = reinterpret_cast<const std::byte*>(actual.view().data());
  CheckDifference out;
  out.tensor = tensor.name;
  out.total = kernel.expected.size() * 8 / tensor.type.bits;
  for (uint64_t i = 0; i < out.total; ++i) {
    const uint64_t bits = code->load(found, i), expected = code->load(wanted, i);
    if (bits == expected || ++out.count > 1) continue;
    out.actual = code->text(bits);
    out.expected = code->text(expected);
    uint64_t rest = i;
    for (auto extent = tensor.shape.rbegin(); extent != tensor.shape.rend(); ++extent) {
      out.at.insert(out.at.begin(), rest % static_cast<uint64_t>(*extent));
      rest /= static_cast<uint64_t>(*extent);
    }
  }
  return out;
}

} // namespace blobscope::run
