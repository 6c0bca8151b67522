#pragma once

#include "ui/session/files_check.h"

#include <QDialog>

class QComboBox;
class QListWidget;
class QPushButton;

namespace blobscope::ui {

/// Asks what files are compared with: releases, runtimes on disk, a device.
class TargetsDialog : public QDialog {
  Q_OBJECT
public:
  explicit TargetsDialog(const FilesCheck& check, QWidget* parent = nullptr);
  TargetChoice choice() const;
  /// Adds a runtime on disk to the list.
  void addRuntime(const QString& path);

private:
  QWidget* makeRuntimes();
  void updateButton();

  QListWidget *m_releases, *m_runtimes;
  QComboBox* m_device;
  QPushButton* m_apply = nullptr;
};

} // namespace blobscope::ui
