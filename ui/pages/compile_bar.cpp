#include "ui/pages/compile_bar.h"

#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QComboBox>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// For source in a library without images that name one.
QString defaultArchitecture() { return QStringLiteral("sm_80"); }

} // namespace

CompileBar::CompileBar(QWidget* parent)
    : QWidget(parent), m_compiler(new QComboBox(this)), m_architecture(new QComboBox(this)),
      m_flags(new QLineEdit(this)), m_compile(wordButton(QStringLiteral("check"), tr("Compile"), this)),
      m_run(wordButton(QStringLiteral("run"), tr("Run old and new"), this)),
      m_missing(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)),
      m_architectureLabel(new ThemeLabel(tr("Architecture"), TextRole::Secondary, Role::Secondary, this)),
      m_flagsLabel(new ThemeLabel(tr("Flags"), TextRole::Secondary, Role::Secondary, this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 6, 8, 7);
  auto* const parts = new QWidget(this);
  layout->addWidget(parts);
  auto* const row = new FlowLayout(8, 4, parts);
  m_compiler->setAccessibleName(tr("Compiler"));
  m_compiler->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_architecture->setAccessibleName(tr("Architecture"));
  m_architecture->setEditable(true);
  m_architecture->setMinimumContentsLength(10);
  m_architecture->lineEdit()->setAccessibleName(tr("Architecture"));
  m_architecture->setToolTip(plainTip(tr("Such as sm_90 for machine code, or compute_90 for PTX; several, separated "
                                         "by commas, make a fat binary")));
  m_flags->setAccessibleName(tr("Flags"));
  m_flags->setPlaceholderText(tr("Flags"));
  m_flags->setMinimumWidth(120);
  m_compile->setToolTip(tr("Compile the text as it is now (Ctrl+B)"));
  m_compile->setShortcut(Qt::CTRL | Qt::Key_B);
  m_run->setToolTip(tr("Run the file as opened and with the changes on the same inputs (Ctrl+R)"));
  m_run->setShortcut(Qt::CTRL | Qt::Key_R);
  for (QWidget* const part : std::initializer_list<QWidget*>{m_compiler, m_architectureLabel, m_architecture,
                                                             m_flagsLabel, m_flags, m_compile, m_run, m_missing})
    row->addWidget(part);
  m_missing->hide();
  connect(m_compiler, &QComboBox::currentIndexChanged, this, &CompileBar::proposeFlags);
  connect(m_compile, &QToolButton::clicked, this, &CompileBar::compileRequested);
  connect(m_run, &QToolButton::clicked, this, &CompileBar::runRequested);
  connect(m_flags, &QLineEdit::returnPressed, this, &CompileBar::compileRequested);
  connect(m_architecture->lineEdit(), &QLineEdit::returnPressed, this, &CompileBar::compileRequested);
}

void CompileBar::setPlace(const CompilePlace& place) {
  m_compiler->clear();
  QString missing;
  for (const compile::CompilerHere& one : place.compilers) {
    if (one.found)
      m_compiler->addItem(toQt(one.compiler->title), toQt(one.compiler->name));
    else if (missing.isEmpty())
      missing = tr("%1 was not found; it comes with %2.").arg(toQt(one.compiler->title), toQt(one.compiler->source));
  }
  if (place.compilers.empty())
    missing = tr("Blobscope knows no compiler for %1.").arg(toQt(compile::languageName(place.language)));
  const bool found = m_compiler->count() > 0;
  m_missing->setText(found ? QString() : missing);
  m_missing->setVisible(!found);
  m_compiler->setVisible(found);
  const bool isCuda = place.language == compile::Language::Ptx || place.language == compile::Language::CudaCpp;
  m_architecture->clear();
  if (place.language == compile::Language::CudaCpp && place.target.architectures.size() > 1) {
    QStringList all; // as stored: a fat binary
    for (const std::string& one : place.target.architectures) all << toQt(one);
    m_architecture->addItem(all.join(QLatin1String(", ")));
  }
  for (const std::string& one : place.target.architectures) {
    QString name = toQt(one);
    // PTX is compiled to machine code for its own target.
    if (name.startsWith(QLatin1String("compute_")) && place.language == compile::Language::Ptx)
      name.replace(QLatin1String("compute_"), QLatin1String("sm_"));
    m_architecture->addItem(name);
  }
  if (m_architecture->count() == 0) m_architecture->addItem(defaultArchitecture());
  for (QWidget* const part : std::initializer_list<QWidget*>{m_architectureLabel, m_architecture})
    part->setVisible(found && isCuda);
  const bool hasFlags = found && place.language != compile::Language::SpirvAssembly;
  m_flags->setVisible(hasFlags);
  m_flagsLabel->setVisible(hasFlags);
  m_compile->setVisible(found);
  m_recorded = place.target.flags;
  proposeFlags();
}

void CompileBar::proposeFlags() {
  if (m_flags->isModified()) return; // typed by the user
  const auto recorded = m_recorded.find(fromQt(m_compiler->currentData().toString()));
  QStringList words;
  if (recorded != m_recorded.end())
    for (const std::string& flag : recorded->second) words << toQt(flag);
  m_flags->setText(words.join(QLatin1Char(' ')));
}

CompileChoice CompileBar::choice() const {
  CompileChoice out;
  out.compiler = m_compiler->currentData().toString();
  if (!m_architecture->isHidden())
    for (const QString& one : m_architecture->currentText().split(QLatin1Char(','), Qt::SkipEmptyParts))
      out.architectures << one.trimmed();
  if (!m_flags->isHidden()) out.flags = m_flags->text();
  return out;
}

bool CompileBar::canCompile() const { return m_compiler->count() > 0 && m_compile->isEnabled(); }

void CompileBar::paintEvent(QPaintEvent*) { paintBar(*this, Role::Window); }

void CompileBar::setRunning(bool running) { m_compile->setEnabled(!running); }

} // namespace blobscope::ui
