#pragma once

#include "core/protocol/data_type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace blobscope::protocol {

/// Mode Program: a call of a host function in the first run.
struct NodeRan {
  struct Output {
    std::string file; ///< empty when it is not kept
    uint64_t bytes = 0;
    DataType type;
    std::vector<int64_t> shape;
  };
  uint64_t call = 0;
  uint64_t node = 0;    ///< from 0, in the order of the calls
  std::string name;     ///< of the node; that of the function where nodes have none
  std::string function; ///< host function
  uint64_t step = 0;    ///< number of the step in its function of the program
  std::string within;   ///< that function
  uint64_t firstLaunch = 0, launches = 0;
  uint64_t bytesRead = 0; ///< of its other arguments
  std::vector<Output> outputs;
};
/// Mode Program: wall-clock times of a node, with a wait for the device after each, in the order of the runs.
struct NodeTimes {
  uint64_t call = 0;
  uint64_t node = 0;
  std::vector<double> microseconds;
};

} // namespace blobscope::protocol
