#pragma once

#include "core/mlf/fixes/fix.h"

#include <map>
#include <string>
#include <unordered_map>
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
  /// The edits of one part of the archive. Most are values of JSON texts.
  struct OfTarget {
    std::vector<std::size_t> edits;  ///< all, in m_edits
    std::vector<std::size_t> others; ///< those that are no SetJson
    std::map<std::string, std::size_t, std::less<>> pointers;
  };
  /// Whether an edit is in the batch already, or cannot be with those that are.
  enum class Fit { New, Same, Conflict };
  Fit fitOf(const edit::Edit& one) const;
  void append(const edit::Edit& one);

  std::vector<edit::Edit> m_edits;
  std::vector<mlf::Patch> m_patches;
  std::unordered_map<std::string, OfTarget> m_targets; ///< by the text of the target
};

} // namespace blobscope::fix
