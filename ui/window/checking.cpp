#include "ui/window/checking.h"

#include "core/base/output_file.h"
#include "core/check/sarif.h"
#include "core/describe/archive_code.h"
#include "core/describe/preflight.h"
#include "core/library/open.h"
#include "core/mlf/check.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/boxes.h"
#include "ui/window/actions.h"
#include "ui/window/panels/problems_panel.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QSettings>

namespace blobscope::ui {
namespace {

constexpr char kCompiler[] = "cCompiler"; // a setting

} // namespace

Checking::Checking(Document& document, Banner& banner, ProblemsPanel& problems, const Actions& actions, QWidget* window)
    : QObject(window), m_document(document), m_banner(banner), m_problems(problems), m_window(window) {
  connect(actions[ActionId::Check], &QAction::triggered, this, [this] { m_document.afterEdits([this] { check(); }); });
  connect(actions[ActionId::CheckCode], &QAction::triggered, this,
          [this] { m_document.afterEdits([this] { askForCompiler(); }); });
  connect(actions[ActionId::SaveFindings], &QAction::triggered, this, &Checking::askForFile);
}

void Checking::check() {
  if (!m_document.state()) return;
  m_document.jobs().start<check::Report>(
      tag(),
      [package = m_document.state()->package](Monitor& monitor) -> Result<check::Report> {
        BLOBSCOPE_TRY(report, mlf::check(package, monitor));
        if (describe::hasPreflight(*package)) {
          BLOBSCOPE_TRY(summary, describe::summarizePreflight(package, monitor));
          report.add(summary.issues);
        }
        BLOBSCOPE_CHECK(library::checkUnchanged(*package));
        return report;
      },
      [guard = QPointer<Checking>(this), state = m_document.state()](Result<check::Report> report) {
        if (!guard || guard->m_document.state() != state) return;
        if (!report) {
          guard->m_banner.showMessage(Banner::Kind::Error, tr("The check failed."), toQt(report.error().message()),
                                      {{tr("Close"), [] {}}}, Banner::Lasts::UntilEdited);
          return;
        }
        const std::size_t errors = report->count(Severity::Error), warnings = report->count(Severity::Warning),
                          all = report->issues.size();
        guard->m_shown = state;
        guard->m_problems.setReport(std::make_shared<const check::Report>(std::move(*report)));
        guard->m_banner.showMessage(errors > 0     ? Banner::Kind::Error
                                    : warnings > 0 ? Banner::Kind::Warning
                                                   : Banner::Kind::Ok,
                                    all == 0 ? tr("The check reported no findings.")
                                             : tr("The check reported %n finding(s).", nullptr, pluralCount(all)),
                                    all == 0 ? QString()
                                    : errors == 0
                                        ? tr("There are no errors. See the Problems panel.")
                                        : tr("There (is|are) %n error(s). The Problems panel lists errors first.",
                                             nullptr, pluralCount(errors)),
                                    {{tr("Close"), [] {}}}, Banner::Lasts::UntilEdited);
        Q_EMIT guard->checked();
      });
}

void Checking::askForCompiler() {
  if (!m_document.state()) return;
  QInputDialog* const dialog =
      makeTextInput(tr("Check C sources"),
                    tr("The C compiler and its flags, such as arm-none-eabi-gcc -mcpu=cortex-m7. It runs "
                       "confined, and nothing that it compiles is executed."),
                    QSettings().value(kCompiler, QStringLiteral("cc")).toString(), m_window);
  connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& command) {
    QSettings().setValue(kCompiler, command);
    checkCode(command);
  });
  dialog->open();
}

void Checking::checkCode(const QString& command) {
  if (!m_document.state()) return;
  struct Checked {
    check::Report report;
    std::string sizes;
    bool compiles = true;
  };
  m_document.jobs().start<Checked>(
      tag(),
      [package = m_document.state()->package,
       words = command.split(QLatin1Char(' '), Qt::SkipEmptyParts)](Monitor& monitor) -> Result<Checked> {
        std::vector<std::string> flags;
        for (const QString& word : words.mid(1)) flags.push_back(fromQt(word));
        const bool anyFlag = std::erase(flags, "--any-flag") > 0;
        BLOBSCOPE_TRY(code, describe::checkArchiveCode(package, words.empty() ? std::string() : fromQt(words.front()),
                                                       std::move(flags), anyFlag, monitor));
        Checked out;
        BLOBSCOPE_TRY(report, mlf::check(package, monitor));
        out.report = std::move(report);
        out.report.add(code.issues);
        out.sizes = describe::archiveCodeText(code.result);
        out.compiles = code.compiles();
        return out;
      },
      [guard = QPointer<Checking>(this), state = m_document.state()](Result<Checked> checked) {
        if (!guard || guard->m_document.state() != state) return;
        if (!checked) {
          guard->m_banner.showMessage(Banner::Kind::Error, tr("The C code was not compiled."),
                                      toQt(checked.error().message()), {{tr("Close"), [] {}}},
                                      Banner::Lasts::UntilEdited);
          return;
        }
        guard->m_shown = state;
        guard->m_problems.setReport(std::make_shared<const check::Report>(std::move(checked->report)));
        guard->m_banner.showMessage(checked->compiles ? Banner::Kind::Ok : Banner::Kind::Error,
                                    checked->compiles ? tr("The C code compiles.")
                                                      : tr("The C code does not compile. See the Problems panel."),
                                    linesToQt(checked->sizes), {{tr("Close"), [] {}}}, Banner::Lasts::UntilEdited);
        Q_EMIT guard->checked();
      });
}

void Checking::askForFile() {
  const QString name = QFileInfo(m_document.path()).completeBaseName() + QLatin1String(".sarif");
  const QString path =
      QFileDialog::getSaveFileName(m_window, tr("Save findings"), name, tr("SARIF files (*.sarif *.json)"));
  if (!path.isEmpty()) saveFindings(path);
}

void Checking::saveFindings(const QString& path) {
  const std::shared_ptr<const check::Report> report = m_problems.report();
  if (!report) return;
  m_document.jobs().start<Done>(
      tag(),
      [report, target = fromQt(path), source = fromQt(m_document.path()),
       version = fromQt(QCoreApplication::applicationVersion())](Monitor& monitor) -> Result<Done> {
        std::string text;
        check::writeSarif(*report, source, version, [&](std::string_view piece) { text += piece; });
        return writeFile(target, {{source}}, Bytes::copyOf(text), monitor);
      },
      [guard = QPointer<Checking>(this), path](Result<Done> done) {
        if (!guard) return;
        const QString name = QFileInfo(path).fileName();
        if (done)
          guard->m_banner.showMessage(Banner::Kind::Ok, tr("Saved %1.").arg(name), {}, {{tr("Close"), [] {}}});
        else
          guard->m_banner.showMessage(Banner::Kind::Error, tr("%1 was not saved.").arg(name),
                                      toQt(done.error().message()), {{tr("Close"), [] {}}});
      });
}

} // namespace blobscope::ui
