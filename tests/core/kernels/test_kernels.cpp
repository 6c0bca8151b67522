#include "core/kernels/kernels.h"

#include "core/describe/node.h"
#include "core/diff/pages.h"
#include "core/kernels/table.h"
#include "core/library/open.h"
#include "core/view/csv.h"
#include "core/view/page_id.h"
#include "core/view/render.h"
#include "core/view/table_extras.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// main calls add twice and relu once.
std::string executable() {
  RelaxBuilder vm(kTagsClassic);
  constexpr int64_t kVoid = RelaxBuilder::kVoid;
  vm.functions = {{0, "fused_add", 0, 0, -2, 0, {}}, {1, "main", 0, 4, 1, 3, {"x"}}, {0, "relu", 0, 0, -2, 0, {}}};
  vm.code = {{1, kVoid, 0, 1, 0}, {1, kVoid, 0, 1, 0}, {1, kVoid, 2, 1, 0}, {2, 0}};
  return vm.sized();
}

cuda::CubinKernel kernel(std::string name, uint32_t registers, uint32_t threads, uint64_t shared,
                         const std::string& more = {}) {
  cuda::CubinKernel out;
  out.name = std::move(name);
  out.registers = registers;
  out.shared = shared;
  out.info = cuda::record(0x05, {threads, 1, 1}) + more; // EIATTR_MAX_THREADS
  return out;
}

std::string cubinOf(uint32_t sm, uint32_t addRegisters) {
  cuda::CubinFile file;
  file.sm = sm;
  file.kernels = {kernel("fused_add_kernel", addRegisters, 512, 0), kernel("fused_add1_kernel", 40, 256, 2048),
                  kernel("relu_kernel", 16, 1024, 0)};
  file.kernels[1].frame = 64;
  return file.build();
}

std::string libraryWith(const std::string& key, const std::string& device) {
  ElfBuilder elf;
  for (const char* name : {"fused_add", "relu"}) elf.function(name);
  elf.data("__tvm_dev_mblob", classicBlob({{"relax.Executable", executable()}, {"_lib", ""}, {key, device}},
                                          std::vector<std::vector<uint64_t>>{{1}, {2}, {}}));
  return elf.build();
}

const std::vector<Function> kFunctions = {{"fused_add_kernel"}, {"fused_add1_kernel"}, {"relu_kernel"}};

std::string cudaLibrary(const std::string& code) {
  return libraryWith("cuda", code3("cubin", kFunctions, code, Info::Three));
}

library::PackagePtr opened(const std::string& file) {
  const auto package = openBytes(file);
  return package ? *package : nullptr;
}

/// The page "Kernels" of a node; fails the test without one.
Result<view::TablePage> kernelsPage(const library::PackagePtr& package, std::string_view ref = "") {
  NullMonitor monitor;
  BLOBSCOPE_TRY(pages, describe::pagesOf(package, *Ref::parse(ref), monitor));
  for (const view::Page& page : pages) {
    if (page.name != view::page_id::kKernels) continue;
    BLOBSCOPE_TRY(made, view::resolvePage(page, monitor));
    return std::get<view::TablePage>(made.content);
  }
  return Error(DiagnosticId::PageNotFound, {{"ref", std::string(ref)}, {"page", "Kernels"}, {"pages", ""}});
}

QString rowText(const view::TableSource& table, uint64_t row) {
  std::string out;
  for (std::size_t i = 0; i < table.columns().size(); ++i) out += (i > 0 ? " | " : "") + table.cell(row, i);
  return QString::fromStdString(out);
}

/// The kernel of the example of a code object.
const std::vector<Function> kAmdFunctions = {{"add_kernel"}};

} // namespace

/// All kernels of a library in one table.
class TestKernels : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void prefixesAreWhatKernelsShare_data() {
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QStringList>("prefixes");
    const auto row = [](const char* name, const QStringList& names, const QStringList& prefixes) {
      QTest::newRow(name) << names << prefixes;
    };
    row("numbers and later words", {"fused_NT_matmul7_divide_kernel", "fused_NT_matmul_add_kernel", "add_kernel"},
        {"fused_NT_matmul", "fused_NT_matmul", "add"});
    row("kernels of one function", {"split_kernel", "split_kernel_1", "split1_kernel_2", "take_kernel"},
        {"split", "split", "split", "take"});
    row("a beginning that all have", {"tvmgen_default_add_kernel", "tvmgen_default_relu_kernel"},
        {"tvmgen_default_add", "tvmgen_default_relu"});
    row("one kernel", {"main_kernel"}, {"main"});
    row("the same name twice", {"add_kernel", "add_kernel"}, {"add", "add"});
    row("no name", {"", "add"}, {"", "add"});
    row("only a number", {"_kernel_1", "7"}, {"", "7"});
    row("none", {}, {});
  }
  void prefixesAreWhatKernelsShare() {
    QFETCH(QStringList, names);
    QFETCH(QStringList, prefixes);
    std::vector<std::string> stored;
    for (const QString& name : names) stored.push_back(name.toStdString());
    QStringList found;
    for (const std::string& prefix : kernels::prefixesOf({stored.begin(), stored.end()}))
      found << QString::fromStdString(prefix);
    QCOMPARE(found, prefixes);
  }

  void machineCodeIsListed() {
    const auto page = kernelsPage(opened(cudaLibrary(cubinOf(89, 96))));
    QVERIFY2(page, page ? "" : page.error().message().c_str());
    QCOMPARE(page->source->rowCount(), uint64_t{3});
    // 65,536 registers: one block of 512 threads with 96 registers each, 16 of 48 warps.
    QCOMPARE(rowText(*page->source, 0),
             QStringLiteral("fused_add_kernel | m2 cuda | 128 | 96 | – | 512 | 33 |  | 2 | 1 | 2 | – | –"));
    QCOMPARE(rowText(*page->source, 1),
             QStringLiteral("fused_add1_kernel | m2 cuda | 128 | 40 | 2048 | 256 | 100 |  | – | 0 | 2 | 64 | 64"));
    QCOMPARE(rowText(*page->source, 2),
             QStringLiteral("relu_kernel | m2 cuda | 128 | 16 | – | 1024 | 67 |  | 1 | 1 | 2 | – | –"));
    QCOMPARE(page->source->target(2, {})->toString(), std::string("m2/kernel:relu_kernel"));
    QCOMPARE(page->extras->summary, std::string("3 kernels in 1 module · 384 bytes of code · most registers 96 · "
                                                "1 below 40 % occupancy"));
    QVERIFY(page->extras->note.empty());
  }

  void rowsAreGrouped() {
    const auto page = kernelsPage(opened(cudaLibrary(cubinOf(89, 96))));
    QVERIFY(page);
    QStringList groups;
    for (const auto& grouping : page->extras->groupings)
      for (uint64_t row = 0; row < 3; ++row) groups << QString::fromStdString(grouping.groupOf(row));
    QCOMPARE(groups,
             (QStringList{"fused_add", "fused_add", "relu", "m2 cuda", "m2 cuda", "m2 cuda", "main", "", "main"}));
  }

  /// Another GPU: other limits, and the image that it would use.
  void anotherGpuCanBeChosen() {
    NullMonitor monitor;
    const cuda::Image older{2, 80, cubinOf(80, 128)}, newer{2, 90, cubinOf(90, 64)};
    const auto page = kernelsPage(opened(cudaLibrary(cuda::fatbin({older, newer}))));
    QVERIFY(page);
    QCOMPARE(page->extras->choice, std::string("sm_90"));
    QCOMPARE(page->source->cell(0, kernels::KernelTable::kRegisters), std::string("64"));
    const auto other = page->extras->choose("sm_86", monitor);
    QVERIFY(other);
    QCOMPARE(other->source->cell(0, kernels::KernelTable::kRegisters), std::string("128"));
    QCOMPARE(other->source->cell(0, kernels::KernelTable::kOccupancy), std::string("33"));
    QCOMPARE(other->extras->note, std::string("image is for sm_80: estimate"));
    const auto none = page->extras->choose("sm_1", monitor);
    QVERIFY(!none);
    QVERIFY2(none.error().message().starts_with("'sm_1' cannot be chosen for the page 'Kernels'; possible choices: "),
             none.error().message().c_str());
  }

  void plotsShowLimits() {
    const auto page = kernelsPage(opened(cudaLibrary(cubinOf(89, 96))));
    QVERIFY(page);
    QCOMPARE(page->extras->plots.plots.size(), std::size_t{1});
    const view::PlotPage::Plot& plot = page->extras->plots.plots[0];
    QCOMPARE(plot.series[0].name, std::string("registers"));
    QCOMPARE(plot.series[0].points.size(), std::size_t{1});
    QCOMPARE(plot.series[0].points[0].x, 512.0);
    QCOMPARE(plot.series[0].points[0].y, 96.0);
    QCOMPARE(plot.series[0].points[0].label, std::string("fused_add_kernel"));
    QCOMPARE(plot.series[2].points.size(), std::size_t{2}); // limited by threads
    QCOMPARE(page->extras->pointOf(2)->y, 16.0);
    const view::PlotPage own = page->extras->plotsOf(0);
    QCOMPARE(own.plots.size(), std::size_t{3});
    QCOMPARE(own.plots[0].lines[0].label, std::string("now 512: 33 %, 1 block per SM"));
  }

  void otherCodeHasNoOccupancy_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<QString>("row");
    const std::vector<Function> add = {{"fused_add_kernel"}};
    QTest::newRow("PTX") << libraryWith("cuda", code3("ptx", add,
                                                      ".version 9.0\n.target sm_90\n.address_size 64\n"
                                                      ".visible .entry fused_add_kernel() .maxntid 64, 2\n"
                                                      "{ .shared .b8 a[32]; shfl.sync.b32 a, b; ret; }\n",
                                                      Info::Three))
                         << QStringLiteral(
                                "fused_add_kernel | m2 cuda | 47 | – | 32 | 128 | – | shuffles | 2 | 1 | 2 | – | –");
    QTest::newRow("a code object for AMD GPUs")
        << libraryWith("hip", code3("hsaco", kAmdFunctions, hsaco_builder::whole(), Info::Three))
        << QStringLiteral("add_kernel | m2 hip | – | 5 | 4096 | 256 | – |  | – | 0 | 2 | – | 16");
    QTest::newRow("OpenCL C")
        << libraryWith("opencl",
                       code3("cl", add, "__kernel void fused_add_kernel() { sub_group_shuffle(1, 2); }", Info::Three))
        << QStringLiteral("fused_add_kernel | m2 opencl | – | – | – | – | – |  | 2 | 1 | 2 | – | –");
  }
  void otherCodeHasNoOccupancy() {
    QFETCH(std::string, file);
    QFETCH(QString, row);
    const auto page = kernelsPage(opened(file));
    QVERIFY2(page, page ? "" : page.error().message().c_str());
    QCOMPARE(rowText(*page->source, 0), row);
    QVERIFY(!page->extras->pointOf || !page->extras->pointOf(0));
  }

  void nodesHaveTheirKernels() {
    const library::PackagePtr package = opened(cudaLibrary(cubinOf(89, 96)));
    QVERIFY(kernelsPage(package, "blob"));
    QVERIFY(kernelsPage(package, "m2"));
    QVERIFY(!kernelsPage(package, "m0"));
    QVERIFY(!kernelsPage(package, "m2/kernel:relu_kernel"));
  }

  void stopsWhenAsked() {
    StopAfter monitor(0);
    const auto made = kernels::computeKernels(opened(cudaLibrary(cubinOf(89, 96))), {}, monitor);
    QVERIFY(!made);
    QCOMPARE(made.error().id(), DiagnosticId::Cancelled);
  }

  void pagesAreCompared() {
    NullMonitor monitor;
    const auto a = kernelsPage(opened(cudaLibrary(cubinOf(89, 96)))),
               b = kernelsPage(opened(cudaLibrary(cubinOf(89, 64))));
    QVERIFY(a && b);
    const auto diff = diff::comparePages({"Kernels", *a}, {"Kernels", *b}, {}, monitor);
    QVERIFY(diff);
    QVERIFY(!diff->same);
    const auto* const rows = std::get_if<diff::RowDiff>(&diff->content);
    QVERIFY(rows);
  }

  void rowsAreWrittenAsCsv() {
    NullMonitor monitor;
    const auto page = kernelsPage(opened(cudaLibrary(cubinOf(89, 96))));
    QVERIFY(page);
    std::string text;
    QVERIFY(
        view::writeCsv(*page->source, std::vector<uint32_t>{1}, [&](std::string_view part) { text += part; }, monitor));
    QCOMPARE(QString::fromStdString(text),
             QStringLiteral("kernel,module,code bytes,registers,shared bytes,max block,occupancy "
                            "%,uses,launch count,callers,arguments,stack bytes,local bytes\r\n"
                            "fused_add1_kernel,m2 cuda,128,40,2048,256,100,,,0,2,64,64\r\n"));
  }
};

BLOBSCOPE_TEST(TestKernels);
#include "test_kernels.moc"
