#include "core/view/plot.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace blobscope::view {
namespace {

std::string axisText(const PlotPage::Axis& axis) {
  return axis.title + (axis.unit.empty() ? "" : " in " + axis.unit) +
         (axis.scale == PlotPage::Scale::Log2 ? ", logarithmic" : "");
}

std::string rightAligned(std::string text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

void writePlot(const PlotPage::Plot& plot, const std::function<void(std::string_view)>& sink) {
  sink(plot.title + (plot.subject.empty() ? "" : ": " + plot.subject) + "\n");
  sink("  x: " + axisText(plot.x) + "; y: " + axisText(plot.y) + "\n");
  if (!plot.note.empty()) sink("  " + plot.note + "\n");
  for (const PlotPage::Series& series : plot.series) {
    if (series.points.empty()) continue;
    sink("  " + (plot.legend.empty() ? "" : plot.legend + " ") + series.name + "\n");
    std::size_t widest = 1, high = 1;
    for (const PlotPage::Point& point : series.points) {
      widest = std::max(widest, plotNumber(point.x).size());
      high = std::max(high, plotNumber(point.y).size());
    }
    for (const PlotPage::Point& point : series.points)
      sink("    " + rightAligned(plotNumber(point.x), widest) + "  " + rightAligned(plotNumber(point.y), high) +
           (point.label.empty() ? "" : "  " + point.label) + "\n");
  }
  for (const PlotPage::Line& line : plot.lines)
    sink("  " + std::string(line.vertical ? "x" : "y") + " = " + plotNumber(line.at) +
         (line.label.empty() ? "" : ": " + line.label) + "\n");
}

void writeAxis(std::string_view name, const PlotPage::Axis& axis, json::Writer& writer) {
  writer.key(name).beginObject();
  writer.member("title", axis.title);
  writer.member("unit", axis.unit);
  writer.member("scale", axis.scale == PlotPage::Scale::Log2 ? "log2" : "linear");
  writer.endObject();
}

void writeSeries(const PlotPage::Series& series, json::Writer& writer) {
  writer.beginObject();
  writer.member("name", series.name);
  writer.member("draw", PlotPage::drawName(series.draw));
  writer.key("points").beginArray();
  for (const PlotPage::Point& point : series.points) {
    writer.beginObject();
    writer.key("x").raw(plotNumber(point.x));
    writer.key("y").raw(plotNumber(point.y));
    writer.member("label", point.label);
    writer.member("count", point.count);
    point.target ? writer.member("ref", point.target->toString()) : writer.nullMember("ref");
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
}

} // namespace

std::string_view PlotPage::drawName(Draw draw) {
  constexpr std::array<std::string_view, 5> kNames = {"points", "lines", "steps", "areas", "bars"};
  return kNames[static_cast<std::size_t>(draw)];
}

std::string plotNumber(double number) {
  std::array<char, 32> digits;
  constexpr double kExact = 9'007'199'254'740'992.0; // larger whole numbers are not exact
  const bool whole = std::abs(number) < kExact && std::trunc(number) == number;
  const auto end = whole ? std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<int64_t>(number))
                         : std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end.ptr};
}

void renderPlots(const PlotPage& page, const std::function<void(std::string_view)>& sink) {
  for (const PlotPage::Plot& plot : page.plots) {
    if (&plot != &page.plots.front()) sink("\n");
    writePlot(plot, sink);
  }
}

void renderPlots(const PlotPage& page, json::Writer& writer) {
  writer.key("plots").beginArray();
  for (const PlotPage::Plot& plot : page.plots) {
    writer.beginObject();
    writer.member("title", plot.title);
    writer.member("subject", plot.subject);
    writer.member("note", plot.note);
    writeAxis("x", plot.x, writer);
    writeAxis("y", plot.y, writer);
    writer.key("series").beginArray();
    for (const PlotPage::Series& series : plot.series) writeSeries(series, writer);
    writer.endArray();
    writer.key("lines").beginArray();
    for (const PlotPage::Line& line : plot.lines) {
      writer.beginObject();
      writer.member("axis", line.vertical ? "x" : "y");
      writer.key("at").raw(plotNumber(line.at));
      writer.member("label", line.label);
      writer.endObject();
    }
    writer.endArray();
    writer.endObject();
  }
  writer.endArray();
}

} // namespace blobscope::view
