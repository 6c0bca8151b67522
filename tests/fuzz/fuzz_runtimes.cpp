#include "core/preflight/preflight.h"
#include "core/process/process.h"
#include "core/targets/facts.h"
#include "core/targets/python_packages.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

using namespace blobscope;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

const targets::FactsPtr& builtIn() {
  static const targets::FactsPtr facts = [] {
    auto loaded = targets::Facts::load();
    require(loaded.hasValue());
    return std::move(*loaded);
  }();
  return facts;
}

/// The files of an environment that are read; other names only make a folder.
constexpr std::array<std::string_view, 8> kFiles = {
    "apache_tvm.dist-info/METADATA", "apache_tvm_ffi.dist-info/METADATA",
    "tilelang.dist-info/METADATA",   "tvm/__init__.py",
    "tvm/libtvm_runtime.so",         "tvm_ffi/lib/libtvm_ffi.so",
    "tvm_ffi/__init__.py",           "tilelang/lib/libtilelang_module.so"};

void write(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// What a runtime says of itself, and whether a library without needs loads.
void read(const std::filesystem::path& path, Monitor& monitor) {
  const auto runtime = targets::readRuntime(builtIn(), path, monitor);
  if (!runtime) return require(!runtime.error().message().empty());
  require(!(*runtime)->title().empty());
  for (const std::string& sentence : (*runtime)->evidence()) require(!sentence.empty());
  for (const std::string& sentence : (*runtime)->packageConflicts()) require(!sentence.empty());
  for (const char* const name : {"vm.builtin.copy", "TVMFFIWasmSafeCall", "fd_write", "", "a\nb"}) {
    (*runtime)->function(name);
    (*runtime)->symbol(name);
    (*runtime)->webImport("env", name);
    (*runtime)->argumentCounts(name);
  }
  preflight::judge({}, **runtime, nullptr);
}

} // namespace

/// The first byte selects what the rest is: the JavaScript of a web runtime, a file of WebAssembly, an .apk, a list of
/// specifiers after a version and a line end, or the files of a Python environment. Each of these begins with 0xff and
/// the number of its name.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const unsigned kind = static_cast<unsigned char>(input[0]) % 5;
  input.remove_prefix(1);
  test::StepLimit monitor(size);
  if (kind == 3) {
    const std::string_view version = input.substr(0, input.find('\n'));
    const std::string_view rest = input.substr(std::min(version.size() + 1, input.size()));
    (void)targets::satisfies(version, rest);
    const auto order = targets::comparePythonVersions(version, rest);
    const auto reversed = targets::comparePythonVersions(rest, version);
    require(order.has_value() == reversed.has_value() && (!order || *order == 0 <=> *reversed));
    return 0;
  }
  const auto folder = process::TemporaryFolder::create();
  require(folder.hasValue());
  constexpr std::array<std::string_view, 3> kNames = {"tvmjs.bundle.js", "model.wasm", "app.apk"};
  if (kind < kNames.size()) {
    write(folder->path() / kNames[kind], input);
    read(folder->path() / kNames[kind], monitor);
    return 0;
  }
  const std::filesystem::path site = folder->path() / "lib" / "python3.13" / "site-packages";
  std::filesystem::create_directories(site);
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\xff', 1), input.size());
    if (input.size() > 1 && input[0] == '\xff')
      write(site / kFiles[static_cast<unsigned char>(input[1]) % kFiles.size()],
            end > 2 ? input.substr(2, end - 2) : std::string_view());
    input.remove_prefix(end);
  }
  const auto packages = targets::readPackages(site, monitor);
  require(packages.hasValue());
  for (const targets::PackageConflict& one : targets::findConflicts(*packages)) require(!one.sentence().empty());
  read(folder->path(), monitor);
  return 0;
}
