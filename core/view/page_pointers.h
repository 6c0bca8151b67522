#pragma once

#include <memory>

/// Pages that have a header of their own. A pointer in a page is never null.
namespace blobscope::view {

struct ReportPage;  // core/view/report_page.h
struct PlanPage;    // core/view/plan_page.h
struct CallsPage;   // core/view/calls_page.h
struct TreemapPage; // core/view/treemap_page.h
using ReportPagePtr = std::shared_ptr<const ReportPage>;
using PlanPagePtr = std::shared_ptr<const PlanPage>;
using CallsPagePtr = std::shared_ptr<const CallsPage>;
using TreemapPagePtr = std::shared_ptr<const TreemapPage>;

} // namespace blobscope::view
