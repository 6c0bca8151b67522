#include "core/payloads/fatbin/fatbin.h"

#include "core/base/reader.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/payloads/pages.h"
#include "core/view/page_id.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>

namespace blobscope::payloads {
namespace {

constexpr uint64_t kEntryHeader = 64;
constexpr uint64_t kLongestEntryHeader = uint64_t{1} << 20;
constexpr uint64_t kStep = uint64_t{1} << 20; ///< bytes between two checks of the monitor

/// Reads the containers of some bytes; offsets in sentences count from the start of the file when that is known.
class FatbinReader {
public:
  explicit FatbinReader(const Bytes& bytes) : m_bytes(bytes) {}

  Fatbin read() {
    uint64_t position = 0;
    while (position < m_bytes.size() && readContainer(position)) {}
    m_fatbin.trailing = m_bytes.slice(position);
    if (!m_fatbin.trailing.empty() && !m_stopped)
      m_damage.add(sizeText(m_fatbin.trailing.size()) + " at " + place(position) +
                   " after the last container belong to no container");
    m_fatbin.damage = m_damage.take();
    return std::move(m_fatbin);
  }

private:
  std::string place(uint64_t position) const {
    return hexText(checkedAdd(m_bytes.offset().value_or(0), position).value_or(position));
  }
  bool stop(std::string sentence) {
    m_damage.add(std::move(sentence));
    m_stopped = true;
    return false;
  }

  /// Reads the container at `position` and moves to its end; false when nothing after it can be read.
  bool readContainer(uint64_t& position) {
    Reader reader(m_bytes.slice(position));
    const std::string at = "container at " + place(position) + ": ";
    const auto magic = reader.number<uint32_t>("magic");
    const auto version = reader.number<uint16_t>("version");
    const auto headerSize = reader.number<uint16_t>("header_size");
    const auto size = reader.number<uint64_t>("size");
    if (!reader.ok() || magic != Fatbin::kMagic) {
      if (m_fatbin.containers.empty()) return stop(at + "there is no header of a fat binary");
      return false;
    }
    if (version != 1)
      m_damage.add(at + "its version " + std::to_string(version) + " is not known; it is read as version 1");
    if (headerSize < Fatbin::kContainerHeader || headerSize > reader.bytes().size())
      return stop(at + "header size " + std::to_string(headerSize) + " is not between 16 and the " +
                  std::to_string(reader.bytes().size()) + " bytes left");
    const uint64_t left = reader.bytes().size() - headerSize;
    if (size > left)
      m_damage.add(at + "size " + std::to_string(size) + " exceeds the " + std::to_string(left) +
                   " bytes left; the file is truncated or the header is damaged");
    const uint64_t used = std::min(size, left);
    m_fatbin.containers.push_back({{position, headerSize + used}, {}});
    if (m_fatbin.containers.size() > Fatbin::kEntries)
      return stop(at + "more than the limit of " + groupedText(Fatbin::kEntries) + " containers");
    const uint64_t end = position + headerSize + used;
    uint64_t next = position + headerSize;
    while (next < end && readEntry(next, end)) {}
    position = end;
    return !m_stopped;
  }

  /// Reads the entry at `position` and moves to its end; false when the rest of the container cannot be read.
  bool readEntry(uint64_t& position, uint64_t end) {
    if (m_entries >= Fatbin::kEntries)
      return stop("entry at " + place(position) + ": more than the limit of " + groupedText(Fatbin::kEntries));
    const std::string at = "entry " + std::to_string(m_entries) + " at " + place(position) + ": ";
    const Bytes rest = m_bytes.slice(position, end - position);
    Reader reader(rest);
    FatbinEntry entry;
    entry.kind = reader.number<uint16_t>("kind");
    reader.number<uint16_t>("unknown");
    const auto headerSize = reader.number<uint32_t>("header_size");
    const auto payloadSize = reader.number<uint64_t>("payload_size");
    entry.compressedSize = reader.number<uint32_t>("compressed_size");
    const auto optionsAt = reader.number<uint32_t>("options");
    entry.versionMinor = reader.number<uint16_t>("version_minor");
    entry.versionMajor = reader.number<uint16_t>("version_major");
    entry.sm = reader.number<uint32_t>("sm");
    const auto identifierAt = reader.number<uint32_t>("identifier");
    const auto identifierSize = reader.number<uint32_t>("identifier_size");
    entry.flags = reader.number<uint64_t>("flags");
    reader.number<uint64_t>("key");
    entry.uncompressedSize = reader.number<uint64_t>("uncompressed_size");
    if (!reader.ok()) {
      m_damage.add(at + "its header needs " + std::to_string(kEntryHeader) + " bytes, " + std::to_string(rest.size()) +
                   " are left in the container");
      return false;
    }
    if (headerSize < kEntryHeader || headerSize > kLongestEntryHeader || headerSize > rest.size()) {
      m_damage.add(at + "header size " + std::to_string(headerSize) + " is not between 64 and the " +
                   std::to_string(std::min(rest.size(), kLongestEntryHeader)) + " bytes possible");
      return false;
    }
    const uint64_t left = rest.size() - headerSize;
    if (payloadSize > left) {
      m_damage.add(at + "payload size " + std::to_string(payloadSize) + " exceeds the " + std::to_string(left) +
                   " bytes left in the container");
      return false;
    }
    const Bytes header = rest.slice(0, headerSize);
    entry.header = {position, headerSize};
    entry.payload = rest.slice(headerSize, payloadSize);
    if (identifierAt != 0) entry.identifier = within(header, identifierAt, identifierSize, at + "identifier");
    if (optionsAt != 0) readOptions(header, optionsAt, entry, at);
    if (entry.compressedSize > payloadSize)
      m_damage.add(at + "compressed size " + std::to_string(entry.compressedSize) + " exceeds the payload of " +
                   std::to_string(payloadSize) + " bytes");
    m_fatbin.containers.back().entries.push_back(std::move(entry));
    ++m_entries;
    position += headerSize + payloadSize;
    return true;
  }

  Bytes within(const Bytes& header, uint64_t offset, uint64_t size, const std::string& what) {
    if (offset >= kEntryHeader && Extent{0, header.size()}.contains(Extent{offset, size}))
      return header.slice(offset, size);
    m_damage.add(what + " of " + std::to_string(size) + " bytes at " + hexText(offset) + " is outside the header of " +
                 std::to_string(header.size()) + " bytes");
    return {};
  }
  void readOptions(const Bytes& header, uint64_t offset, FatbinEntry& entry, const std::string& at) {
    const Bytes block = within(header, offset, 8, at + "option block");
    if (block.empty()) return;
    Reader reader(block);
    const auto textAt = reader.number<uint32_t>("offset");
    const auto textSize = reader.number<uint32_t>("size");
    if (textSize != 0) entry.options = within(header, textAt, textSize, at + "options");
  }

  Bytes m_bytes;
  Fatbin m_fatbin;
  DamageList m_damage;
  uint64_t m_entries = 0;
  bool m_stopped = false;
};

std::string compressionName(FatbinEntry::Compression compression) {
  switch (compression) {
  case FatbinEntry::Compression::None: return "none";
  case FatbinEntry::Compression::Lz4: return "LZ4";
  case FatbinEntry::Compression::Zstandard: return "Zstandard";
  case FatbinEntry::Compression::Unknown: break;
  }
  return "unknown";
}

Error cannotUnpack(const FatbinEntry& entry, const std::string& reason) {
  const uint64_t at = entry.payload.offset().value_or(entry.header.end());
  return Error(DiagnosticId::PayloadDamaged,
               {arg("what", "image " + entry.word()), hexArg("at", at), arg("reason", reason)});
}

Bytes withoutPadding(const FatbinEntry& entry, const Bytes& image) {
  if (entry.kind != FatbinEntry::kPtx) return image;
  const std::size_t last = image.view().find_last_not_of('\0');
  return image.slice(0, last == std::string_view::npos ? 0 : last + 1);
}

/// Why the declared sizes of the entry are impossible; empty when they are possible.
std::string sizeProblem(const FatbinEntry& entry) {
  if (entry.compressedSize > entry.payload.size())
    return std::to_string(entry.compressedSize) + " compressed bytes are declared, but only " +
           std::to_string(entry.payload.size()) + " are there";
  if (entry.uncompressedSize > FatbinEntry::kUnpackedLimit)
    return "its unpacked size of " + sizeText(entry.uncompressedSize) + " is above the limit of " +
           sizeText(FatbinEntry::kUnpackedLimit);
  if (entry.uncompressedSize > entry.compressedSize * FatbinEntry::kRatioLimit)
    return "its unpacked size of " + sizeText(entry.uncompressedSize) + " is more than " +
           groupedText(FatbinEntry::kRatioLimit) + " times its " + std::to_string(entry.compressedSize) +
           " stored bytes";
  return {};
}

Result<Done> unpackLz4(const FatbinEntry& entry, const Bytes& packed, GrowingBuffer& out) {
  // Both sizes fit an int: kUnpackedLimit, and a block is never longer than LZ4_compressBound() of its content.
  if (packed.size() > static_cast<uint64_t>(LZ4_compressBound(static_cast<int>(FatbinEntry::kUnpackedLimit))))
    return cannotUnpack(entry, "an LZ4 block with that content cannot be " + sizeText(packed.size()) + " long");
  const int done =
      LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(out.data()),
                          static_cast<int>(packed.size()), static_cast<int>(out.size()));
  if (done < 0)
    return cannotUnpack(entry, "the LZ4 block is damaged or contains more than the declared " +
                                   std::to_string(out.size()) + " bytes");
  if (static_cast<uint64_t>(done) == out.size()) return Done{};
  return cannotUnpack(entry,
                      std::to_string(out.size()) + " bytes are declared, but it contains " + std::to_string(done));
}

std::string optionsText(const FatbinEntry& entry) {
  if (entry.options.empty()) return {};
  if (entry.flags & FatbinEntry::kBinaryOptions) return std::to_string(entry.options.size()) + " bytes of capabilities";
  return escapedWithin(entry.options.view(), 200);
}

std::string imageCell(const FatbinEntry& entry, uint64_t row, std::size_t column) {
  switch (column) {
  case 0: return std::to_string(row);
  case 1: return entry.kindName();
  case 2: return entry.architecture();
  case 3: return std::to_string(entry.versionMajor) + '.' + std::to_string(entry.versionMinor);
  case 4: return std::to_string(entry.payload.size());
  case 5: return std::to_string(entry.unpackedSize());
  case 6: return compressionName(entry.compression());
  case 7: return escapedWithin(entry.identifier.view(), 200);
  default: return optionsText(entry);
  }
}

} // namespace

FatbinEntry::Compression FatbinEntry::compression() const {
  if (compressedSize == 0) return Compression::None;
  switch (flags & (kLz4 | kZstandard)) {
  case kLz4: return Compression::Lz4;
  case kZstandard: return Compression::Zstandard;
  default: return Compression::Unknown;
  }
}

std::string FatbinEntry::architecture() const {
  return "sm_" + std::to_string(sm) + (flags & kArchSpecific ? "a" : flags & kFamily ? "f" : "");
}

std::string FatbinEntry::kindName() const {
  switch (kind) {
  case kPtx: return "ptx";
  case kCubin: return "cubin";
  case kLtoIr: return "lto-ir";
  default: return "kind " + std::to_string(kind);
  }
}

std::vector<FatbinEntry> Fatbin::entries() const {
  std::vector<FatbinEntry> all;
  for (const FatbinContainer& container : containers)
    all.insert(all.end(), container.entries.begin(), container.entries.end());
  return all;
}

Result<std::string> unpackZstandard(const Bytes& packed, uint64_t contentSize, bool whole, GrowingBuffer& out,
                                    Monitor& monitor) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) return std::string("there is no memory for it");
  // Frames written in one piece have a window as large as their content; the library's own limit is 2^27.
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax,
                         std::clamp(static_cast<int>(std::bit_width(contentSize)), 27, 30));
  ZSTD_inBuffer input = {packed.data(), packed.size(), 0};
  uint64_t done = 0;
  std::size_t status = 1;
  while (status != 0 && (whole || done < out.size())) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("unpacking", done, out.size());
    ZSTD_outBuffer output = {out.data() + done, std::min<uint64_t>(kStep, out.size() - done), 0};
    const std::size_t readBefore = input.pos;
    status = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(status)) return std::string("the Zstandard frame is damaged (") + ZSTD_getErrorName(status) + ")";
    done += output.pos;
    if (status != 0 && output.pos == 0 && input.pos == readBefore)
      return done == out.size() ? "it contains more than the declared " + std::to_string(done) + " bytes"
                                : std::string("the Zstandard frame is truncated");
  }
  if (done == out.size()) return std::string();
  return std::to_string(out.size()) + " bytes are declared, but it contains " + std::to_string(done);
}

std::optional<uint64_t> zstandardFrameSize(const Bytes& packed) {
  const std::size_t size = ZSTD_findFrameCompressedSize(packed.data(), packed.size());
  return ZSTD_isError(size) ? std::nullopt : std::optional<uint64_t>(size);
}

Fatbin readFatbin(const Bytes& bytes) { return FatbinReader(bytes).read(); }

Result<Bytes> unpackEntry(const FatbinEntry& entry, Monitor& monitor) {
  return unpackEntry(entry, Budget::forFile(entry.payload.size()), monitor);
}

Result<Bytes> unpackEntry(const FatbinEntry& entry, const BudgetPtr& budget, Monitor& monitor) {
  const auto compression = entry.compression();
  if (compression == FatbinEntry::Compression::None) return withoutPadding(entry, entry.payload);
  if (entry.compressedSize > entry.payload.size()) return cannotUnpack(entry, sizeProblem(entry));
  const Bytes packed = entry.payload.slice(0, entry.compressedSize);
  if (entry.kind == FatbinEntry::kLtoIr) return packed;
  if (compression == FatbinEntry::Compression::Unknown)
    return cannotUnpack(entry, "its flags " + hexText(entry.flags) + " name no known compression");
  if (const std::string reason = sizeProblem(entry); !reason.empty()) return cannotUnpack(entry, reason);
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  GrowingBuffer out;
  Charge charge(budget);
  const bool work = budget->takeWork(entry.uncompressedSize);
  if (!work || !charge.add(entry.uncompressedSize)) {
    const Diagnostic over = work ? budget->memoryExceeded("of unpacked images", entry.uncompressedSize)
                                 : budget->workExceeded("of unpacked images", entry.uncompressedSize);
    return Error(over.id, over.arguments);
  }
  if (!out.resize(entry.uncompressedSize))
    return cannotUnpack(entry, "there is no memory for its " + sizeText(entry.uncompressedSize));
  if (compression == FatbinEntry::Compression::Lz4) {
    BLOBSCOPE_CHECK(unpackLz4(entry, packed, out));
  } else {
    BLOBSCOPE_TRY(problem, unpackZstandard(packed, out.size(), true, out, monitor));
    if (!problem.empty()) return cannotUnpack(entry, problem);
  }
  return withoutPadding(entry, ByteSource::all(ByteSource::fromBuffer(std::move(out), std::move(charge))));
}

std::vector<std::string> fatbinWords(const Bytes& bytes) {
  std::vector<std::string> words = {"fatbin"};
  // Real files have a handful of words; a limit keeps the search for an equal word short in other files.
  for (const FatbinContainer& container : readFatbin(bytes).containers)
    for (const FatbinEntry& entry : container.entries)
      if (std::string word = entry.word();
          words.size() < 32 && std::find(words.begin(), words.end(), word) == words.end())
        words.push_back(std::move(word));
  return words;
}

void addFatbinPages(const Bytes& bytes, view::PageList& list) {
  const Fatbin fatbin = readFatbin(bytes);
  const auto entries = std::make_shared<const std::vector<FatbinEntry>>(fatbin.entries());
  list.push_back(lazyPage(
      view::page_id::kImages,
      {{"number", true},
       {"kind"},
       {"architecture"},
       {"version"},
       {"stored bytes", true, true},
       {"unpacked bytes", true},
       {"compression"},
       {"identifier"},
       {"options"}},
      entries->size(), [entries](uint64_t row, std::size_t column) { return imageCell((*entries)[row], row, column); },
      [](uint64_t row, const Ref& node) { return node.part(PartKind::Entry, std::to_string(row)); }));
  addDamagePage(fatbin.damage, list);
}

} // namespace blobscope::payloads
