#include "core/host/signature.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using host::Dimension;
using host::Parameter;
using host::Signature;
using Kind = Parameter::Kind;

namespace {

Parameter parameter(Kind kind, std::string dtype, std::string name = "") {
  Parameter out;
  out.kind = kind;
  out.dtype = std::move(dtype);
  out.name = std::move(name);
  return out;
}

Parameter tensor(std::vector<std::string> shape, std::string dtype, std::string name = "") {
  Parameter out = parameter(Kind::Tensor, std::move(dtype), std::move(name));
  out.rankKnown = true;
  for (const std::string& text : shape) out.shape.push_back(host::dimensionOf(text));
  return out;
}

Parameter tensorOfUnknownRank(std::string dtype) { return parameter(Kind::Tensor, std::move(dtype)); }

Signature signatureOf(std::vector<Parameter> parameters, Signature::Source source = Signature::Source::Literal) {
  Signature out;
  out.function = "f";
  out.source = source;
  out.parameters = std::move(parameters);
  return out;
}

std::string joined(const auto& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + std::string(word);
  return out;
}

} // namespace

class TestSignature : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void dimensionsKeepTheirText_data();
  void dimensionsKeepTheirText();
  void variablesOfAnExpressionAreFound_data();
  void variablesOfAnExpressionAreFound();
  void parametersAreWritten_data();
  void parametersAreWritten();
  void signaturesAreWritten_data();
  void signaturesAreWritten();
  void completeSignaturesAreRecognised_data();
  void completeSignaturesAreRecognised();
  void unnamedDimensionsAreRecognised_data();
  void unnamedDimensionsAreRecognised();
  void variablesAreCollectedOnceInOrder();
  void deviceTypesHaveNames_data();
  void deviceTypesHaveNames();
  void sourcesHaveNames();
};

void TestSignature::dimensionsKeepTheirText_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("kept");
  QTest::addColumn<std::optional<uint64_t>>("value");
  QTest::addColumn<bool>("variable");
  const auto row = [](const char* name, std::string text, std::string kept, std::optional<uint64_t> value,
                      bool variable) {
    QTest::newRow(name) << std::move(text) << std::move(kept) << value << variable;
  };
  row("nothing", "", "", std::nullopt, false);
  row("spaces only", " \n\t ", "", std::nullopt, false);
  row("zero", "0", "0", 0, false);
  row("a name", "n", "n", std::nullopt, true);
  row("a name with digits and underscores", "_seq_len_2", "_seq_len_2", std::nullopt, true);
  row("a name that begins with a digit", "2n", "2n", std::nullopt, false);
  row("an expression in brackets keeps them", "(n + 7) // 8", "(n + 7) // 8", std::nullopt, false);
  row("a wrapped sum inside of an expression gets brackets", "T.Cast(\"int64\", n + 1) * 2", "(n + 1) * 2",
      std::nullopt, false);
  row("a wrapped sum alone needs none", "T.Cast(\"int64\", n + 1)", "n + 1", std::nullopt, false);
  row("a wrapped name inside of an expression", "T.int64(2) * n", "2 * n", std::nullopt, false);
  row("unsigned wrappers", "T.uint32(3)", "3", 3, false);
  row("an unknown wrapper stays", "T.int8(3)", "T.int8(3)", std::nullopt, false);
  row("an empty wrapper", "T.int64()", "", std::nullopt, false);
  row("a cast that ends early", "T.Cast(\"int32\", )", "", std::nullopt, false);
  row("exactly as long as is kept", std::string(1'024, 'n'), std::string(1'024, 'n'), std::nullopt, true);
  row("one byte more", std::string(1'025, 'n'), "", std::nullopt, false);
}

void TestSignature::dimensionsKeepTheirText() {
  QFETCH(std::string, text);
  QFETCH(std::string, kept);
  QFETCH(std::optional<uint64_t>, value);
  QFETCH(bool, variable);
  const Dimension read = host::dimensionOf(text);
  QCOMPARE(read.text, kept);
  QCOMPARE(read.value ? std::optional(static_cast<uint64_t>(*read.value)) : std::nullopt, value);
  QCOMPARE(read.isVariable(), variable);
}

void TestSignature::variablesOfAnExpressionAreFound_data() {
  QTest::addColumn<std::string>("expression");
  QTest::addColumn<std::string>("names");
  const auto row = [](const char* name, std::string expression, std::string names) {
    QTest::newRow(name) << std::move(expression) << std::move(names);
  };
  row("nothing", "", "");
  row("a number", "128", "");
  row("in order of appearance, each once", "m * n + m", "m n");
  row("not the function that is called", "T.shift_right(n + 31, 5) * m", "n m");
  row("not a plain function either", "max(n, m)", "n m");
  row("not a member", "a.b + c", "c");
  row("not words of the language", "n if n > 0 and not m or k else 1", "n m k");
  row("not what is in quotes", "T.Cast(\"int32\", n) + 'm'", "n");
  row("quotes that do not end take the rest", "n + \"m + k", "n");
  row("not a number with letters", "0x10 + 2n + n", "n");
}

void TestSignature::variablesOfAnExpressionAreFound() {
  QFETCH(std::string, expression);
  QFETCH(std::string, names);
  QCOMPARE(joined(host::variablesIn(expression)), names);
}

void TestSignature::parametersAreWritten_data() {
  QTest::addColumn<Parameter>("parameter");
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, Parameter parameter, std::string text) {
    QTest::newRow(name) << std::move(parameter) << std::move(text);
  };
  row("tensor", tensor({"n", "128"}, "float32"), "Tensor([n, 128], float32)");
  row("tensor without dimensions", tensor({}, "int8"), "Tensor([], int8)");
  row("tensor with a dimension that nothing names", tensor({"", "4"}, "int8"), "Tensor([?, 4], int8)");
  row("tensor of unknown rank", tensorOfUnknownRank("int8"), "Tensor(?, int8)");
  row("tensor of unknown type", tensor({"4"}, ""), "Tensor([4], ?)");
  row("integer", parameter(Kind::Integer, "int64"), "int64");
  row("integer of unknown type", parameter(Kind::Integer, ""), "int");
  row("float", parameter(Kind::Float, "float16"), "float16");
  row("float of unknown type", parameter(Kind::Float, ""), "float");
  row("boolean", parameter(Kind::Boolean, "bool"), "bool");
  row("pointer", parameter(Kind::Pointer, ""), "handle");
  row("pointer to something", parameter(Kind::Pointer, "float32"), "handle(float32)");
  row("unknown", parameter(Kind::Unknown, ""), "?");
  row("unknown with a type", parameter(Kind::Unknown, "custom"), "custom");
}

void TestSignature::parametersAreWritten() {
  QFETCH(Parameter, parameter);
  QFETCH(std::string, text);
  QCOMPARE(parameter.text(), text);
}

void TestSignature::signaturesAreWritten_data() {
  QTest::addColumn<Signature>("signature");
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, Signature signature, std::string text) {
    QTest::newRow(name) << std::move(signature) << std::move(text);
  };
  row("names and types", signatureOf({tensor({"n"}, "float32", "A"), parameter(Kind::Float, "float32", "scale")}),
      "f(A: Tensor([n], float32), scale: float32)");
  row("without names", signatureOf({parameter(Kind::Integer, "int32"), parameter(Kind::Unknown, "")}), "f(int32, ?)");
  row("without parameters", signatureOf({}), "f()");
  row("without a source", signatureOf({}, Signature::Source::None), "f(?)");
}

void TestSignature::signaturesAreWritten() {
  QFETCH(Signature, signature);
  QFETCH(std::string, text);
  QCOMPARE(signature.text(), text);
}

void TestSignature::completeSignaturesAreRecognised_data() {
  QTest::addColumn<Signature>("signature");
  QTest::addColumn<bool>("complete");
  const auto row = [](const char* name, Signature signature, bool complete) {
    QTest::newRow(name) << std::move(signature) << complete;
  };
  row("without parameters", signatureOf({}), true);
  row("without a source", signatureOf({}, Signature::Source::None), false);
  row("tensor", signatureOf({tensor({"n"}, "int8")}), true);
  row("tensor without type", signatureOf({tensor({"n"}, "")}), false);
  row("tensor without rank", signatureOf({tensorOfUnknownRank("int8")}), false);
  row("scalar without type", signatureOf({parameter(Kind::Integer, "")}), true);
  row("one unknown among others", signatureOf({tensor({}, "int8"), parameter(Kind::Unknown, "int8")}), false);
}

void TestSignature::completeSignaturesAreRecognised() {
  QFETCH(Signature, signature);
  QFETCH(bool, complete);
  QCOMPARE(signature.complete(), complete);
}

void TestSignature::unnamedDimensionsAreRecognised_data() {
  QTest::addColumn<Signature>("signature");
  QTest::addColumn<bool>("unnamed");
  const auto row = [](const char* name, Signature signature, bool unnamed) {
    QTest::newRow(name) << std::move(signature) << unnamed;
  };
  row("numbers and names", signatureOf({tensor({"4", "n"}, "int8")}), false);
  row("no dimensions", signatureOf({tensor({}, "int8")}), false);
  row("the last of the last tensor", signatureOf({tensor({"4"}, "int8"), tensor({"n", ""}, "int8")}), true);
}

void TestSignature::unnamedDimensionsAreRecognised() {
  QFETCH(Signature, signature);
  QFETCH(bool, unnamed);
  QCOMPARE(signature.hasUnnamedDimension(), unnamed);
}

void TestSignature::variablesAreCollectedOnceInOrder() {
  Signature signature = signatureOf(
      {tensor({"m", "4", "n + m"}, "int8"), parameter(Kind::Integer, "int32", "k"), tensor({"n", "p"}, "")});
  signature.variables = {"stale"};
  signature.collectVariables();
  QCOMPARE(joined(signature.variables), std::string("m n p"));
}

void TestSignature::deviceTypesHaveNames_data() {
  QTest::addColumn<int>("type");
  QTest::addColumn<std::string>("name");
  const std::pair<int, const char*> kRows[] = {{1, "cpu"},      {2, "cuda"},     {4, "opencl"},     {7, "vulkan"},
                                               {8, "metal"},    {10, "rocm"},    {15, "webgpu"},    {16, "hexagon"},
                                               {0, "device 0"}, {5, "device 5"}, {17, "device 17"}, {-1, "device -1"}};
  for (const auto& [type, name] : kRows) QTest::newRow(name) << type << std::string(name);
}

void TestSignature::deviceTypesHaveNames() {
  QFETCH(int, type);
  QFETCH(std::string, name);
  QCOMPARE(host::deviceTypeName(type), name);
}

void TestSignature::sourcesHaveNames() {
  using Source = Signature::Source;
  const std::vector<std::string_view> expected = {"–", "text", "checks", "graph", "bytecode", "probe"};
  std::vector<std::string_view> found;
  for (const Source source :
       {Source::None, Source::Literal, Source::Assertions, Source::Graph, Source::Bytecode, Source::Probe})
    found.push_back(host::sourceName(source));
  QVERIFY(found == expected);
}

BLOBSCOPE_TEST(TestSignature);
#include "test_signature.moc"
