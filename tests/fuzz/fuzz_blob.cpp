#include "core/library/blob.h"
#include "core/library/verify.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

/// The first byte selects the carrier; the rest is its content.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  if (size < 1) return 0;
  test::StepLimit monitor(size);
  container::Carrier carrier;
  carrier.name = static_cast<container::CarrierName>(data[0] % 3);
  carrier.symbol = container::carrierText(carrier.name);
  carrier.available = test::bytes({reinterpret_cast<const char*>(data) + 1, size - 1});
  if (data[0] & 0x40) carrier.symbolSize = size / 2;
  const auto blob = library::openBlob(carrier, {}, monitor);
  if (!blob) __builtin_trap(); // nothing cancels here
  const auto result = library::computeVerification(*blob, monitor);
  if (!result || !result->identical || result->owned + result->unknown != result->size) __builtin_trap();
  if (blob->cut.count && blob->modules.size() > std::max<uint64_t>(*blob->cut.count, 1)) __builtin_trap();
  return 0;
}
