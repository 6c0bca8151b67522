#include "app/runner/limits.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define BLOBSCOPE_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLOBSCOPE_ADDRESS_SANITIZER
#endif
#endif

namespace blobscope::runner {
namespace {

/// Shadow memory takes more than any limit.
#ifdef BLOBSCOPE_ADDRESS_SANITIZER
constexpr bool kLimitsAddresses = false;
#else
constexpr bool kLimitsAddresses = true;
#endif
constexpr uint64_t kOpenFiles = 1024;

} // namespace

std::vector<std::string> applyLimits(const run::JobLimits& limits, uint64_t reserved) {
  std::vector<std::string> problems;
  const auto limit = [&](int resource, const char* name, uint64_t value) {
    rlimit now{};
    if (getrlimit(resource, &now) != 0) return problems.push_back(std::string(name) + ": " + std::strerror(errno));
    // Never above what the system grants.
    now.rlim_cur = std::min<rlim_t>(value, now.rlim_max);
    now.rlim_max = now.rlim_cur;
    if (setrlimit(resource, &now) != 0) problems.push_back(std::string(name) + ": " + std::strerror(errno));
  };
  limit(RLIMIT_CORE, "RLIMIT_CORE", 0);
  limit(RLIMIT_NOFILE, "RLIMIT_NOFILE", kOpenFiles);
  if (limits.fileBytes != 0) limit(RLIMIT_FSIZE, "RLIMIT_FSIZE", limits.fileBytes);
  uint64_t addresses = 0;
  if (kLimitsAddresses && limits.addressBytes != 0 && !__builtin_add_overflow(limits.addressBytes, reserved, &addresses))
    limit(RLIMIT_AS, "RLIMIT_AS", addresses);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) problems.push_back(std::string("PR_SET_PDEATHSIG: ") + std::strerror(errno));
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) problems.push_back(std::string("PR_SET_NO_NEW_PRIVS: ") + std::strerror(errno));
  return problems;
}

} // namespace blobscope::runner
