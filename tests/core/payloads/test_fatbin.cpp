#include "core/payloads/fatbin/fatbin.h"

#include "core/payloads/cubin/cubin.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"
#include "tests/core/base/compare.h"
#include "tests/core/payloads/cuda_tools.h"
#include "tests/core/payloads/page_text.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>

#include <lz4.h>
#include <zstd.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using cuda::Image;
using payloads::Fatbin;
using payloads::FatbinEntry;

namespace {

std::string lz4(const std::string& text) {
  std::string out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  out.resize(static_cast<std::size_t>(
      LZ4_compress_default(text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
  return out;
}
std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

const std::string kPtx = ".version 7.8\n.target sm_80\n" + std::string(3000, ' ') + "// end";

Image plain(uint16_t kind, uint32_t sm, std::string payload) {
  Image image;
  image.kind = kind;
  image.sm = sm;
  image.payload = std::move(payload);
  return image;
}
Image packed(std::string stored, uint64_t size, uint64_t flag, uint16_t kind = 1) {
  Image image = plain(kind, 80, std::move(stored));
  image.flags |= flag;
  image.uncompressed = size;
  return image;
}

Fatbin read(const std::string& text) { return payloads::readFatbin(bytes(text)); }
std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

/// The unpacked image, or the reason why there is none.
std::string unpacked(const FatbinEntry& entry) {
  NullMonitor monitor;
  const auto image = payloads::unpackEntry(entry, monitor);
  return image ? std::string(image->view()) : image.error().message();
}
/// Reads and unpacks everything.
void touch(const std::string& text) {
  const Bytes held = bytes(text);
  view::PageList pages;
  payloads::addFatbinPages(held, pages);
  pagesText(pages);
  payloads::fatbinWords(held);
  for (const FatbinEntry& entry : payloads::readFatbin(held).entries()) unpacked(entry);
}

QString corpusFolder() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  return (set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
         QStringLiteral("/libraries");
}

} // namespace

class TestFatbin : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void entriesAreRead();
  void severalContainersAreRead();
  void imagesAreNamedByKindAndArchitecture();
  void imagesAreUnpacked_data();
  void imagesAreUnpacked();
  void unpackingCanBeCancelled();
  void packedPtxEndsWithZero();
  void damageIsReported_data();
  void damageIsReported();
  void pagesListTheImages();
  void mutationsAreSafeUnderSanitizers();
  void corpusFatbinsAreRead_data();
  void corpusFatbinsAreRead();
};

void TestFatbin::entriesAreRead() {
  Image cubin = plain(2, 90, "machine code");
  cubin.flags |= FatbinEntry::kArchSpecific;
  cubin.identifier = "k.cu";
  cubin.options = "-O1 -v ";
  Image older = plain(1, 80, kPtx);
  older.emptyOptionBlock = true;
  older.major = 7;
  older.minor = 8;
  const Fatbin fatbin = read(cuda::fatbin({cubin, older}));
  QCOMPARE(joined(fatbin.damage), ""s);
  const auto all = fatbin.entries();
  QCOMPARE(all.size(), std::size_t{2});
  QCOMPARE(all[0].word(), "cubin sm_90a"s);
  QVERIFY(all[0].header == (Extent{16, 64 + 8 + 8 + 8}));
  QCOMPARE(std::string(all[0].identifier.view()), "k.cu"s);
  QCOMPARE(std::string(all[0].options.view()), "-O1 -v "s);
  QCOMPARE(std::string(all[0].payload.view()), "machine code\0\0\0\0"s);
  QVERIFY(all[0].versionMajor == 1 && all[0].versionMinor == 7 && all[0].unpackedSize() == 16);
  QCOMPARE(all[1].word(), "ptx sm_80"s);
  QVERIFY(all[1].options.empty() && all[1].identifier.empty() && all[1].versionMajor == 7 && all[1].versionMinor == 8);
  QCOMPARE(unpacked(all[1]), kPtx); // without its padding
  QVERIFY(fatbin.trailing.empty());
}

void TestFatbin::severalContainersAreRead() {
  const std::string one = cuda::fatbin({plain(2, 80, "a")}), two = cuda::fatbin({plain(2, 90, "b"), plain(7, 90, "c")});
  const Fatbin fatbin = read(one + two + "behind it");
  QCOMPARE(fatbin.containers.size(), std::size_t{2});
  QVERIFY(fatbin.containers[1].extent == (Extent{one.size(), two.size()}));
  QCOMPARE(fatbin.entries().size(), std::size_t{3});
  QCOMPARE(fatbin.entries()[2].word(), "kind 7 sm_90"s);
  QCOMPARE(std::string(fatbin.trailing.view()), "behind it"s);
  QCOMPARE(joined(fatbin.damage), "9 bytes at 0xf8 after the last container belong to no container\n"s);
}

void TestFatbin::imagesAreNamedByKindAndArchitecture() {
  Image family = plain(2, 100, "x");
  family.flags |= FatbinEntry::kFamily;
  const std::string text =
      cuda::fatbin({plain(2, 89, "x"), plain(2, 89, "y"), family, plain(1, 80, kPtx), plain(8, 80, "z")});
  QCOMPARE(joined(payloads::fatbinWords(bytes(text))),
           "fatbin\ncubin sm_89\ncubin sm_100f\nptx sm_80\nlto-ir sm_80\n"s);
  QCOMPARE(joined(payloads::fatbinWords(bytes("no fat binary"))), "fatbin\n"s);
}

Q_DECLARE_METATYPE(cuda::Image)

void TestFatbin::imagesAreUnpacked_data() {
  QTest::addColumn<cuda::Image>("image");
  QTest::addColumn<std::string>("expected");
  const std::string where = "image ptx sm_80 at 0x50 cannot be unpacked: ";
  const uint64_t size = kPtx.size();
  const std::string block = lz4(kPtx), frame = zstd(kPtx), zeros = kPtx + std::string(5, '\0');
  QTest::newRow("plain") << plain(1, 80, kPtx) << kPtx;
  QTest::newRow("plain, not text") << plain(2, 80, "a"s) << "a\0\0\0\0\0\0\0"s;
  QTest::newRow("LZ4") << packed(block, size, FatbinEntry::kLz4) << kPtx;
  QTest::newRow("Zstandard") << packed(frame, size, FatbinEntry::kZstandard) << kPtx;
  QTest::newRow("zeros at the end of text") << packed(zstd(zeros), zeros.size(), FatbinEntry::kZstandard) << kPtx;
  QTest::newRow("zeros at the end of code") << packed(lz4(zeros), zeros.size(), FatbinEntry::kLz4, 2) << zeros;
  QTest::newRow("LTO-IR as it is stored") << packed("opaque", 100, FatbinEntry::kZstandard, 8) << "opaque"s;
  QTest::newRow("LZ4 announces less") << packed(block, size - 1, FatbinEntry::kLz4)
                                      << where + "the LZ4 block is damaged or contains more than the declared " +
                                             std::to_string(size - 1) + " bytes";
  QTest::newRow("LZ4 announces more") << packed(block, size + 1, FatbinEntry::kLz4)
                                      << where + std::to_string(size + 1) + " bytes are declared, but it contains " +
                                             std::to_string(size);
  QTest::newRow("Zstandard announces less")
      << packed(frame, size - 1, FatbinEntry::kZstandard)
      << where + "it contains more than the declared " + std::to_string(size - 1) + " bytes";
  QTest::newRow("Zstandard announces more")
      << packed(frame, size + 1, FatbinEntry::kZstandard)
      << where + std::to_string(size + 1) + " bytes are declared, but it contains " + std::to_string(size);
  QTest::newRow("Zstandard cut off") << packed(frame.substr(0, frame.size() - 3), size, FatbinEntry::kZstandard)
                                     << where + "the Zstandard frame is truncated";
  QTest::newRow("not Zstandard") << packed(block, size, FatbinEntry::kZstandard)
                                 << where + "the Zstandard frame is damaged (Unknown frame descriptor)";
  QTest::newRow("no such compression") << packed(block, size, 0) << where + "its flags 0x11 name no known compression";
  QTest::newRow("a thousandfold")
      << packed(std::string(8, 'x'), 8001, FatbinEntry::kLz4)
      << where + "its unpacked size of 7.8 KiB (8,001 bytes) is more than 1,000 times its 8 stored bytes";
  QTest::newRow("more than 1 GiB")
      << packed(std::string(8, 'x'), (uint64_t{1} << 30) + 1, FatbinEntry::kLz4)
      << where +
             "its unpacked size of 1.0 GiB (1,073,741,825 bytes) is above the limit of 1.0 GiB (1,073,741,824 bytes)";
  Image lying = packed(block, size, FatbinEntry::kLz4);
  lying.compressed = 100'000;
  QTest::newRow("wrong compressed size") << lying
                                         << where + "100000 compressed bytes are declared, but only " +
                                                std::to_string(cuda::padded(block, 8).size()) + " are there";
}

void TestFatbin::imagesAreUnpacked() {
  QFETCH(cuda::Image, image);
  QFETCH(std::string, expected);
  const std::string text = cuda::fatbin({image});
  const auto held = source(text);
  const Fatbin fatbin = payloads::readFatbin(Bytes(held, held->view(), 0)); // as if it were a file
  QCOMPARE(fatbin.entries().size(), std::size_t{1});
  QCOMPARE(unpacked(fatbin.entries()[0]), expected);
}

void TestFatbin::unpackingCanBeCancelled() {
  std::string text;
  for (uint32_t i = 0; text.size() < 4'000'000; ++i) text += std::to_string(i * 2'654'435'761U);
  const auto entries = read(cuda::fatbin({packed(zstd(text), text.size(), FatbinEntry::kZstandard)})).entries();
  QCOMPARE(unpacked(entries[0]), text);
  for (const int looks : {0, 2}) {
    StopAfter monitor(looks);
    const auto image = payloads::unpackEntry(entries[0], monitor);
    QVERIFY(!image && image.error().code() == ErrorCode::Cancelled);
  }
}

void TestFatbin::packedPtxEndsWithZero() {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  text.append(7 - text.size() % 8, ' ');
  for (int i = 0; i < 9; ++i, text += ' ') {
    const auto entry = payloads::packEntry(bytes(text), {});
    QVERIFY(entry);
    const std::string payload(entry->view().substr(64));
    QCOMPARE(payload.size(), text.size() / 8 * 8 + 8);
    QCOMPARE(payload, text + std::string(payload.size() - text.size(), '\0'));
  }
}

void TestFatbin::damageIsReported_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<int>("entries");
  QTest::addColumn<std::string>("expected");
  const Image good = plain(2, 80, "12345678");
  const auto with = [&](auto change) {
    Image image = good;
    change(image);
    return cuda::fatbin({good, image, good});
  };
  QTest::newRow("nothing") << ""s << 0 << ""s;
  QTest::newRow("another magic") << std::string(16, 'x') << 0
                                 << "container at 0x0: there is no header of a fat binary\n"s;
  QTest::newRow("header cut off") << cuda::fatbin({}).substr(0, 15) << 0
                                  << "container at 0x0: there is no header of a fat binary\n"s;
  QTest::newRow("version 2") << cuda::fatbin({good}, std::nullopt, 16, 2) << 1
                             << "container at 0x0: its version 2 is not known; it is read as version 1\n"s;
  QTest::newRow("container header of 8 bytes")
      << cuda::fatbin({good}, std::nullopt, 8) << 0
      << "container at 0x0: header size 8 is not between 16 and the 88 bytes left\n"s;
  QTest::newRow("container too long")
      << cuda::fatbin({good}, 73) << 1
      << "container at 0x0: size 73 exceeds the 72 bytes left; the file is truncated or the header is damaged\n"s;
  QTest::newRow("container endless")
      << cuda::fatbin({good}, UINT64_MAX) << 1
      << "container at 0x0: size 18446744073709551615 exceeds the 72 bytes left; the file is "
         "truncated or the header is damaged\n"s;
  QTest::newRow("entry header too short")
      << with([](Image& i) { i.headerSize = 63; }) << 1
      << "entry 1 at 0x58: header size 63 is not between 64 and the 144 bytes possible\n"s;
  QTest::newRow("entry header too long") << with([](Image& i) {
    i.headerSize = 145;
  }) << 1 << "entry 1 at 0x58: header size 145 is not between 64 and the 144 bytes possible\n"s;
  QTest::newRow("payload too long") << with([](Image& i) { i.payloadSize = 81; }) << 1
                                    << "entry 1 at 0x58: payload size 81 exceeds the 80 bytes left in the container\n"s;
  QTest::newRow("payload endless") << with([](Image& i) {
    i.payloadSize = UINT64_MAX;
  }) << 1 << "entry 1 at 0x58: payload size 18446744073709551615 exceeds the 80 bytes left in the container\n"s;
  QTest::newRow("next container is read")
      << with([](Image& i) { i.headerSize = 0; }) + cuda::fatbin({good}) << 2
      << "entry 1 at 0x58: header size 0 is not between 64 and the 144 bytes possible\n"s;
  QTest::newRow("half a header left") << cuda::fatbin({good}, 72 + 32) + std::string(32, '\1') << 1
                                      << "entry 1 at 0x58: its header needs 64 bytes, 32 are left in the container\n"s;
  QTest::newRow("identifier outside") << with([](Image& i) {
    i.identifierAt = 64, i.identifierSize = 1;
  }) << 3 << "entry 1 at 0x58: identifier of 1 bytes at 0x40 is outside the header of 64 bytes\n"s;
  QTest::newRow("options outside") << with([](Image& i) {
    i.optionsAt = 0xffffffff;
  }) << 3 << "entry 1 at 0x58: option block of 8 bytes at 0xffffffff is outside the header of 64 bytes\n"s;
  QTest::newRow("compressed size") << with([](Image& i) { i.compressed = 9; }) << 3
                                   << "entry 1 at 0x58: compressed size 9 exceeds the payload of 8 bytes\n"s;
}

void TestFatbin::damageIsReported() {
  QFETCH(std::string, text);
  QFETCH(int, entries);
  QFETCH(std::string, expected);
  const Fatbin fatbin = read(text);
  QCOMPARE(joined(fatbin.damage), expected);
  QCOMPARE(static_cast<int>(fatbin.entries().size()), entries);
  touch(text);
}

void TestFatbin::pagesListTheImages() {
  Image named = packed(lz4(kPtx), kPtx.size(), FatbinEntry::kLz4);
  named.identifier = "k.cu";
  named.options = "-g\n";
  Image capabilities = plain(2, 100, "code");
  capabilities.flags |= FatbinEntry::kBinaryOptions | FatbinEntry::kArchSpecific;
  capabilities.options = std::string(36, '\2');
  const Bytes held = bytes(cuda::fatbin({named, capabilities}) + "x");
  view::PageList list;
  payloads::addFatbinPages(held, list);
  QCOMPARE(pagesText(list),
           "[Images]\nnumber|kind|architecture|version|stored bytes|unpacked bytes|compression|identifier|options\n"
           "0|ptx|sm_80|1.7|" +
               std::to_string(cuda::padded(named.payload, 8).size()) + "|" + std::to_string(kPtx.size()) +
               "|LZ4|k.cu|-g\\n\n1|cubin|sm_100a|1.7|8|8|none||36 bytes of capabilities\n"
               "[Damage]\n1 byte at " +
               hexText(held.size() - 1) + " after the last container belong to no container\n");
  const auto& table = std::get<view::TablePage>(list[0].content).source;
  QCOMPARE(table->target(1, Ref::moduleAt("", 2))->toString(), "m2/entry:1"s);
}

void TestFatbin::mutationsAreSafeUnderSanitizers() {
  Image named = packed(zstd(kPtx), kPtx.size(), FatbinEntry::kZstandard);
  named.identifier = "k.cu";
  named.options = "-O1";
  const std::string whole =
      cuda::fatbin({plain(2, 80, "code"), named}) + cuda::fatbin({packed(lz4(kPtx), kPtx.size(), FatbinEntry::kLz4)});
  for (std::size_t size = 0; size <= whole.size(); ++size) touch(whole.substr(0, size));
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      touch(changed);
    }
  QCOMPARE(read(whole).entries().size(), std::size_t{3});
}

void TestFatbin::corpusFatbinsAreRead_data() {
  QTest::addColumn<std::string>("image");
  // The output of nvcc with each compression, if it is installed.
  for (const char* mode : {"none", "speed", "default", "size"}) {
    const auto made = compileCuda("extern \"C\" __global__ void k(float* a, int n) { a[n] = n; }",
                                  {QStringLiteral("-fatbin"), QStringLiteral("--compress-mode=") + QLatin1String(mode),
                                   QStringLiteral("-gencode"), QStringLiteral("arch=compute_80,code=sm_80"),
                                   QStringLiteral("-gencode"), QStringLiteral("arch=compute_80,code=compute_80")});
    if (made) QTest::newRow(qPrintable(QStringLiteral("nvcc, ") + QLatin1String(mode))) << *made;
  }
  const QDir folder(corpusFolder());
  for (const QString& name : folder.entryList({QStringLiteral("*.so")}, QDir::Files)) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) continue;
    const std::string library = file.readAll().toStdString();
    if (const std::size_t at = library.find("\x50\xed\x55\xba\x01\0\x10\0"s); at != std::string::npos)
      QTest::newRow(qPrintable(name)) << library.substr(at);
  }
  if (!folder.exists()) QTest::newRow("no corpus") << std::string();
}

void TestFatbin::corpusFatbinsAreRead() {
  QFETCH(std::string, image);
  if (image.empty()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + corpusFolder()));
  const Fatbin fatbin = read(image);
  QVERIFY(!fatbin.containers.empty() && !fatbin.containers[0].entries.empty());
  for (const FatbinEntry& entry : fatbin.containers[0].entries) {
    const std::string content = unpacked(entry);
    const Bytes held = bytes(content);
    if (entry.kind == FatbinEntry::kPtx) {
      const payloads::Ptx ptx = payloads::readPtx(held);
      QCOMPARE("ptx " + ptx.target, entry.word());
      QCOMPARE(ptx.version, std::to_string(entry.versionMajor) + '.' + std::to_string(entry.versionMinor));
      QVERIFY(ptx.damage.empty() && !ptx.entries.empty());
      continue;
    }
    QCOMPARE(std::string(payloads::sniff(held)), "cubin"s);
    const payloads::Cubin cubin = payloads::readCubin(held);
    QCOMPARE(joined(cubin.damage), ""s);
    QCOMPARE(joined(payloads::cubinWords(held)), entry.word() + "\n");
    QCOMPARE(int{entry.versionMinor}, int{cubin.abi});
    QVERIFY(!cubin.kernels.empty());
    for (const payloads::CubinKernel& kernel : cubin.kernels) {
      const std::string name(kernel.name.view());
      QVERIFY2(kernel.registers && *kernel.registers > 0 && *kernel.registers < 256, name.c_str());
      QVERIFY2(kernel.parameterBytes && !kernel.parameters.empty(), name.c_str());
      const auto& last = kernel.parameters.back();
      QVERIFY2(last.offset + last.size == *kernel.parameterBytes, name.c_str());
      QVERIFY2(kernel.constantBytes == uint64_t{*kernel.parameterBase} + *kernel.parameterBytes, name.c_str());
      QVERIFY2(kernel.code.size() > 0 && kernel.code.size() % 128 == 0, name.c_str());
    }
  }
}

BLOBSCOPE_TEST(TestFatbin);
#include "test_fatbin.moc"
