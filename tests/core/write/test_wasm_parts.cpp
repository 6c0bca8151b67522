#include "core/write/wasm/plan.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wasm_builder.h"

using namespace blobscope;
namespace parts = blobscope::write::wasm_parts;
namespace made = blobscope::test::wasm;

namespace {

std::string textOf(const std::vector<Extent>& extents) {
  std::string out;
  for (const Extent one : extents)
    out += (out.empty() ? "" : " ") + std::to_string(one.offset) + "+" + std::to_string(one.size);
  return out;
}

container::wasm::Module moduleWith(const std::string& text) {
  NullMonitor monitor;
  auto module = container::wasm::readModule(test::bytes(text), monitor);
  if (!module) qFatal("the test made no module");
  return std::move(*module);
}

} // namespace

class TestWasmParts : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void numbersKeepTheirForm_data() {
    QTest::addColumn<qulonglong>("value");
    QTest::addColumn<qulonglong>("old");
    QTest::addColumn<int>("width");
    QTest::addColumn<std::string>("hex");
    const auto row = [](const char* name, qulonglong value, qulonglong old, int width, const char* hex) {
      QTest::newRow(name) << value << old << width << std::string(hex);
    };
    row("shortest, same size", 5, 4, 1, "05");
    row("shortest, longer", 128, 127, 1, "8001");
    row("shortest, shorter", 127, 128, 2, "7f");
    row("zero", 0, 127, 1, "00");
    row("padded to 5 bytes", 1, 2, 5, "8180808000");
    row("padded to 3 bytes", 1, 2, 3, "818000");
    row("padded to 2 bytes, too large now", 16'384, 2, 2, "808001");
    row("padded to 2 bytes, the largest", 16'383, 2, 2, "ff7f");
    row("5 bytes that are the shortest stay 5", 1, 0x10000000, 5, "8180808000");
    row("the largest of 32 bits", UINT32_MAX, 1, 5, "ffffffff0f");
    row("the largest", UINT64_MAX, 1, 1, "ffffffffffffffffff01");
  }
  void numbersKeepTheirForm() {
    QFETCH(qulonglong, value);
    QFETCH(qulonglong, old);
    QFETCH(int, width);
    QFETCH(std::string, hex);
    QCOMPARE(hexDigits(parts::lebLike(value, old, static_cast<std::size_t>(width))), hex);
  }
  void anEditAndItsReversalGiveTheSameBytes() {
    // Below 2^28: the shortest form of larger numbers has the width to which linkers pad.
    for (const uint64_t old : {0ull, 1ull, 127ull, 128ull, 16'383ull, 16'384ull, 0xfffffffull})
      for (const uint64_t value : {0ull, 1ull, 127ull, 128ull, 16'383ull, 16'384ull, 0xfffffffull})
        for (const std::string& before : {made::leb(old), made::leb(old, 5)}) {
          const std::string after = parts::lebLike(value, old, before.size());
          QCOMPARE(hexDigits(parts::lebLike(old, value, after.size())), hexDigits(before));
        }
  }

  void segmentsHaveAddressAndLength_data() {
    QTest::addColumn<qulonglong>("address");
    QTest::addColumn<std::string>("bytes");
    for (const qulonglong address : {0ull, 63ull, 64ull, 1'024ull, 0x7fffffffull, 0x80000000ull, 0xffffffffull})
      QTest::addRow("0x%llx", address) << address << std::string("data");
    QTest::newRow("no bytes") << 1'024ull << std::string();
    QTest::newRow("128 bytes") << 1'024ull << std::string(128, 'x');
  }
  void segmentsHaveAddressAndLength() {
    QFETCH(qulonglong, address);
    QFETCH(std::string, bytes);
    QCOMPARE(hexDigits(parts::segmentText(address, bytes)),
             hexDigits(made::dataAt(static_cast<uint32_t>(address), bytes)));
  }

  void memoryIsSplitAtZeros_data() {
    QTest::addColumn<std::string>("memory"); // . is a zero
    QTest::addColumn<qulonglong>("most");
    QTest::addColumn<std::string>("ranges");
    const auto row = [](const char* name, const char* memory, qulonglong most, const char* ranges) {
      QTest::newRow(name) << std::string(memory) << most << std::string(ranges);
    };
    row("nothing", "", 10, "");
    row("only zeros", "............", 10, "");
    row("no zeros", "abc", 10, "0+3");
    row("8 zeros stay", "a........b", 10, "0+10");
    row("9 zeros do not", "a.........b", 10, "0+1 10+1");
    row("zeros at both ends", ".a..b....", 10, "1+4");
    row("three ranges", "a.........b..........c", 10, "0+1 10+1 21+1");
    row("only two: the longest gap", "a.........b..........c", 2, "0+11 21+1");
    row("only two: the first of equal gaps", "a.........b.........c", 2, "0+1 10+11");
    row("only one", "a.........b..........c...........", 1, "0+22");
    row("none", "a.........b", 0, "");
    row("as many as there are", "a.........b", 2, "0+1 10+1");
  }
  void memoryIsSplitAtZeros() {
    QFETCH(std::string, memory);
    QFETCH(qulonglong, most);
    QFETCH(std::string, ranges);
    std::replace(memory.begin(), memory.end(), '.', '\0');
    NullMonitor monitor;
    const auto found = parts::splitAtZeros(memory, most, monitor);
    QVERIFY(found);
    QCOMPARE(textOf(*found), ranges);
  }
  void splittingCanBeCancelled() {
    test::StopAfter stop(0);
    const auto found = parts::splitAtZeros(std::string((1 << 20) + 2, 'x') + std::string(1, '\0'), 10, stop);
    QVERIFY(!found);
    QCOMPARE(int(found.error().code()), int(ErrorCode::Cancelled));
  }

  void instructionsThatNameSegmentsAreFound_data() {
    QTest::addColumn<std::string>("code");
    QTest::addColumn<bool>("names");
    const auto row = [](const char* name, const std::string& code, bool names) {
      QTest::newRow(name) << code << names;
    };
    row("none", "\x01\x02", false);
    row("memory.init", "\xfc\x08", true);
    row("data.drop", "\xfc\x09", true);
    row("memory.copy", "\xfc\x0a", false);
    row("array.new_data", "\xfb\x09", true);
    row("array.init_data", "\xfb\x12", true);
    row("array.new", "\xfb\x06", false);
    row("a padded number", "\xfc\x88\x80\x80\x80" + std::string(1, '\0'), true);
    row("a number of more than 5 bytes", "\xfc\x88\x80\x80\x80\x80" + std::string(1, '\0'), false);
    row("the number is cut off", "\x01\xfc", false);
    row("a padded number is cut off", "\xfc\x88", false);
  }
  void instructionsThatNameSegmentsAreFound() {
    QFETCH(std::string, code);
    QFETCH(bool, names);
    // After the code follow bytes that would complete an instruction.
    const auto module = moduleWith(made::module({made::section(10, code), made::custom("\x08", "\x08")}));
    NullMonitor monitor;
    const auto found = parts::namesSegments(module, monitor);
    QVERIFY(found);
    QCOMPARE(*found, names);
  }
  void aModuleWithoutCodeNamesNoSegments() {
    NullMonitor monitor;
    const auto found = parts::namesSegments(moduleWith(made::module({made::custom("x", "\xfc\x08")})), monitor);
    QVERIFY(found);
    QVERIFY(!*found);
  }

  void placesOfSectionsIncludeTheirHeaders() {
    const std::string padded = made::byte(11) + made::leb(1, 5) + made::leb(0);
    const std::string custom = made::custom("name", "abc");
    const auto module = moduleWith(made::module({custom, padded}));
    const auto first = parts::placeAt(module, 0), second = parts::placeOf(module, 11);
    QVERIFY(first && second);
    QCOMPARE(first->start, uint64_t(8));
    QCOMPARE(textOf({first->sizePlace(), first->body, first->content}), std::string("9+1 10+8 15+3"));
    QCOMPARE(second->start, uint64_t(8 + custom.size()));
    QCOMPARE(textOf({second->sizePlace(), second->body, second->content}), std::string("19+5 24+1 24+1"));
    QVERIFY(!parts::placeOf(module, 10));
  }
  void aSectionThatIsCutOffHasNoPlace() {
    const std::string whole = made::module({made::custom("name", "abc")});
    for (std::size_t size = 10; size < whole.size(); ++size) {
      const auto module = moduleWith(whole.substr(0, size));
      for (std::size_t i = 0; i < module.sections.size(); ++i)
        QVERIFY2(!parts::placeAt(module, i), std::to_string(size).c_str());
    }
  }
};

BLOBSCOPE_TEST(TestWasmParts);

#include "test_wasm_parts.moc"
