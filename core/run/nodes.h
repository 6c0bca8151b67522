#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/run/report.h"

namespace blobscope::run {

/// Compares the kept outputs of the nodes of a model with those of another build, and finds the first difference. Nodes
/// correspond when they call functions with the same name and write the same types and shapes, in the same order. Where
/// the builds fused operators differently, nodes between those correspond when their outputs agree within the tolerance
/// (a bounded number of them is tried), and so do the last two that write the same type and shape. Also counts the
/// inputs with the same bits. Comparisons that the candidate has are replaced; those of equal bits are kept. Error:
/// only Cancelled.
Result<Done> compareNodes(FunctionResult& candidate, const std::vector<NodeResult>& reference,
                          const protocol::CompareOptions& tolerance, Monitor& monitor);

/// Compares the kept outputs of a report again, with another tolerance: the nodes and their first difference. The files
/// of the report must exist. Errors: FILE-…; Cancelled.
Result<RunReportPtr> compareAgain(const RunReport& report, const protocol::CompareOptions& tolerance, Monitor& monitor);

} // namespace blobscope::run
