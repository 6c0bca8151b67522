#include "ui/pages/plan_sliders.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"

#include <QGridLayout>
#include <QLocale>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace blobscope::ui {
namespace {

constexpr std::size_t kMostRows = 12; ///< others keep their values

/// The positions of a slider: 1, 2, 4 … and the largest value.
int lastPosition(qint64 most) {
  return static_cast<int>(std::bit_width(static_cast<quint64>(std::max<qint64>(1, most - 1))));
}
qint64 valueAt(int position, qint64 most) { return std::min(most, qint64{1} << std::clamp(position, 0, 62)); }
/// The nearest position that is not above the value.
int positionOf(qint64 value, qint64 most) {
  if (value >= most) return lastPosition(most);
  return value <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<quint64>(value))) - 1;
}

} // namespace

PlanSliders::PlanSliders(QWidget* parent) : QWidget(parent) {}

void PlanSliders::setSymbols(const std::vector<view::PlanPage::Symbol>& symbols) {
  const std::size_t count = std::min(symbols.size(), kMostRows);
  const bool same =
      m_grid && m_rows.size() == count &&
      std::equal(m_rows.begin(), m_rows.end(), symbols.begin(),
                 [](const Row& row, const view::PlanPage::Symbol& symbol) { return row.name == toQt(symbol.name); });
  if (!same) {
    qDeleteAll(findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    delete m_grid;
    m_rows.clear();
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(0, 0, 10, 0);
    m_grid->setHorizontalSpacing(12);
    m_grid->setVerticalSpacing(2);
    m_grid->setColumnStretch(0, 1);
    for (std::size_t i = 0; i < count; ++i) addRow(symbols[i], static_cast<int>(i));
    if (symbols.empty())
      m_grid->addWidget(new ThemeLabel(tr("Its sizes are fixed."), TextRole::Secondary, Role::Secondary, this), 0, 0);
    m_grid->setRowStretch(2 * static_cast<int>(std::max<std::size_t>(count, 1)), 1);
  }
  for (std::size_t i = 0; i < count; ++i) show(m_rows[i], symbols[i]);
}

void PlanSliders::addRow(const view::PlanPage::Symbol& symbol, int at) {
  Row row;
  row.name = toQt(symbol.name);
  auto* const label = new ThemeLabel(row.name, TextRole::Body, Role::Text, this);
  label->setElided();
  label->setToolTip(plainTip(row.name + QStringLiteral(": ") + toQt(symbol.note)));
  m_grid->addWidget(label, 2 * at, 0);
  row.note = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this);
  row.note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_grid->addWidget(row.note, 2 * at, 1, 1, 2);
  row.slider = new QSlider(Qt::Horizontal, this);
  row.slider->setMinimumWidth(60);
  row.slider->setPageStep(1);
  row.slider->setAccessibleName(plainLine(row.name));
  row.slider->setToolTip(plainTip(toQt(symbol.note)));
  m_grid->addWidget(row.slider, 2 * at + 1, 0, 1, 2);
  row.box = new QSpinBox(this);
  row.box->setLocale(QLocale(QLocale::English));
  row.box->setGroupSeparatorShown(true);
  row.box->setButtonSymbols(QAbstractSpinBox::NoButtons);
  row.box->setRange(0, INT32_MAX);
  row.box->setKeyboardTracking(false);
  row.box->setAlignment(Qt::AlignRight);
  row.box->setFixedWidth(82);
  row.box->setAccessibleName(plainLine(row.name));
  m_grid->addWidget(row.box, 2 * at + 1, 2);
  m_rows.push_back(row);
  connect(row.slider, &QSlider::valueChanged, this, [this, at](int position) {
    Row& moved = m_rows[static_cast<std::size_t>(at)];
    const qint64 value = valueAt(position, moved.most);
    const QSignalBlocker quiet(moved.box);
    moved.box->setValue(static_cast<int>(std::min<qint64>(value, INT32_MAX)));
    Q_EMIT changed(moved.name, value);
  });
  connect(row.box, &QSpinBox::valueChanged, this, [this, at](int value) {
    Row& moved = m_rows[static_cast<std::size_t>(at)];
    const QSignalBlocker quiet(moved.slider);
    moved.slider->setValue(positionOf(value, moved.most));
    Q_EMIT changed(moved.name, value);
  });
}

void PlanSliders::show(Row& row, const view::PlanPage::Symbol& symbol) {
  const QSignalBlocker quietSlider(row.slider), quietBox(row.box);
  row.most = std::max<qint64>(1, symbol.most);
  row.slider->setRange(0, lastPosition(row.most));
  const qint64 value = symbol.value.value_or(0);
  row.slider->setValue(positionOf(value, row.most));
  // The user may be typing in the box.
  if (!row.box->hasFocus() || row.box->value() != value)
    row.box->setValue(static_cast<int>(std::clamp<qint64>(value, 0, INT32_MAX)));
  row.box->setSpecialValueText(symbol.value ? QString() : tr("not known"));
  const QString most = toQt(groupedText(static_cast<uint64_t>(row.most)));
  row.note->setText(symbol.planned ? tr("1 to %1, planned for").arg(most) : tr("1 to %1").arg(most));
  const bool above = symbol.planned && symbol.value.value_or(0) > symbol.most;
  row.note->setRole(above ? Role::Warning : Role::Secondary);
}

QSlider* PlanSliders::slider(const QString& name) const {
  const auto row = std::ranges::find(m_rows, name, &Row::name);
  return row == m_rows.end() ? nullptr : row->slider;
}

QSpinBox* PlanSliders::box(const QString& name) const {
  const auto row = std::ranges::find(m_rows, name, &Row::name);
  return row == m_rows.end() ? nullptr : row->box;
}

} // namespace blobscope::ui
