#pragma once

#include "core/write/macho/plan.h"

/// Code signatures. Source: Apple cs_blobs.h (XNU, osfmk/kern/cs_blobs.h); the same in LLVM's MachO.h. All of a
/// signature is big-endian.
namespace blobscope::write::macho {

inline constexpr uint64_t kHashSize = 32; ///< SHA-256

/// A code signature, as far as its page hashes need it.
struct Signature {
  /// AdHoc: one code directory that anyone can make again. Identity: what only its owner can make again.
  enum class Kind { AdHoc, Identity, Damaged };
  Kind kind = Kind::Damaged;
  std::string reason; ///< for Damaged
  Extent place;       ///< of all
  uint64_t size = 0;  ///< bytes that it says it has, at most those of the place
  Extent directory;   ///< the first CodeDirectory
  uint64_t version = 0;
  uint64_t hashesAt = 0; ///< of page 0
  uint64_t pages = 0;
  uint64_t limit = 0; ///< bytes of the file that are hashed
  unsigned pageBits = 0;
  std::string_view identifier;
};
Signature readSignature(std::string_view text, Extent place);

/// SHA-256 of the pages `[first, last)` of the output, one after the other; the last page of all ends at `limit`.
/// Cancelled.
Result<std::string> computeHashes(const Plan& plan, const Bytes& input, uint64_t first, uint64_t last,
                                  unsigned pageBits, uint64_t limit, Monitor& monitor);

/// A signature of the first `limit` bytes of an output. Its size depends on `limit` and the old signature only.
class SignatureMaker {
public:
  /// Keeps everything of an ad-hoc signature but lengths and hashes.
  static Result<SignatureMaker> again(const library::Package& package, const Signature& old, uint64_t limit);
  /// One CodeDirectory and nothing else, as linkers make it. Which fields come from the old one:
  /// core/formats/containers.md 6.3 (6). REP-SHAPE without an identifier.
  static Result<SignatureMaker> adHoc(const library::Package& package, const File& file, const Signature& old,
                                      uint64_t limit);

  uint64_t size() const { return m_head.size() + pages() * kHashSize + m_tail.size(); }
  /// `plan`: its first bytes are those that are signed. Cancelled.
  Result<std::string> make(const Plan& plan, const Bytes& input, Monitor& monitor) const;

private:
  uint64_t pages() const { return (m_limit + (uint64_t{1} << m_pageBits) - 1) >> m_pageBits; }

  uint64_t m_limit = 0;
  unsigned m_pageBits = 12;
  std::string m_head, m_tail; ///< around the hashes
};

} // namespace blobscope::write::macho
