#include "core/base/digest.h"

#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/base/windows_win32.h"

#include <algorithm>
#include <array>
#include <bcrypt.h>
#include <new>
#include <zlib.h>

namespace blobscope {
namespace {

/// A SHA-256 of Windows; it cannot fail with these arguments except for lack of memory.
class Hash {
public:
  Hash() {
    if (BCryptOpenAlgorithmProvider(&m_algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0) != 0 ||
        BCryptCreateHash(m_algorithm, &m_hash, nullptr, 0, nullptr, 0, 0) != 0)
      throw std::bad_alloc();
  }
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  ~Hash() {
    BCryptDestroyHash(m_hash);
    BCryptCloseAlgorithmProvider(m_algorithm, 0);
  }
  void update(std::string_view part) {
    BCryptHashData(m_hash, reinterpret_cast<PUCHAR>(const_cast<char*>(part.data())), static_cast<ULONG>(part.size()),
                   0);
  }
  std::array<char, 32> final() {
    std::array<char, 32> digest{};
    BCryptFinishHash(m_hash, reinterpret_cast<PUCHAR>(digest.data()), static_cast<ULONG>(digest.size()), 0);
    return digest;
  }

private:
  BCRYPT_ALG_HANDLE m_algorithm = nullptr;
  BCRYPT_HASH_HANDLE m_hash = nullptr;
};

} // namespace

Result<std::string> computeSha256(std::span<const Bytes> pieces, Monitor& monitor) {
  longWork("computeSha256");
  constexpr uint64_t kStep = 1 << 20;
  Hash hash;
  for (const Bytes& bytes : pieces) {
    PassedBytes passed(bytes);
    for (uint64_t at = 0; at < bytes.size(); at += kStep) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("computing the digest", at, bytes.size());
      hash.update(bytes.view().substr(at, kStep));
      passed.passTo(at + kStep);
    }
  }
  const auto digest = hash.final();
  return hexDigits({digest.data(), digest.size()});
}

uint32_t crc32(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

} // namespace blobscope
