#include "core/base/json.h"
#include "core/base/ref.h"
#include "core/base/text.h"
#include "core/search/regex.h"
#include "tests/support/test_support.h"

/// Text from people and files: refs, JSON, names.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto ref = Ref::parse(text)) {
    const auto again = Ref::parse(ref->toString());
    if (!again || !(*again == *ref)) __builtin_trap();
  }
  const auto value = json::parse(test::bytes(text));
  if (!value) (void)value.error().message();
  const std::string line = escaped(text);
  if (!isUtf8(line) || line.find('\n') != std::string::npos || line.size() > kShownBytes + 40) __builtin_trap();
  const std::string whole = escapedWhole(text);
  if (!isUtf8(whole) || plainText(whole, std::string::npos) != whole) __builtin_trap();
  if (!isUtf8(plainText(text, 100))) __builtin_trap();
  (void)shortened(line, 20);
  return 0;
}
