#include "core/payloads/bundle/bundle.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

#include <algorithm>

/// Arbitrary bytes as an offload bundle. Entries are inside of the unpacked bundle, and what counts as complete can be
/// unpacked to the declared size.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  const auto check = [](bool holds) {
    if (!holds) __builtin_trap();
  };
  const Bytes bytes = test::bytes({reinterpret_cast<const char*>(data), size});
  test::StepLimit monitor(size);
  const payloads::Bundle bundle = payloads::readBundle(bytes, monitor);
  check(bundle.storedSize <= size && bundle.entries.size() <= payloads::Bundle::kEntries);
  for (const payloads::BundleEntry& entry : bundle.entries) {
    check(entry.id.size() <= payloads::Bundle::kIdBytes && entry.target().size() <= entry.id.size());
    if (bundle.damage.empty()) check(entry.extent.end() <= bundle.unpackedSize);
  }
  const auto whole = payloads::bundleSize(bytes);
  if (whole) check(*whole > 0 && *whole <= size);
  const auto unpacked = payloads::unpackBundle(bytes, Budget::forFile(size, uint64_t{16} << 20), monitor);
  if (!unpacked) {
    check(!unpacked.error().message().empty());
    return 0;
  }
  check(bundle.compression == payloads::Bundle::Compression::None || unpacked->size() == bundle.unpackedSize);
  // An unpacked bundle is a plain one with the same entries.
  if (!bundle.damage.empty()) return 0;
  const payloads::Bundle again = payloads::readBundle(*unpacked, monitor);
  check(again.entries.size() == bundle.entries.size() &&
        std::equal(again.entries.begin(), again.entries.end(), bundle.entries.begin(),
                   [](const auto& a, const auto& b) { return a.id == b.id && a.extent == b.extent; }));
  return 0;
}
