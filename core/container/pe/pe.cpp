#include "core/container/pe/pe.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/carrier.h"
#include "core/container/pe/file.h"
#include "core/container/pe/imports.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace blobscope::container {
namespace {

constexpr uint64_t kDosHeader = 64;
constexpr uint64_t kPage = 4096, kSector = 512;
constexpr uint64_t kAddressSpace = uint64_t{1} << 33; // every RVA plus a 32-bit size is below this
using pe::Directory;

Error headerError(const std::string& reason) {
  return Error(DiagnosticId::FileHeader, {arg("format", "PE"), arg("reason", reason)});
}

/// "#7": the name of an export or import that has only an ordinal. Symbols do not own their names, so all 65,536 are
/// made once.
std::string_view ordinalName(uint16_t ordinal) {
  using Text = std::array<char, 6>;
  static const auto kNames = [] {
    auto names = std::make_unique<std::array<Text, 65'536>>();
    for (std::size_t i = 0; i < names->size(); ++i) {
      const std::string text = "#" + std::to_string(i);
      std::copy(text.begin(), text.end(), (*names)[i].begin());
    }
    return names;
  }();
  const Text& text = (*kNames)[ordinal];
  return {text.data(), static_cast<std::size_t>(std::find(text.begin(), text.end(), '\0') - text.begin())};
}

uint64_t roundedUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

/// Reads one file. An RVA counts from the image base.
class PeReader {
public:
  PeReader(const Bytes& file, Monitor& monitor) : m_monitor(monitor), m_names(file.size()) {
    m_image.file = file;
    m_image.format = Format::Pe;
  }

  Result<Image> read() {
    BLOBSCOPE_CHECK(readHeader());
    readSections();
    mapHeader();
    BLOBSCOPE_CHECK(readExports());
    BLOBSCOPE_CHECK(readImports());
    BLOBSCOPE_CHECK(coff::readSymbols(m_image, m_file.symbols, m_image.sections.size(), m_names, m_monitor));
    addCertificate();
    addDebug();
    m_names.report(m_image);
    return std::move(m_image);
  }

private:
  struct Mapped : Segment {
    uint32_t section; ///< Symbol::kNoSection: the headers
  };

  std::string_view text() const { return m_image.file.view(); }

  void note(DiagnosticId id, std::vector<Argument> arguments, Ref place = {}) {
    coff::note(m_image, id, std::move(arguments), std::move(place));
  }
  void tableNote(const std::string& table, const std::string& reason) {
    note(DiagnosticId::FileTable, {arg("table", table), arg("reason", reason)});
  }

  // --- 1. Where everything is. --------------------------------------------------------------------------------------
  Result<Done> readHeader() {
    const Extent whole{0, text().size()};
    if (whole.size < kDosHeader)
      return headerError("the file ends at " + hexText(whole.size) + ", inside the 64 bytes of the DOS header");
    if (!looksLikePe(text())) return headerError("the file does not begin with MZ");
    const uint64_t signature = numberAt<uint32_t>(text(), 0x3c);
    if (!whole.contains(Extent{signature, 4 + coff::kFileHeader}))
      return headerError("its address " + hexText(signature) +
                         " at 0x3c leaves fewer than 24 bytes before the end of the file at " + hexText(whole.size));
    if (text().substr(signature, 4) != std::string_view("PE\0\0", 4))
      return headerError("no signature at " + hexText(signature) + ", but " + hexDigits(text().substr(signature, 4)) +
                         "; programs for DOS and 16-bit Windows have none");

    m_file = pe::File::read(m_image.file);
    m_image.kind = m_file.flags & coff::IMAGE_FILE_DLL ? Kind::Shared : Kind::Executable;
    if (const coff::Machine* const known = coff::findMachine(m_file.machine)) m_image.arch = known->arch;

    const uint64_t place = m_file.optionalAt, size = m_file.optionalSize;
    if (!m_file.is64 && m_file.magic != pe::IMAGE_NT_OPTIONAL_HDR32_MAGIC)
      return headerError("magic " + hexText(m_file.magic) + " of the optional header at " + hexText(place) +
                         " is neither 0x10b nor 0x20b");
    const std::string_view optional = text().substr(place, size);
    const uint64_t fixed = m_file.fixedSize();
    if (optional.size() < fixed)
      return headerError("the optional header at " + hexText(place) + " needs " + std::to_string(fixed) +
                         " bytes, but only " + std::to_string(optional.size()) + " are there");
    if (optional.size() < size) coff::clipped(m_image, {place, size}, "optional header");
    m_image.bits = m_file.is64 ? 64 : 32;
    m_base = m_file.imageBase;
    if (!checkedAdd(m_base, kAddressSpace)) {
      tableNote("image base", hexText(m_base) + " leaves no room for an image above it; addresses count from 0");
      m_base = 0;
    }
    m_alignment = m_file.sectionAlignment;
    if (m_alignment == 0) m_alignment = kPage;
    const uint64_t directories = std::min<uint64_t>(m_file.directoryCount, pe::IMAGE_NUMBEROF_DIRECTORY_ENTRIES);
    const uint64_t fitting = m_file.directories.size();
    if (fitting < directories)
      tableNote("data directory table", std::to_string(directories) +
                                            " entries do not fit into the optional header, which ends after " +
                                            std::to_string(fitting));
    return Done{};
  }

  // --- 2. Sections, and how the loader maps them. --------------------------------------------------------------------
  void readSections() {
    coff::clipped(m_image, {m_file.sectionsAt, m_file.sectionCount * coff::kSectionHeader}, "section table");
    const std::string_view strings = coff::stringTable(m_image.file, m_file.symbols);
    for (const coff::SectionHeader& header : m_file.sections) {
      Section section;
      section.name = coff::sectionName(header, strings, m_names);
      section.address = m_base + header.address;
      section.size = header.memorySize();
      section.type = coff::sectionTypeName(section.name, header.characteristics);
      section.allocated = true;
      section.writable = header.characteristics & coff::IMAGE_SCN_MEM_WRITE;
      section.executable = header.characteristics & coff::IMAGE_SCN_MEM_EXECUTE;
      Segment segment;
      segment.address = section.address;
      segment.memorySize = roundedUp(section.size, m_alignment);
      segment.writable = section.writable;
      segment.executable = section.executable;
      if (header.rawOffset != 0 && header.rawSize != 0) {
        section.file =
            coff::clipped(m_image, {header.rawOffset, header.rawSize}, "section '" + escaped(section.name) + "'");
        // The loader reads whole sectors, unless it maps the image at the file's own alignment.
        uint64_t from = header.rawOffset;
        if (m_alignment >= kPage) from = from / kSector * kSector;
        const uint64_t size = std::min<uint64_t>(header.rawSize, segment.memorySize);
        const uint64_t left = m_image.file.size() - std::min(from, m_image.file.size());
        segment.file = {from, std::min(size, left)};
      }
      m_image.sections.push_back(section);
      if (segment.memorySize == 0) continue;
      m_image.segments.push_back(segment);
      m_byAddress.push_back({segment, static_cast<uint32_t>(m_image.sections.size() - 1)});
    }
    std::stable_sort(m_byAddress.begin(), m_byAddress.end(),
                     [](const Mapped& a, const Mapped& b) { return a.address < b.address; });
  }

  /// The headers are mapped too, below the first section.
  void mapHeader() {
    Segment header;
    header.address = m_base;
    header.memorySize = m_file.headersSize;
    if (!m_byAddress.empty()) header.memorySize = std::min(m_file.headersSize, m_byAddress.front().address - m_base);
    header.file = {0, std::min(header.memorySize, m_image.file.size())};
    m_image.segments.insert(m_image.segments.begin(), header);
    m_byAddress.insert(m_byAddress.begin(), {header, Symbol::kNoSection});
  }

  /// The segment that contains an RVA. Sections do not overlap in images that the loader accepts, so there is at most
  /// one.
  const Mapped* findSegment(uint64_t rva) const {
    const uint64_t address = m_base + rva;
    const auto above = std::upper_bound(m_byAddress.begin(), m_byAddress.end(), address,
                                        [](uint64_t value, const Mapped& segment) { return value < segment.address; });
    if (above == m_byAddress.begin()) return nullptr;
    const Mapped& segment = *std::prev(above);
    return address - segment.address < segment.memorySize ? &segment : nullptr;
  }

  /// The part of the file from an RVA to the end of its segment's part of the file; empty when there is none.
  Extent extentAt(uint64_t rva) const {
    const Mapped* const segment = findSegment(rva);
    if (!segment) return {};
    const uint64_t delta = m_base + rva - segment->address;
    if (delta >= segment->file.size) return {};
    return {segment->file.offset + delta, segment->file.size - delta};
  }
  std::string_view bytesAt(uint64_t rva) const {
    const Extent extent = extentAt(rva);
    return text().substr(extent.offset, extent.size);
  }

  /// `count` items of `size` bytes, or as many whole ones as there are; reports it when some are missing.
  std::string_view itemsAt(const std::string& table, uint64_t rva, uint64_t count, uint64_t size) {
    if (count == 0) return {};
    const std::string_view bytes = bytesAt(rva);
    const uint64_t there = std::min<uint64_t>(count, bytes.size() / size);
    if (there < count)
      tableNote(table, std::to_string(count) + " entries are declared at address " + hexText(m_base + rva) +
                           ", but only " + std::to_string(there) + " are in a loaded part of the file");
    return bytes.substr(0, there * size);
  }

  /// From a directory to the end of its segment: loaders ignore its size.
  std::string_view directoryBytes(Directory which, const std::string& table) {
    const std::string_view bytes = bytesAt(m_file.directory(which).offset);
    if (bytes.empty())
      tableNote(table, "its address " + hexText(m_base + m_file.directory(which).offset) +
                           " is in no loaded part of the file");
    return bytes;
  }

  /// Checks the monitor every 4,096 items of any kind.
  bool mustStop(const char* what) {
    if (m_items++ % 4096 != 0) return false;
    m_monitor.progress(what, 0, 0);
    return m_monitor.stopRequested();
  }

  /// Whether one more symbol is allowed.
  bool mayAdd(const char* what, uint64_t limit) {
    if (m_image.symbols.size() < limit) return true;
    if (!m_full) note(DiagnosticId::FileLimit, {arg("what", what), arg("count", limit + 1), arg("limit", limit)});
    m_full = true;
    return false;
  }

  // --- 3. Exports. --------------------------------------------------------------------------------------------------
  Result<Done> readExports() {
    const Extent directory = m_file.directory(pe::IMAGE_DIRECTORY_ENTRY_EXPORT);
    if (directory.offset == 0 || directory.size == 0) return Done{};
    const std::string_view header = directoryBytes(pe::IMAGE_DIRECTORY_ENTRY_EXPORT, "export directory");
    if (header.empty()) return Done{};
    if (header.size() < 40) {
      tableNote("export directory",
                "it needs 40 bytes, but only " + std::to_string(header.size()) + " are in a loaded part of the file");
      return Done{};
    }
    const uint64_t first = numberAt<uint32_t>(header, 16);
    const std::string_view functions =
        itemsAt("export address table", numberAt<uint32_t>(header, 28), numberAt<uint32_t>(header, 20), 4);
    const uint64_t named = numberAt<uint32_t>(header, 24);
    const std::string_view names = itemsAt("export name table", numberAt<uint32_t>(header, 32), named, 4);
    const std::string_view ordinals = itemsAt("export ordinal table", numberAt<uint32_t>(header, 36), named, 2);
    const uint64_t functionCount = functions.size() / 4;
    const uint64_t nameCount = std::min(names.size() / 4, ordinals.size() / 2);

    std::vector<bool> hasName(functionCount);
    uint64_t nameless = 0, outOfRange = 0, unreachable = 0;
    m_image.symbols.reserve(std::min(nameCount, symbolLimit(m_image.file)));
    for (uint64_t i = 0; i < nameCount && mayAdd("exports", symbolLimit(m_image.file)); ++i) {
      if (mustStop("reading exports")) return Error(DiagnosticId::Cancelled, {});
      const std::string_view name = bytesAt(numberAt<uint32_t>(names, 4 * i));
      const uint64_t index = numberAt<uint16_t>(ordinals, 2 * i);
      if (index >= functionCount) {
        ++outOfRange;
        continue;
      }
      if (name.empty()) ++nameless;
      hasName[index] = true;
      addExport(m_names.cut(name), numberAt<uint32_t>(functions, 4 * index));
    }
    for (uint64_t i = 0; i < functionCount; ++i) {
      if (mustStop("reading exports")) return Error(DiagnosticId::Cancelled, {});
      const auto rva = numberAt<uint32_t>(functions, 4 * i);
      if (rva == 0 || hasName[i]) continue; // ordinals may have gaps
      if (first + i > UINT16_MAX) {
        ++unreachable;
        continue;
      }
      if (!mayAdd("exports", symbolLimit(m_image.file))) break;
      addExport(ordinalName(static_cast<uint16_t>(first + i)), rva);
    }
    if (nameless > 0)
      note(DiagnosticId::FileNames,
           {arg("table", "the export directory"), arg("count", nameless), arg("total", nameCount)});
    if (outOfRange > 0)
      tableNote("export ordinal table", std::to_string(outOfRange) + " of " + std::to_string(nameCount) +
                                            " names refer to none of the " + std::to_string(functionCount) +
                                            " functions");
    if (unreachable > 0)
      tableNote("export address table",
                std::to_string(unreachable) + " exports without a name have ordinals above the maximum of 65535");
    return Done{};
  }

  void addExport(std::string_view name, uint64_t rva) {
    const Extent directory = m_file.directory(pe::IMAGE_DIRECTORY_ENTRY_EXPORT);
    Symbol symbol;
    symbol.name = name;
    symbol.binding = Binding::Global;
    symbol.dynamic = true;
    if (directory.contains(rva)) {
      // A forwarder: its address is not code, but the name "LIBRARY.symbol" of the real export.
      symbol.type = SymbolType::Other;
      if (matchCarrier(name))
        note(DiagnosticId::CarrierType,
             {arg("symbol", name),
              arg("type", "forwarder to " + shortened(std::string(m_names.cut(bytesAt(rva))), 256))},
             Ref::named(Ref::Kind::Symbol, name));
    } else if (rva != 0) {
      symbol.defined = true;
      symbol.value = m_base + rva;
      if (const Mapped* const segment = findSegment(rva)) {
        symbol.section = segment->section;
        symbol.type = segment->executable ? SymbolType::Function : SymbolType::Object;
      }
      // Linkers merge read-only data into code on request (/MERGE:.rdata=.text), which would make a blob look like a
      // function.
      if (symbol.type == SymbolType::Function && matchCarrier(name)) symbol.type = SymbolType::None;
    }
    m_image.symbols.push_back(symbol);
  }

  // --- 4. Imports. --------------------------------------------------------------------------------------------------
  Result<Done> readImports() {
    // Each import has its own word, so there are no more of them than this, unless tables overlap in a crafted file.
    m_importLimit = std::min<uint64_t>(symbolLimit(m_image.file), m_image.symbols.size() + text().size() / 4);
    BLOBSCOPE_CHECK(readImports(pe::IMAGE_DIRECTORY_ENTRY_IMPORT, "import directory"));
    return readImports(pe::IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT, "delay import directory");
  }

  Result<Done> readImports(Directory which, const std::string& name) {
    if (m_file.directory(which).offset == 0) return Done{};
    const std::string_view table = directoryBytes(which, name);
    const bool delayed = which == pe::IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT;
    for (uint64_t i = 0; const auto library = pe::importLibraryAt(m_file, table, i, delayed); ++i) {
      if (mustStop("reading imports")) return Error(DiagnosticId::Cancelled, {});
      BLOBSCOPE_CHECK(addImports(*library));
    }
    reportImports("the " + name);
    return Done{};
  }

  /// Adds the symbols of one library.
  Result<Done> addImports(const pe::ImportLibrary& library) {
    const std::string_view words = bytesAt(library.lookup);
    if (words.empty() && !findSegment(library.lookup)) ++m_lostTables;
    for (uint64_t i = 0; const auto import = pe::importAt(m_file, library, words, i); ++i) {
      if (mustStop("reading imports")) return Error(DiagnosticId::Cancelled, {});
      if (!mayAdd("exports and imports", m_importLimit)) break;
      Symbol symbol;
      symbol.binding = Binding::Global;
      symbol.dynamic = true;
      ++m_imports;
      if (import->ordinal)
        symbol.name = ordinalName(*import->ordinal);
      else if (const std::string_view name = bytesAt(import->name); !name.empty())
        symbol.name = m_names.cut(name);
      else
        ++m_namelessImports;
      m_image.symbols.push_back(symbol);
    }
    return Done{};
  }

  void reportImports(const std::string& table) {
    if (m_namelessImports > 0)
      note(DiagnosticId::FileNames, {arg("table", table), arg("count", m_namelessImports), arg("total", m_imports)});
    if (m_lostTables > 0)
      tableNote("import lookup table",
                "those of " + std::to_string(m_lostTables) + " imported libraries are in no loaded part of the file");
    m_imports = m_namelessImports = m_lostTables = 0;
  }

  // --- 5. Parts without a section. ----------------------------------------------------------------------------------
  void addCertificate() {
    // The only directory whose address is a file offset.
    const Extent directory = m_file.directory(pe::IMAGE_DIRECTORY_ENTRY_SECURITY);
    if (directory.offset != 0 && directory.size != 0)
      addPseudoSection("(certificate)", "certificate", coff::clipped(m_image, directory, "certificate"));
  }
  void addDebug() {
    const Extent directory = m_file.directory(pe::IMAGE_DIRECTORY_ENTRY_DEBUG);
    if (directory.offset == 0 || directory.size == 0) return;
    const uint64_t entries = directory.size / 28;
    const uint64_t size = itemsAt("debug directory", directory.offset, entries, 28).size();
    if (size > 0) addPseudoSection("(debug)", "debug", {extentAt(directory.offset).offset, size});
  }
  void addPseudoSection(std::string_view name, std::string_view type, Extent file) {
    Section section;
    section.name = name;
    section.type = type;
    section.file = file;
    section.size = file.size;
    m_image.sections.push_back(section);
  }

  Monitor& m_monitor;
  Image m_image;
  pe::File m_file;
  coff::NameCutter m_names;
  bool m_full = false;
  uint64_t m_base = 0;
  uint64_t m_alignment = kPage;
  uint64_t m_items = 0;
  uint64_t m_importLimit = 0;
  uint64_t m_imports = 0;
  uint64_t m_namelessImports = 0;
  uint64_t m_lostTables = 0;
  std::vector<Mapped> m_byAddress;
};

} // namespace

bool looksLikePe(std::string_view head) { return head.starts_with("MZ"); }

Result<Image> readPe(const Bytes& file, Monitor& monitor) { return PeReader(file, monitor).read(); }

} // namespace blobscope::container
