#include "core/library/stream.h"

#include "tests/core/library/blob_text.h"
#include "tests/core/library/records.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using library::ImportTree;
using library::SplitStream;

namespace {

constexpr WireContext kOlder = {false, false}, kNewer = {true, true};

const std::vector<Function> kKernel = {{"k"}};

Record cudaWith(Info info) { return {"cuda", code3("ptx", kKernel, "//", info)}; }
Record openclWith(Info info) { return {"opencl", code3("cl", kKernel, "// Function: k\n", info)}; }
Record vulkanRecord(Info info) { return {"vulkan", vulkan(kKernel, info, info != Info::Three)}; }

SplitStream cut(const std::string& blob, WireContext likely) {
  NullMonitor monitor;
  auto result = library::splitStream(bytes(blob), likely, monitor);
  if (!result) qFatal("cutting a stream failed: %s", result.error().message().c_str());
  return std::move(*result);
}

/// "_lib cuda! opencl": the keys of the module records, marked as in textOf().
std::string keysOf(const SplitStream& stream) {
  std::string out;
  for (const library::Record& record : stream.records) {
    if (record.kind == library::Record::Kind::Tree) continue;
    out += (out.empty() ? "" : " ") + escaped(record.key.view());
    const char mark = " ?!#"[static_cast<std::size_t>(record.undecoded)];
    if (mark != ' ') out += mark;
  }
  return out;
}

const Placed kFfi2Place = {container::CarrierName::FfiLibraryBin2};

} // namespace

class TestBlobStream : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void streamIsRecognised_data();
  void streamIsRecognised();
  void formOfFunctionInfoIsRecognised_data();
  void formOfFunctionInfoIsRecognised();
  void importTreeMustFitTheModules_data();
  void importTreeMustFitTheModules();
  void recordsDecideTheFlags();
  void damagedRecordHeadLosesOnlyItsRecord_data();
  void damagedRecordHeadLosesOnlyItsRecord();
  void damagedTreeKeepsTheRecords();
  void unknownKindKeepsItsBytes_data();
  void unknownKindKeepsItsBytes();
  void readingCanBeCancelled();
  void timeGrowsWithSize_data();
  void timeGrowsWithSize();
};

void TestBlobStream::streamIsRecognised_data() {
  QTest::addColumn<QByteArray>("payload");
  QTest::addColumn<bool>("ffi");
  const auto add = [](const char* name, std::string payload, bool ffi) {
    QTest::newRow(name) << QByteArray::fromStdString(payload) << ffi;
  };
  add("no payload", "", false);
  add("8 bytes", ByteBuilder().u64(0).take(), false);
  add("15 bytes", ByteBuilder().u64(2).raw(std::string(7, '\0')).take(), false);
  add("second word 0", ByteBuilder().u64(2).u64(0).take(), true);
  add("second word is the length of a key", ByteBuilder().u64(2).u64(4).take(), false);
  add("count 0 and a record", ByteBuilder().u64(0).str("cuda").take(), false);
  add("second word 0, nothing else right", ByteBuilder().u64(~uint64_t{0}).u64(0).take(), true);
}

void TestBlobStream::streamIsRecognised() {
  QFETCH(QByteArray, payload);
  QFETCH(bool, ffi);
  const SplitStream stream = cut(withHeader(payload.toStdString()), kOlder);
  QCOMPARE(library::streamName(stream.stream), std::string_view(ffi ? "ffi" : "classic"));
}

/// The carrier suggests the likely form; the bytes decide.
void TestBlobStream::formOfFunctionInfoIsRecognised_data() {
  QTest::addColumn<QByteArray>("blob");
  QTest::addColumn<bool>("four");
  const std::vector<std::vector<uint64_t>> imports = {{1, 2}, {}, {}};
  const auto add = [](const char* name, const std::string& blob, bool four) {
    QTest::newRow(name) << QByteArray::fromStdString(blob) << four;
  };
  add("fi3, flat", classicBlob({cudaWith(Info::Three), openclWith(Info::Three)}, std::nullopt), false);
  add("fi4, flat", classicBlob({cudaWith(Info::Four), openclWith(Info::Four)}, std::nullopt), true);
  add("fi3, tree", classicBlob({libRecord(), cudaWith(Info::Three), vulkanRecord(Info::Three)}, imports), false);
  add("fi4, tree", classicBlob({libRecord(), cudaWith(Info::Four), vulkanRecord(Info::Four)}, imports), true);
  add("fi3, tree, unknown kind before it",
      classicBlob({{"Vendor.Kind", "\x01\x02\x03"}, libRecord(), cudaWith(Info::Three)}, imports), false);
  add("fi4, tree, unknown kind before it",
      classicBlob({{"Vendor.Kind", "\x01\x02\x03"}, libRecord(), cudaWith(Info::Four)}, imports), true);
}

void TestBlobStream::formOfFunctionInfoIsRecognised() {
  QFETCH(QByteArray, blob);
  QFETCH(bool, four);
  for (const WireContext likely : {kOlder, kNewer}) {
    const SplitStream stream = cut(blob.toStdString(), likely);
    QVERIFY2(stream.complete, keysOf(stream).c_str());
    QCOMPARE(stream.context.extraTags, four);
    QCOMPARE(stream.context.dlpack, likely.dlpack); // no byte shows the numbering of types
    QVERIFY2(keysOf(stream).find('!') == std::string::npos, keysOf(stream).c_str());
  }
}

void TestBlobStream::importTreeMustFitTheModules_data() {
  QTest::addColumn<QList<quint64>>("indptr");
  QTest::addColumn<QList<quint64>>("child");
  QTest::addColumn<quint64>("modules");
  QTest::addColumn<bool>("fits");
  using Words = QList<quint64>;
  const quint64 max = ~quint64{0};
  QTest::newRow("no modules") << Words{0} << Words{} << quint64{0} << true;
  QTest::newRow("one module alone") << Words{0, 0} << Words{} << quint64{1} << true;
  QTest::newRow("chain") << Words{0, 1, 2, 2} << Words{1, 2} << quint64{3} << true;
  QTest::newRow("shared child") << Words{0, 2, 3, 3} << Words{1, 2, 2} << quint64{3} << true;
  QTest::newRow("cycle") << Words{0, 1, 2} << Words{1, 0} << quint64{2} << true;
  QTest::newRow("empty indptr") << Words{} << Words{} << quint64{0} << false;
  QTest::newRow("empty indptr for as many modules as there are numbers") << Words{} << Words{} << max << false;
  QTest::newRow("indptr too short") << Words{0, 1} << Words{1} << quint64{2} << false;
  QTest::newRow("indptr too long") << Words{0, 1, 1, 1} << Words{1} << quint64{2} << false;
  QTest::newRow("does not begin with 0") << Words{1, 1} << Words{0} << quint64{1} << false;
  QTest::newRow("decreasing") << Words{0, 2, 1, 2} << Words{1, 2} << quint64{3} << false;
  QTest::newRow("ends too low") << Words{0, 1} << Words{0, 0} << quint64{1} << false;
  QTest::newRow("ends too high") << Words{0, max} << Words{0} << quint64{1} << false;
  QTest::newRow("child is the number of modules") << Words{0, 1, 1} << Words{2} << quint64{2} << false;
  QTest::newRow("child far away") << Words{0, 1, 1} << Words{max} << quint64{2} << false;
}

void TestBlobStream::importTreeMustFitTheModules() {
  QFETCH(QList<quint64>, indptr);
  QFETCH(QList<quint64>, child);
  QFETCH(quint64, modules);
  QFETCH(bool, fits);
  const ImportTree tree{{indptr.begin(), indptr.end()}, {child.begin(), child.end()}};
  QCOMPARE(tree.fits(modules), fits);
}

void TestBlobStream::recordsDecideTheFlags() {
  const SplitStream flat = cut(classicBlob({cudaWith(Info::Three)}, std::nullopt), kOlder);
  QVERIFY(flat.complete && !flat.hasLibRecord && !flat.tree && !flat.uncounted);
  QCOMPARE(flat.count, std::optional<uint64_t>(1));

  const SplitStream tree = cut(classicBlob({libRecord()}, std::vector<std::vector<uint64_t>>(1)), kOlder);
  QVERIFY(tree.complete && tree.hasLibRecord && tree.tree && !tree.uncounted);
  QCOMPARE(tree.count, std::optional<uint64_t>(2));
  QCOMPARE(tree.records.size(), std::size_t{2});

  const SplitStream ffi = cut(ffiBlob({libRecord()}, std::vector<std::vector<uint64_t>>(1)), kNewer);
  QVERIFY(ffi.complete && ffi.hasLibRecord && ffi.tree && !ffi.uncounted && !ffi.count);
  QCOMPARE(ffi.records.size(), std::size_t{1});

  const SplitStream uncounted =
      cut(withHeader(ByteBuilder().u64(0).str("opencl").raw(openclWith(Info::Three).payload).take()), kOlder);
  QVERIFY(uncounted.complete && uncounted.uncounted);
  QCOMPARE(uncounted.count, std::optional<uint64_t>(0));
}

/// Every other record of an ffi stream gives its end, so a damaged record head loses only one module.
void TestBlobStream::damagedRecordHeadLosesOnlyItsRecord_data() {
  QTest::addColumn<quint64>("record"); ///< which of _lib, cuda, opencl, vulkan
  QTest::addColumn<bool>("valueLength");
  QTest::addColumn<quint64>("number");
  const quint64 max = ~quint64{0};
  for (const quint64 number :
       {quint64{0}, quint64{1}, quint64{5}, quint64{200}, quint64{100'000}, quint64{1} << 63, max}) {
    for (quint64 record = 0; record < 4; ++record)
      QTest::addRow("key length of record %d is %llu", static_cast<int>(record),
                    static_cast<unsigned long long>(number))
          << record << false << number;
    for (quint64 record = 1; record < 4; ++record)
      QTest::addRow("value length of record %d is %llu", static_cast<int>(record),
                    static_cast<unsigned long long>(number))
          << record << true << number;
  }
}

void TestBlobStream::damagedRecordHeadLosesOnlyItsRecord() {
  QFETCH(quint64, record);
  QFETCH(bool, valueLength);
  QFETCH(quint64, number);
  const std::vector<Record> records = {libRecord(), cudaWith(Info::Four), openclWith(Info::Four),
                                       vulkanRecord(Info::Four)};
  const std::string whole = ffiBlob(records, {{1, 2, 3}, {}, {}, {}});
  std::size_t at = 8 + 8 + 5 * 8 + 8 + 3 * 8;
  for (std::size_t i = 0; i < record; ++i)
    at += 8 + records[i].key.size() + (i == 0 ? 0 : 8 + records[i].payload.size());
  if (valueLength) at += 8 + records[record].key.size();
  const library::Blob blob = openMade(patched(whole, at, number), kFfi2Place);
  QCOMPARE(whyUnsound(blob), QString());
  QVERIFY(!blob.diagnostics.empty());

  QStringList expected, found;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (i != record) expected << QString::fromStdString(records[i].key);
  for (const library::ModulePtr& module : blob.modules)
    if (module->undecoded == library::Undecoded::No) found << shown(module->key.view());
  QCOMPARE(found, expected);
}

/// The tree is before the records and gives their number.
void TestBlobStream::damagedTreeKeepsTheRecords() {
  const std::string whole = ffiBlob({libRecord(), cudaWith(Info::Four)}, {{1}, {}});
  for (std::size_t at = 24; at < 56; at += 8) { // indptr[1], indptr[2], number of children, child[0]
    const library::Blob blob = openMade(patched(whole, at, 7), kFfi2Place);
    QCOMPARE(whyUnsound(blob), QString());
    if (at == 40) continue; // seven children: nothing shows where the records begin
    QVERIFY(hasFinding(blob.diagnostics, DiagnosticId::BlobTree));
    QCOMPARE(keysOf(blob.cut), std::string("_lib cuda"));
  }
}

void TestBlobStream::unknownKindKeepsItsBytes_data() {
  QTest::addColumn<QByteArray>("key");
  QTest::addColumn<QByteArray>("value");
  QTest::newRow("usual key") << QByteArray("my.Kind") << QByteArray("\x00\x01", 2);
  QTest::newRow("no value") << QByteArray("my.Kind") << QByteArray();
  QTest::newRow("key of other characters") << QByteArray("my kind/2") << QByteArray("x");
  QTest::newRow("key of bytes that are not text") << QByteArray("\xff\x00\x1b", 3) << QByteArray("x");
  QTest::newRow("long key") << QByteArray(300, 'k') << QByteArray("x");
  QTest::newRow("value that is a stream")
      << QByteArray("my.Kind") << QByteArray::fromStdString(ffiBlob({libRecord(), cudaWith(Info::Four)}, {{1}, {}}));
}

void TestBlobStream::unknownKindKeepsItsBytes() {
  QFETCH(QByteArray, key);
  QFETCH(QByteArray, value);
  const library::Blob blob =
      openMade(ffiBlob({libRecord(), {key.toStdString(), value.toStdString()}, cudaWith(Info::Four)}, {{1}, {2}, {}}),
               kFfi2Place);
  QCOMPARE(whyUnsound(blob), QString());
  QVERIFY(blob.cut.complete);
  QCOMPARE(blob.modules.size(), std::size_t{3});
  QCOMPARE(blob.modules[1]->undecoded, library::Undecoded::UnknownKind);
  QCOMPARE(shown(blob.modules[1]->key.view()), shown(key.toStdString()));
  QCOMPARE(shown(blob.modules[1]->payload.view()), shown(value.toStdString()));
  QCOMPARE(blob.modules[2]->undecoded, library::Undecoded::No);
}

/// On each request to stop it returns an error, otherwise the result is complete.
void TestBlobStream::readingCanBeCancelled() {
  std::string strings;
  while (strings.size() < (3u << 20)) strings += ByteBuilder().str("json").raw(std::string(1000, '\x01')).take();
  const std::string classic =
      classicBlob({{"Vendor.Kind", strings}, libRecord(), cudaWith(Info::Three)}, {{{1}, {2}, {}}});
  std::string damaged = ffiBlob({{"Vendor.Kind", strings}, libRecord(), cudaWith(Info::Four)}, {{1}, {2}, {}});
  damaged[8 + 40 + 24 + 19 + 7] = '\x7f'; // the length of the first value
  for (const std::string& blob : {classic, damaged}) {
    const Bytes all = bytes(blob);
    int looks = 0;
    for (;; ++looks) {
      StopAfter monitor(looks);
      const auto result = library::splitStream(all, kOlder, monitor);
      if (result) {
        QCOMPARE(result->records.back().undecoded, library::Undecoded::No);
        break;
      }
      QCOMPARE(result.error().code(), ErrorCode::Cancelled);
    }
    QVERIFY2(looks > 3, qPrintable(QStringLiteral("%1 looks").arg(looks)));
  }
}

void TestBlobStream::timeGrowsWithSize_data() {
  QTest::addColumn<QByteArray>("small");
  QTest::addColumn<QByteArray>("large");
  // The length of the first record is damaged, and twice as many records as announced follow, so that the announced
  // number fills the rest from no offset.
  const auto blob = [](uint64_t modules) {
    ByteBuilder stream;
    stream.words(std::vector<uint64_t>(modules + 1)).words({}).str("First.Kind").u64(~uint64_t{0});
    for (uint64_t i = 0; i < 2 * modules; ++i) stream.str("k").str("");
    return QByteArray::fromStdString(withHeader(stream.raw("\x01").take()));
  };
  QTest::newRow("records that lead past one another") << blob(250) << blob(2000);
  // Every record is damaged in the same way: each could cause another search through the rest.
  const auto damaged = [](uint64_t modules) {
    ByteBuilder stream;
    stream.words(std::vector<uint64_t>(modules + 1)).words({});
    for (uint64_t i = 0; i < modules; ++i) stream.str("cuda").str(std::string(40, '\x07'));
    return QByteArray::fromStdString(withHeader(stream.raw("\x01").take()));
  };
  QTest::newRow("damaged records one after the other") << damaged(1000) << damaged(8000);
}

void TestBlobStream::timeGrowsWithSize() {
  QFETCH(QByteArray, small);
  QFETCH(QByteArray, large);
  const auto before = static_cast<double>(openNs(small.toStdString(), kFfi2Place));
  const double ratio = static_cast<double>(openNs(large.toStdString(), kFfi2Place)) / before;
  QVERIFY2(ratio < 24, qPrintable(QStringLiteral("%1 times the time").arg(ratio)));
}

BLOBSCOPE_TEST(TestBlobStream);
#include "test_stream.moc"
