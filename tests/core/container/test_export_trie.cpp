#include "core/container/macho/export_trie.h"

#include "tests/core/base/compare.h"
#include "tests/support/macho_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::ExportTrie;
using container::TrieEdge;

namespace {

/// "NAME=ADDRESS" of each name in the order of the walk, then what was skipped.
std::string walked(const std::string& trie, std::size_t most = SIZE_MAX) {
  std::string out;
  NullMonitor monitor;
  ExportTrie walk(trie, monitor);
  const auto done = walk.walk([&](const ExportTrie::Entry& entry) {
    out += std::string(entry.name) + "=" + hexText(entry.address) + " ";
    return --most > 0;
  });
  if (!done) qFatal("a walk failed");
  return out + (walk.problem().empty() ? "" : "(" + walk.problem() + ")");
}

} // namespace

class TestExportTrie : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void nodesAreRead_data();
  void nodesAreRead();
  void edgesAreRead_data();
  void edgesAreRead();
  void exportsAreRead_data();
  void exportsAreRead();
  void namesComeInOrderOfTheWalk_data();
  void namesComeInOrderOfTheWalk();
  void callbackCanEndTheWalk();
  void truncationIsReported();
  void walkCanBeCancelled();
};

void TestExportTrie::nodesAreRead_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("expected"); ///< terminal, children, count; empty when there is no node
  const auto row = [](const char* name, std::string bytes, std::string expected) {
    QTest::newRow(name) << std::move(bytes) << std::move(expected);
  };
  row("without name and children", "\0\0"s, "1+0 2 0");
  row("with a name", "\2\0\x10\3"s, "1+2 4 3");
  row("with a long terminal", "\x80\1"s + std::string(128, 'x') + "\xff", "2+128 131 255");
  row("its count is cut off", "\2\0\x10"s, "");
  row("its terminal is cut off", "\3\0\x10"s, "");
  row("its size does not end", "\x80"s, "");
  row("its size is too large", std::string(9, '\xff') + "\x7f", "");
  row("a size that wraps", std::string(9, '\xff') + "\1", "");
}

void TestExportTrie::nodesAreRead() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, expected);
  // At the start, and behind something else.
  for (const std::size_t front : {std::size_t{0}, std::size_t{5}}) {
    const auto node = container::trieNodeAt(std::string(front, 'x') + bytes, front);
    const std::string found = node ? std::to_string(node->terminal.offset - front) + "+" +
                                         std::to_string(node->terminal.size) + " " +
                                         std::to_string(node->children - front) + " " + std::to_string(node->count)
                                   : std::string();
    QCOMPARE(found, expected);
  }
}

void TestExportTrie::edgesAreRead_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<uint64_t>("most");
  QTest::addColumn<std::string>("expected"); ///< label, child, place of the number
  const auto row = [](const char* name, std::string bytes, uint64_t most, std::string expected) {
    QTest::newRow(name) << std::move(bytes) << most << std::move(expected);
  };
  row("a label", "ab\0\x10"s, UINT64_MAX, "ab 16 3+1");
  row("no label", "\0\x10"s, UINT64_MAX, " 16 1+1");
  row("a number of two bytes", "a\0\x90\1"s, UINT64_MAX, "a 144 2+2");
  row("a label of just as many bytes", "ab\0\x10"s, 3, "ab 16 3+1");
  row("a longer label", "ab\0\x10"s, 2, "no name");
  row("a label that does not end", "ab", UINT64_MAX, "no name");
  row("nothing", "", UINT64_MAX, "no name");
  row("no number", "ab\0"s, UINT64_MAX, "no number");
  row("a number that does not end", "ab\0\x80"s, UINT64_MAX, "no number");
  row("a number that is too large", "ab\0"s + std::string(10, '\xff'), UINT64_MAX, "no number");
}

void TestExportTrie::edgesAreRead() {
  QFETCH(std::string, bytes);
  QFETCH(uint64_t, most);
  QFETCH(std::string, expected);
  const TrieEdge edge = container::trieEdgeAt(bytes, 0, most);
  std::string found;
  switch (edge.end) {
  case TrieEdge::End::NoName: found = "no name"; break;
  case TrieEdge::End::NoNumber: found = "no number"; break;
  case TrieEdge::End::Whole:
    found = std::string(edge.label) + " " + std::to_string(edge.child) + " " + std::to_string(edge.childPlace.offset) +
            "+" + std::to_string(edge.childPlace.size);
  }
  QCOMPARE(found, expected);
}

void TestExportTrie::exportsAreRead_data() {
  QTest::addColumn<std::string>("terminal");
  QTest::addColumn<std::string>("expected"); ///< flags, address, place of the address
  QTest::newRow("an address") << exported(0x4000) << std::string("0 16384 1+3");
  QTest::newRow("with flags") << exported(8, 0x84) << std::string("132 8 2+1");
  QTest::newRow("a re-export") << reexported(3, "_name") << std::string("8 3 1+1");
  QTest::newRow("more behind it") << exported(8, 0x10) + "more" << std::string("16 8 1+1");
  QTest::newRow("nothing") << std::string() << std::string();
  QTest::newRow("no address") << "\0"s << std::string();
  QTest::newRow("an address that does not end") << "\0\x80"s << std::string();
}

void TestExportTrie::exportsAreRead() {
  QFETCH(std::string, terminal);
  QFETCH(std::string, expected);
  const auto found = container::readTrieExport(terminal);
  QCOMPARE(found ? std::to_string(found->flags) + " " + std::to_string(found->address) + " " +
                       std::to_string(found->addressPlace.offset) + "+" + std::to_string(found->addressPlace.size)
                 : std::string(),
           expected);
}

void TestExportTrie::namesComeInOrderOfTheWalk_data() {
  QTest::addColumn<std::string>("trie");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, std::string trie, std::string expected) {
    QTest::newRow(name) << std::move(trie) << std::move(expected);
  };
  const std::string one = exported(1), two = exported(2), three = exported(3);
  row("nothing", "", "");
  row("an empty root", trieBytes({{""}}), "");
  row("an empty name", trieBytes({{one}}), "=0x1 ");
  row("one", trieBytes({{"", {{"_a", 1}}}, {one}}), "_a=0x1 ");
  row("a name that begins another", trieBytes({{"", {{"_a", 1}}}, {one, {{"b", 2}}}, {two}}), "_a=0x1 _ab=0x2 ");
  row("children in their order", trieBytes({{"", {{"_", 1}}}, {"", {{"b", 2}, {"a", 3}}}, {one}, {two}}),
      "_b=0x1 _a=0x2 ");
  row("deep first", trieBytes({{"", {{"a", 1}, {"c", 3}}}, {one, {{"b", 2}}}, {two}, {three}}), "a=0x1 ab=0x2 c=0x3 ");
  row("a re-export has no address", trieBytes({{"", {{"_a", 1}}}, {reexported(7, "_b")}}), "_a=0x0 ");
  row("an edge without label", trieBytes({{"", {{"", 1}}}, {one}}), "=0x1 ");
  row("a terminal that is cut off is skipped", trieBytes({{"", {{"a", 1}, {"b", 2}}}, {"\x80"}, {two}}),
      "b=0x2 (the node at 0xc contains 1 bytes that are truncated)");
}

void TestExportTrie::namesComeInOrderOfTheWalk() {
  QFETCH(std::string, trie);
  QFETCH(std::string, expected);
  QCOMPARE(walked(trie), expected);
}

void TestExportTrie::callbackCanEndTheWalk() {
  const std::string trie = trieBytes({{"", {{"a", 1}, {"b", 1}}}, {exported(1)}});
  QCOMPARE(walked(trie, 1), std::string("a=0x1 "));
}

/// What is cut off is reported, and the names in front of it are there all the same.
void TestExportTrie::truncationIsReported() {
  const std::string whole =
      trieBytes({{"", {{"_a", 1}, {"_b", 2}}}, {exported(1)}, {"", {{"c", 3}}}, {exported(0x4000)}});
  QCOMPARE(walked(whole), std::string("_a=0x1 _bc=0x4000 "));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string found = walked(whole.substr(0, size));
    QVERIFY2(found.ends_with(')'), found.c_str());
    QVERIFY2(found.find("_bc") == std::string::npos, found.c_str());
  }
}

void TestExportTrie::walkCanBeCancelled() {
  const std::string trie = trieBytes({{"", {{"a", 1}}}, {exported(1)}});
  StopAfter monitor(0);
  ExportTrie walk(trie, monitor);
  const auto done = walk.walk([](const ExportTrie::Entry&) { return true; });
  QVERIFY(!done);
  QCOMPARE(done.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestExportTrie);
#include "test_export_trie.moc"
