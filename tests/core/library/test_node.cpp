#include "core/library/node.h"
#include "core/library/node_pages.h"

#include "core/library/locator.h"
#include "core/view/render.h"
#include "tests/core/library/blob_text.h"
#include "tests/core/library/library_file.h"
#include "tests/core/library/records.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using library::PackagePtr;

namespace {

/// The second kernel has no shader.
Record vulkanRecord() {
  return {"vulkan", ByteBuilder()
                        .str("vulkan")
                        .raw(functionMap(kTwo, Info::Three))
                        .u64(1)
                        .str("add_kernel")
                        .raw(shader(0, 9))
                        .take()};
}

ElfBuilder builder() {
  ElfBuilder elf;
  elf.staticSymbols = true;
  elf.function("run").undefined("TVMFuncCall");
  elf.data("before", std::string(16, '\x11'));
  elf.data("__tvm_dev_mblob", classicBlob({libRecord(), cudaRecord(), openclRecord(), vulkanRecord(), vendorRecord()},
                                          {{{1, 2, 3, 4}, {}, {2}, {}, {}}}));
  elf.data("__tvm_module_ctx", std::string(8, '\0'));
  elf.data("sizeless", "abc", 0);
  elf.symbol("nowhere", 0x700000, 4, 1 << 4 | 1, 3);
  elf.symbol("number", 42, 0, 1 << 4, 0xfff1);
  return elf;
}

PackagePtr package() {
  static const PackagePtr made = openOnDisk(builder().build());
  return made;
}

Ref refOf(const QString& text) {
  const auto ref = Ref::parse(text.toStdString());
  if (!ref) qFatal("'%s' is no reference", qPrintable(text));
  return *ref;
}

QString pagesText(const view::PageList& pages) {
  QStringList names;
  for (const view::Page& page : pages)
    names << QString::fromStdString(page.name + " " + std::string(view::pageKind(page)));
  return names.join(QStringLiteral(", "));
}

std::string rendered(const view::PageList& pages) {
  std::string out;
  NullMonitor monitor;
  for (const view::Page& page : pages) {
    out += "## " + page.name + "\n";
    if (!view::renderText(page, [&](std::string_view text) { out += text; }, monitor)) qFatal("rendering failed");
  }
  return out;
}

} // namespace

/// Everything that a reference can name, with its bytes and pages.
class TestLibraryNode : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase();
  void refFindsItsNodeAndPages_data();
  void refFindsItsNodeAndPages();
  void unknownRefIsRefused_data();
  void unknownRefIsRefused();
  void payloadExcludesKeyAndLength();
  void fieldRefGivesTheBytesOfTheField_data();
  void fieldRefGivesTheBytesOfTheField();
  void everyFieldHasARef();
  void reasonForMissingBytesNamesAnExistingNode();
  void pagesAreRepeatable();
  void importTreeOfEachStreamIsShown();
  void importersOfASharedModuleAreCounted();
  void problemsPageListsAllDiagnostics();
  void damagedModuleShowsItsProblem();
  void offsetFindsItsNode();
  void everyOffsetFindsTheInnermostNode();
  void offsetInAFileWithoutPartsFindsTheFile();
};

void TestLibraryNode::initTestCase() {
  QCOMPARE(package()->blobs.size(), std::size_t{1});
  QVERIFY(package()->blobs[0]->cut.complete);
}

void TestLibraryNode::refFindsItsNodeAndPages_data() {
  QTest::addColumn<QString>("ref");
  QTest::addColumn<QString>("title");
  QTest::addColumn<QString>("bytes"); ///< of the first 8 in hex, with the size; or why there are none
  QTest::addColumn<QString>("pages");
  const auto add = [](const char* ref, const QString& title, const QString& bytes, const QString& pages) {
    QTest::newRow(*ref ? ref : "the file") << ref << title << bytes << pages;
  };
  const ElfBuilder elf = builder();
  const std::string file = elf.build();
  const auto text = [](const std::string& bytes) {
    return QString::fromStdString(hexDigits(std::string_view(bytes).substr(0, 8)) + " " + std::to_string(bytes.size()));
  };
  const QString all = QStringLiteral("Overview table, Problems table, Symbols table, Sections table, Hex hex");
  const std::string blob =
      file.substr(elf.offsetOf("__tvm_dev_mblob"), elf.offsetOf("__tvm_module_ctx") - elf.offsetOf("__tvm_dev_mblob"));
  add("", QStringLiteral("file '%1'").arg(shown(package()->path)), text(file), all);
  add("@0x10+4", "bytes at 0x10", text(file.substr(16, 4)), "Hex hex");
  add("@16", "bytes at 0x10", text(file.substr(16)), "Hex hex");
  add("@0+0", "bytes at 0x0", text(""), "Hex hex");
  add("m1@0x10+4", "bytes at 0x10", text(file.substr(16, 4)), "Hex hex");
  add("blob", "blob at '__tvm_dev_mblob'", text(blob),
      "Overview table, Modules table, Graph graph, Fields fields, Hex hex");
  add("imports", "import tree", text(ByteBuilder().words({0, 4, 4, 5, 5, 5}).words({1, 2, 3, 4, 2}).take()),
      "Imports table, Graph graph, Hex hex");
  add("m0", "module 0 '_lib'", "it represents the library", "Overview table, About notice");
  add("m1", "module 1 'cuda'", text(cudaRecord().payload),
      "Overview table, Functions table, Source text, PTX table, Entries table, Fields fields, Hex hex");
  add("m2", "module 2 'opencl'", text(openclRecord().payload),
      "Overview table, Functions table, Source text, Fields fields, Hex hex");
  add("m3", "module 3 'vulkan'", text(vulkanRecord().payload),
      "Overview table, Functions table, Fields fields, Hex hex");
  add("m4", "module 4 'Vendor.Kind'", text(vendorRecord().payload), "Overview table, Fields fields, Hex hex");
  add("m1/kernel:add_kernel", "kernel 'add_kernel'", "all kernels of the module share its field 'data'",
      "Source text, Instruction mix table, Fields fields");
  const std::string openclSource = openclText(kTwo);
  add("m2/kernel:mul%2Fkernel", "kernel 'mul/kernel'", text(openclSource.substr(openclSource.rfind("// Function"))),
      "Source text, Fields fields, Hex hex");
  add("m3/kernel:add_kernel", "kernel 'add_kernel'", text(shader(0, 9).substr(12)),
      "SPIR-V table, Disassembly text, Validation table, Fields fields, Hex hex");
  add("m1/field:fmt", "field 'fmt'", text("ptx"), "Fields fields, Text text, Hex hex");
  add("m4/field:bytes", "field 'bytes'", text(vendorRecord().payload), "Fields fields, Hex hex");
  add("host:run", "symbol 'run'", text("\x31\xc0\xc3\x90"), "Overview table, Disassembly text, Hex hex");
  add("symbol:run", "symbol 'run'", text("\x31\xc0\xc3\x90"), "Overview table, Disassembly text, Hex hex");
  add("symbol:before", "symbol 'before'", text(std::string(16, '\x11')), "Overview table, Hex hex");
  add("symbol:__tvm_dev_mblob", "symbol '__tvm_dev_mblob'", text(blob), "Overview table, Hex hex");
  add("symbol:TVMFuncCall", "symbol 'TVMFuncCall'", "it is undefined here", "Overview table");
  add("symbol:sizeless", "symbol 'sizeless'", "the symbol table gives it no size; name a range as @OFFSET+SIZE",
      "Overview table");
  add("symbol:nowhere", "symbol 'nowhere'", "the file contains no bytes for it", "Overview table");
  add("symbol:number", "symbol 'number'", "the file contains no bytes for it", "Overview table");
  add("section:.rodata", "section '.rodata'", text(file.substr(elf.dataOffset())), "Overview table, Hex hex");
}

void TestLibraryNode::refFindsItsNodeAndPages() {
  QFETCH(QString, ref);
  QFETCH(QString, title);
  QFETCH(QString, bytes);
  QFETCH(QString, pages);
  const auto node = library::findNode(*package(), refOf(ref));
  QVERIFY2(node, node ? "" : node.error().message().c_str());
  QCOMPARE(QString::fromStdString(node->title), title);
  QCOMPARE(node->ref, refOf(ref));
  if (node->bytes) {
    QCOMPARE(
        QString::fromStdString(hexDigits(node->bytes->view().substr(0, 8)) + " " + std::to_string(node->bytes->size())),
        bytes);
    QVERIFY(node->whyNoBytes.empty());
  } else {
    QCOMPARE(QString::fromStdString(node->whyNoBytes), bytes);
  }
  const auto list = library::nodePages(package(), refOf(ref));
  QVERIFY(list);
  QCOMPARE(pagesText(*list), pages);
}

void TestLibraryNode::unknownRefIsRefused_data() {
  QTest::addColumn<QString>("ref");
  QTest::addColumn<QString>("message");
  const auto add = [](const char* ref, const char* reason) {
    QTest::newRow(ref)
        << ref
        << QStringLiteral("'%1' does not exist in this file: %2").arg(QLatin1String(ref), QString::fromUtf8(reason));
  };
  add("m5", "the blob has 5 modules, counted from 0");
  add("m4294967295", "the blob has 5 modules, counted from 0");
  add("other_:m1", "no blob has the prefix 'other_'");
  add("other_:blob", "no blob has the prefix 'other_'");
  add("%FF:imports", "no blob has the prefix '\\xff'");
  add("m1/kernel:none", "the module has no kernel with that name");
  add("m1/kernel:add_kernle", "the module has no kernel with that name; did you mean 'add_kernel'?");
  add("m0/kernel:none", "the module has no kernel with that name");
  add("m4/kernel:none", "the module has no kernel with that name");
  add("m1/field:none", "the module has no field with that path; its page 'Fields' lists them");
  add("m1/field:fmap[2]", "the module has no field with that path; its page 'Fields' lists them");
  add("m1/field:fmap.key", "the module has no field with that path; its page 'Fields' lists them");
  add("m1/field:fmap[0", "the module has no field with that path; its page 'Fields' lists them");
  add("m1/field:fmap[-1]", "the module has no field with that path; its page 'Fields' lists them");
  add("m1/field:", "the module has no field with that path; its page 'Fields' lists them");
  add("m1/param:p0", "a module of kind 'cuda' has no parts of the kind 'param'");
  add("m4/entry:0", "a module of kind 'Vendor.Kind' has no parts of the kind 'entry'");
  add("m1/kernel:add_kernel/field:key", "a part of a module has no parts itself");
  add("host:none", "the library has no host function with that name");
  add("host:TVMFuncCall", "the library has no host function with that name");
  add("symbol:none", "no symbol has that name");
  add("section:.none", "no section has that name");
  add("member:a.o", "the file is not an archive and has no members");
  add("a.o!m1", "the file is not an archive and has no members");
  const uint64_t size = package()->bytes.size();
  const QByteArray end = QByteArray::number(static_cast<qulonglong>(size));
  const std::string reason = "the file ends at " + hexText(size);
  const auto beyond = [&](const char* name, const QString& ref) {
    QTest::newRow(name) << ref
                        << QStringLiteral("'%1' does not exist in this file: %2")
                               .arg(QString::fromStdString(refOf(ref).toString()), QString::fromStdString(reason));
  };
  beyond("first byte behind the file", QStringLiteral("@%1").arg(size));
  beyond("one byte too many", QStringLiteral("@%1+2").arg(size - 1));
  beyond("a size that wraps", QStringLiteral("@16+0xffffffffffffffff"));
  beyond("far away, in a module", QStringLiteral("m1@0xffffffffffffffff+1"));
}

void TestLibraryNode::unknownRefIsRefused() {
  QFETCH(QString, ref);
  QFETCH(QString, message);
  const auto node = library::findNode(*package(), refOf(ref));
  QVERIFY(!node);
  QCOMPARE(node.error().id(), DiagnosticId::RefNotFound);
  QCOMPARE(QString::fromStdString(node.error().message()), message);
  QCOMPARE(node.error().place(), refOf(ref));
  const auto pages = library::nodePages(package(), refOf(ref));
  QVERIFY(!pages);
  QCOMPARE(QString::fromStdString(pages.error().message()), message);
}

/// The output of `extract` and the input of a replacement: the payload, without key and length.
void TestLibraryNode::payloadExcludesKeyAndLength() {
  for (const Record& record : {cudaRecord(), openclRecord(), vulkanRecord(), vendorRecord()}) {
    for (const std::string& blob :
         {classicBlob({libRecord(), record}, {{{1}, {}}}), ffiBlob({libRecord(), record}, {{1}, {}})}) {
      const std::string file = elfWith("__tvm_ffi_library_bin", blob);
      const PackagePtr made = openOnDisk(file);
      const auto node = library::findNode(*made, Ref::moduleAt({}, 1));
      QVERIFY(node && node->bytes);
      QCOMPARE(whereDifferent(node->bytes->view(), record.payload), QString());
      const library::Blob& opened = *made->blobs[0];
      QCOMPARE(*node->bytes->offset(), *opened.bytes.offset() + opened.modules[1]->payloadOffset);
      QCOMPARE(whereDifferent(file.substr(*node->bytes->offset(), node->bytes->size()), record.payload), QString());
    }
  }
}

void TestLibraryNode::fieldRefGivesTheBytesOfTheField_data() {
  QTest::addColumn<QString>("ref");
  QTest::addColumn<QByteArray>("bytes");
  const auto add = [](const char* ref, const std::string& bytes) {
    QTest::newRow(ref) << ref << QByteArray::fromStdString(bytes);
  };
  add("m1/field:fmt", "ptx");
  add("m1/field:fmap", functionMap(kTwo, Info::Three));
  add("m1/field:fmap[0]", ByteBuilder().str("add_kernel").raw(functionInfo(kTwo[0], Info::Three)).take());
  add("m1/field:fmap[1].key", "mul/kernel");
  add("m1/field:fmap[1].info", functionInfo(kTwo[1], Info::Three));
  add("m1/field:fmap[1].info.name", "");
  add("m1/field:fmap[1].info.arg_types", ByteBuilder().u64(1).u32(0x00014003).take());
  add("m1/field:fmap[1].info.arg_types[0]", ByteBuilder().u32(0x00014003).take());
  add("m1/field:fmap[1].info.launch_param_tags[0]", "threadIdx.x");
  add("m1/field:data", ptxText(kTwo));
  add("m3/field:smap[0].shader.flag", ByteBuilder().u32(0).take());
  add("m3/field:smap[0].shader.words", shader(0, 9).substr(12));
}

void TestLibraryNode::fieldRefGivesTheBytesOfTheField() {
  QFETCH(QString, ref);
  QFETCH(QByteArray, bytes);
  const auto node = library::findNode(*package(), refOf(ref));
  QVERIFY(node && node->bytes);
  QCOMPARE(whereDifferent(node->bytes->view(), bytes.toStdString()), QString());
  QVERIFY(node->bytes->offset());
}

void TestLibraryNode::everyFieldHasARef() {
  for (const library::ModulePtr& module : package()->blobs[0]->modules) {
    const FieldTree tree = modules::describeBody(*module->body, module->payload);
    for (uint32_t row = 0; row < tree.rows.size(); ++row) {
      const Ref ref = Ref::moduleAt({}, module->index).part(PartKind::Field, tree.path(row));
      const auto again = Ref::parse(ref.toString());
      QVERIFY2(again && *again == ref, ref.toString().c_str());
      const auto node = library::findNode(*package(), *again);
      QVERIFY2(node && node->bytes, ref.toString().c_str());
      QCOMPARE(node->bytes->data(), tree.content(row).data());
      const auto pages = library::nodePages(package(), *again);
      QVERIFY(pages && !pages->empty());
      const auto* fields = std::get_if<view::FieldsPage>(&pages->front().content);
      QVERIFY(fields);
      QCOMPARE(whyNotTiled(*fields->tree, tree.rows[row].size), QString());
    }
  }
}

/// A reason that refers to another node names one that exists.
void TestLibraryNode::reasonForMissingBytesNamesAnExistingNode() {
  for (const char* ref : {"m1/kernel:add_kernel", "m3/kernel:mul%2Fkernel"}) {
    const auto node = library::findNode(*package(), refOf(QLatin1String(ref)));
    QVERIFY2(node && !node->bytes && !node->whyNoBytes.empty(), ref);
    const QString why = QString::fromStdString(node->whyNoBytes);
    if (!why.contains(QLatin1String("field '"))) continue;
    const QString field = why.section(QLatin1String("field '"), 1).section(QLatin1Char('\''), 0, 0);
    const auto named = library::findNode(*package(), refOf(QString::fromLatin1(ref).section(QLatin1Char('/'), 0, 0) +
                                                           QStringLiteral("/field:") + field));
    QVERIFY2(named && named->bytes, qPrintable(QLatin1String(ref) + QStringLiteral(": ") + why));
  }
}

void TestLibraryNode::pagesAreRepeatable() {
  for (const char* ref : {"", "blob", "imports", "m0", "m1", "m2", "m3", "m4", "m2/kernel:add_kernel", "m1/field:fmap",
                          "host:run", "symbol:before", "section:.rodata", "@0+100"}) {
    const auto first = library::nodePages(package(), refOf(QLatin1String(ref)));
    const auto second = library::nodePages(package(), refOf(QLatin1String(ref)));
    QVERIFY(first && second && !first->empty());
    QCOMPARE(whereDifferent(rendered(*second), rendered(*first)), QString());
    QStringList names;
    for (const view::Page& page : *first) names << QString::fromStdString(page.name);
    QCOMPARE(names.removeDuplicates(), 0);
  }
}

void TestLibraryNode::importTreeOfEachStreamIsShown() {
  const auto pages = [](const std::string& blob) {
    const auto list =
        library::nodePages(openOnDisk(elfWith("__tvm_ffi_library_bin", blob)), refOf(QStringLiteral("imports")));
    if (!list) qFatal("no pages of the imports");
    return QString::fromStdString(rendered({list->front()})) + QLatin1String("## ") + pagesText(*list);
  };
  QCOMPARE(pages(ffiBlob({libRecord(), vendorRecord()}, {{1}, {}})),
           QStringLiteral("## Imports\n"
                          "module  kind         imports         imported by\n"
                          "m0      _lib         m1 Vendor.Kind            0\n"
                          "m1      Vendor.Kind  –                         1\n"
                          "## Imports table, Graph graph, Hex hex"));
  // A flat stream has no tree record: there are no bytes to show.
  QCOMPARE(pages(classicBlob({cudaRecord()}, std::nullopt)), QStringLiteral("## Imports\n"
                                                                            "module  kind  imports  imported by\n"
                                                                            "m0      cuda  –                  0\n"
                                                                            "## Imports table, Graph graph"));
  const PackagePtr flat = openOnDisk(elfWith("__tvm_dev_mblob", classicBlob({cudaRecord()}, std::nullopt)));
  QCOMPARE(library::findNode(*flat, refOf(QStringLiteral("imports")))->whyNoBytes, std::string("the stream has none"));

  const std::string ffi = ffiBlob({libRecord(), vendorRecord()}, {{1}, {}});
  const auto node =
      library::findNode(*openOnDisk(elfWith("__tvm_ffi__library_bin", ffi)), refOf(QStringLiteral("imports")));
  QCOMPARE(whereDifferent(node->bytes->view(), ByteBuilder().words({0, 1, 1}).words({1}).take()), QString());
}

void TestLibraryNode::importersOfASharedModuleAreCounted() {
  const auto pages = library::nodePages(package(), refOf(QStringLiteral("imports")));
  const auto& table = *std::get<view::TablePage>(pages->front().content).source;
  QCOMPARE(table.cell(2, 0), std::string("m2"));
  QCOMPARE(table.cell(2, 3), std::string("2")); // by m0 and by itself
  QVERIFY(hasFinding(package()->diagnostics, DiagnosticId::BlobCycle));
}

void TestLibraryNode::problemsPageListsAllDiagnostics() {
  const auto pages = library::nodePages(package(), Ref::file());
  const auto& table = *std::get<view::TablePage>((*pages)[1].content).source;
  QCOMPARE(table.rowCount(), uint64_t{package()->diagnostics.size()});
  QStringList rows;
  for (uint64_t row = 0; row < table.rowCount(); ++row) {
    QStringList cells;
    for (std::size_t column = 0; column < 4; ++column) cells << QString::fromStdString(table.cell(row, column));
    rows << cells.join(QLatin1Char('|'));
  }
  QCOMPARE(rows, (QStringList{"note|BLOB-UNKNOWN-KIND|no decoder for module kind 'Vendor.Kind'; its payload, 4 bytes, "
                              "is shown undecoded|m4",
                              "error|BLOB-CYCLE|modules import one another in a cycle: m2 → m2|imports"}));
}

void TestLibraryNode::damagedModuleShowsItsProblem() {
  const std::string payload = patched(cudaRecord().payload, 11, 1u << 20);
  const PackagePtr made =
      openOnDisk(elfWith("__tvm_ffi__library_bin", ffiBlob({libRecord(), {"cuda", payload}}, {{1}, {}})));
  const auto pages = library::nodePages(made, Ref::moduleAt({}, 1));
  QVERIFY(pages);
  QCOMPARE(pagesText(*pages), QStringLiteral("Overview table, Fields fields, Hex hex"));
  const std::string text = rendered({pages->front()});
  QVERIFY2(text.find("damaged") != std::string::npos, text.c_str());
  QVERIFY2(text.find(made->diagnostics[0].message()) != std::string::npos, text.c_str());
  QVERIFY(made->diagnostics[0].message().find("fmap count 1,048,576 at 0x") != std::string::npos);
  const auto node = library::findNode(*made, Ref::moduleAt({}, 1));
  QCOMPARE(whereDifferent(node->bytes->view(), payload), QString());
}

void TestLibraryNode::offsetFindsItsNode() {
  const ElfBuilder elf = builder();
  const std::string file = elf.build();
  const library::Locator locator(*package());
  const library::Blob& blob = *package()->blobs[0];
  const auto at = [&](uint64_t offset) { return QString::fromStdString(locator.at(offset).toString()); };
  const auto payload = [&](std::size_t module) { return *blob.modules[module]->payload.offset(); };
  QCOMPARE(at(0), QString());
  QCOMPARE(at(elf.offsetOf("before")), QStringLiteral("section:.rodata"));
  QCOMPARE(at(*blob.bytes.offset() - 1), QStringLiteral("section:.rodata"));
  QCOMPARE(at(*blob.bytes.offset()), QStringLiteral("blob"));
  QCOMPARE(at(payload(1) - 1), QStringLiteral("blob")); // its key
  QCOMPARE(at(payload(1)), QStringLiteral("m1"));
  QCOMPARE(at(payload(1) + cudaRecord().payload.size() - 1), QStringLiteral("m1"));
  QCOMPARE(at(payload(1) + cudaRecord().payload.size()), QStringLiteral("blob")); // the next key
  const uint64_t source = payload(2) + openclRecord().payload.find("// Function: add_kernel");
  QCOMPARE(at(source - 1), QStringLiteral("m2"));
  QCOMPARE(at(source), QStringLiteral("m2/kernel:add_kernel"));
  QCOMPARE(at(payload(2) + openclRecord().payload.size() - 1), QStringLiteral("m2/kernel:mul%2Fkernel"));
  QCOMPARE(at(payload(3) + vulkanRecord().payload.size() - 1), QStringLiteral("m3/kernel:add_kernel"));
  QCOMPARE(at(payload(4)), QStringLiteral("m4"));
  QCOMPARE(at(*blob.bytes.offset() + blob.bytes.size() - 1), QStringLiteral("blob"));
  QCOMPARE(at(*blob.bytes.offset() + blob.bytes.size()), QStringLiteral("section:.rodata"));
  QCOMPARE(at(file.size()), QString());
  QCOMPARE(at(~uint64_t{0}), QString());
}

/// The innermost node that contains the byte, found by a slow search.
void TestLibraryNode::everyOffsetFindsTheInnermostNode() {
  const library::Locator locator(*package());
  struct Range {
    Extent extent;
    std::string ref;
  };
  std::vector<Range> ranges;
  for (const container::Section& section : package()->image.sections)
    ranges.push_back({section.file, Ref::named(Ref::Kind::Section, section.name).toString()});
  const library::Blob& blob = *package()->blobs[0];
  ranges.push_back({{*blob.bytes.offset(), blob.bytes.size()}, "blob"});
  for (const library::ModulePtr& module : blob.modules) {
    ranges.push_back({{*module->payload.offset(), module->payload.size()}, blob.moduleRef(module->index).toString()});
    for (const modules::Kernel& kernel : module->body->kernels())
      if (kernel.code)
        ranges.push_back({{*kernel.code->offset(), kernel.code->size()},
                          blob.moduleRef(module->index).part(PartKind::Kernel, kernel.name.view()).toString()});
  }
  for (uint64_t offset = 0; offset < package()->bytes.size(); ++offset) {
    std::string expected;
    uint64_t smallest = UINT64_MAX;
    for (const Range& range : ranges) {
      if (!range.extent.contains(offset) || range.extent.size >= smallest) continue;
      smallest = range.extent.size;
      expected = range.ref;
    }
    const std::string found = locator.at(offset).toString();
    QVERIFY2(found == expected, (hexText(offset) + ": " + found + ", not " + expected).c_str());
  }
}

void TestLibraryNode::offsetInAFileWithoutPartsFindsTheFile() {
  ElfBuilder elf;
  elf.sectionHeaders = false;
  const PackagePtr made = openOnDisk(elf.build());
  const library::Locator locator(*made);
  QCOMPARE(locator.at(0), Ref::file());
  QCOMPARE(locator.at(made->bytes.size() / 2), Ref::file());
}

BLOBSCOPE_TEST(TestLibraryNode);
#include "test_node.moc"
