#pragma once

#include "core/mlf/fixes/fix.h"

#include <vector>

namespace blobscope::fix {

/// Collects fixes that were computed from the same state of an archive, as long as none of them touches what another
/// one changes.
class Batch {
public:
  /// Returns false, and takes nothing of the fix, if it does not go together with those that are in the batch.
  bool add(const mlf::Fix& fix);
  bool isEmpty() const { return m_edits.empty() && m_patches.empty(); }
  /// Returns the edits in an order in which no edit moves the place of a later one.
  std::vector<edit::Edit> take(const mlf::FixContext& context);

private:
  std::vector<edit::Edit> m_edits;
  std::vector<mlf::Patch> m_patches;
};

} // namespace blobscope::fix
