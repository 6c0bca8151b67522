#include "core/edit/edit_json.h"
#include "core/fix/combine.h"
#include "core/mlf/reader.h"
#include "tests/core/fix/mending.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace blobscope;
using namespace blobscope::test;

namespace {

edit::Target member(const std::string& name) { return {Ref::named(Ref::Kind::Member, name), {}}; }

edit::Edit set(const std::string& pointer, uint64_t number, const std::string& name = "./metadata.json") {
  json::Value value;
  value.data = number;
  return edit::SetJson{member(name), pointer, std::move(value)};
}
edit::Edit drop(const std::string& pointer) { return edit::SetJson{member("./metadata.json"), pointer, std::nullopt}; }

mlf::Fix fixWith(std::vector<edit::Edit> edits, std::vector<mlf::Patch> patches = {}) {
  return {std::move(edits), std::move(patches), "a fix"};
}

/// The edits as text, one per line.
QStringList textOf(const std::vector<edit::Edit>& edits) {
  QStringList out;
  for (const edit::Edit& one : edits) {
    if (const auto* const json = std::get_if<edit::SetJson>(&one))
      out << QString::fromStdString((json->value ? "set " : "drop ") + json->target.ref.name + " " + json->pointer);
    else if (const auto* const rename = std::get_if<edit::Rename>(&one))
      out << QString::fromStdString("rename " + rename->target.ref.name + " " + rename->name);
    else if (const auto* const replace = std::get_if<edit::Replace>(&one))
      out << QString::fromStdString("replace " + replace->target.ref.name + " " +
                                    std::string(replace->content.bytes.view()));
    else if (const auto* const add = std::get_if<edit::AddMember>(&one))
      out << QString::fromStdString("add " + add->target.ref.name);
    else if (const auto* const remove = std::get_if<edit::Remove>(&one))
      out << QString::fromStdString("remove " + remove->target.ref.name);
  }
  return out;
}

} // namespace

class TestCombine : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void fixesOfOnePlaceWait();
  void itemsAreRemovedFromTheEnd();
  void patchesOfAFileBecomeOneEdit();
};

void TestCombine::fixesOfOnePlaceWait() {
  fix::Batch batch;
  QVERIFY(batch.add(fixWith({set("/a/b", 1)})));
  QVERIFY(batch.add(fixWith({set("/a/b", 1)}))); // the same edit
  QVERIFY(batch.add(fixWith({set("/a/bc", 1)})));
  QVERIFY(!batch.add(fixWith({set("/a/b", 2)})));
  QVERIFY(!batch.add(fixWith({set("/a", 1)})));
  QVERIFY(!batch.add(fixWith({drop("/a/b/c")})));
  QVERIFY(!batch.add(fixWith({set("/d", 1), set("/a/b", 2)}))); // as a whole
  QVERIFY(batch.add(fixWith({set("/d", 2)})));
  QVERIFY(batch.add(fixWith({edit::Rename{member("./metadata.json"), "./x"}})));
  QVERIFY(!batch.add(fixWith({edit::Remove{member("./metadata.json")}})));
}

void TestCombine::itemsAreRemovedFromTheEnd() {
  NullMonitor monitor;
  mlf::Findings findings;
  const auto model = mlf::readModel(bytes(graph(7).tar()), findings, monitor);
  const mlf::FileFacts facts;
  const std::vector<check::Issue> issues;
  const mlf::FixContext context(*model, facts, issues, monitor);
  fix::Batch batch;
  for (const char* const pointer : {"/a/2", "/a/10", "/a/3/b/1"}) QVERIFY(batch.add(fixWith({drop(pointer)})));
  QVERIFY(batch.add(fixWith({set("/a/-", 1)})));
  QVERIFY(batch.add(fixWith({set("/a/11", 1)})));
  QCOMPARE(textOf(batch.take(context)),
           QStringList({"set ./metadata.json /a/11", "set ./metadata.json /a/-", "drop ./metadata.json /a/10",
                        "drop ./metadata.json /a/3/b/1", "drop ./metadata.json /a/2"}));
}

void TestCombine::patchesOfAFileBecomeOneEdit() {
  NullMonitor monitor;
  mlf::Findings findings;
  const auto model = mlf::readModel(bytes(graph(7).add("./src/default.relay", "abcdef").tar()), findings, monitor);
  const mlf::FileFacts facts;
  const std::vector<check::Issue> issues;
  const mlf::FixContext context(*model, facts, issues, monitor);
  const mlf::File* const file = model->find("src/default.relay");
  QVERIFY(file);
  fix::Batch batch;
  QVERIFY(batch.add(fixWith({}, {{file, 4, 1, "E"}})));
  QVERIFY(batch.add(fixWith({}, {{file, 0, 2, "x"}})));
  QVERIFY(!batch.add(fixWith({}, {{file, 1, 2, "y"}})));
  QVERIFY(!batch.add(fixWith({set("/a", 1, "./src/default.relay")})));
  QCOMPARE(textOf(batch.take(context)), QStringList({"replace ./src/default.relay xcdEf"}));
}

BLOBSCOPE_TEST(TestCombine);

#include "test_combine.moc"
