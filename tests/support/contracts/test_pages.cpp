#include "core/describe/node.h"

#include "core/library/contents.h"
#include "core/library/node.h"
#include "core/library/open.h"
#include "core/view/calls_page.h"
#include "core/view/plan_page.h"
#include "core/view/render.h"
#include "core/view/treemap_page.h"
#include "tests/core/base/compare.h"
#include "tests/core/base/files.h"
#include "tests/core/modules/tree_check.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QTemporaryDir>

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using library::PackagePtr;

namespace {

/// The bundled samples.
std::vector<std::filesystem::path> samples() {
  const QDir folder(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample"));
  std::vector<std::filesystem::path> found;
  for (const QString& name : folder.entryList(QDir::Files, QDir::Name))
    if (!name.endsWith(QLatin1String(".py")) && !name.endsWith(QLatin1String(".md")))
      found.emplace_back(folder.filePath(name).toStdString());
  return found;
}

PackagePtr openedFile(const std::filesystem::path& path) {
  NullMonitor monitor;
  const auto package = library::open(path, monitor);
  if (!package) qFatal("%s: %s", path.c_str(), package.error().message().c_str());
  return *package;
}

/// Every node that the contents tree leads to, those of opened members included.
std::vector<Ref> nodesOf(const PackagePtr& package) {
  std::vector<Ref> refs;
  std::set<std::string> known;
  library::forEachPackage(package, [&](const PackagePtr& inner) {
    for (const library::ContentsRow& row : library::contentsOf(*inner))
      if (known.insert(row.ref.toString()).second) refs.push_back(row.ref);
  });
  return refs;
}

/// Why the rows of a tree do not lie inside their parents and the bytes, empty when they do.
QString whyOutside(const FieldTree& tree) {
  std::vector<std::pair<uint32_t, Extent>> open = {{static_cast<uint32_t>(tree.rows.size()), {0, tree.bytes.size()}}};
  for (uint32_t row = 0; row < tree.rows.size(); ++row) {
    const Field& field = tree.rows[row];
    while (open.back().first <= row) open.pop_back();
    const Extent extent{field.offset, field.size};
    if (field.after <= row || field.after > open.back().first || !open.back().second.contains(extent))
      return QStringLiteral("row %1 '%2' is outside").arg(row).arg(shown(tree.path(row)));
    open.emplace_back(field.after, extent);
  }
  return {};
}

/// Why bytes with a place are not those at that place of the file, empty when they are. Pages of an archive also show
/// bytes of its members, whose places count from the member's first byte.
std::string misplacedReason(const library::Package& file, const Bytes& bytes) {
  if (!bytes.offset()) return {};
  const auto hasThere = [&](const Bytes& whole) {
    return Extent{0, whole.size()}.contains(Extent{*bytes.offset(), bytes.size()}) &&
           whole.slice(*bytes.offset(), bytes.size()) == bytes;
  };
  if (hasThere(file.bytes)) return {};
  for (const container::Member& member : file.image.members)
    if (hasThere(member.bytes)) return {};
  return "other bytes than the file has there";
}

/// What a window shows of a page and the renderers do not: spans, links, the fields beside bytes.
std::string hiddenText(const Ref& ref, const view::Page& page) {
  std::string text;
  const auto add = [&](const std::optional<Ref>& target) {
    text += target ? " -> " + target->toString() + "\n" : "\n";
  };
  if (const auto* const hex = std::get_if<view::HexPage>(&page.content)) {
    for (const view::Span& span : hex->spans) {
      text += span.name + " " + hexText(span.extent.offset) + "+" + std::to_string(span.extent.size) + " " +
              std::to_string(static_cast<int>(span.owner)) + (span.unknown ? " unknown " : " ") + span.moduleKey;
      add(span.ref);
    }
    if (hex->damage) text += "damage " + hexText(hex->damage->offset) + "+" + std::to_string(hex->damage->size) + "\n";
    if (hex->fields) text += rowsText(*hex->fields);
  } else if (const auto* const table = std::get_if<view::TablePage>(&page.content)) {
    for (uint64_t row = 0; row < table->source->rowCount(); ++row) add(table->source->target(row, ref));
  } else if (const auto* const graph = std::get_if<view::GraphPage>(&page.content)) {
    for (const view::GraphPage::Node& node : graph->nodes) add(node.ref);
  }
  return text;
}

std::string whyWrong(const PackagePtr& package, const std::optional<Ref>& target) {
  NullMonitor monitor;
  if (!target) return {};
  const auto node = library::findNode(*package, *target, monitor);
  return node ? "" : "leads to " + target->toString() + ": " + node.error().message();
}

/// Why the extents and targets of a page are wrong, empty when they are right.
std::string whyWrong(const PackagePtr& package, const Ref& ref, const view::Page& page) {
  const auto file = library::memberOf(package, ref);
  if (!file) return file.error().message();
  if (const auto* const fields = std::get_if<view::FieldsPage>(&page.content)) {
    // No field owns the punctuation of a JSON text.
    const bool isBinary = ref.kind == Ref::Kind::Module || ref.kind == Ref::Kind::Blob;
    const QString gaps = isBinary ? whyNotTiled(*fields->tree, fields->tree->bytes.size()) : whyOutside(*fields->tree);
    return gaps.isEmpty() ? misplacedReason(**file, fields->tree->bytes) : gaps.toStdString();
  }
  if (const auto* const text = std::get_if<view::TextPage>(&page.content)) return misplacedReason(**file, text->text);
  if (const auto* const hex = std::get_if<view::HexPage>(&page.content)) {
    uint64_t done = 0;
    for (const view::Span& span : hex->spans) {
      if (span.extent.offset != done) return "span '" + span.name + "' leaves a gap";
      done = span.extent.end();
      if (std::string found = whyWrong(package, span.ref); !found.empty()) return found;
    }
    if (!hex->spans.empty() && done != hex->bytes.size()) return "the spans end at " + hexText(done);
    if (hex->damage && !Extent{0, hex->bytes.size()}.contains(*hex->damage)) return "damage outside the bytes";
    if (hex->fields && hex->fields->bytes.size() != hex->bytes.size()) return "fields of other bytes";
    return misplacedReason(**file, hex->bytes);
  }
  if (const auto* const table = std::get_if<view::TablePage>(&page.content)) {
    if (table->source->columns().empty()) return "no columns";
    for (uint64_t row = 0; row < table->source->rowCount(); ++row)
      if (std::string found = whyWrong(package, table->source->target(row, ref)); !found.empty())
        return "row " + std::to_string(row) + " " + found;
    return {};
  }
  if (const auto* const graph = std::get_if<view::GraphPage>(&page.content)) {
    if (graph->nodes.empty()) return "no nodes";
    for (const view::GraphPage::Node& node : graph->nodes)
      if (std::string found = whyWrong(package, node.ref); !found.empty()) return node.name + " " + found;
    for (const view::GraphPage::Edge& edge : graph->edges)
      if (edge.from >= graph->nodes.size() || edge.to >= graph->nodes.size()) return "an edge to no node";
  }
  if (const auto* const bars = std::get_if<view::BarsPage>(&page.content))
    for (const view::BarsPage::Group& group : bars->groups)
      for (const view::BarsPage::Bar& bar : group.bars)
        if (std::string found = whyWrong(package, bar.target); !found.empty()) return found;
  if (const auto* const plots = std::get_if<view::PlotPage>(&page.content))
    for (const view::PlotPage::Plot& plot : plots->plots)
      for (const view::PlotPage::Series& series : plot.series)
        for (const view::PlotPage::Point& point : series.points)
          if (std::string found = whyWrong(package, point.target); !found.empty()) return found;
  if (const auto* const plan = std::get_if<view::PlanPagePtr>(&page.content)) return whyWrong(package, (*plan)->ref);
  if (const auto* const calls = std::get_if<view::CallsPagePtr>(&page.content))
    for (const view::CallsPage::Row& row : (*calls)->rows)
      if (std::string found = whyWrong(package, row.ref); !found.empty()) return found;
  if (const auto* const map = std::get_if<view::TreemapPagePtr>(&page.content)) {
    uint64_t leaves = 0;
    for (uint32_t i = 0; i < (*map)->items.size(); ++i) {
      if ((*map)->isLeaf(i)) leaves += (*map)->items[i].bytes;
      if (std::string found = whyWrong(package, (*map)->items[i].ref); !found.empty()) return found;
    }
    if (leaves != (*map)->total()) return "the leaves are not all bytes";
  }
  return {};
}

} // namespace

/// What the pages of every node promise, on the bundled samples.
class TestPages : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void nodes_data();
  void nodes();
  void everyKindOccurs();

private:
  QTemporaryDir m_folder;
  std::set<std::string> m_kinds; ///< of the pages that nodes() has seen
};

void TestPages::nodes_data() {
  QTest::addColumn<QString>("path");
  for (const std::filesystem::path& path : samples())
    QTest::newRow(path.filename().c_str()) << QString::fromStdString(path);
  QVERIFY(samples().size() >= 6);
  // Machine code of CUDA, which no sample has.
  const std::string cubin = cuda::CubinFile{.kernels = {cuda::kernel("add_kernel")}}.build();
  const std::vector<Record> records = {{"_lib", ""}, {"cuda", code3("cubin", {{"add_kernel"}}, cubin, Info::Four)}};
  ElfBuilder elf;
  elf.function("__tvm_ffi_add_kernel").data("__tvm_ffi__library_bin", ffiBlob(records, {{1}, {}}));
  writeFile(in(m_folder, "cubin.so"), elf.build());
  QTest::newRow("cubin.so") << m_folder.filePath(QStringLiteral("cubin.so"));
}

void TestPages::nodes() {
  QFETCH(QString, path);
  const PackagePtr package = openedFile(path.toStdString()), again = openedFile(path.toStdString());
  NullMonitor monitor;
  const std::vector<Ref> refs = nodesOf(package);
  QVERIFY(refs.size() > 5);
  std::size_t count = 0;
  for (const Ref& ref : refs) {
    const std::string node = ref.toString();
    const auto pages = describe::pagesOf(package, ref, monitor), second = describe::pagesOf(again, ref, monitor);
    QVERIFY2(pages && second, (node + ": " + (pages ? "" : pages.error().message())).c_str());
    QVERIFY2(!pages->empty() && pages->size() == second->size(), node.c_str());
    std::set<std::string> names;
    for (std::size_t i = 0; i < pages->size(); ++i) {
      const std::string place = node + " " + (*pages)[i].name + ": ";
      QVERIFY2(names.insert((*pages)[i].name).second, (place + "a second page of that name").c_str());
      const auto page = view::resolvePage((*pages)[i], monitor), other = view::resolvePage((*second)[i], monitor);
      QVERIFY2(page && other, (place + (page ? "" : page.error().message())).c_str());
      QCOMPARE(page->name, (*pages)[i].name);
      ++count;
      m_kinds.insert(std::string(view::pageKind(*page)));
      const std::string found = whyWrong(package, ref, *page);
      QVERIFY2(found.empty(), (place + found).c_str());

      const auto jsonOf = [&](const view::Page& shown) {
        std::string text;
        json::Writer writer([&](std::string_view part) { text += part; }, json::Layout::OneLine);
        writer.beginObject();
        const bool done = view::renderJson(shown, writer, monitor).hasValue();
        writer.endObject();
        writer.finish();
        return done ? text : "";
      };
      const std::string json = jsonOf(*page);
      QVERIFY2(json::parse(Bytes::copyOf(json)).hasValue(), (place + json.substr(0, 200)).c_str());
      QVERIFY2(jsonOf(*other) == json, (place + "described a second time it is another").c_str());
      QVERIFY2(hiddenText(ref, *other) == hiddenText(ref, *page),
               (place + "spans, links or fields are others").c_str());
      std::string text;
      QVERIFY2(view::renderText(*page, [&](std::string_view part) { text += part; }, monitor), place.c_str());
      QVERIFY2(!text.empty() || json.find("\"rows\":[]") != std::string::npos, (place + "no text").c_str());
    }
    const auto details = describe::detailsOf(package, ref, monitor);
    QVERIFY2(details && !details->empty(), (node + ": no details").c_str());
  }
  qInfo("%zu nodes with %zu pages", refs.size(), count);
}

/// Every alternative of view::Page is among the pages that were seen. A DeferredPage becomes one of the others.
void TestPages::everyKindOccurs() {
  if (m_kinds.empty()) QSKIP("nodes() was not run: no pages to look at");
  const std::set<std::string> wanted = {"fields", "table",  "text", "hex",  "notice", "bars", "checklist",
                                        "graph",  "report", "plot", "plan", "calls",  "grid", "treemap"};
  QCOMPARE(std::variant_size_v<decltype(view::Page::content)>, wanted.size() + 1);
  for (const std::string& kind : wanted) QVERIFY2(m_kinds.contains(kind), ("no page of kind " + kind).c_str());
}

BLOBSCOPE_TEST(TestPages);
#include "test_pages.moc"
