#pragma once

#include "core/container/image.h"

#include <string_view>

/// The system on which this program runs.
namespace blobscope::run {

/// "Linux".
std::string_view hostSystem();
/// The processor for which this program is compiled, as in container::Image::arch; empty for those without a name here.
std::string_view hostProcessor();
/// The container of the libraries that it loads.
container::Format hostFormat();
/// Whether core/run/stubs.h can make libraries for it.
bool canMakeStubs();

} // namespace blobscope::run
