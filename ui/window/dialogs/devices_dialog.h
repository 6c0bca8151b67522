#pragma once

#include "core/base/result.h"
#include "core/run/device_checks.h"
#include "core/run/devices.h"

#include <QDialog>

#include <vector>

class QPushButton;

namespace blobscope::ui {

class DetailsPanel;
class ProgressStrip;
class ThemeLabel;

/// Lists what test runs can use on this machine, what is missing and would be unlocked by installing it, and how test
/// runs are confined. A button checks the devices with built-in kernels.
class DevicesDialog : public QDialog {
  Q_OBJECT
public:
  explicit DevicesDialog(QWidget* parent);
  /// Shows the devices; before, the dialog says that it is looking for them.
  void setDevices(const Result<run::DeviceList>& devices);
  const std::vector<protocol::DeviceFound>& devices() const { return m_devices.devices; }
  const DetailsPanel& details() const { return *m_details; }

  /// The checks have begun.
  void beginChecks();
  void showProgress(const QString& what, quint64 done, quint64 total);
  /// Shows the results of checks, or why they could not be done.
  void setChecks(const Result<std::vector<run::DeviceCheck>>& checks);
  /// The checks have ended, or were cancelled.
  void endChecks();

Q_SIGNALS:
  void checkRequested();
  void cancelRequested();

protected:
  void keyPressEvent(QKeyEvent* event) override;

private:
  /// Shows the devices with the results of their checks.
  void showDetails();
  void updateButton();

  ThemeLabel* m_summary;
  DetailsPanel* m_details;
  ProgressStrip* m_progress;
  QPushButton* m_check;
  run::DeviceList m_devices;
  std::vector<run::DeviceCheck> m_checks;
};

} // namespace blobscope::ui
