#include "tests/core/container/llvm_oracle.h"

#include "core/base/text.h"
#include "core/container/container.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/contracts/container_rows.h"
#include "tests/support/test_main.h"

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
  for (const ContainerRow& row : containerRows()) QTest::newRow(row.name.c_str()) << row.file << row.containers;
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
  for (const char* const name :
       {"ELF library 64 little", "PE 64", "COFF object", "Mach-O library 64 little", "wasm object"}) {
    const std::string& file = containerFile(name);
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
