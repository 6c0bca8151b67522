#include "app/runner/probe_text.h"
#include "core/base/text.h"
#include "core/protocol/protocol.h"
#include "tests/support/test_support.h"

/// Output of a runner, which a library that it has loaded may have written; and error texts of host functions.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto event = protocol::readEvent(text)) {
    const std::string line = protocol::writeEvent(*event);
    if (line.size() > protocol::kLineBytes || !isUtf8(line) || line.find('\n') != std::string::npos) __builtin_trap();
    // Shortening a text twice changes nothing.
    const auto again = protocol::readEvent(line);
    if (!again || protocol::writeEvent(*again) != line) __builtin_trap();
  } else {
    if (event.error().message().size() > 10'000) __builtin_trap();
  }
  if (const auto job = protocol::readJob(test::bytes(text))) {
    const auto again = protocol::readJob(test::bytes(protocol::writeJob(*job)));
    if (!again) __builtin_trap();
  }
  (void)runner::probeFact(text, 7);
  (void)runner::probeValue(text, 7);
  return 0;
}
