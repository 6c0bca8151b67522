#include "tests/core/mlf/reported.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

Mlf graph7() { return cleanMlf(7, MlfStyle::Graph); }

/// With one more member at the end.
std::string with(MlfMember member) {
  Mlf mlf = graph7();
  mlf.members.push_back(std::move(member));
  return mlf.tar();
}
MlfMember file(std::string path, std::string content = "text\n") { return {std::move(path), std::move(content)}; }
MlfMember typed(std::string path, char type, std::string link = {}) {
  MlfMember member{std::move(path), {}, type};
  member.link = std::move(link);
  return member;
}
Mlf renamed(const std::function<std::string(const std::string&)>& to) {
  Mlf mlf = graph7();
  for (MlfMember& member : mlf.members) member.path = to(member.path);
  return mlf;
}

} // namespace

class TestContainerRules : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void cleanArchivesHaveNoFindings_data();
  void cleanArchivesHaveNoFindings();
  void eachDefectIsReported_data();
  void eachDefectIsReported() { BLOBSCOPE_COMPARE_FINDINGS(); }
  void truncatedArchiveReportsOnlyTheTruncation();
};

void TestContainerRules::cleanArchivesHaveNoFindings_data() {
  QTest::addColumn<std::string>("tar");
  for (const MlfVariant& variant : mlfVariants())
    QTest::newRow(variant.title().c_str()) << cleanMlf(variant.version, variant.style).tar();
  QTest::newRow("two modules") << cleanMlfOfTwo().tar();
  QTest::newRow("two modules, one name in the other") << cleanMlfOfTwo("net_lib0", "net").tar();
  QTest::newRow("padded to blocks of 20") << graph7().tar() + std::string(10240 - graph7().tar().size() % 10240, '\0');
}
void TestContainerRules::cleanArchivesHaveNoFindings() {
  QFETCH(std::string, tar);
  QCOMPARE(reported(tar), QStringList());
}

void TestContainerRules::eachDefectIsReported_data() {
  addBrokenColumns();
  const std::string tar = graph7().tar(), body = graph7().body();
  std::string wrongFirst = tar;
  wrongFirst[0] = 'x';
  std::string wrongLater = tar;
  wrongLater[tar.find("./parameters/default.params")] = 'x';
  using test::broken;

  broken("001 nothing", std::string(), {"001 not a tar archive: it is empty"});
  broken("001 short", std::string("PK"), {"001 not a tar archive: it has 2 bytes, but a header needs 512"});
  broken("001 checksum", wrongFirst, {"001 not a tar archive: the checksum of the first header is wrong"});
  broken("002 gzip", gzipOf(tar), {"002 the archive is gzip-compressed; project generators accept only plain tar"});
  broken("003 header", wrongLater,
         {QStringLiteral("003 the archive is damaged at offset 0x%1: the checksum of a header is wrong")
              .arg(tar.find("./parameters/default.params"), 0, 16)});
  broken("004 missing", body, {"004 end-of-archive marker is missing"});
  broken("004 one block", body + std::string(512, '\0'),
         {"004 end-of-archive marker has one zero block, two are needed"});
  broken("004 data behind it", tar + "x",
         {QStringLiteral("004 end-of-archive marker is followed by data at 0x%1").arg(tar.size(), 0, 16)});
  broken("005 up", with(file("./codegen/../../x")), {"005 unsafe member path './codegen/../../x'"});
  broken("005 absolute", with(file("/etc/x")), {"005 unsafe member path '/etc/x'"});
  broken("005 drive", with(file("C:x")), {"005 unsafe member path 'C:x'"});
  broken("005 backslash", with(file("./a\\b")), {"005 unsafe member path './a\\\\b'"});
  broken("005 empty", with(file("")), {"005 unsafe member path ''"});
  broken("006 symbolic", with(typed("./codegen/host/src/x.c", '2', "/etc/passwd")),
         {"006 member './codegen/host/src/x.c' is a link to '/etc/passwd'"});
  broken("006 hard", with(typed("./src/x", '1', "./metadata.json")),
         {"006 member './src/x' is a link to './metadata.json'"});
  broken("007 fifo", with(typed("./src/x", '6')), {"007 member './src/x' has unsupported type 'fifo'"});
  broken("007 device", with(typed("./src/x", '3')), {"007 member './src/x' has unsupported type 'character device'"});
  broken("007 sparse", with(typed("./src/x", 'S')), {"007 member './src/x' has unsupported type 'sparse file'"});
  broken("008", with(file("./src/default.relay")), {"008 member './src/default.relay' occurs more than once"});
  broken("008 without ./", with(file("src/default.relay")), {"008 member 'src/default.relay' occurs more than once"});
  broken("009", Mlf(cleanMlf(7, MlfStyle::Aot)).add("./runtime/a.h").add("./runtime/A.h"),
         {"009 'runtime/A.h' and 'runtime/a.h' differ only by letter case"});
  broken("010", Mlf(cleanMlf(7, MlfStyle::Aot)).add("./runtime/a").add("./runtime/a/b"),
         {"010 'runtime/a' is used both as a file and as a folder"});
  broken("013",
         [] {
           Mlf mlf = cleanMlf(7, MlfStyle::Aot);
           for (MlfMember& member : mlf.members)
             if (member.path.starts_with("./templates")) member.uid = 1000, member.owner = "builder";
           return mlf;
         }(),
         {"013 2 member(s) contain the account name 'builder' of the builder"});
  broken("012 set user id",
         [] {
           Mlf mlf = graph7();
           mlf.find("./src/default.relay")->mode = 04644;
           return mlf;
         }(),
         {"012 member './src/default.relay' has unusual mode 04644"});
  broken("012 not readable",
         [] {
           Mlf mlf = graph7();
           mlf.find("./src/default.relay")->mode = 0;
           return mlf;
         }(),
         {"012 member './src/default.relay' has unusual mode 0"});
  broken("014", renamed([](const std::string& path) { return path == "./" ? path : path.substr(2); }),
         {"014 metadata.json is stored as 'metadata.json'"});
  broken("015", with(file("samples/input.h")), {"015 extra top-level entry 'samples'"});
  broken("016 character", Mlf(cleanMlf(7, MlfStyle::Aot)).add("./runtime/a?b"),
         {"016 member path './runtime/a?b' is not portable: Windows rejects '?'"});
  broken("016 not ASCII", Mlf(cleanMlf(7, MlfStyle::Aot)).add("./runtime/\xc3\xa4"),
         {QString::fromUtf8(
             "016 member path './runtime/\xc3\xa4' is not portable: it has a character that is not ASCII")});
  broken("016 device", Mlf(cleanMlf(7, MlfStyle::Aot)).add("./runtime/aux.h"),
         {"016 member path './runtime/aux.h' is not portable: 'aux.h' is a device on Windows"});
  broken("016 dot", Mlf(cleanMlf(7, MlfStyle::Aot)).add("./runtime/a."),
         {"016 member path './runtime/a.' is not portable: a part ends in a dot"});
  broken("017 folder of the format", graph7().add("./parameters/notes.txt"), {"017 stray file 'parameters/notes.txt'"});
  broken("017 library", graph7().add("./codegen/host/default.so"), {"017 stray file 'codegen/host/default.so'"});
  broken("017 header of nobody", graph7().add("./codegen/host/include/other.h"),
         {"017 stray file 'codegen/host/include/other.h'"});
  broken("020 empty", std::string(1024, '\0'), {"020 not a Model Library Format archive: it is empty"});
  broken(
      "020 without metadata", graph7().remove("./metadata.json"),
      {"020 not a Model Library Format archive: metadata.json is missing, although codegen/host and parameters exist"});
  broken("020 wrapped", renamed([](const std::string& path) { return "./model/" + path.substr(2); }),
         {"020 not a Model Library Format archive: everything is in the folder 'model'; metadata.json has to be in "
          "the root"});
  const auto package = [](const std::vector<std::string>& names) {
    Mlf mlf;
    for (const std::string& name : names) mlf.add(name);
    return mlf;
  };
  broken("020 tvmc", package({"mod.so", "mod.json", "mod.params"}),
         {"020 not a Model Library Format archive: it looks like a classic tvmc package"});
  broken("020 tvmc for the VM", package({"lib.so"}),
         {"020 not a Model Library Format archive: it looks like a tvmc package for the VM"});
  broken("020 tvmc model", package({"model.json", "model.params", "tuning_records"}),
         {"020 not a Model Library Format archive: it looks like a saved tvmc model"});
  broken("020 export_library", package({"lib0.o", "devc.c"}),
         {"020 not a Model Library Format archive: it looks like an export_library tar"});
  broken("020 project", package({"p/microtvm_api_server.py", "p/src/main.c"}),
         {"020 not a Model Library Format archive: it looks like a generated microTVM project"});
  broken("020 anything", package({"a", "b/c"}), {"020 not a Model Library Format archive: it has no metadata.json"});
}

/// Truncated at each block: a finding, and never one about the missing part.
void TestContainerRules::truncatedArchiveReportsOnlyTheTruncation() {
  const std::string body = graph7().body();
  for (std::size_t size = 1; size < body.size(); size += 100) {
    const QStringList lines = reported(body.substr(0, size));
    QVERIFY2(!lines.isEmpty(), std::to_string(size).c_str());
    for (const QString& line : lines) QVERIFY2(line.startsWith("00") || line.startsWith("020"), qPrintable(line));
  }
}

BLOBSCOPE_TEST(TestContainerRules);

#include "test_container_rules.moc"
