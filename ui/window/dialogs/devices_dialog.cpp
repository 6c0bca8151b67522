#include "ui/window/dialogs/devices_dialog.h"

#include "core/base/text.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/progress_strip.h"
#include "ui/window/panels/details_panel.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QPushButton>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

view::DetailRow row(const QString& label, const std::string& value, bool code = false) {
  return {fromQt(label), value, code, std::nullopt, std::nullopt};
}

} // namespace

DevicesDialog::DevicesDialog(QWidget* parent)
    : QDialog(parent), m_summary(new ThemeLabel(tr("Looking for devices…"), TextRole::Heading, Role::Text, this)),
      m_details(new DetailsPanel(this)), m_progress(new ProgressStrip(this)) {
  setWindowTitle(tr("Devices"));
  setProperty("helpTopic", QStringLiteral("test-run"));
  resize(560, 520);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 16);
  layout->setSpacing(12);
  m_summary->setWordWrap(true);
  layout->addWidget(m_summary);
  m_details->setAccessibleName(tr("Devices of this machine"));
  layout->addWidget(m_details, 1);
  connect(m_progress, &ProgressStrip::cancelled, this, &DevicesDialog::cancelRequested);
  layout->addWidget(m_progress);
  auto* const box = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_check = box->addButton(tr("Check devices"), QDialogButtonBox::ActionRole);
  m_check->setToolTip(
      plainTip(tr("Runs built-in kernels on each device and compares their results with those of the processor. "
                  "No code of a file is executed.")));
  connect(m_check, &QAbstractButton::clicked, this, &DevicesDialog::checkRequested);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(box);
  updateButton();
}

void DevicesDialog::updateButton() { m_check->setEnabled(!m_devices.devices.empty() && !m_progress->isBusy()); }

void DevicesDialog::keyPressEvent(QKeyEvent* event) {
  // While checks run, Escape cancels them; otherwise it closes the dialog.
  if (event->key() == Qt::Key_Escape && m_progress->isBusy())
    Q_EMIT cancelRequested();
  else
    QDialog::keyPressEvent(event);
}

void DevicesDialog::beginChecks() {
  m_progress->begin(tr("Checking devices"));
  updateButton();
}

void DevicesDialog::showProgress(const QString& what, quint64 done, quint64 total) {
  m_progress->showProgress(what, done, total);
}

void DevicesDialog::endChecks() {
  m_progress->end();
  updateButton();
}

void DevicesDialog::setChecks(const Result<std::vector<run::DeviceCheck>>& checks) {
  endChecks();
  if (!checks) {
    m_summary->setText(tr("The devices could not be checked: %1").arg(toQt(checks.error().message())));
    return;
  }
  m_checks = *checks;
  showDetails();
  using Status = run::DeviceCheck::Status;
  const std::size_t failed = run::countOf(m_checks, Status::Failed), skipped = run::countOf(m_checks, Status::Skipped);
  if (failed > 0)
    m_summary->setText(tr("%n check(s) failed.", nullptr, pluralCount(failed)));
  else if (skipped > 0)
    m_summary->setText(tr("No check failed; %n check(s) (was|were) skipped.", nullptr, pluralCount(skipped)));
  else
    m_summary->setText(tr("All checks passed."));
}

void DevicesDialog::setDevices(const Result<run::DeviceList>& devices) {
  m_checks.clear();
  m_devices = devices ? *devices : run::DeviceList();
  updateButton();
  if (!devices) {
    m_summary->setText(tr("The devices could not be listed."));
    view::DetailGroup why;
    why.title = std::string(devices.error().diagnostic().idText());
    why.note = devices.error().message();
    m_details->show({why});
    return;
  }
  const std::size_t count = devices->devices.size();
  m_summary->setText(count == 0 ? tr("No device for test runs was found. Host functions run on the CPU.")
                                : tr("Test runs can use %n device(s).", nullptr, pluralCount(count)));
  showDetails();
}

void DevicesDialog::showDetails() {
  view::Details groups;
  for (const protocol::DeviceFound& device : m_devices.devices) {
    view::DetailGroup group;
    group.title = device.name.empty() ? device.kind : device.name;
    group.rows.push_back(row(tr("Kind"), device.kind + " " + std::to_string(device.index)));
    if (!device.driver.empty()) group.rows.push_back(row(tr("Driver"), device.driver));
    if (device.memoryBytes > 0) group.rows.push_back(row(tr("Memory"), sizeText(device.memoryBytes)));
    for (const auto& [name, value] : device.facts)
      group.rows.push_back({name, value, false, std::nullopt, std::nullopt});
    for (const run::DeviceCheck& check : m_checks) {
      if (check.kind != device.kind || check.index != device.index) continue;
      group.rows.push_back(row(tr("Check: %1").arg(toQt(check.name)), check.text()));
      if (check.status == run::DeviceCheck::Status::Failed) group.rows.back().severity = Severity::Error;
    }
    if (device.isCpu) group.note = fromQt(tr("This device runs on the CPU; its times do not represent a GPU."));
    groups.push_back(std::move(group));
  }
  for (const run::DeviceList::Missing& missing : m_devices.missing) {
    view::DetailGroup group;
    group.title = fromQt(tr("Missing: %1").arg(coreText(missing.what)));
    if (!missing.reason.empty()) group.rows.push_back(row(tr("Reason"), missing.reason));
    group.rows.push_back(row(tr("Needed for"), fromQt(coreText(missing.unlocks))));
    groups.push_back(std::move(group));
  }
  if (!m_devices.confinement.empty()) {
    view::DetailGroup group;
    group.title = fromQt(tr("Confinement of test runs"));
    bool all = true;
    for (const run::ConfinedPart& part : m_devices.confinement) {
      all = all && part.confined;
      QString label = coreText(part.what);
      label[0] = label[0].toUpper();
      group.rows.push_back(
          row(label, fromQt(part.confined ? coreText(part.text) : tr("not confined: %1").arg(coreText(part.text)))));
    }
    group.note =
        fromQt(all ? tr("A test run still executes code of the file. Run only files that you trust.")
                   : tr("This system cannot fully confine a test run. A test run executes code of the file. Run "
                        "only files that you trust."));
    groups.push_back(std::move(group));
  }
  m_details->show(std::move(groups));
}

} // namespace blobscope::ui
