#include "core/library/contents.h"

#include "core/describe/node.h"

#include "core/base/limits.h"
#include "core/library/node.h"
#include "core/library/node_pages.h"
#include "tests/core/library/blob_text.h"
#include "tests/core/library/library_file.h"
#include "tests/core/library/records.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace blobscope;
using namespace blobscope::test;
using library::ContentsRow;
using library::PackagePtr;
using library::RowKind;

namespace {

/// The rows as drawn in the tree, one line each, indented by two spaces per level: "Kind name (detail) [page] 12 bytes
/// shared error → ref".
QString textOf(const std::vector<ContentsRow>& rows) {
  constexpr std::array kKinds = {"Library",      "Blob",      "Module",   "Kernels", "Kernel", "Functions",
                                 "Function",     "Constants", "Constant", "Images",  "Image",  "HostCode",
                                 "HostFunction", "Symbols",   "Sections", "Section", "Member", "More"};
  std::vector<std::vector<uint32_t>> children(rows.size());
  for (uint32_t row = 1; row < rows.size(); ++row) {
    if (rows[row].parent >= row) qFatal("row %u is not behind its parent", row);
    children[rows[row].parent].push_back(row);
  }
  struct Open {
    uint32_t row;
    int depth;
  };
  std::vector<Open> open = {{0, 0}};
  QStringList lines;
  while (!open.empty()) {
    const Open now = open.back();
    open.pop_back();
    for (auto child = children[now.row].rbegin(); child != children[now.row].rend(); ++child)
      open.push_back({*child, now.depth + 1});
    const ContentsRow& row = rows[now.row];
    QString line(now.depth * 2, QLatin1Char(' '));
    line += QLatin1String(kKinds[static_cast<std::size_t>(row.kind)]) + QLatin1Char(' ') + shown(row.name);
    if (!row.detail.empty()) line += QStringLiteral(" (%1)").arg(shown(row.detail));
    if (!row.page.empty()) line += QStringLiteral(" [%1]").arg(shown(row.page));
    if (row.size) line += QStringLiteral(" %1 bytes").arg(*row.size);
    if (row.shared) line += QStringLiteral(" shared");
    if (row.worst) line += QLatin1Char(' ') + shown(severityName(*row.worst));
    lines << line + QStringLiteral(" → ") + shown(row.ref.toString());
  }
  return lines.join(QLatin1Char('\n'));
}

std::vector<ContentsRow> contentsOf(std::string_view file) { return library::contentsOf(*openOnDisk(file)); }

std::vector<ContentsRow> contentsOfBlob(std::string_view blob) {
  return contentsOf(elfWith("__tvm_ffi_library_bin", blob));
}

/// The modules below the blob.
QString modulesText(std::string_view blob) {
  QStringList lines;
  for (const QString& line : textOf(contentsOfBlob(blob)).split(QLatin1Char('\n')))
    if (line.contains(QLatin1String("  Module "))) lines << line.mid(4);
  return lines.join(QLatin1Char('\n'));
}

std::vector<uint32_t> rowsOf(const std::vector<ContentsRow>& rows, RowKind kind) {
  std::vector<uint32_t> found;
  for (uint32_t row = 0; row < rows.size(); ++row)
    if (rows[row].kind == kind) found.push_back(row);
  return found;
}

/// A library with `count` named sections: a new table after the file, whose further entries all point to .rodata.
std::string withSections(std::size_t count) {
  std::string file = elfWith("__tvm_ffi_library_bin", ffiBlob({libRecord()}, {{}}));
  uint64_t table = 0;
  uint16_t entries = 0;
  std::memcpy(&table, file.data() + 40, 8);   // e_shoff
  std::memcpy(&entries, file.data() + 60, 2); // e_shnum
  std::string headers = file.substr(table, entries * 64u);
  const std::string last = headers.substr(headers.size() - 64);
  while (headers.size() < (count + 1) * 64) headers += last;
  const auto total = static_cast<uint16_t>(count + 1);
  file = patched(file, 40, file.size());
  std::memcpy(file.data() + 60, &total, 2);
  return file + headers;
}

std::vector<Function> manyFunctions(int count) {
  std::vector<Function> functions;
  for (int i = 0; i < count; ++i) functions.push_back({"k" + std::to_string(i), {}, {}});
  return functions;
}

} // namespace

/// The contents tree as rows.
class TestLibraryContents : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void contentsListEveryPart();
  void everyRowLeadsToAnExistingNode();
  void importsFormATree_data();
  void importsFormATree();
  void worstSeverityIsShownOnParents();
  void findingWithoutARowBelongsToTheLibrary();
  void notesMarkNoRow();
  void nameIsTheFileNameOnly();
  void severalBlobsAreListed();
  void libraryWithoutBlobListsHostFunctions();
  void libraryWithoutSectionsListsHostFunctions();
  void longListsAreShortened_data();
  void longListsAreShortened();
  void numberOfRowsIsLimited();
};

void TestLibraryContents::contentsListEveryPart() {
  ElfBuilder elf;
  elf.staticSymbols = true;
  elf.function("run").undefined("TVMFuncCall");
  const std::string blob =
      classicBlob({libRecord(), cudaRecord(), openclRecord(), vendorRecord()}, {{{1, 2}, {3}, {3}, {}}});
  elf.data("__tvm_dev_mblob", blob);
  elf.data("__tvm_module_ctx", std::string(8, '\0'));
  const std::string file = elf.build();
  const PackagePtr package = openOnDisk(file);
  const std::string text = openclText(kTwo);
  const std::size_t second = text.rfind("// Function");
  const QString rows = textOf(library::contentsOf(*package));
  const QString wanted = QStringLiteral("Library made.so %1 bytes → \n"
                                        "  Blob Blob (__tvm_dev_mblob) %2 bytes → blob\n"
                                        "    Module _lib (m0) → m0\n"
                                        "      Module cuda (m1) %3 bytes → m1\n"
                                        "        Kernels Kernels (2) [Functions] → m1\n"
                                        "          Kernel add_kernel → m1/kernel:add_kernel\n"
                                        "          Kernel mul/kernel → m1/kernel:mul%2Fkernel\n"
                                        "        Module Vendor.Kind (m3) 4 bytes shared → m3\n"
                                        "      Module opencl (m2) %4 bytes → m2\n"
                                        "        Kernels Kernels (2) [Functions] → m2\n"
                                        "          Kernel add_kernel %5 bytes → m2/kernel:add_kernel\n"
                                        "          Kernel mul/kernel %6 bytes → m2/kernel:mul%2Fkernel\n"
                                        "        Module Vendor.Kind (m3) 4 bytes shared → m3\n"
                                        "  HostCode Host functions (1) [Functions] → \n"
                                        "    HostFunction run 4 bytes → host:run\n"
                                        "  Symbols Symbols (8) [Symbols] → \n")
                             .replace(QLatin1String("mul%2F"), QLatin1String("mul\x01"))
                             .arg(file.size())
                             .arg(blob.size())
                             .arg(cudaRecord().payload.size())
                             .arg(openclRecord().payload.size())
                             .arg(second - text.find("// Function"))
                             .arg(text.size() - second)
                             .replace(QLatin1String("mul\x01"), QLatin1String("mul%2F"));
  QCOMPARE(rows.left(wanted.size()), wanted);
  QStringList sections;
  for (const container::Section& section : package->image.sections)
    if (!section.name.empty())
      sections << QStringLiteral("    Section %1 %2 bytes → section:%1").arg(shown(section.name)).arg(section.size);
  QVERIFY(sections.size() > 8);
  QCOMPARE(rows.mid(wanted.size()),
           QStringLiteral("  Sections Sections (%1) [Sections] → \n").arg(package->image.sections.size()) +
               sections.join(QLatin1Char('\n')));
}

/// The target of a row exists and has the page that the row names.
void TestLibraryContents::everyRowLeadsToAnExistingNode() {
  ElfBuilder elf;
  elf.function("run").function("odd \xff:name");
  elf.data("x___tvm_dev_mblob", classicBlob({libRecord(), cudaRecord(), vendorRecord()}, {{{1}, {2}, {}}}));
  elf.data(
      "__tvm_ffi__library_bin",
      ffiBlob({libRecord(), {"cuda", code3("ptx", kTwo, "//", Info::Four)}, vendorRecord("\xfe\n")}, {{1, 2}, {}, {}}));
  const PackagePtr package = openOnDisk(elf.build());
  const std::vector<ContentsRow> rows = library::contentsOf(*package);
  QVERIFY(rowsOf(rows, RowKind::Kernel).size() == 4 && rowsOf(rows, RowKind::Blob).size() == 2);
  for (const ContentsRow& row : rows) {
    const auto ref = Ref::parse(row.ref.toString());
    QVERIFY2(ref && *ref == row.ref, row.name.c_str());
    NullMonitor monitor;
    const auto pages = describe::pagesOf(package, *ref, monitor);
    QVERIFY2(pages && !pages->empty(), row.name.c_str());
    const auto named = [&](const view::Page& page) { return page.name == row.page; };
    QVERIFY2(row.page.empty() || std::any_of(pages->begin(), pages->end(), named), row.page.c_str());
    QVERIFY(row.name.find('\n') == std::string::npos && isUtf8(row.name) && isUtf8(row.detail));
  }
}

void TestLibraryContents::importsFormATree_data() {
  QTest::addColumn<QByteArray>("blob");
  QTest::addColumn<QString>("rows");
  const auto row = [](const char* name, const std::string& blob, const char* rows) {
    QTest::newRow(name) << QByteArray::fromStdString(blob) << QString::fromUtf8(rows);
  };
  const auto kind = [](const char* key) { return vendorRecord(key); };
  row("flat stream: the library's own children", classicBlob({cudaRecord(), openclRecord()}, std::nullopt),
      "Module cuda (m0) 330 bytes → m0\n"
      "Module opencl (m1) 342 bytes → m1");
  row("children in stored order", ffiBlob({libRecord(), kind("a"), kind("b"), kind("e")}, {{3, 1, 2}, {}, {}, {}}),
      "Module _lib (m0) → m0\n"
      "  Module e (m3) 4 bytes → m3\n"
      "  Module a (m1) 4 bytes → m1\n"
      "  Module b (m2) 4 bytes → m2");
  row("a chain", ffiBlob({libRecord(), kind("a"), kind("b")}, {{1}, {2}, {}}),
      "Module _lib (m0) → m0\n"
      "  Module a (m1) 4 bytes → m1\n"
      "    Module b (m2) 4 bytes → m2");
  row("below a second parent it is not unfolded again",
      ffiBlob({libRecord(), kind("a"), kind("b"), kind("e"), kind("d")}, {{1, 2}, {3}, {3}, {4}, {}}),
      "Module _lib (m0) → m0\n"
      "  Module a (m1) 4 bytes → m1\n"
      "    Module e (m3) 4 bytes shared → m3\n"
      "      Module d (m4) 4 bytes → m4\n"
      "  Module b (m2) 4 bytes → m2\n"
      "    Module e (m3) 4 bytes shared → m3");
  row("a module that imports itself", ffiBlob({libRecord(), kind("a")}, {{1}, {1}}),
      "Module _lib (m0) → m0\n"
      "  Module a (m1) 4 bytes shared → m1\n"
      "    Module a (m1) 4 bytes shared → m1");
  row("a cycle through the root", ffiBlob({libRecord(), kind("a")}, {{1}, {0}}),
      "Module _lib (m0) → m0\n"
      "  Module a (m1) 4 bytes → m1\n"
      "    Module _lib (m0) → m0");
  row("without importer", ffiBlob({libRecord(), kind("a"), kind("b")}, {{1}, {}, {}}),
      "Module _lib (m0) → m0\n"
      "  Module a (m1) 4 bytes → m1\n"
      "Module b (m2) 4 bytes warning → m2");
  row("a cycle without importer", ffiBlob({libRecord(), kind("a"), kind("b")}, {{}, {2}, {1}}),
      "Module _lib (m0) → m0\n"
      "Module a (m1) 4 bytes → m1\n"
      "  Module b (m2) 4 bytes → m2\n"
      "    Module a (m1) 4 bytes → m1");
}

void TestLibraryContents::importsFormATree() {
  QFETCH(QByteArray, blob);
  QFETCH(QString, rows);
  QCOMPARE(modulesText(blob.toStdString()), rows);
}

void TestLibraryContents::worstSeverityIsShownOnParents() {
  // m2 is damaged; m4 has no importer, which is a warning.
  const std::string bad = patched(code3("ptx", kTwo, "//", Info::Four), 11, 1u << 20);
  const auto rows =
      contentsOfBlob(ffiBlob({libRecord(), vendorRecord("a"), {"cuda", bad}, vendorRecord("b"), vendorRecord("e")},
                             {{1, 3}, {2}, {}, {}, {}}));
  QMap<QString, QString> worst;
  for (const ContentsRow& row : rows)
    worst[shown(row.name)] = row.worst ? shown(severityName(*row.worst)) : QStringLiteral("–");
  QCOMPARE(worst[QStringLiteral("made.so")], QStringLiteral("error"));
  QCOMPARE(worst[QStringLiteral("Blob")], QStringLiteral("error"));
  QCOMPARE(worst[QStringLiteral("_lib")], QStringLiteral("error"));
  QCOMPARE(worst[QStringLiteral("a")], QStringLiteral("error"));
  QCOMPARE(worst[QStringLiteral("cuda")], QStringLiteral("error"));
  QCOMPARE(worst[QStringLiteral("b")], QStringLiteral("–"));
  QCOMPARE(worst[QStringLiteral("e")], QStringLiteral("warning"));
  QCOMPARE(worst[QStringLiteral("Host functions")], QStringLiteral("–"));
  QCOMPARE(worst[QStringLiteral(".rodata")], QStringLiteral("–"));
}

void TestLibraryContents::findingWithoutARowBelongsToTheLibrary() {
  // The length header exceeds the available bytes; its finding has a byte as its place.
  const std::string blob = ffiBlob({libRecord(), vendorRecord("a")}, {{1}, {}});
  const auto rows = contentsOfBlob(patched(blob, 0, 1u << 20));
  QCOMPARE(rows[0].worst, std::optional(Severity::Error));
  for (const uint32_t row : rowsOf(rows, RowKind::Module)) QVERIFY(!rows[row].worst);
}

void TestLibraryContents::notesMarkNoRow() {
  const PackagePtr package =
      openOnDisk(elfWith("__tvm_ffi_library_bin", ffiBlob({libRecord(), vendorRecord()}, {{1}, {}})));
  QCOMPARE(package->worst(), std::optional(Severity::Note));
  for (const ContentsRow& row : library::contentsOf(*package)) QVERIFY2(!row.worst, row.name.c_str());
}

void TestLibraryContents::nameIsTheFileNameOnly() {
  const std::string file = elfWith("__tvm_ffi_library_bin", ffiBlob({libRecord()}, {{}}));
  NullMonitor monitor;
  const auto name = [&](const char* path) {
    const auto package = library::open(source(file), path, monitor);
    if (!package) qFatal("opening a made library failed");
    return library::contentsOf(**package).front().name;
  };
  QCOMPARE(name("made.so"), std::string("made.so"));
  QCOMPARE(name("../a/b.so"), std::string("b.so"));
  QCOMPARE(name("/x/line\nbreak\xff"), std::string("line\\nbreak\\xff"));
}

void TestLibraryContents::severalBlobsAreListed() {
  ElfBuilder elf;
  elf.data("x___tvm_dev_mblob", classicBlob({libRecord(), vendorRecord("a")}, {{{1}, {}}}));
  elf.data("y___tvm_dev_mblob", classicBlob({libRecord(), vendorRecord("b")}, {{{1}, {}}}));
  QStringList refs;
  for (const ContentsRow& row : contentsOf(elf.build()))
    if (row.kind == RowKind::Blob || row.kind == RowKind::Module)
      refs << QStringLiteral("%1 %2").arg(row.parent).arg(shown(row.ref.toString()));
  QCOMPARE(refs, (QStringList{"0 x_:blob", "1 x_:m0", "2 x_:m1", "0 y_:blob", "4 y_:m0", "5 y_:m1"}));
}

void TestLibraryContents::libraryWithoutBlobListsHostFunctions() {
  ElfBuilder elf;
  elf.function("add");
  elf.data("__TVMFuncCall", std::string(8, '\0'));
  const auto rows = contentsOf(elf.build());
  QVERIFY(rowsOf(rows, RowKind::Blob).empty() && rowsOf(rows, RowKind::Module).empty());
  const auto functions = rowsOf(rows, RowKind::HostFunction);
  QCOMPARE(functions.size(), std::size_t{1});
  QCOMPARE(rows[functions[0]].name, std::string("add"));
  QCOMPARE(rows[rows[functions[0]].parent].kind, RowKind::HostCode);
}

void TestLibraryContents::libraryWithoutSectionsListsHostFunctions() {
  ElfBuilder elf;
  elf.sectionHeaders = false;
  elf.function("add");
  elf.data("__TVMFuncCall", std::string(8, '\0'));
  const auto rows = contentsOf(elf.build());
  QVERIFY(rowsOf(rows, RowKind::Sections).empty() && rowsOf(rows, RowKind::Section).empty());
  QCOMPARE(rowsOf(rows, RowKind::HostFunction).size(), std::size_t{1});
}

void TestLibraryContents::longListsAreShortened_data() {
  QTest::addColumn<QByteArray>("file");
  QTest::addColumn<int>("kind");
  QTest::addColumn<QString>("group");
  QTest::addColumn<int>("count");
  for (const int count : {2'000, 2'001, 3'500}) {
    const auto row = [&](const char* what, const std::string& file, RowKind kind, const char* group) {
      QTest::addRow("%d %s", count, what)
          << QByteArray::fromStdString(file) << static_cast<int>(kind) << QString::fromLatin1(group) << count;
    };
    const Record many = {"cuda", code3("ptx", manyFunctions(count), "//", Info::Four)};
    row("kernels", elfWith("__tvm_ffi_library_bin", ffiBlob({libRecord(), many}, {{1}, {}})), RowKind::Kernel,
        "Functions");
    ElfBuilder elf;
    elf.data("__TVMFuncCall", std::string(8, '\0'));
    for (int i = 0; i < count; ++i) elf.function("f" + std::to_string(i));
    row("host functions", elf.build(), RowKind::HostFunction, "Functions");
    row("sections", withSections(static_cast<std::size_t>(count)), RowKind::Section, "Sections");
  }
}

void TestLibraryContents::longListsAreShortened() {
  QFETCH(QByteArray, file);
  QFETCH(int, kind);
  QFETCH(QString, group);
  QFETCH(int, count);
  const auto rows = contentsOf(file.toStdString());
  const auto listed = rowsOf(rows, static_cast<RowKind>(kind));
  QCOMPARE(listed.size(), std::size_t{2'000});
  const ContentsRow& parent = rows[rows[listed[0]].parent];
  const bool sections = parent.kind == RowKind::Sections;
  const auto total = static_cast<uint64_t>(count) + (sections ? 1 : 0); // the null section is in the table, too
  QCOMPARE(QString::fromStdString(parent.detail), QString::fromStdString(groupedText(total)));
  const auto more = rowsOf(rows, RowKind::More);
  QCOMPARE(more.size(), std::size_t{count > 2'000 ? 1u : 0u});
  if (more.empty()) return;
  const ContentsRow& last = rows[more[0]];
  QCOMPARE(more[0], listed.back() + 1);
  QCOMPARE(last.parent, rows[listed[0]].parent);
  QCOMPARE(QString::fromStdString(last.page), group);
  QCOMPARE(last.ref, parent.ref);
  QCOMPARE(QString::fromStdString(last.name),
           count == 2'001 ? QStringLiteral("1 more in the table") : QStringLiteral("1,500 more in the table"));
}

/// A few bytes can announce very many rows: each import of the root is one.
void TestLibraryContents::numberOfRowsIsLimited() {
  constexpr std::size_t kImports = 300'000;
  const auto rows = contentsOfBlob(ffiBlob({libRecord(), vendorRecord("a")}, {std::vector<uint64_t>(kImports, 1), {}}));
  QVERIFY2(rows.size() <= limits::kTreeRows, std::to_string(rows.size()).c_str());
  QVERIFY(rowsOf(rows, RowKind::Module).size() > 1'000);
}

BLOBSCOPE_TEST(TestLibraryContents);
#include "test_contents.moc"
