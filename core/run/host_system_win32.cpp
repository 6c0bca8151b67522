#include "core/run/host_system.h"

namespace blobscope::run {

std::string_view hostSystem() { return "Windows"; }

std::string_view hostProcessor() {
#if defined(__x86_64__) || defined(_M_X64)
  return "x86_64";
#elif defined(__aarch64__) || defined(_M_ARM64)
  return "aarch64";
#else
  return {};
#endif
}

container::Format hostFormat() { return container::Format::Pe; }

bool canMakeStubs() { return false; }

} // namespace blobscope::run
