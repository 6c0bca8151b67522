#include "core/syntax/lexer.h"

#include "tests/support/test_main.h"

#include <random>

using namespace blobscope::syntax;
using namespace std::string_literals;

namespace {

/// "Keyword(.reg) Type(.pred)": the tokens of the line.
std::string cut(std::string_view languageName, std::string_view line, LineState before = LineState::Code,
                LineState* after = nullptr) {
  constexpr std::array kNames = {"Plain", "Keyword", "Type", "Number", "String", "Comment", "Register", "Label"};
  std::vector<Token> tokens;
  const LineState state = lexLine(language(languageName), line, before, tokens);
  if (after) *after = state;
  std::string out;
  for (const Token& token : tokens)
    out += (out.empty() ? ""s : " "s) + kNames[static_cast<std::size_t>(token.kind)] + "(" +
           std::string(line.substr(token.begin, token.size)) + ")";
  return out;
}

} // namespace

class TestLexer : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void linesAreCutIntoTokens_data();
  void linesAreCutIntoTokens();
  void stateContinuesOnTheNextLine_data();
  void stateContinuesOnTheNextLine();
  void longLinesAreLexedUpToTheLimit();
  void tokensStayWithinRandomLines_data();
  void tokensStayWithinRandomLines();
  void unknownLanguagesHaveNoTokens();
};

void TestLexer::linesAreCutIntoTokens_data() {
  QTest::addColumn<QString>("language");
  QTest::addColumn<QString>("line");
  QTest::addColumn<QString>("tokens");
  const auto row = [](const char* name, const char* languageName, const char* line, const char* tokens) {
    QTest::newRow(name) << languageName << line << tokens;
  };
  row("ptx comment", "ptx", "\t// .globl\tmean_kernel", "Comment(// .globl\tmean_kernel)");
  row("ptx version", "ptx", ".version 9.0", "Keyword(.version) Number(9.0)");
  row("ptx target", "ptx", ".target sm_90", "Keyword(.target)");
  row("ptx entry", "ptx", ".visible .entry add(", "Keyword(.visible) Keyword(.entry)");
  row("ptx parameter", "ptx", "\t.param .u64 mov,", "Keyword(.param) Type(.u64)");
  row("ptx registers", "ptx", "\t.reg .pred \t%p<32>;", "Keyword(.reg) Type(.pred) Register(%p) Number(32)");
  row("ptx shared", "ptx", ".shared .align 64 .b8 red[4];",
      "Keyword(.shared) Keyword(.align) Number(64) Type(.b8) Number(4)");
  row("ptx load", "ptx", "\tld.param.u64 \t%rd4, [k_param_1];", "Type(ld.param.u64) Register(%rd4)");
  row("ptx double colon", "ptx", "ld.global.L1::no_allocate.v4.f32 {%f1}, [%rd1+16];",
      "Type(ld.global.L1::no_allocate.v4.f32) Register(%f1) Register(%rd1) Number(16)");
  row("ptx special register", "ptx", "mov.u32 %r30, %tid.x;", "Type(mov.u32) Register(%r30) Register(%tid.x)");
  row("ptx two on a line", "ptx", "{ mov.u32 %r1, 1; add.s32 %r2, %r1, -1; }",
      "Type(mov.u32) Register(%r1) Number(1) Type(add.s32) Register(%r2) Register(%r1) Number(1)");
  row("ptx float", "ptx", "mov.f32 %f1, 0f3F800000;", "Type(mov.f32) Register(%f1) Number(0f3F800000)");
  row("ptx label", "ptx", "$L__BB0_2:", "Label($L__BB0_2)");
  row("ptx old label", "ptx", "BB0_2:", "Label(BB0_2)");
  row("ptx branch", "ptx", "@%p1 bra \t$L__BB0_2;", "Register(%p1) Type(bra) Label($L__BB0_2)");
  row("ptx branch to old label", "ptx", "@!%p1 bra.uni BB0_2;", "Register(%p1) Type(bra.uni) Label(BB0_2)");
  row("ptx opcode as a name", "ptx", "call.uni (r), add, (p);", "Type(call.uni)");
  row("ptx pragma", "ptx", ".pragma \"nounroll\";", "Keyword(.pragma) String(\"nounroll\")");
  row("ptx backslash", "ptx", "// C:\\", "Comment(// C:\\)");
  row("ptx percent", "ptx", "% %", "");

  row("opencl kernel", "opencl", "__kernel void f(__global float4* restrict a, image2d_array_t b) {",
      "Keyword(__kernel) Type(void) Keyword(__global) Type(float4) Keyword(restrict) Type(image2d_array_t)");
  row("opencl place", "opencl", "if (get_local_id(0) < 200)",
      "Keyword(if) Register(get_local_id) Number(0) Number(200)");
  row("opencl number", "opencl", "x = 0.000000e+00f + .5f + 0x1p-3;",
      "Number(0.000000e+00f) Number(.5f) Number(0x1p-3)");
  row("opencl pragma", "opencl", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable", "Keyword(#pragma)");
  row("opencl directive in mid-line", "opencl", "a # define", "");
  row("opencl comment", "opencl", "int a; /* b */ int c; // d", "Type(int) Comment(/* b */) Type(int) Comment(// d)");

  row("cuda kernel", "cuda", "extern \"C\" __global__ void __launch_bounds__(128) f(float* __restrict__ a);",
      "Keyword(extern) String(\"C\") Keyword(__global__) Type(void) Keyword(__launch_bounds__) Number(128) Type(float) "
      "Keyword(__restrict__)");
  row("cuda include", "cuda", "  #include <cuda/std/type_traits>", "Keyword(#include) String(<cuda/std/type_traits>)");
  row("cuda include in quotes", "cuda", "#include \"a.h\"", "Keyword(#include) String(\"a.h\")");
  row("cuda if", "cuda", "#if (__CUDA_ARCH__ < 700)", "Keyword(#if) Number(700)");
  row("cuda place", "cuda", "int i = ((int)blockIdx.x) * 1'000;",
      "Type(int) Type(int) Register(blockIdx) Number(1'000)");
  row("cuda string", "cuda", "asm(\"a \\\" b\\\\\"); char c = '\\'';",
      "Keyword(asm) String(\"a \\\" b\\\\\") Type(char) String('\\'')");
  row("cuda open string", "cuda", "\"abc\\", "String(\"abc\\)");
  row("cuda name with a keyword in it", "cuda", "for_ = _for + forx;", "");

  row("json", "json", "{\"name\": \"a: b\", \"n\" : -1.5e+3, \"t\":[true, null, NaN]}",
      "Keyword(\"name\") String(\"a: b\") Keyword(\"n\") Number(-1.5e+3) Keyword(\"t\") Type(true) Type(null) "
      "Type(NaN)");
  row("json escapes", "json", "[\"a\\\"b\", \"\\\\\"]", "String(\"a\\\"b\") String(\"\\\\\")");
  row("json no comment", "json", "1 // 2", "Number(1) Number(2)");
  row("empty", "cuda", "", "");
}

void TestLexer::linesAreCutIntoTokens() {
  QFETCH(QString, language);
  QFETCH(QString, line);
  QFETCH(QString, tokens);
  QCOMPARE(QString::fromStdString(cut(language.toStdString(), line.toStdString())), tokens);
}

void TestLexer::stateContinuesOnTheNextLine_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<int>("before");
  QTest::addColumn<QString>("tokens");
  QTest::addColumn<int>("after");
  constexpr int kCode = 0, kBlock = 1, kLine = 2;
  QTest::newRow("opens") << "a /* b" << kCode << "Comment(/* b)" << kBlock;
  QTest::newRow("goes on") << "int // b" << kBlock << "Comment(int // b)" << kBlock;
  QTest::newRow("empty line goes on") << "" << kBlock << "" << kBlock;
  QTest::newRow("ends") << "b */ int c" << kBlock << "Comment(b */) Type(int)" << kCode;
  QTest::newRow("ends and opens") << "*//* x" << kBlock << "Comment(*/) Comment(/* x)" << kBlock;
  QTest::newRow("slash star slash") << "/*/ a" << kCode << "Comment(/*/ a)" << kBlock;
  QTest::newRow("not in a string") << "\"/*\" + 1" << kCode << "String(\"/*\") Number(1)" << kCode;
  QTest::newRow("continued") << "// a \\" << kCode << "Comment(// a \\)" << kLine;
  QTest::newRow("continued again") << "int b \\" << kLine << "Comment(int b \\)" << kLine;
  QTest::newRow("continued to the end") << "int b" << kLine << "Comment(int b)" << kCode;
  QTest::newRow("directive after a comment") << "*/ #if" << kBlock << "Comment(*/) Keyword(#if)" << kCode;
}

void TestLexer::stateContinuesOnTheNextLine() {
  QFETCH(QString, line);
  QFETCH(int, before);
  QFETCH(QString, tokens);
  QFETCH(int, after);
  LineState state = LineState::Code;
  QCOMPARE(QString::fromStdString(cut("cuda", line.toStdString(), static_cast<LineState>(before), &state)), tokens);
  QCOMPARE(static_cast<int>(state), after);
}

void TestLexer::longLinesAreLexedUpToTheLimit() {
  std::string line;
  while (line.size() < 2 * kLexedBytes) line += "int 12 ";
  std::vector<Token> tokens;
  QCOMPARE(lexLine(language("cuda"), line, LineState::Code, tokens), LineState::Code);
  QVERIFY(!tokens.empty());
  QVERIFY(tokens.back().begin + tokens.back().size <= kLexedBytes);
  QVERIFY(tokens.back().begin + tokens.back().size + 8 > kLexedBytes);

  line = std::string(kLexedBytes - 4, ' ') + "/* open */";
  QCOMPARE(lexLine(language("cuda"), line, LineState::Code, tokens), LineState::BlockComment);
}

void TestLexer::tokensStayWithinRandomLines_data() {
  QTest::addColumn<QString>("language");
  for (const char* name : {"ptx", "opencl", "cuda", "json", ""}) QTest::newRow(name) << name;
}

void TestLexer::tokensStayWithinRandomLines() {
  QFETCH(QString, language);
  const Language& words = blobscope::syntax::language(language.toStdString());
  std::mt19937 random(7);
  constexpr std::string_view kLikely = "/*\\\"'.%$#-+eExp0 9:;{}<>aifor\x80\xff\t";
  for (int round = 0; round < 20'000; ++round) {
    std::string line(random() % 40, ' ');
    for (char& c : line) c = random() % 8 == 0 ? static_cast<char>(random()) : kLikely[random() % kLikely.size()];
    std::vector<Token> tokens = {{1, 2, TokenKind::Label}};
    lexLine(words, line, static_cast<LineState>(random() % 3), tokens);
    uint64_t end = 0;
    for (const Token& token : tokens) {
      QVERIFY2(token.begin >= end && token.size > 0, line.c_str());
      end = uint64_t{token.begin} + token.size;
    }
    QVERIFY2(end <= line.size(), line.c_str());
  }
}

void TestLexer::unknownLanguagesHaveNoTokens() {
  QCOMPARE(language("ptx").name, std::string_view("ptx"));
  QCOMPARE(language("fortran").name, std::string_view());
  QCOMPARE(cut("fortran", "int a; /* \"x\" 1"), std::string());
  LineState after = LineState::BlockComment;
  cut("", "/*", LineState::BlockComment, &after);
  QCOMPARE(after, LineState::Code);
}

BLOBSCOPE_TEST(TestLexer);

#include "test_lexer.moc"
