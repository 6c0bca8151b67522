#include "ui/text/name_parts.h"

#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"

#include <QFont>

using namespace blobscope::ui;
using namespace Qt::StringLiterals;

/// How names of a list are shown in little room.
class TestNameParts : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void commonPrefixAndSuffixAreFound();
  void shortenedNameKeepsTheMatch_data();
  void shortenedNameKeepsTheMatch();
  void shortenedNameKeepsItsEnd();
  void textIsWrappedToTheWidth();
  void matchAcrossLinesIsMarked();

private:
  static QString textOf(const QVector<NameRun>& runs) {
    QString out;
    for (const NameRun& run : runs) out += run.text;
    return out;
  }
  static QString foundOf(const QVector<NameRun>& runs) {
    QString out;
    for (const NameRun& run : runs)
      if (run.found) out += run.text;
    return out;
  }
  blobscope::test::Application m_application;
  QFontMetrics m_metrics{QFont()};
};

void TestNameParts::commonPrefixAndSuffixAreFound() {
  const Affixes shared = commonAffixes({u"fused_add_kernel"_s, u"fused_mul_kernel"_s, u"fused_conv2d_kernel"_s});
  QCOMPARE(shared.prefix, u"fused_"_s);
  QCOMPARE(shared.suffix, u"_kernel"_s);
  QVERIFY(commonAffixes({u"add"_s, u"mul"_s, u"conv"_s}).prefix.isEmpty());
  QVERIFY(commonAffixes({}).suffix.isEmpty());
}

void TestNameParts::shortenedNameKeepsTheMatch_data() {
  QTest::addColumn<QString>("filter");
  QTest::addColumn<int>("percent");
  for (const int percent : {100, 80, 60, 40}) {
    QTest::addRow("%d", percent) << QString() << percent;
    QTest::addRow("%d, match in the middle", percent) << u"conv"_s << percent;
    QTest::addRow("%d, match at the end", percent) << u"nel_3"_s << percent;
  }
}

void TestNameParts::shortenedNameKeepsTheMatch() {
  QFETCH(const QString, filter);
  QFETCH(const int, percent);
  const QString name = u"fused_long_name_conv2d_and_more_of_it_kernel_3"_s;
  const Affixes shared{u"fused_"_s, u"_kernel_3"_s};
  const int width = m_metrics.horizontalAdvance(name) * percent / 100;
  const QVector<NameRun> runs = fitName(name, shared, filter, m_metrics, width);
  QVERIFY2(m_metrics.horizontalAdvance(textOf(runs)) <= width, qPrintable(textOf(runs)));
  QVERIFY2(foundOf(runs).compare(filter, Qt::CaseInsensitive) == 0, qPrintable(foundOf(runs)));
  if (percent == 100) {
    QCOMPARE(textOf(runs), name);
    QVERIFY(runs.first().dim);
  }
}

/// Without the end that it shares with other kernels, the name would be that of a host function.
void TestNameParts::shortenedNameKeepsItsEnd() {
  const QString name = u"fused_NT_matmul4_add6_add4_kernel"_s;
  const Affixes shared{u"fused_"_s, u"_kernel"_s};
  for (const int percent : {98, 90, 70, 50}) {
    const int width = m_metrics.horizontalAdvance(name) * percent / 100;
    const QString text = textOf(fitName(name, shared, {}, m_metrics, width));
    QVERIFY2(text.contains(u'…') && text.endsWith(u"_kernel"_s), qPrintable(text));
    QVERIFY2(m_metrics.horizontalAdvance(text) <= width, qPrintable(text));
  }
}

void TestNameParts::textIsWrappedToTheWidth() {
  const QString text = u"(A: Tensor([1, 2], float32), B: Tensor([3, 4], int8), a_name_without_any_blank_in_it)"_s;
  for (const int width : {60, 120, 300}) {
    const QVector<int> ends = wrapText(text, m_metrics, width, 40);
    QCOMPARE(ends.last(), text.size());
    int from = 0;
    for (const int end : ends) {
      QVERIFY(end > from);
      QVERIFY2(m_metrics.horizontalAdvance(text.mid(from, end - from).trimmed()) <= width,
               qPrintable(text.mid(from, end - from)));
      from = end;
    }
  }
  QCOMPARE(wrapText(text, m_metrics, 60, 3).size(), 3);
  QCOMPARE(wrapText(text, m_metrics, 60, 3).last(), text.size());
  QCOMPARE(wrapText({}, m_metrics, 60, 3).size(), 1);
}

void TestNameParts::matchAcrossLinesIsMarked() {
  const QString text = u"one two three four five six seven eight nine ten"_s;
  const QVector<QVector<NameRun>> lines = fitLines(text, {}, u"two three four"_s, m_metrics, 80, 20);
  QVERIFY(lines.size() > 2);
  QString found;
  for (const QVector<NameRun>& line : lines) found += foundOf(line);
  QCOMPARE(found.remove(u' '), u"twothreefour"_s);
}

BLOBSCOPE_TEST(TestNameParts);
#include "test_name_parts.moc"
