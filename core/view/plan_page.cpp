#include "core/view/plan_page.h"

#include "core/base/text.h"
#include "core/view/calls_page.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace blobscope::view {

std::string_view PlanPage::kindName(Kind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"weights", "constants", "arguments",
                                                      "cache",   "in-use",    "reserved"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view CallsPage::kindName(Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"function", "packed", "kernel", "builtins"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view CallsPage::countName(Count count) {
  constexpr std::array<std::string_view, 4> kNames = {"exact", "at-least", "at-most", "about"};
  return kNames[static_cast<std::size_t>(count)];
}

std::string CallsPage::countText(const Row& row, uint64_t number) {
  constexpr std::array<std::string_view, 4> kWords = {"", "at least ", "at most ", "about "};
  return std::string(kWords[static_cast<std::size_t>(row.count)]) + groupedText(number);
}

std::string CallsPage::flopText(const Row& row) {
  constexpr double kMost = 1e18;
  return row.flop ? groupedText(static_cast<uint64_t>(std::min(*row.flop, kMost))) : "–";
}

namespace {

class CallsTable final : public TableSource {
public:
  explicit CallsTable(CallsPagePtr page) : m_page(std::move(page)) {
    std::vector<std::string> above;
    for (const CallsPage::Row& row : m_page->rows) {
      above.resize(row.depth);
      m_above.push_back(above.empty() ? std::string() : above.back());
      above.push_back(above.empty() ? row.name : shortened(above.back() + " › " + row.name, 400));
    }
  }
  std::vector<Column> columns() const override {
    return {{"name"},       {"called by"},       {"call count", true}, {"launch count", true, true},
            {"FLOP", true}, {"code bytes", true}};
  }
  uint64_t rowCount() const override { return m_page->rows.size(); }
  std::string cell(uint64_t index, std::size_t column) const override {
    const CallsPage::Row& row = m_page->rows[index];
    switch (column) {
    case 0: return row.name + (row.recursive ? " ↻" : "");
    case 1: return m_above[index];
    case 2: return CallsPage::countText(row, row.calls);
    case 3: return row.launches > 0 ? CallsPage::countText(row, row.launches) : "–";
    case 4: return CallsPage::flopText(row);
    default: return row.bytes ? std::to_string(*row.bytes) : "–";
    }
  }
  std::optional<Ref> target(uint64_t index, const Ref&) const override { return m_page->rows[index].ref; }

private:
  CallsPagePtr m_page;
  std::vector<std::string> m_above; ///< the path to each row, without it
};

} // namespace

TablePage callsTable(const CallsPagePtr& page) { return {std::make_shared<CallsTable>(page)}; }

TablePage planTable(const PlanPagePtr& page) {
  std::vector<std::vector<std::string>> rows;
  const auto amount = [](const std::optional<uint64_t>& bytes) { return bytes ? std::to_string(*bytes) : "–"; };
  rows.push_back({"peak of " + page->function, std::to_string(page->peak),
                  (page->complete ? "" : "at least; ") + ("instruction " + groupedText(page->peakAt))});
  for (const PlanPage::Part& part : page->parts) rows.push_back({part.name, amount(part.bytes), part.note});
  for (const PlanPage::Symbol& symbol : page->symbols)
    rows.push_back({"size " + symbol.name, symbol.value ? std::to_string(*symbol.value) : "–", symbol.note});
  for (const PlanPage::Storage& storage : page->storages)
    rows.push_back({storage.name, amount(storage.bytes),
                    "instructions " + groupedText(storage.first) + " – " + groupedText(storage.last) + ", " +
                        countText(storage.uses.size(), "tensor") + (storage.holds.empty() ? "" : ", ") +
                        storage.holds});
  std::vector<Column> columns = {{"what"}, {"value", true}, {"note"}};
  return {std::make_shared<FixedTable>(std::move(columns), std::move(rows))};
}

} // namespace blobscope::view
