#include "core/run/metadata.h"

#include "core/base/digest.h"
#include "core/library/open.h"
#include "tests/runner/fixture.h"
#include "tests/runner/metadata_library.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

class TestMetadata : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyWayToEnd();
  void needsConsent();
  void signatures_data();
  void signatures();
};

void TestMetadata::everyWayToEnd() {
  if (!canCompile()) QSKIP("no C compiler: cc");
  const QTemporaryDir folder;
  const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "lib.so";
  const QString said = compileLibrary(path, kMetadata);
  QVERIFY2(said.isEmpty(), qPrintable(said));
  NullMonitor monitor;
  const auto package = library::openPrivate(path, monitor, {});
  QVERIFY(package.hasValue());
  run::RunOptions options;
  options.runner = BLOBSCOPE_TEST_RUNNER;
  options.limits.runMs = 1'000;
  options.agreed = {*computeSha256((*package)->bytes, monitor), path.native()};
  const auto read = run::readMetadata(*package, options, monitor);
  QVERIFY2(read.hasValue(), read ? "" : read.error().message().c_str());
  std::map<std::string, run::FunctionMetadata> by;
  for (const run::FunctionMetadata& one : *read) by[one.name] = one;
  QCOMPARE(by.size(), std::size_t{7});
  QCOMPARE(by["add"].signature, std::string("(float) -> int"));
  QCOMPARE(by["add"].doc, std::string("Sum"));
  QVERIFY(by["add"].fine());
  QVERIFY2(by["fails"].message.find("ValueError: no types") != std::string::npos, by["fails"].message.c_str());
  QVERIFY2(by["crashes"].message.find("SIGSEGV") != std::string::npos, by["crashes"].message.c_str());
  QVERIFY(by["crashes"].status == run::Status::Crashed);
  QVERIFY2(by["empty"].message.find("no text") != std::string::npos, by["empty"].message.c_str());
  QVERIFY(!by["broken"].fine() && by["broken"].signature.empty());
  QVERIFY2(by["loops"].status == run::Status::Timeout, by["loops"].message.c_str());
  QCOMPARE(by["last"].signature, std::string("() -> None"));
  QCOMPARE(run::signaturesOf(*read).size(), std::size_t{2});
}

void TestMetadata::needsConsent() {
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

void TestMetadata::signatures_data() {
  QTest::addColumn<QString>("schema");
  QTest::addColumn<QString>("line");
  QTest::newRow("0.1.15")
      << R"({"type":"ffi.Function","named_args":{"return":[{"type":"None"}],"params":[{"type":"int"}]}})"
      << "(int) -> None";
  QTest::newRow("nested") << R"({"type":"ffi.Function","args":[{"type":"ffi.Array","args":[{"type":"int"}]}]})"
                          << "() -> ffi.Array<int>";
  QTest::newRow("no result") << R"({"type":"ffi.Function","args":[]})" << "";
  QTest::newRow("no object") << "[]" << "";
  QTest::newRow("type that is a number") << R"({"type":"ffi.Function","args":[{"type":1}]})" << "";
  QTest::newRow("deep") << QString(R"({"type":"ffi.Function","args":[)") +
                               QString(R"({"type":"A","args":[)").repeated(50) + QString("]}").repeated(51)
                        << "";
}

void TestMetadata::signatures() {
  QFETCH(QString, schema);
  QFETCH(QString, line);
  const std::string text = "{\"type_schema\":\"" + schema.replace("\"", "\\\"").toStdString() + "\"}";
  const auto read = run::signatureLine(text);
  QCOMPARE(read.hasValue(), !line.isEmpty());
  if (read) QCOMPARE(*read, line.toStdString());
}

BLOBSCOPE_TEST(TestMetadata);
#include "test_metadata.moc"
