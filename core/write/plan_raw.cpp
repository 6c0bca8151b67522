#include "core/write/plan_parts.h"

namespace blobscope::write {

Result<Plan> planRaw(const PlanRequest& request) {
  const uint64_t newSize = request.newBlob.size;
  const auto room = placeIn(request.package.bytes, request.blob.bytes);
  // container::looksLikeBlob() accepts only a file that consists of the blob.
  if (!room || room->size != request.package.bytes.size())
    return layoutError(request.package, "the file does not consist only of the blob");
  PlanBuilder builder;
  builder.blob(request.newBlob);
  builder.step("Write the new blob", 0, newSize, "the file is the blob");
  Plan plan = builder.take({newSize == room->size ? Strategy::InPlace : Strategy::Resize});
  plan.before = {{PlanRange::Kind::Blob, room->size}};
  plan.after = {{PlanRange::Kind::Blob, newSize}};
  return plan;
}

} // namespace blobscope::write
