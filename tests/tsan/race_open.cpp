#include "core/library/node.h"
#include "core/library/node_pages.h"
#include "core/library/open.h"
#include "core/library/verify.h"
#include "core/search/search.h"
#include "tests/support/builders.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>
#include <unistd.h>

using namespace blobscope;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::exit(1);
}

/// Eight threads read, describe, verify and search one package at the same time.
void readersShareAPackage(const std::filesystem::path& path) {
  NullMonitor monitor;
  const auto package = library::open(path, monitor);
  require(package.hasValue(), "the library opens");
  std::atomic<int> done = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      NullMonitor own;
      for (int round = 0; round < 20; ++round) {
        const auto result = library::computeVerification(*(*package)->blobs.front(), own);
        require(result && result->identical, "the blob encodes to itself");
        require(library::nodePages(*package, Ref::moduleAt("", 1)).hasValue(), "module 1 has pages");
        int hits = 0;
        require(
            search::find(**package, {"add_kernel"}, own, [&](const search::Hit&) { return ++hits < 100; }).hasValue(),
            "the search ends");
        require(hits > 0, "the kernel's name is found");
      }
      ++done;
    });
  threads.clear();
  require(done == 8, "every thread came to its end");
}

/// Threads open, read and close files while others do the same: the table of mappings is shared.
void mappingsComeAndGo(const std::filesystem::path& path) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      NullMonitor own;
      for (int round = 0; round < 50; ++round) require(library::open(path, own).hasValue(), "the library opens again");
    });
}

/// Reads a byte of every sector. The guard maps a page of zeros over a lost one while other threads read there, on
/// purpose; the sanitizer takes the mapping for a write, so this function is not instrumented.
__attribute__((no_sanitize("thread"))) unsigned sumOf(std::span<const std::byte> view) {
  unsigned sum = 0;
  for (std::size_t at = 0; at < view.size(); at += 512) sum += static_cast<unsigned>(view.data()[at]);
  return sum;
}

/// The file shrinks under its readers: all threads survive and the source reports the damage.
void fileShrinksUnderReaders(const std::filesystem::path& path) {
  std::filesystem::resize_file(path, 4 << 20);
  const auto source = ByteSource::openFile(path);
  require(source.hasValue(), "the file is mapped");
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const auto view = (*source)->view();
      unsigned sum = 0;
      while (!stop) {
        sum += sumOf(view);
        ++rounds;
      }
      require(sum != 1, "the sum is used");
    });
  while (rounds < 8) std::this_thread::yield();
  std::filesystem::resize_file(path, 4096);
  const int before = rounds;
  while (rounds < before + 16) std::this_thread::yield();
  stop = true;
  threads.clear();
  require((*source)->damage().has_value(), "the damage is told");
  require(*(*source)->damage() >= 4096, "what is still there is not called damaged");
}

} // namespace

int main() {
  const std::vector<test::Function> functions = {{"add_kernel"}, {"mul_kernel"}};
  const std::string blob = test::classicBlob(
      {{"_lib", ""}, {"cuda", test::code3("ptx", functions, test::ptxText(functions), test::Info::Three)}},
      {{{1}, {}}});
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("blobscope-race-" + std::to_string(getpid()) + ".so");
  std::ofstream(path, std::ios::binary) << test::elfWith("__tvm_dev_mblob", blob);
  readersShareAPackage(path);
  mappingsComeAndGo(path);
  fileShrinksUnderReaders(path);
  std::filesystem::remove(path);
  std::puts("no race");
  return 0;
}
