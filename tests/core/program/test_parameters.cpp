#include "core/program/parameters.h"

#include "core/program/tensor_cache.h"
#include "tests/core/program/program_text.h"
#include "tests/support/counting_monitor.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using program::Parameters;

namespace {

/// A file of numpy.save with int8.
QByteArray npyOf(const char* shape, const QByteArray& data) {
  QByteArray header = QByteArray("{'descr': '|i1', 'fortran_order': False, 'shape': ") + shape + ", }";
  header += QByteArray(127 - 10 - header.size(), ' ') + "\n";
  return QByteArray("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header + data;
}

QByteArray little(uint32_t value, int bytes) {
  QByteArray out;
  for (int i = 0; i < bytes; ++i) out += char(value >> 8 * i & 0xff);
  return out;
}
/// A zip without compression. Source: PKWARE APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16.
QByteArray zipOf(const std::vector<std::pair<QByteArray, QByteArray>>& members) {
  QByteArray out, directory;
  for (const auto& [name, content] : members) {
    uint32_t crc = ~0u;
    for (const char byte : content) {
      crc ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    const auto size = static_cast<uint32_t>(content.size());
    const QByteArray common = little(20, 2) + little(0, 2) + little(0, 2) + little(0, 4) + little(~crc, 4) +
                              little(size, 4) + little(size, 4) + little(static_cast<uint32_t>(name.size()), 2) +
                              little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
                 little(static_cast<uint32_t>(out.size()), 4) + name;
    out += "PK\x03\x04" + common + name + content;
  }
  const auto count = static_cast<uint32_t>(members.size());
  return out + directory + "PK\x05\x06" + little(0, 4) + little(count, 2) + little(count, 2) +
         little(static_cast<uint32_t>(directory.size()), 4) + little(static_cast<uint32_t>(out.size()), 4) +
         little(0, 2);
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
    const QString place = "tensor 'w' in '…/tensor-cache.json': the weights cannot be read: ";
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
    const QByteArray second = R"("name":"v","shape":[2],"dtype":"int8","format":"raw","byteOffset":%1,"nbytes":2)";
    const auto both = [&](const char* offset, const QByteArray& name = "v") {
      return record(plain + "},{" + QByteArray(second).replace("%1", offset).replace("\"v\"", "\"" + name + "\""));
    };
    QTest::newRow("overlap") << both("6")
                             << "the weights cannot be read: tensors 'w' and 'v' overlap at offset 6 of their file";
    QTest::newRow("neighbours") << both("7") << "w int16[3] 010203040506\nv int8[2] 0708";
    QTest::newRow("one name") << both("7", "w") << "the weights cannot be read: two tensors have the name 'w'";
    QTest::newRow("another file") << QByteArray(R"({"records":7})")
                                  << "the weights cannot be read: '…/tensor-cache.json' is not an index of tensors";
  }
  void indexesOfTensorsAreRead() {
    QFETCH(QByteArray, index);
    QFETCH(QString, expected);
    QTemporaryDir folder;
    writeTo(folder.filePath("shard.bin"), QByteArray::fromHex("00010203040506070809"));
    writeTo(folder.filePath("tensor-cache.json"), index);
    CountingMonitor monitor;
    const std::filesystem::path path(folder.path().toStdString());
    QCOMPARE(weightsText(program::readParametersAt(path, monitor)).replace(folder.path(), "…"), expected);
    QCOMPARE(weightsText(program::readParametersAt(path / "tensor-cache.json", monitor)).replace(folder.path(), "…"),
             expected);
  }

  void numpyFilesAreRead() {
    QTemporaryDir folder;
    CountingMonitor monitor;
    const std::filesystem::path path(folder.path().toStdString());
    const QByteArray array = npyOf("(2,)", QByteArray::fromHex("0102"));
    writeTo(folder.filePath("a.weight.npy"), array);
    QCOMPARE(weightsText(program::readParametersAt(path, monitor)), QString("a.weight int8[2] 0102"));
    QCOMPARE(weightsText(program::readParametersAt(path / "a.weight.npy", monitor)), QString("a.weight int8[2] 0102"));

    const auto archive = [&](const QByteArray& content) {
      writeTo(folder.filePath("w.npz"), content);
      return weightsText(program::readParametersAt(path / "w.npz", monitor));
    };
    const QByteArray other = npyOf("()", QByteArray::fromHex("07"));
    QCOMPARE(archive(zipOf({{"p_1.npy", array}, {"a/b.npy", other}, {"readme.txt", "not an array"}})),
             QString("p_1 int8[2] 0102\na/b int8[] 07"));
    QCOMPARE(archive(zipOf({{"readme.txt", "not an array"}})),
             QString("the weights cannot be read: the archive has no member NAME.npy"));
    QCOMPARE(archive(zipOf({{"x.npy", array}, {"x.npy", other}})),
             QString("the weights cannot be read: two tensors have the name 'x'"));
    QVERIFY(archive(zipOf({{"x.npy", "damaged"}})).startsWith("member 'x.npy': "));
    const QByteArray whole = zipOf({{"x.npy", array}});
    for (qsizetype size = 0; size < whole.size(); size += 7) archive(whole.left(size)); // never crashes
  }

  void otherFilesAreRefused() {
    QTemporaryDir folder;
    CountingMonitor monitor;
    const std::filesystem::path path(folder.path().toStdString());
    QVERIFY(weightsText(program::readParametersAt(path, monitor))
                .endsWith("has no tensor-cache.json, no .safetensors and no .npy"));
    writeTo(folder.filePath("w.bin"), "something else");
    const auto read = program::readParametersAt(path / "w.bin", monitor);
    QVERIFY(!read && read.error().id() != DiagnosticId::RunProgram);
    writeTo(folder.filePath("w.json"), "{}");
    QVERIFY(weightsText(program::readParametersAt(path / "w.json", monitor)).endsWith("is not an index of tensors"));
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
