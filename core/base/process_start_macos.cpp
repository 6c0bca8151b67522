#include "core/base/temporary_name_system.h"

#include <libproc.h>

namespace blobscope::temporary_name {

uint64_t startOf(uint64_t process) {
  proc_bsdinfo facts = {};
  const int size = proc_pidinfo(static_cast<int>(process), PROC_PIDTBSDINFO, 0, &facts, sizeof facts);
  return size == sizeof facts ? facts.pbi_start_tvsec * 1'000'000 + facts.pbi_start_tvusec : 0;
}

} // namespace blobscope::temporary_name
