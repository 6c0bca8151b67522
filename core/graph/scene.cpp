#include "core/graph/scene.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace blobscope::graph {
namespace {

constexpr double kBoxPadding = 14; // at the left, with the mark of the colour, and at the right
constexpr std::array<double, 5> kByteSteps = {0.15, 0.32, 0.5, 0.7, 0.9};

uint64_t nodesIn(const Picture::Box& box, const std::vector<uint64_t>& counts, std::size_t index) {
  return box.stack == Picture::kNone ? 1 : counts[index];
}

/// The number of nodes that each box represents.
std::vector<uint64_t> nodeCounts(const Picture& picture) {
  std::vector<uint64_t> out(picture.boxes.size(), 0);
  for (const uint32_t box : picture.boxOf)
    if (box != Picture::kNone) ++out[box];
  return out;
}

/// The groups of call graphs have the colours that their kinds have everywhere: those of host code, of device code and
/// of virtual machines.
std::optional<uint8_t> hueOfKind(std::string_view group) {
  constexpr std::array<std::pair<std::string_view, uint8_t>, 4> kKinds = {
      {{"Host functions", 0}, {"Kernels", 1}, {"VM functions", 3}, {"Graphs", 3}}};
  const auto found = std::ranges::find(kKinds, group, &std::pair<std::string_view, uint8_t>::first);
  return found == kKinds.end() ? std::nullopt : std::optional(found->second);
}

Colours coloursByName(const view::GraphPage& page, const Picture& picture, bool device) {
  Colours out;
  const std::vector<uint64_t> counts = nodeCounts(picture);
  std::map<std::string, uint32_t> known;
  std::vector<bool> isValue;
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const view::GraphPage::Node& node = page.nodes[picture.boxes[i].node];
    const bool value = view::GraphPage::isValue(node.kind);
    std::string name = !device                ? node.group
                       : !node.device.empty() ? node.device
                       : value                ? "Inputs and parameters"
                                              : "No device";
    if (name.empty()) name = "Other";
    const auto [at, isNew] = known.try_emplace(name, static_cast<uint32_t>(out.rows.size()));
    if (isNew) {
      out.rows.push_back({name, LegendRow::kGrey, 1, 0});
      isValue.push_back(value || (device && node.device.empty()));
    }
    out.rowOf.push_back(at->second);
    out.rows[at->second].nodes += nodesIn(picture.boxes[i], counts, i);
  }
  std::vector<uint32_t> order(out.rows.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return isValue[a] != isValue[b] ? isValue[b] : out.rows[a].nodes > out.rows[b].nodes;
  });
  std::vector<LegendRow> rows;
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    rows.push_back(std::move(out.rows[order[i]]));
    if (!isValue[order[i]] && i < LegendRow::kHues)
      rows.back().hue = hueOfKind(rows.back().name).value_or(static_cast<uint8_t>(i));
  }
  out.rows = std::move(rows);
  for (uint32_t& row : out.rowOf) row = place[row];
  return out;
}

Colours coloursByBytes(const Picture& picture) {
  Colours out;
  uint64_t most = 0;
  for (const Picture::Box& box : picture.boxes) most = std::max(most, box.bytes.value_or(0));
  // Each limit is four times the one before it, and the last one is the largest size.
  std::array<uint64_t, 5> limits = {};
  for (std::size_t i = 0; i < limits.size(); ++i) limits[i] = std::max<uint64_t>(1, most >> (2 * (4 - i)));
  const std::vector<uint64_t> counts = nodeCounts(picture);
  for (std::size_t i = 0; i < limits.size(); ++i)
    out.rows.push_back({"up to " + sizeText(limits[i]), 0, kByteSteps[i], 0});
  out.rows.push_back({"not known", LegendRow::kGrey, 1, 0});
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const auto& bytes = picture.boxes[i].bytes;
    const std::size_t row =
        !bytes ? limits.size() : static_cast<std::size_t>(std::ranges::lower_bound(limits, *bytes) - limits.begin());
    out.rowOf.push_back(static_cast<uint32_t>(std::min(row, limits.size())));
    out.rows[out.rowOf.back()].nodes += nodesIn(picture.boxes[i], counts, i);
  }
  return out;
}

Colours coloursByMark(const Picture& picture) {
  Colours out;
  out.rows = {{"the same in both", LegendRow::kGrey, 1, 0},
              {"only in B", LegendRow::kAdded, 1, 0},
              {"only in A", LegendRow::kRemoved, 1, 0},
              {"changed", LegendRow::kChanged, 1, 0}};
  const std::vector<uint64_t> counts = nodeCounts(picture);
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    out.rowOf.push_back(static_cast<uint32_t>(picture.boxes[i].mark));
    out.rows[out.rowOf.back()].nodes += nodesIn(picture.boxes[i], counts, i);
  }
  return out;
}

} // namespace

Colours coloursOf(const view::GraphPage& page, const Picture& picture, Colouring colouring) {
  if (colouring == Colouring::Mark) return coloursByMark(picture);
  return colouring == Colouring::Bytes ? coloursByBytes(picture)
                                       : coloursByName(page, picture, colouring == Colouring::Device);
}

TextWidths estimatedWidths() {
  const auto width = [](std::string_view text, double one) {
    std::size_t letters = 0;
    for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return one * static_cast<double>(letters);
  };
  return {[width](std::string_view text) { return width(text, 6.9); },
          [width](std::string_view text) { return width(text, 6.6); }, 22};
}

std::vector<Point> curveOf(std::span<const Point> route, bool sideways) {
  std::vector<Point> out;
  if (route.empty()) return out;
  out.reserve(3 * route.size() - 2);
  out.push_back(route[0]);
  for (std::size_t i = 1; i < route.size(); ++i) {
    const Point &from = route[i - 1], &to = route[i];
    if (sideways) {
      const double middle = (from.x + to.x) / 2;
      out.insert(out.end(), {{middle, from.y}, {middle, to.y}, to});
    } else {
      const double middle = (from.y + to.y) / 2;
      out.insert(out.end(), {{from.x, middle}, {to.x, middle}, to});
    }
  }
  return out;
}

std::string timesText(uint32_t blocks) { return "× " + groupedText(blocks); }

Result<std::shared_ptr<const Scene>> makeScene(const view::GraphPage& page, const std::vector<Stack>& stacks,
                                               const PictureOptions& options, const TextWidths& widths,
                                               Monitor& monitor) {
  auto scene = std::make_shared<Scene>();
  scene->sideways = page.sideways;
  scene->picture = pictureOf(page, stacks, options);
  std::vector<Box> boxes;
  boxes.reserve(scene->picture.boxes.size());
  for (const Picture::Box& one : scene->picture.boxes) {
    double width = widths.title(one.title) + kBoxPadding;
    if (one.blocks > 1) width += kBoxPadding + widths.title(timesText(one.blocks));
    width = std::max(width, 34.0);
    Box box{width / 2, widths.boxHeight, one.note.empty() ? 0 : kNoteGap + widths.note(one.note)};
    if (page.sideways) box = {widths.boxHeight / 2, width + box.margin, 0};
    boxes.push_back(box);
  }
  std::vector<Edge> edges;
  edges.reserve(scene->picture.edges.size());
  for (const Picture::Edge& edge : scene->picture.edges) edges.push_back({edge.from, edge.to});
  LayoutOptions layout;
  layout.sideways = page.sideways;
  if (page.sideways) {
    layout.boxGap = 8;
    layout.layerGap = 48;
  }
  BLOBSCOPE_TRY(placed, computeLayout(boxes, edges, layout, monitor));
  scene->layout = std::move(placed);
  // The room for the note is beside the box.
  for (std::size_t i = 0; page.sideways && i < boxes.size(); ++i) {
    const std::string& note = scene->picture.boxes[i].note;
    if (!note.empty()) scene->layout.boxes[i].width -= kNoteGap + widths.note(note);
  }
  return std::shared_ptr<const Scene>(std::move(scene));
}

} // namespace blobscope::graph
