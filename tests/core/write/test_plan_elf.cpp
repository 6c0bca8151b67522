#include "core/container/number_at.h"
#include "core/write/plan.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/core/write/elf_image.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <functional>
#include <set>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using write::Part;
using write::Plan;
using ElfChange = std::function<void(ElfImage&)>;
Q_DECLARE_METATYPE(ElfChange)

namespace {

/// A whole blob of that size, filled from `seed`.
std::string blobOf(uint64_t size, char seed) {
  const std::string stream = classicBlob({{"_lib", ""}}, std::vector<std::vector<uint64_t>>(1)).substr(8);
  std::string out = withHeader(stream + std::string(size - 8 - stream.size(), seed));
  for (std::size_t i = 8 + stream.size(); i < out.size(); i += 7) out[i] = static_cast<char>(seed + i);
  return out;
}

write::NewBlob replacement(std::string_view blob) {
  // In pieces, as the encoder returns it.
  return {{bytes(blob.substr(0, 8)), bytes(blob.substr(8))}, blob.size()};
}

Result<Plan> planFor(std::string_view file, const write::NewBlob& blob, write::PlanOptions options = {}) {
  const auto package = openBytes(file);
  if (!package || (*package)->blobs.empty()) qFatal("no blob in the made file");
  NullMonitor monitor;
  return write::planElf({**package, *(*package)->blobs[0], blob, options, monitor});
}

std::string assembled(std::string_view file, const Plan& plan) {
  NullMonitor monitor;
  const auto output = write::assemble(plan, bytes(file), monitor);
  if (!output) qFatal("a plan that cannot be carried out");
  return std::string(output->view());
}

struct Edited {
  std::string strategy, file;
};

/// The file with another blob; "" and the id of the error when refused.
Edited edit(std::string_view file, std::string_view blob, write::PlanOptions options = {}) {
  auto plan = planFor(file, replacement(blob), options);
  if (!plan) return {std::string(plan.error().diagnostic().idText()), ""};
  return {write::strategyName(*plan), assembled(file, *plan)};
}

std::string ids(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += (out.empty() ? "" : " ") + std::string(diagnostic.idText());
  return out;
}

uint64_t sum(const std::vector<write::PlanRange>& ranges) {
  uint64_t size = 0;
  for (const write::PlanRange& each : ranges) size += each.size;
  return size;
}

/// Checks the mapped segments against the rules of loaders. Empty when they follow them.
std::string brokenRules(std::string_view file) {
  const bool is64 = file[4] == 2, big = file[5] == 2;
  const auto number = [&](uint64_t at, unsigned size) { return container::numberAt(file, at, size, big); };
  const unsigned word = is64 ? 8 : 4;
  const uint64_t table = number(is64 ? 32 : 28, word), count = number(is64 ? 56 : 44, 2);
  std::string out;
  uint64_t done = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = table + i * (is64 ? 56 : 32);
    const uint64_t offset = number(at + (is64 ? 8 : 4), word), address = number(at + (is64 ? 16 : 8), word),
                   fileSize = number(at + (is64 ? 32 : 16), word), memorySize = number(at + (is64 ? 40 : 20), word),
                   align = number(at + (is64 ? 48 : 28), word);
    if (number(at, 4) == 6 && (offset != table || fileSize != count * (is64 ? 56 : 32)))
      out += "PT_PHDR is not the table; ";
    if (number(at, 4) != 1) continue;
    if (address < done) out += "not ascending; ";
    if (offset % align != address % align) out += "not congruent; ";
    if (offset + fileSize > file.size()) out += "outside of the file; ";
    done = address + memorySize;
    if (i + 1 == count && offset + fileSize == file.size()) out += "ends with the file; ";
  }
  return out;
}

/// Compares the two files as readers see them. Empty when only the blob differs.
std::string differences(std::string_view before, std::string_view after, std::string_view blob, const Plan& plan) {
  const auto one = openBytes(before), two = openBytes(after);
  if (!two) return two.error().message();
  const container::Image &was = (*one)->image, &is = (*two)->image;
  std::string out = brokenRules(after);
  if (!is.diagnostics.empty()) out += diagnosticsText(is.diagnostics);
  if ((*two)->blobs.size() != 1 || (*two)->blobs[0]->bytes.view() != blob) out += "another blob; ";
  if ((*two)->blobs[0]->carrier.symbolSize != std::optional<uint64_t>(blob.size())) out += "another symbol size; ";
  if (was.symbols.size() != is.symbols.size()) return out + "other symbols";
  for (std::size_t i = 0; i < was.symbols.size(); ++i) {
    const container::Symbol &a = was.symbols[i], &b = is.symbols[i];
    if (a.name != b.name || a.type != b.type || a.binding != b.binding) out += "another symbol; ";
    const bool moves = a.name == (*one)->blobs[0]->carrier.symbol || a.type == container::SymbolType::Section;
    if (!moves && (a.value != b.value || a.size != b.size)) out += std::string(a.name) + " differs; ";
  }
  const std::set<std::string_view> written = {".dynsym",   ".dynamic",       ".symtab",
                                              ".shstrtab", ".tvm_dev_mblob", ".tvm_phdr"};
  const Extent room{static_cast<uint64_t>((*one)->blobs[0]->bytes.data() - was.file.data()),
                    (*one)->blobs[0]->bytes.size()};
  for (const container::Section& section : was.sections) {
    const container::Section* const other = findSection(is, section.name);
    if (!other)
      out += std::string(section.name) + " is missing; ";
    else if (!written.contains(section.name) && !section.file.contains(room) &&
             was.file.slice(section.file.offset, section.file.size) !=
                 is.file.slice(other->file.offset, other->file.size))
      out += std::string(section.name) + " differs; ";
  }
  // Everything that the plan does not list as changed is unchanged.
  std::vector<Extent> changed;
  for (const write::Change& change : plan.changes) changed.push_back({change.offset, change.size});
  changed.push_back({static_cast<uint64_t>((*two)->blobs[0]->bytes.data() - is.file.data()), blob.size()});
  std::sort(changed.begin(), changed.end(), [](Extent a, Extent b) { return a.offset < b.offset; });
  changed.push_back({after.size(), 0});
  uint64_t done = 0;
  for (const Extent& extent : changed) {
    if (extent.offset < done) out += "changes overlap; ";
    if (extent.offset > done && (done >= before.size() ||
                                 before.substr(done, extent.offset - done) != after.substr(done, extent.offset - done)))
      out += "a change at " + hexText(done) + " is not stated; ";
    done = extent.end();
  }
  if (sum(plan.before) != before.size() || sum(plan.after) != after.size()) out += "the stretches have other sizes; ";
  return out;
}

ElfImage usual() {
  ElfImage image;
  image.blob = blobOf(600, 'o');
  return image;
}

} // namespace

class TestPlanElf : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyStrategyGivesAValidFile_data();
  void everyStrategyGivesAValidFile();
  void filesWithOneSegmentCanGrow_data();
  void filesWithOneSegmentCanGrow();
  void blobAtTheEndOfMemoryIsResizedInPlace_data();
  void blobAtTheEndOfMemoryIsResizedInPlace();
  void blobFollowedByOtherBytesIsNotResized_data();
  void blobFollowedByOtherBytesIsNotResized();
  void objectsAreRewritten();
  void unmovableBlobsAreRefused_data();
  void unmovableBlobsAreRefused();
  void tableMovesOnlyAfterPlausibleMemory_data();
  void tableMovesOnlyAfterPlausibleMemory();
  void referencesToTheBlobAreFound_data();
  void referencesToTheBlobAreFound();
  void bothSymbolTablesAreUpdated();
  void oldBlobCanBeScrubbed();
  void planListsStepsAndConsequences();
  void laterSectionNumbersAreUpdated();
  void bytesAfterTheElfFileAreKept();
  void hugeBlobsAreNotCopied();
  void planningCanBeCancelled();
  void damagedFilesGiveAValidPlanOrARefusal_data();
  void damagedFilesGiveAValidPlanOrARefusal();
};

void TestPlanElf::everyStrategyGivesAValidFile_data() {
  QTest::addColumn<ElfChange>("change");
  QTest::addColumn<std::string>("strategy");
  const auto row = [](const char* name, std::string strategy, ElfChange change) {
    QTest::newRow(name) << change << strategy;
  };
  row("symbol table after the program headers", "append-slide", [](ElfImage&) {});
  row("build id", "append-slide", [](ElfImage& image) { image.buildId = true; });
  row("build id and properties", "append-slide", [](ElfImage& image) { image.buildId = image.property = true; });
  row("all notes", "append-slide", [](ElfImage& image) { image.buildId = image.property = image.otherNote = true; });
  row("with .symtab", "append-slide", [](ElfImage& image) { image.buildId = image.symbols = true; });
  row("with a program header for the table", "append-slide", [](ElfImage& image) { image.tableEntry = true; });
  row("empty entry", "append-null", [](ElfImage& image) { image.nullEntry = true; });
  row("free bytes after the table", "append-spare", [](ElfImage& image) { image.gap = 64; });
  row("free bytes, interpreter", "append-spare", [](ElfImage& image) {
    image.gap = 64;
    image.interpreter = image.tableEntry = true;
  });
  row("interpreter in the way, build id", "append-note",
      [](ElfImage& image) { image.interpreter = image.buildId = true; });
  row("interpreter in the way", "append-phdr", [](ElfImage& image) { image.interpreter = true; });
  row("the same with a program header for the table", "append-phdr",
      [](ElfImage& image) { image.interpreter = image.tableEntry = image.symbols = true; });
  row("notes of several kinds", "append-phdr", [](ElfImage& image) { image.interpreter = image.otherNote = true; });
  row("build id shares its place with properties", "append-phdr",
      [](ElfImage& image) { image.interpreter = image.property = true; });
  row("no section headers, build id", "append-note", [](ElfImage& image) {
    image.sections = false;
    image.buildId = true;
  });
  row("no section headers", "append-phdr", [](ElfImage& image) { image.sections = false; });
  row("no section headers, free bytes", "append-phdr", [](ElfImage& image) {
    image.sections = false;
    image.gap = 64; // nothing shows that they are free
  });
  row("linked to an address", "append-slide", [](ElfImage& image) { image.base = 0x400000; });
  row("linked to an address, table moves", "append-phdr", [](ElfImage& image) {
    image.base = 0x400000;
    image.interpreter = true;
  });
  row("large .bss, table moves", "append-phdr", [](ElfImage& image) {
    image.bss = 0x20000;
    image.interpreter = true;
  });
  row("other spelling with prefix", "append-slide",
      [](ElfImage& image) { image.symbol = "my_model___tvm_ffi__library_bin"; });
  row("relocations elsewhere", "append-slide",
      [](ElfImage& image) { image.relocations = {{0, 0x40}, {1, 0}, {2, 8}}; });
  row("without type", "append-slide", [](ElfImage& image) { image.symbolInfo = 1 << 4; });
}

/// Every way to grow, in both classes and byte orders: the result is valid, can be edited again, and two ways to the
/// same blob give the same file.
void TestPlanElf::everyStrategyGivesAValidFile() {
  QFETCH(ElfChange, change);
  QFETCH(std::string, strategy);
  for (const bool is64 : {true, false})
    for (const bool bigEndian : {false, true}) {
      ElfImage image = usual();
      image.is64 = is64;
      image.bigEndian = bigEndian;
      image.machine = is64 ? (bigEndian ? 21 : 62) : (bigEndian ? 20 : 40);
      image.page = bigEndian ? 0x10000 : 0x1000;
      change(image);
      const std::string file = image.build();
      const std::string large = blobOf(5001, 'a'), larger = blobOf(70'000, 'b'), small = blobOf(300, 'c'),
                        same = blobOf(600, 'd');

      const auto first = planFor(file, replacement(large));
      QVERIFY2(first, first ? "" : first.error().message().c_str());
      QCOMPARE(write::strategyName(*first), strategy);
      const std::string grown = assembled(file, *first);
      QCOMPARE(differences(file, grown, large, *first), ""s);

      const auto second = planFor(grown, replacement(larger));
      QVERIFY2(second, second ? "" : second.error().message().c_str());
      QCOMPARE(write::strategyName(*second), "resize"s);
      const std::string more = assembled(grown, *second);
      QCOMPARE(differences(grown, more, larger, *second), ""s);
      QVERIFY(edit(file, larger).file == more);
      QVERIFY(edit(more, large).file == grown);
      QVERIFY(edit(edit(more, small).file, large).file == grown);
      QCOMPARE(edit(more, small).strategy, "resize"s);

      for (const std::string& blob : {small, same}) {
        const auto plan = planFor(file, replacement(blob));
        QVERIFY(plan);
        QCOMPARE(write::strategyName(*plan), "in-place"s);
        const std::string output = assembled(file, *plan);
        QCOMPARE(output.size(), file.size());
        QCOMPARE(differences(file, output, blob, *plan), ""s);
        QCOMPARE(plan->changes.empty(), blob.size() == 600);
      }
    }
}

void TestPlanElf::filesWithOneSegmentCanGrow_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("bigEndian");
  QTest::addColumn<bool>("sections");
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true})
      for (const bool sections : {false, true})
        QTest::addRow("%s bit, %s endian, %s", is64 ? "64" : "32", bigEndian ? "big" : "little",
                      sections ? "sections" : "no section headers")
            << is64 << bigEndian << sections;
}

/// The files of the other tests, with one segment and the section headers in its middle.
void TestPlanElf::filesWithOneSegmentCanGrow() {
  QFETCH(bool, is64);
  QFETCH(bool, bigEndian);
  QFETCH(bool, sections);
  ElfBuilder elf;
  elf.is64 = is64;
  elf.bigEndian = bigEndian;
  elf.sectionHeaders = sections;
  elf.machine = is64 ? 21 : 20;
  elf.staticSymbols = true;
  elf.function("run").undefined("malloc");
  elf.data("__tvm_dev_mblob", blobOf(300, 'o'));
  const std::string last = elf.build();
  elf.data("end", "1");
  const std::string middle = elf.build(), large = blobOf(900, 'a');
  for (const std::string& file : {last, middle}) {
    const auto plan = planFor(file, replacement(large));
    QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
    QCOMPARE(write::strategyName(*plan), file == last ? "resize"s : sections ? "append-slide"s : "append-phdr"s);
    QCOMPARE(differences(file, assembled(file, *plan), large, *plan), ""s);
  }
}

void TestPlanElf::blobAtTheEndOfMemoryIsResizedInPlace_data() {
  QTest::addColumn<ElfChange>("change");
  const auto row = [](const char* name, ElfChange change) { QTest::newRow(name) << change; };
  row("sections after it", [](ElfImage& image) { image.symbols = true; });
  row("section headers after it", [](ElfImage&) {});
  row("nothing after it", [](ElfImage& image) { image.sections = false; });
}

/// A blob that is last in memory stays in place, whatever its new size.
void TestPlanElf::blobAtTheEndOfMemoryIsResizedInPlace() {
  QFETCH(ElfChange, change);
  for (const bool is64 : {true, false}) {
    ElfImage image = usual();
    image.is64 = is64;
    image.machine = is64 ? 62 : 3;
    image.last = true;
    change(image);
    const std::string file = image.build();
    std::string before = file;
    std::set<std::string> outputs;
    for (const uint64_t size : {5000u, 599u, 601u, 40'001u, 5000u}) {
      const std::string blob = blobOf(size, 'a');
      const auto plan = planFor(before, replacement(blob));
      QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
      QCOMPARE(write::strategyName(*plan), "resize"s);
      const std::string after = assembled(before, *plan);
      QCOMPARE(differences(before, after, blob, *plan), ""s);
      QVERIFY(edit(file, blob).file == after);
      outputs.insert(after);
      before = after;
    }
    QCOMPARE(outputs.size(), std::size_t{4});
  }
}

void TestPlanElf::blobFollowedByOtherBytesIsNotResized_data() {
  QTest::addColumn<std::string>("what");
  for (const char* what : {"bytes in the padding", "a symbol in the padding", "bytes behind the file"})
    QTest::newRow(what) << std::string(what);
}

/// Bytes that may have another owner are never overwritten.
void TestPlanElf::blobFollowedByOtherBytesIsNotResized() {
  QFETCH(std::string, what);
  ElfImage image = usual();
  image.last = true;
  image.blob = blobOf(601, 'o');
  image.sections = what == "a symbol in the padding";
  std::string file = image.build();
  if (what == "bytes in the padding") file += "\1" + std::string(14, '\0');
  if (what == "bytes behind the file") file += std::string(3000, '\1');
  if (what == "a symbol in the padding") {
    // "behind" moves into the padding: its value is the end of the blob.
    const uint64_t entry = image.offsets[".dynsym"] + 2 * 24;
    file = withNumber(file, entry + 8, image.addresses["blob"] + 601, 8);
    uint64_t load = 64;
    while (container::numberAt<uint64_t>(file, load + 8) != image.offsets["blob"]) load += 56;
    file = withNumber(withNumber(file, load + 32, 607, 8), load + 40, 607, 8);
  }
  const std::string large = blobOf(900, 'a');
  const Edited edited = edit(file, large);
  QVERIFY2(edited.strategy.starts_with("append-"), edited.strategy.c_str());
  const auto again = openBytes(edited.file);
  QVERIFY(again && (*again)->blobs[0]->bytes.view() == large);
  QCOMPARE(edit(file, blobOf(500, 'a')).strategy, "in-place"s);
}

void TestPlanElf::objectsAreRewritten() {
  for (const bool is64 : {true, false}) {
    ElfBuilder elf;
    elf.type = 1;
    elf.is64 = is64;
    elf.data("__tvm_dev_mblob", blobOf(300, 'o')).data("behind", "behind");
    const std::string file = elf.build();
    for (const uint64_t size : {300u, 200u, 4000u}) {
      const std::string blob = blobOf(size, 'a');
      const auto plan = planFor(file, replacement(blob));
      QVERIFY(plan);
      QCOMPARE(write::strategyName(*plan), size == 300u ? "in-place"s : "resize"s);
      const auto again = openBytes(assembled(file, *plan));
      QVERIFY(again && (*again)->blobs[0]->bytes.view() == blob);
      QVERIFY((*again)->blobs[0]->carrier.symbolSize == std::optional<uint64_t>(size));
      QVERIFY((*again)->image.findBytesOf(*findSymbol((*again)->image, "behind"))->view() == "behind");
    }
  }
}

void TestPlanElf::unmovableBlobsAreRefused_data() {
  QTest::addColumn<ElfChange>("change");
  QTest::addColumn<std::string>("id");
  QTest::addColumn<std::string>("words");
  const auto row = [](const char* name, const char* id, const char* words, ElfChange change) {
    QTest::newRow(name) << change << std::string(id) << std::string(words);
  };
  row("executable", "REP-TYPE", "it is an executable", [](ElfImage& image) { image.type = 2; });
  row("core dump", "REP-TYPE", "it is not a shared library", [](ElfImage& image) { image.type = 4; });
  row("prelinked", "REP-PRELINK", "prelink --undo", [](ElfImage& image) { image.tags[0x6ffffdf5] = 1; });
  row("checksum of prelink", "REP-PRELINK", "prelink --undo", [](ElfImage& image) { image.tags[0x6ffffdf8] = 1; });
  row("no dynamic part", "REP-SHAPE", "it has no dynamic part", [](ElfImage& image) {
    image.dynamic = false;
    image.symbols = true;
  });
  row("several versions", "REP-SYM", "several versions", [](ElfImage& image) { image.otherVersion = ".text"; });
  row("packed relocations", "REP-SHAPE", "packed in Android's format",
      [](ElfImage& image) { image.tags[0x60000011] = 0x100; });
  row("relocations outside", "REP-SHAPE", "is not completely in the file", [](ElfImage& image) {
    image.tags[23] = 0x7000000;
    image.tags[2] = 24;
  });
  row("more than the address space", "REP-4G", "but the format can address only 4.0 GiB", [](ElfImage& image) {
    image.is64 = false;
    image.machine = 3;
    image.base = 0xffff0000;
  });
  row("too much .bss before a moved table", "REP-PHDR", "pad the file", [](ElfImage& image) {
    image.interpreter = true;
    image.bss = uint64_t{1} << 40;
  });
}

/// Each reason not to move the blob; a blob of the same or a smaller size can still be written.
void TestPlanElf::unmovableBlobsAreRefused() {
  QFETCH(ElfChange, change);
  QFETCH(std::string, id);
  QFETCH(std::string, words);
  ElfImage image = usual();
  change(image);
  const std::string file = image.build();
  const auto plan = planFor(file, replacement(blobOf(65'000, 'a')));
  QVERIFY(!plan);
  QCOMPARE(std::string(plan.error().diagnostic().idText()), id);
  QVERIFY2(plan.error().message().find(words) != std::string::npos, plan.error().message().c_str());
  const std::string same = blobOf(600, 'b'), small = blobOf(500, 'c');
  QCOMPARE(edit(file, same).strategy, "in-place"s);
  QCOMPARE(edit(file, small).strategy, "in-place"s);
  const auto again = openBytes(edit(file, small).file);
  QVERIFY(again && (*again)->blobs[0]->bytes.view() == small);
}

void TestPlanElf::tableMovesOnlyAfterPlausibleMemory_data() {
  QTest::addColumn<bool>("sections");
  QTest::addColumn<quint64>("bss");
  QTest::addColumn<quint64>("more");
  QTest::addColumn<bool>("refused");
  constexpr quint64 kMiB = 1 << 20;
  QTest::newRow("large .bss") << true << 8 * kMiB << quint64{0} << false;
  QTest::newRow("large .bss, segment ends a bit later") << true << 8 * kMiB << quint64{0x8000} << false;
  QTest::newRow("segment ends far after all sections") << true << quint64{0x800} << 8 * kMiB << true;
  QTest::newRow("segment ends a bit after all sections") << true << quint64{0x800} << kMiB / 2 << false;
  QTest::newRow("no section headers, large .bss") << false << 8 * kMiB << quint64{0} << true;
  QTest::newRow("no section headers, small .bss") << false << kMiB / 2 << quint64{0} << false;
}

/// The table moves to an address after all segments, with as many zeros before it in the file. A damaged size of a
/// segment must not make the file grow by it.
void TestPlanElf::tableMovesOnlyAfterPlausibleMemory() {
  QFETCH(bool, sections);
  QFETCH(quint64, bss);
  QFETCH(quint64, more);
  QFETCH(bool, refused);
  ElfImage image = usual();
  image.interpreter = true;
  image.sections = sections;
  image.bss = bss;
  std::string file = image.build();
  std::size_t last = 0;
  const auto number = [&](std::size_t at, unsigned size) { return container::numberAt(file, at, size, false); };
  for (std::size_t at = 64; at < 64 + number(56, 2) * 56; at += 56)
    if (number(at, 4) == 1) last = at;
  file = patched(file, last + 40, number(last + 40, 8) + more);
  const auto plan = planFor(file, replacement(blobOf(65'000, 'a')));
  QCOMPARE(!plan, refused);
  if (!plan) {
    QVERIFY(plan.error().id() == DiagnosticId::PlanProgramHeaders);
    const std::string message = plan.error().message();
    QVERIFY2(message.find("more than the limit of 1.0 MiB (1,048,576 bytes) for memory that is in no section") !=
                 std::string::npos,
             message.c_str());
  } else {
    QCOMPARE(write::strategyName(*plan), "append-phdr"s);
    QVERIFY(plan->size() < file.size() + bss + more + 300'000);
    QVERIFY(openBytes(assembled(file, *plan)));
  }
}

void TestPlanElf::referencesToTheBlobAreFound_data() {
  QTest::addColumn<ElfChange>("change");
  QTest::addColumn<int>("count");
  const auto row = [](const char* name, int count, ElfChange change) { QTest::newRow(name) << change << count; };
  const auto relocation = [](uint64_t symbol, uint64_t addend, bool toBlob) {
    return [=](ElfImage& image) { image.relocations = {{symbol, addend, toBlob}}; };
  };
  row("relocation to its first byte", 1, relocation(0, 0, true));
  row("relocation to its last byte", 1, relocation(0, 599, true));
  row("relocation after it", 0, relocation(0, 600, true));
  row("relocation by its symbol", 0, relocation(1, 0, false));
  row("relocation by another symbol", 1, relocation(2, static_cast<uint64_t>(-1), false)); // one before "behind"
  row("relocation by another symbol elsewhere", 0, relocation(2, 0, false));
  row("stored addend", 1, [](ElfImage& image) {
    image.withAddend = false;
    image.relocations = {{0, 5, true}, {0, 0x40}};
  });
  row("packed relative relocations", 2, [](ElfImage& image) {
    image.packed = true;
    image.relocations = {{0, 5, true}, {0, 0x40}, {0, 0, true}};
  });
  const auto code = [](uint16_t machine, bool is64, std::function<std::string(uint64_t blob, uint64_t at)> make) {
    return [=](ElfImage& image) {
      image.machine = machine;
      image.is64 = is64;
      image.page = 0x10000;
      image.build();
      image.code = std::string(4, '\x90') + make(image.addresses["blob"], image.addresses[".text"] + 4);
      image.code.resize(64, '\x90');
      // The longer code moves the following data; once more with the final addresses.
      image.build();
      image.code = std::string(4, '\x90') + make(image.addresses["blob"], image.addresses[".text"] + 4);
      image.code.resize(64, '\x90');
    };
  };
  const auto little = [](uint64_t value, int size) {
    std::string out;
    for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
  };
  row("x86-64: lea", 1,
      code(62, true, [=](uint64_t blob, uint64_t at) { return "\x48\x8d\x05"s + little(blob - at - 7, 4); }));
  row("x86-64: compare with an immediate", 1, code(62, true, [=](uint64_t blob, uint64_t at) {
        return "\x81\x3d"s + little(blob - at - 10, 4) + little(1, 4);
      }));
  row("x86-64: one byte after its start", 0,
      code(62, true, [=](uint64_t blob, uint64_t at) { return "\x48\x8d\x05"s + little(blob + 64 - at - 7, 4); }));
  for (const bool hit : {true, false})
    row(hit ? "i386: from the global offset table" : "i386: from elsewhere", hit, [=](ElfImage& image) {
      image.tags[3] = 0x5000;
      code(3, false,
           [=](uint64_t blob, uint64_t) { return "\x8d\x83"s + little(blob - (hit ? 0x5000 : 0x6000), 4); })(image);
    });
  const auto adrp = [=](uint64_t blob, uint64_t at, uint64_t offset, uint32_t reg) {
    const uint64_t pages = (blob >> 12) - (at >> 12);
    const uint64_t adr = 0x90000000 | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5 | 3;
    return little(adr, 4) + little(0xd503201f, 4) +
           little(0x91000000 | (((blob + offset) & 0xfff) << 10) | reg << 5 | reg, 4);
  };
  row("AArch64: adrp and add", 1, code(183, true, [=](uint64_t blob, uint64_t at) { return adrp(blob, at, 0, 3); }));
  row("AArch64: adrp and add of another register", 0,
      code(183, true, [=](uint64_t blob, uint64_t at) { return adrp(blob, at, 0, 4); }));
  row("AArch64: adr", 1, code(183, true, [=](uint64_t blob, uint64_t at) {
        const uint64_t distance = blob - at;
        return little(0x10000000 | (distance & 3) << 29 | (distance >> 2 & 0x7ffff) << 5 | 1, 4);
      }));
  row("AArch64: nothing", 0, code(183, true, [=](uint64_t, uint64_t) { return little(0xd503201f, 4); }));
}

void TestPlanElf::referencesToTheBlobAreFound() {
  QFETCH(ElfChange, change);
  QFETCH(int, count);
  ElfImage image = usual();
  change(image);
  const std::string file = image.build();
  const std::string large = blobOf(5000, 'a');
  const auto plan = planFor(file, replacement(large));
  if (count == 0) {
    QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
    QVERIFY(ids(plan->consequences).find("REP-REF-NONE") != std::string::npos);
    QCOMPARE(differences(file, assembled(file, *plan), large, *plan), ""s);
    return;
  }
  QVERIFY(!plan);
  QCOMPARE(std::string(plan.error().diagnostic().idText()), "REP-REF"s);
  QVERIFY2(plan.error().message().starts_with(std::to_string(count) +
                                              " places contain the address of the blob, the first at 0x"),
           plan.error().message().c_str());
  QCOMPARE(edit(file, blobOf(599, 'a')).strategy, "in-place"s);
  write::PlanOptions force;
  force.force = true;
  const auto forced = planFor(file, replacement(large), force);
  QVERIFY(forced);
  QVERIFY(ids(forced->consequences).find("REP-FORCED") != std::string::npos);
  QVERIFY(ids(forced->consequences).find("REP-REF-NONE") == std::string::npos);
  QCOMPARE(differences(file, assembled(file, *forced), large, *forced), ""s);
}

void TestPlanElf::bothSymbolTablesAreUpdated() {
  ElfImage image = usual();
  image.symbols = true;
  const std::string file = image.build();
  for (const uint64_t size : {400u, 900u}) {
    const auto again = openBytes(edit(file, blobOf(size, 'a')).file);
    QVERIFY(again);
    std::set<uint64_t> values, sizes;
    int found = 0;
    for (const container::Symbol& symbol : (*again)->image.symbols) {
      if (symbol.name != "__tvm_dev_mblob") continue;
      ++found;
      values.insert(symbol.value);
      sizes.insert(symbol.size);
      const container::Section* const section = (*again)->image.findSectionOf(symbol);
      QVERIFY(section);
      QCOMPARE(std::string(section->name), size == 900 ? ".tvm_dev_mblob"s : ".rodata"s);
    }
    QCOMPARE(found, 2);
    QCOMPARE(values.size(), std::size_t{1});
    QVERIFY(sizes == std::set<uint64_t>{size});
  }
}

void TestPlanElf::oldBlobCanBeScrubbed() {
  ElfImage image = usual();
  const std::string file = image.build(), large = blobOf(900, 'a');
  write::PlanOptions scrub;
  scrub.scrub = true;
  const auto plan = planFor(file, replacement(large), scrub);
  QVERIFY(plan);
  const std::string output = assembled(file, *plan);
  QCOMPARE(differences(file, output, large, *plan), ""s);
  QVERIFY(output.substr(image.offsets["blob"], 600) == std::string(600, '\0'));
  QVERIFY(output.substr(image.offsets["behind"], 8) == "behind!!");
  QVERIFY(std::any_of(plan->parts.begin(), plan->parts.end(),
                      [](const Part& part) { return part.from == Part::From::Zeros && part.zeros == 600; }));
  QCOMPARE(ids(plan->consequences), "REP-SCRUBBED REP-REF-NONE"s);
  QVERIFY(edit(file, large).file.substr(image.offsets["blob"], 600) == image.blob);
}

/// The parts of a plan that the window shows.
void TestPlanElf::planListsStepsAndConsequences() {
  ElfImage image = usual();
  image.buildId = true;
  const std::string file = image.build();
  const auto plan = planFor(file, replacement(blobOf(5000, 'a')));
  QVERIFY(plan);
  std::string steps;
  for (const write::Step& step : plan->steps) steps += step.what + "\n";
  QCOMPARE(steps, "Copy the file up to its section headers\nEnlarge the program header table\nMove .gnu.hash, .dynsym "
                  "and the notes\n"
                  "Change the symbol\nWrite the new blob\nWrite section headers\n"s);
  QCOMPARE(ids(plan->consequences), "REP-DEAD REP-BUILDID-KEPT REP-REF-NONE"s);
  QCOMPARE(plan->consequences[0].message(),
           "the old blob, 600 bytes, stays in the file, unused; it can be filled with zeros (scrubbed)"s);
  using Kind = write::PlanRange::Kind;
  QCOMPARE(plan->before.size(), std::size_t{3});
  QVERIFY(plan->before[1].kind == Kind::Blob && plan->before[1].size == 600);
  QCOMPARE(plan->after.size(), std::size_t{5});
  QVERIFY(plan->after[1].kind == Kind::DeadBlob && plan->after[1].size == 600);
  QVERIFY(plan->after[3].kind == Kind::Blob && plan->after[3].size == 5000);
  // Notes stay on the first page, where core dumps look for the build id.
  const std::string output = assembled(file, *plan);
  const auto again = openBytes(output);
  QVERIFY(again && findSection((*again)->image, ".note.gnu.build-id")->file.offset < 0x1000);

  image.interpreter = true;
  QCOMPARE(ids(planFor(image.build(), replacement(blobOf(5000, 'a')))->consequences),
           "REP-DEAD REP-BUILDID REP-BUILDID-KEPT REP-REF-NONE"s);
  image.buildId = false;
  QCOMPARE(ids(planFor(image.build(), replacement(blobOf(5000, 'a')))->consequences),
           "REP-DEAD REP-STRIP REP-REF-NONE"s);
  image.machine = 40; // code of ARM is not read
  QCOMPARE(ids(planFor(image.build(), replacement(blobOf(5000, 'a')))->consequences), "REP-DEAD REP-STRIP"s);
  QCOMPARE(ids(planFor(file, replacement(blobOf(500, 'a')))->consequences), "REP-FREE REP-BUILDID-KEPT"s);
}

/// The new section comes after the loaded ones; the numbers of later sections increase by one everywhere.
void TestPlanElf::laterSectionNumbersAreUpdated() {
  ElfImage image = usual();
  image.symbols = true;
  const auto before = openBytes(image.build()), after = openBytes(edit(image.build(), blobOf(900, 'a')).file);
  QVERIFY(before && after);
  const std::string was = sectionsText((*before)->image), is = sectionsText((*after)->image);
  const std::size_t at = was.find(".comment");
  QCOMPARE(is, was.substr(0, at) + ".tvm_dev_mblob PROGBITS a--\n" + was.substr(at));
  const auto sectionOf = [](const library::Package& package) {
    const container::Symbol* const marker = findSymbol(package.image, "marker");
    return marker && marker->section < package.image.sections.size()
               ? std::string(package.image.sections[marker->section].name)
               : ""s;
  };
  QCOMPARE(sectionOf(**before), ".comment"s);
  QCOMPARE(sectionOf(**after), ".comment"s);
}

/// Bytes that do not belong to the ELF file are kept in place.
void TestPlanElf::bytesAfterTheElfFileAreKept() {
  ElfImage image = usual();
  image.tail = std::string(100, '\x42');
  const std::string file = image.build(), large = blobOf(900, 'a');
  const auto plan = planFor(file, replacement(large));
  QVERIFY(plan);
  const std::string output = assembled(file, *plan);
  QCOMPARE(differences(file, output, large, *plan), ""s);
  QVERIFY(output.substr(file.size() - 100, 100) == image.tail);
}

/// More than 4 GiB: parts refer to the pieces, nothing is copied.
void TestPlanElf::hugeBlobsAreNotCopied() {
  const Bytes piece = bytes(std::string(16 << 20, 'x'));
  write::NewBlob blob;
  for (int i = 0; i < 320; ++i) blob.pieces.push_back(piece);
  blob.size = 320 * piece.size();
  ElfImage image = usual();
  const std::string file = image.build();
  const auto plan = planFor(file, blob);
  QVERIFY(plan);
  QCOMPARE(write::strategyName(*plan), "append-slide"s);
  uint64_t copied = 0, ofBlob = 0;
  for (const Part& part : plan->parts) {
    if (part.from == Part::From::Literal) copied += part.bytes.size();
    if (part.from == Part::From::Blob) ofBlob += part.bytes.size();
  }
  QCOMPARE(ofBlob, blob.size);
  QVERIFY(copied < 4096);
  QVERIFY(plan->size() > blob.size + file.size() - 2048);
  // The same with the blob last in memory.
  image.last = true;
  const auto resized = planFor(image.build(), blob);
  QVERIFY(resized);
  QCOMPARE(write::strategyName(*resized), "resize"s);
  for (const bool last : {false, true}) {
    image.last = last;
    image.is64 = false;
    image.machine = 40;
    const auto refused = planFor(image.build(), blob);
    QVERIFY(!refused);
    QCOMPARE(std::string(refused.error().diagnostic().idText()), "REP-4G"s);
  }
}

void TestPlanElf::planningCanBeCancelled() {
  ElfImage image = usual();
  image.code = std::string(3 << 20, '\x90');
  const std::string file = image.build();
  const auto package = openBytes(file);
  QVERIFY(package);
  const write::NewBlob blob = replacement(blobOf(5000, 'a'));
  for (const int looks : {0, 1, 2}) {
    StopAfter monitor(looks);
    const auto plan = write::planElf({**package, *(*package)->blobs[0], blob, {}, monitor});
    QVERIFY(!plan);
    QVERIFY(plan.error().code() == ErrorCode::Cancelled);
  }
}

void TestPlanElf::damagedFilesGiveAValidPlanOrARefusal_data() {
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("last");
  QTest::newRow("64 bit") << true << false;
  QTest::newRow("32 bit") << false << false;
  QTest::newRow("64 bit, blob is last") << true << true;
}

/// Whatever the headers say: no crash, and every plan can be carried out.
void TestPlanElf::damagedFilesGiveAValidPlanOrARefusal() {
  QFETCH(bool, is64);
  QFETCH(bool, last);
  ElfImage image;
  image.is64 = is64;
  image.machine = is64 ? 62 : 3;
  image.last = last;
  image.blob = blobOf(90, 'o');
  image.buildId = image.property = image.symbols = image.tableEntry = true;
  image.functions = 3;
  image.page = 64; // small enough to try all bytes
  image.relocations = {{0, 0x40}, {1, 0}};
  const std::string file = image.build();
  const write::NewBlob small = replacement(blobOf(80, 'a')), large = replacement(blobOf(300, 'b'));
  NullMonitor monitor;
  int planned = 0;
  const auto tried = [&](const std::string& bytesOfFile) {
    const auto package = openBytes(bytesOfFile);
    if (!package || (*package)->blobs.empty()) return;
    for (const write::NewBlob* blob : {&small, &large})
      for (const bool force : {false, true}) {
        write::PlanOptions options;
        options.force = options.scrub = force;
        const auto plan = write::planElf({**package, *(*package)->blobs[0], *blob, options, monitor});
        if (!plan || plan->size() > 1 << 20) continue;
        const auto output = write::assemble(*plan, (*package)->bytes, monitor);
        QVERIFY(output && output->size() == plan->size());
        ++planned;
      }
  };
  // Every seventh byte meets each byte of a field somewhere in the tables; all of them would take minutes with
  // sanitizers.
  for (std::size_t at = 0; at < file.size(); at += 7)
    for (const char value : {'\0', '\xff', '\x7f', static_cast<char>(file[at] + 1)}) {
      if (file[at] == value) continue;
      std::string changed = file;
      changed[at] = value;
      tried(changed);
    }
  for (std::size_t size = 0; size < file.size(); ++size) tried(file.substr(0, size));
  QVERIFY(planned > 1000);
}

BLOBSCOPE_TEST(TestPlanElf);
#include "test_plan_elf.moc"
