#include "core/write/macho/plan.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/write/macho/signature.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace macho {
namespace {

/// Plans the file without its signature: removes the command, the bytes, and their part of __LINKEDIT.
Result<Plan> planUnsigned(const Site& site) {
  const File& file = site.file;
  const std::string_view text = file.text();
  const Table* const signature = file.findTable(Role::Signature, true);
  const Segment* const linkedit = file.findSegment(kLinkeditName);
  if (!signature || !linkedit || signature->file.end() != text.size() || linkedit->file.end() != text.size() ||
      signature->file.offset < linkedit->file.offset)
    return layoutError(site.request.package, "its code signature is not the end of __LINKEDIT and of the file");
  // Before a signature the strings are padded to 16 bytes, unlike anywhere else.
  uint64_t end = signature->file.offset;
  if (const Table* const strings = file.findTable(Role::Strings)) {
    const uint64_t last = strings->file.end();
    if (last >= linkedit->file.offset && last < end && end - last < 16 && file.isZero({last, end - last})) end = last;
  }

  std::string head(text.substr(0, file.head.end()));
  const auto put = [&](uint64_t at, uint64_t value, unsigned size) {
    head.replace(at, size, numberText(value, size, file.bigEndian));
  };
  put(linkedit->addressAt + 3 * file.wordSize(), end - linkedit->file.offset, file.wordSize());
  const Extent command = file.commands[signature->command].place;
  put(16, file.commandCount - 1, 4);
  put(20, file.head.size - command.size, 4);
  head.erase(command.offset, command.size);
  head.append(command.size, '\0');
  std::vector<Overwrite> overwrites;
  addDifferences(overwrites, text.substr(0, file.head.end()), head, 0, "load commands");
  Plan plan = overwritePlan(site.request, site.room, std::move(overwrites));
  cutOutput(plan, end);
  plan.steps.push_back({"Remove the code signature", end, text.size() - end, "requested"});
  return plan;
}

/// Plans the same file with the new blob, which is not larger than the old one, in its place.
Result<Plan> inPlace(const Site& site) {
  const library::Package& package = site.request.package;
  const std::string_view text = site.file.text();
  Plan plan = overwritePlan(site.request, site.room, {});
  const Table* const table = site.file.findTable(Role::Signature, true);
  if (!table) return plan;

  if (site.room.end() > table->file.offset) return layoutError(package, "the blob is not before the code signature");
  if (site.request.options.signature == PlanOptions::Signature::Remove) return planUnsigned(site);
  const Signature signature = readSignature(text, table->file);
  std::vector<Overwrite> overwrites;
  if (signature.kind == Signature::Kind::AdHoc) {
    // core/formats/containers.md 6.2: only the touched pages, the last one cut where the hashed part ends.
    const uint64_t first = site.room.offset >> signature.pageBits,
                   last = std::min(((site.room.end() - 1) >> signature.pageBits) + 1, signature.pages);
    if (first < last) {
      BLOBSCOPE_TRY(hashes, computeHashes(plan, package.bytes, first, last, signature.pageBits, signature.limit,
                                          site.request.monitor));
      const uint64_t at = signature.hashesAt + first * kHashSize;
      addDifferences(overwrites, text.substr(at, hashes.size()), hashes, at, "page hashes of the signature");
    }
  } else if (site.request.options.signature == PlanOptions::Signature::AdHoc) {
    if (!Extent{0, text.size()}.contains(table->file)) return layoutError(package, signature.reason);
    BLOBSCOPE_TRY(maker, SignatureMaker::adHoc(package, site.file, signature, table->file.offset));
    if (maker.size() > table->file.size)
      return layoutError(package, "an ad-hoc signature takes " + sizeText(maker.size()) +
                                      ", but the place of the old one has " + sizeText(table->file.size));
    BLOBSCOPE_TRY(made, maker.make(plan, package.bytes, site.request.monitor));
    made.resize(table->file.size, '\0');
    addDifferences(overwrites, text.substr(table->file.offset, made.size()), made, table->file.offset,
                   "code signature");
  } else if (signature.kind == Signature::Kind::Identity) {
    return Error(DiagnosticId::PlanSigned, {}, package.ref({}));
  } else {
    return layoutError(package, signature.reason);
  }
  plan = overwritePlan(site.request, site.room, std::move(overwrites));
  plan.consequences.push_back({DiagnosticId::PlanResigned, {}, {}});
  return plan;
}

} // namespace

void describeRanges(Plan& plan, const Site& site, Extent place, bool resized) {
  using Kind = PlanRange::Kind;
  addRange(plan.before, Kind::Other, site.room.offset);
  addRange(plan.before, Kind::Blob, site.room.size);
  addRange(plan.before, Kind::Other, site.file.bytes.size() - site.room.end());
  if (!resized) {
    // Bytes inserted before the blob move it too.
    const uint64_t at = site.room.offset + (site.file.fileType == MH_OBJECT ? kSectionSize : 0);
    addRange(plan.after, Kind::Other, at);
    addRange(plan.after, Kind::DeadBlob, site.room.size);
    addRange(plan.after, Kind::Other, place.offset - at - site.room.size);
  } else {
    addRange(plan.after, Kind::Other, place.offset);
  }
  addRange(plan.after, Kind::Blob, place.size);
  addRange(plan.after, Kind::Other, plan.size() - place.end());
}

} // namespace macho

Result<Plan> planMachO(const PlanRequest& request) {
  longWork("write::planMachO");
  const library::Package& package = request.package;
  const library::Blob& blob = request.blob;
  const uint64_t newSize = request.newBlob.size;
  const auto room = placeIn(package.bytes, blob.bytes);
  if (!room) return Error(DiagnosticId::PlanNoLoad, {}, blob.ref());
  auto read = macho::File::readHeader(package.bytes);
  if (!read) return layoutError(package, "it has no Mach-O header");
  macho::File& file = *read;
  if (std::string problem = file.readCommands(); !problem.empty()) return layoutError(package, std::move(problem));
  if (room->offset < file.head.end()) return layoutError(package, "the blob overlaps the load commands");
  const auto [encrypted, cipher] = file.encryption;
  if (cipher != 0 && encrypted.offset < room->end() && room->offset < encrypted.end())
    return layoutError(package, "the blob is encrypted");
  macho::Site site{request, file, *room, blob.carrier.address};
  const bool object = file.fileType == macho::MH_OBJECT;
  if (object) {
    // There, the address of a symbol is relative to its section.
    for (const macho::Section& section : file.sections)
      if (section.file().contains(*room)) site.address = section.address + (room->offset - section.offset);
  }
  const auto grown = [&] { return object ? macho::planObject(site) : macho::planImage(site); };
  if (newSize > room->size) return grown();
  if (newSize < room->size &&
      (object ? macho::findOwnSection(site) != nullptr : macho::findOwnSegment(site) != nullptr)) {
    // A separate segment or section shrinks, if the rest of the file can move.
    auto resized = grown();
    if (resized || resized.error().code() == ErrorCode::Cancelled) return resized;
  }
  return macho::inPlace(site);
}

} // namespace blobscope::write
