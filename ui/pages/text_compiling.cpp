#include "ui/pages/text_compiling.h"

#include "ui/pages/compile_bar.h"
#include "ui/pages/compile_strip.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/text/edit_view.h"

#include <QPointer>

#include <utility>

namespace blobscope::ui {

TextCompiling::TextCompiling(const PageContext& context, EditView& view, bool draft, QWidget* page)
    : QObject(page), m_jobs(context.jobs), m_package(context.package), m_node(context.node), m_view(view),
      m_tag(tagPrefix() + QString::number(reinterpret_cast<quintptr>(this))), m_bar(new CompileBar(page)),
      m_strip(new CompileStrip(page)) {
  m_bar->hide();
  connect(m_bar, &CompileBar::compileRequested, this, &TextCompiling::compile);
  connect(m_strip, &CompileStrip::storeRequested, this, &TextCompiling::store);
  connect(&m_view, &EditView::edited, this, &TextCompiling::updateStoring);
  connect(m_strip, &CompileStrip::messagesRequested, this, [this] { m_view.goToNextMark(false); });
  connect(&m_jobs, &Jobs::finished, this, [this](const QString& tag) {
    if (tag == m_tag) m_bar->setRunning(false); // also after a cancel
  });
  if (m_node.partKind() == PartKind::Kernel) m_kernel = m_node.parts.back().name;
  if (m_package && m_node.kind == Ref::Kind::Module) findPlace(draft);
}

TextCompiling::~TextCompiling() {
  m_jobs.disconnect(this);
  m_jobs.cancel(m_tag + QLatin1String("/place"));
  m_jobs.cancel(m_tag);
}

void TextCompiling::findPlace(bool draft) {
  m_jobs.start<CompilePlace>(
      m_tag + QLatin1String("/place"),
      [package = m_package, node = m_node, draft](Monitor& monitor) {
        return compilePlaceOf(package, node, draft, monitor);
      },
      [guard = QPointer<TextCompiling>(this), draft](Result<CompilePlace> place) {
        // Most texts have nothing to do with compilers.
        if (guard && place && (draft || place->target.code == guard->m_view.original())) guard->take(*place);
      });
}

void TextCompiling::take(const CompilePlace& place) {
  m_place = std::make_shared<const CompilePlace>(place);
  m_bar->setPlace(place);
  m_bar->show();
  Q_EMIT placed();
}

void TextCompiling::compile() {
  if (!m_place || !m_bar->canCompile()) return;
  m_bar->setRunning(true);
  m_jobs.start<CompileReportPtr>(
      m_tag,
      [package = m_package, place = m_place, text = m_view.text(), choice = m_bar->choice()](Monitor& monitor) {
        return compileText(package, *place, text, choice, monitor);
      },
      [guard = QPointer<TextCompiling>(this), text = m_view.text()](Result<CompileReportPtr> report) {
        if (guard) guard->show(report, text);
      });
}

void TextCompiling::restore(const CompileReportPtr& report, const std::string& kernel) {
  m_report = report;
  if (m_kernel.empty()) m_kernel = kernel;
  if (report) m_strip->showReport(report, m_kernel);
}

void TextCompiling::updateStoring() {
  const compile::Compiled* const compiled = m_place && m_report ? &m_report->compiled : nullptr;
  const bool can = compiled && compiled->ok && compiled->code && compiled->format != "text" &&
                   m_report->misfits.empty() && m_compiledText == m_view.text() && m_view.isEditable();
  m_strip->offerStoring(can ? toQt(compiled->format == "fatbin" ? "fat binary" : compiled->format) : QString());
}

void TextCompiling::store() {
  if (m_place && m_report) Q_EMIT storeRequested(compile::editsFor(*m_package, m_place->target, m_report->compiled));
}

void TextCompiling::show(const Result<CompileReportPtr>& report, const Bytes& text) {
  QVector<TextMark> marks;
  if (report) {
    const QString source = m_bar->compilers().currentText();
    for (const compile::Message& message : (*report)->compiled.messages)
      if (message.line > 0) marks.append({message.line, message.column, message.severity, toQt(message.text), source});
    m_report = *report;
    m_compiledText = text;
    m_strip->showReport(m_report, m_kernel);
  } else {
    m_strip->showFailure(toQt(report.error().message()));
  }
  m_view.setMarks(std::move(marks));
  updateStoring();
  Q_EMIT compiled();
}

} // namespace blobscope::ui
