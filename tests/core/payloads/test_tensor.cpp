#include "core/payloads/tensor/tensor_pages.h"
#include "core/payloads/tensor/tensor_summary.h"
#include "core/payloads/tensor/tensor_table.h"
#include "core/payloads/tensor/tensor_values.h"
#include "core/payloads/tensor/value_text.h"
#include "core/view/render.h"

#include "core/base/writer.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using payloads::Tensor;
using payloads::TensorStatistics;
using payloads::TensorValues;

namespace {

/// Code, bits and lanes as stored.
uint32_t dtype(unsigned code, unsigned bits, unsigned lanes = 1) { return code | bits << 8 | lanes << 16; }

Tensor tensorOf(uint32_t type, std::vector<int64_t> shape, std::string_view data, bool dlpack = true) {
  Tensor tensor;
  tensor.dtype = type;
  tensor.dlpack = dlpack;
  tensor.rank = static_cast<int32_t>(shape.size());
  tensor.shape = std::move(shape);
  tensor.data = bytes(data);
  return tensor;
}

/// A tensor as test runs have it: lanes of less than 8 bits follow one another.
Tensor packedTensorOf(uint32_t type, std::vector<int64_t> shape, std::string_view data) {
  Tensor tensor = tensorOf(type, std::move(shape), data);
  tensor.packed = true;
  return tensor;
}

QString joinedValues(const Tensor& tensor) {
  const TensorValues values(tensor);
  QStringList out;
  for (uint64_t i = 0; i < values.stored(); ++i) out << QString::fromStdString(values.text(i));
  return out.join(QLatin1Char(' '));
}

/// A table as text, one line per row.
QString tableText(const view::TableSource& table) {
  QStringList lines;
  for (uint64_t row = 0; row < table.rowCount(); ++row) {
    QStringList cells;
    for (std::size_t column = 0; column < table.columns().size(); ++column)
      cells << QString::fromStdString(table.cell(row, column));
    lines << cells.join(QLatin1String(" | "));
  }
  return lines.join(QLatin1Char('\n'));
}

QString factsText(const view::GridSummary::Facts& facts) {
  QStringList lines;
  for (const auto& [label, value] : facts) lines << QString::fromStdString(label + " | " + value);
  return lines.join(QLatin1Char('\n'));
}

view::GridSummary summaryOf(const Tensor& tensor, bool exact = false) {
  NullMonitor monitor;
  const auto summary = payloads::tensorPage(tensor).summarize(exact, monitor);
  return summary ? *summary : view::GridSummary{};
}

} // namespace

/// Tensors: their bytes, the values of every type, tables and statistics.
class TestTensor : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void tensorsRoundTrip();
  void everyTruncationIsRefused();
  void everyChangedByteIsSafe();
  void valuesOfEveryTypeAreShown_data();
  void valuesOfEveryTypeAreShown();
  void packedValuesAreShown_data();
  void packedValuesAreShown();
  void float4IsReadAsTvmReadsIt_data();
  void float4IsReadAsTvmReadsIt();
  void typesThatTvmDoesNotPackHaveNoValues_data();
  void typesThatTvmDoesNotPackHaveNoValues();
  void smallFloatsAreDecoded_data();
  void smallFloatsAreDecoded();
  void everyFloat16IsDecoded();
  void missingBytesAreReported_data();
  void missingBytesAreReported();
  void valueTableFollowsTheShape_data();
  void valueTableFollowsTheShape();
  void absurdShapesAreSafe_data();
  void absurdShapesAreSafe();
  void statisticsAreComputed_data();
  void statisticsAreComputed();
  void histogramHasEqualBins();
  void countingAndReadingGiveTheSameStatistics();
  void statisticsCanBeCancelled();
  void pagesShowTheTensor();
  void largeTensorsAreSampled();
  void valuesAreEncoded_data();
  void valuesAreEncoded();
  void encodingIsTheInverseOfText();
  void tableListsTensors();
};

void TestTensor::tensorsRoundTrip() {
  const std::string stored = tensorBytes({kFloat32, {2, 3}, floats({1, 2, 3, 4, 5, 6})});
  Reader reader(bytes(stored));
  ReadArchive archive(reader, {});
  Tensor tensor;
  wire(archive, tensor);
  QVERIFY(reader.ok());
  QCOMPARE(reader.left(), uint64_t{0});
  QCOMPARE(QString::fromStdString(tensor.typeText() + " " + tensor.shapeText()), QStringLiteral("float32 [2, 3]"));
  QCOMPARE(*tensor.elementCount(), uint64_t{6});
  Writer writer;
  WriteArchive out(writer);
  wire(out, tensor);
  QVERIFY(joined(writer.takePieces()).view() == stored);
}

void TestTensor::everyTruncationIsRefused() {
  const std::string stored = tensorBytes({kFloat32, {2}, floats({1, 2})});
  for (std::size_t size = 0; size < stored.size(); ++size) {
    Reader reader(bytes(stored.substr(0, size)));
    ReadArchive archive(reader, {});
    Tensor tensor;
    wire(archive, tensor);
    QVERIFY2(!reader.ok(), qPrintable(QString::number(size)));
  }
}

/// One byte changed, bytes of rank and type to every value: a tensor that is read can be shown, whatever its shape and
/// type.
void TestTensor::everyChangedByteIsSafe() {
  const std::string stored = tensorBytes({kFloat32, {2, 2}, floats({1, 2, 3, 4})});
  int read = 0;
  NullMonitor monitor;
  for (std::size_t at = 0; at < stored.size(); ++at)
    for (int value = 0; value < 256; value += at >= 24 && at < 32 ? 1 : value < 2 || value > 252 ? 1 : 25) {
      std::string changed = stored;
      changed[at] = static_cast<char>(value);
      Reader reader(bytes(changed));
      ReadArchive archive(reader, {false, value % 2 == 0});
      Tensor tensor;
      wire(archive, tensor);
      if (!reader.ok()) continue;
      ++read;
      const view::GridPage page = payloads::tensorPage(tensor);
      for (uint64_t row = 0; row < page.table->rowCount(); ++row)
        for (std::size_t column = 0; column < 3; ++column)
          (void)page.table->cell(row, std::min(column, page.table->columns().size() - 1));
      if (page.summarize) QVERIFY(page.summarize(false, monitor).hasValue());
      const view::GridMap map(page.shape, view::slicesOf(page.shape).front());
      QVERIFY(view::computeHeatMap(*page.values, map, {0, 0, 64, 64}, 8, 8, true, monitor).hasValue());
    }
  QVERIFY(read > 1000);
}

void TestTensor::valuesOfEveryTypeAreShown_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<bool>("dlpack");
  QTest::addColumn<QByteArray>("data");
  QTest::addColumn<qlonglong>("count");
  QTest::addColumn<QString>("wanted");
  const auto add = [](const char* name, uint32_t type, const char* hex, qlonglong count, const char* wanted,
                      bool dlpack = true) {
    QTest::newRow(name) << type << dlpack << QByteArray::fromHex(hex) << count << QString::fromUtf8(wanted);
  };
  add("int8", dtype(0, 8), "00ff807f", 4, "0 -1 -128 127");
  add("int16", dtype(0, 16), "ffff0080", 2, "-1 -32768");
  add("int32", dtype(0, 32), "00000080ffffff7f", 2, "-2147483648 2147483647");
  add("int64", dtype(0, 64), "0000000000000080ffffffffffffff7f", 2, "-9223372036854775808 9223372036854775807");
  add("uint8", dtype(1, 8), "00ff", 2, "0 255");
  add("uint64", dtype(1, 64), "ffffffffffffffff", 1, "18446744073709551615");
  add("int24", dtype(0, 24), "ffffff000080", 2, "-1 -8388608");
  add("uint48", dtype(1, 48), "ffffffffffff", 1, "281474976710655");
  add("bool (1, 1, 1)", dtype(1, 1), "000102ff", 4, "false true true true", false);
  add("bool (6, 8, 1)", dtype(6, 8), "000102", 3, "false true true");
  add("float16", dtype(2, 16), "003c00c001000080007c00fc017eff7b", 8, "1 -2 5.9604645e-08 -0 inf -inf nan 65504");
  add("float32", dtype(2, 32), "0000803fcdcccc3d0000807f", 3, "1 0.1 inf");
  add("float64", dtype(2, 64), "9a9999999999b93f", 1, "0.1");
  add("bfloat16", dtype(4, 16), "803f49408000", 3, "1 3.140625 1.1754944e-38");
  add("complex64", dtype(5, 64), "0000803f000080bf", 1, "1-1j");
  add("complex128", dtype(5, 128), "000000000000f03f0000000000000040", 1, "1+2j");
  add("float16x2", dtype(2, 16, 2), "003c00400042003c", 2, "(1, 2) (3, 1)");
  add("handle", dtype(3, 64), "efbeadde00000000", 1, "0xdeadbeef");
  add("a type of a user", dtype(131, 16), "3412", 1, "0x1234");
  add("wider than any number", dtype(1, 96), "000102030405060708090a0b", 1, "000102030405060708090a0b");
  add("float8_e4m3 until v0.20 has no infinity", dtype(6, 8), "787eff", 3, "256 448 nan", false);
  add("float8_e5m2 until v0.20", dtype(7, 8), "3c7c7d", 3, "1 inf nan", false);
  add("void", dtype(3, 0), "", 3, "");
}

void TestTensor::valuesOfEveryTypeAreShown() {
  QFETCH(uint, type);
  QFETCH(bool, dlpack);
  QFETCH(QByteArray, data);
  QFETCH(qlonglong, count);
  QFETCH(QString, wanted);
  const Tensor tensor = tensorOf(type, {count}, data.toStdString(), dlpack);
  QCOMPARE(joinedValues(tensor), wanted);
  QCOMPARE(QString::fromStdString(TensorValues(tensor).text(static_cast<uint64_t>(count))), QString());
}

void TestTensor::packedValuesAreShown_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<QByteArray>("data");
  QTest::addColumn<qlonglong>("count");
  QTest::addColumn<QString>("wanted");
  const auto add = [](const char* name, uint32_t type, const char* hex, qlonglong count, const char* wanted) {
    QTest::newRow(name) << type << QByteArray::fromHex(hex) << count << QString::fromUtf8(wanted);
  };
  add("int4", dtype(0, 4), "f708", 3, "7 -1 -8");
  add("uint4", dtype(1, 4), "f708", 4, "7 15 8 0");
  add("int1", dtype(0, 1), "02", 2, "0 -1");
  add("bool", dtype(1, 1), "05", 8, "true false true false false false false false");
  add("int4x2", dtype(0, 4, 2), "21f7", 2, "(1, 2) (7, -1)");
  add("float4_e2m1fn is not changed by it", dtype(17, 4), "721f", 4, "6 1 0.5 -6");
  add("float6_e2m3fn", dtype(15, 6), "c8ff07", 4, "1 -7.5 -7.5 0.125");
}

void TestTensor::packedValuesAreShown() {
  QFETCH(uint, type);
  QFETCH(QByteArray, data);
  QFETCH(qlonglong, count);
  QFETCH(QString, wanted);
  QCOMPARE(joinedValues(packedTensorOf(type, {count}, data.toStdString())), wanted);
}

/// The bytes that tvm.runtime.save_param_dict of apache-tvm 0.27.0.post1 stores for arrays of ml_dtypes 0.6.0, and what
/// Tensor.numpy() returns for them.
void TestTensor::float4IsReadAsTvmReadsIt_data() {
  QTest::addColumn<QByteArray>("data");
  QTest::addColumn<qlonglong>("count");
  QTest::addColumn<uint>("lanes");
  QTest::addColumn<QString>("wanted");
  QTest::addColumn<QString>("fit");
  const auto add = [](const char* name, const char* hex, qlonglong count, uint lanes, const char* wanted,
                      const char* fit) {
    QTest::newRow(name) << QByteArray::fromHex(hex) << count << lanes << QString::fromUtf8(wanted)
                        << QString::fromUtf8(fit);
  };
  add("an odd number", "213420066d", 5, 1, "1 0.5 1.5 2 1",
      "3 bytes have packed elements of 4 bits; the others are no data");
  add("an even number", "21430000", 4, 1, "1 0.5 2 1.5",
      "2 bytes have packed elements of 4 bits; the others are no data");
  add("as few as needed", "2143", 4, 1, "1 0.5 2 1.5", "as many as packed elements of 4 bits need");
  add("one", "2f", 1, 1, "1", "as many as packed elements of 4 bits need");
  add("two lanes", "2143657e77", 5, 2, "(1, 0.5) (2, 1.5) (4, 3) (6, -4) (6, 6)",
      "as many as packed elements of 8 bits need");
  add("bytes missing", "21", 5, 1, "1 0.5", "shape and type need 5 bytes; the last elements are missing");
}

void TestTensor::float4IsReadAsTvmReadsIt() {
  QFETCH(QByteArray, data);
  QFETCH(qlonglong, count);
  QFETCH(uint, lanes);
  QFETCH(QString, wanted);
  QFETCH(QString, fit);
  for (const bool dlpack : {true, false}) {
    const Tensor tensor = tensorOf(dtype(dlpack ? 17 : 8, 4, lanes), {count}, data.toStdString(), dlpack);
    QCOMPARE(joinedValues(tensor), wanted);
    const view::GridPage page = payloads::tensorPage(tensor);
    QVERIFY2(factsText(page.facts).contains(QStringLiteral("stored bytes | ") + fit),
             qPrintable(factsText(page.facts)));
  }
}

void TestTensor::typesThatTvmDoesNotPackHaveNoValues_data() {
  QTest::addColumn<uint>("type");
  QTest::newRow("int4") << dtype(0, 4);
  QTest::newRow("uint4") << dtype(1, 4);
  QTest::newRow("int2") << dtype(0, 2);
  QTest::newRow("uint2") << dtype(1, 2);
  QTest::newRow("int1") << dtype(0, 1);
  QTest::newRow("float6_e2m3fn") << dtype(15, 6);
  QTest::newRow("float6_e3m2fn") << dtype(16, 6);
}

/// tvm.runtime.tensor() of apache-tvm 0.27.0.post1 refuses arrays of these types, and numpy() of such a tensor gives
/// values that are not those of its bytes.
void TestTensor::typesThatTvmDoesNotPackHaveNoValues() {
  QFETCH(uint, type);
  for (const int size : {3, 5}) {
    const Tensor tensor = tensorOf(type, {5}, std::string(static_cast<std::size_t>(size), '\x11'));
    QCOMPARE(TensorValues(tensor).stored(), uint64_t{0});
    QCOMPARE(TensorValues(tensor).count(), uint64_t{5});
    const view::GridPage page = payloads::tensorPage(tensor);
    QVERIFY(!page.summarize);
    QVERIFY(factsText(page.facts).contains(QStringLiteral("stored bytes | no values are shown: TVM does not make")));
  }
}

void TestTensor::smallFloatsAreDecoded_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<QString>("values");
  // Value at 0x01, at 1 (bias), the largest, what is above it, at 0x80. Equal to those of ml_dtypes 0.6.0 for all
  // bytes.
  QTest::newRow("float8_e3m4") << dtype(7, 8) << "01=0.015625 30=1 6f=15.5 70=inf 71=nan 80=-0 f0=-inf";
  QTest::newRow("float8_e4m3") << dtype(8, 8) << "01=0.001953125 38=1 77=240 78=inf 79=nan 80=-0 f8=-inf";
  QTest::newRow("float8_e4m3b11fnuz") << dtype(9, 8) << "01=0.00012207031 58=1 7f=30 80=nan ff=-30";
  QTest::newRow("float8_e4m3fn") << dtype(10, 8) << "01=0.001953125 38=1 7e=448 7f=nan 80=-0 fe=-448 ff=nan";
  QTest::newRow("float8_e4m3fnuz") << dtype(11, 8) << "01=0.0009765625 40=1 7f=240 80=nan ff=-240";
  QTest::newRow("float8_e5m2") << dtype(12, 8) << "01=1.5258789e-05 3c=1 7b=57344 7c=inf 7d=nan 80=-0 fc=-inf";
  QTest::newRow("float8_e5m2fnuz") << dtype(13, 8) << "01=7.6293945e-06 40=1 7f=57344 80=nan ff=-57344";
  QTest::newRow("float8_e8m0fnu") << dtype(14, 8) << "00=5.877472e-39 7f=1 80=2 fe=1.7014118e+38 ff=nan";
  QTest::newRow("float6_e2m3fn") << dtype(15, 6) << "01=0.125 08=1 1f=7.5 20=-0 3f=-7.5";
  QTest::newRow("float6_e3m2fn") << dtype(16, 6) << "01=0.0625 0c=1 1f=28 20=-0 3f=-28";
  QTest::newRow("float4_e2m1fn") << dtype(17, 4) << "01=0.5 02=1 07=6 08=-0 0f=-6";
}

void TestTensor::smallFloatsAreDecoded() {
  QFETCH(uint, type);
  QFETCH(QString, values);
  for (const QString& pair : values.split(QLatin1Char(' '))) {
    const QByteArray data = QByteArray::fromHex(pair.left(2).toLatin1());
    const payloads::ElementType element = payloads::elementTypeOf(type, true);
    const auto bits = static_cast<unsigned char>(data[0]);
    QCOMPARE(pair.left(3) + QString::fromStdString(payloads::textOfBits(element, bits)), pair);
    if (element.bits == 8) QCOMPARE(pair.left(3) + joinedValues(tensorOf(type, {1}, data.toStdString())), pair);
  }
}

/// All float16 values compared with arithmetic by the definition in IEEE 754.
void TestTensor::everyFloat16IsDecoded() {
  ByteBuilder data;
  for (uint32_t bits = 0; bits < 65536; ++bits) data.u16(static_cast<uint16_t>(bits));
  const TensorValues values(tensorOf(kFloat16, {65536}, data.take()));
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const int exponent = bits >> 10 & 31;
    const double mantissa = bits & 1023, sign = bits & 0x8000 ? -1 : 1, value = values.number(bits);
    if (exponent == 31)
      QVERIFY(mantissa == 0 ? value == sign * std::numeric_limits<double>::infinity() : std::isnan(value));
    else
      QVERIFY(value == sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25)));
  }
}

void TestTensor::missingBytesAreReported_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<int>("size");
  QTest::addColumn<qulonglong>("stored");
  QTest::addColumn<QString>("fit");
  QTest::newRow("exact") << kFloat32 << 16 << 4ull << "as many as shape and type need";
  QTest::newRow("a byte less") << kFloat32 << 15 << 3ull
                               << "shape and type need 16 bytes; the last elements are missing";
  QTest::newRow("none") << kFloat32 << 0 << 0ull << "shape and type need 16 bytes; the last elements are missing";
  QTest::newRow("more") << kFloat32 << 17 << 4ull
                        << "shape and type need 16 bytes; the last bytes belong to no element";
  QTest::newRow("packed") << dtype(17, 4) << 2 << 4ull << "as many as packed elements of 4 bits need";
  QTest::newRow("lanes left out")
      << dtype(2, 32, 4) << 16 << 1ull
      << "those of one lane: writers omit the other lanes, so the last elements are missing";
}

void TestTensor::missingBytesAreReported() {
  QFETCH(uint, type);
  QFETCH(int, size);
  QFETCH(qulonglong, stored);
  QFETCH(QString, fit);
  const Tensor tensor = tensorOf(type, {2, 2}, std::string(static_cast<std::size_t>(size), '\1'));
  QCOMPARE(TensorValues(tensor).stored(), uint64_t{stored});
  QVERIFY(factsText(payloads::tensorPage(tensor).facts).endsWith(QStringLiteral("stored bytes | ") + fit));
}

void TestTensor::valueTableFollowsTheShape_data() {
  QTest::addColumn<QList<qlonglong>>("shape");
  QTest::addColumn<int>("size");
  QTest::addColumn<qulonglong>("rows");
  QTest::addColumn<int>("columns");
  QTest::addColumn<QString>("lastRow"); ///< its first cells
  QTest::newRow("a scalar") << QList<qlonglong>{} << 1 << 1ull << 2 << "[] | 0";
  QTest::newRow("one axis") << QList<qlonglong>{3} << 3 << 1ull << 4 << "[:] | 0 | 1 | 2";
  QTest::newRow("two axes") << QList<qlonglong>{2, 3} << 6 << 2ull << 4 << "[1, :] | 3 | 4 | 5";
  QTest::newRow("four axes") << QList<qlonglong>{2, 1, 3, 2} << 12 << 6ull << 3 << "[1, 0, 2, :] | 10 | 11";
  QTest::newRow("64 columns") << QList<qlonglong>{1, 64} << 64 << 1ull << 65 << "[0, :] | 0 | 1";
  QTest::newRow("65 columns") << QList<qlonglong>{2, 65} << 130 << 4ull << 65 << "[1, 64:65] | 129 |  | ";
  QTest::newRow("an axis of nothing") << QList<qlonglong>{2, 0, 3} << 0 << 0ull << 4 << "";
  QTest::newRow("last axis of nothing") << QList<qlonglong>{2, 0} << 0 << 0ull << 2 << "";
  QTest::newRow("cut in a row") << QList<qlonglong>{1000000, 3} << 5 << 2ull << 4 << "[1, :] | 3 | 4 | ";
  QTest::newRow("cut in a block") << QList<qlonglong>{9, 200} << 65 << 2ull << 65 << "[0, 64:128] | 64 |  | ";
}

void TestTensor::valueTableFollowsTheShape() {
  QFETCH(QList<qlonglong>, shape);
  QFETCH(int, size);
  QFETCH(qulonglong, rows);
  QFETCH(int, columns);
  QFETCH(QString, lastRow);
  std::string data;
  for (int i = 0; i < size; ++i) data += static_cast<char>(i);
  const auto table = payloads::tensorValueTable(tensorOf(dtype(1, 8), {shape.begin(), shape.end()}, data));
  QCOMPARE(table->rowCount(), uint64_t{rows});
  QCOMPARE(static_cast<int>(table->columns().size()), columns);
  const QStringList lines = tableText(*table).split(QLatin1Char('\n'));
  QVERIFY2(lines.last().startsWith(lastRow), qPrintable(lines.last()));
}

void TestTensor::absurdShapesAreSafe_data() {
  QTest::addColumn<QList<qlonglong>>("shape");
  QTest::addColumn<bool>("counted");
  const qlonglong huge = qlonglong{1} << 62;
  QTest::newRow("negative") << QList<qlonglong>{2, -1} << false;
  QTest::newRow("2^62 four times") << QList<qlonglong>{huge, huge, huge, huge} << false;
  QTest::newRow("2^62") << QList<qlonglong>{huge} << true;
  QTest::newRow("2^63 - 1, ones") << QList<qlonglong>{1, std::numeric_limits<qlonglong>::max(), 1} << true;
  QTest::newRow("64 axes of 2") << QList<qlonglong>(64, 2) << false;
  QTest::newRow("63 axes of 2") << QList<qlonglong>(63, 2) << true;
  QTest::newRow("smallest number") << QList<qlonglong>{std::numeric_limits<qlonglong>::min()} << false;
}

void TestTensor::absurdShapesAreSafe() {
  QFETCH(QList<qlonglong>, shape);
  QFETCH(bool, counted);
  for (const uint32_t type :
       {kFloat32, dtype(0, 4), dtype(1, 1), dtype(2, 64, 65535), dtype(1, 255), dtype(3, 0), dtype(2, 32, 0)}) {
    const Tensor tensor = tensorOf(type, {shape.begin(), shape.end()}, std::string(40, '\1'));
    QCOMPARE(tensor.elementCount().has_value(), counted);
    QVERIFY(TensorValues(tensor).stored() <= 40);
    QVERIFY(payloads::tensorValueTable(tensor)->rowCount() <= 40);
    NullMonitor monitor;
    std::string text;
    view::PageList list;
    payloads::addTensorPages(tensor, list);
    QVERIFY(view::renderText(list.front(), [&](std::string_view part) { text += part; }, monitor).hasValue());
    QVERIFY(text.size() < 100000);
    json::Writer writer([](std::string_view) {});
    writer.beginObject();
    QVERIFY(view::renderJson(list.front(), writer, monitor).hasValue());
    const view::GridPage page = payloads::tensorPage(tensor);
    for (const view::GridSlice& slice : view::slicesOf(page.shape)) {
      QVERIFY(view::GridMap::fits(page.shape, slice));
      const view::GridMap map(page.shape, slice);
      QVERIFY(view::sliceTable(page.values, map)->rowCount() <= 40 * 64);
      QVERIFY(
          view::computeHeatMap(*page.values, map, {0, 0, map.rows(), map.columns()}, 64, 64, true, monitor).hasValue());
    }
  }
}

void TestTensor::statisticsAreComputed_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<QByteArray>("data");
  QTest::addColumn<QString>("wanted"); ///< count, NaN, infinite, zeros, smallest, largest, mean, deviation
  const auto add = [](const char* name, uint32_t type, const std::string& data, const char* wanted) {
    QTest::newRow(name) << type << QByteArray::fromStdString(data) << QString::fromUtf8(wanted);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  add("float32", kFloat32, floats({1, 2, 3, 4, -0.0f, nan, infinity, -infinity}), "8 1 2 1 -0 4 2 1.4142135623730951");
  add("float32 without finite ones", kFloat32, floats({nan, infinity}), "2 1 1 0   0 0");
  add("float32, all equal", kFloat32, floats({3, 3}), "2 0 0 0 3 3 3 0");
  add("float16", kFloat16, ByteBuilder().u16(0xfc00).u16(0x3c00).u16(0x4200).u16(0x7e00).u16(0).u16(0x7c00).take(),
      "6 1 2 1 0 3 1.3333333333333333 1.247219128924647");
  add("int8", kInt8, std::string("\x80\x7f\x00\x01", 4), "4 0 0 1 -128 127 0 90.158194303084901");
  add("int4, packed", dtype(0, 4), "\x7f\x08", "4 0 0 1 -8 7 -0.5 5.3150729063673246");
  add("float4_e2m1fn", dtype(17, 4), "\x21\x0f", "4 0 0 1 -6 1 -1.125 2.836701429477554");
  add("bool", dtype(1, 1), std::string("\0\1\1\2", 4), "4 0 0 1 false true 0.75 0.4330127018922193");
  add("int64", dtype(0, 64), ByteBuilder().u64(1ull << 63).u64((1ull << 63) - 1).take(),
      "2 0 0 0 -9223372036854775808 9223372036854775807 0 9.223372036854776e+18");
  add("uint64", dtype(1, 64), ByteBuilder().u64(~0ull).u64(0).take(),
      "2 0 0 1 0 18446744073709551615 9.223372036854776e+18 9.223372036854776e+18");
  add("int24", dtype(0, 24), std::string("\xff\xff\xff\x02\x00\x00", 6), "2 0 0 0 -1 2 0.5 1.5");
  add("float8_e4m3fn", dtype(10, 8), "\x38\x7f\xb8", "3 1 0 0 -1 1 0 1");
  add("lanes", dtype(0, 8, 2), "\x01\x02\x03\x06", "4 0 0 0 1 6 3 1.8708286933869707");
  add("complex64", dtype(5, 64), std::string(8, '\0'), "1 0 0 0   0 0");
}

void TestTensor::statisticsAreComputed() {
  QFETCH(uint, type);
  QFETCH(QByteArray, data);
  QFETCH(QString, wanted);
  const payloads::ElementType element = payloads::elementTypeOf(type, true);
  const qsizetype perByte = element.bits == 4 ? 2 : 1;
  const auto count = data.size() * perByte / static_cast<qsizetype>(element.laneBytes() * element.lanes);
  NullMonitor monitor;
  const auto made = payloads::computeStatistics(element.bits == 4 ? packedTensorOf(type, {count}, data.toStdString())
                                                                  : tensorOf(type, {count}, data.toStdString()),
                                                monitor);
  QVERIFY(made.hasValue());
  const QString text = QStringLiteral("%1 %2 %3 %4 %5 %6 ")
                           .arg(made->count)
                           .arg(made->nans)
                           .arg(made->infinities)
                           .arg(made->zeros)
                           .arg(QString::fromStdString(made->minimumText), QString::fromStdString(made->maximumText)) +
                       QString::number(made->mean, 'g', 17) + QLatin1Char(' ') +
                       QString::number(made->deviation, 'g', 17);
  const QStringList is = text.split(QLatin1Char(' ')), want = wanted.split(QLatin1Char(' '));
  QCOMPARE(is.mid(0, 6), want.mid(0, 6));
  QCOMPARE(is[6].toDouble(), want[6].toDouble());
  QCOMPARE(is[7].toDouble(), want[7].toDouble());
  uint64_t placed = 0;
  for (const uint64_t bin : made->histogram) placed += bin;
  QCOMPARE(placed, element.isNumber() ? made->finite() : uint64_t{0});
}

void TestTensor::histogramHasEqualBins() {
  const auto binsOf = [](const Tensor& tensor) {
    NullMonitor monitor;
    const auto made = payloads::computeStatistics(tensor, monitor);
    QString out;
    for (std::size_t i = 0; i < TensorStatistics::kBins; ++i)
      if (made->histogram[i] > 0) out += QStringLiteral("%1:%2 ").arg(i).arg(made->histogram[i]);
    return out;
  };
  QCOMPARE(binsOf(tensorOf(kFloat32, {5}, floats({0, 1, 63, 64, 32}))), QStringLiteral("0:1 1:1 32:1 63:2 "));
  QCOMPARE(binsOf(tensorOf(dtype(1, 8), {3}, std::string("\x05\x05\x05", 3))), QStringLiteral("0:3 "));
  // The whole range of a double, and the narrowest.
  const auto doubles = [](double a, double b) {
    return tensorOf(dtype(2, 64), {2},
                    ByteBuilder().u64(std::bit_cast<uint64_t>(a)).u64(std::bit_cast<uint64_t>(b)).take());
  };
  QCOMPARE(binsOf(doubles(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max())),
           QStringLiteral("0:1 63:1 "));
  QCOMPARE(binsOf(doubles(0, 1e-320)), QStringLiteral("0:1 63:1 "));
}

/// The same numbers as float16 (counted by bit patterns) and as float32 (read twice).
void TestTensor::countingAndReadingGiveTheSameStatistics() {
  ByteBuilder narrow, wide;
  uint32_t state = 1;
  constexpr int64_t kCount = 1'200'000; // more than one check of the monitor apart
  const TensorValues all(tensorOf(kFloat16, {65536}, [] {
    ByteBuilder out;
    for (uint32_t bits = 0; bits < 65536; ++bits) out.u16(static_cast<uint16_t>(bits));
    return out.take();
  }()));
  for (int64_t i = 0; i < kCount; ++i) {
    state = state * 1664525 + 1013904223;
    const auto bits = static_cast<uint16_t>(state >> 16 & 0xbfff); // below 2, and NaN never
    narrow.u16(bits);
    wide.u32(std::bit_cast<uint32_t>(static_cast<float>(all.number(bits))));
  }
  NullMonitor monitor;
  const auto first = payloads::computeStatistics(tensorOf(kFloat16, {kCount}, narrow.take()), monitor);
  const auto second = payloads::computeStatistics(tensorOf(kFloat32, {kCount}, wide.take()), monitor);
  QVERIFY(first.hasValue() && second.hasValue());
  QCOMPARE(first->zeros, second->zeros);
  QCOMPARE(first->minimumText, second->minimumText);
  QCOMPARE(first->maximumText, second->maximumText);
  QCOMPARE(first->mean, second->mean);
  QCOMPARE(first->deviation, second->deviation);
  QVERIFY(first->histogram == second->histogram);
}

void TestTensor::statisticsCanBeCancelled() {
  for (const uint32_t type : {kFloat32, kFloat16}) {
    const Tensor tensor = tensorOf(type, {1 << 20}, std::string(std::size_t{4} << 20, '\0'));
    for (int looks = 0; looks < 2; ++looks) {
      StopAfter monitor(looks);
      const auto made = payloads::computeStatistics(tensor, monitor);
      QVERIFY(!made);
      QVERIFY(made.error().code() == ErrorCode::Cancelled);
    }
  }
}

void TestTensor::pagesShowTheTensor() {
  const Tensor tensor = tensorOf(kFloat32, {2, 2}, floats({0, 1, 2, 3}));
  view::PageList list;
  payloads::addTensorPages(tensor, list);
  QCOMPARE(list.size(), std::size_t{1});
  QCOMPARE(list.front().name, "Values"s);
  const auto& page = std::get<view::GridPage>(list.front().content);
  QCOMPARE(
      factsText(page.facts),
      QStringLiteral("type | float32\nshape | [2, 2]\nelements | 4\nbytes | 16 bytes\nstored bytes | as many as shape "
                     "and type need"));
  QCOMPARE(tableText(*page.table), QStringLiteral("[0, :] | 0 | 1\n[1, :] | 2 | 3"));
  const view::GridSummary summary = summaryOf(tensor);
  QCOMPARE(factsText(summary.facts),
           QStringLiteral("values | 4\nsmallest | 0\nlargest | 3\nmean | 1.5\nmedian | 2\nstandard deviation | "
                          "1.11803399\n1st percentile | 0\n99th percentile | 3\nnorm | 3.74165739\nzeros | 1\n"
                          "different values | 4\nNaN | 0\ninfinite | 0\nsubnormal | 0"));
  QVERIFY(!summary.isSampled());
  const std::vector<view::PlotPage::Point>& bars = summary.histogram.series.front().points;
  QCOMPARE(bars.size(), std::size_t{64});
  QCOMPARE(bars.front().label, "0 to 0.046875"s);
  QCOMPARE(bars.front().y, 1.0);
  QCOMPARE(bars[1].y, 0.0);
  QCOMPARE(bars.back().label, "2.953125 to 3"s);
  QCOMPARE(summaryOf(tensorOf(kFloat32, {2}, floats({5, 5}))).histogram.series.front().points.front().label, "5"s);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  QVERIFY(summaryOf(tensorOf(kFloat32, {1}, floats({nan}))).histogram.series.empty());
  QVERIFY(!payloads::tensorPage(tensorOf(dtype(3, 64), {1}, std::string(8, '\1'))).summarize);
  const auto [digits, offset] = page.stored(1);
  QCOMPARE(digits, "00 00 80 3f"s);
  QCOMPARE(offset, "0x4 in the data"s);
}

/// A tensor of more than 64 MiB is sampled, and read as a whole on request.
void TestTensor::largeTensorsAreSampled() {
  constexpr uint64_t kCount = payloads::kWholeTensorBytes / 8 + 4096;
  std::string data(kCount * 8, '\0');
  for (uint64_t i = 0; i < kCount; ++i) {
    const auto value = static_cast<double>(i % 1000);
    std::memcpy(data.data() + i * 8, &value, 8);
  }
  const double peak = 1e6; // between two blocks of the sample
  std::memcpy(data.data() + 40'000, &peak, 8);
  const Tensor tensor = tensorOf(dtype(2, 64), {static_cast<int64_t>(kCount / 4096), 4096}, data);
  NullMonitor monitor;
  const auto sampled = payloads::summarizeTensor(tensor, false, monitor);
  QVERIFY(sampled->isSampled());
  QCOMPARE(sampled->count, kCount);
  QCOMPARE(sampled->statistics.count, uint64_t{16u << 20} / 8);
  QVERIFY(std::abs(sampled->median - 499.5) < 3);
  QVERIFY(std::abs(sampled->statistics.mean - 499.5) < 3);
  QCOMPARE(sampled->statistics.maximum, 999.0);
  const auto whole = payloads::summarizeTensor(tensor, true, monitor);
  QVERIFY(!whole->isSampled());
  QCOMPARE(whole->statistics.maximum, 1e6);
  const view::GridPage page = payloads::tensorPage(tensor);
  const view::GridMap map(page.shape, view::slicesOf(page.shape).front());
  const view::GridRegion all{0, 0, map.rows(), map.columns()};
  const auto first = view::computeHeatMap(*page.values, map, all, 1000, 1000, false, monitor);
  QVERIFY(first->isSampled());
  QVERIFY(first->read <= 256 * 256 * 16);
  const auto exact = view::computeHeatMap(*page.values, map, all, 100, 100, true, monitor);
  QCOMPARE(exact->read, kCount);
  QCOMPARE(exact->at(0, 22).greatest, 1e6f);   // row 1, column 904
  QCOMPARE(exact->at(0, 21).greatest, 996.0f); // rows 0 to 20, columns 860 to 900: row 1, column 900
}

void TestTensor::valuesAreEncoded_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("wanted"); ///< bits in hexadecimal digits and the stored value, or the reason
  const auto add = [](const char* name, uint32_t type, const char* text, const char* wanted) {
    QTest::newRow(name) << type << QString::fromUtf8(text) << QString::fromUtf8(wanted);
  };
  add("float32", kFloat32, "0.0125", "3c4ccccd 0.0125");
  add("float32 rounded", kFloat32, "0.1234567891", "3dfcd6ea 0.12345679");
  add("float32 too large", kFloat32, "1e39", "the type has values from -3.4028235e+38 to 3.4028235e+38");
  add("float32 too small", kFloat32, "-1e-60", "80000000 -0");
  add("float32 nan", kFloat32, "nan", "7fc00000 nan");
  add("float32 infinite", kFloat32, " -inf ", "ff800000 -inf");
  add("not a number", kFloat32, "1.0x", "a number is needed");
  add("nothing", kFloat32, "", "a number is needed");
  add("float64", dtype(2, 64), "0.1", "3fb999999999999a 0.1");
  add("float16", kFloat16, "0.0125", "2266 0.012496948");
  add("float16 tie to even", kFloat16, "2049", "6800 2048");
  add("float16 tie up to even", kFloat16, "2051", "6802 2052");
  add("float16 largest", kFloat16, "65519", "7bff 65504");
  add("float16 too large", kFloat16, "65520", "the type has values from -65504 to 65504");
  add("float16 subnormal", kFloat16, "6e-8", "1 5.9604645e-08");
  add("float16 minus zero", kFloat16, "-0", "8000 -0");
  add("float16 nan", kFloat16, "nan", "7e00 nan");
  add("bfloat16", dtype(4, 16), "1.01", "3f81 1.0078125");
  add("e4m3fn", dtype(10, 8), "0.3", "2a 0.3125");
  add("e4m3fn largest", dtype(10, 8), "464", "7e 448");
  add("e4m3fn too large", dtype(10, 8), "465", "the type has values from -448 to 448");
  add("e4m3fn infinite", dtype(10, 8), "inf", "the type has values from -448 to 448");
  add("e5m2 infinite", dtype(12, 8), "inf", "7c inf");
  add("e4m3fnuz zero", dtype(11, 8), "-0", "0 0");
  add("e4m3fnuz nan", dtype(11, 8), "nan", "80 nan");
  add("e8m0", dtype(14, 8), "3", "80 2");
  add("e8m0 zero", dtype(14, 8), "0", "the type has values from 5.877472e-39 to 1.7014118e+38");
  add("e2m1", dtype(17, 4), "-2.4", "c -2");
  add("e2m1 nan", dtype(17, 4), "nan", "the type has no NaN");
  add("int8", dtype(0, 8), "-128", "80 -128");
  add("int8 too small", dtype(0, 8), "-129", "the type has values from -128 to 127");
  add("int4", dtype(0, 4), "-8", "8 -8");
  add("uint64", dtype(1, 64), "18446744073709551615", "ffffffffffffffff 18446744073709551615");
  add("uint8 negative", dtype(1, 8), "-1", "the type has values from 0 to 255");
  add("hexadecimal", dtype(1, 8), "0x10", "10 16");
  add("fraction", dtype(0, 32), "1.5", "a whole number is needed");
  add("bool", dtype(6, 8), "true", "1 true");
  add("not a bool", dtype(6, 8), "2", "true or false is needed");
  add("lanes", dtype(2, 32, 4), "1", "only single numbers can be set");
  add("handle", dtype(3, 64), "1", "only single numbers can be set");
}

void TestTensor::valuesAreEncoded() {
  QFETCH(uint, type);
  QFETCH(QString, text);
  QFETCH(QString, wanted);
  const auto encoded = payloads::encodeValue(tensorOf(type, {}, std::string(64, '\0')), text.toStdString(), "x");
  if (encoded) {
    QCOMPARE(QStringLiteral("%1 %2").arg(encoded->bits, 0, 16).arg(QString::fromStdString(encoded->text)), wanted);
    return;
  }
  const QString message = QString::fromStdString(encoded.error().message());
  QVERIFY2(message.endsWith(wanted), qPrintable(message));
}

/// Every value of the small types, written as text, becomes its own bits again.
void TestTensor::encodingIsTheInverseOfText() {
  std::vector<uint32_t> types = {kFloat16, dtype(4, 16), dtype(0, 8), dtype(1, 8), dtype(0, 4), dtype(17, 4)};
  for (uint32_t code = 7; code <= 14; ++code) types.push_back(dtype(code, 8));
  for (const uint32_t type : types) {
    const unsigned bits = type >> 8 & 0xff;
    for (uint64_t code = 0; code < uint64_t{1} << bits; ++code) {
      std::string raw(reinterpret_cast<const char*>(&code), bits > 8 ? 2 : 1);
      const Tensor one = tensorOf(type, {}, raw);
      const std::string text = payloads::textOfBits(payloads::elementTypeOf(type, true), code);
      const auto encoded = payloads::encodeValue(one, text, "x");
      if (!encoded) QFAIL(qPrintable(QString::fromStdString(one.typeText() + " " + text)));
      QCOMPARE(encoded->text, text);
      if (text != "nan") QCOMPARE(encoded->bits, code);
    }
  }
}

void TestTensor::tableListsTensors() {
  const payloads::TensorTable table({{bytes("w\n"), tensorOf(kFloat16, {64, 2}, std::string(256, '\0'))}},
                                    PartKind::Param, "used by", {"f"});
  QCOMPARE(tableText(table), QStringLiteral("w\\n | [64, 2] | float16 | 256 | f"));
  QCOMPARE(QString::fromStdString(table.target(0, Ref::moduleAt("", 1))->toString()), QStringLiteral("m1/param:w%0A"));
}

BLOBSCOPE_TEST(TestTensor);
#include "test_tensor.moc"
