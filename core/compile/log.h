#pragma once

#include "core/compile/compile.h"

#include <string_view>
#include <vector>

namespace blobscope::compile {

/// The errors, warnings and notes in the output of a compiler. It understands the forms of ptxas and nvJitLink
/// ("ptxas k.ptx, line 57; error : …", "ptxas fatal : …"), of nvcc and NVRTC ("k.cu(12): error: …"), of compilers
/// with clang ("k.cl:3:5: error: …", "error: k.cl:3:5: …"), of Tint ("k.wgsl:3:5 error: …") and of naga ("error: …"
/// above a line with "┌─ k.wgsl:3:5"). Other lines are left out, as are counts of errors. At most 1,000.
std::vector<Message> parseLog(std::string_view log);

} // namespace blobscope::compile
