#include "core/container/archive/archive.h"

#include "core/base/limits.h"
#include "core/container/ar/ar.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/coff_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using container::Member;

namespace {

container::Image read(const std::string& file) {
  NullMonitor monitor;
  auto image = container::readImage(bytes(file), monitor);
  if (!image) qFatal("%s", image.error().message().c_str());
  return std::move(*image);
}

std::vector<std::string> paths(const container::Image& image) {
  std::vector<std::string> out;
  for (const Member& member : image.members) out.push_back(member.path);
  return out;
}

} // namespace

class TestArchive : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void tarKeepsOrderAndBytes();
  void tarMembersAreNotCopied();
  void compressedTarIsRead();
  void compressedFileHasOneMember();
  void outsideAndDuplicateNamesAreKept();
  void foldersAndLinksAreMembers();
  void appleDoubleFilesAreRecognised();
  void decompressionBombStopsAtTheLimit();
  void skippedMembersCountAsWork();
  void onlyOneLayerOfCompressionIsUnpacked();
  void longMemberNamesAreCut();
  void anyTruncationIsSafe_data();
  void anyTruncationIsSafe();
  void anyChangedByteIsSafe();
  void damageNamesItsPlace_data();
  void damageNamesItsPlace();
  void readingCanBeCancelled();
  void arVariantsAreRead();
  void importLibraryMembersAreNamedByTheirImport();
  void arDamageKeepsTheMembersBeforeIt_data();
  void arDamageKeepsTheMembersBeforeIt();
  void arNamesAreEscapedOnce();
};

void TestArchive::tarKeepsOrderAndBytes() {
  const auto image = read(tarOf({{"lib0.o", "first"}, {"devc.o", std::string(5000, 'x')}, {"empty", ""}}));
  QCOMPARE(image.format, container::Format::Tar);
  QCOMPARE(image.kind, container::Kind::Archive);
  QVERIFY(image.compression.empty());
  QCOMPARE(paths(image), (std::vector<std::string>{"lib0.o", "devc.o", "empty"}));
  QCOMPARE(image.members[0].bytes.view(), std::string_view("first"));
  QCOMPARE(image.members[1].bytes.view(), std::string_view(std::string(5000, 'x')));
  QVERIFY(image.members[2].bytes.empty());
  QVERIFY(image.diagnostics.empty());
}

/// A gigabyte of objects must not be copied.
void TestArchive::tarMembersAreNotCopied() {
  const std::string file = tarOf({{"a.o", std::string(100'000, 'a')}, {"b.o", std::string(70'000, 'b')}});
  NullMonitor monitor;
  const Bytes all = bytes(file);
  const auto image = container::readArchive(all, std::make_shared<Budget>(0x10000, 0), monitor);
  QVERIFY(image.hasValue());
  for (const Member& member : image->members) {
    QVERIFY(member.bytes.data() >= all.data() && member.bytes.data() < all.data() + all.size());
    QCOMPARE(member.bytes.offset(), std::optional<uint64_t>(0)); // from the member's own first byte
  }
}

void TestArchive::compressedTarIsRead() {
  const auto image = read(gzipOf(tarOf({{"devc.o", "bytes"}})));
  QCOMPARE(image.format, container::Format::Tar);
  QCOMPARE(image.compression, std::string("gzip"));
  QCOMPARE(image.members.at(0).bytes.view(), std::string_view("bytes"));
}

void TestArchive::compressedFileHasOneMember() {
  const auto image = read(gzipOf(elfWith("__tvm_dev_mblob", withHeader(std::string(8, '\0')))));
  QCOMPARE(image.members.size(), std::size_t{1});
  QVERIFY(image.members[0].bytes.view().starts_with("\x7f"
                                                    "ELF"));
}

/// Nothing is written with these names, so they are only shown.
void TestArchive::outsideAndDuplicateNamesAreKept() {
  const auto image =
      read(tarOf({{"/etc/passwd", "1"}, {"../../up", "2"}, {"same", "3"}, {"same", "4"}, {"bytes\xff\n", "5"}}));
  QCOMPARE(paths(image), (std::vector<std::string>{"/etc/passwd", "../../up", "same", "same", "bytes\xff\n"}));
  QCOMPARE(image.members[3].bytes.view(), std::string_view("4"));
}

void TestArchive::foldersAndLinksAreMembers() {
  const auto image = read(tarHeader("src/", 0, '5') + tarHeader("link", 0, '2', "target") + std::string(1024, '\0'));
  QCOMPARE(image.members.size(), std::size_t{2});
  QCOMPARE(image.members[0].type, Member::Type::Folder);
  QCOMPARE(image.members[1].type, Member::Type::Link);
  QCOMPARE(image.members[1].note, std::string("a link to 'target'"));
}

void TestArchive::appleDoubleFilesAreRecognised() {
  const auto image =
      read(tarOf({{"._devc.o", std::string("\x00\x05\x16\x07", 4) + "rest"}, {"._notes", "text"}, {"devc.o", "o"}}));
  QCOMPARE(image.members[0].type, Member::Type::AppleDouble);
  QCOMPARE(image.members[1].type, Member::Type::File);
}

/// Zeros that compress to a thousandth: read only up to the limit, and reported; earlier members are kept.
void TestArchive::decompressionBombStopsAtTheLimit() {
  constexpr uint64_t kLimit = 1 << 20;
  const std::string bomb =
      gzipOf(tarOf({{"first.o", "whole"}, {"bomb.o", std::string(8 << 20, '\0')}, {"last.o", "x"}}));
  QVERIFY(bomb.size() < kLimit / 8);
  NullMonitor monitor;
  const auto budget = std::make_shared<Budget>(kLimit, 16 * kLimit);
  const auto image = container::readArchive(bytes(bomb), budget, monitor);
  QVERIFY(image.hasValue());
  QCOMPARE(image->members.size(), std::size_t{2});
  QCOMPARE(image->members[0].bytes.view(), std::string_view("whole"));
  QVERIFY(image->members[1].bytes.size() <= kLimit);
  QCOMPARE(image->diagnostics.at(0).id, DiagnosticId::FileLimit);
  QVERIFY(budget->memory() <= kLimit);
  // Stored members cost nothing, whatever their size.
  const auto stored = container::readArchive(bytes(tarOf({{"big.o", std::string(8 << 20, 'x')}})), budget, monitor);
  QVERIFY(stored.hasValue());
  QVERIFY(stored->diagnostics.empty());
}

/// Skipped members are unpacked as well, so they count as work.
void TestArchive::skippedMembersCountAsWork() {
  const std::string file =
      gzipOf(tarOf({{"a", std::string(1 << 20, '\0')}, {"b", std::string(1 << 20, '\0')}, {"c", "x"}}));
  NullMonitor monitor;
  const auto image =
      container::readArchive(bytes(file), std::make_shared<Budget>(uint64_t{1} << 30, (3 << 20) / 2), monitor);
  QVERIFY(image.hasValue());
  QVERIFY(image->members.size() < 3);
  QCOMPARE(image->diagnostics.at(0).id, DiagnosticId::FileLimit);
}

/// A file that is compressed twice is a file in a file: each layer is charged for what it unpacks.
void TestArchive::onlyOneLayerOfCompressionIsUnpacked() {
  const auto image = read(gzipOf(gzipOf(tarOf({{"devc.o", "bytes"}}))));
  QCOMPARE(image.format, container::Format::Raw);
  QCOMPARE(image.compression, std::string("gzip"));
  QCOMPARE(image.members.size(), std::size_t{1});
  QVERIFY(image.members[0].bytes.view().starts_with("\x1f\x8b"));
  // Empty blocks produce no output, however many there are; cancelling works all the same.
  std::string empty = gzipOf("").substr(0, 10);
  for (int i = 0; i < 1'000'000; ++i) empty += std::string("\0\0\0\xff\xff", 5);
  StopAfter stop(3);
  const auto stopped = container::readArchive(bytes(empty), Budget::forFile(empty.size()), stop);
  QVERIFY(!stopped.hasValue());
  QCOMPARE(stopped.error().code(), ErrorCode::Cancelled);
}

/// A name of megabytes in the table of long names, and many members with that name.
void TestArchive::longMemberNamesAreCut() {
  const std::string name(100'000, 'n');
  const auto head = [](const std::string& text, uint64_t size) {
    return padded(text, 16, ' ') + padded("0", 12, ' ') + padded("0", 6, ' ') + padded("0", 6, ' ') +
           padded("644", 8, ' ') + padded(std::to_string(size), 10, ' ') + "`\n";
  };
  std::string ar = "!<arch>\n" + head("//", name.size()) + name;
  for (int i = 0; i < 50; ++i) ar += head("/0", 0);
  const auto image = read(ar);
  QCOMPARE(image.members.size(), std::size_t{50});
  for (const Member& member : image.members) {
    QCOMPARE(member.path.size(), std::size_t{limits::kMemberName});
    QCOMPARE(member.type, Member::Type::Other);
    QCOMPARE(member.note, std::string(container::kLongName));
  }
  QCOMPARE(image.diagnostics.at(0).id, DiagnosticId::FileLimit);
  QVERIFY(image.diagnostics[0].message().size() < 500);
  // The budget ends the list; members that were already read are kept.
  NullMonitor monitor;
  const auto few = container::readAr(bytes(ar), std::make_shared<Budget>(10 * limits::kMemberName, 0), monitor);
  QVERIFY(few.hasValue());
  QVERIFY(few->members.size() > 5 && few->members.size() < 11);
  QCOMPARE(few->diagnostics.back().id, DiagnosticId::FileLimit);
  const auto tar =
      read(tarHeader("././@LongLink", name.size() + 1, 'L') + padded(name, (name.size() + 512) / 512 * 512, '\0') +
           tarHeader("n", 0) + std::string(1024, '\0'));
  QCOMPARE(tar.members.at(0).note, std::string(container::kLongName));
}

void TestArchive::anyTruncationIsSafe_data() {
  QTest::addColumn<std::string>("file");
  const std::vector<ArchiveFile> files = {{"lib0.o", std::string(700, 'a')}, {"devc.o", "xyz"}};
  QTest::newRow("tar") << tarOf(files);
  QTest::newRow("tar.gz") << gzipOf(tarOf(files));
  QTest::newRow("ar") << "!<arch>\n" + arMember("lib0.o/", std::string(70, 'a')) + arMember("devc.o/", "xyz");
}

void TestArchive::anyTruncationIsSafe() {
  QFETCH(std::string, file);
  for (std::size_t size = 0; size < file.size();
       size += file.size() > 600 && size > 600 && size < file.size() - 600 ? 7 : 1) {
    NullMonitor monitor;
    const auto image = container::readImage(bytes(file.substr(0, size)), monitor);
    if (!image) continue;
    for (const Member& member : image->members) QVERIFY(member.bytes.size() <= 700);
  }
}

void TestArchive::anyChangedByteIsSafe() {
  const std::string whole = "!<arch>\n" + arMember("//", "a-long-name-of-a-member.o/\n") + arMember("/0", "one") +
                            arMember("#1/8", std::string("bsd.o\0\0\0", 8) + "two");
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\xff', '9', ' '}) {
      std::string file = whole;
      file[at] = value;
      NullMonitor monitor;
      const auto image = container::readImage(bytes(file), monitor);
      if (image) QVERIFY(image->members.size() <= 4);
    }
}

void TestArchive::damageNamesItsPlace_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("message"); // up to what libarchive reports, which is in parentheses
  const auto row = [](const char* name, const std::string& file, const std::string& message) {
    QTest::newRow(name) << file << message;
  };
  const std::string tar = tarOf({{"a.o", std::string(2'000, 'a')}, {"b.o", std::string(2'000, 'b')}});
  row("first header", "PK\x03\x04zip", "invalid archive header: the first member cannot be read");
  row("second header", tar.substr(0, 512 + 2'048 + 100),
      "invalid archive after member 1: the next member cannot be read");
  row("content", tar.substr(0, 512 + 1'000), "invalid member 'a.o': its content cannot be unpacked after 1,000 bytes");
}

void TestArchive::damageNamesItsPlace() {
  QFETCH(std::string, file);
  QFETCH(std::string, message);
  NullMonitor monitor;
  const auto image = container::readArchive(bytes(file), Budget::forFile(file.size()), monitor);
  QVERIFY(!image || !image->diagnostics.empty());
  const std::string found = image ? image->diagnostics.front().message() : image.error().message();
  QVERIFY2(found.starts_with(message + " (") && found.ends_with(")"), found.c_str());
}

void TestArchive::readingCanBeCancelled() {
  StopAfter stop(1);
  const auto image =
      container::readArchive(bytes(tarOf({{"a", "1"}, {"b", "2"}, {"c", "3"}})), Budget::forFile(1 << 20), stop);
  QVERIFY(!image);
  QCOMPARE(image.error().code(), ErrorCode::Cancelled);
}

void TestArchive::arVariantsAreRead() {
  const std::string names = "a-long-name-of-a-member.o/\n";
  const auto gnu = read("!<arch>\n" + arMember("/", std::string(4, '\0')) + arMember("//", names) +
                        arMember("/0", "one") + arMember("short.o/", "three"));
  QCOMPARE(gnu.format, container::Format::Ar);
  QCOMPARE(paths(gnu), (std::vector<std::string>{"a-long-name-of-a-member.o", "short.o"}));
  QCOMPARE(gnu.members[0].bytes.view(), std::string_view("one"));
  QCOMPARE(gnu.members[1].bytes.view(), std::string_view("three"));
  const auto bsd = read("!<arch>\n" + arMember("#1/12", std::string("with space.o") + "two"));
  QCOMPARE(paths(bsd), (std::vector<std::string>{"with space.o"}));
  QCOMPARE(bsd.members[0].bytes.view(), std::string_view("two"));
  const auto thin = read("!<thin>\n" + arMember("outside.o/", "", "12345"));
  QCOMPARE(thin.members.at(0).type, Member::Type::Link);
  QVERIFY(thin.diagnostics.empty());
}

/// All members of an import library have the name of the library; their imports distinguish them.
void TestArchive::importLibraryMembersAreNamedByTheirImport() {
  const std::string names = "tvm_runtime.dll" + std::string(1, '\0');
  const std::string first = importMember(0x8664, "TVMFuncCall", "tvm_runtime.dll"),
                    second = importMember(0x8664, "TVMGetLastError", "tvm_runtime.dll");
  const auto image = read("!<arch>\n" + arMember("/", std::string(4, '\0')) + arMember("//", names) +
                          arMember("/0", first) + arMember("/0", second) + arMember("whole.obj/", "content"));
  QCOMPARE(paths(image), (std::vector<std::string>{"tvm_runtime.dll", "tvm_runtime.dll", "whole.obj"}));
  QCOMPARE(image.members[0].note, std::string("imports 'TVMFuncCall' from 'tvm_runtime.dll'"));
  QCOMPARE(image.members[1].note, std::string("imports 'TVMGetLastError' from 'tvm_runtime.dll'"));
  QCOMPARE(image.members[2].note, std::string());
  QCOMPARE(image.members[1].bytes.view(), std::string_view(second));
  QVERIFY(image.diagnostics.empty());
}

void TestArchive::arDamageKeepsTheMembersBeforeIt_data() {
  QTest::addColumn<std::string>("tail");
  QTest::addColumn<DiagnosticId>("id");
  QTest::newRow("half a header") << std::string("lib1.o/") << DiagnosticId::FileTable;
  QTest::newRow("no header") << std::string(60, 'x') << DiagnosticId::FileTable;
  QTest::newRow("size is not a number") << arMember("b.o/", "xy", "12x") << DiagnosticId::FileTable;
  QTest::newRow("size after the end") << arMember("b.o/", "xy", "999999999") << DiagnosticId::FilePart;
  QTest::newRow("name longer than the member") << arMember("#1/50", "xy") << DiagnosticId::FileTable;
  QTest::newRow("name outside the table") << arMember("/77", "xy") << DiagnosticId::FileTable;
}

void TestArchive::arDamageKeepsTheMembersBeforeIt() {
  QFETCH(std::string, tail);
  QFETCH(DiagnosticId, id);
  const auto image = read("!<arch>\n" + arMember("a.o/", "whole") + tail);
  QCOMPARE(image.members.at(0).bytes.view(), std::string_view("whole")); // members before the damage are kept
  QCOMPARE(image.diagnostics.at(0).id, id);
  QVERIFY(image.diagnostics.at(0).place.at.has_value());
}

void TestArchive::arNamesAreEscapedOnce() {
  const auto image = read("!<arch>\n" + arMember("b\n.o/", "xy", "999999999"));
  QVERIFY2(image.diagnostics.at(0).message().find("member 'b\\n.o/'") != std::string::npos,
           image.diagnostics.at(0).message().c_str());
}

BLOBSCOPE_TEST(TestArchive);

#include "test_archive.moc"
