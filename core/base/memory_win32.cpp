#include "core/base/memory.h"

#include "core/base/text.h"
#include "core/base/windows_win32.h"

namespace blobscope {

Error memoryError() {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {};
  const bool known = QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &job, sizeof job, nullptr);
  const bool limited = known && (job.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_PROCESS_MEMORY);
  const std::string limit = limited ? sizeText(job.ProcessMemoryLimit) + " for this process" : "this system";
  return Error(DiagnosticId::FileLimit, {{"count", "too much memory"}, {"what", "is needed"}, {"limit", limit}});
}

} // namespace blobscope
