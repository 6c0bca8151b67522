#include "ui/pages/grid_page.h"

#include "core/base/text.h"
#include "core/edit/rules.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/charts/plot_view.h"
#include "ui/widgets/grid/heat_map_view.h"
#include "ui/widgets/grid/value_grid.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/scroll_area.h"
#include "ui/widgets/tool_button.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kGridNarrow = 640, kGridTableOnly = 420; ///< widths of the page below which pictures move or go
constexpr int kGridTwoColumns = 420;                   ///< width of the statistics with room for two columns
constexpr quint32 kGridImageSide = 1024;

/// What the page keeps when it is made again after a change.
class GridState : public PageState {
public:
  view::GridSlice slice;
  uint64_t row = 0, column = 0;
  view::GridRegion shown;
  GridLook look = GridLook::Plain;
  bool lookChosen = false, exact = false;
  HeatMapView::Place place;
  QByteArray pictures, all;
};

bool isTensorPart(const Ref& node) {
  if (node.kind == Ref::Kind::Param) return true;
  return node.kind == Ref::Kind::Module && (node.partKind() == PartKind::Const || node.partKind() == PartKind::Param);
}

/// Places all values of the slice that `axes` are the image of.
view::GridSlice imageSlice(const view::GridImageAxes& axes, std::vector<uint64_t> at) {
  at[axes.channels] = 0;
  return {{axes.rows}, {axes.columns}, std::move(at)};
}

} // namespace

GridPage::GridPage(const view::GridPage& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_page(page), m_jobs(context.jobs), m_node(context.node),
      m_tag(QStringLiteral("grid/%1/").arg(reinterpret_cast<quintptr>(this))),
      m_imageAxes(view::imageAxesOf(page.shape)),
      m_controls(new GridControls(page.shape, m_imageAxes.has_value(), this)), m_heat(new HeatMapView(this)),
      m_values(new ValueGrid(this)), m_pictures(new QSplitter(Qt::Horizontal, this)),
      m_all(new QSplitter(Qt::Vertical, this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_controls);
  m_pictures->addWidget(makeHeatSide());
  m_pictures->addWidget(makeStatistics());
  m_pictures->setStretchFactor(0, 3);
  m_pictures->setStretchFactor(1, 2);
  m_pictures->setSizes({520, 360});
  m_all->addWidget(m_pictures);
  m_all->addWidget(m_values);
  m_all->setStretchFactor(0, 3);
  m_all->setStretchFactor(1, 1);
  m_all->setSizes({480, 170});
  m_all->setChildrenCollapsible(false);
  layout->addWidget(m_all, 1);
  layout->addWidget(makeSummaryLine());
  makeTools();
  setFocusProxy(m_values);
  for (const PageContext::ChangedValue& one : context.changedValues) {
    const auto element = view::elementOf(one.index, m_page.shape);
    if (element) m_before.emplace_back(*element, one.before);
  }
  const bool editable = m_page.nearest && isTensorPart(m_node) && context.package &&
                        !edit::canEdit(*context.package, m_node, edit::Operation::Replace);
  if (editable) m_values->setNearest(m_page.nearest);
  QHash<quint64, QString> before;
  for (const auto& [index, text] : m_before) before.insert(index, toQt(text));
  m_values->setChanged(std::move(before));
  const bool pictures = m_page.summarize != nullptr;
  m_pictures->setVisible(pictures);
  connectViews();
  setSlice(view::slicesOf(m_page.shape).front());
  if (pictures) summarize(false);
}

GridPage::~GridPage() {
  for (const char* const what : {"summary", "heat", "image"}) m_jobs.cancel(tag(what));
}

// --- making

QWidget* GridPage::makeHeatSide() {
  auto* const side = new QWidget(this);
  auto* const layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const head = new QHBoxLayout;
  head->setContentsMargins(12, 8, 12, 2);
  m_heatTitle = new ThemeLabel({}, TextRole::Heading, Role::Text, side);
  m_heatTitle->setElided();
  m_heatNote = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, side);
  head->addWidget(m_heatTitle, 1);
  head->addWidget(m_heatNote);
  layout->addLayout(head);
  layout->addWidget(m_heat, 1);
  return side;
}

QWidget* GridPage::makeStatistics() {
  auto* const side = new QWidget(this);
  auto* const layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(0);
  m_histogram = new PlotView(side);
  layout->addWidget(m_histogram, 3);
  m_readAll = new LinkButton(tr("Read all values"), side);
  auto* const links = new QHBoxLayout;
  links->setContentsMargins(12, 0, 12, 4);
  links->addWidget(m_readAll);
  links->addStretch();
  layout->addLayout(links);
  m_readAll->hide();
  auto* const scroll = new ScrollArea(side);
  scroll->setAccessibleName(tr("Statistics"));
  m_statistics = new QWidget;
  m_statistics->setBackgroundRole(QPalette::Base);
  m_statistics->setAutoFillBackground(true);
  m_facts = new QGridLayout(m_statistics);
  m_facts->setContentsMargins(12, 8, 12, 8);
  m_facts->setHorizontalSpacing(12);
  m_facts->setVerticalSpacing(4);
  m_facts->setColumnStretch(1, 1);
  m_facts->setColumnStretch(3, 1);
  scroll->setWidget(m_statistics);
  scroll->setWidgetResizable(true);
  layout->addWidget(new Rule(Qt::Horizontal, side));
  layout->addWidget(scroll, 2);
  scroll->installEventFilter(this);
  return side;
}

QWidget* GridPage::makeSummaryLine() {
  auto* const line = new QWidget(this);
  line->setFixedHeight(metrics::rowHeight() + 4);
  auto* const layout = new QHBoxLayout(line);
  layout->setContentsMargins(12, 0, 12, 0);
  QStringList words;
  words << toQt(m_page.type) + QLatin1Char(' ') + toQt(view::placeText(m_page.shape));
  // A tensor whose bytes do not fit its shape says so first.
  for (const auto& [label, value] : m_page.facts)
    if (label == "bytes" || (label == "stored bytes" && value.find(';') != std::string::npos)) words << toQt(value);
  m_line = new ThemeLabel(words.join(QStringLiteral("   ·   ")), TextRole::Secondary, Role::Secondary, line);
  m_line->setElided();
  m_part = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, line);
  layout->addWidget(m_line, 1);
  layout->addWidget(m_part);
  return line;
}

void GridPage::makeTools() {
  m_tools = new QWidget(this);
  auto* const row = new QHBoxLayout(m_tools);
  row->setContentsMargins(0, 0, 0, 0);
  m_goTo = new QLineEdit(m_tools);
  m_goTo->setPlaceholderText(tr("Go to index"));
  m_goTo->setAccessibleName(tr("Go to index"));
  m_goTo->setToolTip(plainTip(tr("An index for each axis, such as 5, 7, 1, or the number of a value")));
  m_goTo->setMaximumWidth(130);
  row->addWidget(m_goTo);
  connect(m_goTo, &QLineEdit::returnPressed, this, &GridPage::goTo);
  row->addWidget(
      toolButton(QStringLiteral("copy"), tr("Copy the selected values"), m_tools, [this] { m_values->copy(); }));
  m_tools->hide();
}

void GridPage::connectViews() {
  connect(m_controls, &GridControls::sliceChosen, this, &GridPage::setSlice);
  connect(m_controls, &GridControls::lookChosen, this, [this](GridLook look) { setLook(look, true); });
  connect(m_controls, &GridControls::zoomRequested, m_heat, &HeatMapView::zoom);
  connect(m_controls, &GridControls::showAllRequested, m_heat, &HeatMapView::showAll);
  connect(m_heat, &HeatMapView::zoomed, this, [this] { m_controls->setMagnification(m_heat->magnification()); });
  connect(m_heat, &HeatMapView::regionNeeded, this, &GridPage::readHeat);
  connect(m_heat, &HeatMapView::chosen, this, [this](quint64 row, quint64 column) {
    m_values->setCurrent(row, column);
    choose(row, column);
  });
  connect(m_heat, &HeatMapView::activated, this, [this] {
    m_values->setFocus();
    m_values->startEditing();
  });
  connect(m_values, &ValueGrid::chosen, this, [this](quint64 row, quint64 column) {
    m_heat->setCurrent(row, column);
    choose(row, column);
  });
  connect(m_values, &ValueGrid::scrolled, this, &GridPage::updateFrame);
  connect(m_values, &ValueGrid::message, this, &PageWidget::message);
  connect(m_values, &ValueGrid::entered, this, [this](const QVector<ValueGrid::Entered>& values) {
    std::vector<edit::SetValue> out;
    for (const ValueGrid::Entered& one : values)
      out.push_back({{m_node, {}}, view::placeOf(one.index, m_page.shape), fromQt(one.text)});
    Q_EMIT valuesEdited(out);
  });
  connect(m_readAll, &LinkButton::clicked, this, [this] { summarize(true); });
  connect(&m_jobs, &Jobs::finished, this, [this](const QString& finished) {
    // A cancelled job leaves what is there, and the link to try again.
    if (finished == tag("summary") && m_exact && m_summary && m_summary->isSampled()) m_readAll->setEnabled(true);
  });
}

// --- what is shown

void GridPage::setSlice(const view::GridSlice& slice) {
  if (!view::GridMap::fits(m_page.shape, slice)) return;
  m_map = std::make_shared<const view::GridMap>(m_page.shape, slice);
  m_jobs.cancel(tag("heat"));
  m_jobs.cancel(tag("image"));
  const bool stillImage = m_look == GridLook::Image && m_imageAxes && slice.rows == std::vector{m_imageAxes->rows} &&
                          slice.columns == std::vector{m_imageAxes->columns};
  m_controls->setSlice(m_map->slice());
  if (m_look == GridLook::Image && !stillImage)
    setLook(m_summary && m_summary->isSigned() ? GridLook::Signed : GridLook::Plain, false);
  m_values->setSlice(m_page.values, m_map);
  m_heat->setSlice(m_page.values, m_map);
  const auto title = [&](const std::vector<std::size_t>& axes) {
    return axes.empty() ? QString() : GridControls::axesText(axes, m_page.shape);
  };
  const QString rows = slice.rows.empty() && m_map->rows() > 1 ? tr("rows of %1").arg(m_map->columns())
                                                               : title(slice.rows),
                columns = title(slice.columns);
  m_heat->setTitles(rows, columns);
  m_heatTitle->setText(rows.isEmpty() ? columns : tr("%1 × %2").arg(rows, columns));
  if (stillImage) readImage();
  updateFrame();
}

void GridPage::setLook(GridLook look, bool byUser) {
  m_look = look;
  m_lookChosen = m_lookChosen || byUser;
  m_controls->setLook(look);
  if (look == GridLook::Image) {
    const view::GridSlice slice = imageSlice(*m_imageAxes, m_map->slice().at);
    if (m_map->slice() == slice)
      readImage();
    else
      setSlice(slice);
    return;
  }
  m_jobs.cancel(tag("image"));
  if (byUser) m_heat->setImage(nullptr);
  if (!m_summary) return;
  auto [low, high] = m_summary->limits();
  if (look == GridLook::Signed && -low != high) low = -(high = std::max(std::abs(low), std::abs(high)));
  const GridColors colors{look == GridLook::Signed, low, high};
  m_heat->setColors(colors);
  m_values->setColors(colors);
}

void GridPage::summarize(bool exact) {
  m_exact = exact;
  m_readAll->setEnabled(!exact);
  m_jobs.start<view::GridSummary>(
      tag("summary"), [make = m_page.summarize, exact](Monitor& monitor) { return make(exact, monitor); },
      [guard = QPointer<GridPage>(this)](Result<view::GridSummary> summary) {
        if (!guard || !summary) return;
        guard->m_summary = std::move(*summary);
        guard->showSummary();
      });
  if (exact) m_heat->showAll();
}

void GridPage::showSummary() {
  if (!m_lookChosen && m_look != GridLook::Image) m_look = m_summary->isSigned() ? GridLook::Signed : GridLook::Plain;
  if (m_look != GridLook::Image) setLook(m_look, false);
  m_histogram->setPlot(m_summary->histogram);
  m_histogram->setVisible(!m_summary->histogram.series.empty());
  m_readAll->setVisible(m_summary->isSampled());
  fillFacts();
}

void GridPage::fillFacts() {
  if (!m_summary) return;
  while (QLayoutItem* const item = m_facts->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const auto& facts = m_summary->facts;
  const int count = static_cast<int>(facts.size()), half = (count + m_factColumns - 1) / m_factColumns;
  for (int row = 0; row <= count; ++row) m_facts->setRowStretch(row, row == half ? 1 : 0);
  for (int i = 0; i < count; ++i) {
    const auto& [label, value] = facts[static_cast<std::size_t>(i)];
    const int row = i % half, column = i / half * 2;
    auto* const name = new ThemeLabel(coreText(label), TextRole::Secondary, Role::Secondary, m_statistics);
    auto* const text = new ThemeLabel(toQt(value), TextRole::Body, Role::Text, m_statistics);
    text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setAccessibleName(plainLine(coreText(label) + QStringLiteral(": ") + toQt(value)));
    m_facts->addWidget(name, row, column);
    m_facts->addWidget(text, row, column + 1);
  }
}

void GridPage::readHeat(const view::GridRegion& region, quint32 rows, quint32 columns) {
  if (!m_page.summarize) return;
  m_needsHeat = true;
  m_jobs.start<view::HeatMap>(
      tag("heat"),
      [source = m_page.values, map = m_map, region, rows, columns, exact = m_exact](Monitor& monitor) {
        return view::computeHeatMap(*source, *map, region, rows, columns, exact, monitor);
      },
      [guard = QPointer<GridPage>(this)](Result<view::HeatMap> heat) {
        if (!guard || !heat) return;
        guard->m_needsHeat = false;
        guard->m_heat->setHeat(std::make_shared<const view::HeatMap>(std::move(*heat)));
        guard->updateFrame();
      });
}

void GridPage::readImage() {
  m_jobs.start<view::GridImage>(
      tag("image"),
      [source = m_page.values, shape = m_page.shape, axes = *m_imageAxes, at = m_map->slice().at](Monitor& monitor) {
        return view::computeImage(*source, shape, axes, at, kGridImageSide, monitor);
      },
      [guard = QPointer<GridPage>(this)](Result<view::GridImage> image) {
        if (!guard || !image || guard->m_look != GridLook::Image) return;
        guard->m_needsHeat = false;
        guard->m_heat->setImage(std::make_shared<const view::GridImage>(std::move(*image)));
      });
}

bool GridPage::isReady() const {
  return !m_page.summarize || (m_summary && !m_needsHeat && !m_jobs.isRunning(m_tag + QLatin1String("heat")) &&
                               !m_jobs.isRunning(m_tag + QLatin1String("image")));
}

void GridPage::updateFrame() {
  if (!m_map) return;
  const view::GridRegion shown = m_values->visible();
  m_heat->setFrame(shown);
  const auto number = [](uint64_t value) { return toQt(groupedText(value)); };
  if (shown.rows > 0 && shown.columns > 0)
    m_part->setText(tr("numbers of rows %1–%2, columns %3–%4")
                        .arg(number(shown.row), number(shown.row + shown.rows - 1), number(shown.column),
                             number(shown.column + shown.columns - 1)));
  const bool sampled = m_heat->isSampled();
  m_heatNote->setText(sampled
                          ? tr("sampled: %1 of %2 values read")
                                .arg(number(m_heat->valuesRead()), number(m_map->rows() * m_map->columns()))
                          : tr("%1 × %2 of %3 values")
                                .arg(number(m_map->rows()), number(m_map->columns()), number(m_page.values->stored())));
}

void GridPage::choose(uint64_t row, uint64_t column) {
  const uint64_t index = m_map->index(row, column);
  if (index == view::GridMap::kNone) return;
  const auto changed = std::ranges::find(m_before, index, &std::pair<uint64_t, std::string>::first);
  const std::optional<std::string> before = changed == m_before.end() ? std::nullopt : std::optional(changed->second);
  Q_EMIT selectionText(tr("Selected %1").arg(toQt(view::placeText(m_map->place(row, column)))));
  Q_EMIT detailsChanged(view::gridDetails(m_page, index, before));
  updateFrame();
}

bool GridPage::goToPlace(const std::vector<uint64_t>& place) {
  if (!view::elementOf(place, m_page.shape)) return false;
  auto found = m_map->find(place);
  if (!found) {
    view::GridSlice slice = m_map->slice();
    slice.at = place;
    setSlice(slice);
    found = m_map->find(place);
  }
  if (!found) return false;
  m_values->setCurrent(found->first, found->second);
  m_heat->setCurrent(found->first, found->second);
  choose(found->first, found->second);
  return true;
}

void GridPage::goTo() {
  QString text = m_goTo->text().trimmed();
  text.remove(QLatin1Char('[')).remove(QLatin1Char(']'));
  std::vector<uint64_t> place;
  bool valid = true;
  const QStringList parts = text.split(QLatin1Char(','));
  for (const QString& part : parts) {
    bool number = false;
    place.push_back(part.trimmed().toULongLong(&number));
    valid = valid && number;
  }
  // One number counts all values.
  if (valid && place.size() == 1 && m_page.shape.size() > 1 && place[0] < m_page.values->stored())
    place = view::placeOf(place[0], m_page.shape);
  if (valid && goToPlace(place)) {
    Q_EMIT message({});
    m_values->setFocus();
    return;
  }
  Q_EMIT message(tr("There is no value with this index; the shape is %1.").arg(toQt(view::placeText(m_page.shape))));
}

void GridPage::openGoTo() {
  m_goTo->setFocus();
  m_goTo->selectAll();
}

bool GridPage::editSelection() { return m_values->startEditing(); }

std::unique_ptr<PageState> GridPage::saveState() const {
  auto out = std::make_unique<GridState>();
  out->slice = m_map->slice();
  std::tie(out->row, out->column) = m_values->current();
  out->shown = m_values->visible();
  out->look = m_look;
  out->lookChosen = m_lookChosen;
  out->exact = m_exact;
  out->place = m_heat->place();
  out->pictures = m_pictures->saveState();
  out->all = m_all->saveState();
  return out;
}

void GridPage::restoreState(const PageState& state) {
  const auto* const kept = dynamic_cast<const GridState*>(&state);
  if (!kept || !view::GridMap::fits(m_page.shape, kept->slice)) return;
  m_pictures->restoreState(kept->pictures);
  m_all->restoreState(kept->all);
  m_lookChosen = kept->lookChosen;
  setSlice(kept->slice);
  if (kept->lookChosen) setLook(kept->look, false);
  if (kept->exact && m_page.summarize) summarize(true);
  m_heat->setPlace(kept->place);
  m_values->scrollTo(kept->shown.row, kept->shown.column);
  m_values->setCurrent(kept->row, kept->column);
  m_heat->setCurrent(kept->row, kept->column);
  choose(kept->row, kept->column);
}

bool GridPage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    const int columns = static_cast<QWidget*>(watched)->width() < kGridTwoColumns ? 1 : 2;
    if (columns != std::exchange(m_factColumns, columns)) fillFacts();
  }
  return PageWidget::eventFilter(watched, event);
}

void GridPage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  m_pictures->setOrientation(width() < kGridNarrow && height() > width() ? Qt::Vertical : Qt::Horizontal);
  m_pictures->setVisible(m_page.summarize && width() >= kGridTableOnly);
}

} // namespace blobscope::ui
