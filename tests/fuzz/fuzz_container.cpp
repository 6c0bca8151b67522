#include "core/container/carrier.h"
#include "core/library/contents.h"
#include "core/library/details.h"
#include "core/library/node.h"
#include "core/library/node_pages.h"
#include "core/library/open.h"
#include "core/library/overview.h"
#include "core/library/verify.h"
#include "core/search/search.h"
#include "core/xref/functions.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

/// A whole file of any container: opened with its members, every blob verified, the first rows of every page read, its
/// functions joined.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  test::StepLimit monitor(size);
  const auto package = library::open(test::source({reinterpret_cast<const char*>(data), size}), "made.so", monitor);
  if (!package) return 0;
  const auto look = [&](const Ref& ref) {
    const auto pages = library::nodePages(*package, ref);
    if (!pages) return;
    for (const view::Page& page : *pages) {
      const auto* const table = std::get_if<view::TablePage>(&page.content);
      if (!table) continue;
      const std::size_t columns = table->source->columns().size();
      for (uint64_t row = 0; row < std::min<uint64_t>(table->source->rowCount(), 16); ++row)
        for (std::size_t column = 0; column < columns; ++column) (void)table->source->cell(row, column);
    }
  };
  library::forEachPackage(*package, [&](const library::PackagePtr& inner) {
    look(inner->ref(Ref::file()));
    for (const auto& blob : inner->blobs) {
      const auto result = library::computeVerification(*blob, monitor);
      if (!result || !result->identical || result->owned + result->unknown != result->size) __builtin_trap();
      look(blob->ref());
      for (const auto& module : blob->modules) look(blob->moduleRef(module->index));
    }
  });
  (void)library::contentsOf(**package);
  (void)library::fileOverview(**package, monitor);
  (void)library::nodeDetails(*package, Ref::file(), monitor);
  (void)xref::computeFunctions(*package, monitor);
  int left = 50;
  (void)search::strings(**package, 6, monitor, [&](const search::Hit&) { return --left > 0; });
  return 0;
}
