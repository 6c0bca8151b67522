#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/profile.h"
#include "core/protocol/element_code.h"
#include "core/run/execute.h"
#include "core/run/nodes.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/banner.h"
#include "ui/window/dialogs/run_dialog.h"
#include "ui/window/nodes_view.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPointer>
#include <QToolButton>

#include <utility>

/// What NodesView does with the kept outputs of nodes: saves them, compares them again, and runs nodes on them.
namespace blobscope::ui {
namespace {

std::filesystem::path nativePath(const QString& path) { return pathFrom(QFile::encodeName(path).toStdString()); }

/// The extents of symbolic dimensions, as far as the shapes of the inputs tell.
void addVariables(const host::Parameter& parameter, const std::vector<int64_t>& shape, run::Variables& variables) {
  if (parameter.shape.size() != shape.size()) return;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (parameter.shape[i].isVariable()) variables.try_emplace(parameter.shape[i].text, shape[i]);
}

} // namespace

// --- 1. Saving

Inputs NodesView::protectedFiles() const {
  Inputs inputs{{nativePath(m_opened)}};
  if (!m_entry->request.other.isEmpty()) inputs.files.push_back(nativePath(m_entry->request.other));
  for (const auto& [tensor, fill] : m_entry->request.options.inputs)
    if (fill.ends_with(".npy")) inputs.files.push_back(pathFrom(fill));
  const program::ModelFiles& model = m_entry->request.options.modelFiles;
  for (const std::filesystem::path& path : {model.graph, model.parameters})
    if (!path.empty()) inputs.files.push_back(path);
  return inputs;
}

void NodesView::save(const QString& tag, const QString& path, std::function<Result<Done>(Monitor&)> write) {
  m_jobs.start<Done>(
      m_tag + tag, std::move(write), [guard = QPointer<NodesView>(this), path](const Result<Done>& done) {
        if (!guard) return;
        const QString name = plainLine(QFileInfo(path).fileName());
        if (done) {
          guard->m_banner->showMessage(Banner::Kind::Ok, tr("Saved %1.").arg(name), {}, {{tr("Close"), [] {}}});
          Q_EMIT guard->saved(path);
        } else {
          guard->m_banner->showMessage(Banner::Kind::Error, tr("%1 was not saved.").arg(name),
                                       toQt(done.error().message()), {{tr("Close"), [] {}}});
        }
      });
}

void NodesView::askForOutputs() {
  updateTools(); // later runs may have deleted the files
  if (!m_save->isEnabled()) {
    Q_EMIT message(tr("The outputs of this run are no longer on disk. Run the model again."));
    return;
  }
  const QString name =
      safeFileName(QStringLiteral("%1-%2.npy").arg(m_selected).arg(nameToQt(m_model.node(m_selected).name)));
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Save the output of the node"), name, tr("NumPy files (*.npy)"));
  if (!path.isEmpty()) saveOutputs(path);
}

void NodesView::askForTrace() {
  const QString name = safeFileName(QFileInfo(m_entry->file).completeBaseName() + QStringLiteral("-trace.json"));
  const QString path = QFileDialog::getSaveFileName(this, tr("Save the trace"), name, tr("JSON files (*.json)"));
  if (!path.isEmpty()) saveTrace(path);
}

void NodesView::saveOutputs(const QString& path) {
  const auto files = m_entry->files.lock(); // not deleted before they are copied
  if (m_selected < 0 || !files) return;
  std::vector<std::pair<run::Output, std::filesystem::path>> outputs;
  const QFileInfo info(path);
  const auto add = [&](const run::NodeResult& node, const QString& mark) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].file.empty()) continue;
      const QString number = i > 0 ? QStringLiteral("-%1").arg(i) : QString();
      const QString target = mark.isEmpty() && i == 0 ? path
                                                      : info.path() + QLatin1Char('/') + info.completeBaseName() +
                                                            mark + number + QLatin1Char('.') + info.suffix();
      outputs.emplace_back(node.outputs[i], nativePath(target));
    }
  };
  add(m_model.node(m_selected), {});
  if (const run::NodeResult* const other = m_model.reference(m_selected)) add(*other, QStringLiteral("-a"));
  save(QStringLiteral("/outputs"), path, [files, outputs, inputs = protectedFiles()](Monitor& monitor) -> Result<Done> {
    for (const auto& [output, target] : outputs) BLOBSCOPE_CHECK(run::saveOutput(output, target, inputs, monitor));
    return Done{};
  });
}

void NodesView::saveTrace(const QString& path) {
  save(QStringLiteral("/trace"), path,
       [entry = m_entry, target = nativePath(path), inputs = protectedFiles()](Monitor& monitor) {
         return describe::writeProfile(*entry->report, target, inputs, monitor);
       });
}

// --- 2. Comparing again

void NodesView::showProblem(const QString& title, const Error& error) {
  m_banner->showMessage(Banner::Kind::Error, title, toQt(error.message()), {{tr("Close"), [] {}}});
}

void NodesView::showTolerance() {
  const auto tolerance = m_model.tolerance();
  if (m_toleranceText.isEmpty() && tolerance) m_toleranceText = differenceText(*tolerance);
  m_tolerance->setText(m_toleranceText);
}

void NodesView::setTolerance(const QString& text) {
  const QString wanted = text.trimmed();
  if (wanted == m_toleranceText) return;
  const auto files = m_entry->files.lock(); // not deleted before they are compared
  const auto read = wanted.isEmpty() ? std::optional<protocol::CompareOptions>(std::in_place)
                                     : protocol::parseTolerance(fromQt(wanted));
  if (!read || !files) {
    m_tolerance->setText(m_toleranceText);
    Q_EMIT message(files ? tr("“%1” is not a tolerance: enter one or two numbers, such as 1e-3 or 1e-3, 1e-2.")
                               .arg(plainLine(wanted))
                         : tr("The outputs of this run are no longer on disk. Run the model again."));
    return;
  }
  m_toleranceText = wanted;
  m_jobs.start<run::RunReportPtr>(
      m_tag + QStringLiteral("/tolerance"),
      [report = m_report, options = *read, files](Monitor& monitor) {
        return run::compareAgain(*report, options, monitor);
      },
      [guard = QPointer<NodesView>(this)](const Result<run::RunReportPtr>& report) {
        if (!guard) return;
        if (report) {
          guard->m_report = *report;
          guard->showReport();
          Q_EMIT guard->compared();
        } else {
          guard->showProblem(tr("The outputs were not compared again."), report.error());
        }
      });
}

std::optional<std::size_t> NodesView::comparableOutput() const {
  if (m_selected < 0) return std::nullopt;
  const run::NodeResult& node = m_model.node(m_selected);
  const run::NodeResult* const other = m_model.reference(m_selected);
  if (!other) return std::nullopt;
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < node.outputs.size() && i < other->outputs.size(); ++i) {
    if (node.outputs[i].file.empty() || other->outputs[i].file.empty()) continue;
    const auto& compared = node.comparison->outputs;
    const bool differs = i < compared.size() && compared[i].verdict != protocol::Verdict::Identical;
    if (!out || differs) out = i;
    if (differs) break;
  }
  return out;
}

void NodesView::compareTensors() {
  const auto at = comparableOutput();
  const auto files = m_entry->files.lock();
  if (!at || !files) return;
  const run::Output a = m_model.reference(m_selected)->outputs[*at], b = m_model.node(m_selected).outputs[*at];
  const QString title = tr("Node %1: both outputs").arg(m_selected);
  m_jobs.start<diff::TensorDiff>(
      m_tag + QStringLiteral("/tensors"),
      [a, b, files](Monitor& monitor) -> Result<diff::TensorDiff> {
        BLOBSCOPE_TRY(first, run::bytesOf(a));
        BLOBSCOPE_TRY(second, run::bytesOf(b));
        return diff::compareTensors(protocol::tensorOf(a.type, a.shape, first),
                                    protocol::tensorOf(b.type, b.shape, second), monitor);
      },
      [guard = QPointer<NodesView>(this), title](const Result<diff::TensorDiff>& numbers) {
        if (!guard) return;
        if (numbers)
          Q_EMIT guard->tensorsCompared(title, *numbers);
        else
          guard->showProblem(tr("The outputs were not compared."), numbers.error());
      });
}

// --- 3. One node

RunRequest NodesView::aloneRequest(const run::NodeResult& node, const host::Signature& signature) const {
  RunRequest out = m_entry->request;
  run::RunOptions& options = out.options;
  options.functions = {signature.function};
  options.model = options.all = options.dry = options.keepNodes = false;
  options.modelFiles = {};
  options.taps.clear();
  options.inputs.clear();
  options.variables.clear();
  options.repeat = RunDialog::kUsualRepeats;
  // A node that was found by its values calls another function there.
  if (node.comparison && node.comparison->by != run::NodeResult::Comparison::By::Name)
    out.against = RunRequest::Against::Nothing;
  for (const run::NodeInput& input : node.inputs)
    for (std::size_t i = 0; i < signature.parameters.size(); ++i)
      if (const host::Parameter& parameter = signature.parameters[i];
          parameter.name == input.name || (parameter.name.empty() && input.name == "arg" + std::to_string(i)))
        addVariables(parameter, input.shape, options.variables);
  return out;
}

void NodesView::runAlone() {
  const xref::HostFunction* const function = functionOf(m_selected);
  if (!function) return;
  const run::NodeResult& node = m_model.node(m_selected);
  RunRequest request = aloneRequest(node, function->signature);
  const auto files = m_entry->files.lock();
  if (!files || node.inputs.empty()) {
    Q_EMIT aloneRequested(request);
    return;
  }
  m_jobs.start<RunRequest>(
      m_tag + QStringLiteral("/alone"),
      [request, inputs = node.inputs, files](Monitor& monitor) -> Result<RunRequest> {
        RunRequest out = request;
        BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
        uint64_t number = 0;
        for (const run::NodeInput& input : inputs) {
          if (input.file.empty()) continue;
          const std::filesystem::path path = folder.path() / (std::to_string(number++) + ".npy");
          BLOBSCOPE_CHECK(run::saveInput(input, path, monitor));
          out.options.inputs[input.name] = pathText(path);
        }
        out.inputs = std::make_shared<const process::TemporaryFolder>(std::move(folder));
        return out;
      },
      [guard = QPointer<NodesView>(this)](const Result<RunRequest>& made) {
        if (!guard) return;
        if (made)
          Q_EMIT guard->aloneRequested(*made);
        else
          guard->showProblem(tr("The inputs of the node were not written."), made.error());
      });
}

} // namespace blobscope::ui
