#include "core/mlf/parameters.h"
#include "tests/core/mlf/findings.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace blobscope;
using namespace blobscope::test;

namespace {

const std::string kParametersPath = "./parameters/default.params";

/// A tensor record with every field as an option.
struct StoredTensor {
  uint64_t magic = 0xDD5E40F096B4A13F, reserved = 0;
  uint32_t device = 1, rank = 2;
  uint8_t code = 2, bits = 32;
  uint16_t lanes = 1;
  std::vector<uint64_t> shape = {1, 4};
  uint64_t length = 16;
  std::string data = std::string(16, '\0');

  std::string bytes() const {
    std::string out = littleEndian(magic, 8) + littleEndian(reserved, 8) + littleEndian(device, 4) +
                      littleEndian(0, 4) + littleEndian(rank, 4) + littleEndian(code, 1) + littleEndian(bits, 1) +
                      littleEndian(lanes, 2);
    for (const uint64_t extent : shape) out += littleEndian(extent, 8);
    return out + littleEndian(length, 8) + data;
  }
};

std::string parameterFile(const std::vector<std::string>& names, const std::vector<StoredTensor>& tensors) {
  std::string out = littleEndian(0xF7E58D4F05049CB7, 8) + littleEndian(0, 8) + littleEndian(names.size(), 8);
  for (const std::string& name : names) out += littleEndian(name.size(), 8) + name;
  out += littleEndian(tensors.size(), 8);
  for (const StoredTensor& tensor : tensors) out += tensor.bytes();
  return out;
}

/// An archive of which only the parameter file is checked: no graph can disagree.
Mlf archiveWith(const std::string& file) { return cleanMlf(7, MlfStyle::Aot).add(kParametersPath, file); }

QStringList judged(const std::string& file) { return findingsOf(archiveWith(file), {mlf::checkParameters}); }

mlf::File fileOf(const std::string& text) { return {"p.params", "./p.params", bytes(text)}; }

} // namespace

class TestParameterRules : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void cleanParametersHaveNoFindings();
  void eachDefectIsReported_data();
  void eachDefectIsReported();
  void findingsHaveOffsets();
  void parametersAreRead();
  void limitsOfTheCRuntimeAreChecked();
  void nextTensorIsFoundByLengthOrShape();
  void everyTruncationIsReported();
  void changedBytesAreSafe();
  void numberOfNamesIsLimited();
  void checksCanBeCancelled();
};

void TestParameterRules::cleanParametersHaveNoFindings() {
  for (const MlfVariant& variant : mlfVariants())
    QCOMPARE(findingsOf(cleanMlf(variant.version, variant.style), {mlf::checkParameters}), QStringList());
  QCOMPARE(judged(mlfParameters({})), QStringList());
  StoredTensor scalar{.rank = 0, .shape = {}, .length = 4, .data = std::string(4, '\0')};
  StoredTensor boolean{.code = 1, .bits = 1, .length = 4, .data = std::string(4, '\0')};
  StoredTensor empty{.shape = {0, uint64_t{1} << 62}, .length = 0, .data = {}};
  QCOMPARE(judged(parameterFile({"a", "b", "c"}, {scalar, boolean, empty})), QStringList());
}

void TestParameterRules::eachDefectIsReported_data() {
  QTest::addColumn<QByteArray>("file");
  QTest::addColumn<QStringList>("expected");
  const auto row = [](const char* title, const std::string& file, const QStringList& expected) {
    QTest::newRow(title) << QByteArray::fromStdString(file) << expected;
  };
  const std::string file = "parameters/default.params: ";
  const auto text = [&](const char* rest) {
    return QStringList(QString::fromStdString(std::string(rest).substr(0, 4) + file + std::string(rest).substr(4)));
  };
  const auto with = [](auto change) {
    StoredTensor record;
    change(record);
    return parameterFile({"p"}, {record});
  };
  const std::string good = parameterFile({"p"}, {StoredTensor{}});

  row("empty", "", text("402 truncated at byte 0x0 while reading the list magic"));
  row("list magic", "X" + good.substr(1), text("401 bad magic 0xf7e58d4f05049c58"));
  row("list magic of a short file", "XY", text("401 bad magic 0x5958"));
  row("cut in the data", good.substr(0, good.size() - 1),
      text("402 truncated at byte 0x61 while reading the data of tensor 'p'"));
  row("cut in a name", good.substr(0, 32), text("402 truncated at byte 0x20 while reading name 0"));
  row("names only", good.substr(0, 33), text("402 truncated at byte 0x21 while reading the number of tensors"));
  row(
      "length of a name",
      [&] {
        std::string s = good;
        return s.replace(24, 8, littleEndian(UINT64_MAX, 8));
      }(),
      text("402 truncated at byte 0x20 while reading name 0"));
  row(
      "number of names",
      [&] {
        std::string s = good;
        return s.replace(16, 8, littleEndian(UINT64_MAX, 8));
      }(),
      text("402 truncated at byte 0x32 while reading name 2"));
  row("counts", parameterFile({"p", "q"}, {StoredTensor{}}), text("403 2 names but 1 tensor"));
  row("tensor magic", with([](StoredTensor& r) { r.magic = 7; }), text("404 tensor 0 has bad magic 0x7"));
  row("data bytes", with([](StoredTensor& r) { r.length = 15; }),
      text("405 tensor 'p' has 15 data bytes, but shape and type give 16"));
  row("negative data bytes", with([](StoredTensor& r) { r.length = UINT64_MAX; }),
      text("405 tensor 'p' has -1 data bytes, but shape and type give 16"));
  row("device", with([](StoredTensor& r) { r.device = 2; }), text("406 tensor 'p' is stored for device 2"));
  row("negative device", with([](StoredTensor& r) { r.device = UINT32_MAX; }),
      text("406 tensor 'p' is stored for device -1"));
  row("type code", with([](StoredTensor& r) { r.code = 99; }),
      text("407 tensor 'p' has type code 99, 32 bits, 1 lanes"));
  row("width", with([](StoredTensor& r) { r.bits = 33; }), text("407 tensor 'p' has type code 2, 33 bits, 1 lanes"));
  row("lanes", with([](StoredTensor& r) { r.lanes = 4; }), text("407 tensor 'p' has type code 2, 32 bits, 4 lanes"));
  row("negative rank", with([](StoredTensor& r) { r.rank = UINT32_MAX; }), text("408 tensor 'p' has -1 dimensions"));
  row("absurd rank", with([](StoredTensor& r) { r.rank = 1000; }), text("408 tensor 'p' has 1000 dimensions"));
  row("negative dimension", with([](StoredTensor& r) { r.shape[1] = static_cast<uint64_t>(-4); }),
      text("408 tensor 'p' has dimension -4"));
  row("absurd dimension", with([](StoredTensor& r) { r.shape = {uint64_t{1} << 40, uint64_t{1} << 40}; }),
      text("408 tensor 'p' has more elements than a file can hold"));
  row("name twice", parameterFile({"p", "q", "p", "p"}, {4, StoredTensor{}}), text("409 name 'p' occurs twice"));
  row("empty name", parameterFile({""}, {StoredTensor{}}), text("410 name 0 is empty"));
  row("name not UTF-8", parameterFile({"p", "\xff"}, {2, StoredTensor{}}), text("410 name 1 is not UTF-8"));
  row("trailing bytes", good + "abc", text("411 unexpected 3 bytes after the last tensor"));
  row(
      "reserved word of the list",
      [&] {
        std::string s = good;
        s[8] = 5;
        return s;
      }(),
      text("412 reserved word of the list is 0x5"));
  row("reserved word of a tensor", with([](StoredTensor& r) { r.reserved = 0x1234; }),
      text("412 reserved word of tensor 'p' is 0x1234"));
}

void TestParameterRules::eachDefectIsReported() {
  QFETCH(QByteArray, file);
  QFETCH(QStringList, expected);
  QCOMPARE(judged(file.toStdString()), expected);
}

void TestParameterRules::findingsHaveOffsets() {
  NullMonitor monitor;
  mlf::Findings findings;
  const mlf::File file = fileOf(parameterFile({"p", "q"}, {StoredTensor{}, StoredTensor{.device = 2}}));
  mlf::readParameters(file, {}, findings, monitor);
  QCOMPARE(findings.all().size(), std::size_t{1});
  QCOMPARE(findings.all()[0].place.member, std::string("p.params"));
  // 24 header, 2 names of 9, count of 8, a tensor of 72, then magic and reserved word
  QCOMPARE(findings.all()[0].place.offset, std::optional<uint64_t>(24 + 18 + 8 + 72 + 16));
}

void TestParameterRules::parametersAreRead() {
  NullMonitor monitor;
  mlf::Findings findings;
  const mlf::File file =
      fileOf(parameterFile({"p", "q"}, {StoredTensor{}, StoredTensor{.code = 4, .bits = 16, .shape = {2, 4}}}));
  const mlf::Parameters parameters = mlf::readParameters(file, {}, findings, monitor);
  QVERIFY(parameters.whole && findings.all().empty());
  QCOMPARE(parameters.list[0].text(), std::string("[1, 4] float32"));
  QCOMPARE(parameters.find("q")->text(), std::string("[2, 4] bfloat16"));
  QCOMPARE(parameters.find("q")->dataBytes, uint64_t{16});
  QVERIFY(!parameters.find("r"));
}

void TestParameterRules::limitsOfTheCRuntimeAreChecked() {
  const std::string name(80, 'n');
  const StoredTensor deep{.rank = 7, .shape = {1, 1, 1, 1, 1, 1, 4}};
  const std::string file = parameterFile({name, "q", std::string(79, 'm')}, {StoredTensor{}, deep, StoredTensor{}});
  QCOMPARE(judged(file),
           QStringList({"413 parameters/default.params: '" + QString::fromStdString(name) +
                            "': the name has 80 bytes, but the C runtime accepts at most 79",
                        "413 parameters/default.params: 'q': 7 dimensions, but the C runtime accepts at most 6"}));
  mlf::Findings findings;
  NullMonitor monitor;
  mlf::readParameters(fileOf(file), {false}, findings, monitor);
  QVERIFY(findings.all().empty());
}

/// Where length and shape disagree, the next tensor is found by the one that leads to it.
void TestParameterRules::nextTensorIsFoundByLengthOrShape() {
  const QString behind = "406 parameters/default.params: tensor 'q' is stored for device 3";
  const StoredTensor last{.device = 3};
  const StoredTensor lengthWrong{.length = 12}, shapeWrong{.shape = {1, 5}};
  QCOMPARE(
      judged(parameterFile({"p", "q"}, {lengthWrong, last})),
      QStringList({"405 parameters/default.params: tensor 'p' has 12 data bytes, but shape and type give 16", behind}));
  QCOMPARE(
      judged(parameterFile({"p", "q"}, {shapeWrong, last})),
      QStringList({"405 parameters/default.params: tensor 'p' has 16 data bytes, but shape and type give 20", behind}));
}

void TestParameterRules::everyTruncationIsReported() {
  const std::string good = parameterFile({"p", "qq"}, {StoredTensor{}, StoredTensor{}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    const QStringList found = judged(good.substr(0, size));
    QCOMPARE(found.size(), 1);
    QVERIFY2(found[0].startsWith("402 "), qPrintable(found[0]));
    // The shape of the last tensor is known from the number of its bytes on, which is before its 16 bytes.
    NullMonitor monitor;
    mlf::Findings findings;
    const mlf::File file = fileOf(good.substr(0, size));
    const mlf::Parameters parameters = mlf::readParameters(file, {}, findings, monitor);
    if (parameters.list.size() == 2) QCOMPARE(parameters.list[1].sound, size >= good.size() - 16);
  }
}

void TestParameterRules::changedBytesAreSafe() {
  const std::string good = parameterFile({"p", "qq"}, {StoredTensor{}, StoredTensor{}});
  NullMonitor monitor;
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const char value : {'\0', '\x01', '\x7f', '\x80', '\xff'}) {
      std::string bad = good;
      bad[i] = value;
      mlf::Findings findings;
      const mlf::File file = fileOf(bad);
      mlf::readParameters(file, {true}, findings, monitor);
      QVERIFY(findings.all().size() < 10);
    }
}

void TestParameterRules::numberOfNamesIsLimited() {
  std::string file = littleEndian(0xF7E58D4F05049CB7, 8) + littleEndian(0, 8) + littleEndian(3'000'000, 8);
  for (int i = 0; i < 1'100'000; ++i) file += littleEndian(0, 8);
  NullMonitor monitor;
  mlf::Findings findings;
  const mlf::File one = fileOf(file);
  const mlf::Parameters parameters = mlf::readParameters(one, {}, findings, monitor);
  QVERIFY(!parameters.whole && findings.has(mlf::Rule::MlfLimit));
  QCOMPARE(findings.all().size(), mlf::Findings::kPerRule + 1); // empty names, and the limit
  QCOMPARE(findings.all().back().message(), std::string("number of names in p.params exceeds the limit of 1,048,576"));
}

void TestParameterRules::checksCanBeCancelled() {
  StopAfter monitor(0);
  mlf::Findings findings;
  const mlf::File file = fileOf(mlfParameters({"p"}));
  QVERIFY(!mlf::readParameters(file, {}, findings, monitor).whole);
  QVERIFY(findings.all().empty());
}

BLOBSCOPE_TEST(TestParameterRules);
#include "test_parameter_rules.moc"
