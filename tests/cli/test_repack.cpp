#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>

namespace blobscope::test {

/// `repack` and `import`, each test in a separate folder, so that every file they leave there is seen.
class TestRepackCommand : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
    m_before = entries();
  }

  /// --replace accepts the output of `extract`: putting it back changes nothing.
  void extractedPartCanBePutBack_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("ref");
    for (const char* const ref : {"m1", "m1/field:data", "m1/field:fmt", "blob"})
      QTest::addRow("b1.so %s", ref) << QStringLiteral("b1.so") << QString::fromLatin1(ref);
    QTest::newRow("kernel") << QStringLiteral("opencl-vulkan.so") << QStringLiteral("m2/kernel:add_kernel");
    QTest::newRow("prefix") << QStringLiteral("two-blobs.so") << QStringLiteral("right_:m1");
    QTest::newRow("unknown kind in a classic stream") << QStringLiteral("vendor-classic.so") << QStringLiteral("m0");
  }
  void extractedPartCanBePutBack() {
    QFETCH(QString, file);
    QFETCH(QString, ref);
    const Outcome extracted = runCli(m_folder->path(), {"extract", file, ref, "-o", "part.bin"});
    QVERIFY2(extracted.exit == 0, extracted.text());
    const Outcome outcome = runCli(m_folder->path(), {"repack", file, "-o", "out.so", "--replace", ref + "=part.bin"});
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    QVERIFY2(outcome.out.startsWith("strategy  nothing changes\n"), outcome.out);
    QCOMPARE(readFile(m_folder->filePath(QStringLiteral("out.so"))), input(file).bytes);
  }

  /// The output may be the opened file; with --backup the old file is kept beside it.
  void openedFileCanBeReplaced_data() {
    QTest::addColumn<bool>("backup");
    QTest::newRow("plain") << false;
    QTest::newRow("--backup") << true;
  }
  void openedFileCanBeReplaced() {
    QFETCH(bool, backup);
    QStringList arguments = {"repack", "b1.so", "-o", "b1.so", "--rename", "m1/kernel:add_kernel=renamed_kernel"};
    if (backup) arguments << "--backup";
    const Outcome outcome = runCli(m_folder->path(), arguments);
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    QVERIFY(readFile(m_folder->filePath(QStringLiteral("b1.so"))) != input(QStringLiteral("b1.so")).bytes);
    const auto tree = parseJson(runCli(m_folder->path(), {"tree", "b1.so", "--json"}).out);
    QVERIFY(tree);
    QCOMPARE(stringAt(*tree, {"blobs", "0", "modules", "1", "functions", "0"}), std::string("renamed_kernel"));
    QStringList expected = m_before;
    if (backup) {
      expected << QStringLiteral("b1.so.bak");
      QCOMPARE(readFile(m_folder->filePath(QStringLiteral("b1.so.bak"))), input(QStringLiteral("b1.so")).bytes);
    }
    expected.sort();
    QCOMPARE(entries(), expected);
  }

  /// Files named in a list are relative to the list, those named in options to the current folder.
  void editListFindsItsFilesBesideIt() {
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("folder/text.ptx")), "// from the list\n"));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("text.ptx")), "// beside the library\n"));
    const QByteArray digest = QCryptographicHash::hash(QByteArray::fromStdString(input(QStringLiteral("b1.so")).bytes),
                                                       QCryptographicHash::Sha256)
                                  .toHex();
    const auto list = [&](const QByteArray& sha256) {
      const QByteArray text = "{\"schema\": \"blobscope.edits/1\", \"file\": {\"sha256\": \"" + sha256 +
                              "\"}, \"edits\": ["
                              "{\"op\": \"replace\", \"ref\": \"m1/field:data\", \"file\": \"text.ptx\"},"
                              "{\"op\": \"set\", \"ref\": \"m1/field:fmt\", \"value\": \"cuda\"}]}";
      return writeFile(m_folder->filePath(QStringLiteral("folder/edits.json")), text.toStdString());
    };
    QVERIFY(list(digest));
    const auto data = [&] { return runCli(m_folder->path(), {"extract", "out.so", "m1/field:data", "-o", "-"}).out; };
    Outcome outcome = runCli(m_folder->path(), {"repack", "b1.so", "-o", "out.so", "--edits", "folder/edits.json"});
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    QCOMPARE(data(), QByteArray("// from the list\n"));
    // An option is applied after the list: it overrides the same place in the list.
    outcome = runCli(m_folder->path(), {"repack", "b1.so", "-o", "out.so", "--edits", "folder/edits.json", "--replace",
                                        "m1/field:data=text.ptx"});
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    QCOMPARE(data(), QByteArray("// beside the library\n"));
    QVERIFY(QFile::remove(m_folder->filePath(QStringLiteral("out.so"))));
    // A list that was made for another file.
    outcome = runCli(m_folder->path(), {"repack", "c1.so", "-o", "out.so", "--edits", "folder/edits.json", "--json"});
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    const auto error = parseJson(outcome.out);
    QVERIFY(error);
    QCOMPARE(stringAt(*error, {"code"}), std::string("REP-FILE"));
    QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("out.so"))));
  }

  /// Modules that only removed modules import are removed with them; without the option, this is refused.
  void orphansCanBeRemoved() {
    Outcome outcome = runCli(m_folder->path(), {"repack", "shared-child.so", "-o", "out.so", "--remove", "m1",
                                                "--remove", "m2", "--with-orphans"});
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    const auto tree = parseJson(runCli(m_folder->path(), {"tree", "out.so", "--json"}).out);
    QVERIFY(tree);
    QCOMPARE(stringAt(*tree, {"blobs", "0", "modules", "0", "key"}), std::string("_lib"));
    QVERIFY(stringAt(*tree, {"blobs", "0", "modules", "1", "key"}).empty());
    // A module that another module imports stays.
    outcome =
        runCli(m_folder->path(), {"repack", "shared-child.so", "-o", "out.so", "--remove", "m1", "--with-orphans"});
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    const auto left = parseJson(runCli(m_folder->path(), {"tree", "out.so", "--json"}).out);
    QVERIFY(left);
    QCOMPARE(stringAt(*left, {"blobs", "0", "modules", "2", "key"}), std::string("cuda"));
    QVERIFY(QFile::remove(m_folder->filePath(QStringLiteral("out.so"))));
    outcome = runCli(m_folder->path(), {"repack", "b1.so", "--dry-run", "--with-orphans"});
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
  }

  /// A call that the edits break is a consequence in the plan and a finding in the written file.
  void brokenCallIsAConsequenceAndAFinding() {
    const Record cuda = {"cuda", code3("ptx", {{"add_kernel"}}, ptxText({{"add_kernel"}}), Info::Four)};
    const std::string file = ElfBuilder()
                                 .function("__tvm_ffi_add")
                                 .data("__tvm_ffi__library_ctx", std::string(8, '\0'))
                                 .data("texts", std::string("\0add_kernel\0", 12))
                                 .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda}, {{1}, {}}))
                                 .build();
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("called.so")), file));
    QCOMPARE(runCli(m_folder->path(), {"check", "called.so"}).exit, 0);
    for (const QStringList& change :
         {QStringList{"--rename", "m1/kernel:add_kernel=sum"}, QStringList{"--remove", "m1/kernel:add_kernel"}}) {
      const Outcome planned =
          runCli(m_folder->path(), QStringList{"repack", "called.so", "--dry-run", "--json"} + change);
      QVERIFY2(planned.exit == 0, planned.text());
      const auto plan = parseJson(planned.out);
      QVERIFY(plan);
      QCOMPARE(stringAt(*plan, {"consequences", "0", "id"}), std::string("REP-CALL"));
      QCOMPARE(stringAt(*plan, {"consequences", "0", "message"}),
               std::string("the host function 'add' launches the kernel 'add_kernel', which is not defined in the file "
                           "after the changes; the call fails"));
      const Outcome written = runCli(m_folder->path(), QStringList{"repack", "called.so", "-o", "out.so"} + change);
      QVERIFY2(written.exit == 0 && written.out.contains("REP-CALL"), written.text());
      const Outcome checked = runCli(m_folder->path(), {"check", "out.so"});
      QVERIFY2(checked.exit == 1 && checked.out.contains("BLOB-CALL"), checked.text());
      QVERIFY2(runCli(m_folder->path(), {"tree", "out.so"}).out.contains("error BLOB-CALL host:add: "), checked.text());
    }
  }

  /// A value that no release reads is refused, and written with a warning when forced.
  void unknownValueMustBeForced() {
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("edits.json")),
                      R"({"schema": "blobscope.edits/1", "edits": [{"op": "set",
                          "ref": "m1/field:fmap[0].info.launch_param_tags[0]", "value": "blockIdx.w"}]})"));
    const QStringList arguments = {"repack", "b1.so", "--edits", "edits.json", "-o", "out.so"};
    const Outcome refused = runCli(m_folder->path(), arguments);
    QVERIFY2(
        refused.exit == 2 &&
            refused.err.contains(
                "no release of TVM accepts 'blockIdx.w' in 'm1/field:fmap[0].info.launch_param_tags[0]'; known values: "
                "'blockIdx.x'"),
        refused.text());
    QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("out.so"))));
    const Outcome forced = runCli(m_folder->path(), arguments + QStringList{"--force"});
    QVERIFY2(forced.exit == 0 && forced.out.contains("warning REP-FORCED"), forced.text());
    QVERIFY(runCli(m_folder->path(), {"show", "out.so", "m1", "--page", "Fields"}).out.contains("blockIdx.w"));
  }

  /// A refused command leaves nothing, and an existing file keeps its content.
  void refusedRepackWritesNothing_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const QStringList& arguments) {
      QTest::newRow(qPrintable(arguments.join(QLatin1Char(' ')))) << arguments;
    };
    row({"repack", "b1.so", "--remove", "m0"});
    row({"repack", "b1.so", "--replace", "m1=not-a-library.txt"});
    row({"repack", "shared-child.so", "--remove", "m1", "--remove", "m2"});
    row({"repack", "bad-length.so", "--rename", "m1=opencl"});
    row({"repack", "missing.so"});
    row({"import", "folder"});
  }
  void refusedRepackWritesNothing() {
    QFETCH(QStringList, arguments);
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("out.so")), "before"));
    m_before = entries();
    const Outcome outcome = runCli(m_folder->path(), arguments + QStringList{"-o", "out.so"});
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.out.isEmpty() && whyNotMessages(outcome.err).isEmpty(), outcome.text());
    QCOMPARE(entries(), m_before);
    QCOMPARE(readFile(m_folder->filePath(QStringLiteral("out.so"))), std::string("before"));
  }

  /// A file size limit simulates a full disk.
  void fullDiskLeavesTheOldFile() {
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("big.so")),
                      input(QStringLiteral("b1.so")).bytes + std::string(200'000, '.')));
    m_before = entries();
    const Outcome outcome = runShell(
        m_folder->path(),
        QStringLiteral(
            "trap '' XFSZ; ulimit -f 20; exec \"$0\" repack big.so -o out.so --rename m1/kernel:add_kernel=a"));
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.err.startsWith("blobscope-cli: big.so: 'out.so' cannot be written: "), outcome.err);
    QCOMPARE(entries(), m_before);
  }

  /// The text of a kernel, edited in the folder, is in the new library.
  void changedFolderIsImported() {
    const Outcome exported = runCli(m_folder->path(), {"export", "opencl-vulkan.so", "parts"});
    QVERIFY2(exported.exit == 0, exported.text());
    QString changed;
    QDirIterator files(m_folder->filePath(QStringLiteral("parts")), {QStringLiteral("*add_kernel.cl")}, QDir::Files,
                       QDirIterator::Subdirectories);
    if (files.hasNext()) changed = files.next();
    QVERIFY(!changed.isEmpty());
    QVERIFY(writeFile(changed, "// Function: add_kernel\n__kernel void add_kernel() { /* changed */ }\n"));
    const Outcome outcome = runCli(m_folder->path(), {"import", "parts", "-o", "out.so"});
    QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
    QVERIFY(runCli(m_folder->path(), {"extract", "out.so", "m1/kernel:add_kernel", "-o", "-"})
                .out.contains("/* changed */"));
    QCOMPARE(runCli(m_folder->path(), {"verify", "out.so"}).exit, 0);
  }

  /// What is wrong with a manifest or an edit list is reported with the path of that file.
  void namesTheList() {
    QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("parts")));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("parts/manifest.json")), "{"));
    const Outcome manifest = runCli(m_folder->path(), {"import", "parts", "-o", "out.so"});
    QVERIFY2(manifest.err.contains("'parts/manifest.json': invalid JSON: "), manifest.text());
    const std::string schema = R"({"schema": "blobscope.edits/1", "edits": [)";
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("edits.json")), schema + "{}]}"));
    const QStringList arguments = {"repack", "b1.so", "--edits", "edits.json", "-o", "out.so"};
    const Outcome form = runCli(m_folder->path(), arguments);
    QVERIFY2(form.err.contains("'edits.json': invalid edit list: edit 1: "), form.text());
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("edits.json")),
                      schema + R"({"op": "remove", "ref": "host:add"}]})"));
    const Outcome content = runCli(m_folder->path(), arguments);
    QVERIFY2(content.err.contains("'edits.json': edit 1: cannot edit 'host:add': "), content.text());
  }

private:
  QStringList entries() const {
    return QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QStringList m_before;
};

BLOBSCOPE_TEST(TestRepackCommand);

} // namespace blobscope::test

#include "test_repack.moc"
