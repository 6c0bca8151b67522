#include "ui/compare/graph_pair_page.h"

#include "core/base/text.h"
#include "ui/models/diff_model.h"
#include "ui/pages/graph_page.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/graph/graph_view.h"
#include "ui/widgets/labels.h"

#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

QString summaryOf(const diff::GraphDiff& graphs) {
  QStringList parts;
  const auto add = [&parts](uint64_t count, diff::Status status) {
    if (count > 0) parts << QStringLiteral("%1 %2").arg(toQt(groupedText(count)), statusWord(status));
  };
  add(graphs.changed, diff::Status::Changed);
  add(graphs.removed, diff::Status::Removed);
  add(graphs.added, diff::Status::Added);
  add(graphs.equal, diff::Status::Same);
  QString text = GraphPairPage::tr("Nodes: %1").arg(parts.join(QStringLiteral(" · ")));
  parts.clear();
  add(graphs.changedEdges, diff::Status::Changed);
  add(graphs.removedEdges, diff::Status::Removed);
  add(graphs.addedEdges, diff::Status::Added);
  if (!parts.isEmpty())
    text += QStringLiteral("    ") + GraphPairPage::tr("Lines: %1").arg(parts.join(QStringLiteral(" · ")));
  return text;
}

} // namespace

GraphPairPage::GraphPairPage(const ComparedPagePtr& page, const PageContext& context, QWidget* parent)
    : PairPage(parent) {
  const auto& graphs = std::get<diff::GraphDiff>(page->diff.content);
  m_graph = new GraphPage(*graphs.merged, context, this);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_graph, 1);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  auto* const summary = new ThemeLabel(summaryOf(graphs), TextRole::Secondary, Role::Secondary, this);
  summary->setContentsMargins(12, 0, 12, 0);
  summary->setFixedHeight(28);
  layout->addWidget(summary);
  setFocusProxy(m_graph);
  const auto moved = [this] { Q_EMIT changeMoved(currentChange(), changeCount()); };
  connect(m_graph, &GraphPage::arranged, this, moved);
  connect(&m_graph->view(), &GraphView::currentChanged, this, moved);
  connect(m_graph, &GraphPage::message, this, &PairPage::message);
  connect(m_graph, &GraphPage::selectionText, this, &PairPage::selectionText);
}

std::vector<uint32_t> GraphPairPage::changes() const {
  std::vector<uint32_t> out;
  const auto& scene = m_graph->view().scene();
  if (!scene) return out;
  for (const uint32_t box : scene->layout.order)
    if (scene->picture.boxes[box].mark != view::GraphPage::Mark::None) out.push_back(box);
  return out;
}

int GraphPairPage::changeCount() const { return static_cast<int>(changes().size()); }

int GraphPairPage::currentChange() const {
  const auto current = m_graph->view().current();
  if (!current) return -1;
  const std::vector<uint32_t> all = changes();
  const std::vector<uint32_t>& order = m_graph->view().scene()->layout.order;
  // The number of changes up to the selected box.
  const auto end = std::find(order.begin(), order.end(), *current);
  int count = -1;
  for (auto box = order.begin(); box != order.end() && box <= end; ++box)
    count += m_graph->view().scene()->picture.boxes[*box].mark != view::GraphPage::Mark::None;
  return std::min(count, static_cast<int>(all.size()) - 1);
}

bool GraphPairPage::goToNextChange(bool backwards) {
  const std::vector<uint32_t> all = changes();
  const int here = currentChange();
  const bool onChange = here >= 0 && m_graph->view().current() == all[static_cast<std::size_t>(here)];
  const int next = backwards ? (onChange ? here - 1 : here) : here + 1;
  if (next < 0 || next >= static_cast<int>(all.size())) return false;
  m_graph->view().setCurrent(all[static_cast<std::size_t>(next)]);
  return true;
}

void GraphPairPage::goToEnd(bool last) {
  const std::vector<uint32_t> all = changes();
  if (!all.empty()) m_graph->view().setCurrent(last ? all.back() : all.front());
}

void GraphPairPage::openFind() { m_graph->openFind(); }
void GraphPairPage::findNext(bool backwards) { m_graph->findNext(backwards); }

} // namespace blobscope::ui
