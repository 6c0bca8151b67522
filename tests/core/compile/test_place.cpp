#include "core/compile/target.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using compile::Language;

namespace {

const std::vector<Function> kAdd = {{"add"}}; // a pointer and a number: tests/support/builders.h

std::string entryOf(const std::string& parameters, const std::string& directives = {}) {
  return ".version 8.0\n.target sm_80\n.visible .entry add(" + parameters + ")\n" + directives + "{\nret;\n}\n";
}

library::PackagePtr libraryOf(const std::vector<Record>& records) {
  std::vector<std::vector<uint64_t>> imports(records.size());
  for (std::size_t i = 1; i < records.size(); ++i) imports[0].push_back(i);
  auto opened = openBytes(elfWith("__tvm_ffi__library_bin", ffiBlob(records, imports)));
  return opened ? *opened : nullptr;
}

library::PackagePtr cudaLibrary(const char* format, const std::string& code) {
  return libraryOf({{"_lib", ""}, {"cuda", code3(format, kAdd, code, Info::Four)}});
}

} // namespace

/// Where compiled code goes, and whether it fits there.
class TestPlace : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void placesAreFound_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("ref");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* kind, const char* ref, const char* expected) {
      QTest::addRow("%s %s", kind, ref) << QString(kind) << QString(ref) << QByteArray(expected);
    };
    row("ptx", "m1", "m1/field:data ptx PTX compute_80");
    row("ptx", "m1/kernel:add", "m1/field:data ptx PTX compute_80");
    row("fatbin", "m1", "m1/field:data fatbin - sm_89 compute_90");
    row("fatbin", "m1/entry:1", "m1/entry:1 ptx PTX compute_90");
    row("cuda", "m1", "m1/field:data text CUDA C++ ");
    row("ptx", "m1/kernel:none",
        "'m1/kernel:none' does not exist in this file: the module has no kernel with that name");
    row("ptx", "m0", "'m0' cannot be compiled: modules of kind '_lib' have no code that can be compiled here");
    row("ptx", "m7", "'m7' does not exist in this file: ");
    row("vulkan", "m1", "'m1' cannot be compiled: each kernel of this module has code of its own; name a kernel");
  }
  void placesAreFound() {
    QFETCH(QString, kind);
    QFETCH(QString, ref);
    QFETCH(QByteArray, expected);
    const std::string fatbin = cuda::fatbin({{.payload = cuda::CubinFile{.kernels = {cuda::kernel("add")}}.build()},
                                             {.kind = 1, .sm = 90, .payload = entryOf("").replace(21, 5, "sm_90")}});
    const library::PackagePtr package =
        kind == QLatin1String("vulkan")   ? libraryOf({{"_lib", ""}, {"vulkan", vulkan(kAdd, Info::Four, true)}})
        : kind == QLatin1String("fatbin") ? cudaLibrary("cubin", fatbin)
        : kind == QLatin1String("cuda")   ? cudaLibrary("cuda", "__global__ void add() {}")
                                          : cudaLibrary("ptx", entryOf(""));
    QVERIFY(package);
    NullMonitor monitor;
    const auto target = compile::targetOf(*package, *Ref::parse(ref.toStdString()), monitor);
    std::string text;
    if (target) {
      text = target->ref.toString() + " " + target->content + " " +
             (target->source ? std::string(compile::languageName(*target->source)) : "-") + " ";
      for (std::size_t i = 0; i < target->architectures.size(); ++i)
        text += (i > 0 ? " " : "") + target->architectures[i];
    } else {
      text = target.error().message();
    }
    QVERIFY2(text == expected.toStdString() || (!target && text.starts_with(expected.toStdString())), text.c_str());
  }

  void codeHasToFit_data() {
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, const std::string& code, const char* expected) {
      QTest::newRow(name) << QByteArray::fromStdString(code) << QByteArray(expected);
    };
    row("fits", entryOf(".param .u64 a, .param .u32 b"), "");
    row("no such kernel", ".version 8.0\n.target sm_80\n.visible .entry mul(.param .u64 a)\n{\nret;\n}\n",
        "the module lists the kernel 'add', and the compiled code has none of that name");
    row("one parameter", entryOf(".param .u64 a"),
        "the compiled kernel 'add' takes 1 parameter, and the library passes 2");
    row("wide number", entryOf(".param .u64 a, .param .u64 b"),
        "parameter 1 of the compiled kernel 'add' has 8 bytes, and the library passes int32 with 4 bytes");
    row("smaller block", entryOf(".param .u64 a, .param .u32 b", ".maxntid 32, 1, 1\n"),
        "the compiled kernel 'add' runs with at most 32 threads in a block, the one before with 64, and the library "
        "still launches that");
    row("same block", entryOf(".param .u64 a, .param .u32 b", ".maxntid 64, 1, 1\n"), "");
  }
  void codeHasToFit() {
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, expected);
    const library::PackagePtr package =
        cudaLibrary("ptx", entryOf(".param .u64 a, .param .u32 b", ".maxntid 64, 1, 1\n"));
    NullMonitor monitor;
    const auto target = compile::targetOf(*package, Ref::moduleAt("", 1), monitor);
    QVERIFY(target);
    compile::Compiled compiled;
    compiled.ok = true;
    compiled.format = "ptx";
    compiled.code = bytes(code.toStdString());
    std::string text;
    for (const std::string& misfit : compile::misfitsOf(*package, *target, compiled)) text += misfit;
    QCOMPARE(QByteArray::fromStdString(text), expected);
  }

  /// The flags and the architecture of `backend_config`; flags that could name a file are left out.
  void recordedFlagsAreProposed() {
    const std::string config = R"({"cuda":{"arch":"sm_75","nvcc":["--use_fast_math","-I/tmp","-O3",7],)"
                               R"("ptxas":["--register-usage-level=10"],"nvrtc":"-x"}})";
    const std::string code = code3("cuda", kAdd, "__global__ void add() {}", Info::Four);
    const auto flagsOf = [](const std::string& payload, std::string_view compiler) {
      const library::PackagePtr package = libraryOf({{"_lib", ""}, {"cuda", payload}});
      NullMonitor monitor;
      const auto target = compile::targetOf(*package, Ref::moduleAt("", 1), monitor);
      QStringList out;
      if (!target) return out << "no target";
      if (const auto flags = target->flags.find(compiler); flags != target->flags.end())
        for (const std::string& flag : flags->second) out << QString::fromStdString(flag);
      for (const std::string& one : target->architectures) out << QString::fromStdString(one);
      return out;
    };
    const std::string configured = code + ByteBuilder().str(config).take();
    QCOMPARE(flagsOf(configured, "nvcc"), (QStringList{"--use_fast_math", "-O3", "sm_75"}));
    QCOMPARE(flagsOf(configured, "ptxas"), (QStringList{"--register-usage-level=10", "sm_75"}));
    QCOMPARE(flagsOf(configured, "nvrtc"), QStringList{"sm_75"});
    const library::PackagePtr package = libraryOf({{"_lib", ""}, {"cuda", configured}});
    NullMonitor monitor;
    const auto target = compile::targetOf(*package, Ref::moduleAt("", 1), monitor);
    QVERIFY(target && target->leftOut.size() == 1);
    QCOMPARE(target->leftOut.at("nvcc"), std::vector<std::string>{"-I/tmp"});
    QCOMPARE(flagsOf(code, "nvcc"), QStringList());
    QCOMPARE(flagsOf(code + ByteBuilder().str("{}").take(), "nvcc"), QStringList());
  }

  void formatFollowsTheCode() {
    const library::PackagePtr package = cudaLibrary("ptx", entryOf(""));
    NullMonitor monitor;
    const auto target = compile::targetOf(*package, Ref::moduleAt("", 1), monitor);
    QVERIFY(target);
    compile::Compiled compiled;
    compiled.code = bytes("code");
    compiled.format = "fatbin";
    const std::vector<edit::Edit> edits = compile::editsFor(*package, *target, compiled);
    QCOMPARE(edits.size(), std::size_t{2});
    QCOMPARE(std::get<edit::Replace>(edits[0]).target.toString(), "m1/field:data"s);
    QCOMPARE(std::get<edit::SetField>(edits[1]).value.text(), "fatbin"s);
    compiled.format = "ptx";
    QCOMPARE(compile::editsFor(*package, *target, compiled).size(), std::size_t{1});
  }
};

BLOBSCOPE_TEST(TestPlace);
#include "test_place.moc"
