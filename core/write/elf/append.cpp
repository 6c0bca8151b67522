#include "core/write/elf/plan.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/write/function_starts.h"

#include <algorithm>

namespace blobscope::write::elf {
namespace {

constexpr uint64_t kMaxPage = 65'536;
/// The limit of changed entries of .symtab, since each needs memory; in real files the number is that of the sections
/// that are not loaded.
constexpr uint64_t kMaxChangedSymbols = 65'536;
constexpr std::string_view kSectionName = ".tvm_dev_mblob", kTableName = ".tvm_phdr";

/// Returns the largest page size that a loader may use. Source: core/formats/containers.md 4.2.
uint64_t largestPage(uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
  case EM_386:
  case EM_ARM:
  case EM_RISCV:
  case EM_S390: return 4096;
  default: return kMaxPage;
  }
}

class Append {
public:
  explicit Append(const Site& site) : m_site(site), m_file(site.file), m_request(site.request) {}

  Result<Plan> plan() {
    BLOBSCOPE_CHECK(checkFile());
    BLOBSCOPE_CHECK(checkSymbols());
    BLOBSCOPE_CHECK(checkReferences());
    BLOBSCOPE_TRY(slot, findSlot(m_site));
    m_slot = std::move(slot);
    cutEnd();
    BLOBSCOPE_CHECK(place());
    makeSections();
    BLOBSCOPE_CHECK(patch());
    return write();
  }

private:
  Error refuse(DiagnosticId id, std::vector<Argument> arguments) const {
    return Error(id, std::move(arguments), m_request.blob.ref());
  }

  // --- 1. Checks. Nothing is changed before all of them have passed. ------------------------------------------------
  Result<Done> checkFile() const {
    if (m_file.type != ET_DYN) {
      const char* const reason = m_file.type == ET_EXEC ? "it is an executable, whose code contains the blob's address"
                                                        : "it is not a shared library";
      return refuse(DiagnosticId::PlanType, {arg("reason", reason)});
    }
    for (const std::string* problem : {&m_file.programsProblem, &m_file.dynamicProblem, &m_file.sectionsProblem})
      if (!problem->empty()) return shapeError(*problem);
    if (m_file.findTag(DT_GNU_PRELINKED) || m_file.findTag(DT_CHECKSUM)) return refuse(DiagnosticId::PlanPrelinked, {});
    const auto loads = m_file.loads();
    if (loads.empty()) return shapeError("it has no segment that is loaded");
    uint64_t done = 0;
    for (const ProgramHeader& load : loads) {
      if (load.address < done) return shapeError("its segments overlap in memory or are not in ascending order");
      if (!checkedAdd(load.address, load.memorySize)) return shapeError("a segment ends outside of the address space");
      if (load.fileSize > load.memorySize || !Extent{0, m_file.bytes.size()}.contains(load.file()))
        return shapeError("the segment at " + hexText(load.address) +
                          " is larger than its memory, or extends past the end of the file");
      done = load.memory().end();
    }
    for (const SectionHeader& section : m_file.sections) {
      if (section.type == SHT_GROUP) return shapeError("it has section groups, as only object files do");
      if (section.type == SHT_SYMTAB_SHNDX) return shapeError("it has an extended table of section numbers");
    }
    if (m_file.sections.size() + 2 >= SHN_LORESERVE) return shapeError("it has 65,280 sections or more");
    return Done{};
  }

  Result<Done> checkSymbols() const {
    const auto because = [&](const char* reason) { return refuse(DiagnosticId::PlanSymbol, {arg("reason", reason)}); };
    if (m_site.table.moving.empty())
      return because("the library does not export it, so its new address cannot be stated anywhere");
    for (const SymbolPlace& place : m_site.symbols)
      if (const int type = place.symbol.info & 15; type != 0 && type != 1) return because("it labels no data");
    for (const container::Symbol& symbol : m_request.package.image.symbols)
      if (symbol.dynamic && symbol.defined && symbol.name == m_request.blob.carrier.symbol &&
          symbol.value != m_site.address)
        return because("several versions of it lead to different places");
    if (AddressMap(m_file).offsetOf(m_site.address, m_site.room) != std::optional(m_site.offset))
      return refuse(DiagnosticId::PlanNoLoad, {});
    return Done{};
  }

  Result<Done> checkReferences() {
    BLOBSCOPE_TRY(starts, functionStarts(m_request.package.image, m_request.monitor));
    BLOBSCOPE_TRY(found,
                  findReferences(m_file, {m_site.address, m_site.room}, m_site.table, starts, m_request.monitor));
    return found.checkNone(m_request.blob.ref(), m_request.options.force, m_consequences);
  }

  // --- 2. The end of the kept part: before the section headers, and before their names when these are directly before
  //        them, if nothing else is there. -------------------------------------------------------------------------
  void cutEnd() {
    const uint64_t size = m_file.bytes.size();
    m_keptEnd = size;
    if (m_file.sections.empty() || m_file.sectionTable().end() != size) return;
    const bool named = namesAreStrings();
    const Extent names = named ? m_file.sections[m_file.namesIndex].file() : Extent{};
    uint64_t others = std::max(m_file.programTable().end(), m_site.place().end());
    for (const ProgramHeader& header : m_file.programs)
      if (header.type != PT_NULL) others = std::max(others, header.file().end());
    for (std::size_t i = 0; i < m_file.sections.size(); ++i)
      if (!(named && i == m_file.namesIndex) && m_file.sections[i].file().size > 0)
        others = std::max(others, m_file.sections[i].file().end());
    const bool adjacent =
        names.size > 0 && names.end() <= m_file.sectionsOffset && m_file.sectionsOffset - names.end() < 16;
    if (adjacent && others <= names.offset)
      m_keptEnd = names.offset;
    else if (std::max(others, names.end()) <= m_file.sectionsOffset)
      m_keptEnd = m_file.sectionsOffset;
  }

  /// Whether a name can be added to the section that e_shstrndx names.
  bool namesAreStrings() const {
    if (m_file.namesIndex == 0 || m_file.namesIndex >= m_file.sections.size()) return false;
    const SectionHeader& names = m_file.sections[m_file.namesIndex];
    return names.type == SHT_STRTAB && !names.allocated() && Extent{0, m_file.bytes.size()}.contains(names.file());
  }

  // --- 3. Places of all new parts. ----------------------------------------------------------------------------------
  Result<Done> place() {
    uint64_t page = largestPage(m_file.machine);
    const auto loads = m_file.loads();
    for (const ProgramHeader& load : loads)
      if ((load.align & (load.align - 1)) == 0) page = std::max(page, load.align);
    m_page = std::min(page, kMaxPage);
    const auto tooLarge = [&](uint64_t size) {
      return refuse(DiagnosticId::PlanSize, {sizeArg("size", size), sizeArg("limit", m_file.limit())});
    };
    const uint64_t memoryEnd = loads.back().memory().end();
    auto start = roundedUp(m_keptEnd, m_page), address = roundedUp(memoryEnd, m_page);
    if (m_slot.tableMoves) {
      // The distance of the first segment (see SlotFinder::moveTable); no larger alignment than that of the segment is
      // possible.
      const uint64_t bias = loads.front().address - loads.front().offset;
      while (bias % m_page != 0) m_page /= 2;
      const auto kept = checkedAdd(m_keptEnd, bias);
      address = kept ? roundedUp(std::max(*kept, memoryEnd), m_page) : std::nullopt;
      start = address ? std::optional(*address - bias) : std::nullopt;
    }
    // Sums below this limit stay far from 2⁶⁴, because their other terms are offsets in the file.
    if (!start || !address || *start > m_file.limit() || *address > m_file.limit() ||
        m_request.newBlob.size > m_file.limit())
      return tooLarge(Extent{std::max<uint64_t>(m_file.bytes.size(), memoryEnd), m_request.newBlob.size}.end());
    m_start = *start;
    m_startAddress = *address;
    uint64_t at = m_start;
    if (m_slot.tableMoves) {
      m_tableOffset = at;
      at += (m_slot.programs.size() + 1) * m_file.programSize();
    }
    for (const std::size_t index : m_slot.moved) {
      at = (at + 15) / 16 * 16;
      m_movedTo.push_back(at);
      at += m_file.sections[index].size;
    }
    m_blobOffset = (at + 63) / 64 * 64;
    m_blobAddress = m_startAddress + (m_blobOffset - m_start);
    const auto blobEnd = checkedAdd(m_blobOffset, m_request.newBlob.size),
               blobMemoryEnd = checkedAdd(m_blobAddress, m_request.newBlob.size);
    if (!blobEnd || !blobMemoryEnd || *blobEnd > m_file.limit() || *blobMemoryEnd > m_file.limit())
      return tooLarge(Extent{m_blobOffset, m_request.newBlob.size}.end());
    m_blobEnd = *blobEnd;

    ProgramHeader& load = m_slot.programs[m_slot.load];
    load = {PT_LOAD, 4, m_start, m_startAddress, m_startAddress, m_blobEnd - m_start, m_blobEnd - m_start, m_page};
    for (ProgramHeader& header : m_slot.programs) {
      if (header.type != PT_PHDR) continue;
      header.fileSize = header.memorySize = m_slot.programs.size() * m_file.programSize();
      if (!m_slot.tableMoves) continue;
      header.offset = m_tableOffset;
      header.address = header.physical = m_startAddress;
    }
    return Done{};
  }

  // --- 4. Section headers. The new ones are after the last loaded one: `strip` removes those after it and copies
  //        .dynsym unchanged, so a section number at the end would be wrong (core/formats/containers.md 4.5). ---
  void makeSections() {
    if (m_file.sections.empty()) return;
    m_sections = m_file.sections;
    for (std::size_t i = 1; i < m_sections.size(); ++i)
      if (m_sections[i].allocated()) m_newSection = i;
    ++m_newSection;

    moveSections();
    insertSections();
    m_namesOffset = (m_blobEnd + 15) / 16 * 16;
    m_namesSize = 0;
    if (namesAreStrings()) {
      m_namesSize = m_file.sections[m_file.namesIndex].size + m_moreNames.size();
      m_sections[m_namesIndex].offset = m_namesOffset;
      m_sections[m_namesIndex].size = m_namesSize;
    }
    m_sectionsOffset = (m_namesOffset + m_namesSize + 15) / 16 * 16;
  }

  /// Updates the sections that made room for the table, and the one over the table.
  void moveSections() {
    for (const Slot::Slid& slid : m_slot.slid) {
      SectionHeader& section = m_sections[slid.section];
      section.address += slid.offset - section.offset;
      section.offset = slid.offset;
    }
    for (std::size_t i = 0; i < m_slot.moved.size(); ++i) {
      SectionHeader& section = m_sections[m_slot.moved[i]];
      section.offset = m_movedTo[i];
      section.address = m_startAddress + (m_movedTo[i] - m_start);
    }
    // A section over the table, which an earlier edit created when it moved the table: eu-strip fills bytes without a
    // section with zeros.
    if (m_slot.strategy == Strategy::AppendSpare)
      for (SectionHeader& section : m_sections)
        if (section.type == SHT_PROGBITS && section.file() == m_file.programTable())
          section.size += m_file.programSize();
  }

  /// Inserts the new sections and renumbers those after them.
  void insertSections() {
    std::vector<SectionHeader> newSections;
    if (m_slot.tableMoves)
      newSections.push_back({sectionName(kTableName), SHT_PROGBITS, SHF_ALLOC, m_startAddress, m_tableOffset,
                             m_slot.programs.size() * m_file.programSize(), 0, 0, m_file.wordSize(), 0});
    newSections.push_back({sectionName(kSectionName), SHT_PROGBITS, SHF_ALLOC, m_blobAddress, m_blobOffset,
                           m_request.newBlob.size, 0, 0, 16, 0});
    m_added = newSections.size();
    for (SectionHeader& section : m_sections) {
      if (section.link >= m_newSection && section.link < m_file.sections.size())
        section.link += static_cast<uint32_t>(m_added);
      const bool infoIsSection = section.type == SHT_REL || section.type == SHT_RELA || section.flags & SHF_INFO_LINK;
      if (infoIsSection && section.info >= m_newSection && section.info < m_file.sections.size())
        section.info += static_cast<uint32_t>(m_added);
    }
    m_sections.insert(m_sections.begin() + static_cast<std::ptrdiff_t>(m_newSection), newSections.begin(),
                      newSections.end());
    m_blobSection = static_cast<uint16_t>(m_newSection + m_added - 1);
    m_namesIndex =
        m_file.namesIndex >= m_newSection ? static_cast<uint16_t>(m_file.namesIndex + m_added) : m_file.namesIndex;
  }

  /// Returns the offset of the name in the name table: an existing name or an added one. 0 without a table.
  uint32_t sectionName(std::string_view name) {
    if (!namesAreStrings()) return 0;
    const Extent old = m_file.sections[m_file.namesIndex].file();
    const std::string wanted = std::string(name) + '\0';
    const std::string_view table = m_file.bytes.view().substr(old.offset, old.size);
    if (const auto found = findBytes(table, wanted, 0); found != std::string_view::npos)
      return static_cast<uint32_t>(found);
    // A damaged table may lack the NUL at its end.
    if (m_moreNames.empty() && !table.empty() && table.back() != '\0') m_moreNames += '\0';
    const uint64_t at = old.size + m_moreNames.size();
    m_moreNames += wanted;
    return static_cast<uint32_t>(at);
  }

  uint64_t outputEnd() const {
    if (m_sections.empty()) return (m_blobEnd + 15) / 16 * 16 + 16;
    return m_sectionsOffset + m_sections.size() * m_file.sectionSize();
  }

  // --- 5. Fields of the kept part. ----------------------------------------------------------------------------------
  Result<Done> patch() {
    if (outputEnd() > m_file.limit())
      return refuse(DiagnosticId::PlanSize, {sizeArg("size", outputEnd()), sizeArg("limit", m_file.limit())});
    patchHeader();
    patchTable();
    for (std::size_t i = 0; i < m_slot.moved.size(); ++i) {
      const SectionHeader& section = m_file.sections[m_slot.moved[i]];
      const DynamicTag* const tag = m_file.findTag(section.type == SHT_GNU_HASH ? DT_GNU_HASH
                                                   : section.type == SHT_HASH   ? DT_HASH
                                                                                : DT_SYMTAB);
      set(tag->valueOffset, m_file.encode(m_startAddress + (m_movedTo[i] - m_start), m_file.wordSize()),
          "dynamic section");
    }
    for (const SymbolPlace& place : m_site.symbols) {
      Symbol symbol = place.symbol;
      symbol.value = m_blobAddress;
      symbol.size = m_request.newBlob.size;
      if (!m_sections.empty()) symbol.section = m_blobSection;
      set(place.offset, m_file.encode(symbol), "symbol");
    }
    BLOBSCOPE_CHECK(patchStaticSymbols());
    if (m_request.options.scrub) m_kept.zeros(m_site.offset, m_site.room, "old blob");
    BLOBSCOPE_CHECK(m_kept.settle({0, m_keptEnd}));
    return m_moved.settle({0, m_file.bytes.size()});
  }

  /// A patch of the kept part, or of a table that leaves it.
  void set(uint64_t offset, std::string bytes, std::string why) {
    const Extent extent{offset, bytes.size()};
    for (const std::size_t index : m_slot.moved)
      if (m_file.sections[index].file().contains(extent))
        return m_moved.set(m_file, offset, std::move(bytes), std::move(why));
    m_kept.set(m_file, offset, std::move(bytes), std::move(why));
  }

  void patchHeader() {
    const auto field = [&](HeaderField which, uint64_t value) {
      const Extent where = m_file.place(which);
      m_kept.set(m_file, where.offset, m_file.encode(value, where.size), "file header");
    };
    if (m_slot.tableMoves) field(HeaderField::ProgramsOffset, m_tableOffset);
    field(HeaderField::ProgramCount, m_slot.programs.size());
    if (m_sections.empty()) return;
    field(HeaderField::SectionsOffset, m_sectionsOffset);
    field(HeaderField::SectionCount, m_sections.size());
    field(HeaderField::NamesIndex, m_namesIndex);
  }

  void patchTable() {
    if (m_slot.tableMoves) return;
    const uint64_t entry = m_file.programSize();
    for (std::size_t i = 0; i < m_slot.programs.size(); ++i) {
      const uint64_t at = m_file.programsOffset + i * entry;
      // Entries after the old end are always new; slide has moved the bytes that were there.
      m_kept.set(m_file, at, m_file.encode(m_slot.programs[i]), "program headers");
    }
    if (m_slot.freedEnd == 0) return;
    uint64_t done = m_file.programsOffset + m_slot.programs.size() * entry;
    for (const Slot::Slid& slid : m_slot.slid) {
      m_kept.zeros(done, slid.offset - done, "spare program header");
      m_kept.copy(slid.offset, m_file.sections[slid.section].file(), "notes");
      done = slid.offset + m_file.sections[slid.section].size;
    }
    m_kept.zeros(done, m_slot.freedEnd - done, m_slot.slid.empty() ? "spare program header" : "place of what moved");
  }

  /// Updates section numbers, and symbols that label moved bytes.
  Result<Done> patchStaticSymbols() {
    uint64_t changed = 0;
    for (const SectionHeader& section : m_file.sections) {
      if (section.type != SHT_SYMTAB) continue;
      if (!Extent{0, m_file.bytes.size()}.contains(section.file()))
        return shapeError("its symbol table extends past the end of the file");
      const uint64_t size = m_file.symbolSize(), count = section.size / size;
      if (count > limits::kSymbols) return shapeError("it has more than " + groupedText(limits::kSymbols) + " symbols");
      for (uint64_t i = 1; i < count; ++i) {
        if (i % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        const uint64_t at = section.offset + i * size;
        Symbol symbol = m_file.symbol(at);
        if (symbol.section == 0 || symbol.section >= m_file.sections.size()) continue;
        const bool isAfter = symbol.section >= m_newSection;
        const bool shifted = shiftOf(symbol.section).has_value();
        if ((!isAfter && !shifted) || isBlobSymbol(at)) continue;
        if (shifted) symbol.value += *shiftOf(symbol.section);
        if (isAfter) symbol.section = static_cast<uint16_t>(symbol.section + m_added);
        if (++changed > kMaxChangedSymbols)
          return shapeError("more than " + groupedText(kMaxChangedSymbols) + " symbols would change");
        set(at, m_file.encode(symbol), "symbol");
      }
    }
    return Done{};
  }

  /// Returns the distance by which the addresses of a section move, modulo 2⁶⁴.
  std::optional<uint64_t> shiftOf(std::size_t section) const {
    const bool moves = std::any_of(m_slot.slid.begin(), m_slot.slid.end(),
                                   [&](const Slot::Slid& slid) { return slid.section == section; }) ||
                       std::find(m_slot.moved.begin(), m_slot.moved.end(), section) != m_slot.moved.end();
    if (!moves) return std::nullopt;
    return m_sections[section < m_newSection ? section : section + m_added].address - m_file.sections[section].address;
  }

  bool isBlobSymbol(uint64_t offset) const {
    return std::any_of(m_site.symbols.begin(), m_site.symbols.end(),
                       [&](const SymbolPlace& place) { return place.offset == offset; });
  }

  // --- 6. The output, its steps and consequences. -------------------------------------------------------------------
  Result<Plan> write() {
    const bool cut = m_keptEnd < m_file.bytes.size();
    PlanBuilder builder;
    m_kept.addPatched(builder, {0, m_keptEnd});
    builder.step(cut ? "Copy the file up to its section headers" : "Copy the whole file", 0, m_keptEnd,
                 "except for the changes below");
    explainTable(builder);
    if (m_request.options.scrub) builder.step("Fill the old place with zeros", m_site.offset, m_site.room, "requested");
    for (const SymbolPlace& place : m_site.symbols) {
      const uint64_t offset = outputOffset(place.offset);
      builder.step("Change the symbol", offset, m_file.symbolSize(),
                   place.dynamic ? "loaders find the new blob by it" : "debuggers find the new blob by it");
    }
    builder.zeros(m_start - m_keptEnd, "padding up to the new segment");
    if (m_slot.tableMoves) {
      std::string table;
      for (const ProgramHeader& header : m_slot.programs) table += m_file.encode(header);
      builder.literal(Bytes::copyOf(table), "program headers");
      builder.zeros(m_file.programSize(), "spare program header");
    }
    for (std::size_t i = 0; i < m_slot.moved.size(); ++i) {
      builder.zeros(m_movedTo[i] - builder.position(), "padding");
      m_moved.addPatched(builder, m_file.sections[m_slot.moved[i]].file());
    }
    builder.zeros(m_blobOffset - builder.position(), "padding");
    builder.step("Write the new blob", m_blobOffset, m_request.newBlob.size, "does not fit in the old place");
    builder.blob(m_request.newBlob);
    builder.zeros((m_blobEnd + 15) / 16 * 16 - m_blobEnd, "padding");
    if (m_sections.empty())
      builder.zeros(16,
                    "end of the file"); // a segment must not end with the file: old loaders reject it (patchelf #144)
    else
      writeSections(builder);

    Plan plan = builder.take({m_slot.strategy});
    for (std::size_t i = 0; i < m_slot.moved.size(); ++i)
      addMoved(plan, {m_movedTo[i], m_file.sections[m_slot.moved[i]].size});
    for (const Slot::Slid& slid : m_slot.slid) addMoved(plan, {slid.offset, m_file.sections[slid.section].size});
    if (m_namesSize > 0) addMoved(plan, {m_namesOffset, m_namesSize});
    describeRanges(plan);
    showConsequences(plan);
    return plan;
  }

  /// Returns the output offset of a byte of the kept part or of a moved table.
  uint64_t outputOffset(uint64_t offset) const {
    for (std::size_t i = 0; i < m_slot.moved.size(); ++i)
      if (const Extent old = m_file.sections[m_slot.moved[i]].file(); old.contains(offset))
        return m_movedTo[i] + (offset - old.offset);
    return offset;
  }

  void explainTable(PlanBuilder& builder) const {
    const uint64_t entry = m_file.programSize(), at = m_file.programsOffset + m_slot.load * entry;
    const Strategy strategy = m_slot.strategy;
    if (strategy == Strategy::AppendNull)
      builder.step("Use an empty program header", at, entry, "one new segment");
    else if (strategy == Strategy::AppendSpare)
      builder.step("Add a program header", at, entry, "one new segment; there are free bytes after the table");
    else if (strategy == Strategy::AppendNote)
      builder.step("Replace the program header of the build id", at, entry,
                   "one new segment, and no room for a new entry");
    else if (strategy == Strategy::AppendPhdr)
      builder.step("Move the program header table", m_tableOffset, m_slot.programs.size() * entry,
                   "one new segment, and no room for a new entry");
    if (strategy != Strategy::AppendSlide) return;
    builder.step("Enlarge the program header table", m_file.programsOffset, m_slot.programs.size() * entry,
                 "one new segment, one spare entry");
    std::string what;
    uint64_t size = 0;
    for (const std::size_t index : m_slot.moved) {
      what += (what.empty() ? "" : ", ") + escapedWithin(m_file.sectionName(m_file.sections[index]), 32);
      size += m_file.sections[index].size;
    }
    for (const Slot::Slid& slid : m_slot.slid) size += m_file.sections[slid.section].size;
    if (!m_slot.slid.empty()) what += what.empty() ? "the notes" : " and the notes";
    if (!what.empty())
      builder.step("Move " + what, m_slot.moved.empty() ? m_slot.slid.front().offset : m_start, size,
                   m_slot.moved.size() + m_slot.slid.size() == 1 ? "it was after the table"
                                                                 : "they were after the table");
  }

  void writeSections(PlanBuilder& builder) const {
    if (m_namesSize > 0) {
      builder.input(m_file.sections[m_file.namesIndex].file());
      builder.literal(Bytes::copyOf(m_moreNames), "section names");
    }
    builder.zeros(m_sectionsOffset - builder.position(), "padding");
    std::string table;
    for (const SectionHeader& section : m_sections) table += m_file.encode(section);
    builder.step("Write section headers", m_sectionsOffset, table.size(),
                 m_slot.tableMoves ? "two new sections: " + std::string(kTableName) + ", " + std::string(kSectionName)
                                   : "one new section: " + std::string(kSectionName));
    builder.literal(Bytes::copyOf(table), "section headers");
  }

  void describeRanges(Plan& plan) const {
    const uint64_t oldEnd = m_site.place().end();
    addRange(plan.before, PlanRange::Kind::Other, m_site.offset);
    plan.after = plan.before;
    addRange(plan.before, PlanRange::Kind::Blob, m_site.room);
    addRange(plan.before, PlanRange::Kind::Other, m_file.bytes.size() - oldEnd);
    addRange(plan.after, PlanRange::Kind::DeadBlob, m_site.room);
    addRange(plan.after, PlanRange::Kind::Other, m_blobOffset - oldEnd);
    addRange(plan.after, PlanRange::Kind::Blob, m_request.newBlob.size);
    addRange(plan.after, PlanRange::Kind::Other, plan.size() - m_blobEnd);
  }

  void showConsequences(Plan& plan) const {
    plan.consequences.push_back({m_request.options.scrub ? DiagnosticId::PlanScrubbed : DiagnosticId::PlanDead,
                                 {},
                                 {sizeArg("size", m_site.room)}});
    const Strategy strategy = m_slot.strategy;
    if (strategy == Strategy::AppendPhdr) plan.consequences.push_back({DiagnosticId::PlanStrip, {}, {}});
    if (strategy == Strategy::AppendNote) plan.consequences.push_back({DiagnosticId::PlanBuildId, {}, {}});
    noteBuildId(m_file, plan);
    plan.consequences.insert(plan.consequences.end(), m_consequences.begin(), m_consequences.end());
  }

  const Site& m_site;
  const File& m_file;
  const PlanRequest& m_request;

  std::vector<Diagnostic> m_consequences;
  Slot m_slot;
  uint64_t m_keptEnd = 0, m_page = 4096;
  uint64_t m_start = 0, m_startAddress = 0; ///< start of the new segment
  uint64_t m_tableOffset = 0;               ///< offset of the moved table
  std::vector<uint64_t> m_movedTo;          ///< new offset of each entry of m_slot.moved
  uint64_t m_blobOffset = 0, m_blobAddress = 0, m_blobEnd = 0;
  std::vector<SectionHeader> m_sections;     ///< section headers of the output
  std::size_t m_newSection = 0, m_added = 0; ///< index of the first new section, number of new ones
  uint16_t m_blobSection = 0, m_namesIndex = 0;
  std::string m_moreNames;
  uint64_t m_namesOffset = 0, m_namesSize = 0, m_sectionsOffset = 0;
  Patches m_kept, m_moved;
};

} // namespace

Result<Plan> appendBlob(const Site& site) { return Append(site).plan(); }

} // namespace blobscope::write::elf
