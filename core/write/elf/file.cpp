#include "core/write/elf/file.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::write::elf {
namespace {

/// Tags of a dynamic part; real ones have about 40. Each costs memory, and a hostile file has millions.
constexpr uint64_t kMaxTags = 4096;
/// Program headers; real files have about 12. Everything is compared with every one of them.
constexpr uint64_t kMaxPrograms = 1024;
/// Bytes of a note segment that are looked through; real ones have up to 200.
constexpr uint64_t kMaxNotes = 65'536;

/// Walks over the fields of an entry, whose words have the size of the class.
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

Result<File> File::read(const Bytes& bytes) {
  const auto refuse = [](std::string reason) {
    return Error(DiagnosticId::PlanLayout, {arg("format", "ELF"), arg("reason", reason)});
  };
  const std::string_view head = bytes.view();
  if (!head.starts_with("\x7f\x45\x4c\x46") || head.size() < 52) return refuse("it has no ELF header");
  const char width = head[4], order = head[5];
  if ((width != 1 && width != 2) || (order != 1 && order != 2) || (width == 2 && head.size() < 64))
    return refuse("its class or byte order does not exist");
  File file;
  file.bytes = bytes;
  file.is64 = width == 2;
  file.bigEndian = order == 2;
  Cursor cursor{file, 16};
  file.type = cursor.half();
  file.machine = cursor.half();
  cursor.word(); // version
  cursor.wide(); // entry point
  file.programsOffset = cursor.wide();
  file.sectionsOffset = cursor.wide();
  cursor.word(); // flags
  cursor.half(); // size of this header
  const uint16_t programSize = cursor.half(), programCount = cursor.half(), sectionSize = cursor.half(),
                 sectionCount = cursor.half();
  file.namesIndex = cursor.half();
  file.readPrograms(programCount, programSize);
  file.readSections(sectionCount, sectionSize);
  file.readDynamic();
  return file;
}

void File::readPrograms(uint64_t count, uint64_t entrySize) {
  if (count == 0) return;
  if (entrySize != programSize())
    programsProblem = "its program headers are said to be " + std::to_string(entrySize) + " bytes long";
  else if (count > kMaxPrograms)
    programsProblem = "it has " + std::to_string(count) + " program headers or more";
  else if (!Extent{0, bytes.size()}.contains(Extent{programsOffset, count * entrySize}))
    programsProblem = "its program header table is not all there";
  if (!programsProblem.empty()) return;
  for (uint64_t i = 0; i < count; ++i) programs.push_back(program(programsOffset + i * entrySize));
}

void File::readSections(uint64_t count, uint64_t entrySize) {
  // With 65,280 sections and more the count stands in the first header, and e_shnum is 0.
  if (count == 0) {
    if (sectionsOffset != 0 && section(sectionsOffset).size != 0) sectionsProblem = "it has 65,280 sections or more";
    return;
  }
  if (entrySize != sectionSize())
    sectionsProblem = "its section headers are said to be " + std::to_string(entrySize) + " bytes long";
  else if (count >= kFirstReserved)
    sectionsProblem = "it has 65,280 sections or more";
  else if (!Extent{0, bytes.size()}.contains(Extent{sectionsOffset, count * entrySize}))
    sectionsProblem = "its section header table is not all there";
  if (!sectionsProblem.empty()) return;
  for (uint64_t i = 0; i < count; ++i) sections.push_back(section(sectionsOffset + i * entrySize));
}

void File::readDynamic() {
  const auto found = std::find_if(programs.begin(), programs.end(),
                                  [](const ProgramHeader& header) { return header.type == kDynamic; });
  if (found == programs.end()) {
    dynamicProblem = "it has no dynamic part";
    return;
  }
  if (!Extent{0, bytes.size()}.contains(found->file())) {
    dynamicProblem = "its dynamic part is not all there";
    return;
  }
  const uint64_t entrySize = 2 * wordSize(), count = found->fileSize / entrySize;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = found->offset + i * entrySize;
    const DynamicTag tag{word(at), word(at + wordSize()), at + wordSize()};
    if (tag.tag == 0) return;
    if (i == kMaxTags) {
      dynamicProblem = "its dynamic part has more than " + std::to_string(kMaxTags) + " entries";
      return;
    }
    dynamic.push_back(tag);
  }
}

// --- single values
// ----------------------------------------------------------------------------------------------------

uint64_t File::number(uint64_t offset, unsigned size) const {
  return container::numberAt(bytes.view(), offset, size, bigEndian);
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

Extent File::place(Field field) const {
  switch (field) {
  case Field::ProgramsOffset: return {is64 ? 32u : 28u, wordSize()};
  case Field::SectionsOffset: return {is64 ? 40u : 32u, wordSize()};
  case Field::ProgramCount: return {is64 ? 56u : 44u, 2};
  case Field::SectionCount: return {is64 ? 60u : 48u, 2};
  case Field::NamesIndex: break;
  }
  return {is64 ? 62u : 50u, 2};
}

Extent File::sizePlace(uint64_t symbolOffset) const { return {symbolOffset + (is64 ? 16 : 8), wordSize()}; }

// --- what is looked for
// -----------------------------------------------------------------------------------------------

std::vector<ProgramHeader> File::loads() const {
  std::vector<ProgramHeader> loads;
  for (const ProgramHeader& header : programs)
    if (header.type == kLoad && header.memorySize > 0) loads.push_back(header);
  return loads;
}

const DynamicTag* File::findTag(uint64_t tag) const {
  // The loader takes the last one of a kind (glibc elf/get-dynamic-info.h fills an array by tag).
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
  const std::string_view text = table.substr(section.name, 256); // a hostile table has no end, and thousands ask
  return text.substr(0, text.find('\0'));
}

File::Notes File::readNotes(Extent extent, uint64_t align) const {
  constexpr uint32_t kBuildId = 3; // NT_GNU_BUILD_ID
  Notes notes;
  if (!Extent{0, bytes.size()}.contains(extent) || extent.size > kMaxNotes) return {false, true};
  const uint64_t step = align == 8 ? 8 : 4;
  for (uint64_t at = 0; at < extent.size;) {
    // Less than a header is padding.
    if (extent.size - at < 12) break;
    const uint64_t nameSize = number(extent.offset + at, 4), contentSize = number(extent.offset + at + 4, 4);
    const uint32_t noteType = static_cast<uint32_t>(number(extent.offset + at + 8, 4));
    const uint64_t content = (at + 12 + nameSize + step - 1) / step * step;
    if (content > extent.size || contentSize > extent.size - content) return {notes.buildId, true};
    const std::string_view name = bytes.view().substr(extent.offset + at + 12, nameSize);
    if (noteType == kBuildId && name == std::string_view("GNU\0", 4))
      notes.buildId = true;
    else
      notes.others = true;
    at = (content + contentSize + step - 1) / step * step;
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

} // namespace blobscope::write::elf
