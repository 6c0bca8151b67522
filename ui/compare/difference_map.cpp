#include "ui/compare/difference_map.h"

#include "core/base/text.h"
#include "core/payloads/tensor/tensor_pages.h"
#include "ui/pages/grid_controls.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/grid/heat_map_view.h"
#include "ui/widgets/labels.h"

#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kDifferenceMapHeight = 360;

} // namespace

DifferenceMap::DifferenceMap(Jobs& jobs, const payloads::Tensor& a, const payloads::Tensor& b,
                             const diff::TensorDiff& numbers, QWidget* parent)
    : QWidget(parent), m_jobs(jobs), m_tag(QStringLiteral("difference/%1").arg(reinterpret_cast<quintptr>(this))),
      m_shape(payloads::gridShape(a)), m_source(diff::differenceGrid(a, b)),
      m_controls(new GridControls(m_shape, false, this)), m_view(new HeatMapView(this)),
      m_note(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(m_controls);
  layout->addWidget(m_note);
  layout->addWidget(m_view);
  m_view->setFixedHeight(kDifferenceMapHeight);
  m_view->setShowsExtremes(true);
  m_view->setAccessibleName(tr("Differences as colours"));
  m_controls->hideLooks();
  // A few large differences do not hide the others.
  constexpr double kDeviations = 4;
  const double limit = std::min(numbers.maxAbsolute, kDeviations * numbers.rootMeanSquare);
  const double shown = limit > 0 ? limit : 1;
  m_view->setColors({true, -shown, shown});
  connect(m_controls, &GridControls::sliceChosen, this, &DifferenceMap::setSlice);
  connect(m_controls, &GridControls::zoomRequested, m_view, &HeatMapView::zoom);
  connect(m_controls, &GridControls::showAllRequested, m_view, &HeatMapView::showAll);
  connect(m_view, &HeatMapView::zoomed, this, [this] { m_controls->setMagnification(m_view->magnification()); });
  connect(m_view, &HeatMapView::regionNeeded, this, &DifferenceMap::read);
  // The part with the largest difference.
  view::GridSlice slice = view::slicesOf(m_shape).front();
  if (view::elementOf(numbers.maxAbsoluteAt.at, m_shape)) slice.at = numbers.maxAbsoluteAt.at;
  setSlice(slice);
  if (const auto at = m_map->find(numbers.maxAbsoluteAt.at)) m_view->setCurrent(at->first, at->second);
}

DifferenceMap::~DifferenceMap() { m_jobs.cancel(m_tag); }

void DifferenceMap::setSlice(const view::GridSlice& slice) {
  if (!view::GridMap::fits(m_shape, slice)) return;
  m_map = std::make_shared<const view::GridMap>(m_shape, slice);
  m_jobs.cancel(m_tag);
  m_controls->setSlice(m_map->slice());
  m_view->setSlice(m_source, m_map);
  m_view->setTitles(slice.rows.empty() ? QString() : GridControls::axesText(slice.rows, m_shape),
                    slice.columns.empty() ? QString() : GridControls::axesText(slice.columns, m_shape));
}

void DifferenceMap::read(const view::GridRegion& region, quint32 rows, quint32 columns) {
  m_jobs.start<view::HeatMap>(
      m_tag,
      [source = m_source, map = m_map, region, rows, columns](Monitor& monitor) {
        return view::computeHeatMap(*source, *map, region, rows, columns, false, monitor);
      },
      [guard = QPointer<DifferenceMap>(this)](Result<view::HeatMap> heat) {
        if (!guard || !heat) return;
        const auto number = [](uint64_t value) { return toQt(groupedText(value)); };
        guard->m_note->setText(heat->isSampled()
                                   ? tr("Difference B − A; sampled: %1 of %2 values read")
                                         .arg(number(heat->read), number(heat->region.rows * heat->region.columns))
                                   : tr("Difference B − A"));
        guard->m_view->setHeat(std::make_shared<const view::HeatMap>(std::move(*heat)));
        guard->m_ready = true;
      });
}

} // namespace blobscope::ui
