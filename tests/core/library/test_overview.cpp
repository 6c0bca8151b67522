#include "core/library/overview.h"

#include "tests/core/library/blob_text.h"
#include "tests/core/library/library_file.h"
#include "tests/core/library/records.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/wasm_builder.h"

#include <QFile>
#include <QRegularExpression>

#include <cstring>

using namespace blobscope;
using namespace blobscope::test;
using library::Overview;
using library::PackagePtr;
using library::RowKind;

namespace {

const std::vector<Function> kTwoPlain = {{"add_kernel"}, {"mul_kernel"}};

Record cudaOf(Info info) { return {"cuda", code3("ptx", kTwoPlain, ptxText(kTwoPlain), info)}; }
Record openclOf(Info info) { return {"opencl", code3("cl", {{"add_kernel"}}, openclText({{"add_kernel"}}), info)}; }

Overview overviewOf(const PackagePtr& package) {
  NullMonitor monitor;
  auto overview = library::fileOverview(*package, monitor);
  if (!overview) qFatal("the overview was not computed: %s", overview.error().message().c_str());
  return std::move(*overview);
}
Overview overviewOf(std::string_view file) { return overviewOf(openOnDisk(file)); }

QString partsText(const Overview& overview) {
  QStringList lines;
  for (const Overview::Part& part : overview.parts)
    lines << QStringLiteral("%1 | %2 | %3 | %4")
                 .arg(shown(part.name), shown(part.what), shown(part.ref.toString()))
                 .arg(part.bytes);
  return lines.join(QLatin1Char('\n'));
}

QString factsText(const Overview& overview) {
  QStringList lines;
  for (const Overview::Fact& fact : overview.facts)
    lines << QStringLiteral("%1: %2 (%3)").arg(shown(fact.label), shown(fact.value), shown(fact.term));
  return lines.join(QLatin1Char('\n'));
}

/// Says which guarantee about the parts is broken, whatever the file is; empty when none is.
QString whyPartsUnsound(const library::Package& package, const Overview& overview) {
  uint64_t sum = 0;
  for (const Overview::Part& part : overview.parts) {
    if (part.bytes > package.bytes.size() - sum)
      return QStringLiteral("with '%1' there are more than the file's %2 bytes: %3")
          .arg(shown(part.name))
          .arg(package.bytes.size())
          .arg(partsText(overview));
    sum += part.bytes;
  }
  if (sum != package.bytes.size())
    return QStringLiteral("%1 of %2 bytes: %3").arg(sum).arg(package.bytes.size()).arg(partsText(overview));
  return {};
}

/// A library with code, a blob, sections of all groups and a static symbol table.
ElfBuilder builder() {
  ElfBuilder elf;
  elf.staticSymbols = true;
  elf.function("run").function("stop");
  elf.data("__tvm_ffi__library_bin", ffiBlob({libRecord(), cudaOf(Info::Four), vendorRecord()}, {{1}, {2}, {}}));
  elf.data("__TVMFFIFunctionCall", std::string(8, '\0'));
  return elf;
}

/// The offset of the section header with that name in a 64-bit file of ElfBuilder.
std::size_t headerOf(std::string_view file, std::string_view name) {
  const PackagePtr package = openOnDisk(file);
  for (std::size_t i = 0; i < package->image.sections.size(); ++i)
    if (package->image.sections[i].name == name) {
      uint64_t table = 0;
      std::memcpy(&table, file.data() + 40, 8); // e_shoff
      return table + i * 64;
    }
  qFatal("no such section");
}
constexpr std::size_t kShOffset = 24, kShSize = 32;

} // namespace

/// The first information for a new user.
class TestLibraryOverview : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void sentenceDescribesTheFile_data();
  void sentenceDescribesTheFile();
  void libraryWithoutBlobIsDescribed();
  void libraryWithoutTvmIsDescribed();
  void intactFileIsNotDamaged();
  void undecodedBytesAreNotDamage();
  void damageIsCountedByModule();
  void warningsAreNotDamage();
  void factsDescribeTheLibrary();
  void unknownDevicesAreNotCalledNone();
  void fileWithoutTvmSaysSo();
  void damagedFileIsNotCalledForeign();
  void hostAbiIsThatOfTheHostFunctions();
  void linkedWebAssemblyDoesNotNameItsFunctions();
  void factsDescribeOtherContainers();
  void partsFollowTheContents();
  void partsOfTwoBlobsAreSeparate();
  void partsCoverTheWholeFile_data();
  void partsCoverTheWholeFile();
  void partsCoverTruncatedFiles();
  void everyPartHasAName();
  void overlappingBlobsAreCountedOnce();
  void overviewCanBeCancelled();
};

void TestLibraryOverview::sentenceDescribesTheFile_data() {
  QTest::addColumn<QByteArray>("file");
  QTest::addColumn<QString>("sentence");
  const auto row = [](const char* name, const std::string& file, const char* sentence) {
    QTest::newRow(name) << QByteArray::fromStdString(file) << QString::fromUtf8(sentence);
  };
  const auto classic = [](const std::vector<Record>& records, const std::vector<std::vector<uint64_t>>& imports) {
    return elfWith("__tvm_dev_mblob", classicBlob(records, imports));
  };
  const auto ffi = [](const std::vector<Record>& records, const std::vector<std::vector<uint64_t>>& imports) {
    return elfWith("__tvm_ffi__library_bin", ffiBlob(records, imports));
  };
  row("operators", classic({libRecord(), cudaOf(Info::Three)}, {{1}, {}}),
      "Operator library for 64-bit x86 with NVIDIA CUDA code. Its blob has the format of TVM v0.7 – v0.20.");
  row("two devices", classic({libRecord(), cudaOf(Info::Three), openclOf(Info::Three)}, {{1, 2}, {}, {}}),
      "Operator library for 64-bit x86 with NVIDIA CUDA and OpenCL code. Its blob has the format of TVM v0.7 – "
      "v0.20.");
  row("three devices, each named once",
      ffi({libRecord(), cudaOf(Info::Four), openclOf(Info::Four), cudaOf(Info::Four), vendorRecord("metal")},
          {{1, 2, 3, 4}, {}, {}, {}, {}}),
      "Operator library for 64-bit x86 with NVIDIA CUDA, OpenCL and Apple Metal code. Its blob has the format of "
      "TVM v0.22 and later.");
  row("Relax", ffi({vendorRecord("relax.VMExecutable"), libRecord()}, {{1}, {}}),
      "Relax VM library for 64-bit x86. Its blob has the format of TVM v0.22 and later.");
  row("graph", classic({vendorRecord("GraphExecutorFactory"), libRecord()}, {{1}, {}}),
      "Graph executor library for 64-bit x86. Its blob has the format of TVM v0.7 – v0.20.");
  row("constants", ffi({vendorRecord("const_loader"), libRecord()}, {{1}, {}}),
      "Library with constants for 64-bit x86. Its blob has the format of TVM v0.22 and later.");
  row("a root of an unknown kind", ffi({vendorRecord(), libRecord()}, {{1}, {}}),
      "TVM library for 64-bit x86. Its blob has the format of TVM v0.22 and later.");
  row("flat stream: no root", elfWith("__tvm_dev_mblob", classicBlob({cudaOf(Info::Three)}, std::nullopt)),
      "TVM library for 64-bit x86 with NVIDIA CUDA code. Its blob has the format of TVM v0.2 – v0.6.");
}

void TestLibraryOverview::sentenceDescribesTheFile() {
  QFETCH(QByteArray, file);
  QFETCH(QString, sentence);
  const PackagePtr package = openOnDisk(file.toStdString());
  const Overview overview = overviewOf(package);
  QCOMPARE(QString::fromStdString(overview.sentence), sentence);
  QCOMPARE(whyPartsUnsound(*package, overview), QString());
}

void TestLibraryOverview::libraryWithoutBlobIsDescribed() {
  ElfBuilder elf;
  elf.function("add");
  elf.data("__TVMFuncCall", std::string(8, '\0'));
  const PackagePtr package = openOnDisk(elf.build());
  const Overview overview = overviewOf(package);
  QCOMPARE(QString::fromStdString(overview.sentence),
           QStringLiteral("TVM library with host code only for 64-bit x86."));
  QCOMPARE(QString::fromStdString(overview.state), QStringLiteral("Nothing is damaged."));
  QCOMPARE(QString::fromStdString(overview.stateDetail), QStringLiteral("There is no blob to decode."));
  QCOMPARE(overview.worst, Severity::Note);
  QCOMPARE(overview.blobBytes, uint64_t{0});
  const QString facts = factsText(overview);
  QVERIFY2(facts.contains(QLatin1String("Era: no blob (era)")), qPrintable(facts));
  QVERIFY2(facts.contains(QLatin1String("Carrier: none (carrier)")), qPrintable(facts));
  QVERIFY2(facts.contains(QLatin1String("Host functions: 1 (packed-function)")), qPrintable(facts));
  for (const Overview::Part& part : overview.parts)
    QVERIFY2(part.kind != RowKind::Module && part.kind != RowKind::Blob, part.name.c_str());
  QCOMPARE(whyPartsUnsound(*package, overview), QString());
}

void TestLibraryOverview::libraryWithoutTvmIsDescribed() {
  ElfBuilder elf;
  elf.function("add").data("table", "0123456789abcdef");
  const Overview overview = overviewOf(elf.build());
  QCOMPARE(QString::fromStdString(overview.sentence),
           QStringLiteral("Library without any sign of TVM for 64-bit x86."));
  QVERIFY(factsText(overview).contains(QLatin1String("Host ABI: none (host-abi)")));
}

void TestLibraryOverview::intactFileIsNotDamaged() {
  const std::string blob = ffiBlob({libRecord(), cudaOf(Info::Four)}, {{1}, {}});
  const Overview overview = overviewOf(elfWith("__tvm_ffi__library_bin", blob));
  QCOMPARE(QString::fromStdString(overview.state), QStringLiteral("Nothing is damaged."));
  QCOMPARE(QString::fromStdString(overview.stateDetail),
           QStringLiteral("All %1 bytes of the blob are decoded.").arg(blob.size()));
  QCOMPARE(overview.worst, Severity::Note);
  QCOMPARE(overview.blobBytes, uint64_t{blob.size()});
  QCOMPARE(overview.owned, overview.blobBytes);
}

void TestLibraryOverview::undecodedBytesAreNotDamage() {
  const std::string blob = ffiBlob({libRecord(), vendorRecord()}, {{1}, {}});
  const Overview overview = overviewOf(elfWith("__tvm_ffi__library_bin", blob));
  QCOMPARE(QString::fromStdString(overview.state), QStringLiteral("Nothing is damaged."));
  QCOMPARE(QString::fromStdString(overview.stateDetail),
           QStringLiteral("%1 of %2 bytes of the blob are decoded; the rest is shown as bytes.")
               .arg(blob.size() - 4)
               .arg(blob.size()));
}

void TestLibraryOverview::damageIsCountedByModule() {
  const std::string bad = patched(cudaOf(Info::Four).payload, 11, 1u << 20);
  for (const int count : {1, 2}) {
    std::vector<Record> records = {libRecord()};
    std::vector<std::vector<uint64_t>> imports(static_cast<std::size_t>(count) + 1);
    for (int i = 1; i <= count; ++i) {
      records.push_back({"cuda", bad});
      imports[0].push_back(static_cast<uint64_t>(i));
    }
    const PackagePtr package = openOnDisk(elfWith("__tvm_ffi__library_bin", ffiBlob(records, imports)));
    const Overview overview = overviewOf(package);
    QCOMPARE(overview.worst, Severity::Error);
    QCOMPARE(QString::fromStdString(overview.state),
             count == 1 ? QStringLiteral("Something is damaged.") : QStringLiteral("2 things are damaged."));
    QVERIFY(package->diagnostics.size() == static_cast<std::size_t>(count));
    QCOMPARE(overview.stateDetail, package->diagnostics[0].message());
    QVERIFY(partsText(overview).contains(QLatin1String("cuda | damaged | m1 | ")));
    QCOMPARE(whyPartsUnsound(*package, overview), QString());
  }
}

void TestLibraryOverview::warningsAreNotDamage() {
  // m2 has no importer.
  const std::string blob = ffiBlob({libRecord(), vendorRecord("a"), vendorRecord("b")}, {{1}, {}, {}});
  const Overview overview = overviewOf(elfWith("__tvm_ffi__library_bin", blob));
  QCOMPARE(overview.worst, Severity::Warning);
  QCOMPARE(QString::fromStdString(overview.state), QStringLiteral("Nothing is damaged."));
}

void TestLibraryOverview::factsDescribeTheLibrary() {
  const ElfBuilder elf = builder();
  const std::string file = elf.build();
  QCOMPARE(
      factsText(overviewOf(file)),
      QStringLiteral(
          "Container: ELF 64-bit shared object (container)\n"
          "Era: C1 (TVM v0.22 and later), ffi stream (era)\n"
          "Size: %1 ()\n"
          "Host ABI: ffi2 (host-abi)\n"
          "Producer: TVM: it has the symbol '__tvm_ffi__library_bin' ()\n"
          "Host machine: x86_64 ()\n"
          "Carrier: __tvm_ffi__library_bin at %2 (carrier)\n"
          "Device: NVIDIA CUDA; perhaps also 'Vendor.Kind' (less than 1 % of the file, no decoder) (device-module)\n"
          "Host functions: 0 (packed-function)")
          .arg(QString::fromStdString(sizeText(file.size())),
               QString::fromStdString(hexText(elf.offsetOf("__tvm_ffi__library_bin")))));
}

/// A part that no decoder knows, or that is in the host object, is not "no device".
void TestLibraryOverview::unknownDevicesAreNotCalledNone() {
  const std::string blob = ffiBlob({libRecord(), {"Vendor.Kind", std::string(30'000, '\x01')}}, {{1}, {}});
  QString facts = factsText(overviewOf(elfWith("__tvm_ffi__library_bin", blob)));
  QVERIFY2(
      facts.contains(QRegularExpression("Device: not known: 'Vendor\\.Kind' \\([0-9]{2} % of the file, no decoder\\)")),
      qPrintable(facts));
  const std::string both = ffiBlob({libRecord(), cudaOf(Info::Four), vendorRecord()}, {{1, 2}, {}, {}});
  facts = factsText(overviewOf(elfWith("__tvm_ffi__library_bin", both)));
  QVERIFY2(facts.contains(QLatin1String("Device: NVIDIA CUDA; perhaps also 'Vendor.Kind' (")), qPrintable(facts));
  std::vector<Record> many = {libRecord()};
  std::vector<std::vector<uint64_t>> imports = {{}};
  for (uint64_t i = 1; i <= 9; ++i) {
    many.push_back(vendorRecord("Vendor.Kind" + std::to_string(i)));
    imports[0].push_back(i);
    imports.emplace_back();
  }
  facts = factsText(overviewOf(elfWith("__tvm_ffi__library_bin", ffiBlob(many, imports))));
  QVERIFY2(facts.contains(QLatin1String(" and 3 more without a decoder")), qPrintable(facts));
}

void TestLibraryOverview::fileWithoutTvmSaysSo() {
  ElfBuilder elf;
  elf.function("main_loop");
  elf.data("table", std::string(8, '\0'));
  const Overview overview = overviewOf(elf.build());
  QCOMPARE(QString::fromStdString(overview.state), QStringLiteral("This file does not seem to come from TVM."));
  QVERIFY(!overview.ofTvm);
}

/// Cut before its symbol table.
void TestLibraryOverview::damagedFileIsNotCalledForeign() {
  QFile sample(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cuda-a.so"));
  QVERIFY(sample.open(QIODevice::ReadOnly));
  const PackagePtr package = openOnDisk(sample.read(30'000).toStdString());
  const Overview overview = overviewOf(package);
  QCOMPARE(QString::fromStdString(overview.sentence),
           QStringLiteral("Damaged library for 64-bit x86 with NVIDIA CUDA code."));
  QVERIFY(overview.ofTvm);
  const QString facts = factsText(overview);
  QVERIFY2(facts.contains(QLatin1String("; perhaps more, because the file is damaged (device-module)")),
           qPrintable(facts));
  QVERIFY2(facts.contains(QLatin1String("Host ABI: not known, because the file is damaged (host-abi)")),
           qPrintable(facts));
  QVERIFY2(facts.contains(QLatin1String("Host functions: not known (packed-function)")), qPrintable(facts));
  QVERIFY(QString::fromStdString(package->diagnostics.front().message())
              .startsWith(QLatin1String("the segment of program header ")));
}

/// As in the archive of a system library: the object with the blob has fewer signs of the ABI than that with the code.
void TestLibraryOverview::hostAbiIsThatOfTheHostFunctions() {
  ElfBuilder blob, code;
  blob.data("own___tvm_ffi__library_bin", ffiBlob({libRecord(), cudaOf(Info::Four)}, {{1}, {}}));
  code.function("__tvm_ffi_main").data("__TVMFFIEnvModLookupFromImports", std::string(8, '\0'));
  const std::string archive = tarOf({{"devc.o", blob.build()}, {"lib0.o", code.build()}});
  QVERIFY2(factsText(overviewOf(archive)).contains(QLatin1String("Host ABI: ffi4 (host-abi)")),
           qPrintable(factsText(overviewOf(archive))));
}

/// Linked with a runtime: only the runtime is exported, and runs of zeros of the blob are not stored.
void TestLibraryOverview::linkedWebAssemblyDoesNotNameItsFunctions() {
  constexpr uint32_t kBase = 0x400, kZeros = 40'000;
  const std::string zeros(kZeros, '\0'),
      blob = ffiBlob({libRecord(), {"Vendor.Kind", "head" + zeros + "tail"}}, {{1}, {}});
  const std::size_t hole = blob.find(zeros);
  const auto after = static_cast<uint32_t>(hole + kZeros);
  const std::string file = wasm::module(
      {wasm::section(5, wasm::list({wasm::memory(2)})), wasm::section(10, wasm::list({wasm::body(wasm::kDrop)})),
       wasm::section(11, wasm::list({wasm::dataAt(kBase, blob.substr(0, hole)),
                                     wasm::dataAt(kBase + after, blob.substr(after))}))});
  const PackagePtr package = openOnDisk(file);
  QCOMPARE(package->blobs.size(), std::size_t{1});
  QCOMPARE(package->blobs[0]->bytes.size(), uint64_t{blob.size()});
  const Overview overview = overviewOf(package);
  const QString facts = factsText(overview);
  QVERIFY2(facts.contains(QLatin1String(
               "Host ABI: not known, because this WebAssembly file does not export its host functions (host-abi)")),
           qPrintable(facts));
  QVERIFY2(facts.contains(QLatin1String("Host functions: not known (packed-function)")), qPrintable(facts));
  QCOMPARE(whyPartsUnsound(*package, overview), QString());
  const QString parts = partsText(overview);
  QVERIFY2(parts.startsWith(QLatin1String("Data segments | ")), qPrintable(parts));
  QVERIFY2(parts.contains(QLatin1String("Host code | functions without names | ")), qPrintable(parts));
}

void TestLibraryOverview::factsDescribeOtherContainers() {
  ElfBuilder elf;
  elf.is64 = false;
  elf.bigEndian = true;
  elf.machine = 8; // MIPS
  elf.function("add").data("table", "0123456789abcdef");
  QString facts = factsText(overviewOf(elf.build()));
  QVERIFY2(facts.startsWith(QLatin1String("Container: ELF 32-bit shared object, big endian (container)\n")),
           qPrintable(facts));
  QVERIFY2(facts.contains(QLatin1String("Host machine: mips ()")), qPrintable(facts));
  QVERIFY2(facts.contains(QLatin1String("Device: none found (device-module)")), qPrintable(facts));
  ElfBuilder object;
  object.type = 1;
  object.machine = 0xfffe;
  object.function("add");
  facts = factsText(overviewOf(object.build()));
  QVERIFY2(facts.startsWith(QLatin1String("Container: ELF 64-bit object file (container)\n")), qPrintable(facts));
  QVERIFY2(facts.contains(QLatin1String("Host machine: unknown ()")), qPrintable(facts));
}

void TestLibraryOverview::partsFollowTheContents() {
  const std::string file = builder().build();
  const PackagePtr package = openOnDisk(file);
  const Overview overview = overviewOf(package);
  const library::Blob& blob = *package->blobs[0];
  uint64_t code = 0, data = 0;
  for (const container::Section& section : package->image.sections) {
    if (section.name == ".text") code = section.file.size;
    if (section.name == ".rodata") data = section.file.size - blob.bytes.size();
  }
  const uint64_t cudaBytes = cudaOf(Info::Four).payload.size();
  QCOMPARE(partsText(overview), QStringLiteral("cuda | 2 kernels, ptx | m1 | %1\n"
                                               "Vendor.Kind | no decoder for this kind | m2 | 4\n"
                                               "Blob header and tree | keys, lengths, import tree | blob | %2\n"
                                               "Host code | 0 host functions |  | %3\n"
                                               "Read-only and initialised data | messages, tables |  | %4\n"
                                               "Symbols, tables, padding | loader tables, headers |  | %5")
                                    .arg(cudaBytes)
                                    .arg(blob.bytes.size() - cudaBytes - 4)
                                    .arg(code)
                                    .arg(data)
                                    .arg(file.size() - blob.bytes.size() - code - data));
  QCOMPARE(QString::fromStdString(overview.parts[0].moduleKey), QStringLiteral("cuda"));
  QCOMPARE(overview.parts[0].kind, RowKind::Module);
  QCOMPARE(overview.parts[2].kind, RowKind::Blob);
  QCOMPARE(whyPartsUnsound(*package, overview), QString());
}

void TestLibraryOverview::partsOfTwoBlobsAreSeparate() {
  ElfBuilder elf;
  const std::string first = classicBlob({libRecord(), vendorRecord("a")}, {{{1}, {}}});
  const std::string second = classicBlob({libRecord(), vendorRecord("b"), vendorRecord("c")}, {{{1, 2}, {}, {}}});
  elf.data("x___tvm_dev_mblob", first).data("y___tvm_dev_mblob", second);
  const PackagePtr package = openOnDisk(elf.build());
  const Overview overview = overviewOf(package);
  QCOMPARE(overview.blobBytes, uint64_t{first.size() + second.size()});
  QStringList refs;
  for (const Overview::Part& part : overview.parts)
    if (part.kind == RowKind::Module || part.kind == RowKind::Blob) refs << shown(part.ref.toString());
  QCOMPARE(refs, (QStringList{"x_:m1", "x_:blob", "y_:m1", "y_:m2", "y_:blob"}));
  QCOMPARE(whyPartsUnsound(*package, overview), QString());
}

void TestLibraryOverview::partsCoverTheWholeFile_data() {
  QTest::addColumn<QByteArray>("file");
  const auto row = [](const char* name, const std::string& file) {
    QTest::newRow(name) << QByteArray::fromStdString(file);
  };
  const ElfBuilder elf = builder();
  const std::string file = elf.build();
  row("as built", file);
  row("bytes after the last section", file + std::string(5'000, 'x'));
  ElfBuilder bare = builder();
  bare.sectionHeaders = false;
  row("no section headers", bare.build());
  ElfBuilder object = builder();
  object.type = 1;
  row("object file", object.build());
  for (const char* const name : {".text", ".rodata", ".dynsym"}) {
    const std::size_t header = headerOf(file, name);
    const auto damaged = [&](const char* how, std::size_t field, uint64_t value) {
      QTest::addRow("%s %s", name, how) << QByteArray::fromStdString(patched(file, header + field, value));
    };
    damaged("claims the whole file", kShSize, file.size());
    damaged("claims more than there is", kShSize, file.size() * 100);
    damaged("claims 2^64 - 1 bytes", kShSize, UINT64_MAX);
    damaged("begins behind the end", kShOffset, file.size() + 1);
    damaged("begins at 2^64 - 1", kShOffset, UINT64_MAX);
    damaged("begins at the file's first byte", kShOffset, 0);
    damaged("lies over the blob", kShOffset, elf.offsetOf("__tvm_ffi__library_bin") - 16);
    damaged("is empty", kShSize, 0);
  }
  std::string everywhere = file;
  for (const char* const name : {".text", ".rodata", ".dynsym", ".dynstr", ".symtab"})
    everywhere =
        patched(patched(everywhere, headerOf(file, name) + kShSize, file.size()), headerOf(file, name) + kShOffset, 0);
  row("all sections claim the whole file", everywhere);
}

void TestLibraryOverview::partsCoverTheWholeFile() {
  QFETCH(QByteArray, file);
  const PackagePtr package = openOnDisk(file.toStdString());
  QCOMPARE(whyPartsUnsound(*package, overviewOf(package)), QString());
}

/// Truncated at many places: every remaining part is listed once.
void TestLibraryOverview::partsCoverTruncatedFiles() {
  const std::string file = builder().build();
  int opened = 0;
  for (std::size_t size = 1; size < file.size(); size += 7) {
    const auto package = openBytes(std::string_view(file).substr(0, size));
    if (!package) continue;
    ++opened;
    QVERIFY2(whyPartsUnsound(**package, overviewOf(*package)).isEmpty(),
             qPrintable(QStringLiteral("%1: %2").arg(size).arg(whyPartsUnsound(**package, overviewOf(*package)))));
  }
  QVERIFY(opened > 50);
}

/// The contents tree names it "unreadable record".
void TestLibraryOverview::everyPartHasAName() {
  const std::string blob = ffiBlob({libRecord(), vendorRecord()}, {{1}, {}});
  // The length of m1's key exceeds the end.
  const std::string bad = patched(blob, blob.find("Vendor.Kind") - 8, 1u << 20);
  const PackagePtr package = openOnDisk(elfWith("__tvm_ffi__library_bin", bad));
  const Overview overview = overviewOf(package);
  QCOMPARE(whyPartsUnsound(*package, overview), QString());
  QVERIFY(overview.parts.front().kind == RowKind::Module);
  for (const Overview::Part& part : overview.parts) QVERIFY2(!part.name.empty(), qPrintable(partsText(overview)));
}

/// Two symbols for the same bytes; the second one is after the header of the first.
void TestLibraryOverview::overlappingBlobsAreCountedOnce() {
  const std::string inner = classicBlob({libRecord(), {"Vendor.Kind", std::string(60'000, 'v')}}, {{{1}, {}}});
  const auto with = [&](uint64_t address) {
    ElfBuilder elf;
    elf.data("x___tvm_dev_mblob", withHeader(inner));
    elf.symbol("y___tvm_dev_mblob", address, inner.size(), 1 << 4 | 1, 8); // .rodata
    return elf;
  };
  const PackagePtr package = openOnDisk(with(with(0).base + with(0).offsetOf("x___tvm_dev_mblob") + 8).build());
  QCOMPARE(package->blobs.size(), std::size_t{2});
  QCOMPARE(QString::fromStdString(textOf(*package->blobs[1])), QStringLiteral("B1: _lib > 1 | Vendor.Kind?"));
  QCOMPARE(whyPartsUnsound(*package, overviewOf(package)), QString());
}

void TestLibraryOverview::overviewCanBeCancelled() {
  const PackagePtr package = openOnDisk(builder().build());
  StopAfter stop(0);
  const auto overview = library::fileOverview(*package, stop);
  QVERIFY(!overview);
  QCOMPARE(overview.error().id(), DiagnosticId::Cancelled);
}

BLOBSCOPE_TEST(TestLibraryOverview);
#include "test_overview.moc"
