#include "core/edit/apply.h"
#include "core/edit/archive/member_names.h"
#include "core/edit/edit_json.h"
#include "tests/core/base/compare.h"
#include "tests/support/archive_builder.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

std::string tarFolder(const std::string& path) { return tarHeader(path, 0, '5'); }
std::string tarFile(const std::string& path, const std::string& content) {
  std::string out = tarHeader(path, content.size()) + content;
  out.resize((out.size() + 511) / 512 * 512, '\0');
  return out;
}
/// An archive with two copies of one file.
std::string sourceArchive() {
  return tarFolder("./") + tarFolder("./src/") + tarFile("./src/a.c", "int a;") + tarFile("./src/b.c", "int b;") +
         tarFile("./metadata.json", "{\"version\": 7}") + tarFile("./src/a.c", "int a2;") +
         tarHeader("./link", 0, '2', "src/a.c") + std::string(1024, '\0');
}

std::vector<edit::Edit> memberEdits(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  auto list = edit::readEdits(bytes("{\"schema\": \"blobscope.edits/1\", \"edits\": [" + text + "]}"));
  if (!list) qFatal("the edits of a test cannot be read: %s", list.error().message().c_str());
  return std::move(list->edits);
}

Result<edit::Applied> appliedTo(const library::PackagePtr& package, const std::string& edits) {
  NullMonitor monitor;
  return edit::apply(package, memberEdits(edits), {}, monitor);
}

/// The members after edits: paths, marks for new content and new names, in order.
std::string membersOf(const edit::EditedArchive& archive) {
  std::string out;
  for (const edit::EditedMember& member : archive.members) {
    out += (out.empty() ? "" : " ") + member.path;
    if (!member.origin) out += "+";
    if (member.renamed) out += "*";
    if (member.content) out += "=" + std::string(member.content->view());
  }
  return out;
}

const std::string kAllMembers = "./ ./src/ ./src/a.c ./src/b.c ./metadata.json ./src/a.c ./link";

} // namespace

class TestArchiveDraft : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void editsChangeMembers_data() {
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& edits, const std::string& expected) {
      QTest::newRow(name) << edits << expected;
    };
    const auto with = [](const std::string& from, const std::string& to) {
      std::string text = kAllMembers;
      return text.replace(text.find(from), from.size(), to);
    };
    row("replace", "{'op': 'replace', 'ref': 'member:./src/b.c', 'hex': '78'}", with("b.c", "b.c=x"));
    row("without ./", "{'op': 'replace', 'ref': 'member:src/b.c', 'hex': '78'}", with("b.c", "b.c=x"));
    row("the second copy", "{'op': 'replace', 'ref': 'member:src/a.c-2', 'hex': '78'}",
        with("json ./src/a.c", "json ./src/a.c=x"));
    row("by the same bytes", "{'op': 'replace', 'ref': 'member:src/b.c', 'hex': '" + hexDigits("int b;") + "'}",
        kAllMembers);
    row("add", "{'op': 'add', 'ref': 'member:src/c.c', 'hex': '78'}", with("a.c ./link", "a.c ./src/c.c+=x ./link"));
    row("add in a new folder", "{'op': 'add', 'ref': 'member:new/c.c', 'hex': ''}", kAllMembers + " ./new/c.c+=");
    row("add after a member", "{'op': 'add', 'ref': 'member:src/c.c', 'hex': '', 'after': 'src/a.c'}",
        with("a.c ./src/b", "a.c ./src/c.c+= ./src/b"));
    row("remove", "{'op': 'remove', 'ref': 'member:src/b.c'}", with(" ./src/b.c", ""));
    row("remove a link", "{'op': 'remove', 'ref': 'member:link'}", with(" ./link", ""));
    row("rename", "{'op': 'rename', 'ref': 'member:src/b.c', 'name': 'b2.c'}", with("./src/b.c", "./b2.c*"));
    row("rename to its own name", "{'op': 'rename', 'ref': 'member:src/b.c', 'name': 'src/b.c'}", kAllMembers);
    row("remove and add",
        "{'op': 'remove', 'ref': 'member:src/b.c'}, {'op': 'add', 'ref': 'member:src/b.c', 'hex': '78'}",
        "./ ./src/ ./src/a.c ./metadata.json ./src/a.c ./src/b.c+=x ./link");
    row("edit an added member",
        "{'op': 'add', 'ref': 'member:x.json', 'hex': '7b7d'}, "
        "{'op': 'set', 'ref': 'member:x.json', 'pointer': '/a', 'value': 1}",
        kAllMembers + " ./x.json+={\"a\":1}");
    row("set a value",
        "{'op': 'set', 'ref': 'member:metadata.json', 'pointer': '/version', 'value': 5}, "
        "{'op': 'set', 'ref': 'member:metadata.json', 'pointer': '/style', 'value': 'x'}",
        with("metadata.json", "metadata.json={\"version\": 5, \"style\": \"x\"}"));
    row("remove a value", "{'op': 'remove', 'ref': 'member:metadata.json', 'pointer': '/version'}",
        with("metadata.json", "metadata.json={}"));
    row("last copies", "{'op': 'archive', 'ref': '', 'form': 'last-copies'}", with(" ./src/a.c ./src/b", " ./src/b"));
    row("canonical", "{'op': 'archive', 'ref': '', 'form': 'canonical'}",
        "./ ./link ./metadata.json ./src/ ./src/a.c ./src/a.c ./src/b.c");
  }
  void editsChangeMembers() {
    QFETCH(std::string, edits);
    QFETCH(std::string, expected);
    const auto package = openBytes(sourceArchive());
    QVERIFY(package);
    const auto made = appliedTo(*package, edits);
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(made->archives.size(), std::size_t{1});
    QVERIFY(made->blobs.empty() && made->params.empty());
    QCOMPARE(membersOf(made->archives[0]), expected);
  }

  void impossibleEditsAreRefused_data() {
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& edits, const std::string& expected) {
      QTest::newRow(name) << edits << expected;
    };
    const auto path = [&](const char* name, const std::string& added, const std::string& reason) {
      row(name, "{'op': 'add', 'ref': 'member:" + added + "', 'hex': ''}", reason);
      row((name + " as a new name"s).c_str(),
          "{'op': 'rename', 'ref': 'member:src/b.c', 'name': '" + Ref::parse("member:" + added)->name + "'}", reason);
    };
    path("absolute", "/etc/passwd", "it is absolute");
    path("leads out", "src/../../x", "'..' leads out of the folder into which the archive is unpacked");
    path("drive", "C%3A/x", "it begins with a drive letter");
    path("empty step", "src//x", "it has an empty step or a '.'");
    path("dot", "src/./x", "it has an empty step or a '.'");
    path("folder", "src/x/", "it ends with '/', but only files can be added and named");
    path("there", "metadata.json", "the archive already has a member with this path");
    path("in a file", "metadata.json/x", "'metadata.json' is a file, so nothing can be in it");
    path("a folder", "src", "the archive already has a member with this path");
    row("control character", "{'op': 'add', 'ref': 'member:a%0Ab', 'hex': ''}", "it contains a control character");
    row("backslash", "{'op': 'add', 'ref': 'member:a%5Cb', 'hex': ''}", "it contains a backslash");
    row("unknown member", "{'op': 'remove', 'ref': 'member:src/b.h'}", "no member is called 'src/b.h'");
    row("a folder has no content", "{'op': 'replace', 'ref': 'member:src', 'hex': ''}", "only files can be replaced");
    row("a folder cannot be renamed", "{'op': 'rename', 'ref': 'member:src', 'name': 'x'}",
        "it is a folder; rename the files in it");
    row("two names",
        "{'op': 'rename', 'ref': 'member:src/b.c', 'name': 'x'}, {'op': 'rename', 'ref': 'member:src/b.c', 'name': "
        "'y'}",
        "edit 1 renames it");
    row("a removed member",
        "{'op': 'remove', 'ref': 'member:src/b.c'}, {'op': 'replace', 'ref': 'member:src/b.c', 'hex': ''}",
        "no member is called 'src/b.c'");
    row("no JSON", "{'op': 'set', 'ref': 'member:src/b.c', 'pointer': '/a', 'value': 1}", "invalid JSON");
    row("after an unknown member", "{'op': 'add', 'ref': 'member:x', 'hex': '', 'after': 'nothing'}",
        "no member is called 'nothing'");
    row("form of a member", "{'op': 'archive', 'ref': 'member:src/b.c', 'form': 'canonical'}",
        "this edit applies to whole archives");
  }
  void impossibleEditsAreRefused() {
    QFETCH(std::string, edits);
    QFETCH(std::string, expected);
    const auto package = openBytes(sourceArchive());
    QVERIFY(package);
    const auto made = appliedTo(*package, edits);
    QVERIFY(!made);
    const std::string message = made.error().message();
    QVERIFY2(message.find(expected) != std::string::npos, message.c_str());
  }

  void librariesHaveNoMembers() {
    const auto package = openBytes(paramsFile({"p"}, {TensorText{}}));
    QVERIFY(package);
    const auto made = appliedTo(*package, "{'op': 'add', 'ref': 'member:x', 'hex': ''}");
    QVERIFY(!made && made.error().id() == DiagnosticId::EditTarget);
    QVERIFY(made.error().message().ends_with("only archives have members that can be edited"));
  }

  /// Names before and after edits, in both directions.
  void namesFollowEdits() {
    const auto package = openBytes(sourceArchive());
    QVERIFY(package);
    const auto made =
        appliedTo(*package, "{'op': 'rename', 'ref': 'member:src/b.c', 'name': 'c.c'}, {'op': 'remove', 'ref': "
                            "'member:src/a.c'}, {'op': 'add', 'ref': 'member:n.c', 'hex': ''}");
    QVERIFY(made);
    const auto member = [](const std::string& name) { return Ref::named(Ref::Kind::Member, name); };
    QVERIFY(edit::toShownNames(*made, member("./src/b.c")) == member("./c.c"));
    QVERIFY(edit::toShownNames(*made, member("./src/a.c-2")) == member("./src/a.c"));
    QVERIFY(!edit::toShownNames(*made, member("./src/a.c")));
    QVERIFY(edit::toShownNames(*made, member("n.c")) == member("./n.c"));
    QVERIFY(edit::toOpenedNames(*made, member("./c.c")) == member("./src/b.c"));
    QVERIFY(edit::toOpenedNames(*made, member("./src/a.c")) == member("./src/a.c-2"));
    QVERIFY(edit::toOpenedNames(*made, member("./n.c")) == member("./n.c"));
    const Ref inside = *Ref::parse("./c.c!@16+4");
    QCOMPARE(edit::toOpenedNames(*made, inside).toString(), "./src/b.c!@0x10+4"s);
  }

  void placesOfJsonAreParsed_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("expected"); // member and pointer, or the reason
    QTest::newRow("pointer") << "metadata.json/version"s << "member:metadata.json /version"s;
    QTest::newRow("stored name") << "./metadata.json/a/0"s << "member:./metadata.json /a/0"s;
    QTest::newRow("as a ref") << "member:metadata.json/a"s << "member:metadata.json /a"s;
    QTest::newRow("the document") << "metadata.json"s << "member:metadata.json "s;
    QTest::newRow("encoded") << "metadata.json/a%3Db"s << "member:metadata.json /a=b"s;
    QTest::newRow("copy") << "src/a.c-2/x"s << "member:src/a.c-2 /x"s;
    QTest::newRow("no member") << "other.json/x"s << "it does not begin with the path of a file of the archive"s;
    QTest::newRow("longer name") << "metadata.jsonx/y"s << "it does not begin with the path of a file of the archive"s;
  }
  void placesOfJsonAreParsed() {
    QFETCH(std::string, text);
    QFETCH(std::string, expected);
    const auto package = openBytes(sourceArchive());
    QVERIFY(package);
    const auto place = edit::parseJsonPlace(*package, {}, text);
    if (place)
      QCOMPARE(place->member.toString() + " " + place->pointer, expected);
    else
      QVERIFY2(place.error().message().ends_with(expected), place.error().message().c_str());
  }

  /// Tensors of a parameter file: alone, as a member, and in the new content of a member.
  void tensorsOfParametersChange() {
    const auto values = [](const std::string& first) {
      TensorText tensor;
      tensor.data = first + std::string(12, '\0');
      tensor.shape = {4};
      return paramsFile({"p"}, {tensor});
    };
    const std::string zero(4, '\0'), half("\0\0\0\x3f", 4);
    const auto alone = openBytes(values(zero));
    QVERIFY(alone);
    const auto made = appliedTo(*alone, "{'op': 'set', 'ref': 'param:p', 'index': [0], 'value': '0.5'}");
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(made->params.size(), std::size_t{1});
    QCOMPARE(std::string(edit::withRuns((*alone)->bytes, made->params[0].runs).view()), values(half));

    const auto inside = openBytes(tarFile("./m.params", values(zero)) + std::string(1024, '\0'));
    QVERIFY(inside);
    const std::string set = "{'op': 'set', 'ref': 'm.params!param:p', 'index': [0], 'value': '0.5'}";
    const auto member = appliedTo(*inside, set);
    QVERIFY2(member, member ? "" : member.error().message().c_str());
    QVERIFY(member->archives.empty() && member->params.size() == 1);
    const std::string replaced =
        "{'op': 'replace', 'ref': 'member:m.params', 'hex': '" + hexDigits(values(zero)) + "'}";
    const auto both = appliedTo(*inside, replaced + ", " + set);
    QVERIFY2(both, both ? "" : both.error().message().c_str());
    QCOMPARE(std::string(both->archives.at(0).members.at(0).content->view()), values(half));
    const auto lost = appliedTo(*inside, set + ", {'op': 'remove', 'ref': 'member:m.params'}");
    QVERIFY(!lost && lost.error().message().ends_with("another edit replaces or removes the member that contains it"));
  }
};

BLOBSCOPE_TEST(TestArchiveDraft);
#include "test_archive_draft.moc"
