#include "core/container/image.h"

#include "core/base/limits.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace blobscope::container {

std::string_view formatName(Format format) {
  constexpr std::array<std::string_view, 11> kNames = {"elf", "pe",  "coff", "macho",    "universal", "wasm",
                                                       "ar",  "tar", "zip",  "c-source", "raw"};
  return kNames[static_cast<std::size_t>(format)];
}

std::string_view formatTitle(Format format) {
  constexpr std::array<std::string_view, 11> kTitles = {
      "ELF", "PE", "COFF", "Mach-O", "Universal Mach-O", "WebAssembly", "ar", "tar", "zip", "C source", "raw bytes"};
  return kTitles[static_cast<std::size_t>(format)];
}

std::string_view kindName(Kind kind) {
  constexpr std::array<std::string_view, 8> kNames = {"shared", "object",  "executable", "core",
                                                      "other",  "archive", "text",       "module"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view symbolTypeName(SymbolType type) {
  constexpr std::array<std::string_view, 7> kNames = {"none", "object", "function", "section", "file", "tls", "other"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view bindingName(Binding binding) {
  constexpr std::array<std::string_view, 4> kNames = {"local", "global", "weak", "other"};
  return kNames[static_cast<std::size_t>(binding)];
}

std::optional<Bytes> Image::findBytesAt(uint64_t address) const {
  for (const Segment& segment : segments) {
    const Extent inMemory{segment.address, segment.file.size};
    if (!inMemory.contains(address) || !Extent{0, file.size()}.contains(segment.file)) continue;
    const uint64_t delta = address - segment.address;
    return file.slice(segment.file.offset + delta, segment.file.size - delta);
  }
  return std::nullopt;
}

const Section* Image::findSectionOf(const Symbol& symbol) const {
  if (!symbol.defined || symbol.absolute) return nullptr;
  // The value of an object file's symbol counts from its section. A linked file's section index is only a hint: `strip`
  // and other tools leave it outdated (seen), so the address decides.
  if (kind == Kind::Object) return symbol.section < sections.size() ? &sections[symbol.section] : nullptr;
  const auto holds = [&](const Section& section) {
    return section.allocated && Extent{section.address, section.size}.contains(symbol.value);
  };
  if (symbol.section < sections.size() && holds(sections[symbol.section])) return &sections[symbol.section];
  for (const Section& section : sections)
    if (holds(section)) return &section;
  return nullptr;
}

std::optional<Bytes> Image::findBytesOf(const Symbol& symbol) const {
  if (!symbol.defined || symbol.absolute) return std::nullopt;
  const Section* const section = findSectionOf(symbol);
  if (kind == Kind::Object) {
    if (!section || symbol.value >= section->file.size) return std::nullopt;
    return file.slice(section->file.offset + symbol.value, section->file.size - symbol.value);
  }
  std::optional<Bytes> mapped = findBytesAt(symbol.value);
  if (!section) return mapped;
  const uint64_t delta = symbol.value - section->address;
  if (mapped) return mapped->slice(0, section->size - delta);
  // No segment covers it (a damaged program header table), but the section says where the bytes are.
  if (delta >= section->file.size) return std::nullopt;
  return file.slice(section->file.offset + delta, section->file.size - delta);
}

uint64_t symbolLimit(const Bytes& file) {
  const Budget* const budget = file.owner() ? file.owner()->budget() : nullptr;
  if (!budget) return limits::kSymbols;
  return std::min<uint64_t>(limits::kSymbols, (budget->memoryLimit() - budget->memory()) / sizeof(Symbol));
}

Diagnostic longMemberName(std::string_view name) {
  return {DiagnosticId::FileLimit,
          Ref::file(),
          {arg("count", name.size()),
           {"what", "bytes in the name of member '" + escapedWithin(name, 60) + "'"},
           arg("limit", limits::kMemberName)}};
}

} // namespace blobscope::container
