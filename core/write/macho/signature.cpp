#include "core/write/macho/signature.h"

#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/container/number_at.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write::macho {
namespace {

using container::numberAt;

constexpr uint32_t CSMAGIC_EMBEDDED_SIGNATURE = 0xfade0cc0, CSMAGIC_CODEDIRECTORY = 0xfade0c02;
constexpr uint32_t CSSLOT_CODEDIRECTORY = 0, CSSLOT_ALTERNATE_CODEDIRECTORIES = 0x1000,
                   CSSLOT_ALTERNATE_CODEDIRECTORY_MAX = 5, CSSLOT_SIGNATURESLOT = 0x10000;
constexpr uint32_t CS_ADHOC = 0x2;
constexpr uint32_t CS_SUPPORTSSCATTER = 0x20100, CS_SUPPORTSTEAMID = 0x20200, CS_SUPPORTSCODELIMIT64 = 0x20300,
                   CS_SUPPORTSEXECSEG = 0x20400, CS_SUPPORTSRUNTIME = 0x20500;
constexpr uint8_t CS_HASHTYPE_SHA256 = 2;
constexpr uint64_t kNewDirectory = 88; ///< a CodeDirectory of version 0x20400 without its tables
constexpr unsigned kUsualPage = 12, kLargestPage = 16;

void put(std::string& bytes, uint64_t at, uint64_t value, unsigned size = 4) {
  bytes.replace(at, size, numberText(value, size, true));
}

/// Reads one signature; stops at the first error.
class SignatureReader {
public:
  SignatureReader(std::string_view text, Extent place) : m_fits(Extent{0, text.size()}.contains(place)) {
    m_signature.place = place;
    if (m_fits) m_all = text.substr(place.offset, place.size);
  }

  Signature read() {
    if (!m_fits) return damaged("is truncated");
    if (!readBlobs() || !readDirectory()) return m_signature;
    m_signature.kind = Signature::Kind::AdHoc;
    return m_signature;
  }

private:
  uint64_t u32(uint64_t at) const { return numberAt(m_all, at, 4, true); }
  const Signature& damaged(std::string reason) {
    m_signature.kind = Signature::Kind::Damaged;
    m_signature.reason = "its code signature at " + hexText(m_signature.place.offset) + " " + std::move(reason);
    return m_signature;
  }
  bool fail(std::string reason) {
    damaged(std::move(reason));
    return false;
  }

  /// Reads the list of blobs.
  bool readBlobs() {
    const uint64_t count = u32(8);
    if (u32(0) != CSMAGIC_EMBEDDED_SIGNATURE || count > (m_all.size() - std::min<std::size_t>(m_all.size(), 12)) / 8)
      return fail("has an unknown format");
    m_signature.size = std::min<uint64_t>(u32(4), m_all.size());
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t slot = u32(12 + 8 * i), at = u32(16 + 8 * i);
      if (at > m_all.size() || m_all.size() - at < 8 || u32(at + 4) > m_all.size() - at)
        return fail("has a truncated part");
      const Extent part{at, u32(at + 4)};
      if (slot == CSSLOT_CODEDIRECTORY ||
          (slot >= CSSLOT_ALTERNATE_CODEDIRECTORIES &&
           slot < CSSLOT_ALTERNATE_CODEDIRECTORIES + CSSLOT_ALTERNATE_CODEDIRECTORY_MAX)) {
        if (m_directories++ == 0 || slot == CSSLOT_CODEDIRECTORY) m_signature.directory = part;
      } else if (slot == CSSLOT_SIGNATURESLOT) {
        m_identity = m_identity || part.size > 8; // an ad-hoc signature may have an empty one
      }
    }
    const Extent directory = m_signature.directory;
    if (m_directories == 0 || u32(directory.offset) != CSMAGIC_CODEDIRECTORY || directory.size < 44)
      return fail("has no code directory");
    return true;
  }

  bool readDirectory() {
    const uint64_t at = m_signature.directory.offset, size = m_signature.directory.size;
    m_signature.version = u32(at + 8);
    const uint64_t version = m_signature.version, flags = u32(at + 12), hashes = u32(at + 16),
                   identifier = u32(at + 20);
    const auto field = [&](uint64_t since, uint64_t offset, unsigned bytes) {
      return version >= since && size >= offset + bytes ? numberAt(m_all, at + offset, bytes, true) : 0;
    };
    m_signature.pages = u32(at + 28);
    m_signature.limit = u32(at + 32);
    if (const uint64_t limit = field(CS_SUPPORTSCODELIMIT64, 56, 8)) m_signature.limit = limit;
    const auto hashSize = numberAt(m_all, at + 36, 1, true), hashType = numberAt(m_all, at + 37, 1, true);
    m_signature.pageBits = static_cast<unsigned>(numberAt(m_all, at + 39, 1, true));
    m_signature.directory.offset += m_signature.place.offset;
    m_signature.hashesAt = m_signature.directory.offset + hashes;
    if (identifier < size) {
      const std::string_view rest = m_all.substr(at + identifier, size - identifier);
      m_signature.identifier = rest.substr(0, rest.find('\0'));
    }
    // core/formats/containers.md 6.3: only its owner can recreate such a signature.
    if (m_identity || m_directories > 1 || hashType != CS_HASHTYPE_SHA256 || hashSize != kHashSize ||
        !(flags & CS_ADHOC) || field(CS_SUPPORTSTEAMID, 48, 4) != 0) {
      m_signature.kind = Signature::Kind::Identity;
      return false;
    }
    if (field(CS_SUPPORTSSCATTER, 44, 4) != 0 || field(CS_SUPPORTSRUNTIME, 92, 4) != 0)
      return fail("has scattered or pre-encryption hashes");
    return checkPages({hashes, m_signature.pages * kHashSize});
  }

  /// `hashes`: their extent in the directory.
  bool checkPages(Extent hashes) {
    const uint64_t pages = m_signature.pages, limit = m_signature.limit;
    const unsigned bits = m_signature.pageBits;
    const Extent directory{0, m_signature.directory.size};
    if (bits < kUsualPage || bits > kLargestPage) return fail("has pages of 2^" + std::to_string(bits) + " bytes");
    if (pages > directory.size / kHashSize || !directory.contains(hashes))
      return fail("has hashes outside its code directory");
    if (limit > m_signature.place.offset || (limit + (uint64_t{1} << bits) - 1) >> bits != pages)
      return fail("has " + std::to_string(pages) + (pages == 1 ? " hash for " : " hashes for ") + sizeText(limit));
    return true;
  }

  bool m_fits;
  std::string_view m_all;
  Signature m_signature;
  uint64_t m_directories = 0;
  bool m_identity = false;
};

} // namespace

Signature readSignature(std::string_view text, Extent place) { return SignatureReader(text, place).read(); }

Result<std::string> computeHashes(const Plan& plan, const Bytes& input, uint64_t first, uint64_t last,
                                  unsigned pageBits, uint64_t limit, Monitor& monitor) {
  OutputReader reader(plan, input);
  const uint64_t pageSize = uint64_t{1} << pageBits;
  std::string hashes;
  for (uint64_t page = first; page < last; ++page) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("hashing pages", page - first, last - first);
    const uint64_t begin = page << pageBits;
    BLOBSCOPE_TRY(hex, computeSha256(reader.read(begin, std::min(pageSize, limit - begin)), monitor));
    hashes += parseHexDigits(hex).value_or(std::string(kHashSize, '\0'));
  }
  return hashes;
}

Result<SignatureMaker> SignatureMaker::updated(const library::Package& package, const Signature& old, uint64_t limit) {
  SignatureMaker maker;
  maker.m_limit = limit;
  maker.m_pageBits = old.pageBits;
  // `readSignature` has checked that all of this is inside the signature; only the hashes of the code may change its
  // size.
  const std::string_view all = package.bytes.view().substr(old.place.offset, old.place.size);
  const uint64_t at = old.directory.offset - old.place.offset, hashes = old.hashesAt - old.place.offset,
                 end = hashes + old.pages * kHashSize;
  const uint64_t whole = std::max(old.size, end), count = numberAt(all, 8, 4, true);
  if (hashes < 12 + 8 * count || hashes < at + 44 || end != at + old.directory.size)
    return layoutError(package, "the hashes are not the end of the code directory");
  maker.m_head = all.substr(0, hashes);
  maker.m_tail = all.substr(end, whole - end);
  const uint64_t grown = maker.pages() * kHashSize - old.pages * kHashSize; // modulo 2⁶⁴
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t offset = numberAt(all, 16 + 8 * i, 4, true);
    if (offset > at && offset < end) return layoutError(package, "parts of the code signature overlap");
    if (offset >= end) put(maker.m_head, 16 + 8 * i, offset + grown);
  }
  put(maker.m_head, 4, whole + grown);
  put(maker.m_head, at + 4, old.directory.size + grown);
  put(maker.m_head, at + 28, maker.pages());
  put(maker.m_head, at + 32, limit);
  if (old.version >= CS_SUPPORTSCODELIMIT64 && old.directory.size >= 64 && numberAt(all, at + 56, 8, true) != 0)
    put(maker.m_head, at + 56, limit, 8);
  if (old.place.size != whole) maker.m_tail.append((8 - maker.size() % 8) % 8, '\0');
  return maker;
}

Result<SignatureMaker> SignatureMaker::adHoc(const library::Package& package, const File& file, const Signature& old,
                                             uint64_t limit) {
  SignatureMaker maker;
  maker.m_limit = limit;
  maker.m_pageBits = old.pageBits >= kUsualPage && old.pageBits <= kLargestPage ? old.pageBits : kUsualPage;
  if (old.identifier.empty()) return layoutError(package, "its code signature has no identifier");
  const std::string_view text = package.bytes.view();
  const Segment* const code = file.findSegment(kTextName);
  uint64_t base = code ? code->file.offset : 0, baseLimit = code ? code->file.size : 0,
           flags = file.fileType == MH_EXECUTE;
  if (old.version >= CS_SUPPORTSEXECSEG && old.directory.size >= kNewDirectory) {
    base = numberAt(text, old.directory.offset + 64, 8, true);
    baseLimit = numberAt(text, old.directory.offset + 72, 8, true);
    flags = numberAt(text, old.directory.offset + 80, 8, true);
  }
  const uint64_t hashes = kNewDirectory + old.identifier.size() + 1, size = hashes + maker.pages() * kHashSize;
  std::string& out = maker.m_head;
  const auto u32 = [&](uint64_t value) { out += numberText(value, 4, true); };
  for (const uint64_t value :
       {uint64_t{CSMAGIC_EMBEDDED_SIGNATURE}, 20 + size, uint64_t{1}, uint64_t{CSSLOT_CODEDIRECTORY}, uint64_t{20}})
    u32(value);
  for (const uint64_t value : {uint64_t{CSMAGIC_CODEDIRECTORY}, size, uint64_t{CS_SUPPORTSEXECSEG}, uint64_t{CS_ADHOC},
                               hashes, kNewDirectory, uint64_t{0}, maker.pages(), limit})
    u32(value);
  out +=
      {static_cast<char>(kHashSize), static_cast<char>(CS_HASHTYPE_SHA256), '\0', static_cast<char>(maker.m_pageBits)};
  for (int i = 0; i < 4; ++i) u32(0); // spare, scatter, team, spare
  out += numberText(0, 8, true);      // limits of more than 4 GiB: the offset of a signature has 32 bits
  for (const uint64_t value : {base, baseLimit, flags}) out += numberText(value, 8, true);
  out += old.identifier;
  out += '\0';
  return maker;
}

Result<std::string> SignatureMaker::make(const Plan& plan, const Bytes& input, Monitor& monitor) const {
  BLOBSCOPE_TRY(hashes, computeHashes(plan, input, 0, pages(), m_pageBits, m_limit, monitor));
  return m_head + hashes + m_tail;
}

} // namespace blobscope::write::macho
