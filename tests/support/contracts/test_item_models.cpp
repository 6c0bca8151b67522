#include "core/describe/node.h"
#include "core/describe/write_plan.h"
#include "core/edit/describe.h"
#include "core/library/contents.h"
#include "core/library/open.h"
#include "core/mlf/check.h"
#include "core/write/repack.h"
#include "tests/core/preflight/report_example.h"
#include "tests/core/sizes/sizes_example.h"
#include "tests/core/view/plan_example.h"
#include "tests/support/test_main.h"
#include "tests/ui/compare/compare_test.h"
#include "tests/ui/pages/checklist_example.h"
#include "tests/ui/ui_test.h"
#include "ui/models/calls_model.h"
#include "ui/models/contents_model.h"
#include "ui/models/diff_model.h"
#include "ui/models/diff_rows_model.h"
#include "ui/models/edits_model.h"
#include "ui/models/fields_model.h"
#include "ui/models/nodes_model.h"
#include "ui/models/preflight_model.h"
#include "ui/models/problems_model.h"
#include "ui/models/run_model.h"
#include "ui/models/search_model.h"
#include "ui/models/size_changes_model.h"
#include "ui/models/table_model.h"
#include "ui/pages/checklist_tables.h"
#include "ui/window/dialogs/repack_rows.h"

#include <QAbstractItemModelTester>
#include <QDirIterator>
#include <QRegularExpression>

#include <map>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

constexpr int kMostRows = 200; ///< below one index that are read

std::filesystem::path samplePath(const char* name) {
  return std::filesystem::path(BLOBSCOPE_SOURCE_DIR) / "resources" / "sample" / name;
}

library::PackagePtr sample(const char* name) {
  NullMonitor monitor;
  const auto package = library::open(samplePath(name), monitor);
  if (!package) qFatal("%s: %s", name, package.error().message().c_str());
  return *package;
}

/// The first page of that kind of a node of the sample; a table that is not a list of facts.
view::Page pageOf(const char* name, const Ref& ref, std::string_view kind) {
  NullMonitor monitor;
  const auto pages = describe::pagesOf(sample(name), ref, monitor);
  if (!pages) qFatal("%s", pages.error().message().c_str());
  for (const view::Page& page : *pages) {
    auto now = view::resolvePage(page, monitor);
    const auto* const table = now ? std::get_if<view::TablePage>(&now->content) : nullptr;
    if (now && view::pageKind(*now) == kind && (!table || !table->facts)) return std::move(*now);
  }
  qFatal("no page of kind %s", std::string(kind).c_str());
}

RunEntryPtr runEntry() {
  run::FunctionResult result;
  result.function = "main";
  result.launchCount = 2;
  for (const char* const name : {"add_kernel", "mul_kernel"}) {
    protocol::LaunchEvent& launch = result.launches.emplace_back();
    launch.kernel = name;
    launch.extents.grid = {96, 2, 1};
    launch.extents.block = {128, 1, 1};
    launch.arguments.push_back({"A", 0, {}});
  }
  result.callTimes = {12, 10, 11, 14};
  run::FunctionResult crashed;
  crashed.function = "other";
  crashed.status = run::Status::Crashed;
  crashed.code = "RUN-CRASH";
  crashed.message = "the code ended the runner";
  auto report = std::make_shared<run::RunReport>();
  report->device = "dry run";
  report->dry = true;
  report->functions = {result, crashed};
  auto entry = std::make_shared<RunEntry>();
  entry->file = QStringLiteral("model.so");
  entry->started = QDateTime(QDate(2026, 1, 2), QTime(14, 32));
  entry->report = report;
  return entry;
}

/// A rename of a kernel of the sample, planned.
write::Repack repackOf(const library::PackagePtr& package, const std::vector<edit::Edit>& edits) {
  NullMonitor monitor;
  auto repack = write::planRepack(package, edits, {}, {}, monitor);
  if (!repack) qFatal("%s", repack.error().message().c_str());
  return std::move(*repack);
}
std::vector<edit::Edit> someEdits() {
  return {edit::Rename{{Ref::parse("m2/kernel:mean_kernel").value(), {}}, "average_kernel"}};
}

/// A model, and how to fill and to empty it while a tester watches; the latter two are null for a model that is made
/// with its content. A second call of `fill` may show something else.
struct ModelRow {
  std::unique_ptr<QAbstractItemModel> model;
  std::function<void()> fill = {}, empty = {};
};

/// A model that is filled after it is made.
template <class Model, class Fill, class Empty> ModelRow filled(Fill fill, Empty empty) {
  auto model = std::make_unique<Model>();
  Model* const made = model.get();
  return {std::move(model), [made, fill]() mutable { fill(*made); }, [made, empty] { empty(*made); }};
}

/// By the name of the class: every model of ui/ with content of the bundled samples.
const std::map<std::string, std::function<ModelRow()>>& modelRows() {
  static const std::map<std::string, std::function<ModelRow()>> rows = {
      {"ContentsModel",
       [] {
         return filled<ContentsModel>(
             [](ContentsModel& model) { model.setRows(library::contentsOf(*sample("sample-cuda-a.so"))); },
             [](ContentsModel& model) { model.setRows({}); });
       }},
      {"FieldsModel",
       [] {
         const view::Page page = pageOf("sample-cuda-a.so", Ref::moduleAt({}, 2), "fields");
         return ModelRow{std::make_unique<FieldsModel>(std::get<view::FieldsPage>(page.content).tree)};
       }},
      {"CallsModel", [] { return ModelRow{std::make_unique<CallsModel>(callsExample())}; }},
      {"SizeChangesModel", [] { return ModelRow{std::make_unique<SizeChangesModel>(sizesExample())}; }},
      {"TableModel",
       [] {
         const view::Page page = pageOf("sample-cuda-a.so", Ref::moduleAt({}, 2), "table");
         return ModelRow{std::make_unique<TableModel>(std::get<view::TablePage>(page.content).source)};
       }},
      {"ProblemsModel",
       [] {
         return filled<ProblemsModel>(
             [](ProblemsModel& model) {
               model.setReport(
                   std::make_shared<const check::Report>(mlf::foundWhileOpening(*sample("sample-damaged.so"))));
             },
             [](ProblemsModel& model) { model.setReport(nullptr); });
       }},
      {"SearchModel",
       [] {
         return filled<SearchModel>(
             [](SearchModel& model) {
               NullMonitor monitor;
               std::vector<FoundText> found;
               const auto package = sample("sample-cuda-a.so");
               (void)search::find(*package, {"kernel"}, monitor, [&](const search::Hit& hit) {
                 found.push_back({hit, QString::fromStdString(hit.ref.toString())});
                 return found.size() < 100;
               });
               model.append(std::move(found));
             },
             [](SearchModel& model) { model.clear(); });
       }},
      {"EditsModel",
       [] {
         return filled<EditsModel>(
             [](EditsModel& model) {
               NullMonitor monitor;
               std::vector<edit::Description> changes;
               for (const edit::Edit& edit : someEdits()) {
                 auto change = edit::describe(sample("sample-cuda-a.so"), edit, {}, monitor);
                 if (!change) qFatal("%s", change.error().message().c_str());
                 changes.push_back(std::move(*change));
               }
               model.setChanges(std::move(changes));
             },
             [](EditsModel& model) { model.setChanges({}); });
       }},
      {"DiffModel",
       [] {
         return filled<DiffModel>(
             [](DiffModel& model) {
               Jobs jobs;
               Comparison comparison(jobs, sample("sample-cuda-a.so"), QStringLiteral("a"), sample("sample-cuda-b.so"),
                                     QStringLiteral("b"));
               comparison.start();
               finishJobs(jobs);
               if (!comparison.result()) qFatal("not compared");
               model.setCompared(comparison.result());
             },
             [](DiffModel& model) { model.setCompared(nullptr); });
       }},
      {"DiffRowsModel",
       [] {
         const Ref cuda = Ref::moduleAt({}, 2);
         return ModelRow{std::make_unique<DiffRowsModel>(
             comparedPage(pageOf("sample-cuda-a.so", cuda, "table"), pageOf("sample-cuda-b.so", cuda, "table")))};
       }},
      {"ChecklistTableModel",
       [] { return ModelRow{std::make_unique<ChecklistTableModel>(checklistExample().tables.front())}; }},
      {"PreflightModel",
       [] {
         return filled<PreflightModel>(
             [](PreflightModel& model) {
               auto check = std::make_shared<FilesCheck>();
               check->report = filesExample();
               model.setCheck(std::move(check));
             },
             [](PreflightModel& model) { model.setCheck(nullptr); });
       }},
      {"RunHistoryModel",
       [] {
         return filled<RunHistoryModel>([](RunHistoryModel& model) { model.setHistory({runEntry(), runEntry()}); },
                                        [](RunHistoryModel& model) { model.setHistory({}); });
       }},
      {"RunRowsModel",
       [] {
         return filled<RunRowsModel>(
             [launches = false](RunRowsModel& model) mutable {
               model.setEntry(runEntry());
               if (launches) model.setFunction(0);
               launches = !launches;
             },
             [](RunRowsModel& model) { model.setEntry(nullptr); });
       }},
      {"NodesModel",
       [] {
         return filled<NodesModel>(
             [](NodesModel& model) {
               auto report = std::make_shared<run::RunReport>();
               run::FunctionResult& result = report->functions.emplace_back();
               result.nodes.resize(3);
               result.nodes[1].times = {1, 2, 3};
               result.nodes[2].outputs.resize(1);
               model.setResult(std::move(report), 0);
             },
             [](NodesModel& model) { model.setResult(nullptr, 0); });
       }},
      {"RunInputsModel",
       [] {
         return filled<RunInputsModel>(
             [](RunInputsModel& model) {
               model.setInputs(
                   {{"A", QStringLiteral("float32"), QStringLiteral("7"), QStringLiteral("default")},
                    {"C", QStringLiteral("float32"), QStringLiteral("7"), QStringLiteral("default"), true}});
             },
             [](RunInputsModel& model) { model.setInputs({}); });
       }},
      {"ChangesModel",
       [] {
         return ModelRow{std::make_unique<ChangesModel>(
             QVector<ChangeRow>{{QStringLiteral("Kernel 'add' renamed"), QStringLiteral("add → sum")}}, nullptr)};
       }},
      {"StepsModel",
       [] {
         return filled<StepsModel>(
             [](StepsModel& model) {
               model.setSteps(describe::stepsOf(repackOf(sample("sample-cuda-a.so"), someEdits()).plan));
             },
             [](StepsModel& model) { model.setSteps({}); });
       }},
  };
  return rows;
}

/// The roles of Qt whose values have to be of a type, when a model has one.
const std::vector<std::pair<int, QMetaType::Type>> kTypedRoles = {
    {Qt::DisplayRole, QMetaType::QString},        {Qt::ToolTipRole, QMetaType::QString},
    {Qt::StatusTipRole, QMetaType::QString},      {Qt::WhatsThisRole, QMetaType::QString},
    {Qt::AccessibleTextRole, QMetaType::QString}, {Qt::AccessibleDescriptionRole, QMetaType::QString},
};

/// Why a view cannot show the index, empty when it can. Reads all roles.
QString whyWrong(const QModelIndex& index) {
  for (const auto& [role, type] : kTypedRoles)
    if (const QVariant value = index.data(role); value.isValid() && value.metaType().id() != type)
      return QStringLiteral("role %1 is a %2").arg(role).arg(QLatin1String(value.metaType().name()));
  if (!index.data(Qt::DisplayRole).isValid()) return QStringLiteral("nothing to show");
  if (index.data(Qt::DisplayRole).toString().contains(QLatin1Char('\n'))) return QStringLiteral("more than one line");
  for (int role = Qt::UserRole; role < Qt::UserRole + 96; ++role) (void)index.data(role);
  if (index.data(Qt::UserRole + 5'000).isValid()) return QStringLiteral("a value for an unknown role");
  if (!(index.flags() & Qt::ItemIsEnabled)) return QStringLiteral("cannot be chosen");
  return {};
}

/// The same of all rows below `parent`; `count` gets the number of indexes.
QString whyWrong(const QAbstractItemModel& model, const QModelIndex& parent, int& count) {
  const int columns = model.columnCount(parent);
  for (int row = 0; row < std::min(model.rowCount(parent), kMostRows); ++row) {
    for (int column = 0; column < columns; ++column) {
      const QModelIndex index = model.index(row, column, parent);
      if (!index.isValid() || model.parent(index) != parent) return QStringLiteral("no index of row %1").arg(row);
      ++count;
      if (const QString found = whyWrong(index); !found.isEmpty())
        return QStringLiteral("row %1, column %2: %3").arg(row).arg(column).arg(found);
    }
    if (const QString found = whyWrong(model, model.index(row, 0, parent), count); !found.isEmpty())
      return QStringLiteral("row %1 > ").arg(row) + found;
  }
  return {};
}

} // namespace

/// What every item model of the window promises, with content of the bundled samples.
class TestItemModels : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void cleanup() { QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); } // the tester reads them
  void everyModelHasARow();
  void models_data();
  void models();

private:
  Application m_application;
};

/// Every class in a header of ui/ that is derived from one of Qt's models.
void TestItemModels::everyModelHasARow() {
  std::set<std::string> wanted;
  const QRegularExpression model(QStringLiteral("class (\\w+) (?:final )?: public QAbstract(?:Item|List|Table)Model"));
  for (QDirIterator it(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/ui"), {QStringLiteral("*.h")}, QDir::Files,
                       QDirIterator::Subdirectories);
       it.hasNext();) {
    QFile file(it.next());
    QVERIFY(file.open(QIODevice::ReadOnly));
    for (auto found = model.globalMatch(QString::fromUtf8(file.readAll())); found.hasNext();)
      wanted.insert(found.next().captured(1).toStdString());
  }
  QVERIFY(wanted.size() > 10);
  for (const std::string& name : wanted) QVERIFY2(modelRows().contains(name), ("no row for " + name).c_str());
  for (const auto& [name, make] : modelRows()) QVERIFY2(wanted.contains(name), ("no model " + name).c_str());
}

void TestItemModels::models_data() {
  QTest::addColumn<std::string>("name");
  for (const auto& [name, make] : modelRows()) QTest::newRow(name.c_str()) << name;
}

void TestItemModels::models() {
  QFETCH(std::string, name);
  const ModelRow row = modelRows().at(name)();
  QAbstractItemModel& model = *row.model;
  QCOMPARE(std::string(model.metaObject()->className()), "blobscope::ui::" + name);
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  for (int round = 0; round < 2; ++round) {
    if (row.fill) row.fill();
    int count = 0;
    const QString found = whyWrong(model, {}, count);
    QVERIFY2(found.isEmpty(), qPrintable(found));
    QVERIFY(count > 0);
    if (model.columnCount() > 1)
      for (int column = 0; column < model.columnCount(); ++column) {
        const QVariant title = model.headerData(column, Qt::Horizontal, Qt::DisplayRole);
        QVERIFY(title.isValid() && title.metaType().id() == QMetaType::QString);
      }
    // Nothing where there is nothing.
    QVERIFY(!model.data({}, Qt::DisplayRole).isValid());
    QVERIFY(!model.index(model.rowCount(), 0).isValid());
    QVERIFY(!model.index(0, model.columnCount()).isValid());
    QVERIFY(!model.index(-1, 0).isValid());
    if (!row.empty) return;
    row.empty();
    QCOMPARE(model.rowCount(), 0);
  }
}

BLOBSCOPE_TEST(TestItemModels);
#include "test_item_models.moc"
