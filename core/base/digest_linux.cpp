#include "core/base/digest.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"

// The only use of LLVM in core: its SHA-256 and CRC-32 are available, and own implementations would need more review.
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/CRC.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>

namespace blobscope {

Result<std::string> computeSha256(const Bytes& bytes, Monitor& monitor) {
  longWork("computeSha256");
  constexpr uint64_t kStep = 1 << 20;
  llvm::SHA256 hash;
  for (uint64_t at = 0; at < bytes.size(); at += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("computing the digest", at, bytes.size());
    const std::string_view part = bytes.view().substr(at, kStep);
    hash.update(llvm::StringRef(part.data(), part.size()));
  }
  const auto digest = hash.final();
  return hexDigits({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

uint32_t crc32(uint32_t crc, std::string_view bytes) {
  return llvm::crc32(crc, llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

} // namespace blobscope
