#include "core/payloads/bitcode/bitcode.h"

#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::bitcode_builder;
using namespace std::string_literals;

namespace {

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
  void resultEqualsThatOfLlvm();
};

void TestBitcode::bareBitcodeIsRead() {
  const view::PageList list = resolvePages(payloads::kBitcode, bytes(bitcode()));
  QCOMPARE(list.size(), std::size_t{1});
  QCOMPARE(pageText(list, "LLVM bitcode"),
           "form|bare\nsize|" + sizeText(bitcode().size()) + "\nproducer|LLVM17.0.6\n" + kRest);
}

void TestBitcode::wrappedBitcodeIsRead() {
  const std::string whole = wrapped(bitcode());
  QCOMPARE(pageText(resolvePages(payloads::kBitcode, bytes(whole)), "LLVM bitcode"),
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
