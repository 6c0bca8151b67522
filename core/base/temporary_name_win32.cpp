#include "core/base/temporary_name_system.h"

#include "core/base/windows_win32.h"

#include <bcrypt.h>
#include <limits>

namespace blobscope::temporary_name {

uint64_t ownProcess() { return GetCurrentProcessId(); }

uint64_t startOf(uint64_t process) {
  const windows::Handle handle(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(process)));
  FILETIME created = {}, ended = {}, kernel = {}, user = {};
  if (!handle || !GetProcessTimes(handle.get(), &created, &ended, &kernel, &user)) return 0;
  return uint64_t{created.dwHighDateTime} << 32 | created.dwLowDateTime;
}

uint64_t randomNumber() {
  uint64_t number = 0;
  (void)BCryptGenRandom(nullptr, reinterpret_cast<PUCHAR>(&number), sizeof number, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  return number;
}

bool mayRun(uint64_t process) {
  if (process == 0 || process > std::numeric_limits<DWORD>::max()) return true; // make() never returns such a name
  const windows::Handle handle(OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process)));
  // A process of another user cannot be opened.
  if (!handle) return GetLastError() != ERROR_INVALID_PARAMETER;
  return WaitForSingleObject(handle.get(), 0) != WAIT_OBJECT_0;
}

} // namespace blobscope::temporary_name
