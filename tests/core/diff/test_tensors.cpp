#include "core/diff/tensors.h"

#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <cmath>
#include <limits>
#include <random>

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;
using payloads::Tensor;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

Tensor tensor(uint32_t dtype, std::vector<int64_t> shape, std::string_view data, bool dlpack = false) {
  Tensor out;
  out.dtype = dtype;
  out.dlpack = dlpack;
  out.rank = static_cast<int32_t>(shape.size());
  out.shape = std::move(shape);
  out.data = bytes(data);
  return out;
}
Tensor ofFloats(const std::vector<float>& values) {
  return tensor(kFloat32, {static_cast<int64_t>(values.size())}, floats(values));
}

template <class T> std::string stored(const std::vector<T>& values) {
  std::string out;
  for (const T value : values) out.append(reinterpret_cast<const char*>(&value), sizeof value);
  return out;
}

TensorDiff compared(const Tensor& a, const Tensor& b) {
  NullMonitor monitor;
  auto found = compareTensors(a, b, monitor);
  return found ? std::move(*found) : TensorDiff{};
}

uint64_t sum(const std::vector<DifferenceBin>& bins) {
  uint64_t out = 0;
  for (const DifferenceBin& bin : bins) out += bin.count;
  return out;
}

} // namespace

class TestTensorDiff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void equalTensorsAreEqual();
  void floatDifferencesAreMeasured();
  void nansAndInfinitiesAreCounted();
  void differencesAreAGrid();
  void differencesHaveTheirIndices();
  void everyElementTypeIsCompared_data();
  void everyElementTypeIsCompared();
  void integersAreComparedExactly();
  void differentTypesOrShapesAreNotCompared();
  void lanesAreCompared();
  void packedValuesAreCompared();
  void histogramGroupsDifferencesByMagnitude();
  void resultEqualsAPlainComparison();
  void comparisonCanBeCancelled();
};

void TestTensorDiff::equalTensorsAreEqual() {
  const TensorDiff found = compared(ofFloats({1, 2, kNan, kInfinity}), ofFloats({1, 2, kNan, kInfinity}));
  QVERIFY(found.same() && found.compared);
  QCOMPARE(found.count, uint64_t{4});
  QCOMPARE(found.differing, uint64_t{0});
  QCOMPARE(found.nansA, uint64_t{1});
  QCOMPARE(found.infinitiesB, uint64_t{1});
  QVERIFY(found.histogram.empty());
  QVERIFY(compared(tensor(kFloat32, {0}, ""), tensor(kFloat32, {0}, "")).same());
}

void TestTensorDiff::floatDifferencesAreMeasured() {
  const TensorDiff found = compared(ofFloats({1, 2, 4, -8}), ofFloats({1, 2.5, 4, -4}));
  QCOMPARE(found.differing, uint64_t{2});
  QCOMPARE(found.maxAbsolute, 4.0);
  QCOMPARE(found.maxAbsoluteAt.index, uint64_t{3});
  QCOMPARE(found.maxAbsoluteAt.a, std::string("-8"));
  QCOMPARE(found.maxAbsoluteAt.b, std::string("-4"));
  QCOMPARE(found.maxRelative, 0.5);
  QCOMPARE(found.maxRelativeAt.index, uint64_t{3});
  QCOMPARE(found.first.index, uint64_t{1});
  QCOMPARE(found.meanAbsolute, 4.5 / 4);
  QCOMPARE(found.rootMeanSquare, std::sqrt((0.25 + 16) / 4));
  QCOMPARE(found.histogram.front(), (DifferenceBin{0.5, 1, 1}));
  QCOMPARE(found.histogram.back(), (DifferenceBin{4, 8, 1}));
  const TensorDiff other = compared(ofFloats({1, 2.5, 4, -4}), ofFloats({1, 2, 4, -8}));
  QCOMPARE(other.maxRelative, found.maxRelative);
  QCOMPARE(other.histogram, found.histogram);
}

void TestTensorDiff::nansAndInfinitiesAreCounted() {
  const TensorDiff found =
      compared(ofFloats({kNan, 1, kInfinity, -0.0f, kInfinity, 1}), ofFloats({1, kNan, -kInfinity, 0, 3, 2}));
  QCOMPARE(found.differing, uint64_t{5});
  QCOMPARE(found.withoutDifference, uint64_t{4});
  QCOMPARE(found.nansA, uint64_t{1});
  QCOMPARE(found.nansB, uint64_t{1});
  QCOMPARE(found.infinitiesA, uint64_t{2});
  QCOMPARE(found.infinitiesB, uint64_t{1});
  QCOMPARE(found.maxAbsolute, 1.0);
  QCOMPARE(found.meanAbsolute, 0.5);
  // Other bytes, the same value.
  const TensorDiff zeros = compared(ofFloats({0}), ofFloats({-0.0f}));
  QVERIFY(zeros.differing == 0 && !zeros.same());
  // The largest possible difference.
  const double most = std::numeric_limits<double>::max();
  const TensorDiff wide =
      compared(tensor(0x00014002, {1}, stored<double>({most})), tensor(0x00014002, {1}, stored<double>({-most})));
  QCOMPARE(wide.maxAbsolute, most);
  QCOMPARE(wide.differing, uint64_t{1});
}

void TestTensorDiff::differencesAreAGrid() {
  const auto grid = differenceGrid(ofFloats({1, kNan, kNan, kInfinity, 5, 6}), ofFloats({3, kNan, 2, kInfinity, 4}));
  QCOMPARE(grid->stored(), uint64_t{5});
  QCOMPARE(grid->number(0), 2.0);
  QCOMPARE(grid->number(1), 0.0);
  QVERIFY(std::isnan(grid->number(2)));
  QCOMPARE(grid->number(3), 0.0);
  QCOMPARE(grid->number(4), -1.0);
  QVERIFY(std::isnan(grid->number(5)));
  QCOMPARE(grid->text(0), std::string("1 → 3"));
  QCOMPARE(grid->text(1), std::string("nan"));
  QCOMPARE(grid->text(5), std::string());
}

void TestTensorDiff::differencesHaveTheirIndices() {
  std::vector<float> values(24, 1);
  const std::string before = floats(values);
  values[23] = 2;
  const TensorDiff found = compared(tensor(kFloat32, {2, 3, 4}, before), tensor(kFloat32, {2, 3, 4}, floats(values)));
  QCOMPARE(found.first.at, (std::vector<uint64_t>{1, 2, 3}));
  QCOMPARE(found.maxRelativeAt.at, (std::vector<uint64_t>{1, 2, 3}));
}

void TestTensorDiff::everyElementTypeIsCompared_data() {
  QTest::addColumn<uint>("dtype");
  QTest::addColumn<bool>("dlpack");
  QTest::addColumn<QByteArray>("a");
  QTest::addColumn<QByteArray>("b");
  QTest::addColumn<double>("difference");
  const auto row = [](const char* name, uint dtype, bool dlpack, const std::string& a, const std::string& b,
                      double difference) {
    QTest::newRow(name) << dtype << dlpack << QByteArray::fromStdString(a) << QByteArray::fromStdString(b)
                        << difference;
  };
  row("float16", kFloat16, false, stored<uint16_t>({0x3c00}), stored<uint16_t>({0x4000}), 1);
  row("bfloat16", 0x00011004, false, stored<uint16_t>({0x3f80}), stored<uint16_t>({0x4040}), 2);
  row("float64", 0x00014002, false, stored<double>({0.5}), stored<double>({2.5}), 2);
  row("float8_e4m3fn", 0x0001080a, true, std::string(1, '\x38'), std::string(1, '\x40'), 1);
  row("float8_e5m2 of older numbering", 0x00010807, false, std::string(1, '\x3c'), std::string(1, '\x40'), 1);
  row("int8", kInt8, false, std::string(1, '\x80'), std::string(1, '\x7f'), 255);
  row("uint8", 0x00010801, false, std::string(1, '\x80'), std::string(1, '\x7f'), 1);
  row("int16", 0x00011000, false, stored<int16_t>({-5}), stored<int16_t>({6}), 11);
  row("uint16", 0x00011001, false, stored<uint16_t>({65'535}), stored<uint16_t>({0}), 65'535);
  row("int32", 0x00012000, false, stored<int32_t>({INT32_MIN}), stored<int32_t>({INT32_MAX}), 4294967295.0);
  row("uint32", 0x00012001, false, stored<uint32_t>({7}), stored<uint32_t>({9}), 2);
  row("int64", 0x00014000, false, stored<int64_t>({INT64_MIN}), stored<int64_t>({INT64_MAX}), 18446744073709551615.0);
  row("bool", 0x00010101, false, std::string(1, '\0'), std::string(1, '\x01'), 1);
}

void TestTensorDiff::everyElementTypeIsCompared() {
  QFETCH(uint, dtype);
  QFETCH(bool, dlpack);
  QFETCH(QByteArray, a);
  QFETCH(QByteArray, b);
  QFETCH(double, difference);
  const TensorDiff found =
      compared(tensor(dtype, {1}, a.toStdString(), dlpack), tensor(dtype, {1}, b.toStdString(), dlpack));
  QVERIFY2(found.note.empty(), found.note.c_str());
  QCOMPARE(found.differing, uint64_t{1});
  QCOMPARE(found.maxAbsolute, difference);
}

/// Neighbours above 2^53, which a double cannot distinguish, differ by 1.
void TestTensorDiff::integersAreComparedExactly() {
  const TensorDiff found = compared(tensor(0x00014000, {2}, stored<int64_t>({INT64_MAX, 3})),
                                    tensor(0x00014000, {2}, stored<int64_t>({INT64_MAX - 1, 3})));
  QCOMPARE(found.maxAbsolute, 1.0);
  QCOMPARE(found.maxAbsoluteAt.a, std::to_string(INT64_MAX));
}

void TestTensorDiff::differentTypesOrShapesAreNotCompared() {
  const TensorDiff types = compared(tensor(kFloat32, {1}, "abcd"), tensor(0x00012000, {1}, "abcd"));
  QVERIFY(!types.compared && !types.same());
  QCOMPARE(types.note, std::string("the types differ, float32 and int32, so the values are not compared"));
  const TensorDiff shapes =
      compared(tensor(kFloat32, {2, 1}, std::string(8, 'x')), tensor(kFloat32, {2}, std::string(8, 'x')));
  QCOMPARE(shapes.note, std::string("the shapes differ, [2, 1] and [2], so the values are not compared"));
  // The older float8_e4m3 equals today's float8_e4m3fn.
  QVERIFY(compared(tensor(0x00010806, {1}, "x"), tensor(0x0001080a, {1}, "x", true)).compared);
  QVERIFY(!compared(tensor(0x00010806, {1}, "x"), tensor(0x00010808, {1}, "x", true)).compared);
  // Fewer bytes than the shape needs.
  const TensorDiff cut = compared(tensor(kFloat32, {4}, floats({1, 2})), tensor(kFloat32, {4}, floats({1, 3, 4, 5})));
  QCOMPARE(cut.count, uint64_t{2});
  QCOMPARE(cut.differing, uint64_t{1});
  QCOMPARE(cut.note, std::string("only 2 of 4 values are stored in both"));
  QVERIFY(!cut.same());
  // Handles have no order.
  const TensorDiff handles =
      compared(tensor(0x00014003, {2}, std::string(16, 'x')), tensor(0x00014003, {2}, std::string(15, 'x') + "y"));
  QCOMPARE(handles.differing, uint64_t{1});
  QCOMPARE(handles.first.index, uint64_t{1});
  QVERIFY(!handles.note.empty() && handles.histogram.empty() && handles.maxAbsolute == 0);
  // Shapes without a number of elements.
  const TensorDiff negative = compared(tensor(kFloat32, {-1}, floats({1, 2})), tensor(kFloat32, {-1}, floats({1, 3})));
  QCOMPARE(negative.differing, uint64_t{1});
  const TensorDiff huge =
      compared(tensor(kFloat32, {INT64_MAX, 4}, floats({1, 2})), tensor(kFloat32, {INT64_MAX, 4}, floats({1, 3})));
  QCOMPARE(huge.first.index, uint64_t{1});
}

void TestTensorDiff::lanesAreCompared() {
  const TensorDiff found =
      compared(tensor(0x00022002, {2}, floats({1, 2, 3, 4})), tensor(0x00022002, {2}, floats({1, 2, 3, 5})));
  QCOMPARE(found.count, uint64_t{4});
  QCOMPARE(found.first.index, uint64_t{1});
  QCOMPARE(found.first.lane, 1u);
  QCOMPARE(found.first.b, std::string("(3, 5)"));
}

/// Two 4-bit integers in a byte.
void TestTensorDiff::packedValuesAreCompared() {
  payloads::Tensor a = tensor(0x00010400, {4}, "\x21\x43"), b = tensor(0x00010400, {4}, "\x21\xc3");
  const TensorDiff unknown = compared(a, b);
  QVERIFY(!unknown.compared);
  QCOMPARE(unknown.note, std::string("TVM does not state where values of the type int4 are, so they are not compared"));
  b.packed = true;
  QVERIFY(!compared(a, b).compared);
  a.packed = true;
  const TensorDiff found = compared(a, b);
  QCOMPARE(found.count, uint64_t{4});
  QCOMPARE(found.differing, uint64_t{1});
  QCOMPARE(found.first.index, uint64_t{3});
  QCOMPARE(found.maxAbsolute, 8.0); // 4 and -4
  // float4 of TVM: the first value of a pair is in the high half, and the last two bytes are no data.
  a = tensor(0x00010411, {4}, "\x21\x43zz");
  b = tensor(0x00010411, {4}, "\x21\xc3yy");
  a.dlpack = b.dlpack = true;
  const TensorDiff small = compared(a, b);
  QCOMPARE(small.differing, uint64_t{1});
  QCOMPARE(small.first.index, uint64_t{2});
  QCOMPARE(small.first.a + " " + small.first.b, std::string("2 -2"));
}

void TestTensorDiff::histogramGroupsDifferencesByMagnitude() {
  std::vector<double> a(200, 0), b;
  for (int i = 0; i < 200; ++i) b.push_back(std::ldexp(1.5, i - 150));
  const TensorDiff found = compared(tensor(0x00014002, {200}, stored(a)), tensor(0x00014002, {200}, stored(b)));
  QCOMPARE(found.histogram.size(), std::size_t{64});
  QCOMPARE(sum(found.histogram), uint64_t{200});
  QCOMPARE(found.histogram.back(), (DifferenceBin{std::ldexp(1.0, 49), std::ldexp(1.0, 50), 1}));
  QCOMPARE(found.histogram.front().from, 0.0);
  QCOMPARE(found.histogram.front().count, uint64_t{137});
}

void TestTensorDiff::resultEqualsAPlainComparison() {
  std::mt19937 random(61);
  std::normal_distribution<float> normal;
  std::vector<float> a(300'000), b;
  for (float& value : a) value = normal(random);
  b = a;
  for (int i = 0; i < 5'000; ++i) b[random() % b.size()] += normal(random) * 1e-3f;
  uint64_t differing = 0;
  double most = 0, relative = 0, total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double first = static_cast<double>(a[i]), second = static_cast<double>(b[i]),
                 difference = std::fabs(first - second);
    differing += difference > 0;
    most = std::max(most, difference);
    if (difference > 0) relative = std::max(relative, difference / std::max(std::fabs(first), std::fabs(second)));
    total += difference;
  }
  const TensorDiff found = compared(ofFloats(a), ofFloats(b));
  QCOMPARE(found.differing, differing);
  QCOMPARE(found.maxAbsolute, most);
  QCOMPARE(found.maxRelative, relative);
  QCOMPARE(sum(found.histogram), differing);
  QVERIFY(std::fabs(found.meanAbsolute - total / 300'000) < 1e-12);
}

void TestTensorDiff::comparisonCanBeCancelled() {
  const std::vector<float> values(2'000'000, 1);
  const Tensor a = ofFloats(values), b = ofFloats(values);
  for (const int looks : {0, 3, 9, 12}) {
    StopAfter monitor(looks);
    const auto found = compareTensors(a, b, monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestTensorDiff);

#include "test_tensors.moc"
