#include "core/edit/overwrite.h"

#include "core/edit/describe.h"
#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

const std::string kCodeText = "// text\n.version 8.0\n";

std::string payload() { return code3("ptx", kAddMul, kCodeText, Info::Four); }
std::string file() { return oneModule("cuda", payload()); }

/// Where the payload of module 1 begins in the file.
uint64_t startOf(const library::Package& package) {
  return *library::placeIn(package, package.blobs.front()->modules[1]->payload);
}
uint64_t blobStart() {
  const auto package = opened(file());
  return *library::placeIn(*package, package->blobs.front()->bytes);
}

/// "m1@0x…+N" for bytes of the payload of module 1.
std::string at(uint64_t offset, uint64_t size, const std::string& module = "m1") {
  const auto package = opened(file());
  const uint64_t start = startOf(*package);
  return module + "@" + hexText(start + offset) + "+" + std::to_string(size);
}

std::string overwriteBy(const std::string& ref, const std::string& content, const std::string& was = {}) {
  return "{'op': 'replace', 'ref': '" + ref + "', 'hex': '" + hexDigits(content) + "'" +
         (was.empty() ? "" : ", 'was': '" + hexDigits(was) + "'") + "}";
}

/// The payload with other bytes at `offset`.
std::string with(uint64_t offset, const std::string& content, std::string of = payload()) {
  return of.replace(offset, content.size(), content);
}

uint64_t codeAt() { return payload().find(kCodeText); }

/// An edit of a module, as a window makes it.
edit::Replace typed(uint64_t place, const std::string& now, const std::string& was, uint32_t module = 1) {
  edit::Replace out{{Ref::moduleAt({}, module).withBytes(place, now.size()), {}}, {{}, bytes(now)}};
  out.was = bytes(was);
  return out;
}

} // namespace

class TestOverwrite : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void bytesOfModulesAreOverwritten_data();
  void bytesOfModulesAreOverwritten();
  void otherBytesAreRefusedWithTheReason_data();
  void otherBytesAreRefusedWithTheReason();
  void forcedValuesAreWarnings();
  void shownBytesLeadToTheFile();
  void movedFieldsKeepTheirBytes();
  void neighboursAreJoined();
  void editsAreDescribed();
  void editsAreStoredAndRead();
  void membersAreOverwrittenByTheirOffsets();
  void offsetsFollowMovedModules();
};

void TestOverwrite::bytesOfModulesAreOverwritten_data() {
  QTest::addColumn<std::string>("found");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, const std::string& edits, const std::string& expected) {
    QTest::newRow(name) << payloadAfter(file(), edits) << expected;
  };
  const uint64_t code = codeAt();
  row("one byte", overwriteBy(at(code + 3, 1), "T"), with(code + 3, "T"));
  row("by the offset alone", overwriteBy(at(code + 3, 1, ""), "T"), with(code + 3, "T"));
  row("without a size", overwriteBy("m1" + at(code + 3, 1).substr(2, at(code + 3, 1).find('+') - 2), "TEXT"),
      with(code + 3, "TEXT"));
  row("with the old bytes", overwriteBy(at(code, 7), "-- note", "// text"), with(code, "-- note"));
  row("two places", overwriteBy(at(code, 1), "-") + ", " + overwriteBy(at(code + 5, 1), "X"),
      with(code + 5, "X", with(code, "-")));
  row("the later of two that overlap", overwriteBy(at(code, 4), "aaaa") + ", " + overwriteBy(at(code + 2, 4), "bbbb"),
      with(code, "aabbbb"));
  row("the later of two that contain each other",
      overwriteBy(at(code + 1, 2), "aa") + ", " + overwriteBy(at(code, 4), "bbbb"), with(code, "bbbb"));
  row("three that are joined by the last",
      overwriteBy(at(code, 2), "aa") + ", " + overwriteBy(at(code + 4, 2), "cc") + ", " +
          overwriteBy(at(code + 1, 4), "bbbb"),
      with(code, "abbbbc"));
  std::string other = kCodeText;
  other[0] = '#';
  const std::string replaced = "{'op': 'replace', 'ref': 'm1/field:data', 'hex': '" + hexDigits(other) + "'}";
  row("inside of content that is replaced", replaced + ", " + overwriteBy(at(code + 3, 1), "T"),
      with(code + 3, "T", with(code, "#")));
  row("replaced afterwards", overwriteBy(at(code + 3, 1), "T") + ", " + replaced, with(code, "#"));
  // The type code of the second argument of 'mul': int32 (0, 32) becomes uint32 (1, 32).
  const uint64_t type = payload().rfind("\x00\x20\x01\x00"s);
  row("a type code", overwriteBy(at(type, 1), "\x01"), with(type, "\x01"));
}

void TestOverwrite::bytesOfModulesAreOverwritten() {
  QFETCH(std::string, found);
  QFETCH(std::string, expected);
  QVERIFY2(found == expected, found.c_str());
}

void TestOverwrite::otherBytesAreRefusedWithTheReason_data() {
  QTest::addColumn<std::string>("edits");
  QTest::addColumn<std::string>("reason");
  const auto row = [](const char* name, const std::string& edits, const std::string& reason) {
    QTest::newRow(name) << edits << reason;
  };
  const uint64_t code = codeAt();
  row("a length", overwriteBy(at(code - 8, 1), "\x05"), "the length or count of 'data' decides");
  row("the end of a length", overwriteBy(at(code - 1, 2), "\x00/"s), "the length or count of 'data' decides");
  row("a count", overwriteBy(at(payload().find("\2\0\0\0\0\0\0\0"s), 1), "\3"),
      "the length or count of 'fmap' decides");
  row("the header of the file", overwriteBy("@0+1", "\x7f"), "outside of the modules");
  row("past the end", overwriteBy("@0x7fffffff+1", "x"), "the file has only");
  row("the header of the blob", overwriteBy("@" + hexText(blobStart()) + "+1", "x"),
      "not inside the payload of one module");
  row("another module", overwriteBy("m0" + at(code, 1, ""), "x"), "the module has no payload");
  row("outside of the payload", overwriteBy("m1@0+1", "x"), "the payload of the module is at");
  row("a part", overwriteBy("m1/kernel:add" + at(code, 1, ""), "x"), "name the module and an offset");
  row("other old bytes", overwriteBy(at(code, 2), "xx", "??"), "the file has 2f 2f there, not 3f 3f");
  row("another number of bytes", overwriteBy(at(code, 2), "xxx"), "neither inserted nor removed");
  row("no bytes", overwriteBy("m1@" + hexText(0x10), ""), "at least one byte is needed");
  row("a type that no release has", overwriteBy(at(payload().rfind("\x00\x20\x01\x00"s), 1), "\x7f"), "code 127");
  row("bytes of a field whose size changes",
      "{'op': 'set', 'ref': 'm1/field:data', 'value': 'longer than the text was before'}, " +
          overwriteBy(at(code, 1), "x"),
      "two edits change the same bytes");
}

void TestOverwrite::otherBytesAreRefusedWithTheReason() {
  QFETCH(std::string, edits);
  QFETCH(std::string, reason);
  const auto edited = applyTo(opened(file()), edits);
  QVERIFY(!edited);
  QVERIFY2(edited.error().message().find(reason) != std::string::npos, edited.error().message().c_str());
}

void TestOverwrite::forcedValuesAreWarnings() {
  const uint64_t type = payload().rfind("\x00\x20\x01\x00"s);
  const auto edited = applyTo(opened(file()), overwriteBy(at(type, 1), "\x7f"), true);
  QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
  QCOMPARE(edited->applied.warnings.size(), std::size_t{1});
  // A length stays refused: the file could not be read.
  QVERIFY(!applyTo(opened(file()), overwriteBy(at(codeAt() - 8, 1), "\x05"), true));
}

void TestOverwrite::shownBytesLeadToTheFile() {
  const auto package = opened(file());
  const uint64_t start = startOf(*package);
  const Ref module = Ref::moduleAt({}, 1);
  const auto direct = edit::overwriteShown(package, package, {}, {}, module, codeAt(), bytes("--"));
  QVERIFY(direct);
  QCOMPARE(direct->target.ref, module.withBytes(start + codeAt(), 2));
  QVERIFY(direct->was && direct->was->view() == "//");

  // After an edit of the same size the place is the same, although the payload is in memory.
  const auto edited = applyTo(package, overwriteBy(at(codeAt(), 1), "#"));
  QVERIFY(edited);
  const auto again =
      edit::overwriteShown(package, edited->after, edited->applied, edited->edits, module, codeAt() + 1, bytes("-"));
  QVERIFY(again);
  QCOMPARE(again->target.ref, module.withBytes(start + codeAt() + 1, 1));
}

void TestOverwrite::movedFieldsKeepTheirBytes() {
  const auto package = opened(file());
  const Ref module = Ref::moduleAt({}, 1);
  const uint64_t start = startOf(*package);
  // A longer name moves the code.
  const auto edited = applyTo(package, "{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'addition'}");
  QVERIFY(edited);
  const std::string shown(edited->after->blobs.front()->modules[1]->payload.view());
  const uint64_t moved = shown.find(kCodeText);
  QVERIFY(moved != codeAt());
  const auto found =
      edit::overwriteShown(package, edited->after, edited->applied, edited->edits, module, moved + 2, bytes("!"));
  QVERIFY2(found, found ? "" : found.error().message().c_str());
  QCOMPARE(found->target.ref, module.withBytes(start + codeAt() + 2, 1));
  // The name itself has another size now.
  const auto name = edit::overwriteShown(package, edited->after, edited->applied, edited->edits, module,
                                         shown.find("addition") + 1, bytes("x"));
  QVERIFY(!name);
  QVERIFY(name.error().message().find("changed the size of the field") != std::string::npos);
}

void TestOverwrite::neighboursAreJoined() {
  const auto joined = edit::joinOverwrites(typed(0x100, "ab", "AB"), typed(0x102, "c", "C"));
  QVERIFY(joined);
  QCOMPARE(joined->target.ref, Ref::moduleAt({}, 1).withBytes(0x100, 3));
  QVERIFY(joined->content.bytes.view() == "abc" && joined->was->view() == "ABC");
  const auto before = edit::joinOverwrites(typed(0x102, "c", "C"), typed(0x100, "ab", "AB"));
  QVERIFY(before && before->content.bytes.view() == "abc");
  const auto over = edit::joinOverwrites(typed(0x100, "abcd", "ABCD"), typed(0x101, "xy", "BC"));
  QVERIFY(over && over->content.bytes.view() == "axyd" && over->was->view() == "ABCD");
  QVERIFY(!edit::joinOverwrites(typed(0x100, "ab", "AB"), typed(0x103, "c", "C")));
  QVERIFY(!edit::joinOverwrites(typed(0x100, "ab", "AB"), typed(0x102, "c", "C", 2)));
  const std::string many(edit::kOverwriteMerged, 'x');
  QVERIFY(!edit::joinOverwrites(typed(0x100, many, many), typed(0x100 + many.size(), "c", "C")));
}

void TestOverwrite::editsAreDescribed() {
  NullMonitor monitor;
  const auto package = opened(file());
  const auto edits = editsOf(overwriteBy(at(codeAt(), 2, ""), "--"));
  const auto text = edit::describe(package, edits.front(), {}, monitor);
  QVERIFY(text);
  const std::string place = hexText(startOf(*package) + codeAt());
  QCOMPARE(QString::fromStdString(text->what),
           QString::fromStdString("2 bytes of module 1 'cuda' at " + place + " overwritten"));
  QCOMPARE(QString::fromStdString(text->before), QStringLiteral("2f 2f"));
  QCOMPARE(QString::fromStdString(text->after), QStringLiteral("2d 2d"));
  QCOMPARE(QString::fromStdString(text->subject), QStringLiteral("cuda"));
}

void TestOverwrite::editsAreStoredAndRead() {
  const std::vector<edit::Edit> edits = {typed(0x100, "ab", "AB")};
  const auto read = edit::readEdits(bytes(edit::writeEdits("", edits)));
  QVERIFY(read && read->edits.size() == 1);
  const auto& one = std::get<edit::Replace>(read->edits.front());
  QCOMPARE(one.target.ref, Ref::moduleAt({}, 1).withBytes(0x100, 2));
  QVERIFY(one.content.bytes.view() == "ab" && one.was && one.was->view() == "AB");
  const auto wrong = edit::readEdits(bytes(
      R"({"schema": "blobscope.edits/1", "edits": [{"op": "replace", "ref": "m1@1", "hex": "00", "was": "x"}]})"));
  QVERIFY(!wrong && wrong.error().message().find("\"was\"") != std::string::npos);
}

void TestOverwrite::membersAreOverwrittenByTheirOffsets() {
  const auto package = opened(tarOf({{"lib.so", file()}}));
  QVERIFY(package && package->members.size() == 1);
  const uint64_t start = startOf(*package->members[0].package);
  const auto edited = applyTo(package, overwriteBy("lib.so!@" + hexText(start + codeAt()), "#"));
  QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
  const auto& module = *edited->after->members[0].package->blobs[0]->modules[1];
  QVERIFY(module.payload.view() == with(codeAt(), "#"));
}

void TestOverwrite::offsetsFollowMovedModules() {
  // Another module before it grows, as if other edits had been written to the file.
  const auto made = [](const std::string& code) {
    return opened(ffiLibrary({{"_lib", ""}, {"custom", code}, {"cuda", payload()}}, {{1, 2}, {}, {}}));
  };
  const auto before = made("short"), after = made(std::string(1'000, 'x'));
  const auto start = [](const library::PackagePtr& package) {
    return *library::placeIn(*package, package->blobs.front()->modules[2]->payload);
  };
  QVERIFY(start(before) != start(after));
  std::vector<edit::Edit> edits = {typed(start(before) + codeAt(), "--", "//", 2),
                                   edit::Remove{{Ref::moduleAt({}, 1), {}}}, typed(0, "x", "y", 7)};
  edit::toPayloadOffsets(*before, edits);
  QCOMPARE(edits.size(), std::size_t{2}); // there is no module 7
  QCOMPARE(std::get<edit::Replace>(edits[0]).target.ref.at, std::optional(codeAt()));
  edit::toFileOffsets(*after, edits);
  QCOMPARE(std::get<edit::Replace>(edits[0]).target.ref, Ref::moduleAt({}, 2).withBytes(start(after) + codeAt(), 2));
  NullMonitor monitor;
  QVERIFY(edit::apply(after, std::vector{edits[0]}, {}, monitor));
  // By an offset alone, the module is found.
  std::vector<edit::Edit> alone = {typed(start(before) + codeAt(), "-", "/")};
  std::get<edit::Replace>(alone[0]).target.ref = Ref::bytesAt(start(before) + codeAt(), 1);
  edit::toPayloadOffsets(*before, alone);
  QCOMPARE(std::get<edit::Replace>(alone[0]).target.ref, Ref::moduleAt({}, 2).withBytes(codeAt(), 1));
}

BLOBSCOPE_TEST(TestOverwrite);

#include "test_overwrite.moc"
