#include "tests/support/test_main.h"
#include "tests/ui/models/model_tester.h"
#include "tests/ui/ui_test.h"
#include "ui/models/edits_model.h"
#include "ui/models/problems_model.h"
#include "ui/models/search_model.h"

#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

constexpr std::array kAll = {true, true, true};

/// One note, two errors, a warning, in that order.
std::shared_ptr<const check::Report> someReport() {
  auto package = std::make_shared<library::Package>();
  package->diagnostics = {
      {DiagnosticId::BlobUnknownKind, Ref::moduleAt({}, 0), {arg("kind", "Vendor.Kind")}},
      {DiagnosticId::BlobModule,
       Ref::moduleAt({}, 2).withBytes(0x5653),
       {arg("module", uint64_t{2}), arg("kind", "cuda"), arg("reason", "one\ntwo")}},
      {DiagnosticId::BlobModule, Ref::moduleAt("left_", 1), {arg("module", uint64_t{1}), arg("kind", "opencl")}},
  };
  for (const DiagnosticRow& one : diagnosticRows())
    if (one.severity == Severity::Warning) {
      package->diagnostics.push_back({static_cast<DiagnosticId>(&one - diagnosticRows().data()), Ref::file(), {}});
      break;
    }
  return std::make_shared<const check::Report>(mlf::foundWhileOpening(*package));
}

search::Hit hit(Ref ref, uint64_t offset, std::string_view around) {
  return {std::move(ref), offset, 4, Bytes::copyOf(around)};
}

} // namespace

/// The models of the bottom panel.
class TestListModels : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void problemsAreListedWorstFirst();
  void problemsCanBeFiltered();
  void problemsWithoutReportAreEmpty();
  void problemsOfArchivesShowMemberAndLine();
  void consequencesAreFoldedUnderTheirCause();
  void searchResultsAreAppended();
  void manyBatchesOfResultsKeepTheirOrder();
  void editsChangeSingleRows();

private:
  Application m_application;
};

void TestListModels::problemsAreListedWorstFirst() {
  ProblemsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  QCOMPARE(model.rowCount(), 0);
  model.setReport(someReport());
  QCOMPARE(model.total(), 4);
  QCOMPARE(model.rowCount(), 4);
  QCOMPARE(model.count(Severity::Error), 2);
  QCOMPARE(model.count(Severity::Warning), 1);
  QCOMPARE(model.count(Severity::Note), 1);
  int last = 0;
  for (int row = 0; row < 4; ++row) {
    const int severity = model.index(row, 0).data(ProblemSeverityRole).toInt();
    QVERIFY(severity >= last);
    last = severity;
    for (int column = 0; column < model.columnCount(); ++column)
      QVERIFY(!model.index(row, column).data().toString().contains(QLatin1Char('\n')));
  }
  // Within one severity the order of the file is kept.
  QCOMPARE(model.index(0, ProblemsModel::Rule).data().toString(), QStringLiteral("BLOB-MODULE"));
  QCOMPARE(model.index(0, ProblemsModel::Where).data().toString(), QStringLiteral("m2"));
  QCOMPARE(model.index(0, ProblemsModel::Byte).data().toString(), QStringLiteral("0x5653"));
  QCOMPARE(model.index(1, ProblemsModel::Where).data().toString(), QStringLiteral("left_:m1"));
  QVERIFY(model.index(1, ProblemsModel::Byte).data().toString().isEmpty());
  QCOMPARE(model.index(2, ProblemsModel::Where).data().toString(), QStringLiteral("file"));
  QVERIFY(model.index(0, 0)
              .data(Qt::AccessibleTextRole)
              .toString()
              .startsWith(QStringLiteral("error: "), Qt::CaseInsensitive));
  QCOMPARE(model.index(0, 0).data(Qt::ToolTipRole), model.index(0, 0).data());
  QCOMPARE(model.issue(0).ref->at, std::optional<uint64_t>(0x5653));
  for (int column = 0; column < model.columnCount(); ++column)
    QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
}

void TestListModels::problemsCanBeFiltered() {
  ProblemsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  model.setReport(someReport());
  model.setFilter({false, true, true}, {});
  QCOMPARE(model.rowCount(), 2);
  QCOMPARE(model.total(), 4); // the counts are of the file
  model.setFilter(kAll, QStringLiteral("OPENCL"));
  QCOMPARE(model.rowCount(), 1);
  model.setFilter(kAll, QStringLiteral("blob-module"));
  QCOMPARE(model.rowCount(), 2);
  model.setFilter({false, false, false}, {});
  QCOMPARE(model.rowCount(), 0);
  // The filter stays for the next file.
  model.setFilter(kAll, QStringLiteral("opencl"));
  model.setReport(someReport());
  QCOMPARE(model.rowCount(), 1);
}

void TestListModels::problemsWithoutReportAreEmpty() {
  ProblemsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  model.setFilter(kAll, QStringLiteral("word"));
  model.setReport(someReport());
  model.setReport(nullptr);
  QCOMPARE(model.rowCount(), 0);
  QCOMPARE(model.total(), 0);
}

/// For an archive: the member and line, and what to do.
void TestListModels::problemsOfArchivesShowMemberAndLine() {
  auto report = std::make_shared<check::Report>();
  report->issues.push_back({"MLF-208",
                            Severity::Error,
                            "too small",
                            {"metadata.json", "/memory/functions", 12, 400},
                            Ref::named(Ref::Kind::Member, "./metadata.json").withBytes(2000),
                            "raise it"});
  report->issues.push_back({"MLF-002", Severity::Warning, "compressed", {}, std::nullopt, {}});
  ProblemsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  model.setReport(report);
  QCOMPARE(model.index(0, ProblemsModel::Where).data().toString(), QStringLiteral("metadata.json:12"));
  QCOMPARE(model.index(0, ProblemsModel::Where).data(Qt::ToolTipRole).toString(),
           QStringLiteral("metadata.json:12 /memory/functions"));
  QVERIFY(model.index(0, ProblemsModel::Problem).data(Qt::ToolTipRole).toString().contains(QStringLiteral("raise it")));
  QCOMPARE(model.index(0, ProblemsModel::Byte).data().toString(), QStringLiteral("0x7d0"));
  QCOMPARE(model.index(1, ProblemsModel::Where).data().toString(), QStringLiteral("file"));
  QVERIFY(model.index(1, ProblemsModel::Byte).data().toString().isEmpty());
  model.setFilter(kAll, QStringLiteral("/memory"));
  QCOMPARE(model.rowCount(), 1);
}

/// A consequence is folded under its cause, unless the filter matches it or hides its cause.
void TestListModels::consequencesAreFoldedUnderTheirCause() {
  auto report = std::make_shared<check::Report>();
  report->issues.push_back({"MLF-208", Severity::Error, "cause", {}, std::nullopt, {}});
  report->issues.push_back({"MLF-300", Severity::Error, "alone", {}, std::nullopt, {}});
  report->issues.push_back({"MLF-301", Severity::Warning, "first", {}, std::nullopt, {}, "MLF-208"});
  report->issues.push_back({"MLF-302", Severity::Warning, "second", {}, std::nullopt, {}, "MLF-208"});
  ProblemsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  model.setReport(report);
  const auto shown = [&] {
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row) rows << model.index(row, 0).data().toString();
    return rows.join(QLatin1Char('|'));
  };
  const QString folded = QStringLiteral("cause · 2 other findings follow from it|alone");
  QCOMPARE(shown(), folded);
  QVERIFY(model.folds());
  QCOMPARE(model.matching(), 4);
  QCOMPARE(model.asText().count(QLatin1Char('\n')), 4);
  model.setOpen(1, true); // without consequences
  QCOMPARE(shown(), folded);
  model.setOpen(0, true);
  QCOMPARE(shown(), QStringLiteral("cause · 2 other findings follow from it|first|second|alone"));
  QVERIFY(model.index(1, 0).data(ProblemFollowsRole).toBool() && !model.index(3, 0).data(ProblemFollowsRole).toBool());
  QCOMPARE(model.index(1, 0).data(Qt::AccessibleTextRole).toString(),
           QStringLiteral("warning: first (follows from MLF-208)"));
  model.setOpen(0, false);
  QCOMPARE(shown(), folded);
  model.setFilter(kAll, QStringLiteral("302"));
  QCOMPARE(shown(), QStringLiteral("second"));
  QVERIFY(!model.index(0, 0).data(ProblemFollowsRole).toBool());
  model.setFilter({false, true, true}, {});
  QCOMPARE(shown(), QStringLiteral("first|second"));
}

void TestListModels::searchResultsAreAppended() {
  SearchModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  const QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted), reset(&model, &QAbstractItemModel::modelReset);
  model.append({});
  QCOMPARE(inserted.size(), 0);
  const QString cuda = QStringLiteral("cuda"), file = QStringLiteral("file");
  model.append({{hit(Ref::moduleAt({}, 2).withBytes(0x20, 4), 0x20, "mean\x01kernel"), cuda},
                {hit(Ref::file(), 0xffffffffff, "\xff\xfe"), file}});
  model.append({{hit(Ref::moduleAt({}, 2), 0x30, "again"), cuda}});
  QCOMPARE(inserted.size(), 5); // two nodes; each range of matches
  QCOMPARE(reset.size(), 0);    // a selection stays while matches arrive
  QCOMPARE(model.hitCount(), 3);
  QCOMPARE(model.rowCount(), 2);
  const QModelIndex first = model.index(0, 0), second = model.index(1, 0);
  QCOMPARE(first.data().toString(), cuda);
  QCOMPARE(first.siblingAtColumn(SearchModel::Around).data().toString(), QStringLiteral("2 matches"));
  QCOMPARE(second.siblingAtColumn(SearchModel::Around).data().toString(), QStringLiteral("1 match"));
  QCOMPARE(model.rowCount(first), 2);
  QCOMPARE(model.index(0, SearchModel::Where, first).data().toString(), QStringLiteral("0x20"));
  QCOMPARE(model.index(0, SearchModel::Around, first).data().toString(), QStringLiteral("mean\\x01kernel"));
  QCOMPARE(model.index(1, SearchModel::Where, first).data().toString(), QStringLiteral("0x30"));
  QCOMPARE(model.index(0, SearchModel::Around, second).data().toString(), QStringLiteral("\\xff\\xfe"));
  QVERIFY(!model.hitAt(first));
  QCOMPARE(model.hitAt(model.index(1, 0, first)), &model.hit(2));
  QCOMPARE(model.hit(1).offset, uint64_t{0xffffffffff});
  for (int column = 0; column < model.columnCount(); ++column)
    QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
  model.clear();
  QCOMPARE(model.rowCount(), 0);
}

void TestListModels::manyBatchesOfResultsKeepTheirOrder() {
  SearchModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  for (int batch = 0; batch < 50; ++batch) {
    std::vector<FoundText> hits;
    for (uint64_t i = 0; i < 20; ++i)
      hits.push_back({hit(Ref::file(), static_cast<uint64_t>(batch) * 20 + i, "text"), QStringLiteral("file")});
    model.append(std::move(hits));
  }
  QCOMPARE(model.hitCount(), 1'000);
  QCOMPARE(model.rowCount(), 1);
  for (int row = 0; row < 1'000; ++row) QCOMPARE(model.hit(row).offset, static_cast<uint64_t>(row));
}

/// Edits are added, removed and changed; unchanged ones keep their rows.
void TestListModels::editsChangeSingleRows() {
  EditsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  const QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted),
      removed(&model, &QAbstractItemModel::rowsRemoved), reset(&model, &QAbstractItemModel::modelReset),
      changed(&model, &QAbstractItemModel::dataChanged);
  const auto change = [](const char* target, const char* what, const char* before, const char* after) {
    edit::Description one;
    one.target = target;
    one.what = what;
    one.before = before;
    one.after = after;
    one.subject = "cuda";
    return one;
  };
  const auto a = change("m1/field:fmt", "Field 'fmt' set", "\"ptx\"", "\"cubin\""),
             b = change("m1/kernel:add", "Kernel 'add' removed", "64 bytes", ""),
             c = change("new1", "Module 'cuda' added to m0", "", "12 bytes");
  model.setChanges({a, b, c});
  QCOMPARE(model.rowCount(), 3);
  QCOMPARE(inserted.size(), 1);
  QCOMPARE(model.index(0, EditsModel::Change).data().toString(), QStringLiteral("Field 'fmt' set"));
  QCOMPARE(model.index(1, EditsModel::After).data().toString(), QStringLiteral("–"));
  QCOMPARE(model.index(2, EditsModel::Before).data().toString(), QStringLiteral("–"));
  QCOMPARE(model.index(2, EditsModel::Where).data().toString(), QStringLiteral("new1"));
  QCOMPARE(model.index(0, 0).data(EditSubjectRole).toString(), QStringLiteral("cuda"));
  const QPersistentModelIndex last = model.index(2, 0);
  model.setChanges({a, c}); // the middle one is reverted
  QCOMPARE(removed.size(), 1);
  QCOMPARE(removed[0][1].toInt(), 1);
  QCOMPARE(last.row(), 1);
  const auto other = change("m1/field:fmt", "Field 'fmt' set", "\"ptx\"", "\"fatbin\"");
  model.setChanges({other, c});
  QCOMPARE(changed.size(), 1);
  QCOMPARE(model.index(0, EditsModel::After).data().toString(), QStringLiteral("\"fatbin\""));
  QCOMPARE(last.row(), 1);
  model.setChanges({});
  QCOMPARE(model.rowCount(), 0);
  QCOMPARE(reset.size(), 0);
  for (int column = 0; column < model.columnCount(); ++column)
    QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
}

BLOBSCOPE_TEST(TestListModels);

#include "test_lists.moc"
