#include "core/container/blob_scan.h"

#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::Carrier;
using container::Image;

namespace {

constexpr uint64_t kAddress = 0x400000;

std::string nameText(const std::string& name) { return '\0' + name + '\0'; }
const std::string kClassicName = nameText("mylib__tvm_dev_mblob"), kFfiName = nameText("mylib__tvm_ffi__library_bin");

std::string classic() { return classicBlob({{"_lib", ""}, {"json", ByteBuilder().str("{}").take()}}, {{{1}, {}}}); }
std::string ffi() { return ffiBlob({{"_lib", ""}, {"json", "{}"}}, {{1}, {}}); }

/// What a scan found, and how often it had to ask whether bytes are a blob.
struct Scan {
  std::vector<Carrier> carriers;
  std::vector<Diagnostic> diagnostics;
  int asked = 0;

  /// "SYMBOL at OFFSET", a line each; then the ids of what was noted.
  std::string text() const {
    std::string out;
    for (const Carrier& carrier : carriers) out += carrier.symbol + " at " + hexText(carrier.address - kAddress) + "|";
    for (const Diagnostic& diagnostic : diagnostics) out += std::string(diagnostic.idText()) + "|";
    return out;
  }
};

Image imageOf(const std::string& file, std::vector<Extent> segments) {
  Image image;
  image.file = bytes(file);
  for (const Extent& extent : segments) image.segments.push_back({kAddress + extent.offset, extent.size, extent});
  return image;
}

/// `blobs`: what is one; everything else that looks like one is refused.
Scan scanOf(const Image& image, const std::vector<std::string>& blobs, uint64_t work = 1 << 30) {
  Scan scan;
  Budget budget(0, work);
  NullMonitor monitor;
  const container::IsBlob isBlob = [&](const Bytes& bytes) {
    ++scan.asked;
    return std::find(blobs.begin(), blobs.end(), bytes.view()) != blobs.end();
  };
  auto found = container::scanForBlobs(image, isBlob, budget, scan.diagnostics, monitor);
  if (!found) qFatal("a scan in memory failed");
  scan.carriers = std::move(*found);
  return scan;
}

Scan scanOf(const std::string& file) { return scanOf(imageOf(file, {{0, file.size()}}), {classic(), ffi()}); }

} // namespace

class TestBlobScan : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void blobsAreFound_data();
  void blobsAreFound();
  void symbolComesFromTheString_data();
  void symbolComesFromTheString();
  void segmentsAreReadOnce_data();
  void segmentsAreReadOnce();
  void realBlobAfterALookalikeIsFound();
  void attemptsAreLimited();
  void workIsLimited();
  void truncatedBlobsAreNotFound_data();
  void truncatedBlobsAreNotFound();
  void scanCanBeCancelled();
};

void TestBlobScan::blobsAreFound_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, std::string file, std::string expected) {
    QTest::newRow(name) << std::move(file) << std::move(expected);
  };
  const auto at = [](const std::string& symbol, std::size_t offset) { return symbol + " at " + hexText(offset) + "|"; };
  const std::string classicSymbol = "mylib__tvm_dev_mblob", ffiSymbol = "mylib__tvm_ffi__library_bin";
  const std::size_t classicStart = kClassicName.size(), ffiStart = kFfiName.size();
  row("nothing", "", "");
  row("a name without a blob", kClassicName + std::string(64, '\0'), "");
  row("a blob without a name", classic() + ffi(), "");
  row("classic, right behind the name", kClassicName + classic(), at(classicSymbol, classicStart));
  row("classic, in front of the name", classic() + kClassicName, at(classicSymbol, 0));
  row("classic, at an odd place", "x" + kClassicName + classic(), at(classicSymbol, classicStart + 1));
  row("ffi, right behind the name", kFfiName + ffi(), at(ffiSymbol, ffiStart));
  row("ffi, in front of the name", ffi() + kFfiName, at(ffiSymbol, 0));
  row("a classic blob under the name of ffi", kFfiName + classic(), "");
  row("an ffi blob under a classic name", kClassicName + ffi(), "");
  row("two of them get numbers", kClassicName + classic() + classic(),
      at(classicSymbol, classicStart) + at("mylib2__tvm_dev_mblob", classicStart + classic().size()));
  row("two of ffi", kFfiName + ffi() + ffi(),
      at(ffiSymbol, ffiStart) + at("mylib2__tvm_ffi__library_bin", ffiStart + ffi().size()));
  const std::string flat = classicBlob({{"json", ByteBuilder().str("{}").take()}}, std::nullopt);
  row("a classic stream without import tree", kClassicName + flat, "");
}

void TestBlobScan::blobsAreFound() {
  QFETCH(std::string, file);
  QFETCH(std::string, expected);
  const Scan scan = scanOf(file);
  QCOMPARE(scan.text(), expected);
  for (const Carrier& carrier : scan.carriers) {
    // Up to the end of the segment; where the blob ends its own header says.
    QCOMPARE(uint64_t{carrier.available.size()}, file.size() - (carrier.address - kAddress));
    QVERIFY(!carrier.symbolSize);
  }
}

void TestBlobScan::symbolComesFromTheString_data() {
  QTest::addColumn<std::string>("names");
  QTest::addColumn<std::string>("symbol"); ///< empty: nothing is found
  const auto row = [](const char* name, std::string names, std::string symbol) {
    QTest::newRow(name) << std::move(names) << std::move(symbol);
  };
  row("without a prefix", nameText("__tvm_dev_mblob"), "__tvm_dev_mblob");
  row("the second spelling", nameText("p__tvm_ffi_library_bin"), "p__tvm_ffi_library_bin");
  row("the whole prefix", nameText("my.lib_2__tvm_dev_mblob"), "my.lib_2__tvm_dev_mblob");
  row("the prefix ends at what cannot be in a name", "a/b-c__tvm_dev_mblob\0"s, "c__tvm_dev_mblob");
  row("a name with a prefix is preferred to the bare one", nameText("__tvm_dev_mblob") + nameText("p__tvm_dev_mblob"),
      "p__tvm_dev_mblob");
  row("the bare one of the first spelling is preferred to others",
      nameText("q__tvm_ffi_library_bin") + nameText("__tvm_dev_mblob"), "__tvm_dev_mblob");
  row("a longer word is another name", nameText("__tvm_dev_mblob_nbytes"), "");
  row("it must end with NUL", "p__tvm_dev_mblob ", "");
  row("also where the file ends", "p__tvm_dev_mblob", "");
  row("a prefix of 256 bytes", std::string(256, 'p') + "__tvm_dev_mblob\0"s, std::string(256, 'p') + "__tvm_dev_mblob");
  row("a longer prefix is cut", std::string(300, 'p') + "__tvm_dev_mblob\0"s,
      std::string(256, 'p') + "__tvm_dev_mblob");
}

void TestBlobScan::symbolComesFromTheString() {
  QFETCH(std::string, names);
  QFETCH(std::string, symbol);
  const Scan scan = scanOf(classic() + names);
  QCOMPARE(scan.carriers.empty() ? std::string() : scan.carriers[0].symbol, symbol);
}

void TestBlobScan::segmentsAreReadOnce_data() {
  QTest::addColumn<std::vector<Extent>>("segments");
  QTest::addColumn<int>("found");
  QTest::addColumn<int>("asked");
  const uint64_t name = kClassicName.size(), size = classic().size(), all = name + size;
  const auto row = [](const char* what, std::vector<Extent> segments, int found, int asked) {
    QTest::newRow(what) << std::move(segments) << found << asked;
  };
  row("no segment", {}, 0, 0);
  row("the name need not be in one", {{name, size}}, 1, 1);
  row("only the name is", {{0, name}}, 0, 0);
  row("the blob's last byte is not", {{0, all - 1}}, 0, 0);
  row("the blob's first byte is not", {{name + 1, size - 1}}, 0, 0);
  row("the same bytes twice are read once", {{0, all}, {0, all}}, 1, 1);
  row("one inside of another", {{name, size}, {0, all}}, 1, 1);
  row("past the end of the file", {{0, all + 100}}, 1, 1);
}

void TestBlobScan::segmentsAreReadOnce() {
  QFETCH(std::vector<Extent>, segments);
  QFETCH(int, found);
  QFETCH(int, asked);
  const Scan scan = scanOf(imageOf(kClassicName + classic(), segments), {classic()});
  QCOMPARE(static_cast<int>(scan.carriers.size()), found);
  QCOMPARE(scan.asked, asked);
}

/// What only looks like a blob is passed over, and the real one behind it is found.
void TestBlobScan::realBlobAfterALookalikeIsFound() {
  const std::string other = classicBlob({{"_lib", ""}, {"json", ByteBuilder().str("[]").take()}}, {{{1}, {}}});
  const std::string file = kClassicName + other + classic();
  const Scan scan = scanOf(file);
  QCOMPARE(scan.carriers.size(), std::size_t{1});
  QCOMPARE(scan.carriers[0].address - kAddress, uint64_t{kClassicName.size() + other.size()});
  QCOMPARE(scan.asked, 2);
}

void TestBlobScan::attemptsAreLimited() {
  std::string file = kFfiName;
  for (int i = 0; i < 64; ++i) file += ffiBlob({{"_lib", ""}, {"json", "[]"}}, {{1}, {}});
  const Scan last = scanOf(file);
  QCOMPARE(last.asked, 64);
  QCOMPARE(last.text(), std::string());
  const Scan one = scanOf(file + ffi());
  QCOMPARE(one.asked, 64);
  QCOMPARE(one.text(), std::string("FILE-LIMIT|"));
}

void TestBlobScan::workIsLimited() {
  const std::string file = kFfiName + ffi();
  const Image image = imageOf(file, {{0, file.size()}});
  // The segment is read once, then the blob is decoded.
  QCOMPARE(scanOf(image, {ffi()}, file.size() - 1).text(), std::string("FILE-LIMIT|"));
  QCOMPARE(scanOf(image, {ffi()}, file.size() + ffi().size() - 1).text(), std::string("FILE-LIMIT|"));
  QCOMPARE(scanOf(image, {ffi()}, file.size() + ffi().size()).carriers.size(), std::size_t{1});
}

void TestBlobScan::truncatedBlobsAreNotFound_data() {
  QTest::addColumn<std::string>("file");
  QTest::newRow("classic") << kClassicName + classic();
  QTest::newRow("ffi") << kFfiName + ffi();
}

void TestBlobScan::truncatedBlobsAreNotFound() {
  QFETCH(std::string, file);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Scan scan = scanOf(file.substr(0, size));
    QCOMPARE(scan.text(), std::string());
    QCOMPARE(scan.asked, 0);
  }
}

void TestBlobScan::scanCanBeCancelled() {
  for (const std::string& file : {kClassicName + classic(), kFfiName + ffi()}) {
    std::vector<Diagnostic> diagnostics;
    Budget budget(0, 1 << 30);
    StopAfter monitor(0);
    const auto found = container::scanForBlobs(
        imageOf(file, {{0, file.size()}}), [](const Bytes&) { return true; }, budget, diagnostics, monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestBlobScan);
#include "test_blob_scan.moc"
