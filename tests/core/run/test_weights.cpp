#include "core/run/weights.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

constexpr protocol::DataType kWeightType{2, 32, 1};

host::Parameter tensor(std::string name, std::vector<std::string> shape) {
  host::Parameter out;
  out.name = std::move(name);
  out.kind = host::Parameter::Kind::Tensor;
  out.dtype = "float32";
  out.rankKnown = true;
  for (const std::string& extent : shape) out.shape.push_back(host::dimensionOf(extent));
  return out;
}

/// f(x: Tensor([n, 2]), weights: Tuple(Tensor([2]), Tensor([k])))
host::Signature signature() {
  host::Parameter tuple;
  tuple.name = "weights";
  tuple.kind = host::Parameter::Kind::Tuple;
  tuple.items = {tensor("", {"2"}), tensor("", {"k"})};
  host::Signature out;
  out.function = "f";
  out.parameters = {tensor("x", {"n", "2"}), std::move(tuple)};
  return out;
}

program::Parameters::Item item(std::string name, std::vector<int64_t> shape, char content) {
  std::size_t count = 4;
  for (const int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return {std::move(name), kWeightType, std::move(shape), Bytes::copyOf(std::string(count, content))};
}

/// "weights.0=aaaa…" as "weights.0=a", with the values of dimensions; or the message.
QString placed(std::vector<program::Parameters::Item> items, run::RunOptions options = {}) {
  const auto done = run::placeWeights(signature(), {std::move(items)}, options);
  if (!done) return QString::fromStdString(done.error().message());
  QStringList out;
  for (const auto& [name, content] : options.contents)
    out += QString("%1=%2").arg(QString::fromStdString(name), QChar(char(content.span().front())));
  for (const auto& [name, value] : options.variables)
    out += QString("%1=%2").arg(QString::fromStdString(name)).arg(value);
  return out.join(' ');
}

} // namespace

class TestWeights : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void tensorsGoToTheirParameters() {
    QCOMPARE(placed({item("b", {2}, 'b'), item("a", {3}, 'a')}), QString("weights.0=b weights.1=a k=3"));
    QCOMPARE(placed({item("param_1", {3}, 'b'), item("param_0", {2}, 'a')}), QString("weights.0=a weights.1=b k=3"));
    QCOMPARE(placed({item("x", {5, 2}, 'x')}), QString("x=x n=5"));
    QCOMPARE(placed({item("x", {5, 2}, 'x'), item("p", {2}, 'p'), item("q", {1}, 'q')}),
             QString("weights.0=p weights.1=q x=x k=1 n=5"));
  }

  void givenInputsStay() {
    run::RunOptions options;
    options.inputs["weights.0"] = "ones";
    QCOMPARE(placed({item("p", {2}, 'p'), item("q", {1}, 'q')}, options), QString("weights.1=q k=1"));
  }

  void whatDoesNotFitIsRefused() {
    QCOMPARE(
        placed({item("p", {3}, 'p'), item("q", {1}, 'q')}),
        QString("invalid input 'weights.0': 'p' in the file of parameters is Tensor([3], float32), but it should be "
                "Tensor([2], float32)"));
    QCOMPARE(
        placed({item("p", {2}, 'p')}),
        QString(
            "invalid input 'p': the file of parameters has 1 tensor without a parameter of that name, and 'f' takes "
            "no tuple of that many tensors"));
  }
};

BLOBSCOPE_TEST(TestWeights);
#include "test_weights.moc"
