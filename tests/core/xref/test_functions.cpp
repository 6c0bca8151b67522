#include "core/xref/functions.h"

#include "core/describe/node.h"
#include "core/library/open.h"
#include "core/syntax/disassembler.h"
#include "core/view/render.h"
#include "tests/core/host/host_texts.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"
#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

#include <QDir>

#include <filesystem>

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += text + '\0';
  return out;
}

/// main calls add twice, vm.builtin.copy, helper; helper calls relu; compiled is in host code.
std::string executable() {
  RelaxBuilder vm(kTagsClassic);
  constexpr int64_t kVoid = RelaxBuilder::kVoid;
  vm.functions = {{0, "add", 0, 0, -2, 0, {}},
                  {0, "vm.builtin.copy", 0, 0, -2, 0, {}},
                  {1, "main", 0, 6, 2, 3, {"x", "w"}},
                  {1, "helper", 6, 8, 1, 1, {"y"}},
                  {0, "relu", 0, 0, -2, 0, {}},
                  {2, "compiled", 0, 0, 1, 0, {"p"}},
                  {0, "vm.builtin.check_tensor_info", 0, 0, -2, 0, {}}};
  vm.code = {{1, kVoid, 0, 1, 0},
             {1, kVoid, 0, 1, 1},
             {1, kVoid, 1, 1, 0},
             {1, kVoid, 3, 1, 0},
             {1, kVoid, 5, 1, RelaxBuilder::function(4)},
             {2, 0},
             {1, kVoid, 6, 3, 0, RelaxBuilder::immediate(2), RelaxBuilder::constant(4)},
             {2, 0}};
  return vm.sized();
}

std::string libraryFile() {
  const std::vector<Function> kernels = {{"add_kernel"}, {"add_kernel_1"}, {"relu_kernel0"}, {"other"}};
  ElfBuilder elf;
  for (const char* name : {"add", "relu", "lonely", "__vmtir__compiled"}) elf.function(name);
  elf.data("__tvm_module_ctx", std::string(8, '\0'));
  elf.data("texts", joined({countText("add", 1), kindText("add", 0, "A"), rankText("add.A", 1),
                            typeText("add.A", "int8"), shapeText("add.A", 0, "7"), deviceText("add.A", 2)}));
  elf.data("__tvm_dev_mblob", classicBlob({{"relax.Executable", executable()},
                                           {"_lib", ""},
                                           {"cuda", code3("ptx", kernels, ptxText(kernels), Info::Three)}},
                                          std::vector<std::vector<uint64_t>>{{1}, {2}, {}}));
  return elf.build();
}

library::PackagePtr opened(const std::string& file) {
  const auto package = openBytes(file);
  return package ? *package : nullptr;
}

QString page(const library::PackagePtr& package, const char* ref, std::string_view name) {
  NullMonitor monitor;
  const auto pages = describe::pagesOf(package, *Ref::parse(ref), monitor);
  if (!pages) return QString::fromStdString(pages.error().message());
  for (const view::Page& candidate : *pages) {
    if (candidate.name != name) continue;
    std::string out;
    if (!view::renderText(candidate, [&](std::string_view text) { out += text; }, monitor))
      return QStringLiteral("cancelled");
    return QString::fromStdString(out).simplified();
  }
  return QStringLiteral("no such page");
}

/// Names related to a host function, kernel or caller: "add < main | add_kernel by name".
QString hostText(const xref::Functions& functions, const xref::HostFunction& function) {
  QString text = QString::fromStdString(function.signature.function) + QStringLiteral(" <");
  for (const uint32_t caller : function.calledBy)
    text += QLatin1Char(' ') + QString::fromStdString(functions.callers[caller].name);
  text += QStringLiteral(" |");
  for (const xref::Link& link : function.launches)
    text += QLatin1Char(' ') + QString::fromStdString(functions.kernels[link.index].name);
  return text;
}

} // namespace

/// VM functions, host functions and kernels of a library, joined.
class TestFunctionCrossReferences : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void hostFunctionsAreJoinedWithKernels();
  void graphNodesAreJoinedWithFunctions();
  void pagesListFunctionsAndCalls();
  void nativeColumnsAppearOnlyWhenUsed();
  void overviewsCountLaunchedKernels();
  void detailsShowCallersAndKernels();
  void namesOfASystemLibraryHaveItsPrefix();
  void joiningCanBeCancelled();
  void corpusFunctionsAreJoined();
};

void TestFunctionCrossReferences::hostFunctionsAreJoinedWithKernels() {
  const auto package = opened(libraryFile());
  QVERIFY(package);
  NullMonitor monitor;
  const auto functions = xref::computeFunctions(package, monitor);
  QVERIFY(functions);
  QStringList hosts;
  for (const xref::HostFunction& function : functions->hosts) hosts << hostText(*functions, function);
  QCOMPARE(hosts.join(QLatin1Char('\n')), QStringLiteral("add < main | add_kernel add_kernel_1\n"
                                                         "relu < main | relu_kernel0\n"
                                                         "lonely < |\n"
                                                         "__vmtir__compiled < compiled |"));
  QCOMPARE(functions->kernels.size(), std::size_t{4});
  QVERIFY(functions->kernels[3].launchedBy.empty());
  QCOMPARE(QString::fromStdString(functions->kernels[0].arguments), QStringLiteral("handle, int32"));
  QCOMPARE(QString::fromStdString(functions->kernels[0].launch), QStringLiteral("blockIdx.x, threadIdx.x"));
  QVERIFY(functions->kernels[0].launchedBy[0].basis == xref::Basis::Name);
  // Callers: in the order of the executable, without packed functions.
  QCOMPARE(functions->callers.size(), std::size_t{3});
  const xref::Caller& main = functions->callers[0];
  QCOMPARE(main.calls.size(), std::size_t{5});
  QCOMPARE(main.calls[0].times, uint64_t{2});
  QVERIFY(main.calls[0].host && !main.calls[1].host && main.calls[2].caller);
  QCOMPARE(QString::fromStdString(main.calls[4].name), QStringLiteral("relu"));
  QCOMPARE(functions->callers[1].calledBy, std::vector<uint32_t>{0});
  QCOMPARE(QString::fromStdString(functions->callers[1].signature.text()),
           QStringLiteral("helper(y: Tensor([?, ?], float32))"));
  QCOMPARE(QString::fromStdString(main.signature.text()), QStringLiteral("main(x: Tensor([2, 3], float32), w: ?)"));
  QCOMPARE(functions->callers[2].compiledAs.value_or(9), uint32_t{3});
  // Every ref leads to a node, and back to its entry.
  for (uint32_t i = 0; i < functions->hosts.size(); ++i)
    QCOMPARE(functions->findHost(functions->hosts[i].ref).value_or(99), i);
  for (uint32_t i = 0; i < functions->kernels.size(); ++i)
    QCOMPARE(functions->findKernel(functions->kernels[i].ref).value_or(99), i);
  for (uint32_t i = 0; i < functions->callers.size(); ++i)
    QCOMPARE(functions->findCaller(functions->callers[i].ref).value_or(99), i);
  for (const xref::HostFunction& function : functions->hosts)
    QVERIFY(describe::pagesOf(package, function.ref, monitor) && function.bytes &&
            describe::pagesOf(package, *function.bytes, monitor));
  QCOMPARE(functions->findHost(*Ref::parse("symbol:relu")).value_or(99), uint32_t{1});
  QVERIFY(!functions->findHost(*Ref::parse("symbol:texts")) && !functions->findKernel(*Ref::parse("m2")) &&
          !functions->findHost(*Ref::parse("host:add@0x4")));
}

void TestFunctionCrossReferences::graphNodesAreJoinedWithFunctions() {
  const std::string json = R"({
  "nodes": [
    {"op": "null", "name": "data", "inputs": []},
    {"op": "tvm_op", "name": "split",
     "attrs": {"func_name": "fused_split", "num_inputs": "1", "num_outputs": "2"}, "inputs": [[0, 0, 0]]},
    {"op": "tvm_op", "name": "add",
     "attrs": {"func_name": "fused_add", "num_inputs": "2", "num_outputs": "1"}, "inputs": [[1, 0, 0], [1, 1, 0]]},
    {"op": "tvm_op", "name": "bad",
     "attrs": {"func_name": "absent", "num_inputs": "1", "num_outputs": "1"}, "inputs": [[77, 0, 0]]}
  ],
  "node_row_ptr": [0, 1, 3, 4, 5],
  "attrs": {
    "shape": ["list_shape", [[2, 4], [1, 4], [1, 4], [1, 4], []]],
    "dltype": ["list_str", ["float32", "float32", "int8", "float32", "int8"]]
  }
})";
  ElfBuilder elf;
  elf.function("fused_split").function("fused_add");
  elf.data("__tvm_module_ctx", std::string(8, '\0'));
  elf.data("__tvm_dev_mblob",
           classicBlob({{"GraphExecutorFactory", ByteBuilder().str(json).raw(aotFactory({}, {}, "default")).take()},
                        {"_lib", ""}},
                       std::vector<std::vector<uint64_t>>{{1}, {}}));
  const auto package = opened(elf.build());
  QVERIFY(package);
  NullMonitor monitor;
  const auto functions = xref::computeFunctions(package, monitor);
  QVERIFY(functions);
  QStringList lines;
  for (const xref::HostFunction& function : functions->hosts)
    lines << QString::fromStdString(function.signature.text());
  QCOMPARE(
      lines,
      QStringList(
          {"fused_split(data: Tensor([2, 4], float32), split:0: Tensor([1, 4], float32), split:1: Tensor([1, 4], "
           "int8))",
           "fused_add(split: Tensor([1, 4], float32), split: Tensor([1, 4], int8), add: Tensor([1, 4], float32))"}));
  QCOMPARE(functions->callers.size(), std::size_t{1});
  QCOMPARE(functions->callers[0].calls.size(), std::size_t{3});
  QVERIFY(page(package, "m0", "Calls").contains(QStringLiteral("absent not in this file")));
}

void TestFunctionCrossReferences::pagesListFunctionsAndCalls() {
  const auto package = opened(libraryFile());
  QVERIFY(package);
  const QString functions = page(package, "", "Functions");
  QVERIFY2(functions.startsWith(QStringLiteral("name signature from kernels launch parameters called by size add (A: "
                                               "Tensor([7], int8)) checks add_kernel, add_kernel_1 blockIdx.x, "
                                               "threadIdx.x main 4")),
           qPrintable(functions));
  QCOMPARE(page(package, "host:add", "Signature"),
           QStringLiteral("argument name type device from 0 A Tensor([7], int8) cuda checks"));
  QVERIFY(page(package, "host:lonely", "Signature")
              .contains(QStringLiteral("No message in the file states the parameters")));
  const QString calls = page(package, "host:add", "Calls");
  QVERIFY2(calls.contains(QStringLiteral(
               "called by main VM, 2 times by name launches add_kernel cuda: handle, int32; blockIdx.x, threadIdx.x")),
           qPrintable(calls));
  QVERIFY(page(package, "symbol:add", "Calls").contains(QStringLiteral("called by main")));
  QCOMPARE(page(package, "symbol:texts", "Calls"), QStringLiteral("no such page"));
  QVERIFY(page(package, "m2/kernel:relu_kernel0", "Calls")
              .contains(QStringLiteral("launched by relu – by name called by main")));
  QVERIFY(page(package, "m2/kernel:other", "Calls").contains(QStringLiteral("Nothing in this file")));
  QVERIFY(page(package, "m0/function:main", "Calls").contains(QStringLiteral("vm.builtin.copy not in this file")));
  QVERIFY(page(package, "m0/function:helper", "Calls").contains(QStringLiteral("called by main VM found in its code")));
  QVERIFY(page(package, "m0/function:compiled", "Calls").contains(QStringLiteral("compiled as __vmtir__compiled")));
  QCOMPARE(page(package, "m2", "Calls"), QStringLiteral("no such page"));
}

/// Facts of tvm-ffi libraries have separate columns, only when a function has one.
void TestFunctionCrossReferences::nativeColumnsAppearOnlyWhenUsed() {
  ElfBuilder elf;
  elf.function("__tvm_ffi_f").function("__tvm_ffi_g").function("__tvm_ffi__metadata_f");
  const auto package = opened(elf.build());
  QVERIFY(package);
  QCOMPARE(page(package, "", "Functions"),
           QStringLiteral("name signature from metadata size f – – present 4 g – – – 4"));
}

void TestFunctionCrossReferences::overviewsCountLaunchedKernels() {
  const auto package = opened(libraryFile());
  QVERIFY(package);
  const QString module = page(package, "m2", "Overview");
  for (const char* text :
       {"of the blob", "kernels 4, 3 launched by host functions of this file",
        "add_kernel blockIdx.x, threadIdx.x; launched by add", "no host function of this file launches it"})
    QVERIFY2(module.contains(QLatin1String(text)), qPrintable(module));
  const QString host = page(package, "host:add", "Overview");
  for (const char* text : {"signature add(A: Tensor([7], int8))", "main calls this function: VM, 2 times",
                           "add_kernel a kernel that this function launches"})
    QVERIFY2(host.contains(QLatin1String(text)), qPrintable(host));
  QVERIFY2(
      page(package, "host:lonely", "Overview").contains(QStringLiteral("nothing in this file is known to call it")),
      qPrintable(page(package, "host:lonely", "Overview")));
  const QString vm = page(package, "m0", "Overview");
  QVERIFY2(vm.contains(QStringLiteral("main calls")), qPrintable(vm));
  QVERIFY2(page(package, "m1", "Overview").contains(QStringLiteral("host functions")),
           qPrintable(page(package, "m1", "Overview")));
}

void TestFunctionCrossReferences::detailsShowCallersAndKernels() {
  const auto package = opened(libraryFile());
  QVERIFY(package);
  NullMonitor monitor;
  const auto text = [&](const char* ref) {
    const auto details = describe::detailsOf(package, *Ref::parse(ref), monitor);
    if (!details) return QString::fromStdString(details.error().message());
    QStringList lines;
    for (const view::DetailGroup& group : *details) {
      if (group.title != "Signature" && group.title != "Called by" && group.title != "Launches" &&
          group.title != "Launched by" && group.title != "Calls")
        continue;
      lines << QString::fromStdString("# " + group.title);
      for (const view::DetailRow& row : group.rows)
        lines << QString::fromStdString(
            (row.note.empty() ? row.label : row.value) +
            (row.note.empty() ? row.value.empty() ? "" : ": " + row.value : ": " + row.note) +
            (row.link ? " -> " + row.link->toString() : ""));
      if (!group.note.empty()) lines << QString::fromStdString(group.note);
    }
    return lines.join(QLatin1Char('\n'));
  };
  QCOMPARE(text("host:add"), QStringLiteral("# Signature\n"
                                            "A: Tensor([7], int8)\n"
                                            "# Called by\n"
                                            "main: by name -> m0/function:main\n"
                                            "# Launches\n"
                                            "add_kernel: by name -> m2/kernel:add_kernel\n"
                                            "add_kernel_1: by name -> m2/kernel:add_kernel_1"));
  QCOMPARE(text("host:lonely"), QStringLiteral("# Signature\n"
                                               "No message in the file states the signature."));
  QCOMPARE(text("m2/kernel:relu_kernel0"), QStringLiteral("# Launched by\n"
                                                          "relu: by name -> host:relu\n"
                                                          "# Called by\n"
                                                          "main: by name -> m0/function:main"));
  QVERIFY(text("m0/function:helper")
              .endsWith(QStringLiteral("# Called by\n"
                                       "main: found in its code -> m0/function:main\n"
                                       "# Calls\n"
                                       "vm.builtin.check_tensor_info: not in this file")));
  QVERIFY(!describe::detailsOf(package, *Ref::parse("host:absent"), monitor));
}

void TestFunctionCrossReferences::namesOfASystemLibraryHaveItsPrefix() {
  RelaxBuilder vm(kTagsClassic);
  vm.functions = {{0, "add", 0, 0, -2, 0, {}}, {1, "main", 0, 2, 2, 3, {"x", "w"}}};
  vm.code = {{1, RelaxBuilder::kVoid, 0, 1, 0}, {2, 0}};
  ElfBuilder elf;
  elf.function("my_add");
  elf.data("__tvm_module_ctx", std::string(8, '\0'));
  elf.data("my___tvm_dev_mblob",
           classicBlob({{"relax.Executable", vm.sized()}, {"_lib", ""}}, std::vector<std::vector<uint64_t>>{{1}, {}}));
  const auto package = opened(elf.build());
  QVERIFY(package);
  NullMonitor monitor;
  const auto functions = xref::computeFunctions(package, monitor);
  QVERIFY(functions);
  QCOMPARE(functions->callers.size(), std::size_t{1});
  QVERIFY2(functions->callers[0].calls[0].host, "names of a system library have its prefix");
}

void TestFunctionCrossReferences::joiningCanBeCancelled() {
  const auto package = opened(libraryFile());
  QVERIFY(package);
  int looks = 0;
  for (;; ++looks) {
    StopAfter monitor(looks);
    const auto functions = xref::computeFunctions(package, monitor);
    if (functions) break;
    QVERIFY(functions.error().code() == ErrorCode::Cancelled);
    QVERIFY(looks < 1000);
  }
  QVERIFY(looks > 3);
}

void TestFunctionCrossReferences::corpusFunctionsAreJoined() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  const QDir folder((set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
                    QStringLiteral("/libraries"));
  if (!folder.exists()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + folder.path()));
#ifdef BLOBSCOPE_DISASM
  syntax::setDisassemblerFactory(disasm::makeDisassembler);
#endif
  NullMonitor monitor;
  for (const QString& file : folder.entryList(QDir::Files)) {
    const auto package = library::open(std::filesystem::path(folder.filePath(file).toStdString()), monitor);
    if (!package) continue;
    const auto functions = xref::computeFunctions(*package, monitor);
    QVERIFY(functions);
    std::size_t byCode = 0, byName = 0, otherName = 0;
    for (const xref::Kernel& kernel : functions->kernels) {
      if (kernel.launchedBy.empty()) continue;
      const bool code = kernel.launchedBy[0].basis == xref::Basis::Code;
      ++(code ? byCode : byName);
      // Where the code shows the kernel, the naming rule gives the same.
      const std::string& host = functions->hosts[kernel.launchedBy[0].index].signature.function;
      if (code && !kernel.name.starts_with(host)) ++otherName;
    }
    qInfo("%s: %zu host functions, %zu kernels, %zu by code, %zu by name, %zu callers", qPrintable(file),
          functions->hosts.size(), functions->kernels.size(), byCode, byName, functions->callers.size());
    QCOMPARE(otherName, std::size_t{0});
    for (const xref::Caller& caller : functions->callers)
      for (const xref::Caller::Call& call : caller.calls) QVERIFY(!call.host || *call.host < functions->hosts.size());
#ifdef BLOBSCOPE_DISASM
    if (file.startsWith(QStringLiteral("gpt2-q0f16-cuda"))) QCOMPARE(byCode, std::size_t{50});
#endif
  }
  syntax::setDisassemblerFactory(nullptr);
}

BLOBSCOPE_TEST(TestFunctionCrossReferences);
#include "test_functions.moc"
