#include "core/edit/rules.h"

#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

#include <array>

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// `_lib` imports 1 and 2; 1 imports 3 and 4, 2 imports 4, 3 imports 5.
library::PackagePtr sixModules() {
  const std::string code = code3("ptx", kAddMul, ptxText(kAddMul), Info::Four);
  return opened(
      ffiLibrary({{"_lib", ""}, {"cuda", code}, {"cuda", code}, {"cuda", code}, {"cuda", code}, {"cuda", code}},
                 {{1, 2}, {3, 4}, {4}, {5}, {}, {}}));
}

Result<edit::Target> toOpenedTarget(const Ref& ref) { return edit::Target{ref, {}}; }

std::string textOf(const Result<std::vector<edit::Edit>>& edits) {
  if (!edits) return edits.error().message();
  std::string out;
  for (const edit::Edit& one : *edits) {
    out += out.empty() ? "" : "; ";
    if (const auto* const remove = std::get_if<edit::Remove>(&one)) out += "remove " + remove->target.toString();
    if (const auto* const relink = std::get_if<edit::Relink>(&one)) {
      out += relink->target.toString() + " imports";
      for (const std::string& name : relink->imports) out += " " + name;
    }
  }
  return out;
}

} // namespace

/// Which parts can be edited, and which further edits removing and moving modules need.
class TestEditRules : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void orphansOfARemovalAreFound_data() {
    QTest::addColumn<QList<uint>>("removed");
    QTest::addColumn<QList<uint>>("orphans");
    QTest::newRow("a leaf") << QList<uint>{5} << QList<uint>{};
    QTest::newRow("a chain, without what another one imports") << QList<uint>{1} << QList<uint>{3, 5};
    QTest::newRow("two that share an import") << QList<uint>{1, 2} << QList<uint>{3, 4, 5};
    QTest::newRow("a shared one stays") << QList<uint>{2} << QList<uint>{};
  }
  void orphansOfARemovalAreFound() {
    QFETCH(QList<uint>, removed);
    const auto package = sixModules();
    const auto found = edit::orphansOf(*package->blobs[0], std::vector<uint32_t>(removed.begin(), removed.end()));
    QTEST(QList<uint>(found.begin(), found.end()), "orphans");
  }
  void flatStreamHasNoOrphans() {
    const auto package =
        opened(classicLibrary({{"_lib", ""}, {"cuda", code3("ptx", kAddMul, ptxText(kAddMul), Info::Three)}}, {}));
    QVERIFY(edit::orphansOf(*package->blobs[0], std::array<uint32_t, 1>{0}).empty());
  }

  void removalCanIncludeOrphans() {
    const auto package = sixModules();
    const Ref first = Ref::moduleAt({}, 1);
    QCOMPARE(textOf(edit::removeEdits(*package, first, edit::Orphans::Remove, toOpenedTarget)),
             std::string("remove m3; remove m5; remove m1"));
    QCOMPARE(textOf(edit::removeEdits(*package, first, edit::Orphans::Keep, toOpenedTarget)),
             std::string("m0 imports m3 m4 m2; remove m1"));
    QCOMPARE(textOf(edit::removeEdits(*package, Ref::moduleAt({}, 2), edit::Orphans::Keep, toOpenedTarget)),
             std::string("remove m2"));
    const Ref kernel = first.part(PartKind::Kernel, "add");
    QCOMPARE(textOf(edit::removeEdits(*package, kernel, edit::Orphans::Remove, toOpenedTarget)),
             std::string("remove m1/kernel:add"));
    QVERIFY(!edit::removeEdits(*package, Ref::moduleAt({}, 9), edit::Orphans::Remove, toOpenedTarget));
  }
  void movedModuleChangesBothImportLists() {
    const auto package = sixModules();
    const Ref moved = Ref::moduleAt({}, 4), parent = Ref::moduleAt({}, 0), from = Ref::moduleAt({}, 1);
    QCOMPARE(textOf(edit::moveEdits(*package, moved, parent, from, toOpenedTarget)),
             std::string("m0 imports m1 m2 m4; m1 imports m3"));
    QCOMPARE(textOf(edit::moveEdits(*package, moved, parent, {}, toOpenedTarget)), std::string("m0 imports m1 m2 m4"));
    QCOMPARE(textOf(edit::moveEdits(*package, moved, from, from, toOpenedTarget)), std::string("m1 imports m3 m4"));
  }

  void editListCanIncludeOrphans_data() {
    QTest::addColumn<QString>("edits");
    QTest::addColumn<QString>("all");
    QTest::newRow("one") << "{'op': 'remove', 'ref': 'm1'}"
                         << "remove m1; remove m3; remove m5";
    QTest::newRow("two") << "{'op': 'remove', 'ref': 'm1'}, {'op': 'remove', 'ref': 'm2'}"
                         << "remove m1; remove m2; remove m3; remove m4; remove m5";
    QTest::newRow("a kernel") << "{'op': 'remove', 'ref': 'm1/kernel:add'}"
                              << "remove m1/kernel:add";
    QTest::newRow("an orphan that another edit imports stays")
        << "{'op': 'relink', 'ref': 'm2', 'imports': ['m4', 'm3']}, {'op': 'remove', 'ref': 'm1'}"
        << "m2 imports m4 m3; remove m1";
    QTest::newRow("no such module") << "{'op': 'remove', 'ref': 'm9'}"
                                    << "'m9' does not exist in this file: the blob has 6 modules, counted from 0";
  }
  void editListCanIncludeOrphans() {
    QFETCH(QString, edits);
    const auto package = sixModules();
    const auto all = edit::withOrphans(*package, editsOf(edits.toStdString()));
    QTEST(QString::fromStdString(textOf(all)), "all");
  }

  void operationsThatAPartAllowsAreKnown_data() {
    QTest::addColumn<QString>("ref");
    QTest::addColumn<int>("operation");
    QTest::addColumn<int>("why"); // -1: it can
    using enum edit::Operation;
    using enum edit::WhyNot;
    const auto row = [](const char* ref, edit::Operation operation, int why) {
      QTest::addRow("%s, %d", ref, static_cast<int>(operation)) << ref << static_cast<int>(operation) << why;
    };
    const auto no = [](edit::WhyNot why) { return static_cast<int>(why); };
    row("m1", Replace, -1);
    row("m0", Replace, no(IsLibrary));
    row("blob", Replace, -1);
    row("section:.text", Replace, no(NotInModule));
    row("m9", Replace, no(NotInModule));
    row("m1@0x10", Replace, no(NotInModule));
    row("m1/function:main", Replace, no(NoBytes));
    row("m1/field:fmt", EditText, -1);
    row("m1/entry:0", EditText, no(NoText));
    row("m1/kernel:add", Rename, -1);
    row("m1/const:0", Rename, no(NoName));
    row("m0", Remove, no(IsLibrary));
    row("m1", Remove, -1);
    row("m1/entry:0", Remove, -1);
    row("m1/field:fmt", Remove, no(NotRemovable));
    row("m0", SetImports, -1);
    row("m1/kernel:add", SetImports, no(NotModule));
    row("", AddModule, -1);
    row("x:blob", AddModule, no(NoBlob));
  }
  void operationsThatAPartAllowsAreKnown() {
    QFETCH(QString, ref);
    QFETCH(int, operation);
    const auto why =
        edit::canEdit(*sixModules(), *Ref::parse(ref.toStdString()), static_cast<edit::Operation>(operation));
    QTEST(why ? static_cast<int>(*why) : -1, "why");
  }
  void rootAndFlatStreamsAllowFewerOperations() {
    const std::string code = code3("ptx", kAddMul, ptxText(kAddMul), Info::Three);
    const auto flat = opened(classicLibrary({{"cuda", code}, {"cuda", code}}, {}));
    QCOMPARE(edit::canEdit(*flat, Ref::moduleAt({}, 0), edit::Operation::SetImports),
             std::optional(edit::WhyNot::NoTree));
    QVERIFY(!edit::canEdit(*flat, Ref::moduleAt({}, 0), edit::Operation::Remove));
    const auto rooted =
        opened(ffiLibrary({{"cuda", code3("ptx", kAddMul, ptxText(kAddMul), Info::Four)}, {"_lib", ""}}, {{1}, {}}));
    QCOMPARE(edit::canEdit(*rooted, Ref::moduleAt({}, 0), edit::Operation::Remove),
             std::optional(edit::WhyNot::IsRoot));
  }

  /// Each refusal that can be forced is one that apply() or a planner turns into a warning.
  void forcibleRefusalsCanBeForced() {
    QVERIFY(edit::isForcible(DiagnosticId::EditOrphan) && edit::isForcible(DiagnosticId::PlanReference));
    QVERIFY(!edit::isForcible(DiagnosticId::EditTarget) && !edit::isForcible(DiagnosticId::RefNotFound));
    const auto package = sixModules();
    const auto refused = applyTo(package, "{'op': 'remove', 'ref': 'm1'}");
    QVERIFY(!refused && edit::isForcible(refused.error().id()));
    QVERIFY(applyTo(package, "{'op': 'remove', 'ref': 'm1'}", true));
  }
};

BLOBSCOPE_TEST(TestEditRules);
#include "test_rules.moc"
