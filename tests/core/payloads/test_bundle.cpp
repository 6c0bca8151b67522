#include "core/payloads/bundle/bundle.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/core/payloads/page_text.h"
#include "tests/core/payloads/payload_check.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <zstd.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using bundle_builder::Code;
using payloads::Bundle;
using payloads::BundleEntry;

namespace {

const std::vector<Code> kTwo = {{"host-x86_64-unknown-linux-gnu-", ""},
                                {"hipv4-amdgcn-amd-amdhsa--gfx1030", std::string(100, 'a')},
                                {"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", std::string(60, 'b')}};

std::string zstandard(const std::string& content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
  return out;
}

/// A zlib stream of one stored block. Source: RFC 1950, RFC 1951 3.2.4.
std::string zlib(const std::string& content) {
  uint32_t a = 1, b = 0;
  for (const char c : content) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
  const auto size = static_cast<uint16_t>(content.size());
  std::string out = ByteBuilder().raw("\x78\x01\x01").u16(size).u16(static_cast<uint16_t>(~size)).raw(content).take();
  for (const uint32_t half : {b, a}) out += {static_cast<char>(half >> 8), static_cast<char>(half)};
  return out;
}

Bundle read(const std::string& file) {
  NullMonitor monitor;
  return payloads::readBundle(bytes(file), monitor);
}

/// "gfx1030 0x1000+100; gfx90a … | damage".
std::string text(const Bundle& bundle) {
  std::string out;
  for (const BundleEntry& entry : bundle.entries)
    out += (out.empty() ? "" : "; ") + (entry.isHost() ? "host"s : entry.target()) + " " +
           hexText(entry.extent.offset) + "+" + std::to_string(entry.extent.size);
  for (const std::string& damage : bundle.damage) out += " | " + damage;
  return out;
}

/// The error's text, or the size of the unpacked bundle.
std::string unpacked(const std::string& file, const std::string& expected) {
  NullMonitor monitor;
  const auto out = payloads::unpackBundle(bytes(file), Budget::forFile(file.size()), monitor);
  if (!out) return out.error().message();
  return out->view() == expected ? "" : "other content";
}

} // namespace

class TestBundle : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void targetsComeFromTheIds_data() {
    QTest::addColumn<QString>("target");
    QTest::newRow("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-") << "gfx90a:sramecc+:xnack-";
    QTest::newRow("hip-amdgcn-amd-amdhsa-gfx803") << "gfx803";
    QTest::newRow("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack+") << "gfx9-4-generic:xnack+";
    QTest::newRow("openmp-amdgcn-amd-amdhsa--gfx906") << "gfx906";
    QTest::newRow("hip-spirv64-amd-amdhsa--amdgcnspirv") << "amdgcnspirv";
    QTest::newRow("host-x86_64-unknown-linux-gnu-") << "";
    QTest::newRow("") << "";
  }
  void targetsComeFromTheIds() {
    QFETCH(QString, target);
    QCOMPARE(QString::fromStdString(BundleEntry{QTest::currentDataTag(), {}}.target()), target);
  }

  void plainBundlesAreRead() {
    const std::string file = bundle_builder::plain(kTwo);
    const Bundle bundle = read(file + "more");
    QCOMPARE(text(bundle), "host 0x1000+0; gfx1030 0x1000+100; gfx90a:sramecc+:xnack- 0x2000+60"s);
    QVERIFY(bundle.compression == Bundle::Compression::None && bundle.version == 0);
    QCOMPARE(bundle.storedSize, uint64_t{file.size()});
    QCOMPARE(payloads::bundleSize(bytes(file + "more")), std::optional<uint64_t>(file.size()));
    QCOMPARE(unpacked(file, file), ""s);
  }

  void packedBundlesAreRead_data() {
    QTest::addColumn<int>("version");
    QTest::addColumn<bool>("isZlib");
    for (const int version : {1, 2, 3})
      for (const bool isZlib : {false, true})
        QTest::addRow("%d %s", version, isZlib ? "zlib" : "Zstandard") << version << isZlib;
  }
  void packedBundlesAreRead() {
    QFETCH(int, version);
    QFETCH(bool, isZlib);
    const std::string plain = bundle_builder::plain(kTwo);
    const std::string file = bundle_builder::packed(static_cast<uint16_t>(version), isZlib ? 0 : 1,
                                                    isZlib ? zlib(plain) : zstandard(plain), plain.size());
    // Another bundle follows; only that ends the stream of zlib after a header of version 1.
    const Bundle bundle = read(file + file);
    QCOMPARE(text(bundle), "host 0x1000+0; gfx1030 0x1000+100; gfx90a:sramecc+:xnack- 0x2000+60"s);
    QCOMPARE(bundle.storedSize, uint64_t{file.size()});
    QCOMPARE(bundle.unpackedSize, uint64_t{plain.size()});
    QCOMPARE(payloads::bundleSize(bytes(file + file)), std::optional<uint64_t>(file.size()));
    QCOMPARE(unpacked(file, plain), ""s);
    QCOMPARE(payloads::contentWords(bytes(file)),
             (std::vector{"bundle"s, "code-object gfx1030"s, "code-object gfx90a:sramecc+:xnack-"s}));
  }

  /// The table of a large bundle is read without unpacking the rest, and tables can be longer than what is unpacked
  /// first.
  void tableIsUnpackedAlone() {
    std::vector<Code> many;
    for (int i = 0; i < 2'000; ++i)
      many.push_back({"hipv4-amdgcn-amd-amdhsa--gfx90a:" + std::to_string(i), std::string(1, 'x')});
    std::string plain = bundle_builder::plain(many);
    // Bytes that do not become much smaller: a ratio above the limit is refused.
    std::string rest(1'000'000, '\0');
    uint32_t state = 1;
    for (char& c : rest) c = static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24);
    std::string cut = zstandard(plain + rest);
    const uint64_t size = plain.size() + rest.size();
    cut.resize(cut.size() - 8); // the end is missing
    const std::string file = bundle_builder::packed(2, 1, cut, size);
    QCOMPARE(read(file).entries.size(), std::size_t{2'000});
    QVERIFY(read(file).damage.empty());
    QVERIFY(QString::fromStdString(unpacked(file, plain)).contains("truncated"));
  }

  void damageIsReported_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& file, const char* words) {
      QTest::newRow(name) << QByteArray::fromStdString(file) << words;
    };
    const std::string plain = bundle_builder::plain(kTwo), packed = zstandard(plain);
    row("nothing", "", "no header");
    row("unknown version", bundle_builder::packed(4, 1, packed, plain.size()), "no header");
    row("unknown method", bundle_builder::packed(2, 2, packed, plain.size()), "compression is not known");
    row("cut", bundle_builder::packed(2, 1, packed, plain.size()).substr(0, 60), "exceeds the 60 bytes left");
    row("nothing unpacked", bundle_builder::packed(2, 1, packed, 0), "it is empty");
    row("huge", bundle_builder::packed(3, 1, packed, uint64_t{2} << 30), "above the limit");
    row("too good", bundle_builder::packed(3, 1, packed, uint64_t{1} << 28), "more than 1,000 times");
    row("not a bundle", bundle_builder::packed(2, 1, zstandard(std::string(90, 'x')), 90), "does not begin with");
    row("no stream", bundle_builder::packed(2, 1, std::string(90, 'x'), 90), "frame is damaged");
    row("no zlib", bundle_builder::packed(2, 0, std::string(90, 'x'), 90), "zlib header");
    row("no entries", bundle_builder::plain({}), "number of entries, 0");
    row("many entries", patched(plain, 24, 5'000), "number of entries, 5,000");
    row("long id", patched(plain, 48, 2'000), "more than the limit of 1,024");
    row("cut table", plain.substr(0, 60), "cut off");
    row("entry outside", patched(plain, 32 + 24 + 30 + 8, 1 << 20), "outside the bundle");
    row("entries overlap", patched(plain, 32 + 24 + 30, 8), "entries overlap");
  }
  void damageIsReported() {
    QFETCH(QByteArray, file);
    QFETCH(QString, words);
    const Bundle bundle = read(file.toStdString());
    QCOMPARE(bundle.damage.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(bundle.damage[0]).contains(words), bundle.damage[0].c_str());
    if (words != QLatin1String("does not begin with") && words != QLatin1String("frame is damaged") &&
        words != QLatin1String("zlib header"))
      QVERIFY(!payloads::bundleSize(bytes(file.toStdString())));
  }

  void checkSumOfZlibIsCompared() {
    const std::string plain = bundle_builder::plain(kTwo);
    std::string stream = zlib(plain);
    stream.back() = static_cast<char>(stream.back() + 1);
    QVERIFY(QString::fromStdString(unpacked(bundle_builder::packed(2, 0, stream, plain.size()), plain))
                .contains("check sum is wrong"));
  }

  void unpackingIsLimitedAndCancelled() {
    const std::string plain = bundle_builder::plain(kTwo);
    const std::string file = bundle_builder::packed(2, 1, zstandard(plain), plain.size());
    NullMonitor monitor;
    const auto over = payloads::unpackBundle(bytes(file), std::make_shared<Budget>(100, 1 << 20), monitor);
    QVERIFY(!over && over.error().code() == ErrorCode::Limit);
    StopAfter stop(0);
    const auto stopped = payloads::unpackBundle(bytes(file), Budget::forFile(file.size()), stop);
    QVERIFY(!stopped && stopped.error().code() == ErrorCode::Cancelled);
  }

  void pagesListTheEntries() {
    const view::PageList pages = resolvePages(payloads::kBundle, bytes(bundle_builder::plain(kTwo)));
    QCOMPARE(pageText(pages, "Bundle"),
             "compression|none\nstored|8.1 KiB (8,252 bytes)\nunpacked|8.1 KiB (8,252 bytes)\n"s);
    QCOMPARE(pageText(pages, "Images"),
             "number|architecture|unpacked bytes|offset when unpacked|id\n"
             "0|host|0|0x1000|host-x86_64-unknown-linux-gnu-\n"
             "1|gfx1030|100|0x1000|hipv4-amdgcn-amd-amdhsa--gfx1030\n"
             "2|gfx90a:sramecc+:xnack-|60|0x2000|hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-\n"s);
  }
};

BLOBSCOPE_TEST(TestBundle);
#include "test_bundle.moc"
