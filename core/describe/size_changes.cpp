#include "core/describe/size_changes.h"

#include "core/base/text.h"
#include "core/mlf/pages/fit_page.h"
#include "core/view/html.h"
#include "core/view/svg_pieces.h"

#include <algorithm>
#include <string>
#include <vector>

namespace blobscope::describe {
namespace {

using sizes::SizeChange;
using sizes::SizeComparison;
using view::htmlText;

constexpr std::size_t kTextRows = 60, kHtmlRows = 200, kTextBar = 20;
constexpr double kHtmlBar = 90; ///< half of the width of a bar

/// The largest difference, for the scale of the bars; at least 1.
uint64_t largestOf(const SizeComparison& sizes) {
  return sizes.changes.empty() ? 1 : std::max<uint64_t>(sizes.changes.front().difference(), 1);
}

std::string rightOf(std::string text, std::size_t width, std::size_t letters) {
  return std::string(width > letters ? width - letters : 0, ' ') + std::move(text);
}

/// The number of characters of a text in UTF-8.
std::size_t lettersOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string pathOf(const SizeChange& change) { return (change.in.empty() ? "" : change.in + " › ") + change.name; }

/// A bar to the right for a growth, to the left for a decrease.
std::string barOf(const SizeChange& change, uint64_t largest) {
  const double share = static_cast<double>(change.difference()) / static_cast<double>(largest) * kHtmlBar;
  using view::svg::decimal;
  return "<svg class=\"" + std::string(change.grows() ? "warning" : "added") + "\" width=\"" + decimal(2 * kHtmlBar) +
         "\" height=\"12\" aria-hidden=\"true\"><rect fill=\"currentColor\" x=\"" +
         decimal(change.grows() ? kHtmlBar : kHtmlBar - share) + "\" y=\"1\" width=\"" + decimal(std::max(share, 0.5)) +
         "\" height=\"10\"/></svg>";
}

} // namespace

void writeText(const SizeComparison& sizes, const TextOutput& out, std::string_view title) {
  out.write(std::string(title) + ": " + sizes.sentence() + "\n");
  const std::size_t count = std::min(sizes.changes.size(), kTextRows);
  std::size_t wide = 0, before = 0, after = 0;
  for (std::size_t i = 0; i < count; ++i) {
    wide = std::max(wide, lettersOf(sizes.changes[i].differenceText()));
    before = std::max(before, groupedText(sizes.changes[i].before).size());
    after = std::max(after, groupedText(sizes.changes[i].after).size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const SizeChange& change = sizes.changes[i];
    const std::string difference = change.differenceText(), from = groupedText(change.before),
                      to = groupedText(change.after);
    const auto share = static_cast<std::size_t>(static_cast<double>(change.difference()) /
                                                static_cast<double>(largestOf(sizes)) * kTextBar);
    std::string bar(std::max<std::size_t>(share, 1), change.grows() ? '+' : '-');
    bar.resize(kTextBar, ' ');
    out.write("  " + rightOf(difference, wide, lettersOf(difference)) + "  " + bar + "  " +
              rightOf(from, before, from.size()) + " → " + rightOf(to, after, to.size()) + "  " + pathOf(change) +
              "\n");
  }
  if (count < sizes.changes.size())
    out.write("  " + groupedText(sizes.changes.size() - count) + " smaller differences are left out\n");
}

void writeSizes(const SizeComparison& sizes, json::Writer& writer, std::string_view name) {
  writer.key(name).beginObject();
  writer.member("before", sizes.before);
  writer.member("after", sizes.after);
  writer.member("equal", sizes.equal);
  writer.key("changes").beginArray();
  for (const SizeChange& change : sizes.changes) {
    writer.beginObject();
    writer.member("name", change.name);
    writer.member("in", change.in);
    writer.member("kind", view::TreemapPage::kindName(change.kind));
    writer.member("before", change.before);
    writer.member("after", change.after);
    change.a ? writer.member("a", change.a->toString()) : writer.nullMember("a");
    change.b ? writer.member("b", change.b->toString()) : writer.nullMember("b");
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
}

void writeHtml(const SizeComparison& sizes, const std::function<void(std::string_view)>& sink, std::string_view title) {
  if (sizes.changes.empty()) return;
  sink("<h2>" + std::string(title) + "</h2>\n<p>" + htmlText(sizes.sentence()) +
       "</p>\n<table>\n<thead><tr><th>name</th><th>in</th><th>before</th><th>after</th><th>difference</th><th></th>"
       "</tr></thead>\n<tbody>\n");
  const std::size_t count = std::min(sizes.changes.size(), kHtmlRows);
  for (std::size_t i = 0; i < count; ++i) {
    const SizeChange& change = sizes.changes[i];
    sink("<tr><td><code>" + htmlText(change.name) + "</code></td><td class=\"faint\">" + htmlText(change.in) +
         "</td><td class=\"number\">" + groupedText(change.before) + "</td><td class=\"number\">" +
         groupedText(change.after) + "</td><td class=\"number\">" + change.differenceText() + "</td><td>" +
         barOf(change, largestOf(sizes)) + "</td></tr>\n");
  }
  sink("</tbody>\n</table>\n");
  if (count < sizes.changes.size())
    sink("<p>" + groupedText(sizes.changes.size() - count) + " smaller differences are left out.</p>\n");
}

Result<std::optional<SizeComparison>> memoryChanges(const library::PackagePtr& a, const library::PackagePtr& b,
                                                    Monitor& monitor) {
  std::vector<view::MemoryFit> sides;
  for (const library::PackagePtr* const package : {&a, &b}) {
    BLOBSCOPE_TRY(archive, mlf::readArchive(*package, monitor));
    if (!archive || archive->facts.modules.empty() || !archive->model.container.inner.empty())
      return std::optional<SizeComparison>();
    sides.push_back(mlf::memoryOf(mlf::boardUse(*archive, **package)));
  }
  return std::optional(sizes::compareMemory(sides[0], sides[1]));
}

} // namespace blobscope::describe
