#include "core/protocol/outputs.h"

#include "core/protocol/element_code.h"
#include "tests/core/protocol/numbers.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace blobscope;
using namespace blobscope::protocol;
using namespace blobscope::test;

namespace {

/// One axis of numbers, rounded into the type.
std::string content(DataType type, const std::vector<double>& values) {
  const auto code = ElementCode::of(type);
  Buffer out((values.size() * code->strideBits() + 7) / 8, std::byte{0});
  for (std::size_t i = 0; i < values.size(); ++i)
    code->store(out.data(), i,
                code->isFloat() ? code->encode(values[i]) : static_cast<uint64_t>(static_cast<int64_t>(values[i])));
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}
TensorOutput ofBytes(DataType type, std::vector<int64_t> shape, std::string_view data) {
  return {type, std::move(shape), bytes(data), std::nullopt};
}
TensorOutput of(DataType type, const std::vector<double>& values) {
  return ofBytes(type, {static_cast<int64_t>(values.size() / type.lanes)}, content(type, values));
}
template <class T> TensorOutput ofIntegers(DataType type, const std::vector<T>& values) {
  return ofBytes(type, {static_cast<int64_t>(values.size())},
                 {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

OutputComparison compared(const TensorOutput& a, const TensorOutput& b, const CompareOptions& options = {}) {
  NullMonitor monitor;
  auto out = compareOutputs(a, b, options, monitor);
  return out ? std::move(*out) : OutputComparison{};
}
OutputComparison compared(DataType type, const std::vector<double>& a, const std::vector<double>& b,
                          const CompareOptions& options = {}) {
  return compared(of(type, a), of(type, b), options);
}
template <std::size_t N> uint64_t sum(const std::array<uint64_t, N>& bins) {
  return std::accumulate(bins.begin(), bins.end(), uint64_t{0});
}

} // namespace

class TestRunOutputs : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void equalBitsAreIdentical();
  void smallDifferencesAreWithinTolerance();
  void largeDifferencesDiffer();
  void differentShapesOrTypesAreNotComparable();
  void defaultToleranceFollowsTheType();
  void toleranceCanBeSet();
  void toleranceIsRead_data();
  void toleranceIsRead();
  void placesOfMismatchesAreBounded();
  void metricsAreComputed();
  void relativeDifferenceUsesTheSmallestNormalNumber();
  void nansAreEqualOnlyToNans();
  void infinitiesAreEqualOnlyToThemselves();
  void signedZerosAreEqual();
  void ulpDistanceIsCounted();
  void ulpPercentileIsComputed();
  void smallFloatsAreComparedByUlp();
  void integersAreComparedExactly();
  void boolsAreCompared();
  void otherTypesAreComparedByBytes();
  void packedValuesAreCompared();
  void lanesAreCompared();
  void unwrittenElementsAreCounted();
  void unwrittenPackedElementsAreCounted();
  void differencesAreGroupedByMagnitude();
  void ulpDistancesAreGroupedByPowersOfTwo();
  void worstElementsAreListed();
  void extremeValuesNeverOverflow();
  void resultEqualsAPlainComparison();
  void secondRunDecidesDeterminism();
  void statisticsAreComputed();
  void missingBytesAreRefused();
  void invalidShapesAreRefused();
  void comparisonCanBeCancelled();
};

void TestRunOutputs::equalBitsAreIdentical() {
  const OutputComparison found = compared(kFloat32, {1, 2, kNan, kInfinity}, {1, 2, kNan, kInfinity});
  QCOMPARE(verdictName(found.verdict), "identical");
  QCOMPARE(found.sameBits, uint64_t{4});
  QCOMPARE(found.measured, uint64_t{2});
  QVERIFY(found.nansCandidate == 1 && found.nansReference == 1 && found.infinitiesCandidate == 1);
  QVERIFY(found.worst.empty() && found.maxAbsolute == 0 && found.maxUlp == 0);
  QCOMPARE(*found.cosine, 1.0);
  QCOMPARE(found.sentence(), "4 of 4 elements identical");
  QCOMPARE(compared(kFloat32, {1}, {1}).sentence(), "1 of 1 element identical");
  QCOMPARE(compared(kFloat32, {}, {}).sentence(), "both have no elements");
  QVERIFY(compared(kFloat32, {}, {}).verdict == Verdict::Identical);
}

void TestRunOutputs::smallDifferencesAreWithinTolerance() {
  std::vector<double> a(768, 1), b(768, 1);
  a[5] = 1 + 0x1p-9;
  const OutputComparison found = compared(kFloat16, a, b);
  QCOMPARE(verdictName(found.verdict), "within tolerance");
  QCOMPARE(found.sentence(), "768 of 768 elements within atol 2e-3, rtol 1e-2; largest difference 2e-3");
  QCOMPARE(found.mismatches, uint64_t{0});
  QCOMPARE(found.sameBits, uint64_t{767});
  QCOMPARE(found.worst.size(), std::size_t{1});
  QVERIFY(!found.worst[0].mismatch);
}

void TestRunOutputs::largeDifferencesDiffer() {
  const OutputComparison found = compared(kFloat32, {1, 2.5, 3}, {1, 2, 3});
  QCOMPARE(verdictName(found.verdict), "differs");
  QCOMPARE(found.mismatches, uint64_t{1});
  QCOMPARE(found.sentence(), "1 of 3 elements differs by more than atol 1e-5, rtol 1e-4; largest difference 0.5");
  QVERIFY(found.worst[0].mismatch);
}

void TestRunOutputs::differentShapesOrTypesAreNotComparable() {
  const OutputComparison shapes = compared(ofBytes(kFloat32, {2, 1}, std::string(8, '\0')), of(kFloat32, {0, 0}));
  QCOMPARE(shapes.sentence(), "not comparable: the shapes differ, [2, 1] and [2]");
  QCOMPARE(verdictName(shapes.verdict), "not comparable");
  QCOMPARE(compared(of(kFloat32, {0}), of(kInt32, {0})).sentence(),
           "not comparable: the types differ, float32 and int32");
  QCOMPARE(compared(ofBytes(kFloat32, {2}, "abc"), of(kFloat32, {0, 0})).sentence(),
           "not comparable: shape [2] of float32 needs 8 bytes, but there are 3 bytes");
  QVERIFY(compared(of(kFloat32, {0}), ofBytes(kFloat32, {1}, "12345")).verdict == Verdict::NotComparable);
  TensorOutput again = of(kFloat32, {0});
  again.again = bytes("abc");
  QVERIFY(compared(again, of(kFloat32, {0})).verdict == Verdict::NotComparable);
  QVERIFY(compared(of(kFloat32, {0}), again).verdict == Verdict::NotComparable);
}

void TestRunOutputs::defaultToleranceFollowsTheType() {
  QCOMPARE(toleranceText(defaultTolerance(kFloat64)), "atol 1e-12, rtol 1e-10");
  QCOMPARE(toleranceText(defaultTolerance(kFloat32)), "atol 1e-5, rtol 1e-4");
  QCOMPARE(toleranceText(defaultTolerance(kFloat16)), "atol 2e-3, rtol 1e-2");
  QCOMPARE(toleranceText(defaultTolerance(kBFloat16)), "atol 1.6e-2, rtol 2e-2");
  for (uint8_t code = 7; code <= 14; ++code) QCOMPARE(toleranceText(defaultTolerance({code, 8, 1})), "1 ULP");
  QCOMPARE(toleranceText(defaultTolerance(kFloat6)), "1 ULP");
  QCOMPARE(toleranceText(defaultTolerance({17, 4, 1})), "1 ULP");
  for (const DataType type : {kInt32, kBool, kHandle}) QCOMPARE(toleranceText(defaultTolerance(type)), "");
  // A difference exactly at the tolerance is within it.
  QVERIFY(compared(kFloat64, {1e-12}, {0}).verdict == Verdict::WithinTolerance);
  QVERIFY(compared(kFloat64, {1.1e-12}, {0}).verdict == Verdict::Differs);
  // The relative part uses the reference.
  const CompareOptions relative = {.absolute = 0, .relative = 0.5};
  QVERIFY(compared(kFloat32, {1}, {2}, relative).verdict == Verdict::WithinTolerance);
  QVERIFY(compared(kFloat32, {2}, {1}, relative).verdict == Verdict::Differs);
}

void TestRunOutputs::toleranceCanBeSet() {
  QCOMPARE(toleranceText(toleranceOf(kFloat32, {.absolute = 0.25})), "atol 0.25, rtol 1e-4");
  QCOMPARE(toleranceText(toleranceOf(kFloat32, {.relative = 0.0})), "atol 1e-5, rtol 0");
  QCOMPARE(toleranceText(toleranceOf(kE4m3fn, {.absolute = 1.0})), "atol 1, rtol 0");
  QCOMPARE(toleranceText(toleranceOf(kFloat32, {.ulp = 4})), "4 ULP");
  QCOMPARE(toleranceText(toleranceOf(kInt32, {.absolute = 5.0, .ulp = 7})), "");
  QVERIFY(compared(kFloat32, {1.2}, {1}, {.absolute = 0.25}).verdict == Verdict::WithinTolerance);
  QVERIFY(compared(kInt32, {2}, {1}, {.absolute = 5.0}).verdict == Verdict::Differs);
  // An invalid tolerance allows nothing.
  for (const double nonsense : {-1.0, kNan})
    QVERIFY(compared(kFloat32, {1.5}, {1}, {.absolute = nonsense, .relative = 0.0}).verdict == Verdict::Differs);
}

void TestRunOutputs::toleranceIsRead_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<double>("absolute"); // negative: it is refused
  QTest::addColumn<double>("relative"); // negative: that of the type
  const auto row = [](const char* text, double absolute, double relative) {
    QTest::newRow(text) << std::string(text) << absolute << relative;
  };
  row("1e-3", 1e-3, -1);
  row("0", 0, -1);
  row("0.5,1e-2", 0.5, 1e-2);
  row("1e-3, 0", 1e-3, 0);
  for (const char* const wrong : {"", "x", "-1", "1e-3,", ",1", "1,2,3", "nan", "inf", "1e-3x"}) row(wrong, -1, -1);
}

void TestRunOutputs::toleranceIsRead() {
  QFETCH(std::string, text);
  QFETCH(double, absolute);
  QFETCH(double, relative);
  const auto read = parseTolerance(text);
  QCOMPARE(read.has_value(), absolute >= 0);
  if (!read) return;
  QCOMPARE(*read->absolute, absolute);
  QCOMPARE(read->relative.value_or(-1), relative);
}

void TestRunOutputs::placesOfMismatchesAreBounded() {
  using Box = std::vector<std::pair<uint64_t, uint64_t>>;
  const auto changed = [](std::initializer_list<std::size_t> places) {
    std::vector<double> values(12, 1);
    for (const std::size_t at : places) values[at] = 2;
    TensorOutput a = of(kFloat32, values), b = of(kFloat32, std::vector<double>(12, 1));
    a.shape = b.shape = {3, 4};
    return compared(a, b).box;
  };
  QVERIFY(changed({}).empty());
  QCOMPARE(changed({5}), (Box{{1, 1}, {1, 1}}));
  QCOMPARE(changed({6, 9}), (Box{{1, 2}, {1, 2}}));
  QCOMPARE(changed({0, 11, 5}), (Box{{0, 2}, {0, 3}}));
}

void TestRunOutputs::metricsAreComputed() {
  const OutputComparison found = compared(kFloat64, {1, 2, 3, 4}, {1, 0, 3, 8});
  QCOMPARE(found.measured, uint64_t{4});
  QCOMPARE(found.maxAbsolute, 4.0);
  QCOMPARE(found.meanAbsolute, 1.5);
  QCOMPARE(found.rootMeanSquare, std::sqrt(20.0 / 4));
  QCOMPARE(*found.cosine, (1.0 + 9 + 32) / (std::sqrt(30.0) * std::sqrt(74.0)));
  QCOMPARE(found.mismatches, uint64_t{2});
  QVERIFY(!compared(kFloat64, {0, 0}, {1, 2}).cosine);
  QCOMPARE(*compared(kFloat64, {-1, -2}, {1, 2}).cosine, -1.0);
}

void TestRunOutputs::relativeDifferenceUsesTheSmallestNormalNumber() {
  QCOMPARE(compared(kFloat32, {3}, {2}).maxRelative, 0.5);
  // Below the smallest normal number, that number replaces |b|.
  QCOMPARE(compared(kFloat32, {0x1p-126}, {0}).maxRelative, 1.0);
  QCOMPARE(compared(kFloat16, {0x1p-15}, {0}).maxRelative, 0.5);
  QCOMPARE(compared(kInt32, {5}, {0}).maxRelative, 5.0);
  QCOMPARE(compared(kInt32, {5}, {4}).maxRelative, 0.25);
}

void TestRunOutputs::nansAreEqualOnlyToNans() {
  const OutputComparison found = compared(kFloat32, {kNan, kNan, 1, kNan, 2}, {kNan, 1, kNan, kInfinity, 2});
  QCOMPARE(found.mismatches, uint64_t{3});
  QCOMPARE(found.nanMismatches, uint64_t{3});
  QCOMPARE(found.infinityMismatches, uint64_t{0});
  QCOMPARE(found.measured, uint64_t{1});
  QVERIFY(found.nansCandidate == 3 && found.nansReference == 2 && found.infinitiesReference == 1);
  QVERIFY(!found.worst[0].difference && !found.worst[0].ulp && found.worst[0].mismatch);
  QCOMPARE(found.worst[0].candidate, "nan");
  QCOMPARE(found.sentence(), "3 of 5 elements differ by more than atol 1e-5, rtol 1e-4; 3 of them with NaN");
  const OutputComparison strict = compared(kFloat32, {kNan}, {kNan}, {.nansEqual = false});
  QVERIFY(strict.verdict == Verdict::Differs && strict.nanMismatches == 1 && strict.sameBits == 1);
  // Two NaNs with different bits are equal, but not identical.
  QVERIFY(
      compared(ofIntegers<uint32_t>(kFloat32, {0x7fc00000}), ofIntegers<uint32_t>(kFloat32, {0xffc00001})).verdict ==
      Verdict::WithinTolerance);
}

void TestRunOutputs::infinitiesAreEqualOnlyToThemselves() {
  const OutputComparison found = compared(kFloat32, {kInfinity, -kInfinity, kInfinity, 1, -kInfinity},
                                          {kInfinity, kInfinity, 1, kInfinity, -kInfinity});
  QCOMPARE(found.mismatches, uint64_t{3});
  QCOMPARE(found.infinityMismatches, uint64_t{3});
  QCOMPARE(found.measured, uint64_t{0});
  QVERIFY(!found.cosine);
  QCOMPARE(found.sentence(), "3 of 5 elements differ by more than atol 1e-5, rtol 1e-4; 3 of them with an infinity");
  // Whatever the tolerance.
  QVERIFY(compared(kFloat32, {1}, {kInfinity}, {.absolute = kInfinity, .relative = kInfinity}).verdict ==
          Verdict::Differs);
}

void TestRunOutputs::signedZerosAreEqual() {
  const OutputComparison found = compared(kFloat32, {-0.0, 0.0}, {0.0, 0.0}, {.absolute = 0.0, .relative = 0.0});
  QVERIFY(found.verdict == Verdict::WithinTolerance && found.maxUlp == 0 && found.differenceBins[0] == 2);
  QCOMPARE(found.sentence(), "2 of 2 elements equal");
}

void TestRunOutputs::ulpDistanceIsCounted() {
  const auto one = std::bit_cast<uint32_t>(1.0f);
  const OutputComparison found = compared(ofIntegers<uint32_t>(kFloat32, {one + 3, 0x80000001, one}),
                                          ofIntegers<uint32_t>(kFloat32, {one, 0x00000002, one}));
  QCOMPARE(found.maxUlp, uint64_t{3}); // the two subnormals: -1 and 2
  QVERIFY(found.ulpBins[0] == 1 && found.ulpBins[3] == 2);
  QVERIFY(
      compared(ofIntegers<uint32_t>(kFloat32, {one + 3}), ofIntegers<uint32_t>(kFloat32, {one}), {.ulp = 3}).verdict ==
      Verdict::WithinTolerance);
  QVERIFY(
      compared(ofIntegers<uint32_t>(kFloat32, {one + 4}), ofIntegers<uint32_t>(kFloat32, {one}), {.ulp = 3}).verdict ==
      Verdict::Differs);
  const double largest = std::numeric_limits<double>::max();
  QCOMPARE(compared(kFloat64, {-largest}, {largest}).maxUlp, 2 * std::bit_cast<uint64_t>(largest));
}

void TestRunOutputs::ulpPercentileIsComputed() {
  // 200 values, two of them far away: 198 in 200 are within 5.
  std::vector<uint32_t> a(200, 0x3f800000), b(200, 0x3f800000);
  for (std::size_t i = 0; i < 198; ++i) a[i] += static_cast<uint32_t>(i % 6);
  a[198] += 100'000;
  a[199] += 3'000'000;
  const OutputComparison found = compared(ofIntegers(kFloat32, a), ofIntegers(kFloat32, b));
  QCOMPARE(found.maxUlp, uint64_t{3'000'000});
  QCOMPARE(found.ulp99, uint64_t{5});
  // One more and the next value counts; above 65,535 the result is a little larger.
  a[0] += 90'000;
  const OutputComparison more = compared(ofIntegers(kFloat32, a), ofIntegers(kFloat32, b));
  QVERIFY(more.ulp99 >= 90'000 && more.ulp99 <= 90'000 + 90'000 / 256);
  QCOMPARE(compared(kFloat64, {-1e308}, {1e308}).ulp99, compared(kFloat64, {-1e308}, {1e308}).maxUlp);
}

void TestRunOutputs::smallFloatsAreComparedByUlp() {
  QCOMPARE(compared(kE4m3fn, {1.125}, {1}).sentence(), "1 of 1 element within 1 ULP; largest difference 0.12");
  QCOMPARE(compared(kE4m3fn, {1.25, 1}, {1, 1}).sentence(),
           "1 of 2 elements differs by more than 1 ULP; largest difference 0.25");
  // From 1 ULP on one side of zero to 1 on the other there are two.
  const OutputComparison found = compared(kE4m3fn, {-0x1p-9}, {0x1p-9});
  QVERIFY(found.maxUlp == 2 && found.verdict == Verdict::Differs);
  QCOMPARE(compared(kE8m0, {4}, {1}).maxUlp, uint64_t{2});
  QVERIFY(compared(kE8m0, {kNan}, {1}).nanMismatches == 1);
}

void TestRunOutputs::integersAreComparedExactly() {
  const OutputComparison found = compared(kInt32, {1, -5, 7}, {1, 5, 8});
  QCOMPARE(found.sentence(), "2 of 3 elements differ; largest difference 10");
  QCOMPARE(found.maxUlp, uint64_t{10});
  QCOMPARE(found.worst[0].candidate, "-5");
  QCOMPARE(*found.worst[0].difference, 10.0);
  // No difference is lost by rounding.
  QVERIFY(compared(ofIntegers<int64_t>({0, 64, 1}, {INT64_MAX}), ofIntegers<int64_t>({0, 64, 1}, {INT64_MAX - 1}))
              .mismatches == 1);
  QCOMPARE(compared(ofIntegers<int64_t>({0, 64, 1}, {INT64_MAX}), ofIntegers<int64_t>({0, 64, 1}, {INT64_MIN})).maxUlp,
           UINT64_MAX);
  QCOMPARE(compared(ofIntegers<uint64_t>({1, 64, 1}, {UINT64_MAX}), ofIntegers<uint64_t>({1, 64, 1}, {0})).maxUlp,
           UINT64_MAX);
  QCOMPARE(compared(ofIntegers<uint8_t>({1, 8, 1}, {255}), ofIntegers<uint8_t>({1, 8, 1}, {0})).maxAbsolute, 255.0);
  QCOMPARE(compared(ofIntegers<uint8_t>({0, 8, 1}, {255}), ofIntegers<uint8_t>({0, 8, 1}, {0})).maxAbsolute, 1.0);
}

void TestRunOutputs::boolsAreCompared() {
  const OutputComparison found =
      compared(ofBytes(kBool, {3}, std::string("\1\0\1", 3)), ofBytes(kBool, {3}, std::string("\1\1\1", 3)));
  QCOMPARE(found.sentence(), "1 of 3 elements differs; largest difference 1");
  QVERIFY(found.worst[0].candidate == "false" && found.worst[0].reference == "true");
  // Any byte other than 0 is true.
  QCOMPARE(compared(ofBytes(kBool, {1}, "\2"), ofBytes(kBool, {1}, "\1")).sentence(), "1 of 1 element equal");
}

void TestRunOutputs::otherTypesAreComparedByBytes() {
  const OutputComparison found =
      compared(ofBytes(kHandle, {2}, "abcdefghabcdefgh"), ofBytes(kHandle, {2}, "abcdefghabcdefgX"));
  QVERIFY(found.verdict == Verdict::Differs && found.mismatches == 1 && found.sameBits == 1);
  QCOMPARE(found.sentence(), "1 of 2 elements differs");
  QVERIFY(!found.note.empty());
  QVERIFY(compared(ofBytes({0, 12, 1}, {2}, "abc"), ofBytes({0, 12, 1}, {2}, "abc")).verdict == Verdict::Identical);
  QVERIFY(compared(ofBytes({0, 12, 1}, {2}, "abc"), ofBytes({0, 12, 1}, {2}, "abd")).verdict == Verdict::Differs);
}

void TestRunOutputs::packedValuesAreCompared() {
  const OutputComparison found = compared(kInt4, {1, -3, 7}, {1, -3, -8});
  QVERIFY(found.count == 3 && found.mismatches == 1 && found.maxAbsolute == 15);
  QVERIFY(found.worst[0].index == 2 && found.worst[0].candidate == "7" && found.worst[0].reference == "-8");
  // Bits after the last element do not matter.
  QVERIFY(compared(ofBytes(kInt4, {1}, "\x71"), ofBytes(kInt4, {1}, "\x01")).verdict == Verdict::Identical);
  for (const std::size_t count : {1u, 2u, 3u, 4u, 5u, 9u}) {
    std::vector<double> a(count, 1.5), b(count, 1.5);
    b[count - 1] = 7.5;
    const OutputComparison six = compared(kFloat6, a, b);
    QVERIFY(six.count == count && six.mismatches == 1 && six.maxAbsolute == 6 && six.worst[0].index == count - 1);
    QCOMPARE(six.worst[0].reference, "7.5");
    NullMonitor monitor;
    const auto statistics = computeOutputStatistics(of(kFloat6, b), monitor);
    QVERIFY(statistics && statistics->values.count == count && statistics->values.maximum == 7.5);
    QCOMPARE(statistics->sum, 1.5 * static_cast<double>(count - 1) + 7.5);
  }
}

void TestRunOutputs::lanesAreCompared() {
  const OutputComparison found = compared({2, 32, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 9, 8});
  QVERIFY(found.count == 8 && found.mismatches == 1);
  QVERIFY(found.worst[0].index == 1 && found.worst[0].lane == 2);
  QCOMPARE(found.worst[0].candidate, "7");
  QCOMPARE(found.sentence(), "1 of 8 values differs by more than atol 1e-5, rtol 1e-4; largest difference 2");
}

void TestRunOutputs::unwrittenElementsAreCounted() {
  const auto fill = [](uint8_t byte) { return std::bit_cast<float>(0x01010101u * byte); };
  const auto output = [&](std::vector<float> values, const std::vector<std::size_t>& left) {
    TensorOutput out = ofBytes(kFloat32, {static_cast<int64_t>(values.size())}, "");
    for (const std::size_t i : left) values[i] = fill(kFirstFill);
    out.data = bytes({reinterpret_cast<const char*>(values.data()), values.size() * 4});
    for (const std::size_t i : left) values[i] = fill(kSecondFill);
    out.again = bytes({reinterpret_cast<const char*>(values.data()), values.size() * 4});
    return out;
  };
  const TensorOutput a = output({1, 2, 3, 4}, {1, 2}), b = output({1, 2, 3, 4}, {2, 3});
  const OutputComparison found = compared(a, b);
  QCOMPARE(found.unwrittenBoth, uint64_t{1});
  QCOMPARE(found.unwrittenMismatches, uint64_t{2});
  QCOMPARE(found.mismatches, uint64_t{2});
  QCOMPARE(found.measured, uint64_t{1});
  QVERIFY(found.verdict == Verdict::Differs);
  QVERIFY(found.worst[0].index == 1 && found.worst[0].candidate == "not written" && found.worst[0].reference == "2");
  QVERIFY(found.worst[1].index == 3 && found.worst[1].reference == "not written");
  QCOMPARE(found.sentence(),
           "2 of 4 elements differ by more than atol 1e-5, rtol 1e-4; 2 written by one only; 1 not written by either");
  QVERIFY(compared(a, a).verdict == Verdict::Identical);
  QCOMPARE(compared(a, a).sentence(), "4 of 4 elements identical; 2 not written by either");
  // Without a second run the fill pattern is an ordinary value; a value that equals the fill in both runs was written.
  TensorOutput once = a;
  once.again.reset();
  QCOMPARE(compared(once, once).unwrittenBoth, uint64_t{0});
  TensorOutput written = a;
  written.again = written.data;
  QCOMPARE(compared(written, written).unwrittenBoth, uint64_t{0});
  NullMonitor monitor;
  QCOMPARE(*computeOutputStatistics(a, monitor)->unwritten, uint64_t{2});
  QCOMPARE(*computeOutputStatistics(written, monitor)->unwritten, uint64_t{0});
  QVERIFY(!computeOutputStatistics(once, monitor)->unwritten);
}

void TestRunOutputs::unwrittenPackedElementsAreCounted() {
  // Every width and every position in a byte: all lanes unwritten, then all but one.
  for (const DataType type : {kBool, DataType{1, 1, 8}, DataType{0, 2, 1}, DataType{0, 3, 1}, kInt4, DataType{1, 5, 1},
                              kFloat6, DataType{0, 7, 1}, kE4m3fn, kFloat16, DataType{0, 24, 1}, kFloat32, kFloat64}) {
    const uint64_t elements = 24, lanes = elements * type.lanes, size = *dataBytes(type, std::vector<int64_t>{24});
    TensorOutput output = ofBytes(type, {24}, std::string(size, static_cast<char>(kFirstFill)));
    output.again = bytes(std::string(size, static_cast<char>(kSecondFill)));
    NullMonitor monitor;
    QCOMPARE(*computeOutputStatistics(output, monitor)->unwritten, lanes);
    const auto code = ElementCode::of(type);
    for (uint64_t lane = 0; lane < lanes; ++lane) {
      std::string first(size, static_cast<char>(kFirstFill)), second(size, static_cast<char>(kSecondFill));
      for (std::string* text : {&first, &second})
        for (unsigned bit = 0; bit < code->strideBits(); ++bit) {
          const uint64_t at = lane * code->strideBits() + bit;
          (*text)[at / 8] = static_cast<char>((*text)[at / 8] & ~(1 << at % 8));
        }
      output.data = bytes(first);
      output.again = bytes(second);
      QCOMPARE(*computeOutputStatistics(output, monitor)->unwritten, lanes - 1);
    }
  }
}

void TestRunOutputs::differencesAreGroupedByMagnitude() {
  const OutputComparison found =
      compared(kFloat64, {0, 1e-13, 1e-12, 5e-12, 1e-11, 0.5, 1, 9.99, 10, 999, 1e3, 1e9}, std::vector<double>(12, 0));
  std::array<uint64_t, OutputComparison::kDifferenceBins> expected{};
  expected[0] = 1;  // 0
  expected[1] = 3;  // below 1e-11
  expected[2] = 1;  // from 1e-11
  expected[12] = 1; // 0.5
  expected[13] = 2; // 1, 9.99
  expected[14] = 1; // 10
  expected[15] = 1; // 999
  expected[16] = 2;
  QCOMPARE(found.differenceBins, expected);
  QCOMPARE(differenceBinText(0), "0");
  QCOMPARE(differenceBinText(1), "below 1e-11");
  QCOMPARE(differenceBinText(2), "1e-11 to 1e-10");
  QCOMPARE(differenceBinText(12), "1e-1 to 1");
  QCOMPARE(differenceBinText(13), "1 to 10");
  QCOMPARE(differenceBinText(16), "1e3 and more");
}

void TestRunOutputs::ulpDistancesAreGroupedByPowersOfTwo() {
  std::vector<uint64_t> a = {0, 1, 2, 3, 4, 5, 8, 9, 512, 513, 1024, 1025, UINT64_MAX};
  const OutputComparison found =
      compared(ofIntegers(DataType{1, 64, 1}, a), ofIntegers(DataType{1, 64, 1}, std::vector<uint64_t>(a.size(), 0)));
  const std::array<uint64_t, OutputComparison::kUlpBins> expected = {1, 1, 1, 2, 2, 1, 0, 0, 0, 0, 1, 2, 2};
  QCOMPARE(found.ulpBins, expected);
}

void TestRunOutputs::worstElementsAreListed() {
  std::vector<double> a(30, 0), b(30, 0);
  for (std::size_t i = 0; i < 15; ++i) a[i * 2] = static_cast<double>(i);
  a[1] = kNan;
  // A large value within tolerance is after a small one that is not.
  a[3] = 1'000'050, b[3] = 1'000'000;
  TensorOutput first = of(kFloat32, a), second = of(kFloat32, b);
  first.shape = second.shape = {2, 3, 5};
  const OutputComparison found = compared(first, second);
  QCOMPARE(found.worst.size(), OutputComparison::kWorst);
  QCOMPARE(found.worst[0].index, uint64_t{1});
  QCOMPARE(found.worst[1].index, uint64_t{28});
  QCOMPARE(found.worst[1].at, (std::vector<uint64_t>{1, 2, 3}));
  QCOMPARE(found.worst[1].candidate, "14");
  QCOMPARE(*found.worst[1].difference, 14.0);
  QCOMPARE(found.worst[9].index, uint64_t{12});
  for (const ValuePair& pair : found.worst) QVERIFY(pair.mismatch);
  const OutputComparison fine = compared(first, second, {.absolute = 100.0});
  QCOMPARE(fine.worst[1].index, uint64_t{3});
  QVERIFY(!fine.worst[1].mismatch);
  // Among equal differences the first ones are listed.
  const OutputComparison same = compared(kInt32, std::vector<double>(20, 1), std::vector<double>(20, 0));
  for (std::size_t i = 0; i < same.worst.size(); ++i) QCOMPARE(same.worst[i].index, uint64_t{i});
  // A scalar has no axes.
  QVERIFY(compared(ofBytes(kFloat32, {}, "abcd"), ofBytes(kFloat32, {}, "abce")).worst[0].at.empty());
}

void TestRunOutputs::extremeValuesNeverOverflow() {
  const double largest = std::numeric_limits<double>::max();
  const OutputComparison found = compared(kFloat64, {largest, 0}, {-largest, 0});
  QCOMPARE(found.maxAbsolute, largest);
  QVERIFY(std::isfinite(found.meanAbsolute) && std::isfinite(found.rootMeanSquare) && std::isfinite(found.maxRelative));
  QCOMPARE(*found.cosine, -1.0);
  const OutputComparison tiny = compared(kFloat64, {5e-324}, {0});
  QVERIFY(tiny.maxAbsolute == 5e-324 && tiny.maxUlp == 1 && tiny.differenceBins[1] == 1 && tiny.meanAbsolute > 0);
}

void TestRunOutputs::resultEqualsAPlainComparison() {
  // The same by a plain computation that keeps everything, over more than one check of the monitor.
  const std::size_t count = 200'000;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> a(count), b(count);
  const auto code = ElementCode::of(kFloat16);
  for (std::size_t i = 0; i < count; ++i) {
    b[i] = normal(random);
    a[i] = b[i] + (random() % 5 == 0 ? normal(random) * 0.01 : 0);
    if (random() % 1000 == 0) a[i] = kNan;
    if (random() % 1000 == 0) b[i] = kInfinity;
    a[i] = code->number(code->encode(a[i]));
    b[i] = code->number(code->encode(b[i]));
  }
  const OutputComparison found = compared(kFloat16, a, b);
  uint64_t mismatches = 0;
  std::vector<double> away;
  std::vector<int> ulps;
  const auto place = [&](double value) {
    const int bits = static_cast<int>(code->encode(value));
    return bits < 0x8000 ? bits : -(bits & 0x7fff);
  };
  double ab = 0, aa = 0, bb = 0, most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i])) {
      const double difference = std::fabs(a[i] - b[i]);
      mismatches += !(difference <= 2e-3 + 1e-2 * std::fabs(b[i]));
      away.push_back(difference);
      ulps.push_back(std::abs(place(a[i]) - place(b[i])));
      ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
      most = std::max(most, difference / std::max(std::fabs(b[i]), 0x1p-14));
    } else {
      mismatches += !(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])));
    }
  }
  QCOMPARE(found.mismatches, mismatches);
  QCOMPARE(found.measured, uint64_t{away.size()});
  QCOMPARE(found.maxAbsolute, *std::max_element(away.begin(), away.end()));
  QCOMPARE(found.maxRelative, most);
  const double mean = std::accumulate(away.begin(), away.end(), 0.0) / static_cast<double>(away.size());
  QVERIFY(std::fabs(found.meanAbsolute - mean) < 1e-12);
  const double squares = std::inner_product(away.begin(), away.end(), away.begin(), 0.0);
  QVERIFY(std::fabs(found.rootMeanSquare - std::sqrt(squares / static_cast<double>(away.size()))) < 1e-12);
  QVERIFY(std::fabs(*found.cosine - ab / std::sqrt(aa * bb)) < 1e-12);
  std::sort(ulps.begin(), ulps.end());
  QCOMPARE(found.maxUlp, static_cast<uint64_t>(ulps.back()));
  QCOMPARE(found.ulp99, static_cast<uint64_t>(ulps[(ulps.size() * 99 + 99) / 100 - 1]));
  QCOMPARE(sum(found.differenceBins), found.measured);
  QCOMPARE(sum(found.ulpBins), found.measured);
}

void TestRunOutputs::secondRunDecidesDeterminism() {
  NullMonitor monitor;
  TensorOutput output = of(kFloat32, {1, 2, 3});
  QCOMPARE(determinismText(*compareRuns(output, monitor)),
           "it is unknown whether it is deterministic: there is no second run");
  output.again = output.data;
  QCOMPARE(determinismText(*compareRuns(output, monitor)), "both runs gave the same");
  output.again = bytes(content(kFloat32, {1, 2.25, 3}));
  QCOMPARE(determinismText(*compareRuns(output, monitor)),
           "not deterministic: 1 of 3 elements differs; largest difference 0.25");
  // An unwritten element is the same in both runs, although the fills differ.
  output.data = bytes(std::string(12, static_cast<char>(kFirstFill)));
  output.again = bytes(std::string(12, static_cast<char>(kSecondFill)));
  const auto left = compareRuns(output, monitor);
  QVERIFY(left->verdict == Verdict::Identical && left->unwrittenBoth == 3);
  TensorOutput handles = ofBytes(kHandle, {1}, "abcdefgh");
  handles.again = bytes("abcdefgX");
  QCOMPARE(determinismText(*compareRuns(handles, monitor)), "not deterministic: 1 of 1 element differs");
}

void TestRunOutputs::statisticsAreComputed() {
  NullMonitor monitor;
  const auto found = computeOutputStatistics(of(kFloat32, {1, -2, 0, -0.0, kNan, kInfinity, -kInfinity, 4}), monitor);
  QVERIFY(found);
  const payloads::TensorStatistics& values = found->values;
  QVERIFY(values.count == 8 && values.nans == 1 && values.infinities == 2 && values.zeros == 2);
  QVERIFY(values.minimum == -2 && values.maximum == 4 && values.mean == 0.6 && found->sum == 3);
  const auto integers = computeOutputStatistics(of(kInt4, {1, -8, 7}), monitor);
  QVERIFY(integers->values.minimum == -8 && integers->values.maximum == 7 && integers->sum == 0);
  QCOMPARE(computeOutputStatistics(ofBytes(kHandle, {2}, "abcdefghabcdefgh"), monitor)->values.count, uint64_t{2});
  QCOMPARE(computeOutputStatistics(of(kFloat32, {}), monitor)->values.count, uint64_t{0});
}

void TestRunOutputs::missingBytesAreRefused() {
  NullMonitor monitor;
  const auto found = computeOutputStatistics(ofBytes(kFloat32, {2}, "abc"), monitor);
  QVERIFY(!found && found.error().id() == DiagnosticId::RunProtocol);
  QVERIFY(found.error().message().ends_with("shape [2] of float32 needs 8 bytes, but there are 3 bytes"));
}

void TestRunOutputs::invalidShapesAreRefused() {
  NullMonitor monitor;
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{-1},
                                            {INT64_MAX, INT64_MAX},
                                            {1LL << 62},
                                            {INT64_MIN, 0},
                                            {-1, -1},
                                            std::vector<int64_t>(65, 1)}) {
    const TensorOutput output = ofBytes(kFloat32, shape, "abcd");
    QVERIFY(compared(output, output).verdict == Verdict::NotComparable);
    QVERIFY(!computeOutputStatistics(output, monitor));
  }
  for (const DataType type : {DataType{2, 32, 0}, DataType{2, 0, 1}, DataType{0, 0, 0}}) {
    QVERIFY(compared(ofBytes(type, {4}, ""), ofBytes(type, {4}, "")).verdict == Verdict::NotComparable);
    QVERIFY(!computeOutputStatistics(ofBytes(type, {4}, ""), monitor));
  }
  QVERIFY(compared(ofBytes(kFloat32, {1LL << 40, 0}, ""), ofBytes(kFloat32, {1LL << 40, 0}, "")).verdict ==
          Verdict::Identical);
}

void TestRunOutputs::comparisonCanBeCancelled() {
  const TensorOutput output = ofBytes(kFloat32, {300'000}, std::string(1'200'000, 'a'));
  TensorOutput twice = output;
  twice.again = twice.data;
  for (const int looks : {0, 1, 2}) {
    StopAfter first(looks), second(looks), third(looks), fourth(looks);
    const auto one = compareOutputs(output, output, {}, first);
    const auto two = computeOutputStatistics(output, second);
    const auto three = compareRuns(twice, third);
    const TensorOutput handles = ofBytes(kHandle, {300'000}, std::string(2'400'000, 'a'));
    const auto four = compareOutputs(handles, handles, {}, fourth);
    QVERIFY(!one && one.error().code() == ErrorCode::Cancelled);
    QVERIFY(!two && two.error().code() == ErrorCode::Cancelled);
    QVERIFY(!three && three.error().code() == ErrorCode::Cancelled);
    QVERIFY(!four && four.error().code() == ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestRunOutputs);
#include "test_outputs.moc"
