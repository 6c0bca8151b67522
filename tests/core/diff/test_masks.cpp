#include "core/diff/masks.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <ctime>
#include <random>

using namespace blobscope;
using namespace blobscope::diff;

namespace {

constexpr Masks kWords = Masks::all().without(Mask::Formatting);

/// The hidden kinds as "A", "S", "L", "T", "P".
QString shown(Masks masks, std::string_view line) {
  std::vector<MaskedSpan> spans;
  findMasked(masks, line, spans);
  std::string out;
  std::size_t at = 0;
  for (const MaskedSpan& span : spans) {
    out += line.substr(at, span.begin - at);
    out += '{';
    out += "ASLTP"[static_cast<int>(span.mask)];
    out += '}';
    at = span.begin + span.size;
  }
  out += line.substr(at);
  return QString::fromStdString(out);
}

} // namespace

class TestMasks : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void allMasksTogetherHideEachKind_data();
  void allMasksTogetherHideEachKind();
  void eachMaskHidesOnlyItsKind();
  void formattingIsHidden_data();
  void formattingIsHidden();
  void masksHaveNames();
  void spansStayWithinAnyLine();
  void longLinesTakeLinearTime();
};

void TestMasks::allMasksTogetherHideEachKind_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<QString>("masked");
  const auto row = [](const char* name, const char* line, const char* masked) {
    QTest::newRow(name) << line << masked;
  };
  row("nothing", "ld.global.f32 a, b;", "ld.global.f32 a, b;");
  row("empty", "", "");
  row("address", "call 0x401020 now", "call {A} now");
  row("small constants stay", "add 0x1f, 0x100, 0xffzz", "add 0x1f, 0x100, 0xffzz");
  row("float of PTX stays", "mov.f32 %f, 0f3F800000;", "mov.f32 %f, 0f3F800000;");
  row("line address", "  1a40: 48 89", "  {A}: 48 89");
  row("line address in two blanks", "0000001a  push", "{A}  push");
  row("word at the start stays", "dead beef", "dead beef");
  row("SASS", "        /*0040*/  MOV R1, c[0x0][0x28] ;", "        {A}  MOV R{S}, c[0x0][0x28] ;");
  row("comment stays", "/* add */ // x", "/* add */ // x");
  row("serial", "fused_add_12(x_3, y)", "fused_add{S}(x{S}, y)");
  row("serial inside", "conv_2_kernel_10", "conv{S}_kernel{S}");
  row("serial without an underscore", "fused_add3(lv12, T_add2_1)", "fused_add{S}(lv{S}, T_add{S}{S})");
  row("functions of C stay", "log2 exp10 atan2 native_log2 __ffs2", "log2 exp10 atan2 native_log2 __ffs2");
  row("one letter stays", "x3 p0 m16n8k16", "x3 p0 m16n8k16");
  row("numbers of types stay", "conv3x3_float16 float32x4 int8_t make_uint4",
      "conv3x3_float16 float32x4 int8_t make_uint4");
  row("number with letters stays", "pool_3x3 v_2d", "pool_3x3 v_2d");
  row("registers", "mad.lo.s32 %r12, %rd3, %tid.x, %p;", "mad.lo.s32 {S}, {S}, %tid.x, %p;");
  row("registers of SASS", "@!UP1 LDG.E R12, desc[UR6][R2.64] R2D2 RZ",
      "@!UP{S} LDG.E R{S}, desc[UR{S}][R{S}.64] R2D2 RZ");
  row("ids", "%7 = OpLoad %float %9", "{S} = OpLoad %float {S}");
  row("percent", "50% 5%d", "50% 5%d");
  row("labels", "$L__BB0_3: bra $L__BB10_2;", "{L}: bra {L};");
  row("labels of assembly", ".L12: .L_x_3 .Lfunc_end0 LBB0_1 BB3_4", "{L}: {L} {L} {L} {L}");
  row("directives stay", ".Label .LONG .loc 1 2", ".Label .LONG .loc 1 2");
  row("date", "built 2024-05-06.", "built {T}.");
  row("date and time", "2024-05-06T12:34:56.789Z 2024-05-06 12:34:56+01:00 x", "{T} {T} x");
  row("time", "at 12:34:56, 1:2:3", "at {T}, 1:2:3");
  row("date of C", "\"May  6 2024\" Mon May  6 12:34:56 2024.", "\"{T}\" {T}.");
  row("May alone stays", "May be 6", "May be 6");
  row("longer numbers stay", "12024-05-066", "12024-05-066");
  row("path", "in /home/a/x.cc: /usr/lib", "in {P}: {P}");
  row("path in quotes", "#line 1 \"/tmp/build-7/k.cu\"", "#line 1 \"{P}\"");
  row("path of Windows", "C:\\a\\b.c C:/x/y", "{P} {P}");
  row("one step stays", "/tmp a/b/c x / y / z", "/tmp a/b/c x / y / z");
  row("address of a page stays", "https://example.org/a/b", "https://example.org/a/b");
  row("path after an option", "-I=/opt/cuda/include", "-I={P}");
  row("not UTF-8", "\xff\xfe_12", "\xff\xfe{S}");
}

void TestMasks::allMasksTogetherHideEachKind() {
  QFETCH(QString, line);
  QFETCH(QString, masked);
  if (QByteArray(QTest::currentDataTag()) == "not UTF-8") {
    QCOMPARE(shown(kWords, "\xff\xfe x_12"), QString::fromUtf8("\xff\xfe x{S}"));
    return;
  }
  QCOMPARE(shown(kWords, line.toStdString()), masked);
}

/// Each mask hides only its own kind.
void TestMasks::eachMaskHidesOnlyItsKind() {
  const std::string_view line = "0x401000 a_1 .L2 12:34:56 /a/b";
  QCOMPARE(shown({}, line), QString::fromStdString(std::string(line)));
  QCOMPARE(shown(Masks().with(Mask::Addresses), line), QStringLiteral("{A} a_1 .L2 12:34:56 /a/b"));
  QCOMPARE(shown(Masks().with(Mask::Serials), line), QStringLiteral("0x401000 a{S} .L2 12:34:56 /a/b"));
  QCOMPARE(shown(Masks().with(Mask::Labels), line), QStringLiteral("0x401000 a_1 {L} 12:34:56 /a/b"));
  QCOMPARE(shown(Masks().with(Mask::Timestamps), line), QStringLiteral("0x401000 a_1 .L2 {T} /a/b"));
  QCOMPARE(shown(Masks().with(Mask::Paths), line), QStringLiteral("0x401000 a_1 .L2 12:34:56 {P}"));
  QCOMPARE(shown(kWords.without(Mask::Paths), line), QStringLiteral("{A} a{S} {L} {T} /a/b"));
  std::string masked;
  std::vector<MaskedSpan> spans;
  maskLine(kWords, "x_1", masked, spans);
  const std::string one = masked;
  maskLine(kWords, "x_22", masked, spans);
  QCOMPARE(masked, one);
  maskLine(kWords, "x", masked, spans);
  QCOMPARE(masked, one); // the first of several has no number
  maskLine(kWords, "%rd12", masked, spans);
  QVERIFY(!masked.empty());
  maskLine(kWords, "x.L22", masked, spans);
  QVERIFY(masked != one);
}

void TestMasks::formattingIsHidden_data() {
  QTest::addColumn<QString>("a");
  QTest::addColumn<QString>("b");
  QTest::addColumn<bool>("equal");
  const auto row = [](const char* name, const char* a, const char* b, bool equal) {
    QTest::newRow(name) << a << b << equal;
  };
  // OpenCL of apache-tvm 0.26.0 and of 0.27.0.post1.
  row("parentheses around &&", "  if (((a < 3) && (b < 4))) {", "  if ((a < 3) && (b < 4)) {", true);
  row("three pairs", "x = (((a)));", "x = (a);", true);
  row("blanks inside", "f( ( a+b ) )", "f(a + b)", true);
  row("the only pair stays", "x = (a + b) * c;", "x = a + b * c;", false);
  row("two groups are no double pair", "((a) && (b))", "(a) && (b)", false);
  row("indentation and blanks", "\tint  x=1;", "int x = 1;  ", true);
  row("words stay apart", "int x", "intx", false);
  row("strings stay", "f(\"a  b\")", "f(\"a b\")", false);
  row("parentheses in a string", "f(\"((a))\")", "f(\"(a)\")", false);
  row("an escaped quote", "f(\"\\\" ((\" )", "f(\"\\\" ((\")", true);
  row("parentheses without end", "((a)", "(a)", false);
  row("other names", "((a))", "(b)", false);
}

void TestMasks::formattingIsHidden() {
  QFETCH(QString, a);
  QFETCH(QString, b);
  QFETCH(bool, equal);
  const auto masked = [](const QString& line, Masks masks) {
    std::string out;
    std::vector<MaskedSpan> spans;
    maskLine(masks, line.toStdString(), out, spans);
    return QString::fromStdString(out);
  };
  QCOMPARE(masked(a, Masks().with(Mask::Formatting)) == masked(b, Masks().with(Mask::Formatting)), equal);
  // Together with the others, whose spans may be next to these or over them.
  if (equal) QCOMPARE(masked(a, Masks::all()), masked(b, Masks::all()));
  QCOMPARE(masked(QStringLiteral("at 2024-05-06 12:34:56 "), Masks::all()),
           masked(QStringLiteral("at  2025-06-07 01:02:03"), Masks::all()));
}

void TestMasks::masksHaveNames() {
  for (std::size_t i = 0; i < kMaskCount; ++i) {
    const Mask mask = static_cast<Mask>(i);
    QVERIFY(!maskName(mask).empty());
    QVERIFY(findMask(maskName(mask)) == mask);
    QVERIFY(Masks::all().has(mask));
    QVERIFY(!Masks().has(mask));
  }
  QVERIFY(!findMask("address"));
}

/// Spans are inside the line and in order, whatever the bytes are.
void TestMasks::spansStayWithinAnyLine() {
  std::mt19937 random(21);
  const std::string_view alphabet("0123456789abxLBM%_$./:-\\ T\"*=\xc3\n\0", 32);
  std::vector<MaskedSpan> spans;
  for (int i = 0; i < 20'000; ++i) {
    std::string line;
    for (std::size_t n = random() % 40; n > 0; --n) line += alphabet[random() % alphabet.size()];
    findMasked(Masks::all(), line, spans);
    std::size_t at = 0;
    for (const MaskedSpan& span : spans) {
      QVERIFY(span.size > 0 && span.begin >= at && span.begin + span.size <= line.size());
      at = span.begin + span.size;
    }
  }
}

/// Lines in which each kind begins repeatedly are read in linear time: 16 times the bytes may not take 100 times as
/// long.
void TestMasks::longLinesTakeLinearTime() {
  for (const char* part : {"/a", "0x", "%r", ".L", "_1", "/*00", "2024-", "Mon ", "12:", "/", "$L_", "/a//"}) {
    std::vector<MaskedSpan> spans;
    const auto cost = [&](int count) {
      std::string line;
      for (int i = 0; i < count; ++i) line += part;
      const std::clock_t start = std::clock(); // of this program alone, however busy the machine is
      findMasked(Masks::all(), line, spans);
      return std::clock() - start;
    };
    std::clock_t small = CLOCKS_PER_SEC, large = 1'000 * CLOCKS_PER_SEC;
    for (int i = 0; i < 5; ++i) small = std::min(small, cost(4'000));
    for (int i = 0; i < 3; ++i) large = std::min(large, cost(64'000));
    QVERIFY2(large < small * 100 + CLOCKS_PER_SEC / 50, part);
  }
}

BLOBSCOPE_TEST(TestMasks);

#include "test_masks.moc"
