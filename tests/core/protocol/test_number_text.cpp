#include "core/protocol/number_text.h"

#include "tests/core/base/compare.h"
#include "tests/core/protocol/numbers.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace blobscope;
using namespace blobscope::test;

class TestNumberText : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void numbersAreShort_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<std::string>("plain");
    QTest::addColumn<std::string>("rounded");
    const auto row = [](const char* name, double value, const char* plain, const char* rounded) {
      QTest::newRow(name) << value << std::string(plain) << std::string(rounded);
    };
    row("zero", 0, "0", "0");
    row("negative zero", -0.0, "-0", "-0");
    row("a tenth", 0.1, "0.1", "0.1");
    row("below a tenth", 0.09, "9e-2", "9e-2");
    row("many digits", 0.123456789, "0.123456789", "0.12");
    row("small", 0.0017345, "1.7345e-3", "1.7e-3");
    row("a small whole digit", 0.002, "2e-3", "2e-3");
    row("whole", 12, "12", "12");
    row("whole and large", 999'999, "999999", "999999");
    row("a million", 1e6, "1e6", "1e6");
    row("above a million", 1'234'567, "1.234567e6", "1.2e6");
    row("a hundred and a half", 100.5, "100.5", "1e2");
    row("two digits", 12.345, "12.345", "12");
    row("negative", -0.25, "-0.25", "-0.25");
    row("three digits in the exponent", 1e-300, "1e-300", "1e-300");
    row("infinite", kInfinity, "inf", "inf");
    row("negative and infinite", -kInfinity, "-inf", "-inf");
    row("not a number", std::numeric_limits<double>::quiet_NaN(), "nan", "nan");
  }
  void numbersAreShort() {
    QFETCH(double, value);
    QFETCH(std::string, plain);
    QFETCH(std::string, rounded);
    QCOMPARE(protocol::plainNumber(value), plain);
    QCOMPARE(protocol::roundedNumber(value), rounded);
  }

  void durationsHaveAUnit_data() {
    QTest::addColumn<double>("microseconds");
    QTest::addColumn<std::string>("text");
    QTest::newRow("none") << 0.0 << std::string("0 µs");
    QTest::newRow("microseconds") << 4.25 << std::string("4.25 µs");
    QTest::newRow("rounded") << 4.256789 << std::string("4.257 µs");
    QTest::newRow("below a millisecond") << 999.9 << std::string("999.9 µs");
    QTest::newRow("milliseconds") << 1'300.0 << std::string("1.3 ms");
    QTest::newRow("seconds") << 2e6 << std::string("2 s");
    QTest::newRow("many seconds") << 1.2345678e9 << std::string("1235 s");
    QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << std::string("inf");
  }
  void durationsHaveAUnit() {
    QFETCH(double, microseconds);
    QFETCH(std::string, text);
    QCOMPARE(protocol::durationText(microseconds), text);
  }
};

BLOBSCOPE_TEST(TestNumberText);

#include "test_number_text.moc"
