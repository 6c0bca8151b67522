#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>

#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace blobscope::test {

/// The places that writing verbs may write to.
class TestOutputPaths : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
  }

  /// No verb overwrites a file that it reads, whatever its name: OUT is that file, a link to it, or a hard link.
  void outputOverAnInputIsRefused_data() {
    QTest::addColumn<QStringList>("arguments"); // without the output, which comes last
    QTest::addColumn<QString>("read");          // what it reads
    const auto row = [](const QStringList& arguments, const char* read) {
      QTest::newRow(qPrintable(arguments.join(QLatin1Char(' ')) + QLatin1String(" onto ") + QLatin1String(read)))
          << arguments << QString::fromLatin1(read);
    };
    row({"extract", "b1.so", "m1", "-o"}, "b1.so");
    row({"extract", "b1.so", "m1", "--json", "-o"}, "b1.so");
    row({"show", "b1.so", "--page", "Kernels", "--csv"}, "b1.so");
    row({"show", "b1.so", "m1", "--html"}, "b1.so");
    row({"check", "b1.so", "--sarif"}, "b1.so");
    row({"check", "b1.so", "--baseline", "baseline.json", "--sarif"}, "baseline.json");
    row({"check", "archive", "--sarif"}, "archive/metadata.json");
    row({"diff", "b1.so", "c1.so", "--html"}, "b1.so");
    row({"diff", "b1.so", "c1.so", "--html"}, "c1.so");
    row({"diff", "b1.so", "c1.so", "--markdown"}, "b1.so");
    row({"diff", "b1.so", "c1.so", "--markdown"}, "c1.so");
    row({"repack", "b1.so", "--replace", "m1/field:data=text.ptx", "-o"}, "text.ptx");
    row({"repack", "b1.so", "--edits", "edits.json", "-o"}, "edits.json");
    row({"repack", "b1.so", "--edits", "edits.json", "--json", "-o"}, "listed.ptx");
    row({"import", "parts", "-o"}, "parts/manifest.json");
    row({"import", "parts", "-o"}, "parts/000-__tvm_dev_mblob/001-cuda/payload.bin");
    row({"import", "parts", "--into", "b1.so", "-o"}, "parts/000-__tvm_dev_mblob/001-cuda/payload.bin");
  }
  void outputOverAnInputIsRefused() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, read);
    makeInputs();
    const std::string input = path(read);
    QVERIFY2(std::filesystem::exists(input), input.c_str());
    std::filesystem::create_symlink(input, path(QStringLiteral("symbolic")));
    std::filesystem::create_hard_link(input, path(QStringLiteral("hard")));
    const auto before = contents();
    for (const QString& output :
         {read, QStringLiteral("./folder/../") + read, QStringLiteral("symbolic"), QStringLiteral("hard")}) {
      const Outcome outcome = runCli(m_folder->path(), arguments + QStringList{output});
      QVERIFY2(outcome.ending() == "exit 2" &&
                   outcome.err.endsWith("'" + output.toUtf8() + "' is also an input; choose another output file\n"),
               outcome.text());
      if (arguments.contains(QStringLiteral("--json"))) {
        const auto error = parseJson(outcome.out);
        QVERIFY(error);
        QCOMPARE(stringAt(*error, {"code"}), std::string("FILE-SAME"));
      }
      QVERIFY2(contents() == before, outcome.text());
    }
    // Only the name was refused, nothing else.
    const Outcome outcome = runCli(m_folder->path(), arguments + QStringList{"new"});
    QVERIFY2(outcome.exit != 2 && QFile::exists(m_folder->filePath(QStringLiteral("new"))), outcome.text());
  }

  /// The library itself may be the output of these two.
  void openedFileCanBeReplaced_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("repack") << QStringList{"repack", "b1.so", "--replace", "m1/field:data=text.ptx", "-o", "b1.so"};
    QTest::newRow("import") << QStringList{"import", "parts", "-o", "b1.so"};
    QTest::newRow("import --into") << QStringList{"import", "parts", "--into", "b1.so", "-o", "b1.so"};
  }
  void openedFileCanBeReplaced() {
    QFETCH(QStringList, arguments);
    makeInputs();
    const Outcome outcome = runCli(m_folder->path(), arguments);
    QVERIFY2(outcome.exit == 0, outcome.text());
  }

  /// A set-id program is not replaced by a set-id file that we made.
  void setIdBitsAreNotCopied() {
    const std::string out = path(QStringLiteral("out.bin"));
    QVERIFY(writeFile(QString::fromStdString(out), "before"));
    QCOMPARE(chmod(out.c_str(), 06755), 0);
    const Outcome outcome = runCli(m_folder->path(), {"extract", "b1.so", "m1", "-o", "out.bin"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    struct stat status = {};
    QCOMPARE(stat(out.c_str(), &status), 0);
    QCOMPARE(status.st_mode & 07777, mode_t{0755});
  }

  /// A link that another user put into a shared folder is not followed, whatever the setting of the system.
  void foreignLinkInASharedFolderIsRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("extract") << QStringList{"extract", "b1.so", "m1", "-o"};
    QTest::newRow("repack") << QStringList{"repack", "b1.so", "-o"};
    QTest::newRow("check --sarif") << QStringList{"check", "b1.so", "--sarif"};
    QTest::newRow("diff --html") << QStringList{"diff", "b1.so", "c1.so", "--html"};
    QTest::newRow("export") << QStringList{"export", "b1.so"};
  }
  void foreignLinkInASharedFolderIsRefused() {
    QFETCH(QStringList, arguments);
    const std::string shared = path(QStringLiteral("shared")), link = shared + "/link";
    std::filesystem::create_directory(shared);
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("precious")), "precious"));
    std::filesystem::create_symlink(path(QStringLiteral("precious")), link);
    QCOMPARE(chmod(shared.c_str(), 01777), 0);
    if (lchown(link.c_str(), 65534, 65534) != 0) QSKIP("only root can give a link to another user");
    const Outcome outcome = runCli(m_folder->path(), arguments + QStringList{"shared/link"});
    QVERIFY2(outcome.ending() == "exit 2" &&
                 outcome.err.endsWith("belongs to another user, in a folder that everybody can write to\n"),
             outcome.text());
    QCOMPARE(readFile(m_folder->filePath(QStringLiteral("precious"))), std::string("precious"));
  }

  /// Files of others whose names begin like our temporary files are kept.
  void foreignFilesWithSimilarNamesAreKept() {
    for (const char* const name :
         {".blobscope-abcdef", ".blobscope-abcdef-bak", ".blobscope-notes", ".blobscope-1-2-3-4"})
      QVERIFY(writeFile(m_folder->filePath(QString::fromLatin1(name)), "somebody's"));
    auto before = contents();
    const Outcome outcome = runCli(m_folder->path(), {"extract", "b1.so", "m1", "-o", "out.bin"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    auto after = contents();
    QCOMPARE(after.erase("out.bin"), std::size_t{1});
    QVERIFY(after == before);
  }

  /// An import reads nothing outside of its folder.
  void importReadsNothingOutsideItsFolder() {
    makeInputs();
    const QString payload = QStringLiteral("parts/000-__tvm_dev_mblob/001-cuda/payload.bin");
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("secret")), "secret"));
    std::filesystem::remove(path(payload));
    std::filesystem::create_symlink(path(QStringLiteral("secret")), path(payload));
    const Outcome outcome = runCli(m_folder->path(), {"import", "parts", "-o", "out.so", "--json"});
    QVERIFY2(outcome.ending() == "exit 2" && outcome.err.contains("'payload.bin' is a link, which is not followed"),
             outcome.text());
    const auto error = parseJson(outcome.out);
    QVERIFY(error);
    QCOMPARE(stringAt(*error, {"code"}), std::string("FILE-NOT-READABLE"));
    QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("out.so"))));
  }

private:
  std::string path(const QString& name) const { return m_folder->filePath(name).toStdString(); }

  /// Further inputs of the rows, besides libraries.
  void makeInputs() {
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("text.ptx")), "// text\n"));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("listed.ptx")), "// listed\n"));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("edits.json")),
                      "{\"schema\": \"blobscope.edits/1\", \"edits\": [{\"op\": \"replace\", \"ref\": "
                      "\"m1/field:data\", \"file\": \"listed.ptx\"}]}"));
    QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("archive")));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("archive/metadata.json")), "{\"version\": 7}"));
    const Outcome exported = runCli(m_folder->path(), {"export", "b1.so", "parts"});
    QVERIFY2(exported.exit == 0, exported.text());
    const Outcome checked = runCli(m_folder->path(), {"check", "b1.so", "--json"});
    QVERIFY2(checked.exit == 0, checked.text());
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("baseline.json")), checked.out.toStdString()));
  }

  /// All files with their content, and links with their targets.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> out;
    const std::filesystem::path top = m_folder->path().toStdString();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
      const std::string name = entry.path().lexically_relative(top).native();
      if (entry.is_symlink())
        out[name] = "-> " + std::filesystem::read_symlink(entry.path()).native();
      else if (entry.is_regular_file())
        out[name] = readFile(QString::fromStdString(entry.path().native()));
    }
    return out;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestOutputPaths);

} // namespace blobscope::test

#include "test_outputs.moc"
