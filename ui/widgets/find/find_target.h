#pragma once

#include "ui/widgets/find/find_search.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::ui {

/// A view that a find bar searches and that shows the hits.
class FindTarget {
public:
  virtual ~FindTarget() = default;
  virtual Bytes findBytes() const = 0;
  /// Whether the bytes are lines of text; decides which options the find bar has.
  virtual bool findsLines() const = 0;
  /// The search first shows the hit at or after this offset.
  virtual uint64_t findOrigin() const = 0;
  /// Marks the hits, in ascending order; `current` is one of them. Called again when hits were added or the current one
  /// has changed; null removes the marks. The list may grow between the calls, in the GUI thread only.
  virtual void showHits(std::shared_ptr<const FindHits> hits, std::optional<std::size_t> current) = 0;
  /// Scrolls to the hit and selects it.
  virtual void goToHit(const FindHit& hit) = 0;
  /// Whether the bytes can be changed now.
  virtual bool canReplace() const { return false; }
  /// Replaces the hits, which are in ascending order and do not overlap, each with the text of the same index.
  virtual void replaceHits(const FindHits& hits, const std::vector<std::string>& texts) {
    Q_UNUSED(hits)
    Q_UNUSED(texts)
  }
};

} // namespace blobscope::ui
