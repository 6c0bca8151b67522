#include "core/payloads/params/params.h"

#include "core/base/text.h"
#include "core/base/writer.h"
#include "tests/core/modules/tree_check.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using payloads::Params;

namespace {

const std::vector<TensorText>& tensors() {
  static const std::vector<TensorText> all = {{kFloat32, {2, 2}, floats({1, 2, 3, 4})},
                                              {0x00010806, {1}, std::string("\1")}};
  return all;
}

std::string file() { return paramsFile({"dense.weight", "mask"}, tensors()); }

std::string encoded(const Params& params) {
  Writer writer;
  payloads::encodeParams(params, writer);
  return std::string(joined(writer.takePieces()).view());
}

} // namespace

/// Params files: parameters of a model beside its library.
class TestParameterFile : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void parametersRoundTrip();
  void dataTypesUseEitherNumbering();
  void pageListsTheTensors();
  void emptyFileRoundTrips();
  void invalidFilesAreRefused_data();
  void invalidFilesAreRefused();
  void everyTruncationIsRefused();
  void everyChangedByteIsSafe();
  void wrongNumbersAreSafe();
};

void TestParameterFile::parametersRoundTrip() {
  const std::string stored = file();
  const auto params = payloads::readParams(bytes(stored));
  QVERIFY(params.hasValue());
  QVERIFY(encoded(**params) == stored);
  const FieldTree tree = payloads::describeParams(**params, bytes(stored));
  const QString gaps = whyNotTiled(tree, stored.size());
  QVERIFY2(gaps.isEmpty(), qPrintable(gaps));
  QCOMPARE(tree.ownedBytes(), uint64_t{stored.size()});
  QCOMPARE(QString::fromStdString(tree.path(*payloads::paramRow(tree, 1))), QStringLiteral("tensors[1]"));
  QVERIFY(!payloads::paramRow(tree, 2));
}

void TestParameterFile::dataTypesUseEitherNumbering() {
  QCOMPARE(QString::fromStdString((*payloads::readParams(bytes(file())))->tensors[1].typeText()),
           QStringLiteral("bool"));
  QCOMPARE(QString::fromStdString((*payloads::readParams(bytes(file()), false))->tensors[1].typeText()),
           QStringLiteral("float8_e4m3"));
}

void TestParameterFile::pageListsTheTensors() {
  const auto params = payloads::readParams(bytes(file()));
  view::PageList list;
  payloads::addParamsPages(**params, list);
  QCOMPARE(list.size(), std::size_t{1});
  QCOMPARE(QString::fromStdString(list[0].name), QStringLiteral("Parameters"));
  const view::TableSource& table = *std::get<view::TablePage>(list[0].content).source;
  QCOMPARE(table.rowCount(), uint64_t{2});
  QCOMPARE(QString::fromStdString(table.cell(0, 0) + " " + table.cell(0, 1) + " " + table.cell(0, 2) + " " +
                                  table.cell(0, 3)),
           QStringLiteral("dense.weight [2, 2] float32 16"));
}

void TestParameterFile::emptyFileRoundTrips() {
  const std::string stored = paramsFile({}, {});
  const auto params = payloads::readParams(bytes(stored));
  QVERIFY(params.hasValue());
  QVERIFY(encoded(**params) == stored);
}

void TestParameterFile::invalidFilesAreRefused_data() {
  QTest::addColumn<QByteArray>("stored");
  QTest::addColumn<QString>("message");
  const auto add = [](const char* name, const std::string& stored, const char* message) {
    QTest::newRow(name) << QByteArray::fromStdString(stored) << QString::fromUtf8(message);
  };
  // magic 0, reserved 8, names 16 (24 – 44, 44 – 56), count 56, tensors 64
  const std::string stored = file();
  add("magic", patched(stored, 0, 1), "magic at 0x0 is 0x1, expected 0xf7e58d4f05049cb7");
  add("number of names", patched(stored, 16, 3), "count at 0x42 is 0xdd5e40f096b4, expected the number of names");
  add("number of tensors", patched(stored, 56, 1), "count at 0x38 is 0x1, expected the number of names");
  add("magic of a tensor", patched(stored, 64, 0), "tensors[0].magic at 0x40 is 0x0, expected 0xdd5e40f096b4a13f");
  add("behind the last tensor", stored + "x", "the last field ends at 0xb9, 1 byte before the end of the data");
  add("many names", patched(stored, 16, 1ull << 60), "names count 1,152,921,504,606,846,976 at 0x10 cannot fit into");
}

void TestParameterFile::invalidFilesAreRefused() {
  QFETCH(QByteArray, stored);
  QFETCH(QString, message);
  const auto params = payloads::readParams(bytes(stored.toStdString()));
  QVERIFY(!params.hasValue());
  QVERIFY2(QString::fromStdString(params.error().message()).startsWith(message), params.error().message().c_str());
}

void TestParameterFile::everyTruncationIsRefused() {
  const std::string stored = file();
  for (std::size_t size = 0; size < stored.size(); ++size)
    QVERIFY2(!payloads::readParams(bytes(stored.substr(0, size))), qPrintable(QString::number(size)));
}

void TestParameterFile::everyChangedByteIsSafe() {
  const std::string stored = file();
  for (std::size_t at = 0; at < stored.size(); ++at)
    for (const int value : {0, 1, 2, 8, 0x40, 0x7f, 0x80, 0xff}) {
      std::string changed = stored;
      changed[at] = static_cast<char>(value);
      const auto params = payloads::readParams(bytes(changed));
      if (params) QVERIFY2(encoded(**params) == changed, qPrintable(QStringLiteral("byte %1 = %2").arg(at).arg(value)));
    }
}

void TestParameterFile::wrongNumbersAreSafe() {
  const std::string stored = file();
  for (std::size_t at = 0; at + 8 <= stored.size(); ++at)
    for (const uint64_t value : {uint64_t{1} << 63, ~uint64_t{0}, uint64_t{1} << 32, uint64_t{stored.size()}}) {
      const std::string changed = patched(stored, at, value);
      const auto params = payloads::readParams(bytes(changed));
      if (params) QVERIFY(encoded(**params) == changed);
    }
}

BLOBSCOPE_TEST(TestParameterFile);
#include "test_params.moc"
