#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/requirements/requirements.h"
#include "core/safety/report.h"

#include <string_view>
#include <vector>

namespace blobscope::safety {

/// What a function acts on, by its name as in the source code, without the A or W of Windows. `provider`: of a symbol
/// whose name is in no list.
Group groupOf(std::string_view name, requirements::NeededSymbol::Provider provider);
/// The same for a function of which only the name is known.
Group groupOf(std::string_view name);

/// Whether the run-time that compilers link into libraries imports the function: of MinGW and of Visual C++ in a PE
/// file, of WASI in WebAssembly.
bool isOfRuntime(std::string_view name, container::Format format);

/// Fills in imports, libraries and searchPaths from the loader's tables of the packages. Error: only Cancelled.
Result<Done> addImports(const std::vector<library::PackagePtr>& packages, Report& report, Monitor& monitor);

} // namespace blobscope::safety
