#include "core/modules/cuda/kernel_names.h"

#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using modules::CudaCode;
using modules::KernelRenames;

namespace {

/// "a>b,c>d" as renames.
KernelRenames renamesOf(const std::string& text) {
  KernelRenames out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size()), arrow = text.find('>', at);
    out[text.substr(at, arrow - at)] = text.substr(arrow + 1, end - arrow - 1);
    at = end + 1;
  }
  return out;
}

/// The text with all its places replaced.
std::string renamed(const std::string& text, const std::vector<modules::NameInCode>& places, const Bytes& whole) {
  std::string out;
  std::size_t done = 0;
  for (const modules::NameInCode& one : places) {
    const auto at = static_cast<std::size_t>(one.place.data() - whole.data());
    out += text.substr(done, at - done) + one.newName;
    done = at + one.place.size();
  }
  return out + text.substr(done);
}

std::string joinedNames(const std::optional<std::set<std::string_view>>& names) {
  if (!names) return "unknown";
  std::string out;
  for (const std::string_view name : *names) out += (out.empty() ? "" : " ") + std::string(name);
  return out;
}

} // namespace

class TestKernelNames : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void kernelsInSourceAreRenamedWhereTheyAreDeclared_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("renames");
    QTest::addColumn<std::string>("result"); // empty: unchanged
    const auto row = [](const char* name, const std::string& text, const char* renames, const std::string& result) {
      QTest::newRow(name) << text << std::string(renames) << result;
    };
    row("nothing", "", "a>b", "");
    row("definition", "__global__ void a(int x) {}", "a>b", "__global__ void b(int x) {}");
    row("declaration and definition", "__global__ void a();\n__global__ void a() {}", "a>b",
        "__global__ void b();\n__global__ void b() {}");
    row("launch bounds", "extern \"C\" __global__ void __launch_bounds__(256) a() {}", "a>b",
        "extern \"C\" __global__ void __launch_bounds__(256) b() {}");
    row("spaces and comments before the bracket", "__global__ void a /* ( */ // (\n (int x);", "a>b",
        "__global__ void b /* ( */ // (\n (int x);");
    row("a longer and a shorter name", "__global__ void ab(); __global__ void abc();", "abc>abcdef",
        "__global__ void ab(); __global__ void abcdef();");
    row("two kernels change their names", "__global__ void a(); __global__ void b();", "a>b,b>a",
        "__global__ void b(); __global__ void a();");
    row("names in comments and strings stay", "// a\n/* a */ __global__ void a() { f(\"a\", 'a', \"\\\"a\"); }", "a>b",
        "// a\n/* a */ __global__ void b() { f(\"a\", 'a', \"\\\"a\"); }");
    row("digits with separators are no characters", "int i = 1'000; __global__ void a();", "a>b",
        "int i = 1'000; __global__ void b();");
    row("another word that contains the name", "int ab, ba; __global__ void a();", "a>c",
        "int ab, ba; __global__ void c();");
    row("a comment without end", "__global__ void a(); /* a", "a>b", "__global__ void b(); /* a");
    row("only the start of a comment", "__global__ void a(); /*", "a>b", "__global__ void b(); /*");
    row("a string without end", "__global__ void a(); \"a", "a>b", "__global__ void b(); \"a");
    row("a backslash at the end", "__global__ void a(); \"\\", "a>b", "__global__ void b(); \"\\");
    row("the text ends after the name", "__global__ void a", "a>b", "");
    row("a use elsewhere", "__global__ void a(); void f() { a<<<1, 1>>>(); }", "a>b", "");
    row("a call elsewhere", "__global__ void a(); void f() { a(); }", "a>b", "");
    row("not a kernel", "__device__ void a();", "a>b", "");
    row("a use in a preprocessor line", "#define A a\n__global__ void a();", "a>b", "");
    row("a use in a preprocessor line that continues", "#define A \\\n a\n__global__ void a();", "a>b", "");
    row("a declaration in a preprocessor line", "#define A __global__ void a()\n", "a>b", "");
    row("a raw string somewhere", "auto s = R\"(x)\"; __global__ void a();", "a>b", "");
    row("the new name is used", "int b; __global__ void a();", "a>b", "");
    row("the new name is in a comment", "/* b */ __global__ void a();", "a>b", "/* b */ __global__ void b();");
    row("one of two can be renamed", "int c; __global__ void a(); __global__ void b();", "a>c,b>d",
        "int c; __global__ void a(); __global__ void d();");
    row("a kernel that stays keeps its name from another", "int c; __global__ void a(); __global__ void b();",
        "a>c,b>a", "");
    row("two kernels get one name", "__global__ void a(); __global__ void b();", "a>c,b>c", "");
    for (const char* const invalid : {"", "1a", "a b", "a-b", "int", "__a", "main", "printf", "\xc3\xa4"})
      row(("a new name that is not valid: '" + std::string(invalid) + "'").c_str(), "__global__ void a();",
          ("a>" + std::string(invalid)).c_str(), "");
    for (const char* const valid : {"_a", "a1", "mains", "a$", "A"})
      row(("a valid new name: " + std::string(valid)).c_str(), "__global__ void a();",
          ("a>" + std::string(valid)).c_str(), "__global__ void " + std::string(valid) + "();");
  }
  void kernelsInSourceAreRenamedWhereTheyAreDeclared() {
    QFETCH(std::string, text);
    QFETCH(std::string, renames);
    QFETCH(std::string, result);
    const Bytes code = test::bytes(text);
    QCOMPARE(renamed(text, modules::namesInSource(code, renamesOf(renames)), code), result.empty() ? text : result);
  }

  void anyPartOfASourceIsRead() {
    const std::string text = "#if 1\\\n'a'\n#endif /* \" */ \"a\\\"\" 1'0 __global__ void a /* ( */ (); // a\n";
    for (std::size_t from = 0; from < text.size(); ++from)
      for (std::size_t to = from; to <= text.size(); ++to) {
        const std::string part = text.substr(from, to - from);
        const Bytes code = test::bytes(part);
        for (const modules::NameInCode& one : modules::namesInSource(code, {{"a", "b"}}))
          QCOMPARE(std::string(one.place.view()), std::string("a"));
      }
  }

  void kernelsInPtxAreRenamed_data() {
    QTest::addColumn<std::string>("renames");
    QTest::addColumn<std::string>("first"); // names of the kernels in the result
    QTest::addColumn<std::string>("second");
    const auto row = [](const char* name, const char* renames, const char* first, const char* second) {
      QTest::newRow(name) << std::string(renames) << std::string(first) << std::string(second);
    };
    row("nothing", "", "add", "mul");
    row("one", "add>sum", "sum", "mul");
    row("both", "add>mul,mul>add", "mul", "add");
    row("a kernel that the code does not have", "other>sum", "add", "mul");
    row("a name that is used", "add>mul", "add", "mul");
    row("two kernels get one name", "add>x,mul>x", "add", "mul");
    row("a name that is not valid", "add>a b,mul>y", "add", "y");
    row("an empty name", "add>", "add", "mul");
    row("a keyword of C++", "add>int", "int", "mul");
  }
  void kernelsInPtxAreRenamed() {
    QFETCH(std::string, renames);
    QFETCH(std::string, first);
    QFETCH(std::string, second);
    const std::string text = test::ptxText({{"add"}, {"mul"}});
    const Bytes code = test::bytes(text);
    QCOMPARE(renamed(text, modules::namesInPtx(code, renamesOf(renames)), code), test::ptxText({{first}, {second}}));
  }

  void kernelsThatTheCodeDefinesAreFound_data() {
    QTest::addColumn<int>("form");
    QTest::addColumn<std::string>("code");
    QTest::addColumn<std::string>("found");
    const auto row = [](const char* name, CudaCode form, const std::string& code, const char* found) {
      QTest::newRow(name) << static_cast<int>(form) << code << std::string(found);
    };
    // Searched: a and b.
    row("source with both", CudaCode::Source, "__global__ void a(); __global__ void b();", "a b");
    row("source with one", CudaCode::Source, "__global__ void a();", "a");
    row("source with none", CudaCode::Source, "__global__ void c();", "");
    row("source that uses one otherwise", CudaCode::Source, "KERNEL(a) {} __global__ void b();", "unknown");
    row("source that also uses one otherwise", CudaCode::Source, "__global__ void a(); void f() { a(); }", "a");
    row("source, only in a comment", CudaCode::Source, "// a", "");
    row("PTX with one", CudaCode::Ptx, test::ptxText({{"b"}, {"c"}}), "b");
    row("PTX with none", CudaCode::Ptx, test::ptxText({{"c"}}), "");
    row("a single image of PTX", CudaCode::Images, test::ptxText({{"a"}}), "a");
    row("an image of an unknown kind", CudaCode::Images, "no image", "unknown");
    row("no image", CudaCode::Images, "", "unknown");
  }
  void kernelsThatTheCodeDefinesAreFound() {
    QFETCH(int, form);
    QFETCH(std::string, code);
    QFETCH(std::string, found);
    NullMonitor monitor;
    const Bytes content = test::bytes(code);
    QCOMPARE(joinedNames(modules::definedKernels(content, static_cast<CudaCode>(form), {}, {"a", "b"}, monitor)),
             found);
  }
};

BLOBSCOPE_TEST(TestKernelNames);

#include "test_kernel_names.moc"
