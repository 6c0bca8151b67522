#include "core/diff/json_items.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using diff::Item;

namespace {

std::optional<diff::JsonItems> read(const std::string& text) {
  NullMonitor monitor;
  auto found = diff::readJsonItems(test::bytes(text), {}, monitor);
  if (!found) qFatal("reading was cancelled");
  return std::move(*found);
}

std::string valuesText(const diff::JsonItems& items) {
  std::string out;
  for (const Item& item : items.values) out += (out.empty() ? "" : "; ") + item.name + "=" + item.shown;
  return out;
}
std::string nodesText(const diff::JsonItems& items) {
  std::string out;
  for (const Item& item : items.nodes) {
    out += (out.empty() ? "" : "; ") + item.name + ":";
    for (const auto& [label, value] : item.facts) out += " " + label + "=" + value;
  }
  return out;
}

} // namespace

class TestJsonItems : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void valuesHaveTheirPointers_data() {
    QTest::addColumn<std::string>("json");
    QTest::addColumn<std::string>("values");
    const auto row = [](const char* name, const char* json, const char* values) {
      QTest::newRow(name) << std::string(json) << std::string(values);
    };
    row("empty", "{}", "");
    row("members", "{\"b\": 1, \"a\": \"x\"}", "/b=1; /a=\"x\"");
    row("a list of numbers is one value", "{\"a\": [1, 2]}", "/a=[1, 2]");
    row("a list of lists is not", "{\"a\": [1, [2]]}", "/a/0=1; /a/1=[2]");
    row("a tree", "{\"a\": {\"b\": {\"c\": null}}, \"d\": {}}", "/a/b/c=null; /d={}");
    row("a list at the top", "[1, {\"a\": 2}]", "/0=1; /1/a=2");
    row("nodes that are no objects", "{\"nodes\": [1, 2]}", "/nodes=[1, 2]");
    row("names with slashes", "{\"a/b\": 1, \"~\": 2}", "/a~1b=1; /~0=2");
  }
  void valuesHaveTheirPointers() {
    QFETCH(std::string, json);
    QFETCH(std::string, values);
    const auto items = read(json);
    QVERIFY(items);
    QVERIFY(!items->graph);
    QCOMPARE(valuesText(*items), values);
  }

  void nodesOfGraphsHaveInputsByName_data() {
    QTest::addColumn<std::string>("nodes");
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const char* nodes, const std::string& text) {
      QTest::newRow(name) << std::string(nodes) << text;
    };
    row("none", "", "");
    row("without a name", "{}", "nodes[0]:");
    row("a name that is no text", "{\"name\": 1}", "nodes[0]:");
    row("inputs", "{\"name\": \"a\"}, {\"name\": \"b\", \"inputs\": [[0, 0, 0], [1, 2, 0]]}", "a:; b: inputs=a, b:2");
    row("inputs without outputs", "{\"name\": \"a\", \"inputs\": [0]}", "a: inputs=a");
    row("the last node and one more", "{\"name\": \"a\", \"inputs\": [[0], [1]]}", "a: inputs=a, 1");
    row("inputs that are no numbers", "{\"name\": \"a\", \"inputs\": [[], -1, \"x\"]}", "a: inputs=[], -1, \"x\"");
    row("the largest input", "{\"name\": \"a\", \"inputs\": [[18446744073709551615, 0]]}",
        "a: inputs=18446744073709551615");
    row("inputs that are no list", "{\"name\": \"a\", \"inputs\": 1}", "a: inputs=1");
    row("attributes", "{\"name\": \"a\", \"op\": \"x\", \"attrs\": {\"k\": {\"m\": {\"n\": 1}}}}",
        "a: op=\"x\" m={\"n\": 1}");
  }
  void nodesOfGraphsHaveInputsByName() {
    QFETCH(std::string, nodes);
    QFETCH(std::string, text);
    const auto items = read("{\"nodes\": [" + nodes + "], \"heads\": [0]}");
    QVERIFY(items);
    QVERIFY(items->graph);
    QCOMPARE(nodesText(*items), text);
    QCOMPARE(valuesText(*items), std::string("/heads=[0]"));
  }

  void aLongNameIsNotRepeatedForEachInput() {
    // 1 MB named 500,000 times would be 500 GB.
    std::string inputs = "0";
    for (int i = 1; i < 500'000; ++i) inputs += ",0";
    const std::string name(1'000'000, 'n');
    const auto items = read("{\"nodes\": [{\"name\": \"" + name + "\", \"inputs\": [" + inputs + "]}]}");
    QVERIFY(items);
    QCOMPARE(items->nodes.size(), std::size_t(1));
    QCOMPARE(items->nodes[0].facts.at(0).second, escapedWithin(name, 400));
  }
  void longInputsAreCutWhereTheyAreShown() {
    for (const int count : {1, 132, 133, 134, 400, 1'000}) { // "a, " each
      std::string inputs = "0", shown = "a";
      for (int i = 1; i < count; ++i) {
        inputs += ",0";
        shown += ", a";
      }
      const auto items = read("{\"nodes\": [{\"name\": \"a\", \"inputs\": [" + inputs + "]}]}");
      QVERIFY(items);
      QCOMPARE(items->nodes[0].facts.at(0).second, escapedWithin(shown, 400));
    }
  }

  void otherTextsHaveNoItems_data() {
    QTest::addColumn<std::string>("text");
    QTest::newRow("empty") << std::string();
    QTest::newRow("blanks") << std::string(" \t\r\n");
    QTest::newRow("a number") << std::string("1");
    QTest::newRow("not JSON") << std::string("{a}");
    QTest::newRow("cut off") << std::string("{\"a\": 1");
    QTest::newRow("more than 4 MiB") << "[" + std::string((4 << 20) - 1, ' ') + "]";
  }
  void otherTextsHaveNoItems() {
    QFETCH(std::string, text);
    QVERIFY(!read(text));
  }
  void theLongestTextHasItems() { QVERIFY(read("[" + std::string((4 << 20) - 2, ' ') + "]")); }

  void theNumberOfValuesIsLimited() {
    std::string list = "[[],";
    for (int i = 0; i < 100'000; ++i) list += "1,";
    const auto items = read(list + "1]");
    QVERIFY(items);
    QCOMPARE(items->values.size(), std::size_t(100'000));
  }

  void readingCanBeCancelled() {
    test::StopAfter stop(0);
    const auto found = diff::readJsonItems(test::bytes("{}"), {}, stop);
    QVERIFY(!found);
    QCOMPARE(int(found.error().code()), int(ErrorCode::Cancelled));
  }
};

BLOBSCOPE_TEST(TestJsonItems);

#include "test_json_items.moc"
