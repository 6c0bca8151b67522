#include "core/diff/pages.h"

#include "core/base/thread_rule.h"
#include "core/diff/code_marks.h"
#include "core/diff/host_text.h"
#include "core/diff/listing.h"
#include "core/view/csv.h"

#include <utility>

namespace blobscope::diff {
namespace {

using view::Page;

Result<Done> compareTexts(const view::TextPage& pageA, const view::TextPage& pageB, const PageOptions& options,
                          PageDiff& out, Monitor& monitor) {
  const Bytes &a = pageA.text, &b = pageB.text;
  if (!options.rawNumbers && pageA.marks && pageB.marks) {
    BLOBSCOPE_TRY(lines, compareListings(pageA, pageB, options.masks, monitor, options.cost));
    out.same = lines.same();
    out.content = std::move(lines);
    return Done{};
  }
  if (!options.rawNumbers && pageA.language == pageB.language && isDeviceCode(pageA) && isDeviceCode(pageB)) {
    BLOBSCOPE_TRY(markedA, markCode(pageA, monitor));
    BLOBSCOPE_TRY(markedB, markCode(pageB, monitor));
    BLOBSCOPE_TRY(lines, compareListings(markedA, markedB, options.masks, monitor, options.cost));
    out.deviceCode = true;
    out.same = lines.same();
    out.content = std::move(lines);
    return Done{};
  }
  out.hostCode = options.hostCode && isHostText(a.view()) && isHostText(b.view());
  if (out.hostCode) {
    BLOBSCOPE_TRY(lines, compareHostText(a, b, monitor, options.cost));
    out.same = lines.same();
    out.content = std::move(lines);
    return Done{};
  }
  LineOptions lineOptions;
  lineOptions.masks = options.masks;
  lineOptions.cost = options.cost;
  BLOBSCOPE_TRY(lines, compareLines(a, b, lineOptions, monitor));
  out.same = lines.same();
  out.content = std::move(lines);
  return Done{};
}

Result<Done> compareTables(const view::TablePage& a, const view::TablePage& b, const PageOptions& options,
                           PageDiff& out, Monitor& monitor) {
  RowOptions rowOptions = options.rows;
  if (a.facts && b.facts) rowOptions.keys = {0}; // the label
  BLOBSCOPE_TRY(rows, compareRows(*a.source, *b.source, rowOptions, monitor));
  out.same = rows.same();
  out.content = std::move(rows);
  return Done{};
}

/// Values of a tensor are compared as rows; their numbers are compared by compareTensors().
Page asRows(Page page) {
  if (const auto* const grid = std::get_if<view::GridPage>(&page.content)) {
    view::TablePage table{grid->table};
    page.content = std::move(table);
  }
  return page;
}

} // namespace

Result<PageDiff> comparePages(const Page& a, const Page& b, const PageOptions& options, Monitor& monitor) {
  longWork("diff::comparePages");
  PageDiff out;
  out.name = b.name;
  BLOBSCOPE_TRY(madeA, view::resolvePage(a, monitor));
  BLOBSCOPE_TRY(madeB, view::resolvePage(b, monitor));
  out.a = asRows(std::move(madeA));
  out.b = asRows(std::move(madeB));
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});

  if (const auto *first = std::get_if<view::NoticePage>(&out.a.content),
      *second = std::get_if<view::NoticePage>(&out.b.content);
      first || second) {
    out.same = first && second && first->text == second->text;
    out.note = first && second && !out.same ? first->text + "; " + second->text : (first ? first : second)->text;
    return out;
  }
  if (out.a.content.index() != out.b.content.index()) {
    out.note = "the pages have different kinds: '" + std::string(view::pageKind(out.a)) + "' and '" +
               std::string(view::pageKind(out.b)) + "'";
    return out;
  }
  PageOptions tableOptions = options;
  if (std::holds_alternative<view::PlotPage>(out.a.content)) {
    for (Page* const page : {&out.a, &out.b}) page->content = view::TablePage{view::rowsOf(*page)};
    tableOptions.rows.keys = {0, 1}; // the plot and the place on its axis
  }
  if (const auto* text = std::get_if<view::TextPage>(&out.a.content)) {
    BLOBSCOPE_CHECK(compareTexts(*text, std::get<view::TextPage>(out.b.content), options, out, monitor));
  } else if (const auto* table = std::get_if<view::TablePage>(&out.a.content)) {
    BLOBSCOPE_CHECK(compareTables(*table, std::get<view::TablePage>(out.b.content), tableOptions, out, monitor));
  } else if (const auto* fields = std::get_if<view::FieldsPage>(&out.a.content)) {
    BLOBSCOPE_TRY(compared, compareFields(*fields->tree, *std::get<view::FieldsPage>(out.b.content).tree, monitor));
    out.same = compared.same();
    out.content = std::move(compared);
  } else if (const auto* hex = std::get_if<view::HexPage>(&out.a.content)) {
    BLOBSCOPE_TRY(compared,
                  compareBytes(hex->bytes, std::get<view::HexPage>(out.b.content).bytes, options.bytes, monitor));
    out.same = compared.same();
    out.content = std::move(compared);
  } else if (const auto* graph = std::get_if<view::GraphPage>(&out.a.content)) {
    BLOBSCOPE_TRY(compared, compareGraphs(*graph, std::get<view::GraphPage>(out.b.content), monitor, options.cost));
    out.same = compared.same();
    out.content = std::move(compared);
  } else {
    out.note = "there is nothing to compare";
  }
  return out;
}

std::vector<PagePair> pairPages(const view::PageList& a, const view::PageList& b) {
  std::vector<PagePair> out;
  std::vector<bool> taken(a.size(), false);
  // An answer for one target, or about one file; what the files need is a table.
  const auto isAnswer = [](const view::Page& page) {
    return view::pageKind(page) == "checklist" || view::pageKind(page) == "report";
  };
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (isAnswer(b[j])) continue;
    PagePair pair{PagePair::kNone, j};
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (taken[i] || a[i].name != b[j].name || view::pageKind(a[i]) != view::pageKind(b[j])) continue;
      taken[i] = true;
      pair.a = i;
      break;
    }
    out.push_back(pair);
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (taken[i] || isAnswer(a[i])) continue;
    auto place = out.begin();
    for (auto at = out.begin(); at != out.end(); ++at)
      if (at->a != PagePair::kNone && at->a < i) place = at + 1;
    out.insert(place, {i, PagePair::kNone});
  }
  return out;
}

} // namespace blobscope::diff
