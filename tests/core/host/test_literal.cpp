#include "core/host/literal.h"

#include "tests/core/host/host_texts.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

/// Texts with a whole signature, in the notation of TVM 0.24 and later.
class TestSignatureLiteral : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everySpellingIsParsed_data();
  void everySpellingIsParsed();
  void parametersHaveKindAndType();
  void otherTextsAreRefused_data();
  void otherTextsAreRefused();
  void dimensionsAreSimplified_data();
  void dimensionsAreSimplified();
  void variablesOfAnExpressionAreFound();
};

void TestSignatureLiteral::everySpellingIsParsed_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("expected");
  QTest::addColumn<QString>("variables");
  const auto row = [](const char* name, const char* text, const char* expected, const char* variables) {
    QTest::newRow(name) << text << expected << variables;
  };
  row("plain",
      "vadd(A: Tensor([n, 128], float32), B: Tensor([n, 128], float32), C: Tensor([n, 128], float32), scale: float32)",
      "vadd(A: Tensor([n, 128], float32), B: Tensor([n, 128], float32), C: Tensor([n, 128], float32), scale: float32)",
      "n");
  row("expressions",
      "exprs(A: Tensor([n, T.int64(128)], float32), B: Tensor([n + T.int64(1), n * m], float32), C: Tensor([(n + "
      "T.int64(7)) // T.int64(8), m], int8), E: Tensor([], float32))",
      "exprs(A: Tensor([n, 128], float32), B: Tensor([n + 1, n * m], float32), C: Tensor([(n + 7) // 8, m], int8), E: "
      "Tensor([], float32))",
      "n m");
  row("types",
      "types(A: Tensor([n, 4], float32x4), B: Tensor([n, 4], float8_e4m3fn), C: Tensor([n, 4], int4), D: Tensor([n, "
      "4], bfloat16), p: T.handle(\"float32\", \"global\"), u: uint8, flag: bool)",
      "types(A: Tensor([n, 4], float32x4), B: Tensor([n, 4], float8_e4m3fn), C: Tensor([n, 4], int4), D: Tensor([n, "
      "4], bfloat16), p: handle(float32), u: uint8, flag: bool)",
      "n");
  row("no arguments", "noargs()", "noargs()", "");
  row("handle of 0.25", "f(p: handle)", "f(p: handle)", "");
  row("handle of 0.26", "f(p: T.handle)", "f(p: handle)", "");
  row("equal names", "add(x: Tensor([T.int64(4)], float32), x: Tensor([T.int64(4)], float32))",
      "add(x: Tensor([4], float32), x: Tensor([4], float32))", "");
  row("no name for a variable", "f(A: Tensor([v, v_1], bool))", "f(A: Tensor([v, v_1], bool))", "v v_1");
  row("call in a dimension", "f(A: Tensor([T.max(n, T.int64(1)), T.shift_right(m + 31, 5)], int32))",
      "f(A: Tensor([T.max(n, 1), T.shift_right(m + 31, 5)], int32))", "n m");
  row("operators in a wrapper", "f(A: Tensor([T.Cast(\"int64\", a + b) * 2], int32))",
      "f(A: Tensor([(a + b) * 2], int32))", "a b");
  row("dotted name", "ns.f(a.b: int32)", "ns.f(a.b: int32)", "");
  row("negative", "f(A: Tensor([T.int64(-4), -1], int32))", "f(A: Tensor([-4, -1], int32))", "");
}

void TestSignatureLiteral::everySpellingIsParsed() {
  QFETCH(QString, text);
  QFETCH(QString, expected);
  QFETCH(QString, variables);
  const auto found = host::parseLiteral(text.toStdString(), true);
  QVERIFY(found);
  QCOMPARE(QString::fromStdString(found->text()), expected);
  QVERIFY(found->complete());
  QVERIFY(found->source == host::Signature::Source::Literal);
  QStringList names;
  for (const std::string& name : found->variables) names << QString::fromStdString(name);
  QCOMPARE(names.join(QLatin1Char(' ')), variables);
}

void TestSignatureLiteral::parametersHaveKindAndType() {
  using Kind = host::Parameter::Kind;
  const auto found = host::parseLiteral(
      "f(A: Tensor([2, n, -3], float16), i: int64, d: float64, b: bool, h: T.handle(\"int8\", \"shared\"))", true);
  QVERIFY(found);
  QCOMPARE(found->parameters.size(), std::size_t{5});
  const host::Parameter& tensor = found->parameters[0];
  QVERIFY(tensor.kind == Kind::Tensor && tensor.rankKnown);
  QCOMPARE(tensor.shape[0].value.value_or(0), int64_t{2});
  QVERIFY(!tensor.shape[1].value && tensor.shape[1].isVariable());
  QVERIFY2(!tensor.shape[2].value && !tensor.shape[2].isVariable(), "a negative extent is no number of elements");
  QVERIFY(!tensor.deviceType);
  const Kind kinds[] = {Kind::Integer, Kind::Float, Kind::Boolean, Kind::Pointer};
  for (std::size_t i = 0; i < 4; ++i) QVERIFY(found->parameters[i + 1].kind == kinds[i]);
  QCOMPARE(QString::fromStdString(found->parameters[4].dtype), QStringLiteral("int8"));
}

void TestSignatureLiteral::otherTextsAreRefused_data() {
  QTest::addColumn<QByteArray>("text");
  const auto row = [](const char* name, std::string text) { QTest::newRow(name) << QByteArray::fromStdString(text); };
  row("empty", "");
  row("no bracket", "f");
  row("no end", "f(A: int32");
  row("bracket left open", "f(A: Tensor([n, (m], int8))");
  row("bracket closed twice", "f(A: int32))");
  row("wrong bracket", "f(A: Tensor([n), int8])");
  row("quote left open", "f(p: T.handle(\"float32, \"global\"))");
  row("no type", "f(A)");
  row("no name", "f(: int32)");
  row("unknown type", "max(a: half, b: half)");
  row("C", "max(int a, int b)");
  row("sentence", "see also: this (and that: it)");
  row("tensor without type", "f(A: Tensor([n]))");
  row("empty dimension", "f(A: Tensor([n,,m], int8))");
  row("hundred thousand dimensions", [] {
    std::string text = "f(A: Tensor([";
    for (int i = 0; i < 100'000; ++i) text += "8, ";
    return text + "8], float32))";
  }());
  row("hundred thousand parameters", [] {
    std::string text = "f(";
    for (int i = 0; i < 100'000; ++i) text += "a: int8, ";
    return text + "b: int8)";
  }());
  row("hundred thousand brackets",
      "f(A: Tensor([" + std::string(100'000, '(') + std::string(100'000, ')') + "], int8))");
}

void TestSignatureLiteral::otherTextsAreRefused() {
  QFETCH(QByteArray, text);
  QVERIFY(!host::parseLiteral(text.toStdString(), true));
}

void TestSignatureLiteral::dimensionsAreSimplified_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("expected");
  QTest::addColumn<bool>("number");
  QTest::newRow("number") << QByteArray("128") << "128" << true;
  QTest::newRow("64 bits") << QByteArray("T.int64(9223372036854775807)") << "9223372036854775807" << true;
  QTest::newRow("too large") << QByteArray("9223372036854775808") << "9223372036854775808" << false;
  QTest::newRow("negative") << QByteArray("-1") << "-1" << false;
  QTest::newRow("cast") << QByteArray("T.Cast(\"int32\", n)") << "n" << false;
  QTest::newRow("nested") << QByteArray("T.int64(T.Cast(\"int32\", T.int64(7)))") << "7" << true;
  QTest::newRow("wrapper left open") << QByteArray("T.int64(7") << "T.int64(7" << false;
  QTest::newRow("part of a word") << QByteArray("myT.int64(7)") << "myT.int64(7)" << false;
  QTest::newRow("spaces") << QByteArray("  n + 1 ") << "n + 1" << false;
  QTest::newRow("too long") << QByteArray(2'000, '1') << "" << false;
  QTest::newRow("deep") << QByteArray("T.int64(").repeated(100) + "1" + QByteArray(")").repeated(100) << "" << false;
}

void TestSignatureLiteral::dimensionsAreSimplified() {
  QFETCH(QByteArray, text);
  QFETCH(QString, expected);
  QFETCH(bool, number);
  const host::Dimension dimension = host::dimensionOf(text.toStdString());
  if (qstrcmp(QTest::currentDataTag(), "deep") != 0) QCOMPARE(QString::fromStdString(dimension.text), expected);
  QCOMPARE(dimension.value.has_value(), number);
}

void TestSignatureLiteral::variablesOfAnExpressionAreFound() {
  QStringList names;
  for (const std::string_view name : host::variablesIn("T.max(n, \"m\") * k2 + T.int64(3) - n // (a if b else 'c')"))
    names << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
  QCOMPARE(names.join(QLatin1Char(' ')), QStringLiteral("n k2 a b"));
}

BLOBSCOPE_TEST(TestSignatureLiteral);
#include "test_literal.moc"
