#include "core/write/pe/file.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/write/plan_parts.h"

namespace blobscope::write {
namespace {

/// The same file with other bytes in the blob's place, which are not more than before.
Result<Plan> inPlace(const library::Package& package, const library::Blob& blob, const NewBlob& fresh,
                     const pe::File& file, Monitor& monitor) {
  BLOBSCOPE_TRY(found, roomFor(package, blob, fresh));
  const Extent room = found, certificate = file.directory(pe::kCertificate);
  // Bytes behind the table belong to someone else and stay where they are, and then the table has to stay, too.
  const bool isSigned = certificate.size > 0, cut = isSigned && certificate.end() == package.bytes.size();
  if (isSigned && certificate.offset < room.end())
    return layoutError(package, "the certificate table at " + hexText(certificate.offset) + " is not behind the blob");
  const auto make = [&](std::string_view checksum) -> Result<Plan> {
    std::vector<Overwrite> overwrites;
    if (isSigned)
      overwrites.push_back(
          {file.directoryAt(pe::kCertificate), Bytes::copyOf(std::string(8, '\0')), "certificate directory"});
    if (file.checksum != 0) overwrites.push_back({file.checksumAt, Bytes::copyOf(checksum), "checksum"});
    for (const Overwrite& overwrite : overwrites)
      if (overwrite.offset < room.end() && overwrite.offset + overwrite.bytes.size() > room.offset)
        return layoutError(package, "the blob overlaps the headers");
    Plan plan = overwritePlan(package, room, fresh, std::move(overwrites));
    if (cut) {
      cutOutput(plan, certificate.offset);
      plan.steps.push_back({"Leave out the certificate table", certificate.offset, certificate.size,
                            "the signature is of the old bytes"});
    }
    return plan;
  };
  return pe::finish(file, make, monitor);
}

} // namespace

Result<Plan> planPe(const library::Package& package, const library::Blob& blob, const NewBlob& fresh,
                    const PlanOptions& options, Monitor& monitor) {
  longWork("write::planPe");
  BLOBSCOPE_TRY(file, pe::readFile(package));
  if (fresh.size == blob.bytes.size()) return inPlace(package, blob, fresh, file, monitor);
  BLOBSCOPE_TRY(resized, pe::resizeSection(package, blob, fresh, file, monitor));
  if (resized) return std::move(*resized);
  if (fresh.size < blob.bytes.size()) return inPlace(package, blob, fresh, file, monitor);
  return pe::appendSection(package, blob, fresh, file, options, monitor);
}

} // namespace blobscope::write
