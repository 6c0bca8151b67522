#include "tests/cli/in_process.h"
#include "tests/cli/inputs.h"
#include "tests/support/hostile_fixtures.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <algorithm>

namespace blobscope::test {
namespace {

QString times(double ratio) { return QString::number(ratio, 'f', 1); }

} // namespace

/// The resources that verbs use for hostile files. A careless reader needs quadratic resources: four times as much for
/// twice the file.
class TestHostileGrowth : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    QVERIFY(m_folder.isValid());
    QVERIFY(writeFile(m_folder.filePath(QStringLiteral("harmless.blob")), harmlessBlob()));
  }

  void memoryGrowsLinearlyWithTheFile_data() {
    columns();
    for (const char* const file : {"descending-tree.blob", "classic-search.blob", "ar-names.a.gz", "tar-names.tar.gz",
                                   "nested.tar.zst", "far-segments.tar.gz", "arrays.c"})
      for (const char* const verb : {"tree", "check"}) row(file, {verb});
    row("ptx-bomb.blob", {"diff", "FILE", "harmless.blob"});
    row("cuda-dag.blob", {"tree"});
    row("cuda-dag.blob", {"show", "FILE", "imports"});
    row("long-key.blob", {"tree"});
    row("mlf-headers.tar.gz", {"tree"});
    row("mlf-headers.tar.gz", {"check"});
    row("mlf-nodes.tar", {"tree"});
    row("mlf-nodes.tar", {"check"});
    row("mlf-models.tar", {"repack", "FILE", "--fix", "all", "--dry-run"});
    row("relax-chain.blob", {"show", "FILE", "m1", "--page", "Memory plan"});
    row("relax-shared.blob", {"show", "FILE", "m1", "--page", "Bytecode"});
    row("relax-types.blob", {"diff", "FILE", "harmless.blob"});
    row("sections.o", {"strings"});
    row("sections.o", {"find", "FILE", "abcdefg"});
  }
  /// A file of twice the size needs about twice the heap, both at the peak and in total.
  void memoryGrowsLinearlyWithTheFile() {
    QFETCH(QString, file);
    QFETCH(QStringList, verb);
    const Spent one = spent(file, 1, verb), two = spent(file, 2, verb);
    QCOMPARE(two.outcome.ending(), one.outcome.ending());
    const double peak = static_cast<double>(two.peakBytes) / static_cast<double>(one.peakBytes),
                 total = static_cast<double>(two.totalBytes) / static_cast<double>(one.totalBytes);
    QVERIFY2(
        peak <= kTwice,
        qPrintable(QStringLiteral("%1 times the bytes at one time, first %2").arg(times(peak)).arg(one.peakBytes)));
    QVERIFY2(total <= kTwice,
             qPrintable(QStringLiteral("%1 times the bytes in all, first %2").arg(times(total)).arg(one.totalBytes)));
  }

  /// Text with a few bytes per value does not become hundreds of bytes per value; otherwise the number of values
  /// allowed by limits.h would take gigabytes.
  void jsonValuesNeedLittleMemory() {
    const Spent shown = spent(QStringLiteral("json-graph.blob"), 1, {"show", "FILE", "m1", "--page", "Graph nodes"});
    QCOMPARE(shown.outcome.ending(), QByteArray("exit 0"));
    const uint64_t values = hostileFixture("json-graph.blob").make(1).unpacked / 3; // "[],"
    QVERIFY2(shown.peakBytes <= values * 450,
             qPrintable(QStringLiteral("%1 bytes for each of %2 values").arg(shown.peakBytes / values).arg(values)));
  }

  /// With --memory the unpacked or rebuilt data stays below the limit, and the tree reports that data is missing.
  void memoryStaysWithinTheOption_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<uint>("kib");
    const auto row = [](const char* file, uint kib) { QTest::newRow(file) << QString::fromLatin1(file) << kib; };
    row("nested.tar.zst", 1'500);
    row("far-segments.wasm", 1'000);
    row("far-segments.tar.gz", 1'000);
  }
  void memoryStaysWithinTheOption() {
    QFETCH(QString, file);
    QFETCH(uint, kib);
    const Spent shown = spent(file, 1, {"tree", "FILE", "--json", "--memory", QStringLiteral("%1K").arg(kib)});
    QVERIFY2(shown.outcome.exit == 0, shown.outcome.text());
    QVERIFY2(shown.outcome.out.contains("\"FILE-LIMIT\""), shown.outcome.text());
    // Half a megabyte for the command line and the printing.
    const uint64_t allowed = uint64_t{kib} * 1'024 + (512 << 10);
    QVERIFY2(shown.peakBytes <= allowed,
             qPrintable(QStringLiteral("%1 bytes at one time of %2").arg(shown.peakBytes).arg(allowed)));
  }

  /// When memory is exhausted during the work, a verb reports this error or omits the data that did not fit.
  void exhaustedMemoryIsReported_data() {
    columns();
    row("json-graph.blob", {"show", "FILE", "m1", "--page", "Graph nodes"});
    row("cuda-dag.blob", {"tree"});
    row("cuda-dag.blob", {"show", "FILE", "m1"});
    row("cuda-dag.blob", {"diff", "FILE", "harmless.blob"});
    row("ar-names.a.gz", {"verify"});
    row("mlf-headers.tar.gz", {"check"});
    row("sections.o", {"strings"});
    row("sections.o", {"find", "FILE", "abcdefg"});
  }
  void exhaustedMemoryIsReported() {
    QFETCH(QString, file);
    QFETCH(QStringList, verb);
    // The memory that any run needs, and that of this run.
    const uint64_t least = spent(QStringLiteral("long-key.blob"), 1, {"tree"}).peakBytes + (64 << 10);
    if (verb.size() == 1) verb << QStringLiteral("FILE");
    verb << QStringLiteral("--json");
    const uint64_t most = spent(file, 1, verb).peakBytes;
    uint64_t refused = 0;
    QVERIFY2(most > least + (64 << 10), "it needs no more than any run");
    for (const uint64_t quarter : {0, 1, 2, 3}) {
      const Spent cut = spent(file, 1, verb, least + (most - least) * quarter / 4);
      QVERIFY2(!cut.outcome.crashed && cut.outcome.exit >= 0 && cut.outcome.exit <= 2, cut.outcome.text());
      refused += cut.refused;
      if (cut.outcome.exit != 2) continue;
      QVERIFY2(cut.outcome.err.startsWith("blobscope-cli: "), cut.outcome.text());
      // A document that had begun stays truncated.
      if (cut.outcome.out.startsWith("{\n  \"schema\": \"blobscope.error/1\""))
        QVERIFY2(cut.outcome.out.contains("\"FILE-LIMIT\""), cut.outcome.text());
    }
    QVERIFY2(refused > 0, "memory was never exhausted");
  }

  void computingGrowsLinearlyWithTheFile_data() {
    columns();
    row("descending-tree.blob", {"tree", "FILE", "--json"});
    row("cuda-dag.blob", {"tree"});
    row("comments.c", {"tree"});
    row("line-comments.c", {"tree"});
    row("arrays.c", {"tree"});
    row("mlf-headers.tar.gz", {"check"});
    row("mlf-raw.tar.gz", {"check"});
    row("mlf-nodes.tar", {"check"});
    row("mlf-models.tar", {"repack", "FILE", "--fix", "all", "--dry-run"});
    row("relax-chain.blob", {"show", "FILE", "m1", "--page", "Memory plan"});
    row("relax-calls.blob", {"run", "FILE", "--model"});
    row("relax-types.blob", {"diff", "FILE", "FILE", "--full"});
    row("segments.elf", {"tree"});
    row("sections.o", {"strings"});
    row("sections.o", {"find", "FILE", "abcdefg"});
  }
  /// A file of four times the size needs about four times the computing, where neither allocations nor monitor checks
  /// show it.
  void computingGrowsLinearlyWithTheFile() {
    QFETCH(QString, file);
    QFETCH(QStringList, verb);
    int64_t one = INT64_MAX, four = INT64_MAX;
    double ratio = 0;
    // The minimum of several runs, in case the first was disturbed.
    for (int i = 0; i < 3; ++i) {
      one = std::min(one, spent(file, 1, verb).cpuNs);
      four = std::min(four, spent(file, 4, verb).cpuNs);
      ratio = static_cast<double>(four) / static_cast<double>(one);
      if (ratio <= kFourTimes) break;
    }
    QVERIFY2(ratio <= kFourTimes, qPrintable(QStringLiteral("%1 times the computing").arg(times(ratio))));
  }

private:
  static constexpr double kTwice = 2.6, kFourTimes = 7;

  static void columns() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("verb");
  }
  /// A verb alone takes the file.
  static void row(const char* file, QStringList verb) {
    QTest::addRow("%s %s", file, qPrintable(verb.join(QLatin1Char(' ')))) << QString::fromLatin1(file) << verb;
  }

  Spent spent(const QString& file, uint64_t scale, QStringList verb, uint64_t limitBytes = UINT64_MAX) {
    if (verb.size() == 1) verb << QStringLiteral("FILE");
    for (QString& word : verb)
      if (word == QLatin1String("FILE")) word = file;
    if (!writeFile(m_folder.filePath(file), hostileFixture(file.toStdString()).make(scale).bytes)) return {};
    return runInProcess(m_folder.path(), verb, limitBytes);
  }

  QTemporaryDir m_folder;
};

BLOBSCOPE_TEST(TestHostileGrowth);

} // namespace blobscope::test

#include "test_hostile_growth.moc"
