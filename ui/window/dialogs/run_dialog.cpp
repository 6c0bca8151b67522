#include "ui/window/dialogs/run_dialog.h"

#include "core/base/text.h"
#include "core/run/extent.h"
#include "core/run/kernel.h"
#include "core/run/model.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace blobscope::ui {
namespace {

constexpr int kMargin = 20, kSizeColumns = 3, kRepeats = 5'000;
constexpr std::size_t kSizesShown = 60, kFunctionsShown = 20'000;
constexpr int kDeviceIndexRole = Qt::UserRole + 1, kWhatRole = Qt::UserRole + 1;
constexpr int kSeconds = 3'600, kMebibytes = 1 << 20;

ThemeLabel* label(const QString& text, QWidget* buddy, QWidget* parent) {
  auto* const made = new ThemeLabel(text, TextRole::Body, Role::Secondary, parent);
  made->setTextInteractionFlags(Qt::NoTextInteraction);
  made->setBuddy(buddy);
  buddy->setAccessibleName(plainLine(QString(text).remove(QLatin1Char('&'))));
  return made;
}

/// Words to choose from, or others.
class FillDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const override {
    auto* const box = new QComboBox(parent);
    box->setEditable(true);
    box->addItems(RunInputsModel::words());
    box->setAccessibleName(
        plainLine(RunDialog::tr("Filled with: %1").arg(index.siblingAtColumn(RunInputsModel::Name).data().toString())));
    return box;
  }
  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    if (auto* const box = qobject_cast<QComboBox*>(editor)) box->setCurrentText(index.data(Qt::EditRole).toString());
  }
  void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
    if (auto* const box = qobject_cast<QComboBox*>(editor)) model->setData(index, box->currentText(), Qt::EditRole);
  }
};

bool isCallable(const xref::HostFunction& function) { return !function.symbol.empty() && function.ref.members.empty(); }

/// "7 × 128"; "?" for a dimension that no text tells.
QString shapeText(const host::Parameter& parameter, const run::Variables& variables) {
  if (!parameter.rankKnown) return QStringLiteral("?");
  QStringList words;
  for (const host::Dimension& dimension : parameter.shape) {
    if (dimension.value) {
      words << QString::number(*dimension.value);
      continue;
    }
    const auto value = dimension.text.empty() ? Result<int64_t>(Error(DiagnosticId::Usage, {}))
                                              : run::evaluate(dimension.text, variables);
    words << (value ? QString::number(*value) : QStringLiteral("?"));
  }
  return words.isEmpty() ? RunDialog::tr("one value") : words.join(QStringLiteral(" × "));
}

} // namespace

RunDialog::RunDialog(Setup setup, QWidget* parent)
    : QDialog(parent), m_setup(std::move(setup)), m_machine(run::modelFunctions(*m_setup.subject->functions)) {
  setWindowTitle(tr("Run"));
  setProperty("helpTopic", QStringLiteral("test-run"));
  setMinimumSize(560, 420);
  resize(680, 640);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, 16, kMargin, 16);
  layout->setSpacing(10);
  layout->addWidget(makeGrid());
  layout->addWidget(makeInputs(), 1);
  layout->addStretch(); // takes the room when there are no tensors
  m_problem = new ThemeLabel({}, TextRole::Body, Role::Error, this);
  m_problem->setWordWrap(true);
  layout->addWidget(m_problem);
  layout->addWidget(makeConsent());
  auto* const box = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_run = box->addButton(tr("Run"), QDialogButtonBox::AcceptRole);
  m_run->setDefault(true);
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(box);

  connect(m_function, &QComboBox::currentIndexChanged, this, &RunDialog::showFunction);
  connect(m_mode, &QComboBox::currentIndexChanged, this, &RunDialog::updateState);
  connect(m_other, &QLineEdit::textChanged, this, &RunDialog::updateState);
  for (QLineEdit* const line : {m_launch[0], m_launch[1], m_launch[2], m_runtime})
    connect(line, &QLineEdit::textChanged, this, &RunDialog::updateState);
  connect(m_inputs, &QAbstractItemModel::dataChanged, this, &RunDialog::updateState);
  connect(m_consent, &QCheckBox::toggled, this, &RunDialog::updateState);
  showFunction();
  m_function->setFocus();
}

QWidget* RunDialog::makeGrid() {
  auto* const top = new QWidget(this);
  top->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  m_grid = new QGridLayout(top);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(12);
  m_grid->setVerticalSpacing(8);
  m_grid->setColumnStretch(1, 1);
  const run::RunOptions& before = m_setup.before.options;

  m_function = new QComboBox(top);
  m_function->setMaxVisibleItems(20);
  m_function->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_function->setMinimumContentsLength(30);
  addFunctions();
  m_grid->addWidget(label(tr("&Function"), m_function, top), 0, 0);
  m_grid->addWidget(m_function, 0, 1);
  m_signature = new ThemeLabel({}, TextRole::Code, Role::Secondary, top);
  m_signature->setWordWrap(true);
  m_grid->addWidget(m_signature, 1, 1);

  m_mode = new QComboBox(top);
  m_mode->addItem(tr("Dry run: record the launches, use no device"), static_cast<int>(Mode::Dry));
  m_mode->addItem(tr("On a device: run, show what comes out, measure"), static_cast<int>(Mode::Device));
  if (!m_setup.subject->state->edits.empty())
    m_mode->addItem(tr("Compare with the file as opened"), static_cast<int>(Mode::Opened));
  m_mode->addItem(tr("Compare with another library…"), static_cast<int>(Mode::Other));
  const bool fresh = before.functions.empty() && !before.all && !before.kernel;
  const Mode chosen = m_setup.before.against == RunRequest::Against::Opened  ? Mode::Opened
                      : m_setup.before.against == RunRequest::Against::Other ? Mode::Other
                      : before.dry || fresh                                  ? Mode::Dry
                                                                             : Mode::Device;
  m_mode->setCurrentIndex(std::max(0, m_mode->findData(static_cast<int>(chosen))));
  m_grid->addWidget(label(tr("&How"), m_mode, top), 2, 0);
  m_grid->addWidget(m_mode, 2, 1);

  m_otherRow = new QWidget(top);
  auto* const otherLayout = new QHBoxLayout(m_otherRow);
  otherLayout->setContentsMargins(0, 0, 0, 0);
  m_other = new QLineEdit(m_setup.before.other, m_otherRow);
  m_other->setPlaceholderText(tr("A library with the same functions; its code is run too"));
  auto* const browse = new QPushButton(tr("Browse…"), m_otherRow);
  browse->setAutoDefault(false);
  browse->setAccessibleName(tr("Browse for the other library"));
  connect(browse, &QPushButton::clicked, this, &RunDialog::browseOther);
  otherLayout->addWidget(m_other, 1);
  otherLayout->addWidget(browse);
  m_otherLabel = label(tr("&Other library"), m_other, top);
  m_grid->addWidget(m_otherLabel, 3, 0);
  m_grid->addWidget(m_otherRow, 3, 1);

  m_device = new QComboBox(top);
  m_device->addItem(tr("What the library is for"), QString());
  m_deviceLabel = label(tr("&Device"), m_device, top);
  m_grid->addWidget(m_deviceLabel, 4, 0);
  m_grid->addWidget(m_device, 4, 1);
  m_deviceNote = new ThemeLabel(tr("Asking the drivers…"), TextRole::Secondary, Role::Secondary, top);
  m_deviceNote->setWordWrap(true);
  m_grid->addWidget(m_deviceNote, 5, 1);

  m_seed = new QSpinBox(top);
  m_seed->setRange(0, std::numeric_limits<int>::max());
  m_seed->setValue(static_cast<int>(std::min<uint64_t>(before.seed, static_cast<uint64_t>(m_seed->maximum()))));
  m_repeat = new QSpinBox(top);
  m_repeat->setRange(0, kRepeats);
  m_repeat->setSpecialValueText(tr("not measured"));
  m_repeat->setValue(static_cast<int>(before.repeat ? *before.repeat : fresh ? 100 : 0));
  for (QSpinBox* const box : {m_seed, m_repeat}) box->setMinimumWidth(140);
  m_seedLabel = label(tr("&Seed of random inputs"), m_seed, top);
  m_repeatLabel = label(tr("&Measured runs"), m_repeat, top);
  m_grid->addWidget(m_seedLabel, 6, 0);
  m_grid->addWidget(m_seed, 6, 1, Qt::AlignLeft);
  m_grid->addWidget(m_repeatLabel, 7, 0);
  m_grid->addWidget(m_repeat, 7, 1, Qt::AlignLeft);

  m_sizeLabel = new ThemeLabel(tr("Sizes"), TextRole::Body, Role::Secondary, top);
  m_sizeBox = new QWidget(top);
  m_grid->addWidget(m_sizeLabel, 8, 0, Qt::AlignTop);
  m_grid->addWidget(m_sizeBox, 8, 1);
  m_launchBox = makeLaunch(top);
  m_launchLabel = label(tr("&Launch"), m_launch[0], top);
  m_launch[0]->setAccessibleName(tr("Grid"));
  m_runtimeRow = makeRuntime(top);
  m_runtimeLabel = label(tr("&TVM runtime"), m_runtime, top);
  m_limits = makeLimits(top);
  m_limitsLabel = label(tr("L&imits"), m_seconds, top);
  m_seconds->setAccessibleName(tr("Longest time of one call in seconds"));
  const std::pair<QWidget*, QWidget*> rows[] = {
      {m_launchLabel, m_launchBox}, {m_runtimeLabel, m_runtimeRow}, {m_limitsLabel, m_limits}};
  for (int row = 9; const auto& [name, widget] : rows) {
    m_grid->addWidget(name, row, 0, Qt::AlignTop);
    m_grid->addWidget(widget, row++, 1);
  }
  return top;
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
    return !before.kernel && !before.all && !before.functions.empty() && before.functions.front() == name;
  };
  std::optional<int> chosen;
  for (std::size_t i = 0; i < functions.hosts.size() && room(); ++i) {
    if (!isCallable(functions.hosts[i])) continue;
    if (before.runtime.empty() && called(functions.hosts[i].signature.function)) chosen = m_function->count();
    add(nameToQt(functions.hosts[i].signature.function), What::Host, i);
  }
  const int hosts = m_function->count();
  if (hosts > 0) {
    m_function->insertItem(0, tr("All functions (%1)").arg(hosts), -1);
    m_function->setItemData(0, static_cast<int>(What::All), kWhatRole);
    if (chosen) ++*chosen;
    if (hosts == 1 && !chosen) chosen = 1;
  }
  for (std::size_t i = 0; i < m_machine.hosts.size() && room(); ++i) {
    if (!before.runtime.empty() && called(m_machine.hosts[i].symbol)) chosen = m_function->count();
    add(tr("%1 – whole model, by a TVM runtime").arg(toQt(m_machine.hosts[i].symbol)), What::Model, i);
  }
  for (std::size_t i = 0; i < functions.kernels.size() && room(); ++i) {
    if (before.kernel && before.kernel->kernel == functions.kernels[i].ref) chosen = m_function->count();
    add(tr("%1 – kernel by itself (%2)")
            .arg(nameToQt(functions.kernels[i].name), nameToQt(functions.kernels[i].moduleKey)),
        What::Kernel, i);
  }
  m_function->setCurrentIndex(chosen.value_or(0));
}

QWidget* RunDialog::makeLaunch(QWidget* parent) {
  auto* const box = new QWidget(parent);
  auto* const layout = new QHBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  const QString names[] = {tr("Grid"), tr("Block"), tr("Shared memory in bytes")};
  const auto& before = m_setup.before.options.kernel;
  const auto text = [](const std::optional<std::array<uint64_t, 3>>& extents) {
    return extents ? QStringLiteral("%1,%2,%3").arg((*extents)[0]).arg((*extents)[1]).arg((*extents)[2]) : QString();
  };
  const QString values[] = {before ? text(before->grid) : QString(), before ? text(before->block) : QString(),
                            before && before->dynamicShared ? QString::number(*before->dynamicShared) : QString()};
  for (std::size_t i = 0; i < m_launch.size(); ++i) {
    m_launch[i] = new QLineEdit(values[i], box);
    m_launch[i]->setPlaceholderText(tr("of a dry run"));
    m_launch[i]->setToolTip(
        plainTip(i < 2 ? tr("One to three numbers: x,y,z; empty: as a dry run of the host function has it")
                       : tr("Dynamic shared memory; empty: as a dry run has it")));
    auto* const name = new ThemeLabel(names[i], TextRole::Secondary, Role::Secondary, box);
    m_launch[i]->setAccessibleName(plainLine(names[i]));
    layout->addWidget(name);
    layout->addWidget(m_launch[i], 1);
  }
  return box;
}

QWidget* RunDialog::makeRuntime(QWidget* parent) {
  auto* const row = new QWidget(parent);
  auto* const layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  m_runtime = new QLineEdit(wholeToQt(m_setup.before.options.runtime.native()), row);
  m_runtime->setPlaceholderText(tr("libtvm_runtime.so, its folder, or a Python environment with apache-tvm"));
  auto* const browse = new QPushButton(tr("Browse…"), row);
  browse->setAutoDefault(false);
  browse->setAccessibleName(tr("Browse for the TVM runtime"));
  connect(browse, &QPushButton::clicked, this, &RunDialog::browseRuntime);
  layout->addWidget(m_runtime, 1);
  layout->addWidget(browse);
  return row;
}

QWidget* RunDialog::makeLimits(QWidget* parent) {
  const protocol::JobLimits& limits = m_setup.before.options.limits;
  auto* const box = new QWidget(parent);
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* const row = new QHBoxLayout;
  m_seconds = new QSpinBox(box);
  m_seconds->setRange(1, kSeconds);
  m_seconds->setSuffix(tr(" s for a call"));
  m_seconds->setValue(static_cast<int>(std::min<uint64_t>((limits.runMs + 999) / 1'000, kSeconds)));
  m_mebibytes = new QSpinBox(box);
  m_mebibytes->setRange(1, kMebibytes);
  m_mebibytes->setSuffix(tr(" MiB for its tensors"));
  m_mebibytes->setValue(static_cast<int>(std::min<uint64_t>(limits.memoryBytes >> 20, kMebibytes)));
  m_mebibytes->setAccessibleName(tr("Largest size of all tensors of one call in MiB"));
  row->addWidget(m_seconds);
  row->addWidget(m_mebibytes);
  row->addStretch(1);
  layout->addLayout(row);
  m_widen = new QCheckBox(tr("OpenCL devices &without float16: compute in float32"), box);
  m_widen->setChecked(m_setup.before.options.widenHalf);
  const auto& kernels = m_setup.subject->functions->kernels;
  m_widen->setVisible(
      std::any_of(kernels.begin(), kernels.end(), [](const xref::Kernel& one) { return one.moduleKey == "opencl"; }));
  layout->addWidget(m_widen);
  return box;
}

QWidget* RunDialog::makeInputs() {
  m_inputBox = new QWidget(this);
  auto* const layout = new QVBoxLayout(m_inputBox);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  auto* const head = new QHBoxLayout;
  m_table = new QTableView(m_inputBox);
  auto* const title = label(tr("&Tensors"), m_table, m_inputBox);
  head->addWidget(title, 1);
  m_file = new QPushButton(tr("Fill from a file…"), m_inputBox);
  m_file->setAutoDefault(false);
  m_file->setToolTip(tr("Takes the content of the selected tensor from a NumPy file"));
  connect(m_file, &QPushButton::clicked, this, &RunDialog::browseInput);
  head->addWidget(m_file);
  layout->addLayout(head);
  m_inputs = new RunInputsModel(this);
  m_table->setModel(m_inputs);
  m_table->setItemDelegateForColumn(RunInputsModel::Filled, new FillDelegate(m_table));
  m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                           QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setShowGrid(false);
  m_table->setTabKeyNavigation(false);
  m_table->setWordWrap(false);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(metrics::rowHeight() + 4);
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setFixedHeight(28);
  m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_table->horizontalHeader()->setSectionResizeMode(RunInputsModel::Filled, QHeaderView::Stretch);
  m_table->setColumnWidth(RunInputsModel::Name, 150);
  m_table->setColumnWidth(RunInputsModel::Type, 90);
  m_table->setColumnWidth(RunInputsModel::Shape, 160);
  m_table->setMinimumHeight(28 + 2 * (metrics::rowHeight() + 4));
  layout->addWidget(m_table, 1);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RunDialog::updateState);
  return m_inputBox;
}

QWidget* RunDialog::makeConsent() {
  m_consentPanel = new Panel(Role::WarningBackground, Role::Warning, this);
  auto* const layout = new QVBoxLayout(m_consentPanel);
  layout->setContentsMargins(14, 10, 12, 10);
  layout->setSpacing(6);
  m_consentPanel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  m_consentWords = new ThemeLabel({}, TextRole::Body, Role::Text, m_consentPanel);
  m_consentWords->setWordWrap(true);
  layout->addWidget(m_consentWords);
  for (CodeRow& row : m_codeRows) {
    auto* const lines = new QVBoxLayout;
    lines->setSpacing(0);
    row.name = new ThemeLabel({}, TextRole::Body, Role::Text, m_consentPanel);
    row.name->setElided();
    row.digest = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, m_consentPanel);
    lines->addWidget(row.name);
    lines->addWidget(row.digest);
    layout->addLayout(lines);
  }
  m_consent = new QCheckBox(m_consentPanel);
  layout->addWidget(m_consent);
  return m_consentPanel;
}

std::vector<RunDialog::Code> RunDialog::codesOf(const RunSubject& subject, const QString& file,
                                                const RunRequest& request) {
  const auto placed = [](const QString& path) {
    return tr("%1 in %2").arg(QFileInfo(path).fileName(), QFileInfo(path).absolutePath());
  };
  const bool edited = !subject.state->edits.empty();
  std::vector<Code> codes = {
      {edited ? tr("%1, with your changes").arg(placed(file)) : placed(file), subject.digest, subject.digest}};
  if (request.against == RunRequest::Against::Opened)
    codes.push_back({tr("%1, as opened").arg(placed(file)), subject.sha256, subject.sha256});
  if (request.against == RunRequest::Against::Other)
    codes.push_back({placed(request.other), request.otherSha256, request.otherSha256});
  if (const auto& runtime = request.options.runtime; !runtime.empty())
    codes.push_back({tr("TVM runtime: %1").arg(toQt(runtime.native())),
                     {},
                     QStringLiteral("runtime:") + wholeToQt(runtime.native())});
  return codes;
}

bool RunDialog::areAgreed(const std::vector<Code>& codes, const QStringList& consents) {
  return std::all_of(codes.begin(), codes.end(),
                     [&](const Code& code) { return !code.key.isEmpty() && consents.contains(code.key); });
}

void RunDialog::updateConsent() {
  const std::vector<Code> codes =
      m_function->count() > 0 ? codesOf(*m_setup.subject, m_setup.file, request()) : std::vector<Code>();
  const bool agreed = areAgreed(codes, m_setup.consents);
  // Consent to other code does not cover this.
  if (codes != m_codes) m_consent->setChecked(false);
  m_codes = codes;
  const bool several = codes.size() > 1;
  const QString name = QFileInfo(m_setup.file).fileName(), other = QFileInfo(m_askedOther).fileName();
  m_consentPanel->setRoles(agreed ? Role::Header : Role::WarningBackground, agreed ? Role::Ok : Role::Warning);
  m_consentWords->setText(
      agreed    ? tr("You have agreed to run exactly this content. That is remembered until the program ends.")
      : several ? tr("This executes the code of all these files, in helper processes with your rights.")
                : tr("This executes code of %1, in a helper process with your rights. A dry run does so too: only "
                     "launches are left out.")
                      .arg(name));
  for (std::size_t i = 0; i < m_codeRows.size(); ++i) {
    const CodeRow& row = m_codeRows[i];
    row.name->setVisible(i < codes.size());
    row.digest->setVisible(i < codes.size() &&
                           (!codes[i].key.isEmpty() ? !codes[i].sha256.isEmpty() : m_otherProblem.isEmpty()));
    if (i >= codes.size()) continue;
    row.name->setText(codes[i].name);
    row.digest->setText(codes[i].key.isEmpty() ? tr("Reading its SHA-256…") : tr("SHA-256 %1").arg(codes[i].sha256));
  }
  m_consent->setText(several ? tr("I t&rust all these files: run their code") : tr("I t&rust this file: run its code"));
  m_consent->setAccessibleName(plainLine(m_consent->text().remove(QLatin1Char('&'))));
  m_consent->setVisible(!agreed);
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
  const bool known = std::none_of(codes.begin(), codes.end(), [](const Code& code) { return code.key.isEmpty(); });
  m_run->setEnabled(problem().isEmpty() && known && (agreed || m_consent->isChecked()));
}

QString RunDialog::consentText() const {
  QStringList lines = {m_consentWords->text()};
  for (const CodeRow& row : m_codeRows)
    if (!row.name->isHidden()) lines << row.name->text() << (row.digest->isHidden() ? QString() : row.digest->text());
  return lines.join(QLatin1Char('\n'));
}

void RunDialog::askForOther() {
  const QString path = mode() == Mode::Other ? m_other->text().trimmed() : QString();
  if (path == m_askedOther) return;
  m_askedOther = path;
  m_otherSha256.clear();
  m_otherProblem.clear();
  if (!path.isEmpty() && m_setup.describeOther) m_setup.describeOther(path);
}

void RunDialog::setOther(const QString& path, const Result<QString>& sha256) {
  if (path != m_askedOther) return; // another one was named since
  m_otherSha256 = sha256 ? *sha256 : QString();
  m_otherProblem = sha256 ? QString() : toQt(sha256.error().message());
  updateState();
}

void RunDialog::accept() {
  if (m_run->isEnabled()) QDialog::accept();
}

RunDialog::Mode RunDialog::mode() const { return static_cast<Mode>(m_mode->currentData().toInt()); }

RunDialog::What RunDialog::what() const {
  return m_function->count() == 0 ? What::All : static_cast<What>(m_function->currentData(kWhatRole).toInt());
}

const host::Signature* RunDialog::signature() const {
  const auto at = static_cast<std::size_t>(m_function->currentData().toInt());
  if (what() == What::Host) return &m_setup.subject->functions->hosts[at].signature;
  return what() == What::Model ? &m_machine.hosts[at].signature : nullptr;
}

const xref::Kernel* RunDialog::kernel() const {
  return what() == What::Kernel
             ? &m_setup.subject->functions->kernels[static_cast<std::size_t>(m_function->currentData().toInt())]
             : nullptr;
}

std::vector<RunInput> RunDialog::inputsOf(const host::Signature& signature) const {
  std::vector<RunInput> inputs;
  std::size_t last = signature.parameters.size();
  for (std::size_t i = 0; i < signature.parameters.size(); ++i)
    if (signature.parameters[i].kind == host::Parameter::Kind::Tensor) last = i;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const host::Parameter& parameter = signature.parameters[i];
    if (parameter.kind != host::Parameter::Kind::Tensor) continue;
    RunInput input;
    input.name = parameter.name.empty() ? "arg" + std::to_string(i) : parameter.name;
    input.type = parameter.dtype.empty() ? QStringLiteral("bool") : nameToQt(parameter.dtype);
    const auto before = m_setup.before.options.inputs.find(input.name);
    input.fill = before == m_setup.before.options.inputs.end() ? QStringLiteral("default") : wholeToQt(before->second);
    input.output = i == last && what() == What::Host;
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::vector<RunInput> RunDialog::inputsOf(const xref::Kernel& kernel) const {
  std::vector<RunInput> inputs;
  const auto& before = m_setup.before.options.kernel;
  const QStringList types = wholeToQt(kernel.arguments).split(QStringLiteral(", "), Qt::SkipEmptyParts);
  for (qsizetype i = 0; i < types.size(); ++i) {
    RunInput input;
    input.name = "arg" + std::to_string(i);
    input.type = types[i];
    input.asked = true;
    if (before && before->kernel == kernel.ref)
      if (const auto given = before->arguments.find(static_cast<uint32_t>(i)); given != before->arguments.end())
        input.shape = wholeToQt(given->second);
    const auto fill = m_setup.before.options.inputs.find(input.name);
    input.fill = fill == m_setup.before.options.inputs.end() ? QStringLiteral("default") : wholeToQt(fill->second);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::optional<run::KernelRun> RunDialog::kernelRun(QString& problem) const {
  const xref::Kernel* const shown = kernel();
  if (!shown) return std::nullopt;
  run::KernelRun out;
  out.kernel = shown->ref;
  const auto extents = [&](const QLineEdit& line) -> std::optional<std::array<uint64_t, 3>> {
    QStringList words;
    for (const QString& word : line.text().split(QLatin1Char(','), Qt::SkipEmptyParts)) words << word.trimmed();
    if (words.isEmpty()) return std::nullopt;
    const auto numbers = run::parseExtents(fromQt(words.join(QLatin1Char(','))));
    const bool good = numbers && std::find(numbers->begin(), numbers->end(), 0) == numbers->end();
    if (!good) problem = tr("%1: one to three numbers such as 4,1,1.").arg(line.accessibleName());
    return good ? numbers : std::nullopt;
  };
  out.grid = extents(*m_launch[0]);
  out.block = extents(*m_launch[1]);
  if (const QString text = m_launch[2]->text().trimmed(); !text.isEmpty()) {
    out.dynamicShared = parseNumber(fromQt(text));
    if (!out.dynamicShared) problem = tr("%1: a number.").arg(m_launch[2]->accessibleName());
  }
  for (std::size_t i = 0; i < m_inputs->inputs().size(); ++i)
    if (const QString& given = m_inputs->inputs()[i].shape; !given.isEmpty())
      out.arguments[static_cast<uint32_t>(i)] = fromQt(given);
  return out;
}

run::Variables RunDialog::variables() const {
  run::Variables out;
  for (auto one = m_sizes.begin(); one != m_sizes.end(); ++one) out[fromQt(one.key())] = one.value()->value();
  return out;
}

void RunDialog::showFunction() {
  m_sizes.clear();
  delete m_sizeBox->layout();
  const auto old = m_sizeBox->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  for (QWidget* const widget : old) delete widget;
  auto* const layout = new QGridLayout(m_sizeBox);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setHorizontalSpacing(8);
  const host::Signature* const shown = signature();
  std::vector<RunInput> inputs;
  if (shown) {
    const run::Variables& given = m_setup.before.options.variables;
    run::Variables values = run::chooseVariables(*shown, given);
    for (const host::Parameter& parameter : shown->parameters)
      if (parameter.kind == host::Parameter::Kind::Integer && !parameter.name.empty() &&
          !values.contains(parameter.name))
        values[parameter.name] = given.contains(parameter.name) ? given.at(parameter.name) : 1;
    int number = 0;
    for (const auto& [name, value] : values) {
      if (static_cast<std::size_t>(number) == kSizesShown) break;
      auto* const box = new QSpinBox(m_sizeBox);
      box->setRange(0, std::numeric_limits<int>::max());
      box->setValue(static_cast<int>(std::clamp<int64_t>(value, 0, box->maximum())));
      connect(box, &QSpinBox::valueChanged, this, &RunDialog::showShapes);
      const QString text = nameToQt(name);
      layout->addWidget(label(plainAction(text), box, m_sizeBox), number / kSizeColumns, 2 * (number % kSizeColumns));
      box->setAccessibleName(plainLine(tr("Size %1").arg(text)));
      layout->addWidget(box, number / kSizeColumns, 2 * (number % kSizeColumns) + 1);
      m_sizes.insert(wholeToQt(name), box);
      ++number;
    }
    layout->setColumnStretch(2 * kSizeColumns, 1);
    inputs = inputsOf(*shown);
  } else if (const xref::Kernel* const alone = kernel()) {
    inputs = inputsOf(*alone);
  }
  m_inputs->setInputs(std::move(inputs));
  if (m_inputs->rowCount() > 0)
    m_table->setCurrentIndex(m_inputs->index(0, RunInputsModel::Filled)); // the one that can be edited
  showShapes();
  m_table->setColumnWidth(RunInputsModel::Shape, kernel() ? 230 : 160);
  m_signature->setVisible(shown != nullptr);
  if (shown) {
    const QString text = toQt(shown->text());
    m_signature->setText(text.size() > 300 ? text.left(299) + QStringLiteral("…") : text);
    m_signature->setToolTip(plainTip(text));
  }
  // What has no dry run is meant for a device.
  if (mode() == Mode::Dry && (kernel() || what() == What::Model))
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(Mode::Device)));
  m_sizeLabel->setVisible(!m_sizes.isEmpty());
  m_sizeBox->setVisible(!m_sizes.isEmpty());
  m_inputBox->setVisible(m_inputs->rowCount() > 0);
  updateState();
}

void RunDialog::showShapes() {
  const host::Signature* const shown = signature();
  if (!shown) return;
  const run::Variables values = variables();
  QStringList shapes;
  for (const host::Parameter& parameter : shown->parameters)
    if (parameter.kind == host::Parameter::Kind::Tensor) shapes << shapeText(parameter, values);
  m_inputs->setShapes(shapes);
}

QString RunDialog::problem() const {
  if (m_function->count() == 0)
    return tr("The file has nothing that can be run here: no host function, and no kernel.");
  if (mode() == Mode::Dry && kernel())
    return tr("A kernel by itself is run on a device; dry runs are of host functions.");
  if (mode() == Mode::Dry && what() == What::Model) return tr("A whole model computes; there is no dry run of it.");
  QString problem = mode() == Mode::Dry ? QString() : m_inputs->problem();
  if (problem.isEmpty()) (void)kernelRun(problem);
  if (problem.isEmpty() && mode() == Mode::Other)
    problem = m_askedOther.isEmpty() ? tr("Choose the other library.") : m_otherProblem;
  if (problem.isEmpty() && what() == What::Model && m_runtime->text().trimmed().isEmpty())
    problem = tr("Choose an installed TVM runtime.");
  return problem;
}

void RunDialog::updateState() {
  askForOther();
  const bool device = mode() != Mode::Dry, other = mode() == Mode::Other, model = what() == What::Model;
  const std::pair<bool, std::vector<QWidget*>> rows[] = {
      {other, {m_otherLabel, m_otherRow}},
      {device && !model, {m_deviceLabel, m_device, m_deviceNote}},
      {device, {m_repeatLabel, m_repeat, m_seedLabel, m_seed}},
      {device && kernel(), {m_launchLabel, m_launchBox}},
      {device && model, {m_runtimeLabel, m_runtimeRow}},
  };
  for (const auto& [shown, widgets] : rows)
    for (QWidget* const widget : widgets) widget->setVisible(shown);
  m_table->setEnabled(device);
  m_file->setEnabled(
      device && m_table->currentIndex().isValid() &&
      RunInputsModel::isBuffer(m_inputs->inputs()[static_cast<std::size_t>(m_table->currentIndex().row())]));
  const QString problem = this->problem();
  m_problem->setText(problem);
  m_problem->setVisible(!problem.isEmpty());
  updateConsent();
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
  add(tr("The processor (host functions without kernels)"), QStringLiteral("cpu"), 0);
  for (const protocol::DeviceFound& device : devices->devices)
    add(tr("%1: %2").arg(toQt(device.kind), toQt(device.name)), toQt(device.kind), static_cast<int>(device.index));
  QStringList missing;
  auto* const model = qobject_cast<QStandardItemModel*>(m_device->model());
  for (const run::DeviceList::Missing& one : devices->missing) {
    m_device->addItem(tr("missing: %1").arg(toQt(one.what)));
    m_device->setItemData(m_device->count() - 1, plainTip(toQt(one.unlocks)), Qt::ToolTipRole);
    if (model) model->item(m_device->count() - 1)->setEnabled(false);
    missing << tr("%1: %2").arg(toQt(one.what), toQt(one.unlocks));
  }
  m_deviceNote->setText(missing.isEmpty() ? tr("All drivers that test runs know are here.")
                                          : tr("Missing here – %1").arg(missing.join(QStringLiteral(" · "))));
}

RunRequest RunDialog::request() const {
  RunRequest out;
  run::RunOptions& options = out.options;
  options.limits = m_setup.before.options.limits;
  options.limits.runMs = static_cast<uint64_t>(m_seconds->value()) * 1'000;
  options.limits.memoryBytes = static_cast<uint64_t>(m_mebibytes->value()) << 20;
  options.widenHalf = m_widen->isChecked();
  options.runner = m_setup.before.options.runner;
  const host::Signature* const shown = signature();
  options.all = what() == What::All;
  QString problem;
  options.kernel = kernelRun(problem);
  if (what() == What::Model) options.runtime = QFile::encodeName(m_runtime->text().trimmed()).toStdString();
  if (shown) {
    options.functions = {shown->function};
    options.variables = variables();
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
    for (const RunInput& input : m_inputs->inputs())
      if (input.fill != QLatin1String("default")) options.inputs[input.name] = fromQt(input.fill);
  return out;
}

void RunDialog::browseOther() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Compare the results with"), QFileInfo(m_setup.file).path());
  if (!path.isEmpty()) m_other->setText(path);
}

void RunDialog::browseRuntime() {
  const QString path = QFileDialog::getExistingDirectory(this, tr("An installed TVM runtime"), m_runtime->text());
  if (!path.isEmpty()) m_runtime->setText(path);
}

void RunDialog::browseInput() {
  const QModelIndex index = m_table->currentIndex();
  if (!index.isValid()) return;
  const QString path = QFileDialog::getOpenFileName(
      this, plainLine(tr("Content of %1").arg(index.siblingAtColumn(RunInputsModel::Name).data().toString())),
      QFileInfo(m_setup.file).path(), tr("NumPy files (*.npy)"));
  if (!path.isEmpty()) m_inputs->setData(index.siblingAtColumn(RunInputsModel::Filled), path, Qt::EditRole);
}

} // namespace blobscope::ui
