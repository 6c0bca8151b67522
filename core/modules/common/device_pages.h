#pragma once

#include "core/modules/codec.h"
#include "core/modules/common/function_info.h"

#include <functional>
#include <span>

namespace blobscope::modules {

/// Returns the kernels of a device module that `functions` lists, with their field rows below "fmap". `code` returns
/// the separate code of a kernel by its name, or nothing.
std::vector<Kernel> kernelsOf(const std::vector<NamedFunction>& functions, const Body& body,
                              const std::function<std::optional<Bytes>(const Bytes& name)>& code);

/// Body::kernelTable() with name, arguments and launch parameters of every device function.
/// `codeSizes`: one per function, when each has separate code; else empty.
KernelTable functionTable(const std::vector<NamedFunction>& functions, std::vector<uint64_t> codeSizes = {});

/// Adds the page "Functions" with the body's kernelTable().
void addFunctionsPage(view::PageList& list, const Body& body);

} // namespace blobscope::modules
