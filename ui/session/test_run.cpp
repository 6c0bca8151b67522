#include "ui/session/test_run.h"

#include "core/base/digest.h"
#include "core/base/path_text.h"
#include "core/library/open.h"
#include "core/run/agreed.h"
#include "core/run/execute.h"
#include "core/run/plan.h"
#include "core/write/repack.h"
#include "ui/text/plain_text.h"

#include <QFile>
#include <QFileInfo>

namespace blobscope::ui {
namespace {

const QString kDescribe = QStringLiteral("run/describe"), kOther = QStringLiteral("run/other"),
              kDevices = QStringLiteral("run/devices"), kModel = QStringLiteral("run/model");

std::filesystem::path native(const QString& path) { return pathFrom(QFile::encodeName(path).toStdString()); }

/// Writes the file with the edits to a private folder, as repacking would write it, and opens it.
Result<Done> addEdited(RunSubject& subject, Monitor& monitor) {
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  BLOBSCOPE_TRY(repack, write::planRepack(subject.state->opened, subject.state->edits, {}, {}, monitor));
  const std::filesystem::path file = folder.path() / "edited.so";
  BLOBSCOPE_CHECK(write::writeRepack(repack, file, {}, monitor));
  BLOBSCOPE_TRY(package, library::openPrivate(file, monitor, {{}, subject.state->opened->budget->memoryLimit(), {}}));
  BLOBSCOPE_TRY(sha256, computeSha256(package->bytes, monitor));
  subject.package = std::move(package);
  subject.digest = toQt(sha256);
  subject.folder = std::make_shared<const process::TemporaryFolder>(std::move(folder));
  return Done{};
}

/// Returns an error only if it was cancelled.
Result<ModelEntries> modelEntries(const RunSubject& subject, const program::ModelFiles& files, Monitor& monitor) {
  ModelEntries out;
  const auto read = [&]() -> Result<program::Model> {
    if (subject.package == subject.state->package)
      return program::modelOf(subject.package, *subject.functions, files, monitor);
    BLOBSCOPE_TRY(functions, xref::computeFunctions(subject.package, monitor));
    return program::modelOf(subject.package, functions, files, monitor);
  };
  Result<program::Model> model = read();
  if (!model && model.error().id() == DiagnosticId::Cancelled) return model.error();
  if (!model) {
    out.problem = model.error();
    return out;
  }
  out.entries = std::move(model->entries);
  out.kind = toQt(model->kind);
  if (out.entries.empty()) out.problem = Error(DiagnosticId::RunProgram, {{"reason", "it has no function"}});
  return out;
}

Result<run::RunReport> report(const RunSubject& subject, const QString& path, const RunRequest& request,
                              Monitor& monitor) {
  // Cancelled while it was queued.
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  const Document::State& state = *subject.state;
  // With edits, the user agreed to a copy made from the open file.
  BLOBSCOPE_CHECK(run::checkDisk(*state.opened));
  run::RunOptions options = request.options;
  options.agreed = {fromQt(subject.digest), pathText(native(path))};
  if (request.against == RunRequest::Against::Opened) {
    options.agreedReference = {fromQt(subject.sha256), pathText(native(path))};
    return run::compareRuns(subject.package, state.opened, options, monitor);
  }
  if (request.against == RunRequest::Against::Other) {
    options.agreedReference = {fromQt(request.otherSha256), pathText(native(request.other))};
    BLOBSCOPE_TRY(other,
                  library::openPrivate(native(request.other), monitor, {{}, state.opened->budget->memoryLimit(), {}}));
    return run::compareRuns(subject.package, other, options, monitor);
  }
  if (subject.package == state.package && subject.functions)
    return run::runLibrary(subject.package, *subject.functions, options, monitor);
  BLOBSCOPE_TRY(functions, xref::computeFunctions(subject.package, monitor));
  return run::runLibrary(subject.package, functions, options, monitor);
}

} // namespace

TestRun::TestRun(QObject* parent) : QObject(parent) {
  connect(&m_jobs, &Jobs::started, this, [this](const QString& tag) {
    if (tag == runTag()) Q_EMIT started();
  });
  connect(&m_jobs, &Jobs::progressed, this,
          [this](const QString& tag, const QString& what, quint64 done, quint64 total) {
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
        subject->package = state->opened;
        if (!state->edits.empty()) BLOBSCOPE_CHECK(addEdited(*subject, monitor));
        const auto problem = [&](run::Purpose purpose) {
          const auto loads = run::canLoad(*subject->package, purpose);
          return loads ? std::nullopt : std::optional(loads.error());
        };
        subject->dryProblem = problem(run::Purpose::Dry);
        subject->deviceProblem = problem(run::Purpose::Run);
        subject->runtimeProblem = problem(run::Purpose::Runtime);
        if (!program::mayHaveModel(*subject->package))
          subject->modelFiles = program::filesBeside(pathFrom(state->opened->path));
        BLOBSCOPE_TRY(model, modelEntries(*subject, subject->modelFiles, monitor));
        subject->model = std::move(model);
        return RunSubjectPtr(std::move(subject));
      },
      [this, done = std::move(done)](Result<RunSubjectPtr> subject) {
        if (subject) m_subject = *subject;
        done(std::move(subject));
      });
}

void TestRun::describeOther(const QString& path, std::function<void(Result<QString>)> done) {
  m_jobs.start<QString>(
      kOther,
      [file = native(path)](Monitor& monitor) -> Result<QString> {
        BLOBSCOPE_TRY(package, library::openPrivate(file, monitor));
        BLOBSCOPE_TRY(sha256, computeSha256(package->bytes, monitor));
        return toQt(sha256);
      },
      std::move(done));
}

void TestRun::describeModel(const RunSubjectPtr& subject, const program::ModelFiles& files,
                            std::function<void(const ModelEntries&)> done) {
  m_jobs.start<ModelEntries>(
      kModel, [subject, files](Monitor& monitor) { return modelEntries(*subject, files, monitor); },
      [done = std::move(done)](const Result<ModelEntries>& model) {
        if (model) done(*model);
      });
}

void TestRun::findDevices(std::function<void(Result<run::DeviceList>)> done) {
  m_jobs.start<run::DeviceList>(
      kDevices, [](Monitor& monitor) { return run::computeDevices({}, monitor); }, std::move(done));
}

void TestRun::checkDevices(std::vector<protocol::DeviceFound> devices,
                           std::function<void(Result<std::vector<run::DeviceCheck>>)> done) {
  m_jobs.start<std::vector<run::DeviceCheck>>(
      checkTag(),
      [devices = std::move(devices)](Monitor& monitor) {
        return run::checkDevices(devices, run::builtInCheckCode(), {}, monitor);
      },
      std::move(done));
}

void TestRun::run(const RunSubjectPtr& subject, const QString& path, const RunRequest& request) {
  RunEntry entry;
  entry.request = request;
  entry.file = QFileInfo(path).fileName();
  entry.edited = !subject->state->edits.empty();
  entry.started = QDateTime::currentDateTime();
  entry.functions = subject->functions;
  m_jobs.start<run::RunReport>(
      runTag(), [subject, path, request](Monitor& monitor) { return report(*subject, path, request, monitor); },
      [this, entry](Result<run::RunReport> result) mutable {
        if (result) {
          if (result->files) {
            entry.files = result->files;
            m_files.push_back(std::exchange(result->files, nullptr));
            if (m_files.size() > kFilesKept) m_files.erase(m_files.begin());
          }
          entry.report = std::make_shared<const run::RunReport>(std::move(*result));
        } else {
          entry.code = toQt(result.error().diagnostic().idText());
          entry.message = toQt(result.error().message());
        }
        add(std::make_shared<const RunEntry>(std::move(entry)));
      });
}

void TestRun::readMetadata(const RunSubjectPtr& subject, const QString& path,
                           std::function<void(Result<std::vector<run::FunctionMetadata>>)> done) {
  m_jobs.start<std::vector<run::FunctionMetadata>>(
      runTag(),
      [subject, path](Monitor& monitor) -> Result<std::vector<run::FunctionMetadata>> {
        BLOBSCOPE_CHECK(run::checkDisk(*subject->state->opened));
        run::RunOptions options;
        options.agreed = {fromQt(subject->digest), pathText(native(path))};
        return run::readMetadata(subject->package, options, monitor);
      },
      std::move(done));
}

void TestRun::cancel() { m_jobs.cancel(runTag()); }

void TestRun::add(RunEntryPtr entry) {
  m_history.insert(m_history.begin(), std::move(entry));
  if (m_history.size() > kKept) m_history.resize(kKept);
  Q_EMIT added();
}

} // namespace blobscope::ui
