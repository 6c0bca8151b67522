#include "core/payloads/bundle/bundle.h"

#include "core/base/growing_buffer.h"
#include "core/base/reader.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/archive/archive.h"
#include "core/container/number_at.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/pages.h"
#include "core/view/page_id.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace blobscope::payloads {
namespace {

constexpr std::string_view kPlainMagic = "__CLANG_OFFLOAD_BUNDLE__", kPackedMagic = "CCOB";
/// The first part of a compressed bundle that is unpacked for its table; doubled until it has the table.
constexpr uint64_t kHead = uint64_t{64} << 10;

using Compression = Bundle::Compression;

/// Reads the header of a compressed bundle. False when there is none, or one of an unknown version.
bool readHeader(const Bytes& bytes, Bundle& out) {
  if (!bytes.view().starts_with(kPackedMagic)) return false;
  Reader reader(bytes.slice(kPackedMagic.size()));
  out.version = reader.number<uint16_t>("version");
  const auto method = reader.number<uint16_t>("method");
  out.compression = method == 0 ? Compression::Zlib : method == 1 ? Compression::Zstandard : Compression::Unknown;
  uint64_t total = bytes.size();
  switch (out.version) {
  case 1: out.unpackedSize = reader.number<uint32_t>("unpacked_size"); break;
  case 2:
    total = reader.number<uint32_t>("total_size");
    out.unpackedSize = reader.number<uint32_t>("unpacked_size");
    break;
  case 3:
    total = reader.number<uint64_t>("total_size");
    out.unpackedSize = reader.number<uint64_t>("unpacked_size");
    break;
  default: return false;
  }
  reader.number<uint64_t>("hash");
  if (!reader.ok()) return false;
  out.headerSize = kPackedMagic.size() + reader.position();
  if (out.version == 1) {
    // The header has no total size: the bundle ends with its stream. That of zlib shows its end only once unpacked, so
    // the next bundle ends it.
    const std::size_t next = bytes.view().find(kPackedMagic, out.headerSize);
    if (next != std::string_view::npos) total = next;
    if (out.compression == Compression::Zstandard)
      if (const auto frame = zstandardFrameSize(bytes.slice(out.headerSize))) total = out.headerSize + *frame;
  }
  out.storedSize = total;
  return true;
}

/// Whether the header of a compressed bundle can be true: empty, or why not.
std::string headerProblem(const Bundle& bundle, const Bytes& bytes) {
  if (bundle.storedSize > bytes.size())
    return "its size of " + std::to_string(bundle.storedSize) + " exceeds the " + std::to_string(bytes.size()) +
           " bytes left";
  if (bundle.storedSize <= bundle.headerSize || bundle.unpackedSize == 0) return "it is empty";
  if (bundle.compression == Compression::Unknown) return "its compression is not known";
  if (bundle.unpackedSize > Bundle::kUnpackedLimit)
    return "its unpacked size of " + sizeText(bundle.unpackedSize) + " is above the limit of " +
           sizeText(Bundle::kUnpackedLimit);
  if (bundle.unpackedSize > multiplySaturated(bundle.storedSize, Bundle::kRatioLimit))
    return "its unpacked size of " + sizeText(bundle.unpackedSize) + " is more than " +
           groupedText(Bundle::kRatioLimit) + " times its " + std::to_string(bundle.storedSize) + " stored bytes";
  return {};
}

/// RFC 1950.
uint32_t adler32(std::string_view bytes) {
  constexpr uint32_t kModulus = 65'521;
  constexpr std::size_t kStep = 5'552; // the sums do not overflow
  uint32_t a = 1, b = 0;
  while (!bytes.empty()) {
    for (const char c : bytes.substr(0, kStep)) {
      a += static_cast<unsigned char>(c);
      b += a;
    }
    a %= kModulus, b %= kModulus;
    bytes.remove_prefix(std::min(kStep, bytes.size()));
  }
  return b << 16 | a;
}

/// Unpacks a zlib stream (RFC 1950) as the content of a gzip file (RFC 1952), whose check sum the library does not
/// compare. Why not, or an empty text. Error: only Cancelled.
Result<std::string> unpackZlib(const Bytes& packed, uint64_t size, bool exactEnd, Bytes& out, Monitor& monitor) {
  constexpr std::size_t kZlibHeader = 2, kZlibTrailer = 4;
  const std::string_view stream = packed.view();
  if (stream.size() < kZlibHeader + kZlibTrailer || (stream[0] & 15) != 8 || (stream[1] & 0x20) != 0)
    return std::string("it has no zlib header");
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  file += stream.substr(kZlibHeader);
  file.append(8, '\0');
  auto unpacked = container::unpackStream(Bytes::copyOf(file), size, monitor);
  if (!unpacked) {
    if (unpacked.error().code() == ErrorCode::Cancelled) return unpacked.takeError();
    return std::string("the zlib stream is damaged or longer than declared");
  }
  if (unpacked->size() != size)
    return std::to_string(size) + " bytes are declared, but it contains " + std::to_string(unpacked->size());
  const auto sum = static_cast<uint32_t>(container::numberAt(stream, stream.size() - kZlibTrailer, kZlibTrailer, true));
  if (exactEnd && adler32(unpacked->view()) != sum) return std::string("its check sum is wrong");
  out = std::move(*unpacked);
  return std::string();
}

/// Unpacks the first `size` bytes into `out`. Why not, or an empty text. Error: only Cancelled.
Result<std::string> unpack(const Bundle& bundle, const Bytes& bytes, uint64_t size, Bytes& out, Charge charge,
                           Monitor& monitor) {
  const Bytes packed = bytes.slice(bundle.headerSize, bundle.storedSize - bundle.headerSize);
  if (bundle.compression == Compression::Zlib)
    return unpackZlib(packed, bundle.unpackedSize, bundle.version > 1, out, monitor);
  GrowingBuffer buffer;
  if (!buffer.resize(size)) return "there is no memory for its " + sizeText(size);
  BLOBSCOPE_TRY(problem, unpackZstandard(packed, bundle.unpackedSize, size == bundle.unpackedSize, buffer, monitor));
  if (problem.empty()) out = ByteSource::all(ByteSource::fromBuffer(std::move(buffer), std::move(charge)));
  return problem;
}

/// Reads the table at the start of `head`, the first bytes of an unpacked bundle of `size` bytes. False when the table
/// is longer than `head`; anything else that is wrong is damage.
bool readTable(const Bytes& head, uint64_t size, Bundle& out) {
  const auto damaged = [&](std::string sentence) {
    out.damage.push_back(std::move(sentence));
    return true;
  };
  Reader reader(head);
  if (reader.raw("magic", kPlainMagic.size()).view() != kPlainMagic)
    return damaged("it does not begin with " + std::string(kPlainMagic));
  const auto count = reader.number<uint64_t>("count");
  if (!reader.ok()) return false;
  if (count == 0 || count > Bundle::kEntries)
    return damaged("its number of entries, " + groupedText(count) + ", is not between 1 and " +
                   groupedText(Bundle::kEntries));
  for (uint64_t i = 0; i < count; ++i) {
    BundleEntry entry;
    entry.extent.offset = reader.number<uint64_t>("offset");
    entry.extent.size = reader.number<uint64_t>("size");
    const auto length = reader.number<uint64_t>("id_size");
    const std::string where = "entry " + std::to_string(i) + ": ";
    if (length > Bundle::kIdBytes)
      return damaged(where + "its id has " + groupedText(length) + " bytes, more than the limit of " +
                     groupedText(Bundle::kIdBytes));
    entry.id = reader.raw("id", length).view();
    if (!reader.ok()) return false;
    if (!Extent{0, size}.contains(entry.extent))
      return damaged(where + "its " + std::to_string(entry.extent.size) + " bytes at " + hexText(entry.extent.offset) +
                     " are outside the bundle of " + std::to_string(size) + " bytes");
    out.entries.push_back(std::move(entry));
  }
  std::vector<Extent> places = {{0, reader.position()}};
  for (const BundleEntry& entry : out.entries)
    if (entry.extent.size > 0) places.push_back(entry.extent);
  std::ranges::sort(places, {}, &Extent::offset);
  for (std::size_t i = 1; i < places.size(); ++i)
    if (places[i].offset < places[i - 1].end()) return damaged("entries overlap at " + hexText(places[i].offset));
  return true;
}

/// The table of a compressed bundle.
void readPackedTable(const Bytes& bytes, Bundle& out, Monitor& monitor) {
  if (std::string problem = headerProblem(out, bytes); !problem.empty()) {
    out.damage.push_back(std::move(problem));
    return;
  }
  for (uint64_t size = std::min(kHead, out.unpackedSize);; size = std::min(2 * size, out.unpackedSize)) {
    Bytes head;
    auto problem = unpack(out, bytes, size, head, Charge(), monitor);
    if (!problem || !problem->empty()) {
      out.damage.push_back(problem ? std::move(*problem) : "reading was cancelled");
      return;
    }
    out.entries.clear();
    if (readTable(head, out.unpackedSize, out)) return;
    if (size >= std::min(Bundle::kTableBytes, out.unpackedSize)) {
      out.damage.push_back("its table is cut off or longer than " + sizeText(Bundle::kTableBytes));
      return;
    }
  }
}

void readPlainTable(const Bytes& bytes, Bundle& out) {
  if (!readTable(bytes.slice(0, Bundle::kTableBytes), bytes.size(), out))
    out.damage.push_back("its table is cut off or longer than " + sizeText(Bundle::kTableBytes));
  for (const BundleEntry& entry : out.entries) out.unpackedSize = std::max(out.unpackedSize, entry.extent.end());
  out.storedSize = out.unpackedSize;
}

std::string_view compressionText(Compression compression) {
  switch (compression) {
  case Compression::None: return "none";
  case Compression::Zlib: return "zlib";
  case Compression::Zstandard: return "Zstandard";
  case Compression::Unknown: break;
  }
  return "unknown";
}

void addBundlePages(const Bytes& bytes, view::PageList& list) {
  NullMonitor monitor;
  const auto bundle = std::make_shared<const Bundle>(readBundle(bytes, monitor));
  std::vector<std::vector<std::string>> facts = {{"compression", std::string(compressionText(bundle->compression))}};
  if (bundle->version > 0) facts.push_back({"header version", std::to_string(bundle->version)});
  facts.push_back({"stored", sizeText(bundle->storedSize)});
  facts.push_back({"unpacked", sizeText(bundle->unpackedSize)});
  list.push_back(view::factsPage("Bundle", std::move(facts)));
  list.push_back(
      lazyPage(view::page_id::kImages,
               {{"number", true}, {"architecture"}, {"unpacked bytes", true, true}, {"offset when unpacked"}, {"id"}},
               bundle->entries.size(), [bundle](uint64_t row, std::size_t column) -> std::string {
                 const BundleEntry& entry = bundle->entries[row];
                 switch (column) {
                 case 0: return std::to_string(row);
                 case 1: return entry.isHost() ? "host" : escaped(entry.target());
                 case 2: return std::to_string(entry.extent.size);
                 case 3: return hexText(entry.extent.offset);
                 default: return escapedWithin(entry.id, 200);
                 }
               }));
  addDamagePage(bundle->damage, list);
}

std::vector<std::string> bundleWords(const Bytes& bytes) {
  NullMonitor monitor;
  std::vector<std::string> words = {"bundle"};
  for (const BundleEntry& entry : readBundle(bytes, monitor).entries) {
    if (entry.isHost() || words.size() == 32) continue; // real bundles have some 30 entries
    std::string word = "code-object " + escaped(entry.target());
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  }
  return words;
}

} // namespace

std::string BundleEntry::target() const {
  // KIND-ARCH-VENDOR-SYSTEM[-ENVIRONMENT][-TARGET]: older tools leave out the environment, and the target has '-' too.
  if (const std::size_t at = id.rfind("-gfx"); at != std::string::npos) return id.substr(at + 1);
  constexpr std::string_view kPortable = "amdgcnspirv"; // SPIR-V that the driver compiles for any AMD GPU
  return id.ends_with(kPortable) ? std::string(kPortable) : std::string();
}

Bundle readBundle(const Bytes& bytes, Monitor& monitor) {
  Bundle out;
  if (bytes.view().starts_with(kPlainMagic))
    readPlainTable(bytes, out);
  else if (readHeader(bytes, out))
    readPackedTable(bytes, out, monitor);
  else
    out.damage.push_back("there is no header of a bundle of a known version");
  out.storedSize = std::min(out.storedSize, bytes.size());
  return out;
}

std::optional<uint64_t> bundleSize(const Bytes& bytes) {
  Bundle out;
  if (bytes.view().starts_with(kPlainMagic)) {
    readPlainTable(bytes, out);
    return out.damage.empty() ? std::optional(out.storedSize) : std::nullopt;
  }
  if (!readHeader(bytes, out) || !headerProblem(out, bytes).empty()) return std::nullopt;
  return out.storedSize;
}

Result<Bytes> unpackBundle(const Bytes& bytes, const BudgetPtr& budget, Monitor& monitor) {
  Bundle bundle;
  const auto fail = [&](std::string reason) {
    return Error(DiagnosticId::PayloadDamaged,
                 {{"what", "the bundle"}, hexArg("at", bytes.offset().value_or(0)), {"reason", std::move(reason)}});
  };
  if (bytes.view().starts_with(kPlainMagic)) return bytes;
  if (!readHeader(bytes, bundle)) return fail("there is no header of a known version");
  if (std::string problem = headerProblem(bundle, bytes); !problem.empty()) return fail(std::move(problem));
  Charge charge(budget);
  const bool work = budget->takeWork(bundle.unpackedSize);
  if (!work || !charge.add(bundle.unpackedSize)) {
    const Diagnostic over = work ? budget->memoryExceeded("of unpacked bundles", bundle.unpackedSize)
                                 : budget->workExceeded("of unpacked bundles", bundle.unpackedSize);
    return Error(over.id, over.arguments);
  }
  Bytes out;
  BLOBSCOPE_TRY(problem, unpack(bundle, bytes, bundle.unpackedSize, out, std::move(charge), monitor));
  if (!problem.empty()) return fail(std::move(problem));
  return out;
}

const PayloadFormat kBundle = {"bundle", addBundlePages, bundleWords};

} // namespace blobscope::payloads
