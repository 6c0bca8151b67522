#include "core/write/elf/plan.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <algorithm>
#include <bit>

namespace blobscope::write::elf {
namespace {

/// Sections are at multiples of their alignment in the file, but no linker needs more than this.
constexpr uint64_t kMaxFileAlign = 4096;
/// The largest alignment of a section that can be kept; pages have up to 64 KiB.
constexpr uint64_t kMaxAlign = 1 << 20;
constexpr uint64_t kNewAlign = 16;
constexpr std::string_view kNameEnd = ".tvm_dev_mblob"; ///< appended to the name of the section that contained the blob
/// The number of unchanged bytes of a table that are rewritten between changed ones.
constexpr uint64_t kBridge = 64;

/// Returns the smallest number >= `from` with the same remainder as `like`. `step`: the divisor, a power of two.
uint64_t congruent(uint64_t from, uint64_t like, uint64_t step) { return from + ((like - from) & (step - 1)); }

/// Returns the new offset of something that was at `old` after `oldEnd`, when the bytes before it now end at `newEnd`.
/// Whole steps between them stay and the alignment decides the rest, so reversing the edit restores the old offset.
uint64_t placeAfter(uint64_t newEnd, uint64_t oldEnd, uint64_t old, uint64_t step) {
  return congruent(newEnd + ((old - oldEnd) & ~(step - 1)), old, step);
}

/// A range of the file that stays together.
struct Piece {
  Extent old;
  uint64_t align = 1;
  std::optional<std::size_t> section;
  bool table = false; ///< whether it is the table of section headers
  bool isNew = false; ///< whether it is the new section
  uint64_t size = 0;  ///< in the output
  uint64_t at = 0;    ///< in the output
};

struct Relocation {
  uint64_t at = 0; ///< offset of the entry in the file
  uint64_t offset = 0;
  uint64_t symbol = 0;
  uint32_t type = 0;
  uint64_t addend = 0; ///< sign-extended; 0 in REL
};

/// The range of distances from an addend's value to the addressed byte.
struct Bias {
  int64_t least = 0, most = 0;
};

/// On x86-64 addresses are relative to the end of the instruction, after a field of four bytes and an immediate operand
/// of up to four bytes; on s390 to two bytes before the field. Source: processor supplements of the System V ABI,
/// relocation types.
Bias biasOf(uint16_t machine, uint32_t type, bool code) {
  const auto isOneOf = [&](std::initializer_list<uint32_t> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (machine == EM_X86_64 && code && isOneOf({2, 4, 9, 41, 42, 43}))
    return {4, 8};                                                 // R_X86_64_PC32, PLT32, GOTPCREL and its variants
  if (machine == EM_386 && code && isOneOf({2, 4})) return {4, 8}; // R_386_PC32, PLT32
  if (machine == EM_S390 && isOneOf({16, 17, 18, 19, 20, 21, 26})) return {-2, -2}; // R_390_PC16DBL … GOTENT
  return {};
}

class Object {
public:
  explicit Object(const Site& site) : m_site(site), m_file(site.file), m_request(site.request) {}

  Result<std::optional<Plan>> plan() {
    BLOBSCOPE_CHECK(checkFile());
    BLOBSCOPE_CHECK(cutPieces());
    BLOBSCOPE_CHECK(scanSymbols());
    BLOBSCOPE_CHECK(scanRelocations());
    const bool last = m_end == home().size;
    m_appends = !last && (m_implicit || !isUnderstood());
    if (m_appends && m_request.newBlob.size <= m_site.room) return std::optional<Plan>();
    BLOBSCOPE_CHECK(m_appends ? append() : splice());
    layOut();
    if (m_size > m_file.limit())
      return refuse(DiagnosticId::PlanSize, {sizeArg("size", m_size), sizeArg("limit", m_file.limit())});
    BLOBSCOPE_CHECK(patch());
    return std::optional(write());
  }

private:
  Error refuse(DiagnosticId id, std::vector<Argument> arguments) const {
    return Error(id, std::move(arguments), m_request.blob.ref());
  }
  bool stopped(uint64_t done) const { return done % 4096 == 0 && m_request.monitor.stopRequested(); }
  const SectionHeader& home() const { return m_file.sections[m_home]; }

  // --- 1. Checks.
  Result<Done> checkFile() {
    if (!m_file.sectionsProblem.empty()) return shapeError(m_file.sectionsProblem);
    if (!m_file.programs.empty() || !m_file.programsProblem.empty())
      return shapeError("it is an object file with program headers");
    if (m_site.symbols.empty()) return shapeError("no symbol of its table labels the blob");
    m_home = m_site.symbols.front().symbol.section;
    if (m_home == 0 || m_home >= m_file.sections.size()) return shapeError("the blob's section is not in its table");
    m_start = m_site.address;
    m_end = Extent{m_start, m_site.room}.end();
    const Extent place = home().file();
    if (!place.contains(m_site.place()) || m_site.offset - place.offset != m_start)
      return shapeError("the blob is not inside its section");
    if (!home().allocated()) return refuse(DiagnosticId::PlanNoLoad, {});
    if (home().flags & (SHF_MERGE | SHF_COMPRESSED))
      return shapeError("the blob's section contains merged constants or is compressed");
    m_align = std::max<uint64_t>(home().align, 1);
    if (!std::has_single_bit(m_align) || m_align > kMaxAlign)
      return shapeError("the alignment of the blob's section is " + hexText(m_align));
    for (std::size_t i = 1; i < m_file.sections.size(); ++i) {
      const SectionHeader& section = m_file.sections[i];
      if (section.type == SHT_SYMTAB_SHNDX) return shapeError("it has an extended table of section numbers");
      if (section.type == SHT_CREL) return shapeError("its relocations are packed (CREL)");
      if (section.type != SHT_SYMTAB) continue;
      if (m_symbols) return shapeError("it has two symbol tables");
      if (section.entrySize != m_file.symbolSize())
        return shapeError("the entry size of its symbol table is " + std::to_string(section.entrySize) + " bytes");
      if (section.link >= m_file.sections.size() || m_file.sections[section.link].type != SHT_STRTAB)
        return shapeError("its symbols have no table of names");
      m_symbols = i;
    }
    return m_symbols ? Result<Done>(Done{}) : Result<Done>(shapeError("it has no symbol table"));
  }

  /// Splits the whole file into pieces that do not overlap, by offset.
  Result<Done> cutPieces() {
    const uint64_t fileSize = m_file.bytes.size();
    std::vector<Piece> named;
    for (std::size_t i = 1; i < m_file.sections.size(); ++i) {
      const SectionHeader& section = m_file.sections[i];
      if (section.type == SHT_NULL) continue;
      const Extent extent = section.file();
      if (!Extent{0, fileSize}.contains(extent))
        return shapeError("section " + std::to_string(i) + " extends past the end of the file");
      const uint64_t align = std::has_single_bit(section.align) ? std::min(section.align, kMaxFileAlign) : 1;
      named.push_back({extent, align, i, false, false, extent.size, 0});
    }
    const Extent table = m_file.sectionTable();
    named.push_back({table, m_file.wordSize(), std::nullopt, true, false, table.size, 0});
    std::stable_sort(named.begin(), named.end(), [](const Piece& a, const Piece& b) {
      return a.old.offset != b.old.offset ? a.old.offset < b.old.offset : a.old.size < b.old.size;
    });
    uint64_t done = m_file.is64 ? 64 : 52; // the file header
    m_pieces.push_back({{0, done}, 1, std::nullopt, false, false, done, 0});
    const auto keepGap = [&](uint64_t to) {
      const std::string_view gap = m_file.bytes.view().substr(done, to - done);
      const std::size_t last = gap.find_last_not_of('\0');
      if (last != std::string_view::npos)
        m_pieces.push_back({{done, last + 1}, 1, std::nullopt, false, false, last + 1, 0});
    };
    for (const Piece& piece : named) {
      if (piece.old.offset < done) {
        if (piece.old.size > 0) return shapeError("its parts overlap at " + hexText(piece.old.offset));
      } else {
        keepGap(piece.old.offset);
        done = piece.old.end();
      }
      m_pieces.push_back(piece);
    }
    if (fileSize > done)
      m_pieces.push_back({{done, fileSize - done}, 1, std::nullopt, false, false, fileSize - done, 0});
    return Done{};
  }

  // --- 2. References to the blob's section. Determines m_next, the first byte after the blob that anything refers to.
  Result<Done> scanSymbols() {
    const SectionHeader& table = m_file.sections[m_symbols.value()];
    m_symbolCount = table.size / m_file.symbolSize();
    if (m_symbolCount > limits::kSymbols)
      return shapeError("it has more than " + groupedText(limits::kSymbols) + " symbols");
    m_next = home().size;
    for (uint64_t i = 1; i < m_symbolCount; ++i) {
      if (stopped(i)) return Error(DiagnosticId::Cancelled, {});
      const uint64_t at = table.offset + i * m_file.symbolSize();
      const Symbol symbol = m_file.symbol(at);
      if (symbol.section != m_home) continue;
      if (symbol.value > m_start && symbol.value < m_end)
        return shapeError("symbol " + std::to_string(i) + " labels a place inside the blob");
      if (symbol.value >= m_end) m_next = std::min(m_next, symbol.value);
      // Local labels without a size come from the assembler.
      const bool isLabel = !isOfSection(symbol) && (symbol.size > 0 || symbol.info >> 4 != 0);
      if (symbol.value == m_start && isLabel && !isBlobSymbol(at)) m_references.add(m_site.offset, "symbol");
    }
    return Done{};
  }

  static bool isOfSection(const Symbol& symbol) { return (symbol.info & 15) == STT_SECTION; }

  bool isBlobSymbol(uint64_t at) const {
    return std::any_of(m_site.symbols.begin(), m_site.symbols.end(),
                       [&](const SymbolPlace& place) { return place.offset == at; });
  }

  /// Whether the meaning of addends is known for the processor.
  bool isUnderstood() const {
    constexpr uint16_t kKnown[] = {EM_X86_64, EM_AARCH64, EM_PPC, EM_PPC64, EM_S390, EM_RISCV};
    return std::find(std::begin(kKnown), std::end(kKnown), m_file.machine) != std::end(kKnown);
  }

  template <class Function> Result<Done> forEachRelocation(const SectionHeader& section, Function function) const {
    const bool withAddend = section.type == SHT_RELA, isMips = m_file.machine == EM_MIPS && m_file.is64;
    const uint64_t word = m_file.wordSize(), size = word * (withAddend ? 3 : 2);
    if (section.size == 0) return Done{};
    if (section.entrySize != size)
      return shapeError("the entry size of its relocations is " + std::to_string(section.entrySize) + " bytes");
    if (section.link != m_symbols || section.info >= m_file.sections.size())
      return shapeError("relocations belong to no section or other symbols");
    for (uint64_t i = 0; i < section.size / size; ++i) {
      if (stopped(i)) return Error(DiagnosticId::Cancelled, {});
      Relocation entry;
      entry.at = section.offset + i * size;
      entry.offset = m_file.word(entry.at);
      const uint64_t info = m_file.word(entry.at + word);
      entry.symbol = m_file.is64 ? info >> 32 : info >> 8;
      entry.type = static_cast<uint32_t>(m_file.is64 ? info & UINT32_MAX : info & 0xff);
      if (isMips) { // separate fields in both byte orders; MIPS ELF64 specification, 2.9
        entry.symbol = m_file.number(entry.at + 8, 4);
        entry.type = static_cast<uint32_t>(m_file.number(entry.at + 15, 1));
      }
      if (withAddend) entry.addend = m_file.is64 ? m_file.word(entry.at + 16) : signExtended(m_file.word(entry.at + 8));
      if (entry.symbol >= m_symbolCount && entry.symbol != 0)
        return shapeError("a relocation names symbol " + std::to_string(entry.symbol) + ", which does not exist");
      BLOBSCOPE_CHECK(function(entry));
    }
    return Done{};
  }

  /// Sign-extends the number in the lowest `bits` bits.
  static uint64_t signExtended(uint64_t word, unsigned bits = 32) {
    const uint64_t sign = uint64_t{1} << (bits - 1);
    return ((word & (2 * sign - 1)) ^ sign) - sign;
  }

  Symbol symbolOf(const Relocation& entry) const {
    if (entry.symbol == 0) return {};
    return m_file.symbol(m_file.sections[m_symbols.value()].offset + entry.symbol * m_file.symbolSize());
  }

  enum class Side { Before, Inside, After };
  /// Returns the side of the blob to which `target` refers; the first byte of the blob counts as before.
  Side sideOf(uint64_t target, Bias bias) const {
    const auto with = [&](int64_t more) { return static_cast<int64_t>(target + static_cast<uint64_t>(more)); };
    if (with(bias.least) <= static_cast<int64_t>(m_start)) return Side::Before;
    return with(bias.most) >= static_cast<int64_t>(m_end) ? Side::After : Side::Inside;
  }

  /// The effect of the move on a relocation with an addend. `turns`: the factor of the shift that is added to the
  /// addend; -1 when its symbol moves and its target does not. `after`: the lowest offset in the blob's section to
  /// which it may refer.
  struct Effect {
    int turns = 0;
    uint64_t after = UINT64_MAX;
  };
  /// Returns REP-REL when the relocation refers to a byte inside the blob.
  Result<Effect> effectOf(const SectionHeader& table, const Relocation& entry) const {
    const SectionHeader& patched = m_file.sections[table.info];
    const bool isSize = m_file.machine == EM_X86_64 && (entry.type == 32 || entry.type == 33); // R_X86_64_SIZE…
    if (entry.type == 0 || isSize) return Effect{};
    const Symbol symbol = symbolOf(entry);
    if (symbol.section != m_home) return Effect{};
    const Bias bias = biasOf(m_file.machine, entry.type, patched.flags & SHF_EXECINSTR);
    const uint64_t target = symbol.value + entry.addend;
    const Side side = sideOf(target, bias);
    if (!isOfSection(symbol)) {
      // The symbol's own bytes: the blob up to the stream after its length word, or data after the blob.
      const auto addend = static_cast<int64_t>(entry.addend);
      if (symbol.value == m_start && addend >= -8 && addend <= 8) return Effect{};
      if (symbol.value >= m_end) return Effect{side == Side::Before ? -1 : 0, UINT64_MAX};
    }
    if (side == Side::Inside)
      return refuse(DiagnosticId::PlanRelocation, {hexArg("at", patched.offset + entry.offset)});
    if (side == Side::Before) return Effect{};
    return Effect{1, std::max(m_end, target + static_cast<uint64_t>(bias.least))};
  }

  Result<Done> scanRelocations() {
    for (const SectionHeader& table : m_file.sections) {
      if (table.type != SHT_REL && table.type != SHT_RELA) continue;
      BLOBSCOPE_CHECK(forEachRelocation(table, [&](const Relocation& entry) -> Result<Done> {
        if (table.info == m_home) {
          if (entry.offset >= m_start && entry.offset < m_end)
            return refuse(DiagnosticId::PlanRelocation, {hexArg("at", home().offset + entry.offset)});
          if (entry.offset >= m_end) m_next = std::min(m_next, entry.offset);
        }
        if (table.type == SHT_RELA) {
          BLOBSCOPE_TRY(effect, effectOf(table, entry));
          m_next = std::min(m_next, effect.after);
          // If the blob gets a separate section, relocations against the old section's symbol do not follow it.
          const Symbol symbol = symbolOf(entry);
          if (symbol.section == m_home && isOfSection(symbol) && symbol.value + entry.addend == m_start)
            m_references.add(m_file.sections[table.info].offset + entry.offset, "relocation");
          return Done{};
        }
        return scanImplicit(table, entry);
      }));
    }
    const Extent rest{home().offset + m_end, m_next - m_end};
    const std::size_t content = m_file.bytes.slice(rest.offset, rest.size).view().find_first_not_of('\0');
    if (content != std::string_view::npos) m_next = m_end + content;
    return Done{};
  }

  /// REL: the relocated bytes contain the addend, in a form that depends on the type.
  Result<Done> scanImplicit(const SectionHeader& table, const Relocation& entry) {
    const Symbol symbol = symbolOf(entry);
    if (entry.type == 0 || symbol.section != m_home || !isOfSection(symbol)) return Done{};
    m_implicit = true;
    const SectionHeader& patched = m_file.sections[table.info];
    const uint64_t word = m_file.number(Extent{patched.offset, entry.offset}.end(), 4);
    std::optional<uint64_t> addend;
    if (m_file.machine == EM_ARM) {
      // ELF for the Arm Architecture, "Relocation": ABS32, REL32, GOTOFF32, TARGET1, PREL31; the halves of MOVW and
      // MOVT, in ARM and Thumb instructions.
      constexpr uint32_t kWords[] = {2, 3, 24, 38, 42};
      if (std::find(std::begin(kWords), std::end(kWords), entry.type) != std::end(kWords))
        addend = signExtended(word, entry.type == 42 ? 31 : 32);
      if (entry.type >= 43 && entry.type <= 46) addend = signExtended((word >> 4 & 0xf000) | (word & 0xfff), 16);
      if (entry.type >= 47 && entry.type <= 50)
        addend =
            signExtended((word & 0xf) << 12 | (word >> 10 & 1) << 11 | (word >> 28 & 7) << 8 | (word >> 16 & 0xff), 16);
    } else if (m_file.machine == EM_386 && !(entry.type >= 20 && entry.type <= 23)) {
      addend = signExtended(word); // all but R_386_16, PC16, 8, PC8
    }
    const Bias bias = biasOf(m_file.machine, entry.type, patched.flags & SHF_EXECINSTR);
    const uint64_t target = symbol.value + addend.value_or(0) + static_cast<uint64_t>(bias.least);
    // An unreadable addend may refer to the blob.
    if (!addend || (target >= m_start && target < m_end)) m_references.add(patched.offset + entry.offset, "relocation");
    return Done{};
  }

  // --- 3. The two ways.
  Result<Done> splice() {
    const uint64_t newEnd = m_start + m_request.newBlob.size;
    const bool onlyZeros = m_next == home().size; // after the blob, if anything
    m_newNext = placeAfter(newEnd, m_end, m_next, onlyZeros ? 1 : m_align);
    m_shift = m_newNext - m_next;
    for (Piece& piece : m_pieces)
      if (piece.section == m_home) piece.size += m_shift;
    return Done{};
  }

  Result<Done> append() {
    if (home().flags & SHF_GROUP)
      return shapeError("the blob's section belongs to a group, and its relocations contain no addends (REL)");
    if (m_file.sections.size() + 1 >= SHN_LORESERVE) return shapeError("it has 65,280 sections or more");
    BLOBSCOPE_CHECK(m_references.checkNone(m_request.blob.ref(), m_request.options.force, m_consequences));
    // 1. Its name, if there are names.
    SectionHeader header{
        0, SHT_PROGBITS, home().flags & (SHF_ALLOC | SHF_WRITE), 0, 0, m_request.newBlob.size, 0, 0, kNewAlign, 0};
    const std::size_t names = m_file.namesIndex;
    if (names > 0 && names < m_file.sections.size() && m_file.sections[names].type == SHT_STRTAB &&
        m_file.sections[names].size > 0) {
      const Extent place = m_file.sections[names].file();
      const std::string_view table = m_file.bytes.view().substr(place.offset, place.size);
      const std::string wanted = std::string(m_file.sectionName(home())) + std::string(kNameEnd) + '\0';
      const std::size_t found = findBytes(table, wanted, 0);
      if (found == std::string_view::npos) {
        if (!table.empty() && table.back() != '\0') m_moreNames = std::string(1, '\0');
        header.name = static_cast<uint32_t>(place.size + m_moreNames.size());
        m_moreNames += wanted;
      } else {
        header.name = static_cast<uint32_t>(found);
      }
    }
    // 2. Its bytes, before the section headers when these are last, and its header.
    m_newSection = header;
    const bool tableIsLast = m_pieces.back().table;
    for (Piece& piece : m_pieces) {
      if (piece.section == names && names > 0) piece.size += m_moreNames.size();
      if (piece.table) piece.size += m_file.sectionSize();
    }
    m_pieces.insert(m_pieces.end() - (tableIsLast ? 1 : 0),
                    {{}, kNewAlign, std::nullopt, false, true, m_request.newBlob.size, 0});
    return Done{};
  }

  // --- 4. Offsets of all pieces, and the fields that store them.
  void layOut() {
    uint64_t oldEnd = 0, newEnd = 0;
    for (Piece& piece : m_pieces) {
      if (piece.isNew) {
        piece.at = congruent(newEnd, 0, kNewAlign);
        newEnd = piece.at + piece.size;
      } else if (piece.old.offset < oldEnd) {
        // An empty piece inside another one: it keeps its position there.
        piece.at = piece.old.offset <= m_site.offset ? piece.old.offset : newEnd - (oldEnd - piece.old.offset);
      } else {
        piece.at = placeAfter(newEnd, oldEnd, piece.old.offset, piece.align);
        oldEnd = piece.old.end();
        newEnd = piece.at + piece.size;
      }
    }
    m_size = newEnd;
  }

  Result<Done> patch() {
    std::vector<SectionHeader> headers = m_file.sections;
    uint64_t tableAt = m_file.sectionsOffset;
    for (const Piece& piece : m_pieces) {
      if (piece.table) tableAt = piece.at;
      if (piece.isNew) m_newSection->offset = m_blobAt = piece.at;
      if (!piece.section) continue;
      headers[*piece.section].offset = piece.at;
      if (headers[*piece.section].type != SHT_NOBITS) headers[*piece.section].size = piece.size;
    }
    if (!m_appends) m_blobAt = m_site.offset;
    const auto field = [&](HeaderField which, uint64_t value) {
      const Extent where = m_file.place(which);
      m_patches.set(m_file, where.offset, m_file.encode(value, where.size), "file header");
    };
    field(HeaderField::SectionsOffset, tableAt);
    if (m_appends) field(HeaderField::SectionCount, headers.size() + 1);
    const std::size_t before = m_patches.size();
    for (std::size_t i = 1; i < headers.size(); ++i)
      m_patches.set(m_file, m_file.sectionsOffset + i * m_file.sectionSize(), m_file.encode(headers[i]),
                    "section headers");
    m_headersChanged = m_patches.size() - before + (m_appends ? 1 : 0);
    if (m_appends && m_request.options.scrub) m_patches.zeros(m_site.offset, m_site.room, "old blob");
    BLOBSCOPE_CHECK(patchSymbols());
    if (m_shift != 0) BLOBSCOPE_CHECK(patchRelocations());
    flush();
    return m_patches.settle({0, m_file.bytes.size()});
  }

  /// Adds a changed entry of a table. Entries must be added in ascending order; close ones become one patch.
  void change(uint64_t offset, const std::string& bytes, const char* why) {
    if (m_file.bytes.slice(offset, bytes.size()).view() == bytes) return;
    const uint64_t runEnd = m_runAt + m_run.size();
    if (m_run.empty() || m_runWhy != why || offset < runEnd || offset - runEnd > kBridge) {
      flush();
      m_runAt = offset;
      m_runWhy = why;
    } else {
      m_run += m_file.bytes.slice(runEnd, offset - runEnd).view();
    }
    m_run += bytes;
  }

  void flush() {
    if (!m_run.empty()) m_patches.set(m_file, m_runAt, std::move(m_run), m_runWhy);
    m_run.clear();
  }

  Result<Done> patchSymbols() {
    const uint64_t first = m_file.sections[m_symbols.value()].offset, size = m_file.symbolSize();
    for (uint64_t i = 1; i < m_symbolCount; ++i) {
      if (stopped(i)) return Error(DiagnosticId::Cancelled, {});
      const uint64_t at = first + i * size;
      Symbol symbol = m_file.symbol(at);
      if (symbol.section != m_home) continue;
      if (symbol.value == m_start && isBlobSymbol(at)) {
        if (symbol.size > 0) symbol.size = m_request.newBlob.size; // 0 means that it has no size
        if (m_appends) {
          symbol.value = 0;
          symbol.section = static_cast<uint16_t>(m_file.sections.size());
        }
        change(at, m_file.encode(symbol), "symbol");
      } else if (symbol.value >= m_end && m_shift != 0) {
        symbol.value += m_shift;
        ++m_symbolsMoved;
        change(at, m_file.encode(symbol), "symbol");
      }
    }
    flush();
    return Done{};
  }

  Result<Done> patchRelocations() {
    const uint64_t word = m_file.wordSize();
    for (const SectionHeader& table : m_file.sections) {
      if (table.type != SHT_REL && table.type != SHT_RELA) continue;
      BLOBSCOPE_CHECK(forEachRelocation(table, [&](const Relocation& entry) -> Result<Done> {
        uint64_t offset = entry.offset, addend = entry.addend;
        if (table.info == m_home && offset >= m_end) offset += m_shift;
        if (table.type == SHT_RELA) {
          BLOBSCOPE_TRY(effect, effectOf(table, entry));
          addend += static_cast<uint64_t>(effect.turns) * m_shift;
        }
        if (offset == entry.offset && addend == entry.addend) return Done{};
        ++m_relocationsMoved;
        const std::string_view info = m_file.bytes.slice(entry.at + word, word).view();
        const std::string addendBytes = table.type == SHT_RELA ? m_file.encode(addend, word) : std::string();
        change(entry.at, m_file.encode(offset, word) + std::string(info) + addendBytes, "relocation");
        return Done{};
      }));
      flush();
    }
    return Done{};
  }

  // --- 5. The output, its steps and consequences.
  Plan write() {
    PlanBuilder builder;
    std::vector<Extent> moved; // in the output; few, since the shift only changes at pieces with another size
    bool isMoved = false;
    const auto noteMoved = [&](uint64_t from, bool now) {
      if (now && !isMoved) moved.push_back({from, 0});
      if (now) moved.back().size = builder.position() - moved.back().offset;
      isMoved = now;
    };
    uint64_t oldEnd = 0;
    for (const Piece& piece : m_pieces) {
      if (piece.size == 0) continue;
      // Unchanged padding is copied.
      const uint64_t gap = piece.at - builder.position(), from = builder.position();
      if (!piece.isNew && gap == piece.old.offset - oldEnd)
        builder.input({oldEnd, gap});
      else
        builder.zeros(gap, "padding");
      if (piece.isNew) {
        builder.blob(m_request.newBlob);
        isMoved = false;
        continue;
      }
      oldEnd = piece.old.end();
      if (piece.section == m_home && !m_appends) {
        m_patches.addPatched(builder, {piece.old.offset, m_start});
        builder.blob(m_request.newBlob);
        builder.zeros(m_newNext - m_start - m_request.newBlob.size, "padding after the blob");
        const uint64_t tail = builder.position();
        m_patches.addPatched(builder, {piece.old.offset + m_next, piece.old.size - m_next});
        noteMoved(tail, m_shift != 0);
      } else {
        m_patches.addPatched(builder, piece.old);
        noteMoved(from, piece.at != piece.old.offset);
      }
      if (m_newSection && piece.table) builder.literal(Bytes::copyOf(m_file.encode(*m_newSection)), "section headers");
      if (m_newSection && piece.section == m_file.namesIndex)
        builder.literal(Bytes::copyOf(m_moreNames), "section names");
    }
    explain(builder);
    Plan plan = builder.take({m_appends ? Strategy::AppendSection : Strategy::Resize});
    for (const Extent& extent : moved) addMoved(plan, extent);
    describeRanges(plan);
    if (m_appends)
      plan.consequences.push_back({m_request.options.scrub ? DiagnosticId::PlanScrubbed : DiagnosticId::PlanDead,
                                   {},
                                   {sizeArg("size", m_site.room)}});
    plan.consequences.insert(plan.consequences.end(), m_consequences.begin(), m_consequences.end());
    return plan;
  }

  void explain(PlanBuilder& builder) const {
    const uint64_t blobEnd = m_blobAt + m_request.newBlob.size, symbols = m_site.symbols.size() * m_file.symbolSize();
    if (m_appends) {
      builder.step("Copy the file", 0, m_file.bytes.size(), "except for the changes below");
      if (m_request.options.scrub)
        builder.step("Fill the old place with zeros", m_site.offset, m_site.room, "requested");
      builder.step("Write the new blob", m_blobAt, m_request.newBlob.size,
                   "in a separate section: it does not fit in the old place");
      builder.step("Change the symbol", std::nullopt, symbols, "linkers find the new blob by it");
    } else {
      builder.step("Copy the file up to the blob", 0, m_site.offset, "except for the changes below");
      builder.step("Write the new blob", m_blobAt, m_request.newBlob.size, "its section can have any size");
      if (m_size > blobEnd)
        builder.step("Copy the rest of the file", blobEnd, m_size - blobEnd, "it follows the end of the blob");
      builder.step("Change the symbol", std::nullopt, symbols, "it states the size");
    }
    if (m_symbolsMoved > 0)
      builder.step("Move symbols", std::nullopt, m_symbolsMoved * m_file.symbolSize(),
                   "they point to data after the blob in its section");
    if (m_relocationsMoved > 0)
      builder.step("Change relocations", std::nullopt, std::nullopt,
                   countText(m_relocationsMoved, "relocation") +
                       (m_relocationsMoved == 1 ? " is after the blob in its section, or points there"
                                                : " are after the blob in its section, or point there"));
    builder.step("Change section headers", std::nullopt, m_headersChanged * m_file.sectionSize(),
                 m_appends ? "one new section, and moved sections"
                           : "sizes and offsets of the blob's section and of what follows it");
  }

  void describeRanges(Plan& plan) const {
    using enum PlanRange::Kind;
    const uint64_t oldEnd = m_site.place().end();
    addRange(plan.before, Other, m_site.offset);
    plan.after = plan.before;
    addRange(plan.before, Blob, m_site.room);
    addRange(plan.before, Other, m_file.bytes.size() - oldEnd);
    if (m_appends) {
      addRange(plan.after, DeadBlob, m_site.room);
      addRange(plan.after, Other, m_blobAt - oldEnd);
    }
    addRange(plan.after, Blob, m_request.newBlob.size);
    addRange(plan.after, Other, plan.size() - m_blobAt - m_request.newBlob.size);
  }

  const Site& m_site;
  const File& m_file;
  const PlanRequest& m_request;

  std::size_t m_home = 0;               ///< index of the section that contains the blob
  std::optional<std::size_t> m_symbols; ///< section index of the symbol table
  uint64_t m_symbolCount = 0;
  uint64_t m_start = 0, m_end = 0;    ///< offsets of the blob in its section
  uint64_t m_align = 1;               ///< alignment of that section
  uint64_t m_next = 0, m_newNext = 0; ///< offset of the first byte in use after the blob, in its section
  uint64_t m_shift = 0;               ///< shift of the bytes after the blob, modulo 2⁶⁴
  bool m_implicit = false;            ///< the relocated bytes contain the addends of relocations against the section
  bool m_appends = false;
  References m_references; ///< that would refer to the old place
  std::vector<Piece> m_pieces;
  std::optional<SectionHeader> m_newSection;
  std::string m_moreNames;
  uint64_t m_blobAt = 0, m_size = 0; ///< in the output
  Patches m_patches;
  std::string m_run; ///< changed entries that are not yet a patch
  uint64_t m_runAt = 0;
  const char* m_runWhy = "";
  uint64_t m_headersChanged = 0, m_symbolsMoved = 0, m_relocationsMoved = 0;
  std::vector<Diagnostic> m_consequences;
};

} // namespace

Result<std::optional<Plan>> planObject(const Site& site) { return Object(site).plan(); }

} // namespace blobscope::write::elf
