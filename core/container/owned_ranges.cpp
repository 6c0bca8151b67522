#include "core/container/owned_ranges.h"

#include "core/container/elf/file.h"
#include "core/container/macho/file.h"
#include "core/container/number_at.h"
#include "core/container/pe/file.h"
#include "core/container/wasm/wasm_module.h"

#include <algorithm>
#include <string_view>

namespace blobscope::container {
namespace {

using By = OwnedRange::By;

class RangeOwners {
public:
  explicit RangeOwners(const Image& image) : m_image(image) {}

  Result<std::vector<OwnedRange>> read(Monitor& monitor) {
    for (const Section& section : m_image.sections) add(section.file, std::string(section.name), By::Section);
    switch (m_image.format) {
    case Format::Elf: readElf(); break;
    case Format::Pe: readPe(); break;
    case Format::Coff: readCoff(); break;
    case Format::MachO: readMachO(); break;
    case Format::Wasm: BLOBSCOPE_CHECK(readWasm(monitor)); break;
    default: break;
    }
    std::ranges::stable_sort(m_out, {}, [](const OwnedRange& one) { return one.extent.offset; });
    return std::move(m_out);
  }

private:
  void add(Extent extent, std::string name, By by = By::Table) {
    if (extent.size > 0 && extent.offset < m_image.file.size()) m_out.push_back({extent, std::move(name), by});
  }

  void readElf() {
    auto file = elf::File::readHeader(m_image.file);
    if (!file) return;
    file->readTables();
    add({0, file->headerSize()}, "the file header");
    add(file->programTable(), "the program headers");
    add(file->sectionTable(), "the section headers");
    for (const elf::ProgramHeader& one : file->programs)
      // Without sections, segments are all that is known.
      if (one.type != elf::PT_LOAD || file->sections.empty()) add(one.file(), "a segment", By::Segment);
    for (const elf::SectionHeader& section : file->sections)
      if (section.type == elf::SHT_REL || section.type == elf::SHT_RELA) add(section.file(), "relocations");
  }
  void readPe() {
    const pe::File file = pe::File::read(m_image.file);
    add({0, file.sectionsEnd()}, "the headers");
    add(file.directory(pe::IMAGE_DIRECTORY_ENTRY_SECURITY), "the certificates");
    addSymbols(file.symbols);
  }
  void addSymbols(const coff::SymbolTable& table) {
    if (table.offset == 0) return;
    const uint64_t size = table.count * table.recordSize();
    add({table.offset, size}, "the symbols");
    add({table.offset + size, coff::stringTable(m_image.file, table).size()}, "the strings");
  }
  void readCoff() {
    const std::string_view text = m_image.file.view();
    const bool wide = text.size() >= 4 && text.starts_with(std::string_view("\0\0\xff\xff", 4));
    const coff::FileHeader header = coff::fileHeaderOf(text, wide);
    add({0, header.sectionsAt + header.sectionCount * coff::kSectionHeader}, "the headers");
    addSymbols(header.symbols);
    for (uint64_t i = 0; i < header.sectionCount && i < 65'536; ++i) {
      const uint64_t at = header.sectionsAt + i * coff::kSectionHeader;
      const uint64_t relocations = numberAt<uint32_t>(text, at + 24);
      add({relocations, uint64_t{numberAt<uint16_t>(text, at + 32)} * 10}, "relocations");
    }
  }
  void readMachO() {
    auto file = macho::File::readHeader(m_image.file);
    if (!file) return;
    (void)file->readCommands();
    add({0, file->head.end()}, "the load commands");
    for (const macho::Table& table : file->tables) add(table.file, "a table");
    for (const macho::Section& section : file->sections)
      add({section.relocations, uint64_t{section.relocationCount} * 8}, "relocations");
  }

  /// A module is a header and sections, each with its number and size in front.
  Result<Done> readWasm(Monitor& monitor) {
    auto module = wasm::readModule(m_image.file, monitor);
    if (!module) return module.error().code() == ErrorCode::Cancelled ? Result<Done>(module.takeError()) : Done{};
    uint64_t end = 8;
    add({0, end}, "the header");
    for (const wasm::SectionEntry& section : module->sections) {
      if (section.content.end() > end) add({end, section.content.end() - end}, std::string(section.name));
      end = std::max(end, section.content.end());
    }
    return Done{};
  }

  const Image& m_image;
  std::vector<OwnedRange> m_out;
};

} // namespace

bool isFilling(std::string_view bytes) {
  if (bytes.empty()) return true;
  const char first = bytes.front();
  if (first != '\0' && first != '\xcc' && first != '\x90') return false;
  return bytes.substr(1) == bytes.substr(0, bytes.size() - 1); // fast for gaps of any size
}

Result<std::vector<OwnedRange>> ownedRangesOf(const Image& image, Monitor& monitor) {
  return RangeOwners(image).read(monitor);
}

} // namespace blobscope::container
