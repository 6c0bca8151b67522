#include "core/view/treemap_page.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace blobscope::view {
namespace {

constexpr uint32_t kItemsPerCheck = 4096;
constexpr std::size_t kPathBytes = 400;

/// Calls `visit(item, depth)` for all items, those above first. Returns false when `visit` does.
template <class Visit> bool walkItems(const TreemapPage& page, const Visit& visit) {
  struct Open {
    uint32_t item, depth;
  };
  std::vector<Open> open;
  if (!page.items.empty()) open.push_back({0, 0});
  while (!open.empty()) {
    const Open now = open.back();
    open.pop_back();
    if (!visit(now.item, now.depth)) return false;
    const TreemapPage::Item& item = page.items[now.item];
    for (uint32_t i = item.count; i > 0; --i) open.push_back({item.first + i - 1, now.depth + 1});
  }
  return true;
}

class TreemapTable final : public TableSource {
public:
  explicit TreemapTable(TreemapPagePtr page)
      : m_page(std::move(page)), m_rows(m_page->items.empty() ? std::vector<uint32_t>() : m_page->leavesBelow(0)) {}
  std::vector<Column> columns() const override {
    return {{"name"}, {"in"}, {"what"}, {"bytes", true, true}, {"share in %", true}};
  }
  uint64_t rowCount() const override { return m_rows.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const TreemapPage::Item& item = m_page->items[m_rows[row]];
    switch (column) {
    case 0: return item.name;
    case 1: return m_page->pathAbove(m_rows[row]);
    case 2: return std::string(TreemapPage::kindTitle(item.kind));
    case 3: return std::to_string(item.bytes);
    default: {
      const std::string share = m_page->shareText(m_rows[row]);
      return share.substr(0, share.find(' '));
    }
    }
  }
  uint64_t number(uint64_t row, std::size_t column) const override {
    return column >= 3 ? m_page->items[m_rows[row]].bytes : 0;
  }
  std::optional<Ref> target(uint64_t row, const Ref&) const override { return m_page->items[m_rows[row]].ref; }

private:
  TreemapPagePtr m_page;
  std::vector<uint32_t> m_rows;
};

} // namespace

std::string_view TreemapPage::kindName(Kind kind) {
  constexpr std::array<std::string_view, kKinds> kNames = {"container", "vm",     "kernel", "host-code",
                                                           "constants", "tables", "unnamed"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view TreemapPage::kindTitle(Kind kind) {
  constexpr std::array<std::string_view, kKinds> kTitles = {
      "Containers", "VM, graph", "Kernels", "Host code", "Constants, data", "Sections, tables", "No name"};
  return kTitles[static_cast<std::size_t>(kind)];
}

const std::string& TreemapPage::fileOf(uint32_t item) const {
  while (item != 0 && items[item].file.empty()) item = items[item].parent;
  return items[item].file;
}

std::string TreemapPage::pathAbove(uint32_t item) const {
  std::string path;
  for (uint32_t at = items[item].parent; at != 0; at = items[at].parent)
    path = items[at].name + (path.empty() ? "" : " › ") + path;
  return shortened(path, kPathBytes);
}

std::vector<uint32_t> TreemapPage::leavesBelow(uint32_t item) const {
  std::vector<uint32_t> leaves, open = {item};
  while (!open.empty()) {
    const uint32_t now = open.back();
    open.pop_back();
    if (isLeaf(now)) leaves.push_back(now);
    for (uint32_t i = items[now].count; i > 0; --i) open.push_back(items[now].first + i - 1);
  }
  std::ranges::stable_sort(leaves, [this](uint32_t a, uint32_t b) { return items[a].bytes > items[b].bytes; });
  return leaves;
}

std::string TreemapPage::shareText(uint32_t item, uint32_t of) const {
  const double all = static_cast<double>(std::max<uint64_t>(items[of].bytes, 1));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", static_cast<double>(items[item].bytes) / all * 100);
  return text.data();
}

std::string TreemapPage::itemText(uint32_t item) const {
  return items[item].name + ", " + countText(items[item].bytes, "byte") + ", " + shareText(item);
}

TablePage treemapTable(const TreemapPagePtr& page) { return {std::make_shared<TreemapTable>(page)}; }

Result<Done> renderTreemap(const TreemapPage& page, const TextSink& sink, Monitor& monitor) {
  sink(page.sentence + "\n");
  for (const std::string& note : page.notes) sink(note + "\n");
  sink("\n");
  const std::size_t wide = groupedText(page.total()).size();
  const bool whole = walkItems(page, [&](uint32_t index, uint32_t depth) {
    if (index % kItemsPerCheck == 0 && monitor.stopRequested()) return false;
    const TreemapPage::Item& item = page.items[index];
    std::string bytes = groupedText(item.bytes), share = page.shareText(index);
    bytes.insert(0, wide - bytes.size(), ' ');
    share.insert(0, share.size() < 7 ? 7 - share.size() : 0, ' ');
    sink(bytes + "  " + share + "  " + std::string(std::size_t{2} * depth, ' ') + item.name +
         (item.note.empty() ? "" : "  (" + item.note + ")") + "\n");
    return true;
  });
  if (!whole) return Error(DiagnosticId::Cancelled, {});
  return Done{};
}

Result<Done> renderTreemap(const TreemapPage& page, json::Writer& writer, Monitor& monitor) {
  writer.member("total", page.total());
  writer.member("sentence", page.sentence);
  writer.listMember("notes", page.notes);
  writer.key("items").beginArray();
  const bool whole = walkItems(page, [&](uint32_t index, uint32_t depth) {
    if (index % kItemsPerCheck == 0 && monitor.stopRequested()) return false;
    const TreemapPage::Item& item = page.items[index];
    writer.beginObject();
    writer.member("name", item.name);
    writer.member("note", item.note);
    writer.member("kind", TreemapPage::kindName(item.kind));
    writer.member("depth", uint64_t{depth});
    writer.member("bytes", item.bytes);
    writer.member("children", uint64_t{item.count});
    item.merged > 0 ? writer.member("merged", item.merged) : writer.nullMember("merged");
    item.ref ? writer.member("ref", item.ref->toString()) : writer.nullMember("ref");
    if (!item.file.empty()) writer.member("file", item.file);
    writer.endObject();
    return true;
  });
  writer.endArray();
  if (!whole) return Error(DiagnosticId::Cancelled, {});
  return Done{};
}

} // namespace blobscope::view
