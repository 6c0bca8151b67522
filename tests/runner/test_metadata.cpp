#include "core/run/metadata.h"

#include "core/base/digest.h"
#include "core/library/open.h"
#include "tests/core/payloads/payload_check.h"
#include "tests/runner/fixture.h"
#include "tests/runner/metadata_library.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// The metadata of all functions of the library at `path`, which the user has agreed to run.
Result<std::vector<run::FunctionMetadata>> readAll(const std::filesystem::path& path, uint32_t runMs) {
  NullMonitor monitor;
  BLOBSCOPE_TRY(package, library::openPrivate(path, monitor, {}));
  run::RunOptions options;
  options.runner = BLOBSCOPE_TEST_RUNNER;
  options.limits.runMs = runMs;
  options.agreed = {*computeSha256(package->bytes, monitor), path.native()};
  return run::readMetadata(package, options, monitor);
}

} // namespace

class TestMetadataGetters : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyEndOfAGetterIsReported();
  void crashWhileLoadingIsOneError();
  void corpusSignaturesAreRead_data();
  void corpusSignaturesAreRead();
  void readingNeedsConsent();
  void schemasBecomeSignatures_data();
  void schemasBecomeSignatures();
};

void TestMetadataGetters::everyEndOfAGetterIsReported() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  const QTemporaryDir folder;
  const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "lib.so";
  const QString said = compileLibrary(path, kMetadata);
  QVERIFY2(said.isEmpty(), qPrintable(said));
  const auto read = readAll(path, 1'000);
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
  std::map<std::string, run::FunctionMetadata> by;
  for (const run::FunctionMetadata& one : *read) by[one.name] = one;
  QCOMPARE(by.size(), std::size_t{9});
  QCOMPARE(by["add"].signature, std::string("(float) -> int"));
  QCOMPARE(by["add"].doc, std::string("Sum"));
  QVERIFY(by["add"].fine());
  QVERIFY2(by["fails"].message.find("ValueError: no types") != std::string::npos, by["fails"].message.c_str());
  QVERIFY2(by["crashes"].message.find("SIGSEGV") != std::string::npos, by["crashes"].message.c_str());
  QVERIFY(by["crashes"].status == run::Status::Crashed);
  QVERIFY2(by["empty"].message.find("did not return a text") != std::string::npos, by["empty"].message.c_str());
  QVERIFY(!by["broken"].fine() && by["broken"].signature.empty());
  QVERIFY2(by["loops"].status == run::Status::Timeout, by["loops"].message.c_str());
  QVERIFY2(by["throws"].message.find("SIGABRT") != std::string::npos, by["throws"].message.c_str());
  QCOMPARE(by["long"].doc, QByteArray("a\xc3\xb6").repeated(10'000).toStdString());
  QCOMPARE(by["last"].signature, std::string("() -> None"));
  QCOMPARE(run::signaturesOf(*read).size(), std::size_t{3});
}

/// One error, not one per function.
void TestMetadataGetters::crashWhileLoadingIsOneError() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  const QTemporaryDir folder;
  const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "lib.so";
  QVERIFY(compileLibrary(path, kMetadata, {"DIES_WHILE_LOADING"}).isEmpty());
  const auto read = readAll(path, 1'000);
  QVERIFY(!read.hasValue());
  QCOMPARE(read.error().id(), DiagnosticId::RunCrash);
}

void TestMetadataGetters::corpusSignaturesAreRead_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<int>("signatures");
  QTest::addColumn<QString>("function");
  QTest::addColumn<QString>("line");
  QTest::newRow("compiled C++") << "ffi-signatures.so" << 23 << "table"
                                << "(ffi.Array<ffi.String>) -> ffi.Map<ffi.String, ffi.Array<float>>";
  QTest::newRow("with the CUDA runtime") << "ffi-cubin.so" << 2 << "scale" << "(DLTensor*, DLTensor*, float) -> None";
}

void TestMetadataGetters::corpusSignaturesAreRead() {
  QFETCH(QString, file);
  QFETCH(int, signatures);
  QFETCH(QString, function);
  QFETCH(QString, line);
  const auto path = corpusLibrary(qPrintable(file));
  if (!path) QSKIP("corpus absent: set BLOBSCOPE_CORPUS to a folder with real libraries");
  const auto read = readAll(*path, 10'000);
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
  auto found = run::signaturesOf(*read);
  QCOMPARE(int(found.size()), signatures);
  QCOMPARE(QString::fromStdString(found[function.toStdString()]), line);
}

void TestMetadataGetters::readingNeedsConsent() {
  NullMonitor monitor;
  if (!canCompile()) QSKIP("no C compiler: cc");
  const QTemporaryDir folder;
  const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "lib.so";
  QVERIFY(compileLibrary(path, kMetadata).isEmpty());
  const auto package = library::openPrivate(path, monitor, {});
  QVERIFY(package.hasValue());
  const auto read = run::readMetadata(*package, {}, monitor);
  QVERIFY(!read.hasValue() && read.error().id() == DiagnosticId::RunConsent);
}

void TestMetadataGetters::schemasBecomeSignatures_data() {
  QTest::addColumn<QString>("schema");
  QTest::addColumn<QString>("line");
  QTest::newRow("0.1.15")
      << R"({"type":"ffi.Function","named_args":{"return":[{"type":"None"}],"params":[{"type":"int"}]}})"
      << "(int) -> None";
  QTest::newRow("nested") << R"({"type":"ffi.Function","args":[{"type":"ffi.Array","args":[{"type":"int"}]}]})"
                          << "() -> ffi.Array<int>";
  QTest::newRow("no result") << R"({"type":"ffi.Function","args":[]})" << "";
  QTest::newRow("not an object") << "[]" << "";
  QTest::newRow("type that is a number") << R"({"type":"ffi.Function","args":[{"type":1}]})" << "";
  QTest::newRow("deep") << QString(R"({"type":"ffi.Function","args":[)") +
                               QString(R"({"type":"A","args":[)").repeated(50) + QString("]}").repeated(51)
                        << "";
}

void TestMetadataGetters::schemasBecomeSignatures() {
  QFETCH(QString, schema);
  QFETCH(QString, line);
  const std::string text = "{\"type_schema\":\"" + schema.replace("\"", "\\\"").toStdString() + "\"}";
  const auto read = run::signatureLine(text);
  QCOMPARE(read.hasValue(), !line.isEmpty());
  if (read) QCOMPARE(*read, line.toStdString());
}

BLOBSCOPE_TEST(TestMetadataGetters);
#include "test_metadata.moc"
