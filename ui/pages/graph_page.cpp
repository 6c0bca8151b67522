#include "ui/pages/graph_page.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/graph/node_text.h"
#include "core/graph/svg.h"
#include "core/view/render_pictures.h"
#include "ui/pages/column_widths.h"
#include "ui/pages/table_page.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/graph/graph_view.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QAction>
#include <QButtonGroup>
#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// A narrower page shows only the table.
constexpr int kLeastWidth = 320;

struct Arranged {
  std::shared_ptr<const std::vector<graph::Stack>> stacks;
  std::shared_ptr<const graph::Scene> scene;
};

struct GraphState final : PageState {
  graph::PictureOptions options;
  graph::Colouring colouring = graph::Colouring::Operator;
  bool table = false;
  std::optional<uint32_t> node;
};

graph::TextWidths widthsOfTheme() {
  QFont title = textFont(TextRole::Secondary);
  title.setWeight(QFont::Bold); // the selected box is bold
  const auto titles = std::make_shared<const CharacterWidths>(QFontMetricsF(title));
  const auto notes = std::make_shared<const CharacterWidths>(QFontMetricsF(textFont(TextRole::Secondary)));
  return {[titles](std::string_view text) { return titles->widthOf(text); },
          [notes](std::string_view text) { return notes->widthOf(text); },
          std::max(22.0, QFontMetricsF(title).height() + 5)};
}

} // namespace

GraphPage::GraphPage(view::GraphPage page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_jobs(context.jobs), m_node(context.node),
      m_tag(QStringLiteral("graph/%1").arg(reinterpret_cast<quintptr>(this))), m_title(context.title),
      m_package(context.package), m_page(std::make_shared<const view::GraphPage>(std::move(page))),
      m_shown(new QStackedWidget(this)), m_tools(new QWidget(this)), m_view(new GraphView(m_shown)),
      m_table(new TablePage({view::tableOf(m_page)}, context, m_shown)),
      m_summary(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)),
      m_zoom(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)) {
  setProperty("helpTopic", QStringLiteral("graphs"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_shown->addWidget(m_view);
  m_shown->addWidget(m_table);
  layout->addWidget(m_shown, 1);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  auto* const foot = new QHBoxLayout;
  foot->setContentsMargins(12, 0, 12, 0);
  m_summary->setElided();
  m_summary->setFixedHeight(28);
  m_summary->setText(tr("Arranging…"));
  foot->addWidget(m_summary, 1);
  foot->addWidget(m_zoom);
  layout->addLayout(foot);
  setFocusProxy(m_view);
  connectView();
  arrange();
}

GraphPage::~GraphPage() {
  m_jobs.cancel(m_tag);
  m_jobs.cancel(m_tag + QLatin1String("/svg"));
}

QToolButton* GraphPage::addToggle(const QString& text, const QString& tip, QWidget* bar) {
  auto* const button = new QToolButton(bar);
  button->setAutoRaise(true);
  button->setCheckable(true);
  button->setText(text);
  button->setToolTip(plainTip(tip));
  button->setFocusPolicy(Qt::TabFocus);
  bar->layout()->addWidget(button);
  return button;
}

/// Whether the page shows two graphs as one.
bool GraphPage::hasMarks() const {
  const auto isMarked = [](const auto& one) { return one.mark != view::GraphPage::Mark::None; };
  return std::any_of(m_page->nodes.begin(), m_page->nodes.end(), isMarked) ||
         std::any_of(m_page->edges.begin(), m_page->edges.end(), isMarked);
}

QWidget* GraphPage::makeBar() {
  auto* const outer = new QWidget(this);
  auto* const margins = new QVBoxLayout(outer);
  margins->setContentsMargins(12, 6, 12, 6);
  auto* const bar = new QWidget(outer);
  margins->addWidget(bar);
  auto* const layout = new FlowLayout(6, 4, bar);
  m_find = new QLineEdit(bar);
  m_find->setPlaceholderText(tr("Find a node"));
  m_find->setAccessibleName(tr("Find a node"));
  m_find->setClearButtonEnabled(true);
  addFindIcon(*m_find);
  m_find->setFixedWidth(150);
  layout->addWidget(m_find);
  auto* const fit = new QToolButton(bar);
  fit->setAutoRaise(true);
  fit->setText(tr("Fit"));
  fit->setToolTip(plainTip(tr("Shows the whole graph (Home). Z shows the selected node.")));
  fit->setFocusPolicy(Qt::TabFocus);
  connect(fit, &QToolButton::clicked, m_view, &GraphView::showAll);
  layout->addWidget(fit);
  m_fold = addToggle(tr("Fold repeats"), tr("Draws equal blocks that follow each other as one box"), bar);
  m_fold->setChecked(true);
  m_values = addToggle(tr("Show parameters"), tr("Draws parameters and constants, too"), bar);
  auto* const colours = new QButtonGroup(this);
  layout->addWidget(new ThemeLabel(tr("Colour by"), TextRole::Secondary, Role::Secondary, bar));
  m_colours = {addToggle(tr("operator"), tr("Colours show what a node does"), bar),
               addToggle(tr("bytes"), tr("Colours show the size of a node"), bar),
               addToggle(tr("device"), tr("Colours show where a node runs"), bar)};
  if (hasMarks()) m_colours << addToggle(tr("difference"), tr("Colours show what differs"), bar);
  for (int i = 0; i < m_colours.size(); ++i) colours->addButton(m_colours[i], i);
  setColouring(hasMarks() ? graph::Colouring::Mark : graph::Colouring::Operator);
  auto* const tools = new QHBoxLayout(m_tools);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->setSpacing(4);
  m_tableButton = addToggle(tr("Table"), tr("Shows the nodes as a table (Ctrl+T)"), m_tools);
  tools->addWidget(
      toolButton(QStringLiteral("export"), tr("Save the graph as a picture (SVG)"), m_tools, [this] { askForSvg(); }));
  m_tools->hide();

  connect(m_fold, &QToolButton::toggled, this, &GraphPage::setFolding);
  connect(m_values, &QToolButton::toggled, this, &GraphPage::setShowsValues);
  connect(m_tableButton, &QToolButton::toggled, this, &GraphPage::setShowsTable);
  connect(colours, &QButtonGroup::idClicked, this, [this](int id) { setColouring(static_cast<graph::Colouring>(id)); });
  m_findDelay.setSingleShot(true);
  m_findDelay.setInterval(120);
  connect(m_find, &QLineEdit::textChanged, &m_findDelay, qOverload<>(&QTimer::start));
  connect(&m_findDelay, &QTimer::timeout, this, &GraphPage::search);
  connect(m_find, &QLineEdit::returnPressed, this, [this] {
    search();
    findNext(false);
  });
  return outer;
}

void GraphPage::connectView() {
  connect(m_view, &GraphView::currentChanged, this, &GraphPage::select);
  connect(m_view, &GraphView::opened, this, &GraphPage::open);
  connect(m_view, &GraphView::closed, this, &GraphPage::close);
  connect(m_view, &GraphView::zoomChanged, this, &GraphPage::updateSummary);
  connect(m_view, &GraphView::menuRequested, this, [this](const QPoint& place) {
    const graph::Picture::Box& box = m_view->scene()->picture.boxes[*m_view->current()];
    const view::GraphPage::Node& node = m_page->nodes[box.node];
    Q_EMIT menuRequested(node.ref, toQt(node.name), place);
  });
  connect(m_table, &TablePage::nodeChosen, this, &GraphPage::nodeChosen);
  connect(m_table, &TablePage::menuRequested, this, &GraphPage::menuRequested);
  connect(m_table, &TablePage::message, this, &GraphPage::message);
  auto* const table = new QAction(this);
  table->setShortcut(QKeySequence(QStringLiteral("Ctrl+T")));
  table->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(table, &QAction::triggered, this, [this] { setShowsTable(!showsTable()); });
  addAction(table);
}

// ------------------------------------------------------------------------------------------- what is drawn

void GraphPage::arrange() {
  m_jobs.start<Arranged>(
      m_tag,
      [page = m_page, stacks = m_stacks, options = m_options,
       widths = widthsOfTheme()](Monitor& monitor) -> Result<Arranged> {
        Arranged out{stacks, {}};
        if (!out.stacks) {
          BLOBSCOPE_TRY(found, graph::findStacks(*page, monitor));
          out.stacks = std::make_shared<const std::vector<graph::Stack>>(std::move(found));
        }
        BLOBSCOPE_TRY(scene, graph::makeScene(*page, *out.stacks, options, widths, monitor));
        out.scene = std::move(scene);
        return out;
      },
      [guard = QPointer<GraphPage>(this)](Result<Arranged> made) {
        if (!guard) return;
        if (!made) {
          guard->m_summary->setText(toQt(made.error().message()));
          return;
        }
        guard->m_stacks = made->stacks;
        guard->m_view->setScene(guard->m_page, made->scene);
        if (const auto node = std::exchange(guard->m_wantedNode, std::nullopt)) guard->m_view->setCurrentNode(*node);
        guard->search();
        guard->m_fold->setEnabled(!made->stacks->empty());
        guard->m_values->setEnabled(made->scene->picture.hiddenValues > 0 || guard->m_options.showValues);
        Q_EMIT guard->arranged();
      });
}

void GraphPage::setFolding(bool folds) {
  if (m_options.foldRepeats == folds && m_options.unfolded.empty()) return;
  m_options.foldRepeats = folds;
  m_options.unfolded.clear();
  m_fold->setChecked(folds);
  arrange();
}

void GraphPage::setShowsValues(bool shows) {
  if (m_options.showValues == shows) return;
  m_options.showValues = shows;
  m_values->setChecked(shows);
  arrange();
}

void GraphPage::setColouring(graph::Colouring colouring) {
  m_colours[static_cast<int>(colouring)]->setChecked(true);
  m_view->setColouring(colouring);
}

bool GraphPage::showsTable() const { return m_shown->currentWidget() == m_table; }

void GraphPage::setShowsTable(bool shows) {
  if (showsTable() == shows) return;
  const bool focused = m_shown->currentWidget()->hasFocus() || m_shown->isAncestorOf(focusWidget());
  m_shown->setCurrentWidget(shows ? static_cast<QWidget*>(m_table) : m_view);
  m_tableButton->setChecked(shows);
  setFocusProxy(m_shown->currentWidget());
  if (focused) m_shown->currentWidget()->setFocus(Qt::OtherFocusReason);
  search();
}

void GraphPage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  const bool narrow = width() < kLeastWidth;
  if (narrow) setShowsTable(true);
  m_tableButton->setEnabled(!narrow);
}

// ------------------------------------------------------------------------------------------- search and selection

void GraphPage::openFind() {
  m_find->setFocus(Qt::ShortcutFocusReason);
  m_find->selectAll();
}

void GraphPage::findNext(bool backwards) {
  if (showsTable()) return;
  m_view->goToFound(backwards);
}

void GraphPage::search() {
  m_findDelay.stop();
  m_table->filter().setText(showsTable() ? m_find->text() : QString());
  m_view->find(m_find->text());
  updateSummary();
}

void GraphPage::select() {
  const auto box = m_view->current();
  if (!box) {
    Q_EMIT selectionText({});
    Q_EMIT detailsChanged({});
    return;
  }
  Q_EMIT selectionText(plainLine(m_view->currentText()));
  Q_EMIT detailsChanged(graph::nodeDetails(*m_page, m_view->scene()->picture.boxes[*box].node));
}

/// A stack is unfolded; a node opens what it calls.
void GraphPage::open(uint32_t box) {
  const graph::Picture::Box& opened = m_view->scene()->picture.boxes[box];
  if (opened.stack != graph::Picture::kNone) {
    m_options.unfolded.insert(opened.stack);
    arrange();
    return;
  }
  if (const auto& ref = m_page->nodes[opened.node].ref)
    Q_EMIT nodeChosen(*ref, true);
  else
    Q_EMIT message(tr("This node is not a part of the file."));
}

/// Folds the stack again that the node is in.
void GraphPage::close(uint32_t box) {
  const uint32_t node = m_view->scene()->picture.boxes[box].node;
  for (uint32_t stack = 0; m_stacks && stack < m_stacks->size(); ++stack) {
    const auto& nodes = (*m_stacks)[stack].nodes;
    if (!m_options.unfolded.contains(stack) || std::find(nodes.begin(), nodes.end(), node) == nodes.end()) continue;
    m_options.unfolded.erase(stack);
    arrange();
    return;
  }
}

void GraphPage::updateSummary() {
  if (!m_view->scene()) return;
  QString text = toQt(graph::summaryText(*m_page, m_view->scene()->picture, m_view->scene()->layout.layerCount()));
  if (!m_find->text().isEmpty() && !showsTable())
    text = tr("%1 found").arg(toQt(groupedText(m_view->foundCount()))) + QStringLiteral(" · ") + text;
  m_summary->setText(text);
  m_zoom->setText(showsTable() ? QString() : QStringLiteral("%1 %").arg(qRound(m_view->zoom() * 100)));
}

// ------------------------------------------------------------------------------------------- files, state

void GraphPage::askForSvg() {
  const QString name = safeFileName(m_title + QStringLiteral("-graph.svg"));
  const QString path = QFileDialog::getSaveFileName(this, tr("Save the graph"), name, tr("SVG files (*.svg)"));
  if (!path.isEmpty()) saveSvg(path);
}

void GraphPage::saveSvg(const QString& path) {
  m_jobs.start<Done>(
      m_tag + QLatin1String("/svg"),
      [page = m_page, options = m_options, colouring = m_view->colouring(), title = fromQt(m_title),
       target = pathFrom(QFile::encodeName(path).toStdString()),
       package = m_package](Monitor& monitor) -> Result<Done> {
        Inputs inputs;
        if (package) inputs = {{pathFrom(package->path)}};
        BLOBSCOPE_TRY(file, OutputFile::create(target, inputs));
        std::string text;
        BLOBSCOPE_CHECK(graph::writeSvg(
            *page, options, colouring, title, [&text](std::string_view piece) { text += piece; }, monitor));
        BLOBSCOPE_CHECK(file.write(Bytes::copyOf(text), monitor));
        return file.commit();
      },
      [guard = QPointer<GraphPage>(this), path](Result<Done> done) {
        if (!guard) return;
        Q_EMIT guard->message(done ? tr("Saved as %1.").arg(plainLine(path)) : toQt(done.error().message()));
      });
}

std::unique_ptr<PageState> GraphPage::saveState() const {
  auto state = std::make_unique<GraphState>();
  state->options = m_options;
  state->colouring = m_view->colouring();
  state->table = showsTable();
  if (const auto box = m_view->current()) state->node = m_view->scene()->picture.boxes[*box].node;
  return state;
}

void GraphPage::restoreState(const PageState& saved) {
  const auto* const state = dynamic_cast<const GraphState*>(&saved);
  if (!state) return;
  m_options = state->options;
  const QSignalBlocker fold(m_fold), values(m_values);
  m_fold->setChecked(m_options.foldRepeats);
  m_values->setChecked(m_options.showValues);
  setColouring(state->colouring);
  setShowsTable(state->table);
  m_wantedNode = state->node;
  arrange();
}

} // namespace blobscope::ui
