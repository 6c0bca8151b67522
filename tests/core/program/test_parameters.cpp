#include "core/program/parameters.h"

#include "core/program/tensor_cache.h"
#include "tests/support/counting_monitor.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using program::Parameters;

namespace {

/// The tensors as "name float32[2,3] hex", or the message.
QString textOf(const Result<Parameters>& read) {
  if (!read) return QString::fromStdString(read.error().message());
  QStringList out;
  for (const Parameters::Item& item : read->items) {
    QStringList shape;
    for (const int64_t extent : item.shape) shape += QString::number(extent);
    out +=
        QString("%1 %2[%3] %4")
            .arg(QString::fromStdString(item.name), QString::fromStdString(protocol::typeText(item.type)),
                 shape.join(','),
                 QString(QByteArray(reinterpret_cast<const char*>(item.data.span().data()), qsizetype(item.data.size()))
                             .toHex()));
  }
  return out.join('\n');
}

QByteArray record(const QByteArray& fields) {
  return R"({"records":[{"dataPath":"shard.bin","format":"raw-shard","nbytes":10,"records":[{)" + fields + "}]}]}";
}

} // namespace

class TestParameters : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void indexesOfTensorsAreRead_data() {
    QTest::addColumn<QByteArray>("index");
    QTest::addColumn<QString>("expected"); // "…" stands for the path of the folder
    const QByteArray plain = R"("name":"w","shape":[3],"dtype":"int16","format":"raw","byteOffset":1,"nbytes":6)";
    QTest::newRow("raw") << record(plain) << "w int16[3] 010203040506";
    QTest::newRow("halves")
        << record(R"("name":"h","shape":[2,1],"dtype":"float32","format":"f32-to-bf16","byteOffset":2,"nbytes":4)")
        << "h float32[2,1] 0000020300000405";
    QTest::newRow("bfloat16 stays")
        << record(R"("name":"b","shape":[1],"dtype":"bfloat16","format":"f32-to-bf16","byteOffset":0,"nbytes":2)")
        << "b bfloat16[1] 0001";
    QTest::newRow("scalar") << record(
                                   R"("name":"s","shape":[],"dtype":"uint8","format":"raw","byteOffset":9,"nbytes":1)")
                            << "s uint8[] 09";
    QTest::newRow("no tensors") << QByteArray(R"({"records":[{"dataPath":"missing","records":[]}]})") << "";
    const auto damaged = [&](const char* row, const QByteArray& from, const QByteArray& to, const QString& expected) {
      QTest::newRow(row) << record(QByteArray(plain).replace(from, to)) << expected;
    };
    const QString place = "tensor 'w' in '…/tensor-cache.json': the model cannot be run: ";
    damaged("outside", "\"byteOffset\":1", "\"byteOffset\":5",
            place + "6 bytes at offset 5 are not in its file, which has 10 bytes");
    damaged("far outside", "\"byteOffset\":1", "\"byteOffset\":18446744073709551615",
            place + "6 bytes at offset 18446744073709551615 are not in its file, which has 10 bytes");
    damaged("another size", "\"nbytes\":6", "\"nbytes\":4",
            place + "it has 4 bytes, which do not fit its shape and type");
    damaged("unknown type", "int16", "int17x", place + "its type 'int17x' is unknown");
    damaged("negative", "[3]", "[-3]", place + "its shape is wrong");
    damaged("no shape", "\"shape\":[3],", "", place + "it has no shape");
    damaged("no number", "\"byteOffset\":1", "\"byteOffset\":\"1\"", place + "'byteOffset' is not a number");
    QTest::newRow("another file") << QByteArray(R"({"records":7})")
                                  << "the model cannot be run: '…/tensor-cache.json' is not an index of tensors";
  }
  void indexesOfTensorsAreRead() {
    QFETCH(QByteArray, index);
    QFETCH(QString, expected);
    QTemporaryDir folder;
    writeTo(folder.filePath("shard.bin"), QByteArray::fromHex("00010203040506070809"));
    writeTo(folder.filePath("tensor-cache.json"), index);
    CountingMonitor monitor;
    const std::filesystem::path path(folder.path().toStdString());
    QCOMPARE(textOf(program::readParametersAt(path, monitor)).replace(folder.path(), "…"), expected);
    QCOMPARE(textOf(program::readParametersAt(path / "tensor-cache.json", monitor)).replace(folder.path(), "…"),
             expected);
  }

  /// Names in the index are data: files outside of the folder are not opened.
  void onlyFilesOfTheFolderAreRead_data() {
    QTest::addColumn<QByteArray>("path");
    QTest::newRow("above") << QByteArray("../shard.bin");
    QTest::newRow("absolute") << QByteArray("/etc/hostname");
    QTest::newRow("link") << QByteArray("link");
  }
  void onlyFilesOfTheFolderAreRead() {
    QFETCH(QByteArray, path);
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("inside"));
    writeTo(folder.filePath("shard.bin"), QByteArray(10, 'x'));
    QVERIFY(QFile::link(folder.filePath("shard.bin"), folder.filePath("inside/link")));
    writeTo(folder.filePath("inside/ndarray-cache.json"),
            record(R"("name":"w","shape":[1],"dtype":"int8","format":"raw","byteOffset":0,"nbytes":1)")
                .replace("shard.bin", path));
    CountingMonitor monitor;
    const auto read =
        program::readParametersAt(std::filesystem::path(folder.filePath("inside").toStdString()), monitor);
    QVERIFY(!read);
    QCOMPARE(read.error().id(), DiagnosticId::FileNotReadable);
  }

private:
  static void writeTo(const QString& path, const QByteArray& content) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
  }
};

BLOBSCOPE_TEST(TestParameters);
#include "test_parameters.moc"
