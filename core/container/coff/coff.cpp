#include "core/container/coff/coff.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/coff/file.h"

#include <algorithm>

namespace blobscope::container {
namespace {

constexpr uint64_t kImportHeader = 20;
/// Maximum length of a name in a text; C++ names of a few hundred bytes are common.
constexpr std::size_t kShownName = 512;
constexpr std::string_view kBigClass{"\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8", 16};
constexpr uint16_t kImageFlags = coff::IMAGE_FILE_DLL | coff::IMAGE_FILE_EXECUTABLE_IMAGE;

enum class Shape { Usual, Big, Import, Anonymous };

/// The kind of header. Anonymous headers begin with machine 0 and 65,535 sections.
Shape shapeOf(std::string_view head) {
  if (head.size() < 8 || numberAt<uint32_t>(head, 0) != 0xffff0000) return Shape::Usual;
  const auto version = numberAt<uint16_t>(head, 4);
  if (version == 0) return Shape::Import;
  return version >= 2 && head.substr(std::min<std::size_t>(head.size(), 12), 16) == kBigClass ? Shape::Big
                                                                                              : Shape::Anonymous;
}

/// Whether the name is eight bytes of printable characters, padded with zeros.
bool isSectionName(std::string_view name) {
  const std::string_view letters = name.substr(0, name.find('\0'));
  const auto printable = [](char c) { return c > ' ' && c <= '~'; };
  return !letters.empty() && std::all_of(letters.begin(), letters.end(), printable) &&
         name.find_first_not_of('\0', letters.size()) == std::string_view::npos;
}

bool isPlausibleObject(std::string_view head, Shape shape) {
  const coff::FileHeader header = coff::fileHeaderOf(head, shape == Shape::Big);
  if (head.size() < header.sectionsAt + coff::kSectionHeader || !coff::findMachine(header.machine)) return false;
  if (header.sectionCount == 0 || header.sectionCount > (shape == Shape::Big ? limits::kSections : 0xfeff))
    return false;
  if (shape == Shape::Usual && (header.sectionsAt != coff::kFileHeader || header.flags & kImageFlags)) return false;
  const uint64_t tables = header.sectionsAt + header.sectionCount * coff::kSectionHeader;
  if (header.symbols.offset == 0 ? header.symbols.count != 0 : header.symbols.offset < tables) return false;
  const std::string_view section = head.substr(header.sectionsAt, coff::kSectionHeader);
  const auto rawOffset = numberAt<uint32_t>(section, 20);
  return isSectionName(section.substr(0, 8)) && numberAt<uint32_t>(section, 12) == 0 &&
         (rawOffset == 0 || rawOffset >= tables);
}

bool isPlausibleImport(std::string_view head) {
  const auto type = numberAt<uint16_t>(head, 18); // 2 bits for the kind, 3 for the form of the name, the rest 0
  return head.size() > kImportHeader && coff::findMachine(numberAt<uint16_t>(head, 6)) &&
         numberAt<uint32_t>(head, 12) >= 4 && (type & 3) < 3 && type >> 2 <= 4;
}

Error headerError(const std::string& reason) {
  return Error(DiagnosticId::FileHeader, {arg("format", "COFF"), arg("reason", reason)});
}

void setMachine(Image& image, uint16_t number) {
  const coff::Machine* const machine = coff::findMachine(number);
  if (!machine) return;
  image.arch = machine->arch;
  image.bits = machine->bits;
  image.underscores = machine->arch == "i386";
}

/// A member of an import library: the header, the symbol, the library, both ending with NUL.
Result<Image> readImport(Image image) {
  const std::string_view text = image.file.view();
  if (text.size() < kImportHeader)
    return headerError("the file ends at " + hexText(text.size()) +
                       ", inside the 20 bytes of an import library's member");
  setMachine(image, numberAt<uint16_t>(text, 6));
  const Extent names = coff::clipped(image, {kImportHeader, numberAt<uint32_t>(text, 12)}, "import names");
  const std::string_view name = text.substr(names.offset, names.size);
  Symbol symbol;
  symbol.name = name.substr(0, name.find('\0'));
  symbol.binding = Binding::Global;
  image.symbols.push_back(symbol);
  return image;
}

/// The name under which the library exports the symbol. Source: "PE Format", "Import Name Type".
std::string_view exportedName(std::string_view symbol, uint16_t nameType, std::string_view exportAs) {
  if (nameType == 4) return exportAs; // IMPORT_OBJECT_NAME_EXPORTAS
  if (nameType < 2) return symbol;
  // IMPORT_OBJECT_NAME_NO_PREFIX, IMPORT_OBJECT_NAME_UNDECORATE
  if (!symbol.empty() && std::string_view("?@_").find(symbol[0]) != std::string_view::npos) symbol.remove_prefix(1);
  return nameType == 3 ? symbol.substr(0, symbol.find('@')) : symbol;
}

Result<Done> readSections(Image& image, const coff::FileHeader& header, coff::NameCutter& names, Monitor& monitor) {
  uint64_t count = header.sectionCount;
  if (count > limits::kSections) {
    coff::note(image, DiagnosticId::FileLimit,
               {arg("what", "sections"), arg("count", count), arg("limit", limits::kSections)});
    count = limits::kSections;
  }
  const Extent table = coff::clipped(image, {header.sectionsAt, count * coff::kSectionHeader}, "section table");
  const std::string_view strings = coff::stringTable(image.file, header.symbols);
  for (uint64_t at = 0; table.size - at >= coff::kSectionHeader; at += coff::kSectionHeader) {
    if (image.sections.size() % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const coff::SectionHeader stored = coff::sectionAt(image.file.view(), table.offset + at);
    Section section;
    section.name = coff::sectionName(stored, strings, names);
    section.size = stored.rawSize;
    section.type = coff::sectionTypeName(section.name, stored.characteristics);
    section.allocated = !(stored.characteristics &
                          (coff::IMAGE_SCN_LNK_INFO | coff::IMAGE_SCN_LNK_REMOVE | coff::IMAGE_SCN_MEM_DISCARDABLE));
    section.writable = stored.characteristics & coff::IMAGE_SCN_MEM_WRITE;
    section.executable = stored.characteristics & coff::IMAGE_SCN_MEM_EXECUTE;
    if (stored.rawOffset != 0 && stored.rawSize != 0 && section.type != "bss")
      section.file =
          coff::clipped(image, {stored.rawOffset, stored.rawSize}, "section '" + escaped(section.name) + "'");
    image.sections.push_back(section);
  }
  return Done{};
}

} // namespace

bool looksLikeCoff(std::string_view head) {
  const Shape shape = shapeOf(head);
  if (shape == Shape::Import) return isPlausibleImport(head);
  return shape != Shape::Anonymous && isPlausibleObject(head, shape);
}

Result<Image> readCoff(const Bytes& file, Monitor& monitor) {
  Image image;
  image.file = file;
  image.format = Format::Coff;
  image.kind = Kind::Object;
  const Shape shape = shapeOf(file.view());
  if (shape == Shape::Import) return readImport(std::move(image));
  if (shape == Shape::Anonymous)
    return headerError(
        "version " + std::to_string(numberAt<uint16_t>(file.view(), 4)) +
        " at 0x4 belongs to no object with machine code; compilers write such for link-time code generation (/GL)");
  const uint64_t least = shape == Shape::Big ? coff::kWideFileHeader : coff::kFileHeader;
  if (file.size() < least)
    return headerError("the file ends at " + hexText(file.size()) + ", inside its " + std::to_string(least) + " bytes");
  const coff::FileHeader header = coff::fileHeaderOf(file.view(), shape == Shape::Big);
  if (header.machine != 0 && !coff::findMachine(header.machine)) // 0 is "any", which objects with resources use
    return headerError("machine " + hexText(header.machine) + " is not known");
  setMachine(image, header.machine);

  coff::NameCutter names(file.size());
  BLOBSCOPE_CHECK(readSections(image, header, names, monitor));
  BLOBSCOPE_CHECK(coff::readSymbols(image, header.symbols, image.sections.size(), names, monitor));
  names.report(image);
  return image;
}

std::string importText(std::string_view member) {
  if (shapeOf(member) != Shape::Import || !isPlausibleImport(member)) return {};
  std::string_view names = member.substr(kImportHeader, numberAt<uint32_t>(member, 12));
  const auto next = [&] {
    const std::string_view name = names.substr(0, names.find('\0'));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    return name;
  };
  const std::string_view symbol = next(), library = next(), exportAs = next();
  const auto nameType = static_cast<uint16_t>(numberAt<uint16_t>(member, 18) >> 2);
  const auto quoted = [](std::string_view name) { return "'" + escapedWithin(name, kShownName) + "'"; };
  std::string text = "imports " + quoted(symbol) + " from " + quoted(library);
  if (nameType == 0) return text + " as ordinal " + std::to_string(numberAt<uint16_t>(member, 16));
  const std::string_view exported = exportedName(symbol, nameType, exportAs);
  return exported == symbol ? text : text + " as " + quoted(exported);
}

} // namespace blobscope::container
