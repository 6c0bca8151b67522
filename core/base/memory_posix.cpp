#include "core/base/memory.h"

#include "core/base/text.h"

#include <sys/resource.h>

namespace blobscope {

Error memoryError() {
  rlimit addresses = {};
  const bool limited = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
  const std::string limit = limited ? sizeText(addresses.rlim_cur) + " for this process" : "this system";
  return Error(DiagnosticId::FileLimit, {{"count", "too much memory"}, {"what", "is needed"}, {"limit", limit}});
}

} // namespace blobscope
