#pragma once

#include "tests/cli/cli.h"

#include <cstdint>

namespace blobscope::test {

/// The outcome of a verb and the resources it used.
struct Spent {
  Outcome outcome;
  uint64_t peakBytes = 0;  ///< peak of the allocated bytes
  uint64_t totalBytes = 0; ///< all allocated bytes, freed or not
  uint64_t refused = 0;    ///< number of allocations that failed because of the limit
  int64_t cpuNs = 0;       ///< computing time of this thread
};

/// Runs the command line inside this process with the current folder `folder`, so that many runs cost one start and
/// allocations can be counted. With `limitBytes` an allocation above it fails, as when memory is exhausted; an
/// exception that leaves the command line sets Outcome::crashed. One run at a time.
Spent runInProcess(const QString& folder, const QStringList& arguments, uint64_t limitBytes = UINT64_MAX);

} // namespace blobscope::test
