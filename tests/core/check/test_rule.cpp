#include "core/check/finding.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QSet>

using namespace blobscope;
using namespace blobscope::check;
using namespace std::string_literals;

namespace {

QString text(std::string_view words) { return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size())); }

} // namespace

class TestRuleTable : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// Each id is unique, and has a message and a help text of whole sentences.
  void everyRuleHasIdMessageAndHelp() {
    QSet<QString> ids;
    for (const RuleRow& rule : rules()) {
      static const QRegularExpression kId(QStringLiteral("^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$"));
      const QString id = text(rule.id);
      QVERIFY2(kId.match(id).hasMatch(), qPrintable(id));
      QVERIFY2(!ids.contains(id), qPrintable(id));
      ids.insert(id);
      QVERIFY2(!rule.message.empty() && !rule.message.ends_with('.') && !rule.fix.ends_with('.'), qPrintable(id));
      QVERIFY2(rule.help.size() > 15 && rule.help.ends_with('.') && rule.help.find("  ") == std::string_view::npos,
               qPrintable(id));
      QCOMPARE(findRule(rule.id), &rule);
    }
    QVERIFY(!findRule("MLF-18") && !findRule("MLF-018") && !findRule(""));
  }

  /// All diagnostics, in their order.
  void rulesBeginWithAllDiagnostics() {
    QVERIFY(diagnosticRows().size() < rules().size());
    for (std::size_t i = 0; i < diagnosticRows().size(); ++i) {
      const DiagnosticRow& expected = diagnosticRows()[i];
      const RuleRow& found = rules()[i];
      QVERIFY(found.id == expected.id && found.message == expected.text && found.severity == expected.severity);
      QVERIFY(found.first == 0 && found.last == 0 && found.fix.empty());
    }
  }

  /// 147 rules, in order, with versions that exist, and ids of three digits.
  void rulesOfTheModelLibraryFormatAreInOrder() {
    const auto mlf = rules().subspan(diagnosticRows().size(), 147);
    QVERIFY(mlf.back().id < row(Rule::PreFile).id);
    QString before;
    for (const RuleRow& rule : mlf) {
      static const QRegularExpression kId(QStringLiteral("^MLF-[0-9]{3}$"));
      const QString id = text(rule.id);
      QVERIFY2(kId.match(id).hasMatch(), qPrintable(id));
      QVERIFY2(id > before, qPrintable(id));
      before = id;
      QVERIFY2(rule.first >= 1 && rule.first <= rule.last && rule.last <= 7, qPrintable(id));
      QCOMPARE(&row(static_cast<Rule>(&rule - mlf.data())), &rule);
    }
    QCOMPARE(row(Rule::MlfStorageSizeExporter).id, std::string_view("MLF-616"));
  }

  void messagesAreFilled() {
    Findings findings;
    findings.add(Rule::MlfStorageSizeExporter, {},
                 {arg("sid", uint64_t{5}), arg("found", uint64_t{4}), arg("need", uint64_t{40})});
    findings.add(Rule::MlfReservedWord, {},
                 {arg("file", "p.params"), arg("where", "0"), hexArg("value", 16)}); // {value:#x}
    findings.add(Rule::MlfMetadataJson, {}, {});
    findings.add(Rule::MlfKeyMissing, {}, {{"where", "{key}"}, arg("key", "a{where}")}); // values are not filled again
    QCOMPARE(findings.all()[0].message(), "metadata.json: storage 5 has 4 bytes, but the graph needs 40"s);
    QCOMPARE(findings.all()[1].message(), "p.params: reserved word 0 is 0x10"s);
    QCOMPARE(findings.all()[2].message(), "metadata.json: {why}"s);
    QCOMPARE(findings.all()[3].message(), "metadata.json: {key} lacks 'a{where}'"s);
  }

  /// A rule of other versions is not added; before the version is known, all rules are.
  void rulesOfOtherVersionsAreNotAdded() {
    Findings findings;
    findings.add(Rule::MlfRuntimeNotListed, {}, {});
    findings.setVersion(4);
    findings.add(Rule::MlfRuntimeNotListed, {}, {});
    findings.add(Rule::MlfNoModules, {}, {});
    findings.add(Rule::MlfTargetDevice, {}, {});
    findings.setVersion(6);
    findings.add(Rule::MlfTargetDevice, {}, {});
    findings.add(Rule::MlfRuntimeNotListed, {}, {});
    QCOMPARE(findings.all().size(), std::size_t{3});
    QVERIFY(findings.has(Rule::MlfRuntimeNotListed) && findings.has(Rule::MlfTargetDevice));
    QVERIFY(!findings.has(Rule::MlfNoModules) && !findings.has(Rule::MlfNotTar));
  }

  void findingsPerRuleAreLimited() {
    Findings findings;
    for (std::size_t i = 0; i < Findings::kPerRule + 50; ++i) findings.add(Rule::MlfStrayFile, {}, {});
    findings.add(Rule::MlfExtraEntry, {}, {});
    QCOMPARE(findings.all().size(), Findings::kPerRule + 1);
    QVERIFY(!Findings().has(Rule::MlfStrayFile));
  }
};

BLOBSCOPE_TEST(TestRuleTable);

#include "test_rule.moc"
