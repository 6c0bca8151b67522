#include "core/compile/log.h"
#include "core/describe/compiled.h"
#include "tests/support/test_main.h"

using namespace blobscope;

/// Lines of real compilers: ptxas and nvcc of CUDA 13.0, PoCL 3.1, clang 14.
class TestLog : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void messagesAreFound_data() {
    QTest::addColumn<QByteArray>("log");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, const char* log, const char* expected) {
      QTest::newRow(name) << QByteArray(log) << QByteArray(expected);
    };
    row("ptxas", "ptxas k.ptx, line 28; error   : Unknown symbol '%rzz'\n", "28: error: Unknown symbol '%rzz'\n");
    row("ptxas, the end", "ptxas k.ptx, line 2; error   : A\nptxas fatal   : Ptx assembly aborted due to errors\n",
        "2: error: A\n");
    row("ptxas, no line", "ptxas fatal   : Value 'sm_1' is not defined for option 'gpu-name'\n",
        "error: Value 'sm_1' is not defined for option 'gpu-name'\n");
    row("ptxas, resources", "ptxas info    : Used 12 registers\nptxas warning : Stack size is not known\n",
        "warning: Stack size is not known\n");
    row("nvcc",
        "k.cu(3): error: identifier \"b\" is undefined\n    if (i < n) a[i] = b[i] + 1;\n                      ^\n\n"
        "k.cu(4): warning #177-D: variable \"unused\" was declared but never referenced\n    int unused = 3;\n"
        "        ^\n\nRemark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
        "1 error detected in the compilation of \"k.cu\".\n",
        "3:21: error: identifier \"b\" is undefined\n"
        "4:7: warning: variable \"unused\" was declared but never referenced\n");
    row("nvcc, no header", "k.cu(1): catastrophic error: cannot open source file \"a.h\"\n",
        "1: error: cannot open source file \"a.h\"\n");
    row("clang",
        "/tmp/x/k.cl:3:5: error: use of undeclared identifier 'n'\n  n = 1;\n  ^\n/tmp/x/k.cl:4:1: note: here\n",
        "3:5: error: use of undeclared identifier 'n'\n4:1: note: here\n");
    row("clang, no column", "k.cl:3: warning: w\n", "3: warning: w\n");
    row("PoCL", "error: /tmp/a:b.cl:27:32: use of undeclared identifier 'x'; did you mean 'y'?\n",
        "27:32: error: use of undeclared identifier 'x'; did you mean 'y'?\n");
    // As their sources write it; neither was there to be run.
    row("Tint", "k.wgsl:3:5 error: unresolved value 'n'\n  n = 1;\n  ^\n", "3:5: error: unresolved value 'n'\n");
    row("naga",
        "error: no definition in scope for identifier: `n`\n  \u250c\u2500 k.wgsl:3:5\n  \u2502\n3 \u2502   n = 1;\n",
        "3:5: error: no definition in scope for identifier: `n`\n");
    row("naga, no place", "error: e\nother\n  \u250c\u2500 k.wgsl:3:5\n", "");
    row("naga, no column", "error: e\n  \u250c\u2500 k.wgsl:3\n", "");
    row("carriage returns", "k.cl:3:5: error: e\r\n", "3:5: error: e\n");
    row("control characters", "k.cl:3:5: error: a\x1b[31mb\n", "3:5: error: a\\x1b[31mb\n");
    row("other texts", "hello\nk.cu(x): error: y\nptxas k.ptx, line 0; error : y\nerror\n:1:\n", "");
    row("empty", "", "");
  }
  void messagesAreFound() {
    QFETCH(QByteArray, log);
    QFETCH(QByteArray, expected);
    std::string text;
    for (const compile::Message& message : compile::parseLog({log.data(), static_cast<std::size_t>(log.size())}))
      text += describe::messageText(message) + "\n";
    QCOMPARE(QByteArray::fromStdString(text), expected);
  }

  void numberOfMessagesIsLimited() {
    std::string log;
    for (int i = 0; i < 5'000; ++i) log += "k.cl:3:5: error: e\n";
    QCOMPARE(compile::parseLog(log).size(), std::size_t{1'000});
    // Every prefix of a line is read without a crash.
    const std::string line = "ptxas k.ptx, line 28; error   : Unknown\nk.cu(3): error: x\n  ^\nerror: k.cl:1:2: z\n";
    for (std::size_t i = 0; i <= line.size(); ++i) QVERIFY(compile::parseLog(line.substr(0, i)).size() <= 3);
  }
};

BLOBSCOPE_TEST(TestLog);
#include "test_log.moc"
