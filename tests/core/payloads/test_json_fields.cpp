#include "core/payloads/json/json_fields.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;

namespace {

/// "path=text" for each row, with the number of items of a list.
std::string rowsText(const FieldTree& tree) {
  std::string out;
  for (uint32_t i = 0; i < tree.rows.size(); ++i) {
    const Field& row = tree.rows[i];
    out += (out.empty() ? "" : "; ") + tree.path(i) + "=";
    switch (row.type) {
    case FieldType::Group: out += "group"; break;
    case FieldType::Items: out += std::to_string(row.number) + " items"; break;
    default: out += std::string(tree.bytes.view().substr(row.offset, row.size)); break;
    }
  }
  return out;
}

} // namespace

class TestJsonFields : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void valuesBecomeFields_data() {
    QTest::addColumn<std::string>("json");
    QTest::addColumn<std::string>("rows");
    const auto row = [](const char* name, const char* json, const char* rows) {
      QTest::newRow(name) << std::string(json) << std::string(rows);
    };
    row("a number", "12", "value=12");
    row("a string", " \"a\" ", "value=\"a\"");
    row("an empty object", "{}", "");
    row("an empty list", "[]", "");
    row("members", "{\"a\": 1, \"b\":-2.5e3, \"c\" : true, \"d\": null}", "a=1; b=-2.5e3; c=true; d=null");
    row("a list", "[1, [2, 3], {}]", "[0]=1; [1]=2 items; [1][0]=2; [1][1]=3; [2]=group");
    row("a tree", "{\"a\": {\"b\": [{\"c\": \"x\"}]}}", "a=group; a.b=1 items; a.b[0]=group; a.b[0].c=\"x\"");
    row("a colon in a key and in a value", "{\"a:b\": \"c:d\", \"e\": \":\"}", "a:b=\"c:d\"; e=\":\"");
    row("a quote in a key", "{\"a\\\"b\": 1}", "a\\\"b=1");
    row("a quote at the start of a key", "{\"\\\"\": 1}", "\\\"=1");
    row("a backslash at the end of a key", "{\"a\\\\\": 1, \"b\": 2}", "a\\\\=1; b=2");
    row("a backslash and a quote", "{\"\\\\\\\"\": 1}", "\\\\\\\"=1");
    row("an empty key", "{\"\": 1}", "=1");
    row("spaces and lines", "{\n \"a\"\t:\r\n 1 }", "a=1");
  }
  void valuesBecomeFields() {
    QFETCH(std::string, json);
    QFETCH(std::string, rows);
    const auto tree = payloads::describeJson(test::bytes(json));
    QVERIFY2(tree, tree ? "" : tree.error().message().c_str());
    QCOMPARE(rowsText(*tree), rows);
  }

  void rowsKnowWhatIsBelowThem() {
    const auto tree = payloads::describeJson(test::bytes("{\"a\": {\"b\": [1, 2]}, \"c\": 3}"));
    QVERIFY(tree);
    std::string places;
    for (const Field& row : tree->rows)
      places += std::to_string(row.depth) + " " + std::to_string(row.offset) + "+" + std::to_string(row.size) +
                " before " + std::to_string(row.after) + "; ";
    QCOMPARE(places, std::string("0 6+13 before 4; 1 12+6 before 4; 2 13+1 before 3; 2 16+1 before 4; "
                                 "0 26+1 before 5; "));
    QCOMPARE(int(tree->rows[0].role), int(FieldRole::Structure));
    QCOMPARE(int(tree->rows[2].role), int(FieldRole::Number));
  }

  void otherTextsAreErrors_data() {
    QTest::addColumn<std::string>("json");
    QTest::addColumn<QString>("code");
    QTest::newRow("nothing") << std::string() << QStringLiteral("JSON-TEXT");
    QTest::newRow("a word") << std::string("word") << QStringLiteral("JSON-TEXT");
    QTest::newRow("an object without end") << std::string("{\"a\": 1") << QStringLiteral("JSON-TEXT");
    QTest::newRow("text after the value") << std::string("1 2") << QStringLiteral("JSON-TEXT");
    QTest::newRow("one level too deep") << std::string(257, '[') + std::string(257, ']')
                                        << QStringLiteral("JSON-DEPTH");
  }
  void otherTextsAreErrors() {
    QFETCH(std::string, json);
    QFETCH(QString, code);
    const auto tree = payloads::describeJson(test::bytes(json));
    QVERIFY(!tree);
    QCOMPARE(QString::fromStdString(std::string(tree.error().diagnostic().idText())), code);
  }
  void theDeepestTextIsDescribed() {
    const auto tree = payloads::describeJson(test::bytes(std::string(256, '[') + std::string(256, ']')));
    QVERIFY(tree);
    QCOMPARE(tree->rows.size(), std::size_t(255));
    QCOMPARE(tree->rows.back().depth, uint16_t(254));
  }

  void aTruncatedTextIsNeverDescribed() {
    const std::string json = "{\"a\": [1, \"x\\\"y\"], \"b\": {\"c\": null}}";
    QVERIFY(payloads::describeJson(test::bytes(json)));
    for (std::size_t size = 0; size < json.size(); ++size)
      QVERIFY2(!payloads::describeJson(test::bytes(json.substr(0, size))), std::to_string(size).c_str());
  }

  void thePageSaysWhyThereAreNoFields() {
    NullMonitor monitor;
    const auto page = [&](const char* json) {
      return view::resolvePage(payloads::jsonFieldsPage("fields", test::bytes(json)), monitor);
    };
    const auto fields = page("{\"a\": 1}");
    QVERIFY(fields);
    QVERIFY(std::holds_alternative<view::FieldsPage>(fields->content));
    const auto notice = page("{");
    QVERIFY(notice);
    QVERIFY(std::holds_alternative<view::NoticePage>(notice->content));
    const auto error = payloads::describeJson(test::bytes("{"));
    QCOMPARE(std::get<view::NoticePage>(notice->content).text, error.error().message());
  }
};

BLOBSCOPE_TEST(TestJsonFields);

#include "test_json_fields.moc"
