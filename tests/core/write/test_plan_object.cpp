#include "core/write/plan.h"
#include "tests/core/container/image_text.h"
#include "tests/core/write/object_image.h"
#include "tests/core/write/plan_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <functional>
#include <map>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::object_files;
using namespace std::string_literals;

namespace {

using ObjectChange = std::function<void(ObjectImage&)>;

std::string strategyOrIdOf(const Result<Replaced>& made) {
  return made ? write::strategyName(made->plan) : std::string(made.error().diagnostic().idText());
}

/// The values of symbols and sections in the output, by name: "behind" leads to its bytes.
std::string wrongSymbols(const Replaced& made, const ObjectImage& image) {
  std::string text;
  for (const auto& [name, content] :
       {std::pair{"front"s, image.front}, std::pair{"behind"s, image.behind}, std::pair{"last"s, "last word"s}}) {
    const auto* const symbol = findSymbol(made.after->image, name);
    const auto found = symbol ? made.after->image.findBytesOf(*symbol) : std::nullopt;
    if (!found || !found->view().starts_with(content.substr(0, 8))) text += name + "; ";
  }
  if (!made.after->image.diagnostics.empty()) text += "diagnostics; ";
  return text;
}

} // namespace
Q_DECLARE_METATYPE(ObjectChange)

class TestPlanObject : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void blobIsSplicedIntoItsSection_data();
  void blobIsSplicedIntoItsSection();
  void paddingBetweenSectionsIsKept_data();
  void paddingBetweenSectionsIsKept();
  void blobIsMovedToASeparateSection_data();
  void blobIsMovedToASeparateSection();
  void referencesByOtherSymbolsMustBeForced();
  void unmovableBlobsAreRefused_data();
  void unmovableBlobsAreRefused();
  void hugeBlobsAreNotCopied();
  void planningCanBeCancelled();
  void damagedFilesGiveAValidPlanOrARefusal_data();
  void damagedFilesGiveAValidPlanOrARefusal();
};

void TestPlanObject::blobIsSplicedIntoItsSection_data() {
  QTest::addColumn<ObjectChange>("change");
  const auto row = [](const char* name, ObjectChange change) { QTest::newRow(name) << change; };
  row("x86-64", [](ObjectImage&) {});
  row("immediate operands", [](ObjectImage& image) {
    for (auto& each : image.relocations)
      if (each.place == 't' && each.symbol == 1) each.more -= 4;
  });
  row("x32", [](ObjectImage& image) { image.is64 = false; });
  for (const uint16_t machine : {183, 243})
    for (const bool is64 : {true, false})
      QTest::addRow("machine %d, %d bits", machine, is64 ? 64 : 32) << ObjectChange([=](ObjectImage& image) {
        image = usual(1, 0);
        image.machine = machine;
        image.is64 = is64;
      });
  row("ppc64", [](ObjectImage& image) {
    image = usual(1, 0);
    image.machine = 21;
    image.bigEndian = true;
  });
  row("ppc", [](ObjectImage& image) {
    image = usual(1, 0);
    image.machine = 20;
    image.is64 = false;
    image.bigEndian = true;
  });
  row("s390x", [](ObjectImage& image) {
    image = usual(19, 2);
    image.machine = 22;
    image.bigEndian = true;
  });
  row("blob is all of the section", [](ObjectImage& image) {
    image.front = "";
    image.relocations.clear();
  });
  row("group", [](ObjectImage& image) { image.rodataFlags |= 0x200; });
  row("section headers in front", [](ObjectImage& image) { image.tableFirst = true; });
  row("bytes behind the file", [](ObjectImage& image) { image.tail = "more"; });
}

/// The result is the file built with the new blob, and going back gives the original file.
void TestPlanObject::blobIsSplicedIntoItsSection() {
  QFETCH(ObjectChange, change);
  const bool blurred = QByteArrayView(QTest::currentDataTag()).startsWith("immediate"); // the exact target is not known
  for (const uint64_t align : blurred ? std::vector<uint64_t>{1} : std::vector<uint64_t>{1, 4, 16, 64})
    for (const std::size_t size : {kSize + 1, kSize + 15, kSize + 64, kSize - 1, kSize - 60, std::size_t{40'003}}) {
      ObjectImage image = usual(), wanted = usual();
      for (ObjectImage* each : {&image, &wanted}) {
        change(*each);
        each->align = align;
      }
      wanted.blob = blobOf(size, 'n');
      const std::string file = image.build();
      const auto made = replaceBlob(file, {}, wanted.blob);
      QVERIFY2(made, made ? "" : made.error().message().c_str());
      QCOMPARE(write::strategyName(made->plan), "resize"s);
      QVERIFY2(made->output == wanted.build(),
               qPrintable(QStringLiteral("%1 bytes, alignment %2").arg(size).arg(align)));
      QCOMPARE(QString::fromStdString(problemsOf(*made, {}, wanted.blob)), QString());
      QCOMPARE(QString::fromStdString(wrongSymbols(*made, wanted)), QString());
      const auto back = replaceBlob(made->output, {}, image.blob);
      QVERIFY(back && back->output == file);
    }
}

void TestPlanObject::paddingBetweenSectionsIsKept_data() {
  QTest::addColumn<ObjectChange>("change");
  const auto row = [](const char* name, ObjectChange change) { QTest::newRow(name) << change; };
  row("bytes of no section", [](ObjectImage& image) { image.junk = "junk\0\0of no section"s; });
  row("many zeros", [](ObjectImage& image) { image.junk = std::string(1'000, '\0'); });
  row("zeros after the blob", [](ObjectImage& image) {
    image.behind = std::string(37, '\0') + "behind!";
    image.relocations.clear();
  });
  row("odd table", [](ObjectImage& image) { image.tail = "\0\0\0odd"s; });
}

/// Padding that no assembler would make is kept, does not grow, and going back is exact.
void TestPlanObject::paddingBetweenSectionsIsKept() {
  QFETCH(ObjectChange, change);
  ObjectImage image = usual();
  image.align = 16;
  change(image);
  const std::string file = image.build();
  std::string now = file;
  for (const std::size_t size : {700, 301, 909, 40'000, 302}) {
    const auto made = replaceBlob(now, {}, blobOf(size, 'n'));
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(QString::fromStdString(problemsOf(*made, {}, blobOf(size, 'n'))), QString());
    QCOMPARE(QString::fromStdString(wrongSymbols(*made, image)), QString());
    now = made->output;
  }
  const auto back = replaceBlob(now, {}, image.blob);
  QVERIFY(back && back->output == file);
}

void TestPlanObject::blobIsMovedToASeparateSection_data() {
  QTest::addColumn<ObjectChange>("change");
  const auto row = [](const char* name, ObjectChange change) { QTest::newRow(name) << change; };
  row("i386", [](ObjectImage&) {});
  row("arm", [](ObjectImage& image) { image = implicit(40); });
  row("arm, MOVW and MOVT", [](ObjectImage& image) {
    image = implicit(40);
    // The addend after the blob, 0x20c or so, in the two fields of an ARM instruction, and in the four of a Thumb one.
    image.relocations.push_back({'t', 8, 1, "", 0x00e0'030c, 43});
    image.relocations.push_back({'t', 16, 1, "", 0x2a50'f240, 47});
  });
  row("processor whose addends are not understood", [](ObjectImage& image) {
    image = usual(1, 0);
    image.machine = 4; // EM_68K
    image.relocations = {{'t', 0, 4, "blob"}, {'d', 0, 1, "behind"}, {'r', 0, 1, "front", 1}};
  });
  row("section headers in front", [](ObjectImage& image) { image.tableFirst = true; });
  row("bytes behind the file", [](ObjectImage& image) { image.tail = "more"; });
  row("writable", [](ObjectImage& image) { image.rodataFlags = 3; });
}

/// A separate section, which accepts any size from then on; nothing else moves in the old section.
void TestPlanObject::blobIsMovedToASeparateSection() {
  QFETCH(ObjectChange, change);
  ObjectImage image = implicit();
  change(image);
  const std::string file = image.build();
  std::map<std::size_t, std::string> outputs;
  std::string now = file;
  for (const std::size_t size : {700, 40'003, 300, 700, 9'001, 40'003}) {
    const std::string replacement = blobOf(size, 'n');
    const auto made = replaceBlob(now, {}, replacement);
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(write::strategyName(made->plan), now == file ? "append-section"s : "resize"s);
    QCOMPARE(made->has(DiagnosticId::PlanDead), now == file);
    QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
    QCOMPARE(QString::fromStdString(wrongSymbols(*made, image)), QString());
    const auto* const section = made->after->image.findSectionOf(*findSymbol(made->after->image, "__tvm_dev_mblob"));
    QVERIFY(section && section->name == ".rodata.tvm_dev_mblob" && section->size == size &&
            section->writable == (image.rodataFlags == 3));
    const auto [known, isNew] = outputs.emplace(size, made->output);
    QVERIFY2(isNew || known->second == made->output, "it depends on the last blob only");
    now = made->output;
  }
  write::PlanOptions options;
  options.scrub = true;
  const auto scrubbed = replaceBlob(file, {}, blobOf(700, 'n'), options);
  QVERIFY(scrubbed && scrubbed->has(DiagnosticId::PlanScrubbed));
  QVERIFY(scrubbed->output.find(image.blob.substr(100, 100)) == std::string::npos &&
          outputs[700].find(image.blob) != std::string::npos);
  // A smaller blob needs no separate section.
  const auto smaller = replaceBlob(file, {}, blobOf(300, 'n'));
  QVERIFY(smaller);
  QCOMPARE(write::strategyName(smaller->plan), "in-place"s);
  QCOMPARE(smaller->output.size(), file.size());
}

/// A reference to the blob by another symbol prevents the move, unless forced.
void TestPlanObject::referencesByOtherSymbolsMustBeForced() {
  const std::vector<ObjectChange> changes = {
      [](ObjectImage& image) { image.relocations.push_back({'d', 16, 1, "blob"}); },
      [](ObjectImage& image) { image.relocations.push_back({'d', 16, 1, "blob", 30}); },
      [](ObjectImage& image) { image.relocations.push_back({'t', 16, 1, "blob", -4, 2}); }, // R_386_PC32
      [](ObjectImage& image) { image.relocations.push_back({'d', 16, 1, "last", 0, 20}); }, // R_386_16, not read
      [](ObjectImage& image) {
        image = implicit(40);
        image.relocations.push_back({'t', 8, 1, "", 0x00e0'0005, 44});
      },
      [](ObjectImage& image) {
        image.moreSymbol = "alias";
        image.moreValue = image.front.size();
        image.moreSize = kSize;
      }};
  for (const ObjectChange& change : changes) {
    ObjectImage image = implicit();
    change(image);
    const std::string file = image.build();
    QCOMPARE(strategyOrIdOf(replaceBlob(file, {}, blobOf(700))), "REP-REF"s);
    write::PlanOptions options;
    options.force = true;
    const auto made = replaceBlob(file, {}, blobOf(700), options);
    QCOMPARE(strategyOrIdOf(made), "append-section"s);
    QVERIFY(made->has(DiagnosticId::PlanForced));
  }
}

void TestPlanObject::unmovableBlobsAreRefused_data() {
  QTest::addColumn<ObjectChange>("change");
  QTest::addColumn<std::string>("id");
  QTest::addColumn<std::string>("words");
  const auto row = [](const char* name, const char* id, const char* words, ObjectChange change) {
    QTest::newRow(name) << change << std::string(id) << std::string(words);
  };
  row("relocation into the blob", "REP-REL", "writes into the blob or points into it",
      [](ObjectImage& image) { image.relocations.push_back({'d', 0, 1, "blob", 1}); });
  row("its last byte", "REP-REL", "writes into the blob or points into it",
      [](ObjectImage& image) { image.relocations.push_back({'d', 0, 1, "behind", -1}); });
  row("instruction into the blob", "REP-REL", "writes into the blob or points into it",
      [](ObjectImage& image) { image.relocations.push_back({'t', 0, 1, "blob", 20, 2}); });
  row("by the symbol", "REP-REL", "writes into the blob or points into it",
      [](ObjectImage& image) { image.relocations.push_back({'d', 0, 4, "blob", 9}); });
  row("by a symbol in front", "REP-REL", "writes into the blob or points into it",
      [](ObjectImage& image) { image.relocations.push_back({'d', 0, 2, "blob", 100}); });
  row("relocation of the blob", "REP-REL", "writes into the blob or points into it",
      [](ObjectImage& image) { image.relocations.push_back({'r', static_cast<uint64_t>(-9), 1, "front"}); });
  row("label in the blob", "REP-SHAPE", "labels a place inside the blob", [](ObjectImage& image) {
    image.moreSymbol = "middle";
    image.moreValue = 50;
  });
  row("merged section", "REP-SHAPE", "contains merged constants",
      [](ObjectImage& image) { image.rodataFlags |= 0x10; });
  row("compressed section", "REP-SHAPE", "or is compressed", [](ObjectImage& image) { image.rodataFlags |= 0x800; });
  row("not loaded", "REP-NOLOAD", "do not map into memory", [](ObjectImage& image) { image.rodataFlags = 0; });
  row("extended section numbers", "REP-SHAPE", "extended table of section numbers",
      [](ObjectImage& image) { image.moreType = 18; });
  row("CREL", "REP-SHAPE", "CREL", [](ObjectImage& image) { image.moreType = 0x40000014; });
  row("relocations of another size", "REP-SHAPE", "the entry size of its relocations is 12 bytes",
      [](ObjectImage& image) { image.relocationSize = 12; });
  row("symbol that does not exist", "REP-SHAPE", "names symbol 90",
      [](ObjectImage& image) { image.relocations.push_back({'d', 0, 90, ""}); });
  row("odd alignment", "REP-SHAPE", "the alignment of the blob's section",
      [](ObjectImage& image) { image.align = 24; });
  row("group without addends", "REP-SHAPE", "belongs to a group", [](ObjectImage& image) {
    image = implicit();
    image.rodataFlags |= 0x200;
  });
}

/// A larger blob is refused; a smaller one stays in place and nothing moves.
void TestPlanObject::unmovableBlobsAreRefused() {
  QFETCH(ObjectChange, change);
  QFETCH(std::string, id);
  QFETCH(std::string, words);
  ObjectImage image = usual();
  change(image);
  const std::string file = image.build();
  const auto made = replaceBlob(file, {}, blobOf(kSize + 9));
  QCOMPARE(strategyOrIdOf(made), id);
  QVERIFY2(made.error().message().find(words) != std::string::npos, made.error().message().c_str());
  QCOMPARE(strategyOrIdOf(replaceBlob(file, {}, blobOf(kSize - 9))), "in-place"s);
  QCOMPARE(strategyOrIdOf(replaceBlob(file, {}, blobOf(kSize, 'n'))), "in-place"s);
}

/// 5 GiB: nothing is copied, and 32-bit files cannot contain it.
void TestPlanObject::hugeBlobsAreNotCopied() {
  const Bytes piece = bytes(std::string(16 << 20, 'x'));
  write::NewBlob blob;
  for (int i = 0; i < 320; ++i) blob.pieces.push_back(piece);
  blob.size = 320 * piece.size();
  NullMonitor monitor;
  for (const auto& [image, id] : {std::pair{usual(), "resize"s}, std::pair{implicit(), "REP-4G"s}}) {
    ObjectImage copy = image;
    const auto package = openBytes(copy.build());
    QVERIFY(package);
    const auto plan = write::planElf({**package, *(*package)->blobs[0], blob, {}, monitor});
    QCOMPARE(plan ? write::strategyName(*plan) : std::string(plan.error().diagnostic().idText()), id);
    uint64_t copied = 0;
    if (plan)
      for (const write::Part& part : plan->parts)
        copied += part.from == write::Part::From::Literal ? part.bytes.size() : 0;
    QVERIFY(copied < 2'000);
  }
}

void TestPlanObject::planningCanBeCancelled() {
  ObjectImage image = usual();
  for (int i = 0; i < 5'000; ++i) image.relocations.push_back({'t', 0, 1, "last"});
  const std::string file = image.build();
  int looks = 0;
  for (;; ++looks) {
    StopAfter stop(looks);
    const auto made = replaceBlob(file, {}, blobOf(kSize + 3), {}, &stop);
    if (made) break;
    QVERIFY(made.error().code() == ErrorCode::Cancelled);
    QVERIFY(looks < 1'000);
  }
  QVERIFY(looks > 3);
}

void TestPlanObject::damagedFilesGiveAValidPlanOrARefusal_data() {
  QTest::addColumn<bool>("withAddends");
  QTest::addColumn<bool>("tableFirst");
  for (const bool withAddends : {true, false})
    for (const bool tableFirst : {true, false})
      QTest::addRow("%s, table %s", withAddends ? "RELA" : "REL", tableFirst ? "first" : "last")
          << withAddends << tableFirst;
}

/// Whichever byte is wrong: a valid plan, or a refusal.
void TestPlanObject::damagedFilesGiveAValidPlanOrARefusal() {
  QFETCH(bool, withAddends);
  QFETCH(bool, tableFirst);
  ObjectImage image = withAddends ? usual() : implicit();
  image.tableFirst = tableFirst;
  image.align = 16;
  image.blob = blobOf(300);
  const std::string file = image.build();
  NullMonitor monitor;
  int planned = 0;
  const write::NewBlob small = newBlob(blobOf(290, 'z')), large = newBlob(blobOf(400, 'z'));
  for (std::size_t at = 0; at < file.size(); at += 3) {
    if (at > image.offsets[".rodata"] + 20 && at < image.offsets[".rodata"] + 300) continue; // the blob itself
    for (const char value : {'\0', '\1', '\x7f', '\xff'}) {
      std::string wrong = file;
      wrong[at] = value;
      const auto package = openBytes(wrong);
      if (!package || (*package)->blobs.empty()) continue;
      for (const write::NewBlob* blob : {&small, &large}) {
        write::PlanOptions options;
        options.force = options.scrub = value != 0;
        const auto plan = write::planBlob({**package, *(*package)->blobs[0], *blob, options, monitor});
        if (!plan) continue;
        QVERIFY(plan->size() < file.size() + 70'000);
        const auto output = write::assemble(*plan, (*package)->bytes, monitor);
        QVERIFY(output && output->size() == plan->size());
        ++planned;
      }
    }
  }
  QVERIFY(planned > 100);
}

BLOBSCOPE_TEST(TestPlanObject);
#include "test_plan_object.moc"
