#include "core/write/elf/plan.h"

#include <algorithm>

namespace blobscope::write::elf {
namespace {

/// Facts about a blob that is the last loaded part of the file.
struct Tail {
  std::size_t program = 0;            ///< index of the segment
  std::optional<std::size_t> section; ///< the section that contains the blob and ends with it
  std::optional<uint64_t> next;       ///< lowest offset of the bytes after the blob
  uint64_t align = 16;                ///< alignment of the bytes after the blob
};

bool allZeros(const Bytes& bytes) { return bytes.view().find_first_not_of('\0') == std::string_view::npos; }

/// Checks the rules of core/formats/containers.md 4.2, "tail_ok", and that only zeros would be lost.
std::optional<Tail> findTail(const Site& site) {
  const File& file = site.file;
  const uint64_t end = site.place().end(), fileSize = file.bytes.size();
  if (file.type != ET_DYN || !file.programsProblem.empty() || !file.sectionsProblem.empty()) return std::nullopt;
  Tail tail;
  const ProgramHeader* last = nullptr;
  for (std::size_t i = 0; i < file.programs.size(); ++i) {
    const ProgramHeader& header = file.programs[i];
    if (header.type != PT_LOAD || header.memorySize == 0 || (last && header.address < last->address)) continue;
    last = &header;
    tail.program = i;
  }
  if (!last || last->fileSize != last->memorySize || !Extent{0, fileSize}.contains(last->file())) return std::nullopt;
  if (!last->file().contains(site.place()) || last->address + (site.offset - last->offset) != site.address)
    return std::nullopt;
  const uint64_t segmentEnd = last->file().end();
  const auto rounded = roundedUp(end, 16);
  if (!rounded || *rounded < segmentEnd || !allZeros(file.bytes.slice(end, segmentEnd - end))) return std::nullopt;
  for (std::size_t i = 0; i < file.programs.size(); ++i)
    if (i != tail.program && file.programs[i].fileSize > 0 && file.programs[i].type != PT_NULL &&
        file.programs[i].file().end() > site.offset)
      return std::nullopt;
  if (file.programTable().end() > site.offset) return std::nullopt;

  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    const SectionHeader& section = file.sections[i];
    const bool local = section.flags & SHF_TLS && section.type == SHT_NOBITS; // occupies no addresses
    if (section.allocated() && section.size > 0 && !local && section.address > site.address) return std::nullopt;
    const Extent extent = section.file();
    if (extent.size == 0) continue;
    if (extent.contains(site.place())) {
      if (tail.section || !section.allocated() || extent.end() > std::max(end, segmentEnd)) return std::nullopt;
      tail.section = i;
    } else if (extent.offset >= end) {
      if (section.allocated()) return std::nullopt;
      tail.next = std::min(tail.next.value_or(UINT64_MAX), extent.offset);
      if (section.align > 16 && section.align <= 4096 && (section.align & (section.align - 1)) == 0)
        tail.align = std::max(tail.align, section.align);
    } else if (extent.end() > site.offset) {
      return std::nullopt;
    }
  }
  if (!file.sections.empty()) {
    if (file.sectionsOffset >= end)
      tail.next = std::min(tail.next.value_or(UINT64_MAX), file.sectionsOffset);
    else if (file.sectionTable().end() > site.offset)
      return std::nullopt;
  }
  // Small data that begins in the padding would be overwritten.
  for (const container::Symbol& symbol : site.request.package.image.symbols)
    if (symbol.defined && !symbol.absolute && symbol.value > site.address && symbol.value < last->memory().end() &&
        symbol.type != container::SymbolType::Section && symbol.type != container::SymbolType::Tls)
      return std::nullopt;
  if (tail.next.value_or(fileSize) > fileSize) return std::nullopt;
  if (!allZeros(file.bytes.slice(end, tail.next.value_or(fileSize) - end))) return std::nullopt;
  return tail;
}

/// Sets the fields of headers and symbols for a blob of `newSize` bytes, and adds `shift` (modulo 2⁶⁴) to offsets from
/// `next` on. Returns the number of changed section headers.
uint64_t patchHeaders(const Site& site, const Tail& tail, uint64_t newSize, uint64_t next, uint64_t shift,
                      Patches& patches) {
  const File& file = site.file;
  ProgramHeader segment = file.programs[tail.program];
  segment.fileSize = segment.memorySize = site.offset - segment.offset + newSize;
  patches.set(file, file.programsOffset + tail.program * file.programSize(), file.encode(segment),
              "program header of the blob's segment");
  for (const SymbolPlace& place : site.symbols) {
    Symbol symbol = place.symbol;
    symbol.size = newSize;
    patches.set(file, place.offset, file.encode(symbol), "symbol size");
  }
  uint64_t headersChanged = 0;
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    SectionHeader section = file.sections[i];
    if (tail.section == i) section.size = site.offset - section.offset + newSize;
    if (tail.next && i > 0 && section.offset >= next && section.type != SHT_NULL) section.offset += shift;
    const std::size_t before = patches.size();
    patches.set(file, file.sectionsOffset + i * file.sectionSize(), file.encode(section), "section headers");
    headersChanged += patches.size() - before;
  }
  if (!file.sections.empty() && tail.next && file.sectionsOffset >= next) {
    const Extent field = file.place(HeaderField::SectionsOffset);
    patches.set(file, field.offset, file.encode(file.sectionsOffset + shift, field.size), "file header");
  }
  return headersChanged;
}

} // namespace

Result<std::optional<Plan>> resizeTail(const Site& site) {
  const auto tail = findTail(site);
  if (!tail) return std::optional<Plan>();
  const File& file = site.file;
  const NewBlob& newBlob = site.request.newBlob;
  const uint64_t fileSize = file.bytes.size();
  const auto tooLarge = [&] {
    return Error(DiagnosticId::PlanSize,
                 {sizeArg("size", Extent{site.offset, newBlob.size}.end()), sizeArg("limit", file.limit())},
                 site.request.blob.ref());
  };

  // 1. The end of the blob and the new offset of the rest, which keeps its offset modulo its alignment.
  const uint64_t next = tail->next.value_or(fileSize);
  const auto end = checkedAdd(site.offset, newBlob.size), memoryEnd = checkedAdd(site.address, newBlob.size);
  const auto padded = end ? roundedUp(*end, 16) : std::nullopt;
  if (!padded || !memoryEnd || *memoryEnd > file.limit()) return tooLarge();
  // Without bytes after it the segment would end the file, which old loaders reject (patchelf #144).
  const auto newNext = tail->next ? checkedAdd(*padded, (next - *padded) & (tail->align - 1)) : checkedAdd(*padded, 16);
  const auto newSize = newNext ? checkedAdd(*newNext, fileSize - next) : std::nullopt;
  if (!newSize || *newSize > file.limit()) return tooLarge();
  const uint64_t shift = *newNext - next; // modulo 2⁶⁴

  Patches patches;
  const uint64_t headersChanged = patchHeaders(site, *tail, newBlob.size, next, shift, patches);
  BLOBSCOPE_CHECK(patches.settle({0, fileSize}));

  // 2. The output.
  PlanBuilder builder;
  patches.addPatched(builder, {0, site.offset});
  builder.step("Copy the file up to the blob", 0, site.offset, "byte for byte, except for sizes");
  builder.blob(newBlob);
  builder.step("Write the new blob", site.offset, newBlob.size, "no loaded bytes are after it");
  builder.zeros(*newNext - *end, "padding after the blob");
  if (tail->next) {
    patches.addPatched(builder, {next, fileSize - next});
    builder.step("Copy the rest of the file", newNext, fileSize - next,
                 shift == 0 ? "it stays where it is" : "it follows the end of the blob");
  }
  for (const SymbolPlace& place : site.symbols)
    if (const Extent field = file.sizePlace(place.offset); place.symbol.size != newBlob.size)
      builder.step("Set: symbol size", place.offset >= next ? field.offset + shift : field.offset, field.size,
                   "follows from the new blob");
  if (headersChanged > 0)
    builder.step("Change section headers",
                 file.sectionsOffset >= next ? file.sectionsOffset + shift : file.sectionsOffset,
                 headersChanged * file.sectionSize(), "sizes and offsets of the blob and of what follows it");
  Plan plan = builder.take({Strategy::Resize});
  if (tail->next && shift != 0) addMoved(plan, {*newNext, fileSize - next});
  addRange(plan.before, PlanRange::Kind::Other, site.offset);
  plan.after = plan.before;
  addRange(plan.before, PlanRange::Kind::Blob, site.room);
  addRange(plan.after, PlanRange::Kind::Blob, newBlob.size);
  addRange(plan.before, PlanRange::Kind::Other, fileSize - site.place().end());
  addRange(plan.after, PlanRange::Kind::Other, plan.size() - *end);
  noteBuildId(file, plan);
  return std::optional(std::move(plan));
}

} // namespace blobscope::write::elf
