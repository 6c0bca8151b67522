#include "core/view/details.h"

#include "tests/core/view/render_pages.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using view::DetailGroup;
using view::Details;

namespace {

/// Value of the row with that label in any group, "-" when there is none; of several readings, that with the number
/// `reading`.
QString value(const Details& details, const char* label, std::size_t reading = 0) {
  for (const DetailGroup& group : details)
    if (reading < group.readings.size())
      for (const view::DetailRow& row : group.readings[reading].rows)
        if (row.label == label) return QString::fromStdString(row.value);
  for (const DetailGroup& group : details)
    for (const view::DetailRow& row : group.rows)
      if (row.label == label) return QString::fromStdString(row.value);
  return QStringLiteral("-");
}

QString titles(const Details& details) {
  QStringList out;
  for (const DetailGroup& group : details) out << QString::fromStdString(group.title);
  return out.join(QStringLiteral(", "));
}

/// count 2; records: [0] { key "ab", type handle }; the bytes are at 0x1000 of a file.
FieldTree someTree() {
  FieldTreeBuilder builder;
  builder.leaf("count", FieldType::U64, FieldRole::Number, 8, 1);
  builder.open("fmap", FieldType::List, FieldRole::Structure, 8, 1);
  builder.nextIndex(0);
  builder.open("", FieldType::Group, FieldRole::Structure, 0, 0);
  builder.leaf("key", FieldType::String, FieldRole::Text, 10, 2);
  builder.leaf("type", FieldType::DataType, FieldRole::TypeCode, 4, 0x00014003);
  builder.leaf("odd", FieldType::U8, FieldRole::Number, 1, 7);
  builder.close();
  builder.close();
  const std::string content = std::string("\1\0\0\0\0\0\0\0", 8) + std::string("\1\0\0\0\0\0\0\0", 8) +
                              std::string("\2\0\0\0\0\0\0\0ab", 10) + std::string("\x03\x40\x01\0", 4) + "\7";
  return builder.take(placed(content, 0x1000));
}

} // namespace

class TestFieldDetails : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void fieldDetailsShowPlaceAndMeaning();
  void fieldDetailsShowTheOffsetInTheBlob();
  void itemsHaveTheMeaningOfTheirList();
  void namesOfVmFunctionsHaveNoKey();
  void dataTypesAreShownByPart();
  void everyFieldHasDetails();
  void bytesAreShownAsNumbers();
  void bothByteOrdersAreShown();
  void smallFloatsAreShown_data();
  void smallFloatsAreShown();
  void leb128NumbersAreShown();
  void fewBytesShowOnlyFittingNumbers();
  void noBytesHaveNoDetails();
};

void TestFieldDetails::fieldDetailsShowPlaceAndMeaning() {
  const FieldTree tree = someTree();
  const auto row = tree.find("fmap[0].key");
  QVERIFY(row);
  const Details details = view::fieldDetails(tree, *row, std::nullopt);
  QCOMPARE(titles(details), QStringLiteral("Field, Bytes as, Format"));
  QCOMPARE(value(details, "Name"), QStringLiteral("fmap[0].key"));
  QCOMPARE(value(details, "Type"), QStringLiteral("text"));
  QCOMPARE(value(details, "Offset in file"), QStringLiteral("0x1010"));
  QCOMPARE(value(details, "Offset in blob"), QStringLiteral("-"));
  QCOMPARE(value(details, "Size"), QStringLiteral("10 bytes"));
  QVERIFY(value(details, "Value").contains(QStringLiteral("ab")));
  QVERIFY(value(details, "Meaning") != QLatin1String("-"));
  QVERIFY(!details.back().note.empty());
}

void TestFieldDetails::fieldDetailsShowTheOffsetInTheBlob() {
  const FieldTree tree = someTree();
  QCOMPARE(value(view::fieldDetails(tree, 0, 0xff0), "Offset in blob"), QStringLiteral("0x10"));
  QCOMPARE(value(view::fieldDetails(tree, 0, 0x1000), "Offset in blob"), QStringLiteral("0x0"));
  // A blob that begins after the field does not contain it.
  QCOMPARE(value(view::fieldDetails(tree, 0, 0x1001), "Offset in blob"), QStringLiteral("-"));
  QCOMPARE(value(view::fieldDetails(tree, *tree.find("fmap[0].odd"), {}), "Size"), QStringLiteral("1 byte"));
}

void TestFieldDetails::itemsHaveTheMeaningOfTheirList() {
  const FieldTree tree = someTree();
  const QString meaning = value(view::fieldDetails(tree, *tree.find("fmap"), {}), "Meaning");
  QCOMPARE(value(view::fieldDetails(tree, *tree.find("fmap[0]"), {}), "Meaning"), meaning);
  QVERIFY(value(view::fieldDetails(tree, *tree.find("fmap[0].key"), {}), "Meaning") != meaning);
}

/// The field 'name' of a FunctionInfo stands beside a key, that of a VM function does not.
void TestFieldDetails::namesOfVmFunctionsHaveNoKey() {
  const auto tree = [](const char* list, const char* around) {
    FieldTreeBuilder builder;
    builder.open(list, FieldType::List, FieldRole::Structure, 8, 1);
    builder.nextIndex(0);
    builder.open("", FieldType::Group, FieldRole::Structure, 0, 0);
    if (around) builder.open(around, FieldType::Group, FieldRole::Structure, 0, 0);
    builder.leaf("name", FieldType::String, FieldRole::Text, 10, 2);
    if (around) builder.close();
    builder.close();
    builder.close();
    return builder.take(placed(std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0ab", 18), 0));
  };
  const auto meaning = [](const FieldTree& made, const char* path) {
    return value(view::fieldDetails(made, *made.find(path), {}), "Meaning");
  };
  QCOMPARE(meaning(tree("fmap", "info"), "fmap[0].info.name"),
           QStringLiteral("the function's own name; empty: the key is the name"));
  QCOMPARE(meaning(tree("functions", nullptr), "functions[0].name"), QStringLiteral("name of the VM function"));
  QCOMPARE(meaning(tree("networks", nullptr), "networks[0].name"), QStringLiteral("-"));
}

void TestFieldDetails::dataTypesAreShownByPart() {
  const FieldTree tree = someTree();
  const Details details = view::fieldDetails(tree, *tree.find("fmap[0].type"), {});
  QCOMPARE(value(details, "code"), QStringLiteral("3"));
  QCOMPARE(value(details, "bits"), QStringLiteral("64"));
  QCOMPARE(value(details, "lanes"), QStringLiteral("1"));
}

void TestFieldDetails::everyFieldHasDetails() {
  const FieldTree tree = someTree();
  for (uint32_t row = 0; row < tree.rows.size(); ++row)
    for (const DetailGroup& group : view::fieldDetails(tree, row, 0)) {
      QVERIFY(!group.title.empty());
      for (const view::DetailRow& one : group.rows) QVERIFY(!one.label.empty());
    }
}

void TestFieldDetails::bytesAreShownAsNumbers() {
  const Details details = view::bytesDetails(placed(std::string("1\xff\xff\xff\xff\0\0\0\x80xyz", 12), 0x1f), 1, 11);
  QCOMPARE(titles(details), QStringLiteral("Bytes, Bytes as, Around it"));
  QCOMPARE(value(details, "Entropy"), QStringLiteral("2.5 bits per byte, 12 bytes"));
  QCOMPARE(value(details, "Place"), QStringLiteral("0x20 + 11"));
  QCOMPARE(value(view::bytesDetails(bytes("0123"), 2, 1), "Place"), QStringLiteral("0x2 in the data + 1"));
  // For a file, the owner of the bytes is shown as well.
  const std::vector<view::Span> spans = {
      {"head", {0, 2}}, {"cuda", {2, 2}, false, view::Span::Owner::Module, "cuda", Ref::moduleAt({}, 1)}};
  const Details owned = view::bytesDetails(placed("0123", 0x10), 3, 1, spans);
  QCOMPARE(value(owned, "Part of"), QStringLiteral("cuda"));
  QCOMPARE(value(owned, "Part's place"), QStringLiteral("0x12 + 2"));
  QVERIFY(owned[0].rows[1].link == Ref::moduleAt({}, 1));
  QCOMPARE(value(view::bytesDetails(placed("0123", 0x10), 0, 1, spans), "Part of"), QStringLiteral("head"));
  QCOMPARE(value(details, "hex"), QStringLiteral("ff ff ff ff 00 00 00 80 …"));
  QCOMPARE(value(details, "u8, i8"), QStringLiteral("255, -1"));
  QCOMPARE(value(details, "u16, i16"), QStringLiteral("65,535, -1"));
  QCOMPARE(value(details, "u32, i32"), QStringLiteral("4,294,967,295, -1"));
  QCOMPARE(value(details, "u64"), QStringLiteral("9,223,372,041,149,743,103"));
  QCOMPARE(value(details, "i64"), QStringLiteral("-9,223,372,032,559,808,513"));
  QCOMPARE(value(details, "binary"), QStringLiteral("11111111"));
  QCOMPARE(value(details, "text"), QStringLiteral("········xyz"));
  QCOMPARE(value(view::bytesDetails(bytes(std::string("\0\0\0\0\0\0\0\x80", 8)), 0, 8), "i64"),
           QStringLiteral("-9,223,372,036,854,775,808"));
  QCOMPARE(value(view::bytesDetails(bytes(std::string("\0\0\x80\x3f", 4)), 0, 4), "f32"), QStringLiteral("1"));
}

void TestFieldDetails::bothByteOrdersAreShown() {
  const Details details = view::bytesDetails(bytes(std::string("\x40\x49\x0f\xdb\x54\x44\x2d\x18", 8)), 0, 8);
  const DetailGroup& group = details[1];
  QCOMPARE(group.readings.size(), std::size_t{2});
  QCOMPARE(QString::fromStdString(group.readings[0].name), QStringLiteral("little-endian"));
  QCOMPARE(QString::fromStdString(group.readings[1].name), QStringLiteral("big-endian"));
  QCOMPARE(value(details, "u16, i16", 0), QStringLiteral("18,752, 18,752"));
  QCOMPARE(value(details, "u16, i16", 1), QStringLiteral("16,457, 16,457"));
  QCOMPARE(value(details, "f32", 1), QStringLiteral("3.1415927"));
  QCOMPARE(value(details, "bf16", 1), QStringLiteral("3.140625"));
  QCOMPARE(value(view::bytesDetails(bytes(std::string("\x40\x09\x21\xfb\x54\x44\x2d\x18", 8)), 0, 8), "f64", 1),
           QStringLiteral("3.141592653589793"));
  // A single byte is the start of longer numbers.
  QCOMPARE(value(view::bytesDetails(bytes("\x79\x0b"), 0, 1), "u16, i16"), QStringLiteral("2,937, 2,937"));
  QCOMPARE(value(view::bytesDetails(bytes("\x79\x0b"), 1, 1), "u16, i16"), QStringLiteral("-"));
}

void TestFieldDetails::smallFloatsAreShown_data() {
  QTest::addColumn<QString>("label");
  QTest::addColumn<uint>("bits");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* label, uint bits, const char* expected) {
    QTest::addRow("%s %x", label, bits) << QString::fromLatin1(label) << bits << QString::fromLatin1(expected);
  };
  row("f16", 0x3c00, "1");
  row("f16", 0xc000, "-2");
  row("f16", 0x7bff, "65504");
  row("f16", 0x0001, "5.9604645e-08");
  row("f16", 0x0400, "6.1035156e-05");
  row("f16", 0x7c00, "inf");
  row("f16", 0xfc00, "-inf");
  row("f16", 0x7e00, "nan");
  row("f16", 0x8000, "-0");
  row("bf16", 0x3f80, "1");
  row("bf16", 0xc2f7, "-123.5");
  row("bf16", 0x7f7f, "3.3895314e+38");
  row("bf16", 0x0001, "9.1835e-41");
  row("bf16", 0xff80, "-inf");
  row("bf16", 0x7fc0, "nan");
  row("f8 e4m3", 0x38, "1");
  row("f8 e4m3", 0x7e, "448");
  row("f8 e4m3", 0x79, "288");
  row("f8 e4m3", 0x7f, "nan");
  row("f8 e4m3", 0x01, "0.001953125");
  row("f8 e5m2", 0x3c, "1");
  row("f8 e5m2", 0x7b, "57344");
  row("f8 e5m2", 0x79, "40960");
  row("f8 e5m2", 0x7c, "inf");
  row("f8 e5m2", 0x7d, "nan");
  row("f8 e5m2", 0x01, "1.5258789e-05");
}

void TestFieldDetails::smallFloatsAreShown() {
  QFETCH(QString, label);
  QFETCH(uint, bits);
  QFETCH(QString, expected);
  const std::string two = {static_cast<char>(bits), static_cast<char>(bits >> 8)};
  QCOMPARE(value(view::bytesDetails(bytes(two), 0, 2), label.toLatin1().constData()), expected);
}

void TestFieldDetails::leb128NumbersAreShown() {
  const auto shown = [](const std::string& text) { return value(view::bytesDetails(bytes(text), 0, 1), "LEB128"); };
  QCOMPARE(shown("\x79"), QStringLiteral("121, 1 byte"));
  QCOMPARE(shown("\xe5\x8e\x26"), QStringLiteral("624,485, 3 bytes"));
  QCOMPARE(shown("\xff"), QStringLiteral("-"));
  QCOMPARE(shown(std::string(8, '\xff') + "\x7f"), QStringLiteral("9,223,372,036,854,775,807, 9 bytes"));
  QCOMPARE(shown(std::string(12, '\xff')), QStringLiteral("-"));
}

void TestFieldDetails::fewBytesShowOnlyFittingNumbers() {
  const std::string eight("\1\2\3\4\5\6\7\10", 8);
  for (std::size_t size = 1; size <= 8; ++size) {
    const Details details = view::bytesDetails(bytes(std::string_view(eight).substr(0, size)), 0, size);
    QCOMPARE(value(details, "u8, i8"), QStringLiteral("1, 1"));
    QCOMPARE(details[1].readings.size(), std::size_t{size >= 2 ? 2U : 0U});
    QCOMPARE(value(details, "f16") != QLatin1String("-"), size >= 2);
    QCOMPARE(value(details, "u32, i32") != QLatin1String("-"), size >= 4);
    QCOMPARE(value(details, "f64") != QLatin1String("-"), size >= 8);
    QVERIFY(!value(details, "hex").contains(QStringLiteral("…")));
  }
}

void TestFieldDetails::noBytesHaveNoDetails() { QVERIFY(view::bytesDetails(Bytes(), 0, 0).empty()); }

BLOBSCOPE_TEST(TestFieldDetails);

#include "test_details.moc"
