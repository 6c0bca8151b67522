#include "ui/window/dialogs/targets_dialog.h"

#include "ui/pages/runtime_dialog.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace blobscope::ui {

TargetsDialog::TargetsDialog(const FilesCheck& check, QWidget* parent)
    : QDialog(parent), m_releases(new QListWidget(this)), m_runtimes(new QListWidget(this)),
      m_device(new QComboBox(this)) {
  setWindowTitle(tr("Targets"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 16);
  layout->setSpacing(8);
  layout->addWidget(new ThemeLabel(tr("Compare the libraries with"), TextRole::Heading, Role::Text, this));
  auto* const columns = new QHBoxLayout;
  columns->setSpacing(16);
  auto* const left = new QVBoxLayout;
  left->addWidget(new ThemeLabel(tr("Releases of TVM, newest first"), TextRole::Secondary, Role::Secondary, this));
  left->addWidget(m_releases);
  m_releases->setAccessibleName(tr("Releases of TVM, newest first"));
  for (auto release = check.releases.rbegin(); release != check.releases.rend(); ++release) {
    const QString name = toQt(release->name);
    auto* const item = new QListWidgetItem(name, m_releases);
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    item->setCheckState(check.choice.releases.contains(name) ? Qt::Checked : Qt::Unchecked);
  }
  columns->addLayout(left, 1);
  columns->addWidget(makeRuntimes(), 1);
  layout->addLayout(columns, 1);

  layout->addWidget(new ThemeLabel(tr("Device"), TextRole::Secondary, Role::Secondary, this));
  m_device->setEditable(true);
  m_device->setAccessibleName(tr("Device"));
  m_device->lineEdit()->setAccessibleName(tr("Device"));
  m_device->lineEdit()->setPlaceholderText(tr("No device"));
  m_device->setToolTip(
      tr("A device such as sm_90, sm_90,driver=580 or vulkan:1.3. If empty, devices are not compared."));
  m_device->addItem(QString());
  for (const std::string& device : check.devices) m_device->addItem(toQt(device));
  m_device->setEditText(check.choice.device);
  layout->addWidget(m_device);
  for (const QString& path : check.choice.runtimes) addRuntime(path);

  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_apply = buttons->addButton(tr("Compare"), QDialogButtonBox::AcceptRole);
  m_apply->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_releases, &QListWidget::itemChanged, this, &TargetsDialog::updateButton);
  layout->addSpacing(8);
  layout->addWidget(buttons);
  resize(560, 480);
  updateButton();
}

QWidget* TargetsDialog::makeRuntimes() {
  auto* const box = new QWidget(this);
  auto* const layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new ThemeLabel(tr("Runtimes on disk"), TextRole::Secondary, Role::Secondary, box));
  layout->addWidget(m_runtimes, 1);
  m_runtimes->setAccessibleName(tr("Runtimes on disk"));
  m_runtimes->setTextElideMode(Qt::ElideMiddle);
  auto* const buttons = new QHBoxLayout;
  auto* const add = new QPushButton(tr("Add file…"), box);
  auto* const addFolder = new QPushButton(tr("Add folder…"), box);
  auto* const remove = new QPushButton(tr("Remove"), box);
  remove->setEnabled(false);
  buttons->addWidget(add);
  buttons->addWidget(addFolder);
  buttons->addWidget(remove);
  buttons->addStretch();
  layout->addLayout(buttons);
  const auto addChosen = [this](const QString& path) { addRuntime(path); };
  connect(add, &QPushButton::clicked, this, [this, addChosen] { askForRuntimeFile(this, addChosen); });
  connect(addFolder, &QPushButton::clicked, this, [this, addChosen] { askForRuntimeFolder(this, addChosen); });
  connect(remove, &QPushButton::clicked, this, [this] {
    delete m_runtimes->currentItem();
    updateButton();
  });
  connect(m_runtimes, &QListWidget::itemSelectionChanged, this,
          [this, remove] { remove->setEnabled(!m_runtimes->selectedItems().isEmpty()); });
  return box;
}

void TargetsDialog::addRuntime(const QString& path) {
  for (int row = 0; row < m_runtimes->count(); ++row)
    if (m_runtimes->item(row)->data(Qt::UserRole).toString() == path) return;
  auto* const item = new QListWidgetItem(plainLine(path), m_runtimes);
  item->setData(Qt::UserRole, path);
  item->setToolTip(plainTip(path));
  updateButton();
}

TargetChoice TargetsDialog::choice() const {
  TargetChoice choice;
  for (int row = m_releases->count() - 1; row >= 0; --row) // oldest first
    if (m_releases->item(row)->checkState() == Qt::Checked) choice.releases << m_releases->item(row)->text();
  for (int row = 0; row < m_runtimes->count(); ++row)
    choice.runtimes << m_runtimes->item(row)->data(Qt::UserRole).toString();
  choice.device = m_device->currentText().trimmed();
  return choice;
}

void TargetsDialog::updateButton() {
  if (!m_apply) return;
  const TargetChoice now = choice();
  m_apply->setEnabled(!now.releases.isEmpty() || !now.runtimes.isEmpty());
}

} // namespace blobscope::ui
