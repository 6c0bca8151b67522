#include "core/write/pe/plan.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/write/plan_parts.h"

namespace blobscope::write {
namespace {

/// Plans the same file with the new blob, which is not larger than the old one, in its place.
Result<Plan> inPlace(const PlanRequest& request, const pe::File& file) {
  const library::Package& package = request.package;
  BLOBSCOPE_TRY(found, roomFor(request));
  const Extent room = found, certificate = file.directory(pe::IMAGE_DIRECTORY_ENTRY_SECURITY);
  // Bytes after the table do not belong to it and stay; then the table has to stay too.
  const bool isSigned = certificate.size > 0, cut = isSigned && certificate.end() == package.bytes.size();
  if (isSigned && certificate.offset < room.end())
    return layoutError(package, "the certificate table at " + hexText(certificate.offset) + " is not after the blob");
  const auto make = [&](std::string_view checksum) -> Result<Plan> {
    std::vector<Overwrite> overwrites;
    if (isSigned)
      overwrites.push_back({file.directoryAt(pe::IMAGE_DIRECTORY_ENTRY_SECURITY), Bytes::copyOf(std::string(8, '\0')),
                            "certificate directory"});
    if (file.checksum != 0) overwrites.push_back({file.checksumAt, Bytes::copyOf(checksum), "checksum"});
    for (const Overwrite& overwrite : overwrites)
      if (overwrite.offset < room.end() && overwrite.offset + overwrite.bytes.size() > room.offset)
        return layoutError(package, "the blob overlaps the headers");
    Plan plan = overwritePlan(request, room, std::move(overwrites));
    if (cut) {
      cutOutput(plan, certificate.offset);
      plan.steps.push_back(
          {"Remove the certificate table", certificate.offset, certificate.size, "the signature covers the old bytes"});
    }
    return plan;
  };
  return pe::finish(file, make, request.monitor);
}

} // namespace

Result<Plan> planPe(const PlanRequest& request) {
  longWork("write::planPe");
  const pe::File file = pe::File::read(request.package.bytes);
  if (request.newBlob.size == request.blob.bytes.size()) return inPlace(request, file);
  BLOBSCOPE_TRY(resized, pe::resizeSection(request, file));
  if (resized) return std::move(*resized);
  if (request.newBlob.size < request.blob.bytes.size()) return inPlace(request, file);
  return pe::appendSection(request, file);
}

} // namespace blobscope::write
