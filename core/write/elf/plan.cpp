#include "core/write/elf/plan.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/write/elf/object.h"

#include <algorithm>
#include <functional>

namespace blobscope::write {
namespace elf {

Error shapeError(std::string reason) {
  return Error(DiagnosticId::PlanLayout, {arg("format", "ELF"), arg("reason", reason)});
}

// --- patches
// ----------------------------------------------------------------------------------------------------------

void Patches::set(const File& file, uint64_t offset, std::string bytes, std::string why) {
  if (file.bytes.slice(offset, bytes.size()).view() == bytes) return;
  const uint64_t size = bytes.size();
  m_patches.push_back({offset, size, Patch::Kind::Literal, std::move(bytes), 0, std::move(why)});
}

void Patches::zeros(uint64_t offset, uint64_t size, std::string why) {
  if (size > 0) m_patches.push_back({offset, size, Patch::Kind::Zeros, {}, 0, std::move(why)});
}

void Patches::copy(uint64_t offset, Extent from, std::string why) {
  if (from.size > 0) m_patches.push_back({offset, from.size, Patch::Kind::Copy, {}, from.offset, std::move(why)});
}

Result<Done> Patches::settle(Extent within) {
  std::sort(m_patches.begin(), m_patches.end(), [](const Patch& a, const Patch& b) { return a.offset < b.offset; });
  uint64_t done = within.offset;
  for (const Patch& patch : m_patches) {
    if (patch.offset < done || !within.contains(Extent{patch.offset, patch.size}))
      return shapeError("its parts overlap at " + hexText(patch.offset));
    done = patch.offset + patch.size;
  }
  return Done{};
}

void Patches::emit(PlanBuilder& builder, Extent extent) const {
  uint64_t done = extent.offset;
  const auto first = std::lower_bound(m_patches.begin(), m_patches.end(), extent.offset,
                                      [](const Patch& patch, uint64_t offset) { return patch.offset < offset; });
  for (auto it = first; it != m_patches.end() && it->offset < extent.end(); ++it) {
    builder.input({done, it->offset - done});
    switch (it->kind) {
    case Patch::Kind::Literal: builder.literal(Bytes::copyOf(it->bytes), it->why); break;
    case Patch::Kind::Zeros: builder.zeros(it->size, it->why); break;
    case Patch::Kind::Copy: builder.input({it->from, it->size}); break;
    }
    done = it->offset + it->size;
  }
  builder.input({done, extent.end() - done});
}

void noteBuildId(const File& file, Plan& plan) {
  const auto holds = [&](Extent extent, uint64_t align) { return file.readNotes(extent, align).buildId; };
  bool found = false;
  for (const ProgramHeader& header : file.programs)
    found = found || (header.type == kNote && holds(header.file(), header.align));
  for (const SectionHeader& section : file.sections)
    found = found || (section.type == kNoteSection && section.allocated() && holds(section.file(), section.align));
  if (found) plan.consequences.push_back({DiagnosticId::PlanBuildIdKept, {}, {}});
}

// --- where things are
// -------------------------------------------------------------------------------------------------

namespace {

/// Symbols that label one blob: real files have one in each of two tables. Each is rewritten by itself.
constexpr std::size_t kMaxBlobSymbols = 256;

/// Offset of the first entry of the table that `package` shows the symbols of, nothing when there is no such table.
std::optional<uint64_t> dynamicTable(const File& file, bool& asLoaded) {
  if (const DynamicTag* const tag = file.findTag(kTagSymbols)) {
    if (const auto offset = AddressMap(file).offsetOf(tag->value, file.symbolSize())) {
      asLoaded = true;
      return offset;
    }
  }
  for (const SectionHeader& section : file.sections)
    if (section.type == kDynSym) return section.offset;
  return std::nullopt;
}

/// Finds the entries of the symbols that label the blob. They are those of the image, which lists the loader's table
/// from its entry 1 on and then .symtab. REP-SHAPE when there are more than any file has; Cancelled.
Result<Done> findSymbols(Site& site, Monitor& monitor) {
  const container::Image& image = site.package.image;
  const File& file = site.file;
  bool asLoaded = false;
  const auto dynamic = dynamicTable(file, asLoaded);
  std::optional<uint64_t> fixed;
  for (const SectionHeader& section : file.sections)
    if (section.type == kSymTab && !fixed) fixed = section.offset;
  uint64_t dynamicCount = 0;
  for (const container::Symbol& symbol : image.symbols) dynamicCount += symbol.dynamic;
  for (uint64_t i = 0; i < image.symbols.size(); ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const container::Symbol& symbol = image.symbols[i];
    const auto base = symbol.dynamic ? dynamic : fixed;
    if (!base || symbol.value != site.address || !symbol.defined || symbol.absolute) continue;
    // Other spellings of the same place label the same blob.
    if (symbol.name != site.blob.carrier.symbol && !container::matchCarrier(symbol.name)) continue;
    const uint64_t number = symbol.dynamic ? i + 1 : i - dynamicCount + 1, offset = *base + number * file.symbolSize();
    if (!Extent{0, file.bytes.size()}.contains(Extent{offset, file.symbolSize()})) continue;
    const SymbolPlace place{offset, number, file.symbol(offset), symbol.dynamic};
    if (place.symbol.value != site.address) continue; // a damaged file, in which the two readings differ
    if (image.kind == container::Kind::Object) {
      const auto bytes = image.findBytesOf(symbol); // the same value in another section is another place
      if (!bytes || bytes->data() != site.blob.bytes.data()) continue;
    }
    if (site.symbols.size() == kMaxBlobSymbols)
      return shapeError("more than " + std::to_string(kMaxBlobSymbols) + " symbols label the blob");
    site.symbols.push_back(place);
    if (symbol.dynamic && asLoaded) site.table.moving.push_back(number);
  }
  std::sort(site.symbols.begin(), site.symbols.end(),
            [](const SymbolPlace& a, const SymbolPlace& b) { return a.offset < b.offset; });
  if (asLoaded) {
    site.table.offset = *dynamic;
    site.table.count = dynamicCount + 1;
  }
  return Done{};
}

/// The same file with other bytes in the blob's place, which are not more than before.
Result<Plan> inPlace(const Site& site, const NewBlob& fresh) {
  std::vector<Overwrite> overwrites;
  uint64_t done = 0;
  for (const SymbolPlace& place : site.symbols) {
    // A size of 0 says that there is none.
    if (place.symbol.size == 0 || place.symbol.size == fresh.size) continue;
    const Extent field = site.file.sizePlace(place.offset);
    if (field.offset < done || overlap(field, site.place())) return shapeError("its symbol table overlaps the blob");
    done = field.end();
    overwrites.push_back({field.offset, Bytes::copyOf(site.file.encode(fresh.size, field.size)), "symbol size"});
  }
  Plan plan = overwritePlan(site.package, site.place(), fresh, std::move(overwrites));
  noteBuildId(site.file, plan);
  return plan;
}

// --- resizing the end of the last segment ----------------------------------------------------------------------------

/// Everything that is known once the blob is found to be the last thing that is loaded.
struct Tail {
  std::size_t program = 0;            ///< number of the segment
  std::optional<std::size_t> section; ///< that holds the blob and ends with it
  std::optional<uint64_t> next;       ///< lowest offset of what lies behind the blob
  uint64_t align = 16;                ///< of what lies behind
};

bool allZeros(const Bytes& bytes) { return bytes.view().find_first_not_of('\0') == std::string_view::npos; }

/// The rules of rewriting.md 4.2, "tail_ok", and that nothing but zeros is given up.
std::optional<Tail> findTail(const Site& site) {
  const File& file = site.file;
  const uint64_t end = site.place().end(), fileSize = file.bytes.size();
  if (file.type != kShared || !file.programsProblem.empty() || !file.sectionsProblem.empty()) return std::nullopt;
  Tail tail;
  const ProgramHeader* last = nullptr;
  for (std::size_t i = 0; i < file.programs.size(); ++i) {
    const ProgramHeader& header = file.programs[i];
    if (header.type != kLoad || header.memorySize == 0 || (last && header.address < last->address)) continue;
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
    if (i != tail.program && file.programs[i].fileSize > 0 && file.programs[i].type != kNull &&
        file.programs[i].file().end() > site.offset)
      return std::nullopt;
  if (file.programTable().end() > site.offset) return std::nullopt;

  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    const SectionHeader& section = file.sections[i];
    const bool local = section.flags & kTls && section.type == kNoBits; // takes no addresses
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
  // A datum of a few bytes that begins in the padding would be overwritten.
  for (const container::Symbol& symbol : site.package.image.symbols)
    if (symbol.defined && !symbol.absolute && symbol.value > site.address && symbol.value < last->memory().end() &&
        symbol.type != container::SymbolType::Section && symbol.type != container::SymbolType::Tls)
      return std::nullopt;
  if (tail.next.value_or(fileSize) > fileSize) return std::nullopt;
  if (!allZeros(file.bytes.slice(end, tail.next.value_or(fileSize) - end))) return std::nullopt;
  return tail;
}

} // namespace

Result<std::optional<Plan>> resizeTail(const Site& site, const NewBlob& fresh) {
  const auto tail = findTail(site);
  if (!tail) return std::optional<Plan>();
  const File& file = site.file;
  const uint64_t fileSize = file.bytes.size();
  const auto tooLarge = [&] {
    return Error(DiagnosticId::PlanSize,
                 {sizeArg("size", Extent{site.offset, fresh.size}.end()), sizeArg("limit", file.limit())},
                 site.blob.ref());
  };

  // 1. Where the blob ends and where the rest goes. The rest keeps its place modulo its alignment.
  ProgramHeader segment = file.programs[tail->program];
  const uint64_t next = tail->next.value_or(fileSize);
  const auto end = checkedAdd(site.offset, fresh.size), memoryEnd = checkedAdd(site.address, fresh.size);
  const auto padded = end ? roundedUp(*end, 16) : std::nullopt;
  if (!padded || !memoryEnd || *memoryEnd > file.limit()) return tooLarge();
  // With nothing behind it the segment would end the file, which old loaders reject (patchelf #144).
  const auto newNext = tail->next ? checkedAdd(*padded, (next - *padded) & (tail->align - 1)) : checkedAdd(*padded, 16);
  const auto newSize = newNext ? checkedAdd(*newNext, fileSize - next) : std::nullopt;
  if (!newSize || *newSize > file.limit()) return tooLarge();
  const uint64_t shift = *newNext - next; // modulo 2⁶⁴

  // 2. The fields that say so.
  Patches patches;
  segment.fileSize = segment.memorySize = site.offset - segment.offset + fresh.size;
  patches.set(file, file.programsOffset + tail->program * file.programSize(), file.encode(segment),
              "program header of the blob's segment");
  for (const SymbolPlace& place : site.symbols) {
    Symbol symbol = place.symbol;
    symbol.size = fresh.size;
    patches.set(file, place.offset, file.encode(symbol), "symbol size");
  }
  uint64_t headersChanged = 0;
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    SectionHeader section = file.sections[i];
    if (tail->section == i) section.size = site.offset - section.offset + fresh.size;
    if (tail->next && i > 0 && section.offset >= next && section.type != kNull) section.offset += shift;
    const std::size_t before = patches.size();
    patches.set(file, file.sectionsOffset + i * file.sectionSize(), file.encode(section), "section headers");
    headersChanged += patches.size() - before;
  }
  if (!file.sections.empty() && tail->next && file.sectionsOffset >= next) {
    const Extent field = file.place(Field::SectionsOffset);
    patches.set(file, field.offset, file.encode(file.sectionsOffset + shift, field.size), "file header");
  }
  BLOBSCOPE_CHECK(patches.settle({0, fileSize}));

  // 3. The output.
  PlanBuilder builder;
  patches.emit(builder, {0, site.offset});
  builder.step("Copy the file up to the blob", 0, site.offset, "byte for byte, apart from sizes");
  builder.blob(fresh);
  builder.step("Write the new blob", site.offset, fresh.size, "nothing that is loaded lies behind it");
  builder.zeros(*newNext - *end, "padding behind the blob");
  if (tail->next) {
    patches.emit(builder, {next, fileSize - next});
    builder.step("Copy the rest of the file", *newNext, fileSize - next,
                 shift == 0 ? "it stays where it is" : "it follows the end of the blob");
  }
  for (const SymbolPlace& place : site.symbols)
    if (const Extent field = file.sizePlace(place.offset); place.symbol.size != fresh.size)
      builder.step("Set: symbol size", place.offset >= next ? field.offset + shift : field.offset, field.size,
                   "follows from the new blob");
  if (headersChanged > 0)
    builder.step("Change section headers",
                 file.sectionsOffset >= next ? file.sectionsOffset + shift : file.sectionsOffset,
                 headersChanged * file.sectionSize(), "sizes and places of the blob and of what lies behind it");
  Plan plan = builder.take("resize");
  if (tail->next && shift != 0) addMoved(plan, {*newNext, fileSize - next});
  addStretch(plan.before, Stretch::Kind::Other, site.offset);
  plan.after = plan.before;
  addStretch(plan.before, Stretch::Kind::Blob, site.room);
  addStretch(plan.after, Stretch::Kind::Blob, fresh.size);
  addStretch(plan.before, Stretch::Kind::Other, fileSize - site.place().end());
  addStretch(plan.after, Stretch::Kind::Other, plan.size() - *end);
  noteBuildId(file, plan);
  return std::optional(std::move(plan));
}

} // namespace elf

// --- choosing
// ---------------------------------------------------------------------------------------------------------

Result<Plan> planElf(const library::Package& package, const library::Blob& blob, const NewBlob& fresh,
                     const PlanOptions& options, Monitor& monitor) {
  longWork("write::planElf");
  BLOBSCOPE_TRY(file, elf::File::read(package.bytes));
  // Not by the place of the bytes: those on the heap have none.
  const std::byte *const first = package.bytes.data(), *const at = blob.bytes.data();
  const std::less<const std::byte*> before;
  if (before(at, first) || before(first + package.bytes.size(), at + blob.bytes.size()))
    return Error(DiagnosticId::PlanNoLoad, {}, blob.ref());
  elf::Site site{package, blob, std::move(file), 0, 0, 0, {}, {}};
  site.offset = static_cast<uint64_t>(at - first);
  site.address = blob.carrier.address;
  site.room = blob.bytes.size();
  BLOBSCOPE_CHECK(elf::findSymbols(site, monitor));

  if (fresh.size == site.room) return elf::inPlace(site, fresh);
  if (site.file.type == elf::kRelocatable) {
    auto planned = elf::planObject(site, fresh, options, monitor);
    if (planned && *planned) return std::move(**planned);
    // In place nothing moves, so that what stands against moving does not matter.
    if (fresh.size < site.room && (planned || planned.error().code() != ErrorCode::Cancelled))
      return elf::inPlace(site, fresh);
    return planned.takeError();
  }
  BLOBSCOPE_TRY(resized, elf::resizeTail(site, fresh));
  if (resized) return std::move(*resized);
  if (fresh.size <= site.room) return elf::inPlace(site, fresh);
  return elf::appendBlob(site, fresh, options, monitor);
}

} // namespace blobscope::write
