#include "core/describe/node.h"
#include "core/diff/compare.h"
#include "core/edit/apply.h"
#include "core/library/contents.h"
#include "core/library/open.h"
#include "core/mlf/check.h"
#include "core/view/render.h"
#include "core/write/export_folder.h"
#include "core/write/repack.h"
#include "tests/support/builders.h"
#include "tests/support/mlf_builder.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <unistd.h>

using namespace blobscope;

namespace {

constexpr int kThreads = 4;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "expected: %s\n", what);
  std::exit(1);
}

/// Runs `work` on several threads at once; each gets its number.
void onThreads(const std::function<void(int thread)>& work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&work, i] { work(i); });
}

library::PackagePtr opened(const std::filesystem::path& path) {
  NullMonitor monitor;
  auto package = library::openPrivate(path, monitor);
  require(package.hasValue(), "the file opens");
  return *package;
}

/// Every page of every node, as text and as JSON, and the details of the node.
std::size_t describeAll(const library::PackagePtr& package) {
  NullMonitor monitor;
  std::size_t characters = 0;
  for (const library::ContentsRow& row : library::contentsOf(*package)) {
    const auto pages = describe::pagesOf(package, row.ref, monitor);
    if (!pages) continue; // a damaged node says why
    for (const view::Page& later : *pages) {
      const auto page = view::resolvePage(later, monitor);
      if (!page) continue;
      const auto count = [&](std::string_view text) { characters += text.size(); };
      require(view::renderText(*page, count, monitor).hasValue(), "the page is rendered as text");
      json::Writer writer(count);
      writer.beginObject();
      require(view::renderJson(*page, writer, monitor).hasValue(), "the page is rendered as JSON");
      writer.endObject();
    }
    (void)describe::detailsOf(package, row.ref, monitor);
  }
  return characters;
}

void pagesOfOnePackageAreMadeByManyThreads(const library::PackagePtr& package) {
  const std::size_t expected = describeAll(package);
  require(expected > 0, "the pages have text");
  onThreads([&](int) { require(describeAll(package) == expected, "every thread gets the same pages"); });
}

void twoPackagesAreComparedByManyThreads(const library::PackagePtr& a, const library::PackagePtr& b) {
  onThreads([&](int) {
    NullMonitor monitor;
    const auto tree = diff::compare(a, b, {}, monitor);
    require(tree.hasValue() && !tree->equal(), "the comparison finds differences");
  });
}

/// Each thread edits the shared package, plans, writes and verifies a file of its own, and exports a folder.
void onePackageIsEditedAndWrittenByManyThreads(const library::PackagePtr& package,
                                               const std::filesystem::path& folder) {
  onThreads([&](int thread) {
    NullMonitor monitor;
    const std::filesystem::path own = folder / std::to_string(thread);
    std::filesystem::create_directories(own);
    const std::vector<edit::Edit> edits = {
        edit::Rename{{Ref::moduleAt("", 1).part(PartKind::Kernel, "mul_kernel"), {}}, "mul" + std::to_string(thread)}};
    const auto repack = write::planRepack(package, edits, {}, {}, monitor);
    require(repack.hasValue(), "the repack is planned");
    require(write::writeRepack(*repack, own / "out.so", {}, monitor).hasValue(), "the file is written and verified");
    require(write::exportFolder(package, own / "export", monitor).hasValue(), "the folder is exported");
  });
}

void oneArchiveIsCheckedByManyThreads(const library::PackagePtr& archive) {
  onThreads([&](int) {
    NullMonitor monitor;
    require(mlf::check(archive, monitor).hasValue(), "the archive is checked");
    require(describeAll(archive) > 0, "the archive has pages");
  });
}

/// Stops when another thread says so.
class SharedStop final : public Monitor {
public:
  bool stopRequested() const override {
    m_asked = true;
    return m_stop;
  }
  void progress(std::string_view, uint64_t, uint64_t) override {}
  void stopOnceAsked() {
    while (!m_asked) std::this_thread::yield();
    m_stop = true;
  }
  /// The work ended without a question, so that nobody waits for one.
  void finish() { m_asked = true; }

private:
  mutable std::atomic<bool> m_asked = false;
  std::atomic<bool> m_stop = false;
};

void workIsCancelledFromAnotherThread(const library::PackagePtr& a, const library::PackagePtr& b) {
  onThreads([&](int) {
    SharedStop monitor;
    std::jthread canceller([&] { monitor.stopOnceAsked(); });
    const auto tree = diff::compare(a, b, {}, monitor);
    monitor.finish();
    require(tree.hasValue() || tree.error().code() == ErrorCode::Cancelled, "only a cancel ends the comparison");
  });
}

std::filesystem::path written(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string libraryWith(const std::vector<test::Function>& functions) {
  return test::elfWith(
      "__tvm_dev_mblob",
      test::classicBlob(
          {{"_lib", ""}, {"cuda", test::code3("ptx", functions, test::ptxText(functions), test::Info::Three)}},
          {{{1}, {}}}));
}

} // namespace

/// Comparing, describing, editing, writing, exporting, checking and cancelling on several threads at once, for
/// ThreadSanitizer.
int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("blobscope-race-core-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto a = opened(written(folder / "a.so", libraryWith({{"add_kernel"}, {"mul_kernel"}})));
  const auto b = opened(written(folder / "b.so", libraryWith({{"add_kernel"}, {"mul_kernel"}, {"sub_kernel"}})));
  const auto archive = opened(written(folder / "model.tar", test::cleanMlf(7, test::MlfStyle::Graph).tar()));
  pagesOfOnePackageAreMadeByManyThreads(a);
  twoPackagesAreComparedByManyThreads(a, b);
  onePackageIsEditedAndWrittenByManyThreads(a, folder);
  oneArchiveIsCheckedByManyThreads(archive);
  workIsCancelledFromAnotherThread(a, b);
  std::filesystem::remove_all(folder);
  std::puts("no race");
  return 0;
}
