#include "core/run/extent.h"

#include "core/base/text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace blobscope;
using namespace std::string_literals;

/// The values of expressions of symbolic dimensions.
class TestSymbolicExtent : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void expressionsAreEvaluated_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<qint64>("value");
    const auto row = [](const char* text, qint64 value) { QTest::newRow(text) << std::string(text) << value; };
    // n is 7, m is 11, "batch_size" 13.
    row("n", 7);
    row(" 12 ", 12);
    row("batch_size * 4", 52);
    row("n + 1", 8);
    row("n * m + 2", 79);
    row("2 + n * m", 79);
    row("(n + 7) // 8 * m", 11);
    row("(n + T.int64(7)) // T.int64(8)", 1);
    row("n - m", -4);
    row("(n - m) // 3", -2); // rounds down
    row("(n - m) % 3", 2);
    row("-n + 10", 3);
    row("n % 4 * 2", 6);
    row("T.shift_right(n + 31, 5) * m", 11);
    row("T.shift_left(1, 4)", 16);
    row("T.max(n, m)", 11);
    row("T.min(n, 3)", 3);
    row("floordiv(n, 2)", 3);
    row("T.Cast(\"int32\", n + 1)", 8);
    row("((((n))))", 7);
    row("T.bitwise_and(n, 3)", 3);
  }
  void expressionsAreEvaluated() {
    QFETCH(std::string, text);
    QFETCH(qint64, value);
    const auto result = run::evaluate(text, {{"n", 7}, {"m", 11}, {"batch_size", 13}});
    QVERIFY2(result, result ? "" : result.error().message().c_str());
    QCOMPARE(qint64{*result}, value);
  }

  void invalidExpressionsAreRefused_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("reason");
    const auto row = [](const std::string& text, const char* reason) {
      QTest::newRow(escapedWithin(text, 40).c_str()) << text << QString::fromUtf8(reason);
    };
    row("", "unexpected end");
    row("n +", "unexpected end");
    row("n n", "unexpected character at 3");
    row("(n", "missing ')'");
    row("k", "'k' has no value");
    row("n // 0", "division by zero");
    row("n % (m - 11)", "division by zero");
    row("9223372036854775807 + n", "does not fit");
    row("99999999999999999999", "does not fit");
    row("9223372036854775807 * 2", "does not fit");
    row("T.sqrt(n, 2)", "unknown function 'sqrt'");
    row("T.max(1, 2, 3)", "too many arguments");
    row("T.shift_left(n, 80)", "the shift count 80 is not between 0 and 62");
    row("T.shift_left(n, 63)", "the shift count 63 is not between 0 and 62");
    row("T.shift_right(n, -1)", "the shift count -1 is not between 0 and 62");
    row("T.shift_left(-n, 2)", "a negative number is shifted left");
    row("T.shift_left(n, 62)", "does not fit");
    row("T.Cast(\"int32", "missing quote");
    row(std::string(100'000, '('), "nested too deeply");
    row(std::string(100'000, '-'), "nested too deeply");
    row("n $ 2", "unexpected character");
    row("\xff", "unexpected character");
  }
  void invalidExpressionsAreRefused() {
    QFETCH(std::string, text);
    QFETCH(QString, reason);
    const auto result = run::evaluate(text, {{"n", 7}, {"m", 11}});
    QVERIFY(!result);
    QVERIFY2(QString::fromStdString(result.error().message()).contains(reason), result.error().message().c_str());
  }

  void variablesGetDefaultsOrChosenValues() {
    host::Signature signature;
    signature.variables = {"n", "seq_len", "m"};
    const run::Variables chosen = run::chooseVariables(signature, {{"seq_len", 128}, {"other", 1}});
    QVERIFY(chosen == (run::Variables{{"n", 7}, {"seq_len", 128}, {"m", 11}}));
  }

  /// The length of the shape fits empty caches.
  void shapesFollowTheTensors() {
    host::Parameter tokens, length;
    tokens.kind = host::Parameter::Kind::Tensor;
    tokens.shape = {host::dimensionOf("1"), host::dimensionOf("n")};
    length.kind = host::Parameter::Kind::Shape;
    length.shape = {host::dimensionOf("total")};
    host::Signature signature;
    signature.parameters = {length, tokens};
    signature.collectVariables();
    QVERIFY(run::chooseVariables(signature, {}) == (run::Variables{{"n", 7}, {"total", 7}}));
    QVERIFY(run::chooseVariables(signature, {{"n", 3}}) == (run::Variables{{"n", 3}, {"total", 3}}));
    QVERIFY(run::chooseVariables(signature, {{"total", 3}}) == (run::Variables{{"n", 7}, {"total", 3}}));
    signature.parameters = {length};
    signature.collectVariables();
    QVERIFY(run::chooseVariables(signature, {}) == (run::Variables{{"total", 1}}));
  }
};

BLOBSCOPE_TEST(TestSymbolicExtent);
#include "test_extent.moc"
