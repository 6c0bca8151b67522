#include "core/payloads/elf/elf.h"

#include "core/base/text.h"
#include "core/container/elf/elf.h"

#include <algorithm>
#include <cstdio>

namespace blobscope::payloads {

namespace elf = container::elf;

namespace {

constexpr uint64_t kReadAtOnce = uint64_t{32} << 20;
constexpr std::size_t kListed = 1'024;      // maximum of notes, needed libraries
constexpr uint64_t kDynamicEntries = 4'096; // maximum read; real files have some 30

/// Calls `use` with the offset of each entry of a table up to the first one that is not completely in the file.
template <class Use>
void forEachEntry(const elf::File& file, uint64_t table, uint16_t stride, uint16_t count, uint64_t size,
                  const Use& use) {
  if (stride < size) return;
  for (uint64_t i = 0; i < count; ++i) {
    const auto at = checkedAdd(table, i * stride); // both factors have 16 bits
    if (!at || !Extent{0, file.bytes.size()}.contains(Extent{*at, size})) return;
    use(*at);
  }
}

std::vector<elf::ProgramHeader> programHeaders(const elf::File& file) {
  std::vector<elf::ProgramHeader> found;
  forEachEntry(file, file.programsOffset, file.programEntrySize, file.programCount, file.programSize(),
               [&](uint64_t at) { found.push_back(file.program(at)); });
  return found;
}

/// Adds the notes of a part of the file, cut to what is there.
void addNotes(const elf::File& file, Extent stored, uint64_t align, std::vector<ElfNote>& notes) {
  const Bytes part = file.bytes.slice(stored.offset, stored.size);
  const Extent place{stored.offset, part.size()};
  uint64_t at = 0;
  while (notes.size() < kListed) {
    const auto note = file.note(place, at, align == 8 ? 8 : 4);
    if (!note) return;
    std::string_view owner = part.slice(note->name.offset, note->name.size).view();
    owner = owner.substr(0, owner.find('\0'));
    notes.push_back({shortened(owner, 256), note->type, part.slice(note->content.offset, note->content.size)});
    at = note->next;
  }
}

struct Name {
  uint16_t value;
  std::string_view name;
};
// Source: gABI, "e_machine"; llvmorg-19.1.7 llvm/include/llvm/BinaryFormat/ELF.h, EM_*.
constexpr Name kMachines[] = {
    {elf::EM_SPARC, "SPARC"},     {elf::EM_386, "x86"},
    {elf::EM_MIPS, "MIPS"},       {elf::EM_PPC, "PowerPC"},
    {elf::EM_PPC64, "PowerPC64"}, {elf::EM_S390, "S390"},
    {elf::EM_ARM, "Arm"},         {elf::EM_SPARCV9, "SPARC V9"},
    {elf::EM_X86_64, "x86-64"},   {elf::EM_XTENSA, "Xtensa"},
    {elf::EM_HEXAGON, "Hexagon"}, {elf::EM_AARCH64, "AArch64"},
    {elf::EM_CUDA, "CUDA"},       {elf::EM_AMDGPU, "AMDGPU"},
    {elf::EM_RISCV, "RISC-V"},    {elf::EM_BPF, "BPF"},
    {elf::EM_VE, "VE"},           {elf::EM_LOONGARCH, "LoongArch"},
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

/// The page that `make` creates from the file's image, when it is first shown.
view::Page laterPage(std::string name, const Bytes& bytes,
                     view::Page (*make)(const std::shared_ptr<const container::Image>&)) {
  return {std::move(name), view::DeferredPage{"table", [bytes, make](Monitor& monitor) -> Result<view::Page> {
                                                BLOBSCOPE_TRY(image, container::readElf(bytes, monitor));
                                                return make(std::make_shared<const container::Image>(std::move(image)));
                                              }}};
}

void addElfFacts(const elf::File& header, view::PageList& list) {
  std::vector<std::vector<std::string>> facts = {
      {"class", header.is64 ? "64 bit" : "32 bit"},
      {"byte order", header.bigEndian ? "big endian" : "little endian"},
      {"type", elfTypeText(header.type)},
      {"machine", elfMachineText(header.machine)},
  };
  if (header.machine == elf::EM_HEXAGON)
    facts.push_back({"DSP version", hexagonVersion(header.flags).value_or("not named")});
  facts.push_back({"flags", hexText(header.flags)});
  if (header.entry != 0) facts.push_back({"entry point", hexText(header.entry)});
  const ElfDynamic dynamic = elfDynamic(header);
  if (!dynamic.soname.empty()) facts.push_back({"soname", escapedWithin(dynamic.soname, 4'096)});
  for (const std::string& library : dynamic.needed) facts.push_back({"needed library", escapedWithin(library, 4'096)});
  list.push_back(view::factsPage("ELF", std::move(facts)));
}

void elfPages(const Bytes& bytes, view::PageList& list) {
  if (const auto header = elf::File::readHeader(bytes)) addElfFacts(*header, list);
  addElfTables(bytes, list);
}

} // namespace

std::vector<ElfNote> elfNotes(const elf::File& file) {
  std::vector<ElfNote> notes;
  bool hasSegment = false;
  for (const elf::ProgramHeader& segment : programHeaders(file)) {
    if (segment.type != elf::PT_NOTE) continue;
    hasSegment = true;
    addNotes(file, segment.file(), segment.align, notes);
  }
  if (hasSegment) return notes;
  forEachEntry(file, file.sectionsOffset, file.sectionEntrySize, file.sectionCount, file.sectionSize(),
               [&](uint64_t at) {
                 const elf::SectionHeader section = file.section(at);
                 if (section.type == elf::SHT_NOTE) addNotes(file, section.file(), section.align, notes);
               });
  return notes;
}

ElfDynamic elfDynamic(const elf::File& file) {
  const std::vector<elf::ProgramHeader> all = programHeaders(file);
  const auto section = std::find_if(all.begin(), all.end(), [](const auto& s) { return s.type == elf::PT_DYNAMIC; });
  if (section == all.end()) return {};

  const uint64_t entries = file.bytes.slice(section->offset, section->fileSize).size() / file.tagSize();
  uint64_t strings = 0, stringsSize = 0;
  std::optional<uint64_t> soname;
  std::vector<uint64_t> needed;
  for (uint64_t i = 0; i < std::min(entries, kDynamicEntries); ++i) {
    const auto [tag, value, place] = file.tag(section->offset + i * file.tagSize());
    if (tag == elf::DT_NULL) break;
    if (tag == elf::DT_STRTAB) strings = value;
    if (tag == elf::DT_STRSZ) stringsSize = value;
    if (tag == elf::DT_SONAME) soname = value;
    if (tag == elf::DT_NEEDED && needed.size() < kListed) needed.push_back(value);
  }

  Bytes names; // of the dynamic section, where the loader finds them
  for (const elf::ProgramHeader& segment : all)
    if (segment.type == elf::PT_LOAD && Extent{segment.address, segment.fileSize}.contains(strings))
      names = file.bytes.slice(segment.offset, segment.fileSize).slice(strings - segment.address, stringsSize);
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
  case elf::ET_REL: return "relocatable object";
  case elf::ET_EXEC: return "executable";
  case elf::ET_DYN: return "shared object";
  case elf::ET_CORE: return "core file";
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
