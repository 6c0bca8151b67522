#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/container/wasm/wasm.h"
#include "tests/core/write/plan_check.h"
#include "tests/core/write/plan_files.h"
#include "tests/support/coff_builder.h"
#include "tests/support/contracts/planner_rows.h"
#include "tests/support/macho_builder.h"
#include "tests/support/pe_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/wasm_builder.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::plan_files;
using namespace std::string_literals;
using Signature = write::PlanOptions::Signature;

namespace wasm = blobscope::test::wasm;

namespace {

constexpr std::size_t kPagedBlobSize = 9'000; ///< of the old blob: three pages

/// The whole text of a kernel that has zeros in places.
std::string holes(std::size_t size, char letter) {
  std::string text;
  while (text.size() < size) text += std::string(40, letter) + std::string(text.size() % 3 == 0 ? 30 : 12, '\0');
  return blobWith(text.substr(0, size));
}

/// A file of most formats, by the names of the contract of planners.
struct Kind {
  std::string name;
  std::function<std::string(const std::string&)> build;
};

/// Those whose planners overwrite what is there.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> made;
    for (const PlannerRow& row : plannerRows())
      if (row.plain) made.push_back({row.name, row.build});
    return made;
  }();
  return all;
}

const Kind& kindNamed(const std::string& name) {
  return *std::find_if(kinds().begin(), kinds().end(), [&](const Kind& kind) { return name == kind.name; });
}

uint64_t littleAt(const std::string& text, std::size_t at, int size) {
  uint64_t value = 0;
  for (int i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
  return value;
}

/// CheckSum by the rule of core/formats/containers.md 5.2, word by word.
uint32_t checksumOf(std::string file, std::size_t field) {
  file.replace(field, 4, std::string(4, '\0'));
  const std::size_t size = file.size();
  if (size % 2) file += '\0';
  uint32_t sum = 0;
  for (std::size_t i = 0; i < file.size(); i += 2) {
    sum += static_cast<uint32_t>(littleAt(file, i, 2));
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum + static_cast<uint32_t>(size);
}

// --- Code signatures. Source: Apple cs_blobs.h. ---

struct SignatureShape {
  uint32_t flags = 0x20002, version = 0x20400, scatter = 0, team = 0;
  unsigned pageBits = 12, hashType = 2, directories = 1, cms = 0;
  int extraPages = 0;
};

std::string big(uint64_t value, int size = 4) {
  std::string out;
  for (int i = size; i-- > 0;) out += static_cast<char>(value >> 8 * i);
  return out;
}

std::string sha256(const std::string& text) {
  NullMonitor monitor;
  return *parseHexDigits(*computeSha256(bytes(text), monitor));
}

/// A signature of the first `limit` bytes of `file`.
std::string signatureOf(const std::string& file, std::size_t limit, const SignatureShape& shape) {
  const std::size_t page = std::size_t{1} << shape.pageBits;
  std::string hashes;
  std::size_t pages = 0;
  for (std::size_t at = 0; at < limit; at += page, ++pages)
    hashes += sha256(file.substr(at, std::min(page, limit - at)));
  const std::string name = "made.dylib\0"s;
  std::string directory = big(0xfade0c02) + big(88 + name.size() + hashes.size()) + big(shape.version) +
                          big(shape.flags) + big(88 + name.size()) + big(88) + big(0) +
                          big(pages + static_cast<std::size_t>(shape.extraPages)) + big(limit);
  directory += {32, static_cast<char>(shape.hashType), 0, static_cast<char>(shape.pageBits)};
  directory += big(0) + big(shape.scatter) + big(shape.team) + big(0) + big(0, 8) + big(0, 8) + big(0x4000, 8) +
               big(0, 8) + name + hashes;
  std::vector<std::pair<uint32_t, std::string>> parts = {{0, directory}};
  for (unsigned i = 1; i < shape.directories; ++i) parts.emplace_back(0x1000, directory);
  if (shape.cms > 0) parts.emplace_back(0x10000, big(0xfade0b01) + big(shape.cms) + std::string(shape.cms - 8, 'c'));
  std::string table, content;
  for (const auto& [slot, text] : parts) {
    table += big(slot) + big(12 + 8 * parts.size() + content.size());
    content += text;
  }
  return big(0xfade0cc0) + big(12 + table.size() + content.size()) + big(parts.size()) + table + content;
}

struct Signed {
  std::string file;
  std::size_t signature = 0; ///< offset
};

Signed signedFile(const std::string& blob, const SignatureShape& shape = {}) {
  MachOBuilder file;
  file.function("_run")
      .data("_before", std::string(5'000, 'b'))
      .data("_"s + kCarrier, blob)
      .data("_behind", std::string(9'000, 'e'));
  file.signature = std::string(8, 's');
  // Its size depends only on the number of pages.
  const std::size_t place = file.build().size() - 8;
  file.signature = signatureOf(std::string(place, '\0'), place, shape);
  Signed made{file.build(), place};
  made.file.replace(place, std::string::npos, signatureOf(made.file, place, shape));
  return made;
}

} // namespace

class TestPlanInPlace : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void onlyTheBlobChanges_data();
  void onlyTheBlobChanges();
  void peChecksumIsUpdated();
  void peCertificateIsRemoved_data();
  void peCertificateIsRemoved();
  void coffChecksumIsUpdated();
  void pageHashesAreUpdated();
  void signatureByAnIdentityIsRefused_data();
  void signatureByAnIdentityIsRefused();
  void signatureCanBeRemoved();
  void damagedSignatureIsRefused_data();
  void damagedSignatureIsRefused();
  void wasmSegmentsAreRewritten_data();
  void wasmSegmentsAreRewritten();
  void unusualWasmIsRefused_data();
  void unusualWasmIsRefused();
  void sourceKeepsItsStyle_data();
  void sourceKeepsItsStyle();
  void otherSpellingsGiveTheSameBytes();
  void invalidSourceIsRefused_data();
  void invalidSourceIsRefused();
  void planningCanBeCancelled_data();
  void planningCanBeCancelled();
  void damagedFilesGiveAValidPlanOrARefusal_data();
  void damagedFilesGiveAValidPlanOrARefusal();
};

void TestPlanInPlace::onlyTheBlobChanges_data() {
  QTest::addColumn<std::string>("kind");
  for (const char* const name : {"PE", "PE of 32 bit", "Mach-O", "Mach-O of 32 bit", "Mach-O, big-endian",
                                 "Mach-O object", "COFF", "COFF, big", "wasm"})
    QTest::newRow(name) << std::string(name);
}

void TestPlanInPlace::onlyTheBlobChanges() {
  QFETCH(std::string, kind);
  const std::string old = blobOf(kPagedBlobSize), replacement = blobOf(kPagedBlobSize - 100, 'z');
  const std::string file = kindNamed(kind).build(old);
  std::string expected = file;
  expected.replace(file.find(old), old.size(), replacement + std::string(100, '\0'));
  const auto made = replaceBlob(file, {}, replacement);
  QVERIFY(made);
  QVERIFY(made->output == expected);
  QCOMPARE(write::strategyName(made->plan), "in-place"s);
  QVERIFY(made->has(DiagnosticId::PlanFree));
}

void TestPlanInPlace::peChecksumIsUpdated() {
  for (const std::size_t extra : {0, 1}) {
    PeBuilder pe;
    std::string file = pe.function("run").data(kCarrier, blobOf(kPagedBlobSize)).build() + std::string(extra, 'x');
    const std::size_t field = pe.places["optional"] + 64;
    file.replace(field, 4, ByteBuilder().u32(checksumOf(file, field)).take());
    const auto made = replaceBlob(file, {}, blobOf(kPagedBlobSize - 50, 'z'));
    QVERIFY(made);
    QVERIFY(made->changes("checksum"));
    QCOMPARE(littleAt(made->output, field, 4), uint64_t{checksumOf(made->output, field)});
    QVERIFY(littleAt(made->output, field, 4) != littleAt(file, field, 4));
    // And going back restores the file.
    file.replace(field, 4, ByteBuilder().u32(0).take());
    const auto none = replaceBlob(file, {}, blobOf(kPagedBlobSize - 50, 'z'));
    QVERIFY(none);
    QCOMPARE(littleAt(none->output, field, 4), uint64_t{0});
  }
}

void TestPlanInPlace::peCertificateIsRemoved_data() {
  QTest::addColumn<bool>("behind");
  QTest::addColumn<bool>("checksum");
  QTest::newRow("at the end") << false << false;
  QTest::newRow("at the end, with a checksum") << false << true;
  QTest::newRow("with bytes after it") << true << true;
}

void TestPlanInPlace::peCertificateIsRemoved() {
  QFETCH(bool, behind);
  QFETCH(bool, checksum);
  PeBuilder pe;
  pe.certificate = std::string(1'000, 'c');
  std::string file = pe.function("run").data(kCarrier, blobOf(kPagedBlobSize)).build() + (behind ? "mine" : "");
  const std::size_t directory = pe.places["directories"] + 32, field = pe.places["optional"] + 64;
  if (checksum) file.replace(field, 4, ByteBuilder().u32(checksumOf(file, field)).take());
  const auto made = replaceBlob(file, {}, blobOf(kPagedBlobSize, 'z'));
  QVERIFY2(made, made ? "" : made.error().message().c_str());
  QVERIFY(made->has(DiagnosticId::PlanCertificate));
  QCOMPARE(littleAt(made->output, directory, 8), uint64_t{0});
  QCOMPARE(made->output.size(), behind ? file.size() : file.size() - 1'000);
  QCOMPARE(littleAt(made->output, field, 4), uint64_t{checksum ? checksumOf(made->output, field) : 0});
  QCOMPARE(QString::fromStdString(problemsOf(*made, {}, blobOf(kPagedBlobSize, 'z'))), QString());
  // A table that begins before the blob does not count.
  const auto refused =
      replaceBlob(file.replace(directory, 4, ByteBuilder().u32(16).take()), {}, blobOf(kPagedBlobSize, 'z'));
  QCOMPARE(idOf(refused), "REP-SHAPE"s);
}

void TestPlanInPlace::coffChecksumIsUpdated() {
  const auto crcOf = [](const std::string& content) {
    uint32_t crc = 0xffffffff;
    for (const char byte : content)
      for (int bit = 0; bit < 8; ++bit)
        crc = crc >> 1 ^ (((crc ^ (static_cast<unsigned char>(byte) >> bit)) & 1) ? 0xedb88320 : 0);
    return crc;
  };
  for (const bool isBig : {false, true})
    for (const bool right : {false, true}) {
      const std::string content = "1234" + blobOf(kPagedBlobSize);
      const uint32_t crc = crcOf(content) + !right;
      CoffBuilder coff;
      coff.big = isBig;
      coff.sections = {{".text", 0x60000020, "code"}, {".rdata", 0x40000040, content}};
      const auto definition = [](const std::string& bytes, uint32_t sum) {
        return ByteBuilder().u32(static_cast<uint32_t>(bytes.size())).u16(0).u16(0).u32(sum).u16(0).u8(0).take();
      };
      coff.symbols = {{".text", 0, 1, 0, 3, {definition("code", crcOf("code"))}},
                      {".rdata", 0, 2, 0, 3, {definition(content, crc)}},
                      {kCarrier, 4, 2}};
      const std::string file = coff.build();
      const auto made = replaceBlob(file, {}, blobOf(kPagedBlobSize, 'z'));
      QVERIFY(made);
      const std::size_t at = file.rfind(ByteBuilder().u32(crc).take());
      QVERIFY(at != std::string::npos);
      QCOMPARE(littleAt(made->output, at, 4), uint64_t{right ? crcOf("1234" + blobOf(kPagedBlobSize, 'z')) : crc});
      QCOMPARE(QString::fromStdString(problemsOf(*made, {}, blobOf(kPagedBlobSize, 'z'))), QString());
    }
}

void TestPlanInPlace::pageHashesAreUpdated() {
  const Signed file = signedFile(blobOf(kPagedBlobSize));
  // The last byte of the blob differs from the old one in three pages of the file.
  std::string replacement = blobOf(kPagedBlobSize);
  replacement[replacement.size() / 2] = 'z';
  for (const std::string& text : {replacement, blobOf(kPagedBlobSize - 100, 'q')}) {
    const auto made = replaceBlob(file.file, {}, text);
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QVERIFY(made->has(DiagnosticId::PlanResigned));
    QVERIFY(made->output.substr(file.signature) == signatureOf(made->output, file.signature, {}));
    QCOMPARE(QString::fromStdString(problemsOf(*made, {}, text)), QString());
    std::size_t hashes = 0;
    for (const write::Change& change : made->plan.changes) hashes += change.why.starts_with("page") ? change.size : 0;
    // Bytes of two hashes may be equal by chance.
    QVERIFY2(text == replacement ? hashes > 16 && hashes <= 32 : hashes > 32 && hashes <= 4 * 32,
             std::to_string(hashes).c_str());
  }
  // A wrong hash of an untouched page stays wrong.
  std::string wrong = file.file;
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  const auto made = replaceBlob(wrong, {}, replacement);
  QVERIFY(made);
  QCOMPARE(made->output.back(), wrong.back());
}

void TestPlanInPlace::signatureByAnIdentityIsRefused_data() {
  QTest::addColumn<int>("what");
  const char* const names[] = {"certificates", "team", "two directories", "not ad-hoc", "SHA-1"};
  for (int i = 0; i < 5; ++i) QTest::newRow(names[i]) << i;
}

void TestPlanInPlace::signatureByAnIdentityIsRefused() {
  QFETCH(int, what);
  SignatureShape shape;
  if (what == 0) shape.cms = 2'000;
  if (what == 1) shape.team = 88;
  if (what == 2) shape.directories = 2;
  if (what == 3) shape.flags = 0;
  if (what == 4) shape.hashType = 1;
  const Signed file = signedFile(blobOf(kPagedBlobSize), shape);
  const std::string replacement = blobOf(kPagedBlobSize, 'z');
  QCOMPARE(idOf(replaceBlob(file.file, {}, replacement)), "REP-SIGNED"s);
  write::PlanOptions options;
  options.signature = Signature::AdHoc;
  const auto made = replaceBlob(file.file, {}, replacement, options);
  QVERIFY2(made, made ? "" : made.error().message().c_str());
  QCOMPARE(made->output.size(), file.file.size());
  SignatureShape adHoc;
  adHoc.flags = 2;
  std::string expected = signatureOf(made->output, file.signature, adHoc);
  expected.resize(file.file.size() - file.signature, '\0');
  QVERIFY(made->output.substr(file.signature) == expected);
  QVERIFY(made->has(DiagnosticId::PlanResigned));
  // A file that is now ad hoc is edited as such.
  QVERIFY(replaceBlob(made->output, {}, blobOf(kPagedBlobSize, 'y')));
}

void TestPlanInPlace::signatureCanBeRemoved() {
  const Signed file = signedFile(blobOf(kPagedBlobSize), {.cms = 2'000});
  const std::string replacement = blobOf(kPagedBlobSize, 'z');
  write::PlanOptions options;
  options.signature = Signature::Remove;
  const auto made = replaceBlob(file.file, {}, replacement, options);
  QVERIFY2(made, made ? "" : made.error().message().c_str());
  QCOMPARE(made->output.size(), file.signature);
  QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
  const auto& sections = made->after->image.sections;
  QVERIFY(std::none_of(sections.begin(), sections.end(),
                       [](const auto& section) { return section.name == "(code signature)"; }));
  QCOMPARE(littleAt(made->output, 16, 4), littleAt(file.file, 16, 4) - 1);
  QCOMPARE(littleAt(made->output, 20, 4), littleAt(file.file, 20, 4) - 16);
  QCOMPARE(made->after->image.segments.back().file.end(), uint64_t{file.signature});
  // Bytes after the signature are not understood.
  QCOMPARE(idOf(replaceBlob(file.file + "more", {}, replacement, options)), "REP-SHAPE"s);
  // A file without a signature needs none removed.
  QVERIFY(replaceBlob(made->output, {}, blobOf(kPagedBlobSize, 'y'), options));
}

void TestPlanInPlace::damagedSignatureIsRefused_data() {
  QTest::addColumn<std::string>("file");
  const Signed good = signedFile(blobOf(kPagedBlobSize));
  const auto with = [&](std::size_t at, const std::string& text) {
    std::string file = good.file;
    return file.replace(good.signature + at, text.size(), text);
  };
  SignatureShape scatter, large, few;
  scatter.scatter = 1;
  large.pageBits = 17;
  few.extraPages = 1;
  QTest::newRow("no superblob") << with(0, big(1));
  QTest::newRow("many parts") << with(8, big(0x10000000));
  QTest::newRow("part outside") << with(16, big(0x10000000));
  QTest::newRow("long part") << with(24, big(0x10000000));
  QTest::newRow("no directory") << with(12, big(7));
  QTest::newRow("scattered") << signedFile(blobOf(kPagedBlobSize), scatter).file;
  QTest::newRow("large pages") << signedFile(blobOf(kPagedBlobSize), large).file;
  QTest::newRow("wrong number of pages") << signedFile(blobOf(kPagedBlobSize), few).file;
  QTest::newRow("cut off") << good.file.substr(0, good.file.size() - 1);
}

void TestPlanInPlace::damagedSignatureIsRefused() {
  QFETCH(std::string, file);
  QCOMPARE(idOf(replaceBlob(file, {}, blobOf(kPagedBlobSize, 'z'))), "REP-SHAPE"s);
}

void TestPlanInPlace::wasmSegmentsAreRewritten_data() {
  QTest::addColumn<bool>("counted");
  QTest::addColumn<bool>("named");
  QTest::addColumn<std::string>("replacement");
  for (const bool counted : {false, true})
    for (const bool named : {false, true}) {
      const auto row = [&](const char* what, const std::string& replacement) {
        QTest::addRow("%s%s%s", what, counted ? ", counted" : "", named ? ", named in code" : "")
            << counted << named << replacement;
      };
      row("the same holes", holes(6'000, 'z'));
      row("no holes", blobOf(holes(6'000, 'a').size(), 'z'));
      row("smaller", holes(3'000, 'z'));
      row("smaller, without holes", blobOf(3'000, 'z'));
      std::string text; // a blob that needs far more segments
      for (int i = 0; i < 250; ++i) text += "k" + std::string(19, '\0');
      row("many holes", blobWith(text));
    }
}

void TestPlanInPlace::wasmSegmentsAreRewritten() {
  QFETCH(bool, counted);
  QFETCH(bool, named);
  QFETCH(std::string, replacement);
  const std::string old = holes(6'000, 'a'), before = "before", behind = "behind";
  std::vector<std::string> data = {wasm::dataAt(16, "elsewhere")};
  for (std::string& segment : packed(before + old + behind, kBase)) data.push_back(std::move(segment));
  data.push_back(wasm::dataAt(60'000, "far away"));
  std::vector<std::string> sections;
  if (counted) sections.push_back(wasm::section(12, wasm::leb(data.size())));
  sections.push_back(
      wasm::section(10, wasm::list({wasm::body(named ? "\x41\x00\x41\x00\x41\x00\xfc\x08\x01\x00"s : wasm::kDrop)})));
  const std::string file = linked(data, sections, kBase + 6);
  const auto made = replaceBlob(file, {}, replacement);
  QVERIFY2(made, made ? "" : made.error().message().c_str());
  QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());

  // The whole memory, rebuilt by the reader, is as expected.
  NullMonitor monitor;
  std::vector<Diagnostic> diagnostics;
  const auto memory =
      container::rebuildMemory(bytes(made->output), Budget::forFile(made->output.size()), monitor, diagnostics);
  QVERIFY(memory && diagnostics.empty());
  QCOMPARE(memory->size(), std::size_t{1});
  const std::string all(memory->front().bytes.view());
  std::string expected = "elsewhere" + std::string(kBase - 25, '\0') + before + replacement +
                         std::string(old.size() - replacement.size(), '\0') + behind;
  expected.resize(60'000 - 16, '\0');
  QVERIFY(all == expected + "far away");
  // And it is not larger than another linker would make it, except for segments that must keep their numbers.
  if (!named) {
    std::vector<std::string> best = {wasm::dataAt(16, "elsewhere")};
    for (std::string& segment :
         packed(before + replacement + std::string(old.size() - replacement.size(), '\0') + behind, kBase))
      best.push_back(std::move(segment));
    best.push_back(wasm::dataAt(60'000, "far away"));
    QVERIFY(made->output.find(wasm::section(11, wasm::list(best))) != std::string::npos ||
            made->output.size() < file.size() + 64);
    if (counted)
      QVERIFY(made->output.find(wasm::section(12, wasm::leb(best.size(), wasm::leb(data.size()).size()))) !=
              std::string::npos);
  } else if (counted) {
    QVERIFY(made->output.find(sections.front()) != std::string::npos);
  }
  const auto back = replaceBlob(made->output, {}, replacement);
  QVERIFY(back && back->output == made->output);
}

void TestPlanInPlace::unusualWasmIsRefused_data() {
  QTest::addColumn<std::string>("file");
  const std::string blob = holes(2'000, 'a');
  const std::vector<std::string> data = packed("1234" + blob, kBase);
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = data;
    all.insert(all.end(), more.begin(), more.end());
    return linked(all, {}, kBase + 4);
  };
  QTest::newRow("segments on top of others") << with({wasm::dataAt(kBase, "12")});
  QTest::newRow("a segment at a global's place") << with({wasm::dataBy(wasm::globalGet(9), "12")});
  std::vector<std::string> sections = {
      wasm::section(2, wasm::list({wasm::importMemory(2)})), wasm::section(6, wasm::list({wasm::global(kBase + 4)})),
      wasm::section(7, wasm::list({wasm::exported(kCarrier, 3, 0)})), wasm::section(11, wasm::list(data))};
  QTest::newRow("imported memory") << wasm::module(sections);
}

void TestPlanInPlace::unusualWasmIsRefused() {
  QFETCH(std::string, file);
  QCOMPARE(idOf(replaceBlob(file, {}, holes(2'000, 'z'))), "REP-SHAPE"s);
}

void TestPlanInPlace::sourceKeepsItsStyle_data() {
  QTest::addColumn<std::string>("head"); // with {N}
  QTest::addColumn<std::string>("item");
  QTest::addColumn<int>("perLine");
  QTest::addColumn<std::string>("gap");
  QTest::addColumn<std::string>("lineGap");
  QTest::addColumn<std::string>("tail");
  const std::string head =
      "extern const unsigned char __tvm_dev_mblob[];\nconst unsigned char __tvm_dev_mblob[{N}] = {";
  QTest::newRow("before v0.14") << head + "\n  " << "0x%x"s << 20 << ","s << ",\n  "s << "\n};\n"s;
  QTest::newRow("v0.21") << head + "\n  " << "0x%02x"s << 20 << ","s << ",\n  "s << ",\n};\n"s;
  QTest::newRow("other lines") << head + "\r\n\t" << "0x%02X"s << 12 << ", "s << ",\r\n\t"s << "\r\n};\r\n"s;
  QTest::newRow("decimal") << head << "%u"s << 20 << ","s << ",\n"s << "};"s;
  QTest::newRow("one line") << head + " " << "0x%02xu"s << 100'000 << ", "s << ",\n"s << " };"s;
  QTest::newRow("no size") << "const char __tvm_dev_mblob[] = { // bytes\n"s << "0x%02x"s << 20 << ","s << ",\n"s
                           << "\n};\n"s;
  QTest::newRow("two sizes") << "extern const char __tvm_dev_mblob[{N}];\nconst char __tvm_dev_mblob[ {N} ] = {\n"s
                             << "0x%02x"s << 20 << ","s << ",\n"s
                             << "\n};\nint last(void) { return __tvm_dev_mblob[7]; }\n"s;
  QTest::newRow("octal") << "const char __tvm_dev_mblob[{O}] = {\n"s << "0%o"s << 20 << ", "s << ",\n"s << "\n};\n"s;
  QTest::newRow("filled, suffix") << "const char __tvm_dev_mblob[{N}ul /* bytes */] = {\n"s << "0X%02Xu"s << 20 << ", "s
                                  << ",\n"s << "\n};\n"s;
  QTest::newRow("suffix") << "const char __tvm_dev_mblob[ /* bytes */ {N}] = {\n"s << "0x%xU"s << 20 << " , "s << ",\n"s
                          << "\n};\n"s;
  QTest::newRow("hexadecimal size") << "const char __tvm_dev_mblob[{X}] = {\n"s << "0x%02x"s << 20 << ","s << ",\n"s
                                    << "\n};\n"s;
}

void TestPlanInPlace::sourceKeepsItsStyle() {
  QFETCH(std::string, head);
  QFETCH(std::string, item);
  QFETCH(int, perLine);
  QFETCH(std::string, gap);
  QFETCH(std::string, lineGap);
  QFETCH(std::string, tail);
  const auto textOf = [&](const std::string& blob) {
    std::string text = head;
    char octal[16];
    std::snprintf(octal, sizeof octal, "0%zo", blob.size());
    for (const auto& [mark, number] : {std::pair{"{N}"s, std::to_string(blob.size())},
                                       std::pair{"{X}"s, hexText(blob.size())}, std::pair{"{O}"s, std::string(octal)}})
      for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, 3, number);
    for (std::size_t i = 0; i < blob.size(); ++i) {
      char word[16];
      std::snprintf(word, sizeof word, item.c_str(), static_cast<unsigned>(static_cast<unsigned char>(blob[i])));
      text += (i == 0 ? "" : i % static_cast<std::size_t>(perLine) == 0 ? lineGap : gap) + word;
    }
    return text + tail;
  };
  for (const std::size_t size : {300, 1'003, 1'204, 20'000}) {
    const std::string replacement = blobOf(size, '~');
    const auto made = replaceBlob(textOf(blobOf(1'003)), {}, replacement);
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(QString::fromStdString(made->output), QString::fromStdString(textOf(replacement)));
    if (head.find("[]") == std::string::npos || size == 1'003 || head.find("{N}") != std::string::npos)
      QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
  }
}

/// Spellings that are not preserved: the bytes are right.
void TestPlanInPlace::otherSpellingsGiveTheSameBytes() {
  const std::string old = blobOf(kPagedBlobSize);
  for (int spelling = 0; spelling < 3; ++spelling) {
    std::string file = "const char __tvm_dev_mblob[" +
                       (spelling == 1 ? "0b" + QByteArray::number(qulonglong{kPagedBlobSize}, 2).toStdString()
                                      : std::to_string(kPagedBlobSize)) +
                       "] = {";
    for (std::size_t i = 0; i < old.size(); ++i) {
      const auto value = static_cast<unsigned char>(old[i]);
      std::string item = std::to_string(value);
      if (spelling == 0 && value >= 32 && value < 127 && value != '\\') item = "'"s + old[i] + "'";
      if (spelling == 1) item = "0b" + QByteArray::number(value, 2).rightJustified(8, '0').toStdString();
      if (spelling == 2 && i % 3 == 0) item = "/* , } */ " + item + " // 0x00,\n";
      file += (i > 0 ? ", " : "") + item;
    }
    file += "};\n";
    for (const std::size_t size : {kPagedBlobSize - 1, kPagedBlobSize + 1, kPagedBlobSize * 3}) {
      const auto made = replaceBlob(file, {}, blobOf(size, '\''));
      QVERIFY2(made, made ? "" : made.error().message().c_str());
      QCOMPARE(QString::fromStdString(problemsOf(*made, {}, blobOf(size, '\''))), QString());
      if (spelling != 1) continue;
      const auto back = replaceBlob(made->output, {}, old);
      QVERIFY(back && back->output == file);
    }
  }
}

void TestPlanInPlace::invalidSourceIsRefused_data() {
  QTest::addColumn<std::string>("from");
  QTest::addColumn<std::string>("to");
  QTest::newRow("size that is not a number") << "["s + std::to_string(kPagedBlobSize) + "]" << "[SIZE]"s;
  QTest::newRow("other size") << "["s + std::to_string(kPagedBlobSize) + "]" << "[10000]"s;
  QTest::newRow("more items") << "\n};"s << ",0x00\n};"s;
  QTest::newRow("not an item") << "\n};"s << " /x\n};"s;
  QTest::newRow("empty item") << "\n};"s << ",,1\n};"s;
}

void TestPlanInPlace::invalidSourceIsRefused() {
  QFETCH(std::string, from);
  QFETCH(std::string, to);
  std::string file = sourceFile(blobOf(kPagedBlobSize));
  file.replace(file.find(from), from.size(), to);
  QCOMPARE(idOf(replaceBlob(file, {}, blobOf(kPagedBlobSize, 'z'))), "REP-SHAPE"s);
}

void TestPlanInPlace::planningCanBeCancelled_data() {
  QTest::addColumn<std::string>("file");
  for (const Kind& kind : kinds()) QTest::newRow(kind.name.c_str()) << kind.build(blobOf(kPagedBlobSize));
  QTest::newRow("signature") << signedFile(blobOf(kPagedBlobSize)).file;
}

void TestPlanInPlace::planningCanBeCancelled() {
  QFETCH(std::string, file);
  int looks = 0;
  for (;; ++looks) {
    StopAfter stop(looks);
    const auto made = replaceBlob(file, {}, blobOf(kPagedBlobSize, 'z'), {}, &stop);
    if (made) break;
    QVERIFY(made.error().code() == ErrorCode::Cancelled);
    QVERIFY(looks < 1'000);
  }
  QVERIFY(looks > 0);
}

void TestPlanInPlace::damagedFilesGiveAValidPlanOrARefusal_data() {
  QTest::addColumn<std::string>("file");
  const std::string blob = blobOf(300);
  for (const Kind& kind : kinds()) QTest::newRow(kind.name.c_str()) << kind.build(blob);
  PeBuilder pe;
  pe.certificate = "certificate!";
  QTest::newRow("certificate") << pe.function("run").data(kCarrier, blob).build();
  MachOBuilder macho;
  macho.data("_"s + kCarrier, blob);
  macho.signature = "12345678";
  const std::size_t place = macho.build().size() - 8;
  macho.signature = signatureOf(std::string(place, '\0'), place, {});
  QTest::newRow("signature") << macho.build();
}

/// Whichever byte is wrong: a valid plan, or a refusal.
void TestPlanInPlace::damagedFilesGiveAValidPlanOrARefusal() {
  QFETCH(std::string, file);
  NullMonitor monitor;
  const std::string replacement = blobOf(290, 'z');
  for (std::size_t at = 0; at < file.size(); at += 5) {
    if (at > 400 && file[at] == 'a' && at % 16 != 0) continue; // the blob's own text
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string wrong = file;
      wrong[at] = value;
      const auto package = openBytes(wrong);
      if (!package) continue;
      for (const auto& blob : (*package)->blobs)
        for (const Signature signature : {Signature::Keep, Signature::AdHoc, Signature::Remove}) {
          write::PlanOptions options;
          options.signature = signature;
          const auto plan = write::planBlob({**package, *blob, newBlob(replacement), options, monitor});
          if (!plan) continue;
          const auto output = write::assemble(*plan, (*package)->bytes, monitor);
          QVERIFY(output && output->size() == plan->size());
        }
    }
  }
}

BLOBSCOPE_TEST(TestPlanInPlace);
#include "test_plan_in_place.moc"
