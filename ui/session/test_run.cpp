#include "ui/session/test_run.h"

#include "core/base/digest.h"
#include "core/edit/edit_json.h"
#include "core/library/open.h"
#include "core/process/process.h"
#include "core/testrun/execute.h"
#include "core/write/repack.h"
#include "ui/session/strings.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

namespace blobscope::ui {
namespace {

const QString kDescribe = QStringLiteral("run/describe"), kDevices = QStringLiteral("run/devices");

std::filesystem::path native(const QString& path) { return QFile::encodeName(path).toStdString(); }

/// The file with the edits, written to `folder` as repacking would write it, and opened.
Result<library::PackagePtr> packageOf(const Document::State& state, const std::filesystem::path& folder, Monitor& monitor) {
  if (state.edits.empty()) return state.package;
  BLOBSCOPE_TRY(repack, write::planRepack(state.opened, state.edits, {}, {}, monitor));
  const std::filesystem::path file = folder / "edited.so";
  BLOBSCOPE_CHECK(write::writeRepack(repack, file, {}, monitor));
  return library::open(file, monitor);
}

Result<testrun::RunReport> report(const RunSubject& subject, const RunRequest& request, Monitor& monitor) {
  // Cancelled before its turn came.
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  BLOBSCOPE_TRY(package, packageOf(*subject.state, folder.path(), monitor));
  if (request.against == RunRequest::Against::Opened) return testrun::compareRuns(package, subject.state->opened, request.options, monitor);
  if (request.against == RunRequest::Against::Other) {
    BLOBSCOPE_TRY(other, library::open(native(request.other), monitor));
    return testrun::compareRuns(package, other, request.options, monitor);
  }
  if (package == subject.state->package && subject.functions) return testrun::runLibrary(package, *subject.functions, request.options, monitor);
  BLOBSCOPE_TRY(functions, xref::computeFunctions(package, monitor));
  return testrun::runLibrary(package, functions, request.options, monitor);
}

} // namespace

TestRun::TestRun(QObject* parent) : QObject(parent) {
  connect(&m_jobs, &Jobs::started, this, [this](const QString& tag) {
    if (tag == runTag()) Q_EMIT started();
  });
  connect(&m_jobs, &Jobs::progressed, this, [this](const QString& tag, const QString& what, quint64 done, quint64 total) {
    if (tag == runTag()) Q_EMIT progressed(what, done, total);
  });
  connect(&m_jobs, &Jobs::finished, this, [this](const QString& tag) {
    if (tag == runTag()) Q_EMIT ended();
  });
}

void TestRun::describe(const Document::StatePtr& state, std::function<void(Result<RunSubjectPtr>)> done) {
  if (m_subject && m_subject->state == state) {
    done(m_subject);
    return;
  }
  m_jobs.start<RunSubjectPtr>(
      kDescribe,
      [state](Monitor& monitor) -> Result<RunSubjectPtr> {
        auto subject = std::make_shared<RunSubject>();
        subject->state = state;
        BLOBSCOPE_TRY(functions, xref::computeFunctions(state->package, monitor));
        subject->functions = std::make_shared<const xref::Functions>(std::move(functions));
        BLOBSCOPE_TRY(sha256, computeSha256(state->opened->bytes, monitor));
        subject->sha256 = subject->digest = toQt(sha256);
        if (!state->edits.empty()) {
          const std::string edits = edit::writeEdits(sha256, state->edits);
          subject->digest += QLatin1Char('+') + QString::fromLatin1(QCryptographicHash::hash(QByteArray::fromStdString(edits), QCryptographicHash::Sha256).toHex());
        }
        return RunSubjectPtr(std::move(subject));
      },
      [this, done = std::move(done)](Result<RunSubjectPtr> subject) {
        if (subject) m_subject = *subject;
        done(std::move(subject));
      });
}

void TestRun::findDevices(std::function<void(Result<testrun::DeviceList>)> done) {
  m_jobs.start<testrun::DeviceList>(kDevices, [](Monitor& monitor) { return testrun::computeDevices({}, monitor); }, std::move(done));
}

void TestRun::run(const RunSubjectPtr& subject, const QString& path, const RunRequest& request) {
  RunEntry entry;
  entry.request = request;
  entry.file = QFileInfo(path).fileName();
  entry.edited = !subject->state->edits.empty();
  entry.started = QDateTime::currentDateTime();
  entry.functions = subject->functions;
  m_jobs.start<testrun::RunReport>(
      runTag(), [subject, request](Monitor& monitor) { return report(*subject, request, monitor); },
      [this, entry](Result<testrun::RunReport> result) mutable {
        if (result) {
          entry.report = std::make_shared<const testrun::RunReport>(std::move(*result));
        } else {
          entry.code = toQt(result.error().diagnostic().idText());
          entry.message = toQt(result.error().message());
        }
        add(std::make_shared<const RunEntry>(std::move(entry)));
      });
}

void TestRun::cancel() { m_jobs.cancel(runTag()); }

void TestRun::add(RunEntryPtr entry) {
  m_history.insert(m_history.begin(), std::move(entry));
  if (m_history.size() > kKept) m_history.resize(kKept);
  Q_EMIT added();
}

} // namespace blobscope::ui
