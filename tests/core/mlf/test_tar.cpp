#include "core/mlf/tar.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/archive_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using mlf::TarEntry;

namespace {

/// `header` with bytes replaced and its checksum computed again.
std::string changed(std::string header, std::size_t at, std::string_view bytes) {
  header.replace(at, bytes.size(), bytes);
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  return header.replace(148, 8, octal(sum, 6) + '\0' + ' ');
}

std::string blocks(std::string content) {
  content.resize((content.size() + 511) / 512 * 512);
  return content;
}
/// A member with its content.
std::string member(const std::string& path, const std::string& content, char type = '0') {
  return tarHeader(path, content.size(), type) + blocks(content);
}
std::string link(const std::string& path, char type, const std::string& target, uint64_t size = 0) {
  return tarHeader(path, size, type, target);
}
/// A record of an extended header, with its own length at the start.
std::string record(const std::string& text) {
  std::size_t size = text.size() + 2;
  while (std::to_string(size).size() + 1 + text.size() + 1 > size) ++size;
  return std::to_string(size) + " " + text + "\n";
}
std::string pax(const std::string& records, char type = 'x') { return member("pax", records, type); }

const std::string kEnd(1024, '\0');

mlf::Tar read(const std::string& tar) {
  NullMonitor monitor;
  auto found = mlf::readTar(bytes(tar), Budget::forFile(tar.size()), monitor);
  if (!found) qFatal("reading was cancelled");
  return std::move(*found);
}

/// "NAME: type words" for each member.
std::string textOf(const TarEntry& entry) {
  const char* const types[] = {"file", "folder", "link", "other"};
  std::string out = escapedWithin(entry.stored, 40) + ": " + types[static_cast<int>(entry.type)];
  if (!entry.typeText.empty()) out += " " + escaped(entry.typeText);
  if (!entry.link.empty()) out += " to " + entry.link;
  return out;
}
std::string entriesText(const mlf::Tar& tar) {
  std::string out;
  for (const TarEntry& entry : tar.container.entries) out += (out.empty() ? "" : ", ") + textOf(entry);
  return out;
}
/// "PATH=CONTENT" for each file.
std::string filesText(const mlf::Tar& tar) {
  std::string out;
  for (const mlf::File& file : tar.files)
    out += (out.empty() ? "" : ", ") + escapedWithin(file.path, 40) + "=" + escapedWithin(file.bytes.view(), 40);
  return out;
}
/// Where and why reading had to stop.
std::string stopText(const mlf::Container& container) {
  std::string out = container.whyNotTar;
  if (container.damage) out += "damage at " + hexText(container.damage->offset) + ": " + container.damage->why;
  if (container.end) out += "end " + *container.end;
  for (const auto& one : container.exceeded) out += "limit of " + one.what + ": " + one.limit;
  return out;
}

} // namespace

class TestTar : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void membersAreReadWithTheirTypes_data() {
    QTest::addColumn<std::string>("tar");
    QTest::addColumn<std::string>("entries");
    QTest::addColumn<std::string>("files");
    const auto row = [](const char* name, const std::string& tar, const char* entries, const char* files) {
      QTest::newRow(name) << tar << std::string(entries) << std::string(files);
    };
    row("nothing", "", "", "");
    row("an empty file", member("a", ""), "a: file", "a=");
    row("a file", member("./a", "1"), "./a: file", "a=1");
    row("a block", member("a", std::string(512, 'x')) + member("b", "2"), "a: file, b: file",
        "a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…, b=2");
    row("files are sorted by path", member("b", "2") + member("./a", "1"), "b: file, ./a: file", "a=1, b=2");
    row("the last copy counts", member("a", "1") + member("b", "2") + member("./a", "3"), "a: file, b: file, ./a: file",
        "a=3, b=2");
    row("a folder", member("a/", "", '5'), "a/: folder", "");
    row("a folder of before ustar", member("a/", "", '\0'), "a/: folder", "");
    row("a file of before ustar", member("a", "1", '\0'), "a: file", "a=1");
    row("a contiguous file", member("a", "1", '7'), "a: file", "a=1");
    row("links", link("a", '1', "b") + link("c", '2', "d"), "a: link to b, c: link to d", "");
    row("a link that states a size", link("a", '2', "b", 512) + member("c", "3"), "a: link to b, c: file", "c=3");
    row("a device that states a size", link("a", '3', "", 1'000) + member("c", "3"),
        "a: other character device, c: file", "c=3");
    row("devices", link("a", '4', "") + link("b", '6', ""), "a: other block device, b: other fifo", "");
    row("an unknown type", member("a", "1", '@') + member("b", "2"), "a: other @, b: file", "b=2");
    row("a sparse file of GNU", member("a", "1", 'S'), "a: other sparse file", "");
    row("a sparse file of pax", pax(record("GNU.sparse.major=1")) + member("a", "1") + member("b", "2"),
        "a: other sparse file, b: file", "b=2");
    row("a path that may not be unpacked", member("../a", "1"), "../a: file", "");
    row("the root", member("./", "", '5') + member("a", "1"), "./: folder, a: file", "a=1");
  }
  void membersAreReadWithTheirTypes() {
    QFETCH(std::string, tar);
    QFETCH(std::string, entries);
    QFETCH(std::string, files);
    const mlf::Tar found = read(tar + kEnd);
    QCOMPARE(entriesText(found), entries);
    QCOMPARE(filesText(found), files);
    QCOMPARE(stopText(found.container), std::string());
  }

  void pathsComeFromTheLastHeaderThatStatesThem_data() {
    QTest::addColumn<std::string>("tar");
    QTest::addColumn<std::string>("entries");
    const auto row = [](const char* name, const std::string& tar, const char* entries) {
      QTest::newRow(name) << tar << std::string(entries);
    };
    const std::string plain = member("a", "1"), other = member("b", "2");
    row("100 bytes without NUL", member(std::string(100, 'n'), "1"), "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…: file");
    row("a prefix", changed(tarHeader("name", 0), 345, "some/folder"), "some/folder/name: file");
    row("a prefix without the magic", changed(changed(tarHeader("name", 0), 345, "some"), 257, "ustar  "),
        "name: file");
    row("pax", pax(record("path=long/name")) + plain + other, "long/name: file, b: file");
    row("pax, twice", pax(record("path=first")) + pax(record("path=second")) + plain, "second: file");
    row("pax for all", pax(record("path=all"), 'g') + plain + other, "all: file, all: file");
    row("pax for one above pax for all", pax(record("path=all"), 'g') + pax(record("path=one")) + plain + other,
        "one: file, all: file");
    row("pax of Solaris", pax(record("path=x"), 'X') + plain, "x: file");
    row("GNU", member("@", std::string("gnu/name\0junk", 13), 'L') + plain + other, "gnu/name: file, b: file");
    row("GNU, without NUL", member("@", "gnu", 'L') + plain, "gnu: file");
    row("a link of GNU", member("@", "target", 'K') + link("a", '2', "x") + link("b", '2', "y"),
        "a: link to target, b: link to y");
    row("a link of pax", pax(record("linkpath=target")) + link("a", '2', "x"), "a: link to target");
    row("a record with an equals sign in its value", pax(record("path=a=b")) + plain, "a=b: file");
    row("an empty path", pax(record("path=")) + plain, ": file");
  }
  void pathsComeFromTheLastHeaderThatStatesThem() {
    QFETCH(std::string, tar);
    QFETCH(std::string, entries);
    const mlf::Tar found = read(tar + kEnd);
    QCOMPARE(entriesText(found), entries);
    QCOMPARE(stopText(found.container), std::string());
  }

  void onlySafePathsMayBeUnpacked_data() {
    QTest::addColumn<std::string>("path");
    QTest::addColumn<bool>("safe");
    for (const char* const path : {"a", "./a", "a/b", "a..b", "..a", "a..", ".", "ab:c", "1:b"})
      QTest::newRow(path) << std::string(path) << true;
    for (const char* const path : {"..", "../a", "a/..", "a/../b", "/a", "c:", "C:\\a", "a\\b", "z:b", "a:b"})
      QTest::newRow(path) << std::string(path) << false;
  }
  void onlySafePathsMayBeUnpacked() {
    QFETCH(std::string, path);
    QFETCH(bool, safe);
    const mlf::Tar found = read(member(path, "1") + kEnd);
    QCOMPARE(found.container.entries.size(), std::size_t(1));
    QCOMPARE(found.container.entries[0].safe, safe);
    QCOMPARE(found.files.size(), std::size_t(safe && path != "." ? 1 : 0));
  }
  void aPathWithNulIsNotSafe() {
    const mlf::Tar found = read(pax(record(std::string("path=a\0b", 8))) + member("c", "1") + kEnd);
    QCOMPARE(found.container.entries.size(), std::size_t(1));
    QVERIFY(!found.container.entries[0].safe);
    QVERIFY(found.files.empty());
  }

  void numbersOfMembersAreRead_data() {
    QTest::addColumn<std::string>("tar");
    QTest::addColumn<std::string>("text"); // mode, user, group, owner, time
    const auto row = [](const char* name, const std::string& tar, const char* text) {
      QTest::newRow(name) << tar << std::string(text);
    };
    const std::string usual = tarHeader("a", 0);
    row("usual", usual, "420 0 0 '' '' 0");
    row("mode with bits of the type", changed(usual, 100, "0100755"), "493 0 0 '' '' 0");
    row("mode is not a number", changed(usual, 100, "xxxxxxx"), "0 0 0 '' '' 0");
    row("user and group", changed(changed(usual, 108, "0001750"), 116, "0000012"), "420 1000 10 '' '' 0");
    row("user in base 256", changed(usual, 108, std::string("\x80\0\0\0\0\1\0\0", 8)), "420 65536 0 '' '' 0");
    row("names", changed(changed(usual, 265, "root"), 297, "wheel"), "420 0 0 'root' 'wheel' 0");
    row("time", changed(usual, 136, "14772274400"), "420 0 0 '' '' 1743354112");
    row("time is not a number", changed(usual, 136, "x"), "420 0 0 '' '' ?");
    row("time in base 256, too large", changed(usual, 136, std::string("\x80\0\0\0\xff", 5) + std::string(7, '\xff')),
        "420 0 0 '' '' ?");
    row("pax", pax(record("uid=70000") + record("gid=x") + record("uname=me") + record("mtime=12.75")) + usual,
        "420 70000 0 'me' '' 12");
    row("pax, a time before 1970", pax(record("mtime=-3.5")) + usual, "420 0 0 '' '' -3");
    row("pax, a time that is not a number", pax(record("mtime=now")) + usual, "420 0 0 '' '' ?");
    row("pax, the largest time", pax(record("mtime=9223372036854775807")) + usual, "420 0 0 '' '' 9223372036854775807");
    row("pax, a larger time", pax(record("mtime=9223372036854775808")) + usual, "420 0 0 '' '' ?");
  }
  void numbersOfMembersAreRead() {
    QFETCH(std::string, tar);
    QFETCH(std::string, text);
    const mlf::Tar found = read(tar + kEnd);
    QCOMPARE(found.container.entries.size(), std::size_t(1));
    const TarEntry& entry = found.container.entries[0];
    QCOMPARE(std::to_string(entry.mode) + " " + std::to_string(entry.uid) + " " + std::to_string(entry.gid) + " '" +
                 entry.owner + "' '" + entry.group + "' " + (entry.changed ? std::to_string(*entry.changed) : "?"),
             text);
  }

  void readingStopsAtDamage_data() {
    QTest::addColumn<std::string>("tar");
    QTest::addColumn<std::string>("stop");
    QTest::addColumn<std::string>("files"); // before it
    const auto row = [](const char* name, const std::string& tar, const char* stop, const char* files) {
      QTest::newRow(name) << tar << std::string(stop) << std::string(files);
    };
    const std::string first = member("a", "1"), usual = tarHeader("b", 1);
    std::string wrong = usual;
    wrong[0] = 'c';
    row("empty", "", "it is empty", "");
    row("too short", std::string(511, '\0'), "it has 511 bytes, but a header needs 512", "");
    row("the first checksum", wrong + blocks("2") + kEnd, "the checksum of the first header is wrong", "");
    row("a later checksum", first + wrong + blocks("2") + kEnd, "damage at 0x400: the checksum of a header is wrong",
        "a=1");
    row("a checksum that is not a number", first + std::string(usual).replace(148, 8, "xxxxxxxx") + kEnd,
        "damage at 0x400: the checksum of a header is wrong", "a=1");
    row("a truncated header", first + usual.substr(0, 511), "damage at 0x400: a header is truncated", "a=1");
    row("a size that is not a number", first + changed(usual, 124, "x"),
        "damage at 0x400: the size in a header is not a number", "a=1");
    row("a size of more than 64 bits", first + changed(usual, 124, std::string(12, '\xff')),
        "damage at 0x400: the size in a header is not a number", "a=1");
    row("the largest size", first + changed(usual, 124, std::string("\x80\0\0\0", 4) + std::string(8, '\xff')),
        "damage at 0x400: the data of member 'b' runs past the end", "a=1");
    row("one byte too few", first + tarHeader("b", 600) + std::string(599, 'x'),
        "damage at 0x400: the data of member 'b' runs past the end", "a=1");
    row("the padding is missing", first + usual + "2", "damage at 0x400: the padding after member 'b' is truncated",
        "a=1, b=2");
    row("a size of pax that is not a number", first + pax(record("size=x")) + usual + blocks("2"),
        "damage at 0x800: the size in a header is not a number", "a=1");
    row("a size of pax above the file", first + pax(record("size=18446744073709551615")) + usual + blocks("2"),
        "damage at 0x800: the data of member 'b' runs past the end", "a=1");
    row("an extended header runs past the end", first + tarHeader("x", 513, 'x') + blocks("1 "),
        "damage at 0x400: the data of an extended header runs past the end", "a=1");
    for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string>>{
             {"a record without a length", "path=a\n"},
             {"a record of length 0", "0 a=b\n"},
             {"a record without content", "2 \n"},
             {"a record that is longer than the header", "9 a=b\n"},
             {"a record whose length does not fit in 64 bits", "18446744073709551622 a=b\n"},
             {"a record without a line feed", "6 a=b "},
             {"a record without an equals sign", "7 word\n"},
             {"a second record", record("a=b") + "x"}}) {
      row(name, first + pax(text) + usual + blocks("2"), "damage at 0x400: an extended header is damaged", "a=1");
      row((std::string(name) + ", for all").c_str(), first + pax(text, 'g') + usual + blocks("2"),
          "damage at 0x400: an extended header is damaged", "a=1");
    }
  }
  void readingStopsAtDamage() {
    QFETCH(std::string, tar);
    QFETCH(std::string, stop);
    QFETCH(std::string, files);
    const mlf::Tar found = read(tar);
    QCOMPARE(stopText(found.container), stop);
    QCOMPARE(filesText(found), files);
    QCOMPARE(found.container.kind == mlf::ArchiveKind::NotTar, !found.container.whyNotTar.empty());
  }

  void aSizeOfPaxReplacesTheOneInTheHeader() {
    const mlf::Tar found = read(pax(record("size=3")) + tarHeader("a", 0) + blocks("123") + member("b", "2") + kEnd);
    QCOMPARE(filesText(found), std::string("a=123, b=2"));
    QCOMPARE(stopText(found.container), std::string());
  }

  void oldProgramsAddSignedBytes() {
    std::string header = changed(tarHeader("\xff", 0), 0, "\xff");
    int sum = 0;
    for (std::size_t i = 0; i < header.size(); ++i)
      sum += i >= 148 && i < 156 ? ' ' : static_cast<signed char>(header[i]);
    header.replace(148, 8, octal(uint64_t(sum), 6) + '\0' + ' ');
    QCOMPARE(read(header + kEnd).container.entries.size(), std::size_t(1));
  }

  void theEndNeedsTwoZeroBlocks_data() {
    QTest::addColumn<std::string>("end");
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const std::string& end, const char* text) {
      QTest::newRow(name) << end << std::string(text);
    };
    const std::string block(512, '\0');
    row("two", block + block, "");
    row("many", std::string(10'240, '\0'), "");
    row("two and a half", block + block + std::string(100, '\0'), "");
    row("none", "", "end is missing");
    row("less than one", std::string(511, '\0'), "end is missing");
    row("one", block, "end has one zero block, two are needed");
    row("one and a half", block + std::string(511, '\0'), "end has one zero block, two are needed");
    row("one, then data", block + member("b", "2"), "end has one zero block and is followed by data at 0x600");
    row("two, then data", block + block + "x", "end is followed by data at 0x800");
    row("two, then data after zeros", block + block + std::string(10, '\0') + "x", "end is followed by data at 0x80a");
  }
  void theEndNeedsTwoZeroBlocks() {
    QFETCH(std::string, end);
    QFETCH(std::string, text);
    const mlf::Tar found = read(member("a", "1") + end);
    QCOMPARE(stopText(found.container), text);
    QCOMPARE(filesText(found), std::string("a=1"));
  }

  void anArchiveThatIsTruncatedSomewhereHasNoOtherFiles() {
    const std::string tar =
        member("a", "1") + pax(record("path=long")) + member("b", std::string(600, 'x')) + member("c", "3") + kEnd;
    const mlf::Tar all = read(tar);
    for (std::size_t size = 0; size < tar.size(); ++size) {
      const mlf::Tar found = read(tar.substr(0, size));
      const std::string at = std::to_string(size);
      QVERIFY2(!stopText(found.container).empty(), at.c_str());
      for (const mlf::File& file : found.files) {
        const auto same = std::find_if(all.files.begin(), all.files.end(),
                                       [&](const mlf::File& one) { return one.path == file.path; });
        QVERIFY2(same != all.files.end() && same->bytes.view() == file.bytes.view(), at.c_str());
      }
    }
  }

  void archivesMayBeCompressed() {
    const std::string tar = member("a", "1") + kEnd, packed = gzipOf(tar);
    const mlf::Tar found = read(packed);
    QCOMPARE(found.container.codec, std::string("gzip"));
    QCOMPARE(filesText(found), std::string("a=1"));
    QCOMPARE(stopText(found.container), std::string());

    const mlf::Tar nothing = read(packed.substr(0, 4));
    QCOMPARE(stopText(nothing.container),
             std::string("damage at 0x0: nothing of the gzip stream can be unpacked: it is truncated or damaged"));
    QCOMPARE(int(nothing.container.kind), int(mlf::ArchiveKind::Unknown));
  }
  void anArchiveThatUnpacksToTooMuchIsNotRead() {
    const mlf::Tar found = read(gzipOf(std::string((16 << 20) + 512, '\0')));
    QCOMPARE(found.container.exceeded.size(), std::size_t(1));
    QCOMPARE(found.container.exceeded[0].what, std::string("the unpacked size"));
    QVERIFY(found.container.entries.empty());
    const mlf::Tar most = read(gzipOf(std::string(16 << 20, '\0')));
    QVERIFY(most.container.exceeded.empty());
  }

  void theNumberOfMembersIsLimited() {
    const std::string one = tarHeader("a", 0);
    std::string tar;
    for (uint64_t i = 0; i < mlf::kTarMembers; ++i) tar += one;
    const mlf::Tar most = read(tar + kEnd);
    QCOMPARE(most.container.entries.size(), std::size_t(20'000));
    QCOMPARE(stopText(most.container), std::string());
    const mlf::Tar more = read(tar + one + kEnd);
    QCOMPARE(more.container.entries.size(), std::size_t(20'000));
    QCOMPARE(stopText(more.container), std::string("limit of the number of members: 20,000"));
  }

  void aTextForAllMembersIsNotRepeatedWithoutLimit_data() {
    QTest::addColumn<std::string>("key");
    for (const char* const key : {"path", "linkpath", "uname", "gname"}) QTest::newRow(key) << std::string(key);
  }
  void aTextForAllMembersIsNotRepeatedWithoutLimit() {
    QFETCH(std::string, key);
    // 1 MiB for each of 20 members: more than the archive and than 16 MiB.
    std::string tar = pax(record(key + "=" + std::string(1 << 20, 'a')), 'g');
    for (int i = 0; i < 20; ++i) tar += tarHeader("a", 0);
    const mlf::Tar found = read(tar + kEnd);
    QCOMPARE(stopText(found.container), "limit of the length of all names: " + sizeText(16 << 20));
    QVERIFY(found.container.entries.size() <= 16);
  }
  void aLongTextOfEachMemberIsRead() {
    std::string tar;
    for (int i = 0; i < 20; ++i) tar += pax(record("path=" + std::string(1 << 20, 'a'))) + tarHeader("a", 0);
    const mlf::Tar found = read(tar + kEnd);
    QCOMPARE(stopText(found.container), std::string());
    QCOMPARE(found.container.entries.size(), std::size_t(20));
  }

  void readingCanBeCancelled() {
    StopAfter stop(0);
    const auto found = mlf::readTar(bytes(member("a", "1") + kEnd), Budget::forFile(1'024), stop);
    QVERIFY(!found);
    QCOMPARE(int(found.error().code()), int(ErrorCode::Cancelled));
  }
};

BLOBSCOPE_TEST(TestTar);

#include "test_tar.moc"
