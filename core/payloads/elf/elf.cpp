#include "core/payloads/elf/elf.h"

#include "core/base/text.h"
#include "core/container/elf/elf.h"
#include "core/container/number_at.h"

#include <algorithm>
#include <cstdio>

namespace blobscope::payloads {
namespace {

constexpr uint64_t kReadAtOnce = uint64_t{32} << 20;
constexpr std::size_t kListed = 1'024;      // notes, needed libraries
constexpr uint64_t kDynamicEntries = 4'096; // entries looked at; real files have some 30

/// Numbers in the byte order of the file; zero where the bytes end.
class Numbers {
public:
  Numbers(const Bytes& bytes, bool bigEndian) : m_bytes(bytes.view()), m_bigEndian(bigEndian) {}

  uint64_t at(uint64_t offset, unsigned size) const { return container::numberAt(m_bytes, offset, size, m_bigEndian); }
  uint16_t half(uint64_t offset) const { return static_cast<uint16_t>(at(offset, 2)); }
  uint32_t word(uint64_t offset) const { return static_cast<uint32_t>(at(offset, 4)); }

private:
  std::string_view m_bytes;
  bool m_bigEndian;
};

struct Segment {
  uint32_t type = 0;
  Extent file;
  uint64_t address = 0;
  uint64_t align = 0;
};

/// Entry `index` of a table, nothing when the bytes do not hold it.
std::optional<uint64_t> entryAt(const Bytes& bytes, uint64_t table, uint16_t size, uint64_t index, uint64_t needed) {
  if (size < needed) return std::nullopt;
  const auto at = checkedAdd(table, index * size); // both factors have 16 bits
  if (!at || *at > bytes.size() || bytes.size() - *at < needed) return std::nullopt;
  return at;
}

std::vector<Segment> segments(const Bytes& bytes, const ElfHeader& header) {
  const Numbers numbers(bytes, header.bigEndian);
  std::vector<Segment> found;
  for (uint64_t i = 0; i < header.programCount; ++i) {
    const auto at = entryAt(bytes, header.programOffset, header.programSize, i, header.is64 ? 56 : 32);
    if (!at) break;
    Segment segment;
    segment.type = numbers.word(*at);
    if (header.is64) {
      segment.file = {numbers.at(*at + 8, 8), numbers.at(*at + 32, 8)};
      segment.address = numbers.at(*at + 16, 8);
      segment.align = numbers.at(*at + 48, 8);
    } else {
      segment.file = {numbers.word(*at + 4), numbers.word(*at + 16)};
      segment.address = numbers.word(*at + 8);
      segment.align = numbers.word(*at + 28);
    }
    found.push_back(segment);
  }
  return found;
}

uint64_t rounded(uint64_t size, uint64_t align) { return (size + align - 1) / align * align; } // of 32-bit sizes

void addNotes(const Bytes& part, bool bigEndian, uint64_t align, std::vector<ElfNote>& notes) {
  const Numbers numbers(part, bigEndian);
  uint64_t at = 0;
  while (at <= part.size() && part.size() - at >= 12 && notes.size() < kListed) {
    const uint64_t nameSize = numbers.word(at), contentSize = numbers.word(at + 4);
    const uint32_t type = numbers.word(at + 8);
    std::string_view owner = part.slice(at + 12, nameSize).view();
    owner = owner.substr(0, owner.find('\0'));
    const uint64_t content = at + rounded(12 + nameSize, align);
    notes.push_back({shortened(owner, 256), type, part.slice(content, contentSize)});
    at = content + rounded(contentSize, align); // no overflow: a file offset and two 32-bit sizes
  }
}

constexpr uint32_t kLoad = 1, kDynamicSegment = 2, kNoteSegment = 4;              // PT_
constexpr uint32_t kNoteSection = 7;                                              // SHT_NOTE
constexpr uint64_t kNeeded = 1, kStringTable = 5, kStringSize = 10, kSoname = 14; // DT_

struct Name {
  uint16_t value;
  std::string_view name;
};
// Source: gABI, "e_machine"; llvmorg-19.1.7 llvm/include/llvm/BinaryFormat/ELF.h, EM_*.
constexpr Name kMachines[] = {
    {2, "SPARC"},  {3, "x86"},       {8, "MIPS"},     {20, "PowerPC"}, {21, "PowerPC64"}, {22, "S390"},
    {40, "Arm"},   {43, "SPARC V9"}, {62, "x86-64"},  {94, "Xtensa"},  {164, "Hexagon"},  {183, "AArch64"},
    {190, "CUDA"}, {224, "AMDGPU"},  {243, "RISC-V"}, {247, "BPF"},    {251, "VE"},       {258, "LoongArch"},
};

class SectionTable final : public view::TableSource {
public:
  explicit SectionTable(std::shared_ptr<const container::Image> image) : m_image(std::move(image)) {}
  std::vector<view::Column> columns() const override {
    return {{"name"}, {"type"}, {"address"}, {"offset"}, {"bytes", true, true}, {"flags"}};
  }
  uint64_t rowCount() const override { return m_image->sections.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const container::Section& section = m_image->sections[row];
    switch (column) {
    case 0: return escapedWithin(section.name, 4'096);
    case 1: return std::string(section.type);
    case 2: return hexText(section.address);
    case 3: return section.file.size > 0 ? hexText(section.file.offset) : std::string();
    case 4: return std::to_string(section.size);
    default: break;
    }
    std::string flags;
    const auto add = [&](bool set, const char* word) {
      if (set) flags += (flags.empty() ? "" : ", ") + std::string(word);
    };
    add(section.allocated, "loaded");
    add(section.writable, "writable");
    add(section.executable, "executable");
    return flags;
  }

private:
  std::shared_ptr<const container::Image> m_image;
};

class SymbolTable final : public view::TableSource {
public:
  explicit SymbolTable(std::shared_ptr<const container::Image> image) : m_image(std::move(image)) {}
  std::vector<view::Column> columns() const override {
    return {{"name"}, {"type"}, {"binding"}, {"section"}, {"value"}, {"bytes", true, true}, {"table"}};
  }
  uint64_t rowCount() const override { return m_image->symbols.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const container::Symbol& symbol = m_image->symbols[row];
    switch (column) {
    case 0: return escapedWithin(symbol.name, 4'096);
    case 1: return std::string(container::symbolTypeName(symbol.type));
    case 2: return std::string(container::bindingName(symbol.binding));
    case 3:
      if (!symbol.defined) return "undefined";
      if (symbol.absolute) return "absolute";
      if (symbol.section >= m_image->sections.size()) return {};
      return escapedWithin(m_image->sections[symbol.section].name, 4'096);
    case 4: return hexText(symbol.value);
    case 5: return std::to_string(symbol.size);
    default: return symbol.dynamic ? "dynamic" : "static";
    }
  }

private:
  std::shared_ptr<const container::Image> m_image;
};

view::Page sectionsPage(const std::shared_ptr<const container::Image>& image) {
  return {"Sections", view::TablePage{std::make_shared<SectionTable>(image)}};
}
view::Page symbolsPage(const std::shared_ptr<const container::Image>& image) {
  return {"Symbols", view::TablePage{std::make_shared<SymbolTable>(image)}};
}

/// The page that `make` gives of the file's image, when it is first looked at.
view::Page laterPage(std::string name, const Bytes& bytes,
                     view::Page (*make)(const std::shared_ptr<const container::Image>&)) {
  return {std::move(name), view::LaterPage{"table", [bytes, make](Monitor& monitor) -> Result<view::Page> {
                                             BLOBSCOPE_TRY(image, container::readElf(bytes, monitor));
                                             return make(std::make_shared<const container::Image>(std::move(image)));
                                           }}};
}

void addElfFacts(const Bytes& bytes, const ElfHeader& header, view::PageList& list) {
  std::vector<std::vector<std::string>> facts = {
      {"class", header.is64 ? "64 bit" : "32 bit"},
      {"byte order", header.bigEndian ? "big endian" : "little endian"},
      {"type", elfTypeText(header.type)},
      {"machine", elfMachineText(header.machine)},
  };
  if (header.machine == 164) facts.push_back({"DSP version", hexagonVersion(header.flags).value_or("not named")});
  facts.push_back({"flags", hexText(header.flags)});
  if (header.entry != 0) facts.push_back({"entry point", hexText(header.entry)});
  const ElfDynamic dynamic = elfDynamic(bytes, header);
  if (!dynamic.soname.empty()) facts.push_back({"soname", escapedWithin(dynamic.soname, 4'096)});
  for (const std::string& library : dynamic.needed) facts.push_back({"needed library", escapedWithin(library, 4'096)});
  list.push_back(view::factsPage("ELF", std::move(facts)));
}

void elfPages(const Bytes& bytes, view::PageList& list) {
  if (const auto header = readElfHeader(bytes)) addElfFacts(bytes, *header, list);
  addElfTables(bytes, list);
}

} // namespace

std::optional<ElfHeader> readElfHeader(const Bytes& bytes) {
  const std::string_view text = bytes.view();
  if (text.size() < 16 || !text.starts_with("\x7f\x45\x4c\x46")) return std::nullopt;
  const char fileClass = text[4], order = text[5];
  if ((fileClass != 1 && fileClass != 2) || (order != 1 && order != 2)) return std::nullopt;
  ElfHeader header;
  header.is64 = fileClass == 2;
  header.bigEndian = order == 2;
  if (text.size() < (header.is64 ? 64U : 52U)) return std::nullopt;
  header.osAbi = static_cast<uint8_t>(text[7]);
  header.abiVersion = static_cast<uint8_t>(text[8]);
  const Numbers numbers(bytes, header.bigEndian);
  header.type = numbers.half(16);
  header.machine = numbers.half(18);
  const unsigned wide = header.is64 ? 8 : 4;
  header.entry = numbers.at(24, wide);
  header.programOffset = numbers.at(24 + wide, wide);
  header.sectionOffset = numbers.at(24 + 2 * wide, wide);
  const uint64_t rest = 24 + 3 * wide;
  header.flags = numbers.word(rest);
  header.programSize = numbers.half(rest + 6);
  header.programCount = numbers.half(rest + 8);
  header.sectionSize = numbers.half(rest + 10);
  header.sectionCount = numbers.half(rest + 12);
  return header;
}

std::vector<ElfNote> elfNotes(const Bytes& bytes, const ElfHeader& header) {
  std::vector<ElfNote> notes;
  bool hasSegment = false;
  for (const Segment& segment : segments(bytes, header)) {
    if (segment.type != kNoteSegment) continue;
    hasSegment = true;
    addNotes(bytes.slice(segment.file.offset, segment.file.size), header.bigEndian, segment.align == 8 ? 8 : 4, notes);
  }
  if (hasSegment) return notes;
  const Numbers numbers(bytes, header.bigEndian);
  for (uint64_t i = 0; i < header.sectionCount; ++i) {
    const auto at = entryAt(bytes, header.sectionOffset, header.sectionSize, i, header.is64 ? 64 : 40);
    if (!at) break;
    if (numbers.word(*at + 4) != kNoteSection) continue;
    const uint64_t offset = header.is64 ? numbers.at(*at + 24, 8) : numbers.word(*at + 16);
    const uint64_t size = header.is64 ? numbers.at(*at + 32, 8) : numbers.word(*at + 20);
    const uint64_t align = header.is64 ? numbers.at(*at + 48, 8) : numbers.word(*at + 32);
    addNotes(bytes.slice(offset, size), header.bigEndian, align == 8 ? 8 : 4, notes);
  }
  return notes;
}

ElfDynamic elfDynamic(const Bytes& bytes, const ElfHeader& header) {
  const std::vector<Segment> all = segments(bytes, header);
  const auto section = std::find_if(all.begin(), all.end(), [](const Segment& s) { return s.type == kDynamicSegment; });
  if (section == all.end()) return {};

  const Bytes entries = bytes.slice(section->file.offset, section->file.size);
  const Numbers numbers(entries, header.bigEndian);
  const unsigned wide = header.is64 ? 8 : 4;
  uint64_t strings = 0, stringsSize = 0;
  std::optional<uint64_t> soname;
  std::vector<uint64_t> needed;
  for (uint64_t i = 0; i < std::min(entries.size() / (2 * wide), kDynamicEntries); ++i) {
    const uint64_t tag = numbers.at(i * 2 * wide, wide), value = numbers.at(i * 2 * wide + wide, wide);
    if (tag == 0) break;
    if (tag == kStringTable) strings = value;
    if (tag == kStringSize) stringsSize = value;
    if (tag == kSoname) soname = value;
    if (tag == kNeeded && needed.size() < kListed) needed.push_back(value);
  }

  Bytes names; // of the dynamic section, where the loader finds them
  for (const Segment& segment : all)
    if (segment.type == kLoad && Extent{segment.address, segment.file.size}.contains(strings))
      names = bytes.slice(segment.file.offset, segment.file.size).slice(strings - segment.address, stringsSize);
  const auto nameAt = [&](uint64_t offset) {
    const std::string_view rest = names.view().substr(std::min<uint64_t>(offset, names.size()));
    return shortened(rest.substr(0, rest.find('\0')), 4'096);
  };
  ElfDynamic dynamic;
  if (soname) dynamic.soname = nameAt(*soname);
  for (const uint64_t offset : needed) dynamic.needed.push_back(nameAt(offset));
  return dynamic;
}

std::string elfTypeText(uint16_t type) {
  switch (type) {
  case 1: return "relocatable object";
  case 2: return "executable";
  case 3: return "shared object";
  case 4: return "core file";
  default: return std::to_string(type);
  }
}

std::string elfMachineText(uint16_t machine) {
  for (const Name& known : kMachines)
    if (known.value == machine) return std::string(known.name) + " (" + std::to_string(machine) + ")";
  return std::to_string(machine);
}

std::optional<std::string> hexagonVersion(uint32_t flags) {
  const uint32_t version = flags & 0x3ff;
  switch (version) {
  case 0: return std::nullopt;
  case 1: return "v2";
  case 2: return "v3";
  case 3: return "v4";
  case 4: return "v5";
  case 5: return "v55";
  default: break;
  }
  // From v60 on the number is the version, read as hexadecimal; bit 15 marks the tiny core.
  if (version < 0x60) return std::nullopt;
  char text[16];
  std::snprintf(text, sizeof text, "v%x%s", static_cast<unsigned>(version), flags & 0x8000 ? "t" : "");
  return text;
}

void addElfTables(const Bytes& bytes, view::PageList& list) {
  if (bytes.size() > kReadAtOnce) {
    list.push_back(laterPage("Sections", bytes, sectionsPage));
    list.push_back(laterPage("Symbols", bytes, symbolsPage));
    return;
  }
  NullMonitor monitor;
  auto read = container::readElf(bytes, monitor);
  if (!read) {
    list.push_back({"Damage", view::NoticePage{read.error().message()}});
    return;
  }
  const auto image = std::make_shared<const container::Image>(std::move(*read));
  if (!image->sections.empty()) list.push_back(sectionsPage(image));
  if (!image->symbols.empty()) list.push_back(symbolsPage(image));
  if (image->diagnostics.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(image->diagnostics.size(), 20); ++i)
    text += (text.empty() ? "" : "\n") + image->diagnostics[i].message();
  if (image->diagnostics.size() > 20) text += "\n" + std::to_string(image->diagnostics.size() - 20) + " more";
  list.push_back({"Damage", view::NoticePage{text}});
}

const PayloadFormat kElf = {"elf", elfPages};
const PayloadFormat kHexagonElf = {"hexagon-elf", elfPages};

} // namespace blobscope::payloads
