#pragma once

#include "core/compile/compile.h"
#include "core/edit/edit.h"
#include "core/edit/images.h"
#include "core/library/package.h"

#include <string>
#include <string_view>
#include <vector>

namespace blobscope::compile {

/// Whether the fat binary has PTX for the architecture ("sm_120") and no machine code for it.
bool canGrow(const edit::FatBinary& binary, std::string_view architecture);

/// Compiles PTX that a fat binary contains to machine code for further architectures ("sm_120"), and returns the edits
/// that add one image for each, after the present ones. Of several PTX images, the one with the highest target that is
/// not above the architecture is used. `request`: flags, compiler and limits; its source and architectures are not
/// used. Errors: COMP-PLACE when no PTX is old enough; COMP-OPTION for an architecture that is there already, or whose
/// PTX does not compile; those of compile().
Result<std::vector<edit::Edit>> growFatBinary(const library::PackagePtr& package, const edit::FatBinary& binary,
                                              const std::vector<std::string>& architectures, const Request& request,
                                              Monitor& monitor);

} // namespace blobscope::compile
