#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/test_main.h"

namespace blobscope::test {

/// Arguments that are refused before any work, and the words for them.
class TestArguments : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
  }

  void refusedArgumentsAreNamed_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("message"); // after "blobscope-cli: "
    const auto row = [](const QStringList& arguments, const char* message) {
      QTest::newRow(qPrintable(arguments.join(QLatin1Char(' ')))) << arguments << QByteArray(message);
    };
    // --- empty values ---
    row({"check", "b1.so", "--sarif", ""}, "--sarif: the value is empty");
    row({"check", "b1.so", "--baseline", ""}, "--baseline: the value is empty");
    row({"diff", "b1.so", "c1.so", "--html", ""}, "--html: the value is empty");
    row({"diff", "b1.so", "c1.so", "--markdown", ""}, "--markdown: the value is empty");
    row({"show", "b1.so", "m1", "--page", ""}, "--page: the value is empty");
    row({"find", "b1.so", "x", "--in", ""}, "--in: the value is empty");
    row({"extract", "b1.so", "m1", "-o", ""}, "--output: the value is empty");
    row({"repack", "b1.so", "--edits", ""}, "--edits: the value is empty");
    row({"import", "parts", "--into", ""}, "--into: the value is empty");
    row({"run", "b1.so", "--output-dir", ""}, "--output-dir: the value is empty");
    row({"check", "b1.so", "--sarif="}, "--sarif needs a value");
    row({"tree", ""}, "FILE: the value is empty");
    row({"export", "b1.so", ""}, "DIR: the value is empty");
    // --- words that are nearly right ---
    row({"shwo", "b1.so"}, "unknown command 'shwo'; did you mean 'show'?");
    row({"help", "shwo"}, "unknown command 'shwo'; did you mean 'show'?");
    row({"transmogrify", "b1.so"}, "unknown command 'transmogrify'\n");
    row({"show", "b1.so", "--pgae=Hex"}, "unknown option '--pgae=Hex'; did you mean '--page'?");
    row({"tree", "b1.so", "--page"}, "unknown option '--page'\n");
    // --- folders that do not exist ---
    row({"import", "nofolder", "-o", "new.so"}, "'nofolder' does not exist\n");
    row({"repack", "b1.so", "--dry-run", "--replace", "m1="}, "b1.so: --replace needs REF=FILE, not 'm1='");
    row({"repack", "fatbin.so", "--dry-run", "--images", "m1"},
        "fatbin.so: --images needs REF=keep:LIST, REF=drop:LIST, REF=add:FILE or REF=compile:LIST, not 'm1'");
    row({"repack", "fatbin.so", "--dry-run", "--images", "m1=only:ptx"},
        "fatbin.so: --images m1=only:ptx: --images needs REF=keep:LIST, REF=drop:LIST, REF=add:FILE or "
        "REF=compile:LIST");
    row({"repack", "fatbin.so", "--dry-run", "--images", "m1=keep:ptx,"},
        "fatbin.so: --images m1=keep:ptx,: the list of images has an empty item");
    row({"repack", "fatbin.so", "--dry-run", "--images", "file=add:new.ptx"},
        "fatbin.so: --images file=add:new.ptx: an image can only be added to one module; name it");
    row({"repack", "fatbin.so", "--dry-run", "--images", "m1=drop:0", "--rename", "m1/kernel:add_kernel=a", "--images",
         "m1=drop:sm_75"},
        "fatbin.so: --images m1=drop:sm_75: 'sm_75' does not exist in this file");
    // --- values of flags ---
    row({"tree", "b1.so", "--json=5"}, "--json takes no value");
    row({"repack", "b1.so", "--force=no"}, "--force takes no value");
    // --- numbers ---
    row({"strings", "b1.so", "--min", "70000"}, "--min: '70000' is too large; the limit is 65,536");
    row({"strings", "b1.so", "--min", "99999999999999999999"},
        "--min: '99999999999999999999' is too large; the limit is 65,536");
    row({"strings", "b1.so", "--min", "many"}, "--min: 'many' is not a whole number from 1 to 65,536");
    row({"find", "b1.so", "x", "--limit", "0x10000000000000000"},
        "--limit: '0x10000000000000000' is too large; the limit is 18,446,744,073,709,551,615");
    row({"repack", "model.tar", "--dry-run", "--set", "metadata.json/version=18446744073709551616"},
        "model.tar: --set metadata.json/version=18446744073709551616: the number does not fit into 64 bits");
    row({"find", "b1.so", "x", "--limit", "-1"}, "--limit: '-1' is not a whole number of 0 or more");
    row({"find", "b1.so", "x", "--limit", "0x"}, "--limit: '0x' is not a whole number of 0 or more");
    row({"run", "b1.so", "--yes", "--device", "cuda:64"},
        "b1.so: invalid device 'cuda:64': '64' is too large; the limit is 63");
    row({"run", "b1.so", "--yes", "--device", "cuda:"},
        "b1.so: invalid device 'cuda:': '' is not a whole number from 0 to 63");
    row({"run", "b1.so", "--yes", "--set", "n=4611686018427387905"},
        "b1.so: --set n=4611686018427387905: '4611686018427387905' is too large; the limit is "
        "4,611,686,018,427,387,904");
    row({"show", "b1.so", "m1", "--set", "n"}, "b1.so: --set needs NAME=N, not 'n'");
    row({"show", "b1.so", "m1", "--set", "n=1"}, "b1.so: --set needs --page \"Memory plan\"");
    row({"show", "b1.so", "m1", "--html", ""}, "--html: the value is empty");
    row({"run", "b1.so", "--yes", "--set", "n"}, "b1.so: --set needs NAME=N, not 'n'");
    row({"run", "b1.so", "--yes", "--kernel", "m1/kernel:add_kernel", "--argument", "65536=1"},
        "b1.so: --argument 65536=1: '65536' is too large; the limit is 65,535");
    row({"tree", "b1.so", "--memory", "0"},
        "--memory: '0' is too small; the smallest limit is 64.0 KiB (65,536 bytes)");
    row({"tree", "b1.so", "--memory", "65535"},
        "--memory: '65535' is too small; the smallest limit is 64.0 KiB (65,536 bytes)");
    row({"tree", "b1.so", "--memory", "99999999999G"},
        "--memory: '99999999999G' is too large; choose a size such as 4G");
    row({"tree", "b1.so", "--memory", "much"}, "--memory: 'much' is not a size such as 4G");
    // --- characters that are escaped, once ---
    row({"check", "b1.so", "--rule",
         QString::fromUtf8("a\xe2\x80\xae"
                           "b\tc")},
        "b1.so: unknown rule 'a\\u202eb\\tc'");
    row({"check", "b1.so", "--level", QString::fromUtf8("\xe2\x80\xae")},
        "--level: '\\u202e' is not one of error, warning or note");
    row({"tree", "b1.so", QString::fromUtf8("--\xe2\x80\xae")}, "unknown option '--\\u202e'");
    row({"run", "b1.so", "--yes", "--device", QString::fromUtf8("\xe2\x80\xae")},
        "b1.so: unknown device '\\u202e'; choose cuda, vulkan, opencl or cpu");
    // --- edits, by the option as typed ---
    row({"repack", "b1.so", "--dry-run", "--rename", "m1/kernel:add_kernel=a", "--rename", "m9=b"},
        "b1.so: --rename m9=b: 'm9' does not exist in this file: ");
    row({"repack", "b1.so", "--dry-run", "--rename", "m1/kernel:add_kernel=a", "--rename", "m1/kernel:add_kernel=b"},
        "b1.so: --rename m1/kernel:add_kernel=b: cannot edit 'm1/kernel:add_kernel': --rename m1/kernel:add_kernel=a "
        "renames it");
    row({"repack", "b1.so", "--dry-run", "--remove", "m1/kernel:add_kernel", "--rename", "m1/kernel:add_kernel=b"},
        "b1.so: --rename m1/kernel:add_kernel=b: cannot edit 'm1/kernel:add_kernel': --remove m1/kernel:add_kernel "
        "removes it");
    row({"repack", "b1.so", "--dry-run", "--rename", "m1/kernel:add_kernel="},
        "b1.so: --rename m1/kernel:add_kernel=: cannot edit 'm1/kernel:add_kernel': the new name is empty");
    row({"repack", "b1.so", "--dry-run", "--rename", "m1//=b"}, "b1.so: --rename m1//=b: invalid reference 'm1//'");
    // --- the file itself ---
    row({"show", "b1.so", "--page", "None"}, "b1.so: the file has no page 'None'; available pages: ");
    row({"extract", "b1.so", "", "--npy", "-o", "out.npy"},
        "b1.so: the file cannot be written as a NumPy file: it is not a tensor");
  }
  void refusedArgumentsAreNamed() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, message);
    const Outcome outcome = runCli(m_folder->path(), arguments);
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.out.isEmpty(), outcome.text());
    QVERIFY2(outcome.err.startsWith("blobscope-cli: " + message), outcome.text());
  }

  /// The document of --json contains the same sentence.
  void documentHasTheSameMessage() {
    const Outcome outcome =
        runCli(m_folder->path(), {"check", "b1.so", "--json", "--level", QString::fromUtf8("\xe2\x80\xae")});
    const auto error = parseJson(outcome.out);
    QVERIFY2(error, outcome.text());
    QCOMPARE(stringAt(*error, {"message"}), std::string("--level: '\\u202e' is not one of error, warning or note"));
  }

private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestArguments);

} // namespace blobscope::test

#include "test_arguments.moc"
