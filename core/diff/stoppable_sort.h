#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace blobscope::diff {

/// Like std::stable_sort, but checks the monitor every 4,096 items: half a million names take a second. Error:
/// Cancelled.
template <class T, class Less> Result<Done> stableSort(std::vector<T>& items, Less less, Monitor& monitor) {
  constexpr std::size_t kRun = 4'096;
  std::size_t steps = 0;
  const auto stopped = [&] { return ++steps % kRun == 0 && monitor.stopRequested(); };
  const std::size_t count = items.size();
  for (std::size_t from = 0; from < count; from += kRun) {
    if (from > 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(from);
    std::stable_sort(first, first + static_cast<std::ptrdiff_t>(std::min(kRun, count - from)), less);
  }
  std::vector<T> merged;
  for (std::size_t width = kRun; width < count; width *= 2) {
    merged.clear();
    merged.reserve(count);
    for (std::size_t from = 0; from < count; from += 2 * width) {
      const std::size_t middle = std::min(from + width, count), end = std::min(from + 2 * width, count);
      std::size_t left = from, right = middle;
      while (left < middle || right < end) {
        if (stopped()) return Error(DiagnosticId::Cancelled, {});
        const bool takeRight = left == middle || (right < end && less(items[right], items[left]));
        merged.push_back(std::move(items[takeRight ? right++ : left++]));
      }
    }
    items.swap(merged);
  }
  return Done{};
}

} // namespace blobscope::diff
