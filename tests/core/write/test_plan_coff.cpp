#include "core/container/coff/coff.h"
#include "core/container/number_at.h"
#include "core/write/plan_parts.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/llvm_oracle.h"
#include "tests/core/write/plan_check.h"
#include "tests/support/coff_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

const std::string kOld = "the OLD blob";
constexpr std::size_t kHead = 20, kSection = 40;

std::string word32(uint64_t value) { return ByteBuilder().u32(static_cast<uint32_t>(value)).take(); }
void put(std::string& file, std::size_t at, const std::string& text) { file.replace(at, text.size(), text); }
uint32_t crcOf(const std::string& text) { // all ones at the start, not complemented
  uint32_t crc = 0xffffffff;
  for (const char byte : text)
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (((crc ^ (static_cast<unsigned char>(byte) >> bit)) & 1) ? 0xedb88320 : 0);
  return crc;
}

/// An object with the blob in its second section. In the file: header, section headers, contents, relocations of the
/// first section, symbols, strings.
struct CoffObject {
  std::string front = "1234", behind = "5678", text = "code and pointers to data";
  uint32_t flags = 0x40000040;
  std::string relocations;
  std::vector<CoffSymbol> symbols = {{"front", 0, 2}, {kCarrier, 4, 2}, {"run", 0, 1, 0x20}};
  std::string arch = "x86_64";
  unsigned bits = 64;
  bool underscores = false;
  std::function<void(std::string&)> change; ///< of the finished file
  bool elsewhere = false;                   ///< the blob's bytes are not those in the file

  std::string build() const { return build(kOld); }
  std::string build(const std::string& blob) const {
    CoffBuilder coff;
    coff.sections = {{".text", 0x60000020, text}, {".rdata", flags, front + blob + behind}, {".xdata", flags, "later"}};
    coff.symbols = symbols;
    std::string file = coff.build();
    if (!relocations.empty()) {
      const auto table = container::numberAt<uint32_t>(file, 8);
      put(file, kHead + 24, word32(table));
      put(file, kHead + 32, ByteBuilder().u16(static_cast<uint16_t>(relocations.size() / 10)).take());
      put(file, 8, word32(table + relocations.size()));
      file.insert(table, relocations);
    }
    if (change) change(file);
    return file;
  }
  /// The symbol of the second section, with its length and checksum.
  void define(uint64_t length, uint32_t checksum) {
    symbols.insert(symbols.begin(), {".rdata", 0, 2, 0, 3, {word32(length) + word32(0) + word32(checksum)}});
  }
};

struct Planned {
  std::string strategy, file; ///< the message of the error and nothing
  std::string changes;
};

Planned planOf(const CoffObject& object, const std::string& blob, write::PlanOptions options = {}) {
  const std::string file = object.build();
  library::Package package;
  package.bytes = bytes(file);
  package.image.format = container::Format::Coff;
  package.image.kind = container::Kind::Object;
  package.image.arch = object.arch;
  package.image.bits = object.bits;
  package.image.underscores = object.underscores;
  library::Blob old;
  old.bytes = object.elsewhere ? bytes(kOld) : package.bytes.slice(file.find(kOld), kOld.size());
  const write::NewBlob replacement{{bytes(blob)}, blob.size()};
  NullMonitor monitor;
  const auto plan = write::planCoff({package, old, replacement, options, monitor});
  if (!plan) return {plan.error().message(), {}, {}};
  const auto output = write::assemble(*plan, package.bytes, monitor);
  if (!output || output->size() != plan->size()) return {"failed", {}, {}};
  std::string changes;
  for (const write::Change& change : plan->changes) changes += change.why + "; ";
  return {write::strategyName(*plan), std::string(output->view()), changes};
}

/// What is wrong with an output: LLVM and this program must read the same, and the symbol must lead to the blob.
std::string problemsOf(const std::string& file, const std::string& blob) {
  NullMonitor monitor;
  const auto image = container::readCoff(bytes(file), monitor);
  if (!image) return image.error().message();
  std::string out = objectDifference(*image, file);
  for (const Diagnostic& diagnostic : image->diagnostics) out += diagnostic.message() + "; ";
  for (const container::Symbol& symbol : image->symbols) {
    const auto found = image->findBytesOf(symbol);
    const auto begins = [&](const std::string& text) { return found && found->view().starts_with(text); };
    if (symbol.name == kCarrier && !begins(blob)) out += "the symbol leads to something else; ";
    if (symbol.name == "front" && !begins("1234")) out += "another symbol leads to something else; ";
    if (symbol.name == "run" && !begins("code")) out += "the function is somewhere else; ";
  }
  return out;
}

std::string relocation(uint32_t place, uint32_t symbol, uint16_t type) {
  return ByteBuilder().u32(place).u32(symbol).u16(type).take();
}

} // namespace
Q_DECLARE_METATYPE(CoffObject)

class TestPlanCoff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everySizeHasAStrategy_data() {
    QTest::addColumn<std::string>("behind");
    QTest::addColumn<std::string>("blob");
    QTest::addColumn<std::string>("strategy");
    QTest::newRow("the same size") << "5678"s << "the NEW blob"s << "in-place"s;
    QTest::newRow("smaller") << "5678"s << "the NEW"s << "in-place"s;
    QTest::newRow("larger") << "5678"s << "the NEW blob, which is longer"s << "append-section"s;
    QTest::newRow("at the end of the section, the same size") << ""s << "the NEW blob"s << "in-place"s;
    QTest::newRow("at the end of the section, smaller") << ""s << "the NEW"s << "resize"s;
    QTest::newRow("at the end of the section, one byte more") << ""s << "the NEW blob!"s << "resize"s;
  }
  void everySizeHasAStrategy() {
    QFETCH(std::string, behind);
    QFETCH(std::string, blob);
    QFETCH(std::string, strategy);
    CoffObject object;
    object.behind = behind;
    object.relocations = relocation(4, 1, 2); // of the blob's symbol
    object.define(4 + kOld.size() + behind.size(), crcOf("1234" + kOld + behind));
    QCOMPARE(problemsOf(object.build(), kOld), ""s);
    const Planned planned = planOf(object, blob);
    QCOMPARE(planned.strategy, strategy);
    QCOMPARE(problemsOf(planned.file, blob), ""s);
    if (strategy == "in-place") QCOMPARE(planned.file.size(), object.build().size());
    // What an assembler would have made.
    if (strategy == "resize") {
      CoffObject right = object;
      right.symbols.erase(right.symbols.begin());
      right.define(4 + blob.size(), crcOf("1234" + blob));
      QVERIFY(planned.file == right.build(blob));
    }
  }

  /// The length and the checksum of a section are updated only where they were right before.
  void lengthAndChecksumAreUpdated_data() {
    QTest::addColumn<std::string>("behind");
    QTest::addColumn<uint>("length");
    QTest::addColumn<uint>("checksum");
    QTest::addColumn<std::string>("blob");
    QTest::addColumn<std::string>("changes");
    const uint sum = crcOf("1234" + kOld), sumBefore = crcOf("1234" + kOld + "5678");
    const std::string larger = "the NEW blob, which is longer", equal = "the NEW blob";
    const auto row = [](const char* name, const std::string& behind, uint length, uint checksum,
                        const std::string& blob, const char* changes) {
      QTest::newRow(name) << behind << length << checksum << blob << std::string(changes);
    };
    row("both", "", 16, sum, larger, "size checksum");
    row("another length", "", 15, sum, larger, "checksum");
    row("another checksum", "", 16, sum + 1, larger, "size");
    row("no checksum", "", 16, 0, larger, "size");
    row("neither", "", 0, 0, larger, "");
    row("the same size", "5678", 20, sumBefore, equal, "checksum");
    row("the same size, another checksum", "5678", 20, 7, equal, "");
    row("a new section", "5678", 20, sumBefore, larger, "");
  }
  void lengthAndChecksumAreUpdated() {
    QFETCH(std::string, behind);
    QFETCH(uint, length);
    QFETCH(uint, checksum);
    QFETCH(std::string, blob);
    QFETCH(std::string, changes);
    CoffObject object;
    object.behind = behind;
    object.define(length, checksum);
    const Planned planned = planOf(object, blob);
    std::string found;
    if (planned.changes.find("size of the section") != std::string::npos) found += "size";
    if (planned.changes.find("checksum of the section") != std::string::npos)
      found += found.empty() ? "checksum" : " checksum";
    QCOMPARE(found, changes);
    QCOMPARE(problemsOf(planned.file, blob), ""s);
  }

  void scrubbedSectionsHaveANewChecksum() {
    CoffObject object;
    object.define(20, crcOf("1234" + kOld + "5678"));
    write::PlanOptions options;
    options.scrub = true;
    const Planned planned = planOf(object, "the NEW blob, which is longer", options);
    QCOMPARE(problemsOf(planned.file, "the NEW blob, which is longer"), ""s);
    const std::string zeros = "1234" + std::string(kOld.size(), '\0') + "5678";
    QVERIFY(planned.file.find(zeros) != std::string::npos);
    QVERIFY(planned.file.find(word32(20) + word32(0) + word32(crcOf(zeros))) != std::string::npos);
  }

  void everySymbolOfTheBlobFollows() {
    CoffObject object;
    object.symbols = {
        {"front", 0, 2}, {kCarrier, 4, 2}, {"__tvm_ffi__library_bin", 4, 2}, {"same", 4, 2}, {kCarrier, 4, 3}};
    object.change = [](std::string&) {};
    const Planned planned = planOf(object, "the NEW blob, which is longer");
    QCOMPARE(planned.strategy, "append-section"s);
    NullMonitor monitor;
    const auto image = container::readCoff(bytes(planned.file), monitor);
    QVERIFY(image);
    std::string sections;
    for (const container::Symbol& symbol : image->symbols)
      sections +=
          std::string(symbol.name) + " " + std::to_string(symbol.section) + "+" + std::to_string(symbol.value) + " ";
    // Symbols of other names at the same place stay with the old blob.
    QCOMPARE(sections, "front 1+0 __tvm_dev_mblob 3+0 __tvm_ffi__library_bin 3+0 same 1+4 __tvm_dev_mblob 2+4 "s);
  }

  void relocationsIntoTheBlobAreRefused_data() {
    QTest::addColumn<std::string>("arch");
    QTest::addColumn<uint>("bits");
    QTest::addColumn<uint>("type");
    QTest::addColumn<qulonglong>("addend"); // as stored, from a symbol 4 bytes before the blob
    QTest::addColumn<bool>("refused");
    const auto row = [](const char* arch, uint bits, uint type, qulonglong addend, bool refused) {
      QTest::addRow("%s, type %u, addend %llu", arch, type, addend)
          << std::string(arch) << bits << type << addend << refused;
    };
    row("x86_64", 64, 0, 5, false); // ABSOLUTE
    row("x86_64", 64, 1, 5, true);  // ADDR64
    row("x86_64", 64, 1, 5 + (1ull << 32), false);
    for (uint type = 2; type <= 9; ++type) row("x86_64", 64, type, 5 + (1ull << 32), true); // of 4 bytes
    row("x86_64", 64, 10, 5, false);                                                        // SECTION
    row("i386", 32, 6, 5, true);                                                            // DIR32
    row("i386", 32, 7, 5, true);                                                            // DIR32NB
    row("i386", 32, 20, 5, true);                                                           // REL32
    row("i386", 32, 1, 5, false);
    row("arm", 32, 6, 5, false);
    row("aarch64", 64, 14, 5, true); // ADDR64
    row("aarch64", 64, 14, 5 + (1ull << 32), false);
    row("aarch64", 64, 1, 5, true); // ADDR32
    row("aarch64", 64, 2, 5, true); // ADDR32NB
    row("aarch64", 64, 3, 5, false);
    row("riscv64", 64, 1, 5, false);
    row("x86_64", 64, 2, 3, false);
    row("x86_64", 64, 2, 4, true);
    row("x86_64", 64, 2, 4 + 11, true);
    row("x86_64", 64, 2, 4 + 12, false);
    row("x86_64", 64, 2, 0xffffffff, false); // -1
  }
  void relocationsIntoTheBlobAreRefused() {
    QFETCH(std::string, arch);
    QFETCH(uint, bits);
    QFETCH(uint, type);
    QFETCH(qulonglong, addend);
    QFETCH(bool, refused);
    CoffObject object;
    object.arch = arch;
    object.bits = bits;
    object.text = "code" + word32(addend) + word32(addend >> 32) + "more";
    object.relocations = relocation(0, 2, 2) + relocation(4, 0, static_cast<uint16_t>(type)); // of "run", of "front"
    const std::size_t at = object.build().find(object.relocations) + 10;
    const Planned planned = planOf(object, "the NEW blob, which is longer");
    QCOMPARE(planned.strategy, refused ? "the relocation at " + hexText(at) +
                                             " writes into the blob or points into it, so the blob cannot move or "
                                             "change its size"
                                       : "append-section"s);
    QCOMPARE(planOf(object, "the NEW").strategy, "in-place"s);
  }

  /// More relocations than 16 bits can count: the first entry contains their number.
  void manyRelocationsAreRead() {
    for (const bool last : {false, true}) {
      CoffObject object;
      object.text = "code" + word32(5);
      for (int i = 0; i < 65'534; ++i) object.relocations += relocation(0, 2, 2);
      object.relocations += relocation(4, 0, last ? 2 : 0);
      object.relocations = ByteBuilder().u32(65'536).u32(0).u16(0).take() + object.relocations;
      object.change = [](std::string& file) {
        put(file, kHead + 32, "\xff\xff");
        put(file, kHead + 36, word32(0x61000020));
      };
      const std::string strategy = planOf(object, "the NEW blob, which is longer").strategy;
      QVERIFY2(last ? strategy.starts_with("the relocation at 0x") : strategy == "append-section", strategy.c_str());
    }
  }

  void underscoresAreNoPartOfTheName() {
    CoffObject object;
    object.arch = "i386";
    object.bits = 32;
    object.symbols[1].name = "___tvm_dev_mblob";
    object.underscores = true;
    QCOMPARE(planOf(object, "the NEW blob, which is longer").strategy, "append-section"s);
  }

  void unsupportedObjectsAreRefused_data() {
    QTest::addColumn<CoffObject>("object");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* name, const std::string& message, CoffObject object) {
      QTest::newRow(name) << std::move(object) << message;
    };
    const auto shape = [&](const char* name, const std::string& reason, CoffObject object) {
      row(name, "the layout of this COFF file cannot be rewritten: " + reason, std::move(object));
    };
    const auto changed = [](const std::function<void(std::string&)>& change) {
      CoffObject object;
      object.change = change;
      return object;
    };
    const std::string unloaded = "the blob is in a part of the file that loaders do not map into memory",
                      unnamed = "cannot update the blob symbol: no symbol of the table labels it";
    // Contents: .text at 140 (25 bytes), .rdata at 165 (20), .xdata at 185 (5), symbols at 190.
    shape("more sections than the file has bytes", "its section table is incomplete",
          changed([](std::string& file) { put(file, 2, "\xff\xfe"); }));
    CoffObject elsewhere;
    elsewhere.elsewhere = true;
    row("the blob is not in the file", unloaded, elsewhere);
    row("no section contains the blob", unloaded,
        changed([](std::string& file) { put(file, kHead + kSection + 16, word32(15)); }));
    row("the section of the blob is longer than the file", unloaded,
        changed([](std::string& file) { put(file, kHead + kSection + 16, word32(100'000)); }));
    shape("the symbols are in the headers", "its symbol table or a section begins before its headers end",
          changed([](std::string& file) { put(file, 8, word32(139)); }));
    shape("the symbols are outside the file", "its symbol table or a section begins before its headers end",
          changed([](std::string& file) { put(file, 8, word32(file.size() + 1)); }));
    shape("a section across the start of the symbols", "the section at 0xb9 shares bytes with another part",
          changed([](std::string& file) { put(file, kHead + 2 * kSection + 16, word32(6)); }));
    shape("a section in the headers", "the section at 0x8b overlaps the headers",
          changed([](std::string& file) { put(file, kHead + 20, word32(139)); }));
    shape("relocations across the start of the symbols", "the relocations at 0xb5 share bytes with another part",
          changed([](std::string& file) {
            put(file, kHead + 24, word32(181));
            put(file, kHead + 32, "\1");
          }));
    CoffObject once;
    once.flags |= 0x1000;
    shape("COMDAT", "its section is one of several of which the linker keeps only one (COMDAT)", once);
    CoffObject renamed;
    renamed.symbols[1].name = "something_else";
    row("no symbol of the blob", unnamed, renamed);
    CoffObject later;
    later.symbols[1].value = 5;
    row("the symbol is elsewhere", unnamed, later);
    CoffObject other;
    other.symbols[1].section = 3;
    row("the symbol is in another section", unnamed, other);
    row("no symbols", unnamed, changed([](std::string& file) { put(file, 8, word32(0) + word32(0)); }));
  }
  void unsupportedObjectsAreRefused() {
    QFETCH(CoffObject, object);
    QFETCH(std::string, message);
    QCOMPARE(planOf(object, "the NEW blob, which is longer").strategy, message);
  }

  /// Sections without bytes in the file may state any place.
  void sectionsWithoutBytesDoNotMatter() {
    for (const uint32_t place : {10u, 139u, 168u, 188u, 0xffffff00u}) {
      CoffObject object;
      object.change = [=](std::string& file) {
        put(file, kHead + 2 * kSection + 16, word32(200) + word32(place));
        put(file, kHead + 2 * kSection + 36, word32(0xc0000080));
      };
      QCOMPARE(planOf(object, "the NEW blob, which is longer").strategy, "append-section"s);
      object.behind.clear();
      QCOMPARE(planOf(object, "the NEW blob, which is longer").strategy, "resize"s);
    }
  }

  void sectionsThatShareTheBlobAreRefused() {
    CoffObject object;
    object.behind.clear();
    for (const uint32_t size : {5u, 0u}) {
      object.change = [=](std::string& file) { put(file, kHead + 2 * kSection + 16, word32(size) + word32(180)); };
      QCOMPARE(planOf(object, "the NEW blob, which is longer").strategy,
               size == 0 ? "resize"s
                         : "the layout of this COFF file cannot be rewritten: the section at 0xb4 shares bytes with "
                           "another part"s);
    }
  }

  void objectsHaveAMaximumOfSections() {
    for (const std::size_t count : {0xfefeu, 0xfeffu}) {
      CoffObject object;
      object.change = [=](std::string& file) {
        // Empty sections, whose headers are inserted after the others.
        const std::size_t more = (count - 3) * kSection, headers = kHead + 3 * kSection;
        file.insert(headers, std::string(more, '\0'));
        put(file, 2, ByteBuilder().u16(static_cast<uint16_t>(count)).take());
        for (const std::size_t field : {std::size_t{8}, kHead + 20, kHead + kSection + 20, kHead + 2 * kSection + 20})
          put(file, field, word32(container::numberAt<uint32_t>(file, field) + more));
      };
      QCOMPARE(planOf(object, "the NEW blob, which is longer").strategy,
               count == 0xfefe ? "append-section"s
                               : "the layout of this COFF file cannot be rewritten: it has the maximum number of "
                                 "sections"s);
    }
  }

  void offsetsHave32Bits() {
    const std::string file = CoffObject().build();
    library::Package package;
    package.bytes = bytes(file);
    library::Blob old;
    old.bytes = package.bytes.slice(file.find(kOld), kOld.size());
    const Bytes piece = bytes(std::string(1 << 20, 'x'));
    write::NewBlob blob{std::vector<Bytes>(4'096, piece), uint64_t{4'096} << 20};
    NullMonitor monitor;
    const auto plan = write::planCoff({package, old, blob, {}, monitor});
    QVERIFY(!plan);
    QVERIFY2(plan.error().message().ends_with("but the format can address only 4.0 GiB (4,294,967,295 bytes)"),
             plan.error().message().c_str());
  }
};

BLOBSCOPE_TEST(TestPlanCoff);
#include "test_plan_coff.moc"
