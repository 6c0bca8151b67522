#include "core/mlf/pages/pages.h"

#include "core/base/text.h"
#include "core/mlf/memory_use.h"
#include "core/mlf/pages/fit_page.h"
#include "core/payloads/json/json_fields.h"
#include "core/view/page_id.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

using Rows = std::vector<std::vector<std::string>>;

view::Page overviewPage(const library::Package& package, const library::Overview& overview) {
  Rows rows = {{"file", escaped(package.path)}, {"what", overview.sentence}, {"state", overview.state}};
  for (const library::Overview::Fact& fact : overview.facts) rows.push_back({fact.label, fact.value});
  return view::factsPage(view::page_id::kOverview, std::move(rows));
}

view::Page problemsPage(const check::Report& report) {
  Rows rows;
  std::vector<Ref> places;
  for (const check::Issue& issue : report.issues) {
    rows.push_back({std::string(severityName(issue.severity)), issue.rule, issue.message, issue.placeText()});
    places.push_back(issue.ref.value_or(Ref::file()));
  }
  return view::tablePage(view::page_id::kProblems, {{"severity"}, {"id"}, {"message"}, {"place"}}, std::move(rows),
                         std::move(places));
}

} // namespace

view::PageList archivePages(const ArchivePtr& read, const library::PackagePtr& opened,
                            const library::Overview& overview, view::PageList container) {
  const Archive& archive = *read;
  const library::Package& package = *opened;
  view::PageList pages;
  pages.push_back(overviewPage(package, overview));
  pages.push_back(problemsPage(archive.report));
  if (!archive.facts.modules.empty() && archive.model.container.inner.empty()) {
    if (view::BarsPage bars = memoryBars(archive, package); !bars.groups.empty())
      pages.push_back({view::page_id::kMemory, std::move(bars)});
    pages.push_back(fitPage(read, opened));
    pages.push_back(operatorsPage(archive, package));
    pages.push_back(tensorsPage(archive, package));
  }
  if (const File* const metadata =
          archive.model.container.inner.empty() ? archive.model.find("metadata.json") : nullptr)
    pages.push_back(payloads::jsonFieldsPage(view::page_id::kMetadata, metadata->bytes));
  for (view::Page& page : container)
    if (page.name != view::page_id::kOverview && page.name != view::page_id::kProblems)
      pages.push_back(std::move(page));
  return pages;
}

} // namespace blobscope::mlf
