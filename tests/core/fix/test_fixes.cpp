#include "core/edit/edit_json.h"
#include "core/fix/fixes.h"
#include "tests/core/fix/mending.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace blobscope;
using namespace blobscope::test;

namespace {

const std::string kGraphFile = "./executor-config/graph/graph.json", kParameterFile = "./parameters/default.params";

/// An archive with findings of many rules in all of its files.
Mlf damaged() {
  Mlf mlf = graph(5)
                .renameKey("executors", "runtimes")
                .set("constants_size_bytes", "20")
                .insertBefore("style", R"("extra": 1)")
                .meta(R"("storage_id": 2, "size_bytes": 16)", R"("storage_id": 2, "size_bytes": 8)")
                .meta(R"("input_binding": "p0")", R"("input_binding": "p1")")
                .rename(kGraphFile, "./runtime-config/graph/graph.json")
                .in("./runtime-config/graph/graph.json")
                .set("node_row_ptr", "[0, 1]")
                .set("num_inputs", R"("1")")
                .rename("./metadata.json", "metadata.json");
  mlf.at(kParameterFile).replace(8, 1, "x");
  mlf.at(kParameterFile) += "end";
  mlf.find("./src/relay.txt")->mode = 04644;
  return mlf;
}

} // namespace

class TestFixes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void cleanArchivesStayAsTheyAre();
  void allFindingsAreMendedTogether();
  void onlySelectedRulesAreMended();
  void oneFindingIsMendedAlone();
  void pendingEditsComeFirst();
  void manyFindingsOfOneListAreMended();
  void manyModelsAreMended();
  void otherFilesAreRefused();
  void mendingCanBeCancelled();
};

void TestFixes::cleanArchivesStayAsTheyAre() {
  NullMonitor monitor;
  for (const MlfVariant& variant : mlfVariants()) {
    const library::PackagePtr package = openArchive(cleanMlf(variant.version, variant.style).tar());
    const auto plan = fix::planFixes(package, {}, {}, {}, monitor);
    QVERIFY2(plan, variant.title().c_str());
    QVERIFY(plan->edits.empty() && plan->mended.empty() && plan->after.issues.empty());
    QCOMPARE(plan->result.get(), package.get());
  }
}

/// The findings are in the way of each other, so that several rounds are needed.
void TestFixes::allFindingsAreMendedTogether() {
  NullMonitor monitor;
  const library::PackagePtr package = openArchive(damaged().tar() + "x");
  const auto plan = fix::planFixes(package, {}, {}, {}, monitor);
  QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
  QCOMPARE(linesOf(plan->after).join(QLatin1Char('\n')), QString());
  QVERIFY(plan->mended.size() >= 11);
  const auto again = fix::withEdits(package, plan->edits, {}, monitor);
  QVERIFY(again && again->package->bytes.view() == plan->result->bytes.view());
  // As text, the edits are the same.
  const auto list = edit::readEdits(bytes(edit::writeEdits({}, plan->edits)));
  QVERIFY(list);
  const auto read = fix::withEdits(package, list->edits, {}, monitor);
  QVERIFY(read && read->package->bytes.view() == plan->result->bytes.view());
}

void TestFixes::onlySelectedRulesAreMended() {
  NullMonitor monitor;
  const std::string tar = graph(5).set("constants_size_bytes", "20").insertBefore("style", R"("extra": 1)").tar();
  const auto plan = fix::planFixes(openArchive(tar), {}, {.rules = {"MLF-210"}}, {}, monitor);
  QVERIFY(plan);
  QCOMPARE(plan->mended.size(), std::size_t{1});
  QCOMPARE(linesOf(plan->after), QStringList({QStringLiteral("109 metadata.json: unknown key 'extra' in the root")}));
  const auto none = fix::planFixes(openArchive(tar), {}, {.rules = {"MLF-616"}}, {}, monitor);
  QVERIFY(none && none->edits.empty() && none->mended.empty());
}

void TestFixes::oneFindingIsMendedAlone() {
  NullMonitor monitor;
  const library::PackagePtr package =
      openArchive(graph(5).insertBefore("style", R"("a": 1)").insertBefore("style", R"("b": 1)").tar());
  const auto all = fix::planFixes(package, {}, {.rules = {"none"}}, {}, monitor);
  QVERIFY(all);
  QCOMPARE(all->before.issues.size(), std::size_t{2});
  const auto plan = fix::planFixes(package, {}, {.rules = {}, .only = all->before.issues[1]}, {}, monitor);
  QVERIFY(plan);
  QCOMPARE(plan->mended.size(), std::size_t{1});
  QCOMPARE(linesOf(plan->after), QStringList({QString::fromStdString(all->before.issues[0].rule.substr(4) + " " +
                                                                     all->before.issues[0].message)}));
}

/// The fixes see the archive with these edits, and still name its members as they were opened.
void TestFixes::pendingEditsComeFirst() {
  NullMonitor monitor;
  const library::PackagePtr package = openArchive(graph(5).insertBefore("style", R"("extra": 1)").tar());
  const std::vector<edit::Edit> pending = {
      edit::Rename{{Ref::named(Ref::Kind::Member, kGraphFile), {}}, "./runtime-config/graph/graph.json"},
      edit::SetJson{{Ref::named(Ref::Kind::Member, "./metadata.json"), {}}, "/version", [] {
                      json::Value value;
                      value.data = uint64_t{9};
                      return value;
                    }()}};
  const auto plan = fix::planFixes(package, pending, {.rules = {"MLF-105", "MLF-109"}}, {}, monitor);
  QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
  QVERIFY(plan->before.issues.size() == 1 && plan->before.issues[0].rule == "MLF-105");
  std::vector<edit::Edit> all = pending;
  all.insert(all.end(), plan->edits.begin(), plan->edits.end());
  const auto result = fix::withEdits(package, all, {}, monitor);
  QVERIFY(result && result->package->bytes.view() == plan->result->bytes.view());
}

/// More than the number of findings of one rule that a check keeps.
void TestFixes::manyFindingsOfOneListAreMended() {
  NullMonitor monitor;
  std::string functions;
  for (int i = 0; i < 205; ++i)
    functions += expanded(R"({"function_name": "missing${i}", "workspace": []}, )", {{"i", std::to_string(i)}});
  functions.resize(functions.size() - 2);
  const auto plan = fix::planFixes(openArchive(graph(7).insertFirst("operator_functions", functions).tar()), {},
                                   {.rules = {"MLF-602"}}, {}, monitor);
  QVERIFY(plan);
  QCOMPARE(plan->mended.size(), std::size_t{205});
  QCOMPARE(linesOf(plan->after), QStringList());
  QCOMPARE(filesOf(plan->result->bytes.view()).at("./metadata.json").find("missing"), std::string::npos);
}

/// The same fixes in many models: the text of the metadata is read once per round, not once per edit.
void TestFixes::manyModelsAreMended() {
  std::string modules;
  for (int i = 0; i < 150; ++i)
    modules += expanded(R"("m${i}": {"model_name": "m${i}", "export_datetime": "2022-08-01 12:00:00Z", "target": ["c"],
                        "executors": "aot", "style": "full-model", "unknown": 1, "external_dependencies": [],
                        "memory": {"functions": {"main": [], "operator_functions": []}}}, )",
                        {{"i", std::to_string(i)}});
  modules.resize(modules.size() - 2);
  Mlf mlf = cleanMlf(7, MlfStyle::Aot);
  mlf.metadata() = "{\"modules\": {" + modules + "}, \"version\": 7}";
  NullMonitor monitor;
  const auto plan = fix::planFixes(openArchive(mlf.tar()), {}, {.rules = {"MLF-108", "MLF-109"}}, {}, monitor);
  QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
  QCOMPARE(plan->mended.size(), std::size_t{300});
}

void TestFixes::otherFilesAreRefused() {
  NullMonitor monitor;
  Mlf other;
  other.add("lib0.o").add("devc.o");
  const auto plan = fix::planFixes(openArchive(other.tar()), {}, {}, {}, monitor);
  QVERIFY(!plan);
  QCOMPARE(plan.error().id(), DiagnosticId::PlanArchive);
}

void TestFixes::mendingCanBeCancelled() {
  const library::PackagePtr package = openArchive(damaged().tar());
  for (int looks = 0; looks < 20; looks += 3) {
    StopAfter monitor(looks);
    const auto plan = fix::planFixes(package, {}, {}, {}, monitor);
    if (!plan) QCOMPARE(plan.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestFixes);

#include "test_fixes.moc"
