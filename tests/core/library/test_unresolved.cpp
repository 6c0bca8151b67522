#include "core/library/unresolved.h"

#include "core/library/open.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <QDir>
#include <QFileInfo>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

using Imports = std::vector<std::vector<uint64_t>>;

/// A host with these functions, and with texts that each end with NUL.
ElfBuilder hostWith(const std::vector<std::string>& functions, const std::vector<std::string>& texts) {
  ElfBuilder elf;
  for (const std::string& name : functions) elf.function(name);
  elf.data("__tvm_module_ctx", std::string(8, '\0'));
  std::string all(1, '\0');
  for (const std::string& text : texts) all += text + '\0';
  elf.data("texts", all);
  return elf;
}

std::string cudaCode(const std::vector<Function>& kernels) {
  return code3("ptx", kernels, ptxText(kernels), Info::Three);
}

std::string relax(const std::vector<RelaxFunction>& functions) {
  RelaxBuilder vm(kTagsClassic);
  vm.functions = functions;
  vm.code = {{2, 0}};
  return vm.sized();
}

std::string graph(const std::string& function) {
  const std::string json = R"({"nodes": [{"op": "tvm_op", "name": "a", "attrs": {"func_name": ")" + function +
                           R"("}, "inputs": []}, {"op": "tvm_op", "name": "b", "attrs": {"func_name": "__nop"},
                           "inputs": []}], "node_row_ptr": [0, 1, 2]})";
  return ByteBuilder().str(json).raw(aotFactory({}, {}, "default")).take();
}

/// The messages of BLOB-CALL, one line each, preceded by their places.
QString found(const std::string& file) {
  const auto package = openBytes(file);
  if (!package) return QString::fromStdString(package.error().message());
  QStringList lines;
  for (const Diagnostic& one : (*package)->diagnostics)
    if (one.id == DiagnosticId::BlobCall)
      lines << QString::fromStdString(one.place.toString() + ": " + one.message())
                   .section(QStringLiteral(", which"), 0, 0);
  return lines.join(QLatin1Char('\n'));
}

} // namespace

/// Names that the code of a file looks up and that nothing in it defines.
class TestUnresolvedCalls : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void callsWithoutKernelAreReported_data();
  void callsWithoutKernelAreReported();
  void namesInTheBlobAreNotHostNames();
  void searchCanBeCancelled();
  void corpusHasNoUnresolvedCalls();
};

void TestUnresolvedCalls::callsWithoutKernelAreReported_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, ElfBuilder elf, const std::string& blob, const char* expected,
                      const char* carrier = "__tvm_dev_mblob") {
    QTest::newRow(name) << elf.data(carrier, blob).build() << QString::fromUtf8(expected);
  };
  const auto device = [](const std::string& key, const std::string& payload) {
    return classicBlob({{"_lib", ""}, {key, payload}}, Imports{{1}, {}});
  };
  const auto vm = [](const std::string& key, const std::string& payload) {
    return classicBlob({{key, payload}, {"_lib", ""}}, Imports{{1}, {}});
  };
  const std::vector<std::string> texts = {"add_kernel", "add_kernel_1", "add_kernel is text", "other_kernel"};
  row("all kernels exist", hostWith({"add"}, texts), device("cuda", cudaCode({{"add_kernel"}, {"add_kernel_1"}})), "");
  row("one kernel is missing", hostWith({"add"}, texts), device("cuda", cudaCode({{"add_kernel"}})),
      "host:add: the host function 'add' launches the kernel 'add_kernel_1'");
  row("kernel names of v0.6", hostWith({"add"}, {"add_kernel0"}), device("cuda", cudaCode({{"mul_kernel0"}})),
      "host:add: the host function 'add' launches the kernel 'add_kernel0'");
  row("host functions with that name", hostWith({"add", "add_kernel"}, {"add_kernel"}),
      device("cuda", cudaCode({{"x"}})), "");
  row("a kind that is not known", hostWith({"add"}, texts), device("vendor", cudaCode({{"add_kernel"}})), "");
  row("a damaged module", hostWith({"add"}, texts), device("cuda", cudaCode({{"add_kernel"}}).substr(0, 60)), "");
  row("only _lib", hostWith({"add"}, {"add_kernel"}), classicBlob({{"_lib", ""}}, Imports{{}}),
      "host:add: the host function 'add' launches the kernel 'add_kernel'");
  row("an orphan, which loaders drop", hostWith({"add"}, {"add_kernel"}),
      classicBlob({{"_lib", ""}, {"cuda", cudaCode({{"add_kernel"}})}}, Imports{{}, {}}),
      "host:add: the host function 'add' launches the kernel 'add_kernel'");
  QTest::newRow("no blob") << hostWith({"add"}, texts).build() << QString();

  row("compiled function exists", hostWith({"add", "__vmtir__main"}, {}),
      vm("relax.Executable", relax({{2, "main", 0, 0, 1, 0, {}}})), "");
  row("compiled function is missing", hostWith({"add"}, {}),
      vm("relax.Executable", relax({{2, "main", 0, 0, 1, 0, {}}})),
      "m0/function:main: the function 'main' of the Relax VM is compiled as '__vmtir__main'");
  row("a runtime may define it", hostWith({"add"}, {}),
      vm("relax.Executable", relax({{0, "vm.builtin.copy", 0, 0, -2, 0, {}}, {0, "mine", 0, 0, -2, 0, {}}})), "");
  row("system library", hostWith({"my___vmtir__main"}, {}),
      vm("relax.Executable", relax({{2, "main", 0, 0, 1, 0, {}}})), "", "my___tvm_dev_mblob");
  row("no host function is known", hostWith({}, {}), vm("relax.Executable", relax({{2, "main", 0, 0, 1, 0, {}}})), "");
  row("Relay", hostWith({"fused_add"}, {}), vm("VMExecutable", RelayBuilder(4).sized()), "");
  row("Relay without its operator", hostWith({"fused_mul"}, {}), vm("VMExecutable", RelayBuilder(4).sized()),
      "m0: the Relay VM calls 'fused_add'");
  row("graph", hostWith({"fused_add"}, {}), vm("GraphExecutorFactory", graph("fused_add")), "");
  row("graph without its operator", hostWith({"fused_mul"}, {}), vm("GraphExecutorFactory", graph("fused_add")),
      "m0: the graph executor calls 'fused_add'");
}

void TestUnresolvedCalls::callsWithoutKernelAreReported() {
  QFETCH(std::string, file);
  QFETCH(QString, expected);
  QCOMPARE(found(file), expected);
}

void TestUnresolvedCalls::namesInTheBlobAreNotHostNames() {
  // A text in the blob is not a name in the host code.
  const std::string file =
      hostWith({"add"}, {"whole", "a longer name", "tailed_by_name"})
          .data("__tvm_dev_mblob", classicBlob({{"_lib", ""}, {"cuda", cudaCode({{"inblob"}})}}, Imports{{1}, {}}))
          .build();
  const auto package = openBytes(file);
  QVERIFY(package);
  NullMonitor monitor;
  for (const auto& [name, there] : {std::pair("whole", true), std::pair("whol", false), std::pair("longer", false),
                                    std::pair("name", false), std::pair("inblob", false)}) {
    const auto named = library::hostCodeContains(*package, name, monitor);
    QVERIFY(named);
    QVERIFY2(*named == there, name);
  }
}

void TestUnresolvedCalls::searchCanBeCancelled() {
  const auto package = openBytes(
      hostWith({"add"}, {"add_kernel"}).data("__tvm_dev_mblob", classicBlob({{"_lib", ""}}, Imports{{}})).build());
  QVERIFY(package);
  class Stopped final : public Monitor {
    bool stopRequested() const override { return true; }
    void progress(std::string_view, uint64_t, uint64_t) override {}
  } monitor;
  const auto result = library::findUnresolved(*package, library::linkedModules(*package), monitor);
  QVERIFY(!result && result.error().code() == ErrorCode::Cancelled);
}

void TestUnresolvedCalls::corpusHasNoUnresolvedCalls() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  const QDir folder((set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set));
  if (!folder.exists()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + folder.path()));
  int files = 0;
  for (const char* below : {"libraries", "mlf"})
    for (const QFileInfo& info : QDir(folder.filePath(QLatin1String(below))).entryInfoList(QDir::Files)) {
      NullMonitor monitor;
      const auto package = library::open(info.filePath().toStdString(), monitor);
      if (!package) continue;
      ++files;
      for (const Diagnostic& one : (*package)->diagnostics)
        QVERIFY2(one.id != DiagnosticId::BlobCall, (info.fileName().toStdString() + ": " + one.message()).c_str());
    }
  QVERIFY(files > 0);
}

BLOBSCOPE_TEST(TestUnresolvedCalls);
#include "test_unresolved.moc"
