#include "core/write/macho/trie.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wasm_builder.h"

#include <string>
#include <vector>

using namespace blobscope;
using namespace std::string_literals;
using write::macho::Trie;

namespace wasm = blobscope::test::wasm;

namespace {

struct Name {
  std::string name;
  uint64_t address = 0;
  uint64_t flags = 0;
};

/// A root with one edge per name, all numbers as short as possible. `gap`: bytes after the root.
std::string trieOf(const std::vector<Name>& names, const std::string& gap = {}) {
  std::vector<std::string> nodes;
  for (const Name& name : names) {
    const std::string content = wasm::leb(name.flags) + wasm::leb(name.address);
    nodes.push_back(wasm::leb(content.size()) + content + '\0');
  }
  std::string root;
  for (std::size_t size = 0; size != root.size() || root.empty();) {
    size = root.size();
    uint64_t at = size + gap.size();
    root = "\0"s + static_cast<char>(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      root += names[i].name + '\0' + wasm::leb(at);
      at += nodes[i].size();
    }
  }
  std::string out = root + gap;
  for (const std::string& node : nodes) out += node;
  return out;
}

const std::vector<Name> kNames = {{"_add", 0x4000}, {"_run", 0x10}};

QString refusalOf(const std::string& bytes) {
  NullMonitor monitor;
  const auto trie = Trie::read(bytes, monitor);
  return trie ? QString() : QString::fromStdString(std::string(trie.error().diagnostic().idText()));
}

} // namespace

/// Export tries of Mach-O files, read and written with other addresses.
class TestExportTrie : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void writesTheSameBytes_data();
  void writesTheSameBytes();
  void findsNamesByAddress();
  void onlyPlainDefinitionsAreMovable();
  void longerAddressMovesNodes();
  void offsetsGrowWithNodes();
  void refusesCutTries();
  void refusesInvalidTries_data();
  void refusesInvalidTries();
};

void TestExportTrie::writesTheSameBytes_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<int>("tail");
  QTest::newRow("two names") << trieOf(kNames) << 0;
  QTest::newRow("zeros after the last node") << trieOf(kNames) + std::string(7, '\0') << 7;
  QTest::newRow("bytes after the root") << trieOf(kNames, "abc") << 0;
  QTest::newRow("no names") << "\0\0"s << 0;
}

void TestExportTrie::writesTheSameBytes() {
  QFETCH(std::string, bytes);
  QFETCH(int, tail);
  NullMonitor monitor;
  const auto trie = Trie::read(bytes, monitor);
  QVERIFY2(trie, trie ? "" : trie.error().message().c_str());
  QCOMPARE(trie->tail(), static_cast<uint64_t>(tail));
  const auto built = trie->build();
  QVERIFY(built);
  QCOMPARE(*built, bytes.substr(0, bytes.size() - static_cast<std::size_t>(tail)));
}

void TestExportTrie::findsNamesByAddress() {
  NullMonitor monitor;
  const std::string bytes = trieOf({{"_add", 0x4000}, {"_same", 0x4000}, {"_run", 0x10}});
  const auto trie = Trie::read(bytes, monitor);
  QVERIFY(trie);
  const auto found = trie->exportsAt(0x4000, 10);
  QCOMPARE(found.size(), std::size_t{2});
  QCOMPARE(found[0].name, "_add"s);
  QCOMPARE(found[1].name, "_same"s);
  // The limit plus one, which shows that there are more.
  QCOMPARE(trie->exportsAt(0x4000, 0).size(), std::size_t{1});
  QVERIFY(trie->exportsAt(0x4001, 10).empty());
}

void TestExportTrie::onlyPlainDefinitionsAreMovable() {
  constexpr uint64_t kThreadLocal = 1, kAbsolute = 2, kWeak = 4;
  NullMonitor monitor;
  const std::string bytes = trieOf(
      {{"_regular", 0x10}, {"_weak", 0x20, kWeak}, {"_absolute", 0x30, kAbsolute}, {"_local", 0x40, kThreadLocal}});
  const auto trie = Trie::read(bytes, monitor);
  QVERIFY(trie);
  const auto plain = [&](uint64_t address) { return trie->exportsAt(address, 1).at(0).plain; };
  QVERIFY(plain(0x10));
  QVERIFY(plain(0x20));
  QVERIFY(!plain(0x30));
  QVERIFY(!plain(0x40));
}

void TestExportTrie::longerAddressMovesNodes() {
  NullMonitor monitor;
  const std::string bytes = trieOf({{"_run", 0x10}, {"_add", 0x4000}}, "abc");
  auto trie = Trie::read(bytes, monitor);
  QVERIFY(trie);
  trie->setAddress(trie->exportsAt(0x10, 1).at(0), 0x200000);
  const auto built = trie->build();
  QVERIFY(built);
  QCOMPARE(*built, trieOf({{"_run", 0x200000}, {"_add", 0x4000}}, "abc"));
}

/// The offset of the second node takes one byte before and two after, which moves both nodes again.
void TestExportTrie::offsetsGrowWithNodes() {
  NullMonitor monitor;
  std::vector<Name> names = {{"_" + std::string(112, 'a'), 0x10}, {"_b", 0x20}};
  const std::string bytes = trieOf(names);
  auto trie = Trie::read(bytes, monitor);
  QVERIFY(trie);
  trie->setAddress(trie->exportsAt(0x10, 1).at(0), 0x12345678);
  names[0].address = 0x12345678;
  const auto built = trie->build();
  QVERIFY(built);
  QCOMPARE(built->size(), bytes.size() + 5);
  QCOMPARE(*built, trieOf(names));
}

void TestExportTrie::refusesCutTries() {
  const std::string bytes = trieOf(kNames);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    QVERIFY2(refusalOf(bytes.substr(0, size)) == QLatin1String("REP-TRIE"), std::to_string(size).c_str());
}

void TestExportTrie::refusesInvalidTries_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::newRow("empty") << ""s;
  QTest::newRow("a node outside") << "\0\x01"
                                     "_a\0\x40"s;
  QTest::newRow("a node in its parent") << "\0\x01"
                                           "_a\0\x01"s;
  QTest::newRow("two names for one node") << "\0\x02"
                                             "_a\0\x0a"
                                             "_b\0\x0a\x02\0\x10\0"s;
  QTest::newRow("other bytes after the last node") << trieOf(kNames) + "x";
  QTest::newRow("a node that leads to the root") << "\0\x01"
                                                    "_a\0\0"s;
}

void TestExportTrie::refusesInvalidTries() {
  QFETCH(std::string, bytes);
  QCOMPARE(refusalOf(bytes), QStringLiteral("REP-TRIE"));
}

BLOBSCOPE_TEST(TestExportTrie);

#include "test_trie.moc"
