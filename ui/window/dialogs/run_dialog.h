#pragma once

#include "ui/models/run_model.h"
#include "ui/session/test_run.h"

#include <QDialog>
#include <QHash>

#include <array>
#include <functional>
#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTableView;

namespace blobscope::ui {

class Panel;
class ThemeLabel;

/// Asks what to run of a file and with what, and for the consent that its code is executed, and that of every other
/// file that the answers name. Executes nothing itself.
class RunDialog : public QDialog {
  Q_OBJECT
public:
  enum class Mode { Dry, Device, Opened, Other };
  /// What the first box offers; Model: functions of the virtual machine, for which a TVM runtime is needed.
  enum class What { All, Host, Kernel, Model };
  struct Setup {
    RunSubjectPtr subject;
    QString file;                                                ///< its path
    QStringList consents;                                        ///< keys of the code that was agreed to earlier
    RunRequest before;                                           ///< the answers that are there at the beginning
    std::function<void(const QString& path)> describeOther = {}; ///< reads the other library; setOther() follows
  };
  /// Code that a run executes.
  struct Code {
    QString name;   ///< with the place
    QString sha256; ///< empty for a TVM runtime, and until it is known
    QString key;    ///< of the consent; empty until the digest is known
    friend bool operator==(const Code&, const Code&) = default;
  };
  /// All code that the request executes, that of the subject first.
  static std::vector<Code> codesOf(const RunSubject& subject, const QString& file, const RunRequest& request);
  /// Whether the keys of all code are among `consents`.
  static bool areAgreed(const std::vector<Code>& codes, const QStringList& consents);

  RunDialog(Setup setup, QWidget* parent);
  /// What the device can be; until then it is the one that the library is for.
  void setDevices(const Result<run::DeviceList>& devices);
  /// Digest of the other library, or why it cannot be read; `path` is what was asked for.
  void setOther(const QString& path, const Result<QString>& sha256);
  /// The present answers.
  RunRequest request() const;
  /// Nothing happens before the answers can be used and all code was agreed to.
  void accept() override;

  QComboBox& functions() { return *m_function; }
  QComboBox& modes() { return *m_mode; }
  QLineEdit& grid() { return *m_launch[0]; }
  QLineEdit& block() { return *m_launch[1]; }
  QLineEdit& runtime() { return *m_runtime; }
  QLineEdit& other() { return *m_other; }
  QSpinBox& seconds() { return *m_seconds; }
  QString problem() const;
  QComboBox& devices() { return *m_device; }
  RunInputsModel& inputs() { return *m_inputs; }
  QCheckBox& consent() { return *m_consent; }
  QPushButton& runButton() { return *m_run; }
  /// What the box for consent says, files and digests included.
  QString consentText() const;
  /// The box of a symbolic size; null when the function has none of that name.
  QSpinBox* size(const QString& name) const { return m_sizes.value(name); }

private:
  QWidget* makeGrid();
  QWidget* makeInputs();
  QWidget* makeConsent();
  QWidget* makeLaunch(QWidget* parent);
  QWidget* makeRuntime(QWidget* parent);
  QWidget* makeLimits(QWidget* parent);
  void addFunctions();
  What what() const;
  Mode mode() const;
  /// The kernel that is chosen; null for anything else.
  const xref::Kernel* kernel() const;
  std::vector<RunInput> inputsOf(const host::Signature& signature) const;
  std::vector<RunInput> inputsOf(const xref::Kernel& kernel) const;
  std::optional<run::KernelRun> kernelRun(QString& problem) const;
  const host::Signature* signature() const;
  run::Variables variables() const;
  void showFunction();
  void showShapes();
  void updateState();
  void askForOther();
  void updateConsent();
  void browseOther();
  void browseRuntime();
  void browseInput();

  const Setup m_setup;
  const xref::Functions m_machine; ///< functions of the virtual machine
  QHash<QString, QSpinBox*> m_sizes;
  QGridLayout* m_grid;
  QComboBox *m_function, *m_mode, *m_device;
  QWidget *m_otherRow, *m_sizeBox, *m_inputBox;
  QLineEdit* m_other;
  QSpinBox *m_seed, *m_repeat;
  ThemeLabel *m_signature, *m_deviceNote, *m_sizeLabel, *m_problem;
  QWidget *m_otherLabel, *m_deviceLabel, *m_repeatLabel, *m_seedLabel, *m_launchLabel, *m_launchBox, *m_runtimeLabel,
      *m_runtimeRow, *m_limitsLabel, *m_limits;
  std::array<QLineEdit*, 3> m_launch; ///< grid, block, bytes of dynamic shared memory
  QLineEdit* m_runtime;
  QSpinBox *m_seconds, *m_mebibytes;
  QCheckBox* m_widen;
  RunInputsModel* m_inputs;
  QTableView* m_table;
  QPushButton *m_file, *m_run;
  /// The box for consent: words, and a name and a digest for each file.
  struct CodeRow {
    ThemeLabel *name, *digest;
  };
  Panel* m_consentPanel;
  ThemeLabel* m_consentWords;
  std::array<CodeRow, 3> m_codeRows;
  QCheckBox* m_consent;
  std::vector<Code> m_codes; ///< that m_consent is for
  QString m_askedOther, m_otherSha256, m_otherProblem;
};

} // namespace blobscope::ui
