#include "ui/session/comparison.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/describe/comparison_html.h"
#include "core/describe/comparison_markdown.h"
#include "core/describe/node.h"
#include "core/describe/size_changes.h"
#include "core/diff/compare.h"
#include "core/library/node.h"
#include "core/library/open.h"
#include "core/view/calls_page.h"
#include "core/view/memory_fit.h"
#include "core/view/plan_page.h"
#include "core/view/table_extras.h"
#include "core/view/treemap_page.h"
#include "ui/text/plain_text.h"

#include <QElapsedTimer>
#include <QFile>
#include <QPointer>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace blobscope::ui {
namespace {

using library::PackagePtr;
using library::RowKind;

/// Larger byte pages are only compared when the user opens them.
constexpr uint64_t kFirstBytes = 64U << 20;
/// Partial results are shown after this time and then at this interval.
constexpr qint64 kFirstAfterMs = 300;
constexpr const char* kTensorPage = "Numbers";

RowKind rowKind(diff::Topic topic) {
  switch (topic) {
  case diff::Topic::Module: return RowKind::Module;
  case diff::Topic::Kernel: return RowKind::Kernel;
  case diff::Topic::VmFunction: return RowKind::Function;
  case diff::Topic::HostFunction: return RowKind::HostFunction;
  case diff::Topic::Tensor:
  case diff::Topic::Constant: return RowKind::Constant;
  case diff::Topic::GraphNode: return RowKind::Function;
  case diff::Topic::Image: return RowKind::Image;
  case diff::Topic::Symbol: return RowKind::Symbols;
  case diff::Topic::Member: return RowKind::Member;
  case diff::Topic::Section:
  case diff::Topic::Field: break;
  }
  return RowKind::Section;
}

using RowsByRef = std::unordered_map<std::string, library::ContentsRow>;

RowsByRef rowsOf(const library::Package& package) {
  RowsByRef out;
  for (library::ContentsRow& row : library::contentsOf(package))
    if (row.page.empty()) out.try_emplace(row.ref.toString(), std::move(row));
  return out;
}

/// Combines the tree with the facts that it does not store about its nodes.
ComparedPtr describe(const PackagePtr& a, const PackagePtr& b, diff::DiffTree tree, const RowsByRef& rowsA,
                     const RowsByRef& rowsB, const QElapsedTimer& clock) {
  auto out = std::make_shared<Compared>();
  out->a = a;
  out->b = b;
  out->tree = std::move(tree);
  out->nodes.reserve(out->tree.nodes.size());
  for (const diff::DiffNode& node : out->tree.nodes) {
    Compared::Node& facts = out->nodes.emplace_back();
    facts.kind = rowKind(node.topic);
    const auto look = [&](const std::optional<Ref>& ref, const RowsByRef& rows, std::optional<uint64_t>& size) {
      const auto row = ref ? rows.find(ref->toString()) : rows.end();
      if (row == rows.end()) return;
      size = row->second.size;
      facts.moduleKey = row->second.moduleKey;
    };
    look(node.a, rowsA, facts.sizeA);
    look(node.b, rowsB, facts.sizeB);
    if (node.topic == diff::Topic::Module && facts.moduleKey.empty()) facts.moduleKey = node.name;
  }
  out->milliseconds = static_cast<uint64_t>(clock.elapsed());
  return out;
}

Result<ComparedPtr> computeCompared(const PackagePtr& a, const PackagePtr& b, const diff::CompareOptions& options,
                                    Monitor& monitor, const std::function<void(ComparedPtr)>& first) {
  QElapsedTimer clock;
  clock.start();
  std::optional<std::pair<RowsByRef, RowsByRef>> rows;
  const auto described = [&](diff::DiffTree tree) {
    if (!rows) rows.emplace(rowsOf(*a), rowsOf(*b));
    return describe(a, b, std::move(tree), rows->first, rows->second, clock);
  };
  qint64 next = kFirstAfterMs;
  const diff::FirstResults results{[&] { return clock.elapsed() >= next; },
                                   [&](diff::DiffTree found) {
                                     first(described(std::move(found)));
                                     next = clock.elapsed() + kFirstAfterMs;
                                   }};
  BLOBSCOPE_TRY(tree, diff::compare(a, b, options, monitor, results));
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  return described(std::move(tree));
}

/// Converts bars, plans and call trees to rows, so that they can be compared.
view::Page asTable(const view::Page& page) {
  if (const auto* const plan = std::get_if<view::PlanPagePtr>(&page.content)) return {page.name, planTable(*plan)};
  if (const auto* const calls = std::get_if<view::CallsPagePtr>(&page.content)) return {page.name, callsTable(*calls)};
  const auto* const bars = std::get_if<view::BarsPage>(&page.content);
  if (!bars) return page;
  std::vector<std::vector<std::string>> rows;
  for (const view::BarsPage::Group& group : bars->groups)
    for (const view::BarsPage::Bar& bar : group.bars)
      rows.push_back({group.title + ": " + bar.name, std::to_string(bar.bytes()), bar.note});
  return view::tablePage(page.name, {{"what"}, {"bytes", true}, {"note"}}, std::move(rows));
}

/// The memory on a page that compares it with limits; null on others.
const view::MemoryFit* fitOf(const view::Page& page) {
  const auto* const table = std::get_if<view::TablePage>(&page.content);
  return table && table->extras ? table->extras->fit.get() : nullptr;
}

diff::PageOptions pageOptions(const diff::CompareOptions& options) {
  diff::PageOptions out;
  out.masks = options.masks;
  out.hostCode = options.hostCode;
  out.rawNumbers = options.rawNumbers;
  return out;
}

Result<ComparedPagePtr> computePage(const view::Page& a, const view::Page& b, const diff::CompareOptions& options,
                                    Monitor& monitor) {
  auto out = std::make_shared<ComparedPage>();
  BLOBSCOPE_TRY(madeA, view::resolvePage(a, monitor));
  BLOBSCOPE_TRY(madeB, view::resolvePage(b, monitor));
  const auto* const mapA = std::get_if<view::TreemapPagePtr>(&madeA.content);
  const auto* const mapB = std::get_if<view::TreemapPagePtr>(&madeB.content);
  const view::MemoryFit *const fitA = fitOf(madeA), *const fitB = fitOf(madeB);
  if (mapA && mapB) {
    out->sizes = sizes::compareSizes(**mapA, **mapB);
    out->diff.note = "all sizes are the same";
  } else if (fitA && fitB) {
    out->sizes = sizes::compareMemory(*fitA, *fitB);
    out->diff.note = "the memory is the same";
  }
  if (out->sizes) {
    out->diff.name = madeB.name;
    out->diff.same = out->sizes->changes.empty();
    out->diff.a = std::move(madeA);
    out->diff.b = std::move(madeB);
    return ComparedPagePtr(std::move(out));
  }
  BLOBSCOPE_TRY(compared, diff::comparePages(asTable(madeA), asTable(madeB), pageOptions(options), monitor));
  out->diff = std::move(compared);
  if (const auto* const lines = std::get_if<diff::LineDiff>(&out->diff.content)) {
    // If instructions are compared by their effect, addresses are irrelevant, and so are the names of registers.
    diff::Masks masks = options.masks;
    if (out->diff.hostCode || out->diff.deviceCode) masks = masks.with(diff::Mask::Addresses);
    if (out->diff.deviceCode) masks = masks.with(diff::Mask::Serials).with(diff::Mask::Labels);
    BLOBSCOPE_TRY(text, makeTextPair(std::get<view::TextPage>(out->diff.a.content),
                                     std::get<view::TextPage>(out->diff.b.content), *lines, masks, monitor));
    out->text = std::move(text);
  }
  return ComparedPagePtr(std::move(out));
}

Result<ComparedPagePtr> computeNumbers(const payloads::Tensor& a, const payloads::Tensor& b, Monitor& monitor) {
  auto out = std::make_shared<ComparedPage>();
  BLOBSCOPE_TRY(numbers, diff::compareTensors(a, b, monitor));
  out->tensor = std::move(numbers);
  out->diff.name = kTensorPage;
  out->diff.same = out->tensor->same();
  return ComparedPagePtr(std::move(out));
}

/// The most informative kind of page comes first.
int rankOf(const NodePair::Page& page) {
  constexpr std::array<std::string_view, 6> kOrder = {"tensor", "text", "table", "fields", "graph", "hex"};
  const auto facts = [](const std::optional<view::Page>& side) {
    const auto* const table = side ? std::get_if<view::TablePage>(&side->content) : nullptr;
    return table && table->facts;
  };
  if (facts(page.a) || facts(page.b)) return 4;
  const std::string_view kind = page.kind == "grid" ? "table" : std::string_view(page.kind); // as it is compared
  const auto at = std::find(kOrder.begin(), kOrder.end(), kind);
  return at == kOrder.end() ? 10 : static_cast<int>(at - kOrder.begin()) + (page.kind == "hex" ? 1 : 0);
}

bool isLater(const std::optional<view::Page>& page) {
  return page && std::holds_alternative<view::DeferredPage>(page->content);
}

uint64_t bytesOf(const std::optional<view::Page>& page) {
  const auto* const hex = page ? std::get_if<view::HexPage>(&page->content) : nullptr;
  return hex ? hex->bytes.size() : 0;
}

/// Compares pages until one differs; that page is shown first.
Result<Done> findFirst(NodePair& pair, const diff::CompareOptions& options, Monitor& monitor) {
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(pair.pages.size()); ++i) order.push_back(i);
  // For whole files, the descriptive pages come first.
  const auto rank = [&](int index) { return rankOf(pair.pages[static_cast<std::size_t>(index)]); };
  if (pair.a != Ref::file())
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return rank(x) < rank(y); });
  std::optional<int> best;
  bool text = false; // a text was compared: later pages are not created for this
  for (const int index : order) {
    NodePair::Page& page = pair.pages[static_cast<std::size_t>(index)];
    if ((isLater(page.a) || isLater(page.b)) && (text || page.kind != "text" || !page.a || !page.b)) continue;
    text = text || (page.kind == "text" && page.a && page.b);
    if (!best) best = index;
    if (page.kind == "tensor") {
      BLOBSCOPE_TRY(numbers, computeNumbers(*pair.tensorA, *pair.tensorB, monitor));
      page.compared = std::move(numbers);
    } else if (page.a && page.b && bytesOf(page.a) + bytesOf(page.b) <= kFirstBytes) {
      BLOBSCOPE_TRY(compared, computePage(*page.a, *page.b, options, monitor));
      page.compared = std::move(compared);
    } else {
      continue;
    }
    if (page.compared->diff.same || page.compared->diff.content.index() == 0) {
      if (!page.compared->tensor || page.compared->diff.same) continue;
    }
    best = index;
    break;
  }
  pair.first = best.value_or(0);
  return Done{};
}

/// Pages and differences made from bytes that may have changed are not shown. Error: FILE-CHANGED.
Result<Done> checkBoth(const library::Package& a, const library::Package& b) {
  BLOBSCOPE_CHECK(library::checkUnchanged(a));
  return library::checkUnchanged(b);
}

Result<NodePair> computePair(const PackagePtr& a, const PackagePtr& b, NodePair pair,
                             const diff::CompareOptions& options, Monitor& monitor) {
  view::PageList pagesA, pagesB;
  if (pair.a) {
    BLOBSCOPE_TRY(pages, describe::pagesOf(a, *pair.a, monitor));
    pagesA = std::move(pages);
  }
  if (pair.b) {
    BLOBSCOPE_TRY(pages, describe::pagesOf(b, *pair.b, monitor));
    pagesB = std::move(pages);
  }
  if (pair.a && pair.b) {
    const auto tensorOf = [&monitor](const PackagePtr& package, const Ref& ref) {
      const auto node = library::findNode(*package, ref, monitor);
      return node ? node->tensor : nullptr;
    };
    pair.tensorA = tensorOf(a, *pair.a);
    pair.tensorB = tensorOf(b, *pair.b);
    if (pair.tensorA && pair.tensorB)
      pair.pages.push_back({kTensorPage, "tensor", {}, {}, {}});
    else
      pair.tensorA = pair.tensorB = nullptr;
  }
  for (const diff::PagePair& both : diff::pairPages(pagesA, pagesB)) {
    NodePair::Page page;
    if (both.a != diff::PagePair::kNone) page.a = std::move(pagesA[both.a]);
    if (both.b != diff::PagePair::kNone) page.b = std::move(pagesB[both.b]);
    const view::Page& either = page.b ? *page.b : *page.a;
    page.name = either.name;
    page.kind = std::string(view::pageKind(either));
    pair.pages.push_back(std::move(page));
  }
  BLOBSCOPE_CHECK(findFirst(pair, options, monitor));
  return pair;
}

/// Returns the tree without the nodes that are the same on both sides.
diff::DiffTree differing(const diff::DiffTree& tree) {
  std::vector<bool> kept(tree.nodes.size(), false);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    if (tree.nodes[i].status != diff::Status::Same) kept[i] = true;
    if (kept[i] && tree.nodes[i].parent != diff::DiffNode::kNoParent) kept[tree.nodes[i].parent] = true;
  }
  diff::DiffTree out = tree;
  out.nodes.clear();
  std::vector<uint32_t> place(tree.nodes.size(), diff::DiffNode::kNoParent);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!kept[i]) continue;
    place[i] = static_cast<uint32_t>(out.nodes.size());
    diff::DiffNode& node = out.nodes.emplace_back(tree.nodes[i]);
    if (node.parent != diff::DiffNode::kNoParent) node.parent = place[node.parent];
  }
  return out;
}

/// Errors: FILE-WRITE; FILE-SAME when the path is one of the compared files.
Result<Done> writeFile(const ComparedPtr& compared, const QString& path, Monitor& monitor) {
  const diff::DiffTree tree = differing(compared->tree);
  BLOBSCOPE_TRY(file, OutputFile::create(pathFrom(QFile::encodeName(path).toStdString()),
                                         {{pathFrom(tree.a.path), pathFrom(tree.b.path)}}));
  std::string text;
  const describe::TextSink sink = [&text](std::string_view piece) { text += piece; };
  const bool markdown = path.endsWith(QLatin1String(".md"), Qt::CaseInsensitive) ||
                        path.endsWith(QLatin1String(".markdown"), Qt::CaseInsensitive);
  if (markdown) {
    BLOBSCOPE_CHECK(describe::writeMarkdown(tree, sink, monitor));
  } else {
    BLOBSCOPE_TRY(graphs, describe::differingGraphs(tree, compared->a, compared->b, monitor));
    BLOBSCOPE_TRY(bytes, sizes::compareSizes(compared->a, compared->b, monitor));
    BLOBSCOPE_TRY(memory, describe::memoryChanges(compared->a, compared->b, monitor));
    BLOBSCOPE_CHECK(describe::writeHtml(tree, sink, monitor, graphs, &bytes, memory ? &*memory : nullptr));
  }
  BLOBSCOPE_CHECK(file.write(Bytes::copyOf(text), monitor));
  return file.commit();
}

} // namespace

Comparison::Comparison(Jobs& jobs, PackagePtr a, QString titleA, PackagePtr b, QString titleB, QObject* parent)
    : QObject(parent), m_jobs(jobs), m_a(std::move(a)), m_b(std::move(b)), m_titleA(std::move(titleA)),
      m_titleB(std::move(titleB)), m_tag(QStringLiteral("compare/%1").arg(reinterpret_cast<quintptr>(this))),
      m_pairTag(m_tag + QLatin1String("/pair")), m_pageTag(m_tag + QLatin1String("/page")),
      m_reportTag(m_tag + QLatin1String("/report")) {
  m_options.full = true;
}

Comparison::~Comparison() {
  for (const QString& tag : {m_tag, m_pairTag, m_pageTag, m_reportTag}) m_jobs.cancel(tag);
}

void Comparison::start() {
  const auto first = [guard = QPointer<Comparison>(this), jobs = &m_jobs, run = ++m_runs](const ComparedPtr& found) {
    // Posted to the jobs, which outlive all work; this object may no longer exist.
    QMetaObject::invokeMethod(
        jobs,
        [guard, run, found] {
          if (!guard || guard->m_runs != run || !guard->isRunning()) return;
          guard->m_result = found;
          Q_EMIT guard->firstFound();
        },
        Qt::QueuedConnection);
  };
  m_jobs.start<ComparedPtr>(
      m_tag,
      [a = m_a, b = m_b, options = m_options, first](Monitor& monitor) -> Result<ComparedPtr> {
        BLOBSCOPE_TRY(compared, computeCompared(a, b, options, monitor, first));
        BLOBSCOPE_CHECK(checkBoth(*a, *b));
        return compared;
      },
      [guard = QPointer<Comparison>(this)](Result<ComparedPtr> result) {
        if (!guard) return;
        if (!result) {
          Q_EMIT guard->cancelled();
          return;
        }
        guard->m_result = std::move(*result);
        Q_EMIT guard->compared();
      });
}

void Comparison::cancel() {
  if (!isRunning()) return;
  m_jobs.cancel(m_tag);
  Q_EMIT cancelled();
}

void Comparison::swap() {
  std::swap(m_a, m_b);
  std::swap(m_titleA, m_titleB);
  start();
  if (m_pair.a || m_pair.b) choose(m_pair.b, m_pair.a);
}

void Comparison::setPackage(Side side, PackagePtr package, const QString& title) {
  (side == Side::A ? m_a : m_b) = std::move(package);
  (side == Side::A ? m_titleA : m_titleB) = title;
  start();
  if (m_pair.a || m_pair.b) choose(m_pair.a, m_pair.b);
}

void Comparison::setOptions(const diff::CompareOptions& options) {
  const auto treeOptions = [](const diff::CompareOptions& o) {
    return std::tuple(o.full, o.order, o.names, o.container, o.hostCode, o.rawNumbers);
  };
  if (treeOptions(options) == treeOptions(m_options) && options.masks == m_options.masks) return;
  m_options = options;
  start();
  if (m_pair.a || m_pair.b) choose(m_pair.a, m_pair.b);
}

void Comparison::choose(std::optional<Ref> a, std::optional<Ref> b) {
  m_jobs.cancel(m_pageTag);
  m_pair = {};
  m_pair.a = std::move(a);
  m_pair.b = std::move(b);
  m_jobs.start<NodePair>(
      m_pairTag,
      [a = m_a, b = m_b, pair = m_pair, options = m_options](Monitor& monitor) -> Result<NodePair> {
        BLOBSCOPE_TRY(made, computePair(a, b, pair, options, monitor));
        BLOBSCOPE_CHECK(checkBoth(*a, *b));
        return made;
      },
      [guard = QPointer<Comparison>(this)](Result<NodePair> pair) {
        if (!guard) return;
        if (!pair) {
          Q_EMIT guard->pairFailed(toQt(pair.error().message()));
          return;
        }
        guard->m_pair = std::move(*pair);
        Q_EMIT guard->pairReady();
      });
}

void Comparison::cancelPair() {
  if (!isPairing()) return;
  m_jobs.cancel(m_pairTag);
  m_jobs.cancel(m_pageTag);
  Q_EMIT pairCancelled();
}

void Comparison::comparePage(int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= m_pair.pages.size()) return;
  m_jobs.cancel(m_pageTag);
  const NodePair::Page& page = m_pair.pages[static_cast<std::size_t>(index)];
  const bool made = !isLater(page.a) && !isLater(page.b);
  if (page.compared || (made && page.kind != "tensor" && (!page.a || !page.b))) {
    Q_EMIT pageReady(index);
    return;
  }
  m_jobs.start<NodePair::Page>(
      m_pageTag,
      [page, a = m_pair.tensorA, b = m_pair.tensorB, packageA = m_a, packageB = m_b,
       options = m_options](Monitor& monitor) -> Result<NodePair::Page> {
        NodePair::Page out = page;
        if (page.kind == "tensor") {
          BLOBSCOPE_TRY(numbers, computeNumbers(*a, *b, monitor));
          out.compared = std::move(numbers);
        } else if (page.a && page.b) {
          BLOBSCOPE_TRY(compared, computePage(*page.a, *page.b, options, monitor));
          out.compared = std::move(compared);
        } else {
          std::optional<view::Page>& side = page.a ? out.a : out.b;
          BLOBSCOPE_TRY(only, view::resolvePage(*side, monitor));
          side = std::move(only);
        }
        BLOBSCOPE_CHECK(checkBoth(*packageA, *packageB));
        return out;
      },
      [guard = QPointer<Comparison>(this), index](Result<NodePair::Page> done) {
        // A newer pair may have cancelled this job.
        if (!guard || static_cast<std::size_t>(index) >= guard->m_pair.pages.size()) return;
        if (!done) {
          Q_EMIT guard->pageFailed(index, toQt(done.error().message()));
          return;
        }
        guard->m_pair.pages[static_cast<std::size_t>(index)] = std::move(*done);
        Q_EMIT guard->pageReady(index);
      });
}

void Comparison::writeReport(const QString& path) {
  if (!m_result) {
    Q_EMIT reportFailed(tr("Wait until the comparison is complete, then export it."));
    return;
  }
  m_jobs.start<Done>(
      m_reportTag, [result = m_result, path](Monitor& monitor) { return writeFile(result, path, monitor); },
      [guard = QPointer<Comparison>(this), path](Result<Done> done) {
        if (!guard) return;
        if (!done)
          Q_EMIT guard->reportFailed(toQt(done.error().message()));
        else
          Q_EMIT guard->reported(path);
      });
}

} // namespace blobscope::ui
