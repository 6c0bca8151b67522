#include "core/sizes/page.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/view/page_id.h"

#include <algorithm>

namespace blobscope::sizes {
namespace {

using view::TreemapPage;

/// "softmax_kernel in Blob › vulkan takes the most bytes: 152,632 of 1,410,480, 10.8 %."
std::string sentenceOf(const TreemapPage& page) {
  const std::vector<uint32_t> leaves = page.leavesBelow(0);
  const std::string total = countText(page.total(), "byte");
  if (leaves.size() < 2) return total + ".";
  const auto largest = std::ranges::find_if(leaves, [&](uint32_t leaf) { return page.items[leaf].merged == 0; });
  if (largest == leaves.end()) return total + ".";
  const TreemapPage::Item& item = page.items[*largest];
  const std::string above = page.pathAbove(*largest);
  return item.name + (above.empty() ? "" : " in " + above) + " takes most: " + groupedText(item.bytes) + " of " +
         total + ", " + page.shareText(*largest) + ".";
}

/// What the sizes of a file mean where they are not those of its bytes on disk.
std::vector<std::string> notesOf(const library::Package& package) {
  std::vector<std::string> notes;
  const container::Image& image = package.image;
  const bool isArchive = image.kind == container::Kind::Archive;
  const bool isUnpacked = isArchive && std::ranges::any_of(package.members, [&](const library::PackageMember& member) {
                            return !member.stored->bytes.empty() && !library::placeIn(package, member.stored->bytes);
                          });
  if (isUnpacked)
    notes.push_back(std::string(image.unpackedSize > 0 ? "The sizes are those of the uncompressed archive; the file"
                                                       : "The sizes are those of the unpacked members; the file") +
                    " has " + countText(package.bytes.size(), "byte") +
                    (image.compression.empty() ? "." : ", compressed with " + image.compression + "."));
  if (image.format == container::Format::CSource && !package.blobs.empty())
    notes.push_back("The source contains the blob as text; the page Size of the blob shows what it consists of.");
  return notes;
}

Result<Node> nodeFor(const library::PackagePtr& package, const Ref& ref, Work& work) {
  if (ref.kind == Ref::Kind::File) {
    BLOBSCOPE_TRY(inner, library::memberIn(*package, ref));
    return wholeFileNode(*inner, work);
  }
  BLOBSCOPE_TRY(found, library::resolve(*package, ref));
  if (found.module) return moduleNode(*found.blob, *found.module, FreeRanges(found.module->payload.size()), work);
  return blobNode(*found.blob, FreeRanges(found.blob->bytes.size()), work);
}

} // namespace

TreemapPage pageOf(const Node& root, std::vector<std::string> notes) {
  TreemapPage page;
  page.notes = std::move(notes);
  // Level by level, so that the limit cuts the deepest ones.
  std::vector<const Node*> nodes = {&root};
  const auto add = [&page](const Node& node, uint32_t parent) {
    page.items.push_back({node.name.empty() ? "without a name" : node.name, node.note, node.kind, node.bytes, parent, 0,
                          0, node.merged, node.ref, node.file});
  };
  add(root, 0);
  for (uint32_t at = 0; at < nodes.size(); ++at) {
    const std::vector<Node>& children = nodes[at]->children;
    if (children.empty() || page.items.size() + children.size() > limits::kTreeRows) continue;
    page.items[at].first = static_cast<uint32_t>(page.items.size());
    page.items[at].count = static_cast<uint32_t>(children.size());
    for (const Node& child : children) {
      nodes.push_back(&child);
      add(child, at);
    }
  }
  page.sentence = sentenceOf(page);
  return page;
}

Result<TreemapPage> sizesOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor) {
  longWork("sizes::sizesOf");
  Work work(monitor);
  BLOBSCOPE_TRY(node, nodeFor(package, ref, work));
  if (work.wasStopped()) return Error(DiagnosticId::Cancelled, {});
  std::vector<std::string> notes;
  if (ref.kind == Ref::Kind::File) {
    BLOBSCOPE_TRY(inner, library::memberIn(*package, ref));
    notes = notesOf(*inner);
  }
  return pageOf(node, std::move(notes));
}

Result<Done> addPage(const library::PackagePtr& package, const Ref& ref, view::PageList& pages) {
  const bool isWhole = ref.parts.empty() && !ref.at;
  const bool isSized = ref.kind == Ref::Kind::File || ref.kind == Ref::Kind::Blob || ref.kind == Ref::Kind::Module;
  if (!isWhole || !isSized) return Done{};
  uint64_t bytes = 0;
  if (ref.kind == Ref::Kind::File) {
    BLOBSCOPE_TRY(inner, library::memberIn(*package, ref));
    bytes = inner->bytes.size();
  } else {
    BLOBSCOPE_TRY(found, library::resolve(*package, ref));
    bytes = found.module ? found.module->payload.size() : found.blob->bytes.size();
  }
  if (bytes == 0) return Done{};
  const auto make = [package, ref](Monitor& monitor) -> Result<view::Page> {
    BLOBSCOPE_TRY(page, sizesOf(package, ref, monitor));
    return view::Page{view::page_id::kSize, std::make_shared<const TreemapPage>(std::move(page))};
  };
  auto place = std::ranges::find(
      pages, std::string_view(ref.kind == Ref::Kind::File ? view::page_id::kOverview : view::page_id::kFields),
      &view::Page::name);
  if (ref.kind == Ref::Kind::File && place != pages.end()) ++place;
  pages.insert(place, {view::page_id::kSize, view::DeferredPage{"treemap", make}});
  return Done{};
}

} // namespace blobscope::sizes
