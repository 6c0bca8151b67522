#include "core/library/host_code.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/syntax/disassembler.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace blobscope::library {
namespace {

using container::Image;
using container::Kind;
using container::Section;
using container::Symbol;
using container::SymbolType;

constexpr std::string_view kPageName = "Disassembly";

bool isArm(const Image& image) { return image.arch == "arm"; }

/// Returns the address of a symbol, without the bit that marks Thumb code.
uint64_t addressOf(const Image& image, const Symbol& symbol) {
  return isArm(image) && symbol.type == SymbolType::Function ? symbol.value & ~uint64_t{1} : symbol.value;
}

/// Whether the name is a mapping symbol, with which assemblers for ARM, AArch64 and RISC-V mark code and data: $a, $t,
/// $d, $x.
bool isMappingSymbol(const Image& image, std::string_view name) {
  const bool marks = isArm(image) || image.arch.starts_with("aarch64") || image.arch.starts_with("riscv");
  return marks && name.size() >= 2 && name[0] == '$' && (name.size() == 2 || name[2] == '.' || name[1] == 'x');
}

bool isNamed(const Image& image, const Symbol& symbol) {
  return symbol.defined && !symbol.absolute && !symbol.name.empty() && symbol.type != SymbolType::Section &&
         symbol.type != SymbolType::File && symbol.type != SymbolType::Tls && !isMappingSymbol(image, symbol.name);
}

/// Finds names for addresses.
class Names {
public:
  /// In an object file addresses are relative to the section, so only symbols of `section` are useful.
  Names(const Image& image, const Section* section) : m_image(image) {
    for (const Symbol& symbol : image.symbols) {
      if (!isNamed(image, symbol)) continue;
      if (image.kind == Kind::Object && image.findSectionOf(symbol) != section) continue;
      m_symbols.push_back({addressOf(image, symbol), &symbol});
    }
    // The first symbol at an address is used: functions and data before labels, the loader's names before others.
    std::stable_sort(m_symbols.begin(), m_symbols.end(), [](const Entry& a, const Entry& b) {
      if (a.address != b.address) return a.address < b.address;
      return rank(*a.symbol) < rank(*b.symbol);
    });
  }

  /// Returns "name", "name+0x10", ".plt+0x20"; empty for an address without a name.
  std::string of(uint64_t address) const {
    auto after = std::upper_bound(m_symbols.begin(), m_symbols.end(), address,
                                  [](uint64_t value, const Entry& entry) { return value < entry.address; });
    const Section* const section = sectionAt(address);
    if (after != m_symbols.begin()) {
      const uint64_t found = (after - 1)->address;
      const auto first = std::lower_bound(m_symbols.begin(), after, found,
                                          [](const Entry& entry, uint64_t value) { return entry.address < value; });
      const Symbol& symbol = *first->symbol;
      // A symbol without a size extends to the next one, but not beyond its section.
      const bool inside = symbol.size != 0 ? address - found < symbol.size
                                           : m_image.kind == Kind::Object || sectionAt(found) == section;
      if (inside || address == found) return text(m_image.plainName(symbol), address - found);
    }
    return section && m_image.kind != Kind::Object ? text(section->name, address - section->address) : std::string();
  }

private:
  struct Entry {
    uint64_t address;
    const Symbol* symbol;
  };
  static int rank(const Symbol& symbol) {
    if (symbol.type == SymbolType::Function) return 0;
    return symbol.type == SymbolType::Object ? 1 : 2;
  }
  static std::string text(std::string_view name, uint64_t offset) {
    return escaped(name) + (offset == 0 ? "" : "+" + hexText(offset));
  }
  const Section* sectionAt(uint64_t address) const {
    for (const Section& section : m_image.sections)
      if (section.allocated && Extent{section.address, section.size}.contains(address)) return &section;
    return nullptr;
  }

  const Image& m_image;
  std::vector<Entry> m_symbols;
};

void pad(std::string& line, std::size_t width) {
  if (line.size() < width) line.append(width - line.size(), ' ');
}

view::Page notice(std::string text) { return {std::string(kPageName), view::NoticePage{std::move(text)}}; }

Result<view::Page> makePage(const Image& image, uint32_t index, Monitor& monitor) {
  longWork("library::hostCodePage");
  // --- 1. The disassembler and the code. ---
  if (!syntax::hasDisassemblerFactory())
    return notice("this build has no disassembler; the bytes of the function are on the page 'Hex'");
  const auto code = findHostCode(image, index);
  if (!code) return notice("the file contains no code for this symbol");
  const auto disassembler = syntax::makeDisassembler(code->arch, image.bits);
  if (!disassembler)
    return notice("no disassembler for " +
                  (code->arch.empty() ? std::string("this machine") : "'" + escaped(code->arch) + "'"));
  const syntax::DisassemblyOptions options;
  BLOBSCOPE_TRY(instructions, disassembler->disassemble(code->bytes, code->address, options, monitor));

  // --- 2. Lines. ---
  const Symbol& symbol = image.symbols[index];
  const Names names(image, image.findSectionOf(symbol));
  const uint64_t last = instructions.empty() ? code->address : instructions.back().address;
  const std::size_t addressWidth = std::max<std::size_t>(hexText(last).size() - 2, 4);
  std::size_t bytesWidth = 0;
  for (const auto& instruction : instructions) bytesWidth = std::max<std::size_t>(bytesWidth, instruction.size);
  bytesWidth = std::min<std::size_t>(bytesWidth, 10) * 3;
  constexpr std::size_t kTextWidth = 40;
  std::string out = escaped(image.plainName(symbol)) + ":\n";
  uint64_t done = 0;
  for (const auto& instruction : instructions) {
    if (++done % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::string digits = hexText(instruction.address).substr(2);
    std::string line(addressWidth - std::min(digits.size(), addressWidth), ' ');
    line += digits + "  ";
    const std::size_t textAt = line.size() + bytesWidth + 1;
    line += spacedHex(code->bytes.view().substr(instruction.address - code->address, instruction.size));
    pad(line, textAt - 1);
    line += ' ' + instruction.text;
    const auto place = instruction.target ? instruction.target : instruction.memory;
    if (place) {
      // In an object file, targets outside the section are filled in by the linker later; until then they point to the
      // next instruction or to this one. Addresses of data are never known.
      const bool open =
          image.kind == Kind::Object &&
          (!instruction.target || *place == instruction.address + instruction.size || *place == instruction.address);
      const std::string name = open ? std::string() : names.of(*place);
      if (!name.empty()) {
        pad(line, textAt + kTextWidth);
        line += (instruction.target ? "  ; <" : "  ; " + hexText(*place) + " <") + name + ">";
      }
    }
    out += line + '\n';
  }
  const uint64_t shown = instructions.empty() ? 0 : last + instructions.back().size - code->address;
  if (shown < code->bytes.size())
    out += "; " + sizeText(code->bytes.size() - shown) + " after the first " + groupedText(options.maxInstructions) +
           " instructions are omitted\n";
  return view::Page{std::string(kPageName), view::TextPage{Bytes::copyOf(out), "asm"}};
}

} // namespace

std::optional<HostCode> findHostCode(const Image& image, uint32_t index) {
  if (index >= image.symbols.size()) return std::nullopt;
  Symbol symbol = image.symbols[index];
  HostCode code;
  const bool thumb = isArm(image) && (symbol.value & 1) != 0;
  code.arch = thumb ? "thumb" : image.arch;
  symbol.value = addressOf(image, symbol);
  code.address = symbol.value;
  const auto bytes = image.findBytesOf(symbol);
  if (!bytes || bytes->empty()) return std::nullopt;
  uint64_t size = symbol.size;
  if (size == 0) {
    // Mach-O and PE have no sizes: the function ends at the next symbol in the same section.
    const Section* const section = image.findSectionOf(symbol);
    uint64_t next = UINT64_MAX;
    for (const Symbol& other : image.symbols) {
      if (!isNamed(image, other)) continue;
      const uint64_t address = addressOf(image, other);
      if (address <= code.address || address >= next) continue;
      if (image.findSectionOf(other) == section) next = address;
    }
    size = next - code.address;
  }
  code.bytes = bytes->slice(0, size);
  return code;
}

view::Page hostCodePage(std::shared_ptr<const Image> image, uint32_t symbol) {
  const auto make = [image = std::move(image), symbol](Monitor& monitor) { return makePage(*image, symbol, monitor); };
  return {std::string(kPageName), view::DeferredPage{"text", make}};
}

} // namespace blobscope::library
