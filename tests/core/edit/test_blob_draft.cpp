#include "core/edit/blob_draft.h"

#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using edit::BlobDraft;

namespace {

std::string code(const std::string& data, Info form = Info::Four) { return code3("ptx", {{"k"}}, data, form); }

/// `_lib` imports two that share a third one.
library::PackagePtr shared(bool ffi) {
  const Info form = ffi ? Info::Four : Info::Three;
  const std::vector<Record> records = {
      {"_lib", ""}, {"cuda", code("// 1", form)}, {"opencl", code("// 2", form)}, {"metal", code("// 3", form)}};
  const Imports imports = {{1, 2}, {3}, {3}, {}};
  return opened(ffi ? ffiLibrary(records, imports) : classicLibrary(records, imports));
}
library::PackagePtr flat() {
  return opened(classicLibrary({{"cuda", code("// 1", Info::Three)}, {"opencl", code("// 2", Info::Three)}}, {}));
}

/// Calls by the names of modules; the first error stays.
class Draft {
public:
  explicit Draft(library::PackagePtr opened = shared(true)) : package(std::move(opened)), draft(package, 0) {}

  static edit::Target target(const std::string& name) {
    const auto ref = Ref::parse(name);
    return ref && ref->kind == Ref::Kind::Module ? edit::Target{*ref, {}} : edit::Target{{}, name};
  }
  Draft& remove(const std::string& name) { return note(draft.removeModule(target(name))); }
  Draft& rename(const std::string& name, const std::string& key) { return note(draft.renameModule(target(name), key)); }
  Draft& relink(const std::string& name, const std::vector<std::string>& imports) {
    return note(draft.relink(target(name), imports));
  }
  Draft& add(const std::string& id, const std::vector<std::string>& parents, std::optional<uint64_t> position = {},
             const std::string& key = "cuda") {
    edit::AddModule edit;
    edit.id = id;
    edit.key = key;
    edit.parents = parents;
    edit.position = position;
    const Info form = package->blobs[0]->cut.stream == library::Stream::Classic ? Info::Three : Info::Four;
    return note(draft.addModule(edit, bytes(code("// " + id, form))));
  }
  /// "_lib(1,2) cuda()" in the order of the new stream with the ids of warnings, or the id of the error.
  std::string finished(bool force = false) {
    if (!m_error.empty()) return m_error;
    NullMonitor monitor;
    std::vector<Diagnostic> warnings;
    const auto edited = draft.finish(force, warnings, monitor);
    if (!edited) return std::string(edited.error().diagnostic().idText());
    std::string out;
    for (const edit::EditedModule& module : edited->modules) {
      out += (out.empty() ? "" : " ") + std::string(module.key.view()) + "(";
      for (std::size_t i = 0; i < module.imports.size(); ++i)
        out += (i == 0 ? "" : ",") + std::to_string(module.imports[i]);
      out += ")";
    }
    for (const Diagnostic& one : warnings) out += " " + std::string(one.idText());
    return out;
  }

  library::PackagePtr package;
  BlobDraft draft;

private:
  Draft& note(const Result<Done>& done) {
    if (!done && m_error.empty()) m_error = done.error().diagnostic().idText();
    return *this;
  }
  std::string m_error;
};

} // namespace

class TestBlobDraft : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void withoutEditsTheBytesAreTheSame_data() {
    QTest::addColumn<int>("stream");
    QTest::newRow("ffi") << 0;
    QTest::newRow("classic") << 1;
    QTest::newRow("flat") << 2;
  }
  void withoutEditsTheBytesAreTheSame() {
    QFETCH(int, stream);
    const library::PackagePtr package = stream == 2 ? flat() : shared(stream == 0);
    BlobDraft draft(package, 0);
    NullMonitor monitor;
    std::vector<Diagnostic> warnings;
    const auto edited = draft.finish(false, warnings, monitor);
    QVERIFY(edited);
    QVERIFY(warnings.empty());
    QCOMPARE(bytesOf(*edited), std::string(package->blobs[0]->bytes.view()));
    QCOMPARE(edited->size, uint64_t{package->blobs[0]->bytes.size()});
  }

  void treesAreEdited_data() {
    QTest::addColumn<std::string>("found");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, Draft&& draft, const char* expected, bool force = false) {
      QTest::newRow(name) << draft.finished(force) << std::string(expected);
    };
    row("numbers close up after a removal", std::move(Draft().remove("m1")), "_lib(1) opencl(2) metal()");
    row("what a removed module imported alone is an orphan", std::move(Draft().remove("m1").remove("m2")),
        "REP-ORPHAN");
    row("removed together", std::move(Draft().remove("m1").remove("m2").remove("m3")), "_lib()");
    row("the same with force", std::move(Draft().remove("m1").remove("m2")), "_lib() metal() REP-FORCED", true);
    row("the root stays", std::move(Draft().remove("m0")), "REP-ROOT");
    row("also with force", std::move(Draft().remove("m0")), "REP-ROOT", true);
    row("removed twice", std::move(Draft().remove("m1").remove("m1")), "REF-NOT-FOUND");
    row("no such module", std::move(Draft().remove("m4")), "REF-NOT-FOUND");
    row("another order of imports", std::move(Draft().relink("m0", {"m2", "m1"})),
        "_lib(2,1) cuda(3) opencl(3) metal()");
    row("an import of the other", std::move(Draft().relink("m1", {"m2", "m3"})),
        "_lib(1,2) cuda(2,3) opencl(3) metal()");
    row("imported twice", std::move(Draft().relink("m1", {"m3", "m3"})), "REP-TARGET");
    row("a removed one imported", std::move(Draft().remove("m3").relink("m1", {"m3"})), "REF-NOT-FOUND");
    row("one imports itself", std::move(Draft().relink("m3", {"m3"})), "REP-CYCLE");
    row("two import each other", std::move(Draft().relink("m3", {"m1"})), "REP-CYCLE");
    row("a cycle also with force", std::move(Draft().relink("m3", {"m1"})), "REP-CYCLE", true);
    row("a cycle that is broken again", std::move(Draft().relink("m3", {"m1"}).relink("m1", {})),
        "_lib(1,2) cuda() opencl(3) metal(1)");
    row("added behind the last import", std::move(Draft().add("new1", {"m0"})),
        "_lib(1,2,4) cuda(3) opencl(3) metal() cuda()");
    row("added in front", std::move(Draft().add("new1", {"m0"}, 0)), "_lib(4,1,2) cuda(3) opencl(3) metal() cuda()");
    row("a position behind the end", std::move(Draft().add("new1", {"m0"}, UINT64_MAX)),
        "_lib(1,2,4) cuda(3) opencl(3) metal() cuda()");
    row("added to two", std::move(Draft().add("new1", {"m1", "m2"})), "_lib(1,2) cuda(3,4) opencl(3,4) metal() cuda()");
    row("added to one twice", std::move(Draft().add("new1", {"m1", "m1"})), "REP-TARGET");
    row("added to nothing", std::move(Draft().add("new1", {})), "REP-ORPHAN");
    row("added to an added one", std::move(Draft().add("new1", {"m0"}).add("new2", {"new1"})),
        "_lib(1,2,4) cuda(3) opencl(3) metal() cuda(5) cuda()");
    row("added to what is added later", std::move(Draft().add("new2", {"new1"}).add("new1", {"m0"})), "REF-NOT-FOUND");
    row("added and removed", std::move(Draft().add("new1", {"m0"}).remove("new1")),
        "_lib(1,2) cuda(3) opencl(3) metal()");
    row("added to the library", std::move(Draft().add("new1", {"blob"})), "REP-TARGET");
    row("without a key", std::move(Draft().add("new1", {"m0"}, {}, "")), "REP-TARGET");
    row("the tree's key", std::move(Draft().add("new1", {"m0"}, {}, "_import_tree")), "REP-TARGET");
    row("a second library", std::move(Draft().add("new1", {"m0"}, {}, "_lib")), "REP-TARGET");
    row("another kind", std::move(Draft().rename("m3", "vendor")), "_lib(1,2) cuda(3) opencl(3) vendor()");
    row("a kind without name", std::move(Draft().rename("m3", "")), "REP-TARGET");
    row("a module becomes the library", std::move(Draft().rename("m3", "_lib")), "REP-TARGET");
    row("a module becomes the tree", std::move(Draft().rename("m3", "_import_tree")), "REP-TARGET");
    row("the library becomes a module", std::move(Draft().rename("m0", "cuda")), "REP-TARGET");
    row("flat: removed", std::move(Draft(flat()).remove("m0")), "opencl()");
    row("flat: there are no imports", std::move(Draft(flat()).relink("m0", {"m1"})), "REP-TARGET");
    row("flat: added to the library", std::move(Draft(flat()).add("new1", {"blob"})), "cuda() opencl() cuda()");
    row("flat: added to a module", std::move(Draft(flat()).add("new1", {"m0"})), "REP-TARGET");
  }
  void treesAreEdited() {
    QFETCH(std::string, found);
    QFETCH(std::string, expected);
    QCOMPARE(found, expected);
  }

  void modulesAreFoundByName() {
    Draft draft;
    draft.add("new1", {"m0"});
    QVERIFY(draft.draft.hasAdded("new1"));
    QVERIFY(!draft.draft.hasAdded("m0") && !draft.draft.hasAdded("new2") && !draft.draft.hasAdded(""));
    const auto opened = draft.draft.module(Draft::target("m1")), added = draft.draft.module(Draft::target("new1"));
    QVERIFY(opened && added);
    QCOMPARE((*opened)->name(), std::string("m1"));
    QCOMPARE((*added)->name(), std::string("new1"));
    QVERIFY(!draft.draft.module(Draft::target("new2")));
  }

  void refsOfTheBlobAreRecognised_data() {
    QTest::addColumn<std::string>("ref");
    QTest::addColumn<bool>("meant");
    QTest::newRow("a module") << std::string("m1") << true;
    QTest::newRow("the blob") << std::string("blob") << true;
    QTest::newRow("another prefix") << std::string("left_:m1") << false;
    QTest::newRow("in a member") << std::string("a.o!m1") << false;
  }
  void refsOfTheBlobAreRecognised() {
    QFETCH(std::string, ref);
    QFETCH(bool, meant);
    QCOMPARE(Draft().draft.matches(*Ref::parse(ref)), meant);
  }

  void wholeBlobAndAModuleConflict() {
    Draft draft;
    draft.draft.replaceAll(bytes("anything"));
    NullMonitor monitor;
    std::vector<Diagnostic> warnings;
    const auto whole = draft.draft.finish(false, warnings, monitor);
    QVERIFY(whole);
    QCOMPARE(bytesOf(*whole), std::string("anything"));
    QVERIFY(whole->modules.empty());
    draft.rename("m3", "vendor");
    QCOMPARE(draft.finished(), std::string("REP-TARGET"));
  }

  void forceTurnsARefusalIntoAWarning() {
    std::vector<Diagnostic> warnings;
    const auto error = [] { return edit::cannotEdit(Ref::moduleAt("", 1), "reason"); };
    const auto refused = edit::refuse(error(), false, warnings);
    QVERIFY(!refused);
    QCOMPARE(refused.error().diagnostic().idText(), std::string_view("REP-TARGET"));
    QVERIFY(warnings.empty());
    QVERIFY(edit::refuse(error(), true, warnings));
    QCOMPARE(warnings.size(), std::size_t{1});
    QCOMPARE(warnings[0].idText(), std::string_view("REP-FORCED"));
    QCOMPARE(warnings[0].place.toString(), std::string("m1"));
  }

  void damagedBlobsAreRefused() {
    const std::string stream =
        ffiBlob({{"_lib", ""}, {"cuda", code("// 1")}, {"metal", code("// 2")}}, {{1, 2}, {}, {}});
    for (const uint64_t declared : {stream.size() - 9, stream.size() + 1'000, uint64_t{UINT64_MAX}}) {
      Draft draft(opened(elfWith("__tvm_ffi__library_bin", patched(stream, 0, declared))));
      draft.rename("m1", "vendor");
      QCOMPARE(draft.finished(), std::string("REP-DAMAGED"));
    }
  }

  void editCanBeCancelled() {
    Draft draft;
    draft.rename("m3", "vendor");
    StopAfter monitor(0);
    std::vector<Diagnostic> warnings;
    const auto edited = draft.draft.finish(false, warnings, monitor);
    QVERIFY(!edited);
    QCOMPARE(edited.error().code(), ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestBlobDraft);
#include "test_blob_draft.moc"
