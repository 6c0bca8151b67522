#pragma once

#include "ui/session/test_run.h"

#include <QDialog>

#include <functional>
#include <optional>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace blobscope::ui {

class LaunchRow;
class LimitsRow;
class PathRow;
class RunConsent;
class RunInputsBox;
class SizesRow;
class ThemeLabel;

/// Asks what to run of a file and with which inputs, and for consent to execute its code and that of every other file
/// in the answers. Executes nothing itself.
class RunDialog : public QDialog {
  Q_OBJECT
public:
  static constexpr uint32_t kUsualRepeats = 100; ///< measured runs that the dialog proposes
  enum class Mode { Dry, Device, Opened, Other };
  /// The kinds of entries in the first box. Model: functions of the virtual machine, which need a TVM runtime; Whole:
  /// functions of the model, without TVM.
  enum class What { All, Host, Kernel, Model, Whole };
  struct Setup {
    RunSubjectPtr subject;
    QString file;                                                ///< its path
    QStringList consents;                                        ///< keys of the code that the user agreed to earlier
    RunRequest before;                                           ///< the initial answers
    std::function<void(const QString& path)> describeOther = {}; ///< reads the other library; setOther() follows
    /// Reads the model with files beside the library; setModel() follows.
    std::function<void(const program::ModelFiles& files)> describeModel = {};
  };
  RunDialog(Setup setup, QWidget* parent);
  /// Sets the available devices; before, only the device that the library is built for is listed.
  void setDevices(const Result<run::DeviceList>& devices);
  /// Sets the digest of the other library, or why it cannot be read; `path` is the requested path.
  void setOther(const QString& path, const Result<QString>& sha256);
  /// Sets the functions of the model, read with these files.
  void setModel(const program::ModelFiles& files, const ModelEntries& model);
  /// Returns the current answers.
  RunRequest request() const;
  /// Does nothing until the answers are valid and the user agreed to all code.
  void accept() override;

  /// Returns why the answers are invalid, a sentence; empty when they are valid.
  QString problem() const;

private:
  QWidget* makeGrid();
  /// Adds a row to the grid; returns `name`.
  QWidget* addRow(QWidget* name, QWidget* widget, Qt::Alignment nameAt = {}, Qt::Alignment at = {});
  void makeFunction(QWidget* parent);
  void makeMode(QWidget* parent);
  void makeDevice(QWidget* parent);
  void makeMeasuring(QWidget* parent);
  void makeRuntime(QWidget* parent);
  void makeModel(QWidget* parent);
  void addFunctions();
  void addModel(bool any, std::optional<int>& chosen);
  What what() const;
  Mode mode() const;
  /// Returns the selected kernel; null for anything else.
  const xref::Kernel* kernel() const;
  std::optional<run::KernelRun> kernelRun(QString& problem) const;
  const host::Signature* signature() const;
  /// Returns the selected function of the model; null for anything else.
  const program::Entry* entry() const;
  /// Returns the nodes whose outputs are kept; a comparison needs all.
  std::vector<std::string> taps() const;
  /// Whether the graph and its parameters can be files of their own.
  bool takesFiles() const;
  program::ModelFiles modelFiles() const;
  QString modelProblem() const;
  void showFunction();
  void showShapes();
  void updateState();
  void askForOther();
  void askForModel();
  void updateConsent();
  void browseOther();
  void browseRuntime();
  void browseModel(PathRow& row, const QString& title, const QString& filter);

  const Setup m_setup;
  const xref::Functions m_machine; ///< functions of the virtual machine
  QGridLayout* m_grid;
  QComboBox *m_function, *m_mode, *m_device;
  PathRow *m_other, *m_runtime, *m_graph, *m_parameters;
  QWidget* m_keepRow;
  QCheckBox* m_keep;
  QLineEdit* m_taps;
  QSpinBox *m_seed, *m_repeat;
  SizesRow* m_sizes;
  LaunchRow* m_launch;
  LimitsRow* m_limits;
  ThemeLabel *m_signature, *m_deviceNote, *m_sizeLabel, *m_hostNote, *m_problem;
  QWidget *m_otherLabel, *m_deviceLabel, *m_repeatLabel, *m_seedLabel, *m_launchLabel, *m_runtimeLabel, *m_graphLabel,
      *m_parametersLabel;
  RunInputsBox* m_inputs;
  RunConsent* m_consent;
  QPushButton* m_run;
  QString m_askedOther, m_otherSha256, m_otherProblem;
  ModelEntries m_model; ///< with m_askedFiles
  program::ModelFiles m_askedFiles;
  bool m_readingModel = false;
};

} // namespace blobscope::ui
