#include "core/library/open.h"
#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <fstream>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

const std::string kPtx = code3("ptx", kAddMul, ptxText(kAddMul), Info::Four),
                  kOlder = code3("ptx", kAddMul, ptxText(kAddMul), Info::Three);

/// `_lib` imports cuda and opencl, both import a vendor module.
std::string shared(bool ffi = true) {
  const Info form = ffi ? Info::Four : Info::Three;
  const std::vector<Record> records = {{"_lib", ""},
                                       {"cuda", code3("ptx", kAddMul, "// p", form)},
                                       {"opencl", code3("cl", kAddMul, "// c", form)},
                                       {"metal", code3("metal", kAddMul, "// m", form)}};
  const Imports imports = {{1, 2}, {3}, {3}, {}};
  return ffi ? ffiLibrary(records, imports) : classicLibrary(records, imports);
}
std::string flat() {
  return classicLibrary({{"cuda", kOlder}, {"opencl", code3("cl", kAddMul, "// c", Info::Three)}}, std::nullopt);
}

std::string added(const std::string& id, const std::string& key, const std::string& payload, const std::string& parents,
                  const std::string& more = {}) {
  return "{'op': 'add', 'id': '" + id + "', 'key': '" + key + "', 'hex': '" + hexDigits(payload) + "', 'parents': [" +
         parents + "]" + more + "}";
}
std::string code(const std::string& data, Info form = Info::Four) { return code3("ptx", {{"neu"}}, data, form); }

/// The tree after the edits, or the id and message of the error.
std::string treeAfter(const std::string& file, const std::string& edits, bool force = false) {
  const auto edited = applyTo(opened(file), edits, force);
  if (!edited) return std::string(edited.error().diagnostic().idText()) + ": " + edited.error().message();
  if (const std::string why = problemsOf(*edited); !why.empty()) return "wrong: " + why;
  std::string out;
  for (const auto& blob : edited->after->blobs) out += (out.empty() ? "" : " | ") + treeText(*blob);
  for (const Diagnostic& one : edited->applied.warnings) out += " " + std::string(one.idText());
  return out;
}

} // namespace

/// The effect of edits on the import tree, on blobs and on files with several blobs.
class TestApplyTreeEdits : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void editsChangeTheImportTree_data() {
    QTest::addColumn<std::string>("found");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& found, const std::string& expected) {
      QTest::newRow(name) << found << expected;
    };
    for (const bool ffi : {true, false}) {
      const std::string file = shared(ffi);
      const Info form = ffi ? Info::Four : Info::Three;
      const auto both = [&](const char* name, const std::string& edits, const std::string& expected) {
        QTest::addRow("%s, %s", name, ffi ? "ffi" : "classic") << treeAfter(file, edits) << expected;
      };
      both("nothing", "", "_lib(1,2) cuda(3) opencl(3) metal()");
      both("remove one of two importers", "{'op': 'remove', 'ref': 'm1'}", "_lib(1) opencl(2) metal()");
      both("remove a shared module", "{'op': 'remove', 'ref': 'm3'}", "_lib(1,2) cuda() opencl()");
      both("remove a branch",
           "{'op': 'remove', 'ref': 'm3'}, {'op': 'remove', 'ref': 'm2'}, {'op': 'remove', 'ref': 'm1'}", "_lib()");
      both("remove all importers and what they import",
           "{'op': 'remove', 'ref': 'm1'}, {'op': 'remove', 'ref': 'm2'}, {'op': 'remove', 'ref': 'm3'}", "_lib()");
      both("relink in another order", "{'op': 'relink', 'ref': 'm0', 'imports': ['m2', 'm1']}",
           "_lib(2,1) cuda(3) opencl(3) metal()");
      both("relink a shared module elsewhere",
           "{'op': 'relink', 'ref': 'm1', 'imports': []}, {'op': 'relink', 'ref': 'm2', 'imports': []}, {'op': "
           "'relink', 'ref': 'm0', 'imports': ['m1', 'm2', 'm3']}",
           "_lib(1,2,3) cuda() opencl() metal()");
      both("add at the end", added("new1", "cuda", code("// n", form), "'m0'"),
           "_lib(1,2,4) cuda(3) opencl(3) metal() cuda()");
      both("add in front", added("new1", "cuda", code("// n", form), "'m0'", ", 'position': 0"),
           "_lib(4,1,2) cuda(3) opencl(3) metal() cuda()");
      both("add far behind", added("new1", "cuda", code("// n", form), "'m0'", ", 'position': 99"),
           "_lib(1,2,4) cuda(3) opencl(3) metal() cuda()");
      both("add with two parents", added("new1", "cuda", code("// n", form), "'m3', 'm1'"),
           "_lib(1,2) cuda(3,4) opencl(3) metal(4) cuda()");
      both("add below an added one",
           added("new1", "cuda", code("// n", form), "'m0'") + "," +
               added("new2", "opencl", code("// o", form), "'new1'"),
           "_lib(1,2,4) cuda(3) opencl(3) metal() cuda(5) opencl()");
      both(
          "add, then relink and fill it",
          added("new1", "cuda", code("// n", form), "'m0'") +
              ", {'op': 'relink', 'ref': 'new1', 'imports': ['m3']}, {'op': 'rename', 'ref': 'new1', 'name': 'opencl'}",
          "_lib(1,2,4) cuda(3) opencl(3) metal() opencl(3)");
      both("remove and add", "{'op': 'remove', 'ref': 'm1'}," + added("new1", "cuda", code("// n", form), "'m2'"),
           "_lib(1) opencl(2,3) metal() cuda()");
      both("add and remove again",
           added("new1", "cuda", code("// n", form), "'m0'") + ", {'op': 'remove', 'ref': 'new1'}",
           "_lib(1,2) cuda(3) opencl(3) metal()");
      both("rename", "{'op': 'rename', 'ref': 'm2', 'name': 'cuda'}", "_lib(1,2) cuda(3) cuda(3) metal()");
    }
    row("flat: remove", treeAfter(flat(), "{'op': 'remove', 'ref': 'm0'}"), "opencl()");
    row("flat: remove all", treeAfter(flat(), "{'op': 'remove', 'ref': 'm0'}, {'op': 'remove', 'ref': 'm1'}"), "");
    row("flat: add", treeAfter(flat(), added("new1", "cuda", code("// n", Info::Three), "'blob'")),
        "cuda() opencl() cuda()");
    row("rename to an unknown kind", treeAfter(shared(), "{'op': 'rename', 'ref': 'm3', 'name': 'vendor'}"),
        "_lib(1,2) cuda(3) opencl(3) vendor*()");
    row("an orphan in the file stays an orphan",
        treeAfter(ffiLibrary({{"_lib", ""}, {"cuda", kPtx}, {"opencl", code("// x")}}, {{1}, {}, {}}),
                  "{'op': 'rename', 'ref': 'm1', 'name': 'opencl'}, {'op': 'relink', 'ref': 'm1', 'imports': []}"),
        "_lib(1) opencl() opencl()");
  }
  void editsChangeTheImportTree() {
    QFETCH(std::string, found);
    QFETCH(std::string, expected);
    QCOMPARE(found, expected);
  }

  void refusedEditsCanBeForced_data() {
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("refused");
    QTest::addColumn<std::string>("forced");
    const auto row = [](const char* name, const std::string& edits, const std::string& refused,
                        const std::string& forced) { QTest::newRow(name) << edits << refused << forced; };
    const auto never = [&](const char* name, const std::string& edits, const std::string& refused) {
      row(name, edits, refused, refused);
    };
    const std::string target = "REP-TARGET: edit 1: cannot edit '";
    never("root removed", "{'op': 'remove', 'ref': 'm0'}",
          "REP-ROOT: module 0 is the root that loaders return: it cannot be removed");
    never("circle", "{'op': 'relink', 'ref': 'm3', 'imports': ['m0']}",
          "REP-CYCLE: the imports would form a cycle: m0 → m1 → m3 → m0");
    never("module that imports itself", "{'op': 'relink', 'ref': 'm1', 'imports': ['m1', 'm3']}",
          "REP-CYCLE: the imports would form a cycle: m1 → m1");
    never("circle through an added one",
          added("new1", "cuda", code("// n"), "'m3'") + ", {'op': 'relink', 'ref': 'new1', 'imports': ['m1']}",
          "REP-CYCLE: the imports would form a cycle: m1 → m3 → new1 → m1");
    row("orphan", "{'op': 'relink', 'ref': 'm0', 'imports': ['m1']}",
        "REP-ORPHAN: module m2 'opencl' would no longer be imported by any module, and loaders would drop it; remove "
        "it too, or import it from another module",
        "_lib(1) cuda(3) opencl(3) metal() REP-FORCED");
    row("orphans left by a removal", "{'op': 'remove', 'ref': 'm1'}, {'op': 'remove', 'ref': 'm2'}",
        "REP-ORPHAN: module m3 'metal' would no longer be imported by any module, and loaders would drop it; remove it "
        "too, or import it from another module",
        "_lib() metal() REP-FORCED");
    never("import twice", "{'op': 'relink', 'ref': 'm0', 'imports': ['m1', 'm2', 'm1']}",
          target + "m0': it would import 'm1' twice");
    never("parent twice", added("new1", "cuda", code("// n"), "'m1', 'm1'"),
          target + "blob': 'm1' would import 'new1' twice");
    never("import of nothing", "{'op': 'relink', 'ref': 'm0', 'imports': ['m9']}",
          "REF-NOT-FOUND: edit 1: 'm9' does not exist in this file: the blob has 4 modules, counted from 0, and no "
          "added module has that id");
    never("import of an unknown id", "{'op': 'relink', 'ref': 'm0', 'imports': ['new9']}",
          "REF-NOT-FOUND: edit 1: 'new9' does not exist in this file: the blob has 4 modules, counted from 0, and no "
          "added module has that id");
    never("import of another blob's module", "{'op': 'relink', 'ref': 'm0', 'imports': ['left_:m1']}",
          "REF-NOT-FOUND: edit 1: 'left_:m1' does not exist in this file: a module can only import modules of the same "
          "blob");
    never("edit of a removed module", "{'op': 'remove', 'ref': 'm1'}, {'op': 'rename', 'ref': 'm1', 'name': 'x'}",
          "REF-NOT-FOUND: edit 2: 'm1' does not exist in this file: an edit removes it");
    never("import of a removed module",
          "{'op': 'remove', 'ref': 'm3'}, {'op': 'relink', 'ref': 'm0', 'imports': ['m1', 'm2', 'm3']}",
          "REF-NOT-FOUND: edit 2: 'm3' does not exist in this file: an edit removes it");
    never("id twice", added("new1", "cuda", code("// n"), "'m0'") + "," + added("new1", "cuda", code("// n"), "'m0'"),
          "REP-EDITS: edit 2: invalid edit list: two added modules have the id 'new1'");
    never("id like a ref", added("m7", "cuda", code("// n"), "'m0'"),
          "REP-EDITS: edit 1: invalid edit list: 'm7' is not a valid id for an added module; an id is not "
          "empty, not a ref, and has no '/'");
    never("id with a slash", added("a/b", "cuda", code("// n"), "'m0'"),
          "REP-EDITS: edit 1: invalid edit list: 'a/b' is not a valid id for an added module; an id is not "
          "empty, not a ref, and has no '/'");
    never("no id", added("", "cuda", code("// n"), "'m0'"),
          "REP-EDITS: edit 1: invalid edit list: '' is not a valid id for an added module; an id is not "
          "empty, not a ref, and has no '/'");
    never("no parents", added("new1", "cuda", code("// n"), ""),
          "REP-EDITS: edit 1: invalid edit list: the added module 'new1' has no parents");
    never("the blob as parent", added("new1", "cuda", code("// n"), "'blob'"),
          target + "blob': the stream has an import tree; name the importing module");
    never("parent that is not there", added("new1", "cuda", code("// n"), "'m9'"),
          "REF-NOT-FOUND: edit 1: 'm9' does not exist in this file: the blob has 4 modules, counted from 0, and no "
          "added module has that id");
    never("a second _lib", added("new1", "_lib", "", "'m1'"), target + "blob': the blob already has a '_lib'");
    never("added without a kind", added("new1", "", code("// n"), "'m1'"),
          target + "blob': '' is not a type key of a module");
    never("added as the tree", added("new1", "_import_tree", code("// n"), "'m1'"),
          target + "blob': '_import_tree' is not a type key of a module");
    never("renamed to _lib", "{'op': 'rename', 'ref': 'm1', 'name': '_lib'}",
          target + "m1': '_lib' is not a type key of a module");
    never("renamed to nothing", "{'op': 'rename', 'ref': 'm1', 'name': ''}", target + "m1': the new name is empty");
    never("renamed twice", "{'op': 'rename', 'ref': 'm1', 'name': 'x'}, {'op': 'rename', 'ref': 'm1', 'name': 'y'}",
          "REP-TARGET: edit 2: cannot edit 'm1': edit 1 renames it");
    never("renamed and removed", "{'op': 'rename', 'ref': 'm3', 'name': 'x'}, {'op': 'remove', 'ref': 'm3'}",
          "REP-TARGET: edit 2: cannot edit 'm3': edit 1 renames it");
    never("an added module renamed twice",
          added("new1", "cuda", code("// n"), "'m1'") +
              ", {'op': 'rename', 'ref': 'new1', 'name': 'x'}, {'op': 'rename', 'ref': 'new1', 'name': 'y'}",
          "REP-TARGET: edit 3: cannot edit 'new1': edit 2 renames it");
    never("_lib renamed", "{'op': 'rename', 'ref': 'm0', 'name': 'x'}", target + "m0': '_lib' represents the library");
    row("added payload that fits nothing", added("new1", "cuda", "nonsense", "'m0'"), "REP-UNDECODED",
        "_lib(1,2,4) cuda(3) opencl(3) metal() cuda*() REP-FORCED");
  }
  void refusedEditsCanBeForced() {
    QFETCH(std::string, edits);
    QFETCH(std::string, refused);
    QFETCH(std::string, forced);
    const std::string found = treeAfter(shared(), edits), anyway = treeAfter(shared(), edits, true);
    QVERIFY2(found.starts_with(refused), found.c_str());
    QVERIFY2(anyway.starts_with(forced), anyway.c_str());
  }

  void removingLibIsRefused() {
    const std::string file = ffiLibrary({{"cuda", kPtx}, {"_lib", ""}}, {{1}, {}});
    const std::string told = "REP-LIB: without '_lib', runtimes can no longer find the host functions of the library";
    QCOMPARE(treeAfter(file, "{'op': 'remove', 'ref': 'm1'}"), told);
    QCOMPARE(treeAfter(file, "{'op': 'remove', 'ref': 'm1'}", true), "cuda() REP-FORCED"s);
    QCOMPARE(treeAfter(file, "{'op': 'relink', 'ref': 'm0', 'imports': []}"), told);
    QCOMPARE(treeAfter(file, "{'op': 'relink', 'ref': 'm0', 'imports': []}", true), "cuda() _lib() REP-FORCED"s);
  }

  void flatStreamHasNoImportTreeToEdit() {
    QVERIFY(treeAfter(flat(), "{'op': 'relink', 'ref': 'm0', 'imports': ['m1']}")
                .starts_with("REP-TARGET: edit 1: cannot edit 'm0': the stream has no import tree"));
    const std::string parent = treeAfter(flat(), added("new1", "cuda", code("// n", Info::Three), "'m0'"));
    QVERIFY2(parent.starts_with("REP-TARGET: edit 1: cannot edit 'm0': the stream has no import tree; "
                                "name 'blob' as the parent"),
             parent.c_str());
  }

  /// Records of classic streams have no length: a key that no reader recognises hides the end of the module.
  void keyThatHidesTheEndOfItsModuleIsRefused() {
    const std::string edit = "{'op': 'rename', 'ref': 'm0', 'name': {'hex': '00d8002000090043'}}";
    const std::string refused = treeAfter(flat(), edit);
    QVERIFY2(refused.starts_with("REP-UNDECODED: ") &&
                 refused.find("its end in this stream is not known") != std::string::npos,
             refused.c_str());
    const auto forced = applyTo(opened(flat()), edit, true);
    QVERIFY(forced);
    QCOMPARE(forced->applied.warnings.size(), std::size_t{1});
    QCOMPARE(treeAfter(flat(), "{'op': 'rename', 'ref': 'm0', 'name': 'Vendor'}"), "Vendor*() opencl()"s);
  }

  void wholeBlobCanBeReplaced() {
    const std::string blob = ffiBlob({{"_lib", ""}, {"cuda", kPtx}}, {{1}, {}}),
                      file = elfWith("__tvm_ffi__library_bin", blob), other = ffiBlob({{"_lib", ""}}, {{}});
    const auto by = [](const std::string& bytes) {
      return "{'op': 'replace', 'ref': 'blob', 'hex': '" + hexDigits(bytes) + "'}";
    };
    QCOMPARE(treeAfter(file, by(other)), "_lib()"s);
    QCOMPARE(treeAfter(file, by(blob)), "_lib(1) cuda()"s);
    const std::string length = treeAfter(file, by(patched(other, 0, 7)));
    QVERIFY2(length.starts_with("REP-LEN: edit 1: the blob does not match its length header: the header declares 7 "
                                "bytes, but is followed by "),
             length.c_str());
    QVERIFY(treeAfter(file, by("1234")).starts_with("REP-LEN: "));
    for (const char* const more : {"{'op': 'remove', 'ref': 'm1'}", "{'op': 'rename', 'ref': 'm1', 'name': 'x'}",
                                   "{'op': 'set', 'ref': 'm1/field:fmt', 'value': 'x'}"}) {
      const std::string refused = treeAfter(file, by(other) + "," + more);
      QCOMPARE(refused, "REP-TARGET: cannot edit 'blob': other edits change its content"s);
    }
    // A damaged blob can still be replaced as a whole.
    const std::string damaged = elfWith("__tvm_ffi__library_bin", patched(blob, 0, 0x7fffffffffffffff));
    QCOMPARE(treeAfter(damaged, by(other)), "_lib()"s);
  }

  /// Modules of a damaged blob are moved only when forced; undecoded bytes stay.
  void editingADamagedBlobMustBeForced() {
    const std::string blob =
        classicBlob({{"_lib", ""}, {"cuda", kOlder}, {"Vendor", "sixteen bytes ok"}}, Imports{{1, 2}, {}, {}});
    std::string behind = ffiBlob({{"_lib", ""}, {"cuda", kPtx}}, {{1}, {}}) + "left over";
    behind = patched(behind, 0, behind.size() - 8);
    const std::string file = elfWith("__tvm_ffi__library_bin", behind),
                      edit = "{'op': 'set', 'ref': 'm1/field:fmt', 'value': 'cuda'}";
    const std::string refused = treeAfter(file, edit);
    QVERIFY2(refused.starts_with("REP-DAMAGED: the blob is damaged (no module contains the last 9 bytes)"),
             refused.c_str());
    const auto edited = applyTo(opened(file), edit, true);
    QVERIFY(edited);
    QCOMPARE(edited->applied.warnings.front().id, DiagnosticId::PlanForced);
    QVERIFY(bytesOf(edited->applied.blobs.front()).ends_with("left over"));
    const std::string length = elfWith("__tvm_dev_mblob", patched(blob, 0, 0x7fffffffffffffff));
    QVERIFY(treeAfter(length, "{'op': 'remove', 'ref': 'm1'}").starts_with("REP-DAMAGED: "));
  }

  // --- several blobs ---

  void eachOfTwoBlobsCanBeEdited() {
    const std::string file =
        ElfBuilder()
            .data("left___tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", kPtx}}, {{1}, {}}))
            .data("right___tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"opencl", code("// r")}}, {{1}, {}}))
            .build();
    QCOMPARE(treeAfter(file, "{'op': 'rename', 'ref': 'right_:m1', 'name': 'cuda'}"),
             "_lib(1) cuda() | _lib(1) cuda()"s);
    QCOMPARE(
        treeAfter(file, "{'op': 'remove', 'ref': 'right_:m1'}, {'op': 'rename', 'ref': 'left_:m1', 'name': 'opencl'}"),
        "_lib(1) opencl() | _lib()"s);
    QCOMPARE(treeAfter(file, added("new1", "cuda", code("// n"), "'left_:m0'") + "," +
                                 added("new2", "cuda", code("// n"), "'right_:m1'")),
             "_lib(1,2) cuda() cuda() | _lib(1) opencl(2) cuda()"s);
    QVERIFY(treeAfter(file, "{'op': 'remove', 'ref': 'm1'}").starts_with("REF-NOT-FOUND: "));
    QVERIFY(treeAfter(file, "{'op': 'relink', 'ref': 'left_:m0', 'imports': ['right_:m1']}")
                .starts_with("REF-NOT-FOUND: "));
    QVERIFY(
        treeAfter(file, added("new1", "cuda", code("// n"), "'left_:m0', 'right_:m0'")).starts_with("REF-NOT-FOUND: "));
    QVERIFY(treeAfter(file, added("new1", "cuda", code("// n"), "'left_:m0'") +
                                ", {'op': 'relink', 'ref': 'right_:m0', 'imports': ['new1', 'right_:m1']}")
                .starts_with("REF-NOT-FOUND: "));
    // Blobs keep the order of the file, whatever the order of the edits.
    const auto edited = applyTo(
        opened(file),
        "{'op': 'rename', 'ref': 'right_:m1', 'name': 'cuda'}, {'op': 'rename', 'ref': 'left_:m1', 'name': 'cuda'}");
    QVERIFY(edited);
    QCOMPARE(edited->applied.blobs.size(), std::size_t{2});
    QCOMPARE(edited->applied.blobs[0].opened().refPrefix, "left_"s);
    QCOMPARE(edited->after->blobs[0]->refPrefix, "left_"s);
  }

  /// The only blob of a file is found with and without its prefix.
  void prefixOfTheOnlyBlobIsOptional() {
    const std::string file =
        ElfBuilder().data("own___tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", kPtx}}, {{1}, {}})).build();
    for (const char* const ref : {"m1", "own_:m1"})
      QCOMPARE(treeAfter(file, "{'op': 'rename', 'ref': '"s + ref + "', 'name': 'opencl'}"), "_lib(1) opencl()"s);
    QVERIFY(treeAfter(file, "{'op': 'rename', 'ref': 'other_:m1', 'name': 'opencl'}").starts_with("REF-NOT-FOUND: "));
  }

  void librariesInArchivesCanBeEdited() {
    ElfBuilder object;
    object.type = 1;
    object.data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", kPtx}}, {{1}, {}}));
    const std::string file = tarOf({{"a/lib.o", object.build()}, {"text", "hello"}, {"b.o", object.build()}});
    const auto edited = applyTo(opened(file), "{'op': 'rename', 'ref': 'b.o!m1', 'name': 'opencl'}");
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    QCOMPARE(problemsOf(*edited), std::string());
    const auto treeOf = [&](const char* member) {
      Ref ref;
      ref.members = {member};
      return treeText(*(*library::memberOf(edited->after, ref))->blobs.front());
    };
    QCOMPARE(treeOf("a/lib.o"), "_lib(1) cuda()"s);
    QCOMPARE(treeOf("b.o"), "_lib(1) opencl()"s);
    // Unedited members are shared with the opened file.
    QVERIFY(edited->after->members[0].package == edited->before->members[0].package);
    QVERIFY(edited->after->members[2].package != edited->before->members[2].package);
    QVERIFY(applyTo(opened(file), "{'op': 'rename', 'ref': 'm1', 'name': 'opencl'}").error().id() ==
            DiagnosticId::RefNotFound);
  }

  // --- contents from files ---

  void replacementsAreReadFromFiles() {
    const QTemporaryDir folder;
    const auto put = [&](const char* name, const std::string& bytes) {
      std::ofstream(std::filesystem::path(folder.path().toStdString()) / name, std::ios::binary) << bytes;
    };
    put("new.bin", code("// from a file"));
    put("empty", "");
    const auto package = opened(ffiLibrary({{"_lib", ""}, {"vendor", "bytes"}, {"cuda", kPtx}}, {{1, 2}, {}, {}}));
    edit::ApplyOptions options;
    options.folder = folder.path().toStdString();
    NullMonitor monitor;
    const auto made = edit::apply(
        package,
        editsOf("{'op': 'replace', 'ref': 'm2', 'file': 'new.bin'}, {'op': 'replace', 'ref': 'm1', 'file': 'empty'}"),
        options, monitor);
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(std::string(made->blobs.front().modules[2].payload.view()), code("// from a file"));
    QVERIFY(made->blobs.front().modules[1].payload.empty());
    const auto missing =
        edit::apply(package, editsOf("{'op': 'replace', 'ref': 'm2', 'file': 'missing.bin'}"), options, monitor);
    QVERIFY(!missing);
    QCOMPARE(std::string(missing.error().diagnostic().idText()), "FILE-NOT-FOUND"s);
    QVERIFY(missing.error().message().starts_with("edit 1: "));
  }
};

BLOBSCOPE_TEST(TestApplyTreeEdits);
#include "test_apply_tree.moc"
