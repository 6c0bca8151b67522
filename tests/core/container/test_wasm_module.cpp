#include "core/container/wasm/wasm_module.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wasm_builder.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::wasm::Constant;
using container::wasm::Cursor;
using container::wasm::Entity;
using container::wasm::Module;

namespace {

Module moduleOf(const std::vector<std::string>& sections) {
  NullMonitor monitor;
  auto module = container::wasm::readModule(bytes(wasm::module(sections)), monitor);
  if (!module) qFatal("a made module has no header");
  return std::move(*module);
}

std::string idsOf(const Module& module) {
  std::string out;
  for (const Diagnostic& diagnostic : module.diagnostics) out += std::string(diagnostic.idText()) + " ";
  return out;
}

/// "7", "global 1 + 7", "unknown".
std::string text(const Constant& constant) {
  if (!constant.known) return "unknown";
  return (constant.global ? "global " + std::to_string(*constant.global) + " + " : "") +
         std::to_string(constant.number);
}

} // namespace

class TestWasmModule : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void cursorReads();
  void cursorStopsAtItsEnd_data();
  void cursorStopsAtItsEnd();
  void cursorStaysFailed();
  void constantExpressionsAreEvaluated_data();
  void constantExpressionsAreEvaluated();
  void sizeOfMemoryIsRead_data();
  void sizeOfMemoryIsRead();
  void entriesOfAllSectionsAreRead();
  void everyKindOfImportIsRead();
  void segmentsAreRead_data();
  void segmentsAreRead();
  void damageIsReported_data();
  void damageIsReported();
  void orderOfSectionsDoesNotMatter();
  void otherHeadersAreRefused_data();
  void otherHeadersAreRefused();
  void truncationIsReported();
  void readingCanBeCancelled();
};

void TestWasmModule::cursorReads() {
  const std::string file = "xx\x07\x01\0\0\0\x80\x01\x7f\x03namAB"s;
  Cursor cursor(file, {2, file.size() - 2});
  QCOMPARE(cursor.byte(), uint8_t{7});
  QCOMPARE(cursor.word(), 1u);
  QCOMPARE(cursor.number(), uint64_t{128});
  QCOMPARE(cursor.signedNumber(32), int64_t{-1});
  QCOMPARE(cursor.name(), std::string_view("nam"));
  QCOMPARE(cursor.left(), uint64_t{2});
  QCOMPARE(cursor.takeUpTo(9), (Extent{14, 2}));
  QVERIFY(cursor.atEnd() && cursor.ok());
}

void TestWasmModule::cursorStopsAtItsEnd_data() {
  QTest::addColumn<std::string>("part");
  QTest::addColumn<int>("read"); ///< index of the call
  QTest::addColumn<bool>("ok");
  const auto row = [](const char* name, std::string part, int read, bool ok) {
    QTest::newRow(name) << std::move(part) << read << ok;
  };
  row("no byte", "", 0, false);
  row("three bytes of a word", "abc", 1, false);
  row("a number that does not end", "\x80", 2, false);
  row("32 bits", "\xff\xff\xff\xff\x0f", 2, true);
  row("33 bits", "\xff\xff\xff\xff\x1f", 2, false);
  row("a padded number", "\x81\x80\x80\x80\0"s, 2, true);
  row("six bytes", "\x81\x80\x80\x80\x80\0"s, 2, false);
  row("64 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 3, true);
  row("65 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", 3, false);
  row("as many bytes as there are", "abcd", 4, true);
  row("more", "abc", 4, false);
  row("a name", "\x02"s + "ab", 5, true);
  row("a name that is cut off", "\x03"s + "ab", 5, false);
  row("a name without bytes", "\0"s, 5, true);
}

void TestWasmModule::cursorStopsAtItsEnd() {
  QFETCH(std::string, part);
  QFETCH(int, read);
  QFETCH(bool, ok);
  // Bytes of the file behind the part are not read.
  const std::string file = part + "more";
  Cursor cursor(file, {0, part.size()});
  const std::function<void()> calls[] = {[&] { cursor.byte(); },        [&] { cursor.word(); },
                                         [&] { cursor.number(); },      [&] { cursor.number(64); },
                                         [&] { (void)cursor.take(4); }, [&] { cursor.name(); }};
  calls[read]();
  QCOMPARE(cursor.ok(), ok);
  QCOMPARE(cursor.reason().empty(), ok);
}

void TestWasmModule::cursorStaysFailed() {
  Cursor cursor("\x80\x01\x02", {0, 3});
  cursor.fail("first");
  cursor.fail("second");
  QCOMPARE(cursor.reason(), std::string("first"));
  QCOMPARE(cursor.number(), uint64_t{0});
  QCOMPARE(cursor.byte(), uint8_t{0});
  QCOMPARE(cursor.take(1).size, uint64_t{0});
  QVERIFY(cursor.name().empty() && cursor.atEnd());
  QCOMPARE(cursor.position(), uint64_t{0});
}

void TestWasmModule::constantExpressionsAreEvaluated_data() {
  QTest::addColumn<std::string>("expression");
  QTest::addColumn<std::string>("expected"); ///< empty: damaged
  const auto row = [](const char* name, std::string expression, const char* expected) {
    QTest::newRow(name) << std::move(expression) << std::string(expected);
  };
  using wasm::globalGet, wasm::i32, wasm::i64;
  const std::string subtract = "\x6b", multiply = "\x6c";
  row("a number", i32(7), "7");
  row("a negative number", i32(0xffffffff), "4294967295");
  row("a number of 64 bits", i64(UINT64_MAX), "18446744073709551615");
  row("a sum", i32(7) + i32(8) + wasm::kAdd, "15");
  row("a sum that wraps at 32 bits", i32(0xffffffff) + i32(2) + wasm::kAdd, "1");
  row("a sum of 64 bits", i64(0xffffffff) + i64(2) + "\x7c", "4294967297");
  row("a difference", i32(7) + i32(8) + subtract, "4294967295");
  row("a product", i32(7) + i32(8) + multiply, "56");
  row("a global of a known value", globalGet(1), "7");
  row("a global of the importer", globalGet(0), "global 0 + 0");
  row("a global and a number", globalGet(0) + i32(8) + wasm::kAdd, "global 0 + 8");
  row("a number and a global", i32(8) + globalGet(0) + wasm::kAdd, "global 0 + 8");
  row("a global less a number", globalGet(0) + i32(1) + subtract, "global 0 + 4294967295");
  row("a number less a global", i32(1) + globalGet(0) + subtract, "unknown");
  row("two globals", globalGet(0) + globalGet(0) + wasm::kAdd, "unknown");
  row("a product of a global", globalGet(0) + i32(2) + multiply, "unknown");
  row("a global that is not there", globalGet(9), "global 9 + 0");
  row("a float", "\x43"s + "1234", "unknown");
  row("a double", "\x44"s + "12345678", "unknown");
  row("a vector", "\xfd\x0c"s + std::string(16, 'x'), "unknown");
  row("a reference to a function", "\xd2\x01"s, "unknown");
  row("no reference", "\xd0\x70"s, "unknown");
  row("nothing", "", "unknown");
  row("two values", i32(1) + i32(2), "unknown");
  row("a sum of one", i32(1) + wasm::kAdd, "");
  row("an instruction that is not constant", "\x20\x00"s, "");
  row("a vector instruction that is not constant", "\xfd\x0d"s + std::string(16, 'x'), "");
  std::string deep;
  for (int i = 0; i < 65; ++i) deep += i32(1);
  row("65 values", deep, "");
  row("64 values", deep.substr(2), "unknown");
}

void TestWasmModule::constantExpressionsAreEvaluated() {
  QFETCH(std::string, expression);
  QFETCH(std::string, expected);
  const Module module = moduleOf({wasm::section(2, wasm::list({wasm::importGlobal("base")})),
                                  wasm::section(6, wasm::list({wasm::global(7)})),
                                  wasm::section(11, wasm::list({wasm::dataBy(expression, "data")}))});
  QCOMPARE(module.data.size(), std::size_t{!expected.empty()});
  QCOMPARE(idsOf(module), std::string(expected.empty() ? "FILE-TABLE " : ""));
  if (!expected.empty()) QCOMPARE(text(module.data[0].address), expected);
}

void TestWasmModule::sizeOfMemoryIsRead_data() {
  QTest::addColumn<std::string>("sections");
  QTest::addColumn<std::optional<uint64_t>>("size");
  QTest::addColumn<bool>("is64");
  const auto defined = [](const std::string& limits) { return wasm::section(5, wasm::list({limits})); };
  const auto row = [](const char* name, std::string sections, std::optional<uint64_t> size, bool is64) {
    QTest::newRow(name) << std::move(sections) << size << is64;
  };
  row("none", "", std::nullopt, false);
  row("two pages", defined(wasm::memory(2)), 0x20000, false);
  row("with a maximum", defined("\x01\x02\x09"), 0x20000, false);
  row("64 bits", defined(wasm::memory64(2)), 0x20000, true);
  row("64 bits, more than there can be", defined(wasm::memory64(UINT64_MAX)), UINT64_MAX, true);
  row("pages of one byte", defined("\x08\x02\x00"s), 2, false);
  row("imported", wasm::section(2, wasm::list({wasm::importMemory(3)})), 0x30000, false);
  row("the imported one is memory 0", wasm::section(2, wasm::list({wasm::importMemory(3)})) + defined(wasm::memory(2)),
      0x30000, false);
  row("unknown flags", defined("\x10\x02"), std::nullopt, false);
}

void TestWasmModule::sizeOfMemoryIsRead() {
  QFETCH(std::string, sections);
  QFETCH(std::optional<uint64_t>, size);
  QFETCH(bool, is64);
  const Module module = moduleOf({sections});
  QCOMPARE(module.memoryBytes, size);
  QCOMPARE(module.memory64, is64);
}

void TestWasmModule::entriesOfAllSectionsAreRead() {
  const Module module = moduleOf(
      {wasm::section(2, wasm::list({wasm::importFunction("f"), wasm::importGlobal("g"), wasm::importMemory(1)})),
       wasm::section(6, wasm::list({wasm::global(7), wasm::global(8, true)})),
       wasm::section(7, wasm::list({wasm::exported("run", 0, 1), wasm::exported("memory", 2, 0)})),
       wasm::section(10, wasm::list({wasm::body("\x41\x00\x1a"s)})), wasm::custom("linking", "content")});
  QCOMPARE(idsOf(module), std::string());
  QVERIFY(module.isObject);
  QCOMPARE(module.imports.size(), std::size_t{3});
  QCOMPARE(module.imports[1].module, std::string_view("env"));
  QCOMPARE(module.imports[1].field, std::string_view("g"));
  QVERIFY(module.imports[1].kind == Entity::Global);
  QCOMPARE(module.importCount(Entity::Function), 1u);
  QCOMPARE(module.importCount(Entity::Table), 0u);
  QCOMPARE(module.globals.size(), std::size_t{3}); // the imported one first
  QVERIFY(!module.globals[0].value.known);
  QVERIFY(module.globals[2].isMutable && module.globals[2].isAddress);
  QCOMPARE(module.constantOf(1).value_or(0), uint64_t{7});
  QVERIFY(!module.constantOf(0) && !module.constantOf(3));
  QCOMPARE(module.exports.size(), std::size_t{2});
  QCOMPARE(module.exports[0].name, std::string_view("run"));
  QCOMPARE(module.exports[0].index, 1u);
  QCOMPARE(module.bodies.size(), std::size_t{1});
  QCOMPARE(module.bodies[0].size, uint64_t{5});
  const auto* const linking = module.find(0, "linking");
  QVERIFY(linking);
  QCOMPARE(module.text().substr(linking->content.offset, linking->content.size), std::string_view("content"));
  QVERIFY(!module.find(0, "name") && !module.find(11));
}

void TestWasmModule::everyKindOfImportIsRead() {
  const auto imported = [](const std::string& description) { return wasm::str("m") + wasm::str("f") + description; };
  const Module module = moduleOf({wasm::section(2, wasm::list({imported("\x00\x05"s),         // function of a type
                                                               imported("\x01\x70\x00\x01"s), // table of references
                                                               imported("\x01\x63\x70\x01\x01\x02"s), // of typed ones
                                                               imported("\x02\x00\x01"s),             // memory
                                                               imported("\x03\x7f\x01"s),      // global that changes
                                                               imported("\x04\x00\x01"s)}))}); // tag
  QCOMPARE(idsOf(module), std::string());
  QCOMPARE(module.imports.size(), std::size_t{6});
  QCOMPARE(module.importCount(Entity::Table), 2u);
  QCOMPARE(module.importCount(Entity::Tag), 1u);
  QVERIFY(module.globals.at(0).isMutable);
}

void TestWasmModule::segmentsAreRead_data() {
  QTest::addColumn<std::string>("segment");
  QTest::addColumn<bool>("active");
  QTest::addColumn<uint64_t>("memory");
  QTest::newRow("active") << wasm::dataAt(16, "data") << true << uint64_t{0};
  QTest::newRow("passive") << wasm::passive("data") << false << uint64_t{0};
  QTest::newRow("of another memory") << "\x02\x03"s + wasm::i32(16) + wasm::kEnd + wasm::str("data") << true
                                     << uint64_t{3};
}

void TestWasmModule::segmentsAreRead() {
  QFETCH(std::string, segment);
  QFETCH(bool, active);
  QFETCH(uint64_t, memory);
  const Module module = moduleOf({wasm::section(11, wasm::list({segment}))});
  QCOMPARE(module.data.size(), std::size_t{1});
  QCOMPARE(module.data[0].active, active);
  QCOMPARE(module.data[0].memory, memory);
  QCOMPARE(text(module.data[0].address), std::string(active ? "16" : "unknown"));
  QCOMPARE(module.text().substr(module.data[0].bytes.offset, module.data[0].bytes.size), std::string_view("data"));
  QVERIFY(!module.dataCut);
}

void TestWasmModule::damageIsReported_data() {
  QTest::addColumn<std::string>("sections");
  QTest::addColumn<std::string>("ids");
  const auto row = [](const char* name, std::string sections, const char* ids) {
    QTest::newRow(name) << std::move(sections) << std::string(ids);
  };
  row("an import of no kind", wasm::section(2, wasm::list({wasm::str("m") + wasm::str("f") + "\x05"})), "FILE-TABLE ");
  row("an export of no kind", wasm::section(7, wasm::list({wasm::exported("f", 5, 0)})), "FILE-TABLE ");
  row("a segment of no kind", wasm::section(11, wasm::list({"\x03"})), "FILE-TABLE ");
  row("more entries than there are", wasm::section(7, wasm::list({wasm::exported("f", 0, 0)}, 2)), "FILE-TABLE ");
  row("an immense number of entries", wasm::section(7, wasm::list({}, UINT32_MAX)), "FILE-TABLE ");
  row("fewer entries than there are", wasm::section(7, wasm::list({wasm::exported("f", 0, 0)}, 0)), "");
  row("a section past the end", wasm::section(7, wasm::list({wasm::exported("f", 0, 0)}), 100), "FILE-PART ");
  row("a section without size", "\x07", "FILE-TABLE ");
  row("a custom section without name", wasm::section(0, ""), "FILE-TABLE ");
  row("a custom section whose name is cut off", wasm::section(0, "\x05"s + "ab"), "FILE-TABLE ");
  row("a section of an unknown number", wasm::section(99, "x"), "");
  row("a body past its section", wasm::section(10, wasm::list({"\x09\x00"s})), "FILE-TABLE ");
}

void TestWasmModule::damageIsReported() {
  QFETCH(std::string, sections);
  QFETCH(std::string, ids);
  QCOMPARE(idsOf(moduleOf({sections})), ids);
}

/// Later parts refer to earlier ones, whatever their order in the file.
void TestWasmModule::orderOfSectionsDoesNotMatter() {
  const Module module = moduleOf({wasm::section(11, wasm::list({wasm::dataBy(wasm::globalGet(1), "data")})),
                                  wasm::section(6, wasm::list({wasm::global(7)})),
                                  wasm::section(2, wasm::list({wasm::importGlobal("base")}))});
  QCOMPARE(text(module.data.at(0).address), std::string("7"));
}

void TestWasmModule::otherHeadersAreRefused_data() {
  QTest::addColumn<std::string>("file");
  QTest::newRow("nothing") << std::string();
  QTest::newRow("seven bytes") << "\0asm\1\0\0"s;
  QTest::newRow("another magic number") << "\0ASM\1\0\0\0"s;
  QTest::newRow("another version") << "\0asm\2\0\0\0"s;
  QTest::newRow("a component") << "\0asm\x0d\0\1\0"s;
}

void TestWasmModule::otherHeadersAreRefused() {
  QFETCH(std::string, file);
  NullMonitor monitor;
  const auto module = container::wasm::readModule(bytes(file), monitor);
  QVERIFY(!module);
  QCOMPARE(module.error().diagnostic().idText(), std::string_view("FILE-HEADER"));
}

/// What is cut off is noted, except where it ends between two sections.
void TestWasmModule::truncationIsReported() {
  const std::vector<std::string> sections = {
      wasm::section(2, wasm::list({wasm::importGlobal("base")})), wasm::section(6, wasm::list({wasm::global(7)})),
      wasm::section(7, wasm::list({wasm::exported("run", 0, 1)})), wasm::custom("linking", "content"),
      wasm::section(11, wasm::list({wasm::dataAt(16, "data")}))};
  std::vector<std::size_t> ends = {8};
  for (const std::string& section : sections) ends.push_back(ends.back() + section.size());
  const std::string whole = wasm::module(sections);
  NullMonitor monitor;
  for (std::size_t size = 8; size <= whole.size(); ++size) {
    const auto module = container::wasm::readModule(bytes(whole.substr(0, size)), monitor);
    QVERIFY(module);
    const bool between = std::find(ends.begin(), ends.end(), size) != ends.end();
    QCOMPARE(module->diagnostics.empty(), between);
    QCOMPARE(module->dataCut, size > ends[4] + 1 && size < whole.size());
  }
}

void TestWasmModule::readingCanBeCancelled() {
  StopAfter monitor(0);
  const auto module = container::wasm::readModule(bytes(wasm::module({wasm::custom("a", "b")})), monitor);
  QVERIFY(!module);
  QCOMPARE(module.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestWasmModule);
#include "test_wasm_module.moc"
