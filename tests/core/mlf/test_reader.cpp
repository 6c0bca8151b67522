#include "core/check/sarif.h"
#include "core/mlf/reader.h"
#include "core/mlf/rules/checks.h"
#include "tests/core/mlf/reported.h"
#include "tests/support/test_main.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/container/archive/archive.h"

#include <QDir>
#include <QTemporaryDir>

#include <fstream>
#include <random>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

mlf::Model read(std::string_view tar) {
  NullMonitor monitor;
  mlf::Findings findings;
  auto model = mlf::readModel(bytes(tar), findings, monitor);
  return model ? std::move(*model) : mlf::Model();
}

std::string names(const std::vector<const mlf::File*>& files) {
  std::string out;
  for (const mlf::File* file : files) out += (out.empty() ? "" : " ") + std::string(mlf::baseName(file->path));
  return out;
}

std::string paxRecord(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

} // namespace

class TestMlfReader : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void modulesOfEveryVersionAreRead_data();
  void modulesOfEveryVersionAreRead();
  void filesBelongToTheLongestModuleName();
  void generatedFileNamesAreParsed();
  void useOfTheCRuntimeIsRecognised();
  void unsafeEntriesAreNotFiles();
  void longNamesAreRead();
  void compressedArchivesAreReported();
  void compressedFilesAreJudgedByTheRules();
  void projectIsCheckedAsItsArchive();
  void everyKindOfFileCanBeChecked();
  void filesThatDoNotOpenAreChecked();
  void sarifListsEveryFinding();
  void checksCanBeCancelled();
  void damagedArchivesAreSafeUnderSanitizers_data();
  void damagedArchivesAreSafeUnderSanitizers();
  void corpusArchivesHaveTheKnownFindings();
};

void TestMlfReader::modulesOfEveryVersionAreRead_data() {
  QTest::addColumn<unsigned>("version");
  QTest::addColumn<int>("style");
  for (const MlfVariant& variant : mlfVariants())
    QTest::newRow(variant.title().c_str()) << variant.version << static_cast<int>(variant.style);
}
void TestMlfReader::modulesOfEveryVersionAreRead() {
  QFETCH(unsigned, version);
  QFETCH(int, style);
  const auto wanted = static_cast<MlfStyle>(style);
  const mlf::Model model = read(cleanMlf(version, wanted, "MyNet").tar());
  QCOMPARE(model.version, version);
  QCOMPARE(static_cast<int>(model.container.kind), static_cast<int>(mlf::ArchiveKind::Mlf));
  QCOMPARE(model.modules.size(), std::size_t{1});
  const mlf::ModelModule& module = model.modules.front();
  QCOMPARE(module.name, "MyNet"s);
  QCOMPARE(module.pointer, version == 7 && wanted != MlfStyle::Operator ? "/modules/MyNet"s : ""s);
  QCOMPARE(module.isOperator, wanted == MlfStyle::Operator);
  QVERIFY(module.executor == (wanted == MlfStyle::Graph ? mlf::Executor::Graph
                              : wanted == MlfStyle::Aot ? mlf::Executor::Aot
                                                        : mlf::Executor::None));
  QCOMPARE(module.targets, std::vector<std::string>{"c -keys=cpu "});
  QCOMPARE(module.graph != nullptr, wanted == MlfStyle::Graph);
  QCOMPARE(module.parameters != nullptr, wanted != MlfStyle::Operator);
  QCOMPARE(module.header != nullptr, wanted == MlfStyle::Aot && version >= 5);
  QCOMPARE(module.sources.size(), wanted == MlfStyle::Operator ? std::size_t{1} : std::size_t{2});
  QVERIFY(module.memory() && module.memoryPointer() == module.pointer + "/memory");
  // Pointers stay valid after the model was moved here.
  QVERIFY(module.metadata->find("model_name"));
  if (module.graph) QCOMPARE(model.find(module.graph->path), module.graph);
}

/// A file belongs to the longest module name that fits.
void TestMlfReader::filesBelongToTheLongestModuleName() {
  const mlf::Model model = read(cleanMlfOfTwo("net", "net_lib0").tar());
  QCOMPARE(model.modules.size(), std::size_t{2});
  QCOMPARE(names(model.modules[0].sources), "net_lib0.c net_lib1.c"s);
  QCOMPARE(names(model.modules[1].sources), "net_lib0_lib0.c net_lib0_lib1.c"s);
  QVERIFY(!model.modules[0].header && model.modules[1].header);
  QVERIFY(model.hasFolder("runtime") && model.hasFolder("runtime/include") && !model.hasFolder("run") &&
          !model.hasFolder("metadata.json"));
  QVERIFY(!model.find("./metadata.json") && !model.find("runtime"));
}

void TestMlfReader::generatedFileNamesAreParsed() {
  const auto parts = [](std::string_view name) {
    const auto found = mlf::parseGeneratedName(name);
    return found ? std::string(found->model) + "|" + std::to_string(found->number) + "|" + std::string(found->extension)
                 : std::string("-");
  };
  QCOMPARE(parts("default_lib0.c"), "default|0|c"s);
  QCOMPARE(parts("net_lib0_lib12.cpp"), "net_lib0|12|cpp"s);
  QCOMPARE(parts("lib3.o"), "|3|o"s);
  for (const char* name : {"lib.c", "default_lib.c", "defaultlib0.c", "_lib0.c", "default_lib01.c", "default_lib0",
                           "default_lib0.", "0.c", "", "b0.c", "default_lib9999999999999999999.c"})
    QCOMPARE(parts(name), "-"s);
}

void TestMlfReader::useOfTheCRuntimeIsRecognised() {
  QVERIFY(read(cleanMlf(5, MlfStyle::Graph).tar()).usesCRuntime);
  QVERIFY(read(cleanMlf(7, MlfStyle::Aot).tar()).usesCRuntime);
  QVERIFY(!read(cleanMlf(7, MlfStyle::Operator).tar()).usesCRuntime);
  QVERIFY(!read(cleanMlf(5, MlfStyle::Aot).tar()).usesCRuntime);
  QVERIFY(read(cleanMlf(5, MlfStyle::Aot).meta("-keys=cpu ", "-keys=cpu -runtime=c").tar()).usesCRuntime);
  QVERIFY(!read(cleanMlf(5, MlfStyle::Aot).meta("-keys=cpu ", "-keys=cpu -runtime=c++").tar()).usesCRuntime);
}

void TestMlfReader::unsafeEntriesAreNotFiles() {
  Mlf mlf = cleanMlf(7, MlfStyle::Graph);
  mlf.members.push_back({"./x/../y", "unsafe"});
  mlf.members.push_back({"src/default.relay", "newer"});
  const mlf::Model model = read(mlf.tar());
  const mlf::TarEntry& root = model.container.entries.front();
  QVERIFY(root.path.empty() && root.stored == "./" && root.type == mlf::TarEntry::Type::Folder && root.mode == 0700 &&
          root.changed == 1'659'355'200);
  QVERIFY(!model.container.entries[model.container.entries.size() - 2].safe);
  QVERIFY(std::is_sorted(model.files.begin(), model.files.end(),
                         [](const auto& a, const auto& b) { return a.path < b.path; }));
  for (const mlf::File& file : model.files)
    QVERIFY(file.path.find("..") == std::string::npos && file.bytes.offset() == 0);
  QCOMPARE(std::string(model.find("src/default.relay")->bytes.view()), "newer"s); // the content after extraction
}

/// Names and sizes in separate headers.
void TestMlfReader::longNamesAreRead() {
  const std::string path = "./runtime/" + std::string(200, 'a');
  Mlf pax = cleanMlf(7, MlfStyle::Aot), gnu = pax;
  pax.members.push_back({"./PaxHeaders/x",
                         paxRecord("path", path) + paxRecord("uid", "790943610") + paxRecord("mtime", "1659330000.25"),
                         'x'});
  pax.members.push_back({"./runtime/aaa", "text"});
  gnu.members.push_back({"././@LongLink", path + '\0', 'L'});
  gnu.members.push_back({"./runtime/aaa", "text"});
  for (const Mlf* mlf : {&pax, &gnu}) {
    const mlf::Model model = read(mlf->tar());
    QVERIFY(model.find(path.substr(2)));
    QCOMPARE(model.container.entries.back().stored, path);
  }
  const mlf::TarEntry entry = read(pax.tar()).container.entries.back();
  QCOMPARE(entry.uid, uint64_t{790943610});
  QCOMPARE(entry.changed.value_or(0), int64_t{1'659'330'000});
  QCOMPARE(reported(pax.tar()), QStringList{"013 1 member(s) contain the account name 'root' of the builder"});
  QCOMPARE(reported(gnu.tar()), QStringList());

  Mlf sparse = cleanMlf(7, MlfStyle::Aot);
  sparse.members.push_back({"./PaxHeaders/x", paxRecord("GNU.sparse.major", "1"), 'x'});
  sparse.members.push_back({"./runtime/x", "text"});
  QCOMPARE(reported(sparse.tar()), QStringList{"007 member './runtime/x' has unsupported type 'sparse file'"});
}

void TestMlfReader::compressedArchivesAreReported() {
  const std::string tar = cleanMlf(7, MlfStyle::Graph).tar();
  NullMonitor monitor;
  const auto zstd = container::packZstd(bytes(tar), monitor);
  QVERIFY(zstd);
  QCOMPARE(reported(zstd->view()),
           QStringList{"002 the archive is zstd-compressed; project generators accept only plain tar"});
  // Half of the file: the unpacked part is read, the missing part is not judged.
  const std::string gzip = gzipOf(tar);
  for (std::size_t size = 1; size < gzip.size(); size += 7) {
    const QStringList lines = reported(gzip.substr(0, size));
    QVERIFY(!lines.isEmpty());
    for (const QString& line : lines)
      QVERIFY2((line.startsWith("001") && size < 4) || line.startsWith("002") || line.startsWith("003"),
               qPrintable(QString::number(size) + line));
  }
  // A decompression bomb: 200 MB of zeros in some 200 KB.
  const QStringList bomb = reported(gzipOf(tar + std::string(200'000'000, '\0')));
  QCOMPARE(bomb.size(), 2);
  QVERIFY2(bomb[0].startsWith("011 the unpacked size exceeds the limit of "), qPrintable(bomb[0]));
}

/// The file as `check` reads it: a file that does not open, or exceeds the limits of opening, is judged by the rules.
void TestMlfReader::compressedFilesAreJudgedByTheRules() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  const auto rules = [&](const char* name, const std::string& content) {
    const std::filesystem::path path = folder.filePath(QString::fromLatin1(name)).toStdString();
    std::ofstream(path, std::ios::binary) << content;
    const auto report = mlf::checkFile(path, monitor);
    QStringList out;
    if (!report) return QStringList{QString::fromStdString(std::string(row(report.error().id()).id))};
    for (const check::Issue& issue : report->issues) out << QString::fromStdString(issue.rule);
    return out;
  };
  const std::string tar = cleanMlf(7, MlfStyle::Graph).tar(), gzip = gzipOf(tar);
  QCOMPARE(rules("whole.tar.gz", gzip), QStringList{"MLF-002"});
  QCOMPARE(rules("cut.tar.gz", gzip.substr(0, gzip.size() / 2)), (QStringList{"MLF-003", "MLF-002"}));
  QCOMPARE(rules("cut.gz", gzip.substr(0, gzip.size() / 2)), QStringList{"FILE-HEADER"}); // nothing shows what it was
  QCOMPARE(rules("bomb.tar.gz", gzipOf(tar + std::string(40'000'000, '\0'))), (QStringList{"MLF-011", "MLF-002"}));
}

/// A generated project is checked as its archive.
void TestMlfReader::projectIsCheckedAsItsArchive() {
  Mlf project;
  project.add("p/microtvm_api_server.py")
      .add("p/src/model/deep/model.tar", "no tar")
      .add("p/model.tar", cleanMlf(5, MlfStyle::Graph).meta("full-model", "model").tar());
  QCOMPARE(read(project.tar()).container.inner, "p/model.tar"s);
  NullMonitor monitor;
  const auto report = mlf::checkArchive(bytes(project.tar()), monitor);
  QVERIFY(report);
  QCOMPARE(report->issues.size(), std::size_t{1});
  QCOMPARE(report->issues[0].rule, "MLF-113"s);
  QCOMPARE(report->issues[0].place.member, "p/model.tar!metadata.json"s);
  QVERIFY(report->issues[0].place.line && report->issues[0].refText().empty());
}

/// Archives are checked by their rules, other kinds by the findings of opening.
void TestMlfReader::everyKindOfFileCanBeChecked() {
  NullMonitor monitor;
  const auto report = [&](const std::string& file) {
    const auto package = openBytes(file);
    const auto made = package ? mlf::check(*package, monitor) : Result<check::Report>(Error(DiagnosticId::Usage, {}));
    std::string out =
        made ? made->format + (made->version ? std::to_string(*made->version) : "") : made.error().message();
    if (made)
      for (const check::Issue& issue : made->issues)
        out += " " + issue.rule + (issue.refText().empty() ? "" : "@" + issue.refText());
    return out;
  };
  QCOMPARE(report(cleanMlf(7, MlfStyle::Graph).tar()), "mlf7"s);
  QCOMPARE(report(gzipOf(cleanMlf(4, MlfStyle::Graph).tar())), "mlf4 MLF-002"s);
  const std::string broken = cleanMlf(5, MlfStyle::Graph).meta("full-model", "model").tar();
  QCOMPARE(report(broken), "mlf5 MLF-113@member:./metadata.json@" + hexText(broken.find("\"model\",")));
  QCOMPARE(report(gzipOf(broken)), "mlf5 MLF-113@member:./metadata.json MLF-002"s);
  Mlf exported;
  exported.add("lib0.o", "no object").add("devc.c", "/* nothing */");
  QVERIFY(report(exported.tar()).starts_with("objects"));
  QVERIFY(report(Mlf().add("a.txt").add("b.txt").tar()).find("MLF-020") != std::string::npos);
  QVERIFY(report(cleanMlf(7, MlfStyle::Graph).remove("./metadata.json").tar()).find("MLF-020") != std::string::npos);
}

/// A file that does not open as a library.
void TestMlfReader::filesThatDoNotOpenAreChecked() {
  QTemporaryDir folder;
  NullMonitor monitor;
  const auto report = [&](const char* name, const std::string& content) {
    const QString path = folder.filePath(QString::fromLatin1(name));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return "not written"s;
    file.write(content.data(), static_cast<qint64>(content.size()));
    file.close();
    const auto made = mlf::checkFile(path.toStdString(), monitor);
    if (!made) return std::string(row(made.error().id()).id);
    std::string out = made->format;
    for (const check::Issue& issue : made->issues) out += " " + issue.rule;
    return out;
  };
  QCOMPARE(report("clean.tar", cleanMlf(7, MlfStyle::Graph).tar()), "mlf"s);
  QCOMPARE(report("empty.tar", ""), "mlf MLF-001"s);
  QCOMPARE(report("text.tar", "no archive"), "mlf MLF-001"s);
  QCOMPARE(report("empty.so", ""), "FILE-EMPTY"s);
  QCOMPARE(report("text.txt", "no archive"), "FILE-KIND"s);
  QVERIFY(!mlf::checkFile(folder.filePath(QStringLiteral("missing.tar")).toStdString(), monitor));
}

void TestMlfReader::sarifListsEveryFinding() {
  NullMonitor monitor;
  Mlf mlf = cleanMlf(5, MlfStyle::Graph).meta("full-model", "model").add("./samples/a b.h");
  const auto report = mlf::checkArchive(bytes(mlf.tar()), monitor);
  QVERIFY(report);
  std::string text;
  check::writeSarif(*report, "dir/my model.tar", "1.2.3", [&](std::string_view piece) { text += piece; });
  const auto parsed = json::parse(bytes(text));
  QVERIFY(parsed);
  QCOMPARE(*parsed->find("version")->string(), "2.1.0"s);
  const json::Value& run = parsed->find("runs")->array()->front();
  QCOMPARE(run.find("tool")->find("driver")->find("rules")->array()->size(), std::size_t{2});
  const auto& artifacts = *run.find("artifacts")->array();
  QCOMPARE(*artifacts[0].find("location")->find("uri")->string(), "dir/my%20model.tar"s);
  const auto& results = *run.find("results")->array();
  QCOMPARE(results.size(), std::size_t{2});
  QCOMPARE(*results[0].find("ruleId")->string(), "MLF-113"s);
  QCOMPARE(std::get<uint64_t>(results[0].find("ruleIndex")->data), uint64_t{1});
  const json::Value& location = *results[0].find("locations")->array()->front().find("physicalLocation");
  QCOMPARE(*location.find("artifactLocation")->find("uri")->string(), "metadata.json"s);
  QCOMPARE(std::get<uint64_t>(location.find("region")->find("startLine")->data), uint64_t{7});
  const auto index = std::get<uint64_t>(location.find("artifactLocation")->find("index")->data);
  QCOMPARE(*artifacts[index].find("location")->find("uri")->string(), "metadata.json"s);
}

void TestMlfReader::checksCanBeCancelled() {
  const Bytes tar = bytes(cleanMlf(7, MlfStyle::Graph).tar());
  bool whole = false;
  for (int looks = 0; looks < 1000 && !whole; ++looks) {
    StopAfter monitor(looks);
    const auto report = mlf::checkArchive(tar, monitor);
    whole = report.hasValue();
    if (!whole) QCOMPARE(std::string(row(report.error().id()).id), "CANCELLED"s);
  }
  QVERIFY(whole);
}

void TestMlfReader::damagedArchivesAreSafeUnderSanitizers_data() { modulesOfEveryVersionAreRead_data(); }
/// No truncation and no changed byte crashes the checks.
void TestMlfReader::damagedArchivesAreSafeUnderSanitizers() {
  QFETCH(unsigned, version);
  QFETCH(int, style);
  const std::string tar = cleanMlf(version, static_cast<MlfStyle>(style)).tar();
  std::mt19937 random(version * 10 + static_cast<unsigned>(style));
  for (std::size_t size = 0; size < tar.size(); size += 97) reported(tar.substr(0, size));
  // Changed bytes in contents, with correct headers, and anywhere.
  for (int round = 0; round < 150; ++round) {
    Mlf mlf = cleanMlf(version, static_cast<MlfStyle>(style));
    for (int change = 0; change < 1 + round % 4; ++change) {
      std::string& content = mlf.members[random() % mlf.members.size()].content;
      if (content.empty()) continue;
      const std::size_t at = random() % content.size();
      if (random() % 4 == 0)
        content.erase(at, 1 + random() % 20);
      else
        content[at] = static_cast<char>(random() % 3 == 0 ? "0\"{}[],:-9"[random() % 10] : random());
    }
    reported(mlf.tar());
    std::string any = tar;
    for (int change = 0; change < 4; ++change) any[random() % any.size()] = static_cast<char>(random());
    reported(any);
  }
}

/// Real archives: exactly the rules of container, metadata, memory and layout that are known to be broken.
void TestMlfReader::corpusArchivesHaveTheKnownFindings() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  const QString folder = set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set;
  const QDir archives(folder + QStringLiteral("/mlf"));
  const QStringList files = archives.entryList({QStringLiteral("*.tar")}, QDir::Files);
  QFile expectFile(folder + QStringLiteral("/../acceptance/expect.json"));
  if (files.isEmpty() || !expectFile.open(QIODevice::ReadOnly))
    QSKIP("no archives in the corpus, or no acceptance/expect.json beside it");
  const auto expect = json::parse(bytes(expectFile.readAll().toStdString()));
  QVERIFY(expect);
  NullMonitor monitor;
  for (const QString& name : files) {
    const json::Value* const wanted = expect->find("mlf")->find(name.toStdString());
    if (!wanted) continue;
    QStringList want, found;
    for (const json::Value& id : *wanted->array()) want << QString::fromStdString(*id.string());
    const auto report = mlf::checkFile(archives.filePath(name).toStdString(), monitor);
    QVERIFY2(report, qPrintable(name));
    for (const check::Issue& issue : report->issues)
      if (const QString id = QString::fromStdString(issue.rule); !found.contains(id)) found << id;
    found.sort();
    want.sort();
    QCOMPARE(name + ": " + found.join(' '), name + ": " + want.join(' '));
  }
}

BLOBSCOPE_TEST(TestMlfReader);

#include "test_reader.moc"
