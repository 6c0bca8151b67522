#include "core/host/tilelang_checks.h"

#include "tests/core/host/host_texts.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

QString tileSignatures(std::vector<std::string> texts, std::vector<std::string> names) {
  return QString::fromStdString(HostTexts{std::move(texts), std::move(names), host::Abi::Ffi2}.signatures());
}

std::string handle(const std::string& function, const std::string& name) {
  return "kernel " + function + " input " + name + " expected pointer or tensor handle";
}
std::string scalar(const std::string& function, const std::string& name, const std::string& kind) {
  return "kernel " + function + " scalar " + name + " expected " + kind;
}
std::string rank(const std::string& function, const std::string& name, int rank) {
  return "kernel " + function + " input " + name + " ndim mismatch, expected " + std::to_string(rank);
}
std::string type(const std::string& function, const std::string& name, const std::string& type) {
  return "kernel " + function + " input " + name + " dtype mismatch, expected " + type;
}
std::string device(const std::string& function, const std::string& name, const std::string& device) {
  return "kernel " + function + " input " + name + " device_type mismatch, expected " + device;
}
std::string constraint(const std::string& function, const std::string& what) {
  return "kernel " + function + " input " + what + " violates packed ABI constraint";
}

/// C source of one function with these checks in it, as TileLang writes it.
QString fromSource(const std::string& function, const std::string& body) {
  container::Image image;
  image.format = container::Format::CSource;
  image.kind = container::Kind::Text;
  image.file = bytes("// tilelang target: {\"kind\":\"c\"}\nint32_t __tvm_ffi_" + function +
                     "(void* self_handle, void* args, int32_t num_args, void* result) {\n" + body + "  return 0;\n}\n");
  host::HostSymbols symbols;
  symbols.abi = host::Abi::Ffi2;
  symbols.functions.push_back({function, 0});
  NullMonitor monitor;
  const auto found = host::computeSignatures(image, symbols, monitor);
  if (!found || found->empty()) return QStringLiteral("none");
  return QString::fromStdString(HostTexts::lineOf(found->front()));
}
std::string raise(const std::string& text) {
  return "    TVMFFIErrorSetRaisedFromCStr(\"RuntimeError\", \"" + text + "\");\n    return -1;\n  }\n";
}
std::string print(const std::string& text, const std::string& left, const std::string& right) {
  return "    snprintf(__tvm_assert_msg_buf, 512, \"%s; expected: %lld, got: %lld\", \"" + text + "\", (long long)(" +
         left + "), (long long)(" + right + "));\n    return -1;\n  }\n";
}

} // namespace

/// Texts of single checks of TileLang.
class TestTileLangChecks : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void tensorsAreRead();
  void scalarsAndPointersAreRead();
  void functionsOfOneFileAreSeparated();
  void dottedNamesAreAssignedToTheirFunction();
  void allocatorIsTheLastArgument();
  void sharedVariablesNameDimensions();
  void wrongTextAffectsOnlyItself_data();
  void wrongTextAffectsOnlyItself();
  void strayBytesBeforeATextAreIgnored();
  void functionsOfTvmAreLeftAlone();
  void extentsAreReadFromTheSource_data();
  void extentsAreReadFromTheSource();
  void variablesAreReadFromTheSource();
  void escapesInTheSourceAreResolved();
  void everyCutOfTheSourceIsSafe();
  void textOfACheckIsKnown();
  void claimsAreLimited();
};

void TestTileLangChecks::tensorsAreRead() {
  QCOMPARE(tileSignatures({"mm: num_args should be 2", "mm: args pointer is NULL", handle("mm", "A"), handle("mm", "B"),
                           "mm.A is expected to have non-NULL pointer", rank("mm", "A", 2), rank("mm", "B", 0),
                           type("mm", "A", "float16"), constraint("mm", "A shape[0]"), constraint("mm", "A strides[1]"),
                           constraint("mm", "A byte_offset"), device("mm", "A", "cuda"),
                           "kernel mm input A data pointer is NULL", type("mm", "B", "float8_e4m3fnx4"),
                           device("mm", "B", "metal")},
                          {"mm"}),
           QStringLiteral("mm(A: Tensor([?, ?], float16), B: Tensor([], float8_e4m3fnx4)) @2 @8"));
  // A type of less than 8 bits has no text.
  QCOMPARE(tileSignatures({"q: num_args should be 1", handle("q", "W"), rank("q", "W", 1),
                           constraint("q", "W is a subtype, but total bits mismatch"), device("q", "W", "cpu")},
                          {"q"}),
           QStringLiteral("q(W: Tensor([?], ?)) @1 ?"));
}

void TestTileLangChecks::scalarsAndPointersAreRead() {
  QCOMPARE(tileSignatures({"f: num_args should be 5", handle("f", "p"), scalar("f", "n", "integer"),
                           scalar("f", "alpha", "float"), handle("f", "D"), scalar("f", "flag", "boolean"),
                           rank("f", "D", 1), type("f", "D", "int8")},
                          {"f"}),
           QStringLiteral("f(p: handle, n: int, alpha: float, D: Tensor([?], int8), flag: bool)"));
  QCOMPARE(tileSignatures({"f: num_args should be 0"}, {"f"}), QStringLiteral("f()"));
  // Two parameters of one name share their texts: which one is missing is not known.
  QCOMPARE(tileSignatures({"f: num_args should be 3", handle("f", "x"), scalar("f", "n", "integer")}, {"f"}),
           QStringLiteral("f(x: handle, n: int, ?) ?"));
}

/// Texts of two functions, mixed as a linker might.
void TestTileLangChecks::functionsOfOneFileAreSeparated() {
  QCOMPARE(tileSignatures({"g: num_args should be 1", "f: num_args should be 1", handle("f", "A"), handle("g", "A"),
                           rank("g", "A", 3), rank("f", "A", 1), type("f", "A", "int32"), type("g", "A", "uint8")},
                          {"f", "g"}),
           QStringLiteral("f(A: Tensor([?], int32))\ng(A: Tensor([?, ?, ?], uint8))"));
}

void TestTileLangChecks::dottedNamesAreAssignedToTheirFunction() {
  QCOMPARE(tileSignatures({"a.b: num_args should be 1", "a: num_args should be 1", handle("a.b", "X"), handle("a", "X"),
                           rank("a", "b.X", 2), type("a", "b.X", "int8"), rank("a", "X", 1), type("a", "X", "int16")},
                          {"a.b", "a"}),
           QStringLiteral("a.b(X: Tensor([?, ?], int8))\na(X: Tensor([?], int16))"));
}

/// Functions that allocate their results take a tensor for the device; the results are not arguments.
void TestTileLangChecks::allocatorIsTheLastArgument() {
  QCOMPARE(tileSignatures({"f: num_args should be 2", handle("f", "A"), "f: allocator anchor must be a Tensor",
                           rank("f", "A", 1), rank("f", "Out", 1), type("f", "A", "int8"), type("f", "Out", "int8")},
                          {"f"}),
           QStringLiteral("f(A: Tensor([?], int8), allocator_anchor: Tensor(?, ?)) ?"));
}

void TestTileLangChecks::sharedVariablesNameDimensions() {
  const std::string among = " requires at least one non-null buffer among: ";
  const std::vector<std::string> tensors = {"f: num_args should be 3", handle("f", "A"),       handle("f", "B"),
                                            handle("f", "C"),          rank("f", "A", 2),      rank("f", "B", 1),
                                            rank("f", "C", 2),         type("f", "A", "int8"), type("f", "B", "int8"),
                                            type("f", "C", "int8")};
  auto texts = tensors;
  texts.insert(texts.end(),
               {"Symbolic shape variable m" + among + "f.A, f.C", "Symbolic shape variable n" + among + "f.A, f.B",
                constraint("f", "B shape[0]"), constraint("f", "C shape[0]"), constraint("f", "C shape[1]")});
  // Which of both dimensions of C is m is not known.
  QCOMPARE(tileSignatures(texts, {"f"}),
           QStringLiteral("f(A: Tensor([m, n], int8), B: Tensor([n], int8), C: Tensor([?, ?], int8))"));
  // With only one of the dimensions of A in the texts, it could be either.
  texts = tensors;
  texts.push_back("Symbolic shape variable m" + among + "f.A, f.C");
  QCOMPARE(tileSignatures(texts, {"f"}),
           QStringLiteral("f(A: Tensor([?, ?], int8), B: Tensor([?], int8), C: Tensor([?, ?], int8))"));
  texts = {"s: num_args should be 1",
           handle("s", "A"),
           rank("s", "A", 2),
           type("s", "A", "int8"),
           "Symbolic shape variable n" + among + "s.A, s.A",
           constraint("s", "A shape[1]")};
  QCOMPARE(tileSignatures(texts, {"s"}), QStringLiteral("s(A: Tensor([n, n], int8))"));
}

void TestTileLangChecks::wrongTextAffectsOnlyItself_data() {
  QTest::addColumn<QString>("text");
  const auto row = [](const std::string& text) { QTest::newRow(text.c_str()) << QString::fromStdString(text); };
  row("kernel f input A ndim mismatch, expected x");
  row("kernel f input A ndim mismatch, expected 65");
  row("kernel f input A ndim mismatch, expected 4294967296");
  row("kernel f input A dtype mismatch, expected ");
  row("kernel f input A dtype mismatch, expected float16; drop");
  row("kernel f input A device_type mismatch");
  row("kernel f input A device_type mismatch, expected toaster");
  row("kernel f input A shape[x] violates packed ABI constraint");
  row("kernel f input A shape[9] violates packed ABI constraint");
  row("kernel f input A shape[4294967295] violates packed ABI constraint");
  row("kernel f input  violates packed ABI constraint");
  row("kernel f input B ndim mismatch, expected 2");
  row("kernel g input A ndim mismatch, expected 2");
  row("kernel f scalar A expected something");
  row("kernel  input  expected pointer or tensor handle");
  row("Symbolic shape variable  requires at least one non-null buffer among: ");
  row("Symbolic shape variable n requires at least one non-null buffer among: f., f, g.A, , f.B");
  row("f: num_args should be -1");
}

void TestTileLangChecks::wrongTextAffectsOnlyItself() {
  QFETCH(QString, text);
  QCOMPARE(tileSignatures({"f: num_args should be 1", handle("f", "A"), text.toStdString(), rank("f", "A", 1),
                           type("f", "A", "int8"), text.toStdString()},
                          {"f"}),
           QStringLiteral("f(A: Tensor([?], int8))"));
}

void TestTileLangChecks::strayBytesBeforeATextAreIgnored() {
  QCOMPARE(tileSignatures({"@@f: num_args should be 1", "abcdefgh" + handle("f", "A"), "?" + rank("f", "A", 1),
                           "~" + type("f", "A", "int8")},
                          {"f"}),
           QStringLiteral("f(A: Tensor([?], int8))"));
}

/// A file with functions of both, and texts that only look like these.
void TestTileLangChecks::functionsOfTvmAreLeftAlone() {
  QCOMPARE(tileSignatures({countText("old", 1), kindText("old", 0, "A"), rankText("old.A", 1),
                           typeText("old.A", "int8"), "new: num_args should be 1", handle("new", "A"),
                           rank("new", "A", 1), type("new", "A", "int8"), "kernel panic input lost"},
                          {"old", "new"}),
           QStringLiteral("old(A: Tensor([?], int8))\nnew(A: Tensor([?], int8))"));
}

void TestTileLangChecks::extentsAreReadFromTheSource_data() {
  QTest::addColumn<QString>("check");
  QTest::addColumn<QString>("extent");
  const std::string text = constraint("f", "A shape[0]"), own = "((int32_t)((int64_t*)f_A_shape)[0])";
  const auto row = [](const char* name, const std::string& check, const char* extent) {
    QTest::newRow(name) << QString::fromStdString(check) << extent;
  };
  const auto equation = [&](const std::string& left, const std::string& right) {
    return "  if (!((" + left + " == " + right + "))) {\n" + print(text, left, right);
  };
  row("a number", equation(own, "256"), "256");
  row("on the left", equation("256", own), "256");
  row("64 bits", equation("(((int64_t*)f_A_shape)[0])", "((int64_t)5000000000)"), "5000000000");
  row("a variable of another tensor", equation("((int32_t)((int64_t*)f_B_shape)[0])", own), "n");
  row("another tensor without a variable", equation("((int32_t)((int64_t*)f_B_shape)[1])", own), "?");
  row("an expression", equation(own, "(n * 2)"), "n * 2");
  row("two values in a byte", equation("(" + own + " * 2)", "64"), "64");
  row("of a tensor that may be missing", "  if (!((f_A_is_null || (condval_9 == 16)))) {\n" + raise(text), "16");
  row("without an equation", "  if (!((f_A_is_null))) {\n" + raise(text), "?");
  row("an equation of something else", equation("a", "b"), "?");
  row("no condition", raise(text), "?");
  row("brackets that do not close", "  if (!(((condval == 16 {\n" + raise(text), "?");
  row("cut after the text", "  snprintf(b, 512, \"\", \"" + text + "\", (long long)(", "?");
}

void TestTileLangChecks::extentsAreReadFromTheSource() {
  QFETCH(QString, check);
  QFETCH(QString, extent);
  const std::string body = raise("f: num_args should be 2") + raise(handle("f", "A")) + raise(handle("f", "B")) +
                           raise(rank("f", "A", 1)) + raise(rank("f", "B", 2)) +
                           "  int32_t n = ((int32_t)((int64_t*)f_B_shape)[0]);\n" + raise(type("f", "A", "int8")) +
                           raise(type("f", "B", "int8")) + check.toStdString();
  QCOMPARE(fromSource("f", body), QStringLiteral("f(A: Tensor([%1], int8), B: Tensor([n, ?], int8))").arg(extent));
}

void TestTileLangChecks::variablesAreReadFromTheSource() {
  const std::string body = raise("f: num_args should be 1") + raise(handle("f", "A")) + raise(rank("f", "A", 3)) +
                           raise(type("f", "A", "int8")) +
                           "  int64_t batch = (((int64_t*)f_A_shape)[0]);\n"
                           "  int32_t condval_1;\n  if (f_A_is_null) {\n    condval_1 = 0;\n  } else {\n"
                           "    condval_1 = ((int32_t)((int64_t*)f_A_shape)[1]);\n  }\n  int32_t m = condval_1;\n"
                           "  int32_t k = (((int32_t)((int64_t*)f_A_shape)[2]) * 2);\n";
  QCOMPARE(fromSource("f", body), QStringLiteral("f(A: Tensor([batch, m, k], int8))"));
}

void TestTileLangChecks::escapesInTheSourceAreResolved() {
  const std::string body = raise("f: num_args should be 1") +
                           raise("kernel f input \\303\\244 expected pointer or tensor handle") +
                           raise("kernel f input \\xc3\\xa4 ndim mismatch, expected 0") +
                           raise("kernel f input \\303\\244 dtype mismatch, expected int8");
  QCOMPARE(fromSource("f", body), QStringLiteral("f(ä: Tensor([], int8))"));
}

void TestTileLangChecks::everyCutOfTheSourceIsSafe() {
  const std::string text = constraint("f", "A shape[0]"), own = "((int32_t)((int64_t*)f_A_shape)[0])";
  const std::string body = raise("f: num_args should be 1") + raise(handle("f", "A")) + raise(rank("f", "A", 1)) +
                           "  if (!((" + own + " == 256))) {\n" + print(text, own, "256") +
                           "  if (!((f_A_is_null || (condval_9 == 16)))) {\n" + raise(text);
  for (std::size_t size = 0; size < body.size(); ++size) QVERIFY(!fromSource("f", body.substr(0, size)).isEmpty());
}

void TestTileLangChecks::textOfACheckIsKnown() {
  host::Signature signature;
  signature.function = "a.b";
  signature.parameters.resize(1);
  signature.parameters[0].name = "X";
  QCOMPARE(host::shapeCheckText(signature, 0, 3), constraint("a", "b.X shape[3]"));
  signature.function = "mm";
  QCOMPARE(host::shapeCheckText(signature, 0, 0), constraint("mm", "X shape[0]"));
}

void TestTileLangChecks::claimsAreLimited() {
  QCOMPARE(tileSignatures({"f: num_args should be 4000000000", handle("f", "A")}, {"f"}), QStringLiteral("f(?) ?"));
  std::vector<std::string> texts = {"f: num_args should be 1"};
  for (int i = 0; i < 100; ++i) texts.push_back(handle("f", "p" + std::to_string(i)));
  QCOMPARE(tileSignatures(texts, {"f"}), QStringLiteral("f(p0: handle)"));
}

BLOBSCOPE_TEST(TestTileLangChecks);
#include "test_tilelang_checks.moc"
