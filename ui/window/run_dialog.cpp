#include "ui/window/run_dialog.h"

#include "core/testrun/extent.h"
#include "ui/session/strings.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
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
constexpr int kDeviceIndexRole = Qt::UserRole + 1;

ThemeLabel* label(const QString& text, QWidget* buddy, QWidget* parent) {
  auto* const made = new ThemeLabel(text, TextRole::Body, Role::Secondary, parent);
  made->setTextInteractionFlags(Qt::NoTextInteraction);
  made->setBuddy(buddy);
  buddy->setAccessibleName(QString(text).remove(QLatin1Char('&')));
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
    box->setAccessibleName(RunDialog::tr("Filled with: %1").arg(index.siblingAtColumn(RunInputsModel::Name).data().toString()));
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
QString shapeText(const host::Parameter& parameter, const testrun::Variables& variables) {
  if (!parameter.rankKnown) return QStringLiteral("?");
  QStringList words;
  for (const host::Dimension& dimension : parameter.shape) {
    if (dimension.value) {
      words << QString::number(*dimension.value);
      continue;
    }
    const auto value = dimension.text.empty() ? Result<int64_t>(Error(DiagnosticId::Usage, {})) : testrun::evaluate(dimension.text, variables);
    words << (value ? QString::number(*value) : QStringLiteral("?"));
  }
  return words.isEmpty() ? RunDialog::tr("one value") : words.join(QStringLiteral(" × "));
}

} // namespace

RunDialog::RunDialog(Setup setup, QWidget* parent) : QDialog(parent), m_setup(std::move(setup)) {
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
  const QString name = QFileInfo(m_setup.file).fileName();
  m_run = box->addButton(m_setup.consented ? tr("Run") : tr("Run the code of %1").arg(fontMetrics().elidedText(name, Qt::ElideMiddle, 260)), QDialogButtonBox::AcceptRole);
  m_run->setAccessibleName(m_setup.consented ? tr("Run") : tr("Run the code of %1").arg(name));
  m_run->setDefault(true);
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(box);

  connect(m_function, &QComboBox::currentIndexChanged, this, &RunDialog::showFunction);
  connect(m_mode, &QComboBox::currentIndexChanged, this, &RunDialog::updateState);
  connect(m_other, &QLineEdit::textChanged, this, &RunDialog::updateState);
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
  const testrun::RunOptions& before = m_setup.before.options;

  m_function = new QComboBox(top);
  m_function->setMaxVisibleItems(20);
  m_function->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_function->setMinimumContentsLength(30);
  const auto& hosts = m_setup.subject->functions->hosts;
  for (std::size_t i = 0; i < hosts.size() && static_cast<std::size_t>(m_function->count()) < kFunctionsShown; ++i)
    if (isCallable(hosts[i])) m_function->addItem(toQt(hosts[i].signature.function), static_cast<int>(i));
  m_function->insertItem(0, m_function->count() == 1 ? tr("All functions (1)") : tr("All functions (%1)").arg(m_function->count()), -1);
  m_function->setCurrentIndex(m_function->count() == 2 ? 1 : 0);
  if (!before.all && !before.functions.empty())
    if (const int at = m_function->findText(toQt(before.functions.front())); at > 0) m_function->setCurrentIndex(at);
  m_grid->addWidget(label(tr("&Function"), m_function, top), 0, 0);
  m_grid->addWidget(m_function, 0, 1);
  m_signature = new ThemeLabel({}, TextRole::Code, Role::Secondary, top);
  m_signature->setWordWrap(true);
  m_grid->addWidget(m_signature, 1, 1);

  m_mode = new QComboBox(top);
  m_mode->addItem(tr("Dry run: record the launches, use no device"), static_cast<int>(Mode::Dry));
  m_mode->addItem(tr("On a device: run, show what comes out, measure"), static_cast<int>(Mode::Device));
  if (!m_setup.subject->state->edits.empty()) m_mode->addItem(tr("Compare with the file as opened"), static_cast<int>(Mode::Opened));
  m_mode->addItem(tr("Compare with another library…"), static_cast<int>(Mode::Other));
  const bool fresh = before.functions.empty() && !before.all;
  const Mode chosen = m_setup.before.against == RunRequest::Against::Opened ? Mode::Opened
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
  return top;
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
  m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
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
  auto* const panel = new Panel(m_setup.consented ? Role::Header : Role::WarningBackground, m_setup.consented ? Role::Ok : Role::Warning, this);
  auto* const layout = new QVBoxLayout(panel);
  layout->setContentsMargins(14, 10, 12, 10);
  layout->setSpacing(6);
  panel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  const QString name = QFileInfo(m_setup.file).fileName();
  const bool edited = !m_setup.subject->state->edits.empty();
  QString text = edited ? tr("This executes code of %1 with your changes, in a helper process with your rights. A dry run does so too: only launches are left out.").arg(name)
                        : tr("This executes code of %1, in a helper process with your rights. A dry run does so too: only launches are left out.").arg(name);
  text += QLatin1Char('\n') + tr("SHA-256 of the file as opened: %1").arg(m_setup.subject->sha256.left(16) + QStringLiteral("…"));
  if (m_setup.consented) text += QLatin1Char('\n') + tr("You have agreed to that for exactly this content; it is remembered until the program ends.");
  auto* const words = new ThemeLabel(text, TextRole::Body, Role::Text, panel);
  words->setWordWrap(true);
  words->setToolTip(m_setup.subject->sha256);
  layout->addWidget(words);
  m_consent = new QCheckBox(tr("I t&rust this file: run its code"), panel);
  m_consent->setAccessibleName(tr("I trust this file: run its code"));
  m_consent->setChecked(m_setup.consented);
  m_consent->setVisible(!m_setup.consented);
  layout->addWidget(m_consent);
  return panel;
}

RunDialog::Mode RunDialog::mode() const { return static_cast<Mode>(m_mode->currentData().toInt()); }

const host::Signature* RunDialog::signature() const {
  const int at = m_function->currentData().toInt();
  return at < 0 || static_cast<std::size_t>(at) >= m_setup.subject->functions->hosts.size() ? nullptr : &m_setup.subject->functions->hosts[static_cast<std::size_t>(at)].signature;
}

testrun::Variables RunDialog::variables() const {
  testrun::Variables out;
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
    const testrun::Variables& given = m_setup.before.options.variables;
    testrun::Variables values = testrun::chooseVariables(*shown, given);
    for (const host::Parameter& parameter : shown->parameters)
      if (parameter.kind == host::Parameter::Kind::Integer && !parameter.name.empty() && !values.contains(parameter.name))
        values[parameter.name] = given.contains(parameter.name) ? given.at(parameter.name) : 1;
    int number = 0;
    for (const auto& [name, value] : values) {
      if (static_cast<std::size_t>(number) == kSizesShown) break;
      auto* const box = new QSpinBox(m_sizeBox);
      box->setRange(0, std::numeric_limits<int>::max());
      box->setValue(static_cast<int>(std::clamp<int64_t>(value, 0, box->maximum())));
      connect(box, &QSpinBox::valueChanged, this, &RunDialog::showShapes);
      const QString text = toQt(name);
      layout->addWidget(label(QString(text).replace(QLatin1Char('&'), QStringLiteral("&&")), box, m_sizeBox), number / kSizeColumns, 2 * (number % kSizeColumns));
      box->setAccessibleName(tr("Size %1").arg(text));
      layout->addWidget(box, number / kSizeColumns, 2 * (number % kSizeColumns) + 1);
      m_sizes.insert(text, box);
      ++number;
    }
    layout->setColumnStretch(2 * kSizeColumns, 1);
    std::size_t last = shown->parameters.size();
    for (std::size_t i = 0; i < shown->parameters.size(); ++i)
      if (shown->parameters[i].kind == host::Parameter::Kind::Tensor) last = i;
    for (std::size_t i = 0; i < shown->parameters.size(); ++i) {
      const host::Parameter& parameter = shown->parameters[i];
      if (parameter.kind != host::Parameter::Kind::Tensor) continue;
      RunInput input;
      input.name = parameter.name.empty() ? "arg" + std::to_string(i) : parameter.name;
      input.type = parameter.dtype.empty() ? QStringLiteral("bool") : toQt(parameter.dtype);
      const auto before = m_setup.before.options.inputs.find(input.name);
      input.fill = before == m_setup.before.options.inputs.end() ? QStringLiteral("default") : toQt(before->second);
      input.output = i == last;
      inputs.push_back(std::move(input));
    }
  }
  m_inputs->setInputs(std::move(inputs));
  if (m_inputs->rowCount() > 0) m_table->setCurrentIndex(m_inputs->index(0, RunInputsModel::Filled)); // the one that can be edited
  showShapes();
  m_signature->setVisible(shown != nullptr);
  if (shown) {
    const QString text = toQt(shown->text());
    m_signature->setText(text.size() > 300 ? text.left(299) + QStringLiteral("…") : text);
    m_signature->setToolTip(text.left(4'000));
  }
  m_sizeLabel->setVisible(!m_sizes.isEmpty());
  m_sizeBox->setVisible(!m_sizes.isEmpty());
  m_inputBox->setVisible(m_inputs->rowCount() > 0);
  updateState();
}

void RunDialog::showShapes() {
  const host::Signature* const shown = signature();
  if (!shown) return;
  const testrun::Variables values = variables();
  QStringList shapes;
  for (const host::Parameter& parameter : shown->parameters)
    if (parameter.kind == host::Parameter::Kind::Tensor) shapes << shapeText(parameter, values);
  m_inputs->setShapes(shapes);
}

void RunDialog::updateState() {
  const bool device = mode() != Mode::Dry, other = mode() == Mode::Other;
  for (QWidget* const widget : {m_otherLabel, m_otherRow}) widget->setVisible(other);
  for (QWidget* const widget : {m_deviceLabel, static_cast<QWidget*>(m_device), static_cast<QWidget*>(m_deviceNote), m_repeatLabel, static_cast<QWidget*>(m_repeat), m_seedLabel, static_cast<QWidget*>(m_seed)})
    widget->setVisible(device);
  m_table->setEnabled(device);
  m_file->setEnabled(device && m_table->currentIndex().isValid());
  QString problem = device ? m_inputs->problem() : QString();
  if (problem.isEmpty() && other && m_other->text().isEmpty()) problem = tr("Choose the other library.");
  if (m_function->count() < 2) problem = tr("The library has no function that can be called.");
  m_problem->setText(problem);
  m_problem->setVisible(!problem.isEmpty());
  m_run->setEnabled(problem.isEmpty() && m_consent->isChecked());
}

void RunDialog::setDevices(const Result<testrun::DeviceList>& devices) {
  if (!devices) {
    m_deviceNote->setText(toQt(devices.error().message()));
    return;
  }
  const auto add = [&](const QString& text, const QString& kind, int index) {
    m_device->addItem(text, kind);
    m_device->setItemData(m_device->count() - 1, index, kDeviceIndexRole);
    const testrun::RunOptions& before = m_setup.before.options;
    if (!before.device.empty() && toQt(before.device) == kind && before.deviceIndex == index) m_device->setCurrentIndex(m_device->count() - 1);
  };
  add(tr("The processor (host functions without kernels)"), QStringLiteral("cpu"), 0);
  for (const run::DeviceFound& device : devices->devices)
    add(tr("%1: %2").arg(toQt(device.kind), toQt(device.name)), toQt(device.kind), static_cast<int>(device.index));
  QStringList missing;
  auto* const model = qobject_cast<QStandardItemModel*>(m_device->model());
  for (const testrun::DeviceList::Missing& one : devices->missing) {
    m_device->addItem(tr("missing: %1").arg(toQt(one.what)));
    m_device->setItemData(m_device->count() - 1, toQt(one.unlocks), Qt::ToolTipRole);
    if (model) model->item(m_device->count() - 1)->setEnabled(false);
    missing << tr("%1: %2").arg(toQt(one.what), toQt(one.unlocks));
  }
  m_deviceNote->setText(missing.isEmpty() ? tr("All drivers that test runs know are here.") : tr("Missing here – %1").arg(missing.join(QStringLiteral(" · "))));
}

RunRequest RunDialog::request() const {
  RunRequest out;
  testrun::RunOptions& options = out.options;
  options.limits = m_setup.before.options.limits;
  options.runner = m_setup.before.options.runner;
  const host::Signature* const shown = signature();
  options.all = !shown;
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
    out.other = m_other->text();
  }
  options.device = fromQt(m_device->currentData().toString());
  options.deviceIndex = m_device->currentData(kDeviceIndexRole).toInt();
  if (m_repeat->value() > 0) options.repeat = static_cast<uint32_t>(m_repeat->value());
  if (shown)
    for (const RunInput& input : m_inputs->inputs())
      if (input.fill != QLatin1String("default")) options.inputs[input.name] = fromQt(input.fill);
  return out;
}

void RunDialog::browseOther() {
  const QString path = QFileDialog::getOpenFileName(this, tr("Compare the results with"), QFileInfo(m_setup.file).path());
  if (!path.isEmpty()) m_other->setText(path);
}

void RunDialog::browseInput() {
  const QModelIndex index = m_table->currentIndex();
  if (!index.isValid()) return;
  const QString path = QFileDialog::getOpenFileName(this, tr("Content of %1").arg(index.siblingAtColumn(RunInputsModel::Name).data().toString()), QFileInfo(m_setup.file).path(), tr("NumPy files (*.npy)"));
  if (!path.isEmpty()) m_inputs->setData(index.siblingAtColumn(RunInputsModel::Filled), path, Qt::EditRole);
}

} // namespace blobscope::ui
