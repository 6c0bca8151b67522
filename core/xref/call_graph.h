#pragma once

#include "core/view/pictures.h"
#include "core/xref/functions.h"

namespace blobscope::xref {

/// Returns who calls whom in a file: functions of virtual machines and graphs, host functions, kernels. Functions that
/// nothing is known to call or to be called by are left out, unless there are no others. `members`: path of the member
/// whose functions are shown; empty for all.
view::GraphPage callGraph(const Functions& functions, const std::vector<std::string>& members);

/// Sets the refs of a graph of `node`: of the host function or the function of the same executable that a node of the
/// graph calls, and of the part that it is. Sets the device: where the host function launches its kernels.
void linkGraph(view::GraphPage& page, const Functions& functions, const Ref& node);

} // namespace blobscope::xref
