#include "core/write/plan_parts.h"

namespace blobscope::write {

Result<Plan> planRaw(const library::Package& package, const library::Blob& blob, const NewBlob& fresh,
                     const PlanOptions&, Monitor&) {
  const auto room = placeIn(package.bytes, blob.bytes);
  // container::looksLikeBlob() accepts only a file that is the blob and nothing else.
  if (!room || room->size != package.bytes.size()) return layoutError(package, "the file is more than the blob");
  PlanBuilder builder;
  builder.blob(fresh);
  builder.step("Write the new blob", 0, fresh.size, "the file is the blob");
  Plan plan = builder.take(fresh.size == room->size ? "in-place" : "resize");
  plan.before = {{Stretch::Kind::Blob, room->size}};
  plan.after = {{Stretch::Kind::Blob, fresh.size}};
  return plan;
}

} // namespace blobscope::write
