#include "core/protocol/times.h"

#include "core/base/text.h"
#include "core/protocol/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace blobscope::protocol {
namespace {

/// The value below which `part` of the sorted values are.
double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

std::string runsText(uint64_t count) { return groupedText(count) + (count == 1 ? " run" : " runs"); }

std::string ratioText(double ratio) {
  if (ratio >= 1000 || ratio < 0.01) return roundedNumber(ratio);
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), ratio, std::chars_format::fixed, 2).ptr};
}

} // namespace

std::string TimeSummary::text() const {
  if (count == 0) return "not measured";
  return "median " + durationText(median) + " (quartiles " + durationText(lowerQuartile) + " to " +
         durationText(upperQuartile) + "), fastest " + durationText(minimum) + ", 95 % within " + durationText(p95) +
         ", " + runsText(count);
}

TimeSummary summarizeTimes(std::span<const double> microseconds) {
  std::vector<double> sorted;
  sorted.reserve(microseconds.size());
  for (const double time : microseconds)
    if (std::isfinite(time) && time >= 0) sorted.push_back(time);
  TimeSummary out;
  out.count = sorted.size();
  if (sorted.empty()) return out;
  std::sort(sorted.begin(), sorted.end());
  out.minimum = sorted.front();
  out.lowerQuartile = quantile(sorted, 0.25);
  out.median = quantile(sorted, 0.5);
  out.upperQuartile = quantile(sorted, 0.75);
  out.p95 = quantile(sorted, 0.95);
  return out;
}

std::string TimeComparison::sentence() const {
  const std::string medians = "median " + durationText(candidate.median) + " against " + durationText(reference.median);
  switch (verdict) {
  case Verdict::TooFew:
    return "too few runs to compare: " + groupedText(candidate.count) + " and " + groupedText(reference.count);
  case Verdict::NoClearDifference:
    return "no clear difference: " + medians +
           (inSomeRounds ? ", not in each round of runs" : ", runs spread over " + durationText(spread));
  case Verdict::Faster:
  case Verdict::Slower: break;
  }
  return (verdict == Verdict::Faster ? "faster: " : "slower: ") + medians +
         (ratio > 0 ? ", " + ratioText(ratio) + " times as long" : "");
}

TimeComparison compareTimes(std::span<const double> candidate, std::span<const double> reference) {
  using Verdict = TimeComparison::Verdict;
  TimeComparison out;
  out.candidate = summarizeTimes(candidate);
  out.reference = summarizeTimes(reference);
  if (out.candidate.count == 0 || out.reference.count == 0) return out;
  out.difference = out.candidate.median - out.reference.median;
  out.spread = std::max(out.candidate.quartileRange(), out.reference.quartileRange());
  if (out.reference.median > 0) out.ratio = out.candidate.median / out.reference.median;
  if (std::min(out.candidate.count, out.reference.count) < TimeComparison::kFewest) return out;
  if (out.difference == 0 || std::fabs(out.difference) < out.spread)
    out.verdict = Verdict::NoClearDifference;
  else
    out.verdict = out.difference < 0 ? Verdict::Faster : Verdict::Slower;
  return out;
}

TimeComparison compareRounds(std::span<const TimeRound> rounds) {
  using Verdict = TimeComparison::Verdict;
  TimeRound all;
  for (const TimeRound& round : rounds) {
    all.candidate.insert(all.candidate.end(), round.candidate.begin(), round.candidate.end());
    all.reference.insert(all.reference.end(), round.reference.begin(), round.reference.end());
  }
  TimeComparison out = compareTimes(all.candidate, all.reference);
  if (out.verdict != Verdict::Faster && out.verdict != Verdict::Slower) return out;
  for (const TimeRound& round : rounds) {
    const Verdict verdict = compareTimes(round.candidate, round.reference).verdict;
    if (verdict != out.verdict && verdict != Verdict::TooFew) out.inSomeRounds = true;
  }
  if (out.inSomeRounds) out.verdict = Verdict::NoClearDifference;
  return out;
}

} // namespace blobscope::protocol
