#include "core/edit/images.h"
#include "core/edit/rules.h"
#include "core/payloads/fatbin/fatbin.h"
#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

using namespace std::string_literals;

namespace blobscope::test {
namespace {

using edit::FatBinary;
using edit::Selection;

std::string imageModule(const std::vector<cuda::Image>& images) {
  return code3("fatbin", kAddMul, cuda::fatbin(images), Info::Four);
}

const cuda::Image kSm80 = {.kind = 2, .sm = 80, .payload = "machine code of sm_80"};
const cuda::Image kSm90 = {.kind = 2, .sm = 90, .payload = "machine code of sm_90, which is longer"};
const cuda::Image kSm90a = {.kind = 2, .sm = 90, .payload = "of sm_90a", .flags = 0x100011};
const cuda::Image kPtx90 = {.kind = 1, .sm = 90, .payload = ".version 8.0\n", .major = 8, .minor = 0};
const cuda::Image kLto80 = {.kind = 8, .sm = 80, .payload = "an intermediate language"};

/// m1 and m2 are fat binaries, m3 is PTX.
std::string imageFile() {
  return ffiLibrary({{"_lib", ""},
                     {"cuda", imageModule({kSm80, kSm90, kPtx90, kLto80})},
                     {"cuda", imageModule({kSm90, kSm90a, kPtx90})},
                     {"cuda", code3("ptx", kAddMul, ptxText(kAddMul), Info::Four)}},
                    {{1, 2, 3}, {}, {}, {}});
}

std::vector<FatBinary> binariesIn(const library::PackagePtr& package, const char* ref = "") {
  NullMonitor monitor;
  auto found = edit::fatBinariesOf(package, *Ref::parse(ref), monitor);
  if (!found) qFatal("the fat binaries cannot be read: %s", found.error().message().c_str());
  return std::move(*found);
}

std::string removalsOf(const std::vector<edit::Edit>& edits) {
  std::string out;
  for (const edit::Edit& one : edits) out += (out.empty() ? "" : " ") + std::get<edit::Remove>(one).target.toString();
  return out;
}

} // namespace

class TestImages : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void imagesAreListed() {
    const std::vector<FatBinary> binaries = binariesIn(opened(imageFile()));
    QCOMPARE(binaries.size(), std::size_t{2});
    std::string text;
    for (const FatBinary& binary : binaries)
      for (const edit::Image& image : binary.images)
        text += image.ref.toString() + " " + image.kind + " " + image.name + (image.runs ? "\n" : " does not run\n");
    QCOMPARE(text, "m1/entry:0 cubin sm_80\nm1/entry:1 cubin sm_90\nm1/entry:2 ptx compute_90\n"
                   "m1/entry:3 lto-ir lto_80 does not run\n"
                   "m2/entry:0 cubin sm_90\nm2/entry:1 cubin sm_90a\nm2/entry:2 ptx compute_90\n"s);
    QCOMPARE(binaries[0].images[0].bytes, uint64_t{cuda::entry(kSm80).size()});
    QCOMPARE(binariesIn(opened(imageFile()), "m2").size(), std::size_t{1});
    QCOMPARE(binariesIn(opened(imageFile()), "blob").size(), std::size_t{2});
  }

  void wordsSelectImages_data() {
    QTest::addColumn<std::string>("ref");
    QTest::addColumn<bool>("keep");
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* ref, bool keep, const QStringList& words, const char* expected) {
      QTest::addRow("%s %s:%s", ref, keep ? "keep" : "drop", qPrintable(words.join(QLatin1Char(','))))
          << std::string(ref) << keep << words << std::string(expected);
    };
    row("m1", true, {"sm_90"}, "m1/entry:0 m1/entry:2 m1/entry:3");
    row("m1", true, {"sm_90", "ptx"}, "m1/entry:0 m1/entry:3");
    row("m1", true, {"compute_90"}, "m1/entry:0 m1/entry:1 m1/entry:3");
    row("m1", true, {"0", "2"}, "m1/entry:1 m1/entry:3");
    row("m1", true, {"sm_80", "sm_90", "ptx", "lto_80"}, "");
    row("m1", false, {"lto_80"}, "m1/entry:3");
    row("m1", false, {"sm_80", "sm_90"}, "m1/entry:0 m1/entry:1");
    row("m2", true, {"sm_90a"}, "m2/entry:0 m2/entry:2");
    row("", true, {"sm_90"}, "m1/entry:0 m1/entry:2 m1/entry:3 m2/entry:1 m2/entry:2");
    row("", false, {"sm_80", "sm_90a"}, "m1/entry:0 m2/entry:1");
    row("m1", true, {"sm_70"},
        "'sm_70' does not exist in this file: no image of a fat binary has that name; there are "
        "sm_80, sm_90, compute_90, lto_80");
    row("m1", true, {"4"},
        "'4' does not exist in this file: no image of a fat binary has that name; there are sm_80, "
        "sm_90, compute_90, lto_80");
    row("m1", true, {"lto_80"},
        "cannot edit 'm1': its fat binary would have no machine code and no PTX; its images "
        "are sm_80, sm_90, compute_90, lto_80");
    row("", true, {"sm_80"},
        "cannot edit 'm2': its fat binary would have no machine code and no PTX; its images are "
        "sm_90, sm_90a, compute_90");
    row("m2", false, {"ptx", "sm_90", "sm_90a"},
        "cannot edit 'm2': its fat binary would have no machine code and no "
        "PTX; its images are sm_90, sm_90a, compute_90");
    row("", false, {"0"},
        "cannot edit the file: the number 0 does not say in which of 2 modules the image is; name "
        "the module");
  }
  void wordsSelectImages() {
    QFETCH(std::string, ref);
    QFETCH(bool, keep);
    QFETCH(QStringList, words);
    QFETCH(std::string, expected);
    std::vector<std::string> list;
    for (const QString& word : words) list.push_back(word.toStdString());
    const auto package = opened(imageFile());
    const auto edits =
        edit::selectImages(binariesIn(package, ref.c_str()), keep ? Selection::Keep : Selection::Drop, list);
    QCOMPARE(edits ? removalsOf(*edits) : edits.error().message(), expected);
  }

  /// The result is a fat binary of the other images, byte for byte.
  void keptImagesAreUnchanged() {
    const auto package = opened(imageFile());
    const auto edits = edit::selectImages(binariesIn(package), Selection::Keep, std::vector<std::string>{"sm_90"});
    QVERIFY(edits);
    Edited edited;
    NullMonitor monitor;
    edited.before = package;
    auto applied = edit::apply(package, *edits, {}, monitor);
    QVERIFY2(applied, applied ? "" : applied.error().message().c_str());
    edited.applied = std::move(*applied);
    QCOMPARE(problemsOf(edited), ""s);
    const edit::EditedBlob& blob = edited.applied.blobs.front();
    QCOMPARE(std::string(blob.modules[1].payload.view()), imageModule({kSm90}));
    QCOMPARE(std::string(blob.modules[2].payload.view()), imageModule({kSm90}));
    QVERIFY(blob.modules[3].payload.view() == package->blobs[0]->modules[3]->payload.view());
  }

  /// The driver reads one container, so each keeps an image.
  void eachContainerKeepsAnImage() {
    const auto package = opened(
        oneModule("cuda", code3("fatbin", kAddMul, cuda::fatbin({kSm80, kSm90}) + cuda::fatbin({kPtx90}), Info::Four)));
    const std::vector<FatBinary> binaries = binariesIn(package);
    const auto removed = [&](std::set<std::size_t> numbers) {
      const auto checked = edit::checkRemovable(binaries[0], numbers);
      return checked ? std::string() : checked.error().message();
    };
    QCOMPARE(removed({0}), ""s);
    QCOMPARE(removed({0, 1}), "cannot edit 'm1': a container of its fat binary would have no machine code and no PTX; "
                              "its images are sm_80, sm_90, compute_90"s);
    QVERIFY(!removed({2}).empty());
  }

  void otherPlacesAreRefused_data() {
    QTest::addColumn<std::string>("ref");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* ref, const char* expected) {
      QTest::newRow(ref) << std::string(ref) << std::string(expected);
    };
    row("m3", "cannot edit 'm3': the module's code is not a fat binary");
    row("m0", "cannot edit 'm0': the module's code is not a fat binary");
    row("m1/entry:0", "cannot edit 'm1/entry:0': name a module, a blob or the file");
    row("imports", "cannot edit 'imports': name a module, a blob or the file");
  }
  void otherPlacesAreRefused() {
    QFETCH(std::string, ref);
    QFETCH(std::string, expected);
    NullMonitor monitor;
    const auto found = edit::fatBinariesOf(opened(imageFile()), *Ref::parse(ref), monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().message(), expected);
    QVERIFY(!edit::fatBinariesOf(opened(imageFile()), *Ref::parse("m9"), monitor));
  }

  void fileWithoutFatBinariesIsRefused() {
    NullMonitor monitor;
    const auto package = opened(oneModule("cuda", code3("ptx", kAddMul, ptxText(kAddMul), Info::Four)));
    for (const char* ref : {"", "blob"}) {
      const auto found = edit::fatBinariesOf(package, *Ref::parse(ref), monitor);
      QVERIFY(!found);
      QCOMPARE(found.error().id(), DiagnosticId::EditTarget);
    }
  }

  /// The file includes its members; a member includes those inside it.
  void membersAreIncluded() {
    const std::string object = ElfBuilder()
                                   .data("own___tvm_ffi__library_bin",
                                         ffiBlob({{"_lib", ""}, {"cuda", imageModule({kSm80, kSm90})}}, {{1}, {}}))
                                   .build();
    const auto package = opened(tarOf({{"a.so", object}, {"b.so", object}}));
    const auto drop = [&](const char* ref) {
      const auto edits =
          edit::selectImages(binariesIn(package, ref), Selection::Drop, std::vector<std::string>{"sm_80"});
      return edits ? removalsOf(*edits) : edits.error().message();
    };
    QCOMPARE(drop(""), "a.so!m1/entry:0 b.so!m1/entry:0"s);
    QCOMPARE(drop("member:b.so"), "b.so!m1/entry:0"s);
    QCOMPARE(drop("a.so!blob"), "a.so!m1/entry:0"s);
    NullMonitor monitor;
    const auto edits = edit::selectImages(binariesIn(package), Selection::Drop, std::vector<std::string>{"sm_80"});
    QVERIFY(edits && edit::apply(package, *edits, {}, monitor));
    QVERIFY(!edit::canEdit(*package, Ref::file(), edit::Operation::Thin));
  }

  void operationNeedsAFatBinary() {
    const auto package = opened(imageFile());
    for (const char* const ref : {"", "blob", "m1", "m2"})
      QVERIFY2(!edit::canEdit(*package, *Ref::parse(ref), edit::Operation::Thin), ref);
    for (const char* const ref : {"m0", "m3", "m9", "m1/entry:0", "host:add"})
      QCOMPARE(edit::canEdit(*package, *Ref::parse(ref), edit::Operation::Thin),
               std::optional(edit::WhyNot::NoFatBinary));
    const auto place = [&](const char* ref) { return edit::thinnedPlace(*package, *Ref::parse(ref)).toString(); };
    QCOMPARE(place("m1/entry:0"), "m1"s);
    QCOMPARE(place("m2/kernel:add@0x0+4"), "m2"s);
    QCOMPARE(place("blob"), "blob"s);
    for (const char* const ref : {"m0", "m3", "host:add", ""}) QCOMPARE(place(ref), Ref::file().toString());
    QCOMPARE(edit::thinnedPlace(*package, std::nullopt), Ref::file());
  }

  void readingCanBeCancelled() {
    StopAfter monitor(0);
    const auto found = edit::fatBinariesOf(opened(imageFile()), Ref::file(), monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().id(), DiagnosticId::Cancelled);
  }
};

BLOBSCOPE_TEST(TestImages);

} // namespace blobscope::test

#include "test_images.moc"
