#pragma once

#include "core/container/image.h"

#include <string_view>

/// The system on which this program runs.
namespace blobscope::run {

/// "Linux".
std::string_view hostSystem();
/// The container of the libraries that it loads.
container::Format hostFormat();
/// Whether core/run/stubs.h can make libraries for it.
bool canMakeStubs();

} // namespace blobscope::run
