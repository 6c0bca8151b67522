#include "core/protocol/element_code.h"

#include "tests/core/base/compare.h"
#include "tests/core/protocol/numbers.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

using namespace blobscope;
using namespace blobscope::protocol;
using namespace blobscope::test;

namespace {

// Codes of DLPack. Source: dmlc/dlpack v1.1 include/dlpack/dlpack.h, DLDataTypeCode.
constexpr DataType kInt64{0, 64, 1}, kUint1{1, 1, 1}, kUint4{1, 4, 1}, kUint64{1, 64, 1}, kHalf{2, 16, 1},
    kSingle{2, 32, 1}, kDouble{2, 64, 1}, kBrain{4, 16, 1}, kE4m3{10, 8, 1}, kE4m3Fnuz{11, 8, 1}, kE5m2{12, 8, 1},
    kE2m3{15, 6, 1}, kE2m1{17, 4, 1};

ElementCode codeOf(DataType type) {
  auto code = ElementCode::of(type);
  if (!code) qFatal("a type with numbers has none");
  return std::move(*code);
}

} // namespace

class TestElementCode : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void typesWithoutNumbersAreRefused_data();
  void typesWithoutNumbersAreRefused();
  void lanesAreStoredAndLoaded_data();
  void lanesAreStoredAndLoaded();
  void nearestNumberIsEncoded_data();
  void nearestNumberIsEncoded();
  void everyPatternIsEncodedAgain_data();
  void everyPatternIsEncodedAgain();
  void limitsOfFloats_data();
  void limitsOfFloats();
  void limitsOfIntegers_data();
  void limitsOfIntegers();
  void numbersAreWritten_data();
  void numbersAreWritten();
  void packedTensorsSayIt();
};

void TestElementCode::typesWithoutNumbersAreRefused_data() {
  QTest::addColumn<DataType>("type");
  const auto row = [](const char* name, DataType type) { QTest::newRow(name) << type; };
  row("handle", {3, 64, 1});
  row("complex", {5, 64, 1});
  row("a type of a user", {200, 32, 1});
  row("no bits", {0, 0, 1});
  row("no lanes", {2, 32, 0});
  row("128 bits", {0, 128, 1});
  row("lanes of more than a byte that do not end with one", {0, 12, 1});
}

void TestElementCode::typesWithoutNumbersAreRefused() {
  QFETCH(DataType, type);
  QVERIFY(!ElementCode::of(type));
}

void TestElementCode::lanesAreStoredAndLoaded_data() {
  QTest::addColumn<DataType>("type");
  QTest::addColumn<bool>("packed");
  QTest::addColumn<std::string>("bytes"); ///< of lanes that hold 1, 2, 3 …
  QTest::addColumn<int>("lanes");
  const auto row = [](const char* name, DataType type, bool packed, std::string hex, int lanes) {
    QTest::newRow(name) << type << packed << std::move(hex) << lanes;
  };
  row("int8", kInt8, false, "010203", 3);
  row("int64", kInt64, false, "01000000000000000200000000000000", 2);
  row("int4, from the lowest bit up", kInt4, true, "2143", 4);
  row("an odd number of int4", kInt4, true, "2103", 3);
  row("float4, the first in the high half", kE2m1, true, "1230", 3);
  row("6 bits, over the end of a byte", kE2m3, true, "813010", 4);
  row("a bool of one bit has a byte", kUint1, false, "01", 1);
  row("vectors of one bit have not", {1, 1, 8}, true, "01", 1);
  row("float16x2 lies lane behind lane", {2, 16, 2}, false, "0100020003000400", 4);
}

void TestElementCode::lanesAreStoredAndLoaded() {
  QFETCH(DataType, type);
  QFETCH(bool, packed);
  QFETCH(std::string, bytes);
  QFETCH(int, lanes);
  const ElementCode code = codeOf(type);
  QCOMPARE(code.isPacked(), packed);
  std::vector<std::byte> data(bytes.size() / 2);
  for (int lane = 0; lane < lanes; ++lane)
    code.store(data.data(), static_cast<uint64_t>(lane), static_cast<uint64_t>(lane) + 1);
  QCOMPARE(hexDigits({reinterpret_cast<const char*>(data.data()), data.size()}), bytes);
  for (int lane = 0; lane < lanes; ++lane)
    QCOMPARE(code.load(data.data(), static_cast<uint64_t>(lane)), static_cast<uint64_t>(lane) + 1);
}

void TestElementCode::nearestNumberIsEncoded_data() {
  QTest::addColumn<DataType>("type");
  QTest::addColumn<double>("value");
  QTest::addColumn<uint64_t>("bits");
  const auto row = [](const char* name, DataType type, double value, uint64_t bits) {
    QTest::newRow(name) << type << value << bits;
  };
  row("float16: 1", kHalf, 1, 0x3c00);
  row("float16: -0", kHalf, -0.0, 0x8000);
  row("float16: the largest", kHalf, 65'504, 0x7bff);
  row("float16: below the middle to infinity", kHalf, std::nextafter(65'520.0, 0), 0x7bff);
  row("float16: the middle is even and goes up", kHalf, 65'520, 0x7c00);
  row("float16: the smallest", kHalf, 0x1p-24, 0x0001);
  row("float16: half of it goes to the even 0", kHalf, 0x1p-25, 0x0000);
  row("float16: more than half of it", kHalf, std::nextafter(0x1p-25, 1.0), 0x0001);
  row("float16: the middle to the even one below", kHalf, 1 + 0x1p-11, 0x3c00);
  row("float16: the middle to the even one above", kHalf, 1 + 3 * 0x1p-11, 0x3c02);
  row("float16: rounding carries into the exponent", kHalf, 2 - 0x1p-12, 0x4000);
  row("float16: the largest subnormal rounds to a normal number", kHalf, 0x1p-14 - 0x1p-26, 0x0400);
  row("float16: a subnormal double", kHalf, 5e-324, 0);
  row("float16: infinity", kHalf, -kInfinity, 0xfc00);
  row("float16: the quiet NaN", kHalf, kNan, 0x7e00);
  row("bfloat16: 1 + 2^-8 is a middle", kBrain, 1 + 0x1p-8, 0x3f80);
  row("bfloat16: above the largest", kBrain, 1e39, 0x7f80);
  row("float32: 0.1", kSingle, 0.1, 0x3dcccccd);
  row("float32: above the largest", kSingle, 1e39, 0x7f800000);
  row("float64 as it is", kDouble, 0.1, 0x3fb999999999999a);
  row("float64: bits of a NaN as they are", kDouble, -kNan, std::bit_cast<uint64_t>(-kNan));
  row("e4m3fn: the largest", kE4m3, 448, 0x7e);
  row("e4m3fn: above it", kE4m3, 1e9, 0x7e);
  row("e4m3fn: infinity", kE4m3, -kInfinity, 0xfe);
  row("e4m3fn: NaN", kE4m3, kNan, 0x7f);
  row("e4m3fnuz: -0 is not a number of its own", kE4m3Fnuz, -0.0, 0x00);
  row("e4m3fnuz: NaN", kE4m3Fnuz, kNan, 0x80);
  row("e5m2: the largest", kE5m2, 57'344, 0x7b);
  row("e5m2: the middle to infinity", kE5m2, 61'440, 0x7c);
  row("e5m2: below it", kE5m2, 61'439, 0x7b);
  row("e8m0fnu: 1", kE8m0, 1, 127);
  row("e8m0fnu: the magnitude", kE8m0, -2, 128);
  row("e8m0fnu: at least the smallest", kE8m0, 0, 0);
  row("e8m0fnu: NaN", kE8m0, kNan, 0xff);
  row("e2m1fn: 6", kE2m1, 6, 0x7);
  row("e2m1fn: a middle to the even one", kE2m1, 2.5, 0x4);
  row("e2m1fn: NaN is the largest", kE2m1, kNan, 0x7);
  row("e2m1fn: -0.5", kE2m1, -0.5, 0x9);
}

void TestElementCode::nearestNumberIsEncoded() {
  QFETCH(DataType, type);
  QFETCH(double, value);
  QFETCH(uint64_t, bits);
  QCOMPARE(codeOf(type).encode(value), bits);
}

void TestElementCode::everyPatternIsEncodedAgain_data() {
  QTest::addColumn<DataType>("type");
  for (const DataType type : {kHalf, kBrain, kE4m3, kE4m3Fnuz, kE5m2, kE8m0, kE2m3, kE2m1, DataType{7, 8, 1},
                              DataType{8, 8, 1}, DataType{9, 8, 1}, DataType{13, 8, 1}, DataType{16, 6, 1}})
    QTest::newRow(typeText(type).c_str()) << type;
}

void TestElementCode::everyPatternIsEncodedAgain() {
  QFETCH(DataType, type);
  const ElementCode code = codeOf(type);
  for (uint64_t bits = 0; bits <= code.mask(); ++bits) {
    const double value = code.number(bits);
    if (std::isnan(value))
      QVERIFY(std::isnan(code.number(code.encode(value))));
    else
      QCOMPARE(code.encode(value), bits);
  }
}

void TestElementCode::limitsOfFloats_data() {
  QTest::addColumn<DataType>("type");
  QTest::addColumn<double>("largest");
  QTest::addColumn<uint32_t>("mantissa");
  QTest::addColumn<bool>("infinity");
  QTest::addColumn<bool>("nan");
  QTest::addColumn<bool>("sign");
  const auto row = [](DataType type, double largest, uint32_t mantissa, bool infinity, bool nan, bool sign) {
    QTest::newRow(typeText(type).c_str()) << type << largest << mantissa << infinity << nan << sign;
  };
  row(kHalf, 65'504, 10, true, true, true);
  row(kBrain, 0x1.fep127, 7, true, true, true);
  row(kSingle, std::numeric_limits<float>::max(), 23, true, true, true);
  row(kDouble, std::numeric_limits<double>::max(), 52, true, true, true);
  row(kE4m3, 448, 3, false, true, true);
  row(kE5m2, 57'344, 2, true, true, true);
  row(kE8m0, 0x1p127, 0, false, true, false);
  row(kE2m3, 7.5, 3, false, false, true);
  row(kE2m1, 6, 1, false, false, true);
}

void TestElementCode::limitsOfFloats() {
  QFETCH(DataType, type);
  QFETCH(double, largest);
  QFETCH(uint32_t, mantissa);
  QFETCH(bool, infinity);
  QFETCH(bool, nan);
  QFETCH(bool, sign);
  const ElementCode code = codeOf(type);
  QVERIFY(code.isFloat());
  QCOMPARE(code.largest(), largest);
  QCOMPARE(code.mantissaBits(), mantissa);
  QCOMPARE(code.hasInfinity(), infinity);
  QCOMPARE(code.hasNan(), nan);
  QCOMPARE(code.hasSign(), sign);
}

void TestElementCode::limitsOfIntegers_data() {
  QTest::addColumn<DataType>("type");
  QTest::addColumn<qint64>("minimum");
  QTest::addColumn<uint64_t>("maximum");
  QTest::addColumn<qint64>("ofAllBits");
  const auto row = [](const char* name, DataType type, int64_t minimum, uint64_t maximum, int64_t ofAllBits) {
    QTest::newRow(name) << type << qint64{minimum} << maximum << qint64{ofAllBits};
  };
  row("int4", kInt4, -8, 7, -1);
  row("uint4", kUint4, 0, 15, 15);
  row("int8", kInt8, -128, 127, -1);
  row("int64", kInt64, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), -1);
  row("uint64", kUint64, 0, UINT64_MAX, -1);
  row("bool", kBoolByte, 0, 1, 1);
}

void TestElementCode::limitsOfIntegers() {
  QFETCH(DataType, type);
  QFETCH(qint64, minimum);
  QFETCH(uint64_t, maximum);
  QFETCH(qint64, ofAllBits);
  const ElementCode code = codeOf(type);
  QVERIFY(!code.isFloat());
  QCOMPARE(qint64{code.integerMinimum()}, minimum);
  QCOMPARE(code.integerMaximum(), maximum);
  QCOMPARE(qint64{code.integer(code.mask())}, ofAllBits);
}

void TestElementCode::numbersAreWritten_data() {
  QTest::addColumn<DataType>("type");
  QTest::addColumn<uint64_t>("bits");
  QTest::addColumn<std::string>("text");
  QTest::newRow("int4") << kInt4 << uint64_t{0xf} << std::string("-1");
  QTest::newRow("uint64") << kUint64 << UINT64_MAX << std::string("18446744073709551615");
  QTest::newRow("float16") << kHalf << uint64_t{0x3e00} << std::string("1.5");
  QTest::newRow("a lane of a vector") << DataType{2, 32, 4} << uint64_t{0x3f800000} << std::string("1");
}

void TestElementCode::numbersAreWritten() {
  QFETCH(DataType, type);
  QFETCH(uint64_t, bits);
  QFETCH(std::string, text);
  QCOMPARE(codeOf(type).text(bits), text);
}

/// Two or three values of 6 bits need as many bytes with gaps as without: the tensor says that there are none.
void TestElementCode::packedTensorsSayIt() {
  const payloads::Tensor two = tensorOf(kE2m3, {2}, Bytes::copyOf("\x81\x30"));
  QVERIFY(two.packed && !tensorOf(kInt8, {2}, Bytes::copyOf("xx")).packed && !tensorOf(kUint1, {1}, {}).packed);
  const payloads::TensorValues values(two);
  QCOMPARE(values.text(0) + " " + values.text(1),
           payloads::textOfBits(values.type(), 1) + " " + payloads::textOfBits(values.type(), 2));
  const payloads::TensorValues small(tensorOf(kE2m1, {3}, Bytes::copyOf("\x21\x30")));
  QCOMPARE(small.text(0) + " " + small.text(1) + " " + small.text(2), std::string("1 0.5 1.5"));
  const payloads::Tensor deep = tensorOf(kInt8, std::vector<int64_t>(70, 1), Bytes::copyOf("x"));
  QCOMPARE(deep.rank, payloads::Tensor::kMaxRank);
}

BLOBSCOPE_TEST(TestElementCode);
#include "test_element_code.moc"
