#include "tests/support/test_main.h"
#include "ui/text/plurals.h"

#include <QCoreApplication>

#include <limits>
#include <memory>

using namespace blobscope::ui;

/// Texts with a count: whole sentences, and numbers with thousands separators.
class TestPlurals : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void countDecidesThePlural_data();
  void countDecidesThePlural();
  void otherTextsAreUnchanged();
  void largeCountsAreClamped();
  void numberOfBytesHasItsPluralAndSeparators();

private:
  std::unique_ptr<QCoreApplication> m_app;
};

void TestPlurals::initTestCase() {
  static int count = 1;
  static char name[] = "test_ui_text";
  static char* names[] = {name, nullptr};
  if (!QCoreApplication::instance()) m_app = std::make_unique<QCoreApplication>(count, names);
  installPlurals();
}

void TestPlurals::countDecidesThePlural_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("count");
  QTest::addColumn<QString>("shown");
  const QString changes = QStringLiteral("%n change(s) (is|are) not saved.");
  QTest::newRow("none") << changes << 0 << "0 changes are not saved.";
  QTest::newRow("one") << changes << 1 << "1 change is not saved.";
  QTest::newRow("two") << changes << 2 << "2 changes are not saved.";
  QTest::newRow("many") << changes << 12'345 << "12,345 changes are not saved.";
  QTest::newRow("another plural") << "%n (match|matches) in %1" << 1 << "1 match in %1";
  QTest::newRow("another plural, two") << "%n (match|matches) in %1" << 2 << "2 matches in %1";
}

void TestPlurals::countDecidesThePlural() {
  QFETCH(const QString, text);
  QFETCH(const int, count);
  QTEST(QCoreApplication::translate("anything", text.toUtf8().constData(), nullptr, count), "shown");
}

void TestPlurals::otherTextsAreUnchanged() {
  QCOMPARE(QCoreApplication::translate("anything", "Sign(s) and (this|that) stay."),
           QStringLiteral("Sign(s) and (this|that) stay."));
}

void TestPlurals::largeCountsAreClamped() {
  QCOMPARE(pluralCount(7), 7);
  QCOMPARE(pluralCount(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<int>::max());
}

void TestPlurals::numberOfBytesHasItsPluralAndSeparators() {
  QCOMPARE(bytesText(0), QStringLiteral("0 bytes"));
  QCOMPARE(bytesText(1), QStringLiteral("1 byte"));
  QCOMPARE(bytesText(12'800), QStringLiteral("12,800 bytes"));
  QCOMPARE(bytesText(std::numeric_limits<std::uint64_t>::max()), QStringLiteral("18,446,744,073,709,551,615 bytes"));
}

BLOBSCOPE_TEST(TestPlurals);

#include "test_plurals.moc"
