#pragma once

#include "core/run/options.h"
#include "core/xref/functions.h"

#include <QHash>
#include <QWidget>

#include <array>
#include <optional>

class QCheckBox;
class QLineEdit;
class QSpinBox;

namespace blobscope::ui {

class ThemeLabel;

/// Returns the label of a row in a dialog; `text` with its "&" sets the shortcut and, without it, the accessible name
/// of `buddy`.
ThemeLabel* rowLabel(const QString& text, QWidget* buddy, QWidget* parent);

/// Asks for a path: a line edit, and a button that opens a file dialog.
class PathRow : public QWidget {
  Q_OBJECT
public:
  /// `browseName` is the accessible name of the button.
  PathRow(const QString& path, const QString& placeholder, const QString& browseName, QWidget* parent);
  QLineEdit& edit() const { return *m_edit; }
  /// Returns the path without surrounding spaces.
  QString path() const;

Q_SIGNALS:
  void changed();
  void browseRequested();

private:
  QLineEdit* m_edit;
};

/// Asks for the grid, block and shared memory of a kernel launch.
class LaunchRow : public QWidget {
  Q_OBJECT
public:
  LaunchRow(const std::optional<run::KernelRun>& before, QWidget* parent);
  QLineEdit& grid() const { return *m_lines[0]; }
  /// Adds the answers to `kernel`; `problem` says what is invalid.
  void addTo(run::KernelRun& kernel, QString& problem) const;

Q_SIGNALS:
  void changed();

private:
  std::array<QLineEdit*, 3> m_lines; ///< grid, block, bytes of dynamic shared memory
};

/// Asks for the time limit and the memory limit of a run.
class LimitsRow : public QWidget {
  Q_OBJECT
public:
  /// `openCl`: some kernel is for OpenCL, whose devices may lack float16.
  LimitsRow(const run::RunOptions& before, bool openCl, QWidget* parent);
  QSpinBox& seconds() const { return *m_seconds; }
  void addTo(run::RunOptions& options) const;

private:
  QSpinBox *m_seconds, *m_mebibytes;
  QCheckBox* m_widen;
};

/// Asks for the symbolic sizes and the integers of a function.
class SizesRow : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;
  /// Creates a box for each, with values from `given` if it has them; none without a signature.
  void setSignature(const host::Signature* signature, const run::Variables& given);
  bool isEmpty() const { return m_boxes.isEmpty(); }
  run::Variables values() const;

Q_SIGNALS:
  void changed();

private:
  QHash<QString, QSpinBox*> m_boxes;
};

} // namespace blobscope::ui
