#include "core/write/macho/fixups.h"

#include "core/container/number_at.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/macho_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <map>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::container::macho;

namespace {

/// __TEXT with the blob, __DATA with pointers, which has more memory than bytes, and __LINKEDIT with the fixups.
constexpr uint64_t kImageBase = 0x1'0000'0000, kData = 0x1000, kDataSize = 0x2000, kLinkedit = 0x3000, kBss = 0x1000;
constexpr Extent kBlobPlace{kImageBase + 0x200, 0x100};

struct FixupsFile {
  std::string table;
  Role role = Role::Rebases;
  std::map<uint64_t, uint64_t> pointers; ///< by their offset in __DATA
  uint32_t cpuType = CPU_TYPE_ARM64, cpuSubtype = 0;
  Extent blob = kBlobPlace;

  container::macho::File file() const {
    std::string text(kLinkedit, '\0');
    for (const auto& [offset, value] : pointers) text = patched(std::move(text), kData + offset, value);
    text += table;
    container::macho::File out;
    out.bytes = bytes(text);
    out.is64 = true;
    out.cpuType = cpuType;
    out.cpuSubtype = cpuSubtype;
    const auto segment = [&](std::string_view name, uint64_t offset, uint64_t size, uint64_t more) {
      Segment one;
      one.is64 = true;
      one.name = name;
      one.address = kImageBase + offset;
      one.memorySize = size + more;
      one.file = {offset, size};
      out.segments.push_back(one);
    };
    segment("__TEXT", 0, kData, 0);
    segment("__DATA", kData, kDataSize, kBss);
    segment("__LINKEDIT", kLinkedit, table.size(), 0);
    out.tables.push_back({0, role, 0, {kLinkedit, table.size()}});
    return out;
  }

  Result<write::References> find(Monitor& monitor) const {
    return write::macho::findReferences(file(), library::Package(), blob, kImageBase, monitor);
  }
  /// "2 from 0x1008", offsets counted from the header; or the id of the error.
  std::string found() const {
    NullMonitor monitor;
    const auto references = find(monitor);
    if (!references) return std::string(references.error().diagnostic().idText());
    if (references->count == 0) return "none";
    return std::to_string(references->count) + " from " + hexText(references->firstAddress - kImageBase);
  }
};

// Opcodes of rebases. Source: Apple mach-o/loader.h.
std::string opcode(unsigned byte) { return std::string(1, static_cast<char>(byte)); }
const std::string kType = opcode(0x11), kDone = opcode(0);
std::string place(unsigned segment, uint64_t offset) { return opcode(0x20 | segment) + uleb(offset); }
std::string once() { return opcode(0x51); }

/// Chained fixups of a file with three segments. Source: Apple mach-o/fixup-chains.h.
struct FixupChains {
  uint64_t version = 0, starts = 28, count = 3, imports = 0, symbols = 0;
  uint64_t dataInfo = 16; ///< from `starts`; 0: __DATA has none
  uint64_t lastInfo = 0;  ///< of __LINKEDIT
  uint64_t gap = 0;       ///< zeros behind the list
  uint64_t pageSize = 0x1000;
  uint64_t format = 6;      ///< DYLD_CHAINED_PTR_64_OFFSET
  uint64_t address = kData; ///< of __DATA, from the header
  std::vector<uint64_t> pages = {0, 0xffff};
  std::optional<uint64_t> pageCount = {};

  std::string text() const {
    const uint64_t info = starts + dataInfo + gap, end = info + 22 + 2 * pages.size();
    OrderedBytes out(false, true);
    out.u32(version).u32(starts).u32(imports ? imports : end).u32(symbols ? symbols : end).u32(0).u32(1).u32(0);
    out.u32(count).u32(0).u32(dataInfo ? dataInfo + gap : 0).u32(lastInfo);
    out.bytes += std::string(gap, '\0');
    out.u32(22 + 2 * pages.size()).number(pageSize, 2).number(format, 2).number(address, 8).u32(0);
    out.number(pageCount.value_or(pages.size()), 2);
    for (const uint64_t page : pages) out.number(page, 2);
    return out.bytes;
  }
};

FixupsFile chained(const FixupChains& chains, std::map<uint64_t, uint64_t> pointers) {
  return {chains.text(), Role::ChainedFixups, std::move(pointers)};
}

/// What addSegmentToFixups() makes of a table: the id of the error, or how many bytes it has more.
Result<std::string> withSegment(const std::string& text) {
  const container::macho::File file = FixupsFile{text, Role::ChainedFixups, {}}.file();
  return write::macho::addSegmentToFixups(file, file.tables[0]);
}

} // namespace

class TestMachOFixups : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void rebaseOpcodesAreFollowed_data();
  void rebaseOpcodesAreFollowed();
  void truncatedOpcodesFindNothingElse();
  void chainsAreFollowed_data();
  void chainsAreFollowed();
  void truncatedChainsFindNothing();
  void relocationsAreRefused();
  void opcodesOfArm64eAreRefused();
  void segmentIsAdded_data();
  void segmentIsAdded();
  void otherTablesAreRefused_data();
  void otherTablesAreRefused();
  void truncatedTablesAreRefused();
  void searchCanBeCancelled();
};

void TestMachOFixups::rebaseOpcodesAreFollowed_data() {
  QTest::addColumn<FixupsFile>("fixture");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, std::string opcodes, std::map<uint64_t, uint64_t> pointers,
                      std::string expected) {
    QTest::newRow(name) << FixupsFile{std::move(opcodes), Role::Rebases, std::move(pointers)} << std::move(expected);
  };
  const uint64_t blob = kBlobPlace.offset, last = kBlobPlace.end() - 1, behind = kBlobPlace.end();
  row("nothing to do", kDone, {}, "none");
  row("a pointer to the first byte", kType + place(1, 8) + once() + kDone, {{8, blob}}, "1 from 0x1008");
  row("a pointer to the last byte", kType + place(1, 8) + once() + kDone, {{8, last}}, "1 from 0x1008");
  row("a pointer behind it", kType + place(1, 8) + once() + kDone, {{8, behind}}, "none");
  row("a pointer in front of it", kType + place(1, 8) + once() + kDone, {{8, blob - 1}}, "none");
  row("a word that is not afterSave is not a pointer", kType + place(1, 0) + once() + kDone, {{8, blob}}, "none");
  row("what comes after the end is not read", kDone + place(1, 8) + once(), {{8, blob}}, "none");
  row("without an end", place(1, 8) + once(), {{8, blob}}, "1 from 0x1008");
  row("a pointer inside of the blob, wherever it leads", place(0, 0x200) + once(), {}, "1 from 0x200");
  row("several in a row", place(1, 0) + opcode(0x53), {{0, blob}, {8, behind}, {16, last}}, "2 from 0x1000");
  row("several in a row by number", place(1, 0) + opcode(0x60) + uleb(3), {{0, blob}, {8, behind}, {16, last}},
      "2 from 0x1000");
  row("advancing by a number", place(1, 0) + opcode(0x30) + uleb(0x108) + once(), {{0x108, blob}}, "1 from 0x1108");
  row("advancing backwards modulo 2^64", place(1, 16) + opcode(0x30) + uleb(UINT64_MAX - 7) + once(), {{8, blob}},
      "1 from 0x1008");
  row("advancing by words", place(1, 0) + opcode(0x43) + once(), {{24, blob}}, "1 from 0x1018");
  row("one, then advancing", place(1, 0) + opcode(0x70) + uleb(8) + once(), {{0, blob}, {16, blob}}, "2 from 0x1000");
  row("several with gaps", place(1, 0) + opcode(0x80) + uleb(3) + uleb(8), {{0, blob}, {16, blob}, {32, blob}},
      "3 from 0x1000");
  row("the last word of the segment", place(1, kDataSize - 8) + once(), {{kDataSize - 8, blob}}, "1 from 0x2ff8");
  row("memory without bytes has no pointer", place(1, kDataSize) + once(), {}, "none");
  row("the last word of memory", place(1, kDataSize + kBss - 8) + once(), {}, "none");
  row("past the segment's memory", place(1, kDataSize + kBss - 7) + once(), {}, "REP-FIXUPS");
  row("an offset that wraps", place(1, UINT64_MAX - 3) + once(), {}, "REP-FIXUPS");
  row("a segment that does not exist", place(3, 0) + once(), {}, "REP-FIXUPS");
  row("pointers without a segment", once(), {}, "REP-FIXUPS");
  row("no pointers without a segment", opcode(0x50), {}, "none");
  row("pointers of 32-bit code", opcode(0x12), {}, "REP-FIXUPS");
  row("an opcode that does not exist", opcode(0x90), {}, "REP-FIXUPS");
  row("more pointers than the file can have", place(1, 0) + opcode(0x60) + uleb(uint64_t{1} << 40), {}, "REP-FIXUPS");
  row("a number that does not end", place(1, 0) + opcode(0x60) + "\x80", {}, "REP-FIXUPS");
  row("a number of more than 64 bits", opcode(0x30) + std::string(10, '\xff') + "\x7f", {}, "REP-FIXUPS");
}

void TestMachOFixups::rebaseOpcodesAreFollowed() {
  QFETCH(FixupsFile, fixture);
  QFETCH(std::string, expected);
  QCOMPARE(fixture.found(), expected);
}

void TestMachOFixups::truncatedOpcodesFindNothingElse() {
  const std::string whole =
      kType + place(1, 0x100) + opcode(0x70) + uleb(0x80) + opcode(0x80) + uleb(2) + uleb(0x88) + kDone;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string found = FixupsFile{whole.substr(0, size), Role::Rebases, {{0x100, kBlobPlace.offset}}}.found();
    QVERIFY2(found == "none" || found == "1 from 0x1100" || found == "REP-FIXUPS", found.c_str());
  }
}

void TestMachOFixups::chainsAreFollowed_data() {
  QTest::addColumn<FixupsFile>("fixture");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, const FixupChains& chains, std::map<uint64_t, uint64_t> pointers,
                      std::string expected) {
    QTest::newRow(name) << chained(chains, std::move(pointers)) << std::move(expected);
  };
  const auto with = [](auto change) {
    FixupChains chains;
    change(chains);
    return chains;
  };
  const auto format = [&](uint64_t number) { return with([&](FixupChains& chains) { chains.format = number; }); };
  const uint64_t offset = kBlobPlace.offset - kImageBase, bound = uint64_t{1} << 63;
  const auto next = [](uint64_t steps) { return steps << 51; };
  row("a chain of one", {}, {{0, offset}}, "1 from 0x1000");
  row("a pointer that leads elsewhere", {}, {{0, 0x100}}, "none");
  row("a pointer behind the blob", {}, {{0, offset + kBlobPlace.size}}, "none");
  row("a chain of three", {}, {{0, offset | next(2)}, {8, 0x100 | next(4)}, {24, offset}}, "2 from 0x1000");
  row("a word that is not in the chain", {}, {{0, 0x100}, {8, offset}}, "none");
  row("a chain that begins within its page", with([](FixupChains& chains) { chains.pages = {0x10, 0xffff}; }),
      {{0x10, offset}}, "1 from 0x1010");
  row("a chain of the second page", with([](FixupChains& chains) { chains.pages = {0xffff, 8}; }), {{0x1008, offset}},
      "1 from 0x2008");
  row("segments without fixups", with([](FixupChains& chains) { chains.dataInfo = 0; }), {{0, offset}}, "none");
  row("no pages", with([](FixupChains& chains) { chains.pages = {}; }), {{0, offset}}, "none");
  row("what is bound by name leads nowhere", {}, {{0, offset | bound}}, "none");
  row("the highest bits are not part of the address", {}, {{0, offset | uint64_t{0xff} << 36}}, "1 from 0x1000");
  row("addresses that count from 0", format(2), {{0, kBlobPlace.offset}}, "1 from 0x1000");
  row("addresses that count from 0 are not offsets", format(2), {{0, offset}}, "none");
  row("arm64e: an address", format(1), {{0, kBlobPlace.offset}}, "1 from 0x1000");
  row("arm64e: a signed pointer is an offset", format(1), {{0, offset | bound}}, "1 from 0x1000");
  row("arm64e: bound, signed or not", format(1), {{0, offset | uint64_t{1} << 62 | next(1)}, {8, offset | 3ull << 62}},
      "none");
  row("arm64e: steps of 8 bytes", format(1), {{0, 0x100 | next(2)}, {16, kBlobPlace.offset}}, "1 from 0x1010");
  row("arm64e for programs: an offset", format(9), {{0, offset}}, "1 from 0x1000");
  row("arm64e for programs with 24 bits: an offset", format(12), {{0, offset}}, "1 from 0x1000");
  row("pointers of an unknown form", format(3), {{0, offset}}, "REP-FIXUPS");
  row("more segments than the file has", with([](FixupChains& chains) { chains.count = 4; }), {}, "REP-FIXUPS");
  row("another address for the segment", with([](FixupChains& chains) { chains.address = 0x4000; }), {}, "REP-FIXUPS");
  row("small pages", with([](FixupChains& chains) { chains.pageSize = 0x800; }), {}, "REP-FIXUPS");
  row("more pages than there are bytes", with([](FixupChains& chains) { chains.pageCount = 3; }), {}, "REP-FIXUPS");
  row("a page with several chains", with([](FixupChains& chains) { chains.pages = {0x8000, 0xffff}; }), {},
      "REP-FIXUPS");
  row("a chain leaves its page", {}, {{0, next(0xfff)}}, "REP-FIXUPS");
  row("a chain begins outside of its page", with([](FixupChains& chains) { chains.pages = {0xffd, 0xffff}; }), {},
      "REP-FIXUPS");
  row("a page outside of the segment", with([](FixupChains& chains) { chains.pages = {0xffff, 0xffff, 0}; }), {},
      "REP-FIXUPS");
}

void TestMachOFixups::chainsAreFollowed() {
  QFETCH(FixupsFile, fixture);
  QFETCH(std::string, expected);
  QCOMPARE(fixture.found(), expected);
}

/// What is cut off is refused, or the tables that were lost are not read; never more is found than there is.
void TestMachOFixups::truncatedChainsFindNothing() {
  const std::string whole = FixupChains().text();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string found =
        FixupsFile{whole.substr(0, size), Role::ChainedFixups, {{0, kBlobPlace.offset - kImageBase}}}.found();
    QVERIFY2(found == "none" || found == "REP-FIXUPS", found.c_str());
  }
}

void TestMachOFixups::relocationsAreRefused() {
  QCOMPARE((FixupsFile{std::string(8, '\0'), Role::Relocations, {}}.found()), std::string("REP-SHAPE"));
  QCOMPARE((FixupsFile{"", Role::Relocations, {}}.found()), std::string("none"));
}

void TestMachOFixups::opcodesOfArm64eAreRefused() {
  FixupsFile fixture{kDone, Role::Rebases, {}};
  QCOMPARE(fixture.found(), std::string("none"));
  fixture.cpuSubtype = CPU_SUBTYPE_ARM64E | 0x80000000; // with the capability bits that linkers set
  QCOMPARE(fixture.found(), std::string("REP-FIXUPS"));
  fixture.table.clear(); // binding opcodes alone make such a table, too
  QCOMPARE(fixture.found(), std::string("REP-FIXUPS"));
  fixture.cpuType = CPU_TYPE_X86_64;
  QCOMPARE(fixture.found(), std::string("none"));
}

void TestMachOFixups::segmentIsAdded_data() {
  QTest::addColumn<FixupChains>("chains");
  QTest::addColumn<uint64_t>("more");
  QTest::newRow("what follows moves") << FixupChains() << uint64_t{8};
  QTest::newRow("free bytes are taken") << FixupChains{.gap = 4} << uint64_t{0};
  QTest::newRow("more free bytes") << FixupChains{.gap = 12} << uint64_t{0};
  QTest::newRow("too few free bytes") << FixupChains{.gap = 3} << uint64_t{8};
  QTest::newRow("no segment has fixups") << FixupChains{.imports = 64, .symbols = 64, .dataInfo = 0} << uint64_t{8};
}

void TestMachOFixups::segmentIsAdded() {
  QFETCH(FixupChains, chains);
  QFETCH(uint64_t, more);
  const std::string before = chains.text();
  const auto made = withSegment(before);
  QVERIFY(made);
  QCOMPARE(uint64_t{made->size()}, before.size() + more);
  const auto number = [](const std::string& text, std::size_t at) { return container::numberAt<uint32_t>(text, at); };
  QCOMPARE(number(*made, 28), 4u);
  QCOMPARE(number(*made, 8), number(before, 8) + more);
  QCOMPARE(number(*made, 12), number(before, 12) + more);
  QCOMPARE(number(*made, 32), 0u);
  QCOMPARE(number(*made, 36), chains.dataInfo ? number(before, 36) + static_cast<uint32_t>(more) : 0u);
  QCOMPARE(number(*made, 40), 0u);
  QCOMPARE(number(*made, 44), 0u); // the new last one
  // Everything that the offsets lead to is there as before.
  if (chains.dataInfo) QCOMPARE(made->substr(28 + number(*made, 36)), before.substr(28 + number(before, 36)));
}

void TestMachOFixups::otherTablesAreRefused_data() {
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, const FixupChains& chains) { QTest::newRow(name) << chains.text(); };
  row("another version", {.version = 1});
  row("the starts lie in the header", {.starts = 24});
  row("another number of segments", {.count = 2});
  row("the last segment has fixups", {.lastInfo = 16});
  row("imports in front of the list", {.imports = 28});
  row("symbols in front of the list", {.symbols = 28});
  row("a segment's fixups in its list", {.dataInfo = 12});
  row("a segment's fixups behind the end", {.dataInfo = 0x1000});
  QTest::newRow("shorter than its header") << FixupChains().text().substr(0, 27);
  QTest::newRow("its list is cut off") << FixupChains().text().substr(0, 43);
}

void TestMachOFixups::otherTablesAreRefused() {
  QFETCH(std::string, text);
  const auto made = withSegment(text);
  QVERIFY(!made);
  QCOMPARE(std::string(made.error().diagnostic().idText()), std::string("REP-FIXUPS"));
}

void TestMachOFixups::truncatedTablesAreRefused() {
  const std::string whole = FixupChains().text();
  // Up to the end of the list nothing can be added; behind it only what the list leads to has to be there.
  for (std::size_t size = 1; size < whole.size(); ++size)
    QCOMPARE(withSegment(whole.substr(0, size)).hasValue(), size > 44);
}

void TestMachOFixups::searchCanBeCancelled() {
  // More pointers than are followed without a look at the monitor.
  FixupsFile fixture{place(1, 0) + opcode(0x80) + uleb(5'000) + uleb(UINT64_MAX - 7) + kDone, Role::Rebases, {}};
  fixture.table += std::string(0x4000, '\0');
  NullMonitor none;
  QVERIFY(fixture.find(none));
  StopAfter monitor(0);
  const auto references = fixture.find(monitor);
  QVERIFY(!references);
  QCOMPARE(references.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestMachOFixups);
#include "test_macho_fixups.moc"
