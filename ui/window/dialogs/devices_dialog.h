#pragma once

#include "core/base/result.h"
#include "core/run/devices.h"

#include <QDialog>

namespace blobscope::ui {

class DetailsPanel;
class ThemeLabel;

/// What test runs can use on this machine, what is missing and what that would unlock, and what test runs cannot do.
class DevicesDialog : public QDialog {
  Q_OBJECT
public:
  explicit DevicesDialog(QWidget* parent);
  /// Until then it says that drivers are being asked.
  void setDevices(const Result<run::DeviceList>& devices);
  const DetailsPanel& details() const { return *m_details; }

private:
  ThemeLabel* m_summary;
  DetailsPanel* m_details;
};

} // namespace blobscope::ui
