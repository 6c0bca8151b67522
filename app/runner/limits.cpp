#include "app/runner/limits.h"

#include "app/runner/system.h"
#include "core/process/confine.h"

#include <algorithm>
#include <string_view>
#include <thread>

#if defined(__SANITIZE_ADDRESS__)
#define BLOBSCOPE_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLOBSCOPE_ADDRESS_SANITIZER
#endif
#endif

namespace blobscope::runner {
namespace {

using process::Layers;

/// Shadow memory exceeds any limit.
#ifdef BLOBSCOPE_ADDRESS_SANITIZER
constexpr bool kLimitsAddresses = false;
#else
constexpr bool kLimitsAddresses = true;
#endif
constexpr uint64_t kOpenFiles = 1024;
/// Threads of a library, of drivers and of the compilers that they start.
constexpr uint64_t kTasks = process::Supervision().tasks;

/// Returns the CPU time for all steps together, on all processors at once; 0 if one of them has no limit.
uint64_t cpuSeconds(const protocol::Job& job) {
  const protocol::JobLimits& limits = job.limits;
  if (limits.loadMs == 0 || limits.buildMs == 0 || limits.runMs == 0) return 0;
  double kernels = 1;
  for (const protocol::JobModule& module : job.modules) kernels += static_cast<double>(module.kernels.size());
  const double runs = job.timed ? 2.0 * protocol::kEventItems : 0;
  // A call allocates, runs, waits and reads back, each within the limit.
  const double calls = static_cast<double>(std::max<std::size_t>(job.calls.size(), 1)) * (4 + runs);
  const double ms = 4.0 * static_cast<double>(limits.loadMs) + kernels * static_cast<double>(limits.buildMs) +
                    calls * static_cast<double>(limits.runMs);
  constexpr double kLongest = 1e9;
  return static_cast<uint64_t>(std::min(kLongest, ms / 1000 * std::max(1U, std::thread::hardware_concurrency()))) + 1;
}

bool usesCuda(const protocol::Job& job) {
  return job.backend == "cuda" || (job.mode == protocol::Mode::Devices && job.backend.empty());
}

/// Returns whether a driver of NVIDIA is loaded, for CUDA or as one of several for OpenCL. It reserves addresses for
/// the memory of all devices and fails if it cannot.
bool reservesAddresses(const protocol::Job& job) {
  if (usesCuda(job)) return true;
  std::error_code failure;
  return job.backend == "opencl" && std::filesystem::exists("/dev/nvidiactl", failure);
}

} // namespace

std::vector<std::string> applyLimits(const protocol::Job& job, const std::filesystem::path& folder, uint64_t reserved,
                                     const Ancestors& ancestors) {
  const bool isDry =
      job.mode == protocol::Mode::Dry || job.mode == protocol::Mode::Probe || job.mode == protocol::Mode::Metadata;
  const bool isCuda = usesCuda(job);

  // --- 1. What this run is allowed to use. ---
  process::Confinement wanted;
  wanted.openFiles = kOpenFiles;
  wanted.fileBytes = job.limits.fileBytes;
  wanted.cpuSeconds = cpuSeconds(job);
  wanted.tasks = kTasks;
  uint64_t addresses = 0;
  if (kLimitsAddresses && job.limits.addressBytes != 0 &&
      !__builtin_add_overflow(job.limits.addressBytes, reserved, &addresses))
    (reservesAddresses(job) ? wanted.dataBytes : wanted.addressBytes) = addresses;
  wanted.startsProcesses = !isDry;
  wanted.localSockets = isCuda;
  wanted.protects = {ancestors.supervisor, ancestors.client};
  // Drivers and libraries may be anywhere; compilers need their own files, and what they print contains what they read.
  wanted.readsEverything = job.mode != protocol::Mode::Compile;
  system::allowFiles(wanted, {folder, !job.backend.empty() && !isDry, isCuda || reservesAddresses(job)});
  if (!wanted.readsEverything) system::allowCompilers(wanted, job.backend, job.driverPath);

  // --- 2. Everything else is blocked from here on. ---
  const Layers offered = process::supportedLayers(),
               held = process::PreparedConfinement(wanted).apply(ancestors.channel);
  std::vector<std::string> problems;
  const auto check = [&](Layers::Bit layer, const char* what) {
    if (offered.has(layer) && !held.has(layer)) problems.emplace_back(what);
  };
  check(Layers::Limits, "the system refuses a limit on memory, time or files");
  check(Layers::Privileges, "the system refuses PR_SET_NO_NEW_PRIVS, or to drop the capabilities of root");
  check(Layers::SystemCalls, "the system refuses the filter of system calls");
  check(Layers::Files, "the system refuses Landlock's rules");
  check(Layers::Tasks, "the system refuses a limit on the number of processes");
  return problems;
}

} // namespace blobscope::runner
