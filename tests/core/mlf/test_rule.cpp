#include "core/mlf/rule.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QSet>

using namespace blobscope;
using namespace std::string_literals;

class TestRule : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// 147 rules, in order, each with a text, versions that exist, and ids that tell the number.
  void table() {
    QCOMPARE(mlf::rules().size(), std::size_t{147});
    unsigned before = 0;
    for (const mlf::Rule& rule : mlf::rules()) {
      static const QRegularExpression kId(QStringLiteral("^MLF-[0-9]{3}$"));
      const QString id = QString::fromUtf8(rule.id.data(), static_cast<qsizetype>(rule.id.size()));
      QVERIFY2(kId.match(id).hasMatch(), qPrintable(id));
      QCOMPARE(id.mid(4).toUInt(), rule.number);
      QVERIFY2(rule.number > before, qPrintable(id));
      before = rule.number;
      QVERIFY2(rule.first >= 1 && rule.first <= rule.last && rule.last <= 7, qPrintable(id));
      QVERIFY2(!rule.message.empty() && !rule.message.ends_with('.') && !rule.fix.ends_with('.'), qPrintable(id));
      QCOMPARE(mlf::findRule(rule.number), &rule);
      QCOMPARE(mlf::findRule(rule.id), &rule);
    }
  }
  void unknown() {
    QVERIFY(!mlf::findRule(0U) && !mlf::findRule(18U) && !mlf::findRule(999U));
    QVERIFY(!mlf::findRule("MLF-18") && !mlf::findRule("") && !mlf::findRule("BLOB-HEADER"));
  }

  void messages() {
    mlf::Findings findings;
    findings.add(616, {}, {arg("sid", uint64_t{5}), arg("found", uint64_t{4}), arg("need", uint64_t{40})});
    findings.add(412, {}, {arg("file", "p.params"), arg("where", "0"), hexArg("value", 16)}); // {value:#x}
    findings.add(101, {}, {});
    findings.add(107, {}, {{"where", "{key}"}, arg("key", "a{where}")}); // what is put in is not filled again
    QCOMPARE(findings.all()[0].message(), "metadata.json: storage 5 says 4 bytes, the graph needs 40"s);
    QCOMPARE(findings.all()[1].message(), "p.params: reserved word 0 is 0x10"s);
    QCOMPARE(findings.all()[2].message(), "metadata.json: {why}"s);
    QCOMPARE(findings.all()[3].message(), "metadata.json: {key} lacks 'a{where}'"s);
  }

  /// A rule of other versions is not added; before the version is known all are.
  void versions() {
    mlf::Findings findings;
    findings.add(128, {}, {});
    findings.setVersion(4);
    findings.add(128, {}, {});
    findings.add(114, {}, {});
    findings.add(124, {}, {});
    findings.setVersion(6);
    findings.add(124, {}, {});
    findings.add(128, {}, {});
    QCOMPARE(findings.all().size(), std::size_t{3});
    QVERIFY(findings.has(128) && findings.has(124) && !findings.has(114) && !findings.has(555));
  }

  void manyOfOne() {
    mlf::Findings findings;
    for (std::size_t i = 0; i < mlf::Findings::kPerRule + 50; ++i) findings.add(17, {}, {});
    findings.add(15, {}, {});
    findings.add(9999, {}, {});
    QCOMPARE(findings.all().size(), mlf::Findings::kPerRule + 1);
    QVERIFY(!mlf::Findings().has(17));
  }
};

BLOBSCOPE_TEST(TestRule);

#include "test_rule.moc"
