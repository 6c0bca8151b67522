#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/payloads/tensor/npy.h"
#include "core/protocol/runner_process.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/compare/tensor_pair_page.h"
#include "ui/models/nodes_model.h"
#include "ui/widgets/charts/difference_plot.h"
#include "ui/window/dialogs/run_dialog.h"
#include "ui/window/nodes_view.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/run_panel.h"
#include "ui/window/running.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// A widget of the dialog by its object name.
template <class T> T& widget(const RunDialog& dialog, const char* name) {
  return *dialog.findChild<T*>(QLatin1String(name));
}

run::Output outputOf(double low, double high) {
  run::Output out;
  out.name = "output";
  out.type = {2, 32, 1};
  out.shape = {1, 4};
  out.statistics.emplace();
  payloads::TensorStatistics& values = out.statistics->values;
  values.count = 4;
  values.minimum = low;
  values.maximum = high;
  values.minimumText = QString::number(low).toStdString();
  values.maximumText = QString::number(high).toStdString();
  values.mean = (low + high) / 2;
  values.histogram[3] = 4;
  return out;
}

run::NodeResult nodeOf(const char* name, double time) {
  run::NodeResult out;
  out.name = name;
  out.function = std::string("fused_") + name;
  out.within = "graph";
  out.times = {time, time, time};
  out.bytesRead = 64;
  out.bytesWritten = 16;
  out.outputs.push_back(outputOf(-1.5, 2));
  return out;
}

void compareNode(run::NodeResult& node, std::size_t reference, double difference, protocol::Verdict verdict) {
  run::NodeResult::Comparison comparison;
  comparison.reference = reference;
  comparison.largest = difference;
  comparison.equal = verdict != protocol::Verdict::Differs;
  protocol::OutputComparison& output = comparison.outputs.emplace_back();
  output.verdict = verdict;
  output.count = output.measured = 4;
  output.sameBits = verdict == protocol::Verdict::Identical ? 4 : 3;
  output.maxAbsolute = difference;
  output.tolerance = {1e-5, 1e-4, {}};
  node.comparison = std::move(comparison);
}

/// Six nodes: the same, within the tolerance, twice other values, only here, and again other values.
RunEntryPtr comparison() {
  auto report = std::make_shared<run::RunReport>();
  report->device = "cpu";
  report->model = true;
  run::FunctionResult& result = report->functions.emplace_back();
  result.function = "main";
  result.status = run::Status::Differs;
  for (const char* name : {"conv2d", "bias", "dense", "add", "extra", "softmax"})
    result.nodes.push_back(nodeOf(name, 10));
  using protocol::Verdict;
  compareNode(result.nodes[0], 0, 0, Verdict::Identical);
  compareNode(result.nodes[1], 1, 1e-7, Verdict::WithinTolerance);
  compareNode(result.nodes[2], 2, 4.1e-3, Verdict::Differs);
  compareNode(result.nodes[3], 3, 0.35, Verdict::Differs);
  compareNode(result.nodes[5], 4, 0.01, Verdict::Differs);
  for (const char* name : {"conv2d", "bias", "dense", "add", "softmax"})
    result.referenceNodes.push_back(nodeOf(name, 12));
  result.firstDifference = 2;
  auto entry = std::make_shared<RunEntry>();
  entry->file = QStringLiteral("tuesday.so");
  entry->started = QDateTime(QDate(2026, 1, 2), QTime(14, 32));
  entry->request.options.model = true;
  entry->request.against = RunRequest::Against::Other;
  entry->request.other = QStringLiteral("/a/monday.so");
  auto functions = std::make_shared<xref::Functions>();
  xref::HostFunction& dense = functions->hosts.emplace_back();
  dense.symbol = "__tvm_ffi_fused_dense";
  dense.ref = Ref::parse("host:fused_dense").value();
  dense.signature.function = "fused_dense";
  entry->functions = functions;
  entry->report = report;
  return entry;
}

RunSubjectPtr subjectWithModel(bool inside) {
  auto out = std::make_shared<RunSubject>();
  out->state = std::make_shared<Document::State>();
  auto functions = std::make_shared<xref::Functions>();
  for (const char* name : {"conv2d", "softmax"}) {
    xref::HostFunction& host = functions->hosts.emplace_back();
    host.symbol = std::string("__tvm_ffi_") + name;
    host.ref = Ref::named(Ref::Kind::Host, name);
    host.signature.function = name;
  }
  out->functions = functions;
  out->sha256 = out->digest = QString(64, QLatin1Char('a'));
  if (!inside) return out;
  program::Entry& entry = out->model.entries.emplace_back();
  entry.name = "main";
  host::Parameter& x = entry.signature.parameters.emplace_back();
  x.name = "x";
  x.kind = host::Parameter::Kind::Tensor;
  x.dtype = "float32";
  x.rankKnown = true;
  x.shape = {host::dimensionOf("1"), host::dimensionOf("4")};
  out->model.kind = QStringLiteral("Relax VM");
  return out;
}

/// The consents of a user who agreed to run a subject.
const QStringList kTrusted = {QString(64, QLatin1Char('a'))};

Bytes bytesOfFile(const std::string& path) {
  const auto source = ByteSource::openFile(pathFrom(path));
  return source ? ByteSource::all(*source) : Bytes();
}

void choose(const RunDialog& dialog, RunDialog::Mode mode) {
  QComboBox& box = widget<QComboBox>(dialog, "mode");
  box.setCurrentIndex(box.findData(static_cast<int>(mode)));
}

/// The row of a node in the table.
QModelIndex rowOf(const NodesView& view, int node) {
  const QAbstractItemModel& rows = *view.table().model();
  for (int row = 0; row < rows.rowCount(); ++row)
    if (rows.index(row, NodesModel::Number).data().toInt() == node) return rows.index(row, NodesModel::Node);
  return {};
}

} // namespace

/// Whole models: the question before the run, the nodes after it, and the first difference of two builds.
class TestNodesView : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void dialogOffersTheModel();
  void dialogAsksForTheGraph();
  void nodesAreListed();
  void columnsFollowTheRun();
  void firstDifferenceIsShown();
  void plotAndTableShareTheSelection();
  void keysWalkTheDifferences();
  void filterShowsNodes();
  void orderIsChosen();
  void valuesOfBothBuildsAreInColumns();
  void codeIsOpened();
  void viewIsPaintedInBothThemes();
  void everyControlHasAName();
  void differencesAreWritten();
  void modelOfTheSampleIsRun();
  void changedConstantIsTheFirstDifference();
  void toleranceIsChanged();
  void outputsAreComparedAsTensors();
  void nodeIsRunAlone();
  void equalLibrariesHaveNoDifference();
  void runIsCancelledAtOnce();

private:
  /// Opens the dialog for the whole model, accepts it in this mode, and waits for the tab; null if there is none.
  static NodesView* runModel(MainWindow& window, RunDialog::Mode mode, const QString& other = {}, int repeats = 3);
  /// Opens a copy of the sample, changes a number of a constant, and compares it with the file as opened; null if the
  /// sample cannot be run here.
  NodesView* runChanged(MainWindow& window);

  WindowApplication m_application;
  Files m_files;
};

void TestNodesView::init() {
  WindowApplication::reset();
  qputenv("BLOBSCOPE_RUNNER", BLOBSCOPE_TEST_RUNNER);
  qApp->setProperty("runConsents", QVariant());
}

void TestNodesView::dialogOffersTheModel() {
  RunDialog dialog({subjectWithModel(true), QStringLiteral("/a/model.so"), kTrusted, {}}, nullptr);
  dialog.show();
  QComboBox& box = widget<QComboBox>(dialog, "function");
  QCOMPARE(box.currentText(), QStringLiteral("All functions (2)")); // as before, a dry run
  QVERIFY(dialog.request().options.dry && !widget<QCheckBox>(dialog, "keep").isVisible());
  box.setCurrentIndex(0);
  QCOMPARE(box.currentText(), QStringLiteral("main – whole model (Relax VM)"));
  QVERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
  QVERIFY(widget<QCheckBox>(dialog, "keep").isVisible());
  QVERIFY(!widget<QLineEdit>(dialog, "graph").isVisible()); // bytecode takes no files
  RunRequest request = dialog.request();
  QVERIFY(request.options.model && request.options.keepNodes && !request.options.dry);
  QCOMPARE(request.options.functions, std::vector<std::string>{"main"});
  QCOMPARE(request.options.taps, std::vector<std::string>{"all"});
  widget<QLineEdit>(dialog, "taps").setText(QStringLiteral(" add , 3-7,"));
  QCOMPARE(dialog.request().options.taps, (std::vector<std::string>{"add", "3-7"}));
  const RunRequest named = dialog.request();
  widget<QCheckBox>(dialog, "keep").setChecked(false);
  QVERIFY(dialog.request().options.taps.empty());
  choose(dialog, RunDialog::Mode::Other);
  QCOMPARE(dialog.request().options.taps, std::vector<std::string>{"all"}); // needed to compare nodes
  choose(dialog, RunDialog::Mode::Dry);
  QCOMPARE(dialog.problem(), QStringLiteral("A whole model cannot be run as a dry run."));

  const RunDialog again({subjectWithModel(true), QStringLiteral("/a/model.so"), kTrusted, request}, nullptr);
  QCOMPARE(widget<QComboBox>(again, "function").currentIndex(), 0);
  QVERIFY(again.request().options.model);
  const RunDialog same({subjectWithModel(true), QStringLiteral("/a/model.so"), kTrusted, named}, nullptr);
  QCOMPARE(same.request().options.taps, named.options.taps);
  RunRequest whole; // "Run the whole model…"
  whole.options.model = true;
  const RunDialog first({subjectWithModel(true), QStringLiteral("/a/model.so"), kTrusted, whole}, nullptr);
  QCOMPARE(widget<QComboBox>(first, "function").currentText(), QStringLiteral("main – whole model (Relax VM)"));
  QVERIFY(first.request().options.model && !first.request().options.dry);
}

void TestNodesView::dialogAsksForTheGraph() {
  program::ModelFiles asked;
  RunDialog dialog({subjectWithModel(false),
                    QStringLiteral("/a/model.so"),
                    kTrusted,
                    {},
                    {},
                    [&](const program::ModelFiles& files) { asked = files; }},
                   nullptr);
  dialog.show();
  QComboBox& box = widget<QComboBox>(dialog, "function");
  box.setCurrentIndex(box.count() - 1);
  QCOMPARE(box.currentText(), QStringLiteral("Whole model – its graph is in a file"));
  QVERIFY2(dialog.problem().contains(QStringLiteral("Choose the graph")), qPrintable(dialog.problem()));
  QVERIFY(!widget<QPushButton>(dialog, "run").isEnabled());
  widget<QLineEdit>(dialog, "graph").setText(QStringLiteral("/a/graph.json"));
  widget<QLineEdit>(dialog, "parameters").setText(QStringLiteral("/a/model.params"));
  QCOMPARE(asked.parameters, std::filesystem::path("/a/model.params"));
  QVERIFY(!dialog.problem().isEmpty()); // it is being read
  ModelEntries model;
  model.problem = Error(DiagnosticId::RunProgram, {{"reason", "its graph has no nodes"}});
  dialog.setModel(asked, model);
  QVERIFY2(dialog.problem().contains(QStringLiteral("no nodes")), qPrintable(dialog.problem()));
  model = subjectWithModel(true)->model;
  model.entries.front().name = "graph";
  dialog.setModel({"/a/other.json", {}}, model); // not the current answer
  QVERIFY(!dialog.problem().isEmpty());
  dialog.setModel(asked, model);
  QVERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
  const RunRequest request = dialog.request();
  QCOMPARE(request.options.functions, std::vector<std::string>{"graph"});
  QCOMPARE(request.options.modelFiles.graph, std::filesystem::path("/a/graph.json"));
  QVERIFY(widget<QPushButton>(dialog, "run").isEnabled());
}

void TestNodesView::nodesAreListed() {
  NodesModel model;
  const QAbstractItemModelTester tester(&model);
  model.setResult(comparison()->report, 0);
  QCOMPARE(model.rowCount(), 6);
  const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
  QCOMPARE(text(2, NodesModel::Node), QStringLiteral("dense"));
  QCOMPARE(text(2, NodesModel::OutputType), QStringLiteral("float32 [1,4]"));
  QCOMPARE(text(2, NodesModel::Status), QStringLiteral("first difference"));
  QCOMPARE(text(3, NodesModel::Status), QStringLiteral("differs"));
  QCOMPARE(text(4, NodesModel::Status), QStringLiteral("only in B"));
  QCOMPARE(text(1, NodesModel::Status), QStringLiteral("within tolerance"));
  QCOMPARE(text(0, NodesModel::Status), QStringLiteral("same bits"));
  QCOMPARE(text(2, NodesModel::Largest), QStringLiteral("4.1e-3"));
  QCOMPARE(text(2, NodesModel::Elements), QStringLiteral("25.0"));
  QCOMPARE(text(5, NodesModel::ReferenceTime), QStringLiteral("12.00"));
  QVERIFY(text(4, NodesModel::Largest).isEmpty() && text(4, NodesModel::ReferenceTime).isEmpty());
  QCOMPARE(text(0, NodesModel::Share), QStringLiteral("16.7"));
  QCOMPARE(model.totalTime(), 60.0);
  QVERIFY(model.rowText(3).contains(QStringLiteral("largest difference 0.35")));
}

void TestNodesView::columnsFollowTheRun() {
  NodesModel model;
  model.setResult(comparison()->report, 0);
  QVERIFY(model.isUsed(NodesModel::Status) && !model.isUsed(NodesModel::Minimum) && !model.isUsed(NodesModel::Share));
  auto alone = std::make_shared<run::RunReport>();
  run::FunctionResult& result = alone->functions.emplace_back();
  result.nodes = {nodeOf("conv2d", 10)};
  model.setResult(alone, 0);
  QVERIFY(!model.isComparison() && !model.isUsed(NodesModel::Status) && model.isUsed(NodesModel::Share));
  QVERIFY(model.isUsed(NodesModel::Minimum) && model.isUsed(NodesModel::Function));
  QCOMPARE(model.index(0, NodesModel::Minimum).data().toString(), QStringLiteral("-1.5"));
  QVERIFY(!model.isUsed(NodesModel::Rate));
  auto measured = std::make_shared<run::RunReport>(*alone);
  measured->functions[0].nodes = {nodeOf("conv2d", 10), nodeOf("relu", 5)};
  measured->functions[0].nodes[0].flop = 20'000;
  model.setResult(measured, 0);
  QVERIFY(model.isUsed(NodesModel::Rate));
  QCOMPARE(model.index(0, NodesModel::Rate).data().toString(), QStringLiteral("2"));
  QCOMPARE(model.index(1, NodesModel::Rate).data().toString(), QStringLiteral("—"));
  auto bare = std::make_shared<run::RunReport>();
  bare->functions.emplace_back().nodes.resize(1);
  model.setResult(bare, 0);
  QVERIFY(!model.isUsed(NodesModel::Rate));
  QVERIFY(!model.isUsed(NodesModel::Minimum) && !model.isUsed(NodesModel::Time) && !model.isUsed(NodesModel::Launches));
}

void TestNodesView::firstDifferenceIsShown() {
  Jobs jobs;
  const NodesView view(jobs, comparison(), 0, QStringLiteral("/a/tuesday.so"));
  QCOMPARE(view.title(), QStringLiteral("monday.so ↔ tuesday.so: nodes"));
  QCOMPARE(view.sentence(), QStringLiteral("Both builds agree up to node 1. From node 2 dense on they differ; the "
                                           "largest difference is 0.35 at node 3."));
  QCOMPARE(view.selected(), 2);
  QVERIFY(!view.plot().isHidden());
  QCOMPARE(view.plot().barCount(), 6);
  QVERIFY(view.plot().points()[2].kind == DifferencePlot::Kind::Differs);
  QVERIFY(view.plot().points()[4].kind == DifferencePlot::Kind::None);
  QVERIFY(view.details().text().contains(QStringLiteral("first difference")));
}

void TestNodesView::plotAndTableShareTheSelection() {
  Jobs jobs;
  NodesView view(jobs, comparison(), 0, QStringLiteral("/a/tuesday.so"));
  view.resize(1'400, 800);
  view.show();
  view.table().setCurrentIndex(rowOf(view, 3));
  QCOMPARE(view.plot().current(), 3);
  const QPoint place = view.plot().barRect(5).center();
  QTest::mouseClick(&view.plot(), Qt::LeftButton, {}, place);
  QCOMPARE(view.selected(), 5);
  QCOMPARE(view.table().currentIndex().row(), rowOf(view, 5).row());
  QTest::keyClick(&view.plot(), Qt::Key_Home);
  QCOMPARE(view.selected(), 0);
  QTest::keyClick(&view.plot(), Qt::Key_Right);
  QCOMPARE(view.selected(), 1);
  // Sorting does not change what is selected.
  view.table().sortByColumn(NodesModel::Largest, Qt::DescendingOrder);
  QCOMPARE(view.selected(), 1);
  QCOMPARE(view.table().model()->index(0, NodesModel::Node).data().toString(), QStringLiteral("add"));
}

void TestNodesView::keysWalkTheDifferences() {
  Jobs jobs;
  NodesView view(jobs, comparison(), 0, QStringLiteral("/a/tuesday.so"));
  view.show();
  QSignalSpy messages(&view, &NodesView::message);
  QTest::keyClick(&view, Qt::Key_F7);
  QCOMPARE(view.selected(), 3);
  QTest::keyClick(&view, Qt::Key_F7);
  QCOMPARE(view.selected(), 5);
  QTest::keyClick(&view, Qt::Key_F7);
  QCOMPARE(view.selected(), 5);
  QVERIFY(messages.last().front().toString().contains(QStringLiteral("no more differences")));
  QTest::keyClick(&view, Qt::Key_F7, Qt::ShiftModifier);
  QTest::keyClick(&view, Qt::Key_F7, Qt::ShiftModifier);
  QCOMPARE(view.selected(), 2);
  // A node that the filter hides is shown.
  view.filter().setText(QStringLiteral("conv"));
  QCOMPARE(view.table().model()->rowCount(), 1);
  QTest::keyClick(&view, Qt::Key_F7);
  QVERIFY(view.filter().text().isEmpty());
}

void TestNodesView::filterShowsNodes() {
  Jobs jobs;
  NodesView view(jobs, comparison(), 0, QStringLiteral("/a/tuesday.so"));
  view.filter().setText(QStringLiteral("FUSED_D"));
  QCOMPARE(view.table().model()->rowCount(), 1);
  view.filter().clear();
  auto* const which = view.findChild<QComboBox*>();
  which->setCurrentIndex(1);
  QCOMPARE(view.table().model()->rowCount(), 3);
}

void TestNodesView::orderIsChosen() {
  Jobs jobs;
  NodesView view(jobs, comparison(), 0, QStringLiteral("/a/tuesday.so"));
  QComboBox& order = view.order();
  QCOMPARE(order.currentText(), QStringLiteral("Order: as run"));
  const auto choose = [&](const char* text) {
    order.setCurrentIndex(order.findText(QLatin1String(text)));
    Q_EMIT order.activated(order.currentIndex());
  };
  const auto nodeIn = [&](int row) { return view.table().model()->index(row, NodesModel::Number).data().toInt(); };
  choose("Order: difference");
  QCOMPARE(nodeIn(0), 3);
  QCOMPARE(view.selected(), 2);
  choose("Order: as run");
  QCOMPARE(nodeIn(0), 0);
  // A click on a header is an order that the box does not list, or one that it does.
  view.table().sortByColumn(NodesModel::Status, Qt::AscendingOrder);
  QCOMPARE(order.currentIndex(), -1);
  view.table().sortByColumn(NodesModel::Time, Qt::DescendingOrder);
  QCOMPARE(order.currentText(), QStringLiteral("Order: time"));
}

void TestNodesView::valuesOfBothBuildsAreInColumns() {
  const RunEntryPtr entry = comparison();
  auto report = std::make_shared<run::RunReport>(*entry->report);
  report->functions[0].referenceNodes[2].outputs[0] = outputOf(-2.5, 2);
  auto changed = std::make_shared<RunEntry>(*entry);
  changed->report = report;
  Jobs jobs;
  NodesView view(jobs, changed, 0, QStringLiteral("/a/tuesday.so"));
  view.resize(1'400, 900);
  view.show();
  QVERIFY2(view.details().text().contains(QStringLiteral("Min: A -2.5, B -1.5")), qPrintable(view.details().text()));
  QStringList names;
  for (const QLabel* const label : view.details().findChildren<QLabel*>()) names << label->accessibleName();
  QVERIFY(names.contains(QStringLiteral("Min of A: -2.5")) && names.contains(QStringLiteral("Min of B: -1.5")));
  // Only the value that differs is marked.
  DetailsPanel& panel = *view.findChild<DetailsPanel*>();
  const QImage picture = drawn(panel, 1);
  QVERIFY(countPixels(picture, theme().color(Role::ChangedLine), 4) > 200);
  view.select(1);
  QCOMPARE(countPixels(drawn(panel, 1), theme().color(Role::ChangedLine), 0), 0);
}

void TestNodesView::codeIsOpened() {
  Jobs jobs;
  NodesView view(jobs, comparison(), 0, QStringLiteral("/a/tuesday.so"));
  view.show();
  QSignalSpy chosen(&view, &NodesView::codeChosen), messages(&view, &NodesView::message);
  QTest::keyClick(&view.plot(), Qt::Key_Return);
  QCOMPARE(chosen.count(), 1);
  QCOMPARE(chosen.front().front().value<Ref>().toString(), std::string("host:fused_dense"));
  view.select(3); // its function is not in the library
  QTest::keyClick(&view.plot(), Qt::Key_Return);
  QCOMPARE(chosen.count(), 1);
  QVERIFY(messages.last().front().toString().contains(QStringLiteral("fused_add")));
}

void TestNodesView::viewIsPaintedInBothThemes() {
  Jobs jobs;
  NodesView view(jobs, comparison(), 0, QStringLiteral("/a/tuesday.so"));
  view.show();
  for (const Theme& look : {Theme::light(), Theme::dark()}) {
    setTheme(look);
    for (const QSize size : {QSize(640, 420), QSize(1'440, 800)}) {
      view.resize(size);
      const QImage picture = drawn(view, 1);
      QVERIFY(countPixels(picture, look.color(Role::Text), 8) > 50);
      QVERIFY(countPixels(picture, look.color(Role::Error), 8) > 50);
      QVERIFY(countPixels(picture, look.color(Role::ErrorBackground), 8) > 500);
    }
  }
}

void TestNodesView::everyControlHasAName() {
  Jobs jobs;
  NodesView view(jobs, comparison(), 0, QStringLiteral("/a/tuesday.so"));
  view.resize(1'440, 800);
  view.show();
  for (const QWidget* const one : view.findChildren<QWidget*>()) {
    if (!one->isVisible() || one->focusPolicy() == Qt::NoFocus || one->inherits("QHeaderView") ||
        one->inherits("QLabel"))
      continue;
    if (one->parentWidget() && one->parentWidget()->inherits("QAbstractScrollArea")) continue;
    const auto* const pressed = qobject_cast<const QAbstractButton*>(one);
    QVERIFY2(!one->accessibleName().isEmpty() || (pressed && !pressed->text().isEmpty()),
             one->metaObject()->className());
  }
}

void TestNodesView::differencesAreWritten() {
  QCOMPARE(differenceText(0), QStringLiteral("0"));
  QCOMPARE(differenceText(0.0099999), QStringLiteral("0.01"));
  QCOMPARE(differenceText(4.12e-3), QStringLiteral("4.1e-3"));
  QCOMPARE(differenceText(1e-12), QStringLiteral("1e-12"));
  QCOMPARE(differenceText(123.4), QStringLiteral("123"));
  QCOMPARE(differenceText(123'456), QStringLiteral("1.2e5"));
  QVERIFY(differenceText(-1).isEmpty());
}

NodesView* TestNodesView::runModel(MainWindow& window, RunDialog::Mode mode, const QString& other, int repeats) {
  Running& running = part<Running>(window);
  const int before = running.panel().runs().rowCount();
  running.ask();
  if (!QTest::qWaitFor([&] { return running.dialog() != nullptr; }, kWaitMs)) return nullptr;
  RunDialog& dialog = *running.dialog();
  widget<QComboBox>(dialog, "function").setCurrentIndex(0);
  if (!dialog.request().options.model) return nullptr;
  choose(dialog, mode);
  for (auto* const box : dialog.findChildren<QSpinBox*>())
    if (box->accessibleName() == QStringLiteral("Measured runs")) box->setValue(repeats);
  if (!other.isEmpty()) widget<QLineEdit>(dialog, "other").setText(other);
  const auto agreed = [&] {
    widget<QCheckBox>(dialog, "consent").setChecked(true);
    return widget<QPushButton>(dialog, "run").isEnabled();
  };
  if (!QTest::qWaitFor(agreed, kWaitMs)) return nullptr;
  dialog.accept();
  if (!QTest::qWaitFor([&] { return running.panel().runs().rowCount() > before; }, 120'000)) return nullptr;
  return qobject_cast<NodesView*>(part<NodeTabs>(window).otherPage());
}

/// With a runner: the model of the sample; its outputs and its trace are saved.
void TestNodesView::modelOfTheSampleIsRun() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cpu.so")));
  NodesView* const view = runModel(window, RunDialog::Mode::Device);
  if (!view) QSKIP("the sample is for another machine");
  QCOMPARE(view->model().rowCount(), 7);
  QVERIFY(!view->model().isComparison() && view->plot().isHidden());
  QVERIFY(view->sentence().startsWith(QStringLiteral("7 nodes took ")));
  for (int row = 0; row < 7; ++row) {
    QVERIFY(view->model().time(row) >= 0);
    QVERIFY(!view->model().index(row, NodesModel::Mean).data().toString().isEmpty());
  }
  QCOMPARE(view->model().index(6, NodesModel::Node).data().toString(), QStringLiteral("softmax"));

  QSignalSpy saved(view, &NodesView::saved);
  view->select(6);
  const QString npy = m_files.path(QStringLiteral("softmax.npy"));
  view->saveOutputs(npy);
  QVERIFY(saved.wait(kWaitMs));
  QFile file(npy);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray bytes = file.readAll();
  QVERIFY(bytes.startsWith("\x93NUMPY") && bytes.contains("'shape': (1, 5)"));
  const QString trace = m_files.path(QStringLiteral("trace.json"));
  view->saveTrace(trace);
  QVERIFY(saved.wait(kWaitMs));
  QFile events(trace);
  QVERIFY(events.open(QIODevice::ReadOnly));
  const QJsonArray list =
      QJsonDocument::fromJson(events.readAll()).object().value(QLatin1String("traceEvents")).toArray();
  QVERIFY(list.size() >= 7);
  view->saveOutputs(sample("sample-cpu.so")); // the file that was run
  QTRY_VERIFY_WITH_TIMEOUT(
      view->banner().isVisible() && view->banner().text().contains(QStringLiteral("was not saved")), kWaitMs);

  // Enter opens the code of the node.
  view->table().setCurrentIndex(rowOf(*view, 0));
  QTest::keyClick(&view->table(), Qt::Key_Return);
  QTRY_VERIFY_WITH_TIMEOUT(currentView(window) != nullptr, kWaitMs);
  QCOMPARE(part<NodeTabs>(window).place().toString(), std::string("host:conv2d"));
  // The panel brings the tab back.
  part<Running>(window).showNodes(part<Running>(window).panel().entry());
  QCOMPARE(part<NodeTabs>(window).otherPage(), view);
}

NodesView* TestNodesView::runChanged(MainWindow& window) {
  const QString path = m_files.path(QStringLiteral("model.so"));
  QFile::remove(path);
  if (!showActive(window) || !QFile::copy(sample("sample-cpu.so"), path) || !open(window, path)) return nullptr;
  const std::array<float, 5> bias = {1, 0, 0, 0, 0};
  const std::string bytes(reinterpret_cast<const char*>(bias.data()), sizeof bias);
  edit::Replace change;
  change.target = {Ref::parse("m0/const:12").value(), {}};
  change.content.bytes = Bytes::copyOf(bytes);
  window.document().edit(change);
  if (!QTest::qWaitFor([&] { return !window.document().isEditing() && window.document().state()->edits.size() == 1; },
                       kWaitMs))
    return nullptr;
  return runModel(window, RunDialog::Mode::Opened);
}

/// With a runner: the file with a changed constant, compared with the file as opened.
void TestNodesView::changedConstantIsTheFirstDifference() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  NodesView* const view = runChanged(window);
  if (!view) QSKIP("the sample is for another machine");
  QVERIFY(view->model().isComparison());
  const auto& first = view->model().result()->firstDifference;
  QVERIFY(first.has_value());
  QCOMPARE(view->model().node(static_cast<int>(*first)).name, std::string("add"));
  QVERIFY2(view->sentence().startsWith(QStringLiteral("Both builds agree up to node 4. From node 5 add on")),
           qPrintable(view->sentence()));
  QCOMPARE(view->selected(), 5);
  QVERIFY(view->goToNextDifference(false));
  QCOMPARE(view->selected(), 6);
  QVERIFY(view->model().reference(6));
  // Outputs of both builds are saved.
  QSignalSpy saved(view, &NodesView::saved);
  view->saveOutputs(m_files.path(QStringLiteral("both.npy")));
  QVERIFY(saved.wait(kWaitMs));
  QVERIFY(QFile::exists(m_files.path(QStringLiteral("both.npy"))) &&
          QFile::exists(m_files.path(QStringLiteral("both-a.npy"))));
  window.document().discard();
}

/// With a runner: what differs depends on the tolerance.
void TestNodesView::toleranceIsChanged() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  NodesView* const view = runChanged(window);
  if (!view) QSKIP("the sample is for another machine");
  QCOMPARE(view->tolerance().text(), QStringLiteral("1e-5"));
  QSignalSpy compared(view, &NodesView::compared), messages(view, &NodesView::message);
  const auto enter = [&](const char* text) {
    view->tolerance().setText(QLatin1String(text));
    QTest::keyClick(&view->tolerance(), Qt::Key_Return);
  };
  enter("1e3");
  QVERIFY(compared.wait(kWaitMs));
  QCOMPARE(view->sentence(), QStringLiteral("All 7 nodes agree within the tolerance."));
  QCOMPARE(view->model().count(NodeStatus::Within), 2);
  QVERIFY(!view->goToNextDifference(true));
  QVERIFY(view->plot().points()[5].kind == DifferencePlot::Kind::Within);
  QCOMPARE(view->selected(), 5); // as before
  QVERIFY(view->details().text().contains(QStringLiteral("within tolerance")));
  enter("much");
  QCOMPARE(view->tolerance().text(), QStringLiteral("1e3"));
  QVERIFY(messages.last().front().toString().contains(QStringLiteral("“much” is not a tolerance")));
  enter("1e-3, 0");
  QVERIFY(compared.wait(kWaitMs));
  QCOMPARE(view->model().count(NodeStatus::First), 1);
  QVERIFY(view->details().text().contains(QStringLiteral("atol 1e-3, rtol 0")));
  enter("");
  QVERIFY(compared.wait(kWaitMs));
  QCOMPARE(view->tolerance().text(), QStringLiteral("1e-5"));
  QCOMPARE(compared.count(), 3);
  window.document().discard();
}

void TestNodesView::outputsAreComparedAsTensors() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  NodesView* const view = runChanged(window);
  if (!view) QSKIP("the sample is for another machine");
  view->compareTensors();
  const auto page = [&] { return qobject_cast<TensorPairPage*>(part<NodeTabs>(window).otherPage()); };
  QTRY_VERIFY_WITH_TIMEOUT(page() != nullptr, kWaitMs);
  QStringList texts;
  for (const QLabel* const label : page()->findChildren<QLabel*>()) texts << label->text();
  QVERIFY2(texts.contains(QStringLiteral("Values that differ")), qPrintable(texts.join(u'|')));
  window.document().discard();
}

/// The dialog offers the function of the node with the values that it read.
void TestNodesView::nodeIsRunAlone() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  NodesView* const view = runChanged(window);
  if (!view) QSKIP("the sample is for another machine");
  view->select(4);
  view->runAlone();
  Running& running = part<Running>(window);
  QTRY_VERIFY_WITH_TIMEOUT(running.dialog() != nullptr, kWaitMs);
  RunDialog& dialog = *running.dialog();
  QVERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
  const RunRequest request = dialog.request();
  QCOMPARE(request.options.functions, std::vector<std::string>{"matmul"});
  QVERIFY(!request.options.model && !request.options.dry);
  QVERIFY(request.against == RunRequest::Against::Opened);
  QCOMPARE(request.options.inputs.size(), std::size_t{2});
  // The first one is the output of node 2.
  const auto names = view->model().node(4).inputs;
  QCOMPARE(names[0].number, std::size_t{2});
  const auto array = payloads::readNpy(bytesOfFile(request.options.inputs.at(names[0].name)));
  QVERIFY(array);
  QCOMPARE(array->shape, (std::vector<int64_t>{1, 4}));
  dialog.accept(); // agreed before
  QTRY_COMPARE_WITH_TIMEOUT(running.panel().runs().rowCount(), 2, kWaitMs);
  const run::RunReportPtr report = running.runs().history().front()->report;
  QVERIFY(report && report->functions[0].comparison);
  QVERIFY(report->functions[0].comparison->equal); // only the node after it has another constant
  QCOMPARE(report->functions[0].outputs[0].statistics->sum, view->model().node(4).outputs[0].statistics->sum);
  window.document().discard();
}

/// With a runner: a library and itself.
void TestNodesView::equalLibrariesHaveNoDifference() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cpu.so")));
  NodesView* const view = runModel(window, RunDialog::Mode::Other, sample("sample-cpu.so"));
  if (!view) QSKIP("the sample is for another machine");
  QCOMPARE(view->sentence(), QStringLiteral("All 7 nodes agree within the tolerance."));
  QVERIFY(!view->goToNextDifference(false));
  QVERIFY(!view->plot().points().empty());
}

/// With a runner: a long run ends at once, and its progress names nodes.
void TestNodesView::runIsCancelledAtOnce() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cpu.so")));
  if (!runModel(window, RunDialog::Mode::Device)) QSKIP("the sample is for another machine");
  TestRun& runs = part<Running>(window).runs();
  RunRequest request = runs.history().front()->request;
  request.options.repeat = 5'000;
  QStringList stages;
  connect(&runs, &TestRun::progressed, this, [&](const QString& what) { stages << what; });
  part<Running>(window).ask(request);
  QTRY_VERIFY_WITH_TIMEOUT(part<Running>(window).dialog() != nullptr, kWaitMs);
  part<Running>(window).dialog()->accept(); // agreed before
  const auto named = [&] {
    return std::ranges::any_of(stages,
                               [](const QString& one) { return one.startsWith(QStringLiteral("running node ")); });
  };
  QVERIFY(QTest::qWaitFor([&] { return named() && runs.isRunning(); }, kWaitMs));
  QElapsedTimer time;
  time.start();
  runs.cancel();
  QVERIFY(!runs.isRunning());
  QVERIFY(time.elapsed() < 100);
  QCOMPARE(runs.history().size(), std::size_t{1});
}

BLOBSCOPE_TEST(TestNodesView);

#include "test_nodes_view.moc"
