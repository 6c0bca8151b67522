#pragma once

#include "core/base/result.h"
#include "core/run/devices.h"

#include <QDialog>

namespace blobscope::ui {

class DetailsPanel;
class ThemeLabel;

/// Lists what test runs can use on this machine, what is missing and would be unlocked by installing it, and how test
/// runs are confined.
class DevicesDialog : public QDialog {
  Q_OBJECT
public:
  explicit DevicesDialog(QWidget* parent);
  /// Shows the devices; before, the dialog says that it is looking for them.
  void setDevices(const Result<run::DeviceList>& devices);
  const DetailsPanel& details() const { return *m_details; }

private:
  ThemeLabel* m_summary;
  DetailsPanel* m_details;
};

} // namespace blobscope::ui
