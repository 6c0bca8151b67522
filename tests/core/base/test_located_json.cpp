#include "core/base/json.h"
#include "core/base/limits.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// Every value as the bytes of its extent; members come after their name.
std::string shown(const json::Value& value, std::string_view text) {
  std::string out = "<" + std::string(text.substr(value.extent.offset, value.extent.size)) + ">";
  for (const json::Value& item : value.items()) out += " " + shown(item, text);
  for (const auto& [name, member] : value.members()) out += " " + name + "=" + shown(member, text);
  return out;
}

} // namespace

class TestLocatedJson : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyValueHasItsExtent_data();
  void everyValueHasItsExtent();
  void valuesHaveTheirTypes();
  void findReturnsTheFirstMemberWithTheName();
  void duplicateKeysAreReported_data();
  void duplicateKeysAreReported();
  void numberOfReportedDuplicatesIsLimited();
  void errorsEqualThoseOfParse_data();
  void errorsEqualThoseOfParse();
  void numberOfValuesIsLimited();
  void everyTruncationIsRefused();
  void pointerStepsAreEscaped();
};

void TestLocatedJson::everyValueHasItsExtent_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("places");
  const auto row = [](const char* name, std::string text, std::string places) {
    QTest::newRow(name) << std::move(text) << std::move(places);
  };
  row("number at the end", "12", "<12>");
  row("number and a blank", " 12 ", "<12>");
  row("negative", "[-1,-2]", "<[-1,-2]> <-1> <-2>");
  row("real", "[1.5e-3 ,0.5]", "<[1.5e-3 ,0.5]> <1.5e-3> <0.5>");
  row("words", "[true, false,null]", "<[true, false,null]> <true> <false> <null>");
  row("text", R"(["a" , "b\"]"])", R"(<["a" , "b\"]"]> <"a"> <"b\"]">)");
  row("text with many bytes", R"(["€","\u20ac"])", R"(<["€","\u20ac"]> <"€"> <"\u20ac">)");
  row("object", R"({ "a" : 1 ,
"b":{}})",
      R"(<{ "a" : 1 ,
"b":{}}> a=<1> b=<{}>)");
  row("number before a bracket", R"({"a":{"b":[1]}})", R"(<{"a":{"b":[1]}}> a=<{"b":[1]}> b=<[1]> <1>)");
  row("empty ones", "[ [ ] , { } ]", "<[ [ ] , { } ]> <[ ]> <{ }>");
  row("byte order mark",
      "\xef\xbb\xbf"
      R"({"a":1})",
      R"(<{"a":1}> a=<1>)");
}
void TestLocatedJson::everyValueHasItsExtent() {
  QFETCH(std::string, text);
  QFETCH(std::string, places);
  const auto parsed = json::parseLocated(bytes(text));
  QVERIFY(parsed);
  QCOMPARE(shown(parsed->root, text), places);
  QVERIFY(parsed->duplicates.empty());
}

void TestLocatedJson::valuesHaveTheirTypes() {
  const auto parsed =
      json::parseLocated(bytes(R"([null, true, -3, 18446744073709551615, 1.5, "a\nb", [], {}, -9223372036854775808])"));
  QVERIFY(parsed);
  const auto& items = parsed->root.items();
  using Type = json::Value::Type;
  QCOMPARE(items.size(), std::size_t{9});
  QVERIFY(items[0].type() == Type::Null && !items[0].isWhole());
  QVERIFY(items[1].type() == Type::Bool && std::get<bool>(items[1].data));
  QVERIFY(items[2].type() == Type::Negative && items[2].isWhole());
  QCOMPARE(std::get<int64_t>(items[2].data), int64_t{-3});
  QVERIFY(items[3].type() == Type::Unsigned && items[3].isWhole());
  QCOMPARE(items[3].number(), UINT64_MAX);
  QVERIFY(items[4].type() == Type::Real && !items[4].isWhole());
  QCOMPARE(std::get<double>(items[4].data), 1.5);
  QCOMPARE(items[5].text(), "a\nb"s);
  QVERIFY(items[6].isArray() && items[7].isObject());
  QCOMPARE(std::get<int64_t>(items[8].data), INT64_MIN);
}

void TestLocatedJson::findReturnsTheFirstMemberWithTheName() {
  const auto parsed = json::parseLocated(bytes(R"({"a": 1, "b": 2, "a": 3})"));
  QVERIFY(parsed);
  QCOMPARE(parsed->root.find("a")->number(), uint64_t{1});
  QVERIFY(!parsed->root.find("c"));
  QVERIFY(!parsed->root.find("b")->find("a"));
  QCOMPARE(parsed->root.members().size(), std::size_t{3});
}

void TestLocatedJson::duplicateKeysAreReported_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("found");
  const auto row = [](const char* name, std::string text, std::string found) {
    QTest::newRow(name) << std::move(text) << std::move(found);
  };
  row("root", R"({"a": 1, "b": 2, "a": 3})", "/a@3");
  row("three times", R"({"a": 1, "a": 2, "a": 3})", "/a@2 /a@3");
  row("below", R"({"x": [0, {"y": {"a": 1, "a": 2}}]})", "/x/1/y/a@2");
  row("the same in two objects", R"([{"a": 1}, {"a": 2}])", "");
  row("escaped name", R"({"a/b~c": 1, "a\u002fb~c": 2})", "/a~1b~0c@2");
  row("inner before outer", R"({"o": 1, "i": {"a": 2, "a": 3}, "o": 4})", "/i/a@3 /o@4");
}
void TestLocatedJson::duplicateKeysAreReported() {
  QFETCH(std::string, text);
  QFETCH(std::string, found);
  const auto parsed = json::parseLocated(bytes(text));
  QVERIFY(parsed);
  std::string out;
  for (const json::Duplicate& one : parsed->duplicates)
    out += (out.empty() ? "" : " ") + one.pointer + "@" + text.substr(one.extent.offset, one.extent.size);
  QCOMPARE(out, found);
}

void TestLocatedJson::numberOfReportedDuplicatesIsLimited() {
  std::string text = R"({"a":0)";
  for (int i = 0; i < 1000; ++i) text += R"(,"a":0)";
  const auto parsed = json::parseLocated(bytes(text + "}"));
  QVERIFY(parsed);
  QCOMPARE(parsed->duplicates.size(), json::kDuplicates);
}

void TestLocatedJson::errorsEqualThoseOfParse_data() {
  QTest::addColumn<std::string>("text");
  for (const char* text : {"", "{", "[1,]", R"({"a" 1})", "nul", "1 2", "\"\xff\"", R"({"a":1}x)"})
    QTest::newRow(text[0] == '"' ? "no UTF-8" : text) << std::string(text);
  QTest::newRow("NUL") << "[1]\0x"s;
  QTest::newRow("deep") << std::string(limits::kJsonDepth + 1, '[');
}
/// The same as for parse().
void TestLocatedJson::errorsEqualThoseOfParse() {
  QFETCH(std::string, text);
  const auto located = json::parseLocated(bytes(text));
  const auto plain = json::parse(bytes(text));
  QVERIFY(!located && !plain);
  QCOMPARE(located.error().message(), plain.error().message());
}

void TestLocatedJson::numberOfValuesIsLimited() {
  std::string text = "[";
  for (std::size_t i = 0; i < json::kLocatedValues + 1; ++i) text += "0,";
  const auto parsed = json::parseLocated(bytes(text + "0]"));
  QVERIFY(!parsed);
  QCOMPARE(std::string(row(parsed.error().id()).id), "FILE-LIMIT"s);
}

void TestLocatedJson::everyTruncationIsRefused() {
  const std::string text = R"({"a": [1, -2, 3.5, "x\u20ac"], "b": {"c": null, "c": true}})";
  for (std::size_t size = 0; size < text.size(); ++size) QVERIFY(!json::parseLocated(bytes(text.substr(0, size))));
}

void TestLocatedJson::pointerStepsAreEscaped() {
  QCOMPARE(json::pointerStep("", "a"), "/a"s);
  QCOMPARE(json::pointerStep("/a", "b/c~d"), "/a/b~1c~0d"s);
  QCOMPARE(json::pointerStep("/a", std::size_t{3}), "/a/3"s);
  QCOMPARE(json::pointerStep("", ""), "/"s);
}

BLOBSCOPE_TEST(TestLocatedJson);

#include "test_located_json.moc"
