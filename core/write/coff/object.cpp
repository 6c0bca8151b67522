#include "core/write/pe/plan.h"

#include "core/base/digest.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace {

namespace coff = container::coff;
using container::numberAt;
using pe::Record;
using pe::Section;

constexpr uint64_t kMaxSections = 0xfeff, kMaxBigSections = 0x7fffffff; ///< higher numbers have a special meaning
constexpr uint64_t kRelocation = 10;
/// The text after `$` only decides the order: linkers put all such sections into .rdata.
constexpr std::string_view kSectionName = ".rdata$T";

/// The headers of an object and the place of the blob.
struct Object : coff::FileHeader {
  std::vector<Section> sections;
  std::size_t section = 0; ///< index of the section that contains the blob
  Extent place;            ///< place of the blob in the file

  const Section& holder() const { return sections[section]; }
  uint64_t sectionsEnd() const { return sectionsAt + sections.size() * coff::kSectionHeader; }
  uint64_t offsetInSection() const { return place.offset - holder().rawOffset; }
};

/// Reads the object. Errors: REP-NOLOAD, REP-SHAPE.
Result<Object> readObject(const library::Package& package, const library::Blob& blob) {
  const std::string_view text = package.bytes.view();
  Object object{coff::fileHeaderOf(text, numberAt<uint32_t>(text, 0) == 0xffff0000), {}, 0, {}};
  const uint64_t count = object.sectionCount;
  for (uint64_t i = 0; i < std::min(count, limits::kSections); ++i) {
    const uint64_t at = object.sectionsAt + i * coff::kSectionHeader;
    if (!Extent{0, text.size()}.contains(Extent{at, coff::kSectionHeader})) break;
    object.sections.push_back(coff::sectionAt(text, at));
  }
  if (object.sections.size() != count) return layoutError(package, "its section table is incomplete", blob.ref());
  const auto place = placeIn(package.bytes, blob.bytes);
  if (!place) return Error(DiagnosticId::PlanNoLoad, {}, blob.ref());
  object.place = *place;
  const auto holds = [&](const Section& section) {
    return section.raw().contains(*place) && Extent{0, text.size()}.contains(section.raw());
  };
  const auto found = std::find_if(object.sections.begin(), object.sections.end(), holds);
  if (found == object.sections.end()) return Error(DiagnosticId::PlanNoLoad, {}, blob.ref());
  object.section = static_cast<std::size_t>(found - object.sections.begin());
  return object;
}

// --- Checksums of sections. ------------------------------------------------------------------------------------------

/// Returns the CRC of the output's bytes in the form of section symbols: it starts with all ones and is not
/// complemented. Source: llvm-project 19 llvm/lib/MC/WinCOFFObjectWriter.cpp (JamCRC over each section), which stores
/// it for every section with content.
Result<uint32_t> computeSectionCrc(OutputReader& reader, Extent section, Monitor& monitor) {
  constexpr uint64_t kStep = 1 << 20;
  uint32_t crc = 0;
  for (uint64_t at = section.offset; at < section.end(); at += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    crc = crc32(crc, reader.read(at, std::min(kStep, section.end() - at)).view());
  }
  return ~crc;
}

/// The auxiliary record of a section symbol, which contains the length and the checksum of the section. Source: "PE
/// Format", auxiliary format 5.
struct Definition {
  uint64_t at = 0; ///< 0 when there is none
  uint64_t lengthAt() const { return at; }
  uint64_t checksumAt() const { return at + 8; }
};

Result<Definition> findDefinition(const library::Package& package, const Object& object, Monitor& monitor) {
  Definition found;
  const uint64_t size = object.symbols.recordSize();
  BLOBSCOPE_CHECK(coff::forEachRecord(package.bytes, object.symbols, monitor, [&](const Record& record) {
    const bool here = record.section == static_cast<int64_t>(object.section) + 1 &&
                      record.storage == coff::IMAGE_SYM_CLASS_STATIC && record.auxiliary > 0 && record.value == 0;
    if (here && found.at == 0 && Extent{0, package.bytes.size()}.contains(Extent{record.at + size, size}))
      found.at = record.at + size;
  }));
  return found;
}

/// Returns the new checksum, or nothing when the old one is not correct, because other producers may store something
/// else there. Linkers compare the checksums of sections that may replace each other (COMDAT) instead of their bytes.
/// `section`: the section in the output.
Result<std::optional<uint32_t>> computeNewCrc(const library::Package& package, const Object& object,
                                              const Definition& definition, const Plan& plan, Extent section,
                                              Monitor& monitor) {
  const std::string_view text = package.bytes.view();
  const auto old = numberAt<uint32_t>(text, definition.checksumAt());
  if (definition.at == 0 || old == 0) return std::optional<uint32_t>();
  Plan same;
  same.parts.push_back({Part::From::Input, {0, text.size()}, {}, 0});
  OutputReader oldBytes(same, package.bytes), newBytes(plan, package.bytes);
  BLOBSCOPE_TRY(oldCrc, computeSectionCrc(oldBytes, object.holder().raw(), monitor));
  if (oldCrc != old) return std::optional<uint32_t>();
  BLOBSCOPE_TRY(crc, computeSectionCrc(newBytes, section, monitor));
  return std::optional(crc);
}

// --- Smaller, or of the same size. -----------------------------------------------------------------------------------

Result<Plan> inPlace(const PlanRequest& request, const Object& object) {
  const library::Package& package = request.package;
  Monitor& monitor = request.monitor;
  Plan plan = overwritePlan(request, object.place, {});
  BLOBSCOPE_TRY(definition, findDefinition(package, object, monitor));
  if (overlap({definition.checksumAt(), 4}, object.place)) return plan;
  BLOBSCOPE_TRY(crc, computeNewCrc(package, object, definition, plan, object.holder().raw(), monitor));
  if (!crc) return plan;
  return overwritePlan(
      request, object.place,
      {{definition.checksumAt(), Bytes::copyOf(numberText(*crc, 4, false)), "checksum of the section"}});
}

// --- Larger: the section grows if it ends with the blob, else a section is added. Neither changes an address. ---

class Growth {
public:
  Growth(const PlanRequest& request, const Object& object) : m_request(request), m_object(object) {}

  Result<Plan> resize() {
    m_cutAt = m_object.holder().raw().end();
    m_growth = m_request.newBlob.size - m_object.place.size; // modulo 2⁶⁴
    BLOBSCOPE_CHECK(check());
    return write([&](Rewrite& rewrite, const std::optional<uint32_t>& crc) { return writeResized(rewrite, crc); },
                 {m_object.holder().rawOffset, m_object.holder().rawSize + m_growth});
  }

  Result<Plan> append() {
    // Before the symbol table, after all bytes of sections.
    m_cutAt = m_object.symbols.offset != 0 ? m_object.symbols.offset : m_request.package.bytes.size();
    m_headerGrowth = coff::kSectionHeader;
    m_growth = m_request.newBlob.size;
    BLOBSCOPE_CHECK(check());
    if (m_object.holder().characteristics & coff::IMAGE_SCN_LNK_COMDAT)
      return shape("its section is one of several of which the linker keeps only one (COMDAT)");
    if (m_object.sections.size() >= (m_object.wide ? kMaxBigSections : kMaxSections))
      return shape("it has the maximum number of sections");
    BLOBSCOPE_CHECK(findSymbols());
    BLOBSCOPE_CHECK(checkRelocations());
    const Section& holder = m_object.holder();
    auto plan = write([&](Rewrite& rewrite, const std::optional<uint32_t>& crc) { return writeAppended(rewrite, crc); },
                      {moved(holder.rawOffset), holder.rawSize});
    if (plan)
      plan->consequences.push_back({m_request.options.scrub ? DiagnosticId::PlanScrubbed : DiagnosticId::PlanDead,
                                    {},
                                    {sizeArg("size", m_object.place.size)}});
    return plan;
  }

private:
  Error shape(std::string reason) const {
    return layoutError(m_request.package, std::move(reason), m_request.blob.ref());
  }

  /// Checks that the moved parts are in order and that their new offsets fit into 32 bits.
  Result<Done> check() const {
    const uint64_t fileSize = m_request.package.bytes.size(), headers = m_object.sectionsEnd();
    if (m_cutAt < headers || m_cutAt > fileSize || m_object.place.offset < headers)
      return shape("its symbol table or a section begins before its headers end");
    const Extent definedPart{m_object.place.offset, m_cutAt - std::min(m_cutAt, m_object.place.offset)};
    for (std::size_t i = 0; i < m_object.sections.size(); ++i) {
      const Section& section = m_object.sections[i];
      const Extent raw = section.raw();
      const bool cut = raw.size > 0 && raw.offset < m_cutAt && raw.end() > m_cutAt &&
                       !(section.characteristics & coff::IMAGE_SCN_CNT_UNINITIALIZED_DATA);
      const bool shared = m_headerGrowth == 0 && i != m_object.section && raw.size > 0 && overlap(raw, definedPart) &&
                          !(section.characteristics & coff::IMAGE_SCN_CNT_UNINITIALIZED_DATA);
      if (cut || shared) return shape("the section at " + hexText(raw.offset) + " shares bytes with another part");
      if (raw.size > 0 && raw.offset < headers && !(section.characteristics & coff::IMAGE_SCN_CNT_UNINITIALIZED_DATA))
        return shape("the section at " + hexText(raw.offset) + " overlaps the headers");
      const Extent relocations = relocationsOf(section);
      if (relocations.size > 0 && relocations.offset < m_cutAt && relocations.end() > m_cutAt)
        return shape("the relocations at " + hexText(relocations.offset) + " share bytes with another part");
    }
    const auto size = checkedAdd(fileSize + m_headerGrowth, m_request.newBlob.size);
    if (!size || *size > UINT32_MAX) return sizeError(size.value_or(UINT64_MAX), UINT32_MAX);
    return Done{};
  }

  /// The first entry contains the number of relocations when it does not fit into 16 bits.
  Extent relocationsOf(const Section& section) const {
    const uint64_t at = numberAt<uint32_t>(text(), section.at + 24);
    uint64_t count = numberAt<uint16_t>(text(), section.at + 32);
    if (section.characteristics & coff::IMAGE_SCN_LNK_NRELOC_OVFL && count == UINT16_MAX)
      count = numberAt<uint32_t>(text(), at);
    return {at, std::min<uint64_t>(count * kRelocation, text().size() - std::min<uint64_t>(at, text().size()))};
  }

  /// Finds the records of the symbols that must follow the blob.
  Result<Done> findSymbols() {
    BLOBSCOPE_CHECK(
        coff::forEachRecord(m_request.package.bytes, m_object.symbols, m_request.monitor, [&](const Record& record) {
          if (record.section != static_cast<int64_t>(m_object.section) + 1) return;
          const bool carrier =
              record.value == m_object.offsetInSection() && pe::isCarrier(m_request.package, record.name);
          if (carrier)
            m_records.push_back(record.at);
          else
            m_neighbours.emplace_back(record.index, record.value);
        }));
    if (m_records.empty())
      return Error(DiagnosticId::PlanSymbol, {arg("reason", "no symbol of the table labels it")}, m_request.blob.ref());
    return Done{};
  }

  /// Returns the size of the addend in bytes; 0 for other kinds of relocations, since those of ARM64 have it in an
  /// instruction.
  unsigned addendSize(unsigned type) const {
    switch (m_request.package.image.bits) {
    case 32:
      return m_request.package.image.arch == "i386" && (type == 6 || type == 7 || type == 20)
                 ? 4
                 : 0; // DIR32, DIR32NB, REL32
    default: break;
    }
    if (m_request.package.image.arch == "x86_64")
      return type == 1 ? 8 : type >= 2 && type <= 9 ? 4 : 0; // ADDR64; ADDR32, ADDR32NB, REL32…REL32_5
    return m_request.package.image.arch == "aarch64" ? (type == 14               ? 8
                                                        : type == 1 || type == 2 ? 4
                                                                                 : 0)
                                                     : 0; // ADDR64; ADDR32, ADDR32NB
  }

  /// Checks that no relocation points into the blob by another symbol, because it would not follow. Error: REP-REL.
  Result<Done> checkRelocations() {
    std::sort(m_neighbours.begin(), m_neighbours.end());
    const Extent inSection{m_object.offsetInSection(), m_object.place.size};
    uint64_t seen = 0;
    for (const Section& section : m_object.sections) {
      const Extent table = relocationsOf(section);
      for (uint64_t at = table.offset; at + kRelocation <= table.end(); at += kRelocation) {
        if (seen++ % 4096 == 0 && m_request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        const uint64_t index = numberAt<uint32_t>(text(), at + 4);
        const auto known = std::lower_bound(m_neighbours.begin(), m_neighbours.end(), std::pair(index, uint64_t{0}));
        if (known == m_neighbours.end() || known->first != index) continue;
        const unsigned width = addendSize(numberAt<uint16_t>(text(), at + 8));
        if (width == 0) continue;
        const uint64_t place = section.rawOffset + numberAt<uint32_t>(text(), at) - section.address;
        const uint64_t addend = width == 8 ? numberAt<uint64_t>(text(), place)
                                           : static_cast<uint64_t>(int64_t{numberAt<int32_t>(text(), place)});
        const uint64_t target = known->second + addend;
        if (inSection.contains(target))
          return Error(DiagnosticId::PlanRelocation, {hexArg("at", at)}, m_request.blob.ref());
      }
    }
    return Done{};
  }

  // --- The output. ---
  std::string_view text() const { return m_request.package.bytes.view(); }
  static std::string word(uint64_t value) { return numberText(value, 4, false); }
  uint64_t moved(uint64_t offset) const {
    return offset + (offset >= m_object.sectionsEnd() ? m_headerGrowth : 0) + (offset >= m_cutAt ? m_growth : 0);
  }

  /// Builds the plan, and builds it again with the checksum.
  template <class Write> Result<Plan> write(const Write& fill, Extent section) {
    BLOBSCOPE_TRY(definition, findDefinition(m_request.package, m_object, m_request.monitor));
    m_definition = definition;
    const auto make = [&](const std::optional<uint32_t>& crc) -> Result<Plan> {
      Rewrite rewrite(m_request.package.bytes, {m_object.place});
      movePointers(rewrite);
      return fill(rewrite, crc);
    };
    BLOBSCOPE_TRY(plan, make(std::nullopt));
    BLOBSCOPE_TRY(crc, computeNewCrc(m_request.package, m_object, definition, plan, section, m_request.monitor));
    if (crc) return make(crc);
    return plan;
  }

  void movePointers(Rewrite& rewrite) const {
    const auto pointer = [&](uint64_t at, const char* why) {
      const uint64_t offset = numberAt<uint32_t>(text(), at);
      if (offset != 0) rewrite.set(at, word(moved(offset)), why);
    };
    pointer(m_object.wide ? 48 : 8, "place of the symbol table");
    for (const Section& section : m_object.sections)
      for (const uint64_t field : {20, 24, 28}) // PointerToRawData, PointerToRelocations, PointerToLinenumbers
        pointer(section.at + field, "section headers");
  }

  void setCrc(Rewrite& rewrite, const std::optional<uint32_t>& crc) const {
    if (crc) rewrite.set(m_definition.checksumAt(), word(*crc), "checksum of the section");
  }

  Result<Plan> writeResized(Rewrite& rewrite, const std::optional<uint32_t>& crc) const {
    const Section& holder = m_object.holder();
    const uint64_t size = holder.rawSize + m_growth;
    rewrite.set(holder.at + 16, word(size), "section headers");
    if (m_definition.at != 0 && numberAt<uint32_t>(text(), m_definition.lengthAt()) == holder.rawSize)
      rewrite.set(m_definition.lengthAt(), word(size), "size of the section");
    setCrc(rewrite, crc);
    rewrite.blob(m_object.place, m_request.newBlob);
    BLOBSCOPE_CHECK(rewrite.settle(m_request.package));
    rewrite.step("Copy the file", 0, text().size(), "except for the changes below");
    rewrite.step("Write the new blob", m_object.place.offset, m_request.newBlob.size,
                 "nothing is after it in its section");
    rewrite.step("Copy the rest of the file", moved(m_cutAt), text().size() - m_cutAt,
                 "it follows the end of the blob");
    return rewrite.plan(Strategy::Resize);
  }

  Result<Plan> writeAppended(Rewrite& rewrite, const std::optional<uint32_t>& crc) const {
    const uint64_t count = m_object.sections.size() + 1, rawOffset = m_cutAt + m_headerGrowth;
    rewrite.set(m_object.sectionCountAt(), numberText(count, m_object.wide ? 4 : 2, false), "number of sections");
    const std::string header =
        std::string(kSectionName) + word(0) + word(0) + word(m_request.newBlob.size) + word(rawOffset) +
        std::string(12, '\0') +
        word(coff::IMAGE_SCN_CNT_INITIALIZED_DATA | coff::IMAGE_SCN_MEM_READ | coff::IMAGE_SCN_ALIGN_16BYTES);
    rewrite.replace({m_object.sectionsEnd(), 0}, header, "section headers");
    for (const uint64_t record : m_records)
      pe::redirect(rewrite, m_object.symbols, record, 0, static_cast<uint32_t>(count));
    if (m_request.options.scrub) rewrite.zeros(m_object.place, m_object.place.size, "old blob");
    setCrc(rewrite, crc);
    rewrite.blob({m_cutAt, 0}, m_request.newBlob);
    BLOBSCOPE_CHECK(rewrite.settle(m_request.package));
    rewrite.step("Copy the file", 0, text().size(), "except for the changes below");
    rewrite.step("Add a section header", m_object.sectionsEnd(), header.size(),
                 "one new section: " + std::string(kSectionName));
    if (m_request.options.scrub)
      rewrite.step("Fill the old place with zeros", moved(m_object.place.offset), m_object.place.size, "requested");
    rewrite.step("Write the new blob", rawOffset, m_request.newBlob.size, "does not fit in the old place");
    for (const uint64_t record : m_records)
      rewrite.step("Change the symbol", rewrite.outputOf(record), m_object.symbols.recordSize(),
                   "linkers find the new blob by it");
    return rewrite.plan(Strategy::AppendSection);
  }

  const PlanRequest& m_request;
  const Object& m_object;

  uint64_t m_cutAt = 0; ///< where bytes are inserted, or the resized section ends
  uint64_t m_growth = 0, m_headerGrowth = 0;
  Definition m_definition;
  std::vector<uint64_t> m_records;                         ///< offsets in the file
  std::vector<std::pair<uint64_t, uint64_t>> m_neighbours; ///< index and value of the section's other symbols
};

} // namespace

Result<Plan> planCoff(const PlanRequest& request) {
  longWork("write::planCoff");
  BLOBSCOPE_TRY(object, readObject(request.package, request.blob));
  if (request.newBlob.size == request.blob.bytes.size()) return inPlace(request, object);
  Growth growth(request, object);
  if (object.place.end() == object.holder().raw().end()) return growth.resize();
  if (request.newBlob.size < request.blob.bytes.size()) return inPlace(request, object);
  return growth.append();
}

} // namespace blobscope::write
