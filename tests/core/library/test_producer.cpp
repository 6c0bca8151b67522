#include "core/library/producer.h"

#include "core/library/node_pages.h"
#include "tests/core/library/library_file.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using library::FileKind;
using library::PackagePtr;

namespace {

/// "f name" a function, "u name" undefined, "t text" a text in read-only data, "d name" data.
PackagePtr packageOf(const QStringList& parts) {
  ElfBuilder elf;
  int texts = 0;
  for (const QString& part : parts) {
    const std::string word = part.mid(2).toStdString();
    switch (part[0].toLatin1()) {
    case 'f': elf.function(word); break;
    case 'u': elf.undefined(word); break;
    case 'd': elf.data(word, std::string(8, '\0')); break;
    case 't': elf.data("text" + std::to_string(++texts), '\0' + word + '\0'); break;
    default: qFatal("no such part");
    }
  }
  const auto package = openBytes(elf.build());
  if (!package) qFatal("%s", package.error().message().c_str());
  return *package;
}

const QStringList kRuntime = {QStringLiteral("f TVMFuncCall"),        QStringLiteral("f TVMFuncFree"),
                              QStringLiteral("f TVMModLoadFromFile"), QStringLiteral("f TVMArrayAlloc"),
                              QStringLiteral("f TVMGetLastError"),    QStringLiteral("d table")};

} // namespace

/// Who made a library, and what files are.
class TestProducer : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void signsDecide_data();
  void signsDecide();
  void runtimesAreNotLibraries();
  void filesThatNobodyJudges_data();
  void filesThatNobodyJudges();
  void textsOfTileLangDecide();
  void archivesHaveTheProducerOfTheirMembers();
  void registeredNamesAreListed();
  void readingCanBeCancelled();
  void kindsAreCounted();
};

void TestProducer::signsDecide_data() {
  QTest::addColumn<QStringList>("parts");
  QTest::addColumn<QString>("sentence"); ///< empty: none
  const auto row = [](const char* name, QStringList parts, const char* sentence) {
    QTest::newRow(name) << std::move(parts) << QString::fromUtf8(sentence);
  };
  row("nothing", {"f run", "u memcpy"}, "");
  row("TVM", {"f __tvm_ffi_f", "d __tvm_ffi__library_ctx"}, "made by TVM: it has the symbol '__tvm_ffi__library_ctx'");
  row("TVM of old", {"f fused_add", "d __tvm_module_ctx"}, "made by TVM: it has the symbol '__tvm_module_ctx'");
  row("a function that calls nothing", {"f __tvm_ffi_f", "u TVMFFIErrorSetRaisedFromCStrParts"},
      "made by TVM: its checks call 'TVMFFIErrorSetRaisedFromCStrParts'");
  row("a function and nothing else", {"f __tvm_ffi_f"}, "made by TVM: it exports functions as TVM does");
  row("CuTe DSL", {"f __tvm_ffi_f", "f __cute_internal_f_cuda_init", "u TVMFFIErrorSetRaisedFromCStrParts"},
      "made by CuTe DSL: it has symbols such as '__cute_internal_f_cuda_init'");
  row("CuTe DSL without tvm-ffi", {"f run", "u CuteDSLRT_Launch"},
      "made by CuTe DSL: it has symbols such as 'CuteDSLRT_Launch'");
  row("FlashInfer", {"f __tvm_ffi_f", "f _ZN10flashinfer4normEv", "f _ZN3tvm3ffi3AnyC1Ev"},
      "made by FlashInfer: it has symbols such as 'flashinfer::norm()'");
  row("tvm-ffi", {"f __tvm_ffi_f", "f _ZN3tvm3ffi3AnyC1Ev"},
      "made by tvm-ffi: it has C++ code of tvm-ffi such as 'tvm::ffi::Any::Any()'");
  row("tvm-ffi, without symbols of its code", {"f __tvm_ffi_f", "u TVMFFIErrorMoveFromRaised"},
      "made by tvm-ffi: it imports 'TVMFFIErrorMoveFromRaised'");
  row("registers in start-up code", {"f run", "u TVMFFIFunctionSetGlobal", "f _ZN3tvm3ffi3AnyC1Ev"},
      "made by tvm-ffi, with functions and classes that it registers itself: its start-up code registers them with "
      "'TVMFFIFunctionSetGlobal', and it exports no function '__tvm_ffi_…'");
  row("registers and exports", {"f __tvm_ffi_f", "u TVMFFIFunctionSetGlobal", "f _ZN3tvm3ffi3AnyC1Ev"},
      "made by tvm-ffi: it has C++ code of tvm-ffi such as 'tvm::ffi::Any::Any()'");
  row("nvcc", {"f run", "u __cudaRegisterFatBinary"}, "made by nvcc: it has the symbol '__cudaRegisterFatBinary'");
  row("hipcc", {"f __tvm_ffi_f", "u __hipRegisterFatBinary"},
      "made by hipcc: it has the symbol '__hipRegisterFatBinary'");
  row("TVM with device code of nvcc", {"f __tvm_ffi_f", "d __TVMFFIFunctionCall", "u __cudaRegisterFatBinary"},
      "made by TVM: it has the symbol '__TVMFFIFunctionCall'");
  row("a runtime", kRuntime, "TVM runtime: it exports 5 functions of TVM's C interface");
  row("too few functions for a runtime", kRuntime.mid(1), "");
  row("a part of a runtime", {"u _ZN3tvm7runtime9DeviceAPI9SetStreamEv"},
      "part of a TVM runtime: it has C++ code of TVM such as 'tvm::runtime::DeviceAPI::SetStream()', and no function "
      "for a runtime to call");
  row("uses the registry of a runtime", {"f run", "u _ZN3tvm7runtime8Registry8RegisterEv"}, "");
  row("tests of a runtime",
      {"f TVMFFITestingA", "f TVMFFITestingB", "f TVMFFITestingC", "f TVMFFITestingD", "f TVMFFITestingE"}, "");
  row("hostile names", {"f _ZN", "f _ZN3", "f _ZN99999tvm", "f _ZN3tvm", "f _ZN3tvm0ffi", "f PyInit"}, "");
}

void TestProducer::signsDecide() {
  QFETCH(QStringList, parts);
  QFETCH(QString, sentence);
  const PackagePtr package = packageOf(parts);
  QCOMPARE(package->producer ? QString::fromStdString(package->producer->sentence()) : QString(), sentence);
}

void TestProducer::runtimesAreNotLibraries() {
  const PackagePtr runtime = packageOf(kRuntime);
  QCOMPARE(runtime->kind(), std::string_view("runtime"));
  QVERIFY2(runtime->diagnostics.empty(), runtime->diagnostics.empty() ? "" : runtime->diagnostics[0].message().c_str());
  // A program with a runtime and models is used for its models.
  ElfBuilder elf;
  for (const QString& part : kRuntime)
    if (part.startsWith(QLatin1Char('f'))) elf.function(part.mid(2).toStdString());
  elf.data("__tvm_ffi__library_bin",
           ffiBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"k"}}, "x", Info::Four)}}, {{1}, {}}));
  const auto both = openBytes(elf.build());
  QVERIFY(both.hasValue());
  QCOMPARE((*both)->kind(), std::string_view("library"));
  QCOMPARE((*both)->producer->id, std::string_view("tvm"));
  // Objects of a runtime are linked into something else.
  elf = ElfBuilder();
  elf.type = 1;
  for (const QString& part : kRuntime)
    if (part.startsWith(QLatin1Char('f'))) elf.function(part.mid(2).toStdString());
  const auto object = openBytes(elf.build());
  QVERIFY(object.hasValue());
  QCOMPARE((*object)->kind(), std::string_view("objects"));
}

void TestProducer::filesThatNobodyJudges_data() {
  QTest::addColumn<QStringList>("parts");
  QTest::addColumn<QByteArray>("kind");
  const auto row = [](const char* name, QStringList parts, const char* kind) {
    QTest::newRow(name) << std::move(parts) << QByteArray(kind);
  };
  row("a library", {"f __tvm_ffi_f"}, "library");
  row("a library of old", {"f fused_add", "d __tvm_module_ctx"}, "library");
  row("registers functions", {"f run", "u TVMFFIFunctionSetGlobal"}, "library");
  row("a runtime", kRuntime, "runtime");
  row("a Python extension", {"f PyInit_core", "u PyObject_Call"}, "python-extension");
  row("a Python extension that uses a runtime", {"f PyInit_core", "u TVMFFIFunctionCall", "u TVMFFITypeRegisterField"},
      "python-extension");
  row("a library that Python can load too", {"f PyInit_core", "f __tvm_ffi_f"}, "library");
  row("something else", {"f run"}, "other");
  row("device code", {"f run", "u __cudaRegisterFatBinary"}, "library");
}

void TestProducer::filesThatNobodyJudges() {
  QFETCH(QStringList, parts);
  QFETCH(QByteArray, kind);
  QCOMPARE(library::fileKindName(packageOf(parts)->file), std::string_view(kind.constData()));
}

void TestProducer::textsOfTileLangDecide() {
  const PackagePtr library =
      packageOf({"f __tvm_ffi_mm", "d __tvm_ffi__library_ctx", "t kernel mm input A dtype mismatch, expected float16",
                 "t kernel mm input A expected pointer or tensor handle"});
  QCOMPARE(library->producer->sentence(),
           std::string("made by TileLang: it has the text 'kernel mm input A expected pointer or tensor handle'"));
  const PackagePtr other =
      packageOf({"f __tvm_ffi_mm", "d __tvm_ffi__library_ctx", "t kernel panic input is not expected"});
  QCOMPARE(other->producer->id, std::string_view("tvm"));
}

void TestProducer::archivesHaveTheProducerOfTheirMembers() {
  const std::string source = "// tilelang target: {\"kind\":\"c\"}\nint32_t __tvm_ffi_mm(void* self) {\n}\n";
  const auto package = openBytes(tarOf({{"lib0.c", source}, {"README", "text"}}));
  QVERIFY(package.hasValue());
  QCOMPARE((*package)->producer->id, std::string_view("tilelang"));
  QCOMPARE((*package)->members.at(0).package->host.functions.at(0).name, std::string_view("mm"));
}

void TestProducer::registeredNamesAreListed() {
  const PackagePtr library =
      packageOf({"u TVMFFIFunctionSetGlobal", "f _ZN3tvm3ffi3AnyC1Ev", "t app.Grammar", "t app.testing.f",
                 "t app.Grammar", "t grammar.cc", "t ffi.Array", "t common.CNAME", "t nodots", "t two..dots",
                 "t ends.with.", "t .begins", "t 1.2.3.4", "t ab.cdef", "t not a.name"});
  NullMonitor monitor;
  const auto names = library::computeRegisteredNames(library->image, monitor);
  QVERIFY(names.hasValue());
  QStringList found;
  for (const std::string_view name : *names) found << shown(name);
  QCOMPARE(found, (QStringList{"app.Grammar", "app.testing.f"}));
  const auto pages = library::nodePages(library, Ref::file());
  QVERIFY(pages.hasValue());
  QVERIFY(std::any_of(pages->begin(), pages->end(),
                      [](const view::Page& page) { return page.name == "Registered names"; }));
  const auto other = library::nodePages(packageOf({"f __tvm_ffi_f"}), Ref::file());
  QVERIFY(other.hasValue());
  QVERIFY(std::none_of(other->begin(), other->end(),
                       [](const view::Page& page) { return page.name == "Registered names"; }));
}

void TestProducer::readingCanBeCancelled() {
  const PackagePtr library = packageOf({"f __tvm_ffi_f"});
  StopAfter monitor(0);
  const auto producer = library::findProducer(library->image, library->host, false, monitor);
  QVERIFY(!producer);
  QVERIFY(producer.error().code() == ErrorCode::Cancelled);
}

void TestProducer::kindsAreCounted() {
  QCOMPARE(library::fileKindCount(FileKind::PythonExtension, 3), std::string("3 Python extensions"));
  QCOMPARE(library::fileKindCount(FileKind::Runtime, 1), std::string("1 runtime"));
  QCOMPARE(library::fileKindCount(FileKind::Other, 1'400), std::string("1,400 other files"));
  QCOMPARE(library::fileKindCount(FileKind::Library, 2), std::string("2 libraries"));
  QCOMPARE(library::fileKindCount(FileKind::Source, 1), std::string("1 source file"));
}

BLOBSCOPE_TEST(TestProducer);
#include "test_producer.moc"
