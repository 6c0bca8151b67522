#include "tests/core/host/host_texts.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

QString signatures(std::vector<std::string> texts, std::vector<std::string> names) {
  return QString::fromStdString(HostTexts{std::move(texts), std::move(names), host::Abi::Classic}.signatures());
}

} // namespace

/// Texts of single checks, TVM 0.13 – 0.23, and the remaining texts of older releases.
class TestHostAssertions : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void signaturesAreReadFromLlvmHostCode();
  void signaturesAreReadFromCHostCode();
  void scalarParametersAreRead();
  void parameterNamesComeFromTypeIndices();
  void argPrefixIsRemoved();
  void dottedNamesAreAssignedToTheirFunction();
  void textsOfOlderReleasesAreRead();
  void parametersWithOneNameAreSeparated();
  void duplicatesWithRanksFirstAreSeparated();
  void duplicatesStoredOnceShareTheirType();
  void duplicatesInCHostCodeAreSeparated();
  void symbolicDimensionsAreRead_data();
  void symbolicDimensionsAreRead();
  void orderOfTextsDoesNotMatter();
  void strayBytesBeforeATextAreIgnored();
  void missingTextsLeaveQuestionMarks();
  void wrongTextAffectsOnlyItself_data();
  void wrongTextAffectsOnlyItself();
  void numberOfClaimedArgumentsIsLimited();
};

void TestHostAssertions::signaturesAreReadFromLlvmHostCode() {
  QCOMPARE(signatures({countText("add", 2), kindText("add", 0, "A"), kindText("add", 1, "B"), rankText("add.A", 3),
                       typeText("add.A", "float16"), shapeText("add.A", 0, "1"), shapeText("add.A", 2, "768"),
                       stridesText("add.A", "1 == T.Cast(\"int32\", add_A_strides[2]) and (seq_len == 1 or 768 == "
                                            "T.Cast(\"int32\", add_A_strides[1]))"),
                       deviceText("add.A", 2), rankText("add.B", 1), typeText("add.B", "int32"),
                       shapeText("add.B", 0, "T.int64(4)", false), deviceText("add.B", 7)},
                      {"add"}),
           QStringLiteral("add(A: Tensor([1, seq_len, 768], float16), B: Tensor([4], int32)) @2 @7"));
}

void TestHostAssertions::signaturesAreReadFromCHostCode() {
  const std::vector<std::string> texts = {
      "mm: num_args should be 3",
      "mm: args pointer is NULL",
      "mm: Expect arg[0] to be pointer",
      "mm: Expect arg[1] to be int",
      "mm: Expect arg[2] to be pointer",
      "mm.x is expected to have non-NULL DLTensor* pointer",
      "mm.x.ndim is expected to equal 2",
      "mm.y.ndim is expected to equal 1",
      "mm.x.dtype is expected to be float32",
      "Argument mm.x.shape[0] has an unsatisfied constraint: T.int64(8) == mm_x_shape[0]",
      "Argument mm.x.shape[1] has an unsatisfied constraint: mm_x_shape[1] == T.int64(2)",
      "mm.x.strides: expected to be compact array",
      "Argument mm.x.byte_offset has an unsatisfied constraint: T.uint64(0) == T.tvm_struct_get(x, 0, 8, \"uint64\")",
      "Argument mm.x.device_type has an unsatisfied constraint: 2 == T.tvm_struct_get(x, 0, 10, \"int32\")",
      "mm.y.dtype is expected to be int64",
      "Argument mm.y.shape[0] has an unsatisfied constraint: T.int64(2) * T.int64(3) == mm_y_shape[0]"};
  QCOMPARE(signatures(texts, {"mm"}),
           QStringLiteral("mm(x: Tensor([8, 2], float32), int, y: Tensor([2 * 3], int64)) @2"));
}

void TestHostAssertions::scalarParametersAreRead() {
  QCOMPARE(signatures({countText("f", 4), kindText("f", 0, "n", "int"), kindText("f", 1, "a", "float"),
                       kindText("f", 2, "t", "boolean"), kindText("f", 3, "p"),
                       "Assert fail: m == n, Argument f.n has an unsatisfied constraint: m == n"},
                      {"f"}),
           QStringLiteral("f(n: int, a: float, t: bool, p: handle)"));
}

void TestHostAssertions::parameterNamesComeFromTypeIndices() {
  QCOMPARE(signatures({countText("f", 1),
                       assertText("x_type_index == 0 or x_type_index == 7", "f: Expect arg[0] to be pointer"),
                       rankText("f.x", 0), typeText("f.x", "float32")},
                      {"f"}),
           QStringLiteral("f(x: Tensor([], float32))"));
}

void TestHostAssertions::argPrefixIsRemoved() {
  QCOMPARE(signatures({countText("f", 1), kindText("f", 0, "arg_A_handle"), rankText("f.arg.A_handle", 1),
                       typeText("f.arg.A_handle", "int8"), shapeText("f.arg.A_handle", 0, "5")},
                      {"f"}),
           QStringLiteral("f(A_handle: Tensor([5], int8))"));
}

void TestHostAssertions::dottedNamesAreAssignedToTheirFunction() {
  QCOMPARE(signatures({countText("a", 1), countText("a.b", 1), kindText("a", 0, "b_c"), kindText("a.b", 0, "c"),
                       rankText("a.b.c", 1), typeText("a.b.c", "int8"), shapeText("a.b.c", 0, "5")},
                      {"a", "a.b"}),
           QStringLiteral("a(b_c: handle)\na.b(c: Tensor([5], int8))"));
}

void TestHostAssertions::textsOfOlderReleasesAreRead() {
  QCOMPARE(signatures({"Assert fail: (num_args == 2), f: num_args should be 2",
                       "Assert fail: ((((arg.p0.code == 3) || (arg.p0.code == 13)) || (arg.p0.code == 7)) || "
                       "(arg.p0.code == 4)), f: Expect arg[0] to be pointer",
                       "Assert fail: ((((arg.q.code == 3) || (arg.q.code == 13)) || (arg.q.code == 7)) || (arg.q.code "
                       "== 4)), f: Expect arg[1] to be pointer",
                       "Assert fail: (5 == tir.tvm_struct_get(arg.p0, 0, 4)), arg.p0.ndim is expected to equal 5",
                       "Assert fail: (1 == int32(arg.p0.shape[0])), Argument arg.p0.shape[0] has an unsatisfied "
                       "constraint: (1 == int32(arg.p0.shape[0]))"},
                      {"f"}),
           QStringLiteral("f(p0: Tensor(?, ?), q: handle) ?"));
  // The last of these releases write conditions like later ones.
  QCOMPARE(signatures({countText("f", 1), kindText("f", 0, "arg_p0"), rankText("arg.p0", 5)}, {"f"}),
           QStringLiteral("f(p0: Tensor(?, ?)) ?"));
}

void TestHostAssertions::parametersWithOneNameAreSeparated() {
  QCOMPARE(signatures({countText("s", 3), kindText("s", 0, "A"), kindText("s", 1, "o"), kindText("s", 2, "o"),
                       rankText("s.A", 1), typeText("s.A", "int8"), shapeText("s.A", 0, "6"), rankText("s.o", 1),
                       typeText("s.o", "int8"), shapeText("s.o", 0, "2"), shapeText("s.o", 0, "4")},
                      {"s"}),
           QStringLiteral("s(A: Tensor([6], int8), o: Tensor([2], int8), o: Tensor([4], int8))"));
  // Another rank also starts another block.
  QCOMPARE(signatures({countText("s", 2), kindText("s", 0, "o"), kindText("s", 1, "o"), rankText("s.o", 1),
                       typeText("s.o", "int8"), shapeText("s.o", 0, "2"), rankText("s.o", 2), typeText("s.o", "int16"),
                       shapeText("s.o", 0, "4"), shapeText("s.o", 1, "5")},
                      {"s"}),
           QStringLiteral("s(o: Tensor([2], int8), o: Tensor([4, 5], int16))"));
}

void TestHostAssertions::duplicatesWithRanksFirstAreSeparated() {
  QCOMPARE(signatures({countText("s", 2), kindText("s", 0, "o"), kindText("s", 1, "o"), rankText("s.o", 1),
                       rankText("s.o", 2), typeText("s.o", "int8"), shapeText("s.o", 0, "2"), typeText("s.o", "int16"),
                       shapeText("s.o", 0, "4"), shapeText("s.o", 1, "5")},
                      {"s"}),
           QStringLiteral("s(o: Tensor([2], int8), o: Tensor([4, 5], int16))"));
}

void TestHostAssertions::duplicatesStoredOnceShareTheirType() {
  QCOMPARE(signatures({countText("s", 3), kindText("s", 0, "o"), kindText("s", 1, "o"), kindText("s", 2, "o"),
                       rankText("s.o", 2), typeText("s.o", "int8"), shapeText("s.o", 0, "1"), shapeText("s.o", 1, "64"),
                       deviceText("s.o", 2)},
                      {"s"}),
           QStringLiteral("s(o: Tensor([1, 64], int8), o: Tensor([1, 64], int8), o: Tensor([1, 64], int8)) @2 @2 @2"));
}

void TestHostAssertions::duplicatesInCHostCodeAreSeparated() {
  QCOMPARE(signatures({"s: num_args should be 3", "s: Expect arg[0] to be pointer", "s: Expect arg[1] to be pointer",
                       "s: Expect arg[2] to be pointer", "s.A.ndim is expected to equal 1",
                       "s.A.dtype is expected to be int8",
                       "Argument s.A.shape[0] has an unsatisfied constraint: 6 == s_A_shape[0]",
                       "s.o.ndim is expected to equal 1", "s.o.dtype is expected to be int8",
                       "Argument s.o.shape[0] has an unsatisfied constraint: 2 == s_o_shape[0]",
                       "Argument s.o.shape[0] has an unsatisfied constraint: 4 == s_o_shape[0]"},
                      {"s"}),
           QStringLiteral("s(A: Tensor([6], int8), o: Tensor([2], int8), o: Tensor([4], int8))"));
}

void TestHostAssertions::symbolicDimensionsAreRead_data() {
  QTest::addColumn<QStringList>("texts");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const std::vector<std::string>& more, const char* expected) {
    QStringList texts = {QString::fromStdString(countText("f", 2)), QString::fromStdString(kindText("f", 0, "A")),
                         QString::fromStdString(kindText("f", 1, "B"))};
    for (const std::string& text : {typeText("f.A", "int8"), typeText("f.B", "int8")})
      texts << QString::fromStdString(text);
    for (const std::string& text : more) texts << QString::fromStdString(text);
    QTest::newRow(name) << texts << expected;
  };
  row("strides name an expression",
      {rankText("f.A", 2),
       stridesText("f.A", "(T.shift_right(v + 31, 5) == 1 or 1 == f_A_strides[1]) and (n == 1 or T.shift_right(v + 31, "
                          "5) == f_A_strides[0])"),
       rankText("f.B", 0)},
      "f(A: Tensor([n, T.shift_right(v + 31, 5)], int8), B: Tensor([], int8))");
  row("first term",
      {rankText("f.A", 1), stridesText("f.A", "n == 1 or 1 == T.Cast(\"int32\", f_A_strides[0])"), rankText("f.B", 0)},
      "f(A: Tensor([n], int8), B: Tensor([], int8))");
  row("product",
      {rankText("f.A", 2), shapeText("f.A", 1, "4"),
       assertText("n * 4 == 0 or not T.isnullptr(A)", "f.A is expected to have non-NULL data pointer"),
       rankText("f.B", 0)},
      "f(A: Tensor([n, 4], int8), B: Tensor([], int8))");
  row("what is left",
      {rankText("f.A", 2), shapeText("f.A", 1, "4"), rankText("f.B", 2), shapeText("f.B", 0, "n * T.int64(2)"),
       shapeText("f.B", 1, "2")},
      "f(A: Tensor([n, 4], int8), B: Tensor([n * 2, 2], int8))");
  row("two places in front", {rankText("f.A", 2), rankText("f.B", 1), shapeText("f.B", 0, "n")},
      "f(A: Tensor([?, ?], int8), B: Tensor([n], int8))");
  row("one place before the use, one after", {rankText("f.A", 1), rankText("f.B", 2), shapeText("f.B", 0, "n")},
      "f(A: Tensor([n], int8), B: Tensor([n, ?], int8))");
  row("nothing uses it", {rankText("f.A", 1), rankText("f.B", 1), shapeText("f.B", 0, "7")},
      "f(A: Tensor([?], int8), B: Tensor([7], int8))");
}

void TestHostAssertions::symbolicDimensionsAreRead() {
  QFETCH(QStringList, texts);
  QFETCH(QString, expected);
  std::vector<std::string> list;
  for (const QString& text : texts) list.push_back(text.toStdString());
  QCOMPARE(signatures(list, {"f"}), expected);
}

void TestHostAssertions::orderOfTextsDoesNotMatter() {
  // Linkers that merge strings may sort them; only duplicates depend on the order.
  std::vector<std::string> texts = {countText("f", 1),       kindText("f", 0, "A"),    rankText("f.A", 2),
                                    typeText("f.A", "int8"), shapeText("f.A", 0, "2"), shapeText("f.A", 1, "3")};
  std::sort(texts.begin(), texts.end());
  do QCOMPARE(signatures(texts, {"f"}), QStringLiteral("f(A: Tensor([2, 3], int8))"));
  while (std::next_permutation(texts.begin(), texts.end()));
}

void TestHostAssertions::strayBytesBeforeATextAreIgnored() {
  QCOMPARE(signatures({"?" + countText("f", 1), "ab" + kindText("f", 0, "A"), rankText("f.A", 0)}, {"f"}),
           QStringLiteral("f(A: Tensor([], ?)) ?"));
  QCOMPARE(signatures({"?f: num_args should be 1", "xf: Expect arg[0] to be pointer",
                       "zf.A.ndim is expected to equal 0", "f.A.dtype is expected to be int8"},
                      {"f"}),
           QStringLiteral("f(A: Tensor([], int8))"));
}

void TestHostAssertions::missingTextsLeaveQuestionMarks() {
  QCOMPARE(signatures({countText("f", 2), kindText("f", 0, "A"), rankText("f.A", 1)}, {"f", "g"}),
           QStringLiteral("f(A: Tensor([?], ?), ?) ?\ng(?) ?"));
  QCOMPARE(signatures({}, {"f"}), QStringLiteral("f(?) ?"));
  QCOMPARE(signatures({countText("private", 0)}, {}), QStringLiteral("private()"));
}

void TestHostAssertions::wrongTextAffectsOnlyItself_data() {
  QTest::addColumn<QByteArray>("text");
  const auto row = [](const char* name, const std::string& text) {
    QTest::newRow(name) << QByteArray::fromStdString(text);
  };
  row("huge count", "f: num_args should be 4000000000");
  row("count that is not a number", "f: num_args should be many");
  row("count that does not fit", "f: num_args should be 99999999999999999999");
  row("huge index", "f: Expect arg[4294967295] to be pointer");
  row("index left open", "f: Expect arg[0");
  row("huge rank", "f.A.ndim is expected to equal 4000000000");
  row("negative rank", "f.A.ndim is expected to equal -1");
  row("huge dimension", "Argument f.A.shape[4000000000] has an unsatisfied constraint: 1 == f_A_shape[4000000000]");
  row("negative size", "Argument f.A.shape[0] has an unsatisfied constraint: -5 == f_A_shape[0]");
  row("no sides", "Argument f.A.shape[0] has an unsatisfied constraint: 5");
  row("brackets", "Argument f.A.shape[0] has an unsatisfied constraint: ((((5 == f_A_shape[0]");
  row("only words", " has an unsatisfied constraint");
  row("no name", ": num_args should be 1");
  row("only dots", std::string(3'000, '.') + ".ndim is expected to equal 1");
  row("dots", "f" + std::string(3'000, '.') + "A.ndim is expected to equal 1");
  row("device that is not a number", "Argument f.A.device_type has an unsatisfied constraint: x == y");
  row(
      "hundred thousand strides", "Assert fail: " + [] {
        std::string text;
        for (int i = 0; i < 100'000; ++i) text += "(n == 1 or 1 == s[" + std::to_string(i) + "]) and ";
        return text;
      }() + ", f.A.strides: expected to be compact array");
}

void TestHostAssertions::wrongTextAffectsOnlyItself() {
  QFETCH(QByteArray, text);
  // Whatever the other texts of a function say, a wrong text affects only itself.
  const QString found = signatures(
      {countText("f", 1), kindText("f", 0, "A"), rankText("f.A", 1), typeText("f.A", "int8"), text.toStdString()},
      {"f"});
  QVERIFY2(found == QStringLiteral("f(A: Tensor([?], int8))") || found == QStringLiteral("f(A: Tensor([-5], int8))"),
           qPrintable(found));
  QVERIFY(!signatures({text.toStdString()}, {"f"}).isEmpty());
}

/// Many functions that claim many arguments in a few bytes each: claims that cannot all be true are omitted.
void TestHostAssertions::numberOfClaimedArgumentsIsLimited() {
  std::string data;
  for (int i = 0; i < 2'000; ++i) data += countText("f" + std::to_string(i), 4'096) + '\0';
  container::Image image;
  image.file = bytes(data);
  NullMonitor monitor;
  const auto found = host::computeSignatures(image, {}, monitor);
  QVERIFY(found);
  std::size_t parameters = 0;
  for (const host::Signature& signature : *found) parameters += signature.parameters.size();
  QVERIFY(parameters > 0 && parameters <= 1'000'000);
}

BLOBSCOPE_TEST(TestHostAssertions);
#include "test_assertions.moc"
