#include "core/base/text.h"
#include "core/container/carrier.h"
#include "core/write/macho/plan.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write::macho {
namespace {

/// The limit of symbols that label one blob, since each is rewritten separately: real files have one.
constexpr std::size_t kMostBlobSymbols = 256;

} // namespace

Result<std::vector<SymbolPlace>> findBlobSymbols(const File& file, const library::Package& package, uint64_t address,
                                                 uint64_t ordinal, Monitor& monitor) {
  std::vector<SymbolPlace> found;
  const Table *const symbols = file.findTable(Role::Symbols), *const strings = file.findTable(Role::Strings);
  if (!symbols || !strings) return found;
  const Extent whole{0, file.bytes.size()};
  if (!whole.contains(symbols->file) || !whole.contains(strings->file))
    return layoutError(package, "its symbol table extends past the end of the file");
  const std::string_view names = file.text().substr(strings->file.offset, strings->file.size);
  const uint64_t count = symbols->file.size / kSymbolSize;
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const uint64_t at = symbols->file.offset + i * kSymbolSize;
    const Symbol symbol = file.symbol(at);
    if ((symbol.type & N_TYPE) != N_SECT || symbol.value != address || symbol.name >= names.size()) continue;
    if (ordinal != 0 && symbol.section != ordinal) continue;
    // Names of carriers are short, but all symbols of a crafted file may point into one endless text.
    std::string_view name = names.substr(symbol.name, 4'096);
    name = name.substr(0, name.find('\0'));
    if (!container::matchCarrier(name)) continue;
    if (found.size() == kMostBlobSymbols)
      return layoutError(package, "more than " + std::to_string(kMostBlobSymbols) + " symbols label the blob");
    found.push_back({at, symbol.section, (symbol.type & N_EXT) != 0});
  }
  return found;
}

Overwrite moveSymbol(const File& file, const SymbolPlace& symbol, uint64_t section, uint64_t address) {
  // n_sect, n_desc, n_value
  const std::string entry = numberText(section, 1, false) +
                            numberText(file.symbol(symbol.offset).description, 2, false) +
                            numberText(address, 8, false);
  return {symbol.offset + 5, Bytes::copyOf(entry), "symbol"};
}

void addPatched(PlanBuilder& builder, Extent extent, const std::vector<Overwrite>& edits) {
  uint64_t done = extent.offset;
  for (const Overwrite& edit : edits) {
    if (edit.offset < done || !extent.contains(Extent{edit.offset, edit.bytes.size()})) continue;
    builder.input({done, edit.offset - done});
    builder.literal(edit.bytes, edit.why);
    done = edit.offset + edit.bytes.size();
  }
  builder.input({done, extent.end() - done});
}

std::string sectionHeader(std::string_view name, std::string_view segment, uint64_t address, uint64_t size,
                          uint64_t offset) {
  std::string out = nameField(name) + nameField(segment) + numberText(address, 8, false) + numberText(size, 8, false) +
                    numberText(offset, 4, false) + numberText(4, 4, false); // aligned to 2⁴
  return out + std::string(24, '\0');                                       // relocations, flags: S_REGULAR, reserved
}

std::string nameField(std::string_view name) {
  std::string field(name);
  field.resize(16, '\0');
  return field;
}

} // namespace blobscope::write::macho
