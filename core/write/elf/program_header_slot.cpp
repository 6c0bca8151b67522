#include "core/write/elf/plan.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace blobscope::write::elf {
namespace {

/// Tags whose value is an address. Source: gABI "Dynamic Section", glibc elf/elf.h.
constexpr std::array<uint64_t, 17> kAddressTags = {3,  4,  5,  6,  7,          12,         13,         17,        23,
                                                   25, 26, 36, 32, 0x6ffffef5, 0x6ffffff0, 0x6ffffffc, 0x6ffffffe};

/// The limits of zeros between the file and a new segment that must be after all memory: where a section such as .bss
/// takes that memory, and where none does.
constexpr uint64_t kMaxPadding = uint64_t{1} << 30, kMaxUnexplainedPadding = uint64_t{1} << 20;
/// The largest page size, to which linkers may round the end of a segment.
constexpr uint64_t kPage = 65'536;

std::string quoted(std::string_view name) { return "'" + escapedWithin(name, 64) + "'"; }

/// Finds room for an additional program header, strategy by strategy.
class SlotFinder {
public:
  explicit SlotFinder(const Site& site) : m_site(site), m_file(site.file), m_table(site.file.programTable()) {}

  Result<Slot> find() {
    if (auto slot = unused()) return std::move(*slot);
    if (auto slot = spare()) return std::move(*slot);
    if (auto slot = slide()) return std::move(*slot);
    if (auto slot = note()) return std::move(*slot);
    if (auto slot = moveTable()) return std::move(*slot);
    return Error(DiagnosticId::PlanProgramHeaders, {{"reason", m_reason}}, m_site.request.blob.ref());
  }

private:
  /// Records a reason; the message contains the reasons of the last three strategies.
  std::nullopt_t no(std::string reason) {
    m_reason += (m_reason.empty() ? "" : "; ") + std::move(reason);
    return std::nullopt;
  }

  /// Returns a table with the new entry directly after the last PT_LOAD: some loaders use the first and the last one as
  /// the range of the image.
  static Slot inserted(Strategy strategy, std::vector<ProgramHeader> programs) {
    Slot slot;
    slot.strategy = strategy;
    slot.programs = std::move(programs);
    for (std::size_t i = 0; i < slot.programs.size(); ++i)
      if (slot.programs[i].type == PT_LOAD) slot.load = i + 1;
    slot.programs.insert(slot.programs.begin() + static_cast<std::ptrdiff_t>(slot.load), ProgramHeader{});
    return slot;
  }

  /// Returns a table with the new entry at its end; it stays ascending because the new segment has the highest address.
  static Slot appended(Strategy strategy, std::vector<ProgramHeader> programs) {
    Slot slot;
    slot.strategy = strategy;
    slot.load = programs.size();
    slot.programs = std::move(programs);
    slot.programs.push_back({});
    return slot;
  }

  /// Returns the load whose file bytes contain the whole table.
  const ProgramHeader* loadOfTable() const {
    for (const ProgramHeader& header : m_file.programs)
      if (header.type == PT_LOAD && header.file().contains(m_table)) return &header;
    return nullptr;
  }

  bool fitsCount() const { return m_file.programs.size() < 0xfffe; }

  // --- 1. An unused entry. ------------------------------------------------------------------------------------------
  std::optional<Slot> unused() {
    const auto& programs = m_file.programs;
    std::size_t last = 0, found = programs.size();
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (programs[i].type == PT_LOAD) last = i;
      if (programs[i].type == PT_NULL) found = i;
    }
    if (found == programs.size()) return std::nullopt;
    if (found > last) {
      Slot slot;
      slot.strategy = Strategy::AppendNull;
      slot.programs = programs;
      slot.load = found;
      return slot;
    }
    std::vector<ProgramHeader> rest = programs;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(found));
    return inserted(Strategy::AppendNull, std::move(rest));
  }

  // --- 2. Free bytes after the table, which an earlier slide leaves. ------------------------------------------------
  std::optional<Slot> spare() {
    const Extent room{m_table.end(), m_file.programSize()};
    const ProgramHeader* const load = loadOfTable();
    // Without section headers, zeros may be in use: the first entry of a symbol table is zeros.
    if (!load || m_file.sections.empty() || !fitsCount() || !load->file().contains(room)) return std::nullopt;
    const Bytes bytes = m_file.bytes.slice(room.offset, room.size);
    if (bytes.size() != room.size || bytes.view().find_first_not_of('\0') != std::string_view::npos)
      return std::nullopt;
    for (const SectionHeader& section : m_file.sections)
      if (overlap(section.file(), room)) return std::nullopt;
    if (overlap(m_file.sectionTable(), room) || otherUser(room, load)) return std::nullopt;
    return appended(Strategy::AppendSpare, m_file.programs);
  }

  /// Whether a program header or a dynamic entry points into these bytes of `load`.
  bool otherUser(Extent room, const ProgramHeader* load) const {
    for (const ProgramHeader& header : m_file.programs)
      if (&header != load && header.type != PT_PHDR && header.type != PT_NULL && overlap(header.file(), room))
        return true;
    const Extent memory{load->address + (room.offset - load->offset), room.size};
    return std::any_of(m_file.dynamic.begin(), m_file.dynamic.end(),
                       [&](const DynamicTag& tag) { return isAddress(tag) && memory.contains(tag.value); });
  }

  static bool isAddress(const DynamicTag& tag) {
    return std::find(kAddressTags.begin(), kAddressTags.end(), tag.tag) != kAddressTags.end();
  }

  // --- 3. The sections after the table move. ------------------------------------------------------------------------
  std::optional<Slot> slide() {
    const ProgramHeader* const load = loadOfTable();
    if (!fitsCount()) return std::nullopt; // moveTable() states it
    if (!load) return no("the table is in no loaded part of the file");
    if (m_file.sections.empty()) return no("without section headers nothing after the table can be moved");
    // One free entry stays after the new one: patchelf 0.14.3 uses it without a check (core/formats/containers.md 4.4).
    const uint64_t spareEnd = m_table.end() + 2 * m_file.programSize();

    // 3.1 The sections after the table, in file order.
    std::vector<std::size_t> following;
    for (std::size_t i = 0; i < m_file.sections.size(); ++i) {
      const SectionHeader& section = m_file.sections[i];
      if (overlap(section.file(), m_table))
        return no("the section " + quoted(m_file.sectionName(section)) + " overlaps the table");
      if (section.file().size > 0 && section.offset >= m_table.end()) following.push_back(i);
    }
    std::stable_sort(following.begin(), following.end(), [&](std::size_t a, std::size_t b) {
      return m_file.sections[a].offset < m_file.sections[b].offset;
    });

    // 3.2 The sections that have to move: notes by a few bytes, tables for symbol lookup into the new segment.
    Slot slot = appended(Strategy::AppendSlide, m_file.programs);
    uint64_t cursor = spareEnd, taken = m_table.end();
    for (std::size_t i = 0;; ++i) {
      const uint64_t limit = i < following.size() ? std::min(m_file.sections[following[i]].offset, load->file().end())
                                                  : load->file().end();
      if (limit < taken) return no("sections after the table overlap");
      if (cursor <= limit) {
        slot.freedEnd = limit;
        break;
      }
      if (i == following.size() || m_file.sections[following[i]].offset >= load->file().end())
        return no("there is no room after the table");
      const SectionHeader& section = m_file.sections[following[i]];
      if (!canMove(section, *load)) return no("the table is followed by " + quoted(m_file.sectionName(section)));
      taken = section.file().end();
      if (section.type != SHT_NOTE) {
        slot.moved.push_back(following[i]);
        continue;
      }
      const uint64_t align = section.align == 8 || section.align == 16 ? section.align : 4;
      cursor = (cursor + align - 1) / align * align;
      slot.slid.push_back({following[i], cursor});
      cursor += section.size;
    }
    const Extent freed{m_table.end(), slot.freedEnd - m_table.end()};
    if (slot.freedEnd > m_file.bytes.size() || overlap(m_file.sectionTable(), freed))
      return no("there is no room after the table");

    // 3.3 Other references to them, which must all follow.
    if (!moveNotes(slot, freed) || !checkAddresses(slot, *load, freed)) return std::nullopt;
    return slot;
  }

  /// Whether all references to the section are in places that this planner updates.
  bool canMove(const SectionHeader& section, const ProgramHeader& load) const {
    if (!section.allocated() || !load.file().contains(section.file())) return false;
    if (section.address - section.offset != load.address - load.offset) return false;
    if (section.type == SHT_NOTE) return true;
    const uint64_t tag = section.type == SHT_GNU_HASH ? DT_GNU_HASH
                         : section.type == SHT_HASH   ? DT_HASH
                         : section.type == SHT_DYNSYM ? DT_SYMTAB
                                                      : 0;
    const DynamicTag* const found = tag == 0 ? nullptr : m_file.findTag(tag);
    return found && found->value == section.address;
  }

  /// Moves the program headers of notes; all notes of one header must move by the same distance.
  bool moveNotes(Slot& slot, Extent freed) {
    for (ProgramHeader& header : slot.programs) {
      const bool own = header.type == PT_LOAD && header.file().contains(m_table);
      if (own || header.type == PT_PHDR || header.type == PT_NULL || !overlap(header.file(), freed)) continue;
      std::optional<uint64_t> delta;
      Extent covered;
      bool same = header.type == PT_NOTE || header.type == PT_GNU_PROPERTY;
      for (const Slot::Slid& slid : slot.slid) {
        const Extent old = m_file.sections[slid.section].file();
        if (!overlap(old, header.file())) continue;
        same = same && (!delta || *delta == slid.offset - old.offset);
        if (!delta) covered = old;
        covered.size = old.end() - covered.offset;
        delta = slid.offset - old.offset;
      }
      if (!same || !delta || !covered.contains(header.file())) {
        no("a program header of type " + hexText(header.type) + " points to what is after the table");
        return false;
      }
      header.offset += *delta;
      header.address += *delta;
      header.physical += *delta;
      if ((header.align == 8 || header.align == 16) && header.address % header.align != 0) {
        no("notes after the table would lose their alignment");
        return false;
      }
    }
    return true;
  }

  bool checkAddresses(const Slot& slot, const ProgramHeader& load, Extent freed) {
    const Extent memory{load.address + (freed.offset - load.offset), freed.size};
    const auto moves = [&](uint64_t tag, uint64_t address) {
      return std::any_of(slot.moved.begin(), slot.moved.end(), [&](std::size_t i) {
        const SectionHeader& section = m_file.sections[i];
        const uint64_t own = section.type == SHT_GNU_HASH ? DT_GNU_HASH
                             : section.type == SHT_HASH   ? DT_HASH
                                                          : DT_SYMTAB;
        return own == tag && section.address == address;
      });
    };
    for (const DynamicTag& tag : m_file.dynamic)
      if (isAddress(tag) && memory.contains(tag.value) && !moves(tag.tag, tag.value)) {
        no("a dynamic entry points to what is after the table");
        return false;
      }
    // Any program may look up exported symbols.
    for (const container::Symbol& symbol : m_site.request.package.image.symbols)
      if (symbol.dynamic && symbol.defined && !symbol.absolute && symbol.type != container::SymbolType::Section &&
          memory.contains(symbol.value)) {
        no("the symbol " + quoted(symbol.name) + " is after the table");
        return false;
      }
    return true;
  }

  // --- 4. The entry of the build id is reused. ----------------------------------------------------------------------
  std::optional<Slot> note() {
    const auto& programs = m_file.programs;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (programs[i].type != PT_NOTE) continue;
      const File::Notes notes = m_file.readNotes(programs[i].file(), programs[i].align);
      const bool property = std::any_of(programs.begin(), programs.end(), [&](const ProgramHeader& other) {
        return other.type == PT_GNU_PROPERTY && other.offset == programs[i].offset;
      });
      if (!notes.buildId || notes.others || property) continue;
      std::vector<ProgramHeader> rest = programs;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      return inserted(Strategy::AppendNote, std::move(rest));
    }
    return no("no entry contains only a build id");
  }

  /// Whether the last section in memory ends where the last segment does. Otherwise the size of the segment may be
  /// damaged; without section headers it cannot be checked.
  bool isInSections(uint64_t end) const {
    return std::any_of(m_file.sections.begin(), m_file.sections.end(), [&](const SectionHeader& section) {
      const uint64_t sectionEnd = checkedAdd(section.address, section.size).value_or(0);
      return section.allocated() && sectionEnd <= end && end - sectionEnd < kPage;
    });
  }

  // --- 5. The table itself moves. -----------------------------------------------------------------------------------
  std::optional<Slot> moveTable() {
    if (!fitsCount()) return no("the table is full");
    const auto loads = m_file.loads();
    // Several loaders expect the table at the image base plus e_phoff (core/formats/containers.md 4.4), so the new
    // segment needs the same distance between address and file offset as the first one.
    if (loads.front().address < loads.front().offset)
      return no("the address of the first segment is lower than its file offset");
    const uint64_t bias = loads.front().address - loads.front().offset;
    if (bias % 4096 != 0) return no("the first segment is not aligned to pages");
    const uint64_t end = loads.back().memory().end();
    if (end < bias) return no("the last segment ends before the first one begins");
    const uint64_t padding = end - bias - std::min(end - bias, m_file.bytes.size());
    const uint64_t limit = isInSections(end) ? kMaxPadding : kMaxUnexplainedPadding;
    if (padding > limit)
      return no("moving the table to the end would pad the file with " + sizeText(padding) +
                ", more than the limit of " + sizeText(limit) +
                (limit == kMaxPadding ? "" : " for memory that is in no section"));
    Slot slot = inserted(Strategy::AppendPhdr, m_file.programs);
    slot.tableMoves = true;
    return slot;
  }

  const Site& m_site;
  const File& m_file;
  const Extent m_table;
  std::string m_reason;
};

} // namespace

Result<Slot> findSlot(const Site& site) { return SlotFinder(site).find(); }

} // namespace blobscope::write::elf
