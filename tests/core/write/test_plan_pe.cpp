#include "tests/core/write/plan_check.h"
#include "tests/support/coff_builder.h"
#include "tests/support/pe_builder.h"
#include "tests/support/test_main.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

constexpr std::size_t kPeBlobSize = 900; ///< of the old blob
constexpr std::size_t kFile = 88;        ///< where PeBuilder puts the optional header

uint64_t numberIn(const std::string& text, std::size_t at, int size) {
  uint64_t value = 0;
  for (int i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(text.at(at + static_cast<std::size_t>(i)));
  return value;
}
uint32_t wordIn(const std::string& text, std::size_t at) { return static_cast<uint32_t>(numberIn(text, at, 4)); }
std::string word(uint64_t value) { return ByteBuilder().u32(static_cast<uint32_t>(value)).take(); }
std::string& put(std::string& text, std::size_t at, const std::string& bytes) {
  return text.replace(at, bytes.size(), bytes);
}

// --- The rules of the Windows loader, checked separately. Source: "PE Format", learn.microsoft.com. ---

struct Header {
  std::string name;
  uint32_t size, address, rawSize, raw, flags;
};

std::vector<Header> headersOf(const std::string& file) {
  std::vector<Header> headers;
  const std::size_t table = kFile + numberIn(file, kFile - 4, 2);
  for (std::size_t i = 0, at = table; i < numberIn(file, kFile - 18, 2); ++i, at += 40)
    headers.push_back({std::string(file.substr(at, 8).c_str()), wordIn(file, at + 8), wordIn(file, at + 12),
                       wordIn(file, at + 16), wordIn(file, at + 20), wordIn(file, at + 36)});
  return headers;
}

uint32_t checksumOf(std::string file) {
  put(file, kFile + 64, word(0));
  const std::size_t size = file.size();
  file.resize(size + size % 2);
  uint32_t sum = 0;
  for (std::size_t i = 0; i < file.size(); i += 2) {
    sum += static_cast<uint32_t>(numberIn(file, i, 2));
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum + static_cast<uint32_t>(size);
}

std::string rulesBroken(const std::string& file) {
  std::string text;
  const auto rounded = [](uint64_t value, uint64_t step) { return (value + step - 1) / step * step; };
  const auto headers = headersOf(file);
  const uint32_t align = wordIn(file, kFile + 32), fileAlign = wordIn(file, kFile + 36),
                 size = wordIn(file, kFile + 60);
  if (size % fileAlign || kFile + numberIn(file, kFile - 4, 2) + 40 * headers.size() > size) text += "headers; ";
  uint64_t address = 0, raw = size;
  for (const Header& header : headers) {
    if (address == 0) address = rounded(size, align);
    if (header.address % align) text += "alignment; ";
    if (header.address != address) text += "gap; ";
    address = rounded(uint64_t{header.address} + header.size, align);
    if (header.raw == 0) continue;
    if (header.raw % fileAlign) text += "alignment in the file; ";
    if (header.raw < raw) text += "overlap; ";
    if (uint64_t{header.raw} + header.rawSize > file.size()) text += "end of the file; ";
    raw = uint64_t{header.raw} + header.rawSize;
  }
  if (wordIn(file, kFile + 56) != address) text += "size of the image; ";
  if (wordIn(file, kFile + 64) != 0 && wordIn(file, kFile + 64) != checksumOf(file)) text += "checksum; ";
  const uint64_t symbols = wordIn(file, kFile - 12);
  if (symbols != 0 && (symbols < raw || symbols + 18 * wordIn(file, kFile - 8) > file.size())) text += "symbols; ";
  return text;
}

/// A DLL with the blob between other bytes.
struct Dll {
  bool is64 = true, symbols = false, debug = false, isSigned = false, checksum = false;
  int sections = 0; ///< more of them: 14 leave no room for another header
  std::string overlay;
  PeBuilder pe;

  std::string build(const std::string& blob) {
    pe.is64 = is64;
    if (!is64) pe.machine = 0x14c, pe.base = 0x400000;
    const std::string front = "1234", name = (is64 ? "" : "_"s) + kCarrier;
    pe.function("run").data("before", front).data(kCarrier, blob).data("behind", "5678");
    for (int i = 0; i < sections; ++i)
      pe.sections.push_back({"more" + std::to_string(i), 0x40000040, "content " + std::to_string(i)});
    if (symbols)
      pe.symbols = {
          {name, 4, 2}, {"run", 0, 1, 0x20}, {".rdata", 0, 2, 0, 3}, {"a name of more than eight bytes", 0, 3}};
    if (isSigned) pe.certificate = std::string(264, 'c');
    // The debug directory is after the blob, its data at the end of the file.
    if (debug) pe.debug = ByteBuilder().raw(std::string(16, '\0')).u32(4).u32(0).u32(0x7777).take();
    std::string file = pe.build();
    if (debug) put(file, file.find(word(0x7777)), word(file.size()));
    file += debug ? "PDB!" + overlay : overlay;
    // Linkers fill sections; the optional header gives the size of the initialised data.
    put(file, kFile + 8, word(0x3000));
    if (checksum) put(file, kFile + 64, word(checksumOf(file)));
    return file;
  }
};

std::string at(const library::PackagePtr& package, std::string_view name) {
  for (const container::Symbol& symbol : package->image.symbols)
    if (symbol.name == name && symbol.dynamic)
      if (const auto found = package->image.findBytesAt(symbol.value)) return std::string(found->view().substr(0, 4));
  return {};
}

std::string coffFile(const std::string& content, bool big, bool withSum, const std::string& relocations = {},
                     uint32_t flags = 0x40000040) {
  const auto crcOf = [](const std::string& text) {
    uint32_t crc = 0xffffffff;
    for (const char byte : text)
      for (int bit = 0; bit < 8; ++bit)
        crc = crc >> 1 ^ (((crc ^ (static_cast<unsigned char>(byte) >> bit)) & 1) ? 0xedb88320 : 0);
    return crc;
  };
  CoffBuilder coff;
  coff.big = big;
  coff.sections = {
      {".text", 0x60000020, "code and pointers to data"}, {".rdata", flags, content}, {".xdata", 0x40000040, "later"}};
  const std::string sum = ByteBuilder()
                              .u32(static_cast<uint32_t>(content.size()))
                              .u16(0)
                              .u16(0)
                              .u32(withSum ? crcOf(content) : 0)
                              .u16(0)
                              .u8(0)
                              .take();
  coff.symbols = {{".rdata", 0, 2, 0, 3, {sum}},
                  {"front", 0, 2},
                  {kCarrier, 4, 2},
                  {"a name of more than eight bytes", 0, 3},
                  {"run", 0, 1, 0x20}};
  std::string file = coff.build();
  if (relocations.empty()) return file;
  // Relocations of .text between contents and symbols.
  const std::size_t head = big ? 56 : 20, pointer = big ? 48 : 8, table = wordIn(file, pointer);
  put(file, head + 24, word(table));
  put(file, head + 32, ByteBuilder().u16(static_cast<uint16_t>(relocations.size() / 10)).take());
  put(file, pointer, word(table + relocations.size()));
  return file.insert(table, relocations);
}

} // namespace

class TestPlanPe : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void largerBlobGetsANewSection_data();
  void largerBlobGetsANewSection();
  void checkerDetectsEachBrokenRule();
  void oldBlobCanBeScrubbed();
  void unsupportedFilesAreRefused_data();
  void unsupportedFilesAreRefused();
  void referencesToTheBlobAreFound_data();
  void referencesToTheBlobAreFound();
  void objectsAreRewritten_data();
  void objectsAreRewritten();
  void unusualObjectsAreRefused();
  void planningCanBeCancelled();
  void damagedFilesGiveAValidPlanOrARefusal_data();
  void damagedFilesGiveAValidPlanOrARefusal();
};

void TestPlanPe::largerBlobGetsANewSection_data() {
  QTest::addColumn<int>("what");
  for (int what = 0; what < 64; ++what) {
    if (what & 8 && what & 32) continue; // an overlay after a certificate keeps it
    QTest::addRow("%s%s%s%s%s%s", what & 1 ? "32 bit" : "64 bit", what & 2 ? ", full headers" : "",
                  what & 4 ? ", symbols" : "", what & 8 ? ", signed" : "", what & 16 ? ", checksum" : "",
                  what & 32 ? ", debug directory" : "")
        << what;
  }
}

void TestPlanPe::largerBlobGetsANewSection() {
  QFETCH(int, what);
  Dll dll;
  dll.is64 = !(what & 1);
  dll.sections = what & 2 ? 14 : 0;
  dll.symbols = what & 4, dll.isSigned = what & 8, dll.checksum = what & 16, dll.debug = what & 32;
  const std::string file = dll.build(blobOf(kPeBlobSize)), large = blobOf(5'000, 'l'), huge = blobOf(90'000, 'h');
  const bool full =
      numberIn(file, kFile + 60, 4) < kFile + numberIn(file, kFile - 4, 2) + 40 * (numberIn(file, kFile - 18, 2) + 1);
  QCOMPARE(full, bool(what & 2));

  std::string done, first;
  for (const std::string& replacement : {large, huge, blobOf(300, 's'), large}) {
    const auto made = replaceBlob(done.empty() ? file : done, {}, replacement);
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
    QCOMPARE(QString::fromStdString(rulesBroken(made->output)), QString());
    QCOMPARE(write::strategyName(made->plan), done.empty() ? "append-section"s : "resize"s);
    QCOMPARE(made->has(DiagnosticId::PlanDead), done.empty());
    QCOMPARE(made->has(DiagnosticId::PlanCertificate), done.empty() && dll.isSigned);
    const auto old = headersOf(file), now = headersOf(made->output);
    QCOMPARE(now.size(), old.size() + 1);
    QCOMPARE(now.back().name, ".tvmblob"s);
    QCOMPARE(now.back().flags, 0x40000040u);
    QCOMPARE(std::size_t{now.back().size}, replacement.size());
    QVERIFY(made->output.substr(now.back().raw, replacement.size()) == replacement);
    QCOMPARE(wordIn(made->output, kFile + 8), 0x3000 + now.back().rawSize);
    // Everything else is in its old place and unchanged, except for the address of the export and the place of debug
    // data.
    for (std::size_t i = 0; i < old.size(); ++i) {
      QCOMPARE(now[i].address, old[i].address);
      const std::string before = file.substr(old[i].raw, old[i].rawSize),
                        after = made->output.substr(now[i].raw, now[i].rawSize);
      std::size_t different = 0;
      for (std::size_t at = 0; at < before.size(); ++at) different += before[at] != after[at];
      QVERIFY2(different <= (old[i].name == ".edata" || dll.debug ? 4 : 0), old[i].name.c_str());
    }
    QCOMPARE(at(made->after, "behind"), "5678"s);
    QCOMPARE(at(made->after, "before"), "1234"s);
    for (const container::Symbol& symbol : made->after->image.symbols)
      if (container::matchCarrier(made->after->image.plainName(symbol)))
        QCOMPARE(symbol.value, (dll.is64 ? 0x180000000 : 0x400000) + now.back().address);
    QCOMPARE(wordIn(made->output, kFile + 64) != 0, dll.checksum);
    QCOMPARE(wordIn(made->output, dll.pe.places["directories"] + 32), 0u);
    QCOMPARE(made->output.find(std::string(264, 'c')), std::string::npos);
    if (dll.debug)
      QCOMPARE(made->output.substr(
                   wordIn(made->output,
                          made->output.find(ByteBuilder().u32(4).u32(0).take(), now[1].raw + 4 + kPeBlobSize + 4) + 8),
                   4),
               "PDB!"s);
    done = made->output;
    if (first.empty()) first = done;
  }
  QVERIFY(done == first);
  const auto again = replaceBlob(done, {}, large);
  QVERIFY(again);
  QCOMPARE(write::strategyName(again->plan), "identity"s);
  // A blob that fits does not get another place.
  const auto small = replaceBlob(file, {}, blobOf(kPeBlobSize - 100));
  QVERIFY(small);
  QCOMPARE(write::strategyName(small->plan), "in-place"s);
}

/// The checker detects a violation of each rule.
void TestPlanPe::checkerDetectsEachBrokenRule() {
  Dll dll;
  dll.symbols = dll.checksum = true;
  const auto made = replaceBlob(dll.build(blobOf(kPeBlobSize)), {}, blobOf(5'000));
  QVERIFY(made);
  const std::string good = made->output;
  const std::size_t last = kFile + numberIn(good, kFile - 4, 2) + 40 * (numberIn(good, kFile - 18, 2) - 1);
  const auto headers = headersOf(good);
  const std::tuple<const char*, std::size_t, std::string> wrong[] = {
      {"headers", kFile + 60, word(511)},
      {"alignment;", last + 12, "\1"s},
      {"gap", last + 12, word(headers.back().address + 0x1000)},
      {"alignment in the file", last + 20, "\1"s},
      {"overlap", last + 20, word(512)},
      {"end of the file", last + 16, word(good.size())},
      {"size of the image", kFile + 56, word(0x1000)},
      {"checksum", kFile + 64, word(checksumOf(good) ^ 1)},
      {"symbols", kFile - 12, word(good.size() - 4)}};
  QCOMPARE(rulesBroken(good), std::string());
  for (const auto& [rule, place, bytes] : wrong) {
    std::string bad = good;
    QVERIFY2(rulesBroken(put(bad, place, bytes)).find(rule) != std::string::npos, rule);
  }
}

void TestPlanPe::oldBlobCanBeScrubbed() {
  for (const bool full : {false, true}) {
    Dll dll;
    dll.sections = full ? 14 : 0;
    const std::string old = blobOf(kPeBlobSize), file = dll.build(old), replacement = blobOf(5'000, 'z');
    write::PlanOptions options;
    options.scrub = true;
    const auto made = replaceBlob(file, {}, replacement, options);
    QVERIFY(made);
    QVERIFY(made->has(DiagnosticId::PlanScrubbed) && !made->has(DiagnosticId::PlanDead));
    QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
    QVERIFY(made->output.find(old) == std::string::npos);
    QVERIFY(made->output.find("1234" + std::string(kPeBlobSize, '\0') + "5678") != std::string::npos);
    QVERIFY(std::any_of(made->plan.after.begin(), made->plan.after.end(), [](const write::PlanRange& stretch) {
      return stretch.kind == write::PlanRange::Kind::DeadBlob && stretch.size == kPeBlobSize;
    }));
  }
}

void TestPlanPe::unsupportedFilesAreRefused_data() {
  QTest::addColumn<std::string>("id");
  QTest::addColumn<std::string>("file");
  const std::string blob = blobOf(kPeBlobSize);
  const auto row = [&](const char* name, const char* id, const std::function<void(Dll&)>& before,
                       const std::function<void(Dll&, std::string&)>& after = {}) {
    Dll dll;
    if (before) before(dll);
    std::string file = dll.build(blob);
    if (after) after(dll, file);
    QTest::newRow(name) << std::string(id) << file;
  };
  const auto directory = [](int number, uint64_t address, uint64_t size) {
    return [=](Dll& dll, std::string& file) {
      put(file, dll.pe.places["directories"] + 8 * static_cast<std::size_t>(number), word(address) + word(size));
    };
  };
  const auto header = [](std::size_t section, std::size_t field, uint64_t value) {
    return
        [=](Dll& dll, std::string& file) { put(file, dll.pe.places["sections"] + 40 * section + field, word(value)); };
  };
  row("managed", "REP-CLR", {}, directory(14, 0x2000, 72));
  row("bound imports", "REP-BOUND", {}, directory(11, 0x1d0, 32));
  row("machine of a hybrid image", "REP-HYBRID", {}, [](Dll&, std::string& file) { put(file, 68, "\x4e\xa6"); });
  for (const bool is64 : {true, false})
    row(
        is64 ? "hybrid image" : "hybrid image of 32 bit", "REP-HYBRID",
        [=](Dll& dll) {
          dll.is64 = is64;
          const std::size_t field = is64 ? 200 : 124;
          dll.pe.sections.push_back(
              {"config", 0x40000040,
               ByteBuilder().u32(static_cast<uint32_t>(field + 8)).raw(std::string(field - 4, '\0')).u64(1).take()});
        },
        [](Dll& dll, std::string& file) {
          const auto headers = headersOf(file);
          put(file, dll.pe.places["directories"] + 80, word(headers.back().address) + word(headers.back().size));
        });
  const auto more = [](Dll& dll) { dll.sections = 14; };
  row("gap between sections", "REP-SHAPE", more, header(3, 12, 0x90000));
  row("sections out of order", "REP-SHAPE", more, header(3, 12, 0x5000));
  row("bytes not aligned", "REP-SHAPE", {}, header(0, 20, 0x210));
  row("bytes in the headers", "REP-SHAPE", more, header(0, 20, 0x200));
  row("section cut off", "REP-SHAPE", {}, header(2, 16, 0x9000));
  row("alignment", "REP-SHAPE", {}, [](Dll&, std::string& file) { put(file, kFile + 32, word(0x300)); });
  row("small pages", "REP-SHAPE", {}, [](Dll&, std::string& file) { put(file, kFile + 32, word(0x200)); });
  row("something after the section table", "REP-SHAPE", {},
      [](Dll& dll, std::string& file) { put(file, dll.pe.places["sections"] + 125, "x"); });
  row("size of the headers", "REP-SHAPE", {}, [](Dll&, std::string& file) { put(file, kFile + 60, word(0x210)); });
  row("97 sections", "REP-SHAPE", [](Dll& dll) { dll.sections = 93; });
  row("no room below the first section", "REP-SHAPE", [](Dll& dll) { dll.sections = 91; });
  row("2 GiB", "REP-2G", [](Dll& dll) { dll.pe.zeros(0x7fffb000); });
  row("certificate in a section", "REP-SHAPE", {}, directory(4, 0x200, 16));
  row("another name at the same entry", "REP-SYM", {}, [](Dll& dll, std::string& file) {
    const std::size_t ordinals = dll.pe.places["ordinals"]; // run, before, the blob, behind
    put(file, ordinals + 2, file.substr(ordinals + 4, 2));
  });
  const auto onlySymbol = [](Dll& dll) { dll.symbols = true; };
  row("not exported", "REP-SYM", onlySymbol,
      [](Dll&, std::string& file) { put(file, file.find("\0__tvm_dev_mblob"s) + 1, "no"); });
  row("forwarder", "REP-SYM", onlySymbol, [](Dll& dll, std::string& file) {
    put(file, dll.pe.places["functions"] + 8, word(wordIn(file, dll.pe.places["directories"]) + 44));
  });
  row("no exports", "REP-SYM", onlySymbol, directory(0, 0, 0));
}

void TestPlanPe::unsupportedFilesAreRefused() {
  QFETCH(std::string, id);
  QFETCH(std::string, file);
  QCOMPARE(idOf(replaceBlob(file, {}, blobOf(kPeBlobSize + 1))), id);
  write::PlanOptions force;
  force.force = true;
  QCOMPARE(idOf(replaceBlob(file, {}, blobOf(90'000), force)), id);
}

void TestPlanPe::referencesToTheBlobAreFound_data() {
  QTest::addColumn<int>("what");
  const char* const names[] = {
      "none",         "base relocation of 8 bytes",   "base relocation of 4 bytes", "x86-64 code",
      "AArch64 code", "relocation of something else", "unknown relocations"};
  for (int i = 0; i < 7; ++i) QTest::newRow(names[i]) << i;
}

void TestPlanPe::referencesToTheBlobAreFound() {
  QFETCH(int, what);
  Dll dll;
  dll.is64 = what != 2;
  const uint64_t base = dll.is64 ? 0x180000000 : 0x400000, blob = 0x2004;
  if (what == 4) dll.pe.machine = 0xaa64;
  // Sections: .text at 0x1000, .rdata, .edata, then these.
  std::string code(16, '\x55'), pointer = "unused..", relocations;
  if (what == 1) pointer = ByteBuilder().u64(base + blob + 8).take();
  if (what == 2) pointer = ByteBuilder().u32(static_cast<uint32_t>(base + blob)).take();
  if (what == 5) pointer = ByteBuilder().u64(base + 0x2000).take();
  if (what == 3) put(code, 3, "\x48\x8d\x05"s + word(blob - (0x4000 + 10)));
  dll.pe.sections = {{"code", 0x60000020, code}, {"pointer", 0xc0000040, pointer}};
  const unsigned kind = what == 2 ? 3 : what == 6 ? 7 : 10;
  relocations = ByteBuilder().u32(0x5000).u32(12).u16(static_cast<uint16_t>(kind << 12)).u16(0).take();
  dll.pe.sections.push_back({".reloc", 0x42000040, relocations});
  std::string file = dll.build(blobOf(kPeBlobSize));
  put(file, dll.pe.places["directories"] + 40, word(0x6000) + word(relocations.size()));
  if (what == 4) { // ADRP x0 of the page two before, ADD x0, x0, #4
    const uint32_t pages = 0x1ffffe;
    put(file, headersOf(file)[3].raw,
        word(0x90000000 | (pages & 3) << 29 | pages >> 2 << 5) + word(0x91000000 | 4 << 10));
  }
  const bool hit = what >= 1 && what <= 4;
  const std::string replacement = blobOf(5'000, 'z');
  const auto made = replaceBlob(file, {}, replacement);
  QCOMPARE(idOf(made), hit ? "REP-REF"s : "none"s);
  if (!hit) QVERIFY(made->has(DiagnosticId::PlanUnreferenced));
  write::PlanOptions force;
  force.force = true;
  const auto forced = replaceBlob(file, {}, replacement, force);
  QVERIFY2(forced, forced ? "" : forced.error().message().c_str());
  QCOMPARE(forced->has(DiagnosticId::PlanForced), hit);
  QCOMPARE(QString::fromStdString(problemsOf(*forced, {}, replacement)), QString());
  QVERIFY(replaceBlob(file, {}, blobOf(kPeBlobSize - 1)));
}

void TestPlanPe::objectsAreRewritten_data() {
  QTest::addColumn<bool>("isBig");
  QTest::addColumn<bool>("last");
  QTest::addColumn<bool>("sum");
  for (int i = 0; i < 8; ++i)
    QTest::addRow("%s%s%s", i & 1 ? "big" : "usual", i & 2 ? ", at the end of its section" : "",
                  i & 4 ? ", with a checksum" : "")
        << bool(i & 1) << bool(i & 2) << bool(i & 4);
}

void TestPlanPe::objectsAreRewritten() {
  QFETCH(bool, isBig);
  QFETCH(bool, last);
  QFETCH(bool, sum);
  const std::string behind = last ? "" : "5678";
  const std::string relocation = ByteBuilder().u32(4).u32(3).u16(2).take(); // of the symbol "front"
  const auto build = [&](const std::string& blob) { return coffFile("1234" + blob + behind, isBig, sum, relocation); };
  const std::string file = build(blobOf(kPeBlobSize)), large = blobOf(5'001, 'l');
  std::string done, first;
  for (const std::string& replacement : {large, blobOf(90'000, 'h'), blobOf(300, 's'), large}) {
    const auto made = replaceBlob(done.empty() ? file : done, {}, replacement);
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
    QCOMPARE(write::strategyName(made->plan), done.empty() && !last ? "append-section"s : "resize"s);
    // At the end of the section the result is what the assembler would have made, with checksum and length.
    if (last) QVERIFY(made->output == build(replacement));
    const auto& image = made->after->image;
    QCOMPARE(image.sections.size(), std::size_t{last ? 3u : 4u});
    QVERIFY(made->output.find(relocation) != std::string::npos);
    for (const container::Symbol& symbol : image.symbols) {
      if (symbol.name == "a name of more than eight bytes")
        QCOMPARE(image.findBytesOf(symbol)->view(), std::string_view("later"));
      if (symbol.name == "front") QCOMPARE(image.findBytesOf(symbol)->view().substr(0, 4), std::string_view("1234"));
    }
    const std::size_t head = isBig ? 56 : 20;
    QCOMPARE(made->output.substr(wordIn(made->output, head + 24), 10), relocation);
    done = made->output;
    if (first.empty()) first = done;
  }
  QVERIFY(done == first);
  write::PlanOptions options;
  options.scrub = true;
  const auto scrubbed = replaceBlob(file, {}, large, options);
  QVERIFY(scrubbed);
  QVERIFY(scrubbed->output.find(blobOf(kPeBlobSize)) == std::string::npos);
  QCOMPARE(scrubbed->has(DiagnosticId::PlanScrubbed), !last);
  if (!last && sum) QVERIFY(scrubbed->changes("checksum of the section"));
}

void TestPlanPe::unusualObjectsAreRefused() {
  const auto made = [](const std::string& relocation, uint32_t flags = 0x40000040) {
    return idOf(replaceBlob(coffFile("1234" + blobOf(kPeBlobSize) + "5678", false, true, relocation, flags), {},
                            blobOf(5'000)));
  };
  // .text begins "code and pointers": the value at 4 is not a small number, the value at 8 would be.
  const auto relocation = [](uint32_t place, uint32_t symbol, uint16_t type) {
    return ByteBuilder().u32(place).u32(symbol).u16(type).take();
  };
  QCOMPARE(made(relocation(4, 0, 2)), "none"s);
  QCOMPARE(made({}, 0x40001040), "REP-SHAPE"s); // COMDAT
  for (const uint32_t addend : {0u, 3u, 4u, 903u, 904u}) {
    std::string file = coffFile("1234" + blobOf(kPeBlobSize) + "5678", false, true, relocation(8, 0, 2));
    put(file, file.find("code and") + 8, word(addend));
    QCOMPARE(idOf(replaceBlob(file, {}, blobOf(5'000))), addend >= 4 && addend < 904 ? "REP-REL"s : "none"s);
    QCOMPARE(idOf(replaceBlob(file, {}, blobOf(500))), "none"s);
  }
  // The symbol of the blob moves along.
  std::string file = coffFile("1234" + blobOf(kPeBlobSize) + "5678", false, true, relocation(8, 3, 2));
  put(file, file.find("code and") + 8, word(8));
  QCOMPARE(idOf(replaceBlob(file, {}, blobOf(5'000))), "none"s);
}

void TestPlanPe::planningCanBeCancelled() {
  for (const std::string& file :
       {Dll().build(blobOf(kPeBlobSize)), coffFile("1234" + blobOf(kPeBlobSize) + "5678", true, true)}) {
    int looks = 0;
    for (;; ++looks) {
      StopAfter stop(looks);
      const auto made = replaceBlob(file, {}, blobOf(5'000), {}, &stop);
      if (made) break;
      QVERIFY(made.error().code() == ErrorCode::Cancelled);
      QVERIFY(looks < 1'000);
    }
    QVERIFY(looks > 0);
  }
}

void TestPlanPe::damagedFilesGiveAValidPlanOrARefusal_data() {
  QTest::addColumn<std::string>("file");
  const std::string blob = blobOf(240);
  Dll all;
  all.symbols = all.checksum = all.debug = true;
  QTest::newRow("PE") << all.build(blob);
  Dll full;
  full.sections = 14;
  full.isSigned = true;
  QTest::newRow("full headers, signed") << full.build(blob);
  const auto grown = replaceBlob(Dll().build(blob), {}, blobOf(700));
  QTest::newRow("edited before") << grown->output;
  QTest::newRow("COFF") << coffFile("1234" + blob + "5678", false, true, ByteBuilder().u32(4).u32(0).u16(2).take());
  QTest::newRow("COFF, big") << coffFile("1234" + blob, true, true);
}

/// Whichever byte is wrong: a valid plan, or a refusal.
void TestPlanPe::damagedFilesGiveAValidPlanOrARefusal() {
  QFETCH(std::string, file);
  // Not the text of the blob, and not all of the padding.
  const DamagedPlans made = planDamaged(file, 0, {"\0\x01\xff", 3}, [&](std::size_t place) {
    return file[place] == 'a' || (file[place] == '\0' && place % 7 != 0 && place > 1'100);
  });
  QVERIFY(made.sound);
  QVERIFY(made.plans > 100);
}

BLOBSCOPE_TEST(TestPlanPe);
#include "test_plan_pe.moc"
