#include "core/library/device_images.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/container/elf/file.h"
#include "core/container/number_at.h"
#include "core/payloads/bundle/bundle.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/hsaco/hsaco.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace blobscope::library {
namespace {

using container::Image;
using container::numberAt;
using container::Section;
using container::Symbol;
using container::SymbolType;
using host::Group;
using Kind = DeviceImage::Kind;
using Loaded = DeviceImage::Loaded;

constexpr std::string_view kCubinPrefix = "__tvm_ffi__cubin_", kEnd = "_end";
constexpr std::string_view kSizePrefix = "_binary_embedded_", kSizeSuffix = "_cubin_size", kCubinEnd = "_cubin";
/// `ld -r -b binary FILE` names the first byte so, with the characters of the path that are not in names replaced.
constexpr std::string_view kBinaryPrefix = "_binary_", kStart = "_start";

/// Limits of images in one file and of symbols that name images. Largest real number seen: 1,760.
constexpr uint64_t kImages = 65'536, kImageSymbols = 1'024;
constexpr uint64_t kScanStep = uint64_t{1} << 20;
/// The limit of work on bytes that look like the beginning of an image and are none: in entries of tables, or 16 bytes
/// of text. Real files have none of them.
constexpr uint64_t kWasted = 4'000'000;
/// Bytes of text before the directive of PTX that names the GPU.
constexpr uint64_t kPtxHead = 4'096;

// --- what the search looks for

constexpr std::string_view kFatbinMagic = "\x50\xed\x55\xba", kElfMagic = "\x7f\x45\x4c\x46";
constexpr std::string_view kPackedBundle = "CCOB", kPlainBundle = "__CLANG_OFFLOAD_BUNDLE__",
                           kPtxTarget = ".target sm_";
/// The beginnings of registration records. Source: core/formats/cuda-binaries.md 9.2.
constexpr std::string_view kCudaRecord = "\xb1\x43\x62\x46", kHipRecord = "FPIH";
constexpr std::array kPatterns = {kFatbinMagic, kElfMagic,   kPackedBundle, kPlainBundle,
                                  kPtxTarget,   kCudaRecord, kHipRecord};
constexpr uint64_t kWindow = 4; ///< all of them differ in these bytes

/// By the last byte of a window of four bytes: how far the next beginning of a pattern is away at least.
constexpr std::array<uint8_t, 256> kShifts = [] {
  std::array<uint8_t, 256> out{};
  out.fill(kWindow);
  for (const std::string_view pattern : kPatterns)
    for (uint8_t i = 0; i < kWindow; ++i) {
      uint8_t& shift = out[static_cast<unsigned char>(pattern[i])];
      shift = std::min<uint8_t>(shift, static_cast<uint8_t>(kWindow - 1 - i));
    }
  return out;
}();

/// The offset of the first window of any pattern in `[from, to)`, or `to`. `text` may be longer.
uint64_t findPattern(std::string_view text, uint64_t from, uint64_t to) {
  uint64_t at = from;
  while (at < to && text.size() - at >= kWindow) {
    const uint8_t shift = kShifts[static_cast<unsigned char>(text[at + kWindow - 1])];
    if (shift > 0) {
      at += shift;
      continue;
    }
    const auto window = numberAt<uint32_t>(text, at);
    for (const std::string_view pattern : kPatterns)
      if (window == numberAt<uint32_t>(pattern, 0)) return at;
    ++at;
  }
  return to;
}

// --- data of the file

/// Bytes of the file that the loader maps as data.
struct DataRange {
  Extent memory;
  uint64_t fileOffset = 0;
  uint32_t section = Symbol::kNoSection;
};

/// Names of PE sections are cut to eight characters.
bool isDeviceSection(const Section& section) {
  return section.name.starts_with(".nv_fatb") || section.name.starts_with("__nv_rel") ||
         section.name.starts_with(".hip_fat");
}

/// All data in file order, from sections or, without sections, from segments. With older linkers the only segment that
/// is not writable contains the code too.
std::vector<DataRange> dataOf(const Image& image) {
  std::vector<DataRange> ranges;
  const Extent whole{0, image.file.size()};
  const auto add = [&](uint64_t address, Extent file, uint32_t section) {
    if (file.size > 0 && whole.contains(file)) ranges.push_back({{address, file.size}, file.offset, section});
  };
  for (uint32_t i = 0; i < image.sections.size(); ++i) {
    const Section& section = image.sections[i];
    if ((section.allocated && !section.executable) || isDeviceSection(section))
      add(section.address, {section.file.offset, std::min(section.file.size, section.size)}, i);
  }
  if (image.sections.empty()) {
    const bool separate = std::ranges::any_of(
        image.segments, [](const container::Segment& one) { return !one.writable && !one.executable; });
    for (const container::Segment& segment : image.segments)
      if (!segment.executable || !separate) add(segment.address, segment.file, Symbol::kNoSection);
  }
  std::ranges::stable_sort(ranges, {}, &DataRange::fileOffset);
  return ranges;
}

// --- lengths of images

/// The length of the ELF file at the start of `bytes`: the end of what its tables describe. Source of the offsets:
/// ELF-64 object file format, figure 2. Nothing when it is for another machine or is longer than the bytes.
std::optional<uint64_t> elfLength(std::string_view bytes) {
  constexpr uint64_t kHeader = 64;
  constexpr uint16_t kCuda = 190, kAmdGpu = 224; // e_machine
  constexpr uint32_t kNobits = 8;
  if (bytes.size() < kHeader || !bytes.starts_with(kElfMagic) || bytes[4] != 2 || bytes[5] != 1) return std::nullopt;
  const auto machine = numberAt<uint16_t>(bytes, 18);
  if (machine != kCuda && machine != kAmdGpu) return std::nullopt;
  const auto programs = numberAt<uint64_t>(bytes, 32), sections = numberAt<uint64_t>(bytes, 40);
  const uint64_t programSize = numberAt<uint16_t>(bytes, 54), programCount = numberAt<uint16_t>(bytes, 56);
  const uint64_t sectionSize = numberAt<uint16_t>(bytes, 58);
  uint64_t sectionCount = numberAt<uint16_t>(bytes, 60);
  // The number does not fit into the field: the first section header contains it.
  if (sectionCount == 0 && sections >= kHeader && sections < bytes.size())
    sectionCount = numberAt<uint64_t>(bytes.substr(sections), 32);
  const auto tableSize = checkedMultiply(sectionSize, sectionCount);
  if (!tableSize) return std::nullopt;
  uint64_t end = 0;
  if (programSize * programCount > 0) end = std::max(end, Extent{programs, programSize * programCount}.end());
  if (*tableSize > 0) end = std::max(end, Extent{sections, *tableSize}.end());
  if (end <= kHeader || end > bytes.size()) return std::nullopt;
  // Nearly always the tables are last, but they need not be.
  for (uint64_t i = 0; i < programCount && programSize >= 56; ++i) {
    const std::string_view header = bytes.substr(programs + i * programSize);
    end = std::max(end, Extent{numberAt<uint64_t>(header, 8), numberAt<uint64_t>(header, 32)}.end());
  }
  for (uint64_t i = 0; i < sectionCount && sectionSize >= 64; ++i) {
    const std::string_view header = bytes.substr(sections + i * sectionSize);
    if (const auto type = numberAt<uint32_t>(header, 4); type != 0 && type != kNobits)
      end = std::max(end, Extent{numberAt<uint64_t>(header, 24), numberAt<uint64_t>(header, 32)}.end());
  }
  return end > bytes.size() ? std::nullopt : std::optional(end);
}

/// The length of the fat binary at the start of `bytes`, whose entries must fill it exactly. `steps`: increased by the
/// number of entries that were read. Source: core/formats/cuda-binaries.md 2 and 2.1.
std::optional<uint64_t> fatbinLength(std::string_view bytes, uint64_t& steps) {
  constexpr uint64_t kHeader = payloads::Fatbin::kContainerHeader, kEntryMinimum = 64;
  constexpr uint64_t kEntryMaximum = uint64_t{1} << 20;
  if (bytes.size() < kHeader + kEntryMinimum || !bytes.starts_with(kFatbinMagic)) return std::nullopt;
  if (numberAt<uint16_t>(bytes, 4) != 1 || numberAt<uint16_t>(bytes, 6) != kHeader) return std::nullopt;
  const auto size = numberAt<uint64_t>(bytes, 8);
  if (size == 0 || size > bytes.size() - kHeader) return std::nullopt;
  std::string_view left = bytes.substr(kHeader, size);
  for (uint64_t count = 0; !left.empty(); ++count, ++steps) {
    const uint64_t header = numberAt<uint32_t>(left, 4), payload = numberAt<uint64_t>(left, 8);
    if (left.size() < kEntryMinimum || header < kEntryMinimum || header > kEntryMaximum || header > left.size() ||
        payload > left.size() - header || count == payloads::Fatbin::kEntries)
      return std::nullopt;
    left.remove_prefix(header + payload);
  }
  return kHeader + size;
}

/// The text of PTX around the directive at `at`: from its comments to the NUL or the end of `bytes`.
std::optional<Extent> ptxAround(const Bytes& bytes, uint64_t at, uint64_t begin) {
  const std::string_view all = bytes.view();
  const std::size_t digit = at + kPtxTarget.size();
  if (!all.substr(at).starts_with(kPtxTarget) || digit >= all.size() || all[digit] < '0' || all[digit] > '9')
    return std::nullopt;
  begin = std::max(begin, at - std::min(at, kPtxHead));
  const std::string_view head = all.substr(begin, at - begin);
  if (const std::size_t nul = head.find_last_of('\0'); nul != std::string_view::npos) begin += nul + 1;
  if (payloads::sniff(bytes.slice(begin)) != "ptx") {
    const std::size_t version = all.substr(begin, at - begin).rfind(".version");
    if (version == std::string_view::npos) return std::nullopt;
    begin += version;
  }
  const std::size_t end = std::min(all.find('\0', at), all.size());
  return Extent{begin, end - begin};
}

bool isPtx(const Bytes& text) {
  const payloads::Ptx ptx = payloads::readPtx(text);
  return !ptx.version.empty() && !ptx.target.empty() && (!ptx.entries.empty() || ptx.functions > 0);
}

// --- content of images

Kind kindOf(std::string_view content) {
  constexpr std::array<std::pair<std::string_view, Kind>, 5> kKinds = {{{"fatbin", Kind::Fatbin},
                                                                        {"cubin", Kind::Cubin},
                                                                        {"bundle", Kind::Bundle},
                                                                        {"hsaco", Kind::CodeObject},
                                                                        {"ptx", Kind::Ptx}}};
  for (const auto& [word, kind] : kKinds)
    if (word == content) return kind;
  return Kind::Other;
}

std::vector<ImageEntry> entriesOf(const DeviceImage& image, Monitor& monitor) {
  std::vector<ImageEntry> out;
  const uint64_t size = image.bytes.size();
  switch (image.kind) {
  case Kind::Fatbin:
    for (const payloads::FatbinEntry& entry : payloads::readFatbin(image.bytes).entries()) {
      const auto at = static_cast<uint64_t>(entry.payload.data() - image.bytes.data());
      const bool ptx = entry.kind == payloads::FatbinEntry::kPtx;
      out.push_back({entry.kind == payloads::FatbinEntry::kLtoIr ? "ltoir" : entry.kindName(),
                     entry.architecture(),
                     ptx ? 10u * entry.versionMajor + entry.versionMinor : 0,
                     entry.payload.size(),
                     entry.unpackedSize(),
                     {at, entry.payload.size()}});
    }
    break;
  case Kind::Cubin:
    out.push_back({"cubin", payloads::readCubin(image.bytes).architecture(), 0, size, size, {0, size}});
    break;
  case Kind::CodeObject:
    out.push_back({"code-object", payloads::hsacoTarget(image.bytes), 0, size, size, {0, size}});
    break;
  case Kind::Ptx: {
    const payloads::Ptx ptx = payloads::readPtx(image.bytes);
    out.push_back({"ptx", ptx.target, payloads::ptxVersionNumber(ptx.version), size, size, {0, size}});
    break;
  }
  case Kind::Bundle: {
    const payloads::Bundle bundle = payloads::readBundle(image.bytes, monitor);
    const bool plain = bundle.compression == payloads::Bundle::Compression::None;
    for (const payloads::BundleEntry& entry : bundle.entries) {
      if (entry.extent.size == 0) continue; // the place of the host code
      std::string arch = entry.target();
      const std::string_view kind = entry.isHost() ? "host" : arch.starts_with("gfx") ? "code-object" : "spirv";
      out.push_back(
          {std::string(kind), std::move(arch), 0, plain ? entry.extent.size : 0, entry.extent.size, entry.extent});
    }
    break;
  }
  case Kind::Other: out.push_back({std::string(image.kindName()), {}, 0, size, size, {0, size}});
  }
  return out;
}

// --- registration records

/// A record that start-up code passes to the runtime of CUDA or HIP.
struct Record {
  uint64_t offset = 0; ///< in the file
  bool linked = false; ///< its device code was linked, and refers to what it was linked from
  uint64_t slot = 0;   ///< address of its pointer
  uint64_t target = 0; ///< the pointer; 0 when only a relocation has it
};

/// Collects the images of one file.
class ImageFinder {
public:
  explicit ImageFinder(const Package& package)
      : m_package(package), m_image(package.image), m_data(dataOf(package.image)) {}

  Result<DeviceImages> find(Monitor& monitor) {
    BLOBSCOPE_CHECK(readSymbols(monitor));
    for (const Extent& part : partsToScan()) BLOBSCOPE_CHECK(scan(part, monitor));
    order();
    nameByPlace();
    nameBySize();
    assignBytes();
    BLOBSCOPE_CHECK(readRecords(monitor));
    BLOBSCOPE_CHECK(assignSymbols(monitor));
    for (DeviceImage& image : m_images) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      image.entries = entriesOf(image, monitor);
    }
    for (DeviceImage& image : m_unplaced) m_images.push_back(std::move(image));
    return std::move(m_images);
  }

private:
  struct Named {
    std::string_view name, symbol;
    uint64_t place; ///< offset in the file
  };
  struct Size {
    std::string_view name, symbol;
    uint64_t size;
  };
  static DeviceImage imageAt(Extent extent, std::string name = {}, std::string_view symbol = {}) {
    DeviceImage out;
    out.name = std::move(name);
    out.extent = extent;
    out.symbol = symbol;
    return out;
  }
  bool mustStop(Monitor& monitor) { return m_done++ % 4'096 == 0 && monitor.stopRequested(); }

  /// --- 1. Symbols: they give offset and length of some images, only the offset or only the length of others. ---
  Result<Done> readSymbols(Monitor& monitor) {
    std::unordered_map<std::string_view, const Symbol*> labels;
    std::vector<std::pair<std::string_view, const Symbol*>> starts;
    std::unordered_set<std::string_view> sizesSeen;
    const bool grouped = m_package.host.groups.size() == m_image.symbols.size();
    for (std::size_t i = 0; i < m_image.symbols.size(); ++i) {
      if (mustStop(monitor)) return Error(DiagnosticId::Cancelled, {});
      const Symbol& symbol = m_image.symbols[i];
      const bool binary = symbol.defined && m_image.plainName(symbol).starts_with(kBinaryPrefix);
      if (!binary && (!grouped || m_package.host.groups[i] != Group::Image)) continue;
      const std::string_view name = m_image.plainName(symbol);
      if (name.starts_with(kSizePrefix) && name.ends_with(kSizeSuffix)) {
        if (!symbol.absolute || symbol.value == 0 || m_sizes.size() == kImageSymbols) continue;
        if (name.size() <= kSizePrefix.size() + kSizeSuffix.size()) continue;
        const auto own = name.substr(kSizePrefix.size(), name.size() - kSizePrefix.size() - kSizeSuffix.size());
        if (sizesSeen.insert(own).second) m_sizes.push_back({own, symbol.name, symbol.value});
      } else if (labels.size() < 2 * kImageSymbols && symbol.type != SymbolType::Function && !symbol.absolute) {
        // Both symbol tables of a file that is not stripped contain the name.
        if (labels.emplace(name, &symbol).second) starts.emplace_back(name, &symbol);
      }
    }
    for (const auto& [name, symbol] : starts)
      if (name.starts_with(kBinaryPrefix))
        addBinary(name, *symbol, labels);
      else
        addEmbedded(name, *symbol, labels);
    order();
    return Done{};
  }

  using Labels = std::unordered_map<std::string_view, const Symbol*>;

  /// `__tvm_ffi__cubin_NAME`: an image whatever its content is.
  void addEmbedded(std::string_view name, const Symbol& symbol, const Labels& labels) {
    const auto end = labels.find(std::string(name) + std::string(kEnd));
    const bool isEnd = name.ends_with(kEnd) && labels.contains(name.substr(0, name.size() - kEnd.size()));
    if (end == labels.end() && isEnd) return;
    const auto bytes = m_image.findBytesOf(symbol);
    if (!bytes || bytes->empty()) return;
    const std::string_view own = name.substr(kCubinPrefix.size());
    const auto place = static_cast<uint64_t>(bytes->data() - m_image.file.data());
    const uint64_t length = end == labels.end() ? symbol.size : distance(symbol, *end->second);
    if (length > 0 && length <= bytes->size())
      m_images.push_back(imageAt({place, length}, std::string(own), symbol.name));
    else
      m_named.push_back({own, symbol.name, place});
  }

  /// `_binary_NAME_start`: a file of any content, so only device code counts.
  void addBinary(std::string_view name, const Symbol& symbol, const Labels& labels) {
    if (!name.ends_with(kStart) || name.size() <= kBinaryPrefix.size() + kStart.size()) return;
    const std::string_view base = name.substr(0, name.size() - kStart.size());
    const auto end = labels.find(std::string(base) + std::string(kEnd));
    const auto bytes = m_image.findBytesOf(symbol);
    if (end == labels.end() || !bytes) return;
    const uint64_t length = distance(symbol, *end->second);
    if (length == 0 || length > bytes->size()) return;
    const std::string_view content = payloads::sniff(bytes->slice(0, length));
    const bool device = kindOf(content) != Kind::Other || content == "spirv" || content == "metallib";
    if (!device) return;
    const auto place = static_cast<uint64_t>(bytes->data() - m_image.file.data());
    std::string_view own = base.substr(kBinaryPrefix.size());
    if (base.starts_with(kSizePrefix) && base.ends_with(kCubinEnd) &&
        base.size() > kSizePrefix.size() + kCubinEnd.size())
      own = base.substr(kSizePrefix.size(), base.size() - kSizePrefix.size() - kCubinEnd.size());
    m_images.push_back(imageAt({place, length}, std::string(own), symbol.name));
  }
  uint64_t distance(const Symbol& start, const Symbol& end) const {
    const bool one = m_image.kind != container::Kind::Object || start.section == end.section;
    return one && end.value > start.value ? end.value - start.value : 0;
  }

  /// Sorts the images by offset and removes those that begin inside another one.
  void order() {
    std::ranges::stable_sort(m_images, [](const DeviceImage& a, const DeviceImage& b) {
      return a.extent.offset != b.extent.offset ? a.extent.offset < b.extent.offset : a.extent.size > b.extent.size;
    });
    DeviceImages outer;
    for (DeviceImage& image : m_images)
      if (outer.empty() || image.extent.offset >= outer.back().extent.end()) outer.push_back(std::move(image));
    m_images = std::move(outer);
  }

  /// --- 2. Data without known images and without blobs. ---
  std::vector<Extent> partsToScan() const {
    std::vector<Extent> known;
    // Compares addresses in the mapping, because unpacked files have no offset. A blob of several pieces is outside of
    // it.
    const std::byte* const first = m_image.file.data();
    const std::less_equal<const std::byte*> notAfter;
    for (const auto& blob : m_package.blobs)
      if (!blob->bytes.empty() && notAfter(first, blob->bytes.data()) &&
          notAfter(blob->bytes.data() + blob->bytes.size(), first + m_image.file.size()))
        known.push_back({static_cast<uint64_t>(blob->bytes.data() - first), blob->bytes.size()});
    for (const DeviceImage& image : m_images) known.push_back(image.extent);
    std::ranges::sort(known, {}, &Extent::offset);

    std::vector<Extent> parts;
    uint64_t done = 0;
    std::size_t next = 0;
    for (const DataRange& range : m_data) {
      const Extent extent{range.fileOffset, range.memory.size};
      // Sections of damaged files may overlap.
      uint64_t at = std::max(extent.offset, done);
      while (at < extent.end()) {
        while (next < known.size() && known[next].end() <= at) ++next;
        const uint64_t stop = next < known.size() ? std::min(known[next].offset, extent.end()) : extent.end();
        if (at < stop) parts.push_back({at, stop - at});
        at = next < known.size() && stop < extent.end() ? std::max(stop, known[next].end()) : extent.end();
      }
      done = std::max(done, extent.end());
    }
    return parts;
  }

  /// --- 3. By content. Continues after each image, so that images inside it are skipped. ---
  Result<Done> scan(Extent part, Monitor& monitor) {
    const Bytes all = m_image.file.slice(part.offset, part.size);
    uint64_t at = 0, begin = 0; // `begin`: the end of the last image
    while (at < all.size() && m_images.size() < kImages) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("looking for device images", part.offset + at, m_image.file.size());
      const uint64_t end = std::min<uint64_t>(at + kScanStep, all.size());
      while (at < end && m_images.size() < kImages) {
        at = findPattern(all.view(), at, end);
        if (at >= end) break;
        const auto found = m_wasted < kWasted ? imageIn(all, at, begin, part.offset + at) : std::nullopt;
        if (found) {
          m_images.push_back(imageAt({part.offset + found->offset, found->size}));
          at = begin = found->end();
        } else {
          ++at;
        }
      }
    }
    return Done{};
  }

  /// The image at `at`, where a pattern begins; of PTX the text around it, from `begin` on. Counts what was read in
  /// vain.
  std::optional<Extent> imageIn(const Bytes& all, uint64_t at, uint64_t begin, uint64_t offset) {
    const Bytes rest = all.slice(at);
    const std::string_view text = rest.view();
    if (text.starts_with(kCudaRecord) || text.starts_with(kHipRecord)) {
      addRecord(text, offset);
      return std::nullopt;
    }
    std::optional<uint64_t> length;
    uint64_t steps = 1;
    if (text.starts_with(kFatbinMagic)) {
      length = fatbinLength(text, steps);
    } else if (text.starts_with(kElfMagic)) {
      // The first bytes of the file are the file's own header.
      if (offset > 0) length = elfLength(text);
      steps = 64;
    } else if (text.starts_with(kPackedBundle) || text.starts_with(kPlainBundle)) {
      length = payloads::bundleSize(rest);
      steps = 4'096;
    } else if (const auto ptx = ptxAround(all, at, begin)) {
      if (isPtx(all.slice(ptx->offset, ptx->size))) return ptx;
      steps = ptx->size / 16;
    }
    if (!length) {
      m_wasted += steps;
      return std::nullopt;
    }
    return Extent{at, *length};
  }

  void addRecord(std::string_view text, uint64_t offset) {
    constexpr uint64_t kRecord = 24;
    const auto version = numberAt<uint32_t>(text, 4);
    if (text.size() < kRecord || (version != 1 && version != 2) || m_records.size() == kImages) return;
    const auto range = rangeAt(offset);
    if (!range) return;
    const uint64_t address = range->memory.offset + (offset - range->fileOffset);
    m_records.push_back(
        {offset, version == 2 && text.starts_with(kCudaRecord), address + 8, numberAt<uint64_t>(text, 8)});
  }

  /// The data around an offset of the file.
  const DataRange* rangeAt(uint64_t offset) const {
    const auto after = std::ranges::upper_bound(m_data, offset, {}, &DataRange::fileOffset);
    for (auto one = after; one != m_data.begin();) { // sections of damaged files may overlap
      --one;
      if (Extent{one->fileOffset, one->memory.size}.contains(offset)) return &*one;
      if (after - one > 4) break;
    }
    return nullptr;
  }

  /// --- 4. Names for images without one. ---
  void nameByPlace() {
    for (const Named& named : m_named) {
      const auto found = std::ranges::lower_bound(m_images, named.place, {},
                                                  [](const DeviceImage& image) { return image.extent.offset; });
      if (found == m_images.end() || found->extent.offset != named.place || !found->name.empty()) continue;
      found->name = named.name;
      found->symbol = named.symbol;
    }
  }

  void nameBySize() {
    std::unordered_set<std::string_view> known;
    for (const DeviceImage& image : m_images)
      if (!image.name.empty()) known.insert(image.name);
    std::map<uint64_t, std::pair<std::vector<DeviceImage*>, std::vector<const Size*>>> bySize;
    for (const Size& size : m_sizes)
      if (!known.contains(size.name)) bySize[size.size].second.push_back(&size);
    for (DeviceImage& image : m_images)
      if (const auto found = bySize.find(image.extent.size); found != bySize.end() && image.name.empty())
        found->second.first.push_back(&image);
    for (const auto& [bytes, both] : bySize) {
      const auto& [images, sizes] = both;
      if (images.empty()) {
        for (const Size* const size : sizes)
          m_unplaced.push_back(imageAt({0, bytes}, std::string(size->name), size->symbol));
        continue;
      }
      // Several images of the same size cannot be distinguished.
      constexpr std::size_t kNames = 4;
      std::string name = images.size() > sizes.size() ? "perhaps " : "";
      for (std::size_t i = 0; i < std::min(sizes.size(), kNames); ++i)
        name += (i == 0 ? "" : " or ") + std::string(sizes[i]->name);
      if (sizes.size() > kNames) name += " or " + groupedText(sizes.size() - kNames) + " others";
      for (DeviceImage* const image : images) {
        image->name = name;
        if (sizes.size() == 1) image->symbol = sizes.front()->symbol;
      }
    }
  }

  void assignBytes() {
    std::vector<const Section*> sections;
    for (const Section& section : m_image.sections)
      if (section.file.size > 0) sections.push_back(&section);
    std::ranges::stable_sort(sections, {}, [](const Section* section) { return section->file.offset; });
    for (DeviceImage& image : m_images) {
      image.bytes = m_image.file.slice(image.extent.offset, image.extent.size);
      const auto after = std::ranges::upper_bound(sections, image.extent.offset, {},
                                                  [](const Section* section) { return section->file.offset; });
      if (after != sections.begin() && (*(after - 1))->file.contains(image.extent.offset))
        image.section = (*(after - 1))->name;
      image.content = payloads::sniff(image.bytes);
      image.kind = kindOf(image.content);
    }
  }

  /// --- 5. Who loads them: registration records refer to some. ---
  Result<Done> readRecords(Monitor& monitor) {
    BLOBSCOPE_CHECK(readRelocatedPointers(monitor));
    bool linked = false, unresolved = false;
    for (const Record& record : m_records) {
      linked = linked || record.linked;
      const std::size_t image = imageAtAddress(record.target);
      unresolved = unresolved || image == m_images.size();
      if (image == m_images.size()) continue;
      m_images[image].loaded = Loaded::StartUp;
      m_recordOf.emplace(record.slot - 8, image);
    }
    for (DeviceImage& image : m_images) {
      // The pointers of an object file are relocations, but its sections say what they are for.
      const bool packed = image.section.starts_with(".nv_fatb") || image.section.starts_with(".hip_fat");
      if (unresolved && packed) image.loaded = Loaded::StartUp;
      image.relocatable = image.section.starts_with("__nv_rel");
      // The record of the linked code has a list of what it was linked from, which the driver links again for GPUs that
      // the linked code does not support.
      if (image.relocatable) image.loaded = linked ? Loaded::StartUp : Loaded::Never;
    }
    return Done{};
  }

  /// The index of the image that begins at an address; the number of images when there is none.
  std::size_t imageAtAddress(uint64_t address) const {
    const auto bytes = address == 0 ? std::nullopt : m_image.findBytesAt(address);
    if (!bytes) return m_images.size();
    const auto offset = static_cast<uint64_t>(bytes->data() - m_image.file.data());
    const auto found =
        std::ranges::lower_bound(m_images, offset, {}, [](const DeviceImage& image) { return image.extent.offset; });
    return found != m_images.end() && found->extent.offset == offset
               ? static_cast<std::size_t>(found - m_images.begin())
               : m_images.size();
  }

  /// Some linkers store pointers only in the table of relocations. Source: System V ABI, chapter 4, "Relocation".
  Result<Done> readRelocatedPointers(Monitor& monitor) {
    std::unordered_map<uint64_t, Record*> slots;
    for (Record& record : m_records)
      if (imageAtAddress(record.target) == m_images.size()) slots.emplace(record.slot, &record);
    if (slots.empty() || m_image.format != container::Format::Elf || m_image.bits != 64 || m_image.bigEndian)
      return Done{};
    auto file = container::elf::File::readHeader(m_image.file);
    if (!file) return Done{};
    file->readTables();
    const auto* const table = file->findTag(container::elf::DT_RELA);
    const auto* const size = file->findTag(container::elf::DT_RELASZ);
    const auto bytes = table && size ? m_image.findBytesAt(table->value) : std::nullopt;
    if (!bytes) return Done{};
    constexpr uint64_t kEntry = 24;
    const std::string_view entries = bytes->slice(0, size->value).view();
    for (uint64_t at = 0; at + kEntry <= entries.size(); at += kEntry) {
      if (mustStop(monitor)) return Error(DiagnosticId::Cancelled, {});
      const auto found = slots.find(numberAt<uint64_t>(entries, at));
      const bool relative = numberAt<uint64_t>(entries, at + 8) >> 32 == 0; // no symbol
      if (found != slots.end() && relative) found->second->target = numberAt<uint64_t>(entries, at + 16);
    }
    return Done{};
  }

  /// --- 6. Symbols that are at images, or at the records that refer to them. ---
  Result<Done> assignSymbols(Monitor& monitor) {
    const bool object = m_image.kind == container::Kind::Object;
    // By section of an object file, and by the address, or the offset in that section.
    using Place = std::pair<uint32_t, uint64_t>;
    struct At {
      Place place;
      std::size_t image;
      bool record;
    };
    std::vector<At> places;
    for (std::size_t i = 0; i < m_images.size(); ++i)
      if (const DataRange* const range = rangeAt(m_images[i].extent.offset)) {
        const uint64_t inRange = m_images[i].extent.offset - range->fileOffset;
        places.push_back({{object ? range->section : 0, object ? inRange : range->memory.offset + inRange}, i, false});
      }
    for (const auto& [address, image] : m_recordOf) places.push_back({{0, address}, image, true});
    std::ranges::sort(places, {}, &At::place);
    std::vector<int> ranks(m_images.size(), -1);
    for (std::size_t i = 0; i < m_images.size(); ++i)
      if (!m_images[i].symbol.empty()) ranks[i] = 100;
    for (const Symbol& symbol : m_image.symbols) {
      if (mustStop(monitor)) return Error(DiagnosticId::Cancelled, {});
      const bool data = symbol.type == SymbolType::None || symbol.type == SymbolType::Object;
      // Names with '$' mark data for disassemblers of ARM.
      if (!symbol.defined || symbol.absolute || !data || symbol.name.empty() || symbol.name.starts_with('$')) continue;
      const Place place{object ? symbol.section : 0, symbol.value};
      for (auto at = std::ranges::lower_bound(places, place, {}, &At::place); at != places.end(); ++at) {
        const bool exact = at->place == place;
        const bool inside = at->place.first == place.first && at->place.second - place.second < symbol.size;
        if (!exact && !inside) break;
        const bool end = symbol.name.ends_with(kEnd); // of what is before it
        const int rank = at->record ? 0 : !exact ? 1 : end ? 2 : symbol.type == SymbolType::Object ? 4 : 3;
        if (rank > ranks[at->image]) {
          ranks[at->image] = rank;
          m_images[at->image].symbol = symbol.name;
        }
        if (!exact) break;
      }
    }
    return Done{};
  }

  const Package& m_package;
  const Image& m_image;
  const std::vector<DataRange> m_data; ///< in file order
  DeviceImages m_images, m_unplaced;
  std::vector<Named> m_named;
  std::vector<Size> m_sizes;
  std::vector<Record> m_records;
  std::map<uint64_t, std::size_t> m_recordOf; ///< address of a record → index of its image
  uint64_t m_done = 0, m_wasted = 0;
};

} // namespace

Result<DeviceImages> computeDeviceImages(const Package& package, Monitor& monitor) {
  longWork("library::computeDeviceImages");
  return ImageFinder(package).find(monitor);
}

} // namespace blobscope::library
