#include "core/xref/vm_signature.h"

#include "tests/support/test_main.h"

using namespace blobscope;

namespace {

modules::CalledParameter parameter(std::string name, std::string annotation) {
  modules::CalledParameter out;
  out.name = std::move(name);
  out.annotation = std::move(annotation);
  return out;
}

} // namespace

/// Types of VM functions, from their annotations and from the checks in their code.
class TestVmSignature : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void annotationsAreParsed_data();
  void annotationsAreParsed();
  void tuplesHaveItems();
  void checksCompleteTheSignature();
  void graphArgumentsBecomeASignature();
};

void TestVmSignature::annotationsAreParsed_data() {
  QTest::addColumn<QByteArray>("annotation");
  QTest::addColumn<QString>("expected");
  QTest::addColumn<bool>("complete");
  QTest::newRow("symbolic") << QByteArray("R.Tensor((n, 3, 8, 8), dtype=\"float32\")")
                            << "Tensor([n, 3, 8, 8], float32)" << true;
  QTest::newRow("rank 0") << QByteArray("R.Tensor((), dtype=\"float32\")") << "Tensor([], float32)" << true;
  QTest::newRow("one dimension") << QByteArray("R.Tensor((4,), dtype=\"int32\")") << "Tensor([4], int32)" << true;
  QTest::newRow("constants of 64 bits") << QByteArray("R.Tensor((T.int64(2), n), dtype=\"float32\")")
                                        << "Tensor([2, n], float32)" << true;
  QTest::newRow("tuple") << QByteArray("R.Tensor(T.Tuple(T.int64(2), n + 1), dtype=\"float32\")")
                         << "Tensor([2, n + 1], float32)" << true;
  QTest::newRow("device") << QByteArray("R.Tensor((1, 5), dtype=\"float32\", vdevice=\"opencl:-1:global\")")
                          << "Tensor([1, 5], float32)" << true;
  QTest::newRow("rank only") << QByteArray("R.Tensor(dtype=\"float16\", ndim=2)") << "Tensor([?, ?], float16)" << true;
  QTest::newRow("type only") << QByteArray("R.Tensor(dtype=\"float16\")") << "Tensor(?, float16)" << false;
  QTest::newRow("shape only") << QByteArray("R.Tensor((2, 3))") << "Tensor([2, 3], ?)" << false;
  QTest::newRow("shape value") << QByteArray("R.Shape([total_seq_len])") << "R.Shape([total_seq_len])" << true;
  QTest::newRow("shape of one number") << QByteArray("R.Shape([n * 2, 3])") << "R.Shape([n * 2, 3])" << true;
  QTest::newRow("shape left open") << QByteArray("R.Shape([n") << "R.Shape([n" << false;
  QTest::newRow("rank of a shape") << QByteArray("R.Shape(ndim=2)") << "R.Shape(ndim=2)" << false;
  QTest::newRow("number") << QByteArray("T.int64") << "T.int64" << true;
  QTest::newRow("primitive value") << QByteArray("R.Prim(\"float32\")") << "R.Prim(\"float32\")" << true;
  QTest::newRow("tuple of tensors") << QByteArray(
                                           "R.Tuple(R.Tensor((2, 3), dtype=\"int8\"), R.Shape([n]), R.Tuple(T.int64))")
                                    << "R.Tuple(R.Tensor((2, 3), dtype=\"int8\"), R.Shape([n]), R.Tuple(T.int64))"
                                    << true;
  QTest::newRow("tuple of v0.27")
      << QByteArray(
             "T.Tuple(R.Tensor((T.int64(8), T.int64(3)), dtype=\"float32\"), R.Tensor((T.int64(3),), dtype=\"int8\"))")
      << "T.Tuple(R.Tensor((T.int64(8), T.int64(3)), dtype=\"float32\"), R.Tensor((T.int64(3),), dtype=\"int8\"))"
      << true;
  QTest::newRow("empty tuple") << QByteArray("R.Tuple()") << "R.Tuple()" << true;
  QTest::newRow("object") << QByteArray("R.Object") << "R.Object" << false;
  QTest::newRow("tuple of values") << QByteArray("R.Tuple(R.Object, R.Tensor((2,), dtype=\"int8\"))")
                                   << "R.Tuple(R.Object, R.Tensor((2,), dtype=\"int8\"))" << false;
  QTest::newRow("nothing") << QByteArray("") << "?" << false;
  QTest::newRow("left open") << QByteArray("R.Tensor((2, 3, dtype=\"float32\"") << "R.Tensor((2, 3, dtype=\"float32\""
                             << false;
  QTest::newRow("closed twice") << QByteArray("R.Tensor((2)), dtype=\"float32\")")
                                << "R.Tensor((2)), dtype=\"float32\")" << false;
  QTest::newRow("hundred thousand dimensions")
      << "R.Tensor((" + QByteArray("8, ").repeated(100'000) + "8), dtype=\"float32\")" << "Tensor(?, float32)" << false;
  QTest::newRow("huge rank") << QByteArray("R.Tensor(dtype=\"int8\", ndim=4000000000)") << "Tensor(?, int8)" << false;
}

void TestVmSignature::annotationsAreParsed() {
  QFETCH(QByteArray, annotation);
  QFETCH(QString, expected);
  QFETCH(bool, complete);
  const host::Parameter found = xref::parameterOf("x", annotation.toStdString());
  QCOMPARE(QString::fromStdString(found.text()), expected);
  QCOMPARE(found.complete(), complete);
}

void TestVmSignature::tuplesHaveItems() {
  const host::Parameter tuple = xref::parameterOf("w", "R.Tuple(R.Tensor((2, n), dtype=\"int8\"), R.Object)");
  QCOMPARE(tuple.items.size(), std::size_t{2});
  QCOMPARE(tuple.items[0].text(), std::string("Tensor([2, n], int8)"));
  QCOMPARE(tuple.items[1].text(), std::string("R.Object"));
  host::Signature signature;
  signature.parameters = {tuple};
  signature.collectVariables();
  QCOMPARE(signature.variables, std::vector<std::string>{"n"});
  // Nesting is limited.
  QByteArray deep = "R.Object";
  for (int i = 0; i < 100; ++i) deep = "R.Tuple(" + deep + ")";
  QVERIFY(!xref::parameterOf("x", deep.toStdString()).complete());
}

void TestVmSignature::checksCompleteTheSignature() {
  modules::Caller caller;
  caller.name = "main";
  caller.parameters = {parameter("x", ""), parameter("y", "R.Tensor((n,), dtype=\"int8\")"), parameter("w", ""),
                       parameter("z", "")};
  caller.parameters[0].rank = 3;
  caller.parameters[0].dtype = "float16";
  caller.parameters[0].shape = {"1", "s0", ""};
  caller.parameters[2].rank = 2;
  const host::Signature found = xref::signatureOf(caller);
  QCOMPARE(QString::fromStdString(found.text()),
           QStringLiteral("main(x: Tensor([1, s0, ?], float16), y: Tensor([n], int8), w: Tensor([?, ?], ?), z: ?)"));
  QVERIFY(found.source == host::Signature::Source::Bytecode);
  QVERIFY(!found.complete());
  QCOMPARE(found.variables, (std::vector<std::string>{"s0", "n"}));
  caller.parameters = {parameter("x", "")};
  QVERIFY2(xref::signatureOf(caller).source == host::Signature::Source::None, "neither checks nor texts");
  caller.parameters.clear();
  QCOMPARE(QString::fromStdString(xref::signatureOf(caller).text()), QStringLiteral("main()"));
}

void TestVmSignature::graphArgumentsBecomeASignature() {
  const modules::GraphArguments stored{"f", {{"data", "float32", std::vector<int64_t>{1, 4}}, {"out", "int8", {}}}};
  const host::Signature found = xref::signatureOf(stored);
  QCOMPARE(QString::fromStdString(found.text()),
           QStringLiteral("f(data: Tensor([1, 4], float32), out: Tensor(?, int8))"));
  QVERIFY(found.source == host::Signature::Source::Graph);
}

BLOBSCOPE_TEST(TestVmSignature);
#include "test_vm_signature.moc"
