#include "core/mlf/c_source.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QStringList>
#include <QTest>

#include <algorithm>

using namespace blobscope;
using namespace blobscope::test;

namespace {

mlf::CSource scanned(std::string_view text, bool cPlusPlus = false) {
  NullMonitor monitor;
  return mlf::scanC(text, cPlusPlus, monitor);
}

template <class List> QStringList names(const List& list) {
  QStringList out;
  for (const auto& item : list) out += QString::fromUtf8(item.name.data(), static_cast<qsizetype>(item.name.size()));
  return out;
}
template <class List> QStringList texts(const List& list) {
  QStringList out;
  for (const auto& item : list) out += QString::fromUtf8(item.text.data(), static_cast<qsizetype>(item.text.size()));
  return out;
}
QStringList defined(std::string_view text, bool cPlusPlus = false) {
  return names(scanned(text, cPlusPlus).definitions);
}
QStringList declared(std::string_view text) { return names(scanned(text).declarations); }

} // namespace

class TestMlfCSource : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void functionDefinitionsAreFound();
  void functionDeclarationsAreFound();
  void conditionalCodeIsEvaluated();
  void externCFunctionsAreFoundInCPlusPlus();
  void macrosHaveValues();
  void functionsDefinedByMacrosAreFound();
  void includesAndTargetsAreFound();
  void structFieldsAreFound();
  void functionRegistryIsRead();
  void workspaceSizesAreRead();
  void linkedParametersAreFound();
  void linesAreCounted();
  void everyTruncationIsSafe();
  void everyChangedByteIsSafeUnderSanitizers();
  void skippedTextDoesNotHideTheNextFunction();
  void hostileTextTakesLinearTime();
};

void TestMlfCSource::functionDefinitionsAreFound() {
  QCOMPARE(defined(mlfKernel("tvmgen_default_fused_add")), QStringList("tvmgen_default_fused_add"));
  QCOMPARE(
      defined(
          "TVM_DLL int32_t f(void* a,\n  int32_t b)\n{ if (b) { g(); } return 0; }\nint h(void) { return f(0, 1); }"),
      QStringList({"f", "h"}));
  QCOMPARE(defined("__attribute__((section(\".text\"), used))\nint f(struct S* s) {}"), QStringList("f"));
  QCOMPARE(defined("struct S* f(struct S* s) { return s; }"), QStringList("f"));
  QCOMPARE(defined("struct S f(int a) __attribute__((noinline)) { }"), QStringList("f"));
  QCOMPARE(defined("static int f(void) {} inline int g(void) {} static inline int h(void) {} TVM_DLL int k(void) {}"),
           QStringList("k"));
  QCOMPARE(defined("// int f() {}\n/* int g() {} */\nchar* s = \"int h() {\"; char c = '{'; int k() { char* t = \"}\"; "
                   "/* } */ }\nint l() {}"),
           QStringList({"k", "l"}));
  QCOMPARE(defined("const TVMModule* TVMSystemLibEntryPoint(void) {\n    return &_tvm_system_lib;\n}\n;"),
           QStringList("TVMSystemLibEntryPoint"));
  QCOMPARE(defined("int a = f(1); int b[] = {1, 2}; int c = (int){3}; enum E { one, two }; union U { int a; };"),
           QStringList());
  QCOMPARE(defined("static struct w { int a[2]; } w = { .a = {1, 2} };// tail\nint f(int x) {}"), QStringList("f"));
  QCOMPARE(defined("typedef int (*fn)(int); typedef struct { int a; } T; int f(fn g) {}"), QStringList("f"));
}

void TestMlfCSource::functionDeclarationsAreFound() {
  QCOMPARE(declared("int32_t tvmgen_default_run(\n  struct tvmgen_default_inputs* inputs,\n  struct "
                    "tvmgen_default_outputs* outputs\n);"),
           QStringList("tvmgen_default_run"));
  QCOMPARE(declared("int f(void); struct S g(struct P* p); int* h(int); static int i(void); int j(void) { return k(1); "
                    "} NAME(x); int v; int w = f();"),
           QStringList({"f", "g", "h"}));
  QCOMPARE(declared("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n"),
           QStringList("f"));
}

void TestMlfCSource::conditionalCodeIsEvaluated() {
  const std::string text =
      "#if 0\nint a() {}\n#else\nint b() {}\n#endif\n#ifdef __cplusplus\nint c() {}\n#else\nint d() {}\n#endif\n"
      "#ifndef __cplusplus\nint e() {}\n#endif\n#ifdef OTHER\nint f() {}\n#else\nint g() {}\n#endif\n"
      "#if defined(__cplusplus)\nint h() {}\n#endif\n# if 1 // sure\nint i() {}\n# endif\nint j() "
      "{}\n#endif\n#else\n#elif X\n";
  QCOMPARE(defined(text), QStringList({"b", "d", "e", "f", "g", "i", "j"}));
  QCOMPARE(defined(text, true), QStringList({"b", "c", "f", "g", "h", "i", "j"}));
  QCOMPARE(defined("#if 0\n#ifdef A\nint a() {}\n#else\nint b() {}\n#endif\nint c() {}\n#endif\nint d() {}"),
           QStringList("d"));
}

void TestMlfCSource::externCFunctionsAreFoundInCPlusPlus() {
  const mlf::CSource source = scanned("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a() {}\n}\nint b() {}\nextern "
                                      "\"C\" int c() {}\nnamespace n { int d() {} }\n"
                                      "class K { int e() {} }; void K::f() {}\nauto r = R\"x(int g() {)x\"; int big = "
                                      "1'000; extern \"C\" TVM_DLL int32_t h(int) {}",
                                      true);
  QCOMPARE(names(source.definitions), QStringList({"a", "b", "c", "d", "h"}));
  QStringList c;
  for (const mlf::CFunction& function : source.definitions)
    if (function.cLinkage) c += QString::fromStdString(std::string(function.name));
  QCOMPARE(c, QStringList({"a", "c", "h"}));
}

void TestMlfCSource::macrosHaveValues() {
  const mlf::CSource source =
      scanned("#define A 16\n#define B -1582571184 // note\n#define C (0x10UL)\n#  define D \\\n  7\n#define "
              "E\n#define F x + 1 /* no */\n#define G ( - 3 )\n#define H 08x\n");
  QStringList found;
  for (const mlf::CMacro& macro : source.macros)
    found += QString::fromStdString(std::string(macro.name) + "=" + std::string(macro.value) + "=" +
                                    macro.number().value_or("none"));
  QCOMPARE(found, QStringList({"A=16=16", "B=-1582571184=-1582571184", "C=(0x10UL)=16", "D=\\\n  7=none", "E==none",
                               "F=x + 1=none", "G=( - 3 )=-3", "H=08x=none"}));
}

/// As written by the ccompiler of BYOC: core/formats/model-library-format.md 15.
void TestMlfCSource::functionsDefinedByMacrosAreFound() {
  const std::string text = "    #define CSOURCE_BINARY_OP_1D(p_ID_, p_OP_, p_DIM1_, p_DTYPE)       \\\n      void "
                           "p_ID_(p_DTYPE* a, p_DTYPE* b, p_DTYPE* out) {    \\\n"
                           "        for (int64_t i = 0; i < p_DIM1_; ++i) { out[i] = a[i] p_OP_ b[i]; }  \\\n      }\n"
                           "CSOURCE_BINARY_OP_1D(sub_0_0, +, 4, float);\nvoid sub_0_(float* a) { sub_0_0(a, a, a); }\n";
  QCOMPARE(defined(text), QStringList({"sub_0_0", "sub_0_"}));
  QCOMPARE(declared(text), QStringList());
}

void TestMlfCSource::includesAndTargetsAreFound() {
  const mlf::CSource source =
      scanned("// tvm target: c -keys=cpu \n#define TVM_EXPORTS\n#include \"tvm/runtime/c_runtime_api.h\"\n# include "
              "<math.h> // sure\n#if 0\n#include <no.h>\n#endif\n"
              "/* // tvm target: no */ char* s = \"// tvm target: no\";\n// tvm target: llvm\r\n");
  QCOMPARE(texts(source.includes), QStringList({"tvm/runtime/c_runtime_api.h", "math.h"}));
  QCOMPARE(texts(source.targets), QStringList({"c -keys=cpu ", "llvm"}));
}

void TestMlfCSource::structFieldsAreFound() {
  const mlf::CSource source =
      scanned("struct tvmgen_m_inputs {\n  void* a;\n  void* b_1; // the second\n};\nstruct tvmgen_m_outputs { "
              "};\nstruct p { float x[4] __attribute__((aligned(16))); struct { int z; } y; int w : 3; };");
  QCOMPARE(names(source.structs), QStringList({"tvmgen_m_inputs", "tvmgen_m_outputs", "p"}));
  QCOMPARE(source.findStruct("tvmgen_m_inputs")->fields, (std::vector<std::string_view>{"a", "b_1"}));
  QVERIFY(source.findStruct("tvmgen_m_outputs")->fields.empty());
  QCOMPARE(source.findStruct("p")->fields, (std::vector<std::string_view>{"x", "y", "w"}));
  QVERIFY(!source.findStruct("q"));
}

void TestMlfCSource::functionRegistryIsRead() {
  for (const unsigned version : {5U, 7U}) {
    const std::string text = mlfRegistry(version, {"fused_a", "fused_b"});
    const mlf::CSource source = scanned(text);
    QVERIFY(source.registry);
    QCOMPARE(source.registry->text,
             std::string(version == 5 ? "\2" : "\2\0", version == 5 ? 1 : 2) + std::string("fused_a\0fused_b\0", 16));
    QCOMPARE(texts(source.registry->functions), QStringList({"fused_a", "fused_b"}));
    QCOMPARE(source.registry->line, uint64_t{8});
  }
  const mlf::CSource split = scanned("static const TVMFuncRegistry _tvm_func_registry = { \"\\x01\" \"f\\000\" "
                                     "\"\\n\\\"\\1018\", _tvm_func_array, };");
  QCOMPARE(split.registry->text, std::string("\1f\0\n\"A8", 7));
  QVERIFY(!scanned("int f() { _tvm_func_registry = 1; }").registry);
}

void TestMlfCSource::workspaceSizesAreRead() {
  const mlf::CSource source = scanned(
      "__attribute__((section(\".bss.noinit.tvm\"), aligned(16)))\nstatic uint8_t global_workspace[6128];\nuint8_t "
      "other_workspace[4];\nstatic uint8_t table[9];\nstatic uint8_t x_workspace[N];");
  QCOMPARE(names(source.workspaces), QStringList("global_workspace"));
  QCOMPARE(source.workspaces[0].size, uint64_t{6128});
  QCOMPARE(source.workspaces[0].line, uint64_t{2});
}

void TestMlfCSource::linkedParametersAreFound() {
  const mlf::CSource source =
      scanned("#ifdef __cplusplus\nextern \"C\" {\n#endif\nstatic const float __attribute__((section(\".rodata.tvm\"), "
              "aligned(16))) __tvm_param__p1[16] = {\n 0x1p+0, -0x1p+1};\n");
  QCOMPARE(source.linkedParameters, (std::vector<std::string_view>{"p1"}));
}

void TestMlfCSource::linesAreCounted() {
  const mlf::CSource source =
      scanned("/* one\n two */\n#define A \\\n  1\nchar* s = \"a\\\nb\";\nint\nf(void) { }\n#include <x.h>\n");
  QCOMPARE(source.macros[0].line, uint64_t{3});
  QCOMPARE(source.definitions[0].line, uint64_t{8});
  QCOMPARE(source.includes[0].line, uint64_t{9});
}

void TestMlfCSource::everyTruncationIsSafe() {
  const std::string text =
      mlfRegistry(7, {"a", "b"}) + mlfKernel("k") +
      "#define M(f) int f() { return 1; }\nM(g);\nauto r = R\"x(a)x\";\nstruct s { int a; };\n/* end */";
  for (std::size_t size = 0; size <= text.size(); ++size)
    for (const bool plus : {false, true})
      QVERIFY(scanned(std::string(text.substr(0, size)), plus).definitions.size() <= 4);
}

void TestMlfCSource::everyChangedByteIsSafeUnderSanitizers() {
  const std::string text =
      mlfRegistry(7, {"a"}) + "#ifdef A\n#define M(f) int f() {}\nM(g);\n#endif\nstruct s { int a; };";
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char value : {'{', '}', '"', '\'', '(', ')', '#', '\\', '\n', '\0', '\xff', '/', '*', ';'}) {
      std::string bad = text;
      bad[i] = value;
      scanned(bad);
      scanned(bad, true);
    }
}

/// Each piece is one long item that must cost no more than its length. Bodies are skipped in C and read word by word in
/// C++; without C++ keywords both find the same.
void TestMlfCSource::skippedTextDoesNotHideTheNextFunction() {
  const std::vector<std::string> pieces = {"{",
                                           "}",
                                           "\"",
                                           "\\",
                                           "'",
                                           "/*",
                                           "*/",
                                           "//",
                                           "\n",
                                           "\n#if 0\n",
                                           "\n \t# else\n",
                                           "\n/**/#endif\n",
                                           "a #if 0\n",
                                           " int f(void) ",
                                           ";",
                                           " = ",
                                           " struct s ",
                                           " static ",
                                           "/",
                                           " uint8_t workspace[12];",
                                           "\n#define M 1\n",
                                           "x, y, z"};
  uint64_t state = 1;
  const auto next = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  for (int round = 0; round < 4000; ++round) {
    std::string text = "int first(void) {";
    for (uint64_t i = next() % 60; i > 0; --i) text += pieces[next() % pieces.size()];
    const mlf::CSource passed = scanned(text), read = scanned(text, true);
    const auto words = [](const auto& list) {
      std::string out;
      for (const auto& one : list) out += std::string(one.name) + ":" + std::to_string(one.line) + " ";
      return out;
    };
    QVERIFY2(words(passed.definitions) == words(read.definitions), text.c_str());
    QVERIFY2(words(passed.declarations) == words(read.declarations), text.c_str());
    QVERIFY2(words(passed.workspaces) == words(read.workspaces), text.c_str());
    QVERIFY2(words(passed.macros) == words(read.macros), text.c_str());
    QVERIFY2(words(passed.structs) == words(read.structs), text.c_str());
  }
  // A table of 3 MiB, longer than one skipped range, in which lines are still counted.
  std::string table = "int a[] = {";
  while (table.size() < (3u << 20)) table += "+0x00000046, -0x000000d5,\n";
  const auto lines = static_cast<uint64_t>(std::count(table.begin(), table.end(), '\n'));
  table += "};\nint last(void) {}";
  const mlf::CSource source = scanned(table);
  QCOMPARE(source.definitions.size(), std::size_t(1));
  QCOMPARE(source.definitions[0].line, lines + 2);
}

void TestMlfCSource::hostileTextTakesLinearTime() {
  const std::size_t size = 2'000'000;
  for (const char* piece : {"{",
                            "}",
                            "(",
                            "[",
                            "\"",
                            "'",
                            "#",
                            "/*",
                            "//",
                            "\\\n",
                            "a ",
                            "a(",
                            "#if 0\n",
                            "#endif\n",
                            "#define a(b) b() {}\na(c);\n",
                            "extern \"C\" {",
                            "namespace n {",
                            "struct s {",
                            "R\"(",
                            "= {",
                            "int a;"}) {
    std::string text;
    while (text.size() < size) text += piece;
    scanned(text);
    scanned(text, true);
  }
  StopAfter monitor(0);
  QVERIFY(mlf::scanC("int f() {}", false, monitor).definitions.empty());
}

BLOBSCOPE_TEST(TestMlfCSource);
#include "test_c_source.moc"
