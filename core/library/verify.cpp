#include "core/library/verify.h"
#include "core/base/thread_rule.h"

namespace blobscope::library {

Result<Verification> computeVerification(const Blob& blob, Monitor& monitor) {
  longWork("library::computeVerification");
  Verification out;
  out.size = blob.bytes.size();
  Writer writer;
  encodeBlob(blob, writer);
  BLOBSCOPE_TRY(difference, findDifference(writer.takePieces(), blob.bytes, monitor));
  out.differsAt = difference;
  out.identical = !difference;

  const FieldTree tree = describeBlob(blob);
  for (uint32_t row = 0; row < tree.rows.size(); ++row)
    if (tree.rows[row].role == FieldRole::Unknown) out.unknown += tree.rows[row].size;
  out.owned = tree.ownedBytes();
  for (const ModulePtr& module : blob.modules)
    if (!module->body->decoded()) out.undecoded.push_back(module->index);
  return out;
}

} // namespace blobscope::library
