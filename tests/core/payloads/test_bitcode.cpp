#include "core/payloads/bitcode/bitcode.h"

#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// Bits, the lowest of each byte first.
class BitBuilder {
public:
  BitBuilder& fixed(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i, ++m_count) {
      if (m_count % 8 == 0) m_bytes += '\0';
      if (value >> i & 1) m_bytes.back() = static_cast<char>(m_bytes.back() | 1 << (m_count % 8));
    }
    return *this;
  }
  BitBuilder& variable(uint64_t value, unsigned width) {
    const uint64_t more = uint64_t{1} << (width - 1);
    while (value >= more) {
      fixed((value & (more - 1)) | more, width);
      value >>= width - 1;
    }
    return fixed(value, width);
  }
  BitBuilder& align() {
    while (m_count % 32 != 0) fixed(0, 1);
    return *this;
  }
  std::string take() { return std::move(m_bytes); }

private:
  std::string m_bytes;
  uint64_t m_count = 0;
};

constexpr unsigned kWidth = 4; // of abbreviation ids

std::string block(uint64_t kind, BitBuilder body) {
  const std::string inside = body.fixed(0, kWidth).align().take();
  BitBuilder head;
  head.fixed(1, 2).variable(kind, 8).variable(kWidth, 4).align();
  return head.take() + ByteBuilder().u32(static_cast<uint32_t>(inside.size() / 4)).raw(inside).take();
}

void plainRecord(BitBuilder& bits, uint64_t code, const std::string& text) {
  bits.fixed(3, kWidth).variable(code, 6).variable(text.size(), 6);
  for (const char c : text) bits.variable(static_cast<unsigned char>(c), 6);
}

/// The producer in an array of 6-bit letters, the epoch in a field of its own.
std::string identification() {
  BitBuilder bits;
  bits.fixed(2, kWidth).variable(3, 5).fixed(1, 1).variable(1, 8); // literal code 1
  bits.fixed(0, 1).fixed(3, 3).fixed(0, 1).fixed(4, 3);            // array of char6
  bits.fixed(4, kWidth).variable(10, 6);
  for (const char c : "LLVM17.0.6"s)
    bits.fixed("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"s.find(c), 6);
  bits.fixed(2, kWidth).variable(2, 5).fixed(1, 1).variable(2, 8).fixed(0, 1).fixed(2, 3).variable(6, 5); // 2, VBR6
  bits.fixed(5, kWidth).variable(0, 6);
  return block(13, bits);
}

std::string moduleBlock() {
  BitBuilder bits;
  bits.fixed(3, kWidth).variable(1, 6).variable(1, 6).variable(2, 6); // version 2
  // A block to skip, with meaningless bits.
  bits.fixed(1, kWidth).variable(17, 8).variable(3, 4).align().fixed(2, 32).fixed(0xffffffff, 32).fixed(0xffffffff, 32);
  plainRecord(bits, 2, "nvptx64-nvidia-cuda");
  bits.fixed(2, kWidth).variable(3, 5).fixed(1, 1).variable(16, 8);    // literal code 16
  bits.fixed(0, 1).fixed(3, 3).fixed(0, 1).fixed(1, 3).variable(8, 5); // array of 8 bits
  bits.fixed(4, kWidth).variable(4, 6);
  for (const char c : "a.cu"s) bits.fixed(static_cast<unsigned char>(c), 8);
  bits.fixed(2, kWidth).variable(2, 5).fixed(1, 1).variable(99, 8).fixed(0, 1).fixed(5, 3); // code 99 with a blob
  bits.fixed(5, kWidth).variable(5, 6).align().fixed(0x2222222211, 40).align();
  plainRecord(bits, 3, "e-i64:64");
  return block(8, bits);
}

std::string bitcode() { return "BC\xc0\xde" + identification() + moduleBlock(); }

std::string wrapped(const std::string& inside) {
  return ByteBuilder().u32(0x0b17c0de).u32(0).u32(20).u32(static_cast<uint32_t>(inside.size())).u32(0x0100000c).take() +
         inside + std::string(8, '\0');
}

constexpr const char* kRest =
    "epoch|0\nmodule version|2\ntarget triple|nvptx64-nvidia-cuda\ndata layout|e-i64:64\nsource file|a.cu\n";

} // namespace

class TestBitcode : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void bareBitcodeIsRead();
  void wrappedBitcodeIsRead();
  void appendedModulesAreCounted();
  void damageIsReported();
  void anyDamageIsSafeUnderSanitizers();
  void resultEqualsThatOfLlvm();
};

void TestBitcode::bareBitcodeIsRead() {
  const view::PageList list = pagesNow(payloads::kBitcode, bytes(bitcode()));
  QCOMPARE(list.size(), std::size_t{1});
  QCOMPARE(pageText(list, "LLVM bitcode"),
           "form|bare\nsize|" + sizeText(bitcode().size()) + "\nproducer|LLVM17.0.6\n" + kRest);
}

void TestBitcode::wrappedBitcodeIsRead() {
  const std::string whole = wrapped(bitcode());
  QCOMPARE(pageText(pagesNow(payloads::kBitcode, bytes(whole)), "LLVM bitcode"),
           "form|in a wrapper\nsize|" + sizeText(whole.size()) + "\nbitcode at|0x14\nbitcode size|" +
               sizeText(bitcode().size()) + "\nCPU type|0x100000c\nproducer|LLVM17.0.6\n" + kRest);
}

void TestBitcode::appendedModulesAreCounted() {
  const payloads::Bitcode read = payloads::readBitcode(bytes(bitcode() + bitcode()));
  QCOMPARE(read.modules, uint64_t{2});
  QCOMPARE(read.producer, "LLVM17.0.6"s);
  QCOMPARE(read.damage, ""s);
}

void TestBitcode::damageIsReported() {
  const std::string whole = bitcode();
  const payloads::Bitcode cut = payloads::readBitcode(bytes(whole.substr(0, whole.size() - 4)));
  QCOMPARE(cut.producer, "LLVM17.0.6"s); // the fields before the damage are read
  QVERIFY(!cut.damage.empty() && cut.modules == 0);
  const payloads::Bitcode far =
      payloads::readBitcode(bytes(ByteBuilder().u32(0x0b17c0de).u32(0).u32(900).u32(8).u32(0).take()));
  QCOMPARE(far.damage, "the wrapper places 8 bytes of bitcode at 0x384, but there are 20 bytes"s);
  QCOMPARE(payloads::readBitcode(bytes("BC\xc0\xde")).damage, ""s);
  QCOMPARE(payloads::readBitcode(bytes("nothing at all")).damage, "no bitcode magic at 0x0"s);
}

void TestBitcode::anyDamageIsSafeUnderSanitizers() {
  QVERIFY(readDamaged(payloads::kBitcode, bitcode()) > 0);
  QVERIFY(readDamaged(payloads::kBitcode, wrapped(bitcode())) > 0);
}

/// The output of an assembler of LLVM, if one is installed.
void TestBitcode::resultEqualsThatOfLlvm() {
  for (const char* tool : {"llvm-as", "llvm-as-19", "llvm-as-18"}) {
    const QString program = QStandardPaths::findExecutable(QLatin1String(tool));
    if (program.isEmpty()) continue;
    const QTemporaryDir folder;
    QProcess process;
    process.start(program, {QStringLiteral("-o"), folder.filePath(QStringLiteral("a.bc")), QStringLiteral("-")});
    process.write(
        "source_filename = \"a.cu\"\ntarget datalayout = \"e-i64:64\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n"
        "@g = global [3 x i32] [i32 1, i32 2, i32 3]\n"
        "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n");
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished());
    QFile file(folder.filePath(QStringLiteral("a.bc")));
    QVERIFY2(file.open(QIODevice::ReadOnly), process.readAllStandardError().constData());
    const payloads::Bitcode read = payloads::readBitcode(bytes(file.readAll().toStdString()));
    QCOMPARE(read.damage, ""s);
    QVERIFY(read.producer.starts_with("LLVM"));
    QCOMPARE(read.triple, "nvptx64-nvidia-cuda"s);
    QCOMPARE(read.dataLayout, "e-i64:64"s);
    QCOMPARE(read.sourceFile, "a.cu"s);
    QCOMPARE(read.moduleVersion, std::optional<uint64_t>(2));
  }
}

BLOBSCOPE_TEST(TestBitcode);
#include "test_bitcode.moc"
