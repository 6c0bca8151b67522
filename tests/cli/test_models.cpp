#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/core/base/files.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QTemporaryDir>

#include <cmath>

namespace blobscope::test {

/// `run --model` with the bundled models: seven functions on the processor.
class TestModels : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
#if !defined(__linux__) || !defined(__x86_64__)
    QSKIP("the samples are made for x86-64 Linux");
#endif
    QVERIFY(m_folder.isValid());
  }

  void nodesAreListed() {
    const Outcome outcome = run({sample(), "--model", "--yes", "--json"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto report = parseJson(outcome.out);
    QVERIFY(report);
    QByteArray functions;
    for (const json::Value& node : listAt(*report, {"nodes"}))
      functions += QByteArray::fromStdString(stringAt(node, {"function"}) + ' ');
    QCOMPARE(functions, QByteArray("conv2d relu mean transpose matmul add softmax "));
    QCOMPARE(numberAt(*report, {"nodes", "0", "bytes_written"}), int64_t{4 * 8 * 8 * 4});
    QVERIFY(at(*report, {"first_difference"})->isNull());
    // The model ends with softmax.
    const double sum = realAt(*report, {"functions", "0", "outputs", "0", "statistics", "sum"});
    QVERIFY2(std::abs(sum - 1) < 1e-5, outcome.out);
  }

  /// For a picture of zeros, what the dense layer adds is all there is.
  void outputsOfNodesAreKept() {
    const QString outputs = m_folder.filePath(QStringLiteral("outputs")),
                  bias = m_folder.filePath(QStringLiteral("bias"));
    Outcome outcome =
        run({sample(), "--model", "--yes", "--input", "x=zeros", "--tap", "add", "--output-dir", outputs});
    QVERIFY2(outcome.exit == 0, outcome.text());
    outcome = run({"extract", sample(), "m0/const:12", "-o", bias}, {});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const std::string written = readFile(std::filesystem::path((outputs + "/nodes/5-add.0.npy").toStdString()));
    const std::string stored = readFile(std::filesystem::path(bias.toStdString()));
    QCOMPARE(stored.size(), std::size_t{20});
    QVERIFY2(written.ends_with(stored), outcome.text());
    QCOMPARE(QDir(outputs + "/nodes").entryList(QDir::Files).size(), 1); // only the one that was asked for

    const QString range = m_folder.filePath(QStringLiteral("range"));
    outcome = run({sample(), "--model", "--yes", "--tap", "2-3", "--tap", "6", "--output-dir", range});
    QVERIFY2(outcome.exit == 0, outcome.text());
    QCOMPARE(QDir(range + "/nodes").entryList(QDir::Files),
             QStringList({"2-mean.0.npy", "3-transpose.0.npy", "6-softmax.0.npy"}));
  }

  void nodesThatDoNotExistAreNamed() {
    const Outcome outcome = run({sample(), "--model", "--yes", "--tap", "add", "--tap", "ad", "--tap", "7-9"});
    QVERIFY2(outcome.exit == 1, outcome.text());
    QVERIFY2(outcome.out.contains("note: no node is 'ad', so none of its outputs are kept; the first 5 of 7 nodes are: "
                                  "'conv2d', 'relu', 'mean', 'transpose', 'matmul'\nnote: no node is '7-9'"),
             outcome.text());
    QVERIFY2(!outcome.out.contains("no node is 'add'"), outcome.text());
  }

  /// One number of the bias is another one: all nodes up to that which adds it are the same.
  void changedConstantIsTheFirstDifference() {
    const QString changed = m_folder.filePath(QStringLiteral("changed.so")),
                  bias = m_folder.filePath(QStringLiteral("bias"));
    Outcome outcome = run({"extract", sample(), "m0/const:12", "-o", bias}, {});
    QVERIFY2(outcome.exit == 0, outcome.text());
    std::string numbers = readFile(std::filesystem::path(bias.toStdString()));
    numbers[3] = static_cast<char>(numbers[3] ^ 0x80); // the sign of the first one
    writeFile(std::filesystem::path(bias.toStdString()), numbers);
    outcome = run({"repack", sample(), "-o", changed, "--replace", "m0/const:12=" + bias}, {});
    QVERIFY2(outcome.exit == 0, outcome.text());
    outcome = run({changed, "--model", "--yes", "--json", "--compare", sample()});
    QVERIFY2(outcome.exit == 1, outcome.text());
    const auto report = parseJson(outcome.out);
    QVERIFY(report);
    QCOMPARE(stringAt(*report, {"first_difference"}), std::string("host:add"));
    QByteArray verdicts;
    for (const json::Value& node : listAt(*report, {"nodes"})) {
      const json::Value* const equal = at(node, {"comparison", "equal"});
      QVERIFY(equal);
      verdicts += std::get<bool>(equal->data) ? "same " : "differs ";
    }
    QCOMPARE(verdicts, QByteArray("same same same same same differs differs "));
    outcome = run({changed, "--model", "--yes", "--compare", sample()});
    QVERIFY2(outcome.out.contains("first difference: node 5 add\n"), outcome.text());
    QVERIFY2(outcome.out.contains("compared 7 nodes: 2 differ\n"), outcome.text());
    QVERIFY2(outcome.out.contains("inputs: 1 of 2 same bits\n"), outcome.text()); // the other one is the constant
    QCOMPARE(numberAt(*report, {"nodes", "5", "comparison", "inputs", "same"}), int64_t{1});
    QCOMPARE(numberAt(*report, {"nodes", "5", "comparison", "inputs", "constantsSame"}), int64_t{0});
    QCOMPARE(numberAt(*report, {"nodes", "5", "comparison", "inputs", "constantsCompared"}), int64_t{1});

    // Two numbers of at most 1 cannot be further apart.
    outcome = run({changed, "--model", "--yes", "--json", "--compare", sample(), "--tolerance", "2"});
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto loose = parseJson(outcome.out);
    QVERIFY(loose && at(*loose, {"first_difference"})->isNull());
    outcome = run({changed, "--model", "--yes", "--compare", sample(), "--tolerance", "1e-9,0"});
    QVERIFY2(outcome.exit == 1 && outcome.out.contains("atol 1e-9, rtol 0"), outcome.text());
  }

  void operationsAreEstimated() {
    const Outcome outcome = run({sample(), "--model", "--yes", "--json", "--repeat", "2"});
    const auto report = parseJson(outcome.out);
    QVERIFY(report);
    // 4 channels of 8 × 8, each of 3 × 3 × 3 products; 5 sums of 4 products.
    QCOMPARE(realAt(*report, {"nodes", "0", "flop"}), 2.0 * 256 * 27);
    QCOMPARE(realAt(*report, {"nodes", "4", "flop"}), 2.0 * 5 * 4);
    QVERIFY(at(*report, {"nodes", "1", "flop"})->isNull());
    const double rate = realAt(*report, {"nodes", "0", "gflops"}), time = realAt(*report, {"nodes", "0", "time_us"});
    QVERIFY(std::abs(rate * time - 13.824) < 1e-6);
    QCOMPARE(stringAt(*report, {"nodes", "4", "inputs", "0", "from"}), std::string("node"));
    QCOMPARE(numberAt(*report, {"nodes", "4", "inputs", "0", "number"}), int64_t{2});
    QCOMPARE(stringAt(*report, {"nodes", "5", "inputs", "1", "from"}), std::string("constant"));
  }

  void profileIsATimeline() {
    const QString profile = m_folder.filePath(QStringLiteral("profile.json"));
    const Outcome outcome = run({sample(), "--model", "--yes", "--repeat", "3", "--profile", profile});
    QVERIFY2(outcome.exit == 0, outcome.text());
    QVERIFY2(outcome.out.contains("  7 nodes\n"), outcome.text());
    const auto trace = parseJson(QByteArray::fromStdString(readFile(std::filesystem::path(profile.toStdString()))));
    QVERIFY(trace);
    QByteArray names;
    int64_t last = -1;
    for (const json::Value& event : listAt(*trace, {"traceEvents"})) {
      if (stringAt(event, {"ph"}) != "X") continue;
      names += QByteArray::fromStdString(stringAt(event, {"name"}) + ' ');
      const int64_t node = numberAt(event, {"args", "node"});
      QVERIFY(node > last);
      last = node;
      QCOMPARE(at(event, {"args", "flop"}) != nullptr, node == 0 || node == 4);
    }
    QCOMPARE(names, QByteArray("conv2d relu mean transpose matmul add softmax "));
  }

  void wrongRequestsAreRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const QStringList& arguments, const char* message) {
      QTest::newRow(message) << arguments << QByteArray(message);
    };
    row({"--tap", "all"}, "--graph, --params, --tap and --profile need --model");
    row({"--model", "--tolerance", "1e-3"}, "--tolerance needs --compare");
    row({"--model", "--compare", sample(), "--tolerance", "-1"}, "--tolerance needs one or two numbers ABS[,REL]");
    row({"--model", "--all"}, "--model cannot be combined with --runtime, --kernel or --all");
    row({"--model", "--kernel", "m1/kernel:k"}, "--model cannot be combined with --runtime, --kernel or --all");
    row({"--model", "--entry", "other"}, "'other'");
    row({"--model", "--input", "y=ones"}, "no function of this run has a tensor with that name");
    row({"--model", "--input", "x=missing.npy"}, "'missing.npy' does not exist");
    row({"--model", "--params", "missing.params"}, "does not exist");
    row({"--model", "--graph", "missing.json"}, "does not exist");
  }
  void wrongRequestsAreRefused() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, message);
    const Outcome outcome = run(QStringList{sample(), "--yes"} + arguments);
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.err.contains(message), outcome.text());
  }

  void librariesWithoutAModelSayIt() {
    const QString archive = m_folder.filePath(QStringLiteral("operator.tar"));
    QVERIFY(writeFile(archive, cleanMlf(7, MlfStyle::Operator).tar()));
    const Outcome outcome = run({archive, "--model", "--yes"});
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.err.contains("it contains one operator, not a model"), outcome.text());
  }

  void consentIsNeeded() {
    const Outcome outcome = run({sample(), "--model"});
    QCOMPARE(outcome.ending(), QByteArray("exit 2"));
    QVERIFY2(outcome.err.contains("--yes"), outcome.text());
  }

  /// Two chips, one model: the kernels give the numbers of the processor's functions.
  void deviceGivesTheSameNumbers() {
    const QString device = m_folder.filePath(QStringLiteral("device")),
                  processor = m_folder.filePath(QStringLiteral("processor"));
    Outcome outcome = run(
        {BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-opencl.so", "--model", "--yes", "--input", "x=ones", "--json"});
    if (outcome.out.contains("RUN-NO-D")) QSKIP("no OpenCL device");
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto there = parseJson(outcome.out);
    outcome = run({sample(), "--model", "--yes", "--input", "x=ones", "--json"});
    const auto here = parseJson(outcome.out);
    QVERIFY(there && here);
    const std::vector<std::string> largest = {"functions", "0", "outputs", "0", "statistics", "max"};
    const double difference = realAt(*there, largest) - realAt(*here, largest);
    QVERIFY2(std::abs(difference) < 1e-5, outcome.out);
  }

  /// conv2d and relu, matmul and add are one kernel each for OpenCL: the values are those of the second function.
  void differentlyFusedBuildsAreCompared() {
    const QString opencl = QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-opencl.so");
    Outcome outcome = run({opencl, "--model", "--yes", "--json", "--compare", sample()});
    if (outcome.out.contains("RUN-NO-D")) QSKIP("no OpenCL device");
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto report = parseJson(outcome.out);
    QVERIFY(report);
    QByteArray pairs;
    for (const json::Value& node : listAt(*report, {"nodes"}))
      pairs += QByteArray::number(static_cast<qlonglong>(numberAt(node, {"comparison", "reference"}))) + ' ' +
               QByteArray::fromStdString(stringAt(node, {"comparison", "by"})) + ' ';
    QCOMPARE(pairs, QByteArray("1 values 2 name 5 values 6 name "));
    QCOMPARE(stringAt(*report, {"nodes", "2", "kernels", "0"}), std::string("fused_matmul_add_kernel"));
    QCOMPARE(realAt(*report, {"nodes", "2", "flop"}), 2.0 * 5 * 4);
    // Here, no difference is too small: fused kernels round in another order.
    outcome = run({opencl, "--model", "--yes", "--compare", sample(), "--tolerance", "0,0"});
    QVERIFY2(outcome.exit == 1 && outcome.out.contains("first difference: node 0 fused_conv2d_relu\n"), outcome.text());
    QVERIFY2(outcome.out.contains("compared with node 1 relu: the builds fused operators differently\n"),
             outcome.text());
  }

private:
  /// NaN when there is no number with a fraction.
  static double realAt(const json::Value& value, const std::vector<std::string>& path) {
    const json::Value* const found = at(value, path);
    const double* const number = found ? std::get_if<double>(&found->data) : nullptr;
    return number ? *number : std::nan("");
  }
  static QString sample() { return QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so"); }
  Outcome run(const QStringList& arguments, const QString& verb = QStringLiteral("run")) const {
    return runCli(m_folder.path(), (verb.isEmpty() ? QStringList() : QStringList{verb}) + arguments);
  }
  QTemporaryDir m_folder;
};

} // namespace blobscope::test

using blobscope::test::TestModels;
BLOBSCOPE_TEST(TestModels);
#include "test_models.moc"
