#include "core/payloads/params/params.h"
#include "core/payloads/payload.h"
#include "core/payloads/tensor/npy.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

/// Arbitrary bytes as the code or data of a module: every page is made and read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  const Bytes payload = test::bytes({reinterpret_cast<const char*>(data), size});
  (void)payloads::contentWords(payload);
  view::PageList pages;
  payloads::addPayloadPages(payload, "cuda", pages);
  if (const auto params = payloads::readParams(payload)) {
    payloads::addParamsPages(**params, pages);
    Writer writer;
    payloads::encodeParams(**params, writer);
    if (writer.size() != size) __builtin_trap();
  }
  (void)payloads::readNpy(payload);
  test::StepLimit monitor(size);
  for (const view::Page& page : pages) {
    const auto made = view::resolvePage(page, monitor);
    if (!made) continue;
    const auto* const table = std::get_if<view::TablePage>(&made->content);
    if (!table) continue;
    const std::size_t columns = table->source->columns().size();
    for (uint64_t row = 0; row < std::min<uint64_t>(table->source->rowCount(), 50); ++row)
      for (std::size_t column = 0; column < columns; ++column) (void)table->source->cell(row, column);
  }
  return 0;
}
