#include "core/write/elf/plan.h"

#include <utility>

namespace blobscope::write::elf {

Result<Plan> inPlace(const Site& site) {
  const NewBlob& newBlob = site.request.newBlob;
  std::vector<Overwrite> overwrites;
  uint64_t done = 0;
  for (const SymbolPlace& place : site.symbols) {
    // A size of 0 means that the symbol has no size.
    if (place.symbol.size == 0 || place.symbol.size == newBlob.size) continue;
    const Extent field = site.file.sizePlace(place.offset);
    if (field.offset < done || overlap(field, site.place())) return shapeError("its symbol table overlaps the blob");
    done = field.end();
    overwrites.push_back({field.offset, Bytes::copyOf(site.file.encode(newBlob.size, field.size)), "symbol size"});
  }
  Plan plan = overwritePlan(site.request, site.place(), std::move(overwrites));
  noteBuildId(site.file, plan);
  return plan;
}

} // namespace blobscope::write::elf
