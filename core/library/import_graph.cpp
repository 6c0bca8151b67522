#include "core/library/import_graph.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::library {
namespace {

std::string_view groupOf(const Module& module) {
  if (module.isLibrary()) return "Host code";
  if (!module.body->kernels().empty()) return "Device modules";
  return "Other modules";
}

} // namespace

view::GraphPage importGraph(const Blob& blob) {
  using view::GraphPage;
  GraphPage page;
  page.unit = "modules";
  page.bytesOf = "payload";
  page.named = true;
  const std::size_t shown = std::min(blob.modules.size(), GraphPage::kNodes);
  page.omitted = blob.modules.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const Module& module = *blob.modules[i];
    GraphPage::Node node;
    node.title = escapedWithin(module.key.view(), 60);
    node.name = "m" + std::to_string(module.index) + " " + escaped(module.key.view());
    const std::size_t kernels = module.body->kernels().size();
    node.note = kernels > 0 ? countText(kernels, "kernel") : "m" + std::to_string(module.index);
    node.group = groupOf(module);
    node.device = kernels > 0 ? node.title : std::string();
    node.kind = GraphPage::Kind::Module;
    node.bytes = module.payload.size();
    node.ref = blob.moduleRef(module.index);
    page.nodes.push_back(std::move(node));
    for (const uint32_t imported : module.imports)
      if (imported < shown && page.edges.size() < GraphPage::kEdges)
        page.edges.push_back({static_cast<uint32_t>(i), imported, {}});
  }
  if (blob.hasRootModule() || blob.modules.empty()) return page;
  GraphPage::Node library;
  library.title = library.name = "library";
  library.group = "Host code";
  library.kind = GraphPage::Kind::Module;
  library.ref = blob.ref();
  const auto number = static_cast<uint32_t>(page.nodes.size());
  for (const uint32_t root : blob.roots())
    if (root < shown) page.edges.push_back({number, root, {}});
  page.nodes.push_back(std::move(library));
  return page;
}

} // namespace blobscope::library
