#include "core/safety/known_code.h"

#include <unordered_map>

namespace blobscope::safety {
namespace {

const std::unordered_map<std::string_view, KnownCode>& knownCode() {
  static const std::unordered_map<std::string_view, KnownCode> all = {
#define BLOBSCOPE_KNOWN(digest, name, origin) {digest, {digest, name, origin}},
#include "core/safety/known_code.inc"
#undef BLOBSCOPE_KNOWN
  };
  return all;
}

} // namespace

const KnownCode* findKnownCode(std::string_view digest) {
  const auto found = knownCode().find(digest);
  return found != knownCode().end() ? &found->second : nullptr;
}

} // namespace blobscope::safety
