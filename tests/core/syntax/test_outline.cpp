#include "core/syntax/outline.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::syntax;
using namespace blobscope::test;

namespace {

/// "kernel add 1, function f 7".
QString outline(std::string_view languageName, std::string_view text) {
  NullMonitor monitor;
  const auto entries = computeOutline(bytes(text), language(languageName), monitor);
  if (!entries) return QStringLiteral("error");
  QStringList out;
  for (const OutlineEntry& entry : *entries)
    out << QStringLiteral("%1 %2 %3")
               .arg(entry.kernel ? QStringLiteral("kernel") : QStringLiteral("function"),
                    QString::fromStdString(entry.name))
               .arg(entry.line);
  return out.join(QStringLiteral(", "));
}

} // namespace

class TestSourceOutline : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void entriesAreFound_data();
  void entriesAreFound();
  void outlineCanBeCancelled();
  void truncationKeepsEarlierEntries();
  void longLinesAreReadUpToTheLimit();
};

void TestSourceOutline::entriesAreFound_data() {
  QTest::addColumn<QString>("languageName");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("entries");
  const auto row = [](const char* name, const char* languageName, const char* text, const char* entries) {
    QTest::newRow(name) << languageName << text << entries;
  };
  row("ptx entry", "ptx", ".version 9.0\n.visible .entry add(\n\t.param .u64 p\n)\n{\n}\n", "kernel add 1");
  row("ptx on one line", "ptx", ".visible .entry k() { ret; }", "kernel k 0");
  row("ptx name on the next line", "ptx", ".visible .entry\n\tlate_name(\n)\n{\n}", "kernel late_name 0");
  row("ptx function", "ptx", ".visible .func helper(\n)\n{\n}", "function helper 0");
  row("ptx function with a result", "ptx", ".visible .func (.param .b32 func_retval0) helper(\n.param .b32 a\n)\n{\n}",
      "function helper 0");
  row("ptx declaration", "ptx", ".extern .func (.param .b32 r) vprintf\n(\n.param .b64 a\n)\n;", "function vprintf 0");
  row("ptx several", "ptx", ".entry a(\n)\n{\n}\n.func b()\n{\n}\n.entry c$1_(\n)\n{\n}",
      "kernel a 0, function b 4, kernel c$1_ 7");
  row("ptx dollar", "ptx", ".entry $name(", "kernel $name 0");
  row("ptx comments", "ptx", "// .entry no(\n/* .entry no2(\n.entry no3(\n*/\n.entry yes( // .entry no4(\n",
      "kernel yes 4");
  row("ptx comment inside", "ptx", ".entry /* .entry other */ name(", "kernel name 0");
  row("ptx words around", "ptx", ".entryway x(\n_.entry y(\n.func_name z(", "");
  row("ptx carriage returns", "ptx", ".version 9.0\r\n.visible .entry add(\r\n)\r\n{\r\n}\r\n", "kernel add 1");
  row("ptx name after a carriage return", "ptx", ".entry\r\nadd(\r\n)", "kernel add 0");
  row("opencl", "opencl",
      "__kernel void add(__global float* a) {\n}\nvoid helper(int x) {}\n__kernel void mul(int b) {}\n",
      "kernel add 0, kernel mul 3");
  row("opencl name on the next line", "opencl", "__kernel void\nadd(__global float* a)\n{\n}", "kernel add 0");
  row("opencl attribute", "opencl",
      "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\nvoid add(__global float* a) {}", "kernel add 0");
  row("opencl comments", "opencl",
      "// __kernel void no(int a) {}\n/* __kernel void no2(int a) {}\n*/ __kernel void yes(int a) {}", "kernel yes 2");
  row("opencl string", "opencl", "constant char* s = \"__kernel void no(int a)\";\n__kernel void yes(int a) {}",
      "kernel yes 1");
  row("opencl other word", "opencl", "__kernel_exec(64, float)\nint my__kernel(int a);", "");
  row("cuda", "cuda", "extern \"C\" __global__ void add(float* a) {\n}", "kernel add 0");
  row("cuda launch bounds", "cuda",
      "extern \"C\" __global__ void __launch_bounds__(1024) add(float* __restrict__ a) {\n}", "kernel add 0");
  row("cuda launch bounds with an expression", "cuda",
      "__global__ void __launch_bounds__((4 + 4) * 2, 1)\nadd(float* a) {}", "kernel add 0");
  row("cuda declaration and definition", "cuda", "__global__ void add(float* a);\n__global__ void add(float* a) {}",
      "kernel add 0, kernel add 1");
  row("cuda device functions", "cuda", "__device__ float f(float x) { return x; }\n__global__ void k() { f(1); }",
      "kernel k 1");
  row("cuda without a name", "cuda", "__global__ void ;\n__global__ void k() {}", "kernel k 1");
  row("plain text", "", ".entry k(\n__kernel void k() {}", "");
  row("json", "json", "{\"__kernel\": 1}", "");
  row("empty", "ptx", "", "");
  row("only the word", "ptx", ".entry", "");
  row("two on a line", "cuda", "__global__ void a() {}\n__global__ void b() {}", "kernel a 0, kernel b 1");
}

void TestSourceOutline::entriesAreFound() {
  QFETCH(QString, languageName);
  QFETCH(QString, text);
  QFETCH(QString, entries);
  QCOMPARE(outline(languageName.toStdString(), text.toStdString()), entries);
}

void TestSourceOutline::outlineCanBeCancelled() {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += ".entry k" + std::to_string(i) + "() {}\n";
  for (const int looks : {0, 1, 5}) {
    StopAfter monitor(looks);
    const auto entries = computeOutline(bytes(text), language("ptx"), monitor);
    QVERIFY(!entries);
    QCOMPARE(entries.error().code(), ErrorCode::Cancelled);
  }
  NullMonitor monitor;
  const auto entries = computeOutline(bytes(text), language("ptx"), monitor);
  QVERIFY(entries.hasValue());
  QCOMPARE(entries->size(), std::size_t{50'000});
  QCOMPARE(entries->back().line, uint64_t{49'999});
}

/// Truncation is safe everywhere, and entries that were complete before it are kept.
void TestSourceOutline::truncationKeepsEarlierEntries() {
  const std::string text =
      "/* a */ extern \"C\" __global__ void __launch_bounds__(64) first(float* a) {\n}\n__global__ void second() {}\n";
  const std::size_t whole = text.find('{') + 1;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const QString entries = outline("cuda", std::string_view(text).substr(0, size));
    if (size >= whole) QVERIFY2(entries.startsWith(QStringLiteral("kernel first 0")), qPrintable(entries));
    for (const char* name : {"ptx", "opencl"}) outline(name, std::string_view(text).substr(0, size));
  }
}

/// Only the first bytes of a line are read: one line of megabytes also ends.
void TestSourceOutline::longLinesAreReadUpToTheLimit() {
  const std::string noise(3 << 20, 'x');
  QCOMPARE(outline("ptx", ".entry a(" + noise + "\n.entry b(\n"), QStringLiteral("kernel a 0, kernel b 1"));
  QCOMPARE(outline("cuda", "__global__ void " + noise + "\n{}\n__global__ void k() {}\n"),
           QStringLiteral("kernel k 2"));
  // A function head that never ends is skipped.
  std::string endless = "__global__ void\n";
  for (int i = 0; i < 2'000; ++i) endless += "word\n";
  QCOMPARE(outline("cuda", endless + "__global__ void k() {}\n"), QStringLiteral("kernel k 2001"));
}

BLOBSCOPE_TEST(TestSourceOutline);

#include "test_outline.moc"
