#include "core/run/job_parts.h"

#include "tests/core/base/compare.h"
#include "tests/core/base/files.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <bit>
#include <cstring>
#include <limits>

using namespace blobscope;
using namespace blobscope::test;
using host::Abi;
using protocol::DataType;
using protocol::JobTensor;
using protocol::Role;
using run::RunOptions;

namespace {

constexpr DataType kFloat32{2, 32, 1};

JobTensor tensorOf(const std::string& name, DataType type, std::vector<int64_t> shape, Role role = Role::In) {
  JobTensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.role = role;
  return tensor;
}

template <class T> std::string idOf(const Result<T>& result) {
  return result ? "none" : std::string(result.error().diagnostic().idText());
}

/// A .npy file of version 1.0, little-endian and in C order.
std::string npyOf(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 0xff) +
         static_cast<char>(header.size() >> 8) + header + data;
}

std::string floats(const std::vector<float>& values) {
  std::string out(values.size() * sizeof(float), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

} // namespace

class TestJobParts : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void jobsHaveTheOptions() {
    RunOptions options;
    options.limits.memoryBytes = 11;
    options.continueUnknown = true;
    options.widenHalf = true;
    options.deviceIndex = 3;
    options.driverPath = "driver.so";
    options.repeat = 0;
    const protocol::Job job = run::jobOf(protocol::Mode::Kernel, options);
    QCOMPARE(job.mode, protocol::Mode::Kernel);
    QCOMPARE(job.limits.memoryBytes, uint64_t{11});
    QVERIFY(job.options.continueUnknown && job.options.widenHalf);
    QCOMPARE(job.device, 3);
    QCOMPARE(job.driverPath, std::string("driver.so"));
    QVERIFY(job.timed && job.repeat == 0u);
    QVERIFY(job.calls.empty() && job.modules.empty());
  }

  void jobsAreNotMeasuredUnlessAsked() {
    const protocol::Job job = run::jobOf(protocol::Mode::Dry, {});
    QVERIFY(!job.timed && !job.repeat);
    QVERIFY(!job.options.continueUnknown && !job.options.widenHalf);
  }

  void typesAreParsed_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("type");
    const auto row = [](const std::string& name, const char* type) {
      QTest::newRow(name.empty() ? "nothing" : name.substr(0, 40).c_str()) << name << std::string(type);
    };
    row("float32", "2 32 1");
    row("float16x4", "2 16 4");
    row("int8", "0 8 1");
    row("uint2", "1 2 1");
    row("bfloat16", "4 16 1");
    row("handle", "3 64 1");
    row("int4x8", "0 4 8");
    row("float32x65535", "2 32 65535");
    row("", "none");
    row("cow", "none");
    row("float", "none");
    row("float32x", "none");
    row("float32x65536", "none");
    row("int256", "none");
    row("int-8", "none");
    row("int18446744073709551624", "none");
    row(" float32", "none");
    row("float32 ", "none");
    row("Float32", "none");
    row(std::string(100'000, '9'), "none");
  }
  void typesAreParsed() {
    QFETCH(std::string, name);
    QFETCH(std::string, type);
    for (const std::optional<Abi> abi : {std::optional<Abi>(), std::optional(Abi::Classic), std::optional(Abi::Ffi5)}) {
      const auto found = run::jobType(name, abi);
      QCOMPARE(found ? std::to_string(found->code) + " " + std::to_string(found->bits) + " " +
                           std::to_string(found->lanes)
                     : std::string("none"),
               type);
    }
  }

  void boolDependsOnTheRelease() {
    const DataType oneBit{1, 1, 1}, ownCode{6, 8, 1};
    QVERIFY(run::jobType("bool", std::nullopt) == oneBit);
    QVERIFY(run::jobType("bool", Abi::Classic) == oneBit);
    for (const Abi abi : {Abi::Ffi1, Abi::Ffi2, Abi::Ffi3, Abi::Ffi4, Abi::Ffi5})
      QVERIFY(run::jobType("bool", abi) == ownCode);
  }

  void scalarsHaveTheBitsOfTheLaunch_data() {
    QTest::addColumn<qulonglong>("bits");
    QTest::addColumn<std::string>("type");
    QTest::addColumn<qlonglong>("integer");
    QTest::addColumn<double>("real"); // of types that begin with "float"
    const auto integer = [](const char* type, qulonglong bits, qlonglong value) {
      QTest::addRow("%s from %llx", type, bits) << bits << std::string(type) << value << 0.0;
    };
    const auto real = [](const char* type, qulonglong bits, double value) {
      QTest::addRow("%s from %llx", type, bits) << bits << std::string(type) << 0ll << value;
    };
    integer("int8", 0x7f, 127);
    integer("int8", 0x80, -128);
    integer("int8", 0xff, -1);
    integer("int8", 0x1234567f, 127);
    integer("int8", 0x123456ff, -1);
    integer("int32", 0x7fffffff, 2'147'483'647);
    integer("int32", 0xffffffff, -1);
    integer("int32", 0xffffffff00000005, 5);
    integer("int64", ~0ull, -1);
    integer("int64", 1ull << 63, INT64_MIN);
    integer("uint8", 0xff, 255);
    integer("uint8", 0x1ff, 255);
    integer("uint32", 0xffffffff, 4'294'967'295);
    integer("uint32", 0x1'00000007, 7);
    integer("uint64", ~0ull, -1); // the runner passes the bits
    integer("bool", 1, 1);
    real("float32", 0x3f800000, 1);
    real("float32", 0xffffffff'bf800000, -1);
    real("float32", 0x7f800000, std::numeric_limits<double>::infinity());
    real("float64", 0x3ff0000000000000, 1);
    real("float64", 0x8000000000000000, -0.0);
  }
  void scalarsHaveTheBitsOfTheLaunch() {
    QFETCH(qulonglong, bits);
    QFETCH(std::string, type);
    QFETCH(qlonglong, integer);
    QFETCH(double, real);
    const protocol::JobArgument found = run::scalarOf(bits, *run::jobType(type, std::nullopt));
    const bool isReal = type.starts_with("float");
    QVERIFY(found.kind == (isReal ? protocol::JobArgument::Kind::Float : protocol::JobArgument::Kind::Integer));
    if (isReal)
      QVERIFY(std::bit_cast<uint64_t>(found.real) == std::bit_cast<uint64_t>(real));
    else
      QCOMPARE(qlonglong{found.integer}, integer);
  }

  void bytesAreAddedUpToTheLimit_data() {
    QTest::addColumn<std::vector<int64_t>>("shape");
    QTest::addColumn<qulonglong>("before");
    QTest::addColumn<qulonglong>("limit");
    QTest::addColumn<qulonglong>("after");
    QTest::addColumn<bool>("allowed");
    using Shape = std::vector<int64_t>;
    QTest::newRow("a scalar") << Shape{} << 0ull << 4ull << 4ull << true;
    QTest::newRow("no elements") << Shape{0, 7} << 3ull << 3ull << 3ull << true;
    QTest::newRow("exactly the limit") << Shape{2} << 92ull << 100ull << 100ull << true;
    QTest::newRow("one byte above the limit") << Shape{2} << 93ull << 100ull << 101ull << false;
    QTest::newRow("the sum wraps") << Shape{2} << ~0ull - 6 << ~0ull << 0ull << false;
    QTest::newRow("the largest sum") << Shape{2} << ~0ull - 8 << ~0ull << ~0ull << true;
    QTest::newRow("the size has more than 64 bits") << Shape{INT64_MAX, 2} << 0ull << ~0ull << 0ull << false;
    QTest::newRow("a negative extent") << Shape{-1} << 0ull << ~0ull << 0ull << false;
  }
  void bytesAreAddedUpToTheLimit() {
    QFETCH(std::vector<int64_t>, shape);
    QFETCH(qulonglong, before);
    QFETCH(qulonglong, limit);
    QFETCH(qulonglong, after);
    QFETCH(bool, allowed);
    protocol::JobLimits limits;
    limits.memoryBytes = limit;
    uint64_t total = before;
    const auto result = run::addBytes(tensorOf("x", kFloat32, shape), limits, total);
    QCOMPARE(idOf(result), std::string(allowed ? "none" : "RUN-MEMORY"));
    if (allowed) QCOMPARE(total, uint64_t{after});
  }

  void hugeTensorsAreReportedInWords() {
    uint64_t total = 0;
    const auto result = run::addBytes(tensorOf("x", kFloat32, {INT64_MAX, 2}), {}, total);
    QVERIFY(!result);
    QVERIFY2(result.error().message().find("more than 16 EiB") != std::string::npos, result.error().message().c_str());
  }

  void inputsAreWritten_data() {
    QTest::addColumn<std::string>("input");
    QTest::addColumn<std::string>("content");
    QTest::newRow("zeros") << std::string("zeros") << floats({0, 0, 0, 0});
    QTest::newRow("ones") << std::string("ones") << floats({1, 1, 1, 1});
    QTest::newRow("ramp") << std::string("ramp") << floats({0, 1, 2, 3});
    QTest::newRow("identity") << std::string("identity") << floats({1, 0, 0, 1});
    QTest::newRow("a number") << std::string("-2.5") << floats({-2.5, -2.5, -2.5, -2.5});
  }
  void inputsAreWritten() {
    QFETCH(std::string, input);
    QFETCH(std::string, content);
    const QTemporaryDir folder;
    NullMonitor monitor;
    RunOptions options;
    options.inputs["x"] = input;
    for (const Role role : {Role::In, Role::InOut}) {
      JobTensor tensor = tensorOf("x", kFloat32, {2, 2}, role);
      QVERIFY(run::checkInput(tensor, options));
      QVERIFY(run::writeInput(tensor, 3, 14, options, in(folder, ""), monitor));
      QCOMPARE(tensor.input, std::string("in.3.14"));
      QCOMPARE(tensor.output, std::string("out.3.14"));
      QCOMPARE(listing(folder), std::string("in.3.14"));
      QCOMPARE(hexDigits(readFile(in(folder, "in.3.14"))), hexDigits(content));
    }
  }

  void outputsAreFilledAndHaveNoFile() {
    const QTemporaryDir folder;
    NullMonitor monitor;
    RunOptions options;
    options.outputFill = 0xa5;
    options.inputs["x"] = "not a fill";
    JobTensor tensor = tensorOf("x", kFloat32, {4}, Role::Out);
    QVERIFY(run::writeInput(tensor, 0, 1, options, in(folder, ""), monitor));
    QCOMPARE(tensor.fill, uint8_t{0xa5});
    QCOMPARE(tensor.input, std::string());
    QCOMPARE(tensor.output, std::string("out.0.1"));
    QCOMPARE(listing(folder), std::string());
  }

  /// The seed and the name of the tensor determine random values; the place of the argument does not.
  void inputsDependOnSeedAndName() {
    const QTemporaryDir folder;
    NullMonitor monitor;
    const auto content = [&](const std::string& name, uint64_t seed, std::size_t argument) {
      RunOptions options;
      options.seed = seed;
      options.inputs[name] = "random";
      JobTensor tensor = tensorOf(name, kFloat32, {100});
      if (!run::writeInput(tensor, 0, argument, options, in(folder, ""), monitor)) return std::string("failed");
      return readFile(in(folder, tensor.input));
    };
    const std::string first = content("x", 1, 0);
    QCOMPARE(first.size(), std::size_t{400});
    QVERIFY(content("x", 1, 0) == first);
    QVERIFY(content("x", 1, 5) == first);
    QVERIFY(content("x", 2, 0) != first);
    QVERIFY(content("y", 1, 0) != first);
  }

  void inputsComeFromFiles_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("id");
    const std::string data = floats({1, 2, 3, 4}), good = npyOf("<f4", "(2, 2)", data);
    const auto row = [](const char* name, const std::string& file, const char* id) {
      QTest::newRow(name) << file << std::string(id);
    };
    row("type and shape of the tensor", good, "none");
    row("only the bytes of the tensor", data, "none");
    row("one byte too few", data.substr(1), "RUN-INPUT");
    row("one byte too many", data + "x", "RUN-INPUT");
    row("other type", npyOf("<i4", "(2, 2)", data), "RUN-INPUT");
    row("other shape", npyOf("<f4", "(4,)", data), "RUN-INPUT");
    row("empty file", {}, "FILE-EMPTY");
    row("no header", good.substr(0, 10), "RUN-INPUT");
    row("truncated data", good.substr(0, good.size() - 1), "RUN-INPUT");
    row("absurd shape", npyOf("<f4", "(4294967296, 4294967296)", data), "RUN-INPUT");
  }
  void inputsComeFromFiles() {
    QFETCH(std::string, file);
    QFETCH(std::string, id);
    const QTemporaryDir folder, source;
    NullMonitor monitor;
    writeFile(in(source, "x.npy"), file);
    RunOptions options;
    options.inputs["x"] = in(source, "x.npy").string();
    JobTensor tensor = tensorOf("x", kFloat32, {2, 2});
    QCOMPARE(idOf(run::checkInput(tensor, options)), id);
    QCOMPARE(idOf(run::writeInput(tensor, 0, 0, options, in(folder, ""), monitor)), id);
    QCOMPARE(listing(folder), std::string(id == "none" ? "in.0.0" : ""));
    if (id == "none") QCOMPARE(hexDigits(readFile(in(folder, "in.0.0"))), hexDigits(floats({1, 2, 3, 4})));
  }

  void wrongInputsAreRefused_data() {
    QTest::addColumn<std::string>("input");
    QTest::addColumn<std::string>("id");
    QTest::newRow("no fill") << std::string("grass") << std::string("RUN-INPUT");
    QTest::newRow("no words") << std::string() << std::string("RUN-INPUT");
    QTest::newRow("a limit is missing") << std::string("uniform:1") << std::string("RUN-INPUT");
    QTest::newRow("a number with more text") << std::string("1.5x") << std::string("RUN-INPUT");
    QTest::newRow("a file that does not exist") << std::string("missing/x.npy") << std::string("FILE-NOT-FOUND");
  }
  void wrongInputsAreRefused() {
    QFETCH(std::string, input);
    QFETCH(std::string, id);
    const QTemporaryDir folder;
    NullMonitor monitor;
    RunOptions options;
    options.inputs["x"] = input;
    JobTensor tensor = tensorOf("x", kFloat32, {2});
    QCOMPARE(idOf(run::checkInput(tensor, options)), id);
    QCOMPARE(idOf(run::writeInput(tensor, 0, 0, options, in(folder, ""), monitor)), id);
    QCOMPARE(listing(folder), std::string());
  }

  void writingCanBeCancelled() {
    const QTemporaryDir folder;
    JobTensor tensor = tensorOf("x", kFloat32, {1'000'000});
    StopAfter monitor(0);
    const auto result = run::writeInput(tensor, 0, 0, {}, in(folder, ""), monitor);
    QVERIFY(!result && result.error().id() == DiagnosticId::Cancelled);
    QCOMPARE(listing(folder), std::string());
  }
};

BLOBSCOPE_TEST(TestJobParts);
#include "test_job_parts.moc"
