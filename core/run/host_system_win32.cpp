#include "core/run/host_system.h"

namespace blobscope::run {

std::string_view hostSystem() { return "Windows"; }

container::Format hostFormat() { return container::Format::Pe; }

bool canMakeStubs() { return false; }

} // namespace blobscope::run
