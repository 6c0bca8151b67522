#pragma once

#include "core/base/json.h"
#include "core/view/calls_page.h"
#include "core/view/plan_page.h"
#include "core/view/render.h"

namespace blobscope::view {

/// The plan as its peak, parts, sizes and storages.
void renderPlan(const PlanPage& page, const TextSink& sink);
/// Its members, in the object that is open.
void renderPlan(const PlanPage& page, json::Writer& writer);
/// The tree as indented rows with aligned counts. Error: only Cancelled.
Result<Done> renderCalls(const CallsPage& page, const TextSink& sink, Monitor& monitor);
Result<Done> renderCalls(const CallsPage& page, json::Writer& writer, Monitor& monitor);

} // namespace blobscope::view
