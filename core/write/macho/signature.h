#pragma once

#include "core/write/macho/plan.h"

/// Code signatures. Source: Apple cs_blobs.h (XNU, osfmk/kern/cs_blobs.h); the same in LLVM's MachO.h. Signatures are
/// big-endian.
namespace blobscope::write::macho {

inline constexpr uint64_t kHashSize = 32; ///< SHA-256

/// The parts of a code signature that its page hashes need.
struct Signature {
  /// AdHoc: one code directory, which anyone can recreate. Identity: only its owner can recreate it.
  enum class Kind { AdHoc, Identity, Damaged };
  Kind kind = Kind::Damaged;
  std::string reason; ///< for Damaged
  Extent place;       ///< of the whole signature
  uint64_t size = 0;  ///< declared size, at most the size of `place`
  Extent directory;   ///< the first CodeDirectory
  uint64_t version = 0;
  uint64_t hashesAt = 0; ///< offset of the hash of page 0
  uint64_t pages = 0;
  uint64_t limit = 0; ///< number of bytes of the file that are hashed
  unsigned pageBits = 0;
  std::string_view identifier;
};
Signature readSignature(std::string_view text, Extent place);

/// Returns the SHA-256 digests of the pages `[first, last)` of the output, one after the other; the last page of the
/// file ends at `limit`. Error: only Cancelled.
Result<std::string> computeHashes(const Plan& plan, const Bytes& input, uint64_t first, uint64_t last,
                                  unsigned pageBits, uint64_t limit, Monitor& monitor);

/// Creates the signature of the first `limit` bytes of an output. Its size depends only on `limit` and the old
/// signature.
class SignatureMaker {
public:
  /// Keeps everything of an ad-hoc signature except lengths and hashes.
  static Result<SignatureMaker> updated(const library::Package& package, const Signature& old, uint64_t limit);
  /// Creates only one CodeDirectory, as linkers do. core/formats/containers.md 6.3 (6) lists the fields that come from
  /// the old one. REP-SHAPE without an identifier.
  static Result<SignatureMaker> adHoc(const library::Package& package, const File& file, const Signature& old,
                                      uint64_t limit);

  uint64_t size() const { return m_head.size() + pages() * kHashSize + m_tail.size(); }
  /// Returns the signature of the first bytes of `plan`. Error: only Cancelled.
  Result<std::string> make(const Plan& plan, const Bytes& input, Monitor& monitor) const;

private:
  uint64_t pages() const { return (m_limit + (uint64_t{1} << m_pageBits) - 1) >> m_pageBits; }

  uint64_t m_limit = 0;
  unsigned m_pageBits = 12;
  std::string m_head, m_tail; ///< bytes before and after the hashes
};

} // namespace blobscope::write::macho
