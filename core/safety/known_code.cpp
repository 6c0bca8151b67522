#include "core/safety/known_code.h"

#include <algorithm>
#include <iterator>

namespace blobscope::safety {
namespace {

constexpr KnownCode kKnown[] = {
#define BLOBSCOPE_KNOWN(digest, name, origin) {digest, name, origin},
#include "core/safety/known_code.inc"
#undef BLOBSCOPE_KNOWN
};

} // namespace

const KnownCode* findKnownCode(std::string_view digest) {
  const auto found = std::ranges::find(kKnown, digest, &KnownCode::digest);
  return found != std::end(kKnown) ? found : nullptr;
}

} // namespace blobscope::safety
