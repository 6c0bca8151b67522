#include "tests/support/allocation_counter.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

namespace {

std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The limit of heap memory for the work on one input. SPIRV-Tools keeps a few bytes for each id up to the bound in a
/// header of 20 bytes: 28 MB were seen. Everything else stays below half a megabyte.
constexpr uint64_t memoryFor(std::size_t inputBytes) { return (uint64_t{64} << 20) + 1'024 * uint64_t{inputBytes}; }
/// Allocations above this limit fail, so that an input that wants gigabytes ends here and not in the kernel.
constexpr uint64_t kMostMemory = uint64_t{1} << 30;

void run(const std::string& input) {
  // A copy of exactly this size, so that the address sanitizer detects a read beyond the end.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  const blobscope::test::AllocationCounter counter(kMostMemory);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  if (counter.peakBytes() <= memoryFor(bytes.size())) return;
  std::fprintf(stderr, "%llu bytes on the heap at one time for an input of %zu bytes\n",
               static_cast<unsigned long long>(counter.peakBytes()), bytes.size());
  std::abort();
}

/// Byte changes, extreme words, cuts and splices by a fixed generator: the same on every machine.
std::string mutated(std::string input, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (std::size_t changes = 1 + below(3); changes > 0 && !input.empty(); --changes) {
    const std::size_t at = below(input.size());
    switch (below(5)) {
    case 0: input[at] = static_cast<char>(input[at] ^ (1 << below(8))); break;
    case 1: input[at] = static_cast<char>(random()); break;
    case 2: {
      constexpr uint64_t kWords[] = {0, 1, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff};
      const uint64_t word = kWords[below(std::size(kWords))];
      for (std::size_t i = 0; i < 8 && at + i < input.size(); ++i) input[at + i] = static_cast<char>(word >> (8 * i));
      break;
    }
    case 3: input.resize(at); break;
    default: input.insert(at, input.substr(below(input.size()), 1 + below(32))); break;
    }
  }
  return input;
}

} // namespace

/// `replay FOLDER [INPUTS]` runs every file of the folder, then mutations of each, about INPUTS in total. Each has to
/// stay below the memory limit.
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1]))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "no seeds in %s\n", argv[1]);
    return 1;
  }
  // The same number of inputs for every entry; otherwise an entry with many seeds would take minutes with sanitizers.
  const std::size_t inputs = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 24'000;
  const std::size_t mutations = std::min<std::size_t>(3000, inputs / files.size());
  std::mt19937 random(20170508);
  std::size_t runs = 0;
  for (const auto& file : files) {
    const std::string seed = readFile(file);
    run(seed);
    for (std::size_t i = 0; i < mutations; ++i) run(mutated(seed, random));
    runs += 1 + mutations;
  }
  std::printf("%zu inputs from %zu seeds\n", runs, files.size());
  return 0;
}
