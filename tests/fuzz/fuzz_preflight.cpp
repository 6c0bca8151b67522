#include "core/describe/preflight.h"
#include "core/preflight/preflight.h"
#include "core/process/process.h"
#include "core/requirements/requirements.h"
#include "core/targets/facts.h"
#include "core/targets/table_files.h"
#include "core/view/render.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

using namespace blobscope;

void check(bool holds) {
  if (!holds) __builtin_trap();
}

const targets::FactsPtr& builtIn() {
  static const targets::FactsPtr facts = [] {
    auto loaded = targets::Facts::load();
    check(loaded.hasValue());
    return std::move(*loaded);
  }();
  return facts;
}

const std::filesystem::path& folder() {
  static const process::TemporaryFolder made = [] {
    auto created = process::TemporaryFolder::create();
    check(created.hasValue());
    return std::move(*created);
  }();
  return made.path();
}

void write(const std::filesystem::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

/// What a library needs; the page for the newest release and a GPU.
void readLibrary(std::string_view input, Monitor& monitor) {
  const auto package = test::openBytes(input);
  if (!package) return;
  auto needs = requirements::requirementsOf(*package, monitor);
  check(needs.hasValue());
  const auto shared = std::make_shared<const requirements::Requirements>(std::move(*needs));
  const auto page = describe::checklistOf(shared, builtIn(), {{}, "sm_90", "550"}, monitor);
  check(page.hasValue());
  (void)view::renderText({"page", *page}, [](std::string_view) {}, monitor);
}

/// A runtime on disk.
void readRuntime(std::string_view input, Monitor& monitor) {
  const std::filesystem::path path = folder() / "libtvm_runtime.so";
  write(path, input);
  const auto read = targets::readRuntime(builtIn(), path, monitor);
  if (!read) return check(!read.error().message().empty());
  check(!(*read)->evidence().empty());
  (*read)->function("vm.builtin.copy");
  preflight::judge({}, **read, nullptr);
}

/// A built-in table with changes: its number, then position and replacement of each change. It is loaded, or the error
/// says what is wrong with it.
void readTable(std::string_view input) {
  const auto files = targets::tableFiles();
  if (input.empty()) return;
  const targets::TableFile& file = files[static_cast<unsigned char>(input[0]) % files.size()];
  input.remove_prefix(1);
  std::string text;
  for (const std::string_view piece : file.pieces) text += piece;
  while (input.size() > 4) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(input[i])); };
    const std::size_t at = (byte(0) | byte(1) << 8) % text.size(), removed = byte(2) % 16, added = byte(3) % 16;
    input.remove_prefix(4);
    text.replace(at, std::min(removed, text.size() - at), input.substr(0, added));
    input.remove_prefix(std::min(added, input.size()));
  }
  // A table is only used if it is newer than the built-in one.
  if (const std::size_t date = text.find("\"date\": \"20"); date != std::string::npos) text[date + 9] = '9';
  const std::filesystem::path path = folder() / std::string(file.name);
  write(path, text);
  const auto loaded = targets::Facts::load(folder());
  std::filesystem::remove(path);
  if (!loaded) return check(loaded.error().id() == DiagnosticId::PreFacts);
  check((*loaded)->newestRelease() < (*loaded)->releases().size());
}

} // namespace

/// The first byte selects what the rest is: a library, a runtime on disk, or changes of a table.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  test::StepLimit monitor(size);
  switch (static_cast<unsigned char>(input[0]) % 3) {
  case 0: readLibrary(input.substr(1), monitor); break;
  case 1: readRuntime(input.substr(1), monitor); break;
  default: readTable(input.substr(1)); break;
  }
  return 0;
}
