#include "core/container/coff/file.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <algorithm>

namespace blobscope::container::coff {
namespace {

// winnt.h, IMAGE_FILE_MACHINE_*. LLVM's name for Windows on ARM is "thumb", which is its instruction set, not the
// processor.
constexpr Machine kMachines[] = {
    {0x14c, "i386", 32},         // I386
    {0x166, "mipsel", 32},       // R4000
    {0x1c0, "arm", 32},          // ARM
    {0x1c2, "arm", 32},          // THUMB
    {0x1c4, "arm", 32},          // ARMNT
    {0x1f0, "powerpcle", 32},    // POWERPC
    {0x1f1, "powerpcle", 32},    // POWERPCFP
    {0x200, "", 64},             // IA64
    {0x5032, "riscv32", 32},     // RISCV32
    {0x5064, "riscv64", 64},     // RISCV64
    {0x6232, "loongarch32", 32}, // LOONGARCH32
    {0x6264, "loongarch64", 64}, // LOONGARCH64
    {0x8664, "x86_64", 64},      // AMD64
    {0xa641, "aarch64", 64},     // ARM64EC
    {0xa64e, "aarch64", 64},     // ARM64X
    {0xaa64, "aarch64", 64},     // ARM64
};

/// What older GNU tools write for weak symbols. Source: binutils include/coff/internal.h, C_WEAKEXT.
constexpr uint8_t kGnuWeak = 127;

/// The offset that is encoded in a section name of the form "/123" or, from LLVM for tables of more than 10 MB,
/// "//AAAAAA".
std::optional<uint64_t> nameOffset(std::string_view name) {
  if (name.size() < 2 || name[0] != '/') return std::nullopt;
  uint64_t value = 0; // at most 7 digits of base 10 or 6 of base 64
  if (name[1] != '/') {
    for (const char c : name.substr(1)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + static_cast<uint64_t>(c - '0');
    }
    return value;
  }
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (name.size() < 3) return std::nullopt;
  for (const char c : name.substr(2)) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value * 64 + digit;
  }
  return value;
}

Record recordAt(std::string_view records, uint64_t at, bool wide) {
  const std::string_view bytes = records.substr(at, wide ? kWideSymbolRecord : kSymbolRecord);
  Record record;
  record.at = at;
  record.name = bytes.substr(0, 8);
  record.value = numberAt<uint32_t>(bytes, 8);
  if (wide) {
    record.section = numberAt<int32_t>(bytes, 12);
  } else {
    // Numbers up to 0xfeff are sections: link.exe and LLVM write more than 32,767 without /bigobj.
    const auto number = numberAt<uint16_t>(bytes, 12);
    record.section = number >= 0xff00 ? static_cast<int16_t>(number) : number;
  }
  const uint64_t rest = wide ? 16 : 14;
  record.type = numberAt<uint16_t>(bytes, rest);
  record.storage = numberAt<uint8_t>(bytes, rest + 2);
  record.auxiliary = numberAt<uint8_t>(bytes, rest + 3);
  return record;
}

bool isFunction(const Record& record) { return (record.type >> 4 & 0xf) == 2; } // IMAGE_SYM_DTYPE_FUNCTION

SymbolType typeOf(const Record& record, bool function, const Section* section) {
  if (record.storage == IMAGE_SYM_CLASS_FILE) return SymbolType::File;
  if (record.storage == IMAGE_SYM_CLASS_SECTION) return SymbolType::Section;
  if (record.storage == IMAGE_SYM_CLASS_FUNCTION) return SymbolType::Other; // .bf, .lf, .ef
  if (function) return SymbolType::Function;
  if (record.storage == IMAGE_SYM_CLASS_STATIC && record.auxiliary > 0)
    return SymbolType::Section;                                 // its auxiliary record says so
  if (!section || section->executable) return SymbolType::None; // a label without a type may be anything
  if (section->name == ".tls" || section->name.starts_with(".tls$")) return SymbolType::Tls;
  return SymbolType::Object;
}

Binding bindingOf(uint8_t storage) {
  switch (storage) {
  case IMAGE_SYM_CLASS_EXTERNAL: return Binding::Global;
  case IMAGE_SYM_CLASS_WEAK_EXTERNAL:
  case kGnuWeak: return Binding::Weak;
  default: return Binding::Local;
  }
}

} // namespace

const Machine* findMachine(uint16_t number) {
  const auto* const found = std::find_if(std::begin(kMachines), std::end(kMachines),
                                         [&](const Machine& machine) { return machine.number == number; });
  return found == std::end(kMachines) ? nullptr : found;
}

void note(Image& image, DiagnosticId id, std::vector<Argument> arguments, Ref place) {
  if (image.diagnostics.size() < limits::kDiagnostics)
    image.diagnostics.push_back({id, std::move(place), std::move(arguments)});
}

Extent clipped(Image& image, Extent extent, const std::string& what) {
  const uint64_t size = image.file.size();
  if (Extent{0, size}.contains(extent)) return extent;
  if (extent.size == 0) return {size, 0}; // nothing is missing
  note(image, DiagnosticId::FilePart,
       {arg("what", what), hexArg("at", extent.offset), arg("size", extent.size), arg("file", size)});
  if (extent.offset >= size) return {size, 0};
  return {extent.offset, size - extent.offset};
}

NameCutter::NameCutter(uint64_t fileSize) : m_limit(checkedMultiply(fileSize, 16).value_or(UINT64_MAX)) {}

std::string_view NameCutter::cut(std::string_view text) {
  const uint64_t left = m_limit - m_used;
  const std::string_view name = text.substr(0, text.substr(0, left).find('\0'));
  if (name.size() > left) { // the search ended at the limit, not at a NUL
    m_refused = true;
    m_used = m_limit;
    return {};
  }
  m_used += name.size();
  return name;
}

void NameCutter::report(Image& image) const {
  if (m_refused)
    note(image, DiagnosticId::FileLimit,
         {arg("what", "bytes of names or more"), arg("count", m_limit + 1), arg("limit", m_limit)});
}

std::string_view stringTable(const Bytes& file, const SymbolTable& table) {
  const auto size = checkedMultiply(table.count, table.recordSize());
  const auto start = size ? checkedAdd(table.offset, *size) : std::nullopt;
  if (table.offset == 0 || !start) return {};
  const Bytes rest = file.slice(*start);
  return rest.slice(0, numberAt<uint32_t>(rest.view(), 0)).view();
}

SectionHeader sectionAt(std::string_view file, uint64_t at) {
  SectionHeader header;
  header.at = at;
  const std::string_view text = at < file.size() ? file.substr(at) : std::string_view();
  header.name = text.substr(0, std::min<std::size_t>(8, text.find('\0')));
  header.virtualSize = numberAt<uint32_t>(text, 8);
  header.address = numberAt<uint32_t>(text, 12);
  header.rawSize = numberAt<uint32_t>(text, 16);
  header.rawOffset = numberAt<uint32_t>(text, 20);
  header.characteristics = numberAt<uint32_t>(text, 36);
  return header;
}

std::string_view sectionName(const SectionHeader& header, std::string_view strings, NameCutter& names) {
  const auto place = nameOffset(header.name);
  return place && *place >= 4 && *place < strings.size() ? names.cut(strings.substr(*place)) : header.name;
}

FileHeader fileHeaderOf(std::string_view file, bool wide) {
  FileHeader header;
  header.wide = wide;
  if (wide) {
    header.machine = numberAt<uint16_t>(file, 6);
    header.sectionsAt = kWideFileHeader;
    header.sectionCount = numberAt<uint32_t>(file, header.sectionCountAt());
    header.symbols = {numberAt<uint32_t>(file, 48), numberAt<uint32_t>(file, 52), true};
    return header;
  }
  header.machine = numberAt<uint16_t>(file, 0);
  header.sectionsAt = kFileHeader + numberAt<uint16_t>(file, 16);
  header.sectionCount = numberAt<uint16_t>(file, header.sectionCountAt());
  header.flags = numberAt<uint16_t>(file, 18);
  header.symbols = {numberAt<uint32_t>(file, 8), numberAt<uint32_t>(file, 12), false};
  return header;
}

Result<Done> forEachRecord(const Bytes& file, const SymbolTable& table, Monitor& monitor,
                           const std::function<void(const Record&)>& each) {
  const std::string_view text = file.view(), strings = stringTable(file, table);
  const uint64_t size = table.recordSize();
  if (table.offset == 0) return Done{};
  NameCutter names(file.size());
  for (uint64_t i = 0, seen = 0; i < std::min(table.count, limits::kSymbols); ++i, ++seen) {
    if (seen % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const uint64_t at = table.offset + i * size;
    if (!Extent{0, text.size()}.contains(Extent{at, size})) break;
    Record record = recordAt(text, at, table.wide);
    record.index = i;
    if (numberAt<uint32_t>(record.name, 0) == 0)
      record.name = strings.substr(std::min<uint64_t>(numberAt<uint32_t>(record.name, 4), strings.size()));
    record.name = names.cut(record.name);
    i += record.auxiliary;
    each(record);
  }
  return Done{};
}

std::string_view sectionTypeName(std::string_view name, uint32_t flags) {
  if (name.starts_with(".debug")) return "debug";
  if (flags & (IMAGE_SCN_CNT_CODE | IMAGE_SCN_MEM_EXECUTE)) return "code";
  if (flags & (IMAGE_SCN_LNK_INFO | IMAGE_SCN_LNK_REMOVE)) return "info";
  if (flags & IMAGE_SCN_MEM_DISCARDABLE) return "discardable";
  if (flags & IMAGE_SCN_CNT_INITIALIZED_DATA) return "data";
  if (flags & IMAGE_SCN_CNT_UNINITIALIZED_DATA) return "bss";
  return "other";
}

Result<Done> readSymbols(Image& image, const SymbolTable& table, uint64_t sections, NameCutter& names,
                         Monitor& monitor) {
  if (table.offset == 0 || table.count == 0) return Done{};
  // --- 1. The records in the file. ---
  const uint64_t recordSize = table.recordSize();
  const Extent part = clipped(image, {table.offset, table.count * recordSize}, "symbol table"); // 32 bits times 20
  const std::string_view records = image.file.slice(part.offset, part.size).view();
  const std::string_view strings = stringTable(image.file, table);
  uint64_t count = records.size() / recordSize;
  if (count > symbolLimit(image.file)) {
    note(image, DiagnosticId::FileLimit,
         {arg("what", "symbols"), arg("count", count), arg("limit", symbolLimit(image.file))});
    count = symbolLimit(image.file);
  }

  // --- 2. One symbol for each that is not auxiliary. ---
  const auto sectionOf = [&](int32_t number) {
    return number > 0 && static_cast<uint64_t>(number) <= sections ? static_cast<uint32_t>(number - 1)
                                                                   : Symbol::kNoSection;
  };
  uint64_t nameless = 0, seen = 0;
  for (uint64_t i = 0; i < count; ++i, ++seen) {
    if (seen % 4096 == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading symbols", i, count);
    }
    const Record record = recordAt(records, i * recordSize, table.wide);
    const uint64_t first = i + 1; // auxiliary record
    i += record.auxiliary;
    const bool hasAuxiliary = record.auxiliary > 0 && first < count;

    Symbol symbol;
    if (record.storage == IMAGE_SYM_CLASS_FILE && hasAuxiliary) {
      // The auxiliary records contain the name of the source file.
      symbol.name = names.cut(records.substr(first * recordSize, record.auxiliary * recordSize));
    } else if (numberAt<uint32_t>(record.name, 0) != 0) {
      symbol.name = record.name.substr(0, record.name.find('\0'));
    } else if (const auto place = numberAt<uint32_t>(record.name, 4); place >= 4 && place < strings.size()) {
      symbol.name = names.cut(strings.substr(place));
    } else if (place != 0) {
      ++nameless;
    }

    int32_t number = record.section;
    uint64_t value = record.value;
    bool function = isFunction(record);
    const bool weak = bindingOf(record.storage) == Binding::Weak;
    if (weak && number == 0 && hasAuxiliary) {
      // A weak external stands for another symbol unless it is defined elsewhere.
      const auto target = numberAt<uint32_t>(records, first * recordSize);
      if (target < count) {
        const Record standard = recordAt(records, target * recordSize, table.wide);
        if (standard.section > 0) {
          number = standard.section;
          value = standard.value;
          function = function || isFunction(standard); // LLVM gives the type only there
        }
      }
    }
    symbol.section = sectionOf(number);
    const Section* const section = symbol.section == Symbol::kNoSection ? nullptr : &image.sections[symbol.section];
    const bool common = number == 0 && !weak && record.storage == IMAGE_SYM_CLASS_EXTERNAL && value != 0;
    symbol.type = typeOf(record, function, section);
    symbol.binding = bindingOf(record.storage);
    symbol.defined = number != 0 || common;
    symbol.absolute = number < 0 || common;
    symbol.common = common;
    symbol.value = common ? 0 : value;
    if (common) symbol.size = value;
    if (section && image.kind != Kind::Object) symbol.value = Extent{section->address, value}.end();
    image.symbols.push_back(symbol);
  }
  if (nameless > 0)
    note(image, DiagnosticId::FileNames,
         {arg("table", "the symbol table"), arg("count", nameless), arg("total", seen)});
  return Done{};
}

} // namespace blobscope::container::coff
