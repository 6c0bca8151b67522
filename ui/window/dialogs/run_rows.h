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

/// The label of a row of a dialog; `text` with its "&" is for the key and, without, the accessible name of `buddy`.
ThemeLabel* rowLabel(const QString& text, QWidget* buddy, QWidget* parent);

/// Asks for a path: a line, and a button that opens a dialog for files.
class PathRow : public QWidget {
  Q_OBJECT
public:
  /// `browseName` is the accessible name of the button.
  PathRow(const QString& path, const QString& placeholder, const QString& browseName, QWidget* parent);
  QLineEdit& edit() const { return *m_edit; }
  /// Without spaces around it.
  QString path() const;

Q_SIGNALS:
  void changed();
  void browseRequested();

private:
  QLineEdit* m_edit;
};

/// Asks with which grid, block and shared memory a kernel is launched.
class LaunchRow : public QWidget {
  Q_OBJECT
public:
  LaunchRow(const std::optional<run::KernelRun>& before, QWidget* parent);
  QLineEdit& grid() const { return *m_lines[0]; }
  /// Adds the answers; `problem` says what cannot be used.
  void addTo(run::KernelRun& kernel, QString& problem) const;

Q_SIGNALS:
  void changed();

private:
  std::array<QLineEdit*, 3> m_lines; ///< grid, block, bytes of dynamic shared memory
};

/// Asks how long a run may take and how much memory it may use.
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

/// Asks for the symbolic sizes and the whole numbers of a function.
class SizesRow : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;
  /// Makes a box for each, with values from `given` where it has them; none without a signature.
  void setSignature(const host::Signature* signature, const run::Variables& given);
  bool isEmpty() const { return m_boxes.isEmpty(); }
  run::Variables values() const;

Q_SIGNALS:
  void changed();

private:
  QHash<QString, QSpinBox*> m_boxes;
};

} // namespace blobscope::ui
