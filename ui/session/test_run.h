#pragma once

#include "core/process/process.h"
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

/// What is to be run: the file that is open, by itself or against a reference that gets the same inputs.
struct RunRequest {
  enum class Against : uint8_t { Nothing, Opened, Other };
  run::RunOptions options;
  Against against = Against::Nothing;
  QString other;       ///< path of the reference, for Other
  QString otherSha256; ///< of its content that the user agreed to run; empty: of none
};

/// A run that has ended. Immutable once made.
struct RunEntry {
  RunRequest request;
  QString file;        ///< its name
  bool edited = false; ///< with changes that were not in the file
  QDateTime started;
  run::RunReportPtr report;                         ///< null when it could not be done
  QString code, message;                            ///< why
  std::shared_ptr<const xref::Functions> functions; ///< of what was run; may be null

  bool allOk() const { return report && report->allOk(); }
};
using RunEntryPtr = std::shared_ptr<const RunEntry>;

/// What can be run of a state of the document, and what its consent is asked for.
struct RunSubject {
  Document::StatePtr state;
  std::shared_ptr<const xref::Functions> functions;
  QString sha256; ///< of the file as opened
  QString digest; ///< of what is run, to which the user agrees: the file, or the private copy with the pending edits
  library::PackagePtr package;                            ///< what is run
  std::shared_ptr<const process::TemporaryFolder> folder; ///< of the private copy; null without edits
};
using RunSubjectPtr = std::shared_ptr<const RunSubject>;

/// Test runs of a window, one at a time and in the background, and what came of the last ones. Code of the file is
/// executed in helper processes, only by run(), and asking the user before is the caller's duty.
class TestRun : public QObject {
  Q_OBJECT
public:
  /// More runs are not kept.
  static constexpr std::size_t kKept = 50;

  explicit TestRun(QObject* parent = nullptr);

  /// Reads functions and digest of the state, whose edits are written to a private copy; executes nothing. `done` is
  /// not called when another call follows.
  void describe(const Document::StatePtr& state, std::function<void(Result<RunSubjectPtr>)> done);
  /// The SHA-256 of the library that another one is compared with, as it is now. `done` is not called when another call
  /// follows.
  void describeOther(const QString& path, std::function<void(Result<QString>)> done);
  /// The next describe() reads everything again.
  void forget() { m_subject.reset(); }
  /// Asks the drivers of this machine; executes nothing of the file.
  void findDevices(std::function<void(Result<run::DeviceList>)> done);
  /// Runs the subject, and for Against::Other that library, when their content still is what was agreed to:
  /// FILE-CHANGED and RUN-CHANGED in the entry when not. ended() follows. One that goes on is ended before.
  void run(const RunSubjectPtr& subject, const QString& path, const RunRequest& request);
  /// Runs the code of the subject that tells signatures, when its content still is what was agreed to; asking the user
  /// before is the caller's duty. ended() follows; `done` comes before, unless it was cancelled.
  void readMetadata(const RunSubjectPtr& subject, const QString& path,
                    std::function<void(Result<std::vector<run::FunctionMetadata>>)> done);
  void cancel();
  bool isRunning() const { return m_jobs.isRunning(runTag()); }

  /// Newest first.
  const std::vector<RunEntryPtr>& history() const { return m_history; }
  void add(RunEntryPtr entry);
  Jobs& jobs() { return m_jobs; }
  static QString runTag() { return QStringLiteral("run"); }

Q_SIGNALS:
  void started();
  void progressed(const QString& what, quint64 done, quint64 total);
  /// A run is over or was cancelled; added() came before when there is a result.
  void ended();
  /// The history begins with another entry.
  void added();

private:
  std::vector<RunEntryPtr> m_history;
  RunSubjectPtr m_subject; ///< of the last state that was described
  Jobs m_jobs;             ///< last: ends before the rest
};

} // namespace blobscope::ui
