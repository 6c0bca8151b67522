#include "core/protocol/inputs.h"

#include "core/payloads/tensor/npy.h"
#include "core/payloads/tensor/tensor_values.h"
#include "core/protocol/element_code.h"
#include "tests/core/protocol/numbers.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace blobscope;
using namespace blobscope::protocol;
using namespace blobscope::test;

namespace {

/// The layout of a float from the specifications, not from core.
struct Layout {
  const char* name;
  DataType type;
  int exponentBits, mantissaBits, bias;
  char special; ///< 'i' infinities and NaN, 'f' one NaN, 'u' NaN is -0, 'n' finite only
};
constexpr Layout kLayouts[] = {{"float16", kFloat16, 5, 10, 15, 'i'},     {"bfloat16", kBFloat16, 8, 7, 127, 'i'},
                               {"float8_e3m4", {7, 8, 1}, 3, 4, 3, 'i'},  {"float8_e4m3", {8, 8, 1}, 4, 3, 7, 'i'},
                               {"e4m3b11fnuz", {9, 8, 1}, 4, 3, 11, 'u'}, {"e4m3fn", kE4m3fn, 4, 3, 7, 'f'},
                               {"e4m3fnuz", {11, 8, 1}, 4, 3, 8, 'u'},    {"e5m2", {12, 8, 1}, 5, 2, 15, 'i'},
                               {"e5m2fnuz", {13, 8, 1}, 5, 2, 16, 'u'},   {"e2m3fn", kFloat6, 2, 3, 1, 'n'},
                               {"e3m2fn", {16, 6, 1}, 3, 2, 3, 'n'},      {"e2m1fn", kFloat4, 2, 1, 1, 'n'}};

/// The value of non-negative bits.
double valueOf(const Layout& layout, unsigned bits) {
  const int mantissa = static_cast<int>(bits & ((1u << layout.mantissaBits) - 1)),
            exponent = static_cast<int>(bits >> layout.mantissaBits);
  const int highest = (1 << layout.exponentBits) - 1;
  if (layout.special == 'i' && exponent == highest) return mantissa == 0 ? kInfinity : kNan;
  if (layout.special == 'f' && bits == (1u << (layout.exponentBits + layout.mantissaBits)) - 1) return kNan;
  if (exponent == 0) return std::ldexp(mantissa, 1 - layout.bias - layout.mantissaBits);
  return std::ldexp(mantissa + (1 << layout.mantissaBits), exponent - layout.bias - layout.mantissaBits);
}

/// Compares all bit patterns; of two equally near numbers, the even one wins. Numbers above the largest by half a step
/// or more become infinity.
uint64_t nearestBits(const Layout& layout, double value) {
  const unsigned count = 1u << (layout.exponentBits + layout.mantissaBits);
  const double magnitude = std::fabs(value);
  unsigned best = 0, infinity = 0, last = 0;
  double bestAway = kInfinity;
  for (unsigned bits = 0; bits < count; ++bits) {
    const double number = valueOf(layout, bits);
    if (std::isinf(number)) infinity = bits;
    if (!std::isfinite(number)) continue;
    last = bits;
    const double away = std::fabs(number - magnitude);
    if (away < bestAway || (away == bestAway && bits % 2 == 0)) {
      best = bits;
      bestAway = away;
    }
  }
  const double step = valueOf(layout, last) - valueOf(layout, last - 1);
  // Far above, all numbers are equally far away.
  if (infinity == 0 && magnitude >= valueOf(layout, last)) best = last;
  if (infinity != 0 && magnitude >= valueOf(layout, last) + step / 2) best = infinity;
  if (best == 0 && layout.special == 'u') return 0;
  return best | (std::signbit(value) ? uint64_t{count} : 0);
}

Result<Buffer> made(const InputTensor& tensor, const std::string& fill, uint64_t seed = 1) {
  NullMonitor monitor;
  BLOBSCOPE_TRY(parsed, parseFill(tensor.name, fill));
  return makeInput(tensor, parsed, seed, monitor);
}
Buffer buffer(DataType type, std::vector<int64_t> shape, const std::string& fill, uint64_t seed = 1) {
  auto out = made({"A", type, std::move(shape)}, fill, seed);
  return out ? std::move(*out) : Buffer{std::byte{0xEE}, std::byte{0xEE}, std::byte{0xEE}};
}
std::string refusal(DataType type, std::vector<int64_t> shape, const std::string& fill) {
  const auto out = made({"A", type, std::move(shape)}, fill);
  return out ? "" : std::string(row(out.error().id()).id) + ": " + out.error().message();
}

Bytes bytesOf(const Buffer& buffer) { return bytes({reinterpret_cast<const char*>(buffer.data()), buffer.size()}); }

std::vector<double> numbers(DataType type, std::vector<int64_t> shape, const std::string& fill, uint64_t seed = 1) {
  const payloads::TensorValues values(tensorOf(type, shape, bytesOf(buffer(type, shape, fill, seed))));
  std::vector<double> out;
  for (uint64_t i = 0; i < values.stored(); ++i)
    for (unsigned lane = 0; lane < type.lanes; ++lane) out.push_back(values.number(i, lane));
  return out;
}

std::string hex(const Buffer& buffer) {
  std::string out;
  for (const std::byte byte : buffer) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[std::to_integer<int>(byte) >> 4];
    out += kDigits[std::to_integer<int>(byte) & 15];
  }
  return out;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

std::string fileRefusal(DataType type, std::vector<int64_t> shape, const std::string& file) {
  const auto out = inputFromFile({"A", type, std::move(shape)}, bytes(file));
  return out ? "" : std::string(row(out.error().id()).id) + ": " + out.error().message();
}

} // namespace

class TestRunInputs : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void randomNumbersEqualKnownVectors();
  void fillsRoundTrip_data();
  void fillsRoundTrip();
  void invalidFillIsRefused_data();
  void invalidFillIsRefused();
  void smallFloatsRoundToNearest_data();
  void smallFloatsRoundToNearest();
  void float32RoundsToNearest();
  void scaleFloatsRoundToPowersOfTwo();
  void everyTypeCanBeFilled_data();
  void everyTypeCanBeFilled();
  void constantsAreStored();
  void valuesOutsideTheTypeAreRefused_data();
  void valuesOutsideTheTypeAreRefused();
  void rampsAreStored();
  void identityIsStored();
  void specialValuesAreStored();
  void defaultFillFollowsTheType();
  void rangesAreRespected();
  void packedTypesAreStored();
  void randomValuesDependOnSeedNameAndIndex();
  void shapesAreLimited();
  void fillingCanBeCancelled();
  void inputIsMadeInPieces();
  void inputIsReadFromFiles();
  void unsuitableFilesAreRefused();
  void exportedTensorsAreReadAgain();
};

void TestRunInputs::randomNumbersEqualKnownVectors() {
  const RandomNumbers random(1, "A");
  QCOMPARE(random.bits(0), uint64_t{0x3001e19090ef1dd3});
  QCOMPARE(random.bits(1), uint64_t{0xb4dd01ebb4ba642c});
  QVERIFY(RandomNumbers::uniform(random.bits(0)) == 0.18752870349356632);
  QVERIFY(RandomNumbers::symmetric(random.bits(0)) == -0.6249425930128674);
  QVERIFY(RandomNumbers::normal(random.bits(0)) == -0.43077281014061386);
  QVERIFY(RandomNumbers::uniform(random.bits(1)) == 0.7064973068670297);
  QVERIFY(RandomNumbers::normal(0) >= -3.4642 && RandomNumbers::normal(UINT64_MAX) <= 3.4642);
  // The file contains the given numbers.
  QCOMPARE(numbers(kFloat64, {1}, "uniform:0:1")[0], 0.18752870349356632);
  QVERIFY(numbers(kFloat64, {1}, "random")[0] == -0.43077281014061386 * 0.1);
  double sum = 0, squares = 0;
  for (const double value : numbers(kFloat64, {20'000}, "normal:2:3"))
    sum += value, squares += (value - 2) * (value - 2);
  QVERIFY(std::fabs(sum / 20'000 - 2) < 0.1);
  QVERIFY(std::fabs(std::sqrt(squares / 20'000) - 3) < 0.1);
}

void TestRunInputs::fillsRoundTrip_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("printed");
  for (const char* text : {"default",
                           "zeros",
                           "ones",
                           "ramp",
                           "random",
                           "identity",
                           "special",
                           "0",
                           "-0",
                           "5",
                           "-3",
                           "0.5",
                           "1e-40",
                           "nan",
                           "inf",
                           "-inf",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "18446744073709551615",
                           "uniform:-1:0.25",
                           "normal:0:0.02",
                           "integers:-5:12",
                           "integers:-9223372036854775808:9223372036854775807",
                           "normal:1:0"})
    QTest::newRow(text) << text << text;
  QTest::newRow("1e3") << "1e3"
                       << "1000";
  QTest::newRow("5.0") << "5.0"
                       << "5";
  QTest::newRow("20 digits") << "100000000000000000000"
                             << "1e+20";
}

void TestRunInputs::fillsRoundTrip() {
  QFETCH(QString, text);
  QFETCH(QString, printed);
  const auto fill = parseFill("A", text.toStdString());
  QVERIFY(fill);
  QCOMPARE(QString::fromStdString(fillText(*fill)), printed);
  const auto again = parseFill("A", fillText(*fill));
  QVERIFY(again);
  QVERIFY(*again == *fill || text == "nan");
}

void TestRunInputs::invalidFillIsRefused_data() {
  QTest::addColumn<QString>("text");
  for (const char* text : {"",
                           "zero",
                           "Zeros",
                           "1.5x",
                           "nan(5)",
                           "0x10",
                           " 1",
                           "+1",
                           "1e999",
                           "uniform",
                           "uniform:",
                           "uniform:1",
                           "uniform:1:1",
                           "uniform:2:1",
                           "uniform:0:inf",
                           "uniform:nan:1",
                           "uniform:0:1:2",
                           "uniform:-1e308:1e308",
                           "normal:0:-1",
                           "normal:0",
                           "integers:0:0",
                           "integers:5:1",
                           "integers:0:1.5",
                           "integers:0:9223372036854775808",
                           "normal:a:b",
                           "file:1:2",
                           ":",
                           "::"})
    QTest::newRow(text) << text;
}

void TestRunInputs::invalidFillIsRefused() {
  QFETCH(QString, text);
  const auto fill = parseFill("weights", text.toStdString());
  QVERIFY(!fill);
  QCOMPARE(fill.error().id(), DiagnosticId::RunInput);
  QVERIFY(fill.error().message().starts_with("invalid input 'weights': '" + text.toStdString() + "' is not a "));
}

void TestRunInputs::smallFloatsRoundToNearest_data() {
  QTest::addColumn<int>("layout");
  for (int i = 0; i < static_cast<int>(std::size(kLayouts)); ++i) QTest::newRow(kLayouts[i].name) << i;
}

void TestRunInputs::smallFloatsRoundToNearest() {
  QFETCH(int, layout);
  const Layout& format = kLayouts[layout];
  const auto code = ElementCode::of(format.type);
  QVERIFY(code && code->isFloat());
  const unsigned count = 1u << (format.exponentBits + format.mantissaBits);
  std::vector<double> tried = {0.0, -0.0, 1e-320, -1e-320, 1e300, -1e300, 0.1, -0.1};
  // Every number, and values in the middle of two numbers, exact and almost exact.
  const unsigned step = count > 1000 ? 251 : 1;
  double largest = 0;
  for (unsigned bits = 0; bits + 1 < count; bits += step) {
    const double number = valueOf(format, bits), next = valueOf(format, bits + 1);
    if (!std::isfinite(number)) break;
    largest = number;
    const double above = std::isfinite(next) ? next : number + (number - valueOf(format, bits - 1));
    const double middle = (number + above) / 2;
    for (const double value : {number, middle, std::nextafter(middle, 0), std::nextafter(middle, kInfinity)}) {
      tried.push_back(value);
      tried.push_back(-value);
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 100; ++i)
    tried.push_back(std::ldexp(static_cast<double>(random()) - 0x1p63, -63 - static_cast<int>(random() % 24)) * 8);
  for (int i = 0; i < 20; ++i) tried.push_back(largest * (0.9 + 0.01 * i));
  for (const double value : tried)
    if (code->encode(value) != nearestBits(format, value))
      QFAIL(qPrintable(QString::number(value, 'g', 17) + " gives " + QString::number(code->encode(value), 16) +
                       ", not " + QString::number(nearestBits(format, value), 16)));
  // The value read is the one given by the layout, and it round-trips.
  for (unsigned bits = 0; bits < count; ++bits) {
    const double number = valueOf(format, bits);
    QVERIFY(std::isnan(number) ? std::isnan(code->number(bits)) : code->number(bits) == number);
    if (!std::isnan(number)) QCOMPARE(code->encode(number), uint64_t{bits});
  }
  QCOMPARE(code->hasNan(), format.special != 'n');
  QCOMPARE(code->hasInfinity(), format.special == 'i');
  if (code->hasNan()) QVERIFY(std::isnan(code->number(code->encode(kNan))));
  if (code->hasInfinity()) QCOMPARE(code->number(code->encode(-kInfinity)), -kInfinity);
  if (!code->hasInfinity()) QCOMPARE(code->number(code->encode(kInfinity)), code->largest());
  QCOMPARE(code->largest(), [&] {
    double most = 0;
    for (unsigned bits = 0; bits < count; ++bits)
      if (std::isfinite(valueOf(format, bits))) most = std::max(most, valueOf(format, bits));
    return most;
  }());
}

void TestRunInputs::float32RoundsToNearest() {
  const auto code = ElementCode::of(kFloat32);
  QVERIFY(code);
  std::mt19937_64 random(3);
  const auto compare = [&](double value) {
    const auto expected = std::bit_cast<uint32_t>(static_cast<float>(value)); // computed by the machine
    return code->encode(value) == expected;
  };
  for (int i = 0; i < 200'000; ++i) {
    const double any = std::bit_cast<double>(random());
    if (!std::isnan(any) && std::fabs(any) < 1e39) QVERIFY(compare(any));
    // Near changes of the exponent.
    const double near =
        std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 300) - 155);
    if (near < 3.4e38) QVERIFY(compare(i % 2 ? near : -near));
  }
  const double least = 0x1p-149, largest = std::numeric_limits<float>::max();
  for (const double value :
       {least, least / 2, std::nextafter(least / 2, 1), least * 1.5, least * 2.5, 0x1p-126, std::nextafter(0x1p-126, 0),
        largest, std::nextafter(largest + 0x1p103, 0), 0.0, -0.0, kInfinity, -kInfinity})
    QVERIFY(compare(value));
  QCOMPARE(code->encode(largest + 0x1p103), uint64_t{0x7f800000});
  QCOMPARE(code->encode(1e300), uint64_t{0x7f800000});
  QCOMPARE(code->encode(kNan), uint64_t{0x7fc00000});
  QCOMPARE(code->largest(), largest);
  QCOMPARE(ElementCode::of(kFloat64)->encode(-0.1), std::bit_cast<uint64_t>(-0.1));
}

void TestRunInputs::scaleFloatsRoundToPowersOfTwo() {
  const auto code = ElementCode::of(kE8m0);
  QVERIFY(code);
  for (int bits = 0; bits < 255; ++bits) QCOMPARE(code->encode(std::ldexp(1.0, bits - 127)), uint64_t(bits));
  QCOMPARE(code->encode(1.49), uint64_t{127});
  QCOMPARE(code->encode(1.5), uint64_t{128}); // equally near to both: the even one
  QCOMPARE(code->encode(3), uint64_t{128});
  QCOMPARE(code->encode(-4), uint64_t{129});
  QCOMPARE(code->encode(0), uint64_t{0});
  QCOMPARE(code->encode(1e300), uint64_t{254});
  QCOMPARE(code->encode(kNan), uint64_t{255});
  for (const double value : numbers(kE8m0, {50}, "default")) QVERIFY(value > 0 && value <= 0.5);
}

void TestRunInputs::everyTypeCanBeFilled_data() {
  QTest::addColumn<int>("code");
  QTest::addColumn<int>("bits");
  QTest::addColumn<int>("lanes");
  const auto add = [](int code, int bits, int lanes) {
    const DataType type = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
    QTest::newRow(typeText(type).c_str()) << code << bits << lanes;
  };
  for (const int lanes : {1, 2, 3, 4}) {
    for (const int bits : {2, 3, 4, 5, 6, 7, 8, 16, 24, 32, 40, 64}) add(0, bits, lanes), add(1, bits, lanes);
    add(1, 1, lanes);
    add(6, 1, lanes), add(6, 8, lanes);
    for (const int bits : {16, 32, 64}) add(2, bits, lanes);
    add(4, 16, lanes);
    for (const int code : {7, 8, 9, 10, 11, 12, 13, 14}) add(code, 8, lanes);
    add(15, 6, lanes), add(16, 6, lanes), add(17, 4, lanes);
  }
}

void TestRunInputs::everyTypeCanBeFilled() {
  QFETCH(int, code);
  QFETCH(int, bits);
  QFETCH(int, lanes);
  const DataType type = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
  const auto element = ElementCode::of(type);
  QVERIFY(element);
  const bool truth = code == 1 && bits == 1 && lanes == 1;
  for (const int64_t count : {0, 1, 2, 3, 4, 5, 7, 8, 33}) {
    const auto lanesOfAll = static_cast<uint64_t>(count) * static_cast<uint64_t>(lanes);
    for (const char* fill : {"random", "ramp", "ones", "uniform:0:1", "default", "special", "zeros"}) {
      const Buffer content = buffer(type, {count}, fill);
      QCOMPARE(content.size(), *dataBytes(type, std::vector<int64_t>{count}));
      // 1. Bits one by one, lowest first, as read without any knowledge of the format, but the first of two float4 in
      // the high half of a byte.
      const unsigned stride = truth ? 8u : static_cast<unsigned>(bits);
      std::vector<uint64_t> plain;
      std::vector<bool> used(content.size() * 8);
      for (uint64_t lane = 0; lane < lanesOfAll; ++lane) {
        uint64_t value = 0;
        for (unsigned bit = 0; bit < stride; ++bit) {
          const uint64_t at = (code == 17 ? lane ^ 1 : lane) * stride + bit;
          used[at] = true;
          value |= (std::to_integer<uint64_t>(content[at / 8]) >> at % 8 & 1) << bit;
        }
        plain.push_back(value);
      }
      for (uint64_t lane = 0; lane < lanesOfAll; ++lane) QCOMPARE(element->load(content.data(), lane), plain[lane]);
      // 2. Nothing outside of the elements.
      for (uint64_t at = 0; at < content.size() * 8; ++at)
        QVERIFY(used[at] || (std::to_integer<unsigned>(content[at / 8]) >> at % 8 & 1) == 0);
      // 3. payloads reads the same.
      const payloads::TensorValues values(tensorOf(type, {count}, bytesOf(content)));
      QCOMPARE(values.stored(), uint64_t(count));
      for (uint64_t lane = 0; lane < lanesOfAll; ++lane) {
        const double found = values.number(lane / type.lanes, static_cast<unsigned>(lane % type.lanes)),
                     own = element->number(plain[lane]);
        QVERIFY(found == own || (std::isnan(found) && std::isnan(own)));
        if (fill == std::string("ones")) QVERIFY(found == 1);
        if (fill == std::string("zeros") && code != 14) QVERIFY(found == 0);
        if (!element->isFloat() && fill == std::string("default") && !(type == kUint32)) QVERIFY(found == 0);
        if (fill == std::string("uniform:0:1")) QVERIFY(found >= 0 && found <= 1);
      }
    }
  }
}

void TestRunInputs::constantsAreStored() {
  QCOMPARE(hex(buffer(kFloat32, {2}, "-0")), "0000008000000080");
  QCOMPARE(hex(buffer(kInt8, {2}, "-0.0")), std::string("eeeeee"));
  QCOMPARE(hex(buffer(kInt32, {1}, "-2")), "feffffff");
  QCOMPARE(hex(buffer({1, 64, 1}, {1}, "18446744073709551615")), "ffffffffffffffff");
  QCOMPARE(hex(buffer({0, 64, 1}, {1}, "-9223372036854775808")), "0000000000000080");
  QCOMPARE(hex(buffer(kInt8, {1}, "1e2")), "64");
  QCOMPARE(hex(buffer(kBool, {3}, "1")), "010101");
  QCOMPARE(hex(buffer(kBoolByte, {3}, "ones")), "010101");
  QCOMPARE(hex(buffer(kFloat16, {1}, "inf")), "007c");
  QCOMPARE(hex(buffer(kE4m3fn, {1}, "nan")), "7f");
  QCOMPARE(hex(buffer({11, 8, 1}, {1}, "-0")), "00"); // the bits of -0 are NaN there
  QCOMPARE(hex(buffer(kFloat64, {}, "0.1")), "9a9999999999b93f");
  QCOMPARE(hex(buffer(kHandle, {2}, "zeros")), "00000000000000000000000000000000");
  QCOMPARE(hex(buffer(kHandle, {1}, "default")), "0000000000000000");
}

void TestRunInputs::valuesOutsideTheTypeAreRefused_data() {
  QTest::addColumn<int>("code");
  QTest::addColumn<int>("bits");
  QTest::addColumn<QString>("fill");
  QTest::addColumn<QString>("reason");
  QTest::newRow("int8 300") << 0 << 8 << "300"
                            << "int8 has no 300";
  QTest::newRow("int8 -129") << 0 << 8 << "-129"
                             << "int8 has no -129";
  QTest::newRow("uint8 -1") << 1 << 8 << "-1"
                            << "uint8 has no -1";
  QTest::newRow("int64 2^63") << 0 << 64 << "9223372036854775808"
                              << "int64 has no 9223372036854775808";
  QTest::newRow("int32 0.5") << 0 << 32 << "0.5"
                             << "int32 has no 0.5";
  QTest::newRow("int32 nan") << 0 << 32 << "nan"
                             << "int32 has no nan";
  QTest::newRow("int32 inf") << 0 << 32 << "inf"
                             << "int32 has no inf";
  QTest::newRow("int1 ones") << 0 << 1 << "ones"
                             << "int1 has no 1";
  QTest::newRow("bool 2") << 1 << 1 << "2"
                          << "bool has no 2";
  QTest::newRow("float16 1e6") << 2 << 16 << "1000000"
                               << "float16 has no 1000000";
  QTest::newRow("e4m3fn inf") << 10 << 8 << "inf"
                              << "float8_e4m3fn has no inf";
  QTest::newRow("float4 nan") << 17 << 4 << "nan"
                              << "float4_e2m1fn has no nan";
  QTest::newRow("float4 7") << 17 << 4 << "7"
                            << "float4_e2m1fn has no 7";
  QTest::newRow("e8m0 0") << 14 << 8 << "0"
                          << "float8_e8m0fnu has no 0";
  QTest::newRow("e8m0 -1") << 14 << 8 << "-1"
                           << "float8_e8m0fnu has no -1";
  QTest::newRow("uniform int8") << 0 << 8 << "uniform:0:200"
                                << "0 to 200 is outside the range of int8";
  QTest::newRow("uniform float16") << 2 << 16 << "uniform:0:1e5"
                                   << "0 to 100000 is outside the range of float16";
  QTest::newRow("normal uint8") << 1 << 8 << "normal:0:1"
                                << "-3.4641016151377544 to 3.4641016151377544 is outside the range of uint8";
  QTest::newRow("integers int4") << 0 << 4 << "integers:0:9"
                                 << "0 to 8 is outside the range of int4";
  QTest::newRow("integers uint64") << 1 << 64 << "integers:-1:9"
                                   << "-1 to 8 is outside the range of uint64";
  QTest::newRow("integers float8") << 10 << 8 << "integers:0:500"
                                   << "0 to 499 is outside the range of float8_e4m3fn";
  QTest::newRow("handle") << 3 << 64 << "ones"
                          << "type handle has no numbers; use zeros or a file";
  QTest::newRow("int12") << 0 << 12 << "ramp"
                         << "type int12 has no numbers; use zeros or a file";
  QTest::newRow("complex") << 5 << 64 << "random"
                           << "type complex64 has no numbers; use zeros or a file";
  QTest::newRow("float24") << 2 << 24 << "random"
                           << "type float24 has no numbers; use zeros or a file";
}

void TestRunInputs::valuesOutsideTheTypeAreRefused() {
  QFETCH(int, code);
  QFETCH(int, bits);
  QFETCH(QString, fill);
  QFETCH(QString, reason);
  const DataType type = {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  QCOMPARE(QString::fromStdString(refusal(type, {4}, fill.toStdString())), "RUN-INPUT: invalid input 'A': " + reason);
}

void TestRunInputs::rampsAreStored() {
  QCOMPARE(hex(buffer(kInt8, {3}, "ramp")), "000102");
  QCOMPARE(numbers(kInt8, {300}, "ramp")[130], -126.0);
  QCOMPARE(numbers(kBool, {3}, "ramp"), (std::vector<double>{0, 1, 0}));
  QCOMPARE(numbers({17, 4, 1}, {6}, "ramp"), (std::vector<double>{0, 1, 2, 3, 0, 1}));
  QCOMPARE(numbers({7, 8, 1}, {18}, "ramp")[15], 15.0);
  QCOMPARE(numbers({7, 8, 1}, {18}, "ramp")[16], 0.0);
  for (const Layout& layout : kLayouts) {
    const std::vector<double> found = numbers(layout.type, {5000}, "ramp");
    uint64_t length = 1;
    while (length < found.size() && found[length] != 0) ++length;
    for (uint64_t i = 0; i < found.size(); ++i) QCOMPARE(found[i], static_cast<double>(i % length));
  }
  QCOMPARE(numbers(kFloat32, {3}, "ramp"), (std::vector<double>{0, 1, 2}));
}

void TestRunInputs::identityIsStored() {
  QCOMPARE(numbers(kFloat16, {2, 3}, "identity"), (std::vector<double>{1, 0, 0, 0, 1, 0}));
  QCOMPARE(numbers(kInt4, {2, 2, 2}, "identity"), (std::vector<double>{1, 0, 0, 1, 1, 0, 0, 1}));
  QCOMPARE(numbers({2, 32, 2}, {2, 1}, "identity"), (std::vector<double>{1, 0, 0, 1}));
  QVERIFY(buffer(kFloat32, {3, 0}, "identity").empty());
  QVERIFY(buffer(kFloat32, {0, 3}, "identity").empty());
  QCOMPARE(refusal(kFloat32, {3}, "identity"),
           "RUN-INPUT: invalid input 'A': an identity needs two axes, but its shape has 1");
}

void TestRunInputs::specialValuesAreStored() {
  QCOMPARE(hex(buffer(kFloat16, {14}, "special")), "0000"
                                                   "0080"
                                                   "007c"
                                                   "00fc"
                                                   "007e"
                                                   "0100"
                                                   "0180"
                                                   "ff03"
                                                   "ff83"
                                                   "0004"
                                                   "0084"
                                                   "ff7b"
                                                   "fffb"
                                                   "0000");
  QCOMPARE(hex(buffer(kInt8, {6}, "special")), "0001ff7f8000");
  QCOMPARE(hex(buffer({1, 8, 1}, {4}, "special")), "0001ff00");
  QCOMPARE(hex(buffer(kBool, {3}, "special")), "000100");
  for (const Layout& layout : kLayouts) {
    const std::vector<double> found = numbers(layout.type, {16}, "special");
    uint64_t nans = 0, infinities = 0;
    for (const double value : found) nans += std::isnan(value), infinities += std::isinf(value);
    QCOMPARE(nans > 0, layout.special != 'n');
    QCOMPARE(infinities > 0, layout.special == 'i');
  }
}

void TestRunInputs::defaultFillFollowsTheType() {
  QCOMPARE(hex(buffer(kInt32, {2}, "default")), "0000000000000000");
  QCOMPARE(hex(buffer(kUint32, {2}, "default")), "0000000000000000");
  // Two axes of uint32: packed weights.
  QCOMPARE(hex(buffer(kUint32, {1, 2}, "default")), "d31def902c64bab4");
  QCOMPARE(hex(buffer(kInt32, {2}, "random")), "d31def902c64bab4");
  QCOMPARE(buffer(kFloat32, {9}, "default"), buffer(kFloat32, {9}, "random"));
  double most = 0;
  for (const double value : numbers(kFloat32, {1000}, "default")) most = std::max(most, std::fabs(value));
  QVERIFY(most > 0.2 && most < 0.35);
}

void TestRunInputs::rangesAreRespected() {
  std::vector<int> seen(10);
  for (const double value : numbers(kInt4, {2000}, "integers:-5:5")) {
    QVERIFY(value >= -5 && value < 5 && std::trunc(value) == value);
    ++seen[static_cast<std::size_t>(value + 5)];
  }
  for (const int count : seen) QVERIFY(count > 100);
  for (const double value : numbers(kFloat16, {500}, "integers:-3:4"))
    QVERIFY(value >= -3 && value <= 3 && std::trunc(value) == value);
  for (const double value : numbers({0, 64, 1}, {100}, "integers:-9223372036854775808:9223372036854775807"))
    QVERIFY(std::fabs(value) > 1e14);
  for (const double value : numbers(kFloat64, {1000}, "uniform:1:1.0000000000000002")) QCOMPARE(value, 1.0);
  for (const double value : numbers(kInt8, {500}, "uniform:-2:2.5")) QVERIFY(value >= -2 && value <= 2);
  for (const double value : numbers(kFloat32, {100}, "normal:5:0")) QCOMPARE(value, 5.0);
  NullMonitor monitor;
  Fill backwards;
  backwards.kind = Fill::Kind::Integers;
  backwards.low = backwards.high = INT64_MIN;
  QVERIFY(!makeInput({"A", kFloat32, {4}}, backwards, 1, monitor));
}

void TestRunInputs::packedTypesAreStored() {
  QCOMPARE(hex(buffer(kInt4, {5}, "ramp")), "103204");
  QCOMPARE(hex(buffer({1, 2, 1}, {8}, "ramp")), "e4e4");
  QCOMPARE(hex(buffer({1, 1, 8}, {2}, "ramp")), "aaaa");
  QCOMPARE(hex(buffer({1, 6, 1}, {4}, "ramp")), "40200c");
  QCOMPARE(hex(buffer(kFloat6, {2}, "1")), "0802");
  QCOMPARE(numbers(kFloat6, {2}, "1"), (std::vector<double>{1, 1}));
  // Across the end of a piece of 2^18 lanes.
  const Buffer many = buffer({0, 3, 1}, {600'000}, "ramp");
  const auto code = ElementCode::of({0, 3, 1});
  for (uint64_t lane = 0; lane < 600'000; ++lane)
    if (code->load(many.data(), lane) != (lane & 7)) QFAIL("a lane is elsewhere");
}

void TestRunInputs::randomValuesDependOnSeedNameAndIndex() {
  const Buffer small = buffer(kFloat32, {10}, "random"), large = buffer(kFloat32, {1'000'000}, "random");
  QVERIFY(std::memcmp(small.data(), large.data(), small.size()) == 0);
  QCOMPARE(buffer(kFloat32, {2, 5}, "random"), small);
  QVERIFY(buffer(kFloat32, {10}, "random", 2) != small);
  QVERIFY(*made({"B", kFloat32, {10}}, "random") != small);
  QCOMPARE(buffer({2, 32, 2}, {5}, "random"), small);
}

void TestRunInputs::shapesAreLimited() {
  QVERIFY(buffer(kFloat32, {0}, "random").empty());
  QVERIFY(buffer(kFloat32, {4, 0, 1LL << 40}, "random").empty());
  QCOMPARE(buffer(kFloat32, {}, "random").size(), std::size_t{4});
  QVERIFY(refusal(kFloat32, {4, -1}, "zeros")
              .starts_with("RUN-INPUT: invalid input 'A': shape [4, -1] has a negative extent"));
  const std::string beyond =
      "RUN-MEMORY: the tensors need more bytes than can be counted, but the limit is 4.0 GiB (4,294,967,296 bytes)";
  QVERIFY(refusal(kFloat32, {1LL << 40, 1LL << 40}, "zeros").starts_with(beyond));
  QVERIFY(refusal(kFloat32, {INT64_MAX, 2}, "random").starts_with(beyond));
  QVERIFY(refusal({0, 4, 65535}, {1LL << 60}, "ramp").starts_with(beyond));
  QVERIFY(refusal(kFloat32, {1LL << 40}, "zeros").starts_with("RUN-MEMORY: the tensors need 4.0 TiB"));
  QVERIFY(refusal(kFloat32, std::vector<int64_t>(65, 1), "zeros").starts_with("RUN-INPUT"));
  QVERIFY(refusal({2, 32, 0}, {4}, "zeros").starts_with("RUN-INPUT"));
  QVERIFY(refusal({2, 0, 1}, {4}, "zeros").starts_with("RUN-INPUT"));
  QVERIFY(refusal({200, 8, 1}, {4}, "random").starts_with("RUN-INPUT"));
  NullMonitor monitor;
  QVERIFY(!makeInput({"A", kInt8, {101}}, {}, 1, monitor, 100));
  QVERIFY(makeInput({"A", kInt8, {100}}, {}, 1, monitor, 100));
}

void TestRunInputs::fillingCanBeCancelled() {
  for (const char* fill : {"zeros", "random"})
    for (const int looks : {0, 1, 3}) {
      StopAfter monitor(looks);
      const auto out = makeInput({"A", kFloat64, {1 << 20}}, *parseFill("A", fill), 1, monitor);
      QVERIFY(!out);
      QCOMPARE(out.error().code(), ErrorCode::Cancelled);
    }
}

void TestRunInputs::inputIsMadeInPieces() {
  NullMonitor monitor;
  Buffer joined;
  const InputTensor tensor = {"A", {0, 6, 1}, {1'000'003}};
  QVERIFY(makeInputPieces(tensor, *parseFill("A", "random"), 9, monitor,
                          [&](std::span<const std::byte> piece) -> Result<Done> {
                            if (piece.size() > (2u << 20)) return Error(DiagnosticId::Cancelled, {});
                            joined.insert(joined.end(), piece.begin(), piece.end());
                            return Done{};
                          }));
  QCOMPARE(joined, *makeInput(tensor, *parseFill("A", "random"), 9, monitor));
  int calls = 0;
  const auto ended = makeInputPieces(tensor, {}, 9, monitor, [&](std::span<const std::byte>) -> Result<Done> {
    ++calls;
    return Error(DiagnosticId::RunRunner, {arg("reason", "full")});
  });
  QVERIFY(!ended && ended.error().id() == DiagnosticId::RunRunner && calls == 1);
}

void TestRunInputs::inputIsReadFromFiles() {
  const auto content = [](DataType type, std::vector<int64_t> shape, const std::string& file) {
    const auto out = inputFromFile({"A", type, std::move(shape)}, bytes(file));
    return out ? std::string(out->view()) : "refused: " + out.error().message();
  };
  const std::string eight = "abcdefgh";
  QCOMPARE(content(kFloat32, {2}, npy("<f4", "(2,)", eight)), eight);
  QCOMPARE(content({2, 32, 2}, {1}, npy("<f4", "(1, 2)", eight)), eight);
  QCOMPARE(content(kFloat64, {}, npy("<f8", "()", eight)), eight);
  QCOMPARE(content(kBFloat16, {2, 2}, npy("<u2", "(2, 2)", eight)), eight);
  QCOMPARE(content(kE4m3fn, {8}, npy("|u1", "(8,)", eight)), eight);
  QCOMPARE(content(kInt4, {4, 4}, npy("|u1", "(8,)", eight)), eight);
  QCOMPARE(content({1, 1, 8}, {8}, npy("|u1", "(8,)", eight)), eight);
  QCOMPARE(content(kFloat6, {2}, npy("|u1", "(2,)", "ab")), "ab");
  QCOMPARE(content(kBool, {3}, npy("|b1", "(3,)", std::string("\1\0\1", 3))), std::string("\1\0\1", 3));
  QCOMPARE(content(kBoolByte, {3}, npy("|b1", "(3,)", std::string("\1\0\1", 3))), std::string("\1\0\1", 3));
  QCOMPARE(content(kFloat32, {2}, eight), eight);
  QCOMPARE(content({2, 32, 1}, {0, 5}, ""), "");
  QCOMPARE(content({5, 64, 1}, {1}, npy("<c8", "(1,)", eight)), eight);
}

void TestRunInputs::unsuitableFilesAreRefused() {
  const std::string eight = "abcdefgh", start = "RUN-INPUT: invalid input 'A': ";
  QCOMPARE(fileRefusal(kFloat32, {2}, npy("<f8", "(1,)", eight)),
           start + "the file contains float64, but the tensor is float32");
  QCOMPARE(fileRefusal(kFloat32, {2}, npy("<i4", "(2,)", eight)),
           start + "the file contains int32, but the tensor is float32");
  QCOMPARE(fileRefusal(kBFloat16, {4}, npy("<f2", "(4,)", eight)),
           start + "the file contains float16, but the tensor is bfloat16, stored as uint16");
  QCOMPARE(fileRefusal(kFloat32, {2}, npy("<f4", "(1, 2)", eight)),
           start + "the shape of the file is [1, 2], but that of the tensor is [2]");
  QCOMPARE(fileRefusal(kFloat32, {3}, npy("<f4", "(2,)", eight)),
           start + "the shape of the file is [2], but that of the tensor is [3]");
  QCOMPARE(fileRefusal(kFloat32, {3}, eight), start + "shape [3] of float32 needs 12 bytes, but the file has 8 bytes");
  QCOMPARE(fileRefusal(kBool, {2}, npy("|b1", "(2,)", "ab")),
           start + "the file holds bytes that are neither true nor false");
  QVERIFY(fileRefusal(kFloat32, {2}, "\x93NUMPY").starts_with(start));
  QVERIFY(fileRefusal(kFloat32, {2}, npy(">f4", "(2,)", eight)).starts_with(start));
  QVERIFY(fileRefusal(kFloat32, {-2}, npy("<f4", "(2,)", eight)).starts_with(start));
  QVERIFY(fileRefusal(kFloat32, {INT64_MAX, INT64_MAX}, eight).starts_with(start));
  QVERIFY(fileRefusal({2, 32, 0}, {2}, "").starts_with(start));
  const std::string whole = npy("<f4", "(2,)", eight);
  for (std::size_t size = 8; size < whole.size(); ++size)
    QVERIFY(!fileRefusal(kFloat32, {2}, whole.substr(0, size)).empty());
}

void TestRunInputs::exportedTensorsAreReadAgain() {
  // A .npy file that core exports can be used as an input.
  for (const DataType type : {kFloat32, kFloat16, kBFloat16, kE4m3fn, kInt8, kBoolByte, kBool, DataType{2, 32, 4},
                              DataType{0, 64, 1}, kInt4, kFloat6, kFloat4}) {
    const Buffer content = buffer(type, {4, 4}, "random");
    const payloads::Tensor tensor = tensorOf(type, {4, 4}, bytesOf(content));
    const auto header = payloads::npyHeader(tensor);
    QVERIFY(header);
    const auto out =
        inputFromFile({"A", type, {4, 4}}, bytes(header->bytes + std::string(payloads::npyData(tensor).view())));
    QVERIFY2(out, out ? "" : out.error().message().c_str());
    QCOMPARE(out->view(), bytesOf(content).view());
  }
}

BLOBSCOPE_TEST(TestRunInputs);
#include "test_inputs.moc"
