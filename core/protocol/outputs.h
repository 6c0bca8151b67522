#pragma once

#include "core/base/monitor.h"
#include "core/payloads/tensor/tensor_values.h"
#include "core/protocol/protocol.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The outputs of test runs and their comparison. core/formats/host-abi.md 7.2, 7.3.
namespace blobscope::protocol {

/// The value of every byte of an output before the first and before the second run: bytes that keep both values were
/// not written.
constexpr uint8_t kFirstFill = 0xA5, kSecondFill = 0x5A;

/// An output tensor of a build.
struct TensorOutput {
  DataType type;
  std::vector<int64_t> shape; ///< outermost first
  Bytes data;                 ///< dataBytes() bytes, of the run that began with kFirstFill
  std::optional<Bytes> again; ///< of the run that began with kSecondFill; needed to detect unwritten elements
};

/// Statistics of an output. Each lane counts as a value, unwritten ones like others.
struct OutputStatistics {
  payloads::TensorStatistics values;
  double sum = 0;                    ///< of finite values, rounded to a double
  std::optional<uint64_t> unwritten; ///< nothing without a second run
};

/// Statistics of the values of a tensor; types without numbers only get counts. RUN-PROTOCOL when the number of bytes
/// does not fit shape and type; Cancelled.
Result<OutputStatistics> computeOutputStatistics(const TensorOutput& output, Monitor& monitor);

/// A value a is accepted for b when |a - b| <= absolute + relative * |b|. When `ulp` is set, it is accepted instead
/// when a is at most `ulp` numbers of the type away from b.
struct Tolerance {
  double absolute = 0, relative = 0;
  std::optional<uint64_t> ulp;
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};
/// float64 1e-12, 1e-10; float32 1e-5, 1e-4; float16 2e-3, 1e-2; bfloat16 1.6e-2, 2e-2; smaller floats one ULP; others
/// none.
Tolerance defaultTolerance(DataType type);
/// "atol 2e-3, rtol 1e-2"; "1 ULP"; empty for none.
std::string toleranceText(const Tolerance& tolerance);

struct CompareOptions {
  /// Replace the default tolerance of floats. With one of the first two, the distance in ULP is ignored; with `ulp`,
  /// only that distance counts.
  std::optional<double> absolute = {}, relative = {};
  std::optional<uint64_t> ulp = {};
  bool nansEqual = true; ///< NaN on both sides are equal; else they are a mismatch
};
/// Reads "ABS" or "ABS,REL", finite numbers from 0 on; without REL, the relative tolerance stays that of the type.
/// Nothing for other texts.
std::optional<CompareOptions> parseTolerance(std::string_view text);
/// The tolerance for comparing values of the type; integers and bools are compared exactly whatever the options say.
Tolerance toleranceOf(DataType type, const CompareOptions& options);

/// The values of both tensors at one place.
struct ValuePair {
  uint64_t index = 0;               ///< of the element, row-major
  std::vector<uint64_t> at;         ///< its index on each axis
  unsigned lane = 0;                ///< for types with several
  std::string candidate, reference; ///< as payloads::TensorValues writes them, or "not written"
  std::optional<double> difference; ///< |a - b|; nothing when it is not a number
  std::optional<uint64_t> ulp;
  bool mismatch = false;
};

enum class Verdict : uint8_t { Identical, WithinTolerance, Differs, NotComparable };
/// "identical", "within tolerance", "differs", "not comparable".
std::string_view verdictName(Verdict verdict);

/// Two tensors of the same type and shape, compared value by value; each lane counts as a value.
struct OutputComparison {
  static constexpr int kLowestDecade = -12, kHighestDecade = 3;
  /// Exactly 0; then 10^-12 to below 10^-11, which includes everything smaller; …; 10^3, which includes everything
  /// larger.
  static constexpr std::size_t kDifferenceBins = kHighestDecade - kLowestDecade + 2;
  /// 0, 1, 2, up to 4, 8, … 1024, more.
  static constexpr std::size_t kUlpBins = 13;
  static constexpr std::size_t kWorst = 10;

  Verdict verdict = Verdict::NotComparable;
  std::string note; ///< why they are not comparable, or a remark; or empty
  Tolerance tolerance;
  bool severalLanes = false; ///< the counts are of "values", not "elements"

  uint64_t count = 0;    ///< all values
  uint64_t sameBits = 0; ///< values with equal bits
  /// All values outside the tolerance, including those of the next three lines.
  uint64_t mismatches = 0;
  uint64_t nanMismatches = 0;       ///< NaN on one side; on both sides when they do not count as equal
  uint64_t infinityMismatches = 0;  ///< infinity on one side, or with different signs; no NaN
  uint64_t unwrittenMismatches = 0; ///< written on one side only
  uint64_t unwrittenBoth = 0;       ///< not compared further, not a mismatch
  uint64_t nansCandidate = 0, nansReference = 0, infinitiesCandidate = 0, infinitiesReference = 0; ///< written ones

  /// Values that are written and finite on both sides; what follows is about these.
  uint64_t measured = 0;
  double maxAbsolute = 0, meanAbsolute = 0; ///< of |a - b|; integers are subtracted exactly
  double maxRelative = 0;                   ///< |a - b| / max(|b|, smallest normal number; 1 for integers)
  double rootMeanSquare = 0;
  std::optional<double> cosine; ///< of the angle between both; nothing when one of them has only zeros
  uint64_t maxUlp = 0;
  /// The distance that 99 of 100 values do not exceed; exact up to 65,535, above that rounded up by at most 1/256.
  uint64_t ulp99 = 0;
  std::array<uint64_t, kDifferenceBins> differenceBins{};
  std::array<uint64_t, kUlpBins> ulpBins{};

  /// Mismatches first; in each group those without a difference, then the largest difference first. Equal values are
  /// omitted.
  std::vector<ValuePair> worst;
  /// Lowest and highest index on each axis of the values outside the tolerance; empty when there are none.
  std::vector<std::pair<uint64_t, uint64_t>> box;

  /// "768 of 768 elements within atol 2e-3, rtol 1e-2; largest difference 1.7e-3".
  std::string sentence() const;
};
/// "0", "below 1e-11", "1e-11 to 1e-10", … "1e3 and more".
std::string differenceBinText(std::size_t bin);

/// Compares a candidate's output with a reference. They are not comparable when types or shapes differ, or when the
/// number of bytes does not fit these; types without numbers are compared byte by byte. The only error is Cancelled.
Result<OutputComparison> compareOutputs(const TensorOutput& candidate, const TensorOutput& reference,
                                        const CompareOptions& options, Monitor& monitor);
/// Compares an output's second run with its first one, without tolerance. Not comparable without a second run.
Result<OutputComparison> compareRuns(const TensorOutput& output, Monitor& monitor);
/// "both runs gave the same"; "not deterministic: 3 of 8 elements differ; largest difference 0.25".
std::string determinismText(const OutputComparison& runs);

} // namespace blobscope::protocol
