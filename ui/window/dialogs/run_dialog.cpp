#include "ui/window/dialogs/run_dialog.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/run/devices.h"
#include "core/run/model.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/window/dialogs/repack_plan.h"
#include "ui/window/dialogs/run_consent.h"
#include "ui/window/dialogs/run_inputs.h"
#include "ui/window/dialogs/run_rows.h"
#include "ui/window/preferences.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace blobscope::ui {
namespace {

constexpr int kRepeats = 5'000;
constexpr std::size_t kFunctionsShown = 20'000;
constexpr int kDeviceIndexRole = Qt::UserRole + 1, kWhatRole = Qt::UserRole + 1;

bool isCallable(const xref::HostFunction& function) { return !function.symbol.empty() && function.ref.members.empty(); }

/// Whether there are no earlier answers.
/// Every node of a model.
const std::vector<std::string> kAllNodes = {"all"};

bool isFirst(const run::RunOptions& options) {
  return options.functions.empty() && !options.all && !options.kernel && !options.model;
}

/// The dialog offers single kernels where they can be run, so the advice to run one is left out.
QString reasonOf(const Error& error) {
  const QString sentence = sentenceOf(error.message());
  const bool foreign = error.id() == DiagnosticId::RunForeignOs || error.id() == DiagnosticId::RunForeignArch;
  return foreign ? sentence.section(QLatin1String("; "), 0, 0) + QLatin1Char('.') : sentence;
}

} // namespace

RunDialog::RunDialog(Setup setup, QWidget* parent)
    : QDialog(parent), m_setup(std::move(setup)), m_machine(run::modelFunctions(*m_setup.subject->functions)),
      m_model(m_setup.subject->model), m_askedFiles(m_setup.subject->modelFiles) {
  setWindowTitle(tr("Run"));
  setProperty("helpTopic", QStringLiteral("test-run"));
  setMinimumSize(560, 420);
  resize(680, 640);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 16);
  layout->setSpacing(10);
  m_hostNote = new ThemeLabel({}, TextRole::Body, Role::Text, this);
  m_hostNote->setObjectName(QStringLiteral("hostNote"));
  m_hostNote->setWordWrap(true);
  layout->addWidget(m_hostNote);
  QWidget* const grid = makeGrid();
  layout->addWidget(grid);
  const bool any = m_function->count() > 0;
  const bool onlyKernels = any && m_setup.subject->dryProblem;
  grid->setVisible(any);
  m_hostNote->setText(onlyKernels
                          ? tr("Only single kernels can be run here. %1").arg(reasonOf(*m_setup.subject->dryProblem))
                          : QString());
  m_hostNote->setVisible(onlyKernels);
  m_inputs = new RunInputsBox(QFileInfo(m_setup.file).path(), this);
  layout->addWidget(m_inputs, 1);
  layout->addStretch(); // fills the space when there are no tensors
  m_problem = new ThemeLabel({}, TextRole::Body, Role::Error, this);
  m_problem->setWordWrap(true);
  layout->addWidget(m_problem);
  m_consent = new RunConsent(this);
  layout->addWidget(m_consent);
  auto* const box = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_run = box->addButton(tr("Run"), QDialogButtonBox::AcceptRole);
  m_run->setObjectName(QStringLiteral("run"));
  m_run->setDefault(true);
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(box);

  connect(m_function, &QComboBox::currentIndexChanged, this, &RunDialog::showFunction);
  connect(m_mode, &QComboBox::currentIndexChanged, this, &RunDialog::updateState);
  for (PathRow* const row : {m_other, m_runtime, m_graph, m_parameters})
    connect(row, &PathRow::changed, this, &RunDialog::updateState);
  connect(m_launch, &LaunchRow::changed, this, &RunDialog::updateState);
  connect(m_sizes, &SizesRow::changed, this, &RunDialog::showShapes);
  connect(m_inputs, &RunInputsBox::changed, this, &RunDialog::updateState);
  connect(m_consent, &RunConsent::toggled, this, &RunDialog::updateState);
  showFunction();
  m_function->setFocus();
}

// --- 1. Widgets

QWidget* RunDialog::makeGrid() {
  auto* const top = new QWidget(this);
  top->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  m_grid = new QGridLayout(top);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(12);
  m_grid->setVerticalSpacing(8);
  m_grid->setColumnStretch(1, 1);
  makeFunction(top);
  makeMode(top);
  makeDevice(top);
  makeMeasuring(top);

  m_sizes = new SizesRow(top);
  m_sizeLabel = new ThemeLabel(tr("Sizes"), TextRole::Body, Role::Secondary, top);
  addRow(m_sizeLabel, m_sizes, Qt::AlignTop);
  m_launch = new LaunchRow(m_setup.before.options.kernel, top);
  m_launchLabel = addRow(rowLabel(tr("&Launch"), &m_launch->grid(), top), m_launch, Qt::AlignTop);
  m_launch->grid().setAccessibleName(tr("Grid"));
  makeRuntime(top);
  makeModel(top);
  const auto& kernels = m_setup.subject->functions->kernels;
  const bool openCl =
      std::any_of(kernels.begin(), kernels.end(), [](const xref::Kernel& one) { return one.moduleKey == "opencl"; });
  m_limits = new LimitsRow(m_setup.before.options, openCl, top);
  addRow(rowLabel(tr("L&imits"), &m_limits->seconds(), top), m_limits, Qt::AlignTop);
  m_limits->seconds().setAccessibleName(tr("Time limit of one call in seconds"));
  return top;
}

QWidget* RunDialog::addRow(QWidget* name, QWidget* widget, Qt::Alignment nameAt, Qt::Alignment at) {
  const int row = m_grid->rowCount();
  m_grid->addWidget(name, row, 0, nameAt);
  m_grid->addWidget(widget, row, 1, at);
  return name;
}

void RunDialog::makeFunction(QWidget* parent) {
  m_function = new QComboBox(parent);
  m_function->setObjectName(QStringLiteral("function"));
  m_function->setMaxVisibleItems(20);
  m_function->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_function->setMinimumContentsLength(30);
  addFunctions();
  addRow(rowLabel(tr("&Function"), m_function, parent), m_function);
  m_signature = new ThemeLabel({}, TextRole::Code, Role::Secondary, parent);
  m_signature->setElided();
  m_grid->addWidget(m_signature, m_grid->rowCount(), 1);
}

void RunDialog::makeMode(QWidget* parent) {
  m_mode = new QComboBox(parent);
  m_mode->setObjectName(QStringLiteral("mode"));
  m_mode->addItem(tr("Dry run: record the launches, use no device"), static_cast<int>(Mode::Dry));
  m_mode->addItem(tr("On a device: run, show results, measure times"), static_cast<int>(Mode::Device));
  if (!m_setup.subject->state->edits.empty())
    m_mode->addItem(tr("Compare with the file as opened"), static_cast<int>(Mode::Opened));
  m_mode->addItem(tr("Compare with another library…"), static_cast<int>(Mode::Other));
  const run::RunOptions& before = m_setup.before.options;
  const Mode chosen = m_setup.before.against == RunRequest::Against::Opened  ? Mode::Opened
                      : m_setup.before.against == RunRequest::Against::Other ? Mode::Other
                      : before.dry || isFirst(before)                        ? Mode::Dry
                                                                             : Mode::Device;
  m_mode->setCurrentIndex(std::max(0, m_mode->findData(static_cast<int>(chosen))));
  addRow(rowLabel(tr("Mod&e"), m_mode, parent), m_mode);

  m_other = new PathRow(m_setup.before.other, tr("A library with the same functions; its code runs too"),
                        tr("Browse for the other library"), parent);
  m_other->edit().setObjectName(QStringLiteral("other"));
  connect(m_other, &PathRow::browseRequested, this, &RunDialog::browseOther);
  m_otherLabel = addRow(rowLabel(tr("&Other library"), &m_other->edit(), parent), m_other);
}

void RunDialog::makeDevice(QWidget* parent) {
  m_device = new QComboBox(parent);
  m_device->setObjectName(QStringLiteral("device"));
  m_device->addItem(tr("The device that the library is built for"), QString());
  m_deviceLabel = addRow(rowLabel(tr("&Device"), m_device, parent), m_device);
  m_deviceNote = new ThemeLabel(tr("Looking for devices…"), TextRole::Secondary, Role::Secondary, parent);
  m_deviceNote->setWordWrap(true);
  m_grid->addWidget(m_deviceNote, m_grid->rowCount(), 1);
}

void RunDialog::makeMeasuring(QWidget* parent) {
  const run::RunOptions& before = m_setup.before.options;
  m_seed = new QSpinBox(parent);
  m_seed->setRange(0, std::numeric_limits<int>::max());
  m_seed->setValue(static_cast<int>(std::min<uint64_t>(before.seed, static_cast<uint64_t>(m_seed->maximum()))));
  m_repeat = new QSpinBox(parent);
  m_repeat->setRange(0, kRepeats);
  m_repeat->setSpecialValueText(tr("not measured"));
  m_repeat->setValue(static_cast<int>(before.repeat ? *before.repeat : isFirst(before) ? kUsualRepeats : 0));
  for (QSpinBox* const box : {m_seed, m_repeat}) box->setMinimumWidth(140);
  m_seedLabel = addRow(rowLabel(tr("&Seed of random inputs"), m_seed, parent), m_seed, {}, Qt::AlignLeft);
  m_repeatLabel = addRow(rowLabel(tr("&Measured runs"), m_repeat, parent), m_repeat, {}, Qt::AlignLeft);
}

void RunDialog::makeRuntime(QWidget* parent) {
  const run::RunOptions& before = m_setup.before.options;
  m_runtime = new PathRow(before.runtime.empty() ? Preferences::load().tvmRuntime : wholeToQt(pathText(before.runtime)),
                          tr("libtvm_runtime.so, its folder, or a Python environment with apache-tvm"),
                          tr("Browse for the TVM runtime"), parent);
  m_runtime->edit().setObjectName(QStringLiteral("runtime"));
  connect(m_runtime, &PathRow::browseRequested, this, &RunDialog::browseRuntime);
  m_runtimeLabel = addRow(rowLabel(tr("&TVM runtime"), &m_runtime->edit(), parent), m_runtime, Qt::AlignTop);
}

void RunDialog::makeModel(QWidget* parent) {
  const run::RunOptions& before = m_setup.before.options;
  const auto textOf = [](const std::filesystem::path& path) {
    return path.empty() ? QString() : wholeToQt(pathText(path));
  };
  const program::ModelFiles& files = before.modelFiles.graph.empty() && before.modelFiles.parameters.empty()
                                         ? m_setup.subject->modelFiles
                                         : before.modelFiles;
  m_graph = new PathRow(textOf(files.graph),
                        m_model.kind.isEmpty() ? tr("The graph of the model as a JSON file")
                                               : tr("The graph in the library, or another one as a JSON file"),
                        tr("Browse for the graph"), parent);
  m_graph->edit().setObjectName(QStringLiteral("graph"));
  connect(m_graph, &PathRow::browseRequested, this,
          [this] { browseModel(*m_graph, tr("Select the graph"), tr("JSON files (*.json);;All files (*)")); });
  m_graphLabel = addRow(rowLabel(tr("&Graph"), &m_graph->edit(), parent), m_graph);
  m_parameters = new PathRow(textOf(files.parameters), tr("A file of save_params or a folder of .npy files; optional"),
                             tr("Browse for the parameters"), parent);
  m_parameters->edit().setObjectName(QStringLiteral("parameters"));
  connect(m_parameters, &PathRow::browseRequested, this, [this] {
    browseModel(*m_parameters, tr("Select the parameters"), tr("Parameters (*.params *.bin);;All files (*)"));
  });
  m_parametersLabel = addRow(rowLabel(tr("&Parameters"), &m_parameters->edit(), parent), m_parameters);
  m_keepRow = new QWidget(parent);
  auto* const line = new QHBoxLayout(m_keepRow);
  line->setContentsMargins(0, 0, 0, 0);
  m_keep = new QCheckBox(tr("&Keep the outputs of these nodes:"), m_keepRow);
  m_keep->setObjectName(QStringLiteral("keep"));
  m_keep->setToolTip(plainTip(
      tr("Shows statistics of each output and allows saving it. Outputs of more than 1 GiB in all are not kept.")));
  m_keep->setChecked(!before.model || !before.taps.empty());
  m_taps = new QLineEdit(m_keepRow);
  m_taps->setObjectName(QStringLiteral("taps"));
  m_taps->setAccessibleName(tr("Nodes whose outputs are kept"));
  m_taps->setPlaceholderText(tr("all; or names and numbers: add, 10-20"));
  if (before.model && before.taps != kAllNodes) {
    QStringList taps;
    for (const std::string& tap : before.taps) taps << nameToQt(tap);
    m_taps->setText(taps.join(QStringLiteral(", ")));
  }
  m_taps->setEnabled(m_keep->isChecked());
  connect(m_keep, &QCheckBox::toggled, m_taps, &QLineEdit::setEnabled);
  line->addWidget(m_keep);
  line->addWidget(m_taps, 1);
  m_grid->addWidget(m_keepRow, m_grid->rowCount(), 1);
}

/// `any`: there are host functions, so that a graph in a file could call them.
void RunDialog::addModel(bool any, std::optional<int>& chosen) {
  const RunSubject& subject = *m_setup.subject;
  if (subject.deviceProblem) return;
  const run::RunOptions& before = m_setup.before.options;
  const auto add = [&](int at, const QString& text, int index) {
    m_function->insertItem(at, text, index);
    m_function->setItemData(at, static_cast<int>(What::Whole), kWhatRole);
  };
  const ModelEntries& model = subject.model;
  const int count = static_cast<int>(std::min(model.entries.size(), kFunctionsShown));
  if (count > 0 && chosen) *chosen += count;
  for (int i = 0; i < count; ++i) {
    const std::string& name = model.entries[static_cast<std::size_t>(i)].name;
    add(i, tr("%1 – whole model (%2)").arg(nameToQt(name), model.kind), i);
    const bool same = before.functions.empty() ? i == 0 : before.functions.front() == name;
    if (before.model && same) chosen = i;
  }
  // Libraries that only contain functions: the graph is a file beside them.
  if (count > 0 || !any) return;
  const bool inside = subject.package && program::mayHaveModel(*subject.package);
  add(m_function->count(), inside ? tr("Whole model") : tr("Whole model – its graph is in a file"), 0);
  if (before.model) chosen = m_function->count() - 1;
}

void RunDialog::addFunctions() {
  const xref::Functions& functions = *m_setup.subject->functions;
  const run::RunOptions& before = m_setup.before.options;
  const auto room = [&] { return static_cast<std::size_t>(m_function->count()) < kFunctionsShown; };
  const auto add = [&](const QString& text, What what, std::size_t index) {
    m_function->addItem(text, static_cast<int>(index));
    m_function->setItemData(m_function->count() - 1, static_cast<int>(what), kWhatRole);
  };
  const auto called = [&](const std::string& name) {
    return !before.kernel && !before.all && !before.model && !before.functions.empty() &&
           before.functions.front() == name;
  };
  std::optional<int> chosen;
  for (std::size_t i = 0; i < functions.hosts.size() && room() && !m_setup.subject->dryProblem; ++i) {
    if (!isCallable(functions.hosts[i])) continue;
    if (before.runtime.empty() && called(functions.hosts[i].signature.function)) chosen = m_function->count();
    add(nameToQt(functions.hosts[i].signature.function), What::Host, i);
  }
  const int hosts = m_function->count();
  if (hosts > 0) {
    m_function->insertItem(0, tr("All functions (%1)").arg(toQt(groupedText(static_cast<uint64_t>(hosts)))), -1);
    m_function->setItemData(0, static_cast<int>(What::All), kWhatRole);
    if (chosen) ++*chosen;
    if (hosts == 1 && !chosen) chosen = 1;
  }
  for (std::size_t i = 0; i < m_machine.hosts.size() && room() && !m_setup.subject->runtimeProblem; ++i) {
    if (!before.runtime.empty() && called(m_machine.hosts[i].symbol)) chosen = m_function->count();
    add(tr("%1 – whole model, with a TVM runtime").arg(toQt(m_machine.hosts[i].symbol)), What::Model, i);
  }
  for (std::size_t i = 0; i < functions.kernels.size() && room(); ++i) {
    const auto device = run::deviceTypeOf(functions.kernels[i].moduleKey);
    if (!device || !run::isRunnable(*device)) continue;
    if (before.kernel && before.kernel->kernel == functions.kernels[i].ref) chosen = m_function->count();
    add(tr("%1 – single kernel (%2)")
            .arg(nameToQt(functions.kernels[i].name), nameToQt(functions.kernels[i].moduleKey)),
        What::Kernel, i);
  }
  // The model comes first in the list, but a dry run of functions is proposed first.
  if (hosts > 0 && !chosen) chosen = 0;
  addModel(hosts > 0, chosen);
  m_function->setCurrentIndex(chosen.value_or(0));
}

void RunDialog::setDevices(const Result<run::DeviceList>& devices) {
  if (!devices) {
    m_deviceNote->setText(toQt(devices.error().message()));
    return;
  }
  const auto add = [&](const QString& text, const QString& kind, int index) {
    m_device->addItem(text, kind);
    m_device->setItemData(m_device->count() - 1, index, kDeviceIndexRole);
    const run::RunOptions& before = m_setup.before.options;
    if (!before.device.empty() && toQt(before.device) == kind && before.deviceIndex == index)
      m_device->setCurrentIndex(m_device->count() - 1);
  };
  add(tr("CPU (host functions without kernels)"), QStringLiteral("cpu"), 0);
  for (const protocol::DeviceFound& device : devices->devices)
    add(tr("%1: %2").arg(toQt(device.kind), toQt(device.name)), toQt(device.kind), static_cast<int>(device.index));
  QStringList missing;
  auto* const model = qobject_cast<QStandardItemModel*>(m_device->model());
  const auto& kernels = m_setup.subject->functions->kernels;
  for (const run::DeviceList::Missing& one : devices->missing) {
    // The library uses no other drivers.
    if (std::ranges::none_of(kernels, [&](const xref::Kernel& kernel) { return kernel.moduleKey == one.backend; }))
      continue;
    m_device->addItem(tr("Missing: %1").arg(coreText(one.what)));
    m_device->setItemData(m_device->count() - 1, plainTip(coreText(one.unlocks)), Qt::ToolTipRole);
    if (model) model->item(m_device->count() - 1)->setEnabled(false);
    missing << tr("%1: %2").arg(coreText(one.what), coreText(one.unlocks));
  }
  m_deviceNote->setText(missing.isEmpty() ? tr("All drivers that the library needs are installed.")
                                          : tr("Missing on this machine: %1").arg(missing.join(QStringLiteral(" · "))));
}

void RunDialog::browseOther() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Select the library to compare with"), QFileInfo(m_setup.file).path());
  if (!path.isEmpty()) m_other->edit().setText(path);
}

void RunDialog::browseRuntime() {
  const QString path =
      QFileDialog::getExistingDirectory(this, tr("Select an installed TVM runtime"), m_runtime->edit().text());
  if (!path.isEmpty()) m_runtime->edit().setText(path);
}

void RunDialog::browseModel(PathRow& row, const QString& title, const QString& filter) {
  const QString path = QFileDialog::getOpenFileName(this, title, QFileInfo(m_setup.file).path(), filter);
  if (!path.isEmpty()) row.edit().setText(path);
}

// --- 2. Answers

bool RunDialog::takesFiles() const {
  const QString& kind = m_setup.subject->model.kind;
  return what() == What::Whole && (kind.isEmpty() || kind == QLatin1String("graph executor"));
}

program::ModelFiles RunDialog::modelFiles() const {
  if (!takesFiles()) return {};
  const auto pathIn = [](const PathRow& row) { return pathFrom(QFile::encodeName(row.path()).toStdString()); };
  return {pathIn(*m_graph), pathIn(*m_parameters)};
}

void RunDialog::askForModel() {
  if (what() != What::Whole) return;
  const program::ModelFiles files = modelFiles();
  if (files.graph == m_askedFiles.graph && files.parameters == m_askedFiles.parameters) return;
  m_askedFiles = files;
  m_readingModel = true;
  if (m_setup.describeModel) m_setup.describeModel(files);
}

void RunDialog::setModel(const program::ModelFiles& files, const ModelEntries& model) {
  if (files.graph != m_askedFiles.graph || files.parameters != m_askedFiles.parameters) return;
  m_readingModel = false;
  m_model = model;
  showFunction();
}

QString RunDialog::modelProblem() const {
  if (m_setup.subject->deviceProblem)
    return tr("A whole model cannot be run here. %1").arg(reasonOf(*m_setup.subject->deviceProblem));
  if (mode() == Mode::Dry) return tr("A whole model cannot be run as a dry run.");
  if (m_readingModel) return tr("Reading the model…");
  const bool inside = m_setup.subject->package && program::mayHaveModel(*m_setup.subject->package);
  if (!entry() && m_askedFiles.graph.empty() && !inside)
    return tr("The library has no graph and no bytecode. Choose the graph of its model, a JSON file.");
  if (!entry()) return m_model.problem ? sentenceOf(m_model.problem->message()) : tr("The model has no such function.");
  return {};
}

void RunDialog::askForOther() {
  const QString path = mode() == Mode::Other ? m_other->path() : QString();
  if (path == m_askedOther) return;
  m_askedOther = path;
  m_otherSha256.clear();
  m_otherProblem.clear();
  if (!path.isEmpty() && m_setup.describeOther) m_setup.describeOther(path);
}

void RunDialog::setOther(const QString& path, const Result<QString>& sha256) {
  if (path != m_askedOther) return; // the user has entered another one since
  m_otherSha256 = sha256 ? *sha256 : QString();
  m_otherProblem = sha256 ? QString() : toQt(sha256.error().message());
  updateState();
}

void RunDialog::accept() {
  if (m_run->isEnabled()) QDialog::accept();
}

std::vector<std::string> RunDialog::taps() const {
  std::vector<std::string> out;
  if (mode() == Mode::Device)
    for (const QString& tap : m_taps->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
      if (!tap.trimmed().isEmpty()) out.push_back(fromQt(tap.trimmed()));
  return out.empty() ? kAllNodes : out;
}

RunDialog::Mode RunDialog::mode() const { return static_cast<Mode>(m_mode->currentData().toInt()); }

RunDialog::What RunDialog::what() const {
  return m_function->count() == 0 ? What::All : static_cast<What>(m_function->currentData(kWhatRole).toInt());
}

const host::Signature* RunDialog::signature() const {
  const auto at = static_cast<std::size_t>(m_function->currentData().toInt());
  if (what() == What::Host) return &m_setup.subject->functions->hosts[at].signature;
  if (const program::Entry* const called = entry()) return &called->signature;
  return what() == What::Model ? &m_machine.hosts[at].signature : nullptr;
}

const program::Entry* RunDialog::entry() const {
  const auto at = static_cast<std::size_t>(m_function->currentData().toInt());
  return what() == What::Whole && at < m_model.entries.size() ? &m_model.entries[at] : nullptr;
}

const xref::Kernel* RunDialog::kernel() const {
  return what() == What::Kernel
             ? &m_setup.subject->functions->kernels[static_cast<std::size_t>(m_function->currentData().toInt())]
             : nullptr;
}

std::optional<run::KernelRun> RunDialog::kernelRun(QString& problem) const {
  const xref::Kernel* const shown = kernel();
  if (!shown) return std::nullopt;
  run::KernelRun out;
  out.kernel = shown->ref;
  m_launch->addTo(out, problem);
  const std::vector<RunInput>& inputs = m_inputs->model().inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].shape.isEmpty()) out.arguments[static_cast<uint32_t>(i)] = fromQt(inputs[i].shape);
  return out;
}

QString RunDialog::problem() const {
  if (m_function->count() == 0)
    return !m_setup.subject->dryProblem
               ? tr("The file has no host function and no kernel that can be run.")
               : tr("This file cannot be run here. %1").arg(reasonOf(*m_setup.subject->dryProblem));
  if (mode() != Mode::Dry && (what() == What::Host || what() == What::All) && m_setup.subject->deviceProblem)
    return tr("The host functions can only be run as a dry run here. %1")
        .arg(reasonOf(*m_setup.subject->deviceProblem));
  if (mode() == Mode::Dry && kernel())
    return tr("A single kernel needs a device. Dry runs are for host functions only.");
  if (mode() == Mode::Dry && what() == What::Model) return tr("A whole model cannot be run as a dry run.");
  if (what() == What::Whole)
    if (QString why = modelProblem(); !why.isEmpty()) return why;
  QString problem = mode() == Mode::Dry ? QString() : m_inputs->model().problem();
  if (problem.isEmpty()) (void)kernelRun(problem);
  if (problem.isEmpty() && mode() == Mode::Other)
    problem = m_askedOther.isEmpty() ? tr("Choose the other library.") : m_otherProblem;
  if (problem.isEmpty() && what() == What::Model && m_runtime->path().isEmpty())
    problem = tr("Choose an installed TVM runtime.");
  return problem;
}

RunRequest RunDialog::request() const {
  RunRequest out;
  run::RunOptions& options = out.options;
  options.limits = m_setup.before.options.limits;
  m_limits->addTo(options);
  options.runner = m_setup.before.options.runner;
  options.tolerance = m_setup.before.options.tolerance;
  out.inputs = m_setup.before.inputs;
  const host::Signature* const shown = signature();
  options.all = what() == What::All;
  QString problem;
  options.kernel = kernelRun(problem);
  if (what() == What::Model) options.runtime = pathFrom(QFile::encodeName(m_runtime->path()).toStdString());
  if (what() == What::Whole) {
    options.model = options.keepNodes = true;
    options.modelFiles = modelFiles();
    if (m_keep->isChecked() || mode() != Mode::Device) options.taps = taps();
  }
  if (shown) {
    options.functions = {entry() ? entry()->name : shown->function};
    options.variables = m_sizes->values();
  }
  options.dry = mode() == Mode::Dry;
  options.seed = static_cast<uint64_t>(m_seed->value());
  if (options.dry) return out;
  if (mode() == Mode::Opened) out.against = RunRequest::Against::Opened;
  if (mode() == Mode::Other) {
    out.against = RunRequest::Against::Other;
    out.other = m_askedOther;
    out.otherSha256 = m_otherSha256;
  }
  if (what() != What::Model) options.device = fromQt(m_device->currentData().toString());
  options.deviceIndex = m_device->currentData(kDeviceIndexRole).toInt();
  if (m_repeat->value() > 0) options.repeat = static_cast<uint32_t>(m_repeat->value());
  if (what() != What::All)
    for (const RunInput& input : m_inputs->model().inputs())
      if (input.fill != QLatin1String("default")) options.inputs[input.name] = fromQt(input.fill);
  return out;
}

// --- 3. Display

void RunDialog::showFunction() {
  const run::RunOptions& before = m_setup.before.options;
  const host::Signature* const shown = signature();
  const xref::Kernel* const alone = kernel();
  m_sizes->setSignature(shown, before.variables);
  m_inputs->setInputs(shown   ? inputsOf(*shown, before, what() == What::Host)
                      : alone ? inputsOf(*alone, before)
                              : std::vector<RunInput>(),
                      alone != nullptr);
  showShapes();
  m_signature->setVisible(shown != nullptr);
  if (shown) {
    const QString text = toQt(shown->text());
    m_signature->setText(text);
    m_signature->setToolTip(plainTip(text));
  }
  // What does not support dry runs needs a device.
  if (mode() == Mode::Dry && (alone || what() == What::Model || what() == What::Whole))
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(Mode::Device)));
  m_sizeLabel->setVisible(!m_sizes->isEmpty());
  m_sizes->setVisible(!m_sizes->isEmpty());
  updateState();
}

void RunDialog::showShapes() {
  if (const host::Signature* const shown = signature())
    m_inputs->model().setShapes(shapesOf(*shown, m_sizes->values()));
}

void RunDialog::updateState() {
  askForOther();
  askForModel();
  const bool device = mode() != Mode::Dry, other = mode() == Mode::Other, model = what() == What::Model;
  const std::pair<bool, std::vector<QWidget*>> rows[] = {
      {other, {m_otherLabel, m_other}},
      {device && !model, {m_deviceLabel, m_device, m_deviceNote}},
      {device, {m_repeatLabel, m_repeat, m_seedLabel, m_seed}},
      {device && kernel(), {m_launchLabel, m_launch}},
      {device && model, {m_runtimeLabel, m_runtime}},
      {device && takesFiles(), {m_graphLabel, m_graph, m_parametersLabel, m_parameters}},
      {mode() == Mode::Device && what() == What::Whole, {m_keepRow}}, // comparisons keep them
  };
  for (const auto& [shown, widgets] : rows)
    for (QWidget* const widget : widgets) widget->setVisible(shown);
  m_inputs->setUsed(device);
  const QString problem = this->problem();
  m_problem->setText(problem);
  m_problem->setVisible(!problem.isEmpty());
  updateConsent();
}

void RunDialog::updateConsent() {
  const std::vector<ExecutedCode> codes =
      m_function->count() > 0 ? executedCodes(*m_setup.subject, m_setup.file, request()) : std::vector<ExecutedCode>();
  const bool agreed = areAgreed(codes, m_setup.consents);
  const QString name = QFileInfo(m_setup.file).fileName(), other = QFileInfo(m_askedOther).fileName();
  m_consent->setCodes(codes, agreed, name, m_otherProblem.isEmpty());
  m_consent->setVisible(m_function->count() > 0); // nothing to agree to
  const auto shortened = [this](const QString& text, int width) {
    return fontMetrics().elidedText(plainLine(text), Qt::ElideMiddle, width);
  };
  const bool both = !other.isEmpty();
  m_run->setText(agreed ? tr("Run")
                 : both ? plainAction(tr("Run the code of %1 and %2").arg(shortened(name, 160), shortened(other, 160)))
                        : plainAction(tr("Run the code of %1").arg(shortened(name, 260))));
  m_run->setAccessibleName(plainLine(agreed ? tr("Run")
                                     : both ? tr("Run the code of %1 and %2").arg(name, other)
                                            : tr("Run the code of %1").arg(name)));
  const bool known =
      std::none_of(codes.begin(), codes.end(), [](const ExecutedCode& code) { return code.key.isEmpty(); });
  const QString problem = this->problem();
  m_run->setEnabled(problem.isEmpty() && known && (agreed || m_consent->isGiven()));
  m_run->setToolTip(plainTip(problem));
}

} // namespace blobscope::ui
