#pragma once

#include "ui/widgets/find/find_search.h"

#include <memory>
#include <optional>

namespace blobscope::ui {

/// A view that a find bar searches in and that shows the hits.
class FindTarget {
public:
  virtual ~FindTarget() = default;
  virtual Bytes findBytes() const = 0;
  /// Whether the bytes are lines of text; decides what can be searched for.
  virtual bool findsLines() const = 0;
  /// The search first shows the hit at or behind this offset.
  virtual uint64_t findOrigin() const = 0;
  /// Marks the hits, in ascending order; `current` is one of them. Called again whenever hits have been added or
  /// another one is current; null takes the marks away. The list may grow between the calls, in the GUI thread only.
  virtual void showHits(std::shared_ptr<const FindHits> hits, std::optional<std::size_t> current) = 0;
  /// Scrolls to the hit and selects it.
  virtual void goToHit(const FindHit& hit) = 0;
};

} // namespace blobscope::ui
