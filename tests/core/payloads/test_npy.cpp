#include "core/payloads/tensor/npy.h"

#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using payloads::Tensor;

namespace {

Tensor dlpackTensor(uint32_t type, std::vector<int64_t> shape, std::string_view data) {
  Tensor tensor;
  tensor.dtype = type;
  tensor.dlpack = true;
  tensor.shape = std::move(shape);
  tensor.data = bytes(data);
  return tensor;
}

/// A file of version 1 with that dictionary.
std::string npy(std::string dictionary, std::string_view data) {
  dictionary.append(64 - (10 + dictionary.size() + 1) % 64, ' ');
  dictionary += '\n';
  return ByteBuilder()
      .raw("\x93NUMPY")
      .u8(1)
      .u8(0)
      .u16(static_cast<uint16_t>(dictionary.size()))
      .raw(dictionary)
      .raw(data)
      .take();
}

std::string dictionary(std::string_view descr, std::string_view shape, std::string_view fortran = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(fortran) +
         ", 'shape': " + std::string(shape) + ", }";
}

} // namespace

/// Files of NumPy: the header written for a tensor, and files that are read or refused.
class TestNpy : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void headerDescribesTheTensor_data();
  void headerDescribesTheTensor();
  void tensorsThatDoNotFitHaveNoHeader_data();
  void tensorsThatDoNotFitHaveNoHeader();
  void tensorsRoundTrip_data();
  void tensorsRoundTrip();
  void packedTensorsAreWrittenAsBytes();
  void float4HasAByteForEachElement();
  void arraysOfMlDtypesFitTheirTensors_data();
  void arraysOfMlDtypesFitTheirTensors();
  void laterVersionsAreRead();
  void otherSpellingsOfTheHeaderAreRead_data();
  void otherSpellingsOfTheHeaderAreRead();
  void invalidFilesAreRefused_data();
  void invalidFilesAreRefused();
  void everyTruncationIsRefused();
  void everyChangedByteIsSafe();
};

void TestNpy::headerDescribesTheTensor_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<QList<qlonglong>>("shape");
  QTest::addColumn<int>("size");
  QTest::addColumn<QByteArray>("text"); ///< of the dictionary
  QTest::addColumn<QString>("note");
  const auto add = [](const char* name, uint32_t type, QList<qlonglong> shape, int size, const char* descr,
                      const char* tuple, const char* note) {
    QTest::newRow(name) << type << shape << size << QByteArray::fromStdString(dictionary(descr, tuple))
                        << QString::fromUtf8(note);
  };
  const auto asUnsigned = [](const std::string& type, const std::string& as) {
    return "NumPy has no type " + type + ": the stored bits are written as " + as;
  };
  add("float32", kFloat32, {2, 3}, 24, "<f4", "(2, 3)", "");
  add("float16, one axis", kFloat16, {3}, 6, "<f2", "(3,)", "");
  add("float64, scalar", 0x00014002, {}, 8, "<f8", "()", "");
  add("int8", kInt8, {1, 1, 1}, 1, "|i1", "(1, 1, 1)", "");
  add("uint64", 0x00014001, {0, 5}, 0, "<u8", "(0, 5)", "");
  add("bool (1, 1, 1)", 0x00010101, {2}, 2, "|b1", "(2,)", "");
  add("bool (6, 8, 1)", 0x00010806, {2}, 2, "|b1", "(2,)", "");
  add("complex64", 0x00014005, {2}, 16, "<c8", "(2,)", "");
  add("float32x4", 0x00042002, {2}, 32, "<f4", "(2, 4)", "");
  add("bfloat16", 0x00011004, {4}, 8, "<u2", "(4,)", asUnsigned("bfloat16", "uint16").c_str());
  add("float8_e4m3fn", 0x0001080a, {4}, 4, "|u1", "(4,)", asUnsigned("float8_e4m3fn", "uint8").c_str());
  add("float4_e2m1fn", 0x00010411, {2, 3}, 6, "|u1", "(2, 3)", asUnsigned("float4_e2m1fn", "uint8").c_str());
  add("float4_e2m1fnx2", 0x00020411, {3}, 3, "|u1", "(3, 2)", asUnsigned("float4_e2m1fn", "uint8").c_str());
  add("int24", 0x00011800, {2}, 6, "|u1", "(2, 3)",
      (asUnsigned("int24", "uint8") + ", with an additional axis for the bytes of an element").c_str());
  add("handle", 0x00014003, {1}, 8, "<u8", "(1,)", asUnsigned("handle", "uint64").c_str());
}

void TestNpy::headerDescribesTheTensor() {
  QFETCH(uint, type);
  QFETCH(QList<qlonglong>, shape);
  QFETCH(int, size);
  QFETCH(QByteArray, text);
  QFETCH(QString, note);
  const auto made = payloads::npyHeader(
      dlpackTensor(type, {shape.begin(), shape.end()}, std::string(static_cast<std::size_t>(size), '\1')));
  QVERIFY(made.has_value());
  QCOMPARE(QString::fromStdString(made->note), note);
  const std::string& head = made->bytes;
  QCOMPARE(head.size() % 64, std::size_t{0});
  QCOMPARE(head.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  QCOMPARE(static_cast<std::size_t>(static_cast<unsigned char>(head[8]) | static_cast<unsigned char>(head[9]) << 8),
           head.size() - 10);
  QCOMPARE(QByteArray::fromStdString(head.substr(10)).trimmed(), text);
  QVERIFY(head.ends_with(" \n"));
}

void TestNpy::tensorsThatDoNotFitHaveNoHeader_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<QList<qlonglong>>("shape");
  QTest::addColumn<int>("size");
  QTest::newRow("a byte less") << kFloat32 << QList<qlonglong>{2} << 7;
  QTest::newRow("a byte more") << kFloat32 << QList<qlonglong>{2} << 9;
  QTest::newRow("negative extent") << kFloat32 << QList<qlonglong>{-1} << 4;
  QTest::newRow("huge") << kFloat32 << QList<qlonglong>{qlonglong{1} << 62, 4} << 4;
  QTest::newRow("2^62") << kFloat32 << QList<qlonglong>{qlonglong{1} << 62} << 4;
  QTest::newRow("int4, which TVM does not pack") << uint{0x00010400} << QList<qlonglong>{4} << 4;
  QTest::newRow("float4, a byte less") << uint{0x00010411} << QList<qlonglong>{5} << 2;
  QTest::newRow("lanes left out") << uint{0x00042002} << QList<qlonglong>{2} << 8;
  QTest::newRow("void") << uint{0x00010003} << QList<qlonglong>{2} << 0;
  QTest::newRow("no lanes") << uint{0x00002002} << QList<qlonglong>{2} << 0;
}

void TestNpy::tensorsThatDoNotFitHaveNoHeader() {
  QFETCH(uint, type);
  QFETCH(QList<qlonglong>, shape);
  QFETCH(int, size);
  QVERIFY(!payloads::npyHeader(
      dlpackTensor(type, {shape.begin(), shape.end()}, std::string(static_cast<std::size_t>(size), '\1'))));
}

void TestNpy::tensorsRoundTrip_data() {
  QTest::addColumn<uint>("type");
  QTest::addColumn<int>("bytes");
  const auto add = [](const char* name, uint type, int size) { QTest::newRow(name) << type << size; };
  add("bool", 0x00010101, 1);
  add("int8", 0x00010800, 1);
  add("int64", 0x00014000, 8);
  add("uint8", 0x00010801, 1);
  add("uint16", 0x00011001, 2);
  add("float16", 0x00011002, 2);
  add("float64", 0x00014002, 8);
  add("complex128", 0x00018005, 16);
}

void TestNpy::tensorsRoundTrip() {
  QFETCH(uint, type);
  QFETCH(int, bytes);
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{}, {3}, {2, 5}, {1, 2, 3, 4}, {0}, {7, 0}, std::vector<int64_t>(64, 1)}) {
    Tensor tensor = dlpackTensor(type, shape, "");
    tensor.data = test::bytes(std::string(*tensor.elementCount() * static_cast<uint64_t>(bytes), '\1'));
    const auto head = payloads::npyHeader(tensor);
    QVERIFY(head && head->note.empty());
    const auto read = payloads::readNpy(test::bytes(head->bytes + std::string(tensor.data.view())));
    QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
    QCOMPARE(read->dtype, uint32_t{type});
    QVERIFY(read->shape == shape && read->data == tensor.data);
  }
}

/// Tensors of test runs whose type has less than 8 bits.
void TestNpy::packedTensorsAreWrittenAsBytes() {
  Tensor tensor = dlpackTensor(0x00010400, {2, 2}, "\x21\x43");
  tensor.packed = true;
  const auto head = payloads::npyHeader(tensor);
  QVERIFY(head);
  QCOMPARE(QString::fromStdString(head->note),
           QStringLiteral("NumPy has no packed elements: the stored bytes are written as one axis of uint8"));
  QVERIFY(payloads::npyData(tensor) == tensor.data);
  const auto read = payloads::readNpy(test::bytes(head->bytes + "\x21\x43"));
  QVERIFY(read && read->shape == std::vector<int64_t>{2});
  QVERIFY(payloads::dataFromNpy(*read, tensor) == tensor.data);
}

/// The bytes are those of apache-tvm 0.27.0.post1 for 1, 0.5, 1.5, 2, 1, and two that are no data.
void TestNpy::float4HasAByteForEachElement() {
  const Tensor tensor = dlpackTensor(0x00010411, {5}, "\x21\x34\x20\x06m");
  QCOMPARE(payloads::npyData(tensor).view(), std::string_view("\2\1\3\4\2"));
  const auto head = payloads::npyHeader(tensor);
  QVERIFY(head);
  const auto data = [&](std::string_view lanes) -> std::optional<Bytes> {
    const auto read = payloads::readNpy(test::bytes(head->bytes + std::string(lanes)));
    return read ? payloads::dataFromNpy(*read, tensor) : std::nullopt;
  };
  QVERIFY(data("\2\1\3\4\2") == tensor.data);
  QVERIFY(data("\x0f\1\3\4\7") == test::bytes("\xf1\x34\x70\x06m")); // only bits of these elements change
  QVERIFY(!data("\x10\1\3\4\2"));
}

/// numpy.save of NumPy 1.26.4 and 2.4.6 writes these names for the types of ml_dtypes 0.6.0.
void TestNpy::arraysOfMlDtypesFitTheirTensors_data() {
  QTest::addColumn<QByteArray>("descr");
  QTest::addColumn<uint>("type");
  QTest::addColumn<bool>("fits");
  const auto add = [](const char* name, const char* descr, uint32_t type, bool fits) {
    QTest::newRow(name) << QByteArray(descr) << type << fits;
  };
  add("bfloat16", "<V2", 0x00011004, true);
  add("bfloat16, as we write it", "<u2", 0x00011004, true);
  add("float8_e4m3fn", "<V1", 0x0001080a, true);
  add("float8_e5m2", "<f1", 0x0001080c, true);
  add("float8_e8m0fnu", "|V1", 0x0001080e, true);
  add("float4_e2m1fn", "<V1", 0x00010411, true);
  add("another width", "<V2", 0x0001080a, false);
  add("another type", "<f2", 0x00011004, false);
  add("float16 has a name", "<V2", kFloat16, false);
  add("uint8 has a name", "<V1", 0x00010801, false);
}

void TestNpy::arraysOfMlDtypesFitTheirTensors() {
  QFETCH(QByteArray, descr);
  QFETCH(uint, type);
  QFETCH(bool, fits);
  const bool wide = descr.endsWith('2'), half = (type >> 8 & 0xff) == 16;
  const Tensor tensor = dlpackTensor(type, {2}, std::string(half ? 4 : 2, '\1'));
  const auto read =
      payloads::readNpy(bytes(npy(dictionary(descr.toStdString(), "(2,)"), std::string(wide ? 4 : 2, '\1'))));
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
  QCOMPARE(payloads::dataFromNpy(*read, tensor).has_value(), fits);
  Tensor other = tensor;
  other.shape = {1, 2};
  QVERIFY(!payloads::dataFromNpy(*read, other));
}

void TestNpy::laterVersionsAreRead() {
  const std::string text = dictionary("<i2", "(2,)"), data("\1\0\2\0", 4);
  for (const uint8_t major : {2, 3}) {
    const std::string file = ByteBuilder()
                                 .raw("\x93NUMPY")
                                 .u8(major)
                                 .u8(0)
                                 .u32(static_cast<uint32_t>(text.size()))
                                 .raw(text)
                                 .raw(data)
                                 .take();
    const auto read = payloads::readNpy(bytes(file));
    QVERIFY(read.hasValue());
    QCOMPARE(QString::fromStdString(read->typeText()), QStringLiteral("int16"));
  }
}

void TestNpy::otherSpellingsOfTheHeaderAreRead_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("NumPy's own") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }");
  QTest::newRow("another order, other quotes, no spaces")
      << QByteArray("{\"shape\":(2,1),\"descr\":\"<f4\",\"fortran_order\":False}");
  QTest::newRow("Python 2") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 1L), }");
  QTest::newRow("comma after the last extent")
      << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1,)}");
}

void TestNpy::otherSpellingsOfTheHeaderAreRead() {
  QFETCH(QByteArray, text);
  const auto read = payloads::readNpy(bytes(npy(text.toStdString(), floats({1, 2}))));
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
  QVERIFY((read->shape == std::vector<int64_t>{2, 1}));
  QVERIFY(read->data.view() == floats({1, 2}));
}

void TestNpy::invalidFilesAreRefused_data() {
  QTest::addColumn<QByteArray>("file");
  QTest::addColumn<QString>("reason");
  const auto add = [](const char* name, const std::string& file, const char* reason) {
    QTest::newRow(name) << QByteArray::fromStdString(file)
                        << QStringLiteral("invalid .npy header: ") + QString::fromUtf8(reason);
  };
  const std::string data = floats({1, 2});
  add("nothing", "", "its first six bytes are not those of a NumPy file");
  add("a zip", std::string("PK\x03\x04") + data, "its first six bytes are not those of a NumPy file");
  add("version 4", std::string("\x93NUMPY\x04\x00", 8), "version 4 is not 1, 2 or 3");
  add("length", ByteBuilder().raw("\x93NUMPY").u8(2).u8(0).u32(1u << 31).take(),
      "a length of 2,147,483,648 is above the limit of 65,536");
  add("Fortran order", npy(dictionary("<f4", "(2,)", "True"), data),
      "the array is in Fortran order; store it with numpy.ascontiguousarray");
  add("big-endian", npy(dictionary(">f4", "(2,)"), data), "type '>f4' is not a plain little-endian number");
  for (const char* const type :
       {"|O", "<M8[ns]", "|S4", "<U2", "<f3", "<f16", "<i", "|i4", "f4", "<f04", "<f4294967300", "<b1"})
    add(type, npy(dictionary(type, "(2,)"), data),
        ("type '" + std::string(type) + "' is not a plain little-endian number").c_str());
  add("too few bytes", npy(dictionary("<f4", "(2,)"), data.substr(1)),
      "shape [2] of float32 needs 8 bytes after it, but there are 7");
  add("too many bytes", npy(dictionary("<f4", "(2,)"), data + "x"),
      "shape [2] of float32 needs 8 bytes after it, but there are 9");
  add("too many elements", npy(dictionary("<f4", "(4611686018427387904, 4)"), data),
      "the shape has too many elements: [4611686018427387904, 4]");
  add("too many bytes in all", npy(dictionary("<f4", "(4611686018427387904,)"), data),
      "the shape has too many elements: [4611686018427387904]");
  const auto noDictionary = [&](const char* name, const std::string& text) {
    add(name, npy(text, data), "it is not a dictionary of 'descr', 'fortran_order' and 'shape': ");
  };
  noDictionary("nothing in it", "");
  noDictionary("not closed", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)");
  noDictionary("a key missing", "{'descr': '<f4', 'shape': (2,)}");
  noDictionary("a key twice", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}");
  noDictionary("a key more", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}");
  noDictionary("a structure", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}");
  noDictionary("a number in parentheses", dictionary("<f4", "(2)"));
  noDictionary("a negative extent", dictionary("<f4", "(-2,)"));
  noDictionary("no comma", dictionary("<f4", "(2 1)"));
  noDictionary("only a comma", dictionary("<f4", "(,)"));
  noDictionary("two commas", dictionary("<f4", "(2,,)"));
  noDictionary("an extent above 2^63", dictionary("<f4", "(9223372036854775808,)"));
  noDictionary("an expression", dictionary("<f4", "(1+1,)"));
  noDictionary("more behind it", dictionary("<f4", "(2,)") + "x");
  noDictionary("an escape in the type", dictionary("\\x3cf4", "(2,)"));
  std::string axes = "(";
  for (int i = 0; i < 65; ++i) axes += "1, ";
  noDictionary("65 axes", dictionary("<f4", axes + ")"));
}

void TestNpy::invalidFilesAreRefused() {
  QFETCH(QByteArray, file);
  QFETCH(QString, reason);
  const auto read = payloads::readNpy(bytes(file.toStdString()));
  QVERIFY(!read.hasValue());
  QVERIFY2(QString::fromStdString(read.error().message()).startsWith(reason), read.error().message().c_str());
  QVERIFY(read.error().code() == ErrorCode::Format);
}

void TestNpy::everyTruncationIsRefused() {
  const std::string file = npy(dictionary("<f4", "(2,)"), floats({1, 2}));
  for (std::size_t size = 0; size < file.size(); ++size)
    QVERIFY2(!payloads::readNpy(bytes(file.substr(0, size))), qPrintable(QString::number(size)));
}

void TestNpy::everyChangedByteIsSafe() {
  const std::string file = npy(dictionary("<f4", "(2, 1)"), floats({1, 2}));
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      std::string changed = file;
      changed[at] = static_cast<char>(value);
      const auto read = payloads::readNpy(bytes(changed));
      if (read) QCOMPARE(read->data.size(), uint64_t{8});
    }
}

BLOBSCOPE_TEST(TestNpy);
#include "test_npy.moc"
