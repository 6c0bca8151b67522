#include "tests/core/container/llvm_oracle.h"

#include "core/base/text.h"
#include "core/container/container.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/coff_builder.h"
#include "tests/support/macho_builder.h"
#include "tests/support/pe_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/wasm_builder.h"

#include <QDirIterator>
#include <QFile>

#include <archive.h>
#include <archive_entry.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::Format;
using container::Image;
using container::Member;

/// Whole files compared with other readers: LLVM for objects, libarchive for archives.
namespace {

using Lines = std::vector<std::string>;

// --- 1. Archives. ----------------------------------------------------------------------------------------------------

struct ReadFree {
  void operator()(archive* opened) const { archive_read_free(opened); }
};

/// Size and hash, because contents are too long for a message.
std::string contentText(std::string_view content) {
  return std::to_string(content.size()) + " bytes " + hexText(std::hash<std::string_view>()(content));
}

/// Path and content of each entry; links and folders have none.
Lines archiveEntries(std::string_view file, bool isRaw) {
  const std::unique_ptr<archive, ReadFree> opened(archive_read_new());
  archive_read_support_filter_all(opened.get());
  isRaw ? archive_read_support_format_raw(opened.get()) : archive_read_support_format_all(opened.get());
  Lines lines;
  if (archive_read_open_memory(opened.get(), file.data(), file.size()) != ARCHIVE_OK) return {"not opened"};
  archive_entry* entry = nullptr;
  int status = ARCHIVE_OK;
  while ((status = archive_read_next_header(opened.get(), &entry)) == ARCHIVE_OK || status == ARCHIVE_WARN) {
    const std::string path = archive_entry_pathname(entry);
    // libarchive lists the tables of an ar archive as members.
    const bool isAr = (archive_format(opened.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_AR;
    if (isAr && (path == "/" || path == "//" || path == "/SYM64/" || path.starts_with("__.SYMDEF"))) continue;
    std::string content;
    char block[10'000];
    for (la_ssize_t got = 0; (got = archive_read_data(opened.get(), block, sizeof block)) > 0;)
      content.append(block, static_cast<std::size_t>(got));
    lines.push_back("'" + escaped(path) + "' " + contentText(content));
  }
  if (status != ARCHIVE_EOF) lines.push_back(archive_error_string(opened.get()));
  return lines;
}

/// The program also reads tar and zip with libarchive, block by block from the mapped file; here libarchive copies them
/// through its own buffer, with every filter and format that it has. The program reads ar with its own code.
std::string archiveDifference(const Image& image, std::string_view file) {
  Lines ours;
  for (const Member& member : image.members)
    ours.push_back("'" + escaped(member.path) + "' " + contentText(member.bytes.view()));
  return differenceOf(ours, archiveEntries(file, image.format == Format::Raw));
}

// --- 2. One file, and what is in it. ---------------------------------------------------------------------------------

/// Empty when both readers agree on the file and on its members. Counts the comparisons.
std::string differenceOf(std::string_view file, std::size_t& compared) {
  const auto image = readBytes(file);
  if (!image) return image.error().message();
  const bool isArchive = image->format == Format::Ar || image->format == Format::Tar || image->format == Format::Zip ||
                         !image->compression.empty();
  if (!isArchive && (image->format == Format::CSource || image->format == Format::Raw))
    return {}; // no other reader knows these
  const std::string_view bytes = image->file.view();
  ++compared;
  if (std::string found = isArchive ? archiveDifference(*image, bytes) : objectDifference(*image, bytes);
      !found.empty())
    return std::string(container::formatName(image->format)) + ": " + found;
  for (const Member& member : image->members) {
    if (member.type == Member::Type::AppleDouble || !readBytes(member.bytes.view())) continue; // texts, not containers
    if (std::string found = differenceOf(member.bytes.view(), compared); !found.empty())
      return escaped(member.path) + ": " + found;
  }
  return {};
}

// --- 3. Files to compare. --------------------------------------------------------------------------------------------

std::string elf(bool is64, bool bigEndian, uint16_t type) {
  ElfBuilder file;
  file.is64 = is64;
  file.bigEndian = bigEndian;
  file.type = type;
  file.machine = is64 ? (bigEndian ? 21 : 62) : (bigEndian ? 8 : 40); // ppc64, x86-64, MIPS, ARM
  file.staticSymbols = true;
  file.function("run").data("weights", "\1\2\3\4").undefined("malloc").symbol("answer", 42, 0, 1 << 4, 0xfff1);
  file.symbol("odd", 0x11001, 4, 1 << 4 | 2, 5)
      .symbol("common", 8, 64, 1 << 4 | 1, 0xfff2)
      .symbol("weak", 0, 0, 2 << 4, 0);
  file.symbol("", 0, 0, 3, 1).data("tail", "end");
  return file.build();
}

std::string coff(uint16_t machine, bool big) {
  CoffBuilder file;
  file.machine = machine;
  file.big = big;
  file.sections = {{".text", 0x60000020, "code"},
                   {".rdata$with_a_long_name", 0x40000040, "constants"},
                   {".bss", 0xc0000080, {}, 0, 32}};
  file.symbols = {{".file", 0, -2, 0, 103, {"source.c"}},
                  {"run", 0, 1, 0x20},
                  {"a_name_of_more_than_eight_bytes", 4, 2},
                  {"zeros", 8, 3},
                  {"outside", 0, 0},
                  {"common", 16, 0},
                  {"number", 7, -1},
                  {".text", 0, 1, 0, 3, {std::string(18, '\0')}}};
  return file.build();
}

std::string pe(bool is64) {
  PeBuilder file;
  file.is64 = is64;
  file.machine = is64 ? 0x8664 : 0x14c;
  if (!is64) file.base = 0x400000;
  file.function("run")
      .function("")
      .data("blob", "\1\2\3")
      .forwarder("other", "b.dll.it")
      .exported("", 0)
      .function("last")
      .zeros(0x2345);
  file.import("kernel32.dll", {"ExitProcess", "#7"})
      .import("c.dll", {"malloc"})
      .import("late.dll", {"later", "#9"}, true);
  file.sections = {{".section_with_a_long_name", 0x40000040, "text"}};
  file.symbols = {{"run", 0, 1, 0x20}, {"a_name_of_more_than_eight_bytes", 1, 2}};
  return file.build();
}

std::string macho(bool is64, bool bigEndian, uint32_t type) {
  MachOBuilder file;
  file.is64 = is64;
  file.bigEndian = bigEndian;
  file.cpuType = bigEndian ? (is64 ? 0x01000012 : 0x12) : (is64 ? 0x0100000c : 0xc);
  file.fileType = type;
  file.function("_run")
      .data("_weights", "\1\2\3\4")
      .undefined("_malloc")
      .add("_hidden", MachOBuilder::Data, "data", MachOBuilder::kLocal);
  file.add("_weak", MachOBuilder::Data, "weak", MachOBuilder::kGlobal, 0x80)
      .symbol("_zeros", MachOBuilder::kGlobal, MachOBuilder::Bss, 0, 0);
  file.symbol("_answer", 0x3, 0, 0, 42).symbol("debugging", 0x24, 1, 0, 0x10);
  if (type == 1) return file.symbol("_common", 0x1, 0, 0, 64).build();
  for (const uint32_t command : {0xd, 0xc}) // LC_ID_DYLIB, LC_LOAD_DYLIB
    file.commands.emplace_back(command,
                               OrderedBytes(bigEndian, is64).u32(24).u32(0).u32(0).u32(0).field("a.dylib", 8).bytes);
  file.trie = "here";
  file.trie = trieBytes({{"", {{"_run", 1}, {"_only", 2}, {"_other", 3}}},
                         {exported(file.exportAddress(MachOBuilder::Text, 0)), {}},
                         {exported(file.exportAddress(MachOBuilder::Const, 0)), {}},
                         {reexported(1, "_theirs"), {}}});
  return file.build();
}

std::string wasmObject() {
  const std::string type = "\x60"s + wasm::leb(0) + wasm::leb(0);
  return wasm::module(
      {wasm::section(1, wasm::list({type})),
       wasm::section(2, wasm::list({wasm::importMemory(1), wasm::importFunction("outside")})),
       wasm::section(3, wasm::list({wasm::leb(0)})), wasm::section(12, wasm::leb(2)),
       wasm::section(10, wasm::list({wasm::body("")})),
       wasm::section(11, wasm::list({wasm::dataAt(0, "....blob"), wasm::dataAt(100, "second")})),
       wasm::custom(
           "linking",
           wasm::leb(2) +
               wasm::section(5, wasm::list({wasm::segmentInfo(".rodata.blob"), wasm::segmentInfo(".data.second")})) +
               wasm::section(8, wasm::list({wasm::functionSymbol("", 0x10, 0), wasm::functionSymbol("run", 0, 1),
                                            wasm::dataSymbol("blob", 0, 0, 4, 4), wasm::dataSymbol("inner", 2, 1, 3, 2),
                                            wasm::dataSymbol("elsewhere", 0x10, 0, 0, 0)})))});
}

std::string wasmModule() {
  const std::string type = "\x60"s + wasm::leb(0) + wasm::leb(0);
  return wasm::module(
      {wasm::section(1, wasm::list({type})),
       wasm::section(2, wasm::list({wasm::importFunction("outside"), wasm::importGlobal("base")})),
       wasm::section(3, wasm::list({wasm::leb(0), wasm::leb(0)})), wasm::section(5, wasm::list({wasm::memory(2)})),
       wasm::section(6, wasm::list({wasm::global(1024)})),
       wasm::section(
           7, wasm::list({wasm::exported("run", 0, 2), wasm::exported("memory", 2, 0), wasm::exported("blob", 3, 1)})),
       wasm::section(10, wasm::list({wasm::body(""), wasm::body(wasm::i32(7) + wasm::kDrop)})),
       wasm::section(11, wasm::list({wasm::dataAt(1024, "data")})), wasm::custom("producers", wasm::leb(0))});
}

/// An archive written by libarchive; `set` chooses the format and the compression.
std::string written(const std::function<void(archive*)>& set, const std::vector<ArchiveFile>& files) {
  std::string out(1 << 20, '\0');
  std::size_t used = 0;
  archive* const made = archive_write_new();
  set(made);
  archive_write_open_memory(made, out.data(), out.size(), &used);
  for (const ArchiveFile& file : files) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, file.path.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(file.content.size()));
    archive_write_header(made, entry);
    archive_write_data(made, file.content.data(), file.content.size());
    archive_entry_free(entry);
  }
  archive_write_close(made);
  archive_write_free(made);
  return out.substr(0, used);
}

std::string corpusFolder() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  return (set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set).toStdString();
}

} // namespace

class TestOtherReaders : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void builtFilesAreReadAsByLlvm_data();
  void builtFilesAreReadAsByLlvm();
  void comparisonDetectsDifferences();
  void corpusFilesAreReadAsByLlvm_data();
  void corpusFilesAreReadAsByLlvm();
};

void TestOtherReaders::builtFilesAreReadAsByLlvm_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::size_t>("count"); ///< number of containers in it
  const auto row = [](const std::string& name, const std::string& file, std::size_t count = 1) {
    QTest::newRow(name.c_str()) << file << count;
  };
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true}) {
      const std::string how = std::string(is64 ? "64" : "32") + (bigEndian ? " big" : " little");
      row("ELF library " + how, elf(is64, bigEndian, 3));
      row("ELF object " + how, elf(is64, bigEndian, 1));
      row("Mach-O library " + how, macho(is64, bigEndian, 6));
      row("Mach-O object " + how, macho(is64, bigEndian, 1));
    }
  row("COFF object", coff(0x8664, false));
  row("COFF object, i386", coff(0x14c, false));
  row("COFF object, /bigobj", coff(0x8664, true));
  row("PE 64", pe(true));
  row("PE 32", pe(false));
  row("universal", universalFile({{0x0100000c, macho(true, false, 6)}, {0x12, macho(false, true, 6)}}), 3);
  row("universal 64", universalFile({{0x0100000c, macho(true, false, 6)}, {0x12, macho(false, true, 6)}}, true), 3);
  row("wasm object", wasmObject());
  row("wasm module", wasmModule());

  const std::string import = importMember(0x8664, "TVMFuncCall", "tvm_runtime.dll"),
                    decorated = importMember(0x14c, "_run@8", "tvm_runtime.dll");
  row("import library",
      "!<arch>\n" + arMember("tvm_runtime.dll/", import) +
          arMember("tvm_runtime.dll/", withNumber(decorated, 18, 2 << 2, 2)) +
          arMember("tvm_runtime.dll/", withNumber(decorated, 18, 3 << 2, 2)),
      4);
  const std::vector<ArchiveFile> files = {{"lib0.o", elf(true, false, 1)},
                                          {"a/long/" + std::string(90, 'p') + "/name.obj", coff(0x8664, false)},
                                          {"empty", ""},
                                          {"text.txt", "only text"}};
  row("tar by hand", tarOf({files[0], files[2], files[3]}), 2);
  row("tar, ustar", written([](archive* a) { archive_write_set_format_ustar(a); }, files), 3);
  row("tar, pax", written([](archive* a) { archive_write_set_format_pax(a); }, files), 3);
  row("tar, GNU", written([](archive* a) { archive_write_set_format_gnutar(a); }, files), 3);
  row("tar, gzip", gzipOf(tarOf({files[0], files[2], files[3]})), 2);
  row("tar, zstd",
      written([](archive* a) { archive_write_set_format_ustar(a), archive_write_add_filter_zstd(a); }, files), 3);
  row("zip", written([](archive* a) { archive_write_set_format_zip(a); }, files), 3);
  row("zip, stored",
      written([](archive* a) { archive_write_set_format_zip(a), archive_write_zip_set_compression_store(a); }, files),
      3);
  const std::vector<ArchiveFile> flat = {files[0], {"a_long_name_of_a_member.obj", files[1].content}, files[3]};
  row("ar, BSD", written([](archive* a) { archive_write_set_format_ar_bsd(a); }, flat), 3);
  row("ar, GNU",
      "!<arch>\n" + arMember("/", std::string(4, '\0')) + arMember("//", "a_long_name_of_a_member.obj/\n") +
          arMember("/0", flat[1].content) + arMember("lib0.o/", flat[0].content) + arMember("odd/", "123"),
      3);
}

void TestOtherReaders::builtFilesAreReadAsByLlvm() {
  QFETCH(std::string, file);
  QFETCH(std::size_t, count);
  std::size_t compared = 0;
  QCOMPARE(differenceOf(file, compared), ""s);
  QCOMPARE(compared, count);
}

/// The comparison detects errors: a section or a symbol that differs by one, a name with one other letter.
void TestOtherReaders::comparisonDetectsDifferences() {
  for (const std::string& file :
       {elf(true, false, 3), pe(true), coff(0x8664, false), macho(true, false, 6), wasmObject()}) {
    const auto image = readBytes(file);
    QVERIFY(image);
    QCOMPARE(objectDifference(*image, file), ""s);
    const auto notices = [&](const std::function<void(Image&)>& change) {
      Image changed = *image;
      change(changed);
      return !objectDifference(changed, file).empty();
    };
    for (std::size_t i = 0; i < image->symbols.size(); ++i) {
      QVERIFY(notices([&](Image& it) { it.symbols.erase(it.symbols.begin() + static_cast<std::ptrdiff_t>(i)); }));
      if (image->symbols[i].defined) QVERIFY(notices([&](Image& it) { it.symbols[i].value += 2; }));
      if (image->symbols[i].type != container::SymbolType::Section)
        QVERIFY(notices([&](Image& it) { it.symbols[i].name = "else"; }));
    }
    for (std::size_t i = 0; i < image->sections.size(); ++i) {
      if (isPart(image->sections[i])) continue;
      QVERIFY(notices([&](Image& it) { it.sections[i].name = "else"; }));
      if (image->sections[i].file.size > 0) QVERIFY(notices([&](Image& it) { ++it.sections[i].file.offset; }));
    }
  }
}

void TestOtherReaders::corpusFilesAreReadAsByLlvm_data() {
  QTest::addColumn<QString>("path");
  const QString folder = QString::fromStdString(corpusFolder());
  QStringList files;
  for (const char* const part : {"/libraries", "/mlf"})
    for (QDirIterator it(folder + QLatin1String(part), QDir::Files, QDirIterator::Subdirectories); it.hasNext();)
      files << it.next();
  files.sort();
  for (const QString& path : files) QTest::newRow(qPrintable(path.mid(folder.size() + 1))) << path;
  if (files.isEmpty()) QTest::newRow("none") << QString();
}

void TestOtherReaders::corpusFilesAreReadAsByLlvm() {
  QFETCH(QString, path);
  if (path.isEmpty()) QSKIP("corpus absent: BLOBSCOPE_CORPUS or ../shared/corpus with files not found");
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  std::size_t compared = 0;
  QCOMPARE(differenceOf(file.readAll().toStdString(), compared), ""s);
  QVERIFY(compared >= 1);
}

BLOBSCOPE_TEST(TestOtherReaders);
#include "test_oracles.moc"
