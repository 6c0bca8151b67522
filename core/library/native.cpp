#include "core/library/native.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/host_code.h"
#include "core/payloads/payload.h"
#include "core/syntax/disassembler.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

namespace blobscope::library {
namespace {

using container::Image;
using container::Kind;
using container::Section;
using container::Symbol;
using container::SymbolType;
using host::Group;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view kMetadataPrefix = "__tvm_ffi__metadata_";
constexpr std::string_view kDocPrefix = "__tvm_ffi__doc_";
constexpr std::string_view kCubinPrefix = "__tvm_ffi__cubin_";
constexpr std::string_view kEnd = "_end";
constexpr std::string_view kSizePrefix = "_binary_embedded_";
constexpr std::string_view kSizeSuffix = "_cubin_size";

/// Bytes of code that are read per getter. Real getters have some hundred bytes.
constexpr uint64_t kGetterBytes = 16'384;
/// The limit of work for all getters of a file: 64 for each decoded byte, 1 for each symbol or section that is checked.
constexpr uint64_t kDocCost = 400'000'000;
/// Limits of images in one file and of symbols that name images. Largest real number seen: 2.
constexpr uint64_t kImages = 65'536, kImageSymbols = 1'024;
constexpr uint64_t kScanStep = uint64_t{1} << 20;

// --- read-only data

/// Bytes of the file that the loader maps read-only.
struct Range {
  Extent memory;
  uint64_t fileOffset;
  const Section* section; ///< null when the file has no sections
};

bool isFatbinSection(const Section& section) { return section.name.starts_with(".nv_fatb"); }

/// Returns read-only data by address, from sections or, without sections, from segments. With older linkers the only
/// segment that is not writable contains the code too.
std::vector<Range> readOnlyData(const Image& image) {
  std::vector<Range> ranges;
  const Extent whole{0, image.file.size()};
  const auto add = [&](uint64_t address, Extent file, const Section* section) {
    if (file.size > 0 && whole.contains(file)) ranges.push_back({{address, file.size}, file.offset, section});
  };
  for (const Section& section : image.sections)
    if ((section.allocated && !section.writable && !section.executable) || isFatbinSection(section))
      add(section.address, {section.file.offset, std::min(section.file.size, section.size)}, &section);
  if (image.sections.empty()) {
    for (const bool executable : {false, true})
      if (ranges.empty())
        for (const auto& segment : image.segments)
          if (!segment.writable && segment.executable == executable) add(segment.address, segment.file, nullptr);
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const Range& a, const Range& b) { return a.memory.offset < b.memory.offset; });
  return ranges;
}

const Range* rangeAt(const std::vector<Range>& ranges, uint64_t address) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](uint64_t value, const Range& range) { return value < range.memory.offset; });
  return after != ranges.begin() && (after - 1)->memory.contains(address) ? &*(after - 1) : nullptr;
}

// --- documentation

bool isDocText(std::string_view text) {
  if (text.size() > NativeFunction::kDocBytes || !isUtf8(text)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

/// Reads the texts of one file's getters.
class DocReader {
public:
  explicit DocReader(const Image& image) : m_image(image) {
    // The addresses in an object file are not known before it is linked.
    if (image.kind == Kind::Object) return;
    m_disassembler = syntax::makeDisassembler(image.arch, image.bits);
    if (m_disassembler) m_data = readOnlyData(image);
  }

  std::optional<Bytes> read(uint32_t getter, Monitor& monitor) {
    const Symbol& symbol = m_image.symbols[getter];
    if (!m_disassembler || !spend(m_image.sections.size() + m_image.segments.size()) ||
        (symbol.size == 0 && !spend(m_image.symbols.size())))
      return std::nullopt;
    const auto code = findHostCode(m_image, getter);
    if (!code || code->arch != m_image.arch) return std::nullopt;
    Bytes bytes = code->bytes.slice(0, kGetterBytes);
    if (!spend(bytes.size() * 64)) return std::nullopt;
    if (symbol.size == 0) bytes = firstRun(bytes, code->address, monitor);
    const auto place = syntax::firstReadOnlyLoad(
        *m_disassembler, bytes, code->address, [&](uint64_t address) { return rangeAt(m_data, address); }, monitor);
    if (!place) return std::nullopt;
    const Range& range = *rangeAt(m_data, *place);
    const uint64_t delta = *place - range.memory.offset;
    const Bytes text = m_image.file.slice(range.fileOffset + delta,
                                          std::min(range.memory.size - delta, NativeFunction::kDocBytes + 1));
    const std::size_t end = text.view().find('\0');
    if (end == std::string_view::npos || !isDocText(text.view().substr(0, end))) return std::nullopt;
    return text.slice(0, end);
  }

private:
  bool spend(uint64_t cost) {
    if (cost > m_left) return false;
    m_left -= cost;
    return true;
  }
  /// Returns the code up to the first instruction that leaves the function: code of other functions may follow when the
  /// size is unknown.
  Bytes firstRun(const Bytes& bytes, uint64_t address, Monitor& monitor) {
    const auto instructions = m_disassembler->disassemble(bytes, address, {}, monitor);
    if (!instructions) return {};
    constexpr std::array<std::string_view, 7> kLeaving = {"ret", "jmp", "int3", "ud2", "b ", "br ", "brk"};
    for (const auto& instruction : *instructions) {
      const bool leaves = std::any_of(kLeaving.begin(), kLeaving.end(),
                                      [&](std::string_view word) { return instruction.text.starts_with(word); });
      if (leaves || !instruction.known) return bytes.slice(0, instruction.address - address);
    }
    return bytes;
  }

  const Image& m_image;
  std::unique_ptr<syntax::Disassembler> m_disassembler;
  std::vector<Range> m_data;
  uint64_t m_left = kDocCost;
};

/// Whether the symbol is a getter of signatures or documentation; host::readHost distinguishes it from a function whose
/// own name has the same prefix.
bool isGetter(const Package& package, uint32_t index) {
  const Symbol& symbol = package.image.symbols[index];
  return index < package.host.groups.size() && package.host.groups[index] == Group::Metadata &&
         symbol.type == SymbolType::Function;
}

bool hasPrefixedNames(const Package& package) { return package.host.abi && *package.host.abi >= host::Abi::Ffi2; }

// --- embedded images

uint64_t numberAt(std::string_view bytes, uint64_t offset, int size) {
  uint64_t value = 0;
  if (offset > bytes.size() || bytes.size() - offset < static_cast<uint64_t>(size)) return 0;
  for (int i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[offset + static_cast<uint64_t>(i)]);
  return value;
}

constexpr std::string_view kCubinMagic = "\x7f\x45\x4c\x46\x02\x01";
constexpr std::string_view kFatbinMagic = "\x50\xed\x55\xba";

/// Returns the length of the cubin at the start of `bytes`: its header tables are at its end. Source of the offsets:
/// ELF-64 object file format, figure 2. Nothing when it is not a cubin or is longer than the bytes.
std::optional<uint64_t> cubinLength(std::string_view bytes) {
  constexpr uint64_t kHeader = 64, kMachine = 190;
  if (bytes.size() < kHeader || !bytes.starts_with(kCubinMagic) || numberAt(bytes, 18, 2) != kMachine)
    return std::nullopt;
  const uint64_t programs = numberAt(bytes, 32, 8), sections = numberAt(bytes, 40, 8);
  const uint64_t programsSize = numberAt(bytes, 54, 2) * numberAt(bytes, 56, 2);
  uint64_t sectionCount = numberAt(bytes, 60, 2);
  // The number does not fit into the field: the first section header contains it.
  if (sectionCount == 0 && sections >= kHeader && sections < bytes.size())
    sectionCount = numberAt(bytes.substr(sections), 32, 8);
  const auto sectionsSize = checkedMultiply(numberAt(bytes, 58, 2), sectionCount);
  if (!sectionsSize) return std::nullopt;
  uint64_t end = 0;
  if (programsSize > 0) end = std::max(end, Extent{programs, programsSize}.end());
  if (*sectionsSize > 0) end = std::max(end, Extent{sections, *sectionsSize}.end());
  if (end <= kHeader || end > bytes.size()) return std::nullopt;
  return end;
}

/// Returns the length of the fat binary at the start of `bytes`. The four bytes of its magic occur as a number in
/// programs that read such files, so the first entry must be valid too: core/formats/cuda-binaries.md 2 and 2.1.
std::optional<uint64_t> fatbinLength(std::string_view bytes) {
  constexpr uint64_t kHeader = 16, kEntryMinimum = 64, kEntryMaximum = uint64_t{1} << 20;
  if (bytes.size() < kHeader + kEntryMinimum || !bytes.starts_with(kFatbinMagic) || numberAt(bytes, 6, 2) != kHeader)
    return std::nullopt;
  const uint64_t size = numberAt(bytes, 8, 8);
  const uint64_t entry = numberAt(bytes, kHeader + 4, 4), payload = numberAt(bytes, kHeader + 8, 8);
  if (size > bytes.size() - kHeader || entry < kEntryMinimum || entry > kEntryMaximum) return std::nullopt;
  if (entry > size || payload > size - entry) return std::nullopt;
  return kHeader + size;
}

/// Collects the images of one file.
class ImageFinder {
public:
  explicit ImageFinder(const Package& package) : m_package(package), m_image(package.image) {}

  Result<std::vector<EmbeddedImage>> find(Monitor& monitor) {
    readSymbols();
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::vector<Range> data = readOnlyData(m_image);
    for (const Extent& part : partsToScan(data)) BLOBSCOPE_CHECK(scan(part, monitor));
    order();
    nameByPlace();
    nameBySize();
    assignBytes();
    for (EmbeddedImage& image : m_unplaced) m_images.push_back(std::move(image));
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

  /// --- 1. Symbols: they give offset and length of some images, only the offset or only the length of others. ---
  void readSymbols() {
    if (m_package.host.groups.size() != m_image.symbols.size()) return;
    std::unordered_map<std::string_view, const Symbol*> labels;
    std::vector<std::pair<std::string_view, const Symbol*>> starts;
    std::unordered_map<std::string_view, bool> sizesSeen;
    for (std::size_t i = 0; i < m_image.symbols.size(); ++i) {
      if (m_package.host.groups[i] != Group::Image) continue;
      const Symbol& symbol = m_image.symbols[i];
      const std::string_view name = m_image.plainName(symbol);
      if (name.starts_with(kSizePrefix)) {
        if (!symbol.absolute || symbol.value == 0 || m_sizes.size() == kImageSymbols) continue;
        if (name.size() <= kSizePrefix.size() + kSizeSuffix.size()) continue;
        const auto own = name.substr(kSizePrefix.size(), name.size() - kSizePrefix.size() - kSizeSuffix.size());
        if (sizesSeen.emplace(own, true).second) m_sizes.push_back({own, symbol.name, symbol.value});
      } else if (labels.size() < 2 * kImageSymbols && symbol.type != SymbolType::Function && !symbol.absolute) {
        // Both symbol tables of a file that is not stripped contain the name.
        if (labels.emplace(name.substr(kCubinPrefix.size()), &symbol).second)
          starts.emplace_back(name.substr(kCubinPrefix.size()), &symbol);
      }
    }
    for (const auto& [name, symbol] : starts) {
      const auto end = labels.find(std::string(name) + std::string(kEnd));
      const bool isEnd = name.ends_with(kEnd) && labels.contains(name.substr(0, name.size() - kEnd.size()));
      if (end == labels.end() && isEnd) continue;
      const auto bytes = m_image.findBytesOf(*symbol);
      if (!bytes || bytes->empty()) continue;
      const auto place = static_cast<uint64_t>(bytes->data() - m_image.file.data());
      const uint64_t length = end == labels.end() ? symbol->size : distance(*symbol, *end->second);
      if (length > 0 && length <= bytes->size())
        m_images.push_back({std::string(name), {place, length}, {}, {}, symbol->name});
      else
        m_named.push_back({name, symbol->name, place});
    }
    order();
  }
  uint64_t distance(const Symbol& start, const Symbol& end) const {
    const bool one = m_image.kind != Kind::Object || start.section == end.section;
    return one && end.value > start.value ? end.value - start.value : 0;
  }

  /// Sorts the images by offset and removes those that begin inside another one.
  void order() {
    std::stable_sort(m_images.begin(), m_images.end(), [](const EmbeddedImage& a, const EmbeddedImage& b) {
      return a.extent.offset != b.extent.offset ? a.extent.offset < b.extent.offset : a.extent.size > b.extent.size;
    });
    std::vector<EmbeddedImage> outer;
    for (EmbeddedImage& image : m_images)
      if (outer.empty() || image.extent.offset >= outer.back().extent.end()) outer.push_back(std::move(image));
    m_images = std::move(outer);
  }

  /// --- 2. Read-only data without known images and without blobs. ---
  std::vector<Extent> partsToScan(const std::vector<Range>& data) const {
    std::vector<Extent> known;
    // Compares addresses in the mapping, because unpacked files have no offset. A blob of several pieces is outside of
    // it.
    const std::byte* const first = m_image.file.data();
    const std::less_equal<const std::byte*> notAfter;
    for (const auto& blob : m_package.blobs)
      if (!blob->bytes.empty() && notAfter(first, blob->bytes.data()) &&
          notAfter(blob->bytes.data() + blob->bytes.size(), first + m_image.file.size()))
        known.push_back({static_cast<uint64_t>(blob->bytes.data() - first), blob->bytes.size()});
    for (const EmbeddedImage& image : m_images) known.push_back(image.extent);
    std::vector<Extent> whole;
    for (const Range& range : data) whole.push_back({range.fileOffset, range.memory.size});
    const auto earlier = [](const Extent& a, const Extent& b) { return a.offset < b.offset; };
    std::sort(known.begin(), known.end(), earlier);
    std::sort(whole.begin(), whole.end(), earlier);

    std::vector<Extent> parts;
    uint64_t done = 0;
    std::size_t next = 0;
    for (const Extent& extent : whole) {
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
    const std::string_view all = m_image.file.view().substr(part.offset, part.size);
    uint64_t at = 0, cubin = 0, fatbin = 0; // the next offsets of the two magics at or after `at`, once searched
    bool searched = false;
    while (at < all.size() && m_images.size() < kImages) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("looking for device images", part.offset + at, m_image.file.size());
      const uint64_t end = std::min<uint64_t>(at + kScanStep, all.size());
      const std::string_view step = all.substr(0, std::min<uint64_t>(end + kCubinMagic.size() - 1, all.size()));
      const auto findNext = [&](uint64_t& place, std::string_view magic) {
        if (searched && place >= at) return;
        place = std::min<uint64_t>(findBytes(step, magic, at), end);
      };
      searched = false;
      for (; at < end; searched = true) {
        findNext(cubin, kCubinMagic);
        findNext(fatbin, kFatbinMagic);
        at = std::min(cubin, fatbin);
        if (at >= end) break;
        const auto length = cubin < fatbin ? cubinLength(all.substr(at)) : fatbinLength(all.substr(at));
        // The first bytes of the file are the file's own header.
        const bool own = part.offset + at == 0;
        if (length && !own) m_images.push_back({{}, {part.offset + at, *length}, {}, {}, {}});
        at += length && !own ? *length : kFatbinMagic.size();
        if (m_images.size() == kImages) break;
      }
    }
    return Done{};
  }

  /// --- 4. Names for images without one. ---
  void nameByPlace() {
    for (const Named& named : m_named) {
      const auto found =
          std::lower_bound(m_images.begin(), m_images.end(), named.place,
                           [](const EmbeddedImage& image, uint64_t place) { return image.extent.offset < place; });
      if (found == m_images.end() || found->extent.offset != named.place || !found->name.empty()) continue;
      found->name = named.name;
      found->symbol = named.symbol;
    }
  }

  void nameBySize() {
    std::unordered_map<std::string_view, bool> known;
    for (const EmbeddedImage& image : m_images)
      if (!image.name.empty()) known.emplace(image.name, true);
    std::map<uint64_t, std::pair<std::vector<EmbeddedImage*>, std::vector<const Size*>>> bySize;
    for (const Size& size : m_sizes)
      if (!known.contains(size.name)) bySize[size.size].second.push_back(&size);
    for (EmbeddedImage& image : m_images)
      if (const auto found = bySize.find(image.extent.size); found != bySize.end() && image.name.empty())
        found->second.first.push_back(&image);
    for (const auto& [bytes, both] : bySize) {
      const auto& [images, sizes] = both;
      if (images.empty()) {
        for (const Size* const size : sizes)
          m_unplaced.push_back({std::string(size->name), {0, bytes}, {}, {}, size->symbol});
        continue;
      }
      // Several images of the same size cannot be distinguished.
      constexpr std::size_t kNames = 4;
      std::string name = images.size() > sizes.size() ? "perhaps " : "";
      for (std::size_t i = 0; i < std::min(sizes.size(), kNames); ++i)
        name += (i == 0 ? "" : " or ") + std::string(sizes[i]->name);
      if (sizes.size() > kNames) name += " or " + groupedText(sizes.size() - kNames) + " others";
      for (EmbeddedImage* const image : images) {
        image->name = name;
        if (sizes.size() == 1) image->symbol = sizes.front()->symbol;
      }
    }
  }

  void assignBytes() {
    std::vector<const Section*> sections;
    for (const Section& section : m_image.sections)
      if (section.file.size > 0) sections.push_back(&section);
    std::stable_sort(sections.begin(), sections.end(),
                     [](const Section* a, const Section* b) { return a->file.offset < b->file.offset; });
    for (EmbeddedImage& image : m_images) {
      image.bytes = m_image.file.slice(image.extent.offset, image.extent.size);
      const auto after =
          std::upper_bound(sections.begin(), sections.end(), image.extent.offset,
                           [](uint64_t at, const Section* section) { return at < section->file.offset; });
      if (after != sections.begin() && (*(after - 1))->file.contains(image.extent.offset))
        image.section = (*(after - 1))->name;
    }
  }

  const Package& m_package;
  const Image& m_image;
  std::vector<EmbeddedImage> m_images, m_unplaced;
  std::vector<Named> m_named;
  std::vector<Size> m_sizes;
};

// --- pages

std::string_view firstLine(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t\f\r");
    if (first != std::string_view::npos) return line.substr(first);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

/// Returns the page "Embedded images", one row per image.
view::Page imagesPage(const Package& package, const std::vector<EmbeddedImage>& images) {
  Rows rows;
  std::vector<Ref> targets;
  for (const EmbeddedImage& image : images) {
    std::string words, place = "not found: only its size is recorded";
    for (const std::string& word : payloads::contentWords(image.bytes)) words += (words.empty() ? "" : ", ") + word;
    if (image.placed()) {
      place = hexText(image.extent.offset) + (image.section.empty() ? "" : " in " + escaped(image.section));
      targets.push_back(package.ref(Ref::bytesAt(image.extent.offset, image.extent.size)));
    } else {
      targets.push_back(package.ref(Ref::named(Ref::Kind::Symbol, image.symbol)));
    }
    rows.push_back({image.name.empty() ? "–" : escaped(image.name), place, std::to_string(image.extent.size),
                    words.empty() ? "–" : words});
  }
  return view::tablePage("Embedded images", {{"name"}, {"place"}, {"bytes", true, true}, {"content"}}, std::move(rows),
                         std::move(targets));
}

} // namespace

std::string docLine(const NativeFunction& function) {
  constexpr std::size_t kLineBytes = 200;
  if (!function.hasDoc()) return "–";
  if (function.doc) return function.doc->empty() ? "empty" : escapedWithin(firstLine(function.doc->view()), kLineBytes);
  return syntax::hasDisassemblerFactory() ? "present; its text was not found in the code"
                                          : "present; this build has no disassembler to find its text";
}

namespace {

/// Symbols of the getters, by the names of their functions.
struct Getters {
  std::unordered_map<std::string_view, uint32_t> metadata, docs;
};

Getters gettersOf(const Package& package) {
  Getters out;
  if (!hasPrefixedNames(package)) return out;
  for (uint32_t i = 0; i < package.image.symbols.size(); ++i) {
    if (!isGetter(package, i)) continue;
    const std::string_view name = package.image.plainName(package.image.symbols[i]);
    if (name.starts_with(kMetadataPrefix)) out.metadata.emplace(name.substr(kMetadataPrefix.size()), i);
    if (name.starts_with(kDocPrefix)) out.docs.emplace(name.substr(kDocPrefix.size()), i);
  }
  return out;
}

} // namespace

bool hasMetadata(const Package& package) {
  const Getters getters = gettersOf(package);
  return !getters.metadata.empty() && std::ranges::any_of(package.host.functions, [&](const host::Function& function) {
    return getters.metadata.contains(function.name);
  });
}

std::vector<NativeFunction> nativeFunctions(const Package& package) {
  std::vector<NativeFunction> functions;
  if (!hasPrefixedNames(package)) return functions;
  const Getters getters = gettersOf(package);
  functions.reserve(package.host.functions.size());
  for (const host::Function& stored : package.host.functions) {
    NativeFunction function;
    function.name = stored.name;
    function.symbol = stored.symbol;
    function.hasMetadata = getters.metadata.contains(stored.name);
    if (const auto found = getters.docs.find(stored.name); found != getters.docs.end())
      function.docGetter = found->second;
    functions.push_back(std::move(function));
  }
  return functions;
}

Result<Done> computeDocs(const Package& package, std::vector<NativeFunction>& functions, Monitor& monitor) {
  longWork("library::computeDocs");
  std::optional<DocReader> reader;
  uint64_t done = 0;
  for (NativeFunction& function : functions) {
    if (!function.docGetter) continue;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("reading documentation", done++, 0);
    if (!reader) reader.emplace(package.image);
    function.doc = reader->read(*function.docGetter, monitor);
  }
  return Done{};
}

Result<std::vector<EmbeddedImage>> computeEmbeddedImages(const Package& package, Monitor& monitor) {
  longWork("library::computeEmbeddedImages");
  return ImageFinder(package).find(monitor);
}

std::string registrationWords(const Package& package) {
  // apache/tvm-ffi v0.1.0 – v0.1.15 include/tvm/ffi/c_api.h. Every class requests its type index, with or without
  // fields.
  struct Word {
    std::string_view symbol, word;
  };
  constexpr std::array<Word, 7> kWords = {{{"TVMFFITypeGetOrAllocIndex", "classes"},
                                           {"TVMFFITypeRegisterField", "fields"},
                                           {"TVMFFITypeRegisterMethod", "methods"},
                                           {"TVMFFITypeRegisterMetadata", "metadata of classes"},
                                           {"TVMFFITypeRegisterAttr", "attributes of classes"},
                                           {"TVMFFIFunctionSetGlobalFromMethodInfo", "global functions"},
                                           {"TVMFFIFunctionSetGlobal", "global functions"}}};
  std::array<bool, kWords.size()> needed{};
  for (const Symbol& symbol : package.image.symbols) {
    if (symbol.defined) continue;
    const std::string_view name = package.image.plainName(symbol);
    if (!name.starts_with("TVMFFI")) continue;
    for (std::size_t i = 0; i < kWords.size(); ++i) needed[i] |= name == kWords[i].symbol;
  }
  needed[6] &= !needed[5];
  std::string words;
  for (std::size_t i = 0; i < kWords.size(); ++i)
    if (needed[i]) words += (words.empty() ? "" : ", ") + std::string(kWords[i].word);
  return words;
}

void addNativeFacts(const Package& package, Rows& rows) {
  const std::vector<NativeFunction> functions = nativeFunctions(package);
  const auto count = std::count_if(functions.begin(), functions.end(),
                                   [](const NativeFunction& function) { return function.hasMetadata; });
  if (count > 0)
    rows.push_back({"signatures", "metadata of " + groupedText(static_cast<uint64_t>(count)) + " of " +
                                      groupedText(functions.size()) +
                                      " functions; Run → Read signatures… runs the code that returns it"});
  const std::string words = registrationWords(package);
  if (!words.empty())
    rows.push_back(
        {"registers", words + ", when it is loaded; only its code knows which ones" +
                          (functions.empty() ? "; the page 'Registered names' has the texts that may be names" : "")});
}

namespace {

/// Adds the texts that may be names of what a library registers when it is loaded.
void addRegisteredNames(const PackagePtr& package, view::PageList& list) {
  if (registrationWords(*package).empty() || !nativeFunctions(*package).empty()) return;
  const auto make = [package](Monitor& monitor) -> Result<view::Page> {
    BLOBSCOPE_TRY(names, computeRegisteredNames(package->image, monitor));
    Rows rows;
    std::vector<Ref> targets;
    for (const std::string_view name : names) {
      rows.push_back({escaped(name), "a text; registered by start-up code, not certain"});
      const auto at = static_cast<uint64_t>(name.data() - package->image.file.view().data());
      targets.push_back(package->ref(Ref::bytesAt(at, name.size())));
    }
    return view::tablePage("Registered names", {{"name"}, {"from"}}, std::move(rows), std::move(targets));
  };
  list.push_back({"Registered names", view::DeferredPage{"table", make}});
}

} // namespace

void addNativePages(const PackagePtr& package, view::PageList& list, Monitor& monitor) {
  addRegisteredNames(package, list);
  auto found = computeEmbeddedImages(*package, monitor);
  if (!found || found->empty()) return;
  const auto images = std::make_shared<const std::vector<EmbeddedImage>>(std::move(*found));
  const auto make = [package, images](Monitor&) -> Result<view::Page> { return imagesPage(*package, *images); };
  list.push_back({"Embedded images", view::DeferredPage{"table", make}});
}

void addFunctionFacts(const Package& package, uint32_t symbol, Rows& rows, view::PageList& pages) {
  if (!hasPrefixedNames(package)) return;
  const auto& stored = package.host.functions;
  const auto own = std::find_if(stored.begin(), stored.end(),
                                [&](const host::Function& function) { return function.symbol == symbol; });
  if (own == stored.end()) return;
  std::vector<NativeFunction> function(1);
  for (uint32_t i = 0; i < package.image.symbols.size(); ++i) {
    const std::string_view name = package.image.plainName(package.image.symbols[i]);
    if (!name.ends_with(own->name) || !isGetter(package, i)) continue;
    const std::string_view prefix = name.substr(0, name.size() - own->name.size());
    if (prefix == kMetadataPrefix) function[0].hasMetadata = true;
    if (prefix == kDocPrefix && !function[0].docGetter) function[0].docGetter = i;
  }
  if (function[0].hasMetadata)
    rows.push_back({"metadata", "present; Run → Read signatures… runs the code that returns it"});
  if (!function[0].hasDoc()) return;
  NullMonitor monitor;
  (void)computeDocs(package, function, monitor); // it cannot be cancelled
  rows.push_back({"documentation", docLine(function[0])});
  if (function[0].doc && !function[0].doc->empty())
    pages.push_back({"Documentation", view::TextPage{*function[0].doc, ""}});
}

} // namespace blobscope::library
