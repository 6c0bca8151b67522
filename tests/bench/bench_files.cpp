#include "tests/bench/bench_files.h"

#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"

#include <algorithm>
#include <fstream>
#include <vector>

namespace blobscope::test {
namespace {

std::vector<Function> kernels(int count) {
  std::vector<Function> functions;
  for (int i = 0; i < count; ++i) functions.push_back({"fused_matmul_add_relu_kernel_" + std::to_string(i)});
  return functions;
}

/// `size` bytes that no tool can compress or skip.
void appendNoise(std::ofstream& file, uint64_t size) {
  std::vector<uint64_t> block(1 << 17);
  uint64_t state = 88172645463325252ull;
  for (uint64_t left = size; left > 0;) {
    for (uint64_t& word : block) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      word = state;
    }
    const uint64_t part = std::min<uint64_t>(left, block.size() * 8);
    file.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(part));
    left -= part;
  }
}

} // namespace

void writeLibrary(const std::filesystem::path& path, int symbols, int functions, uint64_t noise) {
  // The data of the cuda module is the end of the ffi stream, so the noise can be appended to the file.
  const auto [indptr, child] = csr({{1}, {}});
  const std::string code =
      ByteBuilder().str("cubin").raw(functionMap(kernels(functions), Info::Four)).u64(noise).take();
  ByteBuilder stream;
  stream.words(indptr).words(child).str("_lib").str("cuda").u64(code.size() + noise).raw(code);
  const std::string body = stream.take();
  const std::string blob = ByteBuilder().u64(body.size() + noise).raw(body).take();
  ElfBuilder elf;
  for (int i = 0; i < symbols; ++i) elf.function("__tvm_ffi_fused_operator_with_a_long_name_" + std::to_string(i));
  elf.dataTail = noise;
  elf.data("__tvm_ffi__library_bin", blob, blob.size() + noise);
  std::ofstream file(path, std::ios::binary);
  file << elf.build();
  appendNoise(file, noise);
}

void writeArchive(const std::filesystem::path& path, int objects, int symbols, uint64_t size) {
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < objects; ++i) {
    ElfBuilder elf;
    elf.type = 1; // ET_REL
    const std::string prefix = "object" + std::to_string(i) + "_";
    for (int k = 0; k < symbols; ++k)
      elf.function(prefix + "__tvm_ffi_fused_operator_with_a_long_name_" + std::to_string(k));
    const uint64_t share = size / static_cast<uint64_t>(objects), head = elf.build().size();
    elf.dataTail = share > head ? share - head : 0;
    const uint64_t whole = head + elf.dataTail;
    file << tarHeader(prefix + "lib.o", whole) << elf.build();
    appendNoise(file, elf.dataTail);
    file << std::string((512 - whole % 512) % 512, '\0');
  }
  file << std::string(1024, '\0');
}

} // namespace blobscope::test
