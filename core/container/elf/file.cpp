#include "core/container/elf/file.h"

#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::container::elf {
namespace {

/// Maximum number of tags of a dynamic part; real ones have about 40. Each costs memory, and a crafted file may have
/// millions.
constexpr uint64_t kMaxTags = 4096;
/// Maximum number of program headers; real files have about 12. Much of the work is done for each pair of them.
constexpr uint64_t kMaxPrograms = 1024;
/// Maximum number of bytes of a note segment that are searched; real ones have up to 200.
constexpr uint64_t kMaxNotes = 65'536;

/// Steps over the fields of an entry, whose words have the size of the class.
struct Cursor {
  const File& file;
  uint64_t at;
  uint64_t take(uint64_t size) {
    const uint64_t value = file.number(at, static_cast<unsigned>(size));
    at += size;
    return value;
  }
  uint16_t half() { return static_cast<uint16_t>(take(2)); }
  uint32_t word() { return static_cast<uint32_t>(take(4)); }
  uint64_t wide() { return take(file.wordSize()); }
};

} // namespace

std::optional<File> File::readHeader(const Bytes& bytes) {
  const std::string_view head = bytes.view();
  if (!head.starts_with(kMagic) || head.size() < EI_NIDENT) return std::nullopt;
  const auto width = static_cast<uint8_t>(head[EI_CLASS]), order = static_cast<uint8_t>(head[EI_DATA]);
  if ((width != ELFCLASS32 && width != ELFCLASS64) || (order != ELFDATA2LSB && order != ELFDATA2MSB))
    return std::nullopt;
  File file;
  file.bytes = bytes;
  file.is64 = width == ELFCLASS64;
  file.bigEndian = order == ELFDATA2MSB;
  if (head.size() < file.headerSize()) return std::nullopt;
  file.osAbi = static_cast<uint8_t>(head[EI_OSABI]);
  file.abiVersion = static_cast<uint8_t>(head[EI_ABIVERSION]);
  Cursor cursor{file, EI_NIDENT};
  file.type = cursor.half();
  file.machine = cursor.half();
  file.version = cursor.word();
  file.entry = cursor.wide();
  file.programsOffset = cursor.wide();
  file.sectionsOffset = cursor.wide();
  file.flags = cursor.word();
  cursor.half(); // e_ehsize
  file.programEntrySize = cursor.half();
  file.programCount = cursor.half();
  file.sectionEntrySize = cursor.half();
  file.sectionCount = cursor.half();
  file.namesIndex = cursor.half();
  return file;
}

void File::readTables() {
  readPrograms();
  readSections();
  readDynamic();
}

void File::readPrograms() {
  const uint64_t count = programCount, entrySize = programEntrySize;
  if (count == 0) return;
  if (entrySize != programSize())
    programsProblem = "the entry size of its program headers is " + std::to_string(entrySize) + " bytes";
  else if (count > kMaxPrograms)
    programsProblem = "it has " + std::to_string(count) + " program headers or more";
  else if (!Extent{0, bytes.size()}.contains(Extent{programsOffset, count * entrySize}))
    programsProblem = "its program header table is truncated";
  if (!programsProblem.empty()) return;
  for (uint64_t i = 0; i < count; ++i) programs.push_back(program(programsOffset + i * entrySize));
}

void File::readSections() {
  const uint64_t count = sectionCount, entrySize = sectionEntrySize;
  // With 65,280 sections or more, the first header contains the count, and e_shnum is 0.
  if (count == 0) {
    if (sectionsOffset != 0 && section(sectionsOffset).size != 0) sectionsProblem = "it has 65,280 sections or more";
    return;
  }
  if (entrySize != sectionSize())
    sectionsProblem = "the entry size of its section headers is " + std::to_string(entrySize) + " bytes";
  else if (count >= SHN_LORESERVE)
    sectionsProblem = "it has 65,280 sections or more";
  else if (!Extent{0, bytes.size()}.contains(Extent{sectionsOffset, count * entrySize}))
    sectionsProblem = "its section header table is truncated";
  if (!sectionsProblem.empty()) return;
  for (uint64_t i = 0; i < count; ++i) sections.push_back(section(sectionsOffset + i * entrySize));
}

void File::readDynamic() {
  const auto found = std::find_if(programs.begin(), programs.end(),
                                  [](const ProgramHeader& header) { return header.type == PT_DYNAMIC; });
  if (found == programs.end()) {
    dynamicProblem = "it has no dynamic part";
    return;
  }
  if (!Extent{0, bytes.size()}.contains(found->file())) {
    dynamicProblem = "its dynamic part is truncated";
    return;
  }
  const uint64_t count = found->fileSize / tagSize();
  for (uint64_t i = 0; i < count; ++i) {
    const DynamicTag next = tag(found->offset + i * tagSize());
    if (next.tag == DT_NULL) return;
    if (i == kMaxTags) {
      dynamicProblem = "its dynamic part has more than " + std::to_string(kMaxTags) + " entries";
      return;
    }
    dynamic.push_back(next);
  }
}

// --- single values

uint64_t File::number(uint64_t offset, unsigned size) const {
  const std::string_view text = bytes.view();
  if (!bigEndian) { // one load: symbol tables have a million entries
    switch (size) {
    case 1: return numberAt<uint8_t>(text, offset);
    case 2: return numberAt<uint16_t>(text, offset);
    case 4: return numberAt<uint32_t>(text, offset);
    case 8: return numberAt<uint64_t>(text, offset);
    default: break;
    }
  }
  return numberAt(text, offset, size, bigEndian);
}

ProgramHeader File::program(uint64_t offset) const {
  Cursor cursor{*this, offset};
  ProgramHeader header;
  header.type = cursor.word();
  if (is64) header.flags = cursor.word();
  header.offset = cursor.wide();
  header.address = cursor.wide();
  header.physical = cursor.wide();
  header.fileSize = cursor.wide();
  header.memorySize = cursor.wide();
  if (!is64) header.flags = cursor.word();
  header.align = cursor.wide();
  return header;
}

SectionHeader File::section(uint64_t offset) const {
  Cursor cursor{*this, offset};
  SectionHeader header;
  header.name = cursor.word();
  header.type = cursor.word();
  header.flags = cursor.wide();
  header.address = cursor.wide();
  header.offset = cursor.wide();
  header.size = cursor.wide();
  header.link = cursor.word();
  header.info = cursor.word();
  header.align = cursor.wide();
  header.entrySize = cursor.wide();
  return header;
}

Symbol File::symbol(uint64_t offset) const {
  Cursor cursor{*this, offset};
  Symbol symbol;
  symbol.name = cursor.word();
  if (!is64) {
    symbol.value = cursor.wide();
    symbol.size = cursor.wide();
  }
  symbol.info = static_cast<uint8_t>(cursor.take(1));
  symbol.other = static_cast<uint8_t>(cursor.take(1));
  symbol.section = cursor.half();
  if (is64) {
    symbol.value = cursor.wide();
    symbol.size = cursor.wide();
  }
  return symbol;
}

DynamicTag File::tag(uint64_t offset) const { return {word(offset), word(offset + wordSize()), offset + wordSize()}; }

std::optional<Note> File::note(Extent part, uint64_t at, uint64_t align) const {
  constexpr uint64_t kHeader = 12;
  if (at > part.size || part.size - at < kHeader) return std::nullopt;
  Cursor cursor{*this, part.offset + at};
  const uint64_t nameSize = cursor.word(), contentSize = cursor.word();
  const auto aligned = [align](uint64_t offset) { return (offset + align - 1) / align * align; };
  Note note;
  note.type = cursor.word();
  note.name = {at + kHeader, nameSize};
  note.content = {aligned(note.name.end()), contentSize};
  note.next = aligned(note.content.end());
  return note;
}

std::string File::encode(uint64_t value, uint64_t size) const {
  std::string out(size, '\0');
  for (uint64_t i = 0; i < size; ++i) out[bigEndian ? size - 1 - i : i] = static_cast<char>(value >> (8 * i));
  return out;
}

std::string File::encode(const ProgramHeader& header) const {
  const auto wide = [&](uint64_t value) { return encode(value, wordSize()); };
  return encode(header.type, 4) + (is64 ? encode(header.flags, 4) : "") + wide(header.offset) + wide(header.address) +
         wide(header.physical) + wide(header.fileSize) + wide(header.memorySize) +
         (is64 ? "" : encode(header.flags, 4)) + wide(header.align);
}

std::string File::encode(const SectionHeader& header) const {
  const auto wide = [&](uint64_t value) { return encode(value, wordSize()); };
  return encode(header.name, 4) + encode(header.type, 4) + wide(header.flags) + wide(header.address) +
         wide(header.offset) + wide(header.size) + encode(header.link, 4) + encode(header.info, 4) +
         wide(header.align) + wide(header.entrySize);
}

std::string File::encode(const Symbol& symbol) const {
  const std::string place = encode(symbol.value, wordSize()) + encode(symbol.size, wordSize());
  return encode(symbol.name, 4) + (is64 ? "" : place) + encode(symbol.info, 1) + encode(symbol.other, 1) +
         encode(symbol.section, 2) + (is64 ? place : "");
}

Extent File::place(HeaderField field) const {
  switch (field) {
  case HeaderField::ProgramsOffset: return {is64 ? 32u : 28u, wordSize()};
  case HeaderField::SectionsOffset: return {is64 ? 40u : 32u, wordSize()};
  case HeaderField::ProgramCount: return {is64 ? 56u : 44u, 2};
  case HeaderField::SectionCount: return {is64 ? 60u : 48u, 2};
  case HeaderField::NamesIndex: break;
  }
  return {is64 ? 62u : 50u, 2};
}

Extent File::sizePlace(uint64_t symbolOffset) const { return {symbolOffset + (is64 ? 16 : 8), wordSize()}; }

// --- lookups

std::vector<ProgramHeader> File::loads() const {
  std::vector<ProgramHeader> loads;
  for (const ProgramHeader& header : programs)
    if (header.type == PT_LOAD && header.memorySize > 0) loads.push_back(header);
  return loads;
}

const DynamicTag* File::findTag(uint64_t tag) const {
  // The loader uses the last one of a kind (glibc elf/get-dynamic-info.h fills an array by tag).
  for (auto it = dynamic.rbegin(); it != dynamic.rend(); ++it)
    if (it->tag == tag) return &*it;
  return nullptr;
}

std::string_view File::sectionName(const SectionHeader& section) const {
  if (namesIndex >= sections.size()) return {};
  const Extent names = sections[namesIndex].file();
  const std::string_view table =
      Extent{0, bytes.size()}.contains(names) ? bytes.view().substr(names.offset, names.size) : std::string_view();
  if (section.name >= table.size()) return {};
  const std::string_view text = table.substr(section.name, 256); // a crafted table may have no NUL; called often
  return text.substr(0, text.find('\0'));
}

File::Notes File::readNotes(Extent extent, uint64_t align) const {
  Notes notes;
  if (!Extent{0, bytes.size()}.contains(extent) || extent.size > kMaxNotes) return {false, true};
  uint64_t at = 0;
  while (const auto found = note(extent, at, align == 8 ? 8 : 4)) {
    at = found->next;
    if (!Extent{0, extent.size}.contains(found->content)) return {notes.buildId, true};
    const std::string_view name = bytes.view().substr(extent.offset + found->name.offset, found->name.size);
    if (found->type == NT_GNU_BUILD_ID && name == std::string_view("GNU\0", 4))
      notes.buildId = true;
    else
      notes.others = true;
  }
  return notes;
}

std::optional<uint64_t> AddressMap::offsetOf(uint64_t address, uint64_t size) const {
  // The last load that begins at or before the address.
  auto it = std::upper_bound(m_loads.begin(), m_loads.end(), address,
                             [](uint64_t at, const ProgramHeader& load) { return at < load.address; });
  if (it == m_loads.begin()) return std::nullopt;
  --it;
  if (!Extent{it->address, it->fileSize}.contains(Extent{address, size})) return std::nullopt;
  return checkedAdd(it->offset, address - it->address);
}

} // namespace blobscope::container::elf
