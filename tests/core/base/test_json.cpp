#include "core/base/json.h"

#include "core/base/limits.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// The value with the type of each number: i-1, u1, d1.5.
std::string shown(const json::Value& value) {
  struct Show {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(int64_t number) const { return "i" + std::to_string(number); }
    std::string operator()(uint64_t number) const { return "u" + std::to_string(number); }
    std::string operator()(double number) const { return "d" + QByteArray::number(number, 'g', 17).toStdString(); }
    std::string operator()(const std::string& text) const { return '"' + escaped(text) + '"'; }
    std::string operator()(const json::Value::Array& items) const {
      std::string out;
      for (const json::Value& item : items) out += (out.empty() ? "" : ",") + shown(item);
      return "[" + out + "]";
    }
    std::string operator()(const json::Value::Object& members) const {
      std::string out;
      for (const auto& [name, content] : members)
        out += (out.empty() ? "" : ",") + escaped(name) + ":" + shown(content);
      return "{" + out + "}";
    }
  };
  return std::visit(Show{}, value.data);
}

std::string repeated(std::string_view what, uint64_t count) {
  std::string out;
  for (uint64_t i = 0; i < count; ++i) out += what;
  return out;
}

/// The output of a writer, in one piece.
std::string written(const std::function<void(json::Writer&)>& write) {
  std::string out;
  json::Writer writer([&](std::string_view piece) { out += piece; });
  write(writer);
  writer.finish();
  return out;
}

} // namespace

class TestJson : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void validTextIsParsed_data();
  void validTextIsParsed();
  void findReturnsTheFirstMemberWithTheName();
  void nestingIsLimited_data();
  void nestingIsLimited();
  void errorsNameTheOffset_data();
  void errorsNameTheOffset();
  void errorOffsetsCountFromTheStartOfTheFile();
  void everyTruncationIsRefused();
  void writerIndentsObjectsAndArrays_data();
  void writerIndentsObjectsAndArrays();
  void writerCanUseOneLine();
  void stringsAreEscaped_data();
  void stringsAreEscaped();
  void memberNamesAreEscaped();
  void everyPairOfBytesRoundTrips();
  void longOutputIsWrittenInPieces();
  void unfinishedDocumentIsNotWritten();
};

void TestJson::validTextIsParsed_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("value");
  const auto row = [](const char* name, std::string text, std::string value) {
    QTest::newRow(name) << std::move(text) << std::move(value);
  };
  row("null", "null", "null");
  row("true", "true", "true");
  row("false", " false\n", "false");
  row("zero", "0", "u0");
  row("negative", "-1", "i-1");
  row("smallest", "-9223372036854775808", "i-9223372036854775808");
  row("largest", "18446744073709551615", "u18446744073709551615");
  row("one above the largest", "18446744073709551616", "d1.8446744073709552e+19");
  row("fraction", "-1.5", "d-1.5");
  row("exponent", "1e3", "d1000");
  row("empty text", "\"\"", "\"\"");
  row("escapes", R"("a\"\\\/\b\f\n\r\tz")", R"("a"\\/\x08\x0c\n\r\tz")");
  row("escaped NUL", R"("a\u0000b")", R"("a\x00b")");
  row("escaped character", R"("\u20ac")", "\"\xe2\x82\xac\"");
  row("escaped pair of surrogates", R"("\ud83d\ude00")", "\"\xf0\x9f\x98\x80\"");
  row("UTF-8", "\"\xe2\x82\xac\"", "\"\xe2\x82\xac\"");
  row("empty array", "[]", "[]");
  row("array", "[1, [], [-2, \"x\"], {}]", "[u1,[],[i-2,\"x\"],{}]");
  row("empty object", "{}", "{}");
  row("members in their order", R"({"b": 1, "a": {"z": null, "y": [true]}})", "{b:u1,a:{z:null,y:[true]}}");
  row("a name twice", R"({"a": 1, "b": 2, "a": 3})", "{a:u1,b:u2,a:u3}");
  row("a name without text", R"({"": 1})", "{:u1}");
  row("a name with a NUL", R"({"a\u0000": 1})", "{a\\x00:u1}");
}

void TestJson::validTextIsParsed() {
  QFETCH(std::string, text);
  QFETCH(std::string, value);
  const auto parsed = json::parse(bytes(text));
  QVERIFY2(parsed, text.c_str());
  QCOMPARE(shown(*parsed), value);
}

void TestJson::findReturnsTheFirstMemberWithTheName() {
  const auto value = json::parse(bytes(R"({"a": 1, "b": {"c": "d"}, "a": 2, "n": null, "l": [1]})"));
  QVERIFY(value);
  QVERIFY(value->find("a"));
  QCOMPARE(shown(*value->find("a")), "u1"s);
  QVERIFY(!value->find("c"));
  QVERIFY(!value->find(""));
  QVERIFY(value->find("b") && value->find("b")->find("c"));
  QCOMPARE(*value->find("b")->find("c")->string(), "d"s);
  QVERIFY(value->find("n")->isNull());
  QVERIFY(!value->find("a")->isNull());
  QCOMPARE(value->find("l")->array()->size(), std::size_t{1});
  QVERIFY(!value->find("l")->find("a"));
  QVERIFY(!value->array() && !value->string());
}

void TestJson::nestingIsLimited_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<bool>("fits");
  constexpr uint64_t kMost = limits::kJsonDepth;
  static_assert(kMost == 256);
  const auto row = [](const char* name, std::string text, bool fits) {
    QTest::newRow(name) << std::move(text) << fits;
  };
  row("256 arrays", repeated("[", kMost) + repeated("]", kMost), true);
  row("257 arrays", repeated("[", kMost + 1) + repeated("]", kMost + 1), false);
  row("256 objects", repeated("{\"a\":", kMost - 1) + "{}" + repeated("}", kMost - 1), true);
  row("257 objects", repeated("{\"a\":", kMost) + "{}" + repeated("}", kMost), false);
  row("256 of both", repeated("[{\"a\":", kMost / 2) + "1" + repeated("}]", kMost / 2), true);
  row("257 of both", repeated("[{\"a\":", kMost / 2) + "[]" + repeated("}]", kMost / 2), false);
  row("257 arrays without their ends", repeated("[", kMost + 1), false);
  row("100,000 arrays", repeated("[", 100'000) + repeated("]", 100'000), false);
  row("1,000,000 objects without their ends", repeated("{\"a\":", 1'000'000), false);
  row("many arrays side by side", "[" + repeated("[],", 100'000) + "[]]", true);
}

void TestJson::nestingIsLimited() {
  QFETCH(std::string, text);
  QFETCH(bool, fits);
  const auto parsed = json::parse(bytes(text));
  QCOMPARE(parsed.hasValue(), fits);
  if (fits) return;
  QVERIFY(parsed.error().id() == DiagnosticId::JsonDepth);
  QVERIFY(parsed.error().code() == ErrorCode::Limit);
  QCOMPARE(parsed.error().message(), "JSON is nested deeper than 256 levels"s);
}

void TestJson::errorsNameTheOffset_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<uint64_t>("offset");
  const auto row = [](const char* name, std::string text, uint64_t offset) {
    QTest::newRow(name) << std::move(text) << offset;
  };
  row("nothing", "", 0);
  row("spaces", "  ", 2);
  row("a letter", "x", 0);
  row("incomplete keyword", "nul", 3);
  row("misspelt keyword", "nulx", 3);
  row("array not closed", "[1", 2);
  row("comma at the end", "[1,", 3);
  row("comma before the bracket", "[1,]", 3);
  row("colon missing", R"({"a" 1})", 5);
  row("name without quotes", "{a: 1}", 1);
  row("wrong bracket", "[1}", 2);
  row("trailing text", "1 2", 2);
  row("second document", "{}{", 2);
  row("text not closed", "\"ab", 3);
  row("control character in a text", "\"a\nb\"", 2);
  row("unknown escape", R"("a\q")", 3);
  row("half a pair of surrogates", R"("\ud83d")", 7);
  row("not UTF-8", "\"a\xff\"", 2);
  row("cut character", "\"\xe2\x82\"", 3);
  row("NUL", "\0"s, 0);
  row("trailing NUL", "1\0"s, 1);
  row("comment", "/* */1", 0);
  row("not a number", "NaN", 0);
  row("two signs", "--1", 1);
  row("fraction without digits", "[1.]", 3);
}

void TestJson::errorsNameTheOffset() {
  QFETCH(std::string, text);
  QFETCH(uint64_t, offset);
  const auto parsed = json::parse(bytes(text));
  QVERIFY(!parsed);
  QVERIFY(parsed.error().id() == DiagnosticId::JsonText);
  QCOMPARE(parsed.error().message(), "invalid JSON: unexpected content at " + hexText(offset));
  QCOMPARE(parsed.error().place().at, std::optional(offset));
}

void TestJson::errorOffsetsCountFromTheStartOfTheFile() {
  const auto owner = source("[1,]");
  const auto parsed = json::parse({owner, owner->view(), 0x1000});
  QVERIFY(!parsed);
  QCOMPARE(parsed.error().message(), "invalid JSON: unexpected content at 0x1003"s);
  QCOMPARE(parsed.error().place().at, std::optional<uint64_t>(0x1003));
}

void TestJson::everyTruncationIsRefused() {
  const std::string text = R"({"a": [1, -2, 3.5, "x\n\u20ac", null, true, {"b": {}}]})";
  QVERIFY(json::parse(bytes(text)));
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto parsed = json::parse(bytes(text.substr(0, size)));
    QVERIFY2(!parsed, std::to_string(size).c_str());
    QVERIFY(parsed.error().place().at && *parsed.error().place().at <= size);
  }
}

void TestJson::writerIndentsObjectsAndArrays_data() {
  QTest::addColumn<int>("what");
  QTest::addColumn<std::string>("text");
  QTest::newRow("object") << 0 << "{}\n"s;
  QTest::newRow("array") << 1 << "[]\n"s;
  QTest::newRow("one value") << 2 << "7\n"s;
  QTest::newRow("everything") << 3 << R"({
  "schema": "blobscope.test/1",
  "size": 18446744073709551615,
  "small": 255,
  "flag": true,
  "none": null,
  "there": 4096,
  "missing": null,
  "empty": {},
  "items": [
    1,
    "two",
    [],
    [
      false
    ],
    {
      "a": {
        "hex": "ff"
      }
    },
    null
  ],
  "last": ""
}
)"s;
}

void TestJson::writerIndentsObjectsAndArrays() {
  QFETCH(int, what);
  QFETCH(std::string, text);
  const std::string out = written([&](json::Writer& writer) {
    if (what == 0) {
      writer.beginObject();
      writer.endObject();
    } else if (what == 1) {
      writer.beginArray();
      writer.endArray();
    } else if (what == 2) {
      writer.value(uint64_t{7});
    } else {
      writer.beginObject();
      writer.member("schema", "blobscope.test/1");
      writer.member("size", UINT64_MAX);
      writer.member("small", uint8_t{255});
      writer.member("flag", true);
      writer.nullMember("none");
      writer.member("there", std::optional<uint64_t>(4096));
      writer.member("missing", std::optional<uint64_t>());
      writer.key("empty").beginObject();
      writer.endObject();
      writer.key("items").beginArray();
      writer.value(uint32_t{1});
      writer.value("two");
      writer.beginArray();
      writer.endArray();
      writer.beginArray();
      writer.value(false);
      writer.endArray();
      writer.beginObject();
      writer.key("a").beginObject();
      writer.member("hex", "ff");
      writer.endObject();
      writer.endObject();
      writer.null();
      writer.endArray();
      writer.member("last", std::string_view());
      writer.endObject();
    }
  });
  QCOMPARE(out, text);
  QVERIFY(json::parse(bytes(out)));
}

void TestJson::writerCanUseOneLine() {
  std::string out;
  json::Writer writer([&](std::string_view piece) { out += piece; }, json::Layout::OneLine);
  writer.beginObject().member("a", -1).listMember("list", std::vector<uint64_t>{1, 2});
  writer.key("empty").beginArray().endArray().member("bytes", "\xff").member("text", "").key("raw").raw("0.500");
  writer.key("in").beginObject().nullMember("none").endObject().endObject().finish();
  QCOMPARE(out, R"({"a":-1,"list":[1,2],"empty":[],"bytes":{"hex":"ff"},"text":"","raw":0.500,"in":{"none":null}})"
                "\n"s);
}

void TestJson::stringsAreEscaped_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, std::string content, std::string text) {
    QTest::newRow(name) << std::move(content) << std::move(text);
  };
  row("plain", "abc", R"("abc")");
  row("quote and backslash", "a\"b\\c", R"("a\"b\\c")");
  row("slash stays", "a/b", R"("a/b")");
  row("line feed", "a\nb", R"("a\nb")");
  row("other control characters", "\0\t\r\x1b\x1f"s, R"("\u0000\u0009\u000d\u001b\u001f")");
  row("delete", "\x7f", R"("\u007f")");
  row("UTF-8 as it is", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
  row("first and last C1 control", "\xc2\x80\xc2\x9f", R"("\u0080\u009f")");
  row("next to the C1 controls", "\xc2\xa0", "\"\xc2\xa0\"");
  row("Arabic letter mark", "\xd8\x9c\xd8\x9d", "\"\\u061c\xd8\x9d\"");
  row("direction marks", "\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90",
      "\"\xe2\x80\x8d\\u200e\\u200f\xe2\x80\x90\"");
  row("line and paragraph separator", "\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9", "\"\xe2\x80\xa7\\u2028\\u2029\"");
  row("embeddings and overrides", "a\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", "\"a\\u202a\\u202e\xe2\x80\xaf\"");
  row("isolates", "\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\"\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa\"");
  row("not UTF-8", "a\xff\0"s, R"({"hex": "61ff00"})");
  row("cut character", "\xe2\x82", R"({"hex": "e282"})");
  row("surrogate", "\xed\xa0\x80", R"({"hex": "eda080"})");
}

void TestJson::stringsAreEscaped() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, text);
  QCOMPARE(written([&](json::Writer& writer) { writer.value(bytes); }), text + "\n");
  QCOMPARE(written([&](json::Writer& writer) {
             writer.beginObject();
             writer.member("it", bytes);
             writer.endObject();
           }),
           "{\n  \"it\": " + text + "\n}\n");
  const auto parsed = json::parse(test::bytes(text));
  QVERIFY(parsed);
  if (parsed->string()) QCOMPARE(*parsed->string(), bytes);
}

void TestJson::memberNamesAreEscaped() {
  QCOMPARE(written([](json::Writer& writer) {
             writer.beginObject();
             writer.member("a\xe2\x80\xae\xc2\x9b\n", 1);
             writer.endObject();
           }),
           "{\n  \"a\\u202e\\u009b\\n\": 1\n}\n"s);
}

/// Every pair of bytes round-trips: as text when it is UTF-8, otherwise as hex digits.
void TestJson::everyPairOfBytesRoundTrips() {
  const std::string out = written([&](json::Writer& writer) {
    writer.beginArray();
    for (int first = 0; first < 256; ++first)
      for (const int second : {0x00, 0x0a, 0x22, 0x41, 0x5c, 0x7f, 0x80, 0xa9, 0xbf, 0xc3, 0xff})
        writer.value(std::string{static_cast<char>(first), static_cast<char>(second)});
    writer.endArray();
  });
  const auto parsed = json::parse(test::bytes(out));
  QVERIFY(parsed && parsed->array());
  std::size_t at = 0;
  for (int first = 0; first < 256; ++first)
    for (const int second : {0x00, 0x0a, 0x22, 0x41, 0x5c, 0x7f, 0x80, 0xa9, 0xbf, 0xc3, 0xff}) {
      const std::string pair{static_cast<char>(first), static_cast<char>(second)};
      const json::Value& value = (*parsed->array())[at++];
      if (isUtf8(pair)) {
        QVERIFY(value.string());
        QCOMPARE(*value.string(), pair);
      } else {
        QVERIFY(value.find("hex") && value.find("hex")->string());
        QCOMPARE(parseHexDigits(*value.find("hex")->string()), std::optional(pair));
      }
    }
  QCOMPARE(at, parsed->array()->size());
}

/// Millions of rows need no memory: the sink is called long before the end, and always with little data.
void TestJson::longOutputIsWrittenInPieces() {
  std::size_t pieces = 0, largest = 0, total = 0;
  json::Writer writer([&](std::string_view piece) {
    ++pieces;
    largest = std::max(largest, piece.size());
    total += piece.size();
  });
  writer.beginArray();
  constexpr std::size_t kItems = 100'000;
  for (std::size_t i = 0; i < kItems; ++i) writer.value("0123456789");
  QVERIFY(pieces > 5);
  writer.endArray();
  writer.finish();
  QVERIFY(largest < 128 * 1024);
  // "[", then a line feed, two spaces, twelve characters and a comma (except for the last), then "\n]\n".
  QCOMPARE(total, 1 + kItems * 16 - 1 + 3);
}

/// An unfinished document never looks like a complete one.
void TestJson::unfinishedDocumentIsNotWritten() {
  std::string out;
  {
    json::Writer writer([&](std::string_view piece) { out += piece; });
    writer.beginObject();
    writer.member("cancelled", "here");
  }
  QCOMPARE(out, ""s);
}

BLOBSCOPE_TEST(TestJson);
#include "test_json.moc"
