#include "core/safety/address_space.h"

#include "core/base/text.h"
#include "core/container/macho/file.h"
#include "core/container/number_at.h"
#include "core/container/pe/file.h"
#include "core/container/pe/imports.h"
#include "core/write/function_starts.h"

#include <algorithm>

namespace blobscope::safety {
namespace {

using container::Format;

constexpr std::size_t kWords = 4'000'000;   // maximum of relocated words that are kept
constexpr std::size_t kSymbols = 4'000'000; // maximum of function names that are kept
constexpr std::size_t kTextBytes = 200;
constexpr std::size_t kResolvers = 4'096;

} // namespace

Result<AddressSpace> AddressSpace::read(const container::Image& image, Monitor& monitor) {
  AddressSpace space;
  space.m_image = &image;
  space.readRanges();
  BLOBSCOPE_CHECK(space.readSymbols(monitor));
  if (image.format == Format::Elf) BLOBSCOPE_CHECK(addElfWords(space, monitor));
  if (image.format == Format::Pe) BLOBSCOPE_CHECK(addPeWords(space, monitor));
  if (image.format == Format::MachO) BLOBSCOPE_CHECK(addMachOWords(space, monitor));
  return space;
}

void AddressSpace::readRanges() {
  const auto& sections = m_image->sections;
  bool any = false;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i].executable) continue;
    any = true;
    m_code.push_back(isObject() ? Extent{sectionAddress(i), sections[i].size}
                                : Extent{sections[i].address, sections[i].size});
  }
  if (!any)
    for (const container::Segment& segment : m_image->segments)
      if (segment.executable) m_code.push_back({segment.address, segment.file.size});
  std::ranges::sort(m_code, {}, &Extent::offset);
}

Result<Done> AddressSpace::readSymbols(Monitor& monitor) {
  uint64_t done = 0;
  for (const container::Symbol& symbol : m_image->symbols) {
    if (done++ % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (!symbol.defined || symbol.absolute || symbol.name.empty() || m_symbols.size() >= kSymbols) continue;
    uint64_t address = symbol.value;
    if (isObject()) {
      if (symbol.section >= m_image->sections.size()) continue;
      address += sectionAddress(symbol.section);
    }
    if (symbol.type != container::SymbolType::Function && !isCode(address)) continue;
    if (symbol.type != container::SymbolType::Function && m_image->format == Format::Elf) continue;
    m_symbols.try_emplace(address, m_image->plainName(symbol));
    m_starts.push_back(address);
  }
  if (isObject()) {
    write::sortStarts(m_starts);
    return Done{};
  }
  if (m_image->format == Format::Elf) {
    BLOBSCOPE_TRY(starts, write::functionStarts(*m_image, monitor));
    m_starts = std::move(starts);
    for (const container::Section& section : m_image->sections)
      if (section.name == ".eh_frame_hdr" && !m_image->bigEndian) {
        m_frames = m_image->file.slice(section.file.offset, section.file.size).view();
        m_framesAt = section.address;
      }
  } else if (m_image->format == Format::Pe) {
    const auto file = container::pe::File::read(m_image->file);
    const Extent table = file.directory(container::pe::IMAGE_DIRECTORY_ENTRY_EXCEPTION);
    if (const auto bytes = m_image->findBytesAt(file.imageBase + table.offset); bytes && table.size > 0) {
      m_frames = bytes->slice(0, table.size).view();
      m_framesAt = file.imageBase;
      write::addExceptionTable(m_frames, file.imageBase, m_starts);
    }
  } else if (m_image->format == Format::MachO) {
    readMachOStarts();
  }
  write::sortStarts(m_starts);
  return Done{};
}

void AddressSpace::readMachOStarts() {
  namespace macho = container::macho;
  auto file = macho::File::readHeader(m_image->file);
  if (!file || m_image->segments.empty()) return;
  (void)file->readCommands();
  for (const macho::Command& command : file->commands)
    if (command.id == macho::LC_FUNCTION_STARTS)
      write::addFunctionStarts(
          m_image->file.slice(file->u32(command.place.offset + 8), file->u32(command.place.offset + 12)).view(),
          m_image->segments.front().address, m_starts);
}

std::optional<uint64_t> AddressSpace::endOf(uint64_t address) const {
  if (m_image->format != Format::Pe) return endInFrames(address);
  // Entries of 12 bytes, ascending: begin, end, unwind data. Source: "PE Format", ".pdata section".
  constexpr uint64_t kEntry = 12;
  uint64_t low = 0, high = m_image->arch == "x86_64" ? m_frames.size() / kEntry : 0;
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    const uint64_t begin = m_framesAt + container::numberAt<uint32_t>(m_frames, middle * kEntry);
    if (begin == address) return m_framesAt + container::numberAt<uint32_t>(m_frames, middle * kEntry + 4);
    begin < address ? low = middle + 1 : high = middle;
  }
  return std::nullopt;
}

/// Searches the sorted table of .eh_frame_hdr, whose entries lead to the descriptions of functions (FDE): a length, a
/// distance to the common part, the distance to the function, its size. Source: Linux Standard Base 5.0, 10.6; the
/// encoding is the one of all linkers, and is checked by the function's own address.
std::optional<uint64_t> AddressSpace::endInFrames(uint64_t address) const {
  using container::numberAt;
  const auto distance = [](std::string_view text, uint64_t at) {
    return static_cast<uint64_t>(int64_t{numberAt<int32_t>(text, at)});
  };
  uint64_t low = 0, high = m_frames.size() < 12
                               ? 0
                               : std::min<uint64_t>(numberAt<uint32_t>(m_frames, 8), (m_frames.size() - 12) / 8);
  while (low < high) {
    const uint64_t middle = (low + high) / 2, begin = m_framesAt + distance(m_frames, 12 + 8 * middle);
    if (begin == address) {
      const uint64_t frame = m_framesAt + distance(m_frames, 16 + 8 * middle);
      const auto bytes = bytesAt(frame);
      if (!bytes || bytes->size() < 16 || frame + 8 + distance(bytes->view(), 8) != address) return std::nullopt;
      return address + numberAt<uint32_t>(bytes->view(), 12);
    }
    begin < address ? low = middle + 1 : high = middle;
  }
  return std::nullopt;
}

void AddressSpace::setWord(uint64_t address, Target target) {
  if (m_words.size() < kWords) m_words.insert_or_assign(address, target);
}

void AddressSpace::addDelayed(std::string_view name) {
  constexpr std::size_t kDelayed = 10'000;
  if (m_delayed.size() < kDelayed) m_delayed.emplace(name);
}

void AddressSpace::addResolver(uint64_t address) {
  if (m_resolvers.size() < kResolvers && std::ranges::find(m_resolvers, address) == m_resolvers.end())
    m_resolvers.push_back(address);
}

std::optional<Bytes> AddressSpace::bytesAt(uint64_t address) const {
  if (!isObject()) {
    if (auto bytes = m_image->findBytesAt(address)) return bytes;
    for (const container::Section& section : m_image->sections) // without segments that can be read
      if (m_image->segments.empty() && section.allocated &&
          Extent{section.address, section.file.size}.contains(address))
        return m_image->file.slice(section.file.offset + (address - section.address),
                                   section.file.size - (address - section.address));
    return std::nullopt;
  }
  const uint64_t number = address / kSectionStep;
  if (number == 0 || number > m_image->sections.size()) return std::nullopt;
  const Extent file = m_image->sections[number - 1].file;
  const uint64_t delta = address % kSectionStep;
  if (delta >= file.size) return std::nullopt;
  return m_image->file.slice(file.offset + delta, file.size - delta);
}

bool AddressSpace::isCode(uint64_t address) const {
  const auto after = std::ranges::upper_bound(m_code, address, {}, &Extent::offset);
  return after != m_code.begin() && std::prev(after)->contains(address);
}

const AddressSpace::Target* AddressSpace::wordAt(uint64_t address) const {
  const auto found = m_words.find(address);
  return found == m_words.end() ? nullptr : &found->second;
}

std::optional<AddressSpace::Target> AddressSpace::pointerAt(uint64_t address) const {
  if (const Target* const word = wordAt(address)) return *word;
  if (isObject()) return std::nullopt;
  const auto bytes = bytesAt(address);
  const unsigned size = m_image->bits == 64 ? 8 : 4;
  if (!bytes || bytes->size() < size) return std::nullopt;
  uint64_t value = container::numberAt(bytes->view(), 0, size, m_image->bigEndian);
  if (m_image->format == Format::MachO && size == 8 && !isCode(value)) {
    // Chained fix-ups: the lower 36 bits are an address, or an offset from the header. Source: mach-o/fixup-chains.h,
    // dyld_chained_ptr_64_rebase.
    if (value >> 63) return std::nullopt;
    value &= 0xfffffffff;
    const uint64_t base = m_image->segments.empty() ? 0 : m_image->segments.front().address;
    if (!isCode(value)) value += base;
  }
  return Target{value, {}};
}

const AddressSpace::Target* AddressSpace::relocationIn(uint64_t address, uint64_t size) const {
  if (!isObject()) return nullptr;
  for (uint64_t at = address; at < address + size; ++at)
    if (const Target* const found = wordAt(at)) return found;
  return nullptr;
}

uint64_t AddressSpace::nextStart(uint64_t address) const {
  const auto next = std::ranges::upper_bound(m_starts, address);
  return next == m_starts.end() ? UINT64_MAX : *next;
}

bool AddressSpace::isStart(uint64_t address) const { return std::ranges::binary_search(m_starts, address); }

uint64_t AddressSpace::startBefore(uint64_t address) const {
  const auto range = std::ranges::upper_bound(m_code, address, {}, &Extent::offset);
  const uint64_t begin = range == m_code.begin() ? address : std::prev(range)->offset;
  const auto next = std::ranges::upper_bound(m_starts, address);
  return next == m_starts.begin() ? begin : std::max(begin, *std::prev(next));
}

bool AddressSpace::isWritable(uint64_t address) const {
  for (const container::Segment& segment : m_image->segments)
    if (Extent{segment.address, segment.memorySize}.contains(address)) return segment.writable;
  return true;
}

std::string AddressSpace::symbolAt(uint64_t address) const {
  const auto found = m_symbols.find(address);
  return found == m_symbols.end() ? std::string() : std::string(found->second.substr(0, 4'096));
}

std::optional<uint64_t> AddressSpace::offsetOf(uint64_t address) const {
  const auto bytes = bytesAt(address);
  if (!bytes || bytes->empty()) return std::nullopt;
  return static_cast<uint64_t>(bytes->data() - m_image->file.data());
}

std::string AddressSpace::textAt(uint64_t address) const {
  const auto bytes = bytesAt(address);
  if (!bytes) return {};
  const std::string_view rest = bytes->view().substr(0, kTextBytes);
  const std::string_view text = rest.substr(0, rest.find('\0'));
  const bool printable =
      std::ranges::all_of(text, [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; });
  return printable ? std::string(text) : std::string();
}

// --- import tables of PE

Result<Done> addPeWords(AddressSpace& space, Monitor& monitor) {
  namespace pe = container::pe;
  const container::Image& image = space.image();
  const pe::File file = pe::File::read(image.file);
  const auto at = [&](uint64_t address) {
    const auto bytes = image.findBytesAt(file.imageBase + address);
    return bytes ? bytes->view() : std::string_view();
  };
  uint64_t left = image.file.size() / 4; // each import has a word; tables of a crafted file may overlap
  for (const bool delayed : {false, true}) {
    const Extent place =
        file.directory(delayed ? pe::IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT : pe::IMAGE_DIRECTORY_ENTRY_IMPORT);
    const std::string_view table = place.offset == 0 ? std::string_view() : at(place.offset);
    for (uint64_t i = 0; const auto library = pe::importLibraryAt(file, table, i, delayed); ++i) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const std::string_view lookup = at(library->lookup);
      for (uint64_t k = 0; left > 0; ++k, --left) {
        const auto import = pe::importAt(file, *library, lookup, k);
        if (!import) break;
        const std::string_view text = import->ordinal ? std::string_view() : at(import->name).substr(0, 4'096);
        const std::string_view name =
            import->ordinal ? space.own("#" + std::to_string(*import->ordinal)) : text.substr(0, text.find('\0'));
        if (name.empty()) continue;
        if (delayed) space.addDelayed(name);
        space.setWord(file.imageBase + library->words + k * (file.is64 ? 8 : 4), {0, name});
      }
    }
  }
  return Done{};
}

} // namespace blobscope::safety
