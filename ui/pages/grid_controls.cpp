#include "ui/pages/grid_controls.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>
#include <QSpinBox>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kControlHeight = 28;

ThemeLabel* smallLabel(const QString& text, QWidget* parent) {
  return new ThemeLabel(text, TextRole::Secondary, Role::Secondary, parent);
}

/// A group of widgets that stays on one line.
QHBoxLayout* groupIn(QWidget* parent, QWidget*& group) {
  group = new QWidget(parent);
  auto* const layout = new QHBoxLayout(group);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  return layout;
}

} // namespace

QString GridControls::axesText(const std::vector<std::size_t>& axes, const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  QStringList numbers;
  for (const std::size_t axis : axes) {
    count *= shape[axis];
    numbers << QString::number(axis);
  }
  const bool run = axes.size() > 2 && axes.back() - axes.front() + 1 == axes.size();
  const QString names =
      run ? QStringLiteral("%1–%2").arg(numbers.first(), numbers.last()) : numbers.join(QStringLiteral(", "));
  const QString extent = toQt(groupedText(count));
  return axes.size() == 1 ? tr("axis %1 (%2)").arg(names, extent) : tr("axes %1 (%2)").arg(names, extent);
}

GridControls::GridControls(std::vector<uint64_t> shape, bool hasImage, QWidget* parent)
    : QWidget(parent), m_shape(std::move(shape)) {
  auto* const margins = new QHBoxLayout(this);
  margins->setContentsMargins(12, 6, 12, 7);
  auto* const content = new QWidget(this);
  margins->addWidget(content);
  auto* const layout = new FlowLayout(16, 6, content);
  for (std::size_t axis = 0; axis < m_shape.size(); ++axis) m_choices.push_back({axis});
  for (const view::GridSlice& slice : view::slicesOf(m_shape))
    for (const auto& axes : {slice.rows, slice.columns})
      if (axes.size() > 1 && std::ranges::find(m_choices, axes) == m_choices.end()) m_choices.push_back(axes);

  QWidget* group = nullptr;
  QHBoxLayout* row = groupIn(content, group);
  const auto combo = [&](const QString& label, const QString& name) {
    auto* const box = new QComboBox(group);
    box->setAccessibleName(plainLine(name));
    box->setFixedHeight(kControlHeight);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(smallLabel(label, group));
    row->addWidget(box);
    return box;
  };
  m_rows = combo(tr("Rows"), tr("Axis of the rows"));
  m_columns = combo(tr("Columns"), tr("Axis of the columns"));
  group->setVisible(m_shape.size() > 1);
  layout->addWidget(group);
  connect(m_rows, &QComboBox::activated, this, [this](int index) { chooseAxes(true, index); });
  connect(m_columns, &QComboBox::activated, this, [this](int index) { chooseAxes(false, index); });

  row = groupIn(content, m_fixed);
  m_fixedLayout = row;
  layout->addWidget(m_fixed);

  row = groupIn(content, group);
  m_fold = new QSpinBox(group);
  m_fold->setRange(1, 65'536);
  m_fold->setFixedHeight(kControlHeight);
  m_fold->setAccessibleName(tr("Values per row"));
  m_fold->setKeyboardTracking(false);
  row->addWidget(smallLabel(tr("Values per row"), group));
  row->addWidget(m_fold);
  connect(m_fold, &QSpinBox::valueChanged, this, [this](int count) {
    m_slice.fold = static_cast<uint64_t>(count);
    Q_EMIT sliceChosen(m_slice);
  });
  group->setObjectName(QStringLiteral("fold"));
  layout->addWidget(group);

  row = groupIn(content, group);
  m_look = new QComboBox(group);
  m_look->setAccessibleName(tr("Colours"));
  m_look->setFixedHeight(kControlHeight);
  m_look->addItem(tr("Signed colours"), static_cast<int>(GridLook::Signed));
  m_look->addItem(tr("Plain colours"), static_cast<int>(GridLook::Plain));
  if (hasImage) m_look->addItem(tr("Image"), static_cast<int>(GridLook::Image));
  row->addWidget(m_look);
  connect(m_look, &QComboBox::activated, this,
          [this] { Q_EMIT lookChosen(static_cast<GridLook>(m_look->currentData().toInt())); });
  const auto step = [&](const QString& sign, const QString& name, int by) {
    auto* const button = new QToolButton(group);
    button->setText(sign);
    button->setAutoRaise(true);
    button->setAccessibleName(plainLine(name));
    button->setToolTip(plainTip(name));
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, [this, by] { Q_EMIT zoomRequested(by); });
    row->addWidget(button);
  };
  step(QStringLiteral("−"), tr("Zoom out"), -1);
  m_zoom = smallLabel({}, group);
  m_zoom->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("9,999 ×")));
  m_zoom->setAlignment(Qt::AlignCenter);
  row->addWidget(m_zoom);
  step(QStringLiteral("+"), tr("Zoom in"), 1);
  auto* const all = new QToolButton(group);
  all->setText(tr("Show all"));
  all->setAutoRaise(true);
  all->setFocusPolicy(Qt::TabFocus);
  connect(all, &QToolButton::clicked, this, &GridControls::showAllRequested);
  row->addWidget(all);
  layout->addWidget(group);
  setMagnification(1);
}

void GridControls::setMagnification(double times) {
  m_zoom->setText(tr("%1 ×").arg(QLocale(QLocale::English).toString(times, 'g', times < 10 ? 2 : 4)));
}

void GridControls::hideLooks() { m_look->hide(); }

void GridControls::setLook(GridLook look) { m_look->setCurrentIndex(m_look->findData(static_cast<int>(look))); }

void GridControls::setSlice(const view::GridSlice& slice) {
  m_slice = slice;
  m_slice.at.resize(m_shape.size(), 0);
  fillAxes();
  fillFixed();
  const bool folds = m_slice.rows.empty() && !m_shape.empty();
  findChild<QWidget*>(QStringLiteral("fold"))->setVisible(folds);
  const QSignalBlocker quiet(m_fold);
  if (folds) m_fold->setValue(static_cast<int>(m_slice.fold > 0 ? m_slice.fold : m_shape[m_slice.columns.front()]));
}

void GridControls::fillAxes() {
  for (QComboBox* const box : {m_rows, m_columns}) {
    const QSignalBlocker quiet(box);
    box->clear();
    const std::vector<std::size_t>& axes = box == m_rows ? m_slice.rows : m_slice.columns;
    if (axes.empty()) box->addItem(tr("none"), -1);
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
      box->addItem(axesText(m_choices[i], m_shape), static_cast<int>(i));
      if (m_choices[i] == axes) box->setCurrentIndex(box->count() - 1);
    }
  }
}

void GridControls::fillFixed() {
  while (QLayoutItem* const item = m_fixedLayout->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  constexpr std::size_t kMostShown = 8;
  std::size_t shown = 0;
  for (std::size_t axis = 0; axis < m_shape.size() && shown < kMostShown; ++axis) {
    if (m_shape[axis] <= 1 || std::ranges::count(m_slice.rows, axis) + std::ranges::count(m_slice.columns, axis) > 0)
      continue;
    if (shown++ == 0) m_fixedLayout->addWidget(smallLabel(tr("At"), m_fixed));
    auto* const box = new QSpinBox(m_fixed);
    box->setPrefix(tr("axis %1: ").arg(axis));
    box->setRange(0, static_cast<int>(std::min<uint64_t>(m_shape[axis] - 1, INT_MAX)));
    box->setValue(static_cast<int>(m_slice.at[axis]));
    box->setFixedHeight(kControlHeight);
    // The size hint of spin boxes is too small for their prefix in this style.
    box->setMinimumWidth(box->fontMetrics().horizontalAdvance(box->prefix() + QString::number(box->maximum())) + 44);
    box->setKeyboardTracking(false);
    box->setAccessibleName(plainLine(tr("Index on axis %1").arg(axis)));
    connect(box, &QSpinBox::valueChanged, this, [this, axis](int index) {
      m_slice.at[axis] = static_cast<uint64_t>(index);
      Q_EMIT sliceChosen(m_slice);
    });
    m_fixedLayout->addWidget(box);
  }
  m_fixed->setVisible(shown > 0);
}

/// The other side changes when it has one of the chosen axes.
void GridControls::chooseAxes(bool rows, int index) {
  const int number = (rows ? m_rows : m_columns)->itemData(index).toInt();
  if (number < 0) return;
  const std::vector<std::size_t>& axes = m_choices[static_cast<std::size_t>(number)];
  std::vector<std::size_t>& chosen = rows ? m_slice.rows : m_slice.columns;
  std::vector<std::size_t>& other = rows ? m_slice.columns : m_slice.rows;
  const auto meets = [&](const std::vector<std::size_t>& some) {
    return std::ranges::any_of(some, [&](std::size_t axis) { return std::ranges::count(axes, axis) > 0; });
  };
  const std::vector<std::size_t> before = chosen;
  chosen = axes;
  m_slice.fold = 0;
  if (other.empty() || meets(other)) {
    other.clear();
    if (!before.empty() && !meets(before)) other = before;
    for (const auto& choice : m_choices)
      if (other.empty() && !meets(choice)) other = choice;
    // Rows without columns would be a column of pixels.
    if (m_slice.columns.empty()) std::swap(m_slice.rows, m_slice.columns);
  }
  const view::GridSlice slice = m_slice;
  setSlice(slice);
  Q_EMIT sliceChosen(slice);
}

void GridControls::paintEvent(QPaintEvent*) { paintBar(*this, Role::Window); }

} // namespace blobscope::ui
