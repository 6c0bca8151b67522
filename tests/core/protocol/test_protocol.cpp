#include "core/protocol/protocol.h"

#include "core/base/text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace blobscope;
using namespace blobscope::protocol;
using namespace blobscope::test;

namespace {

Job fullJob() {
  Job job;
  job.mode = Mode::Function;
  job.library = "lib.so";
  job.abi = "ffi4";
  JobCall call;
  call.function = "fused_\"matmul\"\n";
  JobArgument tensor;
  tensor.kind = JobArgument::Kind::Tensor;
  tensor.tensor = {"p_output0", {2, 16, 1}, {1, 0, 7}, 2, Role::InOut, "in0", 0xa5, "out0"};
  call.arguments.push_back(tensor);
  JobArgument number;
  number.integer = std::numeric_limits<int64_t>::min();
  call.arguments.push_back(number);
  JobArgument real;
  real.kind = JobArgument::Kind::Float;
  real.real = -0.0;
  call.arguments.push_back(real);
  JobArgument null;
  null.kind = JobArgument::Kind::Null;
  call.arguments.push_back(null);
  JobArgument shape, result, tuple;
  shape.kind = JobArgument::Kind::Shape;
  shape.tensor.shape = {7, -1};
  result.kind = JobArgument::Kind::Result;
  result.function = "create_cache";
  tuple.kind = JobArgument::Kind::Tuple;
  tuple.items = {tensor, tuple, result};
  call.arguments.push_back(shape);
  call.arguments.push_back(tuple);
  call.extents = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, 73'728};
  call.results = "out.0";
  job.calls = {call, {}};
  job.modules = {{"vulkan", "spirv", "", {{"k", {{3, 64, 1}, {2, 32, 1}}, {"blockIdx.x"}, {0, 1}, {}, "k.spv", true}}}};
  job.backend = "vulkan";
  job.device = 1;
  job.driverPath = "/nowhere/libvulkan.so";
  job.runtime = {"/nowhere/libtvm_ffi.so", "/nowhere/libtvm_runtime.so"};
  job.timed = true;
  job.repeat = 5;
  job.limits.memoryBytes = std::numeric_limits<uint64_t>::max();
  job.options = {true, true, true};
  return job;
}

std::vector<Event> everyEvent() {
  DeviceFound device{
      "cuda", 2, "NVIDIA H200", "580", uint64_t{140} << 30, false, {{"capability", "9.0"}}, {{"threads", 1024}}};
  ProbedSignature signature{
      1, 20, true, "f(A: Tensor([n], float32))", {{"A", "tensor", "float32", true, {"7", "n", ""}, 2}, {}}};
  LaunchEvent launch{3,    "kernel", {{1, 2, 3}, {4, 5, 6}, {1, 1, 1}, 128},
                     true, false,    {{"A", 16, {}}, {std::nullopt, 0x3f000000, {2, 32, 1}}, {"", 99, {}}}};
  TimesMeasured times;
  times.kernel = true;
  times.name = "k";
  times.microseconds = {1.5, 0, 2000.125};
  return {Hello{kProtocol, 12, "0.1.0"},
          device,
          StageEntered{Stage::HostCall, 4},
          StageEntered{Stage::Limits, std::nullopt},
          LogLine{"text with \"quotes\", \x01 and \xc3\xa4"},
          signature,
          launch,
          times,
          TensorWritten{0, "B", 1, "out", 64, 0, 4},
          CallEnded{0, "f", -1, 3},
          ErrorReported{"RUN-LAUNCH", "no", 2},
          ErrorReported{"RUN-LOAD", "no", std::nullopt},
          Crash{11, 16, 0x1234, Stage::Sync, 0},
          Crash{6, 0, std::nullopt, Stage::Dlopen, std::nullopt},
          Finished{5},
          TensorWritten{0, "output.1", 1, "out.0.1", 24, 0, 0, DataType{2, 32, 1}, {2, 3}},
          NodeRan{0,
                  7,
                  "conv0",
                  "fused_conv2d",
                  3,
                  "main",
                  2,
                  1,
                  1'024,
                  {{"tap.0.7.0", 24, {2, 32, 1}, {2, 3}}, {"", 0, {0, 64, 1}, {0}}}},
          NodeTimes{0, 7, {1.5, 2}},
          MetadataRead{2, "{\"type_schema\":\"text\"}", true},
          MetadataRead{2, std::string(kMetadataPieceBytes, '\x01'), false}};
}

} // namespace

class TestProtocol : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void jobRoundTrips();
  void programJobRoundTrips();
  void everyFloatInAJobRoundTrips_data();
  void everyFloatInAJobRoundTrips();
  void invalidJobIsRefused_data();
  void invalidJobIsRefused();
  void eventsRoundTrip();
  void eventIsOneLineWithinTheLimit();
  void metadataRoundTrips();
  void tooLongEventBecomesALogLine();
  void invalidEventIsRefused_data();
  void invalidEventIsRefused();
  void everyTruncationIsRefused();
  void sizesOfTensorsAreComputed_data();
  void sizesOfTensorsAreComputed();
};

void TestProtocol::jobRoundTrips() {
  const Job job = fullJob();
  const auto read = readJob(bytes(writeJob(job)));
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
  QVERIFY(*read == job);
  QVERIFY(std::signbit(read->calls[0].arguments[2].real));
  const auto plain = readJob(bytes(writeJob(Job())));
  QVERIFY(plain.hasValue() && *plain == Job());
}

void TestProtocol::programJobRoundTrips() {
  Job job = fullJob();
  job.mode = Mode::Program;
  job.program = "program.json";
  job.taps = {"*", "conv0"};
  job.tapBytes = 1'000;
  const auto read = readJob(Bytes::copyOf(writeJob(job)));
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
  QVERIFY(*read == job);
}

void TestProtocol::everyFloatInAJobRoundTrips_data() {
  QTest::addColumn<quint64>("bits");
  for (const double value :
       {0.1, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 5e-324})
    QTest::addRow("%g", value) << quint64{std::bit_cast<uint64_t>(value)};
  QTest::newRow("a NaN with a payload") << quint64{0x7ff0'0000'dead'beef};
}

void TestProtocol::everyFloatInAJobRoundTrips() {
  QFETCH(quint64, bits);
  Job job;
  job.calls.resize(1);
  job.calls[0].arguments.resize(1);
  job.calls[0].arguments[0].kind = JobArgument::Kind::Float;
  job.calls[0].arguments[0].real = std::bit_cast<double>(uint64_t{bits});
  const auto read = readJob(bytes(writeJob(job)));
  QVERIFY(read.hasValue());
  QCOMPARE(quint64{std::bit_cast<uint64_t>(read->calls[0].arguments[0].real)}, bits);
}

void TestProtocol::invalidJobIsRefused_data() {
  QTest::addColumn<QString>("from");
  QTest::addColumn<QString>("to");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, const char* from, const char* to, const char* says) {
    QTest::newRow(name) << from << to << says;
  };
  row("protocol", "\"proto\":1", "\"proto\":2", "another protocol");
  row("mode", "\"function\",\"engine\"", "\"fly\",\"engine\"", "'mode' is 'fly'");
  row("engine", "\"native\"", "\"emulated\"", "another engine");
  row("missing", "\"abi\":\"ffi4\",", "", "'abi' is missing");
  row("unknown", "\"lazy_bind\":true}", "\"lazy_bind\":true},\"more\":1", "'more' is unknown");
  row("number that does not fit", "\"fill\":165", "\"fill\":256", "not an integer that fits");
  row("negative extent", "[1,0,7]", "[1,-1,7]", "a shape does not fit");
  row("extent too large", "[1,0,7]", "[4611686018427387904,2,2]", "a shape does not fit");
  row("type of two numbers", "[2,16,1]", "[2,16]", "three numbers");
  row("too many repetitions", "\"repeat\":5", "\"repeat\":5001", "too many repetitions");
  row("no object", "{\"proto\"", "[{\"proto\"", "invalid JSON");
}

void TestProtocol::invalidJobIsRefused() {
  QFETCH(QString, from);
  QFETCH(QString, to);
  QFETCH(QString, says);
  QString text = QString::fromStdString(writeJob(fullJob()));
  QVERIFY2(text.contains(from), qPrintable(text));
  text.replace(text.indexOf(from), from.size(), to);
  const auto read = readJob(bytes(text.toStdString()));
  QVERIFY(!read.hasValue());
  QVERIFY2(QString::fromStdString(read.error().message()).contains(says), read.error().message().c_str());
}

void TestProtocol::eventsRoundTrip() {
  for (const Event& event : everyEvent()) {
    const std::string line = writeEvent(event);
    QVERIFY(line.find('\n') == std::string::npos && isUtf8(line));
    const auto read = readEvent(line);
    QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
    QCOMPARE(read->index(), event.index());
    QCOMPARE(writeEvent(*read), line);
  }
  const auto crash = readEvent(writeEvent(everyEvent()[12]));
  QVERIFY(crash.hasValue());
  QCOMPARE(std::get<Crash>(*crash).libraryOffset.value_or(0), uint64_t{0x1234});
  QVERIFY(std::get<Crash>(*crash).stage == Stage::Sync);
}

void TestProtocol::eventIsOneLineWithinTheLimit() {
  const std::string line = writeEvent(LogLine{std::string(1'000'000, 'x') + "\xff\n"});
  QVERIFY(line.size() <= kLineBytes);
  QVERIFY(readEvent(line).hasValue());
  const std::string raw = writeEvent(LogLine{std::string("a\0\xff"
                                                         "b",
                                                         4)});
  const auto read = readEvent(raw);
  QVERIFY2(read.hasValue(), raw.c_str());
}

void TestProtocol::metadataRoundTrips() {
  // The worst case of escaping: six bytes for one.
  const std::string text(kMetadataPieceBytes, '\x01');
  const auto read = readEvent(writeEvent(MetadataRead{7, text, true}));
  QVERIFY(read.hasValue() && std::holds_alternative<MetadataRead>(*read));
  QCOMPARE(std::get<MetadataRead>(*read).text, text);
  QVERIFY(std::get<MetadataRead>(*read).more);
  QCOMPARE(std::get<MetadataRead>(*read).call, uint64_t{7});
  Job job;
  job.mode = Mode::Metadata;
  const auto back = readJob(bytes(writeJob(job)));
  QVERIFY(back.hasValue() && back->mode == Mode::Metadata);
}

void TestProtocol::tooLongEventBecomesALogLine() {
  LaunchEvent launch;
  launch.arguments.assign(2'000, {std::string(400, 'n'), 0, {}});
  const auto read = readEvent(writeEvent(launch));
  QVERIFY(read.hasValue() && std::holds_alternative<LogLine>(*read));
  QVERIFY(std::get<LogLine>(*read).text.find("'launch'") != std::string::npos);
}

void TestProtocol::invalidEventIsRefused_data() {
  QTest::addColumn<QByteArray>("line");
  QTest::newRow("empty") << QByteArray();
  QTest::newRow("no JSON") << QByteArray("hello");
  QTest::newRow("no object") << QByteArray("[1]");
  QTest::newRow("null") << QByteArray("null");
  QTest::newRow("two objects") << QByteArray(R"({"ev":"done","code":0}{"ev":"done","code":0})");
  QTest::newRow("unknown event") << QByteArray(R"({"ev":"dance"})");
  QTest::newRow("event that is not text") << QByteArray(R"({"ev":7})");
  QTest::newRow("other order") << QByteArray(R"({"code":0,"ev":"done"})");
  QTest::newRow("member too many") << QByteArray(R"({"ev":"done","code":0,"x":1})");
  QTest::newRow("member twice") << QByteArray(R"({"ev":"done","code":0,"code":0})");
  QTest::newRow("fraction") << QByteArray(R"({"ev":"done","code":0.5})");
  const QByteArray tensor =
      R"({"ev":"tensor","call":0,"name":"o","argument":0,"file":"","bytes":4,"overrun_before":0,"overrun_behind":0)";
  QTest::newRow("type without shape") << tensor + R"(,"type":[2,32,1]})";
  QTest::newRow("type of two numbers") << tensor + R"(,"type":[2,32],"shape":[1]})";
  QTest::newRow("type that does not fit") << tensor + R"(,"type":[2,256,1],"shape":[1]})";
  QTest::newRow("shape that does not fit") << tensor + R"(,"type":[2,32,1],"shape":[4611686018427387904,4]})";
  QTest::newRow("negative extent") << tensor + R"(,"type":[2,32,1],"shape":[-1]})";
  QTest::newRow("number that does not fit") << QByteArray(R"({"ev":"done","code":18446744073709551615})");
  QTest::newRow("negative") << QByteArray(R"({"ev":"hello","proto":-1,"pid":1,"version":""})");
  QTest::newRow("unknown stage") << QByteArray(R"({"ev":"stage","stage":"sleep"})");
  QTest::newRow("time that is a text") << QByteArray(
      R"({"ev":"time","call":0,"kernel":true,"name":"k","launch":0,"us":["1"]})");
  QTest::newRow("time without end") << QByteArray(
      R"({"ev":"time","call":0,"kernel":true,"name":"k","launch":0,"us":[1e999]})");
  QTest::newRow("too many times") << QByteArray(R"({"ev":"time","call":0,"kernel":true,"name":"k","launch":0,"us":[)") +
                                         QByteArray("1,").repeated(5'000) + "1]}";
  QTest::newRow("deep") << QByteArray("[").repeated(60'000);
  QTest::newRow("NUL") << QByteArray("{\"ev\":\"done\",\"code\":0}\0x", 25);
  QTest::newRow("bytes that are not text") << QByteArray("{\"ev\":\"log\",\"text\":\"\xff\xfe\"}");
  QTest::newRow("long") << QByteArray(R"({"ev":"log","text":")") + QByteArray("x").repeated(70'000) + "\"}";
}

void TestProtocol::invalidEventIsRefused() {
  QFETCH(QByteArray, line);
  const auto read = readEvent({line.constData(), static_cast<std::size_t>(line.size())});
  QVERIFY(!read.hasValue());
  QVERIFY(read.error().id() == DiagnosticId::RunProtocol);
  QVERIFY(read.error().message().size() < 1'000);
}

void TestProtocol::everyTruncationIsRefused() {
  for (const Event& event : everyEvent()) {
    const std::string line = writeEvent(event);
    // Each length costs a parse of the line: inside of a long text only some are tried.
    for (std::size_t size = 0; size < line.size(); size += size > 2'000 && size + 2'000 < line.size() ? 997 : 1)
      QVERIFY(!readEvent(std::string_view(line).substr(0, size)).hasValue());
  }
}

void TestProtocol::sizesOfTensorsAreComputed_data() {
  QTest::addColumn<int>("code");
  QTest::addColumn<int>("bits");
  QTest::addColumn<int>("lanes");
  QTest::addColumn<QList<qint64>>("shape");
  QTest::addColumn<qint64>("size");
  const auto row = [](const char* name, int code, int bits, int lanes, QList<qint64> shape, qint64 size) {
    QTest::newRow(name) << code << bits << lanes << shape << size;
  };
  row("float32", 2, 32, 1, {2, 3}, 24);
  row("rank 0", 2, 16, 1, {}, 2);
  row("empty", 2, 32, 1, {0, 9'000'000'000'000'000'000}, 0);
  row("float32x4", 2, 32, 4, {5}, 80);
  row("int4", 0, 4, 1, {7}, 4);
  row("bool of one bit takes a byte", 1, 1, 1, {9}, 9);
  row("negative", 2, 32, 1, {-1}, -1);
  row("too many", 2, 32, 1, {4'000'000'000, 4'000'000'000}, -1);
  row("too many bits", 2, 64, 1, {2'000'000'000'000'000'000}, -1);
}

void TestProtocol::sizesOfTensorsAreComputed() {
  QFETCH(int, code);
  QFETCH(int, bits);
  QFETCH(int, lanes);
  QFETCH(QList<qint64>, shape);
  QFETCH(qint64, size);
  const auto found = dataBytes({static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)},
                               std::vector<int64_t>(shape.begin(), shape.end()));
  QCOMPARE(found ? static_cast<qint64>(*found) : -1, size);
}

BLOBSCOPE_TEST(TestProtocol);
#include "test_protocol.moc"
