#include "ui/pages/size_page.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/graph/treemap.h"
#include "core/view/csv.h"
#include "ui/models/table_model.h"
#include "ui/pages/cell_delegate.h"
#include "ui/pages/kind_look.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/content_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/charts/treemap_view.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/item_menu.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/tool_button.h"

#include <QBoxLayout>
#include <QBuffer>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QPainter>
#include <QPointer>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace blobscope::ui {
namespace {

using view::TreemapPage;
using SizeKind = TreemapPage::Kind;

/// Columns of view::treemapTable().
enum SizeColumn { SizeName, SizeIn, SizeWhat, SizeBytes, SizeShare };
constexpr int kTableOnly = 760;   ///< width of the window below which only the table is shown
constexpr int kBelow = 640;       ///< width of the page below which the table is under the picture
constexpr int kShareFrom = 1'000; ///< width of the page from which there is room for the shares beside the picture
constexpr int kPathBar = 36;

KindLook sizeLook(SizeKind kind) {
  switch (kind) {
  case SizeKind::Vm: return {QStringLiteral("kind-vm"), Role::KindVm};
  case SizeKind::Kernel: return {QStringLiteral("kind-kernel"), Role::KindDevice};
  case SizeKind::HostCode: return {QStringLiteral("kind-function"), Role::KindHost};
  case SizeKind::Constants: return {QStringLiteral("kind-constants"), Role::KindData};
  case SizeKind::Unnamed: return {QStringLiteral("kind-unknown"), Role::KindUnknown};
  case SizeKind::Container:
  case SizeKind::Tables: break;
  }
  return {QStringLiteral("kind-section"), Role::KindContainer};
}

/// The icon of the kind before each name.
class SizeDelegate : public CellDelegate {
public:
  SizeDelegate(QObject* parent, const TreemapPage& page, const TableModel& model, const std::vector<uint32_t>& leaves)
      : CellDelegate(parent), m_page(page), m_model(model), m_leaves(leaves) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const uint32_t item = m_leaves[m_model.sourceRow(index.row())];
    const KindLook look = sizeLook(m_page.items[item].kind);
    auto* const self = const_cast<SizeDelegate*>(this);
    self->setRowIcon(index.column() == SizeName ? icon(look.icon, look.role) : QIcon());
    CellDelegate::paint(painter, option, index);
  }

private:
  const TreemapPage& m_page;
  const TableModel& m_model;
  const std::vector<uint32_t>& m_leaves;
};

/// A word of the legend with a square in its colour. When it is off, what has the colour is dimmed.
class KindButton : public QToolButton {
public:
  KindButton(SizeKind kind, QWidget* parent) : QToolButton(parent), m_kind(kind) {
    const QString title = coreText(TreemapPage::kindTitle(kind));
    setText(title);
    setAccessibleName(plainLine(title));
    setToolTip(plainTip(QObject::tr("Shows or dims what has this colour")));
    setCheckable(true);
    setChecked(true);
    setFocusPolicy(Qt::TabFocus);
    setFont(textFont(TextRole::Chip));
  }
  QSize sizeHint() const override {
    return {fontMetrics().horizontalAdvance(text()) + kSwatch + 20, std::max(22, fontMetrics().height() + 6)};
  }
  QSize minimumSizeHint() const override { return sizeHint(); }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const bool right = layoutDirection() == Qt::RightToLeft;
    if (underMouse()) painter.fillRect(rect(), theme().color(Role::Hover));
    const QRectF box(right ? width() - 6 - kSwatch : 6, (height() - kSwatch) / 2, kSwatch, kSwatch);
    if (isChecked()) painter.fillRect(box, TreemapView::fillOf(m_kind, false));
    painter.setPen(theme().color(isChecked() ? TreemapView::roleOf(m_kind) : Role::Faint));
    if (isChecked() && m_kind == SizeKind::Unnamed)
      painter.fillRect(box, QBrush(painter.pen().color(), Qt::BDiagPattern));
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setPen(theme().color(isChecked() ? Role::Text : Role::Faint));
    QFont font = this->font();
    font.setStrikeOut(!isChecked());
    painter.setFont(font);
    const int side = kSwatch + 12;
    painter.drawText(rect().adjusted(right ? 6 : side, 0, right ? -side : -6, 0), Qt::AlignVCenter | Qt::AlignLeading,
                     text());
    if (!hasFocus()) return;
    painter.setPen(theme().color(Role::Accent));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }

private:
  static constexpr int kSwatch = 12;
  SizeKind m_kind;
};

/// What stays when the page is made again.
class SizeState : public PageState {
public:
  bool table = false;
  QString filter;
  std::vector<std::string> level; ///< names of the items down to the level
};

} // namespace

SizePage::SizePage(view::TreemapPagePtr page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_context(context), m_page(std::move(page)),
      m_tag(QStringLiteral("size/%1").arg(reinterpret_cast<quintptr>(this))), m_leaves(m_page->leavesBelow(0)),
      m_tools(new QWidget(this)) {
  setProperty("helpTopic", QStringLiteral("size"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  fillTools();
  layout->addWidget(makePathBar());
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_parts = new QSplitter(Qt::Horizontal, this);
  m_parts->setChildrenCollapsible(false);
  m_picture = makePicture();
  m_parts->addWidget(m_picture);
  m_parts->addWidget(makeTable());
  m_parts->setStretchFactor(0, 5);
  m_parts->setStretchFactor(1, 3);
  m_parts->setSizes({620, 380});
  layout->addWidget(m_parts, 1);
  connectParts();
  setFocusProxy(m_map);
  showLevel();
  fitParts();
}

SizePage::~SizePage() {
  m_context.jobs.cancel(m_tag);
  // Parts send signals while they are destroyed, when this is no page any more.
  for (QObject* const part : findChildren<QObject*>()) part->disconnect(this);
}

void SizePage::fillTools() {
  auto* const row = new QHBoxLayout(m_tools);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  m_modes = new Segments(tr("How sizes are shown"), m_tools);
  m_modes->setChoices({tr("Treemap"), tr("Bars")}, {tr("Nested rectangles (Ctrl+T)"), tr("A table (Ctrl+T)")});
  m_modes->setCurrent(0);
  row->addWidget(m_modes);
  m_filter = new QLineEdit(m_tools);
  m_filter->setPlaceholderText(tr("Filter"));
  m_filter->setAccessibleName(tr("Filter items"));
  m_filter->setClearButtonEnabled(true);
  addFindIcon(*m_filter);
  m_filter->setMinimumWidth(90);
  m_filter->setMaximumWidth(180);
  row->addWidget(m_filter);
  row->addWidget(toolButton(QStringLiteral("export"), tr("Save the picture (SVG, PNG) or the rows (CSV)"), m_tools,
                            [this] { askForExport(); }));
  m_tools->hide();
}

QWidget* SizePage::makePathBar() {
  auto* const bar = new QWidget(this);
  bar->setFixedHeight(kPathBar);
  m_pathRow = new QHBoxLayout(bar);
  m_pathRow->setContentsMargins(12, 0, 12, 0);
  m_pathRow->setSpacing(2);
  m_pointed = new ThemeLabel({}, TextRole::Secondary, Role::Faint, bar);
  m_pointed->setElided();
  m_pathRow->addWidget(m_pointed, 1);
  return bar;
}

QWidget* SizePage::makePicture() {
  auto* const box = new QWidget(m_parts);
  auto* const column = new QVBoxLayout(box);
  column->setContentsMargins(8, 8, 8, 4);
  column->setSpacing(4);
  m_map = new TreemapView(m_page, box);
  column->addWidget(m_map, 1);
  auto* const legend = new QWidget(box);
  auto* const flow = new FlowLayout(4, 2, legend);
  flow->setContentsMargins(0, 0, 0, 0);
  for (std::size_t kind = 0; kind < m_kinds.size(); ++kind) {
    const auto isOfKind = [&](uint32_t leaf) { return static_cast<std::size_t>(m_page->items[leaf].kind) == kind; };
    if (std::ranges::none_of(m_leaves, isOfKind)) continue;
    m_kinds[kind] = new KindButton(static_cast<SizeKind>(kind), legend);
    flow->addWidget(m_kinds[kind]);
    connect(m_kinds[kind], &QToolButton::toggled, this, &SizePage::applyFilter);
  }
  column->addWidget(legend);
  return box;
}

QWidget* SizePage::makeTable() {
  auto* const box = new QWidget(m_parts);
  auto* const column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_table = new QTableView(box);
  m_model = new TableModel(view::treemapTable(m_page).source, m_table);
  m_table->setModel(m_model);
  auto* const delegate = new SizeDelegate(m_table, *m_page, *m_model, m_leaves);
  delegate->setAffixes(m_map->affixes());
  m_table->setItemDelegate(delegate);
  m_table->setShowGrid(false);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setWordWrap(false);
  m_table->setMouseTracking(true);
  m_table->setAccessibleName(tr("Biggest items"));
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_table->verticalHeader()->setDefaultSectionSize(metrics::rowHeight());
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setFixedHeight(28);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
  m_table->horizontalHeader()->setSectionResizeMode(SizeName, QHeaderView::Stretch);
  followContentText(*m_table);
  column->addWidget(m_table, 1);
  column->addWidget(new Rule(Qt::Horizontal, box));
  m_summary = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, box);
  m_summary->setContentsMargins(12, 0, 12, 0);
  m_summary->setFixedHeight(28);
  m_summary->setElided();
  column->addWidget(m_summary);
  return box;
}

void SizePage::connectParts() {
  addFilterKeys(*m_filter, *m_table);
  connect(m_filter, &QLineEdit::textChanged, this, &SizePage::applyFilter);
  connect(m_modes, &Segments::chosen, this, [this](int mode) { setShowsTable(mode == 1); });
  connect(m_map, &TreemapView::chosen, this, [this](quint32 item) { select(item, true); });
  connect(m_map, &TreemapView::opened, this, &SizePage::open);
  connect(m_map, &TreemapView::levelChanged, this, &SizePage::showLevel);
  connect(m_map, &TreemapView::pointed, this, &SizePage::showPath);
  connect(m_map, &TreemapView::menuRequested, this, [this](quint32 item, const QPoint& place) {
    Q_EMIT menuRequested(m_page->items[item].ref, toQt(m_page->items[item].name), place);
  });
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const auto item = itemAt(index); item && !m_selecting) select(*item, false);
  });
  connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
    if (const auto item = itemAt(index)) open(*item);
  });
  onItemMenu(*m_table, [this](const QModelIndex& index, QPoint place) {
    const auto item = itemAt(index);
    Q_EMIT menuRequested(item ? m_page->items[*item].ref : std::nullopt, index.data().toString(), place);
  });
  auto* const copy = new QShortcut(QKeySequence::Copy, this);
  copy->setContext(Qt::WidgetWithChildrenShortcut);
  connect(copy, &QShortcut::activated, this, &SizePage::copyRows);
  auto* const toTable = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_T), this);
  toTable->setContext(Qt::WidgetWithChildrenShortcut);
  connect(toTable, &QShortcut::activated, this, [this] { setShowsTable(!m_wantsTable); });
}

// ------------------------------------------------------------------------------------------- level and filter

std::optional<uint32_t> SizePage::itemAt(const QModelIndex& index) const {
  if (!index.isValid()) return std::nullopt;
  return m_leaves[m_model->sourceRow(index.row())];
}

/// The path down to the level: each item is a button that shows it.
void SizePage::showLevel() {
  while (m_pathRow->count() > 1) {
    QLayoutItem* const item = m_pathRow->takeAt(0);
    item->widget()->deleteLater();
    delete item;
  }
  std::vector<uint32_t> path = {m_map->level()};
  while (path.back() != 0) path.push_back(m_page->items[path.back()].parent);
  int place = 0;
  for (auto item = path.rbegin(); item != path.rend(); ++item) {
    auto* const button = new QToolButton(m_pathRow->parentWidget());
    button->setAutoRaise(true);
    button->setText((place == 0 ? QString() : QStringLiteral("› ")) + toQt(m_page->items[*item].name));
    button->setAccessibleName(plainLine(toQt(m_page->itemText(*item))));
    button->setToolTip(plainTip(toQt(m_page->itemText(*item))));
    button->setFocusPolicy(Qt::TabFocus);
    QFont font = textFont(TextRole::Body);
    if (*item == m_map->level()) font.setWeight(QFont::DemiBold);
    button->setFont(font);
    connect(button, &QToolButton::clicked, this, [this, level = *item] { m_map->setLevel(level); });
    m_pathRow->insertWidget(place++, button);
  }
  auto* const bytes = new ThemeLabel(toQt(countText(m_page->items[m_map->level()].bytes, "byte")), TextRole::Secondary,
                                     Role::Secondary, m_pathRow->parentWidget());
  bytes->setContentsMargins(6, 0, 8, 0);
  m_pathRow->insertWidget(place, bytes);
  showPath(m_map->level());
  applyFilter();
}

QStringList SizePage::path() const {
  QStringList out;
  for (const auto* const button : m_pathRow->parentWidget()->findChildren<QToolButton*>())
    if (m_pathRow->indexOf(button) >= 0) out << button->text();
  return out;
}

void SizePage::showPath(uint32_t pointed) {
  QStringList names;
  for (uint32_t at = pointed; at != m_map->level() && at != 0; at = m_page->items[at].parent)
    names.prepend(toQt(m_page->items[at].name));
  QString text;
  for (const QString& name : names) text += QStringLiteral("›  ") + name + QStringLiteral("  ");
  if (names.isEmpty()) {
    QStringList sentences;
    if (m_map->level() == 0) sentences << toQt(m_page->sentence);
    for (const std::string& note : m_page->notes) sentences << toQt(note);
    text = sentences.join(QLatin1Char(' '));
  }
  m_pointed->setText(text);
  m_pointed->setToolTip(plainTip(text));
}

void SizePage::applyFilter() {
  const std::vector<TreemapPage::Item>& items = m_page->items;
  // --- 1. What is in the level. Items follow those above them. ---
  const uint32_t level = m_map->level();
  std::vector<bool> inside(items.size()), matches(items.size());
  for (uint32_t i = 0; i < items.size(); ++i) inside[i] = i == level || (i != 0 && inside[items[i].parent]);

  // --- 2. The leaves that match; what contains one matches as well. ---
  const std::string text = fromQt(m_filter->text());
  const auto hasText = [&](uint32_t item) {
    return toQt(items[item].name).contains(m_filter->text(), Qt::CaseInsensitive);
  };
  std::vector<bool> named(items.size(), text.empty());
  if (!text.empty())
    for (uint32_t i = 0; i < items.size(); ++i) named[i] = (i != 0 && named[items[i].parent]) || (i != 0 && hasText(i));
  std::vector<uint32_t> rows;
  uint64_t bytes = 0, all = 0;
  for (uint32_t row = 0; row < m_leaves.size(); ++row) {
    const uint32_t leaf = m_leaves[row];
    const QToolButton* const kind = m_kinds[static_cast<std::size_t>(items[leaf].kind)];
    if (!inside[leaf]) continue;
    ++all;
    if (!named[leaf] || (kind && !kind->isChecked())) continue;
    rows.push_back(row);
    bytes += items[leaf].bytes;
    for (uint32_t at = leaf; !matches[at]; at = items[at].parent) matches[at] = true;
  }

  // --- 3. Show it. ---
  const bool isFiltered = rows.size() < all;
  const double share = static_cast<double>(bytes) / static_cast<double>(std::max<uint64_t>(items[level].bytes, 1));
  const QString percent = QString::number(share * 100, 'f', 1);
  m_summary->setText(isFiltered ? tr("%1 of %n item(s), %2 % of %3", nullptr, pluralCount(all))
                                      .arg(toQt(groupedText(rows.size())), percent, toQt(items[level].name))
                                : tr("%n item(s), %1", nullptr, pluralCount(all)).arg(toQt(countText(bytes, "byte"))));
  const auto current = m_map->current();
  m_selecting = true;
  m_model->setOrder(std::move(rows));
  m_selecting = false;
  m_map->setMatches(isFiltered ? std::optional(std::move(matches)) : std::nullopt);
  if (current) selectRow(*current);
}

QString SizePage::summary() const { return m_summary->text(); }

// ------------------------------------------------------------------------------------------- selection

void SizePage::selectRow(uint32_t item) {
  m_selecting = true;
  const auto leaf = std::ranges::find(m_leaves, item);
  m_table->clearSelection();
  if (leaf != m_leaves.end()) {
    const auto row = static_cast<uint32_t>(leaf - m_leaves.begin());
    const auto& order = m_model->order();
    const auto shown = order ? std::ranges::find(*order, row) - order->begin() : std::ptrdiff_t{row};
    if (shown < m_model->rowCount()) {
      m_table->setCurrentIndex(m_model->index(static_cast<int>(shown), 0));
      m_table->scrollTo(m_table->currentIndex());
    }
  }
  m_selecting = false;
}

void SizePage::select(uint32_t item, bool inTable) {
  if (inTable)
    selectRow(item);
  else
    m_map->setCurrent(item);
  const TreemapPage::Item& shown = m_page->items[item];
  Q_EMIT selectionText(toQt(m_page->itemText(item)));
  showPath(item);
  const bool isNode = shown.ref && m_page->fileOf(item).empty() &&
                      !(shown.ref->kind == Ref::Kind::File && !shown.ref->at) &&
                      shown.ref->partKind() != PartKind::Field;
  if (isNode) {
    Q_EMIT nodeChosen(*shown.ref, false);
    return;
  }
  view::DetailGroup group;
  group.title = shown.name;
  const auto add = [&](const char* label, std::string value) {
    if (!value.empty()) group.rows.push_back({label, std::move(value), false, {}, {}});
  };
  add("In", m_page->pathAbove(item));
  add("Bytes", groupedText(shown.bytes));
  add("Share", m_page->shareText(item));
  add("Note", shown.note);
  Q_EMIT detailsChanged({group});
}

void SizePage::open(uint32_t item) {
  const std::optional<Ref>& ref = m_page->items[item].ref;
  if (const std::string& file = m_page->fileOf(item); !file.empty())
    Q_EMIT fileChosen(QFile::decodeName(file.c_str()), ref.value_or(Ref::file()));
  else if (ref)
    Q_EMIT nodeChosen(*ref, true);
}

/// Copies the selected item, or the rows that are shown.
void SizePage::copyRows() {
  constexpr int kMost = 20'000;
  QStringList lines;
  if (m_map->current()) {
    lines << m_map->currentText();
  } else {
    for (int row = 0; row < std::min(m_model->rowCount(), kMost); ++row) {
      QStringList cells;
      for (int column = 0; column < m_model->columnCount(); ++column)
        cells << m_model->index(row, column).data().toString();
      lines << cells.join(QLatin1Char('\t'));
    }
  }
  QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void SizePage::openFind() {
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
}

// ------------------------------------------------------------------------------------------- parts and files

bool SizePage::showsTable() const { return m_picture->isHidden(); }

void SizePage::setShowsTable(bool shows) {
  m_wantsTable = shows;
  m_modes->setCurrent(shows ? 1 : 0);
  fitParts();
  setFocus();
}

void SizePage::fitParts() {
  const bool isNarrow = window()->width() < kTableOnly, table = m_wantsTable || isNarrow;
  m_picture->setVisible(!table);
  m_parts->setOrientation(width() < kBelow ? Qt::Vertical : Qt::Horizontal);
  setFocusProxy(table ? static_cast<QWidget*>(m_table) : m_map);
  m_modes->setEnabled(!isNarrow);
  m_table->setColumnHidden(SizeIn, !table);
  m_table->setColumnHidden(SizeShare, !table && width() < kShareFrom && m_parts->orientation() == Qt::Horizontal);
  m_table->setColumnHidden(SizeWhat, !table || isNarrow);
  const QFontMetrics metrics(m_table->font());
  m_table->setColumnWidth(SizeBytes, metrics.horizontalAdvance(toQt(groupedText(m_page->total()))) + 66);
  m_table->setColumnWidth(SizeShare, metrics.horizontalAdvance(QStringLiteral("share in %")) + 20);
  m_table->setColumnWidth(SizeIn, std::max(120, width() / 4));
  m_table->setColumnWidth(SizeWhat, metrics.horizontalAdvance(QStringLiteral("Constants, data")) + 30);
}

void SizePage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  fitParts();
}

void SizePage::askForExport() {
  const QString name = safeFileName(m_context.title + QStringLiteral("-size.svg"));
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save the sizes"), name,
      tr("Picture (*.svg)") + QStringLiteral(";;") + tr("Picture (*.png)") + QStringLiteral(";;") + tr("Rows (*.csv)"));
  if (!path.isEmpty()) exportTo(path);
}

void SizePage::exportTo(const QString& path) {
  const bool isCsv = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
  Bytes png;
  if (path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) {
    QByteArray stored;
    QBuffer buffer(&stored);
    m_map->grab().save(&buffer, "PNG");
    png = Bytes::copyOf({stored.constData(), static_cast<std::size_t>(stored.size())});
  }
  m_context.jobs.start<Done>(
      m_tag,
      [page = m_page, package = m_context.package, rows = m_model->order(), isCsv, png, title = fromQt(m_context.title),
       target = pathFrom(QFile::encodeName(path).toStdString())](Monitor& monitor) -> Result<Done> {
        Inputs inputs;
        if (package) inputs = {{pathFrom(package->path)}};
        BLOBSCOPE_TRY(file, OutputFile::create(target, inputs));
        if (isCsv) {
          std::string text;
          BLOBSCOPE_CHECK(view::writeCsv(
              *view::treemapTable(page).source, rows, [&text](std::string_view piece) { text += piece; }, monitor));
          BLOBSCOPE_CHECK(file.write(Bytes::copyOf(text), monitor));
        } else if (png.empty()) {
          BLOBSCOPE_TRY(picture, graph::treemapSvg(*page, title, monitor));
          BLOBSCOPE_CHECK(file.write(Bytes::copyOf(picture), monitor));
        } else {
          BLOBSCOPE_CHECK(file.write(png, monitor));
        }
        return file.commit();
      },
      [guard = QPointer<SizePage>(this), path](Result<Done> done) {
        if (!guard) return;
        Q_EMIT guard->message(done ? tr("Saved as %1.").arg(plainLine(path)) : toQt(done.error().message()));
      });
}

std::unique_ptr<PageState> SizePage::saveState() const {
  auto state = std::make_unique<SizeState>();
  state->table = m_wantsTable;
  state->filter = m_filter->text();
  for (uint32_t at = m_map->level(); at != 0; at = m_page->items[at].parent)
    state->level.insert(state->level.begin(), m_page->items[at].name);
  return state;
}

void SizePage::restoreState(const PageState& saved) {
  const auto* const state = dynamic_cast<const SizeState*>(&saved);
  if (!state) return;
  uint32_t level = 0;
  for (const std::string& name : state->level) {
    const TreemapPage::Item& above = m_page->items[level];
    uint32_t found = 0;
    for (uint32_t i = above.first; i < above.first + above.count && found == 0; ++i)
      if (m_page->items[i].name == name && !m_page->isLeaf(i)) found = i;
    if (found == 0) break;
    level = found;
  }
  m_map->setLevel(level);
  m_filter->setText(state->filter);
  setShowsTable(state->table);
}

} // namespace blobscope::ui
