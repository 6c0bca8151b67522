#include "app/runner/probe_text.h"

#include "tests/support/test_main.h"

#include <QString>

using namespace blobscope::runner;

class TestProbeText : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void errorMessagesGiveFacts_data();
  void errorMessagesGiveFacts();
  void expressionsAreEvaluated_data();
  void expressionsAreEvaluated();
  void pathsNameTheirParameter_data();
  void pathsNameTheirParameter();
};

void TestProbeText::errorMessagesGiveFacts_data() {
  QTest::addColumn<QString>("message");
  QTest::addColumn<QString>("fact");
  const auto row = [](const char* name, const char* message, const char* fact) {
    QTest::newRow(name) << message << fact;
  };
  row("count", "Assert fail: (num_args == 4), f: num_args should be 4", "count 4");
  row("kind, 0.11", "Assert fail: ((arg.p0.code == 3) || (arg.p0.code == 4)), f: Expect arg[0] to be pointer",
      "kind 0 pointer arg_p0");
  row("kind, 0.15", "Assert fail: arg_A_code == 3 or arg_A_code == 13, add1: Expect arg[12] to be pointer",
      "kind 12 pointer arg_A");
  row("kind, 0.22", "TypeError: Assert fail: A_type_index == 0 or A_type_index == 4, f: Expect arg[1] to be float",
      "kind 1 float A");
  row("kind, C host", "f: Expect arg[1] to be int", "kind 1 int ");
  row("rank", "Assert fail: (5 == tir.tvm_struct_get(arg.p0, 0, 4)), arg.p0.ndim is expected to equal 5",
      "rank 5 arg_p0");
  row("rank with the function",
      "Assert fail: 2 == T.tvm_struct_get(A, 0, 4), add1.arg.A_handle.ndim is expected to equal 2",
      "rank 2 add1_arg_A_handle");
  row("dtype", "Assert fail: …, arg0.dtype is expected to be float32x4", "dtype float32x4 arg0");
  row("extent, brackets",
      "Assert fail: (1 == int32(arg0.shape[0])), Argument arg0.shape[0] has an unsatisfied constraint: (1 == "
      "int32(arg0.shape[0]))",
      "extent 0 1 arg0");
  row("extent, only in front",
      "Assert fail: (int32(arg0.shape[3]) == 112), Argument arg0.shape[3] has an unsatisfied constraint",
      "extent 3 112 arg0");
  row("extent, casts", "Argument f.A.shape[1] has an unsatisfied constraint: T.int64(2048) == f_A_shape[1]",
      "extent 1 2048 f_A");
  row("extent of variables",
      "Argument f.A.shape[2] has an unsatisfied constraint: (n + 7) // 8 * m == T.Cast(\"int32\", f_A_shape[2])",
      "extent 2 7 f_A");
  row("device", "Argument f.A.device_type has an unsatisfied constraint: 7 == T.tvm_struct_get(A, 0, 10, \"int32\")",
      "device 7 f_A");
  row("device of all", "Assert fail: (dev_type == 1), device_type need to be 1", "devices 1");
  row("scalar", "Assert fail: n == 7, Argument f.n has an unsatisfied constraint: 7 == n", "scalar 7 f_n");
  row("signature", "TypeError: Expected 3 arguments when calling:\n  `f(A: Tensor([n], float32))`",
      "literal f(A: Tensor([n], float32))");
  row("byte offset",
      "Argument f.A.byte_offset has an unsatisfied constraint: T.uint64(0) == T.tvm_struct_get(A, 0, 8, \"uint64\")",
      "none");
  row("something else", "out of memory", "none");
  row("empty", "", "none");
  row("count too large", "num_args should be 99999999999999999999", "none");
  row("count of nothing", "num_args should be ", "none");
  row("index too large", "Expect arg[99999999999999999999] to be pointer", "none");
  row("half a sentence", "Assert fail: x, Argument ", "none");
  row("mark before its beginning", ", Argument arg0.shape[0] has an unsatisfied constraint Assert fail: ", "none");
}

void TestProbeText::errorMessagesGiveFacts() {
  QFETCH(QString, message);
  QFETCH(QString, fact);
  const std::string text = message.toStdString();
  const ProbeFact found = probeFact(text, 7);
  const QString name = QString::fromStdString(found.name), words = QString::fromStdString(found.text);
  using Kind = ProbeFact::Kind;
  QString said = "none";
  switch (found.kind) {
  case Kind::Count: said = QString("count %1").arg(found.number); break;
  case Kind::ArgumentKind: said = QString("kind %1 %2 %3").arg(found.index).arg(words, name); break;
  case Kind::Rank: said = QString("rank %1 %2").arg(found.number).arg(name); break;
  case Kind::Dtype: said = QString("dtype %1 %2").arg(words, name); break;
  case Kind::Extent: said = QString("extent %1 %2 %3").arg(found.index).arg(found.number).arg(name); break;
  case Kind::DeviceType: said = QString("device %1 %2").arg(found.number).arg(name); break;
  case Kind::EveryDeviceType: said = QString("devices %1").arg(found.number); break;
  case Kind::Scalar: said = QString("scalar %1 %2").arg(found.number).arg(name); break;
  case Kind::Literal: said = "literal " + words; break;
  case Kind::None: break;
  }
  QCOMPARE(said, fact);
  // Half a message, or one whose bytes are out of order, has no other effect than that nothing is found.
  for (std::size_t size = 0; size < text.size(); ++size) (void)probeFact(std::string_view(text).substr(0, size), 7);
}

void TestProbeText::expressionsAreEvaluated_data() {
  QTest::addColumn<QString>("expression");
  QTest::addColumn<QString>("value");
  const auto row = [](const char* expression, const char* value) { QTest::newRow(expression) << expression << value; };
  row("12", "12");
  row("n", "7");
  row("n * m + 1", "50");
  row("(n + 7) // 8", "1");
  row("-9 // 2", "-5");
  row("-9 % 4", "3");
  row("T.int64(4096) * T.Cast(\"int64\", n)", "28672");
  row("(int64)n * (int64)32", "224");
  row("(uint64)0", "0");
  row("T.max(n, 3) - T.min(n, 3)", "4");
  row("floordiv(n, 2) + floormod(n, 2)", "4");
  row("n // 0", "none");
  row("9223372036854775807 + 1", "none");
  row("99999999999999999999", "none");
  row("f(n)", "none");
  row("(n", "none");
  row("n n", "none");
  row("", "none");
}

void TestProbeText::expressionsAreEvaluated() {
  QFETCH(QString, expression);
  QFETCH(QString, value);
  const auto found = probeValue(expression.toStdString(), 7);
  QCOMPARE(found ? QString::number(*found) : QString("none"), value);
  QVERIFY(!probeValue(std::string(100'000, '('), 7));
  QVERIFY(!probeValue(std::string(100'000, '-'), 7));
}

void TestProbeText::pathsNameTheirParameter_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>("means");
  QTest::newRow("same") << "arg0" << "arg0" << true;
  QTest::newRow("after the function") << "add1_A" << "A" << true;
  QTest::newRow("end of another") << "add1_BA" << "A" << false;
  QTest::newRow("shorter") << "A" << "add1_A" << false;
  QTest::newRow("nameless") << "A" << "" << false;
}

void TestProbeText::pathsNameTheirParameter() {
  QFETCH(QString, path);
  QFETCH(QString, name);
  QFETCH(bool, means);
  QCOMPARE(probeNames(path.toStdString(), name.toStdString()), means);
}

BLOBSCOPE_TEST(TestProbeText);
#include "test_probe_text.moc"
