#include "ui/window/dialogs/preferences_dialog.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"
#include "ui/window/dialogs/run_rows.h"
#include "ui/window/instance.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

constexpr int kSystemSize = static_cast<int>(ContentText::kMinimumPoints) - 1;

/// Families whose characters all have the same width, without those that only name other families.
QStringList codeFamilies() {
  QStringList out;
  for (const QString& family : QFontDatabase::families(QFontDatabase::Latin))
    if (QFontDatabase::isFixedPitch(family) && !QFontDatabase::isPrivateFamily(family)) out << family;
  return out;
}

void choose(QComboBox& box, const QVariant& value) { box.setCurrentIndex(std::max(0, box.findData(value))); }

} // namespace

PreferencesDialog::PreferencesDialog(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Preferences"));
  setProperty("helpTopic", QStringLiteral("window"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 12, metrics::kDialogMargin, 16);
  layout->setSpacing(12);
  m_grid = new QGridLayout;
  m_grid->setHorizontalSpacing(12);
  m_grid->setVerticalSpacing(6);
  m_grid->setColumnStretch(1, 1);
  layout->addLayout(m_grid);
  makeLooks();
  makeFiles();
  makeTools();
  makeLanguage();
  layout->addStretch(1);
  m_problem = new ThemeLabel({}, TextRole::Body, Role::Error, this);
  m_problem->setWordWrap(true);
  layout->addWidget(m_problem);
  makeButtons();
  resize(760, sizeHint().height());

  for (QComboBox* const box : {m_theme, m_family, m_units, m_language})
    connect(box, &QComboBox::currentIndexChanged, this, &PreferencesDialog::updateState);
  for (QCheckBox* const box : {m_reopen, m_reuse})
    connect(box, &QCheckBox::toggled, this, &PreferencesDialog::updateState);
  for (PathRow* const row : {m_cuda, m_runtime}) connect(row, &PathRow::changed, this, &PreferencesDialog::updateState);
  connect(m_points, &QSpinBox::valueChanged, this, &PreferencesDialog::updateState);
  connect(m_memory, &QLineEdit::textChanged, this, &PreferencesDialog::updateState);
  m_stored = Preferences::load();
  show(m_stored);
  m_theme->setFocus();
}

// --- 1. Widgets

void PreferencesDialog::addHeading(const QString& text) {
  if (m_grid->count() > 0) m_grid->setRowMinimumHeight(m_grid->rowCount(), 4);
  m_grid->addWidget(new ThemeLabel(text, TextRole::Heading, Role::Text, this), m_grid->rowCount(), 0, 1, 2);
}

void PreferencesDialog::addRow(const QString& name, QWidget* widget, QWidget* buddy, const QString& note) {
  const int row = m_grid->rowCount();
  m_grid->addWidget(rowLabel(name, buddy, this), row, 0);
  m_grid->addWidget(widget, row, 1);
  if (!note.isEmpty()) buddy->setAccessibleDescription(plainLines(addNote(note)->text()));
}

ThemeLabel* PreferencesDialog::addNote(const QString& text) {
  auto* const label = new ThemeLabel(text, TextRole::Secondary, Role::Secondary, this);
  label->setWordWrap(true);
  m_grid->addWidget(label, m_grid->rowCount(), 1);
  return label;
}

void PreferencesDialog::addBox(QCheckBox* box) { m_grid->addWidget(box, m_grid->rowCount(), 1); }

void PreferencesDialog::makeLooks() {
  addHeading(tr("Appearance"));
  m_theme = new QComboBox(this);
  m_theme->setObjectName(QStringLiteral("theme"));
  m_theme->addItem(tr("Colours of the system"), static_cast<int>(ThemeChoice::System));
  m_theme->addItem(tr("Light"), static_cast<int>(ThemeChoice::Light));
  m_theme->addItem(tr("Dark"), static_cast<int>(ThemeChoice::Dark));
  addRow(tr("&Colours"), m_theme, m_theme);
  m_family = new QComboBox(this);
  m_family->setObjectName(QStringLiteral("family"));
  m_family->setMaxVisibleItems(20);
  m_family->addItem(tr("Chosen by Blobscope"), QString());
  for (const QString& family : codeFamilies()) m_family->addItem(family, family);
  addRow(tr("&Font of code and bytes"), m_family, m_family);
  auto* const size = new QWidget(this);
  auto* const row = new QHBoxLayout(size);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  m_points = new QSpinBox(size);
  m_points->setObjectName(QStringLiteral("points"));
  m_points->setRange(kSystemSize, static_cast<int>(ContentText::kMaximumPoints));
  m_points->setSpecialValueText(tr("size of the system"));
  m_points->setSuffix(tr(" pt"));
  m_points->setMinimumWidth(160);
  row->addWidget(m_points);
  const QString sample = QStringLiteral("0x5653  ld.param.u64 %rd1 -> 12,800");
  m_sample = new ThemeLabel(sample, TextRole::Code, Role::Text, size);
  m_sample->setTextInteractionFlags(Qt::NoTextInteraction);
  m_sample->setElided();
  row->addWidget(m_sample, 1);
  addRow(tr("Text &size of code, bytes and tables"), size, m_points);
  m_units = new QComboBox(this);
  m_units->setObjectName(QStringLiteral("units"));
  m_units->addItem(tr("KiB, MiB, GiB: multiples of 1,024 bytes"), static_cast<int>(SizeUnits::Binary));
  m_units->addItem(tr("kB, MB, GB: multiples of 1,000 bytes"), static_cast<int>(SizeUnits::Decimal));
  m_units->addItem(tr("Bytes"), static_cast<int>(SizeUnits::Bytes));
  addRow(tr("U&nits of sizes"), m_units, m_units, tr("Takes effect at the next start."));
}

void PreferencesDialog::makeFiles() {
  addHeading(tr("Files"));
  m_reopen = new QCheckBox(tr("&Reopen the files of the last session at the next start"), this);
  m_reopen->setObjectName(QStringLiteral("reopen"));
  addBox(m_reopen);
  m_reuse = new QCheckBox(tr("Open files in the &program that is already running"), this);
  m_reuse->setObjectName(QStringLiteral("reuse"));
  m_reuse->setVisible(Instance::isSupported());
  addBox(m_reuse);
  m_memory = new QLineEdit(this);
  m_memory->setObjectName(QStringLiteral("memory"));
  m_memory->setPlaceholderText(tr("automatic, at most 2 GiB"));
  addRow(tr("&Memory limit for unpacking"), m_memory, m_memory,
         tr("For example 4 GiB. Applies to files that are opened from now on."));
}

void PreferencesDialog::makeTools() {
  addHeading(tr("Tools"));
  m_cuda = new PathRow({}, tr("found automatically"), tr("Browse for the CUDA tools"), this);
  m_cuda->edit().setObjectName(QStringLiteral("cuda"));
  addRow(tr("C&UDA tools"), m_cuda, &m_cuda->edit(),
         tr("This folder is searched first for nvdisasm and NVRTC. Takes effect at the next start."));
  connect(m_cuda, &PathRow::browseRequested, this,
          [this] { browse(*m_cuda, tr("Select the folder of the CUDA tools")); });
  m_runtime = new PathRow({}, tr("libtvm_runtime.so, its folder, or a Python environment with apache-tvm"),
                          tr("Browse for the TVM runtime"), this);
  m_runtime->edit().setObjectName(QStringLiteral("tvmRuntime"));
  addRow(tr("&TVM runtime"), m_runtime, &m_runtime->edit(),
         tr("The Run dialog suggests this runtime for whole models."));
  connect(m_runtime, &PathRow::browseRequested, this,
          [this] { browse(*m_runtime, tr("Select an installed TVM runtime")); });
}

void PreferencesDialog::makeLanguage() {
  addHeading(tr("Language and privacy"));
  m_language = new QComboBox(this);
  m_language->setObjectName(QStringLiteral("language"));
  m_language->addItem(tr("Language of the system"), QString());
  for (const Language& language : availableLanguages()) m_language->addItem(language.name, language.code);
  addRow(tr("&Language"), m_language, m_language, tr("Takes effect at the next start."));
  auto* const privacy = new ThemeLabel(
      tr("Blobscope makes no network connections: it collects no usage data and does not check for updates."),
      TextRole::Body, Role::Text, this);
  privacy->setWordWrap(true);
  m_grid->addWidget(privacy, m_grid->rowCount(), 0, 1, 2);
}

void PreferencesDialog::makeButtons() {
  auto* const box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::Apply |
                                             QDialogButtonBox::RestoreDefaults,
                                         this);
  m_ok = box->button(QDialogButtonBox::Ok);
  m_ok->setDefault(true);
  m_apply = box->button(QDialogButtonBox::Apply);
  QPushButton* const defaults = box->button(QDialogButtonBox::RestoreDefaults);
  defaults->setText(tr("Restore &defaults"));
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_apply, &QPushButton::clicked, this, &PreferencesDialog::apply);
  connect(defaults, &QPushButton::clicked, this, [this] { show(Preferences()); });
  layout()->addWidget(box);
}

void PreferencesDialog::browse(PathRow& row, const QString& title) {
  const QString path = QFileDialog::getExistingDirectory(this, title, row.path());
  if (!path.isEmpty()) row.edit().setText(QDir::toNativeSeparators(path));
}

// --- 2. Values

Preferences PreferencesDialog::shown() const {
  Preferences out;
  out.theme = static_cast<ThemeChoice>(m_theme->currentData().toInt());
  out.codeFamily = m_family->currentData().toString();
  out.points = m_points->value() == kSystemSize ? 0 : m_points->value();
  out.units = static_cast<SizeUnits>(m_units->currentData().toInt());
  out.memory = m_memory->text().trimmed();
  out.cudaTools = m_cuda->path();
  out.tvmRuntime = m_runtime->path();
  out.language = m_language->currentData().toString();
  out.reopenFiles = m_reopen->isChecked();
  out.reuseInstance = m_reuse->isChecked();
  return out;
}

void PreferencesDialog::show(const Preferences& preferences) {
  choose(*m_theme, static_cast<int>(preferences.theme));
  choose(*m_family, preferences.codeFamily);
  m_points->setValue(preferences.points == 0 ? kSystemSize : qRound(preferences.points));
  choose(*m_units, static_cast<int>(preferences.units));
  m_memory->setText(preferences.memory);
  m_cuda->edit().setText(preferences.cudaTools);
  m_runtime->edit().setText(preferences.tvmRuntime);
  choose(*m_language, preferences.language);
  m_reopen->setChecked(preferences.reopenFiles);
  m_reuse->setChecked(preferences.reuseInstance);
  updateState();
}

void PreferencesDialog::apply() {
  if (!m_ok->isEnabled()) return;
  const Preferences now = shown();
  now.store();
  applyPreferences(m_stored, now);
  m_stored = now;
  updateState();
  Q_EMIT applied();
}

void PreferencesDialog::accept() {
  if (!m_ok->isEnabled()) return;
  apply();
  QDialog::accept();
}

void PreferencesDialog::updateState() {
  const Preferences now = shown();
  QString problem;
  if (!now.memory.isEmpty() && !now.memoryBytes())
    problem = tr("The memory limit is not a size of at least 64 KiB. Enter a number with a unit, for example 4 GiB.");
  m_ok->setEnabled(problem.isEmpty());
  // A folder may be on a disk that is not there now.
  for (const QString& path : {now.cudaTools, now.tvmRuntime})
    if (problem.isEmpty() && !path.isEmpty() && !QFileInfo::exists(path))
      problem = tr("%1 does not exist now.").arg(plainLine(QDir::toNativeSeparators(path)));
  m_apply->setEnabled(m_ok->isEnabled() && now != m_stored);
  m_problem->setText(problem);
  m_problem->setVisible(!problem.isEmpty());
  updateSample();
}

void PreferencesDialog::updateSample() {
  const Preferences now = shown();
  QFont font = textFont(TextRole::Code);
  if (!now.codeFamily.isEmpty()) font.setFamilies({now.codeFamily});
  if (now.points > 0) font.setPointSizeF(now.points * 0.92);
  m_sample->setFont(font);
}

} // namespace blobscope::ui
