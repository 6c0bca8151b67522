#pragma once

#include "tests/cli/cli.h"

#include <cstdint>

namespace blobscope::test {

/// What a verb did and what it took.
struct Spent {
  Outcome outcome;
  uint64_t peakBytes = 0;  ///< the most that was allocated at one time
  uint64_t totalBytes = 0; ///< all that was allocated, freed or not
  uint64_t refused = 0;    ///< number of allocations that failed because of the limit
  int64_t cpuNs = 0;       ///< that this thread computed
};

/// Runs the command line inside this process, with the current folder `folder`: many runs for the cost of one start,
/// and allocations can be counted. With `limitBytes` an allocation above it fails, as when memory is exhausted; an
/// exception that leaves the command line makes Outcome::crashed. One run at a time.
Spent runInProcess(const QString& folder, const QStringList& arguments, uint64_t limitBytes = UINT64_MAX);

} // namespace blobscope::test
