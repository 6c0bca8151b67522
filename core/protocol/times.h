#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Statistics of measured times, and the comparison of two builds. core/formats/host-abi.md 7.4.
namespace blobscope::protocol {

/// Statistics of times in microseconds. A quartile between two measured times is interpolated linearly, as
/// numpy.percentile does it.
struct TimeSummary {
  uint64_t count = 0;
  double minimum = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, p95 = 0;

  double quartileRange() const { return upperQuartile - lowerQuartile; }
  /// "median 12.3 µs (quartiles 12.1 µs to 12.9 µs), fastest 11.9 µs, 95 % within 14 µs, 10 runs".
  std::string text() const;
};
/// Summarizes times; values that are not finite or below 0 are ignored.
TimeSummary summarizeTimes(std::span<const double> microseconds);

/// Compares a candidate's times with a reference's.
struct TimeComparison {
  enum class Verdict : uint8_t { TooFew, NoClearDifference, Faster, Slower };
  /// With fewer runs on one side quartiles are meaningless.
  static constexpr uint64_t kFewest = 3;

  Verdict verdict = Verdict::TooFew;
  TimeSummary candidate, reference;
  double difference = 0;     ///< of the medians; negative when the candidate is faster
  double spread = 0;         ///< the larger of both interquartile ranges
  double ratio = 0;          ///< candidate's median / reference's; 0 when that is 0
  bool inSomeRounds = false; ///< the difference is clear over all, but not in each round

  /// "faster: median 10 µs against 12.5 µs, 0.80 times as long"; "no clear difference: …".
  std::string sentence() const;
};
/// A difference of the medians below the larger interquartile range is not clear.
TimeComparison compareTimes(std::span<const double> candidate, std::span<const double> reference);

/// The times of both builds, measured one after the other, each in a process of its own.
struct TimeRound {
  std::vector<double> candidate, reference;
};
/// Compares the times of all rounds together. A process can be slow as a whole, so a difference also has to be clear in
/// each round.
TimeComparison compareRounds(std::span<const TimeRound> rounds);

} // namespace blobscope::protocol
