#pragma once

#include "core/process/process.h"
#include "core/program/model.h"
#include "core/run/device_checks.h"
#include "core/run/devices.h"
#include "core/run/metadata.h"
#include "core/run/options.h"
#include "core/run/report.h"
#include "core/xref/functions.h"
#include "ui/session/document.h"

#include <QDateTime>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace blobscope::ui {

/// What is to be run: the open file, alone or compared with a reference that gets the same inputs.
struct RunRequest {
  enum class Against : uint8_t { Nothing, Opened, Other };
  run::RunOptions options;
  Against against = Against::Nothing;
  QString other;                                          ///< path of the reference, for Other
  QString otherSha256;                                    ///< of its content that the user agreed to run; empty: none
  std::shared_ptr<const process::TemporaryFolder> inputs; ///< with files that were made for this run; may be null
};

/// A finished run. Immutable once created.
struct RunEntry {
  RunRequest request;
  QString file;        ///< file name
  bool edited = false; ///< with unsaved changes
  QDateTime started;
  run::RunReportPtr report;                            ///< null when the run failed to start
  QString code, message;                               ///< why it failed
  std::shared_ptr<const xref::Functions> functions;    ///< functions of the file that was run; may be null
  std::weak_ptr<const process::TemporaryFolder> files; ///< of the outputs of nodes; only the last runs keep them

  bool allOk() const { return report && report->allOk(); }
};
using RunEntryPtr = std::shared_ptr<const RunEntry>;

/// The functions of a whole model.
struct ModelEntries {
  std::vector<program::Entry> entries;
  QString kind;                 ///< "Relax VM"; empty without a model
  std::optional<Error> problem; ///< why the model cannot be run; set if there are no entries
};

/// What a state of the document can run, and which content the consent is for.
struct RunSubject {
  Document::StatePtr state;
  std::shared_ptr<const xref::Functions> functions;
  QString sha256; ///< of the file as opened
  QString digest; ///< of what is run, to which the user agrees: the file, or the private copy with the pending edits
  library::PackagePtr package; ///< the package that is run
  /// Why the host code cannot be loaded on this machine: for a dry run, for a run on a device, and by a TVM runtime.
  std::optional<Error> dryProblem, deviceProblem, runtimeProblem;
  std::shared_ptr<const process::TemporaryFolder> folder; ///< folder of the private copy; null without edits
  program::ModelFiles modelFiles; ///< files beside the library that belong to it, if it has no model
  ModelEntries model;             ///< with these files
};
using RunSubjectPtr = std::shared_ptr<const RunSubject>;

/// The test runs of a window, one at a time and in the background, and the results of the last ones. Code of the file
/// is executed in helper processes, and only by run() and readMetadata(); the caller must ask the user before.
class TestRun : public QObject {
  Q_OBJECT
public:
  /// Number of runs that are kept.
  static constexpr std::size_t kKept = 50;
  /// Number of runs whose outputs of nodes stay on disk.
  static constexpr std::size_t kFilesKept = 3;

  explicit TestRun(QObject* parent = nullptr);

  /// Reads the functions and the digest of the state, whose edits are written to a private copy; executes nothing.
  /// `done` is not called if another call follows.
  void describe(const Document::StatePtr& state, std::function<void(Result<RunSubjectPtr>)> done);
  /// Computes the current SHA-256 of the library that is used as the reference. `done` is not called if another call
  /// follows.
  void describeOther(const QString& path, std::function<void(Result<QString>)> done);
  /// Reads the functions of the model with files beside the library; executes nothing. `done` is not called if another
  /// call follows.
  void describeModel(const RunSubjectPtr& subject, const program::ModelFiles& files,
                     std::function<void(const ModelEntries&)> done);
  /// The next describe() reads everything again.
  void forget() { m_subject.reset(); }
  /// Queries the drivers of this machine; executes nothing of the file.
  void findDevices(std::function<void(Result<run::DeviceList>)> done);
  /// Runs built-in kernels on these devices; executes nothing of the file. `done` is not called if it was cancelled
  /// through jobs().
  void checkDevices(std::vector<protocol::DeviceFound> devices,
                    std::function<void(Result<std::vector<run::DeviceCheck>>)> done);
  /// Runs the subject, and for Against::Other the other library, if their content is still what the user agreed to;
  /// otherwise the entry has FILE-CHANGED or RUN-CHANGED. ended() follows. A run in progress is stopped first.
  void run(const RunSubjectPtr& subject, const QString& path, const RunRequest& request);
  /// Runs the code of the subject that returns signatures, if its content is still what the user agreed to; the caller
  /// must ask the user before. ended() follows; `done` is called before that, unless the run was cancelled.
  void readMetadata(const RunSubjectPtr& subject, const QString& path,
                    std::function<void(Result<std::vector<run::FunctionMetadata>>)> done);
  void cancel();
  bool isRunning() const { return m_jobs.isRunning(runTag()); }

  /// Newest first.
  const std::vector<RunEntryPtr>& history() const { return m_history; }
  void add(RunEntryPtr entry);
  Jobs& jobs() { return m_jobs; }
  static QString runTag() { return QStringLiteral("run"); }
  static QString checkTag() { return QStringLiteral("run/check"); }

Q_SIGNALS:
  void started();
  void progressed(const QString& what, quint64 done, quint64 total);
  /// A run has finished or was cancelled; added() was emitted before if there is a result.
  void ended();
  /// The history has a new first entry.
  void added();

private:
  std::vector<RunEntryPtr> m_history;
  std::vector<std::shared_ptr<const process::TemporaryFolder>> m_files; ///< the newest last
  RunSubjectPtr m_subject;                                              ///< of the state that was described last
  Jobs m_jobs;                                                          ///< last: ends before the rest
};

} // namespace blobscope::ui
