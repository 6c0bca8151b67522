#include "ui/window/dialogs/run_consent.h"

#include "core/base/path_text.h"
#include "core/run/confinement.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {

std::vector<ExecutedCode> executedCodes(const RunSubject& subject, const QString& file, const RunRequest& request) {
  const auto placed = [](const QString& path) {
    return RunConsent::tr("%1 in %2").arg(QFileInfo(path).fileName(), QFileInfo(path).absolutePath());
  };
  const bool edited = !subject.state->edits.empty();
  std::vector<ExecutedCode> codes = {{edited ? RunConsent::tr("%1, with your changes").arg(placed(file)) : placed(file),
                                      subject.digest, subject.digest}};
  if (request.against == RunRequest::Against::Opened)
    codes.push_back({RunConsent::tr("%1, as opened").arg(placed(file)), subject.sha256, subject.sha256});
  if (request.against == RunRequest::Against::Other)
    codes.push_back(
        {request.other.isEmpty() ? RunConsent::tr("The other library, which is not chosen yet") : placed(request.other),
         request.otherSha256, request.otherSha256});
  if (const auto& runtime = request.options.runtime; !runtime.empty())
    codes.push_back({RunConsent::tr("TVM runtime: %1").arg(toQt(pathText(runtime))),
                     {},
                     QStringLiteral("runtime:") + wholeToQt(pathText(runtime))});
  return codes;
}

bool areAgreed(const std::vector<ExecutedCode>& codes, const QStringList& consents) {
  return std::all_of(codes.begin(), codes.end(),
                     [&](const ExecutedCode& code) { return !code.key.isEmpty() && consents.contains(code.key); });
}

RunConsent::RunConsent(QWidget* parent) : Panel(Role::WarningBackground, Role::Warning, parent) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 12, 10);
  layout->setSpacing(6);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  m_words = new ThemeLabel({}, TextRole::Body, Role::Text, this);
  m_words->setWordWrap(true);
  layout->addWidget(m_words);
  for (Row& row : m_rows) {
    auto* const lines = new QVBoxLayout;
    lines->setSpacing(0);
    row.name = new ThemeLabel({}, TextRole::Body, Role::Text, this);
    row.name->setElided();
    row.digest = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this);
    lines->addWidget(row.name);
    lines->addWidget(row.digest);
    layout->addLayout(lines);
  }
  m_check = new QCheckBox(this);
  m_check->setObjectName(QStringLiteral("consent"));
  layout->addWidget(m_check);
  connect(m_check, &QCheckBox::toggled, this, &RunConsent::toggled);
}

void RunConsent::setCodes(const std::vector<ExecutedCode>& codes, bool agreed, const QString& file, bool isReading) {
  // Consent to other code does not apply to this code.
  if (codes != m_codes) m_check->setChecked(false);
  m_codes = codes;
  const bool several = codes.size() > 1;
  setRoles(agreed ? Role::Header : Role::WarningBackground, agreed ? Role::Ok : Role::Warning);
  m_words->setText(agreed ? tr("You have agreed to run exactly this content. Blobscope remembers this until you quit.")
                   : several
                       ? tr("The run executes the code of all these files in helper processes with your user rights.")
                       : tr("The run executes code of %1 in a helper process with your user rights. A dry run executes "
                            "host code too; it only skips the kernel launches.")
                             .arg(file));
  if (const std::string warning = run::consentWarning(process::supportedLayers()); !agreed && !warning.empty())
    m_words->setText(m_words->text() + QLatin1Char('\n') + coreText(warning));
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const Row& row = m_rows[i];
    row.name->setVisible(i < codes.size());
    row.digest->setVisible(i < codes.size() && (!codes[i].key.isEmpty() ? !codes[i].sha256.isEmpty() : isReading));
    if (i >= codes.size()) continue;
    row.name->setText(codes[i].name);
    row.digest->setText(codes[i].key.isEmpty() ? tr("Calculating the SHA-256…")
                                               : tr("SHA-256 %1").arg(codes[i].sha256));
  }
  m_check->setText(several ? tr("I t&rust all these files: run their code") : tr("I t&rust this file: run its code"));
  m_check->setAccessibleName(plainLine(m_check->text().remove(QLatin1Char('&'))));
  m_check->setVisible(!agreed);
}

bool RunConsent::isGiven() const { return m_check->isChecked(); }

ConsentDialog::ConsentDialog(const QString& title, const QString& words, const std::vector<ExecutedCode>& codes,
                             const QString& file, QWidget* parent)
    : QDialog(parent) {
  setWindowTitle(plainLine(title));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->setSpacing(12);
  auto* const sentence = new ThemeLabel(words, TextRole::Body, Role::Text, this);
  sentence->setWordWrap(true);
  layout->addWidget(sentence);
  auto* const consent = new RunConsent(this);
  consent->setCodes(codes, false, file, false);
  layout->addWidget(consent);
  layout->addStretch();
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  QPushButton* const run = buttons->addButton(title, QDialogButtonBox::AcceptRole);
  run->setDefault(true);
  run->setEnabled(false);
  connect(consent, &RunConsent::toggled, this, [run, consent] { run->setEnabled(consent->isGiven()); });
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  setMinimumWidth(560);
}

} // namespace blobscope::ui
