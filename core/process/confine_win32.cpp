#include "core/process/confine_win32.h"

/// Windows: a job object limits memory, time and the number of processes. Files, the network and system calls are not
/// confined, and confinedText() says so.
namespace blobscope::process {
namespace {

constexpr int64_t kTicksPerSecond = 10'000'000;

} // namespace

windows::Handle makeJob(const Confinement* confinement, bool endsWithHandle, Layers& held) {
  held = {};
  windows::Handle job(CreateJobObjectW(nullptr, nullptr));
  if (!job) return job;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  DWORD& flags = limits.BasicLimitInformation.LimitFlags;
  flags = JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (endsWithHandle) flags |= JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  for (const uint64_t bytes : {confinement ? confinement->addressBytes : 0, confinement ? confinement->dataBytes : 0}) {
    if (bytes == 0) continue;
    const bool known = (flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0;
    flags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
    if (!known || bytes < limits.ProcessMemoryLimit) limits.ProcessMemoryLimit = static_cast<SIZE_T>(bytes);
  }
  if (confinement && confinement->cpuSeconds != 0) {
    flags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
    limits.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart =
        static_cast<int64_t>(confinement->cpuSeconds) * kTicksPerSecond;
  }
  if (confinement && !confinement->startsProcesses) {
    flags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
    limits.BasicLimitInformation.ActiveProcessLimit = 1;
  }
  if (!SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits)) job.reset();
  if (job && confinement) held.bits = Layers::Limits | Layers::Tasks;
  return job;
}

struct PreparedConfinement::Parts {
  windows::Handle job;
  Layers held;
};

PreparedConfinement::PreparedConfinement(const Confinement& confinement) {
  auto parts = std::make_unique<Parts>();
  parts->job = makeJob(&confinement, false, parts->held);
  m_parts = std::move(parts);
}

PreparedConfinement::~PreparedConfinement() = default;

Layers PreparedConfinement::apply(int) const {
  // A process keeps the limits of its job when the handle is closed.
  if (!m_parts->job || !AssignProcessToJobObject(m_parts->job.get(), GetCurrentProcess())) return {};
  return m_parts->held;
}

Layers supportedLayers() { return {Layers::Limits | Layers::Tasks}; }

std::string missingReason(Layers::Bit layer) {
  switch (layer) {
  case Layers::Limits:
  case Layers::Tasks: return "Windows refuses a job object with limits";
  default: return "on Windows only memory, time and the number of processes are limited";
  }
}

std::string confinedText(Layers layers) {
  if (!layers.has(Layers::Limits)) return "run not confined: " + missingReason(Layers::Limits);
  return "run with limits on memory and time, and cannot start processes; Windows confines nothing else";
}

std::vector<std::filesystem::path> installationOf(const std::filesystem::path& program) {
  return {program.parent_path()};
}

Confinement toolConfinement(const std::filesystem::path&, const std::filesystem::path&) { return {}; }

std::vector<std::string> toolEnvironment(const std::filesystem::path& folder) {
  const std::string system = environmentText("SystemRoot"), temporary = pathText(folder);
  return {"PATH=" + system + "\\System32;" + system, "SystemRoot=" + system, "TEMP=" + temporary, "TMP=" + temporary};
}

} // namespace blobscope::process
