#include "core/run/host_system.h"

namespace blobscope::run {

std::string_view hostSystem() { return "Linux"; }

container::Format hostFormat() { return container::Format::Elf; }

bool canMakeStubs() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

} // namespace blobscope::run
