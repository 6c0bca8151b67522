#include "core/write/pe/plan.h"

#include "core/base/text.h"
#include "core/write/code_references.h"
#include "core/write/function_starts.h"
#include "core/write/plan_parts.h"

#include <algorithm>
#include <bit>

namespace blobscope::write::pe {
namespace {

namespace coff = container::coff;
using container::numberAt;

constexpr std::string_view kSectionName = ".tvmblob"; ///< exactly the 8 bytes of the field
constexpr uint64_t kMaxSections = 96;                 ///< Windows loads no more; "PE Format", "NumberOfSections"
constexpr uint64_t kMaxImage = 0x7fffffff;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kDebugEntry = 28, kMaxDebugEntries = 1'000; ///< real images have less than ten

uint64_t rounded(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; } // for 32-bit numbers

/// Plans a change of the last section, or an additional section.
class SectionPlanner {
public:
  SectionPlanner(const PlanRequest& request, const File& file) : m_request(request), m_file(file) {}

  Result<Plan> append() {
    BLOBSCOPE_CHECK(checkSections());
    BLOBSCOPE_CHECK(checkImage());
    BLOBSCOPE_CHECK(findSlots());
    BLOBSCOPE_CHECK(findRecords());
    BLOBSCOPE_CHECK(checkReferences());
    BLOBSCOPE_CHECK(makeRoom());
    BLOBSCOPE_CHECK(place());
    auto plan = finish(m_file, [&](std::string_view checksum) { return writeAppended(checksum); }, m_request.monitor);
    if (!plan) return plan;
    plan->consequences.insert(plan->consequences.begin(),
                              {m_request.options.scrub ? DiagnosticId::PlanScrubbed : DiagnosticId::PlanDead,
                               {},
                               {sizeArg("size", m_old.size)}});
    plan->consequences.insert(plan->consequences.end(), m_consequences.begin(), m_consequences.end());
    return plan;
  }

  Result<std::optional<Plan>> resize() {
    if (!isOurs()) return std::optional<Plan>();
    BLOBSCOPE_CHECK(place());
    BLOBSCOPE_TRY(plan,
                  finish(m_file, [&](std::string_view checksum) { return writeResized(checksum); }, m_request.monitor));
    return std::optional(std::move(plan));
  }

private:
  Error refuse(DiagnosticId id, std::vector<Argument> arguments) const {
    return Error(id, std::move(arguments), m_request.blob.ref());
  }
  Error shape(std::string reason) const {
    return layoutError(m_request.package, std::move(reason), m_request.blob.ref());
  }
  Error unusable(const char* reason) const { return refuse(DiagnosticId::PlanSymbol, {arg("reason", reason)}); }

  // --- 1. Checks. Nothing is changed before all of them have passed. ------------------------------------------------
  /// Checks the loader's rules of alignment and order, and determines the end of the last section in memory and in the
  /// file.
  Result<Done> checkSections() {
    const uint64_t memory = m_file.sectionAlignment, step = m_file.fileAlignment;
    if (!std::has_single_bit(memory) || !std::has_single_bit(step) || memory < kPage || step < 16 || step > memory)
      return shape("its alignments are " + hexText(memory) + " and " + hexText(step));
    if (m_file.sections.empty() || m_file.sections.size() != numberAt<uint16_t>(m_file.text(), m_file.headerAt + 2))
      return shape("its section table is truncated");
    uint64_t address = m_file.sections.front().address;
    if (address < m_file.headersSize || address % memory != 0)
      return shape("its first section is at " + hexText(address));
    for (const Section& section : m_file.sections) {
      if (section.address != address) return shape("its sections are not contiguous at " + hexText(section.address));
      address = rounded(section.address + section.memorySize(), memory);
      const Extent raw = section.raw();
      if (raw.size == 0) continue;
      if (raw.offset % step != 0)
        return shape("the section at " + hexText(raw.offset) + " of the file is not aligned to " + hexText(step));
      if (!Extent{0, m_file.bytes.size()}.contains(raw))
        return shape("the section at " + hexText(raw.offset) + " of the file extends past the end of the file");
      if (raw.offset < m_file.headersSize)
        return shape("the section at " + hexText(raw.offset) + " of the file overlaps the headers");
      m_rawEnd = std::max(m_rawEnd, raw.end());
    }
    m_imageEnd = address;
    if (m_file.directory(IMAGE_DIRECTORY_ENTRY_DEBUG).size / kDebugEntry > kMaxDebugEntries)
      return shape("its debug directory has more entries than any image");
    const auto place = placeIn(m_file.bytes, m_request.blob.bytes);
    if (!place || m_request.blob.carrier.address < m_file.imageBase) return refuse(DiagnosticId::PlanNoLoad, {});
    m_old = *place;
    m_oldAddress = m_request.blob.carrier.address - m_file.imageBase;
    if (m_file.offsetOf(m_oldAddress, m_old.size) != std::optional(m_old.offset))
      return refuse(DiagnosticId::PlanNoLoad, {});
    m_certificate = m_file.directory(IMAGE_DIRECTORY_ENTRY_SECURITY);
    if (m_certificate.size > 0 && m_certificate.offset < m_rawEnd)
      return shape("the certificate table at " + hexText(m_certificate.offset) + " is in a section");
    return Done{};
  }

  Result<Done> checkImage() const {
    if (m_file.directory(IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR).size > 0) return refuse(DiagnosticId::PlanManaged, {});
    if (m_file.sections.size() + 1 > kMaxSections)
      return shape("it has " + std::to_string(m_file.sections.size()) + " sections, of which Windows loads 96 at most");
    for (std::size_t i = 0; i < m_file.directories.size(); ++i) {
      const Extent table = m_file.directory(i);
      if (i != IMAGE_DIRECTORY_ENTRY_SECURITY && table.size > 0 && table.offset < m_file.sections.front().address)
        return refuse(DiagnosticId::PlanBoundImports, {});
    }
    // CHPEMetadataPointer: winnt.h, IMAGE_LOAD_CONFIG_DIRECTORY64 and -32. The table begins with its size.
    const Extent config = m_file.directory(IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG);
    const uint64_t field = m_file.is64 ? 200 : 124, width = m_file.is64 ? 8 : 4;
    const auto at = config.size > 0 ? m_file.offsetOf(config.offset, 4) : std::nullopt;
    if (at && numberAt<uint32_t>(m_file.text(), *at) >= field + width)
      if (const auto pointer = m_file.offsetOf(config.offset + field, width);
          pointer && container::numberAt(m_file.text(), *pointer, static_cast<unsigned>(width), false) != 0)
        return refuse(DiagnosticId::PlanHybrid, {});
    constexpr uint16_t kArm64Ec = 0xa641, kArm64X = 0xa64e;
    if (m_file.machine == kArm64Ec || m_file.machine == kArm64X) return refuse(DiagnosticId::PlanHybrid, {});
    return Done{};
  }

  /// Finds the entries of the export address table by which loaders find the blob.
  Result<Done> findSlots() {
    const Extent directory = m_file.directory(IMAGE_DIRECTORY_ENTRY_EXPORT);
    const auto at = directory.size > 0 ? m_file.offsetOf(directory.offset, 40) : std::nullopt;
    if (!at) return unusable("the library does not export it, so its new address cannot be stated anywhere");
    const std::string_view text = m_file.text();
    const uint64_t functions = numberAt<uint32_t>(text, *at + 20), names = numberAt<uint32_t>(text, *at + 24);
    const auto addressTable = m_file.offsetOf(numberAt<uint32_t>(text, *at + 28), 4 * functions),
               nameTable = m_file.offsetOf(numberAt<uint32_t>(text, *at + 32), 4 * names),
               ordinals = m_file.offsetOf(numberAt<uint32_t>(text, *at + 36), 2 * names);
    if (names == 0 || functions == 0 || !addressTable || !nameTable || !ordinals)
      return shape("its export tables are not all in one section");
    coff::NameCutter cutter(text.size());
    std::vector<uint64_t> others;
    bool forwarded = false;
    for (uint64_t i = 0; i < names; ++i) {
      if (i % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const uint64_t number = numberAt<uint16_t>(text, *ordinals + 2 * i), slot = *addressTable + 4 * number;
      if (number >= functions) continue;
      const uint64_t target = numberAt<uint32_t>(text, slot);
      const auto name = m_file.offsetOf(numberAt<uint32_t>(text, *nameTable + 4 * i), 1);
      const bool carrier = name && isCarrier(m_request.package, cutter.cut(text.substr(*name)));
      forwarded = forwarded || (carrier && directory.contains(target));
      if (target == m_oldAddress) (carrier ? m_slots : others).push_back(slot);
    }
    if (m_slots.empty())
      return unusable(forwarded ? "it is a forwarder to another library"
                                : "the library does not export it, so its new address cannot be stated anywhere");
    std::sort(m_slots.begin(), m_slots.end());
    m_slots.erase(std::unique(m_slots.begin(), m_slots.end()), m_slots.end());
    for (const uint64_t slot : others)
      if (std::binary_search(m_slots.begin(), m_slots.end(), slot))
        return unusable("another name shares its entry in the export table");
    return Done{};
  }

  /// Finds the records of the COFF symbol table at the same address, which debuggers read.
  Result<Done> findRecords() {
    return coff::forEachRecord(m_file.bytes, m_file.symbols, m_request.monitor, [&](const Record& record) {
      if (record.section < 1 || static_cast<uint64_t>(record.section) > m_file.sections.size()) return;
      if (m_file.sections[static_cast<std::size_t>(record.section - 1)].address + record.value != m_oldAddress) return;
      if (isCarrier(m_request.package, record.name)) m_records.push_back(record.at);
    });
  }

  Result<Done> checkReferences() {
    References found;
    BLOBSCOPE_CHECK(findRelocations(found));
    std::vector<CodePart> parts;
    for (const Section& section : m_file.sections)
      if (section.characteristics & coff::IMAGE_SCN_MEM_EXECUTE)
        parts.push_back(
            {m_file.text().substr(section.raw().offset, section.raw().size), m_file.imageBase + section.address});
    const Extent memory{m_file.imageBase + m_oldAddress, m_old.size};
    if (m_file.machine == 0x8664 || m_file.machine == 0xaa64) {
      BLOBSCOPE_TRY(starts, startsOfFunctions());
      BLOBSCOPE_CHECK(findInCode(m_file.machine == 0x8664 ? Processor::X86_64 : Processor::Aarch64, parts, memory, {},
                                 starts, found, m_request.monitor));
    } else if (m_file.machine == 0x14c) {
      // Its code contains absolute addresses, and a relocatable library lists them as relocations.
      found.codeRead = m_file.directory(IMAGE_DIRECTORY_ENTRY_BASERELOC).size > 0;
    }
    return found.checkNone(m_request.blob.ref(), m_request.options.force, m_consequences);
  }

  Result<std::vector<uint64_t>> startsOfFunctions() const {
    BLOBSCOPE_TRY(starts, functionStarts(m_request.package.image, m_request.monitor));
    const Extent table = m_file.directory(IMAGE_DIRECTORY_ENTRY_EXCEPTION);
    const auto at = table.size > 0 ? m_file.offsetOf(table.offset, table.size) : std::nullopt;
    if (at && m_file.machine == 0x8664)
      addExceptionTable(m_file.text().substr(*at, table.size), m_file.imageBase, starts);
    sortStarts(starts);
    return starts;
  }

  /// Finds base relocations of addresses in the blob. Source: "PE Format", ".reloc section".
  Result<Done> findRelocations(References& found) const {
    constexpr unsigned kHighLow = 3, kDir64 = 10;
    const Extent table = m_file.directory(IMAGE_DIRECTORY_ENTRY_BASERELOC);
    if (table.size == 0) return Done{};
    const auto at = m_file.offsetOf(table.offset, table.size);
    if (!at) return shape("its base relocations are not in one section");
    const std::string_view text = m_file.text();
    uint64_t seen = 0;
    for (uint64_t block = *at; block + 8 <= *at + table.size;) {
      const uint64_t page = numberAt<uint32_t>(text, block), size = numberAt<uint32_t>(text, block + 4);
      if (size < 8 || size > *at + table.size - block) break;
      for (uint64_t entry = block + 8; entry + 2 <= block + size; entry += 2) {
        if (seen++ % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        const unsigned word = numberAt<uint16_t>(text, entry), width = word >> 12 == kDir64     ? 8
                                                                       : word >> 12 == kHighLow ? 4
                                                                                                : 0;
        const uint64_t address = page + (word & 0xfff);
        const auto place = width > 0 ? m_file.offsetOf(address, width) : std::nullopt;
        if (!place) continue;
        const uint64_t value = container::numberAt(text, *place, width, false);
        if (Extent{m_file.imageBase + m_oldAddress, m_old.size}.contains(value))
          found.add(m_file.imageBase + address, "relocation");
      }
      block += size;
    }
    return Done{};
  }

  // --- 2. Room for an additional section header; real libraries have none, so the headers grow. ---------------------
  Result<Done> makeRoom() {
    const uint64_t end = m_file.sectionsEnd(), limit = m_file.headersSize;
    if (limit > m_file.bytes.size() || limit < end || limit % m_file.fileAlignment != 0)
      return shape("its headers end at " + hexText(limit));
    const uint64_t room = limit - end;
    const std::string_view free = m_file.text().substr(end, std::min(room, coff::kSectionHeader));
    if (free.find_first_not_of('\0') != std::string_view::npos)
      return shape("there are other bytes after its section table at " + hexText(end));
    if (room < coff::kSectionHeader) m_headerGrowth = rounded(coff::kSectionHeader - room, m_file.fileAlignment);
    if (limit + m_headerGrowth > m_file.sections.front().address)
      return shape("the headers need " + hexText(limit + m_headerGrowth) + " bytes, but the first section begins at " +
                   hexText(m_file.sections.front().address));
    return Done{};
  }

  // --- 3. The sizes of the section with the blob. -------------------------------------------------------------------
  Result<Done> place() {
    const uint64_t address = m_section ? m_section->address : m_imageEnd;
    if (m_request.newBlob.size > kMaxImage || address + m_request.newBlob.size > kMaxImage - m_file.sectionAlignment)
      return refuse(DiagnosticId::PlanImageSize,
                    {sizeArg("size", Extent{address, m_request.newBlob.size}.end()), sizeArg("limit", kMaxImage)});
    m_newAddress = address;
    m_rawSize = rounded(m_request.newBlob.size, m_file.fileAlignment);
    m_padding = m_section ? 0 : rounded(m_rawEnd, m_file.fileAlignment) - m_rawEnd;
    const uint64_t size = m_file.bytes.size() + m_headerGrowth + m_padding + m_rawSize;
    if (size > UINT32_MAX) return sizeError(size, UINT32_MAX);
    return Done{};
  }

  /// Whether the last section contains only the blob, from an earlier edit.
  bool isOurs() {
    if (!checkSections() || m_file.sections.back().name != kSectionName ||
        m_file.sections.back().address != m_oldAddress)
      return false;
    const Section& last = m_file.sections.back();
    if (last.rawOffset != m_old.offset || last.raw().end() != m_rawEnd) return false;
    // Bytes that another tool put after the blob are not ours.
    const Extent rest{m_old.end(), m_rawEnd - m_old.end()};
    if (last.memorySize() < m_old.size ||
        m_file.text().substr(rest.offset, rest.size).find_first_not_of('\0') != std::string_view::npos)
      return false;
    m_section = &last;
    return true;
  }

  // --- 4. The output. -----------------------------------------------------------------------------------------------
  static std::string word(uint64_t value) { return numberText(value, 4, false); }

  /// Returns the new offset of a byte after the changed section.
  uint64_t moved(uint64_t offset) const {
    uint64_t to = offset;
    if (offset >= m_file.headersSize) to += m_headerGrowth;
    if (offset >= m_rawEnd) to += m_padding + m_rawSize - (m_section ? m_section->rawSize : 0);
    return to;
  }

  /// Updates all fields with file offsets.
  void movePointers(Rewrite& rewrite) const {
    const auto pointer = [&](uint64_t at, const char* why) {
      const uint64_t offset = numberAt<uint32_t>(m_file.text(), at);
      if (offset != 0) rewrite.set(at, word(moved(offset)), why);
    };
    pointer(m_file.headerAt + 8, "place of the symbol table");
    for (const Section& section : m_file.sections)
      for (const uint64_t field : {20, 24, 28}) // PointerToRawData, PointerToRelocations, PointerToLinenumbers
        pointer(section.at + field, "section headers");
    const Extent debug = m_file.directory(IMAGE_DIRECTORY_ENTRY_DEBUG);
    for (uint64_t i = 0; i < debug.size / kDebugEntry; ++i) {
      const auto entry = m_file.offsetOf(debug.offset + i * kDebugEntry, kDebugEntry);
      if (!entry) break;
      pointer(*entry + 24, "debug directory");
    }
  }

  void writeHeaders(Rewrite& rewrite, std::string_view checksum) const {
    const uint64_t optional = m_file.optionalAt, oldRaw = m_section ? m_section->rawSize : 0;
    rewrite.set(optional + 8, word(m_file.initializedSize - std::min(m_file.initializedSize, oldRaw) + m_rawSize),
                "size of initialized data");
    rewrite.set(optional + 56, word(rounded(m_newAddress + m_request.newBlob.size, m_file.sectionAlignment)),
                "size of the image");
    rewrite.set(optional + 60, word(m_file.headersSize + m_headerGrowth), "size of the headers");
    if (m_file.checksum != 0) rewrite.set(m_file.checksumAt, checksum, "checksum");
    if (m_certificate.size == 0) return;
    rewrite.set(m_file.directoryAt(IMAGE_DIRECTORY_ENTRY_SECURITY), std::string(8, '\0'), "certificate directory");
    if (m_certificate.end() == m_file.bytes.size()) rewrite.remove(m_certificate);
  }

  Result<Plan> writeAppended(std::string_view checksum) const {
    constexpr uint32_t kReadable = 0x40000000; // IMAGE_SCN_MEM_READ
    Rewrite rewrite(m_file.bytes, {m_old});
    writeHeaders(rewrite, checksum);
    movePointers(rewrite);
    rewrite.set(m_file.headerAt + 2, numberText(m_file.sections.size() + 1, 2, false), "number of sections");
    const uint64_t rawOffset = m_rawEnd + m_headerGrowth + m_padding;
    const std::string header = std::string(kSectionName) + word(m_request.newBlob.size) + word(m_newAddress) +
                               word(m_rawSize) + word(rawOffset) + std::string(12, '\0') +
                               word(coff::IMAGE_SCN_CNT_INITIALIZED_DATA | kReadable);
    const uint64_t there = std::min(m_file.headersSize - m_file.sectionsEnd(), coff::kSectionHeader);
    rewrite.replace({m_file.sectionsEnd(), there}, header, "section headers");
    // The new header uses this part of the growth of the headers.
    const uint64_t used = coff::kSectionHeader - there;
    if (m_headerGrowth > 0) rewrite.zeros({m_file.headersSize, 0}, m_headerGrowth - used, "larger headers");
    for (const uint64_t slot : m_slots) rewrite.set(slot, word(m_newAddress), "address of the export");
    for (const uint64_t record : m_records)
      redirect(rewrite, m_file.symbols, record, 0, static_cast<uint32_t>(m_file.sections.size() + 1));
    if (m_request.options.scrub) rewrite.zeros(m_old, m_old.size, "old blob");
    rewrite.zeros({m_rawEnd, 0}, m_padding, "padding");
    rewrite.blob({m_rawEnd, 0}, m_request.newBlob);
    rewrite.zeros({m_rawEnd, 0}, m_rawSize - m_request.newBlob.size, "padding");
    BLOBSCOPE_CHECK(rewrite.settle(m_request.package));

    rewrite.step("Copy the file", 0, m_file.bytes.size(), "except for the changes below");
    if (m_headerGrowth > 0)
      rewrite.step("Enlarge the headers", m_file.headersSize, m_headerGrowth,
                   "there is no room for another section header");
    rewrite.step("Add a section header", m_file.sectionsEnd(), coff::kSectionHeader,
                 "one new section: " + std::string(kSectionName));
    if (m_request.options.scrub)
      rewrite.step("Fill the old place with zeros", rewrite.outputOf(m_old.offset), m_old.size, "requested");
    for (const uint64_t slot : m_slots)
      rewrite.step("Change the export", rewrite.outputOf(slot), 4, "loaders find the new blob by it");
    for (const uint64_t record : m_records)
      rewrite.step("Change the symbol", rewrite.outputOf(record), coff::kSymbolRecord,
                   "debuggers find the new blob by it");
    rewrite.step("Write the new blob", rawOffset, m_request.newBlob.size, "does not fit in the old place");
    explainRest(rewrite);
    return rewrite.plan(Strategy::AppendSection);
  }

  Result<Plan> writeResized(std::string_view checksum) const {
    Rewrite rewrite(m_file.bytes, {m_old});
    writeHeaders(rewrite, checksum);
    movePointers(rewrite);
    rewrite.set(m_section->at + 8, word(m_request.newBlob.size), "section headers");
    rewrite.set(m_section->at + 16, word(m_rawSize), "section headers");
    rewrite.blob(m_old, m_request.newBlob);
    rewrite.zeros({m_old.end(), m_rawEnd - m_old.end()}, m_rawSize - m_request.newBlob.size, "padding");
    BLOBSCOPE_CHECK(rewrite.settle(m_request.package));
    rewrite.step("Copy the file", 0, m_file.bytes.size(), "except for the changes below");
    rewrite.step("Write the new blob", m_old.offset, m_request.newBlob.size, "its section is the last one");
    explainRest(rewrite);
    return rewrite.plan(Strategy::Resize);
  }

  void explainRest(Rewrite& rewrite) const {
    if (m_file.symbols.offset >= m_rawEnd && moved(m_file.symbols.offset) != m_file.symbols.offset)
      rewrite.step("Move the symbol table", moved(m_file.symbols.offset),
                   m_file.bytes.size() - std::min(m_file.bytes.size(), m_file.symbols.offset),
                   "it follows the sections");
    if (m_certificate.size > 0 && m_certificate.end() == m_file.bytes.size())
      rewrite.step("Remove the certificate table", m_certificate.offset, m_certificate.size,
                   "the signature covers the old bytes");
  }

  const PlanRequest& m_request;
  const File& m_file;

  Extent m_old, m_certificate;              ///< in the file
  uint64_t m_oldAddress = 0;                ///< of the blob
  uint64_t m_rawEnd = 0;                    ///< end of all sections in the file
  uint64_t m_imageEnd = 0;                  ///< end of all sections in memory, aligned
  std::vector<uint64_t> m_slots, m_records; ///< offsets in the file
  std::vector<Diagnostic> m_consequences;
  const Section* m_section = nullptr; ///< the section to resize
  uint64_t m_headerGrowth = 0;
  uint64_t m_newAddress = 0, m_rawSize = 0, m_padding = 0;
};

} // namespace

Result<std::optional<Plan>> resizeSection(const PlanRequest& request, const File& file) {
  return SectionPlanner(request, file).resize();
}

Result<Plan> appendSection(const PlanRequest& request, const File& file) {
  return SectionPlanner(request, file).append();
}

} // namespace blobscope::write::pe
