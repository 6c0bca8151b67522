#include "core/write/import_folder.h"

#include "core/base/text.h"
#include "core/edit/edit_json.h"
#include "core/library/open.h"
#include "core/write/export_folder.h"
#include "core/write/repack.h"
#include "tests/core/base/files.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/contracts/codec_rows.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <QTemporaryDir>

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
namespace fs = std::filesystem;

namespace {

const std::vector<Function> kTwo = {{"add"}, {"mul"}};

/// The imports of `_lib` in the manifest of madeLibrary().
const std::string kImportsOfLib = "2,\n            3";

std::string ffi(const std::vector<Record>& records, const std::vector<std::vector<uint64_t>>& imports) {
  return elfWith("__tvm_ffi__library_bin", ffiBlob(records, imports));
}
std::string code(const std::string& text) { return code3("ptx", kTwo, text, Info::Four); }
std::string shaders(const std::string& add) {
  return functionMap(kTwo, Info::Four) +
         ByteBuilder().u64(2).str("add").str(add).str("mul").str("@compute fn mul() {}").take();
}

/// `_lib` with a virtual machine, shaders and code.
std::string madeLibrary(const std::string& add = "@compute fn add() {}", const std::string& ptx = "// x",
                        const std::string& tensor = std::string(24, '\1')) {
  RelaxBuilder relax(kTags2025b);
  relax.constants[3] = ByteBuilder().u32(kTags2025b.tensor).raw(tensorBytes({kFloat32, {2, 3}, tensor})).take();
  return ffi({{"relax.VMExecutable", relax.build()}, {"_lib", ""}, {"webgpu", shaders(add)}, {"cuda", code(ptx)}},
             {{1}, {2, 3}, {}, {}});
}

/// A library on disk, exported.
class Exported {
public:
  explicit Exported(const std::string& file) : m_file(in(m_place, "lib.so")), m_folder(in(m_place, "folder")) {
    writeFile(m_file, file);
    NullMonitor monitor;
    auto opened = library::open(m_file, monitor);
    if (!opened) qFatal("a made library cannot be opened: %s", opened.error().message().c_str());
    package = *opened;
    const auto done = write::exportFolder(package, m_folder, monitor);
    if (!done) qFatal("it cannot be exported: %s", done.error().message().c_str());
  }
  const fs::path& folder() const { return m_folder; }

  /// The file whose name has that ending.
  fs::path find(std::string_view end) const {
    for (const auto& entry : fs::recursive_directory_iterator(m_folder))
      if (entry.path().native().ends_with(end)) return entry.path();
    qFatal("no file ends with %s", std::string(end).c_str());
  }
  std::string manifest() const { return readFile(m_folder / "manifest.json"); }
  void setManifest(const std::string& text) { writeFile(m_folder / "manifest.json", text); }
  /// Inserts modules in the list of the first blob.
  void addModules(const std::string& modules) {
    std::string text = manifest();
    text.insert(text.find('[', text.find(R"("modules")")) + 1, modules + ",");
    setManifest(text);
  }
  /// Replaces the first `from` of the manifest after the first `after` by `to`.
  void change(const std::string& from, const std::string& to, const std::string& after = {}) {
    std::string text = manifest();
    const std::size_t at = text.find(from, text.find(after));
    if (at == std::string::npos) qFatal("the manifest has no %s", from.c_str());
    setManifest(text.replace(at, from.size(), to));
  }

  Result<std::vector<edit::Edit>> edits() const {
    NullMonitor monitor;
    BLOBSCOPE_TRY(manifest, write::readManifest(m_folder));
    return write::editsOfFolder(m_folder, manifest, package, monitor);
  }
  /// The file with the contents of the folder, or the id and message of the error.
  std::string imported() const {
    NullMonitor monitor;
    const auto done = [&]() -> Result<std::string> {
      BLOBSCOPE_TRY(list, edits());
      BLOBSCOPE_TRY(repack, write::planRepack(package, list, {}, {}, monitor));
      BLOBSCOPE_TRY(made, write::assemble(repack.plan, package->bytes, monitor));
      return std::string(made.view());
    }();
    return done ? *done : std::string(done.error().diagnostic().idText()) + ": " + done.error().message();
  }
  /// Kinds and imports of the imported file's first blob, or the error.
  std::string tree() const {
    const std::string made = imported();
    const auto after = openBytes(made);
    if (!after) return made;
    std::string out;
    for (const auto& module : (*after)->blobs.front()->modules) {
      out += (out.empty() ? "" : " ") + escaped(module->key.view()) + "(";
      for (std::size_t i = 0; i < module->imports.size(); ++i)
        out += (i == 0 ? "" : ",") + std::to_string(module->imports[i]);
      out += ")";
    }
    return out;
  }

  library::PackagePtr package;

private:
  QTemporaryDir m_place;
  fs::path m_file, m_folder;
};

std::string blobOf(const std::string& file) {
  const auto package = openBytes(file);
  return package ? std::string((*package)->blobs.front()->bytes.view()) : file;
}

} // namespace

class TestImportFolder : public QObject {
  Q_OBJECT

private Q_SLOTS:
  /// An unchanged folder: no edits, and the file byte for byte.
  void unchangedFolderGivesNoEdits_data() {
    QTest::addColumn<std::string>("file");
    QTest::newRow("all parts") << madeLibrary();
    QTest::newRow("flat") << elfWith("__tvm_dev_mblob",
                                     classicBlob({{"cuda", code3("ptx", kTwo, "// x", Info::Three)}}, std::nullopt));
    QTest::newRow("shared child") << ffi(
        {{"_lib", ""}, {"cuda", code("// x")}, {"opencl", code("// y")}, {"vendor", "bytes"}}, {{1, 2}, {3}, {3}, {}});
    QTest::newRow("kind that is not UTF-8") << ffi({{"_lib", ""}, {"ven\377dor", "bytes"}}, {{1}, {}});
    QTest::newRow("empty payload") << ffi({{"_lib", ""}, {"vendor", ""}}, {{1}, {}});
    QTest::newRow("in a tar") << tarOf({{"a.so", madeLibrary()}, {"b.so", madeLibrary("// b")}});
    QTest::newRow("two blobs") << ElfBuilder()
                                      .data("left___tvm_ffi__library_bin",
                                            ffiBlob({{"_lib", ""}, {"cuda", code("// l")}}, {{1}, {}}))
                                      .data("right___tvm_ffi__library_bin",
                                            ffiBlob({{"_lib", ""}, {"cuda", code("// r")}}, {{1}, {}}))
                                      .build();
    const std::string behind = ffiBlob({{"_lib", ""}, {"cuda", code("// x")}}, {{1}, {}}) + "left over";
    QTest::newRow("damaged") << elfWith("__tvm_ffi__library_bin", patched(behind, 0, behind.size() - 8));
    int number = 0;
    for (const CodecRow& row : codecRows()) {
      const std::vector<Record> records = {{"_lib", ""}, {row.key, row.payload}};
      if (row.key != "_lib")
        QTest::addRow("%d %s", number++, row.name().c_str())
            << (row.context.extraTags
                    ? elfWith("__tvm_ffi__library_bin", ffiBlob(records, {{1}, {}}))
                    : elfWith("__tvm_dev_mblob", classicBlob(records, std::vector<std::vector<uint64_t>>{{1}, {}})));
    }
  }
  void unchangedFolderGivesNoEdits() {
    QFETCH(std::string, file);
    const Exported exported(file);
    const auto edits = exported.edits();
    QVERIFY2(edits, edits ? "" : edits.error().message().c_str());
    QVERIFY2(edits->empty(), edit::writeEdits("", *edits).c_str());
    QVERIFY(exported.imported() == file);
    NullMonitor monitor;
    const auto manifest = write::readManifest(exported.folder());
    QVERIFY(manifest && write::checkLibrary(*manifest, *exported.package, monitor));
    QCOMPARE(manifest->library, exported.package->path);
  }

  // --- contents of the modules ---

  void changedPayloadIsImported() {
    Exported exported(madeLibrary());
    for (const auto& entry : fs::recursive_directory_iterator(exported.folder()))
      if (entry.is_regular_file() && readFile(entry.path()) == code("// x"))
        writeFile(entry.path(), code("// another text"));
    QCOMPARE(exported.edits()->size(), std::size_t{1});
    QVERIFY(blobOf(exported.imported()) == blobOf(madeLibrary("@compute fn add() {}", "// another text")));
  }
  void changedPartIsImported() {
    Exported exported(madeLibrary());
    writeFile(exported.find("-add.wgsl"), "@compute fn longer() {}");
    QCOMPARE(edit::writeEdits("", *exported.edits()).find("m2/kernel:add") != std::string::npos, true);
    QVERIFY(blobOf(exported.imported()) == blobOf(madeLibrary("@compute fn longer() {}")));
  }
  void changedTensorIsImported() {
    Exported exported(madeLibrary());
    const fs::path file = exported.find(".npy");
    std::string npy = readFile(file);
    npy.replace(npy.size() - 24, 24, std::string(24, '\2'));
    writeFile(file, npy);
    QVERIFY(blobOf(exported.imported()) == blobOf(madeLibrary("@compute fn add() {}", "// x", std::string(24, '\2'))));
    writeFile(file, npy.substr(0, npy.size() - 4));
    const std::string shorter = exported.imported();
    QVERIFY2(shorter.find(": ") != std::string::npos && !shorter.starts_with("\x7f"), shorter.substr(0, 200).c_str());
  }
  void payloadAndItsPartCannotBothChange() {
    Exported exported(madeLibrary());
    writeFile(exported.find("-add.wgsl"), "@compute fn longer() {}");
    for (const auto& entry : fs::recursive_directory_iterator(exported.folder()))
      if (entry.is_regular_file() && readFile(entry.path()) == shaders("@compute fn add() {}"))
        writeFile(entry.path(), shaders("other"));
    QVERIFY(exported.imported().starts_with("REP-CONFLICT: two edits change the same bytes of module m2"));
  }
  void changedMemberIsImported() {
    Exported exported(tarOf({{"a.so", madeLibrary()}, {"b.so", madeLibrary("@compute fn b() {}")}}));
    for (const auto& entry : fs::recursive_directory_iterator(exported.folder()))
      if (entry.is_regular_file() && readFile(entry.path()) == "@compute fn b() {}")
        writeFile(entry.path(), "@compute fn c() {}");
    QVERIFY(exported.imported() == tarOf({{"a.so", madeLibrary()}, {"b.so", madeLibrary("@compute fn c() {}")}}));
  }
  void missingFileIsRefused() {
    Exported exported(madeLibrary());
    fs::remove(exported.find("-add.wgsl"));
    QVERIFY(exported.imported().starts_with("FILE-NOT-FOUND: "));
  }

  // --- the tree ---

  void changedManifestIsImportedOrRefused_data() {
    QTest::addColumn<std::string>("from");
    QTest::addColumn<std::string>("to");
    QTest::addColumn<std::string>("after");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& from, const std::string& to, const std::string& expected,
                        const std::string& after = {}) { QTest::newRow(name) << from << to << after << expected; };
    // --- kinds and imports ---
    const std::string m2 = R"("ref": "m2")";
    row("another kind", R"("key": "cuda")", R"("key": "opencl")", "relax.VMExecutable(1) _lib(2,3) webgpu() opencl()");
    row("imports in another order", kImportsOfLib, "3, 2", "relax.VMExecutable(1) _lib(3,2) webgpu() cuda()");
    row("imports moved", R"("imports": [])", R"("imports": [3])", "relax.VMExecutable(1) _lib(2,3) webgpu(3) cuda()",
        m2);
    row("an orphan", kImportsOfLib, "3", "REP-ORPHAN: module m2 'webgpu' would no longer be imported by any module");
    row("a cycle", R"("imports": [])", R"("imports": [0])", "REP-CYCLE: ", m2);
    row("imports of nothing", R"("imports": [])", R"("imports": [77])", "REP-IMPORT: cannot import the folder '/", m2);
    row("imports that are not numbers", R"("imports": [])", R"("imports": ["m3"])", "REP-IMPORT: ", m2);
    row("imports that are not a list", R"("imports": [])", R"("imports": 3)", "REP-IMPORT: ", m2);
    row("no kind", R"("key": "cuda")", R"("key": 1)", "REP-IMPORT: ");
    // --- indexes and refs ---
    row("an index twice", R"("index": 2)", R"("index": 3)", "REP-IMPORT: ");
    row("a ref twice", R"("ref": "m2")", R"("ref": "m3")", "REP-IMPORT: ");
    row("a ref of no module", R"("ref": "m2")", R"("ref": "m9")", "REF-NOT-FOUND: ");
    row("an invalid ref", R"("ref": "m2")", "\"ref\": \"//\"", "REF-NOT-FOUND: ");
    row("a blob that does not exist", R"("ref": "blob")", R"("ref": "left_:blob")", "REF-NOT-FOUND: ");
    // --- the document ---
    row("no blobs", R"("blobs": [)", R"("blobs": 1, "b": [)", "REP-IMPORT: ");
    row("another schema", "blobscope.manifest/1", "blobscope.manifest/2", "REP-IMPORT: ");
    row("no file", R"("file": {)", R"("f": {)", "REP-IMPORT: ");
    row("not JSON", "{", "", "JSON-TEXT: ");
  }
  void changedManifestIsImportedOrRefused() {
    QFETCH(std::string, from);
    QFETCH(std::string, to);
    QFETCH(std::string, after);
    QFETCH(std::string, expected);
    Exported exported(madeLibrary());
    exported.change(from, to, after);
    const std::string found = exported.tree();
    QVERIFY2(found.starts_with(expected), found.substr(0, 400).c_str());
  }

  /// No file outside the folder is read, whatever the manifest says.
  void pathsOutsideTheFolderAreRefused_data() {
    QTest::addColumn<std::string>("name");
    for (const char* const name : {"/etc/passwd", "../lib.so", "modules/../../lib.so", "..", ""})
      QTest::newRow(*name ? name : "no name") << std::string(name);
  }
  void pathsOutsideTheFolderAreRefused() {
    QFETCH(std::string, name);
    Exported exported(madeLibrary());
    const std::string text = exported.manifest(), key = "\"file\": \"";
    const std::size_t at = text.find(key, text.find(R"("modules")")) + key.size();
    exported.setManifest(std::string(text).replace(at, text.find('"', at) - at, name));
    const std::string found = exported.imported();
    QVERIFY2(found.starts_with("REP-IMPORT: ") &&
                 found.ends_with("in manifest.json, the file '" + name + "' is not in the folder"),
             found.substr(0, 400).c_str());
  }

  /// A link in the folder is not followed, wherever it leads.
  void linksOutOfTheFolderAreRefused_data() {
    QTest::addColumn<std::string>("what");
    QTest::addColumn<std::string>("link");
    for (const char* const what : {"file", "folder", "manifest"})
      QTest::newRow(what) << std::string(what) << std::string();
    QTest::newRow("file, within the folder") << "file"s << "within"s;
    QTest::newRow("file, to nothing") << "file"s << "nothing"s;
  }
  void linksOutOfTheFolderAreRefused() {
    QFETCH(std::string, what);
    QFETCH(std::string, link);
    Exported exported(madeLibrary());
    const QTemporaryDir outside;
    fs::path inside = exported.find("-add.wgsl");
    if (what == "folder") inside = inside.parent_path();
    if (what == "manifest") inside = exported.folder() / "manifest.json";
    const fs::path moved = (link == "within" ? exported.folder() : fs::path(outside.path().toStdString())) / "moved";
    fs::rename(inside, moved);
    fs::create_symlink(link == "nothing" ? in(outside, "nothing") : moved, inside);
    const std::string found = exported.imported();
    QVERIFY2(found.starts_with("FILE-NOT-READABLE: ") &&
                 found.ends_with("is a link, which is not followed; put the file itself there"),
             found.substr(0, 400).c_str());
    // Without the link the folder is as exported.
    fs::remove(inside);
    fs::rename(moved, inside);
    QVERIFY(blobOf(exported.imported()) == blobOf(madeLibrary()));
  }
  /// The compared bytes are the ones that are written, even when a link replaces the file in between.
  void everyFileIsReadOnce() {
    Exported exported(madeLibrary());
    const fs::path file = exported.find("-add.wgsl");
    writeFile(file, "@compute fn longer() {}");
    const auto edits = exported.edits();
    QVERIFY(edits && edits->size() == 1);
    fs::remove(file);
    fs::create_symlink("/etc/passwd", file);
    NullMonitor monitor;
    const auto repack = write::planRepack(exported.package, *edits, {}, {}, monitor);
    QVERIFY(repack);
    const auto made = write::assemble(repack->plan, exported.package->bytes, monitor);
    QVERIFY(made && blobOf(std::string(made->view())) == blobOf(madeLibrary("@compute fn longer() {}")));
  }
  void everyFileReadIsListed() {
    Exported exported(madeLibrary());
    const auto manifest = write::readManifest(exported.folder());
    QVERIFY(manifest);
    const std::vector<fs::path> files = write::filesOf(exported.folder(), *manifest);
    std::set<fs::path> there;
    for (const auto& entry : fs::recursive_directory_iterator(exported.folder()))
      if (entry.is_regular_file()) there.insert(entry.path());
    QVERIFY(there.size() > 5);
    QVERIFY(std::set<fs::path>(files.begin(), files.end()) == there);
  }

  void removedModuleIsImported() {
    Exported exported(madeLibrary());
    auto text = exported.manifest();
    // The last module, and the import of it.
    const std::size_t ref = text.find(R"("ref": "m3")"), open = text.rfind('{', ref), comma = text.rfind(',', open);
    int depth = 0;
    std::size_t end = open;
    do {
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
      ++end;
    } while (depth > 0);
    text.erase(comma, end - comma);
    exported.setManifest(text);
    QVERIFY2(exported.tree().starts_with("REP-IMPORT: "), exported.tree().c_str()); // still imported
    exported.change(kImportsOfLib, "2");
    QCOMPARE(exported.tree(), "relax.VMExecutable(1) _lib(2) webgpu()"s);
  }

  /// New modules, also nested and listed before those that import them.
  void addedModulesAreImported_data() {
    QTest::addColumn<std::string>("modules");
    QTest::addColumn<std::string>("imports");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& modules, const std::string& importsOfLib,
                        const std::string& expected) { QTest::newRow(name) << modules << importsOfLib << expected; };
    row("one", R"({"index": 9, "key": "cuda", "imports": [], "payload": {"file": "new.bin"}})", "9, 2, 3",
        "relax.VMExecutable(1) _lib(4,2,3) webgpu() cuda() cuda()");
    row("one that imports an old one", R"({"index": 9, "key": "cuda", "imports": [3], "payload": {"file": "new.bin"}})",
        "2, 9", "relax.VMExecutable(1) _lib(2,4) webgpu() cuda() cuda(3)");
    row("two, the lower one first",
        R"({"index": 8, "key": "opencl", "imports": [], "payload": {"file": "new.bin"}},
           {"index": 9, "key": "cuda", "imports": [8], "payload": {"file": "new.bin"}})",
        "2, 3, 9", "relax.VMExecutable(1) _lib(2,3,4) webgpu() cuda() cuda(5) opencl()");
    row("imported by nobody", R"({"index": 9, "key": "cuda", "imports": [], "payload": {"file": "new.bin"}})", "2, 3",
        "REP-IMPORT: ");
    row("imported by one another",
        R"({"index": 8, "key": "cuda", "imports": [9], "payload": {"file": "new.bin"}},
           {"index": 9, "key": "cuda", "imports": [8], "payload": {"file": "new.bin"}})",
        "2, 3", "REP-IMPORT: ");
    row("file that does not exist", R"({"index": 9, "key": "cuda", "imports": [], "payload": {"file": "other.bin"}})",
        "2, 3, 9", "FILE-NOT-FOUND: ");
    row("no payload", R"({"index": 9, "key": "cuda", "imports": []})", "2, 3, 9", "REP-UNDECODED: ");
  }
  void addedModulesAreImported() {
    QFETCH(std::string, modules);
    QFETCH(std::string, imports);
    QFETCH(std::string, expected);
    Exported exported(madeLibrary());
    writeFile(exported.folder() / "new.bin", code("// new"));
    exported.change(kImportsOfLib, imports);
    exported.addModules(modules);
    const std::string found = exported.tree();
    QVERIFY2(found.starts_with(expected), found.substr(0, 400).c_str());
  }

  void moduleAddedToAFlatStreamIsImported() {
    Exported exported(
        elfWith("__tvm_dev_mblob", classicBlob({{"cuda", code3("ptx", kTwo, "// x", Info::Three)}}, std::nullopt)));
    writeFile(exported.folder() / "new.bin", code3("cl", kTwo, "// y", Info::Three));
    exported.addModules(R"({"index": 9, "key": "opencl", "imports": [], "payload": {"file": "new.bin"}})");
    QCOMPARE(exported.tree(), "cuda() opencl()"s);
  }

  // --- which library ---

  void folderOfAnotherLibraryIsRefused() {
    const Exported exported(madeLibrary());
    NullMonitor monitor;
    const auto manifest = write::readManifest(exported.folder());
    const auto other = openBytes(madeLibrary("@compute fn other() {}"));
    const auto refused = write::checkLibrary(*manifest, **other, monitor);
    QVERIFY(!refused);
    QCOMPARE(std::string(refused.error().diagnostic().idText()), "REP-FILE"s);
  }
  /// Into another library of the same form: all differences are applied.
  void folderCanBeImportedIntoAnotherLibrary() {
    Exported exported(madeLibrary());
    exported.package = *openBytes(madeLibrary("@compute fn other() {}", "// y"));
    QVERIFY(blobOf(exported.imported()) == blobOf(madeLibrary()));
  }
  void missingFolderIsRefused() {
    const auto missing = write::readManifest("/nowhere/at/all");
    QVERIFY(!missing);
    QCOMPARE(std::string(missing.error().diagnostic().idText()), "FILE-NOT-FOUND"s);
  }
  void importCanBeCancelled() {
    const Exported exported(madeLibrary());
    const auto manifest = write::readManifest(exported.folder());
    for (int looks = 0;; ++looks) {
      StopAfter stop(looks);
      const auto edits = write::editsOfFolder(exported.folder(), *manifest, exported.package, stop);
      if (edits) {
        QVERIFY(looks > 3);
        return;
      }
      QVERIFY(edits.error().code() == ErrorCode::Cancelled);
    }
  }
};

BLOBSCOPE_TEST(TestImportFolder);
#include "test_import_folder.moc"
