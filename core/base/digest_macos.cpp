#include "core/base/digest.h"

#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"

#include <CommonCrypto/CommonDigest.h>
#include <algorithm>
#include <array>
#include <zlib.h>

namespace blobscope {

Result<std::string> computeSha256(std::span<const Bytes> pieces, Monitor& monitor) {
  longWork("computeSha256");
  constexpr uint64_t kStep = 1 << 20;
  CC_SHA256_CTX hash;
  CC_SHA256_Init(&hash);
  for (const Bytes& bytes : pieces) {
    PassedBytes passed(bytes);
    for (uint64_t at = 0; at < bytes.size(); at += kStep) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("computing the digest", at, bytes.size());
      const std::string_view part = bytes.view().substr(at, kStep);
      CC_SHA256_Update(&hash, part.data(), static_cast<CC_LONG>(part.size()));
      passed.passTo(at + kStep);
    }
  }
  std::array<unsigned char, CC_SHA256_DIGEST_LENGTH> digest{};
  CC_SHA256_Final(digest.data(), &hash);
  return hexDigits({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

uint32_t crc32(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

} // namespace blobscope
