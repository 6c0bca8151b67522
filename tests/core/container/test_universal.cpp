#include "core/container/macho/universal.h"

#include "core/container/macho/macho.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/support/macho_builder.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

constexpr uint32_t kX86 = 0x01000007, kArm64 = 0x0100000c, kArm = 0xc;

struct Read {
  std::string slices; ///< "arch offset size" a line, or the error
  std::string told;
  std::vector<container::Slice> found;
};

Read readText(std::string_view file) {
  NullMonitor monitor;
  Read read;
  std::vector<Diagnostic> diagnostics;
  const auto owner = source(file);
  auto slices = container::readUniversal(Bytes(owner, owner->view(), 0), monitor, diagnostics);
  read.told = diagnosticsText(diagnostics);
  if (!slices) {
    read.slices = slices.error().message();
    return read;
  }
  for (const container::Slice& slice : *slices) {
    read.slices += slice.arch + " " + std::to_string(slice.bytes.offset().value_or(UINT64_MAX)) + " " +
                   std::to_string(slice.bytes.size()) + "\n";
    for (const char c : slice.bytes.view()) read.told += c == 'Z' ? "Z" : ""; // each byte is readable
  }
  read.found = std::move(*slices);
  return read;
}

std::string bigEndian(uint64_t value, unsigned size) { return OrderedBytes(true, true).number(value, size).bytes; }

} // namespace

class TestUniversal : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void onlyUniversalFilesAreClaimed_data();
  void onlyUniversalFilesAreClaimed();
  void slicesAreRead_data();
  void slicesAreRead();
  void slicesAreReadAsLibraries();
  void slicesHaveUniqueNames();
  void damageIsReported_data();
  void damageIsReported();
  void everyTruncationIsReported();
  void everyChangedByteIsSafe();
  void readingCanBeCancelled();
};

void TestUniversal::onlyUniversalFilesAreClaimed_data() {
  QTest::addColumn<std::string>("head");
  QTest::addColumn<bool>("universal");
  const auto row = [](const char* name, std::string head, bool universal) {
    QTest::newRow(name) << std::move(head) << universal;
  };
  const std::string magic = "\xca\xfe\xba\xbe";
  row("two slices", universalFile({{kX86, "a"}, {kArm64, "b"}}), true);
  row("64-bit offsets", universalFile({{kArm, "a"}}, true), true);
  row("no slice", magic + bigEndian(0, 4) + bigEndian(kX86, 4), false);
  row("64 slices", magic + bigEndian(64, 4) + bigEndian(kX86, 4), true);
  row("65 slices", magic + bigEndian(65, 4) + bigEndian(kX86, 4), false);
  row("CPU type that is not known", magic + bigEndian(1, 4) + bigEndian(0x4711, 4), false);
  // Java 8: minor 0, major 52, 256 constants, a class constant.
  row("Java class", magic + "\0\0\0\x34\1\0\7\0\2"s, false);
  row("Java class with a double first", magic + "\0\0\0\x34\1\0\6\0\xc\0\0"s, false);
  row("magic only", magic, false);
  row("little-endian", "\xbe\xba\xfe\xca\1\0\0\0\7\0\0\1"s, false);
  row("nothing", "", false);
}

void TestUniversal::onlyUniversalFilesAreClaimed() {
  QFETCH(std::string, head);
  QFETCH(bool, universal);
  QCOMPARE(container::looksLikeUniversal(head), universal);
}

void TestUniversal::slicesAreRead_data() {
  QTest::addColumn<bool>("is64");
  QTest::newRow("fat_arch") << false;
  QTest::newRow("fat_arch_64") << true;
}

void TestUniversal::slicesAreRead() {
  QFETCH(bool, is64);
  const Read read = readText(universalFile({{kX86, "first slice"}, {kArm64, "second"}, {kArm, "3"}}, is64));
  QCOMPARE(read.told, ""s);
  QCOMPARE(read.slices,
           is64 ? "x86_64 112 11\naarch64 128 6\narm 144 1\n"s : "x86_64 80 11\naarch64 96 6\narm 112 1\n"s);
  QCOMPARE(read.found[1].bytes.view(), std::string_view("second"));
}

void TestUniversal::slicesAreReadAsLibraries() {
  MachOBuilder arm, intel;
  arm.data("_weights", "arm!");
  intel.cpuType = kX86;
  intel.data("_weights", "x86!");
  const Read read = readText(universalFile({{kX86, intel.build()}, {kArm64, arm.build()}}));
  QCOMPARE(read.found.size(), std::size_t{2});
  for (const container::Slice& slice : read.found) {
    NullMonitor monitor;
    const auto image = container::readMachO(slice.bytes, monitor);
    QVERIFY(image);
    QCOMPARE(diagnosticsText(image->diagnostics), ""s);
    QCOMPARE(image->arch, slice.arch);
    const auto content = image->findBytesOf(*findSymbol(*image, "_weights"));
    QVERIFY(content);
    QCOMPARE(content->view(), std::string_view(slice.arch == "x86_64" ? "x86!" : "arm!"));
    QVERIFY(content->offset() > slice.bytes.offset());
  }
}

/// arm64 and arm64e share one name; a CPU type without a name is shown by its number.
void TestUniversal::slicesHaveUniqueNames() {
  const Read read =
      readText(universalFile({{kArm64, "a"}, {kArm64, "b"}, {0x4711, "c"}, {kArm64, "d"}, {0x4711, "e"}}));
  QCOMPARE(read.told, ""s);
  QCOMPARE(read.slices, "aarch64 112 1\naarch64-2 128 1\ncpu-0x4711 144 1\naarch64-3 160 1\ncpu-0x4711-2 176 1\n"s);
}

void TestUniversal::damageIsReported_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("slices");
  QTest::addColumn<std::string>("told");
  const std::string file = universalFile({{kX86, "first slice"}, {kArm64, "second"}});
  const auto row = [](const char* name, std::string damaged, std::string slices, std::string told) {
    QTest::newRow(name) << std::move(damaged) << std::move(slices) << std::move(told);
  };
  const auto with = [&](std::size_t at, uint64_t value) {
    return std::string(file).replace(at, 4, bigEndian(value, 4));
  };
  constexpr std::size_t kFirst = 8, kSecond = 28;
  const std::string first = "x86_64 48 11\n", second = "aarch64 64 6\n";
  row("no slice", with(4, 0), "invalid universal Mach-O header: it declares 0 slices at 0x4; 1 to 64 are possible", "");
  row("another magic", with(0, 1), "invalid universal Mach-O header: the magic number at 0x0 is 0x1", "");
  row("cut in the first entry", file.substr(0, 20), "",
      "FILE-PART: architecture table needs 40 bytes at 0x8, but the file has only 20 bytes; it may be truncated\n");
  row("too long", with(kSecond + 12, 0xffffffff), first + second,
      "FILE-PART: slice 'aarch64' needs 4,294,967,295 bytes at 0x40, but the file has only 70 bytes; it may be "
      "truncated\n");
  row("outside", with(kFirst + 8, 0xffffffff), second,
      "FILE-PART: slice 'x86_64' needs 11 bytes at 0xffffffff, but the file has only 70 bytes; it may be truncated\n");
  row("empty", with(kFirst + 12, 0), second, "FILE-TABLE: invalid slice 'x86_64': it is empty\n");
  row("the whole file", with(kFirst + 8, 0), second,
      "FILE-TABLE: invalid slice 'x86_64': it begins at 0x0, inside the header of the universal file\n");
  row("overlap", with(kFirst + 12, 20), "x86_64 48 20\n" + second,
      "FILE-TABLE: invalid architecture table: slice 'aarch64' at 0x40 overlaps slice 'x86_64'\n");
  row("universal inside", universalFile({{kArm, universalFile({{kX86, "a"}})}, {kArm64, "b"}}), "aarch64 96 1\n",
      "FILE-TABLE: invalid slice 'arm': it is a universal file itself\n");
}

void TestUniversal::damageIsReported() {
  QFETCH(std::string, file);
  QFETCH(std::string, slices);
  QFETCH(std::string, told);
  const Read read = readText(file);
  QCOMPARE(read.slices, slices);
  QCOMPARE(read.told, told);
}

void TestUniversal::everyTruncationIsReported() {
  for (const bool is64 : {false, true}) {
    const std::string file = universalFile({{kX86, "first slice"}, {kArm64, "second"}}, is64);
    QCOMPARE(readText(file).told, ""s);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const Read read = readText(std::string_view(file).substr(0, size));
      QVERIFY2(!read.told.empty() || read.slices.starts_with("invalid universal Mach-O header"),
               std::to_string(size).c_str());
    }
  }
}

void TestUniversal::everyChangedByteIsSafe() {
  for (const bool is64 : {false, true}) {
    const std::string file = universalFile({{kX86, "first slice"}, {kArm64, "second"}}, is64);
    for (std::size_t at = 0; at < file.size(); ++at)
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        std::string damaged = file;
        damaged[at] = static_cast<char>(value);
        const Read read = readText(damaged);
        QVERIFY(read.found.size() <= 64);
        QVERIFY(!read.found.empty() || !read.told.empty() || !read.slices.empty());
      }
  }
}

void TestUniversal::readingCanBeCancelled() {
  StopAfter monitor(0);
  std::vector<Diagnostic> diagnostics;
  const auto slices = container::readUniversal(bytes(universalFile({{kX86, "a"}})), monitor, diagnostics);
  QVERIFY(!slices);
  QVERIFY(slices.error().code() == ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestUniversal);
#include "test_universal.moc"
