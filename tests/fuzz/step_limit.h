#pragma once

#include "core/base/monitor.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace blobscope::test {

/// Ends the program when the work on one input checks its monitor more often than an input of that size can need, so
/// that a loop inside a loop is found with a few kilobytes. Never requests a stop.
class StepLimit final : public Monitor {
public:
  /// A search for the end of unknown payloads may check 4,000 times (limits::kSearchSteps). The seeds and their
  /// mutations check at most 150 times.
  static constexpr uint64_t kSteps = 20'000, kStepsPerByte = 16;

  explicit StepLimit(std::size_t inputBytes) : m_limit(kSteps + kStepsPerByte * inputBytes) {}
  bool stopRequested() const override {
    if (++m_steps <= m_limit) return false;
    std::fprintf(stderr, "more than %llu steps for one input\n", static_cast<unsigned long long>(m_limit));
    __builtin_trap();
  }
  void progress(std::string_view, uint64_t, uint64_t) override {}

private:
  const uint64_t m_limit;
  mutable uint64_t m_steps = 0;
};

} // namespace blobscope::test
