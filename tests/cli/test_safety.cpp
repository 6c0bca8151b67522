#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/support/test_main.h"

#include <QFile>

namespace blobscope::test {
namespace {

/// The rules of the findings in the output of `safety --json`.
std::set<std::string> rulesIn(const Outcome& outcome) {
  std::set<std::string> out;
  if (const auto document = parseJson(outcome.out))
    for (const json::Value& finding : listAt(*document, {"findings"})) out.insert(stringAt(finding, {"rule"}));
  return out;
}

} // namespace

/// The verb `safety`: a library whose constructor writes a file, baselines, reports.
class TestSafetyVerb : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
    QVERIFY(QFile::copy(QStringLiteral(BLOBSCOPE_CANARY_LIBRARY), m_folder->filePath(QStringLiteral("canary.so"))));
    QVERIFY(QFile::copy(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so"),
                        m_folder->filePath(QStringLiteral("quiet.so"))));
  }

  void canaryIsFound() {
    const Outcome outcome = run({"canary.so", "--json"});
    QVERIFY2(outcome.exit == 1, outcome.text());
    const std::set<std::string> rules = rulesIn(outcome);
    QVERIFY2(rules.contains("SAFE-FILE") && rules.contains("SAFE-ENVIRONMENT"), outcome.text());
#if defined(BLOBSCOPE_DISASM) && defined(__x86_64__)
    QVERIFY2(rules.contains("SAFE-LOAD-ACTS"), outcome.text());
    const auto document = parseJson(outcome.out);
    QVERIFY(document);
    bool found = false;
    for (const json::Value& piece : listAt(*document, {"runs_at_load"}))
      for (const json::Value& reached : listAt(piece, {"reaches"}))
        found = found || (stringAt(piece, {"symbol"}) == "sing" && stringAt(reached, {"name"}).starts_with("fopen"));
    QVERIFY2(found, outcome.text());
#endif
  }

  /// A library that TVM exported.
  void nothingUnexpected() {
    const Outcome outcome = run({"quiet.so"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    QVERIFY2(outcome.out.contains("Nothing unexpected was found."), outcome.text());
  }

  /// What was accepted is not reported again; what is new is, with exit code 1.
  void baselineLeavesOutWhatWasAccepted() {
    const Outcome accepted = run({"canary.so", "--json"});
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("accepted.json")), accepted.out.toStdString()));
    const Outcome same = run({"canary.so", "--baseline", "accepted.json", "--json"});
    QVERIFY2(same.exit == 0, same.text());
    QVERIFY(rulesIn(same).empty());
    const Outcome words = run({"canary.so", "--baseline", "accepted.json"});
    QVERIFY2(words.out.contains("findings not shown: "), words.text());
    std::string changed = readFile(m_folder->filePath(QStringLiteral("canary.so")));
    for (int i = 0; i < 1'000; ++i) changed += static_cast<char>(i * i * 31 + 7);
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("canary.so")), changed));
    const Outcome next = run({"canary.so", "--baseline", "accepted.json", "--json"});
    QVERIFY2(next.exit == 1, next.text());
    QCOMPARE(rulesIn(next), std::set<std::string>{"SAFE-UNOWNED"});
    const Outcome wrong = run({"canary.so", "--baseline", "quiet.so"});
    QVERIFY2(wrong.exit == 2, wrong.text());
  }

  void levelsAndRulesAreChosen() {
    QCOMPARE(run({"canary.so", "--level", "error", "--ignore", "SAFE-LOAD-ACTS"}).exit, 0);
    QCOMPARE(run({"canary.so", "--level", "warning"}).exit, 1);
    QCOMPARE(run({"canary.so", "--ignore", "SAFE-NO-SUCH-RULE"}).exit, 2);
  }

  void reportsAreWritten() {
    const Outcome outcome = run({"canary.so", "--html", "r.html", "--sarif", "r.sarif", "--cyclonedx", "r.cdx.json"});
    QVERIFY2(outcome.exit == 1, outcome.text());
    const std::string html = readFile(m_folder->filePath(QStringLiteral("r.html")));
    QVERIFY(html.starts_with("<!DOCTYPE html>"));
    QVERIFY(html.find("Loading this file runs") != std::string::npos);
    QVERIFY(html.find("SAFE-FILE") != std::string::npos);
    const auto parsed = [&](const char* name) {
      return parseJson(QByteArray::fromStdString(readFile(m_folder->filePath(QLatin1String(name)))));
    };
    const auto sarif = parsed("r.sarif"), bom = parsed("r.cdx.json");
    QVERIFY(sarif && bom);
    QVERIFY(!listAt(*sarif, {"runs", "0", "results"}).empty());
    QCOMPARE(stringAt(*bom, {"bomFormat"}), std::string("CycloneDX"));
    QCOMPARE(stringAt(*bom, {"metadata", "component", "hashes", "0", "alg"}), std::string("SHA-256"));
    // One blob with a module, and the C library.
    QVERIFY(listAt(*bom, {"components"}).size() >= 2);
    // A file that is read is not replaced.
    QCOMPARE(run({"canary.so", "--html", "canary.so"}).exit, 2);
  }

  /// The page of the window is printed as text and as JSON.
  void pageIsPrinted() {
    const Outcome text = runCli(m_folder->path(), {"show", "quiet.so", "--page", "Safety"});
    QVERIFY2(text.exit == 0 && text.out.contains("Runs when loaded"), text.text());
    const Outcome json = runCli(m_folder->path(), {"show", "quiet.so", "--page", "Safety", "--json"});
    QVERIFY2(json.exit == 0, json.text());
    QVERIFY2(json.out.contains("\"kind\": \"report\""), json.text());
  }

private:
  Outcome run(QStringList arguments) const {
    arguments.prepend(QStringLiteral("safety"));
    return runCli(m_folder->path(), arguments);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestSafetyVerb);

} // namespace blobscope::test

#include "test_safety.moc"
