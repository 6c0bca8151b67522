#include "core/view/memory_fit.h"

#include "core/base/text.h"
#include "core/view/svg_pieces.h"

#include <algorithm>
#include <array>

namespace blobscope::view {
namespace {

/// Sizes of the picture.
constexpr double kFitWide = 1000, kFitTitle = 24, kFitBar = 22, kFitLegend = 24, kFitGap = 20;
/// Classes of htmlHead() for the parts, in order.
constexpr std::array<std::string_view, 4> kFitStyles = {"used", "weights", "reserved", "box"};

/// Draws one bar with title, limit and legend; returns where it ends.
double drawGroup(const MemoryFit::Group& group, double top, std::string& out) {
  const std::string left = leftText(group);
  out += svg::text(0, top + 14, group.title + ": " + sizeText(group.bytes()) + (left.empty() ? "" : ", ") + left);
  top += kFitTitle;
  const uint64_t most = std::max({group.limit.value_or(0), group.bytes(), uint64_t{1}});
  const auto place = [&](uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(most) * (kFitWide - 2);
  };
  out += svg::rect("box", 0, top, kFitWide, kFitBar, group.title);
  uint64_t sum = 0;
  double legend = 0;
  for (std::size_t i = 0; i < group.parts.size(); ++i) {
    const MemoryFit::Part& part = group.parts[i];
    const std::string words = part.name + " " + groupedText(part.bytes);
    const std::string_view look = kFitStyles[i % kFitStyles.size()];
    const double from = place(sum);
    sum += std::min(part.bytes, UINT64_MAX - sum);
    out += svg::rect(look, from, top, std::max(place(sum) - from, 1.0), kFitBar, words + ", " + part.source);
    out += svg::rect(look, legend, top + kFitBar + 8, 10, 10, words) +
           svg::text(legend + 16, top + kFitBar + 18, words, "class=\"faint\"");
    legend += 40 + 7 * static_cast<double>(words.size());
  }
  if (group.limit) out += svg::line(place(*group.limit), top - 4, place(*group.limit), top + kFitBar + 4, "peak");
  return top + kFitBar + kFitLegend;
}

} // namespace

uint64_t MemoryFit::Group::bytes() const {
  uint64_t sum = 0;
  for (const Part& part : parts) sum += std::min(part.bytes, UINT64_MAX - sum);
  return sum;
}

std::string leftText(const MemoryFit::Group& group) {
  if (!group.limit) return {};
  const uint64_t bytes = group.bytes();
  return bytes > *group.limit ? countText(bytes - *group.limit, "byte") + " more than " + sizeText(*group.limit)
                              : countText(*group.limit - bytes, "byte") + " left of " + sizeText(*group.limit);
}

void renderFit(const MemoryFit& fit, const std::function<void(std::string_view)>& sink) {
  sink(fit.sentence + "\n");
  if (!fit.detail.empty()) sink(fit.detail + "\n");
  for (const MemoryFit::Group& group : fit.groups) {
    const std::string left = leftText(group);
    sink("\n" + group.title + ": " + countText(group.bytes(), "byte") + (left.empty() ? "" : "; ") + left + "\n");
    std::size_t names = 0, numbers = 0;
    for (const MemoryFit::Part& part : group.parts) {
      names = std::max(names, part.name.size());
      numbers = std::max(numbers, groupedText(part.bytes).size());
    }
    for (const MemoryFit::Part& part : group.parts) {
      const std::string bytes = groupedText(part.bytes);
      sink("  " + part.name + std::string(names - part.name.size() + numbers - bytes.size() + 2, ' ') + bytes + "  " +
           part.source + "\n");
    }
    if (!group.note.empty()) sink("  " + group.note + "\n");
  }
  sink("\n");
}

void renderFit(const MemoryFit& fit, json::Writer& writer) {
  writer.key("fit").beginObject();
  writer.member("sentence", fit.sentence);
  writer.member("detail", fit.detail);
  writer.member("state", ChecklistPage::stateName(fit.state));
  writer.key("memories").beginArray();
  for (const MemoryFit::Group& group : fit.groups) {
    writer.beginObject();
    writer.member("name", group.title);
    writer.member("bytes", group.bytes());
    writer.member("limit", group.limit);
    writer.key("parts").beginArray();
    for (const MemoryFit::Part& part : group.parts) {
      writer.beginObject();
      writer.member("name", part.name);
      writer.member("source", part.source);
      writer.member("bytes", part.bytes);
      writer.endObject();
    }
    writer.endArray();
    writer.member("note", group.note);
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
}

std::string fitSvg(const MemoryFit& fit) {
  std::string out;
  double top = 0;
  for (const MemoryFit::Group& group : fit.groups) top = drawGroup(group, top, out) + kFitGap;
  return svg::begin(kFitWide, top, fit.sentence) + out + "</svg>\n";
}

} // namespace blobscope::view
