#include "core/library/resolve.h"

#include "core/base/text.h"

namespace blobscope::library {
namespace {

Error notFound(const Ref& ref, std::string reason) {
  return Error(DiagnosticId::RefNotFound, {arg("ref", ref.toString()), {"reason", std::move(reason)}}, ref);
}

bool isOfBlob(const Ref& ref) {
  return ref.kind == Ref::Kind::Blob || ref.kind == Ref::Kind::Imports || ref.kind == Ref::Kind::Module;
}

bool hasPrefix(const Ref& ref, const Package& member, const Blob& blob) {
  return blob.refPrefix == ref.prefix || (member.blobs.size() == 1 && blob.carrier.prefix == ref.prefix);
}

} // namespace

bool isIn(const Ref& ref, const Package& member, const Blob& blob) {
  return isOfBlob(ref) && ref.members == member.memberPath && hasPrefix(ref, member, blob);
}

Result<Resolved> resolveBlob(const Package& package, const Ref& ref) {
  BLOBSCOPE_TRY(member, memberIn(package, ref));
  Resolved out;
  out.package = member;
  out.ref = ref;
  if (!isOfBlob(ref)) return out;
  const auto& blobs = member->blobs;
  for (std::size_t i = 0; i < blobs.size(); ++i)
    if (hasPrefix(ref, *member, *blobs[i])) out.blob = blobs[out.blobIndex = i].get();
  if (!out.blob)
    return notFound(ref, blobs.empty() ? "the file contains no blob"
                                       : "no blob has the prefix '" + escaped(ref.prefix) + "'");
  out.ref.prefix = out.blob->refPrefix;
  if (ref.kind == Ref::Kind::Module && ref.module < out.blob->modules.size())
    out.module = out.blob->modules[ref.module].get();
  return out;
}

Result<Resolved> resolve(const Package& package, const Ref& ref) {
  BLOBSCOPE_TRY(found, resolveBlob(package, ref));
  if (ref.kind == Ref::Kind::Module && !found.module)
    return notFound(ref, "the blob has " + countText(found.blob->modules.size(), "module") + ", counted from 0");
  return found;
}

} // namespace blobscope::library
