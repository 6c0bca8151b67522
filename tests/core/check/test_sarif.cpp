#include "core/base/json.h"
#include "core/check/sarif.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

class TestSarif : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void messagesContainNoMarkdownLinks() {
    check::Report report;
    check::Issue issue;
    issue.rule = "MLF-113";
    issue.message = "style '[click](http://example.org)' and ]](";
    report.issues.push_back(issue);
    std::string text;
    check::writeSarif(report, "a.tar", "1.2.3", [&](std::string_view piece) { text += piece; });
    const auto parsed = json::parse(bytes(text));
    QVERIFY(parsed);
    const json::Value& result = parsed->find("runs")->array()->front().find("results")->array()->front();
    QCOMPARE(*result.find("message")->find("text")->string(), "style '[click] (http://example.org)' and ]] ("s);
  }

  /// Rules and diagnostics are described in the same way.
  void rulesAndDiagnosticsAreDescribed() {
    check::Report report;
    for (const char* id : {"MLF-306", "BLOB-ORPHAN"}) {
      check::Issue issue;
      issue.rule = id;
      if (issue.rule == "BLOB-ORPHAN") issue.because = "MLF-306";
      report.issues.push_back(issue);
    }
    std::string text;
    check::writeSarif(report, "a.tar", "1.2.3", [&](std::string_view piece) { text += piece; });
    const auto parsed = json::parse(bytes(text));
    QVERIFY(parsed);
    const json::Value& run = parsed->find("runs")->array()->front();
    const auto& results = *run.find("results")->array();
    QVERIFY(!results[0].find("properties"));
    QCOMPARE(*results[1].find("properties")->find("because")->string(), "MLF-306"s);
    const auto& rules = *run.find("tool")->find("driver")->find("rules")->array();
    QCOMPARE(rules.size(), std::size_t{2});
    QCOMPARE(*rules[0].find("id")->string(), "BLOB-ORPHAN"s);
    QCOMPARE(*rules[0].find("defaultConfiguration")->find("level")->string(), "warning"s);
    QVERIFY(!rules[0].find("help"));
    for (const json::Value& rule : rules)
      QVERIFY(rule.find("shortDescription")->find("text")->string()->find('{') == std::string::npos);
    QCOMPARE(*rules[1].find("shortDescription")->find("text")->string(), std::string(check::findRule("MLF-306")->help));
    QCOMPARE(*rules[1].find("help")->find("text")->string(), "write an empty parameter list"s);
  }
};

BLOBSCOPE_TEST(TestSarif);

#include "test_sarif.moc"
