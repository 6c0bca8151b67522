#include "core/view/details.h"

#include "tests/core/view/render_pages.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using view::DetailGroup;
using view::Details;

namespace {

/// Value of the row with that label in any group, "-" when there is none.
QString value(const Details& details, const char* label) {
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
  QCOMPARE(titles(details), QStringLiteral("Bytes, Bytes as"));
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
  QCOMPARE(value(details, "u8"), QStringLiteral("255"));
  QCOMPARE(value(details, "u16"), QStringLiteral("65,535"));
  QCOMPARE(value(details, "u32"), QStringLiteral("4,294,967,295"));
  QCOMPARE(value(details, "i32"), QStringLiteral("-1"));
  QCOMPARE(value(details, "u64"), QStringLiteral("9,223,372,041,149,743,103"));
  QCOMPARE(value(details, "i64"), QStringLiteral("-9,223,372,032,559,808,513"));
  QCOMPARE(value(details, "text"), QStringLiteral("········xyz"));
  QCOMPARE(value(view::bytesDetails(bytes(std::string("\0\0\0\0\0\0\0\x80", 8)), 0, 8), "i64"),
           QStringLiteral("-9,223,372,036,854,775,808"));
  QCOMPARE(value(view::bytesDetails(bytes(std::string("\0\0\x80\x3f", 4)), 0, 4), "f32"), QStringLiteral("1"));
}

void TestFieldDetails::fewBytesShowOnlyFittingNumbers() {
  const std::string eight("\1\2\3\4\5\6\7\10", 8);
  for (std::size_t size = 1; size <= 8; ++size) {
    const Details details = view::bytesDetails(bytes(std::string_view(eight).substr(0, size)), 0, size);
    QCOMPARE(value(details, "u8"), QStringLiteral("1"));
    QCOMPARE(value(details, "u16") != QLatin1String("-"), size >= 2);
    QCOMPARE(value(details, "u32") != QLatin1String("-"), size >= 4);
    QCOMPARE(value(details, "f64") != QLatin1String("-"), size >= 8);
    QVERIFY(!value(details, "hex").contains(QStringLiteral("…")));
  }
}

void TestFieldDetails::noBytesHaveNoDetails() { QVERIFY(view::bytesDetails(Bytes(), 0, 0).empty()); }

BLOBSCOPE_TEST(TestFieldDetails);

#include "test_details.moc"
