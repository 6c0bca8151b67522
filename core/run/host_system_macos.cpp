#include "core/run/host_system.h"

namespace blobscope::run {

std::string_view hostSystem() { return "macOS"; }

container::Format hostFormat() { return container::Format::MachO; }

bool canMakeStubs() { return false; }

} // namespace blobscope::run
