#include "ui/pages/compile_strip.h"

#include "core/base/text.h"
#include "core/describe/compiled.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

using compile::KernelUse;

const KernelUse* findKernel(const std::vector<KernelUse>& kernels, const std::string& name) {
  const auto found = std::ranges::find(kernels, name, &KernelUse::name);
  return found == kernels.end() ? nullptr : &*found;
}

/// The kernel with that name; else the first one with other numbers than before; else the first one.
const KernelUse* chosenKernel(const CompileReport& report, const std::string& name) {
  const std::vector<KernelUse>& now = report.compiled.kernels;
  if (const KernelUse* const named = findKernel(now, name)) return named;
  for (const KernelUse& one : now)
    for (const describe::UseChange& change : describe::changesOf(findKernel(report.before, one.name), one))
      if (change.before != change.after) return &one;
  return now.empty() ? nullptr : &now.front();
}

QString numberText(const describe::UseChange& change, std::optional<uint64_t> value) {
  if (!value) return QStringLiteral("–");
  return toQt(groupedText(*value)) + (change.perCent ? QStringLiteral(" %") : QString());
}

/// Better numbers are green, worse ones are a warning.
Role roleOf(const describe::UseChange& change) {
  if (!change.before || !change.after || *change.before == *change.after) return Role::Text;
  return (*change.after < *change.before) == change.lessIsBetter ? Role::Ok : Role::Warning;
}

} // namespace

CompileStrip::CompileStrip(QWidget* parent) : Panel(Role::Base, std::nullopt, parent) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 8);
  layout->setSpacing(6);
  auto* const head = new QHBoxLayout;
  head->setSpacing(8);
  m_icon = new IconLabel(QStringLiteral("ok"), Role::Ok, metrics::kIcon, this);
  m_sentence = new ThemeLabel({}, TextRole::Heading, Role::Text, this);
  m_detail = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this);
  m_detail->setWordWrap(true);
  m_all = new LinkButton(tr("All messages"), this);
  m_store = new LinkButton({}, this);
  m_store->setToolTip(
      plainTip(tr("The library then contains the compiled code in place of this text. It can be undone.")));
  head->addWidget(m_icon, 0, Qt::AlignTop);
  head->addWidget(m_sentence);
  head->addWidget(m_detail, 1);
  head->addWidget(m_all, 0, Qt::AlignTop);
  head->addWidget(m_store, 0, Qt::AlignTop);
  layout->addLayout(head);
  m_numbers = new QWidget(this);
  m_columns = new QHBoxLayout(m_numbers);
  m_columns->setContentsMargins(0, 0, 0, 0);
  m_columns->setSpacing(20);
  layout->addWidget(m_numbers);
  m_kernel = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, m_numbers);
  m_numbers->hide();
  m_all->hide();
  m_store->hide();
  connect(m_store, &QAbstractButton::clicked, this, &CompileStrip::storeRequested);
  connect(m_all, &QAbstractButton::clicked, this, &CompileStrip::messagesRequested);
  hide();
}

void CompileStrip::showFailure(const QString& message) {
  m_icon->setIcon(QStringLiteral("error"), Role::Error);
  m_sentence->setText(tr("The text was not compiled."));
  m_detail->setText(message);
  m_all->hide();
  show();
}

void CompileStrip::showReport(const CompileReportPtr& report, const std::string& kernel) {
  const compile::Compiled& compiled = report->compiled;
  const bool fits = compiled.ok && report->misfits.empty();
  m_icon->setIcon(fits ? QStringLiteral("ok") : QStringLiteral("error"), fits ? Role::Ok : Role::Error);
  m_all->setVisible(!compiled.messages.empty());
  const auto errors = std::ranges::count(compiled.messages, Severity::Error, &compile::Message::severity);
  const QString how =
      tr("%1, %2 ms").arg(toQt(describe::compilerText(compiled)), QLocale().toString(report->milliseconds, 'f', 0));
  if (!compiled.ok) {
    const auto first = std::ranges::find_if(
        compiled.messages, [](const compile::Message& one) { return one.severity == Severity::Error && one.line > 0; });
    QString text = tr("Does not compile: %n error(s)", nullptr, pluralCount(static_cast<uint64_t>(errors)));
    if (first != compiled.messages.end()) text += tr(", line %1").arg(first->line);
    m_sentence->setText(text + QLatin1Char('.'));
    m_detail->setText(
        m_lastGood.isValid() ? tr("Below: the last text that did, %1.").arg(QLocale().toString(m_lastGood)) : how);
  } else if (!report->misfits.empty()) {
    m_sentence->setText(tr("Compiles, but does not fit the library."));
    m_detail->setText(toQt(report->misfits.front()));
  } else {
    m_sentence->setText(tr("Compiles: no errors."));
    m_detail->setText(how);
  }
  if (compiled.ok) showNumbers(*report, kernel);
  show();
}

void CompileStrip::showNumbers(const CompileReport& report, const std::string& kernel) {
  while (QLayoutItem* const item = m_columns->takeAt(0)) {
    if (item->widget() != m_kernel) delete item->widget();
    delete item;
  }
  const KernelUse* const chosen = chosenKernel(report, kernel);
  m_numbers->setVisible(chosen != nullptr);
  if (!chosen) return;
  m_lastGood = QTime::currentTime();
  m_kernel->setText(toQt(chosen->name));
  for (const describe::UseChange& change : describe::changesOf(findKernel(report.before, chosen->name), *chosen)) {
    auto* const column = new QWidget(m_numbers);
    auto* const lines = new QVBoxLayout(column);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(2);
    lines->addWidget(new ThemeLabel(coreText(change.label), TextRole::Secondary, Role::Secondary, column));
    auto* const values = new QHBoxLayout;
    values->setSpacing(4);
    values->addWidget(new ThemeLabel(numberText(change, change.before) + QStringLiteral(" →"), TextRole::Body,
                                     Role::Secondary, column));
    values->addWidget(new ThemeLabel(numberText(change, change.after), TextRole::Heading, roleOf(change), column));
    values->addStretch();
    lines->addLayout(values);
    m_columns->addWidget(column);
  }
  m_columns->addStretch();
  m_columns->addWidget(m_kernel, 0, Qt::AlignBottom);
}

void CompileStrip::offerStoring(const QString& format) {
  m_store->setText(tr("Store as %1").arg(format));
  m_store->setVisible(!format.isEmpty());
}

QString CompileStrip::text() const { return m_sentence->text() + QLatin1Char(' ') + m_detail->text(); }

} // namespace blobscope::ui
