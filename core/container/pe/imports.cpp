#include "core/container/pe/imports.h"

#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::container::pe {
namespace {

/// An address relative to the image base; smaller ones become 0.
uint64_t relative(uint64_t address, uint64_t base) { return address - std::min(base, address); }

} // namespace

std::optional<ImportLibrary> importLibraryAt(const File& file, std::string_view table, uint64_t index, bool delayed) {
  const uint64_t size = delayed ? 32 : 20;
  if (table.size() / size <= index) return std::nullopt;
  const auto field = [&](uint64_t at) { return uint64_t{numberAt<uint32_t>(table, index * size + at)}; };
  ImportLibrary out;
  if (delayed) {
    constexpr uint64_t kRelative = 1; // delayimp.h: dlattrRva
    out.base = field(0) & kRelative ? 0 : file.imageBase;
    out.name = relative(field(4), out.base);
    out.words = relative(field(12), out.base);
    out.lookup = relative(field(16), out.base);
  } else {
    out.name = field(12);
    out.words = field(16);
    // Old linkers write no lookup table; until the library is loaded, the other words have the same content.
    out.lookup = field(0) != 0 ? field(0) : out.words;
  }
  if (out.name == 0 || (out.words == 0 && !delayed)) return std::nullopt;
  return out;
}

std::optional<Import> importAt(const File& file, const ImportLibrary& library, std::string_view lookup,
                               uint64_t index) {
  const unsigned size = file.is64 ? 8 : 4;
  if (lookup.size() / size <= index) return std::nullopt;
  const uint64_t word = numberAt(lookup, index * size, size, false);
  if (word == 0) return std::nullopt;
  if (word >> (8 * size - 1)) return Import{static_cast<uint16_t>(word), 0};
  constexpr uint64_t kHint = 2; // a number before the name
  return Import{std::nullopt, relative(word & 0x7fffffff, library.base) + kHint};
}

} // namespace blobscope::container::pe
