#pragma once

#include "core/modules/codec.h"
#include "core/modules/common/function_info.h"

#include <functional>
#include <span>

namespace blobscope::modules {

/// The kernels of a device module that are listed in `functions`, field rows found below `tree`'s "fmap".
/// `code` gives a kernel's own code by its name, or nothing.
std::vector<Kernel> kernelsOf(const std::vector<NamedFunction>& functions, const Body& body,
                              const std::function<std::optional<Bytes>(const Bytes& name)>& code);

/// Adds the page "Functions": name, arguments, launch parameters of every device function.
/// `codeSizes`: one per function, when each has code of its own; else empty.
void addFunctionsPage(view::PageList& list, const std::vector<NamedFunction>& functions,
                      std::vector<uint64_t> codeSizes = {});

} // namespace blobscope::modules
