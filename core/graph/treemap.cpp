#include "core/graph/treemap.h"

#include "core/graph/squarify.h"

#include <algorithm>
#include <cmath>

namespace blobscope::graph {
namespace {

using view::TreemapPage;

class TreemapLayout {
public:
  TreemapLayout(const TreemapPage& page, const TreemapOptions& options) : m_page(page), m_options(options) {}

  std::vector<TreemapCell> run(const Rect& whole) {
    if (m_page.isLeaf(m_options.level))
      m_cells.push_back({m_options.level, 0, whole, 0, false, 0});
    else
      fill(m_options.level, whole, 0);
    return std::move(m_cells);
  }

private:
  /// Places what is directly below an item, and what is below that.
  void fill(uint32_t above, const Rect& room, uint32_t depth) {
    const TreemapPage::Item& item = m_page.items[above];
    const double scale = room.width * room.height / static_cast<double>(std::max<uint64_t>(item.bytes, 1));
    // Sizes descend: the first one that is too small ends the cells of their own.
    std::vector<uint64_t> sizes;
    uint64_t rest = 0;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < item.count; ++i) {
      const uint64_t bytes = m_page.items[item.first + i].bytes;
      const bool isSmall = static_cast<double>(bytes) * scale < m_options.least * m_options.least;
      if (isSmall && item.count - i > 1) {
        for (uint32_t k = i; k < item.count; ++k) rest += m_page.items[item.first + k].bytes;
        break;
      }
      sizes.push_back(bytes);
      ++shown;
    }
    if (shown < item.count) sizes.push_back(rest);
    const std::vector<Rect> places = squarify(sizes, room);
    for (uint32_t i = 0; i < places.size(); ++i)
      place(item.first + i, i < shown ? 0 : item.count - shown, places[i], depth);
  }

  void place(uint32_t item, uint32_t merged, const Rect& room, uint32_t depth) {
    m_cells.push_back({item, merged, room, depth, false, 0});
    if (merged > 0 || m_page.isLeaf(item) || depth + 1 >= m_options.levels) return;
    const double header = room.width >= 46 && room.height >= m_options.header + 18 ? m_options.header : 0;
    const double edge = m_options.padding;
    const double top = std::max(header, edge);
    const Rect inner{room.x + edge, room.y + top, room.width - 2 * edge, room.height - top - edge};
    if (inner.width < 2 * m_options.least || inner.height < 2 * m_options.least) return;
    m_cells.back().isFrame = true;
    m_cells.back().header = header;
    fill(item, inner, depth + 1);
  }

  const TreemapPage& m_page;
  const TreemapOptions& m_options;
  std::vector<TreemapCell> m_cells;
};

} // namespace

std::vector<TreemapCell> layoutTreemap(const TreemapPage& page, const Rect& whole, const TreemapOptions& options) {
  if (page.items.empty() || whole.width <= 0 || whole.height <= 0) return {};
  return TreemapLayout(page, options).run(whole);
}

std::size_t neighbourOf(const std::vector<TreemapCell>& cells, std::size_t cell, int dx, int dy) {
  const Rect& from = cells[cell].place;
  // Seen from the middle of the edge on that side.
  const double x = from.x + from.width / 2 + dx * from.width / 2, y = from.y + from.height / 2 + dy * from.height / 2;
  std::size_t best = cell;
  double least = 1e300;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Rect& to = cells[i].place;
    if (i == cell || cells[i].isFrame || to.width <= 0 || to.height <= 0) continue;
    constexpr double kSlack = 0.5;
    const double ahead = dx > 0   ? to.x - x
                         : dx < 0 ? x - (to.x + to.width)
                         : dy > 0 ? to.y - y
                                  : y - (to.y + to.height);
    if (ahead < -kSlack) continue;
    const double aside =
        dx != 0 ? std::max({0.0, to.y - y, y - (to.y + to.height)}) : std::max({0.0, to.x - x, x - (to.x + to.width)});
    const double distance = std::max(ahead, 0.0) + 2 * aside;
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return best;
}

} // namespace blobscope::graph
