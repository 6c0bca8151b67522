#include "core/base/json.h"
#include "core/targets/facts.h"
#include "tests/core/base/files.h"
#include "tests/core/targets/facts.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QRegularExpression>
#include <algorithm>
#include <array>

using namespace blobscope;
using namespace blobscope::test;
using targets::Facts;

namespace {

std::string tableText(const char* name) {
  return readFile(std::filesystem::path(BLOBSCOPE_SOURCE_DIR) / "resources" / "facts" / name);
}

/// The table with a date after that of the built-in one, and one text replaced.
std::string changedTable(const char* name, const std::string& from, const std::string& to) {
  std::string text = tableText(name);
  const std::size_t date = text.find("\"date\": \"") + 9;
  text.replace(date, 10, "2999-01-01");
  const std::size_t at = text.find(from);
  if (at == std::string::npos) qFatal("'%s' is not in the table", from.c_str());
  return text.replace(at, from.size(), to);
}

/// A table as it is in the sources.
json::Value tableValue(const char* name) {
  auto parsed = json::parse(Bytes::copyOf(tableText(name)));
  if (!parsed) qFatal("%s", parsed.error().message().c_str());
  return std::move(*parsed);
}

/// Whether a source names a file of a public repository at a commit, a file of a package with its version, or a page
/// with its version.
bool isSource(const json::Value& source) {
  const auto matches = [&](const char* member, const char* pattern) {
    const json::Value* const value = source.find(member);
    return value && value->isString() &&
           QRegularExpression(QRegularExpression::anchoredPattern(pattern))
               .match(QString::fromStdString(value->text()))
               .hasMatch();
  };
  const std::size_t members = source.object() ? source.object()->size() : 0;
  if (members == 2) return matches("page", "https://[^ ]+") && matches("version", "[^ ].*");
  if (members != 3 || !matches("path", "[^ /][^ ]*")) return false;
  return (matches("repository", "[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+") && matches("version", "[0-9a-f]{12,40}")) ||
         (matches("package", "[a-z0-9-]+") && matches("version", "[0-9][0-9a-z.]*"));
}

/// The error for a folder with that table; empty when it is accepted.
QString errorWith(const char* name, const std::string& text) {
  const QTemporaryDir folder;
  writeFile(in(folder, name), text);
  auto facts = Facts::load(folder.path().toStdString());
  if (facts) return {};
  const std::string message = facts.error().message();
  return QString::fromStdString(message).remove(folder.path() + '/');
}

} // namespace

/// The tables in resources/facts: that they load, that damaged ones are refused, and newer ones replace them.
class TestFacts : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everyReleaseIsListed();
  void releasesAreFoundByTheirNames_data();
  void releasesAreFoundByTheirNames();
  void gpusAndCudaAreListed();
  void gpusAndCudaStateTheirSources();
  void versionsOfFfiFitTheirRuntimes();
  void boardsAreFoundByTheirNames();
  void boardsStateTheirSources();
  void sourcesAreShownAsOneLine_data();
  void sourcesAreShownAsOneLine();
  void boardsLikeAName_data();
  void boardsLikeAName();
  void tablesNameTheirSources_data();
  void tablesNameTheirSources();
  void newerTablesReplaceBuiltInOnes();
  void olderTablesAreIgnored();
  void damagedTablesAreRefused_data();
  void damagedTablesAreRefused();
};

void TestFacts::everyReleaseIsListed() {
  const auto facts = builtInFacts();
  QStringList names;
  for (const targets::Release& release : facts->releases()) names += QString::fromStdString(release.name);
  QCOMPARE(names.join(' '),
           QStringLiteral("v0.6.1 v0.7.0 v0.8.0 v0.9.0 v0.10.0 v0.11.0 v0.11.1 v0.12.0 v0.13.0 v0.14.0 "
                          "v0.15.0 v0.16.0 v0.17.0 v0.18.0 v0.19.0 v0.20.0 v0.21.0 v0.22.0 v0.23.0 "
                          "v0.24.0 v0.25.0 v0.26.0 v0.27.0 tirx-0.1.0a4"));
  QCOMPARE(facts->newestRelease(), 22u);
  QCOMPARE(facts->releases()[22].label, std::string("v0.27"));
  QCOMPARE(facts->releases()[23].label, std::string("tirx 0.1.0a4"));
}

void TestFacts::releasesAreFoundByTheirNames_data() {
  QTest::addColumn<int>("release");
  const std::pair<const char*, int> rows[] = {{"v0.27", 22},
                                              {"0.27", 22},
                                              {"v0.27.0", 22},
                                              {"0.27.0.post1", 22},
                                              {"v0.6.1", 0},
                                              {"0.6.0", 0},
                                              {"v0.11.1", 6},
                                              {"v0.11", 5},
                                              {"v0.11.0", 5},
                                              {"tirx", 23},
                                              {"tirx-0.1.0a4", 23},
                                              {"v0.5", -1},
                                              {"", -1},
                                              {"0.27.1", -1},
                                              {"0.2", -1},
                                              {"v", -1},
                                              {"tirx-0.2", -1},
                                              {"0.27.0.post", -1},
                                              {"vtirx", -1},
                                              {"0.28", -1},
                                              {"tirx 0.1.0a4", 23}};
  for (const auto& [name, release] : rows) QTest::newRow(*name ? name : "empty") << release;
}

void TestFacts::releasesAreFoundByTheirNames() {
  QFETCH(int, release);
  const std::string name = QTest::currentDataTag();
  const auto found = builtInFacts()->findRelease(name == "empty" ? "" : name);
  QCOMPARE(found ? static_cast<int>(*found) : -1, release);
}

void TestFacts::gpusAndCudaAreListed() {
  const auto facts = builtInFacts();
  QCOMPARE(facts->gpus().front().name, std::string("sm_50"));
  QCOMPARE(facts->gpus().back().name, std::string("sm_121"));
  const targets::GpuArchitecture* const hopper = facts->findGpu("sm_90");
  QVERIFY(hopper);
  QCOMPARE(hopper->title, std::string("Hopper"));
  QCOMPARE(hopper->sharedPerBlock, 232448u);
  QCOMPARE(hopper->sm, 90u);
  QVERIFY(!hopper->tegra);
  QVERIFY(facts->findGpu("sm_87")->tegra && facts->findGpu("sm_88")->tegra);
  const targets::GpuArchitecture* const newest = facts->findGpu("sm_107");
  QVERIFY(newest && newest->example.empty());
  QCOMPARE(newest->family + ' ' + std::to_string(newest->minDriver), std::string("sm_100f 615"));
  QCOMPARE(newest->sharedPerBlock, 0u); // not known
  QCOMPARE(facts->findGpu("sm_101"), facts->findGpu("sm_110"));
  QVERIFY(!facts->findGpu("sm_99"));
  QVERIFY(!facts->findGpu(""));
  const auto& cuda = facts->cudaReleases();
  const auto found = std::ranges::find(cuda, "12.8", &targets::CudaRelease::version);
  QVERIFY(found != cuda.end());
  QCOMPARE(found->ptx, 87u);
  QCOMPARE(found->driver, 570u);
  QCOMPARE(facts->oldestPtx("sm_90a").value_or(0), 80u);
  QCOMPARE(facts->oldestPtx("sm_120f").value_or(0), 88u);
  QCOMPARE(facts->oldestPtx("sm_88").value_or(0), 90u);
  for (const char* const target : {"sm_107", "sm_107a", "sm_107f"}) QCOMPARE(facts->oldestPtx(target).value_or(0), 94u);
  QVERIFY(!facts->oldestPtx("sm_1") && !facts->oldestPtx("sm_90f"));
}

void TestFacts::gpusAndCudaStateTheirSources() {
  const json::Value table = tableValue("gpus.json");
  const json::Value* const origins = table.find("origins");
  QVERIFY(origins && origins->object());
  for (const auto& [name, origin] : *origins->object()) QVERIFY2(isSource(origin), std::string(name).c_str());
  const auto check = [&](const json::Value* sources, const std::string& row) {
    QVERIFY2(sources && !sources->items().empty(), row.c_str());
    for (const json::Value& source : sources->items())
      QVERIFY2(origins->find(source.text()), (row + ": " + source.text()).c_str());
  };
  for (const json::Value& row : table.find("architectures")->items())
    check(row.find("sources"), row.find("name")->text());
  for (const json::Value& row : table.find("cuda")->items()) check(row.find("sources"), row.find("version")->text());
  check(table.find("targets_sources"), "targets");
}

void TestFacts::versionsOfFfiFitTheirRuntimes() {
  const auto facts = builtInFacts();
  QCOMPARE(facts->ffiReleases().front(), std::string("0.1.0"));
  const auto& fits = facts->ffiFits();
  const auto fit = std::ranges::find(fits, std::size_t{20}, &targets::FfiFit::release);
  QVERIFY(fit != fits.end());
  QCOMPARE(fit->declared + ' ' + fit->first + ' ' + fit->last, std::string("0.1.12 0.1.12 0.1.12"));
}

void TestFacts::boardsAreFoundByTheirNames() {
  const auto facts = builtInFacts();
  QVERIFY(facts->boards().size() >= 25);
  for (const targets::Board& board : facts->boards()) {
    QCOMPARE(facts->findBoard(board.name), &board);
    QVERIFY2(board.ram % 1024 == 0 && board.flash % 1024 == 0, board.name.c_str());
    QVERIFY2(!board.chip.empty() && !board.source.empty(), board.name.c_str());
    constexpr std::array kProcessors = {"arm", "avr", "riscv32", "xtensa"};
    QVERIFY2(std::ranges::find(kProcessors, board.processor) != kProcessors.end(), board.name.c_str());
  }
  // As in dts/arm/st/l4/stm32l4r5.dtsi and boards/raspberrypi/rpi_pico/rpi_pico.yaml of Zephyr.
  const targets::Board* const nucleo = facts->findBoard("nucleo l4r5zi");
  QVERIFY(nucleo);
  QCOMPARE(nucleo->name + ' ' + nucleo->chip, std::string("NUCLEO-L4R5ZI STM32L4R5ZI"));
  QCOMPARE(nucleo->ram, uint64_t{640 * 1024});
  QCOMPARE(nucleo->flash, uint64_t{2 * 1024 * 1024});
  QCOMPARE(facts->findBoard("raspberry-pi-pico")->ram, uint64_t{264 * 1024});
  QVERIFY(!facts->findBoard("NUCLEO"));
  QVERIFY(!facts->findBoard(""));
}

void TestFacts::boardsStateTheirSources() {
  const json::Value table = tableValue("boards.json");
  QVERIFY(!table.find("boards")->items().empty());
  for (const json::Value& row : table.find("boards")->items()) {
    const std::string& name = row.find("name")->text();
    const json::Value* const sources = row.find("sources");
    QVERIFY2(sources && !sources->items().empty(), name.c_str());
    for (const json::Value& source : sources->items()) QVERIFY2(isSource(source), name.c_str());
  }
}

void TestFacts::sourcesAreShownAsOneLine_data() {
  QTest::addColumn<QString>("members"); // of the row, in place of its sources
  QTest::addColumn<QString>("expected");
  const char* const file = R"({"repository": "a/b", "path": "c/d.dtsi", "version": "0123456789abcdef"})";
  QTest::newRow("file") << QStringLiteral("\"sources\": [%1]").arg(file) << "a/b, c/d.dtsi, 0123456789ab";
  QTest::newRow("note") << QStringLiteral("\"note\": \"96 and 32 KiB\", \"sources\": [%1]").arg(file)
                        << "a/b, c/d.dtsi, 0123456789ab; 96 and 32 KiB";
  QTest::newRow("two files") << QStringLiteral("\"sources\": [%1, %1]").arg(file)
                             << "a/b, c/d.dtsi, 0123456789ab; c/d.dtsi, 0123456789ab";
  QTest::newRow("file of a package") << R"("sources": [{"package": "p", "path": "include/x.h", "version": "13.3.5"}])"
                                     << "p, include/x.h, 13.3.5";
  QTest::newRow("page") << R"("sources": [{"page": "https://x.org/y", "version": "2"}])" << "https://x.org/y, 2";
  QTest::newRow("older table") << R"("source": "a data sheet")" << "a data sheet";
}

void TestFacts::sourcesAreShownAsOneLine() {
  QFETCH(QString, members);
  QFETCH(QString, expected);
  const QTemporaryDir folder;
  writeFile(
      in(folder, "boards.json"),
      R"({"date": "2999-01-01", "boards": [{"name": "B", "chip": "C", "processor": "arm", "ram": 1, "flash": 1, )" +
          members.toStdString() + "}]}");
  const auto facts = Facts::load(folder.path().toStdString());
  QVERIFY2(facts.hasValue(), facts ? "" : facts.error().message().c_str());
  QCOMPARE(QString::fromStdString((*facts)->findBoard("B")->source), expected);
}

void TestFacts::boardsLikeAName_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("first"); // of the names; empty when there is none
  QTest::newRow("beginning") << "nucleo-l4" << "NUCLEO-L4R5ZI";
  QTest::newRow("chip family") << "stm32f746" << "STM32F746G-DISCO";
  QTest::newRow("wrong letter") << "Rasberry Pi Pico" << "Raspberry Pi Pico";
  QTest::newRow("middle") << "nano 33" << "Arduino Nano 33 BLE";
  QTest::newRow("nothing in common") << "qqqq" << "";
  QTest::newRow("empty") << "" << "";
  QTest::newRow("only signs") << "--,," << "";
  QTest::newRow("very long") << QString(100'000, 'x') + "pico" << "";
}

void TestFacts::boardsLikeAName() {
  QFETCH(QString, name);
  QFETCH(QString, first);
  const std::vector<std::string> names = builtInFacts()->boardsLike(name.toStdString());
  QCOMPARE(names.empty() ? QString() : QString::fromStdString(names.front()), first);
  QVERIFY(names.size() <= 6);
}

void TestFacts::tablesNameTheirSources_data() {
  QTest::addColumn<int>("unused");
  for (const char* const name :
       {"runtimes.json", "functions.json", "arguments.json", "gpus.json", "ffi.json", "boards.json"})
    QTest::newRow(name) << 0;
}

void TestFacts::tablesNameTheirSources() {
  const std::string text = tableText(QTest::currentDataTag());
  const auto parsed = json::parse(Bytes::copyOf(text));
  QVERIFY(parsed.hasValue());
  QVERIFY(parsed.value().find("about")->text().size() > 50);
  QVERIFY(!parsed.value().find("sources")->items().empty());
  // The build puts them into literals of C++.
  QVERIFY(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
}

void TestFacts::newerTablesReplaceBuiltInOnes() {
  const QTemporaryDir folder;
  writeFile(in(folder, "gpus.json"), changedTable("gpus.json", "\"title\": \"Hopper\"", "\"title\": \"Changed\""));
  writeFile(in(folder, "other.json"), "not a table");
  const auto facts = Facts::load(folder.path().toStdString());
  QVERIFY2(facts.hasValue(), facts ? "" : facts.error().message().c_str());
  QCOMPARE((*facts)->findGpu("sm_90")->title, std::string("Changed"));
  QCOMPARE((*facts)->releases().size(), 24u);
  QVERIFY(Facts::load(folder.path().toStdString() + "/absent").hasValue());
}

void TestFacts::olderTablesAreIgnored() {
  const QTemporaryDir folder;
  std::string text = changedTable("gpus.json", "\"title\": \"Hopper\"", "\"title\": \"Changed\"");
  text.replace(text.find("2999-01-01"), 10, "2020-01-01");
  writeFile(in(folder, "gpus.json"), text);
  const auto facts = Facts::load(folder.path().toStdString());
  QVERIFY(facts.hasValue());
  QCOMPARE((*facts)->findGpu("sm_90")->title, std::string("Hopper"));
}

void TestFacts::damagedTablesAreRefused_data() {
  QTest::addColumn<QString>("table");
  QTest::addColumn<QString>("from");
  QTest::addColumn<QString>("to");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* table, const char* from, const char* to, const char* expected) {
    QTest::newRow(name) << QString(table) << QString(from) << QString(to) << QString(expected);
  };
  row("unknown release", "functions.json", "\"0.6..0.27\": [", "\"0.6..0.99\": [",
      "the table 'functions.json' cannot be used: at '/functions/always/0.6..0.99': '0.6..0.99' is not a range of "
      "releases; an example is 0.16..0.27");
  row("backward range", "functions.json", "\"0.6..0.27\": [", "\"0.27..0.6\": [",
      "at '/functions/always/0.27..0.6': '0.27..0.6' is not a range");
  row("ranges out of order", "functions.json", "\"0.6..0.27\": [", "\"0.16..0.27 0.6\": [",
      "at '/functions/always/0.16..0.27 0.6': its ranges are not in order");
  row("number for a range", "runtimes.json", "\"USE_RANDOM\": \"0.7..0.27\"", "\"USE_RANDOM\": 6",
      "at '/defaults/USE_RANDOM': it is not a text");
  row("number for a name", "functions.json", "\"__tvm_set_device\"", "6", ": it is not a text");
  row("names that are no list", "functions.json", "\"0.6\": [", "\"0.6\": \"a\", \"0.7\": [",
      "at '/functions/always/0.6': it is not an array");
  row("no date", "gpus.json", "\"date\"", "\"when\"", "the member 'date' is missing");
  row("bad date", "gpus.json", "2999-01-01", "tomorrow!!", "its date is not written as 2026-01-31");
  row("not JSON", "gpus.json", "\"architectures\": [", "\"architectures\": [[", "gpus.json");
  row("missing message", "runtimes.json", "\"VmMagic\"", "\"VmMagik\"", "the member 'VmMagic' is missing");
  row("machine", "runtimes.json", "\"machine\": \"relay\"", "\"machine\": \"relic\"",
      "at '/machines/0': its machine is neither relay nor relax");
  row("magic", "runtimes.json", "\"0xd225de2f4214151d\"", "\"d225\"", "at '/machines/0/magics/0'");
  row("minimum above maximum", "arguments.json", "\"min\": 5, \"max\": 5", "\"min\": 6, \"max\": 5",
      "its minimum is above its maximum");
  row("how it is known", "arguments.json", "\"by\": \"signature\"", "\"by\": \"guess\"",
      "'guess' is not signature, check or read");
  row("check without function", "arguments.json", "\"checks\": {\n  \"vm.", "\"checks\": {\n  \"nm.",
      "its function has no number of arguments");
  row("GPU", "gpus.json", "\"name\": \"sm_90\"", "\"name\": \"sm_80\"", "its name is not a new one such as sm_90");
  row("GPU with an unknown CUDA", "gpus.json", "\"cuda\": \"11.4\"", "\"cuda\": \"11.44\"",
      "at '/architectures/11': its version of CUDA is not in the table");
  row("CUDA out of order", "gpus.json", "\"ptx\": 90, \"driver\": 580", "\"ptx\": 70, \"driver\": 580",
      "it is not after the version before it");
  row("large number", "gpus.json", "\"ptx\": 90, \"driver\": 580", "\"ptx\": 90, \"driver\": 5800000",
      "it is too large");
  row("version of ffi", "ffi.json", "\"declares\": \"0.1.12\"", "\"declares\": \"9.9\"",
      "at '/fits/0.25': '9.9' is not a release of libtvm_ffi");
  row("board twice", "boards.json", "\"name\": \"Arduino Due\"", "\"name\": \"adafruit pybadge\"",
      "at '/boards/1': its name is empty or not new");
  row("board without name", "boards.json", "\"name\": \"Arduino Due\"", "\"name\": \"-\"",
      "its name is empty or not new");
  row("board without RAM", "boards.json", "\"ram\": 98304", "\"ram\": 0", "at '/boards/1': a size is 0");
  row("size as text", "boards.json", "\"flash\": 524288", "\"flash\": \"512 KiB\"",
      "at '/boards/0/flash': it is not a whole number");
  row("repository without owner", "boards.json", "\"repository\": \"adafruit/", "\"repository\": \"",
      "at '/boards/0/sources/0': its repository is not written as owner/name");
  row("no commit", "boards.json", "\"version\": \"04849ba04cd5", "\"version\": \"v04849ba04cd5",
      "at '/boards/0/sources/0': its version is not a commit of 12 to 40 digits");
  row("board without sources", "boards.json", "\"sources\": [\n     {", "\"sources\": [], \"others\": [{",
      "at '/boards/0/sources': it is empty");
  row("page that is none", "boards.json",
      "{\"repository\": ", "{\"page\": \"x\", \"repository\": ", "its page does not begin with https://");
  row("second release of a name", "runtimes.json", "\"name\": \"v0.7.0\"", "\"name\": \"v0.6.1\"",
      "at '/releases/1': its name is empty or not new");
}

void TestFacts::damagedTablesAreRefused() {
  QFETCH(QString, table);
  QFETCH(QString, from);
  QFETCH(QString, to);
  QFETCH(QString, expected);
  const QByteArray name = table.toUtf8();
  const QString error =
      errorWith(name.constData(), changedTable(name.constData(), from.toStdString(), to.toStdString()));
  QVERIFY2(error.contains(expected), qPrintable(error));
  QVERIFY2(error.contains(table), qPrintable(error));
}

BLOBSCOPE_TEST(TestFacts);
#include "test_facts.moc"
