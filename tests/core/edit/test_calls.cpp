#include "core/edit/calls.h"

#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// Host functions add and run, whose texts name "add_kernel" and "special"; a VM with the compiled function "main".
std::string madeLibrary() {
  ElfBuilder elf;
  for (const char* name : {"add", "run", "__vmtir__main"}) elf.function(name);
  elf.data("__tvm_module_ctx", std::string(8, '\0'));
  elf.data("texts", "\0add_kernel\0special\0"s);
  const std::vector<Function> kernels = {{"add_kernel"}, {"special"}, {"unused"}};
  RelaxBuilder vm(kTagsClassic);
  vm.functions = {{2, "main", 0, 0, 1, 0, {}}, {0, "add", 0, 0, -2, 0, {}}, {1, "helper", 0, 1, 0, 1, {}}};
  vm.code = {{2, 0}};
  elf.data("__tvm_dev_mblob", classicBlob({{"relax.Executable", vm.sized()},
                                           {"_lib", ""},
                                           {"cuda", code3("ptx", kernels, ptxText(kernels), Info::Three)}},
                                          Imports{{1}, {2}, {}}));
  return elf.build();
}

/// "the host code: special".
QString textOf(const std::vector<library::Unresolved>& broken) {
  QStringList lines;
  for (const library::Unresolved& one : broken) lines << QString::fromStdString(one.callerText + ": " + one.name);
  return lines.join(QLatin1Char('\n'));
}

} // namespace

/// Edits that break calls by name.
class TestBrokenCalls : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void editsThatBreakCallsAreReported_data();
  void editsThatBreakCallsAreReported();
};

void TestBrokenCalls::editsThatBreakCallsAreReported_data() {
  QTest::addColumn<std::string>("edits");
  QTest::addColumn<QString>("expected");
  QTest::addColumn<int>("renames");
  const auto row = [](const char* name, std::string edits, const char* expected, int renames) {
    QTest::newRow(name) << std::move(edits) << QString::fromUtf8(expected) << renames;
  };
  const auto rename = [](const std::string& ref, const std::string& name) {
    return "{'op': 'rename', 'ref': '" + ref + "', 'name': '" + name + "'}";
  };
  const auto called = [](const std::string& name) {
    return "{'op': 'set', 'ref': 'm0/field:executable.functions[1].name', 'value': '" + name + "'}";
  };
  const std::string add = "the host function 'add': add_kernel", special = "the host code: special";
  row("a kernel that host code launches", rename("m2/kernel:add_kernel", "sum"), add.c_str(), 1);
  row("a kernel with another name", rename("m2/kernel:special", "plain"), special.c_str(), 1);
  row("a kernel that nothing names", rename("m2/kernel:unused", "plain"), "", 0);
  row("two swapped names", rename("m2/kernel:add_kernel", "special") + "," + rename("m2/kernel:special", "add_kernel"),
      "", 0);
  row("a removed kernel", "{'op': 'remove', 'ref': 'm2/kernel:add_kernel'}", add.c_str(), 0);
  row("a removed module", "{'op': 'remove', 'ref': 'm2'}", (add + "\n" + special).c_str(), 0);
  row("the compiled code of a function", rename("m0/function:main", "start"),
      "the function 'start' of the Relax VM: __vmtir__start", 1);
  row("an operator that host code defines", called("sum"), "the Relax VM: sum", 0);
  row("an operator that a runtime may define", called("vm.builtin.sum"), "", 0);
  row("bytecode that callers know by its number", rename("m0/function:helper", "aid"), "", 0);
  row("another field", "{'op': 'set', 'ref': 'm2/field:fmt', 'value': 'cubin'}", "", 0);
}

void TestBrokenCalls::editsThatBreakCallsAreReported() {
  QFETCH(std::string, edits);
  QFETCH(QString, expected);
  QFETCH(int, renames);
  const auto package = opened(madeLibrary());
  const auto edited = applyTo(package, edits);
  QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
  NullMonitor monitor;
  const auto broken = edit::findBrokenCalls(package, edited->applied, monitor);
  QVERIFY(broken);
  QCOMPARE(textOf(*broken), expected);
  QCOMPARE(edit::findBreakingRenames(edited->edits, *broken).size(), static_cast<std::size_t>(renames));
  // The written file has the same findings, as far as names show them.
  const auto isCall = [](const Diagnostic& one) { return one.id == DiagnosticId::BlobCall; };
  const bool certain = std::any_of(broken->begin(), broken->end(), [](const library::Unresolved& one) {
    return one.certain() && one.callerText != "the host code";
  });
  QCOMPARE(std::any_of(edited->after->diagnostics.begin(), edited->after->diagnostics.end(), isCall), certain);
}

BLOBSCOPE_TEST(TestBrokenCalls);
#include "test_calls.moc"
