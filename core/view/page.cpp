#include "core/view/page.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace blobscope::view {

std::string_view pageKind(const Page& page) {
  if (const auto* later = std::get_if<DeferredPage>(&page.content)) return later->kind;
  if (std::holds_alternative<FieldsPage>(page.content)) return "fields";
  if (std::holds_alternative<TablePage>(page.content)) return "table";
  if (std::holds_alternative<TextPage>(page.content)) return "text";
  if (std::holds_alternative<HexPage>(page.content)) return "hex";
  if (std::holds_alternative<BarsPage>(page.content)) return "bars";
  if (std::holds_alternative<ChecklistPage>(page.content)) return "checklist";
  if (std::holds_alternative<GraphPage>(page.content)) return "graph";
  if (std::holds_alternative<ReportPagePtr>(page.content)) return "report";
  if (std::holds_alternative<PlotPage>(page.content)) return "plot";
  if (std::holds_alternative<PlanPagePtr>(page.content)) return "plan";
  if (std::holds_alternative<CallsPagePtr>(page.content)) return "calls";
  if (std::holds_alternative<GridPage>(page.content)) return "grid";
  if (std::holds_alternative<TreemapPagePtr>(page.content)) return "treemap";
  return "notice";
}

std::optional<bool> TableSource::isGood(uint64_t, std::size_t) const { return std::nullopt; }

uint64_t TableSource::number(uint64_t row, std::size_t column) const {
  return parseNumber(cell(row, column)).value_or(0);
}

uint64_t BarsPage::Bar::bytes() const {
  uint64_t sum = 0; // damaged files may state any number
  for (const Part& part : parts) sum += std::min(part.bytes, UINT64_MAX - sum);
  return sum;
}

std::string_view ChecklistPage::stateName(State state) {
  constexpr std::array<std::string_view, 7> kNames = {"good",    "empty",   "later",     "fails",
                                                      "crashes", "unknown", "not-needed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view GraphPage::kindName(Kind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"operator", "input", "constant", "function", "kernel", "module"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view GraphPage::markName(Mark mark) {
  constexpr std::array<std::string_view, 4> kNames = {"", "added", "removed", "changed"};
  return kNames[static_cast<std::size_t>(mark)];
}

std::size_t placeOf(const PageList& pages, std::initializer_list<std::string_view> names) {
  const auto found =
      std::ranges::find_if(pages, [&](const Page& page) { return std::ranges::find(names, page.name) != names.end(); });
  return static_cast<std::size_t>(found - pages.begin());
}

Result<Page> resolvePage(const Page& page, Monitor& monitor) {
  const auto* const later = std::get_if<DeferredPage>(&page.content);
  if (!later) return page;
  BLOBSCOPE_TRY(made, later->make(monitor));
  made.name = page.name;
  return made;
}

Page listingPage(std::string name, Listing listing, std::shared_ptr<const ListingConstants> constants) {
  auto marks = std::make_shared<ListingMarks>(ListingMarks{std::move(listing.marks), std::move(constants)});
  return {std::move(name), TextPage{Bytes::copyOf(listing.text), "vm", std::move(marks)}};
}

Page factsPage(std::string name, std::vector<std::vector<std::string>> rows) {
  std::vector<Column> columns = {{"fact"}, {"value"}};
  return {std::move(name), TablePage{std::make_shared<FixedTable>(std::move(columns), std::move(rows)), true}};
}

Page tablePage(std::string name, std::vector<Column> columns, std::vector<std::vector<std::string>> rows,
               std::vector<Ref> targets) {
  return {std::move(name),
          TablePage{std::make_shared<FixedTable>(std::move(columns), std::move(rows), std::move(targets))}};
}

} // namespace blobscope::view
