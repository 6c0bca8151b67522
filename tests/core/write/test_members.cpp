#include "core/base/text.h"
#include "core/edit/edit_json.h"
#include "core/library/open.h"
#include "core/mlf/archive.h"
#include "core/write/preview.h"
#include "core/write/repack.h"
#include "tests/core/base/files.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

std::vector<edit::Edit> memberEdits(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  auto list = edit::readEdits(bytes("{\"schema\": \"blobscope.edits/1\", \"edits\": [" + text + "]}"));
  if (!list) qFatal("the edits of a test cannot be read: %s", list.error().message().c_str());
  return std::move(list->edits);
}
Result<write::Repack> memberPlan(const std::string& archive, const std::string& edits) {
  NullMonitor monitor;
  BLOBSCOPE_TRY(package, openBytes(archive));
  return write::planRepack(package, memberEdits(edits), {}, {}, monitor);
}
/// The output, or the message of the error. What is planned is also the preview.
std::string editedArchive(const std::string& archive, const std::string& edits) {
  NullMonitor monitor;
  const auto repack = memberPlan(archive, edits);
  if (!repack) return repack.error().message();
  const auto output = write::assemble(repack->plan, repack->package->bytes, monitor);
  if (!output || output->size() != repack->plan.size()) return "not assembled";
  const auto shown = write::preview(repack->package, repack->applied, monitor);
  return shown && (!repack->applied.blobs.empty() || (*shown)->bytes == *output) ? std::string(output->view())
                                                                                 : "the preview differs";
}

std::string tarBlock(std::string text) {
  text.resize((text.size() + 511) / 512 * 512, '\0');
  return text;
}
std::string tarFile(const std::string& path, const std::string& content) {
  return tarHeader(path, content.size()) + tarBlock(content);
}
std::string checked(std::string header) {
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  return header.replace(148, 8, octal(sum, 6) + '\0' + ' ');
}
std::string paxRecord(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t size = rest.size() + 1;
  while (std::to_string(size).size() + rest.size() != size) ++size;
  return std::to_string(size) + rest;
}
/// An extended header with its records.
std::string paxHeader(const std::string& records) {
  return tarHeader("././@PaxHeader", records.size(), 'x') + tarBlock(records);
}
/// The same with mode 0, as this program and Python write it.
std::string newHeader(const std::string& records) {
  return checked(tarHeader("././@PaxHeader", records.size(), 'x').replace(100, 8, "0000000\0"s)) + tarBlock(records);
}
/// The end of an archive as Python writes it.
std::string filledTar(const std::string& members) {
  std::string out = members + std::string(1024, '\0');
  out.resize((out.size() + 10'239) / 10'240 * 10'240, '\0');
  return out;
}

const std::string kSrcFolder = tarHeader("./src/", 0, '5'), kFileA = tarFile("./src/a.c", "int a;"),
                  kFileB = paxHeader(paxRecord("mtime", "1700000000.1234")) + tarFile("./src/b.c", "int b;"),
                  kJsonFile = tarFile("./metadata.json", "{\"version\": 7}");
const std::string kLongPath = "./src/" + std::string(150, 'n') + ".c";

/// The header of the file `path` in the form of GNU tar.
std::string gnuHeader(std::string header) { return checked(header.replace(257, 8, "ustar  \0"s)); }

} // namespace

class TestMembers : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void outputsAreByteExact_data() {
    QTest::addColumn<std::string>("archive");
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& archive, const std::string& edits,
                        const std::string& expected) { QTest::newRow(name) << archive << edits << expected; };
    const std::string all = kSrcFolder + kFileA + kFileB + kJsonFile;
    const std::string replace = "{'op': 'replace', 'ref': 'member:src/b.c', 'hex': '" + hexDigits("int b2;") + "'}";
    const std::string b2 = paxHeader(paxRecord("mtime", "1700000000.1234")) + tarFile("./src/b.c", "int b2;");
    row("nothing", filledTar(all), "", filledTar(all));
    row("the same content", filledTar(all),
        "{'op': 'replace', 'ref': 'member:src/b.c', 'hex': '" + hexDigits("int b;") + "'}", filledTar(all));
    row("replace", filledTar(all), replace, filledTar(kSrcFolder + kFileA + b2 + kJsonFile));
    row("an end that is not filled stays", all + std::string(1024, '\0'), replace,
        kSrcFolder + kFileA + b2 + kJsonFile + std::string(1024, '\0'));
    row("a missing end stays", all, replace, kSrcFolder + kFileA + b2 + kJsonFile);
    row("data after the end stays", all + std::string(1024, '\0') + "more", replace,
        kSrcFolder + kFileA + b2 + kJsonFile + std::string(1024, '\0') + "more");
    row("add", filledTar(all), "{'op': 'add', 'ref': 'member:src/c.c', 'hex': '" + hexDigits("int c;") + "'}",
        filledTar(kSrcFolder + kFileA + kFileB + tarFile("./src/c.c", "int c;") + kJsonFile));
    row("add an empty file", filledTar(all), "{'op': 'add', 'ref': 'member:src/c.c', 'hex': ''}",
        filledTar(kSrcFolder + kFileA + kFileB + tarFile("./src/c.c", "") + kJsonFile));
    row("remove with its headers", filledTar(all), "{'op': 'remove', 'ref': 'member:src/b.c'}",
        filledTar(kSrcFolder + kFileA + kJsonFile));
    row("rename", filledTar(all), "{'op': 'rename', 'ref': 'member:src/a.c', 'name': 'src/z.c'}",
        filledTar(kSrcFolder + tarFile("./src/z.c", "int a;") + kFileB + kJsonFile));
    row("a long name needs an extended header", filledTar(kFileA),
        "{'op': 'rename', 'ref': 'member:src/a.c', 'name': '" + kLongPath + "'}",
        filledTar(newHeader(paxRecord("path", kLongPath)) + tarFile(kLongPath.substr(0, 100), "int a;")));
    row("a long name joins the records", filledTar(kFileB),
        "{'op': 'rename', 'ref': 'member:src/b.c', 'name': '" + kLongPath + "'}",
        filledTar(paxHeader(paxRecord("mtime", "1700000000.1234") + paxRecord("path", kLongPath)) +
                  tarFile(kLongPath.substr(0, 100), "int b;")));
    row("a short name needs none",
        filledTar(paxHeader(paxRecord("path", kLongPath)) + tarFile(kLongPath.substr(0, 100), "int a;")),
        "{'op': 'rename', 'ref': 'member:" + kLongPath + "', 'name': 'src/a.c'}", filledTar(kFileA));
    row("a name that is not ASCII", filledTar(kFileA), "{'op': 'rename', 'ref': 'member:src/a.c', 'name': 'ä'}",
        filledTar(newHeader(paxRecord("path", "./\xc3\xa4")) + tarFile("./\xc3\xa4", "int a;")));
    row("a long name in an archive of GNU tar", filledTar(gnuHeader(tarHeader("./src/a.c", 6)) + tarBlock("int a;")),
        "{'op': 'rename', 'ref': 'member:src/a.c', 'name': '" + kLongPath + "'}",
        filledTar(gnuHeader(tarHeader("././@LongLink", kLongPath.size() + 1, 'L').replace(100, 8, "0000000\0"s)) +
                  tarBlock(kLongPath + '\0') + gnuHeader(tarHeader(kLongPath.substr(0, 100), 6)) + tarBlock("int a;")));
    row("a size in an extended header", filledTar(paxHeader(paxRecord("size", "6")) + tarFile("./src/a.c", "int a;")),
        "{'op': 'replace', 'ref': 'member:src/a.c', 'hex': '" + hexDigits("int a2;") + "'}",
        filledTar(paxHeader(paxRecord("size", "7")) + tarFile("./src/a.c", "int a2;")));
    row("JSON keeps its text", filledTar(all),
        "{'op': 'set', 'ref': 'member:metadata.json', 'pointer': '/version', 'value': 5}",
        filledTar(kSrcFolder + kFileA + kFileB + tarFile("./metadata.json", "{\"version\": 5}")));
    row("headers for all members stay",
        filledTar(tarHeader("global", 12, 'g') + tarBlock("12 comment=\n") + kFileA + kFileB),
        "{'op': 'remove', 'ref': 'member:src/a.c'}",
        filledTar(tarHeader("global", 12, 'g') + tarBlock("12 comment=\n") + kFileB));
    row("end marker", all + "", "{'op': 'archive', 'ref': '', 'form': 'end-marker'}", filledTar(all));
    row("end marker without data after it", all + std::string(1024, '\0') + "more",
        "{'op': 'archive', 'ref': '', 'form': 'end-marker'}", filledTar(all));
    row("last copies", filledTar(kFileA + kJsonFile + kFileA), "{'op': 'archive', 'ref': '', 'form': 'last-copies'}",
        filledTar(kJsonFile + kFileA));
    std::string owned = tarHeader("./src/a.c", 6);
    const auto rooted = [](std::string header) {
      return checked(header.replace(265, 4, "root").replace(297, 4, "root"));
    };
    row("canonical", filledTar(kJsonFile + kFileB + kSrcFolder + owned + tarBlock("int a;")),
        "{'op': 'archive', 'ref': '', 'form': 'canonical'}",
        filledTar(rooted(tarHeader("./metadata.json", 14)) + tarBlock("{\"version\": 7}") +
                  rooted(tarHeader("./src/", 0, '5').replace(100, 8, "0000755\0"s)) + rooted(owned) +
                  tarBlock("int a;") + rooted(tarHeader("./src/b.c", 6)) + tarBlock("int b;")));
    row("compressed, stored without compression", gzipOf(filledTar(all)),
        "{'op': 'archive', 'ref': '', 'form': 'uncompressed'}", filledTar(all));
  }
  void outputsAreByteExact() {
    QFETCH(std::string, archive);
    QFETCH(std::string, edits);
    QFETCH(std::string, expected);
    const std::string output = editedArchive(archive, edits);
    QVERIFY2(output.size() == expected.size(), (std::to_string(output.size()) + " " + output.substr(0, 300)).c_str());
    const auto differs = std::mismatch(output.begin(), output.end(), expected.begin()).first - output.begin();
    QVERIFY2(output == expected, ("first difference at " + std::to_string(differs)).c_str());
    // All ranges of the bars add up to the files.
    const auto repack = memberPlan(archive, edits);
    uint64_t before = 0, after = 0;
    for (const write::PlanRange& range : repack->plan.before) before += range.size;
    for (const write::PlanRange& range : repack->plan.after) after += range.size;
    QCOMPARE(before, archive.size());
    QCOMPARE(after, output.size());
  }

  void archivesThatCannotBeKeptAreRefused_data() {
    QTest::addColumn<std::string>("archive");
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("reason");
    const std::string remove = "{'op': 'remove', 'ref': 'member:src/a.c'}";
    std::string truncated = kFileA + tarFile("./src/b.c", std::string(2'000, 'x'));
    truncated.resize(truncated.size() - 1'024);
    QTest::newRow("truncated member") << truncated << remove << "the member at 0x400 is truncated"s;
    std::string damaged = filledTar(kFileA + kFileB + kJsonFile);
    damaged[1024 + 1024 + 20] ^= 1; // in the header of b.c
    QTest::newRow("wrong checksum") << damaged << remove << "it is damaged"s;
    QTest::newRow("sorted below a header for all")
        << filledTar(kFileA + tarHeader("global", 12, 'g') + tarBlock("12 comment=\n") + kFileB)
        << "{'op': 'archive', 'ref': '', 'form': 'canonical'}"s
        << "describes all members after it, so they cannot be sorted"s;
  }
  void archivesThatCannotBeKeptAreRefused() {
    QFETCH(std::string, archive);
    QFETCH(std::string, edits);
    QFETCH(std::string, reason);
    const auto repack = memberPlan(archive, edits);
    QVERIFY(!repack && repack.error().id() == DiagnosticId::PlanArchive);
    const std::string message = repack.error().message();
    QVERIFY2(message.find(reason) != std::string::npos, message.c_str());
  }

  /// An archive inside another one, together with edits of its tensors and of a blob beside it.
  void innerArchivesAreEdited() {
    TensorText tensor;
    tensor.data = std::string(16, '\0');
    tensor.shape = {4};
    const std::string library =
        elfWith("__tvm_ffi__library_bin",
                ffiBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"add"}}, ptxText({{"add"}}), Info::Four)}}, {{1}, {}}));
    const std::string inner = filledTar(kFileA + tarFile("./p.params", paramsFile({"p"}, {tensor})));
    const std::string outer = filledTar(tarFile("model.tar", inner) + tarFile("lib.so", library));
    const std::string output =
        editedArchive(outer, "{'op': 'set', 'ref': 'model.tar!p.params!param:p', 'index': [1], 'value': '1'}, "
                             "{'op': 'rename', 'ref': 'lib.so!m1/kernel:add', 'name': 'a_much_longer_name'}, "
                             "{'op': 'rename', 'ref': 'model.tar!member:src/a.c', 'name': 'b.c'}, "
                             "{'op': 'rename', 'ref': 'member:model.tar', 'name': 'm.tar'}");
    const auto package = openBytes(output);
    QVERIFY2(package, output.substr(0, 300).c_str());
    tensor.data.replace(4, 4, "\0\0\x80\x3f"s);
    const std::string newInner =
        filledTar(tarFile("./b.c", "int a;") + tarFile("./p.params", paramsFile({"p"}, {tensor})));
    QCOMPARE((*package)->members.size(), std::size_t{2});
    QCOMPARE((*package)->members[0].name, "m.tar"s);
    QVERIFY((*package)->members[0].stored->bytes.view() == newInner);
    const auto lib = (*package)->members[1].package;
    QVERIFY(lib && lib->blobs.size() == 1);
    QCOMPARE(lib->blobs[0]->modules[1]->body->kernels().at(0).name.view(), std::string_view("a_much_longer_name"));
  }

  /// Members of a zip can be replaced, several at once; nothing else can change.
  void compressedArchivesAreCompressedAgain() {
    const std::string all = filledTar(kSrcFolder + kFileA + kFileB + kJsonFile);
    const std::string output = editedArchive(gzipOf(all), "{'op': 'replace', 'ref': 'member:src/a.c', 'hex': '78'}");
    const auto package = openBytes(output);
    QVERIFY2(package, output.substr(0, 300).c_str());
    QCOMPARE((*package)->image.compression, "gzip"s);
    QCOMPARE((*package)->members.size(), std::size_t{4});
    QCOMPARE(std::string((*package)->findMember("src/a.c")->stored->bytes.view()), "x"s);
  }

  /// The written file is read back, and other programs read it.
  void otherProgramsReadTheResult() {
    const Mlf mlf = cleanMlf(7, MlfStyle::Graph);
    NullMonitor monitor;
    QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "out.tar";
    const auto repack =
        memberPlan(mlf.tar(), "{'op': 'add', 'ref': 'member:" + kLongPath +
                                  "', 'hex': '6e6577'}, "
                                  "{'op': 'set', 'ref': 'member:metadata.json', 'pointer': '/version', 'value': 6}, "
                                  "{'op': 'remove', 'ref': 'member:src/default.relay'}");
    QVERIFY2(repack, repack ? "" : repack.error().message().c_str());
    const auto written = write::writeRepack(*repack, path, {}, monitor);
    QVERIFY2(written, written ? "" : written.error().message().c_str());
    const auto run = [&](const QString& program, const QStringList& arguments) {
      QProcess process;
      process.setWorkingDirectory(folder.path());
      process.start(program, arguments);
      return process.waitForFinished(60'000) && process.exitCode() == 0
                 ? process.readAllStandardOutput() + process.readAllStandardError()
                 : "failed: " + process.readAllStandardError();
    };
    bool any = false;
    if (const QString tar = QStandardPaths::findExecutable(QStringLiteral("tar")); !tar.isEmpty()) {
      any = true;
      const QByteArray list = run(tar, {QStringLiteral("tf"), QStringLiteral("out.tar")});
      QVERIFY2(list.contains("\n" + QByteArray::fromStdString(kLongPath) + "\n"), list.constData());
      QVERIFY(!list.contains("default.relay"));
    }
    if (const QString python = QStandardPaths::findExecutable(QStringLiteral("python3")); !python.isEmpty()) {
      any = true;
      const QByteArray read =
          run(python, {QStringLiteral("-c"),
                       QStringLiteral("import tarfile, sys, json\n"
                                      "t = tarfile.open('out.tar', 'r:')\n"
                                      "print(json.load(t.extractfile('./metadata.json'))['version'])\n"
                                      "print(t.extractfile(sys.argv[1]).read().decode())\n"),
                       QString::fromStdString(kLongPath)});
      QCOMPARE(read.simplified(), QByteArray("6 new"));
    }
    if (!any) QSKIP("neither tar nor Python is here");
  }

  /// A file that was written wrongly is found: each member has its name, its place and its content.
  void verificationFindsDifferences() {
    NullMonitor monitor;
    QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "out.tar";
    auto repack = memberPlan(filledTar(kSrcFolder + kFileA + kFileB + kJsonFile),
                             "{'op': 'replace', 'ref': 'member:src/a.c', 'hex': '78'}");
    QVERIFY(repack);
    QVERIFY(write::writeRepack(*repack, path, {}, monitor));
    QVERIFY(write::verifyRepack(*repack, path, write::WriteOptions::Verify::Full, monitor));
    const auto refusal = [&](const auto& change) {
      write::Repack changed = *repack;
      change(changed.applied.archives.at(0));
      const auto verified = write::verifyRepack(changed, path, write::WriteOptions::Verify::Full, monitor);
      return verified ? "nothing"s : verified.error().message();
    };
    QVERIFY(refusal([](edit::EditedArchive& one) {
              one.members[1].content = bytes("y");
            }).find("differs at its byte") != std::string::npos);
    QVERIFY(refusal([](edit::EditedArchive& one) { one.members.pop_back(); }).find("4 members instead of 3") !=
            std::string::npos);
    QVERIFY(refusal([](edit::EditedArchive& one) {
              std::swap(one.members[1], one.members[2]);
            }).find("is not in its place") != std::string::npos);
  }

  void planningCanBeCancelled() {
    const auto package = openBytes(filledTar(kSrcFolder + kFileA + kFileB + kJsonFile));
    QVERIFY(package);
    const auto edits = memberEdits("{'op': 'replace', 'ref': 'member:src/a.c', 'hex': '78'}");
    for (int calls = 0;; ++calls) {
      StopAfter stop(calls);
      const auto repack = write::planRepack(*package, edits, {}, {}, stop);
      if (repack) break;
      QCOMPARE(repack.error().id(), DiagnosticId::Cancelled);
      QVERIFY(calls < 100);
    }
  }
};

BLOBSCOPE_TEST(TestMembers);
#include "test_members.moc"
