#pragma once

#include "core/base/monitor.h"
#include "core/payloads/tensor/tensor_values.h"
#include "core/protocol/protocol.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What test runs wrote, and how two of them compare. core/formats/host-abi.md 7.2, 7.3.
namespace blobscope::protocol {

/// Every byte of an output before the first and before the second run: what still is both was not written.
constexpr uint8_t kFirstFill = 0xA5, kSecondFill = 0x5A;

/// An output tensor of a build.
struct TensorOutput {
  DataType type;
  std::vector<int64_t> shape; ///< outermost first
  Bytes data;                 ///< dataBytes() bytes, of the run that began with kFirstFill
  std::optional<Bytes> again; ///< of the run that began with kSecondFill; without it unwritten elements are not told
};

/// Lanes count one by one, unwritten ones like others.
struct OutputStatistics {
  payloads::TensorStatistics values;
  double sum = 0;                    ///< of finite values, rounded to a double
  std::optional<uint64_t> unwritten; ///< nothing without a second run
};

/// What the values of a tensor are like; types without numbers give counts alone. RUN-PROTOCOL when the bytes are not
/// as many as shape and type need; Cancelled.
Result<OutputStatistics> computeOutputStatistics(const TensorOutput& output, Monitor& monitor);

/// A value a is as good as b when |a - b| <= absolute + relative * |b|, or, where `ulp` is set, when at most so many
/// other numbers of the type lie on the way, b itself counted.
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
  /// Replace the default's for floats. With one of the first two the distance in ULP does not matter; with `ulp`
  /// nothing else does.
  std::optional<double> absolute = {}, relative = {};
  std::optional<uint64_t> ulp = {};
  bool nansEqual = true; ///< NaN of both; else it is a mismatch
};
/// What comparing values of the type goes by; integers and bools are compared exactly whatever the options say.
Tolerance toleranceOf(DataType type, const CompareOptions& options);

/// A value of both tensors.
struct ValuePair {
  uint64_t index = 0;               ///< of the element, row-major
  std::vector<uint64_t> at;         ///< its index on each axis
  unsigned lane = 0;                ///< of types with several
  std::string candidate, reference; ///< as payloads::TensorValues says them; "not written"
  std::optional<double> difference; ///< |a - b|; nothing when it is no number
  std::optional<uint64_t> ulp;
  bool mismatch = false;
};

enum class Verdict : uint8_t { Identical, WithinTolerance, Differs, NotComparable };
/// "identical", "within tolerance", "differs", "not comparable".
std::string_view verdictName(Verdict verdict);

/// Two tensors of one type and shape, compared value by value; lanes count one by one.
struct OutputComparison {
  static constexpr int kLowestDecade = -12, kHighestDecade = 3;
  /// Exactly 0; then 10^-12 up to below 10^-11 with all that is less; …; 10^3 with all that is more.
  static constexpr std::size_t kDifferenceBins = kHighestDecade - kLowestDecade + 2;
  /// 0, 1, 2, up to 4, 8, … 1024, more.
  static constexpr std::size_t kUlpBins = 13;
  static constexpr std::size_t kWorst = 10;

  Verdict verdict = Verdict::NotComparable;
  std::string note; ///< why they are not comparable, or a remark; else empty
  Tolerance tolerance;
  bool severalLanes = false; ///< "values", not "elements", are counted

  uint64_t count = 0;    ///< all values
  uint64_t sameBits = 0; ///< of them, with equal bits
  /// All that the tolerance does not allow; with those of the next three lines.
  uint64_t mismatches = 0;
  uint64_t nanMismatches = 0;       ///< NaN on one side; on both when they are not to be equal
  uint64_t infinityMismatches = 0;  ///< infinities, not of the same sign on both sides; no NaN
  uint64_t unwrittenMismatches = 0; ///< written on one side only
  uint64_t unwrittenBoth = 0;       ///< compared no further, no mismatch
  uint64_t nansCandidate = 0, nansReference = 0, infinitiesCandidate = 0, infinitiesReference = 0; ///< of written ones

  /// Written and finite on both sides; what follows is of these.
  uint64_t measured = 0;
  double maxAbsolute = 0, meanAbsolute = 0; ///< of |a - b|; integers are subtracted exactly
  double maxRelative = 0;                   ///< |a - b| / max(|b|, smallest normal number; 1 for integers)
  double rootMeanSquare = 0;
  std::optional<double> cosine; ///< of the angle between both; nothing when one of them is all zeros
  uint64_t maxUlp = 0;
  /// 99 of 100 are not farther apart; exact up to 65,535, above that rounded up by at most 1/256.
  uint64_t ulp99 = 0;
  std::array<uint64_t, kDifferenceBins> differenceBins{};
  std::array<uint64_t, kUlpBins> ulpBins{};

  /// Mismatches first, in each group the largest difference first, those without a difference before; none that are
  /// equal.
  std::vector<ValuePair> worst;

  /// "768 of 768 elements within atol 2e-3, rtol 1e-2; largest difference 1.7e-3".
  std::string sentence() const;
};
/// "0", "below 1e-11", "1e-11 to 1e-10", … "1e3 and more".
std::string differenceBinText(std::size_t bin);

/// Compares what a candidate wrote with a reference. Other types or shapes, or bytes that are not as many as they need,
/// are not comparable; types without numbers are compared byte by byte. The only error is Cancelled.
Result<OutputComparison> compareOutputs(const TensorOutput& candidate, const TensorOutput& reference,
                                        const CompareOptions& options, Monitor& monitor);
/// Compares an output's second run with its first one, with no tolerance. Not comparable without a second run.
Result<OutputComparison> compareRuns(const TensorOutput& output, Monitor& monitor);
/// "both runs gave the same"; "not deterministic: 3 of 8 elements differ; largest difference 0.25".
std::string determinismText(const OutputComparison& runs);

} // namespace blobscope::protocol
