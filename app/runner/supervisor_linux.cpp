#include "app/runner/supervisor.h"

#include <cstdlib>
#include <unistd.h>

namespace blobscope::runner {

std::optional<Ancestors> splitOff() {
  // Sockets of NVIDIA's driver: the Multi-Process Service, the daemon that keeps devices initialised, and the manager
  // of NVSwitch. No others: a run on CUDA may open sockets, because cuInit() fails without them.
  const char* const service = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  const char* const folders[] = {"/tmp/nvidia-mps",
                                 "/run/nvidia-persistenced",
                                 "/var/run/nvidia-persistenced",
                                 "/run/nvidia-fabricmanager",
                                 "/var/run/nvidia-fabricmanager",
                                 service && *service == '/' ? service : nullptr,
                                 nullptr};
  return process::splitOff({.sockets = folders, .keepsMessages = true});
}

process::ProcessId ownProcess() { return getpid(); }

} // namespace blobscope::runner
