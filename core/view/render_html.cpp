#include "core/view/render_html.h"

#include "core/base/text.h"
#include "core/view/calls_page.h"
#include "core/view/html.h"
#include "core/view/plan_page.h"
#include "core/view/svg_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace blobscope::view {
namespace {

constexpr double kWide = 1000, kLeft = 190, kPlotHigh = 180, kTop = 24, kStrip = 22, kRow = 26;
constexpr std::size_t kColumns = 800, kMostStorages = 40;

using svg::decimal, svg::rect, svg::text;

std::string begin(double high, std::string_view name) { return svg::begin(kWide, high, name); }

/// Draws a plan. Amounts are the largest of each of kColumns columns.
class PlanDrawing {
public:
  explicit PlanDrawing(const PlanPage& page) : m_page(page) {}

  std::string draw() {
    std::vector<PlanPage::Part> strips;
    std::ranges::copy_if(m_page.parts, std::back_inserter(strips), [](const PlanPage::Part& part) {
      return part.kind != PlanPage::Kind::InUse && part.kind != PlanPage::Kind::Reserved;
    });
    const std::size_t rows = std::min(m_page.storages.size(), kMostStorages);
    const double stripsTop = kTop + kPlotHigh + 6, axis = stripsTop + kStrip * static_cast<double>(strips.size()) + 16;
    const double high = axis + 14 + kRow * static_cast<double>(rows) + 8;
    m_out = begin(high, "Memory over the instructions of " + m_page.function);
    drawAmounts();
    double top = stripsTop;
    for (const PlanPage::Part& part : strips) {
      const std::string words = part.name + ", " + (part.bytes ? sizeText(*part.bytes) : "not known: " + part.note);
      m_out += rect(PlanPage::kindName(part.kind), kLeft, top, kWide - kLeft, kStrip - 3, words);
      m_out += text(kLeft + 8, top + 14, words);
      top += kStrip;
    }
    m_out += text(kLeft, axis, "instruction 0", "class=\"faint\"");
    m_out += text(kWide, axis, groupedText(m_page.instructions), "class=\"faint\" text-anchor=\"end\"");
    for (std::size_t i = 0; i < rows; ++i) drawStorage(m_page.storages[i], axis + 14 + kRow * static_cast<double>(i));
    drawPeak(axis + 14 + kRow * static_cast<double>(rows));
    return m_out + "</svg>\n";
  }

private:
  double xOf(uint64_t instruction) const {
    const double all = std::max<double>(1, static_cast<double>(m_page.instructions));
    return kLeft + std::min(1.0, static_cast<double>(instruction) / all) * (kWide - kLeft);
  }
  double yOf(uint64_t bytes) const {
    const double most = std::max<double>(1, static_cast<double>(m_page.reserved)) * 1.05;
    return kTop + kPlotHigh - static_cast<double>(bytes) / most * kPlotHigh;
  }
  static std::size_t columnOf(double x) {
    const double share = std::clamp((x - kLeft) / (kWide - kLeft), 0.0, 1.0);
    return static_cast<std::size_t>(share * (kColumns - 1));
  }
  static double leftOf(std::size_t column) {
    return kLeft + static_cast<double>(column) / (kColumns - 1) * (kWide - kLeft);
  }

  /// The area below heights, one for each column; columns as the one before are left out.
  void area(std::string_view style, const std::vector<double>& tops, double bottom) {
    m_out += "<polygon class=\"" + std::string(style) + "\" points=\"" + decimal(kLeft) + "," + decimal(bottom);
    for (std::size_t i = 0; i < tops.size(); ++i)
      if (i == 0 || i + 1 == tops.size() || tops[i] != tops[i - 1] || tops[i] != tops[i + 1])
        m_out += " " + decimal(leftOf(i)) + "," + decimal(tops[i]);
    m_out += " " + decimal(kWide) + "," + decimal(bottom) + "\"/>\n";
  }

  void drawAmounts() {
    std::vector<double> reserved(kColumns, yOf(0)), used(kColumns, yOf(0));
    for (std::size_t i = 0; i < m_page.steps.size(); ++i) {
      const PlanPage::Step& step = m_page.steps[i];
      const uint64_t end = i + 1 < m_page.steps.size() ? m_page.steps[i + 1].instruction : m_page.instructions;
      for (std::size_t x = columnOf(xOf(step.instruction)); x <= columnOf(xOf(end)); ++x) {
        reserved[x] = std::min(reserved[x], yOf(step.reserved));
        used[x] = std::min(used[x], yOf(step.inUse));
      }
    }
    for (const double share : {0.0, 0.5, 1.0}) {
      const auto bytes = static_cast<uint64_t>(share * static_cast<double>(m_page.reserved));
      m_out += "<path class=\"line\" d=\"M" + decimal(kLeft) + " " + decimal(yOf(bytes)) + "H" + decimal(kWide) +
               "\"/>\n" + text(kLeft - 8, yOf(bytes) + 4, sizeText(bytes), "class=\"faint\" text-anchor=\"end\"");
    }
    area("reserved", reserved, yOf(0));
    area("used", used, yOf(0));
  }

  void drawStorage(const PlanPage::Storage& storage, double top) {
    const std::string bytes = storage.bytes ? groupedText(*storage.bytes) : "depends on " + storage.size;
    m_out += text(0, top + 16, shortened(storage.name + ", " + bytes, 30));
    const double left = xOf(storage.first), high = kRow - 6;
    m_out += rect("box", left, top, std::max(1.0, xOf(storage.last) - left), high,
                  storage.name + ", " + bytes + (storage.holds.empty() ? "" : ", ") + storage.holds);
    if (!storage.bytes || *storage.bytes == 0) return;
    std::vector<double> used(kColumns, top + high);
    std::size_t budget = 500'000; // columns; after that, each tensor has one
    for (const PlanPage::Use& use : storage.uses) {
      const double share = std::min(1.0, static_cast<double>(use.bytes) / static_cast<double>(*storage.bytes));
      const std::size_t from = columnOf(xOf(use.first));
      std::size_t to = columnOf(xOf(use.last + 1));
      if (to - from > budget) to = from;
      budget -= std::min(budget, to - from);
      for (std::size_t x = from; x <= to; ++x) used[x] = std::min(used[x], top + high * (1 - share));
    }
    area("used", used, top + high);
  }

  void drawPeak(double bottom) {
    const double x = xOf(m_page.peakAt), y = yOf(m_page.reserved);
    m_out += "<path class=\"peak\" d=\"M" + decimal(x) + " " + decimal(y) + "V" + decimal(bottom) + "\"/>\n";
    const bool right = x < kWide / 2;
    m_out += text(right ? x + 6 : x - 6, y - 6,
                  std::string(m_page.complete ? "peak " : "peak at least ") + sizeText(m_page.peak) + ", " +
                      sizeText(m_page.reserved) + " of it in storages",
                  right ? "" : "text-anchor=\"end\"");
  }

  const PlanPage& m_page;
  std::string m_out;
};

/// Draws a tree as boxes; those narrower than one unit are left out.
class FlameDrawing {
public:
  explicit FlameDrawing(const CallsPage& page) : m_page(page), m_values(page.rows.size()) {
    const bool work =
        std::ranges::any_of(page.rows, [](const CallsPage::Row& row) { return row.flop.value_or(0) > 0; });
    for (std::size_t i = 0; i < m_values.size(); ++i)
      m_values[i] = work ? page.rows[i].flop.value_or(0) : static_cast<double>(page.rows[i].launches);
  }

  std::string draw() {
    double all = 0;
    for (std::size_t i = 0; i < m_values.size(); ++i)
      if (m_page.rows[i].depth == 0) all += m_values[i];
    if (all <= 0) return {};
    std::vector<double> next(1); // the left end of the next box, by depth
    uint32_t deepest = 0;
    std::string boxes;
    for (std::size_t i = 0; i < m_values.size(); ++i) {
      const CallsPage::Row& row = m_page.rows[i];
      next.resize(row.depth + std::size_t{2});
      const double left = next[row.depth], wide = m_values[i] / all * kWide;
      next[row.depth] += wide;
      next[row.depth + std::size_t{1}] = left;
      if (wide < 1) continue;
      deepest = std::max(deepest, row.depth);
      const double top = kRow * row.depth;
      boxes +=
          rect(CallsPage::kindName(row.kind), left, top, wide - 1, kRow - 2,
               row.name + ", calls: " + CallsPage::countText(row, row.calls) + ", FLOP: " + CallsPage::flopText(row));
      const auto letters = static_cast<std::size_t>(wide / 7);
      if (letters > 4) boxes += text(left + 4, top + 16, shortened(row.name, letters - 1));
    }
    return begin(kRow * (deepest + 1), "Flame view of the calls") + boxes + "</svg>\n";
  }

private:
  const CallsPage& m_page;
  std::vector<double> m_values;
};

} // namespace

std::string planSvg(const PlanPage& page) { return PlanDrawing(page).draw(); }
std::string callsSvg(const CallsPage& page) { return FlameDrawing(page).draw(); }

Result<Done> renderHtml(const Page& page, std::string_view title, std::string_view picture, const TextSink& sink,
                        Monitor& monitor) {
  BLOBSCOPE_TRY(made, resolvePage(page, monitor));
  sink(htmlHead(title));
  if (!picture.empty()) sink("<div class=\"picture\">\n" + std::string(picture) + "</div>\n");
  sink("<pre><code>");
  BLOBSCOPE_CHECK(renderText(
      made,
      [&](std::string_view lines) {
        // htmlText() is for one line: line ends stay.
        while (!lines.empty()) {
          const std::size_t end = std::min(lines.find('\n'), lines.size());
          sink(htmlText(lines.substr(0, end)));
          if (end < lines.size()) sink("\n");
          lines.remove_prefix(std::min(end + 1, lines.size()));
        }
      },
      monitor));
  sink("</code></pre>\n</body>\n</html>\n");
  return Done{};
}

} // namespace blobscope::view
