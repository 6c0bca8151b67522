#include "core/graph/svg.h"

#include "core/base/text.h"
#include "core/view/html.h"
#include "core/view/svg_pieces.h"

namespace blobscope::graph {
namespace {

using view::svg::decimal;

constexpr std::size_t kLongestText = 1'000; // characters
constexpr std::size_t kSvgStep = 4096;      // items between two checks of the monitor
constexpr double kMargin = 20, kLegendRow = 20;
constexpr std::string_view kStyle = R"(<style>
svg.graph { background: #ffffff; max-width: none; } svg.graph text { font: 12px system-ui, sans-serif; fill: #1a1f25; }
svg.graph .note { font-size: 11.5px; fill: #525c67; } svg.graph .title { font-weight: 500; }
svg.graph .edge { fill: none; stroke: #aab2bb; stroke-width: 1; } svg.graph marker path { fill: #aab2bb; }
.h0 { --c: #1d5fa8; } .h1 { --c: #13795b; } .h2 { --c: #8f5a00; } .h3 { --c: #6b42a6; } .h4 { --c: #0b6b78; }
.h5 { --c: #616b76; } .h6 { --c: #1a6f3c; } .h7 { --c: #a82a22; } .h8 { --c: #7a5200; }
svg.graph .box { fill: var(--c); fill-opacity: 0.14; stroke: var(--c); } svg.graph .bar { fill: var(--c); }
svg.graph .removed { stroke-dasharray: 4 3; } svg.graph .edge.added { stroke: #1a6f3c; }
svg.graph .edge.removed { stroke: #a82a22; } svg.graph .edge.changed { stroke: #7a5200; }
@media (prefers-color-scheme: dark) {
  svg.graph { background: #16191c; } svg.graph text { fill: #e3e7eb; } svg.graph .note { fill: #a2acb6; }
  svg.graph .edge { stroke: #59626b; } svg.graph marker path { fill: #59626b; } svg.graph .box { fill-opacity: 0.2; }
  .h0 { --c: #7fb4ee; } .h1 { --c: #5cc8a4; } .h2 { --c: #e0ae5a; } .h3 { --c: #bfa0f0; } .h4 { --c: #68c7d2; }
  .h5 { --c: #8d98a3; } .h6 { --c: #6ccb8f; } .h7 { --c: #ff8f86; } .h8 { --c: #e9b949; }
  svg.graph .edge.added { stroke: #6ccb8f; } svg.graph .edge.removed { stroke: #ff8f86; }
  svg.graph .edge.changed { stroke: #e9b949; } }
</style>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0.5 L8 4 L0 7.5 z"/></marker></defs>
)";

class SvgWriter {
public:
  SvgWriter(const view::GraphPage& page, const Scene& scene, Colours colours, const view::TextSink& sink)
      : m_page(page), m_scene(scene), m_colours(std::move(colours)), m_sink(sink) {}

  Result<Done> write(std::string_view name, Monitor& monitor) {
    const double legend = 2 * kMargin + kLegendRow * static_cast<double>(m_colours.rows.size());
    const double width = std::max(m_scene.layout.width + 2 * kMargin, 320.0);
    const double height = m_scene.layout.height + 2 * kMargin + legend;
    m_sink("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" role=\"img\" width=\"" + decimal(width) +
           "\" height=\"" + decimal(height) + "\" viewBox=\"0 0 " + decimal(width) + " " + decimal(height) +
           "\">\n<title>" + view::htmlText(name, kLongestText) + "</title>\n");
    m_sink(kStyle);
    writeLegend();
    m_sink("<g transform=\"translate(" + decimal(kMargin) + " " + decimal(kMargin + legend) + ")\">\n");
    for (std::size_t i = 0; i < m_scene.picture.edges.size(); ++i) {
      if (i % kSvgStep == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      writeEdge(i);
    }
    for (std::size_t i = 0; i < m_scene.picture.boxes.size(); ++i) {
      if (i % kSvgStep == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      writeBox(i);
    }
    m_sink("</g>\n</svg>\n");
    return Done{};
  }

private:
  void writeText(double x, double y, std::string_view text, std::string_view look) {
    m_sink("<text class=\"" + std::string(look) + "\" x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\">" +
           view::htmlText(text, kLongestText) + "</text>\n");
  }
  void writeLegend() {
    double y = kMargin;
    for (const LegendRow& row : m_colours.rows) {
      m_sink("<rect class=\"box h" + std::to_string(row.hue) + "\" " + opacity(row) + "x=\"" + decimal(kMargin) +
             "\" y=\"" + decimal(y) + "\" width=\"12\" height=\"12\" rx=\"3\"/>\n");
      writeText(kMargin + 20, y + 10.5, row.name + " (" + groupedText(row.nodes) + ")", "note");
      y += kLegendRow;
    }
  }
  static std::string opacity(const LegendRow& row) {
    return row.strength < 1 ? "style=\"fill-opacity: " + decimal(row.strength) + "\" " : std::string();
  }
  void writeEdge(std::size_t index) {
    const auto points = m_scene.layout.route(index);
    if (points.size() < 2) return;
    const Picture::Edge& edge = m_scene.picture.edges[index];
    const std::vector<Point> curve = curveOf(points, m_scene.sideways);
    std::string path = "M" + decimal(curve[0].x) + " " + decimal(curve[0].y);
    for (std::size_t i = 1; i + 2 < curve.size(); i += 3)
      for (std::size_t k = 0; k < 3; ++k)
        path += (k == 0 ? " C" : " ") + decimal(curve[i + k].x) + " " + decimal(curve[i + k].y);
    m_sink("<path class=\"edge " + std::string(view::GraphPage::markName(edge.mark)) +
           "\" marker-end=\"url(#end)\" d=\"" + path + "\"/>\n");
    if (edge.label.empty()) return;
    const Point middle = curve[curve.size() / 2];
    writeText(middle.x + 4, middle.y, edge.label, "note");
  }
  void writeBox(std::size_t index) {
    const Picture::Box& box = m_scene.picture.boxes[index];
    const Rect& place = m_scene.layout.boxes[index];
    const LegendRow& row = m_colours.rows[m_colours.rowOf[index]];
    const view::GraphPage::Node& node = m_page.nodes[box.node];
    m_sink("<g class=\"h" + std::to_string(row.hue) + "\"><title>" + view::htmlText(node.name, kLongestText) +
           "</title>\n");
    const auto rect = [&](double shift) {
      m_sink("<rect class=\"box " + std::string(view::GraphPage::markName(box.mark)) + "\" " + opacity(row) + "x=\"" +
             decimal(place.x + shift) + "\" y=\"" + decimal(place.y + shift) + "\" width=\"" + decimal(place.width) +
             "\" height=\"" + decimal(place.height) + "\" rx=\"3\"/>\n");
    };
    if (box.blocks > 1) rect(3);
    rect(0);
    m_sink("<rect class=\"bar\" x=\"" + decimal(place.x + 3) + "\" y=\"" + decimal(place.y + 4) +
           "\" width=\"2\" height=\"" + decimal(place.height - 8) + "\"/>\n");
    const double line = place.y + place.height / 2 + 4;
    writeText(place.x + 9, line, box.blocks > 1 ? box.title + "  " + timesText(box.blocks) : box.title, "title");
    if (!box.note.empty()) writeText(place.x + place.width + kNoteGap, line, box.note, "note");
    m_sink("</g>\n");
  }

  const view::GraphPage& m_page;
  const Scene& m_scene;
  Colours m_colours;
  const view::TextSink& m_sink;
};

} // namespace

Result<Done> writeSvg(const view::GraphPage& page, const PictureOptions& options, Colouring colouring,
                      std::string_view name, const view::TextSink& sink, Monitor& monitor) {
  BLOBSCOPE_TRY(stacks, findStacks(page, monitor));
  BLOBSCOPE_TRY(scene, makeScene(page, stacks, options, estimatedWidths(), monitor));
  return SvgWriter(page, *scene, coloursOf(page, scene->picture, colouring), sink).write(name, monitor);
}

} // namespace blobscope::graph
