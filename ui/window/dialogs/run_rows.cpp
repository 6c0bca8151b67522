#include "ui/window/dialogs/run_rows.h"

#include "core/base/text.h"
#include "core/run/extent.h"
#include "core/run/kernel.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace blobscope::ui {
namespace {

constexpr int kSizeColumns = 3, kSeconds = 3'600, kMebibytes = 1 << 20;
constexpr std::size_t kSizesShown = 60;

QString extentsText(const std::optional<std::array<uint64_t, 3>>& extents) {
  return extents ? QStringLiteral("%1,%2,%3").arg((*extents)[0]).arg((*extents)[1]).arg((*extents)[2]) : QString();
}

/// Returns the numbers in the line; nullopt for an empty one, and a `problem` for invalid text.
std::optional<std::array<uint64_t, 3>> extentsOf(const QLineEdit& line, QString& problem) {
  QStringList words;
  for (const QString& word : line.text().split(QLatin1Char(','), Qt::SkipEmptyParts)) words << word.trimmed();
  if (words.isEmpty()) return std::nullopt;
  const auto numbers = run::parseExtents(fromQt(words.join(QLatin1Char(','))));
  const bool good = numbers && std::find(numbers->begin(), numbers->end(), 0) == numbers->end();
  if (!good) problem = LaunchRow::tr("%1: enter one to three numbers, such as 4,1,1.").arg(line.accessibleName());
  return good ? numbers : std::nullopt;
}

} // namespace

ThemeLabel* rowLabel(const QString& text, QWidget* buddy, QWidget* parent) {
  auto* const made = new ThemeLabel(text, TextRole::Body, Role::Secondary, parent);
  made->setTextInteractionFlags(Qt::NoTextInteraction);
  made->setBuddy(buddy);
  buddy->setAccessibleName(plainLine(QString(text).remove(QLatin1Char('&'))));
  return made;
}

PathRow::PathRow(const QString& path, const QString& placeholder, const QString& browseName, QWidget* parent)
    : QWidget(parent), m_edit(new QLineEdit(path, this)) {
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  m_edit->setPlaceholderText(placeholder);
  auto* const browse = new QPushButton(tr("Browse…"), this);
  browse->setAutoDefault(false);
  browse->setAccessibleName(plainLine(browseName));
  connect(browse, &QPushButton::clicked, this, &PathRow::browseRequested);
  connect(m_edit, &QLineEdit::textChanged, this, &PathRow::changed);
  layout->addWidget(m_edit, 1);
  layout->addWidget(browse);
}

QString PathRow::path() const { return m_edit->text().trimmed(); }

LaunchRow::LaunchRow(const std::optional<run::KernelRun>& before, QWidget* parent) : QWidget(parent) {
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  const QString extentsTip =
      tr("One to three numbers: x,y,z. If empty, the value from a dry run of the host function is used.");
  struct Field {
    QString objectName, name, tip, text;
  };
  const std::array<Field, 3> fields = {{
      {QStringLiteral("grid"), tr("Grid"), extentsTip, before ? extentsText(before->grid) : QString()},
      {QStringLiteral("block"), tr("Block"), extentsTip, before ? extentsText(before->block) : QString()},
      {QStringLiteral("shared"), tr("Shared memory in bytes"),
       tr("Dynamic shared memory. If empty, the value from a dry run is used."),
       before && before->dynamicShared ? QString::number(*before->dynamicShared) : QString()},
  }};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto* const line = m_lines[i] = new QLineEdit(fields[i].text, this);
    line->setObjectName(fields[i].objectName);
    line->setPlaceholderText(tr("from a dry run"));
    line->setToolTip(plainTip(fields[i].tip));
    line->setAccessibleName(plainLine(fields[i].name));
    connect(line, &QLineEdit::textChanged, this, &LaunchRow::changed);
    layout->addWidget(new ThemeLabel(fields[i].name, TextRole::Secondary, Role::Secondary, this));
    layout->addWidget(line, 1);
  }
}

void LaunchRow::addTo(run::KernelRun& kernel, QString& problem) const {
  kernel.grid = extentsOf(*m_lines[0], problem);
  kernel.block = extentsOf(*m_lines[1], problem);
  const QString shared = m_lines[2]->text().trimmed();
  if (shared.isEmpty()) return;
  kernel.dynamicShared = parseNumber(fromQt(shared));
  if (!kernel.dynamicShared) problem = tr("%1: enter a number.").arg(m_lines[2]->accessibleName());
}

LimitsRow::LimitsRow(const run::RunOptions& before, bool openCl, QWidget* parent) : QWidget(parent) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* const row = new QHBoxLayout;
  m_seconds = new QSpinBox(this);
  m_seconds->setObjectName(QStringLiteral("seconds"));
  m_seconds->setRange(1, kSeconds);
  m_seconds->setSuffix(tr(" s per call"));
  m_seconds->setValue(static_cast<int>(std::min<uint64_t>((before.limits.runMs + 999) / 1'000, kSeconds)));
  m_mebibytes = new QSpinBox(this);
  m_mebibytes->setRange(1, kMebibytes);
  m_mebibytes->setSuffix(tr(" MiB of tensors per call"));
  m_mebibytes->setValue(static_cast<int>(std::min<uint64_t>(before.limits.memoryBytes >> 20, kMebibytes)));
  m_mebibytes->setAccessibleName(tr("Memory limit for the tensors of one call in MiB"));
  row->addWidget(m_seconds);
  row->addWidget(m_mebibytes);
  row->addStretch(1);
  layout->addLayout(row);
  m_widen = new QCheckBox(tr("OpenCL devices &without float16: compute in float32"), this);
  m_widen->setChecked(before.widenHalf);
  m_widen->setVisible(openCl);
  layout->addWidget(m_widen);
}

void LimitsRow::addTo(run::RunOptions& options) const {
  options.limits.runMs = static_cast<uint64_t>(m_seconds->value()) * 1'000;
  options.limits.memoryBytes = static_cast<uint64_t>(m_mebibytes->value()) << 20;
  options.widenHalf = m_widen->isChecked();
}

void SizesRow::setSignature(const host::Signature* signature, const run::Variables& given) {
  m_boxes.clear();
  delete this->layout();
  const auto old = findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
  for (QWidget* const widget : old) delete widget;
  auto* const layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setHorizontalSpacing(8);
  if (!signature) return;
  run::Variables values = run::chooseVariables(*signature, given);
  for (const host::Parameter& parameter : signature->parameters)
    if (parameter.kind == host::Parameter::Kind::Integer && !parameter.name.empty() && !values.contains(parameter.name))
      values[parameter.name] = given.contains(parameter.name) ? given.at(parameter.name) : 1;
  int number = 0;
  for (const auto& [name, value] : values) {
    if (static_cast<std::size_t>(number) == kSizesShown) break;
    auto* const box = new QSpinBox(this);
    box->setRange(0, std::numeric_limits<int>::max());
    box->setValue(static_cast<int>(std::clamp<int64_t>(value, 0, box->maximum())));
    connect(box, &QSpinBox::valueChanged, this, &SizesRow::changed);
    const QString text = nameToQt(name);
    const int row = number / kSizeColumns, column = 2 * (number % kSizeColumns);
    layout->addWidget(rowLabel(plainAction(text), box, this), row, column);
    box->setAccessibleName(plainLine(tr("Size %1").arg(text)));
    layout->addWidget(box, row, column + 1);
    m_boxes.insert(wholeToQt(name), box);
    ++number;
  }
  layout->setColumnStretch(2 * kSizeColumns, 1);
}

run::Variables SizesRow::values() const {
  run::Variables out;
  for (auto one = m_boxes.begin(); one != m_boxes.end(); ++one) out[fromQt(one.key())] = one.value()->value();
  return out;
}

} // namespace blobscope::ui
