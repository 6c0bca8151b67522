#include "core/describe/node.h"

#include "core/describe/byte_pages.h"
#include "core/describe/draft.h"
#include "core/describe/preflight.h"
#include "core/describe/safety.h"
#include "core/kernels/page.h"
#include "core/library/details.h"
#include "core/mlf/pages/overview.h"
#include "core/mlf/pages/pages.h"
#include "core/plan/pages.h"
#include "core/sizes/page.h"
#include "core/view/page_id.h"
#include "core/xref/pages.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace blobscope::describe {

Result<view::PageList> pagesOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor,
                               const library::ReadSignatures& read) {
  BLOBSCOPE_TRY(pages, library::nodePages(package, ref, monitor));
  BLOBSCOPE_CHECK(xref::addPages(package, ref, pages, read));
  kernels::addPage(package, ref, pages);
  BLOBSCOPE_CHECK(plan::addPages(package, ref, pages));
  if (auto draft = draftPage(package, ref)) {
    const auto fields = std::ranges::find(pages, std::string_view(view::page_id::kFields), &view::Page::name);
    pages.insert(fields, std::move(*draft));
  }
  const bool isWhole = ref.parts.empty() && !ref.at;
  if (isWhole && (ref.kind == Ref::Kind::File || ref.kind == Ref::Kind::Module)) addBytePages(pages);
  BLOBSCOPE_CHECK(sizes::addPage(package, ref, pages));
  if (ref.kind != Ref::Kind::File || ref.at) return pages;
  BLOBSCOPE_TRY(inner, library::memberOf(package, ref));
  if (ref.members.empty() && hasPreflight(*inner)) {
    pages.insert(pages.begin() + std::min<std::ptrdiff_t>(1, std::ssize(pages)), preflightPage(inner));
    const auto hex = std::ranges::find(pages, std::string_view(view::page_id::kHex), &view::Page::name);
    pages.insert(hex, requirementsPage(inner));
  }
  if (ref.members.empty() && hasSafety(*inner)) {
    const bool preflight = pages.size() > 1 && pages[1].name == view::page_id::kPreflight;
    pages.insert(pages.begin() + std::min<std::ptrdiff_t>(preflight ? 2 : 1, std::ssize(pages)), safetyPage(inner));
  }
  BLOBSCOPE_TRY(archive, mlf::readArchive(inner, monitor));
  if (!archive) return pages;
  BLOBSCOPE_TRY(overview, overviewOf(*inner, archive.get(), monitor));
  return mlf::archivePages(archive, inner, overview, std::move(pages));
}

view::Page symbolsPage(const library::PackagePtr& package, Symbols which) {
  return library::symbolsPage(package, which);
}

Result<view::Details> detailsOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor) {
  BLOBSCOPE_TRY(details, library::nodeDetails(package, ref, monitor));
  BLOBSCOPE_CHECK(xref::addDetails(package, ref, details, monitor));
  return details;
}

Result<library::Overview> overviewOf(const library::Package& package, const mlf::Archive* archive, Monitor& monitor) {
  BLOBSCOPE_TRY(overview, library::fileOverview(package, monitor));
  if (archive) mlf::addArchive(package, *archive, overview);
  return overview;
}

} // namespace blobscope::describe
