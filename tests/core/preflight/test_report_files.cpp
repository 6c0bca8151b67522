#include "core/preflight/report_files.h"

#include "core/base/json.h"
#include "tests/core/preflight/report_example.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string csvOf(const preflight::FilesReport& report) {
  std::string out;
  preflight::writeCsv(report, [&](std::string_view text) { out += text; });
  return out;
}

json::Value sarifOf(const preflight::FilesReport& report) {
  std::string out;
  preflight::writeSarif(report, "1.2.3", [&](std::string_view text) { out += text; });
  auto parsed = json::parse(bytes(out));
  if (!parsed) qFatal("not JSON: %s", out.c_str());
  return parsed->find("runs")->items().front();
}

const std::string& textOf(const json::Value& value, const char* name) { return value.find(name)->find("text")->text(); }

} // namespace

/// The results for many files as CSV and SARIF.
class TestReportFiles : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void csvHasALinePerFileAndTarget();
  void csvValuesAreQuoted_data();
  void csvValuesAreQuoted();
  void sarifNamesFilesTargetsAndRules();
  void emptyReportsAreWritten();
};

void TestReportFiles::csvHasALinePerFileAndTarget() {
  QCOMPARE(csvOf(filesExample()),
           std::string(
               "file,size,era,target,device,verdict,step,rule,message\r\n"
               "gemma.so,3000000,B1,\"v0.18.0+cuda,opencl\",,loads,8,PRE-ARGS,"
               "\"Check failed: (args.size() == 19), \"\"why\"\"\"\r\n"
               "gemma.so,3000000,B1,v0.19.0,,loads,,,\r\n"
               "gemma.so,3000000,B1,/opt/MLCChat.apk,vulkan,fails,5,PRE-LOADER,no loader for modules of kind 'cuda'\r\n"
               "sub/phi.so,250000,B1,v0.18.0,,loads,,,\r\n"
               "sub/phi.so,250000,B1,v0.19.0,,loads,,,\r\n"
               "sub/phi.so,250000,B1,/opt/MLCChat.apk,vulkan,loads,,,\r\n"
               "old.wasm,1000,B1,v0.18.0,,loads-without-modules,4,,\r\n"
               "old.wasm,1000,B1,v0.19.0,,loads,3,PRE-SLOT,v0.19.0 does not fill the slot '__A'\r\n"
               "old.wasm,1000,B1,/opt/MLCChat.apk,vulkan,unknown,,,\r\n"
               "zlib.so,90000,,,,,,,not a library of TVM\r\n"
               "'=cut.so,12,,,,,,,the file ends after 12 bytes\r\n"));
}

void TestReportFiles::csvValuesAreQuoted_data() {
  QTest::addColumn<std::string>("name");
  QTest::addColumn<std::string>("value");
  const auto row = [](const char* name, const char* value) {
    QTest::newRow(name) << std::string(name) << std::string(value);
  };
  row("a.so", "a.so");
  row("a b.so", "a b.so");
  row("a,b.so", "\"a,b.so\"");
  row("a\"b.so", "\"a\"\"b.so\"");
  row("a\nb.so", "\"a\nb.so\"");
  row("=1+1", "'=1+1");
  row("+a,b", "\"'+a,b\"");
  row("-a", "'-a");
  row("@a", "'@a");
  row("\ta", "'\ta");
}

void TestReportFiles::csvValuesAreQuoted() {
  QFETCH(const std::string, name);
  QFETCH(const std::string, value);
  preflight::FilesReport report;
  report.files.emplace_back().path = name;
  const std::string text = csvOf(report);
  QCOMPARE(text.substr(text.find("\r\n") + 2), value + ",0,,,,,,,not a library of TVM\r\n");
}

void TestReportFiles::sarifNamesFilesTargetsAndRules() {
  const json::Value run = sarifOf(filesExample());
  const auto& results = run.find("results")->items();
  QCOMPARE(results.size(), std::size_t{4});
  QCOMPARE(results[0].find("ruleId")->text(), std::string("PRE-ARGS"));
  QCOMPARE(results[0].find("level")->text(), std::string("error"));
  QCOMPARE(textOf(results[0], "message"),
           std::string("v0.18.0+cuda,opencl: 'vm.builtin.create' is called with 23 arguments: Check failed: "
                       "(args.size() == 19), \"why\""));
  QVERIFY(textOf(results[1], "message").starts_with("/opt/MLCChat.apk on vulkan: no loader"));
  QCOMPARE(results[2].find("ruleId")->text(), std::string("PRE-SLOT"));
  QCOMPARE(results[3].find("level")->text(), std::string("note")); // not certain
  // Each result names its file.
  const auto& artifacts = run.find("artifacts")->items();
  QCOMPARE(artifacts.size(), std::size_t{5});
  const auto uriOf = [&](const json::Value& result) {
    const json::Value& place =
        *result.find("locations")->items().front().find("physicalLocation")->find("artifactLocation");
    const std::string& uri = artifacts[place.find("index")->number()].find("location")->find("uri")->text();
    return uri == place.find("uri")->text() ? uri : std::string();
  };
  QCOMPARE(uriOf(results[0]), std::string("gemma.so"));
  QCOMPARE(uriOf(results[2]), std::string("old.wasm"));
  const auto& rules = run.find("tool")->find("driver")->find("rules")->items();
  QCOMPARE(rules.size(), std::size_t{4});
  for (const json::Value& result : results)
    QCOMPARE(rules[result.find("ruleIndex")->number()].find("id")->text(), result.find("ruleId")->text());
  // The file that cannot be read.
  const json::Value& invocation = run.find("invocations")->items().front();
  QVERIFY(!std::get<bool>(invocation.find("executionSuccessful")->data));
  const auto& notifications = invocation.find("toolExecutionNotifications")->items();
  QCOMPARE(notifications.size(), std::size_t{1});
  QCOMPARE(textOf(notifications[0], "message"), std::string("the file ends after 12 bytes"));
  QCOMPARE(uriOf(notifications[0]), std::string("%3Dcut.so"));
}

void TestReportFiles::emptyReportsAreWritten() {
  QCOMPARE(csvOf({}), std::string("file,size,era,target,device,verdict,step,rule,message\r\n"));
  const json::Value run = sarifOf({});
  QVERIFY(run.find("results")->items().empty());
  QVERIFY(!run.find("invocations"));
}

BLOBSCOPE_TEST(TestReportFiles);

#include "test_report_files.moc"
