#include "app/runner/timing.h"

#include "app/runner/channel.h"

#include <chrono>
#include <cstddef>

namespace blobscope::runner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWarmRuns = 3, kRuns = 10, kMostRuns = 1000;
constexpr double kWarmUs = 50'000, kRunUs = 100'000;
/// Maximum number of launches of one call whose times are kept.
constexpr std::size_t kLaunches = 1000;

double microsecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

} // namespace

protocol::DeviceFound foundDevice(const DeviceInfo& info) {
  return {
      info.kind,  static_cast<uint32_t>(info.index), info.name, info.driver, info.memoryBytes, info.isCpu, info.facts,
      info.limits};
}

Result<Done> measure(const protocol::Job& job, Backend* backend, const std::string& name,
                     const std::function<void()>& before, const std::function<Result<Done>()>& once,
                     const std::function<const std::vector<std::string>&()>& launched) {
  // --- 1. Warm-up. ---
  const auto warm = Clock::now();
  for (std::size_t runs = 0; !cancelled(); ++runs) {
    if (job.warmup ? runs >= *job.warmup : runs >= kWarmRuns && microsecondsSince(warm) >= kWarmUs) break;
    before();
    BLOBSCOPE_CHECK(once());
    // The times of the warm-up are dropped.
    if (backend) BLOBSCOPE_CHECK(backend->times());
  }

  // --- 2. Measurement. ---
  std::vector<double> calls;
  std::vector<protocol::TimesMeasured> kernels;
  const auto begin = Clock::now();
  while (!cancelled()) {
    const std::size_t runs = calls.size();
    if (job.repeat ? runs >= *job.repeat : runs >= kMostRuns || (runs >= kRuns && microsecondsSince(begin) >= kRunUs))
      break;
    before();
    const auto start = Clock::now();
    BLOBSCOPE_CHECK(once());
    calls.push_back(microsecondsSince(start));
    if (!backend) continue;
    BLOBSCOPE_TRY(times, backend->times());
    const std::vector<std::string>& names = launched();
    for (std::size_t i = 0; i < times.size() && i < names.size() && i < kLaunches; ++i) {
      if (i == kernels.size()) {
        kernels.emplace_back().name = names[i];
        kernels.back().kernel = true;
        kernels.back().launch = i;
      }
      if (kernels[i].name == names[i]) kernels[i].microseconds.push_back(times[i]);
    }
  }

  // --- 3. Report. ---
  const uint64_t call = currentCall().value_or(0);
  protocol::TimesMeasured wall;
  wall.call = call;
  wall.name = name;
  wall.microseconds = std::move(calls);
  sendEvent(wall);
  for (protocol::TimesMeasured& kernel : kernels) {
    kernel.call = call;
    sendEvent(kernel);
  }
  return Done{};
}

} // namespace blobscope::runner
