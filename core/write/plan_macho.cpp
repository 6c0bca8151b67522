#include "core/base/digest.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/number_at.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace {

using container::numberAt;

// Apple mach-o/loader.h; the same numbers in llvm-project 19 llvm/include/llvm/BinaryFormat/MachO.h.
constexpr uint32_t kSegment = 0x1, kSymtab = 0x2, kSegment64 = 0x19, kCodeSignature = 0x1d, kEncryption = 0x21, kEncryption64 = 0x2c;
/// Load commands of real files take some kilobytes.
constexpr uint64_t kCommands = 16 << 20;

// Apple cs_blobs.h (XNU, osfmk/kern/cs_blobs.h); the same in LLVM's MachO.h. All of a signature is big-endian.
constexpr uint32_t kSuperBlob = 0xfade0cc0, kDirectory = 0xfade0c02;
constexpr uint32_t kDirectorySlot = 0, kAlternateSlots = 0x1000, kAlternateCount = 5, kSignatureSlot = 0x10000;
constexpr uint32_t kAdHoc = 0x2;
constexpr uint32_t kScatterVersion = 0x20100, kTeamVersion = 0x20200, kLimit64Version = 0x20300, kExecutableVersion = 0x20400, kRuntimeVersion = 0x20500;
constexpr uint8_t kSha256 = 2;
constexpr uint64_t kHash = 32;
constexpr uint64_t kNewDirectory = 88; ///< a CodeDirectory of version 0x20400 without its tables
constexpr unsigned kUsualPage = 12;

/// What of the load commands is needed here.
struct Commands {
  bool bigEndian = false, is64 = false;
  uint64_t begin = 0, end = 0;           ///< the load commands in the file
  std::optional<uint64_t> signatureAt;   ///< of the command
  Extent signature;                      ///< of what it points to
  std::optional<uint64_t> linkeditAt;    ///< of the command of __LINKEDIT
  Extent linkedit, text, strings;
  bool encrypted = false;
  Extent encryption;
};

Result<Commands> readCommands(const library::Package& package) {
  const std::string_view text = package.bytes.view();
  Commands commands;
  const uint64_t magic = numberAt(text, 0, 4, false);
  commands.bigEndian = magic == 0xcefaedfe || magic == 0xcffaedfe;
  commands.is64 = magic == 0xfeedfacf || magic == 0xcffaedfe;
  const auto u32 = [&](uint64_t at) { return numberAt(text, at, 4, commands.bigEndian); };
  const auto word = [&](uint64_t at) { return numberAt(text, at, commands.is64 ? 8 : 4, commands.bigEndian); };
  commands.begin = commands.is64 ? 32 : 28;
  commands.end = commands.begin + u32(20);
  if (commands.end > text.size() || u32(20) > kCommands) return layoutError(package, "its load commands do not fit");
  uint64_t at = commands.begin;
  for (uint64_t i = 0, count = u32(16); i < count; ++i) {
    const uint64_t id = u32(at), size = u32(at + 4);
    if (commands.end - at < 8 || size < 8 || size > commands.end - at) return layoutError(package, "load command " + std::to_string(i) + " at " + hexText(at) + " does not fit");
    if ((id == kSegment64 && size >= 72) || (id == kSegment && size >= 56)) {
      const std::string_view name = text.substr(at + 8, 16);
      const unsigned wide = commands.is64 ? 8 : 4;
      const Extent place{word(at + 24 + 2 * wide), word(at + 24 + 3 * wide)};
      if (name.starts_with(std::string_view("__LINKEDIT\0", 11))) commands.linkeditAt = at, commands.linkedit = place;
      if (name.starts_with(std::string_view("__TEXT\0", 7))) commands.text = place;
    } else if (id == kCodeSignature && size >= 16) {
      if (commands.signatureAt) return layoutError(package, "it has two code signatures");
      commands.signatureAt = at;
      commands.signature = {u32(at + 8), u32(at + 12)};
    } else if (id == kSymtab && size >= 24) {
      commands.strings = {u32(at + 16), u32(at + 20)};
    } else if ((id == kEncryption || id == kEncryption64) && size >= 20) {
      commands.encryption = {u32(at + 8), u32(at + 12)};
      commands.encrypted = u32(at + 16) != 0;
    }
    at += size;
  }
  return commands;
}

/// A code signature, as far as its page hashes need it.
struct Signature {
  enum class Kind { AdHoc, Identity, Damaged };
  Kind kind = Kind::Damaged;
  std::string reason;       ///< for Damaged
  Extent directory;         ///< the first CodeDirectory
  uint64_t version = 0;
  uint64_t hashesAt = 0;    ///< of page 0
  uint64_t pages = 0;
  uint64_t limit = 0;       ///< bytes of the file that are hashed
  unsigned pageBits = 0;
  std::string_view identifier;
};

Signature readSignature(std::string_view text, Extent place) {
  Signature signature;
  const auto damaged = [&](std::string reason) {
    signature.kind = Signature::Kind::Damaged;
    signature.reason = "its code signature at " + hexText(place.offset) + " " + std::move(reason);
    return signature;
  };
  if (!Extent{0, text.size()}.contains(place)) return damaged("is cut off");
  const std::string_view all = text.substr(place.offset, place.size);
  const auto u32 = [&](uint64_t at) { return numberAt(all, at, 4, true); };
  const uint64_t count = u32(8);
  if (u32(0) != kSuperBlob || count > (all.size() - std::min<std::size_t>(all.size(), 12)) / 8) return damaged("has an unknown shape");

  // --- 1. Which blobs there are. ---
  uint64_t directories = 0;
  bool identity = false;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t slot = u32(12 + 8 * i), at = u32(16 + 8 * i);
    if (at > all.size() || all.size() - at < 8 || u32(at + 4) > all.size() - at) return damaged("has a part that is cut off");
    const Extent part{at, u32(at + 4)};
    if (slot == kDirectorySlot || (slot >= kAlternateSlots && slot < kAlternateSlots + kAlternateCount)) {
      if (directories++ == 0 || slot == kDirectorySlot) signature.directory = part;
    } else if (slot == kSignatureSlot) {
      identity = identity || part.size > 8; // an ad-hoc signature may have an empty one
    }
  }
  const uint64_t at = signature.directory.offset, size = signature.directory.size;
  if (directories == 0 || u32(at) != kDirectory || size < 44) return damaged("has no code directory");

  // --- 2. The directory. ---
  signature.version = u32(at + 8);
  const uint64_t version = signature.version, flags = u32(at + 12), hashes = u32(at + 16), identifier = u32(at + 20);
  const auto field = [&](uint64_t since, uint64_t offset, unsigned bytes) { return version >= since && size >= offset + bytes ? numberAt(all, at + offset, bytes, true) : 0; };
  signature.pages = u32(at + 28);
  signature.limit = u32(at + 32);
  if (const uint64_t limit = field(kLimit64Version, 56, 8)) signature.limit = limit;
  const auto hashSize = numberAt(all, at + 36, 1, true), hashType = numberAt(all, at + 37, 1, true);
  signature.pageBits = static_cast<unsigned>(numberAt(all, at + 39, 1, true));
  signature.directory.offset += place.offset;
  signature.hashesAt = signature.directory.offset + hashes;
  if (identifier < size) {
    const std::string_view rest = all.substr(at + identifier, size - identifier);
    signature.identifier = rest.substr(0, rest.find('\0'));
  }
  // Formats text rewriting.md 6.3: what only its owner can make again.
  if (identity || directories > 1 || hashType != kSha256 || hashSize != kHash || !(flags & kAdHoc) || field(kTeamVersion, 48, 4) != 0) {
    signature.kind = Signature::Kind::Identity;
    return signature;
  }
  if (field(kScatterVersion, 44, 4) != 0 || field(kRuntimeVersion, 92, 4) != 0) return damaged("has scattered or pre-encryption hashes");
  if (signature.pageBits < kUsualPage || signature.pageBits > 16) return damaged("has pages of 2^" + std::to_string(signature.pageBits) + " bytes");
  if (signature.pages > size / kHash || !Extent{0, size}.contains(Extent{hashes, signature.pages * kHash})) return damaged("has hashes outside its code directory");
  if (signature.limit > place.offset || (signature.limit + (uint64_t{1} << signature.pageBits) - 1) >> signature.pageBits != signature.pages)
    return damaged("has " + std::to_string(signature.pages) + " hashes for " + sizeText(signature.limit));
  signature.kind = Signature::Kind::AdHoc;
  return signature;
}

/// SHA-256 of the pages `[first, last)` of the output, one after the other; the last page of all ends at `limit`.
Result<std::string> computeHashes(const Plan& plan, const Bytes& input, uint64_t first, uint64_t last, unsigned pageBits, uint64_t limit, Monitor& monitor) {
  OutputReader reader(plan, input);
  const uint64_t pageSize = uint64_t{1} << pageBits;
  std::string hashes;
  for (uint64_t page = first; page < last; ++page) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("hashing pages", page - first, last - first);
    const uint64_t begin = page << pageBits;
    BLOBSCOPE_TRY(hex, computeSha256(reader.read(begin, std::min(pageSize, limit - begin)), monitor));
    hashes += parseHexDigits(hex).value_or(std::string(kHash, '\0'));
  }
  return hashes;
}

/// A signature as linkers make it: one CodeDirectory and nothing else. Its size depends on the identifier and the file's
/// size only. Source of the fields: Apple cs_blobs.h, CS_CodeDirectory; which of them are copied: formats text
/// rewriting.md 6.3 (6).
Result<std::string> computeSignature(const library::Package& package, const Plan& plan, const Commands& commands, const Signature& old, Monitor& monitor) {
  const uint64_t limit = commands.signature.offset;
  const unsigned pageBits = old.pageBits >= kUsualPage && old.pageBits <= 16 ? old.pageBits : kUsualPage;
  const uint64_t pages = (limit + (uint64_t{1} << pageBits) - 1) >> pageBits;
  const uint64_t hashes = kNewDirectory + old.identifier.size() + 1, size = hashes + pages * kHash, whole = 20 + size;
  if (old.identifier.empty()) return layoutError(package, "its code signature has no identifier");
  if (whole > commands.signature.size)
    return layoutError(package, "an ad-hoc signature takes " + sizeText(whole) + ", the old one's place has " + sizeText(commands.signature.size));
  const std::string_view text = package.bytes.view();
  uint64_t base = commands.text.offset, baseLimit = commands.text.size, flags = numberAt(text, 12, 4, commands.bigEndian) == 2; // MH_EXECUTE
  if (old.version >= kExecutableVersion && old.directory.size >= kNewDirectory) {
    base = numberAt(text, old.directory.offset + 64, 8, true);
    baseLimit = numberAt(text, old.directory.offset + 72, 8, true);
    flags = numberAt(text, old.directory.offset + 80, 8, true);
  }
  std::string out;
  const auto u32 = [&](uint64_t value) { out += numberText(value, 4, true); };
  for (const uint64_t value : {uint64_t{kSuperBlob}, whole, uint64_t{1}, uint64_t{kDirectorySlot}, uint64_t{20}}) u32(value);
  for (const uint64_t value : {uint64_t{kDirectory}, size, uint64_t{kExecutableVersion}, uint64_t{kAdHoc}, hashes, kNewDirectory, uint64_t{0}, pages, limit}) u32(value);
  out += {static_cast<char>(kHash), static_cast<char>(kSha256), '\0', static_cast<char>(pageBits)};
  for (int i = 0; i < 4; ++i) u32(0); // spare, scatter, team, spare
  out += numberText(0, 8, true);      // limits of more than 4 GiB: the offset of a signature has 32 bits
  for (const uint64_t value : {base, baseLimit, flags}) out += numberText(value, 8, true);
  out += old.identifier;
  out += '\0';
  BLOBSCOPE_TRY(all, computeHashes(plan, package.bytes, 0, pages, pageBits, limit, monitor));
  out += all;
  out.resize(commands.signature.size, '\0');
  return out;
}

/// The file without its signature: the command, the bytes, and their share of __LINKEDIT.
Result<Plan> planUnsigned(const library::Package& package, const Commands& commands, Extent room, const NewBlob& fresh) {
  const std::string_view text = package.bytes.view();
  if (!commands.linkeditAt || commands.signature.end() != text.size() || commands.linkedit.end() != text.size() ||
      commands.signature.offset < commands.linkedit.offset)
    return layoutError(package, "its code signature is not the end of __LINKEDIT and of the file");
  // In front of a signature the strings are filled up to 16 bytes, which nothing else has.
  uint64_t end = commands.signature.offset;
  if (const uint64_t strings = commands.strings.end(); commands.strings.size > 0 && strings >= commands.linkedit.offset && strings < end && end - strings < 16 &&
                                                       text.substr(strings, end - strings).find_first_not_of('\0') == std::string_view::npos)
    end = strings;

  std::string head(text.substr(0, commands.end));
  const auto put = [&](uint64_t at, uint64_t value, unsigned size) { head.replace(at, size, numberText(value, size, commands.bigEndian)); };
  const unsigned wide = commands.is64 ? 8 : 4;
  put(*commands.linkeditAt + 24 + 3 * wide, end - commands.linkedit.offset, wide);
  put(16, numberAt(text, 16, 4, commands.bigEndian) - 1, 4);
  const uint64_t size = numberAt(text, *commands.signatureAt + 4, 4, commands.bigEndian);
  put(20, numberAt(text, 20, 4, commands.bigEndian) - size, 4);
  head.erase(*commands.signatureAt, size);
  head.append(size, '\0');
  std::vector<Overwrite> overwrites;
  addDifferences(overwrites, text.substr(0, commands.end), head, 0, "load commands");
  Plan plan = overwritePlan(package, room, fresh, std::move(overwrites));
  cutOutput(plan, end);
  plan.steps.push_back({"Leave out the code signature", end, text.size() - end, "asked for"});
  return plan;
}

} // namespace

Result<Plan> planMachO(const library::Package& package, const library::Blob& blob, const NewBlob& fresh, const PlanOptions& options, Monitor& monitor) {
  BLOBSCOPE_TRY(room, roomFor(package, blob, fresh));
  BLOBSCOPE_TRY(commands, readCommands(package));
  if (room.offset < commands.end) return layoutError(package, "the blob overlaps the load commands");
  if (commands.encrypted && commands.encryption.offset < room.end() && room.offset < commands.encryption.end()) return layoutError(package, "the blob is encrypted");
  Plan plan = overwritePlan(package, room, fresh, {});
  if (!commands.signatureAt) return plan;

  if (room.end() > commands.signature.offset) return layoutError(package, "the blob is not in front of the code signature");
  if (options.signature == PlanOptions::Signature::Remove) return planUnsigned(package, commands, room, fresh);
  const Signature signature = readSignature(package.bytes.view(), commands.signature);
  std::vector<Overwrite> overwrites;
  if (signature.kind == Signature::Kind::AdHoc) {
    // Formats text rewriting.md 6.2: only the touched pages, the last one cut where the hashed part ends.
    const uint64_t first = room.offset >> signature.pageBits, last = std::min(((room.end() - 1) >> signature.pageBits) + 1, signature.pages);
    if (first < last) {
      BLOBSCOPE_TRY(hashes, computeHashes(plan, package.bytes, first, last, signature.pageBits, signature.limit, monitor));
      const uint64_t at = signature.hashesAt + first * kHash;
      addDifferences(overwrites, package.bytes.view().substr(at, hashes.size()), hashes, at, "page hashes of the signature");
    }
  } else if (options.signature == PlanOptions::Signature::AdHoc) {
    if (!Extent{0, package.bytes.size()}.contains(commands.signature)) return layoutError(package, signature.reason);
    BLOBSCOPE_TRY(made, computeSignature(package, plan, commands, signature, monitor));
    addDifferences(overwrites, package.bytes.view().substr(commands.signature.offset, made.size()), made, commands.signature.offset, "code signature");
  } else if (signature.kind == Signature::Kind::Identity) {
    return Error(DiagnosticId::PlanSigned, {}, package.ref({}));
  } else {
    return layoutError(package, signature.reason);
  }
  plan = overwritePlan(package, room, fresh, std::move(overwrites));
  plan.consequences.push_back({DiagnosticId::PlanResigned, {}, {}});
  return plan;
}

} // namespace blobscope::write
