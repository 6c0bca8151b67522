#pragma once

#include "core/base/monitor.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace blobscope::test {

/// Counts how often work checks for a stop, and requests one from a chosen check on. Any number of threads may check.
class CountingMonitor final : public Monitor {
public:
  static constexpr uint64_t kNever = UINT64_MAX;

  /// `stopAt`: the number of the first check that is answered with yes, counted from 0.
  explicit CountingMonitor(uint64_t stopAt = kNever) : m_stopAt(stopAt) {}

  /// From now on, records the largest growth of `measure` between two checks: the possible cost of one step.
  void watch(std::function<uint64_t()> measure) {
    m_measure = std::move(measure);
    m_before = m_measure();
  }

  bool stopRequested() const override {
    if (m_measure) endStretch();
    return m_looks++ >= m_stopAt;
  }
  void progress(std::string_view what, uint64_t done, uint64_t) override {
    const std::scoped_lock lock(m_guard);
    if (what != m_what || done < m_done) m_what = what, m_done = 0;
    m_progress += done - m_done;
    m_done = done;
  }

  /// Number of checks so far.
  uint64_t looks() const { return m_looks; }
  /// Number of checks after the first one that was answered with yes.
  uint64_t looksAfterStop() const { return m_looks > m_stopAt ? m_looks - m_stopAt - 1 : 0; }
  /// The total of progress() over all stages, in their units: mostly bytes.
  uint64_t progressUnits() const {
    const std::scoped_lock lock(m_guard);
    return m_progress;
  }
  /// The longest range without a check, in units of the watched measure; includes the current one.
  uint64_t longestStretch() const {
    if (m_measure) endStretch();
    return m_longest;
  }

private:
  void endStretch() const {
    const std::scoped_lock lock(m_guard);
    const uint64_t now = m_measure();
    m_longest = std::max(m_longest, now - std::min(now, m_before));
    m_before = now;
  }

  const uint64_t m_stopAt;
  mutable std::atomic<uint64_t> m_looks = 0;
  mutable std::mutex m_guard;
  std::string m_what;
  uint64_t m_done = 0, m_progress = 0;
  std::function<uint64_t()> m_measure;
  mutable uint64_t m_before = 0, m_longest = 0;
};

} // namespace blobscope::test
