#include "core/base/text.h"
#include "core/graph/treemap.h"
#include "core/view/html.h"
#include "core/view/svg_pieces.h"

#include <algorithm>
#include <array>

namespace blobscope::graph {
namespace {

using view::TreemapPage;
using view::svg::decimal;

constexpr double kMapWide = 1200, kMapHigh = 760, kMapTop = 34, kLetter = 6.6;
constexpr std::size_t kCellsPerCheck = 4096;
/// Kinds have the numbers of TreemapPage::Kind.
constexpr std::string_view kMapStyle = R"svg(<style>
svg.treemap { background: #ffffff; max-width: none; }
svg.treemap text { font: 11.5px system-ui, sans-serif; fill: #1a1f25; } svg.treemap .title { font-weight: 600; }
svg.treemap rect { stroke: #ffffff; stroke-width: 1; }
.k0 { fill: #e8ebee; } .k1 { fill: #d4c5e6; } .k2 { fill: #b8d7ce; } .k3 { fill: #bcd0e6; } .k4 { fill: #dfcdb0; }
.k5 { fill: #cbcfd4; } .k6 { fill: url(#hatch); } svg.treemap .stripes { fill: #cbcfd4; stroke: none; }
svg.treemap .stripe { stroke: #616b76; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  svg.treemap { background: #16191c; } svg.treemap text { fill: #e3e7eb; } svg.treemap rect { stroke: #16191c; }
  .k0 { fill: #272c32; } .k1 { fill: #50466a; } .k2 { fill: #2f5a4c; } .k3 { fill: #36506f; } .k4 { fill: #5c4a2c; }
  .k5 { fill: #43494f; } svg.treemap .stripes { fill: #43494f; } svg.treemap .stripe { stroke: #8d98a3; } }
</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect class="stripes" width="6" height="6"/><line class="stripe" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>
)svg";

std::string styleOf(TreemapPage::Kind kind) { return "k" + std::to_string(static_cast<unsigned>(kind)); }

std::string fitted(const std::string& words, double wide) {
  const auto letters = static_cast<std::size_t>(std::max(0.0, wide / kLetter));
  return letters < 3 ? std::string() : shortened(words, letters);
}

void writeCell(const TreemapPage& page, const TreemapCell& cell, std::string& out) {
  const TreemapPage::Item& item = page.items[cell.item];
  const Rect& place = cell.place;
  const std::string words = cell.merged > 0 ? groupedText(cell.merged) + " more" : page.itemText(cell.item);
  out += view::svg::rect(styleOf(cell.merged > 0 ? TreemapPage::Kind::Tables : item.kind), place.x, place.y,
                         place.width, place.height, words);
  const double room = place.width - 10;
  if (cell.isFrame ? cell.header == 0 : place.width < 46 || place.height < 18) return;
  const double x = place.x + 5, y = place.y + 14;
  const std::string bytes = shortSizeText(item.bytes);
  if (cell.merged > 0) {
    out += view::svg::text(x, y, fitted(words, room));
    return;
  }
  const double side = cell.isFrame ? static_cast<double>(bytes.size() + 2) * kLetter : 0;
  out += view::svg::text(x, y, fitted(item.name, room - side), "class=\"title\"");
  if (cell.isFrame) {
    if (room > 2 * side) out += view::svg::text(place.x + place.width - 5, y, bytes, "text-anchor=\"end\"");
    return;
  }
  if (place.height >= 34) out += view::svg::text(x, y + 15, fitted(bytes, room));
  if (place.height >= 50) out += view::svg::text(x, y + 30, fitted(page.shareText(cell.item), room));
}

} // namespace

Result<std::string> treemapSvg(const TreemapPage& page, std::string_view name, Monitor& monitor) {
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"treemap\" role=\"img\" width=\"" +
                    decimal(kMapWide) + "\" height=\"" + decimal(kMapTop + kMapHigh + 30) + "\" viewBox=\"0 0 " +
                    decimal(kMapWide) + " " + decimal(kMapTop + kMapHigh + 30) + "\">\n<title>" + view::htmlText(name) +
                    "</title>\n" + std::string(kMapStyle);
  out += view::svg::text(2, 18, page.sentence, "class=\"title\"");
  const std::vector<TreemapCell> cells = layoutTreemap(page, {0, kMapTop, kMapWide, kMapHigh}, {});
  std::array<bool, TreemapPage::kKinds> seen{};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i % kCellsPerCheck == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    writeCell(page, cells[i], out);
    if (!cells[i].isFrame) seen[static_cast<std::size_t>(page.items[cells[i].item].kind)] = true;
  }
  double x = 2;
  for (std::size_t kind = 0; kind < seen.size(); ++kind) {
    if (!seen[kind]) continue;
    const std::string_view title = TreemapPage::kindTitle(static_cast<TreemapPage::Kind>(kind));
    out += view::svg::rect("k" + std::to_string(kind), x, kMapTop + kMapHigh + 10, 12, 12, title);
    out += view::svg::text(x + 18, kMapTop + kMapHigh + 20, title);
    x += 40 + static_cast<double>(title.size()) * kLetter;
  }
  return out + "</svg>\n";
}

} // namespace blobscope::graph
