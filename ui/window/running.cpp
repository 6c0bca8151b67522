#include "ui/window/running.h"

#include "core/base/json.h"
#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/run_json.h"
#include "core/program/model.h"
#include "core/run/archive.h"
#include "ui/compare/tensor_pair_page.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/window/actions.h"
#include "ui/window/dialogs/devices_dialog.h"
#include "ui/window/dialogs/run_dialog.h"
#include "ui/window/node_tabs.h"
#include "ui/window/nodes_view.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/run_panel.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QTableView>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// A property of the application, so that all windows share it and nothing is stored.
constexpr char kConsents[] = "runConsents";
const QString kReport = QStringLiteral("run/report");

/// Where a library only has functions, the graph of its model can be a file.
bool canRunModel(const library::Package& package) {
  return program::mayHaveModel(package) || !package.host.functions.empty();
}

std::filesystem::path pathOf(const QString& path) { return pathFrom(QFile::encodeName(path).toStdString()); }

} // namespace

Running::Running(Document& document, Banner& banner, BottomPanel& bottom, NodeTabs& tabs, const Actions& actions,
                 std::function<Ref()> selection, QWidget* window)
    : QObject(window), m_document(document), m_banner(banner), m_bottom(bottom), m_tabs(tabs), m_actions(actions),
      m_selection(std::move(selection)), m_window(window), m_runs(new TestRun(this)),
      m_panel(new RunPanel(*m_runs, &bottom)) {
  bottom.addPanel(tr("Run"), m_panel);
  connect(actions[ActionId::Run], &QAction::triggered, this, [this] { ask(); });
  connect(actions[ActionId::RunModel], &QAction::triggered, this, &Running::askModel);
  connect(actions[ActionId::RunAgain], &QAction::triggered, this, &Running::runAgain);
  connect(actions[ActionId::ReadSignatures], &QAction::triggered, this, &Running::readSignatures);
  connect(actions[ActionId::Devices], &QAction::triggered, this, &Running::showDevices);
  connect(m_panel, &RunPanel::againRequested, this, &Running::runAgain);
  connect(m_panel, &RunPanel::optionsRequested, this,
          [this] { m_panel->entry() ? ask(m_panel->entry()->request) : ask(); });
  connect(m_panel, &RunPanel::exportRequested, this, &Running::askForReport);
  connect(m_panel, &RunPanel::nodeChosen, this, &Running::nodeChosen);
  connect(m_panel, &RunPanel::nodesRequested, this, [this] { showNodes(m_panel->entry()); });
  connect(&m_runs->jobs(), &Jobs::progressed, this,
          [this](const QString& tag, const QString& what, quint64 done, quint64 total) {
            if (m_devices && tag == TestRun::checkTag()) m_devices->showProgress(what, done, total);
          });
  connect(&m_runs->jobs(), &Jobs::finished, this, [this](const QString& tag) {
    if (m_devices && tag == TestRun::checkTag()) m_devices->endChecks();
  });
  connect(m_runs, &TestRun::added, this, &Running::updateBadge);
  connect(m_runs, &TestRun::added, this, &Running::showOnPage);
  connect(m_runs, &TestRun::added, this, [this] {
    if (m_runs->history().empty() || !showNodes(m_runs->history().front())) return;
    if (std::exchange(m_panelIsOwn, false)) m_bottom.closePanel(); // the tab shows everything
  });
  connect(m_runs, &TestRun::added, this, &Running::askForChanged, Qt::QueuedConnection);
  for (const auto signal : {&TestRun::started, &TestRun::ended, &TestRun::added})
    connect(m_runs, signal, this, &Running::updateState);
  connect(&document, &Document::opened, this, &Running::updateState);
  connect(&document, &Document::edited, this, &Running::updateState);
  updateState();
}

RunDialog* Running::dialog() const { return m_dialog; }
DevicesDialog* Running::devices() const { return m_devices; }

bool Running::canRun(const Document& document) {
  if (!document.state()) return false;
  bool can = false;
  library::forEachPackage(document.state()->package, [&](const library::PackagePtr& package) {
    can = can || !package->host.functions.empty();
    for (const auto& blob : package->blobs)
      for (const auto& module : blob->modules) can = can || !module->body->kernels().empty();
  });
  return can;
}

QString Running::whyNot() const {
  if (!m_document.state()) return tr("No file is open.");
  if (m_runs->isRunning()) return tr("A run is in progress.");
  if (canRun(m_document)) return {};
  return run::isArchive(*m_document.state()->package)
             ? tr("An archive is not run itself. Choose Run, Build a library from the archive.")
             : tr("The file has no function and no kernel that can be run.");
}

void Running::updateState() {
  const bool can = canRun(m_document);
  const QString reason = whyNot();
  QAction* const action = m_actions[ActionId::Run];
  action->setEnabled(reason.isEmpty());
  action->setToolTip(plainTip(QStringLiteral("%1 (%2)").arg(reason.isEmpty() ? action->statusTip() : reason,
                                                            action->shortcut().toString(QKeySequence::NativeText))));
  const bool model = can && canRunModel(*m_document.state()->package);
  m_actions[ActionId::RunModel]->setEnabled(model && !m_runs->isRunning());
  m_actions[ActionId::ReadSignatures]->setEnabled(can && m_document.state()->returnsSignatures && !m_runs->isRunning());
  m_actions[ActionId::RunAgain]->setEnabled(can && m_panel->entry() && !m_runs->isRunning());
  m_panel->setCanRun(can);
}

void Running::updateBadge() {
  if (m_runs->history().empty()) return;
  const RunEntry& last = *m_runs->history().front();
  const run::Status status = worstStatus(last);
  using run::Status;
  const bool good = status == Status::Ok, mild = status == Status::Refused || status == Status::Differs;
  const Role role = good ? Role::Ok : mild ? Role::Warning : Role::Error;
  const std::size_t bad = last.report && !good ? last.report->functions.size() - last.report->count(Status::Ok) : 0;
  m_bottom.setBadges(m_panel, {{good   ? QStringLiteral("ok")
                                : mild ? QStringLiteral("warning")
                                       : QStringLiteral("error"),
                                static_cast<int>(role), bad > 0 ? QString::number(bad) : QString()}});
}

QStringList Running::consents() { return QCoreApplication::instance()->property(kConsents).toStringList(); }

void Running::remember(const std::vector<ExecutedCode>& codes) {
  QStringList keys = consents();
  for (const ExecutedCode& code : codes)
    if (!code.key.isEmpty() && !keys.contains(code.key)) keys << code.key;
  QCoreApplication::instance()->setProperty(kConsents, keys);
}

void Running::describe(std::function<void(const RunSubjectPtr&)> next) {
  m_document.afterEdits([this, next = std::move(next)] { describeNow(next); });
}

void Running::describeNow(const std::function<void(const RunSubjectPtr&)>& next) {
  if (!canRun(m_document) || m_runs->isRunning()) return;
  m_runs->describe(m_document.state(), [this, state = m_document.state(), next](Result<RunSubjectPtr> subject) {
    if (m_document.state() != state) return;
    if (!subject) {
      m_banner.showMessage(Banner::Kind::Error, tr("The file cannot be run."), toQt(subject.error().message()),
                           {{tr("Close"), [] {}}}, Banner::Lasts::UntilEdited);
      return;
    }
    next(*subject);
  });
}

void Running::ask() {
  RunRequest before = m_panel->entry() ? m_panel->entry()->request : RunRequest();
  run::RunOptions& options = before.options;
  const Ref chosen = m_selection();
  const bool kernel =
      chosen.kind == Ref::Kind::Module && chosen.parts.size() == 1 && chosen.parts.front().kind == PartKind::Kernel;
  if (kernel && !(options.kernel && options.kernel->kernel == chosen))
    options.kernel = run::KernelRun{chosen, {}, {}, {}, {}}, options.all = options.model = false;
  if (chosen.kind == Ref::Kind::Host && chosen.members.empty()) {
    options.kernel.reset();
    options.runtime.clear();
    options.all = options.model = false;
    options.functions = {chosen.name};
  }
  ask(before);
}

void Running::askModel() {
  RunRequest before = m_panel->entry() ? m_panel->entry()->request : RunRequest();
  run::RunOptions& options = before.options;
  if (!options.model) {
    options.kernel.reset();
    options.runtime.clear();
    options.functions.clear();
    options.inputs.clear();
    options.all = options.dry = false;
    options.model = true;
    if (!options.repeat) options.repeat = RunDialog::kUsualRepeats;
    options.taps = {"all"};
  }
  ask(before);
}

void Running::ask(const RunRequest& before) {
  if (m_dialog) return;
  describe([this, before](const RunSubjectPtr& subject) { open(subject, before); });
}

void Running::askOldAndNew(const std::string& kernel) {
  if (m_dialog) return;
  const RunEntryPtr& before = m_panel->entry();
  RunRequest request;
  if (before && before->request.against == RunRequest::Against::Opened)
    request = before->request;
  else
    request.options.repeat = RunDialog::kUsualRepeats;
  request.against = RunRequest::Against::Opened;
  describe([this, request, name = kernel](const RunSubjectPtr& subject) mutable {
    run::RunOptions& options = request.options;
    const bool other =
        !options.kernel || options.kernel->kernel.parts.empty() || options.kernel->kernel.parts.back().name != name;
    const auto& kernels = subject->functions->kernels;
    if (const auto found = std::ranges::find(kernels, name, &xref::Kernel::name); other && found != kernels.end()) {
      options.kernel = run::KernelRun{found->ref, {}, {}, {}, {}};
      options.inputs.clear();
      options.all = options.model = false;
    }
    open(subject, request);
    m_fromPage = true;
  });
}

void Running::showOnPage() {
  if (m_runs->history().empty()) return;
  const RunEntryPtr& last = m_runs->history().front();
  if (last->request.against != RunRequest::Against::Opened || !std::exchange(m_fromPage, false)) return;
  if (m_showOnPage && m_showOnPage(last) && std::exchange(m_panelIsOwn, false)) m_bottom.closePanel();
}

void Running::open(const RunSubjectPtr& subject, const RunRequest& before) {
  if (m_dialog) return;
  const auto describeOther = [this](const QString& path) {
    m_runs->describeOther(path, [this, path](const Result<QString>& sha256) {
      if (m_dialog) m_dialog->setOther(path, sha256);
    });
  };
  const auto describeModel = [this, subject](const program::ModelFiles& files) {
    m_runs->describeModel(subject, files, [this, files](const ModelEntries& model) {
      if (m_dialog) m_dialog->setModel(files, model);
    });
  };
  m_dialog = new RunDialog({subject, m_document.path(), consents(), before, describeOther, describeModel}, m_window);
  m_dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(m_dialog, &QDialog::rejected, this, [this] { m_fromPage = false; });
  connect(m_dialog, &QDialog::accepted, this, [this, subject, dialog = m_dialog.data()] {
    if (m_document.state() != subject->state) return; // the content that the user agreed to has changed
    const RunRequest request = dialog->request();
    remember(executedCodes(*subject, m_document.path(), request));
    run(subject, request);
  });
  m_dialog->open();
  m_runs->findDevices([dialog = m_dialog](const Result<run::DeviceList>& devices) {
    if (dialog) dialog->setDevices(devices);
  });
}

void Running::runAgain() {
  const RunEntryPtr entry = m_panel->entry();
  if (!entry) return;
  describe([this, entry](const RunSubjectPtr& subject) {
    RunRequest request = entry->request;
    request.otherSha256.clear();
    if (request.against != RunRequest::Against::Other) {
      runOrAsk(subject, request);
      return;
    }
    m_runs->describeOther(request.other, [this, subject, request](Result<QString> sha256) mutable {
      if (m_document.state() != subject->state) return;
      if (sha256) request.otherSha256 = *sha256;
      runOrAsk(subject, request);
    });
  });
}

void Running::runOrAsk(const RunSubjectPtr& subject, const RunRequest& request) {
  // Without edits, there is nothing to compare with the file as opened.
  const bool possible = request.against != RunRequest::Against::Opened || !subject->state->edits.empty();
  if (possible && areAgreed(executedCodes(*subject, m_document.path(), request), consents()))
    run(subject, request);
  else
    open(subject, request);
}

void Running::run(const RunSubjectPtr& subject, const RunRequest& request) {
  if (!areAgreed(executedCodes(*subject, m_document.path(), request), consents())) return;
  m_panelIsOwn = !m_bottom.isOpen();
  m_bottom.openPanel(m_panel);
  m_document.markExecuted();
  m_runs->run(subject, m_document.path(), request);
}

void Running::readSignatures() {
  if (m_consent) return;
  describe([this](const RunSubjectPtr& subject) {
    const std::vector<ExecutedCode> codes = executedCodes(*subject, m_document.path(), {});
    if (areAgreed(codes, consents())) {
      readNow(subject);
      return;
    }
    m_consent = new ConsentDialog(tr("Read signatures"),
                                  tr("Each function of this library has code that returns its types. To read the "
                                     "signatures, this code runs in a helper process. The functions themselves are "
                                     "not called."),
                                  codes, QFileInfo(m_document.path()).fileName(), m_window);
    connect(m_consent, &QDialog::accepted, this, [this, subject, codes] {
      if (m_document.state() != subject->state) return; // the content that the user agreed to has changed
      remember(codes);
      readNow(subject);
    });
    m_consent->open();
  });
}

void Running::readNow(const RunSubjectPtr& subject) {
  m_document.markExecuted();
  m_runs->readMetadata(subject, m_document.path(),
                       [this, subject](const Result<std::vector<run::FunctionMetadata>>& functions) {
                         if (m_document.state() == subject->state) takeSignatures(functions);
                       });
}

void Running::takeSignatures(const Result<std::vector<run::FunctionMetadata>>& functions) {
  const Banner::Action close = {tr("Close"), [] {}};
  if (!functions) {
    m_banner.showMessage(Banner::Kind::Error, tr("The signatures could not be read."),
                         toQt(functions.error().message()), {close}, Banner::Lasts::UntilEdited);
    return;
  }
  auto read = std::make_shared<const std::map<std::string, std::string>>(run::signaturesOf(*functions));
  const auto failed = std::ranges::find_if(*functions, [](const run::FunctionMetadata& one) { return !one.fine(); });
  const QString words = tr("%n signature(s) (was|were) read.", nullptr, pluralCount(read->size()));
  m_document.setReadSignatures(std::move(read));
  if (failed == functions->end())
    m_banner.showMessage(Banner::Kind::Ok, words, tr("The Functions page of the file shows them."), {close});
  else
    m_banner.showMessage(Banner::Kind::Warning, words,
                         tr("%1 has no signature: %2").arg(toQt(escaped(failed->name)), toQt(failed->message)),
                         {close});
}

void Running::askForChanged() {
  if (m_runs->history().empty()) return;
  const RunEntryPtr last = m_runs->history().front();
  if (last->code != QLatin1String("RUN-CHANGED") && last->code != QLatin1String("FILE-CHANGED")) return;
  m_runs->forget();
  if (m_document.isOverwritten()) {
    m_banner.showMessage(
        Banner::Kind::Warning, tr("%1 was not run.").arg(QFileInfo(m_document.path()).fileName()),
        tr("The file was overwritten after you agreed to run it. Reload it, look at the new content, and run it "
           "again."),
        {{tr("Reload"), [this] { m_document.reload(); }}, {tr("Close"), [] {}}});
    return;
  }
  ask(last->request);
}

NodesView* Running::showNodes(const RunEntryPtr& entry) {
  const auto function = entry ? nodesOf(*entry) : std::nullopt;
  if (!function) return nullptr;
  for (QWidget* const page : m_tabs.pages())
    if (auto* const view = qobject_cast<NodesView*>(page); view && view->entry() == entry) {
      m_tabs.showExisting(view);
      return view;
    }
  auto* const view = new NodesView(m_runs->jobs(), entry, *function, m_document.path());
  const QString other = entry->request.other;
  const bool compared = entry->request.against != RunRequest::Against::Nothing;
  connect(view, &NodesView::codeChosen, this, [this, other, compared](const Ref& ref) {
    if (compared)
      Q_EMIT codeChosen(ref, other, false);
    else
      Q_EMIT nodeChosen(ref);
  });
  connect(view, &NodesView::compareRequested, this,
          [this, other](const Ref& ref) { Q_EMIT codeChosen(ref, other, true); });
  connect(view, &NodesView::aloneRequested, this, [this](const RunRequest& request) { ask(request); });
  connect(view, &NodesView::tensorsCompared, this, [this](const QString& title, const diff::TensorDiff& numbers) {
    m_tabs.showPage(new TensorPairPage(numbers, nullptr), title, QStringLiteral("kind-tensor"));
  });
  connect(view, &NodesView::message, this, [this](const QString& text) { m_banner.showNote(text); });
  connect(view, &NodesView::selectionText, this, [this, view](const QString& text) {
    if (m_tabs.otherPage() == view) Q_EMIT selectionText(text);
  });
  m_tabs.showPage(view, view->title(), QStringLiteral("run"));
  view->table().setFocus();
  return view;
}

void Running::showDevices() {
  if (!m_devices) {
    m_devices = new DevicesDialog(m_window);
    m_devices->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_devices, &DevicesDialog::checkRequested, this, &Running::checkDevices);
    const auto cancel = [this] { m_runs->jobs().cancel(TestRun::checkTag()); };
    connect(m_devices, &DevicesDialog::cancelRequested, this, cancel);
    connect(m_devices, &QDialog::finished, this, cancel);
    m_devices->open();
  }
  m_runs->findDevices([dialog = m_devices](const Result<run::DeviceList>& devices) {
    if (dialog) dialog->setDevices(devices);
  });
}

void Running::checkDevices() {
  if (!m_devices) return;
  m_devices->beginChecks();
  m_runs->checkDevices(m_devices->devices(), [dialog = m_devices](const Result<std::vector<run::DeviceCheck>>& checks) {
    if (dialog) dialog->setChecks(checks);
  });
}

void Running::askForReport() {
  const QString name = QFileInfo(m_document.path()).completeBaseName() + QLatin1String("-run.json");
  const QString path = QFileDialog::getSaveFileName(m_window, tr("Export the run"), name, tr("JSON files (*.json)"));
  if (!path.isEmpty()) saveReport(path);
}

void Running::saveReport(const QString& path) {
  const RunEntryPtr entry = m_panel->entry();
  if (!entry || !entry->report) return;
  m_runs->jobs().start<Done>(
      kReport,
      [entry, target = pathOf(path), opened = pathOf(m_document.path())](Monitor& monitor) -> Result<Done> {
        Inputs inputs{{opened, pathOf(entry->request.other)}};
        std::error_code failure;
        for (const auto& [tensor, fill] : entry->request.options.inputs)
          if (std::filesystem::is_regular_file(fill, failure)) inputs.files.push_back(fill); // not a word like "ones"
        std::string text;
        json::Writer writer([&](std::string_view piece) { text += piece; });
        writer.beginObject();
        writer.member("file", fromQt(entry->file));
        writer.member("edited", entry->edited);
        describe::writeReport(writer, *entry->report);
        writer.endObject();
        writer.finish();
        return writeFile(target, inputs, Bytes::copyOf(text), monitor);
      },
      [this, path](Result<Done> done) {
        const QString name = QFileInfo(path).fileName();
        if (done)
          m_banner.showMessage(Banner::Kind::Ok, tr("Saved %1.").arg(name), {}, {{tr("Close"), [] {}}});
        else
          m_banner.showMessage(Banner::Kind::Error, tr("%1 was not saved.").arg(name), toQt(done.error().message()),
                               {{tr("Close"), [] {}}});
      });
}

} // namespace blobscope::ui
