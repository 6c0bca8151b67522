#include "core/base/text.h"
#include "core/write/macho/trie.h"
#include "core/write/plan_parts.h"
#include "tests/core/write/macho_linker.h"
#include "tests/support/test_main.h"

#include <QDir>

#include <functional>
#include <random>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using write::PlanOptions;
using MachOChange = std::function<void(std::string&, const MachORules&)>;
Q_DECLARE_METATYPE(MachOChange)

namespace {} // namespace

class TestPlanMachO : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everySizeGivesAValidFile_data();
  void everySizeGivesAValidFile();
  void checkerDetectsEachBrokenRule_data();
  void checkerDetectsEachBrokenRule();
  void otherToolsAcceptTheFile_data();
  void otherToolsAcceptTheFile();
  void slicesOfUniversalFilesAreRewritten();
  void objectsAreRewritten_data();
  void objectsAreRewritten();
  void unusualObjectsAreRefused_data();
  void unusualObjectsAreRefused();
  void referencesToTheBlobAreFound_data();
  void referencesToTheBlobAreFound();
  void unsupportedFilesAreRefused_data();
  void unsupportedFilesAreRefused();
  void signaturesAreRenewedOrRefused();
  void otherPartsOfTheSignatureAreKept();
  void manyExportsAreRewritten();
  void longerTrieOffsetsMoveAllNodes();
  void oldBlobCanBeScrubbed();
  void planningCanBeCancelled();
  void corpusLibrariesAreRewritten();
  void damagedFilesGiveAValidPlanOrARefusal_data();
  void damagedFilesGiveAValidPlanOrARefusal();

private:
  Linker m_linker;
};

#define NEEDS_LINKER()                                                                                                 \
  if (const std::string missing = Linker::missing(); !missing.empty()) QSKIP(missing.c_str())

void TestPlanMachO::everySizeGivesAValidFile_data() {
  QTest::addColumn<std::string>("arch");
  QTest::addColumn<bool>("chained");
  QTest::addColumn<std::string>("headerPad");
  QTest::addColumn<int>("segments");
  for (const char* const arch : {"arm64", "x86_64"})
    for (const bool chained : {true, false})
      for (const char* const pad : {"0x10", "0x20", "0x50", "0xa0"})
        for (const int segments : {2, 3, 4})
          QTest::addRow("%s, %s, %s, %d segments", arch, chained ? "chained" : "opcodes", pad, segments)
              << std::string(arch) << chained << std::string(pad) << segments;
}

void TestPlanMachO::everySizeGivesAValidFile() {
  NEEDS_LINKER();
  Shape shape;
  QFETCH(std::string, arch);
  QFETCH(bool, chained);
  QFETCH(std::string, headerPad);
  QFETCH(int, segments);
  shape.arch = arch, shape.chained = chained, shape.headerPad = headerPad, shape.segments = segments;
  const std::string file = m_linker.library(shape);
  QCOMPARE(QString::fromStdString(brokenRules(file)), QString());
  QCOMPARE(MachORules(file).segments.size(), static_cast<std::size_t>(segments));
  const bool signs = arch == "arm64";

  // In place.
  QVERIFY(replaced(file, shape.blob).output == file);
  for (const std::string& replacement : {blobOf(kMachOBlob, 'z'), blobOf(kMachOBlob - 100, 'z')}) {
    const Replaced made = replaced(file, replacement);
    QCOMPARE(QString::fromStdString(problems(made, replacement)), QString());
    QCOMPARE(write::strategyName(made.plan), "in-place"s);
    QCOMPARE(made.output.size(), file.size());
  }
  const std::string a = blobOf(30'000, 'A'), b = blobOf(70'000, 'B');
  if (headerPad == "0x10") {
    QCOMPARE(idOf(replaceBlob(file, {}, a)), "REP-HDRPAD"s);
    return;
  }

  // Larger, still larger, and back.
  const Replaced first = replaced(file, a);
  QCOMPARE(QString::fromStdString(problems(first, a)), QString());
  QCOMPARE(write::strategyName(first.plan), "append-segment"s);
  QCOMPARE(first.has(DiagnosticId::PlanNoSection), headerPad != "0xa0");
  QCOMPARE(first.has(DiagnosticId::PlanResigned), signs);
  QVERIFY(first.has(DiagnosticId::PlanDead) && first.has(DiagnosticId::PlanUnreferenced) &&
          !first.has(DiagnosticId::PlanUnsigned));
  const MachORules rules(first.output);
  QCOMPARE(rules.segments.size(), static_cast<std::size_t>(segments + 1));
  // In the smallest header that is enough, unneeded load commands make room.
  QCOMPARE(rules.piece("function starts") == nullptr, headerPad == "0x20");
  QCOMPARE(rules.segments[rules.segments.size() - 2].name, "__TVM_BLOB"s);
  QCOMPARE(rules.segments[rules.segments.size() - 2].sections, uint64_t{headerPad == "0xa0"});
  QCOMPARE(rules.exports.at("___tvm_dev_mblob"), rules.segments[rules.segments.size() - 2].address);
  if (!toolPath("llvm-objdump").isEmpty()) QCOMPARE(QString::fromStdString(m_linker.objdump(first.output)), QString());
  QVERIFY(replaced(file, a).output == first.output);
  const Replaced second = replaced(first.output, b);
  QCOMPARE(QString::fromStdString(problems(second, b)), QString());
  QCOMPARE(write::strategyName(second.plan), "resize"s);
  QVERIFY(!second.has(DiagnosticId::PlanDead));
  QVERIFY(second.output == replaced(file, b).output);
  const Replaced third = replaced(second.output, a);
  QCOMPARE(QString::fromStdString(problems(third, a)), QString());
  QVERIFY(third.output == first.output);
  // Smaller than the original blob: the new place shrinks, too.
  const Replaced small = replaced(second.output, shape.blob);
  QCOMPARE(QString::fromStdString(problems(small, shape.blob)), QString());
  QVERIFY(small.output.size() < first.output.size());
  QVERIFY(replaced(small.output, a).output == first.output);
  if (segments != 3 || headerPad != "0xa0") return;
  const std::string huge = blobOf(5'000'000, 'H');
  const Replaced fourth = replaced(file, huge);
  QCOMPARE(QString::fromStdString(problems(fourth, huge)), QString());
  QVERIFY(replaced(fourth.output, a).output == first.output);
}

/// Each rule of the checker fails for a file that breaks it.
void TestPlanMachO::checkerDetectsEachBrokenRule_data() {
  QTest::addColumn<std::string>("rule");
  QTest::addColumn<MachOChange>("change");
  const auto row = [](const char* rule, MachOChange change) {
    QTest::newRow(rule) << std::string(rule) << std::move(change);
  };
  const auto own = [](const MachORules& rules) { return rules.segments[rules.segments.size() - 2]; };
  const auto last = [](const MachORules& rules) { return rules.segments.back(); };
  row("there are segments", [=](auto& file, auto&) { put(file, 16, 0, 8); });
  row("load commands have the sizes that the header says",
      [=](auto& file, auto& rules) { put(file, 20, rules.number(20) + 8); });
  row("__LINKEDIT is the last segment", [=](auto& file, auto& rules) { file[last(rules).at + 9] = 'X'; });
  row("__LINKEDIT can only be read", [=](auto& file, auto& rules) { put(file, last(rules).at + 60, 3); });
  row("__LINKEDIT ends with the file", [=](auto& file, auto&) { file += std::string(16, '\0'); });
  row("names of segments are unique",
      [=](auto& file, auto& rules) { file.replace(own(rules).at + 8, 16, "__TEXT"s + std::string(10, '\0')); });
  row("segments ascend in memory", [=](auto& file, auto& rules) { put(file, own(rules).at + 24, 0x4000, 8); });
  row("segments ascend in the file", [=](auto& file, auto& rules) { put(file, own(rules).at + 40, 0x4000, 8); });
  row("segments begin with pages",
      [=](auto& file, auto& rules) { put(file, own(rules).at + 40, own(rules).offset + 16, 8); });
  row("segments lie in the file",
      [=](auto& file, auto& rules) { put(file, last(rules).at + 48, last(rules).size + 1, 8); });
  row("no segment has more bytes than memory",
      [=](auto& file, auto& rules) { put(file, own(rules).at + 32, own(rules).size - 1, 8); });
  row("sections lie in their segment",
      [=](auto& file, auto& rules) { put(file, own(rules).at + 72 + 40, own(rules).memory + 1, 8); });
  row("sections lie in the bytes of their segment",
      [=](auto& file, auto& rules) { put(file, own(rules).at + 72 + 48, own(rules).offset + 8); });
  row("load commands end before the first section",
      [=](auto& file, auto& rules) { put(file, rules.segments.front().at + 72 + 48, 0x100); });
  row("symbols name sections", [=](auto& file, auto& rules) {
    const auto* const symbols = rules.piece("symbols");
    for (uint64_t at = symbols->offset; at < symbols->offset + symbols->size; at += 16)
      if ((rules.number(at + 4, 1) & 0xf) == 0xf) file[at + 5] = 99;
  });
  row("tables are aligned", [=](auto& file, auto& rules) {
    put(file, rules.piece("function starts")->field, rules.piece("function starts")->offset + 4);
  });
  row("tables do not overlap", [=](auto& file, auto& rules) {
    put(file, rules.piece("function starts")->field, rules.piece("symbols")->offset);
  });
  row("tables are contiguous",
      [=](auto& file, auto& rules) { put(file, rules.piece("fixups")->field + 4, rules.piece("fixups")->size - 16); });
  row("tables end with __LINKEDIT", [=](auto& file, auto& rules) {
    put(file, rules.piece("signature")->field + 4, rules.piece("signature")->size - 32);
  });
  row("empty tables lie in __LINKEDIT", [=](auto& file, auto& rules) {
    for (const auto& piece : rules.pieces)
      if (piece.name == "data in code") put(file, piece.field, 0x4000);
  });
  row("chained fixups count the segments", [=](auto& file, auto& rules) {
    put(file, rules.piece("fixups")->offset + rules.number(rules.piece("fixups")->offset + 4), 4);
  });
  row("chained fixups lie behind their list",
      [=](auto& file, auto& rules) { put(file, rules.piece("fixups")->offset + 32 + 8, 8); });
  row("chained fixups know their segments", [=](auto& file, auto& rules) {
    const uint64_t starts = rules.piece("fixups")->offset + 32;
    put(file, starts + rules.number(starts + 8) + 8, 0x123, 8);
  });
  row("imports lie behind the chained fixups",
      [=](auto& file, auto& rules) { put(file, rules.piece("fixups")->offset + 8, 28); });
  row("exports lie below __LINKEDIT", [=](auto& file, auto& rules) { put(file, own(rules).at + 32, 0, 8); });
  row("the trie says what the symbol table says", [=](auto& file, auto& rules) {
    const auto* const symbols = rules.piece("symbols");
    for (uint64_t at = symbols->offset; at < symbols->offset + symbols->size; at += 16)
      if ((rules.number(at + 4, 1) & 0xf) == 0xf) put(file, at + 8, 0x1000, 8);
  });
  row("code for arm64 is signed", [=](auto& file, auto& rules) { put(file, rules.piece("signature")->field + 4, 0); });
  row("the signature ends the file", [=](auto& file, auto& rules) {
    put(file, rules.piece("signature")->field + 4, rules.piece("signature")->size - 8);
  });
  row("the signature has its shape", [=](auto& file, auto& rules) { file[rules.piece("signature")->offset] = 0; });
  row("the signature is for all in front of it", [=](auto& file, auto& rules) { put(file, rules.directory + 32, 0); });
  row("the signature has a hash for each page", [=](auto& file, auto& rules) { put(file, rules.directory + 28, 0); });
  row("the hashes are those of the pages", [=](auto& file, auto& rules) { file[own(rules).offset + 0x2000] ^= 1; });
}

void TestPlanMachO::checkerDetectsEachBrokenRule() {
  NEEDS_LINKER();
  QFETCH(std::string, rule);
  QFETCH(MachOChange, change);
  std::string file = replaced(m_linker.library({}), blobOf(30'000)).output;
  QCOMPARE(QString::fromStdString(brokenRules(file)), QString());
  const std::string good = file;
  change(file, MachORules(good));
  const std::string broken = brokenRules(file);
  QVERIFY2(broken.find(rule + "; ") != std::string::npos, ("broken instead: " + broken).c_str());
}

void TestPlanMachO::otherToolsAcceptTheFile_data() {
  QTest::addColumn<std::string>("tool");
  QTest::addColumn<QStringList>("arguments");
  QTest::newRow("llvm-strip") << "llvm-strip"s << words("-x");
  QTest::newRow("llvm-objcopy") << "llvm-objcopy"s << words("--strip-debug");
  QTest::newRow("llvm-install-name-tool") << "llvm-install-name-tool"s << words("-id @rpath/another.dylib");
}

void TestPlanMachO::otherToolsAcceptTheFile() {
  NEEDS_LINKER();
  QFETCH(std::string, tool);
  QFETCH(QStringList, arguments);
  if (toolPath(tool.c_str()).isEmpty()) QSKIP((tool + "-19 is not installed").c_str());
  for (const char* const arch : {"arm64", "x86_64"})
    for (const bool chained : {true, false}) {
      Shape shape;
      shape.arch = arch, shape.chained = chained;
      const std::string a = blobOf(30'000, 'A'), b = blobOf(90'000, 'B');
      const std::string edited = m_linker.after(tool.c_str(), arguments, replaced(m_linker.library(shape), a).output);
      const auto opened = openBytes(edited);
      QVERIFY2(opened && (*opened)->blobs.size() == 1, edited.substr(0, 200).c_str());
      QVERIFY((*opened)->blobs[0]->bytes.view() == a);
      // The output of the tool is edited again, in both directions.
      for (const std::string& replacement : {b, blobOf(500, 'C')}) {
        const Replaced again = replaced(edited, replacement);
        QVERIFY2(again.after, again.output.c_str());
        QCOMPARE(write::strategyName(again.plan), "resize"s);
        QCOMPARE(QString::fromStdString(problems(again, replacement)), QString::fromStdString(brokenRules(edited)));
      }
    }
}

void TestPlanMachO::slicesOfUniversalFilesAreRewritten() {
  NEEDS_LINKER();
  if (toolPath("llvm-lipo").isEmpty()) QSKIP("llvm-lipo-19 is not installed");
  std::map<std::string, std::string> thin;
  QStringList create = {QStringLiteral("-create"), QStringLiteral("-output"), m_linker.path(QStringLiteral("fat"))};
  for (const char* const arch : {"x86_64", "arm64"}) {
    Shape shape;
    shape.arch = arch;
    thin[arch] = m_linker.library(shape);
    create << m_linker.path(QLatin1String(arch));
    QVERIFY(writeFile(create.back(), thin[arch]));
  }
  QCOMPARE(QString::fromStdString(complaints(toolPath("llvm-lipo"), create)), QString());
  const auto extract = [&](const std::string& fat, const char* arch) {
    writeFile(m_linker.path(QStringLiteral("fat")), fat);
    const QString out = m_linker.path(QStringLiteral("thin"));
    QFile::remove(out);
    const std::string said =
        complaints(toolPath("llvm-lipo"), {m_linker.path(QStringLiteral("fat")), QStringLiteral("-thin"),
                                           QLatin1String(arch), QStringLiteral("-output"), out});
    return said.empty() ? readFile(out) : said;
  };
  const std::string fat = readFile(m_linker.path(QStringLiteral("fat"))), a = blobOf(60'000, 'A'),
                    b = blobOf(30'000, 'B');
  const auto one = replaceBlob(fat, {"x86_64"}, a);
  QVERIFY2(one, one ? "" : one.error().message().c_str());
  QCOMPARE(QString::fromStdString(problemsOf(*one, {"x86_64"}, a)), QString());
  const auto both = replaceBlob(one->output, {"aarch64"}, b);
  QVERIFY2(both, both ? "" : both.error().message().c_str());
  QCOMPARE(QString::fromStdString(problemsOf(*both, {"aarch64"}, b)), QString());
  QVERIFY(extract(one->output, "x86_64") == replaced(thin["x86_64"], a).output);
  QVERIFY(extract(one->output, "arm64") == thin["arm64"]);
  QVERIFY(extract(both->output, "x86_64") == replaced(thin["x86_64"], a).output);
  QVERIFY(extract(both->output, "arm64") == replaced(thin["arm64"], b).output);
  QCOMPARE(QString::fromStdString(m_linker.objdump(both->output, words("--universal-headers --arch=all"))), QString());
  // lipo makes the same file from the edited slices.
  for (const char* const arch : {"x86_64", "arm64"})
    writeFile(m_linker.path(QLatin1String(arch)), replaced(thin[arch], arch == "arm64"s ? b : a).output);
  QCOMPARE(QString::fromStdString(complaints(toolPath("llvm-lipo"), create)), QString());
  QVERIFY(readFile(m_linker.path(QStringLiteral("fat"))) == both->output);
  // Back and forth without a trace.
  const auto more = replaceBlob(both->output, {"x86_64"}, blobOf(90'000, 'C'));
  QVERIFY(more);
  const auto back = replaceBlob(more->output, {"x86_64"}, a);
  QVERIFY(back && back->output == both->output);
}

void TestPlanMachO::objectsAreRewritten_data() {
  QTest::addColumn<std::string>("arch");
  QTest::newRow("arm64") << "arm64"s;
  QTest::newRow("x86_64") << "x86_64"s;
}

/// After linking, the symbol leads to the new bytes, and all other symbols to the old ones.
void TestPlanMachO::objectsAreRewritten() {
  NEEDS_LINKER();
  QFETCH(std::string, arch);
  Shape shape;
  shape.arch = arch, shape.chained = false;
  shape.more = ".section __DATA,__data\n.globl _blob\n.p2align 3\n_blob:\n .quad ___tvm_dev_mblob\n .quad "
               "___tvm_dev_mblob+16\n .quad _name\n"
               ".section __TEXT,__const\n_name:\n .asciz \"name\"\n.section __TEXT,__text\n.p2align 2\n_get:\n"s +
               (arch == "arm64" ? " adrp x0, ___tvm_dev_mblob@GOTPAGE\n ldr x0, [x0, ___tvm_dev_mblob@GOTPAGEOFF]\n "
                                  "adrp x1, _behind@PAGE\n add x1, x1, _behind@PAGEOFF\n ret\n"
                                : " movq ___tvm_dev_mblob@GOTPCREL(%rip), %rax\n leaq _behind(%rip), %rcx\n ret\n");
  const std::string object = m_linker.object(shape), a = blobOf(5'000'000, 'A'), b = blobOf(30'001, 'B');
  const auto linkedWell = [&](const std::string& file, const std::string& blob) {
    const std::string library = m_linker.link(file, shape);
    const MachORules rules(library);
    std::string text = brokenRules(library);
    const auto at = [&](uint64_t address) -> uint64_t {
      for (const auto& segment : rules.segments)
        if (address >= segment.address && address - segment.address < segment.size)
          return segment.offset + (address - segment.address);
      return 0;
    };
    const auto word = [&](uint64_t offset) { return rules.number(offset, 8); };
    const uint64_t place = rules.exports.at("___tvm_dev_mblob"), data = at(rules.exports.at("_blob"));
    if (library.compare(at(place), blob.size(), blob) != 0) text += "the blob; ";
    if (word(data) != place || word(data + 8) != place + 16) text += "pointers to the blob; ";
    if (library.compare(at(word(data + 16)), 5, "name\0"s) != 0) text += "what lies behind it; ";
    if (word(at(rules.exports.at("_behind"))) != 0x1122334455667788 ||
        word(at(rules.exports.at("_pointer"))) != rules.exports.at("_behind"))
      text += "other pointers; ";
    return text;
  };
  QCOMPARE(QString::fromStdString(linkedWell(object, shape.blob)), QString());
  const Replaced first = replaced(object, a);
  QVERIFY2(first.after, first.output.c_str());
  QCOMPARE(QString::fromStdString(problemsOf(first, {}, a)), QString());
  QCOMPARE(write::strategyName(first.plan), "append-section"s);
  QVERIFY(first.has(DiagnosticId::PlanDead));
  QCOMPARE(QString::fromStdString(linkedWell(first.output, a)), QString());
  if (!toolPath("llvm-objdump").isEmpty()) QCOMPARE(QString::fromStdString(m_linker.objdump(first.output)), QString());
  const Replaced second = replaced(first.output, b);
  QCOMPARE(QString::fromStdString(problemsOf(second, {}, b)), QString());
  QCOMPARE(write::strategyName(second.plan), "resize"s);
  QCOMPARE(QString::fromStdString(linkedWell(second.output, b)), QString());
  QVERIFY(second.output == replaced(object, b).output);
  QVERIFY(replaced(second.output, a).output == first.output);
  const PlanOptions options{.scrub = true};
  const Replaced scrub = replaced(object, b, options);
  QCOMPARE(QString::fromStdString(problemsOf(scrub, {}, b)), QString());
  QVERIFY(scrub.has(DiagnosticId::PlanScrubbed) && scrub.output.find(shape.blob.substr(500, 100)) == std::string::npos);
  QCOMPARE(QString::fromStdString(linkedWell(scrub.output, b)), QString());
}

void TestPlanMachO::unusualObjectsAreRefused_data() {
  QTest::addColumn<std::string>("arch");
  QTest::addColumn<std::string>("more");
  QTest::addColumn<std::string>("id");
  const std::string inside = ".globl _inside\n.set _inside, ___tvm_dev_mblob+100\n",
                    code = inside + ".section __TEXT,__text\n.p2align 2\n";
  const std::string pointer = inside + ".section __DATA,__data\n.p2align 3\n .quad _inside\n";
  QTest::newRow("arm64, pointer by another name") << "arm64"s << pointer << "REP-REL"s;
  QTest::newRow("x86_64, pointer by another name") << "x86_64"s << pointer << "REP-REL"s;
  QTest::newRow("arm64, code by another name") << "arm64"s << code + " adrp x0, _inside@PAGE\n" << "REP-REL"s;
  QTest::newRow("x86_64, code by another name") << "x86_64"s << code + " leaq _inside(%rip), %rax\n" << "REP-REL"s;
  QTest::newRow("x86_64, through the table") << "x86_64"s << code + " movq _inside@GOTPCREL(%rip), %rax\n"
                                             << "REP-REL"s;
}

void TestPlanMachO::unusualObjectsAreRefused() {
  NEEDS_LINKER();
  QFETCH(std::string, more);
  QFETCH(std::string, arch);
  QFETCH(std::string, id);
  Shape shape;
  shape.arch = arch, shape.more = more;
  QCOMPARE(idOf(replaceBlob(m_linker.object(shape), {}, blobOf(3'000))), id);
}

void TestPlanMachO::referencesToTheBlobAreFound_data() {
  QTest::addColumn<std::string>("arch");
  QTest::addColumn<bool>("chained");
  QTest::addColumn<std::string>("more");
  QTest::addColumn<std::string>("what");
  const std::string pointer = ".section __DATA,__data\n.p2align 3\n .quad ___tvm_dev_mblob+8\n";
  for (const char* const arch : {"arm64", "x86_64"})
    for (const bool chained : {true, false})
      QTest::addRow("%s, pointer, %s", arch, chained ? "chained" : "opcodes")
          << std::string(arch) << chained << pointer << "relocation"s;
  QTest::newRow("arm64, code")
      << "arm64"s << true
      << ".section __TEXT,__text\n.p2align 2\n adrp x0, ___tvm_dev_mblob@PAGE\n add x0, x0, ___tvm_dev_mblob@PAGEOFF\n"s
      << "instruction"s;
  QTest::newRow("x86_64, code") << "x86_64"s << true << ".section __TEXT,__text\n leaq ___tvm_dev_mblob(%rip), %rax\n"s
                                << "instruction"s;
}

void TestPlanMachO::referencesToTheBlobAreFound() {
  NEEDS_LINKER();
  QFETCH(std::string, arch);
  QFETCH(bool, chained);
  QFETCH(std::string, more);
  QFETCH(std::string, what);
  Shape shape;
  shape.arch = arch, shape.chained = chained, shape.more = more;
  const std::string file = m_linker.library(shape), replacement = blobOf(30'000);
  const auto refused = replaceBlob(file, {}, replacement);
  QCOMPARE(idOf(refused), "REP-REF"s);
  QVERIFY2(refused.error().message().find("(" + what + ")") != std::string::npos, refused.error().message().c_str());
  const PlanOptions force{.force = true};
  const Replaced forced = replaced(file, replacement, force);
  QCOMPARE(QString::fromStdString(problems(forced, replacement)), QString());
  QVERIFY(forced.has(DiagnosticId::PlanForced) && !forced.has(DiagnosticId::PlanUnreferenced));
  QVERIFY(replaceBlob(file, {}, blobOf(kMachOBlob, 'z')));
}

void TestPlanMachO::unsupportedFilesAreRefused_data() {
  QTest::addColumn<std::string>("id");
  QTest::addColumn<MachOChange>("change");
  const auto row = [](const char* name, const char* id, MachOChange change) {
    QTest::newRow(name) << std::string(id) << std::move(change);
  };
  const auto commandAt = [](const std::string& file, uint32_t id) {
    const MachORules rules(file);
    uint64_t at = 32;
    while (at < rules.commandsEnd && rules.number(at) != id) at += rules.number(at + 4);
    return at;
  };
  row("nothing", "none", [](auto&, auto&) {});
  row("only the trie names it", "none",
      [=](auto& file, auto& rules) { put(file, rules.piece("symbols")->field + 4, 0); });
  row("only the symbol table names it", "none",
      [=](auto& file, auto& rules) { put(file, rules.piece("trie")->field + 4, 0); });
  row("executable", "REP-TYPE", [=](auto& file, auto&) { put(file, 12, 2); });
  row("kernel extension", "REP-TYPE", [=](auto& file, auto&) { put(file, 12, 11); });
  row("bundle", "none", [=](auto& file, auto&) { put(file, 12, 8); });
  row("another processor", "REP-TYPE", [=](auto& file, auto&) { put(file, 4, 0x01000012); });
  row("from the shared cache", "REP-TYPE", [=](auto& file, auto&) { file[27] = static_cast<char>(0x80); });
  row("__LINKEDIT is not last", "REP-SHAPE",
      [=](auto& file, auto& rules) { file[rules.segments.back().at + 9] = 'X'; });
  row("bytes behind __LINKEDIT", "REP-SHAPE", [](auto& file, auto&) { file += "behind"; });
  row("segments in another order", "REP-SHAPE",
      [=](auto& file, auto& rules) { put(file, rules.segments[1].at + 24, 0x40000, 8); });
  row("foreign segment of our name", "REP-SHAPE", [](auto& file, auto& rules) {
    file.replace(rules.segments[2].at + 8, 16, "__TVM_BLOB"s + std::string(6, '\0'));
  });
  row("unknown command with an offset", "REP-SHAPE", [=](auto& file, auto& rules) {
    const uint64_t at = commandAt(file, 0x1b); // LC_UUID
    put(file, at, 0x7b);
    put(file, at + 8, rules.segments.back().offset + 8);
  });
  row("unknown command without one", "none", [=](auto& file, auto&) {
    const uint64_t at = commandAt(file, 0x1b);
    put(file, at, 0x7b);
    put(file, at + 8, 0, 8), put(file, at + 16, 0, 8);
  });
  row("two names lead to one node", "REP-TRIE", [](auto& file, auto& rules) {
    // The second child of the node at which the first child is read.
    const uint64_t at = rules.piece("trie")->offset;
    const std::size_t first = file.find("behind\0"s, at) + 7, second = file.find("pointer\0"s, at) + 8;
    file[second] = file[first];
  });
  row("a node leads to itself", "REP-TRIE",
      [](auto& file, auto& rules) { file[file.find("behind\0"s, rules.piece("trie")->offset) + 7] = 0; });
  row("the trie is not all there", "REP-SHAPE",
      [=](auto& file, auto& rules) { put(file, rules.piece("trie")->field + 4, 0xffffffff); });
  row("the trie is cut off", "REP-TRIE",
      [=](auto& file, auto& rules) { put(file, rules.piece("trie")->field + 4, 16); });
  row("exported as something else", "REP-SYM", [](auto& file, auto& rules) {
    const std::string name = "tvm_dev_mblob\0"s;
    const uint64_t at = rules.piece("trie")->offset;
    const auto node = static_cast<unsigned char>(file[file.find(name, at) + name.size()]);
    file[at + node + 1] = 0x10; // EXPORT_SYMBOL_FLAGS_STUB_AND_RESOLVER
  });
  row("the fixups count other segments", "REP-FIXUPS",
      [=](auto& file, auto& rules) { put(file, rules.piece("fixups")->offset + 32, 3); });
  row("pointers of an unknown form", "REP-FIXUPS", [=](auto& file, auto& rules) {
    const uint64_t starts = rules.piece("fixups")->offset + 32;
    put(file, starts + rules.number(starts + 8) + 6, 77, 2);
  });
  row("__LINKEDIT has fixups", "REP-FIXUPS",
      [=](auto& file, auto& rules) { put(file, rules.piece("fixups")->offset + 32 + 4 * 4, 24); });
  row("tables overlap", "REP-SHAPE", [=](auto& file, auto& rules) {
    put(file, rules.piece("function starts")->field, rules.piece("symbols")->offset);
  });
  row("a table outside of __LINKEDIT", "REP-SHAPE",
      [=](auto& file, auto& rules) { put(file, rules.piece("function starts")->field, 0x2000); });
  row("signed with an identity", "REP-SIGNED", [](auto& file, auto& rules) { file[rules.directory + 15] = 0; });
  row("signature of an unknown form", "REP-SHAPE",
      [](auto& file, auto& rules) { file[rules.piece("signature")->offset] = 0; });
  row("no room in the header", "REP-HDRPAD", [](auto& file, auto& rules) { file[rules.commandsEnd + 20] = 1; });
}

void TestPlanMachO::unsupportedFilesAreRefused() {
  NEEDS_LINKER();
  QFETCH(std::string, id);
  QFETCH(MachOChange, change);
  std::string file = m_linker.library({});
  const std::string good = file;
  change(file, MachORules(good));
  const auto made = replaceBlob(file, {}, blobOf(30'000));
  QVERIFY2(idOf(made) == id, made ? "none" : made.error().message().c_str());
  if (id != "none") return; // now sizes that no file of this format can have
  const auto package = openBytes(file);
  NullMonitor monitor;
  write::NewBlob replacement = newBlob(blobOf(kMachOBlob, 'z'));
  for (const uint64_t size : {uint64_t{0xfffff000}, uint64_t{5} << 30, UINT64_MAX - 5}) {
    replacement.size = size;
    const auto plan = write::planMachO({**package, *(*package)->blobs[0], replacement, {}, monitor});
    QVERIFY(!plan && plan.error().diagnostic().idText() == "REP-4G");
  }
}

void TestPlanMachO::signaturesAreRenewedOrRefused() {
  NEEDS_LINKER();
  const std::string replacement = blobOf(30'000);
  Shape shape;
  std::string file = m_linker.library(shape);
  file[MachORules(file).directory + 15] = 0; // no longer ad hoc
  PlanOptions options;
  options.signature = PlanOptions::Signature::AdHoc;
  const Replaced made = replaced(file, replacement, options);
  QCOMPARE(QString::fromStdString(problems(made, replacement)), QString());
  QVERIFY(made.has(DiagnosticId::PlanResigned));
  const Replaced again = replaced(replaced(made.output, blobOf(80'000)).output, replacement);
  QVERIFY(again.output == made.output);

  options.signature = PlanOptions::Signature::Remove;
  for (const std::string& from : {file, m_linker.library(shape)}) {
    const Replaced removed = replaced(from, replacement, options);
    QCOMPARE(QString::fromStdString(problems(removed, replacement)), QString("code for arm64 is signed; "));
    QVERIFY(removed.has(DiagnosticId::PlanUnsigned) && !removed.has(DiagnosticId::PlanResigned));
    QVERIFY(!MachORules(removed.output).piece("signature"));
  }
  shape.options = words("-no_adhoc_codesign");
  const Replaced plain = replaced(m_linker.library(shape), replacement);
  QCOMPARE(QString::fromStdString(problems(plain, replacement)), QString("code for arm64 is signed; "));
  QVERIFY(plain.has(DiagnosticId::PlanUnsigned));
  shape.arch = "x86_64";
  shape.options = words("-adhoc_codesign");
  const Replaced intel = replaced(m_linker.library(shape), replacement);
  QCOMPARE(QString::fromStdString(problems(intel, replacement)), QString());
  QVERIFY(intel.has(DiagnosticId::PlanResigned) && MachORules(intel.output).piece("signature"));
}

/// A signature of codesign has requirements and a place for a certificate after the directory; they stay.
void TestPlanMachO::otherPartsOfTheSignatureAreKept() {
  NEEDS_LINKER();
  const auto big = [](uint64_t value) { return write::numberText(value, 4, true); };
  std::string file = m_linker.library({});
  const MachORules before(file);
  const uint64_t at = before.piece("signature")->offset, command = before.piece("signature")->field;
  const auto sizeOf = [&](uint64_t part) { return container::numberAt(file, part + 4, 4, true); };
  std::string directory = file.substr(before.directory, sizeOf(before.directory));
  const std::string requirements = big(0xfade0c01) + big(12) + big(0), none = big(0xfade0b01) + big(8);
  const uint64_t first = 12 + 3 * 8, second = first + directory.size(), third = second + requirements.size(),
                 whole = third + none.size();
  const std::string head =
      big(0xfade0cc0) + big(whole) + big(3) + big(0) + big(first) + big(2) + big(second) + big(0x10000) + big(third);
  const uint64_t room = whole + 100; // codesign reserves more than it needs
  file.resize(at);
  const MachORules::Segment linkedit = before.segments.back();
  put(file, command + 4, room);
  put(file, linkedit.at + 48, at + room - linkedit.offset, 8);
  put(file, linkedit.at + 32, 0x4000, 8);
  NullMonitor monitor;
  const uint64_t hashes = container::numberAt(directory, 16, 4, true), page = 4'096;
  for (uint64_t i = 0; i * page < at; ++i)
    directory.replace(hashes + 32 * i, 32,
                      *parseHexDigits(*computeSha256(bytes(file.substr(i * page, page)), monitor)));
  file += head + directory + requirements + none + std::string(room - whole, '\0');
  QCOMPARE(QString::fromStdString(brokenRules(file)), QString());

  const std::string replacement = blobOf(30'000);
  const Replaced made = replaced(file, replacement);
  QCOMPARE(QString::fromStdString(problems(made, replacement)), QString());
  const MachORules after(made.output);
  const uint64_t signature = after.piece("signature")->offset,
                 size = container::numberAt(made.output, signature + 4, 4, true);
  QCOMPARE(made.output.substr(signature + size - 20, 20), requirements + none);
  QCOMPARE(container::numberAt(made.output, signature + 12 + 12, 4, true), size - 20);
  QCOMPARE(container::numberAt(made.output, signature + 12 + 20, 4, true), size - 8);
  QCOMPARE(after.piece("signature")->size, (size + 7) / 8 * 8);
  QVERIFY(replaced(replaced(made.output, blobOf(90'000)).output, replacement).output == made.output);
}

void TestPlanMachO::manyExportsAreRewritten() {
  NEEDS_LINKER();
  Shape shape;
  shape.more = ".section __TEXT,__const\n";
  for (int i = 0; i < 3'000; ++i)
    shape.more += ".globl _name" + std::to_string(i) + "\n_name" + std::to_string(i) + ":\n .byte 1\n";
  const Replaced made = replaced(m_linker.library(shape), blobOf(3'000'000));
  QCOMPARE(QString::fromStdString(problems(made, blobOf(3'000'000))), QString());
  QVERIFY(MachORules(made.output).exports.size() > 3'000);
}

/// A longer address moves a node to an offset that takes two bytes, which moves all nodes again.
void TestPlanMachO::longerTrieOffsetsMoveAllNodes() {
  const std::string leaf = "\2\0\x22\0"s;
  const std::string old =
      "\0\2a\0\x08"s + "b\0\x7f"s + "\2\0\x11\1"s + std::string(112, 'x') + "\0\x83\1"s + leaf + "\2\0\x33\0"s;
  QCOMPARE(old.find(leaf), std::size_t{127});
  NullMonitor monitor;
  auto trie = write::macho::Trie::read(old, monitor);
  QVERIFY2(trie, trie ? "" : trie.error().message().c_str());
  trie->setAddress(trie->exportsAt(0x11, 9).at(0), 0x123456);
  const auto made = trie->build();
  QVERIFY(made && made->size() == old.size() + 3); // two for the address, one for the offset
  const auto again = write::macho::Trie::read(*made, monitor);
  QVERIFY2(again, again ? "" : again.error().message().c_str());
  for (const auto& [name, address] : {std::pair{"a"s, 0x123456}, {"b"s, 0x22}, {"a" + std::string(112, 'x'), 0x33}})
    QCOMPARE(again->exportsAt(static_cast<uint64_t>(address), 9).at(0).name, name);
}

void TestPlanMachO::oldBlobCanBeScrubbed() {
  NEEDS_LINKER();
  Shape shape;
  const PlanOptions options{.scrub = true};
  const std::string replacement = blobOf(30'000, 'N');
  const Replaced made = replaced(m_linker.library(shape), replacement, options);
  QCOMPARE(QString::fromStdString(problems(made, replacement)), QString());
  QVERIFY(made.has(DiagnosticId::PlanScrubbed) && !made.has(DiagnosticId::PlanDead));
  QVERIFY(made.output.find(shape.blob.substr(500, 100)) == std::string::npos);
  // A name that only debuggers know leads no loader to the new place.
  shape.options = words("-unexported_symbol ___tvm_dev_mblob");
  QCOMPARE(idOf(replaceBlob(m_linker.library(shape), {}, replacement)), "REP-SYM"s);
  // Opcodes for arm64e make chains of pointers that the file does not list.
  shape = {};
  shape.chained = false;
  std::string threaded = m_linker.library(shape);
  put(threaded, 8, 2);
  QCOMPARE(idOf(replaceBlob(threaded, {}, replacement)), "REP-FIXUPS"s);
}

void TestPlanMachO::planningCanBeCancelled() {
  NEEDS_LINKER();
  const std::string file = m_linker.library({}), replacement = blobOf(300'000, 'z');
  const auto package = openBytes(file);
  int looks = 0;
  for (;; ++looks) {
    StopAfter monitor(looks);
    const auto made = write::planMachO({**package, *(*package)->blobs[0], newBlob(replacement), {}, monitor});
    if (made) break;
    QVERIFY(made.error().code() == ErrorCode::Cancelled);
    QVERIFY(looks < 1'000);
  }
  QVERIFY(looks > 20);
}

void TestPlanMachO::corpusLibrariesAreRewritten() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  const QDir folder(set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus/libraries")
                                  : set + QStringLiteral("/libraries"));
  int seen = 0;
  for (const QFileInfo& info :
       folder.entryInfoList({QStringLiteral("*metal*"), QStringLiteral("*.dylib")}, QDir::Files, QDir::Name)) {
    const std::string file = readFile(info.filePath());
    if (!file.starts_with("\xcf\xfa\xed\xfe")) continue;
    const auto package = openBytes(file);
    if (!package || (*package)->blobs.empty()) continue;
    ++seen;
    const std::size_t old = (*package)->blobs[0]->bytes.size();
    const std::string a = blobOf(old + 40'000, 'A'), b = blobOf(old + 5'000, 'B');
    const PlanOptions force{.force = true};
    const Replaced first = replaced(file, a, force);
    QVERIFY2(first.after, (info.fileName().toStdString() + ": " + first.output.substr(0, 300)).c_str());
    QCOMPARE(QString::fromStdString(brokenLinks(first)), QString());
    QVERIFY(first.after->blobs[0]->bytes.view() == a);
    const Replaced second = replaced(first.output, b);
    QCOMPARE(QString::fromStdString(brokenLinks(second)), QString());
    QVERIFY(replaced(second.output, a).output == first.output);
    if (!toolPath("llvm-objdump").isEmpty())
      QCOMPARE(QString::fromStdString(m_linker.objdump(second.output)), QString());
  }
  if (seen == 0) QSKIP("corpus absent: no Mach-O libraries in BLOBSCOPE_CORPUS or ../shared/corpus");
}

void TestPlanMachO::damagedFilesGiveAValidPlanOrARefusal_data() {
  QTest::addColumn<std::string>("arch");
  QTest::addColumn<std::string>("what");
  for (const char* const arch : {"arm64", "x86_64"})
    for (const char* const what : {"library", "opcodes", "edited", "object"})
      QTest::addRow("%s, %s", arch, what) << std::string(arch) << std::string(what);
}

/// Whatever is wrong: a valid plan, or a refusal.
void TestPlanMachO::damagedFilesGiveAValidPlanOrARefusal() {
  NEEDS_LINKER();
  QFETCH(std::string, arch);
  QFETCH(std::string, what);
  Shape shape;
  shape.arch = arch, shape.chained = what != "opcodes", shape.blob = blobOf(400);
  std::string file = what == "object" ? m_linker.object(shape) : m_linker.library(shape);
  if (what == "edited") file = replaced(file, blobOf(900)).output;
  QVERIFY(file.size() > 1'000);
  NullMonitor monitor;
  int planned = 0;
  bool fits = true;
  const PlanOptions options{.force = true};
  const write::NewBlob larger = newBlob(blobOf(2'000, 'z')), smaller = newBlob(blobOf(350, 'z'));
  const auto attempt = [&](const std::string& wrong) {
    const auto package = openBytes(wrong);
    if (!package) return;
    for (const auto& blob : (*package)->blobs)
      for (const write::NewBlob* const replacement : {&larger, &smaller}) {
        const auto plan = write::planBlob({**package, *blob, *replacement, options, monitor});
        if (!plan) continue;
        ++planned;
        uint64_t total = 0;
        for (const write::Part& part : plan->parts) {
          fits = fits && (part.from != write::Part::From::Input || (Extent{0, wrong.size()}.contains(part.input)));
          total += part.size();
        }
        fits = fits && total == plan->size() && total < wrong.size() + 200'000;
      }
  };
  // Each word of the headers, each byte of the tables.
  const MachORules rules(file);
  const std::size_t tables = what == "object" ? file.size() - file.size() / 3 : rules.segments.back().offset;
  const std::size_t end =
      what == "object" || !rules.piece("signature") ? file.size() : rules.piece("signature")->offset + 200;
  for (std::size_t at = 0; at < rules.commandsEnd; at += 4)
    for (const uint32_t value : {0u, 0x7fffffffu, 0xffffffffu}) {
      std::string wrong = file;
      put(wrong, at, value);
      attempt(wrong);
    }
  for (std::size_t at = tables; at < std::min(end, file.size()); ++at)
    for (const char value : {'\0', '\xff'}) {
      std::string wrong = file;
      if (std::exchange(wrong[at], value) != value) attempt(wrong);
    }
  for (std::size_t at = 0; at < file.size(); at += file.size() / 100 + 1) attempt(file.substr(0, at));
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string wrong = file;
    for (unsigned count = random() % 6 + 1; count > 0; --count) {
      const std::size_t at = random() % 2 ? random() % rules.commandsEnd : tables + random() % (file.size() - tables);
      wrong[at] = static_cast<char>(random());
    }
    attempt(wrong);
  }
  QVERIFY(fits);
  QVERIFY(planned > 100);
}

BLOBSCOPE_TEST(TestPlanMachO);
#include "test_plan_macho.moc"
