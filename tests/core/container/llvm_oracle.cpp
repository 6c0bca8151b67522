#include "tests/core/container/llvm_oracle.h"

#include "core/base/text.h"
#include "core/container/coff/coff.h"

#include <llvm/Object/COFF.h>
#include <llvm/Object/COFFImportFile.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/MachO.h>
#include <llvm/Object/MachOUniversal.h>
#include <llvm/Object/Wasm.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <set>

namespace blobscope::test {

using container::Format;
using container::Image;
using container::Member;
using container::Symbol;

namespace {

namespace object = llvm::object;
using Lines = std::vector<std::string>;

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string text(llvm::StringRef name) { return escaped({name.data(), name.size()}); }

template <class T> T valueOf(llvm::Expected<T> expected, T otherwise) {
  if (expected) return *expected;
  llvm::consumeError(expected.takeError());
  return otherwise;
}

std::string nameOf(llvm::Expected<llvm::StringRef> name) {
  return text(valueOf<llvm::StringRef>(std::move(name), "(none)"));
}

/// `file`: the place of its bytes; nothing when it has none.
std::string sectionLine(const std::string& name, uint64_t address, uint64_t size, Extent file) {
  const std::string place = file.size == 0 ? "no bytes" : hexText(file.offset) + "+" + hexText(file.size);
  return "'" + name + "' at " + hexText(address) + ", " + hexText(size) + ", " + place;
}

std::string symbolLine(const std::string& name, uint64_t value, uint64_t size, bool defined) {
  return "'" + name + "' " + (defined ? hexText(value) + ", " + hexText(size) : "undefined");
}

// --- 1. What this program reads. -------------------------------------------------------------------------------------

Lines sectionsOf(const Image& image) {
  Lines lines;
  for (const container::Section& section : image.sections) {
    if (isPart(section)) continue;
    Extent file = section.file;
    // For images LLVM returns what the loader uses of the sector-padded bytes.
    if (image.format == Format::Pe) file.size = std::min(file.size, section.size);
    lines.push_back(sectionLine(escaped(section.name), section.address, section.size, file));
  }
  return lines;
}

std::string symbolLine(const Symbol& symbol, uint64_t value) {
  return symbolLine(escaped(symbol.name), value, symbol.size, symbol.defined);
}

Lines symbolsOf(const Image& image, bool dynamic) {
  Lines lines;
  for (const Symbol& symbol : image.symbols)
    if (symbol.dynamic == dynamic) lines.push_back(symbolLine(symbol, symbol.value));
  return lines;
}

// --- 2. What LLVM reads. ---------------------------------------------------------------------------------------------

/// The place in the file of bytes that LLVM returns.
Extent placeOf(const object::ObjectFile& file, const object::SectionRef& section) {
  if (section.isVirtual() || section.isBSS()) return {};
  const auto content = valueOf<llvm::StringRef>(section.getContents(), {});
  if (content.empty()) return {};
  return {static_cast<uint64_t>(content.data() - file.getData().data()), content.size()};
}

Lines sectionsOf(const object::ObjectFile& file) {
  Lines lines;
  for (const object::SectionRef& section : file.sections())
    lines.push_back(
        sectionLine(nameOf(section.getName()), section.getAddress(), section.getSize(), placeOf(file, section)));
  return lines;
}

bool isUndefined(const object::BasicSymbolRef& symbol) {
  return valueOf<uint32_t>(symbol.getFlags(), 0) & object::SymbolRef::SF_Undefined;
}

template <class Range> Lines elfSymbols(const Range& range) {
  Lines lines;
  for (const object::ELFSymbolRef symbol : range) {
    std::string name = nameOf(symbol.getName());
    // Symbols of sections have no name; LLVM uses the name of their section.
    if (symbol.getELFType() == llvm::ELF::STT_SECTION) name.clear();
    // The value of a common symbol is its alignment; LLVM gives the size again.
    const bool common = valueOf<uint32_t>(symbol.getFlags(), 0) & object::SymbolRef::SF_Common;
    const uint64_t value = common ? symbol.getAlignment() : valueOf<uint64_t>(symbol.getValue(), 0);
    lines.push_back(symbolLine(name, value, symbol.getSize(), !isUndefined(symbol)));
  }
  return lines;
}

std::string elfDifference(const Image& image, const object::ELFObjectFileBase& file) {
  if (std::string found = differenceOf(sectionsOf(image), sectionsOf(file)); !found.empty())
    return "sections, " + found;
  // LLVM clears the lowest bit of ARM and MIPS functions: it selects the instruction set and is not part of the
  // address. Values here are as stored.
  const auto machine = file.getEMachine();
  const bool marks = machine == llvm::ELF::EM_ARM || machine == llvm::ELF::EM_MIPS;
  Image same = image;
  for (Symbol& symbol : same.symbols) {
    if (marks && symbol.type == container::SymbolType::Function && !symbol.absolute) symbol.value &= ~uint64_t{1};
    if (symbol.type == container::SymbolType::Section) symbol.name = {};
  }
  if (std::string found = differenceOf(symbolsOf(same, false), elfSymbols(file.symbols())); !found.empty())
    return "symbols, " + found;
  // Without section headers LLVM finds no dynamic symbols; the loader does, and so does this program.
  if (image.sections.empty()) return {};
  const std::string found = differenceOf(symbolsOf(same, true), elfSymbols(file.getDynamicSymbolIterators()));
  return found.empty() ? "" : "dynamic symbols, " + found;
}

Lines coffSections(const object::COFFObjectFile& file) {
  Lines lines;
  const bool isImage = file.getDOSHeader();
  for (const object::SectionRef& section : file.sections()) {
    const object::coff_section& header = *file.getCOFFSection(section);
    // For sections of an image SectionRef::getSize is the size in the file, not the size in memory.
    const uint64_t size = isImage && header.VirtualSize != 0 ? header.VirtualSize : header.SizeOfRawData;
    lines.push_back(sectionLine(nameOf(section.getName()), section.getAddress(), size, placeOf(file, section)));
  }
  return lines;
}

/// Here a weak external is resolved to its default; to LLVM it is undefined. Only its name is compared.
std::string weakLine(const std::string& name) { return "'" + name + "' weak"; }

Lines coffSymbols(const object::COFFObjectFile& file) {
  Lines lines;
  for (const object::SymbolRef& reference : file.symbols()) {
    const object::COFFSymbolRef symbol = file.getCOFFSymbol(reference);
    std::string name = nameOf(reference.getName());
    uint64_t value = symbol.getValue(), size = 0;
    if (symbol.isFileRecord()) { // LLVM calls them all ".file"
      const auto* const part = symbol.getAux<char>();
      const std::string_view stored(part, symbol.getNumberOfAuxSymbols() * file.getSymbolTableEntrySize());
      name = escaped(stored.substr(0, stored.find('\0')));
    }
    if (symbol.isWeakExternal()) {
      lines.push_back(weakLine(name));
      continue;
    }
    if (symbol.isCommon()) std::swap(value, size);
    // In an image, values count from the section; LLVM's getValue uses another base.
    if (file.getDOSHeader() && symbol.getSectionNumber() > 0)
      if (const auto* const section =
              valueOf<const object::coff_section*>(file.getSection(symbol.getSectionNumber()), nullptr))
        value += file.getImageBase() + section->VirtualAddress;
    lines.push_back(symbolLine(name, value, size, !isUndefined(reference)));
  }
  return lines;
}

std::string importedName(const object::ImportedSymbolRef& symbol) {
  bool byOrdinal = false;
  uint16_t ordinal = 0;
  llvm::StringRef name;
  llvm::consumeError(symbol.isOrdinal(byOrdinal));
  llvm::consumeError(byOrdinal ? symbol.getOrdinal(ordinal) : symbol.getSymbolName(name));
  return byOrdinal ? "#" + std::to_string(ordinal) : text(name);
}

/// Exports and imports of an image, sorted, because LLVM uses the order of the address table and this program that of
/// names.
Lines coffDynamic(const object::COFFObjectFile& file) {
  Lines lines;
  for (const object::ExportDirectoryEntryRef& entry : file.export_directories()) {
    uint32_t rva = 0, ordinal = 0;
    bool forwards = false;
    llvm::StringRef name;
    llvm::consumeError(entry.getExportRVA(rva));
    llvm::consumeError(entry.getOrdinal(ordinal));
    llvm::consumeError(entry.isForwarder(forwards));
    llvm::consumeError(entry.getSymbolName(name));
    if (rva == 0) continue; // a gap in the ordinals
    const std::string shown = name.empty() ? "#" + std::to_string(ordinal) : text(name);
    lines.push_back(symbolLine(shown, file.getImageBase() + rva, 0, !forwards));
  }
  for (const object::ImportDirectoryEntryRef& library : file.import_directories())
    for (const object::ImportedSymbolRef& symbol : library.lookup_table_symbols())
      lines.push_back(symbolLine(importedName(symbol), 0, 0, false));
  for (const object::DelayImportDirectoryEntryRef& library : file.delay_import_directories()) {
    // LLVM counts them by the size of the directory, loaders up to the entry without a name.
    const object::delay_import_directory_table_entry* entry = nullptr;
    llvm::consumeError(library.getDelayImportTable(entry));
    if (!entry || entry->Name == 0) break;
    for (const object::ImportedSymbolRef& symbol : library.imported_symbols())
      lines.push_back(symbolLine(importedName(symbol), 0, 0, false));
  }
  return sorted(std::move(lines));
}

std::string coffDifference(const Image& image, const object::COFFObjectFile& file) {
  if (std::string found = differenceOf(sectionsOf(image), coffSections(file)); !found.empty())
    return "sections, " + found;
  Lines lines;
  for (const Symbol& symbol : image.symbols)
    if (!symbol.dynamic)
      lines.push_back(symbol.binding == container::Binding::Weak ? weakLine(escaped(symbol.name))
                                                                 : symbolLine(symbol, symbol.value));
  if (std::string found = differenceOf(lines, coffSymbols(file)); !found.empty()) return "symbols, " + found;
  const std::string found = differenceOf(sorted(symbolsOf(image, true)), coffDynamic(file));
  return found.empty() ? "" : "exports and imports, " + found;
}

/// A member of an import library: LLVM lists `__imp_NAME`, then NAME unless it is data.
std::string importDifference(const Image& image, const object::COFFImportFile& file) {
  Lines theirs;
  for (const object::BasicSymbolRef& symbol : file.symbols()) {
    std::string name;
    llvm::raw_string_ostream out(name);
    llvm::consumeError(symbol.printName(out));
    if (!name.starts_with("__imp_")) theirs.push_back(symbolLine(escaped(name), 0, 0, false));
  }
  if (std::string found = differenceOf(symbolsOf(image, false), theirs); !found.empty()) return found;
  const std::string exported = text(file.getExportName()), note = container::importText(image.file.view());
  if (exported.empty() || exported == escaped(image.symbols[0].name) || note.ends_with(" as '" + exported + "'"))
    return {};
  return "exported as '" + exported + "', but it " + note;
}

Lines machoSections(const object::MachOObjectFile& file) {
  Lines lines;
  for (const object::SectionRef& section : file.sections()) {
    const std::string segment = text(file.getSectionFinalSegmentName(section.getRawDataRefImpl()));
    lines.push_back(sectionLine(segment + "," + nameOf(section.getName()), section.getAddress(), section.getSize(),
                                placeOf(file, section)));
  }
  return lines;
}

/// The base of the addresses in the export trie.
uint64_t machoBase(const object::MachOObjectFile& file) {
  for (const auto& command : file.load_commands()) {
    if (command.C.cmd == llvm::MachO::LC_SEGMENT_64) {
      const auto segment = file.getSegment64LoadCommand(command);
      if (llvm::StringRef(segment.segname) == "__TEXT") return segment.vmaddr;
    } else if (command.C.cmd == llvm::MachO::LC_SEGMENT) {
      const auto segment = file.getSegmentLoadCommand(command);
      if (llvm::StringRef(segment.segname) == "__TEXT") return segment.vmaddr;
    }
  }
  return 0;
}

/// The symbol table without debugging entries, and names that only the export trie has. The order here is not that of
/// the file: the dynamic symbols come first.
Lines machoSymbols(const object::MachOObjectFile& file) {
  Lines lines;
  std::set<std::string> all, defined;
  for (const object::SymbolRef& symbol : file.symbols()) {
    const auto flags = valueOf<uint32_t>(symbol.getFlags(), 0);
    if (flags & object::SymbolRef::SF_FormatSpecific) continue;
    const std::string name = nameOf(symbol.getName());
    // A symbol of another library under this name: LLVM reports it neither as defined nor as undefined.
    const bool isDefined = !(flags & (object::SymbolRef::SF_Undefined | object::SymbolRef::SF_Indirect));
    const bool common = flags & object::SymbolRef::SF_Common;
    all.insert(name);
    if (isDefined) defined.insert(name);
    lines.push_back(symbolLine(name, common ? 0 : valueOf<uint64_t>(symbol.getValue(), 0),
                               common ? symbol.getCommonSize() : 0, isDefined));
  }
  llvm::Error error = llvm::Error::success();
  if (file.getHeader().filetype != llvm::MachO::MH_OBJECT)
    for (const object::ExportEntry& entry : file.exports(error)) {
      const std::string name = text(entry.name());
      const bool forwards = entry.flags() & llvm::MachO::EXPORT_SYMBOL_FLAGS_REEXPORT;
      if ((forwards ? all : defined).contains(name)) continue;
      lines.push_back(symbolLine(name, machoBase(file) + entry.address(), 0, !forwards));
    }
  if (error) lines.push_back(llvm::toString(std::move(error)));
  return sorted(std::move(lines));
}

std::string machoDifference(const Image& image, const object::MachOObjectFile& file) {
  if (std::string found = differenceOf(sectionsOf(image), machoSections(file)); !found.empty())
    return "sections, " + found;
  Lines lines;
  for (const Symbol& symbol : image.symbols) {
    // In an object, values count from the section here, and from the first section in LLVM.
    const bool inSection = image.kind == container::Kind::Object && symbol.section != Symbol::kNoSection;
    lines.push_back(symbolLine(symbol, symbol.value + (inSection ? image.sections[symbol.section].address : 0)));
  }
  const std::string found = differenceOf(sorted(std::move(lines)), machoSymbols(file));
  return found.empty() ? "" : "symbols, " + found;
}

// --- 3. WebAssembly: no addresses, and LLVM uses its own terms. ------------------------------------------------------

std::string wasmLine(std::string name, Extent file) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return sectionLine(name == "elem" ? "element" : name, 0, file.size, file);
}

uint64_t codeOffset(const object::WasmObjectFile& file) {
  for (const object::SectionRef& section : file.sections())
    if (file.getWasmSection(section).Type == llvm::wasm::WASM_SEC_CODE) return placeOf(file, section).offset;
  return 0;
}

/// Code without the preceding length, from the start of the code section.
Extent bodyOf(const object::WasmObjectFile& file, uint32_t index) {
  const auto& function =
      file.functions()[index - file.getNumImportedFunctions()]; // its CodeOffset counts from the length
  return {uint64_t{function.CodeSectionOffset} + function.CodeOffset, function.Size - function.CodeOffset};
}

/// Sections, then in an object its data segments, which are parts of sections to LLVM.
std::string wasmSectionDifference(const Image& image, const object::WasmObjectFile& file) {
  Lines ours, theirs;
  for (const container::Section& section : image.sections) {
    if (section.type == "segment" && section.name.starts_with("data[")) continue; // LLVM has no name for these
    ours.push_back(wasmLine(escaped(section.name), section.file));
  }
  for (const object::SectionRef& section : file.sections())
    theirs.push_back(wasmLine(nameOf(section.getName()), placeOf(file, section)));
  for (const object::WasmSegment& segment : file.dataSegments()) {
    if (image.kind != container::Kind::Object || segment.Data.Name.empty()) continue;
    const auto offset = reinterpret_cast<const char*>(segment.Data.Content.data()) - file.getData().data();
    theirs.push_back(wasmLine(text(segment.Data.Name), {static_cast<uint64_t>(offset), segment.Data.Content.size()}));
  }
  return differenceOf(ours, theirs);
}

Lines wasmObjectSymbols(const object::WasmObjectFile& file) {
  Lines lines;
  for (const object::SymbolRef& reference : file.symbols()) {
    const object::WasmSymbol& symbol = file.getWasmSymbol(reference);
    uint64_t value = 0, size = 0;
    if (symbol.isDefined() && symbol.isTypeFunction()) {
      const Extent body = bodyOf(file, symbol.Info.ElementIndex);
      value = body.offset, size = body.size;
    } else if (symbol.isDefined() && symbol.isTypeData()) {
      value = symbol.Info.DataRef.Offset, size = symbol.Info.DataRef.Size;
    } else if (!symbol.isTypeSection()) {
      value = symbol.isDefined() ? symbol.Info.ElementIndex : 0;
    }
    lines.push_back(symbolLine(text(symbol.Info.Name), value, size, symbol.isDefined()));
  }
  return lines;
}

/// The view of the loader of a linked module: exported functions, imported functions and globals. Of the exported
/// globals this program keeps only addresses; LLVM makes no such distinction.
std::string wasmModuleDifference(const Image& image, const object::WasmObjectFile& file) {
  Lines ours, theirs;
  for (const Symbol& symbol : image.symbols) {
    if (!symbol.dynamic || (symbol.defined && symbol.type != container::SymbolType::Function)) continue;
    ours.push_back(symbolLine(symbol, symbol.value));
  }
  for (const llvm::wasm::WasmExport& entry : file.exports()) {
    if (entry.Kind != llvm::wasm::WASM_EXTERNAL_FUNCTION) continue;
    const Extent body = bodyOf(file, entry.Index); // LLVM refuses modules that export what they import
    theirs.push_back(symbolLine(text(entry.Name), codeOffset(file) + body.offset, body.size, true));
  }
  for (const llvm::wasm::WasmImport& entry : file.imports())
    if (entry.Kind == llvm::wasm::WASM_EXTERNAL_FUNCTION || entry.Kind == llvm::wasm::WASM_EXTERNAL_GLOBAL)
      theirs.push_back(symbolLine(text(entry.Field), 0, 0, false));
  return differenceOf(ours, theirs);
}

std::string wasmDifference(const Image& image, const object::WasmObjectFile& file) {
  if (std::string found = wasmSectionDifference(image, file); !found.empty()) return "sections, " + found;
  const std::string found = image.kind == container::Kind::Object
                                ? differenceOf(symbolsOf(image, false), wasmObjectSymbols(file))
                                : wasmModuleDifference(image, file);
  return found.empty() ? "" : "symbols, " + found;
}

std::string universalDifference(const Image& image, const object::MachOUniversalBinary& file) {
  Lines ours, theirs;
  for (const Member& member : image.members) {
    const auto offset = static_cast<uint64_t>(member.bytes.data() - image.file.data());
    ours.push_back(hexText(offset) + "+" + hexText(member.bytes.size()));
  }
  for (const auto& slice : file.objects())
    theirs.push_back(hexText(slice.getOffset()) + "+" + hexText(slice.getSize()));
  return differenceOf(ours, theirs);
}

} // namespace

std::string differenceOf(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    const std::string a = i < ours.size() ? ours[i] : "(nothing)", b = i < theirs.size() ? theirs[i] : "(nothing)";
    if (a != b) return "line " + std::to_string(i) + ": here " + a + ", there " + b;
  }
  return {};
}

std::string objectDifference(const Image& image, std::string_view file) {
  auto opened = object::createBinary(llvm::MemoryBufferRef({file.data(), file.size()}, "file"));
  if (!opened) return "LLVM: " + llvm::toString(opened.takeError());
  const object::Binary& binary = **opened;
  if (const auto* const it = llvm::dyn_cast<object::ELFObjectFileBase>(&binary)) return elfDifference(image, *it);
  if (const auto* const it = llvm::dyn_cast<object::COFFObjectFile>(&binary)) return coffDifference(image, *it);
  if (const auto* const it = llvm::dyn_cast<object::COFFImportFile>(&binary)) return importDifference(image, *it);
  if (const auto* const it = llvm::dyn_cast<object::MachOObjectFile>(&binary)) return machoDifference(image, *it);
  if (const auto* const it = llvm::dyn_cast<object::WasmObjectFile>(&binary)) return wasmDifference(image, *it);
  if (const auto* const it = llvm::dyn_cast<object::MachOUniversalBinary>(&binary))
    return universalDifference(image, *it);
  return "LLVM takes it for something else";
}

} // namespace blobscope::test
