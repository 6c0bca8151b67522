#include "core/edit/archive/json_text.h"

#include "core/edit/value.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

const std::string kIndented = "{\n"
                              "  \"memory\": {\n"
                              "    \"functions\": [],\n"
                              "    \"sizes\": [\n"
                              "      1,\n"
                              "      2\n"
                              "    ]\n"
                              "  },\n"
                              "  \"name\": \"net\",\n"
                              "  \"a/b~c\": 1.50,\n"
                              "  \"version\" : 7\n"
                              "}\n";
const std::string kOneLine = R"({"version":7,"list":[1,2],"empty":{}})";
const std::string kSpaced = R"({"version": 7, "list": [1, 2], "empty": {}, "one": [3]})";

Result<Bytes> change(const std::string& text, const std::string& pointer, const std::string& value) {
  const auto parsed = value.empty() ? std::nullopt : std::optional(*json::parse(Bytes::copyOf(value)));
  return edit::setJson(Bytes::copyOf(text), Ref::named(Ref::Kind::Member, "m.json"), pointer, parsed);
}

/// Replaces the first `from` in a text.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? "not found: " + from : text.replace(at, from.size(), to);
}

} // namespace

class TestJsonText : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void valuesChangeInPlace_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("pointer");
    QTest::addColumn<std::string>("value"); // empty: the value is removed
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& text, const std::string& pointer, const std::string& value,
                        const std::string& expected) { QTest::newRow(name) << text << pointer << value << expected; };
    // --- replaced ---
    row("number", kIndented, "/version", "5", with(kIndented, ": 7", ": 5"));
    row("text", kIndented, "/name", "\"a\\\"b\"", with(kIndented, "\"net\"", "\"a\\\"b\""));
    row("whole number with a fraction", kIndented, "/a~1b~0c", "2.0", with(kIndented, "1.50", "2.0"));
    row("negative number", kIndented, "/version", "-7", with(kIndented, ": 7", ": -7"));
    row("item", kIndented, "/memory/sizes/1", "30", with(kIndented, "2\n    ]", "30\n    ]"));
    row("list by a list", kIndented, "/memory/sizes", "[5]", with(kIndented, "1,\n      2", "5"));
    row("plain value by an object", kIndented, "/name", R"({"x":[1]})",
        with(kIndented, "\"net\"", "{\n    \"x\": [\n      1\n    ]\n  }"));
    row("list on one line", kSpaced, "/list", "[7,8,9]", with(kSpaced, "[1, 2]", "[7, 8, 9]"));
    row("list without blanks", kOneLine, "/list", R"([7, {"a": 8}])", with(kOneLine, "[1,2]", R"([7,{"a":8}])"));
    row("the document", "[1]", "", "{}", "{}");
    row("null", kOneLine, "/version", "null", with(kOneLine, "7", "null"));
    // --- added ---
    row("member", kIndented, "/style", "\"full-model\"",
        with(kIndented, ": 7\n", ": 7,\n  \"style\": \"full-model\"\n"));
    row("member of an inner object", kIndented, "/memory/new", "[1]",
        with(kIndented, "    ]\n  }", "    ],\n    \"new\": [\n      1\n    ]\n  }"));
    row("first item, indented", kIndented, "/memory/functions/-", "1", with(kIndented, "[]", "[\n      1\n    ]"));
    row("last item", kIndented, "/memory/sizes/-", "3", with(kIndented, "2\n    ]", "2,\n      3\n    ]"));
    row("item by its number", kSpaced, "/list/2", "3", with(kSpaced, "[1, 2]", "[1, 2, 3]"));
    row("second item, spaced", kSpaced, "/one/-", "4", with(kSpaced, "[3]", "[3, 4]"));
    row("first member on one line", kSpaced, "/empty/x", "1", with(kSpaced, "{}", R"({"x": 1})"));
    row("member without blanks", kOneLine, "/x~1y", "true", with(kOneLine, "{}}", R"({},"x/y":true})"));
    // --- removed ---
    row("first member", kIndented, "/memory", "",
        kIndented.substr(0, 4) + kIndented.substr(kIndented.find("\"name\"")));
    row("inner member", kIndented, "/name", "", with(kIndented, ",\n  \"name\": \"net\"", ""));
    row("last member", kIndented, "/version", "", with(kIndented, ",\n  \"version\" : 7", ""));
    row("first item", kSpaced, "/list/0", "", with(kSpaced, "[1, 2]", "[2]"));
    row("only item", kSpaced, "/one/0", "", with(kSpaced, "[3]", "[]"));
    row("line ends of Windows stay", "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}", "/b", "3",
        "{\r\n  \"a\": 1,\r\n  \"b\": 3\r\n}");
  }
  void valuesChangeInPlace() {
    QFETCH(std::string, text);
    QFETCH(std::string, pointer);
    QFETCH(std::string, value);
    QFETCH(std::string, expected);
    const auto changed = change(text, pointer, value);
    QVERIFY2(changed, changed ? "" : changed.error().message().c_str());
    QCOMPARE(std::string(changed->view()), expected);
    const auto parsed = json::parse(*changed);
    QVERIFY(parsed);
    if (!value.empty() && !pointer.ends_with('-')) {
      const json::Value* const found = edit::valueAt(*parsed, pointer);
      QVERIFY(found);
      QCOMPARE(edit::jsonText(*found), edit::jsonText(*json::parse(Bytes::copyOf(value))));
    }
  }

  void placesThatAreMissingAreNamed_data() {
    QTest::addColumn<std::string>("pointer");
    QTest::addColumn<std::string>("value");
    QTest::addColumn<std::string>("reason");
    const std::string form = "it is not a JSON pointer, which begins with '/' and has '~0' and '~1' for '~' and '/'";
    QTest::newRow("no slash") << "version"s << "1"s << form;
    QTest::newRow("bad escape") << "/a~2"s << "1"s << form;
    QTest::newRow("escape at the end") << "/a~"s << "1"s << form;
    QTest::newRow("object") << "/none/x"s << "1"s << "the object has no member 'none'"s;
    QTest::newRow("item") << "/memory/sizes/3"s << "1"s << "the array has 2 items, and '3' is none of them"s;
    QTest::newRow("no number") << "/memory/sizes/01"s << "1"s << "the array has 2 items, and '01' is none of them"s;
    QTest::newRow("inside a text") << "/name/0"s << "1"s
                                   << "only objects and arrays contain values, so there is no '0'"s;
    QTest::newRow("remove a missing one") << "/none"s << ""s << "the object has no member 'none'"s;
    QTest::newRow("remove the next item") << "/memory/sizes/2"s << ""s
                                          << "the array has 2 items, and '2' is none of them"s;
    QTest::newRow("remove all") << ""s << ""s << "the whole document cannot be removed"s;
  }
  void placesThatAreMissingAreNamed() {
    QFETCH(std::string, pointer);
    QFETCH(std::string, value);
    QFETCH(std::string, reason);
    const auto changed = change(kIndented, pointer, value);
    QVERIFY(!changed);
    QCOMPARE(changed.error().message(), "cannot edit 'member:m.json': at '" + pointer + "': " + reason);
  }

  void repeatedNamesAreRefused() {
    const auto changed = change(R"({"a": 1, "a": 2})", "/a", "3");
    QVERIFY(!changed && changed.error().id() == DiagnosticId::EditTarget);
    QVERIFY(changed.error().message().ends_with("the object has several members 'a'"));
  }
  /// Many edits of one text have the same result as each edit of the text that the one before it left.
  void editsAfterEachOther_data() {
    QTest::addColumn<std::string>("text");
    QTest::newRow("indented") << kIndented;
    QTest::newRow("one line") << R"({"version":7,"memory":{"functions":[],"sizes":[1,2]},"name":"net","a/b~c":1})"s;
    QTest::newRow("spaced") << R"({"memory": {"functions": [], "sizes": [1, 2]}, "name": "net", "a/b~c": 1})"s;
  }
  void editsAfterEachOther() {
    QFETCH(std::string, text);
    const std::vector<std::pair<std::string, std::string>> edits = {{"/name", R"("longer name")"},
                                                                    {"/memory/sizes/1", "[3, 4]"},
                                                                    {"/memory/sizes/-", "5"},
                                                                    {"/memory/sizes/-", R"({"x": 6})"},
                                                                    {"/memory/sizes/0", ""},
                                                                    {"/style", R"("full-model")"},
                                                                    {"/other", R"({"y": [1, 2]})"},
                                                                    {"/third", "3"},
                                                                    {"/memory/functions/-", R"("main")"},
                                                                    {"/memory/functions/-", R"("second")"},
                                                                    {"/memory/functions/1", ""},
                                                                    {"/name", ""},
                                                                    {"/other/y/0", "{}"},
                                                                    {"/other/y/-", "7"},
                                                                    {"/memory/functions/0", ""},
                                                                    {"/memory/functions/-", "8"},
                                                                    {"/a~1b~0c", "[]"},
                                                                    {"/memory", R"({"sizes": []})"},
                                                                    {"/memory/sizes/-", "9"},
                                                                    {"/style", ""},
                                                                    {"/third", "null"},
                                                                    {"", "[1]"},
                                                                    {"/-", "2"},
                                                                    {"/0", ""}};
    const Ref member = Ref::named(Ref::Kind::Member, "m.json");
    edit::JsonDraft draft(Bytes::copyOf(text));
    for (const auto& [pointer, value] : edits) {
      const auto parsed = value.empty() ? std::nullopt : std::optional(*json::parse(Bytes::copyOf(value)));
      const auto next = change(text, pointer, value);
      QVERIFY2(next, next ? "" : next.error().message().c_str());
      text = next->view();
      const auto done = draft.set(member, pointer, parsed);
      QVERIFY2(done, done ? "" : done.error().message().c_str());
      QCOMPARE(std::string(draft.text().view()), text);
    }
  }

  /// One edit in each of many objects, new names for them, and new values in these: the text is read once, and once
  /// more for what the edits wrote.
  void manyEditsReadTheTextOnce() {
    std::string text = "{\"modules\": {";
    for (int i = 0; i < 800; ++i)
      text += (i > 0 ? ", \"m" : "\"m") + std::to_string(i) + "\": {\"style\": 1, \"x\": 2}";
    const Ref member = Ref::named(Ref::Kind::Member, "m.json");
    edit::JsonDraft draft(Bytes::copyOf(text + "}}"));
    const auto set = [&](const std::string& pointer, const char* value) {
      const auto parsed = value ? std::optional(*json::parse(Bytes::copyOf(value))) : std::nullopt;
      const auto done = draft.set(member, pointer, parsed);
      QVERIFY2(done, done ? "" : done.error().message().c_str());
    };
    for (int i = 0; i < 800; ++i) set("/modules/m" + std::to_string(i) + "/style", R"("full-model")");
    for (int i = 0; i < 400; ++i) set("/modules/n" + std::to_string(i), R"({"style": "new"})");
    for (int i = 400; i-- > 0;) set("/modules/m" + std::to_string(i), nullptr);
    QCOMPARE(draft.parses(), uint64_t{1});
    for (int i = 0; i < 400; ++i) set("/modules/n" + std::to_string(i) + "/style", "3");
    QCOMPARE(draft.parses(), uint64_t{2});
    const auto parsed = json::parse(draft.text());
    QVERIFY(parsed);
    QCOMPARE(parsed->find("modules")->members().size(), std::size_t{800});
    QCOMPARE(edit::jsonText(*edit::valueAt(*parsed, "/modules/n399")), std::string(R"({ "style": 3 })"));
    QCOMPARE(edit::jsonText(*edit::valueAt(*parsed, "/modules/m400")),
             std::string(R"({ "style": "full-model", "x": 2 })"));
  }

  void otherTextIsRefused() {
    const auto changed = change("{", "/a", "3");
    QVERIFY(!changed && changed.error().id() == DiagnosticId::JsonText);
    QVERIFY(changed.error().message().starts_with("member:m.json"));
  }
};

BLOBSCOPE_TEST(TestJsonText);
#include "test_json_text.moc"
