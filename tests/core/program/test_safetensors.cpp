#include "core/program/safetensors.h"

#include "core/program/parameters.h"
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

/// A file with that header and as many bytes after it.
QByteArray fileOf(const QByteArray& header, int bytes) {
  QByteArray out;
  for (int i = 0; i < 8; ++i) out += char(quint64(header.size()) >> 8 * i & 0xff);
  out += header;
  for (int i = 0; i < bytes; ++i) out += char(i);
  return out;
}
/// A member of the header, without its braces.
QByteArray tensorText(const char* name, const char* dtype, const char* shape, int begin, int end) {
  return QByteArray("'N':{'dtype':'T','shape':S,'data_offsets':[B,E]}")
      .replace("'", "\"")
      .replace("B", QByteArray::number(begin))
      .replace("E", QByteArray::number(end))
      .replace("S", shape)
      .replace("T", dtype)
      .replace("N", name);
}

void writeFile(const QString& path, const QByteArray& content) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

} // namespace

class TestSafetensors : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void filesAreRead_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("expected");
    const QByteArray w = tensorText("w", "I16", "[3]", 0, 6), b = tensorText("b", "BF16", "[]", 6, 8);
    QTest::newRow("two") << fileOf("{" + b + "," + w + "}  ", 8) << "b bfloat16[] 0607\nw int16[3] 000102030405";
    QTest::newRow("metadata") << fileOf(R"({"__metadata__":{"format":"pt"},)" + w + "}", 6)
                              << "w int16[3] 000102030405";
    QTest::newRow("none") << fileOf("{}", 0) << "";
    QTest::newRow("no elements") << fileOf("{" + tensorText("e", "F32", "[0,4]", 0, 0) + "," + w + "}", 6)
                                 << "e float32[0,4] \nw int16[3] 000102030405";
    QTest::newRow("8-bit floats") << fileOf("{" + tensorText("f", "F8_E4M3", "[2]", 0, 2) + "}", 2)
                                  << "f float8_e4m3fn[2] 0001";
    QTest::newRow("4-bit floats") << fileOf("{" + tensorText("f", "F4", "[2,2]", 0, 2) + "}", 2)
                                  << "f float4_e2m1fn[2,2] 0001";
    QTest::newRow("bool") << fileOf("{" + tensorText("f", "BOOL", "[2]", 0, 2) + "}", 2) << "f bool[2] 0001";

    const QString unread = "the weights cannot be read: ";
    QTest::newRow("short") << QByteArray(7, '\0') << unread + "the file has 7 bytes, too few for safetensors";
    QTest::newRow("header longer than the file")
        << fileOf("{}", 0).replace(0, 1, "\x40")
        << unread + "its header should have 64 bytes, but the file has only 2 bytes after the length";
    QTest::newRow("largest length")
        << QByteArray(8, '\xff') + "{}"
        << unread + "its header should have 16.0 EiB (18,446,744,073,709,551,615 bytes), but the "
                    "file has only 2 bytes after the length";
    QTest::newRow("no header") << fileOf("", 4) << unread + "its header does not begin with '{'";
    QTest::newRow("array") << fileOf("[]", 0) << unread + "its header does not begin with '{'";
    QTest::newRow("two with one name") << fileOf("{" + w + "," + w + "}", 6)
                                       << unread + "member '/w' of its header occurs more than once";
    QTest::newRow("overlap") << fileOf("{" + w + "," + tensorText("b", "I8", "[4]", 4, 8) + "}", 8)
                             << unread + "tensors 'w' and 'b' overlap at byte 4 after the header";
    QTest::newRow("same bytes") << fileOf("{" + w + "," + tensorText("b", "I16", "[3]", 0, 6) + "}", 6)
                                << unread + "tensors 'w' and 'b' overlap at byte 0 after the header";
    QTest::newRow("gap") << fileOf("{" + w + "," + tensorText("b", "I8", "[2]", 8, 10) + "}", 10)
                         << unread +
                                "2 bytes before tensor 'b' belong to no tensor; readers of safetensors refuse that";
    QTest::newRow("bytes at the end")
        << fileOf("{" + w + "}", 7)
        << unread + "1 byte at the end belong to no tensor; readers of safetensors refuse that";
    const QString tensor = "tensor 'w': " + unread;
    const auto damaged = [&](const char* row, const char* from, const char* to, const QString& expected) {
      QTest::newRow(row) << fileOf("{" + QByteArray(w).replace(from, to) + "}", 6) << tensor + expected;
    };
    damaged("outside", "[0,6]", "[2,8]", "its bytes 2 to 8 are not in the file, which has 6 bytes after its header");
    damaged("backwards", "[0,6]", "[6,0]", "its bytes 6 to 0 are not in the file, which has 6 bytes after its header");
    damaged("another size", "[3]", "[4]", "it has 6 bytes, which do not fit its shape and type");
    damaged("overflow", "[3]", "[4611686018427387903,16]", "it has 6 bytes, which do not fit its shape and type");
    damaged("huge extent", "[3]", "[18446744073709551615]", "its shape is wrong");
    damaged("negative extent", "[3]", "[-3]", "its shape is wrong");
    damaged("negative offset", "[0,6]", "[-1,6]", "its data_offsets are not numbers");
    damaged("one offset", "[0,6]", "[6]", "it has no dtype, shape or data_offsets");
    damaged("no shape", "shape", "form", "it has no dtype, shape or data_offsets");
    damaged("unknown type", "I16", "I17", "its type 'I17' is unknown");
    QTest::newRow("not an object") << fileOf(R"({"w":7})", 0) << tensor + "it has no dtype, shape or data_offsets";
  }
  void filesAreRead() {
    QFETCH(QByteArray, file);
    QFETCH(QString, expected);
    CountingMonitor monitor;
    QCOMPARE(weightsText(program::readSafetensors(Bytes::copyOf(file.toStdString()), monitor)), expected);
    // Every cut is refused or read, and never crashes.
    for (qsizetype size = 0; size < file.size(); ++size)
      QVERIFY(!program::readSafetensors(Bytes::copyOf(file.left(size).toStdString()), monitor) || size >= 10);
  }

  void filesAreRecognized() {
    const auto looks = [](const QByteArray& file) {
      return program::looksLikeSafetensors(Bytes::copyOf(file.toStdString()));
    };
    QVERIFY(looks(fileOf("{}", 0)));
    QVERIFY(!looks(fileOf("[]", 0)) && !looks("") && !looks("12345678") && !looks("{\"records\":{}}"));
  }

  void indexesAreRead_data() {
    QTest::addColumn<QByteArray>("index");
    QTest::addColumn<QString>("expected"); // "…" is the path of the folder
    const QString unread = "the weights cannot be read: ";
    QTest::newRow("two files") << QByteArray(R"({"weight_map":{"b":"2.safetensors","a":"1.safetensors"}})")
                               << "b int8[1] 00\na int8[2] 0001";
    QTest::newRow("not all") << QByteArray(R"({"weight_map":{"a":"1.safetensors"}})") << "a int8[2] 0001";
    QTest::newRow("other file")
        << QByteArray(R"({"weight_map":{"b":"1.safetensors"}})")
        << unread + "1 tensor that '…/model.safetensors.index.json' lists for '1.safetensors' is not in it";
    QTest::newRow("no file") << QByteArray(R"({"weight_map":{"b":7}})")
                             << unread + "'…/model.safetensors.index.json' names no file for tensor 'b'";
    QTest::newRow("no map") << QByteArray(R"({"weight_map":[]})")
                            << unread + "'…/model.safetensors.index.json' is not an index of safetensors";
    QTest::newRow("twice") << QByteArray(R"({"weight_map":{"a":"1.safetensors","a":"2.safetensors"}})")
                           << unread +
                                  "member '/weight_map/a' of '…/model.safetensors.index.json' occurs more than once";
  }
  void indexesAreRead() {
    QFETCH(QByteArray, index);
    QFETCH(QString, expected);
    QTemporaryDir folder;
    writeFile(folder.filePath("1.safetensors"), fileOf("{" + tensorText("a", "I8", "[2]", 0, 2) + "}", 2));
    writeFile(folder.filePath("2.safetensors"), fileOf("{" + tensorText("b", "I8", "[1]", 0, 1) + "}", 1));
    writeFile(folder.filePath("model.safetensors.index.json"), index);
    CountingMonitor monitor;
    const std::filesystem::path path(folder.path().toStdString());
    QCOMPARE(weightsText(program::readParametersAt(path, monitor)).replace(folder.path(), "…"), expected);
    QCOMPARE(weightsText(program::readParametersAt(path / "model.safetensors.index.json", monitor))
                 .replace(folder.path(), "…"),
             expected);
  }

  /// Names in the index are data: files outside of the folder are not opened.
  void onlyFilesOfTheFolderAreRead() {
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("inside"));
    writeFile(folder.filePath("1.safetensors"), fileOf("{}", 0));
    for (const char* const path : {"../1.safetensors", "/etc/hostname"}) {
      writeFile(folder.filePath("inside/model.safetensors.index.json"),
                QByteArray("{\"weight_map\":{\"a\":\"") + path + "\"}}");
      CountingMonitor monitor;
      const auto read =
          program::readParametersAt(std::filesystem::path(folder.filePath("inside").toStdString()), monitor);
      QVERIFY(!read && read.error().id() == DiagnosticId::FileNotReadable);
    }
  }

  void foldersWithoutAnIndexAreRead() {
    QTemporaryDir folder;
    writeFile(folder.filePath("b.safetensors"), fileOf("{" + tensorText("x", "I8", "[1]", 0, 1) + "}", 1));
    writeFile(folder.filePath("a.safetensors"), fileOf("{" + tensorText("y", "I8", "[1]", 0, 1) + "}", 1));
    writeFile(folder.filePath("z.npy"), "not read");
    CountingMonitor monitor;
    const std::filesystem::path path(folder.path().toStdString());
    QCOMPARE(weightsText(program::readParametersAt(path, monitor)), QString("y int8[1] 00\nx int8[1] 00"));
    QCOMPARE(weightsText(program::readParametersAt(path / "a.safetensors", monitor)), QString("y int8[1] 00"));
    writeFile(folder.filePath("c.safetensors"), fileOf("{" + tensorText("x", "I8", "[1]", 0, 1) + "}", 1));
    QCOMPARE(weightsText(program::readParametersAt(path, monitor)),
             QString("the weights cannot be read: two tensors have the name 'x'"));
  }
};

BLOBSCOPE_TEST(TestSafetensors);
#include "test_safetensors.moc"
