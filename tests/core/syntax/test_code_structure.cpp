#include "core/syntax/code_structure.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QElapsedTimer>

using namespace blobscope;
using namespace blobscope::syntax;
using namespace blobscope::test;

namespace {

std::shared_ptr<const CodeStructure> structureOf(std::string_view languageName, std::string_view text) {
  NullMonitor monitor;
  auto structure = computeStructure(bytes(text), language(languageName), monitor);
  return structure ? *structure : nullptr;
}

/// "kernel add 1-4; label $L 2; jump 3>2; fold 1-4", each kind in its order.
QString described(std::string_view languageName, std::string_view text) {
  const auto structure = structureOf(languageName, text);
  if (!structure) return QStringLiteral("error");
  QStringList out;
  for (const CodeFunction& one : structure->functions)
    out << QStringLiteral("%1 %2 %3-%4")
               .arg(!one.defined ? QStringLiteral("declared")
                    : one.kernel ? QStringLiteral("kernel")
                                 : QStringLiteral("function"),
                    QString::fromStdString(one.name))
               .arg(one.line)
               .arg(one.lastLine);
  for (const CodeLabel& one : structure->labels)
    out << QStringLiteral("label %1 %2").arg(QString::fromStdString(one.name)).arg(one.line);
  for (const CodeJump& one : structure->jumps) out << QStringLiteral("jump %1>%2").arg(one.from).arg(one.to);
  for (const CodeFold& one : structure->folds) out << QStringLiteral("fold %1-%2").arg(one.first).arg(one.last);
  return out.join(QStringLiteral("; "));
}

} // namespace

class TestCodeStructure : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void structuresAreRead_data();
  void structuresAreRead();
  void definitionsAreFound();
  void addressesAndNumbersAreDefinitions();
  void lanesDoNotMeet();
  void jumpsBetweenLinesAreFound();
  void namesAreFound_data();
  void namesAreFound();
  void registersHaveOneName();
  void workCanBeCancelled();
  void everyTruncationIsRead();
  void timeIsLinear();
};

void TestCodeStructure::structuresAreRead_data() {
  QTest::addColumn<QString>("languageName");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* languageName, const char* text, const char* expected) {
    QTest::newRow(name) << languageName << text << expected;
  };
  row("ptx", "ptx",
      ".version 9.0\n.visible .entry add(\n\t.param .u64 p\n)\n{\n\t@%p1 bra $L__BB0_2;\n\tmov.u32 %r1, 0;\n"
      "$L__BB0_2:\n\tbra.uni $L__BB0_2;\n\tret;\n}\n",
      "kernel add 1-10; label $L__BB0_2 7; jump 5>7; jump 8>7; fold 1-10");
  row("ptx declaration", "ptx", ".extern .func (.param .b32 r) vprintf\n(\n.param .b64 a\n)\n;\n.func f()\n{\nret;\n}",
      "declared vprintf 0-4; function f 5-8; fold 5-8");
  row("ptx labels of two functions", "ptx", ".entry a()\n{\nL:\nbra L;\n}\n.entry b()\n{\nbra L;\nL:\n}\n",
      "kernel a 0-4; kernel b 5-9; label L 2; label L 8; jump 3>2; jump 7>8; fold 0-4; fold 5-9");
  row("ptx block", "ptx", ".entry a()\n{\n{\n.reg .b32 t;\n}\n}\n", "kernel a 0-5; fold 0-5; fold 2-4");
  row("ptx comment", "ptx", "// .entry no() {\n.entry a() { // }\nret;\n}", "kernel a 1-3; fold 1-3");
  row("c", "c",
      "#include <a.h>\n#define X { \\\n {\nstatic int t[] = {\n1 };\nint f(int a)\n{\n  if (a) {\n    g();\n  }\n"
      "}\nint g(void);\n",
      "function f 5-10; fold 3-4; fold 5-10; fold 7-9");
  row("c initialiser", "c", "struct S { int a; };\nint x = f(1);\nT t = { g() };\nvoid (*p)(int);", "");
  row("cuda", "cuda",
      "extern \"C\" {\nextern \"C\" __global__ void k(float* a);\nextern \"C\" __global__ void __launch_bounds__(4) "
      "k(float* a) {\n  a[0] = f();\n}\n}\nnamespace n { __device__ int f() {\nreturn 1; }\n}\nstruct __align__(8) H "
      "{\n int a() { return 1; }\n};",
      "kernel k 2-4; function f 6-7; fold 0-5; fold 2-4; fold 6-8; fold 9-11");
  row("opencl", "opencl",
      "// Function: k\n__kernel void __attribute__((a(1, 1))) k(__global float* p) {\n  p[0] = 1;\n}\n",
      "kernel k 1-3; fold 1-3");
  row("metal", "metal", "kernel void k(device half* a [[ buffer(0) ]],\n  uint2 b [[threads]]\n) {\n  f();\n}",
      "kernel k 0-4; fold 0-4");
  row("wgsl", "wgsl",
      "struct P {\n  a : u32\n}\n@compute @workgroup_size(64, 1, 1)\nfn main(\n  @builtin(id) i : vec3<u32>\n) {\n  "
      "f();\n}\nfn g(a : f32) -> f32 {\n  return a;\n}",
      "kernel main 3-8; function g 9-11; fold 0-2; fold 3-8; fold 9-11");
  row("json", "json", "{\n\"a\": [\n1, \"}\"\n],\n\"b\": {}\n}", "fold 0-5; fold 1-3");
  row("relay", "relay", "def @main(%x: T) -> T {\n  %0\n}", "function main 0-2; fold 0-2");
  row("unbalanced braces", "c", "}\n}\nvoid f() {\n{\n", "function f 2-3; fold 2-3");
  row("asm", "asm",
      "f:\n1000  74 02        je 0x1004                   ; <f+0x4>\n1002  eb fc        jmp 0x1000\n1004  e8 00 "
      "00    call 0x1000\n1007  eb 10        jmp 0x2000\n",
      "function f 0-4; jump 1>3; jump 2>1; fold 0-4");
  row("asm aarch64", "asm",
      "f:\n1000  00 00 00 54  b.eq 0x1008\n1004  00 00 00 b4  cbz x0, 0x1000\n1008  00 00 00 94  bl 0x1000\n100c  00 "
      "00 00 14  b 0x100c\n",
      "function f 0-4; jump 1>3; jump 2>1; jump 4>4; fold 0-4");
  row("sass", "sass",
      "\t.section\t.text.k,\"ax\",@progbits\n\t.type\tk,@function\n\t.other\tk,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n"
      "k:\n.text.k:\n  /*0000*/  @!P0 BRA `(.L_x_0) ;\n  /*0010*/  BSSY B0, `(.L_x_0) ;\n.L_x_0:\n  /*0020*/  BRA "
      "`(.L_x_0);\n\t.section\t.nv.info\n",
      "kernel k 3-8; label .L_x_0 7; jump 5>7; jump 8>7; fold 3-8");
  row("relax", "vm",
      "@main(%0 x), 9 registers:\n     0  call  f(%0)\n     1  if    %1 else goto 3\n     2  goto  0\n     3  ret   "
      "%8\n\n@other():\n     0  goto  5\n",
      "function main 0-4; function other 6-7; jump 2>4; jump 3>1; fold 0-4; fold 6-7");
  row("relay vm", "vm", "@main($0 x), 9 registers:\n     0  If $1, $2, 1, 2\n     1  Goto 0\n     2  Ret $1\n",
      "function main 0-3; jump 1>3; jump 1>2; jump 2>1; fold 0-3");
  row("spirv", "spirv",
      "OpEntryPoint GLCompute %16 \"add_kernel\" %x\n%16 = OpFunction %void None %8\n%17 = OpLabel\n"
      "OpBranchConditional %38 %39 %40\n%39 = OpLabel\nOpBranch %40\n%40 = OpLabel\nOpReturn\nOpFunctionEnd\n",
      "kernel add_kernel 1-8; label %16 1; label %17 2; label %39 4; label %40 6; jump 3>4; jump 3>6; jump 5>6; "
      "fold 1-8");
  row("other languages", "yaml", "a: {\n}\n", "");
  row("nothing", "ptx", "", "");
}

void TestCodeStructure::structuresAreRead() {
  QFETCH(QString, languageName);
  QFETCH(QString, text);
  QFETCH(QString, expected);
  QCOMPARE(described(languageName.toStdString(), text.toStdString()), expected);
  // Windows' line ends change nothing.
  text.replace(QLatin1Char('\n'), QStringLiteral("\r\n"));
  if (languageName != QLatin1String("c")) QCOMPARE(described(languageName.toStdString(), text.toStdString()), expected);
}

void TestCodeStructure::definitionsAreFound() {
  const auto structure =
      structureOf("ptx", ".func f();\n.func f()\n{\nL:\nbra L;\n}\n.entry b()\n{\nbra L;\nL:\ncall f;\n}\n");
  QVERIFY(structure);
  const auto line = [&](std::string_view name, uint64_t from) {
    const auto found = structure->findDefinition(name, from);
    return found ? static_cast<int>(*found) : -1;
  };
  QCOMPARE(line("L", 4), 3);
  QCOMPARE(line("L", 8), 9);
  QCOMPARE(line("f", 10), 1); // the one with a body
  QCOMPARE(line("b", 0), 6);
  QCOMPARE(line("c", 8), -1);
  QCOMPARE(line("", 8), -1);
  QCOMPARE(QString::fromStdString(structure->functionAt(8)->name), QStringLiteral("b"));
  QVERIFY(!structure->functionAt(100));
}

void TestCodeStructure::addressesAndNumbersAreDefinitions() {
  const auto code = structureOf("asm", "f:\n1000  74 02  je 0x1004\n1004  c3  ret\n");
  QVERIFY(code);
  QCOMPARE(code->findDefinition("0x1004", 1), std::optional<uint64_t>(2));
  QCOMPARE(code->findDefinition("0x1005", 1), std::nullopt);
  const auto listing = structureOf("vm", "@m(), 1 registers:\n     0  goto  2\n     1  call  f(2)\n     2  ret   %0\n");
  QVERIFY(listing);
  QCOMPARE(listing->findDefinition("2", 1), std::optional<uint64_t>(3));
  QCOMPARE(listing->findDefinition("2", 2), std::nullopt); // a number, not a target
}

void TestCodeStructure::lanesDoNotMeet() {
  std::string text = ".entry k()\n{\n";
  for (int i = 0; i < 20; ++i) text += "A" + std::to_string(i) + ":\n";
  for (int i = 0; i < 20; ++i) text += "bra A" + std::to_string(i) + ";\n";
  const auto structure = structureOf("ptx", text + "}\n");
  QVERIFY(structure);
  QCOMPARE(structure->jumps.size(), std::size_t{20});
  int placed = 0;
  for (std::size_t i = 0; i < structure->jumps.size(); ++i) {
    const CodeJump& a = structure->jumps[i];
    placed += a.lane < CodeJump::kLanes;
    for (std::size_t j = 0; j < i; ++j) {
      const CodeJump& b = structure->jumps[j];
      if (a.lane == CodeJump::kLanes || a.lane != b.lane) continue;
      QVERIFY(std::max(a.from, a.to) < std::min(b.from, b.to) || std::max(b.from, b.to) < std::min(a.from, a.to));
    }
  }
  QCOMPARE(placed, int{CodeJump::kLanes}); // all of them overlap
}

void TestCodeStructure::jumpsBetweenLinesAreFound() {
  const auto structure = structureOf("ptx", ".entry k()\n{\nA:\nbra B;\nnop;\nnop;\nB:\nbra A;\n}\n");
  QVERIFY(structure);
  QCOMPARE(structure->jumpsBetween(4, 5, 10).size(), std::size_t{2}); // both pass these lines
  QCOMPARE(structure->jumpsBetween(2, 2, 10).size(), std::size_t{1});
  QCOMPARE(structure->jumpsBetween(8, 9, 10).size(), std::size_t{0});
  QCOMPARE(structure->jumpsBetween(4, 5, 1).size(), std::size_t{1});
}

void TestCodeStructure::namesAreFound_data() {
  QTest::addColumn<QString>("languageName");
  QTest::addColumn<QString>("line"); ///< "|" stands before the byte
  QTest::addColumn<QString>("name");
  const auto row = [](const char* languageName, const char* line, const char* name) {
    QTest::addRow("%s %s", languageName, line) << languageName << line << name;
  };
  row("ptx", "add.s32 %r|1, %r2;", "%r1");
  row("ptx", "add.s32 |%r1, %r2;", "%r1");
  row("ptx", "add.s|32 %r1", "s32");
  row("ptx", "bra $L__|BB0_2;", "$L__BB0_2");
  row("ptx", "mov %r1, |12;", "");
  row("sass", "BRA `(.L|_x_0)", ".L_x_0");
  row("sass", "FADD R|2.reuse, R4", "R2");
  row("sass", "FADD R2.re|use, R4", "reuse");
  row("vm", "call  vm.builtin|.alloc(%0)", "vm.builtin.alloc");
  row("vm", "call  f(%|0)", "%0");
  row("vm", "goto  |12", "12");
  row("asm", "je |0x1004  ; <f>", "0x1004");
  row("asm", "mov ra|x, 0x1", "rax");
  row("asm", "|1004  c3 ret", "");
  row("opencl", "a[i|dx] = 1.0f;", "idx");
  row("opencl", "a % |b", "b");
  row("spirv", "%4|0 = OpLabel", "%40");
  row("c", "f(| x)", "");
}

void TestCodeStructure::namesAreFound() {
  QFETCH(QString, languageName);
  QFETCH(QString, line);
  QFETCH(QString, name);
  const qsizetype at = line.indexOf(QLatin1Char('|'));
  const std::string text = line.remove(at, 1).toStdString();
  const Extent found = nameAt(language(languageName.toStdString()), text, static_cast<uint64_t>(at));
  QCOMPARE(QString::fromStdString(text.substr(found.offset, found.size)), name);
}

void TestCodeStructure::registersHaveOneName() {
  const Language& code = language("asm");
  for (const auto& [part, whole] : {std::pair{"eax", "rax"},
                                    {"al", "rax"},
                                    {"dil", "rdi"},
                                    {"r9d", "r9"},
                                    {"r15", "r15"},
                                    {"w3", "x3"},
                                    {"x3", "x3"},
                                    {"ymm12", "xmm12"},
                                    {"zmm1", "xmm1"},
                                    {"add", "add"},
                                    {"w99", "w99"},
                                    {"sp", "sp"}})
    QCOMPARE(std::string(wholeRegister(code, part)), std::string(whole));
  QCOMPARE(std::string(wholeRegister(language("c"), "eax")), std::string("eax"));
}

void TestCodeStructure::workCanBeCancelled() {
  StopAfter monitor(0);
  const auto structure = computeStructure(bytes(".entry k() {}"), language("ptx"), monitor);
  QVERIFY(!structure);
  QCOMPARE(structure.error().code(), ErrorCode::Cancelled);
}

void TestCodeStructure::everyTruncationIsRead() {
  const std::pair<const char*, const char*> texts[] = {
      {"ptx", ".func (.param .b32 r) f(.param .b32 a)\n{\n$L:\n@%p bra $L;\n}\n"},
      {"sass", ".other k,@\"STO_CUDA_ENTRY\"\nk:\n @P0 BRA `(.L_0) ;\n.L_0:\n"},
      {"vm", "@m(%0), 1 registers:\n 0 If $1, $2, 1, 2\n 1 goto 0\n"},
      {"spirv", "OpEntryPoint GLCompute %1 \"k\" %2\n%1 = OpFunction %v None %8\n%2 = OpLabel\nOpBranch %2\n"},
      {"asm", "f:\n1000  74 02  je 0x1004\n1004  c3  ret\n"},
      {"cuda", "extern \"C\" __global__ void [[a(1)]] k(int (*p)[3]) {\n{ } }\n"}};
  for (const auto& [name, text] : texts)
    for (std::size_t size = 0; size <= std::strlen(text); ++size) {
      const auto structure = structureOf(name, std::string_view(text, size));
      QVERIFY(structure);
      for (const CodeFunction& one : structure->functions) QVERIFY(one.line <= one.lastLine);
      for (const CodeFold& one : structure->folds) QVERIFY(one.first < one.last);
    }
}

void TestCodeStructure::timeIsLinear() {
  // Many labels, jumps and open braces: twice the text takes about twice the time.
  const auto text = [](int count) {
    std::string out = ".entry k()\n{\n";
    for (int i = 0; i < count; ++i) out += "$L" + std::to_string(i) + ":\n{\nbra $L" + std::to_string(i / 2) + ";\n";
    return out;
  };
  const auto timeOf = [](const std::string& source) {
    QElapsedTimer clock;
    clock.start();
    const auto structure = structureOf("ptx", source);
    return structure ? clock.nsecsElapsed() : 0;
  };
  timeOf(text(20'000));
  const qint64 one = timeOf(text(50'000)), four = timeOf(text(200'000));
  QVERIFY2(four < 12 * one, qPrintable(QStringLiteral("%1 and %2 ns").arg(one).arg(four)));
}

BLOBSCOPE_TEST(TestCodeStructure);

#include "test_code_structure.moc"
