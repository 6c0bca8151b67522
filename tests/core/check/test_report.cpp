#include "core/check/report.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::check;
using namespace std::string_literals;

class TestCheckReport : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void findingBecomesAnIssue() {
    const Issue issue = issueOf(
        Finding{Rule::MlfParametersMissing, {"parameters/m.params", {}, 3, {}}, {arg("path", "parameters/m.params")}});
    QCOMPARE(issue.rule, "MLF-306"s);
    QVERIFY(issue.severity == Severity::Error);
    QCOMPARE(issue.message, "missing 'parameters/m.params'"s);
    QCOMPARE(issue.fix, "write an empty parameter list"s);
    QCOMPARE(issue.placeText(), "parameters/m.params:3"s);
    QVERIFY(!issue.ref && issue.refText().empty());
  }

  void diagnosticBecomesAnIssue() {
    Ref place = Ref::bytesAt(0x40);
    place.members = {"a.zip", "b.so"};
    const Issue issue = issueOf(Diagnostic{DiagnosticId::FileMoreDiagnostics, place, {arg("count", uint64_t{7})}});
    QCOMPARE(issue.rule, "FILE-MORE"s);
    QVERIFY(issue.severity == Severity::Note && issue.fix.empty());
    QCOMPARE(issue.message, "7 more findings are not shown"s);
    QCOMPARE(issue.place.member, "a.zip!b.so"s);
    QCOMPARE(issue.place.offset, std::optional<uint64_t>(0x40));
    QCOMPARE(issue.placeText(), place.shown());
    QCOMPARE(issue.refText(), place.toString());
  }

  /// Issues of one severity keep their order.
  void issuesAreSortedWorstFirst() {
    Report report;
    for (const Rule rule : {Rule::MlfStrayFile, Rule::MlfMode, Rule::MlfNotTar, Rule::MlfExtraEntry, Rule::MlfLink})
      report.issues.push_back(issueOf(Finding{rule, {}, {}}));
    report.sortWorstFirst();
    std::string order;
    for (const Issue& issue : report.issues) order += issue.rule + " ";
    QCOMPARE(order, "MLF-001 MLF-006 MLF-012 MLF-017 MLF-015 "s);
    QCOMPARE(report.count(Severity::Error), std::size_t{2});
    QCOMPARE(report.count(Severity::Warning), std::size_t{1});
    QCOMPARE(report.count(Severity::Note), std::size_t{2});
  }

  /// Consequences are listed after their cause; a consequence without its cause is listed alone.
  void consequencesFollowTheirCause() {
    Report report;
    const auto add = [&](const char* rule, const char* because) {
      Issue issue;
      issue.rule = rule;
      issue.because = because;
      report.issues.push_back(issue);
    };
    add("B", "A"); // 0
    add("A", "");  // 1
    add("C", "");  // 2
    add("B", "A"); // 3
    add("A", "");  // 4
    add("D", "E"); // 5
    std::string text;
    for (const Report::Row& row : report.rows()) text += (row.follows ? " >" : " ") + std::to_string(row.issue);
    QCOMPARE(text, std::string(" 1 >0 >3 2 4 5"));
  }
};

BLOBSCOPE_TEST(TestCheckReport);

#include "test_report.moc"
