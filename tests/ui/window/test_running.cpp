#include "core/protocol/runner_process.h"
#include "tests/runner/fixture.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/models/run_model.h"
#include "ui/pages/overview_page.h"
#include "ui/pages/table_page.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/sample_plot.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/progress_strip.h"
#include "ui/window/dialogs/devices_dialog.h"
#include "ui/window/dialogs/run_consent.h"
#include "ui/window/dialogs/run_dialog.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/run_panel.h"
#include "ui/window/running.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QCryptographicHash>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QListView>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// A widget of the dialog by its object name.
template <class T> T& field(const RunDialog& dialog, const char* name) {
  return *dialog.findChild<T*>(QLatin1String(name));
}

/// The box of a symbolic size; null when the function has none with that name.
QSpinBox* sizeBox(const RunDialog& dialog, const QString& name) {
  for (auto* const box : dialog.findChildren<QSpinBox*>())
    if (box->accessibleName() == QStringLiteral("Size ") + name) return box;
  return nullptr;
}

/// The texts of the consent box, including files and digests.
QString consentText(const RunDialog& dialog) {
  QStringList lines;
  for (const auto* const label : dialog.findChild<RunConsent*>()->findChildren<ThemeLabel*>())
    if (!label->isHidden()) lines << label->text();
  return lines.join(QLatin1Char('\n'));
}

host::Parameter tensor(const char* name, const char* first) {
  host::Parameter out;
  out.name = name;
  out.kind = host::Parameter::Kind::Tensor;
  out.dtype = "float32";
  out.rankKnown = true;
  out.shape = {host::dimensionOf(first), host::dimensionOf("128")};
  return out;
}

host::Signature vadd() {
  host::Signature out;
  out.function = "vadd";
  out.source = host::Signature::Source::Literal;
  out.parameters = {tensor("A", "n"), tensor("B", "n * 2"), tensor("C", "n")};
  out.collectVariables();
  return out;
}

/// Two functions; the file does not describe the second one.
std::shared_ptr<const xref::Functions> functions() {
  auto out = std::make_shared<xref::Functions>();
  xref::HostFunction& first = out->hosts.emplace_back();
  first.symbol = "__tvm_ffi_vadd";
  first.ref = Ref::parse("host:vadd").value();
  first.signature = vadd();
  xref::HostFunction& second = out->hosts.emplace_back();
  second.symbol = "__tvm_ffi_other";
  second.ref = Ref::parse("host:other").value();
  second.signature.function = "other";
  xref::Kernel& kernel = out->kernels.emplace_back();
  kernel.ref = Ref::parse("m1/kernel:vadd_kernel").value();
  kernel.name = "vadd_kernel";
  kernel.moduleKey = "cuda";
  kernel.arguments = "handle, int32";
  xref::Caller& model = out->callers.emplace_back();
  model.ref = Ref::parse("m0/function:main").value();
  model.name = "main";
  model.kind = "VM";
  model.signature = vadd();
  return out;
}

run::FunctionResult good() {
  run::FunctionResult out;
  out.function = "vadd";
  out.signature = vadd();
  out.variables["n"] = 7;
  out.launchCount = 2;
  for (const char* name : {"vadd_kernel", "scale_kernel"}) {
    protocol::LaunchEvent& launch = out.launches.emplace_back();
    launch.kernel = name;
    launch.extents.grid = {96, 2, 1};
    launch.extents.block = {128, 1, 1};
    launch.extents.dynamicShared = 6'912;
    launch.arguments.push_back({"A", 0, {}});
  }
  return out;
}

run::FunctionResult bad() {
  run::FunctionResult out;
  out.function = "other";
  out.status = run::Status::Crashed;
  out.code = "RUN-CRASH";
  out.message = "the code ended the helper process with SIGSEGV in stage 'host-call'";
  return out;
}

RunEntryPtr entryOf(std::vector<run::FunctionResult> results, bool dry) {
  auto report = std::make_shared<run::RunReport>();
  report->device = dry ? "dry run" : "Some device";
  report->dry = dry;
  report->functions = std::move(results);
  report->log = {"hello"};
  auto entry = std::make_shared<RunEntry>();
  entry->file = QStringLiteral("model.so");
  entry->started = QDateTime(QDate(2026, 1, 2), QTime(14, 32));
  entry->request.options.dry = dry;
  entry->request.options.all = report->functions.size() > 1;
  entry->report = report;
  entry->functions = functions();
  return entry;
}

RunEntryPtr dryRun() { return entryOf({good(), bad()}, true); }

RunEntryPtr measured() {
  run::FunctionResult result = good();
  result.callTimes = {12, 10, 11, 14};
  result.kernelTimes.push_back({0, true, "vadd_kernel", 0, {4, 5, 6}});
  result.kernelTimes.push_back({0, true, "scale_kernel", 1, {2, 2, 2}});
  run::Output output;
  output.name = "C";
  output.type = {2, 32, 1};
  output.shape = {7, 128};
  output.statistics.emplace();
  output.statistics->values.count = 896;
  output.statistics->values.minimumText = "-1.5";
  output.statistics->values.maximumText = "2.5";
  result.outputs.push_back(output);
  run::RunComparison comparison;
  run::RunComparison::Pair pair;
  pair.name = "C";
  pair.result.verdict = protocol::Verdict::Identical;
  pair.result.count = pair.result.sameBits = 896;
  comparison.outputs.push_back(pair);
  comparison.times = protocol::compareTimes(result.callTimes, std::vector<double>{20, 21, 22, 23});
  result.comparison = comparison;
  return entryOf({result}, false);
}

RunEntryPtr refusal() {
  auto entry = std::make_shared<RunEntry>();
  entry->file = QStringLiteral("model.so");
  entry->code = QStringLiteral("RUN-FOREIGN-ARCH");
  entry->message = QStringLiteral("the code is for another machine");
  return entry;
}

RunSubjectPtr subject(std::vector<edit::Edit> edits = {}) {
  auto state = std::make_shared<Document::State>();
  state->edits = std::move(edits);
  auto out = std::make_shared<RunSubject>();
  out->state = state;
  out->functions = functions();
  out->sha256 = out->digest = QString(64, QLatin1Char('a'));
  return out;
}

/// The consents of a user who agreed to run subject().
const QStringList kAgreed = {QString(64, QLatin1Char('a'))};

/// Runs are requested and begun, and nothing can be started.
void useNoRunner() { qputenv("BLOBSCOPE_RUNNER", "/nowhere/runner"); }

/// In place, like a program that opens the file for writing.
bool append(const QString& path, const char* bytes) {
  QFile file(path);
  return file.open(QIODevice::Append) && file.write(bytes) > 0;
}

QString digestOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QString::fromLatin1(QCryptographicHash::hash(file.readAll(), QCryptographicHash::Sha256).toHex());
}

bool has(const view::Details& details, const std::string& words) {
  return std::any_of(details.begin(), details.end(), [&](const view::DetailGroup& group) {
    return group.title.find(words) != std::string::npos || group.note.find(words) != std::string::npos ||
           std::any_of(group.rows.begin(), group.rows.end(),
                       [&](const view::DetailRow& row) { return row.value.find(words) != std::string::npos; });
  });
}

} // namespace

/// The questions before a run, and the results after it; runs are injected, only the last tests need a runner.
class TestRunning : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void historyListsRuns();
  void rowsListLaunchesAndResults();
  void inputsAreListed();
  void plotShowsSamples();
  void dialogGivesARequest();
  void dialogNeedsConsent();
  void dialogAsksForBothLibraries();
  void dialogChecksInputs();
  void dialogOffersPossibleModes();
  void dialogSaysWhatCannotBeRun();
  void dialogAsksForLaunchParameters();
  void dialogAsksForTheRuntime();
  void dialogRepeatsTheLastRequest();
  void devicesAreListed();
  void checksAreShown();
  void devicesOfThisMachineAreChecked();
  void signaturesAreReadAfterConsent();
  void panelShowsADryRun();
  void panelShowsMeasurements();
  void panelShowsAFailedRun();
  void panelIsPaintedInBothThemes();
  void everyControlHasAName();
  void actionsFollowTheSelection();
  void runAsksOnce();
  void repeatedRunChecksBothLibraries();
  void fileChangedAfterConsentIsNotRun_data();
  void fileChangedAfterConsentIsNotRun();
  void overviewSaysWhetherCodeRan();
  void reportIsSaved();
  void runCanBeCancelled();
  void libraryIsDryRun();
  void unsavedEditsAreRun();
  void hostFunctionsAreMeasured();
  void libraryEqualsItself();
  void selectedKernelIsRun();

private:
  /// Agrees as soon as possible.
  static bool isAgreed(RunDialog& dialog);
  /// Gives consent, selects this mode, and waits for the result; null when there is none.
  static RunEntryPtr runIn(MainWindow& window, RunDialog::Mode mode, const QString& other = {});

  WindowApplication m_application;
  Files m_files;
};

void TestRunning::init() {
  WindowApplication::reset();
  qputenv("BLOBSCOPE_RUNNER", BLOBSCOPE_TEST_RUNNER);
  qApp->setProperty("runConsents", QVariant());
}

void TestRunning::historyListsRuns() {
  RunHistoryModel model;
  const QAbstractItemModelTester tester(&model);
  QCOMPARE(model.rowCount(), 0);
  model.setHistory({refusal(), measured(), dryRun()});
  QCOMPARE(model.rowCount(), 3);
  QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("vadd"));
  QCOMPARE(model.index(2, 0).data().toString(), QStringLiteral("2 functions"));
  QCOMPARE(RunHistoryModel::manner(*model.entry(2)), QStringLiteral("dry run"));
  QCOMPARE(model.index(0, 0).data(RunStatusRole).toInt(), static_cast<int>(run::Status::Failed));
  QCOMPARE(model.index(1, 0).data(RunStatusRole).toInt(), static_cast<int>(run::Status::Ok));
  QCOMPARE(model.index(2, 0).data(RunStatusRole).toInt(), static_cast<int>(run::Status::Crashed));
  QVERIFY(model.index(2, 0).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("crashed")));
}

void TestRunning::rowsListLaunchesAndResults() {
  RunRowsModel model;
  const QAbstractItemModelTester tester(&model);
  model.setEntry(nullptr);
  QCOMPARE(model.rowCount(), 0);
  model.setEntry(refusal());
  QCOMPARE(model.rowCount(), 0);

  model.setEntry(dryRun());
  QVERIFY(!model.showsLaunches());
  QCOMPARE(model.rowCount(), 2);
  QCOMPARE(model.index(0, RunRowsModel::Launches).data().toString(), QStringLiteral("2"));
  QCOMPARE(model.index(1, RunRowsModel::FunctionResult).data().toString(), QStringLiteral("crashed"));
  QVERIFY(model.index(1, RunRowsModel::FunctionResult)
              .data(Qt::ToolTipRole)
              .toString()
              .contains(QStringLiteral("RUN-CRASH")));
  QVERIFY(model.index(0, RunRowsModel::FunctionMedian).data().toString().isEmpty());
  QVERIFY(!model.launchOf(0));

  model.setFunction(0);
  QVERIFY(model.showsLaunches());
  QCOMPARE(model.rowCount(), 3);
  QCOMPARE(model.index(1, RunRowsModel::Kernel).data().toString(), QStringLiteral("vadd_kernel"));
  QCOMPARE(model.index(1, RunRowsModel::Grid).data().toString(), QStringLiteral("96 × 2 × 1"));
  QCOMPARE(model.index(1, RunRowsModel::Shared).data().toString(), QStringLiteral("6,912"));
  QCOMPARE(model.index(1, RunRowsModel::LaunchResult).data().toString(), QStringLiteral("recorded"));
  model.setFunction(99); // no such one
  QVERIFY(!model.showsLaunches());

  model.setEntry(measured());
  QVERIFY(model.showsLaunches());
  QCOMPARE(model.index(0, RunRowsModel::LaunchMedian).data().toString(), QStringLiteral("11.50"));
  QCOMPARE(model.index(1, RunRowsModel::LaunchMedian).data().toString(), QStringLiteral("5.00"));
  QCOMPARE(model.index(0, RunRowsModel::LaunchResult).data().toString(), QStringLiteral("equal"));
  QCOMPARE(model.index(1, 0).data(RunShareRole).toDouble(), 1.0);
  QCOMPARE(model.index(2, 0).data(RunShareRole).toDouble(), 0.4);
  QCOMPARE(model.times(2).size(), std::size_t{3});
  QVERIFY(model.times(99).empty());
}

void TestRunning::inputsAreListed() {
  RunInputsModel model;
  const QAbstractItemModelTester tester(&model);
  model.setInputs({{"A", QStringLiteral("float32"), QStringLiteral("7"), QStringLiteral("default"), false},
                   {"C", QStringLiteral("float32"), QStringLiteral("7"), QStringLiteral("default"), true}});
  QCOMPARE(model.rowCount(), 2);
  QCOMPARE(model.index(1, RunInputsModel::Filled).data().toString(), QStringLiteral("(output)"));
  QVERIFY(!(model.flags(model.index(0, RunInputsModel::Name)) & Qt::ItemIsEditable));
  const QModelIndex filled = model.index(0, RunInputsModel::Filled);
  QVERIFY(model.flags(filled) & Qt::ItemIsEditable);
  QVERIFY(model.problem().isEmpty());
  for (const QString& word : RunInputsModel::words()) {
    QVERIFY(model.setData(filled, word, Qt::EditRole));
    QVERIFY2(model.problem().isEmpty(), qPrintable(model.problem()));
  }
  QVERIFY(model.setData(filled, QStringLiteral("nonsense"), Qt::EditRole));
  QVERIFY(model.problem().contains(QStringLiteral("nonsense")) || model.problem().contains(QStringLiteral("'A'")));
  QVERIFY(model.setData(filled, QStringLiteral("/some/where/a.npy"), Qt::EditRole));
  QVERIFY(model.problem().isEmpty());
  QCOMPARE(filled.data().toString(), QStringLiteral("a.npy"));
  QVERIFY(model.setData(filled, QStringLiteral("  "), Qt::EditRole));
  QCOMPARE(filled.data().toString(), QStringLiteral("default"));
  model.setShapes({QStringLiteral("9"), QStringLiteral("9")});
  QCOMPARE(model.index(0, RunInputsModel::Shape).data().toString(), QStringLiteral("9"));
  model.setShapes({QStringLiteral("1")}); // not as many: nothing happens
  QCOMPARE(model.index(0, RunInputsModel::Shape).data().toString(), QStringLiteral("9"));
}

void TestRunning::plotShowsSamples() {
  SamplePlot plot;
  plot.resize(420, 220);
  plot.setEmptyText(QStringLiteral("nothing"));
  drawn(plot, 1);
  const auto inf = std::numeric_limits<double>::infinity();
  const QVector<QVector<double>> cases = {
      {5}, {5, 5, 5}, {0, 0}, {1, 1e9}, {1e-9, 2e-9}, {std::nan(""), inf, -1, 3}, QVector<double>(100'000, 7.5)};
  for (const Theme& look : {Theme::light(), Theme::dark()}) {
    setTheme(look);
    for (const QVector<double>& samples : cases) {
      plot.setSamples(QStringLiteral("kernel"), samples, SamplePlot::Level{QStringLiteral("edited"), 5, 4, 6},
                      SamplePlot::Level{QStringLiteral("original"), 6, 5, 7});
      const auto [low, high] = plot.range();
      QVERIFY(low < high && low >= 0);
      QVERIFY(countPixels(drawn(plot, 1), look.color(Role::Accent), 2) > 10);
    }
  }
  QCOMPARE(SamplePlot::timeText(4.45), QStringLiteral("4.45 µs"));
  QCOMPARE(SamplePlot::timeText(12'000), QStringLiteral("12 ms"));
  QVERIFY(plot.accessibleDescription().contains(QStringLiteral("edited median")));
}

void TestRunning::dialogGivesARequest() {
  RunDialog dialog({subject(), QStringLiteral("/a/model.so"), kAgreed, {}}, nullptr);
  dialog.show();
  QCOMPARE(field<QComboBox>(dialog, "function").count(), 6); // with two models and a kernel
  RunRequest request = dialog.request();
  QVERIFY(request.options.all && request.options.dry && request.options.functions.empty());
  QVERIFY(field<QPushButton>(dialog, "run").isEnabled());

  field<QComboBox>(dialog, "function").setCurrentIndex(1);
  QVERIFY(sizeBox(dialog, QStringLiteral("n")));
  QCOMPARE(sizeBox(dialog, QStringLiteral("n"))->value(), 7);
  QCOMPARE(dialog.findChild<RunInputsModel*>()->rowCount(), 3);
  QCOMPARE(dialog.findChild<RunInputsModel*>()->index(1, RunInputsModel::Shape).data().toString(),
           QStringLiteral("14 × 128"));
  sizeBox(dialog, QStringLiteral("n"))->setValue(32);
  QCOMPARE(dialog.findChild<RunInputsModel*>()->index(1, RunInputsModel::Shape).data().toString(),
           QStringLiteral("64 × 128"));
  request = dialog.request();
  QVERIFY(!request.options.all);
  QCOMPARE(request.options.functions, std::vector<std::string>{"vadd"});
  QCOMPARE(request.options.variables.at("n"), int64_t{32});
  // A function without a size or tensor asks for none.
  field<QComboBox>(dialog, "function").setCurrentIndex(2);
  QVERIFY(!sizeBox(dialog, QStringLiteral("n")));
  QCOMPARE(dialog.findChild<RunInputsModel*>()->rowCount(), 0);
  QVERIFY(dialog.request().options.variables.empty());
}

void TestRunning::dialogNeedsConsent() {
  RunDialog dialog({subject(), QStringLiteral("/a/model.so"), {}, {}}, nullptr);
  dialog.show();
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled());
  QVERIFY(field<QPushButton>(dialog, "run").text().contains(QStringLiteral("model.so")));
  QTest::keyClick(&dialog, Qt::Key_Return);
  QVERIFY(dialog.isVisible());
  field<QCheckBox>(dialog, "consent").setChecked(true);
  QVERIFY(field<QPushButton>(dialog, "run").isEnabled());
  QSignalSpy accepted(&dialog, &QDialog::accepted);
  field<QPushButton>(dialog, "run").click();
  QCOMPARE(accepted.count(), 1);
}

/// The box names both libraries with their digests, and the consent covers exactly these.
void TestRunning::dialogAsksForBothLibraries() {
  QStringList asked;
  RunRequest before;
  before.against = RunRequest::Against::Other;
  before.other = QStringLiteral("/b/other.so");
  const auto describe = [&](const QString& path) { asked << path; };
  const QString b(64, QLatin1Char('b')), c(64, QLatin1Char('c'));
  RunDialog dialog({subject(), QStringLiteral("/a/model.so"), kAgreed, before, describe}, nullptr);
  dialog.show();
  QCOMPARE(asked, QStringList{QStringLiteral("/b/other.so")});
  field<QCheckBox>(dialog, "consent").setChecked(true);
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled()); // nobody can agree to a file that is not read yet
  dialog.setOther(QStringLiteral("/b/other.so"), b);
  QVERIFY(!field<QCheckBox>(dialog, "consent").isChecked() && !field<QPushButton>(dialog, "run").isEnabled());
  for (const QString& words : {QStringLiteral("model.so in /a"), kAgreed.first(), QStringLiteral("other.so in /b"), b})
    QVERIFY2(consentText(dialog).contains(words), qPrintable(consentText(dialog)));
  QVERIFY(field<QPushButton>(dialog, "run").text().contains(QStringLiteral("model.so")) &&
          field<QPushButton>(dialog, "run").text().contains(QStringLiteral("other.so")));
  field<QCheckBox>(dialog, "consent").setChecked(true);
  QVERIFY(field<QPushButton>(dialog, "run").isEnabled());
  QCOMPARE(dialog.request().otherSha256, b);

  // Another library, whose digest arrives late; that of the first is not used for it.
  field<QLineEdit>(dialog, "other").setText(QStringLiteral("/c/third.so"));
  QCOMPARE(asked.size(), 2);
  dialog.setOther(QStringLiteral("/b/other.so"), b);
  field<QCheckBox>(dialog, "consent").setChecked(true);
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled() && dialog.request().otherSha256.isEmpty());
  dialog.accept();
  QVERIFY(dialog.isVisible());
  dialog.setOther(QStringLiteral("/c/third.so"), Error(DiagnosticId::FileNotFound, {arg("path", "/c/third.so")}));
  QVERIFY2(dialog.problem().contains(QStringLiteral("does not exist")), qPrintable(dialog.problem()));
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled());

  RunDialog again({subject(), QStringLiteral("/a/model.so"), QStringList(kAgreed) << c, before, describe}, nullptr);
  again.show();
  again.setOther(QStringLiteral("/b/other.so"), c);
  QVERIFY(field<QPushButton>(again, "run").isEnabled() && !field<QCheckBox>(again, "consent").isVisible());
}

void TestRunning::dialogChecksInputs() {
  RunDialog dialog({subject(), QStringLiteral("/a/model.so"), kAgreed, {}}, nullptr);
  dialog.show();
  field<QComboBox>(dialog, "function").setCurrentIndex(1);
  field<QComboBox>(dialog, "mode").setCurrentIndex(1);
  QVERIFY(!dialog.request().options.dry);
  QVERIFY(dialog.request().options.inputs.empty());
  QCOMPARE(dialog.request().options.repeat, std::optional<uint32_t>(100));
  const QModelIndex filled = dialog.findChild<RunInputsModel*>()->index(0, RunInputsModel::Filled);
  dialog.findChild<RunInputsModel*>()->setData(filled, QStringLiteral("ramp"), Qt::EditRole);
  QCOMPARE(dialog.request().options.inputs.at("A"), std::string("ramp"));
  QCOMPARE(dialog.request().options.inputs.size(), std::size_t{1});
  dialog.findChild<RunInputsModel*>()->setData(filled, QStringLiteral("nonsense"), Qt::EditRole);
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled());
  dialog.findChild<RunInputsModel*>()->setData(filled, QStringLiteral("ones"), Qt::EditRole);
  QVERIFY(field<QPushButton>(dialog, "run").isEnabled());
}

void TestRunning::dialogOffersPossibleModes() {
  RunDialog plain({subject(), QStringLiteral("/a/model.so"), kAgreed, {}}, nullptr);
  QCOMPARE(field<QComboBox>(plain, "mode").count(), 3);
  RunDialog dialog(
      {subject({edit::Rename{{Ref::parse("m1").value(), {}}, "x"}}), QStringLiteral("/a/model.so"), kAgreed, {}},
      nullptr);
  dialog.show();
  QCOMPARE(field<QComboBox>(dialog, "mode").count(), 4);
  field<QComboBox>(dialog, "mode").setCurrentIndex(2);
  QVERIFY(dialog.request().against == RunRequest::Against::Opened);
  field<QComboBox>(dialog, "mode").setCurrentIndex(3);
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled()); // which other one?
  QCOMPARE(field<QLineEdit>(dialog, "other").accessibleName(), QStringLiteral("Other library"));
  field<QLineEdit>(dialog, "other").setText(QStringLiteral("/b/other.so"));
  dialog.setOther(QStringLiteral("/b/other.so"), QString(64, QLatin1Char('b')));
  field<QCheckBox>(dialog, "consent").setChecked(true);
  QVERIFY(field<QPushButton>(dialog, "run").isEnabled());
  QCOMPARE(dialog.request().other, QStringLiteral("/b/other.so"));

  run::DeviceList devices;
  protocol::DeviceFound device;
  device.kind = "vulkan";
  device.name = "llvmpipe";
  device.index = 1;
  devices.devices.push_back(device);
  devices.missing.push_back({"NVIDIA driver", "CUDA modules can be run.", "not found", "cuda"});
  devices.missing.push_back({"OpenCL driver", "OpenCL modules can be run.", "not found", "opencl"});
  dialog.setDevices(devices);
  // The library has no OpenCL module.
  QVERIFY(dialog.findChildren<ThemeLabel*>().size() > 0);
  bool named = false;
  for (const auto* const label : dialog.findChildren<ThemeLabel*>()) {
    named = named || label->text().contains(QStringLiteral("NVIDIA driver"));
    QVERIFY2(!label->text().contains(QStringLiteral("OpenCL driver")), qPrintable(label->text()));
  }
  QVERIFY(named);
  QCOMPARE(field<QComboBox>(dialog, "device").count(), 4);
  field<QComboBox>(dialog, "device").setCurrentIndex(2);
  QCOMPARE(dialog.request().options.device, std::string("vulkan"));
  QCOMPARE(dialog.request().options.deviceIndex, 1);
  QVERIFY(!(field<QComboBox>(dialog, "device").model()->flags(field<QComboBox>(dialog, "device").model()->index(3, 0)) &
            Qt::ItemIsEnabled));
}

/// Before it asks for trust.
void TestRunning::dialogSaysWhatCannotBeRun() {
  const auto foreign = [](const char* kind, bool onDevice = false) {
    auto out = std::make_shared<RunSubject>(*subject());
    const Error error(DiagnosticId::RunForeignArch, {arg("what", "aarch64"), arg("here", "x86_64")});
    out->deviceProblem = error;
    if (!onDevice) out->dryProblem = out->runtimeProblem = error;
    auto functions = std::make_shared<xref::Functions>(*out->functions);
    functions->kernels.front().moduleKey = kind;
    out->functions = functions;
    return RunSubjectPtr(out);
  };
  const QString reason = QStringLiteral("The host code is for aarch64, but this machine is x86_64.");
  {
    // No back end runs Metal.
    RunDialog dialog({foreign("metal"), QStringLiteral("/a/model.so"), {}, {}}, nullptr);
    dialog.show();
    QCOMPARE(dialog.problem(), QStringLiteral("This file cannot be run here. ") + reason);
    QVERIFY(!field<QPushButton>(dialog, "run").isEnabled() && !field<QCheckBox>(dialog, "consent").isVisible());
    QVERIFY(field<QPushButton>(dialog, "run").toolTip().contains(reason));
    QVERIFY(!field<QComboBox>(dialog, "function").isVisible());
  }
  {
    RunDialog dialog({foreign("cuda"), QStringLiteral("/a/model.so"), {}, {}}, nullptr);
    dialog.show();
    auto& functions = field<QComboBox>(dialog, "function");
    QCOMPARE(functions.count(), 1);
    QCOMPARE(functions.currentText(), QStringLiteral("vadd_kernel – single kernel (cuda)"));
    QCOMPARE(field<ThemeLabel>(dialog, "hostNote").text(),
             QStringLiteral("Only single kernels can be run here. ") + reason);
    QVERIFY(dialog.problem().isEmpty() && field<QCheckBox>(dialog, "consent").isVisible());
  }
  {
    RunDialog dialog({foreign("cuda", true), QStringLiteral("/a/model.so"), kAgreed, {}}, nullptr);
    dialog.show();
    QVERIFY(!field<ThemeLabel>(dialog, "hostNote").isVisible());
    QVERIFY(dialog.problem().isEmpty()); // a dry run
    auto& mode = field<QComboBox>(dialog, "mode");
    mode.setCurrentIndex(mode.findData(static_cast<int>(RunDialog::Mode::Device)));
    QVERIFY2(dialog.problem().startsWith(QStringLiteral("The host functions can only be run as a dry run here.")),
             qPrintable(dialog.problem()));
  }
}

void TestRunning::dialogAsksForLaunchParameters() {
  RunDialog dialog({subject(), QStringLiteral("/a/model.so"), kAgreed, {}}, nullptr);
  dialog.show();
  field<QComboBox>(dialog, "function").setCurrentIndex(4);
  QCOMPARE(field<QComboBox>(dialog, "mode").currentData().toInt(),
           static_cast<int>(RunDialog::Mode::Device)); // it has no dry run
  QVERIFY(field<QPushButton>(dialog, "run").isEnabled() && field<QLineEdit>(dialog, "grid").isVisible() &&
          !field<QLineEdit>(dialog, "runtime").isVisible());
  RunInputsModel& inputs = *dialog.findChild<RunInputsModel*>();
  QCOMPARE(inputs.rowCount(), 2);
  QCOMPARE(inputs.index(0, RunInputsModel::Shape).data().toString(), QStringLiteral("from a dry run"));
  QVERIFY(!(inputs.flags(inputs.index(1, RunInputsModel::Filled)) & Qt::ItemIsEditable)); // a number is not filled
  QVERIFY(dialog.request().options.kernel && dialog.request().options.kernel->arguments.empty() &&
          !dialog.request().options.kernel->grid);
  QVERIFY(inputs.setData(inputs.index(0, RunInputsModel::Shape), QStringLiteral(" float32[7,128] "), Qt::EditRole));
  QVERIFY(inputs.setData(inputs.index(1, RunInputsModel::Shape), QStringLiteral("4"), Qt::EditRole));
  QVERIFY(inputs.setData(inputs.index(0, RunInputsModel::Filled), QStringLiteral("ones"), Qt::EditRole));
  field<QLineEdit>(dialog, "grid").setText(QStringLiteral("96, 2"));
  field<QLineEdit>(dialog, "block").setText(QStringLiteral("128"));
  field<QSpinBox>(dialog, "seconds").setValue(90);
  const RunRequest request = dialog.request();
  QVERIFY(request.options.kernel && !request.options.all && request.options.functions.empty());
  QCOMPARE(request.options.kernel->kernel.toString(), std::string("m1/kernel:vadd_kernel"));
  QVERIFY(request.options.kernel->grid == (std::array<uint64_t, 3>{96, 2, 1}) &&
          request.options.kernel->block == (std::array<uint64_t, 3>{128, 1, 1}));
  QCOMPARE(request.options.kernel->arguments.at(0), std::string("float32[7,128]"));
  QCOMPARE(request.options.kernel->arguments.at(1), std::string("4"));
  QCOMPARE(request.options.inputs.at("arg0"), std::string("ones"));
  QCOMPARE(request.options.limits.runMs, uint64_t{90'000});
  RunDialog again({subject(), QStringLiteral("/a/model.so"), kAgreed, request}, nullptr);
  QCOMPARE(field<QComboBox>(again, "function").currentIndex(), 4);
  QCOMPARE(again.request().options.kernel->arguments, request.options.kernel->arguments);
  for (const char* wrong : {"0", "x", "1,2,3,4"}) {
    field<QLineEdit>(dialog, "grid").setText(QString::fromUtf8(wrong));
    QVERIFY(!field<QPushButton>(dialog, "run").isEnabled() && dialog.problem().contains(QStringLiteral("Grid")));
  }
}

void TestRunning::dialogAsksForTheRuntime() {
  RunDialog dialog({subject(), QStringLiteral("/a/model.so"), kAgreed, {}}, nullptr);
  dialog.show();
  field<QComboBox>(dialog, "function").setCurrentIndex(3);
  QVERIFY(field<QLineEdit>(dialog, "runtime").isVisible() && !field<QLineEdit>(dialog, "grid").isVisible());
  QCOMPARE(dialog.problem(), QStringLiteral("Choose an installed TVM runtime."));
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled());
  field<QLineEdit>(dialog, "runtime").setText(QStringLiteral("/opt/tvm"));
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled()); // its code is loaded, too
  QVERIFY2(consentText(dialog).contains(QStringLiteral("TVM runtime: /opt/tvm")), qPrintable(consentText(dialog)));
  field<QCheckBox>(dialog, "consent").setChecked(true);
  QVERIFY(field<QPushButton>(dialog, "run").isEnabled());
  field<QLineEdit>(dialog, "runtime").setText(QStringLiteral("/opt/tvm2"));
  QVERIFY(!field<QPushButton>(dialog, "run").isEnabled());
  field<QLineEdit>(dialog, "runtime").setText(QStringLiteral("/opt/tvm"));
  const RunRequest request = dialog.request();
  QCOMPARE(request.options.functions, std::vector<std::string>{"main"});
  QCOMPARE(QString::fromStdString(request.options.runtime.native()), QStringLiteral("/opt/tvm"));
  QCOMPARE(request.options.variables.at("n"), int64_t{7});
}

void TestRunning::dialogRepeatsTheLastRequest() {
  RunRequest before;
  before.options.functions = {"vadd"};
  before.options.variables["n"] = 99;
  before.options.inputs["B"] = "ones";
  before.options.seed = 5;
  before.options.repeat = 17;
  before.options.device = "cuda";
  const RunDialog dialog({subject(), QStringLiteral("/a/model.so"), kAgreed, before}, nullptr);
  const RunRequest request = dialog.request();
  QCOMPARE(request.options.functions, before.options.functions);
  QCOMPARE(request.options.variables.at("n"), int64_t{99});
  QCOMPARE(request.options.inputs.at("B"), std::string("ones"));
  QCOMPARE(request.options.seed, uint64_t{5});
  QCOMPARE(request.options.repeat, std::optional<uint32_t>(17));
  QVERIFY(!request.options.dry);
}

void TestRunning::devicesAreListed() {
  DevicesDialog dialog(nullptr);
  dialog.show();
  run::DeviceList devices;
  protocol::DeviceFound device;
  device.kind = "cuda";
  device.name = "Some card";
  device.memoryBytes = uint64_t{1} << 30;
  device.facts = {{"capability", "9.0"}};
  devices.devices.push_back(device);
  devices.missing.push_back({"OpenCL loader", "OpenCL modules can be run.", "not found"});
  devices.confinement = {{"network", true, "no sockets"}, {"files", false, "writable wherever you can write"}};
  dialog.setDevices(devices);
  QVERIFY(has(dialog.details().details(), "Some card"));
  QVERIFY(has(dialog.details().details(), "9.0"));
  QVERIFY(has(dialog.details().details(), "OpenCL modules can be run."));
  QVERIFY(has(dialog.details().details(), "no sockets"));
  QVERIFY(has(dialog.details().details(), "not confined: writable wherever you can write"));
  dialog.setDevices(Error(DiagnosticId::RunRunner, {arg("reason", "not there")}));
  QVERIFY(has(dialog.details().details(), "not there"));
}

void TestRunning::checksAreShown() {
  DevicesDialog dialog(nullptr);
  dialog.show();
  QAbstractButton* const check = button(dialog, QStringLiteral("Check devices"));
  QVERIFY(check && !check->isEnabled());
  const auto summary = [&] { return dialog.findChild<ThemeLabel*>()->text(); };
  run::DeviceList devices;
  for (const uint32_t index : {0U, 1U}) {
    protocol::DeviceFound device;
    device.kind = "vulkan";
    device.index = index;
    device.name = "card " + std::to_string(index);
    devices.devices.push_back(device);
  }
  dialog.setDevices(devices);
  QVERIFY(check->isEnabled());
  QSignalSpy requested(&dialog, &DevicesDialog::checkRequested), cancelled(&dialog, &DevicesDialog::cancelRequested);
  check->click();
  QCOMPARE(requested.count(), 1);
  dialog.beginChecks();
  dialog.showProgress(QStringLiteral("checking vulkan:0"), 1, 8);
  QVERIFY(!check->isEnabled());
  QTest::keyClick(&dialog, Qt::Key_Escape);
  QCOMPARE(cancelled.count(), 1);
  QVERIFY(dialog.isVisible());
  dialog.endChecks();
  QVERIFY(check->isEnabled());

  run::DeviceCheck good, bad, skipped;
  good.kind = bad.kind = skipped.kind = "vulkan";
  good.name = bad.name = "copy";
  skipped.name = "float16 matrix multiplication";
  bad.index = 1;
  bad.status = run::DeviceCheck::Status::Failed;
  bad.code = "RUN-DIFFERS";
  bad.message = "3 elements differ";
  skipped.status = run::DeviceCheck::Status::Skipped;
  skipped.message = "the device does not support shaderFloat16";
  dialog.setChecks(std::vector<run::DeviceCheck>{good});
  QCOMPARE(summary(), QStringLiteral("All checks passed."));
  dialog.setChecks(std::vector<run::DeviceCheck>{good, skipped});
  QCOMPARE(summary(), QStringLiteral("No check failed; 1 check was skipped."));
  dialog.setChecks(std::vector<run::DeviceCheck>{good, skipped, bad});
  QCOMPARE(summary(), QStringLiteral("1 check failed."));
  const view::Details& details = dialog.details().details();
  QCOMPARE(details.size(), std::size_t{2});
  QCOMPARE(details[0].rows.back().value, std::string("skipped: the device does not support shaderFloat16"));
  QCOMPARE(details[1].rows.back().label, std::string("Check: copy"));
  QCOMPARE(details[1].rows.back().value, std::string("failed: RUN-DIFFERS: 3 elements differ"));
  QVERIFY(details[1].rows.back().severity == Severity::Error);
  dialog.setChecks(Error(DiagnosticId::RunRunner, {arg("reason", "not there")}));
  QVERIFY2(summary().contains(QStringLiteral("not there")), qPrintable(summary()));
  QTest::keyClick(&dialog, Qt::Key_Escape);
  QVERIFY(!dialog.isVisible());
}

/// The whole way: the action, the button, the runner, the results.
void TestRunning::devicesOfThisMachineAreChecked() {
  MainWindow window;
  QVERIFY(showActive(window));
  Running& running = part<Running>(window);
  running.showDevices();
  const QPointer<DevicesDialog> dialog = running.devices();
  QVERIFY(dialog);
  QTRY_VERIFY_WITH_TIMEOUT(!dialog->details().details().empty(), kWaitMs);
  if (dialog->devices().empty()) QSKIP("this machine has no device (Debian: mesa-vulkan-drivers, pocl-opencl-icd)");
  QAbstractButton* const check = button(*dialog, QStringLiteral("Check devices"));
  check->click();
  QVERIFY(!check->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(check->isEnabled(), 4 * kWaitMs);
  for (std::size_t i = 0; i < dialog->devices().size(); ++i) {
    const auto& rows = dialog->details().details()[i].rows;
    const auto isCheck = [](const view::DetailRow& row) { return row.label.starts_with("Check: "); };
    QCOMPARE(std::count_if(rows.begin(), rows.end(), isCheck), 4);
    for (const view::DetailRow& row : rows)
      QVERIFY2(!isCheck(row) || row.value == "ok" || row.value.starts_with("skipped: the device"), row.value.c_str());
  }
  // Closing the dialog ends checks that run.
  check->click();
  QVERIFY(running.runs().jobs().isRunning(TestRun::checkTag()));
  dialog->close();
  QVERIFY(!running.runs().jobs().isRunning(TestRun::checkTag()));
}

void TestRunning::panelShowsADryRun() {
  TestRun runs;
  RunPanel panel(runs);
  panel.resize(1300, 260);
  panel.show();
  QVERIFY(!panel.entry());
  runs.add(dryRun());
  QVERIFY(panel.entry());
  QCOMPARE(panel.rows().rowCount(), 2);
  QVERIFY(!panel.plot().isVisible());
  // What a dry run never fills is hidden, and a tool tip leads to the launches.
  const auto isHidden = [&](int column) { return panel.view().isColumnHidden(column); };
  QVERIFY(isHidden(RunRowsModel::Outputs) && isHidden(RunRowsModel::FunctionMedian));
  QVERIFY(!isHidden(RunRowsModel::Launches) && !isHidden(RunRowsModel::FunctionResult));
  QVERIFY(panel.rows().index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("Double-click")));
  runs.add(measured());
  panel.showEntry(0);
  for (int column = 0; column < panel.rows().columnCount(); ++column) QVERIFY(!isHidden(column));
  panel.showEntry(1);
  QVERIFY(isHidden(RunRowsModel::Outputs) && !isHidden(RunRowsModel::Launches));
  panel.view().setCurrentIndex(panel.rows().index(1, 0));
  QVERIFY(has(panel.details().details(), "RUN-CRASH"));
  QVERIFY(has(panel.details().details(), "SIGSEGV"));
  QVERIFY(has(panel.details().details(), "hello"));
  // Enter opens the launches of a function, then goes to the kernel.
  QSignalSpy chosen(&panel, &RunPanel::nodeChosen);
  panel.view().setCurrentIndex(panel.rows().index(0, 0));
  QTest::keyClick(&panel.view(), Qt::Key_Return);
  QVERIFY(panel.rows().showsLaunches());
  QCOMPARE(chosen.count(), 0);
  panel.view().setCurrentIndex(panel.rows().index(1, 0));
  QTest::keyClick(&panel.view(), Qt::Key_Return);
  QCOMPARE(chosen.count(), 1);
  QCOMPARE(chosen[0][0].value<Ref>().toString(), std::string("m1/kernel:vadd_kernel"));
  panel.view().setCurrentIndex(panel.rows().index(2, 0)); // of a kernel that is not in the file
  QTest::keyClick(&panel.view(), Qt::Key_Return);
  QCOMPARE(chosen.count(), 1);
  QTest::keyClick(&panel.view(), Qt::Key_Backspace);
  QVERIFY(!panel.rows().showsLaunches());
}

void TestRunning::panelShowsMeasurements() {
  TestRun runs;
  RunPanel panel(runs);
  panel.resize(1300, 260);
  panel.show();
  runs.add(dryRun());
  runs.add(measured());
  QCOMPARE(panel.runs().rowCount(), 2);
  QVERIFY(panel.rows().showsLaunches());
  QVERIFY(panel.plot().isVisible());
  QCOMPARE(panel.plot().samples().size(), 4);
  QVERIFY(panel.plot().accessibleDescription().contains(QStringLiteral("reference median")));
  QVERIFY(has(panel.details().details(), "-1.5, 2.5"));
  QVERIFY(has(panel.details().details(), "identical"));
  panel.view().setCurrentIndex(panel.rows().index(1, 0));
  QCOMPARE(panel.plot().samples(), QVector<double>({4, 5, 6}));
  panel.showEntry(1);
  QVERIFY(!panel.rows().showsLaunches());
  for (std::size_t i = 0; i < TestRun::kKept + 5; ++i) runs.add(dryRun());
  QCOMPARE(panel.runs().rowCount(), static_cast<int>(TestRun::kKept));
}

void TestRunning::panelShowsAFailedRun() {
  TestRun runs;
  RunPanel panel(runs);
  panel.resize(1300, 260);
  panel.show();
  runs.add(refusal());
  QVERIFY(!panel.view().isVisible());
  bool told = false;
  for (const auto* const label : panel.findChildren<QLabel*>())
    told = told || (label->isVisible() && label->text().contains(QStringLiteral("RUN-FOREIGN-ARCH")) &&
                    label->text().contains(QStringLiteral("another machine")));
  QVERIFY(told);
  QVERIFY(!button(panel, QStringLiteral("Export…"))->isEnabled());
}

void TestRunning::panelIsPaintedInBothThemes() {
  TestRun runs;
  RunPanel panel(runs);
  panel.show();
  runs.add(dryRun());
  runs.add(measured());
  for (const Theme& look : {Theme::light(), Theme::dark()}) {
    setTheme(look);
    for (const QSize size : {QSize(640, 140), QSize(1440, 300)}) {
      panel.resize(size);
      const QImage picture = drawn(panel, 1);
      QVERIFY(countPixels(picture, look.color(Role::Text), 8) > 50);
      if (size.width() > 1'000) QVERIFY(countPixels(picture, look.color(Role::Accent), 8) > 20); // the points
    }
  }
}

void TestRunning::everyControlHasAName() {
  TestRun runs;
  RunPanel panel(runs);
  panel.show();
  runs.add(measured());
  RunDialog dialog({subject(), QStringLiteral("/a/model.so"), {}, {}}, nullptr);
  dialog.show();
  field<QComboBox>(dialog, "function").setCurrentIndex(1);
  field<QComboBox>(dialog, "mode").setCurrentIndex(2);
  for (const QWidget* const top : {static_cast<QWidget*>(&panel), static_cast<QWidget*>(&dialog)})
    for (const QWidget* const widget : top->findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus || widget->inherits("QHeaderView") ||
          widget->inherits("QLabel"))
        continue;
      if (widget->parentWidget() && (widget->parentWidget()->inherits("QAbstractScrollArea") ||
                                     widget->parentWidget()->inherits("QAbstractSpinBox")))
        continue;
      const auto* const pressed = qobject_cast<const QAbstractButton*>(widget);
      QVERIFY2(!widget->accessibleName().isEmpty() || (pressed && !pressed->text().isEmpty()),
               widget->metaObject()->className());
    }
}

void TestRunning::actionsFollowTheSelection() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(!action(window, ActionId::Run)->isEnabled());
  QVERIFY(!action(window, ActionId::RunModel)->isEnabled());
  QVERIFY(!action(window, ActionId::RunAgain)->isEnabled());
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(action(window, ActionId::Run)->isEnabled());
  action(window, ActionId::RunModel)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(part<Running>(window).dialog(), kWaitMs);
  QVERIFY(part<Running>(window).dialog()->request().options.model);
  part<Running>(window).dialog()->reject();
  QTRY_VERIFY_WITH_TIMEOUT(!part<Running>(window).dialog(), kWaitMs);
  QVERIFY(!action(window, ActionId::RunAgain)->isEnabled());
  part<Running>(window).runs().add(dryRun());
  QVERIFY(action(window, ActionId::RunAgain)->isEnabled());
  // Going to a kernel of the list.
  RunPanel& panel = part<Running>(window).panel();
  Q_EMIT panel.nodeChosen(Ref::parse("m2/kernel:mean_kernel").value());
  QVERIFY(isSettled(window));
  QCOMPARE(chosen(window).toString(), std::string("m2/kernel:mean_kernel"));
}

/// Functions of a tvm-ffi library return their types when that code runs, after consent; the table shows them.
void TestRunning::signaturesAreReadAfterConsent() {
  constexpr const char* kSource = R"c(
typedef struct { int type; unsigned pad; void* value; } Any;
typedef struct { const char* data; unsigned long size; } Text;
int TVMFFIStringFromByteArray(const Text* in, Any* out);
int __tvm_ffi_add(void* s, const Any* a, int n, Any* r) { return 0; }
int __tvm_ffi__metadata_add(void* s, const Any* a, int n, Any* r) {
  static const char told[] = "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"args\\\":"
                             "[{\\\"type\\\":\\\"int\\\"},{\\\"type\\\":\\\"float\\\"}]}\"}";
  Text t = {told, sizeof told - 1};
  return TVMFFIStringFromByteArray(&t, r);
}
int __tvm_ffi_dumb(void* s, const Any* a, int n, Any* r) { return 0; }
int __tvm_ffi__metadata_dumb(void* s, const Any* a, int n, Any* r) { return -1; }
)c";
  const QString path = m_files.path(QStringLiteral("typed.so"));
  const QString said = compileLibrary(path.toStdString(), kSource);
  QVERIFY2(said.isEmpty(), qPrintable(said));
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(!action(window, ActionId::ReadSignatures)->isEnabled());
  QVERIFY(open(window, path));
  QVERIFY(action(window, ActionId::ReadSignatures)->isEnabled());
  QVERIFY(go(window, "", QStringLiteral("Functions")));
  const auto cell = [&](const QString& name, const QString& column) {
    auto* const page = pageOf<TablePage>(window); // none while the functions are listed again
    if (!page) return QString();
    const QAbstractItemModel& model = *page->view().model();
    for (int row = 0; row < model.rowCount(); ++row)
      for (int at = 0; model.index(row, 0).data().toString() == name && at < model.columnCount(); ++at)
        if (model.headerData(at, Qt::Horizontal).toString().compare(column, Qt::CaseInsensitive) == 0)
          return model.index(row, at).data().toString();
    return QString();
  };
  QTRY_COMPARE_WITH_TIMEOUT(cell(QStringLiteral("add"), QStringLiteral("metadata")), QStringLiteral("present"),
                            kWaitMs);
  const QSignalSpy started(&part<Running>(window).runs(), &TestRun::started);
  const auto ask = [&]() -> ConsentDialog* {
    action(window, ActionId::ReadSignatures)->trigger();
    return QTest::qWaitFor([&] { return window.findChild<ConsentDialog*>() != nullptr; }, kWaitMs)
               ? window.findChild<ConsentDialog*>()
               : nullptr;
  };
  QPointer<ConsentDialog> dialog = ask();
  QVERIFY(dialog);
  QVERIFY(!button(*dialog, QStringLiteral("Read signatures"))->isEnabled());
  dialog->reject();
  QTRY_VERIFY_WITH_TIMEOUT(!dialog, kWaitMs);
  QCOMPARE(started.count(), 0);
  dialog = ask();
  QVERIFY(dialog);
  dialog->findChild<QCheckBox*>(QStringLiteral("consent"))->setChecked(true);
  QTest::mouseClick(button(*dialog, QStringLiteral("Read signatures")), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(!window.banner().isHidden(), kWaitMs);
  QVERIFY2(window.banner().text().startsWith(QStringLiteral("1 signature was read. dumb has no signature: ")),
           qPrintable(window.banner().text()));
  QTRY_COMPARE_WITH_TIMEOUT(cell(QStringLiteral("add"), QStringLiteral("signature")), QStringLiteral("(float) -> int"),
                            kWaitMs);
  QCOMPARE(cell(QStringLiteral("add"), QStringLiteral("metadata")), QStringLiteral("read"));
  QCOMPARE(cell(QStringLiteral("dumb"), QStringLiteral("metadata")), QStringLiteral("present"));
  // The consent is asked only once; after a reload the types are unknown again.
  action(window, ActionId::ReadSignatures)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(started.count(), 2, kWaitMs);
  QVERIFY(!window.findChild<ConsentDialog*>());
  QTRY_VERIFY_WITH_TIMEOUT(!part<Running>(window).runs().isRunning(), kWaitMs);
  QVERIFY(window.document().readSignatures());
  window.document().reload();
  QVERIFY(isSettled(window));
  QVERIFY(!window.document().readSignatures());
}

/// Nothing runs before consent, and consent is asked only once.
void TestRunning::runAsksOnce() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  Running& running = part<Running>(window);
  const QSignalSpy started(&running.runs(), &TestRun::started);
  QTest::keyClick(&window, Qt::Key_F5);
  QTRY_VERIFY_WITH_TIMEOUT(running.dialog(), kWaitMs);
  QVERIFY(!field<QPushButton>(*running.dialog(), "run").isEnabled());
  running.dialog()->reject();
  QTRY_VERIFY_WITH_TIMEOUT(!running.dialog(), kWaitMs);
  QCOMPARE(started.count(), 0);

  running.runs().add(dryRun());
  running.runAgain();
  QTRY_VERIFY_WITH_TIMEOUT(running.dialog(), kWaitMs); // asks, too
  QCOMPARE(started.count(), 0);
  QPointer<RunDialog> dialog = running.dialog();
  field<QCheckBox>(*dialog, "consent").setChecked(true);
  dialog->accept();
  QCOMPARE(started.count(), 1);
  QTRY_VERIFY_WITH_TIMEOUT(!running.runs().isRunning(), kWaitMs);
  QVERIFY(part<BottomPanel>(window).isOpen());
  QTRY_COMPARE_WITH_TIMEOUT(running.panel().runs().rowCount(), 2, kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(!running.dialog(), kWaitMs);
  running.runAgain();
  QTRY_COMPARE_WITH_TIMEOUT(started.count(), 2, kWaitMs);
  QVERIFY(!running.dialog());
  running.runs().cancel();
}

/// Both libraries are read again; a changed one needs a new consent.
void TestRunning::repeatedRunChecksBothLibraries() {
  useNoRunner();
  const Files files;
  const QString a = files.path(QStringLiteral("a.so")), b = files.path(QStringLiteral("b.so"));
  QVERIFY(QFile::copy(sample("sample-cpu.so"), a) && QFile::copy(sample("sample-cpu.so"), b));
  QVERIFY(append(b, "b"));
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, a));
  Running& running = part<Running>(window);
  const RunEntryPtr entry = runIn(window, RunDialog::Mode::Other, b);
  QVERIFY(entry);
  QCOMPARE(entry->request.otherSha256, digestOf(b));
  QTRY_VERIFY_WITH_TIMEOUT(!running.dialog(), kWaitMs);
  const QSignalSpy started(&running.runs(), &TestRun::started);
  running.runAgain();
  QTRY_COMPARE_WITH_TIMEOUT(started.count(), 1, kWaitMs);
  QVERIFY(!running.dialog());
  QTRY_VERIFY_WITH_TIMEOUT(!running.runs().isRunning(), kWaitMs);

  QVERIFY(append(b, "more"));
  running.runAgain();
  QTRY_VERIFY_WITH_TIMEOUT(running.dialog(), kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(consentText(*running.dialog()).contains(digestOf(b)), kWaitMs);
  QVERIFY(consentText(*running.dialog()).contains(digestOf(a)));
  QVERIFY(!field<QPushButton>(*running.dialog(), "run").isEnabled() &&
          field<QCheckBox>(*running.dialog(), "consent").isVisible());
  QCOMPARE(started.count(), 1);
  running.dialog()->reject();
}

void TestRunning::fileChangedAfterConsentIsNotRun_data() {
  QTest::addColumn<bool>("other");
  QTest::newRow("the file") << false;
  QTest::newRow("the other library") << true;
}

/// Between the consent and the run; nothing is started, and the window asks again.
void TestRunning::fileChangedAfterConsentIsNotRun() {
  QFETCH(bool, other);
  useNoRunner();
  const Files files;
  const QString a = files.path(QStringLiteral("a.so")), b = files.path(QStringLiteral("b.so"));
  QVERIFY(QFile::copy(sample("sample-cpu.so"), a) && QFile::copy(sample("sample-cpu.so"), b));
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, a));
  Running& running = part<Running>(window);
  running.ask();
  QTRY_VERIFY_WITH_TIMEOUT(running.dialog(), kWaitMs);
  QPointer<RunDialog> first = running.dialog();
  field<QComboBox>(*first, "mode")
      .setCurrentIndex(field<QComboBox>(*first, "mode").findData(static_cast<int>(RunDialog::Mode::Other)));
  field<QLineEdit>(*first, "other").setText(b);
  QVERIFY(isAgreed(*first));
  QVERIFY(append(other ? b : a, "more"));
  first->accept();
  QTRY_COMPARE_WITH_TIMEOUT(running.panel().runs().rowCount(), 1, kWaitMs);
  QCOMPARE(running.panel().entry()->code, other ? QStringLiteral("RUN-CHANGED") : QStringLiteral("FILE-CHANGED"));
  if (!other) {
    // The displayed digest is old; after a reload it is another one.
    QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
    const auto before = window.document().state();
    button(window.banner(), QStringLiteral("Reload"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before && !window.document().isOpening(), kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(!running.dialog(), kWaitMs);
    running.runAgain();
  }
  QTRY_VERIFY_WITH_TIMEOUT(running.dialog() && running.dialog() != first, kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(consentText(*running.dialog()).contains(digestOf(other ? b : a)), kWaitMs);
  QVERIFY(!field<QPushButton>(*running.dialog(), "run").isEnabled());
  running.dialog()->reject();
}

/// "Nothing was executed." is shown as long as it is true.
void TestRunning::overviewSaysWhetherCodeRan() {
  useNoRunner();
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cpu.so")));
  const auto says = [&] {
    const auto* const page = window.findChild<OverviewPage*>();
    const auto* const banner = page ? page->findChild<Banner*>() : nullptr;
    return banner ? banner->text() : QString();
  };
  QVERIFY2(says().endsWith(QStringLiteral("are decoded. Nothing was executed.")), qPrintable(says()));
  QVERIFY(runIn(window, RunDialog::Mode::Dry));
  QVERIFY2(says().endsWith(QStringLiteral("are decoded.")), qPrintable(says()));
  // Reloading the file does not undo the run.
  const auto before = window.document().state();
  window.document().reload();
  QTRY_VERIFY_WITH_TIMEOUT(window.document().state() != before, kWaitMs);
  QVERIFY(isSettled(window));
  QVERIFY2(says().endsWith(QStringLiteral("are decoded.")), qPrintable(says()));
}

void TestRunning::reportIsSaved() {
  const Files files;
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  part<Running>(window).runs().add(measured());
  const QString path = files.path(QStringLiteral("run.json"));
  part<Running>(window).saveReport(path);
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), kWaitMs);
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
  QCOMPARE(json[QStringLiteral("file")].toString(), QStringLiteral("model.so"));
  QVERIFY(json[QStringLiteral("functions")].isArray());
}

void TestRunning::runCanBeCancelled() {
  TestRun runs;
  RunPanel panel(runs);
  panel.show();
  const QSignalSpy ended(&runs, &TestRun::ended);
  const BusyWorkers busy(runs.jobs());
  runs.run(subject(), QStringLiteral("/a/model.so"), {});
  QVERIFY(runs.isRunning() && panel.progress().isBusy());
  Q_EMIT panel.progress().cancelled();
  QVERIFY(!runs.isRunning() && !panel.progress().isBusy());
  QCOMPARE(ended.count(), 1);
  QCOMPARE(panel.runs().rowCount(), 0);
}

bool TestRunning::isAgreed(RunDialog& dialog) {
  // Reading another library unticks the box.
  return QTest::qWaitFor(
      [&] {
        field<QCheckBox>(dialog, "consent").setChecked(true);
        return field<QPushButton>(dialog, "run").isEnabled();
      },
      kWaitMs);
}

RunEntryPtr TestRunning::runIn(MainWindow& window, RunDialog::Mode mode, const QString& other) {
  Running& running = part<Running>(window);
  const int before = running.panel().runs().rowCount();
  running.ask();
  if (!QTest::qWaitFor([&] { return running.dialog() != nullptr; }, kWaitMs)) return nullptr;
  RunDialog& dialog = *running.dialog();
  field<QComboBox>(dialog, "mode").setCurrentIndex(field<QComboBox>(dialog, "mode").findData(static_cast<int>(mode)));
  if (!other.isEmpty()) field<QLineEdit>(dialog, "other").setText(other);
  if (!isAgreed(dialog)) return nullptr;
  dialog.accept();
  if (!QTest::qWaitFor([&] { return running.panel().runs().rowCount() > before; }, 120'000)) return nullptr;
  return running.panel().entry();
}

/// With a runner: a library made for this machine; its result is shown, whatever it is.
void TestRunning::libraryIsDryRun() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  Running& running = part<Running>(window);
  const RunEntryPtr entry = runIn(window, RunDialog::Mode::Dry);
  QVERIFY(entry && entry == running.panel().entry());
  QVERIFY(!entry->edited);
  QVERIFY2(entry->report || entry->code.startsWith(QStringLiteral("RUN-FOREIGN")), qPrintable(entry->message));
  if (!entry->report) QSKIP("the sample is for another machine");
  QVERIFY(entry->report->dry);
  QCOMPARE(running.panel().rows().rowCount(), static_cast<int>(entry->report->functions.size()));
  QVERIFY(entry->report->allOk());
  QVERIFY(entry->report->functions.front().launchCount > 0);
}

/// Unsaved edits are run.
void TestRunning::unsavedEditsAreRun() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  QVERIFY(showActive(window));
  const Files files; // unsaved edits would be offered again with the sample
  const QString path = files.path(QStringLiteral("model.so"));
  QVERIFY(QFile::copy(sample("sample-cuda-a.so"), path));
  QVERIFY(open(window, path));
  window.document().edit(edit::Rename{{Ref::parse("m2/kernel:mean_kernel").value(), {}}, "average_kernel"});
  QVERIFY(QTest::qWaitFor(
      [&] { return !window.document().isEditing() && window.document().state()->edits.size() == 1; }, kWaitMs));
  const RunEntryPtr entry = runIn(window, RunDialog::Mode::Dry);
  QVERIFY(entry && entry->edited);
  QVERIFY2(entry->report || entry->code.startsWith(QStringLiteral("RUN-FOREIGN")), qPrintable(entry->message));
  if (!entry->report) QSKIP("the sample is for another machine");
  // The host code still asks for the old name of the kernel.
  const auto& results = entry->report->functions;
  QCOMPARE(std::count_if(results.begin(), results.end(), [](const auto& one) { return one.status != run::Status::Ok; }),
           std::ptrdiff_t{1});
  window.document().discard();
}

/// The functions of the processor, measured.
void TestRunning::hostFunctionsAreMeasured() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cpu.so")));
  const RunEntryPtr entry = runIn(window, RunDialog::Mode::Device);
  QVERIFY(entry);
  QVERIFY2(entry->report || entry->code.startsWith(QStringLiteral("RUN-FOREIGN")), qPrintable(entry->message));
  if (!entry->report) QSKIP("the sample is for another machine");
  QVERIFY(entry->report->count(run::Status::Ok) > 0);
  RunPanel& panel = part<Running>(window).panel();
  bool plotted = false;
  for (int row = 0; row < panel.rows().rowCount(); ++row) {
    panel.view().setCurrentIndex(panel.rows().index(row, 0));
    plotted = plotted || (panel.plot().isVisible() && panel.plot().samples().size() == 100);
  }
  QVERIFY(plotted);
}

/// A library equals itself.
void TestRunning::libraryEqualsItself() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cpu.so")));
  const RunEntryPtr entry = runIn(window, RunDialog::Mode::Other, sample("sample-cpu.so"));
  QVERIFY(entry);
  QVERIFY2(entry->report || entry->code.startsWith(QStringLiteral("RUN-FOREIGN")), qPrintable(entry->message));
  if (!entry->report) QSKIP("the sample is for another machine");
  int compared = 0;
  for (const run::FunctionResult& result : entry->report->functions)
    if (result.comparison && !result.comparison->outputs.empty()) {
      QVERIFY(result.comparison->equal);
      ++compared;
    }
  QVERIFY(compared > 0);
  QCOMPARE(part<Running>(window).panel().rows().index(0, RunRowsModel::FunctionResult).data().toString(),
           QStringLiteral("equal"));
}

/// The selected kernel is offered first, and runs alone.
void TestRunning::selectedKernelIsRun() {
  QVERIFY(protocol::findRunner());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-opencl.so")));
  window.navigate(Ref::parse("m2/kernel:softmax_kernel").value());
  QVERIFY(QTest::qWaitFor([&] { return chosen(window).parts.size() == 1; }, kWaitMs));
  const RunEntryPtr entry = runIn(window, RunDialog::Mode::Device);
  QVERIFY(entry && entry->request.options.kernel);
  QCOMPARE(RunHistoryModel::subject(*entry), QStringLiteral("softmax_kernel"));
  if (entry->code.startsWith(QStringLiteral("RUN-FOREIGN")) || entry->code == QStringLiteral("RUN-SIGNATURE"))
    QSKIP("the sample is for another machine");
  QVERIFY2(entry->report, qPrintable(entry->message));
  if (entry->report->functions.front().code == "RUN-NO-DRIVER" ||
      entry->report->functions.front().code == "RUN-NO-DEVICE")
    QSKIP("no opencl device");
  QVERIFY2(entry->report->allOk(), entry->report->functions.front().message.c_str());
  QCOMPARE(entry->report->functions.front().launches.size(), std::size_t{1});
}

BLOBSCOPE_TEST(TestRunning);

#include "test_running.moc"
