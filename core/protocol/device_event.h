#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace blobscope::protocol {

/// A device that a driver reports.
struct DeviceFound {
  std::string kind; ///< "cuda", "vulkan", "opencl"; "cpu" for a TVM runtime
  uint32_t index = 0;
  std::string name, driver;
  uint64_t memoryBytes = 0;
  bool isCpu = false;                                     ///< software on the processor
  std::vector<std::pair<std::string, std::string>> facts; ///< label, value
  /// Of one block, or of one kernel: "shared bytes", "threads", "push constant bytes", "storage buffers".
  std::vector<std::pair<std::string, uint64_t>> limits;
};

} // namespace blobscope::protocol
