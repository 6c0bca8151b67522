#include "core/base/text.h"
#include "core/container/carrier.h"
#include "core/write/macho/fixups.h"
#include "core/write/macho/plan.h"
#include "core/write/macho/signature.h"
#include "core/write/macho/trie.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write::macho {
namespace {

constexpr uint64_t kLimit = UINT32_MAX; ///< all offsets of __LINKEDIT have 32 bits
constexpr uint64_t kCommandWithSection = kSegmentSize + kSectionSize;
constexpr std::size_t kMostNames = 256;
constexpr uint64_t kBuildVersionSize = 24; ///< ends with the number of tools, which follow

/// Load commands without file offsets, in addition to those with known tables.
constexpr uint32_t kWithoutOffsets[] = {LC_LOAD_DYLIB,
                                        LC_ID_DYLIB,
                                        LC_LOAD_DYLINKER,
                                        LC_ID_DYLINKER,
                                        LC_SUB_FRAMEWORK,
                                        LC_SUB_UMBRELLA,
                                        LC_SUB_CLIENT,
                                        LC_SUB_LIBRARY,
                                        LC_PREBIND_CKSUM,
                                        LC_ROUTINES_64,
                                        LC_UUID,
                                        LC_LAZY_LOAD_DYLIB,
                                        LC_ENCRYPTION_INFO,
                                        LC_VERSION_MIN_MACOSX,
                                        LC_VERSION_MIN_IPHONEOS,
                                        LC_DYLD_ENVIRONMENT,
                                        LC_SOURCE_VERSION,
                                        LC_ENCRYPTION_INFO_64,
                                        LC_LINKER_OPTION,
                                        LC_VERSION_MIN_TVOS,
                                        LC_VERSION_MIN_WATCHOS,
                                        LC_BUILD_VERSION,
                                        LC_TARGET_TRIPLE,
                                        LC_LOAD_WEAK_DYLIB,
                                        LC_RPATH,
                                        LC_REEXPORT_DYLIB,
                                        LC_LOAD_UPWARD_DYLIB,
                                        LC_SEGMENT,
                                        LC_SEGMENT_64};

class Image {
public:
  explicit Image(const Site& site) : m_site(site), m_file(site.file), m_request(site.request) {}

  Result<Plan> plan() {
    BLOBSCOPE_CHECK(checkFile());
    BLOBSCOPE_CHECK(checkCommands());
    m_own = findOwnSegment(m_site);
    if (!m_own && m_file.findSegment(kBlobSegment)) return shape("its segment __TVM_BLOB contains other data");
    for (const Command& command : m_file.commands) m_kept.push_back(command.place.size);
    BLOBSCOPE_CHECK(readOldSignature());
    BLOBSCOPE_CHECK(findRoom());
    BLOBSCOPE_CHECK(place());
    BLOBSCOPE_CHECK(moveSymbols());
    BLOBSCOPE_CHECK(checkReferences());
    BLOBSCOPE_CHECK(addToFixups());
    BLOBSCOPE_CHECK(layOut());
    makeHead();
    return write();
  }

private:
  Error refuse(DiagnosticId id, std::vector<Argument> arguments) const {
    return Error(id, std::move(arguments), m_request.blob.ref());
  }
  Error shape(std::string reason) const { return layoutError(m_request.package, std::move(reason)); }

  /// A table with new bytes.
  struct Content {
    const Table* table;
    std::string bytes;
    const char* why;
  };
  /// A range of __LINKEDIT in the output.
  struct Run {
    Extent input;
    const Content* content = nullptr; ///< replaces the range
    uint64_t zeros = 0;               ///< number of zeros after it
    uint64_t offset = 0;              ///< offset in the output
    uint64_t size() const { return (content ? content->bytes.size() : input.size) + zeros; }
  };

  // --- 1. Checks. Nothing is changed before all of them have passed. ------------------------------------------------
  Result<Done> checkFile() {
    const auto type = [&](const char* reason) { return refuse(DiagnosticId::PlanType, {arg("reason", reason)}); };
    if (!m_file.is64 || m_file.bigEndian) return type("it is a 32-bit or big-endian Mach-O file");
    if (m_file.fileType == MH_EXECUTE) return type("it is an executable, whose code contains the blob's address");
    if (m_file.fileType != MH_DYLIB && m_file.fileType != MH_BUNDLE)
      return type("it is not a dynamic library or bundle");
    if (m_file.cpuType != CPU_TYPE_X86_64 && m_file.cpuType != CPU_TYPE_ARM64)
      return type("code of its processor cannot be checked");
    if (m_file.flags & MH_DYLIB_IN_CACHE) return type("it was taken from the shared cache");
    if (m_file.encryption.cipher != 0) return shape("it is encrypted");
    if (!m_file.sectionsFit) return shape("section headers do not fill their load commands");
    if (!m_file.isUsual()) return shape("it has more load commands or tables than any file has");
    m_page = m_file.cpuType == CPU_TYPE_ARM64 ? 16'384 : 4'096;

    const uint64_t size = m_file.bytes.size();
    if (m_file.segments.size() < 2 || m_file.segments.back().name != kLinkeditName ||
        m_file.segments.back().sections != 0)
      return shape("__LINKEDIT is not its last segment");
    m_linkedit = &m_file.segments.back();
    uint64_t address = 0, offset = 0;
    const Segment* header = nullptr;
    for (const Segment& segment : m_file.segments) {
      if (segment.address < address || !checkedAdd(segment.address, segment.memorySize))
        return shape("its segments overlap in memory or are not in ascending order");
      address = segment.memory().end();
      if (segment.file.size > segment.memorySize)
        return shape("segment '" + escaped(segment.name) + "' has more bytes in the file than in memory");
      if (segment.file.size == 0) continue;
      if (segment.file.offset < offset || !Extent{0, size}.contains(segment.file))
        return shape("its segments overlap in the file or are not in ascending order");
      offset = segment.file.end();
      if (segment.file.offset == 0) header = &segment;
    }
    if (!header || header->file.size < m_file.head.end()) return shape("no segment begins with its header");
    m_base = header->address;
    if (m_linkedit->file.size == 0 || m_linkedit->file.end() != size)
      return shape("__LINKEDIT is not the end of the file");
    if (m_linkedit->file.offset % m_page != 0 || m_linkedit->address % m_page != 0)
      return shape("__LINKEDIT does not begin with a page of " + sizeText(m_page));
    if (m_site.room.end() > m_linkedit->file.offset || m_site.address < m_base ||
        m_file.offsetOf(m_site.address, m_site.room.size) != std::optional(m_site.room.offset))
      return refuse(DiagnosticId::PlanNoLoad, {});
    return Done{};
  }

  /// Refuses unknown load commands, because their offsets could not be updated.
  Result<Done> checkCommands() const {
    for (std::size_t i = 0; i < m_file.commands.size(); ++i) {
      const Command& command = m_file.commands[i];
      if (std::find(std::begin(kWithoutOffsets), std::end(kWithoutOffsets), command.id) != std::end(kWithoutOffsets))
        continue;
      if (std::any_of(m_file.tables.begin(), m_file.tables.end(),
                      [&](const Table& table) { return table.command == i; }))
        continue;
      for (uint64_t at = command.place.offset + 8; at + 4 <= command.place.end(); at += 4)
        if (const uint64_t value = m_file.number(at); value >= m_linkedit->file.offset && value <= m_file.bytes.size())
          return shape("load command " + hexText(command.id) + " is unknown and may have an offset at " + hexText(at));
    }
    return Done{};
  }

  Result<Done> readOldSignature() {
    const Table* const table = m_file.findTable(Role::Signature);
    if (!table) return Done{};
    if (table->file.end() != m_file.bytes.size()) return shape("its code signature is not the end of the file");
    if (m_request.options.signature == PlanOptions::Signature::Remove) {
      m_kept[table->command] = 0;
      return Done{};
    }
    m_oldSignature = readSignature(m_file.text(), table->file);
    if (m_oldSignature.kind == Signature::Kind::AdHoc || m_request.options.signature == PlanOptions::Signature::AdHoc) {
      m_signature = table;
      return Done{};
    }
    return m_oldSignature.kind == Signature::Kind::Identity ? refuse(DiagnosticId::PlanSigned, {})
                                                            : shape(m_oldSignature.reason);
  }

  // --- 2. Room for an additional load command. Source: core/formats/containers.md 6.3 (1). ---------------------------
  Result<Done> findRoom() {
    uint64_t first = m_site.room.offset;
    for (const Segment& segment : m_file.segments)
      if (segment.file.offset != 0 && segment.file.size > 0) first = std::min(first, segment.file.offset);
    for (const Section& section : m_file.sections)
      if (section.offset != 0) first = std::min<uint64_t>(first, section.offset);
    const uint64_t end = m_file.head.end();
    if (first < end) return shape("a section overlaps the load commands");
    const std::string_view spare = m_file.text().substr(end, first - end);
    m_headRoom = std::min(spare.find_first_not_of('\0'), spare.size());
    for (std::size_t i = 0; i < m_kept.size(); ++i) m_headRoom += m_file.commands[i].place.size - m_kept[i];
    if (m_own) {
      m_hasSection = m_own->sections == 1;
      return Done{};
    }
    m_hasSection = m_headRoom >= kCommandWithSection && m_file.sections.size() < MAX_SECT;
    if (m_hasSection) return Done{};
    // Parts that are not needed to load the file, in this order: commands, then the names of the build tools (Go's
    // linker writes none either). New systems check LC_UUID.
    const uint64_t had = m_headRoom;
    for (const uint32_t id : {LC_SOURCE_VERSION, LC_DATA_IN_CODE, LC_FUNCTION_STARTS, LC_BUILD_VERSION})
      for (std::size_t i = 0; i < m_file.commands.size() && m_headRoom < kSegmentSize; ++i) {
        const auto filled = [&](const Table& table) { return table.command == i && table.file.size > 0; };
        if (m_file.commands[i].id != id || m_kept[i] == 0) continue;
        if (id == LC_DATA_IN_CODE && std::any_of(m_file.tables.begin(), m_file.tables.end(), filled)) continue;
        const uint64_t kept = id == LC_BUILD_VERSION ? std::min(m_kept[i], kBuildVersionSize) : 0;
        m_headRoom += m_kept[i] - kept;
        m_kept[i] = kept;
      }
    if (m_headRoom < kSegmentSize)
      return refuse(DiagnosticId::PlanHeaderPad, {sizeArg("needed", kSegmentSize), sizeArg("room", had)});
    return Done{};
  }

  // --- 3. The places of the blob and __LINKEDIT. --------------------------------------------------------------------
  Error tooLarge(uint64_t size) const {
    return refuse(DiagnosticId::PlanSize, {sizeArg("size", size), sizeArg("limit", kLimit)});
  }

  Result<Done> place() {
    const Segment& at = m_own ? *m_own : *m_linkedit;
    m_start = at.file.offset;
    m_startAddress = at.address;
    if (m_request.newBlob.size > kLimit) return tooLarge(Extent{m_file.bytes.size(), m_request.newBlob.size}.end());
    m_segmentSize = *roundedUp(m_request.newBlob.size, m_page);
    m_linkeditStart = m_start + m_segmentSize;
    // 2³³ is more than __LINKEDIT can ever have.
    if (m_linkeditStart > kLimit) return tooLarge(m_linkeditStart);
    if (!checkedAdd(m_startAddress, m_segmentSize + (uint64_t{1} << 33)))
      return shape("__LINKEDIT is at the end of the address space");
    return Done{};
  }

  // --- 4. The names of the blob: symbols, export trie. --------------------------------------------------------------
  Result<Done> moveSymbols() {
    const auto because = [&](const char* reason) { return refuse(DiagnosticId::PlanSymbol, {arg("reason", reason)}); };
    BLOBSCOPE_TRY(symbols, findBlobSymbols(m_file, m_request.package, m_site.address, 0, m_request.monitor));
    const bool external =
        std::any_of(symbols.begin(), symbols.end(), [](const SymbolPlace& symbol) { return symbol.external; });
    const uint64_t ordinal = m_file.sections.size() + 1;
    for (const SymbolPlace& symbol : symbols) {
      if (m_own) break;
      m_edits.push_back(moveSymbol(m_file, symbol, m_hasSection ? ordinal : symbol.section, m_startAddress));
    }
    const Table* const table = m_file.findTable(Role::ExportTrie);
    if (!table)
      return external ? Result<Done>(Done{})
                      : because("the library does not export it, so its new address cannot be stated anywhere");
    if (!Extent{0, m_file.bytes.size()}.contains(table->file))
      return shape("its export trie extends past the end of the file");
    BLOBSCOPE_TRY(trie, Trie::read(m_file.text().substr(table->file.offset, table->file.size), m_request.monitor));
    const auto found = trie.exportsAt(m_site.address - m_base, kMostNames);
    if (found.size() > kMostNames)
      return shape("more than " + std::to_string(kMostNames) + " names are exported for one address");
    bool moved = false;
    for (const Trie::Export& name : found) {
      if (!container::matchCarrier(name.name)) continue;
      if (!name.plain) return because("it is not exported as a definition");
      trie.setAddress(name, m_startAddress - m_base);
      moved = true;
    }
    if (!moved) return because("the library does not export it, so its new address cannot be stated anywhere");
    if (m_own) return Done{};
    BLOBSCOPE_TRY(bytes, trie.build());
    m_contents.push_back({table, std::move(bytes), "export trie"});
    return Done{};
  }

  // --- 5. Other stale references. -----------------------------------------------------------------------------------
  Result<Done> checkReferences() {
    if (m_own) return Done{};
    BLOBSCOPE_TRY(found, findReferences(m_file, m_request.package, {m_site.address, m_site.room.size}, m_base,
                                        m_request.monitor));
    return found.checkNone(m_request.blob.ref(), m_request.options.force, m_consequences);
  }

  Result<Done> addToFixups() {
    const Table* const table = m_file.findTable(Role::ChainedFixups);
    if (!table || m_own) return Done{};
    BLOBSCOPE_TRY(bytes, addSegmentToFixups(m_file, *table));
    m_contents.push_back({table, std::move(bytes), "chained fixups"});
    return Done{};
  }

  // --- 6. The tables of __LINKEDIT in their order. ------------------------------------------------------------------
  Result<Done> layOut() {
    BLOBSCOPE_TRY(tables, tablesByPlace());
    BLOBSCOPE_CHECK(layOutTables(tables));
    if (m_signature) {
      m_padding = *roundedUp(m_end, 16) - m_end;
      m_signatureAt = m_end + m_padding;
      auto maker = m_oldSignature.kind == Signature::Kind::AdHoc
                       ? SignatureMaker::updated(m_request.package, m_oldSignature, m_signatureAt)
                       : SignatureMaker::adHoc(m_request.package, m_file, m_oldSignature, m_signatureAt);
      if (!maker) return maker.takeError();
      m_maker = std::move(*maker);
      m_end = m_signatureAt + m_maker.size();
    }
    if (m_end > kLimit) return tooLarge(m_end);
    return Done{};
  }

  /// Returns all tables except the signature, which must be the last one.
  Result<std::vector<const Table*>> tablesByPlace() const {
    std::vector<const Table*> tables;
    for (const Table& table : m_file.tables) {
      if (table.file.size == 0 || table.role == Role::Signature) continue;
      if (!m_linkedit->file.contains(table.file))
        return shape("a table at " + hexText(table.file.offset) + " is outside of __LINKEDIT");
      tables.push_back(&table);
    }
    std::sort(tables.begin(), tables.end(),
              [](const Table* a, const Table* b) { return a->file.offset < b->file.offset; });
    const Table* const signature = m_file.findTable(Role::Signature);
    const uint64_t dataEnd = signature ? signature->file.offset : m_file.bytes.size();
    const uint64_t lastEnd = tables.empty() ? m_linkedit->file.offset : tables.back()->file.end();
    if (dataEnd < lastEnd || dataEnd < m_linkedit->file.offset)
      return shape("its code signature overlaps another table");
    if (signature && !m_file.isZero({lastEnd, dataEnd - lastEnd}))
      return shape("there are unknown bytes before its code signature");
    return tables;
  }

  /// Fills m_runs and m_end. A table that grows uses the zeros after it and is padded to 8 bytes, so that the next
  /// table follows directly, as cctools require.
  Result<Done> layOutTables(const std::vector<const Table*>& tables) {
    uint64_t done = m_linkedit->file.offset;
    m_end = m_linkeditStart;
    const auto add = [&](Run run) {
      run.offset = m_end;
      m_end += run.size();
      done = run.input.end();
      m_runs.push_back(run);
    };
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const Table& table = *tables[i];
      if (table.file.offset < done) return shape("two tables overlap at " + hexText(table.file.offset));
      if (table.file.offset > done) add({{done, table.file.offset - done}, nullptr, 0, 0});
      const uint64_t next =
          i + 1 < tables.size() ? std::max(tables[i + 1]->file.offset, table.file.end()) : table.file.end();
      const uint64_t slot =
          m_file.isZero({table.file.end(), next - table.file.end()}) ? next - table.file.offset : table.file.size;
      if (m_kept[table.command] == 0) {
        // A multiple of 8 is removed, so that the following tables keep their alignment.
        add({{table.file.offset, 0}, nullptr, slot % 8, 0});
        done = table.file.offset + slot;
        continue;
      }
      const auto content =
          std::find_if(m_contents.begin(), m_contents.end(), [&](const Content& one) { return one.table == &table; });
      if (content == m_contents.end()) {
        add({table.file, nullptr, 0, 0});
        continue;
      }
      const uint64_t size = content->bytes.size();
      const uint64_t whole = size <= table.file.size ? table.file.size
                             : size <= slot          ? slot
                                                     : slot + *roundedUp(size - slot, 8);
      add({{table.file.offset, size <= table.file.size ? table.file.size : slot}, &*content, whole - size, 0});
    }
    if (!m_file.findTable(Role::Signature) && done < m_file.bytes.size())
      add({{done, m_file.bytes.size() - done}, nullptr, 0, 0});
    return Done{};
  }

  /// Returns the new offset of a byte of __LINKEDIT; for removed bytes, that of the bytes after them.
  uint64_t moved(uint64_t offset) const {
    for (const Run& run : m_runs)
      if (offset < run.input.end() || offset == run.input.offset)
        return run.offset + (offset - std::min(offset, run.input.offset));
    return m_signature ? m_signatureAt : m_end;
  }

  // --- 7. Header and load commands. ---------------------------------------------------------------------------------
  void makeHead() {
    std::string head(m_file.text().substr(0, m_file.head.end()));
    const auto put = [&](uint64_t at, uint64_t value, unsigned size) {
      head.replace(at, size, numberText(value, size, false));
    };
    for (const Table& table : m_file.tables) {
      const bool placed = table.file.size > 0 ||
                          (table.file.offset >= m_linkedit->file.offset && table.file.offset <= m_file.bytes.size());
      if (!placed || m_kept[table.command] == 0) continue;
      const bool isSignature = &table == m_signature;
      put(table.offsetAt, isSignature ? m_signatureAt : moved(table.file.offset), 4);
      if (isSignature) put(table.offsetAt + 4, m_maker.size(), 4);
      for (const Run& run : m_runs)
        if (run.content && run.content->table == &table) put(table.offsetAt + 4, run.size(), 4);
    }
    const auto segment = [&](const Segment& which, uint64_t address, uint64_t memorySize, Extent file) {
      const uint64_t at = which.addressAt;
      put(at, address, 8);
      put(at + 8, memorySize, 8);
      put(at + 16, file.offset, 8);
      put(at + 24, file.size, 8);
    };
    const uint64_t size = m_end - m_linkeditStart;
    segment(*m_linkedit, m_startAddress + m_segmentSize, *roundedUp(size, m_page), {m_linkeditStart, size});
    if (m_own) {
      segment(*m_own, m_startAddress, m_segmentSize, {m_start, m_segmentSize});
      if (m_hasSection) put(m_file.sections.back().sizeAt(), m_request.newBlob.size, 8);
    }

    std::string made = head.substr(0, kHeaderSize);
    uint64_t count = 0;
    for (std::size_t i = 0; i < m_file.commands.size(); ++i) {
      const Extent place = m_file.commands[i].place;
      if (m_kept[i] == 0) continue;
      if (i == m_linkedit->command && !m_own) {
        m_commandAt = made.size();
        made += newCommand();
        ++count;
      }
      std::string command = head.substr(place.offset, m_kept[i]);
      if (m_kept[i] < place.size)
        command.replace(4, 4, numberText(m_kept[i], 4, false)).replace(kBuildVersionSize - 4, 4, std::string(4, '\0'));
      made += command;
      ++count;
    }
    const uint64_t commands = made.size() - kHeaderSize;
    made.replace(16, 8, numberText(count, 4, false) + numberText(commands, 4, false));
    made.resize(std::max<std::size_t>(made.size(), head.size()), '\0');
    addDifferences(m_headEdits, m_file.text().substr(0, made.size()), made, 0, "load commands");
  }

  std::string newCommand() const {
    std::string out =
        numberText(LC_SEGMENT_64, 4, false) + numberText(commandSize(), 4, false) + nameField(kBlobSegment);
    for (const uint64_t value : {m_startAddress, m_segmentSize, m_start, m_segmentSize})
      out += numberText(value, 8, false);
    for (const uint64_t value : {uint64_t{VM_PROT_READ}, uint64_t{VM_PROT_READ}, uint64_t{m_hasSection}, uint64_t{0}})
      out += numberText(value, 4, false);
    if (m_hasSection) out += sectionHeader(kBlobSection, kBlobSegment, m_startAddress, m_request.newBlob.size, m_start);
    return out;
  }
  uint64_t commandSize() const { return m_hasSection ? kCommandWithSection : kSegmentSize; }

  // --- 8. The output, its steps and consequences. -------------------------------------------------------------------
  Result<Plan> write() {
    PlanBuilder builder;
    const bool scrub = m_request.options.scrub && !m_own;
    addPatched(builder, {0, scrub ? m_site.room.offset : m_start}, m_headEdits);
    if (scrub) {
      builder.zeros(m_site.room.size, "old blob");
      builder.input({m_site.room.end(), m_start - m_site.room.end()});
    }
    builder.step("Copy the file up to its tables", 0, m_start, "except for the changes below");
    if (m_own)
      builder.step("Change the load commands", kHeaderSize, m_file.head.size,
                   "sizes and places of the blob's segment and of the tables");
    else
      builder.step("Add a load command", m_commandAt, commandSize(),
                   m_hasSection ? "one new segment with a section" : "one new segment; there is no room for a section");
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
      const auto [id, place] = m_file.commands[i];
      if (m_kept[i] < place.size)
        builder.step(std::string(m_kept[i] == 0 ? "Remove " : "Shorten ") +
                         (id == LC_BUILD_VERSION ? "the tools of " : "") + commandName(id),
                     std::nullopt, place.size - m_kept[i],
                     id == LC_CODE_SIGNATURE ? "requested" : "this makes room; the loader does not need it");
    }
    if (scrub) builder.step("Fill the old place with zeros", m_site.room.offset, m_site.room.size, "requested");
    builder.blob(m_request.newBlob);
    builder.step("Write the new blob", m_start, m_request.newBlob.size,
                 m_own ? "only tables are after it" : "does not fit in the old place");
    builder.zeros(m_segmentSize - m_request.newBlob.size, "padding after the blob");

    builder.step("Copy the tables", m_linkeditStart, m_end - m_linkeditStart, "they must be the end of the file");
    for (const Run& run : m_runs) {
      if (run.content) {
        builder.step(std::string("Rewrite: ") + run.content->why, run.offset, run.content->bytes.size(),
                     "the blob's segment is new");
        builder.literal(Bytes::copyOf(run.content->bytes), run.content->why);
      } else {
        addPatched(builder, run.input, m_edits);
      }
      builder.zeros(run.zeros, "padding");
    }
    for (const Overwrite& edit : m_edits)
      builder.step("Change the symbol", moved(edit.offset), edit.bytes.size(), "debuggers find the new blob by it");
    builder.zeros(m_padding, "padding");
    if (m_signature) {
      PlanBuilder before = builder;
      BLOBSCOPE_TRY(signature, m_maker.make(before.take({}), m_request.package.bytes, m_request.monitor));
      builder.step("Write the code signature", m_signatureAt, signature.size(), "hashes of all pages");
      builder.literal(Bytes::copyOf(signature), "code signature");
    }
    Plan plan = builder.take({m_own ? Strategy::Resize : Strategy::AppendSegment});
    if (m_linkeditStart != m_linkedit->file.offset || m_signatureAt != m_oldSignature.place.offset)
      addMoved(plan, {m_linkeditStart, m_end - m_linkeditStart});
    describeRanges(plan, m_site, {m_start, m_request.newBlob.size}, m_own != nullptr);
    showConsequences(plan);
    return plan;
  }

  void showConsequences(Plan& plan) const {
    if (!m_own)
      plan.consequences.push_back({m_request.options.scrub ? DiagnosticId::PlanScrubbed : DiagnosticId::PlanDead,
                                   {},
                                   {sizeArg("size", m_site.room.size)}});
    if (!m_hasSection) plan.consequences.push_back({DiagnosticId::PlanNoSection, {}, {sizeArg("room", m_headRoom)}});
    if (m_signature)
      plan.consequences.push_back({DiagnosticId::PlanResigned, {}, {}});
    else if (m_file.cpuType == CPU_TYPE_ARM64)
      plan.consequences.push_back({DiagnosticId::PlanUnsigned, {}, {arg("arch", "arm64")}});
    plan.consequences.insert(plan.consequences.end(), m_consequences.begin(), m_consequences.end());
  }

  const Site& m_site;
  const File& m_file;
  const PlanRequest& m_request;

  uint64_t m_page = 0, m_base = 0; ///< page size of memory; address of the Mach-O header
  const Segment *m_linkedit = nullptr, *m_own = nullptr;
  const Table* m_signature = nullptr; ///< the signature to update
  Signature m_oldSignature;
  SignatureMaker m_maker;
  std::vector<uint64_t> m_kept; ///< number of kept bytes of each load command
  uint64_t m_headRoom = 0;      ///< free bytes for more load commands
  bool m_hasSection = false;
  uint64_t m_start = 0, m_startAddress = 0, m_segmentSize = 0; ///< of the blob's segment
  uint64_t m_linkeditStart = 0, m_padding = 0, m_signatureAt = 0, m_end = 0;
  std::vector<Overwrite> m_edits, m_headEdits; ///< edits of symbols, edits of the load commands; offsets in the input
  std::vector<Content> m_contents;
  std::vector<Run> m_runs;
  uint64_t m_commandAt = 0;
  std::vector<Diagnostic> m_consequences;
};

} // namespace

const Segment* findOwnSegment(const Site& site) {
  const File& file = site.file;
  if (file.segments.size() < 2) return nullptr;
  const Segment &linkedit = file.segments.back(), &own = file.segments[file.segments.size() - 2];
  if (linkedit.name != kLinkeditName || own.name != kBlobSegment || own.sections > 1 ||
      own.file.offset != site.room.offset || own.address != site.address)
    return nullptr;
  if (own.sections == 1 && (file.sections.empty() || file.sections.back().segment != kBlobSegment ||
                            file.sections.back().memory() != Extent{own.address, site.room.size} ||
                            file.sections.back().offset != own.file.offset))
    return nullptr;
  if (linkedit.file.offset < site.room.end() || !file.isZero({site.room.end(), linkedit.file.offset - site.room.end()}))
    return nullptr;
  return &own;
}

Result<Plan> planImage(const Site& site) { return Image(site).plan(); }

} // namespace blobscope::write::macho
