#include "core/container/wasm/wasm_memory.h"

#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/number_at.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/wasm_builder.h"

using namespace blobscope;
using namespace blobscope::test;
using container::WasmMemory;
using container::wasm::MemoryView;
namespace wasm = blobscope::test::wasm;

namespace {

/// A module with one page of memory and these data segments.
std::string linked(const std::vector<std::string>& data, uint64_t pages = 1) {
  return wasm::module({wasm::section(5, wasm::list({wasm::memory(pages)})),
                       wasm::section(6, wasm::list({wasm::global(0)})), wasm::section(11, wasm::list(data))});
}

/// A blob header and as many bytes as given.
std::string headerAnd(uint64_t declared, const std::string& bytes) {
  return ByteBuilder().u64(declared).raw(bytes).take();
}

struct Read {
  Bytes file;
  std::optional<MemoryView> view;
  std::vector<Diagnostic> diagnostics;
};

Read read(const std::string& text, uint64_t memoryBytes = uint64_t{1} << 30) {
  Read out;
  const auto owner = source(text);
  out.file = {owner, owner->view(), 0};
  NullMonitor monitor;
  auto module = container::wasm::readModule(out.file, monitor);
  if (!module) return out;
  auto view = MemoryView::read(*module, std::make_shared<Budget>(memoryBytes, memoryBytes), monitor, out.diagnostics);
  if (view) out.view = std::move(*view);
  return out;
}

/// "0x400+5 in the file 'abcde'; global 0+0x0 rebuilt …": one part after the other.
std::string partsText(const Read& found) {
  if (!found.view) return "not read";
  std::string out;
  for (const WasmMemory& part : found.view->parts()) {
    const std::string place = part.place == WasmMemory::Place::Address ? hexText(part.base)
                              : part.place == WasmMemory::Place::Global
                                  ? "global " + std::to_string(part.global) + "+" + hexText(part.base)
                                  : "somewhere";
    out += (out.empty() ? "" : "; ") + place + (part.bytes.offset() ? " in the file '" : " rebuilt '") +
           escaped(part.bytes.view()) + "'";
  }
  return out;
}

} // namespace

class TestWasmMemory : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void segmentsBecomeParts_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("parts");
    const auto row = [](const char* name, const std::vector<std::string>& data, const std::string& parts) {
      QTest::newRow(name) << linked(data) << parts;
    };
    row("no data", {}, "");
    row("an empty segment", {wasm::dataAt(8, "")}, "");
    row("one segment", {wasm::dataAt(8, "abc")}, "0x8 in the file 'abc'");
    row("two that touch", {wasm::dataAt(8, "abc"), wasm::dataAt(11, "de")}, "0x8 rebuilt 'abcde'");
    row("a gap becomes zeros", {wasm::dataAt(8, "abc"), wasm::dataAt(13, "de")}, "0x8 rebuilt 'abc\\x00\\x00de'");
    row("in another order", {wasm::dataAt(11, "de"), wasm::dataAt(8, "abc")}, "0x8 rebuilt 'abcde'");
    row("the later of two that overlap wins", {wasm::dataAt(8, "abc"), wasm::dataAt(9, "XY")}, "0x8 rebuilt 'aXY'");
    row("passive", {wasm::passive("abc")}, "somewhere in the file 'abc'");
    row("at a global whose value is in the file", {wasm::dataBy(wasm::globalGet(0), "abc")}, "0x0 in the file 'abc'");
    row("at a product", {wasm::dataBy(wasm::i32(1) + wasm::i32(2) + "\x6c", "abc")}, "0x2 in the file 'abc'");
    row("addresses come first", {wasm::passive("p"), wasm::dataAt(8, "a")},
        "0x8 in the file 'a'; somewhere in the file 'p'");
  }
  void segmentsBecomeParts() {
    QFETCH(std::string, file);
    QFETCH(std::string, parts);
    const Read found = read(file);
    QCOMPARE(partsText(found), parts);
    QVERIFY(found.diagnostics.empty());
  }

  /// Without room for the rebuilt memory, each segment is a part of its own, and that is reported.
  void memoryLimitKeepsTheSegments_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<qulonglong>("memory");
    QTest::newRow("above the budget") << linked({wasm::dataAt(0, "abc"), wasm::dataAt(1000, "de")}) << 1'001ULL;
    QTest::newRow("above the largest memory")
        << linked({wasm::dataAt(0, "abc"), wasm::dataAt(0x7fffffff, "de")}) << (1ULL << 40);
  }
  void memoryLimitKeepsTheSegments() {
    QFETCH(std::string, file);
    QFETCH(qulonglong, memory);
    const Read found = read(file, memory);
    QVERIFY(found.view);
    QCOMPARE(found.view->parts().size(), std::size_t{2});
    QCOMPARE(found.view->parts()[0].bytes.view(), std::string_view("abc"));
    QCOMPARE(found.view->parts()[1].bytes.view(), std::string_view("de"));
    QCOMPARE(found.diagnostics.size(), std::size_t{1});
    QCOMPARE(found.diagnostics[0].id, DiagnosticId::FileLimit);
  }

  void addressesAreFound_data() {
    QTest::addColumn<qulonglong>("address");
    QTest::addColumn<int>("part"); // -1: none
    QTest::addColumn<qulonglong>("offset");
    QTest::newRow("before everything") << 7ULL << -1 << 0ULL;
    QTest::newRow("first byte") << 8ULL << 0 << 0ULL;
    QTest::newRow("last byte") << 10ULL << 0 << 2ULL;
    QTest::newRow("in the gap") << 11ULL << 0 << 3ULL;
    QTest::newRow("in a segment at a global") << 101ULL << 0 << 93ULL;
    QTest::newRow("after the end") << 103ULL << -1 << 0ULL;
    QTest::newRow("far away") << qulonglong{UINT64_MAX} << -1 << 0ULL;
  }
  void addressesAreFound() {
    QFETCH(qulonglong, address);
    QFETCH(int, part);
    QFETCH(qulonglong, offset);
    const Read found =
        read(linked({wasm::dataAt(8, "abc"), wasm::dataBy(wasm::globalGet(0) + wasm::i32(100) + wasm::kAdd, "xyz")}));
    QVERIFY(found.view);
    const auto position = found.view->find(address);
    QCOMPARE(position.has_value(), part >= 0);
    if (!position) return;
    QCOMPARE(position->part, static_cast<std::size_t>(part));
    QCOMPARE(position->offset, uint64_t{offset});
    QCOMPARE(found.view->addressOf(*position), uint64_t{address});
  }

  /// Zeros that the linker omitted at the end count, as far as the memory of the module reaches.
  void numbersMayEndInOmittedZeros_data() {
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<qulonglong>("number");
    QTest::newRow("whole") << 0ULL << 0x0807060504030201ULL;
    QTest::newRow("half") << 4ULL << 0x08070605ULL;
    QTest::newRow("at the end") << 8ULL << 0ULL;
    QTest::newRow("beyond") << 1'000'000ULL << 0ULL;
  }
  void numbersMayEndInOmittedZeros() {
    QFETCH(qulonglong, offset);
    QFETCH(qulonglong, number);
    const Read found = read(linked({wasm::dataAt(8, "\1\2\3\4\5\6\7\x08")}));
    QVERIFY(found.view);
    QCOMPARE(found.view->numberAt(0, offset), uint64_t{number});
    QCOMPARE(found.view->reachOf(0), uint64_t{65'536 - 8});
  }

  void blobsMustFit_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<bool>("holds");
    QTest::addColumn<std::string>("available"); // the beginning
    const auto row = [](const char* name, const std::string& file, bool holds, const std::string& available) {
      QTest::newRow(name) << file << holds << available;
    };
    const std::string twelve = headerAnd(12, "abcdefghijkl"), cut = headerAnd(12, "abcdefgh");
    row("whole", linked({wasm::dataAt(8, twelve)}), true, twelve);
    row("zeros at its end were omitted", linked({wasm::dataAt(8, cut)}), true, cut + std::string(4, '\0'));
    row("no memory for the zeros", linked({wasm::dataAt(65'536 - 16, cut)}), false, cut);
    row("shorter than any blob", linked({wasm::dataAt(8, headerAnd(7, "abcdefgh"))}), false, headerAnd(7, "abcdefg"));
    row("longer than the memory", linked({wasm::dataAt(8, headerAnd(65'536, "abcdefgh"))}), false,
        headerAnd(65'536, "abcdefgh"));
    row("a length that wraps", linked({wasm::dataAt(8, headerAnd(UINT64_MAX, "abcdefgh"))}), false,
        headerAnd(UINT64_MAX, "abcdefgh"));
  }
  void blobsMustFit() {
    QFETCH(std::string, file);
    QFETCH(bool, holds);
    QFETCH(std::string, available);
    Read found = read(file);
    QVERIFY(found.view);
    const MemoryView::Position first{0, 0};
    QCOMPARE(found.view->holdsBlob(first), holds);
    NullMonitor monitor;
    const Bytes bytes = found.view->availableAt(first, monitor);
    QVERIFY2(bytes.view().starts_with(available), escaped(bytes.view()).c_str());
    if (holds) QCOMPARE(found.view->blobAt(first, monitor).view(), std::string_view(available));
  }

  /// A blob that one segment contains unchanged keeps its place in the file, although the memory is rebuilt.
  void blobInOneSegmentKeepsItsPlace() {
    const std::string blob = headerAnd(12, "abcdefghijkl");
    Read found = read(linked({wasm::dataAt(8, blob), wasm::dataAt(100, "more")}));
    QVERIFY(found.view);
    QVERIFY(!found.view->parts()[0].bytes.offset());
    NullMonitor monitor;
    const Bytes bytes = found.view->blobAt({0, 0}, monitor);
    QVERIFY(bytes.offset());
    QCOMPARE(found.file.slice(*bytes.offset(), bytes.size()).view(), std::string_view(blob));
    // Where another segment overlaps it, the bytes of the memory count.
    found = read(linked({wasm::dataAt(8, blob), wasm::dataAt(16, "AB")}));
    QVERIFY(found.view);
    QVERIFY(!found.view->blobAt({0, 0}, monitor).offset());
    QCOMPARE(found.view->blobAt({0, 0}, monitor).slice(8).view(), std::string_view("ABcdefghijkl"));
  }
};

BLOBSCOPE_TEST(TestWasmMemory);

#include "test_wasm_memory.moc"
