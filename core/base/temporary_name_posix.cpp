#include "core/base/temporary_name_system.h"

#include <cerrno>
#include <csignal>
#include <limits>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

namespace blobscope::temporary_name {

uint64_t ownProcess() { return static_cast<uint64_t>(getpid()); }

uint64_t randomNumber() {
  uint64_t number = 0;
  (void)!getentropy(&number, sizeof number);
  return number;
}

bool mayRun(uint64_t process) {
  if (process == 0 || process > static_cast<uint64_t>(std::numeric_limits<pid_t>::max()))
    return true; // make() never returns such a name
  return kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

} // namespace blobscope::temporary_name
