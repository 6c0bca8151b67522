#include "core/view/html.h"
#include "core/view/plot.h"
#include "core/view/svg_pieces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace blobscope::view {
namespace {

constexpr double kPictureWide = 1000, kFrameLeft = 60, kFrameRight = 970, kHeadHigh = 44, kFrameHigh = 220,
                 kFootHigh = 48, kDot = 4;
constexpr std::size_t kColours = 6;

/// Places numbers of an axis between two positions.
class AxisScale {
public:
  AxisScale(const PlotPage::Axis& axis, double least, double most, double from, double to)
      : m_log(axis.scale == PlotPage::Scale::Log2), m_from(from), m_to(to) {
    m_least = std::min(least, axis.from.value_or(least)), m_most = std::max(most, axis.to.value_or(most));
    if (m_log) m_least = std::log2(std::max(m_least, 1.0)), m_most = std::log2(std::max(m_most, 1.0));
    if (!(m_most > m_least)) m_most = m_least + 1;
    m_step = m_log ? 1 : axis.step > 0 ? axis.step : roundStep((m_most - m_least) / 5);
    while ((m_most - m_least) / m_step > 12) m_step *= 2;
  }
  double at(double value) const {
    const double placed = m_log ? std::log2(std::max(value, 1.0)) : value;
    return m_from + (placed - m_least) / (m_most - m_least) * (m_to - m_from);
  }
  /// Calls `visit` with each number that is written at the axis.
  template <class Visit> void forEachNumber(Visit visit) const {
    for (double one = std::ceil(m_least / m_step) * m_step; one <= m_most + m_step / 1000; one += m_step)
      visit(m_log ? std::exp2(one) : one);
  }

private:
  static double roundStep(double about) {
    const double power = std::pow(10, std::floor(std::log10(about)));
    for (const double factor : {1.0, 2.0, 5.0})
      if (factor * power >= about) return factor * power;
    return 10 * power;
  }

  bool m_log;
  double m_from, m_to, m_least = 0, m_most = 1, m_step = 1;
};

struct Range {
  double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest();
  void take(double value) { least = std::min(least, value), most = std::max(most, value); }
};

/// Draws one plot below `top`.
class PlotDrawing {
public:
  PlotDrawing(const PlotPage::Plot& plot, double top)
      : m_plot(plot), m_top(top + kHeadHigh), m_bottom(m_top + kFrameHigh),
        m_x(plot.x, range(true).least, range(true).most, kFrameLeft, kFrameRight),
        m_y(plot.y, range(false).least, range(false).most, m_bottom, m_top) {}

  std::string draw() {
    const std::string subject = m_plot.subject.empty() ? "" : ": " + m_plot.subject;
    m_out += svg::text(0, m_top - 28, m_plot.title + subject, "font-weight=\"600\"");
    drawLegend();
    drawAxes();
    for (std::size_t i = 0; i < m_plot.series.size(); ++i) drawSeries(m_plot.series[i], i);
    for (const PlotPage::Line& one : m_plot.lines) drawLine(one);
    if (!m_plot.note.empty()) m_out += svg::text(kFrameLeft, m_bottom + 44, m_plot.note, "class=\"faint\"");
    return m_out;
  }

private:
  Range range(bool x) const {
    Range out;
    for (const PlotPage::Series& series : m_plot.series)
      for (const PlotPage::Point& point : series.points) out.take(x ? point.x : point.y);
    for (const PlotPage::Line& one : m_plot.lines)
      if (one.vertical == x) out.take(one.at);
    const bool fromZero = std::ranges::any_of(m_plot.series, [](const PlotPage::Series& series) {
      return series.draw == PlotPage::Draw::Bars || series.draw == PlotPage::Draw::Areas;
    });
    if (out.least > out.most || (!x && fromZero)) out.take(0);
    return out;
  }

  static std::string titled(const PlotPage::Axis& axis) {
    return axis.title + (axis.unit.empty() ? "" : " (" + axis.unit + ")");
  }

  static std::string colour(std::size_t series) { return "series" + std::to_string(series % kColours); }

  void drawLegend() {
    // After the title of the y axis.
    double left = std::max(kFrameLeft, 16 + 6.5 * static_cast<double>(titled(m_plot.y).size()));
    const double y = m_top - 10;
    const auto word = [&](std::string_view shown, std::string_view style) {
      m_out += svg::text(left, y, shown, style);
      left += 8 + 6.5 * static_cast<double>(shown.size());
    };
    if (!m_plot.legend.empty()) word(m_plot.legend, "class=\"faint\"");
    for (std::size_t i = 0; i < m_plot.series.size() && m_plot.series.size() > 1; ++i) {
      m_out += svg::rect(colour(i), left, y - 9, 10, 10, m_plot.series[i].name);
      left += 14;
      word(m_plot.series[i].name, {});
    }
  }

  void drawAxes() {
    m_y.forEachNumber([&](double number) {
      const double y = m_y.at(number);
      m_out += svg::line(kFrameLeft, y, kFrameRight, y);
      m_out += svg::text(kFrameLeft - 6, y + 4, plotNumber(number), "class=\"faint\" text-anchor=\"end\"");
    });
    m_x.forEachNumber([&](double number) {
      m_out += svg::text(m_x.at(number), m_bottom + 14, plotNumber(number), "class=\"faint\" text-anchor=\"middle\"");
    });
    m_out += svg::text(kFrameRight, m_bottom + 28, titled(m_plot.x), "class=\"faint\" text-anchor=\"end\"");
    m_out += svg::text(0, m_top - 10, titled(m_plot.y), "class=\"faint\"");
  }

  void drawSeries(const PlotPage::Series& series, std::size_t index) {
    using Draw = PlotPage::Draw;
    const std::string style = colour(index);
    if (series.draw == Draw::Points || series.draw == Draw::Bars) {
      for (const PlotPage::Point& point : series.points) drawPoint(series, point, style);
      return;
    }
    std::string path;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const std::string x = svg::decimal(m_x.at(series.points[i].x)), y = svg::decimal(m_y.at(series.points[i].y));
      if (i == 0)
        path += "M" + x + " " + y;
      else if (series.draw == Draw::Lines)
        path += " L" + x + " " + y;
      else
        path += " H" + x + " V" + y;
    }
    m_out +=
        "<path class=\"curve " + style + "\" d=\"" + path + "\"><title>" + htmlText(series.name) + "</title></path>\n";
  }

  void drawPoint(const PlotPage::Series& series, const PlotPage::Point& point, const std::string& style) {
    const double x = m_x.at(point.x), y = m_y.at(point.y);
    const std::string tip =
        (point.label.empty() ? series.name : point.label) + ": " + plotNumber(point.x) + ", " + plotNumber(point.y);
    if (series.draw == PlotPage::Draw::Bars) {
      const double zero = m_y.at(0);
      m_out += svg::rect(style, x - 2, std::min(y, zero), 4, std::abs(zero - y), tip);
    } else {
      m_out += svg::rect(style, x - kDot, y - kDot, 2 * kDot, 2 * kDot, tip);
    }
  }

  void drawLine(const PlotPage::Line& one) {
    const std::string_view style = one.strong ? "peak" : "limit";
    if (one.vertical) {
      const double x = m_x.at(one.at);
      m_out += svg::line(x, m_top, x, m_bottom, style);
      m_out +=
          svg::text(std::min(x + 4, kFrameRight - 6.5 * static_cast<double>(one.label.size())), m_top + 12, one.label);
    } else {
      const double y = m_y.at(one.at);
      m_out += svg::line(kFrameLeft, y, kFrameRight, y, style);
      m_out += svg::text(kFrameRight, y - 4, one.label, "text-anchor=\"end\"");
    }
  }

  const PlotPage::Plot& m_plot;
  double m_top, m_bottom;
  AxisScale m_x, m_y;
  std::string m_out;
};

} // namespace

std::string plotSvg(const PlotPage& page) {
  constexpr double kHigh = kHeadHigh + kFrameHigh + kFootHigh;
  std::string out;
  for (std::size_t i = 0; i < page.plots.size(); ++i)
    out += PlotDrawing(page.plots[i], kHigh * static_cast<double>(i)).draw();
  const std::string name = page.plots.empty() ? "Plot" : page.plots.front().title;
  return svg::begin(kPictureWide, kHigh * static_cast<double>(page.plots.size()), name) + out + "</svg>\n";
}

} // namespace blobscope::view
