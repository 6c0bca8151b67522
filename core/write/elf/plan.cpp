#include "core/write/elf/plan.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"

#include <algorithm>
#include <functional>

namespace blobscope::write {
namespace elf {

Error shapeError(const std::string& reason) {
  return Error(DiagnosticId::PlanLayout, {arg("format", "ELF"), arg("reason", reason)});
}

// --- patches

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

void Patches::addPatched(PlanBuilder& builder, Extent extent) const {
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
    found = found || (header.type == PT_NOTE && holds(header.file(), header.align));
  for (const SectionHeader& section : file.sections)
    found = found || (section.type == SHT_NOTE && section.allocated() && holds(section.file(), section.align));
  if (found) plan.consequences.push_back({DiagnosticId::PlanBuildIdKept, {}, {}});
}

// --- finding the blob and its symbols

namespace {

/// The limit of symbols that label one blob, since each is rewritten separately: real files have one in each of two
/// tables.
constexpr std::size_t kMaxBlobSymbols = 256;

/// Returns the offset of the first entry of the table from which `package` reads symbols; nothing when there is no such
/// table.
std::optional<uint64_t> dynamicTable(const File& file, bool& asLoaded) {
  if (const DynamicTag* const tag = file.findTag(DT_SYMTAB)) {
    if (const auto offset = AddressMap(file).offsetOf(tag->value, file.symbolSize())) {
      asLoaded = true;
      return offset;
    }
  }
  for (const SectionHeader& section : file.sections)
    if (section.type == SHT_DYNSYM) return section.offset;
  return std::nullopt;
}

/// Finds the entries of the symbols that label the blob, from the symbols of the image, which lists the dynamic table
/// from its entry 1 on and then .symtab. Errors: REP-SHAPE when there are more than any file has, Cancelled.
Result<Done> findSymbols(Site& site) {
  const container::Image& image = site.request.package.image;
  const File& file = site.file;
  bool asLoaded = false;
  const auto dynamic = dynamicTable(file, asLoaded);
  std::optional<uint64_t> fixed;
  for (const SectionHeader& section : file.sections)
    if (section.type == SHT_SYMTAB && !fixed) fixed = section.offset;
  uint64_t dynamicCount = 0;
  for (const container::Symbol& symbol : image.symbols) dynamicCount += symbol.dynamic;
  for (uint64_t i = 0; i < image.symbols.size(); ++i) {
    if (i % 4096 == 0 && site.request.monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const container::Symbol& symbol = image.symbols[i];
    const auto base = symbol.dynamic ? dynamic : fixed;
    if (!base || symbol.value != site.address || !symbol.defined || symbol.absolute) continue;
    // Other carrier names at the same address label the same blob.
    if (symbol.name != site.request.blob.carrier.symbol && !container::matchCarrier(symbol.name)) continue;
    const uint64_t number = symbol.dynamic ? i + 1 : i - dynamicCount + 1, offset = *base + number * file.symbolSize();
    if (!Extent{0, file.bytes.size()}.contains(Extent{offset, file.symbolSize()})) continue;
    const SymbolPlace place{offset, number, file.symbol(offset), symbol.dynamic};
    if (place.symbol.value != site.address) continue; // a damaged file, in which the two readers disagree
    if (image.kind == container::Kind::Object) {
      const auto bytes = image.findBytesOf(symbol); // the same value in another section is a different address
      if (!bytes || bytes->data() != site.request.blob.bytes.data()) continue;
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

} // namespace
} // namespace elf

Result<Plan> planElf(const PlanRequest& request) {
  longWork("write::planElf");
  const library::Package& package = request.package;
  const library::Blob& blob = request.blob;
  const uint64_t newSize = request.newBlob.size;
  auto file = container::elf::File::readHeader(package.bytes);
  if (!file) return elf::shapeError("it has no ELF header of a known class and byte order");
  file->readTables();
  // Compares pointers, because bytes on the heap have no offset.
  const std::byte *const first = package.bytes.data(), *const at = blob.bytes.data();
  const std::less<const std::byte*> before;
  if (before(at, first) || before(first + package.bytes.size(), at + blob.bytes.size()))
    return Error(DiagnosticId::PlanNoLoad, {}, blob.ref());
  elf::Site site{request, std::move(*file), 0, 0, 0, {}, {}};
  site.offset = static_cast<uint64_t>(at - first);
  site.address = blob.carrier.address;
  site.room = blob.bytes.size();
  BLOBSCOPE_CHECK(elf::findSymbols(site));

  if (newSize == site.room) return elf::inPlace(site);
  if (site.file.type == container::elf::ET_REL) {
    auto planned = elf::planObject(site);
    if (planned && *planned) return std::move(**planned);
    // An in-place plan moves nothing, so reasons against moving do not matter.
    if (newSize < site.room && (planned || planned.error().code() != ErrorCode::Cancelled)) return elf::inPlace(site);
    return planned.takeError();
  }
  BLOBSCOPE_TRY(resized, elf::resizeTail(site));
  if (resized) return std::move(*resized);
  if (newSize <= site.room) return elf::inPlace(site);
  return elf::appendBlob(site);
}

} // namespace blobscope::write
